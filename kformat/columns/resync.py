"""Rows after damage from which no length leads on: reading goes on where the next whole rows begin.

Only rows that begin with the same bytes (``contents``, or a number with one valid value) are looked for, in one list of
a file that is in memory; and rows of types with ``-sync``, at every byte.

Rules:

* A *chain* is rows that are sound, checksums included, each directly after the one before it, or after a broken row
  that is bridged: its checksum is right if its length were that up to a sound row; or its own length leads to one.
* A chain is the list's if it is *anchored*: the rows before the damage, or a broken row that is bridged, lead to its
  first row; or it goes on to the end of the list, of the file, or to a sound structure that comes after the list; or it
  is longer than any row may be. If rows have checksums, it need only be longer than the largest row that was read,
  beyond where a broken row before it ends by its length. Where only the length of a broken row leads to it, it has to
  go on to the end, or to be longer than the rows around, or to end where another row begins: that length may be wrong.
* A broken row ends not where sound rows lead from inside of it across that place, nor, if its checksum is its last
  field, where many lead to that place; nor by a length that the declaration refuses. Of one that ends after all bytes
  by its length, and is not far larger than the others, all that follows may be a part: there the end anchors nothing.
* Any other chain may be what a row holds that is broken itself: it is *unplaced*, reported and not read.
* Bytes are looked at again only so often as there are bytes (`_EFFORT`). Where that is used up, the next `_SKIPPED`
  are passed over, and the search goes on with what they would have been allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from kformat.codec.leftover import reads_elsewhere
from kformat.codec.parser.rows import extent_of
from kformat.codec.parsing import parser_of
from kformat.codec.reader import Reader
from kformat.codec.values import Value
from kformat.columns.skipped import Missing, UnplacedRows
from kformat.errors import DataError, InvalidError, KformatError, TruncatedError
from kformat.language.expression import FAILURES, EvaluationError, compile_expression
from kformat.language.layout import layout
from kformat.language.program import (
    Align,
    Check,
    Checksum,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.steps import end_position, reached
from kformat.storage.algorithms import ENOUGH_BITS, algorithm_of

_EFFORT: Final = 8
"""How many bytes may be looked at in vain for each byte, on top of a fixed number."""
_LEAST_EFFORT: Final = 1 << 20
_EFFORT_OF_SMALL, _MOST_OF_SMALL = 1 << 11, 1 << 26
"""How many bytes more for each byte of a file, and at most: in a small one nearly all places are tried."""
_SKIPPED: Final = 1 << 12
_COST: Final = 64
_STEP: Final = 16
"""How many bytes a look counts as at least; and for each step of a row's type."""
_TIMES: Final = 2
_LEAST_LARGEST: Final = 1 << 7
"""A chain in a value has at most so many times the bytes of the largest row; rows have at least so many."""
_NEAR: Final = 1 << 20
_LARGE: Final = 1 << 20
"""A chain of more bytes is no part of a row, whose type does not say how large it is."""
_MOST_KNOWN: Final = 1 << 18
"""At how many places it is remembered whether a row begins there."""
_MOST_BROKEN: Final = 3
"""How many broken rows after each other may be bridged by their lengths."""
_EVIDENCE: Final = 8
"""How many bytes at the beginnings of rows have to be right, where rows of one size have no checksum."""
_ENOUGH_RIGHT: Final = 3
"""How many bytes, where other rows should begin, tell that rows are still in step."""
_FAR: Final = 16
"""Where rows may begin at every byte, none is tried that has so many times the bytes of the largest one."""
_MOST_ENDS: Final = 16
_MOST_BYTES: Final = 1 << 12
"""How many places are tried where a broken row may end; of rows that may begin at every byte."""


class FoundRow(NamedTuple):
    """A row, and its bytes."""

    value: Value
    position: int
    end_position: int


class LostBytes(NamedTuple):
    """Bytes in which no row is read, and why; ``rows`` and ``unplaced`` as in `columns.skipped.Skipped`."""

    position: int
    end_position: int
    problem: DataError
    unplaced: tuple[UnplacedRows, ...] = ()
    rows: Missing = "some"


class RowsFrom(NamedTuple):
    """Rows lead to a position; some there may be read at once: then where these end is sent."""

    position: int


Sound = Callable[[int, int], tuple[int, int]]
"""The number of sound rows from a position on, up to another, as far as a kernel says, and where they end."""
Pieces = Generator[FoundRow | LostBytes | RowsFrom, int | None, int]


class _Spent(Exception):
    """Too many bytes were looked at again."""


def why_not(step: ReadList | None) -> str | None:
    """Why rows of a list are not looked for after damage; None if they are."""
    row = None if step is None else row_of(step)
    if step is None or row is None or row[0].arguments or step.align or step.checks:
        return "the rows are in parts of any size, have arguments or rules of the list, or are in no one list"
    if step.element.condition is not None:
        return "the rows have conditions"
    if step.until is not None and end_position(step) is None:
        return "the rows say where the list ends"
    program = row[0].type
    if any(inner.byte_order is not None for inner in reached(program)):
        return "the value says the byte order"
    if sync_of(program):
        return None
    if not program.sync:
        return "no row begins with bytes that are always the same"
    return None if is_verified(program) else "the rows have no checksum of 16 bits or more"


def row_of(step: ReadList) -> tuple[ReadType, int | None] | None:
    """The step of a row of a list, and the bytes of the part that each of them is in, if they are in parts of one size;
    None for other lists.
    """
    element = step.element
    if isinstance(element, ReadType):
        return element, None
    if not isinstance(element, Window) or element.size is None or not element.size.is_constant:
        return None
    is_plain = element.codec is None and element.process is None and element.trim is None and len(element.steps) == 1
    content = element.steps[0]
    return (content, int(element.size.value)) if is_plain and isinstance(content, ReadType) else None


@lru_cache(maxsize=256)
def sync_of(program: TypeProgram) -> bytes:
    """The bytes with which all values of a type begin; none if there are no such bytes."""
    for number, step in enumerate(program.steps):
        if isinstance(step, ReadLiteral) and step.condition is None:
            return step.contents
        if isinstance(step, ReadInteger) and step.condition is None and not step.by_type:
            return _only_valid(program, step, program.steps[number + 1 : number + 2])
        if isinstance(step, ReadType) and step.condition is None and not step.type.is_recursive:
            return sync_of(step.type)
        if not isinstance(step, Checksum):
            return b""
    return b""


def _only_valid(program: TypeProgram, step: ReadInteger, following: Sequence[Step]) -> bytes:
    """The bytes of a number with one valid value, which the next step checks; none if it may have others."""
    rule = following[0].rule if following and isinstance(following[0], Check) else None
    if rule is None or rule.op != "==" or following[0].name != step.name:
        return b""
    known, value = rule.arguments
    if known.op != "name" or known.value != (step.name,) or not value.is_constant:
        return b""
    number = int(value.value)
    if not step.kind.low <= number <= step.kind.high:
        return b""
    made = bytearray(step.kind.bits // 8)
    layout(program).writer(step.name)(made, 0, number)
    return bytes(made)


def is_verified(program: TypeProgram) -> bool:
    """Whether rows have a checksum that other bytes than theirs hardly have."""
    return any(
        isinstance(step, Checksum) and algorithm_of(step.algorithm).bits >= ENOUGH_BITS for step in program.steps
    )


@lru_cache(maxsize=256)
def _is_sealed(program: TypeProgram) -> bool:
    """Whether the last field of a type holds its checksum."""
    sums = {step.name for step in program.steps if isinstance(step, Checksum)}
    fields = [step for step in program.steps if not isinstance(step, Align | Check | Checksum)]
    return bool(fields) and fields[-1].name in sums


@lru_cache(maxsize=256)
def _length_of(program: TypeProgram) -> tuple[ReadInteger, int] | None:
    """The field that says how long a row is, and how many bytes more it has; None if no one field says so, or if a
    checksum does not tell whether it is right.
    """
    sizes = layout(program).extent
    names = {path for size in sizes or () for path in size.names()}
    if sizes is None or len(names) != 1 or not is_verified(program):
        return None
    ((name, *others),) = names
    field = next((step for step in program.steps if step.name == name), None)
    if others or not isinstance(field, ReadInteger):
        return None
    try:
        layout(program).position(name)
        totals = [
            sum(compile_expression(size)(SimpleNamespace(**{name: number})) for size in sizes) for number in (0, 1, 100)
        ]
    except (KformatError, EvaluationError, *FAILURES):
        return None
    is_plain = totals[1] - totals[0] == 1 and totals[2] - totals[0] == 100
    return (field, totals[0]) if is_plain else None


@lru_cache(maxsize=256)
def _names_of_length(program: TypeProgram) -> frozenset[str]:
    """The fields that say how long a row is."""
    return frozenset(".".join(path) for size in layout(program).extent or () for path in size.names())


def _size_by(program: TypeProgram, field: ReadInteger, more: int, data: bytes) -> Callable[[int], int | None]:
    """A function for the size of the row at a position by its length; None if the bytes end before that."""
    known = layout(program)
    read, last = known.reader(field.name), len(data) - known.position(field.name) - field.kind.bits // 8

    def size(at: int) -> int | None:
        return None if at > last else max(0, int(read(data, at))) + more

    return size


def _after(holder: TypeProgram, step: ReadList) -> Step | None:
    """What comes after a list; None if nothing does, or not always."""
    steps = [item for item in holder.steps if not isinstance(item, Align | Check | Checksum)]
    index = next((index for index, item in enumerate(steps) if item == step), len(steps))
    following = steps[index + 1] if index + 1 < len(steps) else None
    return following if following is not None and following.condition is None else None


def _most_bytes(program: TypeProgram, length: tuple[ReadInteger, int] | None, size: int | None) -> int:
    """How many bytes a row has at most, as far as its type says so, or its ``size``."""
    if size is not None:
        sync = sync_of(program)  # a chain of more bytes begins with sync words that no chance makes
        return size if is_verified(program) or not sync else size * max(1, -(-_EVIDENCE // len(sync)) - 1)
    if length is None:
        return _LARGE
    field, more = length
    return min(field.kind.high + more, _LARGE)


class Resync:
    """Looks for rows of one list after damage.

    Attributes:
        data: the whole file. end: where the list ends, as far as it is known. is_done: whether its end was reached.
        is_verified: whether rows have a checksum of 16 bits at least. is_in_step: they have none, but one size.
        largest: the bytes of the largest row that was read.
    """

    def __init__(
        self,
        data: bytes,
        holder_type: TypeProgram,
        step: ReadList,
        end: int | None,
        around: tuple[Any, Any],
        reading: Mapping[str, Any],
        source: str,
        sound: Sound | None = None,
    ) -> None:
        """``holder_type``: that of the structure that has the list; ``end``: None if it is not known where it ends;
        ``around``: that structure, and the root; ``reading``: arguments of `codec.reader.Reader`; ``sound``: None if
        rows are read one by one.
        """
        row = row_of(step)
        assert row is not None
        self.data, self.end, self._around = data, len(data) if end is None else end, around
        self.is_done = False
        self._program, self._width = row[0].type, row[1]
        self._rest_may_be_read = reads_elsewhere(self._program)
        """Whether bytes that are left over in a part may be read by an instance."""
        self.is_verified = is_verified(self._program)
        one_size = layout(self._program).one_size if self._width is None else self._width
        self.is_in_step = not self.is_verified and one_size is not None
        self._next = _after(holder_type, step)
        is_last = step.until is None and (step.count is None or self._next is None)
        self._is_end_known = end is not None or is_last
        self._following = b""
        """With what the structure after the list begins."""
        if isinstance(self._next, ReadLiteral):
            self._following = self._next.contents
        elif isinstance(self._next, ReadType):
            self._following = sync_of(self._next.type)
        self._sync, self._length = sync_of(self._program), _length_of(self._program) if self._width is None else None
        self._most_ends = _MOST_ENDS if self._sync else _MOST_BYTES
        self._extent = extent_of(step.element)
        self._size_of = None if self._length is None else _size_by(self._program, *self._length, data)
        self._asked = _names_of_length(self._program)
        self._is_sealed = _is_sealed(self._program)
        """Whether a row's last field is its checksum: then no row in a payload ends where the row does."""
        self._reading, self._source = reading, source
        self._keeps_rest = reading.get("trailing") == "keep"
        self._ends: dict[int, int] = {}
        self._chains: dict[int, tuple[int, int]] = {}
        """Where the sound row at a position ends (0: there is none); the rows of a chain, and where it ends."""
        self.largest = 0
        self._most_bytes = _most_bytes(self._program, self._length, one_size)
        self._look = max(_COST, _STEP * self._program.steps_count)
        """How many bytes a look counts as at least."""
        self._left = _EFFORT * len(data) + _LEAST_EFFORT + min(_EFFORT_OF_SMALL * len(data), _MOST_OF_SMALL)
        self._sound = sound

    def leads_on(self, start: int, end: int) -> bool:
        """Whether the length of a broken row, by which it ends at a position, may be believed: rows of one size are in
        step where some of the next ones begin as they do.
        """
        if self.is_in_step:
            size, count = end - start, _MOST_BROKEN + -(-_EVIDENCE // len(self._sync))
            places = [at for at in range(end, end + count * size, size) if at <= min(self.end, len(self.data))]
            right = [
                at for at in places if at == len(self.data) or self._is_end(at) or self.data.startswith(self._sync, at)
            ]
            return len(right) == len(places) or len(right) * len(self._sync) >= _ENOUGH_RIGHT
        try:
            following = self._true_end(start)
            return following == end if following is not None else self._by_length(start) is not None
        except _Spent:
            return False

    def after(self, start: int) -> Generator[FoundRow | LostBytes | RowsFrom, int | None, None]:
        """The rows from a position on, to which the rows before it lead, and the bytes between them, in order."""
        at, sent = start, None
        pieces = self._from(start)
        try:
            while True:
                piece = pieces.send(sent)
                sent = yield piece
                at = piece.end_position if not isinstance(piece, RowsFrom) else sent or at
        except StopIteration:
            pass
        if not self.is_done and at < self.end:
            yield self._lost(at, self.end)

    def _lost(
        self, at: int, end: int, problem: DataError | None = None, unplaced: tuple[UnplacedRows, ...] = ()
    ) -> LostBytes:
        missing: Missing = "some" if end < self.end else "list" if end < len(self.data) else "file"
        return LostBytes(at, end, problem or self._problem(at), unplaced, missing)

    def _from(self, start: int) -> Pieces:
        """The anchored rows from a position on, to which rows lead; and what is lost, and unplaced, between them."""
        at = yield from self._rows(start)
        while not self.is_done:
            problem, unplaced = self._problem(at), list[UnplacedRows]()
            chain = self._next_chain(at, problem, unplaced)
            ends = [self.end, at, *(rows.end_position for rows in unplaced)]
            yield self._lost(at, max(ends) if chain is None else chain, problem, tuple(unplaced))
            self.is_done = chain is None
            if chain is not None:
                at = yield from self._rows(chain)
        return at

    def _next_chain(self, at: int, problem: DataError, unplaced: list[UnplacedRows]) -> int | None:
        """Where the next anchored chain begins, after a position to which rows lead and at which no sound row is; None
        if there is none. Chains that are not anchored are added to ``unplaced``.
        """
        start, searched = at + 1, at
        claimed, is_torn = at, False
        try:
            claimed, is_torn = self._claim(at, problem)
        except _Spent:
            pass
        while True:
            candidate = start
            try:
                for candidate in self._candidates(start):
                    is_inside = candidate < searched and not self.is_in_step  # else that row may be one by chance
                    if is_inside or self._sound_end(candidate) is None:
                        continue
                    enough, begin = self._most_bytes, candidate
                    if self.is_verified:
                        enough, begin = max(self.largest, _LEAST_LARGEST), max(claimed, candidate)
                        first = self._ends[candidate]
                        if first - candidate > _TIMES * enough:  # maybe by chance: the rows after it have to tell
                            begin = max(begin, first)
                    count, searched = self._chain(candidate, begin - candidate + enough)
                    is_at_the_end = self._is_end(searched) and not (is_torn and self.is_verified)
                    if is_at_the_end or searched - begin > enough:
                        self._left += _EFFORT * (candidate - at)
                        return candidate
                    if not self.is_in_step:
                        unplaced.append(UnplacedRows(candidate, searched, count))
                return None
            except _Spent:
                start, self._left = candidate + _SKIPPED, _EFFORT * _SKIPPED

    def _claim(self, at: int, problem: DataError) -> tuple[int, bool]:
        """Where the broken row at a position ends by its own fields, as far as that may be believed, else the position;
        and whether it ends after all bytes.
        """
        if not self.data.startswith(self._sync, at):
            return at, False
        end = self._claimed_end(at, is_within=False)
        if end is None or end > len(self.data):
            size = (len(self.data) if end is None else end) - at
            is_likely = size <= _TIMES * max(self.largest, _LEAST_LARGEST)  # else the length itself may be wrong
            return at, is_likely and isinstance(problem, TruncatedError)
        return (at if self._is_crossed(at, end) else end), False

    def _rows(self, start: int) -> Pieces:
        """The rows of a chain that is anchored; returns where it ends."""
        at = start
        while not self._is_last(at):
            ready = None if self._sound is None else (yield RowsFrom(at))
            if ready is not None and ready > at:
                self._left += _EFFORT * (ready - at)
                at = ready
                if self._is_last(at):
                    break
            try:
                row = self._row(at)
                is_end = row is None and self._is_end(at)
                bridge = self._bridged(at) if row is None and not is_end else None
            except _Spent:
                return at
            if row is not None:
                yield row
                self.largest = max(self.largest, row.end_position - at)
                self._left += _EFFORT * (row.end_position - at)
                at = row.end_position
                continue
            if is_end:
                break
            if bridge is None:
                return at
            following, is_one = bridge
            lost = self._lost(at, following)
            yield lost._replace(rows="row") if is_one else lost
            at = following
        self.is_done = True
        return at

    def _bridged(self, at: int) -> tuple[int, bool] | None:
        """Where rows go on after a broken row that is bridged, and whether it is the only one up to there; None if it
        is not bridged.
        """
        following = self._true_end(at)
        if following is not None:
            return following, True
        following = self._by_length(at)
        return None if following is None else (following, following == self._claimed_end(at))

    def _by_length(self, at: int) -> int | None:
        """Where rows go on after a broken row, by its own length and those of broken rows after it; None if these may
        be wrong.
        """
        following = self._led_to(at)
        if following is None or self._is_crossed(at, following) or not self._is_confirmed(following):
            return None
        return following

    def _is_crossed(self, at: int, end: int) -> bool:
        """Whether sound rows lead from inside of a broken row across its end: then it does not end there."""
        if not self.is_verified:
            return False
        for number, candidate in enumerate(self._candidates(at + 1)):
            if candidate >= end or number >= self._most_ends:
                return False
            place, sound = candidate, self._sound_end(candidate)
            while sound is not None and sound < end:
                place, sound = sound, self._sound_end(sound)
            if sound is not None and sound > end > place:
                return True
            is_long = end - candidate > max(self.largest, _LEAST_LARGEST)
            if sound == end and is_long and self._is_sealed and self._sound_end(end) is not None:
                return True  # its checksum would stand before that place
        return False

    def _is_last(self, at: int) -> bool:
        """Whether no row begins at a position, as is known without a look at it."""
        return at >= len(self.data) or (at == self.end and self._is_end(at))

    def _is_confirmed(self, at: int) -> bool:
        """Whether the rows at a position, to which the length of a broken row leads, are more than a value holds: they
        lead on to the end, or to another broken row, or are far more bytes than the largest row.
        """
        if self._is_end(at):
            return True
        if self._sound_end(at) is None:
            return False
        enough = _TIMES * max(self.largest, _LEAST_LARGEST)
        _, end = self._chain(at, enough)
        is_sure = bool(self._sync) and self.is_verified and self._length is not None
        is_sure = is_sure and self.data.startswith(self._sync, end)
        return is_sure or self._is_end(end) or end - at > enough

    def _chain(self, start: int, enough: int) -> tuple[int, int]:
        """The number of sound rows of the chain that begins at a position, and where it ends; of a chain of more bytes
        than are enough, not all of it.
        """
        passed, at, known = list[tuple[int, int]](), start, None
        while not self._is_last(at):
            known = self._chains.get(at)
            if known is not None:
                break
            if at - start > enough:
                return sum(count for _, count in passed), at
            if self._sound is not None and (several := self._sound(at, start + enough))[0]:
                self._spend(several[1] - at + self._look)
                passed.append((at, several[0]))
                at = several[1]
                continue
            end = self._sound_end(at)
            is_sound = end is not None
            if end is None and not self._is_end(at):
                end = self._true_end(at)
            if end is None:
                break
            passed.append((at, int(is_sound)))
            at = end
        count, stop = known or (0, at)
        for place, rows_count in reversed(passed):
            count += rows_count
            self._chains[place] = count, stop
        return count, stop

    def _is_end(self, at: int) -> bool:
        """Whether the list ends at a position: it is known to, no byte follows, or what comes after the list does."""
        if at == self.end or at >= len(self.data):
            # A position from elsewhere in the file may be wrong: bytes were put in, or left out.
            is_end = self._is_end_known and at == self.end and self.data.startswith(self._following, at)
            return is_end and (bool(self._following) or at >= len(self.data) or self._sound_end(at) is None)
        if not self._following or not self.data.startswith(self._following, at):
            return False
        if not isinstance(self._next, ReadType):
            return True
        reader = self._reader(at)
        try:
            parser_of(self._next.type)(reader, *self._around)
        except DataError as error:
            self._spend(self._cost(error, reader, at))
            return False
        self._spend(max(self._look, reader.position - at))
        return True

    def _candidates(self, start: int) -> Iterator[int]:
        """Where rows may begin, from a position on."""
        at, cost = self.data.find(self._sync, start), _COST if self._sync else 1
        while at >= 0:
            if self._is_likely(at):
                yield at
            self._spend(cost)
            at = self.data.find(self._sync, at + 1)

    def _is_likely(self, at: int) -> bool:
        """Whether the row at a position ends in the file by its length, and is not far larger than the others."""
        if self._size_of is None:
            return True
        size = self._size_of(at)
        if size is None or at + size > len(self.data):
            return False
        return bool(self._sync) or size <= _FAR * max(self.largest, _LEAST_LARGEST) or not self.largest

    def _true_end(self, at: int) -> int | None:
        """Where the next sound row begins, or the list ends, if the broken row at a position is sound with that length,
        and with what rows begin with: its checksum says so.
        """
        if self._length is None:
            return None
        field, more = self._length
        inside, is_alone, ends = at, True, set[int]()
        for number, candidate in enumerate(self._candidates(at + max(1, more))):
            if number >= self._most_ends:
                break
            end = self._sound_end(candidate) if candidate >= inside else None  # no row ends within a sound one
            is_after_another = self._is_sealed and candidate in ends  # a checksum would stand between
            if end is not None and not is_after_another and self._is_right_up_to(at, candidate, field, more):
                return candidate
            ends |= {end} if end is not None else set()
            inside, is_alone = max(inside, end or at), is_alone and end is None
        is_near = self._is_end_known and at < self.end <= at + _NEAR
        is_last = is_alone and is_near and self._is_right_up_to(at, self.end, field, more)
        return self.end if is_last else None

    def _is_right_up_to(self, at: int, end: int, field: ReadInteger, more: int) -> bool:
        """Whether the row at a position is sound if its length is that up to an end."""
        length = end - at - more
        if not max(0, field.kind.low) <= length <= field.kind.high:
            return False
        self._spend(end - at + self._look)
        changed = bytearray(self.data[at:end])
        changed[: len(self._sync)] = self._sync
        layout(self._program).writer(field.name)(changed, 0, length)
        reader = Reader(bytes(changed), source=self._source, **self._reading)
        try:
            parser_of(self._program)(reader, *self._around)
        except DataError:
            return False
        return reader.position == len(changed)

    def _led_to(self, at: int) -> int | None:
        """The row, sound as it is or with another length, or the end, to which the lengths of a broken row and of a few
        more after it lead.
        """
        end: int | None = at
        for number in range(_MOST_BROKEN):
            is_told = number > 0 or self._length is not None  # else a checksum would have said so
            if is_told and end is not None and not self.data.startswith(self._sync, end):
                return None
            if number and end is not None and self._true_end(end) is not None:
                return end
            end = self._claimed_end(end) if end is not None else None
            if end is None or self._is_end(end) or self._sound_end(end) is not None:
                return end
        return None

    def _claimed_end(self, at: int, *, is_within: bool = True) -> int | None:
        """Where the broken row at a position ends by its own fields; None if they do not say, and with ``is_within`` if
        that is after all bytes.
        """
        end: int | None
        if self._width is not None:
            end = at + self._width
            return end if end <= len(self.data) or not is_within else None
        reader = self._reader(at)
        reader.state.passes = lambda error, value, path: not self._is_of_length(error, path)
        try:
            parser_of(self._program)(reader, *self._around)
            self._spend(max(self._look, reader.position - at))
            end = reader.position
        except DataError as error:
            self._spend(self._cost(error, reader, at))
            size = None if self._extent is None else self._extent(error)
            end = None if size is None else at + size
        finally:
            reader.state.tidy()
        return end if end is not None and at < end and (end <= len(self.data) or not is_within) else None

    def _is_of_length(self, error: DataError, path: str) -> bool:
        """Whether a rule on a field that says how long a row is refuses it."""
        return isinstance(error, InvalidError) and path.partition("[")[0] in self._asked

    def _row(self, at: int) -> FoundRow | None:
        """The sound row at a position."""
        if self._ends.get(at) == 0:
            return None
        if len(self._ends) >= _MOST_KNOWN:
            self._ends.clear()
            self._chains.clear()
        try:
            row = self._read(at)
        except DataError:
            self._ends[at] = 0
            return None
        self._ends[at] = row.end_position
        return row

    def _read(self, at: int) -> FoundRow:
        """The row at a position; DataError if it is not sound."""
        reader = self._reader(at)
        if self._width is not None:
            reader = self._part(reader, at, self._width)
        try:
            value: Value = parser_of(self._program)(reader, *self._around)
        except DataError as error:
            self._spend(self._cost(error, reader, at))
            raise
        finally:
            reader.state.is_parsing = False
            reader.state.tidy()
        if self._width is not None and (reader.position == reader.limit or self._rest_may_be_read or self._keeps_rest):
            return FoundRow(value, at, reader.limit)
        where: dict[str, Any] = {"source": self._source, "position": reader.position, "path": self._program.label}
        if self._width is not None:
            raise InvalidError("bytes left over", **where, found=reader.limit - reader.position)
        if reader.position <= at:
            raise InvalidError("takes no bytes", **where)
        return FoundRow(value, at, reader.position)

    def _part(self, reader: Reader, at: int, width: int) -> Reader:
        """A reader of a part of so many bytes."""
        left = len(self.data) - at
        if left < width:
            where: dict[str, Any] = {"source": self._source, "position": at, "path": self._program.label}
            raise TruncatedError("the bytes end here", **where, expected=f"{width - left} more", found=left)
        return reader.window(at, at + width)

    def _sound_end(self, at: int) -> int | None:
        """Where the sound row at a position ends; None if there is none."""
        if at not in self._ends:
            self._row(at)
        return self._ends[at] or None

    def _problem(self, at: int) -> DataError:
        """Why no row is read at a position."""
        message = "no row leads here"
        try:
            self._read(at)
        except DataError as error:
            return error
        except _Spent:
            message = "more of the bytes after it would have to be searched than is allowed"
        return InvalidError(message, source=self._source, position=at, path=self._program.label)

    def _reader(self, at: int) -> Reader:
        """A reader of the file's stream at a position."""
        if self._left <= 0:
            raise _Spent
        reader = Reader(self.data, source=self._source, **self._reading)
        reader.position = at
        return reader

    def _spend(self, count: int) -> None:
        self._left -= count

    def _cost(self, error: DataError, reader: Reader, at: int) -> int:
        """How many bytes were looked at for a row that is broken."""
        return max(self._look, reader.position - at, (error.position or at) - at)


__all__ = ["FoundRow", "LostBytes", "Resync", "RowsFrom", "Sound", "is_verified", "row_of", "sync_of", "why_not"]
