"""The lock of a root: who opens the file, what is believed of it, and that reading does not cost it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kformat
import kformat_engine
from kformat.errors import RootLockedError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.log.log_reader import LogReader
from kformat.storage import root_lock
from kformat.storage.byte_source import ByteSource
from kformat.storage.root_lock import LOCK_FILE, RootLock
from kformat_engine import Log

HOUSE = [Path(next(iter(package.__path__))) for package in (kformat, kformat_engine)]

TRY = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'rb+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
"""What a broker does."""


def is_held(root: Path) -> bool:
    """Whether another process is refused the lock."""
    command = [sys.executable, "-S", "-c", TRY, str(root / LOCK_FILE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 or "BlockingIOError" in done.stderr
    return done.returncode != 0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a log, which nobody has."""
    with Log.open(tmp_path / "root" / "orders-0") as log:
        log.append([b"value"])
    return tmp_path / "root"


def test_one_module_opens_the_file() -> None:
    """Nothing else takes a lock of the system's, or says the file's name to anybody but that module."""
    found: dict[str, set[str]] = {"lock": set(), "name": set(), "constant": set()}
    for path in (path for house in HOUSE for path in house.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"fcntl|LOCK_FILE|\.lock", text):  # to parse all of them takes seconds
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                if LOCK_FILE in names or "LOCK_FILE" in names:
                    found["name"].add(path.name)
            elif isinstance(node, ast.Attribute) and node.attr in ("lockf", "flock"):
                found["lock"].add(path.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith("/.lock"):
                found["constant"].add(path.name)
            elif isinstance(node, ast.Constant) and node.value == ".lock":
                found["constant"].add(path.name)
    assert found["lock"] == found["constant"] == {"root_lock.py"}
    # They compare names, and ask whether the file is there.
    assert found["name"] == {"file_kinds.py", "comparison.py", "reindex.py"}


READERS: dict[str, Callable[[Path], Any]] = {
    "diff": lambda root: list(kformat.diff(root, root)),
    "diff records": lambda root: list(kformat.diff(root, root, records=True)),
    "check": kformat.check,
    "check records": lambda root: kformat.check(root / "orders-0"),
    "LogReader": lambda root: list(LogReader.open(root / "orders-0").records()),
    "open": lambda root: list(kformat.open(root / "orders-0").records()),
    "roots": lambda root: list(kformat.iter_partitions(root)),
    "stats": lambda root: kformat.stats(root / "orders-0"),
}
OF_THE_FILE: dict[str, Callable[[Path], Any]] = {
    "diff": lambda lock: list(kformat.diff(lock, lock)),
    "headers": read_batch_headers,
    "source": ByteSource,
}


@pytest.mark.parametrize("name", READERS)
def test_readers_do_not_cost_the_writer_its_lock(root: Path, name: str) -> None:
    with Log.open(root / "orders-0") as log:
        READERS[name](root)
        assert is_held(root)
        log.append([b"value"])


@pytest.mark.parametrize("how", ["name", "link", "second name"])
@pytest.mark.parametrize("name", OF_THE_FILE)
def test_who_is_given_the_file_to_read_is_refused_while_it_is_held(root: Path, name: str, how: str) -> None:
    path = root / LOCK_FILE if how == "name" else root.parent / "another"
    with Log.open(root / "orders-0"):
        if how == "link":
            path.symlink_to(root / LOCK_FILE)
        elif how == "second name":
            path.hardlink_to(root / LOCK_FILE)
        with pytest.raises(RootLockedError, match="which this process holds: reading it would release it"):
            OF_THE_FILE[name](path)
        assert is_held(root)


# --- what somebody put there ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["nothing", "a file", "a folder"])
def test_a_link_is_not_followed(tmp_path: Path, target: str) -> None:
    """A dangling one made `Log.open` create what it points at."""
    root, victim = tmp_path / "root", tmp_path / "victim"
    root.mkdir()
    if target == "a file":
        victim.write_bytes(b"precious")
    elif target == "a folder":
        victim.mkdir()
    (root / LOCK_FILE).symlink_to(victim)
    with pytest.raises(RootLockedError, match=r"\.lock is a link or not a file"):
        Log.open(root / "orders-0")
    assert not (root / "orders-0").exists()
    assert victim.exists() == (target != "nothing")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_no_lock(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / LOCK_FILE)
    with pytest.raises(RootLockedError, match=r"\.lock is a link or not a file"):
        RootLock(tmp_path).take()


def test_another_name_of_a_held_lock_does_not_cost_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened and closed it would be gone; also where it becomes one between the look at it and the opening."""
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
    with RootLock(tmp_path / "mine").take() as mine:
        (tmp_path / "other" / LOCK_FILE).hardlink_to(tmp_path / "mine" / LOCK_FILE)
        other = RootLock(tmp_path / "other")
        for is_seen_before in (True, False):
            with monkeypatch.context() as patch, pytest.raises(RootLockedError, match="is another name of the lock of"):
                if not is_seen_before:
                    answers = iter([None, mine])
                    patch.setattr(root_lock, "_holder_of", lambda file, answers=answers: next(answers))
                other.take()
            assert is_held(tmp_path / "mine") and mine.is_held and not other.is_held
    assert not is_held(tmp_path / "mine")


def test_only_a_file_that_is_made_is_given_to_the_owner_of_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[int]()
    monkeypatch.setattr(root_lock, "give_away", lambda descriptor, owner: given.append(owner.st_ino))
    for _ in range(2):
        RootLock(tmp_path).take().release()
    assert given == [tmp_path.stat().st_ino]


# --- the registry -----------------------------------------------------------------------------------------------------


def test_a_lock_is_known_by_folder_and_by_path(tmp_path: Path) -> None:
    root, moved = tmp_path / "root", tmp_path / "moved"
    root.mkdir()
    with RootLock(root, "somebody").take() as lock:
        (tmp_path / "link").symlink_to(root)
        root.rename(moved)
        root.mkdir()
        for path in (root, moved):
            assert RootLock.of(path) is lock
            with pytest.raises(RootLockedError, match="is open in this process already"):
                RootLock(path).take()
        with pytest.raises(RootLockedError, match="was removed"):
            lock.refresh()
    assert RootLock.of(root) is RootLock.of(moved) is None
    RootLock(root).take().release()


def test_a_lock_whose_file_was_exchanged_keeps_nobody_out(tmp_path: Path) -> None:
    """Another process locks the file that has the name now."""
    with RootLock(tmp_path).take() as lock:
        lock.refresh()
        (tmp_path / "other").touch()
        (tmp_path / "other").replace(tmp_path / LOCK_FILE)
        with pytest.raises(RootLockedError, match="was removed: another process may own the root"):
            lock.refresh()


def test_who_waits_gets_it_when_it_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in one process, where the system would have granted it at once."""
    first = RootLock(tmp_path).take()
    pauses = list[float]()

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            first.release()

    monkeypatch.setattr(time, "sleep", sleep)
    with RootLock(tmp_path).take(wait_s=60) as second:
        assert len(pauses) == 3 and second.is_held and not first.is_held
