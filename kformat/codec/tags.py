"""The contents of tags as attributes (``-tagged``): what a list of tags says of them, and an edited list.

The list is what the bytes hold, and stays as it was read: tags of any number, in any order, twice, with the default.
An attribute is a view of it: the content of the last element that has its tag, or its default. Setting one to its
default takes its elements away; setting it to anything else changes the last one, or adds one where the order of tags
has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kformat.codec.values import MISSING, Value, value_class
from kformat.language.logical import readable, stored, written_of
from kformat.language.program import Field, LogicalType, TaggedField, TypeProgram


class TagAttribute:
    """The class attribute of a tag."""

    __slots__ = ("tagged",)

    def __init__(self, tagged: TaggedField) -> None:
        self.tagged = tagged

    def __get__(self, value: Value | None, owner: type[Value] | None = None) -> Any:
        return self if value is None else tag_of(value, self.tagged)

    def __set__(self, value: Value, given: Any) -> None:
        set_tag(value, self.tagged, given)


def attributes_of(program: TypeProgram) -> dict[str, TagAttribute]:
    """The class attributes of a type's tags."""
    return {tagged.field.name: TagAttribute(tagged) for tagged in program.tagged}


def elements_of(value: object, path: tuple[str, ...]) -> list[Any] | None:
    """The list of tags of a structure; None if it has none."""
    held = value
    for name in path:
        held = getattr(held, name, None)
        if held is None:
            return None
    return held if isinstance(held, list) else None


def tag_of(value: Any, tagged: TaggedField) -> Any:
    """The attribute's value in a structure that was parsed."""
    for element in reversed(elements_of(value, tagged.path) or ()):
        if getattr(element, tagged.number, None) == tagged.tag:
            content = getattr(element, tagged.data, None)
            if isinstance(content, Value) and content._type == tagged.case:
                return getattr(content, tagged.field.name, None)
    return default_of(tagged)


def default_of(tagged: TaggedField) -> Any:
    """The attribute's value where no element has its tag."""
    return _made(tagged.default, tagged.field)


def _made(default: Any, field: Field) -> Any:
    """A default as parsers give it: a list, or a structure, of its own."""
    if default == ():
        return []
    if isinstance(default, tuple) and field.type is not None:
        kind = field.type
        return value_class(kind)(**{name: _made(inner, kind.field(name)) for name, inner in default})
    return default


def set_tag(value: Value, tagged: TaggedField, given: Any) -> None:
    """Set the attribute: its list of tags changes."""
    elements = elements_of(value, tagged.path)
    if is_default(tagged, given):
        if elements is not None:
            elements[:] = [element for element in elements if getattr(element, tagged.number, None) != tagged.tag]
        return
    if elements is None:
        elements = _new_list(value, tagged.path)
    content = value_class(tagged.case)(**{tagged.field.name: given})
    for element in reversed(elements):
        if getattr(element, tagged.number, None) == tagged.tag:
            setattr(element, tagged.data, content)
            return
    made = value_class(_element_type(value._type, tagged.path))(**{tagged.number: tagged.tag, tagged.data: content})
    elements.insert(_place(tagged, [getattr(element, tagged.number, None) for element in elements]), made)


def _place(tagged: TaggedField, numbers: list[Any]) -> int:
    """Where a new element stands: in front of the first with a larger tag."""
    larger = (index for index, number in enumerate(numbers) if isinstance(number, int) and number > tagged.tag)
    return next(larger, len(numbers))


def _new_list(value: Value, path: tuple[str, ...]) -> list[Any]:
    made: list[Any] = []
    for index, name in enumerate(path):
        inner: Any = getattr(value, name, None)
        if inner is None:
            inner = made if index == len(path) - 1 else value_class(_type_of(value._type, name))()
            setattr(value, name, inner)
        value = inner
    return made


def _type_of(program: TypeProgram, name: str) -> TypeProgram:
    kind = program.field(name).type
    assert kind is not None
    return kind


def _element_type(program: TypeProgram, path: tuple[str, ...]) -> TypeProgram:
    for name in path:
        program = _type_of(program, name)
    return program


def is_default(tagged: TaggedField, given: Any) -> bool:
    """Whether a given value is the attribute's default, as it is stored or as people write it."""
    return _is_default(tagged.default, tagged.field, given)


def _is_default(default: Any, field: Field, given: Any) -> bool:
    if default is None or given is None:
        return given is None and (default is None or not field.optional)
    if isinstance(default, tuple) and default and field.type is not None:
        there = {name: _member(given, name) for name, _ in default}
        known = given if isinstance(given, Mapping) else getattr(given, "__dict__", None) or there
        return not isinstance(given, str | bytes | int | float | list) and all(
            name not in known or _is_default(inner, field.type.field(name), there[name]) for name, inner in default
        )
    if default == ():
        return not isinstance(given, str | bytes | Mapping) and isinstance(given, Iterable) and not list(given)
    if given == default and type(given) is not float:
        return True
    logical = field.logical
    return logical is not None and _stored(logical, given, isinstance(default, bytes)) == default


def _stored(logical: LogicalType, given: Any, in_bytes: bool) -> Any:
    if isinstance(given, bool) and logical.name == "bool":
        return int(given)
    if isinstance(given, int | bytes):
        return given
    try:
        return stored(logical, written_of(given), in_bytes=in_bytes)
    except ValueError:
        return MISSING


# --- what builders are given -----------------------------------------------------------------------------------------


def with_tags(program: TypeProgram, entries: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Put attributes that a builder is given (``given``, by name) into the lists of tags that it builds."""
    for tagged in program.tagged:
        if tagged.field.name in given:
            value = given[tagged.field.name]
            elements = _taken(entries, tagged.path)
            if elements is None:
                if is_default(tagged, value):
                    continue
                elements = _put(entries, tagged.path)
            _edit(elements, tagged, value)


def _taken(entries: dict[str, Any], path: tuple[str, ...]) -> list[Any] | None:
    """A list of tags that is given, as a list of our own; None if there is none."""
    name, *others = path
    holder = entries.get(name)
    if holder is None:
        return None
    if not others:
        entries[name] = list(holder) if isinstance(holder, Iterable) and not isinstance(holder, str | bytes) else []
        made: list[Any] = entries[name]
        return made
    if isinstance(holder, Value):
        holder = {field: getattr(holder, field) for field in holder._fields if hasattr(holder, field)}
    entries[name] = dict(holder) if isinstance(holder, Mapping) else {}
    inner = _taken(entries[name], tuple(others))
    return _put(entries[name], tuple(others)) if inner is None else inner


def _put(entries: dict[str, Any], path: tuple[str, ...]) -> list[Any]:
    for name in path[:-1]:
        if entries.get(name) is None:
            entries[name] = {}
        entries = entries[name]
    made: list[Any] = []
    entries[path[-1]] = made
    return made


def _member(element: Any, name: str) -> Any:
    return element.get(name) if isinstance(element, Mapping) else getattr(element, name, None)


def _edit(elements: list[Any], tagged: TaggedField, value: Any) -> None:
    there = [index for index, element in enumerate(elements) if _member(element, tagged.number) == tagged.tag]
    if there and _same(_member(_member(elements[there[-1]], tagged.data), tagged.field.name), value, tagged):
        return
    if is_default(tagged, value):
        elements[:] = [element for index, element in enumerate(elements) if index not in there]
        return
    made = {tagged.number: tagged.tag, tagged.data: {tagged.field.name: value}}
    if there:
        elements[there[-1]] = made
    else:
        elements.insert(_place(tagged, [_member(element, tagged.number) for element in elements]), made)


def _same(there: Any, given: Any, tagged: TaggedField) -> bool:
    """Whether an element's content is the given value already, maybe in its logical form."""
    if there == given:
        return True
    logical = tagged.field.logical
    return logical is not None and isinstance(there, int | bytes) and readable(logical, there) == given


# --- what is shown ---------------------------------------------------------------------------------------------------


def says_nothing(value: Any, program: TypeProgram, name: str) -> bool:
    """Whether a hidden structure or list of a value holds nothing that a builder would not make without it."""
    inner = getattr(value, name, None)
    known = [tagged for tagged in program.tagged if tagged.path[0] == name]
    if known:
        elements = elements_of(value, known[0].path)
        if elements is None:
            return True
        by_tag = {tagged.tag: tagged for tagged in known}
        numbers = [getattr(element, known[0].number, -1) for element in elements]
        return numbers == sorted(set(numbers)) and all(
            number in by_tag and _is_plain_tag(element, by_tag[number])
            for number, element in zip(numbers, elements, strict=True)
        )
    return _is_empty(inner)


def _is_plain_tag(element: Any, tagged: TaggedField) -> bool:
    content = getattr(element, tagged.data, None)
    if not isinstance(content, Value) or content._type != tagged.case:
        return False
    return not is_default(tagged, getattr(content, tagged.field.name, None))


def _is_empty(value: Any) -> bool:
    if isinstance(value, Value):
        return all(
            field.computed or field.hidden or _is_empty(getattr(value, field.name, None))
            for field in value._type.fields
        )
    return value is None or value in ([], b"", "")


__all__ = ["attributes_of", "default_of", "says_nothing", "set_tag", "tag_of", "with_tags"]
