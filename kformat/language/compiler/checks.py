"""The rules of a field (`valid`)."""

from __future__ import annotations

from kformat.language import expression, types
from kformat.language.compiler.one_type import OneType, is_narrow
from kformat.language.declaration import FieldDeclaration, Valid, WrittenText
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames
from kformat.language.rules import in_words
from kformat.language.steps import Check, Enum, members_text
from kformat.language.types import ANY, EXACT, Boolean, EnumType, Integer, Type
from kformat.language.types import Text as TextType


def checks_of(
    of: OneType, item: FieldDeclaration, condition: Expression | None, element: Type | None = None
) -> list[Check]:
    """The rules of a field; with ``element`` those on each element of a list."""
    valid = item.valid
    if valid is None:
        return []
    kind = element
    if kind is None:
        kind = of.at(item.mark, lambda: of.world.attribute(of.scope, item.id)) or ANY
    known = expression.local("_", kind)
    names = of.names(of.read | {item.id}, _=kind, **({} if element is None else {"_index": types.INT64}))
    names.itself = item.id
    if item.id in of.scope.instances:
        names.read = None
    if element is None:
        known = names.reached(of.scope, item.id, kind, None)
        names.known = None if item.id in of.scope.instances else known
    enum = of.at(item.mark, lambda: of.world.enum_named(of.scope, item.enum))
    return rules_of(of, item, valid, known, names, enum, condition)


def rules_of(
    of: OneType, item: FieldDeclaration, valid: Valid, known: Expression, names: DeclaredNames, enum: Enum | None,
    condition: Expression | None,
) -> list[Check]:  # fmt: skip
    steps: list[Check] = []

    def check(rule: Expression | None, expected: str, allowed: tuple[object, ...] = ()) -> None:
        steps.append(Check(name=item.id, condition=condition, rule=rule, expected=expected, allowed=allowed))

    def compared(sign: str, text: WrittenText) -> tuple[Expression, Expression]:
        bound = of.step_expression(text, names)
        rule = of.at(text.mark, lambda: expression.combine(sign, known, bound), text.text)
        return bound, rule if is_narrow(rule) else expression.exact(rule)

    low, high = known.low, known.high
    for text, sign in ((valid.equal, "=="), (valid.minimum, ">="), (valid.maximum, "<=")):
        if text is None:
            continue
        bound, rule = compared(sign, text)
        if sign == "==" and bound.is_constant and isinstance(bound.type, TextType):
            check(None, repr(bound.value), (bound.value,))
            continue
        check(rule, f"{bound}" if sign == "==" else f"{sign} {bound}")
        low = max(low, bound.low) if sign != "<=" else low
        high = min(high, bound.high) if sign != ">=" else high
    if valid.any_of:
        bounds = [compared("==", text)[0] for text in valid.any_of]
        expected = "one of " * (len(bounds) > 1 or isinstance(known.type, Integer)) + ", ".join(map(str, bounds))
        is_number = isinstance(known.type, Integer | EnumType)
        if is_number or not all(node.is_constant for node in bounds):
            check(expression.any_of([expression.combine("==", known, node) for node in bounds]), expected)
        else:
            check(None, expected, tuple(node.value for node in bounds))
    if valid.in_enum:
        if enum is None:
            valid.mark.refuse("in-enum needs a field with an enum")
        shown = members_text(enum.members)
        if of.scope.is_ours and isinstance(known.type, EnumType):  # as a rule that kernels take
            members = [expression.enum_member(known.type.name, value) for value in enum.members]
            rule = expression.any_of([expression.combine("==", known, member) for member in members])
            check(rule, shown)
        else:
            check(None, shown, tuple(enum.members))
    if valid.expression is not None:
        rule = of.wanted(valid.expression, names, Boolean)
        check(rule, in_words(rule, known))
    if low > high and isinstance(known.type, Integer):
        valid.mark.refuse("no value can satisfy this")
    if known.op == "name" and isinstance(known.type, Integer) and known.type != EXACT and condition is None:
        of.bounds[item.id] = (low, high)
    return steps
