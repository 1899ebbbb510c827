"""Columns are the records that the codec gives, for sound bytes and for all others: the same rows, the same error."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kformat.errors import DataError, UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.columns.chunks import (
    BATCH_COLUMNS,
    COLUMNS,
    PLACE_COLUMNS,
    RECORD_COLUMNS,
    Chunk,
    Threads,
    Viewed,
    Wanted,
    _Decoder,
    _Reader,
    read_chunks,
)
from kformat.kafka.log.partition import Partition, open_partition
from tests.draws import at_most, every
from tests.kernel_cases import mutated
from tests.samples import ROOT as SAMPLES
from tests.samples import by_root

Row = tuple[Any, ...]
LOGS = sorted(SAMPLES.glob("[0-9]*/*/*.log"))


def by_codec(data: Any, *, include_control: bool = True, checksums: bool = True) -> Iterator[Row]:
    """Rows with all columns, as the codec reads them."""
    for batch in iter_batches(data):
        if checksums and not batch.is_valid:
            batch.parse()
        if batch.is_control and not include_control:
            continue
        of_batch = [getattr(batch, name) if isinstance(batch, Batch) else -1 for name in BATCH_COLUMNS]
        for record in batch.records():
            headers = tuple((key.encode("utf-8", "surrogateescape"), value) for key, value in record.headers)
            yield (
                *(record.offset, record.timestamp, int(record.timestamp_type), record.key, record.value, headers),
                record.sequence,
                *of_batch,
            )


def rows_of(chunk: Chunk) -> list[Row]:
    """A chunk's rows, with the columns that it has, in the order of `COLUMNS`."""
    columns: list[list[Any]] = []
    for name in COLUMNS:
        if name in chunk.viewed:
            columns.append(list(by_views(chunk.viewed[name])))
        elif name in ("key", "value"):
            scattered = getattr(chunk, name)
            columns += [] if scattered is None else [scattered.to_list()]
        elif name == "headers":
            if chunk.headers is not None:
                pairs = list(zip(chunk.headers.keys.to_list(), chunk.headers.values.to_list(), strict=True))
                ends = chunk.headers.offsets.tolist()
                columns.append([tuple(pairs[a:b]) for a, b in itertools.pairwise(ends)])
        elif name in chunk.numbers:
            columns.append(chunk.numbers[name].tolist())
    assert all(len(column) == len(chunk) for column in columns)
    return list(zip(*columns, strict=True))


def by_views(column: Viewed) -> Iterator[bytes | None]:
    """The bytes that Arrow's views stand for."""
    for view, is_there in zip(column.views, column.is_there.tolist(), strict=True):
        size, (prefix, buffer, position) = int(view.view(np.uint32)[0]), view.view(np.uint32)[1:].tolist()
        inline = view.tobytes()[4:]
        assert size > 12 or not any(inline[size:])
        found = inline[:size] if size <= 12 else column.data[position : position + size].tobytes()
        assert size <= 12 or (prefix.to_bytes(4, "little"), buffer) == (found[:4], 0)
        yield found if is_there else None


def told(rows: Iterator[Any]) -> tuple[list[Row], str]:
    """All rows up to the error, and the error's text."""
    found: list[Row] = []
    try:
        for item in rows:
            found += rows_of(item) if isinstance(item, Chunk) else [item]
    except DataError as error:
        return found, f"{type(error).__name__}: {error}"
    return found, ""


def read(data: Any, wanted: Wanted, **more: Any) -> tuple[list[Row], str]:
    """What `read_chunks` gives, where bytes stay where they are, are packed, or are views, which is the same."""
    found = told(read_chunks(data, wanted, **more))
    assert told(read_chunks(data, wanted, **more, allocate=allocate, as_views=True)) == found
    assert told(read_chunks(data, wanted, **more, allocate=allocate)) == found
    with Threads(3) as threads:
        assert told(read_chunks(data, wanted, **more, allocate=allocate, threads=threads)) == found
    return found


def allocate(size: int) -> np.ndarray[Any, Any]:
    return np.full(size, 0xA5, np.uint8)


def everything(**more: Any) -> Wanted:
    return Wanted(columns=COLUMNS, include_control=True, **more)


@pytest.mark.parametrize("root", by_root(LOGS))
def test_columns_of_samples_are_the_records(root: str) -> None:
    for path in every(8, by_root(LOGS)[root], len(root)):
        expected = told(by_codec(path))
        assert read(path, everything()) == expected, path
        assert read(path, everything(), chunk_bytes=700) == expected, path


@pytest.mark.parametrize("path", every(8, LOGS, 3), ids=lambda path: str(path.relative_to(SAMPLES)))
def test_places_of_samples_are_those_of_their_batches(path: Path) -> None:
    def of_batches(path: Path) -> Iterator[Row]:
        for batch in iter_batches(path):
            place = (batch.base_offset, batch.position, batch.compression, batch.is_transactional, batch.is_control)
            for record in batch.records():
                yield record.offset, *place

    def places(chunks: Iterator[Chunk]) -> Iterator[Row]:
        for chunk in chunks:
            assert {name: chunk.numbers[name].dtype for name in PLACE_COLUMNS} == PLACE_COLUMNS
            columns = [chunk.numbers[name].tolist() for name in ("offset", *PLACE_COLUMNS)]
            yield from zip(*columns, strict=True)

    wanted = Wanted(columns=("offset", *PLACE_COLUMNS), include_control=True)
    expected = told(of_batches(path))
    assert told(places(read_chunks(path, wanted))) == expected
    assert told(places(read_chunks(path, wanted, chunk_bytes=700))) == expected


@pytest.mark.parametrize("chunk_bytes", [1000, 1 << 20])
def test_checksums_of_what_is_not_asked_for_are_not_looked_at(log: bytes, chunk_bytes: int) -> None:
    batches = list(iter_batches(log))
    middle = batches[10:20]
    damaged = bytearray(log)
    for batch in (batches[3], batches[25]):
        damaged[batch.position + batch.size - 1] ^= 1
    wanted = Wanted(columns=COLUMNS, start_offset=middle[0].base_offset, end_offset=middle[-1].next_offset)
    found = read(bytes(damaged), wanted, chunk_bytes=chunk_bytes)
    assert found == read(log, wanted) and found[0] and not found[1]


def test_what_is_behind_the_last_offset_is_not_looked_at(log: bytes) -> None:
    sound = read(log, Wanted(columns=COLUMNS, end_offset=150))
    damaged = bytearray(log)
    behind = next(batch.position for batch in iter_batches(log) if batch.base_offset >= 150)
    damaged[behind + 4000 :] = bytes(len(damaged) - behind - 4000)
    assert read(bytes(damaged), Wanted(columns=COLUMNS, end_offset=150), chunk_bytes=2000) == sound
    assert sound[0] and not sound[1]


@pytest.fixture
def log() -> bytes:
    return a_log()


def a_log(codecs: Sequence[str] = ("none", "none", "gzip", "snappy", "lz4", "zstd")) -> bytes:
    """Batches of these codecs, of all sizes and kinds, with nulls, headers and gaps between offsets."""
    chance, made, offset = random.Random(7), [], 100
    for number in range(30):
        count = chance.choice((1, 2, 3, 20))
        values = [chance.choice((None, b"", chance.randbytes(chance.choice((1, 30, 200))))) for _ in range(count)]
        keys = [chance.choice((None, b"", b"key")) for _ in range(count)]
        headers = [[("h", None), ("é", b"x")] if chance.random() < 0.3 else [] for _ in range(count)]
        fields = BatchFields(
            leader_epoch=number // 10,
            compression=codecs[number % len(codecs)],
            append_time=5000 + number if number % 7 == 3 else None,
            producer_id=number if number % 3 else -1,
            producer_epoch=1 if number % 3 else -1,
            base_sequence=10 if number % 3 else -1,
        )
        times = [1000 + 10 * number + chance.randint(-9, 9) for _ in range(count)]
        made.append(build_batch(Columns(times, keys, values, headers), base_offset=offset, fields=fields))
        offset += count + chance.choice((0, 0, 5))
    return b"".join(made)


def test_memory_for_inflating_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was packed before nothing changes by that, and one batch may be larger than the room."""
    monkeypatch.setattr("kformat.kafka.columns.chunks._INFLATED_BYTES", 3000)
    values: list[bytes | None] = [bytes([65 + number % 26]) * (10 << number % 12) for number in range(40)]
    made = b""
    for number, value in enumerate(values):
        fields = BatchFields(compression=("gzip", "snappy", "lz4", "zstd")[number % 4])
        made += build_batch(Columns([number], [None], [value]), base_offset=number, fields=fields)
    for given in (None, allocate):
        chunks = list(read_chunks(made, everything(), allocate=given))
        assert 10 < len(chunks) < 40
        kept = [value for chunk in chunks if chunk.value is not None for value in chunk.value.to_list()]
        assert kept == values


@pytest.mark.parametrize("chunk_bytes", [1, 61, 300, 1000, 1 << 20])
def test_chunks_of_any_size_hold_the_same(log: bytes, chunk_bytes: int) -> None:
    expected = list(by_codec(log))
    assert read(log, everything(), chunk_bytes=chunk_bytes) == (expected, "")


@pytest.mark.parametrize(("piece", "batches"), [(1, 2), (70, 1), (300, 256), (20_000, 3)])
def test_pieces_of_any_size_hold_the_same(
    tmp_path: Path, piece: int, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel reads files itself, piece by piece; a batch may be larger than a piece."""
    log = a_log(["none"])
    (path := tmp_path / f"{0:020d}.log").write_bytes(log)
    monkeypatch.setattr("kformat.kafka.columns.record_kernels._PIECE_BYTES", piece)
    monkeypatch.setattr("kformat.kafka.columns.record_kernels._BATCHES_AT_ONCE", batches)
    expected = list(by_codec(log))
    monkeypatch.setattr(_Decoder, "chunks", lambda *_: pytest.fail("the batches are plain"))
    for chunk_bytes in (5000, 1 << 20):
        assert read(path, everything(), chunk_bytes=chunk_bytes) == (expected, "")
        assert read(log, everything(), chunk_bytes=chunk_bytes) == (expected, "")


def test_a_file_without_pread_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / f"{0:020d}.log").write_bytes(log := a_log(["none"]))
    monkeypatch.setattr("kformat.kernels.pieces.address_of_pread", lambda: None)
    assert read(path, everything(), chunk_bytes=5000) == (list(by_codec(log)), "")


def test_without_numba_it_is_the_same(log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read(log, everything())
    monkeypatch.setattr(_Reader, "_plain", lambda self, data: None)
    monkeypatch.setattr(_Reader, "_block", lambda self, data: None)
    assert read(log, everything()) == expected


def test_plain_batches_are_the_same_when_they_are_taken_for_others(log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read(log, everything())
    monkeypatch.setattr(_Decoder, "_tries_plain", lambda self, size: False)
    assert read(log, everything()) == expected


def test_there_is_room_for_any_number_of_batches_rows_and_bytes() -> None:
    """From one chunk to the next they become many more than before; and so do headers."""
    log, offset = b"", 0
    values: list[bytes | None] = []
    for count, size in ((1, 5), (1, 5), (3000, 0), (2, 9000), (4000, 1)):
        for number in range(count if size < 5 else 1):
            records = 1 if size < 5 else count
            made = [None if (number + row) % 7 == 0 else bytes([row % 251]) * size for row in range(records)]
            pairs = [[("k", b"v")] * (number % 3) for _ in range(records)]
            columns = Columns([number] * records, [b"key"] * records, made, pairs)
            log += build_batch(columns, base_offset=offset, fields=BatchFields())
            offset, values = offset + records, values + made
    for given in (None, allocate):
        for chunk_bytes in (1000, 40_000, 1 << 20):
            chunks = list(read_chunks(log, everything(), chunk_bytes=chunk_bytes, allocate=given))
            kept = [value for chunk in chunks if chunk.value is not None for value in chunk.value.to_list()]
            assert kept == values
            assert np.concatenate([chunk.numbers["offset"] for chunk in chunks]).tolist() == list(range(offset))


@pytest.mark.parametrize("kind", ["headers", "value", "key"])
def test_one_large_record_takes_no_more_memory_than_it_needs(kind: str, tmp_path: Path) -> None:
    """After many small ones, at the beginning of a chunk: what all of the chunk would take, if it were as large."""
    small = build_batch(Columns([1] * 200, [b"k"] * 200, [b"v"] * 200), fields=BatchFields())
    large, headers = b"x" * 300_000, [("h", b"")] * (60_000 if kind == "headers" else 0)
    columns = Columns([1], [large if kind == "key" else b"k"], [large if kind == "value" else b"v"], [headers])
    log = small * 400 + build_batch(columns, fields=BatchFields()) * 12
    (path := tmp_path / f"{0:020d}.log").write_bytes(log)
    asked = list[int]()

    def noted(size: int) -> np.ndarray[Any, Any]:
        asked.append(size)
        return np.empty(size, np.uint8)

    for data in (path, log):
        for as_views in (False, True):
            chunks = read_chunks(data, everything(), chunk_bytes=1 << 20, allocate=noted, as_views=as_views)
            assert sum(map(len, chunks)) == 80_012
        assert sum(map(len, read_chunks(data, everything(), chunk_bytes=1 << 20))) == 80_012
    assert max(asked) < 32 << 20


@pytest.mark.parametrize(
    "columns", [("offset",), ("value",), ("headers",), ("timestamp_type", "key"), ("producer_id",), ()]
)
def test_only_what_is_asked_for_is_made(log: bytes, columns: tuple[str, ...]) -> None:
    places = [COLUMNS.index(name) for name in COLUMNS if name in columns]
    expected = [tuple(row[place] for place in places) for row in by_codec(log)]
    chunks = list(read_chunks(log, Wanted(columns=columns)))
    assert sum(map(len, chunks)) == len(expected)
    assert not columns or [row for chunk in chunks for row in rows_of(chunk)] == expected
    assert all(set(chunk.numbers) <= set(columns) for chunk in chunks)


@pytest.mark.parametrize(
    ("limits", "keep"),
    [
        ({"start_offset": 150}, lambda row: row[0] >= 150),
        ({"end_offset": 150}, lambda row: row[0] < 150),
        ({"start_offset": 120, "end_offset": 260}, lambda row: 120 <= row[0] < 260),
        ({"start_offset": 10**6}, lambda row: False),
        ({"since_ms": 1100}, lambda row: row[1] >= 1100),
        (
            {"since_ms": 1100, "until_ms": 1200, "start_offset": 130},
            lambda row: 1100 <= row[1] < 1200 and row[0] >= 130,
        ),
    ],
)
def test_ranges(log: bytes, limits: dict[str, int], keep: Any) -> None:
    expected = [row for row in by_codec(log) if keep(row)]
    assert read(log, everything(**limits), chunk_bytes=2000) == (expected, "")
    assert sum(len(chunk) for chunk in read_chunks(log, replace(everything(**limits), columns=()))) == len(expected)


def test_control_records_are_left_out_unless_asked_for() -> None:
    path = next(path for path in LOGS if any(batch.is_control for batch in iter_batches(path)))
    without = [row for chunk in read_chunks(path, Wanted(columns=COLUMNS)) for row in rows_of(chunk)]
    assert without == list(by_codec(path, include_control=False)) != list(by_codec(path))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("checksums", [True, False])
def test_damaged_logs_give_the_same_rows_and_the_same_error(log: bytes, seed: int, checksums: bool) -> None:
    chance = random.Random(seed)
    for number in range(at_most(60)):
        damaged = mutated(log, chance)
        expected = told(by_codec(damaged, checksums=checksums))
        wanted = everything(checksums=checksums)
        assert read(damaged, wanted, chunk_bytes=(300, 5000, 1 << 20)[number % 3]) == expected


def segments_in(folder: Path, logs: list[bytes]) -> Partition:
    """Logs as the segments of a partition, by the first offset in each."""
    for log in logs:
        base_offset = int.from_bytes(log[:8], "big", signed=True)
        (folder / f"{max(0, base_offset):020d}.log").write_bytes(log)
    return open_partition(folder)


def old_batches() -> list[bytes]:
    """Messages of magic 0 and 1, and wrappers."""
    found: list[bytes] = []
    for path in LOGS:
        for batch in iter_batches(path):
            if batch.magic < CURRENT_MAGIC and len(found) < 12:
                found.append(batch.raw)
    return found


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
def test_ranges_of_damaged_logs_are_the_same_with_numba_and_without(
    log: bytes, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offsets out of order, damage in the range and outside of it, one segment and two: what `Partition.records` gives,
    and ends with, is what columns give, where checksums are not looked at; and with them, that up to the first."""
    chance = random.Random(seed)
    sound = [*(batch.raw for batch in iter_batches(log)), *(old_batches() if seed % 3 == 2 else [])]
    for number in range(10):
        made = [batch for batch in sound if chance.random() < 0.9]
        for _ in range(chance.choice((0, 0, 2))):
            made.insert(chance.randrange(len(made)), made.pop(chance.randrange(len(made))))
        for _ in range(chance.choice((0, 1, 1, 2))):
            row = chance.randrange(len(made))
            made[row] = mutated(made[row], chance)
        cut = chance.randrange(1, len(made))
        (folder := tmp_path / f"a-{number}").mkdir()
        partition = segments_in(folder, [b"".join(made[:cut]), b"".join(made[cut:])])
        for _ in range(6):
            start, end = (chance.choice((None, chance.randrange(60, 420))) for _ in range(2))
            bounds = (("start_offset", start), ("end_offset", end))
            limits: dict[str, Any] = {name: offset for name, offset in bounds if offset is not None}
            times: dict[str, Any] = {"since_ms": 1000, "until_ms": 1200} if chance.random() < 0.2 else {}
            for checksums in (False, True):
                records = told(row_of(record) for record in partition.records(start, end, checksums=checksums))
                wanted = Wanted(columns=RECORD_COLUMNS, include_control=True, checksums=checksums, **limits, **times)
                found = told(partition.chunks(wanted, chunk_bytes=chance.choice((300, 5000, 1 << 20))))
                assert told(partition.chunks(wanted, chunk_bytes=1000, threads=2)) == found
                with monkeypatch.context() as without:
                    without.setattr(_Reader, "_plain", lambda self, data: None)
                    without.setattr(_Reader, "_block", lambda self, data: None)
                    assert told(partition.chunks(wanted)) == found
                assert times or found == records


def row_of(record: Record) -> Row:
    headers = tuple((key.encode("utf-8", "surrogateescape"), value) for key, value in record.headers)
    return record.offset, record.timestamp, int(record.timestamp_type), record.key, record.value, headers


def test_damage_in_inflated_records_and_rows_before_it() -> None:
    """A batch whose count is too large, compressed: the records that are there come, then the error."""
    from tests.damages import patched

    for compression in ("none", "lz4"):
        fields = BatchFields(compression=compression)
        batch = build_batch(Columns([1, 2, 3], [None] * 3, [b"a", b"b", b"c"]), fields=fields)
        data = batch + patched(batch, records_count=4) + batch
        expected = told(by_codec(data))
        assert len(expected[0]) == 6 and expected[1]
        assert read(data, everything()) == expected


def test_room_behind_the_batches_is_their_end(log: bytes, tmp_path: Path) -> None:
    expected = list(by_codec(log))
    assert read(log + bytes(5000), everything(), chunk_bytes=2000) == (expected, "")
    rows, error = read(log + bytes(5000) + b"x", everything())
    assert rows == expected and error.startswith("InvalidError")


def test_unknown_columns_are_refused() -> None:
    with pytest.raises(UsageError, match="'nope'"):
        Wanted(columns=("offset", "nope"))
    assert set(RECORD_COLUMNS) < set(COLUMNS)


KINDS = {
    "offset": np.dtype("i8"),
    "timestamp": np.dtype("i8"),
    "timestamp_type": np.dtype("i1"),
    "partition_leader_epoch": np.dtype("i4"),
    "producer_id": np.dtype("i8"),
    "producer_epoch": np.dtype("i2"),
    "base_sequence": np.dtype("i4"),
    "sequence": np.dtype("i4"),
}


def test_types() -> None:
    log = a_log()
    legacy = next(path for path in LOGS if next(iter(iter_batches(path))).magic == 1)
    for chunk in (next(read_chunks(log, Wanted(columns=COLUMNS))), next(read_chunks(legacy, Wanted(columns=COLUMNS)))):
        kinds = {name: column.dtype for name, column in chunk.numbers.items()}
        assert kinds == KINDS


@pytest.mark.parametrize("limits", [{"start_offset": 2**70}, {"end_offset": -(2**70)}, {"end_offset": -(2**63)}])
def test_offsets_beyond_their_numbers_are_those_of_nothing(log: bytes, limits: dict[str, int]) -> None:
    plain = build_batch(Columns([1], [None], [b"value"]), base_offset=5, fields=BatchFields())
    assert read(plain, everything(**limits)) == read(log, everything(**limits)) == ([], "")
    assert read(plain, everything(start_offset=-(2**70), end_offset=2**70)) == read(plain, everything())
