"""What a reading of the engine's code found wrong, one test each: appends, opening, durability, descriptors, reads."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kformat.errors import UsageError
from kformat.filenames import file_name
from kformat_engine import Log, Root, errors
from kformat_engine.root import CLEAN_MARKER
from tests.damages import patched
from tests.engine.building import batch
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import Stage

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
