"""Deleted records: what lies in front of the log's start is left out by every reader, and by none that shows files."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import RecordsDeletedError, TruncatedError, UsageError
from kformat.follow import follow_chunks
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.log.log_reader import LogReader
from kformat.spark.options import parse_options
from kformat.spark.plan import Condition, plan
from kformat.spark.scan import scan
from kformat.spark.tail import Tail
from kformat.stats import stats
from kformat.testing.files import ProducerTransaction, log_files
from kformat.testing.objects import write_files
from tests.kafka.test_columns import a_log

RecordBatchReader = pytest.importorskip("pyarrow").RecordBatchReader

FIRST, END = 100, 130
ALL = list(range(FIRST, END))
LOG = f"{FIRST:020d}.log"
NAME = "log-start-offset-checkpoint"


def delete(folder: Path, before: int) -> None:
    """What DeleteRecords leaves behind: the entry of a root's checkpoint."""
    topic, _, partition = folder.name.rpartition("-")
    (folder.parent / NAME).write_text(f"0\n1\n{topic} {partition} {before}\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Offsets 100 to 129 in three segments, in batches of four and two; the log has no start of its own yet."""
    values = [b"v%d" % number for number in ALL]
    files = log_files(values, base_offset=FIRST, records_per_segment=10, records_per_batch=4)
    return write_files(files, tmp_path / "root" / "orders-0")


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    return done.exit_code, done.stdout, done.stderr


def printed(*arguments: object) -> list[int]:
    """The offsets of records that a verb prints as lines of JSON."""
    _, out, _ = run(*arguments)
    return [json.loads(line)["offset"] for line in out.splitlines()]


def scanned(path: Path, conditions: Iterable[Condition] = (), **options: Any) -> list[int]:
    """Spark's rows, by its plan and its scan."""
    words = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    request = parse_options({"path": str(path), **words})
    splits = itertools.chain.from_iterable(plan(request, list(conditions)))
    return [one for split in splits for batch in scan(split, ["offset"], request.reading)
            for one in batch["offset"].to_pylist()]  # fmt: skip


def streamed(path: Path, before: bool) -> list[int]:
    """The same of a stream, from its first offset to its end."""
    request = parse_options(
        {"path": str(path), "startingOffsets": "earliest", "beforeLogStart": str(before).lower()}, is_stream=True
    )
    tail = Tail(request)
    start, ends = tail.first(), tail.ends()
    assert tail.until(start, ends) == ends == tail.until({}, ends) | ends
    splits = itertools.chain.from_iterable(tail.tasks(start, ends))
    return [one for split in splits for batch in scan(split, ["offset"], request.reading)
            for one in batch["offset"].to_pylist()]  # fmt: skip


def listed(chunks: Iterable[Any]) -> list[int]:
    return [one for chunk in chunks for one in chunk.numbers["offset"].tolist()]


def logged(path: Path, before: bool) -> list[int]:
    with LogReader.open(path, before_log_start=before) as reader:
        return [record.offset for record in reader]


def option(before: bool) -> list[str]:
    return ["--before-log-start"] if before else []


def counted(path: Path, before: bool, **how: Any) -> list[int]:
    """As many offsets as are counted, from the first that is."""
    (found,) = stats(path, before_log_start=before, **how)
    return list(range(found.first_offset or 0, (found.first_offset or 0) + found.counts["records_count"]))


READERS: dict[str, Callable[[Path, bool], list[int]]] = {
    "records": lambda path, before: [one.offset for one in kformat.open(path).records(before_log_start=before)],
    "chunks": lambda path, before: listed(kformat.open(path).chunks(Wanted(before_log_start=before))),
    "threads": lambda path, before: listed(
        kformat.open(path).chunks(Wanted(before_log_start=before), threads=2, chunk_bytes=100)
    ),
    "to_arrow": lambda path, before: kformat.open(path).to_arrow("offset", before_log_start=before)[
        "offset"
    ].to_pylist(),
    "since": lambda path, before: kformat.open(path).to_arrow("offset", before_log_start=before, since=1)[
        "offset"
    ].to_pylist(),
    "committed": lambda path, before: kformat.open(path).to_arrow(
        "offset", before_log_start=before, isolation_level="read_committed"
    )["offset"].to_pylist(),
    "follow": lambda path, before: kformat.follow(path, "offset", before_log_start=before, timeout_s=0).read_all()[
        "offset"
    ].to_pylist(),
    "grep": lambda path, before: [one.offset for one in kformat.grep(path, b"v", before_log_start=before)],
    "newest": lambda path, before: [
        one.offset for one in kformat.grep(path, b"v", before_log_start=before, newest=True)
    ] or [one.offset for one in kformat.grep(path, b"v", before_log_start=before)],
    "stats": counted,
    "stats of records": lambda path, before: counted(path, before, records=True),
    "kformat export": lambda path, before: printed(
        "export", path, "--format", "nl", "--columns", "offset", *option(before)
    ),
    "kformat grep": lambda path, before: printed("grep", "v", path, "--format", "nl", *option(before)),
    "kformat log read": lambda path, before: printed("log", "read", path, "--format", "nl", *option(before)),
    "kformat log tail": lambda path, before: printed("log", "tail", path, "-n", 99, "--format", "nl", *option(before)),
    "LogReader": logged,
    "Spark": lambda path, before: scanned(path, beforeLogStart=before),
    "Spark, many splits": lambda path, before: scanned(path, beforeLogStart=before, maxRecordsPerPartition=3),
    "Spark, a filter": lambda path, before: scanned(path, [Condition("offset", ">=", 0)], beforeLogStart=before),
    "Spark, a time": lambda path, before: scanned(
        path, startingTimestamp=0, startingOffsetsByTimestampStrategy="latest", beforeLogStart=before
    ),
    "Spark, streamed": streamed,
}  # fmt: skip


# On a batch's first record, inside of one, at a segment's, at the last record, at the end, and above it, where a broker
# that starts deletes all there is.
@pytest.mark.parametrize("start", [FIRST - 5, FIRST, 104, 106, 110, 118, END - 1, END, END + 9])
def test_every_reader_leaves_them_out_unless_it_is_asked_for_them(folder: Path, start: int) -> None:
    (folder / "leader-epoch-checkpoint").write_text("0\n1\n0 100\n")  # so that nothing is in remote storage
    delete(folder, start)
    expected = [offset for offset in ALL if offset >= start]
    found = {name: (reader(folder, False), reader(folder, True)) for name, reader in READERS.items()}
    assert found == dict.fromkeys(READERS, (expected, ALL))
    assert RecordBatchReader.from_stream(kformat.open(folder)).read_all()["offset"].to_pylist() == expected
    assert kformat.open(folder).deleted_before == (start if start > FIRST else None)


@pytest.mark.parametrize("content", [None, b"0\n1\nothers 0 110\n", b"0\n1\n", b"0\n1\norders 0 x\n"])
def test_a_checkpoint_that_says_nothing_hides_nothing(folder: Path, content: bytes | None) -> None:
    """None, one without an entry, two that cannot be read."""
    if content is not None:
        (folder.parent / NAME).write_bytes(content)
    assert {name: reader(folder, False) for name, reader in READERS.items()} == dict.fromkeys(READERS, ALL)


def test_an_unreadable_checkpoint_is_reported(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder.parent / NAME).write_bytes(b"0\n1\n")
    for verb in (["export", "--format", "nl"], ["grep", "v"], ["stats"], ["log", "read"], ["log", "tail"]):
        status, out, said = run(*verb, folder)
        assert (status, said.count("\n")) == (1, 1) and out and said.startswith(f"kformat: {folder.parent / NAME}:")
    with pytest.raises(TruncatedError):
        _ = kformat.open(folder).log_start_offset
    assert scanned(folder.parent) == ALL and NAME in caplog.text
    caplog.clear()
    assert streamed(folder, False) == ALL and NAME in caplog.text


def test_bounds_below_the_start_give_the_rest(folder: Path) -> None:
    delete(folder, 106)
    partition, rest = kformat.open(folder), list(range(106, 112))
    assert [record.offset for record in partition.records(101, 112)] == rest
    assert list(partition.records(101, 104)) == []
    assert partition.to_arrow("offset", start_offset=0, end_offset=112)["offset"].to_pylist() == rest
    bounds = ["--from-offset", 101, "--to-offset", 112]
    assert (
        printed("export", folder, "--format", "nl", *bounds)
        == printed("grep", "", folder, "--format", "nl", *bounds)
        == rest
    )
    read = [
        "log",
        "read",
        folder,
        "--format",
        "nl",
        "--offset",
        101,
        "--end-offset",
        112,
    ]  # out of range, as for a consumer
    assert (run(*read)[0], printed(*read, "--before-log-start")) == (2, list(range(101, 112)))
    assert scanned(folder, [Condition("offset", ">=", 101), Condition("offset", "<", 112)]) == rest
    assert listed(follow_chunks(folder, Wanted(start_offset=101, end_offset=112), timeout_s=0)) == rest
    # What is asked for by Spark's option is data that was lost, as for its Kafka source.
    asked: dict[str, Any] = {"startingOffsets": '{"orders":{"0":101}}'}
    with pytest.raises(UsageError, match="asked for from offset 101 on, the first that is here is 106"):
        scanned(folder, **asked)
    assert scanned(folder, failOnDataLoss=False, **asked) == list(range(106, END))
    assert scanned(folder, beforeLogStart=True, **asked) == list(range(101, END))


def test_a_time_is_not_answered_with_a_deleted_record(folder: Path) -> None:
    """Spark's bounds by time: the oldest time is a deleted record's; the newest, too, where the log is not in order."""
    values = [{"value": b"v", "timestamp": 1000 + (5000 if offset == 104 else offset)} for offset in ALL]
    write_files(log_files(values, base_offset=FIRST, records_per_segment=10, records_per_batch=4), folder)
    delete(folder, 106)
    assert scanned(folder, startingTimestamp=1000) == list(range(106, END))
    assert scanned(folder, startingTimestamp=1120) == list(range(120, END))
    assert scanned(folder, endingTimestamp=1112) == list(range(106, 112))
    assert kformat.open(folder).to_arrow("offset", since=1120)["offset"].to_pylist() == list(range(120, END))


def test_files_are_shown_as_they_are(folder: Path) -> None:
    """`dump`, `check`, `ls` and `diff`; segments, and rows of Spark's that are none of records."""
    verbs = (["dump", "--deep-iteration", folder / LOG], ["check", folder], ["ls", folder], ["diff", folder, folder])
    before = [run(*verb) for verb in verbs]
    rows = {"rows": "batches", "columns": "base_offset"}
    batches = plan(parse_options({"path": str(folder), **rows}))
    delete(folder, 117)
    assert [run(*verb) for verb in verbs] == before
    assert plan(parse_options({"path": str(folder), **rows})) == batches
    assert len(kformat.open(folder).segments[0].headers()) == 3


def test_a_file_alone_is_a_part_of_its_partition(folder: Path, tmp_path: Path) -> None:
    """As for `find`; but for one that is no part of the log any more, and a copy elsewhere."""
    delete(folder, 106)
    log = folder / LOG
    assert READERS["records"](log, False) == printed("grep", "v", log, "--format", "nl") == [*range(106, 110)]
    assert run("find", log, "--offset", 105)[0] == 1 and run("find", log, "--offset", 106)[0] == 0
    assert scanned(log) == counted(log, False) == [*range(106, 110)]
    copy = tmp_path / LOG
    copy.write_bytes(log.read_bytes())
    gone = log.rename(log.with_name(f"{LOG}.deleted"))
    for path in (copy, gone):
        assert [one.offset for one in kformat.open(path).records()] == [*range(100, 110)]


def test_deletion_while_a_log_is_followed(folder: Path) -> None:
    """What was read already may be deleted; what was not yet is missed, and that is told."""
    chunks = follow_chunks(folder, Wanted(columns=("offset",)), poll_s=0.001, timeout_s=5)
    assert listed([next(chunks)])[0] == FIRST
    for _ in range(2):
        next(chunks)
    delete(folder, END)
    more = {name: data for name, data in log_files([b"v"] * 40, base_offset=END, records_per_batch=40).items()
            if name.endswith(".log")}  # fmt: skip
    write_files(more, folder)
    assert listed([next(chunks)]) == list(range(END, END + 40))
    delete(folder, END + 50)
    with pytest.raises(RecordsDeletedError, match="records were deleted before they were read"):
        next(chunks)


def test_deletion_while_spark_streams(folder: Path) -> None:
    tail = Tail(parse_options({"path": str(folder), "startingOffsets": "earliest"}, is_stream=True))
    start, ends = tail.first(), tail.ends()
    assert (start, ends) == ({"orders-0": FIRST}, {"orders-0": END})
    delete(folder, 117)
    text = "orders-0: records were deleted before they were read: offset 100 was next, the log starts at offset 117"
    with pytest.raises(RecordsDeletedError, match=text):
        tail.tasks(start, ends)
    lost = parse_options(
        {"path": str(folder), "startingOffsets": "earliest", "failOnDataLoss": "false"}, is_stream=True
    )
    splits = itertools.chain.from_iterable(Tail(lost).tasks(start, ends))
    assert [one for split in splits for batch in scan(split, ["offset"], lost.reading)
            for one in batch["offset"].to_pylist()] == list(range(117, END))  # fmt: skip


def test_committed_records_where_a_transaction_is_cut(tmp_path: Path) -> None:
    """The abort of a transaction of which a part is deleted still hides its rest."""
    aborted, committed = ProducerTransaction([b"x"] * 4, end="abort"), ProducerTransaction([b"y"] * 4, producer_id=7)
    records: list[Any] = [b"a", aborted, b"b", committed, b"c"]
    folder = write_files(log_files(records, records_per_batch=2), tmp_path / "root" / "orders-0")
    everything = kformat.open(folder).to_arrow("offset", isolation_level="read_committed")["offset"].to_pylist()
    assert everything == [0, 6, 7, 8, 9, 10, 12]
    for start in range(14):
        delete(folder, start)
        expected = [offset for offset in everything if offset >= start]
        table = kformat.open(folder).to_arrow("offset", isolation_level="read_committed")
        assert table["offset"].to_pylist() == expected == scanned(folder, isolationLevel="read_committed")


# --- stats ---------------------------------------------------------------------------------------------------------


def row_of(path: Path, **how: Any) -> dict[str, Any]:
    (found,) = stats(path, records=True, **how)
    return found.as_dict()


@pytest.mark.parametrize("how", [{}, {"codec": "zstd"}, {"codec": "gzip", "magic": 1}, {"magic": 0}], ids=str)
def test_stats_count_what_a_consumer_may_see(tmp_path: Path, how: dict[str, Any]) -> None:
    values: list[Any] = [{"key": b"%d" % offset, "value": b"v" * (offset % 7)} for offset in ALL]
    if how.get("magic") != 0:
        values = [{**value, "timestamp": 10 * offset} for value, offset in zip(values, ALL, strict=True)]
    files = log_files(values, base_offset=FIRST, records_per_segment=10, records_per_batch=4, **how)
    folder = write_files(files, tmp_path / "root" / "orders-0")
    for start in range(FIRST + 1, END + 1):
        delete(folder, start)
        row, parts = row_of(folder), [part.as_dict() for part in stats(folder, by="segment")]
        assert row["records_count"] == row["records_read_count"] == row["distinct_keys_count"] == END - start
        assert row["first_offset"] == (start if start < END else None)
        assert not row["missing_offsets_count"] and not row["offset_gaps"]
        assert row["size_bytes"] == sum(len(data) for name, data in files.items() if name.endswith(".log"))
        assert row["size_bytes"] - row["deleted_bytes"] == sum(codec["size_bytes"] for codec in row["codecs"])
        if how.get("magic") != 0 and start < END:
            assert (row["first_timestamp"], row["last_timestamp"]) == (10 * start, 10 * (END - 1))
        for name in ("records_count", "batches_count", "deleted_bytes", "size_bytes"):
            assert row[name] == sum(part[name] for part in parts)
    everything = row_of(folder, before_log_start=True)
    (folder.parent / NAME).unlink()
    assert everything == row_of(folder) and not everything["deleted_bytes"]


def test_stats_of_a_log_of_all_kinds(tmp_path: Path) -> None:
    """Compaction's holes, control batches, every codec: the batch that is cut is read."""
    folder = write_files({LOG: a_log()}, tmp_path / "root" / "orders-0")
    partition = kformat.open(folder)
    offsets = [record.offset for record in partition.records()]
    seen = partition.to_arrow("offset")["offset"].to_pylist()
    for start in range(FIRST + 1, offsets[-1] + 2, 7):
        delete(folder, start)
        row = row_of(folder)
        assert row["records_count"] == sum(offset >= start for offset in offsets)
        assert row["records_read_count"] == sum(offset >= start for offset in seen)
        assert row["next_offset"] is None or row["first_offset"] >= start


def test_stats_say_it(folder: Path) -> None:
    delete(folder, 111)
    _, out, _ = run("stats", folder)
    first = kformat.open(folder).segments[0].size_bytes
    assert f"\n  deleted        {first} bytes of deleted records, not counted\n" in out
    assert "\n  offsets        111 to 129, 0 missing (0.0%)\n" in out
    assert "deleted" not in run("stats", folder, "--before-log-start")[1]
