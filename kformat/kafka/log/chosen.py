"""Which partitions of a root: those of some topics, by patterns, without others, and of some numbers."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import FolderName, parse_folder_name, parse_remote_folder_name
from kformat.language.mark import nearest
from kformat.storage.address import folder_name, folder_of, is_dir, scan

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """Names or patterns (``orders*``) of topics, those that are left out, and numbers; None: all."""

    topics: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    partitions: frozenset[int] | None = None

    def __bool__(self) -> bool:
        return self.topics is not None or bool(self.exclude) or self.partitions is not None

    @property
    def arguments(self) -> dict[str, Any]:
        """As the arguments of functions that take a choice; empty where all are chosen."""
        if not self:
            return {}
        topics = None if self.topics is None else list(self.topics)
        numbers = None if self.partitions is None else sorted(self.partitions)
        return {"topics": topics, "exclude": list(self.exclude), "partitions": numbers}

    def takes(self, topic: str, partition: int) -> bool:
        """Whether a partition is chosen."""
        if self.partitions is not None and partition not in self.partitions:
            return False
        if any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.exclude):
            return False
        return self.topics is None or any(fnmatch.fnmatchcase(topic, pattern) for pattern in self.topics)

    def takes_row(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of a cluster's state is about a chosen partition; any row is, if there is no choice."""
        return not self or (row["topic"] is not None and self.takes(row["topic"], row["partition"]))

    def of(self, paths: Sequence[Path]) -> list[Path]:
        """The chosen ones of the paths of partitions; see `of_each`."""
        return self.of_each([paths])[0]

    def of_each(self, listings: Sequence[Sequence[Path]]) -> list[list[Path]]:
        """The chosen ones of the paths of partitions, root by root: what one root does not have, another may.

        A path without a partition's name is not chosen, unless it is missing, or a folder that cannot be listed, which
        the caller then reports.

        Raises UsageError if there are paths, all can be listed, and `check` refuses the choice.
        """
        if not self:
            return [list(paths) for paths in listings]
        named = [[(path, partition_name(path)) for path in paths] for paths in listings]
        unknown = {path for paths in named for path, name in paths if name is None and _is_unknown(path)}
        if any(named) and not unknown:
            self.check({name for paths in named for _, name in paths if name is not None})
        return [
            [path for path, name in paths if (path in unknown if name is None else self.takes(*name))]
            for paths in named
        ]

    def check(self, partitions: Collection[tuple[str, int]], option: str = "") -> None:
        """Raise UsageError if none of some partitions is chosen, and as `check_names`."""
        topics = sorted({topic for topic, _ in partitions})
        self.check_names(topics, option)
        if any(self.takes(*key) for key in partitions):
            return
        of_topics = Chosen(self.topics, self.exclude)
        named = sorted({number for topic, number in partitions if of_topics.takes(topic, number)})
        if named and self.partitions is not None:
            wrong = ", ".join(map(str, sorted(self.partitions)))
            raise UsageError(f"no partition {wrong}; those of the chosen topics are {_listed(named)}")
        for pattern in self.topics or ():
            if not any(fnmatch.fnmatchcase(topic, pattern) for topic in topics):
                raise _no_topic(pattern, topics, option)
        raise UsageError(f"no partition is chosen; there are the topics {_listed(topics)}")

    def check_names(self, topics: Collection[str], option: str = "") -> None:
        """Raise UsageError if a topic that is named without a wildcard is not there. ``option`` begins the message.

        Kafka's own topics may be excluded where there are none.
        """
        for pattern in (*(self.topics or ()), *(name for name in self.exclude if not name.startswith("__"))):
            if pattern not in topics and is_name(pattern):
                raise _no_topic(pattern, topics, option)


def _no_topic(pattern: str, topics: Iterable[str], option: str) -> UsageError:
    there = sorted(topics)
    hint = nearest(pattern, there)
    there_are = " There are" if hint else "; there are"
    return UsageError(f"{option}no topic {pattern!r:.100}{hint}{there_are} {_listed(there)}")


def _listed(items: Sequence[str | int]) -> str:
    more = f", ... ({len(items)})" if len(items) > _MOST_NAMED else ""
    return ", ".join(map(str, items[:_MOST_NAMED])) + more or "none"


def is_name(pattern: str) -> bool:
    """Whether a pattern is the name of one topic: Kafka allows no wildcards in names."""
    return not any(character in pattern for character in "*?[")


def partition_name(path: Path) -> tuple[str, int] | None:
    """Topic and number of a partition, by the name of its folder, or of the folder around one of its files; None for
    any other path. Raises OSError for an address that cannot be reached."""
    name = _parsed(folder_name(path))
    if name is None and not is_dir(path):
        name = _parsed(folder_name(folder_of(path)))
    return None if name is None else (name.topic, name.partition)


def _parsed(name: str) -> FolderName | None:
    return parse_folder_name(name) or parse_remote_folder_name(name)


def _is_unknown(path: Path) -> bool:
    """Whether a path is missing, or a folder that cannot be listed."""
    try:
        scan(path, keep=True)
    except FileNotFoundError:
        return True
    except OSError:
        return is_dir(path)
    return False


class Choice(TypedDict, total=False):
    """The arguments of `chosen`, where functions only pass them on."""

    topics: str | Iterable[str] | None
    exclude: str | Iterable[str]
    partitions: int | Iterable[int] | None


def chosen(topics: Any = None, exclude: Any = None, partitions: Any = None) -> Chosen:
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


__all__ = ["Choice", "Chosen", "chosen", "partition_name"]
