"""The branches of a declared type, and which of them a value has reached.

A branch is a possibility of a field: an optional field is present or absent, a switch takes a certain case, a list has
no, one or several elements, a number is the least, 0, 1 or the largest, or a certain member of its enum, or no member.
Rules narrow them: with ``valid: 7`` there is one number. `branches_of` lists them from the program, `reached` finds
them in a parsed value, by its fields and the program's expressions: neither knows how the value was made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kformat.codec.values import MISSING, Value, asked
from kformat.corpus.generating import FLOATS, NON_ASCII, encoded, others_than
from kformat.corpus.hints import TypeFacts
from kformat.language.expression import EvaluationError, Expression, compile_expression
from kformat.language.program import (
    Align,
    BitField,
    Case,
    Check,
    CheckEnd,
    Checksum,
    Enum,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.types import Boolean, Integer

LONG_BYTES: Final = 200
"""The least size of text or data that counts as long."""


class Branch(NamedTuple):
    """A possibility of a field in a type, which is named as in Kaitai."""

    type: str
    field: str
    what: str

    def __str__(self) -> str:
        return f"{self.type}.{self.field}: {self.what}"


def branches_of(facts: TypeFacts) -> dict[Branch, str]:
    """All branches, each with the reason why no input reaches it, or "" if there is none."""
    branches: dict[Branch, str] = {}
    for program in facts.types.values():
        for branch, reason in _of_type(program, facts):
            branches.setdefault(branch, reason)
    return branches


def _of_type(program: TypeProgram, facts: TypeFacts) -> Iterator[tuple[Branch, str]]:
    for bit in program.bits:
        checks = [step for step in program.steps if isinstance(step, Check) and step.name == bit.name]
        for what in _of_leaf(bit, bit.name, checks, program, facts):
            yield Branch(program.name, bit.name, what), ""
    if not program.bits:
        yield from _of_steps(program.steps, program, facts)
    for instance in program.instances:
        name = instance.field.name
        if instance.condition is not None:
            yield from _of_condition(instance.condition, Branch(program.name, name, ""))
        yield from _of_steps(instance.steps, program, facts)
    order = program.byte_order
    if order is not None and order.on is not None:
        for value, little in order.cases:
            yield Branch(program.name, "byte order", _case_words(value, little)), ""


def _case_words(value: Expression | None, little: bool) -> str:
    return f"{'any other' if value is None else value} is {'little' if little else 'big'}-endian"


def _of_condition(node: Expression, place: Branch) -> Iterator[tuple[Branch, str]]:
    for what, value in (("present", 1), ("absent", 0)):
        is_never = decided(node) == (not value)
        yield place._replace(what=what), f"its condition is never {'true' if value else 'false'}" * is_never


def decided(node: Expression) -> bool | None:
    """The constant value of a condition, by the ranges of its sides; None if it can be both."""
    if node.is_constant:
        return bool(node.value)
    arguments = node.arguments
    if node.op == "not":
        inner = decided(arguments[0])
        return None if inner is None else not inner
    if node.op in ("and", "or"):
        sides = [decided(side) for side in arguments]
        stops = node.op == "or"
        return stops if stops in sides else None if None in sides else not stops
    if len(arguments) != 2 or not all(isinstance(side.type, Integer) for side in arguments):
        return None
    (low, high), (least, most) = ((side.low, side.high) for side in arguments)
    always, never = {
        "<": (high < least, low >= most),
        "<=": (high <= least, low > most),
        ">": (low > most, high <= least),
        ">=": (low >= most, high < least),
        "==": (low == high == least == most, high < least or low > most),
        "!=": (high < least or low > most, low == high == least == most),
    }.get(node.op, (False, False))
    return True if always else False if never else None


def _of_steps(steps: Sequence[Step], program: TypeProgram, facts: TypeFacts) -> Iterator[tuple[Branch, str]]:
    computed = facts.checksums(program) | facts.positions(program)
    for step in steps:
        if isinstance(step, Check | CheckEnd | Checksum | Align):
            continue
        place = Branch(program.name, step.name, "")
        if step.condition is not None:
            yield from _of_condition(step.condition, place)
        if step.name not in computed:
            checks = [check for check in steps if isinstance(check, Check) and check.name == step.name]
            yield from _of_value(step, place, checks, program, facts)


def _of_value(
    step: Step, place: Branch, checks: Sequence[Check], program: TypeProgram, facts: TypeFacts
) -> Iterator[tuple[Branch, str]]:
    match step:
        case Window():
            for branch, reason in _of_steps(step.steps, program, facts):
                yield (branch._replace(field=place.field) if branch.field == step.name else branch), reason
        case ReadSwitch():
            for case in step.cases:
                yield place._replace(what=_case(case)), _never(step.on, case)
                inner = [check for check in case.steps if isinstance(check, Check)]
                for content in case.steps:
                    if not isinstance(content, Check | CheckEnd | Checksum | Align):
                        yield from _of_value(content, place, inner, program, facts)
            if all(case.value is not None for case in step.cases):
                both = isinstance(step.on.type, Boolean) and len(step.cases) == 2
                yield place._replace(what="no case"), f"{step.on} is true or false" * both
        case ReadList():
            if step.count is None or not step.count.is_constant:
                low, high = (0, math.inf) if step.count is None else (max(step.count.low, 0), max(step.count.high, 0))
                for number, what in enumerate(("empty", "one element", "several elements")):
                    if number or step.until is None:
                        is_never = high < number or (low > number and number < 2)
                        yield place._replace(what=what), f"its count is {low} to {high}" * is_never
            elements = place._replace(field=f"{place.field}[]")
            yield from _of_value(step.element, elements, step.checks, program, facts)
        case ReadOpaque():
            yield place._replace(what="read"), f"{step.type_name} is somebody else's type"
        case ReadLiteral() | ReadType() | ReadBits():
            pass
        case _:
            for what in _of_leaf(step, place.field, checks, program, facts):
                yield place._replace(what=what), ""


def _case(case: Case) -> str:
    return "any other case" if case.value is None else f"case {case.value}"


def _never(on: Expression, case: Case) -> str:
    value = case.value
    if value is None or not value.is_constant or not isinstance(value.value, int) or isinstance(value.value, bool):
        return ""
    is_never = on.low < on.high and not on.low <= value.value <= on.high
    return f"{on} is never {value}" if is_never else ""


def _of_leaf(
    step: Step | BitField, name: str, checks: Sequence[Check], program: TypeProgram, facts: TypeFacts
) -> list[str]:
    """The branches of a number, bytes or text."""
    allowed = next((check.allowed for check in checks if check.rule is None and check.condition is None), None)
    key = program.name, name.removesuffix("[]")
    match step:
        case ReadBytes():
            if allowed is not None:
                return [_is(value) for value in allowed]
            if step.size is not None and step.size.is_constant and not (step.trim is not None and step.encoding):
                return []
            high = step.size.high if step.size is not None else math.inf
            lengths = ["empty"] + ["not empty"] * (high > 0) + ["long"] * (high >= LONG_BYTES)
            is_wide = step.encoding is not None and any(encoded(step, letter) for letter in NON_ASCII)
            return lengths + ["not ASCII"] * (is_wide and high > 1)
        case ReadFloat():
            return [_is(value) for value in FLOATS if _is_allowed(value, checks)]
        case BitField():
            numbers = _numbers(0, step.mask, step.enum, checks, facts, key)
        case ReadBit():
            numbers = _numbers(0, (1 << step.width) - 1, step.enum, checks, facts, key)
        case ReadInteger() | ReadVarint():
            numbers = _numbers(step.kind.low, step.kind.high, step.enum, checks, facts, key)
        case _:
            return []
    if allowed is not None and not (isinstance(step, ReadInteger | ReadVarint | ReadBit | BitField) and step.enum):
        return [_is(value) for value in allowed]
    return numbers


def _numbers(
    low: int, high: int, enum: Enum | None, checks: Sequence[Check], facts: TypeFacts, key: tuple[str, str]
) -> list[str]:
    if enum is not None:
        members = [number for number in enum.members if low <= number <= high and _is_allowed(number, checks)]
        others = any(_is_allowed(number, checks) for number in others_than(enum, low, high))
        others &= key not in facts.codecs  # of no codec, nothing is read
        return [enum.members[number] for number in members] + ["no member"] * others
    if key in facts.sizes or key in facts.late:  # what they count has branches of its own
        return []
    options = {0, 1, low, high}
    if checks:
        options |= {value for value in facts.hints.get(key, {}) if isinstance(value, int)}
        options = {int(value) for value in options if low <= value <= high and _is_allowed(value, checks)}
        options = {value for value in options if value in (0, 1, min(options), max(options))}
    return [_is(value) for value in sorted(options) if low <= value <= high]


def _is_allowed(value: Any, checks: Sequence[Check]) -> bool:
    """Whether the rules that depend only on the field allow a value."""
    for check in checks:
        if check.condition is not None:
            continue
        if check.rule is None:
            if value not in check.allowed:
                return False
            continue
        try:
            if not compile_expression(check.rule)(_ElementScope(None, check.name, value)):
                return False
        except (AttributeError, EvaluationError, TypeError):
            continue
    return True


def _is(value: Any) -> str:
    return f"is {value.hex() if isinstance(value, bytes) else repr(value)}"


class _ElementScope:
    """The scope of an expression that uses ``_`` or ``_index``."""

    def __init__(self, owner: Value | None, name: str, element: Any, index: int = 0) -> None:
        self._owner, self._name, self._, self._index = owner, name, element, index

    def __getattr__(self, name: str) -> Any:
        if name == self._name and self._owner is None:
            return self._
        return getattr(self._owner, name)


# --- what a value reached --------------------------------------------------------------------------------------------


def reached(value: Value, facts: TypeFacts) -> set[Branch]:
    """The branches that a parsed value has reached, of its own type and of all types in it, including instances."""
    branches: set[Branch] = set()
    waiting: list[Value] = [value]
    seen: set[int] = set()
    while waiting:
        structure = waiting.pop()
        if id(structure) not in seen:
            seen.add(id(structure))
            waiting += _BranchWalk(structure, facts, branches).structures()
    return branches


class _BranchWalk:
    """Collects the branches that a structure reached."""

    def __init__(self, value: Value, facts: TypeFacts, branches: set[Branch]) -> None:
        self.value, self.facts, self.found = value, facts, branches
        self.program = value._type
        self.inner: list[Value] = []

    def structures(self) -> list[Value]:
        """Collect all branches of the structure; returns the structures in it."""
        program = self.program
        for bit in program.bits:
            self.leaf(bit, bit.name, getattr(self.value, bit.name, MISSING))
        if not program.bits:
            self.steps(program.steps)
        for instance in program.instances:
            if instance.condition is not None:
                self.condition(instance.field.name, instance.condition)
            content = asked(self.value, instance.field.name) if instance.value is None else None
            if content is not None and content is not MISSING:
                self.steps(instance.steps)
        order = program.byte_order
        if order is not None and order.on is not None:
            key = self.ask(order.on)
            for value, little in order.cases:
                if value is None or self.ask(value) == key:
                    self.note("byte order", _case_words(value, little))
                    break
        return self.inner

    def note(self, field: str, what: str) -> None:
        self.found.add(Branch(self.program.name, field, what))

    def ask(self, node: Expression, element: Any = None, index: int = 0) -> Any:
        try:
            return compile_expression(node)(_ElementScope(self.value, "", element, index))
        except (AttributeError, EvaluationError, TypeError):
            return MISSING

    def condition(self, name: str, node: Expression) -> bool:
        """Whether an optional field is present: by what was read, or by the condition if nothing would be read."""
        content = asked(self.value, name)
        is_there = bool(self.ask(node)) if content is MISSING else content is not None
        self.note(name, "present" if is_there else "absent")
        return is_there

    def steps(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if isinstance(step, Check | CheckEnd | Checksum | Align):
                continue
            if step.condition is not None and not self.condition(step.name, step.condition):
                continue
            if isinstance(step, Window):
                self.steps(step.steps)
            else:
                self.one(step, step.name, asked(self.value, step.name))

    def one(self, step: Step, field: str, value: Any, index: int = 0) -> None:
        match step:
            case Window():
                for inner in step.steps:
                    if inner.name == step.name:
                        self.one(inner, field, value, index)
            case ReadSwitch():
                key = self.ask(step.on, None, index)
                for case in step.cases:
                    if case.value is None or self.ask(case.value, None, index) == key:
                        self.note(field, _case(case))
                        for content in case.steps:
                            if not isinstance(content, Check | CheckEnd | Checksum | Align):
                                self.one(content, field, value, index)
                        break
                else:
                    self.note(field, "no case")
            case ReadList() if isinstance(value, list):
                if step.count is None or not step.count.is_constant:
                    words = ("empty", "one element", "several elements")
                    self.note(field, words[min(len(value), 2)])
                for number, item in enumerate(value):
                    self.one(step.element, f"{field}[]", item, number)
            case ReadType() | ReadBits():
                if isinstance(value, Value):
                    self.inner.append(value)
            case ReadOpaque():
                self.note(field, "read")
            case _ if value is not None and value is not MISSING:
                self.leaf(step, field, value)

    def leaf(self, step: Step | BitField, field: str, value: Any) -> None:
        enum = getattr(step, "enum", None)
        if isinstance(value, bytes | str) and isinstance(step, ReadBytes):
            self.note(field, _is(value))
            size = len(encoded(step, value) or b"")
            self.note(field, "not empty" if value else "empty")
            if size >= LONG_BYTES:
                self.note(field, "long")
            if isinstance(value, str) and not value.isascii():
                self.note(field, "not ASCII")
        elif enum is not None:
            self.note(field, enum.members.get(int(value), "no member"))
        elif isinstance(value, int | float):
            self.note(field, _is(value if isinstance(value, float) else int(value)))
