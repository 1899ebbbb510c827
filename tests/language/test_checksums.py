"""`-checksum` of the bytes between two fields: every reader, the builder, and what is said of it."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

import kformat
from kformat.columns.rows import find
from kformat.columns.scanning import Scan
from kformat.corpus import declared_corpus
from kformat.errors import ChecksumError
from kformat.language.layout import layout

FRAMES = """
meta: {id: frames, endian: le}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    -checksum: {algorithm: crc32, field: crc, HOW}
    seq:
      - {id: sync, contents: [0xaa, 0x55]}
      - {id: address, type: u1}
      - {id: kind, type: b4, valid: {max: 9}}
      - {id: flags, type: b4}
      - {id: length, type: u1}
      - {id: payload, size: length, type: {switch-on: kind, cases: {2: pair}}}
      - {id: pad, size: 2}
      - {id: crc, type: u4}
      - {id: end, contents: [0x0d]}
  pair: {seq: [{id: left, type: u1}, {id: right, type: u1}]}
"""
AHEAD = """
meta: {id: frames, endian: be}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    -checksum: {algorithm: crc32c, field: crc, from: length, to: payload}
    seq:
      - {id: crc, type: u4}
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: hops, type: u1}
"""
HOWS = {
    "from: address, to: payload": (2, -7, "address to payload"),
    "from: address": (2, -5, "address to pad"),
    "to: length": (0, 5, "sync to length"),
    "from: kind, to: flags": (3, 4, "kind to flags"),
    "from: payload, to: payload": (5, -7, "payload"),
    "": (0, -5, "sync to pad"),
}


def frame(how: str, address: int, kind: int, payload: bytes, wrong: int = 0) -> bytes:
    start, end, _ = HOWS[how]
    found = b"\xaa\x55" + bytes([address, kind << 4 | 3, len(payload)]) + payload + b"pp" + bytes(4) + b"\r"
    crc = zlib.crc32(found[start:end]) ^ wrong
    return found[:-5] + crc.to_bytes(4, "little") + b"\r"


def addresses(declaration: Any, data: bytes, with_kernels: bool) -> tuple[list[int], list[str]]:
    lost: list[Any] = []
    scan = kformat.scan(data, declaration, on_corrupt="skip", on_skipped=lost.append)
    inner = Scan(scan._paths, scan._plan, **scan._how | {"with_kernels": with_kernels})
    return [row["address"] for row in inner.to_arrow().to_pylist()], [str(one) for one in lost]


@pytest.mark.parametrize("how", HOWS)
def test_every_reader_verifies_it_and_the_builder_computes_it(how: str) -> None:
    declaration = kformat.parse_declaration(FRAMES.replace(", HOW", f", {how}" if how else ""))
    sound = frame(how, 1, 1, b"abc") + frame(how, 2, 2, b"xy") + frame(how, 3, 1, b"")
    value = kformat.parse(declaration, sound)
    assert kformat.build(declaration, value) == sound
    plain = value._asdict()
    for one in plain["frames"]:
        del one["crc"]
    assert kformat.build(declaration, plain) == sound
    data = frame(how, 1, 1, b"abc") + frame(how, 2, 2, b"xy", wrong=1) + frame(how, 3, 1, b"")
    at = len(frame(how, 1, 1, b"abc")) + 9
    with pytest.raises(ChecksumError) as raised:
        kformat.parse(declaration, data)
    assert (raised.value.path, raised.value.position) == ("frames.frames[1].crc", at)
    assert kformat.parse(declaration, data, checksums=False).frames[1].address == 2
    assert [(one.rule, one.position) for one in kformat.check(data, format=declaration)] == [("KF1003", at)]
    codec, kernel = (addresses(declaration, data, with_kernels) for with_kernels in (False, True))
    assert codec == kernel and codec[0] == [1, 3] and len(codec[1]) == 1
    assert kformat.scan(data, declaration).read_by == "a kernel"
    row = find(declaration).type
    assert f"crc32 of {HOWS[how][2]}" in str(kformat.describe(row)) and layout(row).covered is not None


def test_a_checksum_before_its_bytes_may_end_before_the_type_does() -> None:
    declaration = kformat.parse_declaration(AHEAD)
    built = kformat.build(declaration, {"frames": [{"payload": b"abc", "hops": 7}]})
    for place, is_covered in ((4, True), (7, True), (8, False)):
        changed = bytearray(built)
        changed[place] ^= 1 if place != 4 else 2
        told = [one.rule for one in kformat.check(bytes(changed), format=declaration)]
        assert (("KF1003" in told) if place != 4 else bool(told)) == is_covered
    assert kformat.parse(declaration, built).frames[0].hops == 7


def test_corpora_damage_what_it_covers() -> None:
    declaration = kformat.parse_declaration(FRAMES.replace("HOW", "from: address, to: payload"))
    found = [file.damage for file in declared_corpus(declaration, damage=True).damaged]
    told = {(one.path.rpartition(".")[2], one.mended) for one in found if one is not None}
    assert ("crc", None) in told and ("length", False) in told and ("kind", True) in told
    assert {mended for name, mended in told if name in ("sync", "pad", "end")} <= {None}
    assert {type(one.finding) for one in found if one is not None and one.path.endswith(".crc")} >= {ChecksumError}
