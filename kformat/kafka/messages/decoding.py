"""Records of Kafka's own topics, and of its metadata log: which message a key or a value is, and what it holds.

    __consumer_offsets, __transaction_state, __share_group_state
        The key begins with the number of its type, which says what the value is. A key alone is a tombstone.
    __cluster_metadata, __remote_log_metadata
        No key; the value begins with a frame, its type and its version.

A type or a version that no declaration has is an InvalidError, as for any format: callers keep the bytes.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from kformat.codec.constructs import parse, parse_prefix
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError
from kformat.kafka.messages.schemas import COORDINATOR_KEY, COORDINATOR_VALUE, METADATA, Schema, schemas
from kformat.language.program import load_type

OFFSETS, TRANSACTIONS, SHARE_STATE, CLUSTER_METADATA, REMOTE_METADATA = (
    *("offsets", "transaction-log", "share-group-state", "cluster-metadata", "remote-log-metadata"),
)
"""Names of decoders, as Kafka's dump tool has them in its options."""
TOPICS: Final = {
    "__consumer_offsets": OFFSETS,
    "__transaction_state": TRANSACTIONS,
    "__share_group_state": SHARE_STATE,
    "__cluster_metadata": CLUSTER_METADATA,
    "__remote_log_metadata": REMOTE_METADATA,
}
"""Kafka's own topics -> their decoders."""
_PARTS: Final = {
    OFFSETS: "group-coordinator",
    TRANSACTIONS: "transaction-coordinator",
    SHARE_STATE: "share-coordinator",
    CLUSTER_METADATA: "metadata",
    REMOTE_METADATA: "storage",
}
DECODERS: Final = tuple(_PARTS)


class KafkaMessage(NamedTuple):
    """A key or a value that was read: its schema, its version, and its content."""

    schema: Schema
    version: int
    value: Value


class UnknownTypeError(InvalidError):
    """A record of a type that no declaration has: ``number``."""

    def __init__(self, number: int, decoder: str, source: str) -> None:
        super().__init__(f"a record of an unknown type, {number}", source=source, path=decoder)
        self.number = number


class UnknownVersionError(InvalidError):
    """A value of a version that no declaration has: ``version``, of the type ``number``."""

    def __init__(self, number: int, version: int, known: Schema, source: str) -> None:
        super().__init__(
            "a version that is not known", source=source, path=known.id, expected=str(known.versions), found=version
        )
        self.number, self.version = number, version


class Decoder:
    """Reads the records of one topic of Kafka's; ``name`` is one of `DECODERS`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: dict[int, Schema] = {}
        """The schemas of keys by their types; values have the same."""
        self.values: dict[int, Schema] = {}
        self.preview: dict[int, Schema] = {}
        """Those of the metadata log in the preview of 2.8, whose frame has another version."""
        for schema in schemas().values():
            if schema.part != _PARTS[name] or schema.key is None:
                continue
            if schema.frame_version == 0:
                self.preview[schema.key] = schema
            elif schema.kind == COORDINATOR_KEY:
                self.keys[schema.key] = schema
            elif schema.kind in (COORDINATOR_VALUE, METADATA) and not schema.variant:
                self.values[schema.key] = schema

    @property
    def has_keys(self) -> bool:
        """Whether keys are messages, which say what the values are."""
        return bool(self.keys)

    def key(self, data: bytes, *, source: str = "key", whole: bool = True) -> KafkaMessage:
        """The message of a key. ``whole``: bytes after it are an error. Raises DataError."""
        number = _number(data, source)
        schema = self.keys.get(number)
        if schema is None:
            raise UnknownTypeError(number, self.name, source)
        return KafkaMessage(schema, 0, _parsed(schema, data, source, whole))

    def value(self, data: bytes, key: bytes | None, *, source: str = "value", whole: bool = True) -> KafkaMessage:
        """The message of a value that is not null; ``key``: that of its record. Raises DataError."""
        if self.has_keys:
            number = _number(key or b"", source)
            schema, version = self.values.get(number), _number(data, source)
        else:
            frame_version, number, version = frame_of(data, source)
            schema = (self.values if frame_version or not self.preview else self.preview).get(number)
        if schema is None:
            raise UnknownTypeError(number, self.name, source)
        if version not in schema.versions:
            raise UnknownVersionError(number, version, schema, source)
        return KafkaMessage(schema, version, _parsed(schema, data, source, whole))


_FRAME, TYPE = "kafka_types::record_frame", "kafka_types::record_type"
_SHORTEST_FRAME, _TYPE_BYTES = 3, 2


def _number(data: bytes, source: str) -> int:
    head = data[:_TYPE_BYTES]
    return _number_known(head) if len(head) == _TYPE_BYTES else int(_prefix(TYPE, data, source).number)


@lru_cache(maxsize=1024)
def _number_known(head: bytes) -> int:
    return int(_prefix(TYPE, head, "key").number)


def frame_of(data: bytes, source: str) -> tuple[int, int, int]:
    """The frame that a value begins with: its version, the type and the version of the message. Raises DataError."""
    return _frame_known(data[:_SHORTEST_FRAME]) or _frame(data, source)


def _frame(data: bytes, source: str) -> tuple[int, int, int]:
    frame = _prefix(_FRAME, data, source)
    return int(frame.frame_version), int(frame.type), int(frame.version)


@lru_cache(maxsize=1024)
def _frame_known(head: bytes) -> tuple[int, int, int] | None:
    """The frame at the beginning of a value, which most often is the shortest that there is; None if it is longer."""
    try:
        return _frame(head, "value")
    except DataError:
        return None


def _prefix(format: str, data: bytes, source: str) -> Any:
    return parse_prefix(format, data, source=source)[0]


def _parsed(schema: Schema, data: bytes, source: str, whole: bool) -> Value:
    type = _type(schema.id)
    return parse(type, data, source=source) if whole else parse_prefix(type, data, source=source)[0]


_type = cache(load_type)


@cache
def decoder(name: str) -> Decoder:
    """The decoder of that name."""
    return Decoder(name)


def decoder_of(topic: str) -> Decoder | None:
    """The decoder of a topic's records; None for a topic that is not Kafka's own."""
    return decoder(TOPICS[topic]) if topic in TOPICS else None


__all__ = ["DECODERS", "TOPICS", "TYPE", "Decoder", "KafkaMessage", "decoder", "decoder_of", "frame_of"]
