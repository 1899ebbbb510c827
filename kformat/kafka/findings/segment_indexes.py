"""The offset index and the time index of a segment: each by itself, then next to the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Final

import numpy as np

from kformat.kafka.batch.batches import AnyBatch, iter_batches
from kformat.kafka.findings.directory import FilesOfSegment, list_folder, opened_files, unreadable
from kformat.kafka.findings.entries import IndexRules, JudgedIndex, judge_index, longest_tail, share_use
from kformat.kafka.findings.log_blocks import BatchBlock, LogBlocks
from kformat.kafka.findings.offset_index import RULES_ALONE as OFFSET_INDEX_RULES
from kformat.kafka.findings.offset_index import OffsetIndexCheck
from kformat.kafka.findings.profiles import choose
from kformat.kafka.findings.record_columns import RecordColumns
from kformat.kafka.findings.rules import Finding
from kformat.kafka.findings.time_index import RULES_ALONE as TIME_INDEX_RULES
from kformat.kafka.findings.time_index import TimeIndexCheck
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

__all__ = ["first_errors"]

_RULES: Final = {"offset_index": OFFSET_INDEX_RULES, "time_index": TIME_INDEX_RULES}
_NOTHING: Final = np.zeros(0, dtype=np.int64)


class SegmentIndexes:
    """The rules of the indexes: `read` them, `feed` all blocks of the log, then ask for the findings.

    ``profile``, ``interval_bytes`` and ``limit`` are `check`'s ``profile``, ``index_interval_bytes`` and
    ``inflate_limit``. ``last_offset`` is that of the last sound batch so far, ``max_timestamp`` the largest of the
    sound batches with records.
    """

    def __init__(
        self,
        files: FilesOfSegment,
        records: RecordColumns,
        profile: str | None = None,
        interval_bytes: int | None = None,
        limit: int = DEFAULT_INFLATE_LIMIT,
    ) -> None:
        self.files, self.records = files, records
        self.profile, self.interval_bytes, self.limit = profile, interval_bytes, limit
        self.indexes: dict[str, JudgedIndex] = {}
        self.offsets: OffsetIndexCheck | None = None
        self.times: TimeIndexCheck | None = None
        self.last_offset: int | None = None
        self.max_timestamp = -1

    def read(self, sources: dict[str, ByteSource]) -> Iterator[Finding]:
        """Read the indexes; yield findings about those that cannot be read."""
        for kind in _RULES:
            if kind in sources:
                index = read_index_of(self.files, kind, _RULES[kind], sources)
                if isinstance(index, Finding):
                    yield index
                else:
                    self.indexes[kind] = index
        if len(self.indexes) == 2:
            share_use(*self.indexes.values())

    def without_log(self) -> Iterator[Finding]:
        """Findings about the indexes where no log can be read."""
        for index in self.indexes.values():
            index.set_apart()
            yield from index.findings

    def blocks_of(self, log: ByteSource, file: str) -> LogBlocks:
        """The blocks of the log, all of which are to be fed."""
        base_offset, positions, resume_at = self.files.base_offset, _NOTHING, _NOTHING
        if base_offset is not None and "offset_index" in self.indexes:
            self.offsets = OffsetIndexCheck(self.indexes["offset_index"], base_offset)
            positions, resume_at = self.offsets.positions, self.offsets.resume_at
        if base_offset is not None and "time_index" in self.indexes:
            read_batch = partial(read_batch_at, log, self.limit)
            tail_from = log.size - longest_tail(positions)
            self.times = TimeIndexCheck(self.indexes["time_index"], base_offset, read_batch, self.records, tail_from)
        return LogBlocks(log, file, resume_at, self.limit)

    def feed(self, block: BatchBlock) -> None:
        """Take in a block; blocks come in order of position."""
        if self.offsets is not None:
            self.offsets.by_position.feed(block)
            self.offsets.by_offset.feed(block)
        if self.times is not None:
            self.times.feed(block)
        headers, rows = block.headers, np.flatnonzero(block.is_sound)
        if len(rows):
            self.last_offset = int(headers.last_offset[rows[-1]])
        # A batch emptied by compaction keeps its timestamp; cleaners up to 1.1 do not index it.
        kept = rows[headers.records_count[rows] != 0]
        self.max_timestamp = max(self.max_timestamp, int(headers.max_timestamp[kept].max(initial=-1)))

    def alone(self, reader: LogBlocks) -> Iterator[Finding]:
        """Findings about each index by itself, without the slots that a truncation left, as the log shows."""
        last_offset = None
        if reader.is_whole and self.files.base_offset is not None:
            last_offset = self.files.base_offset - 1 if self.last_offset is None else self.last_offset
        if self.offsets is not None:
            self.offsets.set_apart(reader.source.size, last_offset, self.profile)
        if self.times is not None:
            is_per_append = self.offsets is not None and self.offsets.is_per_append
            self.times.set_apart(last_offset, self.profile, is_per_append)
        for index in self.indexes.values():
            yield from index.findings

    def findings(self, reader: LogBlocks) -> Iterator[Finding]:
        """Findings about the entries next to the log, after `alone`."""
        explained = [item.explained(reader.is_whole) for item in (self.offsets, self.times) if item is not None]
        profile, right = choose(explained, self.profile)
        if self.offsets is not None:
            yield from self.offsets.findings(right[0], profile, reader.source.size, self.interval_bytes)
        if self.times is not None:
            yield from self.times.findings(right[-1], profile, reader.is_whole, self.max_timestamp)

    def untrimmed(self) -> list[Finding]:
        """The findings if the broker had closed the log."""
        return [finding for index in self.indexes.values() if (finding := index.untrimmed()) is not None]


def read_index_of(
    files: FilesOfSegment, kind: str, rules: IndexRules, sources: dict[str, ByteSource]
) -> JudgedIndex | Finding:
    """One index of a segment, or the finding if it cannot be read."""
    try:
        return judge_index(
            sources[kind],
            files.files[kind],
            rules,
            is_last=files.is_last and kind in _RULES,
            log_size_bytes=sources["log"].size if "log" in sources else 0,
        )
    except OSError as error:
        return unreadable(files.files[kind], error)


def read_batch_at(log: ByteSource, limit: int, position: int) -> AnyBatch:
    """The batch at a position where there was one; DataError if it is gone."""
    return next(iter_batches(log, position, limit=limit))


def first_errors(folder: str, base_offset: int) -> dict[str, str]:
    """Kind of index -> its first error in words, for the indexes of a segment that have any; OSError.

    Each entry is compared with the whole log, of which few records are read.
    """
    files = next(
        (segment for segment in list_folder(folder).segments if segment.base_offset == base_offset),
        FilesOfSegment(base_offset),
    )
    errors: dict[str, str] = {}
    kinds = {files.files[kind]: kind for kind in _RULES if kind in files.files}
    for finding in _findings(files):
        if finding.severity == "error" and finding.file in kinds:
            errors.setdefault(kinds[finding.file], finding.message)
    return errors


def _findings(files: FilesOfSegment) -> Iterator[Finding]:
    indexes = SegmentIndexes(files, RecordColumns())
    with ExitStack() as opened:
        sources = yield from opened_files(files, opened)
        yield from indexes.read(sources)
        if "log" not in sources:
            yield from indexes.without_log()
            return
        reader = indexes.blocks_of(sources["log"], files.files["log"])
        try:
            for item in reader.blocks():
                if isinstance(item, Finding):
                    yield item
                else:
                    indexes.feed(item)
            yield from indexes.alone(reader)
            yield from indexes.findings(reader)
        except OSError as error:
            yield unreadable(reader.file, error)
