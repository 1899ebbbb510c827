"""The witness: Kaitai's own classes (`tests.witness`), asked the codec's questions.

    witness_values("record_batch", data)      the value as plain dicts and lists, in the codec's shape
    witness_bytes("record_batch", data)       what the witness writes of what it read

The values come from Kaitai alone. What the two sides name differently is taken from the declaration's text, not from
kformat's compiler: which structures are inlined, which types are varints, which fields are only rules.

The codec's shape, so that `witness_values(f, d) == kformat.parse(f, d)._asdict()` where both accept:

* fields of inlined structures are the enclosing structure's own (`record["key"]`, not `record["body"]["key"]`);
* varints, enums and single bits are integers (members of IntEnum and bools on the other side are equal to them);
* a field whose `if` is false is None;
* a payload that is compressed stays bytes, under the name of its field (`value["payload"]`): what `raw=True` gives.

What the witness does not do: checksums, inflating, `-check`. Both functions raise `Refused`, nothing else.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from kformat.language.declaration import (
    Declaration,
    FieldDeclaration,
    SwitchUse,
    TypeDeclaration,
    TypeUse,
    load_declaration,
)
from kformat.language.shipped import shipped_names
from tools.witness import MESSAGES

Convert = Callable[[Any], dict[str, Any]]
"""A value of Kaitai's -> the same in the codec's shape."""

LIBRARY = frozenset((*(name for name in shipped_names() if load_declaration(name).root.intrinsic), "kafka_types"))
"""Declarations of what others import: they have no values by themselves."""


class Refused(Exception):
    """The witness does not take the bytes. ``kind`` says in which way:

    ``rule``       they end too early or break a rule (`valid`, an impossible size); the cause is Kaitai's error
    ``text``       text that is no UTF-8, which the codec keeps (PEP 383)
    ``left over``  all was read and bytes are left behind it, which Kaitai by itself passes over
    """

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {message}")


def witness_formats() -> list[str]:
    """Everything that can be parsed by itself: shipped formats, and those of their types that have no parameters."""
    found = []
    for name in (*shipped_names(), *MESSAGES):
        root = load_declaration(name).root
        types = [root, *_types_in(root)] if name not in LIBRARY else []
        found += ["::".join(declared.name) for declared in types if not declared.parameters and not declared.intrinsic]
    return found


def _types_in(declared: TypeDeclaration) -> list[TypeDeclaration]:
    return [found for inner in declared.types.values() for found in (inner, *_types_in(inner))]


def witness_values(format: str, data: bytes, *, whole: bool = True) -> dict[str, Any]:
    """One value as Kaitai's classes read it, in the codec's shape (see above).

    Args:
        format: a shipped format, or one of its types (``"leader_change_message"``); see `witness_formats`.
        data: all of it is the value; with ``whole=False`` other bytes may lie behind it.
    """
    kind, convert = _reader(format)
    return convert(_read(kind, data, whole))


def witness_bytes(format: str, data: bytes) -> bytes:
    """What Kaitai's classes write of what they read from these bytes."""
    kind, _ = _reader(format)
    value = _read(kind, data, whole=True)
    stream = KaitaiStream(io.BytesIO(bytearray(len(data))))
    value._write(stream)
    return bytes(stream.to_byte_array())


def witness_class(format: str) -> Any:
    """Kaitai's class: ``tests.witness.voters_record.VotersRecord.Voter``."""
    file, *inner = format.split("::")
    found: Any = importlib.import_module(f"tests.witness.{file}")
    for name in (file, *inner):
        found = getattr(found, "".join(part.capitalize() for part in name.split("_")))
    return found


def _read(kind: Any, data: bytes, whole: bool) -> Any:
    stream = KaitaiStream(io.BytesIO(data))
    value = kind(stream)
    try:
        value._read()
    except KaitaiStructError as error:
        raise Refused("rule", f"{type(error).__name__} {error}") from error
    except UnicodeDecodeError as error:
        raise Refused("text", str(error)) from error
    if whole and not stream.is_eof():
        raise Refused("left over", f"{len(data) - stream.pos()} bytes")
    return value


# --- conversion, compiled once per type -------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _reader(format: str) -> tuple[Any, Convert]:
    name = tuple(format.split("::"))
    return witness_class(format), _converter(load_declaration(name[0]), name)


def _declared(declaration: Declaration, name: tuple[str, ...]) -> TypeDeclaration:
    """The type of a name that begins with its declaration's id."""
    declared = declaration.root
    for part in name[1:]:
        declared = declared.types[part]
    return declared


def _plain(value: Any) -> Any:
    """Numbers of every kind as int; bytes, text and floats as they are."""
    return int(value) if isinstance(value, int) else value


def _varint(value: Any) -> int:
    return int(value.value)


@lru_cache(maxsize=256)
def _converter(declaration: Declaration, name: tuple[str, ...]) -> Convert:
    """How a structure is converted: one function per field, found once and not at every value."""
    fields = [item for item in _declared(declaration, name).fields if not _is_a_rule(item)]
    steps = [(item.id, item.inline, item.payload is not None, _field(item, declaration)) for item in fields]

    def structure(theirs: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, inline, is_payload, convert in steps:
            value = getattr(theirs, name, None)  # no attribute: its `if` is false
            if value is None or (is_payload and isinstance(value, bytes)):
                found[name] = value
            elif inline:
                found |= convert(value)
            else:
                found[name] = convert(value)
        return found

    return structure


def _is_a_rule(item: FieldDeclaration) -> bool:
    """`size: 0` with `valid: {expr: _io.eof}`: says that nothing may follow, and is no field of a value."""
    rule = item.valid.expression if item.valid else None
    return item.size is not None and item.size.text == "0" and rule is not None and rule.text == "_io.eof"


def _field(item: FieldDeclaration, declaration: Declaration) -> Callable[[Any], Any]:
    use = item.payload.type if item.payload else item.type
    convert = _user_type(use, declaration) if isinstance(use, TypeUse) else _plain
    if isinstance(use, SwitchUse):
        convert = _switch(use, declaration)
    return convert if item.repeat is None else lambda values: [convert(value) for value in values]


def _switch(use: SwitchUse, declaration: Declaration) -> Callable[[Any], Any]:
    """By the class that Kaitai chose."""
    cases = [case for _, case in use.cases if isinstance(case, TypeUse)]
    by_class = {witness_class(f"{declaration.id}::{'::'.join(case.name)}"): case for case in cases}

    def convert(value: Any) -> Any:
        case = by_class.get(type(value))
        return _plain(value) if case is None else _user_type(case, declaration)(value)

    return convert


def _user_type(use: TypeUse, declaration: Declaration) -> Callable[[Any], Any]:
    name = use.name if use.name[0] in declaration.imports else (declaration.id, *use.name)
    declaration = declaration.imports.get(use.name[0], declaration)
    return _varint if _declared(declaration, name).intrinsic else _converter(declaration, name)
