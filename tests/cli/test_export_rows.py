"""`kformat export --as`: the rows that `kformat.scan` gives, in every format, and what standard error says of them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import kformat
from tests.cli.test_export import read, run

pytest.importorskip("pyarrow")

DECLARATION = """
meta: {id: log, endian: be}
seq:
  - {id: version, type: u1}
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: length, type: u1, valid: {max: 9}}
      - {id: kind, type: u1, enum: kind}
      - {id: body, size: length, type: {switch-on: kind, cases: {'kind::real': real}}}
      - {id: hidden, type: b72}
  real: {seq: [{id: value, type: f4}]}
enums:
  kind: {1: real}
"""
FRAME = bytes.fromhex("04013fc00000") + bytes(9)
OTHER = b"\x01\x07x" + bytes(9)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("log.ksy").write_text(DECLARATION)
    Path("first").write_bytes(b"\1" + FRAME + OTHER)
    Path("second").write_bytes(b"\2" + OTHER + b"\x63")
    return tmp_path


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow"])
def test_tables(folder: Path, name: str) -> None:
    said = b"kformat: left out: hidden: a number of 72 bits\nkformat: 2 rows: frames (frame)\n"
    assert run("export", "first", "--as", "log.ksy", "-o", name) == (0, b"", said)
    assert read(Path(name)).to_pylist() == kformat.scan("first", "log.ksy").to_arrow().to_pylist()


def test_lines(folder: Path) -> None:
    status, out, _ = run("export", "first", "--as", "log.ksy", "--row", "frame", "--format", "nl", "--bytes", "text")
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == [
        {"length": 4, "kind": "real", "body": {"real": {"value": 1.5}, "bytes": None}},
        {"length": 1, "kind": "7", "body": {"real": None, "bytes": "x"}},
    ]
    columns = "_root.version,body,kind"
    how = ("--as", "log.ksy", "--format", "csv", "--columns", columns, "--enums", "numbers", "--bytes", "hex")
    status, out, said = run("export", "first", *how)
    assert (status, said) == (0, b"kformat: 2 rows: frames (frame)\n")
    assert list(csv.reader(io.StringIO(out.decode()))) == [
        ["_root.version", "body", "kind"],
        ["1", '{"real": {"value": 1.5}, "bytes": null}', "1"],
        ["1", '{"real": null, "bytes": "78"}', "7"],
    ]


def test_damage_ends_its_file_and_the_others_follow(folder: Path) -> None:
    status, out, said = run(
        "-q", "export", "second", "no", "first", "--as", "log.ksy", "--format", "csv", "--columns", "kind"
    )
    assert (status, out) == (3, b"kind\n7\nreal\n7\n")
    assert said.splitlines() == [
        b"kformat: second:13 log.frames[1].length: a value that is not allowed (expected <= 9, found 99)",
        b"kformat: no: No such file or directory",
    ]
    how = ("--as", "log.ksy", "--format", "csv", "--columns", "kind", "--on-corrupt", "report")
    status, out, said = run("-q", "export", "second", "first", *how)
    assert (status, out) == (1, b"kind\n7\nreal\n7\n")
    assert said.splitlines()[-1] == b"kformat: skipped the rest of 1 file: 1 bytes"
    assert said.startswith(b"kformat: second: positions 13-13, the rest of the file: log.frames[1].length: a value")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--row", "x"], b"log has no rows 'x'; there are frames (frame); 'log' makes one row of each file"),
        (["--columns", "x"], b"x: log::frame has no field 'x'; there are length, kind, body, hidden"),
        (["--since", "1"], b"--since is for Kafka's records, and does not go with --as"),
        (["--isolation-level", "read_committed"], b"--isolation-level is for Kafka's records"),
        (["--format", "parquet"], b"Parquet cannot be written to a pipe"),
    ],
)
def test_what_does_not_go(folder: Path, arguments: list[str], text: bytes) -> None:
    how = arguments if "--format" in arguments else [*arguments, "--format", "csv"]
    status, out, said = run("export", "first", "--as", "log.ksy", *how)
    assert (status, out) == (2, b"") and text in said


@pytest.mark.parametrize("option", [["--row", "x"], ["--enums", "numbers"], ["--trailing", "keep"]])
def test_options_of_rows_need_a_declaration(folder: Path, option: list[str]) -> None:
    status, _, said = run("export", ".", "--format", "csv", *option)
    assert (status, said) == (2, f"kformat: {option[0]} needs --as: a format, or a .ksy file\n".encode())


def test_what_cannot_be_read_leaves_what_was_there(folder: Path) -> None:
    Path("out.csv").write_text("kept")
    Path("bad").write_bytes(b"")
    assert run("export", "bad", "--as", "log.ksy", "-o", "out.csv")[0] == 1
    assert Path("out.csv").read_text() == "kept"
