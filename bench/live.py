"""Lookups in the active segment of a broker that was killed: 1 GiB in batches of 16 KB, nothing truncated, both indexes
with their 10 MB of room, no marker of a clean shutdown. kformat compares the entries with the end of the log
(`kformat.kafka.index.index_trust`). The other way trusts them, which is wrong after a truncation. All files are in the
page cache.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.columns import write_log
from bench.compare import Case, table
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.index.index_file import read_index
from kformat.kafka.index.index_trust import Indexes
from kformat.kafka.index.indexing import IndexedBatches, index_entries
from kformat.kafka.index.lookup import find_offset, find_timestamp
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.log.partition import Segment, open_partition

__all__ = ["bench", "table"]

INDEX_BYTES = 10 << 20
LOOKUPS = 20


class _AsItLies:
    """A segment whose entries are believed, read as they were before: whole files, padding included."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self.base_offset, self.name, self.scan = segment.base_offset, segment.name, segment.scan

    @property
    def last_modified_ms(self) -> int:
        return self._segment.last_modified_ms

    def indexes(self) -> Indexes:
        offsets, times = self._segment.index, self._segment.timeindex
        assert offsets is not None and times is not None
        return Indexes(read_index(offsets, "offset_index").entries, read_index(times, "time_index").entries)


@contextmanager
def bench(*, is_small: bool) -> Iterator[list[Case]]:
    """A log, its indexes with their room, and what is looked up in it."""
    with tempfile.TemporaryDirectory(prefix="kformat-bench-") as work:
        folder = Path(work) / "live-0"
        size_bytes = (8 << 20) if is_small else (1 << 30)
        log = write_log(folder, "none", size_bytes)
        headers = read_batch_headers(log)
        entries = index_entries(IndexedBatches.from_headers(headers), base_offset=0, closed=False)
        for kind, slots in (("index", entries.offset_index), ("timeindex", entries.time_index)):
            room = INDEX_BYTES // slots.itemsize * slots.itemsize
            (folder / file_name(0, kind)).write_bytes(slots.tobytes().ljust(room, b"\0"))
        chance = np.random.default_rng(5)
        least, most = int(headers.max_timestamp.min()), int(headers.max_timestamp.max())
        stamps = chance.integers(least, most, LOOKUPS).tolist()
        offsets = chance.integers(0, int(headers.next_offset[-1]), LOOKUPS).tolist()
        reader = LogReader.open(folder)

        def ours(find: Any, targets: list[int]) -> list[int | None]:
            return [find(open_partition(folder).segments, target).offset for target in targets]

        def as_it_lies(find: Any, targets: list[int]) -> list[int | None]:
            return [find([_AsItLies(open_partition(folder).segments[0])], target).offset for target in targets]

        def read(targets: list[int]) -> list[int | None]:
            found = [reader.offset_for_timestamp(target) for target in targets]
            return [None if one is None else one.offset for one in found]

        yield [
            Case(
                "look up a time",
                "lookups",
                LOOKUPS,
                0,
                {
                    "entries held against the log": lambda: ours(find_timestamp, stamps),
                    "entries as they lie": lambda: as_it_lies(find_timestamp, stamps),
                    "LogReader, kept open": lambda: read(stamps),
                },
            ),
            Case(
                "look up an offset",
                "lookups",
                LOOKUPS,
                0,
                {
                    "entries held against the log": lambda: ours(find_offset, offsets),
                    "entries as they lie": lambda: as_it_lies(find_offset, offsets),
                },
            ),
        ]
        reader.close()
