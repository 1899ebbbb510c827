"""Structures in an Arrow array become the bytes that `kformat.build` makes of each, by numpy and by the codec."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.columns.building import Builder
from kformat.columns.values import Values
from kformat.errors import BuildError, UsageError
from tests.columns.test_values import ANY_SIZE, FIXED, order, trade
from tests.draws import EXAMPLES
from tests.judges.required import is_missing
from tests.language.public import HERE, Missing, mutants

pa = pytest.importorskip("pyarrow")

SWITCH = kformat.parse_declaration("""
meta: {id: message, endian: be}
seq:
  - {id: magic, contents: [7, 7]}
  - {id: kind, type: u1, enum: kind}
  - {id: body, type: {switch-on: kind, cases: {'kind::a': one, 'kind::b': two}}}
  - {id: parts, type: part, repeat: eos}
types:
  one: {seq: [{id: count, type: u1}, {id: texts, type: strz, encoding: UTF-8, repeat: expr, repeat-expr: count}]}
  two: {seq: [{id: low, type: b4}, {id: high, type: b4}, {id: at, type: f8}]}
  part: {seq: [{id: n, type: u1}, {id: inside, size: n, type: inner}]}
  inner: {seq: [{id: x, type: u1, if: _parent.n > 1}, {id: rest, size-eos: true}]}
enums: {kind: {1: a, 2: b}}
""")


def message(rng: random.Random) -> bytes:
    body = b"\1\2ab\0\xc3\xa9\0" if rng.random() < 0.5 else b"\2\x4f" + rng.randbytes(4) + bytes(4)
    parts = [rng.randbytes(rng.randrange(4)) for _ in range(rng.randrange(3))]
    return b"\7\7" + body + b"".join(bytes([len(part)]) + part for part in parts)


MAKERS = {"fixed": (FIXED, trade), "any size": (ANY_SIZE, order), "switch": (SWITCH, message)}


def structures(format: Any, values: list[bytes | None]) -> Any:
    """As columns; what does not parse is left out."""
    (found,) = Values(format).parse(pa.array(values, pa.binary()))
    refused = found.error.is_valid()
    return found.array.filter(pa.compute.invert(refused)), [
        value for value, wrong in zip(values, refused.to_pylist(), strict=True) if not wrong
    ]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(max(3, EXAMPLES // 5)))
def test_what_was_parsed_is_built_again(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    format, make = MAKERS[kind]
    values = [None if rng.random() < 0.05 else make(rng) for _ in range(rng.choice((1, 30, 300)))]
    array, wanted = structures(format, values)
    around = pa.concat_arrays([array.slice(0, 1), array, array.slice(0, 1)]).slice(1, len(array))
    for how in ({}, {"with_fixed": False}):
        made = Builder(format, **how).build(around)
        assert made.problem is None
        assert made.array.to_pylist() == wanted
        made.array.validate(full=True)


def test_ways_are_those_that_are_meant() -> None:
    assert Builder(FIXED)._fixed is not None
    assert Builder(ANY_SIZE)._fixed is None


def test_numpy_takes_what_programs_write() -> None:
    """Wider numbers, other types of text, names and numbers of members: the bytes are those of the codec."""
    rows = [
        {"price": 0.1, "size": 5, "side": "sell", "symbol": "abcd", "levels": [1, 2], "flags": {"b": 255}},
        {
            "price": float("inf"),
            "size": 0,
            "side": "buy",
            "symbol": "é€"[:1] + "ab",
            "levels": [0, 65535],
            "flags": {"b": 0},
        },
    ]
    wanted = [kformat.build(FIXED, row) for row in rows]
    plain = pa.array(rows)
    large = pa.struct(
        [
            ("side", pa.dictionary(pa.int8(), pa.string())),
            ("symbol", pa.large_string()),
            ("size", pa.uint64()),
            ("levels", pa.list_(pa.int32(), 2)),
            ("flags", pa.struct([("b", pa.int64())])),
            ("price", pa.float32()),
            ("double", pa.int64()),
        ]
    )
    for array in (plain, pa.array(rows, large)):
        builder = Builder(FIXED)
        assert builder._fixed is not None and builder._fixed.bytes_of(array) is not None
        assert builder.build(array).array.to_pylist() == wanted


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"size": 1001}, "value.size: a value that is not allowed"),
    ({"size": -1}, "value.size: "),
    ({"side": "none"}, "value.side: "),
    ({"symbol": "abc"}, "value.symbol: "),
    ({"symbol": None}, "value.symbol: "),
    ({"levels": [1]}, "value.levels: "),
    ({"levels": [1, 70_000]}, r"value.levels\[1\]: "),
    ({"levels": [1, None]}, r"value.levels\[1\]: "),
    ({"flags": None}, "value.flags"),
    ({"price": 1e300}, "value.price: "),
]


@pytest.mark.parametrize(("change", "why"), WRONG)
def test_the_first_value_that_is_wrong_ends_it(change: dict[str, Any], why: str) -> None:
    good = {"price": 0.5, "size": 5, "side": "sell", "symbol": "abcd", "levels": [1, 2], "flags": {"b": 2}}
    array = pa.array([good, None, good, good | change, good])
    for how in ({}, {"with_fixed": False}):
        made = Builder(FIXED, **how).build(array)
        assert made.array.to_pylist() == [kformat.build(FIXED, good), None, kformat.build(FIXED, good)]
        assert isinstance(made.problem, BuildError)
        with pytest.raises(BuildError, match=why):
            raise made.problem


def test_lengths_and_counts_need_not_be_there() -> None:
    rows = [
        {"kind": "a", "body": {"one": {"texts": ["x", "é"]}}, "parts": [{"n": 3, "inside": {"x": 1, "rest": b"yz"}}]}
    ]
    made = Builder(SWITCH).build(pa.array(rows))
    assert made.problem is None
    assert made.array.to_pylist() == [b"\7\7\1\2x\0\xc3\xa9\0\3\1yz"]
    two = [{"kind": "a", "body": {"one": {"texts": []}, "two": {"low": 1, "high": 2, "at": 1.0}}, "parts": []}]
    kind = pa.array(rows).type.field("body").type.field("one").type
    body = pa.struct(
        [("one", kind), ("two", pa.struct([("low", pa.int8()), ("high", pa.int8()), ("at", pa.float64())]))]
    )
    array = pa.array(two, pa.struct([("kind", pa.string()), ("body", body), ("parts", pa.list_(pa.null()))]))
    problem = Builder(SWITCH).build(array).problem
    assert problem is not None and "more than one case has a value: one, two" in str(problem)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (pa.int32(), "column value: a structure of trade is expected, found int32"),
        (pa.struct([("prise", pa.float32())]), "column value.prise: trade has no field 'prise'; did you mean 'price'"),
        (pa.struct([("price", pa.string())]), "column value.price: a float is expected, found string"),
        (pa.struct([("symbol", pa.binary())]), "column value.symbol: text is expected, found binary"),
        (pa.struct([("levels", pa.int32())]), "column value.levels: a list is expected, found int32"),
        (pa.struct([("levels", pa.list_(pa.bool_()))]), "column value.levels: an integer is expected, found bool"),
        (pa.struct([("flags", pa.int32())]), "column value.flags: a structure is expected, found int32"),
        (pa.struct([("side", pa.float64())]), "column value.side: text, or an integer, is expected, found double"),
        (pa.struct([("size", pa.int8()), ("size", pa.int8())]), "column value: two columns have one name"),
    ],
)
def test_columns_that_do_not_fit(kind: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("(", r"\(")):
        Builder(FIXED).build(pa.nulls(3, kind))


def test_nulls_alone() -> None:
    array, _ = structures(FIXED, [None, None])
    for given in (array, pa.nulls(2)):
        assert Builder(FIXED).build(given).array.to_pylist() == [None, None]
    assert len(Builder(FIXED).build(array.slice(0, 0)).array) == 0


def test_not_a_number_keeps_its_bytes() -> None:
    data = np.array([0x7FC00001], ">u4").tobytes()
    array, _ = structures(FIXED, [data + trade(random.Random(0))[4:8].replace(b"\xff", b"\0") + b"\0abcd" + bytes(5)])
    assert [value[:4] for value in Builder(FIXED).build(array).array.to_pylist()] == [data]


def test_public_formats(tmp_path: Path) -> None:
    """Whole files as values: of all their columns the same files are made."""
    for name in ("bson_document", "dns_message", "flac", "gif", "java_class", "midi", "pcap", "png", "tar", "wav"):
        declaration = kformat.load_declaration(HERE / f"{name}.ksy")
        try:
            files = [data for data in mutants.write([name], tmp_path)[name] if len(data) < 20_000][:1]
        except Missing as error:
            is_missing(str(error))
        (parsed,) = Values(declaration).parse(pa.array(files, pa.binary()))
        made = Builder(declaration).build(parsed.array)
        assert (made.problem, made.array.to_pylist()) == (None, files), name
