"""Which log a manager compacts, and when: what Kafka's LogCleanerManagerTest says, and the background thread."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from kformat.corpus.parts import ProducerFields, end_of_transaction
from kformat_engine import LogConfig, LogManager
from kformat_engine.cleaner import CleanerConfig, cleanable_offsets
from kformat_engine.errors import LogClosedError
from kformat_engine.log import Log
from kformat_engine.partition_moves import PartitionCopy
from tests.engine.cleaning import Appender, fill, put
from tests.engine.compaction_plays import checkpoint
from tests.engine.logs import NOW_MS, UnsyncedStorage, bases
from tests.engine.test_manager import Managers
from tests.engine.test_manager import managers as managers

CONFIG = LogConfig(
    segment_bytes=2048,
    segment_index_bytes=1024,
    cleanup_policy=("compact",),
    min_cleanable_dirty_ratio=0.05,
    retention_ms=1,
    file_delete_delay_ms=0,
)
HOUR_MS = 3_600_000

# Kafka, left out: LogCleanerManagerTest.testLogsUnderCleanupIneligibleForCompaction: a log's configuration does not
# change while it is open
# Kafka, left out: LogCleanerManagerTest.testConcurrentLogCleanupAndLogTruncation: no state is kept of logs that are not
# compacted; test_cleaner has what ends a compaction
# Kafka, left out: LogCleanerManagerTest.testConcurrentLogCleanupAndTopicDeletion: as the one before
# Kafka, left out: LogCleanerManagerTest.testDoneCleaning: there are no states that one could leave in a wrong order
# Kafka, left out: LogCleanerManagerTest.testDoneDeleting: as the one before
# Kafka, left out: LogCleanerManagerTest.testHandleLogDirFailureShouldRemoveDirAndData: a manager's directory that is
# offline has no checkpoints that anybody reads; test_manager has offline directories


def filthy(manager: LogManager, *counts: int, **given: Any) -> list[Log]:
    """Logs with so many batches of one record, of which the first 20 are compacted as the checkpoint has it."""
    logs = []
    for number, count in enumerate(counts):
        log = manager.create_partition("wishing-well", number, **given)
        for at in range(count):
            put(log, at)
            if at % 5 == 4:
                log.roll()
        log.roll()
        log.root.set_cleaner_offset(log.topic, number, 20)
        logs.append(log)
    return logs


def chosen(manager: LogManager) -> int | None:
    """The number of the partition that is compacted; None for none."""
    done = manager.compact()
    return None if done is None else done[0].partition


# Kafka: LogCleanerManagerTest.testGrabFilthiestCompactedLogReturnsLogWithDirtiestRatio
def test_the_log_with_the_most_to_compact_is_first(managers: Managers) -> None:
    with managers.open("a", config=CONFIG) as manager:
        filthy(manager, 20, 25, 30)
        assert [chosen(manager) for _ in range(3)] == [2, 1, None]
        metrics = manager.metrics
        assert metrics.compaction_count == 2 and metrics.last_compaction_check_ms == NOW_MS
        assert metrics.compacted_bytes_before > 0 and metrics.max_dirty_ratio == 0
        assert checkpoint(managers.path / "a") == {("wishing-well", number): 20 + 5 * number for number in range(3)}


# Kafka: LogCleanerManagerTest.testGrabFilthiestCompactedLogThrowsException
# Kafka: LogCleanerManagerTest.testGrabFilthiestCompactedLogIgnoresUncleanablePartitions
def test_a_log_that_cannot_be_compacted_is_left_alone(managers: Managers) -> None:
    with managers.open("a", config=CONFIG) as manager:
        logs = filthy(manager, 20, 25, 30)
        path = logs[2].segments[1].path
        data = bytearray(path.read_bytes())
        data[-3] ^= 1
        path.write_bytes(data)
        assert [chosen(manager) for _ in range(3)] == [None, 1, None]
        assert list(manager.uncleanable) == [("wishing-well", 2)]
        metrics = manager.metrics
        assert (metrics.uncleanable_partition_count, metrics.error_count) == (1, 1)
        assert "ChecksumError" in str(metrics.last_error) and not logs[2].has_failed
        put(logs[2], 1)
        manager.delete_partition("wishing-well", 2)
        assert not manager.uncleanable


# Kafka: LogCleanerManagerTest.testGrabFilthiestCompactedLogIgnoresInProgressPartitions
# Kafka: LogCleanerManagerTest.testGrabFilthiestCompactedLogIgnoresBothInProgressPartitionsAndUncleanablePartitions
def test_a_log_that_is_being_compacted_is_left_alone(managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    with managers.open("a", config=CONFIG) as manager:
        logs = filthy(manager, 20, 25, 30)
        seen = list[int | None]()

        def others() -> None:
            seen.append(chosen(manager))
            manager.uncleanable["wishing-well", 1] = ValueError()
            seen.append(chosen(manager))

        def meanwhile(base_offset: int) -> Any:
            monkeypatch.undo()
            logs[2]._guard.lock.release()  # as while a compaction reads
            thread = threading.Thread(target=others)
            thread.start()
            thread.join(10)
            logs[2]._guard.lock.acquire()
            return begin(base_offset)

        begin = logs[2]._local.begin_cleaned
        monkeypatch.setattr(logs[2]._local, "begin_cleaned", meanwhile)
        assert logs[2].compact() is not None
        assert seen == [1, None]


# Kafka: LogCleanerManagerTest.testDirtyOffsetResetIfLargerThanEndOffset
# Kafka: LogCleanerManagerTest.testDirtyOffsetResetIfSmallerThanStartOffset
# Kafka: LogCleanerManagerTest.testCleanableOffsetsNeedsCheckpointReset
def test_a_checkpoint_that_is_not_in_the_log_begins_again(managers: Managers) -> None:
    with managers.open("a", config=CONFIG) as manager:
        (log,) = filthy(manager, 20)
        log.root.set_cleaner_offset(log.topic, 0, 200)
        assert log.to_clean().first_dirty_offset == 0
        log.delete_records_before(10)
        for offset, first_dirty, is_reset in ((0, 10, True), (15, 15, False), (25, 10, True)):
            log.root.set_cleaner_offset(log.topic, 0, offset)
            found = log.to_clean()
            assert (found.first_dirty_offset, found.is_reset) == (first_dirty, is_reset)


# Kafka: LogCleanerManagerTest.testCheckpointUpdatedForInvalidOffsetNoCleaning
# Kafka: LogCleanerManagerTest.testCheckpointUpdatedForInvalidOffsetNotSelected
def test_a_checkpoint_that_is_not_in_the_log_is_written_again(managers: Managers) -> None:
    with managers.open("a", config=CONFIG) as manager:
        logs = filthy(manager, 20, 25)
        logs[0].delete_records_before(15)
        logs[0].root.set_cleaner_offset("wishing-well", 0, 10)
        logs[1].root.set_cleaner_offset("wishing-well", 1, 5)
        assert chosen(manager) == 0
        logs[0].delete_records_before(20)
        logs[0].root.set_cleaner_offset("wishing-well", 0, 15)
        assert chosen(manager) == 1
        assert checkpoint(managers.path / "a") == {("wishing-well", 0): 20, ("wishing-well", 1): 25}


# Kafka: LogCleanerManagerTest.testLogStartOffsetLargerThanActiveSegmentBaseOffset
# Kafka: LogCleanerManagerTest.testDirtyOffsetLargerThanActiveSegmentBaseOffset
def test_nothing_of_the_active_segment_is_dirty(managers: Managers) -> None:
    with managers.open("a", config=CONFIG) as manager:
        log = manager.create_partition("foo", 0)
        for key in range(6):
            put(log, key)
        log.root.set_cleaner_offset("foo", 0, 3)
        assert chosen(manager) is None
        log.delete_records_before(2)
        log.root.set_cleaner_offset("foo", 0, 0)
        assert chosen(manager) is None and bases(log) == [0]


# Kafka: LogCleanerManagerTest.testLogsWithSegmentsToDeleteShouldNotConsiderCleanupPolicyDeleteLogs
# Kafka: LogCleanerManagerTest.testLogsWithSegmentsToDeleteShouldConsiderCleanupPolicyCompactDeleteLogs
# Kafka: LogCleanerManagerTest.testLogsWithSegmentsToDeleteShouldConsiderCleanupPolicyCompactLogs
# Kafka: LogCleanerManagerTest.testLogsWithSegmentsToDeleteShouldNotConsiderUncleanablePartitions
@pytest.mark.parametrize(
    ("policy", "is_uncleanable", "left"),
    [
        (("delete",), False, 5),
        (("compact", "delete"), False, 1),
        (("compact", "delete"), True, 5),
        (("compact",), False, 5),
    ],
)
def test_retention_of_compacted_logs(
    managers: Managers, policy: tuple[str, ...], is_uncleanable: bool, left: int
) -> None:
    config = LogConfig(cleanup_policy=policy, retention_ms=1, min_cleanable_dirty_ratio=1.0, file_delete_delay_ms=0)
    with managers.open("a", config=config) as manager:
        log = manager.create_partition("foo", 0)
        for key in range(4):
            put(log, key)
            log.roll()
        if is_uncleanable:
            manager.uncleanable["foo", 0] = ValueError()
        managers.clock.sleep(5)
        assert manager.compact() is None
        assert log.segment_count == left
        if policy == ("compact",):  # what lies below the log's start goes all the same
            log._local._raise_start(2)
            manager.compact()
            assert bases(log) == [2, 3, 4]
        assert manager.metrics.deleted_segment_count == 5 - log.segment_count


# Kafka: LogCleanerManagerTest.testUpdateCheckpointsShouldAddOffsetToPartition
# Kafka: LogCleanerManagerTest.testUpdateCheckpointsShouldRemovePartitionData
# Kafka: LogCleanerManagerTest.testMaybeTruncateCheckpointShouldTruncateData
# Kafka: LogCleanerManagerTest.testAlterCheckpointDirShouldRemoveDataInSrcDirAndAddInNewDir
def test_the_checkpoint_goes_with_the_log(managers: Managers) -> None:
    with managers.open("a", "b", config=CONFIG) as manager:
        (log,) = filthy(manager, 25)
        other = managers.path / ("b" if log.root.path.name == "a" else "a")
        assert chosen(manager) == 0
        assert checkpoint(log.root.path) == {("wishing-well", 0): 25}
        log.truncate_to(26)
        assert checkpoint(log.root.path) == {("wishing-well", 0): 25}
        log.truncate_to(3)
        cut = log._local.active.base_offset
        assert checkpoint(log.root.path) == {("wishing-well", 0): cut}
        moved = manager.move("wishing-well", 0, other)
        assert checkpoint(other) == {("wishing-well", 0): cut} and not checkpoint(log.root.path)
        assert moved.to_clean().first_dirty_offset == cut
        manager.delete_partition("wishing-well", 0)
        assert not checkpoint(other)


# Kafka: LogCleanerManagerTest.testCleanableOffsetsForNone
# Kafka: LogCleanerManagerTest.testCleanableOffsetsActiveSegment
def test_the_dirty_part_ends_with_the_active_segment(managers: Managers) -> None:
    """The high watermark is the log's end here."""
    with managers.open("a", config=CONFIG) as manager:
        log = manager.create_partition("foo", 0)
        fill(log, 8)
        assert cleanable_offsets(log._local, 0, NOW_MS)[:2] == (0, bases(log)[-1])


# Kafka: LogCleanerManagerTest.testCleanableOffsetsForTime
# Kafka: LogCleanerManagerTest.testCleanableOffsetsForShortTime
def test_the_dirty_part_ends_with_what_is_too_new(managers: Managers) -> None:
    config = LogConfig(segment_bytes=1024, cleanup_policy=("compact",), min_compaction_lag_ms=HOUR_MS)
    with managers.open("a", config=config) as manager:
        log = manager.create_partition("foo", 0)
        fill(log, 4)
        base = bases(log)[-1]
        managers.clock.sleep(HOUR_MS + 1)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, base)
        fill(log, 8)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, base)
        managers.clock.sleep(HOUR_MS - 1)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, base)
        managers.clock.sleep(1)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, bases(log)[-1])


# Kafka: LogCleanerManagerTest.testUndecidedTransactionalDataNotCleanable
def test_the_dirty_part_ends_with_an_open_transaction(managers: Managers) -> None:
    config = LogConfig(segment_bytes=1024, cleanup_policy=("compact",), min_compaction_lag_ms=HOUR_MS)
    with managers.open("a", config=config) as manager:
        log = manager.create_partition("foo", 0)
        one = Appender(log, 15, transactional=True)
        one(1, 2), one(3)
        log.roll()
        managers.clock.sleep(HOUR_MS + 1)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, 0)
        made = end_of_transaction("abort", 0, managers.clock(), ProducerFields(15, 0, -1), coordinator_epoch=15)
        log.append_batches(made.data, validate=False)
        log.roll()
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, 3)
        managers.clock.sleep(HOUR_MS + 1)
        assert cleanable_offsets(log._local, 0, managers.clock())[:2] == (0, 4)


# --- in the background ---------------------------------------------------------------------------------------------


def test_started_managers_compact_by_themselves(managers: Managers) -> None:
    with managers.open("a", "b", config=CONFIG) as manager:
        logs = filthy(manager, 25, 30, 20)
        managers.clock.sleep(0)
        manager.start(initial_task_delay_ms=10, cleaner_backoff_ms=1000)
        managers.clock.sleep(10)
        assert manager.metrics.compaction_count == 2  # one after the other, without waiting
        for _ in range(3):
            for key in range(7):
                put(logs[2], key)
            logs[2].roll()
        managers.clock.sleep(999)
        assert manager.metrics.compaction_count == 2
        managers.clock.sleep(1)
        assert manager.metrics.compaction_count == 3
        assert len(list(logs[2])) == 20


def test_an_error_of_the_disk_takes_its_directory_offline(managers: Managers) -> None:
    with managers.open("a", "b", config=CONFIG) as manager:
        logs = filthy(manager, 30, 25)
        broken = logs[0].root.path
        managers.clock.sleep(0)
        managers.storage.broken = [broken]
        assert manager.compact() is None
        assert list(manager.offline) == [broken] and not manager.uncleanable
        assert chosen(manager) == 1


def test_a_log_that_is_compacted_while_it_is_moved(managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was copied of a segment is not what the segment is then."""
    with managers.open("a", "b", config=CONFIG) as manager:
        (log,) = filthy(manager, 25)
        for key in range(25):
            put(log, key, b"%d" % key * 9)
        log.roll()
        other = managers.path / ("b" if log.root.path.name == "a" else "a")
        begin = PartitionCopy.begin

        def compacted(copying: Any) -> None:
            begin(copying)
            assert log.compact(force=True) is not None

        monkeypatch.setattr(PartitionCopy, "begin", compacted)
        expected = [(key, b"%d" % key * 9) for key in range(25)]
        moved = manager.move("wishing-well", 0, other)
        assert [(int(record.key or b""), record.value) for record in moved] == expected


def test_the_real_clock_and_threads(tmp_path: Path) -> None:
    """A compaction in its own thread, next to appends, and closing while one may be going on."""
    config = LogConfig(segment_bytes=4096, cleanup_policy=("compact",), min_cleanable_dirty_ratio=0.01)
    with LogManager.open([tmp_path / "a"], config, storage=UnsyncedStorage()) as manager:
        log = manager.create_partition("orders", 0)
        manager.start(
            initial_task_delay_ms=0, cleaner_backoff_ms=1, cleaner=CleanerConfig(dedupe_buffer_bytes=24 * 1000)
        )
        stop, last = threading.Event(), dict[bytes, bytes]()

        def work() -> None:
            number = 0
            while not stop.wait(0.001):  # the cleaner's thread needs the interpreter, too
                key, value = b"k%d" % (number % 11), b"%d" % number
                try:
                    log.append([(key, value)])
                except LogClosedError:
                    return
                last[key] = value
                number += 1

        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(1000):
            if manager.metrics.compaction_count >= 5:
                break
            threading.Event().wait(0.01)
        stop.set()
        thread.join()
        assert manager.metrics.compaction_count >= 5 and manager.metrics.error_count == 0, manager.metrics
    with Log.open(tmp_path / "a" / "orders-0", config) as log:
        assert {record.key: record.value for record in log} == last
        assert log.segment_count < 50
