"""Write what was saved of a partition into a new folder, with all files that a broker expects next to the logs.

Rules:

* The bytes of batches are those of the source, but for what was restored or corrected. Of a guessed batch, a new one
  is built from the records before the damage.
* Indexes are those of a recovery (`kformat.reindex`); producer snapshots, transaction indexes and leader epochs are
  made from the batches. The topic's id is copied, and of the cluster's metadata the sound snapshots.
* A folder gets its name when everything in it is on disk; before, it has a name that no broker starts with.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from kformat.errors import DataError, KformatError
from kformat.integers import MAX_INT64
from kformat.kafka.batches import iter_batches
from kformat.kafka.checkpoints import EPOCHS_FILE
from kformat.kafka.evidence import Content, Found, find_batches
from kformat.kafka.file_kinds import file_name
from kformat.kafka.framing import CURRENT_MAGIC
from kformat.kafka.partition import Partition, Segment
from kformat.kafka.producer_state import AbortedTransaction, ProducerState, batch_of, build_aborted
from kformat.kafka.records import Batch
from kformat.kafka.saved_ranges import PatientSource, Range, records_of
from kformat.kafka.text_files import EpochEntry, LeaderEpochs, build_leader_epochs, read_sidecar
from kformat.kafka.writing import BatchFields, Columns, build_batch
from kformat.reindex import Rules, remake_in_place
from kformat.storage.atomic_write import new_file, sync_file, sync_folder
from kformat.storage.byte_source import ByteSource

UNFINISHED: Final = ".unfinished"
"""At the end of the name of a folder that is not complete."""
UNPLACED: Final = "unplaced"
METADATA_FILE: Final = "partition.metadata"
QUORUM_FILE: Final = "quorum-state"
_COPIED_BYTES: Final = 1 << 20
_SPARE_BYTES: Final = 1 << 20


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
    pieces: list[tuple[Path, Range]]


def check_space(root: Path, wanted_bytes: int) -> None:
    """OSError (ENOSPC) where the disk has not enough room for logs of so many bytes, and what comes with them."""
    wanted_bytes += wanted_bytes // 64 + _SPARE_BYTES
    free = shutil.disk_usage(root).free
    if free < wanted_bytes:
        raise OSError(errno.ENOSPC, f"{wanted_bytes} bytes are needed, and {free} are free", str(root))


def make_files(
    copies: Sequence[Partition], plan: Sequence[NewLog], folder: Path, *, keeps_sound: bool = False
) -> Saved:
    """Make a partition's folder; of all copies the first sound file is copied that batches do not tell.

    ``keeps_sound``: of a log that is saved as it is, a second name (a hard link) instead of a copy, unless it is the
    last. OSError.
    """
    saved = Saved()
    folder.mkdir()
    logs = [
        (log.base_offset, (keeps_sound and number < len(plan) and _linked(folder, log)) or _log(folder, log))
        for number, log in enumerate(plan, 1)
    ]
    for number, log in enumerate(logs):
        made = remake_in_place(Segment(log[0], log[1], is_last=number == len(logs) - 1), Rules())
        if made.failed is not None:
            raise made.failed
        if made.refused:
            saved.remarks.append(made.refused)
    _write_sidecars(folder, logs, saved)
    _copy(copies, folder, saved)
    sync_folder(folder)
    return saved


def save_unplaced(plan: Iterable[tuple[Segment, list[Range]]], folder: Path) -> None:
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


def _log(folder: Path, plan: NewLog) -> Path:
    """Write a log, and return its path."""
    path = folder / file_name(plan.base_offset, "log")
    with new_file(path) as file:
        for log, pieces in groupby(plan.pieces, itemgetter(0)):
            with ByteSource(log) as opened:
                source = PatientSource(opened)
                for _, made in pieces:
                    file.writelines(_pieces(made, source))
        if plan.pieces:  # by the time of its last change a broker deletes a log whose records have no times
            found = os.stat(plan.pieces[0][0])
            os.utime(file.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))
        sync_file(file)
    return path


def _pieces(made: Range, source: PatientSource) -> Iterator[bytes]:
    """The bytes of a range, as they are saved."""
    if made.found is None:
        for position in range(made.position, made.end_position, _COPIED_BYTES):
            yield source.read_at(position, min(_COPIED_BYTES, made.end_position - position))
    elif made.content is Content.GUESSED:
        yield _rebuilt(made, source)
    else:
        yield made.found.raw(source)


def _rebuilt(made: Range, source: PatientSource) -> bytes:
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


def _write_sidecars(folder: Path, logs: Iterable[tuple[int, Path]], saved: Saved) -> None:
    """Producer snapshots, transaction indexes and leader epochs of new logs; and where the log ends."""
    state, epochs = ProducerState(expiration_ms=MAX_INT64), list[EpochEntry]()
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
            if epoch >= 0 and (not epochs or epoch > epochs[-1].epoch):
                epochs.append(EpochEntry(epoch, batch.base_offset))
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
    write_file(folder / EPOCHS_FILE, build_leader_epochs(LeaderEpochs(tuple(epochs))))
    for entry in state.entries.values():
        if entry.current_txn_first_offset is not None:
            saved.open_transactions.append((entry.producer_id, entry.current_txn_first_offset))


def content_of(path: Path) -> bytes:
    """The bytes of a small file, as many as it says that it has: a device has none. Raises OSError."""
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
    """What batches do not tell, if it is sound: the topic's id; of the cluster's metadata its snapshots and votes."""
    lost = {METADATA_FILE: "the topic gets a new id", QUORUM_FILE: "a new leader is elected"}
    for name, consequence in lost.items():
        problem = None
        for partition in copies:
            found = copy_sidecar(partition.folder / name, folder)
            problem = problem or found
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
                is_sound = all(isinstance(one, Found) for one in find_batches(source, weakest=Content.PROVED))
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
    "make_files",
    "save_unplaced",
    "write_file",
]
