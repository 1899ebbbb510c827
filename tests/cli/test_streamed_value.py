"""`kformat parse --format nl` of files of rows prints, while it reads, what it prints of a file that it reads whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.cli.streamed_value import streamed_value
from kformat.codec.json_form import to_json
from kformat.storage.byte_source import ByteSource
from tests.columns.mutations import FORMATS
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants, written, written_more

UNDECLARED = {*written.UNDECLARED, *written_more.UNDECLARED}
OWN = """
meta: {id: own, endian: le}
seq: [{id: magic, contents: ab}, {id: part, type: part}, {id: last, type: u1, if: part.count == 2}]
types:
  part:
    seq: [{id: count, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: count}, {id: crc, type: u1}]
  item: {seq: [{id: size, type: u1}, {id: body, size: size}]}
"""


def run(path: Path, declaration: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["parse", str(path), "--as", str(declaration), "--format", "nl", *arguments])


@pytest.mark.drawn
def test_public_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat.cli.streamed_value._SAMPLE_BYTES", 64)
    monkeypatch.setattr("kformat.cli.streamed_value._ROWS_AT_ONCE", 3)
    streamed = set()
    for name in sorted({*FORMATS} - UNDECLARED):
        try:
            files = mutants.write([name], tmp_path / name)[name]
        except Missing as error:
            is_missing(str(error))
        declaration = HERE / f"{name}.ksy"
        for number, data in enumerate(data for data in files if len(data) < 50_000):
            path = tmp_path / f"{name}-{number}"
            path.write_bytes(data)
            whole = run(path, declaration)
            with monkeypatch.context() as patch, ByteSource(path) as source:
                patch.setattr("kformat.cli.streamed_value.FROM_BYTES", 0)
                if streamed_value(source, str(declaration), to_json, checksums=True) is None:
                    break
                streamed.add(name)
                found = run(path, declaration)
            assert (found.exit_code, found.stdout) == (whole.exit_code, whole.stdout), (name, number)
    assert {"caf", "dds", "midi", "pcap", "pcapng", "tar"} <= streamed, streamed


def test_what_is_around_the_rows_and_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kformat.cli.streamed_value.FROM_BYTES", 0)
    monkeypatch.setattr("kformat.cli.streamed_value._ROWS_AT_ONCE", 1)
    (tmp_path / "own.ksy").write_text(OWN)
    path = tmp_path / "a.bin"
    for data in (b"ab\2\1x\2yz\7\5", b"ab\0\7", b"ab\1\0\7"):
        path.write_bytes(data)
        wanted = kformat.to_json(kformat.parse(tmp_path / "own.ksy", data))
        done = run(path, tmp_path / "own.ksy")
        assert done.exit_code == 0 and done.stdout == json.dumps(wanted) + "\n"
    path.write_bytes(b"ab\2\1x\2y")
    cut = run(path, tmp_path / "own.ksy")
    assert cut.exit_code == 1 and "own.part.items[1].body: the bytes end here" in cut.stderr
    with pytest.raises(ValueError, match=r"delimiter|Expecting"):
        json.loads(cut.stdout)
    assert cut.stdout == '{"magic": "YWI=", "part": {"count": 2, "items": [{"size": 1, "body": "eA=="}\n'
    found = json.loads(run(path, tmp_path / "own.ksy", "--partial").stdout)
    assert found["part"]["items"] == [{"size": 1, "body": "eA=="}, {"size": 2}]


def test_the_first_rows_are_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows a terminator is not in JSON: `build` writes zeros."""
    monkeypatch.setattr("kformat.cli.streamed_value.FROM_BYTES", 0)
    monkeypatch.setattr("kformat.cli.streamed_value._SAMPLE_BYTES", 8)
    (tmp_path / "own.ksy").write_text(
        "meta: {id: own}\nseq: [{id: items, type: item, repeat: eos}]\n"
        "types: {item: {seq: [{id: name, type: strz, size: 4, encoding: ascii}]}}\n"
    )
    (tmp_path / "a.bin").write_bytes(b"a\0\0\0bc\0\0de\0x")
    assert run(tmp_path / "a.bin", tmp_path / "own.ksy").stderr == ""
    (tmp_path / "a.bin").write_bytes(b"a\0\0\0bc\0xde\0\0")
    assert (
        "own.items[1].name: build would write different bytes" in run(tmp_path / "a.bin", tmp_path / "own.ksy").stderr
    )
