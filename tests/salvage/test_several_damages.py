"""Several damages at once, in any sample: all that a search of its own proves is saved, or kept apart; and no more."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from kformat.kafka.batch.framing import FRAME_BYTES
from tests.draws import IS_NIGHT
from tests.kafka.test_evidence import proved_by_search
from tests.salvage.mutations import changed
from tests.salvage.planted import covered
from tests.salvage.ways import logs_of, saved_all_ways
from tests.samples import all_samples

MOST_BYTES = 100_000
ROUNDS = 2_000 if IS_NIGHT else 24
SETS = 8 if IS_NIGHT else 2
FIELDS = {"base_offset": (0, 8), "batch_length": (8, 4), "epoch": (12, 4), "magic": (16, 1), "attributes": (21, 2)}


def samples_of(most_bytes: int) -> list[Path]:
    """The partitions of samples with logs of so many bytes at most, none of them empty."""
    found = []
    for sample in all_samples():
        sizes = [log.stat().st_size for log in sample.path.glob("*.log")]
        if sizes and 0 < sum(sizes) <= most_bytes:
            found.append(sample.path)
    return found


def batches_of(data: bytes) -> list[bytes]:
    return [data[position : position + size] for position, size in proved_by_search(data)]


def damaged(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """A change of bytes, or of a field of a batch; a page or a batch of another log; batches doubled or exchanged."""
    kind = chance.randrange(6)
    places = proved_by_search(data)
    if kind < 2 or not places:
        return changed(data, chance)
    made, (start, size) = bytearray(data), chance.choice(places)
    match kind:
        case 2:
            at, width = chance.choice(list(FIELDS.values()))
            values = (bytes(width), b"\xff" * width, b"\x80" + bytes(width - 1), chance.randbytes(width))
            made[start + at : start + at + width] = chance.choice(values)
        case 3:
            page = chance.choice((512, 4096))
            to, come = (chance.randrange(len(one) // page + 1) * page for one in (data, other))
            new = other[come : come + page][: len(data) - to]
            made[to : to + len(new)] = new
        case 4:
            first, length = chance.choice(proved_by_search(other) or [(0, 0)])
            made[start : start + chance.choice((0, size))] = other[first : first + length]
        case _:
            page = chance.choice((512, 4096))
            one, two = (chance.randrange(max(1, len(data) // page)) * page for _ in range(2))
            if max(one, two) + page <= len(data):
                made[one : one + page], made[two : two + page] = data[two : two + page], data[one : one + page]
    return bytes(made)


@pytest.mark.parametrize("part", range(SETS))
def test_several_damages_at_once(part: int, tmp_path: Path) -> None:
    places = samples_of(MOST_BYTES)
    for number in range(part, ROUNDS, SETS):
        chance = random.Random(f"several damages {number}")
        sample, other = chance.choice(places), chance.choice(places)
        folder = tmp_path / "old" / sample.name
        shutil.rmtree(tmp_path, ignore_errors=True)
        shutil.copytree(sample, folder)
        pages = [*logs_of(other).values(), *logs_of(sample).values()]
        written = {covered(batch) for data in pages for batch in batches_of(data)}
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            log = folder / chance.choice(list(logs_of(folder)))
            log.write_bytes(damaged(log.read_bytes(), chance.choice(pages), chance))
        for path in [*folder.glob("*index"), *folder.glob("*.snapshot"), *folder.glob("leader*")]:
            match chance.randrange(20):
                case 0 | 1:
                    path.unlink()
                case 2:
                    path.write_bytes(chance.choice((b"", chance.randbytes(24), bytes(24), path.read_bytes()[:-3])))
        try:
            report, _ = saved_all_ways(folder)
        except AssertionError as error:
            raise AssertionError(f"round {number}, {sample}: {error}") from error
        # Where one ends in the frame of another, they have bytes in common, and the second is not looked for.
        ends = {(log.name, made.end_position) for log, ranges in report.partitions[0].segments for made in ranges}
        provable = {
            covered(data[at : at + size])
            for name, data in logs_of(folder).items()
            for at, size in proved_by_search(data)
            if not any((name, at + overlap) in ends for overlap in range(1, FRAME_BYTES))
        }
        new = logs_of(tmp_path / "new" / sample.name)
        apart = [path.read_bytes() for path in (tmp_path / "new").glob("unplaced/*/*")]
        kept = {covered(one) for data in new.values() for one in batches_of(data)} | set(map(covered, apart))
        assert provable & written <= kept, f"round {number}, {sample}: not all that is proved"
        for one in kept - written:  # a message that lies in a wrapper as it is
            assert any(one[8:] in page for page in pages), f"round {number}, {sample}: something that nobody wrote"
