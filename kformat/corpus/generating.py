"""Values of any declared type, made step by step as a parser reads them.

Where a parser reads, `Generator` chooses: a number among the extremes and what expressions ask for (`hints`), a case,
a count. What it has chosen stands in a scope like a builder's, so that the conditions, sizes and cases of what follows
are evaluated, and rules of `valid` kept. Fields that a builder computes (sizes of windows, positions, checksums) are
left out. `kformat.build` makes the bytes; not every attempt has any (`Hopeless`), which costs one attempt.

Who chooses is a `Chooser`: in `any_format` one that takes what it has taken least so far, in `testing` hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, TypeVar

from kformat.codec.constructs import build, parse
from kformat.codec.drafts import Draft, evaluator, solve
from kformat.codec.drafts import known as drafted
from kformat.codec.reader import terminator_index
from kformat.codec.values import ERRORS, MISSING, REST, Value
from kformat.corpus.hints import COUNTS, SIZES, TypeFacts
from kformat.errors import KformatError
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    Enum,
    Instance,
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

T = TypeVar("T")

MAX_STRUCTURES: Final = 400
"""Of one value; more is hopeless."""
MAX_ELEMENTS: Final = 300
MAX_BYTES: Final = 4096
"""Of one field."""
MAX_LEVELS: Final = 40
MAX_LOOPS: Final = 3
"""Structures of one recursive type within each other; from there on, what leads deeper is left out where it can be."""
_TRIES: Final = 12
"""Of one element, until it is as a list's condition asks."""

FLOATS: Final = (0.0, 1.0, -1.5, math.inf, -math.inf, math.nan)
NON_ASCII: Final = "ä€λж漢é£ｱ한"
_LATE: Final = object()
"""Stands for a value that a builder computes."""


class Hopeless(Exception):
    """What has been chosen so far cannot become a value."""


class Chooser(Protocol):
    """Makes the decisions."""

    def pick(self, site: tuple[str, ...], options: Sequence[T], labels: Sequence[Any] | None = None) -> T:
        """One of the options, of which there is at least one; the first is the simplest. ``site``: for what.
        ``labels``: what they are the next time, too, where chance made some of them; by default they themselves.
        """

    def noise(self, site: tuple[str, ...], size: int) -> bytes:
        """So many bytes."""


class Room:
    """The stream that is being filled: how far it is, and how long it will be, as far as that is known."""

    def __init__(self, size: int | None) -> None:
        self._size, self.bits = size, 0
        self.is_known = True

    def add(self, size: int | None) -> None:
        """So many bytes more; None: nobody knows how many."""
        if size is None:
            self.is_known = False
        else:
            self.bits += 8 * size
            if self._size is not None and self.is_known and self.bits > 8 * self._size:
                raise Hopeless("more than there is room for")

    def align(self) -> None:
        """To the next whole byte."""
        self.bits = -(-self.bits // 8) * 8

    @property
    def left(self) -> int | None:
        """Bytes up to the end."""
        return self._size - -(-self.bits // 8) if self._size is not None and self.is_known else None

    @property
    def used(self) -> int | None:
        """Bytes so far."""
        return -(-self.bits // 8) if self.is_known else None

    # What expressions ask of a stream: an AttributeError says that it is not known yet.

    @property
    def pos(self) -> int:
        """As of a reader."""
        if not self.is_known:
            raise AttributeError("the position is not known yet", name="pos", obj=self)
        return self.bits // 8

    @property
    def size(self) -> int:
        """As of a reader."""
        if self._size is None:
            raise AttributeError("the size is not known yet", name="size", obj=self)
        return self._size

    @property
    def eof(self) -> bool:
        """As of a reader."""
        left = self.left
        if left is None:
            raise AttributeError("the size is not known yet", name="eof", obj=self)
        return left <= 0


class Sample:
    """A sound value: ``given`` to the builder, its bytes, and what is read of them.

    ``trailing`` as in `kformat.parse`: ``keep`` if a part of a fixed size has bytes that nothing declares.
    """

    def __init__(self, given: dict[str, Any], data: bytes, value: Value, trailing: Any) -> None:
        self.given, self.data, self.value, self.trailing = given, data, value, trailing


class Generator:
    """Makes values of a type."""

    def __init__(self, facts: TypeFacts, chooser: Chooser, floats: Sequence[float] = FLOATS) -> None:
        self.facts, self.chooser, self.floats = facts, chooser, floats
        self.structures = 0
        self.keeps = False
        self.sizes_follow = True
        self.stack: list[str] = []

    def sample(self) -> Sample:
        """A value that is built, read again, and the same then.

        Raises Hopeless: what was chosen cannot be built, or does not fit together.
        """
        self.structures, self.keeps = 0, False
        self.sizes_follow = self.chooser.pick(("", "", "sizes"), (True, True, True, False))
        self.stack.clear()
        program = self.facts.root
        given = plain(self._structure(program, None, None, {}, Room(None)))
        trailing: Any = "keep" if self.keeps else "error"
        try:
            data = build(program, given)
            value = parse(program, data, trailing=trailing)
            if _has_errors(value._asdict(instances=True)):
                raise Hopeless("an instance that cannot be read")
            again = build(program, value)
        except (KformatError, RecursionError) as error:
            raise Hopeless(str(error)) from error
        if again != data or not agrees(given, value):
            raise Hopeless("is read otherwise")
        return Sample(given, data, value, trailing)

    # --- structures

    def _structure(
        self, program: TypeProgram, parent: Draft | None, root: Draft | None, arguments: dict[str, Any], room: Room
    ) -> Draft:
        self.structures += 1
        if self.structures > MAX_STRUCTURES or len(self.stack) > MAX_LEVELS:
            raise Hopeless("too many structures")
        draft = Draft(program, parent, root)
        draft.__dict__.update(arguments)
        draft.__dict__["_io"] = room
        self.stack.append(program.name)
        if program.bits:
            checks = [step for step in program.steps if isinstance(step, Check)]
            for bit in program.bits:
                kept = self._number(draft, bit.name, 0, bit.mask, bit.enum, checks)
                if kept is not _LATE:
                    draft.__dict__[bit.name] = kept
        else:
            self._steps(program.steps, draft, room)
        for instance in program.instances:
            if instance.value is None:
                self._instance(instance, draft)
        self.stack.pop()
        return draft

    def _is_deep(self) -> bool:
        name = self.stack[-1]
        return self.structures > MAX_STRUCTURES // 4 or any(
            self.stack.count(one) >= MAX_LOOPS for one in {name, *self.stack[-4:]} if one in self.facts.recursive
        )

    def _instance(self, instance: Instance, draft: Draft) -> None:
        name = instance.field.name
        if instance.condition is not None and known(instance.condition, draft) is False:
            return
        is_placed = instance.position is None or known(instance.position, draft) is not None
        # What stands at a place of its own may have other bytes there already: then it is only read.
        if name not in draft.__dict__ and not (
            is_placed and self.chooser.pick((draft._program.name, name, "given"), (False, True)) is False
        ):
            self._steps(instance.steps, draft, Room(None))

    def _steps(self, steps: Sequence[Step], draft: Draft, room: Room) -> None:
        program = draft._program
        checksums = self.facts.checksums(program)
        values = draft.__dict__
        for step in steps:
            name = step.name
            match step:
                case Check():
                    self._check(step, draft)
                    continue
                case CheckEnd() | Checksum():
                    continue
                case Align():
                    room.align()
                    continue
            if step.condition is not None and not self._is_present(step, draft):
                values[name] = None
                continue
            checks = [check for check in steps if isinstance(check, Check) and check.name == name]
            match step:
                case ReadLiteral():
                    room.add(len(step.contents))
                case ReadInteger() if name in checksums:
                    room.add(step.kind.bits // 8)
                case Window():
                    self._window(step, draft, room)
                case _:
                    found = self._one(step, draft, room, checks)
                    if found is not _LATE:
                        values[name] = found

    def _is_present(self, step: Step, draft: Draft) -> bool:
        assert step.condition is not None
        found = known(step.condition, draft)
        if found is None:
            options = [False] if self._is_deep() else [True, False]
            found = self.chooser.pick((draft._program.name, step.name, "if"), options)
        return bool(found)

    def _check(self, step: Check, draft: Draft) -> None:
        if step.condition is not None and not known(step.condition, draft):
            return
        value = draft.__dict__.get(step.name, MISSING)
        if value is not MISSING and not holds(step, value, draft):
            raise Hopeless(f"{step.name} breaks a rule")

    def _window(self, step: Window, draft: Draft, room: Room) -> None:
        """A window whose steps set fields of the structure."""
        outer = draft.__dict__["_io"]
        inner = self._inner(step, draft, room)
        draft.__dict__["_io"] = inner
        self._steps(step.steps, draft, inner)
        draft.__dict__["_io"] = outer
        self._fill(step, inner, draft.__dict__.get(step.name), room)
        if step.codec is None and step.process is None and step.trim is None:
            self._settle(step.size, inner.used, draft)

    def _inner(self, step: Window, draft: Draft, room: Room) -> Room:
        is_plain = step.codec is None and step.trim is None
        if step.process is not None and step.process.name not in ("xor", "rol", "ror"):
            is_plain = False
        size = room.left if step.size is None else known(step.size, draft)
        if isinstance(size, int) and not 0 <= size <= MAX_BYTES:
            raise Hopeless("a size that no file of a corpus has")
        return Room(size if is_plain else None)

    def _fill(self, step: Window, inner: Room, content: Any, room: Room) -> None:
        """After the content of a window: what is left over is filled, where there is a structure to keep it."""
        left = inner.left
        if left:
            if left < 0 or not isinstance(content, Draft) or not content._program.keeps_context:
                raise Hopeless("a window that is not filled")
            content.__dict__[REST] = bytes(left)
            self.keeps = True
            room.add(inner.size)
        elif left is not None:
            room.add(inner.size)
        elif step.codec is None and step.process is None and step.trim is None:
            room.add(inner.used)
        else:
            room.add(None)

    def _settle(self, node: Expression | None, size: int | None, draft: Draft) -> None:
        """Now that a size is known, the field that says it is, too, and what asks for that."""
        if node is None or size is None or known(node, draft) is not None:
            return
        try:
            found = solve(node, size, draft)
        except (ArithmeticError, TypeError, ValueError):
            return
        owner: Any = draft
        for word in () if found is None else found[0][:-1]:
            owner = getattr(owner, word, None)
        if found is None or not isinstance(owner, Draft):
            return
        name, program = found[0][-1], owner._program
        for instance in program.instances:
            if instance.field.name == name and instance.value is not None:
                self._settle(instance.value, found[1], owner)
                return
        if name not in owner.__dict__ and (program.name, name) in self.facts.late:
            owner.__dict__[name] = found[1]

    # --- one value

    def _one(self, step: Step, draft: Draft, room: Room, checks: Sequence[Check]) -> Any:
        name = step.name
        match step:
            case ReadInteger():
                room.add(step.kind.bits // 8)
                return self._number(draft, name, step.kind.low, step.kind.high, step.enum, checks)
            case ReadVarint():
                found = self._number(draft, name, step.kind.low, step.kind.high, step.enum, checks)
                room.add(None if found is _LATE else varint_size(step, found))
                return found
            case ReadBit():
                room.bits += step.width
                found = self._number(draft, name, 0, (1 << step.width) - 1, step.enum, checks)
                return bool(found) if step.boolean and found is not _LATE else found
            case ReadFloat():
                room.add(step.bits // 8)
                return self._among(draft, name, [*self.floats, *self._hinted(draft, name, float)], checks)
            case ReadBytes():
                return self._bytes(step, draft, room, checks)
            case ReadBits():
                room.add(step.size)
                return self._structure(step.type, draft, draft._root, {}, Room(step.size))
            case ReadType():
                return self._child(step, draft, room)
            case ReadList():
                return self._list(step, draft, room)
            case ReadSwitch():
                return self._switch(step, draft, room)
            case ReadLiteral():
                room.add(len(step.contents))
                return step.contents
            case Window():
                inner = self._inner(step, draft, room)
                outer = draft.__dict__["_io"]
                draft.__dict__["_io"] = inner
                found = self._content(step.steps, draft, inner)
                draft.__dict__["_io"] = outer
                self._fill(step, inner, found, room)
                if step.codec is None and step.process is None and step.trim is None:
                    self._settle(step.size, inner.used, draft)
                return found
            case ReadOpaque():
                raise Hopeless(f"{step.type_name} is somebody else's type")
        raise AssertionError(step)

    def _content(self, steps: Sequence[Step], draft: Draft, room: Room) -> Any:
        """What a case, or the window around an element, has: one value among aligning and checks."""
        found: Any = None
        checks = [step for step in steps if isinstance(step, Check)]
        for step in steps:
            if isinstance(step, Align):
                room.align()
            elif not isinstance(step, Check | CheckEnd | Checksum):
                found = self._one(step, draft, room, checks)
        return found

    def _child(self, step: ReadType, draft: Draft, room: Room) -> Draft:
        arguments = {name: found for name, node in step.arguments if (found := known(node, draft)) is not None}
        parent = None if step.foreign or step.orphan else draft
        if step.parent is not None:
            found = known(step.parent, draft)
            parent = found if isinstance(found, Draft) else None
        return self._structure(step.type, parent, None if step.foreign else draft._root, arguments, room)

    def _switch(self, step: ReadSwitch, draft: Draft, room: Room) -> Any:
        site = (draft._program.name, step.name, "case")
        key = known(step.on, draft)
        cases = list(step.cases)
        if key is None:
            cases = [self.chooser.pick(site, range(len(cases)))] if cases else []  # type: ignore[list-item]
            chosen = step.cases[cases[0]] if cases else None  # type: ignore[call-overload]
        else:
            chosen = next((case for case in cases if case.value is None or known(case.value, draft) == key), None)
        return None if chosen is None or not chosen.steps else self._content(chosen.steps, draft, room)

    def _list(self, step: ReadList, draft: Draft, room: Room) -> list[Any]:
        site = (draft._program.name, step.name, "count")
        found: list[Any] = []
        values = draft.__dict__
        values[step.name] = found
        if step.until is not None:
            wanted = self.chooser.pick(site, [1] if self._is_deep() else [1, 2, 3])
            for index in range(wanted):
                self._element(step, draft, room, index, index == wanted - 1)
            return found
        count = None if step.count is None else known(step.count, draft)
        if step.count is None and room.left is not None:
            while room.left:
                if len(found) >= MAX_ELEMENTS:
                    raise Hopeless("too many elements")
                before = room.bits
                self._element(step, draft, room, len(found), None)
                if room.is_known and room.bits == before:
                    raise Hopeless("elements without end")
            return found
        if count is None:
            count = self.chooser.pick(site, [0] if self._is_deep() else [0, 1, 2, 3])
        if count > MAX_ELEMENTS:
            raise Hopeless("a count that no file of a corpus has")
        for index in range(count):
            self._element(step, draft, room, index, None)
        return found

    def _element(self, step: ReadList, draft: Draft, room: Room, index: int, is_last: bool | None) -> None:
        """One more element; of a list with a condition it is the last or not, as is asked for."""
        values, found = draft.__dict__, draft.__dict__[step.name]
        for attempt in range(_TRIES):
            values["_index"] = index
            before = room.bits, room.is_known
            if step.align:
                room.align()
            item = self._one(step.element, draft, room, step.checks)
            if item is _LATE:
                raise Hopeless("an element that nobody computes")
            found.append(item)
            if is_last is None or step.until is None:
                return
            values["_"], values["_index"] = item, index
            is_true = known(step.until, draft)
            if is_true is None or bool(is_true) == is_last:
                return
            if attempt < _TRIES - 1:
                found.pop()
                room.bits, room.is_known = before
        raise Hopeless("no element is as the list's condition asks")

    # --- numbers, bytes, text

    def _hinted(self, draft: Draft, name: str, kinds: Any) -> list[Any]:
        key = draft._program.name, name
        found = self.facts.hints.get(key, {})
        loops = self.facts.loops.get(key, ()) if self._is_deep() else ()
        return [value for value in found if isinstance(value, kinds) and value not in loops]

    def _number(self, draft: Draft, name: str, low: int, high: int, enum: Enum | None, checks: Sequence[Check]) -> Any:
        key = draft._program.name, name
        if key in self.facts.late and (self.sizes_follow or self.chooser.pick((*key, "late"), (True, False))):
            return _LATE
        field = next((field for field in draft._program.fields if field.name == name), None)
        if field is not None and field.derive is not None and self.chooser.pick((*key, "derived"), (True, False)):
            found = known(field.derive, draft)
            if found is not None:
                return int(found)
        hints = [int(value) for value in self._hinted(draft, name, int)]
        some: int | None = None
        if key in self.facts.sizes:
            options = [*COUNTS, *(hint for hint in hints if hint <= MAX_BYTES)]
        elif enum is not None:
            options = [*enum.members, *others_than(enum, low, high), *hints]
        else:
            options = [0, 1, low, high, *hints]
            options.append(some := self._some(key, low, high))
        loops = self.facts.loops.get(key, ()) if self._is_deep() else ()
        options = [value for value in dict.fromkeys(options) if low <= value <= high]
        return self._among(draft, name, [value for value in options if value not in loops] or options, checks, some)

    def _some(self, key: tuple[str, str], low: int, high: int) -> int:
        noise = int(self.chooser.noise((*key, "number"), 8).hex(), 16)
        return low + noise % (high - low + 1)

    def _among(
        self, draft: Draft, name: str, options: Sequence[Any], checks: Sequence[Check], some: int | None = None
    ) -> Any:
        """One of the options that the rules allow, as far as they can be asked now. ``some``: the one of chance."""
        for check in checks:
            if check.condition is not None and known(check.condition, draft) is False:
                continue
            if check.rule is None:
                options = [value for value in check.allowed if value in options or isinstance(value, str | bytes)] or [
                    *check.allowed
                ]
            else:
                options = [*options, *(value for value in sides(check.rule, name, draft) if value not in options)]
                options = [value for value in options if holds(check, value, draft)]
        if not options:
            raise Hopeless(f"no value of {name} that its rules allow is known")
        labels = ["some" if value == some and value not in (0, 1) else value for value in options]
        return self.chooser.pick((draft._program.name, name), options, labels)

    def _bytes(self, step: ReadBytes, draft: Draft, room: Room, checks: Sequence[Check]) -> Any:
        site = (draft._program.name, step.name)
        size = room.left if step.size is None else known(step.size, draft)
        if step.trim is not None and step.trim.delimited:
            size = None
        if isinstance(size, int) and not 0 <= size <= MAX_BYTES:
            raise Hopeless("a size that no file of a corpus has")
        is_exact = step.trim is None and (step.process is None or step.process.name in ("xor", "rol", "ror"))
        rules = [check for check in checks if check.condition is None or known(check.condition, draft) is not False]
        allowed = next((check.allowed for check in rules if check.rule is None), None)
        given = allowed if allowed is not None else self._hinted(draft, step.name, str if step.encoding else bytes)
        options: dict[Any, Any] = {value: value for value in given if self._fits(step, value, size, is_exact)}
        if allowed is None and not ((draft._program.name, step.name) in self.facts.digits and options):
            lengths = [size] if size is not None and is_exact else [n for n in SIZES if size is None or n <= size]
            if size is None and step.size is not None:
                lengths = [n for n in lengths if step.size.low <= n <= step.size.high]
            if size is not None and not is_exact:
                lengths.append(size)
            for length in dict.fromkeys(lengths):
                for number, value in enumerate(self._made(step, length, site)):
                    if self._fits(step, value, size, is_exact):
                        options.setdefault(value, (length, number))
        for check in rules:
            options = {value: label for value, label in options.items() if holds(check, value, draft)}
        if not options:
            raise Hopeless(f"no bytes for {step.name}")
        found = self.chooser.pick(site, list(options), list(options.values()))
        length = len(encoded(step, found) or b"")
        if is_exact:
            room.add(length)
            self._settle(step.size, length, draft)
        elif step.size is not None and step.trim is not None:
            room.add(size)
        elif step.trim is not None and step.trim.delimited and step.process is None:
            end = step.trim.terminator or b""
            room.add(length + (len(end) if step.trim.consume and not step.trim.include else 0))
        else:
            room.add(None)
        return found

    def _made(self, step: ReadBytes, length: int, site: tuple[str, ...]) -> list[Any]:
        """Content of a length, where there is any."""
        end = step.trim.terminator if step.trim is not None and step.trim.include else None
        if step.encoding is None:
            data = self.chooser.noise(site, length)
            for unwanted in {*((step.trim.terminator or b"")[:1] if step.trim else b""), *_pad(step)}:
                data = data.replace(bytes([unwanted]), b"\x55" if unwanted != 0x55 else b"\x66")
            if end is not None:
                data = data[: max(0, length - len(end))] + end
            return [data]
        found = []
        for special in ("", NON_ASCII):
            text = ""
            for letter in special:
                if encoded(step, letter) is not None and len(encoded(step, text + letter) or b"") <= length:
                    text += letter
            if special and not text:
                continue
            unit = len(encoded(step, "aa") or b"") - len(encoded(step, "a") or b"")
            short = length - len(encoded(step, text) or b"")
            text += "".join("abcdefghij"[n % 10] for n in range(short // unit if unit else 0))
            if end is not None:
                text = text[: max(0, len(text) - 1)] + end.decode(step.encoding, "replace")
            found.append(text)
        return found

    def _fits(self, step: ReadBytes, value: Any, size: int | None, is_exact: bool) -> bool:
        """Whether content of this field may be that."""
        data = encoded(step, value)
        if data is None or (size is not None and (len(data) != size if is_exact else len(data) > size)):
            return False
        trim = step.trim
        if trim is None:
            return True
        end = trim.terminator
        if end is not None and trim.include:
            return data.endswith(end) and terminator_index(data, end) == len(data) - len(end)
        return (end is None or terminator_index(data, end) < 0) and not (trim.pad and data.endswith(trim.pad))


def _has_errors(value: Any) -> bool:
    if isinstance(value, dict):
        return ERRORS in value or any(map(_has_errors, value.values()))
    return isinstance(value, list) and any(map(_has_errors, value))


def _pad(step: ReadBytes) -> bytes:
    return step.trim.pad or b"" if step.trim is not None else b""


def known(node: Expression, draft: Draft) -> Any:
    """What an expression is so far; None if that is not known."""
    try:
        return drafted(node, draft)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return None


def holds(check: Check, value: Any, draft: Draft) -> bool:
    """Whether a rule allows a value; where it cannot be asked yet, it does."""
    if check.rule is None:
        return value in check.allowed
    values = draft.__dict__
    before = values.get(check.name, MISSING)
    values[check.name] = values["_"] = value
    try:
        return bool(evaluator(check.rule)(draft))
    except (AttributeError, EvaluationError):
        return True
    finally:
        if before is MISSING:
            values.pop(check.name, None)
        else:
            values[check.name] = before


def sides(rule: Expression, name: str, draft: Draft) -> Iterable[Any]:
    """What a rule compares its field with, as far as that is known: the value, and those next to it."""
    if rule.op in ("==", "!=", "<", "<=", ">", ">="):
        for side, other in (rule.arguments, rule.arguments[::-1]):
            if side.op == "local" or (side.op == "name" and side.value == (name,)):
                found = known(other, draft)
                if isinstance(found, int) and not isinstance(found, bool):
                    yield from (found, found + 1, found - 1)
                elif found is not None:
                    yield found
    for argument in rule.arguments:
        yield from sides(argument, name, draft)


def others_than(enum: Enum, low: int, high: int) -> list[int]:
    """Numbers that an enum does not name: the least that is not negative, and the largest."""
    first = next((number for number in range(max(low, 0), high + 1) if number not in enum.members), None)
    return [number for number in dict.fromkeys((first, high)) if number is not None and number not in enum.members]


def varint_size(step: ReadVarint, value: int) -> int:
    """The bytes of a varint."""
    bits = step.kind.bits
    word = ((value << 1) ^ (value >> bits)) if step.zigzag else value
    return max(1, -(-(word % (1 << bits)).bit_length() // 7))


def encoded(step: ReadBytes, value: Any) -> bytes | None:
    """The content of a field; None if its encoding has no such text."""
    if step.encoding is None:
        return bytes(value)
    try:
        found: bytes = value.encode(step.encoding)
        return found if found.decode(step.encoding) == value else None
    except (UnicodeError, LookupError):
        return None


def plain(draft: Draft) -> dict[str, Any]:
    """What has been chosen, for a builder."""
    program = draft._program
    names = [bit.name for bit in program.bits] or [field.name for field in program.fields]
    names += [instance.field.name for instance in program.instances if instance.value is None]
    return {name: _plain(draft.__dict__[name]) for name in (*names, REST) if name in draft.__dict__}


def _plain(value: Any) -> Any:
    if isinstance(value, Draft):
        return plain(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def agrees(given: Any, read: Any) -> bool:
    """Whether what was read is what was given; fields that were not given may be anything."""
    if isinstance(given, dict):
        return isinstance(read, Value) and all(
            agrees(value, getattr(read, name, None)) for name, value in given.items()
        )
    if isinstance(given, list):
        return isinstance(read, list) and len(given) == len(read) and all(map(agrees, given, read))
    if isinstance(given, float) and isinstance(read, float):
        return (
            given == read
            or (given != given and read != read)
            or not math.isfinite(read - given)
            or (abs(read - given) <= abs(given) * 1e-6)
        )
    return bool(given == read)
