"""Encode kernels refuse what the codec refuses, whatever stands in the columns, and never read beside the bytes given.

A row of columns is turned into what it stands for; what stands for nothing (bytes that do not lie in those given, list
elements that are not there) has to be refused, everything else is the codec's to judge.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("numba")

import numpy as np

import kformat
from kformat.errors import BuildError
from kformat.kernels import Encoded, Part, encoder
from kformat.language.layout import layout
from kformat.storage.checksum import crc32c
from tests.kernel_cases import EDGES

RECORD = "record_batch::record"
INTEGERS = {"attributes": np.int8, "timestamp_delta": np.int64, "offset_delta": np.int32}
OPTIONAL = ("attributes", "timestamp_delta", "key", "value", "headers")
_ABSENT = object()


class Refused(Exception):
    """What stands in the columns stands for nothing."""


def columns_of(source: random.Random, rows: int) -> tuple[dict[Any, Any], dict[str, bytes]]:
    """Sound columns of some records, with their bytes by field."""
    counts = [source.choice((0, 0, 1, 3)) for _ in range(rows)]
    columns: dict[Any, Any] = {("headers", Part.OFFSETS): np.cumsum([0, *counts], dtype=np.int64)}
    for name, kind in INTEGERS.items():
        columns[name, Part.VALUE] = np.array([source.choice((0, 1, -1, 63, -65, 127)) for _ in range(rows)], kind)
    data = {}
    for name in ("key", "value", "headers.key", "headers.value"):
        size = sum(counts) if "." in name else rows
        data[name] = bytes(range(97, 122)) * source.choice((1, 1, 8))
        lengths = [source.choice((-1, 0, 1, 9, 25) if name != "headers.key" else (0, 1, 9)) for _ in range(size)]
        columns[name, Part.LENGTH] = np.array(lengths, np.int64)
        positions = [source.randrange(len(data[name]) - max(length, 0) + 1) for length in lengths]
        columns[name, Part.POSITION] = np.array(positions, np.int64)
    return columns, data


def damaged(columns: dict[Any, Any], source: random.Random) -> dict[Any, Any]:
    """With some numbers replaced by those at which types end, or columns left out."""
    changed = {key: array.copy() for key, array in columns.items()}
    for _ in range(source.choice((0, 1, 1, 2, 3))):
        key = source.choice(list(changed))
        array = changed[key]
        if len(array):
            limits = np.iinfo(array.dtype)
            edges = [edge for edge in (*EDGES, 25, 26, 200, 201) if limits.min <= edge <= limits.max]
            array[source.randrange(len(array))] = source.choice(edges)
    if source.random() < 0.2:
        name = source.choice(OPTIONAL)
        changed = {key: array for key, array in changed.items() if key[0].split(".")[0] != name}
    return changed


def bytes_at(columns: dict[Any, Any], data: dict[str, bytes], name: str, row: int) -> Any:
    if (name, Part.LENGTH) not in columns:
        return _ABSENT
    length, position = (int(columns[name, part][row]) for part in (Part.LENGTH, Part.POSITION))
    if length < 0:
        return None
    if position < 0 or position + length > len(data[name]):
        raise Refused
    return data[name][position : position + length]


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def value_of(columns: dict[Any, Any], data: dict[str, bytes], row: int) -> dict[str, Any]:
    """What a row stands for, as `kformat.build` takes it."""
    value: dict[str, Any] = {
        name: int(columns[name, Part.VALUE][row]) for name in INTEGERS if (name, Part.VALUE) in columns
    }
    value |= {name: bytes_at(columns, data, name, row) for name in ("key", "value")}
    if ("headers", Part.OFFSETS) in columns:
        start, end = columns["headers", Part.OFFSETS][row : row + 2].tolist()
        if not 0 <= start <= end <= len(columns["headers.key", Part.LENGTH]):
            raise Refused
        value["headers"] = [
            {
                "key": key.decode() if key is not None else None,
                "value": bytes_at(columns, data, "headers.value", number),
            }
            for number in range(start, end)
            for key in [bytes_at(columns, data, "headers.key", number)]
        ]
    return {name: item for name, item in value.items() if item is not _ABSENT}


def by_codec(columns: dict[Any, Any], data: dict[str, bytes], rows: int) -> tuple[list[bytes], str]:
    made: list[bytes] = []
    for row in range(rows):
        try:
            made.append(kformat.build(RECORD, value_of(columns, data, row)))
        except (BuildError, Refused) as error:
            return made, type(error).__name__
    return made, "accepted"


def by_kernel(columns: dict[Any, Any], data: dict[str, bytes], rows: int, **more: Any) -> Encoded:
    """From buffers behind which other bytes lie, which must not be seen."""
    given = dict(columns)
    for name, content in data.items():
        whole = np.frombuffer(b"\xee" * 64 + content + b"\xee" * 64, np.uint8)
        given[name, Part.BYTES] = whole[64 : 64 + len(content)]
    return encoder(RECORD).encode(given, rows=rows, **more)


def compare(cases: int, seed: int) -> Counter[str]:
    source, seen = random.Random(seed), Counter[str]()
    for _ in range(cases):
        rows = source.choice((1, 2, 5))
        columns, data = columns_of(source, rows)
        columns = damaged(columns, source)
        if ("offset_delta", Part.VALUE) not in columns:
            continue
        expected, verdict = by_codec(columns, data, rows)
        found = by_kernel(columns, data, rows, room=source.choice((None, 0, 50)))
        told = columns, verdict, found.problem
        assert (found.problem is None) == (verdict == "accepted"), told
        assert found.data.tobytes() == b"".join(expected), told
        assert found.ends.tolist() == np.cumsum([len(one) for one in expected], dtype=np.int64).tolist()
        if found.problem is not None:
            assert found.problem.row == len(expected)
        seen[verdict] += 1
    return seen


def test_what_stands_in_columns_is_judged_as_by_the_codec() -> None:
    seen = compare(2500, 1)
    assert min(seen["accepted"], seen["Refused"], 20 * seen["BuildError"]) > 400


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_what_stands_in_columns_is_judged_as_by_the_codec_many_times(seed: int) -> None:
    assert compare(12_000, seed)["accepted"] > 3000


@pytest.mark.parametrize("seed", range(40))
def test_units_are_as_large_as_they_may_be(seed: int) -> None:
    """The same bytes as each unit by itself; one row more would have been too much."""
    source = random.Random(seed)
    columns, data = columns_of(source, 60)
    columns["timestamp_delta", Part.VALUE] = np.array([source.choice((0, 90, 2**40)) for _ in range(60)])
    columns["offset_delta", Part.VALUE] = np.arange(60, dtype=np.int32)
    most, limit = source.choice((None, 7)), source.choice((0, 60, 300, None))
    if most is None and limit is None:
        limit = 100
    found = by_kernel(columns, data, 60, unit_bytes=limit, unit_rows=most, room=source.choice((None, 0)))
    edges = [*found.firsts.tolist(), 60]
    assert edges[0] == 0 and found.problem is None

    def alone(start: int, end: int) -> bytes:
        values = []
        for row in range(start, end):
            value = value_of(columns, data, row)
            for name in ("timestamp_delta", "offset_delta"):
                value[name] -= int(columns[name, Part.VALUE][start])
            values.append(kformat.build(RECORD, value))
        return b"".join(values)

    start = 0
    for first, behind in pairwise(edges):
        end = int(found.ends[behind - 1])
        assert found.data[start:end].tobytes() == alone(first, behind)
        assert behind - first == 1 or limit is None or end - start <= limit
        fits = behind < 60 and (limit is None or len(alone(first, behind + 1)) <= limit)
        assert not fits or (most is not None and behind - first == most)
        start = end


def test_a_base_that_is_too_far_is_refused() -> None:
    columns = {
        ("timestamp_delta", Part.VALUE): np.array([-(2**62), 2**63 - 1]),
        ("offset_delta", Part.VALUE): np.array([0, 1], np.int32),
    }
    found = by_kernel(columns, {}, 2, unit_rows=5)
    assert found.problem is not None and (found.problem.row, found.problem.site.path) == (
        1,
        f"{RECORD}.timestamp_delta",
    )
    columns["timestamp_delta", Part.VALUE] = np.array([0, 1])
    columns["offset_delta", Part.VALUE] = np.array([-(2**31), 1], np.int32)
    found = by_kernel(columns, {}, 2, unit_rows=5)
    assert found.problem is not None and found.problem.site.path == f"{RECORD}.offset_delta"


def test_what_follows_from_others_may_be_left_out() -> None:
    """A batch's magic, epochs, counts and checksum, as the codec fills them in."""
    payloads = [b"", b"x" * 100]
    columns = {
        ("base_timestamp", Part.VALUE): np.array([5, 6]),
        ("max_timestamp", Part.VALUE): np.array([7, 8]),
        ("records_count", Part.VALUE): np.array([4, -(2**31) + 3], np.int32)[:1].repeat(2),
        ("attributes.compression", Part.VALUE): np.array([1, 4], np.uint8),
        ("payload", Part.POSITION): np.array([0, 0]),
        ("payload", Part.LENGTH): np.array([len(payload) for payload in payloads]),
    }
    made = encoder("record_batch").encode(columns, b"x" * 100)
    expected = b"".join(
        kformat.build(
            "record_batch",
            {
                "base_timestamp": 5 + number,
                "max_timestamp": 7 + number,
                "records_count": 4,
                "attributes": {"compression": codec},
                "payload": payload,
            },
        )
        for number, (codec, payload) in enumerate(zip((1, 4), payloads, strict=True))
    )
    assert made.problem is None and made.data.tobytes() == expected
    start = int(made.ends[0]) + layout("record_batch").end("crc")
    assert layout("record_batch").reader("crc")(made.data, int(made.ends[0])) == crc32c(made.data[start:].data)
    given = encoder("record_batch").encode(columns | {("crc", Part.VALUE): np.array([1, 2], np.uint32)}, b"x" * 100)
    assert layout("record_batch").reader("crc")(given.data, 0) == 1
    columns["records_count", Part.VALUE] = np.array([4, -(2**31)], np.int32)
    refused = encoder("record_batch").encode(columns, b"x" * 100)
    assert refused.problem is not None and refused.problem.row == 1
    assert refused.problem.site.path == "record_batch.last_offset_delta"
