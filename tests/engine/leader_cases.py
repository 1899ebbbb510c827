"""Appends to a leader, for tests: a table of what it refuses (Kafka's LogValidatorTest has most of them), and drawn
ones, sound and not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kformat.integers import MAX_INT64
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.language.layout import layout
from kformat_engine.config import LogConfig
from tests.damages import batch_of, patched, record_bytes

NOW: Final = 1_700_000_000_000
EPOCH: Final = 7
_BITS: Final = layout("record_batch").bits("attributes")


@dataclass(frozen=True)
class Append:
    """Bytes of a producer, and the log that they are for."""

    data: bytes
    config: LogConfig
    next_offset: int = 0
    now_ms: int = NOW


def bits(**fields: int) -> int:
    """Attributes with these bits."""
    return sum(value << _BITS[name].shift for name, value in fields.items())


def plain(*timestamps: int, key: bytes | None = b"key", **fields: Any) -> bytes:
    """A sound batch with a record for each timestamp."""
    count = len(timestamps)
    return build_batch(Columns(timestamps, [key] * count, [b"value"] * count), fields=BatchFields(**fields))


def of_deltas(deltas: tuple[int, ...], codec: int = 0, **fields: int) -> bytes:
    """A batch whose records say these offset deltas, in this order."""
    payload = b"".join(record_bytes(offset_delta=delta, timestamp_delta=0) for delta in deltas)
    batch = batch_of(0, compress(codec, payload), len(deltas), NOW)
    changed = {"last_offset_delta": len(deltas) - 1, "attributes": bits(compression=codec), **fields}
    return patched(batch, mend=True, partition_leader_epoch=-1, **changed)


TWO: Final = plain(NOW, NOW + 5)
_STAMPED: Final = bits(timestamp_type=1)
_BROKERS_TIME: Final = LogConfig(message_timestamp_type="LogAppendTime")
_TIGHT: Final = LogConfig(message_timestamp_before_max_ms=1000, message_timestamp_after_max_ms=1000)
_COMPACTED: Final = LogConfig(cleanup_policy=("compact",))
_TIGHT_AND_COMPACTED: Final = LogConfig(message_timestamp_before_max_ms=1000, cleanup_policy=("compact",))
_MIXED: Final = build_batch(Columns([NOW, NOW, NOW - 1001], [None, b"k", b"k"], [b"v"] * 3))

# (what is wrong, the append, our error, what it says)
REFUSALS: Final[list[tuple[str, Append, str, str]]] = [
    ("base offset", Append(patched(TWO, base_offset=1), LogConfig()), "InvalidRecordError", "is 0, found 1"),
    ("checksum", Append(patched(TWO, mend=False, crc=1), LogConfig()), "CorruptBatchError",
     "has a wrong checksum: stored 00000001, computed"),
    ("no records", Append(patched(TWO, records_count=0), LogConfig()), "InvalidRecordError", "records_count is 0"),
    ("a negative count", Append(patched(TWO, records_count=-2), LogConfig()), "InvalidRecordError",
     "records_count is -2"),
    ("more records than offsets", Append(patched(TWO, last_offset_delta=0), LogConfig()), "InvalidRecordError",
     "covers 1 offsets but has 2 records"),
    ("fewer records than offsets", Append(patched(TWO, last_offset_delta=2), LogConfig()), "InvalidRecordError",
     "covers 3 offsets but has 2 records"),
    ("no offset", Append(patched(TWO, last_offset_delta=-1), LogConfig()), "InvalidRecordError", "covers no offset"),
    ("a record more than said", Append(patched(TWO, records_count=1, last_offset_delta=0), LogConfig()),
     "InvalidRecordError", "bytes are left over"),
    ("a record fewer than said", Append(patched(TWO, records_count=3, last_offset_delta=2), LogConfig()),
     "InvalidRecordError", "past the end"),
    ("a control batch", Append(patched(TWO, attributes=bits(is_control=1)), LogConfig()), "InvalidRecordError",
     "only a broker writes control records"),
    ("a producer without sequence", Append(patched(TWO, producer_id=0, producer_epoch=0), LogConfig()),
     "InvalidRecordError", "producer 0 without a sequence number"),
    ("no key where compacted", Append(plain(NOW, NOW, key=None), _COMPACTED), "InvalidRecordError",
     "record 0 has no key, which cleanup.policy=compact needs; record 1 has no key"),
    ("too old", Append(plain(NOW, NOW - 1001), _TIGHT), "InvalidTimestampError",
     f"record 1 has the timestamp {NOW - 1001}, at {NOW} expected within 1000 ms before it"),
    ("too new", Append(plain(NOW + 1001, NOW), _TIGHT), "InvalidTimestampError",
     f"record 0 has the timestamp {NOW + 1001}"),
    ("too new by default", Append(plain(NOW + 3_600_001), LogConfig()), "InvalidTimestampError", "3600000 ms after"),
    ("a key and a time that are wrong", Append(_MIXED, _TIGHT_AND_COMPACTED), "InvalidTimestampError",
     "record 0 has no key, which cleanup.policy=compact needs; record 2 has the timestamp"),
    ("stamped for a broker's time", Append(patched(TWO, attributes=_STAMPED), _BROKERS_TIME), "InvalidTimestampError",
     "record 0: only a broker sets log_append_time"),
    ("stamped without a time", Append(patched(TWO, attributes=_STAMPED, max_timestamp=-1), LogConfig()),
     "InvalidTimestampError", "log_append_time"),
    ("stamped too late", Append(patched(TWO, attributes=_STAMPED, max_timestamp=NOW + 1001), _TIGHT),
     "InvalidTimestampError", "record 0"),
    ("compressed bytes that are none", Append(patched(TWO, attributes=bits(compression=4)), LogConfig()),
     "InvalidRecordError", "zstd"),
    ("a batch shorter than a header", Append(TWO[:30].replace(TWO[8:12], bytes([0, 0, 0, 18]), 1), LogConfig()),
     "CorruptBatchError", "has 30 bytes; at least 61"),
    ("a length below any batch's", Append(patched(TWO, mend=False, batch_length=13), LogConfig()), "CorruptBatchError",
     "its length is 13, expected >= 14"),
    ("a magic to come", Append(patched(TWO, mend=False, magic=3), LogConfig()), "CorruptBatchError", "its magic is 3"),
]  # fmt: skip


def drawn(count: int, seed: int) -> Iterator[Append]:
    """Appends of every kind, most of them with one thing that is odd."""
    dice = random.Random(seed)
    for _ in range(count):
        config = LogConfig(
            message_timestamp_type=dice.choice(["CreateTime", "CreateTime", "LogAppendTime"]),
            message_timestamp_before_max_ms=dice.choice([MAX_INT64, MAX_INT64, 1000, 0]),
            message_timestamp_after_max_ms=dice.choice([MAX_INT64, 3_600_000, 1000, 0]),
            compression_type=dice.choice(["producer", "producer", "uncompressed", *CODEC_NAMES[1:]]),
            cleanup_policy=dice.choice([("delete",), ("delete",), ("compact",), ("compact", "delete")]),
        )
        yield Append(_drawn_batch(dice), config, next_offset=dice.choice([0, 1, 100, 2**31, 2**40]))


def _drawn_batch(dice: random.Random) -> bytes:
    count = dice.randint(1, 6)
    odd_time = dice.choice([None, None, None, -1, 0, -5, NOW + 10**9, MAX_INT64, -MAX_INT64 - 1])
    near = [0] * 11 + [1, 999, 1000, 1001, -999, -1000, -1001]
    times = [NOW + dice.choice(near) for _ in range(count)]
    if odd_time is not None:
        times[dice.randrange(count)] = odd_time
    if dice.random() < 0.1:
        times = [-1] * count
    keys = [dice.choice([b"key", b"", b"k" * 70, None if dice.random() < 0.3 else b"k"]) for _ in range(count)]
    values = [dice.choice([b"value", b"", None, b"v" * 300]) for _ in range(count)]
    headers = [dice.choice([(), (), (("h", b"x"), ("é", None)), (("", b""),)]) for _ in range(count)]
    producer: dict[str, Any] = {}
    if dice.random() < 0.3:
        producer = {"producer_id": 9, "producer_epoch": 1, "base_sequence": dice.choice([0, 2**31 - 1, -1])}
        producer["is_transactional"] = dice.random() < 0.5
    codec = dice.choice(CODEC_NAMES)
    fields = BatchFields(compression=codec, **producer)
    wide = max(times) - min(times) > MAX_INT64 or abs(times[0]) > 2**62
    batch = build_batch(Columns([NOW] * count if wide else times, keys, values, headers), fields=fields)
    return _made_odd(batch, codec, dice)


def _made_odd(batch: bytes, codec: str, dice: random.Random) -> bytes:
    attributes = bits(compression=CODEC_NAMES.index(codec))
    number = dice.randint(0, 21)
    match number:
        case 0:
            return patched(batch, max_timestamp=dice.choice([-1, 0, NOW + 77, MAX_INT64]))
        case 1:
            return patched(batch, attributes=attributes | bits(timestamp_type=1))
        case 2:
            return patched(batch, attributes=attributes | bits(reserved=dice.choice([1, 255, 511])), max_timestamp=3)
        case 3:
            return patched(batch, attributes=attributes | bits(has_delete_horizon=1))
        case 4:
            return of_deltas(dice.choice([(0, 0), (1, 0), (0, 2), (5,), (-1, 7)]), dice.randint(0, 4))
        case 5:
            return patched(batch, attributes=attributes | bits(is_control=1))
        case 6:
            return patched(batch, base_offset=dice.choice([1, -1]))
        case 7:
            return patched(batch, records_count=dice.choice([-1, 0, 1, 2, 7]))
        case 8:
            delta = dice.choice([-1, 0, 1, 2**31 - 1])
            return patched(batch, last_offset_delta=delta, records_count=delta + 1 if delta < 10 else delta)
        case 9:
            return patched(batch, mend=False, crc=77)
        case 10:
            return batch[: len(batch) - dice.randint(1, 70)]
        case 11:
            return batch + batch[: dice.randint(1, 60)]
        case 12:
            return patched(batch, mend=False, partition_leader_epoch=5)
        case 13:
            return patched(batch, base_timestamp=dice.choice([-1, 0, MAX_INT64, -MAX_INT64 - 1]))
        case 14 | 15 | 16 if codec == "none":
            body = bytearray(batch)
            start = layout("record_batch").header_dtype.itemsize
            body[dice.randrange(start, len(body))] = dice.choice([0, 1, 2, 3, 127, 128, 255])
            return patched(bytes(body))
    return batch
