"""Which partitions of a root: those of some topics, by patterns, without others, and of some numbers."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import parse_folder_name, parse_remote_folder_name
from kformat.language.mark import nearest
from kformat.storage.address import folder_name

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """Names or patterns (``orders*``) of topics, those that are left out, and numbers; None: all."""

    topics: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    partitions: frozenset[int] | None = None

    def __bool__(self) -> bool:
        return self.topics is not None or bool(self.exclude) or self.partitions is not None

    def takes(self, topic: str, partition: int) -> bool:
        """Whether a partition is chosen."""
        if self.partitions is not None and partition not in self.partitions:
            return False
        if any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.exclude):
            return False
        return self.topics is None or any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.topics)

    def of(self, paths: Sequence[Path]) -> list[Path]:
        """The chosen ones of the folders of partitions; those whose names are none of a partition are not.

        Raises UsageError if there are folders, and none is chosen.
        """
        if not self or not paths:
            return list(paths)
        named = [
            (path, parse_folder_name(folder_name(path)) or parse_remote_folder_name(folder_name(path)))
            for path in paths
        ]
        found = [path for path, name in named if name is not None and self.takes(name.topic, name.partition)]
        if not found:
            raise UsageError(self._why({name.topic for _, name in named if name is not None}))
        return found

    def _why(self, topics: set[str]) -> str:
        there = sorted(topics)
        names = ", ".join(there[:_MOST_NAMED]) + (f", ... ({len(there)})" if len(there) > _MOST_NAMED else "")
        for pattern in self.topics or ():
            if not any(fnmatch.fnmatchcase(topic, pattern) for topic in topics):
                return f"no topic {pattern!r:.100}{nearest(pattern, there)}; there are {names or 'none'}"
        return f"no partition is chosen; there are the topics {names or 'none'}"


def chosen(topics: Any, exclude: Any, partitions: Any) -> Chosen:
    """What a caller chose: a name or pattern or several, and a number or several. Raises UsageError."""
    numbers: list[Any] | None = None
    if partitions is not None:
        numbers = list(partitions) if isinstance(partitions, Iterable) else [partitions]
        if not all(type(number) is int for number in numbers):
            raise UsageError(f"partitions are {partitions!r:.100}; numbers are expected")
    return Chosen(
        None if topics is None else _patterns(topics, "topics"),
        () if exclude is None else _patterns(exclude, "exclude"),
        None if numbers is None else frozenset(numbers),
    )


def _patterns(given: Any, name: str) -> tuple[str, ...]:
    patterns = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise UsageError(f"{name} is {given!r:.100}; names or patterns of topics are expected")
    return patterns


__all__ = ["Chosen", "chosen"]
