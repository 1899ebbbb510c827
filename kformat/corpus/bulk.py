"""Gigabytes of data: partitions as a broker leaves them, full of random records, from a seed.

For measurements and tests at scale. Every segment depends only on the seed, its partition and its first offset, so
several processes can make some each, with the same bytes whichever process makes them.

Records have keys and values of fixed sizes, and are one millisecond apart. They consist of the letters a to p: gzip and
zstd compress them to about half, codecs that only find repetitions (lz4, snappy) hardly at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.corpus.parts import EPOCH_MS
from kformat.errors import UsageError
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.columns.arrow import arrow_schema, pyarrow
from kformat.kafka.columns.batch_builder import build_batches
from kformat.kafka.files.checkpoints import EPOCHS_FILE
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import EpochEntry, LeaderEpochs, build_sidecar
from kformat.kafka.index.indexing import IndexedBatches, index_entries
from kformat.storage.atomic_write import filling, new_file

TOPIC: Final = "bulk"

Progress = Callable[[str, int], object]

_RECORD_BYTES: Final = 11
"""Bytes of a record of a hundred bytes in addition to key and value, with its share of a batch's header; at least."""
_COLUMNS: Final = ("key", "value", "timestamp")
_ROWS_AT_ONCE: Final = 1 << 16
_LETTERS: Final = 16


@dataclass(frozen=True)
class BulkSegment:
    """One segment to be made: its partition, its first offset, and how many records it has."""

    partition: int
    base_offset: int
    records_count: int


@dataclass(frozen=True)
class Bulk:
    """What is to be made.

    Attributes:
        size_bytes: of all logs together, before compression; about.
        seed: decides about keys and values.
        partitions: how many, of the topic ``bulk``, of one size.
        segment_bytes: of a log, before compression; about.
        compression: a codec by name. key_bytes, value_bytes: of each record.

    Raises UsageError for an unknown codec, and numbers that are no sizes.
    """

    size_bytes: int
    seed: int = 0
    partitions: int = 1
    segment_bytes: int = 1 << 30
    compression: str = "none"
    key_bytes: int = 10
    value_bytes: int = 100

    def __post_init__(self) -> None:
        if self.compression not in CODEC_NAMES:
            raise UsageError(f"no codec {self.compression!r}; there are {', '.join(CODEC_NAMES)}")
        if min(self.size_bytes, self.partitions, self.segment_bytes) < 1 or min(self.key_bytes, self.value_bytes) < 0:
            raise UsageError("sizes and counts are above 0, and keys and values have at least no bytes")
        if self.seed < 0 or self.segment_bytes >= 1 << 31:
            raise UsageError("seeds begin with 0, and segments are smaller than 2 GiB")

    @property
    def record_bytes(self) -> int:
        """The approximate size of one record in a log."""
        return self.key_bytes + self.value_bytes + _RECORD_BYTES

    def pieces(self) -> list[BulkSegment]:
        """All segments, partition by partition."""
        in_partition = max(1, self.size_bytes // self.partitions // self.record_bytes)
        in_segment = max(1, self.segment_bytes // self.record_bytes)
        return [
            BulkSegment(partition, first, min(in_segment, in_partition - first))
            for partition in range(self.partitions)
            for first in range(0, in_partition, in_segment)
        ]

    def folder(self, piece: BulkSegment) -> str:
        """The name of a segment's folder."""
        return f"{TOPIC}-{piece.partition}"

    def size_of(self, piece: BulkSegment) -> int:
        """About how many bytes a segment has, before compression."""
        return piece.records_count * self.record_bytes

    def write(
        self, piece: BulkSegment, folder: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> list[str]:
        """Write the files of a segment into an existing folder; returns their names. With the first segment of a
        partition come its leader epochs. Needs pyarrow (extra ``arrow``), and memory for some thousand records."""
        place, names = Path(folder), [file_name(piece.base_offset, kind) for kind in ("log", "index", "timeindex")]
        rows: list[tuple[int, int, int, int]] = []
        with new_file(place / names[0]) as log:
            for table, first in self._tables(piece):
                for batch in build_batches(
                    table, base_offset=first, compression=self.compression, partition_leader_epoch=0
                ):
                    rows.append((len(batch.raw), batch.base_offset, batch.last_offset, batch.max_timestamp))
                    log.write(batch.raw)
                if progress is not None:
                    progress(names[0], table.num_rows * self.record_bytes)
        entries = index_entries(_indexed(rows), base_offset=piece.base_offset)
        others = {names[1]: entries.offset_index.tobytes(), names[2]: entries.time_index.tobytes()}
        if not piece.base_offset:
            others[EPOCHS_FILE] = build_sidecar(EPOCHS_FILE, LeaderEpochs((EpochEntry(0, 0),)))
        for name, data in others.items():
            with new_file(place / name) as file:
                file.write(data)
        return [names[0], *others]

    def _tables(self, piece: BulkSegment) -> Iterator[tuple[Any, int]]:
        """The records of a segment as Arrow record batches, each with its first offset."""
        schema = arrow_schema(_COLUMNS)
        pa, chance = pyarrow(), np.random.PCG64(np.random.SeedSequence([self.seed, piece.partition, piece.base_offset]))
        end = piece.base_offset + piece.records_count
        for first in range(piece.base_offset, end, _ROWS_AT_ONCE):
            count = min(_ROWS_AT_ONCE, end - first)
            columns = [_letters(chance, count, size) for size in (self.key_bytes, self.value_bytes)]
            times = pa.array(np.arange(EPOCH_MS + first, EPOCH_MS + first + count)).cast(schema.field("timestamp").type)
            yield pa.RecordBatch.from_arrays([*columns, times], schema=schema), first


def write_bulk(out: str | os.PathLike[str], bulk: Bulk, *, progress: Progress | None = None) -> int:
    """Write all segments into a folder that is empty or does not exist; returns the logs' size in bytes.

    ``progress`` is called now and then with the name of a log, and about how many bytes were written since the last
    call, before compression. Raises UsageError where there is something in the folder, OSError where it cannot be
    written, MissingDependencyError without pyarrow. After an error or an interrupt the folder is as it was.
    """
    arrow_schema(_COLUMNS)  # raises without pyarrow, before anything is made
    root = Path(out)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder")
    size_bytes = 0
    with filling(root):
        for piece in bulk.pieces():
            folder = root / bulk.folder(piece)
            folder.mkdir(parents=True, exist_ok=True)
            size_bytes += (folder / bulk.write(piece, folder, progress=progress)[0]).stat().st_size
    return size_bytes


def _letters(chance: np.random.PCG64, count: int, size: int) -> Any:
    """Values of one size. Only the raw sequence of a generator is guaranteed by numpy to stay the same."""
    pa, raw = pyarrow(), chance.random_raw(-(-count * size // 8)) if size else np.zeros(0, np.uint64)
    noise = raw.astype(np.dtype(np.uint64).newbyteorder("little")).view(np.uint8)[: count * size]
    data = noise % _LETTERS + ord("a")
    offsets = np.arange(count + 1, dtype=np.int32) * size
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _indexed(rows: list[tuple[int, int, int, int]]) -> IndexedBatches:
    size, first, last, time = np.array(rows, dtype=np.int64).T
    return IndexedBatches(
        position=np.cumsum(size) - size,
        size=size,
        base_offset=first,
        last_offset=last,
        max_timestamp=time,
        max_timestamp_offset=last,
    )
