"""What files next to a partition's logs say of where the logs begin and end: the root's checkpoints, and others.

Rules:

* A checkpoint that cannot be read says nothing, as for a broker.
* A log has reached every offset that its producer snapshots, the checkpoints of the high watermark and the recovery
  point, and the leader epochs name: a broker writes none of them before the records are there, and takes back what it
  has said when it truncates the log.
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
        found = status(path)
        identity = _identity(found)
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
    return build_offsets(TopicOffsets(tuple(one for one in offsets if one.topic != CLUSTER_METADATA)))


def _identity(found: os.stat_result | Status) -> tuple[int, ...] | None:
    """What changes with a file's content; None if that is unknown, or it was changed just now."""
    is_local = isinstance(found, os.stat_result)
    try:
        changed_ns = found.st_mtime_ns
    except OSError:
        return None
    if time.time_ns() - changed_ns <= (_RACY_NS if is_local else _RACY_AT_ADDRESS_NS):
        return None
    where = (found.st_dev, found.st_ino) if isinstance(found, os.stat_result) else ()
    return *where, changed_ns, found.st_size


def _offsets_in(path: Path) -> Mapping[tuple[str, int], int]:
    found = read_sidecar(path)
    assert isinstance(found, TopicOffsets)
    return MappingProxyType(found.as_dict())


@lru_cache(maxsize=16)
def _offsets_as_of(path: Path, identity: tuple[int, ...]) -> Mapping[tuple[str, int], int] | DataError:
    """As `_offsets_in`, cached for the many partitions of one root; the error of a damaged file, too."""
    try:
        return _offsets_in(path)
    except DataError as error:
        return error


def named_end(log: Path) -> int:
    """The largest offset that a log has reached, exclusive, by the files next to it; 0 if they say nothing.

    ``log`` is the last `.log` of a partition's folder. Nothing is raised: what cannot be read says nothing.
    """
    folder, found = log.parent, [0]
    for source in (_snapshots, _epochs, _checkpoints):
        try:
            found += source(folder)
        except (DataError, OSError):
            continue
    return max(found)


def _snapshots(folder: Path) -> Iterator[int]:
    for entry in scan(folder):
        parsed = parse_file_name(entry.name)
        if parsed is not None and parsed.kind == "producer_snapshot" and not parsed.state:
            yield parsed.offset


def _epochs(folder: Path) -> list[int]:
    found = read_sidecar(folder / EPOCHS_FILE)
    assert isinstance(found, LeaderEpochs)
    return [entry.start_offset for entry in found.entries[-1:]]


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
