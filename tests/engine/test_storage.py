"""What the disk is asked for, and how it says that it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kformat_engine.storage import DISK, File


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
