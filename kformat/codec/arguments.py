"""The parameters of structures, computed again when the fields from which they follow are edited.

A reader computes the parameters of a structure once. They are computed again when a field is set from which they may
follow (`TypeProgram.passing`), in the order of reading, with the answers of streams at that time, and as many elements
of lists that were still growing (`_given` of a value).
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
    """A parameter of a type, and the function that computes it. ``asked``: the streams (None) and growing lists that
    this asks, by number.
    """

    type: TypeProgram
    name: str
    evaluate: Callable[[Any], Any]
    asked: tuple[Callable[[Any], Any] | None, ...]


class _HolderAttribute(NamedTuple):
    """An attribute that holds a structure, or a list of them; and the parameters of these structures."""

    name: str
    given: tuple[_GivenParameter, ...]


@lru_cache(maxsize=1024)
def _places(program: TypeProgram) -> tuple[_HolderAttribute, ...]:
    """The attributes of a type that hold structures, in the order of reading: instances after fields."""
    holders: dict[str, list[_GivenParameter]] = {}
    for step, arguments in arguments_of(program):
        made = holders.setdefault(step.name, [])
        for parameter, node in arguments:
            asked: list[Expression] = []
            moved = remembered(node, asked, growing_in(node, step.name, program))
            lists = tuple(compile_expression(query) if isinstance(query.type, ListOf) else None for query in asked)
            made.append(_GivenParameter(step.type, parameter, compile_expression(moved), lists))
    return tuple(_HolderAttribute(name, tuple(parameters)) for name, parameters in holders.items())


def _said(answers: dict[int, Any], number: int, items: Callable[[Any], Any] | None, scope: Locals) -> Any:
    """The remembered answer of a stream, or as many elements of a list as it had."""
    return answers[number] if items is None else items(scope)[: answers[number]]


def give(root: Value) -> None:
    """Compute the parameters of all structures in a value again, as far as these follow from fields."""
    pending: list[tuple[Value | None, int, Value, _HolderAttribute | None]] = [(None, 0, root, None)]
    while pending:
        outer, index, value, place = pending.pop()
        for parameter in () if place is None else place.given:
            if value._type == parameter.type:
                answers = getattr(value, "_given", {}).get(parameter.name, {})
                scope = Locals(outer, None, index, {})
                words = {
                    said_word(number): partial(_said, answers, number, items, scope)
                    for number, items in enumerate(parameter.asked)
                }
                try:
                    argument = parameter.evaluate(Locals(outer, None, index, words))
                except (*FAILURES, EvaluationError, DataError):
                    continue  # what it follows from is not there
                object.__setattr__(value, parameter.name, argument)
        for inner in reversed(_places(value._type)):
            content = held(value, inner.name)
            items = enumerate(content) if isinstance(content, list) else ((0, content),)
            pending += [(value, number, item, inner) for number, item in items if isinstance(item, Value)][::-1]
