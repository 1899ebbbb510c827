"""Rows of a fixed size, read by numpy: those that the codec reads, and the same error for the first that is wrong."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import pytest

import kformat
from kformat.columns.fixed import Fixed, can_split, fixed_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.columns.scanning import FilePart, batches_of
from kformat.errors import DataError
from tests.columns.comparing import assert_same, mutated, scanned
from tests.columns.reference import Outcome
from tests.draws import EXAMPLES

pytest.importorskip("pyarrow")

ROW = """
meta: {id: f, endian: be}
seq:
  - {id: magic, contents: FX}
  - {id: count, type: u2le}
  - {id: rows, type: row, REPEAT}
  - {id: end, size: 0}
types:
  row:
    seq:
      - {id: mark, contents: [0xaa]}
      - {id: time, type: s8}
      - {id: big, type: u8}
      - {id: price, type: f4le}
      - {id: exact, type: f8}
      - {id: count, type: u2, valid: {min: 1, max: 40000}}
      - {id: side, type: u1, enum: side, valid: {in-enum: true}}
      - {id: kind, type: u1, enum: side}
      - {id: name, type: str, size: 3, encoding: UTF-8}
      - {id: code, type: str, size: 2, encoding: ASCII}
      - {id: raw, size: 2}
      - {id: where, type: place}
      - {id: path, type: place, repeat: expr, repeat-expr: 2}
      - {id: sums, type: s2, repeat: expr, repeat-expr: 3}
    instances:
      double: {value: count * 2 + where.x}
      is_sell: {value: 'side == side::sell and count > 5'}
  place:
    seq:
      - {id: x, type: s1}
      - {id: y, type: u1}
enums:
  side: {1: buy, 2: sell}
"""
COUNTED = ROW.replace("REPEAT", "repeat: expr, repeat-expr: count")
TO_THE_END = ROW.replace("REPEAT", "repeat: eos")


def a_file(declaration: Any, count: int, rng: random.Random) -> bytes:
    rows = [
        {
            "mark": b"\xaa",
            "time": rng.randrange(-(1 << 63), 1 << 63),
            "big": rng.randrange(1 << 64),
            "price": rng.random(),
            "exact": rng.random(),
            "count": rng.randrange(1, 40001),
            "side": rng.choice((1, 2)),
            "kind": rng.randrange(4),
            "name": rng.choice(("abc", "a\u00e9", "\u20ac", "x\0y", "\0\0\0")),
            "code": rng.choice(("ok", "no")),
            "raw": rng.randbytes(2),
            "where": {"x": rng.randrange(-128, 128), "y": rng.randrange(256)},
            "path": [{"x": 1, "y": 2}, {"x": -3, "y": 4}],
            "sums": [rng.randrange(-9, 9) for _ in range(3)],
        }
        for _ in range(count)
    ]
    return kformat.build(declaration, {"magic": b"FX", "count": count, "rows": rows, "end": b""})


def test_it_is_taken() -> None:
    for text in (COUNTED, TO_THE_END):
        assert kformat.scan(b"", kformat.parse_declaration(text)).read_by == "numpy"
        assert isinstance(fixed_of(plan_of(find(kformat.parse_declaration(text)), None, "names")), Fixed)


@pytest.mark.parametrize("text", [COUNTED, TO_THE_END], ids=["counted", "to the end"])
@pytest.mark.parametrize(
    "columns",
    [None, ["where.x", "path.y", "sums", "_position", "_index", "_root.count", "_file", "time"], ["double"]],
    ids=["all", "some", "one"],
)
def test_rows_are_those_of_the_codec(text: str, columns: list[str] | None) -> None:
    rng, declaration = random.Random(3), kformat.parse_declaration(text)
    data = a_file(declaration, 40, rng)
    sizes = (1, 7, 100, 1 << 20)
    for number in range(40 + EXAMPLES):
        for enums in ("names", "numbers"):
            scan = kformat.scan(data, declaration, columns=columns, enums=enums, batch_rows=rng.choice((1, 7, None)))
            wanted = scanned(scan, with_fixed=False)
            found = scanned(scan, stretch_bytes=rng.choice(sizes))
            assert_same(found, wanted, f"{number} {enums}")
            assert str(found.error) == str(wanted.error)
        data = mutated(a_file(declaration, rng.randrange(20), rng), rng)


@pytest.mark.parametrize("columns", [None, ["count", "_index"]])
def test_rows_that_are_not_sound_are_passed_over_one_by_one(columns: list[str] | None) -> None:
    rng, declaration = random.Random(4), kformat.parse_declaration(COUNTED)
    data = bytearray(a_file(declaration, 10, rng))
    size = (len(data) - 4) // 10
    for row in (2, 3, 7):
        data[4 + row * size] = 0xAB
    skipped: list[Any] = []
    scan = kformat.scan(bytes(data), declaration, columns=columns, on_corrupt="skip", on_skipped=skipped.append)
    found = scanned(scan)
    assert len(found.rows) == 7 and found.error is None
    assert [(one.position, one.end_position, one.problem.path) for one in skipped] == [
        (4 + row * size, 4 + (row + 1) * size, f"f.rows[{row}].mark") for row in (2, 3, 7)
    ]
    if columns is not None:
        assert [row["_index"] for row in found.rows] == [0, 1, 4, 5, 6, 8, 9]


@pytest.mark.parametrize("text", [COUNTED, TO_THE_END], ids=["counted", "to the end"])
@pytest.mark.parametrize("on_corrupt", ["error", "skip"])
def test_parts_of_a_file_have_its_rows_and_its_damage_once(text: str, on_corrupt: str) -> None:
    rng, declaration = random.Random(5), kformat.parse_declaration(text)
    data = a_file(declaration, 40, rng)
    plan = plan_of(find(declaration), ["time", "_position", "_index", "_root.count"], "names")
    assert can_split(plan)
    for number in range(40 + EXAMPLES):
        skipped: list[Any] = []
        how: dict[str, Any] = {"on_corrupt": on_corrupt, "on_skipped": skipped.append}
        scan = kformat.scan(data, declaration, columns=[one.column.name for one in plan.columns], **how)
        # A part is all that is read of a file: where rows begin after damage is looked for in whole files alone.
        wanted = scanned(scan, part=FilePart(0, None))
        if on_corrupt == "error":
            assert_same(wanted, scanned(scan), f"{number}")
        passed = [str(one) for one in skipped]
        skipped.clear()
        cuts = sorted({rng.randrange(len(data) + 3) for _ in range(rng.randrange(4))} - {0})
        rows, error = list[Any](), None
        for start, end in zip([0, *cuts], [*cuts, None], strict=True):
            try:
                for batch in batches_of(data, plan, FilePart(start, end), **how):
                    rows += batch.to_pylist()
            except DataError as problem:
                error = problem
                break
        assert_same(Outcome(rows, error), wanted, f"{number} {cuts}")
        assert [str(one) for one in skipped] == passed
        data = mutated(a_file(declaration, rng.randrange(20), rng), rng)


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("{id: a, type: u2, if: 'true'}", "rows have no fixed size"),
        ("{id: a, type: strz, encoding: ASCII}", "rows have no fixed size"),
        ("{id: a, type: str, size: 2, encoding: UTF-16LE}", "a: text in utf-16-le"),
        ("{id: a, type: u8, valid: {max: 5}}", "the expression a"),
        ("{id: a, type: u1, valid: {expr: '100 / _ == 1'}}", "the expression 100 / a"),
    ],
)
def test_others_are_read_by_the_codec(field: str, reason: str) -> None:
    text = (
        f"meta: {{id: f, endian: be}}\nseq: [{{id: rows, type: row, repeat: eos}}]\ntypes: {{row: {{seq: [{field}]}}}}"
    )
    found = fixed_of(plan_of(find(kformat.parse_declaration(text)), None, "names"))
    assert isinstance(found, str) and found.startswith(reason)


FLOATS = """
meta: {id: floats, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: f, type: f4}, {id: g, type: f8}, {id: a, type: s4}, {id: b, type: s8}, {id: c, type: u2}MORE]
    instances:
      scaled: {value: a / 1e7}
      large: {value: b * 0.1 + g}
      less: {value: g - f - 0.5}
      minus: {value: '-f * 3.0'}
      part: {value: f / 3}
      is_more: {value: g > 1.5 and c >= 2.5}
      chosen: {value: 'a != 0 ? g : f'}
      of_another: {value: scaled * 2.0}
      divided: {value: g / f}
      whole: {value: (g * 0.5).to_i}
      exact: {value: b > 9007199254740993.0}
"""
FLOAT_VALUES = (0.0, -0.0, 1.5, -2.25, 1e300, -1e300, math.inf, -math.inf, math.nan, 5e-324, 0.1)
INTEGERS = (0, 1, -1, 2**31 - 1, -(2**31), 123456789)
WIDE = (0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1)


@pytest.mark.parametrize("more", ["", ", {id: n, type: u1}, {id: text, size: n}"], ids=["numpy", "a kernel"])
def test_floats_are_computed_as_the_codec_does(more: str) -> None:
    """Of extreme values; what has no result for some, or another one in numpy, the codec computes."""
    if more:
        pytest.importorskip("numba")
    declaration, rng = kformat.parse_declaration(FLOATS.replace("MORE", more)), random.Random(5)
    rows = [
        struct.pack(">fd", rng.choice(FLOAT_VALUES[:4] + FLOAT_VALUES[6:]), rng.choice(FLOAT_VALUES))
        + struct.pack(">iqH", rng.choice(INTEGERS), rng.choice(WIDE), rng.randrange(5))
        + (b"\1?" if more else b"")
        for _ in range(300)
    ]
    names = ("scaled", "large", "less", "minus", "part", "is_more", "chosen", "of_another", "divided", "whole", "exact")
    for name in names:
        scan = kformat.scan(b"".join(rows), declaration, columns=["a", name])
        by_codec = name in ("divided", "whole", "exact")
        assert (scan.read_by in ("numpy", "a kernel")) == (not by_codec), (name, scan.read_by)
        found = scanned(scan, with_kernels=True)
        wanted = scanned(scan, with_fixed=False, with_kernels=False)
        assert_same(found, wanted, name)
        assert bool(wanted.error) == (name in ("divided", "whole")) and (wanted.error or len(wanted.rows) == 300)
