"""Files of frames that begin with a sync word, damaged, and which of their rows a reader that passes over damage has to
give: a row whose bytes are all there, at a place that its neighbours lead to.

Each row has a number of its own; what somebody put into a payload has none of these.
"""

from __future__ import annotations

import binascii
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import kformat

FRAME = """
  frame:
    CHECKSUM
    seq:
      - {id: sync, contents: SYNC}
      - {id: length, type: u2}
      - {id: number, type: u4}
      - {id: kind, type: u1}
      - {id: payload, size: length}
      CRC
"""
AT_THE_END = """
meta: {id: device, endian: le}
seq:
  - {id: header, type: header}
  - {id: frames, type: frame, repeat: eos}
types:
  header: {seq: [{id: magic, contents: HEAD}, {id: name, size: 12}]}
"""
WITH_INDEX = """
meta: {id: device, endian: le}
seq:
  - {id: header, type: header}
  - {id: frames, type: frame, repeat: until, repeat-until: _io.pos >= trailer.index_position}
  - {id: index, type: index}
  - {id: end, type: trailer}
instances:
  trailer: {pos: _io.size - 12, type: trailer}
types:
  header:
    -checksum: {algorithm: crc32, field: crc}
    seq: [{id: magic, contents: HEAD}, {id: name, size: 12}, {id: crc, type: u4}]
  index:
    -checksum: {algorithm: crc32, field: crc}
    seq:
      - {id: magic, contents: INDX}
      - {id: count, type: u4}
      - {id: places, type: u4, repeat: expr, repeat-expr: count}
      - {id: crc, type: u4}
  trailer: {seq: [{id: index_position, type: u8}, {id: magic, contents: TAIL}]}
"""
CHECKSUMS: dict[str, tuple[str, str, Callable[[bytes], bytes]]] = {
    "CRC-16": (
        "-checksum: {algorithm: CRC-16/IBM-3740, field: crc, from: number, to: payload}",
        "- {id: crc, type: u2}",
        lambda body: struct.pack("<H", binascii.crc_hqx(body, 0xFFFF)),
    ),
    "CRC-32": (
        "-checksum: {algorithm: crc32, field: crc, from: number, to: payload}",
        "- {id: crc, type: u4}",
        lambda body: struct.pack("<I", zlib.crc32(body)),
    ),
    "none": ("doc: without a checksum", "", lambda body: b""),
}
PLANTED = 1 << 20
"""Frames in payloads have numbers from here on."""
SYNCS = {
    "two bytes": b"\xa5\x5a", "four bytes": b"SYNC", "one byte": b"\x7e", "zeros": b"\0\0",
    "a number": b"\xa5\x5a", "none": b"",
}  # fmt: skip
DECLARED = {"a number": "- {id: sync, type: u2, valid: 0x5aa5}", "none": ""}
"""How frames begin, where that is not with ``contents``; those that begin with nothing may begin at every byte."""


@dataclass
class Frames:
    """A file: its declaration, its bytes, where each of its frames begins, and where they end."""

    declaration: Any
    data: bytes
    starts: list[int]
    ends: list[int]
    planted: list[bytes]


def frame(sync: bytes, seal: Callable[[bytes], bytes], number: int, payload: bytes) -> bytes:
    body = struct.pack("<IB", number, number % 7) + payload
    return sync + struct.pack("<H", len(payload)) + body + seal(body)


def with_sync(text: str, sync: str) -> str:
    """A declaration with frames that begin so."""
    if sync == "none":
        text = text.replace("  frame:\n", "  frame:\n    -sync: true\n")
    text = text.replace("- {id: sync, contents: SYNC}", DECLARED.get(sync, "- {id: sync, contents: SYNC}"))
    return text.replace("SYNC", str(list(SYNCS[sync])))


def frames(chance: random.Random, sync: str, checksum: str, with_index: bool, count: int = 40) -> Frames:
    """A sound file, in which some payloads hold whole frames."""
    key, stored, seal = CHECKSUMS[checksum]
    text = WITH_INDEX if with_index else AT_THE_END
    text += FRAME.replace("CHECKSUM", key).replace("CRC\n", f"{stored}\n" if stored else "\n")
    declaration = kformat.parse_declaration(with_sync(text, sync))
    head = b"HEAD" + b"a device".ljust(12)
    planted = list[bytes]()
    data, starts = head + (struct.pack("<I", zlib.crc32(head)) if with_index else b""), list[int]()
    for number in range(count):
        payload = chance.randbytes(chance.choice((0, 1, 20, 90)))
        if chance.random() < 0.15:
            inner = frame(SYNCS[sync], seal, PLANTED + number, chance.randbytes(9))
            planted.append(inner)
            payload += inner * chance.choice((1, 3)) + chance.choice((b"", b"end", payload))
        starts.append(len(data))
        data += frame(SYNCS[sync], seal, number, payload)
    ends = [*starts[1:], len(data)]
    if with_index:
        index = b"INDX" + struct.pack(f"<I{len(starts[::10])}I", len(starts[::10]), *starts[::10])
        position = len(data)
        data += index + struct.pack("<I", zlib.crc32(index)) + struct.pack("<Q4s", position, b"TAIL")
    return Frames(declaration, data, starts, ends, planted)


def damaged(made: Frames, chance: random.Random, count: int) -> tuple[bytes, dict[int, int]]:
    """The bytes with so many frames damaged, and, of several, maybe bytes put in or the end cut off; and, by their
    numbers, the positions of the frames that are still whole.
    """
    data, spans = bytearray(made.data), list(zip(made.starts, made.ends, strict=True))
    for _ in range(count):
        start, end = chance.choice(spans)
        at = chance.randrange(start, end)
        match chance.randrange(4):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[start + chance.randrange(4)] ^= chance.randrange(1, 256)
            case 2:
                at = (start + end) // 2
                data[at : at + 4] = bytes(len(data[at : at + 4]))
            case _:
                size = len(data[at : at + chance.choice((30, 512))])
                data[at : at + size] = chance.choice((bytes, chance.randbytes))(size)
    places = {number: start for number, (start, end) in enumerate(spans) if data[start:end] == made.data[start:end]}
    if count > 1 and chance.random() < 0.4:
        start, end = chance.choice(spans)
        at = chance.choice((start, chance.randrange(start, end)))
        if chance.random() < 0.3:
            while any(data[:at].endswith(inner) for inner in made.planted):  # to end with a row is to be sound
                at -= 1
            del data[at:]
            places = {number: start for number, start in places.items() if spans[number][1] <= at}
        else:
            new = chance.randbytes(chance.choice((1, 9, 300)))
            data[at:at] = new
            moved = {number: start + len(new) * (spans[number][1] > at) for number, start in places.items()}
            places = {  # what was put into a row may end with the bytes that the row begins with
                number: start
                for number, start in moved.items()
                if data[start:].startswith(made.data[spans[number][0] : spans[number][1]])
            }
    return bytes(data), places
