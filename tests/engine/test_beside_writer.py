"""Reader processes beside a writer that does to its log whatever can be done to one, and beside a live broker.

Our own writer appends, rolls (by size and on demand), preallocates, closes and opens again, lets retention and
delete_records_before remove segments and their files at once, and truncates. Three processes read meanwhile: one
follows, one reads at random offsets, one looks up times. Each record says its offset and when it has to be found, so
readers can judge what they get without asking anybody: complete batches with the right records, none left out but for
a reason that the log's start or end gives. A truncation that happened while a reader asked excuses an answer, nothing
else does.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import random
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.records import Record
from kformat.kafka.log.log_reader import LogReader
from kformat_engine.config import LogConfig
from kformat_engine.errors import OffsetOutOfRangeError, RecordsDeletedError
from kformat_engine.log import Log
from tests.judges import broker, releases
from tests.judges.required import require

pytestmark = pytest.mark.drawn

BASE_MS = 1_700_000_000_000
STEP_MS = 10
SPAWN = multiprocessing.get_context("spawn")
CODECS = ("none", "none", "gzip", "snappy", "lz4", "zstd")

# Counted by the writer around a truncation, so that it is odd while one is under way.
Epoch = Any


def value_of(offset: int) -> bytes:
    """What the record at an offset says: the offset, and bytes that follow from it."""
    return b"%d:" % offset + bytes([offset % 251]) * (offset * 37 % 400)


def check_batch(batch: AnyBatch, counts: Counter[str]) -> list[Record]:
    """The records of a batch, after a look at all of them."""
    assert batch.is_valid, batch
    records = list(batch.records())
    assert [record.offset for record in records] == list(range(batch.base_offset, batch.next_offset)), batch
    for record in records:
        assert record.value == value_of(record.offset), record
        assert record.timestamp == BASE_MS + record.offset * STEP_MS, record
    counts["batches"] += 1
    counts["records"] += len(records)
    return records


# The writer

HAPPENINGS = ("opened", "rolled", "retained", "deleted", "truncated")


def write(folder: Path, seconds: float, seed: int, epoch: Epoch, counts: Counter[str]) -> None:
    source = random.Random(seed)
    until, at_most = time.monotonic() + seconds, time.monotonic() + seconds + 45
    starts: list[int] = []  # of the batches, since the log was opened
    while time.monotonic() < until or (not all(counts[what] for what in HAPPENINGS) and time.monotonic() < at_most):
        config = LogConfig(
            segment_bytes=source.choice((20_000, 60_000)),
            segment_index_bytes=4096,
            index_interval_bytes=500,
            retention_ms=-1,
            retention_bytes=source.choice((100_000, 400_000)),
            file_delete_delay_ms=source.choice((0, 50)),
            preallocate=source.random() < 0.5,
            message_timestamp_after_max_ms=2**62,
        )
        with Log.open(folder, config) as log:
            counts["opened"] += 1
            starts.clear()
            reopen = time.monotonic() + source.uniform(0.3, 1.5)
            while time.monotonic() < reopen:
                step(log, source, starts, epoch, counts)
                time.sleep(0.0005)
            counts["end_offset"] = log.end_offset


def step(log: Log, source: random.Random, starts: list[int], epoch: Epoch, counts: Counter[str]) -> None:
    chance = source.random()
    if chance < 0.02:
        log.roll()
        counts["rolled"] += 1
    elif chance < 0.05:
        counts["retained"] += len(log.retain())
    elif chance < 0.06:
        log.delete_records_before(source.randint(log.start_offset, log.end_offset))
        counts["deleted"] += 1
    elif chance < 0.075 and starts:
        target = source.choice(starts[-20:])
        if target > log.start_offset:
            with epoch.get_lock():
                epoch.value += 1
            log.truncate_to(target)
            starts[:] = [start for start in starts if start < target]
            with epoch.get_lock():
                epoch.value += 1
            counts["truncated"] += 1
    else:
        first = log.end_offset
        records = [
            {"key": b"k", "value": value_of(offset), "timestamp": BASE_MS + offset * STEP_MS}
            for offset in range(first, first + source.choice((1, 1, 3, 10, 60)))
        ]
        assert log.append(records, compression=source.choice(CODECS)) == first
        starts.append(first)
        counts["appended"] += len(records)


# The readers


def follow(log: LogReader, stop: Any, _: random.Random, epoch: Epoch, counts: Counter[str]) -> None:
    """Everything, in order, as it comes; where the log cannot give the next offset, it has to say why."""
    cursor, expected = log.cursor(), None
    while True:
        is_last = stop.is_set()
        try:
            batch = cursor.poll()
        except (OffsetOutOfRangeError, RecordsDeletedError) as error:
            assert error.offset == expected
            if error.start_offset > expected:
                counts["overtaken"] += 1
                expected = error.start_offset
            else:
                assert isinstance(error, OffsetOutOfRangeError) and error.end_offset < expected, error
                counts["cut"] += 1
                expected = error.end_offset
            cursor.close()
            cursor = log.cursor(expected)
            continue
        if batch is None:
            if is_last:
                break
            counts["waited"] += 1
            time.sleep(0.002)
            continue
        records = check_batch(batch, counts)
        if expected is not None:
            assert records[0].offset <= expected <= records[-1].offset, (expected, batch)
        expected = records[-1].offset + 1
    counts["end_offset"] = expected or 0
    cursor.close()


def read_anywhere(log: LogReader, stop: Any, source: random.Random, epoch: Epoch, counts: Counter[str]) -> None:
    """Reads at random offsets; one out of range has to be so still, unless the log was cut meanwhile."""
    while not stop.is_set():
        before = epoch.value
        start, end = log.start_offset, log.end_offset
        assert start <= end or before % 2 or epoch.value != before, (start, end)
        offset = source.randint(start, max(start, end))
        try:
            fetched = log.read(offset, source.choice((1, 1000, 100_000)))
        except OffsetOutOfRangeError as error:
            is_cut = before % 2 == 1 or epoch.value != before
            assert log.start_offset > offset or is_cut, (error, start, end)
            counts["out of range"] += 1
            continue
        counts["reads"] += 1
        expected = offset
        for batch in fetched.batches():
            records = check_batch(batch, counts)
            assert records[0].offset <= expected <= records[-1].offset, (offset, expected, batch)
            expected = records[-1].offset + 1
        assert expected > offset or offset >= end or before % 2 or epoch.value != before, (offset, end)


def look_up_times(log: LogReader, stop: Any, source: random.Random, epoch: Epoch, counts: Counter[str]) -> None:
    """The first record from a time on is known by the time, unless it was deleted, not there yet, or cut meanwhile."""
    while not stop.is_set():
        before = epoch.value
        start, end = log.start_offset, log.end_offset
        wanted = source.randint(max(0, start - 50), max(start, end) + 5)
        target = BASE_MS + wanted * STEP_MS - source.choice((0, 3))
        found = log.offset_for_timestamp(target)
        # The end last: what is deleted in between may reach to an end that comes later.
        earliest, latest = log.offset_for_timestamp(-2), log.offset_for_timestamp(-1)
        assert latest is not None and earliest is not None
        is_uncut = before % 2 == 0 and epoch.value == before
        counts["lookups"] += 1
        if found is not None:
            assert found.timestamp == BASE_MS + found.offset * STEP_MS >= target
        if not is_uncut:
            continue
        assert start <= earliest.offset <= latest.offset and latest.offset >= end
        if wanted < end and log.start_offset <= wanted:
            counts["exact"] += 1
            assert found is not None and found.offset == wanted, (found, wanted, start, end)
        elif found is not None:
            assert found.offset >= wanted


READERS: dict[str, Callable[..., None]] = {"follow": follow, "anywhere": read_anywhere, "times": look_up_times}


def reader_process(name: str, folder: Path, stop: Any, epoch: Epoch, results: Any) -> None:
    """One reader until it is told to stop; what it counted, or what went wrong."""
    counts: Counter[str] = Counter()
    try:
        with LogReader.open(folder) as log:
            READERS[name](log, stop, random.Random(name), epoch, counts)
            assert open_files(folder) <= 4, "descriptors were left open"
        results.put((name, dict(counts), ""))
    except BaseException:
        results.put((name, dict(counts), traceback.format_exc()))
        raise


def open_files(folder: Path) -> int:
    if not Path("/proc/self/fd").is_dir():
        return 0
    names = [Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd")]
    return sum(os.path.islink(name) and os.readlink(name).startswith(str(folder)) for name in names)


def writer_process(folder: Path, seconds: float, seed: int, epoch: Epoch, results: Any) -> None:
    counts: Counter[str] = Counter()
    try:
        write(folder, seconds, seed, epoch, counts)
        results.put(("writer", dict(counts), ""))
    except BaseException:
        results.put(("writer", dict(counts), traceback.format_exc()))
        raise


def beside(folder: Path, seconds: float, seed: int) -> dict[str, dict[str, int]]:
    """A writer and the readers for so long; what each counted."""
    with Log.open(folder) as log:
        log.append([{"key": b"k", "value": value_of(0), "timestamp": BASE_MS}])
    epoch, stop, results = SPAWN.Value("q", 0), SPAWN.Event(), SPAWN.SimpleQueue()
    readers = [SPAWN.Process(target=reader_process, args=(name, folder, stop, epoch, results)) for name in READERS]
    writer = SPAWN.Process(target=writer_process, args=(folder, seconds, seed, epoch, results))
    processes = [writer, *readers]
    try:
        for process in processes:
            process.start()
        writer.join(seconds + 60)
        stop.set()
        for process in readers:
            process.join(60)
    finally:
        for process in processes:
            if process.is_alive():
                process.kill()
                process.join()
    found, failures = {}, []
    while not results.empty():
        name, counts, failure = results.get()
        found[name] = counts
        failures += [f"{name} {counts}:\n{failure}"] if failure else []
    assert not failures, "\n".join(failures)
    # A negative exit code is the signal that ended the process: -7 is SIGBUS.
    assert [process.exitcode for process in processes] == [0] * len(processes)
    return found


def test_readers_beside_a_writer(tmp_path: Path) -> None:
    check_run(beside(tmp_path / "beside-0", 2, seed=1), 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2])
def test_readers_beside_a_writer_for_a_minute(tmp_path: Path, seed: int) -> None:
    check_run(beside(tmp_path / "beside-0", 60, seed), 60)


def check_run(found: dict[str, dict[str, int]], seconds: int) -> None:
    """Everything that can happen to a log happened to this one, and the readers saw enough of it."""
    writer, following = found["writer"], found["follow"]
    for what in HAPPENINGS:
        assert writer[what] > 0, (what, writer)
    assert following["end_offset"] == writer["end_offset"]
    assert following["records"] > writer["appended"] / 10 and following["waited"] > 0, (following, writer)
    assert found["anywhere"]["reads"] > seconds and found["times"]["exact"] > seconds, found


# Beside a broker

VERSION = releases.NEWEST
TIMEOUT_S = 30
SMALLEST_SEGMENT_BYTES = 1 << 20  # what a topic of 4.x may have
COMMON = {"segment.index.bytes": "65536", "index.interval.bytes": "1024", "file.delete.delay.ms": "0"}
TOPICS = {
    "kept": {"segment.bytes": str(SMALLEST_SEGMENT_BYTES), "retention.ms": "-1"},
    "preallocated": {"segment.ms": "500", "preallocate": "true", "segment.bytes": str(SMALLEST_SEGMENT_BYTES)},
    "retained": {"segment.bytes": str(SMALLEST_SEGMENT_BYTES), "retention.bytes": str(SMALLEST_SEGMENT_BYTES)},
    "compacted": {"cleanup.policy": "compact", "segment.ms": "300", "min.cleanable.dirty.ratio": "0.01"},
}
BROKER = {
    "log.retention.check.interval.ms": "200",
    "log.flush.start.offset.checkpoint.interval.ms": "200",
    "log.cleaner.backoff.ms": "100",
}
KEYS_COUNT = 40


class Follower(threading.Thread):
    """Follows one partition until it is told the end; what it got, and what went wrong."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.path, self.end_offset = path, 2**62
        self.found: list[Record] = []
        self.jumps: list[OffsetOutOfRangeError | RecordsDeletedError] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            with LogReader.open(self.path) as log:
                expected, until = 0, time.monotonic() + 3 * TIMEOUT_S
                while expected < self.end_offset and time.monotonic() < until:
                    try:
                        for record in log.records(expected, follow=True, timeout_s=0.2, poll_s=0.005):
                            self.found.append(record)
                            expected = record.offset + 1
                    except (OffsetOutOfRangeError, RecordsDeletedError) as error:
                        self.jumps.append(error)
                        expected = error.start_offset
        except BaseException as failure:
            self.failure = failure


def produce(bootstrap: str, topics: list[str]) -> dict[str, list[tuple[int, bytes, bytes]]]:
    """Batches of all sizes and codecs to all topics; what was acknowledged: offset, key, value."""
    client: Any = importlib.import_module("confluent_kafka")
    source = random.Random(5)
    common = {"bootstrap.servers": bootstrap, "linger.ms": 5, "acks": "all", "log_level": 0}
    producers = [client.Producer(common | {"compression.type": codec}) for codec in CODECS]
    acknowledged: dict[str, list[tuple[int, bytes, bytes]]] = {topic: [] for topic in topics}

    def delivered(error: Any, message: Any) -> None:
        assert error is None, error
        acknowledged[message.topic()].append((message.offset(), message.key(), message.value()))

    number = size = 0
    until, at_most = time.monotonic() + 4, time.monotonic() + 2 * TIMEOUT_S
    while (time.monotonic() < until or size < 2.5 * SMALLEST_SEGMENT_BYTES) and time.monotonic() < at_most:
        producer = source.choice(producers)
        for topic in topics:
            for _ in range(source.choice((1, 5, 40))):
                number += 1
                key = b"key-%d" % source.randrange(KEYS_COUNT)
                value = b"%d:" % number + source.randbytes(source.choice((0, 10, 1000)))
                producer.produce(topic, value, key, 0, on_delivery=delivered)
                size += len(value) if topic == topics[0] else 0
        assert producer.flush(TIMEOUT_S) == 0
    return {topic: sorted(records) for topic, records in acknowledged.items()}


@pytest.mark.judge
@pytest.mark.broker
def test_following_a_live_broker() -> None:
    """What clients produce comes once, in order, while the broker rolls, preallocates, trims, deletes and compacts."""
    require(VERSION)
    admin_client: Any = importlib.import_module("confluent_kafka.admin")
    client: Any = importlib.import_module("confluent_kafka")
    with broker(VERSION, BROKER) as running:
        admin = admin_client.AdminClient({"bootstrap.servers": running.bootstrap, "log_level": 0})
        new = [admin_client.NewTopic(name, 1, 1, config=COMMON | config) for name, config in TOPICS.items()]
        for future in admin.create_topics(new).values():
            future.result(TIMEOUT_S)
        paths = {name: running.data / f"{name}-0" for name in TOPICS}
        until = time.monotonic() + TIMEOUT_S
        while not all(list(path.glob("*.log")) for path in paths.values()) and time.monotonic() < until:
            time.sleep(0.05)
        followers = {name: Follower(path) for name, path in paths.items()}
        for follower in followers.values():
            follower.start()
        acknowledged = produce(running.bootstrap, list(TOPICS))
        for name, follower in followers.items():
            follower.end_offset = acknowledged[name][-1][0] + 1
        for follower in followers.values():
            follower.join(2 * TIMEOUT_S)
        for name, follower in followers.items():
            assert follower.failure is None and not follower.is_alive(), (name, follower.failure)
            assert len(list(paths[name].glob("*.log"))) > 1 or follower.jumps, name
        for name in ("kept", "preallocated"):
            found = [(one.offset, one.key, one.value) for one in followers[name].found]
            assert found == acknowledged[name] and not followers[name].jumps, name
            with LogReader.open(paths[name]) as log:
                assert [one.offset for one in log] == [offset for offset, _, _ in acknowledged[name]]
                assert log.end_offset == acknowledged[name][-1][0] + 1

        # Retention may overtake a reader; then it says so, and nothing else is missing.
        known = {offset: (key, value) for offset, key, value in acknowledged["retained"]}
        expected, jumps = 0, list(followers["retained"].jumps)
        for record in followers["retained"].found:
            while record.offset > expected and jumps:
                error = jumps.pop(0)
                assert error.offset == expected < error.start_offset
                expected = error.start_offset
            assert record.offset == expected and (record.key, record.value) == known[expected]
            expected += 1
        assert expected == followers["retained"].end_offset
        until = time.monotonic() + TIMEOUT_S
        with LogReader.open(paths["retained"]) as log:
            while not log.start_offset and time.monotonic() < until:
                time.sleep(0.05)
            assert log.start_offset > 0

        # Compaction leaves gaps. What came is what was produced, in order, and the last of each key is there.
        known = {offset: (key, value) for offset, key, value in acknowledged["compacted"]}
        latest = {key: offset for offset, key, _ in acknowledged["compacted"]}
        until, is_compacted = time.monotonic() + TIMEOUT_S, False
        while not is_compacted and time.monotonic() < until:
            with LogReader.open(paths["compacted"]) as log:
                records = list(log)
            is_compacted = len(records) < len(known) / 2
            for seen in (records, followers["compacted"].found):
                offsets = [one.offset for one in seen]
                assert offsets == sorted(set(offsets))
                assert all((one.key, one.value) == known[one.offset] for one in seen)
                assert set(latest.values()) <= set(offsets)
        assert is_compacted, "the cleaner never came by"

        # Deleted records: the root's checkpoint says so before any file goes.
        start = acknowledged["kept"][len(acknowledged["kept"]) // 2][0]
        partition = client.TopicPartition("kept", 0, start)
        admin.delete_records([partition])[partition].result(TIMEOUT_S)
        until = time.monotonic() + TIMEOUT_S
        with LogReader.open(paths["kept"]) as log:
            while log.start_offset < start and time.monotonic() < until:
                time.sleep(0.05)
            assert log.start_offset == start
            assert [one.offset for one in log] == [offset for offset, _, _ in acknowledged["kept"] if offset >= start]
            with pytest.raises(OffsetOutOfRangeError):
                log.read(start - 1)
