"""Where a partition's logs begin and end, by the files next to them: the root's checkpoints, and others.

Rules:

* A checkpoint that cannot be read is ignored, as by a broker.
* A log has reached every offset that its producer snapshots, the checkpoints of the high watermark and the recovery
  point, and the leader epochs name: a broker writes none of them before the records are there, and corrects them
  when it truncates the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kformat.errors import DataError
from kformat.kafka.files.file_kinds import CLUSTER_METADATA, parse_file_name, parse_folder_name
from kformat.kafka.files.text_files import LeaderEpochs, TopicOffset, TopicOffsets, build_offsets, read_sidecar
from kformat.storage.address import Status, absolute, folder_name, place, scan, status

CHECKPOINTS: Final = {
    "log_start_offset": "log-start-offset-checkpoint",
    "high_watermark": "replication-offset-checkpoint",
    "recovery_point": "recovery-point-offset-checkpoint",
}
"""The root's checkpoint file for each fact about a partition."""
EPOCHS_FILE: Final = "leader-epoch-checkpoint"
_RACY_NS: Final = 100_000_000  # mtime does not distinguish two changes within this time
_RACY_AT_ADDRESS_NS: Final = 3_000_000_000  # archives and stores count in seconds, zip in pairs of them
_NONE: Final[Mapping[tuple[str, int], int]] = MappingProxyType({})


def checkpointed_offsets(root: Path, name: str) -> Mapping[tuple[str, int], int]:
    """Read an offset checkpoint of a root: (topic, partition) -> offset, read-only; empty if the file does not exist.

    Raises OSError if it cannot be read, DataError if it is damaged. Kafka treats such a file as empty.
    """
    path = root / name
    try:
        file_status = status(path)
        identity = _identity(file_status)
        if identity is None:
            return _offsets_in(path)
        known = _offsets_as_of(path, identity)
    except FileNotFoundError:
        return _NONE
    if isinstance(known, DataError):
        raise known.with_traceback(None)
    return known


def build_checkpoint(offsets: Iterable[TopicOffset]) -> bytes:
    """Build an offset checkpoint of a root as a broker has it: without KRaft's own log. Raises BuildError."""
    return build_offsets(TopicOffsets(tuple(entry for entry in offsets if entry.topic != CLUSTER_METADATA)))


def _identity(file_status: os.stat_result | Status) -> tuple[int, ...] | None:
    """A key that changes with the file's content; None if it is unknown, or the file was changed just now."""
    is_local = isinstance(file_status, os.stat_result)
    try:
        changed_ns = file_status.st_mtime_ns
    except OSError:
        return None
    if time.time_ns() - changed_ns <= (_RACY_NS if is_local else _RACY_AT_ADDRESS_NS):
        return None
    where = (file_status.st_dev, file_status.st_ino) if isinstance(file_status, os.stat_result) else ()
    return *where, changed_ns, file_status.st_size


def _offsets_in(path: Path) -> Mapping[tuple[str, int], int]:
    checkpoint = read_sidecar(path)
    assert isinstance(checkpoint, TopicOffsets)
    return MappingProxyType(checkpoint.as_dict())


@lru_cache(maxsize=16)
def _offsets_as_of(path: Path, identity: tuple[int, ...]) -> Mapping[tuple[str, int], int] | DataError:
    """As `_offsets_in`, cached for the many partitions of one root; the error of a damaged file, too."""
    try:
        return _offsets_in(path)
    except DataError as error:
        return error


def named_end(log: Path) -> int:
    """The largest offset that a log has reached, exclusive, by the files next to it; 0 if they say nothing.

    ``log`` is the last `.log` of a partition's folder. Raises nothing: files that cannot be read are ignored.
    """
    folder, offsets = log.parent, [0]
    for source in (_snapshots, _epochs, _checkpoints):
        try:
            offsets += source(folder)
        except (DataError, OSError):
            continue
    return max(offsets)


def _snapshots(folder: Path) -> Iterator[int]:
    for entry in scan(folder):
        parsed = parse_file_name(entry.name)
        if parsed is not None and parsed.kind == "producer_snapshot" and not parsed.state:
            yield parsed.offset


def _epochs(folder: Path) -> list[int]:
    checkpoint = read_sidecar(folder / EPOCHS_FILE)
    assert isinstance(checkpoint, LeaderEpochs)
    return [entry.start_offset for entry in checkpoint.entries[-1:]]


def _checkpoints(folder: Path) -> Iterator[int]:
    name = parse_folder_name(folder_name(folder))
    if name is None or name.state:
        return
    root = place(absolute(folder)).parent
    for what in ("high_watermark", "recovery_point"):
        try:
            known = checkpointed_offsets(root, CHECKPOINTS[what])
        except (DataError, OSError):
            continue
        yield known.get((name.topic, name.partition), 0)


__all__ = ["CHECKPOINTS", "EPOCHS_FILE", "build_checkpoint", "checkpointed_offsets", "named_end"]
