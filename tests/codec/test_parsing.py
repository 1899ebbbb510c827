"""Generated parsers: what their source may hold, instances, streams, left-over bytes, bounds."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec import reader
from kformat.codec.expressions import NAME
from kformat.codec.json_form import to_json
from kformat.codec.parsing import parse_value, source_of
from kformat.codec.reader import Reader
from kformat.codec.runtime import NAMES
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError, LimitError, TruncatedError
from kformat.language.program import Program, load_program
from tests.draws import EXAMPLES


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


GLOBALS = {"parent", "root", "little_endian", "lim", "rm", "failed_", *NAMES}


def test_names_are_attributes_only_if_they_are_names() -> None:
    assert not any(map(NAME.fullmatch, ("a.b", "__class__", "a b", "A", "a\n", "")))


@pytest.mark.parametrize(
    ("body", "data", "kind", "text"),
    [
        ("instances: {a: {value: b}, b: {value: a}}", b"", None, ""),
        ("seq: [{id: n, type: u1}]\ninstances: {a: {pos: n, type: u4}}", b"\1\0", TruncatedError, "case.a"),
        ("seq: [{id: n, type: s1}]\ninstances: {a: {pos: n, type: u1}}", b"\xff", InvalidError, "a negative position"),
        (
            "seq: [{id: n, type: u1}]\ninstances: {a: {value: 1 / n}}",
            b"\0",
            InvalidError,
            "1 / n has no value, where n is 0: division by zero",
        ),
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


IN_A_CIRCLE = """
seq: [{id: one, type: one}, {id: two, type: two}]
types:
  one: {seq: [{id: n, type: u1}], instances: {x: {pos: _parent.two.y, type: u1}}}
  two: {seq: [{id: m, type: u1}], instances: {y: {pos: 'm == 0 ? 0 : _parent.one.x', type: u1}}}
"""


def test_an_instance_that_needs_itself_through_others() -> None:
    assert parsed(IN_A_CIRCLE, b"\1\0").one.x == 0
    value = parsed(IN_A_CIRCLE, b"\1\1")
    for _ in range(2):
        with pytest.raises(InvalidError, match="needs itself"):
            _ = value.one.x


ASKED = """
seq: [{id: n, type: u1}, {id: parts, type: part, repeat: eos}]
types:
  part:
    seq: [{id: c, type: u1}]
    instances: {a: {value: 4 / c}, b: {value: a + 1}, c1: {value: _root.e}, d: {pos: b, size: 1}, e: {value: d.length}}
instances: {d: {value: 4 / n}, e: {value: d + 1}, f: {value: e + 1}, g: {value: 'parts[0].b'}, h: {pos: f, type: u1}}
"""


@pytest.mark.parametrize(
    ("asked", "path"),
    [("d", "d"), ("e", "d"), ("f", "d"), ("h", "d"), ("g", "parts[0].a")]
    + [("parts.b", "parts[0].a"), ("parts.c1", "d"), ("parts.d", "parts[0].a"), ("parts.e", "parts[0].a")],
)
def test_an_error_has_the_path_of_what_failed(asked: str, path: str) -> None:
    value = parsed(ASKED, b"\0\0")
    *within, name = asked.split(".")
    with pytest.raises(InvalidError, match="division by zero") as caught:
        getattr(value.parts[0] if within else value, name)
    assert caught.value.path == f"case.{path}"
    text = (value._asdict(instances=True)["parts"][0] if within else value._asdict(instances=True))["_errors"][name]
    assert f" case.{path}: " in text


NEST = """
meta: {id: nest}
seq: [{id: more, type: u1}, {id: inner, type: nest, if: more == 1}]
instances: {levels: {value: 'more == 1 ? inner.levels.as<u4> + 1 : 0'}}
"""


def test_the_depth_of_values_is_bounded_and_the_bound_is_raised(tmp_path: Path) -> None:
    """Without the middle of a long path in the message; the error's ``path`` has all of it."""
    (tmp_path / "nest.ksy").write_text(NEST)
    data = bytes([1] * 1990 + [0])
    with pytest.raises(LimitError) as caught:
        kformat.parse(tmp_path / "nest.ksy", data)
    assert caught.value.path == "nest" + ".inner" * 200
    assert str(caught.value) == (
        "<bytes>:200 nest.inner.inner.inner.inner.inner...(189 more)...inner.inner.inner.inner.inner.inner: nested too "
        "deeply (expected at most 200 levels; the environment variable KFORMAT_MAX_NESTING raises that up to 2000)"
    )
    program = (
        f"import kformat\nformat, data = {str(tmp_path / 'nest.ksy')!r}, {data!r}\n"
        "value = kformat.parse(format, data)\n"
        "assert value.levels == 1990 and kformat.build(format, value._asdict()) == data\n"
        "assert 50 < len(repr(value)) < 1000\n"
        "assert kformat.build(format, kformat.from_json(format, kformat.to_json(value, bytes_as='hex'))) == data"
    )
    environment = {**os.environ, "KFORMAT_MAX_NESTING": "5000"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_chain_of_instances_has_a_depth() -> None:
    """Each instance is a value of its own: none needs itself."""
    more = "next: {pos: n, type: case}"
    last = "last: {pos: 'n == 0 ? 0 : next.last', type: u1}"
    body = f"seq: [{{id: n, type: u1}}]\ninstances: {{{more}, {last}}}"
    assert parsed(body, bytes([*range(1, 51), 0]), trailing="keep").last == 0
    with pytest.raises(LimitError, match="nested too deeply"):
        _ = parsed(body, bytes([*range(1, 256), 0]), trailing="keep").last


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("seq: [{id: n, type: u1}, {id: b, size: bad}]\ninstances: {bad: {value: 1 / n}}", "case.bad"),
        (
            "seq: [{id: n, type: u1}, {id: l, type: item, repeat: eos}]\ntypes: {item: {seq: [{id: b, size: bad}], "
            "instances: {bad: {value: 1 / _parent.n}}}}",
            "case.l[0].bad",
        ),
    ],
)
def test_an_instance_that_fails_within_a_parse_has_a_path(body: str, path: str) -> None:
    with pytest.raises(InvalidError, match="division by zero") as caught:
        parsed(body, b"\0\0\0")
    assert caught.value.path == path


EDITED = """
meta: {id: t}
seq: [{id: n, type: u1}, {id: head, type: head}, {id: items, type: item, repeat: expr, repeat-expr: n}]
instances:
  double: {value: n * 2}
  of_head: {value: head.x + double}
  total: {value: "items[0].up + items.size"}
  there: {pos: n, type: u1}
types:
  head: {seq: [{id: x, type: u1}]}
  item: {seq: [{id: y, type: u1}], instances: {up: {value: y + _parent.n + _root.of_head}}}
"""


def test_computed_instances_follow_edits_and_read_ones_stay() -> None:
    value: Any = kformat.parse(kformat.parse_declaration(EDITED), b"\2\5\1\2")
    expected = {"double": 4, "of_head": 9, "total": 14, "there": 1}
    assert {name: getattr(value, name) for name in value._instances} == expected
    value.head.x = 10
    assert (value.of_head, value.total, [item.up for item in value.items]) == (14, 19, [17, 18])
    value.items.append(type(value.items[0])(y=0))
    value.n = 1
    assert (value.double, value.of_head, value.total, value.there) == (2, 12, 17, 1)
    made = type(value)(n=1, head=value.head)
    assert made.of_head == 12
    made.n, made.head = 0, type(value.head)(x=1)
    assert made.of_head == 1


FRAME = """
seq: [{id: m, type: u1}, {size: 0, if: at >= 0}, {id: body, size: 2}, {size: 0, if: end >= 0}, {id: z, type: u1}]
instances:
  at: {value: _io.pos}
  end: {value: _io.pos}
  more: {value: not _io.eof}
  covered: {pos: at, size: end - at}
"""
GROWING = """
seq: [{id: frames, type: u1, repeat: until, repeat-until: n > 1 or _ == 0}]
instances: {n: {value: frames.size}, all: {value: frames.size}, last: {value: 'n == 1 ? frames.last : 9'}}
"""
ABOVE = """
seq: [{id: l, type: e, size: 1, repeat: expr, repeat-expr: 2}]
instances: {at: {value: _io.pos}}
types:
  e:
    seq: [{id: a, type: u1, if: _root.at + here >= 0}]
    instances:
      here: {value: _io.pos + _parent._io.pos}
      there: {value: _root.at}
      rest: {value: _io.size - _io.pos}
"""
LATER = """
seq: [{id: m, type: u1}]
instances: {a: {value: _io.pos}, b: {type: u1}, c: {value: _io.pos}, d: {if: c == 2, value: _io.pos}}
"""
ABSENT = """
seq: [{id: a, type: u1, if: early != 7}, {id: b, type: u1}]
instances: {there: {value: _io.size, if: _io.pos > 0}, early: {value: there}, late: {value: 'there == 2'}}
"""
DEEP = "instances: {at: {value: " + "(" * 45 + "_io.pos" + " + 1)" * 45 + "}}"


@pytest.mark.parametrize(
    ("body", "data", "expected"),
    [
        (FRAME, b"\7wxz", {"m": 7, "body": b"wx", "z": 122, "at": 1, "end": 3, "more": False, "covered": b"wx"}),
        (GROWING, b"\2\0", {"frames": [2, 0], "n": 1, "all": 2, "last": 0}),
        (
            ABOVE,
            b"13",
            {"l": [{"a": 49, "here": 1, "there": 1, "rest": 0}, {"a": 51, "here": 2, "there": 1, "rest": 0}], "at": 1},
        ),
        (ABSENT, b"\1\2", {"a": 1, "b": 2, "there": 2, "early": None, "late": True}),
        (LATER, b"\1\2", {"m": 1, "a": 1, "b": 2, "c": 2, "d": 2}),
        (f"seq: [{{id: a, type: u1, if: at > 0}}, {{id: b, type: u1}}]\n{DEEP}", b"\1\2", {"a": 1, "b": 2, "at": 45}),
    ],
)
def test_a_value_instance_is_kept_from_its_first_use(body: str, data: bytes, expected: Any) -> None:
    """Whoever asks, and computed anew it is the same: a stream, and a list that grew, have answered once."""
    for ask in ("attributes", "dictionary", "JSON", "refreshed", "edited"):
        value = parsed(body, data, trailing="keep")
        if ask == "attributes":
            found = plain(value)
        else:
            value._asdict(instances=True)
            if ask == "refreshed":
                value._refresh()
            elif ask == "edited":
                setattr(value, value._fields[0], getattr(value, value._fields[0]))
            is_json = ask == "JSON"
            found = to_json(value, bytes_as="text", instances=True) if is_json else value._asdict(instances=True)
            found = {
                name: item[5:].encode() if is_json and name in ("body", "covered") else item
                for name, item in found.items()
            }
        assert {name: item for name, item in found.items() if name[0] != "_"} == expected, ask


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, Value):
        return value
    return {name: plain(getattr(value, name)) for name in (*value._fields, *value._instances)}


def test_an_instance_that_is_null_is_asked_again() -> None:
    value = parsed(
        "seq: [{id: a, type: u1}]\ninstances: {w: {if: _io.pos == 2, value: _io.pos}, b: {type: u1}}",
        b"12",
        trailing="keep",
    )
    assert (value.w, value.b, value.w) == (None, 50, 2)
    counted = "seq: [{id: n, type: u1, repeat: expr, repeat-expr: '3 - size'}]\ninstances: {size: {value: n.size}}"
    assert parsed(counted, b"123").size == 0  # Kaitai's classes, too, have an empty list by then


def test_the_words_of_an_error_ask_for_nothing() -> None:
    """They say what `at` is where the stream stands just then, which is another place."""
    instances = "{none: {if: a == 9, value: a}, at: {value: _io.pos}, bad: {pos: 0, size: (none >> 1) + at}}"
    value = parsed(f"seq: [{{id: a, type: u1}}]\ninstances: {instances}", b"\7")
    with pytest.raises(InvalidError, match="none is null"):
        _ = value.bad
    assert value.at == 1


def test_an_edit_that_takes_the_other_side_of_a_choice_asks_nothing_new() -> None:
    value = parsed(
        "seq: [{id: k, type: u1}, {id: a, type: u1, if: at >= 0}, {id: b, type: u1}]\n"
        "instances: {at: {value: 'k == 2 ? _io.pos : _io.pos + 5'}}",
        b"\1\2\3",
    )
    assert value.at == 6
    value.k = 2
    assert value.at == 1


GIVEN = """
seq:
  - {id: n, type: u1}
  - {id: l, type: u1, repeat: expr, repeat-expr: 2}
  - {id: t, type: 'outer(n, n + _io.pos, l.size)'}
types:
  outer:
    params: [{id: a, type: u1}, {id: at, type: u4}, {id: count, type: u4}]
    seq: [{id: i, type: 'inner(a + _index, a * i.size)', repeat: expr, repeat-expr: 2}]
    instances: {sum: {value: a + at}, many: {value: count}}
  inner:
    params: [{id: b, type: u1}, {id: before, type: u1}]
    seq: [{id: x, type: u1}]
    instances: {all: {value: 100 * before + b + x}}
"""


def test_parameters_follow_edits() -> None:
    value = parsed(GIVEN, b"\1\2\3\4\5")
    found = lambda: (value.t.sum, value.t.many, [one.all for one in value.t.i])  # noqa: E731
    assert found() == (1 + 1 + 3, 2, [1 + 4, 100 + 1 + 1 + 5])
    value.n = 10
    assert found() == (10 + 10 + 3, 2, [10 + 4, 1000 + 10 + 1 + 5])
    value.l.append(6)
    value._refresh()
    assert found() == (10 + 10 + 3, 3, [10 + 4, 1000 + 10 + 1 + 5])


T = "types: {t: {seq: [{id: x, type: u1, if: not _io.eof}]}, "


@pytest.mark.parametrize(
    ("body", "data", "expected"),
    [
        ("seq: [{id: b, type: b3}, {id: x, type: u1, if: not _io.eof}]", b"\1", None),
        ("seq: [{id: b, type: b3}, {id: x, type: u1, if: _io.eof}, {id: c, type: b5}]", b"\1", {"x": None, "c": 1}),
        ("seq: [{id: b, type: b3}, {id: t, type: t}]\n" + T + "}", b"\1", None),
        ("seq: [{id: b, type: b3}, {id: x, size: '_io.eof ? 0 : 1'}]", b"\1", None),
        ("seq: [{id: b, type: b3}, {id: x, size: '_io.eof ? 0 : 1', terminator: 0}]", b"\1", None),
        ("seq: [{id: b, type: b3}, {id: x, type: v, size: '_io.eof ? 0 : 1'}]\ntypes: {v: {}}", b"\1", None),
        (
            "seq: [{id: b, type: b3}, {id: t, type: u(_io.eof)}]\n"
            "types: {u: {params: [{id: e, type: bool}], seq: [{id: x, size: 'e ? 0 : 1'}]}}",
            b"\1\2",
            {"t": {"x": b"\2"}},
        ),
        (
            "seq: [{id: t, type: u(_io)}]\n"
            "types: {u: {params: [{id: s, type: io}], seq: [{id: x, type: u1}, {id: y, type: u1, if: not s.eof}]}}",
            b"\1",
            {"t": {"x": 1, "y": None}},
        ),
    ],
)
def test_bits_are_left_until_a_step_reads(body: str, data: bytes, expected: dict[str, Any] | None) -> None:
    """A stream with bits left is not at its end: a condition, a size and an argument still find them."""
    if expected is None:
        with pytest.raises(TruncatedError):
            parsed(body, data)
    else:
        found = parsed(body, data)._asdict()
        assert {name: found[name] for name in expected} == expected


def test_edits_anywhere_drop_what_was_computed() -> None:
    value: Any = kformat.parse(kformat.parse_declaration(EDITED), b"\2\5\1\2")
    assert (value.of_head, value.items[1].up) == (9, 13)
    del value.items[1].y
    value.items[1].y = 4
    assert value.items[1].up == 15
    value.items.append(value.items[0])  # in place: noticed by those that compute anew
    value.n = 2
    assert value.total == value.items[0].up + 3
    value.items.pop()
    assert value.total == value.items[0].up + 3
    assert value._asdict(instances=True)["total"] == value.items[0].up + 2 == value.total
    value.items.pop()
    value._refresh()
    assert value.total == value.items[0].up + 1
    other: Any = kformat.parse(value._type, b"\1\7\1")
    value.head = other.head
    assert value.of_head == 11
    other.head.x = 1
    assert value.of_head == 5


OPTIONAL = """
seq: [{id: kind, type: u1}, {id: mark, IF, RULE}]
instances: {there: {value: not _io.eof}, there2: {value: there}}
enums: {k: {7: seven}}
types: {t: {seq: [{id: a, type: u1}]}}
"""


@pytest.mark.parametrize("condition", ["not _io.eof", "_io.pos == 1", "_io.size - _io.pos >= 1", "there", "there2"])
@pytest.mark.parametrize(
    "rule",
    [
        "type: u1, valid: 7",
        "type: u1, valid: {expr: _ < 8 and _io.pos == 2}",
        "type: u1, enum: k, valid: {in-enum: true}",
        "type: str, size: 1, valid: '\"\\u0007\"'",
        "type: t, valid: {expr: _.a < 8}",
    ],
)
def test_rules_are_checked_on_what_was_read_and_on_nothing_else(condition: str, rule: str) -> None:
    body = OPTIONAL.replace("IF", f"if: {condition}").replace("RULE", rule)
    assert parsed(body, b"\0\7").mark is not None
    if condition != "_io.pos == 1":
        assert parsed(body, b"\0").mark is None
    with pytest.raises(InvalidError, match="a value that is not allowed"):
        parsed(body, b"\0\x08")


PLAIN = """
meta: {id: plain, endian: be}
seq: [{id: length, type: u1}, {id: inner, type: inner}]
types: {inner: {seq: [{id: number, type: u1}]}}
"""


def test_misspelled_attributes_are_refused() -> None:
    value: Any = kformat.parse(kformat.parse_declaration(EDITED), b"\2\5\1\2")
    plain: Any = kformat.parse(kformat.parse_declaration(PLAIN), b"\5\1")
    for one, name, text in (
        (value, "hed", "t has no field 'hed'; did you mean 'head'?"),
        (value, "doubl", "t has no field 'doubl'; did you mean 'double'?"),
        (value, "zzz", "t has no field 'zzz'"),
        (value.head, "qqq", "t::head has no field 'qqq'"),
        (plain, "lenght", "plain has no field 'lenght'; did you mean 'length'?"),
        (plain.inner, "numbr", "plain::inner has no field 'numbr'; did you mean 'number'?"),
    ):
        for ask in (lambda one, name: getattr(one, name), lambda one, name: setattr(one, name, 1)):
            with pytest.raises(AttributeError) as caught:
                ask(one, name)
            assert str(caught.value) == text and (caught.value.name, caught.value.obj) == (name, one)
    del plain.inner.number
    assert not hasattr(plain.inner, "number"), "a field that is not set is no other's name"
    with pytest.raises(AttributeError, match=r"^(?!.*did you mean).*number"):
        _ = plain.inner.number
    with pytest.raises(AttributeError) as computed:
        value.double = 7
    assert str(computed.value) == "t.double is computed, as n * 2: set what it follows from"
    value.there = 7
    assert value._asdict(instances=True)["there"] == 7
    with pytest.raises(DataError) as failed:
        kformat.parse(value._type, b"\2\5")
    failed.value.partial.n = 1
    with pytest.raises(AttributeError):
        failed.value.partial.m = 1


@pytest.mark.parametrize("order", ["be", "le"])
@pytest.mark.parametrize("head", ["", "{id: head, type: u2}, "])
@pytest.mark.parametrize("failing", range(7))
def test_an_error_of_bits_stands_at_the_byte_of_their_first(order: str, head: str, failing: int) -> None:
    widths = [4, 4, 6, 10, 8, 3, 13]
    fields = [f"{{id: f{at}, type: b{width}{', valid: 1' * (at == failing)}}}" for at, width in enumerate(widths)]
    body = f"types: {{row: {{seq: [{head}{', '.join(fields)}], meta: {{bit-endian: {order}}}}}}}\n"
    first = 2 * bool(head) + sum(widths[:failing]) // 8
    for seq, start in (("{id: r, type: row}", 0), ("{id: a, type: b8}, {id: r, type: row, repeat: eos}", 1)):
        with pytest.raises(InvalidError) as failed:
            parsed(f"seq: [{seq}]\n{body}", bytes(start + 2 * bool(head) + 6))
        assert failed.value.position == start + first and failed.value.path.endswith(f".f{failing}")


ASKS_A_PART = """
seq: [{id: a, type: u1}, {id: body, size: head.n}]
instances: {head: {pos: 0, size: 2, type: inner}}
types: {inner: {seq: [{id: n, type: u1}, {id: m, type: u4}]}}
"""


def test_of_an_instance_that_fails_nothing_stands_for_the_field_that_asked() -> None:
    with pytest.raises(DataError, match=r"case\.head\.m: ") as failed:
        parsed(ASKS_A_PART, b"\1\2\3")
    assert to_json(failed.value.partial) == {"a": 1}


def test_instances_are_fetched_together() -> None:
    value = parsed(WINDOWS, b"\3\2x\7", trailing="keep")
    value._fetch_instances()
    assert value.part.__dict__ == {"there": 7}
    with pytest.raises(InvalidError, match=r"case\.part\.there"):
        parsed(WINDOWS, b"\2\5x", trailing="keep")._fetch_instances()


class Unseen:
    """An observer that looks at nothing: the traced parser reads field by field."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: None


def drawn_fields(chance: random.Random) -> str:
    """Fields that may be read at once, and some that may not."""
    kinds = (
        "{{id: f{0}, type: {1}}}",
        "{{id: f{0}, type: b{2}le}}",
        "{{id: f{0}, type: b{2}}}",
        "{{id: f{0}, type: b{3}}}",
        "{{id: f{0}, type: b1, enum: kind}}",
        "{{id: f{0}, size: {3}, pad-right: 0}}",
        "{{id: f{0}, size: {3}, type: str, terminator: 1, include: true}}",
        "{{id: f{0}, type: strz}}",
        "{{id: f{0}, type: strz, consume: false}}",
        "{{id: f{0}, type: u1, valid: {{max: 250}}}}",
        "{{id: f{0}, type: b4, valid: {{max: 14}}}}",
        "{{id: f{0}, type: sub, if: first < 200}}",
        "{{id: f{0}, type: {{switch-on: low, cases: {{0: u2, 1: sub, 2: one, 3: two}}}}}}",
    )
    fields = []
    for number in range(chance.randint(1, 8)):
        numbers = ("u1", "s1", "u2", "s4", "u2le", "u4be", "f4le", "f8")
        fields.append(
            chance.choice(kinds).format(number, chance.choice(numbers), chance.randint(1, 20), chance.randint(1, 8))
        )
    joined = ", ".join(fields)
    order = chance.choice(("be", "le", "{switch-on: first, cases: {0: le, 1: be, _: le}}"))
    return f"""
meta: {{id: case, endian: be, encoding: ISO-8859-1}}
seq: [{{id: first, type: u1}}, {{id: body, type: body(first)}}]
types:
  body:
    params: [{{id: first, type: u1}}]
    meta: {{endian: {order}}}
    seq: [{joined}]
    instances: {{low: {{value: first & 3}}}}
  sub: {{seq: [{{id: x, type: b3}}, {{id: y, type: b5}}, {{id: z, type: u2le}}]}}
  one: {{seq: [{{id: x, type: u1}}]}}
  two: {{seq: [{{id: x, type: b4}}]}}
enums: {{kind: {{1: yes}}}}
"""


def told(read: Callable[[], Any]) -> Any:
    try:
        return read()._asdict()
    except DataError as error:
        return type(error), str(error), error.position, error.path, error.partial._asdict()


def test_fields_read_at_once_are_those_read_one_by_one() -> None:
    chance = random.Random(7)
    for _ in range(10 * EXAMPLES):
        declaration = kformat.parse_declaration(drawn_fields(chance))
        root = load_program(declaration).root
        for _ in range(4):
            data = bytes(
                (chance.choice((0, 1, 2)), *chance.choices((0, 1, 2, 14, 255, 251, 77), k=chance.randint(0, 60)))
            )

            def one_by_one(root: Any = root, data: bytes = data) -> Any:
                reader = Reader(data)
                reader.observer = Unseen()
                return parse_value(root, reader)

            wanted = told(one_by_one)
            for given in (data, memoryview(data)):
                found = told(lambda given=given, root=root: parse_value(root, Reader(given)))  # type: ignore[misc]
                assert repr(found) == repr(wanted), declaration.text


def test_a_bound_that_an_instance_meets_is_an_error_with_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left-over bytes have all instances read."""
    monkeypatch.setattr(reader, "MAX_FREE_ELEMENTS", 1 << 12)
    body = "instances: {a: {pos: 0, type: none, repeat: expr, repeat-expr: 1 << 40}}\ntypes: {none: {}}"
    with pytest.raises(LimitError, match="no bytes") as caught:
        parsed(body, b"x")
    assert caught.value.path == f"case.a[{(1 << 12) + 8 - 1}]"  # the root takes no bytes either


def test_recursion_has_a_depth() -> None:
    body = "seq: [{id: more, type: u1}, {id: next, type: case, if: more != 0}]"
    assert parsed(body, b"\1" * 100 + b"\0").next.next.more == 1
    with pytest.raises(LimitError, match="nested too deeply"):
        parsed(body, b"\1" * 1000)


EMPTY = ", ".join(f"{{id: a{n}, type: e}}" for n in range(99))
EMPTY = "\ntypes:\n  e: {}\n  many: {seq: [" + EMPTY + "]}\n"
ABSENT = ", ".join(f"{{id: a{n}, type: u1, if: k == {n + 300}}}" for n in range(1600))


@pytest.mark.parametrize(
    ("body", "size", "path"),
    [
        ("seq: [{id: a, size: 0, repeat: expr, repeat-expr: 1 << 40}]", 0, "case.a[4096]"),
        # 106 an element: 99 empty structures, and one whose 99 fields count as 7
        ("seq: [{id: a, type: many, repeat: expr, repeat-expr: 1 << 40}]" + EMPTY, 0, "case.a[38].a68"),
        # 106 for each byte, of which 8 are free
        (
            "seq: [{id: a, type: x, repeat: eos}]" + EMPTY + "  x: {seq: [{id: k, type: u1}, {id: b, type: many}]}",
            100,
            "case.a[46].b.a20",
        ),
        # 1600 fields count as a hundred structures
        (
            "seq: [{id: a, type: x, repeat: eos}]\ntypes: {x: {seq: [{id: k, type: u1}, " + ABSENT + "]}}",
            100,
            "case.a[48]",
        ),
        # 2^30 structures, 30 deep
        (
            "seq: [{id: a, type: t(30)}]\ntypes: {t: {params: [{id: n, type: u1}], "
            "seq: [{id: a, type: t(n - 1), if: n > 0}, {id: b, type: t(n - 1), if: n > 0}]}}",
            0,
            None,
        ),
    ],
)
def test_what_takes_no_bytes_is_bounded(
    body: str, size: int, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_FREE_ELEMENTS", 1 << 12)
    with pytest.raises(LimitError, match="more elements and structures that take no bytes") as caught:
        parsed(body, bytes(size))
    assert path is None or caught.value.path == path


TEXT = (
    "seq: [{id: n, type: str, size: 3000}, {id: m, type: str, size: 3000}, "
    "{id: l, type: u1, repeat: eos, valid: {expr: 'RULE'}}]"
)
BYTES = TEXT.replace("type: str, ", "")
LIST = (
    "seq: [{id: n, type: u1, repeat: expr, repeat-expr: 3000}, {id: l, type: x, repeat: eos}]\ntypes: {x: {seq: [RULE}}"
)


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (TEXT, ["n.reverse == n", "n.substring(0, 2000) != n", "n == m", "n <= m", "n + m != m"]),
        (TEXT, ['f"{n}" == m', "n.to_i(16) == 0"]),
        (BYTES, ["n.max == 48", "n.min == 48", "n == m", 'n.to_s("UTF-8").length > 0']),
        (LIST, ["{id: a, type: u1, valid: {expr: _root.n.max == a}}]"]),
        (LIST, ["{id: a, type: u1}, {id: b, size: _root.n.min - 48}]"]),
        (LIST, ["{id: a, type: u1, if: c == 48}], instances: {c: {value: _root.n.max}}"]),
        (LIST, ["{id: a, type: u1, valid: {expr: '" + "1 + (" * 41 + "_root.n.max" + ")" * 41 + " > 0'}}]"]),
        ("seq: [{id: n, type: u1, repeat: until, repeat-until: RULE}]", ["n.max > 48"]),
        (TEXT.partition("{id: l")[0] + "{id: l, type: {switch-on: n, cases: {RULE: u1}}, repeat: eos}]", ["m"]),
    ],
)
def test_going_through_whole_values_is_bounded(body: str, rules: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"0" * 10_000
    for rule in rules:
        parsed(body.replace("RULE", rule), data[:6000] + b"1" * (" > 48" in rule))
    monkeypatch.setattr(reader, "WORK_FACTOR", 0)
    monkeypatch.setattr(reader, "WORK_FLOOR", 1 << 16)
    for rule in rules:
        with pytest.raises(LimitError, match="expressions go through values too many times"):
            parsed(body.replace("RULE", rule), data)


@pytest.mark.parametrize("given", [bytes, memoryview])
def test_a_terminator_is_found_where_it_begins_a_unit(given: Any) -> None:
    texts = ["", "a" * 127, "b" * 128, "\u0100\u0001" * 300, "c"]
    data = b"".join(text.encode("utf-16-le") + b"\0\0" for text in texts)
    value = parsed("seq: [{id: l, type: strz, encoding: UTF-16LE, repeat: eos}]", given(data))
    assert value.l == texts


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


def test_plain_data_has_no_place_for_what_is_left_over() -> None:
    """Better an error than bytes that are lost."""
    body = "seq: [{id: h, type: x, -inline: true}, {id: a, type: u1}]\ntypes: {x: {seq: [{id: b, type: u1}]}}"
    for trailing in ("error", "keep"):
        assert parsed(body, b"\1\2", trailing=trailing).a == 2
        with pytest.raises(InvalidError, match="bytes are left over"):
            parsed(body, b"\1\2\3", trailing=trailing)


def test_a_value_with_instances_is_pickled() -> None:
    value = parsed(WINDOWS, b"\2\1\7")
    assert pickle.loads(pickle.dumps(value.part))._asdict(instances=True) == {"at": 1, "there": 7}


COPIED = """
seq:
  - {id: n, type: u1}
  - {id: parts, type: 'part(n, parts, _io)', repeat: expr, repeat-expr: n}
  - {id: rest, size: parts.size % 4}
types:
  part:
    params: [{id: given, type: u1}, {id: all, type: 'part[]'}, {id: stream, type: io}]
    seq: [{id: size, type: u1}, {id: data, size: size}, {size: 0, if: begun > 0}]
    instances:
      begun: {value: _io.pos}
      count: {value: _parent.parts.size}
      next: {value: size + given + _root.n}
      again: {pos: 1, type: u1}
      left: {value: stream.size - begun}
instances: {total: {value: parts.size + n}, first: {value: parts.first}, ended: {value: _io.pos}}
"""


@pytest.mark.parametrize("asked_before", [False, True])
@pytest.mark.parametrize("is_deep", [False, True])
def test_instances_of_a_copy_follow_its_edits(is_deep: bool, asked_before: bool) -> None:
    data = bytes.fromhex("02 01aa 02bbcc 0102")
    value, same = parsed(COPIED, data), parsed(COPIED, data)
    if asked_before:
        value._asdict(instances=True)
    made = copy.deepcopy(value) if is_deep else copy.copy(value)
    assert made == value and made._asdict(instances=True) == same._asdict(instances=True)
    assert kformat.build(made._type, made) == data
    made.parts.append(copy.deepcopy(made.parts[1]) if is_deep else copy.copy(made.parts[1]))
    made.n, made.rest = 3, b"abc"
    assert (made.total, made.first.begun, made.ended) == (6, 3, 8)
    if is_deep:
        assert [(part.count, part.next, part.begun) for part in made.parts] == [(3, 7, 3), (3, 8, 6), (3, 8, 6)]
        assert made.parts[0]._parent is made and made.first is made.parts[0] is made.parts[1].all[0]
    built = kformat.build(made._type, made)
    assert built == bytes.fromhex("03 01aa 02bbcc 02bbcc 616263") and parsed(COPIED, built) == made
    if is_deep:  # the other has the parts of the original
        assert value._asdict(instances=True) == same._asdict(instances=True)


def test_a_copy_does_not_ask_for_instances() -> None:
    """They may lead in circles."""
    value = parsed("seq: [{id: n, type: u1}]\ninstances: {b: {pos: 0, type: case}}", b"a")
    assert copy.copy(value) == copy.deepcopy(value) == value


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


DEEP = "+".join("n" * 60)


@pytest.mark.parametrize(
    ("text", "data", "wanted"),
    [
        (f"seq: [{{id: n, type: u1}}]\ninstances: {{x: {{value: {DEEP}}}}}", b"\5", 300),
        (f"seq: [{{id: n, type: u1}}]\ninstances: {{x: {{pos: {DEEP} - 60*n, type: u1}}}}", b"\1", 1),
        (f"seq: [{{id: n, type: u1}}, {{id: x, size: {DEEP}, repeat: expr, repeat-expr: 2}}]", b"\0", [b"", b""]),
    ],
)
def test_deep_expressions_ask_for_what_they_name(text: str, data: bytes, wanted: Any) -> None:
    value = kformat.parse(kformat.parse_declaration("meta: {id: t}\n" + text), data, trailing="keep")
    assert value.x == wanted


def test_instances_of_instances_are_looked_at_once() -> None:
    """Whether a chain of them is long does not take twice as long with each."""
    chain = "".join(f", x{number}: {{value: x{number - 1} + x{number - 1}}}" for number in range(1, 60))
    text = f"meta: {{id: t}}\nseq: [{{id: n, type: u1}}]\ninstances: {{x0: {{value: n}}{chain}}}"
    assert kformat.parse(kformat.parse_declaration(text), b"\1").x59 == 2**59


@pytest.mark.parametrize(
    "plain", [lambda value: value._asdict(instances=True), lambda value: to_json(value, instances=True)]
)
@pytest.mark.parametrize("levels", [0, 5])
def test_values_within_themselves_are_not_made_plain(levels: int, plain: Any) -> None:
    """However many structures without instances are in between."""
    types = [f"t{level}: {{seq: [{{id: a, type: t{level + 1}}}]}}" for level in range(levels)]
    types.append(f"t{levels}: {{seq: [{{id: n, type: u1}}], instances: {{b: {{pos: 0, type: t0}}}}}}")
    text = "meta: {id: t}\nseq: [{id: a, type: t0}]\ntypes: {" + ", ".join(types) + "}"
    with pytest.raises(LimitError, match="nested too deeply"):
        plain(kformat.parse(kformat.parse_declaration(text), b"a"))


@pytest.mark.parametrize(
    ("key", "data"),
    [("{id: k, type: u1, if: n > 5}", b"\1a"), ("{id: k, type: u2be}", b"\1\xff\xffa")],
)
@pytest.mark.parametrize("process", ["xor", "rol"])
def test_a_key_that_is_none(key: str, data: bytes, process: str) -> None:
    text = f"meta: {{id: t}}\nseq: [{{id: n, type: u1}}, {key}, {{id: o, size: 1, process: {process}(k)}}]"
    declaration = kformat.parse_declaration(text)
    if process == "rol" and len(data) > 2:
        assert kformat.parse(declaration, data).o == b"\xb0"
        return
    with pytest.raises(InvalidError, match=f"t.o: {process} needs"):
        kformat.parse(declaration, data)


def test_the_limit_on_decoded_bytes_is_that_of_all_parts_together() -> None:
    """A part in a window counts as one without."""
    parts = kformat.parse_declaration("""
meta: {id: parts, endian: be}
seq: [{id: parts, type: part, size: 1200, repeat: eos}]
types:
  part: {seq: [{id: size, type: u2}, {id: body, size: size, process: zlib}, {id: rest, size-eos: true}]}
""")
    packed = zlib.compress(bytes(1 << 20), 9)
    data = (len(packed).to_bytes(2, "big") + packed).ljust(1200, b"\0") * 5
    value: Any = kformat.parse(parts, data, inflate_limit=5 << 20)
    assert sum(len(part.body) for part in value.parts) == 5 << 20
    with pytest.raises(LimitError, match=r"parts\[4\].body"):
        kformat.parse(parts, data, inflate_limit=(5 << 20) - 1)


@pytest.mark.parametrize(
    "others", ["", "- {id: before, type: u1}", "- {id: before, type: u1, repeat: expr, repeat-expr: 2}"]
)
def test_text_that_is_none_is_refused_in_its_field(others: str) -> None:
    """Also among fields that are read at once."""
    text = f"seq:\n{others}\n- {{id: s, type: str, encoding: UTF-16LE, size: 3}}\n- {{id: after, type: u1}}"
    with pytest.raises(InvalidError) as caught:
        parsed(text, bytes(8), trailing="keep")
    assert caught.value.path == "case.s"


NO_TEXT = [
    ("size: 6, encoding: UTF-16LE", b"\x41\0\0\xd8\x41\0", 3, "a", "00d8, illegal UTF-16 surrogate"),
    ("terminator: 0, encoding: SJIS", b"abc\x81\x20\0", 4, "a", "81, illegal multibyte sequence"),
    (
        "size: 4, encoding: GBK, repeat: expr, repeat-expr: 2",
        b"abcdab\xff\xff",
        7,
        "a[1]",
        "ff, illegal multibyte sequence",
    ),
    ("size: 5, encoding: cp1252, pad-right: 0", b"abc\x81\0", 4, "a", "81, character maps to <undefined>"),
    ("size: 4, encoding: EUC-JP, process: xor(1)", b"abc\x81", 1, "a", "80, incomplete multibyte sequence"),
]


@pytest.mark.parametrize(("how", "data", "position", "path", "found"), NO_TEXT)
def test_the_position_of_bytes_that_are_no_text(how: str, data: bytes, position: int, path: str, found: str) -> None:
    declaration = kformat.parse_declaration(
        f"meta: {{id: t}}\nseq: [{{id: n, type: u1}}, {{id: a, type: str, {how}}}]\n"
    )
    with pytest.raises(InvalidError, match="bytes that are no text") as caught:
        kformat.parse(declaration, b"\1" + data)
    error = caught.value
    assert (error.position, error.path, error.found) == (position, f"t.{path}", found)
    assert str(error.expected).startswith("text in ")
    (finding,) = kformat.check(b"\1" + data, format=declaration)
    assert (finding.rule, finding.position) == ("KF1002", position)


def test_a_damaged_value_as_far_as_it_was_read(caplog: pytest.LogCaptureFixture) -> None:
    text = "meta: {id: three, endian: be}\nseq: [{id: a, type: u1}, {id: b, type: u2}, {id: c, type: u1, valid: 7}]"
    declaration, errors = kformat.parse_declaration(text), list[DataError]()
    assert kformat.parse(declaration, b"\1\0\2\7", partial=errors.append).c == 7 and not errors
    value = kformat.parse(declaration, b"\1\0", partial=errors.append)
    assert value.a == 1 and not hasattr(value, "b") and [error.path for error in errors] == ["three.b"]
    assert kformat.parse(declaration, b"\1\0\2\6", partial=True).b == 2
    assert ["three.c" in record.message for record in caplog.records] == [True]
    with pytest.raises(DataError):
        kformat.parse(declaration, b"\1\0", partial=False)
