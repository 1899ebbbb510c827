"""Given values as drafts: converted to the declared types, or refused with the path."""

from __future__ import annotations

import itertools
import numbers
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sized
from types import MappingProxyType
from typing import Any, Final

from kformat.codec.builder.lengths import assign, derive_fields
from kformat.codec.builder.state import CONVERTED, Build, names_of
from kformat.codec.builder.text import text_bytes
from kformat.codec.builder.written_rows import WrittenRows
from kformat.codec.cases import case_of
from kformat.codec.drafts import Draft, Path, asks_moment, evaluator, once_per_object, shown
from kformat.codec.tags import with_tags
from kformat.codec.values import ERRORS, MISSING, PLACE, REST, Undecided, Value, asked, held, noted
from kformat.errors import BuildError, UsageError, kind_of
from kformat.language.expression import EvaluationError, Expression
from kformat.language.logical import EXPECTED, stored, written_of
from kformat.language.mark import nearest
from kformat.language.program import (
    Enum,
    Field,
    LogicalType,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)


def make_draft(
    build: Build,
    program: TypeProgram,
    obj: Any,
    parent: Draft | None,
    root: Draft | None,
    path: Path,
    arguments: Mapping[str, Any] = MappingProxyType({}),
    original: Value | None = None,
    given_by: dict[str, tuple[Expression, Draft]] | None = None,
) -> Draft:
    draft = Draft(program, parent, root)
    draft._answers, draft._original, draft._arguments = build.answers, original, given_by or {}
    values = draft.__dict__
    values.update(arguments)
    fields, instances, payloads = names_of(program)
    if type(obj) is dict or isinstance(obj, Mapping):
        draft._rest = obj.get(REST)
    elif isinstance(obj, Value):
        draft._kept, draft._rest = noted(obj, "_kept") or {}, noted(obj, REST)
    else:
        draft._kept, draft._rest = getattr(obj, "_kept", None) or {}, getattr(obj, REST, None)
    if draft._rest is not None and not isinstance(draft._rest, bytes):
        raise BuildError("bytes are expected", path=shown((path, REST)), found=kind_of(draft._rest))
    if isinstance(obj, Value):
        draft._read_size = getattr(noted(obj, "_io"), "size", None)
        said = noted(obj, "_said") or {}
        draft._places.update({name: said[name][PLACE] for name in instances if PLACE in said.get(name, ())})
    entries = _given(program, obj, path)
    if program.tagged and not isinstance(obj, Value):
        with_tags(program, entries, _given_tags(program, obj))
    values.update(entries)
    if not fields.keys() <= entries.keys():
        draft._absent = frozenset(name for name in fields if name not in entries)
    if program.bits:
        for bit in program.bits:
            if bit.name in entries:
                value = _meant(fields[bit.name].logical, None, entries[bit.name], (path, bit.name))
                values[bit.name] = _integer(value, bit.enum, (path, bit.name))
        derive_fields(build, draft, path)  # other fields depend on it: which codec, which version
        return draft
    convert_all(build, program.steps, draft, fields, payloads, path)
    for name, instance in instances.items():
        if entries.get(name) is not None:
            build.may_change |= instance.stream is not None
            if original is not None:
                asked(original, name)  # so that it is known which bytes are its
            convert_all(build, instance.steps, draft, {name: instance.field}, frozenset(), path)
    if original is not None:
        draft._kept = (getattr(original, "_kept", None) or {}) | draft._kept
    return draft


def convert_all(
    build: Build, steps: Iterable[Step], draft: Draft, fields: dict[str, Field], payloads: Iterable[str], path: Path
) -> None:
    values = draft.__dict__
    for step in steps:
        kind = type(step)
        if kind is Window:
            name = step.name
            value = values.get(name)
            if name in payloads and isinstance(value, bytes | bytearray | memoryview):
                values[name] = bytes(value)
                continue
            convert_all(build, step.steps, draft, fields, payloads, path)  # type: ignore[attr-defined]
            continue
        if kind not in CONVERTED:
            continue
        name = step.name
        value = values.get(name, MISSING)
        if type(value) is int and kind is ReadInteger:
            continue
        if value is MISSING or value is None:
            field = fields[name]
            if value is MISSING and field.hidden and kind is ReadType:
                continue  # there if its condition says so
            if field.optional or kind is ReadSwitch:
                values[name] = None
                continue
            if kind is ReadList:
                values[name] = []
                continue
            if kind is ReadType or kind is ReadBits:
                value = {}
            elif value is None:
                raise BuildError("may not be null", path=shown((path, name)))
            else:
                continue
        if fields[name].logical is not None:
            value = _meant(fields[name].logical, step, value, (path, name))
        values[name] = convert(build, step, value, draft, (path, name))


def _meant(logical: LogicalType | None, step: Step | None, value: Any, path: Path) -> Any:
    """What is stored of a value that has a field's logical type; integers and bytes are stored already."""
    if logical is None or value is None or isinstance(value, int | bytes | bytearray | memoryview | Undecided):
        return value
    if isinstance(step, ReadList):
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            return value  # and refused
        value = _counted(step, value, path)
        return [_meant(logical, step.element, item, (path, index)) for index, item in enumerate(value)]
    try:
        written = written_of(value)
        if not isinstance(written, str | list | float):
            return value
        return stored(logical, written, in_bytes=isinstance(step, ReadBytes))
    except ValueError as error:
        expected = EXPECTED[logical.name]
        raise BuildError(f"no {logical.name}", path=shown(path), expected=expected, found=str(error)) from None


def convert(build: Build, step: Step, value: Any, draft: Draft, path: Path) -> Any:
    """A given value in the Python type of its step."""
    if isinstance(value, Undecided) and not isinstance(step, Window | ReadSwitch):
        value = value.give(step)
    kind = _KINDS.get(type(step))
    return value if kind is None else kind(build, step, value, draft, path)


def _convert_integer(build: Build, step: ReadInteger | ReadVarint, value: Any, draft: Draft, path: Path) -> int:
    return value if type(value) is int else _integer(value, step.enum, path)


def _convert_bit(build: Build, step: ReadBit, value: Any, draft: Draft, path: Path) -> int:
    return value if step.boolean and isinstance(value, bool) else _integer(value, step.enum, path)


def _convert_bytes(build: Build, step: ReadBytes, value: Any, draft: Draft, path: Path) -> Any:
    if step.encoding is None:
        return _bytes(value, path)
    if not isinstance(value, str):
        raise BuildError("text is expected", path=shown(path), found=kind_of(value))
    text_bytes(step, value, draft, path)
    return value


def _convert_float(build: Build, step: ReadFloat, value: Any, draft: Draft, path: Path) -> Any:
    if value is not None and not isinstance(value, numbers.Real):
        raise BuildError("a number is expected", path=shown(path), found=kind_of(value))
    return value


def _convert_list(build: Build, step: ReadList, value: Any, draft: Draft, path: Path) -> Any:
    if isinstance(value, WrittenRows):
        return value
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise BuildError("a list is expected", path=shown(path), found=kind_of(value))
    element = step.element
    value = _counted(step, value, path)
    if isinstance(element, ReadInteger | ReadVarint):
        return [
            item if type(item) is int else _integer(item, element.enum, (path, index))
            for index, item in enumerate(value)
        ]
    elements: list[Any] = []
    items, draft.__dict__[step.name] = list(value), elements  # as in a parser, elements know those before them
    for index, item in enumerate(items):
        draft.__dict__["_index"] = index
        elements.append(convert(build, element, item, draft, (path, index)))
    return elements


def _convert_window(build: Build, step: Window, value: Any, draft: Draft, path: Path) -> Any:
    if isinstance(value, bytes) and step.codec is not None:
        return value
    for inner in step.steps:
        if inner.name == step.name and type(inner) in CONVERTED:
            return convert(build, inner, value, draft, path)
    return value


def child_draft(build: Build, step: ReadType | ReadBits, value: Any, draft: Draft, path: Path) -> Draft:
    if isinstance(value, Draft):
        if value._program is not step.type and value._program != step.type:
            raise BuildError("a structure of another type", path=shown(path), expected=step.type.name)
        return value
    foreign = isinstance(step, ReadType) and step.foreign
    orphan = isinstance(step, ReadType) and (step.orphan or step.foreign)
    parent = None if orphan else draft
    if isinstance(step, ReadType) and step.parent is not None:
        try:
            parent = evaluator(step.parent)(draft)
        except (AttributeError, EvaluationError):
            parent = None
    arguments: dict[str, Any] = {}
    nodes = step.arguments if isinstance(step, ReadType) else ()
    for name, node in nodes:
        try:
            arguments[name] = evaluator(node)(draft)
        except (AttributeError, EvaluationError):
            continue  # known later: `write_child` sets it again
    original = _original(step.type, draft, path)
    root, given_by = None if foreign else draft._root, {name: (node, draft) for name, node in nodes}
    return make_draft(build, step.type, value, parent, root, path, arguments, original, given_by)


def convert_case(build: Build, step: ReadSwitch, value: Any, draft: Draft, path: Path) -> Any:
    if asks_moment(step.on, draft):
        return value  # until it is written
    try:
        case = case_of(step, evaluator(step.on)(draft), draft)
    except (AttributeError, EvaluationError):
        pass  # the key is not given: it follows from the case that takes the value
    else:
        if case is None or not case.steps:
            return value
        return convert(build, content_of(case.steps, step.name), value, draft, path)
    fitting = []
    for case in step.cases:
        try:
            converted = convert(build, content_of(case.steps, step.name), value, draft, path) if case.steps else value
        except BuildError:
            continue
        exact = isinstance(value, Value) and isinstance(converted, Draft) and value._type == converted._program
        fitting.append((not exact, case, converted))
    fitting = [item for item in fitting if item[0] == min(entry[0] for entry in fitting)]
    if len(fitting) != 1 or fitting[0][1].value is None:
        raise BuildError(f"cannot be built without {step.on}: several cases take it", path=shown(path))
    _, case, converted = fitting[0]
    assert case.value is not None
    assign(build, step.on, evaluator(case.value)(draft), draft)
    return converted


_KINDS: Final[Mapping[type, Callable[..., Any]]] = {
    ReadInteger: _convert_integer,
    ReadVarint: _convert_integer,
    ReadBit: _convert_bit,
    ReadBytes: _convert_bytes,
    ReadFloat: _convert_float,
    ReadType: child_draft,
    ReadBits: child_draft,
    ReadList: _convert_list,
    Window: _convert_window,
    ReadSwitch: convert_case,
}


@once_per_object(1024)
def _known_names(program: TypeProgram) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of fields and instances that are read; and all names that a mapping may have."""
    fields, instances, _ = names_of(program)
    tags = [tagged.field.name for tagged in program.tagged]
    computed = [item.field.name for item in program.instances]
    return (*fields, *instances), frozenset((REST, ERRORS, *fields, *program.parameters, *computed, *tags))


def _given(program: TypeProgram, obj: Any, path: Path) -> dict[str, Any]:
    fields = names_of(program)[0]
    names, known = _known_names(program)
    if type(obj) is dict or isinstance(obj, Mapping):
        unknown = [name for name in obj if name not in known]
        if unknown:
            raise BuildError(
                f"{program.name} has no field {unknown[0]!r}; it has {', '.join(fields)}"
                + nearest(str(unknown[0]), names),
                path=shown(path),
            )
        return {name: obj[name] for name in names if name in obj}
    if isinstance(obj, str | bytes | int | float | list | tuple) or obj is None:
        raise BuildError("a structure is expected", path=shown(path), expected=program.name, found=kind_of(obj))
    if isinstance(obj, Value) and obj._type is not program and obj._type != program:
        others = [name for name in obj._fields if name not in fields and hasattr(obj, name)]
        if others:  # they would be lost
            found = f"{obj._type.name}, with {others[0]}"
            raise BuildError("a structure of another type", path=shown(path), expected=program.name, found=found)
    if isinstance(obj, Value) and obj._instances:  # one that was not asked for is not read
        return {name: value for name in names if (value := held(obj, name)) is not MISSING}
    return {name: value for name in names if (value := getattr(obj, name, MISSING)) is not MISSING}


def _given_tags(program: TypeProgram, obj: Any) -> dict[str, Any]:
    """The tags that are given as attributes."""
    names = [tagged.field.name for tagged in program.tagged]
    if isinstance(obj, Mapping):
        return {name: obj[name] for name in names if name in obj}
    return {name: value for name in names if (value := getattr(obj, name, MISSING)) is not MISSING}


def content_of(steps: tuple[Step, ...], name: str) -> Step:
    return next(step for step in steps if step.name == name and (type(step) in CONVERTED or type(step) is Window))


def _integer(value: Any, enum: Enum | None, path: Path) -> int:
    if isinstance(value, str):
        try:
            return _member(enum, value, path)
        except UsageError as error:
            raise BuildError(str(error), path=shown(path)) from None
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError("an integer is expected", path=shown(path), found=kind_of(value)) from None


def _member(enum: Enum | None, text: str, path: Path) -> int:
    if enum is None:
        while isinstance(path[-1], int):
            path = path[0]
        raise UsageError(f"{path[-1]} is an integer without names, found {text!r}")
    for value, name in enum.members.items():
        if name == text:
            return value
    names = ", ".join(enum.members.values())
    raise UsageError(f"{text!r} is no {enum.name}{nearest(text, enum.members.values())} (there are {names})")


def _counted(step: ReadList, value: Iterable[Any], path: Path) -> Iterable[Any]:
    """The given elements, refused before they are converted if the count's field cannot hold their number."""
    if step.count is None:
        return value
    low, high = max(step.count.low, 0), max(step.count.high, 0)
    if not isinstance(value, Sized):  # one more than allowed shows that there are too many
        value = list(itertools.islice(value, high + 1)) if high < sys.maxsize else list(value)
    try:
        count = len(value)
    except OverflowError:  # a range
        count = sys.maxsize
    if not low <= count <= high:
        wanted = f"{low} elements" if low == high else f"{low} to {high} elements"
        raise BuildError(
            "does not have the size that the declaration asks for", path=shown(path), expected=wanted, found=count
        )
    return value


def _original(program: TypeProgram, draft: Draft, path: Path) -> Value | None:
    """The original value at the place of a draft; None if that is no structure of this type."""
    if draft._original is None:
        return None
    value = asked(draft._original, path[-1] if isinstance(path[-1], str) else path[0][-1])
    if isinstance(value, list) and isinstance(path[-1], int):
        value = value[path[-1]] if path[-1] < len(value) else None
    return value if isinstance(value, Value) and value._type == program else None


def _bytes(value: Any, path: Path) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise BuildError("bytes are expected", path=shown(path), found=kind_of(value))
    return bytes(value)
