"""A declaration as a table for people: position, size, type, name and meaning of every field."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kformat.language.layout import Row, layout
from kformat.language.program import Check, Enum, Field, Step, TypeProgram, Window, load_program, load_type


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field: ``position`` and ``size`` in bytes, None if they depend on the data, which ``size_text`` then
    explains.

    ``condition`` says when it is present ("": always), ``valid`` which values are accepted, ``built`` how a builder
    sets it: ``computed`` always, a value or an expression if the object has none, "" if it is required. ``base`` is the
    field that a delta is relative to.
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


@dataclass(frozen=True, slots=True)
class Description:
    """One type: its fields in order, and their types; ``str`` is the output of `kformat describe`."""

    name: str
    title: str
    doc: str
    fields: tuple[FieldDescription, ...]
    types: tuple[Description, ...]

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def describe(format: Any) -> Description:
    """Describe a format or one of its types; ``format`` and errors as in `kformat.parse`."""
    program = load_type(format)
    seen = {program.name}
    title = "" if "::" in program.name or isinstance(format, TypeProgram) else load_program(format).declaration.title
    return _describe(program, title, seen)


def _describe(program: TypeProgram, title: str, seen: set[str]) -> Description:
    fields = tuple(_field(program, row) for row in layout(program).rows())
    types = []
    for field in program.fields:
        if field.type is not None and field.type.name not in seen:
            seen.add(field.type.name)
            types.append(_describe(field.type, "", seen))
    return Description(program.name, title, program.doc, fields, tuple(types))


def _field(program: TypeProgram, row: Row) -> FieldDescription:
    named = sorted((item for item in program.fields if item.name == row.name), key=lambda item: item.raw)
    field: Field | None = named[0] if named else None
    enum: Enum | None = field.enum if field is not None else None
    derived = "" if field is None or field.derive is None else str(field.derive)
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
        valid=", ".join(check.expected for check in _checks(program.steps) if check.name == row.name),
        built="computed" if field is not None and field.computed else derived,
        base="" if field is None or field.base is None else field.base,
    )


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
    rows = [("position", "size", "type", "name")]
    for field in described.fields:
        position = "" if field.position is None else str(field.position)
        rows.append((position, field.size_text, field.type, "  " * field.depth + field.name))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    docs = ["", *(_meaning(field) for field in described.fields)]
    name_width = max(len(row[3]) for row in rows)
    for row, doc in zip(rows, docs, strict=True):
        start = f"  {row[0]:>{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]:<{name_width}}"
        yield f"{start}  {doc}".rstrip()
    for inner in described.types:
        yield ""
        yield from _lines(inner)


def _meaning(field: FieldDescription) -> str:
    text = " ".join(field.doc.split())
    if field.enum:
        text = " ".join((text, "(" + ", ".join(f"{value} {name}" for value, name in field.enum.items()) + ")")).strip()
    return text
