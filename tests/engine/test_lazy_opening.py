"""After a clean shutdown sealed segments are looked at when they are used, and few files have a descriptor at once."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from kformat.kafka.files.file_kinds import file_name
from kformat_engine import Log, LogConfig, storage
from kformat_engine.errors import DamagedLogError
from kformat_engine.recovery import opening
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import Stage

CONFIG = LogConfig(segment_bytes=400, index_interval_bytes=0, segment_index_bytes=96)
COUNT = 40


def value(number: int) -> bytes:
    return b"%05d" % number * 10


def written(stage: Stage, count: int = COUNT) -> list[int]:
    """Make a log of several segments, closed in order; its base offsets."""
    with stage.open(config=CONFIG) as log:
        for number in range(count):
            log.append([{"value": value(number), "timestamp": number}])
        found = [segment.base_offset for segment in log.segments]
    assert len(found) > 8
    return found


def test_nothing_of_sealed_segments_is_read_before_they_are_used(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    found = written(stage)
    looked_at: list[int] = []
    examine = opening.examine_segment

    def counted(folder: Path, base_offset: int, *rest: object) -> None:
        looked_at.append(base_offset)
        examine(folder, base_offset, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("kformat_engine.sealed_segments.examine_segment", counted)
    with stage.open(config=CONFIG) as log:
        assert (log.end_offset, log.segment_count, log.size_bytes > 0) == (COUNT, len(found), True)
        log.append([b"more"])
        assert looked_at == []
        assert next(iter(log.read(found[3]).batches())).base_offset == found[3]
        assert looked_at == [found[3]]
        assert [record.offset for record in log] == list(range(COUNT + 1))
        assert sorted(looked_at) == found[:-1]
        log.offset_for_timestamp(3)
        assert len(looked_at) == len(found) - 1


def test_all_of_it_is_looked_at_at_once_on_request(stage: Stage) -> None:
    found = written(stage)
    index = stage.path / file_name(found[2], "index")
    index.write_bytes(b"\xff" * 8)
    with stage.open(config=CONFIG) as log:
        assert not log.report.changes
    with stage.open(config=CONFIG, verify=True) as log:
        assert [finding.file for finding in log.report.changes] == [index.name]


@pytest.mark.parametrize("suffix", ["index", "timeindex"])
def test_an_unsound_index_is_rebuilt_when_it_is_used(stage: Stage, suffix: str) -> None:
    found = written(stage)
    index = stage.path / file_name(found[2], suffix)
    before = index.read_bytes()
    index.write_bytes(b"\xff" * len(before))
    with stage.open(config=CONFIG) as log:
        assert index.read_bytes() != before
        assert [record.value for record in log] == [value(number) for number in range(COUNT)]
        assert log.offset_for_timestamp(found[2]) == (found[2], found[2], 0)
    assert index.read_bytes() == before


def test_a_damaged_segment_is_refused_when_it_is_used_and_the_others_are_read(stage: Stage) -> None:
    found = written(stage)
    for suffix, kept in (("log", 30), ("index", 8)):
        path = stage.path / file_name(found[2], suffix)
        path.write_bytes(path.read_bytes()[:kept])
    with stage.open(config=CONFIG) as log:
        for _ in range(2):
            with pytest.raises(DamagedLogError, match=file_name(found[2], "log")):
                log.read(found[2])
        assert len(log.read(found[3])) and len(log.read(0)) and not log.has_failed
    with pytest.raises(DamagedLogError):
        stage.open(config=CONFIG, verify=True)


@pytest.mark.parametrize("lost", ["index", "timeindex"])
def test_a_missing_index_is_noticed_at_once(stage: Stage, lost: str) -> None:
    found = written(stage)
    (stage.path / file_name(found[2], lost)).unlink()
    with stage.open(config=CONFIG) as log:
        assert [finding.file for finding in log.report.changes] == [file_name(found[2], lost)]


# Descriptors


def descriptors_of(folder: Path) -> int:
    """How many descriptors of this process are of files below a folder."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{name}").startswith(str(folder))
        except OSError:
            pass
    return found


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    most = 8
    monkeypatch.setattr(storage, "most_descriptors", lambda: most)
    return most


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_logs_in_threads_share_few_descriptors(tmp_path: Path, few: int) -> None:
    logs = [Log.open(tmp_path / f"orders-{number}", CONFIG) for number in range(9)]
    failures: list[BaseException] = []

    def work(log: Log) -> None:
        try:
            for number in range(20):
                log.append([{"value": value(number), "timestamp": number}])
                assert log.read(number // 2).batches()
            assert [record.value for record in log] == [value(number) for number in range(20)]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(log,)) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    # The root's lock; and of what is being opened in several threads, one more each.
    assert descriptors_of(tmp_path) <= few + 1 + len(threads)
    for log in logs:
        log.truncate_to(10)
        assert [record.offset for record in log] == list(range(10))
    for log in logs:
        log.close()
    assert descriptors_of(tmp_path) == 0


def test_an_error_of_the_disk_is_kept_with_a_file_that_gave_up_its_descriptor(tmp_path: Path) -> None:
    """A sync that fails says so once: another descriptor of the file would know nothing of it."""

    disk = FaultyStorage()
    file = disk.open(tmp_path / "file", create=True)
    file.write_at(b"data", 0)
    disk.fault = Fault(len(disk.trace) + 1)
    file.give_up()
    disk.fault = None
    for _ in range(2):
        with pytest.raises(OSError):
            file.write_at(b"more", 4)
    file.close()
    again = disk.open(tmp_path / "file")
    again.give_up()
    assert again.read_at(0, 4) == b"data"
    again.close()
    with pytest.raises(OSError):
        again.read_at(0, 4)
