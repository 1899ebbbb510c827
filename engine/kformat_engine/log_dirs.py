"""The directories of a manager: which are open, which failed, and their schedulers (log.dirs)."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from kformat.errors import KformatError, UsageError
from kformat.storage.address import local_path
from kformat_engine.coordinator import Coordinator
from kformat_engine.errors import LogDirOfflineError
from kformat_engine.root import Root
from kformat_engine.scheduler import Scheduler
from kformat_engine.storage import Storage

LOG: Final = logging.getLogger(__name__)


class LogDirs:
    """Directories, in the order in which new partitions go to them; see `open`.

    Attributes:
        roots, schedulers: of those that could be opened, by their paths.
        error_count, last_error: of what was noted.
    """

    def __init__(
        self, directories: Sequence[Path], storage: Storage, scheduler: Callable[[Path], Scheduler] | None
    ) -> None:
        """``scheduler`` returns the scheduler of a directory's background work; by default its root's own."""
        self.directories, self._storage, self._scheduler_of = tuple(directories), storage, scheduler
        self.roots: dict[Path, Root] = {}
        self.schedulers: dict[Path, Scheduler] = {}
        self._never_opened: dict[Path, OSError] = {}
        self.error_count = 0
        self.last_error: str | None = None

    def open(self, lock_timeout_s: float, create: bool, coordinator: Coordinator) -> None:
        """Open all directories for this process; OSError if every one fails."""
        for folder in self.directories:
            try:
                root = Root.open(folder, lock_timeout_s=lock_timeout_s, storage=self._storage, create=create)
            except OSError as error:
                self._never_opened[folder] = error
                continue
            root.fails_as_one = True
            root.coordinator(lambda: coordinator)
            self.roots[folder] = root
            self.schedulers[folder] = root.scheduler if self._scheduler_of is None else self._scheduler_of(folder)
        if not self.roots:
            raise next(iter(self._never_opened.values()))

    @property
    def offline(self) -> dict[Path, OSError]:
        """The directories that cannot be used, each with the error of its disk."""
        failed = {folder: root.failure for folder, root in self.roots.items() if root.failure is not None}
        return {**self._never_opened, **failed}

    def online(self) -> list[Root]:
        """The roots that can be used."""
        return [root for root in self.roots.values() if root.failure is None]

    def root_at(self, directory: str | os.PathLike[str]) -> Root:
        """The root of a directory; UsageError if it is none of these, LogDirOfflineError."""
        folder = local_path(directory).absolute()
        if folder not in self.directories:
            raise UsageError(f"{folder} is none of the directories {', '.join(map(str, self.directories))}")
        if folder in self._never_opened:
            error = self._never_opened[folder]
            raise LogDirOfflineError(f"{folder} is offline: {error}") from error
        root = self.roots[folder]
        root.check_online()
        return root

    def note(self, error: BaseException) -> None:
        """Count an error that is not raised to a caller."""
        self.error_count += 1
        self.last_error = f"{type(error).__name__}: {error}"
        LOG.warning("background work of %s failed: %r", ", ".join(map(str, self.directories)), error)

    @contextlib.contextmanager
    def noted(self, root: Root) -> Iterator[None]:
        """Count an error, and go on; one of the disk takes the directory offline."""
        try:
            yield
        except (KformatError, OSError) as error:
            root.note_failure(error)
            self.note(error)


@contextlib.contextmanager
def blamed(root: Root) -> Iterator[None]:
    """Take the root offline on an error of the disk, which is still raised."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        root.note_failure(error)
        raise
