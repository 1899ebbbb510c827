"""``df.write.format("kformat")`` and ``df.writeStream``: PySpark's writers over ``rolling`` and ``commit``, and nothing
else.

Spark makes a batch's writer once, in a planner process, and passes copies of it to tasks and to the commit: they share
the job's name. In a stream each batch has its own writer, and its commit another one, so messages carry the query's id,
which identifies a repeated batch.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyspark import TaskContext
from pyspark.sql import datasource
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from kformat.errors import UsageError
from kformat.spark.collecting import forget_what_is_imported
from kformat.spark.commit import (
    Staged,
    begin,
    commit,
    commit_batch,
    is_begun,
    locked,
    make_folder,
    new_job,
    remove_folders,
)
from kformat.spark.rolling import write_segments
from kformat.spark.target import Target

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row
    from pyspark.sql.datasource import DataSourceStreamArrowWriter as _StreamWriter
    from pyspark.sql.types import StructType
else:  # Spark 4.0 passes rows, not Arrow, to writers of streams
    _StreamWriter = getattr(datasource, "DataSourceStreamArrowWriter", datasource.DataSourceStreamWriter)

_HAS_ARROW: Final = hasattr(datasource, "DataSourceStreamArrowWriter")
_ROWS: Final = 10_000
"""How many rows become Arrow at a time."""
_QUERY: Final = "sql.streaming.queryId"
"""The local property of a task in which Spark keeps the id of the task's stream."""


@dataclass
class Written(WriterCommitMessage):
    """The segments that a task wrote, and its job or query."""

    job: str
    staged: list[Staged] = field(default_factory=list)


class KformatWriter(DataSourceArrowWriter):
    """Appends to logs, or overwrites them, all at once when all tasks are done."""

    def __init__(self, target: Target) -> None:
        self._target, self._job = target, new_job()
        with locked(target.root):  # a broker keeps the lock: fail before the work
            begin(target.root, self._job)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        return _write(iterator, self._target, self._job)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        commit(self._target.root, _staged(messages), overwrite=self._target.overwrite)
        remove_folders(self._target.root, self._job)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        remove_folders(self._target.root, self._job)


class KformatStreamWriter(_StreamWriter):
    """Appends each batch of a stream to logs, once."""

    def __init__(self, target: Target, schema: StructType) -> None:
        if target.overwrite:
            raise UsageError("a stream can only append; output mode complete is not supported")
        self._target, self._schema = target, schema

    def write(self, iterator: Iterator[Any]) -> Written:
        context = TaskContext.get()
        query = context.getLocalProperty(_QUERY) if context is not None else None
        job = query or new_job()
        begin(self._target.root, job)
        return _write(iterator if _HAS_ARROW else _as_arrow(iterator, self._schema), self._target, job)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        job = _job(messages)
        if job is not None:
            commit_batch(self._target.root, job, batchId, _staged(messages))

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        job = _job(messages)
        if job is not None and not is_begun(self._target.root, job, batchId):
            remove_folders(self._target.root, job)


def _as_arrow(rows: Iterator[Row], schema: StructType) -> Iterator[pa.RecordBatch]:
    """Convert rows to Arrow, by Spark's own conversion."""
    from pyspark.sql.conversion import LocalDataToArrowConversion

    while part := list(itertools.islice(rows, _ROWS)):
        yield from LocalDataToArrowConversion.convert(part, schema, False).to_batches()


def _write(rows: Iterator[pa.RecordBatch], target: Target, job: str) -> Written:
    """Do the work of one attempt of a task; if it fails it leaves nothing."""
    folder = make_folder(target.root, job)
    try:
        context = TaskContext.get()
        staged = write_segments(rows, target, folder, first_turn=context.partitionId() if context is not None else 0)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not staged:
        folder.rmdir()
    forget_what_is_imported()
    return Written(job, staged)


def _staged(messages: list[WriterCommitMessage | None]) -> list[Staged]:
    return [segment for message in messages if isinstance(message, Written) for segment in message.staged]


def _job(messages: list[WriterCommitMessage | None]) -> str | None:
    return next((message.job for message in messages if isinstance(message, Written)), None)
