"""What a log takes and refuses, and how it is opened and closed: Kafka's cases of appending, in our words.

A refused append leaves the log as it was, and usable.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat_engine import batching, errors
from kformat_engine.errors import (
    BatchesTooLargeError,
    CorruptBatchError,
    InvalidRecordError,
    LogClosedError,
    OffsetOrderError,
    RecordTooLargeError,
    WriterFailedError,
)
from kformat_engine.root import Root
from tests.damages import patched
from tests.damages_legacy import inner, plain, wrapper
from tests.engine.building import batch
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import NO_TIMESTAMP, NOW_MS, Stage, append_each, bases, read_offsets, read_values, record

LZ4 = 3
TOPIC_ID, OTHER_ID = "MkTRaEPbQoiZZNm5xA8bJA", "hCTSdrOxSmmKoyJ9N_Ljpw"


# Kafka: UnifiedLogTest.testAppendInfoFirstOffset
def test_an_append_tells_its_first_offset(stage: Stage) -> None:
    log = stage.open(segment_bytes=1 << 20)
    three = [(b"a", b"value"), (b"b", b"value"), (b"c", b"value")]
    assert [log.append(three), log.append(three)] == [0, 3]
    log.roll()
    assert log.append(three) == 6
    assert log.append_batches(batch(0, b"x") + batch(0, b"y")) == 9
    assert log.end_offset == 11


# Kafka: UnifiedLogTest.testMessageSetSizeCheck
@pytest.mark.parametrize(("spare_bytes", "fits"), [(-1, False), (0, True)])
def test_a_batch_has_to_fit_a_segment(stage: Stage, spare_bytes: int, fits: bool) -> None:
    data = batch(0, b"You", b"bethe", timestamps=NOW_MS)
    log = stage.open(segment_bytes=len(data) + spare_bytes)
    for assign_offsets in (True, False):
        if fits:
            offset = 0 if assign_offsets else log.end_offset
            log.append_batches(batch(offset, b"You", b"bethe", timestamps=NOW_MS), assign_offsets=assign_offsets)
        else:
            with pytest.raises(BatchesTooLargeError, match=rf"{len(data)} bytes does not fit segment\.bytes"):
                log.append_batches(data, assign_offsets=assign_offsets)
    assert (log.end_offset, log.has_failed) == (4 * fits, False)

    first = log.append([b"You", b"bethe"])
    assert len(list(log.batches(first))) == 2 - fits, "plain records become as many batches as it takes"
    with pytest.raises(BatchesTooLargeError):
        log.append([b"v" * len(data)])
    assert log.end_offset == first + 2


# Kafka: UnifiedLogTest.testMessageSizeCheck
# Kafka: UnifiedLogTest.testMessageSizeCheckInAppendAsFollower
def test_max_message_bytes_is_the_leader_s_to_look_at(stage: Stage) -> None:
    small = batch(0, b"You", b"bethe", timestamps=NOW_MS)
    values = [b"change (I need more bytes)... blah blah blah.", b"More padding boo hoo"]
    large = batch(5, *values, timestamps=NOW_MS)
    log = stage.open(max_message_bytes=len(large) - 1)
    log.append_batches(small)
    with pytest.raises(RecordTooLargeError):
        log.append_batches(batch(0, *values, timestamps=NOW_MS))
    with pytest.raises(RecordTooLargeError):
        log.append([b"v" * len(large)])
    assert log.append(values) == 2, "plain records become as many batches as it takes"
    assert [one.last_offset for one in log.batches(2)] == [2, 3]

    assert log.append_batches(large, assign_offsets=False) == 5
    assert log.end_offset == 7


# Kafka: UnifiedLogTest.testCompactedTopicConstraints
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_a_compacted_log_takes_no_record_without_a_key(stage: Stage, codec: str) -> None:
    log = stage.open(cleanup_policy=("compact",))
    keyed, another = (b"and here it is", b"this message has a key"), (b"another key", b"this message also has a key")
    unkeyed = (None, b"this message does not have a key")
    for records, number in (([unkeyed, keyed], 0), ([unkeyed], 0), ([keyed, unkeyed], 1)):
        with pytest.raises(
            InvalidRecordError, match=rf"^record {number} has no key, which cleanup\.policy=compact needs"
        ):
            log.append(records, compression=codec)
    assert (log.end_offset, log.size_bytes) == (0, 0)
    log.append([keyed], compression=codec)
    log.append([keyed, another], compression=codec)
    assert log.end_offset == 3


# Kafka: UnifiedLogTest.testAppendWithOutOfOrderOffsetsThrowsException
@pytest.mark.parametrize("offsets", [[0, 1, 3, 2, 4], [0, 0], [2, 1]])
def test_a_follower_s_offsets_have_to_grow(stage: Stage, offsets: list[int]) -> None:
    log = stage.open()
    with pytest.raises(OffsetOrderError):
        log.append_batches(b"".join(batch(offset) for offset in offsets), assign_offsets=False)
    assert (log.end_offset, log.size_bytes, log.has_failed) == (0, 0, False)
    log.append_batches(b"".join(batch(offset) for offset in (0, 1, 3, 4)), assign_offsets=False)
    assert read_offsets(log, 0) == [0, 1, 3, 4]


# Kafka: UnifiedLogTest.testAppendBelowExpectedOffsetThrowsException
@pytest.mark.parametrize(
    "below",
    [
        pytest.param(plain(0, magic=0), id="magic-0"),
        pytest.param(plain(0, magic=1), id="magic-1"),
        pytest.param(wrapper(0, inner(0, 0), magic=0, codec=LZ4), id="magic-0-lz4"),
        pytest.param(wrapper(0, inner(0, 1), magic=1, codec=LZ4), id="magic-1-lz4"),
        pytest.param(batch(0, b"1"), id="magic-2"),
        pytest.param(batch(0, b"1", codec="lz4"), id="magic-2-lz4"),
    ],
)
def test_a_follower_s_offsets_begin_at_the_log_s_end(stage: Stage, below: bytes) -> None:
    log = stage.open()
    append_each(log, b"0", b"1")
    with pytest.raises(OffsetOrderError, match="the first offset 0 is below the log end offset 2"):
        log.append_batches(below, assign_offsets=False)
    assert (log.end_offset, len(list(log.batches()))) == (2, 2)


# Kafka: UnifiedLogTest.testAppendEmptyLogBelowLogStartOffsetThrowsException
@pytest.mark.parametrize(
    ("below", "first"),
    [
        # Kafka tells the first offset of what it has to inflate to find it; we tell the last one then, as it is known.
        pytest.param(b"".join(plain(offset, magic=0) for offset in (4, 5, 6)), 4, id="magic-0"),
        pytest.param(b"".join(plain(offset, magic=1) for offset in (4, 5, 6)), 4, id="magic-1"),
        pytest.param(wrapper(6, *(inner(number, 0) for number in (4, 5, 6)), magic=0, codec=LZ4), 6, id="magic-0-lz4"),
        pytest.param(wrapper(6, *(inner(number, 1) for number in range(3)), magic=1, codec=LZ4), 6, id="magic-1-lz4"),
        pytest.param(batch(4, b"v1", b"v2", b"v3"), 4, id="magic-2"),
        pytest.param(batch(4, b"v1", b"v2", b"v3", codec="lz4"), 4, id="magic-2-lz4"),
    ],
)
def test_an_empty_log_has_its_end_at_its_start(stage: Stage, below: bytes, first: int) -> None:
    stage.lay_empty_segment(7)
    log = stage.open()
    assert (log.start_offset, log.end_offset) == (7, 7)
    with pytest.raises(OffsetOrderError, match=f"the first offset {first} is below the log end offset 7"):
        log.append_batches(below, assign_offsets=False)
    assert log.append_batches(batch(7), assign_offsets=False) == 7


# Kafka: UnifiedLogTest.testAppendWithNoTimestamp
def test_a_record_need_not_have_a_timestamp(stage: Stage) -> None:
    log = stage.open()
    log.append([record(b"value", NO_TIMESTAMP, b"key")])
    assert [(one.key, one.value, one.timestamp) for one in log] == [(b"key", b"value", NO_TIMESTAMP)]


# Kafka: UnifiedLogTest.testAppendMessageWithNullPayload
def test_a_record_need_not_have_a_value(stage: Stage) -> None:
    log = stage.open()
    log.append([record(None)])
    assert [(one.offset, one.value) for one in log] == [(0, None)]


@pytest.mark.parametrize("damage", [0, 20, 61, -1])
def test_bytes_with_a_wrong_checksum_are_refused(stage: Stage, damage: int) -> None:
    """UnifiedLog.analyzeAndValidateRecords; Kafka's tests of it stand in LogValidatorTest."""
    log = stage.open()
    data = bytearray(batch(0, b"some value", timestamps=NOW_MS))
    data[damage] ^= 1
    if damage == 0:  # the base offset is outside of the checksum
        with pytest.raises(InvalidRecordError):
            log.append_batches(data)
        return
    for assign_offsets in (True, False):
        with pytest.raises(CorruptBatchError, match="wrong checksum"):
            log.append_batches(data, assign_offsets=assign_offsets)
    assert (log.end_offset, log.has_failed) == (0, False)


# --- leader epochs -------------------------------------------------------------------------------------------------


# Kafka: UnifiedLogTest.shouldApplyEpochToMessageOnAppendIfLeader
def test_a_leader_stamps_its_epoch_on_what_it_appends(stage: Stage) -> None:
    log = stage.open(leader_epoch=72)
    append_each(log, *[b"%d" % number for number in range(49)])
    log.append_batches(batch(0, b"49", leader_epoch=3))
    assert [one.partition_leader_epoch for one in log.batches()] == [72] * 50
    assert log.leader_epochs == ((72, 0),)
    with pytest.raises(UsageError, match="71 after 72"):
        log.leader_epoch = 71


# Kafka: UnifiedLogTest.followerShouldSaveEpochInformationFromReplicatedMessagesToTheEpochCache
def test_a_follower_learns_epochs_from_what_it_gets(stage: Stage) -> None:
    log = stage.open()
    for number in range(50):
        log.append_batches(batch(number, b"%d" % number, leader_epoch=42 + number // 25), assign_offsets=False)
    expected = [(42, 0), (43, 25)]
    assert list(log.leader_epochs) == expected
    assert (stage.path / "leader-epoch-checkpoint").read_text().split("\n")[2:4] == ["42 0", "43 25"]
    log.append([b"50"])
    assert [one.partition_leader_epoch for one in log.batches(50)] == [43], "what comes after is of no earlier epoch"
    assert list(log.leader_epochs) == expected
    log.close()
    log = stage.open()
    assert (list(log.leader_epochs), log.leader_epoch) == (expected, 43)


# Kafka: UnifiedLogTest.testLeaderEpochCacheClearedAfterDowngradeInAppendedMessages
@pytest.mark.parametrize("magic", [0, 1])
def test_entries_of_an_older_magic_end_what_is_known_of_epochs(stage: Stage, magic: int) -> None:
    log = stage.open(leader_epoch=5, segment_bytes=1000, index_interval_bytes=1)
    log.append([b"foo"])
    assert list(log.leader_epochs) == [(5, 0)]
    log.append_batches(plain(1, magic=magic), assign_offsets=False)
    assert list(log.leader_epochs) == []
    assert (stage.path / "leader-epoch-checkpoint").read_text() == "0\n0\n"
    log.append([b"bar"])
    assert list(log.leader_epochs) == [(5, 2)]


# --- opening -------------------------------------------------------------------------------------------------------


# Kafka: LocalLogTest.testParseTopicPartitionName
def test_topic_and_partition_come_from_the_folder_s_name(stage: Stage) -> None:
    log = stage.open(path=stage.root / "test_topic-143")
    assert (log.topic, log.partition) == ("test_topic", 143)
    log = stage.open(path=stage.root / "foo.bar-test-topic-42")
    assert (log.topic, log.partition) == ("foo.bar-test-topic", 42)


# Kafka: LocalLogTest.testParseTopicPartitionNameForEmptyName
# Kafka: LocalLogTest.testParseTopicPartitionNameForMissingSeparator
# Kafka: LocalLogTest.testParseTopicPartitionNameForMissingTopic
# Kafka: LocalLogTest.testParseTopicPartitionNameForMissingPartition
# Kafka: LocalLogTest.testParseTopicPartitionNameForInvalidPartition
# Kafka: LocalLogTest.testParseTopicPartitionNameForExistingInvalidDir
# Kafka: LocalLogTest.testParseTopicPartitionNameWithPeriodForDeletedTopic
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("/", id="no-name"),
        pytest.param("test_topic1999", id="no-dash"),
        pytest.param("test_topic1999.0123456789abcdef0123456789abcdef-delete", id="no-dash-deleted"),
        pytest.param("-1999", id="no-topic"),
        pytest.param("-1999.0123456789abcdef0123456789abcdef-delete", id="no-topic-deleted"),
        pytest.param("test_topic-", id="no-partition"),
        pytest.param("test_topic-.0123456789abcdef0123456789abcdef-delete", id="no-partition-deleted"),
        pytest.param("test_topic-1999a", id="no-number"),
        pytest.param("test_topic-1999a.0123456789abcdef0123456789abcdef-delete", id="no-number-deleted"),
        pytest.param("non_kafka_dir", id="another-folder"),
        pytest.param("non_kafka_dir-delete", id="another-folder-deleted"),
        # Kafka understands these, and opens them, to delete them; here nobody writes to what is on its way out.
        pytest.param("foo.bar-testtopic-42.0123456789abcdef0123456789abcdef-delete", id="deleted"),
        pytest.param("test_topic-1.0123456789abcdef0123456789abcdef-future", id="on-its-way-in"),
    ],
)
def test_a_folder_that_is_called_otherwise_is_no_log_s(stage: Stage, name: str) -> None:
    path = Path("/") if name == "/" else stage.root / name
    with pytest.raises(UsageError, match="is not a partition's folder"):
        stage.open(path=path)
    assert list(stage.root.iterdir()) == [], "and nothing is made"


@pytest.mark.parametrize("topic", ["a b", "é", "a:b", "..", ".", "a" * 250])
def test_a_topic_that_kafka_would_not_make_has_no_log(stage: Stage, topic: str) -> None:
    with pytest.raises(UsageError, match="is not a valid topic name"):
        stage.open(path=stage.root / f"{topic}-0")
    assert list(stage.root.iterdir()) == []


# Kafka: UnifiedLogTest.testLoadPartitionDirWithNoSegmentsShouldNotThrow
def test_an_empty_folder_becomes_a_log_of_one_segment(stage: Stage) -> None:
    """Kafka's folder is one that waits to be deleted, which is not opened here."""
    stage.path.mkdir()
    log = stage.open()
    assert (bases(log), log.end_offset) == ([0], 0)


# Kafka: UnifiedLogTest.testLogReinitializeAfterManualDelete
def test_a_log_whose_segments_were_taken_away_begins_where_it_was_known_to_start(stage: Stage) -> None:
    stage.path.mkdir()
    with Root.open(stage.root) as root:
        root.set_log_start_offset("test_topic", 1, 500)
    log = stage.open()
    assert (log.start_offset, log.end_offset, bases(log)) == (500, 500, [500])
    assert log.append([record()]) == 500


# Kafka: UnifiedLogTest.testLogFlushesPartitionMetadataOnAppend
# Kafka: UnifiedLogTest.testLogFlushesPartitionMetadataOnClose
# Kafka: UnifiedLogTest.testLogRecoversTopicId
def test_the_topic_s_id_is_written_at_once_and_stays(stage: Stage) -> None:
    """Kafka's log is told the id later, and writes it with the next append or when it is closed."""
    log = stage.open(topic_id=TOPIC_ID)
    assert log.topic_id == TOPIC_ID
    assert (stage.path / "partition.metadata").read_bytes() == f"version: 0\ntopic_id: {TOPIC_ID}".encode()
    log.close()
    for given in (None, TOPIC_ID):
        log = stage.open(topic_id=given)
        assert log.topic_id == TOPIC_ID
        log.close()
    assert (stage.path / "partition.metadata").read_bytes() == f"version: 0\ntopic_id: {TOPIC_ID}".encode()


def test_a_log_without_a_topic_s_id_has_no_file_for_it(stage: Stage) -> None:
    log = stage.open()
    append_each(log, b"a")
    assert log.topic_id is None
    log.close()
    assert not (stage.path / "partition.metadata").exists()


# Kafka: UnifiedLogTest.testLogFailsWhenInconsistentTopicIdSet
def test_a_topic_s_id_that_is_another_one_is_refused(stage: Stage) -> None:
    stage.open(topic_id=TOPIC_ID).close()
    with pytest.raises(UsageError, match=f"names the topic id {TOPIC_ID}, not {OTHER_ID}"):
        stage.open(topic_id=OTHER_ID)
    with pytest.raises(UsageError, match="22 characters"):
        stage.open(topic_id="none at all")
    # A version to come is read as Kafka reads it, and the id compared, not the bytes.
    (stage.path / "partition.metadata").write_text(f"version: 1\ntopic_id: {TOPIC_ID}\n")
    assert stage.open(topic_id=TOPIC_ID).topic_id == TOPIC_ID


# --- closing and failing -------------------------------------------------------------------------------------------


# Kafka: LocalLogTest.testLogCloseSuccess
# Kafka: LocalLogTest.testLogCloseIdempotent
def test_a_closed_log_takes_nothing_and_is_closed_again_for_nothing(stage: Stage) -> None:
    log = stage.open()
    log.append([(b"abc", b"ABC"), (b"de", b"DE")])
    log.close()
    with pytest.raises(LogClosedError):
        log.append([b"x"])
    with pytest.raises(LogClosedError):
        log.read(0)
    log.close()
    assert (log.is_closed, stage.open().end_offset) == (True, 2)


# Kafka: LocalLogTest.testLogCloseHandlers
# Kafka: LocalLogTest.testLogCloseHandlersIdempotent
# Kafka: LocalLogTest.testLogCloseFailureWhenInMemoryBufferClosed
def test_a_root_that_was_let_go_of_as_it_is_takes_its_logs_with_it(stage: Stage) -> None:
    """A broker closes the files of a failed disk's logs and brings nothing there; here that is done to a root."""
    root = Root.open(stage.root)
    log = stage.open(root=root)
    log.append([(b"abc", b"ABC"), (b"de", b"DE")])
    root.abandon()
    root.abandon()
    with pytest.raises(LogClosedError):
        log.append([b"x"])
    with pytest.raises(LogClosedError):
        log.close()
    log.close()
    assert not (stage.root / ".kafka_cleanshutdown").exists()
    assert stage.open().end_offset == 2


# Kafka: UnifiedLogTest.testAppendToOrReadFromLogInFailedLogDir
def test_a_log_that_failed_takes_nothing_and_is_still_read(stage: Stage) -> None:
    """A broker takes the whole disk offline then, and nothing of it is read any more. Here what was acknowledged can
    be read until the log is closed."""
    storage = FaultyStorage()
    log = stage.open(storage=storage)
    log.append([b"0"])
    storage.fault = Fault(at=len(storage.trace) + 1, error=errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        log.append([b"1"])
    with pytest.raises(WriterFailedError):
        log.append([b"1"])
    assert (log.has_failed, read_values(log)) == (True, [b"0"])
    log.close()
    assert not (stage.root / ".kafka_cleanshutdown").exists()


def test_records_that_cannot_be_made_change_nothing(stage: Stage) -> None:
    """What raises while the records are made is not the log's failure."""

    def failing() -> Iterator[bytes]:
        yield b"one"
        raise ZeroDivisionError

    log = stage.open()
    with pytest.raises(ZeroDivisionError):
        log.append(failing())
    assert not log.has_failed and log.append([b"two"]) == 0


def test_records_made_by_appending_to_the_same_log_get_offsets_behind_those(stage: Stage) -> None:
    log = stage.open()

    def appending() -> Iterator[bytes]:
        yield b"outer 1"
        log.append([b"inner"])
        yield b"outer 2"

    assert log.append(appending()) == 1
    assert [(one.offset, one.value) for one in log] == [(0, b"inner"), (1, b"outer 1"), (2, b"outer 2")]


MAX_INT64 = 2**63 - 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(patched(batch(10), last_offset_delta=-5), id="ends-before-it-begins"),
        pytest.param(batch(10, *[b"v"] * 10) + batch(15, *[b"v"] * 20), id="reach-into-each-other"),
        pytest.param(batch(MAX_INT64), id="no-offset-left-for-the-end"),
        pytest.param(patched(batch(MAX_INT64 - 1), last_offset_delta=5), id="beyond-int64"),
        pytest.param(batch(10) + batch(10 + 2**31), id="wider-than-a-segment"),
    ],
)
def test_a_follower_refuses_what_recovery_would_call_damage(stage: Stage, data: bytes) -> None:
    """And such an append neither makes the log fail, nor moves its end, back or beyond what a checkpoint can say."""
    log = stage.open()
    log.append([b"v"] * 8)
    with pytest.raises(UsageError):
        log.append_batches(data, assign_offsets=False)
    assert not log.has_failed and log.end_offset == 8
    assert log.append_batches(batch(10) + batch(9 + 2**31), assign_offsets=False) == 10
    log.close()
    assert stage.open().end_offset == 10 + 2**31


def test_a_refusal_behind_a_change_makes_the_log_fail(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that was closed refuses too late: the batch is written."""
    log = stage.open(flush_ms=1000)
    stage.scheduler.close()
    with pytest.raises(UsageError, match="the scheduler is closed"):
        log.append([b"value"])
    assert log.has_failed
    with pytest.raises(errors.WriterFailedError):
        log.append([b"value"])


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_record_that_no_reader_takes_is_not_appended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, compression: str
) -> None:
    """It is small enough compressed; but nothing behind it could be iterated over."""
    monkeypatch.setattr(batching, "DEFAULT_INFLATE_LIMIT", 40_000)
    log = stage.open()
    record = {"key": b"k", "value": bytes(30_000), "headers": {"h": bytes(20_000)}}
    with pytest.raises(errors.RecordTooLargeError, match="readers take 40000 at most"):
        log.append([b"small", record, b"small"], compression=compression)
    assert log.end_offset == 0
    assert log.append([{**record, "value": bytes(10_000)}], compression=compression) == 0


@pytest.mark.parametrize("given", ["ab", 5, ["ab"], [("a", b"b", b"c")], [b"ab"]])
def test_what_is_no_header_is_told_of(stage: Stage, given: Any) -> None:
    with pytest.raises(errors.InvalidRecordError, match="pairs of a name and bytes are expected"):
        stage.open().append([{"headers": given}])


def test_headers_may_be_a_mapping(stage: Stage) -> None:
    log = stage.open()
    log.append([{"headers": {"a": b"1", "b": None}}, {"headers": iter([("a", b"1"), ["a", b"2"]])}])
    assert [record.headers for record in log] == [(("a", b"1"), ("b", None)), (("a", b"1"), ("a", b"2"))]


# Kafka: UnifiedLogTest.testAppendAsLeaderWithRaftLeader
def test_offsets_that_are_given_have_to_go_on_from_the_end(stage: Stage) -> None:
    log = stage.open()
    for base, end in ((0, 3), (1, None), (3, 6)):
        data = batch(base, b"a", b"b", b"c")
        if end is None:
            with pytest.raises(errors.OffsetOrderError):
                log.append_batches(data, assign_offsets=False)
        else:
            assert log.append_batches(data, assign_offsets=False) == base
            assert (log.start_offset, log.end_offset) == (0, end)


# Kafka, left out: LocalLogTest.testParseTopicPartitionNameForNull: a path that is none is no case in a typed API
# Kafka, left out: UnifiedLogTest.testNoOpWhenKeepPartitionMetadataFileIsFalse: a switch for ZooKeeper's brokers
# Kafka, left out: UnifiedLogTest.testLeaderEpochCacheClearedAfterDynamicMessageFormatDowngrade: message.format.version
# Kafka, left out: UnifiedLogTest.testLeaderEpochCacheCreatedAfterMessageFormatUpgrade: message.format.version
# Kafka, left out: UnifiedLogTest.testEmptyTransactionStillClearsVerificationGuard: as ProducerStateManagerTest
# Kafka, left out: UnifiedLogTest.testDisabledVerificationClearsVerificationGuard: as ProducerStateManagerTest
# Kafka, left out: UnifiedLogTest.testEnablingVerificationWhenRequestIsAtLogLayer: as ProducerStateManagerTest
