"""A log that grows, as Arrow: what is there, and then what comes.

`kformat.LogReader` says what is there, what is not there *yet*, what is damage, and where reading goes on when segments
are rolled, cut, replaced or deleted meanwhile (its rules stand in `kformat.kafka.log_reader`). Beyond them:

* It begins at the log's start, or where it is told to. Nothing is passed over in silence from then on: where retention
  or DeleteRecords deletes what was not read yet, that is raised. (A live broker writes the log's start to its
  checkpoint once a minute, so that deleted records may be read until then.) Who stops goes on later with
  ``start_offset`` one above the last offset that came.
* A folder without segments is a log that nothing came to yet.
* Batches become columns many at a time. Their checksums are looked at then, unless that is not wanted.

For records one at a time, and with resets as consumers have them, there is `kformat.LogReader.records(follow=True)`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace

from kformat.errors import DataError, InvalidError, LogError, OffsetOutOfRangeError
from kformat.kafka.arrow import (
    DEFAULT_COLUMNS,
    Converter,
    RecordBatchReader,
    allocate,
    arrow_schema,
    columns_to_read,
    reader_of,
)
from kformat.kafka.columns import Chunk, Wanted, read_chunks
from kformat.kafka.log_reader import Cursor, LogReader, Span
from kformat.kafka.lookup import refuse_remote
from kformat.kafka.partition import open_partition, wanted_records
from kformat.storage.address import local_path


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
    with contextlib.closing(_Follower(os.fspath(local_path(path)), wanted)) as follower:
        last_news = time.monotonic()
        while True:
            before = follower.next_offset
            yield from follower.news()
            now = time.monotonic()
            if follower.next_offset != before:
                last_news = now
            if (timeout_s is not None and now - last_news >= timeout_s) or (stop is not None and stop()):
                return
            if follower.next_offset == before:
                time.sleep(poll_s)


class _Follower:
    """How far a log was read: ``next_offset`` is behind the last batch, None before the first."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        self.path, self.wanted = path, wanted
        self.next_offset: int | None = None
        # The offset of what came last says where to go on, also where it is not asked for.
        self._read = replace(wanted, columns=tuple(dict.fromkeys((*wanted.columns, "offset"))))
        self._reader: LogReader | None = None
        self._cursor: Cursor | None = None

    def news(self) -> Iterator[Chunk]:
        """What is there and was not read."""
        while (span := self._span()) is not None:
            is_read = yield from self._chunks(span)
            if is_read and span.is_end:
                return

    def _span(self) -> Span | None:
        try:
            cursor = self._opened()
            assert self._reader is not None
            wanted, start = max(self.wanted.start_offset, cursor.next_offset or 0), self._reader.start_offset
            if self.next_offset is not None and start > wanted:
                raise self._refusal("records were deleted before they were read", wanted, start)
            return cursor.poll(spans=True)
        except OffsetOutOfRangeError as error:
            if error.offset < error.start_offset <= wanted:  # of what was deleted nothing is wanted
                cursor.next_offset = error.start_offset
                return cursor.poll(spans=True)
            if error.offset < error.start_offset:
                raise self._refusal("records were deleted before they were read", wanted, error.start_offset) from None
            raise self._refusal("records were cut off that were read already", error.offset, error.end_offset) from None
        except LogError:  # no segment is there, or not any more
            return None

    def _opened(self) -> Cursor:
        """The cursor; it begins where records are wanted from, or in front of that where the log does not reach it."""
        if self._cursor is None:
            reader = LogReader.open(self.path, before_log_start=self.wanted.before_log_start, limit=self.wanted.limit)
            first, start = self.wanted.start_offset, reader.start_offset
            if first >= 0:
                refuse_remote(reader.remote_offsets, first, None, self.path)
            self._reader = reader
            self._cursor = reader.cursor(min(first, reader.end_offset) if first > start else start)
        return self._cursor

    def _refusal(self, message: str, expected: int, found: int) -> InvalidError:
        return InvalidError(message, source=self.path, expected=expected, found=found)

    def _chunks(self, span: Span) -> Generator[Chunk, None, bool]:
        """What is in a span; returns whether all of it was read, and not what is to be looked at again."""
        cursor, wanted = self._cursor, self._read
        assert cursor is not None and cursor.from_offset is not None
        reached = max(wanted.start_offset, cursor.from_offset)
        wanted = replace(wanted, start_offset=reached)
        end = span.position + span.size
        is_read = False
        try:
            for chunk in read_chunks(span.source, wanted, span.position, end, allocate=allocate):
                reached = int(chunk.numbers["offset"][-1]) + 1
                yield self.wanted.selected(chunk)
            is_read = True
        except DataError as problem:
            cursor.doubt(problem, min(reached, span.next_offset))
        self.next_offset = cursor.next_offset
        return is_read

    def close(self) -> None:
        """Close the files."""
        if self._cursor is not None:
            self._cursor.close()
        if self._reader is not None:
            self._reader.close()
