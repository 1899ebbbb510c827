"""Kafka's LogLoaderTest on our log: what recovery makes of a folder, by way of `Log.open`.

Where Kafka's test says nothing else, the log is opened in both modes. What Kafka's tests do to a closed log's root
(no marker of a clean shutdown, other checkpoints) `reopen` does to ours.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import (
    EpochEntry,
    LeaderEpochs,
    TopicOffset,
    TopicOffsets,
    build_leader_epochs,
    build_offsets,
)
from kformat.kafka.log.partition import open_partition
from kformat.language.layout import layout
from kformat.testing.files import segment_files
from kformat_engine.config import LogConfig
from kformat_engine.errors import DamagedLogError
from kformat_engine.log import Log
from kformat_engine.recovery.opening import examine_folder
from kformat_engine.recovery.table import Action, Kind
from kformat_engine.root import CLEAN_MARKER, LOG_START_OFFSETS, RECOVERY_POINTS
from tests.engine.building import batch

MAX_INT = 2**31 - 1
NOW_MS = 1_700_000_000_000
MODES = pytest.mark.parametrize("mode", ["strict", "kafka"])


class Clock:
    """Says what it was set to."""

    now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "root" / "kafka-test-0"


@pytest.fixture(autouse=True)
def no_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine lives on in these tests, and syncs take their time."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def reopen(
    path: Path,
    config: LogConfig,
    *,
    clean: bool = True,
    recovery_point: int = 0,
    start: int | None = None,
    mode: Any = "strict",
    **more: Any,
) -> Log:
    """Open a log as if its root had these checkpoints, and had been left in order or not."""
    root = path.parent
    if root.exists():
        checkpoint(root / RECOVERY_POINTS, recovery_point)
        checkpoint(root / LOG_START_OFFSETS, start)
        assert not clean or (root / CLEAN_MARKER).exists()
        if not clean:
            (root / CLEAN_MARKER).unlink(missing_ok=True)
    return Log.open(path, config, mode=mode, clock=Clock(), **more)


def checkpoint(path: Path, offset: int | None) -> None:
    entries = () if offset is None else (TopicOffset("kafka-test", 0, offset),)
    path.write_bytes(build_offsets(TopicOffsets(entries)))


def record(value: bytes, timestamp: int = NOW_MS) -> dict[str, Any]:
    return {"value": value, "timestamp": timestamp}


def fill(path: Path, config: LogConfig, count: int, value: bytes = b"test", step_ms: int = 0) -> None:
    """A log of so many batches of one record each, closed."""
    with Log.open(path, config, clock=Clock()) as log:
        for number in range(count):
            log.append([record(value, NOW_MS + number * step_ms)])


def left_open(log: Log, path: Path) -> Path:
    """The folder as a process that is killed now leaves it, below another root."""
    copy = path.parent.parent / "after" / path.name
    shutil.copytree(path, copy)
    return copy


def entry_counts(log: Log) -> tuple[int, int]:
    return log.segments[-1].offset_entry_count, log.segments[-1].time_entry_count


def last_entries(path: Path) -> tuple[int, tuple[int, int]]:
    """The last entries of the last segment's indexes, as they lie in the files."""
    segment = open_partition(path).segments[-1]
    offset, time = segment.offset_entries()[-1], segment.time_entries()[-1]
    return (
        segment.base_offset + int(offset["relative_offset"]),
        (int(time["timestamp"]), segment.base_offset + int(time["relative_offset"])),
    )


def actions(log: Log, kind: Kind) -> list[Action]:
    return [finding.action for finding in log.report if finding.kind is kind]


# Kafka: LogLoaderTest.testLogRecoversToCorrectOffset
@MODES
def test_the_indexes_are_the_same_after_every_recovery(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=700, index_interval_bytes=300, segment_index_bytes=4096)
    fill(path, config, 100, b"v" * 100, step_ms=10)
    with reopen(path, config) as log:
        wanted = entry_counts(log)
    ends = last_entries(path)
    assert ends[1] == (NOW_MS + 990, 99)

    def verify(log: Log, recovery_point: int) -> None:
        assert (log.recovery_point, log.end_offset) == (recovery_point, 100)
        assert entry_counts(log) == wanted
        assert last_entries(path) == ends

    with reopen(path, config, clean=False, recovery_point=100, mode=mode) as log:
        verify(log, 100)
    with reopen(path, config, clean=False, recovery_point=10, mode=mode) as log:
        verify(log, 10)
        log.flush()
        verify(log, 100)


def verify_time_lookups(log: Log, count: int) -> None:
    for number in range(count):
        found = log.offset_for_timestamp(NOW_MS + number * 10)
        assert found is not None and found.offset == number
        assert next(iter(log.read(number, 100).batches())).last_offset == number


# Kafka: LogLoaderTest.testIndexRebuild
@MODES
def test_deleted_indexes_are_made_anew(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=200, index_interval_bytes=1)
    fill(path, config, 200, b"0123456789", step_ms=10)
    for file in [*path.glob("*.index"), *path.glob("*.timeindex")]:
        file.unlink()
    with reopen(path, config, clean=False, mode=mode) as log:
        assert log.end_offset == 200
        assert log.segments[0].offset_entry_count > 0 and log.segments[0].time_entry_count > 0
        verify_time_lookups(log, 200)


# Kafka: LogLoaderTest.testCorruptIndexRebuild
@MODES
def test_overwritten_indexes_are_made_anew(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=200, index_interval_bytes=1)
    fill(path, config, 200, b"0123456789", step_ms=10)
    for file in [*path.glob("*.index"), *path.glob("*.timeindex")]:
        file.write_bytes(b"  ")
    with reopen(path, config, clean=False, mode=mode) as log:
        assert log.end_offset == 200
        verify_time_lookups(log, 200)


# Kafka: LogLoaderTest.testRebuildTimeIndexForOldMessages
def test_a_missing_time_index_stays_empty_in_a_broker_but_not_with_us(path: Path) -> None:
    """Kafka's test has messages of magic 1, but what empties the index is that nobody recovers the segment."""
    config = LogConfig(segment_bytes=200, index_interval_bytes=1)
    fill(path, config, 200, b"0123456789", step_ms=10)
    for file in path.glob("*.timeindex"):
        file.unlink()
    with reopen(path, config, clean=False, recovery_point=201, mode="kafka") as log:
        assert {segment.time_entry_count for segment in log.segments[:-1]} == {0}
    assert {file.stat().st_size for file in sorted(path.glob("*.timeindex"))[:-1]} == {0}
    with reopen(path, config, recovery_point=200) as log:
        assert all(segment.time_entry_count > 0 for segment in log.segments)
        verify_time_lookups(log, 200)


# Kafka: LogLoaderTest.testRebuildTimeIndexForOldMessages
def test_messages_without_timestamps_have_an_empty_time_index(path: Path) -> None:
    path.mkdir(parents=True)
    for name, data in segment_files([b"value"] * 20, magic=0, index_interval_bytes=1).items():
        if not name.endswith(".timeindex"):
            (path / name).write_bytes(data)
    with reopen(path, LogConfig(index_interval_bytes=1), clean=False) as log:
        assert (log.end_offset, log.segments[0].time_entry_count) == (20, 0)
        assert log.segments[0].offset_entry_count > 0


# Kafka: LogLoaderTest.testBogusIndexSegmentsAreRemoved
@MODES
def test_indexes_without_a_log_are_removed(path: Path, mode: str) -> None:
    path.mkdir(parents=True)
    bogus = [path / file_name(5, suffix) for suffix in ("index", "timeindex")]
    for file in bogus:
        file.touch()
    config = LogConfig(segment_bytes=350, segment_index_bytes=1000, index_interval_bytes=1)
    with reopen(path, config, clean=False, mode=mode) as log:
        assert not any(file.exists() for file in bogus)
        assert all((path / file_name(0, suffix)).stat().st_size > 0 for suffix in ("index", "timeindex"))
        assert [finding.file for finding in log.report if finding.kind is Kind.ORPHAN] == [file.name for file in bogus]
        for _ in range(10):
            log.append([record(b"test")])


# Kafka: LogLoaderTest.testReopenThenTruncate
@MODES
def test_a_recovered_log_can_be_truncated(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=360, segment_index_bytes=1000, index_interval_bytes=10000)
    fill(path, config, 100)
    with reopen(path, config, clean=False, mode=mode) as log:
        assert len(log.segments) > 10
        log.truncate_to(3)
        assert (len(log.segments), log.end_offset) == (1, 3)


# Kafka: LogLoaderTest.testOpenDeletesObsoleteFiles
@MODES
def test_deleted_segments_are_gone_when_the_log_is_opened_again(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=360, segment_index_bytes=1000, retention_ms=999)
    with Log.open(path, config, clock=Clock()) as log:
        for _ in range(100):
            log.append([record(b"test", NOW_MS - 1000)])
        log.retain()
        after = left_open(log, path)
    assert list(after.glob("*.deleted"))
    with reopen(after, config, clean=False, mode=mode) as log:
        assert len(log.segments) == 1
        assert not list(after.glob("*.deleted"))


# Kafka: LogLoaderTest.testCorruptLog
@MODES
@pytest.mark.parametrize("seed", range(10))
def test_nonsense_behind_the_log_is_cut(path: Path, mode: str, seed: int) -> None:
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    chance = random.Random(seed)
    count = 50 + chance.randrange(50)
    fill(path, config, count)
    with reopen(path, config) as log:
        wanted = list(log.records())
    nonsense = chance.randbytes(chance.randrange(1024) + 1)
    last = open_partition(path).segments[-1]
    assert last.index is not None
    last.index.write_bytes(last.index.read_bytes() + chance.randbytes(chance.randrange(1024) + 1))
    last.log.write_bytes(last.log.read_bytes() + nonsense)
    with reopen(path, config, clean=False, recovery_point=50, mode=mode) as log:
        assert log.end_offset == count
        assert list(log.records()) == wanted
        assert [file.read_bytes() for file in log.report.kept_aside] == [nonsense]
        log.append([record(b"and on")])


# Kafka: LogLoaderTest.testOverCompactedLogRecovery
def test_a_log_with_a_gap_of_more_than_an_int_is_recovered(path: Path) -> None:
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    with Log.open(path, config, clock=Clock()) as log:
        for offset in (0, MAX_INT + 2, MAX_INT + 3, MAX_INT + 4):
            log.append_batches(batch(offset, b"v"), assign_offsets=False)
        assert [segment.base_offset for segment in log.segments] == [0, MAX_INT + 2]
    with reopen(path, config, clean=False) as log:
        assert [segment.base_offset for segment in log.segments] == [0, MAX_INT + 2]
        assert [one.offset for one in log.records()] == [0, MAX_INT + 2, MAX_INT + 3, MAX_INT + 4]
    assert len(list(path.glob("*.index"))) == 2


# Kafka: LogLoaderTest.testOverCompactedLogRecoveryMultiRecord
def test_a_log_with_such_a_gap_and_compressed_batches_is_recovered(path: Path) -> None:
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    with Log.open(path, config, clock=Clock()) as log:
        log.append_batches(batch(0, b"v1"), assign_offsets=False)
        for offset in (MAX_INT + 2, MAX_INT + 4, MAX_INT + 6):
            log.append_batches(batch(offset, b"v", b"w", codec="gzip"), assign_offsets=False)
        assert [segment.base_offset for segment in log.segments] == [0, MAX_INT + 2]
    with reopen(path, config, clean=False) as log:
        assert [segment.base_offset for segment in log.segments] == [0, MAX_INT + 2]
        assert len(list(log.records())) == 7
    assert len(list(path.glob("*.index"))) == 2


# Kafka: LogLoaderTest.testOverCompactedLogRecoveryMultiRecordV1
def test_a_log_with_such_a_gap_and_messages_of_magic_1_is_recovered(path: Path) -> None:
    """What says the last offset only begins a segment as low as it can, and gets another for the next such gap."""
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    bases = [0, 3, MAX_INT + 4]
    with Log.open(path, config, clock=Clock()) as log:
        for offset, count in ((0, 1), (MAX_INT + 2, 2), (MAX_INT + 4, 2), (MAX_INT + 6, 2)):
            made = segment_files(
                [{"offset": offset + number, "value": b"v", "timestamp": NOW_MS} for number in range(count)],
                magic=1,
                codec="gzip" if count > 1 else "none",
                base_offset=offset,
            )
            log.append_batches(made[file_name(offset, "log")], assign_offsets=False)
        assert [segment.base_offset for segment in log.segments] == bases
    with reopen(path, config, clean=False) as log:
        assert [segment.base_offset for segment in log.segments] == bases
        assert [one.offset for one in log.records()] == [0, *range(MAX_INT + 2, MAX_INT + 8)]
    assert len(list(path.glob("*.index"))) == 3


# Offsets that overflow, and replacements that did not finish


def overflowing(path: Path) -> list[bytes]:
    """A folder of three segments, the second with offsets too far apart; the values of its records, in order."""
    path.mkdir(parents=True)
    values: list[bytes] = []

    def sample(base_offset: int) -> bytes:
        offsets = [[base_offset], [base_offset + 1, base_offset + 2], [base_offset + MAX_INT - 1]]
        values.extend(str(offset).encode() for part in offsets for offset in part)
        return b"".join(batch(part[0], *(str(offset).encode() for offset in part)) for part in offsets)

    for base_offset, starts in ((0, [0]), (MAX_INT, [MAX_INT, 2 * MAX_INT]), (3 * MAX_INT, [3 * MAX_INT])):
        (path / file_name(base_offset, "log")).write_bytes(b"".join(map(sample, starts)))
        for suffix in ("index", "timeindex"):
            (path / file_name(base_offset, suffix)).touch()
    return values


SPLIT_BASES = [0, MAX_INT, 2 * MAX_INT + 1, 3 * MAX_INT]  # the first holds as much as it can
OVERFLOW_CONFIG = LogConfig(index_interval_bytes=1, file_delete_delay_ms=1000)


def check_recovered(path: Path, values: list[bytes], mode: str) -> None:
    with reopen(path, OVERFLOW_CONFIG, clean=False, mode=mode) as log:
        assert [segment.base_offset for segment in log.segments] == SPLIT_BASES
        assert [one.value for one in log.records()] == values
        assert all(segment.end_offset - segment.base_offset <= MAX_INT + 1 for segment in log.segments)
    assert not [file.name for file in path.iterdir() if file.suffix in (".deleted", ".cleaned", ".swap")]


# Kafka: LogLoaderTest.testRecoveryOfSegmentWithOffsetOverflow
@MODES
def test_a_segment_with_offsets_too_far_apart_is_split(path: Path, mode: str) -> None:
    values = overflowing(path)
    check_recovered(path, values, mode)
    check_recovered(path, values, mode)


def split_files(path: Path, suffix_of: dict[int, str], *, empty: bool, old: bytes | None) -> list[bytes]:
    """The folder as a split leaves it that stopped: new segments with their suffixes, and the old one's log."""
    values = overflowing(path)
    original = path.parent.parent / "original" / path.name
    shutil.copytree(path, original)
    with reopen(original, OVERFLOW_CONFIG, clean=False):
        pass
    if old is None:
        for file in path.glob(f"{MAX_INT:020d}.*"):
            file.unlink()
    elif old != b"as it is":
        (path / file_name(MAX_INT, "log")).write_bytes(old)
    for base_offset, state in suffix_of.items():
        for suffix in ("log", "index", "timeindex"):
            data = (original / file_name(base_offset, suffix)).read_bytes()
            (path / (file_name(base_offset, suffix) + state)).write_bytes(b"" if empty else data)
    return values


# Kafka: LogLoaderTest.testRecoveryAfterCrashDuringSplitPhase1
@MODES
def test_a_split_that_stopped_before_it_was_written_begins_again(path: Path, mode: str) -> None:
    states = {MAX_INT: ".cleaned", 2 * MAX_INT + 1: ".cleaned"}
    check_recovered(path, split_files(path, states, empty=True, old=b"as it is"), mode)


# Kafka: LogLoaderTest.testRecoveryAfterCrashDuringSplitPhase2
@MODES
def test_a_split_that_stopped_while_swaps_were_named_begins_again(path: Path, mode: str) -> None:
    states = {MAX_INT: ".cleaned", 2 * MAX_INT + 1: ".swap"}
    check_recovered(path, split_files(path, states, empty=True, old=b"as it is"), mode)


# Kafka: LogLoaderTest.testRecoveryAfterCrashDuringSplitPhase3
@MODES
def test_a_split_that_stopped_before_the_old_segment_went_is_finished(path: Path, mode: str) -> None:
    states = {MAX_INT: ".swap", 2 * MAX_INT + 1: ".swap"}
    check_recovered(path, split_files(path, states, empty=False, old=b""), mode)


# Kafka: LogLoaderTest.testRecoveryAfterCrashDuringSplitPhase4
@MODES
def test_a_split_that_stopped_after_the_old_segment_went_is_finished(path: Path, mode: str) -> None:
    states = {MAX_INT: ".swap", 2 * MAX_INT + 1: ".swap"}
    check_recovered(path, split_files(path, states, empty=False, old=None), mode)


# Kafka: LogLoaderTest.testRecoveryAfterCrashDuringSplitPhase5
@MODES
def test_a_split_that_stopped_while_the_swaps_got_their_names_is_finished(path: Path, mode: str) -> None:
    states = {MAX_INT: "", 2 * MAX_INT + 1: ".swap"}
    check_recovered(path, split_files(path, states, empty=False, old=None), mode)


# Shutdowns


# Kafka: LogLoaderTest.testCleanShutdownFile
@MODES
def test_after_a_clean_shutdown_nothing_is_recovered_whatever_the_recovery_point_says(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    fill(path, config, 100)
    with reopen(path, config, mode=mode) as log:
        assert (log.end_offset, log.recovery_point) == (100, 100)
        assert not log.report.changes
        assert {finding.state["look"] for finding in log.report if finding.kind is Kind.LOG} == {"tail"}


# Kafka: LogLoaderTest.testLogRecoveryIsCalledUponBrokerCrash
@MODES
def test_without_the_marker_of_a_clean_shutdown_the_log_is_recovered(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=1000, index_interval_bytes=1)
    fill(path, config, 50)
    marker = path.parent / CLEAN_MARKER
    assert marker.exists()
    with reopen(path, config, mode=mode) as log:
        assert log.report.is_clean
        assert not marker.exists(), "whoever is killed now was not shut down cleanly"
    with reopen(path, config, clean=False, mode=mode) as log:
        assert not log.report.is_clean
        assert {finding.state["look"] for finding in log.report if finding.kind is Kind.LOG} == {"recovery"}
        assert set(actions(log, Kind.OFFSET_INDEX)) == {Action.REBUILD}
    assert marker.exists()


# Kafka: LogLoaderTest.testLogRecoversForLeaderEpoch
@MODES
def test_leader_epochs_that_are_missing_are_found_in_the_batches(path: Path, mode: str) -> None:
    wanted = ((1, 0), (2, 1), (3, 3))
    with Log.open(path, clock=Clock()) as log:
        for offset, epoch in enumerate((1, 2, 2, 3)):
            log.append_batches(batch(offset, b"random", leader_epoch=epoch), assign_offsets=False)
        assert log.leader_epochs == wanted
    kept = build_leader_epochs(LeaderEpochs((EpochEntry(1, 0), EpochEntry(2, 1))))
    (path / "leader-epoch-checkpoint").write_bytes(kept)
    with reopen(path, LogConfig(), clean=False, mode=mode) as log:
        assert log.leader_epochs == wanted
        assert log.leader_epoch == 3


# Kafka: LogLoaderTest.testLogEndLessThanStartAfterReopen
@MODES
def test_a_log_that_ends_below_its_start_begins_anew(path: Path, mode: str) -> None:
    with Log.open(path, clock=Clock()) as log:
        for number in range(5):
            log.append([record(b"%d" % number)])
            log.roll()
        assert len(log.segments) == 6
    second = open_partition(path).segments[1].log
    lost = second.read_bytes()
    second.write_bytes(b"corruptRecord")
    with reopen(path, LogConfig(), clean=False, start=4, mode=mode) as log:
        assert (len(log.segments), log.start_offset, log.end_offset) == (1, 4, 4)
        assert log.segments[0].base_offset == 4
        kept = {file.read_bytes() for file in log.report.kept_aside}
        assert b"corruptRecord" in kept and lost not in kept
        assert log.append([record(b"next")]) == 4
    assert all((path / file_name(4, suffix)).exists() for suffix in ("log", "index", "timeindex"))


# Kafka: LogLoaderTest.testRecoverWithEmptyActiveSegment
@MODES
def test_the_missing_index_of_a_segment_just_rolled_is_made(path: Path, mode: str) -> None:
    config = LogConfig(segment_bytes=700, index_interval_bytes=300, segment_index_bytes=4096)
    with Log.open(path, config, clock=Clock()) as log:
        for number in range(100):
            log.append([record(b"v" * 100, NOW_MS + number * 10)])
        log.roll()
        log.flush()
        after = left_open(log, path)
    for suffix in ("index", "timeindex"):
        (after / file_name(100, suffix)).unlink(missing_ok=True)
    with reopen(after, config, clean=False, recovery_point=100, mode=mode) as log:
        assert (log.recovery_point, log.end_offset) == (100, 100)
        assert entry_counts(log) == (0, 0)
        assert (after / file_name(100, "index")).stat().st_size == 4096
        for _ in range(100):
            log.append([record(b"v" * 100)])
    with reopen(after, config, recovery_point=200, mode=mode) as log:
        assert log.end_offset == 200


@pytest.mark.parametrize(
    ("left", "configured", "kept"),
    [
        pytest.param(100, 4096, 96, id="a killed broker's size is kept to"),
        pytest.param(4096, 96, 96, id="a smaller one that is configured, too"),
        pytest.param(None, 4096, 4096, id="indexes that were cut say nothing"),
    ],
)
def test_indexes_are_no_longer_than_those_of_a_killed_broker(
    path: Path, left: int | None, configured: int, kept: int
) -> None:
    """A broker dies at its start where the active index is longer than the topic's `segment.index.bytes`."""
    with Log.open(path, LogConfig(segment_index_bytes=left or 100, index_interval_bytes=0), clock=Clock()) as log:
        log.append([record(b"one")])
        after = left_open(log, path) if left is not None else path
    with reopen(after, LogConfig(segment_index_bytes=configured, index_interval_bytes=0), clean=left is None) as log:
        assert log.config.segment_index_bytes == kept
        for number in range(30):
            log.append([record(b"more", NOW_MS + number)])
        assert (after / file_name(log.segments[-1].base_offset, "index")).stat().st_size == kept
    longest = max(file.stat().st_size for pattern in ("*.index", "*.timeindex") for file in after.glob(pattern))
    assert longest <= kept
    with reopen(after, LogConfig()) as log:
        assert log.end_offset == 31


# Kafka: LogLoaderTest.testLogStartOffsetWhenRemoteStorageIsEnabled
def test_the_log_starts_with_its_first_segment_where_nothing_else_is_said(path: Path) -> None:
    """Kafka's case without remote storage."""
    with Log.open(path, clock=Clock()) as log:
        for number in range(9):
            log.append([record(b"%d" % number)])
            log.roll()
        log.delete_records_before(5)
    report = examine_folder(path, LogConfig(), is_clean=True)
    assert (report.log_start_offset, report.next_offset) == (5, 9)


# Beyond Kafka's tests


def fill_two(path: Path) -> LogConfig:
    config = LogConfig(segment_bytes=2000, index_interval_bytes=200)
    fill(path, config, 60, b"v" * 20, step_ms=1)
    assert len(open_partition(path).segments) > 2
    return config


def flip(file: Path, position: int, *, size: int = 1) -> bytes:
    """Change one bit of each of some bytes; what was there before."""
    before = file.read_bytes()
    changed = bytes(byte ^ 1 for byte in before[position : position + size])
    file.write_bytes(before[:position] + changed + before[position + size :])
    return before


def batch_starts(file: Path) -> Iterator[int]:
    return iter(kformat.read_batch_headers(file).position.tolist())


@pytest.mark.parametrize(("clean", "recovery_point"), [(True, 60), (False, 60), (False, 0)])
def test_salvage_looks_at_every_byte(path: Path, clean: bool, recovery_point: int) -> None:
    """Old decay, in a segment that no crash is to blame for: only what cannot be read goes, later segments stay."""
    config = fill_two(path)
    first = open_partition(path).segments[0]
    starts = list(batch_starts(first.log))
    lost = kformat.read_batch_headers(flip(first.log, starts[2] - 9, size=9))
    gone = range(int(lost.base_offset[1]), int(lost.next_offset[1]))
    with reopen(path, config, clean=clean, recovery_point=recovery_point, mode="salvage") as log:
        assert [one.offset for one in log.records()] == [offset for offset in range(60) if offset not in gone]
        assert len(log.report.kept_aside) == 1


@pytest.mark.parametrize("has_index", [True, False])
def test_salvage_restores_a_length(path: Path, has_index: bool) -> None:
    """Without an index, too; the batch as it was stored is kept aside."""
    config = fill_two(path)
    first = open_partition(path).segments[0]
    starts, data = list(batch_starts(first.log)), bytearray(first.log.read_bytes())
    layout("record_batch").writer("batch_length")(data, starts[2], 0x7FFFFFFF)
    first.log.write_bytes(data)
    if not has_index:
        assert first.index is not None
        first.index.unlink()
    with reopen(path, config, recovery_point=60, mode="salvage") as log:
        assert [one.offset for one in log.records()] == list(range(60))
        assert [file.read_bytes() for file in log.report.kept_aside] == [bytes(data[starts[2] : starts[3]])]


def test_damage_below_the_recovery_point_is_refused_and_salvaged(path: Path) -> None:
    config = fill_two(path)
    last = open_partition(path).segments[-1]
    starts = list(batch_starts(last.log))
    before = flip(last.log, starts[3] - 9, size=9)
    headers = kformat.read_batch_headers(before)
    with pytest.raises(DamagedLogError) as refused:
        reopen(path, config, clean=False, recovery_point=60)
    assert (refused.value.source, refused.value.position) == (str(last.log), starts[2])
    assert any("log-damaged" in note or "refuse" in note for note in refused.value.__notes__)
    with reopen(path, config, clean=False, recovery_point=60, mode="salvage") as log:
        lost = int(headers.base_offset[2])
        assert [one.offset for one in log.records()] == [offset for offset in range(60) if offset != lost]
        assert log.end_offset == 60
        (kept,) = (file.read_bytes() for file in log.report.kept_aside)
        assert kept[:-9] == before[starts[2] : starts[3] - 9]
        assert kept[-9:] == bytes(byte ^ 1 for byte in before[starts[3] - 9 : starts[3]])
    with reopen(path, config, recovery_point=60) as log:
        assert not log.report.changes and log.end_offset == 60


def test_every_byte_of_the_tail_may_be_torn_off_or_flipped(path: Path) -> None:
    config = fill_two(path)
    last = open_partition(path).segments[-1]
    whole = last.log.read_bytes()
    starts = [*batch_starts(last.log), len(whole)]
    pristine = path.parent.parent / "pristine"
    shutil.copytree(path, pristine)
    for position in range(starts[-3], len(whole), 7):
        for torn in (True, False):
            shutil.rmtree(path)
            shutil.copytree(pristine, path)
            if torn:
                last.log.write_bytes(whole[:position])
            else:
                flip(last.log, position)
            report = examine_folder(path, config, is_clean=False, recovery_point=last.base_offset)
            sound = max(start for start in starts if start <= position)
            found = next(
                finding for finding in report if finding.kind is Kind.LOG and finding.state["look"] == "recovery"
            )
            if torn and position == sound:
                assert found.action is Action.KEEP
            elif found.action in (Action.KEEP, Action.SPLIT):  # a leader epoch or an offset: no checksum covers them
                assert not torn
            else:
                # Where an offset changed a little, it is the next batch that goes back.
                places = {sound} if torn else {sound, min(start for start in starts if start > position)}
                assert found.action is Action.CUT and found.position in places


def test_a_dry_run_may_be_made_beside_what_it_reports(path: Path) -> None:
    config = fill_two(path)
    for mode in ("strict", "kafka"):
        report = examine_folder(path, config, is_clean=True, recovery_point=60, mode=mode)
        assert not report.changes and not report.refusals
        assert str(report).splitlines()[-1] == "offsets 0 to 60, recovery point 60"


# Kafka: LogLoaderTest.testCorruptedLogRecoveryDoesNotDeleteProducerStateSnapshotsPostRecovery
def test_snapshots_of_segments_that_come_after_a_recovery_stay(path: Path) -> None:
    """Recovery removes all segments; what it still has to remove later does not take the new ones' snapshots."""
    log = Log.open(path, LogConfig(), clock=Clock())
    for number in range(9):
        log.append([record(b"%d" % number)])
        log.roll()
    base_offset = log.segments[1].base_offset
    log.close()
    (path / file_name(base_offset, "log")).write_bytes(b"corruptRecord")

    def snapshots() -> list[int]:
        return sorted(int(one.name.split(".")[0]) for one in path.glob("*.snapshot"))

    with reopen(path, LogConfig(file_delete_delay_ms=0), clean=False, start=4, mode="kafka") as log:
        assert [one.base_offset for one in log.segments] == [4]
        assert (log.start_offset, log.end_offset) == (4, 4) and snapshots() in ([], [4])
        for number in range(5):
            log.append([record(b"%d" % number)])
            log.roll()
        assert {5, 6, 7, 8, 9} <= set(snapshots())
    assert {5, 6, 7, 8, 9} <= set(snapshots()) and not list(path.glob("*.deleted"))


# Kafka, left out: LogLoaderTest.testProducerSnapshotsRecoveryAfterUncleanShutdownV1: nothing appends message format 1
# Kafka, left out: LogLoaderTest.testSkipTruncateAndReloadIfOldMessageFormatAndNoCleanShutdown: counts calls with a mock
# Kafka, left out: LogLoaderTest.testSkipTruncateAndReloadIfOldMessageFormatAndCleanShutdown: counts calls with a mock
# Kafka, left out: LogLoaderTest.testLeaderEpochCacheClearedAfterStaticMessageFormatDowngrade: no setting of the format
