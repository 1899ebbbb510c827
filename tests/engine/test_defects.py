"""What a reading of the engine's code found wrong, one test each: appends, opening, durability, descriptors, reads."""

from __future__ import annotations

import errno
import math
import os
import resource
import signal
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kformat.errors import DataError, UsageError
from kformat.kafka.file_kinds import file_name, parse_folder_name
from kformat.kafka.framing import HEADER_BYTES
from kformat.kafka.log_reader import LogReader
from kformat_engine import Log, LogConfig, Root, errors
from kformat_engine.index import OffsetIndex
from kformat_engine.recovery import examine_folder
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from kformat_engine.scheduler import ManualClock, ManualScheduler, ThreadScheduler
from kformat_engine.storage import File
from tests.damages import patched
from tests.damages_legacy import inner, wrapper
from tests.engine.building import batch
from tests.engine.faults import Death, Fault, FaultyStorage, ForgetfulStorage, Step
from tests.engine.logs import Stage, append_each, record

# --- appends -------------------------------------------------------------------------------------------------------


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


def test_a_log_cannot_start_beyond_int64(stage: Stage) -> None:
    log = stage.open()
    log.append([b"value"])
    with pytest.raises(UsageError, match="from 0 to 9223372036854775807"):
        log.truncate_fully_and_start_at(2**63)
    assert [one.value for one in log] == [b"value"]
    log.truncate_fully_and_start_at(2**63 - 1)
    with pytest.raises(errors.OffsetOrderError):
        log.append([b"no offset is left"])
    log.close()
    assert stage.open().end_offset == 2**63 - 1


def test_a_refusal_behind_a_change_makes_the_log_fail(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that was closed refuses too late: the batch is written."""
    log = stage.open(flush_ms=1000)
    stage.scheduler.close()
    with pytest.raises(UsageError, match="the scheduler is closed"):
        log.append([b"value"])
    assert log.has_failed
    with pytest.raises(errors.WriterFailedError):
        log.append([b"value"])


# --- opening -------------------------------------------------------------------------------------------------------


def test_a_refused_root_gets_no_folder(tmp_path: Path) -> None:
    """A broker that holds the root would take an empty folder for a partition, and call it stray."""
    with Root.open(tmp_path / "root") as root:
        with pytest.raises(errors.RootLockedError):
            Log.open(tmp_path / "root" / "new-0")
        with pytest.raises(UsageError, match="topic"):
            Log.open(tmp_path / "root" / "no topic-0", root=root)
    assert not list((tmp_path / "root").glob("*-0"))


def test_a_leader_epoch_does_not_go_back_by_opening(stage: Stage) -> None:
    """Batches of an earlier epoch would take the later ones out of the leader epochs."""
    with stage.open(leader_epoch=5) as log:
        log.append([b"of epoch 5"])
    for epoch in (4, -1, -7, 2**31):
        with pytest.raises(UsageError, match="leader epoch"):
            stage.open(leader_epoch=epoch)
    with stage.open() as log:
        assert (log.leader_epoch, log.leader_epochs, log.end_offset) == (5, ((5, 0),), 1)
        assert not log.report.changes, "it was closed in order"
        with pytest.raises(UsageError, match="leader epoch 2147483648 is above"):
            log.leader_epoch = 2**31


def test_a_refused_log_gets_no_topic_id(stage: Stage) -> None:
    with stage.open() as log:
        log.append([b"value"])
    (stage.root / CLEAN_MARKER).unlink()
    (stage.path / file_name(0, "log")).unlink()
    with pytest.raises(errors.DamagedLogError):
        stage.open(topic_id="AAAAAAAAAAAAAAAAAAAAAQ")
    assert not (stage.path / "partition.metadata").exists()


def test_opening_that_fails_leaves_no_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "orders-0"
    with Log.open(path) as log:
        log.append([b"value"])
    before = descriptors()
    failures = 0
    for at in range(1, 100):
        storage = FaultyStorage(Fault(at, errno.ENOSPC))
        try:
            log = Log.open(path, storage=storage)
        except OSError:
            failures += 1
            assert descriptors() == before, at
        else:
            storage.fault = None
            log.close()
            break
    assert failures > 5


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))


# --- durability ----------------------------------------------------------------------------------------------------


def test_what_was_appended_anew_while_the_old_was_synced_is_not_taken_for_synced(stage: Stage) -> None:
    """The recovery point moved up to the roll's offset although a truncation came between, and other records."""

    def cut_and_append(step: Step) -> None:
        if step.operation == "sync" and step.name == file_name(0, "log"):
            storage.before_step = None
            log.truncate_to(50)
            for _ in range(60):
                log.append([b"new"])

    storage = FaultyStorage()
    log = stage.open(storage=storage)
    for _ in range(100):
        log.append([b"old"])
    log.roll()
    storage.before_step = cut_and_append
    stage.sleep(0)
    assert (log.end_offset, log.recovery_point) == (110, 0)
    log.roll()
    stage.sleep(0)
    assert log.recovery_point == 110


def test_a_beginning_further_on_that_dies_gives_no_offset_twice(tmp_path: Path) -> None:
    """An empty log at offset 0 was left where the segments had gone and the new one had not come."""
    for at in range(1, 60):
        path = tmp_path / str(at) / "orders-0"
        storage = FaultyStorage()
        log = Log.open(path, storage=storage, scheduler=ManualScheduler(ManualClock()))
        log.append([b"a", b"b", b"c"])
        storage.fault = Fault(len(storage.trace) + at, None)
        try:
            log.truncate_fully_and_start_at(5000)
        except Death:
            log.root.abandon()
            storage.close_all()
            with Log.open(path, storage=FaultyStorage()) as again:
                assert again.end_offset in (3, 5000), at
        else:
            assert at > 5
            storage.fault = None
            log.close()
            return
    raise AssertionError("it never came to its end")


def test_a_truncation_is_on_disk_before_anything_is_appended_in_its_place(tmp_path: Path) -> None:
    """Else old batches may come back behind new ones, when the power goes."""
    storage = ForgetfulStorage(tmp_path)
    path = tmp_path / "orders-0"
    log = Log.open(path, LogConfig(segment_index_bytes=120), storage=storage)
    for _ in range(60):
        log.append([b"o" * 200])
    log.truncate_to(20)
    for _ in range(20):
        log.append([b"n" * 200])
    shown = [storage.crash(Random(seed))[f"orders-0/{file_name(0, 'log')}"] for seed in range(20)]
    log.close()
    size = path.joinpath(file_name(0, "log")).stat().st_size // 40
    assert all(data is not None and b"oooo" not in data[20 * size :] for data in shown)


def test_closing_tells_what_failed_in_the_background(stage: Stage) -> None:
    """Nobody else does: a sync that was due failed, and with it what `interval` promises."""
    storage, failed = FaultyStorage(), []
    scheduler = ManualScheduler(stage.clock, on_error=lambda name, error: failed.append(name))
    log = Log.open(stage.path, LogConfig(flush_ms=100), clock=stage.clock, scheduler=scheduler, storage=storage)
    log.append([b"value"])
    storage.fault = Fault(len(storage.trace) + 1, errno.EIO)
    stage.sleep(100)
    assert failed == ["flush"] and log.has_failed
    with pytest.raises(errors.WriterFailedError):
        log.close()
    log.close()
    assert log.is_closed and not (stage.root / CLEAN_MARKER).exists()


def test_closing_that_fails_ends_the_thread(tmp_path: Path) -> None:
    storage = FaultyStorage()
    log = Log.open(tmp_path / "orders-0", storage=storage)
    log.roll()
    assert any(thread.name == "kformat-scheduler" for thread in threading.enumerate())
    storage.fault = Fault(len(storage.trace) + 1, errno.ENOSPC, stays=True)
    with pytest.raises(OSError):
        log.close()
    assert not any(thread.name == "kformat-scheduler" for thread in threading.enumerate())


# --- descriptors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["flush", "close", "retain", "explain", "max", "roll", "segments"])
def test_many_segments_take_few_descriptors(stage: Stage, what: str) -> None:
    """Where a system lets a process have 1024, a log of 400 segments could not be closed after a crash."""
    config = LogConfig(segment_bytes=100, segment_index_bytes=24, retention_ms=1)
    with stage.open(config=config) as log:
        for number in range(150):
            log.append([{"value": b"x" * 20, "timestamp": number}])
    for name in (CLEAN_MARKER, RECOVERY_POINTS):
        (stage.root / name).unlink()
    log = stage.open(config=config)
    assert log.recovery_point == 0 and len(log.segments) == 150
    most, soft = descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, soft[1]))
    try:
        match what:
            case "flush":
                log.flush()
            case "close":
                log.close()
                assert (stage.root / CLEAN_MARKER).exists()
            case "retain":
                assert len(log.retain()) == 150
            case "explain":
                assert log.offset_for_timestamp(10_000, explain=True).offset is None
            case "max":
                assert log.offset_for_timestamp(-3) == (149, 149, 0)
            case "roll":
                log.roll()
                stage.sleep(0)
                assert log.recovery_point == 150
            case "segments":
                assert [one.time_entry_count for one in log.segments] == [1] * 150
        assert descriptors() < most + 140 and not log.has_failed
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, soft)


# --- reads ---------------------------------------------------------------------------------------------------------


def test_decay_in_a_sealed_segment_is_no_end_of_it(stage: Stage) -> None:
    """Its batches behind the damage were passed over without a word."""
    with stage.open() as log:
        for _ in range(3):
            for _ in range(10):
                log.append([record(b"x" * 50, stage.now_ms)])
            log.roll()
    path = stage.path / file_name(10, "log")
    data = path.read_bytes()
    size = len(data) // 10
    for length in (2**31 - 1, 3):
        path.write_bytes(data[: 4 * size] + patched(data[4 * size :], mend=False, batch_length=length))
        with stage.open() as log:
            found = []
            with pytest.raises(DataError) as caught:
                for one in log:
                    found.append(one.offset)
            assert found == list(range(14)) and caught.value.position is not None
            assert caught.value.source == str(path) and caught.value.position >= 4 * size
            with pytest.raises(DataError):
                log.read(15)
            assert [one.offset for one in log.records(20)] == list(range(20, 30))
            assert not log.has_failed


def test_followers_wait_as_long_as_they_are_told_and_notice_a_truncation(tmp_path: Path) -> None:
    with Log.open(tmp_path / "orders-0") as log:
        log.append([b"old"] * 10)
        follower = log.records(9, follow=True, timeout_s=math.inf)
        assert next(follower).offset == 9
        timer = threading.Timer(0.05, log.truncate_to, (5,))
        timer.start()
        with pytest.raises(errors.OffsetOutOfRangeError) as caught:
            next(follower)
        timer.join()
        assert (caught.value.offset, caught.value.end_offset) == (10, 5)


def test_bytes_read_from_a_log_that_was_closed_are_not_cut_by_the_next(stage: Stage) -> None:
    """A look at them would have been the end of the process."""
    log = stage.open()
    log.append([b"x" * 20_000])
    log.roll()
    log.append([b"y"])
    held = log.read(0).data
    log.close()
    log = stage.open()
    with pytest.raises(errors.SegmentInUseError):
        log.truncate_to(0)
    assert not log.has_failed and b"x" * 20_000 in bytes(held)
    del held
    assert log.truncate_to(0) and log.size_bytes == 0


# --- roots, names, memory ------------------------------------------------------------------------------------------


def test_a_root_whose_lock_file_was_removed_is_not_written_to(stage: Stage) -> None:
    """Another process makes a new one, and is let in."""
    log = stage.open()
    log.append([b"value"])
    (stage.root / ".lock").unlink()
    with pytest.raises(errors.RootLockedError, match="was removed"):
        log.flush()
    assert log.has_failed
    with pytest.raises(errors.RootLockedError):
        log.close()
    assert not (stage.root / CLEAN_MARKER).exists()


def test_a_partition_has_one_name(stage: Stage) -> None:
    """In the checkpoints both would be partition 0."""
    with pytest.raises(UsageError, match="'orders-00' is no partition's folder"):
        stage.open(path=stage.root / "orders-00")


def test_recovering_many_segments_takes_the_memory_of_few(tmp_path: Path) -> None:
    """The headers of all batches of all segments were kept until the end."""
    one = batch(0, b"")
    config = LogConfig(segment_bytes=3000 * len(one), segment_index_bytes=1 << 16)

    def peak(count: int) -> int:
        path = tmp_path / f"orders-{count}"
        with Log.open(path, config) as log:
            for _ in range(count):
                log.append_batches(one * 3000)
        tracemalloc.start()
        try:
            assert examine_folder(path, config, is_clean=False).next_offset == 3000 * count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # what is only made once is made now
    assert peak(10) < 2 * peak(2)


# --- interrupts ----------------------------------------------------------------------------------------------------


def test_an_interrupt_behind_a_truncation_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It came out as an index that was shorter than it should be."""
    index = OffsetIndex(tmp_path / file_name(0, "index"), 0, 80)
    truncate = File.truncate

    def interrupted(file: File, size: int) -> None:
        truncate(file, size)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(File, "truncate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            index.resize(16)
    assert (index.length_bytes, index.max_entry_count) == (16, 2)
    index.append(1, 10)
    assert index.lookup(5) == (0, 1, 10)
    index.close()


def test_an_interrupted_start_of_the_thread_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler, done = ThreadScheduler(), threading.Event()

    def interrupted(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scheduler.schedule("task", done.set)
    scheduler.schedule("task", done.set)
    assert done.wait(10)
    scheduler.close()


# --- forks, leftovers ----------------------------------------------------------------------------------------------


def test_a_forked_child_is_refused_also_while_its_parent_works(stage: Stage) -> None:
    """It waited for ever, for a lock whose holder it does not have."""
    log = stage.open()
    log.append([b"value"])
    holds, done = threading.Event(), threading.Event()

    def work() -> None:
        with log._lock:
            holds.set()
            done.wait(20)

    thread = threading.Thread(target=work)
    thread.start()
    holds.wait(10)
    child = os.fork()
    if not child:
        signal.alarm(10)
        refused = 0
        for call in (lambda: log.append([b"value"]), lambda: log.read(0), log.flush, log.close, log.delete):
            try:
                call()
            except errors.RootLockedError:
                refused += 1
        os._exit(refused)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert log.append([b"value"]) == 1


def test_a_swap_larger_than_any_segment_is_not_read_to_its_end(stage: Stage) -> None:
    """200 GiB of nothing take hours."""
    with stage.open() as log:
        log.append([b"value"])
    path = stage.path / f"{file_name(5, 'log')}.swap"
    path.touch()
    os.truncate(path, 200 << 30)
    begin = time.monotonic()
    with pytest.raises(errors.DamagedLogError):
        stage.open()
    assert time.monotonic() - begin < 10
    path.unlink()
    assert stage.open().end_offset == 1


def test_a_reader_of_a_relative_path_goes_on_elsewhere(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with stage.open() as log:
        for _ in range(3):
            log.append([b"value"] * 3)
            log.roll()
        log.delete_records_before(1)
    monkeypatch.chdir(stage.root.parent)
    with LogReader.open(os.path.join(stage.root.name, stage.path.name)) as reader:
        assert reader.start_offset == 1
        monkeypatch.chdir("/")
        reader.refresh()
        assert [one.offset for one in reader] == list(range(1, 9))


# --- recovery ------------------------------------------------------------------------------------------------------

SMALL: dict[str, Any] = {"segment_bytes": 2000, "index_interval_bytes": 300}


def filled(stage: Stage, count: int = 40, **settings: int) -> list[int]:
    """A log that was closed in order, a record of a hundred bytes to a batch; its base offsets."""
    with stage.open(**{**SMALL, **settings}) as log:
        for number in range(count):
            log.append([record(b"%06d" % number + b"v" * 100)])
        return [segment.base_offset for segment in log.segments]


def told(log: Log) -> set[tuple[str, str]]:
    return {(finding.file, finding.row.name) for finding in log.report}


def test_a_recovery_point_above_the_end_does_not_outlive_the_opening(stage: Stage) -> None:
    """A broker that cut inside of a batch leaves one; what is appended then must survive the next crash."""
    filled(stage, 10)
    name = parse_folder_name(stage.path.name)
    assert name is not None
    with Root.open(stage.root) as root:
        root.set_recovery_point(name.topic, name.partition, 12)
        root.set_high_watermark(name.topic, name.partition, 5)
    root = Root.open(stage.root)
    Log.open(stage.path, root=root, scheduler=stage.scheduler).append([record()])
    root.abandon()
    assert stage.open().end_offset == 11


@pytest.mark.parametrize(("cut", "start"), [(20, 20), (30, 30), (90, 90)])
def test_a_log_that_begins_anew_survives_a_death_without_segments(stage: Stage, cut: int, start: int) -> None:
    filled(stage)
    with stage.open(**SMALL) as log:
        log.delete_records_before(25)
    storage = FaultyStorage(before_step=lambda step: die_at_new_log(step))

    def die_at_new_log(step: Step) -> None:
        if step.operation == "create" and step.name.endswith(".log"):
            raise Death

    root = Root.open(stage.root)
    log = stage.open(root=root, storage=storage, **SMALL)
    with pytest.raises(Death):
        log.truncate_fully_and_start_at(cut)
    root.abandon()
    assert not stage.names(".log")
    again = stage.open(**SMALL)
    assert (again.start_offset, again.end_offset) == (start, start)


def test_a_cut_behind_damage_cuts_nothing(stage: Stage) -> None:
    settings: dict[str, Any] = {"segment_bytes": 2000, "index_interval_bytes": 1 << 20}
    with stage.open(**settings) as log:
        append_each(log, *[b"v" * 100] * 20)
    log = stage.open(**settings)
    with open(stage.path / file_name(0, "log"), "r+b") as file:
        file.seek(len(batch(0, b"v" * 100)))
        file.write(bytes(HEADER_BYTES))
    before = {name: (stage.path / name).read_bytes() for name in stage.names("log")}
    with pytest.raises(DataError):
        log.truncate_to(9)
    assert log.has_failed
    assert {name: (stage.path / name).read_bytes() for name in stage.names("log")} == before


def test_what_is_still_held_of_a_closed_log_is_not_cut_by_recovery(stage: Stage) -> None:
    filled(stage)
    with stage.open(**SMALL) as log:
        held = log.read(0).data
    path = stage.path / file_name(0, "log")
    data = bytearray(path.read_bytes())
    data[700] ^= 1
    path.write_bytes(data[:600])  # the same file, so that the view is of it
    (stage.root / CLEAN_MARKER).unlink()
    (stage.root / RECOVERY_POINTS).unlink()
    with pytest.raises(errors.SegmentInUseError):
        stage.open(**SMALL)
    del held
    assert stage.open(**SMALL).end_offset == 3


def test_an_overflow_behind_the_last_index_entry_of_a_closed_log_is_split(stage: Stage) -> None:
    filled(stage, 5, segment_bytes=1 << 20)
    with open(stage.path / file_name(0, "log"), "ab") as file:
        file.write(batch(2**31 + 77))
    log = stage.open()
    assert [segment.base_offset for segment in log.segments] == [0, 2**31 + 77]
    assert (file_name(0, "log"), "log-overflow") in told(log)


def test_a_split_does_not_take_the_next_segment_s_place(stage: Stage) -> None:
    far = 2**33
    stage.path.mkdir(parents=True)
    (stage.path / file_name(0, "log")).write_bytes(batch(0) + batch(2**31 + 10) + batch(far, b"intruder"))
    mine = b"".join(batch(far + number, b"mine") for number in range(5))
    (stage.path / file_name(far, "log")).write_bytes(mine)
    log = stage.open()
    assert ([segment.base_offset for segment in log.segments], log.end_offset) == ([0, 2**31 + 10], 2**31 + 11)
    assert mine in [path.read_bytes() for path in stage.path.glob("torn-*.bytes")]


@pytest.mark.parametrize(("mode", "count"), [("strict", 0), ("salvage", 1), ("kafka", 4)])
def test_a_batch_that_begins_below_0(stage: Stage, mode: str, count: int) -> None:
    """No checksum covers a base offset."""
    stage.path.mkdir(parents=True)
    below, behind = batch(-3, *[b"%d" % number for number in range(6)]), batch(3)
    (stage.path / file_name(0, "log")).write_bytes(below + behind)
    log = stage.open(mode=mode)
    assert len(list(log.records(0))) == count
    kept = b"".join(path.read_bytes() for path in stage.path.glob("torn-*.bytes"))
    assert kept == {"strict": below + behind, "salvage": below, "kafka": b""}[mode]


def test_offsets_that_go_back_in_a_piece_of_a_split_are_refused_before_anything_is_written(stage: Stage) -> None:
    far = 2**31 + 10
    stage.path.mkdir(parents=True)
    made = b"".join(batch(offset) for offset in (0, far, far + 9, far + 3, far + 4))
    (stage.path / file_name(0, "log")).write_bytes(made)
    with pytest.raises(errors.DamagedLogError, match="the offsets go back"):
        stage.open(mode="kafka", index_interval_bytes=1)
    assert stage.names("") == [file_name(0, "log")]


def test_salvage_keeps_a_wrapper_aside_that_overlaps_the_batches_before_it(stage: Stage) -> None:
    """Its header says its last offset alone."""
    stage.path.mkdir(parents=True)
    good = b"".join(batch(number, b"%d" % number) for number in range(10))
    damaged = bytearray(batch(10, b"damaged"))
    damaged[-1] ^= 1
    rest = damaged + wrapper(25, *(inner(number, 0) for number in range(6)), magic=0)
    (stage.path / file_name(0, "log")).write_bytes(good + rest)
    log = stage.open(mode="salvage")
    assert [one.offset for one in log] == list(range(10))
    assert [path.read_bytes() for path in log.report.kept_aside] == [rest]


def test_damage_after_a_clean_shutdown_of_which_no_checkpoint_speaks_is_refused(stage: Stage) -> None:
    filled(stage, 20, segment_bytes=1 << 20)
    path = stage.path / file_name(0, "log")
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    (stage.root / RECOVERY_POINTS).unlink()
    with pytest.raises(errors.DamagedLogError, match="below the recovery point"):
        stage.open()
    assert len(list(stage.open(mode="salvage"))) == 19


def test_a_link_that_leads_to_itself_is_somebody_else_s(stage: Stage) -> None:
    filled(stage, 4)
    (stage.path / "loop").symlink_to("loop")
    assert ("loop", "foreign") in told(stage.open())


def epochs_lost(stage: Stage, change: str) -> Path:
    with stage.open(**SMALL) as log:
        for number in range(30):
            log.leader_epoch = number // 10 * 3
            log.append([record(b"v" * 100)])
    path = stage.path / "leader-epoch-checkpoint"
    match change:
        case "missing":
            path.unlink()
        case "damaged":
            path.write_bytes(b"0\n1\nx y\n")
        case "stale":
            with open(path, "w") as file:
                file.write("0\n3\n0 0\n3 10\n7 5000\n")
    return path


@pytest.mark.parametrize("change", ["missing", "damaged", "stale"])
@pytest.mark.parametrize("is_clean", [True, False])
def test_leader_epochs_are_found_in_the_log(stage: Stage, change: str, is_clean: bool) -> None:
    epochs_lost(stage, change)
    if not is_clean:
        (stage.root / CLEAN_MARKER).unlink()
    log = stage.open(**SMALL)
    # What a file says that can be read is asked of no segment that recovery does not look at: those below 22.
    last = () if change == "stale" and is_clean else ((6, 22 if change == "stale" else 20),)
    assert log.leader_epochs == ((0, 0), (3, 10), *last)


def test_what_was_done_before_a_split_is_told(stage: Stage) -> None:
    filled(stage, 25)
    stage_log = stage.path / file_name(22, "log")
    with open(stage_log, "ab") as file:
        file.write(batch(2**31 + 77))
    (stage.path / file_name(0, "index")).unlink()
    (stage.path / f"{file_name(0, 'log')}.deleted").write_bytes(b"x")
    (stage.root / CLEAN_MARKER).unlink()
    log = stage.open(**SMALL)
    assert {
        (f"{file_name(0, 'log')}.deleted", "deleted"),
        (file_name(0, "index"), "index-missing"),
        (file_name(22, "log"), "log-overflow"),
    } <= told(log)


def test_zeros_at_the_end_of_an_earlier_segment_take_no_later_one_away(stage: Stage) -> None:
    """The cleaner of 0.10 leaves them in preallocated segments until the log is closed."""
    filled(stage)
    log = stage.path / file_name(11, "log")
    kept = len(batch(0, b"v" * 106)) * 9
    os.truncate(log, kept)
    os.truncate(log, 5000)
    (stage.path / file_name(11, "index")).unlink()
    (stage.root / CLEAN_MARKER).unlink()
    (stage.root / RECOVERY_POINTS).unlink()
    found = stage.open(**SMALL)
    assert (file_name(11, "log"), "log-zeros") in told(found)
    assert [one.offset for one in found] == [offset for offset in range(40) if offset not in (20, 21)]
    assert log.stat().st_size == kept
