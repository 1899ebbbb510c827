"""What it costs to compute an instance: whether it is kept, computed again, or written out where it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from kformat.language.expression import Expression
from kformat.language.program import Instance, TypeProgram
from kformat.language.types import Boolean, Integer, ListOf, Stream

_CHEAP: Final = frozenset(
    ("constant", "name", "if", "not", "neg", "inv", "and", "or", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^")
    + ("+", "-", "*", "/", "%", "<<", ">>")
)


_MOST_NODES: Final = 12


_MOST_INSTANCES: Final = 20


def is_shallow(program: TypeProgram, instance: Instance) -> bool:
    """Whether an instance is computed, perhaps through others, from the value's own fields alone: it can never ask for
    itself, nor for others many times.
    """
    count = _counts(program)[instance.field.name]
    return count is not None and count <= _MOST_INSTANCES


@lru_cache(maxsize=1024)
def _counts(program: TypeProgram) -> dict[str, int | None]:
    """For each instance how many are computed with it; None if it asks for more than the value's own fields."""
    others = {item.field.name: item for item in program.instances}
    known: dict[str, int | None] = {}

    def count(name: str) -> int | None:
        if name not in known:
            known[name] = None  # while it is counted: an instance that asks for it forms a cycle
            instance = others[name]
            if instance.value is not None:
                rules = [check.rule for check in instance.checks]
                nodes = [node for node in (instance.condition, instance.value, *rules) if node is not None]
                asked = _own_names(nodes, lambda node: may_grow(node, program))
                counts = [None] if asked is None else [count(other) for other in asked if other in others]
                if None not in counts:
                    known[name] = 1 + sum(number for number in counts if number is not None)
        return known[name]

    for name in others:
        count(name)
    return known


def may_grow(node: Expression, program: TypeProgram) -> bool:
    """Whether a list may be incomplete when an instance asks for it."""
    while node.op == "index":
        node = node.arguments[0]
    name = node.value[-1] if node.op == "name" else node.value
    return name in program.growing


def _own_names(nodes: Iterable[Expression], may_grow: Callable[[Expression], bool]) -> list[str] | None:
    """The value's own names that expressions ask for, with repetitions; None if they ask for other structures, streams
    or growing lists.
    """
    names: list[str] = []
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.op == "member":
            return None
        if isinstance(node.type, Stream) or (isinstance(node.type, ListOf) and may_grow(node)):
            return None
        if node.op == "name":
            if len(node.value) > 1 or node.value[0] in ("_parent", "_root"):
                return None
            names.append(node.value[0])
        pending += node.arguments
    return names


def cheap_instances(program: TypeProgram) -> dict[str, Expression]:
    """Instances that are a few operations, which cannot fail, on fields that are always there."""
    fields = {item.name for item in program.fields if not item.optional and item.kind in ("integer", "boolean")}
    cheap: dict[str, Expression] = {}
    for instance in program.instances:
        node = instance.value
        plain = instance.condition is None and instance.enum is None and not instance.checks
        if (
            plain
            and node is not None
            and not node.is_constant
            and _is_cheap(node, fields)
            and _nodes(node) <= _MOST_NODES
        ):
            cheap[instance.field.name] = node
    return cheap


def _is_cheap(node: Expression, fields: set[str]) -> bool:
    if node.op not in _CHEAP or node.overflow != "never" or not isinstance(node.type, Integer | Boolean):
        return False
    if node.op == "name" and (len(node.value) > 1 or node.value[0] not in fields):
        return False
    return all(_is_cheap(argument, fields) for argument in node.arguments)


def _nodes(node: Expression) -> int:
    return 1 + sum(map(_nodes, node.arguments))
