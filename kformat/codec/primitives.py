"""The leaves that parser and builder share, as construct objects: fixed-size numbers and bounded varints."""

from __future__ import annotations

from typing import Any

import construct

from kformat.codec.reader import Reader
from kformat.errors import InvalidError
from kformat.language.layout import struct_format
from kformat.language.program import ReadBits, Step


def number(step: Step) -> construct.Construct:
    """construct's own class for a fixed-size number."""
    code = struct_format(step)
    if code is not None:
        return construct.FormatField(code[0], {"i": "l", "I": "L"}.get(code[1], code[1]))  # construct's letters
    assert isinstance(step, ReadBits)
    return construct.BytesInteger(step.size)


class Varint(construct.Construct):
    """A varint of at most ``max_bytes``; see formats/varint.ksy for what the bytes mean."""

    def __init__(self, max_bytes: int, zigzag: bool, bits: int) -> None:
        super().__init__()
        self.max_bytes, self.zigzag, self.bits = max_bytes, zigzag, bits
        self.mask = (1 << bits) - 1

    def _parse(self, stream: Reader, context: Any, path: str) -> int:
        data, position, limit = stream.data, stream.position, stream.limit
        if position < limit and data[position] < 0x80:
            stream.position = position + 1
            raw: int = data[position]
        else:
            raw = shift = 0
            for index in range(position, position + self.max_bytes):
                if index >= limit:
                    raise stream.short(index - position + 1)
                group = data[index]
                raw |= (group & 0x7F) << shift
                if group < 0x80:
                    break
                shift += 7
            else:
                found = bytes(data[position : position + self.max_bytes]).hex()
                raise stream.fail(
                    InvalidError,
                    "a varint that does not end",
                    position,
                    expected=f"at most {self.max_bytes} bytes",
                    found=found,
                )
            raw &= self.mask
            stream.position = index + 1
        return (raw >> 1) ^ -(raw & 1) if self.zigzag else raw

    def encode(self, value: int) -> bytes:
        """The shortest bytes of an integer that fits."""
        raw = ((value << 1) ^ (value >> (self.bits - 1))) & self.mask if self.zigzag else value
        groups = bytearray()
        while raw >= 0x80:
            groups.append(raw & 0x7F | 0x80)
            raw >>= 7
        groups.append(raw)
        return bytes(groups)

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        data = self.encode(obj)
        construct.stream_write(stream, data, len(data), path)
        return obj
