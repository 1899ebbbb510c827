"""A root: who owns it, what its checkpoints say, and when it has the marker of a clean shutdown.

Beside a live broker: test_root_broker.py.
"""

from __future__ import annotations

import errno
import functools
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import kformat
from kformat.errors import UsageError
from kformat.kafka.files.text_files import CleanShutdown, read_sidecar
from kformat.storage.root_lock import LOCK_FILE, RootLock
from kformat_engine import Log, LogManager, errors
from kformat_engine.errors import DamagedLogError, LogClosedError, RootLockedError
from kformat_engine.root import CLEAN_MARKER, HIGH_WATERMARKS, LOG_START_OFFSETS, RECOVERY_POINTS, Root
from kformat_engine.storage import Storage
from tests.engine.faults import Death, Fault, FaultyStorage
from tests.engine.logs import Stage
from tests.samples import ROOT as SAMPLES

WAIT_S = 30
AT_ONCE_S = 5.0  # a lock that is waited for is never granted here
CHECKPOINTS = (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS)


class OpenLog:
    """What a root sees of a log."""

    def __init__(self, root: Root, folder: str, error: Exception | None = None) -> None:
        self.root, self.path, self.error = root, root.path / folder, error
        self.path.mkdir(exist_ok=True)
        root.register(self)

    def close(self, failed: bool = False) -> None:
        if self.error is not None:
            raise self.error
        self.root.unregister(self, failed=failed)


# Who owns it: in this process


def test_a_folder_is_made_and_locked(tmp_path: Path) -> None:
    with Root.open(tmp_path / "a" / "b") as root:
        assert (root.path / LOCK_FILE).is_file()
        root.check_held()
    assert root.is_closed
    assert (root.path / LOCK_FILE).is_file()
    with pytest.raises(LogClosedError):
        root.check_held()
    for change in (root.checkpoint, lambda: OpenLog(root, "orders-0")):
        with pytest.raises(LogClosedError):
            change()
    root.close()
    root.abandon()


def test_no_folder_is_made_where_none_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Root.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        Root.open(tmp_path / "file", create=False)


def test_a_root_is_opened_once_in_a_process(tmp_path: Path) -> None:
    root = Root.open(tmp_path / "root")
    (tmp_path / "link").symlink_to(tmp_path / "root")
    for path in (tmp_path / "root", tmp_path / "link", f"{tmp_path}/x/../root"):
        (tmp_path / "x").mkdir(exist_ok=True)
        for take in (Root.open, Root.shared):
            with pytest.raises(RootLockedError, match="is open in this process already"):
                take(path)
    assert refused_elsewhere(root.path)  # nothing that was refused has cost us the lock
    root.close()
    assert not refused_elsewhere(root.path)
    Root.open(tmp_path / "link").close()


@pytest.mark.parametrize(
    ("is_managed", "advice"),
    [(True, r"a LogManager has it: manager\.log\(topic, partition\)"), (False, r"open the log with root=\.\.\.")],
)
def test_the_refusal_says_how_to_get_the_log(tmp_path: Path, is_managed: bool, advice: str) -> None:
    with LogManager.open([tmp_path]) if is_managed else Root.open(tmp_path):
        with pytest.raises(RootLockedError, match=f"^{tmp_path} is open in this process already: {advice}$"):
            Log.open(tmp_path / "orders-0")


def test_a_partitions_folder_is_no_root(tmp_path: Path) -> None:
    folder = tmp_path / "orders-0"
    shutil.copytree(SAMPLES / "4.3.1" / "rolled-by-bytes-0", folder)
    before = sorted(folder.iterdir())
    with pytest.raises(UsageError, match=f"the root is the folder above it, {tmp_path}$"):
        Root.open(folder)
    assert sorted(folder.iterdir()) == before


def test_logs_share_a_root(tmp_path: Path) -> None:
    first = Root.shared(tmp_path)
    second = Root.shared(tmp_path)
    assert first is second
    log = OpenLog(first, "orders-0")
    first.release()
    second.release()
    assert refused_elsewhere(tmp_path)
    log.close()
    assert first.is_closed and not refused_elsewhere(tmp_path)
    assert (tmp_path / CLEAN_MARKER).exists()
    again = Root.shared(tmp_path)
    assert again is not first and again.was_clean
    with pytest.raises(RootLockedError):
        Root.open(tmp_path)
    again.release()
    assert again.is_closed


def test_a_root_that_is_not_shared_stays_open_without_logs(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        OpenLog(root, "orders-0").close()
        root.release()
        assert not root.is_closed


def test_threads_share_a_root(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(30):
                root = Root.shared(tmp_path)
                log = OpenLog(root, f"orders-{number}")
                root.release()
                root.set_recovery_point("orders", number, (root.recovery_point("orders", number) or 0) + 1)
                root.checkpoint()
                log.close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with Root.open(tmp_path) as root:
        assert [root.recovery_point("orders", number) for number in range(4)] == [30] * 4


@pytest.mark.parametrize("folder", ["elsewhere/orders-0", "root/orders", "root/orders-0/orders-0", "root/a b-0"])
def test_only_its_own_partitions_are_registered(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    with Root.open(tmp_path / "root") as root, pytest.raises(UsageError):
        log = OpenLog.__new__(OpenLog)
        log.path = tmp_path / folder
        root.register(log)


def test_a_log_is_opened_once(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        log = OpenLog(root, "orders-0")
        with pytest.raises(RootLockedError, match="orders-0 is open in this process already"):
            OpenLog(root, "orders-0")
        OpenLog(root, "orders-1")
        log.close()
        log.close()
        OpenLog(root, "orders-0")


# Who owns it: other processes

HOLD = """
import sys
from kformat_engine.root import Root
root = Root.open(sys.argv[1])
root.set_recovery_point("orders", 0, 5)
print("held", flush=True)
sys.stdin.read()
root.close()
"""
TRY = """
import sys, time
from kformat_engine.errors import RootLockedError
from kformat_engine.root import Root
for path in sys.stdin:
    started = time.monotonic()
    try:
        Root.open(path.rstrip()).abandon()
        print(flush=True)
    except RootLockedError as error:
        print(time.monotonic() - started, error, flush=True)
"""


@functools.cache
def other() -> subprocess.Popen[str]:
    """A process that tries to take roots, one after the other: to start one takes long. It ends with this one."""
    return subprocess.Popen([sys.executable, "-c", TRY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def refused_elsewhere(path: Path) -> bool:
    """Whether another process is refused the root, which it must be at once; where not, the marker is gone now."""
    marker = path / CLEAN_MARKER
    had_marker = marker.exists()
    process = other()
    assert process.stdin is not None and process.stdout is not None
    print(path, file=process.stdin, flush=True)
    assert select.select([process.stdout], [], [], WAIT_S)[0]
    answer = process.stdout.readline()
    assert answer, f"it ended with {process.wait()}"
    if had_marker:
        marker.touch()
    if not answer.strip():
        return False
    seconds, _, message = answer.partition(" ")
    assert float(seconds) < AT_ONCE_S
    assert message.strip() == f"{path} is locked by another process, a broker or a program that writes logs there"
    return True


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has the root until its stdin ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)


def test_a_second_process_is_refused_and_admitted_when_the_first_is_killed(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        started = time.monotonic()
        for take in (Root.open, Root.shared):
            with pytest.raises(RootLockedError, match="is locked by another process"):
                take(tmp_path)
        assert time.monotonic() - started < AT_ONCE_S
        process.send_signal(signal.SIGKILL)
        process.wait(WAIT_S)
        with Root.open(tmp_path) as root:
            assert not root.was_clean
            assert root.recovery_point("orders", 0) is None
    with holder(tmp_path) as process:
        process.communicate(timeout=WAIT_S)
        with Root.open(tmp_path) as root:
            assert root.was_clean
            assert root.recovery_point("orders", 0) == 5


def test_a_refusal_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / CLEAN_MARKER).touch()
    with Root.open(tmp_path) as root:
        (tmp_path / CLEAN_MARKER).touch()
        assert refused_elsewhere(tmp_path)
        assert (tmp_path / CLEAN_MARKER).exists()
        assert root.was_clean


def in_child(work: Callable[[], None]) -> int:
    """Fork, do some work in the child, and say which status it ended with; 0 is fine."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_owns_nothing(tmp_path: Path) -> None:
    root = Root.open(tmp_path)
    root.set_recovery_point("orders", 0, 5)

    def work() -> None:
        assert root.is_closed
        for change in (root.check_held, root.checkpoint, lambda: OpenLog(root, "orders-0")):
            with pytest.raises(RootLockedError, match=f"is locked by process {os.getppid()}, from which this one was"):
                change()
        for take in (Root.open, Root.shared):
            with pytest.raises(RootLockedError, match="is locked by another process"):
                take(tmp_path)
        root.close()
        root.abandon()

    assert in_child(work) == 0
    assert refused_elsewhere(tmp_path)
    assert not (tmp_path / RECOVERY_POINTS).exists()
    root.close()
    assert (tmp_path / RECOVERY_POINTS).exists()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_may_take_the_root_when_its_parent_is_done(tmp_path: Path) -> None:
    root = Root.open(tmp_path)
    reading, writing = os.pipe()

    def work() -> None:
        nonlocal root
        os.read(reading, 1)
        with Root.open(tmp_path) as own:
            root.close()
            del root
            assert refused_elsewhere(tmp_path)  # the parent's objects have not cost us the lock
            own.check_held()

    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    root.close()
    os.write(writing, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(reading)
    os.close(writing)


def test_a_lost_lock_is_taken_again_or_found_out(tmp_path: Path) -> None:
    root = Root.open(tmp_path)
    root.set_recovery_point("orders", 0, 5)
    (tmp_path / LOCK_FILE).read_bytes()  # opened and closed: the system has dropped the lock
    root.checkpoint()
    assert refused_elsewhere(tmp_path)
    (tmp_path / LOCK_FILE).read_bytes()
    root.set_recovery_point("orders", 0, 6)
    with holder(tmp_path):
        with pytest.raises(RootLockedError, match="is locked by another process"):
            root.checkpoint()
        with pytest.raises(RootLockedError):
            root.close()
    assert root.is_closed
    assert (tmp_path / RECOVERY_POINTS).read_bytes() == b"0\n1\norders 0 5\n"
    assert not (tmp_path / CLEAN_MARKER).exists()


def test_looking_at_a_root_does_not_cost_the_lock(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "4.3.1" / "rolled-by-bytes-0", tmp_path / "orders-0")
    with Root.open(tmp_path) as root:
        root.checkpoint()
        assert list(kformat.iter_partitions(tmp_path))
        kformat.check(tmp_path)
        kformat.open(tmp_path / "orders-0")
        assert refused_elsewhere(tmp_path)


# Checkpoints


def test_checkpoints_say_what_they_were_told(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        assert root.recovery_point("orders", 0) is None
        assert root.log_start_offset("orders", 0) is None
        assert root.high_watermark("orders", 0) is None
        root.set_recovery_point("orders", 0, 5)
        root.set_recovery_point("orders", 1, 6)
        root.set_log_start_offset("orders", 0, 3)
        root.set_high_watermark("orders", 0, 7)
        assert not any((tmp_path / name).exists() for name in CHECKPOINTS)
        root.checkpoint()
        assert [(tmp_path / name).read_bytes() for name in CHECKPOINTS] == [
            b"0\n2\norders 0 5\norders 1 6\n",
            b"0\n1\norders 0 3\n",
            b"0\n1\norders 0 7\n",
        ]
        root.set_log_start_offset("orders", 0, None)
        root.forget("orders", 1)
    assert [(tmp_path / name).read_bytes() for name in CHECKPOINTS] == [
        b"0\n1\norders 0 5\n",
        b"0\n0\n",
        b"0\n1\norders 0 7\n",
    ]
    with Root.open(tmp_path) as root:
        assert (root.recovery_point("orders", 0), root.high_watermark("orders", 0)) == (5, 7)
        assert root.log_start_offset("orders", 0) is None


def test_what_they_say_of_others_is_kept(tmp_path: Path) -> None:
    for name in CHECKPOINTS:
        (tmp_path / name).write_bytes(b"0\n3\nz 7 9\norders 0 1\na 0 0\n")
    meta = b"#\n#x\nversion=1\nnode.id=1\ncluster.id=a\n"
    (tmp_path / "meta.properties").write_bytes(meta)
    (tmp_path / "cleaner-offset-checkpoint").write_bytes(b"0\n1\nz 7 9\n")
    with Root.open(tmp_path) as root:
        root.set_recovery_point("orders", 0, 5)
        root.set_log_start_offset("orders", 0, None)
        root.set_high_watermark("new", 0, 1)
    assert [(tmp_path / name).read_bytes() for name in CHECKPOINTS] == [
        b"0\n3\nz 7 9\norders 0 5\na 0 0\n",
        b"0\n2\nz 7 9\na 0 0\n",
        b"0\n4\nz 7 9\norders 0 1\na 0 0\nnew 0 1\n",
    ]
    assert (tmp_path / "meta.properties").read_bytes() == meta
    assert (tmp_path / "cleaner-offset-checkpoint").read_bytes() == b"0\n1\nz 7 9\n"


@pytest.mark.parametrize(
    "data", [b"1\n0\n", b"0\n5\norders 0 1\n", b"\xff", b"0\n1\norders 0 x\n", bytes(17 << 20), None]
)
def test_what_cannot_be_read_counts_as_empty_and_is_told(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / LOG_START_OFFSETS
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    (tmp_path / RECOVERY_POINTS).write_bytes(b"0\n1\norders 0 5\n")
    with Root.open(tmp_path) as root:
        assert [problem.path for problem in root.problems] == [path]
        assert root.problems[0].message
        assert root.log_start_offset("orders", 0) is None
        assert root.recovery_point("orders", 0) == 5
        if data is not None:
            root.set_log_start_offset("orders", 0, 2)
            root.checkpoint()
            assert path.read_bytes() == b"0\n1\norders 0 2\n"
            assert root.problems[0].aside.read_bytes() == data
            assert root.problems[0].aside.name == f"{LOG_START_OFFSETS}.unreadable"


def test_brokers_checkpoints_are_read_and_kept(tmp_path: Path) -> None:
    roots = [path.parent for path in SAMPLES.glob(f"*/{RECOVERY_POINTS}")]
    for number, origin in enumerate(roots):
        folder = tmp_path / str(number)
        folder.mkdir()
        entries = {}
        for name in CHECKPOINTS:
            if (origin / name).exists():
                shutil.copy(origin / name, folder)
                entries[name] = read_sidecar(origin / name).as_dict()  # type: ignore[union-attr]
        with Root.open(folder) as root:
            assert not root.problems
            for (topic, partition), offset in entries[RECOVERY_POINTS].items():
                assert root.recovery_point(topic, partition) == offset
            root.set_recovery_point("new", 0, 1)
        assert (folder / HIGH_WATERMARKS).read_bytes() == (origin / HIGH_WATERMARKS).read_bytes()
        assert read_sidecar(folder / RECOVERY_POINTS).as_dict() == entries[RECOVERY_POINTS] | {("new", 0): 1}  # type: ignore[union-attr]


def test_nothing_is_written_where_nothing_has_changed(tmp_path: Path) -> None:
    storage = FaultyStorage()
    with Root.open(tmp_path, storage=storage) as root:
        root.set_recovery_point("orders", 0, 5)
        root.checkpoint()
        count = len(storage.trace)
        root.checkpoint()
        root.set_recovery_point("orders", 0, 5)
        root.set_log_start_offset("orders", 0, None)
        root.checkpoint()
        assert len(storage.trace) == count


# The marker


@pytest.mark.parametrize("content", [b"", b'{"version":0,"brokerEpoch":5}', b"whatever"])
def test_the_marker_goes_before_anything_else_and_comes_back_last(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CLEAN_MARKER).write_bytes(content)
    storage = FaultyStorage()
    root = Root.open(tmp_path, storage=storage)
    assert root.was_clean
    assert not (tmp_path / CLEAN_MARKER).exists()
    assert [step[1:] for step in storage.trace] == [
        ("create", LOCK_FILE),
        ("unlink", CLEAN_MARKER),
        ("sync_directory", tmp_path.name),
    ]
    root.set_recovery_point("orders", 0, 5)
    del storage.trace[:]
    root.close()
    names = [step.name.removesuffix(".tmp") for step in storage.trace if step.operation == "rename"]
    assert names == [RECOVERY_POINTS, CLEAN_MARKER]
    assert storage.trace[-1].operation == "sync_directory"
    assert (tmp_path / CLEAN_MARKER).read_bytes() == b'{"version":0,"brokerEpoch":-1}'
    assert read_sidecar(tmp_path / CLEAN_MARKER) == CleanShutdown(broker_epoch=-1, version=0)


def test_marker_of_an_empty_root(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root:
        assert not root.was_clean
    assert (tmp_path / CLEAN_MARKER).exists()


MARKER_RULES: dict[str, tuple[bool, list[str], list[str], list[str], bool]] = {
    # Whether there was a marker; the folders there; those that are opened and closed; those that fail; is there one.
    "clean, nothing opened": (True, ["a-0", "b-0"], [], [], True),
    "clean, one opened": (True, ["a-0", "b-0"], ["a-0"], [], True),
    "clean, one failed": (True, ["a-0", "b-0"], ["a-0"], ["b-0"], False),
    "clean, one failed and was opened again": (True, ["a-0", "b-0"], ["b-0"], ["b-0"], True),
    "unclean, nothing opened": (False, ["a-0"], [], [], False),
    "unclean, not all opened": (False, ["a-0", "b-0"], ["a-0"], [], False),
    "unclean, all opened": (False, ["a-0", "b-0"], ["a-0", "b-0"], [], True),
    "unclean, one failed": (False, ["a-0", "b-0"], ["a-0"], ["b-0"], False),
    "unclean, one failed and was opened again": (False, ["a-0", "b-0"], ["a-0", "b-0"], ["b-0"], True),
    "unclean, a new one": (False, ["a-0"], ["a-0", "c-0"], [], True),
    "unclean, one that waits to be deleted": (False, ["a-0", f"b-0.{'0' * 32}-delete"], ["a-0"], [], True),
    "unclean, one that is moved here": (False, ["a-0", f"b-0.{'0' * 32}-future"], ["a-0"], [], False),
    "unclean, one that is stray": (False, ["a-0", f"b-0.{'0' * 32}-stray"], ["a-0"], [], False),
    "unclean, folders that are no partitions": (False, ["a-0", "remote-log-index-cache", "x"], ["a-0"], [], True),
    "unclean, KRaft's own log": (False, ["a-0", "__cluster_metadata-0"], ["a-0"], [], True),
}


@pytest.mark.parametrize("name", MARKER_RULES)
def test_marker_rules(tmp_path: Path, name: str) -> None:
    had_marker, folders, opened, failed, expected = MARKER_RULES[name]
    for folder in folders:
        (tmp_path / folder).mkdir()
    if had_marker:
        (tmp_path / CLEAN_MARKER).touch()
    with Root.open(tmp_path) as root:
        for folder in failed:
            OpenLog(root, folder).close(failed=True)
            assert not root.was_clean  # opened again, it has to be recovered
        for folder in opened:
            OpenLog(root, folder).close()
    assert (tmp_path / CLEAN_MARKER).exists() == expected
    with Root.open(tmp_path) as root:
        assert root.was_clean == expected


def test_closing_closes_the_logs(tmp_path: Path) -> None:
    root = Root.open(tmp_path)
    for number in range(3):
        OpenLog(root, f"orders-{number}")
    root.close()
    assert (tmp_path / CLEAN_MARKER).exists()


def test_a_log_that_cannot_be_closed_costs_the_marker_but_nothing_else(tmp_path: Path) -> None:
    (tmp_path / CLEAN_MARKER).touch()
    root = Root.open(tmp_path)
    OpenLog(root, "orders-0", OSError(errno.EIO, "no disk"))
    OpenLog(root, "orders-1", OSError(errno.ENOSPC, "no space"))
    OpenLog(root, "orders-2")
    root.set_recovery_point("orders", 2, 5)
    with pytest.raises(OSError, match="no disk") as caught:
        root.close()
    assert caught.value.__notes__ == ["also: OSError(28, 'no space')"]
    assert root.is_closed and not (tmp_path / CLEAN_MARKER).exists()
    assert (tmp_path / RECOVERY_POINTS).exists()
    assert not refused_elsewhere(tmp_path)


def test_an_abandoned_root_is_as_after_a_crash(tmp_path: Path) -> None:
    (tmp_path / CLEAN_MARKER).touch()
    root = Root.open(tmp_path)
    log = OpenLog(root, "orders-0")
    root.set_recovery_point("orders", 0, 5)
    root.abandon()
    log.close()
    root.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK_FILE, "orders-0"]
    with Root.open(tmp_path) as again:
        assert not again.was_clean


def run(path: Path, storage: Storage) -> None:
    """A root's life."""
    root = Root.open(path, storage=storage)
    log = OpenLog(root, "orders-0")
    root.set_recovery_point("orders", 0, 5)
    root.checkpoint()
    root.set_recovery_point("orders", 0, 7)
    root.set_high_watermark("orders", 0, 7)
    log.close()
    root.close()


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, None])
def test_a_disk_that_fails_at_any_step(tmp_path: Path, error: int | None) -> None:
    """The root is let go of, the checkpoints are whole, and a marker only stands behind all of them."""
    whole = FaultyStorage()
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / CLEAN_MARKER).touch()
    run(tmp_path / "0", whole)
    assert len(whole.trace) > 20
    for at in range(1, len(whole.trace) + 1):
        path = tmp_path / str(at)
        path.mkdir()
        (path / CLEAN_MARKER).touch()
        storage = FaultyStorage(Fault(at, error))
        with pytest.raises(Death if error is None else OSError):
            run(path, storage)
        lock = RootLock.of(path)
        if lock is not None:  # it failed in between: as in a program that does not catch it, and ends
            assert isinstance(lock.owner, Root)
            lock.owner.abandon()
        data = (path / RECOVERY_POINTS).read_bytes() if (path / RECOVERY_POINTS).exists() else None
        assert data in (None, b"0\n1\norders 0 5\n", b"0\n1\norders 0 7\n")
        is_early = storage.trace[at - 1].name == LOCK_FILE or storage.trace[at - 1][1:] == ("unlink", CLEAN_MARKER)
        if (path / CLEAN_MARKER).exists() and not is_early:
            assert data == b"0\n1\norders 0 7\n"
        with Root.open(path) as again:
            assert not again.problems


def test_a_log_that_is_refused_leaves_the_root_as_clean_as_it_was(tmp_path: Path) -> None:
    for name in ("sound-0", "damaged-0"):
        with Log.open(tmp_path / name) as log:
            log.append([b"a", b"b"])
    metadata = tmp_path / "damaged-0" / "partition.metadata"
    metadata.write_bytes(b"no metadata")
    for _ in range(2):
        with pytest.raises(DamagedLogError):
            Log.open(tmp_path / "damaged-0")
        assert (tmp_path / CLEAN_MARKER).exists()
    with Log.open(tmp_path / "sound-0") as log:
        assert log.report.is_clean


def test_a_refused_root_gets_no_folder(tmp_path: Path) -> None:
    """A broker that holds the root would take an empty folder for a partition, and call it stray."""
    with Root.open(tmp_path / "root") as root:
        with pytest.raises(errors.RootLockedError):
            Log.open(tmp_path / "root" / "new-0")
        with pytest.raises(UsageError, match="topic"):
            Log.open(tmp_path / "root" / "no topic-0", root=root)
    assert not list((tmp_path / "root").glob("*-0"))


def test_a_root_whose_lock_file_was_removed_is_not_written_to(stage: Stage) -> None:
    """Another process makes a new one, and is let in."""
    log = stage.open()
    log.append([b"value"])
    (stage.root / ".lock").unlink()
    with pytest.raises(errors.RootLockedError, match="was removed"):
        log.flush()
    assert log.has_failed
    with pytest.raises(errors.RootLockedError):
        log.close()
    assert not (stage.root / CLEAN_MARKER).exists()


def test_a_forked_child_is_refused_also_while_its_parent_works(stage: Stage) -> None:
    """It waited for ever, for a lock whose holder it does not have."""
    log = stage.open()
    log.append([b"value"])
    holds, done = threading.Event(), threading.Event()

    def work() -> None:
        with log._guard.lock:
            holds.set()
            done.wait(20)

    thread = threading.Thread(target=work)
    thread.start()
    holds.wait(10)
    child = os.fork()
    if not child:
        signal.alarm(10)
        refused = 0
        for call in (lambda: log.append([b"value"]), lambda: log.read(0), log.flush, log.close, log.delete):
            try:
                call()
            except errors.RootLockedError:
                refused += 1
        os._exit(refused)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert log.append([b"value"]) == 1
