"""Which rows and columns a declaration has, by name and by default, and what is said of those that it has not."""

from __future__ import annotations

import gzip
import logging
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.columns.skipped import Skipped
from kformat.errors import DataError, InvalidError, LimitError, UsageError
from tests.columns.comparing import scanned
from tests.peak import ROOT

pa = pytest.importorskip("pyarrow")

LOG = """
meta: {id: log, endian: be}
seq:
  - {id: magic, contents: LOG}
  - {id: version, type: u1, enum: version}
  - {id: frames, type: frame, repeat: expr, repeat-expr: 3}
  - {id: trailer, type: trailer}
types:
  frame:
    seq:
      - {id: head, type: head}
      - id: body
        size: head.length
        type:
          switch-on: head.kind
          cases: {'kind::number': number, 'kind::points': points}
      - {id: note, type: strz, encoding: UTF-8, if: head.has_note}
    instances:
      end: {value: head.length + 2}
  head:
    seq:
      - {id: kind, type: b7, enum: kind}
      - {id: has_note, type: b1}
      - {id: length, type: u1}
  number: {seq: [{id: value, type: s4}]}
  points: {seq: [{id: points, type: point, repeat: eos}]}
  point: {seq: [{id: x, type: u1}, {id: y, type: u1}]}
  trailer: {seq: [{id: sums, type: sum, repeat: eos}]}
  sum: {seq: [{id: value, type: u2}]}
enums:
  version: {1: first}
  kind: {1: number, 2: points}
"""
DATA = bytes.fromhex("4c4f4701" + "0204fffffffe" + "050401020304" + "686900" + "0602abcd" + "00070008")


@pytest.fixture
def log() -> Any:
    return kformat.parse_declaration(LOG)


def test_all_columns(log: Any) -> None:
    table = kformat.scan(DATA, log, "frames").to_arrow()
    body = (
        "struct<number: struct<value: int32>, points: struct<points: list<item: struct<x: uint8, y: uint8> not null>>, "
    )
    assert str(table.schema.field("body").type) == body + "bytes: binary>"
    assert [str(table.schema.field(name).type) for name in ("head", "note", "end")] == [
        "struct<kind: string, has_note: bool, length: uint8>", "string", "int64"
    ]  # fmt: skip
    assert table.to_pylist() == [
        {
            "head": {"kind": "number", "has_note": False, "length": 4},
            "body": {"number": {"value": -2}, "points": None, "bytes": None},
            "note": None,
            "end": 6,
        },
        {
            "head": {"kind": "points", "has_note": True, "length": 4},
            "body": {"number": None, "points": {"points": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}, "bytes": None},
            "note": "hi",
            "end": 6,
        },
        {
            "head": {"kind": "3", "has_note": False, "length": 2},
            "body": {"number": None, "points": None, "bytes": b"\xab\xcd"},
            "note": None,
            "end": 4,
        },
    ]


def test_columns_by_path(log: Any) -> None:
    paths = [
        "head.kind",
        "body.points.points.x",
        "body.number",
        "_position",
        "_index",
        "_root.version",
        "_parent.magic",
    ]
    scan = kformat.scan(DATA, log, "frame", [*paths, "_file"], enums="numbers")
    assert scan.schema.names == [*paths, "_file"]
    rows = scan.to_arrow().to_pylist()
    assert [list(row.values())[:-1] for row in rows] == [
        [1, None, {"value": -2}, 4, 0, 1, b"LOG"],
        [2, [1, 3], None, 10, 1, 1, b"LOG"],
        [3, None, None, 19, 2, 1, b"LOG"],
    ]
    assert {row["_file"] for row in rows} == {"<bytes>"}


def test_it_is_an_arrow_stream_for_others(log: Any) -> None:
    scan = kformat.scan([DATA, DATA], log, "frames", "end")
    assert pa.table(scan).to_pydict() == {"end": [6, 6, 4] * 2}
    assert [batch.num_rows for batch in scan] == [3, 3]
    polars = pytest.importorskip("polars")
    assert polars.from_arrow(scan.to_arrow())["end"].sum() == 32
    assert polars.DataFrame(scan)["end"].sum() == 32


@pytest.mark.parametrize(
    ("row", "columns", "text"),
    [
        ("frame", "head.kin", "head.kin: log::head has no field 'kin'; there are kind, has_note, length"),
        ("frame", "body.number.x", "body.number.x: log::number has no field 'x'; there are value"),
        ("frame", "body.x", "body.x: body has no case 'x'; there are number, points, bytes"),
        ("frame", "end.x", "end.x: there is nothing in end, which is no structure"),
        ("frame", ["end", "end"], "a column is named twice: end"),
        ("frame", [], "no column is selected; there are head, body, note, end"),
        (
            "frame",
            "_root.trailer",
            "_root.trailer: trailer is read with the rows or after them, and only what precedes",
        ),
        ("frame", "_root.x", "_root.x: log has no field 'x'; there are magic, version, frames, trailer"),
        ("what", None, "log has no rows 'what'; there are frames (frame), "),
        ("log", "_position.x", "_position.x: log has no field '_position'; there are"),
    ],
)
def test_what_there_is_not(log: Any, row: str, columns: Any, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        kformat.scan(DATA, log, row, columns)
    assert text in str(caught.value)


def test_the_rows_without_a_name(log: Any) -> None:
    assert kformat.scan(DATA, log).row == "frames"  # the other list is deeper
    text = "meta: {id: two}\nseq: [{id: a, type: x, repeat: eos}, {id: b, type: y, repeat: eos}]\n"
    two = kformat.parse_declaration(text + "types: {x: {seq: [{id: c, type: u1}]}, y: {seq: [{id: d, type: u1}]}}")
    with pytest.raises(
        UsageError, match=r"more than one list may be the rows; name one \(`row=`, `--row`\): a \(x\), b \(y\)"
    ):
        kformat.scan(DATA, two)
    none = kformat.parse_declaration("meta: {id: none}\nseq: [{id: c, type: u1, repeat: eos}]")
    with pytest.raises(UsageError, match=r"none repeats no structure; the row 'none' makes one row of each file"):
        kformat.scan(DATA, none)
    assert kformat.scan(b"\1\2", none, "none").to_arrow().to_pylist() == [{"c": [1, 2]}]


def test_one_row_of_each_file(log: Any) -> None:
    rows = (
        kformat.scan([DATA, DATA], log, "log", ["version", "frames.end", "trailer.sums.value"]).to_arrow().to_pylist()
    )
    assert rows == [{"version": "first", "frames.end": [6, 6, 4], "trailer.sums.value": [7, 8]}] * 2


def test_what_can_have_no_column_is_left_out_and_says_why() -> None:
    tree = kformat.parse_declaration("""
    meta: {id: tree, endian: be}
    seq: [{id: nodes, type: node, repeat: eos}]
    types:
      node:
        seq:
          - {id: wide, type: b72}
          - {id: count, type: u1}
          - {id: nodes, type: node, repeat: expr, repeat-expr: count}
    """)
    scan = kformat.scan(bytes(9) + b"\0", tree)
    assert scan.left_out == {"wide": "a number of 72 bits", "nodes": "the type contains itself"}
    assert scan.to_arrow().to_pylist() == [{"count": 0}]
    with pytest.raises(UsageError, match="nodes has no column: the type contains itself"):
        kformat.scan(b"", tree, columns="nodes")


FRAMES = """
meta: {id: f, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: length, type: u1, valid: {max: 9}}
      - {id: text, type: str, size: length, encoding: UTF-8}
    instances:
      number: {value: text.to_i}
"""


def test_damage_is_raised_skipped_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    frames = kformat.parse_declaration(FRAMES)
    data = b"\x0212" + b"\x01x" + b"\x013" + b"\x02\xffa" + b"\x014" + b"\x63"
    found = scanned(kformat.scan(data, frames))
    assert [row["number"] for row in found.rows] == [12]
    assert isinstance(found.error, InvalidError) and found.error.path == "f.rows[1].number"
    for how in ("skip", "report"):
        skipped: list[Skipped] = []
        caplog.clear()
        scan = kformat.scan([data, b"\x015"], frames, on_corrupt=how, on_skipped=skipped.append)
        with caplog.at_level(logging.WARNING, "kformat"):
            assert [row["number"] for row in scan.to_arrow().to_pylist()] == [12, 3, 4, 5]
        assert [(one.position, one.end_position, one.problem.path) for one in skipped] == [
            (3, 5, "f.rows[1].number"),
            (7, 10, "f.rows[3].text"),
            (12, 13, "f.rows[5].length"),
        ]
        assert len(caplog.records) == 3 * (how == "report")
    ends: list[Skipped] = []
    kformat.scan(data, frames, on_corrupt="skip", on_skipped=ends.append, batch_rows=2).to_arrow()
    assert [(one.position, one.end_position) for one in ends] == [(3, 5), (7, 10), (12, 13)]
    text = kformat.scan(data[5:], frames, columns="text", on_corrupt="skip", on_skipped=skipped.append)
    assert text.to_arrow()["text"].to_pylist() == ["3", "4"]
    assert str(skipped[-2].problem) == (
        "<bytes>:3 f.rows[1].text: a value that has no place in its column (expected text in UTF-8, found ff61)"
    )


@pytest.mark.parametrize("more", ["{id: b, type: u1}", "{id: l, type: u1}, {id: b, size: l}"])
@pytest.mark.parametrize("rows", [3, 5000])
def test_text_around_the_rows_that_has_no_place_in_its_column(rows: int, more: str) -> None:
    declaration = kformat.parse_declaration(
        "meta: {id: t, endian: be, encoding: ASCII}\n"
        "seq: [{id: name, type: str, size: 2}, {id: rows, type: row, repeat: eos}]\n"
        f"types: {{row: {{seq: [{{id: n, type: u4}}, {more}]}}}}"
    )
    data, columns = b"\1\2\3\4\0" * rows, ["n", "_root.name"]
    assert (
        kformat.scan(b"ab" + data, declaration, columns=columns).to_arrow()["_root.name"].to_pylist() == ["ab"] * rows
    )
    with pytest.raises(InvalidError) as caught:
        kformat.scan(b"a\xff" + data, declaration, columns=columns).to_arrow()
    assert str(caught.value) == (
        "<bytes>:2 t.rows[0]._root.name: a value that has no place in its column (expected text in ASCII, found 61ff)"
    )
    assert kformat.scan(b"a\xff" + data, declaration, columns=columns, on_corrupt="skip").to_arrow().num_rows == 0


def test_words_that_mean_nothing(log: Any) -> None:
    for wrong, text in (
        ({"on_corrupt": "ignore"}, "no on_corrupt 'ignore'; there are error, skip, report"),
        ({"enums": "both"}, "enums is 'both'; 'names' or 'numbers' is expected"),
        ({"trailing": "x"}, "trailing is 'x'; 'error' or 'keep' is expected"),
        ({"batch_rows": 0}, "batch_rows is 0; at least 1 is expected"),
    ):
        with pytest.raises(UsageError, match=text):
            kformat.scan(DATA, log, "frame", **wrong)


def test_a_file_that_must_be_in_memory_is_limited(log: Any) -> None:
    with pytest.raises(LimitError, match="a row, or what is before or after the rows, takes more bytes"):
        kformat.scan(bytes(8_000_000), BIG, most_held=10).to_arrow()
    whole = kformat.scan(DATA, log, "log", most_held=10)
    with pytest.raises(LimitError, match=r"has to be in memory as a whole \(a row is a whole file\)"):
        whole.to_arrow()


BIG = kformat.parse_declaration("""
meta: {id: big, endian: be}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row: {seq: [{id: rest, size: 4000000}]}
""")


def test_memory_is_constant(tmp_path: Path) -> None:
    """512 rows of a megabyte, by the codec alone: what compiles a kernel next to it takes memory, too."""
    (tmp_path / "x.ksy").write_text("""
meta: {id: x, endian: be}
seq: [{id: magic, contents: X}, {id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: length, type: u4}, {id: content, size: length}]}
""")
    with open(tmp_path / "x", "wb") as file:
        file.write(b"X")
        for number in range(512):
            file.seek(1 + number * ((1 << 20) + 4))
            file.write((1 << 20).to_bytes(4, "big"))
        file.truncate(1 + 512 * ((1 << 20) + 4))
    program = f"""
import kformat, pyarrow, sys
from kformat.columns.compiled_rows import Compiled
from tests.peak import peak_bytes
Compiled.pays = lambda self, size: False
count, before = 0, None
for batch in kformat.scan({str(tmp_path / "x")!r}, {str(tmp_path / "x.ksy")!r}):
    count += batch.num_rows
    before = peak_bytes() if before is None and count > 64 else before
print(count, peak_bytes() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    rows, taken = map(int, done.stdout.split())
    assert rows == 512 and taken < 16 << 20


def test_a_file_that_is_not_there(tmp_path: Path, log: Any) -> None:
    scan = kformat.scan(tmp_path / "no", log, "frame")
    with pytest.raises(FileNotFoundError):
        scan.to_arrow()


def test_data_errors_name_the_file(tmp_path: Path, log: Any) -> None:
    (tmp_path / "x").write_bytes(DATA[:-6])
    with pytest.raises(DataError) as caught:
        kformat.scan(tmp_path / "x", log, "frame").to_arrow()
    assert str(caught.value).startswith(f"{tmp_path / 'x'}:{len(DATA) - 6} log.frames[2].body: the bytes end here")


@pytest.mark.parametrize("repeat", ["repeat: eos", "repeat: expr, repeat-expr: 2000000"])
def test_rows_of_which_none_can_take_bytes_end_at_the_first(repeat: str) -> None:
    text = f"meta: {{id: a}}\nseq: [{{id: rows, type: r, {repeat}}}]\ntypes: {{r: {{seq: [{{id: k, size: 0}}]}}}}\n"
    found = scanned(kformat.scan(b"a", kformat.parse_declaration(text)))
    assert isinstance(found.error, LimitError) and found.error.path == "a.rows[0]" and not found.rows


def test_rows_without_bytes_end() -> None:
    text = "meta: {id: a}\nseq: [{id: rows, type: r, repeat: eos}]\ntypes: {r: {seq: [{id: k, size: 0}]}}\n"
    with pytest.raises(LimitError, match="more elements that take no bytes"):
        for _ in kformat.scan(b"a", kformat.parse_declaration(text), columns="_index"):
            pass


@pytest.mark.parametrize(
    "wrong",
    [
        {"row": 5}, {"columns": 5}, {"columns": [5]}, {"columns": b"k"}, {"batch_rows": "x"}, {"batch_rows": 0},
        {"inflate_limit": -1}, {"inflate_limit": None}, {"most_held": "x"}, {"on_skipped": 5}, {"on_corrupt": "no"},
    ],
)  # fmt: skip
def test_wrong_arguments_are_usage_errors(wrong: dict[str, Any]) -> None:
    text = "meta: {id: a}\nseq: [{id: rows, type: r, repeat: eos}]\ntypes: {r: {seq: [{id: k, type: u1}]}}\n"
    with pytest.raises(UsageError):
        kformat.scan(b"a", kformat.parse_declaration(text), **wrong)
    with pytest.raises(UsageError):
        kformat.scan(None, kformat.parse_declaration(text))


def test_compressed_files_are_read(tmp_path: Path) -> None:
    declared = kformat.parse_declaration("meta: {id: n}\nseq: [{id: rows, type: row, repeat: eos}]\n"
                                         "types: {row: {seq: [{id: n, type: u1}]}}")  # fmt: skip
    with zipfile.ZipFile(tmp_path / "some.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/x.bin", bytes(range(200)))
    (tmp_path / "x.gz").write_bytes(gzip.compress(bytes(range(200))))
    with gzip.open(tmp_path / "x.gz") as stream:
        for source in (f"zip://in/x.bin::{tmp_path / 'some.zip'}", stream):
            assert kformat.scan(source, declared).to_arrow()["n"].to_pylist() == list(range(200))
