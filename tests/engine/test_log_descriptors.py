"""How many descriptors a log takes: few, however many segments it has, and none where opening failed."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from kformat_engine import Log, LogConfig
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import Stage


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))


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
    # Numbers below the highest are free where other tests of this process left holes; it has others open.
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 140, soft[1]))
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
