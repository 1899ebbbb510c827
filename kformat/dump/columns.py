"""Print dumps as bytes of many lines: logs by kernels, thousands of records at a time; other files line by line.

Bytes, reports and their order are those of `items` and `text_lines`. Kernels read batches of magic 2 that are sound;
batches that they refuse are read by `items`, one by one, and so are all records if numba is missing. If only batches
are printed, the lines come from columns of headers, without numba; with many batches, from kernels, once loading them
pays. Memory holds a chunk of the log, or one batch if that is larger, and its decompressed bytes.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.dump.decoders import NEWEST
from kformat.dump.inputs import Item, LogPass, is_log, items, opened
from kformat.dump.lines import batch_lines, control_text, text_lines
from kformat.dump.report import DumpReport, Options
from kformat.errors import CompressionError, DataError, LimitError, MissingDependencyError
from kformat.kafka.batch.batches import BatchHeaders, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES, decompress
from kformat.kafka.batch.framing import CURRENT_MAGIC, HEADER_BYTES, Frame, Walk, last_offsets
from kformat.kafka.batch.records import Record, TimestampType, parse_control_record
from kformat.kernels import Decoded, Part, kernel
from kformat.kernels.compiled import compiled_by_hand
from kformat.language.layout import layout
from kformat.storage.checksum import crc32c_of_parts

Array = npt.NDArray[Any]

WORTH_LINES: Final = 20_000
"""From how many lines on kernels print a log's records: the codec prints these in the time it takes to load kernels."""
WORTH_BATCHES: Final = 100_000
"""The same for lines of batches only, which otherwise come from columns of headers."""

_CHUNK_BYTES: Final = 1 << 22
_TEXT_BYTES: Final = 1 << 18
_INFLATED_BYTES: Final = 4 << 20
_BATCHES_AT_FIRST: Final = 1024
_MOST_RECORDS: Final = 1 << 20
"""The codec prints the records of larger batches, one after the other: their columns would be too large."""
_INT64: Final = np.iinfo(np.int64)
_RECORD: Final = "record_batch::record"
_LAYOUT: Final = layout("record_batch")
_RECORDS_COUNT: Final = _LAYOUT.reader("records_count")
_, _, _COVERED_FROM = _LAYOUT.checksum()
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])

_OF_RECORDS: Final = ("offset_delta", "timestamp_delta", "key", "value", "headers", "headers.key")
_OF_BATCHES: Final = (
    "base_offset",
    "partition_leader_epoch",
    "crc",
    "attributes.has_delete_horizon",
    "attributes.is_control",
    "attributes.is_transactional",
    "attributes.timestamp_type",
    "attributes.compression",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "records_count",
    "payload",
)
_PRINTED: Final = (
    ("offset_delta", Part.VALUE),
    ("key", Part.POSITION),
    ("key", Part.LENGTH),
    ("value", Part.POSITION),
    ("value", Part.LENGTH),
    ("headers", Part.OFFSETS),
    ("headers.key", Part.POSITION),
    ("headers.key", Part.LENGTH),
)
"""The columns of records that the kernel is given, in this order."""
_NO_BYTES: Final = np.frombuffer(b"", np.uint8)
_NO_COLUMNS: Final[dict[tuple[str, Part], Array]] = {
    ("offset_delta", Part.VALUE): np.empty(0, np.int32),
    **{column: np.empty(0, np.int64) for column in (("timestamp_delta", Part.VALUE), *_PRINTED[1:])},
}


def text(
    path: str | os.PathLike[str], shown_path: str, options: Options, report: DumpReport, *, source: Any = None
) -> Iterator[bytes | memoryview]:
    """The tool's output for one file, which it calls ``shown_path``: one or many whole lines at a time, with line ends.
    Each piece is valid until the next is requested.

    Args and errors are those of `items`.
    """
    if not is_log(path) or options.shown is not None or options.records is not None or options.like != NEWEST:
        yield from _encoded(items(path, options, report, source=source), shown_path, options)
        return
    with opened(path, source) as file:
        log = LogPass(file, options, report)
        yield from _encoded(log.start(), shown_path, options)
        yield from _Printer(log, shown_path, options).frames()
        yield from _encoded(log.end(), shown_path, options)


def _joined(lines: list[str]) -> Iterator[bytes]:
    if lines:
        yield "".join(line + "\n" for line in lines).encode()


def _encoded(file_items: Iterable[Item], shown_path: str, options: Options) -> Iterator[bytes]:
    for line in text_lines(file_items, shown_path, options):
        # A file name that is not UTF-8 is written as its bytes.
        yield line.encode("utf-8", "surrogateescape") + b"\n"


@lru_cache(maxsize=4096)
def _control_text(key: bytes | None, value: bytes | None) -> bytes:
    """The printed text of a control record; DataError if it cannot be read. Markers of transactions are all alike."""
    record = Record(0, 0, 0, key, value)
    return control_text(*parse_control_record(record)).encode("utf-8", "surrogateescape")


class _Printer:
    """Prints the batches of a log."""

    def __init__(self, log: LogPass, shown_path: str, options: Options) -> None:
        self.log, self.shown_path, self.options = log, shown_path, options
        bounds = (options.from_offset, options.to_offset, options.since_ms, options.until_ms)
        fit = all(bound is None or _INT64.min <= bound <= _INT64.max for bound in bounds)
        # Even if records are not printed, a range of time may require reading them.
        self.has_headers_only = fit and not options.is_deep and not options.has_time_range
        self.may_use_kernels = fit and (options.is_deep or self.has_headers_only)
        self.out = np.empty(0, np.uint8)
        self.data, self.data_position = memoryview(b""), 0

    def frames(self) -> Iterator[bytes | memoryview]:
        walk = self.log.walk
        for frame in walk:
            end = None
            if frame.magic >= CURRENT_MAGIC and frame.size <= self.log.limit:
                if self.may_use_kernels and frame.magic == CURRENT_MAGIC and self._is_worth_it(frame):
                    try:
                        end = yield from self._chunk(frame)
                    except MissingDependencyError:
                        self.may_use_kernels = False
                if end is None and self.has_headers_only:
                    end = yield from self._chunk_of_headers(frame)
            if end is None:
                yield from self._by_codec(frame)
            else:
                walk.position = end

    def _by_codec(self, frame: Frame) -> Iterator[bytes]:
        return _encoded(self.log.of_frame(frame), self.shown_path, self.options)

    def _is_worth_it(self, frame: Frame) -> bool:
        """Whether many lines are left, if all batches are like this one. Kernels that are loaded are used always."""
        if len(self.out):
            return True
        if frame.size < HEADER_BYTES:
            return False
        left = self.log.walk.end - frame.position
        if not self.options.is_deep:
            return left >= WORTH_BATCHES * frame.size
        return (1 + max(0, _RECORDS_COUNT(frame.start, 0))) * left >= WORTH_LINES * frame.size

    def _data(self, frame: Frame) -> memoryview:
        """A chunk that begins with a frame, and holds all of it: the rest of the last chunk, or the next one."""
        at = frame.position - self.data_position
        if at + frame.size > len(self.data):
            size = min(max(_CHUNK_BYTES, frame.size), self.log.walk.end - frame.position)
            self.data, at = memoryview(self.log.source.read_at(frame.position, size)), 0
        self.data, self.data_position = self.data[at:], frame.position
        return self.data

    # Many lines of batches

    def _chunk_of_headers(self, frame: Frame) -> Generator[bytes, None, int | None]:
        """As `_chunk`, from columns of headers. No records are printed, so it takes all batches that are not too large
        and not of an older magic."""
        data = self._data(frame)
        headers = read_batch_headers(data)
        refused = (headers.magic < CURRENT_MAGIC) | (headers.size > self.log.limit)
        count = _before(refused)
        if not count:
            return None
        batches = _Batches.of_headers(headers, count, np.frombuffer(data, np.uint8), frame.position)
        rows = batches.wanted(self.options)
        batches.look_at_checksums(rows)
        lines = batch_lines({name: column[rows] for name, column in batches.known.items()})
        printed = 0
        for at in np.flatnonzero(~batches["is_valid"][rows]).tolist():
            yield from _joined(lines[printed:at])
            self.log.report_checksum(int(batches["position"][rows[at]]))
            printed = at
        yield from _joined(lines[printed:])
        return batches.end

    # Many batches

    def _chunk(self, frame: Frame) -> Generator[bytes | memoryview, None, int | None]:
        """Print the batches from a frame on, as many as a chunk holds; return the end of the last one, or None if the
        kernel refuses the first."""
        walk, data = self.log.walk, self._data(frame)
        headers = kernel("record_batch").decode(data, fields=_OF_BATCHES, room=_BATCHES_AT_FIRST)
        if not len(self.out):
            self.printing = compiled_by_hand("kformat.dump.line_kernels")
            self.out = np.empty(_TEXT_BYTES, np.uint8)
        if not headers.rows[0]:
            return None
        batches = _Batches.of_kernel(headers, np.frombuffer(data, np.uint8), frame.position)
        rows = batches.wanted(self.options)
        batches.look_at_checksums(rows)
        reach = len(rows)
        while len(rows):
            count, is_refused, records = self._taken(batches, rows[:reach])
            if count:
                yield from self._printed(batches, rows[:count], records)
            rows = rows[count:]
            # If much is damaged, try few batches at once: otherwise each refusal would decode all that follow.
            reach = 2 * count + 1 if is_refused else 2 * reach
            if is_refused:
                yield from self._by_codec(next(Walk(self.log.source, int(batches["position"][rows[0]]), walk.end)))
                rows = rows[1:]
        return batches.end

    def _taken(self, batches: _Batches, rows: Array) -> tuple[int, bool, _BatchRecords]:
        """How many of some batches the kernels take at once, whether they refuse the next, and the records of these."""
        refused = batches["compression"][rows] >= len(CODEC_NAMES)
        refused |= (batches["size"][rows] > self.log.limit) | ~batches["is_valid"][rows]
        if not self.options.is_deep:
            count = _before(refused)
            return count, count < len(rows), _BatchRecords(np.zeros(count, np.int64))
        counts = batches["records_count"][rows]
        refused |= counts > _MOST_RECORDS
        count = _before(refused)
        is_refused = count < len(rows)
        data, starts, ends, is_sound = self._payloads(batches, rows[:count])
        if len(ends) < count:
            count, is_refused = len(ends), not is_sound
        counts = counts[:count]
        ends = np.where(counts > 0, ends, starts)  # the payload of an empty batch is not read, as in Kafka
        decoded = kernel(_RECORD).decode(data, np.column_stack((starts, ends, counts)), fields=_OF_RECORDS)
        if decoded.problem is not None:
            count, is_refused = decoded.problem.unit, True
        records = _BatchRecords(counts[:count], data, decoded.columns)
        if batches["is_control"][rows[:count]].any():
            readable_count = self._look_at_control(records, batches["is_control"][rows[:count]])
            if readable_count < count:
                count, is_refused, records.counts = readable_count, True, counts[:readable_count]
        return count, is_refused, records

    def _payloads(self, batches: _Batches, rows: Array) -> tuple[Array, Array, Array, bool]:
        """The bytes with the payloads of some batches, where each begins and ends, and whether the batch after these
        can be decompressed. Compressed payloads are decompressed, for as many batches as fit at once."""
        starts, ends = batches["payload_start"][rows], batches["payload_end"][rows]
        if not batches["compression"][rows].any():
            return batches.view, starts, ends, True
        payloads: list[bytes] = []
        size, is_sound = 0, True
        codecs, counts = batches["compression"][rows].tolist(), batches["records_count"][rows].tolist()
        for codec, count, start, end in zip(codecs, counts, starts.tolist(), ends.tolist(), strict=True):
            if size >= _INFLATED_BYTES:
                break
            stored = batches.view[start:end].data if count else b""
            try:
                payload = decompress(codec, stored, limit=self.log.limit) if codec and count else bytes(stored)
            except (CompressionError, LimitError):
                is_sound = False
                break
            payloads.append(payload)
            size += len(payload)
        ends = np.cumsum([len(payload) for payload in payloads], dtype=np.int64)
        data = np.frombuffer(payloads[0] if len(payloads) == 1 else b"".join(payloads), np.uint8)
        return data, np.concatenate((np.zeros(1, np.int64), ends))[:-1], ends, is_sound

    def _look_at_control(self, records: _BatchRecords, is_control: Array) -> int:
        """Make the text of control records; return the number of batches before the first that cannot be read."""
        texts: list[bytes] = []
        ends = np.cumsum(records.counts)
        readable_count = len(ends)
        for number in np.flatnonzero(is_control).tolist():
            of_batch = range(int(ends[number] - records.counts[number]), int(ends[number]))
            if self.options.skip_record_metadata:
                texts += [b""] * len(of_batch)
                continue
            try:
                texts += [
                    _control_text(records.bytes_of("key", row), records.bytes_of("value", row)) for row in of_batch
                ]
            except DataError:
                readable_count = number
                break
        records.control_text = np.frombuffer(b"".join(texts), np.uint8)
        records.control_ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        return readable_count

    def _printed(self, batches: _Batches, rows: Array, records: _BatchRecords) -> Iterator[memoryview]:
        options, printing = self.options, self.printing
        known = {name: batches[name][rows] for name in batches.known}
        known["rows"], known["is_shown"] = records.counts, np.ones(len(rows), np.bool_)
        offsets, timestamps, wanted = records.offsets(known), records.timestamps(known), np.empty(0, np.bool_)
        if options.has_range and options.is_deep:
            wanted = _within(offsets, options.from_offset, options.to_offset)
            wanted &= _within(timestamps, options.since_ms, options.until_ms)
            if options.has_time_range:
                shown = np.repeat(np.arange(len(rows)), records.counts)[wanted]
                known["is_shown"] = np.bincount(shown, minlength=len(rows)) > 0
        else:
            self.log.pass_over(offsets)
        state = np.zeros(printing.STATE_WORDS, np.int64)
        state[printing.ROW_OF_BATCH] = -1
        what = 0 if options.skip_record_metadata else printing.METADATA
        what |= printing.CONTENTS if options.print_data_log else 0
        matrix = np.stack([known[name].astype(np.int64) for name in printing.BATCH_FIELDS])
        while state[printing.BATCH] < len(rows):
            size = printing.print_lines(
                self.out,
                state,
                what,
                matrix,
                records.data,
                offsets,
                timestamps,
                *(records.columns[name] for name in _PRINTED),
                wanted.view(np.uint8),
                records.control_text,
                records.control_ends,
            )
            if size:
                yield self.out.data[:size]
            if state[printing.WANTED] > len(self.out):
                self.out = np.empty(int(state[printing.WANTED]), np.uint8)


class _Batches:
    """The batches of a chunk: their printed fields, and the positions in the chunk of their payloads and of the bytes
    that their checksums cover."""

    def __init__(self, known: dict[str, Array], view: Array, covered: Array) -> None:
        self.known, self.view, self.covered = known, view, covered
        self.known["is_valid"] = np.zeros(len(covered), np.bool_)

    @classmethod
    def of_kernel(cls, headers: Decoded, view: Array, position: int) -> _Batches:
        """From the columns of their kernel, for a chunk at this position."""
        columns = headers.columns
        known = {
            name.removeprefix("attributes."): columns[name, Part.VALUE] for name in _OF_BATCHES if name != "payload"
        }
        start, length = columns["payload", Part.POSITION], columns["payload", Part.LENGTH]
        known |= {
            "last_offset": last_offsets(known["base_offset"], known["last_offset_delta"]),
            "position": start - HEADER_BYTES + position,
            "size": length + HEADER_BYTES,
            "payload_start": start,
            "payload_end": start + length,
        }
        return cls(known, view, columns["crc", Part.COVERED_POSITION])

    @classmethod
    def of_headers(cls, headers: BatchHeaders, count: int, view: Array, position: int) -> _Batches:
        """From the first ``count`` headers of a walk, for a chunk at this position."""
        names = ("last_offset", "size", "magic", *(name.removeprefix("attributes.") for name in _OF_BATCHES))
        known = {name: getattr(headers, name)[:count] for name in names if name != "payload"}
        start = headers.position[:count]
        known |= {
            "position": start + position,
            "payload_start": start + HEADER_BYTES,
            "payload_end": start + known["size"],
        }
        return cls(known, view, start + _COVERED_FROM)

    def __getitem__(self, name: str) -> Array:
        return self.known[name]

    @property
    def end(self) -> int:
        """The position in the file where the last batch ends."""
        return int(self["position"][-1] + self["size"][-1])

    def wanted(self, options: Options) -> Array:
        """The numbers of the batches of which, by their headers, something may be printed."""
        rows = np.ones(len(self.covered), np.bool_)
        if options.from_offset is not None:
            rows &= self["last_offset"] >= options.from_offset
        if options.to_offset is not None:
            rows &= self["base_offset"] < options.to_offset
        if options.since_ms is not None:
            rows &= self["max_timestamp"] >= options.since_ms
        return np.flatnonzero(rows)

    def look_at_checksums(self, rows: Array) -> None:
        computed = crc32c_of_parts(self.view, self.covered[rows], self["payload_end"][rows])
        self["is_valid"][rows] = computed == self["crc"][rows]


class _BatchRecords:
    """The records of some batches: how many each has, and their columns."""

    def __init__(
        self, counts: Array, data: Array = _NO_BYTES, columns: Mapping[tuple[str, Part], Array] = _NO_COLUMNS
    ) -> None:
        self.counts, self.data, self.columns = counts, data, columns
        self.control_text, self.control_ends = _NO_BYTES, np.zeros(1, np.int64)

    def bytes_of(self, name: str, row: int) -> bytes | None:
        position, length = (int(self.columns[name, part][row]) for part in (Part.POSITION, Part.LENGTH))
        return None if length < 0 else self.data[position : position + length].tobytes()

    def offsets(self, batches: Mapping[str, Array]) -> Array:
        """Absolute offsets, which wrap like Java's."""
        bases = np.repeat(batches["base_offset"], self.counts)
        return bases + self.columns["offset_delta", Part.VALUE][: len(bases)]

    def timestamps(self, batches: Mapping[str, Array]) -> Array:
        """Absolute timestamps, which wrap like Java's; the batch's if the leader set it."""
        is_appended = batches["timestamp_type"] == _LOG_APPEND_TIME
        bases = np.repeat(np.where(is_appended, batches["max_timestamp"], batches["base_timestamp"]), self.counts)
        deltas = self.columns["timestamp_delta", Part.VALUE][: len(bases)]
        return bases + deltas * np.repeat(~is_appended, self.counts) if is_appended.any() else bases + deltas


def _within(values: Array, start: int | None, end: int | None) -> Array:
    rows = np.ones(len(values), np.bool_)
    if start is not None:
        rows &= values >= start
    if end is not None:
        rows &= values < end
    return rows


def _before(refused: Array) -> int:
    """The number of batches before the first that is refused."""
    return int(refused.argmax()) if refused.any() else len(refused)
