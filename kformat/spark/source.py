"""``spark.read.format("kformat")``: PySpark's Python Data Source API over ``plan`` and ``scan``, and nothing else.

Spark creates the source once for each ``load`` (``schema``), asks it for a reader once for each plan (``reader``,
``partitions``), both in a planner process beside the driver, and calls ``read`` in a worker for each partition and
attempt. Classes travel by reference, everything else by pickle. What a planner raises reaches the user as an
AnalysisException, what a worker raises as a PythonException, each with our message.

This module is imported wherever Spark looks for data sources, so it loads nothing heavy that Spark has not.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from kformat.spark.plan import Request, choose, parse_options, plan
from kformat.spark.scan import scan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructField, StructType


class KformatDataSource(DataSource):
    """Segment directories as rows: ``records`` (as Spark's Kafka source has them), ``batches`` or ``index``."""

    @classmethod
    def name(cls) -> str:
        return "kformat"

    def schema(self) -> str:
        return ", ".join(f"`{name}` {sql_type}" for name, sql_type in parse_options(self.options).types.items())

    def reader(self, schema: StructType) -> KformatReader:
        asked = parse_options(self.options)
        return KformatReader(asked, choose(asked, [(field.name, _sql_type(field)) for field in schema.fields]))


def _sql_type(field: StructField) -> str:
    text = field.json()
    may_hold_no_null = '"nullable":false' in text or '"containsNull":false' in text
    return field.dataType.simpleString() + (" not null" if may_hold_no_null else "")


class KformatReader(DataSourceReader):
    """One Spark partition for each split."""

    def __init__(self, asked: Request, columns: Sequence[str]) -> None:
        self._asked = asked
        self._columns = tuple(columns)

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(split) for split in plan(self._asked.paths)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        # Where there are no splits Spark makes a partition of its own: one without a value, before 4.2 none at all.
        if partition is None or partition.value is None:
            return iter(())
        _forget_what_is_imported()
        return scan(partition.value, self._asked.rows, self._columns)


@cache
def _forget_what_is_imported() -> None:
    """Once in each worker: Spark collects garbage after every task, and what was imported by now is not worth a look.

    Halves what a task of few rows takes.
    """
    gc.freeze()
