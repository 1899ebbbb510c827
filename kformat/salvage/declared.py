"""Save the sound rows of files of any declared format, with what stands around them.

    report = kformat.salvage_files(["flight.fdr"], "fdr.ksy", "saved")
    report.summary()                    # a line for each file
    report.as_dict()                    # every range of bytes of every file, and what became of it

Rules:

* Files are only read; a sound one comes out as it is. What is saved is planned before anything is written.
* The rows are those that `kformat.scan` reads with ``on_corrupt="skip"``, byte for byte. Whole rows that nothing leads
  to go to ``unplaced/`` in the destination.
* What is around the rows is built again from its values: counts, lengths, checksums and positions (``-derive``) are
  those of the rows that are left. What comes after the rows and cannot be read is built from what follows from them.
* Where that is not enough, what is in front of the rows is kept as it is, and nothing stands after them; the report
  says why.
* What is written is checked before it gets its name (`kformat.check`); the report has the errors that are left.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.check.declared_files import declared_findings
from kformat.codec.builder.written_rows import WrittenRows
from kformat.codec.building import around_rows
from kformat.codec.sliding import Block, Stretch
from kformat.codec.values import Value
from kformat.columns.built_rows import given_with
from kformat.columns.plan import POSITION, Plan, plan_of
from kformat.columns.resync import LostBytes
from kformat.columns.rows import Rows, find, is_one_list
from kformat.columns.scanning import MOST_HELD, ValueStream
from kformat.columns.skipped import UnplacedRows
from kformat.errors import BuildError, ChecksumError, DataError, KformatError, LimitError, UsageError
from kformat.language.program import TypeProgram, load_type
from kformat.salvage.saving import REPORT_FILE, UNPLACED
from kformat.storage.address import base_name, is_address, local_path
from kformat.storage.atomic_write import atomic_write, filling, sync_folder
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

FILE_COLUMNS: Final = (
    "file",
    "bytes",
    "rows_count",
    "saved_bytes",
    "lost_bytes",
    "lost_ranges",
    "unplaced_rows",
    "errors_left",
)
"""Of each line of `FilesReport.summary`. ``saved_bytes`` and ``lost_bytes`` are those of the rows and between them;
``errors_left``: what `kformat.check` finds in what is written; None: nothing is written."""


@dataclass(frozen=True)
class FileRange:
    """A range of bytes of a file, and what becomes of it: ``around`` the rows, ``saved``, ``lost`` or ``unplaced``.

    ``rows_count``: how many whole rows it has; of lost bytes None.
    """

    position: int
    end_position: int
    outcome: str
    rows_count: int | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The range as an object for JSON."""
        return dict(vars(self))


@dataclass
class FileReport:
    """What becomes of a file.

    Attributes:
        name: what it is called in the destination.
        ranges: all its bytes, in order; unplaced rows stand after the lost bytes in which they are.
        problems: what is wrong around the rows.
        remarks: what of that could not be built again.
        errors_left: how many errors `kformat.check` finds in what is written; None: nothing is written.
    """

    file: str
    name: str
    size: int
    ranges: list[FileRange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    errors_left: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, in the rows or around them."""
        return not self.problems and not self.remarks and all(one.outcome in ("around", "saved") for one in self.ranges)

    def summary(self) -> dict[str, Any]:
        """A line for the file, with `FILE_COLUMNS`."""
        sizes = dict.fromkeys(("saved", "lost"), 0)
        for one in self.ranges:
            if one.outcome in sizes:
                sizes[one.outcome] += one.end_position - one.position
        rows = {outcome: self._rows(outcome) for outcome in ("saved", "unplaced")}
        lost = sum(one.outcome == "lost" for one in self.ranges)
        line = (self.file, self.size, rows["saved"], sizes["saved"], sizes["lost"], lost, rows["unplaced"])
        return dict(zip(FILE_COLUMNS, (*line, self.errors_left), strict=True))

    def _rows(self, outcome: str) -> int:
        return sum(one.rows_count or 0 for one in self.ranges if one.outcome == outcome)

    def as_dict(self) -> dict[str, Any]:
        """The summary, the ranges, and what is wrong, as an object for JSON."""
        ranges = [one.as_dict() for one in self.ranges]
        return self.summary() | {"problems": self.problems, "remarks": self.remarks, "ranges": ranges}


@dataclass
class FilesReport:
    """What becomes of files. ``unread``: the errors of those that could not be read."""

    files: list[FileReport]
    unread: list[KformatError | OSError] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether all files were read, and nothing of them is lost."""
        return not self.unread and all(file.is_whole for file in self.files)

    def summary(self) -> list[dict[str, Any]]:
        """A line for each file, with `FILE_COLUMNS`."""
        return [file.summary() for file in self.files]

    def as_dict(self) -> dict[str, Any]:
        """Everything, as an object for JSON."""
        return {"files": [file.as_dict() for file in self.files], "unread": [str(error) for error in self.unread]}


def salvage_files(
    paths: Any,
    format: Any,
    destination: str | os.PathLike[str] | None,
    *,
    row: str | None = None,
    dry_run: bool = False,
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
) -> FilesReport:
    """Save the sound rows of files of a declared format, and what stands around them, into a new folder.

    Args:
        paths: a path, or several; only read. A file has to fit in memory (256 MiB).
        format, row: as for `kformat.scan`. The rows have to be one list.
        destination: a folder that is empty or does not exist; None only with ``dry_run``.
        dry_run: report, and write nothing.
        inflate_limit: as for `kformat.parse`.

    Raises:
        UsageError: there are no such rows, or they are several lists; two files have one name; the destination is not
            empty.
        DeclarationError: as `kformat.parse`, for the format.
        OSError: nothing can be written. A file that cannot be read is in `FilesReport.unread`.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) or hasattr(paths, "read") else list(paths)
    root = load_type(format)
    rows = find(root, row)
    if not is_one_list(rows):
        words = "the rows of several lists, or in a part with a size of its own, are not saved"
        raise UsageError(f"{root.name}.{rows}: {words}")
    folder = None if destination is None else Path(local_path(os.fspath(destination)))
    if folder is None and not dry_run:
        raise UsageError("destination is missing")
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty: salvage writes into a new folder")
    report = FilesReport([])
    if dry_run or folder is None:
        for _ in _saved(several, root, rows, row, inflate_limit, report):
            pass
        return report
    with filling(folder):
        for file, data, unplaced in _saved(several, root, rows, row, inflate_limit, report):
            for place, content in ((folder, data), (folder / UNPLACED, unplaced)):
                if content:
                    (place / file.name).parent.mkdir(parents=True, exist_ok=True)
                    atomic_write(place / file.name, content)
        atomic_write(folder / REPORT_FILE, json.dumps(report.as_dict(), indent=1).encode() + b"\n")
        sync_folder(folder)
    return report


def _saved(
    paths: Sequence[Any], root: TypeProgram, rows: Rows, row: str | None, inflate_limit: int, report: FilesReport
) -> Iterator[tuple[FileReport, bytes | None, bytes]]:
    """For each file what is reported and written: its bytes, None if it has no row, and those of unplaced rows."""
    for name, path in _named(paths).items():
        try:
            with ByteSource(path) as source:
                if source.size > MOST_HELD:
                    message = f"has {source.size} bytes, and is not saved: at most {MOST_HELD} are in memory at once"
                    raise LimitError(message, source=source.name)
                file = _SavedFile(source, root, rows, name, inflate_limit)
                file.read()
                data = file.made(row)
        except (DataError, OSError) as error:
            report.unread.append(error)
            continue
        report.files.append(file.report)
        yield file.report, data, file.unplaced


def _named(paths: Sequence[Any]) -> dict[str, Any]:
    """Files by their names in the destination: their own, or with the folders in which they differ. UsageError."""
    places = [os.fspath(path) if isinstance(path, str | os.PathLike) else str(path.name) for path in paths]
    names = [base_name(str(place)) for place in places]
    if len(set(names)) < len(names) and not any(map(is_address, places)):
        above = os.path.commonpath([os.path.dirname(os.path.abspath(place)) for place in places])
        names = [os.path.relpath(os.path.abspath(place), above) for place in places]
    for name, place in zip(names, places, strict=True):
        if names.count(name) > 1 or name.split(os.sep)[0] in (UNPLACED, REPORT_FILE):
            words = "is there twice" if names.count(name) > 1 else "is a name of salvage's own"
            raise UsageError(f"{place}: {name} {words}: save each into a folder of its own")
    return dict(zip(names, paths, strict=True))


class _SavedFile:
    """A file that is saved."""

    def __init__(self, source: ByteSource, root: TypeProgram, rows: Rows, name: str, inflate_limit: int) -> None:
        self.source, self.root, self.rows, self.inflate_limit = source, root, rows, inflate_limit
        self.report = FileReport(source.name, name, source.size)
        self.data = source.read_at(0, source.size)
        self.value: Value | None = None
        self.begin: int | None = None
        """Where the list begins; None if there is nothing of it."""
        self.end = 0
        self.runs: list[list[int]] = []
        """Where sound rows next to each other begin and end."""
        self.starts: list[int] = []
        self.problems: list[DataError] = []
        self.unproved: list[DataError] = []
        """The wrong checksums around the rows."""
        self.unplaced = b""
        self.unplaced_rows: list[UnplacedRows] = []

    def read(self) -> None:
        """Find the sound rows, and what is wrong."""
        plan: Plan = plan_of(self.rows, [POSITION], "numbers")
        how: dict[str, Any] = {"inflate_limit": self.inflate_limit, "trailing": "error", "checksums": True}
        stream = ValueStream(self.source, self.rows, columns=plan, with_blocks=True, leaves_rows=True, **how)
        items = stream.items()
        sent: Any = None
        while True:
            try:
                value, position, index, holder, _ = items.send(sent)
            except StopIteration:
                break
            sent = None
            if isinstance(value, Block):
                assert stream.fixed is not None
                sent = stream.fixed.sound(stream.fixed.rows(*value))
                self._run(position, position + sent * stream.fixed.size, index, sent, stream)
                self.starts += range(position, position + sent * stream.fixed.size, stream.fixed.size)
            elif isinstance(value, Stretch):
                made, sent = stream.decoded(value, position, index, holder)
                if made is not None and sent[0]:
                    self._run(position, position + sent[1], index, sent[0], stream)
                    self.starts += made.column(POSITION).to_pylist()
            elif isinstance(value, LostBytes):
                self._lost(value)
            elif isinstance(value, DataError):
                self.problems.append(value)
                if position is not None:
                    self._begins(position)
                self.end = max(self.end, stream.end)
            elif position is not None:
                self._run(position, stream.end, index, 1, stream)
                self.starts.append(position)
        self.value = stream.around or stream.root
        self.end = max(self.end, stream.end, self.runs[-1][1] if self.runs else 0)

    def _run(self, start: int, end: int, index: int, count: int, stream: ValueStream) -> None:
        """Sound rows from a position to another."""
        if not count:
            return
        stream.passed(index + count)
        self._begins(start)
        if self.runs and self.runs[-1][1] == start:
            self.runs[-1][1] = end
        else:
            self.runs.append([start, end])

    def _begins(self, position: int) -> None:
        self.begin = position if self.begin is None else min(self.begin, position)

    def _lost(self, piece: LostBytes) -> None:
        is_in_rows = self.rows.holds(piece.problem.path) and piece.position < piece.end_position
        if not is_in_rows:  # in front of them, or after them
            self.report.problems.append(str(piece.problem))
            self.unproved += [piece.problem] if isinstance(piece.problem, ChecksumError) else []
            if piece.rows != "none":
                self._begins(piece.end_position)
            self.unplaced_rows += piece.unplaced
            return
        self._begins(piece.position)
        self.problems.append(piece.problem)
        self.end = max(self.end, piece.end_position)
        self.unplaced_rows += piece.unplaced

    def made(self, row: str | None) -> bytes | None:
        """What is written; notes what becomes of all ranges of bytes."""
        self._note_ranges()
        self.unplaced = b"".join(self.data[one.position : one.end_position] for one in self.unplaced_rows)
        if self.problems and all(one.outcome != "lost" for one in self.report.ranges):
            self.report.problems.append(str(self.problems[0]))
        if not self.runs and not self.report.is_whole:
            self.report.remarks.append("no row can be read: nothing is written")
            return None
        data = self.data if self.report.is_whole else self._built()
        findings = declared_findings(data, self.root, row, self.inflate_limit, "error")
        self.report.errors_left = sum(finding.severity == "error" for finding in findings)
        return data

    def _note_ranges(self) -> None:
        ranges, size = self.report.ranges, self.source.size
        begin = size if self.begin is None else self.begin
        if begin:
            ranges.append(FileRange(0, begin, "around"))
        at, counted = begin, 0
        for start, end in [*self.runs, [self.end, self.end]]:
            if at < start:
                problem = next((error for error in self.problems if (error.position or 0) >= at), None)
                problem = problem or (self.problems[-1] if self.problems else None)
                ranges.append(FileRange(at, start, "lost", reason="" if problem is None else _words(problem)))
                inside = [one for one in self.unplaced_rows if at <= one.position < start]
                ranges += [FileRange(one.position, one.end_position, "unplaced", one.rows_count) for one in inside]
            if start < end:
                before = counted
                while counted < len(self.starts) and self.starts[counted] < end:
                    counted += 1
                ranges.append(FileRange(start, end, "saved", counted - before))
            at = max(at, end)
        if at < size and self.begin is not None:
            ranges.append(FileRange(at, size, "around"))

    def _built(self) -> bytes:
        """The rows, and what stands around them, built again."""
        parts = [memoryview(self.data)[start:end] for start, end in self.runs]
        gaps = np.array([0, *(end - start for start, end in self.runs)]).cumsum() - [
            *(start for start, _ in self.runs),
            0,
        ]
        starts = np.array(self.starts)
        run = np.searchsorted([end for _, end in self.runs], starts, side="right")
        starts = starts + gaps[run]  # in the joined bytes
        rows = WrittenRows(parts, starts.tolist())
        for error in self.unproved:
            path = error.path
            self.report.remarks.append(f"{path} did not match, and is computed again: what it covers is not proved")
        problem: BuildError | None = None
        for is_whole in (True, False):  # what comes after the rows may be worth nothing
            try:
                return around_rows(self.root, given_with(self.value, self.rows.path, rows, is_whole=is_whole))
            except BuildError as error:
                problem = problem or error
        self.report.remarks.append(f"what is around the rows is not built again: {problem}")
        return b"".join([self.data[: self.begin], *parts])


def _words(error: DataError) -> str:
    return str(error).removeprefix(error.place).lstrip(" :")


__all__ = ["FILE_COLUMNS", "FileRange", "FileReport", "FilesReport", "salvage_files"]
