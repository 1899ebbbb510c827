"""The intermediate form: names resolved, defaults written out, ranges narrowed, steps in the order of execution."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat.language import expression, program, types
from kformat.language.declaration import parse_declaration
from kformat.language.expression import Expression, Integer
from kformat.language.node import replaced
from kformat.language.program import (
    Align,
    Case,
    Check,
    CheckEnd,
    Checksum,
    Program,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    Trim,
    TypeProgram,
    Window,
    kernel_reason,
    load_program,
    load_type,
)
from kformat.language.shipped import shipped_names


def of(text: str) -> Program:
    return program.compile_declaration(
        parse_declaration(f"meta: {{id: case, endian: be, encoding: UTF-8, imports: [varint]}}\n{text}")
    )


def outline(steps: Any) -> list[Any]:
    return [
        (type(step).__name__, step.name, outline(step.steps)) if isinstance(step, Window)
        else (type(step).__name__, step.name)
        for step in steps
    ]  # fmt: skip


def test_the_steps_of_a_batch() -> None:
    types = load_program("record_batch").types
    assert outline(types["record_batch"].steps) == [
        ("ReadInteger", "base_offset"),
        ("ReadInteger", "batch_length"),
        ("Check", "batch_length"),
        ("ReadInteger", "partition_leader_epoch"),
        ("ReadInteger", "magic"),
        ("Check", "magic"),
        ("ReadInteger", "crc"),
        ("Checksum", "crc"),
        ("ReadBits", "attributes"),
        ("ReadInteger", "last_offset_delta"),
        ("ReadInteger", "base_timestamp"),
        ("ReadInteger", "max_timestamp"),
        ("ReadInteger", "producer_id"),
        ("ReadInteger", "producer_epoch"),
        ("ReadInteger", "base_sequence"),
        ("ReadInteger", "records_count"),
        ("Check", "records_count"),
        ("Window", "payload", [("ReadList", "records"), ("CheckEnd", "end_of_records")]),
    ]
    assert outline(types["record_batch::record"].steps) == [
        ("ReadVarint", "length"),
        ("Check", "length"),
        ("Window", "body", [
            ("ReadInteger", "attributes"), ("ReadVarint", "timestamp_delta"), ("ReadVarint", "offset_delta"),
            ("ReadVarint", "key_length"), ("ReadBytes", "key"), ("ReadVarint", "value_length"), ("ReadBytes", "value"),
            ("ReadVarint", "headers_count"), ("Check", "headers_count"), ("ReadList", "headers"),
            ("CheckEnd", "end_of_record"),
        ]),
    ]  # fmt: skip


def step(made: Program, kind: type[Step], name: str, inside: str = "") -> Any:
    steps = list(made.types["::".join(filter(None, ("case", inside)))].steps)
    for found in steps:
        steps += found.steps if isinstance(found, Window) else ()
    return next(found for found in steps if isinstance(found, kind) and found.name == name)


def test_the_extent_of_a_checksum_is_an_expression_where_lengths_say_it() -> None:
    checksum = next(found for found in load_type("record_batch").steps if isinstance(found, Checksum))
    assert str(checksum.length) == "40 + (batch_length - 49)" and checksum.length is not None
    assert (checksum.length.low, checksum.length.high, checksum.length.overflow) == (40, 2**31 - 1 - 9, "never")
    late = of(
        "-checksum: {algorithm: crc32, field: a, from: b}\n"
        "seq: [{id: a, type: u4}, {id: b, type: u1}, {id: c, size: b}]"
    )
    assert step(late, Checksum, "a").length is None


@pytest.mark.parametrize(
    ("fields", "text", "low", "high", "overflow"),
    [
        ("{id: n, type: s4, valid: {min: 49}}", "n - 49", 0, 2**31 - 50, "never"),
        ("{id: n, type: s8, valid: {max: 7}}", "n - 3", -(2**63), 4, "error"),
        ("{id: n, type: u1, valid: 3}", "n * 2", 6, 6, "never"),
        ("{id: n, type: u8}", "n + 1", 1, 2**63 - 1, "error"),
        ("{id: n, type: varint(5)}", "n.value + 1", -(2**31) + 1, 2**31, "never"),
        ("{id: n, type: varint::unsigned(10)}", "n", 0, 2**64 - 1, "never"),
    ],
)
def test_rules_narrow_ranges(fields: str, text: str, low: int, high: int, overflow: str) -> None:
    with_size = f"seq: [{fields}, {{id: a, size: '{text}', if: '{text} != 1'}}]"
    size = step(of(with_size), ReadBytes, "a").size
    assert isinstance(size, Expression)
    assert (size.low, size.high, size.overflow) == (low, high, overflow)


def test_parameters_stand_for_what_is_given() -> None:
    made = of(
        """
seq: [{id: n, type: u1}, {id: a, type: b(n + 1), -inline: true}, {id: c, type: d(n)}]
types:
  b: {params: [{id: m, type: u2}], seq: [{id: x, size: m}]}
  d: {params: [{id: m, type: u2}], seq: [{id: y, size: m}]}
"""
    )
    assert str(step(made, ReadBytes, "x").size) == "n + 1"
    read = step(made, ReadType, "c")
    assert [(name, str(node)) for name, node in read.arguments] == [("m", "n")]
    assert made.types["case::d"].parameters == ("m",)


def test_names_of_enums_and_types_are_looked_up_from_the_inside() -> None:
    made = of(
        """
seq:
  - {id: a, type: inner}
  - {id: b, type: u1, enum: e, valid: e::outer}
  - {id: c, type: u1, enum: inner::e, valid: inner::e::inner}
  - {id: d, type: 'inner::deep'}
  - {id: f, size: 'b == e::outer ? 1 : 2'}
types:
  inner:
    seq: [{id: a, type: u1, enum: e, valid: {in-enum: true}}, {id: b, type: deep}]
    types: {deep: {seq: [{id: x, type: u2le}]}}
    enums: {e: {7: inner}}
enums: {e: {3: outer}}
"""
    )
    assert step(made, Check, "b").expected == "3" and step(made, Check, "c").expected == "7"
    assert step(made, Check, "a", "inner").expected == "one of 7 inner"
    assert step(made, ReadType, "d").type is step(made, ReadType, "b", "inner").type
    assert sorted(made.enums) == ["case::e", "case::inner::e"]
    assert step(made, ReadInteger, "b").enum.members == {3: "outer"}


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ("[]", 0),
        ("[{id: a, type: u4}, {id: b, type: f8}, {id: c, type: varint(10)}, {id: d, size: 7}]", 20),
        ("[{id: a, type: u4}, {id: b, type: u4, if: a > 1}, {id: c, size: a}, {id: d, type: u1, repeat: eos}]", 4),
        ("[{id: a, type: x}, {id: b, type: x, size: 9}, {id: c, type: x, size-eos: true}]", 13),
        ("[{id: a, size-eos: true, -payload: {codec: 1, type: x}}]", 0),
        ("[{id: a, type: bits}, {id: b, contents: abc}]", 5),
    ],
)
def test_the_fewest_bytes_of_a_type(fields: str, size: int) -> None:
    types = "types: {x: {seq: [{id: y, type: u2}]}, bits: {seq: [{id: z, type: b16}]}}"
    assert of(f"seq: {fields}\n{types}").root.minimum_size == size


def test_what_is_computed() -> None:
    root, record = load_type("record_batch"), load_type("record_batch::record")
    assert {item.name for item in root.fields if item.computed} == {"batch_length", "crc", "records_count"}
    assert {item.name for item in record.fields if item.computed} == {
        "length", "key_length", "value_length", "headers_count",
    }  # fmt: skip
    assert {item.name for item in record.fields if item.optional} == {"key", "value"}
    assert {item.name: item.base for item in record.fields if item.base} == {
        "timestamp_delta": "base_timestamp", "offset_delta": "base_offset",
    }  # fmt: skip
    assert record.row and load_type("offset_index::entry").row_checks == (
        ("increasing", "relative_offset"), ("increasing", "position"),
    )  # fmt: skip


def test_varints_and_bits() -> None:
    made = of("seq: [{id: a, type: varint(10)}, {id: b, type: varint::unsigned(5)}, {id: c, type: d}]\n"
              "types: {d: {seq: [{id: x, type: b1}, {id: y, type: b7}]}}")  # fmt: skip
    assert step(made, ReadVarint, "a").kind == Integer(64, True) and step(made, ReadVarint, "a").zigzag
    assert step(made, ReadVarint, "b").kind == Integer(32, False) and not step(made, ReadVarint, "b").zigzag
    assert [(bit.name, bit.shift, bit.width) for bit in step(made, ReadBits, "c").bits] == [("x", 7, 1), ("y", 0, 7)]


def test_a_field_that_is_not_there_is_the_callers_fault() -> None:
    with pytest.raises(UsageError, match="record_batch has no field 'offset'"):
        load_type("record_batch").field("offset")
    assert load_type("record_batch").field("crc").kind == "integer"
    assert load_type("record_batch::record").label == "record"


def test_ends_and_lists() -> None:
    records = load_program("record_batch").types["record_batch::records"]
    assert isinstance(records, TypeProgram) and isinstance(records.steps[1], CheckEnd)
    listed = records.steps[0]
    assert isinstance(listed, ReadList) and str(listed.count) == "count" and listed.element.name == "records"


def changed(replacement: Step) -> TypeProgram:
    """A type of one integer ``a``, then the given step."""
    plain = of("seq: [{id: a, type: u1}]").root
    return replaced(plain, steps=(*plain.steps, replacement))


A = expression.name(("a",), Integer(8, False))
A_BYTE = ReadBytes(name="b", size=expression.constant(1))
LARGE = expression.name(("a",), types.EXACT)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (ReadBit(name="b", width=3, little_endian=False), None),
        (ReadOpaque(name="b", type_name="theirs"), "b: an opaque type"),
        (ReadSwitch(name="b", on=A, cases=()), None),
        (ReadSwitch(name="b", on=LARGE, cases=()), "b: the expression a"),
        (ReadSwitch(name="b", on=A, cases=(Case(A, ()),)), "b: a case that is no constant, a"),
        (ReadBytes(name="b", size=A, trim=Trim(b"\0")), None),
        (ReadBytes(name="b", size=A, encoding="UTF-16LE"), None),
        (ReadBytes(name="b", size=LARGE), "b: the expression a"),
        (ReadBytes(name="b", size=expression.name(("_io", "x"), Integer(8, False))), "b: the expression _io.x"),
        (
            Window(name="b", size=A, codec=None, steps=(ReadOpaque(name="c", type_name="theirs"),)),
            "b.c: an opaque type",
        ),
        (
            Window(
                name="b",
                size=A,
                codec=None,
                steps=(ReadType(name="b", type=replaced(changed(Align(name="c")), name="inner")),),
            ),
            None,
        ),
        (
            ReadList(
                name="b",
                element=ReadBytes(name="b", size=A),
                count=A,
                until=expression.name(("_io", "x"), types.BOOLEAN),
            ),
            "b: a list up to a condition",
        ),
        (ReadList(name="b", element=ReadBytes(name="b", size=A), count=A), "b: a list of elements that may take no"),
        (ReadBytes(name="b", size=A), None),
    ],
)
def test_why_kernels_do_not_take_a_type(step: Step, reason: str | None) -> None:
    found = kernel_reason(changed(step))
    assert found is None if reason is None else found is not None and found.startswith(reason)


def test_a_type_that_contains_itself_is_no_kernel() -> None:
    found = of("seq: [{id: a, type: u1}]").root
    found.complete(steps=(*found.steps, ReadType(name="again", type=found)), is_recursive=True)
    assert kernel_reason(found) == "the type contains itself"
    assert repr(found) == "<TypeProgram case>"
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("format", shipped_names())
def test_kernels_take_every_shipped_type(format: str) -> None:
    if format != "varint":  # an intrinsic type has no program
        assert {kernel_reason(found) for found in load_program(format).types.values()} == {None}
