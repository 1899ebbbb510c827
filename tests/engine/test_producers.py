"""Producers: what the state of a partition takes and refuses, its snapshots, and named producers across restarts.

The first part are Kafka's cases of ProducerStateManager; the second those of a log; the third is `Log.producer`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.errors import (
    DataError,
    InvalidProducerEpochError,
    InvalidTransactionStateError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
    UsageError,
)
from kformat.integers import MAX_INT32
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.producers.producer_state import (
    AbortedTransaction,
    EndMarker,
    Origin,
    ProducerBatch,
    ProducerEntry,
    ProducerState,
    build_aborted,
    parse_snapshot,
)
from kformat.language.layout import layout
from kformat_engine import producer_snapshots
from kformat_engine.config import LogConfig
from kformat_engine.errors import WriterFailedError
from kformat_engine.log import Log, internals_of
from kformat_engine.producer import producer_id_of
from kformat_engine.producer_snapshots import FolderSnapshots, Producers
from kformat_engine.recovery.evidence import read_transactions
from kformat_engine.segment import LogSegment
from kformat_engine.storage import DISK
from tests.engine.faults import FaultyStorage
from tests.engine.logs import NOW_MS, Stage, UnsyncedStorage, bases

ID, EPOCH = 1, 0
DAY_MS = 86_400_000


def data(
    sequence: int,
    offset: int,
    *,
    id: int = ID,
    epoch: int = EPOCH,
    count: int = 1,
    time: int = NOW_MS,
    transactional: bool = False,
) -> ProducerBatch:
    last = (sequence + count - 1) & MAX_INT32 if sequence >= 0 else -1
    return ProducerBatch(id, epoch, sequence, last, offset, offset + count - 1, time, transactional, False, None)


def ends(kind: str, offset: int, *, id: int = ID, epoch: int = EPOCH, coordinator: int = 0) -> ProducerBatch:
    said = EndMarker(kind, coordinator)
    return ProducerBatch(id, epoch, -1, -1, offset, offset, NOW_MS, True, True, said)


@pytest.fixture
def state() -> ProducerState:
    return ProducerState()


def client(state: ProducerState, *batches: ProducerBatch, origin: Origin = "client") -> None:
    for one in batches:
        state.append([one], origin)


def refused(state: ProducerState, one: ProducerBatch, error: type[Exception], origin: Origin = "client") -> None:
    """And the state stays as it was."""
    before = state.snapshot()
    with pytest.raises(error):
        state.append([one], origin)
    assert state.snapshot() == before


# --- the state by itself -------------------------------------------------------------------------------------------


# Kafka: ProducerStateManagerTest.testBasicIdMapping
def test_sequences_follow_each_other_and_epochs_do_not_go_back(state: ProducerState) -> None:
    client(state, data(0, 0), data(1, 0))
    refused(state, data(1, 1), OutOfOrderSequenceError)
    refused(state, data(5, 2), OutOfOrderSequenceError)
    client(state, data(0, 3, epoch=1))
    refused(state, data(0, 4), InvalidProducerEpochError)


# Kafka: ProducerStateManagerTest.testAppendTxnMarkerWithNoProducerState
def test_a_marker_alone_fences_and_asks_for_sequence_0(state: ProducerState) -> None:
    client(state, ends("commit", 27, epoch=2), origin="coordinator")
    assert (state.entries[ID].producer_epoch, state.entries[ID].last_sequence) == (2, -1)
    refused(state, data(0, 4, epoch=0), InvalidProducerEpochError)
    refused(state, data(17, 4, epoch=2), OutOfOrderSequenceError)
    client(state, data(0, 39, epoch=2))
    assert state.entries[ID].last_sequence == 0


# Kafka: ProducerStateManagerTest.testProducerSequenceWrapAround
# Kafka: ProducerStateManagerTest.testProducerSequenceInvalidWrapAround
# Kafka: ProducerStateManagerTest.testNoValidationOnFirstEntryWhenLoadingLog
def test_after_the_last_sequence_comes_0(state: ProducerState) -> None:
    client(state, data(MAX_INT32, 735, epoch=15), origin="replication")
    entry = state.entries[ID]
    assert (entry.batches[0].first_sequence, entry.last_sequence) == (MAX_INT32, MAX_INT32)
    refused(state, data(1, 1235, epoch=15), OutOfOrderSequenceError)
    client(state, data(0, 1235, epoch=15))
    assert (entry.batches[0].first_sequence, entry.last_sequence) == (MAX_INT32, 0)


# Kafka: ProducerStateManagerTest.testProducerSequenceWithWrapAroundBatchRecord
def test_a_batch_may_go_over_the_last_sequence(state: ProducerState) -> None:
    client(state, data(MAX_INT32 - 10, 2000, count=21), origin="replication")
    (known,) = state.entries[ID].batches
    assert (known.first_sequence, known.last_sequence) == (MAX_INT32 - 10, 9)
    assert (known.first_offset, known.last_offset) == (2000, 2020)


# Kafka: ProducerStateManagerTest.testControlRecordBumpsProducerEpoch
# Kafka: ProducerStateManagerTest.testOutOfSequenceAfterControlRecordEpochBump
# Kafka: ProducerStateManagerTest.testProducerStateAfterFencingAbortMarker
def test_a_marker_may_begin_an_epoch(state: ProducerState) -> None:
    client(state, data(0, 0, transactional=True), data(1, 1, transactional=True))
    client(state, ends("abort", 2, epoch=1), origin="coordinator")
    entry = state.entries[ID]
    assert (entry.producer_epoch, entry.last_sequence, entry.current_txn_first_offset) == (1, -1, None)
    refused(state, data(2, 3, epoch=1, transactional=True), OutOfOrderSequenceError)
    refused(state, data(2, 3, epoch=2, transactional=True), OutOfOrderSequenceError)
    client(state, data(0, 3, epoch=1, transactional=True))
    assert (entry.last_sequence, entry.current_txn_first_offset) == (0, 3)


# Kafka: ProducerStateManagerTest.testTxnFirstOffsetMetadataCached
# Kafka: ProducerStateManagerTest.updateProducerTransactionState
# Kafka: ProducerStateManagerTest.testFirstUnstableOffset
# Kafka: ProducerStateManagerTest.testLastStableOffsetCompletedTxn
def test_what_is_unstable_begins_with_the_oldest_open_transaction(state: ProducerState) -> None:
    assert state.first_unstable_offset is None
    client(
        state, data(0, 9, transactional=True), data(0, 20, id=2, transactional=True), data(1, 30, transactional=True)
    )
    assert [state.first_unstable_offset] == [9]
    assert state.append([ends("abort", 40)], "coordinator") == [AbortedTransaction(ID, 9, 40, 20)]
    assert [state.first_unstable_offset] == [20]
    assert state.append([ends("commit", 41, id=2)], "coordinator") == []
    assert [state.first_unstable_offset] == [None]
    client(state, data(2, 50, transactional=True))
    assert state.append([ends("abort", 51)], "coordinator") == [AbortedTransaction(ID, 50, 51, 52)]


# Kafka: ProducerStateManagerTest.testSkipEmptyTransactions
# Kafka: ProducerStateManagerTest.testAppendEmptyControlBatch
def test_an_empty_transaction_aborts_nothing(state: ProducerState) -> None:
    assert state.append([ends("abort", 0)], "coordinator") == []
    state.append([ends("abort", 1)._replace(marker=None)], "coordinator")
    assert state.entries[ID].coordinator_epoch == 0 and state.first_unstable_offset is None


# Kafka: ProducerStateManagerTest.testPrepareUpdateDoesNotMutate
def test_an_append_is_looked_at_whole_before_it_counts(state: ProducerState) -> None:
    client(state, data(0, 0))
    before = state.snapshot()
    with pytest.raises(OutOfOrderSequenceError):
        state.append([data(1, 1), data(3, 2)], "client")
    assert state.snapshot() == before
    state.append([data(1, 1), data(2, 2)], "client")
    assert state.entries[ID].last_sequence == 2


# Kafka: ProducerStateManagerTest.testNonTransactionalAppendWithOngoingTransaction
def test_a_batch_outside_of_the_open_transaction_is_refused(state: ProducerState) -> None:
    client(state, data(0, 0, transactional=True))
    for origin in ("client", "coordinator", "replication"):
        refused(state, data(1, 1), InvalidTransactionStateError, origin)
    client(state, data(1, 1), origin="log")  # what is stored is taken as it is


# Kafka: ProducerStateManagerTest.testAcceptAppendWithoutProducerStateOnReplica
# Kafka: ProducerStateManagerTest.testAcceptAppendWithSequenceGapsOnReplica
# Kafka: ProducerStateManagerTest.testSequenceNotValidatedForGroupMetadataTopic
def test_only_clients_have_to_keep_sequences(state: ProducerState) -> None:
    client(state, data(5, 0), data(9, 1), origin="replication")
    client(state, data(-1, 2, id=2), data(-1, 3, id=2, epoch=1), origin="coordinator")
    refused(state, data(-1, 4, id=2), InvalidProducerEpochError, "coordinator")
    assert state.entries[ID].last_sequence == 9


# Kafka: ProducerStateManagerTest.testOldEpochForControlRecord
# Kafka: ProducerStateManagerTest.testCoordinatorFencing
# Kafka: ProducerStateManagerTest.testCoordinatorFencedAfterReload
def test_markers_of_old_coordinators_and_epochs_are_refused(state: ProducerState) -> None:
    client(state, data(0, 0, epoch=5, transactional=True))
    refused(state, ends("commit", 1, epoch=4), InvalidProducerEpochError, "coordinator")
    client(state, ends("commit", 1, epoch=5, coordinator=1), origin="coordinator")
    refused(state, ends("commit", 2, epoch=5, coordinator=0), TransactionCoordinatorFencedError, "coordinator")
    again = ProducerState()
    again.load(parse_snapshot(state.snapshot()), NOW_MS)
    refused(again, ends("commit", 2, epoch=5, coordinator=0), TransactionCoordinatorFencedError, "coordinator")


# Kafka: ProducerStateManagerTest.testProducersWithOngoingTransactionsDontExpire
# Kafka: ProducerStateManagerTest.testPidExpirationTimeout
# Kafka: ProducerStateManagerTest.testRemoveExpiredPidsOnReload
# Kafka: ProducerStateManagerTest.testLoadFromSnapshotRetainsNonExpiredProducers
def test_silent_producers_expire_but_not_in_a_transaction(state: ProducerState) -> None:
    client(state, data(0, 0), data(0, 1, id=2, transactional=True), data(0, 2, id=3, time=NOW_MS + 1))
    snapshot = parse_snapshot(state.snapshot())
    state.remove_expired(NOW_MS + DAY_MS - 1)
    assert set(state.entries) == {1, 2, 3}
    state.remove_expired(NOW_MS + DAY_MS, kept={1})
    assert set(state.entries) == {1, 2, 3}
    state.remove_expired(NOW_MS + DAY_MS)
    assert set(state.entries) == {2, 3}
    client(state, data(7, 3))  # any sequence will do again
    again = ProducerState()
    again.load(snapshot, NOW_MS + DAY_MS)
    assert set(again.entries) == {2, 3}


# Kafka: ProducerStateManagerTest.testReadWriteSnapshot
# Kafka: ProducerStateManagerTest.testLoadFromEmptySnapshotFile
# Kafka: ProducerStateManagerTest.testLoadFromTruncatedSnapshotFile
# Kafka: ProducerStateManagerTest.testLoadFromCorruptSnapshotFile
def test_a_snapshot_holds_the_last_batch_and_is_read_whole_or_not(state: ProducerState) -> None:
    client(state, data(0, 0), data(1, 1, count=3), data(0, 9, id=2**40, epoch=7, transactional=True))
    written = state.snapshot()
    read = {entry.producer_id: entry for entry in parse_snapshot(written)}
    assert read[2**40] == state.entries[2**40]
    assert list(read[ID].batches) == list(state.entries[ID].batches)[-1:]
    for damaged in (b"", written[:-1], written + b"x", written[:20] + b"\xff" + written[21:]):
        with pytest.raises(DataError):
            parse_snapshot(damaged)


# --- snapshots in a folder -----------------------------------------------------------------------------------------


def opened(folder: Path, now_ms: int = NOW_MS) -> Producers:
    return Producers(FolderSnapshots(folder, DISK), DAY_MS, lambda: now_ms)


def snapshots(folder: Path) -> list[int]:
    return FolderSnapshots(folder, DISK).offsets()


def at(producers: Producers, offset: int, *batches: ProducerBatch) -> None:
    """Batches, the offset after them, and a snapshot there."""
    client(producers.state, *batches)
    producers.state.map_end_offset = offset
    producers.take_snapshot()


# Kafka: ProducerStateManagerTest.testTakeSnapshot
# Kafka: ProducerStateManagerTest.testFetchSnapshotEmptySnapShot
# Kafka: ProducerStateManagerTest.testSkipSnapshotIfOffsetUnchanged
# Kafka: ProducerStateManagerTest.testReloadSnapshots
def test_a_snapshot_is_taken_once_of_an_offset(tmp_path: Path) -> None:
    producers = opened(tmp_path)
    at(producers, 1, data(0, 0))
    at(producers, 1)
    at(producers, 2, data(1, 1))
    assert snapshots(tmp_path) == [1, 2]
    again = opened(tmp_path)
    again.rebuild([], 0, 2)
    assert again.state.snapshot() == producers.state.snapshot() and again.last_snapshot_offset == 2


# Kafka: ProducerStateManagerTest.testRecoverFromSnapshotUnfinishedTransaction
# Kafka: ProducerStateManagerTest.testRecoverFromSnapshotFinishedTransaction
# Kafka: ProducerStateManagerTest.testRecoverFromSnapshotEmptyTransaction
# Kafka: ProducerStateManagerTest.testFirstUnstableOffsetAfterTruncation
def test_transactions_are_open_after_a_reload_if_they_were(tmp_path: Path) -> None:
    producers = opened(tmp_path)
    at(producers, 2, data(0, 0, transactional=True), data(1, 1, transactional=True))
    client(producers.state, ends("abort", 2, coordinator=3), origin="coordinator")
    at(producers, 3)
    for end, unstable, coordinator in ((3, None, 3), (2, 0, -1)):
        again = opened(tmp_path)
        again.rebuild([], 0, end)
        assert again.state.first_unstable_offset == unstable
        assert again.state.entries[ID].coordinator_epoch == coordinator
    assert snapshots(tmp_path) == [2], "those of later offsets are gone"


# Kafka: ProducerStateManagerTest.testTruncateAndReloadRemovesOutOfRangeSnapshots
# Kafka: ProducerStateManagerTest.testTruncateFullyAndStartAt
def test_snapshots_out_of_range_are_removed(tmp_path: Path) -> None:
    producers = opened(tmp_path)
    for number in range(5):
        at(producers, number + 1, data(number, number))
    producers.rebuild([], 1, 3)
    assert snapshots(tmp_path) == [2, 3]
    assert producers.state.entries[ID].last_sequence == 2
    producers.start_over(7)
    assert (snapshots(tmp_path), len(producers.state), producers.state.map_end_offset) == ([], 0, 7)


# Kafka: ProducerStateManagerTest.testRemoveStraySnapshotsKeepCleanShutdownSnapshot
# Kafka: ProducerStateManagerTest.testRemoveAllStraySnapshots
# Kafka: LogLoaderTest.testLoadingLogKeepsLargestStrayProducerStateSnapshot
# Kafka: ProducerStateManagerTest.testRemoveAndMarkSnapshotForDeletion
# Kafka: ProducerStateManagerTest.testRemoveAndMarkSnapshotForDeletionAlreadyDeleted
@pytest.mark.parametrize(
    ("there", "bases", "left"), [([5, 2, 42], [5], [5, 42]), ([0, 4, 5, 6, 42], [42], [42]), ([1, 2], [], [2])]
)
def test_snapshots_of_no_segment_are_removed_but_for_the_one_of_a_close(
    there: list[int], bases: list[int], left: list[int], tmp_path: Path
) -> None:
    for offset in there:
        (tmp_path / file_name(offset, "snapshot")).write_bytes(ProducerState().snapshot())
    producers = opened(tmp_path)
    producers.remove_strays(bases)
    assert snapshots(tmp_path) == left
    assert [producers.forget(offset) for offset in (left[0], left[0])] == [True, False]


@pytest.mark.parametrize("damage", [b"", b"\0\1", b"x" * 56])
def test_a_snapshot_that_cannot_be_read_is_removed_and_the_one_before_counts(damage: bytes, tmp_path: Path) -> None:
    producers = opened(tmp_path)
    at(producers, 1, data(0, 0))
    at(producers, 2, data(1, 1))
    (tmp_path / file_name(2, "snapshot")).write_bytes(damage)
    again = opened(tmp_path)
    again.rebuild([], 0, 2)
    assert again.state.entries[ID].last_sequence == 0 and again.unsound == [2]


# Kafka, left out: ProducerStateManagerTest.testHasLateTransaction: only a metric asks
# Kafka, left out: ProducerStateManagerTest.testHasLateTransactionInitializedAfterReload: only a metric asks
# Kafka, left out: ProducerStateManagerTest.testHasLateTransactionUpdatedAfterPartialTruncation: only a metric asks
# Kafka, left out: ProducerStateManagerTest.testHasLateTransactionUpdatedAfterFullTruncation: only a metric asks
# Kafka, left out: ProducerStateManagerTest.testDeleteSnapshotsBefore: only tests call it
# Kafka, left out: ProducerStateManagerTest.testEntryForVerification: guards of requests
# Kafka, left out: ProducerStateManagerTest.testSequenceAndEpochInVerificationEntry: guards of requests
# Kafka, left out: ProducerStateManagerTest.testThrowOutOfOrderSequenceWithVerificationSequenceCheck: guards of requests
# Kafka, left out: ProducerStateManagerTest.testVerificationStateEntryExpiration: guards of requests


# --- a log of producers --------------------------------------------------------------------------------------------


def sent(
    sequence: int, count: int = 1, *, id: int = ID, epoch: int = EPOCH, offset: int = 0, transactional: bool = False
) -> bytes:
    contents = [PlannedRecord(offset + number, NOW_MS, b"k", b"v") for number in range(count)]
    return batch(contents, producer=ProducerFields(id, epoch, sequence), transactional=transactional).data


def marker(kind: str, offset: int = 0, *, id: int = ID, epoch: int = EPOCH, coordinator: int = 0) -> bytes:
    return end_of_transaction(kind, offset, NOW_MS, ProducerFields(id, epoch, -1), coordinator_epoch=coordinator).data


def placed(made: bytes, offset: int) -> bytes:
    moved = bytearray(made)
    layout("record_batch").writer("base_offset")(moved, 0, offset)
    return bytes(moved)


def entry_of(log: Log, id: int = ID) -> ProducerEntry:
    return log._local.producers.state.entries[id]


# Kafka: UnifiedLogTest.testDuplicateAppends
# Kafka: UnifiedLogTest.testMultipleProducersWithDuplicatesInSingleAppend
# Kafka: UnifiedLogTest.testMultipleProducerIdsPerMemoryRecord
def test_a_repeated_batch_is_not_stored_again(stage: Stage) -> None:
    log = stage.open()
    batches = [sent(0, 3), sent(3), sent(4, 2), sent(6), sent(7), sent(8)]
    offsets = [log.append_batches(one) for one in batches]
    assert offsets == [0, 3, 4, 6, 7, 8]
    for one, offset in list(zip(batches, offsets, strict=True))[1:]:
        assert log.append_batches(one) == offset
    with pytest.raises(OutOfOrderSequenceError):
        log.append_batches(batches[0])  # no more among the last five
    with pytest.raises(OutOfOrderSequenceError):
        log.append_batches(sent(7, 2))  # not the batch that was stored
    assert log.end_offset == 9
    # Of several, what is new is stored where the log ends.
    assert log.append_batches(sent(8) + sent(0, 2, id=2) + sent(0, 2, id=2) + sent(9)) == 8
    assert [(one.offset, one.sequence) for one in log.records(9)] == [(9, 0), (10, 1), (11, 9)]


# Kafka: UnifiedLogTest.testOldProducerEpoch
# Kafka: UnifiedLogTest.testNonSequentialAppend
# Kafka: UnifiedLogTest.testAllowNonZeroSequenceOnFirstAppendNonZeroEpoch
def test_what_a_producer_s_state_refuses_leaves_the_log_as_it_was(stage: Stage) -> None:
    log = stage.open()
    log.append_batches(sent(7, epoch=5))
    for wrong, error in (
        (sent(9, epoch=5), OutOfOrderSequenceError),
        (sent(8, epoch=5) + sent(0, id=2) + sent(2, id=2), OutOfOrderSequenceError),
        (sent(8, epoch=4), InvalidProducerEpochError),
    ):
        with pytest.raises(error):
            log.append_batches(wrong)
        assert log.end_offset == 1 and not log.has_failed
    assert log.append_batches(sent(8, epoch=5)) == 1


# Kafka: UnifiedLogTest.testDuplicateAppendToFollower
def test_a_follower_takes_what_its_leader_has_checked(stage: Stage) -> None:
    log = stage.open()
    for offset in (0, 1):
        log.append_batches(sent(0, offset=offset), assign_offsets=False)
    assert (log.end_offset, entry_of(log).last_sequence) == (2, 0)


# Kafka: UnifiedLogTest.testTransactionIndexUpdated
# Kafka: UnifiedLogTest.testTransactionIndexUpdatedThroughReplication
# Kafka: UnifiedLogTest.testFirstUnstableOffsetNoTransactionalData
# Kafka: UnifiedLogTest.testFirstUnstableOffsetWithTransactionalData
# Kafka: UnifiedLogTest.testAbortedTransactionSpanningMultipleSegments
@pytest.mark.parametrize("is_follower", [False, True])
def test_aborted_transactions_are_noted_in_the_segment_of_their_marker(stage: Stage, is_follower: bool) -> None:
    log = stage.open()

    def append(made: bytes, is_marker: bool = False) -> None:
        if not is_follower:
            made = placed(made, 0)
        log.append_batches(made, assign_offsets=not is_follower, validate=not is_marker)

    append(sent(0, 2, offset=0, transactional=True))
    append(sent(0, id=2, offset=2, transactional=True))
    append(sent(0, id=3, offset=3))
    assert log._local.producers.state.first_unstable_offset == 0
    log.roll()
    append(marker("abort", 4), is_marker=True)
    append(sent(2, offset=5, transactional=True))
    append(marker("commit", 6), is_marker=True)
    append(marker("abort", 7, id=2), is_marker=True)
    wanted = build_aborted([AbortedTransaction(1, 0, 4, 2), AbortedTransaction(2, 2, 7, 8)])
    assert stage.names(".txnindex") == [file_name(4, "txnindex")]
    assert (stage.path / file_name(4, "txnindex")).read_bytes() == wanted
    log.close()
    assert (stage.path / file_name(8, "snapshot")).stat().st_size > 10
    assert stage.open().report.changes == ()


# Kafka: UnifiedLogTest.testZombieCoordinatorFenced
# Kafka: UnifiedLogTest.testZombieCoordinatorFencedEmptyTransaction
# Kafka: UnifiedLogTest.testEndTxnWithFencedProducerEpoch
def test_markers_of_zombies_are_not_stored(stage: Stage) -> None:
    log = stage.open()
    log.append_batches(sent(0, epoch=1, transactional=True))
    log.append_batches(marker("abort", epoch=1, coordinator=1), validate=False)
    with pytest.raises(TransactionCoordinatorFencedError):
        log.append_batches(marker("commit", epoch=1, coordinator=0), validate=False)
    with pytest.raises(InvalidProducerEpochError):
        log.append_batches(marker("commit", epoch=0, coordinator=1), validate=False)
    assert log.end_offset == 2 and not log.has_failed


# Kafka: UnifiedLogTest.testTakeSnapshotOnRollAndDeleteSnapshotOnRecoveryPointCheckpoint
# Kafka: UnifiedLogTest.testProducerSnapshotAfterSegmentRollOnAppend
# Kafka: UnifiedLogTest.testProducerIdMapOffsetUpdatedForNonIdempotentData
# Kafka: UnifiedLogTest.testLoadingLogDeletesProducerStateSnapshotsPastLogEndOffset
def test_a_roll_and_a_close_take_snapshots(stage: Stage) -> None:
    log = stage.open(segment_bytes=len(sent(0)))
    for number in range(3):
        log.append_batches(sent(number))
    log.append([b"x"] * 0)
    assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in (1, 2)]
    assert parse_snapshot((stage.path / file_name(2, "snapshot")).read_bytes())[0].last_sequence == 1
    log.close()
    (stage.path / file_name(9, "snapshot")).write_bytes(ProducerState().snapshot())
    log = stage.open()
    assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in (1, 2, 3)]
    assert entry_of(log).last_sequence == 2 and log.append_batches(sent(2)) == 2


# Kafka: UnifiedLogTest.testInitializationOfProducerSnapshotsUpgradePath
# Kafka: LogLoaderTest.testSkipTruncateAndReloadIfNewMessageFormatAndCleanShutdown
def test_a_closed_log_without_snapshots_gets_empty_ones(stage: Stage) -> None:
    log = stage.open()
    for number in range(3):
        log.append_batches(sent(number))
        log.roll()
    log.close()
    for name in stage.names(".snapshot"):
        (stage.path / name).unlink()
    log = stage.open()
    assert stage.names(".snapshot") == [file_name(offset, "snapshot") for offset in (2, 3)]
    assert not log._local.producers.state.entries


# Kafka: UnifiedLogTest.testProducerIdMapTruncateToWithNoSnapshots
# Kafka: UnifiedLogTest.testTruncateBelowFirstUnstableOffset
# Kafka: UnifiedLogTest.testTruncateFullyAndStartBelowFirstUnstableOffset
def test_a_cut_takes_the_state_back(stage: Stage) -> None:
    log = stage.open()
    for number in range(3):
        log.append_batches(sent(number))
    log.append_batches(sent(0, id=2, transactional=True))
    for name in stage.names(".snapshot"):
        (stage.path / name).unlink()
    log.truncate_to(2)
    assert (entry_of(log).last_sequence, log._local.producers.state.first_unstable_offset) == (1, None)
    assert log.append_batches(sent(2)) == 2
    log.truncate_fully_and_start_at(5)
    assert not log._local.producers.state.entries


# Kafka: UnifiedLogTest.testProducerIdExpirationOnSegmentDeletion
# Kafka: LogLoaderTest.testLoadProducersAfterDeleteRecordsMidSegment
# Kafka: LogLoaderTest.testLoadProducersAfterDeleteRecordsOnSegment
def test_producers_of_deleted_records_are_known_until_they_expire(stage: Stage) -> None:
    log = stage.open()
    log.append_batches(sent(0))
    log.append_batches(sent(0, id=2))
    log.roll()
    log.append_batches(sent(1, id=2))
    log.delete_records_before(2)
    assert sorted(log._local.producers.state.entries) == [1, 2]
    log.close()
    assert sorted(stage.open()._local.producers.state.entries) == [1, 2]


def crashed(stage: Stage, log: Log) -> None:
    """The process dies: nothing is closed."""
    log.root.abandon()
    log._local.release()
    stage._logs.remove(log)


# Kafka: LogLoaderTest.testRecoverAfterNonMonotonicCoordinatorEpochWrite
def test_a_follower_s_markers_may_go_back_and_are_recovered(stage: Stage) -> None:
    log = stage.open()
    for offset, coordinator in ((0, 5), (1, 4)):
        log.append_batches(marker("abort", offset, coordinator=coordinator), assign_offsets=False)
    crashed(stage, log)
    log = stage.open()
    assert entry_of(log).coordinator_epoch == 4


def test_a_warning_says_that_a_named_producer_of_old_records_is_forgotten(stage: Stage) -> None:
    old = {"value": b"1", "timestamp": stage.now_ms - 86_400_000}
    log = stage.open()
    orders = log.producer("orders")
    with pytest.warns(UserWarning, match=r"'orders' is forgotten when the log is opened again.*86400000 ms") as told:
        for number in range(2):
            orders.append([old], sequence=number)
    assert [one.filename for one in told] == [__file__]
    with pytest.warns(UserWarning, match="is forgotten when the log is opened again"):
        log.producer("orders")
    log.close()
    log = stage.open()
    with pytest.warns(UserWarning, match="'orders' was forgotten when the log was opened") as told:
        orders = log.producer("orders")
    assert [one.filename for one in told] == [__file__] and orders.last_sequence == -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        orders.append([{**old, "timestamp": stage.now_ms}])
        log.producer("orders").append([b"now"])
        log.producer("new")


# Kafka: UnifiedLogTest.testPeriodicProducerIdExpiration
def test_silent_producers_are_forgotten_with_a_later_append(stage: Stage) -> None:
    log = stage.open(producer_id_expiration_ms=1000)
    log.append_batches(sent(0))
    stage.sleep(600_000)
    log.append_batches(sent(0, id=2))
    assert sorted(log._local.producers.state.entries) == [2]


# Kafka: UnifiedLogTest.testRebuildTransactionalState
# Kafka: LogSegmentTest.testRecoverTransactionIndex
# Kafka: LogLoaderTest.testFullTransactionIndexRecovery
# Kafka: LogLoaderTest.testRecoverOnlyLastSegment
# Kafka: LogLoaderTest.testRecoverLastSegmentWithNoSnapshots
@pytest.mark.parametrize("lost", [(".txnindex",), (".snapshot",), (".txnindex", ".snapshot")])
def test_recovery_finds_producers_and_transactions_again(stage: Stage, lost: tuple[str, ...]) -> None:
    log = stage.open()
    for number in range(4):
        log.append_batches(sent(2 * number, 2, transactional=True) + sent(number, id=2))
        log.roll()
        log.append_batches(marker("abort"), validate=False)
    log.append_batches(sent(0, id=5, transactional=True))
    state, end = log._local.producers.state.snapshot(), log.end_offset
    indexes = {name: (stage.path / name).read_bytes() for name in stage.names(".txnindex")}
    crashed(stage, log)
    for name in stage.names(*lost):
        (stage.path / name).unlink()
    log = stage.open()
    assert log._local.producers.state.first_unstable_offset == end - 1
    assert log._local.producers.state.snapshot() == state
    assert {name: (stage.path / name).read_bytes() for name in stage.names(".txnindex")} == indexes
    assert file_name(end, "snapshot") in stage.names(".snapshot")


# Kafka: UnifiedLogTest.testUpdateProducerIdMapWithCompactedData
# Kafka: UnifiedLogTest.testRebuildProducerIdMapWithCompactedData
# Kafka: UnifiedLogTest.testRebuildProducerStateWithEmptyCompactedBatch
@pytest.mark.parametrize("kept", [(0, 2), (1,), ()])
def test_the_last_sequence_is_known_of_a_batch_from_which_records_are_gone(stage: Stage, kept: tuple[int, ...]) -> None:
    """As compaction leaves it, and a follower gets it; also when the state is rebuilt."""
    contents = [PlannedRecord(23 + at, NOW_MS, b"key", b"v") for at in kept]
    made = batch(
        contents,
        producer=ProducerFields(ID, EPOCH, 0),
        base_offset=23,
        last_offset=26,
        base_timestamp=1,
        max_timestamp=NOW_MS,
    )
    log = stage.open()
    log.append_batches(made.data, assign_offsets=False)
    assert entry_of(log).last_sequence == 3
    plain = batch([PlannedRecord(27 + at, NOW_MS, None, b"v") for at in range(2)])
    log.append_batches(plain.data, assign_offsets=False)
    assert log.truncate_to(27)
    assert (entry_of(log).last_sequence, log.end_offset) == (3, 27)
    crashed(stage, log)
    for name in stage.names(".snapshot"):
        (stage.path / name).unlink()
    log = stage.open()
    assert (entry_of(log).last_sequence, log.end_offset) == (3, 27)
    assert [record.offset for record in log] == [23 + at for at in kept]
    assert log.append_batches(sent(4)) == 27


# Kafka: UnifiedLogTest.testActiveProducers
def test_what_a_log_knows_of_its_producers(stage: Stage) -> None:
    log = stage.open()

    def known(id: int) -> tuple[int, int, int, int]:
        entry = entry_of(log, id)
        start = -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset
        return entry.producer_epoch, entry.last_sequence, start, entry.coordinator_epoch

    log.append_batches(sent(0, 5, epoch=5, transactional=True))
    assert known(ID) == (5, 4, 0, -1)
    log.append_batches(marker("commit", epoch=5, coordinator=15), validate=False)
    assert known(ID) == (5, 4, -1, 15)
    log.append_batches(sent(0, 3, id=2, epoch=5))
    assert known(2) == (5, 2, -1, -1)


# Kafka: UnifiedLogTest.testAppendToTransactionIndexFailure
def test_a_marker_whose_entry_cannot_be_written_decides_nothing_until_the_log_is_recovered(stage: Stage) -> None:
    class NoIndex(UnsyncedStorage):
        is_broken = True

        def step(self, operation: str, path: Path) -> None:
            if self.is_broken and path.suffix == ".txnindex":
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    log = stage.open(storage=NoIndex())
    log.append_batches(sent(0, 10, transactional=True))
    for error in (OSError, WriterFailedError):
        with pytest.raises(error):
            log.append_batches(marker("abort", coordinator=1), validate=False)
        assert (log.end_offset, log.last_stable_offset) in ((10, 0), (11, 0))
        assert not list(log.records(isolation_level="read_committed"))
    with contextlib.suppress(WriterFailedError):
        log.close()
    log = stage.open()
    assert log.end_offset == log.last_stable_offset == 11
    assert not list(log.records(isolation_level="read_committed"))
    assert stage.names(".txnindex") and (stage.path / stage.names(".txnindex")[0]).stat().st_size == 34


# Kafka: UnifiedLogTest.testProducerExpireCheckAfterDelete
def test_nothing_is_done_for_a_log_that_was_deleted(stage: Stage) -> None:
    log = stage.open(producer_id_expiration_ms=1000)
    log.append_batches(sent(0))
    log.delete()
    stage.sleep(DAY_MS)
    assert not stage.path.exists() and list(stage.root.glob("**/*.snapshot")) == []


# Kafka: LogLoaderTest.testProducerSnapshotsRecoveryAfterUncleanShutdownCurrentMessageFormat
@pytest.mark.parametrize("left", [2, 4])
def test_snapshots_after_a_crash(stage: Stage, left: int) -> None:
    """One of each segment from the recovery point on, and one of the end; also if there were only those of the last
    segments, so that all is read again."""
    log = stage.open(segment_bytes=640, index_interval_bytes=0)
    for number in range(101):
        log.append_batches(sent(number))
        if len(bases(log)) == 12 and log.synced_offset < bases(log)[-4]:
            log.flush()
    ends, end = bases(log), log.end_offset
    state = log._local.producers.state.snapshot()
    internals_of(log).note_offsets()
    point = ends[-4] + 1
    log.root.set_recovery_point(log.topic, log.partition, point)
    log.root.checkpoint()
    crashed(stage, log)
    for name in stage.names(".snapshot"):
        if int(name.split(".")[0]) < ends[-left]:
            (stage.path / name).unlink()
    log = stage.open(segment_bytes=640, index_interval_bytes=0)
    assert log._local.producers.state.snapshot() == state
    found = [int(name.split(".")[0]) for name in stage.names(".snapshot")]
    assert found == [*ends[-4:], end]


# Kafka: LogLoaderTest.testSkipLoadingIfEmptyProducerStateBeforeTruncation
def test_a_cut_of_a_log_without_producers_reads_no_batches(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    log = stage.open()
    log.append([b"a"]), log.append([b"b"])
    read: list[object] = []

    def headers(*given: object) -> Iterator[Any]:
        read.extend(given)
        return iter(())

    monkeypatch.setattr(producer_snapshots, "iter_batch_headers", headers)
    log.truncate_to(1)
    assert (log._local.producers.state.map_end_offset, read) == (1, [])
    assert stage.names(".snapshot") == [file_name(1, "snapshot")]


# --- the transaction index of a segment ----------------------------------------------------------------------------

ENTRIES = [AbortedTransaction(ID, 0, 10, 11), AbortedTransaction(2, 5, 15, 16), AbortedTransaction(3, 18, 35, 25)]


def indexed(folder: Path) -> LogSegment:
    segment = LogSegment.open(folder, 0, LogConfig())
    for one in ENTRIES[:2]:
        segment.transactions.append(build_aborted([one]))
    segment.release()
    return segment


def stored(segment: LogSegment) -> list[tuple[int, ...]]:
    parsed: Any = kformat.parse("transaction_index", segment.path_of("txnindex").read_bytes())
    return [tuple(one._asdict().values())[1:] for one in parsed.entries]


# Kafka: TransactionIndexTest.testPositionSetCorrectlyWhenOpened
# Kafka: TransactionIndexTest.testAbortedTxnSerde
@pytest.mark.parametrize("torn", [b"", b"x" * 33])
def test_entries_go_on_after_the_last_whole_one(torn: bytes, tmp_path: Path) -> None:
    segment = indexed(tmp_path)
    path = segment.path_of("txnindex")
    path.write_bytes(path.read_bytes() + torn)
    again = LogSegment.open(tmp_path, 0, LogConfig(), already_exists=True)
    again.transactions.append(build_aborted(ENTRIES[2:]))
    assert stored(again) == [tuple(one) for one in ENTRIES]


# Kafka: TransactionIndexTest.testLastOffsetMustIncrease
# Kafka: TransactionIndexTest.testLastOffsetCannotDecrease
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_last_offsets_of_a_log_s_entries_increase(stage: Stage, order: tuple[int, ...]) -> None:
    """They are those of the markers, in whatever order the transactions began."""
    log = stage.open()
    for id in (1, 2, 3):
        log.append_batches(sent(0, 2, id=id, transactional=True))
    for id in order:
        log.append_batches(marker("abort", id=id), validate=False)
    (name,) = stage.names(".txnindex")
    columns = read_transactions(stage.path / name, 0)
    assert columns["producer_id"].tolist() == list(order)
    assert columns["last_offset"].tolist() == [6, 7, 8]


# Kafka: TransactionIndexTest.testTruncate
def test_a_cut_removes_the_entries_of_later_markers(tmp_path: Path) -> None:
    for offset, kept in ((51, 2), (15, 1), (10, 0)):
        segment = indexed(tmp_path)
        segment.transactions.truncate_to(offset)
        assert stored(segment) == [tuple(one) for one in ENTRIES[:kept]]
        segment.path_of("txnindex").unlink()


# Kafka: TransactionIndexTest.testSanityCheck
def test_an_entry_that_ends_before_its_segment_is_unsound(tmp_path: Path) -> None:
    path = indexed(tmp_path).path_of("txnindex")
    assert len(read_transactions(path, 10)) == 2
    with pytest.raises(DataError, match=">= 100"):
        read_transactions(path, 100)


# Kafka: TransactionIndexTest.testRenameIndex
# Kafka: TransactionIndexTest.testFlush
# Kafka: TransactionIndexTest.testDeleteIfExists
def test_a_transaction_index_is_renamed_synced_and_removed_with_its_segment(tmp_path: Path) -> None:
    storage = FaultyStorage()
    segment = LogSegment.open(tmp_path, 0, LogConfig(), storage=storage)
    segment.transactions.append(build_aborted(ENTRIES))
    segment.sync()
    assert ("sync", segment.path_of("txnindex").name) in [(step.operation, step.name) for step in storage.trace]
    segment.change_suffix(".deleted")
    assert segment.path_of("txnindex").name.endswith(".txnindex.deleted")
    segment.delete()
    assert not list(tmp_path.iterdir())


# --- named producers -----------------------------------------------------------------------------------------------


def test_a_named_producer_goes_on_after_a_restart(stage: Stage) -> None:
    log = stage.open()
    orders = log.producer("orders")
    assert (orders.last_sequence, orders.producer_epoch) == (-1, 0)
    assert orders.append([b"a", b"b"]) == 0
    assert log.append([b"somebody else's"]) == 2
    assert orders.append([b"c"]) == 3
    assert orders.last_sequence == 2
    log.close()
    for is_killed in (False, True, False):
        log = stage.open()
        orders = log.producer("orders")
        assert (orders.producer_id, orders.producer_epoch) == (producer_id_of("orders"), 0)
        assert orders.last_sequence == 2
        assert [orders.append([b"c"], sequence=2), orders.append([b"a", b"b"], sequence=0)] == [3, 0]
        assert log.end_offset == 4
        crashed(stage, log) if is_killed else log.close()
    log = stage.open()
    assert log.producer("orders").append([b"d"], sequence=3) == 4
    assert [(record.sequence, record.value) for record in log.records() if record.sequence >= 0] == [
        (number, bytes([97 + number])) for number in range(4)
    ]


def test_what_was_stored_of_an_append_is_not_stored_again(stage: Stage) -> None:
    log = stage.open()
    orders = log.producer("orders")
    orders.append([b"a", b"b"])
    assert orders.append([b"a", b"b", b"c"], sequence=0) == 0
    assert [record.value for record in log.records()] == [b"a", b"b", b"c"]
    with pytest.raises(OutOfOrderSequenceError, match="3 is expected"):
        orders.append([b"e"], sequence=4)
    for wrong in (-1, 2**31, 1.0, True):
        with pytest.raises(UsageError):
            orders.append([b"e"], sequence=wrong)  # type: ignore[arg-type]
    assert orders.append([]) == log.end_offset == 3


def test_large_appends_are_numbered_through_all_their_batches(stage: Stage) -> None:
    log = stage.open()
    values = [bytes([number]) * 5000 for number in range(20)]
    orders = log.producer("orders")
    assert (orders.append(values), orders.append(values[3:], sequence=3)) == (0, 3)
    assert [record.sequence for record in log.records()] == list(range(20))
    assert len(list(log.batches())) > 5
    assert orders.append([values[1]], sequence=1) == 1, "found in the log, being older than five batches"
    assert log.end_offset == 20


def test_who_opens_a_name_again_fences_the_object_before(stage: Stage) -> None:
    log = stage.open()
    first = log.producer("orders")
    first.append([b"a"])
    second = log.producer("orders")
    assert second.producer_epoch == first.producer_epoch + 1
    with pytest.raises(InvalidProducerEpochError):
        first.append([b"b"])
    assert second.append([b"a"], sequence=0) == 0
    assert second.append([b"b"]) == 1
    assert log.producer("other").producer_epoch == 0
    log.close()
    with pytest.raises(UsageError):
        log.producer("")
    log = stage.open()
    assert (log.producer("orders").producer_epoch, log.producer("orders").last_sequence) == (1, 1)


def test_a_name_is_forgotten_when_it_was_silent_too_long(stage: Stage) -> None:
    log = stage.open(producer_id_expiration_ms=1000)
    orders = log.producer("orders")
    orders.append([b"a"])
    stage.sleep(10_000_000)
    log.append_batches(sent(0))
    assert orders.last_sequence == 0, "not while its object is in use"
    log.close()
    log = stage.open(producer_id_expiration_ms=1000)
    with pytest.warns(UserWarning, match="was forgotten"):
        assert log.producer("orders").last_sequence == -1
        assert log.producer("orders").append([b"a"], sequence=0) == 2


def test_a_cut_takes_a_producer_back(stage: Stage) -> None:
    log = stage.open()
    orders = log.producer("orders")
    for value in (b"a", b"b", b"c"):
        orders.append([value])
    log.truncate_to(1)
    assert orders.last_sequence == 0
    assert orders.append([b"b"], sequence=1) == 1


def test_what_retention_has_deleted_is_not_stored_again(stage: Stage) -> None:
    log = stage.open()
    orders = log.producer("orders")
    for _ in range(7):
        orders.append([b"a"])
        log.roll()
    log.delete_records_before(5)
    with pytest.raises(OutOfOrderSequenceError, match="not in the log any more"):
        orders.append([b"a"], sequence=1)
    assert orders.append([b"a"], sequence=6) == 6


_CHILD = """
import sys
import warnings
from kformat_engine import Log, LogConfig
log = Log.open(sys.argv[1])
producer = log.producer("orders")
for number in range(producer.last_sequence + 1, 10**9):
    producer.append([b"%d" % number], sequence=number)
    print(number, flush=True)
"""


def test_after_a_kill_nothing_acknowledged_is_stored_twice(tmp_path: Path) -> None:
    path = tmp_path / "orders-0"
    acknowledged = -1
    for _ in range(2):
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(path)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        assert child.stdout is not None
        for _ in range(30):
            acknowledged = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    with Log.open(path, LogConfig()) as log:
        producer = log.producer("orders")
        last = producer.last_sequence
        assert last >= acknowledged
        for number in range(acknowledged - 7, last + 2):
            producer.append([b"%d" % number], sequence=number)
        assert [int(record.value or b"") for record in log.records()] == list(range(last + 2))


def test_tables_are_numbered_too(stage: Stage) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow")
    log = stage.open()
    table = pyarrow.table({"value": [b"a", b"b", b"c"]})
    orders = log.producer("orders")
    assert orders.append(table.slice(0, 2)) == 0
    assert orders.append(table, sequence=0) == 0
    assert [(record.sequence, record.value) for record in log.records()] == [(0, b"a"), (1, b"b"), (2, b"c")]
