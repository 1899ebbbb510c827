"""A declaration as a table for people: position, size, type, name and meaning of every field."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from kformat.language.layout import LayoutRow, cases_of, content_text, layout, rows_of
from kformat.language.logical import readable
from kformat.language.node import replaced
from kformat.language.program import (
    Check,
    Enum,
    Field,
    Instance,
    ReadBytes,
    ReadLiteral,
    ReadSwitch,
    Step,
    TaggedField,
    TypeProgram,
    Window,
    load_program,
    load_type,
    types_of,
)
from kformat.language.steps import members_text
from kformat.language.types import EXACT

Named = TypeVar("Named", Field, Check)


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field: ``position`` and ``size`` in bytes, None if they depend on the data, which ``size_text`` then
    explains.

    ``condition`` says when it is present ("": always), ``valid`` which values are accepted, ``built`` how a builder
    sets it: ``computed`` always, a value or an expression if the object has none, "" if it is required. ``tag``:
    it is the content of this tag, and what it is where there is none. ``base`` is the
    field that a delta is relative to. Of an instance, ``at`` says where it is read, or ``value`` what it is. ``covers``
    says of which bytes it is the checksum, ``positions`` of what it holds positions; ``cases`` what is read for each
    value of a switch ("": any other).
    """

    position: int | None
    size: int | None
    size_text: str
    type: str
    name: str
    original_name: str
    doc: str
    enum: dict[int, str]
    depth: int
    condition: str
    valid: str
    built: str
    base: str
    at: str = ""
    value: str = ""
    covers: str = ""
    positions: str = ""
    logical: str = ""
    tag: str = ""
    cases: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ParameterDescription:
    """A parameter of a type, passed by the type that holds it."""

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class Description:
    """One type: its parameters, its fields in order, its tags and instances, and the types of all these; ``str`` is the
    output of `kformat describe`.
    """

    name: str
    title: str
    doc: str
    fields: tuple[FieldDescription, ...]
    types: tuple[Description, ...]
    parameters: tuple[ParameterDescription, ...] = ()
    instances: tuple[FieldDescription, ...] = ()
    tags: tuple[FieldDescription, ...] = ()

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def describe(format: Any) -> Description:
    """Describe a format or one of its types; ``format`` and errors as in `kformat.parse`."""
    program = load_type(format)
    seen = {program.name}
    title = "" if "::" in program.name or isinstance(format, TypeProgram) else load_program(format).declaration.title
    return _describe(program, title, seen)


def _describe(program: TypeProgram, title: str, seen: set[str]) -> Description:
    rows = layout(program).rows()
    named = _by_name(sorted(program.fields, key=lambda item: item.raw))
    checks = _by_name(_checks(program.steps))
    fields = tuple(_field(named, checks, row) for row in (_one(rows) if program.keeps_context else rows))
    covers: dict[str, list[str]] = {}
    for covered in layout(program).covered:
        holder, _, name = covered.stored.partition(".")
        covers.setdefault(holder, []).append(f"{name}: {covered}" if name else str(covered))
    fields = tuple(
        replace(field, covers="; ".join(covers[field.name])) if field.name in covers and not field.depth else field
        for field in fields
    )
    instances = tuple(_instance(program, instance) for instance in program.instances)
    tags = tuple(map(_tag, program.tagged))
    parameters = tuple(
        ParameterDescription(parameter.name, str(parameter.type), parameter.doc)
        for parameter in program.parameter_types
    )
    types = []
    steps = (*program.steps, *(step for instance in program.instances for step in instance.steps))
    used = dict.fromkeys(field.type for field in program.fields if field.type is not None)
    for inner in dict.fromkeys((*used, *types_of(steps))):
        if inner.name not in seen:
            seen.add(inner.name)
            types.append(_describe(inner, "", seen))
    return Description(program.name, title, program.doc, fields, tuple(types), parameters, instances, tags)


def _one(rows: Iterator[LayoutRow]) -> Iterator[LayoutRow]:
    """The top-level rows alone; the type of a window is that of its content."""
    for row in rows:
        if row.depth == 0:
            # Bits of a type of bits alone have no step of their own, or only their rule's.
            is_said = type(row.step) is Step or isinstance(row.step, Check)
            yield row if is_said else replaced(row, type_text=content_text(row.step))


def _field(fields: Mapping[str, list[Field]], checks: Mapping[str, list[Check]], row: LayoutRow) -> FieldDescription:
    field = fields[row.name][0] if row.name in fields else None
    enum: Enum | None = field.enum if field is not None else None
    derived = "" if field is None or field.derive is None else str(field.derive)
    if field is not None and field.computed:
        derived = "computed"
    if isinstance(row.step, ReadBytes) and row.step.fill is not None:
        derived = f"filled with {row.step.fill:#04x}"
    return FieldDescription(
        position=row.position,
        size=row.size,
        size_text=row.size_text,
        type=row.type_text,
        name=row.name,
        original_name=field.original_id if field is not None else "",
        doc=field.doc if field is not None else "",
        enum=dict(enum.members) if enum is not None else {},
        depth=row.depth,
        condition="" if row.step.condition is None else str(row.step.condition),
        valid=", ".join((*_literal(row.step), *(check.expected for check in checks.get(row.name, ())))),
        built=derived,
        base="" if field is None or field.base is None else field.base,
        positions="" if field is None or field.positions is None else str(field.positions),
        logical="" if field is None or field.logical is None else str(field.logical),
        cases=_cases(row.step, fields) if isinstance(row.step, ReadSwitch) else (),
    )


def _cases(step: ReadSwitch, fields: Mapping[str, list[Field]]) -> tuple[tuple[str, str], ...]:
    """The cases, those of a field of the same type by their names in its enum."""
    name = step.on.value[0] if step.on.op == "name" and len(step.on.value) == 1 else ""
    enum = fields[name][0].enum if name in fields else None
    members = {} if enum is None else {str(value): member for value, member in enum.members.items()}
    return tuple((members.get(value, value), kind) for value, kind in cases_of(step))


def _instance(program: TypeProgram, instance: Instance) -> FieldDescription:
    field = instance.field
    condition = "" if instance.condition is None else str(instance.condition)
    if instance.value is None:
        row = next(_one(rows_of(instance.steps)))
        place = "where its stream stands" if instance.position is None else str(instance.position)
        stream = "" if instance.stream is None else f" of {instance.stream}"
        return replace(
            _field(_by_name((field,)), _by_name(_checks(instance.steps)), row), at=place + stream, condition=condition
        )
    return FieldDescription(
        position=None,
        size=None,
        size_text="",
        type="" if field.value_type is None else str(field.value_type).replace(str(EXACT), "integer"),
        name=field.name,
        original_name=field.original_id,
        doc=field.doc,
        enum=dict(instance.enum.members) if instance.enum is not None else {},
        depth=0,
        condition=condition,
        valid=", ".join(check.expected for check in instance.checks),
        built="computed",
        base="",
        value=str(instance.value),
        logical="" if field.logical is None else str(field.logical),
    )


def _tag(tagged: TaggedField) -> FieldDescription:
    rows = layout(tagged.case).rows()
    row = next(row for row in rows if row.name == tagged.field.name and row.depth == 0)
    described = _field(_by_name((tagged.field,)), _by_name(_checks(tagged.case.steps)), row)
    default = _default_text(tagged.default)
    if tagged.field.logical is not None and isinstance(tagged.default, int | bytes):
        default = str(readable(tagged.field.logical, tagged.default)).lower()
    since = f", since {tagged.since}" * bool(tagged.since)
    return replace(described, position=None, condition="", tag=f"tag {tagged.tag}, else {default}{since}")


def _default_text(default: Any) -> str:
    if isinstance(default, tuple) and default:
        return f"{{{', '.join(f'{name}: {_default_text(inner)}' for name, inner in default)}}}"
    return "null" if default is None else "[]" if default == () else repr(default)


def _literal(step: Step) -> tuple[str, ...]:
    """What ``contents`` are: as text where they are printable, otherwise in hexadecimal."""
    if not isinstance(step, ReadLiteral):
        return ()
    text = step.contents.decode("latin-1")
    return (repr(text) if text.isascii() and text.isprintable() else step.contents.hex(" "),)


def _by_name(items: Iterable[Named]) -> dict[str, list[Named]]:
    groups: dict[str, list[Named]] = {}
    for item in items:
        groups.setdefault(item.name, []).append(item)
    return groups


def _checks(steps: Iterable[Step]) -> Iterator[Check]:
    """The rules on fields, including those of inlined structures."""
    for step in steps:
        if isinstance(step, Check):
            yield step
        elif isinstance(step, Window):
            yield from _checks(step.steps)


def _lines(described: Description) -> Iterator[str]:
    yield described.name + (f": {described.title}" if described.title else "")
    for paragraph in described.doc.split("\n\n") if described.doc else ():
        yield from textwrap.wrap(paragraph, 100, initial_indent="  ", subsequent_indent="  ")
    if described.parameters:
        yield "  given: " + ", ".join(f"{parameter.name} ({parameter.type})" for parameter in described.parameters)
    rows = [("position", "size", "type", "name")]
    for field in described.fields:
        position = "" if field.position is None else str(field.position)
        rows.append((position, field.size_text, field.type, "  " * field.depth + field.name))
    if described.fields or not described.instances:
        yield from _table(rows, ["", *map(_notes, described.fields)], ">")
    if described.tags:
        rows = [("tags", "size", "type", "name")]
        rows += [("", field.size_text, field.type, field.name) for field in described.tags]
        yield from _table(rows, ["", *map(_notes, described.tags)], ">")
    if described.instances:
        rows = [("instances: at", "size", "type", "name")]
        for field in described.instances:
            place = _short(f"= {field.value}") if field.value else _short(field.at)
            rows.append((place, field.size_text, field.type, field.name))
        yield from _table(rows, ["", *map(_notes, described.instances)])
    for inner in described.types:
        yield ""
        yield from _lines(inner)


def _table(rows: list[tuple[str, str, str, str]], docs: list[str], first: str = "<") -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row, doc in zip(rows, docs, strict=True):
        start = f"  {row[0]:{first}{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]:<{widths[3]}}"
        yield f"{start}  {_short(doc, _LONGEST)}".rstrip()


def _short(text: str, most: int = 48) -> str:
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


_LONGEST: Final = 240
"""Characters of a field's meaning that a line of a table has; all of them are in ``doc``."""


def _notes(field: FieldDescription) -> str:
    """When a field is there, which values are accepted, which type each case has, and what it means."""
    in_enum = field.valid == members_text(field.enum)
    must = f"must be {field.valid}" if field.valid and not in_enum else ""
    cases = ", ".join(f"{value}: {kind}" if value else f"else {kind}" for value, kind in field.cases)
    condition = f"if {field.condition}" * bool(field.condition)
    logical = f"as {field.logical}" * bool(field.logical)
    return "; ".join(
        filter(None, (field.tag, condition, must, field.covers, field.positions, logical, cases, _meaning(field)))
    )


def _meaning(field: FieldDescription) -> str:
    text = " ".join(field.doc.split())
    if field.enum:
        text = " ".join((text, "(" + ", ".join(f"{value} {name}" for value, name in field.enum.items()) + ")")).strip()
    return text
