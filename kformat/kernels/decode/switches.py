"""Switches: which of several steps reads a field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from kformat.kernels.decode.bits import align
from kformat.kernels.decode.function import DecodeFunction
from kformat.kernels.decode.sequence import decode_steps
from kformat.kernels.expressions import value_of
from kformat.kernels.source import KernelScope, Part
from kformat.language import expression
from kformat.language.expression import Expression
from kformat.language.node import replaced
from kformat.language.program import (
    Align,
    ReadInteger,
    ReadSwitch,
    ReadVarint,
    Step,
    Window,
    case_kind,
    case_kinds,
    content_of,
)
from kformat.language.types import Bytes, Text

_ON: Final = "on"
"""What a switch compares, as a name."""


_MOST_KINDS: Final = 255


def decode_switch(out: DecodeFunction, step: ReadSwitch, scope: KernelScope, end: str) -> None:
    """One of several steps::

        if (v1_on == 1) or (v1_on == 2):
            if w3: put_1(a3, n0, 1)
            ...
        elif (v1_on == 7):
            ...

    The columns of the others are absent, and written only where that is not 0.
    """
    kinds = case_kinds(step)
    if len(kinds) > _MOST_KINDS:
        raise out.refuse(scope, step, f"a switch of more than {_MOST_KINDS} kinds of values")
    chosen, name = out.column(scope, step.name, Part.CASE, "u1"), scope.prefix + step.name
    equals = case_test(out, step, scope)
    if "integer" in kinds:
        out.widest[f"{name}.integer"] = widest_of(out, kinds["integer"], scope, step)
    value, present = None, None
    if step.name in out.asked and list(kinds) == ["integer"]:
        value, present = out.variable(step.name), out.variable("present")
    alike: dict[tuple[Step, ...], list[str]] = {}
    for case in step.cases:
        if case.value is not None:
            alike.setdefault(case.steps, []).append(equals(case.value))
    default = next((case.steps for case in step.cases if case.value is None), ())
    before, used, word = len(out.text), len(out.used), "if"
    out.switches += 1
    for steps, tests in (*alike.items(), (default, None)):
        conditions = [test for test in tests or () if test]
        if tests is not None and not conditions:
            continue
        head = f"{word} {' or '.join(conditions)}:" if tests is not None else "else:" if word == "elif" else "if True:"
        with out.block(head):
            for inner in steps:
                if isinstance(inner, Align):
                    align(out)
                    continue
                kind = case_kind(inner)
                out.fill(chosen, str(1 + list(kinds).index(kind)))
                place = replace(
                    scope,
                    prefix=f"{name}.",
                    path=f"{scope.path}.{step.name}",
                    variables=dict(scope.variables),
                    bytes=dict(scope.bytes),
                    absent=dict(scope.absent),
                )
                decode_steps(out, [_renamed(inner, kind)], place, end)
                if value is not None:
                    out.put(f"{value} = {place.variables[kind,]}", f"{present} = True")
        word = "elif"
    out.switches -= 1
    after, out.text = out.text, []
    if value is not None and present is not None:
        out.put(f"{value} = np.int64(0)", f"{present} = False")
        scope.variables[step.name,], scope.absent[step.name,] = value, present
    out.nothing(used, scope.table)
    after[before:before] = out.text
    out.text = after


def case_test(out: DecodeFunction, step: ReadSwitch, scope: KernelScope) -> Callable[[Expression], str]:
    """A function from a case's value to the condition that the switch has it; empty: that never holds."""
    on = step.on
    if isinstance(on.type, Text | Bytes):
        span = scope.bytes.get(on.value[0])
        if span is None or on.value in scope.absent or scope.prefix + on.value[0] in out.texts:
            raise out.refuse(scope, step, f"a switch on {on}")
        return lambda value: out.is_text(span, value.value)
    variable = out.variable("on")
    test = scope.absent.get(on.value) if on.op == "name" and len(on.value) == 1 else None
    if test is None:
        out.put(f"{variable} = {value_of(out, on, scope, step.name)}")
    else:  # null has no case
        variable = scope.variables[on.value]
    place = replace(scope, variables={(_ON,): variable}, absent={} if test is None else {(_ON,): test}, program=None)
    known = expression.name((_ON,), on.type, on.low, on.high)
    return lambda value: value_of(out, expression.combine("==", known, value), place, step.name)


def widest_of(out: DecodeFunction, steps: Sequence[Step], scope: KernelScope, switch: ReadSwitch) -> str:
    """The type of a column for the integers of some cases."""
    numbers = [content_of(step) for step in steps]
    kinds = [step.kind for step in numbers if isinstance(step, ReadInteger | ReadVarint)]
    bits, signed = max(kind.bits for kind in kinds), any(kind.signed for kind in kinds)
    if signed and any(not kind.signed and kind.bits == bits for kind in kinds):
        bits *= 2
    if bits > 64:
        raise out.refuse(scope, switch, "numbers of more than 64 bits")
    return f"{'i' if signed else 'u'}{bits // 8}"


def _renamed(step: Step, name: str) -> Step:
    if not isinstance(step, Window):
        return replaced(step, name=name)
    steps = tuple(_renamed(inner, name) if inner.name == step.name else inner for inner in step.steps)
    return replaced(step, name=name, steps=steps)
