"""What a transaction costs, what is on disk when it is committed, and transactions of several threads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from kformat.errors import UsageError
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC, parse_transaction, partition_for
from kformat_engine import Log, LogConfig, LogManager
from kformat_engine.coordinator import MARKERS_DELAY_MS
from kformat_engine.errors import UnknownPartitionError
from kformat_engine.log import internals_of
from kformat_engine.transactions import Durability
from tests.engine.faults import FaultyStorage
from tests.engine.held import WAIT_S, HeldStorage, until
from tests.engine.manual import ManualClock, ManualScheduler

README = Path(__file__).parents[2] / "engine" / "README.md"
PARTITIONS = 4
BOTH: tuple[Durability, ...] = get_args(Durability)


class Books:
    """A manager of one directory with some partitions, whose time stands still.

    Attributes:
        storage: counts syncs of `.log` files by topic, see `synced`.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, ManualClock(1_700_000_000_000)
        self.synced: Counter[str] = Counter()
        self.storage = FaultyStorage()
        sync = self.storage.step

        def step(operation: str, path: Path) -> None:
            if operation == "sync" and path.suffix == ".log":
                self.synced[path.parent.name.rpartition("-")[0]] += 1
            sync(operation, path)

        self.storage.step = step  # type: ignore[method-assign]
        self.manager = self.open()
        for number in range(PARTITIONS):
            self.manager.create_partition("orders", number)

    def open(self) -> LogManager:
        return LogManager.open(
            [self.path],
            LogConfig(),
            clock=self.clock,
            storage=self.storage,
            scheduler=lambda folder: ManualScheduler(self.clock),
        )

    def run(self, name: str, durability: Durability, count: int = 2, *, is_named: bool = False) -> int:
        """Commit a transaction over some partitions; returns how many syncs that took."""
        before = self.synced.total()
        partitions = [("orders", number) for number in range(count)]
        named = partitions if is_named else []
        with self.manager.transaction(name, durability=durability, partitions=named) as t:
            for place in partitions:
                t.append(*place, [name.encode()])
        return self.synced.total() - before

    def committed(self, number: int) -> list[bytes | None]:
        log = self.manager.log("orders", number)
        return [record.value for record in log.records(isolation_level="read_committed")]

    def state(self, name: str) -> str:
        (found,) = (one.state for one in self.manager.transactions() if one.transactional_id == name)
        return found


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Books]:
    books = Books(tmp_path)
    yield books
    books.manager.close()


def costs() -> list[tuple[int, Durability, tuple[int, int]]]:
    """The rows of the table in engine/README.md: partitions, durability, syncs without and with their names."""
    rows = []
    for line in README.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].strip("`") in BOTH and cells[1].isdigit():
            durability: Durability = cells[0].strip("`")  # type: ignore[assignment]
            rows.append((int(cells[1]), durability, (int(cells[2]), int(cells[3]))))
    return rows


def test_the_table_of_syncs(books: Books) -> None:
    """Two ids by turns: the records of the one are synced with the markers of the other."""
    rows = costs()
    assert len(rows) == 6
    for count, durability, expected in rows:
        for name in "ab":
            books.run(name, durability, count)
        found = tuple(books.run(name, durability, count, is_named=name == "b") for name in "ab")
        assert found == expected, (count, durability)


@pytest.mark.parametrize("durability", BOTH)
def test_an_id_alone_syncs_its_markers_before_it_begins_again(books: Books, durability: Durability) -> None:
    books.run("a", durability)
    assert [books.run("a", durability) for _ in range(2)] == [7, 7]


def test_the_decision_is_that_of_the_commit_and_the_markers_come_later(books: Books) -> None:
    before = books.synced.copy()
    t = books.manager.transaction("a", durability="decision")
    for number in range(2):
        t.append("orders", number, [b"1"])
    t.commit()
    assert books.synced - before == {"orders": 2, TRANSACTION_STATE_TOPIC: 3}
    assert t.state == books.state("a") == "PrepareCommit"
    assert books.committed(0) == books.committed(1) == [b"1"]
    with pytest.raises(UsageError, match="committed"):
        t.abort()
    books.clock.sleep(MARKERS_DELAY_MS)
    assert t.state == books.state("a") == "CompleteCommit"
    assert books.synced - before == {"orders": 4, TRANSACTION_STATE_TOPIC: 3}


def test_complete_is_not_written_before_the_markers_are_on_disk(books: Books) -> None:
    """Also if it is another transaction that syncs them."""
    t = books.manager.transaction("a", durability="decision")
    for number in range(2):
        t.append("orders", number, [b"1"])
    t.commit()
    state_log = next(
        books.manager.log(place.topic, place.partition)
        for place in books.manager.partitions()
        if place.topic == TRANSACTION_STATE_TOPIC
    )
    end = state_log.end_offset
    books.manager.log("orders", 0).flush()
    assert state_log.end_offset == end
    before = books.synced["orders"]
    again = books.manager.transaction("a")
    assert books.synced["orders"] == before + 1, "the other partition's marker was on disk"
    assert state_log.end_offset == end + 1
    assert (t.state, again.state) == ("CompleteCommit", "Empty")


@pytest.mark.parametrize("end", ["close", "delete", "move"])
def test_what_ends_a_log_completes_first(books: Books, tmp_path: Path, end: str) -> None:
    books.run("a", "decision")
    if end == "close":
        books.manager.close()
        books.manager = books.open()
    elif end == "delete":
        books.manager.delete_partition("orders", 1)
    else:
        books.manager.close()
        books.manager = LogManager.open(
            [tmp_path, tmp_path.with_name("other")],
            clock=books.clock,
            storage=books.storage,
            scheduler=lambda folder: ManualScheduler(books.clock),
        )
        books.run("a", "decision")
        books.manager.move("orders", 1, tmp_path.with_name("other"))
        assert books.state("a") == "PrepareCommit"
        books.clock.sleep(MARKERS_DELAY_MS)
    assert books.state("a") == "CompleteCommit"
    assert set(books.committed(0)) == {b"a"}


@pytest.mark.parametrize("durability", BOTH)
def test_a_partition_that_was_deleted_is_not_waited_for(books: Books, durability: Durability) -> None:
    """Also after a death before the transaction is complete: the decision does not name the partition."""
    with books.manager.transaction("a", durability=durability) as t:
        for number in (0, 1):
            t.append("orders", number, [b"a"])
        books.manager.delete_partition("orders", 1)
    state_log = internals_of(books.manager.log(TRANSACTION_STATE_TOPIC, partition_for("a", 50)))
    parsed = [parse_transaction(record) for record in state_log.records()]
    states = [found[1] for found in parsed if found is not None and found[1] is not None]
    decided = [state.partitions for state in states if state.state == "PrepareCommit"]
    assert decided == [frozenset({("orders", 0)})]
    assert books.committed(0) == [b"a"]


def test_a_lone_log_completes_when_it_is_closed(tmp_path: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log, log.transaction("a", durability="decision") as t:
        t.append([b"1"])
    with LogManager.open([tmp_path]) as manager:
        assert [one.state for one in manager.transactions()] == ["CompleteCommit"]
        assert manager.log("orders", 0).end_offset == 2, "one marker"


def test_wrong_arguments(books: Books) -> None:
    with pytest.raises(UsageError, match="durability is one of markers, decision, not 'all'"):
        books.manager.transaction("a", durability="all")  # type: ignore[arg-type]
    with pytest.raises(UnknownPartitionError):
        books.manager.transaction("a", partitions=[("orders", 9)])
    with pytest.raises(UsageError, match="partition"):
        books.manager.transaction("a", partitions=[("orders", "0")])  # type: ignore[list-item]


# Threads


def test_no_marker_is_written_before_the_decision_is_on_disk(tmp_path: Path) -> None:
    """Nor by another thread that begins the id again, or opens the log."""
    storage, clock = HeldStorage(TRANSACTION_STATE_TOPIC), ManualClock(1_700_000_000_000)
    with LogManager.open(
        [tmp_path], clock=clock, storage=storage, scheduler=lambda folder: ManualScheduler(clock)
    ) as manager:
        log = manager.create_partition("orders", 0)
        t = manager.transaction("a")
        t.append("orders", 0, [b"1"])
        storage.begun_count, storage.is_held = 0, True
        begun = []
        threads = [
            threading.Thread(target=t.commit, daemon=True),
            threading.Thread(target=lambda: begun.append(manager.transaction("a")), daemon=True),
        ]
        threads[0].start()
        until(lambda: storage.begun_count == 1)
        threads[1].start()
        threads[1].join(0.05)
        assert threads[1].is_alive() and log.end_offset == 1 and not begun
        storage.is_held = False
        storage.let_go()
        for thread in threads:
            thread.join(WAIT_S)
        assert t.state == "CompleteCommit" and [one.state for one in begun] == ["Empty"]
        assert [one.value for one in log.records(isolation_level="read_committed")] == [b"1"]


@pytest.mark.parametrize("durability", BOTH)
def test_transactions_of_threads_are_all_or_nothing(tmp_path: Path, durability: Durability) -> None:
    """Each thread has an id, and commits or aborts by turns."""
    with LogManager.open([tmp_path]) as manager:
        logs = [manager.create_partition("orders", number) for number in range(2)]
        expected, errors = list[bytes](), list[BaseException]()

        def work(number: int) -> None:
            try:
                for turn in range(6):
                    value = b"%d-%d" % (number, turn)
                    t = manager.transaction(f"own-{number}", durability=durability)
                    for partition in (0, 1) if number % 2 else (1, 0):
                        t.append("orders", partition, [value])
                    if turn % 3 == 2:
                        t.abort()
                    else:
                        t.commit()
                        expected.append(value)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
        assert not errors and not any(thread.is_alive() for thread in threads)
        for log in logs:
            values = [record.value for record in log.records(isolation_level="read_committed")]
            assert sorted(filter(None, values)) == sorted(expected)
            assert log.last_stable_offset == log.end_offset
    with LogManager.open([tmp_path]) as manager:
        assert {one.state for one in manager.transactions()} <= {"CompleteCommit", "CompleteAbort"}
