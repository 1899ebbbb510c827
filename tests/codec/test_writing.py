"""The short way of building: what it writes is what the builder writes, of edited values, too."""

from __future__ import annotations

import decimal
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.codec import building, writing
from kformat.codec.values import Value, held, value_class
from kformat.errors import BuildError
from kformat.language.program import TypeProgram, load_type
from tests.draws import EXAMPLES
from tests.language.public import HERE, Missing, mutants, written, written_more

FORMATS = sorted(mutants.WRITTEN)
UNDECLARED = written.UNDECLARED | written_more.UNDECLARED
LEFT_TO_THE_BUILDER = {
    "ar": "a list up to the end of its stream, or to a terminator",
    "dbf": "padded text up to the end of its stream",
    "git_object": "a process",
    "iso_media": "bits that are there under a condition",
    "pcap": "bits that cross bytes",
    "png": "a process",
    "tzif": "an instance in the stream of another structure",
    "wav": "an instance that is computed from a list that is being read",
    "woff": "a process",
}
"""Format -> why not all of its files can be written straight."""


def outcome(program: TypeProgram, value: Value) -> bytes | str:
    """What the builder makes of a value."""
    try:
        return building.computed(program, value)
    except BuildError as error:
        return str(error)


def values_in(value: Any) -> Iterator[Value]:
    if isinstance(value, Value):
        yield value
        for name in value._fields:
            yield from values_in(held(value, name))
    elif isinstance(value, list):
        for item in value:
            yield from values_in(item)


def edit(value: Value, draw: random.Random) -> None:
    """Change one field in a value."""
    owner = draw.choice([one for one in values_in(value) if one._fields])
    name = draw.choice(owner._fields)
    found = held(owner, name)
    other: Any = None
    if isinstance(found, bool | int):
        other = draw.choice([found + 1, 0, -1, 2**70, not found, "x"])
    elif isinstance(found, float):
        other = draw.choice([found + 1, float("nan"), 1, None])
    elif isinstance(found, str):
        other = draw.choice([found + "x", found[:-1], found + "\0", "\udcff", "\U0001f600", b"", None])
    elif isinstance(found, bytes):
        other = draw.choice([found + b"x", found[:-1], bytes(len(found)), bytearray(found), b"\0", "text", None])
    elif isinstance(found, list):
        other = draw.choice([found[:-1], found[1:], found * 2, list(reversed(found)), (), None])
    elif isinstance(found, Value):
        other = draw.choice([*values_in(found), None])  # not one that holds it: a circle
    setattr(owner, name, other)


@pytest.mark.parametrize("name", FORMATS)
def test_public_formats(name: str, tmp_path: Path) -> None:
    try:
        files = mutants.write([name], tmp_path)[name]
    except Missing:
        pytest.skip("its files cannot be written here")
    declaration = kformat.load_declaration(HERE / f"{name}.ksy")
    program = load_type(declaration)
    draw = random.Random(name)
    trailing: Any = "keep" if name in UNDECLARED else "error"
    straight = 0
    for data in files:
        value = kformat.parse(declaration, data, trailing=trailing)
        made = writing.straight(program, value)
        straight += made is not None
        assert made in (None, outcome(program, value))
    assert straight == len(files) or name in LEFT_TO_THE_BUILDER | UNDECLARED
    for _ in range(EXAMPLES // 2):
        value = kformat.parse(declaration, min(files, key=len), trailing=trailing)
        for _ in range(draw.randint(1, 3)):
            edit(value, draw)
        made = writing.straight(program, value)
        assert made in (None, outcome(program, value))


@pytest.mark.parametrize(
    ("text", "data", "edits", "built"),
    [
        ("seq: [{id: a, type: b4}, {id: b, type: b12}]", b"\x10\x05", {"a": np.uint8(3)}, b"\x30\x05"),
        ("seq: [{id: n, type: u1}, {id: s, size: n * 2}]", b"\1ab", {"n": np.uint8(129)}, b"\1ab"),
        ("seq: [{id: n, type: u1, repeat: eos}]", b"\1\2", {"n": [np.uint8(3), True]}, b"\3\1"),
        ("seq: [{id: x, type: b4}, {id: n, type: u1, if: x > 0}, {id: h, type: b4}]", b"\x01", {}, b"\x01"),
    ],
)
def test_the_builder_takes_what_is_not_as_read(text: str, data: bytes, edits: dict[str, Any], built: bytes) -> None:
    """Numbers that compute otherwise than Python's; a whole byte that is only needed under a condition."""
    declaration = kformat.parse_declaration(f"meta: {{id: a, endian: be}}\n{text}\n")
    value = kformat.parse(declaration, data)
    for name, one in edits.items():
        setattr(value, name, one)
    assert kformat.build(declaration, value) == built


@pytest.mark.parametrize("given", [decimal.Decimal("1.5"), np.float64(1.5), np.array(1.5)])
def test_both_ways_take_the_same_numbers(given: Any) -> None:
    declaration = kformat.parse_declaration("meta: {id: a, endian: be}\nseq: [{id: f, type: f4}]\n")
    value = kformat.parse(declaration, bytes(4))
    value.f = given
    assert writing.straight(load_type(declaration), value) in (None, outcome(load_type(declaration), value))


def test_a_key_that_is_edited_loses_no_structure() -> None:
    declaration = kformat.parse_declaration(
        """
        meta: {id: a, endian: be}
        seq: [{id: t, type: u1}, {id: v, type: {switch-on: t, cases: {0: lst, 1: s}}}]
        types:
          lst: {seq: [{id: n, type: u1}, {id: e, size: 1, repeat: expr, repeat-expr: n}]}
          s: {seq: [{id: v, type: strz, encoding: ASCII}]}
        """
    )
    value = kformat.parse(declaration, b"\1hello\0")
    value.t = 0
    with pytest.raises(BuildError, match="a structure of another type"):
        kformat.build(declaration, value)


def test_a_type_has_one_class_as_long_as_a_parser_has_it() -> None:
    """A value of another class would be left to the builder: slowly, since a cache of classes had become full."""
    declaration = kformat.parse_declaration("meta: {id: case}\nseq: [{id: a, type: u1}]")
    value = kformat.parse(declaration, b"a")
    value_class.cache_clear()
    assert value_class(value._type) is type(value)
    assert writing.straight(value._type, value) == b"a"
