"""What a builder works on: structures that are still incomplete, their streams, and equations over their fields.

A `Draft` is one structure while it is built. It is the scope of its expressions: fields, parameters, instances,
``_parent``, ``_root`` and ``_io`` are its attributes, and one that is not known yet raises AttributeError.
"""

from __future__ import annotations

import functools
import sys
from bisect import bisect_left
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from kformat.codec.reader import Reader
from kformat.codec.values import MISSING, REST, Kept, Value
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError, Expression, compile_expression
from kformat.language.program import Instance, TypeProgram
from kformat.language.steps import nodes_of
from kformat.language.types import ListOf, Stream, Text

Path: TypeAlias = tuple[Any, ...]
"""``(outer path, name or index)``, or ``(label,)``: written as text only for an error."""


def shown(path: Path) -> str:
    """A path as text: ``record_batch.records[3].key``."""
    parts: list[Any] = []
    while len(path) == 2:
        parts.append(path[1])
        path = path[0]
    text: str = path[0]
    for part in reversed(parts):
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text


def once_per_object(most: int = 20_000) -> Callable[[Callable[[T], U]], Callable[[T], U]]:
    """A decorator of functions that are called once for each object, by its identity: of parts of a declaration, whose
    hashes are slow. So many objects are kept alive with their results.
    """

    def decorate(function: Callable[[T], U]) -> Callable[[T], U]:
        known: dict[int, tuple[T, U]] = {}

        @functools.wraps(function)
        def found(item: T) -> U:
            cached = known.get(id(item))
            if cached is None:
                if len(known) >= most:
                    known.clear()
                cached = known[id(item)] = item, function(item)
            return cached[1]

        return found

    return decorate


T = TypeVar("T")
U = TypeVar("U")


class NotYet(EvaluationError):
    """A stream was asked how long it is, which is not known before all of it is written once: ``stream``."""

    def __init__(self, stream: StreamOutput) -> None:
        super().__init__("_io.size: the size of the stream is not known yet")
        self.stream = stream


class Answers:
    """The answers of streams in one pass, and values that follow from them: they depend on when a reader asks.

    ``count``: how many were given. ``outermost``: the depth of the outermost stream among those asked. ``are_kept``:
    value instances are kept from their first use on, as a reader keeps them.
    """

    def __init__(self) -> None:
        self.count = 0
        self.outermost = sys.maxsize
        self.are_kept = False

    def add(self, depth: int) -> None:
        """Count an answer of a stream of that depth."""
        self.count += 1
        self.outermost = min(self.outermost, depth)


_NOTHING: Final[frozenset[str]] = frozenset()


class Draft:
    """One structure while it is built; ``_little`` is its byte order, if that is known only here."""

    _little: bool | None
    _written: bool
    _answers: Answers | None = None
    _said: dict[str, tuple[Any, int]]

    def __init__(self, program: TypeProgram, parent: Draft | None, root: Draft | None) -> None:
        self._program, self._parent, self._root = program, parent, self if root is None else root
        self._measured: set[str] = set()
        """Lengths and counts computed from given values."""
        self._kept: dict[Kept, tuple[Any, Any]] = {}
        self._rest: bytes | None = None
        """The undeclared bytes after the value in its stream, if it says them."""
        self._original: Value | None = None
        """The value at this place in the bytes that are written over."""
        self._read_size: int | None = None
        """The size of the stream that the value was read from."""
        self._arguments: dict[str, tuple[Expression, Draft]] = {}
        self._little = None
        self._written = False
        self._said = {}
        """The value instances that depend on when they were first asked for, and the depth of the stream asked."""
        self._absent = _NOTHING
        """The fields that are not given."""
        self._ahead: dict[str, Any] = {}
        """The content of instances whose position is where the stream stands when they are first asked for."""
        self._places: dict[str, int] = {}
        """Where it stood: at first as the value that was read has it, then as in this pass."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            if name in self._ahead:
                return self._looked_ahead(name)
            for instance in self._program.instances:
                if instance.field.name == name and instance.value is not None:
                    return self._computed(instance)
        raise AttributeError(f"{name} is not known", name=name, obj=self)

    def _looked_ahead(self, name: str) -> Any:
        """The content of an instance that is asked for while all is written; its position is noted."""
        answers = self._answers
        if answers is not None and answers.are_kept and name not in self._said:
            instance = next(candidate for candidate in self._program.instances if candidate.field.name == name)
            assert instance.position is not None
            try:
                self._places[name] = evaluator(instance.position)(self)
                self._said[name] = self._ahead[name], 0
            except (AttributeError, EvaluationError):
                pass  # it is asked for before its stream is there
        return self._ahead[name]

    def _computed(self, instance: Instance) -> Any:
        name, answers = instance.field.name, self._answers
        if name in self._said:
            value, depth = self._said[name]
            if answers is not None:
                answers.add(depth)
            return value
        if answers is None:
            return _value_of(instance, self)[0]
        count, outermost, answers.outermost = answers.count, answers.outermost, sys.maxsize
        try:
            value, is_there = _value_of(instance, self)
            if is_there and answers.are_kept:
                if answers.count == count and asks_list(instance):  # which may grow
                    answers.add(0)
                if answers.count > count:
                    self._said[name] = value, answers.outermost
        finally:
            answers.outermost = min(outermost, answers.outermost)
        return value


def _value_of(instance: Instance, draft: Draft) -> tuple[Any, bool]:
    """The value of an instance, and whether it is there."""
    if instance.condition is not None and not evaluator(instance.condition)(draft):
        return None, False
    assert instance.value is not None
    return evaluator(instance.value)(draft), True


@once_per_object()
def asks_list(instance: Instance) -> bool:
    """Whether an instance is computed from a list."""
    return any(isinstance(node.type, ListOf) for node in nodes_of((instance.condition, instance.value)))


@once_per_object()
def evaluator(node: Expression) -> Callable[[Any], Any]:
    """`compile_expression`, once per node."""
    run = compile_expression(node)
    return run if node.op in ("name", "constant") else _typed(node, run)


def _typed(node: Expression, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of an expression, with an EvaluationError for an operand that is null."""

    def evaluate(scope: Any) -> Any:
        try:
            return run(scope)
        except TypeError as error:
            raise EvaluationError(f"{node}: {error}") from None

    return evaluate


@once_per_object()
def asks_stream(node: Expression) -> bool:
    """Whether an expression itself asks a stream; `asks_moment` looks into instances, too."""
    return (node.op == "name" and "_io" in node.value) or any(map(asks_stream, node.arguments))


def asks_moment(node: Expression, draft: Draft, depth: int = 16) -> bool:
    """Whether an expression asks a stream, also through value instances and parameters."""
    key = id(node), id(draft._program)
    known = _MOMENTS.get(key)
    if known is None:
        if len(_MOMENTS) > 20_000:
            _MOMENTS.clear()
        computed = {item.field.name for item in draft._program.instances if item.value is not None}
        computed.update(draft._program.parameters)
        asks = True if asks_stream(node) else None
        if asks is None and all(len(path) == 1 and path[0] not in computed for path in node.names()):
            asks = False
        known = _MOMENTS[key] = node, draft._program, asks
    if known[2] is not None:
        return known[2]
    owner: Any = draft
    for word in node.value if node.op == "name" else ():
        if not isinstance(owner, Draft):
            break
        parameter = owner._arguments.get(word)
        if parameter is not None and depth and asks_moment(parameter[0], parameter[1], depth - 1):
            return True
        for instance in owner._program.instances:
            if instance.field.name == word and instance.value is not None and depth:
                parts = [instance.value, *([] if instance.condition is None else [instance.condition])]
                if any(asks_moment(part, owner, depth - 1) for part in parts):
                    return True
        owner = getattr(owner, word) if word in ("_parent", "_root") else owner.__dict__.get(word)
    return any(asks_moment(argument, draft, depth) for argument in node.arguments)


_MOMENTS: Final[dict[tuple[int, int], tuple[Expression, TypeProgram, bool | None]]] = {}
"""By expression and type whether it asks a stream; None where that depends on the draft."""


def asks_position(node: Expression) -> bool:
    """Whether an expression depends on where its stream stands."""
    if node.op == "method" and node.value == "pos" and isinstance(node.arguments[0].type, Stream):
        return True
    return node.value == ("_io", "pos") or any(map(asks_position, node.arguments))


def taken(node: Expression, draft: Draft) -> Expression:
    """The branch of a conditional that is taken, if that is known: one may ask the stream, and the other not."""
    while node.op == "if" and not asks_stream(node.arguments[0]):
        condition = known(node.arguments[0], draft)
        if condition is None:
            break
        node = node.arguments[1 if condition else 2]
    return node


def known(node: Expression, draft: Draft) -> Any:
    """The present value of an expression; None if it is not known."""
    try:
        return evaluator(node)(draft)
    except (AttributeError, EvaluationError):
        return None


def _digits(node: Expression, wanted: Any, draft: Draft) -> str | None:
    """The text with which ``text.to_i(radix)`` gives ``wanted``."""
    radix = node.arguments[1].value if len(node.arguments) == 2 else 10
    if type(wanted) is not int or wanted < 0 or radix not in _DIGITS:
        return None
    before = known(node.arguments[0], draft)
    if not isinstance(before, str):
        return format(wanted, _DIGITS[radix])
    if known(node, draft) == wanted:
        return before
    return format(wanted, _DIGITS[radix]).zfill(len(before) if before.startswith("0") else 0)


_DIGITS: Final = {2: "b", 8: "o", 10: "d", 16: "x"}


def solve(node: Expression, wanted: Any, draft: Draft) -> tuple[tuple[str, ...], Any] | None:
    """The one name in an expression, and the value with which the expression gives ``wanted``; None if there is none.

    Through ``+ - * <<`` with constants (or with what the draft has, if the other side is not known), casts, an enum's
    integer, the side of a choice that is taken, and digits: those that the draft has, where they are right, or as many.
    Of a division and a shift to the right, which have several solutions, it is the smallest that is not negative.
    """
    while node.op != "name":
        if node.op == "if":
            condition, *branches = node.arguments
            chosen = known(condition, draft)
            if chosen is None:
                return _chosen(condition, branches, wanted, draft)
            node = branches[not chosen]
            continue
        if node.op == "method" and node.value == "to_i" and isinstance(node.arguments[0].type, Text):
            wanted = _digits(node, wanted, draft)
            node = node.arguments[0]
            continue
        if node.op == "cast" or (node.op == "method" and node.value == "to_i" and len(node.arguments) == 1):
            node = node.arguments[0]
            continue
        if len(node.arguments) != 2 or type(wanted) is not int:
            return None
        left, right = node.arguments
        of_left = right.is_constant  # the side that is solved for
        if not of_left and not left.is_constant:
            sides = known(left, draft), known(right, draft)
            of_left, other = sides[0] is None, sides[1] if sides[0] is None else sides[0]
            if None not in sides:
                return None
        else:
            other = right.value if of_left else left.value
        if type(other) is not int:
            return None
        match node.op:
            case "+":
                wanted -= other
            case "-":
                wanted = wanted + other if of_left else other - wanted
            case "*" if other and wanted % other == 0:
                wanted //= other
            case "/" if of_left and other > 0:  # several numbers give it: the smallest
                wanted *= other
            case ">>" if of_left and 0 <= other < 64:
                wanted <<= other
            case "<<" if of_left and 0 <= other < 64 and not wanted & ((1 << other) - 1):
                wanted >>= other
            case "<<" if not of_left and 0 < other <= wanted and wanted == other << (wanted // other).bit_length() - 1:
                wanted = (wanted // other).bit_length() - 1
            case _:
                return None
        node = left if of_left else right
    return node.value, wanted


def _chosen(
    condition: Expression, branches: list[Expression], wanted: Any, draft: Draft
) -> tuple[tuple[str, ...], Any] | None:
    """The solution of a choice whose condition follows from it, as of ``n == 255 ? long_n : n``."""
    for branch, needed in zip(branches, (True, False), strict=True):
        solution = solve(branch, wanted, draft)
        if solution is None or len(solution[0]) != 1 or (solution[0][0],) not in condition.names():
            continue
        name, value = solution[0][0], solution[1]
        before = draft.__dict__.get(name, MISSING)
        draft.__dict__[name] = value
        is_right = known(condition, draft) == needed
        del draft.__dict__[name]
        if before is not MISSING:
            draft.__dict__[name] = before
        if is_right:
            return solution
    return None


class Undeclared(NamedTuple):
    """The bytes of a stream that nothing declares."""

    gaps: tuple[tuple[int, bytes], ...] = ()
    """Those with declared bytes after them, and where they stand."""
    tail: bytes = b""
    """Those at the end."""
    is_after_sequence: bool = False
    """Whether no instance is before those at the end."""


def undeclared(value: Value) -> Undeclared:
    """The bytes of a structure's stream that neither it nor its instances, as far as they were read, have."""
    rest: bytes = getattr(value, REST, b"")
    if not rest:
        return Undeclared()
    stream: Reader = value._io  # type: ignore[attr-defined]
    gaps, start = [], stream.limit - len(rest)
    for first, end in sorted(stream.covered or ()):
        if first > start:
            gaps.append((start - stream.base, bytes(stream.data[start:first])))
        start = max(start, end)
    return Undeclared(tuple(gaps), bytes(stream.data[start : stream.limit]), start == stream.limit - len(rest))


MAX_GAP: Final = 1 << 28
"""Most zeros that a builder writes in one place: between others, or as padding."""


class StreamOutput:
    """The bytes of one stream while it is written; as ``_io`` it knows where it stands.

    Bits mirror `Reader`: the free bits of the last byte are ``left`` many, from bit ``low`` up.
    """

    def __init__(self, size: int | None = None, answers: Answers | None = None, depth: int = 0) -> None:
        self.data, self._size = bytearray(), size
        self.answers, self.depth = answers, depth
        self.low = self.left = 0
        self.start = 0
        self.owner = self
        """The stream of which these bytes are a part."""
        self.is_done = False
        self.length: int | None = None
        """How long it has to be, whatever is in it."""
        self.key: Any = None
        """Which window of which draft it is: the same in each pass."""
        self.instances: list[tuple[Draft, Instance, Path]] = []
        self.undeclared = Undeclared()
        self.sequence_end = 0
        self.covered: list[tuple[int, int]] = []
        """What has been written, in order; parts that touch are one."""
        self.to_the_end: list[tuple[int, Path]] = []
        """Where fields end that a reader takes up to the end."""

    @property
    def at(self) -> int:
        """The position, for the builder itself: it is not counted as an answer."""
        return self.start + len(self.data)

    def _asked(self) -> None:
        if self.answers is not None:
            self.answers.add(self.depth)

    @property
    def pos(self) -> int:
        self._asked()
        return self.at

    @property
    def size(self) -> int:
        self._asked()
        if self._size is None:
            raise NotYet(self.owner)
        return self._size

    @property
    def room(self) -> int | None:
        """Bytes up to the end; None if that is not known yet."""
        return None if self._size is None else self._size - self.at

    @property
    def eof(self) -> bool:
        return self.pos >= self.size and not self.left

    def mark(self) -> tuple[Any, ...]:
        """Where `back_to` goes back to."""
        sizes = len(self.instances), len(self.to_the_end)
        return len(self.data), self.data[-1:], self.left, self.low, self.undeclared, *sizes

    def back_to(self, mark: tuple[Any, ...]) -> None:
        """Undo what was written since the mark: the case that was tried is not the right one."""
        size, last, self.left, self.low, self.undeclared, instances, ends = mark
        del self.data[size:], self.instances[instances:], self.to_the_end[ends:]
        self.data[size - len(last) :] = last

    def align(self, kept: tuple[int, int] | None = None) -> None:
        """Go to the next whole byte: its free bits are 0, or, if they are as many, those that a reader kept."""
        if self.left and kept is not None and kept[0] == self.left:
            self.data[-1] |= kept[1] << self.low
        self.left = 0

    def bits(self, value: int, width: int, little_endian: bool) -> None:
        needed = width - self.left
        if needed <= 0:
            at = self.low if little_endian else self.low + self.left - width
            self.data[-1] |= value << at
            self.low += width if little_endian else 0
            self.left -= width
            return
        filled, rest = (value, value >> self.left) if little_endian else (value >> needed, value)
        rest &= (1 << needed) - 1
        if self.left:
            self.data[-1] |= (filled & ((1 << self.left) - 1)) << self.low
        self.left = -needed % 8
        count = (needed + 7) // 8
        if little_endian:
            self.data += rest.to_bytes(count, "little")
            self.low = 8 - self.left
        else:
            self.data += (rest << self.left).to_bytes(count, "big")
            self.low = 0

    def ends(self, path: Path) -> None:
        """Note that the field written last goes to the end of the stream."""
        self.owner.to_the_end.append((self.at, path))

    def place(self, position: int, data: bytes, path: Path) -> None:
        """Write at a position: bytes written before must agree, gaps are filled with zeros."""
        if not data:
            return
        end = position + len(data)
        if end - len(self.data) > MAX_GAP + len(data):
            raise BuildError("stands too far from other bytes", path=shown(path), expected=f"at most {MAX_GAP}")
        self.data += bytes(max(0, end - len(self.data)))
        first = bisect_left(self.covered, position, key=itemgetter(1))
        last = first
        while last < len(self.covered) and self.covered[last][0] <= end:
            start, stop = self.covered[last]
            low, high = max(start, position), min(stop, end)
            if low < high and self.data[low:high] != data[low - position : high - position]:
                words = "overlaps other bytes, and differs from them; without its position, it is put after all else"
                raise BuildError(words, path=shown(path), found=f"at {low}")
            last += 1
        self.data[position:end] = data
        joined = self.covered[first:last]
        low, high = min([position, *(start for start, _ in joined)]), max([end, *(stop for _, stop in joined)])
        self.covered[first:last] = [(low, high)]

    def fill(self) -> None:
        """Write the undeclared bytes, as far as nothing else is there: gaps at their positions; the tail after the
        sequence, or after all else, as in the original. In a stream that keeps its length the tail is at its position,
        too.
        """
        gaps, tail, is_after_sequence = self.undeclared
        if tail and (self.length is not None or is_after_sequence):
            start = self.sequence_end if self.length is None else self.length - len(tail)
            gaps, tail = (*gaps, (start, tail)), b""
        for start, data in gaps:
            at, end = start, start + len(data)
            self.data += bytes(max(0, end - len(self.data)))
            index = bisect_left(self.covered, start, key=itemgetter(1))
            while index < len(self.covered) and at < end:
                first, stop = self.covered[index]
                if at < min(first, end):
                    self.data[at : min(first, end)] = data[at - start : min(first, end) - start]
                at = max(at, stop)
                index += 1
            if at < end:
                self.data[at:end] = data[at - start :]
        self.data += tail
