"""What a new user tries: arguments that are not what they should be, links, and brokers' folders with damage."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kformat import iter_batches
from kformat.errors import UsageError
from kformat.kafka.file_kinds import file_name
from kformat.storage.root_lock import LOCK_FILE
from kformat_engine import Log, batching, errors
from kformat_engine.root import CLEAN_MARKER, RECOVERY_POINTS
from kformat_engine.storage import DISK, File
from tests.engine.logs import Stage
from tests.samples import ROOT as SAMPLES


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
    with pytest.raises(UsageError, match=r"is needed|no codec 5"):
        call(log)
    assert not log.has_failed and log.append([b"two"]) == 1
    assert log.read(np.int64(1)).start_offset == 1  # type: ignore[arg-type]


def test_a_configuration_is_a_log_config(stage: Stage) -> None:
    with pytest.raises(UsageError, match=r"a LogConfig is needed, not dict; see LogConfig.from_properties"):
        Log.open(stage.path, {"segment.bytes": 100})  # type: ignore[arg-type]
    assert not stage.root.joinpath(LOCK_FILE).exists()


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_record_that_no_reader_takes_is_not_appended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, compression: str
) -> None:
    """It is small enough compressed; but nothing behind it could be iterated over."""
    monkeypatch.setattr(batching, "DEFAULT_INFLATE_LIMIT", 40_000)
    log = stage.open()
    record = {"key": b"k", "value": bytes(30_000), "headers": {"h": bytes(20_000)}}
    with pytest.raises(errors.RecordTooLargeError, match="readers take 40000 at most"):
        log.append([b"small", record, b"small"], compression=compression)
    assert log.end_offset == 0
    assert log.append([{**record, "value": bytes(10_000)}], compression=compression) == 0


@pytest.mark.parametrize("given", ["ab", 5, ["ab"], [("a", b"b", b"c")], [b"ab"]])
def test_what_is_no_header_is_told_of(stage: Stage, given: Any) -> None:
    with pytest.raises(errors.InvalidRecordError, match="pairs of a name and bytes are needed"):
        stage.open().append([{"headers": given}])


def test_headers_may_be_a_mapping(stage: Stage) -> None:
    log = stage.open()
    log.append([{"headers": {"a": b"1", "b": None}}, {"headers": iter([("a", b"1"), ["a", b"2"]])}])
    assert [record.headers for record in log] == [(("a", b"1"), ("b", None)), (("a", b"1"), ("a", b"2"))]


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


def test_sound_wrappers_behind_damage_become_a_segment(tmp_path: Path) -> None:
    """Its base offset is that of the first message in a wrapper, which has to be inflated for it."""
    folder = sample("0.10.2.2/broker-lz4-0", tmp_path, is_clean=False)
    batches = list(iter_batches(folder / file_name(0, "log")))
    damaged = batches[len(batches) // 2]
    path = folder / file_name(0, "log")
    data = bytearray(path.read_bytes())
    data[damaged.position + damaged.size - 1] ^= 1
    path.write_bytes(data)
    with Log.open(folder, mode="salvage") as log:
        assert [one.base_offset for one in log.segments] == [0, damaged.last_offset + 1]
        lost = range(damaged.base_offset, damaged.last_offset + 1)
        assert [one.offset for one in log] == [number for number in range(180) if number not in lost]


@pytest.mark.parametrize("name", ["0.10.2.2/broker-lz4-0", "4.3.1/rolled-by-bytes-0"])
def test_an_index_that_is_trusted_may_name_no_position(tmp_path: Path, name: str) -> None:
    folder = sample(name, tmp_path)
    index = folder / file_name(0, "index")
    index.write_bytes(b"\xff" * index.stat().st_size)
    with Log.open(folder, mode="kafka") as log:
        assert [one.offset for one in log.records(50)] == list(range(50, log.end_offset))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda file: file.write_at(b"x", 0), id="write"),
        pytest.param(lambda file: file.truncate(-1), id="truncate"),
        pytest.param(lambda file: (file.close(), file.sync()), id="sync"),
    ],
)
def test_an_error_of_the_disk_names_the_file(change: Callable[[File], Any]) -> None:
    """A disk that is full says so of a descriptor; somebody has to know which disk."""
    path = Path("/dev/full")
    file = File(DISK, path, os.open(path, os.O_RDWR), writable=True)
    with closing(file), pytest.raises(OSError, match="/dev/full"):
        change(file)
