"""How a log is opened and closed: its folder's name, links, settings, arguments, and what fails on the way."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import file_name
from kformat.storage.root_lock import LOCK_FILE
from kformat_engine import Log, LogConfig, errors
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from tests.engine.faults import Fault, FaultyStorage
from tests.engine.logs import Stage
from tests.engine.manual import ManualScheduler


def test_a_partition_has_one_name(stage: Stage) -> None:
    """In the checkpoints both would be partition 0."""
    with pytest.raises(UsageError, match="'orders-00' is not a partition's folder"):
        stage.open(path=stage.root / "orders-00")


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


def test_a_configuration_is_a_log_config(stage: Stage) -> None:
    with pytest.raises(UsageError, match=r"a LogConfig is needed, not dict; see LogConfig.from_properties"):
        Log.open(stage.path, {"segment.bytes": 100})  # type: ignore[arg-type]
    assert not stage.root.joinpath(LOCK_FILE).exists()


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda log: log.append([b"v"], compression=5), id="compression"),
        pytest.param(lambda log: log.truncate_to("x"), id="truncate"),
        pytest.param(lambda log: log.truncate_fully_and_start_at(1.0), id="start-over"),
        pytest.param(lambda log: log.delete_records_before(True), id="delete-records"),
        pytest.param(lambda log: setattr(log, "leader_epoch", "x"), id="epoch"),
        pytest.param(lambda log: log.offset_for_timestamp(datetime.now()), id="timestamp"),
        pytest.param(lambda log: log.read("x"), id="read"),
        pytest.param(lambda log: list(log.records("x")), id="records"),
    ],
)
def test_an_argument_of_a_wrong_type_is_refused_and_the_log_goes_on(stage: Stage, call: Callable[[Log], Any]) -> None:
    log = stage.open()
    log.append([b"one"])
    with pytest.raises(UsageError, match=r"is expected|no codec 5|has no time zone"):
        call(log)
    assert not log.has_failed and log.append([b"two"]) == 1
    assert log.read(np.int64(1)).start_offset == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("root", ["root", "elsewhere"])
@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_partitions_folder_is_no_link(stage: Stage, root: str, is_dangling: bool) -> None:
    """Two roots had two locks and one log, and records were lost."""
    stage.open().append([b"value"])
    link = (stage.root if root == "root" else stage.root / "elsewhere") / "link-0"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(stage.path.with_name("none-0") if is_dangling else stage.path)
    with pytest.raises(UsageError, match=r"link-0 is a link to .*: open the log there, or move its folder here"):
        stage.open(path=link)
    assert not stage.path.with_name("none-0").exists() and stage.path.exists()


def test_a_folder_is_opened_once_in_a_process(stage: Stage) -> None:
    """Told by device and inode: a mount may show it in another root, too."""
    log, other = stage.open(), stage.root / "elsewhere" / "orders-0"
    other.parent.mkdir()
    stage.path.rename(other)
    with pytest.raises(errors.RootLockedError, match="orders-0 is open in this process already, under another path"):
        stage.open(path=other)
    other.rename(stage.path)
    log.close()
    stage.path.rename(other)
    assert stage.open(path=other).append([b"value"]) == 0


@pytest.mark.parametrize("target", ["nothing", "a file"])
@pytest.mark.parametrize("name", [file_name(0, "log"), file_name(0, "index"), f"../{RECOVERY_POINTS}.tmp"])
def test_a_link_is_not_written_through(stage: Stage, name: str, target: str) -> None:
    stage.path.mkdir()
    victim = stage.root / "victim"
    if target == "a file":
        victim.write_bytes(b"precious")
    (stage.path / name).symlink_to(victim)
    with suppress(OSError, errors.LogError), stage.open() as log:
        log.append([b"value"])
        log.flush()
    assert victim.exists() == (target == "a file") and (not victim.exists() or victim.read_bytes() == b"precious")
