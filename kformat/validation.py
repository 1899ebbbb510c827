"""Whether Kafka's files are sound: rules in, findings out.

`check` looks at partition folders, at whole log directories, and at single files. It reads what is there once, in
constant memory, and writes nothing. What each rule says, and what Kafka does where it is broken, stands with the rules
(`kformat.rules`) and in docs/rules.md.

The levels, each judged only where the one below it holds: framing, checksum, header, records; and beside the log its
indexes, each by itself and then against the log under the writer's profile.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from kformat.batches import AnyBatch, iter_batches
from kformat.compression import CODEC_NAMES, DEFAULT_INFLATE_LIMIT
from kformat.errors import UsageError
from kformat.filenames import parse_folder_name
from kformat.indexing import PROFILES
from kformat.rules import RULES, UNREADABLE, Finding, Rule, rules_table
from kformat.rules.directory import (
    GAP,
    KINDS,
    NOT_JUDGED,
    OVERLAP,
    Folder,
    SegmentFiles,
    base_offset_of,
    file_findings,
    list_folder,
    may_be_opened,
    missing_files,
    too_large,
)
from kformat.rules.entries import JudgedIndex, judge_index
from kformat.rules.framing import Block, LogReader
from kformat.rules.header import HeaderCheck
from kformat.rules.offset_index import RULES_ALONE as OFFSET_INDEX_RULES
from kformat.rules.offset_index import OffsetIndexCheck
from kformat.rules.profiles import choose
from kformat.rules.records import record_findings
from kformat.rules.time_index import RULES_ALONE as TIME_INDEX_RULES
from kformat.rules.time_index import TimeIndexCheck
from kformat.source import ByteSource

__all__ = ["RULES", "Finding", "Progress", "Rule", "check", "rules_table"]

Progress = Callable[[str, int, int], None]
"""Called now and then with a log's path, the bytes of it that are done, and its size in bytes."""

_INDEX_RULES: Final = {"offset_index": OFFSET_INDEX_RULES, "time_index": TIME_INDEX_RULES}


@dataclass(frozen=True)
class _Options:
    profile: str | None
    index_interval_bytes: int | None
    records: bool
    inflate_limit: int
    progress: Progress | None


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    profile: str | None = None,
    index_interval_bytes: int | None = None,
    records: bool = True,
    ignore: Collection[str] = (),
    inflate_limit: int = DEFAULT_INFLATE_LIMIT,
    progress: Progress | None = None,
) -> Iterator[Finding]:
    """Look for what is wrong in Kafka's files.

    Args:
        paths: partition folders, folders of such (a log directory: partition folders are found at any depth), or files
            of a segment. A file is judged with the other files of its segment, and only findings about it are given.
        profile: who wrote the indexes, one of `indexing.PROFILES`; None infers it, segment by segment.
        index_interval_bytes: `index.interval.bytes` of the writer; None does not judge how dense the entries are.
        records: False leaves the records alone (KF03xx), which is many times faster.
        ignore: ids of rules that are not to be reported.
        inflate_limit: the most bytes that one batch may take, stored or inflated.
        progress: see `Progress`.

    Returns:
        Findings as they are met: folder by folder, segment by segment; of a log in order of position, then of its
        indexes. Files of other formats are told by findings of severity ``info``. A file that cannot be read is the
        finding KF0002, and the others are checked all the same. `Finding.exit_status` says what each is worth.

    Raises:
        UsageError: at once, for an unknown profile or rule.
        OSError: at once, for a path that is not there.
    """
    if profile is not None and profile not in PROFILES:
        raise UsageError(f"no writer profile {profile!r}; there are {', '.join(PROFILES)}")
    if index_interval_bytes is not None and index_interval_bytes < 0:
        raise UsageError(f"index_interval_bytes is {index_interval_bytes}; it cannot be below 0")
    for id in ignore:
        if id not in RULES:
            raise UsageError(f"no rule {id!r}")
    given = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    for path in given:
        os.stat(path)
    options = _Options(profile, index_interval_bytes, records, inflate_limit, progress)
    return (
        finding
        for path in given
        for finding in (_folder(path, options) if os.path.isdir(path) else _file(path, options))
        if finding.rule in RULES and finding.rule not in ignore
    )


def _unreadable(path: str, error: OSError) -> Finding:
    if isinstance(error, FileNotFoundError):  # it was there a moment ago: a broker is at work
        return NOT_JUDGED.at(path, None, "", "not judged: it went away meanwhile")
    return UNREADABLE.at(path, None, "", error.strerror or str(error))


def _folder(path: str, options: _Options, above: tuple[str, ...] = ()) -> Iterator[Finding]:
    """A folder and what is in it; ``above``: the real paths of those around it, so that links lead in no circles."""
    try:
        real = os.path.realpath(path)
        folder = list_folder(path)
    except OSError as error:
        yield _unreadable(path, error)
        return
    yield from file_findings(folder)
    yield from _segments(folder, options)
    for inner in folder.folders:
        named = parse_folder_name(os.path.basename(inner))
        if named is not None and named.state == "delete":
            yield NOT_JUDGED.at(inner, None, "", "not judged: a partition that waits to be deleted")
        elif os.path.realpath(inner) not in (real, *above):
            yield from _folder(inner, options, (real, *above))


def _file(path: str, options: _Options) -> Iterator[Finding]:
    """One file, with its segment around it."""
    name = os.path.basename(path)
    kind = KINDS.get(os.path.splitext(name)[1])
    if kind is None or not may_be_opened(path):
        yield from file_findings(Folder(path, others=[path]))
        return
    base_offset = base_offset_of(name)
    segment = SegmentFiles(base_offset, {kind: path})
    if base_offset is not None:
        for known in list_folder(os.path.dirname(path) or ".").segments:
            if known.base_offset == base_offset:
                segment = SegmentFiles(base_offset, {**known.files, kind: path}, known.next_base_offset)
    for finding in _Segment(segment, options).findings():
        if finding.file == path:
            yield finding


def _segments(folder: Folder, options: _Options) -> Iterator[Finding]:
    """All segments of a folder, and how they stand to each other."""
    has_gaps, gaps = False, []
    for files in folder.segments:
        segment = _Segment(files, options)
        yield from segment.findings()
        yield from segment.overlap()
        has_gaps |= segment.has_gaps
        gaps += segment.gap_behind()
    if not has_gaps:
        yield from gaps


class _Segment:
    """The files of one segment; what the walk over its log has to tell about it is kept for the folder's rules."""

    def __init__(self, files: SegmentFiles, options: _Options) -> None:
        self.files, self.options = files, options
        self.log = files.files.get("log")
        self.has_gaps = False
        self.is_whole = False
        self.last_offset: int | None = None
        self.max_timestamp = -1
        self.overlap_at: tuple[int, int] | None = None

    def findings(self) -> Iterator[Finding]:
        """All findings about its files."""
        with ExitStack() as opened:
            sources: dict[str, ByteSource] = {}
            for kind, path in self.files.files.items():
                try:
                    sources[kind] = opened.enter_context(ByteSource(path))
                except OSError as error:
                    yield _unreadable(path, error)
                    continue
                refused = too_large(path, sources[kind].size)
                if refused is not None:
                    del sources[kind]
                    yield refused
            yield from self._judge(sources)

    def _judge(self, sources: dict[str, ByteSource]) -> Iterator[Finding]:
        log = sources.get("log")
        log_size_bytes = 0 if log is None else log.size
        indexes: dict[str, JudgedIndex] = {}
        for kind in _INDEX_RULES:
            if kind in sources:
                index = self._index(kind, sources[kind], log_size_bytes)
                if isinstance(index, Finding):
                    yield index
                else:
                    indexes[kind] = index
        if log is None:
            if self.log is None:
                yield from missing_files(self.files, 0)
            for index in indexes.values():
                yield from index.findings
            return
        assert self.log is not None
        base_offset = self.files.base_offset
        offset_check = time_check = None
        if base_offset is not None and "offset_index" in indexes:
            offset_check = OffsetIndexCheck(indexes["offset_index"], base_offset)
        if base_offset is not None and "time_index" in indexes:
            time_check = TimeIndexCheck(indexes["time_index"], base_offset, partial(_read_batch, log, self.options))
        resume_at = np.sort(offset_check.positions) if offset_check is not None else np.zeros(0, dtype=np.int64)
        reader = LogReader(log, self.log, resume_at, self.options.inflate_limit)
        try:
            yield from self._walk(reader, offset_check, time_check)
        except OSError as error:
            yield _unreadable(self.log, error)
            return
        self.is_whole = reader.is_whole
        yield from missing_files(self.files, reader.batches_count)
        for index in indexes.values():
            yield from index.findings
        if reader.legacy:
            batches = ", ".join(f"{count} of magic {magic}" for magic, count in sorted(reader.legacy.items()))
            yield NOT_JUDGED.at(self.log, reader.legacy_position, "", f"not judged: older batches ({batches})")
            return
        explained = [item.explained(reader.is_whole) for item in (offset_check, time_check) if item is not None]
        profile, right = choose(explained, self.options.profile)
        if offset_check is not None:
            yield from offset_check.findings(right[0], profile, log_size_bytes, self.options.index_interval_bytes)
        if time_check is not None:
            yield from time_check.findings(right[-1], profile, reader.is_whole, self.max_timestamp, self.files.is_last)

    def _index(self, kind: str, source: ByteSource, log_size_bytes: int) -> JudgedIndex | Finding:
        try:
            return judge_index(
                source,
                self.files.files[kind],
                _INDEX_RULES[kind],
                is_last=self.files.is_last,
                log_size_bytes=log_size_bytes,
            )
        except OSError as error:
            return _unreadable(self.files.files[kind], error)

    def _walk(
        self, reader: LogReader, offset_check: OffsetIndexCheck | None, time_check: TimeIndexCheck | None
    ) -> Iterator[Finding]:
        headers = HeaderCheck(reader.file, self.files.base_offset)
        for item in reader.blocks():
            if isinstance(item, Finding):
                yield item
                continue
            if offset_check is not None:
                offset_check.by_position.feed(item)
                offset_check.by_offset.feed(item)
            if time_check is not None:
                time_check.by_offset.feed(item)
            self._note(item)
            of_records = _records(item, reader.file) if self.options.records else ()
            yield from heapq.merge(headers.findings(item), of_records, key=_by_position)
            if self.options.progress is not None:
                self.options.progress(reader.file, int(item.end[-1]), reader.source.size)

    def _note(self, block: Block) -> None:
        """Keep what the folder's rules and the time index ask of the whole log."""
        headers, rows = block.headers, np.flatnonzero(block.is_sound)
        if not len(rows):
            return
        first, last = headers.base_offset[rows], headers.last_offset[rows]
        before = self.files.base_offset if self.last_offset is None else self.last_offset + 1
        fewer = headers.records_count[rows] <= headers.last_offset_delta[rows]
        self.has_gaps |= bool(np.any(first[1:] != last[:-1] + 1) or np.any(fewer) or int(first[0]) != before)
        self.last_offset = int(last[-1])
        self.max_timestamp = max(self.max_timestamp, int(headers.max_timestamp[rows].max()))
        following = self.files.next_base_offset
        if following is not None and self.overlap_at is None:
            beyond = rows[last >= following]
            if len(beyond):
                self.overlap_at = int(headers.position[beyond[0]]), int(headers.last_offset[beyond[0]])

    def overlap(self) -> Iterator[Finding]:
        """Offsets that belong to the next segment."""
        if self.overlap_at is not None and self.log is not None:
            (position, offset), following = self.overlap_at, self.files.next_base_offset
            message = f"the batch ends at offset {offset}, and the next segment begins at {following}"
            yield OVERLAP.at(self.log, position, "record_batch", message, f"< {following}", offset)

    def gap_behind(self) -> list[Finding]:
        """Offsets that are missing before the next segment, if that can be said."""
        following = self.files.next_base_offset
        if not self.is_whole or self.log is None or following is None:
            return []
        if self.last_offset is None:  # a cleaner can leave a segment empty
            self.has_gaps = True
            return []
        if following <= self.last_offset + 1:
            return []
        message = f"offsets {self.last_offset + 1} to {following - 1} are in no segment"
        return [GAP.at(self.log, None, "", message, self.last_offset + 1, following)]


def _records(block: Block, file: str) -> Iterator[Finding]:
    known = block.is_sound & (block.headers.compression < len(CODEC_NAMES))
    for row in np.flatnonzero(known).tolist():
        yield from record_findings(block.batch(row, file), file)


def _by_position(finding: Finding) -> int:
    return finding.position or 0


def _read_batch(log: ByteSource, options: _Options, position: int) -> AnyBatch:
    """The batch at a position where there was one; DataError where there is none any more."""
    return next(iter_batches(log, position, limit=options.inflate_limit))
