"""Tables of a cluster's state: rows in memory that Arrow, pandas, polars and notebooks take."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kformat.columns.arrow import pyarrow
from kformat.kafka.columns.arrow import Table
from kformat.kafka.damage.frames import DataFrame, pandas, polars
from kformat.kafka.log.partition import Partition
from kformat.kafka.state.cluster import GROUP_COLUMNS, TOPIC_COLUMNS, Disks
from kformat.kafka.state.entries import CLUSTER_COLUMNS, cluster_rows
from kformat.kafka.state.latest import Moment
from kformat.kafka.state.transactions import TRANSACTION_COLUMNS, ClusterTransactions
from kformat.results import MOST_LINES, html_table, text_table

_NUMBERS: Final = {
    *("partition", "leader", "leader_epoch", "partition_epoch", "members_count"),
    *("coordinator_id", "producer_epoch", "coordinator_epoch", "timeout_ms"),
}
_OFFSETS: Final = {
    *("log_start_offset", "log_end_offset", "current_offset", "lag"),
    *("producer_id", "start_offset", "last_stable_offset"),
}
_IDS: Final = {"replicas", "isr", "elr", "adding_replicas", "removing_replicas"}


class StateTable(Sequence[Mapping[str, Any]]):
    """Rows of a cluster's state; ``table[0]["topic"]`` is a value.

    Attributes:
        columns: their names.
        problems: what could not be read, and was passed over.
    """

    def __init__(
        self, title: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], problems: Iterable[Exception]
    ) -> None:
        self.columns = tuple(columns)
        self._title, self._rows = title, list(rows)
        self.problems = tuple(problems)

    def where(self, takes: Callable[[Mapping[str, Any]], bool]) -> StateTable:
        """The rows that a function takes."""
        return StateTable(self._title, self.columns, filter(takes, self._rows), self.problems)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def to_arrow(self) -> Table:
        """The rows as an Arrow table: numbers int32, offsets and producer ids int64, times timestamp[ms, UTC], lists of
        int32 or of strings, configurations maps of strings; MissingDependencyError without pyarrow (extra ``arrow``).
        """
        pa = pyarrow()
        schema = pa.schema([(name, _type(pa, name)) for name in self.columns])
        rows = [{name: _readable(row[name]) for name in self.columns} for row in self._rows]
        return pa.Table.from_pylist(rows, schema)

    def to_pandas(self) -> DataFrame:
        """The rows as a ``pandas.DataFrame``, numbers of types that may be null (``Int64``, ``boolean``).

        MissingDependencyError without pandas (extra ``pandas``).
        """
        library = pandas()
        made = {"int32": library.Int32Dtype(), "int64": library.Int64Dtype(), "bool": library.BooleanDtype()}
        return self.to_arrow().to_pandas(types_mapper=lambda kind: made.get(str(kind)))

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``; MissingDependencyError without polars (extra ``polars``)."""
        return polars().from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        rows = [[_cell(row[name]) for name in self.columns] for row in self._rows[:MOST_LINES]]
        return text_table(self._head, self.columns, rows, len(self) > MOST_LINES)

    @property
    def _head(self) -> str:
        return f"{self._title}: {len(self)} rows"

    def _repr_html_(self) -> str:
        shown = [name for name in self.columns if any(row[name] not in (None, [], {}) for row in self._rows)]
        cells = ([_cell(row[name]) for name in shown] for row in self._rows)
        return html_table(self._head, shown, cells, len(self))


def _readable(value: Any) -> Any:
    """The value as Arrow takes it: U+FFFD for bytes that are not UTF-8, and maps as pairs."""
    if isinstance(value, str):
        return os.fsencode(value).decode("utf-8", "replace")
    if isinstance(value, dict):
        return [(_readable(name), _readable(word)) for name, word in value.items()]
    return list(map(_readable, value)) if isinstance(value, list) else value


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={word}" for name, word in value.items())
    return "" if value is None else str(value)


def _type(pa: Any, name: str) -> Any:
    if name in _NUMBERS:
        return pa.int32()
    if name in _OFFSETS:
        return pa.int64()
    if name in _IDS:
        return pa.list_(pa.int32())
    if name == "directories":
        return pa.list_(pa.string())
    if name == "configs":
        return pa.map_(pa.string(), pa.string())
    if name.startswith("is_"):
        return pa.bool_()
    return pa.timestamp("ms", tz="UTC") if name.endswith("_timestamp") else pa.string()


def topics(partitions: Iterable[Partition], at_offset: int | None, at_ms: int | None) -> StateTable:
    """The table of `LogDirectory.topics`."""
    disks = Disks(partitions, Moment(at_offset, at_ms))
    return StateTable("Topics", TOPIC_COLUMNS, disks.topic_rows(), disks.problems)


def groups(partitions: Iterable[Partition], at_ms: int | None) -> StateTable:
    """The table of `LogDirectory.groups`."""
    disks = Disks(partitions, Moment(None, at_ms), is_of_metadata=False)
    return StateTable("Groups", GROUP_COLUMNS, disks.group_rows(at_ms), disks.problems)


def transactions(partitions: Iterable[Partition], at_ms: int | None) -> StateTable:
    """The table of `LogDirectory.transactions`."""
    disks = Disks(partitions, Moment(None, at_ms), is_of_metadata=False)
    rows = list(ClusterTransactions(disks, now_ms=at_ms).rows())
    return StateTable("Transactions", TRANSACTION_COLUMNS, rows, disks.problems)


def cluster(
    partitions: Iterable[Partition], at_offset: int | None, at_ms: int | None, with_secrets: bool
) -> StateTable:
    """The table of `LogDirectory.cluster`."""
    disks = Disks(partitions, Moment(at_offset, at_ms))
    rows = list(cluster_rows(disks, with_secrets=with_secrets))
    return StateTable("Cluster", CLUSTER_COLUMNS, rows, disks.problems)


__all__ = ["StateTable", "cluster", "groups", "topics", "transactions"]
