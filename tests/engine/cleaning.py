"""Compactions for tests that say themselves which part of a log they go over, at which time, and with which map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat_engine.cleaner import Cleaner, CleanerConfig, Cleaning, Compaction, part_to_clean
from kformat_engine.log import Log

TOMBSTONE_RETENTION_MS: Final = 86_400_000
LARGE_TIMESTAMP: Final = MAX_INT64 - TOMBSTONE_RETENTION_MS - 1
MANY: Final = 10_000


class _WithKeys(Cleaning):
    """A compaction that has a map already."""

    keys: Iterable[bytes] = ()

    def _build_map(self) -> None:
        offsets = self.cleaner.offsets
        offsets.clear()
        for key in self.keys:
            offsets.put(key, MAX_INT64)
        offsets.update_latest_offset(self.to_clean.first_uncleanable_offset - 1)


def clean(
    log: Log,
    first_dirty: int = 0,
    end: int | None = None,
    *,
    slots: int = MANY,
    now_ms: int | None = None,
    later_keys: Iterable[bytes] | None = None,
    segment_bytes: int | None = None,
) -> Compaction:
    """Compact a part of a log, by default up to the active segment, whatever is due; the map is filled to 3/4.

    ``segment_bytes``: how large a segment may become, where that is not what the log is configured to.

    With ``later_keys`` these are the keys in the map, as if they came again later, and what is dirty is not looked at.
    """
    local = log._local
    cleaner = Cleaner(CleanerConfig(dedupe_buffer_bytes=24 * slots, dedupe_load_factor=0.75))
    end = local.active.base_offset if end is None else end
    if first_dirty == end:  # Kafka's tests have a map that does not forget how far it came: all is gone over again
        later_keys = ()
    kind = Cleaning if later_keys is None else _WithKeys
    cleaning = kind(
        *(local, part_to_clean(local, first_dirty, end), cleaner),
        now_ms=log._clock() if now_ms is None else now_ms,
        guard=log._guard,
    )
    if segment_bytes is not None:
        cleaning.config = replace(log.config, segment_bytes=segment_bytes)
    if isinstance(cleaning, _WithKeys):
        cleaning.keys = later_keys or ()
    local.cleaning = cleaning
    return cleaning.run()


def clean_twice(log: Log, first_dirty: int = 0, *, now_ms: int = LARGE_TIMESTAMP) -> Compaction:
    """Compact so that horizons are set, and again when they have passed."""
    clean(log, first_dirty, now_ms=now_ms)
    return clean(log, first_dirty, now_ms=now_ms + TOMBSTONE_RETENTION_MS + 1)


# What is appended


class Appender:
    """A producer that appends keys, which are their values, too."""

    def __init__(self, log: Log, producer_id: int, *, transactional: bool = False, checked: bool = True) -> None:
        self.log, self.id, self.is_transactional, self.is_checked = log, producer_id, transactional, checked
        self.sequence = 0

    def __call__(self, *keys: int) -> int:
        offset = 0 if self.is_checked else self.log.end_offset
        contents = [
            PlannedRecord(offset + at, self.log._clock(), b"%d" % key, b"%d" % key) for at, key in enumerate(keys)
        ]
        producer = ProducerFields(self.id, 0, self.sequence)
        made = batch(contents, producer=producer, transactional=self.is_transactional)
        self.sequence += len(keys)
        return self.log.append_batches(made.data, assign_offsets=self.is_checked)

    def end(self, kind: str) -> None:
        """Append the marker that ends the transaction: ``commit`` or ``abort``."""
        made = end_of_transaction(kind, 0, self.log._clock(), ProducerFields(self.id, 0, -1))
        self.log.append_batches(made.data, validate=False)


def put(log: Log, key: int, value: int | bytes | None = None) -> int:
    """Append a record; without a value that is the key."""
    data = b"%d" % key if value is None else value if isinstance(value, bytes) else b"%d" % value
    return log.append([(b"%d" % key, data)])


def fill(log: Log, segments: int, keys: int | None = None) -> None:
    """Append a record at a time, whose key is its offset (modulo ``keys``), until there are so many segments."""
    while log.segment_count < segments:
        end = log.end_offset
        put(log, end if keys is None else end % keys, end)


# What there is


def batches(log: Log) -> list[AnyBatch]:
    return list(log.batches(log._local.segments.base_offsets[0]))


def records(log: Log) -> list[Record]:
    """With a key and a value, control records among them."""
    return [one for each in batches(log) for one in each.records() if one.key is not None and one.value is not None]


def offsets(log: Log) -> list[int]:
    return [record.offset for record in records(log)]


def keys(log: Log) -> list[int]:
    """Of records that are no control records, in their order."""
    found = [one for each in batches(log) if not each.is_control for one in each.records()]
    return [int(one.key) for one in found if one.key is not None and one.value is not None]


def last_offsets(log: Log) -> list[int]:
    """Of the batches."""
    return [one.last_offset for one in batches(log)]


def last_sequences(log: Log) -> Mapping[int, int]:
    return {one.producer_id: one.last_sequence for one in batches(log) if one.producer_id >= 0 and not one.is_control}


def aborted(log: Log) -> list[tuple[int, int, int, int]]:
    """The entries of all transaction indexes: producer, first and last offset, last stable offset."""
    return [tuple(one) for segment in log._local.segments for one in segment.transactions.entries()]  # type: ignore[misc]
