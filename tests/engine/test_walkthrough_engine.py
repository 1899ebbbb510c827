"""The worked examples W1 to W19 on the engine itself: what it writes and finds comes out with their figures, exactly.

The page (docs/walkthrough.md) shows most of them with kformat's readers. Where it has a folder in
`samples/walkthrough`, the engine is given that folder's batches, one append each, and its three files have to be the
same bytes again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import kformat
from kformat.integers import MAX_INT32
from kformat.kafka.batch.writing import Columns, divided
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.index.indexing import max_entry_count
from kformat.kafka.log.log_reader import LogReader
from kformat.language.layout import layout
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.file_records import LogPosition
from kformat_engine.index import OffsetIndex
from kformat_engine.manager import place_of
from kformat_engine.segment import LogSegment, RollReason
from tests.engine import lines
from tests.engine.building import batch, sized
from tests.engine.logs import NOW_MS, Stage, bases
from tests.judges import dump_many, releases
from tests.judges.required import require
from tests.samples import ROOT

SAMPLES: Final = ROOT / "walkthrough"
DAY: Final = 1526384718000
SMALLEST_BATCH_BYTES: Final = 68  # one record without key and value
WEEK_MS: Final = 168 * 60 * 60 * 1000
SET_BASE_OFFSET: Final = layout("record_batch").writer("base_offset")
INTERVAL_BYTES: Final = {  # of the walk-through's folders, as samples/walkthrough.py has it
    "lookup-0": 150,
    "sparse-0": 799,
    "dense-0": 300,
    "late-0": 200,
    "segments-0": 100,
}


def files(folder: Path) -> dict[str, bytes]:
    """The segments' files of a folder."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".log", ".index", ".timeindex")
    }


def played(stage: Stage, name: str) -> Log:
    """A folder of the walk-through's samples through the engine: each batch one append, as a follower does it."""
    log = stage.open(path=stage.root / name, index_interval_bytes=INTERVAL_BYTES[name])
    for number, one in enumerate(kformat.open(SAMPLES / name).segments):
        if number:
            assert log.roll() == one.base_offset
        elif one.base_offset:
            log.truncate_fully_and_start_at(one.base_offset)
        for stored in kformat.iter_batches(one.log):
            log.append_batches(stored.raw, assign_offsets=False)
    return log


def segments(log: Log) -> Iterator[LogSegment]:
    """The segments' files once more, beside the log, with their indexes cut to what they hold."""
    log.close()
    for base_offset in bases_of(log.path):
        one = LogSegment.open(log.path, base_offset, log.config, already_exists=True)
        yield one
        one.release()


def bases_of(folder: Path) -> list[int]:
    return [one.base_offset for one in kformat.open(folder).segments]


def sizes(folder: Path) -> dict[str, int]:
    """The indexes and their lengths."""
    return {path.name: path.stat().st_size for path in sorted(folder.glob("*index"))}


@pytest.mark.parametrize("name", INTERVAL_BYTES)
def test_the_samples_come_out_byte_for_byte(name: str, stage: Stage) -> None:
    log = played(stage, name)
    log.close()
    assert files(log.path) == files(SAMPLES / name)


# Files and sizes


@pytest.mark.parametrize(("size_bytes", "offset_bytes", "time_bytes"), [(67, 64, 60), (300, 296, 300)])
def test_w1_w2_sizes_are_rounded_down_to_whole_entries(
    size_bytes: int, offset_bytes: int, time_bytes: int, stage: Stage
) -> None:
    log = stage.open(config=LogConfig.from_properties({"log.index.size.max.bytes": str(size_bytes)}))
    log.append([b"value"])
    assert sizes(log.path) == {file_name(0, "index"): offset_bytes, file_name(0, "timeindex"): time_bytes}


def test_w8_an_entry_is_a_relative_offset_and_a_position_of_four_bytes_each(tmp_path: Path) -> None:
    path = tmp_path / file_name(1000, "index")
    index = OffsetIndex(path, 1000, 80)
    index.append(1005, 5000)
    assert index.lookup(1005) == (0, 1005, 5000)
    index.close()
    assert path.read_bytes().hex(" ", 4) == "00000005 00001388"
    (entry,) = kformat.parse("offset_index", path.read_bytes()).entries
    assert (entry.relative_offset, entry.position) == (5, 5000)


def test_w9_files_are_called_after_the_base_offset_in_20_digits(stage: Stage) -> None:
    log = stage.open()
    log.append([b"value"])
    assert stage.names("log", "index") == [
        "00000000000000000000.index",
        "00000000000000000000.log",
        "00000000000000000000.timeindex",
    ]


def test_w10_indexes_are_preallocated_while_active_and_trimmed_when_not(stage: Stage) -> None:
    offset_count, time_count = 30679, 28616
    times = [min(number, time_count) for number in range(offset_count + 1)]
    empty = [None] * len(times)
    data = b"".join(one for _, one in divided(Columns(times, empty, empty), SMALLEST_BATCH_BYTES))
    log = stage.open(index_interval_bytes=0)
    log.append_batches(data, assign_offsets=False)
    assert sizes(log.path) == {file_name(0, "index"): 10485760, file_name(0, "timeindex"): 10485756}
    log.roll()
    log.append([b"value"])
    rolled = {file_name(0, "index"): 245432, file_name(0, "timeindex"): 343392}
    behind = offset_count + 1
    active = {file_name(behind, "index"): 10485760, file_name(behind, "timeindex"): 10485756}
    assert sizes(log.path) == rolled | active
    assert (rolled[file_name(0, "index")], rolled[file_name(0, "timeindex")]) == (offset_count * 8, time_count * 12)
    log.close()
    assert sizes(log.path) == rolled | {file_name(behind, "index"): 0, file_name(behind, "timeindex"): 12}


def test_w11_a_segment_has_as_many_entries_as_the_bound_says(stage: Stage) -> None:
    """A megabyte of the worst case: batches that are one byte longer than the interval, and a smallest one behind."""
    assert max_entry_count(1 << 30) == (2**30 - 68) // 4097 == 262079
    segment_bytes, interval_bytes = 1 << 20, 4096
    bound = max_entry_count(segment_bytes)
    assert bound == (segment_bytes - SMALLEST_BATCH_BYTES) // (interval_bytes + 1) == 255
    log = stage.open(segment_bytes=segment_bytes, index_interval_bytes=interval_bytes)
    for offset in range(bound):
        log.append_batches(sized(offset, interval_bytes + 1), assign_offsets=False)
    log.append_batches(sized(bound, SMALLEST_BATCH_BYTES), assign_offsets=False)
    (only,) = log.segments
    assert only.offset_entry_count == bound


# Finding an offset


def test_w3_an_offset_is_found_by_the_floor_entry_and_a_scan(stage: Stage) -> None:
    log = played(stage, "lookup-0")
    assert log.read(23).position == 838
    (one,) = segments(log)
    entries = [(int(entry["relative_offset"]), int(entry["position"])) for entry in one.offset_entries()]
    assert entries == [(6, 156), (14, 459), (22, 656), (26, 838), (31, 1050)]
    assert one.offset_index.lookup(23) == (2, 22, 656)
    assert one.translate_offset(23) == LogPosition(26, 838, 110), "the second batch from position 656 on"


def test_w5_first_the_segment_then_its_index(stage: Stage) -> None:
    log = played(stage, "segments-0")
    assert bases(log) == [0, 251, 500]
    found = log.read(268)
    assert (found.base_offset, found.position, 268 - found.base_offset) == (251, 390, 17)
    assert next(found.records()).offset == 268
    _, middle, _ = segments(log)
    assert middle.offset_index.lookup(268) == (1, 265, 260)


@pytest.mark.parametrize(
    ("name", "offset", "entry", "position"),
    [("sparse-0", 500, (400, 800), 1100), ("dense-0", 23, (20, 320), 500)],
)
def test_w6_w7_two_more_floors(name: str, offset: int, entry: tuple[int, int], position: int, stage: Stage) -> None:
    log = played(stage, name)
    assert log.read(offset).position == position
    (one,) = segments(log)
    assert one.offset_index.lookup(offset) == (0, *entry)


# Finding a time


def test_w4_a_time_is_found_by_time_index_offset_index_and_scan(stage: Stage) -> None:
    log = played(stage, "lookup-0")
    assert log.offset_for_timestamp(1526384718288) == (1526384718290, 33, 0)
    explained = [str(step) for step in log.offset_for_timestamp(1526384718288, explain=True).steps]
    assert any("floor entry [1526384718283, 28]" in step for step in explained)
    assert any("floor entry [26, 838]" in step for step in explained)
    assert any("from position 838" in step for step in explained)
    (one,) = segments(log)
    assert one.time_index.lookup(1526384718288) == (4, 1526384718283, 28)
    assert one.offset_index.lookup(28) == (3, 26, 838)


def test_w12_times_that_do_not_grow_have_no_entry(stage: Stage) -> None:
    log = stage.open(index_interval_bytes=4096)
    for offset, timestamp in ((0, 1000), (10, 3000), (20, 2000), (30, 2500)):
        data = sized(offset + 9, 5000, timestamps=timestamp)
        log.append_batches(data, assign_offsets=False)
    (one,) = segments(log)
    assert one.offset_entries().tolist() == [(19, 5000), (29, 10000), (39, 15000)]
    assert one.time_entries().tolist() == [(3000, 19)]


def test_w14_the_segment_is_the_first_that_is_new_enough(stage: Stage) -> None:
    log = played(stage, "segments-0")
    assert [one.largest_timestamp for one in log.segments] == [1526384718250, 1526384719248, 1526384720099]
    assert log.offset_for_timestamp(1526384719050) == (1526384719050, 301, 0)
    steps = [str(step) for step in log.offset_for_timestamp(1526384719050, explain=True).steps]
    assert steps[0].endswith("largest timestamp 1526384718250 < 1526384719050: passed over")
    assert steps[1].endswith("largest timestamp 1526384719248, not below 1526384719050: search here")


def test_w14_without_a_time_it_is_when_the_file_was_modified(stage: Stage) -> None:
    """With a last entry of 0 it is 0, and not the file's time, as it were if it had to be above 0."""
    log = stage.open(index_interval_bytes=0)
    for timestamp in (-1, 0):
        log.append_batches(batch(log.end_offset, b"value", timestamps=timestamp), assign_offsets=False)
        log.append_batches(batch(log.end_offset, b"value", timestamps=timestamp), assign_offsets=False)
        log.roll()
    untimed, at_zero, _ = log.segments
    os.utime(untimed.path, (1526384800, 1526384800))
    assert log.segments[0].largest_timestamp == 1526384800000
    assert at_zero.largest_timestamp == 0


def test_w15_the_first_in_log_order_that_is_not_older(stage: Stage) -> None:
    log = played(stage, "late-0")
    assert log.offset_for_timestamp(1526384718301) == (1526384718400, 3, 0)
    assert log.offset_for_timestamp(1526384718101) == (1526384718300, 1, 0)


def test_w15_log_append_time_goes_by_the_brokers_clock(stage: Stage) -> None:
    log = stage.open(message_timestamp_type="LogAppendTime")
    for timestamp in (100, 300, 200, 400, 150, 350, 500):
        log.append([{"value": b"value", "timestamp": DAY + timestamp}])
        stage.sleep(10)
    assert [record.timestamp for record in log] == [NOW_MS + 10 * number for number in range(7)]
    assert log.offset_for_timestamp(NOW_MS + 31) == (NOW_MS + 40, 4, 0)


# W13: when a segment rolls


@pytest.mark.parametrize(("segment_bytes", "expected"), [(2000, [0, 2]), (1999, [0, 1, 2])])
def test_w13_it_rolls_before_it_would_be_larger_than_segment_bytes(
    segment_bytes: int, expected: list[int], stage: Stage
) -> None:
    log = stage.open(segment_bytes=segment_bytes)
    for offset in range(3):
        log.append_batches(sized(offset, 1000), assign_offsets=False)
    assert bases(log) == expected


def test_w13_it_rolls_by_the_timestamps_and_not_by_the_clock(stage: Stage) -> None:
    config = LogConfig.from_properties({"log.roll.ms": "1000", "log.roll.hours": "1"})
    assert (config.segment_ms, LogConfig().segment_ms) == (1000, WEEK_MS)
    log = stage.open(config=config)
    for timestamp in (500, 1499, 1500):  # of the first batch: the largest
        log.append([{"value": b"value", "timestamp": timestamp}, {"value": b"value", "timestamp": 7}])
    stage.sleep(10 * WEEK_MS)
    log.append([{"value": b"value", "timestamp": 1500}])
    assert bases(log) == [0], "1500 is not more than 1000 later than 500, whatever the clock says"
    log.append([{"value": b"value", "timestamp": 1501}])
    assert bases(log) == [0, 7]


def test_w13_it_rolls_when_an_index_is_full(stage: Stage) -> None:
    """67 bytes are 8 entries of the offset index, and 5 of the time index, which counts as full with one slot left."""
    for path, step_ms, entry_counts in (("rising-0", 1, (4, 4)), ("level-0", 0, (8, 1))):
        log = stage.open(path=stage.root / path, segment_index_bytes=67, index_interval_bytes=0)
        while len(log.segments) == 1:
            log.append([{"value": b"value", "timestamp": NOW_MS + step_ms * log.end_offset}])
        rolled = log.segments[0]
        assert (rolled.offset_entry_count, rolled.time_entry_count) == entry_counts
        assert rolled.end_offset == entry_counts[0] + 1, "the first batch has no entry, each later one has"


def test_w13_it_rolls_when_a_relative_offset_would_not_fit(stage: Stage) -> None:
    log = stage.open()
    for offset in (0, MAX_INT32, MAX_INT32 + 1):
        log.append_batches(batch(offset), assign_offsets=False)
    assert bases(log) == [0, 2147483648]
    assert [one.end_offset for one in log.segments] == [2147483648, 2147483649]


def test_w13_each_reason_has_its_name(tmp_path: Path) -> None:
    one = LogSegment.open(tmp_path, 0, LogConfig(segment_bytes=1000, segment_ms=1000))
    one.append(batch(0, timestamps=500), [])
    assert one.roll_reason(0, 0, 1001) is RollReason.SIZE
    assert one.roll_reason(0, 0, 1000) is None
    assert one.roll_reason(0, MAX_INT32 + 1, 0) is RollReason.OFFSET_OVERFLOW
    one.release()


# W18: directories


def test_w18_partitions_are_counted_and_not_bytes(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    with LogManager.open([many, few]) as manager:
        for number in range(2):
            manager.create_partition("small", number, directory=many)
        manager.create_partition("large", 0, directory=few).append([b"v" * 100_000])
        assert place_of([many, few], "orders", 0, create=True).parent == few
        made = [manager.create_partition("orders", number).path.parent for number in range(3)]
    assert made == [few, many, few], "of two that have as many the first"


# W19: retention and compaction

HOUR_MS: Final = 3_600_000


@pytest.mark.parametrize(
    ("settings", "log_start_offset", "gone"),
    [
        ({}, 0, []),
        ({"retention_ms": 2 * HOUR_MS}, 0, [0]),
        ({"retention_ms": 2 * HOUR_MS - 1}, 0, [0, 1]),
        ({"retention_bytes": 1000}, 0, [0, 1]),
        ({"retention_bytes": 1001}, 0, [0]),
        ({"cleanup_policy": ("compact",), "retention_ms": 1, "retention_bytes": 0}, 0, []),
        ({"cleanup_policy": ("compact",)}, 2, [0, 1]),
        ({"cleanup_policy": ("compact", "delete"), "retention_bytes": 1000}, 0, [0, 1]),
    ],
)
def test_w19_retention_has_three_reasons(
    settings: dict[str, Any], log_start_offset: int, gone: list[int], stage: Stage
) -> None:
    log = stage.open(segment_bytes=1000, **settings)
    for hours in (3, 2, 1):
        data = sized(log.end_offset, 1000, timestamps=NOW_MS - hours * HOUR_MS)
        log.append_batches(data, assign_offsets=False)
    log.delete_records_before(log_start_offset)
    log.retain()
    assert bases(log) == [base_offset for base_offset in range(3) if base_offset not in gone]


def test_w19_compaction_keeps_the_last_record_of_each_key(stage: Stage) -> None:
    """The page's log: what is active is not looked at, a tombstone stays for an hour after a first compaction."""
    log = stage.open(cleanup_policy=("compact",), delete_retention_ms=HOUR_MS)
    for records in ([(b"ann", b"1"), (b"bob", b"2"), (b"ann", b"3")], [(b"bob", None), (b"cat", b"4")]):
        log.append(records)
        log.roll()
    log.append([(b"ann", b"5")])
    assert log.compact() is not None
    assert [(one.offset, one.key) for one in log] == [(2, b"ann"), (3, b"bob"), (4, b"cat"), (5, b"ann")]
    assert bases(log) == [0, 5]
    stage.sleep(HOUR_MS - 1)
    log.roll()
    assert log.compact() is None and log.compact(force=True) is not None
    assert [one.offset for one in log] == [3, 4, 5], "the hour is not over"
    stage.sleep(1)
    log.append([(b"ann", b"6")])
    log.roll()
    assert log.compact(force=True) is not None
    assert [(one.offset, one.key, one.value) for one in log] == [(4, b"cat", b"4"), (6, b"ann", b"6")]


# W16: lines


def test_w16_lines_roll_dump_and_are_found(tmp_path: Path) -> None:
    """The small form; `make bench` and the nightly tests have the ten million lines."""
    lines.check(tmp_path, lines.SMALL)


@pytest.mark.judge
def test_w16_kafkas_tool_dumps_the_same(tmp_path: Path) -> None:
    require(releases.NEWEST)
    folder = lines.write(tmp_path, lines.SMALL)
    paths = sorted(folder.glob("*0*"))
    runs = dump_many(releases.NEWEST, [["--files", str(path)] for path in paths])
    assert [run.stdout for run in runs] == [lines.dumped(path) for path in paths]


@pytest.mark.slow
def test_w16_ten_million_lines(tmp_path: Path) -> None:
    lines.check(tmp_path, lines.LARGE)


# W17: a listing


@pytest.mark.parametrize("profile", ["last-offset", "per-batch"])
def test_w17_the_listing_of_a_2_2_1_broker(profile: str, stage: Stage) -> None:
    sample = SAMPLES / f"listing-{profile}-0"
    log = stage.open(writer_profile=profile)
    log.truncate_fully_and_start_at(1778276)
    for stored in kformat.iter_batches(sample / file_name(1778276, "log")):
        as_sent = bytearray(stored.raw)
        SET_BASE_OFFSET(as_sent, 0, 0)
        assert log.append_batches(as_sent) == stored.base_offset
    log.close()
    assert files(log.path) == files(sample)


def test_readers_see_the_same_beside_the_log(stage: Stage) -> None:
    """Both lookups of W3 and W4 without the lock, while the indexes are in use."""
    log = played(stage, "lookup-0")
    with LogReader.open(log.path) as reader:
        assert reader.read(23).position == 838
        assert reader.offset_for_timestamp(1526384718288) == log.offset_for_timestamp(1526384718288)
