"""What the compiler derives from a type's steps: its checksum, the fields that builders compute, rules in words."""

from __future__ import annotations

from collections.abc import Iterable

from kformat.language import expression
from kformat.language.declaration import ChecksumDeclaration, FieldDeclaration, TypeDeclaration
from kformat.language.expression import Expression, Integer
from kformat.language.mark import nearest
from kformat.language.steps import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadVarint,
    Step,
    Window,
    known_size,
)


def with_checksum(owner: TypeDeclaration, steps: list[Step]) -> list[Step]:
    """The steps with the Checksum, or the three of them, that a type declares."""
    declared = owner.checksum
    assert declared is not None
    order = [step.name for step in steps if not isinstance(step, Check | CheckEnd | Align)]
    for name in (declared.field, declared.start, declared.end):
        if name and name not in order:
            if any(item.id == name and not item.inline for item in owner.fields):
                return steps  # the field has a complaint of its own
            declared.mark.refuse(f"{name!r} is not a field of this type{nearest(name, order)}")
    stored = next(step for step in steps if step.name == declared.field)
    if not isinstance(stored, ReadInteger) or stored.kind != Integer(32, False) or stored.condition is not None:
        declared.mark.refuse(f"{declared.field!r} must be a u4")
    if any(isinstance(step, Check) and step.name == declared.field for step in steps):
        declared.mark.refuse(f"{declared.field!r} has rules of its own")
    start = declared.start or order[0]
    if start == declared.field:
        declared.mark.refuse("a checksum does not cover itself: from and to name the first and last field that it does")
    if declared.end or order.index(declared.field) > order.index(start):
        return _with_parts(declared, steps, start)
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


def _with_parts(declared: ChecksumDeclaration, steps: list[Step], start: str) -> list[Step]:
    """The steps with a mark where the bytes begin that a checksum covers, one where they end, and the check of it after
    them and it.
    """
    names = [step.name for step in steps]
    first, field = names.index(start), names.index(declared.field)
    last = len(names) - 1 - names[::-1].index(declared.end) if declared.end else field - 1
    if last < first:
        declared.mark.refuse(f"{declared.end!r} comes before {start!r}")
    if first <= field <= last:
        declared.mark.refuse(f"{declared.field!r} is among the bytes from {start!r} to {declared.end!r} that it covers")
    if last + 1 < len(steps) and isinstance(steps[last + 1], Align):
        last += 1
    edges = [index for index in (first, last + 1) if 0 < index < len(steps)]
    if any(isinstance(steps[index - 1], ReadBit) and isinstance(steps[index], ReadBit) for index in edges):
        declared.mark.refuse("the bytes that a checksum covers begin or end within bits")
    made = list[Step]()
    for index, step in enumerate(steps):
        if index == first:
            made.append(Checksum(name=declared.field, algorithm=declared.algorithm, length=None, part="from"))
        made.append(step)
        if index == last:
            made.append(Checksum(name=declared.field, algorithm=declared.algorithm, length=None, part="to"))
        if index == max(last, field):
            made.append(Checksum(name=declared.field, algorithm=declared.algorithm, length=None, part="check"))
    return made


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
