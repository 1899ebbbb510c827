"""What the rows of a file are by `kformat.parse` and a plain walk: what columns are compared with.

Nothing of `kformat.columns` is used here. Fields and value instances are taken by their names, from the declaration.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import kformat
from kformat.codec.values import Value
from kformat.errors import DataError
from kformat.language.program import (
    Enum,
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
from kformat.language.types import AnyStructure, Structure


@dataclass
class Outcome:
    """Rows as plain values, and the error after them."""

    rows: list[Any]
    error: DataError | None

    @property
    def place(self) -> tuple[str, int | None, str] | None:
        error = self.error
        return None if error is None else (type(error).__name__, error.position, error.path)


def parsed(format: Any, data: bytes, path: tuple[str, ...]) -> Outcome:
    """The rows at a path; of a file with an error those that are complete before it."""
    program = load_type(format)
    error = None
    try:
        value = kformat.parse(format, data)
    except DataError as problem:
        value, error = problem.partial, problem
    rows: list[Any] = []
    if value is not None:
        broken = walk(value, path, program.label, error, rows)
        error = broken or error
    return Outcome(rows, error)


def walk(value: Value, path: tuple[str, ...], where: str, error: DataError | None, rows: list[Any]) -> DataError | None:
    """Add the rows below a value; returns the error of the first whose instances cannot be read."""
    found = getattr(value, path[0], None)
    for index, item in enumerate(found if isinstance(found, list) else [found]):
        place = f"{where}.{path[0]}" + f"[{index}]" * isinstance(found, list)
        if len(path) > 1 and item is not None:
            broken = walk(item, path[1:], place, error, rows)
            if broken is not None:
                return broken
        elif error is not None and (error.path + ".").replace("[", ".[").startswith(place.replace("[", ".[") + "."):
            return None
        elif item is not None:
            try:
                rows.append(plain_structure(item))
            except DataError as problem:
                problem.path = place + problem.path.removeprefix(item._type.label)
                return problem
    return None


def plain_structure(value: Value) -> dict[str, Any] | None:
    program = value._type
    found: dict[str, Any] = {}
    if program.bits:
        return {bit.name: named(getattr(value, bit.name), bit.enum) for bit in program.bits}
    for step in flat(program.steps):
        if not step.name.startswith("_") and not isinstance(step, ReadLiteral):
            has, plain = plain_field(step, getattr(value, step.name))
            if has:
                found[step.name] = plain
    for instance in program.instances:
        kind = instance.field.value_type
        if instance.value is not None and instance.field.type is None and not isinstance(kind, Structure | AnyStructure):
            if str(kind) not in ("any", "io"):
                found[instance.field.name] = named(getattr(value, instance.field.name), instance.enum or field_enum(instance))
    return found


def field_enum(instance: Any) -> Enum | None:
    found: Enum | None = instance.field.enum
    return found


def flat(steps: Any) -> list[Step]:
    """The steps that set a field of the type."""
    found: list[Step] = []
    for step in steps:
        if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
            found += flat(step.steps)
        elif isinstance(step, Window | _FIELDS):
            found.append(step)
    return found


_FIELDS = (
    ReadInteger | ReadFloat | ReadVarint | ReadBits | ReadBit | ReadBytes | ReadLiteral | ReadType | ReadList | ReadSwitch
)


def plain_field(step: Step, value: Any) -> tuple[bool, Any]:
    """Whether the field has a column, and its plain value."""
    while isinstance(step, Window):
        step = next(inner for inner in step.steps if inner.name == step.name)
    if isinstance(step, ReadList):
        has, _ = plain_field(step.element, None)
        return has, None if value is None else [plain_field(step.element, item)[1] for item in value]
    if isinstance(step, ReadType | ReadBits):
        return has_columns(step.type, ()), None if value is None else plain_structure(value)
    if isinstance(step, ReadSwitch):
        return plain_switch(step, value)
    return True, named(value, getattr(step, "enum", None))


def has_columns(program: TypeProgram, around: tuple[str, ...]) -> bool:
    """Types without a field have no column; those that hold themselves are not in these tests."""
    return bool(program.bits) or any(
        not step.name.startswith("_") and not isinstance(step, ReadLiteral) for step in flat(program.steps)
    ) or bool(program.instances)


def plain_switch(step: ReadSwitch, value: Any) -> tuple[bool, Any]:
    kinds: dict[str, str] = {}
    enums: list[Enum | None] = []
    for case in step.cases:
        for inner in case.steps:
            while isinstance(inner, Window):
                inner = next(one for one in inner.steps if one.name == step.name)
            if isinstance(inner, ReadType):
                if has_columns(inner.type, ()):
                    kinds[inner.type.name] = inner.type.label
            elif isinstance(inner, _FIELDS):
                word = word_of(inner)
                kinds[word] = word
                enums.append(getattr(inner, "enum", None))
    if len(kinds) == 1 and not any("::" in kind for kind in kinds):
        return True, named(value, enums[0] if enums else None)
    mine = value._type.name if isinstance(value, Value) else word_of_value(value)
    if value is None:
        return bool(kinds), None
    whole = plain_structure(value) if isinstance(value, Value) else named(value, enums[0] if enums else None)
    return bool(kinds), {label: whole if kind == mine else None for kind, label in kinds.items()}


def word_of(step: Step) -> str:
    if isinstance(step, ReadBytes):
        return "bytes" if step.encoding is None else "text"
    if isinstance(step, ReadFloat):
        return "float"
    return "boolean" if isinstance(step, ReadBit) and step.boolean else "integer"


def word_of_value(value: Any) -> str:
    words = {bool: "boolean", float: "float", bytes: "bytes", str: "text"}
    return words.get(type(value), "integer")


def named(value: Any, declared: Enum | None) -> Any:
    if isinstance(value, list):
        return [named(item, declared) for item in value]
    if isinstance(value, enum.IntEnum) or (declared is not None and value is not None):
        assert declared is not None
        return declared.members.get(int(value), str(int(value)))
    return value
