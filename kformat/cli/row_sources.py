"""The rows that verbs read: records of partitions, or rows of files of a declared format; `--as` chooses.

Damage ends a part, and the next follows: `Reading` reports it, and keeps its exit status.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import click

from kformat.cli import DATA, complain, remark, say
from kformat.cli.declared import files_of
from kformat.cli.reading import PassedOver, Starts, WhichRecords, opened
from kformat.columns.arrow import RecordBatch
from kformat.columns.scanning import Scan, scan
from kformat.errors import KformatError
from kformat.kafka.columns.arrow import arrow_schema
from kformat.kafka.columns.declared import DeclaredColumns
from kformat.kafka.log.partition import Partition

_MOST_LEFT_OUT: Final = 5
"""How many left-out columns are named on standard error; the rest is counted."""

_Item = TypeVar("_Item")


def names_of(columns: str | None) -> tuple[str, ...] | None:
    """The names of columns that a call gives, separated by commas."""
    return None if columns is None else tuple(filter(None, map(str.strip, columns.split(","))))


class Reading:
    """Reads the parts of a call, one after the other.

    ``flush`` is called before anything goes to standard error.

    Attributes:
        statuses: exit statuses so far.
        passed: what was passed over.
        failed_count: the parts that could not be read to their ends.
    """

    def __init__(self, on_corrupt: str, flush: Callable[[], object] = lambda: None) -> None:
        self.statuses, self.failed_count, self._flush = [0], 0, flush
        self.passed = PassedOver(on_corrupt, self.statuses, flush)

    def complain(self, error: BaseException) -> None:
        """Report an error, and keep its exit status."""
        self._flush()
        self.statuses.append(complain(error))

    def guarded(self, items: Iterable[_Item], finish: Callable[[], object] = lambda: None) -> Iterator[_Item]:
        """The items of a part; if reading fails, call ``finish`` and report the error."""
        try:
            yield from items
        except BrokenPipeError:
            raise
        except (KformatError, OSError) as error:
            finish()
            self.failed_count += 1
            self.complain(error)

    def end(self, files_count: int = 0, *, is_found: bool = True) -> NoReturn:
        """Say what was passed over, and in how many of some files reading failed; end with the exit status."""
        self._flush()
        self.passed.end()
        self.remark_failed(files_count)
        click.get_current_context().exit(max(self.statuses) or (0 if is_found else DATA))

    def remark_failed(self, files_count: int) -> None:
        """Say in how many of several files reading failed."""
        if self.failed_count and files_count > 1:
            are = "is" if self.failed_count == 1 else "are"
            remark(f"{self.failed_count} of {files_count} files {are} damaged, or cannot be read")


class PartitionRowPart(NamedTuple):
    """The records of a partition; ``how`` are arguments of `Partition.record_batches`."""

    partition: Partition
    declared: DeclaredColumns
    how: dict[str, Any]

    @property
    def name(self) -> str:
        """The partition's path."""
        return str(self.partition.path)

    def batches(self) -> Iterator[RecordBatch]:
        """The records."""
        yield from self.partition.record_batches(value_as=self.declared, **self.how)


class PartitionRecords:
    """The records of the partitions below some paths: a `kformat.columns.row_source.RowSource`."""

    def __init__(
        self, paths: Sequence[str], declared: DeclaredColumns, which: WhichRecords, run: Reading, *, threads: int = 1
    ) -> None:
        """Raise UsageError for a column, or a topic of a layout, that is not there."""
        self.declared, self.schema = declared, arrow_schema(declared.columns, declared=declared)
        self._which, self._starts = which, Starts(run.statuses)
        self._how = {"threads": threads, **which.bounds, **run.passed.options}
        partitions = opened(paths, run.statuses)
        first = list(partitions if declared.has_topics else itertools.islice(partitions, 1))
        if declared.has_topics and first:
            declared.check_topics(partition.topic for partition in first)
        self.is_empty = not first
        self._partitions = itertools.chain(first, partitions)

    def parts(self) -> Iterator[PartitionRowPart]:
        """The partitions; where each starts is reported first."""
        for partition in self._partitions:
            self._starts.say(partition, self._which.from_offset, self._which.to_offset)
            yield PartitionRowPart(partition, self.declared, self._how)


class FileRowPart(NamedTuple):
    """The rows of a file."""

    file: Any
    rows: FileRows

    @property
    def name(self) -> str:
        """The path, or the name of standard input."""
        return self.file if isinstance(self.file, str) else str(self.file.name)

    def batches(self, columns: tuple[str, ...] | None = None) -> Iterator[RecordBatch]:
        """The rows, by default with the columns of the call."""
        yield from self.rows.scan(self.file, self.rows.columns if columns is None else columns)


class FileRows:
    """The rows of files of a declared format: a `kformat.columns.row_source.RowSource`.

    Attributes:
        plan: the scan of no file; it has the columns.
        files: what `opened` opened.
    """

    def __init__(
        self, declaration: str, row: str | None, columns: Sequence[str] | None, run: Reading, **how: Any
    ) -> None:
        """``how`` are arguments of `kformat.scan`. Raise UsageError for a row, or a column, that is not there."""
        self.declaration, self.row, self.columns = declaration, row, columns
        self._how = how | run.passed.options
        self.plan = self.scan((), columns)
        self.schema, self.files = self.plan.schema, list[Any]()

    def scan(self, file: Any, columns: Sequence[str] | None) -> Scan:
        """The rows of a file, with other columns."""
        return scan(file, self.declaration, self.row, columns, **self._how)

    @contextlib.contextmanager
    def opened(self, paths: Sequence[str]) -> Iterator[FileRows]:
        """The source with the files of some paths; see `files_of`."""
        with files_of(paths, self.declaration) as self.files:
            yield self

    @property
    def is_empty(self) -> bool:
        """Whether there are no files."""
        return not self.files

    def parts(self) -> Iterator[FileRowPart]:
        """The files."""
        return (FileRowPart(file, self) for file in self.files)

    def remark_left_out(self) -> None:
        """Say what of the rows has no column."""
        lines = [f"left out: {path}: {reason}" for path, reason in self.plan.left_out.items()]
        more = len(lines) - _MOST_LEFT_OUT
        for line in [*lines[:_MOST_LEFT_OUT], *([f"left out: {more} more"] if more > 0 else [])]:
            remark(line)

    def remark_rows(self, rows_count: int) -> None:
        """Say how many rows there were, and their path and type."""
        of = f" of {len(self.files)} files" if len(self.files) > 1 else ""
        remark(f"{rows_count} row{'s' * (rows_count != 1)}{of}: {self.plan.row} ({self.plan.row_type})")


def remark_refused(declared: DeclaredColumns) -> None:
    """Say how many values and keys did not parse."""
    for line in declared.remarks():
        say(f"kformat: {line}")


__all__ = ["FileRows", "PartitionRecords", "Reading", "names_of", "remark_refused"]
