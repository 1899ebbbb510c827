"""How a leader validates and changes batches before they are stored (Kafka's UnifiedLog.append and LogValidator), and
how a follower validates them: bytes in, bytes out, no files.

Rules:

* The caller's bytes are never changed: one copy is made. Nothing is returned before everything was validated.
* A batch in which only `base_offset` and `partition_leader_epoch` change keeps its checksum, which does not cover them.
* Comparisons are Kafka's, including the wrapping arithmetic of its longs.
* Stricter than Kafka in two points: the records of a compressed batch must fill the length that they declare, which
  Kafka's leader does not check, and on which its consumers fail. And a follower's batches must not overlap: Kafka
  checks their last offsets alone, but recovery would take such a log for damaged, and cut it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat
from typing import Any, Final, NoReturn, overload

import numpy as np
import numpy.typing as npt

from kformat.codec.parsing import columns_reader
from kformat.codec.unfit import Unfit
from kformat.errors import BuildError, CompressionError, DataError, LimitError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64, wrapped_int64
from kformat.kafka.batch.compression import CODEC_NAMES, decompress
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, PEEK_BYTES
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequence
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch, build_plain, divided
from kformat.kafka.columns.batch_builder import (
    LEAST_ROWS,
    BatchesInPlace,
    BuiltBatch,
    TableEncoder,
    build_batches,
    built_batches,
)
from kformat.kafka.columns.tables import RecordRows, is_table, rows_of_table, whole_table
from kformat.kafka.producers.producer_state import Markers, Origin, ProducerBatch, ProducerState, batch_of
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat.language.program import load_type
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat_engine.config import RECORD_PROFILES, LogConfig
from kformat_engine.errors import (
    CorruptBatchError,
    InvalidRecordError,
    InvalidTimestampError,
    OffsetOrderError,
    RecordTooLargeError,
)
from kformat_engine.leader_kernels import AppendBatch as AppendBatch
from kformat_engine.leader_kernels import placed_batches

DEFAULT_BATCH_BYTES: Final = 16384
"""The default of the producer's `batch.size`."""

NO_TIMESTAMP: Final = -1
"""The timestamp of a record that has none."""

NO_PRODUCER_ID: Final = -1
"""The producer id of a batch whose producer has none."""

_LAYOUT: Final = layout("record_batch")
_BATCH_LENGTH: Final = _LAYOUT.reader("batch_length")
_MAGIC: Final = _LAYOUT.reader("magic")
_SET_BASE_OFFSET: Final = _LAYOUT.writer("base_offset")
_SET_LEADER_EPOCH: Final = _LAYOUT.writer("partition_leader_epoch")
_SET_PRODUCER_ID: Final = _LAYOUT.writer("producer_id")
_SET_PRODUCER_EPOCH: Final = _LAYOUT.writer("producer_epoch")
_SET_BASE_SEQUENCE: Final = _LAYOUT.writer("base_sequence")
_SET_ATTRIBUTES: Final = _LAYOUT.writer("attributes")
_ATTRIBUTES: Final = _LAYOUT.reader("attributes")
_SET_MAX_TIMESTAMP: Final = _LAYOUT.writer("max_timestamp")
_BITS: Final = _LAYOUT.bits("attributes")
_KNOWN_BITS: Final = sum(bit.mask << bit.shift for name, bit in _BITS.items() if name != "reserved")
_TYPE_BIT: Final = _BITS["timestamp_type"]
_TYPE_MASK: Final = _TYPE_BIT.mask
_CREATE_TIME: Final = int(TimestampType["create_time"])
_LOG_APPEND_TIME: Final = int(TimestampType["log_append_time"])
_PASS_OVER: Final = columns_reader(load_type("record_batch::record"), ("timestamp_delta", "offset_delta", "key_length"))
_LEFT_PLAIN: Final = ("producer", "uncompressed")
"""Values of `compression_type` with which an uncompressed batch is not changed."""
_SHOWN: Final = 3
_MARKERS: Final = Markers()
_FIELDS: Final = ("timestamp", "key", "value", "headers")
_PLAIN: Final = frozenset({bytes, type(None)})
_ALL_BYTES, _ALL_TUPLES, _PAIRS = frozenset({bytes}), frozenset({tuple}), frozenset({2})
_TEXTS: Final = (str, bytes, bytearray, memoryview)


@dataclass(frozen=True)
class Prepared:
    """Bytes that are ready to be written as one append, the batches in them, and the number of records that these
    claim (an entry of magic 0 or 1, which may be a wrapper of several, counts as one)."""

    data: bytes | bytearray | memoryview
    batches: tuple[AppendBatch, ...]
    records_count: int

    @cached_property
    def producers(self) -> tuple[ProducerBatch, ...]:
        """The batches that change the state of producers; empty if no batch has a producer id."""
        batches = []
        position = 0
        for batch in self.batches:
            if batch.producer_id >= 0:
                raw = bytes(byte_view(self.data)[position : position + batch.size])
                producer_batch = batch_of(Batch(raw), markers=_MARKERS)
                if producer_batch is not None:
                    batches.append(producer_batch)
            position += batch.size
        return tuple(batches)

    def moved(self, offset_delta: int) -> Prepared:
        """The same batches with offsets ``offset_delta`` higher, which the checksums do not cover."""
        data = bytearray(self.data)
        position = 0
        for batch in self.batches:
            _SET_BASE_OFFSET(data, position, batch.base_offset + offset_delta)
            position += batch.size
        batches = tuple(
            batch._replace(
                base_offset=batch.base_offset + offset_delta,
                last_offset=batch.last_offset + offset_delta,
                max_timestamp_offset=batch.max_timestamp_offset + offset_delta,
            )
            for batch in self.batches
        )
        return Prepared(data, batches, self.records_count)


class Plain(Sequence[Prepared]):
    """Batches in one piece of memory, each an append of its own; a slice of them shares the memory.

    ``data`` holds their bytes, ``batches`` describe them, and none has a producer. So they can also form one append.
    """

    __slots__ = ("_starts", "batches", "data")

    def __init__(self, data: memoryview, batches: Sequence[AppendBatch]) -> None:
        self.data, self.batches = data, batches
        self._starts: list[int] | None = None

    def __len__(self) -> int:
        return len(self.batches)

    @overload
    def __getitem__(self, index: int) -> Prepared: ...
    @overload
    def __getitem__(self, index: slice) -> Plain: ...
    def __getitem__(self, index: int | slice) -> Prepared | Plain:
        batches = self.batches
        if not isinstance(index, slice):
            number = range(len(batches))[index]
            return self[number : number + 1].whole()
        start, stop, step = index.indices(len(batches))
        assert step == 1, "they lie one after the other"
        if (start, stop) == (0, len(batches)):
            return self
        if self._starts is None:
            self._starts = list(accumulate((batch.size for batch in batches), initial=0))
        return Plain(self.data[self._starts[start] : self._starts[max(start, stop)]], batches[start:stop])

    def largest_bytes(self) -> int:
        """The size of the largest batch."""
        return max(batch.size for batch in self.batches)

    def whole(self) -> Prepared:
        """All batches as one append."""
        count = self.batches[-1].last_offset + 1 - self.batches[0].base_offset  # a leader leaves no gaps
        return Prepared(self.data, tuple(self.batches), count)


class PlainPieces(Sequence[Prepared]):
    """Batches as `Plain`, in several pieces of memory."""

    def __init__(self, pieces: Sequence[Plain]) -> None:
        self.pieces = pieces

    @cached_property
    def _appends(self) -> list[Prepared]:
        return [append for piece in self.pieces for append in piece]

    def __len__(self) -> int:
        return sum(map(len, self.pieces))

    @overload
    def __getitem__(self, index: int) -> Prepared: ...
    @overload
    def __getitem__(self, index: slice) -> list[Prepared]: ...
    def __getitem__(self, index: int | slice) -> Prepared | list[Prepared]:
        return self._appends[index]


def has_producer(batches: Sequence[AppendBatch]) -> bool:
    """Whether a batch has a producer id."""
    if len(batches) == 1:
        return batches[0].producer_id >= 0
    return any(batch.producer_id >= 0 for batch in batches)


def together(prepared: Sequence[Prepared]) -> Prepared:
    """Join several appends to one."""
    if type(prepared) is Plain:
        return prepared.whole()
    return Prepared(
        b"".join(append.data for append in prepared),
        tuple(batch for append in prepared for batch in append.batches),
        sum(append.records_count for append in prepared),
    )


def described(prepared: Sequence[Prepared]) -> Sequence[AppendBatch]:
    """The batches of several appends."""
    return prepared.batches if type(prepared) is Plain else [batch for append in prepared for batch in append.batches]


# --- records -------------------------------------------------------------------------------------------------------


def prepare_records(
    records: Iterable[Any],
    next_offset: int,
    leader_epoch: int,
    config: LogConfig,
    now_ms: int,
    compression: str | None = None,
    batch_bytes: int = DEFAULT_BATCH_BYTES,
) -> Sequence[Prepared]:
    """Build batches of plain records, as a producer and then a leader would; each `Prepared` has one.

    Args:
        records: `kformat.Record` (its offset is not looked at), mappings with some of ``timestamp`` (ms), ``key``,
            ``value``, ``headers``, pairs of key and value, or values as bytes; or a table of Arrow, as
            `kformat.build_batches` takes it. ``timestamp`` is ``now_ms`` by default.
        compression: a codec's name; by default `compression_type`, or none where that is ``producer``.
        batch_bytes: a batch is ended before it is larger than this, `max_message_bytes` or `segment_bytes`,
            uncompressed; a record that is larger by itself has a batch by itself.

    Raises:
        InvalidRecordError: something that is no record; a record without a key where `cleanup_policy` has ``compact``.
        InvalidTimestampError: a timestamp outside of what the configuration allows, or below -1.
        RecordTooLargeError: a batch over `max_message_bytes`.
        UsageError: an unknown codec.
    """
    if compression is None and type(records) is list:
        append = _plain_append(records, next_offset, leader_epoch, config, now_ms, batch_bytes)
        if append is not None:
            return [append]
    codec = _codec(config if compression is None else compression)
    if not isinstance(records, list) and is_table(records):
        return _prepared_table(records, next_offset, leader_epoch, config, now_ms, codec, batch_bytes)
    columns = _columns(records, now_ms)
    if not columns.timestamps:
        return []
    append_time = now_ms if _is_log_append_time(config) else None
    _check_columns(columns, config, now_ms)
    _placed(next_offset, len(columns.timestamps))
    most_bytes = min(batch_bytes, config.max_message_bytes, config.segment_bytes)
    codec_name, level = CODEC_NAMES[codec], _level(codec, config)
    batches: Iterable[BuiltBatch]
    try:
        if len(columns.timestamps) < LEAST_ROWS:
            fields = BatchFields(
                leader_epoch=leader_epoch, compression=codec_name, level=level, append_time=append_time
            )
            batches = built_batches(divided(columns, most_bytes, base_offset=next_offset, fields=fields), next_offset)
        else:
            batches = list(
                build_batches(
                    columns,
                    base_offset=next_offset,
                    max_batch_bytes=most_bytes,
                    compression=codec_name,
                    level=level,
                    append_time=append_time,
                    partition_leader_epoch=leader_epoch,
                )
            )
    except BuildError as error:
        raise InvalidRecordError(str(error)) from error
    appends: list[Prepared] = []
    start = 0
    by_record = append_time is None and not codec and config.writer_profile in RECORD_PROFILES
    for data, first, last, count, largest in batches:
        size = len(data)
        if size > config.max_message_bytes or count == 1:
            where = f"the batch of records {start} to {start + count - 1}"
            _check_size(size, config, where)
            if count == 1:
                _check_readable(size, columns, start, where)
        at = last
        if by_record:
            at = first + columns.timestamps[start : start + count].index(largest)
        described = AppendBatch(first, last, largest, at, size, leader_epoch, CURRENT_MAGIC, NO_PRODUCER_ID)
        appends.append(Prepared(data, (described,), count))
        start += count
    return appends


def _plain_append(
    records: list[Any],
    next_offset: int,
    leader_epoch: int,
    config: LogConfig,
    now_ms: int,
    batch_bytes: int = DEFAULT_BATCH_BYTES,
) -> Prepared | None:
    """As `prepare_records`, for what most programs append: few records, as bytes or pairs of bytes, which one batch
    holds without compression. None for everything else, also for what is refused."""
    if not 0 < len(records) < LEAST_ROWS or not config.stores_plain:
        return None
    if not 0 <= next_offset <= MAX_INT64 - len(records) or now_ms < 0:
        return None
    kinds = set(map(type, records))
    keys: Sequence[Any]
    values: Sequence[Any]
    if kinds == _ALL_BYTES:
        keys, values = [None] * len(records), records
    elif kinds == _ALL_TUPLES and set(map(len, records)) == _PAIRS:
        keys, values = zip(*records, strict=True)
        if not _PLAIN.issuperset(map(type, keys)) or not _PLAIN.issuperset(map(type, values)):
            return None
    else:
        return None
    if config.is_compacted and None in keys:
        return None
    most_bytes = min(batch_bytes, config.max_message_bytes, config.segment_bytes)
    data = build_plain(
        *(keys, values, now_ms), base_offset=next_offset, leader_epoch=leader_epoch, most_bytes=most_bytes
    )
    if data is None:
        return None
    last = next_offset + len(records) - 1
    described = AppendBatch(next_offset, last, now_ms, last, len(data), leader_epoch, CURRENT_MAGIC, NO_PRODUCER_ID)
    return Prepared(data, (described,), len(records))


def _prepared_table(
    table: Any, next_offset: int, leader_epoch: int, config: LogConfig, now_ms: int, codec: int, batch_bytes: int
) -> Sequence[Prepared]:
    """As `prepare_records`, for the rows of a table."""
    table = whole_table(table)
    rows = rows_of_table(table, now_ms)
    if not rows:
        return []
    timestamps = np.concatenate([part.timestamps for part in rows])
    _check_rows(rows, timestamps, config, now_ms)
    _placed(next_offset, len(timestamps))
    append_time = now_ms if _is_log_append_time(config) else None
    by_record = append_time is None and not codec and config.writer_profile in RECORD_PROFILES
    if len(rows) == 1 and not codec and not by_record:
        plain = _plain_rows(rows[0], next_offset, leader_epoch, config, append_time, batch_bytes)
        if plain is not None:
            return plain
    sizes = np.concatenate([part.sizes() for part in rows])
    appends: list[Prepared] = []
    start = 0
    try:
        for batch in build_batches(
            table,
            base_offset=next_offset,
            max_batch_bytes=min(batch_bytes, config.max_message_bytes, config.segment_bytes),
            compression=CODEC_NAMES[codec],
            level=_level(codec, config),
            timestamp=now_ms,
            append_time=append_time,
            partition_leader_epoch=leader_epoch,
        ):
            end = start + batch.records_count
            where = f"the batch of records {start} to {end - 1}"
            _check_size(len(batch.raw), config, where)
            if batch.records_count == 1:
                _check_inflatable(max(len(batch.raw), int(sizes[start])), where)
            at = batch.last_offset
            if by_record:
                at = batch.base_offset + int(timestamps[start:end].argmax())
            described = AppendBatch(
                *(batch.base_offset, batch.last_offset, batch.max_timestamp, at, len(batch.raw)),
                *(leader_epoch, CURRENT_MAGIC, NO_PRODUCER_ID),
            )
            appends.append(Prepared(batch.raw, (described,), batch.records_count))
            start = end
    except BuildError as error:
        raise InvalidRecordError(str(error)) from error
    return appends


def _plain_rows(
    rows: RecordRows,
    next_offset: int,
    leader_epoch: int,
    config: LogConfig,
    append_time: int | None,
    batch_bytes: int,
) -> Plain | PlainPieces | None:
    """The rows as batches without compression; None if one is too large, or a kernel refuses a row."""
    fields = BatchFields(leader_epoch=leader_epoch, append_time=append_time)
    most_bytes = min(batch_bytes, config.max_message_bytes, config.segment_bytes)
    built = TableEncoder(next_offset, most_bytes, None, fields).in_place(rows)
    pieces = [_plain_of(place, leader_epoch) for place in built or ()]
    if not pieces or max(map(Plain.largest_bytes, pieces)) > min(config.max_message_bytes, DEFAULT_INFLATE_LIMIT):
        return None
    return pieces[0] if len(pieces) == 1 else PlainPieces(pieces)


def _plain_of(place: BatchesInPlace, leader_epoch: int) -> Plain:
    headers = place.headers
    firsts, largest = headers["base_offset"].astype(np.int64), headers["max_timestamp"].tolist()
    lasts, sizes = firsts + headers["last_offset_delta"], headers["batch_length"] + FRAME_BYTES
    columns = firsts.tolist(), lasts.tolist(), largest, lasts.tolist(), sizes.tolist()
    same = repeat(leader_epoch), repeat(CURRENT_MAGIC), repeat(NO_PRODUCER_ID)
    return Plain(place.data, list(map(AppendBatch, *columns, *same)))


def _check_rows(rows: list[RecordRows], timestamps: Any, config: LogConfig, now_ms: int) -> None:
    """Check as `_check_columns`, which is called only to raise the error."""
    extremes = int(timestamps.min()), int(timestamps.max())
    has_keys = not config.is_compacted or all(part.key is not None and part.key.lengths.min() >= 0 for part in rows)
    is_within = _is_log_append_time(config) or not any(
        _wrong_timestamp(0, timestamp, config, now_ms) for timestamp in extremes
    )
    if extremes[0] >= 0 and has_keys and is_within:
        return
    keys: list[bytes | None] = []
    for part in rows:
        lengths = [-1] * len(part) if part.key is None else part.key.lengths.tolist()
        keys += [None if length < 0 else b"" for length in lengths]
    _check_columns(Columns(timestamps.tolist(), keys, keys), config, now_ms)


def given_records(records: Any) -> Any:
    """The records to append, read completely: a list of records or a table. Raises as `listed` and `tables`."""
    return whole_table(records) if not isinstance(records, list) and is_table(records) else listed(records)


def listed(records: Any) -> list[Any]:
    """The records as a list; InvalidRecordError for a single record, or none at all. Raises as their iterator."""
    if isinstance(records, list):
        return records
    is_pair = isinstance(records, tuple) and len(records) == 2 and all(_is_bytes(item) for item in records)
    is_one = is_pair or isinstance(records, bytes | bytearray | memoryview | str | Mapping | Record)
    if is_one or not isinstance(records, Iterable):
        raise InvalidRecordError(f"an append takes a list of records, not {type(records).__name__}")
    return list(records)


def _is_bytes(item: Any) -> bool:
    return item is None or isinstance(item, bytes | bytearray | memoryview)


def _columns(records: Any, now_ms: int) -> Columns:
    """Timestamps, keys, values and headers of the caller's records."""
    items = listed(records)
    kinds = set(map(type, items))
    count = len(items)
    headers: Any
    if kinds == {bytes}:
        return Columns([now_ms] * count, [None] * count, items)
    if kinds == {tuple} and set(map(len, items)) == {2}:
        return Columns([now_ms] * count, [key for key, _ in items], [value for _, value in items])
    if kinds == {Record}:
        headers = [record.headers for record in items]
        return Columns(
            [record.timestamp for record in items],
            [record.key for record in items],
            [record.value for record in items],
            headers if any(headers) else None,
        )
    if kinds == {dict} and (columns := _columns_of_dicts(items, now_ms)) is not None:
        return columns
    rows = [_row(record, number, now_ms) for number, record in enumerate(items)]
    timestamps, keys, values, headers = ([row[index] for row in rows] for index in range(len(_FIELDS)))
    return Columns(timestamps, keys, values, headers if any(headers) else None)


def _columns_of_dicts(records: list[dict[str, Any]], now_ms: int) -> Columns | None:
    """The columns of records that are mappings; None if any has an unknown name."""
    names = set().union(*records)
    if not names.issubset(_FIELDS):
        return None
    timestamps: Any
    timestamps, keys, values, headers = (
        [record.get(name) for record in records] if name in names else [None] * len(records) for name in _FIELDS
    )
    if None in timestamps:
        timestamps = [now_ms if timestamp is None else timestamp for timestamp in timestamps]
    pairs: Any = [_headers(header, number) for number, header in enumerate(headers)] if "headers" in names else ()
    return Columns(timestamps, keys, values, pairs if any(pairs) else None)


def _row(record: Any, number: int, now_ms: int) -> tuple[Any, Any, Any, Any]:
    """Timestamp, key, value and headers of one of the caller's records."""
    if isinstance(record, Record):
        return record.timestamp, record.key, record.value, record.headers
    if isinstance(record, bytes | bytearray | memoryview):
        return now_ms, None, record, ()
    if isinstance(record, tuple) and len(record) == 2:
        return now_ms, *record, ()
    if isinstance(record, Mapping):
        unknown = [name for name in record if name not in _FIELDS]
        if unknown:
            raise InvalidRecordError(f"record {number} has {unknown[0]!r}; a record has {', '.join(_FIELDS)}")
        timestamp, key, value, headers = (record.get(name) for name in _FIELDS)
        return now_ms if timestamp is None else timestamp, key, value, _headers(headers, number)
    raise InvalidRecordError(
        f"record {number} is a {type(record).__name__}; bytes, (key, value), a mapping or a kformat.Record is needed"
    )


def _headers(headers: Any, number: int) -> Any:
    """The headers in a mapping: pairs, or None, or a mapping themselves, in which names are unique."""
    if headers is None:
        return ()
    if isinstance(headers, Mapping):
        return tuple(headers.items())
    if isinstance(headers, Iterable) and not isinstance(headers, _TEXTS):
        pairs = tuple(headers)
        if not any(isinstance(pair, _TEXTS) or (isinstance(pair, tuple | list) and len(pair) != 2) for pair in pairs):
            return pairs
        headers = pairs
    raise InvalidRecordError(f"record {number} has the headers {headers!r:.60}; pairs of a name and bytes are expected")


def _check_columns(columns: Columns, config: LogConfig, now_ms: int) -> None:
    """Check every record as a producer and a leader do."""
    are_numbers = set(map(type, columns.timestamps)) == {int}
    # If the extremes are within bounds, so are all others.
    extremes = {min(columns.timestamps), max(columns.timestamps)} if are_numbers else set()
    if not are_numbers or min(extremes) < NO_TIMESTAMP or max(extremes) > MAX_INT64:
        _check_timestamps(columns.timestamps)
    problems: list[InvalidRecordError] = []
    if not _is_log_append_time(config):
        if NO_TIMESTAMP in extremes or any(_wrong_timestamp(0, timestamp, config, now_ms) for timestamp in extremes):
            for number, timestamp in enumerate(columns.timestamps):
                problems += _wrong_timestamp(number, timestamp, config, now_ms)
    if config.is_compacted and None in columns.keys:
        problems += [_without_key(number) for number, key in enumerate(columns.keys) if key is None]
    _raise_first("", problems)


def _check_timestamps(timestamps: Sequence[Any]) -> None:
    for number, timestamp in enumerate(timestamps):
        if type(timestamp) is not int:
            raise InvalidRecordError(f"record {number} has the timestamp {timestamp!r:.60}; milliseconds are needed")
        if not NO_TIMESTAMP <= timestamp <= MAX_INT64:
            raise InvalidTimestampError(
                f"record {number} has the timestamp {timestamp}; -1 (none) to {MAX_INT64} are possible"
            )


# --- batches, as a leader takes them -------------------------------------------------------------------------------


def prepare_batches(
    data: Any, next_offset: int, leader_epoch: int, config: LogConfig, now_ms: int, validate: bool = True
) -> Sequence[Prepared]:
    """Validate ready-made batches of a producer as a leader does, and assign offsets and leader epoch.

    Each batch becomes a `Prepared` of its own, because an append to a leader has one. A partial batch at the end is
    left out, as in Kafka; if there is no complete batch at all, the list is empty.

    Args:
        data: any buffer of bytes; it is not changed.
        validate: False looks at the framing and assigns offset and epoch, nothing else.

    Raises:
        CorruptBatchError: bytes that are no batch of any magic; a wrong checksum; an unknown codec.
        RecordTooLargeError: a batch over `max_message_bytes`.
        InvalidRecordError: magic 0 or 1; a base offset that is not 0; counts that do not match the offsets; a control
            batch; a producer without sequence; records that cannot be read; no key where one is needed.
        InvalidTimestampError: a timestamp outside of what the configuration allows; a log_append_time batch.
    """
    view = byte_view(data)
    quickly = _prepared_plain(view, next_offset, leader_epoch, config, now_ms) if validate else None
    if quickly is not None:
        return quickly
    appends: list[Prepared] = []
    for number, (position, size, magic) in enumerate(_frames(view)):
        where = f"batch {number} at position {position}"
        if magic < CURRENT_MAGIC:
            raise InvalidRecordError(f"{where} has magic {magic}; a leader appends magic {CURRENT_MAGIC}")
        _least(size, HEADER_BYTES, where)
        raw = view[position : position + size]
        if validate:
            prepared = _Leader(raw, position, where, next_offset, leader_epoch, config, now_ms).prepare()
        else:
            copy = bytearray(raw)
            batch = Batch(bytes(copy[:HEADER_BYTES]))
            prepared = _assigned(copy, batch, batch.max_timestamp, where, next_offset, leader_epoch)
        appends.append(prepared)
        next_offset = prepared.batches[-1].last_offset + 1
    return appends


_pays: Final = PaysAfter(32 << 20)  # bytes of batches


def _prepared_plain(
    view: memoryview, next_offset: int, leader_epoch: int, config: LogConfig, now_ms: int
) -> Sequence[Prepared] | None:
    """Prepare batches that are valid and need changes of offset and epoch only, with a compiled kernel.

    None if any batch is different, or there is no kernel: then each is validated by itself.
    """
    if _is_log_append_time(config) or now_ms < 0 or config.compression_type not in _LEFT_PLAIN or not len(view):
        return None
    if not (0 <= next_offset <= MAX_INT64 and MIN_INT32 <= leader_epoch <= MAX_INT32 and _pays.does(len(view))):
        return None
    data = np.frombuffer(view, np.uint8)
    data.flags.writeable = False
    placed = _room(len(data))
    try:
        rows = placed_batches(
            data,
            placed,
            next_offset=next_offset,
            leader_epoch=leader_epoch,
            most_bytes=config.max_message_bytes,
            now_ms=now_ms,
            before_ms=config.message_timestamp_before_max_ms,
            after_ms=config.message_timestamp_after_max_ms,
            needs_keys=config.is_compacted,
            by_record=config.writer_profile in RECORD_PROFILES,
        )
    except MissingDependencyError:  # numba
        _pays.is_missing()
        return None
    if not rows:
        _keep(placed)
        return None
    plain = Plain(placed.data[: len(data)], list(map(AppendBatch._make, rows)))
    return list(plain) if any(batch.producer_id >= 0 for batch in plain.batches) else plain


_spare: Final[list[npt.NDArray[np.uint8]]] = []
"""Memory for the copies of the next append: at most one piece. Fresh pages take as much time as all of the checks."""
_MOST_SPARE_BYTES: Final = 4 << 20


def _room(size: int) -> npt.NDArray[np.uint8]:
    """Memory for ``size`` bytes, which belongs to the caller until `give_back`."""
    try:
        room = _spare.pop()
    except IndexError:
        room = np.empty(max(size, DEFAULT_BATCH_BYTES), np.uint8)
    return room if len(room) >= size else np.empty(size, np.uint8)


def give_back(prepared: Sequence[Prepared]) -> None:
    """Reuse the memory of written appends, whose bytes nobody reads any more."""
    if isinstance(prepared, Plain):
        room = prepared.data.obj
        prepared.data.release()
        assert isinstance(room, np.ndarray)
        _keep(room)


def _keep(room: npt.NDArray[np.uint8]) -> None:
    if len(room) <= _MOST_SPARE_BYTES and not _spare:
        _spare.append(room)


def _assigned(
    data: bytearray,
    batch: Batch,
    largest: int,
    where: str,
    next_offset: int,
    leader_epoch: int,
    at: int | None = None,
) -> Prepared:
    """Write offset and leader epoch into a batch, whose original header is ``batch``; ``at``: the offset of the record
    with the largest timestamp."""
    if batch.last_offset_delta < 0:
        raise InvalidRecordError(f"{where} has last_offset_delta {batch.last_offset_delta}; >= 0 is expected")
    last = _placed(next_offset, batch.last_offset_delta + 1) + batch.last_offset_delta
    _SET_BASE_OFFSET(data, 0, next_offset)
    _SET_LEADER_EPOCH(data, 0, leader_epoch)
    described = AppendBatch(
        next_offset,
        last,
        largest,
        last if at is None else at,
        len(data),
        leader_epoch,
        CURRENT_MAGIC,
        batch.producer_id,
    )
    return Prepared(data, (described,), batch.records_count)


class _Leader:
    """Validates one batch and prepares it for a leader's log."""

    def __init__(
        self,
        raw: memoryview,
        position: int,
        where: str,
        next_offset: int,
        leader_epoch: int,
        config: LogConfig,
        now_ms: int,
    ) -> None:
        data: Any = bytearray(raw)  # the one copy; nothing is changed in it before all of it has been validated
        self.data, self.batch = data, Batch(data, position, "<append>")
        self.codec = self.batch.compression
        self.is_stamped = self.batch.timestamp_type == _LOG_APPEND_TIME
        self.where, self.next_offset, self.leader_epoch = where, next_offset, leader_epoch
        self.config, self.now_ms = config, now_ms
        self.log_append_time = _is_log_append_time(config)

    def refuse(self, why: str) -> NoReturn:
        raise InvalidRecordError(f"{self.where}: {why}")

    def prepare(self) -> Prepared:
        self.check_batch()
        batch, config = self.batch, self.config
        timestamps, deltas, key_lengths = self.columns()
        self.check_records(timestamps, key_lengths)
        target = self.codec if config.compression_type == "producer" else _codec(config)
        if target != self.codec:
            return self.encoded(target, timestamps)
        if self.codec and deltas != list(range(len(deltas))):
            # Kafka intends to rewrite such a batch, and fails at it; uncompressed ones it stores unchanged.
            self.refuse(f"the offsets of compressed records count from 0, found {_few(deltas)}")
        largest = self.now_ms if self.log_append_time else max(NO_TIMESTAMP, max(timestamps))
        at = None
        if not (self.log_append_time or self.codec) and config.writer_profile in RECORD_PROFILES:
            at = self.next_offset + (timestamps.index(largest) if largest in timestamps else len(timestamps) - 1)
        if largest != batch.max_timestamp or self.log_append_time != self.is_stamped:
            kind = _LOG_APPEND_TIME if self.log_append_time else _CREATE_TIME
            bits = batch.attributes & _KNOWN_BITS & ~(_TYPE_MASK << _TYPE_BIT.shift) | kind << _TYPE_BIT.shift
            _SET_ATTRIBUTES(self.data, 0, bits)
            _SET_MAX_TIMESTAMP(self.data, 0, largest)
            _LAYOUT.mend(self.data)
        return _assigned(self.data, batch, largest, self.where, self.next_offset, self.leader_epoch, at)

    def check_batch(self) -> None:
        """Check in Kafka's order: first the rules without the lock (UnifiedLog), then the validator's for a batch."""
        batch = self.batch
        if batch.base_offset != 0:
            self.refuse(f"the base offset of a batch that is appended is 0, found {batch.base_offset}")
        _check_size(batch.size, self.config, self.where)
        _check_crc(batch, self.where)
        _check_codec(batch, self.where)
        count = batch.records_count
        if batch.last_offset < 0:
            self.refuse(f"it covers no offset: last_offset_delta is {batch.last_offset_delta}")
        if count <= 0:
            self.refuse(f"records_count is {count}; an appended batch must have records")
        if batch.last_offset + 1 != count:
            self.refuse(f"it covers {batch.last_offset + 1} offsets but has {count} records")
        if batch.is_control:
            self.refuse("only a broker writes control records")
        if batch.producer_id > -1 and batch.base_sequence < 0:
            self.refuse(f"producer {batch.producer_id} without a sequence number, found {batch.base_sequence}")

    def columns(self) -> tuple[list[int], list[int], list[int]]:
        """The timestamp, the offset delta and the length of the key of every record; a length below 0 means no key.

        The records are scanned without making objects of them; if that fails, the codec reports why.
        """
        batch = self.batch
        try:
            if self.codec:
                inflated = decompress(self.codec, memoryview(self.data)[HEADER_BYTES:])
                deltas, offsets, key_lengths = _PASS_OVER(inflated, 0, batch.records_count)
            else:
                deltas, offsets, key_lengths = _PASS_OVER(self.data, HEADER_BYTES, batch.records_count)
        except (Unfit, CompressionError, LimitError):
            try:
                values: list[Any] = list(batch.values())
            except DataError as error:
                raise InvalidRecordError(f"{self.where}: {error}") from error
            deltas = [item.timestamp_delta for item in values]
            offsets = [item.offset_delta for item in values]
            key_lengths = [item.key_length for item in values]
        if self.is_stamped:
            return [batch.max_timestamp] * len(deltas), offsets, key_lengths
        base = batch.base_timestamp
        timestamps = [base + delta for delta in deltas]
        if max(timestamps) > MAX_INT64 or min(timestamps) < MIN_INT64:
            timestamps = [wrapped_int64(timestamp) for timestamp in timestamps]
        return timestamps, offsets, key_lengths

    def check_records(self, timestamps: list[int], key_lengths: list[int]) -> None:
        """Check Kafka's rules for a record: key before timestamp; a batch is refused with all its problems."""
        compacted = self.config.is_compacted
        if not self.is_stamped and not (compacted and min(key_lengths) < 0) and self.are_within(timestamps):
            return
        problems: list[InvalidRecordError] = []
        for number, (timestamp, key_length) in enumerate(zip(timestamps, key_lengths, strict=True)):
            if compacted and key_length < 0:
                problems.append(_without_key(number))
            elif not self.log_append_time and timestamp != NO_TIMESTAMP:
                problems += _wrong_timestamp(number, timestamp, self.config, self.now_ms)
            elif self.is_stamped:
                problems.append(InvalidTimestampError(f"record {number}: only a broker sets log_append_time"))
        _raise_first(f"{self.where}: ", problems)

    def are_within(self, timestamps: list[int]) -> bool:
        """Whether all timestamps are within bounds because the extremes are; False does not imply the opposite.

        Below 0 the arithmetic may wrap, so values between two extremes may differ from both.
        """
        if self.log_append_time:
            return True
        extremes = (min(timestamps), max(timestamps))
        return extremes[0] >= 0 and not any(
            _wrong_timestamp(0, timestamp, self.config, self.now_ms) for timestamp in extremes
        )

    def encoded(self, target: int, timestamps: list[int]) -> Prepared:
        """Write the records to a new batch (MemoryRecordsBuilder)."""
        batch, config = self.batch, self.config
        if min(timestamps) < NO_TIMESTAMP:
            raise InvalidTimestampError(
                f"{self.where}: a record has the timestamp {min(timestamps)}, which cannot be written again"
            )
        try:
            records: list[Any] = list(batch.values())
        except DataError as error:
            raise InvalidRecordError(f"{self.where}: {error}") from error
        append_time = self.now_ms if self.log_append_time else None
        data = build_batch(
            Columns(
                timestamps,
                [item.key for item in records],
                [item.value for item in records],
                [[(header.key, header.value) for header in item.headers] for item in records],
            ),
            base_offset=_placed(self.next_offset, len(records)),
            fields=BatchFields(
                leader_epoch=self.leader_epoch,
                compression=CODEC_NAMES[target],
                level=_level(target, config),
                append_time=append_time,
                producer_id=batch.producer_id,
                producer_epoch=batch.producer_epoch,
                base_sequence=batch.base_sequence,
                is_transactional=batch.is_transactional,
            ),
        )
        _check_size(len(data), config, f"{self.where}, compressed as {CODEC_NAMES[target]},")
        last = self.next_offset + len(records) - 1
        largest = max(timestamps) if append_time is None else append_time
        described = AppendBatch(
            self.next_offset, last, largest, last, len(data), self.leader_epoch, CURRENT_MAGIC, batch.producer_id
        )
        return Prepared(data, (described,), len(records))


# --- batches, as a follower takes them -----------------------------------------------------------------------------


def analyze_batches(data: Any, config: LogConfig) -> Prepared:
    """Validate batches that keep their offsets and epochs, as a follower does; all of them are one append.

    A partial batch at the end is left out; `Prepared.data` may be empty. Entries of magic 0 and 1 are accepted, too.
    The size of a batch is not checked: its leader has done so.

    Raises:
        CorruptBatchError: bytes that are no batch of any magic; a wrong checksum; an unknown codec.
        OffsetOrderError: a batch whose offsets are not all above those of the batch before; one that ends before it
            begins, or at 2^63-1, which leaves no offset for the log's end.
    """
    view = byte_view(data)
    batches: list[AppendBatch] = []
    records_count = end = 0
    for number, (position, size, magic) in enumerate(_frames(view)):
        where = f"batch {number} at position {position}"
        current = magic >= CURRENT_MAGIC
        _least(size, HEADER_BYTES if current else LEGACY_MINIMUM_BYTES, where)
        raw = bytes(view[position : position + size])
        batch: Batch | LegacyBatch = Batch(raw, position) if current else LegacyBatch(raw, position)
        _check_crc(batch, where)
        _check_codec(batch, where)
        last = batch.last_offset
        first = batch.base_offset if current else last
        if batches and last <= batches[-1].last_offset:
            raise OffsetOrderError(f"{where} ends with offset {last}; one above {batches[-1].last_offset} is expected")
        if not first <= last < MAX_INT64:
            raise OffsetOrderError(f"{where} has offsets from {first} to {last}: it ends before it begins, or too high")
        if batches and first <= batches[-1].last_offset:
            raise OffsetOrderError(
                f"{where} begins with offset {first}; one above {batches[-1].last_offset} is expected"
            )
        batches.append(
            AppendBatch(
                first, last, batch.max_timestamp, last, size, batch.partition_leader_epoch, magic, batch.producer_id
            )
        )
        records_count += batch.records_count if isinstance(batch, Batch) else 1
        end = position + size
    return Prepared(bytes(view[:end]), tuple(batches), records_count)


# --- producers -----------------------------------------------------------------------------------------------------


def numbered(
    prepared: Sequence[Prepared],
    producer_id: int,
    producer_epoch: int,
    sequence: int,
    *,
    is_transactional: bool = False,
) -> list[Prepared]:
    """Stamp appends of one batch each with a producer and its sequence numbers, from ``sequence`` on."""
    appends = []
    for append in prepared:
        data: Any = bytearray(append.data)
        _SET_PRODUCER_ID(data, 0, producer_id)
        _SET_PRODUCER_EPOCH(data, 0, producer_epoch)
        _SET_BASE_SEQUENCE(data, 0, sequence)
        if is_transactional:
            _SET_ATTRIBUTES(data, 0, _ATTRIBUTES(data, 0) | 1 << _BITS["is_transactional"].shift)
        _LAYOUT.mend(data)
        (batch,) = append.batches
        appends.append(Prepared(data, (batch._replace(producer_id=producer_id),), append.records_count))
        sequence = add_sequence(sequence, batch.last_offset - batch.base_offset + 1)
    return appends


def accepted(
    prepared: Sequence[Prepared], state: ProducerState, origin: Origin
) -> tuple[Sequence[Prepared], int | None]:
    """Drop appends that repeat an earlier one; returns the rest, and the offset of the first batch of all.

    If the first is a repetition, that is the offset of the earlier one; None if there is no batch. Appends after a
    dropped one get lower offsets. The state is not changed.

    Raises what `ProducerState.append` raises.
    """
    if not prepared:
        return prepared, None
    first = described(prepared)[0].base_offset
    if isinstance(prepared, Plain) or not any(
        batch.producer_id >= 0 for append in prepared for batch in append.batches
    ):
        return prepared, first
    scratch = state.scratch({batch.producer_id for append in prepared for batch in append.batches})
    kept: list[Prepared] = []
    left_out = 0
    for number, original in enumerate(prepared):
        append = original.moved(-left_out) if left_out else original
        repeated = None
        if origin == "client":
            repeated = next(filter(None, map(scratch.duplicate_of, append.producers)), None)
        if repeated is None:
            scratch.append(append.producers, origin)
            kept.append(append)
        else:
            left_out += append.batches[-1].last_offset + 1 - append.batches[0].base_offset
        if number == 0:
            first = append.batches[0].base_offset if repeated is None else repeated.first_offset
    return kept, first


# --- shared --------------------------------------------------------------------------------------------------------


def _frames(view: memoryview) -> Iterator[tuple[int, int, int]]:
    """(position, size, magic) of the whole batches in a buffer, by the rules of Kafka's ByteBufferLogInputStream."""
    position, end = 0, len(view)
    while end - position >= FRAME_BYTES:
        length = _BATCH_LENGTH(view, position)
        if length < MINIMUM_LENGTH:
            raise CorruptBatchError(
                f"no batch begins at position {position}: its length is {length}, expected >= {MINIMUM_LENGTH}"
            )
        if end - position < PEEK_BYTES:
            return
        magic = _MAGIC(view, position)
        if not 0 <= magic <= CURRENT_MAGIC:
            raise CorruptBatchError(
                f"no batch begins at position {position}: its magic is {magic}, expected 0 to {CURRENT_MAGIC}"
            )
        if end - position < FRAME_BYTES + length:
            return
        yield position, FRAME_BYTES + length, magic
        position += FRAME_BYTES + length


def _least(size: int, least: int, where: str) -> None:
    if size < least:
        raise CorruptBatchError(f"{where} has {size} bytes; at least {least} are expected")


def _check_crc(batch: Batch | LegacyBatch, where: str) -> None:
    if not batch.is_valid:
        raise CorruptBatchError(
            f"{where} has a wrong checksum: stored {batch.crc:08x}, computed {batch.computed_crc:08x}"
        )


def _check_codec(batch: Batch | LegacyBatch, where: str) -> None:
    if batch.compression >= len(CODEC_NAMES):
        raise CorruptBatchError(f"{where} has codec {batch.compression}; 0 to {len(CODEC_NAMES) - 1} are expected")


def _check_size(size: int, config: LogConfig, where: str) -> None:
    if size > config.max_message_bytes:
        raise RecordTooLargeError(f"{where} has {size} bytes; max.message.bytes is {config.max_message_bytes}")


def _check_readable(size: int, columns: Columns, number: int, where: str) -> None:
    """Refuse a batch over a reader's decompression limit: no reader could get past it. Only one record is so large."""
    values = [columns.keys[number], columns.values[number]]
    if columns.headers is not None:
        values += [header[1] for header in columns.headers[number] if isinstance(header, tuple | list)]
    _check_inflatable(max(size, sum(len(value) for value in values if value is not None)), where)


def _check_inflatable(size: int, where: str) -> None:
    if size > DEFAULT_INFLATE_LIMIT:
        raise RecordTooLargeError(
            f"{where} has {size} bytes, not compressed; readers take {DEFAULT_INFLATE_LIMIT} at most"
        )


def _placed(next_offset: int, count: int) -> int:
    """The offset, checked that ``count`` offsets fit from it on."""
    if not 0 <= next_offset <= MAX_INT64 - count:
        raise OffsetOrderError(f"{count} offsets from {next_offset} on do not fit")
    return next_offset


def _wrong_timestamp(number: int, timestamp: int, config: LogConfig, now_ms: int) -> list[InvalidRecordError]:
    """Compare a timestamp as Kafka does, in Java's arithmetic: a list with the error if it is out of range."""
    if timestamp == NO_TIMESTAMP:
        return []
    before, after = config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms
    if -after <= now_ms - timestamp <= before:  # nothing wraps
        return []
    difference = wrapped_int64(now_ms - timestamp)
    if difference <= before and wrapped_int64(-difference) <= after:
        return []
    return [
        InvalidTimestampError(
            f"record {number} has the timestamp {timestamp}, at {now_ms} expected within {before} ms before it "
            f"(message.timestamp.before.max.ms) and {after} ms after it (message.timestamp.after.max.ms)"
        )
    ]


def _without_key(number: int) -> InvalidRecordError:
    return InvalidRecordError(f"record {number} has no key, which cleanup.policy=compact needs")


def _few(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")


def _raise_first(where: str, problems: list[InvalidRecordError]) -> None:
    """Raise if there are problems: InvalidTimestampError if any is one, else InvalidRecordError; with the first few."""
    if problems:
        kind = (
            InvalidTimestampError
            if any(isinstance(problem, InvalidTimestampError) for problem in problems)
            else InvalidRecordError
        )
        shown = "; ".join(str(problem) for problem in problems[:_SHOWN])
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise kind(f"{where}{shown}{more}")


def _is_log_append_time(config: LogConfig) -> bool:
    return config.message_timestamp_type == "LogAppendTime"


def _codec(choice: LogConfig | str) -> int:
    """The number of a codec by name, or of the one that a configuration asks for (none for ``producer``)."""
    name = choice
    if isinstance(choice, LogConfig):
        name = {"producer": "none"}.get(choice.compression_type, choice.compression_type)
    name = "none" if name == "uncompressed" else name
    if not isinstance(name, str) or name not in CODEC_NAMES:
        raise UsageError(f"no codec {name!r}; there are {', '.join(CODEC_NAMES)}")
    return CODEC_NAMES.index(name)


def _level(codec: int, config: LogConfig) -> int | None:
    return {
        "gzip": config.compression_gzip_level,
        "lz4": config.compression_lz4_level,
        "zstd": config.compression_zstd_level,
    }.get(CODEC_NAMES[codec])
