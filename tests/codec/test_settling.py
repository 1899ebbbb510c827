"""Lengths, counts and checksums that generated writers find out: what they write is what the builder writes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.codec import building
from kformat.codec.settling import settled
from kformat.errors import BuildError
from kformat.language.program import TypeProgram, load_type
from tests.codec.test_writing import FORMATS, UNDECLARED, edit
from tests.draws import EXAMPLES
from tests.language.public import HERE, Missing, mutants
from tests.vectors import BATCHES, BY_NAME

HEAD = "meta: {id: a, endian: be, bit-endian: be}\n"


def outcome(program: TypeProgram, given: Any) -> bytes | BuildError:
    """What the builder makes of a given value."""
    try:
        return building.computed(program, given)
    except BuildError as error:
        return error


def mappings_in(given: Any) -> Iterator[dict[str, Any]]:
    if isinstance(given, dict):
        yield given
    for item in given.values() if isinstance(given, dict) else given if isinstance(given, list) else ():
        yield from mappings_in(item)


def change(given: dict[str, Any], draw: random.Random) -> None:
    """Leave out a field somewhere in a mapping, or give another value for it."""
    owner = draw.choice([one for one in mappings_in(given) if one] or [{"": None}])
    name = draw.choice(list(owner))
    found = owner.pop(name)
    if isinstance(found, dict) or draw.random() < 0.4:
        return
    others: list[Any] = [None, 0, -1, 2**40]
    if isinstance(found, str | bytes | list):
        others += [found * 2, found[1:], found[:0]]
    elif isinstance(found, int):
        others += [found + 1]
    owner[name] = draw.choice(others)


@pytest.mark.parametrize("name", FORMATS)
def test_public_formats(name: str, tmp_path: Path) -> None:
    try:
        data = min(mutants.write([name], tmp_path)[name], key=len)
    except Missing:
        pytest.skip("its files cannot be written here")
    declaration = kformat.load_declaration(HERE / f"{name}.ksy")
    program = load_type(declaration)
    trailing: Any = "keep" if name in UNDECLARED else "error"
    assert_same(program, data, random.Random(name), EXAMPLES // 2, trailing=trailing)


@pytest.mark.parametrize("name", [vector.name for vector in BATCHES])
def test_record_batches(name: str) -> None:
    assert_same(load_type("record_batch"), BY_NAME[name].data, random.Random(name), EXAMPLES)


def assert_same(program: TypeProgram, data: bytes, draw: random.Random, count: int, **how: Any) -> None:
    for number in range(count):
        value = kformat.parse(program, data, **how)
        given: Any = value._asdict()
        for _ in range(draw.randint(0, 2)):
            if number % 3:
                change(given, draw)
            else:
                edit(value, draw)
        given = given if number % 3 else value
        made = settled(program, given)
        if made is not None:
            assert made == outcome(program, given)


TAKEN = {
    "the length of bytes": ("seq: [{id: n, type: u1}, {id: s, size: n}]", {"s": b"abc"}, b"\3abc"),
    "a length that was another one": ("seq: [{id: n, type: u1}, {id: s, size: n}]", {"n": 9, "s": b"a"}, b"\1a"),
    "a length with more in it": ("seq: [{id: n, type: u1}, {id: s, size: n - 1}]", {"s": b"ab"}, b"\3ab"),
    "the length of text": (
        "seq: [{id: n, type: u1}, {id: s, type: str, encoding: UTF-8, size: n}]",
        {"s": "\u00e4"},
        b"\2\xc3\xa4",
    ),
    "a count": ("seq: [{id: n, type: u1}, {id: s, type: u2, repeat: expr, repeat-expr: n}]", {"s": [1]}, b"\1\0\1"),
    "bytes that are null": ("seq: [{id: n, type: s1}, {id: s, size: n, if: n >= 0}]", {"s": None}, b"\xff"),
    "a structure of a size": (
        "seq: [{id: n, type: u1}, {id: s, type: t, size: n}]\n"
        "types: {t: {seq: [{id: m, type: u1}, {id: r, size: m}, {id: x, size-eos: true}]}}",
        {"s": {"r": b"ab", "x": b"c"}},
        b"\4\2abc",
    ),
    "a checksum of a length": (
        "seq: [{id: n, type: u1}, {id: s, size: n}, {id: c, type: u4}]\n"
        "-checksum: {algorithm: crc32, field: c, from: n, to: c}",
        {"s": b"a"},
        b"\1a\xde\xcc\x2c\xfb",
    ),
    "what is derived from a count": (
        "seq: [{id: n, type: u1}, {id: o, type: s1, -derive: n - 1}, {id: s, type: u1, repeat: expr, repeat-expr: n}]",
        {"n": 9, "s": []},
        b"\0\xff",
    ),
    "what is derived": (
        "seq: [{id: n, type: u1, -derive: s * 2}, {id: s, type: u1}, {id: z, type: u1, -derive: 7}]",
        {"s": 4},
        b"\x08\4\7",
    ),
    "contents": ("seq: [{id: m, contents: AB}, {id: n, type: u1}]", {"n": 1}, b"AB\1"),
    "a case": (
        "seq: [{id: k, type: u1}, {id: v, type: {switch-on: k, cases: {1: t}}}]\n"
        "types: {t: {seq: [{id: m, type: u1}, {id: r, size: m}]}}",
        {"k": 1, "v": {"r": b"a"}},
        b"\1\1a",
    ),
    "parameters": (
        "seq: [{id: k, type: u1}, {id: v, type: t(k)}]\n"
        "types: {t: {params: [{id: p, type: u1}], seq: [{id: m, type: u1}, {id: r, size: m, if: p > 0}]}}",
        {"k": 1, "v": {"m": 1, "r": b"a"}},
        b"\1\1a",
    ),
}
LEFT = {
    "a length that something else asks for": (
        "seq: [{id: n, type: u1}, {id: s, size: n}, {id: t, type: u1, if: n > 1}]",
        {"s": b"ab", "t": 5},
    ),
    "one that an inner structure asks for": (
        "seq: [{id: n, type: u1}, {id: s, size: n}, {id: t, type: t}]\n"
        "types: {t: {seq: [{id: u, type: u1, if: _parent.n > 1}]}}",
        {"s": b"ab", "t": {"u": 5}},
    ),
    "one that an instance asks for, which is asked for": (
        "seq: [{id: n, type: u1}, {id: s, size: n}, {id: t, type: u1, if: i}]\ninstances: {i: {value: n > 1}}",
        {"s": b"ab", "t": 5},
    ),
    "two lists of one count": (
        "seq: [{id: n, type: u1}, {id: s, size: n}, {id: t, size: n}]",
        {"s": b"ab", "t": b"cd"},
    ),
    "a length of text that another field is derived from": (
        "seq: [{id: n, type: u1}, {id: o, type: u1, -derive: n * 2}, {id: s, type: str, encoding: UTF-8, size: n}]",
        {"s": "ab"},
    ),
    "a count that its list's condition and another field ask for": (
        "seq: [{id: n, type: s1}, {id: o, type: s1, -derive: n - 1},\n"
        "      {id: s, type: u1, repeat: expr, repeat-expr: n + 2, if: n >= 0}]",
        {"n": 1, "s": [1, 2]},
    ),
    "a length of what is null that could be derived": (
        "seq: [{id: k, type: u1}, {id: n, type: u1, -derive: 3}, {id: s, size: n, if: k > 1}]",
        {"k": 0, "s": None},
    ),
    "a key that is not given": (
        "seq: [{id: k, type: u1}, {id: v, type: {switch-on: k, cases: {1: t, 2: u}}}]\n"
        "types: {t: {seq: [{id: m, type: u1}]}, u: {seq: [{id: r, type: u1}]}}",
        {"v": {"r": 1}},
    ),
    "a size that asks its stream": ("seq: [{id: n, type: u1}, {id: s, size: _io.size - 1}]", {"n": 1, "s": b"a"}),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_settled(name: str) -> None:
    text, given, built = TAKEN[name]
    program = load_type(kformat.parse_declaration(HEAD + text + "\n"))
    assert settled(program, given) == outcome(program, given) == built


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_to_the_builder(name: str) -> None:
    text, given = LEFT[name]
    program = load_type(kformat.parse_declaration(HEAD + text + "\n"))
    assert settled(program, given) is None
    assert kformat.build(program, given) == outcome(program, given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"s": b"a", "q": 1},
        {"n": None, "s": b"a"},
        {"n": 1, "s": None},
        {"s": b"a" * 256},
        {"s": "a"},
        {"n": "one", "s": b"a"},
        [b"a"],
    ],
)
def test_what_is_wrong_is_left_to_the_builder(given: Any) -> None:
    program = load_type(kformat.parse_declaration(HEAD + "seq: [{id: n, type: u1}, {id: s, size: n}]\n"))
    assert settled(program, given) is None
    with pytest.raises(BuildError):
        kformat.build(program, given)


def test_records_need_no_lengths() -> None:
    program = load_type("record_batch")
    records = [{"offset_delta": number, "key": b"k" * number, "value": None} for number in range(3)]
    given = {"base_offset": 5, "base_timestamp": 7, "max_timestamp": 7, "records": records}
    made = settled(program, given)
    assert made is not None
    assert made == outcome(program, given)
    assert kformat.parse(program, made).records[2].key == b"kk"


def test_what_is_given_is_not_changed() -> None:
    declaration = kformat.parse_declaration(HEAD + "seq: [{id: n, type: u1}, {id: s, size: n}]\n")
    value = kformat.parse(declaration, b"\1a")
    value.s = b"abc"
    assert kformat.build(declaration, value) == b"\3abc"
    assert value.n == 1
