"""The findings in a partition's folder, and the planned steps.

The steps only make changes: none of them examines anything. Nothing is changed before `RecoveryPlan.run`.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from kformat.errors import DataError
from kformat.integers import MIN_INT64
from kformat.kafka.files.file_kinds import CLUSTER_METADATA, FileName, file_name, parse_file_name, parse_folder_name
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat_engine.config import LogConfig
from kformat_engine.recovery.evidence import SHORT_INDEX_BYTES, Piece, SegmentFiles, read_transactions
from kformat_engine.recovery.report import RecoveryFinding
from kformat_engine.recovery.table import (
    ABOVE,
    CLEAN,
    EARLIER,
    FOLLOWS,
    LAST,
    NO,
    SOUND,
    TAIL,
    UNCLEAN,
    UNREAD,
    Kind,
    Mode,
    State,
    TableRow,
    row_for,
)
from kformat_engine.recovery.verification import MAX_LOG_BYTES, Frames, Verified, read_frames
from kformat_engine.segment import CLEANED_SUFFIX, SWAP_SUFFIX
from kformat_engine.storage import Clock, Storage, wall_clock_ms

_REPLACED: Final = ("offset_index", "time_index", "transaction_index", "producer_snapshot")
"""Kinds of files that steps replace."""
INDEX_SUFFIXES: Final = ("index", "timeindex", "txnindex")
_ENTRY_BYTES: Final = tuple(layout(f"{name}::entry").size for name in ("offset_index", "time_index"))
_NOT_READ: Final = "looked at when it is first used"
_COPY_BYTES: Final = 4 << 20


@dataclass
class RecoveryPlan:
    """Findings in the order in which they are reported, steps in the order in which they are done."""

    folder: Path
    config: LogConfig
    is_clean: bool
    recovery_point: int | None
    """The recovery point of the root's checkpoint; None without an entry."""
    mode: Mode
    storage: Storage
    place_unanchored: bool = False
    """Whether mode ``salvage`` also saves batches that may be values of records."""
    unanchored_batches: int = 0
    """The number of these that are not saved."""
    is_lazy: bool = False
    """Whether a sealed segment, after a clean shutdown, need not be examined before its first use: see `trust`."""
    findings: list[RecoveryFinding] = field(default_factory=list)
    steps: list[Callable[[], object]] = field(default_factory=list)
    entries: dict[str, bool] = field(default_factory=dict)
    """The names in the folder, and the planned ones -> whether they are regular files."""
    names: dict[str, Path] = field(default_factory=dict)
    """The names of regular files after the plan -> their current paths."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that are cut, or are made from a replaced one -> the sizes of their logs, bytes."""
    saved: dict[int, ByteSource] = field(default_factory=dict)
    """Base offsets of the segments that are made from a damaged one -> the saved part of its log, their source."""
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """The logs of which a part is saved; the caller closes them."""
    without_producers: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Base offsets of the segments whose batches have no producers -> the position up to which that is known, and the
    last offset of their batches of magic 2, -1 for none."""
    starts: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that are made from a replaced one -> where they begin in its log, bytes."""
    cut_logs: list[Path] = field(default_factory=list)
    """The current paths of the logs that `run` shortens."""
    clock: Clock = wall_clock_ms
    """The clock for the expiration of producers."""
    trusted: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments of which only names and sizes were checked -> bytes of their logs."""
    _scanned: dict[str, os.DirEntry[str]] = field(default_factory=dict)
    _parsed: dict[str, FileName | None] = field(default_factory=dict)

    def list_folder(self) -> None:
        """Read the names in the folder; none if it does not exist yet."""
        try:
            scan = os.scandir(self.folder)
        except FileNotFoundError:  # it is created after the planning
            return
        with scan:
            for entry in scan:
                try:
                    self.entries[entry.name] = entry.is_file()
                    self._scanned[entry.name] = entry
                except OSError:  # a link that leads to itself
                    self.entries[entry.name] = False
        self.names = {name: self.folder / name for name in sorted(self.entries) if self.entries[name]}

    def run(self) -> None:
        """Do the steps. Raises OSError; before the first one, if a name that must be a regular file is not one."""
        for name, is_file in self.entries.items():
            parsed = None if is_file else self.parsed(name)
            if self.steps and parsed is not None and parsed.kind in _REPLACED and not parsed.state:
                raise OSError(errno.EINVAL, "no regular file", str(self.folder / name))
        for step in self.steps:
            step()
        if self.steps:
            self.storage.sync_directory(self.folder)

    @property
    def is_metadata(self) -> bool:
        """Whether the folder is KRaft's own log."""
        name = parse_folder_name(self.folder.name)
        return name is not None and name.topic == CLUSTER_METADATA

    @property
    def shutdown(self) -> dict[str, str]:
        return {"shutdown": CLEAN if self.is_clean else UNCLEAN}

    def files(self, base_offset: int) -> SegmentFiles:
        """The existing files of a segment."""
        return SegmentFiles(
            base_offset,
            self.names[file_name(base_offset, "log")],
            *(self.names.get(file_name(base_offset, suffix)) for suffix in INDEX_SUFFIXES),
        )

    def log_offsets(self) -> list[int]:
        """The base offsets of the logs, ascending."""
        parsed = map(self.parsed, self.names)
        return sorted(name.offset for name in parsed if name is not None and name.kind == "log" and not name.state)

    def parsed(self, name: str) -> FileName | None:
        """The parsed name of a file; None for one that is not a partition's."""
        if name not in self._parsed:
            self._parsed[name] = parse_file_name(name)
        return self._parsed[name]

    def trust(self, base_offset: int) -> bool:
        """Whether a sealed segment need not be examined before its first use: it was closed, and file sizes agree.

        Then it counts as sound, and `kformat_engine.recovery.opening.examine_segment` has to examine it later.
        A segment with a transaction index, an index that is missing, empty next to batches, or no whole number of
        entries, or with a log that is too large or empty, is examined now.
        """
        if not (self.is_lazy and self.is_clean and self.mode is not Mode.SALVAGE) or self.steps:
            return False
        log, index, timeindex, txnindex = (file_name(base_offset, suffix) for suffix in ("log", *INDEX_SUFFIXES))
        if txnindex in self.names or index not in self.names or timeindex not in self.names:
            return False
        log_bytes, index_bytes, time_bytes = (self._scanned[file].stat().st_size for file in (log, index, timeindex))
        if index_bytes % _ENTRY_BYTES[0] or time_bytes % _ENTRY_BYTES[1] or not time_bytes:
            return False
        if not log_bytes or log_bytes > (MAX_LOG_BYTES if index_bytes else SHORT_INDEX_BYTES):
            return False
        for name, (kind, state, row) in zip((log, index, timeindex), _trusted(self.mode), strict=True):
            self.findings.append(RecoveryFinding(name, kind, state, row, _NOT_READ))
        self.trusted[base_offset] = log_bytes
        return True

    def verified(self, frames: Frames, row: int, base_offset: int, **how: Any) -> Verified:
        """`Frames.verified` with the options of the configuration and the mode."""
        return frames.verified(
            row,
            base_offset,
            self.config.index_interval_bytes,
            profile=self.config.writer_profile,
            order="index" if self.mode is Mode.KAFKA else "batches",
            **how,
        )

    # Findings

    def find(
        self,
        file: str,
        kind: Kind,
        state: Mapping[str, str] | None = None,
        detail: str = "",
        position: int | None = None,
    ) -> RecoveryFinding:
        """Add a finding; its row has the action."""
        frozen_state = MappingProxyType(dict(state or {}))
        finding = RecoveryFinding(file, kind, frozen_state, row_for(self.mode, kind, frozen_state), detail, position)
        self.findings.append(finding)
        return finding

    def say_aside(self, finding: RecoveryFinding, name: str) -> None:
        """Set the file that keeps the removed bytes of the last finding."""
        assert self.findings[-1] is finding
        self.findings[-1] = replace(finding, aside=name)

    # Steps

    def remove(self, path: Path) -> None:
        """Plan to remove a file."""
        self.steps.append(lambda: self.storage.unlink(path))

    def rename(self, old: Path, new: Path) -> None:
        """Plan to rename a file."""
        self.steps.append(lambda: self.storage.rename(old, new))

    def rename_aside(self, finding: RecoveryFinding, path: Path, stem: str) -> None:
        """Plan to keep aside the whole file of the last finding."""
        aside = self._free_name(stem)
        self.say_aside(finding, aside)
        self.rename(path, self.folder / aside)

    def set_aside_later(self, base_offset: int) -> None:
        """Plan to keep aside all segments after one; the last first, so that no gap can be left."""
        later = [offset for offset in self.log_offsets() if offset > base_offset]
        self.set_aside_all(later, ABOVE, f"after segment {base_offset}")

    def set_aside_all(self, offsets: Sequence[int], place: str, detail: str) -> None:
        """Plan to keep these segments aside; the last first."""
        steps: list[Callable[[], object]] = []
        for offset in offsets:
            rank = LAST if offset == offsets[-1] else EARLIER
            state = {"condition": FOLLOWS, **self.shutdown, "place": place, "rank": rank, "look": TAIL}
            finding = self.find(file_name(offset, "log"), Kind.LOG, state, detail)
            steps.insert(0, self._setting_aside(finding, offset))
            for suffix in INDEX_SUFFIXES:
                if self.names.pop(file_name(offset, suffix), None) is not None:
                    self.find(file_name(offset, suffix), Kind.ORPHAN, {**self.shutdown, "entries": NO}, detail)
        self.steps.extend(steps)

    def _setting_aside(self, finding: RecoveryFinding, base_offset: int) -> Callable[[], object]:
        """The step that keeps aside a whole segment: its log is renamed, and its indexes are removed."""
        files = self.files(base_offset)
        aside = self._free_name(f"torn-{base_offset:020d}-0")
        if self.sizes.get(base_offset, files.log.stat().st_size):
            self.say_aside(finding, aside)
        del self.names[file_name(base_offset, "log")]

        def do() -> None:
            log = self.folder / file_name(base_offset, "log")
            if log.stat().st_size:
                self.storage.rename(log, self.folder / aside)
            else:
                self.storage.unlink(log)
            self.storage.sync_directory(self.folder)
            for suffix in INDEX_SUFFIXES:
                path = self.folder / file_name(base_offset, suffix)
                if path.exists():
                    self.storage.unlink(path)

        return do

    def _free_name(self, stem: str) -> str:
        """An unused name for a file that is kept aside."""
        number, name = 1, f"{stem}.bytes"
        while name in self.entries:
            number += 1
            name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        return name

    def keep_part(self, log: Path, base_offset: int, start: int, end: int) -> str | None:
        """Plan to keep bytes of a log aside; returns the name of the file, None if they are zeros."""
        with ByteSource(log) as source:
            if source.is_zero(start, end):
                return None
            final = self.folder / file_name(base_offset, "log")
            return self.keep(source, start, end, final, f"torn-{base_offset:020d}-{start}")

    def keep(self, source: ByteSource, start: int, end: int, final: Path | ByteSource, stem: str) -> str:
        """Plan to copy bytes of a file, which will be called ``final`` then, or stays open; returns the copy's name."""
        number, name = 1, f"{stem}.bytes"
        while name in self.entries:
            if self.entries[name] and _same_bytes(self.folder / name, source, start, end):
                return name  # an interrupted recovery had kept them
            number += 1
            name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        self.steps.append(lambda: self._copy(final, start, end, self.folder / name))
        return name

    def _copy(self, source: Path | ByteSource, start: int, end: int, target: Path) -> None:
        """Copy bytes to a new file and sync it; it gets its name when it is complete."""
        beside = target.with_name(target.name + ".tmp")
        self._copy_parts(source, start, end, beside)
        self.storage.rename(beside, target)
        self.storage.sync_directory(self.folder)

    def _copy_parts(self, source: Path | ByteSource, start: int, end: int, target: Path) -> None:
        self.storage.unlink(target)
        with contextlib.ExitStack() as opened:
            origin: Any = source
            if isinstance(source, Path):
                origin = self.storage.open(source, writable=False)
                opened.callback(origin.close)
            copy = self.storage.open(target, create=True)
            opened.callback(copy.close)
            for position in range(start, end, _COPY_BYTES):
                copy.write_at(origin.read_at(position, min(_COPY_BYTES, end - position)), position - start)
            copy.sync()

    def cut(self, base_offset: int, size_bytes: int) -> None:
        """Plan to cut and sync a log."""
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
        """Plan to replace or create an index; the folder is synced once, after all steps."""
        self.names[file_name(base_offset, suffix)] = self.folder / file_name(base_offset, suffix)
        self.write_beside(file_name(base_offset, suffix), content)

    def write_beside(self, name: str, content: bytes) -> None:
        """Plan to write a file, which replaces an existing one of that name."""
        path = self.folder / name
        beside = path.with_name(name + ".tmp")

        def do() -> None:
            self.storage.write_new(beside, content)
            self.storage.rename(beside, path)

        self.steps.append(do)

    def log(self, base_offset: int) -> Path | ByteSource:
        """The current source of a segment's bytes."""
        return self.saved.get(base_offset, self.names[file_name(base_offset, "log")])

    def replace(self, files: SegmentFiles, pieces: Sequence[Piece], saved: ByteSource | None) -> None:
        """Plan to replace a segment by several, as LocalLog.replaceSegments does. They are pieces of its log, or of its
        saved part."""
        for suffix in ("log", *INDEX_SUFFIXES):
            self.names.pop(file_name(files.base_offset, suffix), None)
        for piece in pieces:
            self.names[file_name(piece.base_offset, "log")] = files.log
            self.sizes[piece.base_offset] = piece.end - piece.start
            self.starts[piece.base_offset] = piece.start
            if saved is not None:
                self.saved[piece.base_offset] = saved

        def do() -> None:
            old = self.folder / file_name(files.base_offset, "log")
            modified_ms = old.stat().st_mtime_ns // 1_000_000
            for piece in pieces:
                self._write_piece(old, old if saved is None else saved, piece, modified_ms)
            self.storage.sync_directory(self.folder)
            for piece in reversed(pieces):
                self._rename_suffix(piece.base_offset, CLEANED_SUFFIX, SWAP_SUFFIX)
            self.storage.sync_directory(self.folder)
            self._rename_suffix(files.base_offset, "", ".deleted")
            for piece in pieces:
                self._rename_suffix(piece.base_offset, SWAP_SUFFIX, "")
            self.storage.sync_directory(self.folder)
            for suffix in ("log", *INDEX_SUFFIXES):
                self.storage.unlink(self.folder / f"{file_name(files.base_offset, suffix)}.deleted")

        self.steps.append(do)

    def _write_piece(self, old: Path, source: Path | ByteSource, piece: Piece, modified_ms: int) -> None:
        log = self.folder / (file_name(piece.base_offset, "log") + CLEANED_SUFFIX)
        self._copy_parts(source, piece.start, piece.end, log)
        verified = self.verified(read_frames(log), 0, piece.base_offset)
        for suffix, entries in zip(("index", "timeindex"), verified.entries, strict=True):
            self.storage.write_new(
                self.folder / (file_name(piece.base_offset, suffix) + CLEANED_SUFFIX), entries.tobytes()
            )
        transactions = old.with_name(old.name.removesuffix("log") + "txnindex")
        if transactions.exists() and isinstance(source, Path):  # for a saved part, a later step creates it
            try:
                entries = read_transactions(transactions, MIN_INT64)
            except DataError:  # a later step rebuilds it from the batches
                entries = np.empty(0, layout("transaction_index::entry").dtype)
            ends = entries["last_offset"].astype(np.int64)
            own = entries[(ends >= piece.base_offset) & (ends < verified.next_offset)]
            if len(own):
                self.storage.write_new(
                    self.folder / (file_name(piece.base_offset, "txnindex") + CLEANED_SUFFIX), own.tobytes()
                )
        self.storage.set_modified_ms(log, modified_ms)

    def _rename_suffix(self, base_offset: int, old: str, new: str) -> None:
        for suffix in ("log", *INDEX_SUFFIXES):
            path = self.folder / (file_name(base_offset, suffix) + old)
            if path.exists():
                self.storage.rename(path, self.folder / (file_name(base_offset, suffix) + new))


@functools.cache
def _trusted(mode: Mode) -> tuple[tuple[Kind, State, TableRow], ...]:
    """The findings of the log and the indexes of a segment that need not be examined yet."""
    log = {"condition": UNREAD, "shutdown": CLEAN, "place": ABOVE, "rank": EARLIER, "look": TAIL}
    index = {"condition": SOUND, "recovered": NO, "rank": EARLIER}
    kinds: tuple[tuple[Kind, State], ...] = (
        (Kind.LOG, MappingProxyType(log)),
        (Kind.OFFSET_INDEX, MappingProxyType(index)),
        (Kind.TIME_INDEX, MappingProxyType(index)),
    )
    return tuple((kind, state, row_for(mode, kind, state)) for kind, state in kinds)


def _same_bytes(path: Path, source: ByteSource, start: int, end: int) -> bool:
    """Whether a file has exactly the bytes of another between two positions."""
    with ByteSource(path) as kept:
        return kept.size == end - start and all(
            kept.read_at(at, _COPY_BYTES) == source.read_at(start + at, min(_COPY_BYTES, end - start - at))
            for at in range(0, end - start, _COPY_BYTES)
        )
