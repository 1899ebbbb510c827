"""What the compiler derives from a type's steps: its checksum, the fields that builders compute, rules in words."""

from __future__ import annotations

from collections.abc import Iterable

from kformat.language import expression
from kformat.language.declaration import FieldDeclaration, TypeDeclaration
from kformat.language.expression import Expression, Integer
from kformat.language.steps import (
    Check,
    CheckEnd,
    Checksum,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadVarint,
    Step,
    Window,
    known_size,
)


def with_checksum(owner: TypeDeclaration, steps: list[Step]) -> list[Step]:
    """The steps with the Checksum that a type declares."""
    declared = owner.checksum
    assert declared is not None
    order = [step.name for step in steps if not isinstance(step, Check | CheckEnd)]
    for name in (declared.field, declared.start):
        if name not in order:
            declared.mark.refuse(f"{name!r} is not a field of this type")
    stored = next(step for step in steps if step.name == declared.field)
    if not isinstance(stored, ReadInteger) or stored.kind != Integer(32, False) or stored.condition is not None:
        declared.mark.refuse(f"{declared.field!r} must be a u4")
    if any(isinstance(step, Check) and step.name == declared.field for step in steps):
        declared.mark.refuse(f"{declared.field!r} has rules of its own")
    if order.index(declared.field) >= order.index(declared.start):
        declared.mark.refuse("a checksum must come before the bytes it covers")
    at = next(index for index, step in enumerate(steps) if step.name == declared.start)
    integers = [step for step in steps[:at] if isinstance(step, ReadInteger | ReadVarint)]
    before: set[tuple[str, ...]] = {(step.name,) for step in integers}
    length: Expression | None = expression.constant(0)
    for step in steps[at:]:
        size = known_size(step, before)
        length = None if length is None or size is None else expression.combine("+", length, size)
    to_limit = length is None and isinstance(steps[-1], CheckEnd)
    check = Checksum(name=declared.field, algorithm=declared.algorithm, length=length, to_limit=to_limit)
    return [*steps[:at], check, *steps[at:]]


def in_words(rule: Expression, known: Expression) -> str:
    """A rule's expectation in words: ``>= 0`` rather than ``length >= 0``."""
    if rule.op in ("<", "<=", ">", ">=", "==", "!=") and rule.arguments[0] == known:
        return f"{rule.op} {rule.arguments[1]}".removeprefix("== ")
    return str(rule)


def is_end_check(item: FieldDeclaration) -> bool:
    rule = item.valid.expression if item.valid is not None else None
    return (
        item.size is not None and item.size.text == "0" and rule is not None and rule.text.replace(" ", "") == "_io.eof"
    )


def computed_fields(steps: Iterable[Step]) -> set[str]:
    """The fields with only one right value, which builders always compute: lengths, counts, checksums."""
    found: set[str] = set()
    for step in steps:
        known = None
        match step:
            case ReadBytes() if step.size is not None:
                known = expression.inverse(step.size)
            case ReadList() if step.count is not None:
                known = expression.inverse(step.count)
            case Window():
                known = None if step.size is None else expression.inverse(step.size)
                found |= computed_fields(step.steps)
            case Checksum():
                found.add(step.name)
        if known is not None and len(known[0]) == 1:
            found.add(known[0][0])
    return found
