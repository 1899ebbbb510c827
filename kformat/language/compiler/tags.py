"""Tags that are attributes of the structure that has them: ``-tagged``.

The tags are a list, in the structure or in one that it holds. An element has a ``switch-on`` its number, and the type
of a case has the attribute as its field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from kformat.language.declaration import TypeDeclaration
from kformat.language.logical import stored
from kformat.language.mark import Mark, nearest
from kformat.language.steps import (
    Field,
    ReadInteger,
    ReadList,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TaggedField,
    TypeProgram,
    content_of,
)

_WHERE: Final = "-tagged is for a field of a type that is a case of a switch-on, in the elements of a list of tags"
DeclaredTypes = Callable[[TypeProgram], TypeDeclaration | None]
"""The declaration of a type."""


class _TagCase(NamedTuple):
    number: str
    data: str
    value: Any
    type: TypeProgram


def tags_of(program: TypeProgram, declared: DeclaredTypes) -> tuple[TaggedField, ...]:
    """The tags that are attributes of a type's values. Raises DeclarationError for one that does not suit it."""
    found: list[TaggedField] = []
    names = {item.name for item in program.fields} | {item.field.name for item in program.instances}
    names |= set(program.parameters)
    for path, element in _lists(program):
        for case in _cases(element):
            holder = declared(case.type)
            for item in () if holder is None else holder.fields:
                if item.tag is None:
                    continue
                field = next(field for field in case.type.fields if field.name == item.id)
                if case.value != item.tag.number:
                    item.tag.mark.refuse(f"the tag {item.tag.number} is that of the case {case.value!s:.40}")
                if item.id in names or any(item.id == other.field.name for other in found):
                    item.tag.mark.refuse(f"the name {item.id!r} is taken in {program.name}")
                if item.tag.before and item.tag.before not in names:
                    hint = nearest(item.tag.before, sorted(names))
                    item.tag.mark.refuse(f"{program.name} has no field {item.tag.before!r}{hint}")
                default = _default(item.tag.mark, item.tag.default, field)
                number, before, since = item.tag.number, item.tag.before, item.tag.since
                found.append(
                    TaggedField(field, number, default, path, case.number, case.data, case.type, before, since)
                )
    return tuple(sorted(found, key=lambda tagged: tagged.tag))


def holders_of(programs: Iterable[TypeProgram]) -> set[str]:
    """The types that only hold a list of structures, for the type around them."""
    return {
        content_of(step).type.name  # type: ignore[attr-defined]
        for program in programs
        for step in program.steps
        if isinstance(content_of(step), ReadType)
        and any(isinstance(inner, ReadList) for inner in content_of(step).type.steps)  # type: ignore[attr-defined]
        and all(
            field.kind == "list" or field.computed
            for field in content_of(step).type.fields  # type: ignore[attr-defined]
        )
    }


def refuse_elsewhere(declared: TypeDeclaration, used: set[tuple[str, ...]]) -> None:
    """Raise DeclarationError for a ``-tagged`` in a type that is no case of tags; ``used``: those that are."""
    for item in (*declared.fields, *declared.instances):
        if item.tag is not None and declared.name not in used:
            item.tag.mark.refuse(_WHERE)


def _lists(program: TypeProgram) -> Iterator[tuple[tuple[str, ...], TypeProgram]]:
    """The lists of structures in a type, and in those that it holds: the path of each, and the type of its elements."""
    for step in program.steps:
        step = content_of(step)
        if isinstance(step, ReadList) and isinstance(step.element, ReadType):
            yield (step.name,), step.element.type
        elif isinstance(step, ReadType):
            for inner in step.type.steps:
                if isinstance(inner, ReadList) and isinstance(inner.element, ReadType):
                    yield (step.name, inner.name), inner.element.type


def _cases(element: TypeProgram) -> Iterator[_TagCase]:
    """The cases of the switches of a list's elements that are structures, with a number of these elements."""
    numbers = {step.name for step in element.steps if isinstance(step, ReadInteger | ReadVarint)}
    for step in element.steps:
        if isinstance(step, ReadSwitch):
            asked = {path[0] for path in step.on.names()} & numbers
            for case in step.cases:
                inner = _content(case.steps, step.name)
                if isinstance(inner, ReadType) and case.value is not None and len(asked) == 1:
                    value = case.value.value if case.value.is_constant else None
                    yield _TagCase(min(asked), step.name, value, inner.type)


def _content(steps: tuple[Step, ...], name: str) -> Step | None:
    return next((content_of(step) for step in steps if step.name == name), None)


def _default(mark: Mark, written: Any, field: Field) -> Any:
    """A default as its value is stored; an empty list is ``()``, and a structure pairs of names and defaults."""
    kind = field.kind
    if isinstance(written, dict) and field.type is not None and kind == "structure":
        fields = {item.name: item for item in field.type.fields if not (item.computed or item.hidden)}
        if written.keys() != fields.keys():
            mark.refuse(f"the default of a structure has all its fields: {', '.join(fields)}")
        return tuple((name, _default(mark, written[name], item)) for name, item in fields.items())
    if written is None and (field.optional or kind == "structure"):
        return None
    if kind == "list" and written == []:
        return ()
    if field.logical is not None and isinstance(written, bool | str):
        if isinstance(written, bool) and field.logical.name == "bool":
            return int(written)
        try:
            return stored(field.logical, written, in_bytes=kind == "bytes")
        except ValueError as error:
            mark.refuse(f"the default is no {field.logical}: {error}")
    fits = {"integer": int, "float": int, "text": str}.get(kind)
    if fits is not None and isinstance(written, fits) and not isinstance(written, bool):
        return float(written) if kind == "float" else written  # type: ignore[arg-type]
    if kind == "bytes" and written == "":
        return b""
    mark.refuse(f"the default does not suit {field.name!r}, which is {field.value_type}")


__all__ = ["refuse_elsewhere", "tags_of"]
