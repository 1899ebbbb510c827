"""Numbers: integers, floats and varints."""

from __future__ import annotations

from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.expressions import value_of
from kformat.kernels.source import Part
from kformat.language.program import ReadFloat, ReadInteger, ReadVarint


def fill_integer(out: EncodeFunction, step: ReadInteger | ReadVarint, place: StructurePlace) -> None:
    """The variable of a number: that of a length or a count is computed later."""
    kind = f"{'i' if step.kind.signed else 'u'}{step.kind.bits // 8}"
    variable = place.computed.get(step.name) or given_number(out, place, step.name, kind, step)
    place.variables[(step.name,)] = variable


def fill_float(out: EncodeFunction, step: ReadFloat, place: StructurePlace) -> None:
    """``v1_rate = np.int64(c3[U(n0)])``: the bits of a float."""
    place.variables[(step.name,)] = out.load(place, step.name, Part.VALUE, f"f{step.bits // 8}")


def measure_varint(out: EncodeFunction, step: ReadVarint, place: StructurePlace, total: str) -> None:
    """``v9_total += varint_size((v1_delta << 1) ^ (v1_delta >> 63))``."""
    out.put(f"{total} += varint_size({raw(step, place.variables[(step.name,)])})")


def write_integer(out: EncodeFunction, step: ReadInteger, place: StructurePlace) -> None:
    """``store_4(out, p, v1_length)``, and ``p += 4``."""
    value = fitting(out, step, place)
    store(out, value, step.kind.bits // 8, step.little_endian)


def write_float(out: EncodeFunction, step: ReadFloat, place: StructurePlace) -> None:
    """``store_8(out, p, v1_rate)``, and ``p += 8``."""
    store(out, place.variables[(step.name,)], step.bits // 8, step.little_endian)


def write_varint(out: EncodeFunction, step: ReadVarint, place: StructurePlace) -> None:
    """``p = store_varint(out, p, v1_length)``."""
    out.put(f"p = store_varint(out, p, {raw(step, fitting(out, step, place))})")


def given_number(
    out: EncodeFunction, place: StructurePlace, name: str, kind: str, step: ReadInteger | ReadVarint
) -> str:
    """The variable of a number that is given, or optional if the declaration derives it.

    ::

        v1_magic = np.int64(c3[U(n0)]) if len(c3) else 2
    """
    declared = place.fields.get(name)
    column = out.given(place, name, Part.VALUE, kind)
    value = f"np.int64(c{column}[U({place.row})])"
    derive = None if declared is None else declared.derive
    variable = out.variable(name)
    if derive is None and name in out.checksums and not place.prefix:
        out.optional.add(column)
        out.put(f"{variable} = {value} if len(c{column}) else np.int64(0)")
    elif derive is None:
        out.put(f"{variable} = {value}")
    elif derive.is_constant and isinstance(derive.value, int):
        out.optional.add(column)
        out.put(f"{variable} = {value} if len(c{column}) else {value_of(out, derive, place, name)}")
    else:
        out.put(f"{variable} = {value} if len(c{column}) else np.int64(0)")
        place.late.append((variable, column, step, derive))
    if declared is not None and declared.base is not None and not place.table and not place.prefix:
        relative(out, place, step, variable, column)
    return variable


def relative(
    out: EncodeFunction, place: StructurePlace, step: ReadInteger | ReadVarint, variable: str, column: int
) -> None:
    """In a unit: the difference between a number and that of the unit's first row.

    ::

        if most_rows > 0 and len(c3):
            v2_base = np.int64(c3[U(first)])
            ...
            v1_timestamp = v1_timestamp - v2_base
    """
    base = out.variable("base")
    with out.block(f"if most_rows > 0 and len(c{column}):"):
        out.put(f"{base} = np.int64(c{column}[U(first)])")
        with out.block(f"if difference_overflows({variable}, {base}):"):
            out.put(out.fail(place, step.name, "too far from that of the unit's first row"))
        out.put(f"{variable} = {variable} - {base}")
        out.within(place, step, variable)


def fitting(out: EncodeFunction, step: ReadInteger | ReadVarint, place: StructurePlace) -> str:
    """The variable of a number; a computed one is checked against its type."""
    value, kind = place.variables[(step.name,)], step.kind
    if step.name in place.computed and kind.bits < 64:
        with out.block(f"if {value} < {kind.low} or {value} > {kind.high}:"):
            out.put(out.fail(place, step.name, f"a length that does not fit; expected {kind.low}..{kind.high}"))
    return value


def store(out: EncodeFunction, value: str, size: int, little_endian: bool) -> None:
    """``store_4(out, p, v1_length)``, and ``p += 4``."""
    if size == 1:
        out.put(f"out[U(p)] = np.uint8({value} & 255)")
    elif size in (2, 4, 8) and not little_endian:
        out.put(f"store_{size}(out, p, {value})")
    else:
        out.put(f"store(out, p, {value}, {size}, {little_endian})")
    out.put(f"p += {size}")


def raw(step: ReadVarint, value: str) -> str:
    """``(v1_delta << 1) ^ (v1_delta >> 63)``: the unsigned number of a varint."""
    return f"({value} << 1) ^ ({value} >> 63)" if step.zigzag else value
