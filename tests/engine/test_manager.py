"""`LogManager`: logs in several directories, made, deleted, moved, kept up in the background. After crashes:
test_manager_crash.py."""

from __future__ import annotations

import errno
import itertools
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import file_name, parse_folder_name
from kformat.kafka.files.text_files import parse_offsets
from kformat_engine import Log, LogConfig, LogManager, PartitionPlace
from kformat_engine.errors import (
    DamagedLogError,
    DuplicatePartitionError,
    LogClosedError,
    LogDirOfflineError,
    LogError,
    RootLockedError,
    UnknownPartitionError,
)
from kformat_engine.root import CLEAN_MARKER, LOG_START_OFFSETS, RECOVERY_POINTS, Root
from kformat_engine.scheduler import ThreadScheduler
from tests.engine.logs import UnsyncedStorage
from tests.engine.manual import ManualClock, ManualScheduler

CONFIG = LogConfig(segment_bytes=300, index_interval_bytes=0, segment_index_bytes=96, file_delete_delay_ms=1000)
NOW_MS = 1_700_000_000_000


class BrokenStorage(UnsyncedStorage):
    """A disk of several directories of which some have failed: they take no change."""

    def __init__(self) -> None:
        self.broken: list[Path] = []
        self.steps_before_error: dict[Path, int] = {}

    def step(self, operation: str, path: Path) -> None:
        for folder in self.steps_before_error:
            if path.is_relative_to(folder):
                self.steps_before_error[folder] -= 1
                if self.steps_before_error[folder] == -1:  # this change alone
                    raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        if any(path.is_relative_to(one) for one in self.broken):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))


class Managers:
    """Opens managers in `path`, with time that the test moves."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock, self.storage = path, ManualClock(NOW_MS), BrokenStorage()
        self.opened: list[LogManager] = []

    def scheduler(self, folder: Path) -> ManualScheduler:
        return ManualScheduler(self.clock, on_error=lambda name, error: None)

    def open(self, *names: str, config: LogConfig = CONFIG, **given: Any) -> LogManager:
        given = {"storage": self.storage, "scheduler": self.scheduler, **given}
        manager = LogManager.open([self.path / name for name in names or ("a", "b")], config, clock=self.clock, **given)
        self.opened.append(manager)
        return manager


@pytest.fixture
def managers(tmp_path: Path) -> Any:
    made = Managers(tmp_path)
    yield made
    made.storage.broken.clear()
    for manager in made.opened:
        manager.close()


def fill(log: Log, count: int = 10) -> None:
    for number in range(count):
        log.append([{"value": b"%05d" % number * 10, "timestamp": NOW_MS + number}])


def values(log: Log) -> list[bytes | None]:
    return [record.value for record in log]


def states(folder: Path) -> list[str]:
    """The states of the partitions' folders in a directory, sorted."""
    names = (parse_folder_name(entry.name) for entry in folder.iterdir() if entry.is_dir())
    return sorted(name.state for name in names if name is not None)


# Opening, creating


# Kafka: LogManagerTest.testCreateLog
def test_a_partition_is_made_and_opened_again(managers: Managers) -> None:
    with managers.open() as manager:
        log = manager.create_partition("orders", 0, topic_id="AAAAAAAAAAAAAAAAAAAAAQ")
        fill(log)
        assert manager.log("orders", 0) is log and ("orders", 0) in manager
        with pytest.raises(UsageError, match="already"):
            manager.create_partition("orders", 0)
    assert log.is_closed and manager.is_closed
    with managers.open() as manager:
        log = manager.log("orders", 0)
        assert (log.end_offset, log.topic_id, len(values(log))) == (10, "AAAAAAAAAAAAAAAAAAAAAQ", 10)
        assert manager.partitions() == (PartitionPlace("orders", 0, managers.path / "a"),)


# Kafka: LogManagerTest.testCreateLogOnTargetedLogDirectory
def test_a_partition_is_made_in_the_directory_that_is_asked_for(managers: Managers) -> None:
    with managers.open("a", "b", "c") as manager:
        log = manager.create_partition("orders", 0, directory=managers.path / "c")
        assert log.path == managers.path / "c" / "orders-0"
        with pytest.raises(UsageError, match="none of the directories"):
            manager.create_partition("orders", 1, directory=managers.path / "d")


# Kafka: LogManagerTest.testLeastLoadedAssignment
def test_a_partition_goes_to_the_directory_with_the_fewest(managers: Managers) -> None:
    with managers.open("a", "b", "c") as manager:
        for number in range(20):
            manager.create_partition("test", number)
            counts = [len(states(folder)) for folder in manager.directories]
            assert max(counts) - min(counts) <= 1 and counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(
    ("topic", "partition"),
    [("", 0), (".", 0), ("a/b", 0), ("x" * 250, 0), ("a", -1), ("a", 2**31), ("a", "0"), ("__cluster_metadata", 0)],
)
def test_names_that_kafka_would_not_make(managers: Managers, topic: str, partition: Any) -> None:
    with managers.open("a") as manager, pytest.raises(UsageError):
        manager.create_partition(topic, partition)


# Kafka: LogManagerTest.testGetNonExistentLog
def test_a_partition_that_is_not_there(managers: Managers) -> None:
    with managers.open() as manager:
        with pytest.raises(UnknownPartitionError, match="there is no orders-0 in"):
            manager.log("orders", 0)
        with pytest.raises(UnknownPartitionError):
            manager.delete_partition("orders", 0)
        for wrong in ("orders", "0"), (b"orders", 0), (["orders"], 0):
            with pytest.raises(UsageError, match="is expected"):
                manager.log(*wrong)
        assert not states(manager.directories[0])
    with pytest.raises(LogClosedError):
        manager.log("orders", 0)


# Kafka: LogManagerTest.testTwoLogManagersUsingSameDirFails
# Kafka: LogManagerTest.testLock
def test_a_directory_has_one_owner(managers: Managers) -> None:
    manager = managers.open("a", "b")
    with pytest.raises(RootLockedError):
        managers.open("c", "b")
    assert (managers.path / "a" / ".lock").exists()
    manager.close()
    managers.open("c", "b").close()


@pytest.mark.parametrize("names", [[], ["a", "a"], ["a", "./a"], ["a", "a/b"], ["a/b/c", "x", "a"], ["a", "a/t-0"]])
def test_directories_that_make_no_sense(managers: Managers, names: list[str]) -> None:
    with pytest.raises(UsageError):
        LogManager.open([managers.path / name for name in names])
    with pytest.raises(UsageError, match="takes a list"):
        LogManager.open(str(managers.path))
    assert not list(managers.path.iterdir())


def test_a_directory_of_logs_is_no_partition(managers: Managers) -> None:
    """Directories of brokers are often called kafka-1, as if that were partition 1 of a topic."""
    (managers.path / "a").mkdir()
    for name, there in {"kafka-1": "t-0", "kafka-2": "meta.properties", "kafka-3": "__cluster_metadata-0"}.items():
        if "." in there:
            (managers.path / "a" / name).mkdir()
            (managers.path / "a" / name / there).write_text("version=1\n")
        else:
            Log.open(managers.path / "a" / name / there, storage=UnsyncedStorage()).close()
    before = sorted(managers.path.glob("*/*/*"))
    with managers.open("a") as manager:
        assert sorted(manager.refused) == [("kafka", 1), ("kafka", 2), ("kafka", 3)]
        manager.create_partition("orders", 0)
        with pytest.raises(UsageError, match=r"kafka-1 is a directory of logs"):
            manager.log("kafka", 1)
    with pytest.raises(UsageError, match=r"kafka-1 is a directory of logs"):
        Log.open(managers.path / "a" / "kafka-1")
    assert sorted(path for path in managers.path.glob("*/*/*") if path.parent.name != "orders-0") == before


# Kafka: LogManagerTest.testLoadLogsSkipRemoteIndexCache
def test_what_is_no_partition_is_left_alone(managers: Managers) -> None:
    for name in ("remote-log-index-cache", "__cluster_metadata-0", "lost+found", f"orders-0.{'0' * 32}-stray"):
        (managers.path / "a" / name).mkdir(parents=True)
    with managers.open() as manager:
        assert manager.partitions() == () and not manager.refused
    assert len([path for path in (managers.path / "a").iterdir() if path.is_dir()]) == 4


def test_a_partition_in_two_directories_is_refused(managers: Managers) -> None:
    for name in ("a", "b"):
        with Log.open(managers.path / name / "orders-0", storage=UnsyncedStorage()) as log:
            log.append([name.encode()])
    with Log.open(managers.path / "a" / "other-0", storage=UnsyncedStorage()) as log:
        log.append([b"other"])
    before = {path: path.read_bytes() for path in managers.path.glob("*/orders-0/*")}
    with managers.open("a", "b") as manager:
        assert list(manager.refused) == [("orders", 0)] and values(manager.log("other", 0)) == [b"other"]
        with pytest.raises(DuplicatePartitionError, match=r"orders-0 lies in .*a and in .*b"):
            manager.log("orders", 0)
        with pytest.raises(UsageError, match="already"):
            manager.create_partition("orders", 0)
    assert {path: path.read_bytes() for path in managers.path.glob("*/orders-0/*")} == before
    with managers.open("b") as manager:
        assert values(manager.log("orders", 0)) == [b"b"]
        assert not manager.log("orders", 0).report.changes


def test_a_damaged_log_does_not_keep_the_others_from_being_opened(managers: Managers) -> None:
    with managers.open("a") as manager:
        for topic in ("orders", "other"):
            fill(manager.create_partition(topic, 0))
    last = max((managers.path / "a" / "orders-0").glob("*.log"))
    last.write_bytes(last.read_bytes()[:-3])
    with managers.open("a") as manager:
        with pytest.raises(DamagedLogError):
            manager.log("orders", 0)
        with pytest.raises(UsageError, match="already"):
            manager.create_partition("orders", 0)
        assert list(manager.refused) == [("orders", 0)] and len(values(manager.log("other", 0))) == 10
    with managers.open("a", mode="salvage") as manager:
        assert len(values(manager.log("orders", 0))) == 9


# Directories that fail


# Kafka: LogManagerTest.testCreateLogWithInvalidLogDir
def test_a_directory_that_cannot_be_opened_is_offline(managers: Managers) -> None:
    (managers.path / "a").write_bytes(b"a file")
    with managers.open() as manager:
        assert list(manager.offline) == [managers.path / "a"]
        with pytest.raises(LogDirOfflineError, match="may lie in a directory that is offline"):
            manager.create_partition("orders", 0)
        log = manager.create_partition("orders", 0, is_new=True)
        assert log.path.parent == managers.path / "b" and log.append([b"test"]) == 0
        with pytest.raises(LogDirOfflineError, match="but it may lie in"):
            manager.log("orders", 1)
        with pytest.raises(LogDirOfflineError):
            manager.create_partition("orders", 1, directory=managers.path / "a", is_new=True)
    with pytest.raises(OSError):
        managers.open("a")
    with pytest.raises(OSError):
        managers.open("c", "d", create=False)


# Kafka: LogManagerTest.testCreateLogWithLogDirFallback
def test_the_next_directory_is_tried(managers: Managers) -> None:
    with managers.open("0", "1", "2", "3", "4") as manager:
        managers.storage.broken = [managers.path / "0", managers.path / "1"]
        log = manager.create_partition("orders", 0)
        assert log.path.parent == managers.path / "2" and list(manager.offline) == managers.storage.broken
        managers.storage.broken += [managers.path / name for name in "234"]
        with pytest.raises(LogDirOfflineError, match="no directory could take orders-1"):
            manager.create_partition("orders", 1, is_new=True)


def test_a_directory_that_could_not_take_a_partition_keeps_no_folder(managers: Managers) -> None:
    """Whatever change of the disk failed: the partition would lie in two directories otherwise."""
    cleared_count = 0
    for number in itertools.count():
        names = f"{number}a", f"{number}b"
        manager = managers.open(*names)
        first = managers.path / names[0]
        managers.storage.steps_before_error = {first: number}
        log = manager.create_partition("orders", 0)
        left = managers.storage.steps_before_error.pop(first)
        log.append([b"1"])
        manager.close()
        if left >= 0:
            assert log.path.parent == first
            break
        assert log.path.parent == managers.path / names[1] and not (first / "orders-0").exists()
        cleared_count += left < -1  # what came after the error
        with managers.open(*names) as manager:
            assert values(manager.log("orders", 0)) == [b"1"] and not manager.refused
    assert cleared_count > 2


def test_a_directory_that_fails_takes_its_own_partitions_with_it(managers: Managers) -> None:
    manager = managers.open("a", "b")
    logs = [manager.create_partition("orders", number) for number in range(4)]
    for log in logs:
        fill(log, 3)
    managers.storage.broken = [managers.path / "a"]
    with pytest.raises(OSError):
        logs[0].append([b"lost"])
    for use in (lambda: logs[2].append([b"x"]), lambda: logs[2].read(0), lambda: manager.log("orders", 0)):
        with pytest.raises(LogDirOfflineError):
            use()
    assert [place.partition for place in manager.partitions()] == [1, 3]
    assert logs[1].append([b"more"]) == 3 and len(values(manager.log("orders", 3))) == 3
    metrics = manager.metrics
    assert (metrics.directory_count, metrics.offline_directory_count, metrics.partition_count) == (2, 1, 2)
    manager.close()
    assert [(managers.path / name / CLEAN_MARKER).exists() for name in "ab"] == [False, True]
    managers.storage.broken.clear()
    with managers.open("a", "b") as manager:
        assert [log.end_offset for log in (manager.log("orders", number) for number in range(4))] == [3, 4, 3, 3]


# Kafka: LogManagerTest.testHandlingExceptionsDuringShutdown
def test_closing_goes_on_after_an_error(managers: Managers) -> None:
    manager = managers.open("a", "b")
    for number in range(2):
        fill(manager.create_partition("orders", number))
    managers.storage.broken = [managers.path / "a"]
    with pytest.raises(OSError):
        manager.close()
    manager.close()
    assert [(managers.path / name / CLEAN_MARKER).exists() for name in "ab"] == [False, True]
    managers.storage.broken.clear()
    with managers.open("a", "b") as manager:
        assert [manager.log("orders", number).end_offset for number in range(2)] == [10, 10]


def test_closing_goes_on_after_an_interrupt(managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until everything is let go of, by one call or by the next."""
    for name in ("close", "end_background"):
        manager = managers.open()
        for number in range(2):
            with suppress(UsageError):
                manager.create_partition("orders", number).append([b"1"])
        real, count = getattr(Root, name), [0]

        def interrupted(root: Root, real: Any = real, count: list[int] = count) -> None:
            count[0] += 1
            if count[0] <= 2:
                raise KeyboardInterrupt
            real(root)

        with monkeypatch.context() as patch:
            patch.setattr(Root, name, interrupted)
            for _ in range(3):
                with suppress(KeyboardInterrupt):
                    manager.close()
        manager.close()
        managers.open().close()
        assert [(managers.path / name / CLEAN_MARKER).exists() for name in "ab"] == [True, True]


def test_an_interrupted_creation_leaves_no_folder(managers: Managers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a second call may choose another directory, and the partition is in both."""
    manager, real = managers.open(), Log.open.__func__  # type: ignore[attr-defined]
    for name, is_made in {"before": False, "after": True}.items():
        for kind in (KeyboardInterrupt, MemoryError):

            def interrupted(cls: type[Log], path: Path, *rest: Any, **more: Any) -> Log:
                if is_made:  # noqa: B023
                    real(cls, path, *rest, **more)
                else:
                    path.mkdir()
                raise kind  # noqa: B023

            with monkeypatch.context() as patch:
                patch.setattr(Log, "open", classmethod(interrupted))
                with pytest.raises(kind):
                    manager.create_partition(name, 0)
            assert not list(managers.path.glob(f"*/{name}-0"))
    used = manager.create_partition("before", 0).path.parent
    other = next(folder for folder in manager.directories if folder != used)
    (used / "killed-0").mkdir()
    with pytest.raises(UsageError, match="is there already"):
        manager.create_partition("killed", 0, directory=other)
    assert manager.create_partition("killed", 0).path == used / "killed-0"


# Kafka: LogManagerTest.testCleanShutdownFileWhenShutdownCalledBeforeStartupComplete
def test_a_manager_that_was_not_opened_leaves_the_markers_as_they_were(managers: Managers) -> None:
    for name in ("a", "b"):
        Log.open(managers.path / name / "orders-0", storage=UnsyncedStorage()).close()
    (managers.path / "b" / CLEAN_MARKER).unlink()
    managers.open("a", "b").close()
    assert [(managers.path / name / CLEAN_MARKER).exists() for name in "ab"] == [True, False]


# Deleting


# Kafka: LogManagerTest.testFileReferencesAfterAsyncDelete
# Kafka: UnifiedLogTest.testRenamingDirWithoutReinitialization
def test_a_deleted_partition_is_renamed_and_removed_later(managers: Managers) -> None:
    with managers.open("a") as manager:
        log = manager.create_partition("orders", 0)
        fill(log)
        held = log.read(0)
        before = bytes(held.data)
        manager.delete_partition("orders", 0)
        (doomed,) = (entry for entry in (managers.path / "a").iterdir() if entry.is_dir())
        assert doomed.name.startswith("orders-0.") and doomed.name.endswith("-delete") and len(list(doomed.iterdir()))
        assert log.is_closed and ("orders", 0) not in manager
        managers.clock.sleep(999)
        assert doomed.exists()
        managers.clock.sleep(1)
        assert not doomed.exists() and bytes(held.data) == before
        assert "orders" not in (managers.path / "a" / RECOVERY_POINTS).read_text()


# Kafka: LogManagerTest.testMetricsExistWhenLogIsRecreatedBeforeDeletion
def test_a_partition_is_made_again_before_the_old_one_is_removed(managers: Managers) -> None:
    with managers.open("a") as manager:
        for number in range(3):
            log = manager.create_partition("orders", 0)
            assert log.end_offset == 0 and manager.metrics.partition_count == 1
            fill(log, 3 + number)
            log.delete_records_before(2)
            manager.delete_partition("orders", 0)
            assert manager.metrics.partition_count == 0
        assert states(managers.path / "a") == ["delete"] * 3
    assert states(managers.path / "a") == []


# Kafka: LocalLogTest.testLogDeleteDirName
# Kafka: LogManagerTest.testCreateAndDeleteOverlyLongTopic
def test_the_folder_of_a_long_topic_gets_a_name_that_fits(managers: Managers) -> None:
    with managers.open("a") as manager:
        manager.create_partition("n" * 249, 0)
        manager.delete_partition("n" * 249, 0)
        manager.create_partition("foo", 3)
        manager.delete_partition("foo", 3)
        assert states(managers.path / "a") == ["delete", "delete"]
        short, long = sorted(entry.name for entry in (managers.path / "a").iterdir() if entry.is_dir())
        assert re.fullmatch(r"foo-3\.[0-9a-z]{32}-delete", short)
        assert re.fullmatch(r"n+-0\.[0-9a-z]{32}-delete", long) and len(long) == 255


def test_what_a_killed_process_was_to_remove_goes_when_a_manager_is_opened(managers: Managers) -> None:
    (managers.path / "a" / f"orders-0.{'1' * 32}-delete").mkdir(parents=True)
    (managers.path / "a" / f"orders-0.{'1' * 32}-delete" / "file").write_bytes(b"x")
    with managers.open("a"):
        assert states(managers.path / "a") == []


def test_a_partition_with_folders_in_it_is_not_deleted(managers: Managers) -> None:
    with managers.open() as manager:
        log = manager.create_partition("orders", 0)
        (log.path / "mine").mkdir()
        with pytest.raises(UsageError, match="has folders in it"):
            manager.delete_partition("orders", 0)
        with pytest.raises(UsageError, match="has folders in it"):
            manager.move("orders", 0, managers.path / "b")
        assert not log.is_closed


# Kafka: LogManagerTest.testShutdownWithZeroFileDeleteDelayMs
def test_closing_ends_the_threads(tmp_path: Path) -> None:
    config = LogConfig(file_delete_delay_ms=0)
    with LogManager.open([tmp_path / "a", tmp_path / "b"], config, storage=UnsyncedStorage()) as manager:
        for number in range(6):
            log = manager.create_partition("orders", number)
            log.append([b"value"])
            log.roll()
        manager.start(initial_task_delay_ms=0, retention_check_interval_ms=1, checkpoint_interval_ms=1)
        manager.delete_partition("orders", 0)
        running = [thread for thread in threading.enumerate() if thread.name == "kformat-scheduler"]
        assert len(running) == 3, "one for each directory, and one that compacts"
    assert not [thread for thread in threading.enumerate() if thread.name == "kformat-scheduler"]
    assert states(tmp_path / "a") == ["", ""]


# Kafka: LocalLogTest.testUpdateConfig
# Kafka: LogManagerTest.testTopicConfigChangeUpdatesLogConfig
# Kafka: LogManagerTest.testBrokerConfigChangeDeliveredToAllLogs
# Kafka: LogManagerTest.testTopicConfigChangeStopCleaningIfCompactIsRemoved
def test_a_changed_configuration_counts_from_the_next_opening(managers: Managers) -> None:
    """An open log keeps the one it has."""
    compacted = replace(CONFIG, cleanup_policy=("compact",), min_cleanable_dirty_ratio=0.01)
    with managers.open(config=compacted) as manager:
        for topic in ("orders", "others"):
            log = manager.create_partition(topic, 0)
            for _ in range(10):
                log.append([(b"key", b"value" * 9)])
    own = replace(CONFIG, retention_ms=5)
    with managers.open(config=replace(compacted, segment_bytes=301), configs={"orders": own}) as manager:
        assert (manager.log("orders", 0).config, manager.log("others", 0).config.segment_bytes) == (own, 301)
        done = manager.compact()
        assert done is not None and done[0].topic == "others" and manager.compact() is None
        assert len(values(manager.log("orders", 0))) == 10
        managers.clock.sleep(1000)
        assert {place.topic for place, *_ in manager.retain()} == {"orders"}


# Moving


# Kafka: LocalLogTest.testLogDirRenameToNewDir
# Kafka: UnifiedLogTest.testWriteLeaderEpochCheckpointAfterDirectoryRename
# Kafka: UnifiedLogTest.testTopicIdTransfersAfterDirectoryRename
# Kafka: UnifiedLogTest.testTopicIdFlushesBeforeDirectoryRename
# Kafka: TransactionIndexTest.testUpdateParentDir
def test_all_files_are_in_the_folder_that_a_partition_was_moved_to(managers: Managers) -> None:
    with managers.open() as manager:
        old = manager.create_partition("orders", 0, topic_id="AAAAAAAAAAAAAAAAAAAAAQ")
        old.leader_epoch = 5
        t = manager.transaction("a")
        t.append("orders", 0, [b"aborted"])
        t.abort()
        old.roll()
        indexed = [path.read_bytes() for path in old.path.glob("*.txnindex") if path.stat().st_size]
        topic_id = old.topic_id
        new = manager.move("orders", 0, managers.path / "b")
        managers.clock.sleep(CONFIG.file_delete_delay_ms)
        assert not old.path.exists() and new.path.parent == managers.path / "b" and new.segment_count == 2
        assert {"partition.metadata", "leader-epoch-checkpoint"} <= {path.name for path in new.path.iterdir()}
        assert [path.read_bytes() for path in new.path.glob("*.txnindex") if path.stat().st_size] == indexed
        assert len(indexed) == 1 and (new.topic_id, new.leader_epoch) == (topic_id, 5)
        new.leader_epoch = 10
        t = manager.transaction("a")
        offset = t.append("orders", 0, [b"aborted, too"])
        t.abort()
        assert new.leader_epochs[-1] == (10, offset) and not old.path.exists()
        assert len([path for path in new.path.glob("*.txnindex") if path.stat().st_size]) == 2
        assert not list(new.records(isolation_level="read_committed"))


# Kafka: LogManagerTest.testMetricsAreRemovedWhenMovingCurrentToFutureLog
def test_a_partition_is_moved(managers: Managers) -> None:
    with managers.open() as manager:
        old = manager.create_partition("orders", 0, topic_id="AAAAAAAAAAAAAAAAAAAAAQ")
        fill(old)
        old.leader_epoch = 5
        old.append([b"epoch 5"])
        old.delete_records_before(3)
        old.leader_epoch = 7
        files = {path.name: path.read_bytes() for path in old.path.glob("*.log")}
        before = values(old)
        new = manager.move("orders", 0, managers.path / "b")
        assert old.is_closed and manager.log("orders", 0) is new and new.path == managers.path / "b" / "orders-0"
        assert values(new) == before and (new.log_start_offset, new.end_offset, new.leader_epoch) == (3, 11, 7)
        assert new.leader_epochs == ((0, 3), (5, 10)) and new.topic_id == "AAAAAAAAAAAAAAAAAAAAAQ"
        assert files.items() >= {path.name: path.read_bytes() for path in new.path.glob("*.log")}.items()
        assert new.append([b"more"]) == 11
        assert (states(managers.path / "a"), states(managers.path / "b")) == (["delete"], [""])
        metrics = manager.metrics
        assert (metrics.partition_count, metrics.moved_partition_count, metrics.error_count) == (1, 1, 0)
        for name in (RECOVERY_POINTS, LOG_START_OFFSETS):
            offsets = parse_offsets((managers.path / "a" / name).read_bytes()).as_dict()
            assert ("orders", 0) not in offsets
        managers.clock.sleep(CONFIG.file_delete_delay_ms)
        assert states(managers.path / "a") == []
        manager.move("orders", 0, managers.path / "a")
    with managers.open() as manager:
        log = manager.log("orders", 0)
        assert log.path.parent == managers.path / "a" and values(log) == [*before, b"more"]
        assert log.log_start_offset == 3 and not log.report.changes


def test_what_is_appended_rolled_and_deleted_meanwhile_is_moved_too(
    managers: Managers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each file that is copied while the log is open."""
    with managers.open() as manager:
        log = manager.create_partition("orders", 0)
        fill(log, 12)
        expected = values(log)

        class Busy(BrokenStorage):
            def open(self, path: Path, *, create: bool = False, writable: bool = True) -> Any:
                if not writable and path.parent == log.path and not log.is_closed and len(expected) < 40:
                    value = b"%05d" % len(expected) * 10
                    log.append([value])
                    expected.append(value)
                    if len(expected) == 20:
                        log.truncate_to(17)
                        del expected[17:]
                    if len(expected) == 25:
                        log.delete_records_before(8)
                return super().open(path, create=create, writable=writable)

        monkeypatch.setattr(manager._moves, "_storage", Busy())
        moved = manager.move("orders", 0, managers.path / "b")
        assert len(expected) > 16
        assert values(moved) == expected[moved.log_start_offset :] and moved.end_offset == len(expected)
    with managers.open() as manager:
        assert values(manager.log("orders", 0)) == expected[moved.log_start_offset :]


def test_a_move_next_to_a_thread_that_appends(managers: Managers) -> None:
    with managers.open() as manager:
        log = manager.create_partition("orders", 0)
        acknowledged: list[int] = []

        def work() -> None:
            while len(acknowledged) < 200:
                try:
                    acknowledged.append(manager.log("orders", 0).append([b"%05d" % len(acknowledged)]))
                except LogClosedError:  # it had it before the swap
                    continue

        thread = threading.Thread(target=work)
        thread.start()
        while not acknowledged:
            pass
        for name in "bab":
            log = manager.move("orders", 0, managers.path / name)
        thread.join()
        assert acknowledged == list(range(200)) and values(log) == [b"%05d" % number for number in acknowledged]


# Kafka: LocalLogTest.testLogDirRenameToExistingDir
def test_moves_that_are_refused(managers: Managers) -> None:
    with managers.open() as manager:
        log = manager.create_partition("orders", 0)
        for directory, why in ((managers.path / "a", "lies in"), (managers.path / "c", "none of the directories")):
            with pytest.raises(UsageError, match=why):
                manager.move("orders", 0, directory)
        with pytest.raises(UnknownPartitionError):
            manager.move("orders", 1, managers.path / "b")
        manager.create_partition("n" * 249, 0)
        with pytest.raises(UsageError, match="too long"):
            manager.move("n" * 249, 0, managers.path / "a")
        managers.storage.broken = [managers.path / "b"]
        with pytest.raises(OSError):
            manager.move("orders", 0, managers.path / "b")
        assert manager.log("orders", 0).append([b"goes on"]) == 0 and log.path.parent == managers.path / "a"
        with pytest.raises(LogDirOfflineError):
            manager.move("orders", 0, managers.path / "b")


# Background work


# Kafka: LogManagerTest.testCleanupExpiredSegments
# Kafka: LogManagerTest.testCleanupSegmentsToMaintainSize
@pytest.mark.parametrize(
    ("config", "left"), [({"retention_ms": 100_000}, 1), ({"retention_bytes": 700}, 3), ({"retention_ms": -1}, 20)]
)
def test_retention_runs_by_itself(managers: Managers, config: dict[str, int], left: int) -> None:
    small = LogConfig(segment_bytes=200, **config)  # type: ignore[arg-type]
    with managers.open(config=small) as manager:
        for number in range(2):
            fill(manager.create_partition("orders", number), 20)
        manager.start(initial_task_delay_ms=30, retention_check_interval_ms=1000)
        managers.clock.sleep(29)
        before = manager.metrics
        assert (before.retention_run_count, before.last_retention_ms) == (0, None)
        managers.clock.sleep(1)
        assert manager.metrics.retention_run_count == 2
        managers.clock.sleep(200_000)
        after = manager.metrics
        assert after.retention_run_count > 2 and after.last_retention_ms == managers.clock()
        assert after.segment_count == 2 * left or config.get("retention_bytes")
        assert after.deleted_segment_count == before.segment_count - after.segment_count + 2 * (left == 1)
        with pytest.raises(UsageError, match="started already"):
            manager.start()


# Kafka: LogManagerTest.testDoesntCleanLogsWithCompactPolicy
# Kafka: LogManagerTest.testDoesntCleanLogsWithCompactDeletePolicy
@pytest.mark.parametrize("policy", [("compact",), ("compact", "delete")])
def test_retention_leaves_compacted_logs_alone(managers: Managers, policy: tuple[str, ...]) -> None:
    with managers.open("a") as manager:
        config = LogConfig(segment_bytes=200, cleanup_policy=policy, retention_ms=1)
        log = manager.create_partition("orders", 0, config)
        for number in range(10):
            log.append([{"key": b"key", "value": b"%05d" % number * 10, "timestamp": NOW_MS}])
        managers.clock.sleep(100_000)
        assert manager.retain() == [] and log.end_offset == 10 and len(values(log)) == 10


# Kafka: LogManagerTest.testTimeBasedFlush
def test_logs_sync_themselves_when_that_is_due(managers: Managers) -> None:
    with managers.open("a", config=LogConfig(flush_ms=1000)) as manager:
        log = manager.create_partition("orders", 0)
        fill(log)
        assert log.synced_offset == 0
        managers.clock.sleep(1001)
        assert log.synced_offset == 10


# Kafka: LogManagerTest.testCheckpointRecoveryPoints
# Kafka: LogManagerTest.testRecoveryDirectoryMappingWithTrailingSlash
# Kafka: LogManagerTest.testRecoveryDirectoryMappingWithRelativeDirectory
# Kafka: LogManagerTest.testCheckpointForOnlyAffectedLogs
@pytest.mark.parametrize("spelled", ["{}", "{}/", "relative"])
def test_recovery_points_are_written_by_themselves(
    managers: Managers, spelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(managers.path)
    name = "a" if spelled == "relative" else spelled.format(managers.path / "a")
    manager = LogManager.open(
        [name, managers.path / "b"],
        CONFIG,
        clock=managers.clock,
        storage=managers.storage,
        scheduler=lambda folder: ManualScheduler(managers.clock),
    )
    managers.opened.append(manager)
    logs = [manager.create_partition("orders", number) for number in range(3)]
    for number, log in enumerate(logs):
        fill(log, 5 + number)
    logs[0].flush()
    logs[2]._local.flush()  # not written by itself
    manager.start(initial_task_delay_ms=0, checkpoint_interval_ms=60_000)
    managers.clock.sleep(0)
    written = parse_offsets((managers.path / "a" / RECOVERY_POINTS).read_bytes()).as_dict()
    assert written == {("orders", 0): 5, ("orders", 2): 7}
    assert manager.metrics.checkpoint_count == 2


# Kafka: LogManagerTest.testCheckpointLogStartOffsetForNormalTopic
def test_a_start_inside_of_a_segment_is_written(managers: Managers) -> None:
    with managers.open("a") as manager:
        log = manager.create_partition("orders", 0, LogConfig())
        fill(log)
        path = managers.path / "a" / LOG_START_OFFSETS
        assert not path.exists()
        log.delete_records_before(4)
        assert parse_offsets(path.read_bytes()).as_dict() == {("orders", 0): 4}
        log.roll()
        log.delete_records_before(10)
        log.flush()
        assert parse_offsets(path.read_bytes()).as_dict() == {}


def test_an_error_in_the_background_is_counted(managers: Managers) -> None:
    with managers.open(config=LogConfig(segment_bytes=200, retention_ms=1)) as manager:
        for number in range(2):
            fill(manager.create_partition("orders", number))
        managers.clock.sleep(0)  # what rolls left to be synced
        manager.start(initial_task_delay_ms=10, retention_check_interval_ms=1000)
        managers.storage.broken = [managers.path / "a"]
        managers.clock.sleep(5000)
        metrics = manager.metrics
        assert metrics.error_count >= 1 and "Errno 5" in str(metrics.last_error)
        assert list(manager.offline) == managers.storage.broken
        assert metrics.retention_run_count >= 1 and manager.log("orders", 1).start_offset == 10


@pytest.mark.parametrize(
    "given",
    [
        {"retention_check_interval_ms": 0},
        {"checkpoint_interval_ms": 0},
        {"initial_task_delay_ms": -1},
        {"cleaner_backoff_ms": 0},
    ],
)
def test_intervals_that_make_no_sense(managers: Managers, given: dict[str, Any]) -> None:
    with managers.open("a") as manager, pytest.raises(UsageError):
        manager.start(**given)


def test_the_real_clock_and_threads(tmp_path: Path) -> None:
    config = LogConfig(segment_bytes=200, retention_ms=1)
    with LogManager.open([tmp_path / "a"], config, storage=UnsyncedStorage()) as manager:
        log = manager.create_partition("orders", 0)
        for _ in range(10):
            log.append([{"value": b"v" * 50, "timestamp": NOW_MS}])
        done = threading.Event()
        retain = log.retain

        def noticed() -> Any:
            try:
                return retain()
            finally:
                done.set()

        log.retain = noticed  # type: ignore[method-assign]
        manager.start(initial_task_delay_ms=0)
        assert done.wait(20) and isinstance(log.root.scheduler, ThreadScheduler)
    assert log.start_offset == 10


# Kafka, left out: LogManagerTest.testCreateLogWithTargetedLogDirectorySetAsUnassigned: directories have no ids
# Kafka, left out: LogManagerTest.testCreateLogWithTargetedLogDirectorySetAsUnknownWithoutAnyOfflineDirectories: no ids
# Kafka, left out: LogManagerTest.testCleanShutdownFileWithBrokerEpoch: there is no broker epoch
# Kafka, left out: LogManagerTest.testLoadLogRenameLogThatShouldBeStray: no metadata of a cluster
# Kafka, left out: LogManagerTest.testConfigChangeGetsCleanedUp: no changes while logs open
# Kafka, left out: LogManagerTest.testConfigChangesWithNoLogGettingInitialized: no changes while logs open
# Kafka, left out: LogManagerTest.testLogRecoveryMetrics: each log has a report
# Kafka, left out: LogManagerTest.testLogRecoveryMetricsShouldBeRemovedAfterLogRecovered: each log has a report
# Kafka, left out: LogManagerTest.testWaitForAllToComplete: directories are opened and closed one after the other
# Kafka, left out: LogManagerTest.testLoadDirectoryIds: directories have no ids
# Kafka, left out: LogManagerTest.testCheckpointLogStartOffsetForRemoteTopic: no remote storage
# Kafka, left out: LogManagerTest.testIsStrayKraftReplicaWithEmptyImage: no metadata of a cluster
# Kafka, left out: LogManagerTest.testIsStrayKraftReplicaInImage: no metadata of a cluster
# Kafka, left out: LogManagerTest.testIsStrayKraftReplicaInImageWithRemoteReplicas: no metadata of a cluster
# Kafka, left out: LogManagerTest.testIsStrayKraftMissingTopicId: no metadata of a cluster
# Kafka, left out: LogManagerTest.testFindStrayReplicasInEmptyLAIR: no metadata of a cluster
# Kafka, left out: LogManagerTest.testFindNoStrayReplicasInFullLAIR: no metadata of a cluster
# Kafka, left out: LogManagerTest.testFindSomeStrayReplicasInFullLAIR: no metadata of a cluster
# Kafka, left out: LogManagerTest.testTopicRecreationInFullLAIR: no metadata of a cluster
# Kafka, left out: LogManagerTest.testInvalidLogDirNotFailLogManager: a manager without any directory is refused


# --- what lies there that nobody here has made ------------------------------------------------------------------------

STRANGE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_file_makes_one_partition_refused(kind: str, tmp_path: Path) -> None:
    """And not a directory offline with all its others: the disk is well."""
    with LogManager.open([tmp_path / "a"], LogConfig(file_delete_delay_ms=0)) as logs:
        for number in range(3):
            logs.create_partition("t", number).append([b"acknowledged"])
    index = tmp_path / "a" / "t-0" / file_name(0, "index")
    index.unlink()
    copy = tmp_path / "a" / f"t-1.{'0' * 32}-future"
    copy.mkdir()
    for path in (index, copy / "move-complete", tmp_path / "a" / "t-2" / "move-complete", tmp_path / "a" / "t-4"):
        STRANGE[kind](path)
    with LogManager.open([tmp_path / "a"]) as logs:
        assert not logs.offline and logs.partitions()[0][:2] == ("t", 2)
        assert {key: type(error) for key, error in logs.refused.items()} == {("t", 0): LogError, ("t", 1): LogError}
        assert [record.value for record in logs.log("t", 2).records()] == [b"acknowledged"]
        if kind != "folder":
            with pytest.raises(UsageError, match="is there already, and is no folder"):
                logs.create_partition("t", 4)
        assert not logs.offline


@pytest.mark.parametrize("state", ["delete", "future"])
def test_folders_in_what_is_removed_are_removed_too(state: str, tmp_path: Path) -> None:
    """As a broker does: `salvage --in-place` keeps files in one. What a link leads to stays."""
    with LogManager.open([tmp_path / "a"]) as logs:
        logs.create_partition("t", 0)
    doomed, elsewhere = tmp_path / "a" / f"t-0.{'0' * 32}-{state}", tmp_path / "elsewhere"
    (doomed / ".kformat-salvage" / "old").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "file").write_bytes(b"kept")
    (doomed / ".kformat-salvage" / "old" / "link").symlink_to(elsewhere)
    with LogManager.open([tmp_path / "a"]) as logs:
        assert not logs.offline and not logs.refused and not doomed.exists()
    assert (elsewhere / "file").read_bytes() == b"kept"


def test_a_copy_that_says_nonsense_makes_one_partition_refused(tmp_path: Path) -> None:
    for number, data in enumerate((b"[" * 60000, b"{", b'{"copied_from": 5}', b"\xff")):
        copy = tmp_path / "a" / f"t-{number}.{'0' * 32}-future"
        copy.mkdir(parents=True)
        (copy / "move-complete").write_bytes(data)
    with LogManager.open([tmp_path / "a"]) as logs:
        assert {type(error) for error in logs.refused.values()} == {LogError} and len(logs.refused) == 4
