"""What types are given as parameters, when what it follows from is edited.

A reader gives a structure its parameters once. They are given again when a field is set from which they may follow
(`TypeProgram.passing`), in the order in which they were read: what follows from them is then what a reader gets of the
bytes that are built. One that asks a stream, or a list that grows, stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from kformat.codec.expressions import Locals
from kformat.codec.values import Value, held
from kformat.errors import DataError
from kformat.language.expression import FAILURES, EvaluationError, compile_expression
from kformat.language.following import arguments_of
from kformat.language.program import TypeProgram


class _Place(NamedTuple):
    """An attribute that holds structures, or a list of them; and by their types, the parameters that follow from it."""

    name: str
    given: tuple[tuple[TypeProgram, str, Callable[[Any], Any]], ...]


@lru_cache(maxsize=1024)
def _places(program: TypeProgram) -> tuple[_Place, ...]:
    """Those of a type, as they are read: instances after fields."""
    found: dict[str, list[tuple[TypeProgram, str, Callable[[Any], Any]]]] = {}
    for step, arguments in arguments_of(program):
        made = found.setdefault(step.name, [])
        made += ((step.type, parameter, compile_expression(node)) for parameter, node in arguments)
    return tuple(_Place(name, tuple(given)) for name, given in found.items())


def give(root: Value) -> None:
    """Give all structures in a value their parameters again, as far as these follow from fields."""
    pending: list[tuple[Value | None, int, Value, _Place | None]] = [(None, 0, root, None)]
    while pending:
        outer, index, value, place = pending.pop()
        for program, parameter, evaluate in () if place is None else place.given:
            if value._type == program:
                try:
                    found = evaluate(Locals(outer, None, index, {}))
                except (*FAILURES, EvaluationError, DataError):
                    continue  # what it follows from is not there
                object.__setattr__(value, parameter, found)
        for inner in reversed(_places(value._type)):
            found = held(value, inner.name)
            items = enumerate(found) if isinstance(found, list) else ((0, found),)
            pending += [(value, number, item, inner) for number, item in items if isinstance(item, Value)][::-1]
