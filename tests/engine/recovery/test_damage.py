"""What recovery makes of damage beyond Kafka's tests: losses, leaps, splits, leader epochs, folders of old brokers."""

from __future__ import annotations

import os
import shutil
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat import iter_batches
from kformat.errors import ChecksumError, DataError
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.files.file_kinds import file_name, parse_folder_name
from kformat_engine import Log, LogConfig, Root, errors
from kformat_engine.errors import DamagedLogError
from kformat_engine.recovery.opening import examine_folder
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from tests.damages_legacy import inner, wrapper
from tests.engine.building import batch
from tests.engine.faults import Death, FaultyStorage, Step
from tests.engine.logs import Stage, append_each, record
from tests.samples import ROOT as SAMPLES

SMALL: dict[str, Any] = {"segment_bytes": 2000, "index_interval_bytes": 300}


def filled(stage: Stage, count: int = 40, **settings: int) -> list[int]:
    """A log that was closed in order, a record of a hundred bytes to a batch; its base offsets."""
    with stage.open(**{**SMALL, **settings}) as log:
        for number in range(count):
            log.append([record(b"%06d" % number + b"v" * 100)])
        return [segment.base_offset for segment in log.segments]


def told(log: Log) -> set[tuple[str, str]]:
    return {(finding.file, finding.row.name) for finding in log.report}


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
    damaged[-4:] = bytes(4)
    rest = damaged + wrapper(25, *(inner(number, 0) for number in range(6)), magic=0)
    (stage.path / file_name(0, "log")).write_bytes(good + rest)
    log = stage.open(mode="salvage")
    assert [one.offset for one in log] == list(range(10))
    assert b"".join(path.read_bytes() for path in log.report.kept_aside) == rest


def test_damage_after_a_clean_shutdown_of_which_no_checkpoint_speaks_is_refused(stage: Stage) -> None:
    filled(stage, 20, segment_bytes=1 << 20)
    path = stage.path / file_name(0, "log")
    data = bytearray(path.read_bytes())
    data[-200:-190] = bytes(10)
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


SPARSE = LogConfig(index_interval_bytes=100)


def filled_folder(folder: Path, appends: int = 20) -> int:
    """A log that was closed in order, with index entries for most of its batches; where its 11th batch begins."""
    position = 0
    with Log.open(folder, SPARSE) as log:
        for number in range(appends):
            if number == appends // 2:
                position = log.size_bytes
            log.append([{"value": bytes(30), "timestamp": 1_700_000_000_000 + number} for _ in range(3)])
    return position


@pytest.mark.parametrize("where", ["nothing", "half"])
def test_a_closed_log_that_lost_batches_is_not_taken_for_a_truncated_one(tmp_path: Path, where: str) -> None:
    """Its indexes speak of them; both are made anew where the loss is accepted, so that the log can go on."""
    folder = tmp_path / "lost-0"
    position = filled_folder(folder) if where == "half" else filled_folder(folder) * 0
    os.truncate(folder / f"{0:020d}.log", position)
    with pytest.raises(DamagedLogError, match="synced records are missing"):
        Log.open(folder, SPARSE)
    with Log.open(folder, SPARSE, mode="salvage") as log:
        assert log.end_offset == (30 if position else 0)
        for number in range(5):
            log.append([{"value": b"again", "timestamp": 1_600_000_000_000 + number}])
        assert len(list(log.records())) == log.end_offset
    assert [finding for finding in kformat.check(folder) if finding.severity == "error"] == []


def test_a_closed_log_without_any_segment_is_not_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "gone-0"
    filled_folder(folder)
    (folder / f"{0:020d}.log").unlink()
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(DamagedLogError, match="synced records are missing"):
        Log.open(folder, SPARSE)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_changed_bit_that_recovery_did_not_look_at_is_told_by_reading(tmp_path: Path) -> None:
    folder = tmp_path / "changed-0"
    position = filled_folder(folder)
    path = folder / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[position - 1] ^= 1
    path.write_bytes(data)
    with Log.open(folder, SPARSE) as log:
        offsets: list[int] = []
        with pytest.raises(ChecksumError) as caught:
            for record in log.records():
                offsets.append(record.offset)
        assert caught.value.path == "record_batch.crc" and offsets == list(range(27))
        assert [record.offset for record in log.records(30)] == list(range(30, 60))


@pytest.mark.parametrize("byte", [3, 5])
@pytest.mark.parametrize("clean", [True, False])
def test_a_base_offset_that_leaps_is_damage(tmp_path: Path, clean: bool, byte: int) -> None:
    """No checksum covers it. The batches behind it were synced: they are not cut, and the log does not end far off.
    Those around it say what it was.

    With byte 3 it does not fit the segment any more, which is not to be split for it; with byte 5 it does.
    """
    folder = tmp_path / "leaps-0"
    position = filled_folder(folder)
    path = folder / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[position + byte] ^= 4
    path.write_bytes(data)
    if clean:
        (folder / f"{0:020d}.index").unlink()
    else:
        (tmp_path / CLEAN_MARKER).unlink()
    with pytest.raises(DamagedLogError, match="the damage is below the recovery point") as caught:
        Log.open(folder, SPARSE)
    assert caught.value.position == position and path.read_bytes() == data
    with Log.open(folder, SPARSE, mode="salvage") as log:
        assert log.end_offset == 60
        assert [record.offset for record in log.records()] == list(range(60))


def sample(name: str, root: Path, *, is_clean: bool = True) -> Path:
    release, folder = name.split("/")
    shutil.copytree(SAMPLES / release / folder, root / folder)
    shutil.copy(SAMPLES / release / RECOVERY_POINTS, root)
    if is_clean:
        (root / CLEAN_MARKER).touch()
    return root / folder


@pytest.mark.parametrize("is_clean", [True, False])
def test_an_empty_time_index_beside_wrappers_is_made_anew(tmp_path: Path, is_clean: bool) -> None:
    """Whether there should be an entry was asked of a wrapper that was not allowed to inflate."""
    folder = sample("0.10.2.2/broker-lz4-0", tmp_path, is_clean=is_clean)
    index = folder / file_name(0, "timeindex")
    index.write_bytes(b"")
    with Log.open(folder) as log:
        assert sum(1 for _ in log) == log.end_offset == 180
    assert index.stat().st_size


def test_a_damaged_log_next_to_a_damaged_transaction_index_is_salvaged(tmp_path: Path) -> None:
    """Fuzzing found it: the log was replaced half way when the index could not be read."""
    folder = sample("4.3.1/transactions-0", tmp_path)
    log = max(folder.glob("*.log"), key=lambda path: path.stat().st_size)
    data = bytearray(log.read_bytes())
    data[400:440] = bytes(40)
    log.write_bytes(data)
    index = log.with_suffix(".txnindex")
    entries = bytearray(index.read_bytes())
    entries[: len(entries) // 2] = entries[len(entries) // 2 :][: len(entries) // 2]
    index.write_bytes(entries[::-1])
    with Log.open(folder, mode="salvage") as opened:
        assert opened.end_offset > 100
    assert [one.rule for one in kformat.check(folder) if one.severity == "error" and one.rule < "KF06"] == []


def test_sound_wrappers_behind_damage_stay(tmp_path: Path) -> None:
    folder = sample("0.10.2.2/broker-lz4-0", tmp_path, is_clean=False)
    batches = list(iter_batches(folder / file_name(0, "log")))
    damaged = batches[len(batches) // 2]
    path = folder / file_name(0, "log")
    data = bytearray(path.read_bytes())
    data[damaged.position + damaged.size - 20 : damaged.position + damaged.size] = bytes(20)
    path.write_bytes(data)
    with Log.open(folder, mode="salvage") as log:
        assert [one.base_offset for one in log.segments] == [0]
        lost = range(damaged.base_offset, damaged.last_offset + 1)
        assert [one.offset for one in log] == [number for number in range(180) if number not in lost]


@pytest.mark.parametrize("name", ["0.10.2.2/broker-lz4-0", "4.3.1/rolled-by-bytes-0"])
def test_an_index_that_is_trusted_may_name_no_position(tmp_path: Path, name: str) -> None:
    folder = sample(name, tmp_path)
    index = folder / file_name(0, "index")
    index.write_bytes(b"\xff" * index.stat().st_size)
    with Log.open(folder, mode="kafka") as log:
        assert [one.offset for one in log.records(50)] == list(range(50, log.end_offset))
