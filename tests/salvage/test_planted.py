"""Records that hold whole batches: when the batch around them is damaged, none of them becomes one of the log's."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.damage.anchoring import MOST_BATCH_BYTES
from kformat.kafka.damage.saved_ranges import ranges_of
from tests.damages import batch_of, data_batch, record_bytes
from tests.draws import IS_NIGHT
from tests.salvage.planted import Files, Planted, batches_saved, covered, forged_in, planted
from tests.salvage.ways import saved_all_ways

COUNT = 200_000 if IS_NIGHT else 5_000
PARTS = 4
WHOLE = 2_000 if IS_NIGHT else 24
"""How many are saved in all ways: that writes files to disk."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_none_is_saved(part: int, tmp_path: Path) -> None:
    log = tmp_path / f"{0:020d}.log"
    for number in range(part, COUNT, PARTS):
        case = planted(number)
        assert not forged_in(case, log), f"planted {number}: {case.what}"


@pytest.mark.parametrize("number", [85_141, 85_336, 129_477, 137_889, 182_740, 186_100, 189_163])
def test_none_is_saved_by_pages_that_fit_by_chance(number: int, tmp_path: Path) -> None:
    """A broken batch ends where a chain begins in a page that belongs elsewhere; a log goes on where such a page lies
    now, or where a record of a broken batch ends in one; a batch of the value is sound in a page of another place, for
    the byte that differs is a zero in both; two pages next to each other fit each other a page further on, too;
    a length in a page that belongs elsewhere leads from the log's start to a batch in it.
    """
    case = planted(number)
    assert not forged_in(case, tmp_path / f"{0:020d}.log"), case.what


def test_what_a_headers_value_may_still_become(tmp_path: Path) -> None:
    """Whole batches in the last thing that a batch has go on with the log's next batch. One that has the very offsets
    that are lost, but for the first of them, is taken for the log's: few of those that are drawn."""
    log = tmp_path / f"{0:020d}.log"
    cases = [planted(f"header {number}", "header") for number in range(COUNT // 5)]
    forged = [case.what for case in cases if forged_in(case, log)]
    assert len(forged) <= len(cases) // 250, forged


def test_none_is_saved_where_bytes_were_put_in(tmp_path: Path) -> None:
    """So that the batch around them ends later than it says; up to a page."""
    log = tmp_path / f"{0:020d}.log"
    for number in range(COUNT // 10):
        case, chance = planted(number), random.Random(f"put in {number}")
        if "torn" in case.what:  # where nothing comes after the value
            continue
        at, size = chance.randrange(len(case.data)), chance.choice((1, 8, 64, 78, 104, 512, 4096))
        new = chance.choice((case.data[max(0, at - size) : at], chance.randbytes(size)))
        case.data = case.data[:at] + new + case.data[at:]
        assert not forged_in(case, log), f"planted {number}: {case.what}, {len(new)} bytes put in at {at}"


def inner_batches(case: Planted, folder: Path) -> set[bytes]:
    """What of the logs in a folder is a batch of the value."""
    found = {covered(one.raw) for log in folder.glob("*.log") for one in iter_batches(log)}
    return found & set(map(covered, case.forged))


def test_none_comes_out_of_any_way_to_save(tmp_path: Path) -> None:
    """Salvage, salvage in place, the engine's recovery, reading on after damage; they agree, too."""
    for number in range(WHOLE):
        case, folder = planted(f"all ways {number}"), tmp_path / "old" / "orders-0"
        shutil.rmtree(tmp_path, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / f"{0:020d}.log").write_bytes(case.data)
        try:
            saved_all_ways(folder)
        except AssertionError as error:
            raise AssertionError(f"planted all ways {number}: {case.what}: {error}") from error
        for way in ("new", "recovered"):  # in place, all was put back
            assert not inner_batches(case, tmp_path / way / folder.name), f"planted all ways {number}, {way}"


def test_none_comes_out_of_merged_copies(tmp_path: Path) -> None:
    """Whatever the order of the copies, with one that is sound among them or without."""
    for number in range(WHOLE):
        chance = random.Random(f"merged {number}")
        case = planted(f"merged {number}")
        others = [case.sound, case.data, case.data[: -len(case.batches[-1])] if len(case.batches) > 1 else case.data]
        copies = [case.data, *chance.sample(others, chance.choice((1, 2)))]
        chance.shuffle(copies)
        shutil.rmtree(tmp_path, ignore_errors=True)
        for name, data in zip("abc", copies, strict=False):
            folder = tmp_path / name / "orders-0"
            folder.mkdir(parents=True)
            (folder / f"{0:020d}.log").write_bytes(data)
        kformat.merge([tmp_path / name for name in "abc"[: len(copies)]], tmp_path / "best")
        assert not inner_batches(case, tmp_path / "best" / "orders-0"), f"planted merged {number}: {case.what}"
        if case.sound in copies:
            written = {
                covered(one.raw) for log in (tmp_path / "best" / "orders-0").glob("*.log") for one in iter_batches(log)
            }
            assert written >= set(map(covered, case.batches)), f"planted merged {number}: {case.what}"


def lost_header() -> tuple[bytes, bytes]:
    """A log whose third batch has lost its header and a part of its first record, and a batch that a value holds."""
    evil = batch_of(7, record_bytes(offset_delta=0, value=b"forged"), 1, 1000)
    values = [b"a" * 600, b"b" * 50 + evil, b"c" * 50]
    outer = batch_of(6, b"".join(record_bytes(offset_delta=at, value=one) for at, one in enumerate(values)), 3, 1000)
    log = [data_batch(0, 1000), data_batch(3, 1000), outer, *(data_batch(first, 1000) for first in (9, 12, 15))]
    at = len(log[0]) + len(log[1])
    data = b"".join(log)
    return data[:at] + bytes(512) + data[at + 512 :], evil


@pytest.mark.parametrize("damage", ["the first bytes", "bytes left out"])
@pytest.mark.parametrize("offset", [6, 8])
def test_none_that_ends_with_the_batch_around_it(damage: str, offset: int, tmp_path: Path) -> None:
    """The value of a header is the last thing in a batch: what is in it goes on with the log's next batch."""
    evil = batch_of(offset, record_bytes(offset_delta=0, value=b"forged"), 1, 1000)
    values: list[dict[str, Any]] = [{"value": b"a" * 700}, {"value": b"b" * 50}]
    values.append({"headers": [{"key": "h", "value": b"pad" + 3 * evil}]})
    outer = batch_of(6, b"".join(record_bytes(offset_delta=at, **one) for at, one in enumerate(values)), 3, 1000)
    if damage == "the first bytes":
        outer = b"?" * 100 + outer[100:]
    else:
        outer = outer[:200] + outer[220:]
    log = [data_batch(0, 1000), data_batch(3, 1000), outer, *(data_batch(first, 1000) for first in range(9, 180, 3))]
    path = tmp_path / f"{0:020d}.log"
    path.write_bytes(b"".join(log))
    found = batches_saved(path, ranges_of(Files(path), None))  # type: ignore[arg-type]
    assert covered(evil) not in set(map(covered, found)) and found[-1] == log[-1]


def test_what_is_undecided_is_placed_if_it_is_asked_for(tmp_path: Path) -> None:
    data, evil = lost_header()
    folder = tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    (folder / f"{0:020d}.log").write_bytes(data)
    report = kformat.salvage(tmp_path / "old", tmp_path / "new")
    (row,) = report.summary()
    assert (row["batches_count"], row["unplaced_batches"], row["unanchored_batches"]) == (5, 1, 1)
    assert next((tmp_path / "new" / "unplaced" / "orders-0").iterdir()).read_bytes() == evil
    (row,) = kformat.salvage(tmp_path / "old", tmp_path / "placed", place_unanchored=True).summary()
    assert (row["batches_count"], row["unplaced_batches"], row["restored_batches"]) == (6, 0, 1)


def test_a_chain_that_no_value_can_hold_is_the_logs(tmp_path: Path) -> None:
    """Between two batches of which the headers are lost, there is nothing else to say so."""
    log = [data_batch(3 * number, 1000) for number in range(MOST_BATCH_BYTES // len(data_batch(0, 1000)) + 60)]
    for count, is_saved in ((10, False), (len(log) - 20, True)):
        data = bytearray(b"".join(log))
        size = len(log[0])
        for number in (5, 6 + count):
            data[number * size : number * size + size - 40] = bytes(size - 40)
        path = tmp_path / f"{0:020d}.log"
        path.write_bytes(data)
        found = batches_saved(path, ranges_of(Files(path), None))  # type: ignore[arg-type]
        assert (log[10] in found, log[4] in found, log[-1] in found) == (is_saved, True, True)
