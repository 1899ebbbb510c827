"""Examples of Kafka's messages: bytes that brokers wrote, out of `samples/`, or else bytes that kformat builds."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import kformat
from kformat.codec.constructs import parse, parse_prefix
from kformat.errors import DataError
from kformat.kafka.batch.batches import AnyBatch, iter_batches
from kformat.kafka.batch.records import CONTROL_VALUES, Batch, Record
from kformat.kafka.messages.decoding import TOPICS, Decoder, KafkaMessage, decoder
from kformat.kafka.messages.kafka_json import camel, from_kafka_json, kafka_json
from kformat.kafka.messages.schemas import Schema, SchemaField, schema
from kformat.storage.byte_source import ByteSource
from tests import vectors
from tests.judges import releases
from tools.documents import ROOT
from tools.message_words import ENUMS

SAMPLES: Final = ROOT / "samples"
WIDEST: Final = 300
"""Of the records of a type the longest of up to so many bytes is the example, without one the shortest."""
CONTROL_KEY, SUBSCRIPTION, ASSIGNMENT = (
    *("control_record_type_schema", "consumer_protocol_subscription", "consumer_protocol_assignment"),
)
_BEFORE_BATCHES: Final = "0.8.2.2"
"""The only one of the samples that wrote records of a type which no later one writes."""
_VERSION: Final = "kafka_types::record_type"


@dataclass(frozen=True)
class MessageExample:
    """A message, and the key of its record or b"". ``place``: who wrote it and where, in words; "" for kformat."""

    version: int
    data: bytes
    json: dict[str, Any]
    key: bytes = b""
    key_json: dict[str, Any] | None = None
    place: str = ""

    @property
    def size(self) -> int:
        return len(self.key) + len(self.data)


def example(of: Schema, key: Schema | None = None) -> MessageExample:
    """The example of a message; ``key``: the message of its record's key."""
    found = _recorded().get(of.id)
    return found if found is not None else _built(of, key)


# --- what brokers wrote -----------------------------------------------------------------------------------------------


@cache
def _recorded() -> dict[str, MessageExample]:
    """By declaration: of the newest version that the samples have, the best example; of equals the first."""
    best: dict[str, MessageExample] = {}
    for id, made in _all():
        was = best.get(id)
        if was is None or _rank(made) > _rank(was):
            best[id] = made
    return best


def _rank(made: MessageExample) -> tuple[int, bool, int]:
    is_short = made.size <= WIDEST
    return made.version, is_short, made.size if is_short else -made.size


def _all() -> Iterator[tuple[str, MessageExample]]:
    for release in (*releases.MESSAGES, _BEFORE_BATCHES):
        logs = [path for path in SAMPLES.rglob("__*/*") if path.suffix in (".log", ".checkpoint")]
        for path in sorted(path for path in logs if release in path.relative_to(SAMPLES).parts):
            with ByteSource(path) as source:
                for batch in iter_batches(source):
                    if isinstance(batch, Batch) or release == _BEFORE_BATCHES:
                        yield from _of_batch(path, batch)
    for batch in iter_batches(ByteSource(vectors.CONTROL_BATCHES)):
        for record in batch.records():
            yield from _of_control(record, "Written by Kafka's own classes")  # where no sample has one


def _of_batch(path: Path, batch: AnyBatch) -> Iterator[tuple[str, MessageExample]]:
    topic = path.parent.name.rpartition("-")[0]
    for record in batch.records():
        place = f"Written by a broker: offset {record.offset} of `{path.relative_to(ROOT)}`"
        if batch.is_control:
            yield from _of_control(record, place)
        elif record.value is not None:
            yield from _of_record(decoder(TOPICS[topic]), record, record.value, place)


def _of_control(record: Record, place: str) -> Iterator[tuple[str, MessageExample]]:
    key = _read(CONTROL_KEY, record.key or b"")
    type: Any = key.value
    yield CONTROL_KEY, MessageExample(key.version, record.key or b"", _json(key), place=place)
    id = CONTROL_VALUES[type.type.name]
    value = _read(id, record.value or b"")
    yield id, MessageExample(value.version, record.value or b"", _json(value), record.key or b"", _json(key), place)


def _of_record(by: Decoder, record: Record, data: bytes, place: str) -> Iterator[tuple[str, MessageExample]]:
    try:
        value = by.value(data, record.key)
    except DataError:  # of another release, with other bytes
        return
    key = by.key(record.key or b"") if by.has_keys else None
    key_json = _json(key) if key is not None else None
    yield value.schema.id, MessageExample(value.version, data, _json(value), record.key or b"", key_json, place)
    group: Any = value.value
    if value.schema.id == "group_metadata_value" and group.protocol_type == "consumer":
        for member in group.members:
            for id, inner in ((SUBSCRIPTION, member.subscription), (ASSIGNMENT, member.assignment)):
                if inner:
                    read = _read(id, inner)
                    yield id, MessageExample(read.version, inner, _json(read), place=f"{place}, a member's")


def _read(id: str, data: bytes) -> KafkaMessage:
    """A message that begins with its version."""
    version: Any = parse_prefix(_VERSION, data)[0]
    return KafkaMessage(schema(id), int(version.number), parse(id, data))


def _json(message: KafkaMessage) -> dict[str, Any]:
    return kafka_json(message.schema, message.version, message.value)


# --- what kformat builds ----------------------------------------------------------------------------------------------


def _built(of: Schema, key: Schema | None) -> MessageExample:
    version = of.versions.last
    data, value = _bytes(of, version)
    if key is None:
        return MessageExample(version, data, value)
    key_data, key_value = _bytes(key, 0)
    return MessageExample(version, data, value, key_data, key_value)


def _bytes(of: Schema, version: int) -> tuple[bytes, dict[str, Any]]:
    value = filled(of, version)
    return kformat.build(of.id, from_kafka_json(of, version, value)), value


def filled(of: Schema, version: int) -> dict[str, Any]:
    """A value as Kafka's JSON has it: defaults; where there are none, a field's own name as text, numbers counted from
    1, a member of an enum, one element in an array. Tagged fields are left out."""
    return _filled(of, of.fields, version)


def _filled(of: Schema, fields: Iterable[SchemaField], version: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    there = [it for it in fields if version in it.versions and version not in it.tagged]
    for number, it in enumerate(there, 1):
        made[camel(it.name)] = [one] if (one := _one(of, it, version, number)) is not None and it.is_array else one
    return made


def _one(of: Schema, it: SchemaField, version: int, number: int) -> Any:
    names = ENUMS.get(f"{of.name}.{it.name}")
    if it.name == "Version" and of.has_own_version:
        return version
    if names is not None:
        return sorted(names.members)[1]
    if it.has_default and not it.is_array:
        return it.default
    if it.is_structure:
        return _filled(of, it.fields, version)
    match it.element:
        case "string":
            return camel(it.name)
        case "uuid":
            return base64.urlsafe_b64encode(bytes(range(number, number + 16))).decode().rstrip("=")
        case "bytes" | "records":
            return base64.b64encode(bytes(range(number, number + 3))).decode()
        case "float64":
            return number / 2
        case "bool":
            return True
    return number


__all__ = ["MessageExample", "example", "filled"]
