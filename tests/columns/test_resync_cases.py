"""Single damages that an attack on the search for rows found: what `scan`, `check` and `salvage_files` say of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat

pytest.importorskip("pyarrow")

ROW = """
  row:
    -checksum: {algorithm: CRC-16/IBM-3740, field: crc, from: seq, to: payload}
    seq:
      - {id: sync, contents: [0xaa, 0x55]}
      - {id: seq, type: u4}
      - {id: len, type: u1}
      - {id: payload, size: len}
      - {id: crc, type: u2}
"""
PLAIN = f"meta: {{id: plain, endian: le}}\nseq: [{{id: rows, type: row, repeat: eos}}]\ntypes:{ROW}"
AFTER_HEADER = f"""
meta: {{id: headed, endian: le}}
seq: [{{id: magic, contents: HDR1}}, {{id: template, size: 14}}, {{id: rows, type: row, repeat: eos}}]
types:{ROW}"""
WITH_INDEX = f"""
meta: {{id: indexed, endian: le}}
seq:
  - {{id: magic, contents: HP}}
  - {{id: index_position, type: u4, -derive: {{position-of: index}}}}
  - {{id: rows, type: row, repeat: until, repeat-until: _io.pos >= index_position}}
  - {{id: index, type: index}}
types:
  index: {{seq: [{{id: sync, contents: IDXXX}}]}}{ROW}"""
WHOLE_SUM = f"""
meta: {{id: summed, endian: le}}
-checksum: {{algorithm: crc32, field: foot.crc, from: head, to: rows}}
seq:
  - {{id: head, type: head}}
  - {{id: rows, type: row, repeat: expr, repeat-expr: head.count}}
  - {{id: foot, type: foot}}
types:
  head: {{seq: [{{id: magic, contents: CNT}}, {{id: count, type: u2}}]}}
  foot: {{seq: [{{id: magic, contents: FOOT}}, {{id: crc, type: u4}}]}}{ROW}"""
NESTED = """
meta: {id: nested, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    -checksum: {algorithm: crc32c, field: crc, from: seq}
    seq:
      - {id: sync, contents: [0xb1, 0x0c]}
      - {id: crc, type: u4}
      - {id: seq, type: u4}
      - {id: n, type: u1}
      - {id: items, type: item, repeat: expr, repeat-expr: n}
  item: {seq: [{id: len, type: u1}, {id: body, size: len}]}
"""
COUNTED = f"""
meta: {{id: counted, endian: le}}
seq:
  - {{id: magic, contents: CNT}}
  - {{id: count, type: u2}}
  - {{id: rows, type: row, repeat: expr, repeat-expr: count}}
  - {{id: foot, contents: FOOT}}
types:{ROW}"""
LIMITED = PLAIN.replace("id: plain", "id: limited").replace(
    "{id: len, type: u1}", "{id: len, type: u1, valid: {max: 40}}"
)
FORMATS = {
    text.split("id: ")[1].split(",")[0]: text
    for text in (PLAIN, AFTER_HEADER, WITH_INDEX, WHOLE_SUM, COUNTED, NESTED, LIMITED)
}
PLANTED = 1000


def made(name: str, **given: Any) -> bytearray:
    return bytearray(kformat.build(kformat.parse_declaration(FORMATS[name]), given))


def rows(count: int) -> list[dict[str, Any]]:
    return [{"seq": number, "payload": b"hello"} for number in range(count)]


def planted(name: str = "plain", **row: Any) -> bytes:
    return bytes(made(name, rows=[{"seq": PLANTED, **(row or {"payload": b"in"})}]))


def flipped(data: bytearray, at: int, mask: int) -> bytes:
    data[at] ^= mask
    return bytes(data)


def in_nested() -> bytes:
    def plain(first: int, last: int) -> list[dict[str, Any]]:
        return [{"seq": number, "items": [{"body": b"x" * 5}]} for number in range(first, last)]

    holder = {"seq": 11, "items": [{"body": b"p" * 13 + planted("nested", items=[])}]}
    first = [{"seq": 0, "items": []}, {"seq": 1, "items": [{"body": b""}]}]
    return flipped(made("nested", rows=[*first, *plain(2, 11), holder, *plain(12, 30)]), 11 + 10, 1 ^ 2)


def shifted() -> bytes:
    given = rows(20)
    given[3] = {"seq": 3, "payload": planted() + b"rest of the payload"}
    data = bytes(made("plain", rows=given))
    return data[:46] + b"\1\1" + data[46:]


def put_into(data: bytearray, at: int) -> bytes:
    return bytes(data[:at] + b"\0junk" + data[at:])


def torn() -> bytes:
    given = [{"seq": 0, "payload": b"ab"}, {"seq": 1, "payload": b"head" + planted()}]
    return bytes(made("plain", rows=given)[:-2])


def refused_length() -> bytes:
    """A payload and a length that are wrong, which leads to a row that is ten rows later."""
    data = made("limited", rows=rows(30))
    data[5 * 14 + 8] ^= 1
    data[5 * 14 + 6] = 5 + 10 * 14
    return bytes(data)


Case = tuple[str, Callable[[], bytes], list[int], int]
CASES: dict[str, Case] = {
    "the first row of all": ("plain", lambda: flipped(made("plain", rows=rows(4)), 8, 1), [1, 2, 3], 1),
    "the first row after a header that holds one": (
        "headed", lambda: flipped(made("headed", template=planted() + b"...", rows=rows(4)), 18 + 6, 250), [1, 2, 3], 1,
    ),
    "the position of an index": (
        "indexed", lambda: flipped(made("indexed", rows=rows(4)), 2, 1), [0, 1, 2, 3], 1,
    ),
    "an index that is cut off where the rows end": (
        "indexed", lambda: bytes(made("indexed", rows=rows(2))[: 6 + 28]), [0, 1], 1,
    ),
    "a row in a file with a checksum over all": (
        "summed", lambda: flipped(made("summed", rows=rows(4)), 5 + 14 + 8, 1), [0, 2, 3], 2,
    ),
    "a count in a row, across whose end sound rows lead": ("nested", in_nested, [0, *range(2, 30)], 1),
    "bytes put in, so that a row in a payload is where the length leads": (
        "plain", shifted, [0, 1, 2, *range(4, 20)], 1,
    ),
    "bytes put into rows that are counted": (
        "counted", lambda: put_into(made("counted", rows=rows(30)), 5 + 14 * 7), [*range(30)], 1,
    ),
    "a count that is too small": ("counted", lambda: flipped(made("counted", rows=rows(30)), 3, 8), [*range(30)], 1),
    "a count that is too large": ("counted", lambda: flipped(made("counted", rows=rows(30)), 3, 32), [*range(30)], 1),
    "the last row torn, with a row in its payload": ("plain", torn, [0], 1),
    "a length that the declaration refuses": ("limited", refused_length, [*range(5), *range(6, 30)], 1),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_door_says_the_same(case: str, tmp_path: Path) -> None:
    name, damage, wanted, errors_count = CASES[case]
    declaration, data, skipped = kformat.parse_declaration(FORMATS[name]), damage(), list[Any]()
    scan = kformat.scan(data, declaration, on_corrupt="skip", on_skipped=skipped.append)
    assert [row["seq"] for row in scan.to_arrow().to_pylist()] == wanted
    assert len(skipped) == errors_count, skipped
    assert {item.problem.path for item in skipped} == {one.path for one in kformat.check(data, format=declaration)}
    (tmp_path / "damaged").write_bytes(data)
    report = kformat.salvage_files(tmp_path / "damaged", declaration, tmp_path / "saved")
    saved = kformat.parse(declaration, (tmp_path / "saved" / "damaged").read_bytes())
    assert [row.seq for row in saved.rows] == wanted
    assert not report.is_whole and report.files[0].errors_left == 0, report


def test_many_insertions_cost_no_other_rows() -> None:
    declaration = kformat.parse_declaration(PLAIN)
    one = [bytes(made("plain", rows=[{"seq": number, "payload": b"hello world"}])) for number in range(3000)]
    broken = set(range(100, 2900, 70))
    data = b"".join(row[:5] + b"\xaa" + row[5:] if number in broken else row for number, row in enumerate(one))
    found = kformat.scan(data, declaration, columns=["seq"], on_corrupt="skip").to_arrow()["seq"].to_pylist()
    assert found == [number for number in range(3000) if number not in broken]
