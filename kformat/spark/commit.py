"""Commit the segments of a write: move them from the folders of tasks to those of partitions. Runs in the driver.

Rules:

* Tasks write to folders of their own attempts, inside one folder per job in the root. Its name is that of a partition
  being deleted (``kformat-0.<job>-delete``): readers skip it, and a broker removes one left by a driver that died. Any
  other folder that is not a partition's would keep a broker from starting, and so would a file in it with a segment's
  suffix but not a segment's name.
* Only segments named by a message of a finished task are committed. Everything else of the job is removed.
* Everything is checked before anything is moved: nobody else holds the root (the broker's lock), a partition's segments
  are contiguous, and they come after its existing segments.
* Segments move in ascending order, the log of each last: a crash leaves a valid log with fewer segments.
* For rows without offsets, tasks counted from 0: the base offsets of the batches are filled in here, and so is the
  leader epoch of the log before them. Neither is covered by a batch's checksum or used by indexes.
* To overwrite, a new partition folder is created next to the old one, which is renamed to ``-stray`` for a moment: a
  name that brokers leave alone. The partition's entries are removed from the root's checkpoints, because a broker would
  trust them.
* A stream's batch is recorded in a file of the root before its segments move: a repeated batch is completed, or
  skipped.
* An attacker may own the root while Spark runs as root. No link below the root is followed: a partition's folder, a
  job's, a file. Written files are always new, ownership is changed only on open files, and a file that lists unfinished
  moves is trusted only for moves from the query's own folder to a partition's.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import shutil
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from kformat.errors import DataError, InvalidError, UsageError
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.files.file_kinds import file_name, parse_folder_name
from kformat.kafka.files.text_files import (
    DEFAULT_LIMIT_BYTES,
    EpochEntry,
    LeaderEpochs,
    TopicOffsets,
    build_leader_epochs,
    build_offsets,
    parse_offsets,
)
from kformat.kafka.log.partition import Segment, open_partition
from kformat.language.layout import layout
from kformat.storage.atomic_write import atomic_write, sync_folder
from kformat.storage.plain_file import give_away, open_own, read_plain
from kformat.storage.root_lock import RootLock

_LOCK_SECONDS: Final = 20
"""How long a commit waits for another one; a broker keeps the lock."""
_INDEXES: Final = ("timeindex", "index")
_SUFFIXES: Final = (*_INDEXES, "log")
"""In the order in which they move."""
_CHECKPOINTS: Final = (
    "cleaner-offset-checkpoint",
    "log-start-offset-checkpoint",
    "recovery-point-offset-checkpoint",
    "replication-offset-checkpoint",
)
_EPOCHS: Final = "leader-epoch-checkpoint"
_KEPT: Final = "partition.metadata"
"""The file that an overwritten partition keeps: without its topic's id a broker would take it for another topic's."""
_NOTE: Final = ".kformat-{}.json"
"""A file in the root, named by the query: which of its batches was committed, or is being committed."""
_MOST_NOTE_BYTES: Final = 64 << 20
_MOST_NAME_BYTES: Final = 255
LARGEST_OFFSET: Final = 2**63 - 2
"""The largest offset of a record: the offset after it, where its log ends, has to fit."""
_LAYOUT: Final = layout("record_batch")
_PUT_BASE_OFFSET: Final = _LAYOUT.writer("base_offset")
_PUT_EPOCH: Final = _LAYOUT.writer("partition_leader_epoch")


@dataclass(frozen=True, slots=True)
class Staged:
    """A segment that a task wrote, not committed yet.

    Attributes:
        path: of its files, without the suffix that `staged_name` adds.
        base_offset, last_offset: of its records, both inclusive; ``is_counted``: the task counted them from 0.
        size_bytes: of its log.
    """

    topic: str
    partition: int
    path: str
    base_offset: int
    last_offset: int
    size_bytes: int
    records_count: int
    is_counted: bool


class _Move(NamedTuple):
    """A segment's files before the move (as `Staged.path`), their folder and base offset after it, and the size of the
    log in bytes."""

    source: str
    folder: str
    base_offset: int
    size_bytes: int

    @property
    def log(self) -> str:
        return os.path.join(self.folder, file_name(self.base_offset, "log"))

    @property
    def is_waiting(self) -> bool:
        return os.path.exists(staged_name(self.source, "log"))

    @property
    def is_done(self) -> bool:
        return not self.is_waiting and os.path.exists(self.log) and os.path.getsize(self.log) == self.size_bytes


def staged_name(path: str, suffix: str) -> str:
    """The name of a staged segment's file that will get this suffix."""
    return f"{path}-{suffix}"


# --- folders of attempts -------------------------------------------------------------------------------------------


def new_job() -> str:
    """A unique name for a job."""
    return uuid.uuid4().hex


def begin(root: str, job: str) -> None:
    """Create the folder for a job's tasks, and the root if there is none; it may exist already.

    Raises UsageError if it is a link; OSError.
    """
    os.makedirs(_folder(root, job), exist_ok=True)
    _refuse_link(_folder(root, job))


def make_folder(root: str, job: str) -> Path:
    """A folder for one attempt of one task; FileNotFoundError if the job has not begun, or has ended."""
    folder = Path(_folder(root, job), uuid.uuid4().hex)
    _refuse_link(folder.parent)
    folder.mkdir()
    return folder


def remove_folders(root: str, job: str) -> None:
    """Remove everything that a job's tasks wrote and that was not committed; what cannot be removed stays.

    The folder is renamed first, so that a task still running cannot write to it.
    """
    with contextlib.suppress(FileNotFoundError):
        os.rename(_folder(root, job), _folder(root, f"{job}-{uuid.uuid4().hex[:12]}"))
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(root):
            if name.startswith(f"kformat-0.{job}-"):
                shutil.rmtree(os.path.join(root, name), ignore_errors=True)


def _folder(root: str, job: str) -> str:
    return os.path.join(root, f"kformat-0.{job}-delete")


def _refuse_link(folder: str | os.PathLike[str]) -> None:
    if os.path.islink(folder):
        raise UsageError(
            f"{os.fspath(folder)} is a link to {os.path.realpath(folder)}, which the lock of this root does not "
            "protect: write to the root that it leads to, or move the folder here"
        )


# --- the root's lock -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(root: str, seconds: float | None = None) -> Iterator[RootLock]:
    """Hold the lock of a root, which brokers use; RootLockedError if another process holds it for too long."""
    os.makedirs(root, exist_ok=True)
    with RootLock(root) as lock:
        yield lock.take(wait_s=_LOCK_SECONDS if seconds is None else seconds)


# --- committing ----------------------------------------------------------------------------------------------------


def commit(root: str, staged: Sequence[Staged], *, overwrite: bool = False) -> None:
    """Add the segments of finished tasks, in the tasks' order, to their logs.

    Raises:
        RootLockedError: another process holds the root.
        UsageError: offsets of one task overlap those of another, or are not after those of the log; the folder of a
            partition is a link.
        DataError: a log ends in damage (after the last entry of its index), which a broker would truncate; or a batch
            of a stream was partly committed, and cannot be completed.
        OSError: a file is gone, or cannot be moved. Whole segments may have been moved by then.
    """
    with locked(root) as lock:
        _settle_others(root)
        moves = _prepared(root, staged, overwrite)
        lock.refresh()
        _carry_out(root, moves)
        if overwrite:
            _replace(root, moves)


def commit_batch(root: str, query: str, batch: int, staged: Sequence[Staged]) -> None:
    """The same for a batch of a stream, exactly once: one committed before is skipped. Raises as `commit`.

    Args:
        query: the query's id, which survives restarts. batch: the number of the batch.
    """
    with locked(root) as lock:
        note = _note_of(root, query)
        _settle_others(root, note)
        _settle(root, note)
        before = _read_note(root, note)
        if before is None or before.batch < batch or not before.is_done:
            moves = _prepared(root, staged, overwrite=False)
            lock.refresh()
            _write_note(root, note, _Note(batch, False, moves))
            _carry_out(root, moves)
            _write_note(root, note, _Note(batch, True, []))
    remove_folders(root, query)


def _settle(root: str, note: Path) -> None:
    """Finish the moves that a stream had begun when its driver died.

    If nothing was moved there is nothing to finish: the batch is repeated with the same rows. Raises InvalidError if a
    part was moved, and the rest is gone, or another program has written to its log.
    """
    before = _read_note(root, note)
    if before is None or before.is_done or not any(move.is_done for move in before.moves):
        return
    for move in before.moves:
        if move.is_done:
            _carry(root, move, _INDEXES)
    rest = [move for move in before.moves if not move.is_done]
    met = set[str]()
    for move in rest:
        end = _end_of(Path(move.folder))[0] if move.folder not in met else move.base_offset
        met.add(move.folder)
        if not move.is_waiting or end > move.base_offset:
            raise InvalidError(
                f"batch {before.batch} of a stream was moved in part, and the rest "
                + ("is gone" if not move.is_waiting else "no longer fits: another program has written to the log")
                + "; remove this file to write the whole batch again, after the part that is there",
                source=str(note),
                expected=move.log,
                found=f"a log that ends at {end}" if move.is_waiting else "no such segment",
            )
    _carry_out(root, rest)
    _write_note(root, note, _Note(before.batch, True, []))


def _settle_others(root: str, own: Path | None = None) -> None:
    """Finish the commits that streams have begun, before new segments are added; the query of a stream that cannot be
    finished reports it."""
    for note in sorted(Path(root).glob(_NOTE.format("*"))):
        if note != own:
            with contextlib.suppress(DataError):
                _settle(root, note)


def is_begun(root: str, query: str, batch: int) -> bool:
    """Whether the commit of a stream's batch has begun; its segments must then stay in place."""
    note = _read_note(root, _note_of(root, query))
    return note is not None and note.batch == batch


# --- checks before anything moves ----------------------------------------------------------------------------------


def _prepared(root: str, staged: Sequence[Staged], overwrite: bool) -> list[_Move]:
    """Check that segments follow each other, write their offsets and epochs, and return the moves."""
    logs: dict[tuple[str, int], list[Staged]] = {}
    for segment in staged:
        logs.setdefault((segment.topic, segment.partition), []).append(segment)
    moves = list[_Move]()
    shifts = list[tuple[Staged, int, int]]()
    for (topic, partition), segments in sorted(logs.items()):
        folder = Path(root, f"{topic}-{partition}")
        _refuse_link(folder)
        end, epoch = (0, 0) if overwrite else _end_of(folder)
        into = Path(os.path.dirname(segments[0].path), "new", folder.name) if overwrite else folder
        if not segments[0].is_counted:
            segments = sorted(segments, key=lambda segment: segment.base_offset)
            _check_order(folder, segments, end)
        next_offset, shift, task = end, 0, ""
        for segment in segments:
            if segment.is_counted and os.path.dirname(segment.path) != task:
                task, shift = os.path.dirname(segment.path), next_offset  # the task counted from 0
            next_offset = segment.last_offset + shift + 1
            moves.append(_Move(segment.path, str(into), segment.base_offset + shift, segment.size_bytes))
            shifts.append((segment, shift, epoch))
        if end < 0 or next_offset > LARGEST_OFFSET + 1:  # a log with offset 2^63-1 seems to end at -2^63
            raise UsageError(f"{folder}: no offset is left for all rows; the largest of a record is {LARGEST_OFFSET}")
    for segment, shift, epoch in shifts:
        if shift or epoch:
            _renumber(segment, shift, epoch)
    for move in reversed(moves):  # the first segment of each folder comes last
        _make_folder(root, Path(move.folder), move.base_offset)
    return moves


def _check_order(folder: Path, segments: Sequence[Staged], end: int) -> None:
    for before, segment in pairwise(segments):
        if segment.base_offset <= before.last_offset:
            raise UsageError(
                f"{folder.name}: offsets {before.base_offset} to {before.last_offset} and {segment.base_offset} to "
                f"{segment.last_offset} were in two tasks; kformat.spark.jobs.write(df, path) sorts rows first"
            )
    if segments[0].base_offset < end:
        raise UsageError(
            f"{folder} ends at offset {end}, and rows begin at {segments[0].base_offset}: leave out the column offset "
            "so that new offsets are assigned, or overwrite"
        )


def _end_of(folder: Path) -> tuple[int, int]:
    """The end offset of a log, and its last leader epoch; both 0 for a log that does not exist."""
    partition = open_partition(folder) if folder.exists() else None
    if partition is None or not partition.segments:
        return 0, 0
    last = partition.segments[-1]
    headers = _last_headers(last)
    if headers.problem is not None:  # a broker that recovers the log would truncate it there
        raise headers.problem
    epochs = [entry.epoch for entry in partition.leader_epochs]
    if not len(headers):
        return last.base_offset, max(0, *epochs) if epochs else 0
    return int(headers.next_offset[-1]), max(0, int(headers.partition_leader_epoch[-1]), *epochs)


def _last_headers(segment: Segment) -> BatchHeaders:
    """The headers of a segment's last batches: from the last entry of its offset index on, if the log agrees."""
    with contextlib.suppress(DataError):  # a damaged index: a broker rebuilds it
        entries = segment.indexes().offset_entries
        if len(entries) and entries["position"][-1] >= 0:
            headers = read_batch_headers(segment.log, int(entries["position"][-1]), checksums=True)
            offset = segment.base_offset + int(entries["relative_offset"][-1])
            if len(headers) and headers.base_offset[0] <= offset <= headers.last_offset[0]:
                return headers
    return read_batch_headers(segment.log, checksums=True)


def _renumber(staged: Staged, shift: int, epoch: int) -> None:
    """Add to the base offset of each batch, and set its leader epoch; its checksum covers neither."""
    path = staged_name(staged.path, "log")
    headers = read_batch_headers(path)
    with open(open_own(path, os.O_RDWR), "rb+") as file, mmap.mmap(file.fileno(), 0) as data:
        for position, base_offset in zip(headers.position.tolist(), headers.base_offset.tolist(), strict=True):
            _PUT_BASE_OFFSET(data, position, base_offset + shift)
            _PUT_EPOCH(data, position, epoch)
        data.flush()


def _make_folder(root: str, folder: Path, base_offset: int) -> None:
    """Create a log's folder, if there is none; its first leader epoch begins with its first offset."""
    if not folder.exists():
        folder.mkdir(parents=True)
        _give_away(root, os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC))
    if not any(name.endswith(".log") for name in os.listdir(folder)):
        _write(root, folder / _EPOCHS, build_leader_epochs(LeaderEpochs((EpochEntry(0, base_offset),))))


# --- moving --------------------------------------------------------------------------------------------------------


def _carry_out(root: str, moves: Sequence[_Move]) -> None:
    """Move segments to their folders; InvalidError if a log with this base offset exists and is not empty."""
    for move in moves:
        suffixes = _SUFFIXES
        if os.path.exists(move.log):
            if os.path.getsize(move.log):
                raise InvalidError("the target has a segment with this base offset already", source=move.log)
            # An empty log, as a broker leaves it. A broker makes missing indexes from the log, but trusts indexes with
            # more entries than their log has batches. So the old indexes are removed first, the new ones moved last.
            suffixes = ("log", *_INDEXES)
            for suffix in _INDEXES:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(move.folder, file_name(move.base_offset, suffix)))
        _carry(root, move, suffixes)
    for folder in {move.folder for move in moves}:
        sync_folder(folder)
    sync_folder(root)


def _carry(root: str, move: _Move, suffixes: Sequence[str]) -> None:
    for suffix in suffixes:
        here = staged_name(move.source, suffix)
        if os.path.lexists(here):
            _give_away(root, open_own(here, os.O_RDONLY))
            os.replace(here, os.path.join(move.folder, file_name(move.base_offset, suffix)))


def _replace(root: str, moves: Sequence[_Move]) -> None:
    """Replace the logs of the same name by new ones."""
    folders = list(dict.fromkeys(Path(move.folder) for move in moves))
    _forget(root, {folder.name for folder in folders})
    strays = []
    for folder in folders:
        place = Path(root, folder.name)
        if not place.exists():
            folder.rename(place)
            continue
        with contextlib.suppress(FileNotFoundError):
            _write(root, folder / _KEPT, read_plain(place / _KEPT, DEFAULT_LIMIT_BYTES))
        topic, _, partition = folder.name.rpartition("-")
        ending = f"-{partition}.{uuid.uuid4().hex}-stray"
        stray = place.with_name(topic[: _MOST_NAME_BYTES - len(ending)] + ending)
        place.rename(stray)
        try:
            folder.rename(place)
        except OSError:
            stray.rename(place)
            raise
        strays.append(stray)
        sync_folder(root)
    for stray in strays:
        shutil.rmtree(stray, ignore_errors=True)


def _forget(root: str, folders: Collection[str]) -> None:
    """Remove partitions from a root's checkpoints: the old log's values are wrong for the new one."""
    for name in _CHECKPOINTS:
        path = Path(root, name)
        try:
            known = parse_offsets(read_plain(path, DEFAULT_LIMIT_BYTES + 1), source=str(path))
        except (FileNotFoundError, DataError):  # Kafka ignores a damaged checkpoint
            continue
        kept = tuple(entry for entry in known.entries if f"{entry.topic}-{entry.partition}" not in folders)
        if kept != known.entries:
            _write(root, path, build_offsets(TopicOffsets(kept)))


# --- the commits of streams ----------------------------------------------------------------------------------------


class _Note(NamedTuple):
    """The last batch of a stream that was committed, or is being committed; and its moves."""

    batch: int
    is_done: bool
    moves: list[_Move]


def _note_of(root: str, query: str) -> Path:
    return Path(root, _NOTE.format(query))


def _read_note(root: str, path: Path) -> _Note | None:
    """Read a note; None if there is no file. InvalidError for content that no commit writes."""
    query = path.name[len(_NOTE.split("{}")[0]) : -len(_NOTE.split("{}")[1])]
    try:
        note = json.loads(read_plain(path, _MOST_NOTE_BYTES))
        moves = [_move_of(root, query, *move) for move in note["moves"]]
        return _Note(int(note["batch"]), note["is_done"] is True, moves)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError, OSError) as error:
        raise InvalidError(f"a stream's commit file cannot be read: {error}", source=str(path)) from None


def _move_of(root: str, query: str, source: str, folder: str, base_offset: int, size_bytes: int) -> _Move:
    """A move from a note, whose paths are relative to the root; ValueError for one that this query does not make."""
    job, *below = source.split("/")
    is_staged = os.path.join(root, job) == _folder(root, query) and len(below) == 2 and not {"", ".", ".."} & {*below}
    name = parse_folder_name(folder)
    if not is_staged or "/" in folder or name is None or name.state:
        raise ValueError(f"a move from {source[:300]!r} to {folder[:300]!r}")
    if type(base_offset) is not int or type(size_bytes) is not int or not 0 <= base_offset <= LARGEST_OFFSET:
        raise ValueError(f"a segment at {base_offset!r:.50} of {size_bytes!r:.50} bytes")
    for path in (job, os.path.join(job, below[0]), folder):
        if os.path.islink(os.path.join(root, path)):
            raise ValueError(f"{path} is a link")
    return _Move(os.path.join(root, source), os.path.join(root, folder), base_offset, size_bytes)


def _write_note(root: str, path: Path, note: _Note) -> None:
    moves = [
        (os.path.relpath(move.source, root), os.path.relpath(move.folder, root), move.base_offset, move.size_bytes)
        for move in note.moves
    ]
    _write(root, path, json.dumps({"batch": note.batch, "is_done": note.is_done, "moves": moves}).encode())


# --- files ---------------------------------------------------------------------------------------------------------


def _write(root: str, path: Path, data: bytes) -> None:
    """Write a small file; no other process writes it while the root is locked."""
    atomic_write(path, data, owner=_owner(root), is_locked=True)


def _give_away(root: str, descriptor: int) -> None:
    """Give an open file or folder to the owner of the root, if this process may, and close it."""
    try:
        owner = _owner(root)
        if owner is not None:
            give_away(descriptor, owner)
    finally:
        os.close(descriptor)


def _owner(root: str) -> os.stat_result | None:
    """The owner for files that root writes: a broker has to be able to open them."""
    return os.stat(root) if os.geteuid() == 0 else None
