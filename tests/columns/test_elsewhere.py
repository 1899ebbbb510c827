"""Rows of declarations with instances that are read from other places: in stretches if no column asks for one, and with
the answers of `kformat.parse` where bytes are left over.
"""

from __future__ import annotations

import pytest

import kformat
from kformat.errors import InvalidError
from tests.columns.comparing import assert_same, declared, scanned
from tests.columns.reference import parsed

pytest.importorskip("pyarrow")

FORMAT = declared("""
meta: {id: apart, endian: le}
seq:
  - {id: count, type: u1}
  - {id: at, type: u1}
  - {id: rows, type: item, repeat: expr, repeat-expr: count}
instances:
  tail: {pos: at, type: u2}
  twice: {value: count * 2}
  behind: {value: tail + 1}
  of_rows: {value: rows.size}
types:
  item:
    seq:
      - {id: size, type: u1}
      - {id: body, type: part, size: size}
    instances:
      far: {pos: size, type: u1}
      sum: {value: size + body.key}
  part:
    seq:
      - {id: key, type: u1}
    instances:
      second: {pos: 1, type: u1, if: _io.size > 1}
""")
ROWS = bytes((2, 3, 1, 7, 1, 8))
"""Of one byte each; the tail lies in the second: nothing is left over."""
FILES = {
    "nothing is left over": ROWS,
    "an instance reads the end": bytes((2, 6)) + ROWS[2:] + b"ab",
    "nothing reads the last byte": bytes((2, 6)) + ROWS[2:] + b"abc",
    "an instance reads a row's end": bytes((3, 0, 1, 7, 2, 8, 9, 1, 7)),
    "nothing reads a row's end": bytes((4, 0, 1, 7, 2, 8, 9, 3, 8, 9, 9, 1, 7)),
    "a row is cut off": bytes((4, 0, 1, 7, 2, 8, 9, 3, 8)),
}


@pytest.mark.parametrize("stretch", [1, 3, 1 << 20])
@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_rows_and_errors_are_those_of_the_codec(data: bytes, stretch: int) -> None:
    scan = kformat.scan(data, FORMAT, "rows")
    assert scan.reason is None
    assert_same(scanned(scan, stretch_bytes=stretch), parsed(FORMAT, data, ("rows",)), "")
    kept = kformat.scan(data, FORMAT, "rows", trailing="keep")
    assert_same(scanned(kept, stretch_bytes=stretch), parsed(FORMAT, data, ("rows",), "keep"), "")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (["size", "body.key", "sum", "_root.twice", "_position"], None),
        (["far"], "instances are read from other places of the file"),
        (["body.second"], "instances are read from other places of the file"),
        (["_root.tail"], "instances are read from other places of the file"),
        (["size", "_parent.behind"], "instances are read from other places of the file"),
        (["_root.of_rows"], "of_rows is asked for while rows are read"),
    ],
)
def test_a_column_that_asks_for_one_needs_the_whole_file(columns: list[str], reason: str | None) -> None:
    scan = kformat.scan(ROWS, FORMAT, "rows", columns)
    assert scan.reason == reason
    assert scan.to_arrow().num_rows == 2
    places = kformat.scan(ROWS, FORMAT, "rows", ["_position"]).to_arrow()
    if "_position" not in columns:
        columns = [*columns, "_position"]
    assert kformat.scan(ROWS, FORMAT, "rows", columns).to_arrow()["_position"] == places["_position"]


def test_bytes_left_over_in_a_file_that_is_not_held_are_passed_over() -> None:
    data = FILES["nothing reads the last byte"]
    assert kformat.scan(data, FORMAT, "rows", most_held=6).to_arrow().num_rows == 2
    with pytest.raises(InvalidError, match="bytes are left over"):
        kformat.scan(data, FORMAT, "rows").to_arrow()
    skipped: list[object] = []
    scan = kformat.scan(data, FORMAT, "rows", on_corrupt="skip", on_skipped=skipped.append)
    assert scan.to_arrow().num_rows == 2
    assert len(skipped) == 1


MOMENTS = {
    "positions": (
        "seq: [{id: rows, type: row, repeat: eos}]",
        "seq: [{id: n, type: u1}, {size: 0, if: at >= 0}, {id: body, size: n % 4}, {id: z, type: u1, if: not _io.eof}]",
        "at: {value: _io.pos}, end: {value: _io.pos}, more: {value: not _io.eof}, covered: {value: end - at}",
    ),
    "positions in parts": (
        "seq: [{id: rows, type: row, size: 4, repeat: eos}]",
        "seq: [{id: n, type: u1}, {size: 0, if: at >= 0}, {id: body, size: 2}, {id: z, type: u1}]",
        "at: {value: _io.pos}, end: {value: _io.pos}, whole: {value: _io.size}, outer: {value: _parent._io.pos}",
    ),
    "rules": (
        "seq: [{id: rows, type: row, repeat: eos}]",
        "seq: [{id: n, type: u1}, {id: z, type: u1, if: not _io.eof, valid: {max: 9}}]",
        "twice: {value: n * 2, valid: {max: 18}}",
    ),
    "a list that grows": (
        "seq: [{id: rows, type: row, repeat: eos}]",
        "seq: [{id: l, type: u1, repeat: until, repeat-until: c > 1 or _ == 0}]",
        "c: {value: l.size}, d: {value: l.size}",
    ),
    "around": (
        "seq: [{id: k, type: u1}, {size: 0, if: start >= 0}, {id: rows, type: row, repeat: eos}]",
        "seq: [{id: n, type: u1}]",
        "at: {value: _root.start + n}",
    ),
    "rows that ask their number": (
        "seq: [{id: rows, type: row, repeat: until, repeat-until: rows.size > 1 or _io.eof}]",
        "seq: [{id: n, type: u1}]",
        "a: {value: n * 2}",
    ),
    "rows whose argument is their number": (
        "seq: [{id: rows, type: row(rows.size), repeat: expr, repeat-expr: 2}]",
        "params: [{id: p, type: u1}]\n    seq: [{id: n, type: u1, repeat: expr, repeat-expr: p}]",
        "a: {value: p * 2}",
    ),
    "an instance that asks their number": (
        "seq: [{id: rows, type: row, repeat: until, repeat-until: so_far > 0 or _io.eof}]\n"
        "instances: {so_far: {value: rows.size}}",
        "seq: [{id: n, type: u1}]",
        "a: {value: n * 2}",
    ),
    "an instance that moves on": (
        "seq: [{id: rows, type: row, repeat: expr, repeat-expr: 2}]",
        "seq: [{id: n, type: u1}]",
        "a: {value: _io.pos}, b: {type: u1}, c: {value: _io.pos}",
    ),
}


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("stretch", [2, 1 << 20])
@pytest.mark.parametrize(("root", "row", "instances"), MOMENTS.values(), ids=MOMENTS)
def test_what_depends_on_the_moment_is_as_the_codec_reads_it(
    root: str, row: str, instances: str, stretch: int, kernels: bool
) -> None:
    of_root = "instances: {start: {value: _io.pos}}\n" if "start" in root else ""
    text = f"meta: {{id: moments}}\n{root}\n{of_root}types:\n  row:\n    {row}\n    instances: {{{instances}}}\n"
    format = declared(text)
    for data in (b"\1\2\3\0", b"\2\1\2\7\1\5\0\0", b"\3\3\3\3\3\1\2\0\1\x08\0\0", b"\1\2\x0b", b"\2"):
        scan = kformat.scan(data, format, row="rows", trailing="keep")
        found = scanned(scan, stretch_bytes=stretch, with_kernels=kernels)
        if "b: " not in instances:  # the reference asks for none that is read
            assert_same(found, parsed(format, data, ("rows",), "keep"), f"{data.hex()}: ")
        if found.error is None:
            rows = kformat.parse(format, data, trailing="keep")._asdict(instances=True)["rows"]
            names = found.rows[0].keys() if found.rows else ()
            assert [{name: one.get(name) for name in names} for one in rows] == found.rows


@pytest.mark.parametrize("field", ["{id: t, type: u1, if: l.size > 1}", "{id: t, size: many}"])
def test_a_list_that_is_asked_for_after_its_rows_is_read_whole(field: str) -> None:
    declaration = kformat.parse_declaration(
        f"meta: {{id: case}}\nseq: [{{id: l, type: e, repeat: expr, repeat-expr: 2}}, {field}]\n"
        "instances: {many: {value: l.size - 1}}\ntypes: {e: {seq: [{id: x, type: u1}]}}"
    )
    scan = kformat.scan(b"abc", declaration, "l")
    assert "is asked for after the rows" in (scan.reason or "")
    assert scan.to_arrow().num_rows == 2
