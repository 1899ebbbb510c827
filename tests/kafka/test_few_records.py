"""A kernel that walks over a batch gives the records and the timestamps that the codec gives, or leaves it to it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("numba")

import kformat
from kformat.errors import DataError, MissingDependencyError
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch import few_records
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.few_records import records_between, stamp_from
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.language.layout import layout
from tests.kafka.test_columns import a_log
from tests.kernel_cases import EDGES, mutated
from tests.samples import current_samples

LAYOUT = layout("record_batch")


def by_codec(batch: Batch) -> list[Record] | None:
    """All records; None if not all can be read."""
    try:
        return list(batch.records())
    except DataError:
        return None


def mended(data: bytes) -> bytes:
    changed = bytearray(data)
    LAYOUT.writer("batch_length")(changed, 0, len(changed) - LAYOUT.end("batch_length"))
    LAYOUT.mend(changed)
    return bytes(changed)


def changed(data: bytes, source: random.Random) -> bytes:
    """Damage in the records, or a number of the header at the edge of its type; or nothing."""
    match source.randrange(3):
        case 0:
            return mended(data[:61] + mutated(data[61:], source))
        case 1:
            name = source.choice(["base_offset", "base_timestamp", "max_timestamp", "base_sequence", "records_count"])
            size = LAYOUT.end(name) - LAYOUT.position(name)
            value, changed = source.choice(EDGES) % (1 << 8 * size), bytearray(data)
            LAYOUT.writer(name)(changed, 0, value - (value >> 8 * size - 1 << 8 * size))
            return mended(bytes(changed))
    return data


def compare(batch: Batch, source: random.Random) -> bool:
    """Whether the kernel read it."""
    whole = by_codec(batch)
    some: list[Any] = (whole or [])[:: max(1, len(whole or []) // 5)]
    offsets = [
        MIN_INT64,
        MAX_INT64 + 1,
        batch.base_offset,
        *(record.offset + more for record in some for more in (0, 1)),
    ]
    times = [MIN_INT64, MAX_INT64, batch.max_timestamp, *(record.timestamp for record in some)]
    has_read = False
    for _ in range(4):
        start, end = source.choice(offsets), source.choice(offsets)
        found = records_between(batch, start, end)
        if found is not None:
            assert whole is not None, batch.raw.hex()
            expected = [record for record in whole if start <= record.offset < end]
            assert list(found) == expected and [tuple(map(type, one)) for one in expected] == [
                tuple(map(type, one)) for one in records_between(batch, start, end) or ()
            ]
            has_read = True
        first, last = source.choice(times), max(batch.max_timestamp, source.choice(times))
        if first <= batch.max_timestamp:
            start = min(start, MAX_INT64)
            stamp = stamp_from(batch, start, first, last)
            if stamp is not None:
                suited = (
                    (one.timestamp, one.offset)
                    for one in whole or ()
                    if first <= one.timestamp <= last and one.offset >= start
                )
                assert whole is not None and stamp == next(suited, ())
            assert (stamp is None) == (found is None)
    return has_read


def batches() -> Iterator[Batch]:
    for batch in iter_batches(a_log()):
        assert isinstance(batch, Batch)
        yield batch
    pairs: list[Any] = [[("h", None), ("é", b"v")], [], [("\udcff", b"")]] * 40
    columns = Columns([5, 4, 9] * 40, [b"k", None, b""] * 40, [b"value" * 20, b"", None] * 40, pairs)
    offsets = columns._replace(offsets=range(7, 7 + 3 * 120, 3))
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        for some in (columns, offsets):
            yield Batch(build_batch(some, fields=BatchFields(compression=codec)))
    yield Batch(
        build_batch(offsets, fields=BatchFields(append_time=77, producer_id=1, producer_epoch=0, base_sequence=2))
    )


def run(seed: int, cases: int) -> None:
    source, sound = random.Random(seed), list(batches())
    assert all(compare(batch, source) for batch in sound)
    read = 0
    for _ in range(cases):
        raw = changed(source.choice(sound).raw, source)
        if len(raw) >= 61:
            read += compare(Batch(raw), source)
    assert 0.3 * cases < read < 0.97 * cases


def test_the_kernel_and_the_codec_agree() -> None:
    run(1, 600)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_the_kernel_and_the_codec_agree_many_times(seed: int) -> None:
    run(seed, 5000)


def test_batches_of_brokers() -> None:
    source, read = random.Random(1), 0
    for sample in current_samples():
        for segment in sample.open().segments:
            for number, batch in enumerate(iter_batches(segment.log)):
                if isinstance(batch, Batch) and batch.records_count > 0 and number < 40:
                    assert compare(batch, source)
                    read += 1
    assert read > 300


def test_an_offset_that_stands_several_times() -> None:
    """Found by night: as many records were given as there are offsets in the range."""
    built = build_batch(Columns([1, 2, 3], [b"a", b"b", b"c"], [None] * 3))
    value: Any = kformat.parse("record_batch", built)
    for record in value.records:
        record.offset_delta = 0
    raw = kformat.build("record_batch", value)
    batch = Batch(raw)
    assert [record.key for record in records_between(batch, 0, 1) or ()] == [b"a", b"b", b"c"]
    assert list(batch.records()) == list(records_between(batch, 0, 1) or ())


def test_a_count_of_records_that_cannot_be_takes_no_memory() -> None:
    raw = bytearray(build_batch(Columns([1], [b"k"], [b"v"])))
    LAYOUT.writer("records_count")(raw, 0, 2**31 - 1)
    LAYOUT.mend(raw)
    batch = Batch(bytes(raw))
    assert records_between(batch, 0, 1) is None and stamp_from(batch, 0, 1) is None


def test_numba_is_loaded_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"is_there": False, "_read": 0, "load_bytes": 1000, "compile_bytes": 1000}.items():
        monkeypatch.setattr(RECORD_KERNELS, name, value)
    batch = Batch(build_batch(Columns([1], [b"k"], [b"v" * 400])))
    assert [records_between(batch, 0, 1) is not None for _ in range(4)] == [False, False, True, True]


def test_without_numba_the_codec_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise MissingDependencyError("numba", "fast")

    monkeypatch.setattr(few_records, "_functions", missing)
    batch = Batch(build_batch(Columns([1], [b"k"], [b"v"])))
    assert [records_between(batch, 0, 1), stamp_from(batch, 0, 1)] == [None, None]
