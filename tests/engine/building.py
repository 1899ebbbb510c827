"""Batches and segments for the engine's tests: bytes from the reference builder, and a clock that only tests turn."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kformat
from kformat.kafka.batch.records import Batch
from kformat.kafka.log.fetched import Fetched
from kformat_engine.batching import AppendBatch, analyze_batches
from kformat_engine.config import LogConfig
from kformat_engine.epochs import EpochCache
from kformat_engine.recovery.opening import recover_folder
from kformat_engine.segment import LogSegment
from kformat_engine.storage import DISK, Clock, Storage

NO_TIMESTAMP = -1


@dataclass
class SetClock:
    """Says what it was set to, ms."""

    now_ms: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now_ms

    def sleep(self, ms: int) -> None:
        self.now_ms += ms


# --- batches -------------------------------------------------------------------------------------------------------


def batch(
    base_offset: int,
    *values: bytes,
    timestamps: int | Sequence[int] = NO_TIMESTAMP,
    leader_epoch: int = 0,
    codec: str = "none",
) -> bytes:
    """A batch of magic 2 with these values, ``hello`` by default; one timestamp (ms) for all of them, or one each."""
    values = values or (b"hello",)
    each = (timestamps,) * len(values) if isinstance(timestamps, int) else tuple(timestamps)
    return _built(base_offset, values, each, leader_epoch, codec)


@functools.lru_cache(maxsize=4096)
def _built(
    base_offset: int, values: tuple[bytes, ...], timestamps: tuple[int, ...], leader_epoch: int, codec: str
) -> bytes:
    records = [
        {"timestamp_delta": timestamp - timestamps[0], "offset_delta": number, "value": value, "headers": []}
        for number, (value, timestamp) in enumerate(zip(values, timestamps, strict=True))
    ]
    return kformat.build(
        "record_batch",
        {
            "base_offset": base_offset,
            "partition_leader_epoch": leader_epoch,
            "attributes": {"compression": codec},
            "base_timestamp": timestamps[0],
            "max_timestamp": max(timestamps),
            "records": records,
        },
    )


def sized(base_offset: int, size_bytes: int, **fields: Any) -> bytes:
    """A batch of one record that is so many bytes long."""
    value = b"v" * (size_bytes - len(batch(base_offset, b"", **fields)))
    while len(found := batch(base_offset, value, **fields)) > size_bytes:
        value = value[:-1]  # the lengths themselves became longer
    assert len(found) == size_bytes, "no batch of one record has this length"
    return found


def largest_record(data: bytes) -> int:
    """The offset of the first record that carries the largest timestamp of a batch of magic 2."""
    return max(Batch(data).records(), key=lambda record: record.timestamp).offset


# --- segments ------------------------------------------------------------------------------------------------------


def segment(
    folder: Path,
    base_offset: int = 40,
    *,
    interval: int = 10,
    clock: Clock | None = None,
    storage: Storage = DISK,
    already_exists: bool = False,
    **settings: Any,
) -> AbstractContextManager[LogSegment]:
    """A segment as Kafka's LogSegmentTest opens them (interval 10, indexes of 1000 bytes), closed at the end."""
    config = LogConfig(**{"segment_index_bytes": 1000, **settings}, index_interval_bytes=interval)
    return closing(
        LogSegment.open(
            folder, base_offset, config, clock=clock or SetClock(), storage=storage, already_exists=already_exists
        )
    )


def append(to: LogSegment, *batches: bytes) -> tuple[AppendBatch, ...]:
    """Append these batches, with the offsets that they have, at once; what was said of them.

    For profiles whose time entries name a record, that is the first one with a batch's largest timestamp.
    """
    prepared = analyze_batches(b"".join(batches), to.config)
    described = prepared.batches
    if to.config.writer_profile in ("first-offset", "last-offset"):
        described = tuple(
            one if _is_compressed(data) else one._replace(max_timestamp_offset=largest_record(data))
            for one, data in zip(described, batches, strict=True)
        )
    to.append(prepared.data, described)
    return described


def _is_compressed(data: bytes) -> bool:
    return Batch(data).compression != 0


def values(found: Fetched | None) -> list[bytes | None]:
    """The values of all records in what was read, from the first batch on."""
    assert found is not None
    return [record.value for one in found.batches() for record in one.records()]


def offsets(found: Fetched | None) -> list[int]:
    """The offsets of all records in what was read, from the first batch on."""
    assert found is not None
    return [record.offset for one in found.batches() for record in one.records()]


def pairs(entries: Iterable[Any], key: str, value: str) -> list[tuple[int, int]]:
    """Two columns of an index's entries."""
    return [(int(entry[key]), int(entry[value])) for entry in entries]


def indexed(of: LogSegment) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What a segment's indexes hold: (relative offset, position) and (timestamp, relative offset)."""
    return (
        pairs(of.offset_entries(), "relative_offset", "position"),
        pairs(of.time_entries(), "timestamp", "relative_offset"),
    )


def recovered(one: LogSegment, epochs: EpochCache | None = None) -> LogSegment:
    """The last segment of a segment's folder, open after recovery did what a broker does that was killed."""
    one.release()
    *before, last = recover_folder(one.folder, one.config, is_clean=False, mode="kafka", epochs=epochs).segments
    for segment in before:
        segment.release()
    return last
