"""`kformat reindex`: the two indexes of segments, made anew from their logs as Kafka's recovery makes them.

Rules:

* The log is read, never written. What a broker's recovery would cut from it stays; a broker that starts cuts it itself.
* An index gets its name when it is whole and on the disk: written beside, synced, renamed, and then the folder is
  synced. The time index comes first: a broker rebuilds what has no `.index`, but takes a missing `.timeindex` for one
  without entries.
* New files have the log's owner, group and mode, so that a broker can open what root has mended.
* Damage in front of which a log goes on is refused: its indexes stay as they are.
* The root's lock, where there is one, is held meanwhile, so that no broker starts on what is being changed.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from kformat.batches import BatchHeaders, iter_batches, read_batch_headers
from kformat.cli import UNSAFE, complain, one_line
from kformat.cli.output import Output, ProgressLine, output_options, write_rows
from kformat.cli.reading import opened
from kformat.errors import InvalidError, KformatError, TruncatedError
from kformat.filenames import parse_file_name
from kformat.framing import CURRENT_MAGIC
from kformat.indexing import (
    DEFAULT_INDEX_INTERVAL_BYTES,
    DEFAULT_PROFILE,
    PROFILES,
    Entries,
    EntryArray,
    IndexedBatches,
    recovered_entries,
)
from kformat.partition import Segment
from kformat.places import local_path
from kformat.source import ByteSource

_COLUMNS: Final = (
    "partition",
    "file",
    "batches_count",
    "offset_index",
    "offset_index_entries",
    "time_index",
    "time_index_entries",
    "remark",
)
_SUFFIXES: Final = {"time_index": "timeindex", "offset_index": "index"}
"""In the order in which they get their names."""
_BESIDE: Final = ".tmp"
_LOCK_FILE: Final = ".lock"


@click.command("reindex")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR...")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default=DEFAULT_PROFILE,
    show_default=True,
    help="Whose rules: first-offset for brokers up to 1.1; a rebuild is the same for all later ones.",
)
@click.option(
    "--index-interval-bytes",
    type=click.IntRange(0),
    default=DEFAULT_INDEX_INTERVAL_BYTES,
    show_default=True,
    metavar="N",
    help="The topic's index.interval.bytes.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be another, and write nothing.")
@click.option(
    "--before-damage", is_flag=True, help="Index what lies before damage, as a broker would that then cuts the log."
)
@output_options("table", "csv", "json", "nl")
def reindex_command(
    paths: tuple[str, ...],
    profile: str,
    index_interval_bytes: int,
    dry_run: bool,
    before_damage: bool,
    mode: str | None,
) -> None:
    """Make .index and .timeindex anew from the log, as a broker's recovery makes them.

    DIR is a partition's folder, or a root that holds many; FILE is a .log.

    All batches are read and their checksums verified. Logs are never changed, and .txnindex files are left as they are.
    A damaged log is refused, unless --before-damage is given; what a crash leaves at the end of a partition's last
    segment (a batch that is not all there, zeros) is no damage. A root that a broker has locked is refused.

    One line per segment says of each index whether it is made, changed, or the same already. The exit status is 4 where
    something was refused.
    """
    statuses, roots = [0], _Roots(dry_run)

    def rows() -> Iterator[dict[str, Any]]:
        for partition in opened(_local(paths, statuses), statuses):
            folder = partition.folder.absolute()
            # A folder may be a link, in the root of a broker or to one.
            if not (roots.take(folder.parent) and roots.take(folder.resolve().parent)):
                statuses.append(UNSAFE)
                continue
            for segment in partition.segments:
                work = _Work(segment, profile, index_interval_bytes, dry_run, before_damage)
                yield {"partition": folder.name, **work.row(statuses)}
            if not partition.segments:
                click.echo(f"kformat: {one_line(str(partition.path))}: no segments here", err=True)

    with roots:
        write_rows(Output(), rows(), _COLUMNS, mode or "table")
    click.get_current_context().exit(max(statuses))


def _local(paths: tuple[str, ...], statuses: list[int]) -> Iterator[str]:
    """Paths, without addresses, which are told of."""
    for path in paths:
        try:
            yield str(local_path(path))
        except KformatError as error:
            statuses.append(complain(error))


def _refuse(text: str) -> int:
    sys.stdout.flush()
    click.echo(f"kformat: {one_line(text)}", err=True)
    return UNSAFE


# --- a broker beside ------------------------------------------------------------------------------------------------


class _Roots:
    """The locks of roots, the ones that a broker takes, held to the end; a root that has no such file gets none."""

    def __init__(self, dry_run: bool) -> None:
        self.dry_run, self.known, self.descriptors = dry_run, dict[Path, bool](), list[int]()

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)

    def take(self, root: Path) -> bool:
        """Whether what lies in a root may be written; tells once why not, or why somebody should look first."""
        if root not in self.known:
            self.known[root] = self._take(root)
        return self.known[root]

    def _take(self, root: Path) -> bool:
        shown = one_line(str(root))
        try:
            descriptor = os.open(root / _LOCK_FILE, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        except OSError as error:
            click.echo(f"kformat: {shown}: a broker may be running here ({_LOCK_FILE}: {error.strerror})", err=True)
            return True
        self.descriptors.append(descriptor)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            advice = "what is said of it may change" if self.dry_run else "stop it, or work on a copy"
            _refuse(f"{root} is locked by a broker, or by a program that writes logs: {advice}")
            return self.dry_run
        return True


# --- one segment ----------------------------------------------------------------------------------------------------


class _DamageError(Exception):
    """The log is damaged in a way that is not indexed without being asked to."""


@dataclass
class _Work:
    """What is to be done about one segment."""

    segment: Segment
    profile: str
    index_interval_bytes: int
    dry_run: bool
    before_damage: bool

    def row(self, statuses: list[int]) -> dict[str, Any]:
        """Do it, and say what was done."""
        row: dict[str, Any] = dict.fromkeys(_COLUMNS[1:])
        row["file"], remarks = self.segment.name, list[str]()
        try:
            headers, entries = self._entries(remarks)
            row["batches_count"] = len(headers)
            new = {"offset_index": entries.offset_index, "time_index": entries.time_index}
            for name, array in new.items():
                row[name], difference = self._compared(name, array)
                row[f"{name}_entries"] = len(array)
                if self.dry_run and difference:
                    remarks.append(difference)
            if not self.dry_run:
                _write({self._path(name): new[name].tobytes() for name in _SUFFIXES if row[name] != "same"}, self._log)
            if self._path("transaction_index").exists():
                remarks.append("its .txnindex is left as it is")
        except _DamageError as error:
            remarks.append("refused")
            statuses.append(_refuse(str(error)))
        except (KformatError, OSError) as error:
            row.update(dict.fromkeys(("offset_index", "time_index")))  # which of them got its name is not known
            remarks.append("failed")
            statuses.append(complain(error))
        row["remark"] = "; ".join(remarks) or None
        return row

    @property
    def _log(self) -> Path:
        return self.segment.log

    def _path(self, name: str) -> Path:
        stem, state = self._log.name.split(".log")
        return self._log.with_name(f"{stem}.{_SUFFIXES.get(name, 'txnindex')}{state}")

    def _entries(self, remarks: list[str]) -> tuple[BatchHeaders, Entries]:
        """The sound batches, and what they give."""
        progress, name = ProgressLine(), f"{self._log.parent.name}/{self._log.name}"
        with ByteSource(self._log) as source:

            def tell(position: int) -> None:
                progress.share(name, position, source.size)

            try:
                headers = read_batch_headers(source, checksums=True, progress=tell if progress.is_shown else None)
            finally:
                progress.clear()
            left = source.size - headers.valid_bytes
            is_zero = left > 0 and source.is_zero(headers.valid_bytes)
        if is_zero:
            remarks.append(f"{left} zeros from position {headers.valid_bytes} on")
        elif left:
            if not (isinstance(headers.problem, TruncatedError) and self._is_last()):
                self._refuse_unless_asked(headers.problem)
            remarks.append(f"{left} bytes from position {headers.valid_bytes} on are no sound batch, and not indexed")
        try:
            return headers, self._recovered(headers)
        except InvalidError as error:
            self._refuse_unless_asked(error)
            headers = _before(headers, error.position or 0)
            remarks.append(f"the batches from position {headers.valid_bytes} on are not indexed")
            return headers, self._recovered(headers)

    def _refuse_unless_asked(self, problem: object) -> None:
        if not self.before_damage:
            raise _DamageError(f"{problem}: not indexed; --before-damage indexes what lies before it")

    def _is_last(self) -> bool:
        names = map(parse_file_name, os.listdir(self._log.parent))
        return not any(
            name is not None and name.kind == "log" and not name.state and name.offset > self.segment.base_offset
            for name in names
        )

    def _recovered(self, headers: BatchHeaders) -> Entries:
        batches = IndexedBatches.from_headers(headers)
        if self.profile == "first-offset":
            wrappers = np.flatnonzero((headers.magic < CURRENT_MAGIC) & (headers.compression != 0))
            for number in wrappers.tolist():  # their first offset lies compressed
                position, size = int(headers.position[number]), int(headers.size[number])
                first = next(iter_batches(self._log, position, position + size)).base_offset
                batches.base_offset[number] = first
        return recovered_entries(
            batches,
            base_offset=self.segment.base_offset,
            profile=self.profile,
            index_interval_bytes=self.index_interval_bytes,
            source=headers.source,
        )

    def _compared(self, name: str, new: EntryArray) -> tuple[str, str]:
        """What becomes of an index, in a word, and what is different about it."""
        path = self._path(name)
        try:
            with ByteSource(path) as source:
                size_bytes, old = source.size, source.read_at(0, new.nbytes)
        except FileNotFoundError:
            return ("missing" if self.dry_run else "made"), ""
        if size_bytes == new.nbytes and old == new.tobytes():
            return "same", ""
        return ("different" if self.dry_run else "changed"), _difference(path.suffix, size_bytes, old, new)


def _before(headers: BatchHeaders, position: int) -> BatchHeaders:
    """The headers of the batches before a position."""
    count = int(np.searchsorted(headers.position, position))
    return replace(
        headers,
        position=headers.position[:count],
        size=headers.size[:count],
        columns=headers.columns[:count],
        valid_bytes=position,
    )


def _difference(suffix: str, size_bytes: int, old: bytes, new: EntryArray) -> str:
    """The first difference between the bytes of an index and what it should hold, in words."""
    count = min(len(old), new.nbytes) // new.itemsize
    there = np.frombuffer(old, new.dtype, count)
    differs = np.flatnonzero(there != new[:count])
    if not len(differs):
        return f"{suffix} of {size_bytes} bytes, would be {new.nbytes}"
    number = int(differs[0])
    return f"{suffix} entry {number} {list(there[number].tolist())}, would be {list(new[number].tolist())}"


# --- files ----------------------------------------------------------------------------------------------------------


def _write(files: dict[Path, bytes], log: Path) -> None:
    """Put each content in the place of its file, in this order, when all of them are on the disk."""
    beside = {path: path.with_name(path.name + _BESIDE) for path in files}
    try:
        for path, data in files.items():
            _write_beside(beside[path], data, log)
        for path in files:
            os.replace(beside[path], path)
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)
    if files:
        _sync(log.parent, os.O_RDONLY | os.O_DIRECTORY)


def _write_beside(path: Path, data: bytes, log: Path) -> None:
    status = log.stat()
    path.unlink(missing_ok=True)  # of an earlier run that was ended
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            try:
                os.fchown(descriptor, status.st_uid, status.st_gid)
            except PermissionError:
                click.echo(f"kformat: {one_line(str(log))}: its indexes will not be its owner's", err=True)
        os.fchmod(descriptor, status.st_mode & 0o777)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
