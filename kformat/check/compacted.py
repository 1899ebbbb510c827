"""What compaction must keep, by another copy of the partition: the last record of each key.

Rules:

* For each key the last committed record of the other copy counts, if it is below the end of the judged log and not
  below its start: records above are yet to be fetched, and records below were deleted.
* The log must have that record, or a later one of the key, unless it is a tombstone, which is also removed in time.
* Compaction keeps no records without a key.

The offsets of keys take memory of a fixed size (`kformat.kafka.index.offset_map`); if there are more keys than fit,
both copies are read several times.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.kafka.findings.rules import Finding, at_most, rule
from kformat.kafka.index.offset_map import OffsetMap, key_hashes
from kformat.kafka.log.chosen import Chosen
from kformat.kafka.log.partition import Partition, iter_partitions

DROPPED: Final = rule(
    "KF1101",
    "error",
    "The last record of a key in another copy is here, or a later one of that key.",
    source="Cleaner.shouldRetainRecord",
    kafka="Does not notice. Who reads the log from its start does not get the key, or an old value of it.",
)
_COLUMNS: Final = ("offset", "key", "value")
_LEAST_RECORD_BYTES: Final = 8
_SHOWN_BYTES: Final = 40

Batch = tuple[npt.NDArray[np.int64], Any, Any, npt.NDArray[np.bool_]]


def dropped_records(
    paths: list[str | os.PathLike[str]],
    against: str | os.PathLike[str],
    which: Chosen | None = None,
    *,
    memory_bytes: int = 1 << 28,
) -> Iterator[Finding]:
    """Records that compaction wrongly dropped in the partitions of some paths, compared with copies of the same names.

    Args:
        against: a root, or a partition, of which the name does not matter if there is one in ``paths``, too.
        which: the partitions that are compared.
        memory_bytes: for the offsets of keys; 48 bytes a key.

    Raises:
        MissingDependencyError: pyarrow is not installed (extra ``arrow``).
        OSError: a file cannot be read. What is damaged is passed over.
    """
    copies = [partition for path in paths for partition in iter_partitions(path)]
    others = list(iter_partitions(against))
    if len(copies) == len(others) == 1:
        pairs = [(copies[0], others[0])]
    else:
        by_name = {other.folder.absolute().name: other for other in others}
        named = [(copy, by_name.get(copy.folder.absolute().name)) for copy in copies]
        pairs = [(copy, other) for copy, other in named if other is not None]
    for copy, other in pairs:
        if which is None or which.takes(copy.topic, copy.partition):
            yield from at_most(_dropped(copy, other, memory_bytes))


def _dropped(copy: Partition, other: Partition, memory_bytes: int) -> Iterator[Finding]:
    end = copy.end_offset
    if end is None:
        return
    start = max(copy.log_start_offset or 0, copy.segments[0].base_offset if copy.segments else 0)
    slots = OffsetMap(memory_bytes // 2).most_keys()
    most = max(sum(segment.size_bytes for segment in log.segments) for log in (copy, other)) // _LEAST_RECORD_BYTES
    parts = max(1, -(-min(most, end - start) // slots))
    for part in range(parts):
        here, there = OffsetMap(memory_bytes // 2), OffsetMap(memory_bytes // 2)
        for offsets, hashes, _, _ in _keys(copy, part, parts, start, None):
            here.put_hashes(hashes, offsets)
        for offsets, hashes, _, _ in _keys(other, part, parts, start, None):
            there.put_hashes(hashes, offsets)
        for offsets, hashes, keys, is_tombstone in _keys(other, part, parts, start, end):
            is_last, here_at = there.get_hashes(hashes) == offsets, here.get_hashes(hashes)
            for row in np.flatnonzero(is_last & (here_at < offsets) & ~is_tombstone).tolist():
                yield _finding(copy, other, int(offsets[row]), keys[row], int(here_at[row]))


def _finding(copy: Partition, other: Partition, offset: int, key: bytes, here_at: int) -> Finding:
    shown = f"{key[:_SHOWN_BYTES]!r}{'...' if len(key) > _SHOWN_BYTES else ''}"
    last = "no record of it is here" if here_at < 0 else f"the last one here is at {here_at}"
    text = f"key {shown}: its last record in {other.folder} is at offset {offset}, and {last}"
    return DROPPED.at(str(copy.folder), None, "", text, offset, None if here_at < 0 else here_at)


def _keys(partition: Partition, part: int, parts: int, start: int, end: int | None) -> Iterator[Batch]:
    """The committed records of a part of all keys, in batches: offsets, hashes, keys, and whether there is no value."""
    batches = partition.record_batches(
        _COLUMNS, start_offset=start, end_offset=end, isolation_level="read_committed", on_corrupt="skip"
    )
    for batch in batches:
        batch = batch.filter(batch.column("key").is_valid())
        if not len(batch):
            continue
        keys = batch.column("key").to_pylist()
        hashes, offsets = key_hashes(keys), batch.column("offset").to_numpy(zero_copy_only=False)
        is_tombstone = ~batch.column("value").is_valid().to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(hashes[:, 1] % np.uint64(parts) == part)
        if len(rows):
            yield offsets[rows], hashes[rows], [keys[row] for row in rows.tolist()], is_tombstone[rows]


__all__ = ["DROPPED", "dropped_records"]
