"""Switches: the steps of each case."""

from __future__ import annotations

from kformat.language import expression
from kformat.language.compiler.bytes import read_bytes
from kformat.language.compiler.one_type import OneType, Use
from kformat.language.declaration import FieldDeclaration, SwitchUse
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames, is_sized
from kformat.language.steps import Case, ReadSwitch, Step


def read_switch(
    of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None
) -> Step:
    assert isinstance(use, SwitchUse)
    on = of.step_expression(use.on, names)
    cases: list[Case] = []
    default: Case | None = None
    for text, kind in use.cases:
        step = of.element(item, kind, names, None, True)
        if text.text.strip() == "_":
            default = Case(None, (step,))
            continue
        value = of.expression(text, names)
        of.at(text.mark, lambda value=value: comparable(on, value), text.text)  # type: ignore[misc]
        cases.append(Case(value, (step,)))
    if default is None and is_sized(item):
        default = Case(None, (read_bytes(of, item, None, names, None),))
    return ReadSwitch(name=item.id, condition=condition, on=on, cases=(*cases, *([] if default is None else [default])))


def comparable(left: Expression, right: Expression) -> Expression:
    return expression.combine("==", left, right)
