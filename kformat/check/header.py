"""Batch headers: the checksum, the allowed values of fields, and the order of batches. Vectorised.

Messages of magic 0 and 1 have fewer fields; the same rules apply to these.

A rule about one header is a mask over the columns (`FIELD_RULES`); it applies only under a right checksum. A rule about
the order compares with the sound batch before, so one wrong batch gives one finding.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.batches import BatchHeaders
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.legacy import LEGACY_CODECS
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.language.layout import layout

CHECKSUM: Final = rule(
    "KF0201",
    "error",
    "`crc` is the checksum of the bytes after it: CRC-32C, in magic 0 and 1 CRC-32.",
    source="DefaultRecordBatch.ensureValid, LegacyRecord.ensureValid",
    kafka="Consumers and followers refuse the batch; recovery cuts the log here and deletes all later segments.",
)
RESERVED: Final = rule(
    "KF0202",
    "warning",
    "Reserved bits of `attributes` are 0.",
    source="DefaultRecordBatch.computeAttributes",
    kafka="Ignores them, and drops them when it writes the attributes again.",
)
CODEC: Final = rule(
    "KF0203",
    "error",
    "`attributes.compression` is one of "
    + ", ".join(f"{n} {name}" for n, name in enumerate(CODEC_NAMES))
    + "; zstd not in magic 0 and 1.",
    source="CompressionType.forId, AbstractLegacyRecordBatch.DeepRecordsIterator",
    kafka="Throws IllegalArgumentException to readers of the batch.",
)
LAST_DELTA: Final = rule(
    "KF0204",
    "error",
    "`last_offset_delta` is not negative.",
    source="DefaultRecordBatch.lastOffset, MemoryRecordsBuilder",
    kafka="Takes it as it is: the log then ends before the batch begins.",
)
NEGATIVE_COUNT: Final = rule(
    "KF0205",
    "error",
    "`records_count` is not negative.",
    source="DefaultRecordBatch.RecordIterator",
    kafka="Throws InvalidRecordException to readers of the records.",
)
TOO_MANY: Final = rule(
    "KF0206",
    "error",
    "A batch has no more records than offsets: `records_count` is at most `last_offset_delta` + 1.",
    source="LogValidator.validateBatch (equal, for what a producer sends)",
    kafka="Does not look again at what is in the log.",
)
OUT_OF_SEGMENT: Final = rule(
    "KF0207",
    "error",
    "Offsets are at or above the segment's base offset, and at most 2147483647 above.",
    source="LogSegment.canConvertToRelativeOffset, LogLoader",
    kafka="Splits the segment when it meets the offset while loading (LogSegmentOffsetOverflowException).",
)
NOT_INCREASING: Final = rule(
    "KF0208",
    "error",
    "A batch begins above the last offset of the batch before.",
    source="LocalLog.append, LogSegment.recover",
    kafka="Notices only where an index entry is due, and then drops what follows; reads find the first batch only.",
)
EPOCH: Final = rule(
    "KF0209",
    "warning",
    "`partition_leader_epoch` does not fall.",
    source="LeaderEpochFileCache.assign",
    kafka="Passes over the lower epoch when it rebuilds its list of epochs; followers get wrong ends of epochs.",
)
TIMESTAMP: Final = rule(
    "KF0210",
    "warning",
    "`max_timestamp` is -1, for none, or not negative.",
    source="MemoryRecordsBuilder.appendWithOffset",
    kafka="Finds no record of the batch by time.",
)
PRODUCER: Final = rule(
    "KF0211",
    "error",
    "A batch with a `producer_id` has a `producer_epoch`; it has a `base_sequence` if it is data, and none if it holds "
    "control records. (Without a `producer_id`, which is -1 then, neither means anything: clients write 0 or -1.)",
    source="MemoryRecordsBuilder.writeDefaultBatchHeader, DefaultRecordBatch.hasProducerId, ProducerAppendInfo",
    kafka="Rebuilds wrong producer state from it: it accepts duplicates, or refuses batches that are not duplicates.",
)
TRANSACTION: Final = rule(
    "KF0212",
    "error",
    "A transactional batch has a `producer_id`.",
    source="MemoryRecordsBuilder.writeDefaultBatchHeader",
    kafka="Keeps no state of the transaction; consumers get the records as if it had been committed.",
)
HORIZON: Final = rule(
    "KF0213",
    "warning",
    "A delete horizon is a time: with `attributes.has_delete_horizon`, `base_timestamp` is not negative.",
    source="MemoryRecordsBuilder (deleteHorizonMs)",
    kafka="Drops the tombstones of the batch at the next cleaning.",
)

MAGIC_FALLS: Final = rule(
    "KF0214",
    "info",
    "`magic` does not fall. (It does where a topic's `message.format.version` was lowered.)",
    source="`message.format.version` (LogValidator converts to it)",
    kafka="Reads each batch by its own magic; recovery finds no producers and epochs in the older ones.",
)

UNIT: Final = rule(
    "KF0215",
    "info",
    "Timestamps are milliseconds: not what seconds are from 2001 to 2038, nor above the year 5138.",
    source="ProducerRecord.timestamp; `message.timestamp.before.max.ms` and `after.max.ms` (KIP-937)",
    kafka="Takes them for milliseconds: retention deletes seconds at once, and microseconds never.",
)
FUTURE: Final = rule(
    "KF0216",
    "info",
    "No record is more than a day newer than now.",
    source="`message.timestamp.after.max.ms` (KIP-937); LogSegment.largestTimestamp",
    kafka="Refuses such records since 3.6 where the topic limits them. Retention keeps their segment until then.",
)

_LEGACY_BITS: Final = layout("legacy_message::message").bits("attributes")
_DAY_MS: Final = 86_400_000
_SECONDS: Final = (1_000_000_000, 1 << 31)
"""2001 and 2038; as milliseconds in January 1970."""
_MOST_MS: Final = 100_000_000_000_000
"""5138: as microseconds 1973."""
_UNUSED: Final = {
    magic: sum(
        item.mask << item.shift
        for name, item in _LEGACY_BITS.items()
        if name == "reserved" or (name == "timestamp_type" and magic == 0)
    )
    for magic in range(CURRENT_MAGIC)
}
"""Magic -> the unused bits of its ``attributes``."""


@dataclass(frozen=True)
class FieldRule:
    """``broken`` returns the rows that break the rule; ``says`` returns, for a row: message, expected, found."""

    rule: Rule
    field: str
    broken: Callable[[BatchHeaders], Any]
    says: Callable[[BatchHeaders, int], tuple[str, Any, Any]]


def _producer_broken(headers: BatchHeaders) -> Any:
    has_id, has_epoch = headers.producer_id >= 0, headers.producer_epoch >= 0
    has_sequence, is_control = headers.base_sequence != -1, headers.is_control == 1
    no_sequence = (headers.base_sequence < -1) | (has_sequence == is_control)
    return (headers.producer_id < -1) | (has_id & (~has_epoch | no_sequence))


FIELD_RULES: Final = (
    FieldRule(
        RESERVED,
        "attributes",
        lambda h: h.reserved != 0,
        lambda h, row: (f"reserved bits are set: attributes are 0x{h.attributes[row]:04x}", 0, int(h.reserved[row])),
    ),
    FieldRule(
        CODEC,
        "attributes",
        lambda h: h.compression >= len(CODEC_NAMES),
        lambda h, row: (
            f"no compression has number {h.compression[row]}",
            f"0 to {len(CODEC_NAMES) - 1}",
            int(h.compression[row]),
        ),
    ),
    FieldRule(
        LAST_DELTA,
        "last_offset_delta",
        lambda h: h.last_offset_delta < 0,
        lambda h, row: (f"{h.last_offset_delta[row]} is negative", ">= 0", int(h.last_offset_delta[row])),
    ),
    FieldRule(
        NEGATIVE_COUNT,
        "records_count",
        lambda h: h.records_count < 0,
        lambda h, row: (f"{h.records_count[row]} is negative", ">= 0", int(h.records_count[row])),
    ),
    FieldRule(
        TOO_MANY,
        "records_count",
        lambda h: (h.last_offset_delta >= 0) & (h.records_count > h.last_offset_delta.astype(np.int64) + 1),
        lambda h, row: (
            f"{h.records_count[row]} records in a batch of {int(h.last_offset_delta[row]) + 1} offsets",
            f"<= {int(h.last_offset_delta[row]) + 1}",
            int(h.records_count[row]),
        ),
    ),
    FieldRule(
        TIMESTAMP,
        "max_timestamp",
        lambda h: h.max_timestamp < -1,
        lambda h, row: (f"{h.max_timestamp[row]} is not a time", ">= -1", int(h.max_timestamp[row])),
    ),
    FieldRule(
        PRODUCER,
        "producer_id",
        _producer_broken,
        lambda h, row: (
            f"producer id {h.producer_id[row]}, epoch {h.producer_epoch[row]} and base sequence {h.base_sequence[row]} "
            f"do not belong together in a {'control' if h.is_control[row] else 'data'} batch",
            None,
            int(h.producer_id[row]),
        ),
    ),
    FieldRule(
        TRANSACTION,
        "producer_id",
        lambda h: (h.is_transactional == 1) & (h.producer_id == -1),
        lambda h, row: ("a transactional batch without a producer", ">= 0", int(h.producer_id[row])),
    ),
    FieldRule(
        HORIZON,
        "base_timestamp",
        lambda h: (h.has_delete_horizon == 1) & (h.base_timestamp < 0),
        lambda h, row: (
            f"the delete horizon {h.base_timestamp[row]} is not a time",
            ">= 0",
            int(h.base_timestamp[row]),
        ),
    ),
)


LEGACY_FIELD_RULES: Final = (
    FieldRule(
        CODEC,
        "attributes",
        lambda h: h.compression >= len(LEGACY_CODECS),
        lambda h, row: (
            f"no compression of magic {h.magic[row]} has number {h.compression[row]}",
            f"0 to {len(LEGACY_CODECS) - 1}",
            int(h.compression[row]),
        ),
    ),
    FieldRule(
        TIMESTAMP,
        "max_timestamp",
        lambda h: h.max_timestamp < -1,
        lambda h, row: (f"{h.max_timestamp[row]} is not a time", ">= -1", int(h.max_timestamp[row])),
    ),
)
"""Field rules for messages of magic 0 and 1."""


class HeaderCheck:
    """The rules about headers over the blocks of one log.

    ``base_offset`` is the segment's; if it is None, rules about it are skipped.
    """

    def __init__(self, file: str, base_offset: int | None) -> None:
        self.file, self.base_offset = file, base_offset
        self.last_offset: int | None = None
        self.epoch: int | None = None
        self.magic = 0
        self.reported = set[str]()

    def findings(self, block: BatchBlock) -> Iterator[Finding]:
        """All findings of a block, in order of position. Only the first time that breaks a rule is reported."""
        findings = [
            *self._checksums(block),
            *self._fields(block),
            *self._magics(block),
            *self._offsets(block),
            *self._epochs(block),
            *self._times(block),
        ]
        findings.sort(key=lambda finding: finding.position or 0)
        yield from findings

    def _at(self, broken: Rule, block: BatchBlock, row: int, field: str, message: str, *values: Any) -> Finding:
        position, path = block.place(row, field)
        return broken.at(self.file, position, path, message, *values)

    def _checksums(self, block: BatchBlock) -> Iterator[Finding]:
        headers = block.headers
        for row in np.flatnonzero(~block.is_sound).tolist():
            stored, computed = f"{headers.crc[row]:08x}", f"{block.computed_crc[row]:08x}"
            message = f"stored {stored}, computed {computed}"
            yield self._at(CHECKSUM, block, row, "crc", message, computed, stored)

    def _fields(self, block: BatchBlock) -> Iterator[Finding]:
        headers = block.headers
        for item in LEGACY_FIELD_RULES if block.is_legacy else FIELD_RULES:
            for row in np.flatnonzero(item.broken(headers) & block.is_sound).tolist():
                yield self._at(item.rule, block, row, item.field, *item.says(headers, int(row)))
        if block.is_legacy:
            yield from self._unused_bits(block)

    def _unused_bits(self, block: BatchBlock) -> Iterator[Finding]:
        """The attributes column has only the bits that magic 2 defines."""
        magic, attributes = block.headers.magic, block.attributes()
        unused = np.select([magic == known for known in _UNUSED], [attributes & bits for bits in _UNUSED.values()])
        for row in np.flatnonzero((unused != 0) & block.is_sound).tolist():
            message = f"bits that magic {magic[row]} does not define are set: attributes are 0x{attributes[row]:02x}"
            yield self._at(RESERVED, block, row, "attributes", message, 0, int(unused[row]))

    def _times(self, block: BatchBlock) -> Iterator[Finding]:
        times, latest = block.headers.max_timestamp, (time.time_ns() // 1_000_000) + _DAY_MS
        are_seconds, are_smaller = (times >= _SECONDS[0]) & (times < _SECONDS[1]), times >= _MOST_MS
        is_new = (times > latest) & (times < _MOST_MS)
        for broken, rows, what in (
            (UNIT, are_seconds | are_smaller, "is no time in milliseconds"),
            (FUTURE, is_new, "is more than a day from now on"),
        ):
            indices = np.flatnonzero(rows & block.is_sound)
            if len(indices) and broken.id not in self.reported:
                self.reported.add(broken.id)
                value = int(times[indices[0]])
                unit = "seconds" if value < _MOST_MS else "microseconds or nanoseconds"
                text = f"{value} {what}" + (f": {unit}, perhaps" if broken is UNIT else "")
                yield self._at(broken, block, int(indices[0]), "max_timestamp", text, None, value)

    def _magics(self, block: BatchBlock) -> Iterator[Finding]:
        rows = np.flatnonzero(block.is_sound)
        if not block.is_legacy or not len(rows):
            self.magic = CURRENT_MAGIC if len(rows) else self.magic
            return
        magic = block.headers.magic[rows]
        before = np.concatenate(([self.magic], magic[:-1]))
        for index in np.flatnonzero(magic < before).tolist():
            message = f"magic {magic[index]} comes after {before[index]}"
            expected = f">= {before[index]}"
            yield self._at(MAGIC_FALLS, block, rows[index], "magic", message, expected, int(magic[index]))
        self.magic = int(magic[-1])

    def _offsets(self, block: BatchBlock) -> Iterator[Finding]:
        rows = np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        headers, base_offset, last_offset = block.headers, self.base_offset, block.headers.last_offset
        first, last = headers.base_offset[rows], last_offset[rows]
        if base_offset is not None:
            highest = min(base_offset + MAX_INT32, MAX_INT64)
            # Both comparisons: a last offset that does not fit into 64 bits has wrapped.
            for row in rows[(first < base_offset) | (first > highest) | (last > highest)]:
                begin = int(headers.base_offset[row])
                outside = begin if not base_offset <= begin <= highest else int(last_offset[row])
                message = f"offset {outside} is not in the range of a segment that begins at {base_offset}"
                expected = f"{base_offset} to {highest}"
                yield self._at(OUT_OF_SEGMENT, block, row, "base_offset", message, expected, outside)
        before = np.concatenate(([0 if self.last_offset is None else self.last_offset], last[:-1]))
        falls = first <= before
        falls[0] &= self.last_offset is not None
        for index in np.flatnonzero(falls).tolist():
            offset, previous = int(first[index]), int(before[index])
            message = f"begins at offset {offset}, and the batch before ends at {previous}"
            yield self._at(NOT_INCREASING, block, rows[index], "base_offset", message, f"> {previous}", offset)
        self.last_offset = int(last[-1])

    def _epochs(self, block: BatchBlock) -> Iterator[Finding]:
        headers = block.headers
        rows = np.flatnonzero(block.is_sound & (headers.partition_leader_epoch >= 0))
        if not len(rows):
            return
        epoch = headers.partition_leader_epoch[rows]
        before = np.concatenate(([epoch[0] if self.epoch is None else self.epoch], epoch[:-1]))
        for index in np.flatnonzero(epoch < before).tolist():
            current, previous = int(epoch[index]), int(before[index])
            message = f"leader epoch {current} comes after {previous}"
            field = "partition_leader_epoch"
            yield self._at(EPOCH, block, rows[index], field, message, f">= {previous}", current)
        self.epoch = int(epoch[-1])
