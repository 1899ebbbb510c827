"""Stored positions of readers, by name: where `LogReader.cursor` with a name begins, and what `Cursor.commit` writes.

A position is the next offset to read, as committed by Kafka's consumer groups. Each is a small file of its own,
replaced atomically (`kformat.storage.atomic_write`):

    FOLDER/NAME/DIGEST.json     {"name": "billing", "log": "/data/kafka-logs/orders-0", "next_offset": 42}

DIGEST is a hash of the log's path without links. A reader writes nothing next to the log: FOLDER is the caller's, or
``kformat/positions`` in the user's state folder (``$XDG_STATE_HOME``, else ``~/.local/state``; on macOS
``~/Library/Application Support``). If two readers use the same name, the last commit wins.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from kformat.errors import InvalidError, UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.file_kinds import MAX_TOPIC_CHARACTERS, PROPERTIES_FILE, is_topic_name
from kformat.storage.address import local_path
from kformat.storage.atomic_write import atomic_write, sync_folder


def default_folder() -> Path:
    """The default folder for positions; UsageError if the user's home is unknown."""
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "kformat" / "positions"
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "state"
    except RuntimeError:
        raise UsageError("positions: there is no home folder to keep them in; name a folder") from None
    return state / "kformat" / "positions"


class Position:
    """The stored position of one name in one log.

    Attributes:
        name: the reader's name. log: the path of the partition's folder, without links. path: the file.
    """

    def __init__(self, name: str, log: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> None:
        """UsageError for a name that is not valid for a topic or group in Kafka, and for a folder that a broker would
        treat as part of its log directory.
        """
        if not isinstance(name, str) or not is_topic_name(name):
            raise UsageError(
                f"{name!r} is not a valid name of a position: use ASCII letters, digits, '.', '_' and '-', at most "
                f"{MAX_TOPIC_CHARACTERS}, and neither '.' nor '..'"
            )
        self.name, self.log = name, os.path.realpath(log)
        top = Path(os.path.realpath(default_folder() if folder is None else local_path(folder)))
        partition = Path(self.log)
        is_brokers = (partition.parent / PROPERTIES_FILE).exists()
        if top.is_relative_to(partition.parent if is_brokers else partition):
            raise UsageError(f"{top}: positions are not kept in a broker's folders; name another folder")
        self.path = top / name / f"{hashlib.sha256(os.fsencode(self.log)).hexdigest()[:32]}.json"

    def read(self) -> int | None:
        """The next offset to read; None if nothing was committed.

        Raises InvalidError for a file that no commit wrote, OSError if it cannot be read.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            found = json.loads(data)
            offset, log = found["next_offset"], found["log"]
        except (ValueError, KeyError, TypeError, RecursionError):
            offset = log = None
        if type(offset) is not int or not 0 <= offset <= MAX_INT64 or log != _as_text(self.log):
            raise InvalidError("no position of this log", source=str(self.path), expected=_as_text(self.log), found=log)
        return offset

    def write(self, next_offset: int) -> None:
        """Store a position on disk before this returns. On OSError the old one remains."""
        folder = self.path.parent
        for missing in [part for part in reversed((folder, *folder.parents)) if not part.exists()]:
            missing.mkdir(exist_ok=True)
            sync_folder(missing.parent)
        kept = {"name": self.name, "log": _as_text(self.log), "next_offset": next_offset}
        atomic_write(self.path, json.dumps(kept).encode() + b"\n")


def _as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


__all__ = ["Position", "default_folder"]
