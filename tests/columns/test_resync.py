"""Rows after damage from which no length leads on: those of the file, and none that a payload holds."""

from __future__ import annotations

import random
from typing import Any

import pytest

import kformat
from kformat.columns import resync
from kformat.columns.resync import Resync
from kformat.columns.scanning import Scan
from kformat.columns.skipped import Skipped
from kformat.errors import ChecksumError, InvalidError, TruncatedError
from tests.columns.resyncing import CHECKSUMS, PLANTED, SYNCS, Frames, damaged, frame, frames
from tests.draws import IS_NIGHT

pytest.importorskip("pyarrow")

CASES = 42_000 if IS_NIGHT else 210
"""For each of twelve formats, and each number of damaged frames: 5,000 in all, and a million at night."""
BY_CHANCE = {"CRC-16": CASES // 2000, "CRC-32": CASES // 14_000}
"""In how many of these a checksum may be right by chance, or a damaged length lead to a row that a payload holds."""
VERIFIED = [name for name in CHECKSUMS if name != "none"]


def read(made: Frames, data: bytes, *, with_kernels: bool | None = None) -> tuple[set[int], list[Skipped]]:
    """The numbers of frames, which rise and have the content that they had, and what was skipped."""
    skipped: list[Skipped] = []
    scan = kformat.scan(data, made.declaration, on_corrupt="skip", on_skipped=skipped.append)
    how = {} if with_kernels is None else {"with_kernels": with_kernels}
    rows = Scan(scan._paths, scan._plan, **scan._how | how).to_arrow().to_pylist()
    numbers = [row["number"] for row in rows]
    assert numbers == sorted(set(numbers))
    for row in rows:
        start, end = made.starts[row["number"]], made.ends[row["number"]]
        assert row["payload"] in made.data[start:end] and row["length"] == len(row["payload"])
    return set(numbers), skipped


def read_or_not(made: Frames, data: bytes) -> tuple[set[int], list[Skipped]]:
    """As `read`; a number that no frame has, if one has other content or another place than it had."""
    try:
        return read(made, data)
    except (AssertionError, IndexError):
        return {-1}, []


@pytest.mark.long
@pytest.mark.parametrize("checksum", VERIFIED)
@pytest.mark.parametrize("sync", SYNCS)
def test_one_damaged_place_costs_no_other_row(sync: str, checksum: str) -> None:
    """But for a few at the end of a file: where a row before them may be torn, with all that follows in it; and where
    a wrong length leads to the beginning of another row by chance, in one file of thousands.
    """
    missing = strange = bridged = 0
    for number in range(CASES):
        chance = random.Random(f"one {sync} {checksum} {number}")
        made = frames(chance, sync, checksum, chance.random() < 0.5)
        data, places = damaged(made, chance, 1)
        found, skipped = read_or_not(made, data)
        strange += not found <= set(places)
        if not found <= set(places):
            continue
        bridged += found != set(places) and skipped[-1].rows not in ("list", "file")
        assert bool(skipped) == (len(places) < len(made.starts)), number
        missing += len(places) - len(found)
    assert missing * 5000 < CASES * len(made.starts) and strange <= BY_CHANCE[checksum]
    assert bridged <= CASES // 4000


@pytest.mark.long
@pytest.mark.parametrize("checksum", VERIFIED)
@pytest.mark.parametrize("sync", SYNCS)
def test_rows_are_never_those_of_payloads(sync: str, checksum: str) -> None:
    """Whatever is damaged. The whole rows are found, but for a few that lie alone between two damages close by; more of
    those that begin with nothing, which no broken row's sync word leads to.
    """
    missing = whole = strange = 0
    for number in range(CASES):
        chance = random.Random(f"several {sync} {checksum} {number}")
        made = frames(chance, sync, checksum, chance.random() < 0.5)
        data, places = damaged(made, chance, chance.choice((2, 2, 3, 5)))
        found, skipped = read_or_not(made, data)
        strange += not found <= set(places)
        if not found <= set(places):
            continue
        assert skipped or found == set(places), number
        whole += len(places)
        missing += len(places) - len(found)
    assert missing * (25 if sync == "none" else 50) < whole and strange <= BY_CHANCE[checksum]


RECORDER = ("CRC-16", "two bytes")
SPAN = 7
"""The frame that is damaged."""


def recorder() -> Frames:
    return frames(random.Random(3), "two bytes", "CRC-16", True)


@pytest.mark.parametrize("with_kernels", [False, True])
def test_damages_of_a_recorder(with_kernels: bool) -> None:
    """A payload, a length, a sync word, an unknown kind, bytes put in, the header, the end: one row, or none."""
    if with_kernels:
        pytest.importorskip("numba")
    made = recorder()
    start, end = made.starts[SPAN], made.ends[SPAN]
    all_but_one = set(range(40)) - {SPAN}

    def changed(at: int, mask: int) -> bytes:
        data = bytearray(made.data)
        data[at] ^= mask
        return bytes(data)

    cases: dict[str, tuple[bytes, set[int], type[Exception]]] = {
        "payload": (changed(end - 4, 0xFF), all_but_one, ChecksumError),
        "length": (changed(start + 2, 0x40), all_but_one, ChecksumError),
        "sync": (changed(start, 0x40), all_but_one, InvalidError),
        "inserted": (made.data[:start] + b"\0garbage\xff" + made.data[start:], set(range(40)), InvalidError),
        "head": (changed(9, 1), set(range(40)), ChecksumError),
        "cut": (made.data[: made.starts[20] + 7], set(range(20)), InvalidError),
        "index": (changed(made.ends[-1] + 9, 1), set(range(40)), ChecksumError),
    }
    for name, (data, numbers, kind) in cases.items():
        found, skipped = read(made, data, with_kernels=with_kernels)
        assert found == numbers, name
        assert any(isinstance(item.problem, kind) for item in skipped), (name, skipped)
        errors = list(kformat.check(data, format=made.declaration))
        assert len(errors) == len(skipped), (name, errors)
        assert {error.path for error in errors} == {item.problem.path for item in skipped}, (name, errors)
    found, skipped = read(made, cases["head"][0], with_kernels=with_kernels)
    assert (skipped[0].rows, skipped[0].size_bytes) == ("none", 0) and "header.crc" in str(skipped[0])
    found, skipped = read(made, cases["cut"][0], with_kernels=with_kernels)
    (rest,) = (item for item in skipped if item.rows == "file")
    assert isinstance(rest.problem, TruncatedError) and rest.position == made.starts[20]


def test_rows_that_lie_in_a_broken_one_are_unplaced() -> None:
    """Also where its length is lost: its checksum says where it ends, or no row leads to them and they lead nowhere."""
    made = recorder()
    _, _, seal = CHECKSUMS["CRC-16"]
    inner = frame(SYNCS["two bytes"], seal, PLANTED, b"forged") * 3
    outer = frame(SYNCS["two bytes"], seal, 7, b"?" * 30 + inner + b"?" * 30)
    start, end = made.starts[7], made.ends[7]
    sound = made.data[:start] + outer + made.data[end:]
    for damage in (slice(2, 4), slice(0, 2), slice(0, 20), slice(-5, None), slice(2, 12)):
        broken = bytearray(outer)
        broken[damage] = bytes(len(broken[damage]))
        found, skipped = read(made, sound.replace(outer, bytes(broken)))
        assert found == set(range(40)) - {7}, damage
        lost = [item for item in skipped if item.rows != "none"]  # the index is not where the trailer says it is
        assert [item.end_position - item.position for item in lost] == [len(outer)], damage
        assert ("3 whole rows in these bytes are unplaced" in str(skipped[0])) == (
            damage in (slice(0, 20), slice(2, 12))
        )


@pytest.mark.parametrize("lost", [b"", bytes(3000), random.Random(1).randbytes(3000), b"\xff" * 3000])
def test_rows_that_begin_with_nothing_are_found_again(lost: bytes) -> None:
    """By the length that stands at most places a row would have tens of thousands of bytes."""
    made = frames(random.Random(6), "none", "CRC-16", False, count=1500)
    at = made.starts[500] + 3
    found, skipped = read(made, made.data[:at] + lost + made.data[at + 10 :])
    assert found == set(range(1500)) - {500, 501} | (found & {501}) and len(skipped) == 1


IN_STEP = """
meta: {id: steps, endian: be}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: sync, contents: SYNC}, {id: number, type: u4}, {id: rest, size: 22}]}}
"""


@pytest.mark.parametrize("sync", [b"\x47", b"\x47\x1f", b"SYNC"])
@pytest.mark.parametrize("way", ["numpy", "codec", "parts"])
def test_rows_of_one_size_without_a_checksum_come_into_step_again(sync: bytes, way: str) -> None:
    """After bytes that were put in or left out; others keep their step, and are passed over one by one."""
    text = IN_STEP.replace("SYNC", str(list(sync)))
    if way == "parts":
        text = text.replace("type: row,", f"type: row, size: {len(sync) + 26},").replace("size: 22", "size-eos: true")
    declaration = kformat.parse_declaration(text)
    for seed in range(60):
        chance, size = random.Random(seed), len(sync) + 26
        rows = [sync + number.to_bytes(4, "big") + chance.randbytes(22) for number in range(300)]
        data, at = b"".join(rows), chance.randrange(20 * size, 250 * size)
        new = chance.randbytes(chance.choice((1, 7, 100, 5000)))
        gone = chance.choice((0, chance.randrange(1, 200)))
        skipped: list[Skipped] = []
        damaged_data = data[:at] + new + data[at + gone :]
        scan = kformat.scan(damaged_data, declaration, on_corrupt="skip", on_skipped=skipped.append)
        read_so = Scan(scan._paths, scan._plan, **scan._how | {"with_fixed": way != "codec"})
        numbers = read_so.to_arrow()["number"].to_pylist()
        first, last = at // size, -(-(at + gone) // size) + 1  # nothing tells that a row ends in the next one
        assert numbers[:first] == list(range(first)) and numbers[-(300 - last) :] == list(range(last, 300))
        assert len(numbers) <= 301 and len(skipped) <= 4
    flipped = bytearray(b"".join(rows))
    for number in (50, 51, 90):
        flipped[number * size] ^= 8
    skipped = []
    scan = kformat.scan(bytes(flipped), declaration, on_corrupt="skip", on_skipped=skipped.append)
    assert scan.to_arrow().num_rows == 297
    assert [item.position // size for item in skipped] == [50, 51, 90]


def test_bytes_that_seem_to_begin_rows_cost_only_themselves() -> None:
    """Where a search in them would take too long, it goes on behind them."""
    made = frames(random.Random(5), "two bytes", "CRC-16", False, count=4000)
    at = made.starts[2000]
    for lost in (SYNCS["two bytes"] * 100_000, (SYNCS["two bytes"] + b"\x40\0") * 100_000):
        found, skipped = read(made, made.data[:at] + lost + made.data[at:])
        assert len(found) > 4000 - 1400 and found >= set(range(2000)) and skipped  # of 64 KiB behind them


def test_the_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that begin a row everywhere are looked at so often as there are bytes, and no more."""
    looks = list[int]()
    reader = Resync._reader

    def counted(self: Resync, at: int) -> Any:
        looks.append(at)
        return reader(self, at)

    monkeypatch.setattr(Resync, "_reader", counted)
    monkeypatch.setattr(resync, "_MOST_OF_SMALL", 0)
    made, size = frames(random.Random(5), "zeros", "CRC-16", True), 200_000
    at = made.starts[20]
    found, skipped = read(made, made.data[:at] + bytes(size) + made.data[at:])
    assert found >= set(range(20)) and skipped
    assert len(looks) < 60_000
