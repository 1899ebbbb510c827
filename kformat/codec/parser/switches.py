"""Switches: which of several steps reads a field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kformat.codec.cases import shape_of, type_of
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.sequence import nested
from kformat.codec.parser.structures import parser_later
from kformat.codec.parser.windows import read_with
from kformat.language.expression import charged
from kformat.language.program import Case, ReadSwitch
from kformat.language.types import Boolean, Bytes, EnumType, Integer, Text

_HASHED: Final = Integer | Boolean | EnumType | Text | Bytes


def read_switch(out: ParserFunction, step: ReadSwitch) -> None:
    """One of several types::

        x1 = v.kind
        y1 = k1.get(x1)
        if y1 is not None:
            x2 = y1(r, v, root, little_endian)
            v.body = x2
        elif x1 == 9:
            v.body = d[p:q1]
        else:
            v.body = None

    Of cases that differ in their types alone the parser is found by the value.
    """
    on = out.new("x")
    out.evaluate(step.on, on)
    constants = [case.value.value for case in step.cases if case.value is not None and case.value.is_constant]
    declared = sum(case.value is not None for case in step.cases)
    if len(constants) < declared:
        switch_in_order(out, step, on)
        return
    alike = cases_alike(out, step) if isinstance(step.on.type, _HASHED) and len(set(constants)) == declared else []
    others = [case for case in step.cases if case not in alike and case.value is not None]
    default = next((case for case in step.cases if case.value is None), None)
    word = "if"
    if alike:
        chosen = out.new("y")
        out.put(f"{chosen} = {parsers_by_value(out, alike, step.name)}.get({on})")
        with out.block(f"if {chosen} is not None:"):
            read_with(out, alike[0].steps, chosen)
        word = "elif"
    for case in others:
        assert case.value is not None
        with out.block(f"{word} {on} == {out.value_of(case.value)}:"):
            read_case(out, step, case)
        word = "elif"
    with out.block("else:" if word == "elif" else "if True:"):
        read_case(out, step, default)


def read_case(out: ParserFunction, step: ReadSwitch, case: Case | None) -> None:
    """The steps of a case, or ``v.body = None``."""
    if case is None or not case.steps:
        out.store(step.name, "None")
    else:
        nested(out, case.steps)


def cases_alike(out: ParserFunction, step: ReadSwitch) -> list[Case]:
    """The cases that differ in their types alone; none if they are not several."""
    shapes: dict[Any, list[Case]] = {}
    for case in step.cases:
        shape = shape_of(case.steps)
        if case.value is not None and shape is not None and not out.traced:
            shapes.setdefault(shape, []).append(case)
    alike = max(shapes.values(), key=len, default=[])
    return alike if len(alike) > 1 else []


def parsers_by_value(out: ParserFunction, cases: Sequence[Case], name: str) -> str:
    """The name of a table: value of a case -> the parser of its type."""
    table: dict[Any, Any] = {}
    for case in cases:
        assert case.value is not None
        parser_later(out, table, case.value.value, type_of(case.steps), name)
    return out.const(table)


def switch_in_order(out: ParserFunction, step: ReadSwitch, on: str) -> None:
    """Cases whose values are not constant: the first that is equal is taken, and no other is evaluated.

    ::

        y1 = -1
        if y1 < 0:
            if x1 == v.key:
                y1 = 0
        if y1 == 0:
            ...
        if y1 < 0:
            v.body = None
    """
    if isinstance(step.on.type, Text | Bytes):
        out.put(f"{out.const(charged)}(r, {on}, 4)")
    done = out.new("y")
    out.put(f"{done} = -1")
    cases: list[tuple[int, Case]] = list(enumerate(step.cases))
    for index, case in sorted(cases, key=lambda item: item[1].value is None):
        with out.block(f"if {done} < 0:"):
            if case.value is None:
                out.put(f"{done} = {index}")
            else:
                value = out.value_of(case.value)
                with out.block(f"if {on} == {value}:"):
                    out.put(f"{done} = {index}")
    for index, case in cases:
        with out.block(f"if {done} == {index}:"):
            read_case(out, step, case)
    with out.block(f"if {done} < 0:"):
        out.store(step.name, "None")
