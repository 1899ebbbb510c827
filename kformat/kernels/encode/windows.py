"""Windows: steps in bytes of a size. A payload that has a codec is bytes."""

from __future__ import annotations

from kformat.kernels.encode.agreement import agrees
from kformat.kernels.encode.bytes import fill_bytes, measure_bytes, write_bytes
from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.sequence import fill, write
from kformat.language.program import Window


def fill_window(out: EncodeFunction, step: Window, place: StructurePlace) -> None:
    """Load the values of the steps in it, which are the structure's own."""
    if step.codec is not None:
        fill_bytes(out, step, place)
    else:
        fill(out, step.steps, place)


def measure_window(out: EncodeFunction, step: Window, place: StructurePlace, total: str) -> None:
    """``v9_total += v5_size``."""
    if step.codec is not None:
        measure_bytes(out, step, place, total)
    else:
        out.put(f"{total} += {place.sizes[step.name]}")


def write_window(out: EncodeFunction, step: Window, place: StructurePlace) -> None:
    """The bytes of the steps in it, whose size is what the declaration asks for."""
    if step.codec is not None:
        write_bytes(out, step, place)
    else:
        agrees(out, step, place, place.sizes[step.name])
        write(out, step.steps, place)
