"""Rows with switches, lists up to a condition, and fields that may be absent, by kernels: those that the codec reads,
and the same error after them.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import kformat
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from tests.columns.comparing import assert_same, mutated, scanned
from tests.draws import EXAMPLES

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


def assert_alike(format: Any, files: list[bytes], count: int, columns: list[str] | None, rng: random.Random) -> int:
    """Files, and mutated ones; returns how many rows there were."""
    for enums in ("names", "numbers"):
        found = compiled_of(plan_of(find(format), columns, enums), "error")
        assert isinstance(found, Compiled), found
    rows = 0
    for number in range(count):
        data = rng.choice(files) if number % 4 == 0 else mutated(rng.choice(files), rng)
        how: Any = {"columns": columns, "enums": rng.choice(("names", "numbers"))}
        scan = kformat.scan(data, format, **how)
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
