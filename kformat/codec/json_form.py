"""Values as JSON and back: the output of `kformat parse` and input of `kformat build`, and the JSON Schema of both.

`to_json` returns objects for any JSON library, `from_json` converts them to input for `kformat.build`, and
`json_schema` describes them; all three follow the declaration. docs/json.md documents the same for users.

* A structure is an object with the declared names. null is null; a missing field was not read, and `build` derives it
  or raises.
* Integers are JSON integers of any size. Readers that convert them to doubles lose precision beyond 2^53, so fields
  with a larger range may be strings of digits.
* Members of enums are written by name, other numbers of the same field as numbers.
* Floats that JSON lacks are the strings NaN, Infinity and -Infinity.
* What has a logical type (``-as``) is written as `language.logical` says: times, decimals, addresses as text.
* Bytes are base64, or have a prefix with the encoding: ``hex:00ff``, ``text:key-1``. base64 contains no colon.
* What is hidden (``-hidden``) is left out where `build` makes it without being given it. Tags that are attributes
  (``-tagged``) are members of the structure that has them.
* Instances are there on request: those that are read, and computed ones that are no structures. `build` writes the
  first, and computes the others again. ``_errors`` says by name why one cannot be read; `build` passes over it.
* Bytes that were kept after a structure (``trailing="keep"``) are ``_rest``.
* Text, and bytes as text, represent bytes that are not UTF-8 as lone surrogates (PEP 383); JSON writes ``\\udc80``.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from kformat.codec.tags import default_of, says_nothing
from kformat.codec.values import ERRORS, MISSING, REST, Undecided, Value, asked
from kformat.errors import BuildError, DataError, LimitError, UsageError, kind_of
from kformat.language.logical import EXPECTED, is_stored, readable, stored
from kformat.language.mark import nearest
from kformat.language.program import (
    MAX_NESTING,
    Align,
    Check,
    CheckEnd,
    Checksum,
    Enum,
    Field,
    LogicalType,
    ReadBit,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadOpaque,
    ReadSwitch,
    ReadType,
    ReadVarint,
    Step,
    TaggedField,
    TypeProgram,
    Window,
    load_program,
    load_type,
)

SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"

_EXACT: Final = 2**53 - 1
"""The largest integer up to which doubles are exact (JavaScript's MAX_SAFE_INTEGER)."""

_MOST_NAMES: Final = 20
"""Names of an enum that a message has."""

_DIGITS: Final = re.compile(r"-?[0-9]{1,20}")
_FLOATS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

_ENCODE: Final[dict[str, Callable[[bytes], str]]] = {
    "base64": lambda data: base64.b64encode(data).decode("ascii"),
    "hex": lambda data: f"hex:{data.hex()}",
    "text": lambda data: "text:" + data.decode("utf-8", "surrogateescape"),
}
_DECODE: Final[dict[str, Callable[[str], bytes]]] = {
    "base64": lambda text: base64.b64decode(text, validate=True),
    "hex": bytes.fromhex,
    "text": lambda text: text.encode("utf-8", "surrogateescape"),
}
BYTES: Final = tuple(_ENCODE)
"""The encodings of bytes."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a field, or of a list's elements: ``kind`` as of `program.Field`, and the details of that kind."""

    kind: str
    low: int = 0
    high: int = 0
    enum: Enum | None = None
    type: TypeProgram | None = None
    element: Form | None = None
    compressed: bool = False
    """A structure that may also be given as its compressed bytes."""
    cases: tuple[Form, ...] = ()
    """Of ``any``: what a switch may choose."""
    logical: LogicalType | None = None

    @property
    def is_wide(self) -> bool:
        """Whether it contains integers that exceed a double's precision."""
        return self.low < -_EXACT or self.high > _EXACT


_FLOAT: Final = Form("float")


@lru_cache(maxsize=1024)
def forms(program: TypeProgram) -> dict[str, Form]:
    """The fields of a type by name, in declared order."""
    if program.bits:
        by_name = {bit.name: Form("integer", high=bit.mask, enum=bit.enum) for bit in program.bits}
    else:
        by_name = dict(_walk(program.steps))
    return {field.name: _meant(by_name[field.name], field) for field in program.fields}


@lru_cache(maxsize=1024)
def tag_forms(program: TypeProgram) -> dict[str, Form]:
    """The tags that are attributes of a type, by name."""
    return {tagged.field.name: forms(tagged.case)[tagged.field.name] for tagged in program.tagged}


@lru_cache(maxsize=1024)
def _members(program: TypeProgram) -> tuple[tuple[str, Form, bool], ...]:
    """The members of a type's object: fields, and tags in front of the field that they name; whether each is hidden."""
    hidden = {field.name for field in program.fields if field.hidden}
    made: list[tuple[str, Form, bool]] = []
    tags = tag_forms(program)
    for name, form in forms(program).items():
        before = (tagged.field.name for tagged in program.tagged if tagged.before == name)
        made += [(tag, tags[tag], False) for tag in before]
        made.append((name, form, name in hidden))
    behind = (tagged.field.name for tagged in program.tagged if not tagged.before)
    return (*made, *((tag, tags[tag], False) for tag in behind))


def _meant(form: Form, field: Field) -> Form:
    """The form with what the values mean: of a list its elements."""
    if field.logical is None:
        return form
    if form.element is not None:
        return replace(form, element=_meant(form.element, field))
    return replace(form, logical=field.logical)


@lru_cache(maxsize=1024)
def instance_forms(program: TypeProgram) -> dict[str, Form]:
    """The instances of a type by name; the form of a computed one follows from its value."""
    by_name: dict[str, Form] = {}
    for instance in program.instances:
        form = Form("any", enum=instance.enum)
        if instance.value is None:
            form = dict(_walk(instance.steps))[instance.field.name]
        by_name[instance.field.name] = _meant(form, instance.field)
    return by_name


def _walk(steps: Iterable[Step]) -> Iterator[tuple[str, Form]]:
    for step in steps:
        match step:
            case Check() | CheckEnd() | Checksum() | Align():
                pass
            case Window(codec=None):
                yield from _walk(step.steps)
            case Window():
                inner = dict(_walk(step.steps))
                itself = inner.pop(step.name, None)
                yield step.name, Form("structure", type=itself.type, compressed=True) if itself else Form("bytes")
                yield from inner.items()
            case _:
                yield step.name, _form(step)


def _form(step: Step) -> Form:
    match step:
        case ReadInteger() | ReadVarint():
            return Form("integer", low=step.kind.low, high=step.kind.high, enum=step.enum)
        case ReadBit():
            kind = "boolean" if step.boolean else "integer"
            return Form(kind, high=(1 << step.width) - 1, enum=step.enum)
        case ReadSwitch():
            alternatives = [form for case in step.cases for _, form in _walk(case.steps)]
            has_default = any(case.value is None for case in step.cases)
            return Form("any", cases=(*alternatives, *([] if has_default else [Form("null")])))
        case ReadOpaque():
            return Form("any")
        case ReadFloat():
            return Form("float")
        case Window():  # of an element of a list
            (form,) = (form for _, form in _walk([step]))
            return form
        case ReadBytes():
            return Form("bytes" if step.encoding is None else "text")
        case ReadLiteral():
            return Form("bytes")
        case ReadBits() | ReadType():
            return Form("structure", type=step.type)
        case ReadList():
            return Form("list", element=_form(step.element))
    raise AssertionError(step)


# --- values to JSON ------------------------------------------------------------------------------------------------


def to_json(
    value: Value,
    *,
    bytes_as: str = "base64",
    int64_as_strings: bool = False,
    instances: bool = False,
    unread: list[DataError] | None = None,
) -> dict[str, Any]:
    """A parsed value as dictionaries, lists, strings, numbers and None, which every JSON library can write.

    Args:
        value: the result of `kformat.parse`; fields that were not read are left out.
        bytes_as: ``base64``, ``hex`` or ``text``; all three are lossless, and distinguishable.
        int64_as_strings: write the integers of fields whose range goes beyond 2^53 as strings, for readers that use
            doubles for all numbers.
        instances: also what the instances are, of all structures: asked for in declared order, those of the structures
            in a value before its own. ``_errors`` has the reason by the name of each one that cannot be read.
        unread: gets these errors, too.

    Raises UsageError for another ``bytes_as``, or a value that was not parsed; LimitError where instances read the same
    bytes again and again.
    """
    if not isinstance(value, Value):
        raise UsageError(f"a parsed value is expected, found {type(value).__name__}")
    if bytes_as not in _ENCODE:
        raise UsageError(f"bytes are written as {', '.join(BYTES)}; there is no {bytes_as!r}")
    if instances:
        value._refresh()
    writer = _JsonWriter(_ENCODE[bytes_as], int64_as_strings, instances, [] if unread is None else unread)
    try:
        return writer.structure(value)
    except RecursionError:  # there may be many structures without instances between two that have some
        raise _too_deep(value) from None


def _too_deep(value: Value) -> LimitError:
    return LimitError("instances nested too deeply", path=value._type.label, expected=f"<= {MAX_NESTING}")


@dataclass(slots=True)
class _JsonWriter:
    encode: Callable[[bytes], str]
    strings: bool
    instances: bool
    unread: list[DataError]
    depth: int = 0

    def structure(self, value: Value) -> dict[str, Any]:
        members = {
            name: self.plain(getattr(value, name), form)
            for name, form, is_hidden in _members(value._type)
            if hasattr(value, name) and not (is_hidden and _is_left_out(value, name, form))
        }
        rest = getattr(value, REST, b"")
        if rest:
            members[REST] = self.encode(rest)
        if self.instances and value._instances:
            self.depth += 1
            if self.depth > MAX_NESTING:
                raise _too_deep(value)
            errors: dict[str, DataError] = {}
            for name, form in instance_forms(value._type).items():
                it = asked(value, name, errors)
                if it is not MISSING and not (form.kind == "any" and not form.cases and not _is_plain(it)):
                    members[name] = self.plain(it, form)
            if errors:
                members[ERRORS] = {name: str(error) for name, error in errors.items()}
                self.unread += errors.values()
            self.depth -= 1
        return members

    def plain(self, value: Any, form: Form) -> Any:
        if value is None or form.kind in ("text", "boolean"):
            return value
        if form.logical is not None and isinstance(value, list):  # a computed one
            return [self.plain(item, form) for item in value]
        if form.logical is not None and isinstance(value, int | bytes):
            meaning = readable(form.logical, value)
            if not is_stored(meaning):
                return self.plain(meaning, _FLOAT) if isinstance(meaning, float) else meaning
        match form.kind:
            case "any":
                return self.any(value, form)
            case "integer":
                known = None if form.enum is None else form.enum.members.get(int(value))
                if known is not None:
                    return known
                return str(int(value)) if self.strings and form.is_wide else int(value)
            case "bytes":
                return self.encode(value)
            case "float":
                if math.isfinite(value):
                    return float(value)
                return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            case "list" if form.element is not None:
                return [self.plain(item, form.element) for item in value]
        return self.encode(value) if isinstance(value, bytes) else self.structure(value)

    def any(self, value: Any, form: Form) -> Any:
        """The content of a switch, or of an instance, by the type of the value itself. Bytes have a prefix where there
        may be text as well.
        """
        if isinstance(value, Value):
            return self.structure(value)
        if isinstance(value, bytes):
            text = self.encode(value)
            return text if not _may_be_text(form) or text.startswith(("hex:", "text:")) else _ENCODE["hex"](value)
        if isinstance(value, list):
            return [self.any(item, form) for item in value]
        if isinstance(value, float):
            return self.plain(value, _FLOAT)
        if isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            known = None if form.enum is None else form.enum.members.get(int(value))
            return int(value) if known is None else known
        raise UsageError(f"a value of another program, {type(value).__name__}, has no JSON")


def _is_left_out(value: Value, name: str, form: Form) -> bool:
    """Whether a hidden member is not shown: `build` makes it without."""
    return form.kind not in ("structure", "list") or says_nothing(value, value._type, name)


def _is_plain(value: Any) -> bool:
    """Whether a computed value is plain data, and no structure or stream, which belong elsewhere."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, int | float | str | bytes)


def _may_be_text(form: Form) -> bool:
    return any(case.kind == "text" or (case.element is not None and _may_be_text(case.element)) for case in form.cases)


# --- JSON to the input of `build` ------------------------------------------------------------------------------------


def from_json(format: Any, obj: Any, *, bytes_as: str = "base64") -> Any:
    """Input for `kformat.build`, from the output of `to_json` as read by a JSON library.

    Values that do not match their declaration are either refused here or left for `build` to refuse.

    Args:
        format: as for `kformat.parse`.
        bytes_as: the encoding of bytes without a prefix.

    Raises:
        BuildError: with the path of the unreadable value.
        UsageError, DeclarationError: the format or ``bytes_as`` does not exist, or the declaration is wrong.
    """
    if bytes_as not in _DECODE:
        raise UsageError(f"bytes are written as {', '.join(BYTES)}; there is no {bytes_as!r}")
    program = load_type(format)
    return _JsonInput(bytes_as).structure(program, obj, program.label)


@lru_cache(maxsize=1024)
def _given_forms(program: TypeProgram) -> dict[str, Form | None]:
    """The names that an object of a type may have, each with its form, in which the structure's own win over instances;
    None for what `build` passes over."""
    computed = {instance.field.name for instance in program.instances if instance.value is not None}
    passed_over = dict.fromkeys((*computed, ERRORS))
    return {**instance_forms(program), **forms(program), **tag_forms(program), **passed_over, REST: Form("bytes")}


class _JsonInput:
    """Converts JSON to input for a builder. ``bytes_as`` is the encoding of bytes without a prefix.

    The content of a switch may be tried as each of its cases, in which there may be switches: each object is converted
    once for each type, and so the work grows with the input, not with the ways through the cases.
    """

    def __init__(self, bytes_as: str) -> None:
        self.bytes_as = bytes_as
        self._made: dict[tuple[int, int, str], tuple[Any, TypeProgram, dict[str, Any] | BuildError]] = {}
        """Results by object, type and path; object and type are kept, since their identities are the keys."""

    def structure(self, program: TypeProgram, obj: Any, path: str) -> Any:
        if not isinstance(obj, Mapping):
            return obj
        key = id(obj), id(program), path
        if key not in self._made:
            try:
                result: dict[str, Any] | BuildError = self._fields(program, obj, path)
            except BuildError as error:
                result = error
            self._made[key] = obj, program, result
        made = self._made[key][2]
        if isinstance(made, BuildError):
            raise made
        return made

    def _fields(self, program: TypeProgram, obj: Mapping[str, Any], path: str) -> dict[str, Any]:
        known = _given_forms(program)
        members: dict[str, Any] = {}
        for name, item in obj.items():
            if name not in known:
                members[name] = item
            elif (form := known[name]) is not None:
                inner = f"{path}.{name}"
                members[name] = bytes_of(item, self.bytes_as, inner) if name == REST else self.value(item, form, inner)
        return members

    def value(self, item: Any, form: Form, path: str) -> Any:
        if item is None:
            return None
        if form.logical is not None and not (isinstance(item, str) and item.startswith(("hex:", "text:"))):
            return _stored(item, form, form.logical, path)
        match form.kind:
            case "integer":
                return _integer(item, form, path)
            case "float":
                if isinstance(item, bool):
                    raise BuildError("a number is expected", path=path, found="true or false")
                return _FLOATS.get(item, item) if isinstance(item, str) else item
            case "bytes":
                return bytes_of(item, self.bytes_as, path)
            case "list" if form.element is not None and isinstance(item, list):
                return [self.value(it, form.element, f"{path}[{number}]") for number, it in enumerate(item)]
            case "structure" if form.type is not None:
                if form.compressed and isinstance(item, str):
                    return bytes_of(item, self.bytes_as, path)
                return self.structure(form.type, item, path)
            case "any":
                return self.any(item, form, path)
        return item

    def any(self, item: Any, form: Form, path: str) -> Any:
        """The input for a switch: a structure is converted by the cases that have all its fields and take their values;
        `Undecided` if these differ.
        """
        if isinstance(item, list):
            return [self.any(it, form, f"{path}[{number}]") for number, it in enumerate(item)]
        if isinstance(item, str):
            is_text = _may_be_text(form) and not item.startswith(("hex:", "text:"))
            return item if is_text else _FLOATS.get(item) or bytes_of(item, self.bytes_as, path)
        refused: BuildError | None = None
        candidates: list[Any] = []
        for case in form.cases if isinstance(item, Mapping) else ():
            inner = case if case.element is None else case.element
            if inner.type is not None and item.keys() <= _given_forms(inner.type).keys():
                try:
                    candidate = self.structure(inner.type, item, path)
                except BuildError as error:
                    refused = refused or error
                else:
                    candidates += [candidate] if candidate not in candidates else []
        if len(candidates) > 1 or (candidates and refused is not None):  # the one that is chosen may be another
            return Undecided(lambda step: self.value(item, _form(step), path))
        if not candidates and refused is not None:
            raise refused
        return candidates[0] if candidates else item


def _stored(item: Any, form: Form, logical: LogicalType, path: str) -> Any:
    try:
        return stored(logical, item, in_bytes=form.kind == "bytes")
    except ValueError as error:
        expected = EXPECTED[logical.name]
        raise BuildError(f"no {logical.name}", path=path, expected=expected, found=str(error)) from None


def _integer(item: Any, form: Form, path: str) -> Any:
    if isinstance(item, bool):
        if (form.low, form.high, form.enum) != (0, 1, None):
            raise BuildError("an integer is expected", path=path, found="bool")
        return int(item)
    if not isinstance(item, str):
        return item
    for value, name in form.enum.members.items() if form.enum is not None else ():
        if name == item:
            return value
    if _DIGITS.fullmatch(item):
        return int(item)
    if form.enum is None:
        raise BuildError("no integer", path=path, expected="an integer", found=repr(item)[:40])
    names = list(form.enum.members.values())
    known = f"{', '.join(names[:_MOST_NAMES])}{', ...' if len(names) > _MOST_NAMES else ''}, or an integer"
    message = f"no name of this enum{nearest(item, names)}"
    raise BuildError(message, path=path, expected=f"one of {known}", found=repr(item)[:40])


def bytes_of(item: Any, bytes_as: str, path: str = "") -> bytes:
    """Bytes that are written as text, as ``bytes_as`` says, or after ``hex:`` or ``text:``. BuildError."""
    if not isinstance(item, str):
        raise BuildError("bytes are expected, written as text", path=path, found=kind_of(item))
    prefix, colon, rest = item.partition(":")
    marked = colon and prefix in ("hex", "text")
    try:
        return _DECODE[prefix](rest) if marked else _DECODE[bytes_as](item)
    except ValueError as error:
        raise BuildError(f"bytes that are not {prefix if marked else bytes_as}: {error}", path=path) from None


# --- JSON Schema ---------------------------------------------------------------------------------------------------


def schema_of(*formats: Any, title: str | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of values of one format, or of one of several: see `kformat.json_schema`.

    ``title``: by default the first declaration's.
    """
    roots = [load_type(name) for name in formats]
    types = {program.name: program for root in roots for program in types_in(root)}
    references: list[dict[str, Any]] = [{"$ref": f"#/$defs/{root.name}"} for root in roots]
    if title is None:
        title = roots[0].name if "::" in roots[0].name else load_program(formats[0]).declaration.title
    head = {"title": title or roots[0].name, **(references[0] if len(roots) == 1 else {"oneOf": references})}
    return {
        "$schema": SCHEMA,
        **head,
        "$defs": {**{name: _object(types[name]) for name in types}, **_LEAVES},
    }


_LEAVES: Final[dict[str, Any]] = {
    "bytes": {
        "description": "Bytes in base64, or `hex:` and hexadecimal digits, or `text:` and text in UTF-8, where a "
        "byte that is none is a lone surrogate, U+DC80 to U+DCFF.",
        "type": "string",
        "anyOf": [
            {"pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"},
            {"pattern": "^hex:([0-9A-Fa-f]{2})*$"},
            {"pattern": "^text:"},
        ],
    },
    "integer-string": {
        "description": "An integer in decimal digits, for readers whose numbers are doubles.",
        "type": "string",
        "pattern": "^-?[0-9]{1,20}$",
    },
    "float": {
        "description": "A number, or what JSON has no number for.",
        "anyOf": [{"type": "number"}, {"enum": list(_FLOATS)}],
    },
}


def types_in(program: TypeProgram) -> Iterator[TypeProgram]:
    """A type and all its nested types, each once."""
    types, waiting = dict[str, TypeProgram](), [program]
    while waiting:
        current = waiting.pop(0)
        if current.name not in types:
            types[current.name] = current
            each = (*forms(current).values(), *instance_forms(current).values(), *tag_forms(current).values())
            waiting[:0] = [inner for form in each for inner in _inner_types(form)]
    yield from types.values()


def _inner_types(form: Form) -> Iterator[TypeProgram]:
    if form.type is not None:
        yield form.type
    for inner in (*form.cases, *([] if form.element is None else [form.element])):
        yield from _inner_types(inner)


def _object(program: TypeProgram) -> dict[str, Any]:
    known = forms(program)
    return {
        **({"description": " ".join(program.doc.split())} if program.doc else {}),
        "type": "object",
        "properties": {
            **{field.name: _property(field, known[field.name]) for field in program.fields},
            **{
                tagged.field.name: _property(tagged.field, form) | {"default": _default(tagged)}
                for tagged, form in zip(program.tagged, tag_forms(program).values(), strict=True)
            },
            **_others(program),
        },
        "required": [field.name for field in program.fields if _is_required(field, program)],
        "additionalProperties": False,
    }


def _others(program: TypeProgram) -> dict[str, Any]:
    """The properties for instances, and for the bytes that nothing declares."""
    properties: dict[str, Any] = {}
    for instance, form in zip(program.instances, instance_forms(program).values(), strict=True):
        described = _property(instance.field, form)
        is_computed = instance.value is not None
        words = f"{described.get('description', '')} {_COMPUTED if is_computed else _READ}".strip()
        properties[instance.field.name] = {"description": words} if is_computed else described | {"description": words}
    if program.instances:
        properties[ERRORS] = {
            "description": "With --instances: why instances cannot be read, by name.",
            "type": "object",
            "additionalProperties": {"type": "string"},
        }
    if program.keeps_context:
        properties[REST] = {
            "$ref": "#/$defs/bytes",
            "description": "With --trailing keep: the bytes that nothing declares.",
        }
    return properties


_READ: Final = "With --instances."
_COMPUTED: Final = "With --instances: computed, also when built."


def _default(tagged: TaggedField) -> Any:
    """A tag's default as JSON has it."""
    default = default_of(tagged)
    if isinstance(default, Value):
        return to_json(default)
    logical = tagged.field.logical
    if logical is not None and isinstance(default, int | bytes):
        default = readable(logical, default)
    return _ENCODE["base64"](default) if isinstance(default, bytes) else default


def _is_required(field: Field, program: TypeProgram) -> bool:
    if field.optional or field.derive is not None or field.computed or field.hidden or field.kind == "list":
        return False
    if field.kind == "structure" and field.type is not None:
        return any(_is_required(inner, field.type) for inner in field.type.fields)
    return not any(
        isinstance(step, ReadLiteral) or (isinstance(step, ReadBytes) and step.fill is not None)
        for step in _steps(program.steps)
        if step.name == field.name
    )


def _steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Window):
            yield from _steps(step.steps)


def _property(field: Field, form: Form) -> dict[str, Any]:
    words = " ".join(field.doc.split())
    if field.raw:
        words = "With --raw: the bytes that the fields of the payload are compressed to; these are then not there."
    if field.computed:
        words += " Computed when built." if field.positions is None else f" Computed when built: {field.positions}."
    elif field.derive is not None:
        words += f" If left out: {field.derive}."
    schemas = [*_schemas(form), *([{"type": "null"}] if field.optional else [])]
    described = {"description": words.strip()} if words else {}
    return described | (schemas[0] if len(schemas) == 1 else {"anyOf": schemas})


def _logical_schemas(logical: LogicalType) -> list[dict[str, Any]]:
    match logical.name:
        case "timestamp":
            return [{"type": "string", "format": "date-time"}]
        case "decimal":
            return [{"type": "string", "pattern": r"^[+-]?[0-9]*(\.[0-9]*)?$"}]
        case "flags" if logical.members is not None:
            names = {"enum": list(logical.members.members.values())}
            return [
                {
                    "type": "array",
                    "items": {"anyOf": [names, {"type": "string", "pattern": "^(0x[0-9a-fA-F]+|[0-9]+)$"}]},
                }
            ]
        case "bool":
            return [{"type": "boolean"}]
        case "uuid" if logical.base64:
            return [{"type": "string", "pattern": "^[0-9A-Za-z_-]{21}[AQgw]$"}]
        case "mac":
            return [{"type": "string", "pattern": "^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$"}]
        case "half":
            return [{"$ref": "#/$defs/float"}]
    return [{"type": "string", "format": logical.name}]


def _schemas(form: Form) -> list[dict[str, Any]]:
    """The alternative schemas of a value."""
    if form.logical is not None:
        return [*_logical_schemas(form.logical), *_schemas(replace(form, logical=None))]
    match form.kind:
        case "integer":
            schemas: list[dict[str, Any]] = [{"type": "integer", "minimum": form.low, "maximum": form.high}]
            if form.enum is not None:
                schemas.insert(0, {"enum": list(form.enum.members.values())})
            if form.is_wide:
                schemas.append({"$ref": "#/$defs/integer-string"})
            return schemas
        case "list" if form.element is not None:
            inner = _schemas(form.element)
            return [{"type": "array", "items": inner[0] if len(inner) == 1 else {"anyOf": inner}}]
        case "structure" if form.type is not None:
            structure = {"$ref": f"#/$defs/{form.type.name}"}
            return [structure, {"$ref": "#/$defs/bytes"}] if form.compressed else [structure]
        case "text" | "boolean" | "null":
            return [{"type": "string" if form.kind == "text" else form.kind}]
        case "any":
            schemas = [schema for case in form.cases for schema in _schemas(case)]
            return [schema for number, schema in enumerate(schemas) if schema not in schemas[:number]] or [{}]
    return [{"$ref": f"#/$defs/{form.kind}"}]
