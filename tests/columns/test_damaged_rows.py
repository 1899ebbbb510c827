"""Rows after a damaged one, by numpy, by kernels and by the codec: what was lost, and that it is said."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.columns.skipped import Skipped
from tests.columns.comparing import declared, scanned

WAL = """
meta: {id: wal, endian: le, encoding: ENCODING}
seq:
  - {id: magic, contents: WAL1}
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    -checksum: {algorithm: crc32, field: crc, from: sequence}
    seq:
      - {id: head, type: head}
      - {id: crc, type: u4}
      - {id: sequence, type: u2}
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: text, type: str, size: 4}
      - {id: payload, size: head.length, type: {switch-on: kind, cases: {2: pair}}}
  head: {seq: [{id: length, type: u2, valid: {max: 60000}}, {id: flags, type: u1}]}
  pair: {seq: [{id: left, type: u1, valid: {max: 9}}, {id: right, type: u1, valid: {expr: _ != left}}]}
"""
FIXED = """
meta: {id: wal, endian: le, encoding: ENCODING}
seq:
  - {id: magic, contents: WAL1}
  - {id: entries, type: entry, repeat: eos}
types:
  entry:
    seq:
      - {id: sequence, type: u2}
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: text, type: str, size: 4}
"""


def entry(number: int, kind: int = 1, text: bytes = b"abcd", payload: bytes = b"xyz") -> bytes:
    body = struct.pack("<HB4s", number, kind, text) + payload
    return struct.pack("<HBI", len(payload), 0, zlib.crc32(body)) + body


def fixed(number: int, kind: int = 1, text: bytes = b"abcd") -> bytes:
    return struct.pack("<HB4s", number, kind, text)


def with_wrong_sum(number: int) -> bytes:
    return entry(number)[:-1] + b"w"


LOST = b"\xff\xff\0" + bytes(20)
ROWS: dict[str, tuple[str, Callable[[int], bytes], dict[str, Any]]] = {
    "entries": (
        WAL,
        entry,
        {
            "crc": with_wrong_sum,
            "kind": lambda number: entry(number, 3),
            "text": lambda number: entry(number, 1, b"a\xd8\x00\xd8"),
            "payload.left": lambda number: entry(number, 2, payload=b"\x0a\x01"),
            "payload": lambda number: entry(number, 2, payload=b"\x01\x02\x03"),
            "payload.right": lambda number: entry(number, 2, payload=b"\x01"),
        },
    ),
    "rows of a fixed size": (
        FIXED,
        fixed,
        {"kind": lambda number: fixed(number, 3), "text": lambda number: fixed(number, 1, b"a\xd8\x00\xd8")},
    ),
}


def kept_and_lost(declaration: Any, data: bytes, **inner: Any) -> tuple[list[int], list[Skipped]]:
    lost: list[Skipped] = []
    found = scanned(kformat.scan(data, declaration, on_corrupt="skip", on_skipped=lost.append), **inner)
    assert found.error is None
    return [row["sequence"] for row in found.rows], lost


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16LE"])
@pytest.mark.parametrize("name", ROWS)
def test_rows_after_a_damaged_row_come_out(name: str, encoding: str) -> None:
    text, sound, damages = ROWS[name]
    declaration = declared(text.replace("ENCODING", encoding))
    paths, rows, edges = list(damages), [sound(0)], [4]
    for path in paths:
        edges.append(edges[0] + sum(map(len, rows)))
        rows += [damages[path](99), sound(len(rows) + 1), sound(len(rows) + 2)]
    data = b"WAL1" + b"".join(rows)
    wanted = [number for number in range(len(rows)) if number % 3 != 1]
    ways: dict[str, dict[str, Any]] = {
        "codec": {"with_fixed": False, "with_kernels": False},
        "kernel": {"with_fixed": False, "with_kernels": True},
        "short stretches": {"with_fixed": False, "with_kernels": False, "stretch_bytes": 7},
        "numpy": {},
    }
    said = set()
    for way, inner in ways.items():
        kept, lost = kept_and_lost(declaration, data, **inner)
        assert kept == wanted, way
        assert [one.problem.path.partition("].")[2] for one in lost] == paths, way
        assert [one.position for one in lost] == edges[1:] and not any(one.is_rest for one in lost), way
        said.add(tuple(map(str, lost)))
    assert len(said) == 1
    told = {finding.path for finding in kformat.check(data, format=declaration)}
    assert told == {one.problem.path for one in lost}


def test_the_rest_is_lost_where_no_next_row_is_known() -> None:
    declaration = declared(WAL.replace("ENCODING", "UTF-8"))
    data = b"WAL1" + entry(0) + with_wrong_sum(1) + entry(2) + LOST + entry(4)
    for inner in ({"with_kernels": False}, {"with_kernels": True}):
        kept, lost = kept_and_lost(declaration, data, **inner)
        assert kept == [0, 2]
        assert [(one.problem.path, one.is_rest) for one in lost] == [
            ("wal.entries[1].crc", False),
            ("wal.entries[3].head.length", True),
        ]
        assert sum(one.size_bytes for one in lost) == len(data) - 4 - 2 * len(entry(0))
    where = f"positions {lost[1].position}-{len(data) - 1}"
    assert f"{where}, the rest of the file: wal.entries[3].head.length: a value" in str(lost[1])


def test_damage_before_the_rows_loses_the_file() -> None:
    declaration = declared(WAL.replace("ENCODING", "UTF-8").replace("contents: WAL1", "type: u4, valid: 0x314c4157"))
    assert kept_and_lost(declaration, b"WAL1" + entry(0))[0] == [0]
    kept, lost = kept_and_lost(declaration, b"WAL2" + entry(0))
    assert not kept and [(one.position, one.is_rest) for one in lost] == [(0, True)]


def test_files_in_memory_as_a_whole() -> None:
    text = WAL.replace("ENCODING", "UTF-8") + "instances: {last: {pos: 4, type: u2}}\n"
    declaration = declared(text)
    data = b"WAL1" + entry(0) + with_wrong_sum(1) + entry(2) + entry(3, payload=b"x")
    lost: list[Skipped] = []
    scan = kformat.scan(data, declaration, None, ["sequence", "_root.last"], on_corrupt="skip", on_skipped=lost.append)
    assert scan.reason is not None
    assert [row["sequence"] for row in scan.to_arrow().to_pylist()] == [0, 2, 3]
    assert [(one.problem.path, one.is_rest) for one in lost] == [("wal.entries[1].crc", False)]


def test_many_damaged_rows_are_not_each_a_look_at_all_that_is_held() -> None:
    declaration = declared(WAL.replace("ENCODING", "UTF-8"))
    data = b"WAL1" + b"".join(entry(n % 60000) if n % 3 else with_wrong_sum(n % 60000) for n in range(3000))
    for inner in ({"with_kernels": False}, {"with_kernels": True}):
        kept, lost = kept_and_lost(declaration, data, **inner)
        assert kept == [n for n in range(3000) if n % 3] and len(lost) == 1000


FRAMES = """
meta: {id: log, endian: le}
seq:
  - {id: magic, contents: LOG1}
  - {id: frames, type: frame, REPEAT}
TAIL
types:
  frame:
    seq:
      - {id: sync, contents: [0xa5, 0x5a]}
      - {id: length, type: u1}
      - {id: body, size: length}
      - {id: level, type: u1, valid: {max: 9}}
      - {id: marks, contents: x, repeat: expr, repeat-expr: 2}
"""
UP_TO_THE_FOOTER = FRAMES.replace("REPEAT", "repeat: until, repeat-until: _io.pos >= footer_at").replace(
    "TAIL", "  - {id: footer, type: u4}\ninstances: {footer_at: {pos: _io.size - 1, type: u1}}"
)


def frame(number: int, sync: bytes = b"\xa5\x5a", size: int = -1, marks: bytes = b"xx", level: int = 1) -> bytes:
    return sync + bytes([number if size < 0 else size]) + b"b" * number + bytes([level]) + marks


@pytest.mark.parametrize("is_whole", [False, True], ids=["in stretches", "as a whole"])
@pytest.mark.parametrize("with_kernels", [False, True], ids=["codec", "kernel"])
def test_other_contents_than_declared_are_one_damaged_row(is_whole: bool, with_kernels: bool) -> None:
    """Where the length is right; where it is not, rows that go on to the end of the list are found again."""
    text = UP_TO_THE_FOOTER if is_whole else FRAMES.replace("REPEAT", "repeat: eos").replace("TAIL", "")
    rows = [frame(1), frame(2, b"\xa4\x5a"), frame(3, marks=b"xy"), frame(0), frame(2, b"\0\0", level=10), frame(4)]
    starts = [4 + sum(map(len, rows[:index])) for index in range(len(rows) + 1)]

    def read(rows: list[bytes]) -> tuple[list[int], list[Skipped], int]:
        data = b"LOG1" + b"".join(rows)
        end = len(data)
        data += b"FOO" + bytes([end]) if is_whole else b""
        skipped: list[Skipped] = []
        scan = kformat.scan(
            data, kformat.parse_declaration(text), "frames", ["length"], on_corrupt="skip", on_skipped=skipped.append
        )
        found = scanned(scan, with_kernels=with_kernels)
        assert found.error is None
        return [row["length"] for row in found.rows], skipped, end

    lengths, skipped, _ = read(rows)
    assert lengths == [1, 0, 4]
    assert [(one.position, one.end_position, one.is_rest) for one in skipped] == [
        (starts[index], starts[index + 1], False) for index in (1, 2, 4)
    ]
    assert [one.problem.path for one in skipped] == [
        "log.frames[1].sync", "log.frames[2].marks[1]", "log.frames[4].sync",
    ]  # fmt: skip
    for broken in (frame(2, size=200), frame(3, b"ab", size=200)):
        lengths, skipped, end = read([*rows[:3], broken, *rows[4:]])
        assert lengths == [1, 4]  # the last row goes on to the end
        (gap,) = skipped
        assert (gap.position, gap.end_position, gap.rows) == (starts[1], end - len(rows[5]), "some")
        assert gap.problem.path == "log.frames[1].sync" and ", an unknown number of rows: " in str(gap)
    lengths, skipped, end = read([*rows[:3], frame(2, size=200), frame(2, size=200)])
    rest = "list" if is_whole else "file"
    assert lengths == [1] and [(gap.position, gap.end_position, gap.is_rest) for gap in skipped] == [
        (starts[1], end, True)
    ]
    assert skipped[0].rows == rest and f", the rest of the {rest}: " in str(skipped[0])


def test_a_wrong_magic_is_a_file_of_another_kind(tmp_path: Path) -> None:
    text = FRAMES.replace("REPEAT", "repeat: eos").replace("TAIL", "")
    (tmp_path / "log.ksy").write_text(text)
    (tmp_path / "other.bin").write_bytes(b"LOG2" + frame(1, b"ab"))
    (tmp_path / "sync.bin").write_bytes(b"LOG1" + frame(1, b"ab") + frame(2) + frame(3, marks=b"yy"))
    found = [
        CliRunner().invoke(main, ["check", str(tmp_path / name), "--as", str(tmp_path / "log.ksy")]).output
        for name in ("other.bin", "sync.bin")
    ]
    assert [one.count("error KF1002") for one in found] == [1, 3] and "frames[2].marks[1]" in found[1]


def test_read_by_says_what_has_read_the_rows() -> None:
    made = kformat.parse_declaration(FRAMES.replace("REPEAT", "repeat: eos").replace("TAIL", ""))
    scan = kformat.scan(b"LOG1" + frame(1) + frame(0), made, columns=["length"])
    assert scan.read_by == "a kernel"
    scan.to_arrow()
    small = "the codec (a kernel from 16 MiB of files on, or once it is compiled)"
    assert scan.read_by in (small, "a kernel")  # compiled for another test
    fixed = kformat.scan(b"WAL1" + fixed_rows(3), kformat.parse_declaration(FIXED.replace("ENCODING", "UTF-8")))
    fixed.to_arrow()
    assert fixed.read_by == "numpy"


def fixed_rows(count: int) -> bytes:
    return b"".join(map(fixed, range(count)))
