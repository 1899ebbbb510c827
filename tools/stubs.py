"""What editors and type checkers know of parsed values: classes with Kafka's field names, `kformat.parse` by format.

Two modules of `kformat/generated/`, each with a stub next to it:

    values     the classes and enums by name; at run time they are those of `kformat.codec.values`, made when first
    asked for parsing    `parse`, with an overload for every format and type that can be parsed by itself

A class is named like the declared type (`Record`, `EndTransactionMarker`); where several declarations have a type of
that name, each has its declaration's in front (`OffsetIndexEntry`, `TimeIndexEntry`). Types that are only ever inlined
have no values, so no class.
"""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import yaml

from kformat.codec import constructs
from kformat.codec.values import enum_class, value_class
from kformat.language.declaration import TypeDeclaration, TypeUse, load_declaration
from kformat.language.layout import layout
from kformat.language.program import (
    Enum,
    Field,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
    load_program,
)
from kformat.language.shipped import shipped_names
from tests.kaitai_witness import LIBRARY

WIDTH = 120
HEAD = "Made from formats/*.ksy by `make generate`; do not edit."

VALUES_PY = '''\
"""The classes of parsed values by name, for annotations and isinstance: `from kformat.generated.values import Record`.

...head... The stub next to this file has their fields.
"""

from __future__ import annotations

from typing import Any

from kformat.language.program import load_program, load_type
from kformat.codec.values import enum_class, value_class

_TYPES = {
    ...types...
}
_ENUMS = {
    ...enums...
}

__all__ = sorted([*_TYPES, *_ENUMS])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _TYPES:
        return value_class(load_type(_TYPES[name]))
    if name in _ENUMS:
        return enum_class(load_program(_ENUMS[name].partition("::")[0]).enums[_ENUMS[name]])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
'''

PARSING_PY = f'''\
"""`parse` as `kformat.codec.constructs` has it; the stub next to this file says what it gives for which format.

{HEAD}
"""

from kformat.codec.constructs import parse as parse
'''


# --- which types there are, and what they are called ------------------------------------------------------------------


@cache
def types() -> dict[str, TypeProgram]:
    """Kaitai's name -> compiled type, of all that parsing makes values of; a declaration's own type first."""
    found: dict[str, TypeProgram] = {}
    for name in shipped_names():
        if name in LIBRARY:
            continue
        program = load_program(name)
        only_inlined = _used(program.declaration.root, inlined=True) - _used(program.declaration.root, inlined=False)
        found[name] = program.root
        found |= {key: made for key, made in program.types.items() if made.label not in only_inlined}
    return found


def _used(declared: TypeDeclaration, *, inlined: bool) -> set[str]:
    """The types that fields name, those of inlined fields or those of the others."""
    uses = (
        (field.payload.type if field.payload else field.type) for field in declared.fields if field.inline == inlined
    )
    names = {use.name[-1] for use in uses if isinstance(use, TypeUse)}
    return names.union(*(_used(child, inlined=inlined) for child in declared.types.values()))


@cache
def enums() -> dict[str, Enum]:
    """Kaitai's name -> enum."""
    names = (name for name in shipped_names() if name not in LIBRARY)
    return {key: enum for name in names for key, enum in load_program(name).enums.items()}


@cache
def class_names() -> dict[str, str]:
    """Kaitai's name -> the class's name here."""
    plain = {key: value_class(made).__name__ for key, made in types().items()}
    plain |= {key: enum_class(made).__name__ for key, made in enums().items()}
    several = {name for name, count in Counter(plain.values()).items() if count > 1}
    return {
        key: value_class(load_program(key.partition("::")[0]).root).__name__ + name if name in several else name
        for key, name in plain.items()
    }


# --- text -------------------------------------------------------------------------------------------------------------


def values_py() -> str:
    """The module `values`."""
    return (
        VALUES_PY.replace("...head...", HEAD)
        .replace("    ...types...", _entries(types()))
        .replace("    ...enums...", _entries(enums()))
    )


def _entries(found: Iterable[str]) -> str:
    return "\n".join(sorted(f'    "{class_names()[key]}": "{key}",' for key in found))


def parsing_py() -> str:
    """The module `parsing`."""
    return PARSING_PY


def values_pyi() -> str:
    """The stub of `values`: classes with their fields, their types and what the declaration says of them."""
    lines = [f"# {HEAD}", "", "from enum import IntEnum", "", "from kformat.codec.values import Value"]
    lines += ["", "__all__: list[str]"]
    for key, enum in enums().items():
        lines += ["", f"class {class_names()[key]}(IntEnum):"]
        for member in enum_class(enum):
            lines.append(f"    {member.name} = {int(member)}")
            lines += _doc(enum.docs.get(int(member), ""), "    ")
    for key, program in types().items():
        lines += ["", f"class {class_names()[key]}(Value):", *_doc(program.doc or f"A value of {key}.", "    ")]
        lines += _fields(program)
    return "\n".join(lines) + "\n"


def _fields(program: TypeProgram) -> Iterator[str]:
    arguments = []
    for field in program.fields:
        if field.raw:  # there only with `raw=True`, and then other fields are not
            continue
        annotation = annotation_of(program, field)
        yield f"    {field.name}: {annotation}"
        yield from _doc(field.doc, "    ")
        arguments.append(f"{field.name}: {annotation} = ...")
    line = f"    def __init__(self, *, {', '.join(arguments)}) -> None: ..."
    if len(line) <= WIDTH:
        yield line
    else:
        yield "    def __init__("
        yield from (f"        {item}," for item in ("self", "*", *arguments))
        yield "    ) -> None: ..."


def _doc(text: str, indent: str) -> list[str]:
    """A docstring, wrapped; raw where it holds a backslash."""
    text = " ".join(text.split())
    if not text:
        return []
    prefix = 'r"""' if "\\" in text else '"""'
    if len(indent + prefix + text) + 3 <= WIDTH and not text.endswith('"'):
        return [f'{indent}{prefix}{text}"""']
    wrapped = textwrap.wrap(text, WIDTH, initial_indent=indent + prefix, subsequent_indent=indent)
    return [*wrapped, f'{indent}"""']


def annotation_of(program: TypeProgram, field: Field) -> str:
    """The type of a field's value, ``| None`` where it may be absent."""
    if program.bits:
        width = next(bit.width for bit in program.bits if bit.name == field.name)
        text = _integer(field, covered=field.enum is not None and len(field.enum.members) == 1 << width)
    else:
        rows = layout(program).rows()
        step = next(row.step for row in rows if row.name == field.name and not isinstance(row.step, Window))
        text = _step(step, field)
    return f"{text} | None" if field.optional else text


def _step(step: Step, field: Field) -> str:
    match step:
        case ReadInteger() | ReadVarint():
            return _integer(field, covered=False)
        case ReadFloat():
            return "float"
        case ReadBytes():
            return "str" if step.encoding else "bytes"
        case ReadBits() | ReadType():
            return class_names()[step.type.name]
        case ReadList():
            return f"list[{_step(step.element, field)}]"
    return "bytes"


def _integer(field: Field, covered: bool) -> str:
    """An enum by name, and int next to it where a value may be read that is none of its members."""
    if field.enum is None:
        return "int"
    name = class_names()[field.enum.name]
    return name if covered or _is_checked(field) else f"{name} | int"


def _is_checked(field: Field) -> bool:
    """Whether the declaration refuses what is no member: `valid: {in-enum: true}`."""
    node: Any = yaml.safe_load(load_declaration(str(field.mark.file).rpartition("/")[2].removesuffix(".ksy")).text)
    for part in field.mark.key.strip("/").split("/"):
        node = node[int(part) if part.isdecimal() else part]
    valid = node.get("valid")
    return isinstance(valid, dict) and valid.get("in-enum") is True


def parsing_pyi() -> str:
    """The stub of `parsing`: one overload for each format and type, and one for everything else."""
    parameters = list(inspect.signature(constructs.parse).parameters.values())
    by_itself = {key: program for key, program in types().items() if not program.parameters}
    lines = [
        f"# {HEAD}",
        "",
        "from typing import Any, Literal, overload",
        "",
        "from kformat.generated import values",
    ]
    for key in by_itself:
        lines += _overload(parameters, {"format": f'Literal["{key}"]', "raw": "Literal[False]"}, class_names()[key])
    lines += _overload(parameters, {}, None)
    return "\n".join(lines) + "\n"


def _overload(parameters: list[inspect.Parameter], types: dict[str, str], result: str | None) -> Iterator[str]:
    yield ""
    yield "@overload"
    yield "def parse("
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "    *,"
        default = "" if parameter.default is parameter.empty else " = ..."
        yield f"    {parameter.name}: {types.get(parameter.name, parameter.annotation)}{default},"
    yield f") -> {f'values.{result}' if result else 'Any'}: ..."
