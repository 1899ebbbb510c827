"""Bits: types of them, and those between other fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kformat.codec.expressions import attribute, is_simple, source
from kformat.codec.unfit import Unfit
from kformat.codec.values import value_class
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.rules import emit_check
from kformat.language.following import asked_of_stream
from kformat.language.program import Align, Check, ReadBit, ReadBits, Step, TypeProgram
from kformat.language.steps import nodes_of


def write_bits(out: WriterFunction, step: ReadBits) -> None:
    """A type of bits as a value of its own: ``x1 = v.attributes``, and its bits."""
    child = out.new("x")
    out.put(f"{child} = {out.value(step.name)}")
    out.unless(f"type_({child}) is {out.const(value_class(step.type))}")
    bits_of(out, child, step.type)


def bits_of(out: WriterFunction, owner: str, program: TypeProgram) -> None:
    """The bits of a type: an integer of them, and their rules."""
    words = {f".{bit.name}": attribute(owner, bit.name, out.space) for bit in program.bits}
    parts = [(words[f".{bit.name}"], bit.width, bit.shift) for bit in program.bits]
    integer(out, parts, sum(bit.width for bit in program.bits) // 8, ">")
    for check in program.steps:
        if not isinstance(check, Check):
            continue
        if check.rule is None:
            out.unless(f"{words[f'.{check.name}']} in {out.const(check.allowed)}")
            continue
        asked = {f".{'.'.join(name)}" for name in check.rule.names()}
        if not is_simple(check.rule, frozenset()) or not asked <= words.keys():
            raise Unfit
        out.unless(source(check.rule, out.space, words))


def integer(out: WriterFunction, parts: Iterable[tuple[str, int, int]], size: int, order: str) -> None:
    """``o += k1(v.high << 4 | v.low)``: one integer of some values, each with its width and its shift."""
    shifted = []
    for value, width, shift in parts:
        out.plain(value)
        out.unless(f"0 <= {value} < {1 << width}")
        shifted.append(f"{value} << {shift}" if shift else value)
    letter = {1: "B", 2: "H", 4: "I", 8: "Q"}.get(size)
    whole = " | ".join(shifted)
    if letter is not None:
        out.number(order + letter, whole)
    else:
        out.number(f"={size}s", f"int_.to_bytes({whole}, {size}, {'little_' if order == '<' else 'big_'})")


def bit_group(out: WriterFunction, steps: Sequence[Step], index: int) -> int:
    """Bits up to a whole byte, or up to where the rest of a byte is dropped; the index of the step after them."""
    first = steps[index]
    assert isinstance(first, ReadBit)
    if first.condition is not None:
        raise Unfit
    total, bits, checks = 0, list[ReadBit](), list[Check]()
    while True:
        step = steps[index] if index < len(steps) else None
        if isinstance(step, ReadBit) and step.condition is None and step.little_endian == first.little_endian:
            total += step.width
            bits.append(step)
        elif isinstance(step, Check) and total % 8:
            checks.append(step)
        elif total % 8 and not (isinstance(step, Align) and step.condition is None):
            raise Unfit
        elif total % 8 and "eof" in map(asked_of_stream, nodes_of(steps[index + 1])):
            raise Unfit  # it asks with the bits that are left
        else:
            break
        index += 1
    spare = -total % 8
    shift = 0 if first.little_endian else total + spare
    parts = []
    for bit in bits:
        shift -= 0 if bit.little_endian else bit.width
        parts.append((out.value(bit.name), bit.width, shift))
        shift += bit.width if bit.little_endian else 0
    integer(out, parts, (total + spare) // 8, "<" if first.little_endian else ">")
    for check in checks:
        emit_check(out, check)
    return index
