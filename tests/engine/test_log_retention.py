"""What an open log lets go, and what is left of it on disk: Kafka's cases of retention and deletion through a log.

The rules themselves, with more of Kafka's cases, stand in test_retention.py; the cases there are run here once more in
short, with files. A log has no replicas, so Kafka's cases of a high watermark below the end have nothing to say here.
"""

# ruff: noqa: E501 (names of Kafka's tests)

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import file_name
from kformat_engine.errors import LogClosedError, OffsetOutOfRangeError
from kformat_engine.log import Log
from kformat_engine.retention import Breach
from kformat_engine.root import Root
from tests.engine.building import batch
from tests.engine.faults import Death, Fault, FaultyStorage
from tests.engine.logs import NOW_MS, Stage, append_each, bases, read_values, record

SIZE = len(batch(0, b"test", timestamps=NOW_MS))
"""Bytes of a batch of one record: four bytes of value, or two of key and two of value."""
TOPIC = ("test_topic", 1)


def of_fifteen(stage: Stage, timestamp: int | None = None, **settings: Any) -> Log:
    """A log of three segments, each with five batches of one record."""
    log = stage.open(**{"segment_bytes": 5 * SIZE, "retention_ms": -1, **settings})
    for _ in range(15):
        log.append([record(b"test", timestamp)])
    assert bases(log) == [0, 5, 10]
    return log


# Kafka: UnifiedLogTest.testThatGarbageCollectingSegmentsDoesntChangeOffset
@pytest.mark.parametrize("count", [0, 1, 25])
def test_deleting_all_segments_does_not_change_the_end(stage: Stage, count: int) -> None:
    log = stage.open(segment_bytes=100, retention_ms=0)
    append_each(log, *[b"%d" % number for number in range(count)], timestamp=NOW_MS - 10)
    assert log.end_offset == count
    segments = bases(log)

    deleted = log.retain()
    assert deleted == ([(base, Breach.TIME) for base in segments] if count else [])
    assert (log.start_offset, log.end_offset, bases(log), log.size_bytes) == (count, count, [count], 0)
    assert log.retain() == []
    assert log.end_offset == count
    assert log.append([b"hello"]) == count
    assert read_values(log) == [b"hello"]


# Kafka: UnifiedLogTest.testAsyncDelete
# Kafka: LocalLogTest.testRemoveAndDeleteSegmentsAsync
# Kafka: LocalLogTest.testDeleteSegmentFilesAsync
def test_deleted_files_are_renamed_first_and_removed_later(stage: Stage) -> None:
    log = stage.open(
        segment_bytes=5 * SIZE,
        segment_index_bytes=1000,
        index_interval_bytes=10_000,
        retention_ms=999,
        file_delete_delay_ms=1000,
    )
    append_each(log, *[b"test"] * 100, timestamp=NOW_MS - 1000)
    stage.sleep(0)
    old = stage.names(".log", "index", ".snapshot")
    assert len(old) == 4 * 20 - 1

    assert len(log.retain()) == 20
    assert bases(log) == [100]
    assert stage.names(".deleted") == [f"{name}.deleted" for name in old], "renamed, and still there"
    assert stage.names(".log") == [file_name(100, "log")]
    stage.sleep(999)
    assert len(stage.names(".deleted")) == len(old)
    stage.sleep(1)
    assert stage.names(".deleted") == []
    assert (log.has_failed, log.append([b"x"])) == (False, 100)


# Kafka: LocalLogTest.testRemoveAndDeleteSegmentsSync
# Kafka: LocalLogTest.testDeleteSegmentFilesSync
@pytest.mark.parametrize("how", ["without a delay", "by closing"])
def test_deleted_files_are_removed_at_once_where_nothing_is_to_wait_for(stage: Stage, how: str) -> None:
    log = of_fifteen(stage, NOW_MS - 10, retention_ms=0, file_delete_delay_ms=0 if how == "without a delay" else 60_000)
    assert len(log.retain()) == 3
    assert len(stage.names(".log.deleted")) == 3
    if how == "without a delay":
        stage.sleep(0)
    else:
        log.close()
    assert stage.names(".deleted") == []
    assert stage.names(".log") == [file_name(15, "log")]


# Kafka: UnifiedLogTest.testDeleteOldSegments
def test_old_segments_go_and_the_latest_epoch_is_kept(stage: Stage) -> None:
    """Without Kafka's steps of a high watermark that rises."""
    log = stage.open(segment_bytes=5 * SIZE, segment_index_bytes=1000, retention_ms=999)
    for number in range(100):
        log.leader_epoch = number // 90
        append_each(log, b"test", timestamp=NOW_MS - 1000)
    assert (len(bases(log)), list(log.leader_epochs)) == (20, [(0, 0), (1, 90)])
    assert len(log.retain()) == 20
    assert (bases(log), list(log.leader_epochs)) == ([100], [(1, 100)])

    append_each(log, *[b"test"] * 100, timestamp=NOW_MS - 1000)
    log.delete()
    assert not stage.path.exists()
    with pytest.raises(LogClosedError):
        log.retain()
    assert stage.open().leader_epochs == ()


# Kafka: UnifiedLogTest.shouldTruncateLeaderEpochsWhenDeletingSegments
# Kafka: UnifiedLogTest.shouldUpdateOffsetForLeaderEpochsWhenDeletingSegments
@pytest.mark.parametrize(
    ("second", "expected"),
    [
        pytest.param(5, [(1, 5), (2, 10)], id="an-epoch-ends-with-the-segment"),
        pytest.param(7, [(0, 5), (1, 7), (2, 10)], id="an-epoch-ends-in-the-next-segment"),
    ],
)
def test_the_epochs_begin_where_the_log_does(stage: Stage, second: int, expected: list[tuple[int, int]]) -> None:
    log = stage.open(segment_bytes=5 * SIZE, retention_bytes=10 * SIZE)
    for number in range(15):
        log.leader_epoch = 0 if number < second else 1 if number < 10 else 2
        append_each(log, b"test")
    assert list(log.leader_epochs) == [(0, 0), (1, second), (2, 10)]
    assert log.retain() == [(0, Breach.SIZE)]
    assert list(log.leader_epochs) == expected
    log.close()
    assert list(stage.open().leader_epochs) == expected


@pytest.mark.parametrize(
    ("settings", "timestamp", "expected"),
    [
        pytest.param({"retention_bytes": 10 * SIZE}, None, [(0, Breach.SIZE)], id="too-large"),
        pytest.param({"retention_bytes": 15 * SIZE}, None, [], id="large-enough"),
        pytest.param({"retention_ms": 10_000}, 10, [(base, Breach.TIME) for base in (0, 5, 10)], id="old"),
        pytest.param({"retention_ms": 10_000_000}, NOW_MS, [], id="new"),
        pytest.param({"retention_ms": 10_000, "cleanup_policy": ("compact",)}, 10, [], id="compacted"),
        pytest.param(
            {"retention_ms": 10_000, "cleanup_policy": ("compact", "delete")},
            10,
            [(base, Breach.TIME) for base in (0, 5, 10)],
            id="compacted-and-deleted",
        ),
    ],
)
def test_what_retention_takes_from_a_log(
    stage: Stage, settings: dict[str, Any], timestamp: int | None, expected: list[tuple[int, Breach]]
) -> None:
    """The cases `should...Delete...` of UnifiedLogTest, which test_retention.py has, with files."""
    log = stage.open(**{"segment_bytes": 5 * SIZE, "retention_ms": -1, **settings})
    for _ in range(15):
        log.append([record(b"va", timestamp, b"ke")])
    assert (bases(log), log.size_bytes) == ([0, 5, 10], 15 * SIZE)
    assert log.retain() == expected
    assert len(bases(log)) == max(3 - len(expected), 1)
    assert log.start_offset == (15 if len(expected) == 3 else 5 * len(expected))
    log.close()
    log = stage.open()
    assert (log.start_offset, log.end_offset) == (15 if len(expected) == 3 else 5 * len(expected), 15)


# Kafka: UnifiedLogTest.testNoOpWhenRemoteLogStorageIsDisabled
def test_deleting_records_moves_the_start_and_deletes_segments(stage: Stage) -> None:
    """UnifiedLogTest.testLogDeletionAfterDeleteRecords, with files; here no retention has to run for it."""
    log = of_fifteen(stage)
    for offset, left in ((1, [0, 5, 10]), (6, [5, 10]), (3, [5, 10]), (15, [10])):
        assert log.delete_records_before(offset) == log.start_offset == max(offset, 6 if offset == 3 else 0)
        assert bases(log) == left
    for offset in (16, -2):
        with pytest.raises(OffsetOutOfRangeError):
            log.delete_records_before(offset)
    log.close()
    log = stage.open()
    assert (bases(log), log.start_offset, log.end_offset, read_values(log)) == ([10], 15, 15, [])
    assert log.delete_records_before(-1) == 15


def test_the_rules_free_each_other(stage: Stage) -> None:
    """UnifiedLogTest.testRetentionIdempotency, with files. Where Kafka's start moves and nothing is deleted before
    retention runs, here the segment below it goes at once."""
    log = stage.open(segment_bytes=1 << 20, retention_ms=900, file_delete_delay_ms=0)
    for value, later_ms in ((b"a", 100), (b"b", 0), (b"c", 100)):
        append_each(log, value, timestamp=NOW_MS + later_ms)
        if value != b"c":
            log.roll()
    stage.sleep(901)
    assert log.retain() == []
    log.delete_records_before(1)
    assert bases(log) == [1, 2]
    assert log.retain() == [(1, Breach.TIME)]
    assert log.retain() == []
    assert read_values(log) == [b"c"]


def test_one_run_goes_through_all_rules(stage: Stage) -> None:
    """Start, size and time, each on what the one before has left (UnifiedLog.deleteOldSegments)."""
    log = stage.open(segment_bytes=5 * SIZE, retention_bytes=10 * SIZE, retention_ms=1000)
    for number in range(15):
        append_each(log, b"test", timestamp=NOW_MS - 1001 if number < 10 else NOW_MS)
    assert log.retain() == [(0, Breach.SIZE), (5, Breach.TIME)]
    assert (bases(log), log.start_offset) == ([10], 10)


# --- snapshots of producers ---------------------------------------------------------------------


# Kafka: UnifiedLogTest.testRetentionDeletesProducerStateSnapshots
@pytest.mark.parametrize("rolled", [True, False])
def test_snapshots_go_with_their_segments(stage: Stage, rolled: bool) -> None:
    """One is left, of the offset where all ends, however that comes about."""
    log = stage.open(retention_bytes=0, retention_ms=60_000, file_delete_delay_ms=0)
    for number, value in enumerate((b"a", b"b", b"c")):
        append_each(log, value)
        if number < 2 or rolled:
            log.roll()
    stage.sleep(60_001)
    log.retain()
    stage.sleep(1)
    assert stage.names(".snapshot") == [file_name(3, "snapshot")]
    assert log.start_offset == 3


# Kafka: UnifiedLogTest.testLogStartOffsetMovementDeletesSnapshots
# Kafka: UnifiedLogTest.testDeleteSnapshotsOnIncrementLogStartOffset
def test_snapshots_go_when_records_are_deleted(stage: Stage) -> None:
    log = stage.open()
    for number, value in enumerate((b"a", b"b", b"c")):
        append_each(log, value)
        if number < 2:
            log.roll()
            (stage.path / file_name(number + 1, "snapshot")).touch()
    log.delete_records_before(2)
    assert (bases(log), stage.names(".snapshot")) == ([2], [file_name(2, "snapshot")])


# --- deleting a log ------------------------------------------------------------------------------------------------


# Kafka: LocalLogTest.testLogDeleteSegmentsSuccess
# Kafka: LocalLogTest.testLogDeleteDirSuccessWhenEmptyAndFailureWhenNonEmpty
# Kafka: UnifiedLogTest.testLogDeletionAfterClose
def test_a_log_is_deleted_with_its_folder_and_what_the_root_knows(stage: Stage) -> None:
    """Kafka deletes a log that was closed, too; here it is opened again for that, because its folder may be another's
    by then."""
    log = of_fifteen(stage, retention_bytes=5 * SIZE, topic_id="MkTRaEPbQoiZZNm5xA8bJA")
    log.delete_records_before(7)
    log.truncate_to(12)
    assert len(stage.names(".deleted")) > 0
    log.close()
    with pytest.raises(LogClosedError):
        log.delete()

    root = Root.open(stage.root)
    assert (root.recovery_point(*TOPIC), root.log_start_offset(*TOPIC)) == (12, 7)
    log = stage.open(root=root)
    (stage.path / "somebody's").mkdir()
    with pytest.raises(UsageError, match="somebody's"):
        log.delete()
    assert (log.has_failed, len(list(log))) == (False, 5)
    (stage.path / "somebody's").rmdir()

    log.delete()
    assert log.is_closed
    assert not stage.path.exists()
    assert (root.recovery_point(*TOPIC), root.log_start_offset(*TOPIC), root.high_watermark(*TOPIC)) == (
        None,
        None,
        None,
    )
    log.close()
    root.close()
    assert "test_topic" not in (stage.root / "recovery-point-offset-checkpoint").read_text()
    log = stage.open()
    assert (log.start_offset, log.end_offset, log.topic_id) == (0, 0, None)


def test_a_log_whose_deletion_dies_ends_earlier_or_is_gone(tmp_path: Path) -> None:
    whole = [b"test"] * 15
    for number in range(1, 100):
        with Stage(tmp_path / str(number)) as stage:
            storage = FaultyStorage()
            log = of_fifteen(stage, storage=storage)
            log.flush()
            storage.fault = Fault(at=len(storage.trace) + number, error=None)
            try:
                log.delete()
            except Death:
                log.root.abandon()
                storage.close_all()
            else:
                break
            with Stage(stage.root) as after:
                log = after.open()
                assert whole[: log.end_offset] == read_values(log)
                assert log.end_offset in (0, 5, 10, 15)
                assert log.append([b"x"]) == log.end_offset - 1
    assert number > 9, "at least the logs, the indexes and the folder were removed one by one"


# Kafka, left out: UnifiedLogTest.testCannotDeleteSegmentsAtOrAboveHighWatermark: no replicas, no high watermark
# Kafka, left out: UnifiedLogTest.testSegmentDeletionWithHighWatermarkInitialization: no replicas, no high watermark
# Kafka, left out: UnifiedLogTest.testCannotIncrementLogStartOffsetPastHighWatermark: no replicas, no high watermark
# Kafka, left out: UnifiedLogTest.testRemoteLogStorageIsDisabledOnInternalAndRemoteLogMetadataTopic: remote storage
# Kafka, left out: UnifiedLogTest.testStartOffsetsRemoteLogStorageIsEnabled: remote storage
# Kafka, left out: UnifiedLogTest.testActiveSegmentDeletionDueToRetentionTimeBreachWithRemoteStorage: remote storage
# Kafka, left out: UnifiedLogTest.testSegmentDeletionEnabledBeforeUploadToRemoteTierWhenLogStartOffsetMovedAhead: remote
# Kafka, left out: UnifiedLogTest.testRetentionOnLocalLogDeletionWhenRemoteLogCopyEnabledAndDefaultLocalRetentionBytes: remote storage
# Kafka, left out: UnifiedLogTest.testRetentionOnLocalLogDeletionWhenRemoteLogCopyEnabledAndDefaultLocalRetentionMs: remote storage
# Kafka, left out: UnifiedLogTest.testRetentionOnLocalLogDeletionWhenRemoteLogCopyDisabled: remote storage
# Kafka, left out: UnifiedLogTest.testIncrementLocalLogStartOffsetAfterLocalLogDeletion: remote storage
# Kafka, left out: UnifiedLogTest.testConvertToOffsetMetadataDoesNotThrowOffsetOutOfRangeError: remote storage
