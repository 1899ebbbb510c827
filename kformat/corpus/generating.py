"""Values of any declared type, made step by step as a parser reads them.

Where a parser reads, `Generator` chooses: a number among the extremes and the values that expressions suggest
(`hints`), a case, a count. The choices are kept in a scope like a builder's, so that the conditions, sizes and cases of
later fields are evaluated, and rules of `valid` kept. Fields that a builder computes (sizes of windows, positions,
checksums) are left out. `kformat.build` makes the bytes; some choices cannot be built (`Hopeless`), which costs one
attempt.

A `Chooser` makes the choices: in `any_format` one that takes the option it has taken least so far, in `testing`
hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, TypeVar

from kformat.codec.constructs import build, parse
from kformat.codec.drafts import Draft, evaluator, solve
from kformat.codec.drafts import known as drafted
from kformat.codec.extensions import NotRegisteredError
from kformat.codec.reader import terminator_index
from kformat.codec.values import ERRORS, MISSING, REST, Value
from kformat.corpus.hints import COUNTS, SIZES, TypeFacts
from kformat.errors import KformatError
from kformat.language.checksums import bits_of
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
"""Most structures in one value; more is hopeless."""
MAX_ELEMENTS: Final = 300
MAX_BYTES: Final = 4096
"""Most bytes of one field."""
MAX_LEVELS: Final = 40
MAX_LOOPS: Final = 3
"""Nested structures of one recursive type, from which on deeper nesting is avoided where possible."""
_TRIES: Final = 12
"""Attempts to make an element that meets its list's condition."""

FLOATS: Final = (0.0, 1.0, -1.5, math.inf, -math.inf, math.nan)
NON_ASCII: Final = "ä€λж漢é£ｱ한"
_LATE: Final = object()
"""Stands for a value that a builder computes."""


class Hopeless(Exception):
    """The choices so far cannot become a value."""


class Chooser(Protocol):
    """Makes the decisions."""

    def pick(self, site: tuple[str, ...], options: Sequence[T], labels: Sequence[Any] | None = None) -> T:
        """Choose one of the options; there is at least one, and the first is the simplest. ``site``: the place of the
        choice. ``labels``: names of the options that are the same in the next attempt, if some options are random; by
        default the options themselves.
        """

    def noise(self, site: tuple[str, ...], size: int) -> bytes:
        """Random bytes."""


def _leave_out(program: TypeProgram, draft: Draft) -> None:
    """Drop checksums in inner structures, which are computed; where there is none, the field has a value."""
    for step in program.steps:
        if isinstance(step, Checksum) and step.inside and (step.condition is None or known(step.condition, draft)):
            owner: Any = draft
            for name in (step.name, *step.inside)[:-1]:
                owner = owner.__dict__.get(name) if isinstance(owner, Draft) else None
            if isinstance(owner, Draft):
                owner.__dict__.pop(step.inside[-1], None)


class Room:
    """The stream that is being filled: its position, and its final size, as far as they are known."""

    def __init__(self, size: int | None) -> None:
        self._size, self.bits = size, 0
        self.is_known = True

    def add(self, size: int | None) -> None:
        """Advance by a number of bytes; None: the number is unknown."""
        if size is None:
            self.is_known = False
        else:
            self.bits += 8 * size
            if self._size is not None and self.is_known and self.bits > 8 * self._size:
                raise Hopeless("more than there is room for")

    def add_bits(self, count: int | None) -> None:
        """Advance by a number of bits; None: the number is unknown."""
        self.bits += count or 0
        self.is_known = self.is_known and count is not None

    def align(self) -> None:
        """Advance to the next whole byte."""
        self.bits = -(-self.bits // 8) * 8

    @property
    def left(self) -> int | None:
        """Bytes up to the end."""
        return self._size - -(-self.bits // 8) if self._size is not None and self.is_known else None

    @property
    def used(self) -> int | None:
        """Bytes so far."""
        return -(-self.bits // 8) if self.is_known else None

    # Attributes of streams in expressions; AttributeError: not known yet.

    @property
    def pos(self) -> int:
        """See `codec.reader.Reader`."""
        if not self.is_known:
            raise AttributeError("the position is not known yet", name="pos", obj=self)
        return self.bits // 8

    @property
    def size(self) -> int:
        """See `codec.reader.Reader`."""
        if self._size is None:
            raise AttributeError("the size is not known yet", name="size", obj=self)
        return self._size

    @property
    def eof(self) -> bool:
        """See `codec.reader.Reader`."""
        left = self.left
        if left is None:
            raise AttributeError("the size is not known yet", name="eof", obj=self)
        return left <= 0


class Sample:
    """A sound value: as ``given`` to the builder, its bytes, and the value parsed from them.

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
        """Make a value that is the same after building and parsing.

        Raises Hopeless: the choices cannot be built, or do not fit together.
        """
        self.structures, self.keeps = 0, False
        self.sizes_follow = self.chooser.pick(("", "", "sizes"), (True, True, True, False))
        self.stack.clear()
        program = self.facts.root
        fields = plain(self._structure(program, None, None, {}, Room(None)))
        trailing: Any = "keep" if self.keeps else "error"
        try:
            data = build(program, fields)
            value = parse(program, data, trailing=trailing)
            if _has_errors(value._asdict(instances=True)):
                raise Hopeless("an instance that cannot be read")
            again = build(program, value)
        except NotRegisteredError:  # no other choices help
            raise
        except (KformatError, RecursionError) as error:
            raise Hopeless(str(error)) from error
        if again != data or not agrees(fields, value):
            raise Hopeless("is read otherwise")
        return Sample(fields, data, value, trailing)

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
            _leave_out(program, draft)
        for instance in program.instances:
            if instance.value is None:
                self._instance(instance, draft)
        self.stack.pop()
        return draft

    def _is_deep(self) -> bool:
        name = self.stack[-1]
        return self.structures > MAX_STRUCTURES // 4 or any(
            self.stack.count(type_name) >= MAX_LOOPS
            for type_name in {name, *self.stack[-4:]}
            if type_name in self.facts.recursive
        )

    def _instance(self, instance: Instance, draft: Draft) -> None:
        name = instance.field.name
        if instance.condition is not None and known(instance.condition, draft) is False:
            return
        is_placed = instance.position is None or known(instance.position, draft) is not None
        # An instance at a position may have other bytes there already: then it is only read.
        if name not in draft.__dict__ and not (
            is_placed and self.chooser.pick((draft._program.name, name, "given"), (False, True)) is False
        ):
            self._steps(instance.steps, draft, Room(None))

    def _steps(self, steps: Sequence[Step], draft: Draft, room: Room) -> None:
        program = draft._program
        computed = self.facts.checksums(program) | self.facts.positions(program)
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
                case ReadBytes() if step.fill is not None and step.size is not None:
                    room.add(known(step.size, draft))
                case ReadInteger() | ReadVarint() | ReadBytes() | ReadBit() | ReadList() if name in computed:
                    room.add_bits(bits_of((step,)))
                case Window():
                    self._window(step, draft, room)
                case _:
                    value = self._one(step, draft, room, checks)
                    if value is not _LATE:
                        values[name] = value

    def _is_present(self, step: Step, draft: Draft) -> bool:
        assert step.condition is not None
        is_present = known(step.condition, draft)
        if is_present is None:
            options = [False] if self._is_deep() else [True, False]
            is_present = self.chooser.pick((draft._program.name, step.name, "if"), options)
        return bool(is_present)

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
        """Fill the rest of a window after its content, if there is a structure to hold it."""
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
        """Set the field from which a now known size is computed, also through computed instances."""
        if node is None or size is None or known(node, draft) is not None:
            return
        try:
            solution = solve(node, size, draft)
        except (ArithmeticError, TypeError, ValueError):
            return
        owner: Any = draft
        for word in () if solution is None else solution[0][:-1]:
            owner = getattr(owner, word, None)
        if solution is None or not isinstance(owner, Draft):
            return
        name, program = solution[0][-1], owner._program
        for instance in program.instances:
            if instance.field.name == name and instance.value is not None:
                self._settle(instance.value, solution[1], owner)
                return
        if name not in owner.__dict__ and (program.name, name) in self.facts.late:
            owner.__dict__[name] = solution[1]

    # --- one value

    def _one(self, step: Step, draft: Draft, room: Room, checks: Sequence[Check]) -> Any:
        name = step.name
        match step:
            case ReadInteger():
                room.add(step.kind.bits // 8)
                return self._number(draft, name, step.kind.low, step.kind.high, step.enum, checks)
            case ReadVarint():
                value = self._number(draft, name, step.kind.low, step.kind.high, step.enum, checks)
                room.add(None if value is _LATE else varint_size(step, value))
                return value
            case ReadBit():
                room.bits += step.width
                value = self._number(draft, name, 0, (1 << step.width) - 1, step.enum, checks)
                return bool(value) if step.boolean and value is not _LATE else value
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
                value = self._content(step.steps, draft, inner)
                draft.__dict__["_io"] = outer
                self._fill(step, inner, value, room)
                if step.codec is None and step.process is None and step.trim is None:
                    self._settle(step.size, inner.used, draft)
                return value
            case ReadOpaque():
                raise Hopeless(f"{step.type_name} is somebody else's type")
        raise AssertionError(step)

    def _content(self, steps: Sequence[Step], draft: Draft, room: Room) -> Any:
        """The value of a case, or of the window around an element; its other steps align and check."""
        value: Any = None
        checks = [step for step in steps if isinstance(step, Check)]
        for step in steps:
            if isinstance(step, Align):
                room.align()
            elif not isinstance(step, Check | CheckEnd | Checksum):
                value = self._one(step, draft, room, checks)
        return value

    def _child(self, step: ReadType, draft: Draft, room: Room) -> Draft:
        arguments = {name: value for name, node in step.arguments if (value := known(node, draft)) is not None}
        parent = None if step.foreign or step.orphan else draft
        if step.parent is not None:
            value = known(step.parent, draft)
            parent = value if isinstance(value, Draft) else None
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
        elements: list[Any] = []
        values = draft.__dict__
        values[step.name] = elements
        if step.until is not None:
            wanted = self.chooser.pick(site, [1] if self._is_deep() else [1, 2, 3])
            for index in range(wanted):
                self._element(step, draft, room, index, index == wanted - 1)
            return elements
        count = None if step.count is None else known(step.count, draft)
        if step.count is None and room.left is not None:
            while room.left:
                if len(elements) >= MAX_ELEMENTS:
                    raise Hopeless("too many elements")
                before = room.bits
                self._element(step, draft, room, len(elements), None)
                if room.is_known and room.bits == before:
                    raise Hopeless("elements without end")
            return elements
        if count is None:
            count = self.chooser.pick(site, [0] if self._is_deep() else [0, 1, 2, 3])
        if count > MAX_ELEMENTS:
            raise Hopeless("a count that no file of a corpus has")
        for index in range(count):
            self._element(step, draft, room, index, None)
        return elements

    def _element(self, step: ReadList, draft: Draft, room: Room, index: int, is_last: bool | None) -> None:
        """Append an element; in a list with a condition, ``is_last``: whether the condition must end the list there."""
        values, elements = draft.__dict__, draft.__dict__[step.name]
        for attempt in range(_TRIES):
            values["_index"] = index
            before = room.bits, room.is_known
            if step.align:
                room.align()
            item = self._one(step.element, draft, room, step.checks)
            if item is _LATE:
                raise Hopeless("an element that nobody computes")
            elements.append(item)
            if is_last is None or step.until is None:
                return
            values["_"], values["_index"] = item, index
            is_true = known(step.until, draft)
            if is_true is None or bool(is_true) == is_last:
                return
            if attempt < _TRIES - 1:
                elements.pop()
                room.bits, room.is_known = before
        raise Hopeless("no element is as the list's condition asks")

    # --- numbers, bytes, text

    def _hinted(self, draft: Draft, name: str, kinds: Any) -> list[Any]:
        key = draft._program.name, name
        hints = self.facts.hints.get(key, {})
        loops = self.facts.loops.get(key, ()) if self._is_deep() else ()
        return [value for value in hints if isinstance(value, kinds) and value not in loops]

    def _number(self, draft: Draft, name: str, low: int, high: int, enum: Enum | None, checks: Sequence[Check]) -> Any:
        key = draft._program.name, name
        if key in self.facts.late and (self.sizes_follow or self.chooser.pick((*key, "late"), (True, False))):
            return _LATE
        field = next((field for field in draft._program.fields if field.name == name), None)
        if field is not None and field.derive is not None and self.chooser.pick((*key, "derived"), (True, False)):
            derived = known(field.derive, draft)
            if derived is not None:
                return int(derived)
        hints = [int(value) for value in self._hinted(draft, name, int)]
        drawn: int | None = None
        if key in self.facts.sizes:
            options = [*COUNTS, *(hint for hint in hints if hint <= MAX_BYTES)]
        elif enum is not None:
            options = [*enum.members, *others_than(enum, low, high), *hints]
        else:
            options = [0, 1, low, high, *hints]
            options.append(drawn := self._some(key, low, high))
        loops = self.facts.loops.get(key, ()) if self._is_deep() else ()
        options = [value for value in dict.fromkeys(options) if low <= value <= high]
        return self._among(draft, name, [value for value in options if value not in loops] or options, checks, drawn)

    def _some(self, key: tuple[str, str], low: int, high: int) -> int:
        noise = int(self.chooser.noise((*key, "number"), 8).hex(), 16)
        return low + noise % (high - low + 1)

    def _among(
        self, draft: Draft, name: str, options: Sequence[Any], checks: Sequence[Check], drawn: int | None = None
    ) -> Any:
        """One of the options that the rules allow, as far as they can be evaluated now. ``drawn``: the random one."""
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
        labels = ["some" if value == drawn and value not in (0, 1) else value for value in options]
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
        candidates = allowed if allowed is not None else self._hinted(draft, step.name, str if step.encoding else bytes)
        options: dict[Any, Any] = {value: value for value in candidates if self._fits(step, value, size, is_exact)}
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
        content = self.chooser.pick(site, list(options), list(options.values()))
        length = len(encoded(step, content) or b"")
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
        return content

    def _made(self, step: ReadBytes, length: int, site: tuple[str, ...]) -> list[Any]:
        """Possible contents of a length."""
        end = step.trim.terminator if step.trim is not None and step.trim.include else None
        if step.encoding is None:
            data = self.chooser.noise(site, length)
            for unwanted in {*((step.trim.terminator or b"")[:1] if step.trim else b""), *_pad(step)}:
                data = data.replace(bytes([unwanted]), b"\x55" if unwanted != 0x55 else b"\x66")
            if end is not None:
                data = data[: max(0, length - len(end))] + end
            return [data]
        texts = []
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
            texts.append(text)
        return texts

    def _fits(self, step: ReadBytes, value: Any, size: int | None, is_exact: bool) -> bool:
        """Whether a value can be the content of this field."""
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
    """The value of an expression so far; None if unknown."""
    try:
        return drafted(node, draft)
    except (LookupError, TypeError, ValueError, ArithmeticError):
        return None


def holds(check: Check, value: Any, draft: Draft) -> bool:
    """Whether a rule allows a value; True if it cannot be evaluated yet."""
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
    """The values that a rule compares its field with, as far as they are known, and the numbers next to them."""
    if rule.op in ("==", "!=", "<", "<=", ">", ">="):
        for side, other in (rule.arguments, rule.arguments[::-1]):
            if side.op == "local" or (side.op == "name" and side.value == (name,)):
                value = known(other, draft)
                if isinstance(value, int) and not isinstance(value, bool):
                    yield from (value, value + 1, value - 1)
                elif value is not None:
                    yield value
    for argument in rule.arguments:
        yield from sides(argument, name, draft)


def others_than(enum: Enum, low: int, high: int) -> list[int]:
    """Numbers without a name in an enum: the least non-negative one, and the largest."""
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
        data: bytes = value.encode(step.encoding)
        return data if data.decode(step.encoding) == value else None
    except (UnicodeError, LookupError):
        return None


def plain(draft: Draft) -> dict[str, Any]:
    """The choices, as input for a builder."""
    program = draft._program
    names = [bit.name for bit in program.bits] or [field.name for field in program.fields]
    names += [instance.field.name for instance in program.instances if instance.value is None]
    return {name: _plain(draft.__dict__[name]) for name in (*names, REST) if name in draft.__dict__}


def _plain(value: Any) -> Any:
    if isinstance(value, Draft):
        return plain(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def agrees(expected: Any, read: Any) -> bool:
    """Whether a parsed value is as ``expected``; fields that were not given to the builder may be anything."""
    if isinstance(expected, dict):
        return isinstance(read, Value) and all(
            agrees(value, getattr(read, name, None)) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(read, list) and len(expected) == len(read) and all(map(agrees, expected, read))
    if isinstance(expected, float) and isinstance(read, float):
        return (
            expected == read
            or (expected != expected and read != read)
            or not math.isfinite(read - expected)
            or (abs(read - expected) <= abs(expected) * 1e-6)
        )
    return bool(expected == read)
