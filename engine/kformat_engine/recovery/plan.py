"""What one look at a partition's folder found, and the steps that would do something about it.

The steps are all there is to do: none of them finds anything out. Nothing is changed before `RecoveryPlan.run`.
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
    """What the root's checkpoint says; None for nothing."""
    mode: Mode
    storage: Storage
    place_unanchored: bool = False
    """Whether mode ``salvage`` also saves batches that may be values of records."""
    unanchored_batches: int = 0
    """How many of these are not saved."""
    is_lazy: bool = False
    """Whether what is found of a sealed segment after a clean shutdown may wait until it is used: see `trust`."""
    findings: list[RecoveryFinding] = field(default_factory=list)
    steps: list[Callable[[], object]] = field(default_factory=list)
    entries: dict[str, bool] = field(default_factory=dict)
    """The names in the folder, and those that will be -> whether they are regular files."""
    names: dict[str, Path] = field(default_factory=dict)
    """The names of regular files as they will be -> where they lie now."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that are cut, or come of a replaced one -> what their logs will have, bytes."""
    saved: dict[int, ByteSource] = field(default_factory=dict)
    """Base offsets of the segments that come of a damaged one -> what is saved of its log, in which they lie now."""
    opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    """The logs of which something is saved; the caller closes them."""
    without_producers: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Base offsets of the segments whose batches have no producers -> up to which position that is known, and the last
    offset of their batches of magic 2, -1 for none."""
    starts: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments that come of a replaced one -> where its log has what they will have, bytes."""
    cut_logs: list[Path] = field(default_factory=list)
    """Where the logs lie that `run` will make shorter."""
    clock: Clock = wall_clock_ms
    """By which producers have expired."""
    trusted: dict[int, int] = field(default_factory=dict)
    """Base offsets of the segments of which only names and lengths were looked at -> bytes of their logs."""
    _scanned: dict[str, os.DirEntry[str]] = field(default_factory=dict)
    _parsed: dict[str, FileName | None] = field(default_factory=dict)

    def list_folder(self) -> None:
        """Read the names in the folder; none where it is yet to be made."""
        try:
            found = os.scandir(self.folder)
        except FileNotFoundError:  # it is made when all is planned
            return
        with found:
            for entry in found:
                try:
                    self.entries[entry.name] = entry.is_file()
                    self._scanned[entry.name] = entry
                except OSError:  # a link that leads to itself
                    self.entries[entry.name] = False
        self.names = {name: self.folder / name for name in sorted(self.entries) if self.entries[name]}

    def run(self) -> None:
        """Do the steps. Raises OSError; before the first one, if something that has to be a file is none."""
        for name, is_file in self.entries.items():
            parsed = None if is_file else self.parsed(name)
            if self.steps and parsed is not None and parsed.kind in _REPLACED and not parsed.state:
                raise OSError(errno.EINVAL, "no regular file", str(self.folder / name))
        for do in self.steps:
            do()
        if self.steps:
            self.storage.sync_directory(self.folder)

    @property
    def is_metadata(self) -> bool:
        """Whether it is KRaft's own log."""
        name = parse_folder_name(self.folder.name)
        return name is not None and name.topic == CLUSTER_METADATA

    @property
    def shutdown(self) -> dict[str, str]:
        return {"shutdown": CLEAN if self.is_clean else UNCLEAN}

    def files(self, base_offset: int) -> SegmentFiles:
        """A segment's files that there are."""
        return SegmentFiles(
            base_offset,
            self.names[file_name(base_offset, "log")],
            *(self.names.get(file_name(base_offset, suffix)) for suffix in INDEX_SUFFIXES),
        )

    def log_offsets(self) -> list[int]:
        """The base offsets of the logs there are, ascending."""
        parsed = map(self.parsed, self.names)
        return sorted(name.offset for name in parsed if name is not None and name.kind == "log" and not name.state)

    def parsed(self, name: str) -> FileName | None:
        """What a name says; None for none of a partition's."""
        if name not in self._parsed:
            self._parsed[name] = parse_file_name(name)
        return self._parsed[name]

    def trust(self, base_offset: int) -> bool:
        """Whether a sealed segment can wait until it is used: it was closed, and lengths show nothing else.

        Then it is found to be sound, and `kformat_engine.recovery.opening.examine_segment` has to look at it later.
        A segment with a transaction index, an index that is missing, empty next to batches, or no whole number of
        entries, or with a log that is too large or empty, is looked at now.
        """
        if not (self.is_lazy and self.is_clean and self.mode is not Mode.SALVAGE) or self.steps:
            return False
        log, index, timeindex, txnindex = (file_name(base_offset, suffix) for suffix in ("log", *INDEX_SUFFIXES))
        if txnindex in self.names or index not in self.names or timeindex not in self.names:
            return False
        log_bytes, index_bytes, time_bytes = (self._scanned[one].stat().st_size for one in (log, index, timeindex))
        if index_bytes % _ENTRY_BYTES[0] or time_bytes % _ENTRY_BYTES[1] or not time_bytes:
            return False
        if not log_bytes or log_bytes > (MAX_LOG_BYTES if index_bytes else SHORT_INDEX_BYTES):
            return False
        for name, (kind, state, row) in zip((log, index, timeindex), _trusted(self.mode), strict=True):
            self.findings.append(RecoveryFinding(name, kind, state, row, _NOT_READ))
        self.trusted[base_offset] = log_bytes
        return True

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

    # What is found

    def find(
        self,
        file: str,
        kind: Kind,
        state: Mapping[str, str] | None = None,
        detail: str = "",
        position: int | None = None,
    ) -> RecoveryFinding:
        """Add a finding; its row says what has to be done."""
        given = MappingProxyType(dict(state or {}))
        finding = RecoveryFinding(file, kind, given, row_for(self.mode, kind, given), detail, position)
        self.findings.append(finding)
        return finding

    def say_aside(self, finding: RecoveryFinding, name: str) -> None:
        """Say of the last finding where what it takes away is kept."""
        assert self.findings[-1] is finding
        self.findings[-1] = replace(finding, aside=name)

    # What would be done

    def remove(self, path: Path) -> None:
        """Plan to remove a file."""
        self.steps.append(lambda: self.storage.unlink(path))

    def rename(self, old: Path, new: Path) -> None:
        """Plan to rename a file."""
        self.steps.append(lambda: self.storage.rename(old, new))

    def rename_aside(self, finding: RecoveryFinding, path: Path, stem: str) -> None:
        """Plan to keep aside a whole file, of which the last finding is."""
        aside = self._free_name(stem)
        self.say_aside(finding, aside)
        self.rename(path, self.folder / aside)

    def set_aside_later(self, base_offset: int) -> None:
        """Keep aside all segments after one; the last first, so that no gap can be left."""
        later = [offset for offset in self.log_offsets() if offset > base_offset]
        self.set_aside_all(later, ABOVE, f"after segment {base_offset}")

    def set_aside_all(self, offsets: Sequence[int], place: str, detail: str) -> None:
        """Keep these segments aside; the last first."""
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
        """What keeps aside a whole segment: its log is renamed, and its indexes go."""
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
            return self.keep(source, start, end, final, f"torn-{base_offset:020d}-{start}")

    def keep(self, source: ByteSource, start: int, end: int, final: Path | ByteSource, stem: str) -> str:
        """Plan to copy bytes of a file, which will be called ``final`` then, or stays open; the copy's name."""
        number, name = 1, f"{stem}.bytes"
        while name in self.entries:
            if self.entries[name] and _same_bytes(self.folder / name, source, start, end):
                return name  # a recovery died after it had kept them
            number += 1
            name = f"{stem}-{number}.bytes"
        self.entries[name] = True
        self.steps.append(lambda: self._copy(final, start, end, self.folder / name))
        return name

    def _copy(self, source: Path | ByteSource, start: int, end: int, target: Path) -> None:
        """Copy bytes to a new file and sync it; it has its name when it is whole."""
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
        self.names[file_name(base_offset, suffix)] = self.folder / file_name(base_offset, suffix)
        self.write_beside(file_name(base_offset, suffix), content)

    def write_beside(self, name: str, content: bytes) -> None:
        """Plan to put a file in place of the one of that name, if there is one."""
        path = self.folder / name
        beside = path.with_name(name + ".tmp")

        def do() -> None:
            self.storage.write_new(beside, content)
            self.storage.rename(beside, path)

        self.steps.append(do)

    def log(self, base_offset: int) -> Path | ByteSource:
        """Where the bytes of a segment lie now."""
        return self.saved.get(base_offset, self.names[file_name(base_offset, "log")])

    def replace(self, files: SegmentFiles, pieces: Sequence[Piece], saved: ByteSource | None) -> None:
        """Plan to put segments in the place of one, as LocalLog.replaceSegments does. They are pieces of its log, or of
        what is saved of that."""
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
        found = self.verified(read_frames(log), 0, piece.base_offset)
        for suffix, entries in zip(("index", "timeindex"), found.entries, strict=True):
            self.storage.write_new(
                self.folder / (file_name(piece.base_offset, suffix) + CLEANED_SUFFIX), entries.tobytes()
            )
        transactions = old.with_name(old.name.removesuffix("log") + "txnindex")
        if transactions.exists() and isinstance(source, Path):  # of what is saved, a later step makes it
            try:
                entries = read_transactions(transactions, MIN_INT64)
            except DataError:  # a later step rebuilds it from the batches
                entries = np.empty(0, layout("transaction_index::entry").dtype)
            ends = entries["last_offset"].astype(np.int64)
            own = entries[(ends >= piece.base_offset) & (ends < found.next_offset)]
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
    """What is found of the log and the indexes of a segment that can wait."""
    log = {"condition": UNREAD, "shutdown": CLEAN, "place": ABOVE, "rank": EARLIER, "look": TAIL}
    index = {"condition": SOUND, "recovered": NO, "rank": EARLIER}
    kinds: tuple[tuple[Kind, State], ...] = (
        (Kind.LOG, MappingProxyType(log)),
        (Kind.OFFSET_INDEX, MappingProxyType(index)),
        (Kind.TIME_INDEX, MappingProxyType(index)),
    )
    return tuple((kind, state, row_for(mode, kind, state)) for kind, state in kinds)


def _same_bytes(path: Path, source: ByteSource, start: int, end: int) -> bool:
    """Whether a file holds the bytes of another between two positions, and nothing else."""
    with ByteSource(path) as kept:
        return kept.size == end - start and all(
            kept.read_at(at, _COPY_BYTES) == source.read_at(start + at, min(_COPY_BYTES, end - start - at))
            for at in range(0, end - start, _COPY_BYTES)
        )
