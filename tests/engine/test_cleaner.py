"""Compactions of a log: what Kafka's tests of its cleaner say (LogCleanerTest), and what goes beyond them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from kformat.codec.constructs import build
from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, wrapper
from kformat.errors import ChecksumError, DataError, TruncatedError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.log.log_reader import Cursor, LogReader
from kformat_engine import cleaner
from kformat_engine.cleaner import Cleaner, CleanerConfig, Sizes, grouped, part_to_clean
from kformat_engine.compaction import filtered
from kformat_engine.errors import CompactionAbortedError, LogClosedError
from kformat_engine.log import Log
from kformat_engine.root import Root
from tests.engine.cleaning import (
    LARGE_TIMESTAMP,
    TOMBSTONE_RETENTION_MS,
    Appender,
    aborted,
    batches,
    clean,
    clean_twice,
    fill,
    keys,
    last_offsets,
    last_sequences,
    offsets,
    put,
    records,
)
from tests.engine.faults import FaultyStorage, Step
from tests.engine.logs import NOW_MS, Stage, bases

# Kafka, left out: LogCleanerTest.testRemoveMetricsOnClose: metrics are an object that the manager makes when asked
# Kafka, left out: LogCleanerTest.testMetricsActiveAfterReconfiguration: a manager's settings do not change
# Kafka, left out: LogCleanerTest.testMaxCleanTimeSecs: there are no gauges; test_manager_compaction has the metrics
# Kafka, left out: LogCleanerTest.testReconfigureLogCleanerIoMaxBytesPerSecond: compaction is not throttled
# Kafka, left out: LogCleanerTest.testBuildOffsetMapFakeLarge: offsets above 2^31 are in test_grouping_by_offsets
# Kafka, left out: LogCleanerTest.testSegmentWithOffsetOverflow: opening a log splits such a segment (test_log_opening)
# Kafka, left out: LogCleanerTest.testClientHandlingOfCorruptMessageSet: of readers; tests/kafka has such wrappers


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as opened:
        yield opened


def open_log(stage: Stage, segment_bytes: int = 1024, **settings: Any) -> Log:
    given = {"segment_index_bytes": 1024, "cleanup_policy": ("compact",), **settings}
    return stage.open(segment_bytes=segment_bytes, **given)


def before_each_filter(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something whenever a compaction, which does not hold the log's lock then, is about to filter batches."""

    def acted(*given: Any, **named: Any) -> Any:
        act()
        return filtered(*given, **named)

    monkeypatch.setattr(cleaner, "filtered", acted)


# Kafka: UnifiedLogTest.testCompactionDeletesProducerStateSnapshots
def test_snapshots_go_with_the_segments_that_are_compacted_away(stage: Stage) -> None:
    log = open_log(stage, 10 * 2048, file_delete_delay_ms=0)
    append = Appender(log, 1)
    for _ in range(3):
        append(7)
        log.roll()

    def snapshots() -> list[int]:
        return [int(name.split(".")[0]) for name in stage.names(".snapshot")]

    assert snapshots() == bases(log)[1:] == [1, 2, 3]
    clean(log)
    stage.sleep(1)
    assert snapshots() == bases(log)[1:] == [3]
    assert not stage.names(".deleted")


# Kafka: LogCleanerTest.testCleanSegments
def test_keys_that_come_again_later_go(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 4)
    gone = (1, 3, 5, 7, 9)
    assert keys(log) == list(range(log.end_offset))
    size = sum(segment.size_bytes for segment in log.segments[:3])
    done = clean(log, later_keys=[b"%d" % key for key in gone])
    assert keys(log) == [key for key in range(log.end_offset) if key not in gone]
    assert (done.size_bytes_before, done.segment_count_before) == (size, 3)


# Kafka: LogCleanerTest.testCleanSegmentsWithConcurrentSegmentDeletion
def test_a_deletion_of_segments_ends_a_compaction(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(stage, cleanup_policy=("compact", "delete"))
    for _ in range(3):
        put(log, 0)
        log.roll()
    before_each_filter(monkeypatch, lambda: log.delete_records_before(1))
    with pytest.raises(CompactionAbortedError):
        clean(log)
    monkeypatch.undo()
    assert bases(log) == [1, 2, 3]
    assert not stage.names(".cleaned", ".swap") and not log.has_failed
    assert clean(log).segment_count_after == 1


# Kafka: LogCleanerTest.testSizeTrimmedForPreallocatedAndCompactedTopic
def test_a_preallocated_segment_is_cut_to_what_it_holds(stage: Stage) -> None:
    log = open_log(stage, preallocate=True)
    for key in (0, 1, 0, 1, 0):
        put(log, key)
    log.roll()
    clean(log, 2, slots=2)
    first = log.segments[0]
    assert first.path.stat().st_size == first.size_bytes < 1024
    assert offsets(log) == [1, 2, 3, 4]


# Kafka: LogCleanerTest.testDuplicateCheckAfterCleaning
def test_repeated_appends_are_found_after_compaction(stage: Stage) -> None:
    log = open_log(stage, 2048)
    for producer_id, given in ((1, (1, 2, 3)), (2, (3, 1, 4)), (3, (1, 4))):
        Appender(log, producer_id)(*given)
    log.roll()
    clean(log)
    assert last_offsets(log) == [2, 5, 7] and last_sequences(log) == {1: 2, 2: 2, 3: 1}
    assert (keys(log), offsets(log)) == ([2, 3, 1, 4], [1, 3, 6, 7])
    log.close()
    log = open_log(stage, 2048)
    for producer_id, given, first in ((1, (1, 2, 3), 0), (3, (1, 4), 6), (2, (3, 1, 4), 3)):
        assert Appender(log, producer_id)(*given) == first
    assert log.end_offset == 8
    Appender(log, 4)(2)
    log.roll()
    clean(log)
    assert last_sequences(log) == {1: 2, 2: 2, 3: 1, 4: 0} and last_offsets(log) == [2, 5, 7, 8]
    assert (keys(log), offsets(log)) == ([3, 1, 4, 2], [3, 6, 7, 8])
    log.close()
    log = open_log(stage, 2048)
    assert Appender(log, 1)(1, 2, 3) == 0


# Kafka: LogCleanerTest.testMultiPassSegmentCleaningWithAbortedTransactions
def test_aborted_transactions_in_several_passes(stage: Stage) -> None:
    log = open_log(stage, 1 << 20, delete_retention_ms=50_000)
    one, two = (Appender(log, number, transactional=True) for number in (1, 2))
    one(1, 2), two(2, 3), one(3, 4)
    one.end("commit")
    two.end("commit")
    one(2, 3)
    one.end("abort")
    two(4, 5), one(5, 6)
    one.end("commit")
    two.end("abort")
    two(6, 7)
    two.end("commit")
    log.roll()
    assert log.end_offset == 20 and log._local.producers.state.first_unstable_offset is None
    both = [(1, 8, 10, 11), (2, 11, 16, 17)]
    assert aborted(log) == both

    def base_offsets() -> list[int]:
        return [one.base_offset for one in batches(log)]

    dirty = clean(log, slots=5).end_offset  # filled to 3/4: three keys
    assert dirty <= 4 and aborted(log) == both
    assert base_offsets() == [0, 2, 4, 6, 7, 10, 13, 15, 16, 17, 19]
    # What of the transactions was left is gone now, and they are not in the index any more; their markers are there.
    assert clean(log, dirty).end_offset == 20
    assert aborted(log) == [] and {10, 16} <= set(base_offsets())
    stage.sleep(50_000)
    clean(log, 0)
    assert {10, 16}.isdisjoint(base_offsets()) and aborted(log) == []
    assert {7, 15, 19} <= set(base_offsets())


# Kafka: LogCleanerTest.testBasicTransactionAwareCleaning
def test_records_of_aborted_transactions_go(stage: Stage) -> None:
    log = open_log(stage, 2048)
    one, two = (Appender(log, number, transactional=True) for number in (1, 2))
    one(1, 2), two(2, 3), one(3, 4)
    one.end("abort")
    two.end("commit")
    one(2)
    one.end("commit")
    before = aborted(log)
    log.roll()
    clean(log)
    assert (keys(log), offsets(log)) == ([3, 2], [3, 6, 7, 8, 9])
    assert before and aborted(log) == before


# Kafka: LogCleanerTest.testCleanWithTransactionsSpanningSegments
def test_transactions_over_several_segments(stage: Stage) -> None:
    log = open_log(stage)
    one, two, three = (Appender(log, number, transactional=True) for number in (1, 2, 3))
    one(1, 2), three(2, 3), two(3, 4)
    log.roll()
    two(5, 6), three(6, 7), one(7, 8)
    two.end("abort")
    three(8, 9)
    three.end("commit")
    one(9, 10)
    one.end("abort")
    dirty = clean(log).end_offset
    assert keys(log) == [2, 3, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10]
    log.roll()
    two(11), one(12)
    clean(log, dirty)
    assert keys(log) == [2, 3, 6, 7, 8, 9, 11, 12]


# Kafka: LogCleanerTest.testCommitMarkerRemoval
def test_a_commit_marker_stays_until_its_records_are_gone_and_its_horizon_passed(stage: Stage) -> None:
    log = open_log(stage, 256)
    one = Appender(log, 1, transactional=True)
    one(1), one(2, 3)
    one.end("commit")
    one(2)
    one.end("commit")
    log.roll()
    dirty = clean(log, now_ms=LARGE_TIMESTAMP).end_offset
    assert (keys(log), offsets(log)) == ([1, 3, 2], [0, 2, 3, 4, 5])
    one(1, 3)
    one.end("commit")
    log.roll()
    for _ in range(2):
        dirty = clean(log, dirty, now_ms=LARGE_TIMESTAMP).end_offset
        assert (keys(log), offsets(log)) == ([2, 1, 3], [3, 4, 5, 6, 7, 8])
    clean(log, dirty, now_ms=MAX_INT64)
    # Kafka's test: compacting nothing that is dirty goes over all of it again.
    assert (keys(log), offsets(log)) == ([2, 1, 3], [4, 5, 6, 7, 8])


# Kafka: LogCleanerTest.testDeletedBatchesWithNoMessagesRead
def test_batches_that_go_as_a_whole(stage: Stage) -> None:
    log = open_log(stage, 1000, max_message_bytes=100)
    one = Appender(log, 1, transactional=True)
    one(1)
    one.end("abort")
    one(2), one(2)
    one.end("commit")
    log.roll()
    clean(log, now_ms=LARGE_TIMESTAMP)
    assert (keys(log), offsets(log)) == ([2], [1, 3, 4])
    clean_twice(log)
    assert (keys(log), offsets(log)) == ([2], [3, 4])


# Kafka: LogCleanerTest.testCommitMarkerRetentionWithEmptyBatch
def test_a_commit_marker_stays_while_an_empty_batch_of_its_transaction_does(stage: Stage) -> None:
    log = open_log(stage, 256)
    one, two = (Appender(log, number, transactional=True) for number in (1, 2))
    one(2, 3)
    log.roll()
    two(2, 3)
    two.end("commit")
    log.roll()
    put(log, 2), put(log, 3)
    one.end("commit")
    log.roll()
    dirty = 0
    for _ in range(2):
        dirty = clean(log, dirty, now_ms=LARGE_TIMESTAMP).end_offset
        assert (keys(log), offsets(log), last_offsets(log)) == ([2, 3], [4, 5, 6, 7], [1, 3, 4, 5, 6, 7])
    two(1)
    two.end("commit")
    log.roll()
    dirty = clean(log, dirty, now_ms=LARGE_TIMESTAMP).end_offset
    assert (keys(log), offsets(log)) == ([2, 3, 1], [4, 5, 6, 7, 8, 9])
    assert last_offsets(log) == [1, 4, 5, 6, 7, 8, 9]
    clean_twice(log, dirty)
    assert (keys(log), offsets(log), last_offsets(log)) == ([2, 3, 1], [5, 6, 7, 8, 9], [1, 5, 6, 7, 8, 9])


# Kafka: LogCleanerTest.testCleanEmptyControlBatch
def test_a_marker_that_was_emptied(stage: Stage) -> None:
    log = open_log(stage, 256)
    Appender(log, 1, transactional=True).end("commit")
    put(log, 2), put(log, 3)
    log.roll()
    dirty = clean_twice(log).end_offset
    for _ in range(2):
        assert (keys(log), offsets(log), last_offsets(log)) == ([2, 3], [1, 2], [0, 1, 2])
        clean(log, dirty, now_ms=MAX_INT64)


# Kafka: LogCleanerTest.testCommittedTransactionSpanningSegments
def test_a_marker_in_a_segment_of_its_own(stage: Stage) -> None:
    log = open_log(stage, 128)
    one = Appender(log, 1, transactional=True)
    one(1)
    log.roll()
    one.end("commit")
    log.roll()
    clean_twice(log)
    assert offsets(log) == last_offsets(log) == [0, 1]


# Kafka: LogCleanerTest.testAbortedTransactionSpanningSegments
def test_an_aborted_transaction_whose_last_batch_is_its_producers(stage: Stage) -> None:
    log = open_log(stage, 128)
    one = Appender(log, 1, transactional=True)
    one(1)
    log.roll()
    one.end("abort")
    log.roll()
    for now_ms in (LARGE_TIMESTAMP, MAX_INT64):
        clean(log, now_ms=now_ms)
        assert (offsets(log), last_offsets(log)) == ([1], [0, 1])


# Kafka: LogCleanerTest.testAbortMarkerRemoval
def test_an_abort_marker_goes_when_its_horizon_has_passed(stage: Stage) -> None:
    log = open_log(stage, 256)
    one = Appender(log, 1, transactional=True)
    one(1), one(2, 3)
    one.end("abort")
    one(3)
    one.end("commit")
    log.roll()
    dirty = clean(log, now_ms=LARGE_TIMESTAMP).end_offset
    assert (keys(log), offsets(log)) == ([3], [3, 4, 5])
    clean_twice(log, dirty)
    assert (keys(log), offsets(log)) == ([3], [4, 5])


# Kafka: LogCleanerTest.testEmptyBatchRemovalWithSequenceReuse
def test_producers_that_begin_with_the_same_sequence_again(stage: Stage) -> None:
    log = open_log(stage, 2048)
    for key in (1, 2):
        one = Appender(log, 1, transactional=True, checked=False)
        one(key)
        one.end("commit")
    put(log, 1), put(log, 2, 1)
    log.roll()
    clean(log, now_ms=LARGE_TIMESTAMP)
    assert (offsets(log), last_offsets(log)) == ([1, 3, 4, 5], [1, 2, 3, 4, 5])
    clean_twice(log)
    assert (offsets(log), last_offsets(log)) == ([3, 4, 5], [2, 3, 4, 5])


# Kafka: LogCleanerTest.testAbortMarkerRetentionWithEmptyBatch
def test_an_abort_marker_stays_while_an_empty_batch_of_its_transaction_does(stage: Stage) -> None:
    log = open_log(stage, 256)
    one = Appender(log, 1, transactional=True)
    one(2, 3)
    one.end("abort")
    log.roll()
    indexed = [(1, 0, 2, 3)]
    assert aborted(log) == indexed
    dirty = clean(log, now_ms=LARGE_TIMESTAMP).end_offset
    for _ in range(2):
        assert (aborted(log), keys(log), offsets(log), last_offsets(log)) == (indexed, [], [2], [1, 2])
        dirty = clean_twice(log, dirty).end_offset
    one(1)
    log.roll()
    dirty = clean(log, dirty, now_ms=LARGE_TIMESTAMP).end_offset
    assert (aborted(log), keys(log), offsets(log), last_offsets(log)) == (indexed, [1], [2, 3], [2, 3])
    clean_twice(log, dirty)
    assert (aborted(log), keys(log), offsets(log), last_offsets(log)) == ([], [1], [3], [3])


# Kafka: LogCleanerTest.testLargeMessage
# Kafka: LogCleanerTest.testMessageLargerThanMaxMessageSize
def test_batches_larger_than_what_is_read_at_once(stage: Stage) -> None:
    log = open_log(stage, 8 << 20, max_message_bytes=4 << 20)
    for number in range(5):
        put(log, number, bytes(1 << 20) * (2 if number == 3 else 1))
    log.roll()
    log.close()
    log = open_log(stage, 8 << 20, max_message_bytes=1 << 10)
    clean(log, later_keys=[b"1", b"3"])
    assert keys(log) == [0, 2, 4]


# Kafka: LogCleanerTest.testMessageLargerThanMaxMessageSizeWithCorruptHeader
def test_a_damaged_batch_ends_a_compaction(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 3)
    path, before = log.segments[0].path, log.segments[0].size_bytes
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(ChecksumError):
        clean(log)
    assert not stage.names(".cleaned", ".swap") and not log.has_failed
    assert log.segments[0].size_bytes == before and put(log, 1) == log.end_offset - 1


# Kafka: LogCleanerTest.testCorruptMessageSizeLargerThanBytesAvailable
def test_a_segment_that_was_cut_ends_a_compaction(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 3)
    os.truncate(log.segments[1].path, 100)
    with pytest.raises(TruncatedError):
        clean(log)
    assert not stage.names(".cleaned", ".swap") and not log.has_failed


# Kafka: LogCleanerTest.testCleaningWithDeletes
def test_tombstones_delete_keys(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 2)
    end = log.end_offset
    for key in range(0, end, 2):
        log.append([(b"%d" % key, None)])
    fill(log, 4)
    clean(log)
    assert set(range(0, end, 2)).isdisjoint(keys(log)) and set(range(1, end, 2)) <= set(keys(log))


# Kafka: LogCleanerTest.testLogCleanerStats
# Kafka: LogCleanerTest.testPartialSegmentClean
def test_a_full_map_ends_what_is_compacted(stage: Stage) -> None:
    log = open_log(stage)
    for key in (0, 1, 0, 1, 0):
        put(log, key)
    log.roll()
    size = log.size_bytes
    done = clean(log, 2, slots=2)
    assert (keys(log), offsets(log), done.end_offset) == ([1, 0, 1, 0], [1, 2, 3, 4], 3)
    clean(log, 3, slots=2)
    assert (keys(log), offsets(log)) == ([0, 1, 0], [2, 3, 4])
    done = clean(log, 4, slots=4)
    assert (keys(log), offsets(log)) == ([1, 0], [3, 4])
    assert (done.end_offset, done.read_count, done.retained_count, done.without_key_count) == (5, 3, 2, 0)
    assert done.size_bytes_after == log.size_bytes == size // 5 * 2


# Kafka: LogCleanerTest.testLogCleanerRetainsProducerLastSequence
def test_the_last_batch_of_a_producer_stays(stage: Stage) -> None:
    log = open_log(stage)
    put(log, 0)
    one, two, three = (Appender(log, number) for number in (1, 2, 3))
    one(0), two(0), three(0), two(1)
    log.roll()
    clean(log, slots=10)
    assert last_offsets(log) == [1, 3, 4] and last_sequences(log) == {1: 0, 2: 1, 3: 0}
    assert (keys(log), offsets(log)) == ([0, 1], [3, 4])


# Kafka: LogCleanerTest.testLogCleanerRetainsLastSequenceEvenIfTransactionAborted
def test_the_last_batch_of_a_producer_stays_after_an_abort(stage: Stage) -> None:
    log = open_log(stage)
    one = Appender(log, 1, transactional=True)
    one(1), one(2, 3)
    one.end("abort")
    log.roll()
    clean(log)
    assert (last_offsets(log), last_sequences(log), keys(log), offsets(log)) == ([2, 3], {1: 2}, [], [3])
    one(1, 5)
    log.roll()
    clean(log)
    assert (last_offsets(log), last_sequences(log)) == ([3, 5], {1: 4})
    assert (keys(log), offsets(log)) == ([1, 5], [3, 4, 5])


# Kafka: LogCleanerTest.testCleaningWithKeysConflictingWithTxnMarkerKeys
def test_a_key_like_that_of_a_marker_does_not_remove_it(stage: Stage) -> None:
    log = open_log(stage)
    one, two = (Appender(log, number, transactional=True) for number in (1, 2))
    one(1)
    one.end("commit")
    content = PlannedRecord(0, NOW_MS, build("control_record_type_schema", {"type": "commit"}), b"foo")
    log.append_batches(batch([content], producer=ProducerFields(2, 0, 0), transactional=True).data)
    two.end("commit")
    log.roll()
    clean(log)
    assert offsets(log) == last_offsets(log) == [0, 1, 2, 3]


# Kafka: LogCleanerTest.testCleaningWithUncleanableSection
# Kafka: LogCleanerTest.testLogToClean
# Kafka: LogCleanerTest.testLogToCleanWithUncleanableSection
def test_only_whole_segments_below_the_end_are_compacted(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 3, keys=10)
    uncleanable = log.end_offset + 1
    fill(log, 6, keys=10)
    before = [segment.size_bytes for segment in log.segments]
    clean(log, 0, uncleanable)
    after = [segment.size_bytes for segment in log.segments]
    assert all(one < other for one, other in zip(after[:2], before[:2], strict=True)) or len(after) < len(before)
    assert after[-4:] == before[-4:]
    segments = log.segments
    found = part_to_clean(log._local, segments[1].base_offset, segments[3].base_offset)
    assert (found.clean_bytes, found.cleanable_bytes) == (after[0], sum(after[1:3]))
    assert found.cleanable_ratio == pytest.approx(sum(after[1:3]) / sum(after[:3]))


# Kafka: LogCleanerTest.testCleaningWithUnkeyedMessages
def test_records_without_a_key_go(stage: Stage) -> None:
    log = open_log(stage, cleanup_policy=("delete",))
    while log.segment_count < 2:
        log.append([b"without a key"])
    unkeyed, size = log.end_offset, log.size_bytes
    fill(log, 3)
    rest = log.size_bytes - size
    done = clean(log)
    assert done.without_key_count == unkeyed and log.size_bytes == rest
    assert all(record.key is not None for record in log)


# Kafka: LogCleanerTest.testCleanSegmentsWithAbort
@pytest.mark.parametrize("way", ["truncate_to", "truncate_fully_and_start_at", "delete_records_before", "close"])
def test_what_cuts_or_closes_the_log_ends_a_compaction(stage: Stage, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    log = open_log(stage, file_delete_delay_ms=0)
    fill(log, 4, keys=5)
    offset = log.segments[2].base_offset
    before_each_filter(monkeypatch, lambda: log.close() if way == "close" else getattr(log, way)(offset))
    with pytest.raises((CompactionAbortedError, LogClosedError)):
        log.compact()
    assert not stage.names(".cleaned", ".swap") and not log.is_being_compacted
    if way != "close":
        monkeypatch.undo()
        assert not log.has_failed and log.root.cleaner_offset(log.topic, log.partition) is None
        fill(log, log.segment_count + 2, keys=5)
        assert log.compact() is not None


def test_a_cut_right_before_the_replacement(stage: Stage) -> None:
    """The new segment was written and is being synced, without the lock."""
    storage, cuts = FaultyStorage(), list[int]()
    log = open_log(stage, storage=storage, root=Root.open(stage.root, storage=storage))
    fill(log, 4, keys=5)
    offset = log.segments[2].base_offset

    def cut(step: Step) -> None:
        if step.operation == "sync" and step.name.endswith(".index.cleaned") and not cuts:
            cuts.append(offset)
            log.truncate_to(offset)

    storage.before_step = cut
    with pytest.raises(CompactionAbortedError):
        log.compact()
    assert cuts and not log.has_failed and log.end_offset == offset
    assert not stage.names(".cleaned", ".swap")
    fill(log, log.segment_count + 1, keys=5)
    assert log.compact() is not None
    log.close()
    log.root.close()


def test_a_checkpoint_that_cannot_be_read_is_kept_aside(stage: Stage) -> None:
    path = stage.root / "cleaner-offset-checkpoint"
    path.write_bytes(b"7\n")
    log = open_log(stage)
    fill(log, 3, keys=7)
    assert path.read_bytes() == b"7\n"
    assert log.compact() is not None
    assert path.read_bytes() != b"7\n" and path.with_name(f"{path.name}.unreadable").read_bytes() == b"7\n"


def test_segments_that_lose_everything(stage: Stage) -> None:
    """Their files stay, empty, as Kafka's; with the next compaction consecutive ones become one."""
    log = open_log(stage, 200)
    for _ in range(7):
        put(log, 1, bytes(100))
    assert clean(log).segment_count_after == 6
    sizes = [segment.size_bytes for segment in log.segments]
    assert sizes[:5] == [0] * 5 and offsets(log) == [5, 6]
    log.close()
    log = open_log(stage, 200)
    assert log.report.changes == () and offsets(log) == [5, 6] and log.read(0).base_offset == 5
    log.roll()
    clean(log)
    assert log.segment_count < len(sizes) and offsets(log)[-1] == 6


# Kafka: LogCleanerTest.testCleanSegmentsRetainingLastEmptyBatch
def test_the_last_batch_stays_without_records(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 4)
    clean(log, later_keys=[b"%d" % key for key in keys(log)], segment_bytes=1 << 20)
    assert log.segment_count == 2
    (kept,) = list(log.batches(0, log.segments[1].base_offset))
    assert kept.last_offset == log.segments[1].base_offset - 1 and not kept.records_count and kept.size == 61


# Kafka: LogCleanerTest.testSegmentGrouping
def test_grouping_by_size() -> None:
    segments = [Sizes(10 * number, 100, 16, 24) for number in range(10)]

    def shape(max_bytes: int = MAX_INT32, max_index_bytes: int = MAX_INT32) -> list[int]:
        groups = grouped(segments, max_bytes, max_index_bytes, 100)
        assert [one for group in groups for one in group] == segments
        return [len(group) for group in groups]

    assert shape() == [10]
    assert shape(1) == shape(max_index_bytes=1) == [1] * 10
    assert shape(300) == shape(301) == [3, 3, 3, 1]
    assert shape(max_index_bytes=72) == [3, 3, 3, 1]
    assert shape(299) == shape(max_index_bytes=71) == [2] * 5


# Kafka: LogCleanerTest.testSegmentGroupingWithSparseOffsets
# Kafka: LogCleanerTest.testSegmentGroupingFollowingLoadOfZeroIndex
# Kafka: LogCleanerTest.testSegmentGroupingWithSparseOffsetsAndEmptySegments
@pytest.mark.parametrize(
    ("segments", "end", "wanted"),
    [
        ([(0, 100), (MAX_INT32, 100)], MAX_INT32 + 1, [2]),
        ([(0, 100), (MAX_INT32, 100)], MAX_INT32 + 2, [1, 1]),
        ([(0, 100), (5, 100), (MAX_INT32, 100)], MAX_INT32 + 2, [2, 1]),
        ([(0, 100), (MAX_INT32 // 2, 100)], MAX_INT32 + 2, [1, 1]),
        ([(0, 0), (1 << 31, 0), (2 << 31, 9)], 3 << 31, [2, 1]),
        ([(0, 9), (1 << 31, 9), (2 << 31, 9)], 3 << 31, [1, 1, 1]),
    ],
)
def test_grouping_by_offsets(segments: list[tuple[int, int]], end: int, wanted: list[int]) -> None:
    sizes = [Sizes(base_offset, size, 0, 0) for base_offset, size in segments]
    assert [len(group) for group in grouped(sizes, MAX_INT32, MAX_INT32, end)] == wanted


# Kafka: LogCleanerTest.testBuildOffsetMap
# Kafka: LogCleanerTest.testBuildPartialOffsetMap
def test_the_map_of_keys(stage: Stage) -> None:
    log = open_log(stage)
    while log.end_offset < 200:
        put(log, log.end_offset)
    segments = log.segments
    cut = [0, segments[1].base_offset, segments[3].base_offset, log._local.active.base_offset]
    for start, end in itertools.pairwise(cut):
        done = clean(log, start, end)
        assert (done.end_offset, done.mapped_key_count, done.mapped_read_count) == (end, end - start, end - start)
    log.truncate_fully_and_start_at(0)
    for key in range(5):
        put(log, key)
    log.roll()
    done = clean(log, 2, slots=3)
    assert (done.mapped_key_count, done.end_offset) == (2, 4)


# Kafka: LogCleanerTest.testRecoveryAfterCrash
def test_recovery_after_a_crash_at_the_stages_that_kafka_names(stage: Stage) -> None:
    """Each is among the steps of tests/engine/test_compaction_crash.py; here by the names of the files."""
    log = open_log(stage, 300, file_delete_delay_ms=10)
    fill(log, 10)
    every = keys(log)
    clean(log, later_keys=[b"%d" % key for key in range(1, 100, 2)], segment_bytes=1 << 20)
    kept, base = keys(log), bases(log)[0]
    cleaned = {
        name: (stage.path / name).read_bytes() for name in stage.names(".log", "index") if name.startswith("0" * 20)
    }
    left = {path.name: path.read_bytes() for path in stage.path.iterdir()}
    olds = {name.removesuffix(".deleted"): data for name, data in left.items() if name.endswith(".deleted")}
    rest = {name: data for name, data in left.items() if name not in cleaned and not name.endswith(".deleted")}
    first = f"{base:020d}"
    stages = {
        "nothing was renamed": ({f"{name}.cleaned": data for name, data in cleaned.items()} | olds, every),
        "some were renamed": (
            {f"{name}.{'swap' if name == f'{first}.log' else 'cleaned'}": data for name, data in cleaned.items()}
            | olds,
            every,
        ),
        "all were renamed": ({f"{name}.swap": data for name, data in cleaned.items()} | olds, kept),
        "the old ones were renamed": (
            {f"{name}.swap": data for name, data in cleaned.items()}
            | {f"{name}.deleted": data for name, data in olds.items()},
            kept,
        ),
        "some have their names": (
            {name + (".swap" if "time" in name else ""): data for name, data in cleaned.items()}
            | {f"{name}.deleted": data for name, data in olds.items()},
            kept,
        ),
        "all have their names": (cleaned | {f"{name}.deleted": data for name, data in olds.items()}, kept),
    }
    for number, (what, (shown, wanted)) in enumerate(stages.items()):
        folder = stage.root / str(number) / stage.path.name
        folder.mkdir(parents=True)
        for name, data in (rest | shown).items():
            (folder / name).write_bytes(data)
        opened = open_log(stage, 300, path=folder)
        assert keys(opened) == wanted, what
        opened.close()


# Kafka: LogCleanerTest.testCleanCorruptMessageSet
def test_wrappers_with_messages_of_another_magic_are_built_anew(stage: Stage) -> None:
    """KAFKA-4298; magic 0 inside of magic 1."""
    log = open_log(stage, 1 << 20)
    for start, given in ((25, (0, 1, 0, 1)), (50, (3, 4))):
        contents = [PlannedRecord(start + at, -1, b"%d" % key, b"%d" % (start + at)) for at, key in enumerate(given)]
        made = wrapper(contents, 1, "gzip", inner_magics=[0] * len(contents), max_timestamp=-1)
        log.append_batches(made.data, assign_offsets=False)
    log.roll()
    clean(log, slots=10)
    assert offsets(log) == [27, 28, 50, 51]
    for one in batches(log):
        for message in one.messages():  # type: ignore[union-attr]
            assert message.magic == one.magic == 1 and message.is_valid
            assert message.record.value == b"%d" % message.record.offset


# Kafka: LogCleanerTest.testCleanTombstone
def test_timestamps_of_records_do_not_make_tombstones_older(stage: Stage) -> None:
    log = open_log(stage, 1 << 20)
    log.append([{"key": b"0", "value": b"0", "timestamp": NOW_MS + 1000}])
    log.roll()
    clean(log, slots=10)
    log.append([{"key": b"0", "value": None, "timestamp": NOW_MS - TOMBSTONE_RETENTION_MS - 10_000}])
    log.roll()
    clean(log, 1, slots=10)
    assert last_offsets(log)[0] == 1
    put(log, 1)
    log.roll()
    clean(log, 2, slots=10)
    assert last_offsets(log)[0] == 1


# Kafka: LogCleanerTest.testCleaningBeyondMissingOffsets
def test_offsets_that_are_missing_do_not_keep_the_cleaner(stage: Stage) -> None:
    log = open_log(stage, 1 << 20)

    def at(first: int, *keys: int) -> None:
        for number, key in enumerate(keys):
            made = batch([PlannedRecord(first + number, NOW_MS, b"%d" % key, b"v")])
            log.append_batches(made.data, assign_offsets=False)

    at(0, *range(10))
    with log._guard.writing():
        log._local.roll(15, None)
    at(15, *range(15, 25))
    with log._guard.writing():
        log._local.roll(30, None)
    at(30, 1015)
    assert clean(log).end_offset == log._local.active.base_offset == 30


# --- beyond Kafka's tests ------------------------------------------------------------------------------------------


def test_the_log_says_what_is_due(stage: Stage) -> None:
    log = open_log(stage, min_cleanable_dirty_ratio=0.5)
    fill(log, 3, keys=7)
    found = log.to_clean()
    assert (found.first_dirty_offset, found.cleanable_ratio) == (0, 1.0) and found.is_due(log.config)
    done = log.compact()
    assert done is not None and done.end_offset == log.root.cleaner_offset(log.topic, log.partition)
    fill(log, log.segment_count + 1, keys=7)
    assert log.compact() is not None or log.to_clean().cleanable_ratio <= 0.5
    log.close()
    log = open_log(stage, min_cleanable_dirty_ratio=1.0)
    fill(log, log.segment_count + 1, keys=7)
    assert log.compact() is None
    assert log.compact(force=True) is not None
    assert log.compact(force=True) is None  # nothing is dirty


def test_overdue_logs_are_due_whatever_their_ratio(stage: Stage) -> None:
    log = open_log(stage, min_cleanable_dirty_ratio=1.0, max_compaction_lag_ms=60_000)
    fill(log, 3, keys=7)
    log.compact(force=True)
    log.append([{"key": b"1", "value": b"v", "timestamp": stage.now_ms}])
    log.roll()
    assert not log.to_clean().is_due(log.config)
    stage.sleep(60_002)
    assert log.to_clean().delay_ms >= 1 and log.compact() is not None


def test_a_dry_run_changes_nothing(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 4, keys=7)
    shown = {path: path.read_bytes() for path in stage.root.rglob("*") if path.is_file() and path.name != ".lock"}
    told = log.compact(dry_run=True)
    assert shown == {path: path.read_bytes() for path in shown}
    assert not stage.names(".cleaned") and log.root.cleaner_offset(log.topic, log.partition) is None
    done = log.compact()
    assert told is not None and done is not None
    assert [getattr(told, name) for name in _SAME] == [getattr(done, name) for name in _SAME]


_SAME = ("end_offset", "size_bytes_after", "segment_count_after", "read_count", "retained_count", "mapped_key_count")


def test_a_tiny_log_is_compacted_without_numba(tmp_path: Path) -> None:
    """Loading it takes longer than reading a few batches by the codec."""
    program = """if True:
        import sys
        from kformat_engine import Log, LogConfig
        with Log.open(sys.argv[1], LogConfig(cleanup_policy=("compact",))) as log:
            log.append([(b"a", b"1"), (b"b", b"2"), (b"a", b"3")])
            log.roll()
            log.compact()
            print([record.value for record in log], "numba" in sys.modules)
    """
    command = [sys.executable, "-c", program, str(tmp_path / "orders-0")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[b'2', b'3'] False\n"


def test_what_is_refused(stage: Stage) -> None:
    log = open_log(stage, cleanup_policy=("delete",))
    with pytest.raises(UsageError, match="without compact"):
        log.compact()
    with pytest.raises(UsageError, match="too small"):
        Cleaner(CleanerConfig(dedupe_buffer_bytes=48, dedupe_load_factor=0.1))
    wrong: list[dict[str, Any]] = [
        {"dedupe_buffer_bytes": 24}, {"dedupe_buffer_bytes": "1"}, {"dedupe_load_factor": 0}, {"io_buffer_bytes": 1}
    ]  # fmt: skip
    for settings in wrong:
        with pytest.raises(UsageError, match=next(iter(settings))):
            CleanerConfig(**settings)
    with pytest.raises(UsageError, match="takes a CleanerConfig"):
        Cleaner(cast(Any, 48))


def test_one_compaction_at_a_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(stage)
    fill(log, 3, keys=7)
    refused = list[bool]()

    def compact_again() -> None:
        assert log.is_being_compacted
        with pytest.raises(UsageError, match="already"):
            log.compact()
        refused.append(True)

    def again() -> None:
        thread = threading.Thread(target=compact_again)
        thread.start()
        thread.join(10)

    before_each_filter(monkeypatch, again)
    assert log.compact() is not None and all(refused) and len(refused) >= 2
    assert not log.is_being_compacted


def test_appends_reads_and_rolls_go_on_meanwhile(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each moment at which a compaction does not hold the lock, another thread uses the log."""
    log = open_log(stage)
    fill(log, 4, keys=7)
    read = log._local.open_to_clean
    lock_was_free, appended = [], []

    def use() -> None:
        lock_was_free.append(log._guard.lock.acquire(timeout=5))
        log._guard.lock.release()
        appended.append(put(log, 3, b"meanwhile"))
        log.roll()
        assert list(log)[-1].value == b"meanwhile"

    class Watched:
        def __init__(self, file: Any) -> None:
            self.file = file

        def read_at(self, position: int, size: int) -> bytes:
            thread = threading.Thread(target=use)
            thread.start()
            thread.join(10)
            return self.file.read_at(position, size)

        def close(self) -> None:
            self.file.close()

    monkeypatch.setattr(log._local, "open_to_clean", lambda segment: Watched(read(segment)))
    assert log.compact() is not None
    assert len(appended) >= 4 and all(lock_was_free)
    assert [record.value for record in records(log)].count(b"meanwhile") == len(appended)


def test_readers_go_on_across_a_compaction(stage: Stage) -> None:
    """A view of bytes, an iteration, a cursor of a reader in another process's way: all end at the same record."""
    log = open_log(stage, file_delete_delay_ms=0)
    fill(log, 5, keys=7)
    expected = {record.key: record.value for record in log}
    view = log.read(0)
    shown = bytes(view.data)
    iteration, seen = log.records(), {}
    with LogReader.open(stage.path) as reader:
        following = reader.records()
        also = {}
        for number in range(10):
            record, other = next(iteration), next(following)
            seen[record.key], also[other.key] = record.value, other.value
            if number == 4:
                assert log.compact() is not None
                stage.sleep(1)
        for record in iteration:
            seen[record.key] = record.value
        for record in following:
            also[record.key] = record.value
    assert seen == also == expected and bytes(view.data) == shown


def polled(cursor: Cursor) -> Iterator[Record]:
    """The records that a cursor comes to, but for control records."""
    while (found := cursor.poll()) is not None:
        if not found.is_control:
            yield from found.records()


@pytest.mark.parametrize("seed", range(6))
def test_readers_of_committed_data_see_nothing_aborted_across_a_compaction(stage: Stage, seed: int) -> None:
    """What tells that a batch was aborted may be gone, and the batch still in a file that a reader holds open."""
    random = Random(seed)
    settings = {"file_delete_delay_ms": 0, "delete_retention_ms": 0}
    log = open_log(stage, random.choice((300, 700, 5000)), **settings)
    producers = [Appender(log, number, transactional=True) for number in range(3)]
    going_on, gone = dict[int, list[int]](), set[int]()
    for _ in range(120):
        one = random.choice(producers)
        if one.id in going_on and random.random() < 0.3:
            kind = random.choice(("abort", "commit"))
            one.end(kind)
            ended = going_on.pop(one.id)
            gone.update(ended if kind == "abort" else ())
        else:
            first = one(*(some := random.choices(range(12), k=random.choice((1, 2)))))
            going_on.setdefault(one.id, []).extend(range(first, first + len(some)))
    for one in producers:
        if one.id in going_on:
            one.end("commit")
    log.roll()
    with LogReader.open(stage.path) as reader, reader.cursor(isolation_level="read_committed") as cursor:
        each: tuple[Iterator[Record], ...] = (
            reader.records(isolation_level="read_committed"),
            log.records(isolation_level="read_committed"),
            polled(cursor),
        )
        count = random.randrange(60)
        seen = [[record.offset for record in itertools.islice(records, count)] for records in each]
        assert log.compact() is not None
        stage.sleep(1)
        for some, rest in zip(seen, each, strict=True):
            some += [record.offset for record in rest]
    left = {record.offset for record in log} - gone
    for some in seen:
        assert some == sorted(set(some)) and gone.isdisjoint(some) and left <= set(some)


def test_the_new_segment_has_the_time_of_the_last_one(stage: Stage) -> None:
    log = open_log(stage, 10_000)
    for number in range(3):
        put(log, number)
        os.utime(log._local.active.log_path, ns=(0, (1_500_000_000_000 + number * 1000) * 1_000_000))
        log.roll()
    os.utime(stage.path / f"{1:020d}.log", ns=(0, 1_400_000_000_000 * 1_000_000))
    times = [path.stat().st_mtime_ns for path in sorted(stage.path.glob("*.log"))]
    clean(log)
    assert log._local.segments.base_offsets == (0, 3)
    assert log._local.segments.first.log_path.stat().st_mtime_ns == times[2]  # type: ignore[union-attr]


def test_snapshots_of_segments_that_are_gone_go_with_them(stage: Stage) -> None:
    log = open_log(stage, 10_000, file_delete_delay_ms=1000)
    one = Appender(log, 1)
    for number in range(4):
        one(number)
        log.roll()
    assert stage.names(".snapshot") == [f"{number:020d}.snapshot" for number in range(1, 5)]
    clean(log)
    assert bases(log) == [0, 4] and stage.names(".snapshot") == [f"{4:020d}.snapshot"]
    assert len(stage.names(".snapshot.deleted")) == 3
    stage.sleep(1000)
    assert not stage.names(".deleted")


def test_a_cut_lowers_the_checkpoint(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 5, keys=7)
    done = log.compact()
    assert done is not None
    cut = done.end_offset - 1
    log.truncate_to(cut)
    now = log.root.cleaner_offset(log.topic, log.partition)
    assert now is not None and now <= log._local.active.base_offset <= cut


@pytest.mark.parametrize("profile", ["first-offset", "last-offset", "batch-time", "per-batch"])
def test_indexes_of_every_profile_find_what_is_left(stage: Stage, profile: str) -> None:
    log = open_log(stage, 1 << 16, writer_profile=profile, index_interval_bytes=50)
    for number in range(300):
        put(log, number % 97 if number % 3 else number, number)
    log.roll()
    assert log.compact(cleaner=Cleaner(CleanerConfig(io_buffer_bytes=1000))) is not None
    left = offsets(log)
    assert log.segments[0].offset_entry_count > 3
    for offset in range(0, 300, 7):
        assert next(log.records(offset)).offset == min(one for one in left if one >= offset)


def test_errors_of_batches_name_the_file_and_the_place(stage: Stage) -> None:
    log = open_log(stage)
    fill(log, 3)
    path = log.segments[0].path
    data = bytearray(path.read_bytes())
    size = Batch(bytes(data[: log.read(0).batches().__next__().size])).size
    data[2 * size - 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError) as raised:
        log.compact()
    assert raised.value.source == str(path) and size <= (raised.value.position or 0) < 2 * size
