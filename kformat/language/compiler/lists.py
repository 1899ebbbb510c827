"""The steps of a field that is read: one, or a list of it."""

from __future__ import annotations

from kformat.language import types
from kformat.language.compiler.checks import checks_of
from kformat.language.compiler.one_type import OneType
from kformat.language.declaration import FieldDeclaration
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames, read_type
from kformat.language.steps import ReadList, Step
from kformat.language.types import Boolean


def steps_of(of: OneType, item: FieldDeclaration, names: DeclaredNames, condition: Expression | None) -> list[Step]:
    """The step of a field or parse instance, and its rules."""
    if item.repeat is None:
        step = of.element(item, read_type(item), names, condition)
        return [step, *checks_of(of, item, condition)]
    count = None if item.repeat_expr is None else of.amount(item.repeat_expr, names, is_count=True)
    inner = of.names(names.read, _index=types.INT64)
    element = of.element(item, read_type(item), inner, None)
    kind = of.at(item.mark, lambda: of.world.element(of.scope, item, read_type(item)))
    until = None
    if item.repeat_until is not None:
        read = None if names.read is None else names.read | {item.id}
        last = of.names(read, _index=types.INT64, _=kind)
        last.itself = item.id
        until = of.wanted(item.repeat_until, last, Boolean)
    checks = tuple(checks_of(of, item, None, kind))
    step = ReadList(name=item.id, condition=condition, element=element, count=count, until=until, checks=checks)
    return [step]
