"""`records()` of partitions, of readers of a log and of what was fetched give what a loop over batches gives, and end
with its error: by kernels, by the codec, and where reading goes from one to the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import DataError, MissingDependencyError
from kformat.integers import MAX_INT64
from kformat.kafka.batch import few_records
from kformat.kafka.batch.batches import AnyBatch, iter_batches
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.kafka.batch.ready_kernels import RECORD_KERNELS
from kformat.kafka.batch.records import Record
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.columns import chunks as columns
from kformat.kafka.index.lookup import batches_from
from kformat.kafka.log.fetched import Fetched, fetched_records, wrong_checksum
from kformat.kafka.log.log_reader import LogReader
from kformat.kafka.log.partition import Partition, open_partition
from tests.damages import patched
from tests.draws import every
from tests.kafka.test_columns import a_log, old_batches
from tests.kernel_cases import mutated
from tests.samples import ROOT as SAMPLES
from tests.samples import by_root

FOLDERS = sorted({path.parent for path in SAMPLES.glob("[0-9]*/*/*.log")})
Told = tuple[list[Record], str]


def by_batches(
    partition: Partition, start_offset: int | None = None, end_offset: int | None = None, *, checksums: bool = True
) -> Iterator[Record]:
    """The records, batch by batch, by the codec: what `Partition.records` is to give."""
    start = -1 if start_offset is None else start_offset
    floor = max([0, *(number for number, one in enumerate(partition.segments) if one.base_offset <= start)])
    for segment in partition.segments[floor:]:
        if end_offset is not None and segment.base_offset >= end_offset:
            return
        for batch in segment.scan() if start <= segment.base_offset else batches_from(segment, start):
            if start_offset is not None and batch.last_offset < start_offset:
                continue
            is_wrapper = isinstance(batch, LegacyBatch) and batch.compression  # its first offset lies compressed
            is_behind = end_offset is not None and not is_wrapper and batch.base_offset >= end_offset
            if not is_behind and checksums and not batch.is_valid:
                batch.parse()
            if is_behind or (end_offset is not None and batch.base_offset >= end_offset):
                return
            for record in batch.records():
                if (start_offset is None or record.offset >= start) and (
                    end_offset is None or record.offset < end_offset
                ):
                    yield record
            if end_offset is not None and batch.next_offset >= end_offset:
                return


def told(records: Iterable[Record]) -> Told:
    """All records up to the error, and the error's text."""
    found: list[Record] = []
    try:
        for record in records:
            assert type(record) is Record
            found.append(record)
    except DataError as error:
        return found, f"{type(error).__name__}: {error}"
    return found, ""


def no_numba(*_: Any, **__: Any) -> Any:
    raise MissingDependencyError("numba", "fast")


def kernels_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(columns, "_SMALL_BYTES", -1)


def kernels_later(patch: pytest.MonkeyPatch) -> None:
    """In the middle of a file, some batches at a time, and some records of those."""
    patch.setattr(columns, "_SMALL_BYTES", -1)
    for name, value in {"is_there": False, "_read": 0, "load_bytes": 900, "compile_bytes": 900}.items():
        patch.setattr(RECORD_KERNELS, name, value)
    patch.setattr(columns, "_ASKED_AFTER", 1)
    patch.setattr(columns, "_RECORD_CHUNK_BYTES", 700)
    patch.setattr(columns, "_RECORDS_AT_ONCE", 3)


def without_numba(patch: pytest.MonkeyPatch) -> None:
    kernels_at_once(patch)
    patch.setattr(columns, "kernel", no_numba)
    patch.setattr(columns, "RowReader", no_numba)
    patch.setattr(few_records, "_functions", no_numba)


WAYS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "kernels": kernels_at_once,
    "both": kernels_later,
    "codec": without_numba,
}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    WAYS[request.param](monkeypatch)
    return str(request.param)


@pytest.mark.parametrize("root", by_root(FOLDERS))
def test_records_of_samples(root: str, way: str) -> None:
    chance = random.Random(root)
    for folder in every(5, by_root(FOLDERS)[root], len(way)):
        partition = open_partition(folder)
        expected = told(by_batches(partition))
        assert told(partition.records(before_log_start=True)) == expected, folder
        offsets = [record.offset for record in expected[0]]
        for _ in range(2 if offsets else 0):
            start, end = sorted((chance.choice(offsets), chance.choice(offsets)))
            assert told(partition.records(start, end, before_log_start=True)) == told(
                by_batches(partition, start, end)
            ), (folder, start, end)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
def test_records_of_damaged_logs(seed: int, way: str, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sound = [*(batch.raw for batch in batches_of(a_log())), *(old_batches() if seed % 2 else [])]
    for number in range(8):
        made = [batch for batch in sound if chance.random() < 0.9]
        for _ in range(chance.choice((0, 1, 1, 2))):
            row = chance.randrange(len(made))
            made[row] = mutated(made[row], chance)
        cut = chance.randrange(1, len(made))
        (folder := tmp_path / f"a-{number}").mkdir()
        for part in (made[:cut], made[cut:]):
            base_offset = int.from_bytes(part[0][:8], "big", signed=True)
            (folder / f"{max(0, base_offset):020d}.log").write_bytes(b"".join(part))
        partition = open_partition(folder)
        for _ in range(4):
            start, end = (chance.choice((None, chance.randrange(60, 420))) for _ in range(2))
            for checksums in (True, False):
                expected = told(by_batches(partition, start, end, checksums=checksums))
                assert told(partition.records(start, end, checksums=checksums)) == expected


def batches_of(data: bytes) -> list[AnyBatch]:
    return list(iter_batches(data))


def test_sequence_numbers_wrap(way: str, tmp_path: Path) -> None:
    """After 2147483647 comes 0, also where damage has made deltas negative."""
    fields = BatchFields(producer_id=1, producer_epoch=0, base_sequence=2**31 - 3)
    batch = build_batch(Columns([1] * 6, [None] * 6, [b"v"] * 6), fields=fields)
    (tmp_path / f"{0:020d}.log").write_bytes(batch + patched(batch, base_offset=6, base_sequence=-1))
    found = list(open_partition(tmp_path).records())
    assert found == list(by_batches(open_partition(tmp_path)))
    assert [record.sequence for record in found] == [2147483645, 2147483646, 2147483647, 0, 1, 2, *[-1] * 6]


def log_of_two(folder: Path, second: bytes) -> None:
    """A closed segment, and one that ends with these bytes."""
    (folder / f"{0:020d}.log").write_bytes(build_batch(Columns([1] * 100, [None] * 100, [b"v"] * 100)))
    (folder / f"{100:020d}.log").write_bytes(b"".join(numbered(100, 5)) + second)


def numbered(first: int, count: int) -> list[bytes]:
    return [
        build_batch(Columns([1] * 10, [b"k"] * 10, [b"value"] * 10), base_offset=first + 10 * number)
        for number in range(count)
    ]


def broken(batch: bytes) -> bytes:
    return batch[:-1] + bytes([batch[-1] ^ 1])


@pytest.mark.parametrize(
    ("tail", "count", "error"),
    [
        ([], 150, ""),
        ([broken(numbered(150, 1)[0])], 150, ""),  # not there yet
        ([numbered(150, 1)[0][:-30]], 150, ""),
        ([bytes(4096)], 150, ""),
        ([broken(numbered(150, 1)[0]), *numbered(160, 2)], 150, "ChecksumError"),
        ([patched(numbered(150, 1)[0], records_count=11), *numbered(160, 2)], 160, "InvalidError"),
        ([*numbered(150, 1), *numbered(20, 1)], 160, ""),  # no offset of the segment
        ([*numbered(150, 1), *numbered(20, 1), *numbered(160, 1)], 170, ""),  # which is passed over
        ([*numbered(150, 1), *numbered(150, 1), *numbered(160, 1)], 170, ""),  # written twice
        ([*numbered(170, 2)], 170, ""),  # a gap, as compaction leaves it
    ],
)
def test_a_reader_of_a_log_ends_where_batches_do(
    tail: list[bytes], count: int, error: str, way: str, tmp_path: Path
) -> None:
    """Records from spans of batches, and batch by batch: the same, and the same error."""
    log_of_two(tmp_path, b"".join(tail))
    with LogReader.open(tmp_path) as reader:
        for start, end in ((None, None), (105, 155), (120, None)):
            expected = told(
                record
                for batch in reader.batches(start, end)
                for record in batch.records()
                if record.offset >= (start or 0) and (end is None or record.offset < end)
            )
            found = told(reader.records(start, end))
            assert found[0] == sorted(set(expected[0])) and found[1] == expected[1]
        whole = told(reader.records())
    assert len(whole[0]) == count and whole[1].startswith(error) and bool(error) == bool(whole[1])


def fetched_by_codec(fetched: Fetched, end_offset: int = MAX_INT64) -> Iterator[Record]:
    for batch in fetched.batches():
        if batch.last_offset >= fetched.start_offset and not batch.is_control:
            if batch.base_offset >= end_offset:
                return
            yield from (record for record in batch.records() if fetched.start_offset <= record.offset < end_offset)
            if batch.next_offset >= end_offset:
                return


def test_what_was_fetched(way: str) -> None:
    log, damaged = a_log(), bytearray(a_log())
    damaged[-200] ^= 1
    for data in (log, bytes(damaged), log[:-20], log + bytes(100)):
        fetched = Fetched(150, 100, "orders-0", 5000, data)
        assert told(fetched.records()) == told(fetched_by_codec(fetched))
    assert wrong_checksum(batches_of(bytes(damaged))[0]).path.endswith("crc")


def test_the_first_records_of_what_was_fetched(way: str) -> None:
    """The first batch is read in another way than those after it."""
    log = a_log()
    for number, batch in enumerate(batches_of(log)[:12]):
        one = bytearray(batch.raw)
        one[-1] ^= number % 4 == 3
        following = log[batch.position + batch.size :][: (0, 20, 2000)[number % 3]]
        starts = {batch.base_offset, batch.last_offset}
        if number % 4 != 3:  # what is not wanted is not verified
            starts |= {batch.base_offset - 3, batch.last_offset + 2}
        for start in starts:
            fetched = Fetched(start, 100, "orders-0", 5000 + batch.position, bytes(one) + following)
            assert told(fetched.records()) == told(fetched_by_codec(fetched))
            for end in (start + 1, start + 4):
                assert told(fetched_records([fetched], end)) == told(fetched_by_codec(fetched, end))
                some = islice(fetched_records([fetched], end), 1), islice(fetched_by_codec(fetched, end), 1)
                assert told(some[0]) == told(some[1])


def test_a_short_log_is_read_without_numba(tmp_path: Path) -> None:
    """Loading it takes longer than reading a MiB by the codec."""
    import subprocess
    import sys

    log_of_two(tmp_path, b"")
    program = "import kformat, sys; print(len(list(kformat.open(sys.argv[1]).records())), 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "150 False\n"


def test_records_are_tuples_that_do_not_change() -> None:
    record = Record(5, 1000, 0, b"key", None)
    assert tuple(record) == (5, 1000, 0, b"key", None, (), -1)
    assert record._replace(offset=6).offset == 6
    with pytest.raises(AttributeError):
        setattr(record, "offset", 7)  # noqa: B010


def test_values_of_one_length_and_of_others(way: str, tmp_path: Path) -> None:
    """Headers, too; few bytes among many, which are not copied."""
    lengths = [[3] * 9, [0] * 9, [-1] * 9, [3, 0, -1, 700, 3, 3, 3, 3, 5000], [5000] * 9]
    made = b""
    for number, those in enumerate(lengths):
        values = [None if length < 0 else bytes([65 + at]) * length for at, length in enumerate(those)]
        pairs = [[("é", value)] * (at % 3) for at, value in enumerate(values)]
        made += build_batch(Columns([1] * 9, values[::-1], values, pairs), base_offset=9 * number)
    (tmp_path / f"{0:020d}.log").write_bytes(made)
    partition = open_partition(tmp_path)
    expected = list(by_batches(partition))
    assert list(partition.records()) == expected and len(expected) == 45
    assert list(partition.records(20, 21)) == expected[20:21]
