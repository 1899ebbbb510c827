"""Lists: their elements are rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from kformat.kernels.encode.agreement import agrees
from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.lengths import fixed_size
from kformat.kernels.encode.sequence import fill, measure, write
from kformat.kernels.encode.structures import structure_of
from kformat.kernels.source import Part
from kformat.language.program import ReadList, ReadType, Step


def fill_list(out: EncodeFunction, step: ReadList, place: StructurePlace) -> None:
    """The first element, and the one after the last; none where the list is left out.

    ::

        v1_begin, v2_end = np.int64(0), np.int64(0)
        if len(c4):
            v1_begin = c4[U(n0)]
            v2_end = c4[U(n0 + 1)]
    """
    column = out.given(place, step.name, Part.OFFSETS, "i8")
    name = out.columns[column].name
    if name not in out.tables:
        out.tables.append(name)
    table = out.tables.index(name)
    out.optional.add(column)
    begin, end = out.variable("begin"), out.variable("end")
    out.put(f"{begin}, {end} = np.int64(0), np.int64(0)")
    with out.block(f"if len(c{column}):"):
        out.put(f"{begin} = c{column}[U({place.row})]", f"{end} = c{column}[U({place.row} + 1)]")
    with out.block(f"if {begin} < 0 or {end} < {begin} or {end} > size{table}:"):
        out.put(out.fail(place, step.name, "elements that are not there"))
    place.lists[step.name] = begin, end, table


def measure_list(out: EncodeFunction, step: ReadList, place: StructurePlace, total: str) -> None:
    """``v9_total += (v2_end - v1_begin) * 4``, or each element in a loop."""
    begin, end, table = place.lists[step.name]
    size = fixed_size(step.element)
    if size is not None:
        out.put(f"{total} += ({end} - {begin}) * {size}")
        return
    index = out.variable("element")
    with out.block(f"for {index} in range({begin}, {end}):"):
        inner, inside = element_of(out, step, place, index, table)
        measure(out, inside, inner, total)


def write_list(out: EncodeFunction, step: ReadList, place: StructurePlace) -> None:
    """The elements, in a loop.

    ::

        for v3_element in range(v1_begin, v2_end):
            ...
    """
    begin, end, table = place.lists[step.name]
    agrees(out, step, place, f"{end} - {begin}")
    index = out.variable("element")
    with out.block(f"for {index} in range({begin}, {end}):"):
        inner, inside = element_of(out, step, place, index, table)
        write(out, inside, inner)


def element_of(
    out: EncodeFunction, step: ReadList, place: StructurePlace, index: str, table: int
) -> tuple[StructurePlace, Sequence[Step]]:
    """The place of an element, and its steps."""
    if isinstance(step.element, ReadType):
        inner = structure_of(out, step.element, place, f"{place.prefix}{step.name}.", index, table)
        return inner, step.element.type.steps
    inner = StructurePlace(place.prefix, place.path, table, dict(place.variables), row=index)
    fill(out, [step.element], inner)
    return inner, [step.element]
