"""A broker's folder of partitions: all of them by name, and their records as one table.

    root = kformat.open_root("/data/kafka-logs")
    root["orders-0"], root["orders", 0]        # a `Partition`, listed on first access
    for partition in root: ...                 # by topic and partition
    root.partitions.topics                     # ('orders', ...)
    root.select("orders*", exclude="*-dlq")    # fewer of them
    root.groups()                              # how far they had read
    root.to_arrow(["topic", "offset", "value"], since="2023-11-14")

A `LogDirectory`, like a `Partition`, is a snapshot of the listing: open it again to see new folders.
`kformat.iter_partitions` defines which folders are its partitions. Its own files (checkpoints, `meta.properties`, the
marker of a clean shutdown) are `LogDirectory.others`.
"""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from kformat import times
from kformat.errors import UsageError, whole_number
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, RecordBatch, RecordBatchReader, Table, reader_of
from kformat.kafka.columns.declared import layouts_of
from kformat.kafka.damage.frames import DataFrame, ReadingOptions, pandas, polars
from kformat.kafka.files.checkpoints import checkpointed_offsets
from kformat.kafka.files.file_kinds import parse_folder_name, parse_remote_folder_name
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.log.display import root_html, root_line
from kformat.kafka.log.partition import OtherFile, Partition, open_partition, other_files, partition_paths
from kformat.language.mark import nearest
from kformat.storage.address import folder_name, is_dir, place

if TYPE_CHECKING:
    from kformat.kafka.state.tables import StateTable

_MOST_NUMBERS = 8
Name = str | tuple[str, int]
"""The name of a partition's folder, or topic and partition."""


class Partitions(Mapping[str, Partition]):
    """The partitions of a root: folder names, sorted by topic and partition -> `Partition`.

    (topic, partition) works as a key, too; if several folders match, it selects the one without a state (-delete,
    -future, -stray). Each is listed on first access; KeyError if it does not exist, otherwise raises as `kformat.open`.
    """

    def __init__(self, paths: Iterable[Path], left_out: Iterable[Path] = ()) -> None:
        self._left_out = {folder_name(path) for path in left_out}
        self._paths = {folder_name(path): path for path in paths}
        self._names: dict[tuple[str, int], str] = {}
        for name in self._paths:
            parsed = parse_folder_name(name) or parse_remote_folder_name(name)
            if parsed is not None:
                key = parsed.topic, parsed.partition
                self._names[key] = name if not parsed.state else self._names.get(key, name)
        self._opened: dict[str, Partition] = {}

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics, each once, sorted."""
        return tuple(sorted({topic for topic, _ in self._names}))

    def __getitem__(self, name: Name) -> Partition:
        key = name if isinstance(name, str) else self._names.get(name)
        if key not in self._paths:
            raise KeyError(self._hint(name))
        if key not in self._opened:
            self._opened[key] = open_partition(self._paths[key])
        return self._opened[key]

    def _hint(self, name: Any) -> str:
        topic = name if isinstance(name, str) else name[0] if isinstance(name, tuple) and name else name
        numbers = sorted(number for known, number in self._names if known == topic)
        if numbers:
            shown = ", ".join(map(str, numbers[:_MOST_NUMBERS])) + ", ..." * (len(numbers) > _MOST_NUMBERS)
            return (
                f"{name!r} is no partition: {topic} has {shown}; root[{topic!r}, {numbers[0]}], root.select({topic!r})"
            )
        if topic in self._left_out or any(folder.startswith(f"{topic}-") for folder in self._left_out):
            return f"{name!r:.100} is in the folder, and not among the chosen partitions"
        return f"no partition {name!r:.100}{nearest(str(topic), [*self._paths, *self.topics])}"

    def select(self, which: Chosen) -> Partitions:
        """The chosen ones; UsageError if there are some, and none is chosen."""
        return Partitions(which.of(list(self._paths.values())), self._paths.values())

    def __contains__(self, name: object) -> bool:
        return name in self._paths or name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __repr__(self) -> str:
        return f"<Partitions {', '.join(map(repr, self))}>"


@dataclass(frozen=True, repr=False, eq=False)
class LogDirectory:
    """A folder of partitions; `open_root` makes it.

    Iterating over it yields its partitions; ``root[name]`` and ``root[topic, number]`` are single ones, ``len(root)``
    is their number.

    Attributes:
        path: as opened.
        partitions: by the names of their folders, see `Partitions`.
        others: files and other entries that are not partition folders, sorted by name.
        choices: what chose the partitions; rows of the cluster's state are of the same ones.
    """

    path: Path
    partitions: Partitions
    others: tuple[OtherFile, ...]
    choices: tuple[Chosen, ...] = ()

    def __getitem__(self, name: Name) -> Partition:
        return self.partitions[name]

    def __contains__(self, name: object) -> bool:
        return name in self.partitions

    def select(
        self,
        topics: str | Iterable[str] | None = None,
        *,
        exclude: str | Iterable[str] = (),
        partitions: int | Iterable[int] | None = None,
    ) -> LogDirectory:
        """The same folder with fewer partitions: those of topics with these names or patterns (``orders*``), not with
        those, and of these numbers.

        Raises UsageError if there are partitions and none of them is chosen.
        """
        which = chosen(topics, exclude, partitions)
        return replace(self, partitions=self.partitions.select(which), choices=(*self.choices, which))

    def __iter__(self) -> Iterator[Partition]:
        return iter(self.partitions.values())

    def __len__(self) -> int:
        return len(self.partitions)

    def offsets(self, name: str) -> dict[tuple[str, int], int]:
        """Read an offset checkpoint: (topic, partition) -> offset; empty if the file does not exist.

        Raises OSError if it cannot be read, DataError if it is damaged. Kafka treats such a file as empty.
        """
        return dict(checkpointed_offsets(self.path, name))

    def topics(self, *, at_offset: int | None = None, at_time: times.Moment | None = None) -> StateTable:
        """The topics of the cluster, a row for each partition that its metadata or a folder has; see `kformat topics`.

        Columns: ``topic``, ``topic_id``, ``partition``, ``leader``, ``leader_epoch``, ``partition_epoch``,
        ``replicas``, ``isr``, ``elr``, ``adding_replicas``, ``removing_replicas``, ``directories``, ``folder``,
        ``log_start_offset``, ``log_end_offset``, ``state``, ``configs``, ``created_timestamp``, ``deleted_timestamp``
        (ms since 1970).

        ``at_offset``, ``at_time``: as of this offset of the metadata log, or this time, both inclusive. DataError
        if the log does not go back to it, and for damage in the log; OSError.
        """
        return self._chosen_rows(_state().topics(self._every(), *_moment(at_offset, at_time)))

    def cluster(
        self, *, at_offset: int | None = None, at_time: times.Moment | None = None, with_secrets: bool = False
    ) -> StateTable:
        """What the metadata log says of brokers, controllers, features, configurations, ACLs, quotas, users and the
        quorum; see `kformat cluster`.

        Columns, all strings: ``kind``, ``name``, ``property``, ``value``. ``with_secrets``: with the values of
        configurations that hold passwords or keys; credentials of users are never there.

        ``at_offset``, ``at_time``, and what is raised: as for `topics`.
        """
        return _state().cluster(self._every(), *_moment(at_offset, at_time), with_secrets)

    def groups(self, *, at_time: times.Moment | None = None) -> StateTable:
        """The groups of the cluster: committed offsets, members, and the lag to the log's end here; see `kformat
        groups`.

        Columns: ``group``, ``kind``, ``state``, ``topic``, ``partition``, ``current_offset``, ``log_end_offset``,
        ``lag``, ``consumer_id``, ``host``, ``client_id``, ``leader_epoch``, ``metadata``, ``commit_timestamp`` (ms
        since 1970), ``is_expired``, ``protocol``, ``members_count``.

        ``at_time``: as of this time, as far as compaction left it. DataError for damage; OSError;
        MissingDependencyError without pyarrow (extra ``arrow``).
        """
        return self._chosen_rows(_state().groups(self._every(), _moment(None, at_time)[1]))

    def transactions(self, *, at_time: times.Moment | None = None) -> StateTable:
        """The transactional ids of the cluster, a row for each partition of their transactions, and the transactions
        that are open in partitions; see `kformat transactions`.

        Columns: ``transactional_id``, ``coordinator_id``, ``producer_id``, ``producer_epoch``, ``coordinator_epoch``,
        ``state``, ``timeout_ms``, ``start_timestamp``, ``last_update_timestamp`` (ms since 1970), ``topic``,
        ``partition``, ``start_offset`` (of a transaction that is open there), ``last_timestamp``,
        ``last_stable_offset``, ``log_end_offset``, ``is_hanging`` (None where these disks cannot say).

        ``at_time``: as of this time, as far as compaction left it. DataError for damage; OSError.
        """
        return self._chosen_rows(_state().transactions(self._every(), _moment(None, at_time)[1]))

    def _every(self) -> Iterator[Partition]:
        """All partitions of the folder: the cluster's state is in Kafka's own topics, whatever is chosen."""
        return map(open_partition, partition_paths(self.path, all_states=True))

    def _chosen_rows(self, table: StateTable) -> StateTable:
        return table.where(lambda row: all(which.takes_row(row) for which in self.choices))

    def record_batches(
        self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[ReadingOptions]
    ) -> RecordBatchReader:
        """The records of all partitions as a stream of Arrow record batches, one partition after the other.

        The columns ``topic`` and ``partition`` identify the partition; columns, other arguments and exceptions are
        those of `Partition.record_batches`.
        """
        if columns is not DEFAULT_COLUMNS:
            columns = [columns] if isinstance(columns, str) else list(columns)
        for name in ("value_as", "key_as"):  # the columns are those of all topics
            if name in options:
                options[name] = layouts_of(options[name], name)
        # Wrong arguments raise at once, even if there is no partition.
        schema = Partition(self.path, "", -1, "", (), ()).record_batches(columns, **options).schema

        def batches() -> Iterator[RecordBatch]:
            for partition in self:
                yield from partition.record_batches(columns, **options)

        return reader_of(schema, batches())

    def to_arrow(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[ReadingOptions]) -> Table:
        """The records of all partitions as one Arrow table in memory; see `record_batches`."""
        return self.record_batches(columns, **options).read_all()

    def to_pandas(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[ReadingOptions]) -> DataFrame:
        """The records as a ``pandas.DataFrame``; MissingDependencyError without pandas (extra ``pandas``)."""
        pandas()
        return self.to_arrow(columns, **options).to_pandas()

    def to_polars(self, columns: Iterable[str] = DEFAULT_COLUMNS, **options: Unpack[ReadingOptions]) -> DataFrame:
        """The records as a ``polars.DataFrame``; MissingDependencyError without polars (extra ``polars``)."""
        library = polars()
        return library.from_arrow(self.to_arrow(columns, **options))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface, for ``polars.from_arrow(root)``, ``duckdb.from_arrow`` and others."""
        return self.record_batches().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Root {root_line(self.path, self.partitions, len(self.partitions.topics))}>"

    def _repr_html_(self) -> str:
        return root_html(repr(self)[6:-1], self.partitions)


def open_root(
    path: str | os.PathLike[str],
    *,
    all_states: bool = False,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
) -> LogDirectory:
    """List a folder of partitions, local, in an archive or at an address; no partition is opened yet.

    Args:
        path: the folder: a broker's `log.dir` or any other folder of partition folders, possibly still empty.
        all_states: include folders with a state (-delete, -future, -stray).
        topics, exclude, partitions: as for `LogDirectory.select`.

    Raises UsageError for a partition's folder (use `kformat.open`), and if nothing is chosen; NotADirectoryError for a
    file, FileNotFoundError if there is nothing; OSError if the folder cannot be read.
    """
    root = place(path)
    if not is_dir(root):
        code = errno.ENOTDIR if root.exists() else errno.ENOENT
        raise OSError(code, os.strerror(code), str(root))
    paths = partition_paths(root, all_states=all_states)
    if paths == [root]:
        raise UsageError(f"{root}: a partition's folder; kformat.open opens it")
    which = chosen(topics, exclude, partitions)
    return LogDirectory(root, Partitions(which.of(paths), paths), other_files(root), (which,))


def _moment(at_offset: int | None, at_time: times.Moment | None) -> tuple[int | None, int | None]:
    if at_offset is not None and at_time is not None:
        raise UsageError("at_offset and at_time do not go together")
    if at_offset is not None and whole_number(at_offset, "at_offset") < 0:
        raise UsageError(f"no offset is {at_offset}")
    if at_time is None:
        return at_offset, None
    time_ms = times.milliseconds(at_time)
    if not MIN_INT64 <= time_ms <= MAX_INT64:
        raise UsageError(f"{time_ms} is not a time: ms since 1970 of 64 bits are expected")
    return at_offset, time_ms


def _state() -> Any:
    """Loaded late: it brings the schemas of Kafka's messages."""
    return importlib.import_module("kformat.kafka.state.tables")


__all__ = ["LogDirectory", "Partitions", "open_root"]
