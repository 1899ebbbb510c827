"""What a leader and a follower do to batches: golden bytes of Kafka's LogValidator, what is refused and in which words,
and that nothing is changed by the way. Beside Kafka's own classes: test_leader_judge.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

import kformat
from kformat.errors import KformatError, UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.compression import compress
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import Batch, Record
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.testing import message_sets
from kformat_engine import errors
from kformat_engine.batching import AppendBatch, Prepared, analyze_batches, prepare_batches, prepare_records
from kformat_engine.config import LogConfig
from tests.damages import batch_of, patched, record_bytes
from tests.draws import at_most
from tests.engine.leader_cases import NOW, REFUSALS, TWO, Append, bits, of_deltas, plain
from tests.samples import all_samples
from tests.vectors import BY_NAME, LEGACY

PLAIN = LogConfig()
STAMPING = LogConfig(message_timestamp_type="LogAppendTime")
GIVEN = BY_NAME["from a producer"].data
ROWS: list[Any] = [
    {"timestamp": 1000, "key": b"a", "value": b"1"},
    {"timestamp": 1005, "key": b"b", "value": b"2"},
    {"timestamp": 1003, "key": b"c"},
]
GOLDEN = [
    pytest.param(PLAIN, "appended, create time", 1005, id="create time"),
    pytest.param(STAMPING, "appended, log append time", 9999, id="log append time"),
    pytest.param(LogConfig(compression_type="lz4"), "appended, compressed by the topic", 1005, id="compressed anew"),
]


def append(data: bytes, config: LogConfig = PLAIN, offset: int = 0, now_ms: int = NOW, **more: Any) -> Prepared:
    (prepared,) = prepare_batches(data, offset, 7, config, now_ms, **more)
    return prepared


def records_of(made: Sequence[Prepared]) -> list[Record]:
    return [record for prepared in made for record in Batch(bytes(prepared.data)).records()]


# --- golden bytes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("config", "name", "largest"), GOLDEN)
def test_a_producers_batch_becomes_what_kafka_makes_of_it(config: LogConfig, name: str, largest: int) -> None:
    prepared = append(GIVEN, config, 100, 9999)
    expected = BY_NAME[name].data
    assert bytes(prepared.data) == expected
    assert prepared.batches == (AppendBatch(100, 102, largest, 102, len(expected), 7, 2, -1),)
    assert prepared.records_count == 3


@pytest.mark.parametrize(("config", "name", "largest"), GOLDEN)
def test_plain_records_become_the_same_bytes(config: LogConfig, name: str, largest: int) -> None:
    (prepared,) = prepare_records(ROWS, 100, 7, config, 9999)
    expected = BY_NAME[name].data
    assert bytes(prepared.data) == expected
    assert prepared.batches == (AppendBatch(100, 102, largest, 102, len(expected), 7, 2, -1),)


def test_the_checksum_stays_where_nothing_that_it_covers_changes() -> None:
    assert Batch(bytes(append(GIVEN, PLAIN, 2**40, 9999).data)).crc == Batch(GIVEN).crc


# --- a leader, ready batches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "error", "words"), [pytest.param(case, error, words, id=name) for name, case, error, words in REFUSALS]
)
def test_what_a_leader_refuses(case: Append, error: str, words: str) -> None:
    with pytest.raises(KformatError) as caught:
        prepare_batches(case.data, case.next_offset, 7, case.config, case.now_ms)
    assert type(caught.value).__name__ == error and words in str(caught.value), caught.value


@pytest.mark.parametrize(("case", "error"), [pytest.param(case, error, id=name) for name, case, error, _ in REFUSALS])
def test_one_wrong_batch_and_none_is_appended(case: Append, error: str) -> None:
    """The sound one in front is not given back, and the place of the wrong one is told."""
    with pytest.raises(KformatError, match=rf"(batch 1 at|at) position {len(GIVEN)}") as caught:
        prepare_batches(_same_size() + case.data, 0, 7, case.config, NOW)
    assert type(caught.value).__name__ == error


def _same_size() -> bytes:
    """A batch that every log takes, as long as the golden one."""
    found = plain(NOW, key=b"k" * (len(GIVEN) - len(plain(NOW, key=b""))))
    assert len(found) == len(GIVEN)
    return found


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.name) for vector in LEGACY])
def test_a_leader_takes_no_messages_of_magic_0_and_1(vector: Any) -> None:
    with pytest.raises(
        errors.InvalidRecordError, match=r"batch 0 at position 0 has magic [01]; a leader appends magic 2"
    ):
        prepare_batches(vector.data, 0, 0, PLAIN, NOW)


def test_a_batch_over_the_largest_size() -> None:
    exact = LogConfig(max_message_bytes=len(TWO))
    assert append(TWO, exact).data
    with pytest.raises(errors.RecordTooLargeError, match=rf"has {len(TWO)} bytes; max.message.bytes is {len(TWO) - 1}"):
        prepare_batches(TWO, 0, 0, LogConfig(max_message_bytes=len(TWO) - 1), NOW)
    compressed = plain(*[NOW] * 500, compression="zstd")
    config = LogConfig(compression_type="uncompressed", max_message_bytes=len(compressed) + 100)
    with pytest.raises(errors.RecordTooLargeError, match=r"compressed as none, has \d+ bytes"):
        prepare_batches(compressed, 0, 0, config, NOW)


def test_several_batches_are_as_many_appends() -> None:
    data = TWO + plain(NOW, producer_id=5, producer_epoch=1, base_sequence=0) + plain(NOW, NOW, NOW, compression="gzip")
    made = prepare_batches(data, 2**33, 3, PLAIN, NOW)
    assert [(item.batches[0].base_offset - 2**33, item.batches[0].last_offset - 2**33) for item in made] == [
        (0, 1),
        (2, 2),
        (3, 5),
    ]
    assert [item.batches[0].producer_id for item in made] == [-1, 5, -1]
    assert [item.records_count for item in made] == [2, 1, 3]
    assert [record.offset - 2**33 for record in records_of(made)] == list(range(6))
    assert all(Batch(bytes(item.data)).partition_leader_epoch == 3 for item in made)


@pytest.mark.parametrize("kind", [bytes, bytearray, lambda data: memoryview(bytearray(data))])
@pytest.mark.parametrize("config", [PLAIN, STAMPING, LogConfig(compression_type="zstd")])
def test_what_is_given_is_not_changed(kind: Any, config: LogConfig) -> None:
    data = kind(TWO + TWO)
    made = prepare_batches(data, 77, 5, config, NOW)
    assert bytes(data) == TWO + TWO
    assert [item.batches[0].base_offset for item in made] == [77, 79]
    prepare_batches(data, 77, 5, config, NOW, validate=False)
    analyze_batches(made[0].data, config)
    assert bytes(data) == TWO + TWO


@pytest.mark.parametrize("cut", range(1, len(TWO)))
def test_the_beginning_of_a_batch_at_the_end_is_left_out(cut: int) -> None:
    (prepared,) = prepare_batches(TWO + TWO[:cut], 0, 7, PLAIN, NOW)
    assert bytes(prepared.data) == bytes(append(TWO).data)
    assert prepare_batches(TWO[:cut], 0, 7, PLAIN, NOW) == []
    assert analyze_batches(TWO + TWO[:cut], PLAIN).data == TWO
    assert analyze_batches(TWO[:cut], PLAIN) == Prepared(b"", (), 0)


def test_without_validation_only_the_framing_is_looked_at() -> None:
    damaged = patched(TWO, mend=False, crc=1, max_timestamp=-77)
    prepared = append(damaged, offset=9, validate=False)
    assert bytes(prepared.data) == patched(damaged, mend=False, base_offset=9, partition_leader_epoch=7)
    assert prepared.batches == (AppendBatch(9, 10, -77, 10, len(TWO), 7, 2, -1),)
    for wrong in (patched(TWO, mend=False, batch_length=3), patched(TWO, mend=False, magic=-1)):
        with pytest.raises(errors.CorruptBatchError):
            append(wrong, validate=False)
    with pytest.raises(errors.InvalidRecordError, match="last_offset_delta -1"):
        append(patched(TWO, last_offset_delta=-1), validate=False)


@pytest.mark.parametrize(
    ("config", "timestamp", "is_taken"),
    [
        (LogConfig(message_timestamp_before_max_ms=1000), NOW - 1000, True),
        (LogConfig(message_timestamp_before_max_ms=1000), NOW - 1001, False),
        (LogConfig(message_timestamp_after_max_ms=1000), NOW + 1000, True),
        (LogConfig(message_timestamp_after_max_ms=1000), NOW + 1001, False),
        (LogConfig(message_timestamp_before_max_ms=0, message_timestamp_after_max_ms=0), NOW, True),
        (LogConfig(message_timestamp_before_max_ms=0, message_timestamp_after_max_ms=0), -1, True),
        (PLAIN, 0, True),
        (PLAIN, NOW + 3_600_000, True),
        (PLAIN, NOW + 3_600_001, False),
        (LogConfig(message_timestamp_type="LogAppendTime", message_timestamp_before_max_ms=0), 0, True),
    ],
)
def test_bounds_of_timestamps_are_strict(config: LogConfig, timestamp: int, is_taken: bool) -> None:
    records = [{"timestamp": timestamp, "key": b"k"}]
    for attempt in (
        lambda: prepare_batches(plain(timestamp), 0, 0, config, NOW),
        lambda: prepare_batches(plain(timestamp, compression="lz4"), 0, 0, config, NOW),
        lambda: prepare_records(records, 0, 0, config, NOW),
    ):
        if is_taken:
            assert len(attempt()) == 1
        else:
            with pytest.raises(errors.InvalidTimestampError, match=f"has the timestamp {timestamp}, at {NOW} expected"):
                attempt()


def test_what_a_producer_says_of_the_largest_timestamp_is_put_right() -> None:
    batch = Batch(bytes(append(patched(TWO, max_timestamp=3)).data))
    assert batch.max_timestamp == NOW + 5 and batch.is_valid


def test_unused_bits_go_where_attributes_are_written_anew_and_only_there() -> None:
    odd = patched(TWO, attributes=bits(reserved=3))
    assert Batch(bytes(append(odd).data)).attributes == bits(reserved=3)
    assert Batch(bytes(append(odd, STAMPING).data)).attributes == bits(timestamp_type=1)


def test_compressing_anew_keeps_all_that_a_producer_said() -> None:
    rows = Record(0, NOW, 0, b"k", None, (("h", b"x"), ("h", None))), Record(0, NOW - 3, 0, None, b"v")
    (made,) = prepare_records(rows, 0, -1, PLAIN, NOW)
    source = patched(
        bytes(made.data), producer_id=8, producer_epoch=2, base_sequence=40, attributes=bits(is_transactional=1)
    )
    for codec in ("gzip", "snappy", "lz4", "zstd"):
        batch = Batch(bytes(append(source, LogConfig(compression_type=codec), 500).data))
        assert (batch.compression_name, batch.is_valid, batch.is_transactional) == (codec, True, True)
        assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (8, 2, 40)
        assert list(batch.records()) == [
            Record(500, NOW, 0, b"k", None, (("h", b"x"), ("h", None)), 40),
            Record(501, NOW - 3, 0, None, b"v", (), 41),
        ]
        again = append(patched(batch.raw, base_offset=0), LogConfig(compression_type="uncompressed"), 500)
        assert bytes(again.data) == patched(source, mend=False, base_offset=500, partition_leader_epoch=7)


def test_another_level_of_the_same_codec_is_no_reason_to_compress_anew() -> None:
    source = plain(*[NOW] * 50, compression="zstd", level=1)
    kept = append(source, LogConfig(compression_type="zstd", compression_zstd_level=19))
    assert bytes(kept.data)[HEADER_BYTES:] == source[HEADER_BYTES:]


def test_offsets_in_disorder() -> None:
    """Kafka stores plain ones as they are, and fails over compressed ones; with another codec they are numbered."""
    assert bytes(append(of_deltas((1, 0))).data) == patched(of_deltas((1, 0)), mend=False, partition_leader_epoch=7)
    with pytest.raises(errors.InvalidRecordError, match="compressed records count from 0, found 1, 0"):
        append(of_deltas((1, 0), 4))
    anew = append(of_deltas((1, 0), 4), LogConfig(compression_type="gzip"), 10)
    assert [record.offset for record in records_of([anew])] == [10, 11]


def test_a_compressed_record_that_says_a_wrong_length_is_refused() -> None:
    """Kafka's leader does not look, and its consumers fail."""
    record = record_bytes(timestamp_delta=0, offset_delta=0)
    wrong = bytes([record[0] + 2]) + record[1:]
    for codec in (0, 2):
        payload = compress(codec, wrong)
        batch = patched(batch_of(0, payload, 1, NOW), attributes=bits(compression=codec))
        with pytest.raises(errors.InvalidRecordError, match=r"batch 0 at position 0: .*records\[0\]"):
            append(batch)


def test_a_payload_that_inflates_beyond_all_measure_is_refused() -> None:
    payload = compress(4, bytes(DEFAULT_INFLATE_LIMIT + 1))
    batch = patched(batch_of(0, payload, 2**31 - 1, NOW), attributes=bits(compression=4))
    assert len(batch) < 20_000
    with pytest.raises(errors.InvalidRecordError, match=r"batch 0 at position 0: .*decompresses to more than"):
        append(batch)


def test_offsets_end_where_numbers_end() -> None:
    assert append(TWO, offset=MAX_INT64 - 2).batches[0].last_offset == MAX_INT64 - 1
    for offset in (MAX_INT64 - 1, MAX_INT64, -1):
        for validate in (True, False):
            with pytest.raises(errors.OffsetOrderError, match=f"2 offsets from {offset} on do not fit"):
                append(TWO, offset=offset, validate=validate)
        with pytest.raises(errors.OffsetOrderError, match=f"2 offsets from {offset} on do not fit"):
            prepare_records([b"", b""], offset, 0, PLAIN, NOW)


@pytest.mark.parametrize("profile", ["first-offset", "last-offset", "batch-time", "per-batch"])
def test_which_offset_goes_with_the_largest_timestamp(profile: str) -> None:
    """The record's own where writers up to 3.7 looked at records; of several equal ones the first."""
    by_record = profile in ("first-offset", "last-offset")
    times = (NOW, NOW + 5, NOW + 5, NOW)
    records = [{"timestamp": time} for time in times]
    config = LogConfig(writer_profile=profile)
    for made in (append(plain(*times), config, 10), *prepare_records(records, 10, 0, config, NOW)):
        assert made.batches[0].max_timestamp_offset == (11 if by_record else 13)
    stamping = LogConfig(writer_profile=profile, message_timestamp_type="LogAppendTime")
    for made in (
        append(plain(*times), stamping, 10),
        append(plain(*times, compression="lz4"), config, 10),
        append(plain(*times), LogConfig(writer_profile=profile, compression_type="lz4"), 10),
        *prepare_records(records, 10, 0, stamping, NOW),
        *prepare_records(records, 10, 0, config, NOW, "gzip"),
        analyze_batches(append(plain(*times), config, 10).data, config),
    ):
        assert made.batches[0].max_timestamp_offset == 13


# --- a leader, plain records ---------------------------------------------------------------------------------------


def test_the_forms_in_which_records_are_given() -> None:
    forms: list[Any] = [
        b"value",
        (b"key", b"value"),
        (None, None),
        {"value": bytearray(b"value"), "headers": [("h", b"1")]},
        {"timestamp": -1, "key": memoryview(b"key")},
        {"timestamp": None, "headers": None},
        Record(99, NOW - 7, 0, b"key", None, (("h", None),), sequence=4),
    ]
    expected = [
        Record(5, NOW, 0, None, b"value"),
        Record(6, NOW, 0, b"key", b"value"),
        Record(7, NOW, 0, None, None),
        Record(8, NOW, 0, None, b"value", (("h", b"1"),)),
        Record(9, -1, 0, b"key", None),
        Record(10, NOW, 0, None, None),
        Record(11, NOW - 7, 0, b"key", None, (("h", None),)),
    ]
    assert records_of(prepare_records(forms, 5, 0, PLAIN, NOW)) == expected
    assert records_of(prepare_records(iter(forms), 5, 0, PLAIN, NOW)) == expected
    for number in range(len(forms)):  # each form by itself has a way of its own
        (record,) = records_of(prepare_records([forms[number]], expected[number].offset, 0, PLAIN, NOW))
        assert record == expected[number]
    assert prepare_records([], 5, 0, PLAIN, NOW) == []


@pytest.mark.parametrize(
    ("given_so", "words"),
    [
        (b"value", "takes a list of records, not bytes"),
        ({"value": b""}, "takes a list of records, not dict"),
        (7, "takes a list of records, not int"),
        ((b"key", b"value"), "takes a list of records, not tuple"),
        ((None, b"value"), "takes a list of records, not tuple"),
        ([None], "record 0 is a NoneType"),
        ([b"", "text"], "record 1 is a str"),
        ([(b"", b"", b"")], "record 0 is a tuple"),
        ([{"values": b""}], "record 0 has 'values'; a record has timestamp, key, value, headers"),
        ([{"timestamp": "now"}], "record 0 has the timestamp 'now'"),
        ([{"timestamp": 1.5}], "record 0 has the timestamp 1.5"),
        ([(b"key", "text")], r"record_batch.records\[0\].value: bytes are expected"),
        ([b"", (7, b"")], r"record_batch.records\[1\].key: bytes are expected"),
        ([{"headers": [(b"name", b"")]}], r"records\[0\].headers\[0\].key: text"),
        ([{"headers": 5}], "record 0 has the headers 5; pairs of a name and bytes are expected"),
    ],
)
def test_what_is_no_record_is_refused(given_so: Any, words: str) -> None:
    with pytest.raises(errors.InvalidRecordError, match=words):
        prepare_records(given_so, 0, 0, PLAIN, NOW)


def test_records_are_looked_at_as_a_leader_looks_at_them() -> None:
    compacted = LogConfig(cleanup_policy=("compact",))
    with pytest.raises(errors.InvalidRecordError, match=r"record 1 has no key, which cleanup\.policy=compact needs"):
        prepare_records([(b"k", b""), (None, b"")], 0, 0, compacted, NOW)
    for timestamp in (-2, 2**63):
        with pytest.raises(errors.InvalidTimestampError, match=f"record 0 has the timestamp {timestamp}; -1"):
            prepare_records([{"timestamp": timestamp}], 0, 0, STAMPING, NOW)
    late = LogConfig(message_timestamp_before_max_ms=1000)
    for least in (-1, NOW):
        with pytest.raises(errors.InvalidTimestampError, match=r"^record 1 has the timestamp 7, at"):
            prepare_records([{"timestamp": time} for time in (least, 7, NOW)], 0, 0, late, NOW)
    many = [{"timestamp": NOW + 10**9}] * 10
    with pytest.raises(errors.InvalidTimestampError, match="; and 7 more"):
        prepare_records(many, 0, 0, PLAIN, NOW)


def test_records_are_divided_into_batches() -> None:
    values = [bytes([65 + number % 26]) * (number % 300) for number in range(1000)]
    made = prepare_records(values, 40, 2, PLAIN, NOW, batch_bytes=4096)
    assert len(made) > 30 and all(len(item.data) <= 4096 and len(item.batches) == 1 for item in made)
    assert [record.value for record in records_of(made)] == values
    assert [record.offset for record in records_of(made)] == list(range(40, 1040))
    assert sum(item.records_count for item in made) == 1000
    assert [len(item.data) > 16000 for item in prepare_records(values, 0, 0, PLAIN, NOW)] == [True] * 9 + [False]
    small = LogConfig(max_message_bytes=1000)
    assert all(len(item.data) <= 1000 for item in prepare_records(values, 0, 0, small, NOW))
    large, small_one = prepare_records([b"v" * 5000, b""], 0, 0, PLAIN, NOW, batch_bytes=4096)
    assert len(large.data) > 4096 > len(small_one.data)


def test_a_record_over_the_largest_size() -> None:
    config = LogConfig(max_message_bytes=500)
    with pytest.raises(errors.RecordTooLargeError, match=r"the batch of records 2 to 2 has 5\d\d bytes"):
        prepare_records([b"v" * 300, b"v" * 300, b"v" * 500], 0, 0, config, NOW)
    # Compressed it may fit.
    assert len(prepare_records([b"v" * 5000], 0, 0, config, NOW, compression="zstd")) == 1


@pytest.mark.parametrize(
    ("config", "compression", "codec"),
    [
        (PLAIN, None, "none"),
        (PLAIN, "zstd", "zstd"),
        (LogConfig(compression_type="gzip"), None, "gzip"),
        (LogConfig(compression_type="gzip"), "none", "none"),
        (LogConfig(compression_type="gzip"), "uncompressed", "none"),
        (LogConfig(compression_type="uncompressed"), None, "none"),
        (LogConfig(compression_type="snappy"), None, "snappy"),
    ],
)
def test_which_codec_plain_records_get(config: LogConfig, compression: str | None, codec: str) -> None:
    (made,) = prepare_records([b"value"], 0, 0, config, NOW, compression)
    assert Batch(bytes(made.data)).compression_name == codec


def test_levels_are_those_of_the_configuration() -> None:
    values = [b"offset %d of %d" % (number * 7919 % 1000, number) for number in range(900)]
    for codec, name, high in (("gzip", "compression_gzip_level", 9), ("zstd", "compression_zstd_level", 19)):
        sizes = []
        for level in (1, high):
            config = LogConfig(compression_type=codec, **{name: level})  # type: ignore[arg-type]
            (made,) = prepare_records(values, 0, 0, config, NOW, batch_bytes=1 << 20)
            (ready,) = prepare_records(values, 0, -1, PLAIN, NOW, batch_bytes=1 << 20)
            assert append(bytes(ready.data), config).batches[0].size == len(made.data)
            sizes.append(len(made.data))
        assert sizes[0] > sizes[1]


def test_an_unknown_codec() -> None:
    with pytest.raises(UsageError, match="no codec 'lzo'; there are none, gzip"):
        prepare_records([b""], 0, 0, PLAIN, NOW, compression="lzo")


# --- a follower ----------------------------------------------------------------------------------------------------


def test_batches_of_brokers_are_taken_as_they_are() -> None:
    seen = 0
    for sample in all_samples():
        for segment in sample.open().segments:
            data = segment.log.read_bytes()
            prepared = analyze_batches(data, PLAIN)
            batches = list(kformat.iter_batches(segment.log))
            assert prepared.data == data[: sum(batch.size for batch in batches)]
            assert [
                (item.last_offset, item.max_timestamp, item.size, item.leader_epoch, item.magic, item.producer_id)
                for item in prepared.batches
            ] == [
                (
                    batch.last_offset,
                    batch.max_timestamp,
                    batch.size,
                    batch.partition_leader_epoch,
                    batch.magic,
                    batch.producer_id,
                )
                for batch in batches
            ]
            seen += len(batches)
    assert seen > 1000


def test_a_follower_asks_for_growing_offsets_and_sound_batches() -> None:
    first, second = patched(TWO, base_offset=5), patched(TWO, base_offset=100)
    found = analyze_batches(first + second, LogConfig(max_message_bytes=10))
    assert [(item.base_offset, item.last_offset) for item in found.batches] == [(5, 6), (100, 101)]
    for again in (first, patched(TWO, base_offset=4)):
        with pytest.raises(
            errors.OffsetOrderError, match=rf"batch 1 at position {len(TWO)} ends with offset [56]; one above 6"
        ):
            analyze_batches(first + again, PLAIN)
    with pytest.raises(
        errors.CorruptBatchError, match=f"batch 1 at position {len(TWO)} has a wrong checksum: stored 000004d2"
    ):
        analyze_batches(first + patched(second, mend=False, crc=1234), PLAIN)
    with pytest.raises(errors.CorruptBatchError, match="batch 0 at position 0 has codec 7; 0 to 4 are expected"):
        analyze_batches(patched(first, attributes=7), PLAIN)
    with pytest.raises(errors.CorruptBatchError, match="its magic is 3, expected 0 to 2"):
        analyze_batches(patched(first, mend=False, magic=3), PLAIN)


@given(message_sets())
@settings(max_examples=at_most(30))
def test_message_sets_are_taken_as_they_are(log: Any) -> None:
    prepared = analyze_batches(log.data, PLAIN)
    assert prepared.data == log.data and prepared.records_count == len(log.parts)
    assert [(item.last_offset, item.leader_epoch) for item in prepared.batches] == [
        (part.last_offset, -1) for part in log.parts
    ]
