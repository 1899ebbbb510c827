"""Values of a declared format in an Arrow array: numpy, kernels and the codec read each as `kformat.parse` does."""

from __future__ import annotations

import json
import random
import struct
import zlib
from typing import Any

import pytest

import kformat
from kformat.columns.values import JsonTexts, Parsed, Values
from kformat.errors import DataError, UsageError
from tests.columns.comparing import mutated
from tests.columns.reference import MISFIT, parsed
from tests.draws import EXAMPLES

pa = pytest.importorskip("pyarrow")
pytest.importorskip("numba")

FIXED = kformat.parse_declaration("""
meta: {id: trade, endian: be}
seq:
  - {id: price, type: f4}
  - {id: size, type: u4, valid: {max: 1000}}
  - {id: side, type: u1, enum: side}
  - {id: symbol, type: str, size: 4, encoding: UTF-8}
  - {id: levels, type: u2, repeat: expr, repeat-expr: 2}
  - {id: flags, type: flags}
instances: {double: {value: size * 2}}
types:
  flags: {seq: [{id: b, type: u1}]}
enums: {side: {0: buy, 1: sell}}
""")
ANY_SIZE = kformat.parse_declaration("""
meta: {id: order, endian: le}
seq:
  - {id: kind, type: u1, enum: kind}
  - {id: n, type: u1, valid: {max: 40}}
  - {id: name, type: str, size: n, encoding: UTF-8}
  - {id: extra, type: extra, if: kind == kind::b}
  - {id: items, type: u2, repeat: expr, repeat-expr: n % 3}
  - {id: rest, size-eos: true}
types:
  extra: {seq: [{id: x, type: f4}, {id: y, type: s2}]}
enums: {kind: {0: a, 1: b}}
""")
CODEC = kformat.parse_declaration("""
meta: {id: event, endian: be}
seq:
  - {id: schema, type: u1}
  - {id: at, type: u1}
  - {id: body, size: 6, type: {switch-on: schema, cases: {1: one, 2: two}}}
  - {id: tail, size-eos: true}
instances: {there: {pos: at, type: u1}, ratio: {value: 100 / at}}
types:
  one: {seq: [{id: a, type: u2}, {id: b, type: u4}]}
  two: {seq: [{id: c, type: strz, encoding: ASCII}, {id: d, size-eos: true}]}
""")


def trade(rng: random.Random) -> bytes:
    symbol = rng.choice([b"abcd", "é€".encode()[:4], b"ab\0\0", b"\xff\xfe  "])
    return struct.pack(">fIB4s2HB", 1.5, rng.randrange(1200), rng.randrange(3), symbol, 1, 2, rng.randrange(256))


def order(rng: random.Random) -> bytes:
    kind, name = rng.randrange(3), rng.choice(["", "ab", "naïve"]).encode()
    extra = struct.pack("<fh", 2.5, -3) if kind == 1 else b""
    return bytes([kind, len(name)]) + name + extra + bytes(2 * (len(name) % 3)) + rng.randbytes(rng.randrange(4))


def event(rng: random.Random) -> bytes:
    return bytes([rng.randrange(4), rng.randrange(12)]) + rng.randbytes(5) + b"\0" + rng.randbytes(rng.randrange(6))


MAKERS = {"fixed": (FIXED, trade), "any size": (ANY_SIZE, order), "codec": (CODEC, event)}
WAYS: dict[str, dict[str, Any]] = {
    "codec": {"with_fixed": False, "with_kernels": False},
    "kernels": {"with_fixed": False, "with_kernels": True},
    "numpy": {},
}


def whole(found: list[Parsed]) -> tuple[list[Any], list[Any], list[Any]]:
    columns: tuple[list[Any], list[Any], list[Any]] = [], [], []
    for part in found:
        assert len(part.array) == len(part.raw) == len(part.error)
        assert part.refused_count == len(part.raw) - part.raw.null_count == len(part.error) - part.error.null_count
        for rows, array in zip(columns, (part.array, part.raw, part.error), strict=True):
            array.validate(full=True)
            rows += array.to_pylist()
    return columns


def assert_as_parsed(values: list[bytes | None], found: tuple[list[Any], list[Any], list[Any]], format: Any) -> int:
    """Hold columns against `kformat.parse`; returns how many values do not parse."""
    refused = 0
    for value, row, raw, error in zip(values, *found, strict=True):
        if value is None:
            assert (row, raw, error) == (None, None, None)
            continue
        outcome = parsed(format, value, ())
        assert (row is None) == (outcome.error is not None), (value, row, outcome.error)
        if outcome.error is None:
            assert (repr(row), raw, error) == (repr(outcome.rows[0]), None, None)
            continue
        refused += 1
        assert raw == value
        if outcome.error.message == MISFIT:
            assert MISFIT in error
        else:
            outcome.error.source = "value"
            assert error == str(outcome.error)
    return refused


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(max(3, EXAMPLES // 5)))
def test_all_ways_make_of_values_what_parse_makes_of_each(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    format, make = MAKERS[kind]
    values: list[bytes | None] = []
    for _ in range(rng.choice((0, 1, 30, 300))):
        value = make(rng)
        values.append(None if rng.random() < 0.05 else mutated(value, rng) if rng.random() < 0.2 else value)
    array = pa.array([b"in front", *values, b"after"], pa.binary()).slice(1, len(values))
    made = {}
    for way, how in WAYS.items():
        made[way] = whole(list(Values(format, **how).parse(array)))
    refused = assert_as_parsed(values, made["codec"], format)
    assert repr(made["codec"]) == repr(made["kernels"]) == repr(made["numpy"])
    assert refused or len(values) <= 30


def test_ways_are_those_that_are_meant() -> None:
    """The test above compares three ways only as long as there are three."""
    assert Values(FIXED)._fixed is not None
    assert Values(ANY_SIZE)._fixed is None and Values(ANY_SIZE)._compiled is not None
    assert Values(CODEC)._fixed is None and Values(CODEC)._compiled is None  # an instance with `pos`


@pytest.mark.parametrize("way", WAYS)
def test_many_values_that_are_refused(way: str) -> None:
    """In any pattern: each costs no more than a pass of its own."""
    good, bad_rule, bad_text = trade(random.Random(1)), bytearray(trade(random.Random(1))), b""
    good = struct.pack(">fIB4s2HB", 1.5, 1, 0, b"abcd", 1, 2, 3)
    bad_rule[4:8] = b"\xff\xff\xff\xff"
    bad_text = good.replace(b"abcd", b"\xff\xff\xff\xff")
    for pattern in (
        [bad_text] * 300,
        [bytes(bad_rule)] * 300,
        [good, bad_text] * 150,
        [good] * 299 + [bad_text],
        [b""],
    ):
        array = pa.array(pattern, pa.binary())
        assert_as_parsed(list(pattern), whole(list(Values(FIXED, **WAYS[way]).parse(array))), FIXED)


def test_columns_of_a_value() -> None:
    array = pa.array([trade(random.Random(2)), None, b"x"], pa.binary())
    (found,) = Values(FIXED, ["side", "flags.b", "levels"], enums="numbers").parse(array)
    assert [field.name for field in found.array.type] == ["side", "flags.b", "levels"]
    assert found.array[0].as_py()["levels"] == [1, 2]
    for wrong in ("nothing", "_position", "_root.side"):
        with pytest.raises(UsageError, match=wrong):
            Values(FIXED, [wrong])


def test_hostile_values_are_errors_in_their_rows() -> None:
    """Values that decompress to far more than they are end a result, and none is lost."""
    bomb = kformat.parse_declaration("meta: {id: z}\nseq: [{id: body, size-eos: true, process: zlib}]")
    large, small = zlib.compress(bytes(20 << 20), 9), zlib.compress(b"ok")
    values = [small, large, large, large, b"none", large, large, small]
    parts = list(Values(bomb).parse(pa.array(values, pa.binary())))
    assert len(parts) > 1
    assert max(part.array.nbytes for part in parts) < 90 << 20
    assert sum(part.refused_count for part in parts) == 1
    sizes = [None if row is None else len(row["body"]) for part in parts for row in part.array.to_pylist()]
    assert sizes == [2, *[20 << 20] * 3, None, *[20 << 20] * 2, 2]
    too_large = zlib.compress(bytes(200 << 20), 1)
    (part,) = Values(bomb).parse(pa.array([too_large], pa.binary()))
    assert part.raw[0].as_py() == too_large and "limit" in part.error[0].as_py()

    deep = kformat.parse_declaration(
        "meta: {id: deep}\nseq: [{id: more, type: u1}, {id: inner, type: deep, if: more == 1}, {id: end, type: u1}]"
    )
    (part,) = Values(deep).parse(pa.array([b"\1" * 100_000, b"\0\0"], pa.binary()))
    assert part.refused_count == 1 and len(part.error[0].as_py()) <= 500


def test_json_stays_text() -> None:
    values = [b'{"a": 1}', None, b"[1, 2", b'"\xff"', b"NaN", b"1" * 5000, b"[" * 100_000, b"1e999", b"", "é".encode()]
    (found,) = JsonTexts().parse(pa.array(values, pa.binary()))
    good = {0, 5, 7}
    for index, value in enumerate(values):
        text = None if value is None or index not in good else value.decode()
        assert found.array[index].as_py() == text
        assert found.raw[index].as_py() == (None if index in good else value)
        assert found.error[index].is_valid == (index not in good and value is not None)
    assert json.dumps(JsonTexts().one(b'{"a": [1, 1e999]}')) == '{"a": [1, "1e999"]}'
    with pytest.raises(DataError, match="value:7: not JSON"):
        JsonTexts().one(b'{"\xc3\xa9": x')
