"""``format("kformat")``: PySpark's Python Data Source API over ``plan`` and ``scan``, and nothing else; ``sink``
writes.

Spark creates the source once for each ``load`` (``schema``), asks it for a reader once for each plan (``reader``,
``partitions``), both in a planner process next to the driver, and calls ``read`` in a worker for each partition and
attempt. Classes are passed by reference, everything else by pickle. Errors of a planner reach the user as an
AnalysisException, errors of a worker as a PythonException, each with our message.

Spark imports this module when it looks for data sources, so it loads nothing heavy that Spark has not loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import pyspark

from kformat.errors import UsageError
from kformat.kernels.readiness import start_no_process
from kformat.spark import declared
from kformat.spark.collecting import forget_what_is_imported
from kformat.spark.connect import check_version
from kformat.spark.options import Request, SplitReading, parse_options, parse_table
from kformat.spark.plan import LOG, Condition, plan
from kformat.spark.scan import scan
from kformat.spark.sink import KformatStreamWriter, KformatWriter
from kformat.spark.tables import choose
from kformat.spark.tail import Tail
from kformat.spark.target import Target, parse_target
from kformat.times import EPOCH

try:
    from pyspark.sql import datasource
    from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
except ImportError:
    check_version(pyspark.__version__)
    raise

try:
    from pyspark.sql.streaming import datasource as limits
except ImportError:  # before 4.2 streams have no limits, and no trigger that ends
    _TRIGGERS: tuple[type, ...] = ()
else:
    _TRIGGERS = (limits.SupportsTriggerAvailableNow,)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructField, StructType

_PUSHING_PLANNER: Final = "data_source_pushdown_filters"
"""Spark's module that asks a reader about filters. Other modules refuse a reader with this method, as long as
``spark.sql.python.filterPushdown.enabled`` is off."""

_OPERATORS: Final = {
    "EqualTo": "=",
    "EqualNullSafe": "=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "In": "in",
    "StringStartsWith": "starts",
    "StringEndsWith": "ends",
    "StringContains": "contains",
}
_COLUMNS: Final = ("topic", "partition", "offset", "timestamp")


class KformatDataSource(DataSource):
    """Segment directories as rows: records as Spark's Kafka source has them, batches, segments, or index entries; or
    the rows of files of any declared format.
    """

    @classmethod
    def name(cls) -> str:
        return "kformat"

    def schema(self) -> str:
        if declared.is_declared(self.options):
            return declared.sql_schema(declared.parse_declared(self.options).plan)
        return ", ".join(f"`{name}` {sql_type}" for name, sql_type in parse_table(self.options).types.items())

    def reader(self, schema: StructType) -> DataSourceReader:
        if declared.is_declared(self.options):
            wanted = declared.parse_declared(self.options)
            return DeclaredReader(wanted, declared.choose(wanted.plan, _types(schema)))
        asked = parse_options(self.options)
        columns = choose(asked.reading.rows, _types(schema), asked.reading.layout)
        caller = sys._getframe(1).f_globals
        module = getattr(caller.get("__spec__"), "name", None) or caller.get("__name__", "")
        kind = PushingReader if module.endswith(_PUSHING_PLANNER) else KformatReader
        return kind(asked, columns)

    def streamReader(self, schema: StructType) -> KformatStreamReader:
        if declared.is_declared(self.options):
            raise UsageError(
                f"option {declared.DECLARATION}: declared files are read once; streams follow Kafka's logs"
            )
        asked = parse_options(self.options, is_stream=True)
        if not _TRIGGERS and (asked.max_offsets is not None or asked.max_bytes is not None):
            raise UsageError("options maxOffsetsPerTrigger and maxBytesPerTrigger need Spark 4.2 or later")
        columns = choose(asked.reading.rows, _types(schema), asked.reading.layout)
        return KformatStreamReader(asked, columns)

    def writer(self, schema: StructType, overwrite: bool) -> KformatWriter:
        return KformatWriter(self._target(schema, overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> KformatStreamWriter:
        return KformatStreamWriter(self._target(schema, overwrite), schema)

    def _target(self, schema: StructType, overwrite: bool) -> Target:
        types = [(field.name, field.dataType.simpleString()) for field in schema.fields]
        return parse_target(self.options, types, overwrite=overwrite)


def _types(schema: StructType) -> list[tuple[str, str]]:
    return [(field.name, _sql_type(field)) for field in schema.fields]


def _sql_type(field: StructField) -> str:
    text = field.json()
    may_hold_no_null = '"nullable":false' in text or '"containsNull":false' in text
    return field.dataType.simpleString() + (" not null" if may_hold_no_null else "")


class KformatReader(DataSourceReader):
    """One Spark partition for each task of the plan."""

    def __init__(self, asked: Request, columns: Sequence[str]) -> None:
        self._asked = asked
        self._columns = tuple(columns)
        self._conditions: list[Condition] = []

    def partitions(self) -> Sequence[InputPartition]:
        if self._asked.unused:
            LOG.warning("of no effect, because there is no client: %s", ", ".join(self._asked.unused))
        tasks = plan(self._asked, self._conditions)
        LOG.info("%d tasks, %d bytes", len(tasks), sum(split.size_bytes for task in tasks for split in task))
        return [InputPartition(task) for task in tasks]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        return _rows(partition, self._columns, self._asked.reading)


def _rows(partition: InputPartition | None, columns: Sequence[str], reading: SplitReading) -> Iterator[pa.RecordBatch]:
    # Without tasks Spark makes a partition of its own: one without a value; before 4.2 it passes None.
    if partition is None or partition.value is None:
        return
    start_no_process()
    for split in partition.value:
        yield from scan(split, columns, reading)
    forget_what_is_imported()


class DeclaredReader(DataSourceReader):
    """The rows of declared files: one Spark partition for each task of `declared.tasks_of`."""

    def __init__(self, asked: declared.DeclaredRead, columns: Sequence[str]) -> None:
        self._asked, self._columns = asked, tuple(columns)

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(task) for task in declared.tasks_of(self._asked)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        if partition is None or partition.value is None:
            return
        start_no_process()
        schema = declared.arrow_schema(self._asked.plan, self._columns)
        for piece in partition.value:
            yield from declared.rows(piece, schema, self._asked)
        forget_what_is_imported()


class PushingReader(KformatReader):
    """A reader that gets the filters of a query. It leaves out rows by them, coarsely, and returns all filters, so that
    Spark applies them, too."""

    def pushFilters(self, filters: list[datasource.Filter]) -> Iterable[datasource.Filter]:
        self._conditions = [known for query_filter in filters if (known := condition(query_filter)) is not None]
        return filters


def condition(query_filter: datasource.Filter) -> Condition | None:
    """A filter as a condition on a column that planning uses; None if it is not one."""
    is_not = isinstance(query_filter, datasource.Not)
    inner = query_filter.child if isinstance(query_filter, datasource.Not) else query_filter
    operator = _OPERATORS.get(type(inner).__name__)
    if operator is None or (is_not and operator != "="):
        return None
    attribute, value = inner.attribute, inner.value  # type: ignore[attr-defined]
    if len(attribute) != 1 or attribute[0] not in _COLUMNS or value is None:
        return None
    if operator == "in":
        value = [item for item in value if item is not None]
    if attribute[0] == "timestamp":
        if is_not or operator not in ("=", ">", ">=", "<", "<="):
            return None
        value = _milliseconds(value, operator)
    return Condition(attribute[0], "!=" if is_not else operator, value)


def _milliseconds(moment: datetime, operator: str) -> int:
    """A time in ms, rounded so that no row is left out that the filter selects."""
    aware = moment if moment.tzinfo is not None else moment.astimezone(UTC)
    micros: int = (aware - EPOCH) // timedelta(microseconds=1)
    if operator in ("<", ">="):
        return -(-micros // 1000)
    return micros // 1000 + (1 if operator == ">" else 0)


class KformatStreamReader(DataSourceStreamReader, *_TRIGGERS):  # type: ignore[misc]
    """Partitions as they grow: `tail.Tail` in Spark's interface. Its offsets are the next to read, by partition."""

    def __init__(self, asked: Request, columns: Sequence[str]) -> None:
        self._asked = asked
        self._columns = tuple(columns)
        self._tail = Tail(asked)
        self._target: dict[str, int] | None = None

    def initialOffset(self) -> dict[str, int]:
        if self._asked.unused:
            LOG.warning("of no effect, because there is no client: %s", ", ".join(self._asked.unused))
        return self._tail.first()

    def getDefaultReadLimit(self) -> Any:
        if self._asked.max_offsets is not None:
            return limits.ReadMaxRows(self._asked.max_offsets)
        if self._asked.max_bytes is not None:
            return limits.ReadMaxBytes(self._asked.max_bytes)
        return limits.ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._tail.ends()

    def latestOffset(self, start: dict[str, int] | None = None, limit: Any = None) -> dict[str, int]:
        """The end of the next batch. Before Spark 4.2 there are no arguments, and no limit."""
        ends = self._tail.ends() if self._target is None else self._target
        if start is None:
            return ends
        return self._tail.until(
            start, ends, most_offsets=getattr(limit, "max_rows", None), most_bytes=getattr(limit, "max_bytes", None)
        )

    def reportLatestOffset(self) -> dict[str, int] | None:
        return self._tail.ends()

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [InputPartition(task) for task in self._tail.tasks(start, end)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        return _rows(partition, self._columns, self._asked.reading)
