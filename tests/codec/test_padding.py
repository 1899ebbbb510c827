"""`-fill`: padding that a builder writes, next to what a C compiler lays out."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.columns.rows import find
from kformat.corpus import declared_corpus
from kformat.errors import BuildError, InvalidError
from tests.draws import at_most

KINDS: dict[str, Any] = {
    "u1": ctypes.c_uint8,
    "s2": ctypes.c_int16,
    "u4": ctypes.c_uint32,
    "s8": ctypes.c_int64,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
}


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=7), st.data())
@settings(max_examples=at_most(60))
def test_structures_are_laid_out_as_a_compiler_does(kinds: list[str], data: Any) -> None:
    fields = [(f"field_{number}", KINDS[kind]) for number, kind in enumerate(kinds)]
    laid: Any = type("Laid", (ctypes.LittleEndianStructure,), {"_fields_": fields})
    lines, at = [], 0
    for number, kind in enumerate(kinds):
        start = getattr(laid, f"field_{number}").offset
        if start > at:
            lines.append(f"  - {{id: before_{number}, size: {start - at}, -fill: 0}}")
        lines.append(f"  - {{id: field_{number}, type: {kind}}}")
        at = start + ctypes.sizeof(KINDS[kind])
    if ctypes.sizeof(laid) > at:
        lines.append(f"  - {{id: at_the_end, size: {ctypes.sizeof(laid) - at}, -fill: 0}}")
    declaration = kformat.parse_declaration("meta: {id: laid, endian: le}\nseq:\n" + "\n".join(lines))
    values = {name: data.draw(st.integers(0, 100)) for name, _ in fields}
    made = kformat.build(declaration, values)
    assert made == bytes(laid(**values))
    read = kformat.parse(declaration, made)
    assert {name: getattr(read, name) for name, _ in fields} == values


NAMES = """
meta: {id: names, endian: le}
seq: [{id: names, type: name, repeat: eos}]
types:
  name:
    seq:
      - {id: length, type: u1}
      - {id: text, size: length}
      - {id: padding, size: (-_io.pos) % 4, -fill: 0x20, VALIDif: length != 7}
      - {id: value, type: u4}
"""


@given(st.lists(st.binary(max_size=9), max_size=6), st.lists(st.binary(max_size=9), min_size=6, max_size=6))
@settings(max_examples=at_most(60))
def test_padding_follows_what_comes_before_it(texts: list[bytes], others: list[bytes]) -> None:
    declaration = kformat.parse_declaration(NAMES.replace("VALID", ""))

    def plainly(names: list[bytes]) -> bytes:
        made = b""
        for text in names:
            made += bytes([len(text)]) + text
            made += b" " * (-len(made) % 4 if len(text) != 7 else 0) + b"\1\0\0\0"
        return made

    made = kformat.build(declaration, {"names": [{"text": text, "value": 1} for text in texts]})
    assert made == plainly(texts)
    value: Any = kformat.parse(declaration, made)
    assert kformat.build(declaration, value) == made
    for name, text in zip(value.names, others, strict=False):
        name.text = text
    assert kformat.build(declaration, value) == plainly(others[: len(texts)])


def test_other_bytes_in_padding_stay_and_do_not_stretch() -> None:
    declaration = kformat.parse_declaration(NAMES.replace("VALID", ""))
    data = b"\1a?!\1\0\0\0\2ab \1\0\0\0"
    value: Any = kformat.parse(declaration, data)
    assert kformat.build(declaration, value) == data
    value.names[1].text = b""
    assert kformat.build(declaration, value) == data[:8] + b"\0   \1\0\0\0"
    value.names[0].text = b"abc"
    with pytest.raises(BuildError, match="does not have the size") as raised:
        kformat.build(declaration, value)
    assert raised.value.path == "names.names[0].padding"


def test_a_rule_says_which_padding_is_right() -> None:
    declaration = kformat.parse_declaration(
        NAMES.replace("VALID", "valid: {expr: '_.length == 0 or (_.min == 0x20 and _.max == 0x20)'}, ")
    )
    data = b"\1a  \1\0\0\0"
    assert kformat.parse(declaration, data) is not None
    with pytest.raises(InvalidError) as raised:
        kformat.parse(declaration, data.replace(b"a  ", b"a ?"))
    assert (raised.value.path, raised.value.position) == ("names.names[0].padding", 2)


def test_corpora_strategies_and_rows_leave_padding_to_the_builder() -> None:
    declaration = kformat.parse_declaration(NAMES.replace("VALID", ""))
    corpus = declared_corpus(declaration)
    lengths = {len(name.text) for file in corpus.files for name in kformat.parse(declaration, file.data).names}
    assert len(lengths) > 1
    table = kformat.scan(b"\1a  \1\0\0\0" * 3, declaration, columns=["length", "text", "value"]).to_arrow()
    assert kformat.build(declaration, {"names": table.to_pylist()}) == b"\1a  \1\0\0\0" * 3
    row = kformat.describe(find(declaration).type)
    described = {field.name: field.built for field in row.fields}
    assert described["padding"] == "filled with 0x20"


@pytest.mark.parametrize(("end", "made"), [("pad-right: 0", b"\2ab"), ("terminator: 0", b"\3ab\0")])
def test_a_length_follows_from_padded_text(end: str, made: bytes) -> None:
    fields = f"{{id: n, type: u1}}, {{id: a, type: str, encoding: ASCII, size: n, {end}}}"
    declared = kformat.parse_declaration(f"meta: {{id: case}}\nseq: [{fields}]")
    for values in ({"a": "ab"}, {"n": 1, "a": "ab"}):  # one that is too short does not stay
        assert kformat.build(declared, values) == made
