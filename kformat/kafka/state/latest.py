"""The latest record of each key in a partition: what a coordinator knows after it has read its log.

A transaction's records count where its end says commit, at their own offsets (GroupMetadataManager, OffsetManager): a
later record of the same key wins, whether it was in a transaction or not. Those of open transactions are not counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from kformat.columns.arrow import arrow_compute, pyarrow
from kformat.errors import DataError, InvalidError, MissingDependencyError, UsageError
from kformat.kafka.batch.records import CONTROL_TYPES, Record, parse_control_record
from kformat.kafka.columns.arrow import number_array
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.log.partition import Partition
from kformat.kafka.messages.decoding import UnknownTypeError

_COLUMNS: Final = ("key", "value", "offset", "timestamp", "producer_id", "is_transactional", "is_control")
_Row = tuple[bytes, bytes | None, int, int, int, bool]
"""The same without ``is_control``."""
_NO_TIME: Final = -1
"""The timestamp of records that have none."""
_MOST_TOLD: Final = 5
_MERGE_AFTER: Final = 1 << 18
"""Rows that are kept before they are merged."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Up to where a log is read: all records up to an offset (inclusive), and up to a time in ms (inclusive)."""

    offset: int | None = None
    time_ms: int | None = None

    @property
    def end_offset(self) -> int | None:
        """The offset after the last one; None for no bound."""
        return None if self.offset is None else self.offset + 1


NOW: Final = Moment()


class LatestRecord(NamedTuple):
    """The latest record of a key; ``value`` None: a tombstone."""

    key: bytes
    value: bytes | None
    offset: int
    timestamp: int


@dataclass
class Trouble:
    """What is wrong with the records of a topic: damage, and records that do not parse.

    Attributes:
        problems: with their places; of records that do not parse the first few.
        refused_count: how many do not parse. unknown_count: how many are of a type that no release has which is known.
        is_damaged: whether records after damage were not read.
    """

    problems: list[DataError] = field(default_factory=list)
    refused_count: int = 0
    unknown_count: int = 0
    is_damaged: bool = False

    def records(self, partition: Partition, moment: Moment, **reading: Any) -> Iterator[LatestRecord]:
        """The latest records of a partition; damage ends it. Raises OSError and UsageError, as `latest_records`."""
        try:
            yield from latest_records(partition, moment, **reading)
        except DataError as error:
            self.is_damaged = True
            self.problems.append(error)

    def refuse(self, partition: Partition, record: LatestRecord, error: DataError) -> None:
        """Note a record that does not parse. Coordinators pass over types that they do not know."""
        if isinstance(error, UnknownTypeError):
            self.unknown_count += 1
            return
        self.refused_count += 1
        if self.refused_count <= _MOST_TOLD:
            text = f"the record at offset {record.offset} does not parse: {error}"
            self.problems.append(InvalidError(text, source=str(partition.path)))


def latest_records(
    partition: Partition, moment: Moment = NOW, *, on_corrupt: str = "error", on_skipped: Any = None
) -> Iterator[LatestRecord]:
    """The latest record of each key, in no order. Memory grows with the number of keys. pyarrow makes it fast.

    Raises DataError, after what lies before the damage, and OSError, as `Partition.record_batches`; UsageError for a
    time where records have none.
    """
    try:
        pa, compute = pyarrow(), arrow_compute()
    except MissingDependencyError:
        yield from _latest_of_chunks(partition, moment, on_corrupt=on_corrupt, on_skipped=on_skipped)
        return
    kept, ends = list[Any](), list[tuple[int, int, bool]]()
    size, limit = 0, _MERGE_AFTER
    options: dict[str, Any] = {} if moment.end_offset is None else {"end_offset": moment.end_offset}
    reader = partition.record_batches(
        _COLUMNS, include_control=True, on_corrupt=on_corrupt, on_skipped=on_skipped, **options
    )
    damage: DataError | None = None
    try:
        for batch in reader:
            table = pa.Table.from_batches([batch])
            table = table.set_column(3, "timestamp", table["timestamp"].cast(pa.int64()))
            if moment.time_ms is not None:
                if compute.any(compute.equal(table["timestamp"], _NO_TIME)).as_py():
                    raise _timeless(partition)
                table = table.filter(compute.less_equal(table["timestamp"], moment.time_ms))
            if compute.any(table["is_control"]).as_py():
                ends += _ends(table.filter(table["is_control"]).to_pylist())
                table = table.filter(compute.invert(table["is_control"]))
            table = _newest(table.drop_columns(["is_control"]))
            kept.append(table)
            size += table.num_rows
            if size > limit:
                kept = [_newest(pa.concat_tables(kept))]
                size, limit = kept[0].num_rows, max(_MERGE_AFTER, 2 * kept[0].num_rows)
    except DataError as error:
        damage = error
    if kept:
        columns = (column.to_pylist() for column in pa.concat_tables(kept).columns)
        yield from _committed(zip(*columns, strict=True), ends)
    if damage is not None:
        raise damage


def _latest_of_chunks(partition: Partition, moment: Moment, **reading: Any) -> Iterator[LatestRecord]:
    """The same without pyarrow, row by row."""
    wanted = Wanted(columns=_COLUMNS, include_control=True)
    if moment.end_offset is not None:
        wanted = replace(wanted, end_offset=moment.end_offset)
    newest, ends = dict[bytes | int, _Row](), list[tuple[int, int, bool]]()
    damage: DataError | None = None
    try:
        for chunk in partition.chunks(wanted, **reading):
            assert chunk.key is not None and chunk.value is not None
            numbers = (chunk.numbers[name].tolist() for name in _COLUMNS[2:])
            for row in zip(chunk.key.to_list(), chunk.value.to_list(), *numbers, strict=True):
                key, _, offset, timestamp, producer_id, is_transactional, is_control = row
                if moment.time_ms is not None and timestamp == _NO_TIME:
                    raise _timeless(partition)
                if moment.time_ms is not None and timestamp > moment.time_ms:
                    continue
                if is_control:
                    ends += _ends([{"key": key, "offset": offset, "producer_id": producer_id}])
                elif key is not None:
                    newest[offset if is_transactional else key] = row[:-1]
    except DataError as error:
        damage = error
    yield from _committed(newest.values(), ends)
    if damage is not None:
        raise damage


def _timeless(partition: Partition) -> UsageError:
    return UsageError(f"{partition.path}: some of its records have no time, and none of them is the moment's")


def _newest(table: Any) -> Any:
    """The newest row of each key; all rows in transactions, whose end is not known yet."""
    pa, compute = pyarrow(), arrow_compute()
    table = table.filter(table["key"].is_valid()).combine_chunks()
    if not table.num_rows:
        return table
    codes = compute.dictionary_encode(table["key"].combine_chunks())
    indices = codes.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    if compute.any(table["is_transactional"]).as_py():
        in_transactions = np.asarray(table["is_transactional"].combine_chunks())
        order = np.arange(table.num_rows)
        indices = np.where(in_transactions, len(codes.dictionary) + order, indices)  # each by itself
        last = np.full(len(codes.dictionary) + table.num_rows, -1, np.int64)
    else:
        last = np.full(len(codes.dictionary), -1, np.int64)
    last[indices] = np.arange(table.num_rows)
    return table.take(number_array(np.sort(last[last >= 0]), pa.int64()))


def _ends(markers: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int, bool]]:
    """Producer, offset, and whether it commits, of the ends of transactions."""
    for row in markers:
        try:
            key, _ = parse_control_record(Record(row["offset"], 0, 0, row["key"], None))
        except DataError:
            continue
        name = CONTROL_TYPES.get(int(key.type))
        if name in ("commit", "abort"):
            yield row["producer_id"], row["offset"], name == "commit"


def _committed(rows: Iterable[_Row], ends: list[tuple[int, int, bool]]) -> Iterator[LatestRecord]:
    """The newest record of each key, without those of transactions that were aborted, or are open."""
    by_producer: dict[int, list[tuple[int, bool]]] = {}
    """The ends of each producer's transactions, by their offsets."""
    for producer, offset, commits in sorted(ends, key=lambda end: end[1]):
        by_producer.setdefault(producer, []).append((offset, commits))
    found: dict[bytes, LatestRecord] = {}
    for key, value, offset, timestamp, producer, is_transactional in rows:
        if is_transactional:
            of_producer = by_producer.get(producer, [])
            end = bisect_right(of_producer, offset, key=lambda end: end[0])
            if end == len(of_producer) or not of_producer[end][1]:
                continue
        before = found.get(key)
        if before is None or before.offset < offset:
            found[key] = LatestRecord(key, value, offset, timestamp)
    yield from found.values()


class KeySize(NamedTuple):
    """How many records of a partition have a key, and how many bytes their keys and values take, uncompressed."""

    records_count: int
    size_bytes: int


def key_sizes(partition: Partition, **reading: Any) -> dict[bytes, KeySize]:
    """What each key takes, tombstones included; ``reading`` and what is raised are as for `latest_records`."""
    compute = arrow_compute()
    found: dict[bytes, KeySize] = {}
    for batch in partition.record_batches(("key", "value"), **reading):
        rows = batch.filter(batch["key"].is_valid())
        if not rows.num_rows:
            continue
        codes = compute.dictionary_encode(rows["key"])
        lengths = compute.add(
            compute.binary_length(rows["key"]), compute.fill_null(compute.binary_length(rows["value"]), 0)
        )
        numbers = codes.indices.to_numpy(zero_copy_only=False)
        counts = np.bincount(numbers)
        sizes = np.bincount(numbers, weights=lengths.to_numpy(zero_copy_only=False))
        for key, count, size in zip(codes.dictionary.to_pylist(), counts.tolist(), sizes.tolist(), strict=True):
            before = found.get(key, KeySize(0, 0))
            found[key] = KeySize(before.records_count + count, before.size_bytes + int(size))
    return found


def start_of(partition: Partition) -> int | None:
    """The first offset of a partition's log; None for one without segments and checkpoint."""
    known = partition.log_start_offset
    if not partition.segments:
        return known
    first = partition.segments[0].base_offset
    return first if known is None else max(first, known)


__all__ = ["NOW", "LatestRecord", "Moment", "Trouble", "key_sizes", "latest_records", "start_of"]
