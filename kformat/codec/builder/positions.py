"""Fields that hold positions (``-derive: {position-of: ...}``): where other fields, or elements of a list, begin.

A pass notes where the fields that are asked for begin (`Marks`); then the positions are set, and if one differs, all is
written again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from kformat.codec.drafts import Draft, Path, StreamOutput, evaluator, shown
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import Field, TypeProgram
from kformat.language.steps import reached

Place = tuple[StreamOutput, int]
"""A stream, and a position in it."""


@lru_cache(maxsize=1024)
def has_positions(program: TypeProgram) -> bool:
    """Whether a type, or one that it reads, has fields for positions."""
    return any(field.positions is not None for inner in reached(program) for field in inner.fields)


@lru_cache(maxsize=256)
def _asked_names(program: TypeProgram) -> frozenset[str]:
    """The names of all fields whose positions are asked for, and of those that ask."""
    nodes, names = list[Expression](), set[str]()
    for inner in reached(program):
        for field in inner.fields:
            if field.positions is not None:
                nodes += [node for node in (field.positions.target, field.positions.relative_to) if node is not None]
                names.add(field.name)
    return frozenset(names.union(_last(node)[-1] for node in nodes))


def _last(node: Expression) -> tuple[str, ...]:
    while node.op == "index":
        node = node.arguments[0]
    return tuple(node.value) if node.op == "name" else (str(node.value),)


class _Position(NamedTuple):
    """A field that holds positions."""

    draft: Draft
    field: Field
    path: Path


class Marks:
    """Where fields begin in this pass, and the fields that ask for it.

    Attributes:
        names: of the fields whose beginnings are noted.
    """

    def __init__(self, program: TypeProgram) -> None:
        self.names = _asked_names(program) if has_positions(program) else frozenset[str]()
        self._fields: dict[tuple[int, str], Place] = {}
        self._elements: dict[tuple[int, str], list[Place]] = {}
        self._windows: dict[Any, Place] = {}
        """Where the bytes of a window stand in the stream around it, by `StreamOutput.key`."""
        self._asking: list[_Position] = []

    def prepare(self, draft: Draft, path: Path) -> None:
        """Find the fields for positions, and give zeros to those that are not given; lists get as many elements as they
        will have.
        """
        self._asking += _positions_in(draft, path)
        for position in self._asking:
            position.draft._absent -= {position.field.name}
            self._set(position, first=True)

    def begin(self, draft: Draft, name: str, out: StreamOutput) -> None:
        """Note that a field begins."""
        self._fields[id(draft), name] = out, out.at
        self._elements[id(draft), name] = []

    def element(self, draft: Draft, name: str, out: StreamOutput, ahead: int = 0) -> None:
        """Note that an element of a list begins, so many bytes ahead."""
        self._elements[id(draft), name].append((out, out.at + ahead))

    def window(self, key: Any, out: StreamOutput, is_plain: bool) -> None:
        """Note where a window stands; positions in one whose bytes are encoded are those in its decoded bytes."""
        if is_plain:
            self._windows[key] = out, out.at

    def settle(self) -> bool:
        """Set all positions; whether one has changed."""
        changed = [
            self._set(position)
            for position in self._asking
            if (id(position.draft), position.field.name) in self._fields  # it is not absent
        ]
        self._fields.clear()
        return any(changed)

    def _set(self, position: _Position, first: bool = False) -> bool:
        draft, field = position.draft, position.field
        known = field.positions
        assert known is not None
        begin = 0 if first or known.relative_to is None else self._begin(known.relative_to, position)
        found: Any
        if known.many:
            owner, name, _ = _resolved(known.target, position)
            given = draft.__dict__.get(field.name)
            elements = owner.__dict__.get(name) or ()
            found = [0] * len(range(0, len(elements), known.every))
            if first:
                found = given if isinstance(given, list) and len(given) == len(found) else found
            else:
                places = self._elements.get((id(owner), name), [])[:: known.every]
                found = [self._absolute(*place, position) - begin for place in places]
        elif first:
            found = draft.__dict__.get(field.name, None if field.optional else 0)
        else:
            found = self._begin(known.target, position) - begin
        has_changed = bool(draft.__dict__.get(field.name) != found)
        draft.__dict__[field.name] = found
        return has_changed

    def _begin(self, node: Expression, position: _Position) -> int:
        """Where a field, or an element, begins; 0 if it is absent."""
        owner, name, index = _resolved(node, position)
        if index is None:
            place = self._fields.get((id(owner), name))
        else:
            places = self._elements.get((id(owner), name), [])
            if not -len(places) <= index < len(places):
                message = f"{node} is not there: {name} has {len(places)} elements"
                raise BuildError(message, path=shown((position.path, position.field.name)), found=index)
            place = places[index]
        return 0 if place is None else self._absolute(*place, position)

    def _absolute(self, out: StreamOutput, at: int, position: _Position) -> int:
        """The position in the whole, or in the decoded bytes that the stream is a part of. BuildError if the field that
        asks is not in these.
        """
        whole, at = self._whole(out, at)
        asking, _ = self._whole(*self._fields[id(position.draft), position.field.name])
        if whole is not asking:
            message = "the position of what is in bytes that are compressed or processed, asked for outside of them"
            raise BuildError(message, path=shown((position.path, position.field.name)))
        return at

    def _whole(self, out: StreamOutput, at: int) -> Place:
        """The stream of which a stream is a part, as far as nothing is decoded; and a position in it."""
        while out.owner.key is not None and (outer := self._windows.get(out.owner.key)) is not None:
            out, begin = outer
            at += begin
        return out.owner, at


def _resolved(node: Expression, position: _Position) -> tuple[Any, str, int | None]:
    """The structure that has a field, the field's name, and the index of an element."""
    draft, field, path = position
    try:
        index = None
        if node.op == "index":
            index = int(evaluator(node.arguments[1])(draft))
            node = node.arguments[0]
        if node.op == "member":
            return evaluator(node.arguments[0])(draft), str(node.value), index
        owner: Any = draft
        for word in node.value[:-1]:
            owner = getattr(owner, word)
        return owner, node.value[-1], index
    except (AttributeError, EvaluationError) as error:
        here = shown((path, field.name))
        raise BuildError(f"the position of {node} cannot be known: {error}", path=here) from None


def _positions_in(draft: Draft, path: Path) -> Iterator[_Position]:
    """The fields for positions in a draft and in those below it."""
    pending: list[tuple[Any, Path]] = [(draft, path)]
    while pending:
        item, here = pending.pop()
        if isinstance(item, list):
            pending += [(element, (here, index)) for index, element in enumerate(item) if isinstance(element, Draft)]
        if not isinstance(item, Draft) or not has_positions(item._program):
            continue
        for field in item._program.fields:
            if field.positions is not None:
                yield _Position(item, field, here)
        names = [field.name for field in (*item._program.fields, *(one.field for one in item._program.instances))]
        pending += [(item.__dict__.get(name), (here, name)) for name in names]


__all__ = ["Marks", "has_positions"]
