"""The codec: golden bytes in both directions, user formats, errors with place and path, what building computes."""

from __future__ import annotations

import copy
import math
import pickle
import random
import struct
import threading
import zlib
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import construct
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat import errors
from kformat.codec.constructs import construct_of, parse_prefix
from kformat.codec.values import Value
from kformat.errors import BuildError, ChecksumError, DataError, InvalidError, LimitError, TruncatedError, UsageError
from kformat.kafka.batch.compression import CODEC_NAMES, compress
from kformat.language.declaration import load_declaration, parse_declaration
from kformat.language.layout import layout
from kformat.language.program import TypeProgram, compile_declaration, load_program, load_type
from tests.draws import at_most
from tests.vectors import BATCHES, BY_NAME, LONG_VARINTS, NO_ATTRIBUTES, PLAIN, VARINTS, BatchVector

FORMATS = Path(__file__).parents[1] / "declarations"
TELEMETRY, LETTER, ARCHIVE = (load_declaration(FORMATS / f"{name}.ksy") for name in ("telemetry", "letter", "archive"))

some = settings(max_examples=at_most(50), deadline=None)  # other programs share the machine

each_batch = pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.name) for vector in BATCHES])


def declared(tmp_path: Path, text: str, name: str = "case") -> Path:
    path = tmp_path / f"{name}.ksy"
    path.write_text(f"meta: {{id: {name}, endian: be, encoding: UTF-8, imports: [varint]}}\n{text}", encoding="utf-8")
    return path


# --- golden batches -------------------------------------------------------------------------------------------------


@each_batch
def test_batch_is_read_field_by_field(vector: BatchVector) -> None:
    batch: Any = kformat.parse("record_batch", vector.data)
    plain = batch._asdict()
    records = plain.pop("records")
    assert plain.pop("attributes") == NO_ATTRIBUTES | vector.attributes
    assert plain == PLAIN | vector.header
    log_append_time = vector.attributes.get("timestamp_type") == 1
    found = tuple(
        (
            batch.base_offset + record["offset_delta"],
            batch.max_timestamp if log_append_time else batch.base_timestamp + record["timestamp_delta"],
            record["key"],
            record["value"],
            tuple((header["key"], header["value"]) for header in record["headers"]),
        )
        for record in records
    )
    assert found == vector.records
    for record in records:
        assert record["key_length"] == (-1 if record["key"] is None else len(record["key"]))
        assert record["value_length"] == (-1 if record["value"] is None else len(record["value"]))
        assert record["headers_count"] == len(record["headers"])


@each_batch
def test_batch_is_built_again(vector: BatchVector) -> None:
    batch: Any = kformat.parse("record_batch", vector.data)
    for shape in (batch, batch._asdict(), SimpleNamespace(**batch._asdict())):
        built = kformat.build("record_batch", shape)
        if not vector.is_compressed:
            assert built == vector.data
        again: Any = kformat.parse("record_batch", built)
        assert again.records == batch.records
        assert again.attributes == batch.attributes
    start = layout("record_batch").end("records_count")
    framing = {"gzip": 10, "snappy": 20, "lz4": 7, "zstd": 5}.get(CODEC_NAMES[batch.attributes.compression], 0)
    assert built[start : start + framing] == vector.data[start : start + framing]


@pytest.mark.parametrize("name", ["compacted, empty", "none"])
def test_lengths_counts_and_checksums_are_computed_whatever_is_said_of_them(name: str) -> None:
    given = kformat.parse("record_batch", BY_NAME[name].data)._asdict()
    given |= {"batch_length": 7, "crc": 1, "records_count": 99}
    for record in given["records"]:
        record |= {"length": -4, "key_length": 77, "headers_count": 5}
    assert kformat.build("record_batch", given) == BY_NAME[name].data


FLOATS = "-3.4028234663852886e+38..3.4028234663852886e+38"
DOUBLES = "-1.7976931348623157e+308..1.7976931348623157e+308"


def test_the_smallest_description_of_a_batch() -> None:
    record = {"offset_delta": 0, "key": None, "value": b"v"}
    built = kformat.build("record_batch", {"base_timestamp": 5, "max_timestamp": 5, "records": [record]})
    batch: Any = kformat.parse("record_batch", built)
    assert (batch.last_offset_delta, batch.magic, batch.producer_id, batch.partition_leader_epoch) == (0, 2, -1, -1)
    assert batch.attributes._asdict() == NO_ATTRIBUTES
    assert batch.records[0]._asdict() == {
        "length": 7, "attributes": 0, "timestamp_delta": 0, "offset_delta": 0, "key_length": -1, "key": None,
        "value_length": 1, "value": b"v", "headers_count": 0, "headers": [],
    }  # fmt: skip


def test_enums_by_name_member_and_number() -> None:
    batch: Any = kformat.parse("record_batch", BY_NAME["none"].data)
    zstd: Any = kformat.parse("record_batch", BY_NAME["zstd"].data)
    for compression in ("zstd", 4, zstd.attributes.compression):
        batch.attributes.compression = compression
        again: Any = kformat.parse("record_batch", kformat.build("record_batch", batch))
        assert again.attributes.compression.name == "zstd" and again.records == batch.records


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("control_record_type_schema", {"version": 0, "type": "commit"}),
        ("control_record_type_schema", {"version": 3, "type": 99}),
        ("end_txn_marker", {"version": 0, "coordinator_epoch": 9}),
        ("record_batch::attributes", {"is_control": 1, "compression": "lz4"}),
        ("offset_index", {"entries": [{"relative_offset": 1, "position": 2}]}),
        ("time_index", {"entries": [{"timestamp": -1, "relative_offset": 2}] * 3}),
        ("offset_index", {"entries": []}),
    ],
)
def test_small_structures_both_ways(name: str, value: dict[str, Any]) -> None:
    data = kformat.build(name, value)
    parsed = kformat.parse(name, data)
    assert kformat.build(name, parsed) == data and kformat.parse(name, data) == parsed
    program = load_type(name)
    if not program.bits and layout(program).is_fixed:
        assert len(data) == layout(program).size


# --- varints ----------------------------------------------------------------------------------------------------------


def of_varints(most: int) -> dict[str, TypeProgram]:
    text = f"""
meta: {{id: case, imports: [varint]}}
seq: [{{id: v, type: varint({most})}}]
types: {{unsigned: {{seq: [{{id: v, type: varint::unsigned({most})}}]}}}}
"""
    return load_program(parse_declaration(text)).types


SIGNED, UNSIGNED = ({most: of_varints(most)[name] for most in (5, 10)} for name in ("case", "case::unsigned"))


@pytest.mark.parametrize(("value", "data", "most"), VARINTS)
def test_varint(value: int, data: str, most: int) -> None:
    assert kformat.parse(SIGNED[most], bytes.fromhex(data))._asdict() == {"v": value}
    assert kformat.build(SIGNED[most], {"v": value}).hex() == data


@pytest.mark.parametrize(("value", "data", "most"), LONG_VARINTS)
def test_long_varint(value: int, data: str, most: int) -> None:
    assert kformat.parse(SIGNED[most], bytes.fromhex(data))._asdict() == {"v": value}


@pytest.mark.parametrize("most", [5, 10])
def test_a_varint_that_does_not_end(most: int) -> None:
    with pytest.raises(InvalidError) as caught:
        kformat.parse(SIGNED[most], b"\xff" * 1000)
    assert str(caught.value) == (
        f"<bytes>:0 case.v: a varint that does not end (expected at most {most} bytes, found {'ff' * most})"
    )
    with pytest.raises(TruncatedError):
        kformat.parse(SIGNED[most], b"\xff" * (most - 1))


@pytest.mark.parametrize("most", [5, 10])
@some
@given(data=st.data())
def test_varints_both_ways(most: int, data: st.DataObject) -> None:
    bits = {5: 32, 10: 64}[most]
    value = data.draw(st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
    assert kformat.parse(SIGNED[most], kformat.build(SIGNED[most], {"v": value}))._asdict() == {"v": value}
    count = data.draw(st.integers(0, 2**bits - 1))
    assert kformat.parse(UNSIGNED[most], kformat.build(UNSIGNED[most], {"v": count}))._asdict() == {"v": count}


# --- formats of users -------------------------------------------------------------------------------------------------

texts = (
    st.text(max_size=10)
    .filter(lambda text: len(text.encode("utf-8", "surrogatepass")) < 40)
    .map(lambda text: text.encode("utf-8", "ignore").decode())
)
readings = st.fixed_dictionaries(
    {
        "sequence": st.integers(0, 2**32 - 1),
        "station": st.integers(-(2**63), 2**63 - 1),
        "temperature": st.floats(width=32, allow_nan=False),
        "pressure": st.floats(allow_nan=False),
        "flags": st.fixed_dictionaries({"is_calibrated": st.integers(0, 1), "unit": st.integers(0, 3)}),
        "tag": st.text(alphabet="abcXYZ-09", min_size=4, max_size=4),
        "kind": st.sampled_from(["indoor", 2, 77]),
        "samples": st.lists(st.integers(-(2**15), 2**15 - 1), min_size=3, max_size=3),
        "corners": st.lists(
            st.fixed_dictionaries({"x": st.integers(-9, 9), "y": st.integers(-(2**31), 2**31 - 1)}),
            min_size=2,
            max_size=2,
        ),
        "key": st.binary(min_size=16, max_size=16),
    }
)


@some
@given(st.lists(readings, max_size=4))
def test_fixed_structures_are_what_numpy_sees(given: list[dict[str, Any]]) -> None:
    data = kformat.build(TELEMETRY, {"readings": given})
    parsed: Any = kformat.parse(TELEMETRY, data)
    assert kformat.build(TELEMETRY, parsed) == data
    shape = layout(load_program(TELEMETRY).types["telemetry::reading"])
    assert len(data) == shape.size * len(given)
    bits = shape.bits("flags")
    for row, reading in zip(np.frombuffer(data, shape.dtype), parsed.readings, strict=True):
        for name in ("sequence", "station", "temperature", "pressure", "kind"):
            assert row[name] == getattr(reading, name)
        assert row["tag"].decode() == reading.tag
        assert row["key"].tobytes() == reading.key and row["mark"].tobytes() == reading.mark == b"TL"
        assert row["samples"].tolist() == reading.samples
        assert [tuple(corner) for corner in row["corners"].tolist()] == [(c.x, c.y) for c in reading.corners]
        for name, bit in bits.items():
            assert int(row["flags"]) >> bit.shift & bit.mask == getattr(reading.flags, name)


letters = st.fixed_dictionaries(
    {
        "language": st.sampled_from(["de", "en"]),
        "options": st.just({"has_priority": 1}),
        "priority": st.sampled_from(["low", "normal", "high", 300]),
        "sender": texts,
        "subject": st.none() | texts,
        "paragraphs": st.lists(
            st.fixed_dictionaries(
                {
                    "weight": st.integers(-(2**63), 2**63 - 1),
                    "words": st.lists(st.fixed_dictionaries({"text": st.binary(max_size=5)}), max_size=3),
                    "note": st.binary(min_size=2, max_size=2),
                }
            ),
            max_size=3,
        ),
        "first": st.integers(0, 2**32 - 1),
        "rest": st.lists(st.floats(allow_nan=False), max_size=3),
        "stamp": st.none()
        | st.fixed_dictionaries(
            {"cents": st.integers(0, 65535), "codes": st.lists(st.binary(min_size=2, max_size=2), max_size=3)}
        ),
        "postscript": st.binary(max_size=9),
    }
)


def plain_subset(parsed: Any, given: Any) -> Any:
    """What was given, as it came back: only the fields that were given."""
    if isinstance(given, dict):
        return {name: plain_subset(parsed[name], value) for name, value in given.items()}
    if isinstance(given, list):
        return [plain_subset(*pair) for pair in zip(parsed, given, strict=True)]
    return getattr(parsed, "name", parsed) if isinstance(given, str) else parsed


@some
@given(letters)
def test_everything_without_a_fixed_size(given: dict[str, Any]) -> None:
    data = kformat.build(LETTER, given)
    parsed: Any = kformat.parse(LETTER, data)
    assert plain_subset(parsed._asdict(), given) == given
    assert kformat.build(LETTER, parsed) == data
    assert pickle.loads(pickle.dumps(parsed)) == parsed == copy.deepcopy(parsed)
    assert struct.pack("<I", given["first"]) in data  # inlined from a little-endian file into a big-endian one


@some
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "names": st.lists(texts, max_size=3).map(lambda names: [{"text": name} for name in names]),
                "lines": st.lists(texts, max_size=3).map(lambda names: [{"text": name} for name in names]),
                "codec": st.sampled_from(CODEC_NAMES),
            }
        ),
        max_size=3,
    )
)
def test_checksums_of_an_extent_known_at_the_end(given: list[dict[str, Any]]) -> None:
    data = kformat.build(ARCHIVE, {"chunks": given})
    parsed: Any = kformat.parse(ARCHIVE, data)
    assert plain_subset(parsed._asdict(), {"chunks": given}) == {"chunks": given}
    assert parsed.signature == b"ARC1"
    position = 6
    for chunk in parsed.chunks:
        size = 4 + 1 + sum(1 + name.length for name in chunk.names) + 5 + chunk.packed_size
        assert chunk.sum == zlib.crc32(data[position + 4 : position + size])
        position += size
    if all(chunk["codec"] == "none" for chunk in given):
        assert kformat.build(ARCHIVE, parsed) == data


@pytest.mark.parametrize("bit", range(0, 8 * 30, 3))
def test_damaged_archives(bit: int) -> None:
    chunk = {"names": [{"text": "name"}], "lines": [{"text": "line"}]}
    data = bytearray(kformat.build(ARCHIVE, {"chunks": [chunk, chunk]}))
    position = data.index(b"name") - 6 + bit // 8
    data[position] ^= 1 << bit % 8
    with pytest.raises(DataError) as caught:
        kformat.parse(ARCHIVE, data)
    assert caught.value.position is not None and caught.value.path.startswith("archive.chunks[")


# --- errors: place, path, words ---------------------------------------------------------------------------------------


def broken(data: bytes, changes: dict[int, int]) -> bytes:
    found = bytearray(data)
    for position, value in changes.items():
        found[position] = value
    return bytes(found)


NONE, GZIP = BY_NAME["none"].data, BY_NAME["gzip"].data
EMPTY = BY_NAME["compacted, empty"].data
A_BIT_LONG = kformat.build("record_batch", {"base_timestamp": 0, "max_timestamp": 0, "records": []}) + b"x"


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        pytest.param(
            b"", TruncatedError, "f:1000 record_batch.base_offset: the bytes end here (expected 8 more, found 0)",
            id="nothing"),
        pytest.param(
            NONE[:30], TruncatedError,
            "f:1027 record_batch.base_timestamp: the bytes end here (expected 8 more, found 3)", id="in the header"),
        pytest.param(
            NONE[:68], TruncatedError,
            "f:1068 record_batch.records[0].value: the bytes end here (expected 1 more, found 0)", id="in a record"),
        pytest.param(
            GZIP[:90], TruncatedError,
            "f:1061 record_batch.payload: the bytes end here (expected 40 more, found 29)", id="in what is compressed"),
        pytest.param(
            broken(NONE, {16: 1}), InvalidError,
            "f:1016 record_batch.magic: a value that is not allowed (expected 2, found 1)", id="magic"),
        pytest.param(
            broken(NONE, {11: 48}), InvalidError,
            "f:1008 record_batch.batch_length: a value that is not allowed (expected >= 49, found 48)", id="too short"),
        pytest.param(
            broken(NONE, {17: 0}), ChecksumError,
            "f:1017 record_batch.crc: crc32c of bytes 1021 to 1080 differs (expected fa891760, found 00891760)",
            id="checksum"),
        pytest.param(
            NONE + b"xy", InvalidError,
            "f:1081 record_batch: bytes are left over (expected the end, found 2 bytes)", id="bytes behind"),
    ],
)  # fmt: skip
def test_error(data: bytes, kind: type[DataError], text: str) -> None:
    with pytest.raises(kind) as caught:
        kformat.parse("record_batch", data, source="f", position=1000)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("position", "value", "text"),
    [
        (22, 5, "attributes.compression: a value that is not allowed "
                "(expected one of 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd, found 5)"),
        (57, 0x80, "records_count: a value that is not allowed (expected >= 0, found -2147483646)"),
        (60, 1, "records.end_of_records: bytes are left over"),
        (60, 3, "records[2].length: runs past the end of the structure that it is in (expected at most 0 bytes"),
        (61, 0x01, "records[0].length: a value that is not allowed (expected >= 0, found -1)"),
        (61, 0x1A, "records[0].end_of_record: bytes are left over (expected the end, found 1 bytes)"),
        (61, 0x7E, "records[0].body: runs past the end of the structure that it is in (expected at most 19 bytes"),
        (65, 0x7E, "records[0].key: runs past the end of the structure that it is in (expected at most 8 bytes"),
        (69, 0x01, "records[0].headers_count: a value that is not allowed (expected >= 0, found -1)"),
        (69, 0x04, "records[0].headers[1].key_length: "
                   "runs past the end of the structure that it is in (expected at most 0 bytes, found 1)"),
        (70, 0x01, "records[0].headers[0].key_length: a value that is not allowed (expected >= 0, found -1)"),
    ],
)  # fmt: skip
def test_error_behind_the_checksum(position: int, value: int, text: str) -> None:
    with pytest.raises(InvalidError) as caught:
        kformat.parse("record_batch", broken(NONE, {position: value}), checksums=False)
    found = str(caught.value)
    assert text.removeprefix("records.end_of") in found and caught.value.path.startswith("record_batch.")


def test_error_inside_what_is_inflated() -> None:
    payload = bytearray(BY_NAME["none"].data[61:])
    payload[9 + 0] = 0x01  # the key's length of the only header
    given = compress(1, bytes(payload))
    header = bytearray(GZIP[:61])
    header[8:12] = (49 + len(given)).to_bytes(4, "big")
    with pytest.raises(InvalidError) as caught:
        kformat.parse("record_batch", bytes(header) + given, source="f", position=1000, checksums=False)
    error = caught.value
    assert (error.place, error.position, error.inflated_position) == ("f:1000+9", 1000, 9)
    assert error.path == "record_batch.records[0].headers[0].key_length"
    assert [record.key for record in error.partial.records] == [b"k"]


def test_paths_inside_lists_of_lists(tmp_path: Path) -> None:
    path = declared(
        tmp_path,
        """
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: count, type: s1}, {id: cells, type: u1, repeat: expr, repeat-expr: count}, {id: end, type: u1}]}
""",
    )
    with pytest.raises(TruncatedError) as caught:
        kformat.parse(path, bytes([1, 7, 0, 2, 8, 9, 0, 0xFF, 0, 3, 1]))
    assert str(caught.value) == "<bytes>:11 case.rows[3].cells[1]: the bytes end here (expected 1 more, found 0)"
    assert [row.count for row in caught.value.partial.rows] == [1, 2, -1, 3]


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("[{id: n, type: s1}, {id: a, size: n}]", b"\xff", "1 case.a: a negative size (expected >= 0, found -1)"),
        ("[{id: n, type: s8}, {id: a, size: n + n}]", b"\x7f" + bytes(7), "8 case.a: n + n is 18302628885633695744, "
         "outside of 64 bits"),
        ("[{id: n, type: s8}, {id: a, type: b, size: n - 1, -inline: true}]", b"\x80" + bytes(7), "8 case.a: n - 1 is "
         "-9223372036854775809, outside of 64 bits"),
        ("[{id: n, type: u1}, {id: a, type: b, size: 4 / n}]", b"\0",
         "1 case.a: 4 / n has no value, where n is 0: division by zero"),
        ("[{id: n, type: u1}, {id: a, type: b, if: 1 / n > 0}]", b"\0",
         "1 case.a: (1 / n) > 0 has no value, where n is 0: division by zero"),
        ("[{id: n, type: u1}, {id: a, type: b, size: 1, if: 1 / n > 0}]", b"\0",
         "1 case.a: (1 / n) > 0 has no value, where n is 0: division by zero"),
        ("[{id: n, type: u1}, {id: a, type: u1, repeat: expr, repeat-expr: 1 << n}]", b"\x40",
         "1 case.a: 1 << n has no value, where n is 64: shift by 64"),
        ("[{id: a, type: b, size: 3}]", b"abc", "1 case.a: bytes are left over (expected the end, found 2 bytes)"),
        ("[{id: n, type: u1}, {id: s, type: u1, if: n != 0}, {id: a, size: s}]", b"\0",
         "1 case.a: the size s is null, where an integer is needed"),
        ("[{id: n, type: u1}, {id: s, type: u1, if: n != 0}, {id: a, type: u1, repeat: expr, repeat-expr: s}]", b"\0",
         "1 case.a: the count s is null, where an integer is needed"),
        ("[{id: n, size: 2}, {id: a, type: b, size: 3}]", b"abc",
         "3 case.a: the bytes end here (expected 2 more, found 0)"),
        ("[{id: a, type: c, size: 3}]", b"abc", "3 case.a.x: runs past the end of the structure that it is in "
         "(expected at most 0 bytes, found 4)"),
        ("[{id: a, contents: GO}]", b"NO",
         "0 case.a: not the contents declared (expected 474f 'GO', found 4e4f 'NO')"),
        ("[{id: a, contents: [1, 2]}]", b"\1\3", "0 case.a: not the contents declared (expected 0102, found 0103)"),
        ("[{id: a, type: str, size: 2, valid: '\"ab\"'}]", b"ac", "0 case.a: a value that is not allowed "
         "(expected 'ab', found 'ac')"),
        ("[{id: a, type: u1, valid: {expr: _ % 2 == 0 and _ > 3}}]", b"\2",
         "0 case.a: a value that is not allowed (expected ((a % 2) == 0) and (a > 3), found 2)"),
        ("[{id: a, type: u1, valid: {any-of: [1, 7]}}]", b"\2",
         "0 case.a: a value that is not allowed (expected one of 1, 7, found 2)"),
    ],
)  # fmt: skip
def test_words(tmp_path: Path, text: str, data: bytes, message: str) -> None:
    types = "types: {b: {seq: [{id: x, type: u1}]}, c: {seq: [{id: w, size: 3}, {id: x, type: u4}]}}"
    path = declared(tmp_path, f"seq: {text}\n{types}")
    with pytest.raises(DataError) as caught:
        kformat.parse(path, data)
    assert str(caught.value) == f"<bytes>:{message}"


def test_a_cut_window_inside_a_window(tmp_path: Path) -> None:
    path = declared(
        tmp_path,
        """
seq: [{id: outer, type: outer, size: 10}]
types:
  outer: {seq: [{id: a, type: inner, size: 3}, {id: b, type: inner, size: 7}]}
  inner: {seq: [{id: x, type: u1}, {id: rest, size-eos: true}]}
""",
    )
    data = bytes(range(10))
    whole: Any = kformat.parse(path, data)
    assert (whole.outer.a.rest, whole.outer.b.rest) == (b"\1\2", b"\4\5\6\7\x08\x09")
    for cut in range(10):
        with pytest.raises(TruncatedError) as caught:
            kformat.parse(path, data[:cut])
        assert caught.value.position == cut and caught.value.path.startswith("case.outer")
    with pytest.raises(InvalidError, match="left over"):
        kformat.parse(path, data + b"\0")


def test_whatever_is_read_can_be_built_and_read_again() -> None:
    """Mutated bytes of every format: typed errors, or a value from which bytes come that give the same value."""
    source = random.Random("mutations")
    letter = {
        "language": "en", "sender": "A", "subject": "x", "options": {"has_priority": 1}, "priority": "high",
        "paragraphs": [{"words": [{"text": b"hi"}, {"text": b""}], "note": b"xx"}], "first": 7, "rest": [1.5],
        "stamp": {"cents": 3, "codes": [b"ab"]}, "postscript": b"PS",
    }  # fmt: skip
    chunk = {"names": [{"text": "a"}], "lines": [{"text": "line"}] * 3}
    seeds: list[tuple[Any, bytes]] = [
        (LETTER, kformat.build(LETTER, letter)),
        (ARCHIVE, kformat.build(ARCHIVE, {"chunks": [chunk, chunk | {"codec": "gzip"}]})),
        *(("record_batch", vector.data) for vector in BATCHES),
        ("leader_change_message", bytes.fromhex("0000000000020200000001000200000001000103026162")),
    ]
    read = 0
    for _ in range(3000):
        format, data = source.choice(seeds)
        changed = bytearray(data)
        for _ in range(source.randint(1, 2)):
            at = source.randrange(len(changed))
            changed[at : at + source.choice((0, 1, 1, 1))] = bytes([source.choice((0, 1, 2, 0x7F, 0x80, 0xFF))])
        try:
            value = kformat.parse(format, changed, checksums=False)
        except DataError as error:
            assert error.path and error.position is not None and str(error).isprintable()
            continue
        read += 1
        again = kformat.parse(format, kformat.build(format, value))
        # What is computed is made as writers make it: null has the length -1, sums are right.
        assert without_computed(again) == without_computed(value)
    assert read > 500


def without_computed(value: Any) -> Any:
    if isinstance(value, Value):
        left_out = {field.name for field in value._type.fields if field.computed or field.raw}
        return {name: without_computed(getattr(value, name)) for name in value._fields if name not in left_out}
    return [without_computed(item) for item in value] if isinstance(value, list) else repr(value)


# --- what cannot be built ---------------------------------------------------------------------------------------------

RECORD = {"offset_delta": 0, "key": b"k", "value": b"v"}
BATCH = {"base_timestamp": 0, "max_timestamp": 0}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "record_batch: a structure is expected (expected record_batch, found null)"),
        ([], "record_batch: a structure is expected (expected record_batch, found a list)"),
        ({"offset": 1}, "record_batch: record_batch has no field 'offset'; it has base_offset, batch_length"),
        ({}, "record_batch.base_timestamp: is missing"),
        (BATCH | {"base_timestamp": None}, "record_batch.base_timestamp: may not be null"),
        (BATCH | {"base_timestamp": "1"}, "record_batch.base_timestamp: base_timestamp is an integer without names"),
        (BATCH | {"base_timestamp": 1.5}, "record_batch.base_timestamp: an integer is expected (found a float)"),
        (BATCH | {"base_timestamp": 2**63}, "record_batch.base_timestamp: does not fit (expected -922337203685477580"),
        (BATCH | {"magic": 1}, "record_batch.magic: a value that is not allowed (expected 2, found 1)"),
        (BATCH | {"attributes": 0}, "record_batch.attributes: a structure is expected"),
        (BATCH | {"attributes": {"is_control": 2}}, "record_batch.attributes.is_control: does not fit (expected 0..1"),
        (BATCH | {"attributes": {"compression": 6}}, "unknown compression codec 6"),
        (BATCH | {"attributes": {"compression": "brotli"}}, "record_batch.attributes.compression: 'brotli' is no"),
        (BATCH | {"records": b"abc"}, "record_batch.records: a list is expected (found bytes)"),
        (BATCH | {"records": 5}, "record_batch.records: a list is expected (found an integer)"),
        (BATCH | {"records": [RECORD, 7]}, "record_batch.records[1]: a structure is expected"),
        (BATCH | {"records": [{"key": b"k"}]}, "record_batch.records[0].offset_delta: is missing"),
        (BATCH | {"records": [RECORD | {"key": "k"}]}, "record_batch.records[0].key: bytes are expected (found text)"),
        (BATCH | {"records": [RECORD | {"headers": [{"key": None}]}]}, "records[0].headers[0].key: may not be null"),
        (BATCH | {"records": [RECORD | {"headers": [{}]}]}, "records[0].headers[0].key: is missing"),
        (BATCH | {"records": [RECORD | {"headers": [{"key": b"k"}]}]}, "headers[0].key: text is expected"),
        (BATCH | {"records": [RECORD | {"headers": [{"key": "\ud800"}]}]}, "headers[0].key: text that is"),
        (BATCH | {"records": [RECORD | {"offset_delta": 2**31}]}, "records[0].offset_delta: does not fit"),
        (BATCH | {"records": [RECORD], "last_offset_delta": 2**40}, "record_batch.last_offset_delta: does not fit"),
    ],
)  # fmt: skip
def test_build_error(given: Any, text: str) -> None:
    with pytest.raises(BuildError) as caught:
        kformat.build("record_batch", given)
    assert text in str(caught.value)
    assert isinstance(caught.value, UsageError) and isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("fields", "value", "text"),
    [
        ("[{id: a, type: u1}, {id: b, type: u1, if: a == 1}]", {"a": 1}, "case.b: may not be null here"),
        ("[{id: a, type: u1}, {id: b, type: u1, if: a == 1}]", {"a": 0, "b": 3}, "case.b: must be null, since a == 1"),
        ("[{id: a, type: u1}, {id: b, type: x, if: a == 1}]", {"a": 1}, "case.b: may not be null here"),
        ("[{id: a, type: u1}, {id: b, type: x, size: 1, if: a == 1}]", {"a": 1}, "case.b: may not be null here"),
        ("[{id: a, type: u1}, {id: b, size: 1, if: a == 1}]", {"a": 1}, "case.b: may not be null here"),
        ("[{id: a, type: u1}, {id: b, type: u1, repeat: eos, if: a == 1}]", {"a": 1}, "case.b: may not be null here"),
        ("[{id: a, type: f4}]", {"a": "1"}, "case.a: a number is expected (found text)"),
        ("[{id: a, type: f4}]", {"a": 1e300}, f"case.a: does not fit (expected {FLOATS}, found 1e+300)"),
        ("[{id: a, type: f4}]", {"a": -(10**39)}, f"case.a: does not fit (expected {FLOATS}, found -1{'0' * 39})"),
        ("[{id: a, type: f4}]", {"a": 10**400}, f"case.a: does not fit (expected {FLOATS}, found 1{'0' * 400})"),
        ("[{id: a, type: f8}]", {"a": 1 << 20000}, f"case.a: does not fit (expected {DOUBLES}, found an"),
        ("[{id: a, type: f8}]", {"a": Fraction(10**400)}, f"case.a: does not fit (expected {DOUBLES}, found "),
        ("[{id: a, type: f8, repeat: eos}]", {"a": [1, 10**400]}, f"case.a[1]: does not fit (expected {DOUBLES}"),
        ("[{id: a, type: f8, repeat: eos}]", {"a": [None]}, "case.a[0]: may not be null here"),
        ("[{id: a, type: u1, repeat: eos}]", {"a": [256]}, "case.a[0]: does not fit (expected 0..255, found 256)"),
        ("[{id: a, type: u1, repeat: eos}]", {"a": [b""]}, "case.a[0]: an integer is expected (found bytes)"),
        ("[{id: a, size: 2, repeat: eos}]", {"a": [b"abc"]}, "case.a[0]: does not have the size that the declaration"),
        ("[{id: a, type: u1, repeat: expr, repeat-expr: 2}]", {"a": [1]}, "case.a: does not have the size"),
        ("[{id: a, type: x, size: 2}]", {"a": {"c": 1}}, "case.a: does not have the size that the"),
        ("[{id: a, size: 4, pad-right: 0}]", {"a": b"abcdef"}, "case.a: does not have the size that the"),
        ("[{id: a, size: 4, terminator: 0}]", {"a": b"abcde"}, "case.a: does not have the size that the"),
        ("[{id: n, type: u1}, {id: a, size: n}]", {"a": bytes(256)}, "case.n: does not fit (expected 0..255"),
        ("[{id: n, type: u1}, {id: a, size: n}, {id: b, size: n}]", {"a": b"1", "b": b"12"}, "case.a: does not have"),
        ("[{id: n, type: u1}, {id: a, size: n * n}]", {"a": b"12"},
         "case.n: is missing: give an integer; it does not follow from a, whose size is n * n"),
        ("[{id: n, type: u1}, {id: a, size: n * 2}]", {"n": 1, "a": b"1"}, "case.a: does not have the size"),
        ("[{id: a, contents: [1]}]", {"a": b"2"}, "case.a: not the contents declared (expected 01)"),
        ("[{id: a, contents: GO}]", {"a": b"NO"}, "case.a: not the contents declared (expected 474f 'GO')"),
        ("[{id: a, type: u1, repeat: eos}]", {"a": {}}, "case.a: a list is expected (found an object)"),
        ("[{id: name, type: u1}]", {"nam": 1}, "case: case has no field 'nam'; it has name; did you mean 'name'?"),
        ("[{id: name, type: u1}]", {"name": 1, 7: 1}, "case: case has no field 7; it has name"),
        ("[{id: a, type: u1}]", {"a": 1 << 20000}, "case.a: does not fit (expected 0..255, found an integer of 20,"),
        ("[{id: a, type: u1, -derive: b - 1}, {id: b, type: u1}]", {}, "case.a: cannot be derived without b"),
        ("[{id: a, type: u1, -derive: 1 / b}, {id: b, type: u1}]", {"b": 0}, "case.a: division by zero"),
        ("[{id: a, type: str, size: 1, valid: '\"x\"'}]", {"a": "y"}, "case.a: a value that is not allowed"),
    ],
)  # fmt: skip
def test_build_error_of_a_users_format(tmp_path: Path, fields: str, value: Any, text: str) -> None:
    path = declared(tmp_path, f"seq: {fields}\ntypes: {{x: {{seq: [{{id: c, type: u1}}]}}}}")
    with pytest.raises(BuildError) as caught:
        kformat.build(path, value)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    ("fields", "value", "data"),
    [
        # a length stays what it was when something else says that the bytes are not there
        ("[{id: f, type: u1}, {id: n, type: u1}, {id: a, size: n, if: f == 1}]", {"f": 0, "n": 5}, "0005"),
        ("[{id: f, type: u1}, {id: n, type: u1}, {id: a, size: n, if: f == 1}]", {"f": 0}, "0000"),
        ("[{id: f, type: u1}, {id: n, type: u1}, {id: a, size: n, if: f == 1}]", {"f": 1, "a": b"xy"}, "01027879"),
        ("[{id: n, type: s1}, {id: a, size: n, if: n >= 0}]", {"a": None}, "ff"),
        ("[{id: n, type: s1}, {id: a, size: n - 1, if: n > 0}]", {"a": None}, "00"),
        ("[{id: n, type: s1}, {id: a, type: x, size: n, if: n >= 0}]", {"a": None}, "ff"),
        ("[{id: n, type: s1}, {id: a, type: u1, repeat: expr, repeat-expr: n, if: n >= 0}]", {"a": None}, "ff"),
        ("[{id: n, type: s1}, {id: a, type: u1, repeat: expr, repeat-expr: n, if: n >= 0}]", {"a": []}, "00"),
        # names that mean something to Python, or to us
        ("[{id: self, type: u1}, {id: class, type: u1}, {id: outer, type: u1},"
         " {id: value, type: p(outer), repeat: eos}]",
         {"self": 1, "class": 2, "outer": 3, "value": [{"c": 7, "d": b"abc"}]}, "01020307616263"),
        ("[{id: a, contents: [1]}, {id: b, contents: [2, 3], repeat: expr, repeat-expr: 2}]", {"b": [b"\2\3"] * 2},
         "0102030203"),
        ("[{id: a, type: u1, enum: e, repeat: eos}]", {"a": [1, 9]}, "0109"),
        ("[{id: a, type: bits, repeat: eos}]", {"a": [{"x": 1, "y": 2}, {"x": 0, "y": 3}]}, "000082000003"),
        ("[{id: a, type: varint(5), repeat: eos}]", {"a": [-1, 300]}, "01d804"),
        ("[{id: a, type: str, size: 2, repeat: eos}]", {"a": ["ab", "\udcff1"]}, "6162ff31"),
    ],
)  # fmt: skip
def test_both_ways(tmp_path: Path, fields: str, value: Any, data: str) -> None:
    types = """
types:
  x: {seq: [{id: c, type: u1}]}
  p: {params: [{id: n, type: u1}], seq: [{id: c, type: u1}, {id: d, size: n}]}
  bits: {seq: [{id: high, type: b16, -derive: 0}, {id: x, type: b1}, {id: y, type: b7}]}
enums: {e: {1: one}}
"""
    path = declared(tmp_path, f"seq: {fields}{types}")
    built = kformat.build(path, value)
    assert built.hex() == data
    parsed = kformat.parse(path, built)
    assert kformat.build(path, parsed) == built
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    kformat.describe(path)


def test_floats_keep_what_they_are(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: a, type: f4}, {id: b, type: f8le}]")
    data = struct.pack(">f", -0.0) + struct.pack("<d", math.nan)
    parsed: Any = kformat.parse(path, data)
    assert math.copysign(1, parsed.a) == -1 and math.isnan(parsed.b)
    assert kformat.build(path, parsed) == data
    assert kformat.build(path, {"a": np.float32(1.5), "b": 2}) == struct.pack(">f", 1.5) + struct.pack("<d", 2)


# --- callers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_any_buffer(kind: Any) -> None:
    for name in ("none", "lz4"):
        data = BY_NAME[name].data
        assert kformat.parse("record_batch", kind(data)) == kformat.parse("record_batch", data)


@pytest.mark.parametrize("data", ["text", None, 5, [1, 2], memoryview(b"abcdef")[::2]])
def test_what_is_no_buffer(data: Any) -> None:
    with pytest.raises(UsageError):
        kformat.parse("record_batch", data)


@pytest.mark.parametrize("position", [-1, 82])
def test_a_position_that_is_not_there(position: int) -> None:
    with pytest.raises(UsageError):
        parse_prefix("record_batch", NONE, position)


def test_a_prefix() -> None:
    data = b"junk" + NONE + EMPTY + b"junk"
    first, end = parse_prefix("record_batch", data, 4, origin=96)
    assert kformat.build("record_batch", first) == NONE and end == 4 + len(NONE)
    second, end = parse_prefix("record_batch", data, end)
    assert kformat.build("record_batch", second) == EMPTY and end == len(data) - 4
    with pytest.raises(TruncatedError) as caught:
        parse_prefix("record_batch", data, end, origin=96)
    assert caught.value.position == 96 + end


@pytest.mark.parametrize("name", ["record_batch::records", "leader_change_message::voter"])
def test_types_with_parameters_are_parts_of_others(name: str) -> None:
    for use in (lambda: kformat.parse(name, b""), lambda: kformat.build(name, {}), lambda: construct_of(name)):
        with pytest.raises(UsageError, match="has parameters"):
            use()
    assert str(kformat.describe(name))


def test_inside_other_constructs() -> None:
    format = construct.Struct(
        "before" / construct.Int16ub,
        "batch" / construct_of("record_batch"),
        "marker" / construct_of("end_txn_marker"),
        "after" / construct.Bytes(2),
    )
    data = b"\1\2" + GZIP + b"\0\0\0\0\0\7" + b"xy"
    parsed = format.parse(data)
    assert (parsed.before, parsed.after, parsed.marker.coordinator_epoch) == (258, b"xy", 7)
    assert parsed.batch.records == kformat.parse("record_batch", GZIP).records
    parsed.batch.attributes.compression = 0
    built = format.build(parsed)
    assert format.parse(built).batch.records == parsed.batch.records
    with pytest.raises(TruncatedError) as caught:
        format.parse(data[:20])
    assert caught.value.position == 19 and caught.value.path == "record_batch.crc"


def test_values_compare_show_and_travel() -> None:
    batch: Any = kformat.parse("record_batch", NONE)
    assert batch == kformat.parse("record_batch", NONE) and batch != kformat.parse("record_batch", EMPTY)
    assert batch != 5 and batch.attributes != batch
    assert pickle.loads(pickle.dumps(batch)) == batch and copy.copy(batch) == batch
    assert repr(batch.records[1].headers) == "[]" and "RecordBatch(base_offset=0" in repr(batch)
    with pytest.raises(TypeError):
        hash(batch)
    with pytest.raises(UsageError):
        type(batch)(offset=1)
    with pytest.raises(AttributeError):
        batch.offset = 1
    made = type(batch)(base_offset=3)
    assert made._asdict() == {"base_offset": 3} and not hasattr(made, "crc") and isinstance(made, Value)


def test_values_that_lead_in_circles_travel() -> None:
    """Instances that give what is around, lists of them, deep nesting; a chain that never ends is refused."""
    ring: Any = kformat.parse(
        kformat.parse_declaration("""
meta: {id: ring, endian: be}
seq: [{id: nodes, type: node, repeat: expr, repeat-expr: 3}]
instances: {first: {value: 'nodes[0]'}, pair: {value: '[nodes[1], nodes[2]]'}}
types:
  node:
    seq: [{id: x, type: u1}]
    instances: {up: {value: _parent}, top: {value: _root}, near: {pos: x, type: leaf}}
  leaf: {seq: [{id: y, type: u1}], instances: {up: {value: _parent}}}
"""),
        b"\0\1\2",
    )
    for travelled in (lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy):
        again = travelled(ring)
        assert again == ring and again is not ring
        assert all(node.up is again and node.top is again for node in again.nodes)
        assert again.first is again.nodes[0] and again.pair[1] is again.nodes[2]
        assert [node.near.y for node in again.nodes] == [0, 1, 2] and again.nodes[1].near.up is again.nodes[1]
        assert travelled(ring.nodes[1]).up.nodes[2].x == 2
    deep = kformat.parse_declaration("""
meta: {id: deep}
seq: [{id: more, type: u1}, {id: inner, type: deep, if: more != 0}]
""")
    value: Any = kformat.parse(deep, b"\1" * 150 + b"\0")
    assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)
    endless: Any = kformat.parse(
        kformat.parse_declaration("meta: {id: own}\nseq: [{id: x, type: u1}]\ninstances: {again: {pos: 0, type: own}}"),
        b"\1",
    )
    with pytest.raises(LimitError):
        pickle.dumps(endless)
    assert copy.deepcopy(endless).again.again.x == 1


@pytest.mark.parametrize(
    "error",
    [
        errors.DeclarationError("m", file="f", line=3, key="/k"),
        errors.UsageError("m"),
        errors.BuildError("m", path="p", expected=1, found=2),
        errors.MissingDependencyError("numba", "fast"),
        *(
            kind("m", source="s", position=4, inflated_position=5, path="p", expected="e", found=6)
            for kind in (TruncatedError, InvalidError, ChecksumError, errors.CompressionError, LimitError)
        ),
    ],
)
def test_errors_travel(error: errors.KformatError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__


def test_an_error_leaves_its_partial_value_behind_when_it_travels() -> None:
    with pytest.raises(TruncatedError) as caught:
        kformat.parse("record_batch", NONE[:40])
    again = pickle.loads(pickle.dumps(caught.value))
    assert caught.value.partial is not None and again.partial is None and str(again) == str(caught.value)


def test_types_nested_deeply_are_compared_and_carried_in_no_time() -> None:
    """Equal declarations from two loads, thirty types deep: comparing them must not go down every way there is."""
    text = "meta: {id: case}\nseq: [{id: a, type: t1, size: 30}]\ntypes:\n"
    text += "".join(f"  t{i}: {{seq: [{{id: a, type: t{i + 1}, size-eos: true}}]}}\n" for i in range(1, 28))
    text += "  t28: {seq: [{id: a, size-eos: true}]}\n"
    first, second = (compile_declaration(parse_declaration(text)) for _ in range(2))
    assert first == second and first.root == second.root and first.root is not second.root
    value = kformat.parse(first.root, bytes(30))
    assert value == kformat.parse(second.root, bytes(30)) == pickle.loads(pickle.dumps(value))
    assert kformat.build(second.root, value) == bytes(30)


def test_threads() -> None:
    """Many threads at once, over formats that are compiled by the first that comes."""
    archive = kformat.build(ARCHIVE, {"chunks": [{"names": [{"text": "n"}], "lines": [], "codec": "gzip"}] * 20})
    wrong: list[object] = []

    def work() -> None:
        try:
            for vector in BATCHES:
                for _ in range(5):
                    batch = kformat.parse("record_batch", vector.data)
                    if not vector.is_compressed and kformat.build("record_batch", batch) != vector.data:
                        wrong.append(vector.name)
            kformat.parse(ARCHIVE, archive)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
