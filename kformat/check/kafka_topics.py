"""Records of Kafka's own topics: their keys and values are what their types and versions say.

These are the records of `__consumer_offsets`, `__transaction_state`, `__share_group_state`, `__cluster_metadata` and
`__remote_log_metadata`, by the name of the folder, and those of snapshots of KRaft's metadata. No others are decoded.

A record of a type, or of a version, that no release has which kformat knows may be a newer release's. Where
coordinators pass over a type, it is worth knowing, and no more. Of the metadata's records the module also notes what
types and versions they are of, for the rules of `kformat.check.feature_levels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kformat.check.feature_levels import LevelsOfLog
from kformat.check.messages import MESSAGE, MESSAGES
from kformat.check.records import OncePerRule, reason_of
from kformat.check.sound import SoundMessages
from kformat.errors import DataError
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.legacy import LEGACY_CODECS, LegacyBatch
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.rules import Finding, Rule, rule
from kformat.kafka.messages.decoding import (
    CLUSTER_METADATA,
    REMOTE_METADATA,
    TOPICS,
    KafkaMessage,
    UnknownTypeError,
    UnknownVersionError,
    decoder,
)
from kformat.storage.address import folder_name, folder_of

MALFORMED: Final = rule(
    "KF0325",
    "error",
    "Key and value of a record of Kafka's own topics can be read as what their type and version say.",
    source="CoordinatorRecordSerde.deserialize, TransactionLog.read, AbstractApiMessageSerde.read, RecordsIterator",
    kafka="A coordinator does not load the partition from there on: its groups or transactions have none. A controller "
    "stops at such a record of `__cluster_metadata`, and a broker does not apply it.",
)
LEFT_OVER: Final = rule(
    "KF0326",
    "warning",
    "Nothing comes after what the type says in the key and the value of a coordinator's record.",
    source="CoordinatorRecordSerde.readMessage, TransactionLog.read",
    kafka="Does not look at the bytes.",
)
UNKNOWN: Final = rule(
    "KF0327",
    "info",
    "A coordinator's record has a type that Kafka had up to 4.4.",
    source="CoordinatorLoaderImpl, TransactionStateManager.loadTransactionMetadata",
    kafka="Passes over it.",
)
UNKNOWN_VERSION: Final = rule(
    "KF0328",
    "warning",
    "A record of Kafka's own topics has a version, and one of the cluster's metadata a type, that Kafka had up to 4.4.",
    source="CoordinatorRecordSerde.deserialize, MetadataRecordType.fromId, AbstractApiMessageSerde.read",
    kafka="A coordinator that does not know it does not load the partition from there on; a controller stops, and a "
    "broker does not apply the record.",
)

_MOST_KEYS: Final = 1 << 16
"""Keys whose type is remembered: most records of a coordinator have one that was there before."""


def decoder_of_log(file: str) -> str | None:
    """The name of the decoder for a log, by its folder; None for a topic that is not Kafka's own."""
    named = parse_folder_name(folder_name(folder_of(file)))
    return None if named is None else TOPICS.get(named.topic)


class KafkaRecordsCheck:
    """The records of one log of Kafka's own: give it the blocks in order of position.

    ``name``: a decoder's. ``sound`` finds blocks that need not be read record by record. Attributes: ``levels``: what
    the metadata's records say and need; None for other topics.
    """

    def __init__(self, name: str, file: str, sound: SoundMessages) -> None:
        self.name, self.file, self.sound = name, file, sound
        self.decoder = decoder(name)
        self.levels = LevelsOfLog() if name == CLUSTER_METADATA else None
        self._keys = set[bytes]()

    def findings(self, block: BatchBlock) -> Iterator[Finding]:
        """All findings on the records of a block, in order of position."""
        if self.decoder.has_keys and self.sound.holds(self.name, block):
            return
        codecs = LEGACY_CODECS if block.is_legacy else CODEC_NAMES
        for row in range(len(block.headers)):
            is_read = block.is_sound[row] and block.headers.compression[row] < len(codecs)
            if self.levels is not None and (not is_read or block.after_hole[row]):
                self.levels.lose()
            if not is_read or (not block.is_legacy and block.headers.is_control[row]):
                continue
            batch = block.legacy_batch(row, self.file) if block.is_legacy else block.batch(row, self.file)
            yield from self._batch(batch)

    def _batch(self, batch: Batch | LegacyBatch) -> list[Finding]:
        found = OncePerRule(self.file, batch.position)
        try:
            for number, record in enumerate(batch.records()):
                self._record(record, _path(batch, number), found)
        except DataError:  # the rules about records say what is wrong
            if self.levels is not None:
                self.levels.lose()
        return found.findings()

    def _record(self, record: Record, path: str, found: OncePerRule) -> None:
        if self.decoder.has_keys:
            if not self._is_key(record, path, found) or record.value is None:
                return
        elif self.name == CLUSTER_METADATA and record.key is not None:
            found.add(MALFORMED, f"{path}.key", f"offset {record.offset}: a record with a key", None, None)
            return
        elif record.value is None and self.name == REMOTE_METADATA:
            return
        message = self._part(record, path, "value", found)
        if message is not None and self.levels is not None:
            self.levels.note(message, record.offset, found.position, path)

    def _is_key(self, record: Record, path: str, found: OncePerRule) -> bool:
        """Whether the type of the value is known by the key."""
        key = record.key
        if key in self._keys:
            return True
        if key is None or self._part(record, path, "key", found) is None:
            if key is None:
                found.add(MALFORMED, f"{path}.key", f"offset {record.offset}: a record without a key", "a key", None)
            return False
        if len(self._keys) >= _MOST_KEYS:
            self._keys.clear()
        self._keys.add(key)
        return True

    def _part(self, record: Record, path: str, part: str, found: OncePerRule) -> KafkaMessage | None:
        """The message of a key or a value; None, and a finding, if it cannot be read."""
        try:
            return self._read(record, part, whole=True)
        except (UnknownTypeError, UnknownVersionError) as error:
            is_passed_over = isinstance(error, UnknownTypeError) and self.decoder.has_keys
            self._add(UNKNOWN if is_passed_over else UNKNOWN_VERSION, record, path, part, found, error)
            return None
        except DataError as error:
            if self.decoder.has_keys:
                try:
                    message = self._read(record, part, whole=False)
                except DataError:
                    pass
                else:
                    self._add(LEFT_OVER, record, path, part, found, error)
                    return message
            self._add(MALFORMED, record, path, part, found, error)
            return None

    def _read(self, record: Record, part: str, *, whole: bool) -> KafkaMessage:
        if part == "key":
            return self.decoder.key(record.key or b"", whole=whole)
        return self.decoder.value(record.value or b"", record.key, whole=whole)

    def _add(self, broken: Rule, record: Record, path: str, part: str, found: OncePerRule, error: DataError) -> None:
        text = f"offset {record.offset}: {error.path}: {reason_of(error)}"
        found.add(broken, f"{path}.{part}", text, error.expected, error.found)


def _path(batch: Batch | LegacyBatch, number: int) -> str:
    """The path of the record with a number, counted from 0."""
    if isinstance(batch, LegacyBatch):
        return f"{MESSAGES}[{number}]" if batch.compression else MESSAGE
    return f"record_batch.records[{number}]"


__all__ = ["MALFORMED", "UNKNOWN_VERSION", "KafkaRecordsCheck", "decoder_of_log"]
