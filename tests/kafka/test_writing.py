"""The fast way from records to bytes, and over them: what it gives is what the codec gives."""

from __future__ import annotations

import gc
import itertools
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kformat
from kformat.codec.constructs import parse_prefix
from kformat.codec.parsing import columns_reader
from kformat.codec.unfit import Unfit
from kformat.codec.writing import rows_writer
from kformat.errors import BuildError, DataError, UsageError
from kformat.kafka.batch.compression import CODEC_NAMES, decompress
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch, divided
from kformat.language.program import load_type
from kformat.testing import batches, records
from tests.draws import at_most
from tests.samples import current_samples
from tests.vectors import BATCHES

INT64 = st.integers(-(2**63), 2**63 - 1)
SMALL = 0, 1, 63, 64, 127, 128, 8191, 8192
WANTED = ("timestamp_delta", "offset_delta", "key_length")
RECORD = load_type("record_batch::record")


def columns_of(drawn: list[kformat.Record]) -> Columns:
    return Columns(
        [record.timestamp for record in drawn],
        [record.key for record in drawn],
        [record.value for record in drawn],
        [record.headers for record in drawn],
    )


def built(columns: Columns, base_offset: int = 0, **fields: Any) -> bytes:
    """The same batch by the codec alone."""
    timestamps, keys, values, headers, _ = columns
    rows = zip(timestamps, keys, values, headers or [()] * len(keys), strict=True)
    content = [
        {
            "timestamp_delta": timestamp - timestamps[0],
            "offset_delta": number,
            "key": key,
            "value": value,
            "headers": [{"key": name, "value": data} for name, data in pairs],
        }
        for number, (timestamp, key, value, pairs) in enumerate(rows)
    ]
    times = {"base_timestamp": timestamps[0], "max_timestamp": max(timestamps)}
    return kformat.build("record_batch", {"base_offset": base_offset, **times, "records": content, **fields})


def anything(*columns: Any) -> Columns:
    """Columns of whatever a caller may have put in."""
    return Columns(*columns)


def outcome(make: Any, *arguments: Any, **more: Any) -> bytes | str:
    """The bytes, or the error."""
    try:
        found: bytes = make(*arguments, **more)
        return found
    except UsageError as error:
        return f"{type(error).__name__} {error}"


@given(st.lists(records(timestamps=INT64) | records(), min_size=1, max_size=20), INT64)
@example([kformat.Record(0, -(2**63), 0, None, None), kformat.Record(0, 2**63 - 1, 0, None, None)], 0)
@example([kformat.Record(0, 2**62, 0, b"", b""), kformat.Record(0, -(2**62), 0, b"", b"")], 2**63 - 1)
@example([kformat.Record(0, 0, 0, b"k" * 63, b"v" * size, (("h" * size, None),)) for size in SMALL], -1)
def test_columns_become_what_the_codec_builds(drawn: list[kformat.Record], base_offset: int) -> None:
    columns = columns_of(drawn)
    expected = outcome(built, columns, base_offset)
    assert outcome(build_batch, columns, base_offset=base_offset) == expected
    if not any(columns.headers or ()):
        assert outcome(build_batch, columns._replace(headers=None), base_offset=base_offset) == expected


def test_what_a_batch_says_beside_its_records() -> None:
    columns = Columns([1000, 1005], [b"a", None], [b"1", b"2"])
    fields = BatchFields(
        leader_epoch=7, append_time=9999, producer_id=4, producer_epoch=2, base_sequence=11, is_transactional=True
    )
    batch: Any = kformat.parse("record_batch", build_batch(columns, base_offset=100, fields=fields))
    assert batch == kformat.parse(
        "record_batch",
        built(
            columns,
            100,
            partition_leader_epoch=7,
            max_timestamp=9999,
            producer_id=4,
            producer_epoch=2,
            base_sequence=11,
            attributes={"timestamp_type": "log_append_time", "is_transactional": 1},
        ),
    )


@pytest.mark.parametrize("codec", CODEC_NAMES[1:])
def test_a_payload_is_compressed_with_the_level_that_is_asked_for(codec: str) -> None:
    words = [b"offset %d of the segment, batch %d" % (number * 7919, number) for number in range(500)]
    columns = Columns([0] * 500, words, words[::-1])
    levels = [None] if codec == "snappy" else [1, None, 9 if codec == "gzip" else 17]
    batches_made = [Batch(build_batch(columns, fields=BatchFields(compression=codec, level=level))) for level in levels]
    plain = build_batch(columns)[HEADER_BYTES:]
    for batch in batches_made:
        assert batch.is_valid and batch.compression_name == codec and batch.records_count == 500
        assert decompress(batch.compression, batch.raw[HEADER_BYTES:]) == plain
    if codec != "snappy":
        assert batches_made[0].size > batches_made[-1].size, "the level does nothing"


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param(anything([1, "2"], [None] * 2, [b""] * 2), id="a timestamp that is text"),
        pytest.param(anything([1.0], [None], [b""]), id="a first timestamp that is no integer"),
        pytest.param(anything([0, 2**63], [None] * 2, [b""] * 2), id="a timestamp that does not fit"),
        pytest.param(anything([0], ["key"], [b""]), id="a key that is text"),
        pytest.param(anything([0], [None], [7]), id="a value that is a number"),
        pytest.param(anything([0], [None], [[1, 2]]), id="a value that is a list"),
        pytest.param(anything([0], [None], [b""], [[(b"name", b"")]]), id="a header's key that is bytes"),
        pytest.param(anything([0], [None], [b""], [[(None, b"")]]), id="a header without a key"),
        pytest.param(anything([0], [None], [b""], [[("name", "text")]]), id="a header's value that is text"),
        pytest.param(anything([0], [None], [b""], [[("name",)]]), id="a header that is no pair"),
        pytest.param(anything([0], [None], [b""], ["text"]), id="headers that are no list"),
        pytest.param(anything([0], [None], [b""], [5]), id="headers that are a number"),
    ],
)
def test_what_is_no_record_is_refused_by_the_codecs_own_words(columns: Any) -> None:
    with pytest.raises(BuildError, match=r"^record_batch\.") as caught:
        build_batch(columns)
    assert caught.value.path.startswith(("record_batch.records[", "record_batch.base_timestamp", "record_batch.max_"))
    with pytest.raises(BuildError):
        divided(columns, 1000)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"compression": "lzo"}, "no codec 'lzo'; there are none, gzip"),
        ({"compression": "zstd", "level": 40}, "compression level 40 does not exist for zstd"),
        ({"leader_epoch": 2**31}, "record_batch.partition_leader_epoch: does not fit"),
        ({"producer_epoch": 2**15}, "record_batch.producer_epoch: does not fit"),
        ({"append_time": -(2**63) - 1}, "record_batch.max_timestamp: does not fit"),
    ],
)
def test_what_a_header_does_not_hold_is_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        build_batch(Columns([0], [None], [b""]), fields=BatchFields(**fields))


def test_columns_are_of_one_length_and_not_empty() -> None:
    with pytest.raises(UsageError, match=r"different lengths: \[2, 1, 2\]"):
        build_batch(Columns([0, 1], [None], [b"", b""]))
    with pytest.raises(UsageError, match="at least one record"):
        build_batch(Columns([], [], []))


def test_other_kinds_of_bytes_and_integers_are_taken_as_the_codec_takes_them() -> None:
    expected = build_batch(Columns([1, 0], [b"\1\0\0\0", b"k"], [b"v", None]))
    numbers: Any = memoryview(np.array([1], "i4").data)
    given_so = anything([np.int64(1), False], [numbers, bytearray(b"k")], [memoryview(b"v"), None])
    assert build_batch(given_so) == expected


@given(st.lists(records(), min_size=1, max_size=40), st.integers(0, 400), st.sampled_from(["none", "zstd"]))
@settings(max_examples=at_most(50))
def test_batches_are_as_large_as_they_may_be(drawn: list[kformat.Record], max_bytes: int, codec: str) -> None:
    columns = columns_of(drawn)
    fields = BatchFields(compression=codec, base_sequence=2**31 - 2, producer_id=1, producer_epoch=0)
    made = divided(columns, max_bytes, base_offset=5, fields=fields)
    ends = list(itertools.accumulate((count for count, _ in made), initial=0))
    assert ends[-1] == len(drawn)
    for start, end, (count, data) in zip(ends, ends[1:], made, strict=False):
        batch = Batch(data)
        assert batch.is_valid and (batch.base_offset, batch.records_count) == (5 + start, count)
        assert [(item.key, item.value, item.timestamp) for item in batch.records()] == [
            (item.key, item.value, item.timestamp) for item in drawn[start:end]
        ]
        assert batch.base_sequence == (2**31 - 2 + start) % 2**31
        assert count == 1 or len(build_batch(columns.part(start, end))) <= max_bytes
        assert end == len(drawn) or len(build_batch(columns.part(start, end + 1))) > max_bytes


def test_many_records_are_divided_likewise_wherever_one_begins() -> None:
    """Long enough for the guess of how many will fit to be wrong in both directions."""
    values = [b"v" * (number * 37 % 400 if number // 500 % 2 else 3) for number in range(3000)]
    columns = Columns(list(range(3000)), [None] * 3000, values)
    start = 0
    for count, data in divided(columns, 4096):
        assert data == build_batch(columns.part(start, start + count), base_offset=start) and len(data) <= 4096
        more = columns.part(start, start + count + 1)
        assert start + count == 3000 or len(build_batch(more, base_offset=start)) > 4096
        start += count
    assert start == 3000


# --- passing over --------------------------------------------------------------------------------------------------


def passed_over(payload: bytes, count: int) -> Any:
    try:
        return columns_reader(RECORD, WANTED)(payload, 0, count)
    except Unfit:
        return None


def by_the_codec(payload: bytes, count: int) -> Any:
    header = {"base_timestamp": 0, "max_timestamp": 0, "records_count": 0, "records": []}
    header = {**header, "last_offset_delta": 0}
    batch = Batch(kformat.build("record_batch", header) + payload)
    batch.records_count = count
    try:
        values: list[Any] = list(batch.values())
    except DataError:
        return None
    if count == 0 and payload:
        return None
    return tuple([getattr(value, name) for value in values] for name in WANTED)


def test_records_of_brokers_are_passed_over_as_the_codec_reads_them() -> None:
    seen = 0
    for sample in current_samples():
        for segment in sample.open().segments:
            for batch in kformat.iter_batches(segment.log):
                if isinstance(batch, Batch) and batch.records_count:
                    payload = decompress(batch.compression, batch.raw[HEADER_BYTES:])
                    found = passed_over(payload, batch.records_count)
                    assert found is not None
                    values: list[Any] = list(batch.values())
                    assert found == tuple([getattr(value, name) for value in values] for name in WANTED)
                    seen += 1
    assert seen > 500


VECTOR = BATCHES[0].data[HEADER_BYTES:]


@given(batches(codecs=["none"], compacted=False, control=False), st.data())
@settings(max_examples=at_most(200))
def test_damaged_records_are_refused_where_the_codec_refuses_them(part: Any, data: Any) -> None:
    payload, count = bytearray(part.data[HEADER_BYTES:]), len(part.records)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(payload) - 1))
        payload[at] = data.draw(st.sampled_from([0, 1, 2, 127, 128, 255, payload[at] ^ 1]))
    cut = data.draw(st.sampled_from([0, 0, 0, 1, 5]))
    damaged = bytes(payload[: len(payload) - cut])
    assert passed_over(damaged, count) == by_the_codec(damaged, count)


@pytest.mark.parametrize("at", range(len(VECTOR)))
def test_every_byte_of_a_vector(at: int) -> None:
    for value in range(256):
        damaged = VECTOR[:at] + bytes([value]) + VECTOR[at + 1 :]
        assert passed_over(damaged, 2) == by_the_codec(damaged, 2), value
    assert passed_over(VECTOR[:at], 2) is None and passed_over(VECTOR, 1) is None and passed_over(VECTOR, 3) is None


def test_varints_that_are_longer_than_they_need_to_be_are_taken() -> None:
    (record,) = [VECTOR[7 + 6 :]]
    assert record[:1] == b"\x0c"
    longer = b"\x8e\x80\x80\x80\x00" + record[1:2] + b"\x82\x00" + record[3:]
    assert passed_over(longer, 1) == by_the_codec(longer, 1) == ([1], [1], [-1])


def test_types_that_a_parser_and_a_builder_alone_know() -> None:
    batch = load_type("record_batch")
    for call in (
        lambda: rows_writer(batch)([]),
        lambda: columns_reader(batch, ("crc",))(b"", 0, 0),
        lambda: rows_writer(RECORD, ("key", "value"))([]),  # without an offset
    ):
        with pytest.raises(Unfit):
            call()
    with pytest.raises(UsageError, match="key is no integer"):
        columns_reader(RECORD, ("key",))
    with pytest.raises(UsageError, match="has no field 'colour'"):
        rows_writer(RECORD, ("colour",))


def test_the_ends_of_a_number_s_range() -> None:
    """Those that fit are written, and not left to the slower codec; the next ones are refused."""
    write = rows_writer(RECORD, ("timestamp_delta", "offset_delta", "key", "value"))
    for timestamp, offset in ((2**63 - 1, 2**31 - 1), (-(2**63), -(2**31))):
        data = b"".join(write([(timestamp, offset, None, None)]))
        record: Any = kformat.parse("record_batch::record", data)
        assert (record.timestamp_delta, record.offset_delta) == (timestamp, offset)
        step = 1 if timestamp > 0 else -1
        for row in ((timestamp + step, offset, None, None), (timestamp, offset + step, None, None)):
            with pytest.raises(Unfit):
                write([row])


HEAD = "meta: {id: case, endian: be}\n"
TYPES = {
    "an integer is needed later": "seq: [{id: size, type: u2}, {id: data, size: size}]\n",
    "an integer is asked for": "seq: [{id: size, type: u2}]\n",
    "bits": "seq: [{id: high, type: b3}, {id: low, type: b5}]\n",
    "no fields": "seq: []\n",
    "Python's words": "seq: [{id: def, type: u1}, {id: rows, size: def}, {id: add, size: 1}]\n",
    "a signed length": "seq: [{id: parts, type: s1}, {id: data, size: parts, if: parts >= 0}]\n",
}


@pytest.mark.parametrize("name", TYPES)
def test_any_type_gets_a_function_or_is_refused_as_such(name: str, tmp_path: Path) -> None:
    path = tmp_path / "case.ksy"
    path.write_text(HEAD + TYPES[name])
    program = load_type(path)
    wanted = [(), *((field.name,) for field in program.fields if field.kind == "integer")]
    for names in wanted:
        read = columns_reader(program, names)
        for data in (b"", bytes(7), bytes(range(9)), b"\xff" * 9):
            for count in (0, 1, 2):
                with suppress(Unfit):
                    assert read(data, 0, count) == by_the_parser(program, names, data, count)
    with suppress(Unfit):
        assert rows_writer(program, ())([()]) == [b""]


def by_the_parser(program: Any, names: tuple[str, ...], data: bytes, count: int) -> Any:
    values, position = [], 0
    for _ in range(count):
        value, position = parse_prefix(program, data, position)
        values.append(value)
    assert position == len(data)
    return tuple([getattr(value, name) for value in values] for name in names)


VARINT = "meta: {id: case, imports: [varint]}\n"
ROWS: dict[str, tuple[str, Any, bytes | None]] = {
    "bytes": ("seq: [{id: n, type: varint(5)}, {id: data, size: n.value}]\n", b"ab", b"\4ab"),
    "text": ("seq: [{id: n, type: varint(5)}, {id: data, size: n.value, type: str, encoding: UTF-8}]\n", "ä", None),
    "text in another encoding": (
        "seq: [{id: n, type: varint(5)}, {id: data, size: n.value, type: str, encoding: UTF-16LE}]\n", "ä", None,
    ),
    "up to a terminator": ("seq: [{id: n, type: varint(5)}, {id: data, size: n.value, terminator: 0}]\n", b"ab", None),
    "padded": ("seq: [{id: n, type: varint(5)}, {id: data, size: n.value, pad-right: 1}]\n", b"ab", None),
    "up to one": (
        "seq: [{id: n, type: varint(5)}, {id: data, type: one, repeat: until, repeat-until: _.x.value == 1}]\n"
        "types: {one: {seq: [{id: x, type: varint(5)}]}}\n", [(1,)], None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_what_a_builder_makes(name: str, tmp_path: Path) -> None:
    text, item, expected = ROWS[name]
    path = tmp_path / "case.ksy"
    path.write_text(VARINT + text)
    try:
        (made,) = rows_writer(load_type(path), ("data",))([(item,)])
    except Unfit:
        assert expected is None
    else:
        assert made == kformat.build(path, {"data": item}) and expected in (None, made)


class HeldList(list[Any]):
    """A list that a weak reference may name."""


def test_what_does_not_apply_keeps_no_values() -> None:
    """An exception that is raised again keeps the frames of each time, with all that was built."""
    value: Any = kformat.parse("record_batch", BATCHES[0].data)
    value.records = HeldList(value.records[:1])  # whose number and length a builder computes
    kformat.build("record_batch", value)
    held = weakref.ref(value.records)
    del value
    gc.collect()
    assert held() is None


def test_a_timestamp_that_is_no_integer_is_refused_wherever_it_stands() -> None:
    build_batch(Columns([1, 2, 5], [None] * 3, [b""] * 3))  # whose differences are known from now on
    with pytest.raises(BuildError, match="timestamp_delta"):
        build_batch(anything([1, 2.0, 5], [None] * 3, [b""] * 3))
