"""Bytes: their place in an array of the caller, text too; and those that are always the same."""

from __future__ import annotations

from kformat.kernels.encode.agreement import agrees
from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.source import Part
from kformat.language.program import ReadLiteral, Step


def fill_bytes(out: EncodeFunction, step: Step, place: StructurePlace) -> None:
    """Position and length of bytes, and the test that they are there.

    ::

        v1_key = np.int64(c3[U(n0)])
        v2_key = np.int64(c4[U(n0)])
        if v2_key >= 0 and (v1_key < 0 or v2_key > len(c5) - v1_key):
            return leave_encode_record(...)
    """
    if step.condition is None:
        position = out.load(place, step.name, Part.POSITION, "i8")
        length = out.load(place, step.name, Part.LENGTH, "i8")
    else:
        position, length = out.variable(step.name), out.variable(step.name)
        out.put(f"{position}, {length} = np.int64(0), np.int64(-1)")
        columns = [out.given(place, step.name, part, "i8") for part in (Part.POSITION, Part.LENGTH)]
        out.optional.update(columns)
        with out.block(f"if len(c{columns[1]}):"):
            for variable, column in zip((position, length), columns, strict=True):
                out.put(f"{variable} = np.int64(c{column}[U({place.row})])")
    buffer = out.given(place, step.name, Part.BYTES, "u1")
    wrong = f"{position} < 0 or {length} > len(c{buffer}) - {position}"
    with out.block(f"if {length} >= 0 and ({wrong}):"):
        out.put(out.fail(place, step.name, "bytes that do not lie in those given"))
    place.bytes[step.name] = position, length
    if step.condition is not None:
        place.present[step.name] = f"{length} >= 0"


def measure_bytes(out: EncodeFunction, step: Step, place: StructurePlace, total: str) -> None:
    """``v9_total += max(v2_key, 0)``."""
    out.put(f"{total} += max({place.bytes[step.name][1]}, 0)")


def write_bytes(out: EncodeFunction, step: Step, place: StructurePlace) -> None:
    """``copy(out, p, c5, v1_key, v2_key)``, and ``p += v2_key``."""
    position, length = place.bytes[step.name]
    with out.block(f"if {length} < 0:"):
        out.put(out.fail(place, step.name, "it may not be null"))
    agrees(out, step, place, length)
    buffer = out.given(place, step.name, Part.BYTES, "u1")
    out.put(f"copy(out, p, c{buffer}, {position}, {length})", f"p += {length}")


def write_literal(out: EncodeFunction, step: ReadLiteral, place: StructurePlace) -> None:
    """``copy(out, p, encode_record_0, 0, 4)``, and ``p += 4``."""
    constant = out.bytes_constant(step.contents)
    out.put(f"copy(out, p, {constant}, 0, {len(step.contents)})", f"p += {len(step.contents)}")
