"""What a field's values mean: ``-as``."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Final, NoReturn

from kformat.language.declaration import DeclaredMeaning, FieldDeclaration, SwitchUse
from kformat.language.logical import SIZES
from kformat.language.mark import nearest
from kformat.language.steps import UNITS, LogicalType
from kformat.language.types import Bytes, EnumType, Integer, Type

if TYPE_CHECKING:
    from kformat.language.compiler.one_type import OneType

_WORDS: Final = {"ipv4": 32, "half": 16}
"""Those of unsigned integers of one width -> their bits."""
_USES: Final = {
    "timestamp": "timestamp(UNIT) or timestamp(UNIT, EPOCH) is expected: s, ms, us or ns; a year, or 1601-01-01",
    "decimal": "decimal(PLACES) is expected, of at most 38 decimal places",
    "flags": "flags or flags(ENUM) is expected; flags alone are those of the field's own enum",
    "uuid": "uuid is expected, or uuid(le), whose first three parts are little-endian, or uuid(base64)",
    **{name: f"{name} alone is expected" for name in ("bool", "ipv4", "ipv6", "mac", "half")},
}
"""What each is written as."""
MOST_PLACES: Final = 38
"""Most digits of a decimal in Arrow and Spark."""


def logical_of(of: OneType, item: FieldDeclaration, declared: DeclaredMeaning, kind: Type) -> LogicalType:
    """The logical type of a field, whose values, or whose elements, are of a type."""
    name, arguments = declared.name, declared.arguments
    if name not in _USES:
        declared.mark.refuse(f"there is no {name!r:.60}{nearest(name, tuple(_USES))}; there are {', '.join(_USES)}")
    if isinstance(item.type, SwitchUse):
        declared.mark.refuse("-as does not go with a switch: declare it in a type of its own")
    _check_kind(of, item, declared, kind)
    match name, arguments:
        case "timestamp", (unit, *rest) if unit in UNITS and len(rest) < 2:
            epoch = _epoch(declared, rest[0] if rest else "1970")
            return LogicalType(name, unit=unit, epoch=epoch * UNITS[unit])
        case "decimal", (places,) if re.fullmatch("[0-9]{1,2}", places) and int(places) <= MOST_PLACES:
            return LogicalType(name, scale=int(places))
        case "flags", _ if len(arguments) <= (item.enum is None):
            path = tuple(arguments[0].split("::")) if arguments else item.enum
            if path is None:
                declared.mark.refuse("flags of which enum? declare `enum`, or write flags(NAME)")
            members = of.at(declared.mark, lambda: of.world.enum_named(of.scope, path))
            assert members is not None
            found = sorted(members.members.items())
            bits = tuple((number, word) for number, word in found if number > 0 and number & (number - 1) == 0)
            return LogicalType(
                name, members=members, bits=bits, numbers={word: number for number, word in reversed(found)}
            )
        case "uuid", () | ("le",) | ("base64",):
            return LogicalType(name, little_endian=arguments == ("le",), base64=arguments == ("base64",))
        case "bool" | "ipv4" | "ipv6" | "mac" | "half", ():
            return LogicalType(name)
    _refuse_use(declared)


def _refuse_use(declared: DeclaredMeaning) -> NoReturn:
    written = declared.name + f"({', '.join(declared.arguments)})" * bool(declared.arguments)
    declared.mark.refuse(f"{_USES[declared.name]}; found {written!r:.60}")


def _check_kind(of: OneType, item: FieldDeclaration, declared: DeclaredMeaning, kind: Type) -> None:
    name, expected = declared.name, []
    if name in ("timestamp", "decimal", "flags", "bool"):
        expected = ["integers"]
        if isinstance(kind, Integer) or (name == "flags" and isinstance(kind, EnumType)):
            return
    if name in _WORDS:
        expected.append(f"unsigned integers of {_WORDS[name]} bits")
        if kind == Integer(_WORDS[name], False):
            return
    if name in SIZES:
        expected.append(f"{SIZES[name]} bytes")
        changed = next((key for key in ("process", "terminator", "pad-right") if key in item.keys), None)
        if isinstance(kind, Bytes) and changed is not None:
            item.keys[changed].refuse(f"{changed} does not go with -as: {name}, which is of {SIZES[name]} bytes")
        size = of.amount(item.size, of.names()) if isinstance(kind, Bytes) else None
        if size is not None and size.is_constant and size.value == SIZES[name]:
            return
    found = f"bytes of size {item.size.text!r:.40}" if isinstance(kind, Bytes) and item.size else str(kind)
    declared.mark.refuse(f"{name} is for {' or '.join(expected)}, found {found}")


def _epoch(declared: DeclaredMeaning, text: str) -> int:
    """Seconds from 1970 to the beginning of a year or of a day, in UTC."""
    match = re.fullmatch(r"([0-9]{4})(?:-([0-9]{2})-([0-9]{2}))?", text)
    try:
        if match is not None:
            day = datetime.date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
            return (day - datetime.date(1970, 1, 1)).days * 86_400
    except ValueError:  # no such day
        pass
    _refuse_use(declared)


__all__ = ["logical_of"]
