"""Everything at once, for as long as is asked for: a `LogManager` over two directories, with writers, transactions,
retention, compaction and moves in one process, and readers in another one.

What is held against a model:

* `stream`: two named producers per partition repeat what was not acknowledged. Offsets have no gap, and each producer's
  numbers follow each other; only where retention has overtaken the reader is there a jump, of as many numbers.
* `pairs`: transactions over both partitions. A committed one is seen whole in both, an aborted one in none.
* `latest`: compacted. The last committed value of each key is there, and few others.

In a run of a minute or more resident memory and descriptors of both processes do not grow from its first half to its
second one. KFORMAT_SOAK_SECONDS says how long the longer one is: an hour in `python -m tools.nightly soak`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import statistics
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.batch.records import Record
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine import LogConfig, LogManager
from kformat_engine.cleaner import CleanerConfig
from kformat_engine.coordinator import STATE_CONFIG
from kformat_engine.errors import (
    DuplicatePartitionError,
    LogClosedError,
    OffsetOutOfRangeError,
    RecordsDeletedError,
    UnknownPartitionError,
)
from kformat_engine.log import Log
from kformat_engine.manager import place_of
from kformat_engine.transactions import Transaction
from tests.engine.ledger import errors_in
from tests.engine.test_log_descriptors import descriptors

SECONDS = float(os.environ.get("KFORMAT_SOAK_SECONDS", "60"))
SPAWN = multiprocessing.get_context("spawn")
PARTITIONS = {"stream": 2, "pairs": 2, "latest": 1}
NAMES = ("one", "two")
KEYS = 40
WAIT_S = 60
FLAT_FROM_S = 60  # a shorter run is still warming up


def configs(segment_bytes: int) -> tuple[LogConfig, dict[str, LogConfig]]:
    """Of all topics, and those of some."""
    stream = LogConfig(
        segment_bytes=segment_bytes,
        index_interval_bytes=512,
        retention_bytes=4 * segment_bytes,
        retention_ms=-1,
        file_delete_delay_ms=500,
    )
    latest = replace(
        stream, cleanup_policy=("compact",), min_cleanable_dirty_ratio=0.2, delete_retention_ms=1000, retention_bytes=-1
    )
    return stream, {"latest": latest, TRANSACTION_STATE_TOPIC: replace(STATE_CONFIG, segment_bytes=segment_bytes)}


class Numbers:
    """A set of numbers that takes a bit for each."""

    def __init__(self) -> None:
        self.bits = bytearray()

    def add(self, number: int) -> None:
        at, bit = divmod(number, 8)
        if at >= len(self.bits):
            self.bits.extend(bytes(at - len(self.bits) + 1))
        self.bits[at] |= 1 << bit

    def __contains__(self, number: int) -> bool:
        at, bit = divmod(number, 8)
        return at < len(self.bits) and bool(self.bits[at] >> bit & 1)


class Use:
    """Resident memory and descriptors of this process, looked at now and then; no more than 200 of each are kept."""

    def __init__(self, seconds: float) -> None:
        self._every_s, self._next, self.found = seconds / 200, time.monotonic(), list[tuple[int, int]]()

    def look(self) -> None:
        if time.monotonic() >= self._next and Path("/proc/self/statm").exists():
            self._next = time.monotonic() + self._every_s
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.found.append((pages * os.sysconf("SC_PAGE_SIZE"), descriptors()))


def check_flat(name: str, found: list[tuple[int, int]]) -> str:
    """The second half of what a process used is that of the first one, from which its first fifth is left out."""
    first, second = found[len(found) // 5 : len(found) // 2], found[len(found) // 2 :]
    sizes, counts = [[statistics.median(column) for column in zip(*half, strict=True)] for half in (first, second)]
    told = (
        f"{name}: {sizes[0] / 2**20:.1f} MiB, then {counts[0] / 2**20:.1f}; {sizes[1]:.0f} files, then {counts[1]:.0f}"
    )
    assert counts[0] <= sizes[0] * 1.1 + (4 << 20), told
    assert counts[1] <= sizes[1] + 10, told
    return told


# --- what is written -----------------------------------------------------------------------------------------------


@dataclass
class Model:
    """What was acknowledged."""

    streams: dict[tuple[str, int], int] = field(default_factory=Counter)  # producer and partition -> next number
    committed: Numbers = field(default_factory=Numbers)
    transaction_count: int = 0
    latest: dict[bytes, bytes] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def retried(do: Callable[[], Any], counts: Counter[str]) -> Any:
    """Do something; again where the log was closed by a move meanwhile."""
    until = time.monotonic() + WAIT_S
    while True:
        try:
            return do()
        except LogClosedError:
            assert time.monotonic() < until
            counts["moved meanwhile"] += 1
            time.sleep(0.002)


def again(manager: LogManager, topic: str, partition: int, do: Callable[[Log], Any], counts: Counter[str]) -> Any:
    """Do something with a log, wherever it is."""
    return retried(lambda: do(manager.log(topic, partition)), counts)


def write_stream(manager: LogManager, model: Model, source: random.Random) -> None:
    name, partition = source.choice(NAMES), source.randrange(PARTITIONS["stream"])
    first, count = model.streams[name, partition], source.choice((1, 3, 20))
    values = [b"%s:%d:" % (name.encode(), first + at) + bytes(source.randrange(100)) for at in range(count)]

    def append(log: Log) -> None:
        producer = log.producer(name)  # also after a move, which may have come before or after the records were stored
        assert producer.last_sequence in (first - 1, first + count - 1), (
            name,
            partition,
            producer.last_sequence,
            first,
        )
        producer.append(values, sequence=first)

    again(manager, "stream", partition, append, model.counts)
    model.streams[name, partition] += count
    model.counts["streamed"] += count


def write_latest(manager: LogManager, model: Model, source: random.Random) -> None:
    key, number = b"p%d" % source.randrange(KEYS), model.counts["put"]
    value = None if source.random() < 0.1 else b"%d" % number
    again(manager, "latest", 0, lambda log: log.append([(key, value)]), model.counts)
    model.counts["put"] += 1
    if value is None:
        model.latest.pop(key, None)
    else:
        model.latest[key] = value


def transact(manager: LogManager, model: Model, source: random.Random) -> None:
    number, model.transaction_count = model.transaction_count, model.transaction_count + 1
    is_commit, key = source.random() < 0.7, b"t%d" % source.randrange(KEYS)
    t: Transaction = retried(lambda: manager.transaction("transfers"), model.counts)
    for partition in range(PARTITIONS["pairs"]):
        count, said = source.choice((1, 2, 9)), "commit" if is_commit else "abort"
        for part in range(0, count, 3):
            some = range(part, min(count, part + 3))
            values = [f"{number}:{at}:{count}:{said}".encode() for at in some]
            retried(partial(t.append, "pairs", partition, values), model.counts)
    retried(partial(t.append, "latest", 0, [(key, b"%d" % number)]), model.counts)

    def end() -> None:
        try:
            t.commit() if is_commit else t.abort()
        except LogClosedError:  # once it is decided, the move writes the markers that are missing
            if t.state not in ("PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort"):
                raise
            model.counts["moved under a marker"] += 1

    retried(end, model.counts)
    assert t.state.endswith("Commit") is is_commit, (number, t.state)
    model.counts["committed" if is_commit else "aborted"] += 1
    if is_commit:
        model.committed.add(number)
        model.latest[key] = b"%d" % number


def move(manager: LogManager, model: Model, source: random.Random) -> None:
    topic, partition, directory = source.choice(manager.partitions())
    manager.move(topic, partition, next(one for one in manager.directories if one != directory))
    model.counts["moves"] += 1


def look_inside(manager: LogManager, model: Model, source: random.Random) -> None:
    """A reader in the writers' process, from a place in the log on."""
    partition = source.randrange(PARTITIONS["pairs"])

    def read(log: Log) -> None:
        pairs = Pairs(is_whole=False)
        start = source.randint(log.start_offset, log.last_stable_offset)
        pairs.jump()
        for record in log.records(start, isolation_level="read_committed"):
            pairs.take(record)

    with contextlib.suppress(OffsetOutOfRangeError, RecordsDeletedError):  # retention came by
        again(manager, "pairs", partition, read, model.counts)
        model.counts["looked inside"] += 1


ACTORS: dict[str, tuple[Callable[[LogManager, Model, random.Random], None], float]] = {
    "stream": (write_stream, 0.005),
    "latest": (write_latest, 0.003),
    "transactions": (transact, 0.005),
    "moves": (move, 0.7),
    "inside": (look_inside, 0.2),
}
"""What each thread does again and again, and how long it waits in between, s."""


# --- what is read --------------------------------------------------------------------------------------------------


class Stream:
    """What a reader of a partition of `stream` got."""

    def __init__(self) -> None:
        self.next = dict.fromkeys(NAMES, 0)
        self.expected, self.jumped = 0, 0

    def jump(self, offset: int) -> None:
        self.jumped += offset - self.expected
        self.expected = offset

    def take(self, record: Record) -> None:
        name, number, _ = (record.value or b"").split(b":", 2)
        assert record.offset == self.expected, (record.offset, self.expected)
        self.expected += 1
        missed = int(number) - self.next[name.decode()]
        assert 0 <= missed <= self.jumped, (record.offset, name, number, self.next, self.jumped)
        self.jumped -= missed
        self.next[name.decode()] = int(number) + 1


class Pairs:
    """What a reader of committed data got of a partition of `pairs`; after a jump it may begin inside of a transaction,
    and the numbers up to there are unknown."""

    def __init__(self, *, is_whole: bool = True) -> None:
        self.is_whole = is_whole
        self.seen, self.unknown = Numbers(), Numbers()
        self.last, self.at, self.count = -1, 0, 0
        self.has_jumped = False

    def jump(self, offset: int = 0) -> None:
        self.has_jumped = True

    def take(self, record: Record) -> None:
        number, at, count, said = (record.value or b"").split(b":")
        assert said == b"commit", (record.offset, record.value)
        if self.has_jumped:
            for missed in range(max(self.last, 0), int(number) + 1) if self.is_whole else ():
                self.unknown.add(missed)
            self.at = self.count if int(at) == 0 else int(at)
            self.last = self.last if int(at) == 0 else int(number)
            self.has_jumped = False
        if int(number) != self.last:
            assert int(number) > self.last and self.at == self.count, (record.offset, record.value, self.last, self.at)
            self.last, self.at = int(number), 0
            self.seen.add(int(number))
        assert self.at == int(at), (record.offset, record.value, self.at)
        self.at, self.count = self.at + 1, int(count)


class Latest:
    """What a reader of committed data got of `latest`: the numbers of each key rise."""

    def __init__(self) -> None:
        self.values: dict[bytes, int] = {}
        self.expected = 0

    def jump(self, offset: int) -> None:
        raise AssertionError("nothing is deleted from the start of a log that is compacted alone")

    def take(self, record: Record) -> None:
        assert record.offset >= self.expected and record.key is not None
        self.expected = record.offset + 1
        if record.value is not None:
            assert int(record.value) > self.values.get(record.key, -1), (record, self.values[record.key])
            self.values[record.key] = int(record.value)


class Reader:
    """Follows a partition wherever it is moved to."""

    def __init__(self, directories: list[Path], topic: str, partition: int, taker: Any) -> None:
        self.directories, self.topic, self.partition, self.taker = directories, topic, partition, taker
        self.next, self.counts = 0, Counter[str]()

    def place(self) -> Path | None:
        try:
            return place_of(self.directories, self.topic, self.partition)
        except (DuplicatePartitionError, UnknownPartitionError):  # in the middle of a move
            return None

    def follow(self, timeout_s: float) -> None:
        """Take what there is, until nothing more comes for so long."""
        path = self.place()
        if path is None:
            return
        try:
            with LogReader.open(path) as reader:
                found = reader.records(
                    self.next, follow=True, timeout_s=timeout_s, poll_s=0.02, isolation_level="read_committed"
                )
                for record in found:
                    self.taker.take(record)
                    self.next = record.offset + 1
                    self.counts["records"] += 1
        except (OffsetOutOfRangeError, RecordsDeletedError) as error:
            if self.place() == path:
                assert error.start_offset > self.next, error
                self.taker.jump(error.start_offset)
                self.next = error.start_offset
                self.counts["jumps"] += 1
        except AssertionError:
            raise
        except Exception:
            if self.place() == path:
                raise
            self.counts["moved under a reader"] += 1


def read(directories: list[Path], seconds: float, stop: Any, results: Any) -> None:
    """The process of the readers, a thread each; then all is read to the end, which is told."""
    takers: dict[tuple[str, int], Any] = {
        (topic, partition): {"stream": Stream, "pairs": Pairs, "latest": Latest}[topic]()
        for topic, count in PARTITIONS.items()
        for partition in range(count)
    }
    failures: list[str] = []
    use, counts = Use(seconds), Counter[str]()

    def work(key: tuple[str, int]) -> None:
        reader = Reader(directories, *key, takers[key])
        try:
            while not stop.is_set():
                reader.follow(0.2)
            for _ in range(3):
                reader.follow(0.1)
        except BaseException:
            failures.append(f"reader of {key} at {reader.next}:\n{traceback.format_exc()}")
        counts.update({f"{key[0]} {name}": count for name, count in reader.counts.items()})

    threads = [threading.Thread(target=work, args=(key,), daemon=True) for key in takers]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        use.look()
        time.sleep(0.05)
    results.put((takers, use.found, counts, failures))


# --- the run -------------------------------------------------------------------------------------------------------


def soak(path: Path, seconds: float, segment_bytes: int, seed: int) -> None:
    directories, model = [path / "a", path / "b"], Model()
    stop, readers_stop, failures = threading.Event(), SPAWN.Event(), list[str]()
    results = SPAWN.Queue()
    use = Use(seconds)
    config, own = configs(segment_bytes)
    with LogManager.open(directories, config, configs=own) as manager:
        for topic, count in PARTITIONS.items():
            for partition in range(count):
                manager.create_partition(topic, partition)
        process = SPAWN.Process(target=read, args=(directories, seconds, readers_stop, results), daemon=True)
        process.start()
        manager.start(
            initial_task_delay_ms=0,
            retention_check_interval_ms=100,
            checkpoint_interval_ms=300,
            cleaner_backoff_ms=100,
            cleaner=CleanerConfig(dedupe_buffer_bytes=24 * 2000),
        )

        def work(name: str) -> None:
            do, pause_s = ACTORS[name]
            source = random.Random(f"{seed} {name}")
            try:
                while not stop.wait(pause_s):
                    do(manager, model, source)
            except BaseException:
                failures.append(f"{name}:\n{traceback.format_exc()}")
                stop.set()

        threads = [threading.Thread(target=work, args=(name,), daemon=True) for name in ACTORS]
        try:
            for thread in threads:
                thread.start()
            until = time.monotonic() + seconds
            while not stop.is_set() and process.is_alive() and time.monotonic() < until + WAIT_S:
                if time.monotonic() > until and happened(manager, model):  # on a busy machine later
                    break
                use.look()
                stop.wait(min(0.1, seconds / 50))
            stop.set()
            for thread in threads:
                thread.join(WAIT_S)
                assert not thread.is_alive(), f"a thread waits for ever; {failures}"
            readers_stop.set()
            takers, readers_use, readers_counts, readers_failures = results.get(timeout=WAIT_S)
            process.join(WAIT_S)
        finally:
            if process.is_alive():
                process.kill()
                process.join()
        metrics, is_enough = manager.metrics, happened(manager, model)
        told = f"{dict(model.counts)}\n{dict(readers_counts)}\n{metrics}"
        print(told)
        assert not failures + readers_failures, "\n".join([told, *failures, *readers_failures])
        assert (metrics.error_count, metrics.uncleanable_partition_count) == (0, 0) and not manager.offline, told
        judge(manager, model, takers)
    assert not errors_in(directories[0]) + errors_in(directories[1])
    assert is_enough, told
    flat = [check_flat("writers", use.found), check_flat("readers", readers_use)] if seconds >= FLAT_FROM_S else []
    done = {
        "records": sum(model.streams.values()),
        "transactions": model.transaction_count,
        "moves": model.counts["moves"],
        "compactions": metrics.compaction_count,
        "deleted segments": metrics.deleted_segment_count,
    }
    # tools/nightly.py reads this line.
    print("\nsoak:", "; ".join([", ".join(f"{count:,} {what}" for what, count in done.items()), *flat]))


def happened(manager: LogManager, model: Model) -> bool:
    """Whether there was some of everything."""
    metrics = manager.metrics
    whats = ("moves", "committed", "aborted", "looked inside")
    return all(model.counts[what] for what in whats) and all((metrics.compaction_count, metrics.deleted_segment_count))


def judge(manager: LogManager, model: Model, takers: dict[tuple[str, int], Any]) -> None:
    """Hold what the readers got, and what is there, against the model."""
    for (name, partition), end in model.streams.items():
        taker = takers["stream", partition]
        assert taker.next[name] == end and taker.expected == manager.log("stream", partition).end_offset
    for partition in range(PARTITIONS["pairs"]):
        pairs = takers["pairs", partition]
        for number in range(model.transaction_count):
            if number not in pairs.unknown and not (pairs.has_jumped and number >= pairs.last):
                is_seen, is_committed = number in pairs.seen, number in model.committed
                assert is_seen is is_committed, (partition, number, is_seen, is_committed)
        assert pairs.at == pairs.count
    log = manager.log("latest", 0)
    records = list(log.records(isolation_level="read_committed"))
    there = {record.key: record.value for record in records}
    assert {key: value for key, value in there.items() if value is not None} == model.latest
    assert {key: takers["latest", 0].values[key] for key in model.latest} == {
        key: int(value) for key, value in model.latest.items()
    }
    assert log.segment_count < 20, "it is compacted"
    states = [one for one in manager.transactions() if one.transactional_id == "transfers"]
    assert len(states) == 1 and states[0].state in ("CompleteCommit", "CompleteAbort", "Empty")


def test_all_at_once_for_some_seconds(tmp_path: Path) -> None:
    soak(tmp_path, 5, 1 << 12, seed=1)


@pytest.mark.slow
def test_all_at_once_for_long(tmp_path: Path) -> None:
    soak(tmp_path, SECONDS, 1 << 14, seed=2)
