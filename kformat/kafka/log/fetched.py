"""Results of reads and lookups by timestamp, for logs that are written here and for logs that are only read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple, TypedDict

from kformat.errors import ChecksumError
from kformat.integers import MAX_INT64
from kformat.kafka.batch.batches import AnyBatch, read_batch
from kformat.kafka.batch.few_records import records_between
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, MAX_LOG_BYTES, Walk, borders, last_offset
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.columns.arrow import allocate
from kformat.kafka.columns.chunks import Chunk, RecordReader, Wanted, read_chunks
from kformat.kafka.columns.declared import Given
from kformat.kafka.producers.isolation import Aborted
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat.language.layout import layout
from kformat.results import printable, size_text
from kformat.storage.byte_source import ByteSource
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat.times import time_text

_LAYOUT: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")
_SMALL_BYTES: Final = 1 << 18
"""The largest batch whose records are read one by one: its bytes are read once, and most records are not wanted."""


class TimestampOffset(NamedTuple):
    """The result of a lookup by timestamp: the record's own timestamp (ms; -1 for the log's start and end), its offset,
    and the leader epoch of its batch, None if that has none.
    """

    timestamp: int
    offset: int
    leader_epoch: int | None = None

    @property
    def may_be_remote(self) -> bool:
        """Whether a record in remote storage, which was not searched, may be the right answer instead."""
        return False

    def __str__(self) -> str:
        when = "" if self.timestamp < 0 else f" at {time_text(self.timestamp)}"
        epoch = "" if self.leader_epoch is None else f", leader epoch {self.leader_epoch}"
        return f"offset {self.offset}{when}{epoch}"


class LocalTimestampOffset(TimestampOffset):
    """The result of a lookup by time in a tiered log; only its local part was searched."""

    __slots__ = ()

    @property
    def may_be_remote(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of one read (FetchDataInfo).

    Attributes:
        start_offset: the requested offset; the first batch may begin below it.
        base_offset: of the segment that holds the bytes; source: the path of its `.log`.
        position: where ``data`` starts in it, bytes.
        data: stored batches, one after the other. `Log.read` may cut them at ``max_bytes``; for a sealed segment it
            returns a view of the mapped file, without a copy, and the segment cannot be truncated while the view
            exists. `LogReader.read` returns whole batches, as bytes.
        first_entry_incomplete: even the first batch is cut.
        limit: the largest batch in bytes, stored or decompressed.
        aborted_transactions: those that may have a record in ``data``, if committed data was requested; else None.
    """

    start_offset: int
    base_offset: int
    source: str
    position: int
    data: bytes | memoryview
    first_entry_incomplete: bool = False
    limit: int = DEFAULT_INFLATE_LIMIT
    aborted_transactions: tuple[AbortedTransaction, ...] | None = None

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        cut = ", cut" if self.first_entry_incomplete else ""
        return (
            f"<Fetched from offset {self.start_offset} on: {size_text(len(self.data))}{cut}, "
            f"at position {self.position} of {printable(self.source)}>"
        )

    def batches(self) -> Iterator[AnyBatch]:
        """The whole batches in ``data``; an incomplete one at the end is left out.

        DataError at the first that is not sound: unlike a broker, but like a consumer, this verifies checksums.
        """
        source = Slice(self.source, self.position, self.data)
        for frame in Walk(source, self.position):
            batch = read_batch(source, frame, self.limit)
            if not batch.is_valid:
                raise wrong_checksum(batch)
            yield batch

    def records(self, *, include_control: bool = False) -> Iterator[Record]:
        """The records from ``start_offset`` on; DataError at the first that cannot be read.

        Control records are left out, as consumers do, unless requested, and so are those of `aborted_transactions`.
        """
        return fetched_records([self], include_control=include_control)

    @property
    def aborted(self) -> Aborted | None:
        """`aborted_transactions` as readers of records take them."""
        return None if self.aborted_transactions is None else Aborted.of(self.aborted_transactions)

    @property
    def end(self) -> tuple[int, int]:
        """The position where the whole batches end, and the offset after the last of them; `start_offset` if there is
        none above it.
        """
        places = borders(self.data)
        if places[-1] > len(self.data):
            places.pop()
        next_offset = self.start_offset
        if len(places) > 1:
            next_offset = max(next_offset, last_offset(self.data, places[-2]) + 1)
        walk = Walk(Slice(self.source, self.position, self.data), self.position + places[-1])
        for frame in walk:
            next_offset = max(next_offset, frame.last_offset + 1)
        return walk.position, next_offset

    def read_records(
        self, reader: RecordReader, wanted: Wanted, after_bytes: int = 0
    ) -> Generator[Iterable[Record], None, bool]:
        """The records of the whole batches, except those in the first ``after_bytes``; see `RecordReader.read`."""
        source = Slice(self.source, self.position, self.data)
        return reader.read(source, self.position + after_bytes, self.end[0], wanted)

    def first_records(self, wanted: Wanted) -> tuple[Iterable[Record], Batch] | None:
        """The wanted records of the first batch, without making columns, and the batch; None if it has to be read
        like the others: it is not whole, not small, not of magic 2, its checksum is wrong, a record cannot be read, or
        none is wanted.
        """
        batch = self._first_batch()
        if batch is None or batch.is_control or not wanted.start_offset <= batch.last_offset:
            return None
        if batch.base_offset >= wanted.end_offset or (wanted.aborted is not None and wanted.aborted.has(batch)):
            return None
        records = records_between(batch, wanted.start_offset, wanted.end_offset)
        return None if records is None else (records, batch)

    def _first_batch(self) -> Batch | None:
        places = borders(self.data, most_count=1, most_bytes=_SMALL_BYTES, most_magic=CURRENT_MAGIC)
        size = places[-1]
        if not 0 < size <= min(len(self.data), self.limit) or self.position + size > MAX_LOG_BYTES:
            return None
        data = self.data
        raw = data if len(data) == size and isinstance(data, bytes) else bytes(data[:size])
        batch = Batch(raw, self.position, self.source, self.limit)
        return batch if batch.is_valid else None


class LogReading(TypedDict, total=False):
    """The arguments of `LogReader.record_batches` after the columns, where functions only pass them on."""

    start_offset: int | None
    end_offset: int | None
    include_control: bool
    isolation_level: str
    value_as: Given
    key_as: Given
    enums: str


def fetched_records(
    fetches: Iterable[Fetched], end_offset: int | None = None, *, include_control: bool = False
) -> Iterator[Record]:
    """The records of consecutive reads, from the first one's ``start_offset`` to ``end_offset`` (exclusive), of whole
    batches; raises as `Fetched.records`.
    """

    def groups() -> Iterator[Iterable[Record]]:
        reader: RecordReader | None = None
        for fetched in fetches:
            done = 0
            if reader is None:
                # Most callers that request a range want its first record, or few.
                wanted = Wanted(
                    start_offset=fetched.start_offset,
                    end_offset=MAX_INT64 + 1 if end_offset is None else end_offset,
                    include_control=include_control,
                    aborted=fetched.aborted,
                    limit=fetched.limit,
                )
                first = fetched.first_records(wanted)
                if first is not None:
                    records, batch = first
                    yield records
                    if wanted.end_offset <= batch.next_offset:
                        return
                    done = batch.size
                reader = RecordReader(wrong_checksum)
            elif fetched.aborted_transactions is not None:
                wanted = replace(wanted, aborted=fetched.aborted)
            if done < len(fetched) and (yield from fetched.read_records(reader, wanted, done)):
                return

    return chain.from_iterable(groups())


def fetched_chunks(fetches: Iterable[Fetched], wanted: Wanted) -> Iterator[Chunk]:
    """The wanted rows of consecutive reads as chunks of columns, of whole batches; raises as `read_chunks`."""
    for fetched in fetches:
        start = max(wanted.start_offset, fetched.start_offset)
        asked = replace(wanted, start_offset=start, aborted=fetched.aborted, limit=fetched.limit)
        source = Slice(fetched.source, fetched.position, fetched.data)
        yield from read_chunks(source, asked, fetched.position, fetched.end[0], allocate=allocate)


class Slice(ByteSource):
    """Bytes that know their position in their file; sources that are made from it know it, too."""

    def __init__(self, name: str, start: int, data: bytes | memoryview) -> None:
        super().__init__(data, name)
        self.size += start
        self._buffer, self._reader = None, _Part(start, data)


class _Part:
    """Reads bytes by their position in a file."""

    def __init__(self, start: int, data: bytes | memoryview) -> None:
        self._start, self._data = start, data
        self.size = start + len(data)

    def read_at(self, position: int, size: int) -> bytes:
        return bytes(self._data[position - self._start : position - self._start + size])

    def close(self) -> None:
        """Nothing is open."""


def wrong_checksum(batch: AnyBatch) -> ChecksumError:
    """The error for a batch whose checksum does not match its bytes."""
    if isinstance(batch, Batch):
        algorithm, name, _ = _LAYOUT.checksum()
        path, at = f"record_batch.{name}", _LAYOUT.position(name)
    else:
        algorithm, name, _ = _MESSAGE.checksum()
        path, at = f"legacy_message.message.{name}", FRAME_BYTES + _MESSAGE.position(name)
    return ChecksumError(
        f"{algorithm} of the batch differs",
        source=batch.source,
        position=batch.position + at,
        path=path,
        expected=f"{batch.computed_crc:08x}",
        found=f"{batch.crc:08x}",
    )


__all__ = [
    "Fetched",
    "LocalTimestampOffset",
    "LogReading",
    "Slice",
    "TimestampOffset",
    "fetched_chunks",
    "fetched_records",
    "wrong_checksum",
]
