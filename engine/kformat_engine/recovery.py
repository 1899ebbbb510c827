"""Opening a partition's folder: what lies there, what has to be done about it, and doing it.

`examine_folder` looks and changes nothing; its `Report` is the dry run. `recover_folder` does what the report says and
opens the segments. What is done about what stands in `recovery_table`; here it is found out which state there is.

Rules:

* Leftovers of deletions, cleanings and splits first (LogLoader.load), then the segments in ascending order, then what
  lies beside them. A refusal is found before anything is changed.
* After an unclean shutdown every byte is looked at from the segment on that holds the recovery point. After a clean
  one: the end of the last segment, and the segments whose indexes have to be made anew.
* Bytes are copied aside, and the copy synced, before they are cut; later segments go before the earlier one is cut, the
  last first. So a recovery that dies is found by the next as a shorter way to the same end.
* What is kept aside is called ``torn-<base offset>-<position>.bytes``: brokers pass over such names. Nobody removes it.
  Zeros are cut without keeping them.
* Indexes are replaced as whole files, atomically.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from kformat.batches import AnyBatch, iter_batches, read_batch, read_batch_headers
from kformat.errors import DataError, InvalidError, TruncatedError, UsageError
from kformat.filenames import file_name, parse_file_name
from kformat.framing import CURRENT_MAGIC, PEEK_BYTES, Walk
from kformat.layout import layout
from kformat.partition import IndexFile, read_index
from kformat.sidecars import DEFAULT_LIMIT_BYTES, parse_leader_epochs, read_sidecar
from kformat.source import ByteSource
from kformat_engine.config import LogConfig
from kformat_engine.epochs import LeaderEpochs
from kformat_engine.errors import DamagedLogError
from kformat_engine.recovery_table import (
    ABOVE,
    BELOW,
    CLEAN,
    DAMAGED,
    EARLIER,
    FOLLOWS,
    INDEX,
    LAST,
    NO,
    RECOVERY,
    SOUND,
    TAIL,
    TOO_LARGE,
    UNCLEAN,
    UNREAD,
    UNSOUND,
    YES,
    Action,
    IndexCondition,
    Kind,
    Mode,
    Row,
    row_for,
)
from kformat_engine.segment import LogSegment
from kformat_engine.storage import DISK, Clock, Storage, wall_clock_ms
from kformat_engine.verify import MAX_LOG_BYTES, MAX_RELATIVE_OFFSET, LogEnd, Verified, verify_log

_COPY_BYTES: Final = 4 << 20
_SHORT_INDEX_BYTES: Final = 1 << 20
"""An offset index is short where a batch begins this far, or an index interval, behind its last entry. Cleaners and old
brokers write entries that far apart and more; making such an index anew costs a read of the log, once."""
_EPOCHS: Final = "leader-epoch-checkpoint"
_METADATA: Final = "partition.metadata"
_KEPT_ASIDE: Final = re.compile(r"torn-[0-9a-z-]+\.bytes")
_TEMPORARY: Final = re.compile(rf"({_KEPT_ASIDE.pattern}|[0-9]{{20}}\.[a-z]+|{_EPOCHS}|{re.escape(_METADATA)})\.tmp")
_INDEX_SUFFIXES: Final = ("index", "timeindex", "txnindex")
_INDEX_KINDS: Final = {"offset_index": "index", "time_index": "timeindex", "transaction_index": "txnindex"}
_CUTS: Final = (Action.CUT, Action.CUT_SEGMENT, Action.EMPTY)


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        file: its name in the folder; ``""`` for the log as a whole.
        state: dimension -> value, see `recovery_table.DIMENSIONS`.
        row: of the table; it says the action, and why.
        detail: what exactly was found.
        position: where in the file it begins, bytes; None where it is the whole of it.
        aside: the name of the file that keeps what is taken away; None where nothing is.
    """

    file: str
    kind: Kind
    state: Mapping[str, str]
    row: Row
    detail: str = ""
    position: int | None = None
    aside: str | None = None

    @property
    def action(self) -> Action:
        return self.row.action

    @property
    def changes(self) -> bool:
        """Whether anything on disk changes for it; that the indexes in use get room counts as nothing."""
        return self.action not in (Action.KEEP, Action.GROW, Action.REFUSE)

    def __str__(self) -> str:
        place = (self.file or "the log") + ("" if self.position is None else f":{self.position}")
        kind = "" if self.kind is Kind.PARTITION else f" {self.kind.value}"
        state = ", ".join(f"{name} {value}" for name, value in self.state.items())
        text = f"{place}:{kind}{f' ({state})' if state else ''} -> {self.action}: {self.row.why}"
        if self.detail:
            text += f" [{self.detail}]"
        return text + (f"; kept aside as {self.aside}" if self.aside else "")

    def as_dict(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "file": self.file,
            "kind": self.kind.value,
            "state": dict(self.state),
            "action": self.action.value,
            "row": self.row.name,
            "why": self.row.why,
            "detail": self.detail,
            "position": self.position,
            "aside": self.aside,
        }


@dataclass(frozen=True)
class Report:
    """What was found in a folder and what is, or was, done about it; ``str`` of it is the dry run.

    ``log_start_offset``, ``next_offset`` and ``recovery_point`` are what the log has afterwards.
    """

    folder: Path
    mode: Mode
    is_clean: bool
    findings: tuple[Finding, ...]
    log_start_offset: int
    next_offset: int
    recovery_point: int

    @property
    def changes(self) -> tuple[Finding, ...]:
        """The findings for which something on disk changes."""
        return tuple(finding for finding in self.findings if finding.changes)

    @property
    def refusals(self) -> tuple[Finding, ...]:
        """The findings that recovery does not go around."""
        return tuple(finding for finding in self.findings if finding.action is Action.REFUSE)

    @property
    def kept_aside(self) -> tuple[Path, ...]:
        """The files that keep what was taken away this time."""
        return tuple(self.folder / finding.aside for finding in self.findings if finding.aside is not None)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        shutdown = "a clean shutdown" if self.is_clean else "no clean shutdown"
        head = f"{self.folder}: {shutdown}, mode {self.mode}"
        end = f"offsets {self.log_start_offset} to {self.next_offset}, recovery point {self.recovery_point}"
        return "\n".join([head, *map(str, self.findings), "refused" if self.refusals else end])

    def as_dict(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "folder": str(self.folder),
            "mode": self.mode.value,
            "is_clean": self.is_clean,
            "findings": [finding.as_dict() for finding in self.findings],
            "is_refused": bool(self.refusals),
            "log_start_offset": self.log_start_offset,
            "next_offset": self.next_offset,
            "recovery_point": self.recovery_point,
        }


@dataclass(frozen=True)
class Recovered:
    """A folder that is ready for use; ``segments`` are open, ascending, and the last one has room in its indexes."""

    segments: list[LogSegment]
    log_start_offset: int
    next_offset: int
    recovery_point: int
    report: Report


def mode_of(mode: str) -> Mode:
    """The mode by its name; UsageError where there is none."""
    if mode not in list(Mode):
        raise UsageError(f"no recovery mode {mode!r}: there are {', '.join(Mode)}")
    return Mode(mode)


def examine_folder(
    folder: Path,
    config: LogConfig,
    *,
    is_clean: bool,
    recovery_point: int = 0,
    log_start_offset: int | None = None,
    mode: str = "strict",
) -> Report:
    """Look at a partition's folder, and say what `recover_folder` would do; nothing is changed.

    Args:
        is_clean: whether the root had a marker of a clean shutdown.
        recovery_point, log_start_offset: what the root's checkpoints say; None for nothing.

    Where a segment has to be split first, what follows is what can be said before. Raises UsageError for an unknown
    mode, and OSError.
    """
    return _examined(folder, config, is_clean, recovery_point, log_start_offset, mode_of(mode), DISK).report()


def recover_folder(
    folder: Path,
    config: LogConfig,
    *,
    is_clean: bool,
    recovery_point: int = 0,
    log_start_offset: int | None = None,
    epochs: LeaderEpochs | None = None,
    mode: str = "strict",
    clock: Clock = wall_clock_ms,
    storage: Storage = DISK,
    chance: random.Random | None = None,
) -> Recovered:
    """Do what `examine_folder` says, and open the segments.

    Args:
        epochs: filled with what leader-epoch-checkpoint says afterwards, whatever it held before.

    Raises:
        DamagedLogError: something is refused; nothing was changed. The report is among its notes.
        UsageError: an unknown mode.
        OSError: the disk failed; trying again goes on where this stopped.
    """
    chosen = mode_of(mode)
    done: list[Finding] = []
    while True:
        found = _examined(folder, config, is_clean, recovery_point, log_start_offset, chosen, storage)
        report = found.report()
        if report.refusals:
            raise _refusal(report)
        if found.run():
            break
        done.extend(finding for finding in report.findings if finding.action in (Action.SPLIT, Action.SALVAGE))
    if epochs is not None:
        epochs.clear()
        for epoch, offset in found.epochs.entries:
            epochs.assign(epoch, offset)
    segments = []
    for base_offset in found.bases or [found.start]:
        segments.append(
            LogSegment.open(
                folder,
                base_offset,
                config,
                clock=clock,
                storage=storage,
                chance=chance,
                already_exists=bool(found.bases),
            )
        )
    active = segments[-1]
    for index in (active.offset_index, active.time_index):
        # Kafka does not start where segment.index.bytes has become too small for the entries. A full index rolls.
        index.resize(max(config.segment_index_bytes, index.size_bytes))
    if not found.bases:
        storage.sync_directory(folder)
    whole = Report(
        folder,
        chosen,
        is_clean,
        (*done, *report.findings),
        report.log_start_offset,
        report.next_offset,
        report.recovery_point,
    )
    return Recovered(segments, report.log_start_offset, report.next_offset, report.recovery_point, whole)


def _refusal(report: Report) -> DamagedLogError:
    first, *others = report.refusals
    more = f"; {len(others)} more like it" if others else ""
    detail = f" ({first.detail})" if first.detail else ""
    error = DamagedLogError(
        f"{first.row.why}{detail}{more}",
        source=str(report.folder / first.file) if first.file else str(report.folder),
        position=first.position,
    )
    error.add_note(str(report))
    return error


# Looking


@dataclass
class _Files:
    """The files of one segment, where they lie now; None where there is none."""

    base_offset: int
    log: Path
    index: Path | None
    timeindex: Path | None
    txnindex: Path | None


@dataclass
class _Index:
    """How an index was found, and its last entry: offset and position, or for a time index the offset."""

    condition: IndexCondition
    detail: str = ""
    last_offset: int | None = None
    last_position: int = 0


@dataclass
class _Step:
    """Something to do; ``repeats``: the folder has to be looked at again afterwards."""

    do: Callable[[], object]
    repeats: bool = False


@dataclass(frozen=True)
class _Piece:
    """A stretch of a log that becomes a segment: bytes from ``start`` to ``end``."""

    base_offset: int
    start: int
    end: int


def _examined(
    folder: Path,
    config: LogConfig,
    is_clean: bool,
    recovery_point: int,
    log_start_offset: int | None,
    mode: Mode,
    storage: Storage,
) -> _Examination:
    found = _Examination(folder, config, is_clean, recovery_point, log_start_offset or 0, mode, storage)
    found.examine()
    return found


@dataclass
class _Examination:
    """One look at a folder: findings in the order in which they are told, steps in the order in which they are done."""

    folder: Path
    config: LogConfig
    is_clean: bool
    recovery_point: int
    checkpointed_start: int
    mode: Mode
    storage: Storage
    findings: list[Finding] = field(default_factory=list)
    steps: list[_Step] = field(default_factory=list)
    names: dict[str, Path] = field(default_factory=dict)
    """The names of regular files as they will be -> where they lie now."""
    bases: list[int] = field(default_factory=list)
    """Base offsets of the segments that there will be."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that are cut -> what is left of their logs, bytes."""
    verified: dict[int, Verified] = field(default_factory=dict)
    epochs: LeaderEpochs = field(default_factory=LeaderEpochs)
    end: int = 0
    start: int = 0
    had_segments: bool = False

    def examine(self) -> None:
        self._list()
        self._leftovers()
        self._segments()
        self._orphans()
        self._partition()
        self._snapshots()
        self._leader_epochs()
        self._rest()

    def report(self) -> Report:
        recovery_point = self.end if self.is_clean and self.had_segments else min(self.recovery_point, self.end)
        return Report(self.folder, self.mode, self.is_clean, tuple(self.findings), self.start, self.end, recovery_point)

    def run(self) -> bool:
        """Do the steps; False where the folder has to be looked at again."""
        for step in self.steps:
            step.do()
            if step.repeats:
                return False
        if self.steps:
            self.storage.sync_directory(self.folder)
        return True

    def _find(
        self,
        file: str,
        kind: Kind,
        state: Mapping[str, str] | None = None,
        detail: str = "",
        position: int | None = None,
    ) -> Finding:
        given = MappingProxyType(dict(state or {}))
        finding = Finding(file, kind, given, row_for(self.mode, kind, given), detail, position)
        self.findings.append(finding)
        return finding

    def _aside(self, finding: Finding, name: str) -> None:
        """Say of the last finding where what it takes away is kept."""
        assert self.findings[-1] is finding
        self.findings[-1] = Finding(
            finding.file, finding.kind, finding.state, finding.row, finding.detail, finding.position, name
        )

    def _do(self, do: Callable[[], object], *, repeats: bool = False) -> None:
        self.steps.append(_Step(do, repeats))

    # Leftovers

    def _list(self) -> None:
        self.entries: dict[str, bool] = {}  # name -> whether it is a regular file
        with os.scandir(self.folder) as found:
            for entry in found:
                self.entries[entry.name] = entry.is_file()
        self.names = {name: self.folder / name for name in sorted(self.entries) if self.entries[name]}

    def _leftovers(self) -> None:
        every = {name: parse_file_name(name) for name in self.names}
        parsed = {name: found for name, found in every.items() if found is not None and found.epoch is None}
        in_state = {
            state: [name for name, found in parsed.items() if found.state == state]
            for state in ("deleted", "cleaned", "swap")
        }
        first_cleaned = min((parsed[name].offset for name in in_state["cleaned"]), default=None)
        swaps = [name for name in in_state["swap"] if first_cleaned is None or parsed[name].offset < first_cleaned]
        for name in in_state["swap"]:
            if name not in swaps:
                self._find(name, Kind.SWAP, {"aborted": YES, "condition": SOUND})
                self._remove(name)
        for name in in_state["cleaned"]:
            self._find(name, Kind.CLEANED)
            self._remove(name)
        for name in in_state["deleted"]:
            self._find(name, Kind.DELETED)
            self._remove(name)
        for name in [name for name in self.names if _TEMPORARY.fullmatch(name)]:
            if self._find(name, Kind.TEMPORARY).action is Action.REMOVE:
                self._remove(name)
            else:
                del self.names[name]
        self._swaps({parsed[name].offset: name for name in swaps if parsed[name].kind == "log"}, swaps)

    def _remove(self, name: str) -> None:
        self._do(_unlink(self.storage, self.names.pop(name)))

    def _swaps(self, logs: dict[int, str], swaps: list[str]) -> None:
        """Finish a replacement that had begun: what it replaces goes, then what replaces it gets its names."""
        condition: dict[int, tuple[str, str]] = {}
        first, end = 2**63 - 1, -(2**63)
        for base_offset, name in logs.items():
            found = verify_log(self.names[name], base_offset, order="index")
            condition[base_offset] = (SOUND, "") if found.problem is None else (UNSOUND, str(found.problem))
            state = {"aborted": NO, "condition": condition[base_offset][0]}
            if row_for(self.mode, Kind.SWAP, state).action is Action.INSTALL:
                first, end = min(first, base_offset), max(end, found.next_offset)
        for name in list(self.names):
            offset = _offset_of(name)
            if offset is not None and first <= offset < end and not name.endswith(".swap"):
                self._find(name, Kind.REPLACED, detail=f"offsets {first} to {end}")
                self._remove(name)
        # Logs first: were an index in its place, the log's swap would take it for something to be replaced.
        by_log = sorted((not name.endswith(".log.swap"), _offset_of(name) or 0, name) for name in swaps)
        for _, base_offset, name in by_log:
            found_condition, detail = condition.get(base_offset, ("no_log", ""))
            finding = self._find(name, Kind.SWAP, {"aborted": NO, "condition": found_condition}, detail)
            path = self.names.pop(name)
            if finding.action is Action.SET_ASIDE:
                aside = self._free_name(f"torn-{base_offset:020d}-{name.split('.')[1]}-swap")
                self._aside(finding, aside)
                self._do(_rename(self.storage, path, self.folder / aside))
            elif finding.action is Action.INSTALL:
                final = name.removesuffix(".swap")
                self.names[final] = path
                self._do(_rename(self.storage, path, self.folder / final))

    # Segments

    def _files(self, base_offset: int) -> _Files:
        return _Files(
            base_offset,
            self.names[file_name(base_offset, "log")],
            *(self.names.get(file_name(base_offset, suffix)) for suffix in _INDEX_SUFFIXES),
        )

    def _segments(self) -> None:
        bases = self._log_offsets()
        self.had_segments = bool(bases)
        floor = max([number for number, base in enumerate(bases) if base <= self.recovery_point], default=0)
        self.end = self.checkpointed_start
        before: Verified | None = None
        for number, base_offset in enumerate(bases):
            self.bases.append(base_offset)
            following = bases[number + 1] if number + 1 < len(bases) else None
            look = _Look(self, self._files(base_offset), following, not self.is_clean and number >= floor, before)
            look.judge()
            before = look.verified
            self.end = look.end
            if look.action in (Action.CUT, Action.EMPTY):
                return

    def set_aside_later(self, base_offset: int) -> None:
        """Keep aside all segments behind one; the last first, so that no gap can be left."""
        later = [offset for offset in self._log_offsets() if offset > base_offset]
        self._set_aside_all(later, ABOVE, f"behind segment {base_offset}")

    def _set_aside_all(self, offsets: Sequence[int], place: str, detail: str) -> None:
        steps: list[_Step] = []
        for offset in offsets:
            rank = LAST if offset == offsets[-1] else EARLIER
            state = {"condition": FOLLOWS, **self.shutdown, "place": place, "rank": rank, "look": TAIL}
            finding = self._find(file_name(offset, "log"), Kind.LOG, state, detail)
            steps.insert(0, _Step(self._setting_aside(finding, offset)))
        self.steps.extend(steps)

    def _log_offsets(self) -> list[int]:
        """The base offsets of the logs there are, ascending."""
        parsed = map(parse_file_name, self.names)
        return sorted(name.offset for name in parsed if name is not None and name.kind == "log" and not name.state)

    @property
    def shutdown(self) -> dict[str, str]:
        return {"shutdown": CLEAN if self.is_clean else UNCLEAN}

    def _setting_aside(self, finding: Finding, base_offset: int) -> Callable[[], object]:
        """What keeps aside a whole segment: its log is renamed, and its indexes go."""
        files = self._files(base_offset)
        aside = self._free_name(f"torn-{base_offset:020d}-0")
        if self.sizes.get(base_offset, files.log.stat().st_size):
            self._aside(finding, aside)
        for suffix in ("log", *_INDEX_SUFFIXES):
            self.names.pop(file_name(base_offset, suffix), None)

        def do() -> None:
            log = self.folder / file_name(base_offset, "log")
            if log.stat().st_size:
                self.storage.rename(log, self.folder / aside)
            else:
                self.storage.unlink(log)
            self.storage.sync_directory(self.folder)
            for suffix in _INDEX_SUFFIXES:
                path = self.folder / file_name(base_offset, suffix)
                if path.exists():
                    self.storage.unlink(path)

        return do

    def _free_name(self, stem: str) -> str:
        """A name for what is kept aside that nothing has yet."""
        number, name = 1, f"{stem}.bytes"
        while name in self.entries:
            number += 1
            name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        return name

    def keep_part(self, log: Path, base_offset: int, start: int, end: int) -> str | None:
        """Plan to keep bytes of a log aside; the name of the file, None where they are zeros."""
        with ByteSource(log) as source:
            if source.is_zero(start, end):
                return None
            number, stem = 1, f"torn-{base_offset:020d}-{start}"
            name = f"{stem}.bytes"
            while name in self.entries:
                if self.entries[name] and _same_bytes(self.folder / name, source, start, end):
                    return name  # a recovery died after it had kept them
                number += 1
                name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        final = self.folder / file_name(base_offset, "log")
        self._do(lambda: self._copy(final, start, end, self.folder / name))
        return name

    def _copy(self, source: Path, start: int, end: int, target: Path) -> None:
        """Copy bytes to a new file and sync it; it has its name when it is whole."""
        beside = target.with_name(target.name + ".tmp")
        self._copy_parts(source, start, end, beside)
        self.storage.rename(beside, target)
        self.storage.sync_directory(self.folder)

    def _copy_parts(self, source: Path, start: int, end: int, target: Path) -> None:
        self.storage.unlink(target)
        origin = self.storage.open(source, writable=False)
        try:
            copy = self.storage.open(target, create=True)
            try:
                for position in range(start, end, _COPY_BYTES):
                    copy.write_at(origin.read_at(position, min(_COPY_BYTES, end - position)), position - start)
                copy.sync()
            finally:
                copy.close()
        finally:
            origin.close()

    def cut(self, base_offset: int, size_bytes: int) -> None:
        """Plan to cut a log, and to sync that."""
        path = self.folder / file_name(base_offset, "log")
        self.sizes[base_offset] = size_bytes

        def do() -> None:
            file = self.storage.open(path)
            try:
                file.truncate(size_bytes)
                file.sync()
            finally:
                file.close()

        self._do(do)

    def rebuild(self, base_offset: int, suffix: str, content: bytes) -> None:
        """Plan to put an index in place of the one that is there; the folder is synced once, when all is done."""
        path = self.folder / file_name(base_offset, suffix)
        self.names[path.name] = path
        beside = path.with_name(path.name + ".tmp")

        def do() -> None:
            self._write(beside, content)
            self.storage.rename(beside, path)

        self._do(do)

    def replace(self, files: _Files, pieces: Sequence[_Piece]) -> None:
        """Plan to put segments in the place of one, as LocalLog.replaceSegments does, and to look again."""

        def do() -> None:
            old = self.folder / file_name(files.base_offset, "log")
            modified_ms = old.stat().st_mtime_ns // 1_000_000
            for piece in pieces:
                self._write_piece(old, piece, modified_ms)
            self.storage.sync_directory(self.folder)
            for piece in reversed(pieces):
                self._rename_suffix(piece.base_offset, ".cleaned", ".swap")
            self.storage.sync_directory(self.folder)
            self._rename_suffix(files.base_offset, "", ".deleted")
            for piece in pieces:
                self._rename_suffix(piece.base_offset, ".swap", "")
            self.storage.sync_directory(self.folder)

        self._do(do, repeats=True)

    def _write_piece(self, old: Path, piece: _Piece, modified_ms: int) -> None:
        log = self.folder / f"{file_name(piece.base_offset, 'log')}.cleaned"
        self._copy_parts(old, piece.start, piece.end, log)
        found = self.verify(log, piece.base_offset)
        for suffix, entries in zip(("index", "timeindex"), found.entries, strict=True):
            self._write(self.folder / f"{file_name(piece.base_offset, suffix)}.cleaned", entries.tobytes())
        transactions = old.with_name(old.name.removesuffix("log") + "txnindex")
        if transactions.exists():
            entries = _transactions(transactions, -(2**63))
            ends = entries["last_offset"].astype(np.int64)
            own = entries[(ends >= piece.base_offset) & (ends < found.next_offset)]
            if len(own):
                self._write(self.folder / f"{file_name(piece.base_offset, 'txnindex')}.cleaned", own.tobytes())
        self.storage.set_modified_ms(log, modified_ms)

    def _write(self, path: Path, data: bytes) -> None:
        self.storage.unlink(path)
        file = self.storage.open(path, create=True)
        try:
            file.write_at(data, 0)
            file.sync()
        finally:
            file.close()

    def _rename_suffix(self, base_offset: int, old: str, new: str) -> None:
        for suffix in ("log", *_INDEX_SUFFIXES):
            path = self.folder / (file_name(base_offset, suffix) + old)
            if path.exists():
                self.storage.rename(path, self.folder / (file_name(base_offset, suffix) + new))

    def verify(self, log: Path, base_offset: int, **how: Any) -> Verified:
        """`verify_log` as the configuration and the mode have it."""
        return verify_log(
            log,
            base_offset,
            self.config.index_interval_bytes,
            profile=self.config.writer_profile,
            order="index" if self.mode is Mode.KAFKA else "batches",
            **how,
        )

    # What lies beside the segments

    def _orphans(self) -> None:
        for name in list(self.names):
            parsed = parse_file_name(name)
            if parsed is not None and not parsed.state and parsed.kind in _INDEX_KINDS:
                if file_name(parsed.offset, "log") not in self.names:
                    self._find(name, Kind.ORPHAN)
                    path = self.folder / name  # a swap may have put it there just before
                    del self.names[name]
                    self._do(_unlink(self.storage, path))

    def _partition(self) -> None:
        first = self.bases[0] if self.bases else self.checkpointed_start
        self.start = max(self.checkpointed_start, first)
        end = self.end if self.bases else self.checkpointed_start
        state = {
            "segments": YES if self.bases else NO,
            "end": ABOVE if end >= self.checkpointed_start else BELOW,
            "lost": YES if self.recovery_point > max(end, self.checkpointed_start) else NO,
        }
        detail = f"start {self.checkpointed_start}, end {end}, recovery point {self.recovery_point}"
        finding = self._find("", Kind.PARTITION, state, detail)
        if finding.action is Action.RESTART:
            self._set_aside_all(self.bases, BELOW, "the log begins anew")
            self.bases, self.had_segments = [], False
            self.start = end = self.checkpointed_start
        self.end = end

    def _snapshots(self) -> None:
        found = {
            parsed.offset: name
            for name in self.names
            if (parsed := parse_file_name(name)) is not None and parsed.kind == "producer_snapshot" and not parsed.state
        }
        last = max((offset for offset in found if offset <= self.end), default=None)
        for offset, name in sorted(found.items()):
            is_known = offset in self.bases or offset == last
            condition = "beyond" if offset > self.end else "known" if is_known else "stray"
            if self._find(name, Kind.SNAPSHOT, {"condition": condition}).action is Action.REMOVE:
                self._do(_unlink(self.storage, self.folder / name))

    def _leader_epochs(self) -> None:
        condition, detail = SOUND, ""
        stored: tuple[tuple[int, int], ...] = ()
        if _EPOCHS in self.names:
            try:
                stored = tuple(self._read_epochs())
            except (DataError, UsageError) as error:
                condition, detail = DAMAGED, str(error)
        self.epochs = LeaderEpochs(stored)
        for base_offset in self.bases:
            verified = self.verified.get(base_offset)
            if verified is None and condition == DAMAGED:
                verified = self.verify(self.names[file_name(base_offset, "log")], base_offset)
            for epoch, offset in [] if verified is None else verified.leader_epochs:
                if epoch > self.epochs.latest_epoch:
                    self.epochs.assign(epoch, offset)
        self.epochs.truncate_from_end(self.end)
        self.epochs.truncate_from_start(self.checkpointed_start)
        if not self.bases:
            self.epochs.clear()
        if condition == SOUND and tuple(self.epochs.entries) != stored:
            condition = "stale"
            detail = f"{_told(stored)} -> {_told(self.epochs.entries)}"
        if _EPOCHS in self.names or self.epochs.entries:
            finding = self._find(_EPOCHS, Kind.LEADER_EPOCHS, {"condition": condition}, detail)
            if finding.action is Action.REWRITE:
                path = self.folder / _EPOCHS
                if condition == DAMAGED:
                    aside = self._free_name("torn-leader-epoch-checkpoint")
                    self._aside(finding, aside)
                    self._do(_rename(self.storage, path, self.folder / aside))
                entries = LeaderEpochs(self.epochs.entries)
                self._do(lambda: entries.save(self.storage, path))

    def _read_epochs(self) -> Iterator[tuple[int, int]]:
        with ByteSource(self.names[_EPOCHS]) as source:
            data = source.read_at(0, DEFAULT_LIMIT_BYTES + 1)
        for entry in parse_leader_epochs(data, source=str(self.names[_EPOCHS])).entries:
            LeaderEpochs([entry])  # within bounds
            yield entry

    def _rest(self) -> None:
        told = {finding.file for finding in self.findings}
        for name in sorted(set(self.entries) - told):
            is_regular = (self.folder / name).is_file()
            if name == _METADATA and is_regular:
                self._metadata()
            elif _KEPT_ASIDE.fullmatch(name) and is_regular:
                self._find(name, Kind.KEPT_ASIDE, detail=f"{(self.folder / name).stat().st_size} bytes")
            elif (self.folder / name).is_symlink() or (self.folder / name).exists():  # else it is yet to be made
                self._find(name, Kind.FOREIGN)

    def _metadata(self) -> None:
        path = self.folder / _METADATA
        try:
            read_sidecar(path)
        except DataError as error:
            finding = self._find(_METADATA, Kind.METADATA, {"condition": DAMAGED}, str(error), error.position)
            if finding.action is Action.SET_ASIDE:
                aside = self._free_name("torn-partition-metadata")
                self._aside(finding, aside)
                self._do(_rename(self.storage, path, self.folder / aside))
        else:
            self._find(_METADATA, Kind.METADATA, {"condition": SOUND})


class _Look:
    """One segment: what state its files are in, and what is to be done about it.

    Afterwards ``end`` is the offset behind its last batch, as it will be, and ``action`` what becomes of the log.
    """

    def __init__(
        self, whole: _Examination, files: _Files, following: int | None, is_due: bool, before: Verified | None
    ) -> None:
        self.whole, self.files, self.following, self.is_due = whole, files, following, is_due
        self.base_offset, self.mode = files.base_offset, whole.mode
        self.after_offset = None if before is None or not len(before.headers) else before.next_offset - 1
        self.rank = LAST if following is None else EARLIER
        self.verified: Verified | None = None
        self.end = files.base_offset if following is None else following
        self.action = Action.KEEP
        self.condition: str = UNREAD
        self.problem: DataError | None = None
        self.valid_bytes = 0
        self.pieces: list[_Piece] = []

    def judge(self) -> None:
        self.size_bytes = self.files.log.stat().st_size
        if self.size_bytes > MAX_LOG_BYTES:
            self.look, self.condition = TAIL, TOO_LARGE
            self._find_log(BELOW, f"{self.size_bytes} bytes")
            return
        self.indexes = {
            Kind.OFFSET_INDEX: _judge_offset_index(
                self.files, self.size_bytes, self.following, self.whole.config.index_interval_bytes
            ),
            Kind.TIME_INDEX: _judge_time_index(self.files, self.following, self.size_bytes),
        }
        self.look = self._how_far()
        if self.look == TAIL and self.rank == LAST:
            self._look_at_tail()
        if self.look in (INDEX, RECOVERY):
            self._look_at_all()
        is_damaged = self.condition not in (LogEnd.SOUND, UNREAD)
        place = BELOW if is_damaged and self.end < self.whole.recovery_point else ABOVE
        self._find_log(place, "" if self.problem is None else str(self.problem))
        self._find_indexes()
        self._find_transactions()

    def _how_far(self) -> str:
        found = {kind: index.condition for kind, index in self.indexes.items()}
        if self.mode is Mode.KAFKA and found[Kind.OFFSET_INDEX] is IndexCondition.MISSING:
            return INDEX
        if self.is_due:
            return RECOVERY
        is_sound = all(condition is IndexCondition.SOUND for condition in found.values())
        return TAIL if is_sound or self.mode is Mode.KAFKA else INDEX

    def _look_at_tail(self) -> None:
        """Where the log ends, from the last index entry on; what the index says beyond that makes it unsound."""
        index = self.indexes[Kind.OFFSET_INDEX]
        start = index.last_position if index.condition is IndexCondition.SOUND else 0
        if self.mode is Mode.KAFKA:
            headers = read_batch_headers(self.files.log, start)
            self.valid_bytes, self.problem = headers.valid_bytes, headers.problem
            self.end = int(headers.next_offset[-1]) if len(headers) else self.base_offset
            self.condition = LogEnd.SOUND
            if self.problem is not None:
                is_torn = isinstance(self.problem, TruncatedError)
                self.condition = LogEnd.TORN if is_torn else LogEnd.FRAME
            return
        found = self.whole.verify(self.files.log, self.base_offset, start=start)
        self.valid_bytes, self.problem, self.end, self.condition = (
            found.valid_bytes,
            found.problem,
            found.next_offset,
            found.end,
        )
        for beyond in self.indexes.values():
            if beyond.last_offset is not None and beyond.last_offset >= found.next_offset:
                beyond.condition = IndexCondition.UNSOUND
                beyond.detail = f"offset {beyond.last_offset} is behind the log's end {found.next_offset}"
                self.look = INDEX

    def _look_at_all(self) -> None:
        found = self.whole.verify(
            self.files.log, self.base_offset, after_offset=self.after_offset, end_offset=self.following
        )
        self.verified = self.whole.verified[self.base_offset] = found
        self.valid_bytes, self.problem, self.end, self.condition = (
            found.valid_bytes,
            found.problem,
            found.next_offset,
            found.end,
        )
        if self.mode is Mode.KAFKA:
            try:
                _ = found.entries
            except InvalidError as error:
                self.condition, self.problem = LogEnd.ORDER, error
            if self.condition == LogEnd.ZEROS and self.size_bytes - self.valid_bytes <= PEEK_BYTES:
                self.condition = LogEnd.TORN  # too few bytes to be looked at

    def _find_log(self, place: str, detail: str) -> None:
        state = {
            "condition": self.condition,
            **self.whole.shutdown,
            "place": place,
            "rank": self.rank,
            "look": self.look,
        }
        name = file_name(self.base_offset, "log")
        position = None if self.condition in (LogEnd.SOUND, UNREAD, TOO_LARGE) else self.valid_bytes
        finding = self.whole._find(name, Kind.LOG, state, detail, position)
        self.action = finding.action
        if self.action in (Action.CUT, Action.EMPTY):
            number = len(self.whole.findings) - 1
            self.whole.set_aside_later(self.base_offset)
            later = self.whole.findings[number + 1 :]
            del self.whole.findings[number + 1 :]
            self._cut(finding)
            self.whole.findings.extend(later)
        elif self.action is Action.CUT_SEGMENT:
            self._cut(finding)
        elif self.action is Action.SPLIT:
            assert self.verified is not None
            self.pieces, self.end = _split(self.files, self.size_bytes)
            self.whole.replace(self.files, self.pieces)
        elif self.action is Action.SALVAGE:
            self._salvage(finding)

    def _cut(self, finding: Finding) -> None:
        kept_bytes = 0 if self.action is Action.EMPTY else self.valid_bytes
        if self.action is Action.EMPTY:
            self.end = self.base_offset
        aside = self.whole.keep_part(self.files.log, self.base_offset, kept_bytes, self.size_bytes)
        if aside is not None:
            self.whole._aside(finding, aside)
        self.whole.cut(self.base_offset, kept_bytes)

    def _salvage(self, finding: Finding) -> None:
        """Keep the stretch that cannot be read aside; what is sound before and behind it stays, as two segments."""
        after = self.end - 1 if self.valid_bytes else (self.after_offset or self.base_offset - 1)
        resumed = _next_sound(self.files, self.valid_bytes, self.size_bytes, after, self.following)
        hole_end = self.size_bytes if resumed is None else resumed.position
        aside = self.whole.keep_part(self.files.log, self.base_offset, self.valid_bytes, hole_end)
        if aside is not None:
            self.whole._aside(finding, aside)
        self.pieces = [_Piece(self.base_offset, 0, self.valid_bytes)]
        if resumed is not None:
            base_offset = resumed.base_offset if self.valid_bytes else self.base_offset
            rest = _Piece(base_offset, resumed.position, self.size_bytes)
            self.pieces = [*self.pieces, rest] if self.valid_bytes else [rest]
            self.end = max(self.end, resumed.next_offset)
        self.whole.replace(self.files, self.pieces)

    def _find_indexes(self) -> None:
        recovered = (
            self.look == RECOVERY
            or (self.look == INDEX and self.action in _CUTS)
            or self.action in (Action.SPLIT, Action.SALVAGE)
        )
        for number, (kind, index) in enumerate(self.indexes.items()):
            suffix = _INDEX_SUFFIXES[number]
            state = {"condition": index.condition.value, "recovered": YES if recovered else NO, "rank": self.rank}
            finding = self.whole._find(file_name(self.base_offset, suffix), kind, state, index.detail)
            if self.mode is Mode.KAFKA and index.condition is IndexCondition.MISSING and kind is Kind.OFFSET_INDEX:
                recovered = True  # a broker recovers the segment then, and that makes both anew
            if self.pieces or self.action is Action.REFUSE:
                continue
            if finding.action is Action.REBUILD:
                assert self.verified is not None
                is_empty = self.action is Action.EMPTY
                content = b"" if is_empty else self.verified.entries[number].tobytes()
                self.whole.rebuild(self.base_offset, suffix, content)
            elif finding.action is Action.CREATE_EMPTY:
                self.whole.rebuild(self.base_offset, suffix, b"")

    def _find_transactions(self) -> None:
        path, whole = self.files.txnindex, self.whole
        if path is None:
            return
        name = file_name(self.base_offset, "txnindex")
        try:
            entries = _transactions(path, self.base_offset)
        except DataError as error:
            finding = whole._find(name, Kind.TRANSACTION_INDEX, {"condition": UNSOUND}, str(error))
            if finding.action is Action.SET_ASIDE:
                aside = whole._free_name(f"torn-{self.base_offset:020d}-txnindex")
                whole._aside(finding, aside)
                whole._do(_rename(whole.storage, whole.folder / name, whole.folder / aside))
            return
        is_beyond = entries["last_offset"].astype(np.int64) >= self.end
        condition = "beyond" if bool(is_beyond.any()) and not self.pieces else SOUND
        finding = whole._find(name, Kind.TRANSACTION_INDEX, {"condition": condition})
        if finding.action is Action.TRUNCATE:
            kept = entries[: int(is_beyond.argmax())].tobytes()
            whole._do(lambda: whole.storage.write_atomically(whole.folder / name, kept))


def _offset_of(name: str) -> int | None:
    """The offset that a file's name begins with, as a broker reads it; None where there is none."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() and "." in name else None


def _unlink(storage: Storage, path: Path) -> Callable[[], object]:
    return lambda: storage.unlink(path)


def _rename(storage: Storage, old: Path, new: Path) -> Callable[[], object]:
    return lambda: storage.rename(old, new)


def _same_bytes(path: Path, source: ByteSource, start: int, end: int) -> bool:
    """Whether a file holds the bytes of another between two positions, and nothing else."""
    with ByteSource(path) as kept:
        return kept.size == end - start and all(
            kept.read_at(at, _COPY_BYTES) == source.read_at(start + at, min(_COPY_BYTES, end - start - at))
            for at in range(0, end - start, _COPY_BYTES)
        )


def _told(entries: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"epoch {epoch} from {offset}" for epoch, offset in entries) or "none"


def _transactions(path: Path, base_offset: int) -> Any:
    """The entries of a transaction index; InvalidError where they are none (TransactionIndex.sanityCheck)."""
    dtype = layout("transaction_index::entry").dtype
    with ByteSource(path) as source:
        if source.size % dtype.itemsize or source.size > MAX_LOG_BYTES:
            raise InvalidError(
                "no whole number of transactions",
                source=source.name,
                position=source.size - source.size % dtype.itemsize,
                expected=f"a multiple of {dtype.itemsize} bytes",
                found=source.size,
            )
        entries = np.frombuffer(source.read_at(0, source.size), dtype)
        ends = entries["last_offset"].astype(np.int64)
        wrong = np.flatnonzero((ends < base_offset) | (np.diff(ends, prepend=ends[:1]) < 0))
        if len(wrong):
            raise InvalidError(
                "transactions that do not follow each other in this segment",
                source=source.name,
                position=int(wrong[0]) * dtype.itemsize,
                path=f"transaction_index.entries[{int(wrong[0])}].last_offset",
                expected=f">= {base_offset}, and growing",
                found=int(ends[wrong[0]]),
            )
    return entries


# Indexes


def _judge(path: Path | None, format: str) -> tuple[_Index, IndexFile | None]:
    """An index by itself: whether it is there, and what of it are entries."""
    if path is None:
        return _Index(IndexCondition.MISSING), None
    try:
        found = read_index(path, format)
    except DataError as error:
        return _Index(IndexCondition.UNSOUND, str(error)), None
    if found.unsound_bytes:
        return _Index(IndexCondition.UNSOUND, f"after {found.entry_count} entries the order breaks"), None
    if found.odd_bytes:
        return _Index(IndexCondition.ODD, f"{found.size_bytes} bytes"), None
    if found.padding_bytes:
        return _Index(IndexCondition.PADDED, f"{found.padding_bytes} bytes of zeros"), None
    return _Index(IndexCondition.SOUND, f"{found.entry_count} entries"), found


def _judge_offset_index(files: _Files, size_bytes: int, following: int | None, interval_bytes: int) -> _Index:
    """An offset index beside its log: its order, and whether its first and last entries are borne out."""
    index, found = _judge(files.index, "offset_index")
    if found is None:
        return index
    unsound = IndexCondition.UNSOUND
    positions = found.entries["position"].astype(np.int64)
    offsets = found.entries["relative_offset"].astype(np.int64) + files.base_offset
    if len(positions):
        if positions[0] <= 0 or np.any(np.diff(positions) <= 0):
            return _Index(unsound, "its positions do not grow")
        if positions[-1] >= size_bytes:
            return _Index(unsound, f"position {positions[-1]} lies behind the {size_bytes} bytes of the log")
        if following is not None and offsets[-1] >= following:
            return _Index(unsound, f"offset {offsets[-1]} lies in the next segment")
        for number in {0, len(positions) - 1}:
            position, offset = int(positions[number]), int(offsets[number])
            batch = _batch_at(files.log, position)
            if batch is None or (batch.magic >= CURRENT_MAGIC and batch.base_offset > offset):
                return _Index(unsound, f"no sound batch of offset {offset} begins at {position}")
        index.last_offset, index.last_position = int(offsets[-1]), int(positions[-1])
    gap_bytes = max(interval_bytes, _SHORT_INDEX_BYTES)
    if size_bytes - index.last_position > gap_bytes:
        with ByteSource(files.log) as source:
            walk = Walk(source, index.last_position, index.last_position + 2 * gap_bytes)
            if any(frame.position - index.last_position > gap_bytes for frame in walk):
                index.condition = IndexCondition.SHORT
                index.detail += f", the last at {index.last_position} of {size_bytes} bytes"
    return index


def _judge_time_index(files: _Files, following: int | None, size_bytes: int) -> _Index:
    """A time index beside its log: its order, its range, and whether there is anything in it if there has to be."""
    index, found = _judge(files.timeindex, "time_index")
    if found is None:
        return index
    offsets = found.entries["relative_offset"].astype(np.int64) + files.base_offset
    if len(offsets):
        index.last_offset = int(offsets[-1])
        if following is not None and index.last_offset >= following:
            return _Index(IndexCondition.UNSOUND, f"offset {index.last_offset} lies in the next segment")
    elif size_bytes:
        first = _batch_at(files.log, 0)
        if first is not None and first.max_timestamp >= 0:
            return _Index(IndexCondition.SHORT, "no entry, though the batches have timestamps")
    return index


def _batch_at(log: Path, position: int) -> AnyBatch | None:
    """The batch that begins at a position, if its checksum is right."""
    with ByteSource(log) as source:
        frame = next(Walk(source, position), None)
        if frame is None:
            return None
        try:
            batch = read_batch(source, frame, frame.size)
        except DataError:
            return None
    return batch if batch.is_valid else None


# Replacing a segment


def _split(files: _Files, size_bytes: int) -> tuple[list[_Piece], int]:
    """The segments that take the place of one whose offsets overflow (LocalLog.splitOverflowedSegment), and the end."""
    headers = read_batch_headers(files.log)
    starts: list[tuple[int, int]] = []
    for number, (position, last_offset) in enumerate(
        zip(headers.position.tolist(), headers.last_offset.tolist(), strict=True)
    ):
        if not starts or last_offset - starts[-1][0] > MAX_RELATIVE_OFFSET:
            first = int(headers.base_offset[number])
            if headers.magic[number] < CURRENT_MAGIC:
                first = next(iter_batches(files.log, position)).base_offset
            starts.append((first, position))
    ends = [position for _, position in starts[1:]] + [size_bytes]
    pieces = [_Piece(base_offset, start, end) for (base_offset, start), end in zip(starts, ends, strict=True)]
    return pieces, int(headers.next_offset[-1])


def _next_sound(files: _Files, position: int, size_bytes: int, after: int, following: int | None) -> AnyBatch | None:
    """The first sound batch behind a damaged place, where the framing or the offset index leads to one.

    Its offsets have to lie above ``after``, and below the next segment.
    """
    end = files.base_offset + MAX_RELATIVE_OFFSET + 1 if following is None else following

    def is_next(batch: AnyBatch) -> bool:
        first = batch.base_offset if batch.magic >= CURRENT_MAGIC else batch.last_offset
        return after < first <= batch.last_offset < end

    candidates: list[int] = []
    with ByteSource(files.log) as source:
        candidates += [frame.position for frame in Walk(source, position)]
    if files.index is not None:
        try:
            candidates += read_index(files.index, "offset_index").entries["position"].tolist()
        except DataError:
            pass  # the framing alone has to lead on
    for candidate in sorted(set(candidates)):
        if position < candidate < size_bytes:
            batch = _batch_at(files.log, candidate)
            if batch is not None and is_next(batch):
                return batch
    return None
