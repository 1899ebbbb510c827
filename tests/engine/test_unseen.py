"""What folders of brokers that nobody here had seen brought to light; each is small, and was once wrong."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import kformat
from kformat.errors import ChecksumError
from kformat.integers import MAX_INT64
from kformat_engine import Log, LogConfig
from kformat_engine.errors import DamagedLogError
from kformat_engine.root import CLEAN_MARKER
from kformat_engine.scheduler import ThreadScheduler

SMALL = LogConfig(index_interval_bytes=100)


def test_a_task_that_is_due_in_292_million_years_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """`flush.messages` without `flush.ms` schedules such a one; the thread that waited for it died."""
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: died.append(arguments.exc_value))
    ran = threading.Event()
    scheduler = ThreadScheduler()
    scheduler.schedule("flush", died.clear, MAX_INT64)
    for thread in [thread for thread in threading.enumerate() if thread.name == "kformat-scheduler"]:
        thread.join(0.05)  # time to begin to wait
    scheduler.schedule("delete", ran.set, 1)
    assert ran.wait(10)
    scheduler.close()
    assert died == []


def filled(folder: Path, appends: int = 20) -> int:
    """A log that was closed in order, with index entries for most of its batches; where its 11th batch begins."""
    position = 0
    with Log.open(folder, SMALL) as log:
        for number in range(appends):
            if number == appends // 2:
                position = log.size_bytes
            log.append([{"value": bytes(30), "timestamp": 1_700_000_000_000 + number} for _ in range(3)])
    return position


@pytest.mark.parametrize("where", ["nothing", "half"])
def test_a_closed_log_that_lost_batches_is_not_taken_for_a_truncated_one(tmp_path: Path, where: str) -> None:
    """Its indexes speak of them; both are made anew where the loss is accepted, so that the log can go on."""
    folder = tmp_path / "lost-0"
    position = filled(folder) if where == "half" else filled(folder) * 0
    os.truncate(folder / f"{0:020d}.log", position)
    with pytest.raises(DamagedLogError, match="what had been synced is not there"):
        Log.open(folder, SMALL)
    with Log.open(folder, SMALL, mode="salvage") as log:
        assert log.end_offset == (30 if position else 0)
        for number in range(5):
            log.append([{"value": b"again", "timestamp": 1_600_000_000_000 + number}])
        assert len(list(log.records())) == log.end_offset
    assert [finding for finding in kformat.check(folder) if finding.severity == "error"] == []


def test_a_closed_log_without_any_segment_is_not_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "gone-0"
    filled(folder)
    (folder / f"{0:020d}.log").unlink()
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(DamagedLogError, match="what had been synced is not there"):
        Log.open(folder, SMALL)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_changed_bit_that_recovery_did_not_look_at_is_told_by_reading(tmp_path: Path) -> None:
    folder = tmp_path / "changed-0"
    position = filled(folder)
    path = folder / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[position - 1] ^= 1
    path.write_bytes(data)
    with Log.open(folder, SMALL) as log:
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

    With byte 3 it does not fit the segment any more, which is not to be split for it; with byte 5 it does.
    """
    folder = tmp_path / "leaps-0"
    position = filled(folder)
    path = folder / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[position + byte] ^= 4
    path.write_bytes(data)
    if clean:
        (folder / f"{0:020d}.index").unlink()
    else:
        (tmp_path / CLEAN_MARKER).unlink()
    with pytest.raises(DamagedLogError, match="the damage lies below the recovery point") as caught:
        Log.open(folder, SMALL)
    assert caught.value.position == position and path.read_bytes() == data
    with Log.open(folder, SMALL, mode="salvage") as log:
        assert log.end_offset == 60
        assert [record.offset for record in log.records()] == [*range(30), *range(33, 60)]
