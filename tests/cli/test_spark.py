"""`kformat spark VERB`: what it prints, and its exit status, are those of the verb without `spark`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import kformat
from kformat.cli import main
from kformat.cli import spark as spark_verbs
from kformat.cli.progress import ProgressLine
from kformat.errors import ChecksumError, UsageError
from kformat.spark.jobs import Done
from tests.samples import ROOT as SAMPLES
from tests.spark_session import require_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = SAMPLES / "4.3.1"
NO_TERMINAL = ProgressLine()


def run(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def said(done: Result) -> tuple[int, str, list[str]]:
    # What is wrong with a path is told when it is met, which is before any work is done here.
    return done.exit_code, done.stdout, sorted(done.stderr.splitlines())


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with a damaged partition, which is called by a relative path."""
    for name in ("plain-0", "rolled-by-bytes-0"):
        shutil.copytree(LOGS / name, tmp_path / "disk" / name)
    log = next((tmp_path / "disk" / "plain-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[3000] ^= 1
    log.write_bytes(data)
    (tmp_path / "disk" / "notes").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "disk"


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "disk"),
        ("check", "disk/", "disk/plain-0/00000000000000000000.log", "--format", "json", "--severity", "info"),
        ("check", "./disk", "--format", "sarif", "--ignore", "KF0201"),
        ("reindex", "disk", "--dry-run", "--index-interval-bytes", "500"),
        ("reindex", "disk/", "missing", "--format", "nl", "--dry-run", "--before-damage"),
        ("salvage", "disk", "-o", "new", "--dry-run"),
        ("salvage", "disk", "-o", "./disk/new"),
        ("salvage", "disk", "-o", "new", "--dry-run", "--ranges", "--format", "nl"),
        ("stats", "disk", "missing", "--records"),
        ("stats", "disk", "--by", "segment", "--format", "csv"),
        ("stats", "disk", "--by", "total", "--format", "json", "--interval", "1s"),
        ("check", "disk", "--exclude", "rolled*"),
        ("check", "disk", "disk/plain-0", "--topic", "plain"),
        ("reindex", "disk", "--dry-run", "--topic", "rolled*", "--partition", "0"),
        ("salvage", "disk", "-o", "new", "--dry-run", "--topic", "plain"),
        ("stats", "disk", "--topic", "plain", "--format", "csv"),
    ],
    ids=" ".join,
)
def test_it_says_what_the_verb_says(spark: SparkSession, disk: Path, arguments: tuple[str, ...]) -> None:
    expected = said(run(*arguments))
    assert said(run("spark", *arguments)) == expected
    is_refused = expected[0] == 2 and "is not apart" in expected[2][0]
    assert is_refused or (len(expected[1]) > 50 and expected[0] in (0, 1, 3, 4))


@pytest.mark.spark
def test_records_are_converted_with_what_can_be_read(spark: SparkSession, disk: Path) -> None:
    done = run("spark", "to-parquet", "disk", "-o", "out", "--format", "nl")
    files = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1 and len(files) == 4 and {Path(row["file"]).parent for row in files} == {Path("out")}
    assert done.stderr.startswith("kformat: disk/plain-0/") and done.stderr.count("\n") == 1 and "crc" in done.stderr
    assert sum(row["records_count"] for row in files) > 500
    refused = run("spark", "to-parquet", "disk", "-o", "out")
    assert refused.exit_code == 2 and "is not an empty folder" in refused.stderr
    whole = run("spark", "to-parquet", "disk", "-o", "none", "--option", "onCorrupt=error")
    assert whole.exit_code == 1 and "record_batch.crc" in whole.stderr and not os.listdir("none")


@pytest.mark.spark
def test_test_data_is_made(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("spark", "corpus", "write", out, "--seed", "2", "--count", "2", "--only", "empty", "--only", "log")
    assert done.exit_code == 0 and done.stderr.startswith("kformat: 2 corpora, ")
    assert run("spark", "corpus", "write", out).exit_code == 4
    done = run("spark", "corpus", "bulk", tmp_path / "bulk", "--size", "100k", "--segment-bytes", "30k")
    assert (done.exit_code, done.stdout) == (0, "") and done.stderr.startswith("kformat: 4 segments, ")
    assert run("check", tmp_path / "bulk").exit_code == 0


@pytest.mark.long
@pytest.mark.spark
def test_rows_are_printed(spark: SparkSession, disk: Path) -> None:
    before = spark.conf.get("spark.sql.python.filterPushdown.enabled", "false")
    path = LOGS / "rolled-by-bytes-0"
    done = run(
        "spark",
        "read",
        path,
        "--where",
        "offset BETWEEN 250 AND 251",
        "--columns",
        "offset,timestamp",
        "--format",
        "nl",
    )
    rows = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda row: int(row["offset"]))
    assert [row["offset"] for row in rows] == [250, 251] and all(1.6e12 < row["timestamp"] < 1.8e12 for row in rows)
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled", "false") == before
    table = run("spark", "read", path, "--limit", "1").stdout.splitlines()
    assert len(table) == 2 and table[0].split()[:3] == ["key", "value", "topic"] and "2023-11-14T" in table[1]
    assert run("spark", "read", path, "--count").stdout == "560\n"
    assert (
        "more rows than 2" in run("spark", "read", path, "--rows", "batches", "--limit", "2", "--format", "csv").stderr
    )
    for wrong in ("nonsense = 3", "(("):
        done = run("spark", "read", path, "--where", wrong)
        assert done.exit_code == 2 and done.stderr.startswith("kformat: [") and done.stderr.count("\n") == 1
    damaged = run("spark", "read", "disk", "--count")
    assert damaged.exit_code == 1 and damaged.stderr.startswith("kformat: disk/plain-0/")
    absent = run("spark", "read", path, "--option", "subscribe=nope")
    assert absent.exit_code == 2 and "no topic 'nope' here" in absent.stderr


def test_a_wrong_call_is_told_before_spark_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_verbs, "session", lambda *_, **__: pytest.fail("Spark was started"))
    for arguments, status, word in (
        (("check", LOGS, "--set", "memory"), 2, "expected a name and a value, as in spark.executor.memory=4g"),
        (("check",), 2, "missing argument"),
        (("reindex", tmp_path / "missing"), 3, "No such file"),
        (("reindex", "memory://there/orders-0"), 2, "a path on this machine"),
        (("salvage", LOGS), 2, "-o DST says where to write"),
        (("read", LOGS, "--option", "subscribes=a"), 2, "did you mean subscribe"),
        (("read", tmp_path / "missing"), 3, "no such file"),
        (("read", LOGS, "--topic", "p*", "--option", "topics=a"), 2, "topics=a does not go with --topic"),
        (("read", LOGS, "--topic", "p*", "--option", "subscribe=a"), 2, "only one of subscribe"),
        (("to-parquet", LOGS, "-o", "x", "--as", "offset_index", "--partition", "0"), 2, "do not go with --as"),
        (("stats", LOGS, "--topic", "plane"), 2, "no topic 'plane'; did you mean 'plain'"),
        (("corpus", "bulk", SAMPLES, "--size", "1g"), 4, "not an empty folder"),
        (("corpus", "bulk", tmp_path / "out", "--size", "1x"), 2, "is not a size"),
    ):
        done = run("spark", *arguments)
        assert done.exit_code == status and word in done.stderr, (arguments, done.stderr)


def test_what_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("the gateway exited")

    monkeypatch.setattr(spark_verbs, "session", fails)
    done = run("spark", "check", LOGS)
    assert done.exit_code == 3 and "Spark does not start: the gateway exited (kformat -v" in done.stderr


def test_what_spark_gives_up_on_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class FromTheBridge(Exception):
        __module__ = "py4j.protocol"

    def fails(*_: object, **__: object) -> None:
        raise FromTheBridge("\nJob aborted due to stage failure\n\tat org.apache.spark")

    monkeypatch.setattr(spark_verbs, "session", lambda *_, **__: None)
    monkeypatch.setattr(spark_verbs, "findings", fails)
    done = run("spark", "check", LOGS)
    assert done.exit_code == 3
    assert done.stderr == "kformat: Spark gave up: Job aborted due to stage failure (kformat -v shows what it says)\n"


def test_spark_says_nothing_unless_it_is_asked_to(capfd: pytest.CaptureFixture[str]) -> None:
    for verbose, expected in ((False, "after"), (True, "meanwhileafter")):
        with spark_verbs._nothing_said(verbose):
            os.write(2, b"meanwhile")
        os.write(2, b"after")
        assert capfd.readouterr().err == expected


def test_an_artifact_is_listed_by_its_packages(tmp_path: Path) -> None:
    done = run("spark", "artifact", "-o", str(tmp_path / "kformat.zip"), "--without", "numba", "--format", "nl")
    assert done.exit_code == 0 and done.stderr == f"kformat: {(tmp_path / 'kformat.zip').stat().st_size} bytes\n"
    packages = {line["package"]: line["version"] for line in map(json.loads, done.stdout.splitlines())}
    assert packages["kformat"] == kformat.__version__ and "construct" in packages and "numba" not in packages
    assert run("spark", "artifact", "-o", str(tmp_path / "kformat.tar")).exit_code == 2


def test_settings_are_those_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def session(name: str, **how: object) -> None:
        asked.update(how, name=name)
        raise UsageError("seen")

    monkeypatch.setattr(spark_verbs, "session", session)
    assert run("spark", "check", LOGS, "--master", "local[3]", "--set", "a.b=c=d").exit_code == 2
    assert asked == {
        "name": "kformat check",
        "master": "local[3]",
        "settings": {**spark_verbs._SETTINGS, "a.b": "c=d"},
        "quiet": True,
        "remote": None,
        "artifact": None,
    }
    run("-v", "spark", "check", LOGS)
    assert asked["settings"] == {} and asked["quiet"] is False


def test_paths_are_told_as_they_were_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    told = spark_verbs._as_given(["a", "a/b/", "/"])
    assert told(f"{tmp_path}/a/x.log:3 field: wrong, {tmp_path}/a/b/y and {tmp_path}/ab") == (
        f"a/x.log:3 field: wrong, a/b/y and {tmp_path}/ab"
    )


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert spark_verbs._teller(NO_TERMINAL) is None
    monkeypatch.setattr("kformat.cli.progress._EVERY_S", 0)
    line = ProgressLine()
    line.is_shown = True
    tell = spark_verbs._teller(line)
    assert tell is not None
    tell(Done(3, 8, 1_500_000_000, 4_000_000_000))
    assert capsys.readouterr().err.endswith("3 of 8 tasks, 1.5 of 4.0 GB")


@pytest.mark.spark
def test_errors_of_spark_are_ours_again() -> None:
    require_spark()
    from pyspark.errors import AnalysisException, PySparkException

    def raised(error: Exception) -> BaseException:
        with pytest.raises(Exception) as caught, spark_verbs._as_ours(lambda text: text.replace("/abs/", "")):
            raise error
        return caught.value

    task = "Job aborted\n  File x.py\nkformat.errors.ChecksumError: /abs/a.log:3 crc: differs\n\n\tat org.apache"
    found = raised(PySparkException(task))
    assert isinstance(found, ChecksumError) and str(found) == "a.log:3 crc: differs"
    assert isinstance(raised(AnalysisException("[NO] such column\nmore")), UsageError)
    assert isinstance(raised(PySparkException("lost an executor")), OSError)


@pytest.mark.spark
@pytest.mark.slow
def test_a_process_of_its_own_prints_findings_and_nothing_else(disk: Path) -> None:
    require_spark()
    command = [sys.executable, "-c", "from kformat.cli import main; main()", "spark", "check", "disk"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1 and done.stdout.count("\n") == 1 and "KF0201" in done.stdout
    assert done.stderr.splitlines()[0] == "kformat: 1 error, 0 warnings"


@pytest.mark.spark
@pytest.mark.long
def test_what_was_exported_is_written_back(spark: SparkSession, tmp_path: Path) -> None:
    """Exported by one machine, written by Spark, exported again: the same bytes; and lines of text become a topic."""
    options = ("--assume-sorted", "--option", "compression=lz4", "--option", "segmentBytes=100k")
    exported, logs = tmp_path / "rows.parquet", tmp_path / "logs"
    assert run("export", LOGS, "-o", exported).exit_code == 0
    assert run("spark", "write", exported, "-o", logs, "--tasks", "3").exit_code == 0
    assert run("export", logs, "-o", tmp_path / "again.parquet").exit_code == 0
    assert (tmp_path / "again.parquet").read_bytes() == exported.read_bytes()
    done = run("spark", "write", exported, "-o", logs, *options)
    assert done.exit_code == 2 and "ends at offset" in done.stderr and "or overwrite" in done.stderr
    done = run("spark", "write", exported, "-o", logs, *options, "--mode", "overwrite")
    assert (done.exit_code, done.stdout) == (0, "")
    assert run("spark", "read", logs, "--count").stdout == run("spark", "read", LOGS, "--count").stdout

    (tmp_path / "lines.txt").write_text("one\ntwo\n")
    text = ("--input-format", "text", "--select", "upper(value) AS value, concat('k', ',', value) AS key")
    done = run("spark", "write", tmp_path / "lines.txt", *text, "-o", logs)
    assert done.exit_code == 2 and "neither a column topic nor an option topic" in done.stderr
    assert run("spark", "write", tmp_path / "lines.txt", *text, "-o", logs, "--option", "topic=lines").exit_code == 0
    (found,) = run("grep", "TWO", logs / "lines-0", "--format", "nl").stdout.splitlines()
    assert json.loads(found)["offset"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("to-parquet", LOGS, "-o", "out", "--option", "progress=x"), "unknown option 'progress'"),
        (("to-parquet", LOGS, "-o", "out", "--option", "subscribe= "), "expected names of topics"),
        (("write", "rows.parquet", "-o", "logs", "--option", "mode=overwrite"), "unknown option 'mode'"),
        (("write", "rows.parquet", "-o", "logs", "--option", "tasks=3"), "unknown option 'tasks'"),
    ],
)
def test_options_that_there_are_not_are_told_before_spark_is_started(
    arguments: tuple[str | Path, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_verbs, "_started", lambda *_: pytest.fail("Spark was started"))
    done = run("spark", *arguments)
    assert done.exit_code == 2 and message in done.stderr


@pytest.mark.spark
def test_structures_and_large_numbers_are_json(tmp_path: Path) -> None:
    require_spark()
    (tmp_path / "wide.ksy").write_text(
        "meta: {id: wide, endian: be}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: number, type: u8}, {id: part, type: part}]}, part: {seq: [{id: size, type: u8}]}}\n"
    )
    (tmp_path / "wide.bin").write_bytes((2**64 - 1).to_bytes(8, "big") + bytes([0, 0, 0, 0, 0, 0, 0, 5]))
    arguments = ("spark", "read", "--as", tmp_path / "wide.ksy", "--format")
    read = {shape: run(*arguments, shape, tmp_path / "wide.bin").stdout for shape in ("nl", "csv", "table")}
    assert json.loads(read["nl"]) == {"number": 2**64 - 1, "part": {"size": 5}}
    assert read["csv"].splitlines()[1] == '18446744073709551615,"{""size"": 5}"'
    assert read["table"].splitlines()[1].endswith('{"size": 5}')
