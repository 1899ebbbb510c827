"""What `kformat export` writes: records of partitions, or rows of files of a declared format, by one protocol."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from kformat.cli import remark, say
from kformat.cli.declared import files_of
from kformat.cli.reading import PassedOver, Starts, WhichRecords, opened
from kformat.cli.tables import FileWriter
from kformat.columns.arrow import RecordBatch, file_writer
from kformat.columns.scanning import scan
from kformat.kafka.columns.arrow import arrow_schema
from kformat.kafka.columns.arrow import file_writer as records_writer
from kformat.kafka.columns.declared import DeclaredColumns

_MOST_LEFT_OUT: Final = 5
"""Columns that are left out, on standard error; of more it says how many."""


class RowSource(Protocol):
    """Rows of one schema, in parts: partitions, or files.

    Attributes:
        schema: the `pyarrow.Schema` of all rows.
        is_empty: whether no part could be opened.
    """

    schema: Any
    is_empty: bool

    @property
    def file_writer(self) -> FileWriter:
        """What makes a writer of them to Parquet or Arrow."""

    def parts(self) -> Iterator[Iterable[RecordBatch]]:
        """The rows of each part; KformatError and OSError while one is read end that part alone."""

    def end(self, failed_count: int) -> None:
        """Say on standard error what was found on the way; so many parts could not be read to their ends."""

    def sum_up(self, rows_count: int) -> None:
        """Say how many rows there were."""


class PartitionRecords:
    """The records of the partitions below some paths."""

    def __init__(
        self,
        paths: Sequence[str],
        declared: DeclaredColumns,
        which: WhichRecords,
        passed: PassedOver,
        statuses: list[int],
        *,
        threads: int,
    ) -> None:
        self.declared, self.which, self.passed, self.threads = declared, which, passed, threads
        self.schema = arrow_schema(declared.columns, declared=declared)
        self._starts = Starts(statuses)
        partitions = opened(paths, statuses)
        first = list(partitions if declared.has_topics else itertools.islice(partitions, 1))
        if declared.has_topics and first:
            declared.check_topics(partition.topic for partition in first)
        self.is_empty = not first
        self._partitions = itertools.chain(first, partitions)

    @property
    def file_writer(self) -> FileWriter:
        """Which of Kafka's columns are repetitive it knows."""
        return records_writer

    def parts(self) -> Iterator[Iterable[RecordBatch]]:
        """The records of each partition."""
        for partition in self._partitions:
            self._starts.say(partition, self.which.from_offset, self.which.to_offset)
            how = {**self.which.bounds, **self.passed.options}
            yield partition.record_batches(value_as=self.declared, threads=self.threads, **how)

    def end(self, failed_count: int) -> None:
        """Say of values that did not parse how many there were."""
        for line in self.declared.remarks():
            say(f"kformat: {line}")

    def sum_up(self, rows_count: int) -> None:
        """Say nothing: records go through pipes."""


class FileRows:
    """The rows of some files of a declared format."""

    def __init__(
        self,
        paths: Sequence[str],
        declaration: str,
        row: str | None,
        columns: Sequence[str] | None,
        stack: contextlib.ExitStack,
        **how: Any,
    ) -> None:
        """``how`` are arguments of `kformat.scan`; standard input is kept until ``stack`` is closed."""
        self._scan = lambda files: scan(files, declaration, row, columns, **how)
        self._all = self._scan(())
        self.schema = self._all.schema
        self.files = stack.enter_context(files_of(paths, declaration))
        self.is_empty = not self.files

    @property
    def file_writer(self) -> FileWriter:
        """It knows nothing of the columns."""
        return file_writer

    def parts(self) -> Iterator[Iterable[RecordBatch]]:
        """The rows of each file."""
        return map(self._scan, self.files)

    def end(self, failed_count: int) -> None:
        """Say which columns there are not, and how many files could not be read to their ends."""
        for line in about_left_out(self._all.left_out):
            remark(line)
        if failed_count and len(self.files) > 1:
            remark(about_failed(failed_count, len(self.files)))

    def sum_up(self, rows_count: int) -> None:
        """Say how many rows there were, and which these are."""
        of = f" of {len(self.files)} files" if len(self.files) > 1 else ""
        remark(f"{rows_count} row{'s' * (rows_count != 1)}{of}: {self._all.row} ({self._all.row_type})")


def about_failed(failed_count: int, files_count: int) -> str:
    """What is said at the end of files that could not be read to their ends."""
    return f"{failed_count} of {files_count} files {'is' if failed_count == 1 else 'are'} damaged, or cannot be read"


def about_left_out(left_out: dict[str, str]) -> list[str]:
    """What is said of columns that there are not."""
    lines = [f"left out: {path}: {reason}" for path, reason in left_out.items()]
    more = len(lines) - _MOST_LEFT_OUT
    return [*lines[:_MOST_LEFT_OUT], *([f"left out: {more} more"] if more > 0 else [])]


__all__ = ["FileRows", "PartitionRecords", "RowSource"]
