"""`LogReader` of committed data, next to a log that is cut, rolled, deleted and rewritten, and over samples."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import kformat
from kformat.errors import OffsetOutOfRangeError, RecordsDeletedError
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log import log_reader
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log
from tests.engine.logs import Stage
from tests.kafka.test_transactions import TRANSACTIONAL

SMALL: dict[str, Any] = {"segment_bytes": 700, "index_interval_bytes": 0, "segment_index_bytes": 1200}


def seen(reader: LogReader, start: int | None = None) -> list[bytes | None]:
    return [one.value for one in reader.records(start, isolation_level="read_committed")]


def transact(log: Log, name: str, *values: bytes, end: str = "commit") -> Any:
    t = log.transaction(name)
    for value in values:
        t.append([value])
    if end != "open":
        (t.commit if end == "commit" else t.abort)()
    return t


@pytest.mark.parametrize("folder", TRANSACTIONAL, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_samples_of_brokers(folder: Path) -> None:
    """The same records as by `.txnindex`, from every tenth offset on."""
    partition = kformat.open(folder)
    expected = partition.to_arrow("offset", isolation_level="read_committed")["offset"].to_pylist()
    with LogReader.open(folder) as reader:
        for start in range(reader.start_offset, reader.end_offset, max(1, reader.end_offset // 10)):
            found = [one.offset for one in reader.records(start, isolation_level="read_committed")]
            assert found == [offset for offset in expected if offset >= start]
            batches = reader.batches(start, isolation_level="read_committed")
            some = [one.offset for batch in batches if not batch.is_control for one in batch.records()]
            assert [offset for offset in some if offset >= start] == found


def test_a_cursor_waits_at_an_open_transaction_and_passes_over_aborted_ones(stage: Stage) -> None:
    log = stage.open(**SMALL)
    log.append([b"0"])
    with LogReader.open(log.path) as reader:
        cursor = reader.cursor(isolation_level="read_committed", name="test", positions=stage.root / "positions")
        assert cursor.poll() is not None and cursor.poll() is None
        t = transact(log, "a", b"1", end="open")
        log.append([b"2"])
        assert cursor.poll() is None and reader.last_stable_offset == 1
        assert cursor.commit() == 1
        t.abort()
        transact(log, "b", *[b"3" * 300] * 5)
        values = []
        while (batch := cursor.poll()) is not None:
            values += [] if batch.is_control else [one.value for one in batch.records()]
        assert values == [b"2", *[b"3" * 300] * 5]
        assert cursor.next_offset == log.end_offset and log.segment_count > 2
        again = reader.cursor(isolation_level="read_committed", name="test", positions=stage.root / "positions")
        assert again.committed_offset == 1
        found = again.poll()
        assert found is not None and found.base_offset == 2
        again.close()


def test_reads_are_those_of_the_log(stage: Stage) -> None:
    """`LogReader.read` gives what `Log.read` gives, in whole batches, forwards, backwards and in small pieces."""
    log = stage.open(**SMALL)
    random = Random(7)
    begun: dict[str, Any] = {}
    for number in range(120):
        name, way = random.choice("abc"), random.random()
        if way < 0.2:
            log.append([b"%d" % number])
        elif way < 0.8 or name not in begun:
            begun.setdefault(name, None)
            begun[name] = begun[name] or log.transaction(name)
            begun[name].append([b"%d" % number * random.choice((1, 30))])
        elif number < 110:
            (begun[name].commit if way < 0.9 else begun[name].abort)()
            begun.pop(name)
    assert 0 < log.last_stable_offset < log.end_offset
    with LogReader.open(log.path) as reader:
        for offset in [*range(log.end_offset + 1), *range(log.end_offset, -1, -5)]:
            for most in (1, 300, 1 << 20):
                ours = log.read(offset, most, isolation_level="read_committed")
                theirs = reader.read(offset, most, isolation_level="read_committed")
                assert [one.raw for one in ours.batches()] == [one.raw for one in theirs.batches()]
                assert list(ours.records()) == list(theirs.records())
                assert theirs.aborted_transactions is not None and bool(len(ours)) == bool(len(theirs))
                assert {one[:3] for one in ours.aborted_transactions or ()} == {
                    one[:3] for one in theirs.aborted_transactions
                }
        assert reader.read(0).aborted_transactions is None
        assert len(reader.read(log.end_offset - 1)) > 0


def test_what_is_kept_of_aborted_transactions_is_bounded(stage: Stage) -> None:
    log = stage.open(**SMALL)
    with LogReader.open(log.path) as reader:
        cursor = reader.cursor(isolation_level="read_committed")
        for number in range(120):
            transact(log, "a", b"%d" % number, end="abort")
            while cursor.poll() is not None:
                pass
        assert cursor.next_offset == log.end_offset
        committed = cursor._steps._committed
        assert committed is not None
        assert len(committed._stability._found) <= 1 and len(committed._stability._state) == 0


@pytest.mark.parametrize("left", ["all", "none", "damaged"])
def test_snapshots_are_no_more_than_a_shortcut(stage: Stage, left: str) -> None:
    log = stage.open(**SMALL)
    open_since = transact(log, "open", b"open", end="open")
    for number in range(20):
        transact(log, f"id-{number % 3}", b"%d" % number, end="abort" if number % 4 == 1 else "commit")
    end = log.end_offset
    for path in log.path.glob("*.snapshot"):
        if left == "none":
            path.unlink()
        elif left == "damaged":
            path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    with LogReader.open(log.path) as reader:
        assert seen(reader) == [] and seen(reader, end - 3) == [] and reader.last_stable_offset == 0
        open_since.commit()
        expected = [b"open", *(b"%d" % number for number in range(20) if number % 4 != 1)]
        assert seen(reader) == expected and seen(reader, 5) == expected[2:]
        assert reader.last_stable_offset == log.end_offset


@pytest.mark.parametrize("segment_bytes", [700, 1 << 20])
def test_a_cut_takes_back_what_was_decided(stage: Stage, segment_bytes: int) -> None:
    """A reader that has read ahead of a cut begins again, and goes on with what came in its place."""
    log = stage.open(**SMALL | {"segment_bytes": segment_bytes})
    log.append([b"0"])
    transact(log, "a", *[b"a" * 100] * 12)
    with LogReader.open(log.path) as reader:
        cursor = reader.cursor(isolation_level="read_committed")
        assert cursor.poll() is not None  # it knows of more than that now
        log.truncate_to(1)
        t = log.transaction("b")
        t.append([b"b" * 90] * 15)
        log.append([b"c" * 5])
        assert cursor.poll() is None, "open now, although committed before at these offsets"
        t.abort()
        left = []
        while (batch := cursor.poll()) is not None:
            left += [] if batch.is_control else [one.value for one in batch.records()]
        assert left == [b"c" * 5]


def test_a_cut_that_takes_a_marker_leaves_records_that_do_not_count(stage: Stage) -> None:
    """They stay undecided until the id has a transaction in the log again, which does not decide about them."""
    log = stage.open(**SMALL)
    transact(log, "a", b"0", b"1")
    log.truncate_to(1)
    assert (log.last_stable_offset, log.end_offset) == (0, 1)
    transact(log, "a", b"2")
    assert [record.value for record in log.records(isolation_level="read_committed")] == [b"2"]
    with LogReader.open(log.path) as reader:
        assert seen(reader) == [b"2"]


def test_retention_overtakes_a_reader_of_committed_data(stage: Stage) -> None:
    log = stage.open(**SMALL)
    for number in range(30):
        transact(log, "a", b"%d" % number * 50)
    with LogReader.open(log.path) as reader:
        cursor = reader.cursor(isolation_level="read_committed")
        assert cursor.poll() is not None
        log.delete_records_before(log.end_offset - 5)
        stage.sleep(log.config.file_delete_delay_ms)
        with pytest.raises((RecordsDeletedError, OffsetOutOfRangeError)):
            for _ in range(1000):
                cursor.poll()
        assert seen(reader) == [record.value for record in log.records(isolation_level="read_committed")]


@pytest.mark.parametrize("way", ["records", "cursor", "read"])
def test_compaction_between_a_batch_and_what_is_read_ahead(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A reader has an aborted batch from a file that a compaction replaces before it reads ahead in the new one."""
    log = stage.open(**SMALL)
    log.append([b"first"])
    log.roll()
    start = log.end_offset
    transact(log, "a", b"never", end="abort")
    log.append([b"last"])
    part_of, has = log_reader._Committed.part_of, log_reader._Committed.has
    is_compacted: list[bool] = []

    def compacted(given: Any) -> None:
        if given[0].next_offset > start and not is_compacted:
            file = log.path / file_name(start, "log")
            kept = [batch.raw for batch in kformat.iter_batches(file)][1:]
            file.with_name("new").write_bytes(b"".join(kept))
            file.with_name("new").replace(file)
            is_compacted.append(True)

    def part_of_after(self: Any, *arguments: Any) -> Any:
        compacted(arguments)
        return part_of(self, *arguments)

    def has_after(self: Any, *arguments: Any) -> Any:
        compacted(arguments)
        return has(self, *arguments)

    monkeypatch.setattr(log_reader._Committed, "part_of", part_of_after)
    monkeypatch.setattr(log_reader._Committed, "has", has_after)
    with LogReader.open(log.path) as reader:
        if way == "read":
            values, offset = list[bytes | None](), 0
            while offset < log.end_offset:
                found = reader.read(offset, max_bytes=1, isolation_level="read_committed")
                values += [one.value for one in found.records() if one.offset >= offset]
                offset = max([offset + 1, *(batch.next_offset for batch in found.batches())])
        elif way == "cursor":
            with reader.cursor(0, isolation_level="read_committed") as cursor:
                batches: list[Any] = list(iter(cursor.poll, None))
            values = [one.value for batch in batches if not batch.is_control for one in batch.records()]
        else:
            values = seen(reader, 0)
    assert is_compacted
    assert values == [b"first", b"last"]


def test_next_to_a_writer_that_does_everything(stage: Stage) -> None:
    """A follower sees what is committed, once and in order, whatever happens to the log meanwhile."""
    for seed in range(6):
        random = Random(seed)
        log = stage.open(path=stage.root / f"orders-{seed}", **SMALL)
        expected: list[tuple[int, bytes]] = []
        found: list[tuple[int, bytes | None]] = []
        reader = LogReader.open(log.path)
        cursor = reader.cursor(isolation_level="read_committed", auto_offset_reset="earliest")
        open_ones: dict[str, tuple[Any, list[tuple[int, bytes]]]] = {}
        for number in range(150):
            value, way = b"%d" % number * random.randint(1, 40), random.random()
            if way < 0.5:
                name = random.choice("abc")
                t, mine = (
                    open_ones.setdefault(name, (log.transaction(name), []))
                    if name not in open_ones
                    else (open_ones[name])
                )
                mine.append((t.append([value]), value))
            elif way < 0.6:
                expected.append((log.append([value]), value))
            elif way < 0.9 and open_ones:
                t, mine = open_ones.pop(random.choice(sorted(open_ones)))
                if random.random() < 0.6:
                    t.commit()
                    expected += mine
                else:
                    t.abort()
            elif way < 0.95:
                log.roll()
            while random.random() < 0.5 and (batch := cursor.poll()) is not None:
                found += [] if batch.is_control else [(one.offset, one.value) for one in batch.records()]
        for t, _ in open_ones.values():
            t.abort()
        while (batch := cursor.poll()) is not None:
            found += [] if batch.is_control else [(one.offset, one.value) for one in batch.records()]
        assert found == sorted(expected)
        reader.close()
