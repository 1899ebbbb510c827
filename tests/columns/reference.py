"""What the rows of a file are by `kformat.parse` and a plain walk: what columns are compared with.

Nothing of `kformat.columns` is used here. Fields and value instances are taken by their names, from the declaration.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import kformat
from kformat.codec.values import Value
from kformat.errors import DataError, InvalidError
from kformat.language.program import (
    Enum,
    Instance,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    load_type,
)
from kformat.language.types import Any as AnyType
from kformat.language.types import AnyStructure, Stream, Structure


@dataclass
class Outcome:
    """Rows as plain values, and the error after them."""

    rows: list[Any]
    error: DataError | None

    @property
    def place(self) -> tuple[str, int | None, str] | None:
        return place_of(self.error)


def place_of(error: DataError | None) -> tuple[str, int | None, str] | None:
    """Kind and place of an error; what does not fit a column has no place that the codec knows."""
    if error is None:
        return None
    if error.message == MISFIT:
        return (error.message, None, "")
    return (type(error).__name__, error.position, error.path)


def parsed(format: Any, data: bytes, path: tuple[str, ...], trailing: Literal["error", "keep"] = "error") -> Outcome:
    """The rows at a path; of a file with an error those that are complete before it."""
    program = load_type(format)
    error = None
    try:
        value = kformat.parse(format, data, trailing=trailing)
    except DataError as problem:
        value, error = problem.partial, problem
    rows: list[Any] = []
    if value is not None:
        broken = walk(value, path, program.label, error, rows)
        error = broken or error
    return Outcome(rows, error)


def walk(value: Value, path: tuple[str, ...], where: str, error: DataError | None, rows: list[Any]) -> DataError | None:
    """Add the rows below a value; returns the error of the first whose instances cannot be read."""
    if not path:
        try:
            rows += [plain_structure(value, ())] if error is None else []
        except DataError as problem:
            return problem
        return None
    if error is not None and path[0] in value._instances:
        return None
    try:
        found = getattr(value, path[0], None)
    except DataError as problem:
        return problem
    for index, item in enumerate(found if isinstance(found, list) else [found]):
        place = f"{where}.{path[0]}" + f"[{index}]" * isinstance(found, list)
        if not isinstance(item, Value):  # null, or a case of a switch that is no structure
            continue
        if len(path) > 1:
            broken = walk(item, path[1:], place, error, rows)
            if broken is not None:
                return broken
        elif error is not None and (error.path + ".").replace("[", ".[").startswith(place.replace("[", ".[") + "."):
            return None
        else:
            if error is not None and not is_complete(item):
                return None
            try:
                rows.append(plain_structure(item, ()))
            except DataError as problem:
                label = item._type.label
                if not problem.path.startswith(where) and problem.path.startswith((f"{label}.", f"{label}[")):
                    problem.path = place + problem.path.removeprefix(label)  # not of an instance of another structure
                return problem
    return None


def is_complete(value: Value) -> bool:
    for name in value._fields:
        if not hasattr(value, name):
            return False
        found = getattr(value, name)
        inner = found[-1] if isinstance(found, list) and found else found
        if isinstance(inner, Value) and not is_complete(inner):
            return False
    return True


Around = tuple[str, ...]
"""The names of the types around, which are not entered again."""


def plain_structure(value: Value, around: Around) -> dict[str, Any]:
    """A structure's fields and value instances that have columns."""
    program = value._type
    if program.bits:
        return {bit.name: named(getattr(value, bit.name), bit.enum) for bit in program.bits}
    inside = (*around, program.name)
    found: dict[str, Any] = {}
    for step in columns_of(program, around):
        found |= tags_at(value, step.name, inside)
        if step.name not in hidden(program):
            found[step.name] = plain_field(step, getattr(value, step.name), inside)
    found |= tags_at(value, "", inside)
    for instance in value_instances(program):
        found[instance.field.name] = named(getattr(value, instance.field.name), instance.enum or instance.field.enum)
    return found


def hidden(program: TypeProgram) -> set[str]:
    return {field.name for field in program.fields if field.hidden}


def tags_at(value: Value, before: str, inside: Around) -> dict[str, Any]:
    """The tags that stand in front of a field; after all: ""."""
    return {
        tagged.field.name: plain_field(
            next(step for step in flat(tagged.case.steps) if step.name == tagged.field.name),
            getattr(value, tagged.field.name),
            inside,
        )
        for tagged in value._type.tagged
        if tagged.before == before
    }


def columns_of(program: TypeProgram, around: Around) -> list[Step]:
    inside = (*around, program.name)
    steps = [step for step in flat(program.steps) if not step.name.startswith("_")]
    return [step for step in steps if not isinstance(step, ReadLiteral) and has_column(step, inside)]


def value_instances(program: TypeProgram) -> list[Instance]:
    found = [instance for instance in program.instances if instance.value is not None and instance.field.type is None]
    return [one for one in found if not isinstance(one.field.value_type, Structure | AnyStructure | AnyType | Stream)]


def flat(steps: Iterable[Step]) -> list[Step]:
    """The steps that set a field of the type."""
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            found += flat(step.steps)
        elif isinstance(step, Window | _FIELDS):
            found.append(step)
    return found


_FIELDS = (
    ReadInteger
    | ReadFloat
    | ReadVarint
    | ReadBits
    | ReadBit
    | ReadBytes
    | ReadLiteral
    | ReadType
    | ReadList
    | ReadSwitch
)


def content(step: Step) -> Step:
    while isinstance(step, Window):
        step = next(inner for inner in step.steps if inner.name == step.name)
    return step


def has_column(step: Step, around: Around) -> bool:
    step = content(step)
    match step:
        case ReadList():
            return has_column(step.element, around)
        case ReadType() | ReadBits():
            if step.type.name in around:
                return False
            has_any = columns_of(step.type, around) or value_instances(step.type)
            return bool(step.type.bits or has_any)
        case ReadSwitch():
            return bool(kinds_of(step, around))
    return True


def kinds_of(step: ReadSwitch, around: Around) -> dict[str, str]:
    """What a value of a switch may be -> the name of its column."""
    found: dict[str, str] = {}
    for case in step.cases:
        for inner in map(content, case.steps):
            if isinstance(inner, ReadType | ReadBits):
                if has_column(inner, around):
                    found[inner.type.name] = inner.type.label
            elif isinstance(inner, _FIELDS):
                found[word_of(inner)] = word_of(inner)
    return found


def plain_field(step: Step, value: Any, around: Around) -> Any:
    step = content(step)
    if value is None:
        return None
    if isinstance(step, ReadList):
        return [plain_field(step.element, item, around) for item in value]
    if isinstance(step, ReadType | ReadBits):
        return plain_structure(value, around)
    if not isinstance(step, ReadSwitch):
        return named(value, getattr(step, "enum", None))
    enums = [getattr(inner, "enum", None) for case in step.cases for inner in map(content, case.steps)]
    declared = next((one for one in enums if one is not None), None)
    kinds = kinds_of(step, around)
    mine = value._type.name if isinstance(value, Value) else word_of_value(value)
    types = {type(inner) for case in step.cases for inner in map(content, case.steps) if isinstance(inner, _FIELDS)}
    if len(kinds) == 1 and ReadType not in types:
        return named(value, declared)
    plain: Any = None
    if mine in kinds:
        plain = plain_structure(value, around) if isinstance(value, Value) else named(value, declared)
    return {label: plain if kind == mine else None for kind, label in kinds.items()}


def word_of(step: Step) -> str:
    if isinstance(step, ReadBytes):
        return "bytes" if step.encoding is None else "text"
    if isinstance(step, ReadFloat):
        return "float"
    return "boolean" if isinstance(step, ReadBit) and step.boolean else "integer"


def word_of_value(value: Any) -> str:
    words = {bool: "boolean", float: "float", bytes: "bytes", str: "text"}
    return words.get(type(value), "integer")


MISFIT = "a value that has no place in its column"


def named(value: Any, declared: Enum | None) -> Any:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidError(MISFIT) from None
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise InvalidError(MISFIT)
    if isinstance(value, list):
        return [named(item, declared) for item in value]
    if isinstance(value, enum.IntEnum) or (declared is not None and value is not None):
        assert declared is not None
        return declared.members.get(int(value), str(int(value)))
    return value
