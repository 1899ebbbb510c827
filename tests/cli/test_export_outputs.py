"""What `kformat export -o` writes by the name of its output: JSON, compressed text, databases, folders, sets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS
from tests.samples import ROOT

pyarrow = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


PLAIN = ROOT / "4.3.1" / "plain-0"


def test_json_is_a_list_of_what_lines_are(tmp_path: Path) -> None:
    lines = run("export", PLAIN, "--format", "nl").stdout.splitlines()
    for path, more in ((tmp_path / "x.json", ["-o", tmp_path / "x.json"]), (None, ["--format", "json"])):
        done = run("export", PLAIN, *more)
        text = done.stdout if path is None else path.read_text()
        assert json.loads(text) == [json.loads(line) for line in lines] and len(text.splitlines()) == len(lines) + 2
    assert run("export", PLAIN, "--format", "json", "--to-offset", "0").stdout == "[]\n"


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "lz4"])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "json"])
def test_text_is_compressed_by_its_name(tmp_path: Path, kind: str, ending: str) -> None:
    plain, packed = tmp_path / f"x.{kind}", tmp_path / f"x.{kind}.{ending}"
    for path in (plain, packed):
        assert run("export", PLAIN, "-o", path).exit_code == 0
    with pyarrow.OSFile(str(packed)) as file:
        codec = {"gz": "gzip", "zst": "zstd"}.get(ending, ending)
        assert pyarrow.CompressedInputStream(file, codec).read() == plain.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([plain.name, packed.name])


def test_a_database(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "x.duckdb"
    for _ in range(2):  # the second one replaces the first
        assert run("export", PLAIN, "-o", path).exit_code == 0
    assert [file.name for file in tmp_path.iterdir()] == ["x.duckdb"]
    table = kformat.open(PLAIN).to_arrow()
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table other as select 1 as a")
    refused = run("export", PLAIN, "-o", path)
    assert refused.exit_code == 2 and "a database with other tables (other)" in refused.stderr
    with duckdb.connect(str(path)) as connection:
        found = connection.sql('select key, value, "offset", timestamp, headers from records').to_arrow_table()
    for name in ("key", "value", "offset", "headers"):
        assert found.column(name).to_pylist() == table.column(name).to_pylist()


def test_a_folder_has_a_file_for_each_partition(tmp_path: Path) -> None:
    partitions = [PLAIN, ROOT / "4.3.1" / "killed-0"]
    done = run("export", *partitions, "-o", f"{tmp_path / 'out'}/", "-j", "2")
    assert done.exit_code == 0 and "2 files in" in done.stderr
    found = {path.name: parquet.read_table(path) for path in (tmp_path / "out").iterdir()}
    assert found.keys() == {"plain-0.parquet", "killed-0.parquet"}
    for partition in partitions:
        whole = kformat.open(partition).to_arrow()
        assert found[f"{partition.name}.parquet"].column("offset").to_pylist() == whole.column("offset").to_pylist()
    assert "begin with _" not in done.stderr
    assert run("export", PLAIN, "-o", tmp_path / "out").exit_code == 4  # it is not empty
    hidden = run("export", ROOT / "4.3.1" / "__consumer_offsets-0", "-o", f"{tmp_path / 'hidden'}/")
    assert "1 of them begin with _, which Arrow and Spark pass over" in hidden.stderr
    same = tmp_path / "plain-0"
    shutil.copytree(PLAIN, same)
    twice = run("export", PLAIN, same, "-o", f"{tmp_path / 'other'}/")
    assert twice.exit_code == 2 and "would both be plain-0.parquet" in twice.stderr
    assert not (tmp_path / "other").exists()


def test_damage_in_a_folder_is_that_of_its_file(tmp_path: Path) -> None:
    bad = tmp_path / "bad-0"
    bad.mkdir()
    data = (PLAIN / "00000000000000000000.log").read_bytes()
    (bad / "00000000000000000000.log").write_bytes(data[:-7])
    done = run("export", bad, PLAIN, "-o", f"{tmp_path / 'out'}/", "--format", "csv", "-j", "1")
    assert done.exit_code == 1
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"bad-0.csv", "plain-0.csv"}


def test_a_set_of_partitions(tmp_path: Path) -> None:
    out = tmp_path / "set"
    done = run("export", ROOT / "4.3.1", "-o", f"{out}/", "--partition-by", "topic,partition")
    assert done.exit_code == 0, done.stderr
    table = dataset.dataset(out, partitioning="hive").to_table()
    whole = kformat.open_root(ROOT / "4.3.1").to_arrow()
    key = [("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")]
    columns = ["partition", "offset", "value"]
    assert table.sort_by(key).select(columns).to_pydict() == whole.sort_by(key).select(columns).to_pydict()


_FRAMES: Final = """
meta: {id: frames, endian: be}
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq: [{id: head, type: head}, {id: number, type: u1}, {id: size, type: u1, -hidden: true}, {id: data, size: size}]
    instances:
      is_large: {value: number > 2}
  head:
    seq: [{id: kind, type: u1}]
"""


@pytest.mark.parametrize(
    ("columns", "by", "left"),
    [
        (None, "_index", {"head", "number", "data", "is_large"}),
        (None, "size", {"head", "number", "data", "is_large"}),
        (None, "head.kind", {"head", "number", "data", "is_large"}),
        (None, "is_large,_index", {"head", "number", "data"}),
        ("number", "is_large", {"number"}),
        ("number,is_large", "is_large", {"number"}),
    ],
)
def test_a_set_by_columns_that_rows_do_not_have(tmp_path: Path, columns: str | None, by: str, left: set[str]) -> None:
    (tmp_path / "frames.ksy").write_text(_FRAMES)
    file, out = tmp_path / "x.bin", tmp_path / "set"
    file.write_bytes(bytes([7, 1, 1, 9, 8, 2, 0, 7, 3, 1, 9]))
    named = [] if columns is None else ["--columns", columns]
    done = run("export", file, "--as", tmp_path / "frames.ksy", "-o", f"{out}/", "--partition-by", by, *named)
    assert done.exit_code == 0, done.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    assert {name for path in files for name in parquet.ParquetFile(path).schema_arrow.names} == left
    names = [*by.split(","), "number"]
    assert ("which Arrow passes over" in done.stderr) == ("_index" in by)
    whole = dataset.dataset(out, partitioning="hive", ignore_prefixes=["."])
    found = whole.to_table(columns={name: dataset.field(name) for name in names})
    wanted = kformat.scan(file, tmp_path / "frames.ksy", columns=names).to_arrow().to_pylist()
    assert [{name: str(row[name]).lower() for name in names} for row in found.sort_by("number").to_pylist()] == [
        {name: str(row[name]).lower() for name in names} for row in wanted
    ]


@pytest.mark.parametrize(("columns", "by"), [(None, "compression"), ("key,value", "topic"), ("offset", "producer_id")])
def test_a_set_of_records_by_columns_that_it_does_not_have(tmp_path: Path, columns: str | None, by: str) -> None:
    out = tmp_path / "set"
    named = [] if columns is None else ["--columns", columns]
    done = run("export", PLAIN, "-o", f"{out}/", "--partition-by", by, *named)
    assert done.exit_code == 0, done.stderr
    rows = kformat.open(PLAIN).to_arrow([by]).column(by).to_pylist()
    assert {path.name for path in out.iterdir()} == {f"{by}={value}" for value in rows}
    names = parquet.ParquetFile(next(path for path in out.rglob("*") if path.is_file())).schema_arrow.names
    assert names == (list(DEFAULT_COLUMNS) if columns is None else columns.split(","))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "x.parquet.gz"], "parquet is not compressed as a whole"),
        (["--format", "duckdb"], "A database cannot be written to a pipe"),
        (["-o", "x.csv", "--partition-by", "topic"], "--partition-by writes into a folder"),
        (["-o", "out/", "--partition-by", "nope"], "no column 'nope'"),
        (["-o", "out/", "--partition-by", "topic", "--format", "csv"], "--partition-by is for parquet and arrow"),
        (["-o", "out/", "--partition-by", "topic,topic"], "topic is named twice"),
        (["-o", "out/", "--partition-by", "headers"], "--partition-by: headers is list"),
    ],
)
def test_outputs_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("export", PLAIN, *arguments)
    assert (done.exit_code, words in done.stderr) == (2, True), done.output
    assert list(tmp_path.iterdir()) == []
