"""Rows of declarations with instances that are read from other places: in stretches if no column asks for one, and with
the answers of `kformat.parse` where bytes are left over.
"""

from __future__ import annotations

import pytest

import kformat
from kformat.errors import InvalidError, UsageError
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
    if reason is not None:
        with pytest.raises(UsageError, match="_position is not known: "):
            kformat.scan(ROWS, FORMAT, "rows", [*columns, "_position"])


def test_bytes_left_over_in_a_file_that_is_not_held_are_passed_over() -> None:
    data = FILES["nothing reads the last byte"]
    assert kformat.scan(data, FORMAT, "rows", most_held=6).to_arrow().num_rows == 2
    with pytest.raises(InvalidError, match="bytes are left over"):
        kformat.scan(data, FORMAT, "rows").to_arrow()
    skipped: list[object] = []
    scan = kformat.scan(data, FORMAT, "rows", on_corrupt="skip", on_skipped=skipped.append)
    assert scan.to_arrow().num_rows == 2
    assert len(skipped) == 1
