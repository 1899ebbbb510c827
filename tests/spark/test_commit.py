"""The sink without Spark: which partition, which segments, and what a commit does, whenever it dies.

What Spark adds (messages, retries, streams) is shown in tests/spark/test_sink.py, what brokers make of the files in
tests/spark/test_broker.py.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat.check.checker import check
from kformat.errors import BuildError, DataError, InvalidError, RootLockedError, TruncatedError, UsageError
from kformat.kafka.columns.chunks import Scattered
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.files.text_files import TopicOffset, TopicOffsets, build_offsets
from kformat.kafka.index.indexing import index_entries
from kformat.kafka.log.partition import iter_partitions, open_partition
from kformat.kafka.root import open_root
from kformat.spark import commit as commit_module
from kformat.spark import rolling
from kformat.spark.commit import Staged, begin, commit, commit_batch, is_begun, locked, make_folder, remove_folders
from kformat.spark.partitioner import murmur2, partitions_of
from kformat.spark.rolling import write_segments
from kformat.spark.target import Target, parse_target
from tests.draws import at_most
from tests.samples import indexed_batches

RECORD = [("topic", "string"), ("partition", "int"), ("value", "binary")]
HARMLESS = {"KF0004", "KF0005", "KF0006", "KF0008", "KF0010"}
"""What `check` may find: offsets that rows did not have, and what a death left or took that a broker mends."""
HEADER = pa.struct([("key", pa.string()), ("value", pa.binary())])


# --- the producer's choice -----------------------------------------------------------------------------------------


def scattered(keys: Sequence[bytes | None]) -> Scattered:
    lengths = np.array([-1 if key is None else len(key) for key in keys], np.int64)
    positions = np.cumsum(lengths.clip(0)) - lengths.clip(0)
    return Scattered(np.frombuffer(b"".join(filter(None, keys)), np.uint8), positions, lengths)


# UtilsTest.testMurmur2 of Kafka's clients.
HASHES = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


def test_keys_hash_as_in_kafka() -> None:
    assert dict(zip(HASHES, murmur2(scattered(list(HASHES))).astype(np.int32).tolist(), strict=True)) == HASHES


@given(st.lists(st.none() | st.binary(max_size=40), max_size=50), st.integers(1, 9), st.integers(0, 100))
def test_keys_go_where_another_client_sends_them(keys: list[bytes | None], partitions: int, turn: int) -> None:
    default = pytest.importorskip("kafka.partitioner.default")
    found = partitions_of(scattered(keys), len(keys), partitions, turn).tolist()
    for key, partition in zip(keys, found, strict=True):
        if key is not None:
            assert partition == (default.murmur2(key) & 0x7FFFFFFF) % partitions
    alone = [partition for key, partition in zip(keys, found, strict=True) if key is None]
    assert alone == [(turn + number) % partitions for number in range(len(alone))]


# --- what is asked for ---------------------------------------------------------------------------------------------


def test_options(tmp_path: Path) -> None:
    asked = {
        "path": str(tmp_path),
        "SEGMENTBYTES": "16m",
        "indexIntervalBytes": "0",
        "kafka.compression.type": "lz4",
        "compressionLevel": "-3",
        "kafka.batch.size": "1000",
        "recordsPerBatch": "7",
        "numPartitions": "3",
        "topic": "t",
        "kafka.bootstrap.servers": "elsewhere:9092",
        "checkpointLocation": "/c",
    }
    schema = [("value", "string"), ("offset", "bigint"), ("leaderEpoch", "int")]
    assert parse_target(asked, schema, overwrite=True) == Target(
        str(tmp_path), "t", 3, 16 << 20, 0, "lz4", -3, 1000, 7, has_offsets=True, overwrite=True
    )
    plain = parse_target({"path": "file:///nowhere/logs"}, RECORD)
    assert plain == Target("/nowhere/logs")
    assert plain.segment_bytes == 1 << 30 and plain.index_interval_bytes == 4096 and plain.batch_bytes == 16384


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": ""}, "no path was given"),
        ({"path": "memory://logs"}, "only to disks of this machine"),
        ({"path": "hdfs:/logs"}, "only to disks of this machine"),
        ({"indexIntervalBytes": "0"}, "indexes might become larger than Kafka's segment.index.bytes"),
        ({"numPartitions": "99999999999"}, "expected at most 2147483647"),
        ({"path": "/logs/orders-0"}, "the folder above it"),
        ({"path": __file__}, "not a folder"),
        ({"segmentbyte": "1"}, "unknown option 'segmentbyte': did you mean segmentBytes?"),
        ({"segmentBytes": "2g"}, "at most 2147483647"),
        ({"segmentBytes": "0"}, "expected bytes"),
        ({"indexIntervalBytes": "-1"}, "expected bytes, as in 4096"),
        ({"compression": "lzma"}, "there are none, gzip, snappy, lz4, zstd"),
        ({"compression": "lz4", "kafka.compression.type": "zstd"}, "only one of them"),
        ({"compressionLevel": "high"}, "expected a number"),
        ({"recordsPerBatch": "0"}, "expected a number above 0"),
        ({"numPartitions": "many"}, "expected a number above 0"),
        ({"topic": "a/b"}, "not a valid topic name"),
        ({"subscribe": "t"}, "unknown option 'subscribe'"),
    ],
)
def test_options_that_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target({"path": "/logs"} | options, RECORD)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ([("value", "binary")], "neither a column topic nor an option topic"),
        ([("topic", "string")], "no column value"),
        ([*RECORD, ("timestmap", "timestamp")], "column 'timestmap' is none of a record's: did you mean timestamp?"),
        ([*RECORD, ("value", "binary")], "column value is there twice"),
        ([*RECORD, ("offset", "string")], "column offset is string; expected bigint or int"),
        ([*RECORD, ("timestamp", "timestamp_ntz")], "column timestamp is timestamp_ntz; expected timestamp"),
        ([*RECORD, ("headers", "map<string,binary>")], "expected array<struct<key:string,value:binary>>"),
    ],
)
def test_columns_that_are_refused(schema: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target({"path": "/logs"}, schema)
    assert message in str(caught.value)


# --- rows to segments ----------------------------------------------------------------------------------------------


def table(rows: Sequence[Mapping[str, Any]], *names: str) -> pa.RecordBatch:
    kinds = {
        "topic": pa.string(),
        "partition": pa.int32(),
        "offset": pa.int64(),
        "key": pa.binary(),
        "value": pa.binary(),
        "timestamp": pa.timestamp("us", "UTC"),
        "timestampType": pa.int32(),
        "headers": pa.list_(HEADER),
    }
    return pa.RecordBatch.from_pylist(list(rows), pa.schema([(name, kinds[name]) for name in names]))


def target_of(root: Path, **options: Any) -> Target:
    return Target(str(root), **{"batch_bytes": 300, "segment_bytes": 2000, "index_interval_bytes": 400} | options)


def folder_of(root: str | Path, job: str) -> Path:
    begin(str(root), job)
    return make_folder(str(root), job)


def task(target: Target, *batches: pa.RecordBatch, job: str = "job") -> list[Staged]:
    return write_segments(batches, target, folder_of(target.root, job))


def test_a_task_that_nobody_waits_for_finds_no_place(tmp_path: Path) -> None:
    target = target_of(tmp_path, segment_bytes=1 << 20)
    folder = folder_of(tmp_path, "job")

    def batches() -> Iterator[pa.RecordBatch]:
        yield some(0, 10)
        remove_folders(str(tmp_path), "job")

    with pytest.raises(FileNotFoundError):
        write_segments(batches(), target, folder)
    with pytest.raises(FileNotFoundError):
        make_folder(str(tmp_path), "job")
    assert names_in(tmp_path) == set()


Row = tuple[str, int, int, bytes | None, bytes | None, int, int]


def read_back(root: Path) -> list[Row]:
    """All records of a root, which has to be without findings."""
    found = []
    for partition in iter_partitions(root):
        problems = [finding for finding in check(partition.path) if finding.rule not in HARMLESS]
        assert not problems, problems
        for record in partition.records():
            timestamp, kind = record.timestamp, int(record.timestamp_type)
            at = partition.topic, partition.partition, record.offset
            found.append((*at, record.key, record.value, timestamp, kind))
    return found


@st.composite
def written_rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of several partitions, mixed, with offsets that grow in each."""
    ends: dict[tuple[str, int], int] = {}
    rows = []
    for number in range(draw(st.integers(0, 80))):
        key = draw(st.sampled_from([("a", 0), ("a", 1), ("b", 0), ("b-1", 10)]))
        offset = ends.get(key, -1) + draw(st.sampled_from([1, 1, 1, 5, 3_000_000_000]))
        ends[key] = offset
        rows.append(
            {
                "topic": key[0],
                "partition": key[1],
                "offset": offset,
                "key": draw(st.sampled_from([None, b"", b"key"])),
                "value": draw(st.sampled_from([None, b"", b"value", bytes(100), bytes(700)])),
                "timestamp": 1_700_000_000_000_000 + draw(st.sampled_from([0, 1000, 2000])) * number,
                "timestampType": draw(st.sampled_from([0, 0, 0, 1, None])),
            }
        )
    return rows


@given(written_rows(), st.integers(1, 30), st.booleans(), st.integers(0, 3))
@settings(max_examples=at_most(60), deadline=None)
def test_rows_come_back(rows: list[dict[str, Any]], size: int, has_offsets: bool, cut: int) -> None:
    names = [*rows[0]] if rows else ["topic", "partition", "offset", "value"]
    if not has_offsets:
        names.remove("offset")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rolling, "_BLOCK_BYTES", 600)
        patch.setattr(rolling, "MOST_PENDING_BYTES", 1500)
        root = Path(tempfile.gettempdir(), f"kformat-rows-{os.getpid()}")
        shutil.rmtree(root, ignore_errors=True)
        try:
            target = target_of(root, has_offsets=has_offsets)
            pieces = [table(rows[start : start + size], *names) for start in range(0, len(rows), size)]
            at = cut * len(pieces) // 3
            staged = [one for part in (pieces[:at], pieces[at:]) for one in task(target, *part)]
            commit(str(root), staged)
            found = read_back(root)
            ends: dict[tuple[str, int], int] = {}
            expected = []
            for row in rows:
                key = row["topic"], row["partition"]
                offset = row["offset"] if has_offsets else ends.get(key, 0)
                ends[key] = offset + 1
                kind = row["timestampType"] or 0
                expected.append((*key, offset, row["key"], row["value"], row["timestamp"] // 1000, kind))
            assert found == sorted(expected, key=lambda row: row[:3])
            for partition in iter_partitions(root):
                for segment in partition.segments:
                    batches = indexed_batches(segment)
                    made = index_entries(batches, base_offset=segment.base_offset, index_interval_bytes=400)
                    assert segment.index is not None and segment.timeindex is not None
                    assert segment.index.read_bytes() == made.offset_index.tobytes()
                    assert segment.timeindex.read_bytes() == made.time_index.tobytes()
                    assert segment.size_bytes <= 2000 or len(batches) == 1
                    assert int(batches.last_offset[-1]) - segment.base_offset < 2**31
        finally:
            shutil.rmtree(root, ignore_errors=True)


def test_rows_without_a_partition_go_where_a_producer_sends_them(tmp_path: Path) -> None:
    rows = [{"key": key, "value": b"v", "partition": 2 if key == b"x" else None} for key in (b"21", None, b"x", None)]
    commit(str(tmp_path), task(target_of(tmp_path, topic="t", partitions=3), table(rows, "key", "value", "partition")))
    of_21 = (HASHES[b"21"] & 0x7FFFFFFF) % 3
    assert sorted((row[1], row[3]) for row in read_back(tmp_path) if row[3]) == sorted([(of_21, b"21"), (2, b"x")])
    assert sorted(row[1] for row in read_back(tmp_path) if row[3] is None) == [0, 1]
    # A topic that is there has as many partitions as there are folders, also for rows that name none of them.
    again = target_of(tmp_path, topic="t")
    assert again.topic_partitions("t") == 3 and again.topic_partitions("other") == 1
    commit(str(tmp_path), task(again, table([{"value": b"w"}] * 6, "value")))
    assert sorted(row[1] for row in read_back(tmp_path) if row[4] == b"w") == [0, 0, 1, 1, 2, 2]


def test_no_row_comes_behind_the_largest_offset(tmp_path: Path) -> None:
    row = {"topic": "t", "partition": 0, "offset": 2**63 - 3, "value": b"v"}
    commit(str(tmp_path), task(target_of(tmp_path, has_offsets=True), table([row], *row)))
    assigned = target_of(tmp_path, topic="t")
    with pytest.raises(UsageError, match=r"t-0: no offset is left for all rows; the largest .* 9223372036854775806$"):
        commit(str(tmp_path), task(assigned, table([{"value": b"w"}] * 2, "value")))
    commit(str(tmp_path), task(target_of(tmp_path, topic="t"), table([{"value": b"w"}], "value")))
    with pytest.raises(UsageError, match="no offset is left"):
        commit(str(tmp_path), task(target_of(tmp_path, topic="t"), table([{"value": b"w"}], "value")))
    assert [row[2] for row in read_back(tmp_path)] == [2**63 - 3, 2**63 - 2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"topic": None}], "1 rows have none, and no option topic"),
        ([{"topic": "a b"}], "'a b' is not a valid topic name"),
        ([{"partition": -1}], "column partition: -1 is not a partition number"),
        ([{"offset": None}], "column offset: 1 rows have none"),
        ([{"offset": -5}], "column offset: -5 in t-0 is not a valid offset; offsets are from 0 to 9223372036854775806"),
        ([{"offset": 2**63 - 1}], "column offset: 9223372036854775807 in t-0 is not a valid offset"),
        ([{"offset": 5}, {"offset": 5}], "column offset: 5 is there twice in t-0"),
        (
            [{"offset": 5}, {"offset": 4}],
            "4 comes after 5 in t-0; kformat.spark.jobs.write(df, path) sorts rows",
        ),
        ([{"timestampType": 7}], "column timestampType: 7 is none"),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    whole = [{"topic": "t", "partition": 0, "offset": 3, "value": b"v", "timestampType": 0} | row for row in rows]
    with pytest.raises(UsageError) as caught:
        task(target_of(tmp_path, has_offsets=True), table(whole, *whole[0]))
    assert message in str(caught.value)


def test_offsets_up_to_the_last_one_there_can_be(tmp_path: Path) -> None:
    last = 2**63 - 2
    rows = [{"topic": "t", "partition": 0, "offset": offset, "value": b"v"} for offset in (0, last - 5, last)]
    commit(str(tmp_path), task(target_of(tmp_path, has_offsets=True), table(rows, *rows[0])))
    assert [record.offset for record in open_partition(tmp_path / "t-0").records()] == [0, last - 5, last]


def test_rows_that_wait_do_not_keep_others(tmp_path: Path) -> None:
    """One row in a thousand goes to a partition that never has enough for a block."""
    row = {"topic": "t", "partition": 0, "value": bytes(1000)}
    held = []

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(40):
            yield table([row] * 999 + [row | {"partition": 1}], *row)
            held.append(pa.total_allocated_bytes())

    target = target_of(tmp_path, segment_bytes=1 << 30, batch_bytes=16384)
    write_segments(batches(), target, folder_of(tmp_path, "j"))
    assert max(held) < 30 << 20 and len(held) == 40


def test_names_of_topics_as_long_as_they_may_be(tmp_path: Path) -> None:
    topic = "t" * 245
    commit(str(tmp_path), task(target_of(tmp_path, topic=topic), table([{"value": b"v"}], "value")))
    assert [row[0] for row in read_back(tmp_path)] == [topic]


@pytest.mark.parametrize("zone", ["UTC", "GMT+02:00", "PST"])
def test_times_of_a_broker_in_any_zone(tmp_path: Path, zone: str) -> None:
    times = pa.array([500, 1_500, 1_999, None], pa.timestamp("us", zone))
    made = {"value": [b"v"] * 4, "timestamp": times, "timestampType": pa.array([1] * 4, pa.int32())}
    commit(str(tmp_path), task(target_of(tmp_path, topic="t"), pa.RecordBatch.from_pydict(made)))
    assert [row[5:] for row in read_back(tmp_path)[:3]] == [(0, 1), (1, 1), (1, 1)]


def test_tasks_of_few_rows_do_not_all_begin_with_the_same_partition(tmp_path: Path) -> None:
    target = target_of(tmp_path, topic="t", partitions=3)
    for number in range(3):
        made = table([{"value": b"v"}], "value")
        commit(str(tmp_path), write_segments([made], target, folder_of(tmp_path, "j"), first_turn=number))
    assert sorted(row[1] for row in read_back(tmp_path)) == [0, 1, 2]


def test_a_record_that_fits_no_batch_is_told_with_its_partition(tmp_path: Path) -> None:
    rows = [{"topic": "t", "partition": 3, "value": b"v", "headers": [{"key": None, "value": b"v"}]}]
    with pytest.raises(BuildError, match="headers") as caught:
        task(target_of(tmp_path), table(rows, *rows[0]))
    assert caught.value.__notes__ == ["in rows of t-3"]


# --- commits -------------------------------------------------------------------------------------------------------


def some(start: int, count: int, topic: str = "t", partition: int = 0, *, with_offset: bool = True) -> pa.RecordBatch:
    rows = [
        {"topic": topic, "partition": partition, "offset": number, "value": b"%04d" % number + bytes(60)}
        for number in range(start, start + count)
    ]
    names = ("topic", "partition", "offset", "value") if with_offset else ("topic", "partition", "value")
    return table(rows, *names)


def offsets(root: Path, topic: str = "t", partition: int = 0) -> list[int]:
    return [row[2] for row in read_back(root) if row[:2] == (topic, partition)]


def names_in(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_what_is_appended_comes_behind_what_is_there(tmp_path: Path) -> None:
    kept, counted = target_of(tmp_path, has_offsets=True), target_of(tmp_path)
    commit(str(tmp_path), task(kept, some(50, 30)))
    commit(
        str(tmp_path), [*task(counted, some(0, 40, with_offset=False)), *task(counted, some(0, 7, with_offset=False))]
    )
    commit(str(tmp_path), [*task(kept, some(300, 5)), *task(kept, some(200, 5))])
    assert offsets(tmp_path) == [*range(50, 127), *range(200, 205), *range(300, 305)]
    values = [row[4] for row in read_back(tmp_path)][30:77]
    assert [value[:4] for value in values if value] == [b"%04d" % number for number in [*range(40), *range(7)]]
    assert (tmp_path / "t-0/leader-epoch-checkpoint").read_text() == "0\n1\n0 50\n"


def test_batches_go_on_in_the_leader_epoch_of_their_log(tmp_path: Path) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(0, 5)))
    (tmp_path / "t-0/leader-epoch-checkpoint").write_text("0\n2\n0 0\n7 5\n")
    commit(str(tmp_path), task(target, some(5, 5)))
    epochs = [
        batch.partition_leader_epoch
        for segment in open_partition(tmp_path / "t-0").segments
        for batch in segment.scan()
    ]
    assert set(epochs[:1]) == {0} and epochs[-1] == 7
    assert offsets(tmp_path) == [*range(10)]


@pytest.mark.parametrize(
    ("there", "tasks", "message"),
    [
        ((0, 10), [(9, 3)], "ends at offset 10, and rows begin at 9"),
        ((0, 10), [(10, 5), (14, 3)], "offsets 10 to 14 and 14 to 16 were in two tasks; kformat.spark.jobs.write"),
        ((0, 10), [(20, 3), (20, 3)], "were in two tasks"),
    ],
)
def test_offsets_that_do_not_fit_are_refused_before_anything_is_changed(
    tmp_path: Path, there: tuple[int, int], tasks: list[tuple[int, int]], message: str
) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(*there)))
    staged = [one for span in tasks for one in task(target, some(*span), some(span[0], 1, "a" * span[0]))]
    with pytest.raises(UsageError) as caught:
        commit(str(tmp_path), staged)
    assert message in str(caught.value)
    remove_folders(str(tmp_path), "job")
    assert names_in(tmp_path) == {".lock", "t-0"} and offsets(tmp_path) == [*range(*there)]


@pytest.mark.parametrize("index", [b"", b"\0" * 7, b"\0\0\0\x05\0\0\0\x07", b"\0\0\0\x05\xff\xff\xff\xff"])
def test_where_a_log_ends_is_told_by_the_log_and_not_by_its_index(tmp_path: Path, index: bytes) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(0, 20)))
    (log,) = (tmp_path / "t-0").glob("*.log")
    log.with_suffix(".index").write_bytes(index)
    commit(str(tmp_path), task(target_of(tmp_path), some(0, 5, with_offset=False)))
    log.with_suffix(".index").unlink()
    assert [record.offset for record in open_partition(tmp_path / "t-0").records()] == [*range(25)]


def test_nothing_is_put_behind_what_a_broker_would_cut(tmp_path: Path) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(0, 10)))
    (log,) = (tmp_path / "t-0").glob("*.log")
    os.truncate(log, log.stat().st_size - 1)
    with pytest.raises(TruncatedError, match=r"0\.log"):
        commit(str(tmp_path), task(target, some(10, 10)))


def test_an_empty_segment_is_replaced_by_what_begins_there(tmp_path: Path) -> None:
    """As a broker leaves one for a new topic, and behind what retention took."""
    (tmp_path / "t-0").mkdir()
    for suffix, size in (("log", 0), ("index", 10 << 20), ("timeindex", 10 << 20)):
        (tmp_path / f"t-0/{70:020d}.{suffix}").touch()
        os.truncate(tmp_path / f"t-0/{70:020d}.{suffix}", size)
    commit(str(tmp_path), task(target_of(tmp_path), some(0, 30, with_offset=False)))
    assert offsets(tmp_path) == [*range(70, 100)]
    assert (tmp_path / f"t-0/{70:020d}.index").stat().st_size < 100


def _hold(root: str, held: Any, done: Any) -> None:
    with locked(root):
        held.set()
        done.wait(30)


def test_a_root_that_somebody_has_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit_module, "_LOCK_SECONDS", 0.2)
    context = multiprocessing.get_context("spawn")
    held, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(tmp_path), held, done))
    other.start()
    try:
        assert held.wait(30)
        staged = task(target_of(tmp_path), some(0, 5, with_offset=False))
        with pytest.raises(RootLockedError, match="locked by another process, a broker or"), locked(str(tmp_path), 0.2):
            pass
        done.set()
        commit(str(tmp_path), staged)  # which waits for another one to end
    finally:
        done.set()
        other.join(30)
    assert offsets(tmp_path) == [*range(5)]


def test_what_cannot_be_exchanged_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(0, 10)))
    staged, rename = task(target, some(5, 60)), Path.rename

    def full(path: Path, to: Path) -> Path:
        if "new" in path.parts:
            raise OSError(28, "No space left on device")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space"):
        commit(str(tmp_path), staged, overwrite=True)
    remove_folders(str(tmp_path), "job")
    assert names_in(tmp_path) == {".lock", "t-0"} and offsets(tmp_path) == [*range(10)]


def test_a_damaged_end_is_refused(tmp_path: Path) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(0, 10)))
    (log,) = (tmp_path / "t-0").glob("*.log")
    data = bytearray(log.read_bytes())
    data[-3] ^= 1
    log.write_bytes(data)
    with pytest.raises(DataError, match="crc"):
        commit(str(tmp_path), task(target, some(10, 10)))


def test_only_the_partitions_that_rows_go_to_are_overwritten(tmp_path: Path) -> None:
    target = target_of(tmp_path, has_offsets=True)
    commit(str(tmp_path), task(target, some(100, 30), some(0, 5, "other")))
    (tmp_path / "t-0/partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg\n")
    (tmp_path / "t-0/00000000000000000090.snapshot").write_bytes(b"")
    told = TopicOffsets((TopicOffset("t", 0, 120), TopicOffset("other", 0, 3)))
    for name in ("log-start-offset-checkpoint", "recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
        (tmp_path / name).write_bytes(build_offsets(told))
    commit(str(tmp_path), task(target, some(0, 10)), overwrite=True)
    remove_folders(str(tmp_path), "job")
    assert offsets(tmp_path) == [*range(10)] and offsets(tmp_path, "other") == [3, 4]
    assert sorted(names_in(tmp_path / "t-0")) == [
        *(f"{0:020d}.{suffix}" for suffix in ("index", "log", "timeindex")),
        "leader-epoch-checkpoint",
        "partition.metadata",
    ]
    assert {name for name in names_in(tmp_path) if parse_folder_name(name)} == {"t-0", "other-0"}
    assert open_root(tmp_path).offsets("log-start-offset-checkpoint") == {("other", 0): 3}
    assert open_partition(tmp_path / "t-0").topic_id == "AAAAAAAAAAAAAAAAAAAAAg"


class DeadError(BaseException):
    """The driver is no more."""


def deaths(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Have the process die in front of a step: moving, making, removing, writing down."""
    steps = iter(range(1_000))

    def dying(function: Any) -> Any:
        def called(*arguments: Any, **named: Any) -> Any:
            if next(steps) == number:
                raise DeadError
            return function(*arguments, **named)

        return called

    for name in ("replace", "rename", "mkdir", "chown"):
        monkeypatch.setattr(os, name, dying(getattr(os, name)))
    monkeypatch.setattr(shutil, "rmtree", dying(shutil.rmtree))


def steps_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Any) -> Iterator[tuple[Path, bool]]:
    """A root for each step at which work may die, after it died there; the last one is where it did not."""
    for number in range(1_000):
        root = tmp_path / str(number)
        root.mkdir()
        prepared = work(root)
        is_dead = False
        with monkeypatch.context() as patch:
            deaths(patch, number)
            try:
                prepared()
            except DeadError:
                is_dead = True
        yield root, is_dead
        shutil.rmtree(root)
        if not is_dead:
            assert number > 5
            return


def test_a_driver_that_dies_leaves_a_log_with_fewer_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(root: Path) -> Any:
        target = target_of(root, has_offsets=True)
        commit(str(root), task(target, some(0, 10)))
        (root / "u-0").mkdir()
        for suffix in ("log", "index", "timeindex"):  # of a topic that was just made
            (root / f"u-0/{0:020d}.{suffix}").touch()
        staged = [*task(target, some(60, 80)), *task(target, some(10, 50), some(0, 40, "u"))]
        return lambda: commit(str(root), staged)

    ends = set()
    for root, is_dead in steps_of(tmp_path, monkeypatch, work):
        found = offsets(root)
        assert found == [*range(len(found))] and len(found) >= 10
        others = offsets(root, "u")
        assert others == [*range(len(others))]
        ends.add(len(found))
        assert is_dead or (len(found), len(others)) == (140, 40)
    assert len(ends) > 3


def test_a_driver_that_dies_overwriting_leaves_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(root: Path) -> Any:
        target = target_of(root, has_offsets=True)
        commit(str(root), task(target, some(0, 10)))
        staged = task(target, some(5, 60))
        return lambda: commit(str(root), staged, overwrite=True)

    for root, is_dead in steps_of(tmp_path, monkeypatch, work):
        kept = [path for path in root.iterdir() if path.name.endswith("-stray")]
        if not (root / "t-0").exists():
            assert is_dead and len(kept) == 1  # between two renames: the old one is whole, and a broker leaves it alone
            kept[0].rename(root / "t-0")
        assert offsets(root) in ([*range(10)], [*range(5, 65)])
        assert is_dead or (offsets(root) == [*range(5, 65)] and not kept)


# --- streams -------------------------------------------------------------------------------------------------------

QUERY = "5a7d4c66-1111-2222-3333-444455556666"


def test_a_batch_of_a_stream_is_committed_once(tmp_path: Path) -> None:
    target = target_of(tmp_path)
    for batch, count in ((0, 30), (0, 30), (1, 5), (1, 5), (0, 30)):
        rows = some(0, count, with_offset=False)
        commit_batch(str(tmp_path), QUERY, batch, task(target, rows, job=QUERY))
        assert is_begun(str(tmp_path), QUERY, max(batch, 1 if len(offsets(tmp_path)) > 30 else 0))
    assert offsets(tmp_path) == [*range(35)]
    other = QUERY.replace("5", "6")
    commit_batch(str(tmp_path), other, 0, task(target, some(0, 5, with_offset=False), job=other))
    assert offsets(tmp_path) == [*range(40)]
    assert names_in(tmp_path) == {".lock", "t-0", f".kformat-{QUERY}.json", f".kformat-{other}.json"}


def test_a_batch_whose_commit_died_is_finished_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(root: Path) -> Any:
        target = target_of(root)
        commit_batch(str(root), QUERY, 0, task(target, some(0, 10, with_offset=False), job=QUERY))
        staged = [
            *task(target, some(0, 50, with_offset=False), job=QUERY),
            *task(target, some(0, 40, "u", 0), job=QUERY),
        ]
        return lambda: commit_batch(str(root), QUERY, 1, staged)

    for root, _ in steps_of(tmp_path, monkeypatch, work):
        if not is_begun(str(root), QUERY, 1):
            remove_folders(str(root), QUERY)  # as the abort does
        target = target_of(root)  # the query is started again, and the batch comes again
        staged = [
            *task(target, some(0, 50, with_offset=False), job=QUERY),
            *task(target, some(0, 40, "u", 0), job=QUERY),
        ]
        commit_batch(str(root), QUERY, 1, staged)
        assert offsets(root) == [*range(60)] and offsets(root, "u") == [*range(40)]
        assert not [name for name in names_in(root) if name.endswith("-delete")]


def dying(monkeypatch: pytest.MonkeyPatch, moves: int, work: Any) -> None:
    """Have the driver die when it has moved so many segments, with nobody to clear up."""
    carry, done = commit_module._carry, list[Any]()

    def counted(root: str, move: Any, suffixes: Sequence[str]) -> None:
        if len(done) == moves:
            raise DeadError
        done.append(move)
        carry(root, move, suffixes)

    with monkeypatch.context() as patch:
        patch.setattr(commit_module, "_carry", counted)
        with pytest.raises(DeadError):
            work()


def test_what_others_wrote_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch's driver dies before, or while, its segments are moved; then another job writes to the log."""
    target = target_of(tmp_path)
    for moves in (0, 1):
        root = tmp_path / str(moves)
        target = target_of(root)
        staged = task(target, some(0, 60, with_offset=False), job=QUERY)
        assert len(staged) > 2
        dying(monkeypatch, moves, lambda root=root, staged=staged: commit_batch(str(root), QUERY, 0, staged))
        commit(str(root), task(target, some(500, 5, with_offset=False), job="other"))
        commit_batch(str(root), QUERY, 0, task(target, some(0, 60, with_offset=False), job=QUERY))
        found = [int((row[4] or b"")[:4]) for row in read_back(root)]
        expected = [*range(500, 505), *range(60)] if moves == 0 else [*range(60), *range(500, 505)]
        assert found == expected and offsets(root) == [*range(65)]


def test_a_batch_that_cannot_be_finished_is_told_to_its_own_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = target_of(tmp_path)
    staged = task(target, some(0, 60, with_offset=False), job=QUERY)
    dying(monkeypatch, 1, lambda: commit_batch(str(tmp_path), QUERY, 0, staged))
    remove_folders(str(tmp_path), QUERY)  # as a broker that starts there does
    again = task(target, some(0, 60, with_offset=False), job=QUERY)
    with pytest.raises(InvalidError, match="was moved in part, and the rest is gone"):
        commit_batch(str(tmp_path), QUERY, 0, again)
    there = len(offsets(tmp_path))
    commit(str(tmp_path), task(target, some(0, 5, with_offset=False), job="other"))
    assert offsets(tmp_path) == [*range(there + 5)]


def test_a_segment_that_a_broker_took_away_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_of(tmp_path)
    staged = task(target, some(0, 10, with_offset=False), job=QUERY)
    dying(monkeypatch, 0, lambda: commit_batch(str(tmp_path), QUERY, 0, staged))
    remove_folders(str(tmp_path), QUERY)
    commit_batch(str(tmp_path), QUERY, 0, task(target, some(0, 10, with_offset=False), job=QUERY))
    assert offsets(tmp_path) == [*range(10)]
    (tmp_path / f".kformat-{QUERY}.json").write_text('{"batch": ')
    with pytest.raises(DataError, match="a stream's commit file cannot be read"):
        commit_batch(str(tmp_path), QUERY, 0, [])


# --- a root whose owner is hostile ---------------------------------------------------------------------------------


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file next to the root that nothing may change, and a folder that nothing may come into."""
    victim, folder = tmp_path / "victim", tmp_path / "elsewhere"
    victim.write_bytes(b"precious")
    folder.mkdir()
    (tmp_path / "root").mkdir()
    yield victim
    assert victim.read_bytes() == b"precious" and not list(folder.iterdir())


@pytest.mark.parametrize("name", ["t-0/leader-epoch-checkpoint.tmp", "recovery-point-offset-checkpoint.tmp"])
def test_nothing_is_written_through_links_of_the_root(tmp_path: Path, victim: Path, name: str) -> None:
    root = tmp_path / "root"
    (root / "t-0").mkdir()
    (root / "recovery-point-offset-checkpoint").write_bytes(build_offsets(TopicOffsets((TopicOffset("t", 0, 5),))))
    (root / name).symlink_to(victim)
    commit(str(root), task(target_of(root), some(0, 10, with_offset=False)), overwrite="recovery" in name)
    assert offsets(root) == [*range(10)] and not (root / name).exists()


@pytest.mark.parametrize("name", ["t-0", "kformat-0.job-delete"])
def test_no_folder_of_the_root_is_a_link(tmp_path: Path, victim: Path, name: str) -> None:
    root = tmp_path / "root"
    (root / name).symlink_to(victim.with_name("elsewhere"))
    with pytest.raises(UsageError, match=f"{name} is a link to .*elsewhere, which the lock of this root does not"):
        commit(str(root), task(target_of(root), some(0, 10, with_offset=False)))


def test_segments_of_tasks_are_not_changed_through_links(tmp_path: Path, victim: Path) -> None:
    """Their numbers are put in, and they are given to the root's owner, when somebody else may have been there."""
    root = tmp_path / "root"
    commit(str(root), task(target_of(root), some(0, 10, with_offset=False)))
    staged = task(target_of(root), some(0, 10, with_offset=False))
    shutil.copy(f"{staged[0].path}-log", victim)
    there = victim.read_bytes()
    for make in (Path.symlink_to, Path.hardlink_to):
        Path(f"{staged[0].path}-log").unlink()
        make(Path(f"{staged[0].path}-log"), victim)
        with pytest.raises(OSError, match=r"Is a link|Has a second name"):
            commit(str(root), staged)
    assert victim.read_bytes() == there
    victim.write_bytes(b"precious")


def test_owners_are_given_to_what_was_made_alone(tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`chown` by path gave away what a link points at."""
    root, given = tmp_path / "root", list[int]()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append(os.stat(path).st_ino))
    monkeypatch.setattr(os, "fchown", lambda descriptor, user, group: given.append(os.fstat(descriptor).st_ino))
    (root / ".lock").symlink_to(victim)
    with pytest.raises(RootLockedError, match=r"\.lock is a link or not a file"):
        commit(str(root), task(target_of(root), some(0, 10, with_offset=False)))
    assert victim.stat().st_ino not in given


def test_the_id_of_an_overwritten_topic_is_not_read_through_a_link(tmp_path: Path, victim: Path) -> None:
    """The copy belonged to the owner of the root, whoever owned the file."""
    root = tmp_path / "root"
    (root / "t-0").mkdir()
    (root / "t-0" / "partition.metadata").symlink_to(victim)
    with pytest.raises(OSError, match="Is a link"):
        commit(str(root), task(target_of(root), some(0, 10, with_offset=False)), overwrite=True)
    assert not [path for path in root.rglob("*") if path.is_file() and path.read_bytes() == b"precious"][1:]


NOTES: dict[str, tuple[str, str]] = {
    "elsewhere": ("{root}/../elsewhere/0-0", "{root}/../elsewhere"),
    "from elsewhere": ("{root}/../staged/1/0-0", "{root}/t-0"),
    "relative": ("../staged/1/0-0", "t-0"),
    "below": ("kformat-0.{query}-delete/../t-0", "../elsewhere"),
    "to elsewhere": ("kformat-0.{query}-delete/1/0-0", "../elsewhere"),
    "another query's": ("kformat-0.other-delete/1/0-0", "t-0"),
    "through a link": ("kformat-0.{query}-delete/link/0-0", "t-0"),
    "to a link": ("kformat-0.{query}-delete/1/0-0", "link-0"),
    "no partition": ("kformat-0.{query}-delete/1/0-0", "elsewhere"),
}


@pytest.mark.parametrize("note", NOTES)
def test_a_planted_note_is_not_believed(tmp_path: Path, victim: Path, note: str) -> None:
    """It says that two segments are to be moved, of which one was: so the other one was moved, wherever to."""
    root, staging = tmp_path / "root", tmp_path / "root" / f"kformat-0.{QUERY}-delete"
    for folder in (tmp_path / "staged" / "1", staging / "1", root / "t-0", root / "kformat-0.other-delete" / "1"):
        folder.mkdir(parents=True)
        for name in ("0-0-log", "0-0-index", "0-0-timeindex"):
            (folder / name).write_bytes(b"precious")
    (staging / "link").symlink_to(tmp_path / "staged" / "1")
    (root / "link-0").symlink_to(tmp_path / "elsewhere")
    (root / "t-1").mkdir()
    (root / "t-1" / f"{0:020d}.log").write_bytes(b"12345678")
    done = [f"{staging}/1/9-9", f"{root}/t-1"] if NOTES[note][0][0] == "{" else [f"{staging.name}/1/9-9", "t-1"]
    planted = [one.format(root=root, query=QUERY) for one in NOTES[note]]
    moves = [[*done, 0, 8], [*planted, 0, 8]]
    (root / f".kformat-{QUERY}.json").write_text(json.dumps({"batch": 1, "is_done": False, "moves": moves}))
    there = {path for path in tmp_path.rglob("*") if path.name != ".lock"}
    commit(str(root), [])
    with pytest.raises(InvalidError, match="a stream's commit file cannot be read"):
        commit_batch(str(root), QUERY, 1, [])
    assert {path for path in tmp_path.rglob("*") if path.name != ".lock"} == there


@pytest.mark.parametrize("make", [lambda path, victim: path.symlink_to(victim), lambda path, victim: os.mkfifo(path)])
def test_a_note_that_is_no_file_is_not_read(tmp_path: Path, victim: Path, make: Any) -> None:
    make(tmp_path / "root" / f".kformat-{QUERY}.json", victim)
    with pytest.raises(InvalidError, match=r"Is a link|Not a regular file"):
        commit_batch(str(tmp_path / "root"), QUERY, 1, [])
