"""Which fields of a structure are read at once: a run of numbers and fixed bytes, which one ``unpack_from`` reads."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from kformat.codec.expressions import is_simple
from kformat.language.encodings import reads_all
from kformat.language.expression import Expression
from kformat.language.layout import struct_format
from kformat.language.program import (
    Check,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
)

BY_TYPE: Final = "?"
"""Stands for the byte order in the format of numbers whose order is the value's."""


class Item(NamedTuple):
    """What is read as one number, or piece of bytes: a field, or bits that make up whole bytes. ``code`` is a struct's
    format, with ``<``, ``>``, ``=`` (no order) or `BY_TYPE`.
    """

    code: str
    steps: tuple[Step, ...]


class RunOfFields(NamedTuple):
    """Fields that are read at once."""

    items: Sequence[Item]


def items_at(
    steps: Sequence[Step], index: int, instances: frozenset[str], element: tuple[str, str] | None
) -> list[Item]:
    """The fields from a step on that can be read at once, with the rules between them; none if they are few.

    Args:
        instances: the names whose asking runs code. element: in a list, its name and local.
    """
    items: list[Item] = []
    fields = 0
    while index < len(steps):
        step = steps[index]
        if isinstance(step, Check):
            if not items or not is_run_check(step, instances):
                while items and isinstance(items[-1].steps[0], Check):
                    items.pop()
                if items:  # a rule stays with its field, whose position its error has
                    fields -= sum(not isinstance(inner, Check) for inner in items.pop().steps)
                break
            item = Item("=", (step,))
        elif step.name in (element or ()):
            break
        elif isinstance(step, ReadBit):
            group = bit_group(steps[index:], instances)
            if group is None:
                break
            item = group
            fields += sum(isinstance(inner, ReadBit) for inner in group.steps)
        else:
            code = _run_code(step)
            if code is None:
                break
            item = Item(code, (step,))
            fields += 1
        items.append(item)
        index += len(item.steps)
    return items if fields > 1 else []


def is_run_check(check: Check, instances: frozenset[str]) -> bool:
    """Whether a rule can be tested when all fields around it are read."""
    return check.condition is None and is_pure(check.rule, instances)


def bit_group(steps: Sequence[Step], instances: frozenset[str]) -> Item | None:
    """Bits, of one order, that make up whole bytes, at most eight; with the rules between them."""
    first = steps[0]
    assert isinstance(first, ReadBit)
    total = 0
    for index, step in enumerate(steps):
        if isinstance(step, ReadBit) and step.condition is None and step.little_endian == first.little_endian:
            total += step.width
            if total > 64:
                return None
            if total % 8 == 0:
                size = total // 8
                letter = {1: "B", 2: "H", 4: "I", 8: "Q"}.get(size)
                order = "=" if size == 1 or letter is None else "<" if first.little_endian else ">"
                return Item(order + (letter or f"{size}s"), tuple(steps[: index + 1]))
        elif not isinstance(step, Check) or not is_run_check(step, instances):
            return None
    return None


def is_pure(node: Expression | None, instances: frozenset[str]) -> bool:
    """Whether an expression asks for plain fields alone, and cannot fail."""
    if node is None:
        return True
    if not is_simple(node, instances):
        return False
    return node.overflow == "never" and all(is_pure(argument, instances) for argument in node.arguments)


def in_order(step: ReadInteger | ReadFloat, little: bool) -> Step:
    """The number with a byte order."""
    if isinstance(step, ReadInteger):
        return ReadInteger(name=step.name, kind=step.kind, little_endian=little)
    return ReadFloat(name=step.name, bits=step.bits, little_endian=little)


def _run_code(step: Step) -> str | None:
    """The struct format of a step that may stand in a run, with a byte order or ``=``; None for others."""
    if step.condition is not None:
        return None
    match step:
        case ReadInteger() | ReadFloat():
            code = struct_format(in_order(step, True) if step.by_type else step)
            if code is None:
                return None
            if struct.calcsize(code) == 1:
                return "=" + code[1:]
            return BY_TYPE + code[1:] if step.by_type else code
        case ReadLiteral() if step.contents:
            return f"={len(step.contents)}s"
        case ReadBytes() if step.size is not None and step.size.is_constant and not step.process:
            if step.encoding is not None and not reads_all(step.encoding):  # its error has its own place
                return None
            return f"={step.size.value}s" if 0 < step.size.value <= 1 << 16 else None
    return None


def may_be_free(step: Step) -> bool:
    """Whether an element may take no bytes; structures count themselves."""
    return step.condition is not None or not isinstance(
        step, ReadInteger | ReadFloat | ReadVarint | ReadBits | ReadType
    )
