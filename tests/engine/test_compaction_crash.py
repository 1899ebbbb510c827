"""What a log holds after a crash while it was compacted: each segment as it was, or compacted; nothing in between.

A log is built once and synced. It is compacted, and before every step of that the state that a crash would leave is
kept, of the process (`picture`) and of the machine (`ForgetfulStorage.crash`); each is opened in mode ``strict``.
"""

from __future__ import annotations

import functools
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.kafka.batch.records import Record
from kformat_engine import cleaner, local_log, log_appender, log_guard, log_internals, log_search, root, sealed_segments
from kformat_engine import log as log_module
from kformat_engine.config import LogConfig
from kformat_engine.errors import WriterFailedError
from kformat_engine.log import Log, internals_of
from kformat_engine.root import Root
from tests.draws import every
from tests.engine.compaction_plays import checkpoint
from tests.engine.faults import Death, Fault, FaultyStorage, ForgetfulStorage, Picture, Step, picture, put_back
from tests.engine.manual import ManualClock, ManualScheduler
from tests.engine.test_crash import told
from tests.interrupts import Place, tracing

pytestmark = pytest.mark.drawn

NOW_MS = 1_700_000_000_000
TOPIC = "orders-0"
PRODUCER = ProducerFields(7, 0, 0)


def config(segment_bytes: int = 2400, **settings: object) -> LogConfig:
    """Of a log that was written in smaller segments, so that several become one."""
    return LogConfig(
        segment_bytes=segment_bytes,
        index_interval_bytes=100,
        cleanup_policy=("compact",),
        delete_retention_ms=1000,
        file_delete_delay_ms=1000,
        **settings,  # type: ignore[arg-type]
    )


def opened(root: Path, storage: FaultyStorage | None = None, **settings: object) -> Log:
    clock, storage = ManualClock(NOW_MS), storage or FaultyStorage()
    return Log.open(
        root / TOPIC,
        config(**settings),  # type: ignore[arg-type]
        root=Root.open(root, storage=storage),
        clock=clock,
        storage=storage,
        scheduler=ManualScheduler(clock),
    )


def left(log: Log) -> None:
    """Leave a log as a process does that ends."""
    log.root.abandon()
    internals_of(log).storage.close_all()  # type: ignore[attr-defined]


def content_of(offset: int, random: Random) -> PlannedRecord:
    value = None if random.random() < 0.15 else b"v%d" % offset + b"." * random.choice((0, 20, 90))
    return PlannedRecord(offset, NOW_MS + offset, b"k%d" % random.randrange(9), value)


def fill(log: Log) -> None:
    """Batches of several records, some of them of transactions, two of which are aborted."""
    random, offset, sequence = Random(5), 0, 0
    for number in range(26):
        contents = [content_of(offset + at, random) for at in range(random.choice((1, 2, 4)))]
        producer = PRODUCER._replace(sequence=sequence) if number % 3 == 0 else None
        made = batch(contents, producer=producer, transactional=producer is not None)
        log.append_batches(made.data, assign_offsets=False)
        offset += len(contents)
        sequence += 0 if producer is None else len(contents)
        if number % 6 == 5:
            kind = "abort" if number % 12 == 5 else "commit"
            log.append_batches(end_of_transaction(kind, offset, NOW_MS + offset, PRODUCER).data, assign_offsets=False)
            offset += 1
    last = end_of_transaction("commit", offset, NOW_MS + offset, PRODUCER)
    log.append_batches(last.data, assign_offsets=False)
    log.roll()


@functools.cache
def built(preallocate: bool = False) -> Picture:
    """The root of a log that was closed."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        log = opened(root, segment_bytes=900, preallocate=preallocate)
        fill(log)
        log.close()
        log.root.close()
        return picture(root)


def last_of_each(records: list[Record]) -> dict[bytes | None, Record]:
    return {record.key: record for record in records}


@functools.cache
def expected(preallocate: bool = False) -> tuple[list[Record], list[Record], int]:
    """All records before, those that are left after it, and the end of the log."""
    with tempfile.TemporaryDirectory() as folder:
        put_back(built(preallocate), Path(folder))
        log = opened(Path(folder), preallocate=preallocate)
        before = list(log.records(include_control=True))
        done = log.compact()
        assert done is not None and done.segment_count_after < done.segment_count_before
        after = list(log.records(include_control=True))
        end = log.end_offset
        log.close()
        log.root.close()
    assert 9 <= len(after) < len(before) // 2
    return before, after, end


def judge(root: Path, preallocate: bool = False) -> bool:
    """Open what a crash left; whether all of it was compacted. Then compact it, which gives what it gives at once."""
    before, after, end = expected(preallocate)
    log = opened(root, preallocate=preallocate)
    try:
        assert not log.report.refusals and log.end_offset == end
        names = [path.name for path in log.path.iterdir()]
        assert not [name for name in names if name.endswith((".cleaned", ".swap"))], names
        found = list(log.records(include_control=True))
        offsets = [record.offset for record in found]
        assert offsets == sorted(set(offsets))
        assert set(offsets) <= {record.offset for record in before}
        assert set(offsets) >= {record.offset for record in after}
        by_offset = {record.offset: record for record in before}
        assert all(record == by_offset[record.offset] for record in found)
        was_done = offsets == [record.offset for record in after]
        log.compact(force=True)
        assert list(log.records(include_control=True)) == after
        log.append([(b"k0", b"new")])
        assert list(log)[-1].offset == end
        log.close()
        assert checkpoint(root) == {("orders", 0): end}
    finally:
        left(log)
    return was_done


def run(root: Path, storage: FaultyStorage, preallocate: bool = False) -> None:
    log = opened(root, storage, preallocate=preallocate)
    assert log.compact() is not None
    log._clock.sleep(5000)  # type: ignore[attr-defined]
    log.close()


@pytest.mark.parametrize("preallocate", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_death_before_every_step(tmp_path: Path, preallocate: bool) -> None:
    root, seen = tmp_path / "run", list[tuple[Step, Picture]]()
    put_back(built(preallocate), root)
    storage = FaultyStorage()
    storage.before_step = lambda step: seen.append((step, picture(root)))
    run(root, storage, preallocate)
    storage.close_all()
    names = {Path(step.name).suffix for step, _ in seen if step.operation == "rename"}
    assert names >= {".cleaned", ".log", ".swap"}, names
    done = set[bool]()
    befores = [Picture(), *(shown for _, shown in seen)]
    changes = [now for before, now in zip(befores, seen, strict=False) if now[1] != before]
    for step, shown in every(6, changes):
        with told(step):
            put_back(shown, tmp_path / str(step.number))
            done.add(judge(tmp_path / str(step.number), preallocate))
    assert done == {False, True}


def test_death_in_the_middle_of_writes(tmp_path: Path) -> None:
    put_back(built(), tmp_path / "run")
    counting = FaultyStorage()
    run(tmp_path / "run", counting)
    counting.close_all()
    writes = [step for step in counting.trace if step.operation == "write" and ".cleaned" in step.name]
    assert len(writes) > 5
    for step in writes:
        with told(step):
            root = tmp_path / str(step.number)
            put_back(built(), root)
            storage = FaultyStorage(Fault(step.number, None, torn=True))
            with pytest.raises(Death):
                run(root, storage)
            storage.close_all()
            assert not judge(root) or step.number > writes[0].number


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_loss_of_power_before_every_step(tmp_path: Path, seed: int) -> None:
    root, states = tmp_path / "run", list[tuple[Step, Picture]]()
    put_back(built(), root)
    storage, random = ForgetfulStorage(root), Random(seed)
    storage.before_step = lambda step: states.append((step, storage.crash(Random(random.getrandbits(32)))))
    run(root, storage)
    assert storage.seen() == picture(root), "the engine changes the disk past its storage"
    storage.close_all()
    done = set[bool]()
    for step, shown in every(6, states):
        with told(step):
            put_back(shown, tmp_path / str(step.number))
            done.add(judge(tmp_path / str(step.number)))
    assert done == {False, True}


def test_an_error_of_the_disk_while_the_new_segment_is_written_leaves_the_log(tmp_path: Path) -> None:
    """Before the swap nothing of the log was changed: it goes on, and the next compaction does its work."""
    put_back(built(), tmp_path / "run")
    counting = FaultyStorage()
    run(tmp_path / "run", counting)
    counting.close_all()
    before = expected()[0]
    steps = [step for step in counting.trace if step.name.endswith(".cleaned") and step.operation != "rename"]
    for step in steps[::4]:
        with told(step):
            root = tmp_path / str(step.number)
            put_back(built(), root)
            storage = FaultyStorage(Fault(step.number))
            log = opened(root, storage)
            if step.operation == "unlink":  # of what an earlier compaction may have left
                continue
            with pytest.raises(OSError, match="Input/output error"):
                log.compact()
            assert not log.has_failed and not log.is_being_compacted
            assert not [path for path in log.path.iterdir() if path.name.endswith(".cleaned")]
            assert log.append([(b"k0", b"new")]) > before[-1].offset
            assert log.compact(force=True) is not None
            left(log)


def test_an_error_of_the_disk_during_the_swap_makes_the_log_fail(tmp_path: Path) -> None:
    put_back(built(), tmp_path / "run")
    counting = FaultyStorage()
    run(tmp_path / "run", counting)
    counting.close_all()
    renames = [step for step in counting.trace if step.operation == "rename" and step.name.endswith((".swap", ".log"))]
    assert renames
    for step in renames[:4]:
        with told(step):
            root = tmp_path / str(step.number)
            put_back(built(), root)
            storage = FaultyStorage(Fault(step.number))
            log = opened(root, storage)
            with pytest.raises(OSError, match="Input/output error"):
                log.compact()
            assert log.has_failed
            with pytest.raises(WriterFailedError):
                log.append([(b"k", b"v")])
            left(log)
            judge(root)


ROOMS = (log_module, log_internals, log_guard, log_appender, local_log, log_search, root, sealed_segments, cleaner)
WATCHED = {module.__file__ for module in ROOMS}


@pytest.mark.parametrize("part", [pytest.param(0, id="some"), pytest.param(1, id="rest", marks=pytest.mark.slow)])
def test_an_interrupted_compaction(tmp_path: Path, part: int) -> None:
    """Wherever it comes: the log goes on, or has failed and closes; all records are there when it is opened again."""
    before, after, end = expected()
    put_back(built(), tmp_path / "first")
    found: dict[Place, None] = {}
    first = opened(tmp_path / "first")
    with tracing(lambda place: found.setdefault(place), WATCHED):
        first.compact()
    left(first)
    assert len(found) > 100
    outcomes = set[bool]()
    for number, place in enumerate(found):
        if (number % 20 == 0) != (part == 0):
            continue
        root, done = tmp_path / str(number), list[Place]()
        put_back(built(), root)
        log = opened(root)

        def raise_once(here: Place, place: Place = place, done: list[Place] = done) -> None:
            if here == place and not done:
                done.append(here)
                raise KeyboardInterrupt

        with told(place):
            with pytest.raises(KeyboardInterrupt), tracing(raise_once, WATCHED):
                log.compact()
            outcomes.add(log.has_failed)
            if not log.has_failed:
                with suppress(WriterFailedError):  # it is found out now that a change was interrupted
                    assert log.compact(force=True) is not None or list(log.records(include_control=True)) == after
            left(log)
            judge(root)
    assert outcomes == {False, True} and before and end
