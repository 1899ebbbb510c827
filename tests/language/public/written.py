"""Files of public formats, written by Python's own libraries, Pillow, numpy and a JDK."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.language.public import library


def pillow(kind: str, *modes: str, size: tuple[int, int] = (9, 7), **options: object) -> list[bytes]:
    """A picture in each of Pillow's modes, as a file of a kind."""
    image = library("PIL.Image", "pillow")
    found = []
    for mode in modes:
        picture = image.linear_gradient("L").resize(size).convert(mode)
        out = io.BytesIO()
        picture.save(out, kind, **options)
        found.append(out.getvalue())
    return found


def bmp(folder: Path) -> Iterable[bytes]:
    """Pictures of one, eight and 24 bits."""
    return pillow("BMP", "1", "L", "P", "RGB", "RGBA")


def wav(folder: Path) -> Iterable[bytes]:
    """Sounds of one, two and three bytes a sample."""
    for channels, width, rate in ((1, 1, 8000), (2, 2, 44100), (1, 3, 48000), (1, 4, 96000)):
        out = io.BytesIO()
        with wave.open(out, "wb") as sound:
            sound.setnchannels(channels)
            sound.setsampwidth(width)
            sound.setframerate(rate)
            sound.writeframes(bytes(range(channels * width * 20)))
        yield out.getvalue()


def npy(folder: Path) -> Iterable[bytes]:
    """Arrays of numbers, of text, and of structures."""
    numpy = library("numpy")
    for array in (
        numpy.arange(12, dtype="<i4").reshape(3, 4),
        numpy.array(["one", "two"]),
        numpy.zeros(3, dtype=[("first", ">u2"), ("secónd", "<f8")]),
    ):
        out = io.BytesIO()
        numpy.save(out, array)
        yield out.getvalue()


WRITTEN: dict[str, Callable[[Path], Iterable[bytes]]] = {"bmp": bmp, "npy": npy, "wav": wav}

UNDECLARED: dict[str, str] = {}
"""Format -> its bytes that no field and no instance has; they are built onto the file."""

NOT_FROM_PLAIN: dict[str, str] = {}
"""Format -> what its plain values (`_asdict`) do not say, so that it is only built from what was parsed."""
