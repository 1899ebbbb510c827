"""Positions, sizes and dtypes: what the layout says is what the codec reads."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.errors import ChecksumError, UsageError
from kformat.language.declaration import parse_declaration
from kformat.language.layout import Layout, layout
from kformat.language.program import TypeProgram, load_program
from tests.vectors import BATCHES, BY_NAME

TELEMETRY = Path(__file__).parents[1] / "declarations" / "telemetry.ksy"


def of(text: str) -> Layout:
    return layout(load_program(parse_declaration(f"meta: {{id: case, endian: be, encoding: ASCII}}\n{text}")).root)


# The 61 bytes of Kafka's header, written down a second time: DefaultRecordBatch's offsets, kept apart from the .ksy.
HEADER = [
    ("base_offset", 0, ">i8"),
    ("batch_length", 8, ">i4"),
    ("partition_leader_epoch", 12, ">i4"),
    ("magic", 16, ">i1"),
    ("crc", 17, ">u4"),
    ("attributes", 21, ">u2"),
    ("last_offset_delta", 23, ">i4"),
    ("base_timestamp", 27, ">i8"),
    ("max_timestamp", 35, ">i8"),
    ("producer_id", 43, ">i8"),
    ("producer_epoch", 51, ">i2"),
    ("base_sequence", 53, ">i4"),
    ("records_count", 57, ">i4"),
]


def test_the_header_of_a_batch() -> None:
    shape = layout("record_batch")
    dtype = shape.header_dtype
    assert [(name, dtype.fields[name][1], dtype[name]) for name in dtype.names or ()] == [  # type: ignore[index]
        (name, position, np.dtype(kind)) for name, position, kind in HEADER
    ]
    assert dtype.itemsize == 61 and not shape.is_fixed
    for name, position, kind in HEADER:
        assert (shape.position(name), shape.end(name)) == (position, position + np.dtype(kind).itemsize)
    assert shape.checksum() == ("crc32c", "crc", 21)


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.name) for vector in BATCHES])
def test_header_columns_are_what_the_codec_reads(vector: Any) -> None:
    shape, batch = layout("record_batch"), kformat.parse("record_batch", vector.data)
    (row,) = np.frombuffer(vector.data, shape.header_dtype, count=1)
    for name, _, _ in HEADER:
        if name == "attributes":
            for bit_name, bit in shape.bits(name).items():
                assert int(row[name]) >> bit.shift & bit.mask == getattr(batch.attributes, bit_name)
        else:
            assert row[name] == getattr(batch, name) == shape.reader(name)(b"12345" + vector.data, 5)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("offset_index::entry", [("relative_offset", ">i4"), ("position", ">i4")]),
        ("time_index::entry", [("timestamp", ">i8"), ("relative_offset", ">i4")]),
        ("control_record_type_schema", [("version", ">i2"), ("type", ">i2")]),
        ("end_txn_marker", [("version", ">i2"), ("coordinator_epoch", ">i4")]),
    ],
)
def test_fixed_structures(name: str, fields: list[tuple[str, str]]) -> None:
    shape = layout(name)
    assert shape.is_fixed and shape.dtype == np.dtype(fields) and shape.size == np.dtype(fields).itemsize
    values = {field: index + 1 for index, (field, _) in enumerate(fields)}
    assert np.frombuffer(kformat.build(name, values), shape.dtype).tolist() == [tuple(values.values())]


def test_bits() -> None:
    bits = layout("record_batch").bits("attributes")
    assert {name: bit.mask << bit.shift for name, bit in bits.items()} == {
        "reserved": 0xFF80, "has_delete_horizon": 0x40, "is_control": 0x20, "is_transactional": 0x10,
        "timestamp_type": 8, "compression": 7,
    }  # fmt: skip
    assert sum(bit.mask << bit.shift for bit in bits.values()) == 0xFFFF
    inner = layout("record_batch::attributes")
    assert inner.is_fixed and inner.dtype == np.dtype([("attributes", ">u2")])


@pytest.mark.parametrize(
    ("fields", "dtype"),
    [
        ("[{id: a, type: u1}, {id: b, type: s2le}]", [("a", "u1"), ("b", "<i2")]),
        ("[{id: a, type: f4le}, {id: b, type: f8}]", [("a", "<f4"), ("b", ">f8")]),
        ("[{id: a, size: 3}, {id: b, type: str, size: 2}]", [("a", "V3"), ("b", "S2")]),
        ("[{id: a, contents: abc}]", [("a", "V3")]),
        ("[{id: a, type: u2, repeat: expr, repeat-expr: 1 + 2}]", [("a", ">u2", (3,))]),
        ("[{id: a, type: x, repeat: expr, repeat-expr: 2}]", [("a", [("c", ">u4"), ("d", "u1")], (2,))]),
        ("[{id: a, type: bits}]", [("a", "V3")]),
        ("[{id: a, type: u2, valid: 1}, {id: end, size: 0, valid: {expr: _io.eof}}]", [("a", ">u2")]),
    ],
)  # fmt: skip
def test_dtypes(fields: str, dtype: Any) -> None:
    shape = of(f"seq: {fields}\n" + TYPES)
    assert shape.is_fixed and shape.dtype == np.dtype(dtype)


TYPES = """
types:
  x: {seq: [{id: c, type: u4}, {id: d, type: u1}]}
  bits: {-row: true, seq: [{id: e, type: b20}, {id: f, type: b4}]}
"""


@pytest.mark.parametrize(
    ("fields", "prefix"),
    [
        ("[{id: a, type: u1}, {id: b, size: a}, {id: c, type: u1}]", ["a"]),
        ("[{id: a, type: u1}, {id: b, type: u1, if: a > 0}]", ["a"]),
        ("[{id: a, type: u1, repeat: eos}]", []),
        ("[{id: a, size-eos: true}]", []),
        ("[{id: a, type: x, size: 5}]", []),
        ("[]", []),
        ("[{id: a, type: u1}, {id: b, size: 4294967296}]", ["a"]),
        ("[{id: a, type: u1}, {id: b, size: 2147483647}]", ["a"]),
        ("[{id: a, type: x, repeat: expr, repeat-expr: 9223372036854775807}]", []),
        ("[{id: a, type: u1}, {id: b, size: 0}]", ["a"]),
    ],
)
def test_what_has_no_fixed_size(fields: str, prefix: list[str]) -> None:
    shape = of(f"seq: {fields}\n" + TYPES)
    assert not shape.is_fixed and list(shape.header_dtype.names or ()) == prefix
    for ask in (lambda: shape.dtype, lambda: shape.size, shape.checksum):
        with pytest.raises(UsageError):
            ask()
    assert list(shape.rows()) is not None


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda shape: shape.position("nothing"), "has no field 'nothing'"),
        (lambda shape: shape.position("records"), "the position of record_batch.records depends on the data"),
        (lambda shape: shape.reader("records"), "record_batch.records is not a fixed-size number"),
        (lambda shape: shape.reader("nothing"), "has no field 'nothing'"),
        (lambda shape: shape.bits("crc"), "record_batch.crc is not a structure of bits"),
        (lambda shape: shape.bits("nothing"), "has no field 'nothing'"),
    ],
)
def test_what_a_layout_does_not_know(ask: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        ask(layout("record_batch"))


def test_the_first_field_without_a_fixed_size_has_a_position() -> None:
    """Where it is there at all: a timestamp, in magic 1; a payload, behind the header."""
    assert layout("record_batch").position("payload") == layout("record_batch").header_dtype.itemsize
    message = layout("legacy_message::message")
    assert message.position("timestamp") == message.end("attributes") and message.reader("timestamp")(bytes(14), 0) == 0
    with pytest.raises(UsageError, match="depends on the data"):
        message.position("key_length")


def test_a_reader_asks_for_its_bytes() -> None:
    with pytest.raises(struct.error):
        layout("record_batch").reader("crc")(BY_NAME["none"].data, 80)


def test_rows_cover_a_structure_without_gaps() -> None:
    for program in (*load_program("record_batch").types.values(), *load_program(TELEMETRY).types.values()):
        assert isinstance(program, TypeProgram)
        if program.bits:
            widths = [bit.width for bit in program.bits]
            firsts = [sum(widths[:number]) // 8 for number in range(len(widths))]
            assert [row.position for row in layout(program).rows()] == firsts
            continue
        position: int | None = 0
        for row in layout(program).rows():
            if row.depth == 0:
                assert row.position == position
                position = None if position is None or row.size is None else position + row.size
            assert row.size_text and row.type_text
        if layout(program).is_fixed:
            assert position == layout(program).size


def test_what_is_put_into_a_field_is_what_the_codec_reads_there() -> None:
    shape, data = layout("record_batch"), bytearray(BY_NAME["none"].data)
    batch: Any = kformat.parse("record_batch", data)
    for number, (name, _, kind) in enumerate(HEADER):
        if name not in ("batch_length", "magic", "crc", "attributes", "records_count"):
            value = int(np.iinfo(kind).min) + number
            shape.writer(name)(data, 0, value)
            setattr(batch, name, value)
    with pytest.raises(ChecksumError):
        kformat.parse("record_batch", data)
    behind = bytearray(b"behind")
    whole = bytearray(b"front") + data + behind
    shape.mend(whole, 5, 5 + len(data))
    assert whole[:5] == b"front" and whole[5 + len(data) :] == behind
    shape.mend(data)
    assert whole[5 : 5 + len(data)] == data == kformat.build("record_batch", batch)
    with pytest.raises(UsageError, match="is not a fixed-size number"):
        shape.writer("records")
    with pytest.raises(UsageError, match="has no checksum"):
        layout("offset_index::entry").mend(bytearray(8))


def test_a_switch_after_bits_says_what_its_cases_read() -> None:
    text = "seq: [{id: n, type: b4}, {id: a, type: {switch-on: n, cases: {1: u1, 2: b3}}}]"
    assert [row.type_text for row in of(text).rows()] == ["b4", "uint8 or b3, by n"]
