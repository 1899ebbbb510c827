"""`kformat export`: the rows that `Partition.to_arrow` gives, in every format."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.kafka.batch.writing import Columns, build_batch
from kformat.kafka.columns.arrow import COLUMNS
from tests.kafka.test_columns import a_log
from tests.samples import ROOT as SAMPLES

pa = pytest.importorskip("pyarrow")


def run(*arguments: str) -> tuple[int, bytes, bytes]:
    """Exit status, standard output, standard error."""
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.stdout_bytes, result.stderr_bytes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "root" / "orders-3"
    folder.mkdir(parents=True)
    (folder / f"{100:020d}.log").write_bytes(a_log())
    return folder


def read(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_stream(path.read_bytes()).read_all()


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow"])
def test_tables(folder: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    assert run("export", str(folder), "-o", str(out)) == (0, b"", b"")
    assert read(out).equals(kformat.open(folder).to_arrow())
    assert run("export", str(folder), "-o", str(out), "--columns", ",".join(COLUMNS), "--from-offset", "150")[0] == 0
    assert read(out).equals(kformat.open(folder).to_arrow(COLUMNS, start_offset=150))
    assert run("export", str(folder), "-o", str(out), "-j", "3")[0] == 0
    assert read(out).equals(kformat.open(folder).to_arrow())
    assert {path.name for path in tmp_path.iterdir()} == {"root", name}


def test_each_column_is_stored_as_suits_it(folder: Path, tmp_path: Path) -> None:
    from pyarrow import parquet

    out = tmp_path / "out.parquet"
    run("export", str(folder), "-o", str(out))
    group = parquet.ParquetFile(out).metadata.row_group(0)
    found = {group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)}
    assert {name for name, column in found.items() if column.has_dictionary_page} == {
        "topic", "partition", "timestampType", "headers.list.element.key"
    }  # fmt: skip
    assert not found["value"].is_stats_set and not found["key"].is_stats_set and found["offset"].statistics.min == 100
    assert "DELTA_BINARY_PACKED" in found["offset"].encodings and "DELTA_BINARY_PACKED" in found["timestamp"].encodings
    assert "DELTA_BYTE_ARRAY" in found["key"].encodings and "DELTA_BYTE_ARRAY" in found["value"].encodings
    assert {column.compression for column in found.values()} == {"ZSTD"}


def test_lines(folder: Path) -> None:
    rows = kformat.open(folder).to_arrow(["offset", "key", "headers"]).to_pylist()
    status, out, _ = run("export", str(folder), "--format", "nl", "--columns", "offset,key,headers", "--bytes", "hex")
    assert status == 0
    found = [json.loads(line) for line in out.splitlines()]
    assert [row["offset"] for row in found] == [row["offset"] for row in rows]
    assert [row["key"] for row in found] == [None if row["key"] is None else row["key"].hex() for row in rows]
    assert [[pair["key"] for pair in row["headers"]] for row in found] == [
        [pair["key"] for pair in row["headers"]] for row in rows
    ]
    status, out, _ = run("export", str(folder), "--format", "csv", "--columns", "offset,timestamp,headers")
    table = list(csv.reader(io.StringIO(out.decode())))
    assert (status, table[0], len(table) - 1) == (0, ["offset", "timestamp", "headers"], len(rows))
    times = kformat.open(folder).to_arrow("timestamp")["timestamp"].cast(pa.int64()).to_pylist()
    assert [int(row[1]) for row in table[1:]] == times
    assert [json.loads(row[2]) == [] for row in table[1:]] == [row["headers"] == [] for row in rows]


def test_all_partitions_of_a_root_and_damage_ends_its_own(folder: Path, tmp_path: Path) -> None:
    other = folder.with_name("orders-4")
    other.mkdir()
    damaged = bytearray(a_log())
    damaged[-20] ^= 1
    (other / f"{100:020d}.log").write_bytes(a_log())
    (folder / f"{100:020d}.log").write_bytes(damaged)
    out = tmp_path / "out.arrow"
    status, _, complaint = run("export", str(folder.parent), "-o", str(out))
    assert status == 1 and b"crc" in complaint
    counts = read(out)["partition"].value_counts().to_pylist()
    whole = kformat.open(other).to_arrow("offset").num_rows
    by_partition = {row["values"]: row["counts"] for row in counts}
    assert by_partition[4] == whole > by_partition[3] > 0


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["-o", "out.what"], 2, b"--format"),
        (["--format", "parquet"], 2, b"Parquet"),
        (["--format", "csv", "--columns", "nope"], 2, b"'nope'"),
        (["-o", "missing/out.csv"], 3, b"No such file"),
    ],
)
def test_wrong_calls(folder: Path, arguments: list[str], status: int, text: bytes) -> None:
    found = run("export", str(folder), *arguments)
    assert found[0] == status and text in found[2]


def test_committed_records_alone(tmp_path: Path) -> None:
    folder = str(SAMPLES / "4.3.1" / "transactions-0")
    partition, counts = kformat.open(folder), []
    for level in ("read_uncommitted", "read_committed"):
        status, out, _ = run("export", folder, "--format", "nl", "--columns", "offset, key", "--isolation-level", level)
        rows = [json.loads(line) for line in out.splitlines()]
        expected = partition.to_arrow(["offset"], isolation_level=level)["offset"].to_pylist()
        assert status == 0 and [row["offset"] for row in rows] == expected
        counts.append(len(rows))
    assert counts[0] > counts[1] > 0


def test_what_cannot_be_read_leaves_an_earlier_file(folder: Path, tmp_path: Path) -> None:
    out, absent = tmp_path / "out.parquet", str(tmp_path / "absent-0")
    run("export", str(folder), "-o", str(out))
    earlier = out.read_bytes()
    status, _, complaint = run("export", absent, "-o", str(out))
    assert status == 3 and b"absent-0: No such file" in complaint and out.read_bytes() == earlier
    (folder.parent / "log-start-offset-checkpoint").write_text("0\n1\norders 3 40\n")  # the folder begins at 100
    status, _, complaint = run("export", str(folder), "-o", str(out), "--from-offset", "50")
    assert status == 5 and b"in remote storage" in complaint and out.read_bytes() == earlier
    (folder.parent / "log-start-offset-checkpoint").unlink()
    assert run("export", absent, "--format", "csv")[1] == b""
    assert run("export", absent, str(folder), "-o", str(out), "--columns", "key")[0] == 3
    assert read(out).equals(kformat.open(folder).to_arrow("key")), "what can be read is written"


@pytest.mark.parametrize("name", ["out.csv.part", "out.csv.tmp"])
def test_nothing_is_written_through_a_link_next_to_the_file(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / name).symlink_to(tmp_path / "victim")
    assert run("export", str(folder), "-o", str(tmp_path / "out.csv"))[0] == 0
    assert (tmp_path / "victim").read_bytes() == b"precious" and (tmp_path / "out.csv").stat().st_size
    assert {path.name for path in tmp_path.iterdir()} == {"root", "victim", "out.csv", name}


def test_links_and_pipes_stay_what_they_are(folder: Path, tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target.csv", tmp_path / "link.csv", tmp_path / "pipe.csv"
    target.write_bytes(b"old")
    link.symlink_to(target)
    plain = run("export", str(folder), "--format", "csv")[1]
    assert run("export", str(folder), "-o", str(link))[0] == 0
    assert link.is_symlink() and target.read_bytes() == plain
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("export", str(folder), "-o", str(pipe), "--to-offset", "110")[0] == 0
        assert pipe.is_fifo() and plain.startswith(os.read(reading, 1 << 16))
    finally:
        os.close(reading)


def test_samples_by_command(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    sample = SAMPLES / "4.3.1" / "rolled-by-bytes-0"
    assert run("export", str(sample), "-o", str(out), "--since", "2023-11-14T22:13:25Z")[0] == 0
    assert read(out)["offset"].to_pylist() == list(range(500, 560))


def test_declared_values(tmp_path: Path) -> None:
    """The columns of `Partition.to_arrow`, and on standard error how many values did not parse."""
    (tmp_path / "two.ksy").write_text("meta: {id: two, endian: be}\nseq: [{id: a, type: u1}, {id: b, type: u2}]")
    folder, format = tmp_path / "orders-0", str(tmp_path / "two.ksy")
    folder.mkdir()
    values = [b"\1\0\2", b"no", None, b"\3\0\4"]
    columns = Columns([1000] * 4, [b"1", b"{", None, b"2"], values)
    (folder / f"{0:020d}.log").write_bytes(build_batch(columns, base_offset=0))
    table = kformat.open(folder).to_arrow(value_as=format, key_as="json")

    given = ("export", str(folder), "--value-as", f"orders={format}", "--key-as", "json")
    status, _, errors = run(*given, "-o", str(tmp_path / "out.parquet"))
    assert (status, errors.decode().splitlines()) == (
        0,
        ["kformat: 1 of 3 values do not parse as two", "kformat: 1 of 3 keys do not parse as json"],
    )
    assert read(tmp_path / "out.parquet").to_pylist() == table.to_pylist()
    status, out, _ = run(*given, "--format", "nl", "--columns", "value.b,value_raw,offset", "--bytes", "hex")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"value.b": b, "value_raw": raw, "offset": offset}
        for offset, (b, raw) in enumerate([(2, None), (None, b"no".hex()), (None, None), (4, None)])
    ]
    for wrong, why in (
        (("--value-as", f"other={format}"), "there is no topic 'other' here; there are orders"),
        (("--value-as", "nothing"), "no format 'nothing'"),
        (("--as", format, "--value-as", format), "--value-as is for Kafka's records"),
    ):
        status, out, errors = run("export", str(folder), "--format", "nl", *wrong)
        assert (status, out) == (2, b"") and why in errors.decode(), wrong
