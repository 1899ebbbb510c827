"""Whether a length is what the declaration asks for."""

from __future__ import annotations

from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.lengths import length_of, measured_by
from kformat.kernels.expressions import value_of
from kformat.language.program import ReadList, Step


def agrees(out: EncodeFunction, step: Step, place: StructurePlace, length: str) -> None:
    """Compare a length with its declaration, unless it was computed from that.

    ::

        if v2_key != v7_key_length:
            return leave_encode_record(...)
    """
    size, length_field = length_of(step), measured_by(step)
    if size is None or (length_field is not None and length_field[0] in place.computed and step.condition is None):
        return
    wanted = value_of(out, size, place, step.name)
    if isinstance(step, ReadList) and size.low < 0:  # a negative count is that of no element
        wanted = f"max({wanted}, 0)"
    with out.block(f"if {length} != {wanted}:"):
        out.put(out.fail(place, step.name, f"not of the size that the declaration asks for; expected {size}"))
