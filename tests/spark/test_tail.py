"""The stream's side of planning, without Spark: ends, limits, and that what lies between two ends is always the same.

Ends are held against the single-machine reader on every sample; tests/spark/test_stream.py follows a writer in Spark.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import kformat
import kformat.language.layout
from kformat.errors import DataError, RecordsDeletedError, UsageError
from kformat.spark.options import parse_options
from kformat.spark.plan import Task, partitions
from kformat.spark.tail import Tail
from tests.draws import every
from tests.dump_cases import offset_index
from tests.samples import ROOT as SAMPLES
from tests.samples import Sample
from tests.spark.test_plan import HOLDING, INDEXED, batch, found_in, needs_arrow, rows, segment, splits_end, whole


def tail_of(path: str | Path, **options: Any) -> Tail:
    given = {name: str(value) for name, value in options.items()}
    return Tail(parse_options({"path": str(path), **given}, is_stream=True))


def offsets_of(tail: Tail, start: dict[str, int], end: dict[str, int]) -> list[int]:
    return [row[0] for row in found_in(itertools.chain.from_iterable(tail.tasks(start, end)))]


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"endingOffsets": "latest"}, "option endingOffsets: a stream has no end"),
        ({"endingTimestamp": "5"}, "option endingTimestamp: a stream has no end"),
        ({"minOffsetsPerTrigger": "5"}, "option minOffsetsPerTrigger: not there yet"),
        ({"maxTriggerDelay": "5m"}, "option maxTriggerDelay: not there yet"),
        ({"maxOffsetsPerTrigger": "5", "maxBytesPerTrigger": "5"}, "only one of them may be given"),
        ({"maxOffsetsPerTrigger": "0"}, "expected a number above 0"),
        ({"maxBytesPerTrigger": "x"}, "expected bytes"),
        ({"rows": "segments"}, "rows='segments': there are records, batches"),
        ({"maxOffsetPerTrigger": "5"}, "unknown option 'maxOffsetPerTrigger': did you mean maxOffsetsPerTrigger"),
    ],
)
def test_what_a_stream_cannot_do_is_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tail_of(tmp_path, **options)


def test_a_stream_begins_with_what_comes_unless_told_otherwise(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 5, batch(5), batch(8))
    times = {"startingTimestamp": "1700000000001"}
    assert tail_of(tmp_path).first() == tail_of(tmp_path, startingOffsets="latest").first() == {"t-0": 11}
    assert tail_of(tmp_path, startingOffsets="earliest").first() == {"t-0": 5}
    assert tail_of(tmp_path, startingOffsets='{"t":{"0":7}}').first() == {"t-0": 7}
    assert tail_of(tmp_path, startingOffsets='{"t":{"0":-1}}').first() == {"t-0": 11}
    assert tail_of(tmp_path, startingOffsets='{"t":{"0":-2}}').first() == {"t-0": 5}
    assert tail_of(tmp_path, **times).first() == {"t-0": 6}


# Ends


@pytest.mark.parametrize("sample", every(4, HOLDING, 2), ids=str)
def test_a_sample_ends_where_its_last_batch_does(sample: Sample) -> None:
    name = sample.path.name
    tail = tail_of(sample.path, startingOffsets="earliest")
    assert tail.ends() == tail.ends() == {name: splits_end(sample.path)}


@needs_arrow
@pytest.mark.parametrize("sample", every(24, HOLDING), ids=str)
def test_any_steps_have_every_record_once(sample: Sample) -> None:
    expected = [offset for offset, _ in whole(sample.path)]
    for limits in ({"most_offsets": 7}, {"most_bytes": 1000}, {}):
        tail = tail_of(sample.path, startingOffsets="earliest")
        start, found, ends = tail.first(), [], tail.ends()
        for _ in range(10_000):
            end = tail.until(start, ends, **limits)
            if end == start:
                break
            again = tail_of(sample.path, splitBytes=300)  # another process that plans the same batch anew
            step = offsets_of(tail, start, end)
            assert step == offsets_of(again, start, end)
            found += step
            assert len(step) <= limits.get("most_offsets", len(step))
            start = end
        assert start == ends
        assert found == expected


def test_what_is_being_written_is_not_counted(tmp_path: Path) -> None:
    folder, first, second = tmp_path / "t-0", batch(0), batch(3)
    log = segment(folder, 0, first)
    tail = tail_of(tmp_path, startingOffsets="earliest")
    assert tail.ends() == {"t-0": 3}
    for cut in (1, 12, 17, 61, len(second) - 10):
        log.write_bytes(first + second[:cut])
        assert tail.ends() == {"t-0": 3}
        log.write_bytes(first + second[:cut] + bytes(len(second) - cut))  # all its bytes are there, but not its own
        assert tail.ends() == {"t-0": 3}
        log.write_bytes(first + second[:cut] + bytes(9999))  # preallocated
        assert tail.ends() == {"t-0": 3}
    log.write_bytes(first + second)
    assert tail.ends() == {"t-0": 6}
    segment(folder, 6)
    assert tail.ends() == {"t-0": 6}
    segment(folder, 6, batch(6))
    segment(tmp_path / "u-0", 70, batch(70))
    assert tail.ends() == {"t-0": 9, "u-0": 73}
    (folder / f"{6:020}.index").write_bytes(offset_index((1, 999)))
    assert tail_of(tmp_path).ends() == {"t-0": 9, "u-0": 73}


@needs_arrow
def test_a_batch_of_a_stream_stays_the_same_whatever_grows(tmp_path: Path) -> None:
    folder = tmp_path / "t-0"
    log = segment(folder, 0, batch(0), batch(3))
    before = offsets_of(tail_of(tmp_path), {"t-0": 1}, {"t-0": 6})
    assert before == [1, 2, 3, 4, 5]
    torn = bytearray(batch(6))
    torn[-1] ^= 1
    for behind in (b"", b"\x00" * 5, batch(6), bytes(torn), batch(6)[:30], batch(6) + bytes(torn)):
        log.write_bytes(batch(0) + batch(3) + behind)
        assert offsets_of(tail_of(tmp_path), {"t-0": 1}, {"t-0": 6}) == before
    segment(folder, 12, batch(12))
    segment(tmp_path / "u-0", 0, batch(0))
    assert offsets_of(tail_of(tmp_path), {"t-0": 1}, {"t-0": 6}) == before
    # A partition that was not there before begins with its first offset.
    assert offsets_of(tail_of(tmp_path), {"t-0": 6}, {"t-0": 6, "u-0": 2}) == [0, 1]


def test_shares_are_those_of_sparks_kafka_source(tmp_path: Path) -> None:
    tail = tail_of(tmp_path)
    start = {"a-0": 0, "a-1": 100, "a-2": 7}
    ends = {"a-0": 1000, "a-1": 110, "a-2": 7}
    assert tail.until(start, ends, most_offsets=101) == {"a-0": 100, "a-1": 101, "a-2": 7}
    assert tail.until(start, ends, most_offsets=1010) == ends
    assert tail.until(start, ends, most_offsets=2) == {"a-0": 1, "a-1": 101, "a-2": 7}


@needs_arrow
def test_where_a_new_partition_begins_is_known_from_then_on(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    tail = tail_of(tmp_path, startingOffsets="earliest")
    start = tail.until(tail.first(), tail.ends())
    segment(tmp_path / "u-0", 5, batch(5))
    segment(tmp_path / "u-0", 8, batch(8))
    begins = tail.until(start, tail.ends())
    assert begins == {"t-0": 3, "u-0": 5}
    assert tail.tasks(start, begins) == []
    end = tail.until(begins, tail.ends())
    assert end == {"t-0": 3, "u-0": 11}
    assert offsets_of(tail, begins, end) == [5, 6, 7, 8, 9, 10]
    (tmp_path / "u-0" / f"{5:020}.log").unlink()
    text = "u-0: records were deleted before they were read: offset 5 was next, the log starts at offset 8"
    with pytest.raises(RecordsDeletedError, match=text):
        tail.tasks(begins, end)


def test_logs_do_not_shrink(tmp_path: Path) -> None:
    batches = [batch(first) for first in range(0, 30, 3)]
    log = segment(tmp_path / "t-0", 0, *batches)
    tail = tail_of(tmp_path, startingOffsets="earliest")
    start = tail.first()
    end = tail.until(start, tail.ends())
    assert end == {"t-0": 30}
    log.write_bytes(b"".join(batches[:5]))
    for one in (tail, tail_of(tmp_path)):
        with pytest.raises(UsageError, match="t-0: it was read up to offset 30, and ends in front of 15 now"):
            one.until(end, one.ends())
        with pytest.raises(UsageError, match="t-0: it is to be read up to offset 30, and ends in front of 15 now"):
            one.tasks(start, end)
    log.write_bytes(b"".join(batches[:5]) + b"".join(batch(first, 1) for first in range(15, 60)))
    assert tail.ends() == tail_of(tmp_path).ends() == {"t-0": 60}
    shutil.rmtree(tmp_path / "t-0")
    with pytest.raises(UsageError, match="t-0: its files are gone, it was read up to offset 30"):
        tail.until(end, tail.ends())
    assert tail_of(tmp_path, failOnDataLoss="false").until(end, {}) == end


@needs_arrow
def test_a_segment_that_is_being_put_in_place_is_waited_for(tmp_path: Path) -> None:
    """Between the old one's going and the new one's coming there is a hole, which no plan may leave out."""
    segment(tmp_path / "t-0", 0, batch(0))
    log = segment(tmp_path / "t-0", 3, batch(3))
    segment(tmp_path / "t-0", 6, batch(6))
    tail, swap = tail_of(tmp_path, startingOffsets="earliest"), log.with_name(log.name + ".swap")
    start, end = tail.first(), tail.ends()
    log.rename(swap)
    threading.Timer(0.1, swap.rename, (log,)).start()
    assert offsets_of(tail, start, end) == list(range(9))
    log.rename(swap)  # what a dead broker left is not waited for
    os.utime(tmp_path / "t-0", (1, 1))
    begun = time.monotonic()
    assert offsets_of(tail, start, end) == [0, 1, 2, 6, 7, 8]
    assert time.monotonic() - begun < 30


def test_a_segment_that_goes_before_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment(tmp_path / "t-0", 0, batch(0))
    log = segment(tmp_path / "t-0", 3, batch(3))
    tail, listed = tail_of(tmp_path), partitions
    assert tail.ends() == {"t-0": 6}

    def list_and_delete(request: Any) -> Any:
        found = listed(request)
        log.unlink(missing_ok=True)
        return found

    monkeypatch.setattr("kformat.spark.tail.partitions", list_and_delete)
    assert tail.ends() == {"t-0": 3}


@needs_arrow
@pytest.mark.parametrize("length", [b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff"])
def test_damage_on_the_way_is_no_end(tmp_path: Path, length: bytes) -> None:
    batches = [bytearray(batch(first)) for first in range(0, 30, 3)]
    starts = [sum(map(len, batches[:number])) for number in range(10)]
    position = kformat.language.layout.layout("record_batch").position("batch_length")
    batches[3][position : position + 4] = length
    segment(tmp_path / "t-0", 0, *map(bytes, batches))
    (tmp_path / "t-0" / f"{0:020}.index").write_bytes(offset_index((17, starts[5]), (26, starts[8])))
    tail = tail_of(tmp_path, startingOffsets="earliest")
    assert tail.ends() == {"t-0": 30}
    for start, end in ((0, 15), (9, 15), (0, 30)):
        with pytest.raises(DataError):
            offsets_of(tail, {"t-0": start}, {"t-0": end})
    assert offsets_of(tail, {"t-0": 0}, {"t-0": 9}) == list(range(9))
    skipping = tail_of(tmp_path, onCorrupt="skip")
    assert [row[0] for task in skipping.tasks({"t-0": 0}, {"t-0": 30}) for row in skipped(task)] == list(range(30))


def skipped(task: Task) -> list[tuple[int, int]]:
    return [(row["offset"], row["timestamp"]) for row in rows(task, on_corrupt="skip")]


@needs_arrow
def test_batches_come_once_though_ends_lie_in_them(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 10), batch(10, 10))
    tail = tail_of(tmp_path, startingOffsets="earliest", rows="batches")
    start, ends, found = tail.first(), tail.ends(), []
    while start != ends:
        end = tail.until(start, ends, most_offsets=4)
        found += [row["base_offset"] for task in tail.tasks(start, end) for row in rows(task, "batches")]
        start = end
    assert found == [0, 10]


def test_an_unsound_end_is_not_one(tmp_path: Path) -> None:
    batches = [bytearray(batch(first)) for first in range(0, 30, 3)]
    batches[9][-1] ^= 1
    starts = [sum(map(len, batches[:number])) for number in range(10)]
    segment(tmp_path / "t-0", 0, *map(bytes, batches))
    for entries in ([(17, starts[5]), (29, starts[9])], [(29, starts[9])], [(5, -5), (17, starts[5]), (29, -1)]):
        (tmp_path / "t-0" / f"{0:020}.index").write_bytes(offset_index(*entries))
        assert tail_of(tmp_path).ends() == tail_of(tmp_path).first() == {"t-0": 27}


def test_a_start_has_to_name_all_partitions(tmp_path: Path) -> None:
    for name in ("t-0", "t-1"):
        segment(tmp_path / name, 0, batch(0))
    with pytest.raises(UsageError, match="Named: t-0; read: t-0, t-1"):
        tail_of(tmp_path, startingOffsets='{"t":{"0":1}}').first()


@needs_arrow
def test_bytes_are_shared_and_a_batch_is_the_least(tmp_path: Path) -> None:
    every = [splits_end(INDEXED)]
    tail = tail_of(INDEXED, startingOffsets="earliest")
    start, ends = tail.first(), tail.ends()
    sizes = [(found.next_offset, found.size) for part in partition_of(INDEXED) for found in part.scan()]
    chance = random.Random(5)
    for _ in range(20):
        limit = chance.randint(1, sum(size for _, size in sizes))
        reached = tail.until(start, ends, most_bytes=limit)[INDEXED.name]
        filled = sum(size for behind, size in sizes if behind <= reached)
        assert filled <= limit or reached == sizes[0][0]
    assert every == list(ends.values())


def partition_of(path: Path) -> Any:
    return kformat.open(path).segments


def test_what_is_lost_is_told(tmp_path: Path) -> None:
    for number in (0, 3, 6):
        segment(tmp_path / "t-0", number, batch(number))
    (tmp_path / "t-0" / f"{0:020}.log").unlink()
    cases = {
        "t-0: records were deleted before they were read: offset 0 was next, the log starts at offset 3": (
            {"t-0": 0},
            {"t-0": 9},
        ),
        "x-0: its files are gone, it was to be read up to offset 5": ({"x-0": 3}, {"x-0": 5}),
    }
    for text, (start, end) in cases.items():
        with pytest.raises((UsageError, RecordsDeletedError), match=text) as caught:
            tail_of(tmp_path).tasks(start, end)
        assert isinstance(caught.value, RecordsDeletedError) == ("deleted" in text)
    assert offsets_of(tail_of(tmp_path, failOnDataLoss="false"), {"t-0": 0, "x-0": 3}, {"t-0": 9, "x-0": 5}) == [
        *range(3, 9)
    ]
    with pytest.raises(UsageError, match="t-0: it was read up to offset 12, and is to be read up to 9"):
        tail_of(tmp_path, failOnDataLoss="false").tasks({"t-0": 12}, {"t-0": 9})
    shutil.copytree(tmp_path / "t-0", tmp_path / "other" / "t-0")
    both = {"paths": json.dumps([str(tmp_path), str(tmp_path / "other")])}
    with pytest.raises(UsageError, match=r"t-0 lies in .* and in .*: a stream follows one"):
        Tail(parse_options(both, is_stream=True)).ends()


@needs_arrow
def test_committed_streams_end_in_front_of_open_transactions() -> None:
    for path in sorted(SAMPLES.glob("*/transactions-0")):
        tail = tail_of(path, startingOffsets="earliest", isolationLevel="read_committed")
        expected = kformat.open(path).to_arrow(["offset"], isolation_level="read_committed")["offset"].to_pylist()
        assert offsets_of(tail, tail.first(), tail.ends()) == expected
        words = [json.dumps({"transactions": {"0": -1}}), "latest"]
        first, second = (tail_of(path, startingOffsets=word, isolationLevel="read_committed").first() for word in words)
        assert first == second == tail.ends()
