"""Why an expression has no value: which one it is, and what the names in it are. Only called after a failure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kformat.codec.reader import State
from kformat.codec.values import MISSING, Value, held
from kformat.errors import DataError
from kformat.language.expression import FAILURES, EvaluationError, Expression, compile_expression
from kformat.language.program import Step

_PARTS: Final = ("condition", "size", "count", "until", "on", "codec", "magic", "rule")
_NUMBERS: Final = ("size", "count", "position")
"""Parts that have to be integers, and may not be null."""
_SHOWN: Final = 40
_ABSENT: Final = re.compile(r"'\w+' object has no attribute '(\w+)'")
"""What Python says of a field that is not there."""
_MOST_NAMES: Final = 6


class _ReadSoFar:
    """A structure as far as it is read, and the element and index of a list."""

    def __init__(self, value: Value, name: str, index: int | None) -> None:
        self._value, self._index = value, index
        current = held(value, name)
        self._ = None if current is MISSING else current[-1] if isinstance(current, list) and current else current

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)


def explained(value: Any, name: str, index: int | None, error: Exception) -> str:
    """The message for an exception while a step or instance of that name was read: the expression that has no value,
    with the values of its names; else the exception's own words.
    """
    said = f"{error}" or type(error).__name__
    if not isinstance(value, Value) or not isinstance(error, (EvaluationError, *FAILURES)):
        return said
    state: State | None = getattr(getattr(value, "_io", None), "state", None)
    if state is None:
        return _explained(value, name, index, said)
    with state.asking_nothing():
        return _explained(value, name, index, said)


def _explained(value: Value, name: str, index: int | None, said: str) -> str:
    scope = _ReadSoFar(value, name, index)
    for part, node in _expressions(value, name):
        try:
            if compile_expression(node)(scope) is None and part in _NUMBERS:
                return f"the {part} {node} is null, where an integer is needed"
        except (EvaluationError, *FAILURES):
            known = [(".".join(path), _value(scope, path)) for path in sorted(node.names())[:_MOST_NAMES]]
            where = ", ".join(f"{word} is {text}" for word, text in known if text)
            if said.startswith(f"{node} "):  # it says that itself
                return said
            words = "it is no integer" if said.startswith("invalid literal for int()") else said
            absent = _ABSENT.fullmatch(said)
            words = words if absent is None else f"{absent[1]} was not read"
            why = "" if any(text == "null" for _, text in known) else f": {words}"
            return f"{node} has no value" + (f", where {where}" if where else "") + why
        except DataError:
            continue
    return said


def _value(scope: _ReadSoFar, path: Iterable[str]) -> str:
    value: Any = scope
    try:
        for word in path:
            value = getattr(value, word)
    except Exception:  # it is only a word in a message
        return ""
    if isinstance(value, Value):
        return ""
    text = (
        "null"
        if value is None
        else str(int(value))
        if type(value) is not bool and isinstance(value, int)
        else repr(value)
    )
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _expressions(value: Value, name: str) -> Iterator[tuple[str, Expression]]:
    """The expressions of the steps and instances of a name, in the order of reading."""
    program = value._type
    for instance in program.instances:
        if instance.field.name == name:
            for part in ("condition", "value", "stream", "position"):
                node = getattr(instance, part)
                if node is not None:
                    yield part, node
            yield from _of(instance.steps)
    yield from _of(step for step in program.steps if step.name == name)


def _of(steps: Iterable[Step]) -> Iterator[tuple[str, Expression]]:
    for step in steps:
        for part in _PARTS:
            node = getattr(step, part, None)
            if isinstance(node, Expression):
                yield part, node
        for argument in getattr(step, "arguments", ()):
            yield "argument", argument[1] if isinstance(argument, tuple) else argument
        process = getattr(step, "process", None)
        if process is not None:
            yield from (("argument", node) for node in process.arguments)
        element = getattr(step, "element", None)
        if element is not None:
            yield from _of((element,))
        yield from _of(getattr(step, "steps", ()))


__all__ = ["explained"]
