"""What types are given as parameters, when what it follows from is edited.

A reader gives a structure its parameters once. They are given again when a field is set from which they may follow
(`TypeProgram.passing`), in the order in which they were read, with what streams answered then, and as many elements of
lists that were still growing (`_given` of a value).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from kformat.codec.expressions import Locals, remembered, said_word
from kformat.codec.values import Value, held
from kformat.errors import DataError
from kformat.language.expression import FAILURES, EvaluationError, Expression, compile_expression
from kformat.language.following import arguments_of, growing_in
from kformat.language.program import TypeProgram
from kformat.language.types import ListOf


class _GivenParameter(NamedTuple):
    """A parameter of a type, what gives it, and what that asks streams, and lists that grow: of these, the lists."""

    type: TypeProgram
    name: str
    evaluate: Callable[[Any], Any]
    asked: tuple[Callable[[Any], Any] | None, ...]


class _HolderAttribute(NamedTuple):
    """An attribute that holds structures, or a list of them; and by their types, the parameters that follow from it."""

    name: str
    given: tuple[_GivenParameter, ...]


@lru_cache(maxsize=1024)
def _places(program: TypeProgram) -> tuple[_HolderAttribute, ...]:
    """Those of a type, as they are read: instances after fields."""
    found: dict[str, list[_GivenParameter]] = {}
    for step, arguments in arguments_of(program):
        made = found.setdefault(step.name, [])
        for parameter, node in arguments:
            asked: list[Expression] = []
            moved = remembered(node, asked, growing_in(node, step.name, program))
            lists = tuple(compile_expression(one) if isinstance(one.type, ListOf) else None for one in asked)
            made.append(_GivenParameter(step.type, parameter, compile_expression(moved), lists))
    return tuple(_HolderAttribute(name, tuple(given)) for name, given in found.items())


def _said(answers: dict[int, Any], number: int, items: Callable[[Any], Any] | None, scope: Locals) -> Any:
    """What a stream answered; as many elements of a list as it had."""
    return answers[number] if items is None else items(scope)[: answers[number]]


def give(root: Value) -> None:
    """Give all structures in a value their parameters again, as far as these follow from fields."""
    pending: list[tuple[Value | None, int, Value, _HolderAttribute | None]] = [(None, 0, root, None)]
    while pending:
        outer, index, value, place = pending.pop()
        for given in () if place is None else place.given:
            if value._type == given.type:
                answers = getattr(value, "_given", {}).get(given.name, {})
                scope = Locals(outer, None, index, {})
                words = {
                    said_word(number): partial(_said, answers, number, items, scope)
                    for number, items in enumerate(given.asked)
                }
                try:
                    found = given.evaluate(Locals(outer, None, index, words))
                except (*FAILURES, EvaluationError, DataError):
                    continue  # what it follows from is not there
                object.__setattr__(value, given.name, found)
        for inner in reversed(_places(value._type)):
            found = held(value, inner.name)
            items = enumerate(found) if isinstance(found, list) else ((0, found),)
            pending += [(value, number, item, inner) for number, item in items if isinstance(item, Value)][::-1]
