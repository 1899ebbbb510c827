"""Switches: which of several steps writes a field."""

from __future__ import annotations

from typing import Any

from kformat.codec.cases import shape_of, type_of
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.sequence import emit_steps
from kformat.codec.writer.structures import write_structure, writer_later
from kformat.codec.writer.windows import write_window
from kformat.language.program import Case, ReadSwitch, ReadType, Window


def write_switch(out: WriterFunction, step: ReadSwitch) -> None:
    """One of several types.

    ::

        x1 = v.kind
        y1 = k1.get(x1)
        if y1 is not None:
            x2 = v.body
            y1(x2, o, s, v, root, little)
        elif x1 == 9:
            ...
        else:
            if not (v.body is None): raise unfit_
    """
    out.flush()
    on = out.new("x")
    out.put(f"{on} = {out.source(step.on)}")
    alike, table = cases_alike(out, step)
    others = [case for case in step.cases if case.value is not None and case not in alike]
    default = next((case for case in step.cases if case.value is None), None)
    word = "if"
    if alike:
        chosen = out.new("y")
        out.put(f"{chosen} = {out.const(table)}.get({on})")
        needs_stream = any(type_needs_stream(type_of(case.steps)) for case in alike)
        with out.block(f"if {chosen} is not None:"):
            (inner,) = alike[0].steps
            if isinstance(inner, Window):
                write_window(out, inner, chosen, needs_stream)
            else:
                assert isinstance(inner, ReadType)
                write_structure(out, inner, chosen, needs_stream)
        word = "elif"
    for case in others:
        assert case.value is not None
        with out.block(f"{word} {on} == {out.source(case.value)}:"):
            write_case(out, step, case)
        word = "elif"
    with out.block("else:" if word == "elif" else "if True:"):
        write_case(out, step, default)


def cases_alike(out: WriterFunction, step: ReadSwitch) -> tuple[list[Case], dict[Any, Any]]:
    """The cases that differ in their types alone: the writer is found by the value."""
    shapes: dict[Any, list[Case]] = {}
    for case in step.cases:
        if case.value is not None:
            shape = shape_of(case.steps)
            if shape is None or not case.value.is_constant:
                return [], {}
            shapes.setdefault(shape, []).append(case)
    alike = max(shapes.values(), key=len, default=[])
    keys = [case.value.value for case in alike if case.value is not None]
    if len(alike) < 2 or len(set(keys)) < len(keys) or not all(isinstance(key, int | str) for key in keys):
        return [], {}
    table: dict[Any, Any] = {}
    for key, case in zip(keys, alike, strict=True):
        writer_later(out, table, key, type_of(case.steps))
    return alike, table


def write_case(out: WriterFunction, step: ReadSwitch, case: Case | None) -> None:
    """The steps of a case, or that there is no value."""
    if case is None or not case.steps:
        out.unless(f"{out.value(step.name)} is None")
    else:
        emit_steps(out, case.steps)
