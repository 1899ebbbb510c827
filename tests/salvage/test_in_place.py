"""`kformat salvage --in-place` changes what is damaged and nothing else; `--undo` restores every byte, after a kill as
well, and loses nothing that was written in between."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kformat
from kformat.cli import main
from kformat.errors import InvalidError, KformatError, RootLockedError, UsageError
from kformat.kafka.files.checkpoints import CHECKPOINTS
from kformat.kafka.log.log_reader import LogReader
from kformat.salvage import salvage, salvage_in_place, undo_salvage
from kformat.storage.root_lock import RootLock
from kformat_engine import Log, LogManager
from tests.draws import IS_NIGHT
from tests.salvage.test_saving import FIRST, records_of
from tests.salvage.ways import errors
from tests.samples import ROOT

SAMPLES = ROOT / "4.3.1"
NAMES = ("rolled-by-bytes-0", "transactions-0", "plain-0")
MARKER = ".kafka_cleanshutdown"
ASIDE = ".kformat-salvage"

State = dict[str, tuple[Any, ...]]


def state(root: Path, *, without: tuple[str, ...] = (".lock",)) -> State:
    """All that undoing restores: bytes, links, modes, times."""
    found: State = {}
    for path in sorted(root.rglob("*")):
        name, status = str(path.relative_to(root)), path.lstat()
        if path.name not in without:
            content = os.readlink(path) if path.is_symlink() else None if path.is_dir() else path.read_bytes()
            found[name] = (content, status.st_mode, None if path.is_dir() else status.st_mtime_ns)
    return found


def damaged(root: Path) -> Path:
    """A root with two damaged partitions of three: a log in its middle, a log at its end and a snapshot."""
    for name in NAMES:
        shutil.copytree(SAMPLES / name, root / name)
    for path in SAMPLES.glob("*-checkpoint"):
        shutil.copy(path, root)
    (root / MARKER).write_text('{"version":0,"brokerEpoch":7}')
    log = root / NAMES[0] / f"{FIRST}.log"
    data = log.read_bytes()
    log.write_bytes(data[:1536] + bytes(4608) + data[6144:])
    os.utime(log, ns=(10**18, 10**18))
    log.chmod(0o640)
    (root / NAMES[0] / f"{424:020d}.index").write_bytes(b"?" * 48)
    log = root / NAMES[1] / f"{FIRST}.log"
    log.write_bytes(log.read_bytes()[:-9])
    (root / NAMES[1] / "leader-epoch-checkpoint").write_bytes(b"0\n9\n")
    return root


def test_what_is_damaged_changes_and_comes_back(tmp_path: Path) -> None:
    root = damaged(tmp_path / "root")
    before, elsewhere = state(root), tmp_path / "new"
    assert salvage_in_place(root, dry_run=True).summary() == salvage(root, elsewhere).summary()
    assert state(root) == before

    report = salvage_in_place(root)
    assert [one.name for one in report.partitions if one.saved is not None] == sorted(NAMES[:2])
    assert errors(root) == [] and not (root / MARKER).exists()
    for name in NAMES:
        assert records_of(root / name) == records_of(elsewhere / name)
        logs = {path.name: path.read_bytes() for path in (root / name).glob("*.log")}
        assert logs == {path.name: path.read_bytes() for path in (elsewhere / name).glob("*.log")}
    log = root / NAMES[0] / f"{FIRST}.log"
    assert (log.stat().st_mtime_ns, log.stat().st_mode & 0o777) == (10**18, 0o640)
    told = json.loads((root / NAMES[0] / ASIDE / "report.json").read_text("utf-8"))
    assert told["lost_bytes"] > 0 and told["copies"][0]["logs"]

    after = state(root)
    again = salvage_in_place(root)
    assert again.is_whole and all(one.saved is None for one in again.partitions) and state(root) == after
    assert [one.partition for one in undo_salvage(root / NAMES[0])] == [NAMES[0]]
    assert not (root / MARKER).exists(), "another partition is still changed"
    twice = CliRunner().invoke(main, ["salvage", str(root), str(root / NAMES[1]), "--undo"])
    assert (twice.exit_code, NAMES[1] in twice.stdout) == (2, True), "what was done is said before the error"
    assert state(root) == before
    with pytest.raises(UsageError, match="was not salvaged in place"):
        undo_salvage(root)


CHANGES = ("replace", "link", "unlink", "rename", "mkdir", "rmdir", "fsync")


def killed(step: int, call: Callable[[], object]) -> bool:
    """Run in another process, which dies before the change of that number; whether it did."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    try:
        left = [step]

        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def made(*arguments: Any, **more: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    os._exit(9)
                return function(*arguments, **more)

            return made

        for name in CHANGES:
            setattr(os, name, counted(getattr(os, name)))
        call()
        os._exit(0)
    finally:
        os._exit(1)


def _written_to(root: Path) -> None:
    """By an engine that leaves all its logs closed: checkpoints and the marker are new."""
    with LogManager.open([root]) as logs:
        for topic, partition, _ in logs.partitions():
            if (topic, partition) == ("transactions", 0):
                logs.log(topic, partition).append([b"later"] * 100)


@pytest.mark.long
@pytest.mark.parametrize("then", ["undo", "again", "undo killed"])
def test_killed_at_each_step(then: str, tmp_path: Path) -> None:
    original = damaged(tmp_path / "original")
    shutil.rmtree(original / NAMES[2])
    whole = shutil.copytree(original, tmp_path / "whole", copy_function=shutil.copy2)
    before, root = state(original), tmp_path / "root"
    salvage_in_place(whole)
    expected = state(whole, without=(".lock", "report.json"))
    if then == "undo killed":
        _written_to(whole)
    for step in range({"undo": 0, "again": 1, "undo killed": 2}[then], 1000, 1 if IS_NIGHT else 4):
        shutil.copytree(whole if then == "undo killed" else original, root, copy_function=shutil.copy2)
        if then == "undo killed":
            is_killed = killed(step, lambda: undo_salvage(root))
            said = [kformat.open_root(root).offsets(name) for name in CHECKPOINTS.values()]
            if not (root / NAMES[1] / ASIDE).exists():
                assert all(offsets["transactions", 0] < 200 for offsets in said if ("transactions", 0) in offsets), step
        else:
            is_killed = killed(step, lambda: salvage_in_place(root))
        if then == "again":
            salvage_in_place(root)
            found = state(root, without=(".lock", "report.json"))
            assert found.keys() == expected.keys(), step
            assert {name: one[0] for name, one in found.items()} == {name: one[0] for name, one in expected.items()}
        try:
            undo_salvage(root)
        except UsageError:  # nothing had changed, or all was back
            pass
        for later in root.glob("*/.kformat-later*"):
            shutil.rmtree(later)
        assert state(root) == before, step
        shutil.rmtree(root)
        if not is_killed:
            assert step > 30
            return
    pytest.fail("never came to the end")


def test_what_was_written_since_is_not_lost(tmp_path: Path) -> None:
    """An engine goes on with the log, deletes none and rolls; undone, its files are all in one folder."""
    root = damaged(tmp_path / "root")
    before = state(root / NAMES[0])
    salvage_in_place(root / NAMES[0])
    with Log.open(root / NAMES[0]) as log:
        offset = log.append([(b"key", b"later")])
    (done,) = undo_salvage(root / NAMES[0])
    assert done.later is not None and done.later.parent == root / NAMES[0]
    shutil.move(done.later, tmp_path / "later")
    assert state(root / NAMES[0]) == before
    assert [record.offset for record in records_of(tmp_path / "later") if record.value == b"later"] == [offset]


def test_sound_logs_come_back_after_the_engine_has_changed_them(tmp_path: Path) -> None:
    """They are kept as hard links. What another program writes into such a file is said."""
    changes: tuple[Callable[[Log], object] | None, ...] = (
        lambda log: log.truncate_to(300),
        lambda log: log.truncate_fully_and_start_at(0),
        lambda log: log.append([b"new"]),
        lambda log: log.delete_records_before(500),
        None,
    )
    for number, change in enumerate(changes):
        root = damaged(tmp_path / str(number))
        before = state(root / NAMES[0])
        salvage_in_place(root)
        kept = root / NAMES[0] / ASIDE / "old" / f"{200:020d}.log"
        assert kept.stat().st_nlink == 2
        if change is not None:
            with Log.open(root / NAMES[0]) as log:
                change(log)
        else:
            with open(root / NAMES[0] / kept.name, "r+b") as file:
                file.truncate(300)
        told = CliRunner().invoke(main, ["salvage", str(root), "--undo", "--format", "json"])
        if change is None:
            assert told.exit_code == 1 and f"{kept.name} was written to while it was kept" in told.stderr
            assert [one["changed"] for one in json.loads(told.stdout)] == [[kept.name], []]
            continue
        assert (told.exit_code, told.stderr.count("was written to")) == (0, 0)
        shutil.rmtree(root / NAMES[0] / ".kformat-later", ignore_errors=True)
        assert state(root / NAMES[0]) == before


@pytest.mark.parametrize("lacks", ["nothing", "checkpoints", "the marker", "links"])
def test_the_root_says_what_it_said_before(lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of what was written since: no offset is above the end of a log that came back, and no marker of a clean
    shutdown stands over it. What is written of other partitions stays."""
    root = damaged(tmp_path / "root")
    if lacks == "links":
        monkeypatch.setattr(os, "link", _no_links)
    for path in [*root.glob("*-checkpoint")] if lacks == "checkpoints" else [root / MARKER] if "mark" in lacks else []:
        path.unlink()
    shutil.rmtree(root / NAMES[2])
    before, names = state(root), list(CHECKPOINTS.values())
    for is_other in (False, True):
        salvage_in_place(root)
        _written_to(root)
        with Log.open(root / NAMES[0]) as log:
            log.truncate_fully_and_start_at(5000)
        if is_other:
            with Log.open(root / "other-0") as log:
                log.append([b"a"] * 30)
                log.delete_records_before(20)
        assert kformat.open_root(root).offsets(names[1])["rolled-by-bytes", 0] == 5000
        said = kformat.open_root(root).offsets(names[1])["rolled-by-bytes", 0]
        undo_salvage(root / NAMES[0])
        assert not (root / MARKER).exists()
        assert kformat.open_root(root).offsets(names[1]).get(("rolled-by-bytes", 0), 0) < said
        undo_salvage(root)
        for later in root.glob("*/.kformat-later*"):
            shutil.rmtree(later)
        if is_other:
            assert [kformat.open_root(root).offsets(name)["other", 0] for name in names] == [20, 30, 30]
            shutil.rmtree(root / "other-0")
        changed = {name for name in before.keys() | state(root).keys() if before.get(name) != state(root).get(name)}
        assert changed == (set(names) if is_other else set())


def _no_links(*arguments: Any, **more: Any) -> None:
    raise OSError(95, "Operation not supported")


def test_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have none."""
    root = damaged(tmp_path / "root")
    before = state(root)
    monkeypatch.setattr(os, "link", _no_links)
    salvage_in_place(root)
    assert errors(root) == []
    undo_salvage(root)
    assert state(root) == before


def test_a_failure_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, rename = damaged(tmp_path / "root"), os.replace

    def failing(old: Any, new: Any) -> None:
        if str(new).endswith(".log") and ASIDE in str(old) and "/new/" in str(old):
            raise OSError(5, "Input/output error")
        rename(old, new)

    before = state(root / NAMES[0])
    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="Input/output"):
        salvage_in_place(root)
    assert state(root / NAMES[0]) == before


def test_checkpoints_of_the_root(tmp_path: Path) -> None:
    root = damaged(tmp_path / "root")
    for name in ("recovery-point-offset-checkpoint", "cleaner-offset-checkpoint"):
        (root / name).write_bytes(b"\xff")
    (root / "replication-offset-checkpoint").unlink()
    (root / "replication-offset-checkpoint").mkdir()
    before = state(root)
    remarks = "\n".join(salvage_in_place(root).remarks)
    assert "recovery-point-offset-checkpoint cannot be read" in remarks and "is made from the logs" in remarks
    ends = {one.topic: one.segments[-1].base_offset for one in kformat.open_root(root)}
    found = kformat.open_root(root).offsets("recovery-point-offset-checkpoint")
    assert {topic for topic, _ in found} == ends.keys() and not (root / "cleaner-offset-checkpoint").exists()
    undo_salvage(root)
    assert state(root) == before


def test_checkpoints_say_nothing_above_the_end_of_a_log(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(SAMPLES, root, ignore=shutil.ignore_patterns("*.json", "*.gz"))
    log = root / "headers-0" / "00000000000000000000.log"
    os.truncate(log, log.stat().st_size - 200)
    before, starts = state(root), kformat.open_root(root).offsets("log-start-offset-checkpoint")
    salvage_in_place(root)
    assert [one for one in kformat.check(root) if one.severity == "error"] == []
    with LogReader.open(root / "headers-0") as reader:
        end = reader.end_offset
    for name in ("recovery-point-offset-checkpoint", "replication-offset-checkpoint"):
        assert kformat.open_root(root).offsets(name)["headers", 0] == end
    assert kformat.open_root(root).offsets("log-start-offset-checkpoint") == starts
    undo_salvage(root)
    assert state(root) == before


def _linked(root: Path) -> None:
    (root / NAMES[0] / ASIDE).symlink_to(root.parent)


def _planted(root: Path) -> None:
    (root / NAMES[0] / ASIDE / "old").mkdir(parents=True)
    (root / NAMES[0] / ASIDE / "manifest.json").write_text('{"state": "changing", "old": "all"}')


def _interrupted(root: Path) -> None:
    assert killed(60, lambda: salvage_in_place(root))


REFUSALS: dict[str, tuple[Callable[[Path], object], type[KformatError], bool]] = {
    "a link": (_linked, UsageError, False),
    "no manifest": (_planted, InvalidError, False),
    "a dry run after a kill": (_interrupted, UsageError, True),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_refusals(refusal: str, tmp_path: Path) -> None:
    prepare, error, dry_run = REFUSALS[refusal]
    root = damaged(tmp_path / "root")
    prepare(root)
    before = state(root)
    with pytest.raises(error):
        salvage_in_place(root, dry_run=dry_run)
    assert state(root) == before


def test_damaged_again_and_locked(tmp_path: Path) -> None:
    root = damaged(tmp_path / "root")
    with RootLock(root).take(), pytest.raises(RootLockedError):
        salvage_in_place(root)
    salvage_in_place(root)
    log = root / NAMES[0] / f"{FIRST}.log"
    log.write_bytes(log.read_bytes()[:-1])
    with pytest.raises(UsageError, match="damaged again"):
        salvage_in_place(root)
    with RootLock(root).take(), pytest.raises(RootLockedError):
        undo_salvage(root)
    with pytest.raises(UsageError, match="no partition"):
        salvage_in_place(SAMPLES / "meta.properties" / "..")


def test_the_command(tmp_path: Path) -> None:
    root = damaged(tmp_path / "root")
    before = state(root)

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(main, ["salvage", str(root), "--format", "nl", *arguments])

    assert run().exit_code == run("-o", "x", "--undo").exit_code == run("--in-place", "--undo").exit_code == 2
    done = run("--in-place")
    assert done.exit_code == 1 and "changed 2 of 3 partitions" in done.stderr and "--undo" in done.stderr
    assert [json.loads(line)["partition"] for line in done.stdout.splitlines()] == sorted(NAMES)
    done = run("--undo")
    assert done.exit_code == 0 and state(root) == before
    assert {json.loads(line)["partition"] for line in done.stdout.splitlines()} == {*NAMES[:2]}
