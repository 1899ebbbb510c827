"""Damage by name: what happens to bytes on disks and in memory, done to sound ones, with the checksum mended or not.

`DAMAGES` has a function for each name: (bytes, first position, second position, third position, new bytes) in, bytes
and what was done out. `hurt` does one of them to a file or, where the checksum is to be right again, to what a batch's
checksum covers, and then puts length and checksum right: such damage is met only by readers that look further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kformat.errors import UsageError
from kformat.kafka.framing import CURRENT_MAGIC, FRAME_BYTES, Frame, Walk
from kformat.language.layout import layout
from kformat.storage.byte_source import ByteSource
from kformat.storage.checksum import ALGORITHMS

PAGE_BYTES: Final = 4096

_BATCH: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")


@dataclass(frozen=True)
class Damaged:
    """Damaged bytes, and what was done to them.

    ``sound`` is what they were: bytes, or the value whose ``data`` they are. ``name`` is one of `DAMAGES`, ``position``
    where it begins in the sound bytes, ``what`` says it in words. ``mended``: length and checksum of the batch around
    it are right again.
    """

    data: bytes
    sound: Any
    name: str
    position: int
    mended: bool
    what: str


def _flip(data: bytes, at: int, bit: int, _: int, __: bytes) -> tuple[bytes, str]:
    at = min(at, len(data) - 1)
    return data[:at] + bytes([data[at] ^ 1 << bit % 8]) + data[at + 1 :], f"bit {bit % 8} flipped"


def _set(data: bytes, at: int, _: int, __: int, new: bytes) -> tuple[bytes, str]:
    new = new[: len(data) - at]
    return data[:at] + new + data[at + len(new) :], f"{len(new)} bytes set to {new.hex()}"


def _cut(data: bytes, at: int, end: int, _: int, __: bytes) -> tuple[bytes, str]:
    return data[:at] + data[end:], f"{end - at} bytes cut out"


def _insert(data: bytes, at: int, _: int, __: int, new: bytes) -> tuple[bytes, str]:
    return data[:at] + new + data[at:], f"{len(new)} bytes put in: {new.hex()}"


def _swap(data: bytes, at: int, middle: int, end: int, _: bytes) -> tuple[bytes, str]:
    changed = data[:at] + data[middle:end] + data[at:middle] + data[end:]
    return changed, f"{middle - at} bytes and the {end - middle} behind them exchanged"


def _zero_page(data: bytes, at: int, _: int, __: int, ___: bytes) -> tuple[bytes, str]:
    zeros = bytes(min(PAGE_BYTES, len(data) - at))
    return data[:at] + zeros + data[at + len(zeros) :], f"{len(zeros)} zeros"


def _splice(data: bytes, at: int, start: int, end: int, _: bytes) -> tuple[bytes, str]:
    piece = data[start:end]
    return data[:at] + piece + data[at + len(piece) :], f"{len(piece)} bytes overwritten by those at {start}"


DAMAGES: Final[dict[str, Callable[[bytes, int, int, int, bytes], tuple[bytes, str]]]] = {
    "flip": _flip,
    "set": _set,
    "cut": _cut,
    "insert": _insert,
    "swap": _swap,
    "zero": _zero_page,
    "splice": _splice,
}
"""Damage by name: a bit the other way; bytes overwritten; bytes gone; bytes put in; two runs exchanged; a page of
zeros, as after a power cut; bytes overwritten by others of the same file."""


def frames(data: bytes) -> list[Frame]:
    """The batches of a log; none where the bytes are no log."""
    with ByteSource(data) as source:
        return list(Walk(source))


def covered_from(frame: Frame) -> int:
    """Bytes from a batch's start to what its checksum covers, but for the magic, by which it is known what it is."""
    if frame.magic >= CURRENT_MAGIC:
        return _BATCH.checksum()[2]
    return FRAME_BYTES + _MESSAGE.end("magic")


def mend(batch: bytes, magic: int) -> bytes:
    """The batch, or the entry of magic 0 or 1, with the length that it has and the checksum of its bytes."""
    inner, of = (0, _BATCH) if magic >= CURRENT_MAGIC else (FRAME_BYTES, _MESSAGE)
    algorithm, field, covered = of.checksum()
    at = inner + of.position(field)
    length = _number(_BATCH.header_dtype["batch_length"], len(batch) - FRAME_BYTES)
    batch = _put(batch, _BATCH.position("batch_length"), length)
    crc = ALGORITHMS[algorithm](memoryview(batch)[inner + covered :])
    return _put(batch, at, _number(of.header_dtype[field], crc))


def _number(dtype: Any, value: int) -> bytes:
    return np.array(value, dtype).tobytes()


def _put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def hurt(data: bytes, name: str, positions: Sequence[int], new: bytes, within: Frame | None = None) -> Damaged:
    """Damage bytes.

    Args:
        data: the sound bytes, at least one.
        name: one of `DAMAGES`; where it would change nothing, a bit is flipped instead, and the result says so.
        positions: three, sorted for ``cut`` and ``swap``, at most the length of what may be hurt: the file, or what
            the checksum of ``within`` covers, from where they count then.
        new: bytes for ``set`` and ``insert``.
        within: a batch of the data; its length and checksum are mended.

    Raises UsageError for an unknown name, or for no bytes.
    """
    if name not in DAMAGES:
        raise UsageError(f"no damage {name!r}; there are {', '.join(DAMAGES)}")
    start = 0 if within is None else within.position + covered_from(within)
    end = len(data) if within is None else within.position + within.size
    region = data[start:end]
    if not region:
        raise UsageError("there are no bytes to be damaged")
    at, second, third = positions
    if name == "zero":  # a page of the file, or as much of it as may be hurt
        at = max(at - (start + at) % PAGE_BYTES, 0)
    changed, what = DAMAGES[name](region, at, second, third, new)
    if changed == region:
        name = "flip"
        changed, what = _flip(region, at, second, third, new)
    at = start + min(at, len(region) - 1)
    damaged = data[:start] + changed + data[end:]
    if within is not None:
        hit = damaged[within.position : start + len(changed)]
        damaged = data[: within.position] + mend(hit, within.magic) + data[end:]
        what += f", and the checksum of the batch at {within.position} mended"
    return Damaged(damaged, data, name, at, within is not None, f"{name} at {at}: {what}")


__all__ = ["DAMAGES", "PAGE_BYTES", "Damaged", "covered_from", "frames", "hurt", "mend"]
