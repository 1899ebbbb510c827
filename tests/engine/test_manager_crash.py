"""What a manager finds after a crash at every step of `move`, `delete_partition` and `create_partition`, and after a
disk that failed there: each partition once, with all its records, and nothing left over."""

from __future__ import annotations

import errno
import itertools
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from kformat.errors import KformatError
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat_engine import LogConfig, LogManager
from kformat_engine.errors import LogDirOfflineError
from tests.draws import every
from tests.engine.faults import Death, Fault, FaultyStorage, ForgetfulStorage, Picture, Step, picture, put_back
from tests.engine.manual import ManualClock, ManualScheduler

pytestmark = pytest.mark.drawn

CONFIG = LogConfig(segment_bytes=300, index_interval_bytes=0, segment_index_bytes=96)
COUNT = 5
VALUES = [b"%05d" % number * 10 for number in range(COUNT)]
START = 3  # of the log, inside of a segment


class Disks:
    """Two directories, with one partition in the first."""

    def __init__(self, path: Path, storage: FaultyStorage) -> None:
        self.path, self.storage, self.clock = path, storage, ManualClock(1_700_000_000_000)
        path.mkdir(exist_ok=True)

    def open(self, *names: str) -> LogManager:
        return LogManager.open(
            [self.path / name for name in names or ("a", "b")],
            CONFIG,
            clock=self.clock,
            storage=self.storage,
            scheduler=lambda folder: ManualScheduler(self.clock),
        )

    def fill(self) -> None:
        with self.open() as manager:
            log = manager.create_partition("orders", 0)
            manager.create_partition("other", 0).append([b"another"])
            for number, value in enumerate(VALUES):
                log.append([{"value": value, "timestamp": number + 1}])
            log.delete_records_before(START)


def move(manager: LogManager) -> None:
    manager.move("orders", 0, manager.directories[1])


def delete(manager: LogManager) -> None:
    manager.delete_partition("orders", 0)


def create(manager: LogManager) -> None:
    manager.create_partition("orders", 1, directory=manager.directories[1])


WORK: dict[str, Callable[[LogManager], None]] = {"move": move, "delete": delete, "create": create}


def steps_of(path: Path, work: Callable[[LogManager], None]) -> list[tuple[Step, Picture]]:
    """What lies on both disks before each step of some work, and of the closing after it."""
    seen: list[tuple[Step, Picture]] = []
    disks = Disks(path, FaultyStorage())
    disks.fill()
    manager = disks.open()
    disks.storage.before_step = lambda step: seen.append((step, picture(path)))
    work(manager)
    manager.close()
    disks.storage.close_all()
    return seen


def judge(path: Path, what: str, *, append: bool = True) -> None:
    """Open the manager on what is there, and look; a second time, too."""
    end = COUNT
    for _ in range(2):
        disks = Disks(path, FaultyStorage())
        with disks.open() as manager:
            assert not manager.refused and not manager.offline
            places = [place for place in manager.partitions() if place.topic == "orders" and place.partition == 0]
            assert len(places) == 1 or (what == "delete" and not places)
            assert [record.value for record in manager.log("other", 0)] == [b"another"]
            if places:
                log = manager.log("orders", 0)
                assert (log.log_start_offset, log.end_offset) == (START, end)
                values = [record.value for record in log]
                assert values[: COUNT - START] == VALUES[START:] and len(values) == end - START
                if append:
                    log.append([b"more"])
                    end += 1
            states = {
                name.state
                for folder in manager.directories
                for entry in folder.iterdir()
                if (name := parse_folder_name(entry.name)) is not None
            }
            assert states == {""}
            assert not list(path.glob("*/*/move-*"))
        disks.storage.close_all()


@pytest.mark.parametrize("what", WORK)
def test_death_before_every_step(tmp_path: Path, what: str) -> None:
    seen = steps_of(tmp_path / "first", WORK[what])
    assert len(seen) > 8
    different = [after for before, after in itertools.pairwise([(None, {}), *seen]) if after[1] != before[1]]
    for step, shown in every(2, different):
        try:
            path = tmp_path / "first"
            shutil.rmtree(path)
            put_back(shown, path)
            judge(path, what)
        except BaseException as error:
            error.add_note(f"at {step}")
            raise


def test_after_a_crash_one_directory_alone_loses_nothing(tmp_path: Path) -> None:
    """Whichever is opened first by itself: then both have each record once, or say what is the matter."""
    seen = [one for one in steps_of(tmp_path / "first", move) if one[0].operation in ("rename", "sync_directory")]
    for _, shown in every(2, seen):
        for name in ("a", "b"):
            path = tmp_path / "first"  # an interrupted move ends where it began
            shutil.rmtree(path)
            put_back(shown, path)
            disks, end = Disks(path, FaultyStorage()), COUNT
            with disks.open(name) as manager:
                if ("orders", 0) in manager:
                    manager.log("orders", 0).append([b"more"])
                    end += 1
                elif manager.refused:
                    with pytest.raises(LogDirOfflineError, match="is a whole copy of"):
                        manager.log("orders", 0)
            with disks.open() as manager:
                log = manager.log("orders", 0)
                assert log.end_offset == end and [one.value for one in log][: COUNT - START] == VALUES[START:]
            disks.storage.close_all()


@pytest.mark.parametrize("what", WORK)
def test_an_error_at_every_second_or_third_step(tmp_path: Path, what: str) -> None:
    """One directory is offline then, and the other goes on; opened again, everything is there."""
    seen = steps_of(tmp_path / "first", WORK[what])
    first = seen[0][0].number
    for step, _ in every(3, seen[:: 2 if what == "move" else 3]):
        path = tmp_path / str(step.number)
        try:
            disks = Disks(path, FaultyStorage())
            disks.fill()
            manager = disks.open()
            assert len(disks.storage.trace) + 1 == first
            disks.storage.fault = Fault(step.number, errno.EIO)
            with suppress(OSError, KformatError):
                WORK[what](manager)
            disks.storage.fault = None
            if manager.offline:
                assert len(manager.offline) == 1
                with pytest.raises((LogDirOfflineError, KformatError)):
                    manager.create_partition("new", 0)
                assert manager.create_partition("new", 0, is_new=True).append([b"value"]) == 0
            with suppress(OSError, KformatError):
                manager.close()
            assert manager.is_closed
            disks.storage.close_all()
            judge(path, what, append=False)
        except BaseException as error:
            error.add_note(f"at {step}")
            raise


@pytest.mark.parametrize("what", ["move", "delete"])
def test_loss_of_power_at_every_second_or_third_step(tmp_path: Path, what: str) -> None:
    """What was synced is there, and names of files only if their folder was; each step leaves one state, drawn."""
    path, left = tmp_path / "first", list[tuple[Step, Picture]]()
    Disks(path, FaultyStorage()).fill()
    disks = Disks(path, storage := ForgetfulStorage(path))
    manager = disks.open()
    storage.before_step = lambda step: left.append((step, storage.crash(Random(step.number))))
    WORK[what](manager)
    manager.close()
    storage.close_all()
    for step, shown in every(2, left[:: 2 if what == "move" else 3]):
        try:
            shutil.rmtree(path)
            put_back(shown, path)
            judge(path, what, append=False)
        except BaseException as error:
            error.add_note(f"at {step}")
            raise


def test_death_of_the_running_process_at_every_fifth_step(tmp_path: Path) -> None:
    seen = steps_of(tmp_path / "first", move)
    for step, _ in every(2, seen[::5]):
        path = tmp_path / str(step.number)
        disks = Disks(path, FaultyStorage())
        disks.fill()
        manager = disks.open()
        disks.storage.fault = Fault(step.number, None, torn=True)
        with pytest.raises(Death):
            move(manager)
            manager.close()
        disks.storage.close_all()
        judge(path, "move")
