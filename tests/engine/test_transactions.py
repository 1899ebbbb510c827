"""Transactions of logs and managers: what readers see, who owns an id, timeouts, and how long the epochs last."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.errors import InvalidProducerEpochError, UsageError
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.producers.producer_state import AbortedTransaction, EndMarker
from kformat.kafka.producers.transaction_log import (
    EMPTY,
    TRANSACTION_STATE_TOPIC,
    TransactionMetadata,
    build_transaction,
    latest_transactions,
    partition_for,
)
from kformat_engine import Log, LogConfig, LogManager, Root
from kformat_engine.coordinator import transactional_producer_id
from kformat_engine.errors import DuplicatePartitionError, LogClosedError, UnknownPartitionError
from kformat_engine.log import internals_of
from kformat_engine.log_appender import LogAppender
from kformat_engine.log_internals import LogInternals
from kformat_engine.log_search import collect_aborted
from kformat_engine.producer import FIRST_ID, MAX_EPOCH
from tests.draws import at_most
from tests.engine.ledger import errors_in
from tests.engine.logs import NOW_MS, Stage, UnsyncedStorage
from tests.engine.manual import ManualClock, ManualScheduler

CONFIG = LogConfig(segment_bytes=900, index_interval_bytes=0, segment_index_bytes=1200)
TIMEOUT_MS = 5000
PARTITIONS = 2


class Disks:
    """Two directories with a clock of their own."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, ManualClock(NOW_MS)
        self.managers: list[LogManager] = []

    def open(self, config: LogConfig = CONFIG) -> LogManager:
        manager = LogManager.open(
            [self.path / name for name in "ab"],
            config,
            clock=self.clock,
            storage=UnsyncedStorage(),
            scheduler=lambda folder: ManualScheduler(self.clock),
        )
        self.managers.append(manager)
        for number in range(PARTITIONS):
            if ("orders", number) not in manager:
                manager.create_partition("orders", number)
        return manager

    def die(self, manager: LogManager) -> None:
        """The process ends: nothing is closed."""
        self.managers.remove(manager)
        for log in manager._current.logs.values():
            log._local.release()
        for root in manager._dirs.roots.values():
            root.abandon()
        self.clock.schedulers.clear()


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[Disks]:
    found = Disks(tmp_path)
    yield found
    for manager in found.managers:
        manager.close()


def committed(log: Log) -> list[bytes | None]:
    """What a reader of committed data sees, here and in another process."""
    seen = [record.value for record in log.records(isolation_level="read_committed")]
    with LogReader.open(log.path) as reader:
        assert [record.value for record in reader.records(isolation_level="read_committed")] == seen
        assert reader.last_stable_offset == log.last_stable_offset
    return seen


def states(manager: LogManager) -> dict[str, tuple[str, int]]:
    return {one.transactional_id: (one.state, one.producer_epoch) for one in manager.transactions()}


# --- visibility ----------------------------------------------------------------------------------------------------


def test_a_transaction_is_seen_in_all_partitions_or_in_none(disks: Disks) -> None:
    manager = disks.open()
    logs = [manager.log("orders", number) for number in range(PARTITIONS)]
    logs[0].append([b"before"])
    with manager.transaction("a") as t:
        assert t.state == "Empty"
        assert [t.append("orders", 0, [b"1"]), t.append("orders", 1, [b"2", b"3"]), t.append("orders", 0, [b"4"])] == [
            *(1, 0, 2)
        ]
        logs[0].append([b"between"])
        assert t.state == "Ongoing"
        assert [committed(log) for log in logs] == [[b"before"], []]
        assert [log.last_stable_offset for log in logs] == [1, 0]
    assert t.state == "CompleteCommit"
    assert [committed(log) for log in logs] == [[b"before", b"1", b"4", b"between"], [b"2", b"3"]]
    with pytest.raises(KeyError), manager.transaction("a") as t:
        t.append("orders", 0, [b"5"])
        raise KeyError
    assert t.state == "CompleteAbort"
    assert [committed(log) for log in logs] == [[b"before", b"1", b"4", b"between"], [b"2", b"3"]]
    assert [log.last_stable_offset for log in logs] == [log.end_offset for log in logs]
    for call in (t.commit, t.abort, lambda: t.append("orders", 0, [b"6"]), t.__enter__):
        with pytest.raises(UsageError, match="was aborted"):
            call()


def test_what_a_lone_log_leaves_in_one_of_several_directories_can_be_moved_away(disks: Disks) -> None:
    """It has a coordinator of its own there. The manager says what to do, and goes on after the epochs of that one."""
    manager = disks.open()
    with manager.transaction("id") as t:
        t.append("orders", 0, [b"0"])
    (state,) = (place for place in manager.partitions() if place.topic == TRANSACTION_STATE_TOPIC)
    other = next(place for place in manager.partitions() if place.directory != state.directory)
    manager.close()
    disks.managers.clear()
    with Log.open(other.directory / f"orders-{other.partition}", storage=UnsyncedStorage()) as log:
        for number in range(4):
            with log.transaction("id") as lone:
                lone.append([b"lone %d" % number])
    with (
        disks.open() as manager,
        pytest.raises(DuplicatePartitionError, match="move away the folder whose transactions are all complete"),
    ):
        manager.transaction("id")
    shutil.rmtree(other.directory / f"{TRANSACTION_STATE_TOPIC}-{state.partition}")
    manager = disks.open()
    with manager.transaction("id") as t:
        t.append("orders", other.partition, [b"last"])
    assert t.producer_epoch == lone.producer_epoch + 1
    found = manager.log("orders", other.partition).records(isolation_level="read_committed")
    assert [one.value for one in found] == [*(b"lone %d" % number for number in range(4)), b"last"]


def test_a_transaction_in_which_nothing_happens_leaves_nothing(disks: Disks) -> None:
    manager = disks.open()
    with manager.transaction("a") as t:
        assert t.append("orders", 0, []) == 0
        with pytest.raises(UnknownPartitionError):
            t.append("orders", 9, [b"x"])
        with pytest.raises(UsageError, match="own topic"):
            t.append(TRANSACTION_STATE_TOPIC, 0, [b"x"])
        for topic, number in list[tuple[Any, Any]](
            [("orders", "0"), ("orders", True), (b"orders", 0), (["orders"], 0)]
        ):
            with pytest.raises(UsageError, match="is expected"):
                t.append(topic, number, [b"x"])
    assert states(manager) == {"a": ("Empty", 0)}
    assert not any(topic == TRANSACTION_STATE_TOPIC for topic, *_ in manager.partitions())
    for wrong in ("", None, "\ud800", "x" * 32768):
        with pytest.raises(UsageError):
            manager.transaction(wrong)  # type: ignore[arg-type]
    for timeout in (0, -1, 2**31, 1.0, True):
        with pytest.raises(UsageError):
            manager.transaction("a", timeout_ms=timeout)  # type: ignore[arg-type]
    for places in (["orders-0"], ("orders", 0), "orders", [("orders", 0, 0)], [0], None, 0):
        with pytest.raises(UsageError, match=r"^partitions is a list of \(topic, partition\), such as"):
            manager.transaction("a", partitions=places)  # type: ignore[arg-type]
    for pairs in ([("orders", "0")], [("orders", 0), (b"orders", 0)]):
        with pytest.raises(UsageError, match="is expected"):
            manager.transaction("a", partitions=pairs)  # type: ignore[arg-type]


def test_readers_wait_for_the_end_of_a_transaction(stage: Stage) -> None:
    log = stage.open()
    log.append([b"0"])
    t = log.transaction("a")
    t.append([b"1"])
    follow = log.records(follow=True, isolation_level="read_committed", timeout_s=20)
    with LogReader.open(log.path) as reader:
        others = reader.records(follow=True, isolation_level="read_committed", timeout_s=20, poll_s=0.001)
        assert [next(follow).value, next(others).value] == [b"0", b"0"]
        later = threading.Timer(0.05, t.commit)
        later.start()
        assert [next(follow).value, next(others).value] == [b"1", b"1"]
        later.join()
        assert not list(log.records(log.end_offset, follow=True, isolation_level="read_committed", timeout_s=0))
    with pytest.raises(UsageError, match="isolation level"):
        log.records(isolation_level="serializable")
    with pytest.raises(UsageError, match="isolation level"):
        log.read(0, isolation_level="serializable")
    with pytest.raises(UsageError, match="isolation level"):
        LogReader.open(log.path).records(isolation_level="serializable")


def test_a_table_is_appended(stage: Stage) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    log = stage.open()
    with log.transaction("a") as t:
        assert t.append(pyarrow.table({"value": [b"1", b"2"]}), compression="gzip") == 0
    (batch, marker) = log.batches()
    assert (batch.is_transactional, batch.compression_name, batch.base_sequence) == (True, "gzip", 0)
    assert (marker.is_transactional, marker.is_control, marker.producer_id) == (True, True, t.producer_id)
    assert committed(log) == [b"1", b"2"]


# --- owners --------------------------------------------------------------------------------------------------------


# Kafka: UnifiedLogTest.testTransactionIsOngoingAndVerificationGuard
def test_the_coordinator_knows_of_a_partition_before_the_log_has_a_batch(
    disks: Disks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Kafka's leaders verify by a request: no transaction is left open that nobody ends."""
    manager = disks.open()
    log, appended = manager.log("orders", 0), LogAppender.append_transactional

    def ongoing(producer_id: int) -> bool:
        entry = log._local.producers.state.entries.get(producer_id)
        return entry is not None and entry.current_txn_first_offset is not None

    def looked(appender: LogAppender, *given: Any) -> int:
        assert appender is internals_of(log).appender
        state = manager.log(TRANSACTION_STATE_TOPIC, partition_for("a", 50))
        written = latest_transactions(state.records())["a"]
        assert written is not None and (log.topic, log.partition) in written.partitions and written.state == "Ongoing"
        return appended(appender, *given)

    monkeypatch.setattr(LogAppender, "append_transactional", looked)
    for _ in range(2):
        t = manager.transaction("a")
        log.producer("idempotent").append([b"1"])
        assert not ongoing(t.producer_id)
        t.append("orders", 0, [b"2"])
        assert ongoing(t.producer_id)
        t.commit()
        assert not ongoing(t.producer_id)


def test_who_begins_an_id_again_fences_the_one_before(disks: Disks) -> None:
    manager = disks.open()
    log = manager.log("orders", 0)
    old = manager.transaction("a")
    old.append("orders", 0, [b"old"])
    new = log.transaction("a")
    for call in (old.commit, old.abort, lambda: old.append("orders", 0, [b"x"])):
        with pytest.raises(InvalidProducerEpochError):
            call()
    assert old.state == "CompleteAbort"
    new.append([b"new"])
    new.commit()
    assert committed(log) == [b"new"]
    assert (old.producer_epoch, new.producer_epoch) == (0, 2), "the one between is that of the abort"
    aborts = [batch for batch in log.batches() if batch.is_control]
    assert [batch.producer_epoch for batch in aborts] == [1, 2]
    with pytest.raises(KeyError), old:
        raise KeyError  # and no other error
    with pytest.raises(InvalidProducerEpochError), old:
        pass


def test_a_batch_of_a_fenced_owner_is_refused_by_the_log(stage: Stage) -> None:
    log = stage.open()
    old = log.transaction("a")
    old.append([b"1"])
    log.transaction("a")
    with pytest.raises(InvalidProducerEpochError):
        internals_of(log).appender.append_transactional([b"late"], old.producer_id, old.producer_epoch, None)
    assert log.last_stable_offset == log.end_offset == 2


def test_a_transaction_is_aborted_when_its_time_is_over(disks: Disks) -> None:
    manager = disks.open()
    log = manager.log("orders", 0)
    t = manager.transaction("a", timeout_ms=TIMEOUT_MS)
    disks.clock.sleep(10 * TIMEOUT_MS)  # it begins with the first append
    t.append("orders", 0, [b"1"])
    u = manager.transaction("b", timeout_ms=2 * TIMEOUT_MS)
    u.append("orders", 0, [b"2"])
    disks.clock.sleep(TIMEOUT_MS)
    assert t.state == "Ongoing"
    disks.clock.sleep(1)
    assert (t.state, u.state) == ("CompleteAbort", "Ongoing")
    with pytest.raises(InvalidProducerEpochError, match="time was over"):
        t.commit()
    u.commit()
    assert committed(log) == [b"2"]
    disks.clock.sleep(10 * TIMEOUT_MS)
    assert states(manager) == {"a": ("CompleteAbort", 1), "b": ("CompleteCommit", 0)}


def test_what_a_dead_process_left_open_is_aborted_in_time_or_when_it_begins_again(disks: Disks) -> None:
    manager = disks.open()
    for name in "abc":
        manager.transaction(name, timeout_ms=TIMEOUT_MS).append("orders", 0, [name.encode()])
    disks.die(manager)
    disks.clock.sleep(TIMEOUT_MS // 2)
    manager = disks.open()
    log = manager.log("orders", 0)
    assert log.last_stable_offset == 0
    with manager.transaction("a") as t:
        t.append("orders", 0, [b"again"])
        assert log.last_stable_offset == 1
    assert manager.abort_transaction("b").state == "CompleteAbort"
    with pytest.raises(UsageError, match="no open transaction"):
        manager.abort_transaction("b")
    with pytest.raises(UsageError, match="is known"):
        manager.abort_transaction("nobody")
    assert log.last_stable_offset == 2 and committed(log) == []
    disks.clock.sleep(TIMEOUT_MS // 2 + 1)
    assert committed(log) == [b"again"]
    disks.die(manager)
    manager = disks.open()
    manager.transaction("d", timeout_ms=TIMEOUT_MS).append("orders", 1, [b"d"])
    disks.die(manager)
    disks.clock.sleep(TIMEOUT_MS + 1)
    log = disks.open().log("orders", 1)
    assert log.last_stable_offset == log.end_offset == 2, "its time was over when the manager was opened"


def test_closing_aborts_what_nobody_can_end_any_more(disks: Disks) -> None:
    manager = disks.open()
    t = manager.transaction("a")
    t.append("orders", 0, [b"1"])
    manager.close()
    with pytest.raises(LogClosedError):
        t.commit()
    manager = disks.open()
    assert states(manager) == {"a": ("CompleteAbort", 0)}
    assert committed(manager.log("orders", 0)) == [] and manager.log("orders", 0).end_offset == 2


def test_a_partition_that_is_deleted_or_moved_meanwhile(disks: Disks) -> None:
    manager = disks.open()
    with manager.transaction("a") as t:
        t.append("orders", 0, [b"1"])
        t.append("orders", 1, [b"2"])
        manager.delete_partition("orders", 0)
        place = next(one for one in manager.partitions() if one.topic == "orders")
        manager.move("orders", 1, next(one for one in manager.directories if one != place.directory))
        t.append("orders", 1, [b"3"])
    assert committed(manager.log("orders", 1)) == [b"2", b"3"]


@pytest.mark.parametrize("epoch", [-(1 << 15), -2])
@pytest.mark.parametrize("topic", ["../orders", "a" * 5000, "\0"])
def test_a_record_that_nobody_writes_does_not_lock_the_id_out(tmp_path: Path, topic: str, epoch: int) -> None:
    metadata = TransactionMetadata(
        "a", transactional_producer_id("a"), epoch, "PrepareAbort", 1, frozenset({(topic, 0)}), 1, 1
    )
    key, value = build_transaction(metadata)
    with Log.open(tmp_path / f"{TRANSACTION_STATE_TOPIC}-{partition_for('a', 50)}", storage=UnsyncedStorage()) as log:
        internals_of(log).appender.append([(key, value)])
    with Log.open(tmp_path / "orders-0", storage=UnsyncedStorage()) as log:
        with log.transaction("a") as t:
            t.append([b"1"])
        assert committed(log) == [b"1"] and log.end_offset == 2


@pytest.mark.parametrize("step", ["sync_records", "append_transactional", "end_transaction"])
def test_a_log_that_is_moved_right_before_it_is_used(disks: Disks, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Nothing is lost, and nobody waits for ever: the move takes other locks than the transaction."""
    manager = disks.open()
    log = manager.log("orders", 0)
    there = disks.path / ("b" if log.path.parent.name == "a" else "a")
    real, movers = getattr(LogAppender, step), list[threading.Thread]()

    def moved_before(self: LogAppender, *given: Any, **named: Any) -> Any:
        if self is internals_of(log).appender and not movers:
            movers.append(threading.Thread(target=manager.move, args=("orders", 0, there), daemon=True))
            movers[0].start()
            movers[0].join(20)
            assert not movers[0].is_alive()
        return real(self, *given, **named)

    monkeypatch.setattr(LogAppender, step, moved_before)
    with log.transaction("a") as t:
        t.append([b"1"])
        t.append([b"2"])
    assert movers and t.state == "CompleteCommit" and log.is_closed
    assert committed(manager.log("orders", 0)) == [b"1", b"2"]


@pytest.mark.parametrize("error", [OSError(5, "the disk"), KeyboardInterrupt()])
def test_a_commit_that_had_decided_is_ended_again(
    disks: Disks, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    manager = disks.open()
    t = manager.transaction("a")
    for number in range(PARTITIONS):
        t.append("orders", number, [b"1"])

    def fail(*given: Any, **named: Any) -> None:
        raise error

    with monkeypatch.context() as patch, pytest.raises(type(error)):
        patch.setattr(internals_of(manager.log("orders", 1)).appender, "end_transaction", fail)
        t.commit()
    assert t.state == "PrepareCommit"
    with pytest.raises(UsageError, match="is committed"):
        t.abort()
    t.commit()
    assert t.state == "CompleteCommit"
    assert [committed(manager.log("orders", number)) for number in range(PARTITIONS)] == [[b"1"], [b"1"]]


@pytest.mark.parametrize("is_begun_again", [False, True])
def test_a_directory_that_is_not_opened_gets_its_markers_later(disks: Disks, is_begun_again: bool) -> None:
    manager = disks.open()
    t = manager.transaction("a")
    paths = []
    for number in range(PARTITIONS):
        t.append("orders", number, [b"1"])
        paths.append(manager.log("orders", number).path)
    manager._coordinator._commit = lambda *given: disks.die(manager)  # type: ignore[method-assign]
    t.commit()
    state = next(disks.path.glob("*/__transaction_state-*"))
    paths.sort(key=lambda path: path.parent != state.parent)
    with Log.open(paths[0], clock=disks.clock) as log:
        assert committed(log) == [b"1"]
        if is_begun_again:
            with pytest.raises(UnknownPartitionError, match="is committed, and there is no partition orders-"):
                log.transaction("a")
    manager = disks.open()
    assert states(manager) == {"a": ("CompleteCommit", 0)}
    assert [committed(manager.log("orders", number)) for number in range(PARTITIONS)] == [[b"1"], [b"1"]]


def test_deleting_a_partition_while_the_coordinator_makes_a_log(disks: Disks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two needs what the other one has."""
    manager = disks.open()
    with manager.log("orders", 1).transaction("a") as t:
        t.append([b"1"])
    making, closing = threading.Event(), threading.Event()
    create, leave = manager.create_partition, LogInternals.leave_coordinator

    def created(*given: Any, **named: Any) -> Log:
        making.set()
        closing.wait(0.3)
        return create(*given, **named)

    def left(log: LogInternals) -> None:
        closing.set()
        leave(log)

    monkeypatch.setattr(manager, "create_partition", created)
    monkeypatch.setattr(LogInternals, "leave_coordinator", left)

    def transact() -> None:
        with manager.transaction("another") as t:
            t.append("orders", 0, [b"1"])

    def delete() -> None:
        assert making.wait(10)
        manager.delete_partition("orders", 1)

    threads = [threading.Thread(target=work, daemon=True) for work in (transact, delete)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        if thread.is_alive():
            disks.managers.clear()  # closing them would wait, too
        assert not thread.is_alive()
    assert ("orders", 1) not in manager and committed(manager.log("orders", 0)) == [b"1"]


def test_many_threads_with_an_id_each(tmp_path: Path) -> None:
    """And one more that begins one of their ids now and then: nobody waits for ever, and nothing is half there."""
    with LogManager.open([tmp_path / "a"], CONFIG, storage=UnsyncedStorage()) as manager:
        for number in range(PARTITIONS):
            manager.create_partition("orders", number)
        done: dict[bytes, bool] = {}

        def work(name: str) -> None:
            for number in range(15):
                value = b"%s-%d" % (name.encode(), number)
                try:
                    with manager.transaction(name) as t:
                        for partition in range(PARTITIONS):
                            t.append("orders", partition, [value])
                    done[value] = True
                except InvalidProducerEpochError:
                    done[value] = t.state == "CompleteCommit"

        threads = [threading.Thread(target=work, args=(name,), daemon=True) for name in ("a", "b", "c", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        seen = [set(committed(manager.log("orders", number))) for number in range(PARTITIONS)]
        assert seen[0] == seen[1] >= {value for value, is_done in done.items() if is_done and value[:1] != b"c"}
        assert len(seen[0]) >= 30


# --- one log -------------------------------------------------------------------------------------------------------


def test_a_lone_log_reaches_the_state_through_its_root(tmp_path: Path) -> None:
    for number in range(2):
        with Log.open(tmp_path / "orders-0", CONFIG) as log, Log.open(tmp_path / "orders-1", CONFIG) as other:
            with log.transaction("a") as t:
                t.append([b"%d" % number])
            u = other.transaction("a")
            u.append([b"x"])
            assert committed(log) == [b"0", b"1"][: number + 1]
            state = f"{TRANSACTION_STATE_TOPIC}-{partition_for('a', 50)}"
            assert (tmp_path / state).is_dir()
            with pytest.raises(UsageError, match="own topic"):
                Log(cast(LogInternals, log.root.log_in(state))).transaction("a")
        assert (tmp_path / ".kafka_cleanshutdown").exists(), "the last one closes what it opened"
    with Log.open(tmp_path / "orders-1", CONFIG) as other:
        assert other.last_stable_offset == other.end_offset == 4, "closing it has aborted what was begun in it"


def test_logs_of_an_opened_root(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        log = Log.open(tmp_path / "orders-0", CONFIG, root=root)
        t = log.transaction("a")
        t.append([b"1"])
        later = Log.open(tmp_path / "orders-1", CONFIG, root=root)
        assert later.transaction("b").append([b"2"]) == 0
    assert log.is_closed and later.is_closed
    with Log.open(tmp_path / "orders-0", CONFIG) as log:
        assert log.last_stable_offset == log.end_offset == 2


def test_a_lone_log_ends_what_a_dead_process_left(stage: Stage) -> None:
    """Also in another log of the root, which it opens for that."""
    first = stage.open(path=stage.root / "orders-0")
    second = stage.open(path=stage.root / "orders-1")
    t, u = first.transaction("a", timeout_ms=TIMEOUT_MS), second.transaction("b", timeout_ms=TIMEOUT_MS)
    t.append([b"1"])
    u.append([b"2"])
    internals: Any = internals_of(first)
    opened: Any = map(first.root.log_in, internals.coordinated_by.places._opened)
    for log in (internals, internals_of(second), *opened):
        log.local.release()
    first.root.abandon()
    stage.clock.schedulers.clear()
    stage._logs.clear()
    stage.clock.sleep(TIMEOUT_MS + 1)
    stage.scheduler = ManualScheduler(stage.clock)
    log = stage.open(path=stage.root / "orders-0")
    assert log.last_stable_offset == log.end_offset == 2
    log.close()
    with LogReader.open(stage.root / "orders-1") as reader:
        assert (reader.last_stable_offset, reader.end_offset) == (2, 2)


# --- the state -----------------------------------------------------------------------------------------------------


def laid(manager: LogManager, metadata: TransactionMetadata, count: int = 50) -> None:
    """What a coordinator has written."""
    partition = partition_for(metadata.transactional_id, count)
    if (TRANSACTION_STATE_TOPIC, partition) not in manager:
        manager.create_partition(TRANSACTION_STATE_TOPIC, partition)
    key, value = build_transaction(metadata)
    internals_of(manager.log(TRANSACTION_STATE_TOPIC, partition)).appender.append([(key, value)])


def known(name: str, producer_id: int, epoch: int, state: str, partitions: Any = (), start: int = 1) -> Any:
    return TransactionMetadata(name, producer_id, epoch, state, TIMEOUT_MS, frozenset(partitions), start, start)


def test_epochs_that_are_used_up_and_ids_of_brokers_get_another_producer_id(disks: Disks) -> None:
    manager = disks.open()
    own = transactional_producer_id("used")
    laid(manager, known("used", own, MAX_EPOCH - 1, "CompleteCommit"))
    laid(manager, known("last", transactional_producer_id("last"), MAX_EPOCH - 2, "CompleteAbort"))
    laid(manager, known("broker", 4711, 3, EMPTY, start=-1))
    used, last, broker = (manager.transaction(name) for name in ("used", "last", "broker"))
    assert (used.producer_id, used.producer_epoch) == (transactional_producer_id("used", own), 0)
    assert (last.producer_id, last.producer_epoch) == (transactional_producer_id("last"), MAX_EPOCH - 1)
    assert (broker.producer_id, broker.producer_epoch) == (transactional_producer_id("broker", 4711), 0)
    assert min(used.producer_id, last.producer_id, broker.producer_id) >= FIRST_ID
    for one in (used, last, broker):
        one.append("orders", 0, [one.transactional_id.encode()])
    assert manager.transaction("last").producer_epoch == 0, "fencing took the last one"
    used.commit()
    broker.commit()
    assert committed(manager.log("orders", 0)) == [b"used", b"broker"]


def test_what_a_broker_began_is_ended_when_somebody_asks(disks: Disks) -> None:
    """Opening does not touch it: the folder may be a follower's copy. It is aborted, or committed, as was decided."""
    manager = disks.open()
    log = manager.log("orders", 0)
    for number, name in enumerate(("open", "decided", "begun")):
        internals_of(log).appender.append_transactional([name.encode()], number, 0, None)
        laid(manager, known(name, number, 0, "PrepareCommit" if name == "decided" else "Ongoing", [("orders", 0)]))
    manager.close()
    manager = disks.open()
    log = manager.log("orders", 0)
    disks.clock.sleep(10 * TIMEOUT_MS)
    assert (log.last_stable_offset, log.end_offset) == (0, 3)
    assert manager.abort_transaction("open").state == "CompleteAbort"
    assert manager.abort_transaction("decided").state == "CompleteCommit"
    manager.transaction("begun")
    assert committed(log) == [b"decided"]


def test_a_lost_record_does_not_lock_the_id_out(disks: Disks) -> None:
    """The logs know the latest epoch of its producer id, too."""
    manager = disks.open()
    for _ in range(3):
        with manager.transaction("a") as t:
            t.append("orders", 0, [b"1"])
    manager.delete_partition(TRANSACTION_STATE_TOPIC, partition_for("a", 50))
    manager.close()
    with disks.open().transaction("a") as t:
        t.append("orders", 0, [b"2"])
    assert t.producer_epoch == 3


def test_a_started_manager_compacts_what_it_knows_of_transactions(disks: Disks) -> None:
    """What is read again from the compacted log is what was known: the last record of each id, with its partitions."""
    manager = disks.open()
    names = [f"id-{number}" for number in range(400) if partition_for(f"id-{number}", 50) == 7][:3]
    for _ in range(6):
        for end, name in enumerate(names):
            t = manager.transaction(name)
            for partition in range(PARTITIONS):
                t.append("orders", partition, [name.encode()])
            t.abort() if end == 1 else t.commit()
    left = manager.transaction(names[2], timeout_ms=100 * TIMEOUT_MS)
    left.append("orders", 1, [b"open"])
    state = manager.log(TRANSACTION_STATE_TOPIC, 7)
    settings = state.config
    assert (settings.cleanup_policy, settings.compression_type) == (("compact",), "uncompressed")
    assert settings.segment_bytes == 104_857_600  # transaction.state.log.segment.bytes
    expected, written = manager.transactions(), len(list(state))
    assert {one.transactional_id: one.state for one in expected} == dict(
        zip(names, ("CompleteCommit", "CompleteAbort", "Ongoing"), strict=True)
    )
    state.roll()
    disks.clock.sleep(0)
    manager.start(initial_task_delay_ms=10, cleaner_backoff_ms=1000)
    disks.clock.sleep(10)
    assert manager.metrics.compaction_count == 1 and not manager.uncleanable
    assert [record.key for record in state] == list(dict.fromkeys(record.key for record in state))
    assert len(list(state)) == len(names) < written
    assert manager.transactions() == expected
    with manager.transaction(names[0]) as t:
        t.append("orders", 0, [b"after"])
    expected = manager.transactions()
    disks.die(manager)
    manager = disks.open()
    assert manager.transactions() == expected
    assert manager.abort_transaction(names[2]).state == "CompleteAbort"
    for number in range(PARTITIONS):
        log = manager.log("orders", number)
        assert log.last_stable_offset == log.end_offset


def test_the_number_of_partitions_is_a_brokers_or_fifty(disks: Disks) -> None:
    manager = disks.open()
    for partition in (0, 2):
        manager.create_partition(TRANSACTION_STATE_TOPIC, partition, topic_id="bZOPbmaWSp2kcdwMzgiHow")
    with pytest.raises(UsageError, match="only 2 of at least 3 partitions"):
        manager.transaction("a")
    manager.create_partition(TRANSACTION_STATE_TOPIC, 1, topic_id="bZOPbmaWSp2kcdwMzgiHow")
    with manager.transaction("a") as t:
        t.append("orders", 0, [b"1"])
    state = manager.log(TRANSACTION_STATE_TOPIC, partition_for("a", 3))
    assert set(latest_transactions(state.records())) == {"a"}
    for refused in (
        lambda: state.append([b"x"]),
        lambda: state.append_batches(b""),
        lambda: state.producer("p"),
        lambda: state.transaction("b"),
    ):
        with pytest.raises(UsageError, match="the coordinator's own topic"):
            refused()
    stray = next(name for name in "bcdefgh" if partition_for(name, 3) != 1)
    state = manager.log(TRANSACTION_STATE_TOPIC, 1)
    internals_of(state).appender.append([build_transaction(known(stray, FIRST_ID, 0, EMPTY))])
    manager.close()
    manager = disks.open()
    with pytest.raises(UsageError, match="transactions need a root that has all"):
        manager.transactions()
    assert manager.metrics.error_count == 1


# --- what Kafka's tests say ----------------------------------------------------------------------------------------


def begin(log: Log, producer_id: int) -> Callable[[int], None]:
    return lambda count: void(internals_of(log).appender.append_transactional([b"x"] * count, producer_id, 0, None))


def void(_: object) -> None:
    """So that a lambda returns nothing."""


def end(log: Log, kind: str, producer_id: int) -> None:
    internals_of(log).appender.end_transaction(EndMarker(kind, 0), producer_id, 0)


# Kafka: UnifiedLogTest.testFetchUpToLastStableOffset
# Kafka: UnifiedLogTest.testReadCommittedWithConcurrentHighWatermarkUpdates
def test_reads_of_committed_data_end_at_the_last_stable_offset(stage: Stage) -> None:
    log = stage.open()
    first, second = begin(log, 1), begin(log, 2)

    def check_reads() -> None:
        for offset in range(log.end_offset + 1):
            read = log.read(offset, isolation_level="read_committed")
            assert bool(len(read)) == (offset < log.last_stable_offset)
            assert read.aborted_transactions is not None
            assert not len(read) or read.end[1] <= log.last_stable_offset

    first(5)
    log.append([b"x"] * 3)
    second(2)
    first(4)
    log.append([b"x"] * 2)
    first(10)
    assert log.last_stable_offset == 0
    check_reads()
    end(log, "commit", 1)
    assert log.last_stable_offset == 8
    check_reads()
    end(log, "abort", 2)
    assert log.last_stable_offset == log.end_offset
    check_reads()
    assert log.read(0).aborted_transactions is None


# Kafka: UnifiedLogTest.testLastStableOffsetDoesNotExceedLogStartOffsetMidSegment
# Kafka: UnifiedLogTest.testLastStableOffsetDoesNotExceedLogStartOffsetAfterSegmentDeletion
@pytest.mark.parametrize(("start", "segments"), [(5, 2), (8, 1)])
def test_the_last_stable_offset_is_not_below_the_log_start(stage: Stage, start: int, segments: int) -> None:
    log = stage.open()
    producer = begin(log, 1)
    producer(5)
    log.append([b"x"] * 3)
    log.roll()
    producer(5)
    assert (log.last_stable_offset, log.segment_count) == (0, 2)
    log.delete_records_before(start)
    assert (log.last_stable_offset, log.segment_count) == (start, segments)
    assert not len(log.read(start, isolation_level="read_committed"))
    log.flush()  # which tells the root where the log starts
    assert committed(log) == []


# Kafka: UnifiedLogTest.testLastStableOffsetWithMixedProducerData
def test_the_last_stable_offset_is_that_of_the_oldest_open_transaction(stage: Stage) -> None:
    log = stage.open()
    begin(log, 137)(3)
    assert log.last_stable_offset == 0
    log.append([b"x"] * 3)
    begin(log, 983)(3)
    assert log.last_stable_offset == 0
    end(log, "abort", 137)
    assert log.last_stable_offset == 6
    end(log, "commit", 983)
    assert log.last_stable_offset == log.end_offset == 11


# Kafka: TransactionIndexTest.testCollectAbortedTransactions
def test_aborted_transactions_of_a_range() -> None:
    entries = [AbortedTransaction(*one) for one in ((0, 0, 10, 11), (1, 5, 15, 13), (2, 18, 35, 25), (3, 32, 50, 40))]
    for offset, end_offset, first, last, is_complete in (
        *((0, 100, 0, 4, False), (0, 32, 0, 3, True), (0, 35, 0, 4, True)),
        *((10, 35, 0, 4, True), (11, 35, 1, 4, True), (20, 41, 2, 4, False)),
    ):
        assert collect_aborted(entries, offset, end_offset) == (entries[first:last], is_complete)


# --- against a model -----------------------------------------------------------------------------------------------


@dataclass
class Model:
    """What must be seen: values by partition, in the order of their offsets; of transactions by their end."""

    rows: list[list[tuple[bytes, int]]] = field(default_factory=lambda: [[] for _ in range(PARTITIONS)])
    ends: dict[int, str] = field(default_factory=dict)  # number of a transaction -> open, commit, abort

    def append(self, partition: int, value: bytes, transaction: int) -> None:
        self.rows[partition].append((value, transaction))

    def seen(self, partition: int) -> list[bytes]:
        found = []
        for value, transaction in self.rows[partition]:
            if self.ends[transaction] == "open":
                break
            if self.ends[transaction] == "commit":
                found.append(value)
        return found


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["append"] * 6 + ["plain", "commit", "commit", "abort", "begin", "roll", "wait", "die", "close"]
        ),
        st.integers(0, 2),
        st.integers(0, PARTITIONS - 1),
        st.sampled_from([1, 1, 2, 30]),
    ),
    max_size=45,
)


@settings(max_examples=at_most(60))
@given(STEPS)
def test_ids_and_partitions_at_random(steps: list[tuple[str, int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        disks = Disks(Path(folder))
        try:
            play(disks, steps)
        finally:
            for manager in disks.managers:
                manager.close()
        assert errors_in(Path(folder) / "a") == errors_in(Path(folder) / "b") == []


def play(disks: Disks, steps: list[tuple[str, int, int, int]]) -> None:
    manager, model = disks.open(), Model(ends={0: "commit"})
    begun: dict[int, tuple[Any, int, int]] = {}  # id -> transaction, its number, when its time is over

    def finish(who: int, how: str) -> None:
        found = begun.pop(who, None)
        if found is not None:
            model.ends[found[1]] = how

    def expire() -> None:
        for who, (t, _, due) in list(begun.items()):
            if due < disks.clock():
                finish(who, "abort")
                with pytest.raises(InvalidProducerEpochError):
                    t.commit()

    for number, (what, who, partition, count) in enumerate(steps, 1):
        values = [b"%d-%d" % (number, index) for index in range(count)]
        match what:
            case "plain":
                manager.log("orders", partition).append(values)
                for value in values:
                    model.append(partition, value, 0)
            case "append" | "begin":
                if what == "begin" or who not in begun:
                    t = manager.transaction(f"id-{who}", timeout_ms=TIMEOUT_MS)
                    finish(who, "abort")
                    model.ends[number] = "open"
                    begun[who] = t, number, disks.clock() + 10**9
                if what == "append":
                    t, mine, due = begun[who]
                    t.append("orders", partition, values)
                    begun[who] = t, mine, min(due, disks.clock() + TIMEOUT_MS)
                    for value in values:
                        model.append(partition, value, mine)
            case "commit" | "abort":
                if who in begun:
                    (begun[who][0].commit if what == "commit" else begun[who][0].abort)()
                    finish(who, what)
            case "roll":
                manager.log("orders", partition).roll()
            case "wait":
                disks.clock.sleep(TIMEOUT_MS // 2)
                expire()
            case "die" | "close":
                if what == "die":
                    disks.die(manager)
                else:
                    manager.close()
                    disks.managers.remove(manager)
                manager = disks.open()
                if what == "die":
                    disks.clock.sleep(TIMEOUT_MS + 1)
                for who in list(begun):
                    finish(who, "abort")
        if number % 5 == 0 or number == len(steps):
            for each in range(PARTITIONS):
                log = manager.log("orders", each)
                assert committed(log) == model.seen(each)
                half = log.end_offset // 2
                behind = [one.value for one in log.records(half, isolation_level="read_committed")]
                assert behind == model.seen(each)[len(model.seen(each)) - len(behind) :]
                assert [record.value for record in log.records()] == [value for value, _ in model.rows[each]]
                offsets = kformat.open(log.path).to_arrow("offset", isolation_level="read_committed")["offset"]
                assert len(offsets) == len(model.seen(each))
