"""Batches found in damaged bytes: all that can be proved, with the right grades, and nothing else.

What can be proved is found a second time here, by computing the checksum at every position with zlib and google-crc32c.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import google_crc32c
import numpy as np
import pytest

from kformat.errors import DataError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.damage import candidates as candidates_module
from kformat.kafka.damage.candidates import candidates
from kformat.kafka.damage.evidence import Content, FoundBatch, Lost, Offsets, find_batches
from kformat.kafka.damage.saved_ranges import records_of
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from tests import samples
from tests.damages import BASE_TIMESTAMP_MS, batch_of, data_batch, record_bytes
from tests.draws import IS_NIGHT, at_most, every
from tests.kernel_cases import mutated
from tests.peak import ROOT

BATCH = layout("record_batch")
MESSAGE_AT = layout("legacy_message").position("message")
LEGACY_FIELDS = {
    0: {"base_offset": (0, 8), "batch_length": (8, 12), "crc": (12, 16), "magic": (16, 17), "attributes": (17, 18)},
    1: {"base_offset": (0, 8), "batch_length": (8, 12), "crc": (12, 16), "magic": (16, 17), "attributes": (17, 18)},
}
CURRENT_FIELDS = {name: (BATCH.position(name), BATCH.end(name)) for name in BATCH.header_dtype.names or ()}


class Log(NamedTuple):
    """A sound log: its bytes, and position, size and magic of its batches."""

    name: str
    base_offset: int
    data: bytes
    batches: tuple[tuple[int, int, int], ...]
    known: tuple[int, ...]

    def edges(self, number: int) -> tuple[int, int]:
        position, size, _ = self.batches[number]
        return position, position + size


@lru_cache(maxsize=1)
def logs() -> tuple[Log, ...]:
    """All of the samples that hold a batch and nothing else."""
    found = []
    for path in sorted(samples.ROOT.glob("*/*/*.log")):
        data = path.read_bytes()
        try:
            batches = tuple((batch.position, batch.size, batch.magic) for batch in iter_batches(path))
        except DataError:
            continue
        index = path.with_suffix(".index")
        known = () if not index.exists() else np.frombuffer(index.read_bytes(), layout("offset_index::entry").dtype)
        positions = tuple(sorted({int(entry["position"]) for entry in known if entry["position"]}))
        if batches:
            name = path.relative_to(samples.ROOT).as_posix()
            found.append(Log(name, int(path.stem), data, batches, positions))
    return tuple(found)


def found_in(data: bytes, **more: object) -> list[FoundBatch | Lost]:
    """Everything, after it was seen that each byte is in one of them."""
    items = list(find_batches(ByteSource(data), **more))  # type: ignore[arg-type]
    position = 0
    for item in items:
        assert item.position == position and item.size > 0
        position = item.end_position
    assert position == len(data)
    assert not any(isinstance(one, Lost) and isinstance(other, Lost) for one, other in itertools.pairwise(items))
    return items


def batches_in(data: bytes, **more: object) -> dict[int, FoundBatch]:
    return {item.position: item for item in found_in(data, **more) if isinstance(item, FoundBatch)}


def proved_by_search(data: bytes) -> list[tuple[int, int]]:
    """(position, size) of what has a right checksum as it is, whatever lies around it; without what lies inside of it.

    The lengths are looked at by numpy, because Python would take minutes; the checksums at every place that is left.
    """
    bytes_of = np.frombuffer(data + bytes(8), np.uint8).astype(np.int64)
    count = len(data) - 25
    if count <= 0:
        return []
    length = np.zeros(count, np.int64)
    for index in range(8, 12):
        length = (length << 8) | bytes_of[index : index + count]
    magic = bytes_of[16 : 16 + count]
    least = np.where(magic == 2, 49, 14)
    fits = (magic <= 2) & (length >= least) & (np.arange(count) + 12 + length <= len(data))
    found, end = [], 0
    for position in np.flatnonzero(fits).tolist():
        if position < end:
            continue
        size, is_current = 12 + int(length[position]), magic[position] == 2
        at = 17 if is_current else 12
        stored = int.from_bytes(data[position + at : position + at + 4])
        covered = data[position + at + 4 : position + size]
        if stored == (google_crc32c.value(covered) if is_current else zlib.crc32(covered)):
            found.append((position, size))
            end = position + size
    return found


# As stored


@pytest.mark.parametrize("root", sorted({log.name.split("/")[0] for log in logs()}))
def test_all_batches_of_the_samples(root: str) -> None:
    for log in logs():
        if log.name.startswith(root + "/"):
            items = found_in(log.data, base_offset=log.base_offset)
            assert [(item.position, item.size) for item in items] == [batch[:2] for batch in log.batches]
            for item in items:
                assert isinstance(item, FoundBatch) and item.is_as_stored
                assert (item.content, item.offsets) == (Content.PROVED, Offsets.STORED)


def test_whatever_lies_around_them() -> None:
    chance = random.Random(5)
    for log in every(6, logs()):
        taken = every(7, range(len(log.batches)))
        pieces, expected, position = [], [], 0
        for number in taken:
            start, end = log.edges(number)
            noise = chance.choice((chance.randbytes, bytes, lambda size: b"a word or two. " * (size // 15)))(
                chance.randrange(1, 3000)
            )
            pieces += [noise, log.data[start:end]]
            position += len(noise)
            expected.append((position, end - start))
            position += end - start
        data = b"".join(pieces)
        found = [(item.position, item.size) for item in batches_in(data).values() if item.content is Content.PROVED]
        assert found == expected == proved_by_search(data)


# One field of one batch


def drawn() -> Iterator[tuple[Log, int]]:
    """Batches of the samples: by day some, by night all."""
    chance = random.Random(11)
    for log in every(12, logs()):
        numbers = range(len(log.batches))
        yield from ((log, number) for number in (numbers if IS_NIGHT else chance.sample(numbers, 1)))


FLIPPED = {
    "base_offset": Content.PROVED,
    "batch_length": Content.PROVED,
    "partition_leader_epoch": Content.PROVED,
}
NOT_TOLD_APART = {"base_offset", "partition_leader_epoch"}
"""What no checksum covers: of the last batch of a log nobody knows what they were."""
CAN_BE_LOST = {"attributes", "magic"}
"""Of magic 0 and 1 they are under the checksum, and say where everything else is."""


@pytest.mark.parametrize("uses_index", [False, True])
@pytest.mark.parametrize("is_flip", [False, True])
def test_each_field_of_a_batch_broken(is_flip: bool, uses_index: bool) -> None:
    chance = random.Random(13)
    exact = 0
    for log, number in drawn():
        start, end = log.edges(number)
        magic, is_last = log.batches[number][2], number == len(log.batches) - 1
        fields = CURRENT_FIELDS if magic == 2 else LEGACY_FIELDS[magic]
        for name, (first, last) in fields.items():
            data = bytearray(log.data)
            if is_flip:
                data[start + chance.randrange(first, last)] ^= 1 << chance.randrange(8)
            else:
                data[start + first : start + last] = chance.randbytes(last - first)
            if data == log.data:
                continue
            found = batches_in(bytes(data), base_offset=log.base_offset, known=log.known if uses_index else ())
            others = [batch[:2] for batch in log.batches if batch[0] != start]
            outside = [(item.position, item.size) for item in found.values() if not start <= item.position < end]
            assert outside == others, (log.name, number, name)
            if start not in found:
                # Of a batch that compaction emptied nothing else says how many offsets it took.
                is_empty = magic == 2 and end - start == HEADER_BYTES and name == "last_offset_delta"
                is_lost = is_empty or (magic < 2 and name in CAN_BE_LOST)
                assert not is_flip and is_lost, (log.name, number, name)
                continue
            item = found[start]
            is_exact = item.raw(ByteSource(bytes(data))) == log.data[start:end]
            exact += is_exact
            if is_flip:
                is_uncovered = name in FLIPPED or (name == "magic" and magic == 2)
                is_small = end - start <= 1 << 16
                assert item.content is (Content.PROVED if is_uncovered else Content.CORRECTED) or not is_small
                assert is_exact or name in NOT_TOLD_APART or not is_small
            elif name in ("batch_length", "crc", *(("magic",) if magic == 2 else ())):
                assert is_exact, (log.name, number, name)
                assert item.content is (Content.STRUCTURAL if name == "crc" else Content.PROVED)
            if name == "base_offset" and not is_last and number and item.offsets is Offsets.INFERRED:
                assert is_exact
            if not is_exact and name in NOT_TOLD_APART:
                assert item.content is Content.PROVED
    assert exact


@pytest.mark.parametrize("count", [0, 3])
@pytest.mark.parametrize("length", [b"text", b"\0\0\0\x7a"])
def test_a_broken_length_where_nothing_says_that_a_batch_begins(length: bytes, count: int) -> None:
    """Zero records: compaction has emptied the batch."""
    empty = batch_of(7, b"", 0, BASE_TIMESTAMP_MS, last_offset_delta=4)
    batch = data_batch(7, BASE_TIMESTAMP_MS, count) if count else empty
    _, found, _ = found_in(b"any text " * 20 + batch[:8] + length + batch[12:] + bytes(5000))
    assert isinstance(found, FoundBatch) and found.content is Content.PROVED
    assert found.restored == ("batch_length",) and found.size == len(batch)


def test_the_broken_length_of_each_batch_of_a_log() -> None:
    """All 560 records of this one: recovery by frames keeps 536 of them, without the index 344."""
    folder = samples.ROOT / "2.8.2" / "rolled-by-bytes-0"
    for path in sorted(folder.glob("*.log")):
        data = path.read_bytes()
        whole = batches_in(data)
        for position, item in whole.items():
            for length in (0, item.size, 0x7FFFFFFF, -1):
                broken = bytearray(data)
                BATCH.writer("batch_length")(broken, position, length)
                found = batches_in(bytes(broken), base_offset=int(path.stem))
                assert list(found) == list(whole)
                assert found[position].restored == ("batch_length",)
                assert found[position].header == item.header
                assert all(other.is_as_stored for at, other in found.items() if at != position)


# Damage of other kinds


class Damage(NamedTuple):
    """What is done to a log, and the stretches (in the log as it was, with how far they moved) that it left alone."""

    data: bytes
    kept: tuple[tuple[int, int, int], ...]


def over(log: Log, start: int, new: bytes) -> Damage:
    """Bytes written over others."""
    end = min(len(log.data), start + len(new))
    data = log.data[:start] + new[: end - start] + log.data[end:]
    return Damage(data, ((0, start, 0), (end, len(log.data), 0)))


def spliced(log: Log, start: int, end: int, new: bytes = b"") -> Damage:
    """Bytes in the place of a stretch."""
    moved = len(new) - (end - start)
    return Damage(log.data[:start] + new + log.data[end:], ((0, start, 0), (end, len(log.data), moved)))


def swapped(log: Log, chance: random.Random) -> Damage:
    sectors = len(log.data) // 512
    if sectors < 2:
        return over(log, 0, bytes(min(512, len(log.data))))
    one, other = sorted(chance.sample(range(sectors), 2))
    data = bytearray(log.data)
    data[512 * one : 512 * one + 512] = log.data[512 * other : 512 * other + 512]
    data[512 * other : 512 * other + 512] = log.data[512 * one : 512 * one + 512]
    edges = (0, 512 * one, 512 * one + 512, 512 * other, 512 * other + 512, len(data))
    return Damage(bytes(data), tuple((edges[at], edges[at + 1], 0) for at in (0, 2, 4)))


def bits(log: Log, chance: random.Random, first: int, last: int, count: int) -> Damage:
    """So many bits flipped between two positions."""
    data = bytearray(log.data)
    for at in range(count):
        place = min(len(data) - 1, chance.randrange(first, max(first + 1, last)))
        data[place] ^= 1 << (at + chance.randrange(8)) % 8
    return Damage(bytes(data), ((0, first, 0), (max(first + 1, last), len(data), 0)))


def header_of(log: Log, chance: random.Random) -> tuple[int, int]:
    start, end = log.edges(chance.randrange(len(log.batches)))
    return start, min(end, start + 61)


def payload_of(log: Log, chance: random.Random) -> tuple[int, int]:
    start, end = log.edges(chance.randrange(len(log.batches)))
    return min(end - 1, start + 61), end


def at_random(log: Log, chance: random.Random) -> int:
    return chance.randrange(len(log.data))


def other(chance: random.Random) -> bytes:
    """Bytes of another log, from the middle of a batch to that of another one."""
    log = chance.choice(logs())
    start = at_random(log, chance)
    return log.data[start : start + chance.randrange(1, 4096)]


def lost_middle(log: Log, chance: random.Random) -> Damage:
    start, end = sorted((at_random(log, chance), at_random(log, chance)))
    return spliced(log, start, end)


DAMAGES: dict[str, Callable[[Log, random.Random], Damage]] = {
    "a zeroed page": lambda log, chance: over(log, at_random(log, chance) & ~4095, bytes(4096)),
    "a zeroed sector": lambda log, chance: over(log, at_random(log, chance) & ~511, bytes(512)),
    "a page of ones": lambda log, chance: over(log, at_random(log, chance) & ~4095, b"\xff" * 4096),
    "a page of noise": lambda log, chance: over(log, at_random(log, chance) & ~4095, chance.randbytes(4096)),
    "a page of text": lambda log, chance: over(log, at_random(log, chance) & ~4095, b"what was here before " * 195),
    "swapped sectors": swapped,
    "a torn tail": lambda log, chance: spliced(log, at_random(log, chance), len(log.data)),
    "a torn tail and zeros": lambda log, chance: spliced(
        log, at := at_random(log, chance), len(log.data), bytes(at % 5000)
    ),
    "a lost start": lambda log, chance: spliced(log, 0, at_random(log, chance)),
    "a lost middle": lost_middle,
    "a lost byte": lambda log, chance: spliced(log, at := at_random(log, chance), at + 1),
    "a byte more": lambda log, chance: spliced(log, at := at_random(log, chance), at, chance.randbytes(1)),
    "another replica's bytes": lambda log, chance: spliced(log, at := at_random(log, chance), at, other(chance)),
    "another replica's page": lambda log, chance: over(log, at_random(log, chance) & ~4095, other(chance)),
    "a bit of a header": lambda log, chance: bits(log, chance, *header_of(log, chance), 1),
    "bits of a header": lambda log, chance: bits(log, chance, *header_of(log, chance), 5),
    "a bit of a payload": lambda log, chance: bits(log, chance, *payload_of(log, chance), 1),
    "bits of a payload": lambda log, chance: bits(log, chance, *payload_of(log, chance), 5),
    "a zeroed header": lambda log, chance: over(log, header_of(log, chance)[0], bytes(61)),
    "a length": lambda log, chance: over(log, header_of(log, chance)[0] + 8, chance.randbytes(4)),
    "an offset": lambda log, chance: over(log, header_of(log, chance)[0], chance.randbytes(8)),
    "half of a batch": lambda log, chance: over(log, payload_of(log, chance)[0], chance.randbytes(500)),
}


def is_proved(found: FoundBatch) -> bool:
    """Whether the checksum holds for the bytes as they are."""
    return found.content is Content.PROVED and not {"batch_length", "magic"} & set(found.restored)


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_of_many_kinds(name: str) -> None:
    """All that has a right checksum is found, at its place, and called so; all that is called so was in the log."""
    chance = random.Random(name)
    for number, log in enumerate(every(16, logs(), chance.randrange(16))):
        damage = DAMAGES[name](log, chance)
        found = batches_in(damage.data, base_offset=log.base_offset, known=log.known if number % 2 else ())
        proved = [(item.position, item.size) for item in found.values() if is_proved(item)]
        others = [(item.position, item.end_position) for item in found.values() if not is_proved(item)]
        by_search = proved_by_search(damage.data)
        missing = [
            (position, size)
            for position, size in set(by_search) - set(proved)
            if not any(start <= position and position + size <= end for start, end in others)
        ]
        assert not missing and set(proved) <= set(by_search), log.name
        for start, end, moved in damage.kept:
            for position, size, _ in log.batches:
                if start <= position and position + size <= end:
                    at = position + moved
                    # Where a lost byte is like the next one, or parts of two logs fit, another one has its first bytes.
                    is_taken = at not in found and any(one.position < at < one.end_position for one in found.values())
                    assert is_taken or found[at].size == size, log.name
        originals = {log.data[position + 16 : position + size] for position, size, _ in log.batches}
        source = ByteSource(damage.data)
        if "another" not in name:
            for item in found.values():
                if item.content in (Content.PROVED, Content.CORRECTED) and item.offsets is not Offsets.UNKNOWN:
                    raw = item.raw(source)
                    assert raw[16:] in originals or any(raw[16:] in whole for whole in originals), (log.name, item)


# Batches in values


def nested() -> tuple[bytes, list[bytes], bytes]:
    """A log of three batches, these, and one that lies in a value of the second."""
    inner = data_batch(7000, 5000)
    value = record_bytes(offset_delta=0, value=b"before " + inner + b" after")
    outer = batch_of(3, value, 1, 5000)
    all_batches = [data_batch(0, 1000), outer, data_batch(4, 2000), data_batch(7, 3000)]
    return b"".join(all_batches), all_batches, inner


def test_a_batch_in_a_value_is_not_one_of_the_log() -> None:
    data, batches, _ = nested()
    assert [item.size for item in found_in(data)] == [len(batch) for batch in batches]


@pytest.mark.parametrize("field", ["batch_length", "crc", "magic", "records_count", "base_offset"])
def test_nor_if_the_one_around_it_is_damaged(field: str) -> None:
    data, batches, _ = nested()
    broken = bytearray(data)
    start = len(batches[0])
    first, last = CURRENT_FIELDS[field]
    for at in range(start + first, start + last):
        broken[at] ^= 0x55
    found = found_in(bytes(broken))
    assert [item.size for item in found] == [len(batch) for batch in batches]
    raw = b"".join(item.raw(ByteSource(bytes(broken))) for item in found if isinstance(item, FoundBatch))
    assert raw == data


def test_of_one_whose_surroundings_are_lost_nobody_knows_the_offset() -> None:
    data, batches, inner = nested()
    start = len(batches[0])
    broken = data[:start] + bytes(61) + data[start + 61 :]
    items = found_in(broken, base_offset=0)
    kinds = [(type(item), item.size) for item in items]
    at = 2
    assert [kind for kind, _ in kinds] == [FoundBatch, Lost, FoundBatch, Lost, FoundBatch, FoundBatch]
    assert [getattr(item, "offsets", None) for item in items] == ["stored", None, "unknown", None, "stored", "stored"]
    assert broken[items[at].position : items[at].end_position] == inner


# Offsets and epochs


@pytest.mark.parametrize("damage", ["torn", "a record", "a later record"])
def test_of_one_in_a_value_nobody_knows_it_though_it_would_fit(damage: str) -> None:
    """The log ends in a batch of which a value holds two batches that would go on where the log ends."""
    inner = [data_batch(10, 1000), data_batch(13, 1000)]
    values = [
        record_bytes(offset_delta=0, value=b"a" * 99),
        record_bytes(offset_delta=1, value=b"".join(inner) + bytes(99)),
    ]
    outer = batch_of(7, b"".join(values) + record_bytes(offset_delta=2, value=b"c" * 99), 3, 1000)
    before = data_batch(4, 1000)
    at = outer.index(inner[0])
    if damage == "torn":
        outer = outer[:-150]
    else:
        place = at - 30 if damage == "a record" else len(outer) - 30
        outer = outer[:place] + b"????" + outer[place + 4 :]
    found = batches_in(before + outer, base_offset=4, weakest=Content.CORRECTED)
    assert found[0].offsets is Offsets.STORED
    position = len(before) + at
    for number in (position, position + len(inner[0])):
        assert (found[number].content, found[number].offsets) == (Content.PROVED, Offsets.UNKNOWN)
    # Where bytes are missing, so that the next batch begins in a record, the log goes on after that record's end.
    following = [data_batch(first, 1000) for first in (10, 13, 16)]
    lost = outer[: outer.index(b"aaa") + 30]
    found = batches_in(b"".join([before, lost, *following]), base_offset=4)
    assert [one.base_offset for one in found.values() if one.offsets is Offsets.STORED] == [4, 10, 13, 16]


def test_offsets_that_are_inferred() -> None:
    batches = [data_batch(first, 1000) for first in range(0, 30, 3)]
    offsets = [100, 3, 50, 9, 12, 7, 7, 21, 2**62, 27]
    broken = [batch.replace(batch[:8], offset.to_bytes(8), 1) for batch, offset in zip(batches, offsets, strict=True)]
    items = found_in(b"".join(broken), base_offset=0, end_offset=30)
    assert [item.base_offset for item in items if isinstance(item, FoundBatch)] == list(range(0, 30, 3))
    grades = [item.offsets.value for item in items if isinstance(item, FoundBatch)]
    wrong = [offset != 3 * number for number, offset in enumerate(offsets)]
    assert grades == ["inferred" if is_wrong else "stored" for is_wrong in wrong]


def test_offsets_that_nobody_knows() -> None:
    """Compaction left gaps; and after the last one there is no batch to say."""
    batches = [data_batch(first, 1000) for first in (0, 3, 20, 23)]
    for number, expected in ((1, "unknown"), (2, "unknown"), (3, "unknown")):
        changed = list(batches)
        changed[number] = (2**40).to_bytes(8) + batches[number][8:]
        grades = [
            item.offsets.value for item in found_in(b"".join(changed), base_offset=0) if isinstance(item, FoundBatch)
        ]
        assert grades == [expected if at == number else "stored" for at in range(4)]


def test_a_page_of_another_log_is_placed_nowhere() -> None:
    """Though most of its offsets would fit, and it has more batches than the log has after it."""
    mine = [data_batch(first, 1000, 4) for first in range(0, 24, 4)]
    other = [data_batch(first, 2000, 3) for first in range(0, 36, 3)]
    data = b"".join((*mine[:3], b"\xff" * 100, *other, b"\xff" * 100, *mine[4:]))
    found = [item for item in found_in(data, base_offset=0) if isinstance(item, FoundBatch)]
    assert [item.base_offset for item in found if item.offsets == "stored"] == [0, 4, 8, 16, 20]
    assert len(found) == 5 + len(other)


def offsets_in(data: bytes) -> dict[int, str]:
    """Base offset, as restored -> how sure it is."""
    found = found_in(data, base_offset=0)
    return {item.base_offset: str(item.offsets) for item in found if isinstance(item, FoundBatch)}


def test_a_page_of_another_place_of_the_log_costs_nothing_else() -> None:
    """Its batches fit to each other, and those after it belong into the gap before it."""
    batches = [data_batch(3 * number, 1000 + number) for number in range(400)]
    for count in (3, 40):
        strangers = [*batches[:100], *batches[300 : 300 + count], *batches[100 + count :]]
        found = [item for item in found_in(b"".join(strangers), base_offset=0) if isinstance(item, FoundBatch)]
        unknown = [number for number, item in enumerate(found) if item.offsets is Offsets.UNKNOWN]
        assert unknown == list(range(100, 100 + count))
    page = [data_batch(100 + number, 1000, 1) for number in range(30)]  # more batches, and fewer bytes
    found = [
        item for item in found_in(b"".join([*page, *batches[10:60]]), base_offset=0) if isinstance(item, FoundBatch)
    ]
    assert [item.offsets for item in found] == [Offsets.UNKNOWN] * 30 + [Offsets.STORED] * 50


def test_a_batch_keeps_no_place_where_it_does_not_belong() -> None:
    """Though it would fill it: the log lacks what it says that it has, or its times are others."""
    batches = [data_batch(3 * number, 1000 + number) for number in range(20)]
    swapped = [*batches[:4], batches[9], *batches[5:9], batches[4], *batches[10:]]
    assert {offset for offset, sure in offsets_in(b"".join(swapped)).items() if sure == "unknown"} == {12, 27}
    foreign = [*batches[:4], data_batch(21, 7000), *batches[5:]]
    items = [item for item in found_in(b"".join(foreign), base_offset=0) if isinstance(item, FoundBatch)]
    assert [number for number, item in enumerate(items) if item.offsets is Offsets.UNKNOWN] == [4]
    garbled = [*batches[:4], b"\0" * 7 + b"\x15" + batches[4][8:], *batches[5:]]
    assert offsets_in(b"".join(garbled))[12] == "inferred"


@pytest.mark.parametrize("root", ["0.8.2.2", "0.10.2.2"])
def test_the_offset_of_a_wrapper_is_its_last_one(root: str) -> None:
    path = samples.ROOT / root / "producer-gzip-0" / f"{0:020d}.log"
    data = path.read_bytes()
    batches = [batch.raw for batch in iter_batches(path)]
    lower = (int.from_bytes(batches[3][:8]) - 3).to_bytes(8)
    for number, stored in ((3, lower), (0, bytes(8))):
        changed = b"".join([*batches[:number], stored + batches[number][8:], *batches[number + 1 :]])
        found = [item for item in found_in(changed, base_offset=0) if isinstance(item, FoundBatch)]
        assert b"".join(item.raw(ByteSource(changed)) for item in found) == data
        assert [item.offsets for item in found].index(Offsets.INFERRED) == number
    swapped = [
        item for item in found_in(batches[1] + batches[0] + b"".join(batches[2:])) if isinstance(item, FoundBatch)
    ]
    assert [item.offsets for item in swapped].count(Offsets.UNKNOWN) == 1 and not any(one.restored for one in swapped)


def test_two_wrong_leader_epochs_in_a_row() -> None:
    batches = [data_batch(3 * number, 1000, partition_leader_epoch=4) for number in range(12)]
    for epoch in (5, 2**31 - 1):
        wrong = [data_batch(3 * number, 1000, partition_leader_epoch=epoch) for number in (5, 6)]
        data = b"".join([*batches[:5], *wrong, *batches[7:]])
        found = [item for item in found_in(data, base_offset=0) if isinstance(item, FoundBatch)]
        assert [item.leader_epoch for item in found] == [4] * 12


def test_a_leader_epoch_is_that_of_those_around_it() -> None:
    batches = [data_batch(first, 1000, partition_leader_epoch=5) for first in range(0, 12, 3)]
    for number in range(4):
        changed = list(batches)
        changed[number] = data_batch(3 * number, 1000, partition_leader_epoch=4 if number == 3 else 9)
        items = found_in(b"".join(changed), base_offset=0)
        is_known = [
            BATCH.reader("partition_leader_epoch")(item.header, 0) == 5
            for item in items
            if isinstance(item, FoundBatch)
        ]
        assert is_known == [True] * 4


@pytest.mark.parametrize("codec", CODEC_NAMES[1:])
def test_what_comes_before_the_damage_of_a_compressed_batch(codec: str) -> None:
    chance = random.Random(codec)
    values = [chance.randbytes(500).hex().encode() for _ in range(600)]
    columns = Columns([BASE_TIMESTAMP_MS] * 600, [None] * 600, values)
    data = bytearray(build_batch(columns, fields=BatchFields(compression=codec)))
    middle = len(data) * 6 // 10
    data[middle : middle + 70_000] = b"\xff" * 70_000
    source = ByteSource(bytes(data) + data_batch(600, BASE_TIMESTAMP_MS))
    damaged, _ = find_batches(source, base_offset=0)
    assert isinstance(damaged, FoundBatch) and (damaged.content, damaged.offsets) == ("guessed", "stored")
    found = [record.value for record in records_of(damaged, source)]
    assert len(found) > 250 and found == values[: len(found)]


@pytest.mark.parametrize("is_older_first", [True, False])
@pytest.mark.parametrize("count", [0, 4, 40])
def test_two_claims_to_an_offset_are_decided_by_leader_epoch(is_older_first: bool, count: int) -> None:
    """Though the older log has more batches: what a new leader wrote replaced them."""

    def of_epoch(epoch: int, first: int, end: int) -> list[bytes]:
        return [data_batch(offset, 1000 + epoch, partition_leader_epoch=epoch) for offset in range(first, end, 3)]

    before, older, newer = (
        of_epoch(4, 0, 3 * count),
        of_epoch(4, 3 * count, 3 * count + 9),
        of_epoch(5, 3 * count, 3 * count + 6),
    )
    data = b"".join((*before, *older, *newer) if is_older_first else (*before, *newer, *older))
    found = [item for item in found_in(data, base_offset=0) if isinstance(item, FoundBatch)]
    placed = [item for item in found if item.offsets == "stored"]
    assert [item.raw(ByteSource(data)) for item in placed] == before + newer
    unplaced = [item for item in found if item.offsets == "unknown"]
    assert [item.raw(ByteSource(data)) for item in unplaced] == older
    assert unplaced[0].rival == (placed[count].position, 5)


# Bytes that hold none


def test_nothing_in_random_bytes_and_text() -> None:
    chance = np.random.default_rng(17)
    size = 1 << 19
    text = b"".join(path.read_bytes() for path in sorted((ROOT / "docs").glob("*.md")))
    counted = np.arange(size // 8)
    for data in (
        chance.integers(0, 256, size, np.uint8).tobytes(),
        (text * (size // len(text) + 1))[:size],
        bytes(size),
        b"\xff" * size,
        b"\x02" * (size // 8),
        counted[: size // 64].astype("<i8").tobytes(),
        counted[: size // 64].astype(">i4").tobytes(),
        (counted % 3).astype(np.uint8).tobytes()[: size // 16],
    ):
        assert found_in(data) == [Lost(0, len(data))]


class Noise:
    """Random bytes that nobody holds: they are made where they are read. With a text: parts of that."""

    name = "<noise>"

    def __init__(self, size: int, text: bytes = b"") -> None:
        self.size, self.text = size, text

    def read_at(self, position: int, size: int) -> bytes:
        end = min(position + size, self.size)
        first = position >> 16
        parts = [self._part(number) for number in range(first, -(-end // (1 << 16)))]
        return b"".join(parts)[position - (first << 16) : end - (first << 16)]

    def _part(self, number: int) -> bytes:
        chance = np.random.default_rng(number)
        if not self.text:
            return chance.integers(0, 256, 1 << 16, np.uint8).tobytes()
        start = int(chance.integers(0, len(self.text) - (1 << 16)))
        return self.text[start : start + (1 << 16)]


@pytest.mark.long
@pytest.mark.parametrize("is_text", [False, True])
def test_nothing_in_a_lot_of_random_bytes_and_text(is_text: bool) -> None:
    size = (100 if IS_NIGHT else 2) << 30
    text = b"".join(path.read_bytes() for path in sorted(ROOT.glob("docs/**/*.md"))) if is_text else b""
    assert list(find_batches(Noise(size, text))) == [Lost(0, size)]


def test_memory_does_not_grow_with_the_source() -> None:
    """Beyond the size of any log, too: a batch behind 2 GiB of nothing."""
    program = """
from tests.peak import peak_bytes
from kformat.kafka.damage.evidence import Lost, find_batches
from tests.damages import data_batch

class Sparse:
    name, size = "<sparse>", {size}
    batch = data_batch(5, 1000)
    def read_at(self, position, size):
        size = min(size, self.size - position)
        at = self.size - len(self.batch) - position
        return bytes(size) if at >= size else bytes(max(0, at)) + self.batch[max(0, -at):][:size - max(0, at)]

list(find_batches(Sparse(), Sparse.size - (8 << 20)))
before = peak_bytes()
lost, found = find_batches(Sparse())
assert isinstance(lost, Lost) and found.base_offset == 5, (lost, found)
print(peak_bytes() - before)
"""
    size = (2 << 30) + 12345 if IS_NIGHT else 24 << 20
    done = subprocess.run(
        [sys.executable, "-c", program.replace("{size}", str(size))],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert int(done.stdout) < 8 << 20


# Whatever bytes


@lru_cache(maxsize=1)
def small() -> tuple[Log, ...]:
    return tuple(log for log in logs() if len(log.data) < 4000)


def check_mutated(seed: int) -> None:
    chance = random.Random(seed)
    log = chance.choice(small())
    data = mutated(log.data, chance)
    items = found_in(data, base_offset=log.base_offset, known=log.known)
    assert items == found_in(data, base_offset=log.base_offset, known=log.known)
    source = ByteSource(data)
    for item in items:
        if isinstance(item, FoundBatch) and item.content is not Content.GUESSED:
            batch = item.batch(source)
            assert batch.is_valid
            try:
                records = list(batch.records())
            except DataError:
                assert item.content is Content.PROVED
            else:
                assert len(records) == batch.records_count
        elif isinstance(item, FoundBatch):
            with pytest.raises(DataError):
                list(item.batch(source).records())
                item.batch(source).parse()
    strong = [item for item in found_in(data, weakest=Content.PROVED) if isinstance(item, FoundBatch)]
    assert all(item.content is Content.PROVED for item in strong)


def test_mutated_logs() -> None:
    for seed in range(60):
        check_mutated(seed)


@pytest.mark.slow
def test_many_mutated_logs() -> None:
    for seed in range(20_000):
        check_mutated(seed)


def test_kernel_and_numpy_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    chance = random.Random(19)
    for _ in range(at_most(400)):
        log = chance.choice(small())
        data = mutated(log.data, chance) + chance.randbytes(chance.randrange(3000)) + bytes(chance.randrange(300))
        if chance.random() < 0.5:
            data = bytes(chance.choice(b"\x00\x00\x00\x01\x02\x05\xff") for _ in range(chance.randrange(1, 3000)))
        found = []
        for module in (candidates_module.kernels(), None):
            monkeypatch.setattr(candidates_module, "kernels_for", lambda count, module=module: module)
            found.append(list(candidates(ByteSource(data), 0, len(data))))
        assert found[0] == found[1]
