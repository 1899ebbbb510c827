"""Kinds of damage: what happens to bytes on disks and in memory, and how the bytes around it are corrected.

`DAMAGES` has a function for each name: (bytes, first position, second position, third position, new bytes) in, bytes
and a description out. `hurt` applies one to a file or, if the checksum is to be corrected, to the bytes under a batch's
checksum, and then corrects length and checksum: only readers that check more than these find such damage.

`replaced`, `put`, `summed`, `with_length` and `mended` are for callers that choose the place: the corpus, which uses
the layout and the trace (`damage`), and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kformat.errors import UsageError
from kformat.kafka.batch.framing import CURRENT_MAGIC, FRAME_BYTES, Frame, Walk
from kformat.language.layout import Layout, layout
from kformat.storage.algorithms import algorithm_of
from kformat.storage.byte_source import ByteSource

PAGE_BYTES: Final = 4096

_BATCH: Final = layout("record_batch")
_MESSAGE: Final = layout("legacy_message::message")


@dataclass(frozen=True)
class Damaged:
    """Damaged bytes, and what was done to them.

    ``sound`` is the original: bytes, or the value whose ``data`` they are. ``name`` is one of `DAMAGES`, ``position``
    its start in the sound bytes, ``what`` a description. ``mended``: length and checksum of the batch around it were
    corrected.
    """

    data: bytes
    sound: Any
    name: str
    position: int
    mended: bool
    what: str


def _flip(data: bytes, at: int, bit: int, _: int, __: bytes) -> tuple[bytes, str]:
    at = min(at, len(data) - 1)
    return replaced(data, at, 1, bytes([data[at] ^ 1 << bit % 8])), f"bit {bit % 8} flipped"


def _set(data: bytes, at: int, _: int, __: int, new: bytes) -> tuple[bytes, str]:
    new = new[: len(data) - at]
    return replaced(data, at, len(new), new), f"{len(new)} bytes set to {new.hex()}"


def _cut(data: bytes, at: int, end: int, _: int, __: bytes) -> tuple[bytes, str]:
    return replaced(data, at, end - at, b""), f"{end - at} bytes cut out"


def _insert(data: bytes, at: int, _: int, __: int, new: bytes) -> tuple[bytes, str]:
    return replaced(data, at, 0, new), f"{len(new)} bytes put in: {new.hex()}"


def _swap(data: bytes, at: int, middle: int, end: int, _: bytes) -> tuple[bytes, str]:
    changed = data[:at] + data[middle:end] + data[at:middle] + data[end:]
    return changed, f"{middle - at} bytes and the {end - middle} after them exchanged"


def _zero_page(data: bytes, at: int, _: int, __: int, ___: bytes) -> tuple[bytes, str]:
    zeros = bytes(min(PAGE_BYTES, len(data) - at))
    return replaced(data, at, len(zeros), zeros), f"{len(zeros)} zeros"


def _splice(data: bytes, at: int, start: int, end: int, _: bytes) -> tuple[bytes, str]:
    piece = data[start:end]
    return replaced(data, at, len(piece), piece), f"{len(piece)} bytes overwritten by those at {start}"


DAMAGES: Final[dict[str, Callable[[bytes, int, int, int, bytes], tuple[bytes, str]]]] = {
    "flip": _flip,
    "set": _set,
    "cut": _cut,
    "insert": _insert,
    "swap": _swap,
    "zero": _zero_page,
    "splice": _splice,
}
"""Damage by name: a bit flipped; bytes overwritten; bytes removed; bytes inserted; two runs exchanged; a page of zeros,
as after a power cut; bytes overwritten by others of the same file."""


def frames(data: bytes) -> list[Frame]:
    """The batches of a log; empty if the bytes are no log."""
    with ByteSource(data) as source:
        return list(Walk(source))


def covered_from(frame: Frame) -> int:
    """Bytes from a batch's start to what its checksum covers, without the magic, which identifies the format."""
    if frame.magic >= CURRENT_MAGIC:
        return _BATCH.checksum()[2]
    return FRAME_BYTES + _MESSAGE.end("magic")


def replaced(data: bytes, position: int, size: int, by: bytes) -> bytes:
    """The bytes with those from a position on replaced."""
    return data[:position] + by + data[position + size :]


def integer(value: int, size: int) -> bytes:
    """The bytes of an integer of this size, as Kafka writes it; a number that does not fit wraps."""
    kind = np.dtype(f"u{size}").newbyteorder(">")
    return np.array(value % 2 ** (8 * size), kind).tobytes()


def put(data: bytes, shape: Layout, name: str, value: int, start: int = 0) -> bytes:
    """The bytes with an integer in a field of the structure at ``start``; a number that does not fit wraps."""
    position, size = start + shape.position(name), shape.end(name) - shape.position(name)
    return replaced(data, position, size, integer(value, size))


def summed(data: bytes, shape: Layout, start: int = 0, end: int | None = None) -> bytes:
    """The bytes with the checksum of the structure from ``start`` to ``end`` (None: to the last byte) corrected;
    unchanged if the structure ends before the covered bytes."""
    algorithm, name, covered = shape.checksum()
    end = len(data) if end is None else end
    if start + covered > end:
        return data
    return put(data, shape, name, algorithm_of(algorithm).compute(memoryview(data)[start + covered : end]), start)


def with_length(data: bytes) -> bytes:
    """A batch, or an entry of magic 0 or 1, with its length set to the size of the bytes."""
    return put(data, _BATCH, "batch_length", len(data) - FRAME_BYTES)


def mended(data: bytes, magic: int) -> bytes:
    """A batch, or an entry of magic 0 or 1, with its checksum corrected."""
    return summed(data, _BATCH) if magic >= CURRENT_MAGIC else summed(data, _MESSAGE, FRAME_BYTES)


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
        damaged = data[: within.position] + mended(with_length(hit), within.magic) + data[end:]
        what += f", and the checksum of the batch at {within.position} mended"
    return Damaged(damaged, data, name, at, within is not None, f"{name} at {at}: {what}")
