"""Logs in which a record holds whole batches, and the batch around it is damaged: none of the inner ones may come out
as the log's."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from kformat.corpus import edits
from kformat.kafka.batch.compression import compress
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, Walk
from kformat.kafka.damage.saved_ranges import SavedRange, ranges_of
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from tests import damages, damages_legacy
from tests.damages import batch_of, bit, marker_batch, record_bytes

_BATCH = layout("record_batch")
_ENTRY, _MESSAGE = layout("legacy_message"), layout("legacy_message::message")
FIELDS = {
    2: [(_BATCH.position(name), _BATCH.end(name)) for name in _BATCH.header_dtype.names or ()],
    0: [(_ENTRY.position(name), _ENTRY.end(name)) for name in _ENTRY.header_dtype.names or ()]
    + [
        (damages_legacy.START + _MESSAGE.position(name), damages_legacy.START + _MESSAGE.end(name))
        for name in _MESSAGE.header_dtype.names or ()
    ],
}
"""Where the fields of a header begin and end, by magic; magic 1 is like 0."""
PADS = (0, 0, 1, 40, 600, 1500)
CODECS = (1, 2, 3, 4)


@dataclass
class Planted:
    """A log of one segment.

    Attributes:
        data: its bytes, damaged; ``sound`` before that.
        forged: the batches in the value.
        what: how it was made.
        batches: those of the sound log.
    """

    data: bytes
    sound: bytes
    forged: list[bytes]
    what: str
    batches: list[bytes]


def covered(batch: bytes) -> bytes:
    """What the checksum of a batch covers, and the checksum."""
    return batch[17:] if batch[16] == CURRENT_MAGIC else batch[12:]


def _inner(offset: int, number: int, epoch: int, chance: random.Random) -> tuple[bytes, int]:
    """A batch as somebody may put it into a value, and how many offsets it takes."""
    kind, value = chance.randrange(6), b"forged %d " % number + chance.randbytes(chance.choice((8, 90)))
    count = chance.choice((1, 1, 2))
    records = b"".join(record_bytes(offset_delta=at, value=value + bytes([at])) for at in range(count))
    time = damages.BASE_TIMESTAMP_MS + number
    match kind:
        case 0:
            made, count = marker_batch(offset, time), 1
        case 1:
            return damages_legacy.plain(offset, chance.choice((0, 1)), value=value), 1
        case 2:
            inner = [damages_legacy.inner(at, 1, value=value + bytes([at])) for at in range(count)]
            return damages_legacy.wrapper(offset + count - 1, *inner), count
        case 3:
            codec = chance.choice(CODECS)
            made = batch_of(offset, compress(codec, records), count, time, attributes=codec)
        case 4:
            attributes = bit("is_transactional")
            made = batch_of(offset, records, count, time, attributes=attributes, producer_id=7, producer_epoch=0)
        case _:
            made = batch_of(offset, records, count, time)
    return edits.put(made, _BATCH, "partition_leader_epoch", epoch), count


def _value(offset: int, magic: int, chance: random.Random) -> tuple[bytes, bytes, list[bytes]]:
    """A value, the chain in it, and the batches of this. A message of magic 0 or 1 ends with its value: there something
    comes after the chain, because the log goes on where a chain ends that ends with the message."""
    epoch, made = chance.choice((0, 0, 1, 7, 2**31 - 1)), list[bytes]()
    for number in range(chance.choice((1, 1, 2, 3, 5, 8))):
        one, count = _inner(offset, number, epoch, chance)
        made.append(one)
        offset += count
    chain = b"".join(made)
    before, after = (chance.choice((bytes(n), b"x" * n, chance.randbytes(n))) for n in chance.choices(PADS, k=2))
    after = after or (b"" if magic == CURRENT_MAGIC else b".")
    return before + chain + after, chain, made


def _real(offset: int, magic: int, codec: int, chance: random.Random) -> tuple[bytes, int]:
    count = chance.choice((1, 3)) if magic == CURRENT_MAGIC or codec else 1
    size = chance.choice((10, 80, 300))
    time = damages.BASE_TIMESTAMP_MS + offset
    if magic == CURRENT_MAGIC:
        records = b"".join(record_bytes(offset_delta=at, value=chance.randbytes(size)) for at in range(count))
        return batch_of(offset, compress(codec, records) if codec else records, count, time, attributes=codec), count
    if not codec:
        return damages_legacy.plain(offset, magic, value=chance.randbytes(size)), 1
    inner = [
        damages_legacy.inner(at if magic else offset + at, magic, value=chance.randbytes(size)) for at in range(count)
    ]
    return damages_legacy.wrapper(offset + count - 1, *inner, magic=magic, codec=codec), count


def planted(seed: object, place: str = "") -> Planted:
    """A log of a seed.

    Args:
        place: where in a record of magic 2 the batches are: `key`, `value`, or `header`, whose value is the last thing
            in a record; by default a key or a value.
    """
    chance = random.Random(f"planted {seed}")
    magic = chance.choice((0, 1, 2, 2, 2, 2))
    codec = chance.choice((0, 0, 0, *CODECS[: 4 if magic == CURRENT_MAGIC else 3]))
    log, offset = list[bytes](), 0
    for _ in range(chance.choice((0 if magic == CURRENT_MAGIC else 1, 1, 2, 5))):
        made, count = _real(offset, magic, codec if chance.random() < 0.7 else 0, chance)
        log.append(made)
        offset += count
    at, time = sum(map(len, log)), damages.BASE_TIMESTAMP_MS + offset
    count = chance.choice((1, 2, 4, 12)) if magic == CURRENT_MAGIC or codec else 1
    evil = chance.randrange(count)
    value, chain, forged = _value(offset + chance.choice((0, evil, evil + 1, count, 1000)), magic, chance)
    values = [value if number == evil else chance.randbytes(chance.choice((3, 70, 500))) for number in range(count)]
    if magic == CURRENT_MAGIC:
        place = place or random.Random(f"place {seed}").choice(("value", "key"))
        evil_one = {"headers": [{"key": "h", "value": value}]} if place == "header" else {place: value}
        fields = [evil_one if number == evil else {"value": one} for number, one in enumerate(values)]
        records = b"".join(record_bytes(offset_delta=number, **one) for number, one in enumerate(fields))
        payload = compress(codec, records) if codec else records
        outer = batch_of(offset, payload, count, time, attributes=codec)
    elif codec:
        inner = [
            damages_legacy.inner(number if magic else offset + number, magic, value=one)
            for number, one in enumerate(values)
        ]
        outer = damages_legacy.wrapper(offset + count - 1, *inner, magic=magic, codec=codec)
    else:
        outer = damages_legacy.plain(offset, magic, value=value)
    log.append(outer)
    offset += count
    for _ in range(chance.choice((0, 1, 2, 5))):
        made, count = _real(offset, magic, codec if chance.random() < 0.7 else 0, chance)
        log.append(made)
        offset += count
    sound = b"".join(log)
    inside = at + max(0, outer.find(chain))
    data, what = _damaged(sound, at, len(outer), inside, inside + len(chain), magic, forged, chance)
    if chance.random() < 0.25 and not what.startswith(("pages", "torn")):
        start = chance.randrange(at, at + len(outer))
        data, more = _damaged(data, start, len(outer), start, start, magic, forged, chance)
        what += f", {more}"
    what = f"magic {magic}, codec {codec}, outer at {at}, chain at {inside}, {what}"
    return Planted(data, sound, forged, what, log)


def _damaged(
    data: bytes, at: int, size: int, inside: int, end: int, magic: int, forged: list[bytes], chance: random.Random
) -> tuple[bytes, str]:
    """The outer batch at ``at`` damaged; the chain in it is between ``inside`` and ``end``."""
    made, kind = bytearray(data), chance.randrange(8 if inside < end else 6)
    match kind:
        case 0 | 1:
            first, last = chance.choice(FIELDS[2 if magic == CURRENT_MAGIC else 0])
            width = last - first
            stored = data[at + first : at + last]
            values = (bytes(width), b"\xff" * width, chance.randbytes(width), bytes(byte ^ 0x55 for byte in stored))
            made[at + first : at + last] = chance.choice(values)
            what = f"header bytes {first} to {last}"
        case 2:
            first = chance.randrange(HEADER_BYTES)
            width = chance.randrange(1, HEADER_BYTES + 20)
            made[at + first : at + first + width] = chance.choice((bytes(width), chance.randbytes(width)))
            what = f"{width} bytes from {first}"
        case 3 | 4:
            page = chance.choice((512, 4096))
            start = chance.choice((at, at // page * page, chance.randrange(max(0, at - page + 1), at + size)))
            new = chance.choice((bytes(page), chance.randbytes(page)))
            made[start : start + page] = new[: len(made) - start]
            what = f"page of {page} at {start}"
        case 6:
            page = chance.choice((512, 4096))
            one, two = at // page * page, chance.randrange(len(data) // page + 1) * page
            is_batch = any(data.startswith(batch, at) for batch in forged for at in (one, two))  # the disk forges then
            if max(one, two) + page <= len(made) and not is_batch:
                made[one : one + page], made[two : two + page] = made[two : two + page], made[one : one + page]
            what = f"pages of {page} at {one} and {two} swapped"
        case 5:
            made[at : at + HEADER_BYTES] = bytes(HEADER_BYTES)
            what = "header lost"
        case _:
            cut = chance.choice((end, inside, chance.randrange(at, at + size)))
            del made[max(cut, at + 1) :]
            what = f"torn at {cut}"
    return bytes(made), what


@dataclass(frozen=True)
class Files:
    """The files of a segment without indexes, as `ranges_of` takes them."""

    log: Path
    base_offset: int = 0
    timeindex: None = None

    def offset_entries(self) -> object:
        raise FileNotFoundError(self.log)


def batches_saved(log: Path, ranges: list[SavedRange]) -> list[bytes]:
    """The bytes of each batch that is saved."""
    found = []
    with ByteSource(log) as source:
        for made in ranges:
            if made.outcome != "saved":
                continue
            if made.found is not None:
                found.append(made.found.raw(source))
                continue
            for frame in Walk(source, made.position, made.end_position):
                found.append(source.read_at(frame.position, frame.size))
    return found


def forged_in(case: Planted, log: Path) -> list[bytes]:
    """The batches of the value that are saved of a log."""
    log.write_bytes(case.data)
    inner = set(map(covered, case.forged))
    return [one for one in batches_saved(log, ranges_of(Files(log), None)) if covered(one) in inner]  # type: ignore[arg-type]
