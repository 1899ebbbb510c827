"""What a leader does to batches before they are stored (Kafka's UnifiedLog.append and LogValidator), and what a
follower does (nothing, but look): bytes in, bytes out, no files.

Rules:

* Bytes that are given are never changed: one copy is made. Nothing is returned before all of it was looked at.
* What only `base_offset` and `partition_leader_epoch` change in keeps its checksum, which does not cover these.
* Comparisons are Kafka's, wrapping arithmetic of its longs included.
* Stricter than Kafka in two things: the records of a compressed batch must fill the length that they declare, which
  Kafka's leader does not look at, and its consumers trip over. And a follower's batches do not reach into each other:
  Kafka looks at their last offsets alone, but recovery would take such a log for damaged, and cut it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NoReturn, overload

import numpy as np
import numpy.typing as npt

from kformat.codec.row_functions import RefusedError, row_reader
from kformat.errors import BuildError, CompressionError, DataError, LimitError, MissingDependencyError, UsageError
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64, wrapped_int64
from kformat.kafka.batch.compression import CODEC_NAMES, decompress
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, PEEK_BYTES
from kformat.kafka.batch.legacy import MINIMUM_BYTES as LEGACY_MINIMUM_BYTES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch, Record, TimestampType, add_sequence
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch, divided
from kformat.kafka.columns.batch_builder import LEAST_ROWS, BuiltBatch, build_batches, built_batches
from kformat.kafka.columns.tables import RecordRows, is_table, record_batches, rows_of, whole_table
from kformat.kafka.producers.producer_state import Markers, Origin, ProducerBatch, ProducerState, batch_of
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat.storage.checksum import byte_view
from kformat.storage.compression import DEFAULT_INFLATE_LIMIT
from kformat_engine.config import LogConfig
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
"""As the producer's `batch.size`."""

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
_RECORD_PROFILES: Final = ("first-offset", "last-offset")
_PASS_OVER: Final = row_reader("record_batch::record", ("timestamp_delta", "offset_delta", "key_length"))
_LEFT_PLAIN: Final = ("producer", "uncompressed")
"""Values of `compression_type` by which a batch that is not compressed stays as it is."""
_SHOWN: Final = 3
_MARKERS: Final = Markers()
_FIELDS: Final = ("timestamp", "key", "value", "headers")
_TEXTS: Final = (str, bytes, bytearray, memoryview)


@dataclass(frozen=True)
class Prepared:
    """Bytes that are ready to be written as one append, the batches in them, and how many records these say they have
    (an entry of magic 0 or 1, which may be a wrapper of several, counts as one)."""

    data: bytes | bytearray | memoryview
    batches: tuple[AppendBatch, ...]
    records_count: int

    @cached_property
    def producers(self) -> tuple[ProducerBatch, ...]:
        """What the state of producers has to know of it; empty where no batch has a producer id."""
        found = []
        position = 0
        for batch in self.batches:
            if batch.producer_id >= 0:
                raw = bytes(byte_view(self.data)[position : position + batch.size])
                one = batch_of(Batch(raw), markers=_MARKERS)
                if one is not None:
                    found.append(one)
            position += batch.size
        return tuple(found)

    def moved(self, offset_delta: int) -> Prepared:
        """The same batches at offsets that are ``offset_delta`` later; the checksums do not cover these."""
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
    """Batches in one piece of memory, of which each is an append of its own; a slice of them shares it.

    ``data`` is theirs, ``batches`` describe them, and none has a producer. So it can also be taken for one append.
    """

    __slots__ = ("batches", "data")

    def __init__(self, data: memoryview, batches: Sequence[AppendBatch]) -> None:
        self.data, self.batches = data, batches

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
        before = sum(batch.size for batch in batches[:start])
        size = sum(batch.size for batch in batches[start:stop])
        return Plain(self.data[before : before + size], batches[start:stop])

    def fit(self, segment_bytes: int) -> bool:
        """Whether each fits a segment."""
        return max(batch.size for batch in self.batches) <= segment_bytes

    def whole(self) -> Prepared:
        """All as one append."""
        count = self.batches[-1].last_offset + 1 - self.batches[0].base_offset  # a leader leaves no gaps
        return Prepared(self.data, tuple(self.batches), count)


def together(prepared: Sequence[Prepared]) -> Prepared:
    """Several appends as one."""
    if isinstance(prepared, Plain):
        return prepared.whole()
    return Prepared(
        b"".join(one.data for one in prepared),
        tuple(batch for one in prepared for batch in one.batches),
        sum(one.records_count for one in prepared),
    )


def described(prepared: Sequence[Prepared]) -> Sequence[AppendBatch]:
    """The batches of several appends."""
    return prepared.batches if isinstance(prepared, Plain) else [batch for one in prepared for batch in one.batches]


# --- records -------------------------------------------------------------------------------------------------------


def prepare_records(
    records: Iterable[Any],
    next_offset: int,
    leader_epoch: int,
    config: LogConfig,
    now_ms: int,
    compression: str | None = None,
    batch_bytes: int = DEFAULT_BATCH_BYTES,
) -> list[Prepared]:
    """Make batches of plain records, as a producer and then a leader would; each `Prepared` has one.

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
    made: list[Prepared] = []
    start = 0
    by_record = append_time is None and not codec and config.writer_profile in _RECORD_PROFILES
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
        made.append(Prepared(data, (described,), count))
        start += count
    return made


def _prepared_table(
    table: Any, next_offset: int, leader_epoch: int, config: LogConfig, now_ms: int, codec: int, batch_bytes: int
) -> list[Prepared]:
    """The same of the rows of a table."""
    table = whole_table(table)
    rows = [rows_of(batch, now_ms) for batch in record_batches(table) if batch.num_rows]
    if not rows:
        return []
    timestamps, sizes = (
        np.concatenate(columns) for columns in zip(*((one.timestamps, one.sizes()) for one in rows), strict=True)
    )
    _check_rows(rows, timestamps, config, now_ms)
    _placed(next_offset, len(timestamps))
    append_time = now_ms if _is_log_append_time(config) else None
    made: list[Prepared] = []
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
            if append_time is None and not codec and config.writer_profile in _RECORD_PROFILES:
                at = batch.base_offset + int(timestamps[start:end].argmax())
            described = AppendBatch(
                *(batch.base_offset, batch.last_offset, batch.max_timestamp, at, len(batch.raw)),
                *(leader_epoch, CURRENT_MAGIC, NO_PRODUCER_ID),
            )
            made.append(Prepared(batch.raw, (described,), batch.records_count))
            start = end
    except BuildError as error:
        raise InvalidRecordError(str(error)) from error
    return made


def _check_rows(rows: list[RecordRows], timestamps: Any, config: LogConfig, now_ms: int) -> None:
    """As `_check_columns`, which says what is wrong."""
    extremes = int(timestamps.min()), int(timestamps.max())
    has_keys = not config.is_compacted or all(one.key is not None and one.key.lengths.min() >= 0 for one in rows)
    is_within = _is_log_append_time(config) or not any(_wrong_timestamp(0, it, config, now_ms) for it in extremes)
    if extremes[0] >= 0 and has_keys and is_within:
        return
    keys: list[bytes | None] = []
    for one in rows:
        lengths = [-1] * len(one) if one.key is None else one.key.lengths.tolist()
        keys += [None if length < 0 else b"" for length in lengths]
    _check_columns(Columns(timestamps.tolist(), keys, keys), config, now_ms)


def given_records(records: Any) -> Any:
    """What was given to be appended, all of it made: a list of records or a table. Raises as `listed` and `tables`."""
    return whole_table(records) if not isinstance(records, list) and is_table(records) else listed(records)


def listed(records: Any) -> list[Any]:
    """Records in a list, all of them made; InvalidRecordError for what is one record, or none. Raises what they do."""
    if isinstance(records, bytes | bytearray | memoryview | str | Mapping | Record) or not isinstance(
        records, Iterable
    ):
        raise InvalidRecordError(f"an append takes a list of records, not {type(records).__name__}")
    return records if isinstance(records, list) else list(records)


def _columns(records: Any, now_ms: int) -> Columns:
    """Timestamps, keys, values and headers of what was given for records."""
    given = listed(records)
    kinds = set(map(type, given))
    count = len(given)
    headers: Any
    if kinds == {bytes}:
        return Columns([now_ms] * count, [None] * count, given)
    if kinds == {tuple} and set(map(len, given)) == {2}:
        return Columns([now_ms] * count, [key for key, _ in given], [value for _, value in given])
    if kinds == {Record}:
        headers = [one.headers for one in given]
        return Columns(
            [one.timestamp for one in given],
            [one.key for one in given],
            [one.value for one in given],
            headers if any(headers) else None,
        )
    if kinds == {dict} and (columns := _columns_of_dicts(given, now_ms)) is not None:
        return columns
    rows = [_row(one, number, now_ms) for number, one in enumerate(given)]
    timestamps, keys, values, headers = ([row[index] for row in rows] for index in range(len(_FIELDS)))
    return Columns(timestamps, keys, values, headers if any(headers) else None)


def _columns_of_dicts(given: list[dict[str, Any]], now_ms: int) -> Columns | None:
    """The same of mappings that have nothing else; None where one has."""
    names = set().union(*given)
    if not names.issubset(_FIELDS):
        return None
    timestamps: Any
    timestamps, keys, values, headers = (
        [one.get(name) for one in given] if name in names else [None] * len(given) for name in _FIELDS
    )
    if None in timestamps:
        timestamps = [now_ms if timestamp is None else timestamp for timestamp in timestamps]
    pairs: Any = [_headers(one, number) for number, one in enumerate(headers)] if "headers" in names else ()
    return Columns(timestamps, keys, values, pairs if any(pairs) else None)


def _row(given: Any, number: int, now_ms: int) -> tuple[Any, Any, Any, Any]:
    """Timestamp, key, value and headers of what was given for a record."""
    if isinstance(given, Record):
        return given.timestamp, given.key, given.value, given.headers
    if isinstance(given, bytes | bytearray | memoryview):
        return now_ms, None, given, ()
    if isinstance(given, tuple) and len(given) == 2:
        return now_ms, *given, ()
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in _FIELDS]
        if unknown:
            raise InvalidRecordError(f"record {number} has {unknown[0]!r}; a record has {', '.join(_FIELDS)}")
        timestamp, key, value, headers = (given.get(name) for name in _FIELDS)
        return now_ms if timestamp is None else timestamp, key, value, _headers(headers, number)
    raise InvalidRecordError(
        f"record {number} is a {type(given).__name__}; bytes, (key, value), a mapping or a kformat.Record is needed"
    )


def _headers(given: Any, number: int) -> Any:
    """The headers in a mapping: pairs, or None, or a mapping themselves, where each name is there once."""
    if given is None:
        return ()
    if isinstance(given, Mapping):
        return tuple(given.items())
    if isinstance(given, Iterable) and not isinstance(given, _TEXTS):
        found = tuple(given)
        if not any(isinstance(one, _TEXTS) or (isinstance(one, tuple | list) and len(one) != 2) for one in found):
            return found
        given = found
    raise InvalidRecordError(f"record {number} has the headers {given!r:.60}; pairs of a name and bytes are expected")


def _check_columns(columns: Columns, config: LogConfig, now_ms: int) -> None:
    """What a producer and a leader look at in every record."""
    are_numbers = set(map(type, columns.timestamps)) == {int}
    # Where the extremes are within bounds, so is what lies between.
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
    """Take ready-made batches of a producer: look at them as a leader does, and give them offsets and leader epoch.

    Each batch becomes a `Prepared` of its own, because an append to a leader has one. Bytes at the end that are no
    whole batch are left out, as Kafka does; where there is no whole batch at all, the list is empty.

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
    made: list[Prepared] = []
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
        made.append(prepared)
        next_offset = prepared.batches[-1].last_offset + 1
    return made


_pays: Final = PaysAfter(32 << 20)  # bytes of batches


def _prepared_plain(
    view: memoryview, next_offset: int, leader_epoch: int, config: LogConfig, now_ms: int
) -> Sequence[Prepared] | None:
    """Batches in which nothing is wrong or has to be changed but offset and epoch, looked at by a kernel.

    None where any is another one, or there is no kernel: then each is looked at by itself.
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
            by_record=config.writer_profile in _RECORD_PROFILES,
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
"""Memory for the copies of the next append: at most one piece. Fresh pages cost as much as all of the checks."""
_MOST_SPARE_BYTES: Final = 4 << 20


def _room(size: int) -> npt.NDArray[np.uint8]:
    """Memory for so many bytes, which belongs to the caller until `give_back`."""
    try:
        room = _spare.pop()
    except IndexError:
        room = np.empty(max(size, DEFAULT_BATCH_BYTES), np.uint8)
    return room if len(room) >= size else np.empty(size, np.uint8)


def give_back(prepared: Sequence[Prepared]) -> None:
    """Say that appends were written, and that nobody will look at their bytes any more."""
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
    """Offset and leader epoch put into a batch, whose header is given as it came; ``at``: the offset of the record
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
    """One batch on its way into a leader's log."""

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
        data: Any = bytearray(raw)  # the one copy; nothing is changed in it before all of it has been looked at
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
            # Kafka means to write such a batch again, and fails over it; plain ones it stores as they are.
            self.refuse(f"the offsets of compressed records count from 0, found {_few(deltas)}")
        largest = self.now_ms if self.log_append_time else max(NO_TIMESTAMP, max(timestamps))
        at = None
        if not (self.log_append_time or self.codec) and config.writer_profile in _RECORD_PROFILES:
            at = self.next_offset + (timestamps.index(largest) if largest in timestamps else len(timestamps) - 1)
        if largest != batch.max_timestamp or self.log_append_time != self.is_stamped:
            kind = _LOG_APPEND_TIME if self.log_append_time else _CREATE_TIME
            bits = batch.attributes & _KNOWN_BITS & ~(_TYPE_MASK << _TYPE_BIT.shift) | kind << _TYPE_BIT.shift
            _SET_ATTRIBUTES(self.data, 0, bits)
            _SET_MAX_TIMESTAMP(self.data, 0, largest)
            _LAYOUT.mend(self.data)
        return _assigned(self.data, batch, largest, self.where, self.next_offset, self.leader_epoch, at)

    def check_batch(self) -> None:
        """In Kafka's order: what is done without the lock (UnifiedLog), then the validator's rules for a batch."""
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
        """Of every record the timestamp, the offset delta, and the length of the key, below 0 for none.

        The records are passed over without making objects of them; where that does not go well, the codec says why.
        """
        batch = self.batch
        try:
            if self.codec:
                inflated = decompress(self.codec, memoryview(self.data)[HEADER_BYTES:])
                deltas, offsets, key_lengths = _PASS_OVER(inflated, 0, batch.records_count)
            else:
                deltas, offsets, key_lengths = _PASS_OVER(self.data, HEADER_BYTES, batch.records_count)
        except (RefusedError, CompressionError, LimitError):
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
        """Kafka's rules for a record: key before timestamp, and of a batch all that is wrong before it is refused."""
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
        """Whether all timestamps are within bounds because the extremes are; False says nothing.

        Below 0 the arithmetic may wrap, so that what lies between two of them need not be alike.
        """
        if self.log_append_time:
            return True
        extremes = (min(timestamps), max(timestamps))
        return extremes[0] >= 0 and not any(_wrong_timestamp(0, it, self.config, self.now_ms) for it in extremes)

    def encoded(self, target: int, timestamps: list[int]) -> Prepared:
        """The records in a new batch (MemoryRecordsBuilder)."""
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
    """Take batches with the offsets and epochs that they have, as a follower does; all of them are one append.

    Bytes at the end that are no whole batch are left out; `Prepared.data` may be empty. Entries of magic 0 and 1 are
    taken, too. The size of a batch is not looked at: its leader has done so.

    Raises:
        CorruptBatchError: bytes that are no batch of any magic; a wrong checksum; an unknown codec.
        OffsetOrderError: a batch whose offsets are not all above those of the batch before; one that ends before it
            begins, or at 2^63-1, which leaves no offset for the log's end.
    """
    view = byte_view(data)
    found: list[AppendBatch] = []
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
        if found and last <= found[-1].last_offset:
            raise OffsetOrderError(f"{where} ends with offset {last}; one above {found[-1].last_offset} is expected")
        if not first <= last < MAX_INT64:
            raise OffsetOrderError(f"{where} has offsets from {first} to {last}: it ends before it begins, or too high")
        if found and first <= found[-1].last_offset:
            raise OffsetOrderError(f"{where} begins with offset {first}; one above {found[-1].last_offset} is expected")
        found.append(
            AppendBatch(
                first, last, batch.max_timestamp, last, size, batch.partition_leader_epoch, magic, batch.producer_id
            )
        )
        records_count += batch.records_count if isinstance(batch, Batch) else 1
        end = position + size
    return Prepared(bytes(view[:end]), tuple(found), records_count)


# --- producers -----------------------------------------------------------------------------------------------------


def numbered(
    prepared: Sequence[Prepared],
    producer_id: int,
    producer_epoch: int,
    sequence: int,
    *,
    is_transactional: bool = False,
) -> list[Prepared]:
    """Appends of one batch each as those of a producer, whose first record has that sequence number."""
    made = []
    for one in prepared:
        data: Any = bytearray(one.data)
        _SET_PRODUCER_ID(data, 0, producer_id)
        _SET_PRODUCER_EPOCH(data, 0, producer_epoch)
        _SET_BASE_SEQUENCE(data, 0, sequence)
        if is_transactional:
            _SET_ATTRIBUTES(data, 0, _ATTRIBUTES(data, 0) | 1 << _BITS["is_transactional"].shift)
        _LAYOUT.mend(data)
        (batch,) = one.batches
        made.append(Prepared(data, (batch._replace(producer_id=producer_id),), one.records_count))
        sequence = add_sequence(sequence, batch.last_offset - batch.base_offset + 1)
    return made


def accepted(
    prepared: Sequence[Prepared], state: ProducerState, origin: Origin
) -> tuple[Sequence[Prepared], int | None]:
    """Appends without those that repeat an earlier one, and the offset of the first batch of all.

    That is where the earlier one was stored, where the first is repeated; None where there is no batch. What comes
    after an append that is left out moves down. The state is not changed.

    Raises what `ProducerState.append` raises.
    """
    if not prepared:
        return prepared, None
    first = described(prepared)[0].base_offset
    if isinstance(prepared, Plain) or not any(batch.producer_id >= 0 for one in prepared for batch in one.batches):
        return prepared, first
    scratch = state.scratch({batch.producer_id for one in prepared for batch in one.batches})
    kept: list[Prepared] = []
    left_out = 0
    for number, given in enumerate(prepared):
        one = given.moved(-left_out) if left_out else given
        repeated = None
        if origin == "client":
            repeated = next(filter(None, map(scratch.duplicate_of, one.producers)), None)
        if repeated is None:
            scratch.append(one.producers, origin)
            kept.append(one)
        else:
            left_out += one.batches[-1].last_offset + 1 - one.batches[0].base_offset
        if number == 0:
            first = one.batches[0].base_offset if repeated is None else repeated.first_offset
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
    """Refuse what a reader would not inflate: nothing after it could be iterated over. Only one record is so large."""
    given = [columns.keys[number], columns.values[number]]
    if columns.headers is not None:
        given += [one[1] for one in columns.headers[number] if isinstance(one, tuple | list)]
    _check_inflatable(max(size, sum(len(one) for one in given if one is not None)), where)


def _check_inflatable(size: int, where: str) -> None:
    if size > DEFAULT_INFLATE_LIMIT:
        raise RecordTooLargeError(
            f"{where} has {size} bytes, not compressed; readers take {DEFAULT_INFLATE_LIMIT} at most"
        )


def _placed(next_offset: int, count: int) -> int:
    """The offset, where that many fit after it."""
    if not 0 <= next_offset <= MAX_INT64 - count:
        raise OffsetOrderError(f"{count} offsets from {next_offset} on do not fit")
    return next_offset


def _wrong_timestamp(number: int, timestamp: int, config: LogConfig, now_ms: int) -> list[InvalidRecordError]:
    """Kafka's comparisons in Java's arithmetic: in a list, the error where the timestamp is out of range."""
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
    """Refuse what has problems: for a timestamp where one is wrong, else for the rest; tells the first few."""
    if problems:
        kind = (
            InvalidTimestampError
            if any(isinstance(it, InvalidTimestampError) for it in problems)
            else InvalidRecordError
        )
        shown = "; ".join(str(problem) for problem in problems[:_SHOWN])
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise kind(f"{where}{shown}{more}")


def _is_log_append_time(config: LogConfig) -> bool:
    return config.message_timestamp_type == "LogAppendTime"


def _codec(given: LogConfig | str) -> int:
    """The number of a codec by name, or of the one that a configuration asks for (none for ``producer``)."""
    name = given
    if isinstance(given, LogConfig):
        name = {"producer": "none"}.get(given.compression_type, given.compression_type)
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
