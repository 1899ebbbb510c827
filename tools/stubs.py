"""What editors and type checkers know of values of shipped formats: `kformat.codec.stubs` makes the classes.

Two modules of `kformat/generated/`, each with a stub next to it:

    values     the classes and enums by name; at run time they are those of `kformat.codec.values`, made when first
    asked for parsing    `parse`, with an overload for every format and type that can be parsed by itself

A class is named like the declared type (`Record`, `EndTransactionMarker`); where several declarations have a type of
that name, each has its declaration's in front (`OffsetIndexEntry`, `TimeIndexEntry`). Types that are only ever inlined
have no values, so no class.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from kformat.codec import constructs
from kformat.codec.stubs import IMPORTS, Classes
from kformat.codec.values import enum_class, value_class
from kformat.language.declaration import TypeDeclaration, TypeUse
from kformat.language.program import Enum, TypeProgram, load_program
from kformat.language.shipped import shipped_names
from tests.kaitai_witness import LIBRARY
from tools.witness import MESSAGES

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
    for name in (*shipped_names(), *MESSAGES):
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
    names = (name for name in (*shipped_names(), *MESSAGES) if name not in LIBRARY)
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
    made = Classes(list(types().values()), list(enums().values()), class_names(), class_names())
    return "\n".join((f"# {HEAD}", "", *IMPORTS, "", "__all__: _B.list[_B.str]", *made.lines())) + "\n"


def parsing_pyi() -> str:
    """The stub of `parsing`: one overload for each format and type, and one for everything else."""
    parameters = list(inspect.signature(constructs.parse).parameters.values())
    by_itself = {key: program for key, program in types().items() if not program.parameters}
    lines = [
        f"# {HEAD}",
        "",
        "from collections.abc import Callable",
        "from typing import Any, Literal, overload",
        "",
        "from kformat.errors import DataError",
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
