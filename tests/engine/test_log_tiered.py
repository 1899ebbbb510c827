"""Tiered partitions, and what else brokers say in a root's checkpoints that is not the engine's to change.

The files are as brokers with tiered storage leave them (4.3.1): the first segments are gone from the disk, the log
still starts where `log-start-offset-checkpoint` says, and `leader-epoch-checkpoint` has the epochs from there on. With
a broker that takes the folder back: test_tiered_broker.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from kformat.cli import main
from kformat.errors import RemoteOffsetError, UsageError
from kformat.kafka.files.text_files import LeaderEpochs, TopicOffsets, read_sidecar
from kformat_engine.epochs import EpochCache as Epochs
from kformat_engine.errors import DamagedLogError, OffsetOutOfRangeError, TieredLogError
from kformat_engine.log import Log
from kformat_engine.root import CLEAN_MARKER, CLEANER_OFFSETS, HIGH_WATERMARKS, LOG_START_OFFSETS, RECOVERY_POINTS
from tests.engine.logs import Stage, append_each, bases

TOPIC = ("test_topic", 1)
LOCAL, ACTIVE, END = 1000, 1005, 1010
"""The base offsets of the local segments, and the offset behind the last."""
EPOCHS = [(0, 0), (2, 900), (5, LOCAL)]
"""Of the log, from offset 0 on; 5 is the latest."""
OTHERS = {("a-topic", 0): 0, ("z", 7): 12345}
"""What is said of partitions that nobody opens."""
CHECKPOINTS = (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS, CLEANER_OFFSETS)


def lay(stage: Stage, entry: int | None, **others: int) -> None:
    """The root of a broker, with a log that goes from LOCAL to END, of which the log start's checkpoint says ``entry``.

    The epochs are those from there on.
    """
    log = stage.open()
    log.truncate_fully_and_start_at(LOCAL)
    log.leader_epoch = EPOCHS[-1][0]
    append_each(log, *[b"old"] * (ACTIVE - LOCAL))
    log.roll()
    append_each(log, *[b"old"] * (END - ACTIVE))
    log.close()
    epochs = Epochs(EPOCHS)
    epochs.truncate_from_start(entry or 0)
    lines = "".join(f"{epoch} {offset}\n" for epoch, offset in epochs.entries)
    (stage.path / "leader-epoch-checkpoint").write_text(f"0\n{len(epochs.entries)}\n{lines}")
    for name, offset in zip(CHECKPOINTS, (END, entry, END, others.get("cleaner")), strict=True):
        entries = OTHERS | ({} if offset is None else {TOPIC: offset})
        lines = "".join(f"{topic} {partition} {at}\n" for (topic, partition), at in entries.items())
        (stage.root / name).write_text(f"0\n{len(entries)}\n{lines}")


def said(stage: Stage, name: str) -> int | None:
    """What a checkpoint says of the log now; of others it says what it said."""
    found = read_sidecar(stage.root / name)
    assert isinstance(found, TopicOffsets)
    entries = found.as_dict()
    assert {key: entries.get(key) for key in OTHERS} == OTHERS
    assert entries.keys() <= {*OTHERS, TOPIC}
    return entries.get(TOPIC)


def epochs_of(stage: Stage) -> list[tuple[int, int]]:
    found = read_sidecar(stage.path / "leader-epoch-checkpoint")
    assert isinstance(found, LeaderEpochs)
    return [(entry.epoch, entry.start_offset) for entry in found.entries]


@pytest.mark.parametrize("entry", [None, 0, 830, LOCAL, LOCAL + 3])
def test_one_append_leaves_what_the_checkpoints_say(stage: Stage, entry: int | None) -> None:
    """None is no tiered log's. The last two may be, or not."""
    lay(stage, entry, cleaner=LOCAL)
    cleaner, epochs = (stage.root / CLEANER_OFFSETS).read_bytes(), epochs_of(stage)
    done = CliRunner().invoke(main, ["log", "append", str(stage.path)], input=b"new\n")
    assert (done.exit_code, done.stderr) == (0, "")
    assert said(stage, LOG_START_OFFSETS) == entry
    assert said(stage, RECOVERY_POINTS) == said(stage, HIGH_WATERMARKS) == END + 1
    assert (stage.root / CLEANER_OFFSETS).read_bytes() == cleaner
    assert epochs_of(stage) == epochs


def later_epoch(log: Log) -> None:
    log.leader_epoch = 6
    log.append([b"new"])
    log.flush()


@pytest.mark.parametrize(
    ("entry", "change", "start", "epochs"),
    [
        (830, Log.roll, 830, [(0, 830), (2, 900), (5, LOCAL)]),
        (0, Log.flush, 0, EPOCHS),
        (0, later_epoch, 0, [*EPOCHS, (6, END)]),
        (830, lambda log: log.delete_records_before(700), 830, [(0, 830), (2, 900), (5, LOCAL)]),
        (830, lambda log: log.delete_records_before(950), 950, [(2, 950), (5, LOCAL)]),
        (830, lambda log: log.delete_records_before(LOCAL), LOCAL, [(5, LOCAL)]),
        (830, lambda log: log.delete_records_before(ACTIVE + 2), ACTIVE + 2, [(5, ACTIVE + 2)]),
        (830, lambda log: log.delete_records_before(-1), END, [(5, END)]),
        (830, lambda log: log.truncate_to(ACTIVE + 2), 830, [(0, 830), (2, 900), (5, LOCAL)]),
        (830, lambda log: log.truncate_fully_and_start_at(2000), 2000, []),
        # Nothing is remote, as far as can be seen, and the log is cut as any other; the entry goes with its start.
        (LOCAL, lambda log: log.truncate_to(LOCAL + 2), LOCAL, [(5, LOCAL)]),
        (LOCAL, lambda log: log.truncate_to(500), 500, []),
        (LOCAL, Log.retain, END, [(5, END)]),
        (None, Log.retain, None, [(5, END)]),
        (None, lambda log: log.delete_records_before(LOCAL + 2), LOCAL + 2, [(5, LOCAL + 2)]),
        (None, lambda log: log.delete_records_before(ACTIVE), None, [(5, ACTIVE)]),
    ],
)
def test_an_entry_follows_the_start_of_the_log(
    stage: Stage, entry: int | None, change: Callable[[Log], Any], start: int | None, epochs: list[tuple[int, int]]
) -> None:
    lay(stage, entry)
    log = stage.open(retention_ms=0)
    stage.sleep(1)
    change(log)
    log.close()
    for mode in ("strict", "salvage", "kafka"):
        assert (said(stage, LOG_START_OFFSETS), epochs_of(stage)) == (start, epochs), mode
        # As after a crash, before which nothing was known to be on the disk.
        (stage.root / CLEAN_MARKER).unlink()
        recovery_points = (stage.root / RECOVERY_POINTS).read_text()
        (stage.root / RECOVERY_POINTS).write_text(re.sub(r"(?m)^test_topic 1 .*$", "test_topic 1 0", recovery_points))
        log = stage.open(mode=mode)
        assert log.log_start_offset == (log.start_offset if start is None else start)
        assert log.start_offset == max(log.log_start_offset, bases(log)[0])
        log.close()


def test_what_is_remote_is_not_read_here(stage: Stage) -> None:
    lay(stage, 830)
    log = stage.open()
    assert (log.log_start_offset, log.start_offset, log.end_offset) == (830, LOCAL, END)
    assert [record.offset for record in log] == list(range(LOCAL, END))
    for offset in (830, LOCAL - 1):
        with pytest.raises(RemoteOffsetError, match="log starts at offset 830, its local part at offset 1000"):
            log.read(offset)
    for offset in (829, END + 1):
        with pytest.raises(OffsetOutOfRangeError, match=r"goes from 830 to 1010"):
            log.read(offset)
    assert log.offset_for_timestamp(-2) == (-1, 830, 0)
    assert log.offset_for_timestamp(-4) == (-1, LOCAL, 5)
    found = log.offset_for_timestamp(0)
    assert found is not None and found.offset == LOCAL and found.may_be_remote
    assert log.offset_for_timestamp(0, explain=True).may_be_remote
    with pytest.raises(RemoteOffsetError, match="remote storage was not searched"):
        log.offset_for_timestamp(stage.now_ms + 10**9)
    with pytest.raises(UsageError, match=r"to 1000 .* in the remote storage"):
        log.offset_for_timestamp(-5)


def test_an_entry_that_a_kill_left_below_the_first_segment_is_no_tiered_logs(stage: Stage) -> None:
    """DeleteRecords, deletion of the segments and a kill leave an old entry; the epochs begin with the first segment.
    A broker starts such a log at its first segment."""
    lay(stage, 830)
    (stage.path / "leader-epoch-checkpoint").write_text(f"0\n1\n5 {LOCAL}\n")
    log = stage.open(retention_ms=0)
    assert (log.log_start_offset, log.start_offset) == (LOCAL, LOCAL)
    assert log.offset_for_timestamp(-2) == (-1, LOCAL, 5)
    log.append([b"new"])
    log.close()
    assert said(stage, LOG_START_OFFSETS) == 830  # as it was: no start was changed
    log = stage.open(retention_ms=0)
    log.delete_records_before(ACTIVE)
    log.close()
    assert said(stage, LOG_START_OFFSETS) == ACTIVE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.retain(), r"the offsets 830 to 1000 \(exclusive\) are in the remote storage; a broker has to"),
        (lambda log: log.truncate_to(ACTIVE - 1), "cannot cut at offset 1004: .* before the last segment"),
        (lambda log: log.truncate_to(900), "cannot cut at offset 900"),
        (lambda log: log.truncate_fully_and_start_at(900), "cannot cut at offset 900"),
    ],
)
def test_what_only_a_broker_can_do_is_refused(stage: Stage, change: Callable[[Log], Any], message: str) -> None:
    lay(stage, 830)
    log = stage.open(retention_ms=0)
    stage.sleep(1)
    with pytest.raises(TieredLogError, match=message):
        change(log)
    assert not log.has_failed
    assert log.append([b"new"]) == END
    log.close()
    assert said(stage, LOG_START_OFFSETS) == 830


@pytest.mark.parametrize(
    ("cleaner", "change", "expected"),
    [
        (None, lambda log: log.truncate_to(LOCAL + 2), None),
        (LOCAL, lambda log: log.truncate_to(LOCAL + 2), LOCAL),
        (ACTIVE, lambda log: log.truncate_to(ACTIVE + 2), ACTIVE),
        (ACTIVE, lambda log: log.truncate_to(LOCAL + 2), LOCAL),
        (ACTIVE, lambda log: log.truncate_to(700), 700),
        (ACTIVE, lambda log: log.truncate_fully_and_start_at(2000), ACTIVE),
        (ACTIVE, lambda log: log.delete_records_before(-1), ACTIVE),
        (ACTIVE, Log.delete, None),
    ],
)
def test_the_cleaner_s_offset_goes_down_with_a_cut(
    stage: Stage, cleaner: int | None, change: Callable[[Log], Any], expected: int | None
) -> None:
    """As LogCleanerManager.maybeTruncateCheckpoint has it, and updateCheckpoints where a log is deleted."""
    lay(stage, None, **({} if cleaner is None else {"cleaner": cleaner}))
    log = stage.open()
    change(log)
    assert said(stage, CLEANER_OFFSETS) == expected


def test_a_log_stays_tiered_until_it_is_opened_again(stage: Stage) -> None:
    """What was copied of the local part is still in the remote storage when the start has moved up to it."""
    lay(stage, 830)
    log = stage.open()
    assert log.delete_records_before(LOCAL + 2) == LOCAL + 2
    with pytest.raises(TieredLogError, match="cannot cut at offset 1001: the log is tiered, and what lies before"):
        log.truncate_to(LOCAL + 1)
    log.close()


def test_the_command_line_refuses_with_a_status_of_its_own(stage: Stage) -> None:
    lay(stage, 830)
    for arguments in (["retain", str(stage.path)], ["truncate", str(stage.path), "900"]):
        done = CliRunner().invoke(main, ["log", *arguments])
        assert done.exit_code == 4 and "the offsets 830 to 1000 (exclusive) are in the remote storage" in done.stderr
        assert done.stderr.count("\n") == 1


# Checkpoints that cannot be read


@pytest.mark.parametrize("data", [b"1\n1\ntest_topic 1 830\n", b"0\n9\ntest_topic 1 830\n"], ids=["future", "cut"])
@pytest.mark.parametrize("name", [RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS])
def test_a_checkpoint_that_cannot_be_read_is_not_lost(stage: Stage, name: str, data: bytes) -> None:
    lay(stage, 830)
    path = stage.root / name
    path.write_bytes(data)
    before = {one.name: one.read_bytes() for one in stage.root.rglob("*") if one.is_file()}
    with pytest.raises(DamagedLogError, match=f"{name}: a checkpoint of the root cannot be read; move it away") as told:
        stage.open()
    of_start = "a tiered log is .*taken to start with its first segment here"
    assert bool(re.search(of_start, str(told.value))) == (name == LOG_START_OFFSETS)
    done = CliRunner().invoke(main, ["log", "append", str(stage.path)], input=b"new\n")
    assert done.exit_code == 4 and f"{name}: a checkpoint of the root cannot be read" in done.stderr
    assert {one.name: one.read_bytes() for one in stage.root.rglob("*") if one.is_file()} == before

    done = CliRunner().invoke(main, ["log", "recover", "--mode", "salvage", str(stage.path)])
    assert done.exit_code == 0
    assert f"{name} could not be read, and is kept aside as {name}.unreadable" in done.stderr
    assert bool(re.search(of_start, done.stderr)) == (name == LOG_START_OFFSETS)
    assert (stage.root / f"{name}.unreadable").read_bytes() == data
    assert stage.open().log_start_offset == (LOCAL if name == LOG_START_OFFSETS else 830)


def test_the_cleaner_s_checkpoint_is_none_of_ours(stage: Stage) -> None:
    lay(stage, None)
    path = stage.root / CLEANER_OFFSETS
    path.write_bytes(b"1\nwhat comes later\n")
    with stage.open() as log:
        log.truncate_to(ACTIVE)
        log.delete()
    assert path.read_bytes() == b"1\nwhat comes later\n"
