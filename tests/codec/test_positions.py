"""Fields that hold positions: `build` computes them from what it writes, in any order, in windows, and after edits."""

from __future__ import annotations

import random
import zlib
from typing import Any

import pytest

import kformat
from kformat.errors import BuildError
from tests.columns.resyncing import CHECKSUMS, FRAME, SYNCS, WITH_INDEX, frames, with_sync

HEADER_FIRST = """
meta: {id: table, endian: be}
seq:
  - {id: header, type: header}
  - {id: entries, type: entry(_index), repeat: expr, repeat-expr: header.count}
  - {id: body_size, type: u1}
  - {id: body, type: body, size: body_size}
  - {id: tail, size: 2}
types:
  header:
    seq:
      - {id: count, type: u1}
      - {id: body_position, type: u2, -derive: {position-of: body}}
      - {id: inner_position, type: u2, -derive: {position-of: _root.body.inner}}
      - {id: from_body, type: u2, -derive: {position-of: _root.body.inner, relative-to: body}}
      - {id: tail_position, type: u2, -derive: {position-of: tail}}
  entry:
    params: [{id: number, type: u4}]
    seq:
      - {id: position, type: u2, -derive: {position-of: "_root.body.files[number]"}}
  body:
    seq:
      - {id: inner_length, type: u1}
      - {id: inner, size: inner_length}
      - {id: files, type: strz, encoding: ASCII, repeat: eos}
"""


def recorder_text(checksum: str, sync: str) -> str:
    text = WITH_INDEX.replace("index_position, type: u8", "index_position, type: u8, -derive: {position-of: index}")
    text = text.replace("repeat-expr: count}", "repeat-expr: count, -derive: {positions-of: frames, every: 10}}")
    key, stored, _ = CHECKSUMS[checksum]
    text += FRAME.replace("CHECKSUM", key).replace("CRC\n", f"{stored}\n" if stored else "\n")
    return with_sync(text, sync)


@pytest.mark.parametrize("checksum", CHECKSUMS)
def test_a_recorder_is_built_from_its_frames_alone(checksum: str) -> None:
    """The bytes are those of a generator that knows nothing of kformat; so are they after an edit that grows them."""
    sync = "two bytes"
    declaration = kformat.parse_declaration(recorder_text(checksum, sync))
    made = frames(random.Random(5), sync, checksum, with_index=True)
    value = kformat.parse(declaration, made.data)
    rows = [{"number": row.number, "kind": row.kind, "payload": row.payload} for row in value.frames]
    given: dict[str, Any] = {"header": {"name": b"a device".ljust(12)}, "frames": rows}
    assert kformat.build(declaration, given) == made.data
    value.frames.insert(3, value.frames[20])
    value.frames[30].payload += b"more"
    again = kformat.parse(declaration, built := kformat.build(declaration, value))
    assert len(again.frames) == 41 and again.index.count == 5
    assert built[again.trailer.index_position :][:4] == b"INDX"
    assert [built[place:][:2] for place in again.index.places] == [SYNCS[sync]] * 5
    assert again.index.places[-1] == again.trailer.index_position - len(built[again.index.places[-1] :]) + len(
        built[again.trailer.index_position :]
    )
    numbers = [int.from_bytes(built[place + 4 :][:4], "little") for place in again.index.places]
    assert numbers == [again.frames[at].number for at in range(0, 41, 10)]


def test_positions_of_what_comes_later_and_lies_in_windows() -> None:
    declaration = kformat.parse_declaration(HEADER_FIRST)
    body = {"inner": b"abc", "files": ["x", "yy", ""]}
    data = kformat.build(declaration, {"entries": [{}, {}, {}], "body": body, "tail": b"!!"})
    value = kformat.parse(declaration, data)
    header = value.header
    assert data[header.body_position] == 3 and data[header.inner_position :][:3] == b"abc"
    assert (header.from_body, data[header.tail_position :]) == (1, b"!!")
    assert [data[entry.position :].partition(b"\0")[0] for entry in value.entries] == [b"x", b"yy", b""]
    value.body.inner = b"a longer one"
    value.body.files[0] = "also longer"
    data = kformat.build(declaration, value)
    value = kformat.parse(declaration, data)
    assert [data[entry.position :].partition(b"\0")[0] for entry in value.entries] == [b"also longer", b"yy", b""]
    assert data[value.header.tail_position :] == b"!!"


def test_positions_in_decoded_bytes_are_those_in_them() -> None:
    declaration = kformat.parse_declaration("""
meta: {id: packed}
seq:
  - {id: before, size: 5}
  - {id: inside, size-eos: true, process: zlib, type: inside}
types:
  inside:
    seq:
      - {id: place, type: u1, -derive: {position-of: _root.inside.text}}
      - {id: filler, size: 3}
      - {id: text, type: strz, encoding: ASCII}
""")
    data = kformat.build(declaration, {"before": b"12345", "inside": {"filler": b"...", "text": "here"}})
    assert zlib.decompress(data[5:]) == b"\4...here\0"


def test_a_position_of_as_many_bytes_as_it_needs() -> None:
    """The length of a varint moves what it is the position of."""
    declaration = kformat.parse_declaration("""
meta: {id: moving, endian: le, imports: [varint]}
seq:
  - {id: place, type: "varint::unsigned(10)", -derive: {position-of: body}}
  - {id: filler, size: 127}
  - {id: body, size: 2}
""")
    data = kformat.build(declaration, {"filler": bytes(127), "body": b"ab"})
    assert data == b"\x81\x01" + bytes(127) + b"ab"


def test_what_is_absent_or_does_not_fit() -> None:
    declaration = kformat.parse_declaration("""
meta: {id: maybe, endian: le}
seq:
  - {id: has_body, type: u1}
  - {id: place, type: u1, -derive: {position-of: body}}
  - {id: extra, type: u1, if: has_body == 2, -derive: {position-of: body}}
  - {id: filler, size-eos: false, size: 300, if: has_body == 2}
  - {id: body, size: 1, if: has_body != 0}
""")
    assert kformat.build(declaration, {"has_body": 0}) == b"\0\0"
    assert kformat.build(declaration, {"has_body": 1, "body": b"x"}) == b"\1\2x"
    with pytest.raises(BuildError, match=r"maybe\.place.*expected 0..255, found 303"):
        kformat.build(declaration, {"has_body": 2, "extra": 0, "filler": bytes(300), "body": b"x"})


def test_an_absent_field_has_no_position() -> None:
    declaration = kformat.parse_declaration("""
meta: {id: sometimes, endian: le}
seq:
  - {id: flag, type: u1}
  - {id: place, type: u2, if: flag != 0, -derive: {position-of: extra}}
  - {id: extra, type: u1, if: flag != 0}
""")
    assert kformat.build(declaration, {"flag": 0}) == b"\0"
    assert kformat.build(declaration, {"flag": 1, "extra": 9}) == b"\1\3\0\x09"


def test_what_is_processed_has_no_position_outside() -> None:
    declaration = kformat.parse_declaration("""
meta: {id: into, endian: le}
seq:
  - {id: place, type: u2, -derive: {position-of: body.tail}}
  - {id: body, type: body, size-eos: true, process: xor(0x55)}
types:
  body: {seq: [{id: before, size: 4}, {id: tail, type: u1}]}
""")
    with pytest.raises(BuildError, match="compressed or processed, asked for outside of them"):
        kformat.build(declaration, {"body": {"before": b"abcd", "tail": 1}})


def test_a_list_that_may_be_empty() -> None:
    """Its condition asks for the trailer, which is not given."""
    text = recorder_text("CRC-16", "two bytes")
    text = text.replace("type: frame, repeat", "type: frame, if: _io.pos < trailer.index_position, repeat")
    declaration = kformat.parse_declaration(text)
    for count in (0, 1, 40):
        made = frames(random.Random(5), "two bytes", "CRC-16", with_index=True, count=count)
        given = [
            {"number": row.number, "kind": row.kind, "payload": row.payload} for row in rows_of(declaration, made.data)
        ]
        value: dict[str, Any] = {"header": {"name": b"a device".ljust(12)}}
        assert kformat.build(declaration, value | ({"frames": given} if given else {})) == made.data


def rows_of(declaration: Any, data: bytes) -> list[Any]:
    return kformat.parse(declaration, data).frames or []
