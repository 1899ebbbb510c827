"""Waiting for changes in a folder: reported by the kernel, and where nothing reports them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kformat.storage import changes as module
from kformat.storage.changes import FolderChanges

LONG_S = 60.0
"""Nobody waits so long: a test that did would be seen."""
ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel reports no changes here")


class NoWatchLeft:
    """The C library of a user who has used up all watches."""

    def __init__(self) -> None:
        self.descriptor = -1

    def inotify_init1(self, flags: int) -> int:
        self.descriptor = os.open(os.devnull, os.O_RDONLY)
        return self.descriptor

    def inotify_add_watch(self, *_: object) -> int:
        return -1


def seconds(changes: FolderChanges, longest_s: float) -> float:
    """How long a wait took."""
    began = time.monotonic()
    changes.wait(longest_s)
    return time.monotonic() - began


@ON_LINUX
@pytest.mark.parametrize("change", ["modified", "created", "renamed", "deleted", "by another process"])
def test_a_change_ends_the_wait(tmp_path: Path, change: str) -> None:
    (file := tmp_path / "a").write_bytes(b"a")
    changes = FolderChanges(tmp_path)
    assert changes.are_reported
    for _ in range(2):  # before the wait, which it ends at once
        match change:
            case "modified":
                with open(file, "ab") as stream:
                    stream.write(b"b")
            case "created":
                (tmp_path / str(time.monotonic_ns())).touch()
            case "renamed":
                file = file.rename(tmp_path / str(time.monotonic_ns()))
            case "deleted":
                (tmp_path / "b").touch()
                (tmp_path / "b").unlink()
            case _:
                write = "import sys, time; time.sleep(0.05); open(sys.argv[1], 'ab').write(b'b')"
                subprocess.Popen([sys.executable, "-c", write, str(file)])
        assert seconds(changes, LONG_S) < LONG_S / 2
    while seconds(changes, 0.02) < 0.02:  # what else the other process did
        pass
    changes.close()
    changes.close()


def test_pauses_grow_where_nothing_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_library", lambda: None)
    slept = list[float]()
    monkeypatch.setattr("kformat.storage.changes.time.sleep", slept.append)
    changes = FolderChanges(tmp_path)
    assert not changes.are_reported
    for _ in range(6):
        changes.wait(0.02)
    changes.restart()
    changes.wait(0.02)
    changes.close()
    assert slept == [0.001, 0.002, 0.004, 0.008, 0.016, 0.02, 0.001]


def test_without_a_watch_time_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not FolderChanges(tmp_path / "missing").are_reported
    library = NoWatchLeft()
    monkeypatch.setattr(module, "_library", lambda: library)
    assert not FolderChanges(tmp_path).are_reported
    with pytest.raises(OSError, match="descriptor"):
        os.close(library.descriptor)  # it was closed
