"""Waiting for a root that somebody else holds: another process, or another owner in this one."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import RootLockedError, UsageError
from kformat_engine import Log, Root

OPENERS: dict[str, Any] = {
    "Log": lambda root, **how: Log.open(root / "orders-0", **how),
    "Root": lambda root, **how: Root.open(root, **how),
}
HOLDER = """
import sys
from kformat_engine import Log
log = Log.open(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
log.close()
"""
each_opener = pytest.mark.parametrize("opener", OPENERS.values(), ids=OPENERS)


@each_opener
def test_a_root_of_another_process_is_waited_for(tmp_path: Path, opener: Any) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "orders-0")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RootLockedError):
            opener(tmp_path)
        began = time.monotonic()
        with pytest.raises(RootLockedError):
            opener(tmp_path, lock_timeout_s=0.3)
        assert 0.3 <= time.monotonic() - began < 10
        release = threading.Timer(0.3, lambda: (holder.stdin.write("\n"), holder.stdin.flush()))  # type: ignore[union-attr]
        release.start()
        with opener(tmp_path, lock_timeout_s=60):
            assert holder.wait(30) == 0
        release.join()


@each_opener
@pytest.mark.parametrize("owner", OPENERS.values(), ids=OPENERS)
def test_an_owner_in_this_process_is_waited_for(tmp_path: Path, opener: Any, owner: Any) -> None:
    held = owner(tmp_path)
    with pytest.raises(RootLockedError):
        opener(tmp_path, lock_timeout_s=0.1)
    release = threading.Timer(0.3, held.close)
    release.start()
    with opener(tmp_path, lock_timeout_s=60) as opened:
        assert not opened.is_closed and held.is_closed
    release.join()


def test_nothing_else_is_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(FileNotFoundError):
        Log.open(tmp_path / "orders-0", create=False, lock_timeout_s=60)
    with pytest.raises(UsageError):
        Log.open(tmp_path / "orders", lock_timeout_s=60)
    wrong: Any
    for wrong in (-1, "5", float("nan"), None):
        for opener in OPENERS.values():
            with pytest.raises(UsageError, match="is not a number of seconds"):
                opener(tmp_path, lock_timeout_s=wrong)
    assert time.monotonic() - began < 30
    with Log.open(tmp_path / "orders-0", lock_timeout_s=60) as log:
        assert log.append([b"v"]) == 0


def test_attempts_leave_no_thread_and_no_open_file_behind(tmp_path: Path) -> None:
    with Root.open(tmp_path):
        threads, files = threading.active_count(), _open_files()
        with pytest.raises(RootLockedError):
            Log.open(tmp_path / "orders-0", lock_timeout_s=0.5)
        assert (threading.active_count(), _open_files()) == (threads, files)


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0
