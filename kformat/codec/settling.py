"""Values that lack nothing but what generated writers find out: lengths, counts and checksums.

`settled` makes a value of what is given, and the generated writer writes it. Where a length, a count or a checksum is
another one, it is set, and all is written again, until nothing changes: a builder does the same, field by field. Only
fields are set that nothing asks for but the size of one step, so that nothing else follows from them (`_measured`). In
any other case `settled` returns None, and the builder does the work, or reports what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kformat.codec.cases import case_of
from kformat.codec.drafts import evaluator, once_per_object
from kformat.codec.unfit import Unfit, unfit
from kformat.codec.values import MISSING, REST, Value, noted, value_class
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.runtime import UNFIT
from kformat.codec.writing import straight, writer_of
from kformat.language.expression import Expression, inverse
from kformat.language.following import all_asked
from kformat.language.program import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    Field,
    ReadBits,
    ReadBytes,
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
from kformat.language.steps import all_steps, content_of, nodes_of, reached, words_of

_MOST_PASSES: Final = 12
Derived = list[tuple[Value, list[tuple[str, Callable[[Any], Any]]]]]
"""Structures, each before those in it, and their fields that are derived when all others are there."""
Fill = Callable[[Any, Value, Any, Derived], Any]
"""What is given for a field, the value that has it, its root, and what is derived later -> the attribute."""


def settled(program: TypeProgram, given: Any) -> bytes | None:
    """The bytes of a given value; None if a builder has to look at it."""
    structure = _structure_of(program)
    if structure is None:
        return None
    derived: Derived = []
    try:
        value = structure.value(given, None, None, derived)
        for owner, fields in derived:
            for name, derive in fields:
                object.__setattr__(owner, name, derive(owner))
    except UNFIT:
        return None
    changed: list[str] = []

    def settle(owner: Value, name: str, wanted: Any) -> None:
        if name not in structure.settled[owner._type]:
            raise Unfit
        object.__setattr__(owner, name, wanted)
        changed.append(name)

    for _ in range(_MOST_PASSES):
        changed.clear()
        data = straight(program, value, settle)
        if data is None or not changed:
            return data
    return None


# --- what may be set -------------------------------------------------------------------------------------------------


@once_per_object(1024)
def _structure_of(program: TypeProgram) -> _Structure | None:
    """How values of a type are made; None for a type that a builder alone writes."""
    if program.parameters or program.growing or type_needs_stream(program) or writer_of(program) is unfit:
        return None
    types = reached(program)
    if not all(map(_is_plain, types)):
        return None
    nodes = {type: _asking(type) for type in types}
    instances = [item for type in types for item in type.instances]
    derived = [(field.name, field.derive) for type in types for field in type.fields if field.derive is not None]
    asked = words_of((*(node for asking in nodes.values() for node in asking), *(node for _, node in derived)))
    asked = all_asked(asked, [(item.field.name, words_of(item)) for item in instances])
    for type in types:
        nodes[type] += [node for item in type.instances if item.field.name in asked for node in nodes_of(item)]
    nodes_elsewhere = [*chain(*nodes.values()), *nodes_of(tuple(node for _, node in derived))]
    elsewhere = {word for node in nodes_elsewhere for word in _words_elsewhere(node)}
    settled = {type: _measured(type, nodes[type]) - elsewhere for type in types}
    structures = {type: _Structure(type, settled) for type in types}
    for structure in structures.values():
        structure.prepare(structures)
    return structures[program]


def _is_plain(program: TypeProgram) -> bool:
    """Whether nothing but lengths, counts, checksums and derived fields has to be found out."""
    for step in all_steps(program.steps):
        if isinstance(step, ReadOpaque) or (isinstance(step, ReadBytes) and step.fill is not None):
            return False
    return not program.tagged and not any(
        field.positions is not None
        or field.presence is not None
        or field.hidden
        or (field.logical is not None and field.kind in ("text", "list", "any"))
        or (field.derive is not None and not {"_parent", "_root"}.isdisjoint(words_of(field.derive)))
        for field in program.fields
    )


def _asking(program: TypeProgram) -> list[Expression]:
    """The nodes of all expressions of a type from which something else follows: not those of a field's own rules, and
    not how much a checksum covers.
    """
    steps = [step for step in program.steps if not isinstance(step, Checksum)]
    asking = list(nodes_of((tuple(steps), program.byte_order)))
    for step in all_steps(steps):
        if isinstance(step, Check):
            own = {id(node) for node in nodes_of(step) if node.op == "name" and node.value == (step.name,)}
            asking = [node for node in asking if id(node) not in own]
    return asking


def _words_elsewhere(node: Expression) -> Sequence[str]:
    """The names that a node asks of another structure than its own."""
    if node.op == "member":
        return (str(node.value),)
    return node.value if node.op == "name" and len(node.value) > 1 else ()


def _measured(program: TypeProgram, nodes: Iterable[Expression]) -> frozenset[str]:
    """The integers of a type that are the length, or count, of one of its fields, or a checksum, and nothing else. What
    is derived may follow from those that are known before anything is written.
    """
    asked = Counter(node.value[0] for node in nodes if node.op == "name" and len(node.value) == 1)
    steps = list(_own(program.steps))
    integers = {step.name for step in steps if isinstance(step, ReadInteger | ReadVarint) and step.condition is None}
    checksums = (step for step in program.steps if isinstance(step, Checksum))
    sums = {step.name for step in checksums if not (step.inside or step.base or step.over)}
    derives = words_of(tuple(field.derive for field in program.fields if field.derive is not None))
    found = {name for name in sums if not asked[name] and name not in derives}
    for step in steps:
        known = _size_of(step)
        if known is None or known[0] in sums or asked[known[0]] != 1 + _asks_whether(step, known[0]):
            continue
        is_plain = isinstance(step, ReadList) or getattr(step, "encoding", "") is None
        if known[0] not in derives or (is_plain and _length_of(step, known) is not None):
            found.add(known[0])
    return frozenset(found & integers)


def _own(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps, and those in windows, whose fields are those of the same structure."""
    for step in steps:
        if not isinstance(step, Check | CheckEnd | Align | Checksum):
            yield step
        if isinstance(step, Window):
            yield from _own(step.steps)


def _size_of(step: Step) -> tuple[str, int] | None:
    """The field that says how long a step is, or how many elements it has, and its value for none."""
    size = step.count if isinstance(step, ReadList) else getattr(step, "size", None)
    if size is None or isinstance(step, ReadBits) or getattr(step, "trim", None) or getattr(step, "process", None):
        return None
    known = inverse(size)
    return (known[0][0], known[1]) if known is not None and len(known[0]) == 1 else None


def _asks_whether(step: Step, name: str) -> bool:
    """Whether a step is there if the field of a name is not negative."""
    rule = step.condition
    if rule is None or rule.op != ">=":
        return False
    left, right = rule.arguments
    return left.op == "name" and left.value == (name,) and right.is_constant and right.value == 0


# --- values ----------------------------------------------------------------------------------------------------------


class _Length(NamedTuple):
    """A length or count, and the field that it measures.

    ``nothing``: its value for no bytes. ``may_be_null``: it is negative where the field is null.
    """

    name: str
    of: str
    nothing: int
    may_be_null: bool

    def at_first(self, given: dict[str, Any]) -> Any:
        """What it is before anything is written: as it is given where only the bytes show how long the field is."""
        length, measured = given.get(self.name, MISSING), given.get(self.of)
        is_integer = type(length) is int
        if isinstance(measured, bytes | list) and (length is MISSING or is_integer):
            is_negative = is_integer and measured == [] and length < self.nothing
            return length if is_negative else self.nothing + len(measured)
        if length is not MISSING:
            return length
        return -1 if measured is None and self.may_be_null else self.nothing


def _length_of(step: Step, known: tuple[str, int]) -> _Length | None:
    """A length that is known before anything is written; None if a condition may say otherwise."""
    is_optional = _asks_whether(step, known[0])
    if step.condition is not None and not (is_optional and known[1] == 0):
        return None
    return _Length(known[0], step.name, known[1], is_optional)


_LIST: Final = object()
"""A new empty list."""
_LEFT_OUT: Final = object()
"""Nothing: the bytes of a payload are given compressed, or not at all."""


class _Structure:
    """How values of a type are made of what is given.

    Attributes:
        settled: by types, the fields that may be set.
        parts: each other field, what it is where it is not given (MISSING: a builder says), what makes it, and what
            derives it.
    """

    def __init__(self, program: TypeProgram, settled: Mapping[TypeProgram, frozenset[str]]) -> None:
        self.program, self.settled = program, settled
        self.made = value_class(program)
        computed = (item.field.name for item in program.instances)
        self.names = frozenset((*(field.name for field in program.fields), *computed))
        self.parts: list[tuple[str, Any, Fill | None, Callable[[Any], Any] | None]] = []
        self.lengths: list[_Length] = []

    def prepare(self, structures: Mapping[TypeProgram, _Structure]) -> None:
        """Find out what the fields need."""
        steps, own = dict[str, Step](), self.settled[self.program]
        for step in _own(self.program.steps):
            if not isinstance(step, Window):
                steps[step.name] = step
            known = _size_of(step)
            if known is not None and known[0] in own and (length := _length_of(step, known)) is not None:
                self.lengths.append(length)
        lengths = {length.name for length in self.lengths}
        sums = {step.name for step in self.program.steps if isinstance(step, Checksum)} & own
        sizes = [getattr(step, part, None) for step in all_steps(self.program.steps) for part in ("size", "count")]
        measuring = words_of(tuple(size for size in sizes if isinstance(size, Expression)))
        for field in self.program.fields:
            step_of = steps.get(field.name)
            if field.raw:
                self.parts.append((field.name, _LEFT_OUT, unfit, None))
            elif step_of is None:
                self.parts.append((field.name, MISSING, None, None))
            elif field.name not in lengths:
                default = 0 if field.name in sums else _default(field, step_of)
                node = None if field.name in measuring else field.derive  # where null says how long, nothing is derived
                derive = None if node is None else evaluator(node)
                self.parts.append((field.name, default, _filling(step_of, structures), derive))

    def value(
        self,
        given: Any,
        parent: Any,
        root: Any,
        derived: Derived,
        arguments: Mapping[str, Any] = MappingProxyType({}),
    ) -> Value:
        """A value of the type; `Unfit` for anything that a builder has to look at."""
        if type(given) is not dict:
            given = self.attributes(given)
        elif not self.names.issuperset(given):
            raise Unfit
        made = self.made.__new__(self.made)
        put = object.__setattr__
        if self.program.keeps_context:
            root = made if self.program.is_root and root is None else root
            put(made, "_parent", parent)
            put(made, "_root", root)
        for name, item in arguments.items():
            put(made, name, item)
        later: list[tuple[str, Callable[[Any], Any]]] = []
        derived.append((made, later))
        for name, default, fill, derive in self.parts:
            item = given.get(name, default)
            if item is default:
                if default is MISSING or default is _LEFT_OUT:
                    if derive is not None:
                        later.append((name, derive))
                    elif default is MISSING:
                        raise Unfit
                    continue
                if default is _LIST:
                    item = []
            if fill is not None and item is not None:
                item = fill(item, made, root, derived)
            put(made, name, item)
        for length in self.lengths:
            put(made, length.name, length.at_first(given))
        return made

    def attributes(self, given: Any) -> dict[str, Any]:
        """The fields of a value of the type of which a reader kept nothing else."""
        if not isinstance(given, Value) or given._type != self.program or noted(given, "_kept") or noted(given, REST):
            raise Unfit
        found = dict[str, Any]()
        for name in self.made._fields:
            try:
                found[name] = object.__getattribute__(given, name)
            except AttributeError:
                continue
        return found


def _default(field: Field, step: Step) -> Any:
    """What a builder puts into a field that is not given; MISSING if that is not known here."""
    if isinstance(step, ReadLiteral):
        return step.contents if step.condition is None else MISSING
    if field.optional or isinstance(step, ReadSwitch):
        return MISSING if field.computed else None
    if isinstance(step, ReadList):
        return _LIST
    return {} if isinstance(step, ReadType | ReadBits) else MISSING


def _filling(step: Step, structures: Mapping[TypeProgram, _Structure]) -> Fill | None:
    """What makes the value of a step; None for one that is taken as it is."""
    match content_of(step):
        case ReadBits() as read:
            bits = _Structure(read.type, {})
            bits.parts = [(field.name, _constant(field), None, None) for field in read.type.fields]
            return lambda given, owner, root, derived: bits.value(given, None, None, [])
        case ReadType() as read:
            structure = structures[read.type]
            is_apart, is_foreign, arguments = read.orphan or read.foreign, read.foreign, read.arguments
            return lambda given, owner, root, derived: structure.value(
                given,
                None if is_apart else owner,
                None if is_foreign else root,
                derived,
                {name: evaluator(node)(owner) for name, node in arguments},
            )
        case ReadList() as many:
            return _filling_list(_filling(many.element, structures))
        case ReadSwitch() as switch:
            return _filling_switch(switch, structures)
    return None


def _constant(field: Field) -> Any:
    return field.derive.value if field.derive is not None and field.derive.is_constant else MISSING


def _filling_list(element: Fill | None) -> Fill:
    def fill(given: Any, owner: Value, root: Any, derived: Derived) -> Any:
        if type(given) is not list:
            raise Unfit
        return given if element is None else [element(item, owner, root, derived) for item in given]

    return fill


def _filling_switch(step: ReadSwitch, structures: Mapping[TypeProgram, _Structure]) -> Fill:
    fills = {
        id(case): _filling(next(inner for inner in case.steps if inner.name == step.name), structures)
        for case in step.cases
        if case.steps
    }
    find: Any = case_of

    def fill(given: Any, owner: Value, root: Any, derived: Derived) -> Any:
        inner = fills.get(id(find(step, evaluator(step.on)(owner), owner)))
        return given if inner is None else inner(given, owner, root, derived)

    return fill


__all__ = ["settled"]
