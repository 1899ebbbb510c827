"""Numbers: integers, floats and varints."""

from __future__ import annotations

import struct
import sys
from functools import lru_cache
from typing import Any, Final

from kformat.codec.builder.state import Build, kept_of
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.codec.reader import Varint
from kformat.errors import BuildError, kind_of
from kformat.language.layout import struct_format
from kformat.language.program import ReadFloat, ReadInteger, ReadVarint

LARGEST: Final = {4: float.fromhex("0x1.fffffep+127"), 8: sys.float_info.max}
"""The largest finite float, by the size in bytes."""


def packer_of(step: ReadInteger | ReadFloat, draft: Draft, path: Path) -> struct.Struct:
    """What packs a number; BuildError if the value does not say its byte order."""
    if step.by_type and draft._little is None:
        raise BuildError("no case says the byte order", path=shown(path))
    return number_packer(step, draft)


@lru_cache(maxsize=64)
def _struct(code: str) -> struct.Struct:
    return struct.Struct(code)


def number_packer(step: ReadInteger | ReadFloat, draft: Draft) -> struct.Struct:
    """What packs a number in the byte order of its value."""
    code = struct_format(step)
    assert code is not None
    if step.by_type:
        code = ("<" if draft._little else ">") + code[1]
    return _struct(code)


@lru_cache(maxsize=64)
def varint_of(max_bytes: int, zigzag: bool, bits: int) -> Varint:
    """The codec of a kind of varint."""
    return Varint(max_bytes, zigzag, bits)


def write_integer(build: Build, step: ReadInteger, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """An integer; BuildError if it does not fit."""
    check_fits(value, step.kind.low, step.kind.high, path)
    out.data += packer_of(step, draft, path).pack(int(value))


def write_varint(build: Build, step: ReadVarint, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """A varint; BuildError if it does not fit."""
    if -64 <= value < 64 and (step.zigzag or value >= 0):  # most of them: one byte
        out.data.append((value << 1) ^ (value >> 63) if step.zigzag else value)
        return
    check_fits(value, step.kind.low, step.kind.high, path)
    out.data += varint_of(step.max_bytes, step.zigzag, step.kind.bits).encode(int(value))


def write_float(build: Build, step: ReadFloat, value: Any, draft: Draft, out: StreamOutput, path: Path) -> None:
    """A float; BuildError if it does not fit. A NaN has the bits that it was read with."""
    try:
        data = packer_of(step, draft, path).pack(value)
        if value != value and (kept := kept_of(draft, path)) is not None:  # a NaN: the bits tell which
            data = kept[1] if packer_of(step, draft, path).pack(kept[0]) == data else data
        out.data += data
    except (struct.error, OverflowError):
        most = LARGEST[packer_of(step, draft, path).size]
        found = value if isinstance(value, int | float) else kind_of(value)
        raise BuildError("does not fit", path=shown(path), expected=f"-{most}..{most}", found=found) from None


def check_fits(value: int, low: int, high: int, path: Path) -> None:
    """Raise BuildError for an integer outside of its type."""
    if not low <= value <= high:
        raise BuildError("does not fit", path=shown(path), expected=f"{low}..{high}", found=value)
