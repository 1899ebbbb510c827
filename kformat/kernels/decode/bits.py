"""Bits: types of them, and those that share bytes with others.

A stream's bits are at the variables ``p``, the next whole byte, and ``k``, how many bits are left over in the byte
before it. They stay the stream's across types, and a row begins and ends without any.
"""

from __future__ import annotations

from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.numbers import bytes_for, fixed, keep_number
from kformat.kernels.expressions import emit_check
from kformat.kernels.source import KernelScope, Part
from kformat.language.program import Align, BitField, Check, ReadBit, ReadBits, TypeProgram
from kformat.language.steps import all_steps, types_of


def decode_bits(out: DecodeFunction, step: ReadBits, scope: KernelScope, end: str) -> None:
    """A type of bits: the integer that they are in, each of them, and their rules."""
    whole = fixed(out, step, scope, end, step.size, False, False)
    for bit in step.bits:
        split_bit(out, step, bit, whole, scope)
    inner = KernelScope(scope.prefix, f"{scope.path}.{step.name}", scope.table)
    inner.variables = {(bit.name,): scope.variables[(step.name, bit.name)] for bit in step.bits}
    for check in step.type.steps:
        if isinstance(check, Check):
            emit_check(out, check, inner)


def split_bit(out: DecodeFunction, step: ReadBits, bit: BitField, whole: str, scope: KernelScope) -> None:
    """``v2_kind = (v1_attributes >> 5) & 7``, and its column."""
    variable = out.variable(bit.name)
    out.put(f"{variable} = {_masked(whole, bit)}")
    kind = f"u{bytes_for(bit.width)}"
    out.fill(out.column(scope, f"{step.name}.{bit.name}", Part.VALUE, kind), variable)
    scope.variables[(step.name, bit.name)] = variable


def decode_bit(out: DecodeFunction, step: ReadBit, scope: KernelScope, end: str) -> None:
    """Bits that end within a byte.

    ::

        v1_size = (3 - k + 7) >> 3
        if end - p < v1_size:
            return leave_decode_record(...)
        v2_kind = load_bits_big(data, p, k, 3)
        p += v1_size
        k = (k - 3) & 7
    """
    size, value = out.variable("size"), out.variable(step.name)
    out.put(f"{size} = ({step.width} - k + 7) >> 3")
    with out.block(f"if {end} - p < {size}:"):
        out.put(out.fail(scope, step.name, "the bytes end"))
    order = "little" if step.little_endian else "big"
    out.put(
        f"{value} = load_bits_{order}(data, p, k, {step.width})",
        f"p += {size}",
        f"k = (k - {step.width}) & 7",
    )
    keep_number(out, step.name, value, scope, f"u{bytes_for(step.width)}")


def decode_align(out: DecodeFunction, step: Align, scope: KernelScope, end: str) -> None:
    """Drop the bits that are left over in a byte."""
    align(out)


def align(out: DecodeFunction) -> None:
    """``k = np.int64(0)``."""
    out.put("k = np.int64(0)")


def _masked(whole: str, bit: BitField) -> str:
    shifted = f"{whole} >> {bit.shift}" if bit.shift else whole
    return f"({shifted}) & {bit.mask}" if bit.width < 64 else whole


def has_bits(program: TypeProgram) -> bool:
    """Whether a type, or one in it, has bits that share bytes with others."""
    shares = any(isinstance(step, ReadBit | Align) for step in all_steps(program.steps))
    return shares or any(has_bits(inner) for inner in set(types_of(program.steps)))
