"""Messages of magic 0 and 1: golden bytes of Kafka's own classes, wrappers of every kind, and damage.

What real brokers wrote is read in test_sample_records.py. The rules are AbstractLegacyRecordBatch's.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from typing import Any

import pytest

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.errors import ChecksumError, CompressionError, DataError, InvalidError, LimitError, TruncatedError
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.legacy import LegacyBatch, _inner_at
from kformat.kafka.batch.records import Record
from tests.kernel_cases import mutated
from tests.vectors import LEGACY, LegacyVector

ids = [vector.name for vector in LEGACY]


def message(magic: int, value: bytes | None = b"v", **fields: Any) -> dict[str, Any]:
    return {"magic": magic, "value": value, **({"timestamp": 1000} if magic else {}), **fields}


def wrapper(magic: int, codec: str, offset: int, inner: list[tuple[int, dict[str, Any]]], **fields: Any) -> bytes:
    """A wrapper with the offset and the messages, each with what is stored as its offset."""
    attributes = {"compression": codec, **fields.pop("attributes", {})}
    messages = [{"offset": number, "message": item} for number, item in inner]
    outer = message(magic, None, attributes=attributes, message_set={"messages": messages}, **fields)
    return kformat.build("legacy_message", {"offset": offset, "message": outer})


def only(data: bytes) -> LegacyBatch:
    (batch,) = iter_batches(data)
    assert isinstance(batch, LegacyBatch)
    return batch


@pytest.mark.parametrize("vector", LEGACY, ids=ids)
def test_golden_bytes(vector: LegacyVector) -> None:
    batches = list(iter_batches(vector.data))
    assert [batch.size for batch in batches] == list(vector.sizes) and sum(vector.sizes) == len(vector.data)
    records = [record for batch in batches for record in batch.records()]
    assert [(r.offset, r.timestamp, r.timestamp_type, r.key, r.value) for r in records] == list(vector.records)
    for batch in batches:
        assert isinstance(batch, LegacyBatch) and batch.is_valid and batch.magic == vector.magic
        assert all(message.is_valid for message in batch.messages())
        assert batch.compression_name == vector.codec and batch.records_count == (2 if batch.compression else 1)
        assert batch.base_offset == next(batch.records()).offset
        assert batch.last_offset == list(batch.records())[-1].offset == batch.next_offset - 1


@pytest.mark.parametrize("vector", LEGACY, ids=ids)
def test_golden_bytes_are_built_again(vector: LegacyVector) -> None:
    position = 0
    for size in vector.sizes:
        data = vector.data[position : position + size]
        parsed: Any = kformat.parse("legacy_message", data)
        raw: Any = kformat.parse("legacy_message", data, raw=True)
        assert kformat.build("legacy_message", raw) == data
        built = kformat.build("legacy_message", parsed)
        if vector.codec == "none":
            assert built == data and raw == parsed
        else:
            assert isinstance(raw.message.message_set, bytes)
            again: Any = kformat.parse("legacy_message", built)
            assert again.message.message_set == parsed.message.message_set
        position += size


@pytest.mark.parametrize("vector", LEGACY, ids=ids)
def test_headers_as_columns(vector: LegacyVector) -> None:
    found = read_batch_headers(vector.data)
    assert found.problem is None and found.valid_bytes == len(vector.data)
    assert found.size.tolist() == list(vector.sizes) and set(found.magic.tolist()) == {vector.magic}
    assert found.last_offset.tolist() == [batch.last_offset for batch in iter_batches(vector.data)]
    assert found.max_timestamp.tolist() == [batch.max_timestamp for batch in iter_batches(vector.data)]
    assert {CODEC_NAMES[number] for number in found.compression.tolist()} == {vector.codec}
    assert set(found.records_count.tolist()) == {1 if vector.codec == "none" else -1}
    assert set(found.producer_id.tolist()) == {-1}


# What is stored as the wrapper's offset, what as the offsets in it, what these are. Magic 1.
NUMBERED = [
    (12, (0, 1, 2), (10, 11, 12)),
    (12, (0, 2), (10, 12)),  # compacted
    (12, (5,), (12,)),
    (0, (0, 1, 2), (0, 1, 2)),  # librdkafka left the wrapper's offset 0
    (0, (7, 8), (7, 8)),
    (12, (10, 11, 12), (10, 11, 12)),  # absolute offsets come out as they are
    (2**63 - 1, (0, 1), (2**63 - 2, 2**63 - 1)),
]


@pytest.mark.parametrize(("offset", "stored", "absolute"), NUMBERED)
def test_numbers_in_wrappers_of_magic_1(offset: int, stored: tuple[int, ...], absolute: tuple[int, ...]) -> None:
    batch = only(wrapper(1, "gzip", offset, [(number, message(1)) for number in stored]))
    assert tuple(record.offset for record in batch.records()) == absolute
    assert (batch.base_offset, batch.last_offset, batch.records_count) == (absolute[0], offset, len(stored))


def test_a_cut_off_message_does_not_number_the_others() -> None:
    """Kafka passes over it in silence and numbers from the last whole one; here it is told behind them."""
    messages = [{"offset": number, "message": message(1)} for number in (0, 1, 2)]
    payload = compress(1, kformat.build("legacy_message::message_set", {"messages": messages})[:-1])
    outer = message(1, None, attributes={"compression": "gzip"}, message_set=payload)
    batch = only(kformat.build("legacy_message", {"offset": 12, "message": outer}))
    found = []
    with pytest.raises(InvalidError, match=r"message_set\.messages\[2\]"):
        for record in batch.records():
            found.append(record.offset)
    assert found == [11, 12]


def test_offsets_in_wrappers_of_magic_0_are_absolute() -> None:
    batch = only(wrapper(0, "gzip", 12, [(number, message(0)) for number in (3, 7, 12)]))
    assert [record.offset for record in batch.records()] == [3, 7, 12]


def test_timestamps_in_wrappers() -> None:
    """The wrapper's type counts, and its time where that is the broker's; magic 0 has neither, wherever it lies."""
    inner = [(0, message(1, timestamp=5)), (1, message(0)), (2, message(1, attributes={"timestamp_type": 1}))]

    def seen(data: bytes) -> list[tuple[int, int]]:
        return [(record.timestamp, int(record.timestamp_type)) for record in only(data).records()]

    assert seen(wrapper(1, "gzip", 2, inner, timestamp=77)) == [(5, 0), (-1, -1), (1000, 0)]
    by_broker = wrapper(1, "gzip", 2, inner, timestamp=77, attributes={"timestamp_type": 1})
    assert seen(by_broker) == [(77, 1), (-1, -1), (77, 1)]
    assert seen(wrapper(0, "gzip", 2, inner)) == [(5, -1), (-1, -1), (1000, -1)]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4"])
def test_everything_that_a_message_may_be(magic: int, codec: str) -> None:
    pairs = [(None, None), (b"", b""), (b"k", None), (None, b"v"), (b"k" * 300, b"v" * 70_000)]
    if codec == "none":
        entries = [{"offset": at, "message": message(magic, value, key=key)} for at, (key, value) in enumerate(pairs)]
        data = b"".join(kformat.build("legacy_message", entry) for entry in entries)
    else:
        data = wrapper(magic, codec, 4, [(at, message(magic, value, key=key)) for at, (key, value) in enumerate(pairs)])
    found = [record for batch in iter_batches(data) for record in batch.records()]
    assert [(record.key, record.value) for record in found] == pairs
    assert [record.offset for record in found] == list(range(5))
    assert all(batch.is_valid for batch in iter_batches(data))


def with_sum(data: bytes) -> bytes:
    """The entry with its checksum made right again."""
    return data[:12] + zlib.crc32(data[16:]).to_bytes(4, "big") + data[16:]


PLAIN_1 = kformat.build("legacy_message", {"offset": 7, "message": message(1, key=b"k")})
GZIP_1 = wrapper(1, "gzip", 7, [(0, message(1)), (1, message(1))])

# name, bytes, error, what its text holds
DAMAGED: list[tuple[str, bytes, type[DataError], str]] = [
    ("codec 4", with_sum(PLAIN_1[:17] + b"\4" + PLAIN_1[18:]), InvalidError, "message.attributes.compression"),
    ("value too long", with_sum(PLAIN_1[:-5] + b"\0\0\0\2v"), InvalidError, "message.value"),
    ("value too short", with_sum(PLAIN_1[:-5] + b"\0\0\0\0v"), InvalidError, "end_of_message"),
    ("key too long", with_sum(PLAIN_1[:26] + b"\x7f\xff\xff\xff" + PLAIN_1[30:]), InvalidError, "message.key"),
    ("no messages", wrapper(1, "gzip", 7, []), InvalidError, "a wrapper without messages"),
    (
        "null messages",
        with_sum(GZIP_1[:8] + (22).to_bytes(4, "big") + GZIP_1[12:30] + b"\xff" * 4),
        InvalidError,
        "a wrapper without messages",
    ),
    ("number above offset", wrapper(1, "gzip", 7, [(8, message(1))]), InvalidError, "above the wrapper's offset"),
    (
        "wrapper in wrapper",
        wrapper(1, "gzip", 7, [(0, message(1, attributes={"compression": "gzip"}))]),
        InvalidError,
        "inside of compressed messages",
    ),
    ("no gzip", with_sum(GZIP_1[:34] + b"\0" + GZIP_1[35:]), CompressionError, "message_set"),
]


@pytest.mark.parametrize(("data", "error", "text"), [case[1:] for case in DAMAGED], ids=[case[0] for case in DAMAGED])
def test_damage_is_told(data: bytes, error: type[DataError], text: str) -> None:
    batch = only(data)
    assert batch.is_valid
    with pytest.raises(error) as caught:
        list(batch.records())
    assert text in str(caught.value) and caught.value.path.startswith("legacy_message.message")
    assert caught.value.position is not None and 0 <= caught.value.position <= len(data)


@pytest.mark.parametrize(
    ("messages", "position"),
    [([], 0), ([(0, {}), (8, {})], 1), ([(0, {}), (1, {"compression": "gzip"})], 1)],
    ids=["none", "number", "nested"],
)
def test_what_is_wrong_in_a_wrapper_is_told_where_it_lies(messages: list[tuple[int, Any]], position: int) -> None:
    """The position is the entry's and, in what it inflates to, that of the message (here, of its attributes)."""
    entries = [(number, message(1, attributes=attributes)) for number, attributes in messages]
    data = PLAIN_1 + wrapper(1, "gzip", 7, entries)
    with pytest.raises(InvalidError) as caught:
        list(list(iter_batches(data))[1].records())
    size = len(kformat.build("legacy_message", {"offset": 0, "message": message(1)}))
    of_attributes = 17 if caught.value.path.endswith(".compression") else 0
    assert (caught.value.position, caught.value.inflated_position) == (len(PLAIN_1), size * position + of_attributes)


def test_the_sum_is_looked_at_when_asked() -> None:
    data = PLAIN_1[:-1] + b"w"
    batch = only(data)
    assert not batch.is_valid and [record.value for record in batch.records()] == [b"w"]
    with pytest.raises(ChecksumError, match=r":12 legacy_message\.message\.crc: crc32 of bytes 16 to "):
        batch.parse()
    inner = wrapper(1, "gzip", 7, [(0, message(1))])
    assert [message.is_valid for message in only(inner).messages()] == [True]


def test_what_inflates_is_limited() -> None:
    data = wrapper(1, "gzip", 0, [(0, message(1, bytes(1 << 20)))])
    assert len(data) < 3000
    assert [len(record.value or b"") for record in LegacyBatch(data).records()] == [1 << 20]
    with pytest.raises(LimitError):
        list(LegacyBatch(data, limit=1 << 19).records())


@pytest.mark.parametrize("data", [PLAIN_1, GZIP_1], ids=["plain", "wrapper"])
def test_cut_anywhere(data: bytes) -> None:
    for size in range(len(data)):
        found: list[Record] = []
        try:
            found += [record for batch in iter_batches(data[:size]) for record in batch.records()]
        except TruncatedError as error:
            assert error.position is not None and error.position <= size
        assert not found
        with pytest.raises(TruncatedError):
            kformat.parse("legacy_message", data[:size])


@pytest.mark.parametrize("data", [PLAIN_1, GZIP_1], ids=["plain", "wrapper"])
def test_any_byte_may_be_anything(data: bytes) -> None:
    """Nothing but typed errors, and what is read is built again."""
    for position in range(len(data)):
        for value in (0, 1, 0x7F, 0x80, 0xFF, data[position] ^ 1):
            mutated = data[:position] + bytes([value]) + data[position + 1 :]
            for fixed in (mutated, with_sum(mutated)):
                try:
                    for batch in iter_batches(fixed):
                        list(batch.records())
                        if isinstance(batch, LegacyBatch):
                            raw: Any = kformat.parse("legacy_message", fixed, checksums=False, raw=True)
                            if min(raw.message.key_length, raw.message.value_length) >= -1:  # null is written as -1
                                assert kformat.build("legacy_message", raw) == with_sum(fixed)
                except DataError:
                    pass


def test_messages_of_wrappers_are_what_the_codec_reads() -> None:
    """They are read without it, as a few kilobytes may inflate to millions."""
    chance, seen = random.Random(5), Counter[bool]()
    fields: list[dict[str, Any]] = [{"key": b"key"}, {"key": b""}, {"key": None}]
    messages = [message(magic, value, **more) for magic in (0, 1) for value in (b"v" * 9, b"", None) for more in fields]
    sound = [kformat.build("legacy_message::wrapped_message", {"offset": 7, "message": item}) for item in messages]
    for number in range(3000):
        data = b"".join(chance.sample(sound, 2))
        data = mutated(data, chance) if number % 10 else data
        try:
            value, end = parse_prefix("legacy_message::wrapped_message", data, checksums=False)
        except DataError:
            expected = None
        else:
            entry: Any = value
            item = entry.message
            timestamp = item.timestamp if item.magic else -1
            expected = (0, end, entry.offset, item.crc, item.magic, timestamp, item.key, item.value)
            if item.attributes.compression.name != "none":
                expected = None
        assert _inner_at(data, 0, len(data)) == expected, data.hex()
        seen[expected is None] += 1
    assert min(seen.values()) > 300
