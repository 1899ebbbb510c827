"""Expressions as kernels evaluate them: the value instances in them written out, in 64 bits.

The codec computes instances when they are asked for, with integers of any size. Written out in the expression that asks
for them, they are computed at the same moment. In 64 bits they have the same values if the ranges of all their parts
fit; kernels do not evaluate an expression of which that is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kformat.integers import MAX_INT64, MIN_INT64
from kformat.language import expression
from kformat.language.expression import Boolean, Expression, ExpressionError, Integer
from kformat.language.node import replaced
from kformat.language.steps import Instance, ReadBits, ReadType, Step, TypeProgram, Window
from kformat.language.types import EXACT, EnumType

_DEEPEST = 16
"""Deepest chain of instances that ask for each other."""


@lru_cache(maxsize=4096)
def for_kernels(node: Expression, program: TypeProgram) -> Expression | None:
    """Convert an expression of a type's step for kernels; None if they cannot evaluate it with the codec's result.

    The result is in 64 bits, and its names are those of fields and parameters, if the types know them.
    """
    written_out = _written_out(node, program, _DEEPEST)
    if written_out is None or expression.is_large(written_out):
        return None
    return _narrowed(written_out) if _is_exact(written_out) else written_out


def instance_of(program: TypeProgram, name: str) -> Instance | None:
    """The type's instance of that name."""
    return next((instance for instance in program.instances if instance.field.name == name), None)


def _is_exact(node: Expression) -> bool:
    return node.type == EXACT or any(map(_is_exact, node.arguments))


def _written_out(node: Expression, program: TypeProgram, deepest: int) -> Expression | None:
    if node.op == "name":
        return _name(node, program, deepest)
    if not node.arguments:
        return node
    arguments = [_written_out(argument, program, deepest) for argument in node.arguments]
    if all(part is same for part, same in zip(arguments, node.arguments, strict=True)):
        return node
    known = [part for part in arguments if part is not None]
    return replaced(node, arguments=tuple(known)) if len(known) == len(arguments) else None


def _name(node: Expression, program: TypeProgram, deepest: int) -> Expression | None:
    around = program
    for index, word in enumerate(node.value):
        instance = instance_of(around, word)
        if instance is not None:
            if instance.value is None or instance.condition is not None or instance.checks or not deepest:
                return None
            written_out = _written_out(instance.value, around, deepest - 1)
            rest = node.value[index + 1 :]
            if written_out is None or (rest and written_out.op != "name"):
                return None
            if rest:
                written_out = expression.name((*written_out.value, *rest), node.type, node.low, node.high)
                written_out = _written_out(written_out, around, deepest - 1)
            return None if written_out is None else _within(written_out, node.value[:index])
        inner = next((step for step in _flat(around.steps) if step.name == word), None)
        if not isinstance(inner, ReadType | ReadBits):
            break
        around = inner.type
    return node


def _flat(steps: Iterable[Step]) -> Iterable[Step]:
    """The steps that set a field of the type."""
    for step in steps:
        if isinstance(step, Window):
            yield from _flat(step.steps)
        elif isinstance(step, ReadType | ReadBits):
            yield step


def _within(node: Expression, path: tuple[str, ...]) -> Expression | None:
    """Convert an expression of a structure to one of the structure that contains it at a path."""
    if node.op == "name":
        words = (*path, *node.value)
        while "_parent" in words:
            place = words.index("_parent")
            if not place:
                break
            words = (*words[: place - 1], *words[place + 1 :])
        return replaced(node, value=words)
    if node.op == "local":
        return None
    arguments = [_within(argument, path) for argument in node.arguments]
    known = [part for part in arguments if part is not None]
    return replaced(node, arguments=tuple(known)) if len(known) == len(arguments) else None


def _narrowed(node: Expression) -> Expression | None:
    """The expression in 64 bits; None if a part of it may exceed them."""
    kind = node.type
    if isinstance(kind, Integer) and kind == EXACT:
        most = 2 * MAX_INT64 + 1 if node.op in ("name", "constant") and node.low >= 0 else MAX_INT64
        if node.low < MIN_INT64 or node.high > most:
            return None
    elif not isinstance(kind, Integer | Boolean | EnumType):
        return node
    if not node.arguments:
        return replaced(node, type=Integer(64, node.high <= MAX_INT64)) if kind == EXACT else node
    arguments = [_narrowed(argument) for argument in node.arguments]
    parts = tuple(part for part in arguments if part is not None)
    if len(parts) < len(arguments):
        return None
    if node.op not in expression.KERNEL_OPS:
        narrow = Integer(64, True) if isinstance(kind, Integer) else kind
        return replaced(node, arguments=parts, type=narrow)
    if node.op in ("<<", ">>") and parts[1].high > 63:
        return None
    try:
        return expression.typed(node.op, parts, 0)
    except ExpressionError:
        return None


__all__ = ["for_kernels", "instance_of"]
