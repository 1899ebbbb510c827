"""Records of the cluster's metadata that the feature levels before them do not allow.

A level counts from the record that states it. At the beginning of a log it is not known, unless a snapshot next to it
says so; nor is it after damage, in which a statement may be lost. Where a level is not known, what needs it is not
judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from kformat.check.records import others_text
from kformat.kafka.findings.rules import Finding, rule
from kformat.kafka.messages.decoding import KafkaMessage
from kformat.kafka.messages.features import METADATA_VERSION, Level, least_level

NOT_ALLOWED: Final = rule(
    "KF0904",
    "warning",
    "A record of the cluster's metadata has a type and a version that the feature levels stated before it allow.",
    source="MetadataVersion, EligibleLeaderReplicasVersion",
    kafka="Applies the record. A broker of a release that knows no more than the level says stops at it "
    "(MetadataParseException).",
)

_STATEMENT: Final = "FeatureLevelRecord"


@dataclass
class Needing:
    """Records of one type and version that need a level: where the first is, its offset, and how many there are."""

    position: int
    path: str
    offset: int
    count: int = 0


_Kind = tuple[str, int]
"""The name of a record's type, and its version."""


@dataclass
class LevelsOfLog:
    """What the records of one log, or of a snapshot, state of levels, and need.

    Attributes:
        levels: feature -> level, as they are at the end.
        first: feature -> the offset of the first record that states its level.
        early: what needs a level before one is stated. wrong: what a level does not allow, with that level.
        has_lost: whether records are missing, so that levels from before count no longer.
    """

    levels: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    early: dict[_Kind, Needing] = field(default_factory=dict)
    wrong: dict[tuple[_Kind, int], Needing] = field(default_factory=dict)
    has_lost: bool = False

    def lose(self) -> None:
        """Records are missing here."""
        self.levels.clear()
        self.has_lost = True

    def note(self, message: KafkaMessage, offset: int, position: int, path: str) -> None:
        """Take in a record; ``position`` is that of its batch."""
        name, version = message.schema.name, message.version
        needed = least_level(name, version)
        if name == _STATEMENT:
            value: Any = message.value
            self.levels[value.name] = int(getattr(value, "feature_level", 0))
            self.first.setdefault(value.name, offset)
        elif needed is not None:
            level = self.levels.get(needed.feature)
            needing = Needing(position, path, offset)
            if level is None and not self.has_lost and needed.feature not in self.first:
                self.early.setdefault((name, version), needing).count += 1
            elif level is not None and level < needed.level:
                self.wrong.setdefault(((name, version), level), needing).count += 1

    def findings(self, file: str) -> Iterator[Finding]:
        """What levels that are stated in the log do not allow, in order of position."""
        for (kind, level), needing in sorted(self.wrong.items(), key=lambda item: item[1].offset):
            yield _finding(file, kind, needing, level)


@dataclass
class LevelJournal:
    """The levels of a folder's metadata log: take its segments in order, then ask.

    ``snapshots``: end offset and levels of the snapshots next to it.
    """

    snapshots: list[tuple[int, dict[str, int]]]
    _start: int | None = None
    _levels: dict[str, int] = field(default_factory=dict)
    _first: dict[str, int] = field(default_factory=dict)
    _has_lost: bool = False
    _open: list[tuple[str, _Kind, Needing]] = field(default_factory=list)
    _wrong: list[Finding] = field(default_factory=list)

    def take(self, file: str, base_offset: int | None, log: LevelsOfLog, *, is_whole: bool) -> None:
        """Add a segment's; ``is_whole``: there was nothing but sound batches."""
        self._start = base_offset if self._start is None else self._start
        for kind, needing in log.early.items():
            needed = _needed(kind)
            level = self._levels.get(needed.feature)
            if level is not None and level < needed.level:
                self._wrong.append(_finding(file, kind, needing, level))
            elif level is None and not self._has_lost and needed.feature not in self._first:
                self._open.append((file, kind, needing))
        if log.has_lost or not is_whole:
            self._has_lost = True
            self._levels.clear()
            self._open.clear()
        if is_whole:
            self._levels |= log.levels
        self._first = log.first | self._first

    def findings(self) -> Iterator[Finding]:
        """What the levels from before a segment do not allow in it."""
        yield from self._wrong
        for file, kind, needing in self._open:
            needed = _needed(kind)
            level = self._before(needed.feature, needing.offset)
            if level is not None and level < needed.level:
                yield _finding(file, kind, needing, level)

    def _before(self, feature: str, offset: int) -> int | None:
        """The level of a feature that no record before an offset states; None if it is not known.

        A snapshot says it of all records before the first that states another. It has all levels above 0, as a log has
        that begins with the cluster.
        """
        first = self._first.get(feature)
        if self._start == 0 and feature != METADATA_VERSION and self._first.get(METADATA_VERSION, offset) < offset:
            return 0
        for end_offset, levels in self.snapshots:
            if self._start is not None and self._start <= end_offset and (first is None or end_offset <= first):
                return levels.get(feature, 0) if METADATA_VERSION in levels else None
        return None


def _needed(kind: _Kind) -> Level:
    level = least_level(*kind)
    assert level is not None, kind
    return level


def _finding(file: str, kind: _Kind, needing: Needing, level: int) -> Finding:
    needed = _needed(kind)
    stated = Level(needed.feature, level)
    text = f"offset {needing.offset}: {kind[0]} version {kind[1]} needs {needed}, and the level is {stated.words}"
    text += others_text(needing.count - 1)
    return NOT_ALLOWED.at(file, needing.position, f"{needing.path}.value", text, f">= {needed.level}", level)


__all__ = ["LevelJournal", "LevelsOfLog"]
