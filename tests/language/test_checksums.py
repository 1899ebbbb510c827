"""`-checksum` of the bytes between two fields: every reader, the builder, and what is said of it."""

from __future__ import annotations

import binascii
import hashlib
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import kformat
from kformat.columns.rows import find
from kformat.columns.scanning import Scan
from kformat.corpus import declared_corpus
from kformat.errors import BuildError, ChecksumError, DataError, InvalidError, UsageError
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


ONE = """
meta: {id: frames, endian: ORDER}
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    -checksum: {algorithm: ALGORITHM, field: check, from: length, to: payload}
    seq:
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: check, FIELD}
"""
STORED = {  # of b"\x09123456789"; by the functions of binascii, zlib and hashlib, and by hand
    ("CRC-16/XMODEM", "type: u2", "le"): binascii.crc_hqx(b"\t123456789", 0).to_bytes(2, "little"),
    ("crc16_ccitt_false", "type: u2", "be"): binascii.crc_hqx(b"\t123456789", 0xFFFF).to_bytes(2, "big"),
    ("crc16_ccitt_false", "type: s2", "be"): binascii.crc_hqx(b"\t123456789", 0xFFFF).to_bytes(2, "big"),
    ("crc16_ccitt_false", "type: u4", "be"): binascii.crc_hqx(b"\t123456789", 0xFFFF).to_bytes(4, "big"),
    ("crc16_ccitt_false", "size: 2", "le"): binascii.crc_hqx(b"\t123456789", 0xFFFF).to_bytes(2, "big"),
    ("{width: 16, poly: 0x1021, init: 0xFFFF}", "type: u2", "le"): binascii.crc_hqx(b"\t123456789", 0xFFFF).to_bytes(
        2, "little"
    ),
    ("{width: 16, poly: 0x1021, init: 0x55}", "type: u8", "be"): binascii.crc_hqx(b"\t123456789", 0x55).to_bytes(
        8, "big"
    ),
    ("CRC-32", "type: u8", "le"): zlib.crc32(b"\t123456789").to_bytes(8, "little"),
    ("adler32", "type: s4", "be"): zlib.adler32(b"\t123456789").to_bytes(4, "big"),
    ("sum8", "type: u1", "be"): bytes([(9 + 0x1DD) % 256]),
    ("lrc", "type: s1", "be"): bytes([-(9 + 0x1DD) % 256]),
    ("sum32", "type: u4", "be"): (9 + 0x1DD).to_bytes(4, "big"),
    ("xor8", "type: u1", "be"): bytes([9 ^ 0x31]),
    ("md5", "size: 16", "be"): hashlib.md5(b"\t123456789").digest(),
    ("SHA-256", "size: 4", "be"): hashlib.sha256(b"\t123456789").digest()[:4],
}


@pytest.mark.parametrize(("algorithm", "field", "order"), STORED)
def test_algorithms_and_the_fields_that_they_are_stored_in(algorithm: str, field: str, order: str) -> None:
    stored = STORED[algorithm, field, order]
    text = ONE.replace("ORDER", order).replace("ALGORITHM", algorithm).replace("FIELD", field)
    declaration = kformat.parse_declaration(text)
    row = b"\t123456789" + stored
    assert kformat.build(declaration, {"frames": [{"payload": b"123456789"}] * 3}) == row * 3
    value: Any = kformat.parse(declaration, row * 3)
    assert kformat.build(declaration, value) == row * 3
    value.frames[1].payload = b"12345678"
    again: Any = kformat.parse(declaration, kformat.build(declaration, value))
    assert [len(frame.payload) for frame in again.frames] == [9, 8, 9]
    sizes = [item.name for item in kformat.scan(row * 3, declaration).schema]
    assert "check" in sizes
    wrong = row[:3] + b"?" + row[4:]
    with pytest.raises(ChecksumError) as caught:
        kformat.parse(declaration, row + wrong + row)
    assert caught.value.found == stored.hex() or int(str(caught.value.found), 16) == int.from_bytes(
        stored, order_of(order)
    )
    assert caught.value.path == "frames.frames[1].check" and str(caught.value).count("of bytes") == 1
    for with_kernels in (False, True):
        lost: list[Any] = []
        scan = kformat.scan(row + wrong + row, declaration, on_corrupt="skip", on_skipped=lost.append)
        inner = Scan(scan._paths, scan._plan, **scan._how | {"with_kernels": with_kernels})
        assert [item["payload"] for item in inner.to_arrow().to_pylist()] == [b"123456789"] * 2 and len(lost) == 1


def order_of(order: str) -> Any:
    return {"le": "little", "be": "big"}[order]


def test_corpora_damage_what_any_checksum_covers() -> None:
    """With the right checksum and without it."""
    for algorithm, field in (("crc16_ccitt_false", "type: u2"), ("md5", "size: 16"), ("lrc", "type: u1")):
        text = ONE.replace("ORDER", "le").replace("ALGORITHM", algorithm).replace("FIELD", field)
        files = declared_corpus(kformat.parse_declaration(text), damage=True).damaged
        assert {file.damage.mended for file in files if file.damage is not None} >= {True, False}, algorithm


def test_a_function_of_ones_own() -> None:
    text = ONE.replace("ORDER", "be").replace("ALGORITHM", "my_device.sum").replace("FIELD", "type: u1")
    declaration, rows = kformat.parse_declaration(text), {"frames": [{"payload": b"ab"}]}
    with pytest.raises(UsageError, match=r"call kformat.register_checksum\('my_device.sum', function\)"):
        kformat.build(declaration, rows)
    with pytest.raises(UsageError, match="has a dot, as in"):
        kformat.register_checksum("total", sum)
    kformat.register_checksum("my_device.sum", lambda data: sum(data) % 251)
    sound = kformat.build(declaration, rows)
    assert sound == b"\2ab" + bytes([(2 + 97 + 98) % 251])
    assert kformat.build(declaration, kformat.parse(declaration, sound)) == sound
    with pytest.raises(ChecksumError, match=r"my_device\.sum of bytes 0 to 2 differs"):
        kformat.parse(declaration, b"\2aa" + sound[3:])
    for wrong, complaint in (
        (lambda data: 256, "returned 256; an integer from 0 to 255 is expected"),
        (lambda data: b"1", "returned b'1'; an integer"),
        (lambda data: data[99], "my_device.sum failed: IndexError"),
    ):
        kformat.register_checksum("my_device.sum", wrong)
        with pytest.raises(BuildError, match=complaint):
            kformat.build(declaration, rows)
        with pytest.raises(InvalidError, match=complaint) as caught:
            kformat.parse(declaration, sound)
        assert caught.value.path == "frames.frames[0].check"


# --- fields among their bytes, in bits, in digits, in other structures; conditions; values; several -------------------


class Shape(NamedTuple):
    """How a row stores its checksums: the keys and fields of its type, with others; a sound row of a text; and the
    paths of the checksums, in the order in which they are verified.
    """

    text: str
    row: Callable[[bytes], bytes]
    paths: tuple[str, ...]
    by_kernel: bool = True


def internet(data: bytes) -> int:
    """RFC 1071, word by word."""
    total = 0
    for high, low in zip(data[::2], data[1::2] + b"\0" * (len(data) % 2), strict=True):
        total += high << 8 | low
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def crc4(data: bytes) -> int:
    """CRC-4/G-704, bit by bit."""
    register = 0
    for byte in data:
        for bit in range(8):
            register ^= byte >> bit & 1
            register = register >> 1 ^ (0xC if register & 1 else 0)
    return register


def among(payload: bytes) -> bytes:
    start, rest = bytes([0x45, len(payload)]) + b"id", b"tail" + payload
    return start + internet(start + b"\0\0" + rest).to_bytes(2, "big") + rest


def spaces(payload: bytes) -> bytes:
    start = payload[:6].ljust(6, b"\0") + bytes([len(payload)])
    return start + b"%07o\0" % sum(start + b" " * 8 + b"end" + payload) + b"end" + payload


def nibble(payload: bytes) -> bytes:
    rest = bytes([0x80 | len(payload)]) + payload
    return bytes([0xA0 | crc4(b"\xa0" + rest)]) + rest


def ends_in_bits(payload: bytes) -> bytes:
    start = bytes([len(payload)]) + payload + b"\x50"
    return start[:-1] + bytes([0x50 | crc4(start)])


def headed(payload: bytes) -> bytes:
    start = b"\x55" + bytes([len(payload)]) + zlib.crc32(payload).to_bytes(4, "big")
    return start + binascii.crc_hqx(start, 0).to_bytes(2, "big") + payload


def several(payload: bytes) -> bytes:
    start = bytes([sum(payload) % 256, len(payload)]) + payload
    return start + zlib.crc32(start).to_bytes(4, "big")


def at_times(payload: bytes) -> bytes:
    has_one = len(payload) % 2
    start = bytes([has_one, len(payload)]) + payload
    return start + (zlib.crc32(payload).to_bytes(4, "big") if has_one else b"")


def in_flags(payload: bytes) -> bytes:
    return bytes([3, len(payload)]) + payload + zlib.crc32(payload).to_bytes(4, "big")


def sentence(payload: bytes) -> bytes:
    total = 0
    for byte in payload:
        total ^= byte
    return b"$" + bytes([len(payload)]) + payload + b"*%02X" % total


def packed(payload: bytes) -> bytes:
    body = zlib.compress(payload)
    return bytes([len(body)]) + body + zlib.crc32(payload).to_bytes(4, "big")


SHAPES = {
    "among its bytes": Shape(
        """
    -checksum: {algorithm: internet, field: check, from: version, to: payload}
    seq:
      - {id: version, type: b4}
      - {id: words, type: b4}
      - {id: length, type: u1}
      - {id: id, size: 2}
      - {id: check, type: u2}
      - {id: tail, size: 4}
      - {id: payload, size: length}
""",
        among,
        ("check",),
    ),
    "among its bytes, as spaces, in octal": Shape(
        """
    -checksum: {algorithm: sum32, field: check, from: name, to: payload, blank: 0x20, digits: octal}
    seq:
      - {id: name, type: str, size: 6, terminator: 0, encoding: ASCII}
      - {id: length, type: u1}
      - {id: check, type: str, size: 8, terminator: 0, encoding: ASCII}
      - {id: end, size: 3}
      - {id: payload, size: length}
""",
        spaces,
        ("check",),
        False,
    ),
    "in bits, with the bytes that they are in": Shape(
        """
    -checksum: {algorithm: CRC-4/G-704, field: check, from: kind, to: payload}
    seq:
      - {id: kind, type: b4}
      - {id: check, type: b4}
      - {id: is_data, type: b1}
      - {id: length, type: b7}
      - {id: payload, size: length}
""",
        nibble,
        ("check",),
        False,
    ),
    "in bits that follow others": Shape(
        """
    -checksum: {algorithm: CRC-4/G-704, field: check}
    seq:
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: kind, type: b4}
      - {id: check, type: b4}
""",
        ends_in_bits,
        ("check",),
        False,
    ),
    "in a header that has its own": Shape(
        """
    -checksum: {algorithm: crc32, field: header.payload_crc, from: payload}
    seq:
      - {id: header, type: header}
      - {id: payload, size: header.length}
    types:
      header:
        -checksum: {algorithm: CRC-16/XMODEM, field: crc}
        seq:
          - {id: sync, contents: [0x55]}
          - {id: length, type: u1}
          - {id: payload_crc, type: u4}
          - {id: crc, type: u2}
""",
        headed,
        ("header.payload_crc", "header.crc"),
    ),
    "several, one of which covers the other": Shape(
        """
    -checksum:
      - {algorithm: crc32, field: outer}
      - {algorithm: sum8, field: inner, from: payload, to: payload}
    seq:
      - {id: inner, type: u1}
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: outer, type: u4}
""",
        several,
        ("inner", "outer"),
    ),
    "under a condition of the field": Shape(
        """
    -checksum: {algorithm: crc32, field: check, from: payload}
    seq:
      - {id: has_check, type: u1, valid: {max: 1}}
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: check, type: u4, if: has_check != 0}
""",
        at_times,
        ("check",),
        False,
    ),
    "under a condition of its own": Shape(
        """
    -checksum: {algorithm: crc32, field: check, from: payload, if: flags.is_checked}
    seq:
      - {id: flags, type: flags}
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: check, type: u4}
    types:
      flags: {seq: [{id: reserved, type: b6, valid: 0}, {id: is_checked, type: b1}, {id: is_last, type: b1}]}
""",
        in_flags,
        ("check",),
        False,
    ),
    "in hexadecimal digits": Shape(
        """
    -checksum: {algorithm: xor8, field: check, from: payload, to: payload, digits: hex}
    seq:
      - {id: start, contents: "$"}
      - {id: length, type: u1}
      - {id: payload, size: length}
      - {id: star, contents: "*"}
      - {id: check, size: 2}
""",
        sentence,
        ("check",),
        False,
    ),
    "of a value": Shape(
        """
    -checksum: {algorithm: crc32, field: check, over: payload}
    seq:
      - {id: length, type: u1}
      - {id: payload, size: length, process: zlib}
      - {id: check, type: u4}
""",
        packed,
        ("check",),
        False,
    ),
}
PAYLOADS = (b"abc", b"xyxy" * 3 + b"x", b"z")


def shaped(name: str) -> Any:
    return kformat.parse_declaration(
        "meta: {id: frames, endian: be}\nseq:\n  - {id: frames, type: frame, repeat: eos}\ntypes:\n  frame:"
        + SHAPES[name].text
    )


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_verified_by_every_reader(name: str) -> None:
    shape, declaration = SHAPES[name], shaped(name)
    rows = [shape.row(payload) for payload in PAYLOADS]
    whole: Any = kformat.parse(declaration, b"".join(rows))
    assert len(whole.frames) == 3
    refused, accepted = set[str](), list[int]()
    for bit in range(8 * len(rows[0])):
        wrong = bytearray(rows[0])
        wrong[bit // 8] ^= 1 << bit % 8
        try:
            kformat.parse(declaration, rows[1] + wrong)
            accepted.append(bit)
        except ChecksumError as error:
            assert error.path is not None
            refused.add(error.path.removeprefix("frames.frames[1]."))
            findings = kformat.check(rows[1] + wrong, format=declaration)
            assert ("KF1003", error.position) in {(finding.rule, finding.position) for finding in findings}
        except DataError:
            pass
    assert refused == set(shape.paths)
    # Numbers in digits may be written in several ways, a flag may say that there is no checksum, and of the last byte
    # of a deflated stream not all bits count.
    most = 8 if "condition" in name or "value" in name else 3 if "octal" in name or "digits" in name else 0
    assert len(accepted) <= most, accepted


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_read_alike_by_kernels_and_by_the_codec(name: str) -> None:
    shape, declaration = SHAPES[name], shaped(name)
    rows = [shape.row(PAYLOADS[number % 3]) for number in range(60)]
    for at in (7, 31, 32):
        rows[at] = rows[at][:-1] + bytes([rows[at][-1] ^ 3])
    data, found = b"".join(rows), list[Any]()
    for with_kernels in (False, True):
        lost: list[Any] = []
        scan = kformat.scan(data, declaration, on_corrupt="skip", on_skipped=lost.append)
        inner = Scan(scan._paths, scan._plan, **scan._how | {"with_kernels": with_kernels})
        found.append((inner.to_arrow().to_pylist(), [str(item) for item in lost]))
    assert found[0] == found[1] and len(found[0][0]) == 57
    assert (kformat.scan(data, declaration).read_by == "a kernel") == shape.by_kernel


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_built(name: str) -> None:
    """From what was read, from values without the checksums, and after an edit; and one writer writes what the other
    does.
    """
    shape, declaration = SHAPES[name], shaped(name)
    sound = b"".join(map(shape.row, PAYLOADS))
    value: Any = kformat.parse(declaration, sound)
    assert kformat.build(declaration, value) == sound
    plain = kformat.parse(declaration, sound)._asdict()
    for frame in plain["frames"]:
        for path in shape.paths:
            *outer, last = path.split(".")
            owner = frame
            for part in outer:
                owner = owner[part]
            owner.pop(last, None)
    assert kformat.build(declaration, plain) == sound
    frame = value.frames[1]
    frame.payload = frame.payload[:-2]
    edited = kformat.build(declaration, value)
    assert len(edited) < len(sound) + 8 * (name == "of a value")
    again: Any = kformat.parse(declaration, edited)
    assert again.frames[1].payload == frame.payload and kformat.build(declaration, again) == edited


@pytest.mark.parametrize("name", SHAPES)
def test_corpora_and_pages_know_shapes(name: str) -> None:
    shape, declaration = SHAPES[name], shaped(name)
    damages = [file.damage for file in declared_corpus(declaration, damage=True).damaged if file.damage is not None]
    for path in shape.paths:
        broken = [damage for damage in damages if damage.path.endswith(f".{path}") and damage.breaks == "checksum"]
        assert any(isinstance(damage.finding, ChecksumError) for damage in broken), path
    is_length_covered = "among" in name or "bits" in name or "header" in name
    assert name == "of a value" or {damage.mended for damage in damages} >= {False, is_length_covered}
    row = find(declaration).type
    covered = layout(row).covered
    assert covered and all(str(item) in str(kformat.describe(row)) for item in covered)


def test_checksums_that_cover_each_other_cannot_be_built() -> None:
    declaration = kformat.parse_declaration(
        "meta: {id: case, endian: be}\n-checksum: [{algorithm: sum16, field: a, from: b, to: c}, "
        "{algorithm: sum16, field: b, from: a, to: a}]\nseq: [{id: a, type: u2}, {id: b, type: u2}, {id: c, size: 1}]\n"
    )
    with pytest.raises(BuildError, match=r"case\.b: this checksum and 'a' cover each other"):
        kformat.build(declaration, {"c": b"1"})


def test_digits_are_kept_as_they_were_written() -> None:
    """tar's six digits, NUL and space; seven digits; blanks before them."""
    declaration = shaped("among its bytes, as spaces, in octal")
    sound = spaces(b"abc")
    at = sound.index(b"000")
    for digits in (b"%06o\0 ", b"%7o\0", b"%06o \0", b"%07o\0"):
        other = sound[:at] + digits % int(sound[at : at + 7], 8) + sound[at + 8 :]
        assert kformat.build(declaration, kformat.parse(declaration, other)) == other
    for digits in (b"0x00777\0", b"00_0777\0", b"+000777\0", b"\0\0\0\0\0\0\0\0", b"00008999"):
        with pytest.raises(DataError, match="differs"):
            kformat.parse(declaration, sound[:at] + digits[:8] + sound[at + 8 :])
