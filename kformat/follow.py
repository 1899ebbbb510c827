"""A growing log as Arrow: first the records that exist, then those that are appended.

`kformat.LogReader` decides what exists, what does not exist *yet*, what is damage, and where reading continues when
segments are rolled, truncated, replaced or deleted (rules in `kformat.kafka.log.log_reader`). In addition:

* Reading begins at the log's start, or at ``start_offset``. From then on no record is skipped silently: if retention
  or DeleteRecords deletes unread records, RecordsDeletedError is raised. (A live broker writes the log's start to its
  checkpoint once a minute, so deleted records may be read until then.) To resume later, pass the last offset plus one
  as ``start_offset``.
* A folder without segments is a log that is still empty.
* Batches are decoded into columns many at a time. Checksums are verified then, unless switched off.

To read records one at a time, with a consumer's offset reset, use `kformat.LogReader.records(follow=True)`.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator

from kformat.errors import InvalidError, LogError, OffsetOutOfRangeError, RecordsDeletedError, UsageError
from kformat.integers import MIN_INT64
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, RecordBatchReader, reader_of_chunks
from kformat.kafka.columns.chunks import Chunk, Wanted
from kformat.kafka.columns.declared import Given
from kformat.kafka.index.lookup import refuse_remote
from kformat.kafka.log.log_reader import BatchSpan, LogReader, SpanCursor, read_span
from kformat.kafka.log.partition import open_partition, wanted_records
from kformat.storage.address import local_path


def follow(
    path: str | os.PathLike[str],
    columns: Iterable[str] = DEFAULT_COLUMNS,
    *,
    start_offset: int | None = None,
    before_log_start: bool = False,
    include_control: bool = False,
    checksums: bool = True,
    value_as: Given = None,
    key_as: Given = None,
    enums: str = "names",
    poll_s: float = 0.1,
    timeout_s: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> RecordBatchReader:
    """Stream the records of a partition's folder as Arrow record batches, including those appended while reading.

    Args:
        path: the local folder. Another process may append to it, roll its segments, and delete old ones.
        columns, start_offset, before_log_start, include_control, checksums: as for `Partition.record_batches`.
        value_as, key_as, enums: as there: which declared format values, or keys, are.
        poll_s: seconds to wait between polls, at most: an append ends the wait where the kernel reports it.
        timeout_s: end after this many seconds without new records; 0 ends at the current end, None never ends.
        stop: called before each poll; True ends the stream.

    Raises:
        UsageError: an address, a folder of partitions, a file, an unknown column, a format that does not exist.
        DeclarationError: the declaration of a format is wrong.
        MissingDependencyError: pyarrow is not installed (extra ``arrow``).
        RecordsDeletedError (while reading): unread records were deleted.
        DataError (while reading): damage, after all records before it. InvalidError if records that were already read
            were truncated. RemoteOffsetError if the next offset is in remote storage.
        OSError (while reading): the folder or a file cannot be read.
    """
    wanted = wanted_records(
        *((), start_offset, None, None, None),
        before_log_start=before_log_start,
        include_control=include_control,
        checksums=checksums,
    )
    folder = local_path(path)
    partition = open_partition(folder)
    if os.path.isfile(folder):
        raise UsageError(f"{os.fspath(path)}: a file; follow its partition's folder")

    def chunks(wanted: Wanted) -> Iterator[Chunk]:
        return follow_chunks(folder, wanted, poll_s=poll_s, timeout_s=timeout_s, stop=stop)

    names = columns, partition.topic, partition.partition
    return reader_of_chunks(chunks, wanted, *names, value_as=value_as, key_as=key_as, enums=enums)


def follow_chunks(
    path: str | os.PathLike[str],
    wanted: Wanted,
    *,
    poll_s: float = 0.1,
    timeout_s: float | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[Chunk]:
    """The same as `follow`, as chunks of columns (`kformat.kafka.columns.chunks`), without pyarrow."""
    with _Follower(os.fspath(local_path(path)), wanted) as follower:
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
                follower.pause(poll_s)


class _Follower(contextlib.ExitStack):
    """How far a log was read: ``next_offset`` is the one after the last batch, initially the smallest possible one."""

    def __init__(self, path: str, wanted: Wanted) -> None:
        super().__init__()
        self.path, self.wanted = path, wanted
        self.next_offset = self._given = MIN_INT64
        self._opened: tuple[LogReader, SpanCursor] | None = None

    def pause(self, longest_s: float) -> None:
        """Wait for a change, for some seconds at most."""
        if self._opened is None:
            time.sleep(longest_s)
        else:
            self._opened[1].pause(longest_s)

    def news(self) -> Iterator[Chunk]:
        """Chunks that exist and were not read yet."""
        while (next_span := self._span()) is not None:
            cursor, span = next_span
            self._given = yield from read_span(cursor, span, self.wanted, self._given)
            assert cursor.next_offset is not None
            self.next_offset = cursor.next_offset
            if span.is_end and self.next_offset == span.next_offset:
                return

    def _span(self) -> tuple[SpanCursor, BatchSpan] | None:
        try:
            reader, cursor = self._opened = self._opened or self._open()
            start, wanted = reader.start_offset, max(self.wanted.start_offset, self.next_offset)
            if start > wanted:
                refuse_remote(reader.remote_offsets, wanted if wanted >= 0 else None, None, self.path)
                if self.next_offset > MIN_INT64:
                    raise RecordsDeletedError(wanted, start, source=self.path)
            cursor.next_offset = max(start, cursor.next_offset or 0)
            span = cursor.poll(spans=True)
            return None if span is None else (cursor, span)
        except RecordsDeletedError:
            raise
        except OffsetOutOfRangeError as error:
            if error.offset < error.start_offset:  # deleted just now, before anything was read
                return None
            message = "the log was truncated below records that were read already"
            raise InvalidError(message, source=self.path, expected=error.offset, found=error.end_offset) from None
        except LogError:  # no segment exists, or none any more
            return None

    def _open(self) -> tuple[LogReader, SpanCursor]:
        """Open a cursor at the wanted offset, or before it if the log does not reach it yet."""
        wanted = self.wanted
        reader = LogReader.open(self.path, before_log_start=wanted.before_log_start, limit=wanted.limit)
        first = min(wanted.start_offset, reader.end_offset) if wanted.start_offset > reader.start_offset else None
        return reader, self.enter_context(SpanCursor(reader, first, "error"))
