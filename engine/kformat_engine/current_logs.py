"""A manager's open logs, those that it could not open, and those that it is about to remove (LogManager's currentLogs
and logsToBeDeleted)."""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from kformat.errors import KformatError, UsageError
from kformat.kafka.files.file_kinds import folder_name
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat_engine.config import LogConfig
from kformat_engine.coordinator import STATE_CONFIG
from kformat_engine.errors import LogClosedError, LogError
from kformat_engine.log import Log
from kformat_engine.log_dirs import LogDirs
from kformat_engine.recovery.opening import Approve
from kformat_engine.root import Root
from kformat_engine.storage import Clock, Storage

_NO_FILE: Final = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO)
"""The system's errors for a folder, a device, a pipe or a link where a file is expected: the disk works."""

Key = tuple[str, int]
"""Topic and partition."""


class CurrentLogs:
    """The logs of a manager.

    Attributes:
        logs: those that are open. refused: the errors of those that were not opened.
        configs: topic -> its own; `config`: of the others.
        is_closed: whether the manager was closed.
    """

    def __init__(
        self,
        dirs: LogDirs,
        config: LogConfig,
        configs: Mapping[str, LogConfig],
        *,
        mode: Literal["strict", "salvage", "kafka"],
        approve: Approve | None,
        clock: Clock,
        storage: Storage,
    ) -> None:
        self.config, self.configs = config, {TRANSACTION_STATE_TOPIC: STATE_CONFIG, **configs}
        self.logs: dict[Key, Log] = {}
        self.refused: dict[Key, KformatError] = {}
        self.is_closed = False
        self._dirs, self._mode, self._approve, self._clock, self._storage = dirs, mode, approve, clock, storage

    def check_open(self) -> None:
        """Raise LogClosedError if the manager was closed."""
        if self.is_closed:
            raise LogClosedError("the manager was closed")

    def open(self, root: Root, topic: str, partition: int, topic_id: str | None = None) -> Log | None:
        """Open a log of a root; None if it is refused."""
        key = topic, partition
        try:
            log = Log.open(
                root.path / folder_name(topic, partition),
                self.configs.get(topic, self.config),
                root=root,
                mode=self._mode,
                approve=self._approve,
                topic_id=topic_id,
                clock=self._clock,
                storage=self._storage,
                scheduler=self._dirs.schedulers[root.path],
            )
        except LogError as error:
            refusal: KformatError = error
        except OSError as error:
            if error.errno not in _NO_FILE or error.filename is None:
                raise
            refusal = LogError(f"{os.fsdecode(error.filename)}: {error.strerror}")
        except UsageError as error:
            if topic_id is not None:
                raise
            refusal = error
        else:
            self.refused.pop(key, None)
            self.logs[key] = log
            return log
        self.refused[key] = refusal
        return None

    def online(self) -> list[Log]:
        """The logs of the directories that are online."""
        return [log for log in self.logs.copy().values() if log.root.failure is None]

    def of(self, root: Root) -> list[Log]:
        """The logs of a directory."""
        return [log for log in self.logs.copy().values() if log.root is root]


class DeletedPartitions:
    """Folders of partitions that are to be removed: they end in ``-delete``."""

    def __init__(self, dirs: LogDirs, storage: Storage) -> None:
        self._dirs, self._storage = dirs, storage
        self._roots: dict[Path, Root] = {}

    def add(self, log: Log) -> None:
        """Rename the folder of a closed log, and schedule its removal."""
        root = log.root
        path = root.path / folder_name(log.topic, log.partition, "delete", uuid.uuid4().hex)
        self._storage.rename(log.path, path)
        self._storage.sync_directory(root.path)
        self._roots[path] = root
        self._dirs.schedulers[root.path].schedule(
            "delete-folder", lambda: self._remove(path), log.config.file_delete_delay_ms
        )

    def remove_all(self) -> None:
        """Remove now all folders that wait for it."""
        for path in list(self._roots):
            self._remove(path)

    def _remove(self, path: Path) -> None:
        root = self._roots.pop(path, None)
        if root is not None and root.failure is None and path.exists():
            try:
                with self._dirs.noted(root):
                    remove_folder(path, self._storage)
            except BaseException:  # an interrupt: the next call removes the rest
                self._roots[path] = root
                raise


def remove_folder(path: Path, storage: Storage) -> None:
    """Remove a folder and its content; of a link only the link."""
    for name in sorted(os.listdir(path)):
        inner = path / name
        if inner.is_dir() and not inner.is_symlink():
            remove_folder(inner, storage)
        else:
            storage.unlink(inner)
    storage.remove_directory(path)
