"""Wait until something changes in a folder, as a process that follows a file does.

On Linux the kernel reports changes (inotify), of this process and of others, within a fraction of a millisecond. Where
it does not, or has no watch left for this user, the folder is looked at again and again, first after a millisecond,
then after twice as long, and so on. A file system over a network reports nothing that another machine does: callers
bound each wait.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import select
import time
from typing import Any, Final

# Linux: include/uapi/linux/inotify.h; O_NONBLOCK and O_CLOEXEC are those of `os`.
_CHANGES: Final = 0x2 | 0x40 | 0x80 | 0x100 | 0x200  # modified, moved from and to here, created, deleted
_MOST_BYTES: Final = 1 << 16
_FIRST_PAUSE_S: Final = 0.001


class FolderChanges:
    """Watches a folder from its creation on, until `close`; not for several threads at once.

    A change between two calls of `wait` ends the second one at once, so that a caller that looks into the folder first
    misses nothing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._descriptor = _watch(os.fspath(path))
        self._pause_s = _FIRST_PAUSE_S

    @property
    def are_reported(self) -> bool:
        """Whether the kernel reports changes; otherwise `wait` only passes time."""
        return self._descriptor is not None

    @property
    def descriptor(self) -> int | None:
        """A descriptor that is readable after a change since the last `take`; None if nothing reports changes."""
        return self._descriptor

    def wait(self, longest_s: float) -> None:
        """Return after a change since the last call, or after some seconds; without reports often earlier."""
        if self._descriptor is None:
            time.sleep(self.pause_s(longest_s))
            return
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        if waiting.poll(max(0.0, longest_s) * 1000):
            self.take()

    def take(self) -> None:
        """Take the changes that were reported; the next ones make the descriptor readable again."""
        with contextlib.suppress(BlockingIOError):
            while self._descriptor is not None and os.read(self._descriptor, _MOST_BYTES):
                pass

    def pause_s(self, longest_s: float) -> float:
        """For how many seconds to wait before the next look, if nothing reports changes; longer from call to call."""
        pause_s = min(self._pause_s, longest_s)
        self._pause_s = min(2 * self._pause_s, max(longest_s, _FIRST_PAUSE_S))
        return pause_s

    def restart(self) -> None:
        """Begin with short pauses again, after a change was found."""
        self._pause_s = _FIRST_PAUSE_S

    def close(self) -> None:
        """Watch no longer; closing twice is no error."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _watch(path: str) -> int | None:
    """A descriptor that is readable after a change; None if there can be none."""
    library = _library()
    if library is None:
        return None
    descriptor = int(library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    if descriptor < 0:
        return None
    if library.inotify_add_watch(descriptor, os.fsencode(path), _CHANGES) < 0:
        os.close(descriptor)
        return None
    return descriptor


@functools.cache
def _library() -> Any:
    """The C library, if it has inotify. Two of its functions are all that is needed: no reason for a dependency."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):
        return None
    return library if hasattr(library, "inotify_init1") and hasattr(select, "poll") else None


__all__ = ["FolderChanges"]
