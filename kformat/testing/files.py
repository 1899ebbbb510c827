"""Records in, Kafka's files out: the files that the fixtures `kafka_segment` and `kafka_log` write.

Nothing is random: the same arguments give the same bytes (compressed ones, under the same versions of the codecs'
libraries). The files are those that a broker leaves after a clean stop.

A record may be given as

* ``bytes``: its value;
* a pair of key and value, each bytes or None;
* a mapping with any of ``key``, ``value``, ``headers``, ``offset``, ``timestamp``;
* a `kformat.Record`; its ``sequence`` and ``timestamp_type`` are ignored;
* a `ProducerTransaction` of such records, in place of a record.

Missing fields are filled in: offsets increase by one, timestamps by a millisecond, from 2023-11-14T22:13:20Z.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from kformat.corpus.folders import PlannedSegment, partition
from kformat.corpus.parts import (
    EPOCH_MS,
    LogPart,
    PlannedRecord,
    ProducerFields,
    batch,
    end_of_transaction,
    message,
    wrapper,
)
from kformat.errors import UsageError
from kformat.integers import MAX_INT16, MAX_INT32, MAX_INT64
from kformat.kafka.batch.compression import CODEC_NAMES, CURRENT_MAGIC
from kformat.kafka.batch.legacy import LEGACY_CODECS
from kformat.kafka.batch.records import Record, add_sequence
from kformat.kafka.files.file_kinds import kind_of
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES, DEFAULT_PROFILE
from kformat.language.logical import uuid_text
from kformat.testing.objects import write_files

DEFAULT_RECORDS_PER_BATCH: Final = 10
_TOPIC: Final = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")
_FIELDS: Final = ("key", "value", "headers", "offset", "timestamp")


@dataclass(frozen=True)
class ProducerTransaction:
    """Records that one producer writes together, in batches of their own, with the end marker after them.

    ``end``: ``"commit"``, ``"abort"``, or None for a transaction that is still open.
    """

    records: Sequence[Given]
    end: Literal["commit", "abort"] | None = "commit"
    producer_id: int = 1000
    producer_epoch: int = 0


Given = Record | Mapping[str, Any] | tuple[bytes | None, bytes | None] | bytes | ProducerTransaction

DEFAULT_RECORDS: Final[tuple[Given, ...]] = (
    (b"key-0", b"value 0"),
    (b"key-1", b"value 1"),
    (None, b"no key"),
    {"key": b"key-2", "value": b"with headers", "headers": [("trace-id", b"\x01\x02"), ("trace-id", None)]},
    (b"key-1", None),
)
"""The default records of a segment: keys, one of them twice, a record without key, headers, a tombstone."""


def segment_files(
    records: Iterable[Given] | None = None,
    *,
    base_offset: int | None = None,
    codec: str = "none",
    magic: int = CURRENT_MAGIC,
    profile: str = DEFAULT_PROFILE,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    records_per_batch: int = DEFAULT_RECORDS_PER_BATCH,
    append_time: int | None = None,
    leader_epoch: int = 0,
) -> dict[str, bytes]:
    """The files of one closed segment by name: `.log`, `.index`, `.timeindex`, and `.txnindex` where a transaction was
    aborted.

    Args:
        records: see above; by default a handful.
        base_offset: the segment's; by default the first record's, and that is 0 by default.
        codec: ``none``, ``gzip``, ``snappy``, ``lz4`` or (magic 2) ``zstd``.
        magic: 2; or 0 or 1 for messages of Kafka before 0.11, which know no headers and no transactions.
        profile: whose indexes: one of `kformat.kafka.index.indexing.PROFILES`.
        index_interval_bytes: Kafka's `index.interval.bytes`.
        records_per_batch: the most records of a batch, or of a wrapper of magic 0 or 1.
        append_time: the broker's time in ms for a topic with `message.timestamp.type=LogAppendTime`; None for
            CreateTime.
        leader_epoch: of all batches.

    Raises:
        UsageError: what is given is no record, or Kafka could not have written it; says which record and why.
    """
    writer = _SegmentWriter(codec, magic, records_per_batch, append_time, leader_epoch)
    segment = writer.segment(DEFAULT_RECORDS if records is None else records, "records", base_offset)
    return segment_files_of([segment], profile, index_interval_bytes)


def segment_files_of(segments: Sequence[PlannedSegment], profile: str, index_interval_bytes: int) -> dict[str, bytes]:
    """The logs and their indexes, without the other files of the folder."""
    files = _partition(segments, profile, index_interval_bytes, None, snapshots=False)
    return {name: data for name, data in files.items() if (row := kind_of(name)) is not None and row.rules == "segment"}


def log_files(
    records: Iterable[Given] | None = None,
    *,
    segments: Iterable[Iterable[Given]] | None = None,
    records_per_segment: int | None = None,
    topic_id: bytes | None = None,
    base_offset: int | None = None,
    codec: str = "none",
    magic: int = CURRENT_MAGIC,
    profile: str = DEFAULT_PROFILE,
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES,
    records_per_batch: int = DEFAULT_RECORDS_PER_BATCH,
    append_time: int | None = None,
    leader_epoch: int = 0,
) -> dict[str, bytes]:
    """All files of a partition's folder by name: of each segment those of `segment_files`, and the producer snapshots,
    `leader-epoch-checkpoint` and `partition.metadata`.

    Args:
        records: see above; by default a handful.
        segments: the same in segments, instead of ``records``.
        records_per_segment: with ``records``: a segment is rolled when it has so many. Batches and transactions stay
            whole, so a transaction may make it longer.
        topic_id: 16 bytes; None leaves `partition.metadata` out, as brokers before 2.8 do.
        base_offset: where the log begins; the other arguments are those of `segment_files`.

    Raises:
        UsageError: as `segment_files`.
    """
    writer = _SegmentWriter(codec, magic, records_per_batch, append_time, leader_epoch)
    made: list[PlannedSegment] = []
    if segments is not None:
        if records is not None or records_per_segment is not None:
            raise UsageError("segments are given: leave out records and records_per_segment")
        for number, segment_records in enumerate(segments):
            made.append(writer.segment(segment_records, f"segments[{number}]", base_offset if not number else None))
    else:
        all_records = DEFAULT_RECORDS if records is None else records
        for number, (first, chunk) in enumerate(_chunks(all_records, records_per_segment)):
            made.append(writer.segment(chunk, "records", base_offset if not number else None, first))
    if not made:
        made.append(writer.segment((), "records", base_offset))
    if topic_id is not None and (not isinstance(topic_id, bytes) or len(topic_id) != 16):
        raise UsageError(f"topic_id is {topic_id!r}; it takes 16 bytes")
    return _partition(made, profile, index_interval_bytes, topic_id, snapshots=True)


def write_segment(folder: str | Path, records: Iterable[Given] | None = None, **how: Any) -> Path:
    """Write the files of `segment_files` (with its arguments) into a folder, created if missing; returns the log's
    path.
    """
    files = segment_files(records, **how)
    return write_files(files, Path(folder)) / next(name for name in files if name.endswith(".log"))


def write_log(
    root: str | Path,
    records: Iterable[Given] | None = None,
    *,
    topic: str = "orders",
    partition: int = 0,
    **how: Any,
) -> Path:
    """Write the files of `log_files`, whose arguments it takes, into the partition's folder in ``root``; its path.

    The folder must not be there. The topic's id is made from its name, unless the profile is that of brokers that had
    none (``first-offset``) or one is given.

    Raises:
        UsageError: as `log_files`; or a topic that Kafka does not allow, or a folder that is there.
        OSError: the folder cannot be written.
    """
    if not isinstance(topic, str) or _TOPIC.fullmatch(topic) is None:
        raise UsageError(f"no topic can be called {topic!r}: Kafka takes 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-'")
    if not isinstance(partition, int) or not 0 <= partition <= MAX_INT32:
        raise UsageError(f"partition is {partition!r}; it goes from 0 to {MAX_INT32}")
    folder = Path(root) / f"{topic}-{partition}"
    if folder.exists():
        raise UsageError(f"{folder} is there already: each partition is written once")
    if how.get("profile", DEFAULT_PROFILE) != "first-offset":
        how.setdefault("topic_id", topic_id_of(topic))
    return write_files(log_files(records, **how), folder)


def topic_id_of(topic: str) -> bytes:
    """16 bytes derived from a topic's name, in the form of a random UUID, like Kafka's ids."""
    digest = bytearray(hashlib.sha256(topic.encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x40
    digest[8] = digest[8] & 0x3F | 0x80
    # Kafka draws another id if the text begins with a dash.
    while uuid_text(bytes(digest)).startswith("-"):
        digest[0] ^= 1 << 7
    return bytes(digest)


def _partition(
    segments: Sequence[PlannedSegment],
    profile: str,
    index_interval_bytes: int,
    topic_id: bytes | None,
    *,
    snapshots: bool,
) -> dict[str, bytes]:
    made = partition(
        "",
        segments,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        topic_id=topic_id,
        snapshots=snapshots,
    )
    return {file.path.lstrip("/"): file.data for file in made}


def _chunks(records: Iterable[Given], size: int | None) -> Iterator[tuple[int, list[Given]]]:
    """Chunks of at least ``size`` records, except the last one, each with the number of its first record."""
    if size is not None and (not isinstance(size, int) or size < 1):
        raise UsageError(f"records_per_segment is {size!r}; it takes a number from 1 on")
    chunk: list[Given] = []
    first = count = 0
    for number, item in enumerate(_listed(records, "records")):
        if size is not None and count >= size:
            yield first, chunk
            chunk, first, count = [], number, 0
        chunk.append(item)
        count += len(item.records) if isinstance(item, ProducerTransaction) else 1
    if chunk:
        yield first, chunk


def _listed(records: Any, where: str) -> Iterable[Any]:
    if isinstance(records, bytes | str | Mapping | Record | ProducerTransaction) or not isinstance(records, Iterable):
        raise UsageError(f"{where} is a list of records, not {type(records).__name__}")
    return records


@dataclass
class _SegmentWriter:
    """Turns records into batches, segment by segment; keeps the end of the last segment."""

    codec: str
    magic: int
    records_per_batch: int
    append_time: int | None
    leader_epoch: int
    next_offset: int = 0
    next_timestamp: int = EPOCH_MS
    sequences: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.magic not in (0, 1, 2):
            raise UsageError(f"magic is {self.magic!r}; there are 0, 1 and 2")
        codecs = CODEC_NAMES if self.magic == CURRENT_MAGIC else LEGACY_CODECS
        if self.codec not in codecs:
            raise UsageError(f"no codec {self.codec!r} in magic {self.magic}; there are {', '.join(codecs)}")
        if self.append_time is not None and not self.magic:
            raise UsageError("messages of magic 0 have no timestamps, so no append_time")
        if not isinstance(self.records_per_batch, int) or self.records_per_batch < 1:
            raise UsageError(f"records_per_batch is {self.records_per_batch!r}; it takes a number from 1 on")

    def segment(self, records: Iterable[Given], where: str, base_offset: int | None, first: int = 0) -> PlannedSegment:
        if base_offset is not None:
            _number(base_offset, "base_offset", 0)
            self.next_offset = max(self.next_offset, base_offset)
        parts = list(self._parts(_listed(records, where), where, first))
        if base_offset is None:
            base_offset = parts[0].base_offset if parts else self.next_offset
        if parts and parts[-1].last_offset - base_offset > MAX_INT32:
            raise UsageError(f"{where}: offset {parts[-1].last_offset} is too far from the segment's, {base_offset}")
        return PlannedSegment(base_offset, parts)

    def _parts(self, records: Iterable[Any], where: str, first: int) -> Iterator[LogPart]:
        waiting: list[PlannedRecord] = []
        for number, item in enumerate(records, first):
            place = f"{where}[{number}]"
            if not isinstance(item, ProducerTransaction):
                waiting.append(self._content(item, place))
                if len(waiting) == self.records_per_batch:
                    yield from self._batch(waiting)
                    waiting = []
                continue
            yield from self._batch(waiting)
            waiting = []
            yield from self._transaction(item, place)
        yield from self._batch(waiting)

    def _transaction(self, transaction: ProducerTransaction, place: str) -> Iterator[LogPart]:
        if self.magic != CURRENT_MAGIC:
            raise UsageError(f"{place}: there are no transactions in magic {self.magic}")
        if transaction.end not in ("commit", "abort", None):
            raise UsageError(f"{place}.end is {transaction.end!r}; it takes 'commit', 'abort' or None")
        _number(transaction.producer_id, f"{place}.producer_id", 0)
        _number(transaction.producer_epoch, f"{place}.producer_epoch", 0, MAX_INT16)
        contents = []
        for number, record in enumerate(_listed(transaction.records, f"{place}.records")):
            contents.append(self._content(record, f"{place}.records[{number}]"))
        for start in range(0, len(contents), self.records_per_batch):
            chunk = contents[start : start + self.records_per_batch]
            sequence = self.sequences.get(transaction.producer_id, 0)
            after = add_sequence(sequence, chunk[-1].offset - chunk[0].offset)
            self.sequences[transaction.producer_id] = add_sequence(after, 1)
            producer = ProducerFields(transaction.producer_id, transaction.producer_epoch, sequence)
            yield self._current(chunk, producer=producer, transactional=True)
        if transaction.end is not None:
            producer = ProducerFields(transaction.producer_id, transaction.producer_epoch)
            offset, timestamp = self._next()
            yield end_of_transaction(transaction.end, offset, timestamp, producer, epoch=self.leader_epoch)

    def _batch(self, contents: list[PlannedRecord]) -> Iterator[LogPart]:
        if not contents:
            return
        if self.magic == CURRENT_MAGIC:
            yield self._current(contents)
        elif self.codec != "none":
            yield wrapper(contents, self.magic, self.codec, append_time=self.append_time)
        else:
            for content in contents:
                yield message(content, self.magic, append_time=self.append_time)

    def _current(self, contents: list[PlannedRecord], **more: Any) -> LogPart:
        if contents[-1].offset - contents[0].offset > MAX_INT32:
            raise UsageError(f"offsets {contents[0].offset} and {contents[-1].offset} are too far apart for one batch")
        return batch(contents, codec=self.codec, append_time=self.append_time, epoch=self.leader_epoch, **more)

    def _next(self) -> tuple[int, int]:
        offset, timestamp = self.next_offset, self.next_timestamp
        self.next_offset, self.next_timestamp = offset + 1, timestamp + 1
        return offset, timestamp

    def _content(self, record: Any, place: str) -> PlannedRecord:
        fields = _fields_of(record, place)
        if unknown := sorted(set(fields) - set(_FIELDS), key=str):
            raise UsageError(f"{place}: a record has no {unknown[0]!r}; it has {', '.join(_FIELDS)}")
        offset, timestamp = fields.get("offset"), fields.get("timestamp")
        offset = self.next_offset if offset is None else _number(offset, f"{place}.offset", self.next_offset)
        timestamp = self.next_timestamp if timestamp is None else _number(timestamp, f"{place}.timestamp", -1)
        headers = tuple(_headers(fields.get("headers") or (), f"{place}.headers"))
        if headers and self.magic != CURRENT_MAGIC:
            raise UsageError(f"{place}: there are no headers in magic {self.magic}")
        key, value = (_bytes(fields.get(name), f"{place}.{name}") for name in ("key", "value"))
        self.next_offset, self.next_timestamp = offset + 1, max(self.next_timestamp, timestamp + 1)
        return PlannedRecord(offset, timestamp, key, value, headers)


_FORMS: Final[tuple[tuple[type | Any, Callable[[Any], dict[str, Any]]], ...]] = (
    (Record, lambda given: {name: getattr(given, name) for name in _FIELDS}),
    (bytes, lambda given: {"value": given}),
    (Mapping, dict),
)


def _fields_of(record: Any, place: str) -> dict[str, Any]:
    for kind, fields in _FORMS:
        if isinstance(record, kind):
            return fields(record)
    if isinstance(record, tuple) and len(record) == 2:
        return dict(zip(("key", "value"), record, strict=True))
    if isinstance(record, ProducerTransaction):
        raise UsageError(f"{place}: a transaction inside of a transaction")
    raise UsageError(f"{place}: bytes, (key, value), a mapping or a kformat.Record is needed, not {record!r:.60}")


def _number(value: Any, place: str, least: int, most: int = MAX_INT64 - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{place} is {value!r:.60}; a number from {least} to {most} is needed")
    return value


def _bytes(value: Any, place: str) -> bytes | None:
    if value is not None and not isinstance(value, bytes):
        raise UsageError(f"{place} is {value!r:.60}; bytes or None is needed")
    return value


def _headers(pairs: Any, place: str) -> Iterator[tuple[str, bytes | None]]:
    for number, pair in enumerate(_listed(pairs, place)):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise UsageError(f"{place}[{number}] is {pair!r:.60}; a pair of text and bytes (or None) is needed")
        yield pair[0], _bytes(pair[1], f"{place}[{number}][1]")


__all__ = [
    "DEFAULT_RECORDS",
    "Given",
    "ProducerTransaction",
    "log_files",
    "segment_files",
    "topic_id_of",
    "write_log",
    "write_segment",
]
