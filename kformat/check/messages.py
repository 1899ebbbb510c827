"""Messages of magic 0 and 1: that their fields are consistent, and that a wrapper agrees with the messages in it.

A wrapper's header does not say with which offset it begins; the code that judges its messages knows, and puts it into
the columns, so that all rules about offsets and indexes hold for wrappers as for batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from kformat.check.records import BOMB, INFLATE, MAX_TIMESTAMP, OncePerRule, refused
from kformat.codec.constructs import parse
from kformat.errors import CompressionError, DataError, LimitError
from kformat.kafka.batch.legacy import LEGACY_CODECS, NO_MESSAGES, LegacyBatch
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.findings.log_blocks import BatchBlock, legacy_field
from kformat.kafka.findings.rules import Finding, Rule, rule

STRUCTURE: Final = rule(
    "KF0316",
    "error",
    "In magic 0 and 1, key and value fill a message exactly, and in a wrapper one message follows the other.",
    source="LegacyRecord.key, LegacyRecord.value, ByteBufferLogInputStream",
    kafka="Throws an exception to readers of the message; recovery looks at the checksum only.",
)
EMPTY: Final = rule(
    "KF0317",
    "error",
    "A wrapper holds at least one message.",
    source="AbstractLegacyRecordBatch.DeepRecordsIterator",
    kafka="Throws InvalidRecordException to readers of it.",
)
NESTED: Final = rule(
    "KF0318",
    "error",
    "The messages in a wrapper are not compressed themselves.",
    source="AbstractLegacyRecordBatch.DeepRecordsIterator",
    kafka="Throws InvalidRecordException to readers of it.",
)
INNER_CHECKSUM: Final = rule(
    "KF0319",
    "error",
    "`crc` of a message in a wrapper is the CRC-32 of the bytes after it.",
    source="LegacyRecord.ensureValid",
    kafka="Consumers that check checksums refuse the message; recovery looks at the wrapper's own only.",
)
INNER_ORDER: Final = rule(
    "KF0320",
    "error",
    "Offsets rise within a wrapper.",
    source="MemoryRecordsBuilder.appendLegacyRecord",
    kafka="Hands the messages out as they are; positions of consumers go back.",
)
LAST_OFFSET: Final = rule(
    "KF0321",
    "error",
    "The offset of a wrapper is that of the last message in it.",
    source="MemoryRecordsBuilder.writeLegacyCompressedWrapperHeader, AbstractLegacyRecordBatch.DeepRecordsIterator",
    kafka="Lookups pass messages over; in magic 1 throws InvalidRecordException where the last number is above it.",
)
NUMBERS: Final = rule(
    "KF0322",
    "warning",
    "The messages in a wrapper of magic 1 are numbered from 0.",
    source="LogValidator.validateMessagesAndAssignOffsets, MemoryRecordsBuilder.appendLegacyRecord",
    kafka="Reads them all the same: only the distance to the last one counts.",
)
WRAPPER_KEY: Final = rule(
    "KF0323",
    "warning",
    "A wrapper has no key.",
    source="MemoryRecordsBuilder.writeLegacyCompressedWrapperHeader",
    kafka="Does not look at it.",
)
INNER_MAGIC: Final = rule(
    "KF0324",
    "info",
    "The messages in a wrapper have its magic. (Cleaners of 0.10 left others.)",
    source="AbstractLegacyRecordBatch.DeepRecordsIterator, KAFKA-4298",
    kafka="Reads them all the same; the cleaner puts it right.",
)

_CREATE_TIME: Final = TimestampType["create_time"]
MESSAGE: Final = "legacy_message.message"
MESSAGES: Final = f"{MESSAGE}.message_set.messages"


@dataclass
class JudgedEntry:
    """The result for one entry: its findings, and the offsets and number of its messages if all can be read."""

    findings: list[Finding] = field(default_factory=list)
    base_offset: int | None = None
    records_count: int | None = None


def judge_messages(block: BatchBlock, file: str) -> tuple[list[Finding], BatchBlock]:
    """All findings about the messages of a block of magic 0 and 1 with right checksums, in order of position.

    The returned block includes for wrappers, too, the first offset and the number of messages.
    """
    findings: list[Finding] = []
    columns = block.headers.columns.copy()
    known = block.is_sound & (block.headers.compression < len(LEGACY_CODECS))
    for row in np.flatnonzero(known).tolist():
        batch = block.legacy_batch(row, file)
        judged = _wrapper(batch, file) if batch.compression else _plain(batch, file)
        findings += judged.findings
        if judged.base_offset is not None and 0 <= batch.last_offset - judged.base_offset < 2**31:
            columns["base_offset"][row] = judged.base_offset
            columns["last_offset_delta"][row] = batch.last_offset - judged.base_offset
            columns["records_count"][row] = judged.records_count
    findings.sort(key=lambda finding: finding.position or 0)
    return findings, replace(block, headers=replace(block.headers, columns=columns))


def _plain(batch: LegacyBatch, file: str) -> JudgedEntry:
    try:
        batch.parse(checksums=False)
    except DataError as error:
        return JudgedEntry([refused(_rule_of(error), error, batch.position, file)])
    return JudgedEntry()


def _wrapper(batch: LegacyBatch, file: str) -> JudgedEntry:
    judged, of_messages, at = JudgedEntry(), OncePerRule(file, batch.position), batch.position
    findings = judged.findings
    first = previous = None
    largest, number = -1, -1
    try:
        if _has_key(batch):
            findings.append(WRAPPER_KEY.at(file, at, f"{MESSAGE}.key", "a wrapper with a key", None, None))
        for number, message in enumerate(batch.messages()):
            offset, path = message.record.offset, f"{MESSAGES}[{number}]"
            if not message.is_valid:
                text = f"stored {message.crc:08x}, which does not match the bytes"
                of_messages.add(INNER_CHECKSUM, f"{path}.message.crc", text, None, f"{message.crc:08x}")
            if message.magic != batch.magic:
                text = f"magic {message.magic} in a wrapper of magic {batch.magic}"
                of_messages.add(INNER_MAGIC, f"{path}.message.magic", text, batch.magic, message.magic)
            if previous is None:
                first = offset
                if batch.magic and message.stored_offset:
                    text = f"the first message is number {message.stored_offset}"
                    of_messages.add(NUMBERS, f"{path}.offset", text, 0, message.stored_offset)
            elif offset <= previous:
                text = f"offset {offset} comes after {previous}"
                of_messages.add(INNER_ORDER, f"{path}.offset", text, f"> {previous}", offset)
            previous, largest = offset, max(largest, message.record.timestamp)
    except DataError as error:
        findings += [*of_messages.findings(), refused(_rule_of(error), error, at, file)]
        return judged
    findings += of_messages.findings()
    if previous is not None and previous != batch.last_offset:
        position, path = legacy_field(at, "base_offset")
        text = f"offset {batch.last_offset}, and the last message in it has {previous}"
        findings.append(LAST_OFFSET.at(file, position, path, text, previous, batch.last_offset))
    if batch.timestamp_type == _CREATE_TIME and largest != batch.max_timestamp:
        position, path = legacy_field(at, "max_timestamp")
        text = f"{batch.max_timestamp}, and the largest timestamp of the messages is {largest}"
        findings.append(MAX_TIMESTAMP.at(file, position, path, text, largest, batch.max_timestamp))
    judged.base_offset, judged.records_count = first, number + 1
    return judged


def _has_key(batch: LegacyBatch) -> bool:
    entry: object = parse("legacy_message", batch.raw, source=batch.source, checksums=False, raw=True)
    return entry.message.key is not None  # type: ignore[attr-defined]


def _rule_of(error: DataError) -> Rule:
    """The broken rule."""
    match error:
        case CompressionError():
            return INFLATE
        case LimitError():
            return BOMB
    if error.path.startswith(MESSAGES) and error.path.endswith(".compression"):
        return NESTED
    if error.path == MESSAGES:
        return EMPTY if error.found == 0 else LAST_OFFSET
    return EMPTY if error.message == NO_MESSAGES else STRUCTURE
