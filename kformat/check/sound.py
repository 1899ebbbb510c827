"""A fast path: find, by columns, whole blocks of batches whose records break no rule.

The rules themselves are in `records`: they judge batch by batch and report what is wrong. This module checks the same
conditions on columns made by kernels, and returns only a mask of the batches without findings. All other batches, also
doubtful ones, are judged by the rules.

Rules:

* A batch passes only if every condition of `records.record_findings` holds for it.
* Transaction markers look alike: one that passed the rules once need not be judged again.
* Without columns, as `kformat.kafka.findings.record_columns` says, no batch passes.

`SoundMessages` does the same for what the keys and values of a coordinator's topic hold, block by block, with the
readers of `kformat.kafka.columns.messages`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.check.records import record_findings
from kformat.codec.reader import BYTES_PER_ELEMENT
from kformat.columns.arrow import pyarrow
from kformat.errors import DataError, MissingDependencyError
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.columns.arrow import binary_array
from kformat.kafka.columns.chunks import Wanted, read_chunks
from kformat.kafka.columns.messages import KAFKA, KafkaRecords
from kformat.kafka.findings.entries import BoolArray, Int64Array
from kformat.kafka.findings.log_blocks import BatchBlock
from kformat.kafka.findings.record_columns import FIELDS, RecordColumns

_MOST_MARKERS: Final = 4096
_MARKER_BYTES: Final = 256
_LOAD_BYTES: Final = 16 << 20
"""The codec reads as much of a coordinator's topic in the time that the columns take to be loaded."""
_SIDES: Final = ("key", "value")
_SAFE: Final = 2**62
"""Two numbers between the negative of this and this can be added in 64 bits."""

_CREATE_TIME: Final = int(TimestampType["create_time"])

Array = npt.NDArray[Any]


class SoundRecords:
    """Finds the batches of blocks whose records break no rule."""

    def __init__(self) -> None:
        self.records = RecordColumns()
        self.messages = SoundMessages()
        self._markers: set[tuple[bool, bytes]] = set()

    def rows(self, block: BatchBlock) -> BoolArray:
        """Per batch of a block of magic 2, whether its records pass, given that its checksum is right."""
        headers = block.headers
        sound = np.zeros(len(headers), np.bool_)
        rows = np.flatnonzero(block.is_sound & (headers.records_count > 0))
        if not self.records.is_ready(len(block.data)):
            return sound
        # Batches that the rules ignore, or judge by size alone.
        sound |= (headers.records_count < 0) | ((headers.records_count == 0) & (headers.size == HEADER_BYTES))
        for judged, counts, columns in self.records.columns(block, rows, FIELDS):
            sound[judged] = _holds(block, judged, counts, columns)
        for row in np.flatnonzero(sound & (headers.is_control == 1) & (headers.records_count > 0)).tolist():
            sound[row] = self._is_known_marker(block, row)
        return sound

    def _is_known_marker(self, block: BatchBlock, row: int) -> bool:
        """Whether a batch of control records, which is otherwise right, breaks no rule."""
        headers = block.headers
        if headers.records_count[row] != 1 or headers.compression[row] or headers.size[row] > _MARKER_BYTES:
            return False
        batch = block.batch(row, "")
        key = batch.is_transactional, batch.raw[HEADER_BYTES:]
        if key not in self._markers:
            if next(record_findings(batch, ""), None) is not None:
                return False
            if len(self._markers) >= _MOST_MARKERS:
                self._markers.clear()
            self._markers.add(key)
        return True


class SoundMessages:
    """Finds blocks of which all keys and values can be read as messages of Kafka's; needs the extra ``arrow``.

    pyarrow, and what reads the messages, are loaded when `_LOAD_BYTES` of such topics have come by.
    """

    def __init__(self) -> None:
        self._readers: dict[str, tuple[KafkaRecords, KafkaRecords]] = {}
        self._bytes = 0
        self._is_missing = False

    def holds(self, name: str, block: BatchBlock) -> bool:
        """Whether the rules of `kformat.check.kafka_topics` find nothing in a block; False also if that is not known.

        ``name``: a decoder that `has_keys`.
        """
        self._bytes += len(block.data)
        is_plain = not block.is_legacy and block.is_sound.all() and not block.after_hole[1:].any()
        if self._is_missing or self._bytes < _LOAD_BYTES or not is_plain:
            return False
        start, end = int(block.headers.position[0]) - block.start, int(block.end[-1]) - block.start
        try:
            pa = pyarrow()
            key_reader, value_reader = self._readers_of(name)
            for chunk in read_chunks(
                block.data, Wanted(columns=_SIDES, checksums=False, limit=block.limit), start, end
            ):
                assert chunk.key is not None and chunk.value is not None
                keys, values = binary_array(chunk.key, pa.binary()), binary_array(chunk.value, pa.binary())
                read = (*key_reader.parse(keys), *value_reader.parse(values, keys))
                if keys.null_count or any(one.refused_count for one in read):
                    return False
        except MissingDependencyError:
            self._is_missing = True
            return False
        except DataError:
            return False
        return True

    def _readers_of(self, name: str) -> tuple[KafkaRecords, KafkaRecords]:
        if name not in self._readers:
            layout = f"{KAFKA}:{name}"
            self._readers[name] = KafkaRecords(layout, "key"), KafkaRecords(layout, "value")
        return self._readers[name]


def _holds(block: BatchBlock, rows: Int64Array, counts: Int64Array, columns: dict[str, Array]) -> BoolArray:
    """Per batch, whether its records keep the rules; ``columns`` have the records of all batches, in order."""
    headers = block.headers
    ends = np.cumsum(counts)
    firsts = ends - counts
    delta = columns["offset_delta"]
    # If they rise, the first and the last decide whether all of them are in the batch's range.
    holds = (delta[firsts] >= 0) & (delta[ends - 1] <= headers.last_offset_delta[rows])
    falls = delta[1:] <= delta[:-1]
    falls[ends[:-1] - 1] = False  # from one batch to the next they may
    wrong = columns["attributes"] != 0
    wrong[1:] |= falls
    if wrong.any():
        holds &= ~np.logical_or.reduceat(wrong, firsts)
    largest = np.maximum.reduceat(columns["timestamp_delta"], firsts)
    base = headers.base_timestamp[rows]
    fits = (largest > -_SAFE) & (largest < _SAFE) & (base > -_SAFE) & (base < _SAFE)
    is_largest = np.maximum(base + largest, -1) == headers.max_timestamp[rows]
    holds &= (headers.timestamp_type[rows] != _CREATE_TIME) | (fits & is_largest)
    # The codec limits the number of elements in decompressed bytes.
    few = np.maximum.reduceat(columns["headers_count"], firsts) <= block.limit // BYTES_PER_ELEMENT
    return holds & (few | (headers.compression[rows] == 0))
