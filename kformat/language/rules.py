"""What the compiler derives from a type's steps: its checksum, the fields that builders compute, rules in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kformat.language import expression
from kformat.language.checksums import digits_of, holder_of, position_in
from kformat.language.declaration import ChecksumDeclaration, FieldDeclaration, TypeDeclaration
from kformat.language.expression import Expression
from kformat.language.mark import nearest
from kformat.language.node import replaced
from kformat.language.steps import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadBit,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadSwitch,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    known_size,
)
from kformat.storage.algorithms import algorithm_of


def with_checksums(
    owner: TypeDeclaration,
    steps: list[Step],
    expressions: Callable[[ChecksumDeclaration], tuple[Expression | None, Expression | None]],
) -> list[Step]:
    """The steps, with the Checksum steps that a type declares inserted; ``expressions`` compiles the value that one
    covers, and its condition.
    """
    seen = set[tuple[str, ...]]()
    for declared in owner.checksums:
        field = declared.field, *declared.inside
        if field in seen:
            declared.mark.refuse(f"{'.'.join(field)!r} holds another checksum already")
        seen.add(field)
        steps = _with_checksum(owner, declared, steps, *expressions(declared))
    return steps


def _with_checksum(
    owner: TypeDeclaration,
    declared: ChecksumDeclaration,
    steps: list[Step],
    over: Expression | None,
    condition: Expression | None,
) -> list[Step]:
    order = [step.name for step in steps if not isinstance(step, Check | CheckEnd | Align | Checksum)]
    for name in (declared.field, declared.start, declared.end):
        if name and name not in order:
            if any(item.id == name and not item.inline for item in owner.fields):
                return steps  # the field has a complaint of its own
            declared.mark.refuse(f"{name!r} is not a field of this type{nearest(name, order)}")
    stored = next(step for step in steps if step.name == declared.field and not isinstance(step, Checksum | Align))
    if not declared.inside:
        _check_stored(declared, stored)
        if any(isinstance(step, Check) and step.name == declared.field for step in steps):
            declared.mark.refuse(f"{declared.field!r} has rules of its own")
    made = Checksum(
        name=declared.field, algorithm=declared.algorithm, length=None, base=declared.base, inside=declared.inside
    )
    if over is not None:
        return [*steps, replaced(made, part="over", over=over, condition=condition)]
    start = declared.start or order[0]
    if start == declared.field and not declared.end:
        declared.mark.refuse("a checksum does not cover itself: from and to name the first and last field that it does")
    if declared.end or condition is not None or order.index(declared.field) > order.index(start):
        return _with_parts(declared, made, condition, steps, start)
    if declared.blank is not None:
        declared.mark.refuse(f"'blank' stands for {declared.field!r}, which is not among the bytes that it covers")
    at = next(index for index, step in enumerate(steps) if step.name == start)
    integers = [step for step in steps[:at] if isinstance(step, ReadInteger | ReadVarint)]
    before: set[tuple[str, ...]] = {(step.name,) for step in integers}
    length: Expression | None = expression.constant(0)
    for step in steps[at:]:
        size = known_size(step, before)
        length = None if length is None or size is None else expression.combine("+", length, size)
    to_limit = length is None and isinstance(steps[-1], CheckEnd)
    return [*steps[:at], replaced(made, length=length, to_limit=to_limit), *steps[at:]]


def check_inner_checksums(owner: TypeDeclaration, program: TypeProgram) -> None:
    """Refuse checksums in fields of inner structures that do not fit, or whose position depends on the data: when all
    types are compiled.
    """
    for declared in owner.checksums:
        if not declared.inside:
            continue
        step = next(step for step in program.steps if isinstance(step, Checksum) and step.inside == declared.inside)
        inner, _ = holder_of(program, step)
        name = declared.inside[-1]
        if inner is None:
            declared.mark.refuse(f"{step.path!r}: its position depends on the data, or a part of it is no structure")
        if all(field.name != name for field in inner.fields):
            names = [field.name for field in inner.fields]
            declared.mark.refuse(f"{name!r} is not a field of {inner.label}{nearest(name, names)}")
        if position_in(inner, name) is None:
            declared.mark.refuse(f"{step.path!r}: its position in {inner.label} depends on the data")
        stored = next(step for step in inner.steps if step.name == name and not isinstance(step, Align | Checksum))
        if any(isinstance(other, Checksum) and other.path == name for other in inner.steps):
            declared.mark.refuse(f"{step.path!r} holds another checksum already, of {inner.label}")
        if any(isinstance(other, Check) and other.name == name for other in inner.steps):
            declared.mark.refuse(f"{step.path!r} has rules of its own")
        if isinstance(stored, ReadBit):
            declared.mark.refuse(f"{step.path!r} must be an integer, or bytes of a constant size")
        _check_stored(declared, stored)


def _check_stored(declared: ChecksumDeclaration, stored: Step) -> None:
    """Refuse a field that the checksum does not fit in."""
    known, field = algorithm_of(declared.algorithm), ".".join((declared.field, *declared.inside))
    match stored:
        case ReadInteger():
            bits = stored.kind.bits
        case ReadBit() if stored.enum is None:
            bits = stored.width
        case ReadBytes() if stored.size is not None and stored.size.is_constant and stored.process is None:
            if declared.base:
                _check_digits(declared, stored)
            elif stored.trim is not None or stored.encoding is not None:
                declared.mark.refuse(f"{field!r} must be plain bytes, or, if 'digits' says the base, a number in text")
            bits = 8 * int(stored.size.value)
        case _:
            declared.mark.refuse(f"{field!r} must be an integer, bits, or bytes of a constant size")
    if declared.base and not isinstance(stored, ReadBytes):
        declared.mark.refuse(f"{field!r} holds a number: digits are in text or bytes of a constant size")
    if known.is_bytes:
        if not isinstance(stored, ReadBytes) or declared.base:
            declared.mark.refuse(f"{known.name} gives {known.bits // 8} bytes: {field!r} must be bytes")
        if not 0 < bits <= known.bits:
            declared.mark.refuse(f"{known.name} gives {known.bits // 8} bytes, {field!r} has {bits // 8}")
    elif not known.is_users and not declared.base and bits < known.bits:
        declared.mark.refuse(f"{known.name} has {known.bits} bits, {field!r} has {bits}")


def _check_digits(declared: ChecksumDeclaration, stored: ReadBytes) -> None:
    """Refuse text in which a builder could not write digits."""
    trim = stored.trim
    if trim is not None and (trim.delimited or trim.include):
        declared.mark.refuse(f"{declared.field!r} holds digits, which need a size, and no 'include'")
    if stored.encoding is not None and "0".encode(stored.encoding) != b"0":
        declared.mark.refuse(f"{declared.field!r} holds digits: its encoding must have them as ASCII has")
    if trim is not None and trim.pad == b"0":
        declared.mark.refuse(f"{declared.field!r} holds digits, and may not be padded with the digit 0")
    if digits_of(stored) < 1:
        declared.mark.refuse(f"{declared.field!r} has no room for digits")


def _with_parts(
    declared: ChecksumDeclaration, made: Checksum, condition: Expression | None, steps: list[Step], start: str
) -> list[Step]:
    """The steps, with marks where the bytes that a checksum covers begin and end, and a check after these bytes and the
    stored checksum.
    """
    names = ["" if isinstance(step, Checksum) else step.name for step in steps]
    first = names.index(start)
    field = next(
        index for index, name in enumerate(names) if name == declared.field and not isinstance(steps[index], Align)
    )
    last = field - 1 if field > first else len(names) - 1
    if declared.end:
        last = len(names) - 1 - names[::-1].index(declared.end)
    if last < first:
        declared.mark.refuse(f"{declared.end!r} comes before {start!r}")
    is_inside = first <= field <= last
    if declared.blank is not None and (not is_inside or isinstance(steps[field], ReadBit)):
        why = "is a field of bits, which are taken as zeros" if is_inside else "is not among the bytes that it covers"
        declared.mark.refuse(f"'blank' stands for {declared.field!r}, which {why}")
    while last + 1 < len(steps) and isinstance(steps[last + 1], Align):
        last += 1
    edges = [index for index in (first, last + 1) if 0 < index < len(steps)]
    within_bits = [index for index in edges if all(isinstance(step, ReadBit) for step in steps[index - 1 : index + 1])]
    if any(declared.field not in names[index - 1 : index + 1] for index in within_bits):
        declared.mark.refuse("the bytes that a checksum covers begin or end within bits")
    blank = (declared.blank or 0) if is_inside or within_bits else None
    in_bits = isinstance(steps[first], ReadBit) and (first == 0 or first in within_bits)
    made = replaced(made, blank=blank, in_bits=in_bits)
    put = list[Step]()
    for index, step in enumerate(steps):
        if index == first:
            put.append(replaced(made, part="from"))
        put.append(step)
        if index == last:
            put.append(replaced(made, part="to"))
        if condition is None and index == max(last, field):
            put.append(replaced(made, part="check"))
    if condition is not None:  # at the end, the fields that it asks for are read
        put.append(replaced(made, part="check", condition=condition))
    return put


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


def check_hidden(program: TypeProgram) -> None:
    """Raise DeclarationError for a hidden field that builders do not know by themselves."""
    for item in program.fields:
        if item.hidden and not (item.computed or item.kind in ("structure", "list")):
            item.mark.refuse("-hidden is for what builders compute, and for structures and lists that may be empty")


def computed_fields(steps: Iterable[Step]) -> set[str]:
    """The fields with only one right value, which builders always compute: lengths, counts, checksums."""
    fields: set[str] = set()
    for step in steps:
        amount = None
        match step:
            case ReadBytes():
                amount = step.size
            case ReadList():
                amount = step.count
            case Window():
                amount = step.size
                fields |= computed_fields(step.steps)
            case ReadSwitch():  # those whose cases are all of one size
                fields |= set.intersection(*(computed_fields(case.steps) for case in step.cases))
            case Checksum() if not step.inside:
                fields.add(step.name)
        for node in _branches(amount):
            known = expression.inverse(node)
            if known is not None and len(known[0]) == 1:
                fields.add(known[0][0])
    return fields


def _branches(node: Expression | None) -> Iterator[Expression]:
    """An expression, or what a condition chooses between."""
    if node is not None and node.op == "if":
        for inner in node.arguments[1:]:
            yield from _branches(inner)
    elif node is not None:
        yield node
