"""Bits: types of them. Those between other fields are decoded alone."""

from __future__ import annotations

from kformat.kernels.encode.function import EncodeFunction, StructurePlace
from kformat.kernels.encode.numbers import store
from kformat.kernels.expressions import emit_check
from kformat.kernels.source import KernelScope, Part
from kformat.language.program import Check, ReadBits


def fill_bits(out: EncodeFunction, step: ReadBits, place: StructurePlace) -> None:
    """The variable of each of the bits."""
    for bit in step.bits:
        size = next(size for size in (1, 2, 4, 8) if bit.width <= 8 * size)
        place.variables[(step.name, bit.name)] = given_bit(out, place, step, bit.name, f"u{size}")


def given_bit(out: EncodeFunction, place: StructurePlace, step: ReadBits, name: str, kind: str) -> str:
    """``v1_kind = np.int64(c3[U(n0)]) if len(c3) else np.int64(0)``; without a constant always the first."""
    path, derive = f"{step.name}.{name}", step.type.field(name).derive
    if derive is None or not derive.is_constant:
        return out.load(place, path, Part.VALUE, kind)
    column, variable = out.given(place, path, Part.VALUE, kind), out.variable(path)
    out.optional.add(column)
    value = f"np.int64(c{column}[U({place.row})])"
    out.put(f"{variable} = {value} if len(c{column}) else np.int64({int(derive.value)})")
    return variable


def write_bits(out: EncodeFunction, step: ReadBits, place: StructurePlace) -> None:
    """Bits as one integer.

    ::

        if v1_kind < 0 or v1_kind > 7:
            return leave_encode_record(...)
        v3_attributes = v1_kind << 5 | v2_level
        store_2(out, p, v3_attributes)
        p += 2
    """
    parts = []
    for bit in step.bits:
        variable = place.variables[(step.name, bit.name)]
        if bit.width < 64:
            with out.block(f"if {variable} < 0 or {variable} > {bit.mask}:"):
                out.put(out.fail(place, f"{step.name}.{bit.name}", f"it does not fit; expected 0..{bit.mask}"))
        parts.append(f"{variable} << {bit.shift}" if bit.shift else variable)
    whole = out.variable(step.name)
    out.put(f"{whole} = {' | '.join(parts)}")
    inner = KernelScope(place.prefix, f"{place.path}.{step.name}", place.table)
    inner.variables = {(bit.name,): place.variables[(step.name, bit.name)] for bit in step.bits}
    for check in step.type.steps:
        if isinstance(check, Check):
            emit_check(out, check, inner)
    store(out, whole, step.size, False)
