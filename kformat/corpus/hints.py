"""Values of fields that are worth a try, according to a declaration's expressions.

`TypeFacts` goes through all expressions of a type and of the types in it. A comparison with a constant, a case of a
switch, a size or a count that should be 0, 1 or a few: each is followed back, through computed instances, parameters,
parents and simple arithmetic, to the field whose value decides, and becomes a hint there. Each expression is solved by
itself, not together with others; so `generating` has to try the hints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kformat.language.expression import Expression
from kformat.language.program import (
    Check,
    Checksum,
    ReadBits,
    ReadBytes,
    ReadList,
    ReadSwitch,
    ReadType,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.steps import all_steps
from kformat.language.types import Integer, ListOf, Structure, Text

Key = tuple[str, str]
"""A field: the name of its type, and its own."""

COUNTS: Final = (0, 1, 2, 3)
SIZES: Final = (0, 1, 2, 7, 200)
"""Numbers of elements and bytes to try, if any number is allowed."""

_DEEPEST: Final = 12
"""Most instances, parameters and parents through which a hint is followed."""

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")


class TypeFacts:
    """Facts about a type and all types in it.

    ``types`` by name; ``hints``: values by field; ``sizes``: fields that hold a size, count or position; ``late``:
    those of them that a builder computes, since the content has no size before it is built; ``digits``: texts that are
    read as numbers; ``codecs``: fields that select a compression; ``loops``: values of a field with which its type
    contains itself; ``recursive``: names of types that contain themselves.
    """

    def __init__(self, root: TypeProgram) -> None:
        self.root = root
        self.types = {program.name: program for program in reachable(root)}
        self.hints: dict[Key, dict[Any, None]] = defaultdict(dict)
        self.sizes: set[Key] = set()
        self.late: set[Key] = set()
        self.digits: set[Key] = set()
        self.codecs: set[Key] = set()
        self.loops: dict[Key, set[Any]] = defaultdict(set)
        self._parents: dict[str, list[tuple[TypeProgram, ReadType]]] = defaultdict(list)
        for program in self.types.values():
            for step in steps_of(program):
                if isinstance(step, ReadType):
                    self._parents[step.type.name].append((program, step))
        self.recursive = frozenset(
            name for name, program in self.types.items() if any(name == inner.name for inner in _below(program))
        )
        self._local = ""
        self._checksums = {
            name: frozenset(step.name for step in steps_of(program) if isinstance(step, Checksum) and not step.inside)
            for name, program in self.types.items()
        }
        for program in self.types.values():
            self._learn(program)

    def checksums(self, program: TypeProgram) -> frozenset[str]:
        """The fields of a type that hold checksums."""
        return self._checksums[program.name]

    def positions(self, program: TypeProgram) -> frozenset[str]:
        """The fields of a type that hold positions, which a builder computes."""
        return frozenset(field.name for field in program.fields if field.positions is not None)

    # --- going through expressions

    def _learn(self, program: TypeProgram) -> None:
        if program.byte_order is not None and program.byte_order.on is not None:
            for value, _ in program.byte_order.cases:
                self._equal(program, program.byte_order.on, value)
        for instance in program.instances:
            self._condition(program, instance.condition)
            if instance.value is not None:
                self._inside(program, instance.value)
            if instance.position is not None:
                self._size(program, instance.position, (), late=True)
        for step in steps_of(program):
            self._condition(program, step.condition)
            self._local = step.name
            match step:
                case Window():
                    self._size(program, step.size, SIZES, late=True)
                    if step.codec is not None:
                        for path in _paths(step.codec):
                            self.codecs.update(self._fields(program, path, 0))
                case ReadBytes():
                    is_late = step.process is not None or (step.trim is not None and step.size is not None)
                    self._size(program, step.size, SIZES, late=is_late)
                case ReadList():
                    self._size(program, step.count, COUNTS)
                    self._condition(program, step.until)
                    for check in step.checks:
                        self._condition(program, check.rule)
                case ReadSwitch():
                    self._inside(program, step.on)
                    for case in step.cases:
                        loops = any(inner.name in self.recursive for inner in _types_in(case.steps))
                        self._equal(program, step.on, case.value, loops=loops)
                case Check():
                    self._condition(program, step.rule)

    def _equal(self, program: TypeProgram, on: Expression, value: Expression | None, loops: bool = False) -> None:
        if value is not None and value.is_constant:
            self._want(program, on, value.value, loops=loops)

    def _condition(self, program: TypeProgram, node: Expression | None) -> None:
        if node is not None:
            self._want(program, node, True)
            self._want(program, node, False)
            self._inside(program, node)

    def _size(
        self, program: TypeProgram, node: Expression | None, wanted: Iterable[int], *, late: bool = False
    ) -> None:
        if node is None or node.is_constant:
            return
        self._inside(program, node)
        for number in wanted:
            self._want(program, node, number)
        keys: list[Key] = []
        for path in _paths(node):
            keys += [key for key in self._fields(program, path, 0) if key not in keys]
        self.sizes.update(keys)
        if late:  # one is enough; a builder solves the expression for it
            self.late.update(keys[:1])

    def _inside(self, program: TypeProgram, node: Expression) -> None:
        """Learn from conditions and comparisons inside an expression, and from texts that are numbers."""
        if node.op == "method" and node.value == "to_i" and isinstance(node.arguments[0].type, Text):
            for path in _paths(node.arguments[0]):
                for owner, name in self._owners(program, path, 0):
                    self.digits.add((owner.name, name))
            for number in COUNTS:
                self._want(program, node.arguments[0], str(number))
        if node.op == "if":
            self._want(program, node.arguments[0], True)
            self._want(program, node.arguments[0], False)
        elif node.op in _COMPARISONS:
            self._want(program, node, True)
            self._want(program, node, False)
        for argument in node.arguments:
            self._inside(program, argument)

    # --- from the wanted value of an expression to a field

    def _want(self, program: TypeProgram, node: Expression, wanted: Any, depth: int = 0, loops: bool = False) -> None:
        if depth > _DEEPEST:
            return
        depth += 1
        arguments = node.arguments

        def into(inner: Expression, value: Any) -> None:
            self._want(program, inner, value, depth, loops)

        match node.op:
            case "name":
                self._set(program, node.value, wanted, depth, loops)
            case "local" if node.value == "_":
                self.hints[program.name, self._local][wanted] = None
            case "member" if isinstance(arguments[0].type, Structure):
                owner = self.types.get(arguments[0].type.name)
                if owner is not None:
                    self._set(owner, (node.value,), wanted, depth, loops)
            case "cast":
                into(arguments[0], wanted)
            case "index" if isinstance(arguments[0].type, ListOf) and arguments[0].op == "name":
                self._set(program, arguments[0].value, wanted, depth, loops)
            case "method" if node.value == "to_i":
                is_digits = isinstance(arguments[0].type, Text) and isinstance(wanted, int)
                into(arguments[0], str(wanted) if is_digits else wanted)
            case "method" if node.value == "to_s" and isinstance(arguments[0].type, Integer):
                if isinstance(wanted, str) and wanted.isdecimal():
                    into(arguments[0], int(wanted))
            case "method" if node.value in ("first", "last", "min", "max") and arguments[0].op == "name":
                self._set(program, arguments[0].value, wanted, depth, loops)
            case "not":
                into(arguments[0], not wanted)
            case "neg" if isinstance(wanted, int):
                into(arguments[0], -wanted)
            case "inv" if isinstance(wanted, int):
                into(arguments[0], ~wanted)
            case "and" | "or":
                for side in arguments:
                    into(side, True)
                    into(side, False)
            case "if":
                for value in (True, False):
                    into(arguments[0], value)
                for side in arguments[1:]:
                    into(side, wanted)
            case op if op in _COMPARISONS:
                for side, other in (arguments, arguments[::-1]):
                    if other.is_constant and not side.is_constant:
                        for near in _around(other.value):
                            into(side, near)
            case op if len(arguments) == 2 and isinstance(wanted, int):
                left, right = arguments
                if right.is_constant and isinstance(right.value, int):
                    for number in _left(op, wanted, right.value):
                        into(left, number)
                elif left.is_constant and isinstance(left.value, int):
                    if op in ("+", "*", "&", "|", "^"):
                        for number in _left(op, wanted, left.value):
                            into(right, number)
                    elif op == "-":
                        into(right, left.value - wanted)
                else:  # each side alone, as if the other were absent
                    into(left, wanted)
                    into(right, wanted)

    def _set(self, program: TypeProgram, path: tuple[str, ...], wanted: Any, depth: int, loops: bool) -> None:
        for owner, name in self._owners(program, path, depth):
            if any(field.name == name for field in owner.fields) or _is_read(owner, name):
                self.hints[owner.name, name][wanted] = None
                if loops:
                    self.loops[owner.name, name].add(wanted)
            elif any(bit.name == name for bit in owner.bits):
                self.hints[owner.name, name][wanted] = None
            elif name in owner.parameters:
                for outer, step in self._parents[owner.name]:
                    for argument, node in step.arguments:
                        if argument == name:
                            self._want(outer, node, wanted, depth, loops)
            for instance in owner.instances:
                if instance.field.name == name and instance.value is not None:
                    self._want(owner, instance.value, wanted, depth, loops)

    def _fields(self, program: TypeProgram, path: tuple[str, ...], depth: int) -> list[Key]:
        """The fields that the value of a name depends on."""
        keys: list[Key] = []
        if depth > _DEEPEST:
            return keys
        for owner, name in self._owners(program, path, depth):
            if any(field.name == name and field.kind == "integer" for field in owner.fields) or any(
                bit.name == name for bit in owner.bits
            ):
                keys.append((owner.name, name))
            elif name in owner.parameters:
                for outer, step in self._parents[owner.name]:
                    for argument, node in step.arguments:
                        if argument == name:
                            for inner in _paths(node):
                                keys += self._fields(outer, inner, depth + 1)
            for instance in owner.instances:
                if instance.field.name == name and instance.value is not None:
                    for inner in _paths(instance.value):
                        keys += self._fields(owner, inner, depth + 1)
        return keys

    def _owners(self, program: TypeProgram, path: tuple[str, ...], depth: int) -> Iterator[tuple[TypeProgram, str]]:
        """The types that have the last name of a path, with that name."""
        first, *others = path
        if not others:
            yield program, first
            return
        if depth > _DEEPEST:
            return
        rest = tuple(others)
        for inner in self._structures(program, first, depth):
            yield from self._owners(inner, rest, depth + 1)

    def _structures(self, program: TypeProgram, name: str, depth: int) -> list[TypeProgram]:
        if name == "_root":
            return [self.root]
        if name == "_parent":
            return [owner for owner, step in self._parents[program.name] if not step.foreign and not step.orphan]
        for field in (*program.fields, *(instance.field for instance in program.instances)):
            if field.name == name:
                if field.type is not None:
                    return [field.type]
                kind = field.value_type
                return [self.types[kind.name]] if isinstance(kind, Structure) and kind.name in self.types else []
        return []


def reachable(root: TypeProgram) -> list[TypeProgram]:
    """A type and all types in it, including those of instances, each once."""
    programs = {root.name: root}
    waiting = [root]
    while waiting:
        for inner in _types_in(steps_of(waiting.pop(0))):
            if inner.name not in programs:
                programs[inner.name] = inner
                waiting.append(inner)
    return list(programs.values())


def steps_of(program: TypeProgram) -> Iterator[Step]:
    """The steps of a type and of its instances, with all steps inside these."""
    yield from all_steps(program.steps)
    for instance in program.instances:
        yield from all_steps(instance.steps)


def _types_in(steps: Iterable[Step]) -> list[TypeProgram]:
    return [step.type for step in all_steps(steps) if isinstance(step, ReadType | ReadBits)]


def _below(program: TypeProgram) -> list[TypeProgram]:
    return [inner for first in _types_in(steps_of(program)) for inner in reachable(first)]


def _is_read(program: TypeProgram, name: str) -> bool:
    return any(instance.field.name == name and instance.value is None for instance in program.instances)


def _paths(node: Expression) -> Iterator[tuple[str, ...]]:
    """The paths of all names, from left to right."""
    if node.op == "name":
        yield node.value
    for argument in node.arguments:
        yield from _paths(argument)


def _around(value: Any) -> tuple[Any, ...]:
    """A constant, and other values near it."""
    if isinstance(value, bool):
        return (True, False)
    if isinstance(value, int | float):
        return (value, value + 1, value - 1)
    if isinstance(value, str | bytes):
        return (value, value[::-1])
    return (value,)


def _left(op: str, wanted: int, right: int) -> tuple[int, ...]:
    """Values of the left side for which ``left op right`` is the wanted value."""
    match op:
        case "+":
            return (wanted - right,)
        case "-":
            return (wanted + right,)
        case "*":
            return (wanted // right,) if right and wanted % right == 0 else ()
        case "/":
            return (wanted * right,)
        case "%":
            return (wanted, wanted + right) if right else ()
        case "&":
            return (wanted, wanted | ~right & 0xFF) if wanted & ~right == 0 else ()
        case "|":
            return (wanted & ~right, wanted)
        case "^":
            return (wanted ^ right,)
        case ">>":
            return (wanted << right,) if 0 <= right < 64 else ()
        case "<<":
            return (wanted >> right,) if 0 <= right < 64 else ()
    return ()
