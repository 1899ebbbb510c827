"""The records of a batch, one after the other, in the order in which Kafka's reader meets them.

The codec reads them; what it refuses becomes a finding of the broken rule here. If a record cannot be read, the rest of
its batch is not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from kformat.errors import CompressionError, DataError, LimitError, TruncatedError
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import CONTROL_TYPES, Batch, Record, TimestampType, parse_control_record
from kformat.kafka.findings.log_blocks import field_position
from kformat.kafka.findings.rules import Finding, Rule, rule

INFLATE: Final = rule(
    "KF0301",
    "error",
    "A compressed payload can be decompressed.",
    source="DefaultRecordBatch.compressedIterator",
    kafka="Throws an exception to readers of the records; recovery does not look.",
)
BOMB: Final = rule(
    "KF0302",
    "error",
    "A decompressed payload is within the limit of the check.",
    source="none: Kafka has no such limit",
    kafka="Decompresses it, piece by piece.",
)
TOO_FEW: Final = rule(
    "KF0303",
    "error",
    "There are as many records as `records_count` says.",
    source="DefaultRecordBatch.RecordIterator (premature EOF)",
    kafka="Throws InvalidRecordException to readers that go to the end of the batch.",
)
LEFT_OVER: Final = rule(
    "KF0304",
    "error",
    "Nothing comes after the last record of a batch.",
    source="DefaultRecordBatch.RecordIterator.ensureNoneRemaining",
    kafka="Throws InvalidRecordException; in an empty batch it does not look.",
)
STRUCTURE: Final = rule(
    "KF0305",
    "error",
    "A record's fields fit its length exactly, and its varints end.",
    source="DefaultRecord.readFrom, ByteUtils.readVarint",
    kafka="Throws InvalidRecordException to readers of the records.",
)
HEADERS: Final = rule(
    "KF0306",
    "error",
    "A record has the headers that its `headers_count` says, each with a key.",
    source="DefaultRecord.readHeaders",
    kafka="Throws InvalidRecordException to readers of the records.",
)
DELTAS_INCREASE: Final = rule(
    "KF0307",
    "error",
    "Offsets increase within a batch.",
    source="MemoryRecordsBuilder.appendWithOffset, LogValidator.validateRecord",
    kafka="Hands the records out as they are; positions of consumers go back.",
)
DELTA_RANGE: Final = rule(
    "KF0308",
    "error",
    "A record's offset lies between the batch's first and last.",
    source="MemoryRecordsBuilder.toRelativeOffset",
    kafka="Hands the records out as they are; lookups miss them.",
)
MAX_TIMESTAMP: Final = rule(
    "KF0309",
    "error",
    "`max_timestamp` is the largest timestamp of the records (create_time).",
    source="LogValidator, MemoryRecordsBuilder.close",
    kafka="Trusts it: lookups by time miss records, retention by time is wrong.",
)
RECORD_ATTRIBUTES: Final = rule(
    "KF0310",
    "warning",
    "`attributes` of a record are 0.",
    source="DefaultRecord.writeTo",
    kafka="Does not look at them.",
)
CONTROL_COUNT: Final = rule(
    "KF0311",
    "error",
    "The end of a transaction is one record in its own batch.",
    source="MemoryRecords.writeEndTransactionalMarker, ProducerAppendInfo.append",
    kafka="Looks at the first record only.",
)
CONTROL_KEY: Final = rule(
    "KF0312",
    "error",
    "The key of a control record is a version that is not negative, and a type.",
    source="ControlRecordType.parse",
    kafka="Throws InvalidRecordException to readers of the batch, on loading the log, too.",
)
CONTROL_TYPE: Final = rule(
    "KF0313",
    "warning",
    "The type of a control record is one that is known.",
    source="ControlRecordType.fromTypeId",
    kafka="Passes over the record.",
)
CONTROL_VALUE: Final = rule(
    "KF0314",
    "error",
    "The value of a control record is what its type says.",
    source="EndTransactionMarker.deserializeValue, ControlRecordUtils",
    kafka="Throws InvalidRecordException to readers of the record, on loading the log, too.",
)
CONTROL_TRANSACTION: Final = rule(
    "KF0315",
    "error",
    "Commit and abort are in transactional batches, other control records are not.",
    source="MemoryRecordsBuilder.appendControlRecord, appendEndTxnMarker",
    kafka="Ends a transaction that does not exist, or leaves one open for ever.",
)

_ENDS: Final = ("abort", "commit")


def record_findings(batch: Batch, file: str) -> Iterator[Finding]:
    """All findings on the records of one batch, whose checksum is assumed to be right.

    Positions are those that the codec gives, or else the batch's.
    """
    if batch.records_count < 0:
        return
    if batch.records_count == 0:
        if batch.size > HEADER_BYTES:
            at, count = batch.position + HEADER_BYTES, batch.size - HEADER_BYTES
            yield LEFT_OVER.at(file, at, "record_batch.records", f"{count} bytes in a batch without records", 0, count)
        return
    # A broker looks for the largest from -1, its "none", on; timestamps below that, which it takes, do not count.
    previous, largest, index = -1, -1, -1
    try:
        for index, value in enumerate(batch.values()):
            item: Any = value
            path = f"record_batch.records[{index}]"
            if item.attributes:
                message = f"{item.attributes} in an unused field"
                yield RECORD_ATTRIBUTES.at(file, batch.position, f"{path}.attributes", message, 0, item.attributes)
            delta = item.offset_delta
            if delta <= previous and index:
                message = f"offset delta {delta} comes after {previous}"
                yield DELTAS_INCREASE.at(file, batch.position, f"{path}.offset_delta", message, f"> {previous}", delta)
            if not 0 <= delta <= batch.last_offset_delta:
                message = f"offset delta {delta} is not in the batch's range"
                expected = f"0 to {batch.last_offset_delta}"
                yield DELTA_RANGE.at(file, batch.position, f"{path}.offset_delta", message, expected, delta)
            previous = delta
            timestamp = batch.base_timestamp + item.timestamp_delta
            largest = max(largest, timestamp)
            if batch.is_control:
                yield from _control(batch, item, index, file)
    except DataError as error:
        yield refused(_rule_of(error), error, batch.position, file)
        return
    if batch.timestamp_type == TimestampType["create_time"] and largest != batch.max_timestamp:
        yield MAX_TIMESTAMP.at(
            file,
            field_position(batch.position, "max_timestamp"),
            "record_batch.max_timestamp",
            f"{batch.max_timestamp}, and the records make it {largest}",
            largest,
            batch.max_timestamp,
        )
    if batch.is_control and batch.is_transactional and batch.records_count > 1:
        yield CONTROL_COUNT.at(
            file,
            field_position(batch.position, "records_count"),
            "record_batch.records_count",
            f"{batch.records_count} records in a batch that ends a transaction",
            1,
            batch.records_count,
        )


class OncePerRule:
    """Findings about the records of one batch, or the messages of a wrapper; only the first per rule, since a few
    kilobytes may decompress to millions.
    """

    def __init__(self, file: str, position: int) -> None:
        self.file, self.position = file, position
        self.first: dict[Rule, tuple[str, str, Any, Any]] = {}
        self.count: Counter[Rule] = Counter()

    def add(self, broken: Rule, path: str, message: str, expected: Any, found: Any) -> None:
        """Add a finding about what is at a path."""
        self.first.setdefault(broken, (path, message, expected, found))
        self.count[broken] += 1

    def findings(self) -> list[Finding]:
        """The first finding of each rule, with how many more there are."""
        return [
            broken.at(self.file, self.position, path, message + others_text(self.count[broken] - 1), expected, found)
            for broken, (path, message, expected, found) in self.first.items()
        ]


def others_text(count: int) -> str:
    """What a message ends with if there are so many more findings that it stands for."""
    return f", and {count} more like it" if count else ""


def refused(broken: Rule, error: DataError, position: int, file: str) -> Finding:
    """The finding for an error of the codec; ``position`` is used if the error has none."""
    at = position if error.position is None else error.position
    return broken.at(file, at, error.path, reason_of(error), error.expected, error.found)


def reason_of(error: DataError) -> str:
    """What an error of the codec says, without its place."""
    message = error.message
    if error.inflated_position is not None:
        message += f" (byte {error.inflated_position} of the decompressed payload)"
    if error.expected is not None and error.found is not None:
        found = f"found {error.found}" if isinstance(error, TruncatedError) else error.found
        message += f": {found}, expected {error.expected}"
    return message


def _rule_of(error: DataError) -> Rule:
    """The rule that is broken according to the codec's error."""
    match error:
        case CompressionError():
            return INFLATE
        case LimitError():
            return BOMB
    field = error.path.removeprefix("record_batch.records")
    if not field:
        return LEFT_OVER
    if field.endswith("].length") and not hasattr(error.partial, "length") and _is_end(error):
        return TOO_FEW
    return HEADERS if ".headers" in field else STRUCTURE


def _is_end(error: DataError) -> bool:
    """Whether no byte was left where a record should begin."""
    return str(error.expected).startswith("at most 0 ")


def _control(batch: Batch, item: Any, index: int, file: str) -> Iterator[Finding]:
    path = f"record_batch.records[{index}]"
    record = Record(0, 0, 0, item.key, item.value)
    try:
        key, _ = parse_control_record(record, file)
    except DataError as error:
        broken, part = (
            (CONTROL_KEY, "key") if error.path.startswith("control_record_type_schema") else (CONTROL_VALUE, "value")
        )
        text = f"{error.path}: {error.message}"
        yield broken.at(file, batch.position, f"{path}.{part}", text, error.expected, error.found)
        return
    name = CONTROL_TYPES.get(int(key.type))
    if name is None:
        message = f"no control record has type {int(key.type)}"
        yield CONTROL_TYPE.at(
            file, batch.position, f"{path}.key", message, ", ".join(CONTROL_TYPES.values()), int(key.type)
        )
        return
    if item.value is None:
        yield CONTROL_VALUE.at(
            file, batch.position, f"{path}.value", f"a {name} record without a value", "a value", None
        )
    if (name in _ENDS) != batch.is_transactional:
        message = f"{name} in a batch that is {'' if batch.is_transactional else 'not '}transactional"
        yield CONTROL_TRANSACTION.at(file, batch.position, f"{path}.key", message, None, name)
