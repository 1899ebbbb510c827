"""Damage by seed: one seed and one number make one case, the same everywhere.

A case begins with sound bytes (`inputs`). What lies where is told by `kformat.codec.trace`, so that a mutation can
be aimed: a number becomes an extreme of its width, a count or length one that leads beyond the bytes that are there, a
varint one that is longer than it has to be or never ends. Others know nothing of fields: a flipped bit, a cut, a
splice. In compressed batches it is as often what was compressed that is damaged, and compressed again. Afterwards
lengths and checksums are made right again, or not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import kformat
from kformat.codec.trace import trace
from kformat.corpus.edits import put, replaced, summed
from kformat.kafka.batch.compression import compress, decompress
from kformat.language.layout import layout
from kformat.language.program import Field, ReadVarint, Step, TypeProgram, Window, load_program
from tests.differential.inputs import Input, inputs

SHARES: Final = {"record_batch": 45, "legacy_message": 30, "record_batch::record": 3}
"""How many of a hundred cases are of a format; the others share the rest."""


@dataclass(frozen=True)
class Spot:
    """A field that can be aimed at."""

    position: int
    size: int
    kind: str
    """``integer``, ``varint``, ``structure`` (of bits), or another kind of field."""
    path: str
    value: Any = None


@dataclass(frozen=True)
class Case:
    """Damaged bytes of a format, and how they were made."""

    seed: int
    number: int
    format: str
    name: str
    how: tuple[str, ...]
    data: bytes

    def __str__(self) -> str:
        what = f"case {self.number} of seed {self.seed}, {self.format} ({self.name}): {'; '.join(self.how)}"
        return f"{what}\nagain: python -m tools.differential --seed {self.seed} --case {self.number}\n{self.data.hex()}"


def make_case(seed: int, number: int) -> Case:
    """The case with that number."""
    source = random.Random(f"{seed}/{number}")
    item = source.choice(inputs()[_format(source)])
    how: list[str] = []
    packed = _packed(item)
    if packed is not None and source.random() < 0.6:
        data = packed.again(_mutated(source, packed.inflated, packed.spots, item.format, how), source, how)
    else:
        data = mend(source, item.format, _mutated(source, item.data, spots(item), item.format, how), how)
    return Case(seed, number, item.format, item.name, tuple(how), data)


@cache
def _weights() -> tuple[list[str], list[float]]:
    formats = list(inputs())
    rest = (100 - sum(SHARES.values())) / (len(formats) - len(SHARES))
    return formats, [SHARES.get(format, rest) for format in formats]


def _format(source: random.Random) -> str:
    return source.choices(*_weights())[0]


# --- where the fields lie ---------------------------------------------------------------------------------------------


@cache
def spots(item: Input) -> tuple[Spot, ...]:
    """The fields of an input's own bytes."""
    return tuple(_spots(item, inside=False))


def _spots(item: Input, inside: bool) -> Iterable[Spot]:
    varints = _varints(item.format.split("::")[0])
    for span in trace(item.format, item.data):
        position = span.inflated_position if inside else span.position
        if position is None or (span.inflated_position is not None) != inside or not span.size:
            continue
        kind = "other" if span.declared is None else span.declared.kind
        kind = "varint" if kind == "integer" and span.declared in varints else kind
        yield Spot(position, span.size, kind, span.path, span.value)


@cache
def _varints(name: str) -> frozenset[Field]:
    """Which fields of a declaration are varints."""
    found = set()
    for declared in _types(load_program(name).types.values()):
        names = {step.name for step in _steps(declared.steps) if isinstance(step, ReadVarint)}
        found |= {field for field in declared.fields if field.name in names}
    return frozenset(found)


def _types(types: Iterable[TypeProgram]) -> Iterable[TypeProgram]:
    for declared in types:
        yield declared
        yield from (field.type for field in declared.fields if field.type is not None)


def _steps(steps: Iterable[Step]) -> Iterable[Step]:
    for step in steps:
        yield step
        if isinstance(step, Window):
            yield from _steps(step.steps)


# --- what is compressed -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packed:
    """A compressed batch or wrapper: what it inflates to, and the batch around it."""

    format: str
    value: Any
    inflated: bytes
    spots: tuple[Spot, ...]

    @property
    def codec(self) -> tuple[int, int]:
        """Codec and magic."""
        head = self.value if self.format == "record_batch" else self.value.message
        return int(head.attributes.compression), head.magic

    def again(self, data: bytes, source: random.Random, how: list[str]) -> bytes:
        """The batch around other bytes; lengths and checksum of the batch are right."""
        if self.format == "legacy_message" and source.random() < 0.6:
            data = _mended_messages(data, source.random() < 0.3, how)
        codec, magic = self.codec
        payload = _framed(source, codec, magic, data, how)
        value = self.value._asdict()
        if self.format == "record_batch":
            return kformat.build(self.format, {**value, "payload": payload})
        return kformat.build(self.format, {**value, "message": {**value["message"], "message_set": payload}})


def _framed(source: random.Random, codec: int, magic: int, data: bytes, how: list[str]) -> bytes:
    """Bytes compressed as Kafka does it; now and then as two frames, or with something behind the last one."""
    payload = compress(codec, data, magic=magic)
    match source.randrange(14):
        case 0:
            at = source.randint(0, len(data))
            how.append(f"compressed as two, from {at} on")
            return compress(codec, data[:at], magic=magic) + compress(codec, data[at:], magic=magic)
        case 1:
            torn, size = payload[: source.randrange(len(payload))], source.randint(1, 24)
            behind = source.choice((bytes(size), source.randbytes(size), torn, torn, torn[:8]))
            how.append(f"{behind.hex()} behind what is compressed")
            return payload + behind
        case 2:
            at = source.choice((*FRAME_FLAGS, source.randrange(len(payload))))
            how.append("in what is compressed:")
            return payload[:at] + _flip(source, payload[at : at + 1], "", how) + payload[at + 1 :]
    return payload


@cache
def _packed(item: Input) -> Packed | None:
    if item.format not in ("record_batch", "legacy_message"):
        return None
    value: Any = kformat.parse(item.format, item.data, raw=True)
    head = value if item.format == "record_batch" else value.message
    payload = getattr(head, "payload" if item.format == "record_batch" else "message_set", None)
    if not head.attributes.compression or payload is None:
        return None
    inflated = decompress(int(head.attributes.compression), payload, magic=head.magic)
    return Packed(item.format, value, inflated, tuple(_spots(item, inside=True)))


# --- mending ----------------------------------------------------------------------------------------------------------

_INSIDE: Final = {
    "record_batch": ("batch_length", ""),
    "legacy_message": ("message_size", "message"),
    "producer_snapshot": ("", ""),
}
"""Formats with a checksum -> the field that says how much follows, and the part that has the checksum."""


def mend(source: random.Random, format: str, data: bytes, how: list[str]) -> bytes:
    """Length and checksum as the bytes ask for, or one of them, or neither."""
    if format not in _INSIDE:
        return data
    length, part = _INSIDE[format]
    at_start = layout(format)
    if length and source.random() < 0.8 and len(data) >= at_start.end(length):
        data = put(data, at_start, length, len(data) - at_start.end(length))
        how.append("length mended")
    if source.random() < 0.8:
        start = at_start.end(length) if part else 0
        data = summed(data, layout(f"{format}::{part}" if part else format), start, len(data))
        how.append("checksum mended")
    return data


def _mended_messages(data: bytes, lengths: bool, how: list[str]) -> bytes:
    """The messages of a wrapper with right checksums, as far as their sizes lead; the last one's size made right."""
    entry = layout("legacy_message::wrapped_message")
    head, position = entry.end("message_size"), 0
    how.append("checksums inside mended")
    while position + head <= len(data):
        start = position + head
        end = start + entry.reader("message_size")(data, position)
        if lengths and end > len(data):
            data, end = put(data, entry, "message_size", len(data) - start, position), len(data)
        if not start < end <= len(data):
            break
        data = summed(data, layout("legacy_message::plain_message"), start, end)
        position = end
    return data


# --- mutations --------------------------------------------------------------------------------------------------------

VARINTS: Final = (
    "00", "01", "02", "8000", "8100", "81808000", "8080808000", "8180808000", "feffffff0f", "ffffffff0f",
    "feffffff7f", "ffffffff7f", "ffffffff8f", "8080808010", "808080808000", "feffffffffffffffff01",
    "ffffffffffffffffff01", "ffffffffffffffffff7f", "80808080808080808000", "8080808080808080808000",
    "ffffffffffffffffffff01", "80" * 5, "ff" * 5, "80" * 10, "ff" * 11,
)  # fmt: skip
"""Shortest and over-long, the ends of int32 and int64, excess high bits, five and ten bytes that announce another."""
WIDEST: Final = 10
FRAME_FLAGS: Final = (3, 4)
"""Where gzip has its flags, and where lz4 and zstd have theirs."""
RECORD: Final = re.compile(r".*records?(\[\d+\])?\.(?=\w)", re.ASCII)
WRAPPED: Final = re.compile(r".*\.messages\[\d+\]\.(offset|message_size)")
EXTREMES: Final = (
    0,
    1,
    -1,
    2,
    -2,
    127,
    -128,
    255,
    2**15 - 1,
    -(2**15),
    2**31 - 1,
    -(2**31),
    2**31,
    2**63 - 1,
    -(2**63),
)


def _mutated(source: random.Random, data: bytes, where: tuple[Spot, ...], format: str, how: list[str]) -> bytes:
    numbered = [spot for spot in where if WRAPPED.match(spot.path)]
    if numbered and source.random() < 0.1:
        # The last number decides about all offsets, and the sizes about what comes next.
        spot = numbered[-2] if source.random() < 0.5 else source.choice(numbered[1::2])
        value = source.choice((-1, -12, -26, -(2**31), -(2**63)))
        how.append(f"{spot.path}: {value}")
        new = (value % (1 << 8 * spot.size)).to_bytes(spot.size, "big")
        return replaced(data, spot.position, spot.size, new)
    for _ in range(source.choice((1, 1, 1, 1, 2, 3))):
        aimed = [spot for spot in where if spot.kind in ("integer", "varint", "structure") and spot.size <= WIDEST]
        if aimed and source.random() < 0.55:
            data = _aimed(source, data, source.choice(aimed), where, how)
        elif data:
            data = source.choice(BLIND)(source, data, format, how)
    return data


def _aimed(source: random.Random, data: bytes, spot: Spot, where: tuple[Spot, ...], how: list[str]) -> bytes:
    left = len(data) - spot.position - spot.size
    if spot.kind == "varint" and source.random() < 0.5:
        new = bytes.fromhex(source.choice(VARINTS))
    else:
        # Around the bytes that are left: what fits, and what does not any more; for counts, what they would take.
        near = source.choice((left, left + 1, left - 1, -left, 2 * left, left // 2, left // 7 + 1))
        value = source.choice((*EXTREMES, near, near, near, near, source.getrandbits(source.choice((4, 8, 31)))))
        new = varint(value) if spot.kind == "varint" else (value % (1 << 8 * spot.size)).to_bytes(spot.size, "big")
    how.append(f"{spot.path} at {spot.position}: {new.hex()}")
    data = replaced(data, spot.position, spot.size, new)
    record = RECORD.match(spot.path)
    if len(new) != spot.size and record is not None and source.random() < 0.7:
        # Otherwise the record's length would hide what its field says.
        for length in (length for length in where if length.path == f"{record[0]}length" and length is not spot):
            grown = varint(length.value + len(new) - spot.size)
            data = data[: length.position] + grown + data[length.position + length.size :]
            how.append(f"{length.path} fits")
    return data


def varint(value: int) -> bytes:
    """The shortest zigzag varint of 64 bits."""
    number = (value << 1 ^ value >> 63) % (1 << 64)
    found = bytearray()
    while number > 0x7F:
        found.append(0x80 | number & 0x7F)
        number >>= 7
    return bytes((*found, number))


def _flip(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at, bit = source.randrange(len(data)), source.randrange(8)
    how.append(f"bit {bit} at {at} flipped")
    return replaced(data, at, 1, bytes([data[at] ^ 1 << bit]))


def _set(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at, value = source.randrange(len(data)), source.choice((0, 1, 2, 0x7F, 0x80, 0xFF, source.randrange(256)))
    how.append(f"{value:#04x} at {at}")
    return replaced(data, at, 1, bytes([value]))


def _cut(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at = source.choice((source.randrange(len(data)), len(data) - 1, source.choice((0, 1))))
    how.append(f"cut at {at}")
    return data[:at]


def _insert(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at = source.choice((source.randint(0, len(data)), len(data)))
    new = source.choice((source.randbytes(source.randint(1, 12)), bytes(source.randint(1, 20))))
    how.append(f"{new.hex()} put in at {at}")
    return replaced(data, at, 0, new)


def _remove(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at, size = source.randrange(len(data)), source.randint(1, 12)
    how.append(f"{size} bytes at {at} taken out")
    return replaced(data, at, size, b"")


def _zeros(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at, size = source.randrange(len(data)), source.randint(1, 30)
    how.append(f"{size} zeros at {at}")
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def _twice(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    at, size = source.randrange(len(data)), source.randint(1, 60)
    how.append(f"{size} bytes at {at} twice")
    return data[: at + size] + data[at:]


def _splice(source: random.Random, data: bytes, format: str, how: list[str]) -> bytes:
    other = source.choice(inputs()[format])
    at, start, size = source.randrange(len(data)), source.randrange(len(other.data) or 1), source.randint(1, 60)
    how.append(f"{size} bytes of {other.name} from {start} on over those at {at}")
    return data[:at] + other.data[start : start + size] + data[at + size :]


BLIND: Final[tuple[Callable[[random.Random, bytes, str, list[str]], bytes], ...]] = (
    _flip, _flip, _set, _set, _cut, _insert, _remove, _zeros, _twice, _splice,
)  # fmt: skip
