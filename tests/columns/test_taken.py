"""Rows of files that are in memory as a whole: what a kernel or numpy decodes of them is what the codec reads. Where
anything is wrong, or asks for rows, the codec reads all.
"""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest

import kformat
from kformat.columns import row_files
from tests.columns.comparing import assert_same, declared, mutated, scanned
from tests.columns.reference import parsed
from tests.draws import EXAMPLES

pytest.importorskip("pyarrow")

ROWS = b"".join(struct.pack("<BHB", number, number * 7, 1 + number % 5) for number in range(90))
"""90 rows of `FIXED`, of four bytes each."""
FIXED = "{seq: [{id: a, type: u1}, {id: b, type: u2}, {id: kind, type: u1, valid: {max: 9}}]}"
TEXTS = b"".join(struct.pack("<BH", len(text), number) + text for number, text in enumerate([b"ab", b"", b"xyz"] * 30))
TEXT = """{seq: [{id: size, type: u1}, {id: n, type: u2}, {id: text, type: str, size: size, encoding: UTF-8}],
  instances: {twice: {value: n * 2}}}"""
CONTEXT = """{seq: [{id: a, type: u1}, {id: more, size: _root.width - 3}, {id: b, type: u2, if: _parent.key == 1}],
  instances: {sum: {value: a + 1}}}"""


REST = "{seq: [{id: a, type: u1, valid: {max: 90}}, {id: b, size-eos: true}]}"


def a_format(seq: str, row: str, more: str = "") -> Any:
    return declared(f"meta: {{id: whole, endian: le}}\nseq:\n{seq}\ntypes:\n  row: {row}\n{more}")


SIZED = """
  - {id: width, type: u1}
  - {id: size, type: u2}
  - {id: body, type: body, size: size}
  - {id: tail, type: u1}
"""
BODY = """
  body:
    seq:
      - {id: key, type: u1}
      - {id: rows, type: row, repeat: eos}
"""
ONE_OF = """
  - {id: parts, type: part, repeat: expr, repeat-expr: 2}
"""
PART = """
  part:
    seq:
      - {id: kind, type: u1}
      - {id: size, type: u2}
      - id: body
        size: size
        type: {switch-on: kind, cases: {1: body, 2: other}}
  other: {seq: [{id: text, size-eos: true}]}
"""
APART = """
  - {id: width, type: u1}
  - {id: at, type: u2}
  - {id: size, type: u2}
"""
INSTANCE = """
instances:
  body: {pos: at, size: size, type: body}
"""
LIST = """
instances:
  rows: {pos: at, type: row, repeat: expr, repeat-expr: size}
  last: {value: "size == 0 ? 0 : rows[size - 1].a"}
"""
UNTIL = """
  - {id: count, type: u1}
  - {id: body, type: body, size-eos: true}
"""
UNTIL_BODY = """
  body:
    seq:
      - {id: rows, type: row, repeat: until, repeat-until: "_.n == 88 or _index > 200"}
      - {id: tail, type: tail, repeat: eos}
  tail: {seq: [{id: x, type: u1}]}
"""
ORDER = """
  - {id: order, type: u1}
  - {id: body, type: body(3), size-eos: true}
"""
ORDER_BODY = """
  body:
    meta: {endian: {switch-on: _root.order, cases: {0: le, _: be}}}
    params: [{id: width, type: u1}]
    seq: [{id: rows, type: row(width + 1), repeat: eos}]
"""
ORDER_ROW = """{params: [{id: width, type: u1}],
  seq: [{id: a, type: u2}, {id: b, size: width - 2}, {id: c, type: u4}]}"""
ORDERED = bytes(range(256)) * 4
"""128 rows of eight bytes."""
BYTES = b"".join(struct.pack("<BBH", n, 0, n) for n in range(100))

TRAILED = """
  - {id: width, type: u1}
  - {id: rows, type: row, repeat: until, repeat-until: _io.pos OP trailer.at + 1 - 1}
  - {id: footer, size: 3}
  - {id: end, type: trailer}
instances:
  trailer: {pos: _io.size - 4, type: trailer}
"""
TRAILER = "  trailer: {seq: [{id: at, type: u2}, {id: magic, contents: [77, 88]}]}"
SCALED = """{seq: [{id: size, type: u1}, {id: n, type: u2}, {id: text, type: str, size: size, encoding: UTF-8}],
  instances: {scaled: {value: n / 1e3 - 0.5}, large: {value: n * 2.5 > 100},
  chosen: {value: "n > 9 ? -scaled : n / 4.0"}}}"""
AT_END = struct.pack("<HBB", 1 + len(TEXTS), 77, 88)


CASES: dict[str, tuple[Any, str, bytes]] = {
    "up to where an index begins": (
        a_format(TRAILED.replace("OP", ">="), SCALED, TRAILER),
        "rows",
        b"\1" + TEXTS + b"idx" + AT_END,
    ),
    "up to the last byte before an index": (
        a_format(TRAILED.replace("OP", ">"), SCALED, TRAILER),
        "rows",
        b"\1" + TEXTS + b"idx" + struct.pack("<HBB", len(TEXTS), 77, 88),
    ),
    "up to a position of a part": (
        a_format(SIZED, SCALED, BODY.replace("repeat: eos", "repeat: until, repeat-until: _io.pos >= _io.size - key")),
        "body.rows",
        struct.pack("<BHB", 4, len(TEXTS) + 1, 0) + TEXTS + b"t",
    ),
    "up to exactly there": (
        a_format(TRAILED.replace("OP", "=="), SCALED, TRAILER),
        "rows",
        b"\1" + TEXTS + b"idx" + AT_END,
    ),
    "sized": (
        a_format(SIZED, FIXED, BODY),
        "body.rows",
        struct.pack("<BHB", 3, len(ROWS) + 1, 0) + ROWS + b"t",
    ),
    "sized, text": (
        a_format(SIZED, TEXT, BODY),
        "body.rows",
        struct.pack("<BHB", 3, len(TEXTS) + 1, 0) + TEXTS + b"t",
    ),
    "sized, asks around": (
        a_format(SIZED, CONTEXT, BODY),
        "body.rows",
        struct.pack("<BHB", 4, len(BYTES) + 1, 1) + BYTES + b"t",
    ),
    "one of several types": (
        a_format(ONE_OF, FIXED, PART + BODY),
        "parts.body.rows",
        struct.pack("<BH", 2, 5) + b"other" + struct.pack("<BHB", 1, len(ROWS) + 1, 0) + ROWS,
    ),
    "several lists": (
        a_format(ONE_OF, TEXT, PART + BODY),
        "parts.body.rows",
        (struct.pack("<BHB", 1, len(TEXTS) + 1, 0) + TEXTS) * 2,
    ),
    "of an instance": (
        a_format(APART, CONTEXT, BODY + INSTANCE),
        "body.rows",
        struct.pack("<BHH", 4, 5, len(BYTES) + 1) + b"\1" + BYTES,
    ),
    "an instance": (a_format(APART, FIXED, LIST), "rows", struct.pack("<BHH", 4, 5, 90) + ROWS),
    "up to a condition": (a_format(UNTIL, TEXT, UNTIL_BODY), "body.rows", b"\1" + TEXTS),
    "each of a size": (
        a_format(SIZED, FIXED, BODY.replace("type: row", "type: row, size: _root.width")),
        "body.rows",
        struct.pack("<BHB", 4, len(ROWS) + 1, 0) + ROWS + b"t",
    ),
    "each to its end": (
        a_format(SIZED, REST, BODY.replace("type: row", "type: row, size: _root.width")),
        "body.rows",
        struct.pack("<BHB", 4, len(ROWS) + 1, 0) + ROWS + b"t",
    ),
    "of a byte order": (a_format(ORDER, ORDER_ROW, ORDER_BODY), "body.rows", b"\1" + ORDERED),
}
TRAILING = ("error", "keep")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each file whether a kernel or numpy decoded it."""
    found: list[bool] = []
    make = row_files.RowFile._made

    def counted(self: Any) -> Any:
        batches = make(self)
        found.append(batches is not None)
        return batches

    monkeypatch.setattr(row_files.RowFile, "_made", counted)
    return found


@pytest.mark.parametrize("trailing", TRAILING)
@pytest.mark.parametrize("name", CASES)
def test_rows_and_errors_are_those_of_the_codec(name: str, trailing: Any, made: list[bool]) -> None:
    pytest.importorskip("numba")
    declaration, row, whole = CASES[name]
    scan = kformat.scan(b"", declaration, row, trailing=trailing)
    assert scan.reason is not None
    rng, data, path = random.Random(name), whole, tuple(row.split("."))
    for number in range(12 + EXAMPLES):
        scan = kformat.scan(data, declaration, row, trailing=trailing)
        wanted = parsed(declaration, data, path, trailing)
        how: dict[str, Any] = {"stretch_bytes": rng.choice((1, 7, 300, 1 << 20)), "few_rows": rng.choice((0, 0, 64))}
        found = scanned(scan, with_kernels=True, **how)
        assert_same(found, wanted, f"{name} {number}")
        assert str(found.error) == str(scanned(scan, with_fixed=False, with_kernels=False).error)
        if number == 0:
            assert made[-2] == (scan.read_by in ("numpy", "a kernel")) and not wanted.error and len(wanted.rows) > 80
        data = mutated(whole, rng)


def test_kernels_read_rows_up_to_a_position(made: list[bool]) -> None:
    """And floats that are computed of them; where a position cannot be read, the codec says so."""
    pytest.importorskip("numba")
    for name in (name for name in CASES if name.startswith("up to ") and name != "up to a condition"):
        declaration, row, data = CASES[name]
        scan = kformat.scan(data, declaration, row)
        assert scan.read_by == "a kernel", (name, scan.read_by)
        assert scanned(scan, with_kernels=True, few_rows=0).rows and made[-1]
    declaration, row, data = CASES["up to exactly there"]
    with pytest.raises(kformat.errors.InvalidError, match="not the contents declared"):
        kformat.scan(data[:-1] + b"?", declaration, row).to_arrow()


def test_what_asks_for_rows_makes_the_codec_read_them(made: list[bool]) -> None:
    declaration, row, data = CASES["an instance"]
    assert kformat.scan(data, declaration, row).to_arrow().num_rows == 90
    found = kformat.scan(data, declaration, row, ["a", "_root.last"]).to_arrow()
    assert found["_root.last"].to_pylist() == [89] * 90
    assert made == [True, False]


def test_damage_is_passed_over_as_the_codec_does(made: list[bool]) -> None:
    declaration, row, data = CASES["sized"]
    broken = data[: 4 + 4 * 40 + 3] + b"\xff" + data[4 + 4 * 40 + 4 :]
    skipped: list[Any] = []
    found = kformat.scan(broken, declaration, row, on_corrupt="skip", on_skipped=skipped.append).to_arrow()
    codec: list[Any] = []
    wanted = scanned(
        kformat.scan(broken, declaration, row, on_corrupt="skip", on_skipped=codec.append), with_fixed=False
    )
    assert found.to_pylist() == wanted.rows and len(wanted.rows) < 90
    assert list(map(str, skipped)) == list(map(str, codec)) and skipped
    assert made == [False, False]


def test_rows_that_may_read_what_is_left_over_are_read_by_the_codec() -> None:
    row = "{seq: [{id: a, type: u1}], instances: {far: {pos: a, type: u1}}}"
    declaration = a_format(SIZED, row, BODY)
    reason = "the codec (instances of the rows may read bytes that are left over)"
    assert kformat.scan(b"", declaration, "body.rows").read_by == reason
    assert kformat.scan(b"", declaration, "body.rows", trailing="keep").read_by == "numpy"


def test_short_lists_are_decoded_together(made: list[bool]) -> None:
    """Many of a few rows each, with long ones between them."""
    pytest.importorskip("numba")
    seq = "\n  - {id: parts, type: part, repeat: eos}\n"
    part = "\n  part:\n    seq:\n      - {id: size, type: u2}\n      - {id: body, type: body, size: size}\n" + BODY
    rng = random.Random(3)
    for row, rows in ((FIXED, ROWS), (TEXT, TEXTS)):
        declaration, parts = a_format(seq, row, part), list[bytes]()
        for number in range(40):
            cut = rng.choice([0, 4, 12]) if row == FIXED else rng.choice([0, 5, 8, 14])
            some = rows if number % 15 == 7 else rows[:cut]
            parts.append(struct.pack("<HB", len(some) + 1, 0) + some)
        whole = data = b"".join(parts)
        for number in range(10 + EXAMPLES):
            scan = kformat.scan(data, declaration, "parts.body.rows")
            wanted = parsed(declaration, data, ("parts", "body", "rows"))
            assert_same(scanned(scan, with_kernels=True), wanted, f"{number}")
            assert made[-1] == (wanted.error is None)
            data = mutated(whole, rng)


def test_a_structure_named_like_the_list_is_no_row() -> None:
    other = "\n  other: {seq: [{id: rows, type: lone}]}\n  lone: {seq: [{id: x, type: u1}]}\n"
    part = PART.replace("other: {seq: [{id: text, size-eos: true}]}", "")
    declaration = a_format(ONE_OF, FIXED, part + BODY + other)
    data = struct.pack("<BHB", 2, 1, 9) + struct.pack("<BHB", 1, 9, 0) + ROWS[:8]
    for how in ({}, {"few_rows": 0}, {"with_fixed": False}):
        rows = scanned(kformat.scan(data, declaration, "parts.body.rows"), **how).rows
        assert [row["a"] for row in rows] == [0, 1], how


@pytest.mark.parametrize("other", ["rows, type: row}]}", "lone, type: row}], instances: {rows: {value: '[lone]'}}}"])
def test_rows_that_are_in_no_list_are_read_by_the_codec(other: str) -> None:
    part = PART.replace("{id: text, size-eos: true}]}", "{id: " + other)
    declaration = a_format(ONE_OF, FIXED, part + BODY)
    data = struct.pack("<BH", 2, 4) + ROWS[4:8] + struct.pack("<BHB", 1, 9, 0) + ROWS[:8]
    scan = kformat.scan(data, declaration, "parts.body.rows")
    assert [row["a"] for row in scan.to_arrow().to_pylist()] == [1, 0, 1]
    assert scan.read_by.startswith("the codec")


def test_rows_with_another_parent_do_not_ask_the_structure_that_has_them() -> None:
    row = "{seq: [{id: n, type: u1}, {id: a, size: _parent.width - 1}]}"
    for change in ("type: row, parent: _root", "type: row, parent: _parent"):
        declaration = a_format(SIZED, row, BODY.replace("type: row", change).replace("key", "width"))
        data = struct.pack("<BHB", 4, 81, 2) + bytes(range(80)) + b"t"
        scan = kformat.scan(data, declaration, "body.rows")
        assert "another parent" in scan.read_by
        assert_same(scanned(scan, with_kernels=True, few_rows=0), parsed(declaration, data, ("body", "rows")), "")
        assert scan.to_arrow().num_rows == 20


WIDE = """
  - {id: width, type: u1}
  - {id: size, type: u2}
  - {id: rows, type: row, size: width, REPEAT}
  - {id: tail, size: 1}
"""


@pytest.mark.parametrize("row", [FIXED, REST], ids=["numpy", "a kernel"])
@pytest.mark.parametrize(
    "repeat",
    ["repeat: expr, repeat-expr: size", "repeat: until, repeat-until: _.a == 89"],
    ids=["count", "until"],
)
def test_rows_of_a_size_are_read_in_stretches(row: str, repeat: str) -> None:
    pytest.importorskip("numba")
    declaration, rng = a_format(WIDE.replace("REPEAT", repeat), row), random.Random(8)
    whole = data = struct.pack("<BH", 4, 90) + ROWS + b"t"
    scan = kformat.scan(data, declaration, "rows")
    assert scan.reason is None and scan.read_by == ("a kernel" if row == REST or "until" in repeat else "numpy")
    for number in range(10 + EXAMPLES):
        for trailing in TRAILING:
            columns, on_corrupt = rng.choice([None, ["a", "_position", "_index"]]), rng.choice(["error", "skip"])
            how: Any = {"trailing": trailing, "on_corrupt": on_corrupt}
            scan = kformat.scan(data, declaration, "rows", columns, **how)
            wanted = scanned(scan, with_fixed=False, with_kernels=False)
            bys: tuple[dict[str, Any], ...] = ({}, {"with_kernels": True}, {"with_kernels": True, "with_fixed": False})
            for by in bys:
                found = scanned(scan, stretch_bytes=rng.choice((1, 7, 300, 1 << 20)), **by)
                assert_same(found, wanted, f"{number} {how} {by}")
                assert str(found.error) == str(wanted.error)
        data = mutated(whole, rng)
