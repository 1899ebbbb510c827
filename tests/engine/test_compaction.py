"""What stays of batches: golden bytes of Kafka's classes, what its MemoryRecordsTest says of filterTo, and that the way
with columns and that with one batch after the other come to the same.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from kformat.codec.constructs import build
from kformat.corpus.parts import (
    LogPart,
    PlannedRecord,
    ProducerFields,
    batch,
    empty_batch,
    end_of_transaction,
    message,
    wrapper,
)
from kformat.errors import ChecksumError, DataError, InvalidError, UsageError
from kformat.kafka.batch.batches import AnyBatch, iter_batches, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.records import Batch
from kformat.kafka.columns.chunks import read_chunks
from kformat.kafka.index.offset_map import OffsetMap
from kformat.kafka.log.fetched import Slice
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat_engine import compaction
from kformat_engine.compaction import CleanedTransactions, Filtered, LastRecord, Retention, filtered, map_keys
from kformat_engine.rebuilding import rebuilt_batch, rebuilt_wrapper

NOW_MS, DELETE_RETENTION_MS = 100_000, 500


def kept(
    data: bytes,
    gone: Iterable[bytes] = (),
    *,
    upper_bound: int = -1,
    now_ms: int = NOW_MS,
    position: int = 0,
    latest: int = 1 << 40,
    legacy_deletes: bool = True,
    **given: Any,
) -> Filtered:
    """What stays if these keys come again later."""
    offsets = OffsetMap(24 * 1000)
    for key in gone:
        offsets.put(key, 1 << 40)
    offsets.update_latest_offset(latest)
    source = Slice("a.log", position, data)
    retention = Retention(offsets, now_ms, DELETE_RETENTION_MS, upper_bound, **given)
    headers = read_batch_headers(source, position)
    return filtered(source, headers, data, retention, retains_legacy_deletes=legacy_deletes)


def batches(found: Filtered | bytes) -> list[AnyBatch]:
    return list(iter_batches(found if isinstance(found, bytes) else found.data))


# --- golden bytes: kafka-semantics.md, A.7 -------------------------------------------------------------------------

STORED = bytes.fromhex(
    "00000000000000320000004b00000003027700e4a000000000000200000000000003e800000000000003edffffffffffffffffffffffffffff00"
    "00000310000000026102310010000a0202620232000e00060402630100"
)
"""A batch of A.5 at offset 50, of leader epoch 3."""


@pytest.mark.parametrize(
    ("gone", "upper_bound", "wanted", "max_offset"),
    [
        (
            (b"a",),
            -1,
            "0000000000000032000000460000000302c89622b0004000000002000000000001889400000000000003edffffffffffffffffffffffff"
            "ffff000000021400cd920c0202620232001200d1920c0402630100",
            52,
        ),
        (
            (b"c",),
            -1,
            "0000000000000032000000430000000302f77df98200000000000200000000000003e800000000000003edffffffffffffffffffffffff"
            "ffff0000000210000000026102310010000a020262023200",
            51,
        ),
        (
            (b"a", b"b", b"c"),
            53,
            "000000000000003200000031000000030268280458000000000002ffffffffffffffff00000000000003edffffffffffffffffffffffff"
            "ffff00000000",
            52,
        ),
        ((b"a", b"b", b"c"), -1, "", -1),
    ],
)
def test_the_bytes_of_kafkas_classes(gone: tuple[bytes, ...], upper_bound: int, wanted: str, max_offset: int) -> None:
    found = kept(STORED, gone, upper_bound=upper_bound)
    assert found.data.hex() == wanted
    assert (found.read_count, found.max_offset) == (3, max_offset)
    assert found.retained_count == (0 if upper_bound > 0 else 3 - len(gone))
    if wanted:
        assert (found.max_timestamp, found.max_timestamp_offset) == (1005, 52)


def test_a_batch_with_a_tombstone_is_built_anew_once() -> None:
    """It needs a horizon; then it stays as it is until that has passed."""
    once = kept(STORED)
    assert once.retained_count == 3 and once.data != STORED
    (one,) = batches(once)
    assert one.delete_horizon_ms == NOW_MS + DELETE_RETENTION_MS
    assert [record.timestamp for record in one.records()] == [1000, 1005, 1003]
    before = kept(once.data, now_ms=NOW_MS + DELETE_RETENTION_MS - 1)
    assert before.data == once.data
    after = kept(once.data, now_ms=NOW_MS + DELETE_RETENTION_MS)
    (one,) = batches(after)
    assert [record.key for record in one.records()] == [b"a", b"b"] and one.last_offset == 52
    assert one.delete_horizon_ms == NOW_MS + DELETE_RETENTION_MS  # as Kafka: it stays


# --- MemoryRecordsTest ---------------------------------------------------------------------------------------------

KINDS = [(2, codec) for codec in CODEC_NAMES] + [(magic, codec) for magic in (0, 1) for codec in CODEC_NAMES[:-1]]


def entries(magic: int, codec: str, contents: Sequence[PlannedRecord], **given: Any) -> bytes:
    """Records as one batch, or as what older formats have for it."""
    if magic == 2:
        return batch(contents, codec=codec, **given).data
    if codec == "none":
        return b"".join(message(content, magic).data for content in contents)
    return wrapper(contents, magic, codec).data


def content(offset: int, timestamp: int, key: bytes | None, value: bytes | None = b"v") -> PlannedRecord:
    return PlannedRecord(offset, timestamp, key, value)


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_filter_to(magic: int, codec: str) -> None:
    """testFilterTo, testFilterToPreservesPartitionLeaderEpoch, testFilterToBatchDiscard; records without keys go."""
    epoch = {"epoch": 67} if magic == 2 else {}
    data = (
        entries(magic, codec, [content(0, 10, None)], **epoch)
        + entries(magic, codec, [content(1, 11, b"1"), content(2, 12, None)], **epoch)
        + entries(magic, codec, [content(3, 13, None), content(4, 20, b"4"), content(5, 15, b"5")], **epoch)
        + entries(magic, codec, [content(6, 16, b"6")], **epoch)
    )
    found = kept(data)
    assert (found.read_count, found.retained_count, found.without_key_count) == (7, 4, 3)
    if magic:
        shallow = 4 if codec == "none" and magic < 2 else 5
        assert (found.max_timestamp, found.max_timestamp_offset) == (20, shallow)
    left = batches(found)
    is_plain = magic < 2 and codec == "none"
    assert [one.last_offset for one in left] == ([1, 4, 5, 6] if is_plain else [1, 5, 6] if magic < 2 else [2, 5, 6])
    assert [one.base_offset for one in left] == ([1, 4, 5, 6] if is_plain else [1, 4, 6] if magic < 2 else [1, 3, 6])
    if magic:
        assert [one.max_timestamp for one in left] == ([11, 20, 15, 16] if is_plain else [11, 20, 16])
    assert all(one.is_valid and one.compression_name == codec and one.magic == magic for one in left)
    assert all(one.partition_leader_epoch == (67 if magic == 2 else -1) for one in left)
    records = [record for one in left for record in one.records()]
    assert [(one.offset, one.key) for one in records] == [(1, b"1"), (4, b"4"), (5, b"5"), (6, b"6")]
    assert [one.timestamp for one in records] == ([11, 20, 15, 16] if magic else [-1] * 4)


@pytest.mark.parametrize(("magic", "codec"), [kind for kind in KINDS if kind[0]])
def test_log_append_time_stays(magic: int, codec: str) -> None:
    """testFilterToPreservesLogAppendTime; the creation times that were stored are lost, as in Kafka."""
    contents = [content(0, 10, None), content(1, 11, b"1"), content(2, 12, None)]
    if magic == 2:
        data = batch(contents, codec=codec, append_time=999).data
    elif codec == "none":
        data = b"".join(message(one, magic, append_time=999).data for one in contents)
    else:
        data = wrapper(contents, magic, codec, append_time=999).data
    (one,) = batches(kept(data))
    assert (one.timestamp_type.name, one.max_timestamp) == ("log_append_time", 999)  # type: ignore[attr-defined]
    assert [record.timestamp for record in one.records()] == [999]


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_a_batch_that_was_compacted_before(magic: int, codec: str) -> None:
    """testFilterToAlreadyCompactedLog."""
    contents = [content(5, 10, None), content(8, 11, b"1"), content(10, 12, None)]
    data = batch(contents, codec=codec, base_offset=0).data if magic == 2 else entries(magic, codec, contents)
    (one,) = batches(kept(data))
    assert [record.offset for record in one.records()] == [8]
    assert (one.base_offset, one.last_offset) == ((0, 10) if magic == 2 else (8, 8))


@pytest.mark.parametrize("codec", CODEC_NAMES)
def test_producers_stay(codec: str) -> None:
    """testFilterToPreservesProducerInfo."""
    plain = batch([content(0, 10, None), content(1, 11, b"1"), content(2, 12, None)], codec=codec)
    idempotent = batch(
        [content(3, 13, None), content(4, 14, b"4"), content(5, 15, b"5")],
        codec=codec,
        producer=ProducerFields(23, 5, 10),
    )
    transactional = batch(
        [content(6, 16, b"6"), content(7, 17, b"7"), content(8, 18, None)],
        codec=codec,
        producer=ProducerFields(99384, 234, 15),
        transactional=True,
    )
    left = batches(kept(plain.data + idempotent.data + transactional.data))
    assert [one.records_count for one in left] == [1, 2, 2]
    assert [(one.base_offset, one.last_offset) for one in left] == [(0, 2), (3, 5), (6, 8)]
    assert [(one.producer_id, one.producer_epoch, one.base_sequence, one.last_sequence) for one in left] == [
        *((-1, -1, -1, -1), (23, 5, 10, 12), (99384, 234, 15, 17))
    ]
    assert [bool(one.is_transactional) for one in left] == [False, False, True]
    assert [[record.sequence for record in one.records()] for one in left] == [[-1], [11, 12], [15, 16]]


@pytest.mark.parametrize("codec", CODEC_NAMES)
@pytest.mark.parametrize("transactional", [True, False])
def test_an_empty_batch_has_what_kafkas_has(codec: str, transactional: bool) -> None:
    """testFilterToEmptyBatchRetention, testEmptyBatchRetention, testEmptyBatchDeletion."""
    made = batch(
        [content(3, 11, b"2"), content(4, 12, b"3")],
        codec=codec,
        producer=ProducerFields(23, 5, 10),
        transactional=transactional,
        epoch=293,
    )
    last = {23: LastRecord(4, 5)}
    found = kept(made.data, [b"2", b"3"], last_records=last)
    assert found.data == empty_batch(made).data and len(found.data) == 61
    assert (found.read_count, found.retained_count, found.max_offset) == (2, 0, 4)
    assert (found.max_timestamp, found.max_timestamp_offset) == (12, 4)
    assert kept(found.data, last_records=last).data == found.data
    assert kept(found.data, upper_bound=5).data == found.data
    for others in ({}, {23: LastRecord(5, 5)}, {24: LastRecord(4, 5)}, {23: LastRecord(None, 5)}):
        assert kept(made.data, [b"2", b"3"], last_records=others).data == b""
        assert kept(found.data, last_records=others).data == b""


@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_have_no_empty_batches(magic: int) -> None:
    data = entries(magic, "gzip", [content(3, 11, b"2"), content(4, 12, b"3")])
    assert kept(data, [b"2", b"3"]).data == b""
    with pytest.raises(InvalidError, match="cannot stay without records"):
        kept(data, [b"2", b"3"], upper_bound=5)


# --- the rules -----------------------------------------------------------------------------------------------------


def test_offsets_above_the_map_stay() -> None:
    data = batch([content(0, 1, None), content(1, 1, b"a"), content(2, 1, None), content(3, 1, b"a")]).data
    (one,) = batches(kept(data, [b"a"], latest=1))
    assert [record.offset for record in one.records()] == [2, 3]


def test_tombstones_of_old_formats_go_by_their_segment() -> None:
    data = entries(1, "none", [content(0, 1, b"a", None), content(1, 1, b"b")])
    assert kept(data).data == data
    assert [one.last_offset for one in batches(kept(data, legacy_deletes=False))] == [1]


def test_headers_stay() -> None:
    headers = (("name", b"1"), ("name", None), ("\udcff", b"bytes that are no text"))
    data = batch([content(0, 1, b"a"), PlannedRecord(1, 2, b"b", b"v", headers)]).data
    (one,) = batches(kept(data, [b"a"]))
    assert [record.headers for record in one.records()] == [headers]


def test_timestamps_far_apart() -> None:
    """Java's difference wraps, and so does its sum when they are read."""
    low, high = -1, (1 << 63) - 1
    data = batch([content(0, low, b"a"), content(1, low, b"b"), content(2, high, b"c")], base_timestamp=low + 1).data
    (one,) = batches(kept(data, [b"a"]))
    assert [record.timestamp for record in one.records()] == [low, high]


def test_batches_that_are_as_they_were_are_copied() -> None:
    """Also those that Kafka's own builder would not write so."""
    odd = batch([content(0, 5, b"a"), content(1, 1, b"b")], base_timestamp=3, max_timestamp=77, reserved=3).data
    assert kept(odd).data == odd
    (one,) = batches(kept(odd, [b"b"]))
    assert (one.max_timestamp, one.base_timestamp, one.attributes) == (5, 5, 0)


def test_damage_is_not_given_a_checksum() -> None:
    data = bytearray(batch([content(0, 1, b"a"), content(1, 1, b"b")]).data * 2)
    data[-3] ^= 1
    with pytest.raises(ChecksumError) as raised:
        kept(bytes(data), position=1000)
    assert raised.value.position is not None and raised.value.position > 1000 + len(data) // 2
    aborted = bytearray(batch([content(0, 1, b"a")], producer=ProducerFields(7, 0, 0), transactional=True).data)
    aborted[-3] ^= 1  # its records are not read
    with pytest.raises(ChecksumError):
        transactions = CleanedTransactions([AbortedTransaction(7, 0, 1, 2)])
        kept(bytes(aborted), transactions=transactions, upper_bound=1)
    old = bytearray(entries(1, "none", [content(0, 1, b"a")]))
    old[-1] ^= 1
    with pytest.raises(DataError):
        kept(bytes(old))


def test_what_cannot_be_rebuilt() -> None:
    with pytest.raises(UsageError):
        rebuilt_batch(Batch(STORED), [])
    with pytest.raises(UsageError):
        rebuilt_wrapper(LegacyBatch(entries(1, "gzip", [content(0, 1, b"a")])), [])


# --- transactions --------------------------------------------------------------------------------------------------

ONE = ProducerFields(7, 0, 0)


def data_of(offset: int, *keys: bytes) -> LogPart:
    return batch([content(offset + at, 5, key) for at, key in enumerate(keys)], producer=ONE, transactional=True)


def marker(kind: str, offset: int) -> LogPart:
    return end_of_transaction(kind, offset, 6, ONE)


def test_aborted_transactions_go_and_their_markers_stay() -> None:
    log = data_of(0, b"a").data + data_of(1, b"b").data + marker("abort", 2).data + data_of(3, b"c").data
    transactions = CleanedTransactions([AbortedTransaction(7, 0, 2, 3)])
    found = kept(log, transactions=transactions)
    assert [one.last_offset for one in batches(found)] == [2, 3]
    assert transactions.retained == [AbortedTransaction(7, 0, 2, 3)]
    again = CleanedTransactions()
    found = kept(found.data, transactions=again)
    first = batches(found)[0]
    assert again.retained == [] and first.delete_horizon_ms == NOW_MS + DELETE_RETENTION_MS
    assert kept(found.data, now_ms=first.delete_horizon_ms - 1).data == found.data
    assert [one.last_offset for one in batches(kept(found.data, now_ms=first.delete_horizon_ms))] == [3]
    empty = kept(found.data, now_ms=first.delete_horizon_ms, last_records={7: LastRecord(None, 0)})
    assert [(one.last_offset, one.records_count) for one in batches(empty)] == [(2, 0), (3, 1)]


def test_commit_markers_stay_while_a_batch_does() -> None:
    log = data_of(0, b"a").data + marker("commit", 1).data
    found = kept(log, [b"a"])
    (one,) = batches(found)
    assert one.is_control and one.delete_horizon_ms is None  # a batch was read: the next compaction decides
    (one,) = batches(kept(found.data))
    assert one.delete_horizon_ms is not None


def test_other_control_batches_stay() -> None:
    leader = {"type": "leader_change"}
    value = build("leader_change_message", {"version": 0, "leader_id": 1})
    made = batch(
        [PlannedRecord(0, 1, build("control_record_type_schema", leader), value)], controls=("leader_change",)
    ).data
    assert kept(made).data == made


# --- the map -------------------------------------------------------------------------------------------------------


def mapped(data: bytes, most_keys: int = 100, start: int = 0, **given: Any) -> tuple[OffsetMap, Any]:
    offsets, source = OffsetMap(24 * 1000), Slice("a.log", 0, data)
    done = map_keys(
        *(source, read_batch_headers(source), data, offsets, CleanedTransactions(**given)),
        start_offset=start,
        most_keys=most_keys,
    )
    return offsets, done


def test_the_last_offset_of_each_key_is_in_the_map() -> None:
    data = batch(
        [content(0, 1, b"a"), content(1, 1, None), content(2, 1, b"b"), content(3, 1, b"a")], last_offset=5
    ).data
    offsets, done = mapped(data + data_of(6, b"c").data + marker("commit", 7).data)
    assert [offsets.get(key) for key in (b"a", b"b", b"c", b"d")] == [3, 2, 6, -1]
    assert (offsets.size, offsets.latest_offset, done.read_count, done.is_full) == (3, 7, 6, False)


def test_keys_of_aborted_transactions_are_not() -> None:
    log = data_of(0, b"a").data + marker("abort", 1).data + data_of(2, b"b").data
    offsets, done = mapped(log, aborted=[AbortedTransaction(7, 0, 1, 2)])
    assert (offsets.get(b"a"), offsets.get(b"b"), offsets.latest_offset, done.read_count) == (-1, 2, 2, 3)


@pytest.mark.parametrize(("most", "latest", "size"), [(1, 0, 1), (2, 1, 2), (3, 4, 3), (4, 7, 4), (5, 8, 5), (6, 9, 5)])
def test_a_full_map_ends_before_the_next_record_with_a_key(most: int, latest: int, size: int) -> None:
    """Also before one whose key it has; and batches that were read to their end count."""
    log = (
        batch([content(0, 1, b"a"), content(1, 1, b"b"), content(2, 1, b"c")], last_offset=4).data
        + batch([content(5, 1, b"d"), content(6, 1, None)], last_offset=7).data
        + batch([content(8, 1, b"e")]).data
        + batch([content(9, 1, b"a")]).data
    )
    offsets, done = mapped(log, most)
    assert (offsets.latest_offset, offsets.size, done.is_full) == (latest, size, most < 6)


def test_records_below_the_start_are_not() -> None:
    log = batch([content(0, 1, b"a"), content(1, 1, b"b")]).data + batch([content(2, 1, b"c")]).data
    offsets, _ = mapped(log, start=1)
    assert [offsets.get(key) for key in (b"a", b"b", b"c")] == [-1, 1, 2]


# --- many at once, and one after the other -------------------------------------------------------------------------


def some_batches(random: Random, count: int) -> list[LogPart]:
    found, offset = [], 0
    for _ in range(count):
        contents = []
        for _ in range(random.choice((1, 1, 2, 5, 20))):
            offset += random.choice((0, 0, 0, 3))
            key = None if random.random() < 0.05 else b"k%d" % random.randrange(40)
            value = None if random.random() < 0.2 else bytes(random.choice((0, 3, 200)))
            headers = (("h", b"x"),) if random.random() < 0.1 else ()
            contents.append(PlannedRecord(offset, 1000 + random.randrange(100), key, value, headers))
            offset += 1
        codec = random.choice(("none", "none", *CODEC_NAMES))
        producer = ProducerFields(random.randrange(3), 0, offset) if random.random() < 0.3 else None
        horizon = random.choice((None, None, NOW_MS - 1, NOW_MS + 1)) if random.random() < 0.2 else None
        found.append(batch(contents, codec=codec, producer=producer, horizon=horizon, last_offset=offset))
        offset += 1
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_whole_log_at_once_or_a_batch_at_a_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    parts = some_batches(random, 60)
    log = b"".join(part.data for part in parts)
    gone = [b"k%d" % number for number in range(0, 40, 3)]
    last = {number: LastRecord(parts[random.randrange(60)].last_offset, 0) for number in range(3)}
    at_once = kept(log, gone, last_records=last, upper_bound=parts[-1].last_offset + 1)
    singly = [kept(part.data, gone, last_records=last, upper_bound=parts[-1].last_offset + 1) for part in parts]
    assert at_once.data == b"".join(one.data for one in singly)
    for name in ("read_count", "retained_count", "without_key_count"):
        assert getattr(at_once, name) == sum(getattr(one, name) for one in singly)
    assert at_once.max_offset == max(one.max_offset for one in singly)
    assert at_once.headers.size.sum() == len(at_once.data)
    # And with few records in a piece of columns, as a large batch has them.
    read = read_chunks

    def in_pieces(*given: Any, **named: Any) -> Any:
        for chunk in read(*given, **named):
            for number in range(len(chunk)):
                mask = [at == number for at in range(len(chunk))]
                yield chunk.take(np.array(mask))

    monkeypatch.setattr(compaction, "read_chunks", in_pieces)
    assert kept(log, gone, last_records=last, upper_bound=parts[-1].last_offset + 1).data == at_once.data


def test_memory_is_that_of_some_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much they hold once they are decompressed; they may be a thousandth of that in the log."""
    size, count = 4 << 20, 12
    data = b"".join(
        entries(2, "gzip", [content(2 * at, 1, b"key", bytes(size)), content(2 * at + 1, 1, b"%d" % at)])
        for at in range(count)
    )
    monkeypatch.setattr(compaction, "_HELD_BYTES", size)
    tracemalloc.start()
    found = kept(data, (b"key",))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [record.key for one in batches(found) for record in one.records()] == [b"%d" % at for at in range(count)]
    assert peak < count * size // 2


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_batches_are_the_same_however_many_are_held(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [b"a", b"b", b"c", b"d"]
    data = b"".join(
        entries(magic, codec, [content(4 * at + one, one, keys[(at + one) % 4]) for one in range(at % 3 + 1)])
        for at, magic in enumerate([2, 2, 1, 2, 0, 2, 2, 1, 2, 2, 2])
    )
    together = kept(data, (b"b",), upper_bound=45)
    monkeypatch.setattr(compaction, "_HELD_BYTES", 0)
    apart = kept(data, (b"b",), upper_bound=45)
    assert together[:1] + together[2:] == apart[:1] + apart[2:]
