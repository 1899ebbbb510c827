"""Logs as producers write them, damaged in several places: what is still there and can be told from the value of a
record is saved, all of it; and it does not take long, whatever the bytes are."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kformat.kafka.batch.writing import Columns
from kformat.kafka.columns.batch_builder import build_batches
from kformat.kafka.damage.evidence import find_batches
from kformat.kafka.damage.saved_ranges import ranges_of
from kformat.kafka.index.indexing import EntryArray, index_entries
from tests.damages import BASE_TIMESTAMP_MS, indexed_batches
from tests.salvage.planted import Files, batches_saved

PAGE = 512


@cache
def written(size_bytes: int, most_bytes: int = 16_384, least_bytes: int = 2_000) -> tuple[bytes, ...]:
    """The batches of a log: of records of some hundred bytes, and of many sizes."""
    chance, made, offset = random.Random(size_bytes), list[bytes](), 0
    while sum(map(len, made)) < size_bytes:
        values = [chance.randbytes(chance.choice((60, 250))).hex().encode() for _ in range(100)]
        times = range(BASE_TIMESTAMP_MS + offset, BASE_TIMESTAMP_MS + offset + len(values))
        size = chance.randrange(least_bytes, most_bytes)
        made += [
            bytes(one.raw)
            for one in build_batches(
                Columns(times, [None] * len(values), values),
                base_offset=offset,
                max_batch_bytes=size,
                partition_leader_epoch=0,
            )
        ]
        offset += len(values)
    return tuple(made)


@dataclass(frozen=True)
class Indexed(Files):
    """With the offset index of the log as it was written, by a writer profile of `kformat.kafka.index.indexing`."""

    profile: str = "per-batch"

    def offset_entries(self) -> EntryArray:
        batches = written(1 << 20)
        numbers = [number // 3 for number in range(len(batches))]
        indexed = indexed_batches(b"".join(batches), None if self.profile == "per-batch" else numbers)
        return index_entries(indexed, base_offset=0, profile=self.profile).offset_index


def borders(batches: tuple[bytes, ...]) -> list[int]:
    """Where batches begin whose headers lie in one page, some batches apart."""
    found, last = list[int](), 0
    for position in accumulate(map(len, batches)):
        if position % PAGE and position % PAGE + 61 < PAGE and position > last + 50_000:
            found.append(position)
            last = position
    return found


def without_headers(data: bytearray, *positions: int) -> None:
    """Zeros in the pages in which batches begin."""
    for position in positions:
        start = position // PAGE * PAGE
        data[start : start + PAGE] = bytes(PAGE)


def swap(data: bytearray, one: int, other: int) -> None:
    """Two pages, those of two positions, in each other's places."""
    one, other = one // PAGE * PAGE, other // PAGE * PAGE
    data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]


def put_in(data: bytearray, at: list[int]) -> None:
    """Bytes in an early batch, and later two headers lost: the index names no position as it is now."""
    without_headers(data, at[4], at[8])
    data[at[1] + 100 : at[1] + 100] = bytes(15)


def left_out_and_put_in(data: bytearray, at: list[int]) -> None:
    """So that the positions are off by one number, and then by another."""
    without_headers(data, at[9], at[11])
    data[at[6] + 90 : at[6] + 90] = b"x" * 30
    without_headers(data, at[3], at[5])
    del data[at[1] + 100 : at[1] + 150]


def of_appends(data: bytearray, at: list[int]) -> None:
    """An index of appends of three batches has the last one's offset with the first one's position."""
    without_headers(data, at[2], at[5], at[8])


def far_apart(data: bytearray, at: list[int]) -> None:
    """Far more than 256 pages lie between."""
    swap(data, at[2], at[9])


def one_in_another(data: bytearray, at: list[int]) -> None:
    """Each pair has the first page of the next one between its pages."""
    for one, other in pairwise(at[1:8:3]):
        swap(data, one, other + 20_000)


class Case(NamedTuple):
    damage: Callable[[bytearray, list[int]], None]
    files: Callable[[Path], Files]


CASES = {
    "bytes put in": Case(put_in, Indexed),
    "bytes left out and put in": Case(left_out_and_put_in, Indexed),
    "an index of appends": Case(of_appends, lambda log: Indexed(log, profile="last-offset")),
    "pages swapped": Case(far_apart, Files),
    "pages swapped twice": Case(one_in_another, Files),
}


def saved_of(files: Files, data: bytes) -> tuple[list[bytes], int]:
    """The batches that are saved, and how many are not placed."""
    files.log.write_bytes(data)
    ranges = ranges_of(files, None)  # type: ignore[arg-type]
    return batches_saved(files.log, ranges), sum(made.outcome == "unplaced" for made in ranges)


@pytest.mark.parametrize("case", CASES)
def test_all_that_is_left_is_placed(case: str, tmp_path: Path) -> None:
    batches = written(1 << 20)
    data = bytearray(b"".join(batches))
    CASES[case].damage(data, borders(batches))
    found, unplaced = saved_of(CASES[case].files(tmp_path / f"{0:020d}.log"), bytes(data))
    assert (found, unplaced) == ([one for one in batches if one in data], 0)


def many_pages_swapped(count: int) -> tuple[tuple[bytes, ...], bytes]:
    """Each of which leads to the next one; between them are only few batches."""
    batches = written(1 << 19, 1_900, 1_500)
    data, at = bytearray(b"".join(batches)), list[int]()
    for position in accumulate(map(len, batches)):
        if position % PAGE and position % PAGE + 61 < PAGE and position > (at[-1] if at else 0) + 9_000:
            at.append(position)
    for number in range(count):
        swap(data, at[number], at[number + count])
    return batches, bytes(data)


def test_sound_batches_are_found_after_many_broken_ones(tmp_path: Path) -> None:
    """However much was looked at to restore those."""
    batches, data = many_pages_swapped(20)
    files = Files(tmp_path / f"{0:020d}.log")
    files.log.write_bytes(data)
    found = batches_saved(files.log, ranges_of(files, None, place_unanchored=True))  # type: ignore[arg-type]
    assert found == [one for one in batches if one in data]


def test_the_search_for_pages_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page that is found leads to another one; a log is searched for so many times its bytes only."""
    _, data = many_pages_swapped(7)
    files, searches = Files(tmp_path / f"{0:020d}.log"), list[int]()

    def counted(*args: Any, **how: Any) -> Any:
        searches.append(0)
        return find_batches(*args, **how)

    monkeypatch.setattr("kformat.kafka.damage.saved_ranges.find_batches", counted)
    _, unplaced = saved_of(files, data)
    assert (len(searches) > 7, unplaced) == (True, 0)
    searches.clear()
    monkeypatch.setattr("kformat.kafka.damage.saved_ranges._PAGE_EFFORT", (4, 0))
    _, unplaced = saved_of(files, data)
    assert len(searches) <= 7 and unplaced > 0
