"""Walking over segment files, and records: Kafka's meaning of what the codec reads."""

from __future__ import annotations

import io
import itertools
import mmap
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import FRAME_BYTES, HEADER_BYTES, MAX_LOG_BYTES
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequence, parse_control_record
from kformat.storage.byte_source import ByteSource
from tests.vectors import BATCHES, BY_NAME, NO_ATTRIBUTES, PLAIN, BatchVector

each_batch = pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.name) for vector in BATCHES])
SEGMENT = b"".join(vector.data for vector in BATCHES)
POSITIONS = np.cumsum([0, *(len(vector.data) for vector in BATCHES)]).tolist()


def batch_of(*records: dict[str, Any], **fields: Any) -> bytes:
    given = {"base_timestamp": 1000, "max_timestamp": 2000, "records": list(records)}
    return kformat.build("record_batch", given | fields)


def record(delta: int, **fields: Any) -> dict[str, Any]:
    return {"offset_delta": delta, "key": None, "value": b"v"} | fields


# --- golden batches -------------------------------------------------------------------------------------


@each_batch
def test_records_of_a_batch(vector: BatchVector) -> None:
    batch = Batch(vector.data)
    found = tuple((item.offset, item.timestamp, item.key, item.value, item.headers) for item in batch.records())
    assert found == vector.records
    attributes = NO_ATTRIBUTES | vector.attributes
    for name, value in (PLAIN | vector.header).items():
        assert getattr(batch, name) == value
    assert batch.compression == attributes["compression"]
    assert batch.compression_name == CODEC_NAMES[attributes["compression"]]
    assert batch.timestamp_type == attributes["timestamp_type"]
    assert batch.is_control == bool(attributes["is_control"])
    assert batch.is_transactional == bool(attributes["is_transactional"])
    assert batch.delete_horizon_ms == (vector.header["base_timestamp"] if attributes["has_delete_horizon"] else None)
    assert batch.is_valid and batch.computed_crc == vector.header["crc"]
    assert batch.next_offset == batch.last_offset + 1 == vector.header["base_offset"] + 1 + batch.last_offset_delta
    assert all(item.timestamp_type == attributes["timestamp_type"] and item.sequence == -1 for item in batch.records())
    assert list(batch.values()) == getattr(kformat.parse("record_batch", vector.data), "records")  # noqa: B009
    assert batch.parse() == kformat.parse("record_batch", vector.data)


def test_the_headers_of_a_segment_as_columns(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(SEGMENT)
    for source in (tmp_path / "a.log", str(tmp_path / "a.log"), SEGMENT, bytearray(SEGMENT), io.BytesIO(SEGMENT)):
        found = read_batch_headers(source)
        assert len(found) == len(BATCHES) and found.problem is None
        assert found.position.tolist() == POSITIONS[:-1] and found.valid_bytes == len(SEGMENT)
        assert found.size.tolist() == [len(vector.data) for vector in BATCHES]
        for name in PLAIN | BATCHES[0].header:
            column = getattr(found, name)
            assert column.dtype.isnative and column.ndim == 1
            assert column.tolist() == [(PLAIN | vector.header)[name] for vector in BATCHES]
        for name in NO_ATTRIBUTES:
            assert getattr(found, name).tolist() == [(NO_ATTRIBUTES | vector.attributes)[name] for vector in BATCHES]
        assert found.last_offset.tolist() == [batch.last_offset for batch in iter_batches(SEGMENT)]
        assert found.next_offset.tolist() == [batch.next_offset for batch in iter_batches(SEGMENT)]
    with pytest.raises(AttributeError):
        _ = found.offset


# --- walking --------------------------------------------------------------------------------------------


def walked(source: Any, **where: int) -> tuple[list[int], DataError | None]:
    positions = []
    try:
        for batch in iter_batches(source, **where):
            positions.append(batch.position)
    except DataError as error:
        return positions, error
    return positions, None


def test_a_file_cut_at_every_byte() -> None:
    """The batches that are all there come; then where, and why, the file ends."""
    segment = SEGMENT[: POSITIONS[4]]
    for end in range(len(segment) + 1):
        whole = [position for position, behind in itertools.pairwise(POSITIONS) if behind <= end]
        positions, error = walked(segment[:end])
        headers = read_batch_headers(segment[:end])
        assert positions == whole == headers.position.tolist()
        assert str(error) == str(headers.problem)
        sound = POSITIONS[len(whole)]
        assert headers.valid_bytes == sound
        if end == sound:
            assert error is None
        else:
            assert isinstance(error, TruncatedError)
            assert error.position == sound + (0 if end - sound < 17 else 8)
            assert str(error).startswith(f"<bytes>:{error.position} record_batch.")


def test_a_part_of_a_file() -> None:
    assert walked(SEGMENT, start=POSITIONS[2]) == (POSITIONS[2:-1], None)
    assert walked(SEGMENT, start=POSITIONS[2], end=POSITIONS[5]) == (POSITIONS[2:5], None)
    positions, error = walked(SEGMENT, start=POSITIONS[2], end=POSITIONS[3] + 1)
    assert positions == [POSITIONS[2]] and isinstance(error, TruncatedError)
    assert walked(SEGMENT, start=len(SEGMENT) + 5) == ([], None)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (bytes(100), ":8 record_batch.batch_length: no batch begins here (expected >= 14, found 0)"),
        (bytes(8) + b"\xff" * 4 + bytes(100), ":8 record_batch.batch_length: no batch begins here"
         " (expected >= 14, found -1)"),
        (bytes(11) + b"\x28" + bytes(4) + b"\2" + bytes(100), ":8 record_batch.batch_length: no batch of magic 2"
         " (expected >= 49, found 40)"),
        (bytes(11) + b"\x50" + bytes(4) + b"\xff" + bytes(100), ":16 record_batch.magic: no batch of any magic"
         " (expected >= 0, found -1)"),
        (bytes(8) + b"\x7f" + bytes(8) + bytes(100), ":8 record_batch.batch_length: the bytes end inside of a batch"
         " (expected 2130706444 bytes, found 117)"),
    ],
)  # fmt: skip
def test_where_no_batch_is(data: bytes, text: str) -> None:
    for start in (b"", BATCHES[0].data):
        positions, error = walked(start + data)
        at, _, rest = text[1:].partition(" ")
        assert str(error) == f"<bytes>:{int(at) + len(start)} {rest}" and positions == [0] * bool(start)
        assert str(read_batch_headers(start + data).problem) == str(error)


def test_older_formats_are_rows_like_others() -> None:
    legacy = bytes.fromhex("0000000000000005000000101fecd70a0000000000016b0000000176")
    found = read_batch_headers(SEGMENT + legacy)
    assert (found.valid_bytes, found.problem) == (len(SEGMENT + legacy), None)
    assert found.columns[-1].tolist() == (5, 16, -1, 0, 0x1FECD70A, 0, 0, -1, -1, -1, -1, -1, 1)
    positions, error = walked(SEGMENT + legacy)
    assert len(positions) == len(BATCHES) + 1 and error is None


def test_a_newer_magic_is_walked_over_as_kafka_does_but_not_parsed() -> None:
    data = bytearray(BATCHES[0].data)
    data[16] = 3
    (batch,) = iter_batches(bytes(data))
    assert [item.key for item in batch.records()] == [b"k", None]
    with pytest.raises(InvalidError, match="magic"):
        batch.parse()


def test_a_batch_over_the_limit_is_not_read() -> None:
    assert walked(SEGMENT) == (POSITIONS[:-1], None)
    found = []
    with pytest.raises(LimitError, match="a batch over the limit"):
        for batch in iter_batches(SEGMENT, limit=90):
            found.append(batch.position)
    assert found == POSITIONS[:1]


class Shrinking(io.BytesIO):
    """A file that somebody cuts while it is being read."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self.left = size

    def read(self, size: int | None = -1) -> bytes:
        at = self.tell()
        return super().read(size)[: max(self.left - at, 0)]


@pytest.mark.parametrize("size", [0, 5, 16, 17, 30, 60, 61, 80, 81, 90, 100, 150, 181])
def test_a_file_that_is_cut_while_it_is_read(size: int) -> None:
    source = Shrinking(SEGMENT[: POSITIONS[2]], size)
    positions, error = walked(source)
    assert isinstance(error, TruncatedError) and error.position is not None
    assert positions == [position for position, end in ((0, 81), (81, 182)) if end <= size]
    if size < POSITIONS[1] + HEADER_BYTES:  # a walk looks at headers alone
        assert isinstance(read_batch_headers(source).problem, TruncatedError)


def test_a_large_file_takes_no_memory(tmp_path: Path) -> None:
    """A batch of almost 2 GiB on a disk that stores holes; then small ones, up to where a log has to end."""
    path = tmp_path / "large.log"
    header = bytearray(BY_NAME["none"].data[:HEADER_BYTES])
    large = MAX_LOG_BYTES - len(SEGMENT)
    header[8:12] = (large - FRAME_BYTES).to_bytes(4, "big")
    with path.open("wb") as file:
        file.write(header)
        file.truncate(large)
        file.seek(0, os.SEEK_END)
        file.write(SEGMENT * 2)
    tracemalloc.start()
    found = read_batch_headers(path)
    with pytest.raises(LimitError):
        next(iter_batches(path))
    with pytest.raises(InvalidError, match="beyond what a log may hold"):
        list(iter_batches(path, large))
    assert sum(1 for _ in iter_batches(path, large, MAX_LOG_BYTES)) == len(BATCHES)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert isinstance(found.problem, InvalidError) and len(found) == 1 + len(BATCHES)
    path.write_bytes(SEGMENT * 500)
    tracemalloc.start()
    assert sum(1 for _ in iter_batches(path)) == 500 * len(BATCHES)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("source", [5, None, io.StringIO("text"), memoryview(SEGMENT)[::2]])
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(UsageError):
        read_batch_headers(source)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_batch_headers(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        next(iter_batches(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a file that can be read at a position"):
        next(iter_batches(tmp_path / "pipe"))


def test_a_source_is_closed_by_whom_opened_it(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(SEGMENT)
    with (tmp_path / "a.log").open("rb") as file:
        with ByteSource(file) as source:
            assert source.read_at(4, 3) == SEGMENT[4:7] and source.read_at(len(SEGMENT) - 1, 5) == SEGMENT[-1:]
            assert source.read_at(len(SEGMENT), 5) == b"" and source.name.endswith("a.log")
        assert not file.closed


def test_any_bytes_are_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(SEGMENT)
    positions = [batch.position for batch in iter_batches(SEGMENT)]
    with (tmp_path / "a.log").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        sources = (bytearray(SEGMENT), memoryview(SEGMENT), np.frombuffer(SEGMENT, np.uint8), io.BytesIO(SEGMENT), file)
        for source in (*sources, mapped):
            assert [batch.position for batch in iter_batches(source)] == positions
            assert read_batch_headers(source).position.tolist() == positions
    wrong: Any
    nothing_to_read: tuple[Any, ...] = (None, 5, [1], {}, io.StringIO("x"))
    for wrong in nothing_to_read:
        with pytest.raises(UsageError, match="a path, bytes or a binary file"):
            next(iter_batches(wrong))


@pytest.mark.parametrize("size", [0, 17, 60])
def test_less_than_a_header_is_no_batch(size: int) -> None:
    with pytest.raises(TruncatedError):
        Batch(BATCHES[0].data[:size])


# --- what records mean ----------------------------------------------------------------------------------


def test_log_append_time_is_every_records_time() -> None:
    raw = batch_of(
        record(0, timestamp_delta=-5),
        record(1, timestamp_delta=2**40),
        attributes={"timestamp_type": "log_append_time"},
    )
    batch = Batch(raw)
    assert [item.timestamp for item in batch.records()] == [2000, 2000]
    assert all(item.timestamp_type == TimestampType["log_append_time"] for item in batch.records())
    assert [value.timestamp_delta for value in batch.parse().records] == [-5, 2**40]  # type: ignore[attr-defined]


def test_deltas_to_a_delete_horizon() -> None:
    raw = batch_of(record(0, timestamp_delta=-99_500), base_timestamp=100_500, attributes={"has_delete_horizon": 1})
    batch = Batch(raw)
    assert batch.delete_horizon_ms == 100_500
    assert [item.timestamp for item in batch.records()] == [1000]


@pytest.mark.parametrize(
    ("sequence", "delta", "later"),
    [
        (0, 0, 0),
        (5, 3, 8),
        (2**31 - 1, 0, 2**31 - 1),
        (2**31 - 1, 1, 0),
        (2**31 - 2, 3, 1),
        (2**31 - 1, 2**31 - 1, 2**31 - 2),
        (0, 2**31 - 1, 2**31 - 1),
    ],
)
def test_sequences_wrap(sequence: int, delta: int, later: int) -> None:
    assert add_sequence(sequence, delta) == later
    raw = batch_of(record(delta), base_sequence=sequence, producer_id=1, producer_epoch=0, last_offset_delta=delta)
    batch = Batch(raw)
    assert [item.sequence for item in batch.records()] == [later] and batch.last_sequence == later


def test_no_sequence() -> None:
    batch = Batch(batch_of(record(0), record(1)))
    assert [item.sequence for item in batch.records()] == [-1, -1] and batch.last_sequence == -1


def test_gaps_that_compaction_leaves() -> None:
    batch = Batch(batch_of(record(3), record(70), base_offset=10**15, last_offset_delta=99))
    assert [item.offset for item in batch.records()] == [10**15 + 3, 10**15 + 70]
    assert batch.last_offset == 10**15 + 99


def test_offsets_at_the_end_of_int64_wrap() -> None:
    raw = batch_of(record(1), base_offset=2**63 - 1, last_offset_delta=1)
    (batch,) = iter_batches(raw)
    assert batch.last_offset == -(2**63) == read_batch_headers(raw).last_offset[0]
    assert [item.offset for item in batch.records()] == [-(2**63)]


def test_header_keys_that_are_no_text_survive() -> None:
    headers: list[dict[str, Any]] = [
        {"key": "\udcff\udcfe", "value": b"1"},
        {"key": "", "value": None},
        {"key": "\u20ac", "value": b""},
    ]
    raw = batch_of(record(0, headers=headers * 2))
    assert b"\xff\xfe" in raw
    (item,) = Batch(raw).records()
    assert item.headers == tuple((header["key"], header["value"]) for header in headers * 2)
    assert item.headers[0][0].encode("utf-8", "surrogateescape") == b"\xff\xfe"
    assert kformat.build("record_batch", kformat.parse("record_batch", raw)) == raw


def test_a_wrong_checksum_is_told_and_does_not_hide_the_records() -> None:
    data = bytearray(BY_NAME["none"].data)
    data[20] ^= 1
    batch = Batch(bytes(data))
    assert not batch.is_valid and len(list(batch.records())) == 2
    with pytest.raises(DataError):
        batch.parse()
    assert batch.parse(checksums=False).records == list(batch.values())  # type: ignore[attr-defined]


def test_an_empty_batchs_payload_is_not_looked_at() -> None:
    data = bytearray(BY_NAME["compacted, empty"].data)
    data[22] |= 1  # gzip, of nothing
    assert list(Batch(bytes(data)).records()) == []


def test_records_are_given_as_they_are_read() -> None:
    """What is wrong comes when its turn comes, with the place in the file."""
    data = bytearray(BY_NAME["none"].data)
    data[74] = 0x7E  # the second record's length
    (batch,) = iter_batches(b"x" * 5 + bytes(data), 5)
    records = batch.records()
    assert next(records).key == b"k"
    with pytest.raises(InvalidError) as caught:
        next(records)
    assert (caught.value.position, caught.value.path) == (5 + 75, "record_batch.records[1].body")


def test_records_are_values() -> None:
    one, two = Record(1, 2, 0, b"k", None), Record(1, 2, 0, b"k", None)
    assert one == two and hash(one) == hash(two)
    with pytest.raises(AttributeError):
        one.offset = 3  # type: ignore[misc]


# --- control records ------------------------------------------------------------------------------------

VOTERS_0 = [{"voter_id": 1, "tagged_fields": {}}, {"voter_id": 2, "tagged_fields": {}}]
VOTERS_1 = [{"voter_id": 1, "voter_directory_id": bytes(range(16)), "tagged_fields": {}}]


def control(key: bytes | None, value: bytes | None) -> Record:
    return Record(7, 8, 0, key, value)


@pytest.mark.parametrize(
    ("kind", "format", "value"),
    [
        ("abort", "end_txn_marker", {"coordinator_epoch": 9}),
        ("commit", "end_txn_marker", {"version": 4, "coordinator_epoch": -1}),
        ("leader_change", "leader_change_message",
         {"version": 0, "leader_id": 2, "voters": VOTERS_0, "granting_voters": VOTERS_0[:1], "tagged_fields": {}}),
        ("leader_change", "leader_change_message",
         {"version": 1, "leader_id": 1, "voters": VOTERS_1, "granting_voters": [],
          "tagged_fields": {"fields": [{"tag": 0, "data": b"new"}]}}),
    ],
)  # fmt: skip
def test_control_records(kind: str, format: str, value: dict[str, Any]) -> None:
    key = kformat.build("control_record_type_schema", {"type": kind})
    data = kformat.build(format, value)
    for behind in (b"", b"a later version's"):
        found_key, found = parse_control_record(control(key + behind, data + behind))
        assert (found_key.type.name, found_key.version) == (kind, 0)
        assert kformat.build(format, found) == data
    assert parse_control_record(control(key, None))[1] is None
    with pytest.raises(TruncatedError):
        parse_control_record(control(key, data[:-1]))


def test_the_golden_marker() -> None:
    (item,) = Batch(BY_NAME["commit marker"].data).records()
    key, value = parse_control_record(item)
    assert (key.type.name, value.version, value.coordinator_epoch) == ("commit", 0, 9)


@pytest.mark.parametrize("kind", [7, -1])
def test_control_records_that_are_not_declared(kind: int) -> None:
    key, value = parse_control_record(control(kformat.build("control_record_type_schema", {"type": kind}), b"anything"))
    assert int(key.type) == kind and value is None


@pytest.mark.parametrize("key", [None, b"", b"\0\0\0", b"\xff\xff\0\0"])
def test_keys_that_are_none(key: bytes | None) -> None:
    with pytest.raises(DataError):
        parse_control_record(control(key, b""))


# --- a property: one at a time or all at once, whatever the codec ---------------------------------------

int32, int64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
records = st.fixed_dictionaries(
    {
        "timestamp_delta": st.integers(-5, 5) | int64,
        "offset_delta": st.integers(0, 5) | int32,
        "key": st.none() | st.binary(max_size=8),
        "value": st.none() | st.binary(max_size=80),
        "headers": st.lists(
            st.fixed_dictionaries(
                {
                    "key": st.binary(max_size=5).map(lambda key: key.decode("utf-8", "surrogateescape")),
                    "value": st.none() | st.binary(max_size=5),
                }
            ),
            max_size=3,
        ),
    }
)
batches = st.fixed_dictionaries(
    {
        "base_offset": int64,
        "partition_leader_epoch": int32,
        "last_offset_delta": int32,
        "base_timestamp": int64,
        "max_timestamp": int64,
        "producer_id": int64,
        "producer_epoch": st.integers(-(2**15), 2**15 - 1),
        "base_sequence": int32,
        "attributes": st.fixed_dictionaries(
            {
                name: st.integers(0, 1)
                for name in ("has_delete_horizon", "is_control", "is_transactional", "timestamp_type")
            }
            | {"compression": st.sampled_from(CODEC_NAMES), "reserved": st.integers(0, 511)}
        ),
        "records": st.lists(records, max_size=5),
    }
)


@settings(deadline=None)
@given(batches)
def test_one_at_a_time_is_all_at_once(given: dict[str, Any]) -> None:
    data = kformat.build("record_batch", given)
    parsed: Any = kformat.parse("record_batch", data)
    batch = Batch(data)
    assert list(batch.values()) == parsed.records
    assert all(isinstance(value, Value) for value in parsed.records)
    for item, value, wanted in zip(batch.records(), parsed.records, given["records"], strict=True):
        assert {name: plain for name, plain in value._asdict().items() if name in wanted} | {"headers": []} == (
            wanted | {"headers": []}
        )
        assert (item.key, item.value) == (wanted["key"], wanted["value"])
        assert item.headers == tuple((header["key"], header["value"]) for header in wanted["headers"])
        assert (item.offset - batch.base_offset - wanted["offset_delta"]) % 2**64 == 0
        if not given["attributes"]["timestamp_type"]:
            assert (item.timestamp - batch.base_timestamp - wanted["timestamp_delta"]) % 2**64 == 0
    again = kformat.build("record_batch", parsed)
    assert again == data
    (header,) = iter_batches(data)
    assert header.is_valid and header.raw == data and repr(header).startswith("<Batch <bytes>:0 offsets ")
