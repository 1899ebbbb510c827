"""Generated parsers: what their source may hold, instances, streams, left-over bytes, bounds."""

from __future__ import annotations

import ast
import pickle
from typing import Any

import pytest

import kformat
from kformat.codec.expressions import NAME
from kformat.codec.parsing import source_of
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError
from kformat.language.program import Program, load_program


def program(body: str) -> Program:
    return load_program(kformat.parse_declaration("meta: {id: case, endian: be, encoding: UTF-8}\n" + body))


def parsed(body: str, data: bytes, **options: Any) -> Any:
    declaration = kformat.parse_declaration("meta: {id: case, endian: be, encoding: UTF-8}\n" + body)
    return kformat.parse(declaration, data, **options)


HOSTILE = r"""
doc: 'text" + __import__("os").system("x") + "'
seq:
  - {id: class, type: u1, doc: "')\nimport os"}
  - {id: lambda, type: str, size: 1, valid: '"\"); evil("'}
  - {id: magic, contents: "\"\"\"\nevil()"}
  - {id: list, type: u1, enum: kind, repeat: expr, repeat-expr: 2}
  - {id: text, type: strz, encoding: ASCII, if: lambda == "'+evil()+'"}
instances:
  import: {value: '"{evil()}" + lambda + f"{class}\n"'}
  except: {pos: class, size: 1, process: xor(0x20)}
enums: {kind: {1: while, 2: evil}}
"""


def test_no_text_of_a_declaration_is_in_the_source() -> None:
    text = source_of(program(HOSTILE).root)
    for node in ast.walk(ast.parse(text)):
        assert not isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr)
        if isinstance(node, ast.Constant):
            assert node.value is None or isinstance(node.value, int)
        elif isinstance(node, ast.Name):
            assert len(node.id.rstrip("_0123456789")) <= 2 or node.id in GLOBALS, node.id
    assert "evil" not in text


GLOBALS = {"parent", "root", "little_endian", "lim", "rm"} | {
    word + "_" for word in "short negative leftover contents undecided refused keep inner delete settle".split()
} | {
    word + "_"
    for word in (
        "trimmed rebuilt decode_text type bytes len range error utf8 lenient elements position empty big int_from"
    ).split() + ["failed"]
}  # fmt: skip


def test_names_are_attributes_only_if_they_are_names() -> None:
    assert not any(map(NAME.fullmatch, ("a.b", "__class__", "a b", "A", "a\n", "")))


@pytest.mark.parametrize(
    ("body", "data", "kind", "text"),
    [
        ("instances: {a: {value: b}, b: {value: a}}", b"", None, ""),
        ("seq: [{id: n, type: u1}]\ninstances: {a: {pos: n, type: u4}}", b"\1\0", TruncatedError, "case.a"),
        ("seq: [{id: n, type: s1}]\ninstances: {a: {pos: n, type: u1}}", b"\xff", InvalidError, "a negative position"),
        ("seq: [{id: n, type: u1}]\ninstances: {a: {value: 1 / n}}", b"\0", InvalidError, "division by zero"),
    ],
)
def test_errors_of_instances(body: str, data: bytes, kind: type[DataError] | None, text: str) -> None:
    if kind is None:
        with pytest.raises((DataError, kformat.errors.DeclarationError)):
            _ = parsed(body, data).a
        return
    value = parsed(body, data, trailing="keep")
    for _ in range(2):  # it fails again when it is asked for again
        with pytest.raises(kind, match=text):
            _ = value.a


def test_recursion_has_a_depth() -> None:
    body = "seq: [{id: more, type: u1}, {id: next, type: case, if: more != 0}]"
    assert parsed(body, b"\1" * 100 + b"\0").next.next.more == 1
    with pytest.raises(LimitError, match="nested too deeply"):
        parsed(body, b"\1" * 1000)


def test_elements_without_bytes_are_bounded() -> None:
    with pytest.raises(LimitError, match="no bytes"):
        parsed("seq: [{id: a, size: 0, repeat: expr, repeat-expr: 1 << 40}]", b"")


WINDOWS = """
seq: [{id: n, type: u1}, {id: part, type: part, size: n}]
types:
  part:
    seq: [{id: at, type: u1}]
    instances: {there: {pos: at, type: u1}}
"""


@pytest.mark.parametrize(("data", "position"), [(b"\3\2x\7", 2), (b"\2\1\7", None), (b"\3\1\7x", 3), (b"\2\1\7!", 3)])
def test_left_over_is_what_nothing_reads(data: bytes, position: int | None) -> None:
    if position is None:
        assert parsed(WINDOWS, data).part.there == 7
        return
    with pytest.raises(InvalidError, match="bytes are left over") as caught:
        parsed(WINDOWS, data)
    assert caught.value.position == position
    value = parsed(WINDOWS, data, trailing="keep")
    assert (value.part._rest, getattr(value, "_rest", b"")) == (data[2 : 1 + data[0]], data[1 + data[0] :])


def test_a_value_with_instances_is_pickled() -> None:
    value = parsed(WINDOWS, b"\2\1\7")
    assert pickle.loads(pickle.dumps(value.part))._asdict(instances=True) == {"at": 1, "there": 7}


INLINED = """
seq:
  - {id: head, type: head(2), -inline: true}
  - {id: flags, type: flags}
  - {id: body, size: head.size, -payload: {codec: flags.codec, type: body}, -inline: true}
  - {id: tail, type: {switch-on: head.kind, cases: {kinds::a: u1, kinds::b: pair(head.size)}}}
instances:
  twice: {value: head.size * 2}
types:
  head:
    params: [{id: n, type: u1}]
    seq: [{id: magic, size: n}, {id: kind, type: u1, enum: kinds}, {id: size, type: u1}]
    instances: {half: {value: size / n}, first: {pos: 0, type: u1}}
  flags: {seq: [{id: x, type: b5}, {id: codec, type: b3, enum: codecs}]}
  body: {seq: [{id: a, type: u1, if: _parent.head.kind == kinds::a}, {id: items, type: item, repeat: eos}]}
  item: {seq: [{id: v, type: u1}], instances: {of: {value: _parent._parent.head.size}, all: {value: _io.size}}}
  pair: {params: [{id: p, type: u4}], seq: [{id: q, size: 2}]}
enums: {kinds: {1: a, 2: b}, codecs: {0: none, 1: gzip}}
"""


@pytest.mark.parametrize(
    ("data", "a", "items", "tail"),
    [
        (b"XY\x01\x03\x00abc\x07", 97, [98, 99], 7),
        (b"XY\x02\x03\x00abc\x07\x08", None, [97, 98, 99], b"\x07\x08"),
    ],
)
def test_inlined_types_stand_next_to_instances_and_switches(data: bytes, a: Any, items: Any, tail: Any) -> None:
    declaration = kformat.parse_declaration("meta: {id: case, endian: be, encoding: UTF-8}\n" + INLINED)
    found: Any = kformat.parse(declaration, data)
    assert (found.magic, found.a, [one.v for one in found.items]) == (b"XY", a, items)
    assert (found.half, found.first, found.twice) == (1, data[0], 6)
    assert {(one.of, one.all) for one in found.items} == {(3, 3)}
    assert (found.tail if a else found.tail.q) == tail
    assert kformat.build(declaration, found) == data
    found.flags.codec = 1
    packed = kformat.build(declaration, found)
    again: Any = kformat.parse(declaration, packed)
    assert [one.v for one in again.items] == items and again.size == len(packed) - 5 - (len(data) - 8)
    raw: Any = kformat.parse(declaration, packed, raw=True)
    assert raw.body == packed[5 : 5 + again.size] and kformat.build(declaration, raw) == packed
    with pytest.raises(DataError) as caught:
        kformat.parse(declaration, packed[:12])
    assert caught.value.path == "case.body"


@pytest.mark.parametrize(
    ("fields", "data", "words"),
    [
        (
            "{id: a, type: u1, if: n > 9}, {id: b, size: a * 2 + n}",
            b"\1",
            "t.b: (a * 2) + n has no value, where a is null, n is 1",
        ),
        (
            "{id: b, size: 1}, {id: c, size: 'b[n]'}",
            b"\5x",
            "t.c: b[n] has no value, where b is b'x', n is 5: index out of range",
        ),
        (
            "{id: z, size: 0}, {id: l, type: 'p(z[_index])', repeat: expr, repeat-expr: n}",
            b"\1",
            "t.l[0]: z[_index] has no value, where z is b'': ",
        ),
    ],
)
def test_an_expression_without_a_value_is_named_with_what_is_in_it(fields: str, data: bytes, words: str) -> None:
    text = f"meta: {{id: t}}\nseq: [{{id: n, type: u1}}, {fields}]\ntypes: {{p: {{params: [{{id: k, type: u1}}]}}}}"
    with pytest.raises(InvalidError) as raised:
        kformat.parse(kformat.parse_declaration(text), data)
    assert words in str(raised.value)
