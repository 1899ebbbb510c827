"""A log that grows, as Arrow: what is there, and then what comes.

Rules:

* The folder's last segment may be in use. What it ends with that is no batch, whole and with the right checksum, is
  *not there yet*. In a segment behind which another one begins it is damage, and raised.
* A place is an offset: what was read is not read again when segments are rolled, or compaction puts a shorter file in
  the place of one. Who stops goes on later with ``start_offset`` one above the last offset that came.
* It begins at the log's start, or where it is told to. Nothing is passed over in silence from then on: where retention
  or DeleteRecords deletes what was not read yet, that is raised. (A live broker writes the log's start to its
  checkpoint once a minute, so that deleted records may be read until then.)

For records one at a time, and with resets as consumers have them, there is `kformat.LogReader.records(follow=True)`.
"""

from __future__ import annotations

import contextlib
import os
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kformat.errors import DataError, InvalidError
from kformat.kafka.arrow import (
    DEFAULT_COLUMNS,
    Converter,
    RecordBatchReader,
    allocate,
    arrow_schema,
    columns_to_read,
    reader_of,
)
from kformat.kafka.batches import read_batch
from kformat.kafka.columns import Chunk, Wanted, read_chunks
from kformat.kafka.framing import Frame, Walk
from kformat.kafka.lookup import batches_from, refuse_remote
from kformat.kafka.partition import Segment, open_partition, wanted_records
from kformat.storage.address import local_path
from kformat.storage.byte_source import ByteSource


def follow(
    path: str | os.PathLike[str],
    columns: Iterable[str] = DEFAULT_COLUMNS,
    *,
    start_offset: int | None = None,
    before_log_start: bool = False,
    include_control: bool = False,
    checksums: bool = True,
    poll_s: float = 0.1,
    timeout_s: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> RecordBatchReader:
    """The records of a partition's folder as a stream of Arrow record batches, and those that are appended meanwhile.

    Args:
        path: the folder, on this machine; somebody may write to it, roll its segments, and delete old ones.
        columns, start_offset, before_log_start, include_control, checksums: as for `Partition.record_batches`.
        poll_s: how long to wait before looking again.
        timeout_s: end when nothing came for so long; 0 ends with what is there, None never does.
        stop: asked before looking again; True ends the stream.

    Raises:
        UsageError: an address, a folder of partitions, a column that there is not.
        MissingDependencyError: pyarrow is not installed (extra ``arrow``).
        DataError (while reading): damage, behind all records before it; InvalidError where records were deleted, or cut
            off, that were not read yet, or were read already. RemoteOffsetError where the next offset is in remote
            storage.
        OSError (while reading): the folder or a file cannot be read.
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    schema = arrow_schema(names)
    wanted = wanted_records(
        columns_to_read(names),
        *(start_offset, None, None, None),
        before_log_start=before_log_start,
        include_control=include_control,
        checksums=checksums,
    )
    partition = open_partition(local_path(path))
    chunks = follow_chunks(path, wanted, poll_s=poll_s, timeout_s=timeout_s, stop=stop)
    return reader_of(schema, Converter(schema, partition.topic, partition.partition).batches(chunks))


def follow_chunks(
    path: str | os.PathLike[str],
    wanted: Wanted,
    *,
    poll_s: float = 0.1,
    timeout_s: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[Chunk]:
    """The same as chunks of columns (`kformat.kafka.columns`), without pyarrow."""
    place = _Place(os.fspath(local_path(path)), wanted)
    last_news = time.monotonic()
    while True:
        before = place.next_offset
        yield from place.news()
        now = time.monotonic()
        if place.next_offset != before:
            last_news = now
        if (timeout_s is not None and now - last_news >= timeout_s) or (stop is not None and stop()):
            return
        if place.next_offset == before:
            time.sleep(poll_s)


class _Place:
    """How far a log was read: ``next_offset`` is behind the last batch, None before the first."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        self.path, self.wanted = path, wanted
        self.next_offset: int | None = None
        self._file: tuple[int, int] | None = None  # which file the position is in
        self._position = 0

    def news(self) -> Iterator[Chunk]:
        """What is there and was not read."""
        partition = open_partition(self.path)
        segments = partition.segments
        if not segments:
            return
        start = self.wanted.start_offset if self.next_offset is None else self.next_offset
        if 0 <= start < segments[0].base_offset:
            refuse_remote(partition.remote_offsets, start, None, self.path)
        deleted_before = None if self.wanted.before_log_start else partition.deleted_before
        begin = segments[0].base_offset if deleted_before is None else deleted_before
        if self.next_offset is None and deleted_before is not None:
            start = max(start, deleted_before)
            self.wanted = replace(self.wanted, start_offset=start)
        elif self.next_offset is not None and begin > self._from():
            message = "records were deleted before they were read"
            raise InvalidError(message, source=self.path, expected=self._from(), found=begin)
        first = max(0, bisect_right(segments, start, key=lambda segment: segment.base_offset) - 1)
        for number, segment in enumerate(segments[first:], first):
            following = segments[number + 1].base_offset if number + 1 < len(segments) else None
            try:
                yield from self._of(segment, following)
            except FileNotFoundError:  # it went away meanwhile; the next listing tells what there is instead
                return

    def _of(self, segment: Segment, following: int | None) -> Iterator[Chunk]:
        with ByteSource(segment.log) as source:
            status = os.stat(segment.log)
            file = (status.st_dev, status.st_ino)
            start = self._position if file == self._file else self._found(segment)
            if source.size < start:
                message = "records were cut off that were read already"
                raise InvalidError(message, source=source.name, expected=f">= {start} bytes", found=source.size)
            end, next_offset = self._complete(source, start)
            wanted = self.wanted if self.next_offset is None else replace(self.wanted, start_offset=self._from())
            if following is None:
                yield from read_chunks(source, wanted, start, end, allocate=allocate)
            else:  # nobody writes here any more: what is behind the last batch is damage
                yield from read_chunks(source, wanted, start, allocate=allocate)
                next_offset = following
            self._file, self._position = file, end
        if next_offset is not None:
            self.next_offset = next_offset if self.next_offset is None else max(next_offset, self.next_offset)

    def _from(self) -> int:
        assert self.next_offset is not None
        return max(self.wanted.start_offset, self.next_offset)

    def _found(self, segment: Segment) -> int:
        """Where to begin in a segment that was not read before."""
        start = self.wanted.start_offset if self.next_offset is None else self._from()
        if start <= segment.base_offset:
            return 0
        try:
            batch = next(batches_from(segment, start), None)
        except DataError:
            return 0
        return 0 if batch is None else batch.position

    def _complete(self, source: ByteSource, start: int) -> tuple[int, int | None]:
        """The position behind the last batch that is there, and the offset behind it; None where no batch is."""
        frames: list[Frame] = []
        for frame in Walk(source, start):
            frames = [*frames[-1:], frame]
        while frames:
            frame = frames.pop()
            with contextlib.suppress(DataError):
                batch = read_batch(source, frame, self.wanted.limit)
                if batch.is_valid:
                    return frame.position + frame.size, batch.next_offset
        return start, self.next_offset
