"""Reading a log from an offset on, also while it grows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from kformat.errors import RemoteOffsetError, whole_number
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.few_records import FoundRecords
from kformat.kafka.batch.records import Record
from kformat.kafka.log.fetched import Fetched, fetched_records
from kformat.kafka.producers.isolation import Aborted, is_committed_only
from kformat_engine.errors import LogClosedError, OffsetOutOfRangeError, RecordsDeletedError
from kformat_engine.local_log import LocalLog
from kformat_engine.log_guard import LogGuard
from kformat_engine.scheduler import Bell

DEFAULT_READ_BYTES: Final = 1 << 20
_READ_BYTES: Final = (1, 1 << 16, DEFAULT_READ_BYTES)
"""The sizes of an iteration's first read, the second, and the others: a caller of one record gets one batch."""


class LogFetcher:
    """Reads a log, each call under its lock."""

    def __init__(self, local: LocalLog, guard: LogGuard) -> None:
        self._local, self._guard = local, guard

    def read(self, offset: int, max_bytes: int, isolation_level: str, *, min_one_batch: bool, copy: bool) -> Fetched:
        """See `Log.read`."""
        offset, max_bytes = whole_number(offset, "offset"), whole_number(max_bytes, "max_bytes")
        is_committed = is_committed_only(isolation_level)
        local = self._local
        with self._guard.taken(), self._guard.reading():
            if not local.offsets.start_offset <= offset <= local.offsets.end_offset:
                raise self.out_of_range(offset)
            end = local.last_stable_offset if is_committed else local.offsets.end_offset
            fetched = local.search.read(
                *(offset, end, max_bytes), min_one_batch=min_one_batch, copy=copy, with_aborted=is_committed
            )
            local.counts.read_count += 1
            local.counts.read_bytes += len(fetched)
            return fetched

    def batches(
        self,
        start_offset: int | None,
        end_offset: int | None,
        follow: bool,
        timeout_s: float | None,
        isolation_level: str,
    ) -> Iterator[AnyBatch]:
        """See `Log.batches`."""
        for fetched, end in self.fetched(start_offset, end_offset, follow, timeout_s, isolation_level):
            yield from batches_of(fetched, end)

    def records(
        self,
        start_offset: int | None,
        end_offset: int | None,
        follow: bool,
        timeout_s: float | None,
        isolation_level: str,
        *,
        include_control: bool,
    ) -> Iterator[Record]:
        """See `Log.records`."""

        def groups() -> Iterator[Iterable[Record]]:
            (start, end), has_begun = self.bounds(start_offset, end_offset, follow), False
            if start_offset is not None and not is_committed_only(isolation_level):
                first = self._first(start, end)
                if first is not None:
                    yield first.records
                    start, has_begun = first.next_offset, True
                    if end is not None and start >= end:
                        return
            parts = self.fetched(start, end, follow, timeout_s, isolation_level, has_begun=has_begun)
            yield fetched_records((part for part, _ in parts), end, include_control=include_control)

        return chain.from_iterable(groups())

    def _first(self, offset: int, end_offset: int | None) -> FoundRecords | None:
        """The records of the first batch between `bounds`, in one step where that is possible: most callers that name
        an offset want its record, or few."""
        with self._guard.taken(), self._guard.reading():
            local = self._local
            if not local.offsets.start_offset <= offset < local.offsets.end_offset:
                return None
            found = local.search.first_records(offset, local.offsets.end_offset if end_offset is None else end_offset)
            if found is not None:
                local.counts.read_count += 1
                local.counts.read_bytes += found.size
            return found

    def fetched(
        self,
        start_offset: int | None,
        end_offset: int | None,
        follow: bool,
        timeout_s: float | None,
        isolation_level: str,
        *,
        has_begun: bool = False,
    ) -> Iterator[tuple[Fetched, int | None]]:
        """Yield the results of consecutive reads, none empty, each with the end offset: see `batches`. ``has_begun``:
        the records before were read."""
        offset, end_offset = self.bounds(start_offset, end_offset, follow)
        for found in self.reads(offset, end_offset, follow, isolation_level, has_begun=has_begun):
            if isinstance(found, Fetched):
                yield found, end_offset
            elif not follow or not self._wait(found, timeout_s, is_committed_only(isolation_level)):
                return

    def bounds(self, start_offset: int | None, end_offset: int | None, follow: bool) -> tuple[int, int | None]:
        """The offset at which `batches` begins, and the one at which it ends; None: it does not end."""
        offset = self._local.offsets.start_offset if start_offset is None else whole_number(start_offset, "offset")
        if end_offset is not None:
            end_offset = whole_number(end_offset, "end offset")
        elif not follow:
            end_offset = self._local.offsets.end_offset
            if offset > end_offset:  # committed data may end earlier: reading stops there
                raise OffsetOutOfRangeError(offset, self._local.offsets.start_offset, end_offset)
        return offset, end_offset

    def reads(
        self, offset: int, end_offset: int | None, follow: bool, isolation_level: str, *, has_begun: bool = False
    ) -> Iterator[Fetched | int]:
        """The results of consecutive reads between `bounds`, none empty. Where the log ends for now, yield the next
        offset instead, and then look again. With ``follow`` they end when the log is closed."""
        read_count = int(has_begun)
        while end_offset is None or offset < end_offset:
            try:
                fetched = self.read(
                    *(offset, _READ_BYTES[min(read_count, 2)], isolation_level), min_one_batch=True, copy=True
                )
                read_count += 1
            except OffsetOutOfRangeError as error:
                if not read_count or offset >= error.start_offset:
                    raise
                raise RecordsDeletedError(offset, error.start_offset, source=str(self._local.path)) from None
            except LogClosedError:
                if follow:
                    return
                raise
            if len(fetched):
                yield fetched
                offset = fetched.end[1]
            else:
                yield offset

    def out_of_range(self, offset: int) -> OffsetOutOfRangeError | RemoteOffsetError:
        """The error for an offset that cannot be read here."""
        offsets = self._local.offsets
        if offsets.log_start_offset <= offset < offsets.start_offset:
            return RemoteOffsetError(
                offset, offsets.log_start_offset, offsets.start_offset, source=str(self._local.path)
            )
        return OffsetOutOfRangeError(offset, offsets.log_start_offset, offsets.end_offset)

    def _wait(self, offset: int, timeout_s: float | None, is_committed: bool) -> bool:
        """Wait until the end of the log, or of its stable part, is no longer ``offset``; False if the time is over."""
        end_s = None if timeout_s is None else time.monotonic() + timeout_s
        bell = Bell()
        try:
            self._guard.bells.append(bell)
            while True:
                with self._guard.lock:
                    local = self._local
                    # An iteration that begins above the stable part waits for it; a cut wakes it in any case.
                    is_more = local.last_stable_offset > offset if is_committed else local.offsets.end_offset != offset
                    if is_more or local.offsets.end_offset < offset or self._guard.is_closed:
                        return not self._guard.is_closed
                left_s = None if end_s is None else end_s - time.monotonic()
                if left_s is not None and left_s <= 0:
                    return False
                bell.wait(left_s)
        finally:
            self._guard.bells.remove(bell)


def batches_of(fetched: Fetched, end_offset: int | None) -> Iterator[AnyBatch]:
    """The batches of one read that begin below an offset, without those of aborted transactions."""
    aborted = Aborted.of(fetched.aborted_transactions or ())
    for batch in fetched.batches():
        if end_offset is not None and batch.base_offset >= end_offset:
            return
        if not aborted.has(batch):
            yield batch
