"""Rows of a fixed size, read by numpy: those that the codec reads, and the same error for the first that is wrong."""

from __future__ import annotations

import random
from typing import Any

import pytest

import kformat
from kformat.columns.fixed import Fixed, fixed_of
from kformat.columns.plan import plan_of
from kformat.columns.rows import find
from kformat.columns.scanning import FilePart, batches_of, can_split
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
        wanted = scanned(kformat.scan(data, declaration, columns=[one.column.name for one in plan.columns], **how))
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
