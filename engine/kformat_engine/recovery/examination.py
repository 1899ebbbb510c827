"""One look at a partition's folder: what is found in which order, and the steps that would do something about it.

What is done about what stands in `table`; the package says in which order, and why.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from kformat.errors import DataError, InvalidError, TruncatedError, UsageError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batches import BatchHeaders, iter_batches, read_batch_headers
from kformat.kafka.file_kinds import file_name, parse_file_name
from kformat.kafka.framing import CURRENT_MAGIC, PEEK_BYTES
from kformat.kafka.text_files import DEFAULT_LIMIT_BYTES, parse_leader_epochs, read_sidecar
from kformat.storage.byte_source import ByteSource
from kformat_engine.config import LogConfig
from kformat_engine.epochs import LeaderEpochs
from kformat_engine.recovery.evidence import (
    FoundIndex,
    Piece,
    SegmentFiles,
    believe_check,
    first_offset,
    judge_offset_index,
    judge_time_index,
    next_sound,
    read_transactions,
    readable,
    untrimmed_bytes,
)
from kformat_engine.recovery.report import Finding, Report
from kformat_engine.recovery.table import (
    ABOVE,
    BELOW,
    CLEAN,
    DAMAGED,
    DOUBTFUL,
    EARLIER,
    FOLLOWS,
    INDEX,
    LAST,
    NO,
    NO_LOG,
    RECOVERY,
    SHRUNK,
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
    row_for,
)
from kformat_engine.recovery.verification import (
    MAX_LOG_BYTES,
    MAX_RELATIVE_OFFSET,
    EpochRuns,
    Frames,
    LogEnd,
    Verified,
    read_frames,
    rises,
    verify_log,
)
from kformat_engine.storage import Storage

_COPY_BYTES: Final = 4 << 20
_EPOCHS: Final = "leader-epoch-checkpoint"
_METADATA: Final = "partition.metadata"
_KEPT_ASIDE: Final = re.compile(r"torn-[0-9a-z-]+\.bytes")
_TEMPORARY: Final = re.compile(rf"({_KEPT_ASIDE.pattern}|[0-9]{{20}}\.[a-z]+|{_EPOCHS}|{re.escape(_METADATA)})\.tmp")
_INDEX_SUFFIXES: Final = ("index", "timeindex", "txnindex")
_INDEX_KINDS: Final = {"offset_index": "index", "time_index": "timeindex", "transaction_index": "txnindex"}
_NO_RUNS: Final[EpochRuns] = np.zeros((0, 3), np.int64)
_CUTS: Final = (Action.CUT, Action.CUT_SEGMENT, Action.EMPTY)
_MOST_PIECES: Final = 1000
"""Into how many segments one is divided at most; what lies behind the last of them is kept aside as a whole."""


@dataclass
class Examination:
    """One look at a folder: findings in the order in which they are reported, steps in the order in which they are
    done. The steps are all there is to do: none of them finds anything out."""

    folder: Path
    config: LogConfig
    is_clean: bool
    recovery_point: int
    is_point_known: bool
    checkpointed_start: int
    is_start_known: bool
    mode: Mode
    storage: Storage
    findings: list[Finding] = field(default_factory=list)
    steps: list[Callable[[], object]] = field(default_factory=list)
    names: dict[str, Path] = field(default_factory=dict)
    """The names of regular files as they will be -> where they lie now."""
    bases: list[int] = field(default_factory=list)
    """Base offsets of the segments that there will be."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that are cut, or come of a replaced one -> what their logs will have, bytes."""
    cut_logs: list[Path] = field(default_factory=list)
    """Where the logs lie that `run` will make shorter."""
    epochs_of: dict[int, EpochRuns] = field(default_factory=dict)
    """Base offsets of the segments that were looked at wholly -> the leader epochs in them. (Not their headers: these
    take more memory than some logs have bytes.)"""
    epochs: LeaderEpochs = field(default_factory=LeaderEpochs)
    end: int = 0
    start: int = 0
    had_segments: bool = False
    index_bytes: int | None = None
    """What `untrimmed_bytes` says of the last segment."""
    was_longer: bool = False
    """Whether an index of the last segment speaks of what is not in the log."""

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
        return Report(
            self.folder,
            self.mode,
            self.is_clean,
            tuple(self.findings),
            self.checkpointed_start if self.is_start_known else self.start,
            self.start,
            self.end,
            recovery_point,
        )

    def run(self) -> None:
        """Do the steps."""
        for do in self.steps:
            do()
        if self.steps:
            self.storage.sync_directory(self.folder)

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

    # Leftovers

    def _list(self) -> None:
        self.entries: dict[str, bool] = {}  # name -> whether it is a regular file
        try:
            found = os.scandir(self.folder)
        except FileNotFoundError:  # it is made when all is planned
            return
        with found:
            for entry in found:
                try:
                    self.entries[entry.name] = entry.is_file()
                except OSError:  # a link that leads to itself
                    self.entries[entry.name] = False
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
        logs = {parsed[name].offset: name for name in swaps if parsed[name].kind == "log"}
        conditions = {offset: self._judge_swap(offset, name) for offset, name in logs.items()}
        is_any_unsound = any(condition == UNSOUND for condition, _, _ in conditions.values())
        for name in in_state["deleted"]:
            is_needed = is_any_unsound and parsed[name].kind == "log"
            finding = self._find(name, Kind.DELETED, {"needed": YES if is_needed else NO})
            if finding.action is Action.SET_ASIDE:
                aside = self._free_name(f"torn-{parsed[name].offset:020d}-log-deleted")
                self._aside(finding, aside)
                self.steps.append(_rename(self.storage, self.names.pop(name), self.folder / aside))
            else:
                self._remove(name)
        for name in [name for name in self.names if _TEMPORARY.fullmatch(name)]:
            if self._find(name, Kind.TEMPORARY).action is Action.REMOVE:
                self._remove(name)
            else:
                del self.names[name]
        self._swaps(conditions, swaps, is_any_unsound)

    def _remove(self, name: str) -> None:
        self.steps.append(_unlink(self.storage, self.names.pop(name)))

    def _judge_swap(self, base_offset: int, name: str) -> tuple[str, str, int]:
        """The condition of a `.log.swap`, what is the matter, and the offset behind its sound batches."""
        if (size_bytes := self.names[name].stat().st_size) > MAX_LOG_BYTES:
            return UNSOUND, f"{size_bytes} bytes", base_offset
        found = verify_log(self.names[name], base_offset, order="index")
        condition, detail = (SOUND, "") if found.problem is None else (UNSOUND, str(found.problem))
        return condition, detail, found.next_offset

    def _swaps(self, conditions: dict[int, tuple[str, str, int]], swaps: list[str], is_any_unsound: bool) -> None:
        """Finish a replacement that had begun: what it replaces goes, then what replaces it gets its names.

        Where a part of what replaces it is unsound, and it is still there, it stays.
        """
        if is_any_unsound:
            first, end = min(conditions), max(end for _, _, end in conditions.values())
            if any(first <= base_offset < end for base_offset in self._log_offsets()):
                conditions = {
                    base_offset: (DOUBTFUL if condition == SOUND else condition, detail, behind)
                    for base_offset, (condition, detail, behind) in conditions.items()
                }
        first, end = MAX_INT64, MIN_INT64
        for base_offset, (condition, _, behind) in conditions.items():
            if row_for(self.mode, Kind.SWAP, {"aborted": NO, "condition": condition}).action is Action.INSTALL:
                first, end = min(first, base_offset), max(end, behind)
        for name in list(self.names):
            offset = _offset_of(name)
            if offset is not None and first <= offset < end and not name.endswith(".swap"):
                self._find(name, Kind.REPLACED, detail=f"offsets {first} to {end}")
                self._remove(name)
        if first < end and self.steps:  # what is replaced is gone for good before what replaces it is there
            self.steps.append(lambda: self.storage.sync_directory(self.folder))
        # Logs first: were an index in its place, the log's swap would take it for something to be replaced.
        by_log = sorted((not name.endswith(".log.swap"), _offset_of(name) or 0, name) for name in swaps)
        for _, base_offset, name in by_log:
            condition, detail, _ = conditions.get(base_offset, (NO_LOG, "", 0))
            finding = self._find(name, Kind.SWAP, {"aborted": NO, "condition": condition}, detail)
            path = self.names.pop(name)
            if finding.action is Action.SET_ASIDE:
                aside = self._free_name(f"torn-{base_offset:020d}-{name.split('.')[1]}-swap")
                self._aside(finding, aside)
                self.steps.append(_rename(self.storage, path, self.folder / aside))
            elif finding.action is Action.INSTALL:
                final = name.removesuffix(".swap")
                self.names[final] = path
                self.steps.append(_rename(self.storage, path, self.folder / final))

    # Segments

    def _files(self, base_offset: int) -> SegmentFiles:
        return SegmentFiles(
            base_offset,
            self.names[file_name(base_offset, "log")],
            *(self.names.get(file_name(base_offset, suffix)) for suffix in _INDEX_SUFFIXES),
        )

    def _segments(self) -> None:
        bases = self._log_offsets()
        self.had_segments = bool(bases)
        floor = max([number for number, base in enumerate(bases) if base <= self.recovery_point], default=0)
        self.end = self.checkpointed_start
        if bases:
            self.index_bytes = untrimmed_bytes(self._files(bases[-1]))
        after_offset: int | None = None
        for number, base_offset in enumerate(bases):
            following = bases[number + 1] if number + 1 < len(bases) else None
            is_due = not self.is_clean and number >= floor
            look = _Look(self, self._files(base_offset), following, is_due, after_offset)
            look.judge()
            after_offset = look.last_offset
            self.bases += look.bases
            self.end = look.end
            self.was_longer = any(index.is_beyond for index in look.indexes.values())
            if look.action in (Action.CUT, Action.EMPTY):
                return

    def set_aside_later(self, base_offset: int) -> None:
        """Keep aside all segments behind one; the last first, so that no gap can be left."""
        later = [offset for offset in self._log_offsets() if offset > base_offset]
        self._set_aside_all(later, ABOVE, f"behind segment {base_offset}")

    def _set_aside_all(self, offsets: Sequence[int], place: str, detail: str) -> None:
        steps: list[Callable[[], object]] = []
        for offset in offsets:
            rank = LAST if offset == offsets[-1] else EARLIER
            state = {"condition": FOLLOWS, **self.shutdown, "place": place, "rank": rank, "look": TAIL}
            finding = self._find(file_name(offset, "log"), Kind.LOG, state, detail)
            steps.insert(0, self._setting_aside(finding, offset))
            for suffix in _INDEX_SUFFIXES:
                if self.names.pop(file_name(offset, suffix), None) is not None:
                    self._find(file_name(offset, suffix), Kind.ORPHAN, {**self.shutdown, "entries": NO}, detail)
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
        del self.names[file_name(base_offset, "log")]

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
            final = self.folder / file_name(base_offset, "log")
            return self._keep(source, start, end, final, f"torn-{base_offset:020d}-{start}")

    def _keep(self, source: ByteSource, start: int, end: int, final: Path, stem: str) -> str:
        """Plan to copy bytes of a file, which will be called ``final`` then; the copy's name."""
        number, name = 1, f"{stem}.bytes"
        while name in self.entries:
            if self.entries[name] and _same_bytes(self.folder / name, source, start, end):
                return name  # a recovery died after it had kept them
            number += 1
            name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        self.steps.append(lambda: self._copy(final, start, end, self.folder / name))
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
        self.cut_logs.append(self.names[path.name])

        def do() -> None:
            file = self.storage.open(path)
            try:
                file.truncate(size_bytes)
                file.sync()
            finally:
                file.close()

        self.steps.append(do)

    def rebuild(self, base_offset: int, suffix: str, content: bytes) -> None:
        """Plan to put an index in place of the one that is there; the folder is synced once, when all is done."""
        path = self.folder / file_name(base_offset, suffix)
        self.names[path.name] = path
        beside = path.with_name(path.name + ".tmp")

        def do() -> None:
            self._write(beside, content)
            self.storage.rename(beside, path)

        self.steps.append(do)

    def replace(self, files: SegmentFiles, pieces: Sequence[Piece]) -> None:
        """Plan to put segments in the place of one, as LocalLog.replaceSegments does."""
        for suffix in ("log", *_INDEX_SUFFIXES):
            self.names.pop(file_name(files.base_offset, suffix), None)
        for piece in pieces:
            self.names[file_name(piece.base_offset, "log")] = files.log
            self.sizes[piece.base_offset] = piece.end - piece.start

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
            for suffix in ("log", *_INDEX_SUFFIXES):
                self.storage.unlink(self.folder / f"{file_name(files.base_offset, suffix)}.deleted")

        self.steps.append(do)

    def _write_piece(self, old: Path, piece: Piece, modified_ms: int) -> None:
        log = self.folder / f"{file_name(piece.base_offset, 'log')}.cleaned"
        self._copy_parts(old, piece.start, piece.end, log)
        found = self.verified(read_frames(log), 0, piece.base_offset)
        for suffix, entries in zip(("index", "timeindex"), found.entries, strict=True):
            self._write(self.folder / f"{file_name(piece.base_offset, suffix)}.cleaned", entries.tobytes())
        transactions = old.with_name(old.name.removesuffix("log") + "txnindex")
        if transactions.exists():
            entries = read_transactions(transactions, MIN_INT64)
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

    def verified(self, frames: Frames, row: int, base_offset: int, **how: Any) -> Verified:
        """`Frames.verified` as the configuration and the mode have it."""
        return frames.verified(
            row,
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
                    self._find(name, Kind.ORPHAN, {**self.shutdown, "entries": self._has_entries(self.names[name])})
                    path = self.folder / name  # a swap may have put it there just before
                    del self.names[name]
                    self.steps.append(_unlink(self.storage, path))

    def _has_entries(self, path: Path) -> str:
        with ByteSource(path) as source:
            return NO if source.is_zero(0, source.size) else YES

    def _partition(self) -> None:
        first = self.bases[0] if self.bases else self.checkpointed_start
        self.start = max(self.checkpointed_start, first)
        end = self.end if self.bases else self.checkpointed_start
        is_lost = self.recovery_point > max(end, self.checkpointed_start)
        state = {
            "segments": YES if self.bases else NO,
            "end": ABOVE if end >= self.checkpointed_start else BELOW,
            "lost": NO if not is_lost else CLEAN if self.is_clean and self.bases and not self.was_longer else YES,
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
                self.steps.append(_unlink(self.storage, self.folder / name))

    def _leader_epochs(self) -> None:
        condition, detail = SOUND, ""
        stored: tuple[tuple[int, int], ...] = ()
        is_missing = _EPOCHS not in self.names
        if not is_missing:
            try:
                stored = tuple(self._read_epochs())
            except (DataError, UsageError) as error:
                condition, detail = DAMAGED, str(error)
        self.epochs = LeaderEpochs(stored)
        self._limit_epochs()  # first, or an entry of what was cut hides what the log has
        is_told = condition == SOUND and (not is_missing or self.mode is Mode.KAFKA)
        is_refused = any(finding.action is Action.REFUSE for finding in self.findings)
        for base_offset in self.bases:
            if base_offset not in self.epochs_of and not is_told and not is_refused:
                log = self.names[file_name(base_offset, "log")]
                self.epochs_of[base_offset] = self.verified(read_frames(log), 0, base_offset).leader_epochs
            for epoch, offset in rises(self.epochs_of.get(base_offset, _NO_RUNS)):
                if epoch > self.epochs.latest_epoch:
                    self.epochs.assign(epoch, offset)
        self._limit_epochs()
        if not self.bases:
            self.epochs.clear()
        is_remote = self.is_start_known and self.checkpointed_start < self.start
        if self.mode is Mode.SALVAGE and not is_remote:
            self._drop_contradicted_epochs()
        # A file that is missing is made, even if it says nothing, or the whole log would be read for it each time.
        is_wanted = is_missing and not is_told and self._has_batches()
        if condition == SOUND and (tuple(self.epochs.entries) != stored or is_wanted):
            condition = "stale"
            detail = f"{'missing' if is_missing else _told(stored)} -> {_told(self.epochs.entries)}"
        if not is_missing or self.epochs.entries or is_wanted:
            state = {"condition": condition, "remote": YES if is_remote else NO}
            finding = self._find(_EPOCHS, Kind.LEADER_EPOCHS, state, detail)
            if finding.action is Action.REWRITE:
                path = self.folder / _EPOCHS
                if condition == DAMAGED:
                    # Copied, not renamed: were it missing after a crash, nobody would know that it had been damaged.
                    with ByteSource(path) as source:
                        self._aside(finding, self._keep(source, 0, source.size, path, "torn-leader-epoch-checkpoint"))
                entries = LeaderEpochs(self.epochs.entries)
                self.steps.append(lambda: entries.save(self.storage, path))

    def _drop_contradicted_epochs(self) -> None:
        """Where a batch has another epoch than the entries say, begin with the last batches that do not go back.

        No checksum covers the epoch of a batch. Followers are told nothing then of the epochs before, rather than what
        is wrong.
        """
        known = [self.epochs_of[base_offset] for base_offset in self.bases if base_offset in self.epochs_of]
        runs = np.concatenate(known) if known else _NO_RUNS
        entries = np.array(self.epochs.entries, np.int64).reshape(-1, 2)
        if not len(runs) or not len(entries):
            return
        first, last = (np.searchsorted(entries[:, 1], runs[:, column], side="right") - 1 for column in (1, 2))
        is_wrong = (last >= 0) & ((entries[last, 0] != runs[:, 0]) | (np.maximum(first, 0) != last))
        if is_wrong.any():
            falls = np.flatnonzero(np.diff(runs[:, 0]) < 0)
            runs = runs[falls[-1] + 1 if len(falls) else 0 :]
            behind = entries[entries[:, 1] > runs[-1, 2]].tolist()
            self.epochs = LeaderEpochs(rises(runs))
            for epoch, offset in behind:
                if epoch > self.epochs.latest_epoch:
                    self.epochs.assign(epoch, offset)

    def _has_batches(self) -> bool:
        """Whether there will be a log that is not empty."""
        logs = {base_offset: self.names[file_name(base_offset, "log")] for base_offset in self.bases}
        return any(self.sizes.get(base_offset, path.stat().st_size) for base_offset, path in logs.items())

    def _limit_epochs(self) -> None:
        # Kafka forgets an epoch that begins where the log ends; ours are kept nowhere else.
        self.epochs.truncate_from_end(self.end if self.mode is Mode.KAFKA else self.end + 1)
        self.epochs.truncate_from_start(self.checkpointed_start)

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
                parsed = parse_file_name(name)
                is_log = parsed is not None and parsed.kind == "log" and not parsed.state and not is_regular
                self._find(name, Kind.FOREIGN, {"log": YES if is_log else NO})

    def _metadata(self) -> None:
        path = self.folder / _METADATA
        try:
            read_sidecar(path)
        except DataError as error:
            finding = self._find(_METADATA, Kind.METADATA, {"condition": DAMAGED}, str(error), error.position)
            if finding.action is Action.SET_ASIDE:
                aside = self._free_name("torn-partition-metadata")
                self._aside(finding, aside)
                self.steps.append(_rename(self.storage, path, self.folder / aside))
        else:
            self._find(_METADATA, Kind.METADATA, {"condition": SOUND})


class _Look:
    """One segment: what state its files are in, and what is to be done about it.

    Its log is looked at in stretches: as a rule one, the whole of it. Where it has to be split, or has a damaged place
    in it that is kept aside, what is left becomes several segments, the `pieces`, and each stretch is looked at as the
    segment that it will be, so that nothing is left to be found out when the first of them is made. Each stretch
    begins behind the one before it, and there are at most `_MOST_PIECES`.

    Afterwards ``bases`` are the base offsets of what becomes of it, ``end`` is the offset behind its last batch, as it
    will be, ``last_offset`` that of its last batch if all were looked at, and ``action`` what becomes of the log, or of
    its last stretch.
    """

    def __init__(
        self, whole: Examination, files: SegmentFiles, following: int | None, is_due: bool, after_offset: int | None
    ) -> None:
        self.whole, self.files, self.following, self.is_due = whole, files, following, is_due
        self.base_offset, self.mode = files.base_offset, whole.mode
        self.after_offset = after_offset
        self.rank = LAST if following is None else EARLIER
        self.start = self.row = 0  # where the stretch begins, bytes, and the number of its first batch in `frames`
        self.frames: Frames | None = None
        self.verified: Verified | None = None
        self.end = files.base_offset if following is None else following
        self.last_offset: int | None = None
        self.action = Action.KEEP
        self.condition: str = UNREAD
        self.problem: DataError | None = None
        self.valid_bytes = 0
        self.pieces: list[Piece] = []
        self.next_stretch: tuple[int, int] | None = None  # of a split: base offset and start
        self.indexes: dict[Kind, FoundIndex] = {}

    @property
    def bases(self) -> list[int]:
        return [piece.base_offset for piece in self.pieces] or [self.files.base_offset]

    def judge(self) -> None:
        self.size_bytes = self.files.log.stat().st_size
        if self.size_bytes > MAX_LOG_BYTES:
            self.look, self.condition = TAIL, TOO_LARGE
            self._find_log(BELOW, f"{self.size_bytes} bytes")
            return
        self.indexes = {
            Kind.OFFSET_INDEX: judge_offset_index(
                self.files, self.size_bytes, self.following, self.whole.config.index_interval_bytes
            ),
            Kind.TIME_INDEX: judge_time_index(self.files, self.following, self.size_bytes),
        }
        if self.mode is Mode.SALVAGE:
            believe_check(self.indexes[Kind.OFFSET_INDEX], self.files.index)
            believe_check(self.indexes[Kind.TIME_INDEX], self.files.timeindex)
        self.look = self._how_far()
        if self.look == TAIL and self.rank == LAST:
            self._look_at_tail()
        if self.look in (INDEX, RECOVERY):
            self._look_at_all()
        if self.condition in (LogEnd.SOUND, UNREAD):
            is_shrunk = self.rank == EARLIER and self.indexes[Kind.OFFSET_INDEX].is_beyond
            self.condition = SHRUNK if is_shrunk else self.condition
        finding = self._find_log(self._place(), self._detail)
        is_split = False
        while self._goes_on(finding):
            is_split = is_split or self.action is Action.SPLIT
            self._look_at_all()
            if self.condition == LogEnd.SOUND:
                self._end_piece(self.valid_bytes)
                self.action = Action.KEEP
                break
            if self.condition == LogEnd.OVERFLOW and is_split:
                self.action = Action.SPLIT  # once is enough to say so
                continue
            finding = self._find_log(self._place(), self._detail)
        self._find_indexes()
        self._find_transactions()
        if self.pieces:
            self.whole.replace(self.files, self.pieces)

    @property
    def _detail(self) -> str:
        return "" if self.problem is None else str(self.problem)

    def _place(self) -> str:
        if self.condition in (LogEnd.SOUND, UNREAD):
            return ABOVE
        if self.whole.is_clean and not self.whole.is_point_known and self.condition != LogEnd.ZEROS:
            return BELOW
        return BELOW if self.end < self.whole.recovery_point else ABOVE

    def _how_far(self) -> str:
        found = {kind: index.condition for kind, index in self.indexes.items()}
        if self.mode is Mode.KAFKA and found[Kind.OFFSET_INDEX] is IndexCondition.MISSING:
            return INDEX
        if self.is_due:
            return RECOVERY
        is_sound = all(condition is IndexCondition.SOUND for condition in found.values())
        if self.mode is Mode.SALVAGE:
            return INDEX  # every byte, and the indexes as they are
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
        found = self.whole.verified(read_frames(self.files.log, start), 0, self.base_offset)
        self.valid_bytes, self.problem, self.end, self.condition = (
            found.valid_bytes,
            found.problem,
            found.next_offset,
            found.end,
        )
        if self._distrust_indexes() or self.condition == LogEnd.OVERFLOW:
            self.look = INDEX

    def _distrust_indexes(self) -> bool:
        """Take an index that goes on behind the log's end for unsound; whether there is one."""
        is_any = False
        for index in self.indexes.values():
            if index.last_offset is not None and index.last_offset >= self.end:
                index.condition, index.is_beyond, is_any = IndexCondition.UNSOUND, True, True
                index.detail = f"offset {index.last_offset} is behind the log's end {self.end}"
        return is_any

    def _look_at_all(self) -> None:
        """Look at every byte of the stretch. What was read for the one before it is not read again."""
        if self.frames is None:
            self.frames, self.row = read_frames(self.files.log, self.start), 0
        how = {"after_offset": self.after_offset, "end_offset": self.following}
        found = self.whole.verified(self.frames, self.row, self.base_offset, **how)
        if self.mode is Mode.SALVAGE:
            found = readable(self.files.log, found, self.after_offset)
        self.verified, self.whole.epochs_of[self.base_offset] = found, found.leader_epochs
        self.valid_bytes, self.problem, self.condition = found.valid_bytes, found.problem, found.end
        if len(found.headers):
            self.end, self.last_offset = found.next_offset, found.next_offset - 1
        elif self.pieces:
            assert self.after_offset is not None
            self.end = self.after_offset + 1
        else:
            self.end = self.files.base_offset
        if self.mode is Mode.KAFKA:
            try:
                _ = found.entries
            except InvalidError as error:
                self.condition, self.problem = LogEnd.ORDER, error
            if self.condition == LogEnd.EXHAUSTED:
                self.end = MIN_INT64
            if self.condition == LogEnd.ZEROS and self.size_bytes - self.valid_bytes <= PEEK_BYTES:
                self.condition = LogEnd.TORN  # too few bytes to be looked at
        elif self.look == INDEX and not self.pieces:
            self._distrust_indexes()
        if self.condition == LogEnd.OVERFLOW:
            self._plan_split(found)

    def _plan_split(self, found: Verified) -> None:
        """Where the next segment begins in a stretch whose offsets overflow (LocalLog.splitOverflowedSegment); where
        no segment can hold the batch that does not fit, its condition is another one."""
        assert self.frames is not None
        headers, row, overflow = self.frames.headers, self.row, self.row + len(found.headers)
        if self.mode is Mode.KAFKA and not self.pieces:
            last_offset = headers.last_offset
            goes_back = np.flatnonzero(last_offset[1:] <= last_offset[:-1])
            if self.following is not None and last_offset[-1] >= self.following:
                beyond = int(np.argmax(last_offset >= self.following))
                self._refuse_split(headers, beyond, "the offsets reach into the next segment", f"< {self.following}")
                return
            if len(goes_back):
                number = int(goes_back[0]) + 1
                self._refuse_split(headers, number, "the offsets go back", f"> {int(last_offset[number - 1])}")
                return
        if len(self.pieces) >= _MOST_PIECES - 1:
            self._refuse_split(headers, overflow, f"its offsets ask for more than {_MOST_PIECES} segments", "fewer")
            return
        # As low as the segment's name is, nothing may need it: a new segment begins with its first batch.
        for number in sorted({row, overflow}):
            before = self.after_offset if number == row else int(headers.last_offset[number - 1])
            lowest = self._lowest(headers, number, before)
            if lowest is None:
                self._refuse_split(headers, number, "no segment has room for all offsets of the batch", "2^31 at most")
                return
            if number > row or lowest > self.base_offset:
                self.next_stretch = lowest, int(headers.position[number])
                return
        raise AssertionError("a batch that fits its own segment does not overflow it")

    def _lowest(self, headers: BatchHeaders, row: int, before: int | None) -> int | None:
        """The base offset of a segment that begins with this batch; None where the batch does not fit that."""
        first, last = int(headers.base_offset[row]), int(headers.last_offset[row])
        if headers.magic[row] < CURRENT_MAGIC:
            # Inside of an old wrapper offsets may be relative ones, which say less than its own.
            first = first_offset(next(iter_batches(self.files.log, int(headers.position[row]))))
        if before is not None:
            first = max(first, before + 1)
        return first if 0 <= last - first <= MAX_RELATIVE_OFFSET else None

    def _refuse_split(self, headers: BatchHeaders, row: int, message: str, expected: str) -> None:
        self.condition = LogEnd.BEFORE
        self.problem = InvalidError(
            message,
            source=headers.source,
            position=int(headers.position[row]),
            path="record_batch.base_offset",
            expected=expected,
            found=int(headers.last_offset[row]),
        )

    def _find_log(self, place: str, detail: str) -> Finding:
        state = {
            "condition": self.condition,
            **self.whole.shutdown,
            "place": place,
            "rank": self.rank,
            "look": self.look,
        }
        name = file_name(self.files.base_offset, "log")
        position = None if self.condition in (LogEnd.SOUND, UNREAD, TOO_LARGE) else self.valid_bytes
        finding = self.whole._find(name, Kind.LOG, state, detail, position)
        self.action = finding.action
        if self.action in (Action.CUT, Action.EMPTY):
            number = len(self.whole.findings) - 1
            self.whole.set_aside_later(self.files.base_offset)
            later = self.whole.findings[number + 1 :]
            del self.whole.findings[number + 1 :]
            self._cut(finding)
            self.whole.findings.extend(later)
        elif self.action is Action.CUT_SEGMENT:
            self._cut(finding)
        return finding

    def _cut(self, finding: Finding) -> None:
        kept_bytes = self.start if self.action is Action.EMPTY else self.valid_bytes
        if self.action is Action.EMPTY:
            self.end = self.base_offset
        self._keep_aside(finding, kept_bytes, self.size_bytes)
        if self.pieces or (self.base_offset != self.files.base_offset and kept_bytes > self.start):
            self._end_piece(kept_bytes)
        else:
            self.whole.cut(self.files.base_offset, kept_bytes)
            self.whole.epochs_of[self.files.base_offset] = self.whole.epochs_of.get(self.base_offset, _NO_RUNS)

    def _keep_aside(self, finding: Finding, start: int, end: int) -> None:
        aside = self.whole.keep_part(self.files.log, self.files.base_offset, start, end)
        if aside is not None:
            self.whole._aside(finding, aside)

    def _end_piece(self, end: int) -> None:
        """Make a piece of the stretch up to a position; nothing where it is empty."""
        if end > self.start:
            self.pieces.append(Piece(self.base_offset, self.start, end))

    def _goes_on(self, finding: Finding) -> bool:
        """Whether there is another stretch to be looked at, behind the one that has to be split or has a damage; then
        it is the one that is looked at next."""
        if self.action is Action.SPLIT:
            assert self.next_stretch is not None and self.frames is not None
            base_offset, start = self.next_stretch
        elif self.action is Action.SALVAGE:
            resumed = self._resume(finding)
            if resumed is None:
                return False
            base_offset, start = resumed
        else:
            return False
        if start > self.start and self.valid_bytes > self.start:
            self._end_piece(self.valid_bytes)
            self.after_offset = self.end - 1
        self.base_offset, self.start = base_offset, start
        if self.frames is not None:
            positions = self.frames.headers.position
            self.row = int(np.searchsorted(positions, start))
            if self.row == len(positions) or positions[self.row] != start:
                self.frames = None
        return True

    def _resume(self, finding: Finding) -> tuple[int, int] | None:
        """Keep the stretch that cannot be read aside; base offset and start of the sound one behind it, if any."""
        has_batches = self.valid_bytes > self.start
        after = self.base_offset - 1 if self.after_offset is None else self.after_offset
        after = self.end - 1 if has_batches else after
        is_last = len(self.pieces) >= _MOST_PIECES - 1
        resumed = None
        if not is_last:
            resumed = next_sound(self.files, self.valid_bytes, self.size_bytes, after, self.following)
        self._keep_aside(finding, self.valid_bytes, self.size_bytes if resumed is None else resumed.position)
        if resumed is None:
            self._end_piece(self.valid_bytes)
            if not self.pieces:
                self.pieces.append(Piece(self.files.base_offset, 0, 0))
            return None
        is_first = not (has_batches or self.pieces)
        return self.base_offset if is_first else max(first_offset(resumed), after + 1), resumed.position

    def _find_indexes(self) -> None:
        recovered = self.look == RECOVERY or (self.look == INDEX and self.action in _CUTS) or bool(self.pieces)
        for number, (kind, index) in enumerate(self.indexes.items()):
            suffix = _INDEX_SUFFIXES[number]
            state = {"condition": index.condition.value, "recovered": YES if recovered else NO, "rank": self.rank}
            finding = self.whole._find(file_name(self.files.base_offset, suffix), kind, state, index.detail)
            if self.mode is Mode.KAFKA and index.condition is IndexCondition.MISSING and kind is Kind.OFFSET_INDEX:
                recovered = True  # a broker recovers the segment then, and that makes both anew
            if self.pieces or self.action is Action.REFUSE:
                continue
            if finding.action is Action.REBUILD:
                assert self.verified is not None
                is_empty = self.action is Action.EMPTY
                content = b"" if is_empty else self.verified.entries[number].tobytes()
                self.whole.rebuild(self.files.base_offset, suffix, content)
            elif finding.action is Action.CREATE_EMPTY:
                self.whole.rebuild(self.files.base_offset, suffix, b"")

    def _find_transactions(self) -> None:
        path, whole = self.files.txnindex, self.whole
        if path is None:
            return
        name = file_name(self.files.base_offset, "txnindex")
        try:
            entries = read_transactions(path, self.files.base_offset)
        except DataError as error:
            finding = whole._find(name, Kind.TRANSACTION_INDEX, {"condition": UNSOUND}, str(error))
            if finding.action is Action.SET_ASIDE:
                aside = whole._free_name(f"torn-{self.files.base_offset:020d}-txnindex")
                whole._aside(finding, aside)
                whole.steps.append(_rename(whole.storage, whole.folder / name, whole.folder / aside))
            return
        is_beyond = entries["last_offset"].astype(np.int64) >= self.end
        condition = "beyond" if bool(is_beyond.any()) and not self.pieces else SOUND
        finding = whole._find(name, Kind.TRANSACTION_INDEX, {"condition": condition})
        if finding.action is Action.TRUNCATE:
            kept = entries[: int(is_beyond.argmax())].tobytes()
            whole.steps.append(lambda: whole.storage.write_atomically(whole.folder / name, kept))


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
