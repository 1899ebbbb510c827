"""Rows with switches, lists up to a condition, and fields that may be absent, by kernels: those that the codec reads,
and the same error after them.
"""

from __future__ import annotations

import random
from typing import Any
from zlib import crc32

import pytest

import kformat
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from tests.columns.comparing import assert_same, mutated, scanned
from tests.draws import EXAMPLES

pytestmark = pytest.mark.drawn

pytest.importorskip("pyarrow")
pytest.importorskip("numba")

SWITCHES = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: head, type: u2}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: tag, type: str, size: 2, encoding: ASCII}
      - {id: level, type: u1, if: tag != "aa"}
      - id: body
        type: {switch-on: kind, cases: {'kind::a': a, 'kind::b': b, 'kind::c': a, 'kind::d': none}}
      - {id: number, type: {switch-on: kind.to_i & 3, cases: {0: u1, 1: s2, 2: u4, _: s1}}, enum: kind}
      - {id: maybe, type: {switch-on: level, cases: {1: u1, 2: u2}}}
      - {id: sized, type: {switch-on: tag, cases: {'"aa"': pairs, '"bb"': str, '"cc"': b}}, encoding: UTF-8, size: 5}
      - {id: raw, size: maybe, if: maybe == 3 or level == 4}
      - {id: mixed, type: {switch-on: kind, cases: {'kind::a': f4, 'kind::b': u8, 'kind::c': b}}, if: number.to_i != 7}
      - {id: count, type: u1}
      - {id: items, type: item, repeat: expr, repeat-expr: count}
      - {id: plain, type: {switch-on: level, cases: {2: u2, _: u1}}, repeat: expr, repeat-expr: count}
  item:
    seq:
      - {id: t, type: u1}
      - {id: v, size: 2, type: {switch-on: t, cases: {0: a, 1: pairs}}}
  a: {seq: [{id: x, type: u1}, {id: n, type: u1, valid: {max: 9}}], instances: {twice: {value: n * 2}}}
  b: {seq: [{id: length, type: u1}, {id: s, type: str, size: length, encoding: UTF-8}]}
  pairs: {seq: [{id: of, type: u1, repeat: eos}]}
  none: {}
enums: {kind: {0: a, 1: b, 2: c, 3: d}}
""")
CHOSEN = ["body.a.x", "body.b.s", "number", "mixed.integer", "items.v.pairs.of", "plain", "maybe", "_index", "sized"]


def rows_of_switches(count: int, rng: random.Random) -> bytes:
    parts = [b"\0\5"]
    for _ in range(count):
        kind, tag, level = rng.choice((0, 1, 2, 3, 9)), rng.choice((b"aa", b"bb", b"cc", b"dd")), rng.randrange(1, 4)
        text = rng.choice((b"", b"ab", b"\xc3\xa9"))
        b = bytes([len(text)]) + text
        number = rng.randbytes((1, 2, 4, 1)[kind & 3])
        maybe = b"" if tag == b"aa" else (b"\3", b"\0\3", b"")[level - 1]
        parts += [bytes([kind]), tag, b"" if tag == b"aa" else bytes([level])]
        parts += [(b"\7\7", b, b"\1\2")[kind] if kind < 3 else b"", number, maybe]
        parts.append(b"\4four\0"[:5] if tag == b"cc" else b"hello")
        parts.append(b"xxx" if maybe else b"")
        if number != b"\7":
            parts.append((b"\0\0\0\1", b"\xff" * 8, b)[kind] if kind < 3 else b"")
        items = [rng.choice((b"\0\1\1", b"\1ab", b"\2cd")) for _ in range(rng.randrange(3))]
        parts += [bytes([len(items)]), *items, rng.randbytes(len(items) * (2 if level == 2 and tag != b"aa" else 1))]
    return b"".join(parts)


def assert_alike(
    format: Any, files: list[bytes], count: int, columns: list[str] | None, rng: random.Random, row: str | None = None
) -> int:
    """Files, and mutated ones; returns how many rows there were."""
    for enums in ("names", "numbers"):
        found = compiled_of(plan_of(find(format, row), columns, enums), "error")
        assert isinstance(found, Compiled), found
    rows = 0
    for number in range(count):
        data = rng.choice(files) if number % 4 == 0 else mutated(rng.choice(files), rng)
        how: Any = {"columns": columns, "enums": rng.choice(("names", "numbers"))}
        scan = kformat.scan(data, format, row, **how)
        wanted = scanned(scan, with_kernels=False)
        made = scanned(scan, with_kernels=True, stretch_bytes=rng.choice((1, 50, 1000, 1 << 20)))
        assert_same(made, wanted, f"{number} {data.hex()}")
        assert str(made.error) == str(wanted.error)
        rows += len(made.rows)
    return rows


@pytest.mark.parametrize("columns", [None, CHOSEN], ids=["all", "some"])
def test_switches(columns: list[str] | None) -> None:
    rng = random.Random(3)
    files = [rows_of_switches(rng.randrange(1, 9), rng) for _ in range(20)]
    assert assert_alike(SWITCHES, files, 60 + 10 * EXAMPLES, columns, rng) > 100


COUNTS = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: head, type: s1}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: n, type: s1}
      - {id: xs, type: u1, repeat: expr, repeat-expr: n}
      - {id: parts, type: part, repeat: expr, repeat-expr: n - 2}
      - {id: far, type: u2, repeat: expr, repeat-expr: _root.head}
      - {id: none, type: u1, repeat: expr, repeat-expr: -1}
      - {id: end, type: u1}
  part: {seq: [{id: m, type: s1}, {id: ys, type: u2, repeat: expr, repeat-expr: 0 - m}]}
""")


def test_negative_counts_are_of_no_element() -> None:
    """By kernels, the codec and its builder, and in Kaitai's classes (features/counts_negative.ksy)."""
    files = [b"\xff\xff.\1a.\3abc\1.", b"\x80\xff.\x80.", b"\1\2ab\0\1.\xfe\0\1.\3abc\xffxy\0\1.", b"\0\xfe."]
    assert assert_alike(COUNTS, files, 60, None, random.Random(4)) > 40
    for data in files:
        value = kformat.parse(COUNTS, data)
        assert kformat.build(COUNTS, value) == data == kformat.build(COUNTS, value._asdict()), data
    row = kformat.parse(COUNTS, b"\xff\xff.").rows[0]
    row.xs = [1, 2]  # a count that no longer holds is computed
    assert kformat.build(COUNTS, {"head": -1, "rows": [row]}) == b"\xff\2\1\2."


AFTER_BITS = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: lead, type: u1}
      - {id: kind, type: b4}
      - {id: body, type: {switch-on: kind, cases: {0: u1, 1: bits, 2: whole, _: u2}}}
      - {id: tail, type: u1}
  bits: {seq: [{id: low, type: b4}]}
  whole: {seq: [{id: x, type: u1}]}
""")


def test_cases_begin_at_a_byte_or_within_one() -> None:
    files = [b"a\x0f\1.b\x15.c\x2f\3.d\x3f\4\5.", b"e\x1a.f\x1b.g\x00\7.h\x1c.i\xf0\0\1."]
    assert assert_alike(AFTER_BITS, files, 40, None, random.Random(9)) > 40


CONDITIONS = kformat.parse_declaration(
    """
meta: {id: log, endian: le}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: bytes, type: u1, repeat: until, repeat-until: _ == 0 or _index == most, valid: {max: 200}}
      - {id: most, type: u1}
      - {id: flags, type: u1, enum: kind, repeat: expr, repeat-expr: 2, valid: {in-enum: true}}
      - {id: kind, type: u1, enum: kind, valid: {in-enum: true}}
      - {id: word, size: 2, valid: {any-of: ["'ab'", "'cd'"]}, type: str, encoding: ASCII}
      - {id: raw, size: 2, valid: {any-of: ["[1, 2]", "[3, 4]"]}}
      - id: parts
        type: part
        repeat: until
        repeat-until: _.inner.last != 0 and _.size < 5
        valid: {expr: _.size != 9}
      - {id: large, type: u8, repeat: until, repeat-until: _ >= 0x8000000000000000}
      - {id: sign, type: s4, valid: {expr: "_ > -5 or _ == -9"}}
  part:
    seq:
      - {id: size, type: u1}
      - {id: data, size: size}
      - {id: inner, type: inner}
  inner: {seq: [{id: last, type: u1}]}
enums: {kind: {0: a, 1: b}}
""".replace("_index == most", "_index == 2")
)


def rows_of_conditions(count: int, rng: random.Random) -> bytes:
    parts = []
    for _ in range(count):
        parts.append(rng.choice((b"\0", b"\1\0", b"\1\2\3", b"\5\0")))
        parts += [bytes([3, rng.randrange(2), rng.randrange(2), rng.randrange(2)]), rng.choice((b"ab", b"cd"))]
        parts += [rng.choice((b"\1\2", b"\3\4")), b"\1x\0" * rng.randrange(3), b"\6sixsix\1" * rng.randrange(2)]
        parts += [b"\2xy\1", rng.randbytes(7) + b"\x7f", rng.randbytes(7) + b"\x80"]
        parts.append(rng.choice((-9, -4, 7)).to_bytes(4, "little", signed=True))
    return b"".join(parts)


def test_conditions() -> None:
    rng = random.Random(4)
    files = [rows_of_conditions(rng.randrange(1, 6), rng) for _ in range(20)]
    assert assert_alike(CONDITIONS, files, 60 + 10 * EXAMPLES, None, rng) > 100


AROUND = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: head, type: head}
  - {id: groups, type: group, repeat: eos}
types:
  head: {seq: [{id: size, type: u1}, {id: wide, type: u8}, {id: more, type: u1, if: size == 2}]}
  group:
    seq:
      - {id: count, type: u1}
      - {id: step, type: u1}
      - {id: rows, type: "row(step == 1, step)", repeat: expr, repeat-expr: count}
  row:
    params: [{id: has_more, type: bool}, {id: given, type: u1}]
    seq:
      - {id: raw, size: _root.head.size}
      - {id: large, type: u1, if: _root.head.wide > 0x8000000000000000}
      - {id: more, type: u1, if: has_more}
      - {id: many, size: given}
      - {id: inner, type: inner}
      - {id: parts, type: inner, repeat: expr, repeat-expr: 2}
      - {id: optional, size: _root.head.more, if: more == 1}
  inner:
    seq:
      - {id: kind, type: u1}
      - {id: deep, type: deep}
      - {id: again, type: u1, if: _parent._parent.step > 1}
  deep: {seq: [{id: a, type: u1, if: _parent.kind == 1}, {id: b, size: _parent._parent.given}]}
""")


def rows_around(rng: random.Random) -> bytes:
    size, wide = rng.randrange(4), rng.choice((0, 1 << 63, (1 << 63) + 1, 1 << 64))
    parts = [bytes([size]) + min(wide, (1 << 64) - 1).to_bytes(8, "big"), b"\1" if size == 2 else b""]
    for _ in range(rng.randrange(3)):
        count, step = rng.randrange(4), rng.randrange(3)
        parts.append(bytes([count, step]))
        for _ in range(count):
            more = rng.randrange(2)
            parts += [bytes(size), b"L" if wide > 1 << 63 else b"", bytes([more]) if step == 1 else b"", bytes(step)]
            for _ in range(3):
                kind = rng.randrange(2)
                parts += [bytes([kind]), b"a" * kind, bytes(step), b"A" if step > 1 else b""]
            parts.append(b"o" if step == 1 and more == 1 and size == 2 else b"")
    return b"".join(parts)


@pytest.mark.parametrize(
    "columns", [None, ["_position", "_index", "_parent.step", "inner.deep.b"]], ids=["all", "some"]
)
def test_what_is_around_the_rows(columns: list[str] | None) -> None:
    rng = random.Random(5)
    files = [rows_around(rng) for _ in range(30)]
    assert assert_alike(AROUND, files, 60 + 10 * EXAMPLES, columns, rng, "groups.rows") > 60


SUMS = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: size, type: u1}
      - {id: part, type: part}
      - {id: text, type: str, size: size, encoding: UTF-8}
  part:
    -checksum: {algorithm: crc32, field: sum, from: length}
    seq:
      - {id: sum, type: u4}
      - {id: length, type: u1, valid: {max: 9}}
      - {id: data, size: length}
""")


def test_checksums_and_where_rows_are() -> None:
    rng, files = random.Random(6), []
    for _ in range(20):
        parts = []
        for _ in range(rng.randrange(1, 9)):
            data = rng.randbytes(rng.randrange(4))
            covered, text = bytes([len(data)]) + data, rng.choice((b"", b"ab", "\u00e9".encode(), b"\xff"))
            stored = crc32(covered) ^ (rng.random() < 0.05)
            parts.append(bytes([len(text)]) + stored.to_bytes(4, "big") + covered + text)
        files.append(b"".join(parts))
    assert assert_alike(SUMS, files, 60 + 10 * EXAMPLES, None, rng) > 60
    assert assert_alike(SUMS, files, 60, ["_position", "text", "_file"], rng) > 20
    whole = scanned(kformat.scan(files, SUMS, on_corrupt="skip", checksums=False), with_kernels=True)
    assert len(whole.rows) >= sum(len(scanned(kformat.scan(data, SUMS, on_corrupt="skip")).rows) for data in files)


UNTIL = kformat.parse_declaration("""
meta: {id: log, endian: be}
seq:
  - {id: groups, type: group, repeat: until, repeat-until: _.size == 0}
types:
  group:
    seq:
      - {id: size, type: u1}
      - {id: most, type: u1}
      - id: rows
        type: row
        repeat: until
        repeat-until: _.part.last == 1 or _index == most
        valid: {expr: _.size < 99 and _.size != size}
  row: {seq: [{id: size, type: u1}, {id: text, size: size}, {id: part, type: part}]}
  part: {seq: [{id: last, type: u1}]}
""")


def test_rows_up_to_a_condition() -> None:
    rng, files = random.Random(8), []
    for _ in range(30):
        parts = []
        for size in (*rng.choices((6, 7), k=rng.randrange(3)), 0):
            most = rng.randrange(6)
            parts.append(bytes([size, most]))
            for index in range(most + 1):
                last = index == most or rng.random() < 0.2
                text = b"x" * rng.randrange(1, 5)
                parts.append(bytes([len(text)]) + text + bytes([last]))
                if last:
                    break
        files.append(b"".join(parts))
    assert assert_alike(UNTIL, files, 60 + 10 * EXAMPLES, None, rng, "groups.rows") > 60
