"""`kformat build` of rows: what `export` wrote, and what is around it, is the file again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.errors import BuildError, UsageError

pa = pytest.importorskip("pyarrow")

OWN = """
meta: {id: trades, endian: be}
seq: [{id: magic, contents: tr}, {id: count, type: u2}, {id: items, type: item, repeat: expr, repeat-expr: count},
      {id: last, type: u1}]
types:
  item:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: size, type: u1}
      - {id: time, type: s8, -as: timestamp(ms)}
      - {id: body, size: size, type: {switch-on: kind, cases: {'kind::price': price, 'kind::note': note}}}
  price: {seq: [{id: value, type: f8}, {id: raw, size-eos: true}]}
  note: {seq: [{id: text, type: str, size-eos: true, encoding: UTF-8}]}
enums: {kind: {1: price, 2: note}}
"""
ROWS = [
    {"kind": 1, "time": 1_700_000_000_000, "body": {"value": 1.5, "raw": b"\0\xff"}},
    {"kind": 2, "time": 0, "body": {"text": "größer"}},
    {"kind": 1, "time": -1, "body": {"value": -0.0, "raw": b""}},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.ksy").write_text(OWN)
    (tmp_path / "a.bin").write_bytes(kformat.build("own.ksy", {"items": ROWS, "last": 7}))
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [*arguments, "--as", "own.ksy"], input=stdin)


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow", "r.ndjson", "r.json", "r.ndjson.zst"])
@pytest.mark.parametrize("more", [[], ["--bytes", "hex"], ["--enums", "numbers"]])
def test_what_export_wrote(folder: Path, name: str, more: list[str]) -> None:
    wanted = (folder / "a.bin").read_bytes()
    assert run("export", "a.bin", "-o", name, *more).exit_code == 0
    rows = ["--rows"] if "json" in name else []
    rows += more if "--bytes" in more and rows else []
    for around in ("a.bin", "a.json"):
        (folder / "a.json").write_text(json.dumps({"last": 7}))
        done = run("build", name, *rows, "--around", around, "-o", "b.bin")
        assert done.exit_code == 0, done.output
        assert (folder / "b.bin").read_bytes() == wanted
    if name.endswith("zst"):
        return  # standard input has no name
    done = run("build", "-", *rows, "--around", "a.bin", "-o", "c.bin", stdin=(folder / name).read_bytes())
    assert done.exit_code == 0 and (folder / "c.bin").read_bytes() == wanted, done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.json", "--row", "items"], "--row and --around are for rows"),
        (["rows.ndjson", "--rows"], "trades.last: is missing"),
        (["bad.ndjson", "--rows"], "bad.ndjson: line 2: "),
        (["other.ndjson", "--rows", "--around", "a.bin"], "no field 'nothing'"),
        (["rows.ndjson", "--rows", "--row", "nope"], "has no rows 'nope'"),
        (["kind.ndjson", "--rows", "--around", "a.bin"], "trades.items[1]"),
        (
            ["float.ndjson", "--rows", "--around", "a.bin"],
            "float.ndjson: line 1: size: an integer is expected, found 1.5",
        ),
        (["large.ndjson", "--rows", "--around", "a.bin"], "line 1: size: 256 is not within 0 to 255"),
        (["hex.ndjson", "--rows"], "line 1: body.price.raw: bytes that are not hex: non-hexadecimal number"),
        (["bytes.ndjson", "--rows"], "line 1: body.price.raw: bytes are expected, written as text (found an integer)"),
        (["rows.ndjson", "--rows", "--around", "cut.bin"], "cut.bin:4 trades.items[0].kind"),
    ],
)
def test_wrong_calls(folder: Path, arguments: list[str], words: str) -> None:
    good = {"kind": "note", "time": "1970-01-01T00:00:00Z", "body": {"note": {"text": "x"}}}
    (folder / "a.json").write_text("{}")
    (folder / "rows.ndjson").write_text(json.dumps(good))
    (folder / "bad.ndjson").write_text(json.dumps(good) + "\n[1]\n")
    (folder / "other.ndjson").write_text(json.dumps({**good, "nothing": 1}))
    (folder / "kind.ndjson").write_text(json.dumps(good) + "\n" + json.dumps({**good, "kind": "new"}))
    (folder / "float.ndjson").write_text(json.dumps({**good, "size": 1.5}))
    (folder / "large.ndjson").write_text(json.dumps({**good, "size": 256}))
    for name, raw in (("hex", "hex:zz"), ("bytes", 5)):
        (folder / f"{name}.ndjson").write_text(json.dumps({**good, "body": {"price": {"value": 1, "raw": raw}}}))
    (folder / "cut.bin").write_bytes((folder / "a.bin").read_bytes()[:4])
    done = run("build", *arguments, "-o", "out.bin")
    assert done.exit_code in (1, 2) and words in done.stderr, done.output
    assert not (folder / "out.bin").exists()


def frames(scan: Any) -> Any:
    yield "table", scan.to_arrow()
    yield "batches", scan.record_batches()
    yield "scan", scan
    yield "pandas", scan.to_arrow().to_pandas()
    polars = pytest.importorskip("polars")
    yield "polars", polars.from_arrow(scan.to_arrow())


def test_frames(folder: Path) -> None:
    data = (folder / "a.bin").read_bytes()
    found = {
        name: kformat.build("own.ksy", rows, around=data) for name, rows in frames(kformat.scan("a.bin", "own.ksy"))
    }
    assert found == dict.fromkeys(found, data)
    with_places = kformat.scan("a.bin", "own.ksy", columns=["_position", "_root.count", "kind", "size", "time", "body"])
    assert kformat.build("own.ksy", with_places, around={"last": 7}) == data
    assert kformat.build("own.ksy", with_places, onto=data) == data
    by_path = kformat.scan("a.bin", "own.ksy", columns=["kind", "time", "body.price", "body.note.text"])
    assert kformat.build("own.ksy", by_path, around=data) == data
    none = kformat.scan("a.bin", "own.ksy").to_arrow().slice(0, 0)
    assert kformat.build("own.ksy", none, around={"last": 7}) == b"tr\0\0\7"


def test_integers_that_pandas_made_floats(folder: Path) -> None:
    pytest.importorskip("pandas")
    own = kformat.parse_declaration(
        "meta: {id: own}\nseq: [{id: items, type: item, repeat: eos}]\n"
        "types: {item: {seq: [{id: has, type: u1}, {id: some, type: u1, if: has == 1}]}}"
    )
    data = b"\1\7\0\1\xff"
    frame = kformat.scan(data, own).to_arrow().to_pandas()
    assert str(frame["some"].dtype) == "float64"
    assert kformat.build(own, frame) == data
    frame["some"] = [1.5, None, 2.0]
    with pytest.raises(UsageError, match="an integer is expected, found double"):
        kformat.build(own, frame)


def test_what_cannot_be_built(folder: Path) -> None:
    table = kformat.scan("a.bin", "own.ksy").to_arrow()
    with pytest.raises(BuildError, match="last: is missing"):
        kformat.build("own.ksy", table)
    with pytest.raises(UsageError, match="row and around are for rows"):
        kformat.build("own.ksy", {"items": [], "last": 1}, row="items")
    with pytest.raises(UsageError, match="two columns have one name: kind"):
        kformat.build("own.ksy", pa.table([[1], [2]], names=["kind", "kind"]), around={"last": 1})
    nested = """
meta: {id: nested}
seq: [{id: a, type: a, repeat: eos}]
types:
  a: {seq: [{id: n, type: u1}, {id: b, type: b, repeat: expr, repeat-expr: n}]}
  b: {seq: [{id: x, type: u1}]}
"""
    own = kformat.parse_declaration(nested)
    with pytest.raises(UsageError, match="is no list that is built by itself"):
        kformat.build(own, kformat.scan(b"\1\2", own, "a.b"), row="a.b", around=b"\1\2")
    with pytest.raises(UsageError, match="around is 1"):
        kformat.build("own.ksy", table, around=1)
