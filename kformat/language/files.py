"""Whether the files of a declaration are still what was read, so that it need not be read again at each parse.

A file counts as the same if its device, inode, size, modification time and inode change time are: programs may restore
the modification time. Times are coarse: a file that changed within `COARSE_NS` of being read could change once more
with the same time, so its bytes are compared until it is older.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any, Final

COARSE_NS: Final = 100_000_000
"""Longer than the steps in which file systems count the time of a change (10 ms, FAT left aside)."""

Stamp = tuple[int, int, int, int, int]


def stamp(path: str, stat: Any = os.stat) -> Stamp | None:
    """The status of a file, which changes with its contents; None if there is no such file."""
    try:
        status = stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@dataclass(slots=True)
class Seen:
    """The files that one load looked for. Call `look` before a file is read, or found not to be there."""

    stamps: dict[str, Stamp | None] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    """What was read, while a file is so young that its time alone does not show a change."""
    search_path: str | None = None
    """``KSPATH`` as it was, where it was used."""

    def look(self, path: str) -> None:
        self.stamps.setdefault(path, stamp(path))

    def read(self, path: str, data: bytes) -> None:
        self.texts[path] = data

    def is_current(self) -> bool:
        """Whether reading all files again would find the same."""
        now_ns = time.time_ns() if self.texts else 0
        for path, seen in self.stamps.items():
            if stamp(path) != seen:
                return False
        if self.search_path is not None and self.search_path != os.environ.get("KSPATH", ""):
            return False
        return not self.texts or self._are_texts_same(now_ns)

    def _are_texts_same(self, now_ns: int) -> bool:
        for path, data in list(self.texts.items()):
            try:
                with open(path, "rb") as file:
                    if file.read(len(data) + 1) != data:
                        return False
            except OSError:  # reading it again says why
                return False
            seen: Any = self.stamps[path]
            if max(seen[3:]) < now_ns - COARSE_NS:
                del self.texts[path]
        return True
