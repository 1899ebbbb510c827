"""Building by the whole declaration language: what is derived, where it is written, what is refused."""

from __future__ import annotations

import itertools
import math
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import BuildError


def declared(folder: Path, text: str) -> Path:
    path = folder / "case.ksy"
    path.write_text("meta: {id: case, endian: le}\n" + text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "value", "built", "onto"),
    [
        (
            "seq: [{id: a, type: b1},{id: b, type: b2},{id: c, type: b13},{id: d, type: u1}]",
            {"a": True, "b": 1, "c": 5, "d": 7},
            b"\xa0\x05\x07",
            None,
        ),
        (
            "seq: [{id: a, type: b1le},{id: b, type: b10le},{id: d, type: u1}]",
            {"a": True, "b": 767, "d": 7},
            b"\xff\x05\x07",
            None,
        ),
        (
            "seq: [{id: a, type: strz, encoding: UTF-8},{id: b, type: u1}]",
            {"a": "hi", "b": 1},
            b"hi\x00\x01",
            None,
        ),
        (
            "seq: [{id: a, type: strz, encoding: UTF-8, size: 5}]",
            {"a": "hi"},
            b"hi\x00\x00\x00",
            None,
        ),
        (
            "seq: [{id: n, type: u1},{id: a, type: str, encoding: UTF-8, size: n}]",
            {"a": "hello"},
            b"\x05hello",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: a, size: 3, process: xor(k)}]",
            {"k": 255, "a": b"\x00\x01\x02"},
            b"\xff\xff\xfe\xfd",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: a, size-eos: true, process: rol(k)}]",
            {"k": 1, "a": b"\x02\x01"},
            b"\x01\x01\x80",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: a, type: {switch-on: k, cases: {1: u2, 2: x}}}]\n"
            "types: {x: {seq: [{id: c, type: u1}]}}",
            {"a": {"c": 3}},
            b"\x02\x03",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: a, type: {switch-on: k, cases: {1: u2, 2: x}}}]\n"
            "types: {x: {seq: [{id: c, type: u1}]}}",
            {"k": 1, "a": 3},
            b"\x01\x03\x00",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: n, type: u1},{id: a, size: n, type: {switch-on: k, cases: {1: y, 2: x}}}]\n"
            "types: {y: {seq: [{id: e, type: u1},{id: f, type: u1}]}, x: {seq: [{id: c, type: u1}]}}",
            {"a": {"e": 3, "f": 4}},
            b"\x01\x02\x03\x04",
            None,
        ),
        (
            "seq: [{id: k, type: u1},{id: n, type: u1},{id: a, size: n, type: {switch-on: k, cases: {1: y, 2: x}}}]\n"
            "types: {y: {seq: [{id: e, type: u1},{id: f, type: u1}]}, x: {seq: [{id: c, type: u1}]}}",
            {"k": 7, "a": b"abc"},
            b"\x07\x03abc",
            None,
        ),
        (
            "seq: [{id: h, type: hd},{id: a, size: h.n * 4}]\ntypes: {hd: {seq: [{id: n, type: u1}]}}",
            {"a": b"12345678"},
            b"\x0212345678",
            None,
        ),
        (
            "seq: [{id: h, type: hd},{id: a, type: bd}]\n"
            "types: {hd: {seq: [{id: n, type: u1}]}, "
            "bd: {seq: [{id: x, type: u1, repeat: expr, repeat-expr: _parent.h.n}]}}",
            {"a": {"x": [1, 2, 3]}},
            b"\x03\x01\x02\x03",
            None,
        ),
        (
            "seq: [{id: l, type: u1, repeat: until, repeat-until: _ == 0}]",
            {"l": [1, 2, 0]},
            b"\x01\x02\x00",
            None,
        ),
        (
            "seq: [{id: ofs, type: u4},{id: n, type: u1}]\ninstances: {body: {pos: ofs, size: n}}",
            {"body": b"abc"},
            b"\x05\x00\x00\x00\x03abc",
            None,
        ),
        (
            "seq: [{id: ofs, type: u4},{id: n, type: u1}]\ninstances: {body: {pos: ofs, size: n}}",
            {"ofs": 8, "body": b"abc"},
            b"\x08\x00\x00\x00\x03\x00\x00\x00abc",
            None,
        ),
        (
            "seq: [{id: ofs, type: u4},{id: n, type: u1}]\ninstances: {body: {pos: ofs, size: n}}",
            {"ofs": 8, "body": b"abc"},
            b"\x08\x00\x00\x00\x03xyzabcQQ",
            b"ABCDExyzabcQQ",
        ),
        (
            "seq: [{id: es, type: e, repeat: expr, repeat-expr: 2}]\n"
            "types: {e: {seq: [{id: ofs, type: u1},{id: len, type: u1}], "
            "instances: {body: {io: _root._io, pos: ofs, size: len}}}}",
            {"es": [{"body": b"abc"}, {"body": b"de"}]},
            b"\x04\x03\x07\x02abcde",
            None,
        ),
        (
            "seq: [{id: es, type: e, size: 4}]\n"
            "types: {e: {seq: [{id: ofs, type: u1},{id: len, type: u1}], instances: {body: {pos: ofs, size: len}}}}",
            {"es": {"ofs": 2, "body": b"ab"}},
            b"\x02\x02ab",
            None,
        ),
        (
            "seq: [{id: n, type: u1},{id: es, type: e(n)}]\n"
            "types: {e: {params: [{id: len, type: u1}], seq: [{id: b, size: len}]}}",
            {"n": 2, "es": {"b": b"ab"}},
            b"\x02ab",
            None,
        ),
        (
            "seq: [{id: n, type: u1},{id: es, type: e(n)}]\n"
            "types: {e: {params: [{id: len, type: u1}], seq: [{id: b, size: len}]}}",
            {"es": {"b": b"ab"}},
            b"\x02ab",
            None,
        ),
        (
            "seq: [{id: v, type: u1, valid: 3},{id: m, contents: AB}]",
            {},
            b"\x03AB",
            None,
        ),
        (
            "seq: [{id: bom, type: u1},{id: b, type: bd}]\n"
            "types: {bd: {meta: {endian: {switch-on: _root.bom, cases: {1: be, 2: le}}}, seq: [{id: x, type: u2}]}}",
            {"bom": 1, "b": {"x": 258}},
            b"\x01\x01\x02",
            None,
        ),
        (
            "seq: [{id: t, type: u1},{id: n, type: node}]\n"
            "types: {node: {seq: [{id: more, type: u1},{id: next, type: node, if: more == 1}]}}",
            {"t": 1, "n": {"more": 1, "next": {"more": 0}}},
            b"\x01\x01\x00",
            None,
        ),
        (
            "seq: [{id: e, type: u1, enum: q}]\nenums: {q: {1: one}}",
            {"e": "one"},
            b"\x01",
            None,
        ),
        (
            "seq: [{id: es, size: 4, terminator: 0x40, pad-right: 0x2b}]",
            {"es": b"ab"},
            b"ab@+",
            None,
        ),
        (
            "seq: [{id: es, size: 4, repeat: expr, repeat-expr: 2, type: z}]\n"
            "types: {z: {seq: [{id: a, size-eos: true}]}}",
            {"es": [{"a": b"abcd"}, {"a": b"efgh"}]},
            b"abcdefgh",
            None,
        ),
        (
            "seq: [{id: total, type: u1},{id: n, type: u1},{id: rest, size: total - n},{id: tail, size: n}]",
            {"rest": b"abc", "tail": b"de"},
            b"\x05\x02abcde",
            None,
        ),
        (
            "seq: [{id: parts, type: part(_index), repeat: eos}]\n"
            "types: {part: {params: [{id: n, type: s4}], seq: [{id: width, type: u1}, {id: body, type: "
            "{switch-on: 'n == 0 ? 1 : _parent.parts[0].width', cases: {1: u1, 2: u2}}}]}}",
            {"parts": [{"width": 2, "body": 7}, {"width": 1, "body": 8}]},  # an element asks one before it
            b"\x02\x07\x01\x08\x00",
            None,
        ),
        (
            "instances: {end: {pos: _io.size - 2, type: end}, body: {pos: end.at, size: 3}}\n"
            "types: {end: {seq: [{id: at, type: u1}, {id: last, type: u1}]}}",
            {"end": {"at": 1, "last": 7}, "body": b"abc"},  # counted from an end that is not known at first
            b"\x00abc\x01\x07",
            None,
        ),
        (
            "seq: [{id: n, type: u1}]\ninstances: {more: {pos: 1, type: u1, if: _io.size > 1}}",
            {"n": 3, "more": 4},
            b"\x03\x04",
            None,
        ),
        (
            "seq: [{id: n, type: u1, valid: {expr: _ == _io.size}}, {id: rest, size-eos: true}]",
            {"n": 3, "rest": b"ab"},
            b"\x03ab",
            None,
        ),
        *(
            (
                "seq: [{id: n, type: str, size: 3, pad-right: 0x20, encoding: ASCII},{id: a, size: n.to_i}]",
                value | {"a": b"ab"},
                built,
                None,
            )
            for value, built in (({}, b"2  ab"), ({"n": "02"}, b"02 ab"), ({"n": "7"}, b"2  ab"))
        ),
        ("seq: [{id: k, type: u1}, {id: a, size: 3 << k}]", {"a": bytes(12)}, b"\2" + bytes(12), None),
        *(
            (
                "seq: [{id: n, type: u1}, {id: long_n, type: u2, if: n == 255}, "
                "{id: a, size: '(n == 255 ? long_n : n) - 1'}]",
                value,
                built,
                None,
            )
            for value, built in (
                ({"a": b"abc"}, b"\4abc"),
                ({"a": b"abc", "n": 255}, b"\xff\4\0abc"),
                ({"a": b"abc", "n": 9}, b"\4abc"),
                ({"a": bytes(299), "n": 255}, b"\xff\x2c\1" + bytes(299)),
            )
        ),
        *(
            (f"seq: [{{id: n, type: {kind}}},{{id: a, size: n, if: {condition}}}]", value, built, None)
            for kind, condition, value, built in (
                ("u1", "n > 0", {}, b"\x00"),
                ("u1", "n > 0", {"n": 7}, b"\x00"),
                ("u1", "n > 0 and n < 192", {"n": 200}, b"\xc8"),
                ("s1", "n >= 0", {}, b"\xff"),
                ("s1", "n >= 0", {"n": 3}, b"\xff"),
                ("s1", "n >= 0", {"n": -2}, b"\xfe"),
            )
        ),
        (
            "seq: [{id: n, type: str, encoding: ASCII, terminator: 0x20}, {id: a, size: n.to_i(8)}]",
            {"a": b"0123456789"},
            b"12 0123456789",
            None,
        ),
        (
            "seq: [{id: n, type: str, encoding: ASCII, size: 4}, {id: a, size: n.to_i}]",
            {"n": "0002", "a": b"0123456789"},  # other digits, as many
            b"00100123456789",
            None,
        ),
        (
            "seq: [{id: n, type: str, encoding: ASCII, terminator: 0x20}, {id: a, size: n.to_i}]",
            {"n": "+002", "a": b"ab"},  # the same number
            b"+002 ab",
            None,
        ),
    ],
)
def test_build(tmp_path: Path, text: str, value: Any, built: bytes, onto: bytes | None) -> None:
    assert kformat.build(declared(tmp_path, text), value, onto=onto) == built


@pytest.mark.parametrize(("n", "built"), [(255, b"\xffabcd"), (3, b"\4abcd")])
@pytest.mark.parametrize("kind", ["", ", type: x"])
def test_a_size_may_ask_the_stream_on_one_side(tmp_path: Path, kind: str, n: int, built: bytes) -> None:
    size = "'n == 255 ? _io.size - _io.pos : n'"
    types = "types: {x: {seq: [{id: s, size-eos: true}]}}"
    path = declared(tmp_path, f"seq: [{{id: n, type: u1}}, {{id: a, size: {size}{kind}}}]\n{types}")
    value = kformat.parse(path, bytes([n]) + b"abc")
    if kind:
        value.a.s = b"abcd"
    else:
        value.a = b"abcd"
    assert kformat.build(path, value) == built
    assert kformat.build(path, {"n": n, "a": {"s": b"abcd"} if kind else b"abcd"}) == built


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        (
            "seq: [{id: a, type: strz, encoding: UTF-8}]",
            {"a": "h\x00i"},
            "case.a: contains its terminator",
        ),
        (
            "seq: [{id: a, type: strz, encoding: ASCII}]",
            {"a": "é"},
            "case.a: text that is expected to be ASCII is not",
        ),
        (
            "seq: [{id: l, type: u1, repeat: until, repeat-until: _ == 0}]",
            {"l": [1, 0, 0]},
            "case.l[1]: _ == 0 must be true",
        ),
        (
            "seq: [{id: l, type: t, repeat: until, repeat-until: _.y == 0 or _io.eof}]\n"
            "types: {t: {seq: [{id: y, type: u1}]}}",
            {"l": [{"y": 1}, {"y": 0}, {"y": 1}]},
            "case.l[1]: (_.y == 0) or _io.eof must be true for the last element alone",
        ),
        ("seq: [{id: n, type: u1}]", {}, "case.n: is missing: give an integer"),
        ("seq: [{id: n, type: u1, valid: {expr: _ == _io.size}}]", {"n": 3}, "case.n: a value that is not allowed"),
        (
            "seq: [{id: n, type: u1}]\ninstances: {a: {pos: 0, type: u1}}",
            {"n": 1, "a": 2},
            "case.a: overlaps other bytes, and differs from them; without its position, it is put",
        ),
        (
            "seq: [{id: at, type: u1}]\ninstances: {a: {pos: at, type: u1}}",
            {},
            "case.at: is missing: give an integer, or a, which is then put at a place of its own",
        ),
        (
            "seq: [{id: at, type: u8}]\ninstances: {a: {pos: at, type: u1}}",
            {"at": 1 << 62, "a": 1},
            "case.a: stands too far from other bytes",
        ),
        (
            "seq: [{id: f, type: u1}, {id: n, type: u1, if: f > 0}, {id: a, type: u1, repeat: expr, repeat-expr: n}]",
            {"f": 0, "a": [1]},
            "case.a: does not have the size that the declaration asks for",
        ),
        (
            "seq: [{id: f, type: u1}, {id: n, type: u1, if: f > 0}, {id: g, type: u1}, {id: a, size: n, if: g > 0}]",
            {"f": 0, "g": 1},
            "case.a: may not be null here",
        ),
        (
            "seq: [{id: n, type: u8}, {id: a, size: n, pad-right: 0}]",
            {"n": 1 << 62, "a": b"x"},
            "case.a: too much padding",
        ),
        *(
            (
                f"seq: [{{id: a, {to_the_end}}}, {{id: z, type: u1}}]",
                {"a": b"ab" if "size" in to_the_end else [1, 2], "z": 1},
                "case.a: goes to the end, and other bytes follow it (found 1 bytes)",
            )
            for to_the_end in ("size-eos: true", "type: u1, repeat: eos", "type: b8, repeat: eos")
        ),
        *(
            (
                f"seq: [{{id: n, type: u1}}, {{id: l, type: u1, repeat: expr, repeat-expr: {count}}}]",
                {"l": many},
                f"case.l: does not have the size that the declaration asks for (expected {wanted}, found {found}",
            )
            for count, wanted in (("2", "2 elements"), ("n", "0 to 255 elements"))
            for many, found in ((range(10**12), 10**12), (itertools.count(), 3 if count == "2" else 256))
        ),
        ('seq: [{id: a, type: str, size: 1, encoding: "\\ufffd"}]', {"a": "x"}, "case.a: Python has no encoding"),
    ],
)
def test_build_refuses(tmp_path: Path, text: str, value: Any, message: str) -> None:
    with pytest.raises(BuildError) as caught:
        kformat.build(declared(tmp_path, text), value)
    assert str(caught.value).startswith(message)


def test_what_is_counted_from_the_end_may_begin_in_what_is_before(tmp_path: Path) -> None:
    text = "seq: [{id: n, type: u1}, {id: a, size: n}]\ninstances: {last: {pos: _io.size - 4, type: u4}}"
    path = declared(tmp_path, text)
    value = kformat.parse(path, b"\3abcde")
    assert value.last == 0x65646362
    assert kformat.build(path, value) == b"\3abcde"
    value.a = b"ab"
    assert kformat.build(path, value) == b"\2abbcde"


@pytest.mark.parametrize("data", [b"\1\2", b"\1\2\3", b"\1\2\2"])
def test_what_stands_at_the_end_may_stand_in_the_sequence(tmp_path: Path, data: bytes) -> None:
    text = "seq: [{id: a, type: u1}, {id: b, type: u1}]\ninstances: {last: {pos: _io.size - 1, type: u1}}"
    path = declared(tmp_path, text)
    assert kformat.build(path, kformat.parse(path, data)) == data
    shortest = data[:2] if data[-1] == 2 else data
    assert kformat.build(path, {"a": 1, "b": 2, "last": data[-1]}) == shortest


@pytest.mark.parametrize("depth", [50, 5000])
def test_build_of_nested_structures(tmp_path: Path, depth: int) -> None:
    node = "{seq: [{id: more, type: u1}, {id: next, type: node, if: more == 1}]}"
    path = declared(tmp_path, f"seq: [{{id: next, type: node}}]\ntypes: {{node: {node}}}")
    value: dict[str, Any] = {"more": 0}
    for _ in range(depth):
        value = {"more": 1, "next": value}
    if depth == 50:
        assert kformat.build(path, {"next": value}) == b"\x01" * depth + b"\0"
    else:
        with pytest.raises(BuildError, match="nested too deep"):
            kformat.build(path, {"next": value})


SIZED = "seq: [{id: w, type: x, size: 5}, {id: e, type: u1}]\ntypes: {x: {seq: [{id: n, type: u1}, {id: a, size: n}]}}"
DERIVED = SIZED.replace("seq: [", "seq: [{id: l, type: u1}, ", 1).replace("size: 5", "size: l")
PLACED = "seq: [{id: at, type: u1}, {id: n, type: u1}]\ninstances: {a: {pos: at, size: n}}"
IN_SIZED = (
    "seq: [{id: w, type: x, size: 6}, {id: e, type: u1}]\n"
    "types: {x: {seq: [{id: n, type: u1}], instances: {a: {pos: 2, size: n}}}}"
)
FOOTER = "seq: [{id: n, type: u1}, {id: a, size: n}]\ninstances: {z: {pos: _io.size - 2, type: u2}}"


@pytest.mark.parametrize(
    ("text", "original", "changed", "built"),
    [
        ("seq: [{id: n, type: u1}, {id: a, size: n}]", "03 414243 5859", b"Z", "01 5a 5859"),
        ("seq: [{id: n, type: u1}, {id: a, size: n}]", "03 414243 5859", b"ZZZZZ", "05 5a5a5a5a5a 5859"),
        (PLACED, "0403 ffff 414243 5859", b"Z", "0401 ffff 5a 5859"),
        (PLACED, "0403 ffff 414243 5859", b"ZZZZZ", "0405 ffff 5a5a5a5a5a 5859"),
        (SIZED, "02 4142 5859 07", b"Z", "01 5a 00 5859 07"),
        (SIZED, "02 4142 5859 07", b"ZZ", "02 5a5a 5859 07"),
        (SIZED, "02 4142 5859 07", b"ZZZ", "03 5a5a5a 59 07"),
        (DERIVED, "05 02 4142 5859 07", b"Z", "04 01 5a 5859 07"),
        (DERIVED, "05 02 4142 5859 07", b"ZZZ", "06 03 5a5a5a 5859 07"),
        (IN_SIZED, "02 ff 4142 5859 07", b"Z", "01 ff 5a00 5859 07"),
        (FOOTER, "03 414243 ffff 5859", b"Z", "01 5a 0000 ffff 5859"),
        (FOOTER, "03 414243 ffff 5859", b"ZZZZ", "04 5a5a5a5a ff 5859"),
    ],
)
@pytest.mark.parametrize("form", ["parsed", "parsed, onto", "plain, onto"])
def test_undeclared_bytes_stay_and_declared_ones_do_not(
    tmp_path: Path, text: str, original: str, changed: bytes, built: str, form: str
) -> None:
    path, data = declared(tmp_path, text), bytes.fromhex(original)
    value = kformat.parse(path, data, trailing="keep")
    value._fetch_instances()
    owner: Any = value.w if hasattr(value, "w") else value
    owner.a = changed
    given = value._asdict(instances=True) if form == "plain, onto" else value
    assert kformat.build(path, given, onto=None if form == "parsed" else data).hex(" ") == bytes.fromhex(built).hex(" ")


def test_a_structure_of_a_size_keeps_its_rest_where_it_moves(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: k, type: strz, encoding: ASCII}, {id: w, size: 3, type: x}]\ntypes: {x: {}}")
    data = b"abc\0xyz"
    assert kformat.build(path, {"k": "a", "w": {}}, onto=data) == b"a\0xyz"
    with pytest.raises(BuildError, match="cannot be written onto bytes that are none"):
        kformat.build(path, {"k": "a", "w": {}}, onto=b"abc\0")


def test_what_a_parser_kept_is_written_again(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: n, type: u1}, {id: a, size: n, process: zlib}]")
    raw = zlib.compress(b"hello", 0)
    data = bytes([len(raw)]) + raw
    value = kformat.parse(path, data)
    assert kformat.build(path, value) == data
    value.a = b"others"
    assert zlib.decompress(kformat.build(path, value)[1:]) == b"others"


SEVERAL_FORMS = [
    ("{id: a, type: f4}", "0100a07f"),
    ("{id: n, type: u1}, {id: a, type: f4}, {id: b, type: f4be}", "00 0100a07f ffa00001"),
    ("{id: a, type: f4, repeat: eos}", "0100a07f 0000803f 0100a0ff"),
    ("{id: a, type: f4, repeat: expr, repeat-expr: 3}", "0100a07f 0000803f 0100a0ff"),
    *(
        (f"{{id: a, type: str, encoding: {encoding}, size-eos: true}}", data)
        for encoding, data in (
            ("UTF-16", "feff 0041"),
            ("UTF-16", "4100 4200"),
            ("UTF-7", b"A+ImIDkQ-x+AEE-".hex()),
            ("ISO-2022-JP", b'\x1b(B\x1b$B$"\x1b(BA\x1b(B'.hex()),
            ("windows-31j", "8790 fa54 ed40"),
            ("utf-8-sig", "41"),
        )
    ),
    ("{id: n, type: u1}, {id: a, type: str, encoding: UTF-16, size: n}, {id: b, type: u1}", "04 4100 4200 07"),
    ("{id: a, type: str, encoding: UTF-16, size: 4, repeat: eos}", "4100 4200 feff 0041"),
    ("{id: a, type: strz, encoding: UTF-16}, {id: b, type: u1}", "feff 0041 0000 07"),
    ("{id: a, type: strz, encoding: UTF-16, size: 8}", "4100 0000 0101 0101"),
    ("{id: a, type: str, encoding: UTF-16, size: 4, process: xor(1)}", "fefe 0140"),
    ("{id: a, type: b3}", "ff"),
    ("{id: a, type: b3}, {id: b, type: u1}", "5f 01"),
    ("{id: a, type: b3le}, {id: b, type: u1}", "fa 01"),
    ("{id: a, type: b3}, {id: b, type: u1, repeat: eos}", "5f 01 02"),
    ("{id: a, type: b3}, {id: b, type: u1, repeat: expr, repeat-expr: 2}, {id: c, type: b5}", "5f 01 02 af"),
    ("{id: a, type: {switch-on: 1, cases: {1: b4}}}, {id: b, type: {switch-on: 2, cases: {2: u1}}}", "af 01"),
]
"""Fields, and bytes that a builder would not make of their values alone."""

FIVE_BITS = "\ntypes: {x: {seq: [{id: a, type: u1}, {id: b, type: b5}]}}"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("seq: [{id: a, size: 4, pad-right: 0x20, terminator: 0, repeat: eos}]", b"ab\0xc  \0"),
        ("seq: [{id: a, type: str, encoding: ASCII, size: 4, terminator: 0, repeat: eos}]", b"ab\0xc\0\0y"),
        ("seq: [{id: a, size: 4, terminator: 0, type: x}]\ntypes: {x: {seq: [{id: s, size-eos: true}]}}", b"ab\0x"),
        (
            "seq: [{id: a, size: 4, terminator: 0, type: x, repeat: eos}]\n"
            "types: {x: {seq: [{id: s, size-eos: true}]}}",
            b"ab\0xcd\0\1",
        ),
        ("seq: [{id: a, terminator: 0, include: true, consume: false}, {id: b, size-eos: true}]", b"ab\0c"),
        ("seq: [{id: a, terminator: 0, eos-error: false}]", b"ab"),
        ("seq: [{id: a, terminator: 0, eos-error: false}]", b"ab\0"),
        ("seq: [{id: a, terminator: 0, eos-error: false, repeat: eos}]", b"ab\0c"),
        ("seq: [{id: a, size: 13, process: zlib, repeat: eos}]", zlib.compress(b"hi", 0) + zlib.compress(b"ho", 0)),
        ("seq: [{id: n, type: u1}, {id: a, size: 2, process: xor(_io.pos), repeat: eos}]", b"\7abcd"),
        (
            "seq: [{id: n, type: u1}, {id: a, size: 2, process: xor(_io.pos), type: x}]\n"
            "types: {x: {seq: [{id: s, type: u2be}]}}",
            b"\7ab",
        ),
        *((f"seq: [{fields}]", bytes.fromhex(data)) for fields, data in SEVERAL_FORMS),
        (
            "seq: [{id: l, type: x, repeat: expr, repeat-expr: 3}]\n"
            "types: {x: {seq: [{id: a, size: 3 - _parent.as<case>.l.size}]}}",
            b"abcdef",
        ),
        (
            "seq: [{id: w, size: 2, type: w}, {id: a, type: u1}]\ntypes: {x: {seq: [{id: all, size-eos: true}]}, "
            "w: {seq: [{id: s, type: x, terminator: 0, eos-error: false}]}}",
            b"ab\7",
        ),
        ("seq: [{id: b, type: x, size: 2, repeat: eos}]" + FIVE_BITS, b"\1\x5f\2\xff"),
        ("seq: [{id: a, type: x, size: 2}, {id: b, type: u1}]" + FIVE_BITS, b"\1\x5f\2"),
        ("seq: [{id: a, type: x, size: 2, process: xor(1)}]" + FIVE_BITS, b"\1\x5f"),
        ("instances: {a: {pos: 0, type: x}, b: {pos: 2, type: b3}}" + FIVE_BITS, b"\1\x5f\xff"),
        ("instances: {a: {pos: 0, type: x, repeat: expr, repeat-expr: 2}}" + FIVE_BITS, b"\1\x5f\2\xff"),
    ],
)
def test_what_was_read_is_built_without_the_original(tmp_path: Path, text: str, data: bytes) -> None:
    path = declared(tmp_path, text)
    for given in (data, memoryview(data)):
        value = kformat.parse(path, given)
        value._fetch_instances()
        assert kformat.build(path, value) == data
        assert kformat.build(path, pickle.loads(pickle.dumps(value))) == data


@pytest.mark.parametrize(
    ("fields", "data", "changed", "built"),
    [
        ("{id: a, type: f4}", "0100a07f", 1.0, "0000803f"),
        ("{id: a, type: f4}", "0100a07f", math.nan, "0000c07f"),
        ("{id: a, type: str, encoding: UTF-16BE, size-eos: true}", "feff 0041", "B", "0042"),
        ("{id: a, type: str, encoding: UTF-7, size-eos: true}", b"+AEE-".hex(), "B", "42"),
        ("{id: a, type: b3}, {id: b, type: u1}", "5f 01", 7, "ff 01"),
    ],
)
def test_what_was_read_is_not_built_if_the_value_changed(
    tmp_path: Path, fields: str, data: str, changed: Any, built: str
) -> None:
    path = declared(tmp_path, f"seq: [{fields}]")
    value = kformat.parse(path, bytes.fromhex(data))
    value.a = changed
    assert kformat.build(path, value) == bytes.fromhex(built)


EARLY = """
seq: [{id: a, type: u1, if: i.x >= 0}, {id: b, type: u1}]
instances: {i: {pos: 0, type: t}}
types: {t: {seq: [{id: x, type: u1, if: not _parent._io.eof}], instances: {y: {pos: 1, type: u1}}}}
"""


def test_an_instance_is_unchanged_whatever_streams_answer_by_now(tmp_path: Path) -> None:
    """It would not have `x` any more if it was read again."""
    path = declared(tmp_path, EARLY)
    value = kformat.parse(path, b"ab")
    assert (value.i.x, value.i.y) == (97, 98)
    assert [kformat.build(path, value) for _ in range(3)] == [b"ab"] * 3
    value.i.y = 99
    with pytest.raises(BuildError, match="overlaps other bytes"):
        kformat.build(path, value)
    value.i.y = 98
    value.i.x = 5
    with pytest.raises(BuildError, match="overlaps other bytes"):
        kformat.build(path, value)


@pytest.mark.parametrize(
    ("fields", "data"),
    [
        (
            "{id: n, type: u1}, {id: l, type: u1, repeat: until, repeat-until: _ == n - l.size or _ == 9}",
            b"\1\5\5\5\x09",
        ),
        ("{id: n, type: u1}, {id: l, type: e(n), repeat: expr, repeat-expr: 2}", b"\1\1"),
        ("{id: n, type: u1}, {id: l, type: u1, repeat: expr, repeat-expr: n + l.size}", b"\2\5\5"),
    ],
)
def test_a_list_that_asks_for_itself_is_built_as_it_is_read(tmp_path: Path, fields: str, data: bytes) -> None:
    """It has the elements up to there when it is asked for, in the short way of `writing`, too."""
    types = "types: {e: {params: [{id: k, type: u1}], seq: [{id: x, type: u1, if: _root.l.size == k}]}}"
    path = declared(tmp_path, f"seq: [{fields}]\n{types}")
    value = kformat.parse(path, data)
    assert kformat.build(path, value) == kformat.build(path, value._asdict()) == data
    value.n = 7 if len(data) > 4 else 0
    with pytest.raises(BuildError):
        kformat.build(path, value)


def test_the_size_of_an_instance_that_was_written_is_derived(tmp_path: Path) -> None:
    part = "{seq: [{id: n, type: u1}, {id: at, type: u1}], instances: {a: {pos: at, size: n + 1, type: texts}}}"
    texts = "{seq: [{id: l, type: strz, encoding: ASCII, repeat: eos}]}"
    path = declared(tmp_path, f"seq: [{{id: p, type: part}}]\ntypes: {{part: {part}, texts: {texts}}}")
    value = kformat.parse(path, b"\2\2ab\0")
    value.p.a.l = ["abc", ""]
    assert kformat.build(path, value) == b"\4\2abc\0\0"


def test_a_terminator_that_was_not_there_is_written_before_what_follows(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: a, terminator: 0, eos-error: false}, {id: b, size-eos: true}]")
    value = kformat.parse(path, b"ab")
    value.b = b"x"
    assert kformat.build(path, value) == b"ab\0x"


def test_an_instance_waits_for_the_stream_of_another(tmp_path: Path) -> None:
    path = declared(
        tmp_path,
        "seq: [{id: parts, type: part, size: 2, repeat: expr, repeat-expr: 2}]\n"
        "types:\n"
        "  part:\n"
        "    seq: [{id: at, type: u1}, {id: n, type: u1}]\n"
        "    instances:\n"
        "      name: {io: '_root.parts[1].body._io', pos: 0, size: 1}\n"
        "      body: {io: _root._io, pos: at, size: n, type: blob}\n"
        "  blob: {seq: [{id: all, size-eos: true}]}",
    )
    data = bytes.fromhex("0401 0502 aa bbcc")
    form = kformat.to_json(kformat.parse(path, data), instances=True)
    assert [part["name"] for part in form["parts"]] == ["uw==", "uw=="]
    assert kformat.build(path, kformat.from_json(path, form)) == data


def test_a_size_without_a_solution_and_one_in_digits(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: n, type: u1}, {id: a, size: 4 << n}]")
    with pytest.raises(BuildError, match="n: is missing"):
        kformat.build(path, {"a": b"ab"})
    digits = "{id: n, type: str, size: 2, encoding: ASCII}"
    path = declared(
        tmp_path, f"seq: [{digits}, {{id: l, type: u1, repeat: expr, repeat-expr: n.to_i - 3, if: n != '03'}}]"
    )
    assert kformat.build(path, {"n": "03"}) == b"03"
    assert kformat.build(path, {"n": "05", "l": [1, 2]}) == b"05\1\2"


@pytest.mark.parametrize(
    ("size", "given", "built"),
    [
        ("n / 2", None, b"\4ab"),
        ("n / 2", 5, b"\5ab"),
        ("n / 2", 9, b"\4ab"),
        ("n >> 1", None, b"\4ab"),
        ("n >> 1", 5, b"\5ab"),
        ("(n + 1) / 2", None, b"\3ab"),
    ],
)
def test_of_several_solutions_the_given_one_or_the_smallest(
    tmp_path: Path, size: str, given: int | None, built: bytes
) -> None:
    path = declared(tmp_path, f"seq: [{{id: n, type: u1}}, {{id: a, size: {size}}}]")
    assert kformat.build(path, {"a": b"ab"} if given is None else {"a": b"ab", "n": given}) == built


def test_build_compresses_and_derives_the_size(tmp_path: Path) -> None:
    path = declared(tmp_path, "seq: [{id: n, type: u1}, {id: a, size: n, process: zlib}]")
    built = kformat.build(path, {"a": b"hello"})
    assert built[0] == len(built) - 1
    assert zlib.decompress(built[1:]) == b"hello"


PAD = """
seq: [{id: name, type: strz, encoding: ASCII}, {id: pad, PAD}, {id: value, type: u2}]
instances: {gap: {value: (-_io.pos) % 4}, where: {value: _io.pos}}
"""
GAP = "size: (-_io.pos) % 4"
GAPS = "type: u1, repeat: expr, repeat-expr: (-_io.pos) % 4"


@pytest.mark.parametrize("trailing", ["", "{id: rest, size-eos: true}"])
@pytest.mark.parametrize(
    ("pad", "name", "filled"),
    [
        (GAP, "", b"\0\0\0"),
        (GAP, "abc", b""),
        (GAP, "abcd", b"\0\0\0"),
        (GAPS, "abcd", [0, 0, 0]),
        ("size: gap", "abcd", b"\0\0\0"),
        ("size: gap, if: gap != 0", "abcd", b"\0\0\0"),
        ("size: gap, if: gap != 0", "abc", None),
        ("type: u1, repeat: expr, repeat-expr: where - 1", "abc", [0, 0, 0]),
        ("size: 2, if: _io.pos > 3", "abc", b"\0\0"),
        ("size: 2, if: _io.pos > 3", "ab", None),
        ("type: u2, if: _io.pos > 3", "abc", 0),
        ("size: 8 - _io.pos", "abc", b"\0\0\0\0"),
        ("size: '_io.size > 5 ? 3 : 0'", "abc", b"\0\0\0"),
        ("type: str, encoding: ASCII, size: gap", "abcd", "\0\0\0"),
        ("contents: xy, if: gap == 2", "a", b"xy"),
        ("contents: xy, if: gap == 2", "ab", None),
    ],
)
def test_padding_that_only_the_stream_fixes_is_zeros(
    tmp_path: Path, pad: str, name: str, filled: Any, trailing: str
) -> None:
    text = PAD.replace("PAD", pad)
    if trailing:
        text = text.replace("{id: value, type: u2}]", f"{{id: value, type: u2}}, {trailing}]")
    path, more = declared(tmp_path, text), {"rest": b"12"} if trailing else {}
    data = kformat.build(path, {"name": name, "value": 7, **more})
    value: Any = kformat.parse(path, data)
    assert (value.name, value.pad, value.value) == (name, filled, 7)
    assert kformat.build(path, value) == kformat.build(path, {**value._asdict(), "where": 0}) == data
    value._asdict(instances=True)
    assert kformat.build(path, value) == data
    value.name += "x"  # what was read of the padding does not fit, or is there no longer, or still fits
    try:
        again = kformat.build(path, value)
    except BuildError:
        pass
    else:
        assert kformat.parse(path, again)._asdict() == value._asdict()


@pytest.mark.parametrize(
    ("text", "value", "words"),
    [
        (PAD.replace("PAD", GAP), {"name": "abcd", "pad": b""}, r"pad: .*expected 3 bytes, found 0"),
        (PAD.replace("PAD", GAPS), {"name": "abcd", "pad": [1]}, r"pad: .*expected 3 bytes, found 1"),
        (PAD.replace("PAD", "size: 8 - _io.pos"), {"name": "abcdefgh"}, "pad: a negative size"),
        (PAD.replace("PAD", "size: 2, if: _io.pos > 3"), {"name": "ab", "pad": b"xy"}, "pad: must be null"),
        (PAD.replace("PAD", "size: 2, valid: 'gap == 2 ? [1, 1] : [2, 2]'"), {"name": "abc", "pad": b"\2\2"}, "pad: a"),
        (PAD.replace("PAD", "size: gap, valid: '[1, 1, 1]'"), {"name": "abcd"}, "pad: a value that is not allowed"),
        ("seq: [{id: a, type: u1}, {id: b, type: u1, if: not _io.eof}]", {"a": 1, "b": None}, None),
        ("seq: [{id: a, type: u2}, {id: b, type: u1, if: _io.size > 1}]", {"a": 1, "b": None}, "b: may not be null"),
    ],
)  # fmt: skip
def test_build_refuses_what_a_reader_would_not_read_so(
    tmp_path: Path, text: str, value: Any, words: str | None
) -> None:
    path, value = declared(tmp_path, text), {"value": 7, **value} if "value" in text else value
    if words is None:
        assert kformat.parse(path, kformat.build(path, value))._asdict() == value
        return
    with pytest.raises(BuildError, match=words):
        kformat.build(path, value)


WHOLE = """
seq: [{id: kind, type: u1}, {id: ext, type: ext}]
instances: {length: {value: _io.size}, twice: {value: length * 2}}
types: {ext: {seq: [{id: a, type: u2, if: _root.twice > 4}]}}
"""
CHAINED = """
seq: [{id: len, type: u1}, {id: slot, type: slot, size: len}, {id: odd, size: len % 2}]
instances: {inner: {io: slot._io, pos: 0, type: inner}, subs: {io: inner.rest._io, pos: 0, type: sub, repeat: eos}}
types:
  slot: {}
  inner: {seq: [{id: a, type: u1}, {id: rest, type: slot, size-eos: true}]}
  sub: {seq: [{id: x, type: u1}]}
"""
PEEK = """
seq: [{id: a, type: u2, if: next == 1}, {id: b, type: u1, if: next != 1}]
instances: {next: {pos: _io.pos, type: u1}}
"""
MARKED = """
seq: [{id: l, type: e, size: 2, repeat: eos}]
types:
  e:
    seq: [{id: n, type: u1}, {size: 0, if: at >= 0}, {id: x, type: u1, if: at + _parent._io.pos > 2 + n}]
    instances: {at: {value: _io.pos}, end: {value: _io.pos}, all: {value: _parent.l.size}}
"""
CONDITIONS = """
seq: [{id: frames, type: u1, repeat: until, repeat-until: count == 1 and frames.size > 2}]
instances: {count: {value: frames.size}}
"""


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (WHOLE, b"\1\7\0"),
        (WHOLE, b"\1"),
        (CHAINED, b"\3abc!"),
        (CHAINED, b"\4abcd"),
        (PEEK, b"\1\2"),
        (PEEK, b"\2"),
        ("seq: [{id: a, type: u1}]\ninstances: {n: {pos: _io.pos - 1, type: u1}}", b"\5"),
        (MARKED, b"\0\1\0\2\0\3"),
        (CONDITIONS, b"\1\2\3"),
        ("seq: [{id: k, type: {switch-on: _io.size, cases: {1: u1, 2: u2}}}]", b"\1"),
        ("seq: [{id: k, type: {switch-on: _io.size, cases: {1: u1, 2: u2}}}]", b"\1\2"),
    ],
)
def test_what_asks_the_stream_is_built_as_it_was_read(tmp_path: Path, text: str, data: bytes) -> None:
    path = declared(tmp_path, text)
    for ask in ("nothing", "instances", "all"):
        value = kformat.parse(path, data, trailing="keep")
        if ask == "instances":
            value._fetch_instances()
        elif ask == "all":
            value._asdict(instances=True)
        assert kformat.build(path, value) == data, ask
    if text is not CHAINED:
        assert kformat.build(path, kformat.parse(path, data)._asdict(instances=True)) == data


def test_a_case_that_changes_with_a_count_is_refused() -> None:
    """The first count, 0, chooses a structure; the one that follows from the list chooses bytes."""
    declaration = kformat.parse_declaration("""
meta: {id: a, endian: be}
seq:
  - {id: k, type: u1}
  - {id: l, type: u1, repeat: expr, repeat-expr: k}
  - {id: n, type: u1}
  - {id: v, size: n, type: {switch-on: k, cases: {0: t}}}
types: {t: {seq: [{id: x, type: u1}]}}
""")
    with pytest.raises(BuildError, match=r"a.v: bytes are expected \(found an object\)"):
        kformat.build(declaration, {"l": [1, 2], "v": {"x": 1}})
