"""What reads and lookups by timestamp give, be it of a log that is written here or of one that is only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from kformat.errors import ChecksumError
from kformat.kafka.batches import AnyBatch, read_batch
from kformat.kafka.framing import FRAME_BYTES, Walk
from kformat.kafka.records import Batch, Record
from kformat.language.layout import layout
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT

_LAYOUT: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")


class TimestampOffset(NamedTuple):
    """What a lookup by timestamp found: the record's own timestamp (ms; -1 for the log's start and end), its offset,
    and the leader epoch of its batch, None where that has none."""

    timestamp: int
    offset: int
    leader_epoch: int | None = None

    @property
    def may_be_remote(self) -> bool:
        """Whether a record in remote storage, which was not searched, may be the answer instead."""
        return False


class LocalTimestampOffset(TimestampOffset):
    """The same of a tiered log, for a time: what its local part answers."""

    __slots__ = ()

    @property
    def may_be_remote(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one read gave (FetchDataInfo).

    Attributes:
        start_offset: what was asked for; the first batch may begin below it.
        base_offset: of the segment the bytes lie in; source: the path of its `.log`.
        position: where ``data`` starts in it, bytes.
        data: stored batches, one behind the other. What `Log.read` gives may be cut by ``max_bytes``, and of a sealed
            segment it is a view of the mapped file, nothing copied; while that is held, the segment cannot be
            truncated. `LogReader.read` gives whole batches, as bytes.
        first_entry_incomplete: even the first batch is cut.
        limit: the most bytes that one batch may take, stored or inflated.
    """

    start_offset: int
    base_offset: int
    source: str
    position: int
    data: bytes | memoryview
    first_entry_incomplete: bool = False
    limit: int = DEFAULT_INFLATE_LIMIT

    def __len__(self) -> int:
        return len(self.data)

    def batches(self) -> Iterator[AnyBatch]:
        """The whole batches in ``data``; a cut one at the end is left out.

        DataError at the first that is not sound: like a consumer, and unlike a broker, this looks at the checksums.
        """
        source = _Slice(self.source, self.position, self.data)
        for frame in Walk(source, self.position):
            batch = read_batch(source, frame, self.limit)
            if not batch.is_valid:
                raise wrong_checksum(batch)
            yield batch

    def records(self, *, include_control: bool = False) -> Iterator[Record]:
        """The records from ``start_offset`` on; DataError at the first that cannot be read.

        Those of control batches are left out, as consumers do, unless they are to be included.
        """
        for batch in self.batches():
            if include_control or not batch.is_control:
                yield from (record for record in batch.records() if record.offset >= self.start_offset)


class _Slice:
    """Bytes that know where in their file they lie."""

    def __init__(self, name: str, start: int, data: bytes | memoryview) -> None:
        self.name, self.start, self.data, self.size = name, start, data, start + len(data)

    def read_at(self, position: int, size: int) -> bytes:
        return bytes(self.data[position - self.start : position - self.start + size])


def wrong_checksum(batch: AnyBatch) -> ChecksumError:
    """The error that says that the checksum of a batch is not that of its bytes."""
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


__all__ = ["Fetched", "LocalTimestampOffset", "TimestampOffset", "wrong_checksum"]
