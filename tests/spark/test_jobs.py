"""The jobs in a real Spark: each does what its single-machine command does, file for file; retried and killed, too.

What a task does is a plain function, and shown without Spark where that is possible. One session for all of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from kformat import corpus
from kformat.check.checker import check
from kformat.cli import main
from kformat.corpus.bulk import Bulk, write_bulk
from kformat.errors import ChecksumError, RootLockedError, UsageError
from kformat.kafka.log.partition import iter_partitions, open_partition
from kformat.reindex import Rules, commit
from kformat.spark import jobs
from kformat.spark.jobs import asking, checking, converting, counting, reindexing, running
from kformat.spark.options import parse_options
from kformat.spark.plan import plan
from kformat.stats import Counting
from kformat.storage.address import absolute
from kformat.storage.root_lock import LOCK_FILE
from kformat.testing import write_log
from tests.judges.jars import ROOT
from tests.samples import ROOT as SAMPLES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

LOGS = SAMPLES / "4.3.1"


# Running


def test_neighbours_share_a_task_while_they_are_small() -> None:
    opening = running._OPENING_BYTES
    sizes = [100, 200, 10 * opening, 1, 1]
    tasks = list(running._packed("abcde", sizes, 4 * opening))
    assert tasks == [(["a", "b"], 300), (["c"], 10 * opening), (["d", "e"], 2)]
    assert list(running._packed("ab", [0, 0], 1)) == [(["a"], 0), (["b"], 0)]


def test_tasks_are_no_smaller_than_they_have_to_be_for_all_cores() -> None:
    assert running._task_bytes(1 << 40, 2) == running.LARGEST_TASK_BYTES
    assert running._task_bytes(1 << 20, 2) == 4 << 20
    assert running._task_bytes(1 << 30, 16) == 1 << 24


def test_workers_forget_what_a_later_task_imports() -> None:
    program = """
import gc
from kformat.spark.collecting import forget_what_is_imported
counts, kept = [], []
for name in ("", "", "kformat.dump", ""):
    if name:
        __import__(name)
    kept.append([[] for _ in range(1000)])
    forget_what_is_imported()
    counts.append(gc.get_freeze_count())
assert counts[0] == counts[1] < counts[2] - 1000 and counts[2] == counts[3], counts
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def doubled(number: int) -> int:
    if number == 13:
        raise UsageError("13 is not doubled")
    if number == 14:
        raise FileNotFoundError(2, "gone", "14")
    return number * 2


@pytest.mark.spark
def test_results_come_in_order_and_errors_as_they_were_raised(spark: SparkSession) -> None:
    told: list[jobs.Done] = []
    size = 64 << 20  # so that each has a task of its own
    results = running.run(spark, range(6), doubled, sizes=[size] * 6, title="doubling", progress=told.append)
    assert results == [0, 2, 4, 6, 8, 10]
    assert all(done.of_tasks == 6 and done.size_bytes == done.tasks * size for done in told)
    with pytest.raises(UsageError, match="13 is not doubled"):
        running.run(spark, [12, 13, 14], doubled, sizes=[1, 1, 1], title="doubling")
    with pytest.raises(FileNotFoundError, match="gone"):
        running.run(spark, [14], doubled, sizes=[1], title="doubling")
    assert running.run(spark, [], doubled, sizes=[], title="nothing") == []
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


# check


def as_rows(path: Path | list[Path], **how: Any) -> list[dict[str, Any]]:
    """Findings of the single-machine check as a DataFrame has them."""
    found = [{**asdict(finding), "mended_by": finding.mended_by} for finding in check(path, **how)]
    for row in found:
        for name in ("expected", "found"):
            row[name] = None if row[name] is None else str(row[name])
    return found


@pytest.mark.spark
def test_check_finds_what_the_command_finds(spark: SparkSession, tmp_path: Path) -> None:
    corpus.write_corpus(tmp_path / "damaged", seed=2, damage=True, only=("transaction",))
    every: list[tuple[Path, dict[str, Any]]] = [(tmp_path / "damaged", {}), (LOGS, {"ignore": ["KF0010"]})]
    for path, how in every:
        frame = jobs.check(spark, str(path), **how)
        assert dict(frame.dtypes) == checking.COLUMNS
        rows = [row.asDict() for row in frame.collect()]
        assert rows == as_rows(path, **how)
        assert len(rows) > 20
    assert jobs.check(spark, [str(LOGS / "plain-0")], records=False).collect() == []
    with pytest.raises(UsageError, match="no rule 'KF9'"):
        jobs.check(spark, str(LOGS), ignore=["KF9"])
    with pytest.raises(FileNotFoundError):
        jobs.check(spark, str(tmp_path / "missing"))


# which partitions


@pytest.mark.spark
@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"topics": ["orders*"], "exclude": "*-dlq"}, ["orders-0", "orders-1"]),
        ({"exclude": ["orders", "pay*"]}, ["orders-dlq-0"]),
        ({"partitions": 1}, ["orders-1", "payments-1"]),
    ],
)
def test_jobs_take_what_is_chosen(spark: SparkSession, tmp_path: Path, how: dict[str, Any], wanted: list[str]) -> None:
    root = tmp_path / "root"
    for name in ("orders-0", "orders-1", "orders-dlq-0", "payments-0", "payments-1"):
        topic, _, number = name.rpartition("-")
        log = next(write_log(root, [(b"k", b"v")], topic=topic, partition=int(number)).glob("*.log"))
        log.write_bytes(log.read_bytes()[:-1] + b"?")
    assert sorted({Path(row.file).parent.name for row in jobs.check(spark, str(root), **how).collect()}) == wanted
    counted = jobs.stats(spark, str(root), **how).collect()
    assert [f"{row.topic}-{row.partition}" for row in counted] == wanted
    dry = Rules(dry_run=True)
    assert [row.partition for row in jobs.reindex(spark, str(root), rules=dry, **how).collect()] == wanted
    saved = jobs.salvage(spark, str(root), str(tmp_path / "new"), dry_run=True, **how).collect()
    assert [row.partition for row in saved] == wanted
    rows = jobs.read(spark, str(root), rows="segments", **how).collect()
    assert sorted(f"{row.topic}-{row.partition}" for row in rows) == wanted
    for job in (jobs.check, jobs.stats, jobs.reindex):
        with pytest.raises(UsageError, match="no topic 'order'; did you mean 'orders'"):
            job(spark, str(root), topics="order")
    with pytest.raises(UsageError, match="exclude and partitions are for Kafka's files, without declaration"):
        jobs.check(spark, str(root), declaration="offset_index", **how)


# reindex


def copied(folder: Path, *names: str) -> Path:
    """A root with partitions of the samples, without their indexes."""
    for name in names:
        shutil.copytree(LOGS / name, folder / name)
    for file in folder.rglob("*"):
        if file.suffix in (".index", ".timeindex"):
            file.unlink()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Of the files below a folder; a lock has none."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != LOCK_FILE)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def by_the_command(*arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
    done = CliRunner().invoke(main, [*map(str, arguments), "--format", "nl"])
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.spark
def test_reindex_makes_the_files_that_the_command_makes(spark: SparkSession, tmp_path: Path) -> None:
    names = ("rolled-by-bytes-0", "plain-0", "transactions-0")
    mine, its = copied(tmp_path / "mine", *names), copied(tmp_path / "its", *names)
    for root in (mine, its):
        damaged = next((root / "plain-0").glob("*.log"))
        damaged.write_bytes(damaged.read_bytes()[:200] + b"X" + damaged.read_bytes()[201:])
        old = next((root / "rolled-by-bytes-0").glob("*.log")).with_suffix(".index")
        old.write_bytes(b"old")
    tried = jobs.reindex(spark, str(mine), rules=Rules(dry_run=True)).collect()
    assert contents(mine) == contents(its)
    status, expected = by_the_command("reindex", "--dry-run", its)
    assert [{**row, "problem": None} for row in expected] == [{**row.asDict(), "problem": None} for row in tried]
    rows = jobs.reindex(spark, str(mine)).collect()
    status, expected = by_the_command("reindex", its)
    assert status == 4 and contents(mine) == contents(its)
    assert [{name: value for name, value in row.asDict().items() if name != "problem"} for row in rows] == expected
    (refused,) = [row for row in rows if row.problem]
    assert refused.partition == "plain-0" and refused.remark == "refused" and "--before-damage" in refused.problem
    assert not list(mine.rglob("*.tmp"))
    assert {row.offset_index for row in jobs.reindex(spark, [str(mine / names[0])]).collect()} == {"same"}


@pytest.mark.spark
def test_salvage_writes_the_files_that_the_command_writes(spark: SparkSession, tmp_path: Path) -> None:
    disk = copied(tmp_path / "disk", "rolled-by-bytes-0", "plain-0", "transactions-0")
    log = next((disk / "plain-0").glob("*.log"))
    log.write_bytes(log.read_bytes()[:5000] + b"???" + log.read_bytes()[5003:])
    tried = jobs.salvage(spark, str(disk), str(tmp_path / "mine"), dry_run=True).collect()
    assert not (tmp_path / "mine").exists()
    rows = jobs.salvage(spark, str(disk), str(tmp_path / "mine")).collect()
    status, expected = by_the_command("salvage", disk, "-o", tmp_path / "its")
    assert status == 1 and [row.asDict() for row in rows] == expected == [row.asDict() for row in tried]
    assert contents(tmp_path / "mine") == contents(tmp_path / "its") and len(contents(tmp_path / "its")) > 20
    with pytest.raises(UsageError, match="not empty"):
        jobs.salvage(spark, str(disk), str(tmp_path / "mine"))


def test_a_task_that_ran_twice_changes_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    """One whose first attempt was given up, and went on; and one that was killed while it wrote."""
    root = copied(tmp_path / "mine", "plain-0")
    (segment,) = open_partition(root / "plain-0").segments
    first, second = (reindexing.work(Rules(), "job", segment) for _ in range(2))
    assert {path for _, path in first.beside} == {path for _, path in second.beside}
    assert not {place for place, _ in first.beside} & {place for place, _ in second.beside}
    commit(second)
    there = contents(root)
    (segment.log.parent / f"{segment.log.stem}.index.job-killed.tmp").write_bytes(b"half of")
    reindexing._clear(segment.log.parent, "job")
    assert set(contents(root)) == {name for name in there if not name.endswith(".tmp")}
    its = copied(tmp_path / "its", "plain-0")
    assert by_the_command("reindex", its)[0] == 0 and contents(its) == contents(root)


@pytest.mark.spark
def test_a_root_of_a_running_broker_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    root = copied(tmp_path / "mine", "plain-0")
    (root / ".lock").touch()
    before = contents(root)
    holder = (
        "import fcntl, sys; file = open(sys.argv[1], 'w'); fcntl.lockf(file, fcntl.LOCK_EX); print(flush=True); input()"
    )
    command = [sys.executable, "-c", holder, str(root / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        with pytest.raises(RootLockedError, match="is locked by another process, a broker"):
            jobs.reindex(spark, str(root))
        assert contents(root) == before
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.wait(timeout=30)
    with pytest.raises(UsageError, match="a path on this machine"):
        jobs.reindex(spark, "memory://somewhere/orders-0")


# to_parquet


def as_exported(table: pa.Table) -> list[dict[str, Any]]:
    """Rows as `kformat export` has them: times in ms, and no headers are an empty list of them."""
    import pyarrow as pa

    time = table.schema.get_field_index("timestamp")
    table = table.set_column(time, "timestamp", table.column(time).cast(pa.timestamp("us", "UTC")).cast(pa.int64()))
    rows = [{**row, "headers": row["headers"] or []} for row in table.to_pylist()]
    return sorted(rows, key=lambda row: (row["topic"], row["partition"], row["offset"]))


@pytest.mark.spark
def test_parquet_files_have_the_rows_of_export(spark: SparkSession, tmp_path: Path) -> None:
    from pyarrow import parquet

    out, one = tmp_path / "out", tmp_path / "one.parquet"
    folders = [partition.path for partition in iter_partitions(LOGS) if not partition.topic.startswith("__")]
    assert CliRunner().invoke(main, ["export", *map(str, folders), "-o", str(one)]).exit_code == 0
    written = jobs.to_parquet(spark, str(LOGS), str(out)).collect()
    rows = [row for file in sorted(out.iterdir()) for row in as_exported(parquet.read_table(file))]
    rows.sort(key=lambda row: (row["topic"], row["partition"], row["offset"]))
    assert rows == as_exported(parquet.read_table(one)) and len(rows) > 5000
    assert {Path(row.file) for row in written} == set(out.iterdir()), "and nothing else is there"
    for row in written:
        name = f"records-{row.topic}-{row.partition}-{row.base_offset:020}.parquet"
        assert Path(row.file).name == name and Path(row.file).stat().st_size == row.size_bytes
        assert parquet.read_metadata(row.file).num_rows == row.records_count and row.problems == []
    assert spark.read.parquet(str(out)).count() == len(rows)


@pytest.mark.spark
def test_options_of_the_source_hold(spark: SparkSession, tmp_path: Path) -> None:
    from pyarrow import parquet

    (one,) = converting.convert(
        spark,
        str(LOGS),
        str(tmp_path / "a"),
        assign={"rolled-by-bytes": [0]},
        starting_offsets={"rolled-by-bytes": {"0": 210}},
        ending_offsets={"rolled-by-bytes": {"0": 300}},
        columns=["offset", "key"],
        include_headers=False,
    )
    assert Path(one.file).name == "records-rolled-by-bytes-0-00000000000000000210.parquet"
    table = parquet.read_table(one.file)
    assert table.column_names == ["offset", "key"] and table["offset"].to_pylist() == list(range(210, 300))
    several = converting.convert(spark, str(LOGS / "plain-0"), str(tmp_path / "b"), max_records_per_partition=100)
    assert len(several) == 3 and sum(one.records_count for one in several) == 258
    with pytest.raises(UsageError, match="is not an empty folder"):
        converting.convert(spark, str(LOGS), str(tmp_path / "b"))
    with pytest.raises(UsageError, match="did you mean subscribe"):
        converting.convert(spark, str(LOGS), str(tmp_path / "c"), subscribes="orders")
    with pytest.raises(UsageError, match="made of records"):
        converting.convert(spark, str(LOGS), str(tmp_path / "c"), rows="batches")
    with pytest.raises(UsageError, match="mounted"):
        converting.convert(spark, str(LOGS), "memory://out")
    shutil.copytree(LOGS / "plain-0", tmp_path / "disk" / "plain-0")
    with pytest.raises(UsageError, match="would be one file"):
        converting.convert(spark, [str(LOGS / "plain-0"), str(tmp_path / "disk")], str(tmp_path / "c"), replica="each")
    assert not (tmp_path / "c").exists()


@pytest.mark.spark
def test_damage_leaves_nothing_or_is_told(spark: SparkSession, tmp_path: Path) -> None:
    from pyarrow import parquet

    shutil.copytree(LOGS / "plain-0", tmp_path / "plain-0")
    log = next((tmp_path / "plain-0").glob("*.log"))
    data = bytearray(log.read_bytes())
    data[len(data) // 2] ^= 0x55
    data[len(data) // 2 + 1] ^= 0xAA
    log.write_bytes(data)
    with pytest.raises(ChecksumError, match="plain-0"):
        jobs.to_parquet(spark, str(tmp_path / "plain-0"), str(tmp_path / "out"))
    assert list((tmp_path / "out").iterdir()) == [], "nothing is left of a job that failed"
    (one,) = converting.convert(spark, str(tmp_path / "plain-0"), str(tmp_path / "out"), on_corrupt="report")
    offsets = parquet.read_table(one.file)["offset"].to_pylist()
    assert len(one.problems) == 1 and "crc" in one.problems[0] and 100 < len(offsets) < 258


def test_attempts_at_a_file_do_not_meet(tmp_path: Path) -> None:
    request = parse_options({"path": str(LOGS / "plain-0")})
    (split,) = (split for task in plan(request) for split in task)
    first, second = (converting.write(str(tmp_path), request.columns, request.reading, split) for _ in range(2))
    assert first.file != second.file and first.records_count == second.records_count
    assert Path(first.file).read_bytes() == Path(second.file).read_bytes()
    nothing = converting.write(
        str(tmp_path), request.columns, request.reading, replace(split, start_offset=10**6, end_offset=10**6 + 1)
    )
    assert (nothing.file, nothing.records_count) == ("", 0) and len(list(tmp_path.iterdir())) == 2


def test_what_a_worker_does_not_see_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SAMPLES / "4.3.1" / "plain-0", tmp_path / "plain-0"))

    def elsewhere(_: object, works: list[Any], work: Any, **__: object) -> list[Any]:
        folder.rename(tmp_path / "hidden")
        try:
            return [work(one) for one in works]
        finally:
            (tmp_path / "hidden").rename(folder)

    monkeypatch.setattr(checking, "run", elsewhere)
    with pytest.raises(OSError, match="a worker does not see a file"):
        checking.findings(None, str(folder))  # type: ignore[arg-type]


def test_names_too_long_for_files_are_refused_before_the_work(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "4.3.1" / "plain-0", tmp_path / "logs" / ("t" * 240 + "-0"))
    with pytest.raises(UsageError, match="too long for that of a file"):
        converting.convert(None, str(tmp_path / "logs"), str(tmp_path / "out"))  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_numbers_that_no_bigint_holds_come_as_near_as_they_can() -> None:
    assert counting._within({"a": [1 << 63, -1 << 70, True, None, 1.5, "x"]}) == {
        "a": [(1 << 63) - 1, -(1 << 63), True, None, 1.5, "x"]
    }
    with pytest.raises(UsageError, match="cannot count by 'topic'"):
        Counting(by="topic")


def test_paths_of_this_machine_in_addresses_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute("tar://a-0::disk.tar") == f"tar://a-0::{tmp_path}/disk.tar"
    assert absolute("tar://a-0::s3://bucket/disk.tar") == "tar://a-0::s3://bucket/disk.tar"
    assert absolute("s3://bucket/logs") == "s3://bucket/logs"
    assert absolute("logs") == f"{tmp_path}/logs"


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"segment_bytes": 1 << 31}, {"size_bytes": 0}])
def test_bulk_data_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Bulk(**({"size_bytes": 1000} | wrong))


def test_words_of_python_are_words_of_spark() -> None:
    given = {
        "starting_offsets": {"a": {"0": 1}},
        "include_headers": True,
        "columns": ["key", "value"],
        "kafka_isolation_level": "read_committed",
        "starting_timestamp": datetime(2024, 1, 1, tzinfo=UTC),
        "split_bytes": 100,
        "ending_offsets": None,
        "onCorrupt": "skip",
    }
    assert asking.spark_words(given) == {
        "startingOffsets": '{"a": {"0": 1}}',
        "includeHeaders": "true",
        "columns": "key,value",
        "kafka.isolation.level": "read_committed",
        "startingTimestamp": "1704067200000",
        "splitBytes": "100",
        "onCorrupt": "skip",
    }
    with pytest.raises(UsageError, match="onCorrupt is given twice"):
        asking.spark_words({"onCorrupt": "skip", "on_corrupt": "error"})
    with pytest.raises(UsageError, match="paths are an argument"):
        asking.source_options("here", {"Path": "there"})


# stats


def plain(value: Any) -> Any:
    """A row of Spark's as JSON has it."""
    if hasattr(value, "asDict"):
        return {name: plain(item) for name, item in value.asDict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.spark
@pytest.mark.parametrize("by", ["partition", "segment", "total"])
def test_stats_are_those_of_the_command(spark: SparkSession, by: str) -> None:
    _, expected = by_the_command("stats", LOGS, "--by", by, "--records")
    rows = [plain(row) for row in jobs.stats(spark, str(LOGS), by=by, records=True).collect()]
    assert len(rows) > (0 if by == "total" else 30)
    assert rows == expected


# corpus, bulk


@pytest.mark.spark
@pytest.mark.long
def test_corpora_have_the_bytes_of_the_command(spark: SparkSession, tmp_path: Path) -> None:
    only = ("transaction",)
    rows = jobs.corpus(spark, str(tmp_path / "mine"), seed=3, count=2, damage=True, only=only).collect()
    for seed, row in zip((3, 4), rows, strict=True):
        its = tmp_path / f"its-{seed}"
        entries = corpus.write_corpus(its, seed=seed, damage=True, only=only)
        assert contents(tmp_path / "mine" / f"seed-{seed}") == contents(its)
        assert row.asDict() == {
            "folder": str(tmp_path / "mine" / f"seed-{seed}"),
            "files_count": len(entries),
            "size_bytes": sum(len(entry.file.data) for entry in entries),
        }
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["seed-3", "seed-4"]
    with pytest.raises(UsageError, match="is not an empty folder"):
        jobs.corpus(spark, str(tmp_path / "mine"))
    with pytest.raises(UsageError, match="no file of the corpus"):
        jobs.corpus(spark, str(tmp_path / "none"), only=("no such thing",))
    assert not list((tmp_path / "none").iterdir())


@pytest.mark.spark
def test_bulk_data_has_the_bytes_of_the_command(spark: SparkSession, tmp_path: Path) -> None:
    what = Bulk(2_000_000, seed=5, partitions=2, segment_bytes=400_000, compression="zstd")
    rows = jobs.bulk(spark, str(tmp_path / "mine"), what).collect()
    size_bytes = write_bulk(tmp_path / "its", what)
    assert contents(tmp_path / "mine") == contents(tmp_path / "its")
    assert len(rows) == 6 and sum(row.size_bytes for row in rows) == size_bytes
