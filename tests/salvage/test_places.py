"""Where batches belong: those that lie elsewhere are put back; `salvage`, in place, `log recover --mode salvage` and
reading on after damage agree; offsets that a segment has no room for; offsets that are wrong in part."""

from __future__ import annotations

import random
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from kformat.integers import MAX_INT32
from kformat.kafka.batch.batches import iter_batches
from tests.damages import data_batch, patched
from tests.draws import IS_NIGHT
from tests.salvage.ways import Rows, rows, saved_all_ways
from tests.samples import ROOT

SECTOR = 512


def batches(base_offset: int, count: int) -> list[bytes]:
    """Of three records each, one after the other."""
    return [data_batch(base_offset + 3 * number, 1000 + base_offset % 1000 + number) for number in range(count)]


def saved(folder: Path) -> tuple[dict[str, Any], Rows]:
    """The report's line, and the rows, which are the same whichever way they are saved."""
    report, found = saved_all_ways(folder)
    return report.summary()[0], found


def last_with(base_offset: int) -> bytes:
    """The last batch of a log, with another offset than 21."""
    return patched(batches(21, 1)[0], mend=False, base_offset=base_offset)


BEYOND = MAX_INT32 + 10
SPREAD: dict[str, tuple[list[bytes], list[int], int]] = {
    "two logs": ([*batches(0, 5), *batches(BEYOND, 5)], [0, BEYOND], 0),
    "three logs": (
        [*batches(0, 5), *batches(BEYOND, 5), *batches(2 * BEYOND, 3)],
        [0, BEYOND, 2 * BEYOND],
        0,
    ),
    "none below": (batches(BEYOND, 5), [BEYOND], 0),
    "one that reaches beyond": ([*batches(0, 5), *batches(MAX_INT32 - 1, 1)], [0, MAX_INT32 - 1], 0),
    "one of two lost": ([*batches(0, 5), *batches(BEYOND, 2), bytes(100), *batches(BEYOND + 9, 3)], [0, BEYOND], 0),
    "one batch that nothing proves": ([*batches(0, 5), *batches(BEYOND, 1)], [0], 1),
    "a bit of the last offset": (
        [*batches(0, 7), last_with(21 | 1 << 40)],
        [0],
        0,
    ),
    "the sign of the last offset": (
        [*batches(0, 7), last_with(21 - (1 << 63))],
        [0],
        0,
    ),
}


@pytest.mark.parametrize("case", SPREAD)
def test_offsets_that_a_segment_has_no_room_for(case: str, tmp_path: Path) -> None:
    """They are right if they go on so, and the log is divided then as a broker divides it; one batch is no proof."""
    log, bases, unplaced = SPREAD[case]
    folder = tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    (folder / f"{0:020d}.log").write_bytes(b"".join(log))
    line, found = saved(folder)
    made = sorted(int(path.stem) for path in (tmp_path / "new" / folder.name).glob("*.log"))
    assert made == bases and line["unplaced_batches"] == unplaced
    whole = [one for one in log if len(one) != 100]
    assert len(found) == 3 * (len(whole) - unplaced) and line["records_count"] == len(found)
    if "offset" in case:
        assert [row[0] for row in found] == list(range(24))


SWAPPED = {"4.3.1/plain-0": 4096, "4.3.1/late-0": 4096, "4.3.1/broker-lz4-0": 512, "0.10.2.2/rolled-0": 4096}


@pytest.mark.parametrize("sample", SWAPPED)
def test_sectors_that_were_swapped(sample: str, tmp_path: Path) -> None:
    """Each batch that lies in one of them whole is put back to where it belongs. One that has lost no more than bytes
    that no checksum covers is, too, if another one follows it."""
    folder, size = tmp_path / "old" / Path(sample).name, SWAPPED[sample]
    shutil.copytree(ROOT / sample, folder)
    log = sorted(folder.glob("*.log"))[0]
    data = log.read_bytes()
    whole = {row[0]: row for row in rows(folder)}
    places = [(one.position, one.position + one.size, list(one.records())) for one in iter_batches(log)]
    pairs = list(combinations(range(len(data) // size), 2))
    for one, other in pairs if IS_NIGHT else pairs[:: len(pairs) // 3]:
        first, second = slice(one * size, (one + 1) * size), slice(other * size, (other + 1) * size)
        changed = bytearray(data)
        changed[first], changed[second] = data[second], data[first]
        log.write_bytes(changed)
        borders = [edge for part in (first, second) for edge in (part.start, part.stop)]
        torn = [one for one in places if any(one[0] < edge < one[1] for edge in borders)]
        headless = [one for one in torn if not any(one[0] + 16 < edge < one[1] for edge in borders)]
        kept = whole.keys() - {one.offset for *_, records in torn for one in records}
        possible = kept | {one.offset for *_, records in headless for one in records}
        line, found = saved(folder)
        assert line["unplaced_batches"] <= len(headless), (one, other)
        offsets = [row[0] for row in found]
        assert kept <= set(offsets) <= possible and found == [whole[offset] for offset in sorted(set(offsets))]


def test_what_is_put_back_is_not_said_to_be_missing(tmp_path: Path) -> None:
    log = batches(0, 40)
    folder = tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    path = folder / f"{0:020d}.log"
    path.write_bytes(b"".join([*log[:4], log[9], bytes(50), *log[5:9], log[4], *log[10:]]))
    line, found = saved(folder)
    assert (line["missing"], line["records_count"], line["restored_batches"]) == (None, 120, 2)
    assert [row[0] for row in found] == list(range(120))
    path.write_bytes(b"".join([*log[:4], log[9], *log[5:9], bytes(50), *log[10:]]))  # 12-14 are nowhere
    line, found = saved(folder)
    assert (line["missing"], line["records_count"]) == ("12-14", 117)


def test_many_blocks_that_moved(tmp_path: Path) -> None:
    """One block after the other, in any order, at the end of the log; each left a few bytes where it was."""
    log = batches(0, 3000)
    blocks = [log[number : number + 20] for number in range(0, len(log), 20)]
    moved = [block for number, block in enumerate(blocks) if number % 3 == 1]
    kept = [block if number % 3 != 1 else [bytes(37)] for number, block in enumerate(blocks)]
    random.Random(1).shuffle(moved)
    folder = tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    (folder / f"{0:020d}.log").write_bytes(b"".join(one for block in [*kept, *moved] for one in block))
    line, found = saved(folder)
    assert (line["unplaced_batches"], line["missing"], len(found)) == (0, None, 9000)


def test_what_belongs_nowhere(tmp_path: Path) -> None:
    """Of two batches for one gap neither is taken; nor one of a later leader, or of another time; nor one for which no
    byte is lost."""
    log, folder = batches(0, 40), tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    path = folder / f"{0:020d}.log"
    other = data_batch(12, 1004, 2)
    cases = {
        "two for one gap": [*log[:4], bytes(50), *log[5:20], log[4], *log[20:25], other, *log[25:]],
        "a later leader's": [*log[:4], bytes(50), *log[5:20], patched(log[4], partition_leader_epoch=7), *log[20:]],
        "another time's": [*log[:4], bytes(50), *log[5:20], data_batch(12, 900_000), *log[20:]],
        "nothing is lost": [*log[:4], *log[5:20], log[4], *log[20:30], *log[31:]],  # compacted: 90-92 are not there
    }
    for case, made in cases.items():
        path.write_bytes(b"".join(made))
        line, found = saved(folder)
        assert line["unplaced_batches"] == 1 + case.startswith("two"), case
        gone = {12, 13, 14, *(range(90, 93) if "lost" in case else ())}
        assert [row[0] for row in found] == [offset for offset in range(120) if offset not in gone], case


def test_what_may_be_the_logs_keeps_its_offsets(tmp_path: Path) -> None:
    """Between two batches that have lost their starts, others may be the log's or a value's. No batch of elsewhere
    takes their offsets."""
    log, folder = batches(0, 40), tmp_path / "old" / "orders-0"
    folder.mkdir(parents=True)
    for number in (10, 20):
        log[number] = bytes(90) + log[number][90:]
    stray = data_batch(45, 1015, 2)
    (folder / f"{0:020d}.log").write_bytes(b"".join([*log[:25], stray, *log[25:]]))
    line, found = saved(folder)
    assert (line["unplaced_batches"], line["unanchored_batches"]) == (10, 9)
    assert [row[0] for row in found] == [*range(30), *range(63, 120)]


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_zeros_that_end_in_an_offset(kept: int, tmp_path: Path) -> None:
    """A page of zeros takes the first bytes of a batch's offset; the batch after it says what they were."""
    folder, log = tmp_path / "old" / "orders-0", batches(70_000, 60)
    folder.mkdir(parents=True)
    lengths = [sum(map(len, log[:number])) for number in range(len(log))]
    number = next(at for at, start in enumerate(lengths) if start > 700)
    shift = (-lengths[number] - 8 + kept) % SECTOR  # bytes before the log's batches, so that a sector ends there
    data = bytearray(bytes([255]) * shift + b"".join(log))
    end = shift + lengths[number] + 8 - kept
    assert end % SECTOR == 0
    data[end - 1024 : end] = bytes(1024)
    (folder / f"{69_000:020d}.log").write_bytes(data)
    line, found = saved(folder)
    assert line["unplaced_batches"] == 0 and found[-1][0] == 70_179
    assert 70_000 + 3 * number in {row[0] for row in found}
