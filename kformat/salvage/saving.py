"""Write what was saved of a partition into a new folder, with all files that a broker expects next to the logs.

Rules:

* The bytes of batches are those of the source, but for what was restored or corrected. Of a guessed batch, a new one
  is built from the records before the damage.
* Indexes are those of a recovery (`kformat.reindex`), with the topic's interval in the cluster's metadata; producer
  snapshots and transaction indexes are made from the batches. Leader epochs are those of the source if no batch
  contradicts them, else those of the batches. The topic's id is copied, and of the cluster's metadata the sound
  snapshots. Of a sound partition all files are those of the source.
* A folder gets its name when everything in it is on disk; before, it has a name that no broker starts with.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from kformat.errors import DataError, KformatError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.damage.evidence import Content, FoundBatch, find_batches
from kformat.kafka.damage.saved_ranges import PatientSource, SavedRange, records_of
from kformat.kafka.files.checkpoints import EPOCHS_FILE
from kformat.kafka.files.file_kinds import LOG_ID_FILE, file_name, parse_file_name
from kformat.kafka.files.text_files import EpochEntry, LeaderEpochs, build_leader_epochs, read_sidecar
from kformat.kafka.log.partition import Partition, Segment
from kformat.kafka.producers.producer_state import AbortedTransaction, ProducerState, batch_of, build_aborted
from kformat.kafka.state.topic_configs import TopicConfigs
from kformat.reindex import Rules, remake_in_place
from kformat.storage.atomic_write import new_file, sync_file, sync_folder
from kformat.storage.byte_source import ByteSource
from kformat.storage.plain_file import naming, read_plain

UNFINISHED: Final = ".unfinished"
"""At the end of the name of a folder that is not complete."""
UNPLACED: Final = "unplaced"
REPORT_FILE: Final = "kformat-salvage.json"
METADATA_FILE: Final = "partition.metadata"
QUORUM_FILE: Final = "quorum-state"
_COPIED_BYTES: Final = 1 << 20
_SPARE_BYTES: Final = 1 << 20
_MOST_ID_BYTES: Final = 64


@dataclass
class Saved:
    """What is in a new folder.

    Attributes:
        next_offset: of the log's end.
        open_transactions: producer id and first offset of those without an end: their markers are lost, or they were
            not ended. A consumer of committed records waits for them.
        remarks: what a broker, or an operator, should know.
    """

    next_offset: int = 0
    open_transactions: list[tuple[int, int]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class NewLog(NamedTuple):
    """A log to be written: its base offset, and in order what it holds, each a range of a log that is read."""

    base_offset: int
    pieces: list[tuple[Path, SavedRange]]


def check_space(root: Path, wanted_bytes: int) -> None:
    """OSError (ENOSPC) where the disk has not enough room for logs of so many bytes, and what comes with them."""
    wanted_bytes += wanted_bytes // 64 + _SPARE_BYTES
    free = shutil.disk_usage(root).free
    if free < wanted_bytes:
        raise OSError(errno.ENOSPC, f"{wanted_bytes} bytes are needed, and {free} are free", str(root))


def make_files(
    copies: Sequence[Partition],
    plan: Sequence[NewLog],
    folder: Path,
    *,
    configs: TopicConfigs,
    keeps_sound: bool = False,
) -> Saved:
    """Make a partition's folder; files that cannot be made from batches are copied, the first sound one of all copies.

    ``configs`` has the interval of its index entries. ``keeps_sound``: of a log that is saved as it is, a second name
    (a hard link) instead of a copy, unless it is the last. OSError.
    """
    saved = Saved()
    folder.mkdir()
    there = {segment.base_offset: segment.log for copy in reversed(copies) for segment in copy.segments}
    logs = list[tuple[int, Path]]()
    for number, new in enumerate(plan, 1):
        linked = _linked(folder, new) if keeps_sound and number < len(plan) else None
        logs.append((new.base_offset, linked or _log(folder, new, there.get(new.base_offset))))
    rules = Rules(index_interval_bytes=configs.index_interval_bytes(copies[0].folder))
    for number, log in enumerate(logs):
        made = remake_in_place(Segment(log[0], log[1], is_last=number == len(logs) - 1), rules)
        if made.failed is not None:
            raise made.failed
        if made.refused:
            saved.remarks.append(made.refused)
    _write_sidecars(copies, folder, logs, saved)
    _copy(copies, folder, saved)
    sync_folder(folder)
    return saved


def keep_files(partition: Partition, folder: Path) -> None:
    """Put the files next to the logs of a sound partition in the place of those that were made. OSError."""
    logs = {segment.base_offset: segment.log for segment in partition.segments}
    for path in folder.glob("*.snapshot"):
        path.unlink()
    for name in sorted(entry.name for entry in os.scandir(partition.folder) if entry.is_file()):
        parsed = parse_file_name(name)
        if parsed is None or parsed.state:
            is_kept = name in (EPOCHS_FILE, METADATA_FILE, QUORUM_FILE)
        elif parsed.kind in ("offset_index", "time_index", "transaction_index") and parsed.offset in logs:
            log = logs[parsed.offset]
            is_kept = os.path.getsize(folder / log.name) == os.path.getsize(log)  # else it has room, and they may, too
        else:
            is_kept = parsed.kind == "producer_snapshot"
        if is_kept:
            write_file(folder / name, content_of(partition.folder / name))
    sync_folder(folder)


def save_unplaced(plan: Iterable[tuple[Segment, list[SavedRange]]], folder: Path) -> None:
    """Write each unplaced batch of a copy into a file of its own in a folder. Its name says where it was."""
    for segment, ranges in plan:
        for made in ranges:
            if made.outcome == "unplaced" and made.found is not None:
                folder.mkdir(parents=True, exist_ok=True)
                with (
                    new_file(folder / f"{segment.log.stem}-{made.position}.batch") as file,
                    ByteSource(segment.log) as log,
                ):
                    file.writelines(_pieces(made, PatientSource(log)))
                    sync_file(file)


def is_kept_whole(plan: NewLog) -> bool:
    """Whether a new log has every byte of an old one, as it is."""
    if len(plan.pieces) != 1:
        return False
    ((log, made),) = plan.pieces
    return made.found is None and not made.position and made.end_position == os.stat(log).st_size


def _linked(folder: Path, plan: NewLog) -> Path | None:
    """A second name for a log, and its path; None if it is not saved as it is, or there are no links."""
    path = folder / file_name(plan.base_offset, "log")
    log = plan.pieces[0][0] if plan.pieces else None
    if log is None or log.is_symlink() or not is_kept_whole(plan):
        return None
    with contextlib.suppress(OSError):
        os.link(log, path)
        return path
    return None


def _log(folder: Path, plan: NewLog, empty: Path | None) -> Path:
    """Write a log, and return its path. ``empty``: the old log, for a new one without batches."""
    path = folder / file_name(plan.base_offset, "log")
    with new_file(path) as file:
        for log, pieces in groupby(plan.pieces, itemgetter(0)):
            with ByteSource(log) as opened:
                source = PatientSource(opened)
                for _, made in pieces:
                    file.writelines(_pieces(made, source))
        origin = plan.pieces[0][0] if plan.pieces else empty
        if origin is not None:  # by the time of its last change a broker deletes a log whose records have no times
            status = os.stat(origin)
            with naming(path):
                os.utime(file.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
        sync_file(file)
    return path


def _pieces(made: SavedRange, source: PatientSource) -> Iterator[bytes]:
    """The bytes of a range, as they are saved."""
    if made.found is None:
        for position in range(made.position, made.end_position, _COPIED_BYTES):
            yield source.read_at(position, min(_COPIED_BYTES, made.end_position - position))
    elif made.content is Content.GUESSED:
        yield _rebuilt(made, source)
    else:
        yield made.found.raw(source)


def _rebuilt(made: SavedRange, source: PatientSource) -> bytes:
    """A batch of the records that can be read of a guessed one, where they were."""
    assert made.found is not None
    batch = made.found.batch(source)
    assert isinstance(batch, Batch)
    records = records_of(made.found, source)
    columns = Columns(
        [record.timestamp for record in records],
        [record.key for record in records],
        [record.value for record in records],
        [record.headers for record in records],
        [record.offset for record in records],
    )
    fields = BatchFields(
        leader_epoch=batch.partition_leader_epoch,
        append_time=batch.max_timestamp if batch.timestamp_type == 1 else None,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        is_transactional=batch.is_transactional,
    )
    return build_batch(columns, fields=fields)


def write_file(path: Path, data: bytes) -> None:
    """Write a new file to disk. Raises OSError."""
    with new_file(path) as file:
        file.write(data)
        sync_file(file)


def _write_sidecars(copies: Sequence[Partition], folder: Path, logs: Iterable[tuple[int, Path]], saved: Saved) -> None:
    """Write producer snapshots, transaction indexes and leader epochs of new logs; and set where the log ends."""
    state, runs = ProducerState(expiration_ms=MAX_INT64), list[_EpochRun]()
    for number, (base_offset, log) in enumerate(logs):
        saved.next_offset = max(saved.next_offset, base_offset)
        if number:
            write_file(folder / file_name(base_offset, "snapshot"), state.snapshot())
        aborted: list[AbortedTransaction] = []
        for batch in iter_batches(log):
            saved.next_offset = max(saved.next_offset, batch.next_offset)
            if not isinstance(batch, Batch) or batch.magic < CURRENT_MAGIC:
                continue
            epoch = batch.partition_leader_epoch
            if epoch >= 0:
                if runs and runs[-1].epoch == epoch:
                    runs[-1] = runs[-1]._replace(last=batch.base_offset)
                else:
                    runs.append(_EpochRun(epoch, batch.base_offset, batch.base_offset))
            produced = batch_of(batch)
            if produced is not None:
                try:
                    aborted += state.append([produced])
                except KformatError as error:
                    aborted += state.append([produced], "log")
                    saved.remarks.append(f"{log.name}:{batch.position}: a broker does not start on this: {error}")
        if aborted:
            write_file(folder / file_name(base_offset, "txnindex"), build_aborted(aborted))
    write_file(folder / file_name(saved.next_offset, "snapshot"), state.snapshot())
    epochs = _epochs(copies, runs, saved.next_offset)
    write_file(folder / EPOCHS_FILE, build_leader_epochs(LeaderEpochs(tuple(epochs))))
    for entry in state.entries.values():
        if entry.current_txn_first_offset is not None:
            saved.open_transactions.append((entry.producer_id, entry.current_txn_first_offset))


class _EpochRun(NamedTuple):
    """Batches of one leader epoch, in order: base offsets of the first and of the last."""

    epoch: int
    first: int
    last: int


def _epochs(copies: Sequence[Partition], runs: Sequence[_EpochRun], next_offset: int) -> list[EpochEntry]:
    """The leader epochs of a log: those that a copy's file says, if its batches do not contradict it: it also knows of
    epochs whose batches compaction has removed, or that are lost. Else those of the batches."""
    for copy in copies:
        with contextlib.suppress(DataError, OSError):
            entries = [entry for entry in copy.leader_epochs if entry.start_offset < next_offset]
            at = partial(_epoch_at, entries)
            if entries and all(at(run.first) == run.epoch == at(run.last) for run in runs):
                return entries
    epochs = list[EpochEntry]()
    for run in runs:
        if not epochs or run.epoch > epochs[-1].epoch:
            epochs.append(EpochEntry(run.epoch, run.first))
    return epochs


def _epoch_at(entries: Sequence[EpochEntry], offset: int) -> int | None:
    at = bisect_right(entries, offset, key=lambda entry: entry.start_offset)
    return entries[at - 1].epoch if at else None


def content_of(path: Path) -> bytes:
    """The bytes of a small file, up to its stated size: a device has none. Raises OSError."""
    with ByteSource(path) as source:
        return source.read_at(0, source.size)


def copy_sidecar(path: Path, folder: Path) -> DataError | OSError | None:
    """Copy a text file of Kafka's into a new folder, if it is there and sound; else why not. Raises OSError."""
    try:
        read_sidecar(path)
        data = content_of(path)
    except FileNotFoundError:
        return None
    except (DataError, OSError) as error:
        return error
    write_file(folder / path.name, data)
    return None


def _copy(copies: Sequence[Partition], folder: Path, saved: Saved) -> None:
    """Copy what batches do not contain, if it is sound: the topic's id; of the cluster's metadata its snapshots and
    votes."""
    for partition in copies:
        with contextlib.suppress(OSError):
            if not (folder / LOG_ID_FILE).exists():
                write_file(folder / LOG_ID_FILE, read_plain(partition.folder / LOG_ID_FILE, _MOST_ID_BYTES))
    lost = {METADATA_FILE: "the topic gets a new id", QUORUM_FILE: "a new leader is elected"}
    for name, consequence in lost.items():
        problem = None
        for partition in copies:
            copy_problem = copy_sidecar(partition.folder / name, folder)
            problem = problem or copy_problem
            if (folder / name).exists():
                break
        else:
            if problem is not None:
                saved.remarks.append(f"{name} is lost ({problem}): {consequence}")
    for path in sorted(path for partition in copies for path in partition.folder.glob("*.checkpoint")):
        if (folder / path.name).exists():
            continue
        try:
            with ByteSource(path) as source:
                is_sound = all(isinstance(item, FoundBatch) for item in find_batches(source, weakest=Content.PROVED))
                data = source.read_at(0, source.size)
        except OSError as error:
            saved.remarks.append(f"{path.name} is lost: {error}")
            continue
        if is_sound:
            write_file(folder / path.name, data)
        else:
            saved.remarks.append(f"{path.name} is damaged, and left out")


__all__ = [
    "UNFINISHED",
    "UNPLACED",
    "NewLog",
    "Saved",
    "check_space",
    "content_of",
    "copy_sidecar",
    "is_kept_whole",
    "keep_files",
    "make_files",
    "save_unplaced",
    "write_file",
]
