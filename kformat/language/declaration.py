"""``.ksy`` text -> a frozen Declaration, with file, line and key on every complaint.

This module knows YAML and which keys there are; `compiler` decides what types and names mean. Every complaint has the
path of its key. All complaints of a file are collected (`raise_all`), and its valid parts are read nevertheless.

    file   meta, doc, doc-ref, params, seq, instances, types, enums, to-string, -orig-id, -row, -sync, -check,
           -checksum, -intrinsic (an intrinsic type's body is for others)
    meta   id, endian (be, le, or switch-on and cases), bit-endian, encoding, imports, ks-opaque-types; title,
           application, file-extension, xref, license, ks-version, ks-debug and tags are passed over; types have a meta
           of their own with the first three
    params id, type (any, also io, struct, bool, bytes and lists), enum, doc
    seq    id, doc, doc-ref, type (or switch-on and cases), size, size-eos, terminator, include, consume, eos-error,
           pad-right, process, encoding, contents, enum, repeat (expr, eos, until), if, valid, parent,
           -orig-id, -derive, -base, -inline, -payload, -fill, -as, -tagged, -hidden
    instances  as seq without -inline, -payload, -tagged and -hidden; also pos, io, or value
    valid  a value, or min, max, eq, any-of, in-enum, expr

Imports are looked for next to the file, then in ``import_paths``, then in the folders of ``KSPATH``, then among those
that kformat ships; those that begin with ``/`` in these folders first. They may be circular. A type that nothing
declares is looked for in the same way.

Keys that begin with ``-`` mean nothing to Kaitai's compiler. The ones above are used (formats/README.md), others are
passed over; one that is nearly one of ours is a complaint.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, TypeVar

from kformat.errors import DeclarationError, UsageError
from kformat.integers import MIN_INT64
from kformat.language.encodings import unknown_encoding
from kformat.language.files import Seen
from kformat.language.limits import MAX_DECLARATION, bound
from kformat.language.mark import Mark, nearest
from kformat.language.shipped import common_text, message_names, shipped_file, shipped_names, shipped_text
from kformat.language.yaml_nodes import MAX_DEPTH, YamlNode, decoded, read_yaml, shown
from kformat.storage.algorithms import canonical_name, known_names, name_of_crc
from kformat.storage.crc import Crc

MAX_COMPLAINTS: Final = 50
"""Most complaints that one error holds."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """An expression as written, and its place."""

    text: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class TypeUse:
    """A field's reference to a user type: ``records(records_count)`` or ``varint::unsigned(5)``."""

    name: tuple[str, ...]
    arguments: tuple[WrittenText, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class SwitchUse:
    """``switch-on`` with its cases: key as written (``_`` for the rest) and the type, None for bytes."""

    on: WrittenText
    cases: tuple[tuple[WrittenText, str | TypeUse | None], ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """``process: name(arguments)``."""

    name: str
    arguments: tuple[WrittenText, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class EndianSwitch:
    """``endian: {switch-on, cases}``: case as written, and whether it is little-endian."""

    on: WrittenText
    cases: tuple[tuple[WrittenText, bool], ...]


@dataclass(frozen=True, slots=True)
class Meta:
    """What ``meta`` sets for a type and the types in it; None: as outside."""

    endian: str | EndianSwitch | None = None
    bit_endian: str | None = None
    encoding: str | None = None
    opaque_types: bool = False


@dataclass(frozen=True, slots=True)
class Valid:
    """The rules for a field's value; several may be set at once (`minimum` and `maximum`)."""

    mark: Mark
    equal: WrittenText | None = None
    minimum: WrittenText | None = None
    maximum: WrittenText | None = None
    any_of: tuple[WrittenText, ...] = ()
    in_enum: bool = False
    expression: WrittenText | None = None


@dataclass(frozen=True, slots=True)
class PayloadDeclaration:
    """``-payload``: bytes that hold another type, compressed as ``codec`` says; ``magic`` is passed to the codec."""

    codec: WrittenText
    type: TypeUse
    magic: WrittenText | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class DerivedPositions:
    """``-derive`` with ``position-of``, or with ``positions-of`` (``many``): where the field ``of`` begins, or every
    so-manieth element of that list, from the beginning of ``relative_to``.
    """

    of: WrittenText
    many: bool
    every: int
    relative_to: WrittenText | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class DerivedPresence:
    """``-derive`` with ``presence-of``: ``present`` where the field ``of`` is given, ``absent`` where it is null."""

    of: str
    present: int
    absent: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class DeclaredTag:
    """``-tagged``: the content of a tag is an attribute of the structure that has the tags, with a default. ``before``:
    the field in front of which it stands; ``since``: the first release that has it.
    """

    number: int
    default: object
    before: str
    since: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class DeclaredMeaning:
    """``-as``: ``name(arguments)``."""

    name: str
    arguments: tuple[str, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """One entry of a ``seq`` or of ``instances``. ``keys`` maps its keys to their places.

    Those from ``value`` on are an instance's own. ``parent`` False: the value has none.
    """

    id: str
    mark: Mark
    keys: dict[str, Mark]
    doc: str
    original_id: str
    type: str | TypeUse | SwitchUse | None
    size: WrittenText | None
    size_eos: bool
    repeat: str | None
    repeat_expr: WrittenText | None
    condition: WrittenText | None
    valid: Valid | None
    enum: tuple[str, ...] | None
    contents: bytes | None
    encoding: str | None
    derive: WrittenText | None
    base: str | None
    payload: PayloadDeclaration | None
    inline: bool
    doc_ref: tuple[str, ...] = ()
    repeat_until: WrittenText | None = None
    terminator: bytes | None = None
    include: bool = False
    consume: bool = True
    eos_error: bool = True
    pad_right: bytes | None = None
    process: ProcessUse | None = None
    parent: WrittenText | Literal[False] | None = None
    value: WrittenText | None = None
    position: WrittenText | None = None
    stream: WrittenText | None = None
    fill: bytes | None = None
    positions: DerivedPositions | None = None
    presence: DerivedPresence | None = None
    meaning: DeclaredMeaning | None = None
    tag: DeclaredTag | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class DeclaredParameter:
    """A type's parameter: its type as written (``bytes`` if it has none)."""

    id: str
    type: str
    mark: Mark
    enum: tuple[str, ...] | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """``id`` by ``value``, with the source's name and documentation."""

    value: int
    id: str
    original_id: str
    doc: str


@dataclass(frozen=True, slots=True)
class EnumDeclaration:
    """A named set of integers."""

    name: str
    members: tuple[EnumMember, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class RowCheck:
    """``-check``: a rule across consecutive rows, ``increasing(field)`` or ``non_decreasing(field)``."""

    rule: str
    field: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class ChecksumDeclaration:
    """``-checksum``: ``field`` holds the checksum (``algorithm``) of all bytes from field ``start`` ("": the first) to
    field ``end``; "": up to ``field``, if that comes after ``start``, else to the end of the type. Or of the value of
    ``over``.

    ``blank``: what stands for each byte of the field if it is among those; ``base``: of the digits that it holds, or 0.
    ``inside``: the field is in the structure ``field``, or in one in it. ``condition``: when it holds a checksum.
    """

    algorithm: str
    field: str
    start: str
    end: str
    mark: Mark
    over: WrittenText | None = None
    blank: int | None = None
    base: int = 0
    inside: tuple[str, ...] = ()
    condition: WrittenText | None = None


FAILED_TYPES: Final = "<types>"
FAILED_ENUMS: Final = "<enums>"


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """A type: the file's root type, or one under ``types``. ``name`` is the path of names from the file's id down."""

    name: tuple[str, ...]
    mark: Mark
    doc: str
    original_id: str
    parameters: tuple[DeclaredParameter, ...]
    fields: tuple[FieldDeclaration, ...]
    types: dict[str, TypeDeclaration]
    enums: dict[str, EnumDeclaration]
    intrinsic: str | None
    row: bool
    checks: tuple[RowCheck, ...]
    checksums: tuple[ChecksumDeclaration, ...]
    instances: tuple[FieldDeclaration, ...] = ()
    to_string: WrittenText | None = None
    meta: Meta = Meta()
    doc_ref: tuple[str, ...] = ()
    sync: bool = False
    failed: tuple[str, ...] = ()
    """Fields and instances that got a complaint, so that their uses get none; `FAILED_TYPES` and `FAILED_ENUMS` if a
    type or enum in it is missing for that reason."""


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A whole file. ``imports`` holds the imported declarations by id.

    Two are equal if they come from the same file with the same text, including imports: ``digest`` covers all these
    texts.
    """

    id: str
    title: str
    file: str
    text: str = field(repr=False)
    endian: str | None
    encoding: str | None
    root: TypeDeclaration = field(repr=False)
    imports: dict[str, Declaration] = field(repr=False)
    digest: str
    file_extensions: tuple[str, ...] = ()
    """The file extensions that ``meta`` declares, without the dot."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declaration) and (self.file, self.digest) == (other.file, other.digest)

    def __hash__(self) -> int:
        return hash((self.file, self.digest))


# --- reading keys --------------------------------------------------------------------------------------------------

_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_]*")
_PRIMITIVE: Final = re.compile(r"[su]1|[su][248](?:le|be)?|f[48](?:le|be)?|b[1-9][0-9]{0,8}(?:le|be)?|strz?")
_INTEGER: Final = re.compile(r"[su]1|[su][248](?:le|be)?")
_USE: Final = re.compile(r"([a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*)(?:\((.*)\))?", re.DOTALL)
_PROCESS: Final = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)(?:\((.*)\))?", re.DOTALL)
_CHECK: Final = re.compile(r"(\w+)\((\w+)\)")

_TYPE_KEYS: Final = (
    *("meta", "doc", "doc-ref", "params", "seq", "types", "enums", "instances"),
    *("-orig-id", "-row", "-sync", "-check", "-checksum", "-intrinsic", "to-string"),
)
_META_KEYS: Final = (
    *("id", "title", "application", "file-extension", "xref", "license", "ks-version", "tags", "endian", "bit-endian"),
    *("imports", "encoding", "ks-opaque-types", "ks-debug"),
)
_INNER_META_KEYS: Final = ("endian", "bit-endian", "encoding", "id", "title", "license", "imports", "ks-opaque-types")
_FIELD_KEYS: Final = (
    *("id", "doc", "doc-ref", "type", "size", "size-eos", "repeat", "repeat-expr", "if", "valid", "enum", "contents"),
    *("encoding", "repeat-until", "terminator", "include", "consume", "eos-error", "pad-right", "process", "parent"),
    *("-orig-id", "-derive", "-base", "-inline", "-payload", "-fill", "-as", "-tagged", "-hidden"),
)
_INSTANCE_KEYS: Final = (
    *(key for key in _FIELD_KEYS if key not in ("-inline", "-payload", "-fill", "-tagged", "-hidden")),
    "value",
    "pos",
    "io",
)
_OURS: Final = frozenset(key for key in (*_TYPE_KEYS, *_FIELD_KEYS) if key.startswith("-"))
_VALID_KEYS: Final = ("eq", "min", "max", "any-of", "in-enum", "expr")


def _distance(left: str, right: str, most: int) -> int:
    """The number of edits between two words, or more than ``most``."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    row = list(range(len(right) + 1))
    for at, letter in enumerate(left, 1):
        before, row[0] = row[0], at
        for to, other in enumerate(right, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != other))
    return row[-1]


def _is_others(key: str, allowed: tuple[str, ...]) -> bool:
    """Whether a key belongs to other tools: it begins with ``-`` and is not nearly one of ours."""
    if key in allowed or key in _OURS or not key.startswith("-"):
        return False
    ours = (known for known in allowed if known.startswith("-"))
    return all(_distance(key, known, 2) > (min(2, len(known) // 3) if len(known) > 3 else 0) for known in ours)


Complaints = list[DeclarationError]

Read = TypeVar("Read")


def _attempt(complaints: Complaints, read: Callable[[], Read], otherwise: Read) -> Read:
    """The result of ``read``; if it complains, keeps the complaint and returns ``otherwise``."""
    try:
        return read()
    except DeclarationError as error:
        complaints.append(error)
    return otherwise


def _all_of(complaints: Complaints, nodes: Iterable[Read], read: Callable[[Read], Any]) -> tuple[Any, ...]:
    """The results of ``read`` for all nodes, without those that got a complaint."""
    results = []
    try:
        for node in nodes:
            made = _attempt(complaints, lambda node=node: read(node), None)  # type: ignore[misc]
            if made is not None:
                results.append(made)
    except DeclarationError as error:  # the list itself is none
        complaints.append(error)
    return tuple(results)


def raise_all(complaints: Complaints, declaration: Declaration | None = None) -> NoReturn:
    """Raise the first complaint by file and line, with all others."""
    unique = list({(error.file, error.line, error.key, error.message): error for error in complaints}.values())
    unique.sort(key=lambda error: (error.file, error.line or 0))
    first = unique[0]
    raised = DeclarationError(
        first.message, file=first.file, line=first.line, key=first.key, others=tuple(unique[1:MAX_COMPLAINTS])
    )
    raised.declaration = declaration
    raise raised


_USUAL_KEYS: Final = {
    "count": "repeat: expr with repeat-expr", "times": "repeat: expr with repeat-expr", "magic": "contents",
    "const": "contents, or valid", "value": "contents, or valid", "default": "valid", "assert": "valid",
    "check": "valid", "range": "min and max", "oneof": "any-of", "one-of": "any-of", "in": "any-of", "offset": "pos",
    "position": "pos", "at": "pos", "name": "id", "fields": "seq", "sequence": "seq", "structs": "types",
    "structures": "types", "length": "size", "len": "size", "bytes": "size", "condition": "if", "when": "if",
    "comment": "doc", "description": "doc", "help": "doc", "endianness": "endian", "byte-order": "endian",
    "charset": "encoding", "until": "repeat: until with repeat-until", "padding": "pad-right",
    "compression": "process", **dict.fromkeys(("switch-on", "cases"), "type: {switch-on: ..., cases: ...}"),
}  # fmt: skip
"""Names for the keys in other languages, and common mistakes, with the key that is meant."""


def _key_hint(key: str, value: object, allowed: tuple[str, ...]) -> str:
    usual = _USUAL_KEYS.get(key.lower().replace("_", "-"))
    if usual is not None and re.split("[^a-z-]", usual)[0] in allowed:
        return f"; did you mean {usual}?"
    close = nearest(key, allowed)
    if not close and "size-eos" in allowed and isinstance(value, str) and _IDENTIFIER.fullmatch(key):
        return f"; did you mean {{id: {key}, type: {value[:40]}}}?"
    return close


def _cut_off(key: str, value: object) -> str:
    """The complaint about a key that is the rest of a text in braces, cut off at a comma; "" for other keys."""
    if value is not None or re.fullmatch("-?[a-z][a-z-]*", key):
        return ""
    return f"text in {{}} ends at a comma, and {shown(key)} is a key without a value: quote all of the text"


class _Keys:
    """The keys of one mapping; unknown keys are refused, at once or all (``complaints``)."""

    def __init__(self, node: YamlNode, allowed: tuple[str, ...], complaints: Complaints | None = None) -> None:
        if not isinstance(node.value, dict):
            value = f"; did you mean {{value: {str(node.value)[:60]}}}?" if "value" in allowed else ""
            node.mark.refuse(f"a mapping is expected here, found {shown(node.value)}{value}")
        self.mark = node.mark
        self.entries = {key: child for key, child in node.value.items() if not _is_others(key, allowed)}
        for key, child in self.entries.items():
            if key not in allowed:
                into: Complaints = [] if complaints is None else complaints
                try:
                    unknown = f"unknown key {shown(key)}{_key_hint(key, child.value, allowed)}"
                    child.mark.refuse(_cut_off(key, child.value) or unknown)
                except DeclarationError as error:
                    into.append(error)
                if complaints is None:
                    raise into[0]

    def node(self, key: str) -> YamlNode | None:
        return self.entries.get(key)

    def children(self, key: str) -> Iterator[YamlNode]:
        node = self.node(key)
        if node is not None:
            if not isinstance(node.value, list):
                entries = {"seq": "- {id: NAME, type: u1}", "params": "- {id: NAME, type: u1}"}
                shape = f"; its entries look like `{entries[key]}`" if key in entries else ""
                node.mark.refuse(f"a list is expected here, found {shown(node.value)}{shape}")
            yield from node.value

    def items(self, key: str) -> Iterator[tuple[str, YamlNode]]:
        node = self.node(key)
        if node is not None:
            if not isinstance(node.value, dict):
                entries = {
                    "types": "NAME: {seq: ...}", "instances": "NAME: {pos: ...}", "enums": "NAME: {1: one, 2: two}",
                    "cases": "VALUE: TYPE",
                }  # fmt: skip
                shape = f"; its entries look like `{entries[key]}`" if key in entries else ""
                node.mark.refuse(f"a mapping is expected here, found {shown(node.value)}{shape}")
            yield from node.value.items()

    def text(self, key: str, default: str = "") -> str:
        node = self.node(key)
        if node is None:
            return default
        return _text(node)

    def listed(self, key: str) -> list[YamlNode]:
        """The entries of a list; a single value counts as a list of one."""
        node = self.node(key)
        return [] if node is None else node.value if isinstance(node.value, list) else [node]

    def original_id(self) -> str:
        """``-orig-id``: other tools' text, or a list of texts."""
        return ", ".join(child.text for child in self.listed("-orig-id") if child.text and child.value is not None)

    def encoding(self) -> str | None:
        """``encoding``: one that Python has."""
        name = self.text("encoding")
        problem = unknown_encoding(name) if name else ""
        if problem:
            self.entries["encoding"].mark.refuse(problem)
        return name or None

    def flag(self, key: str, default: bool = False) -> bool:
        node = self.node(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            node.mark.refuse(f"true or false is expected here, found {shown(node.value)}")
        return node.value

    def expression(self, key: str) -> WrittenText | None:
        node = self.node(key)
        return None if node is None else _expression(node)

    def amount(self, key: str) -> WrittenText | None:
        """An expression that is not a condition, so that ``off`` is a field's name."""
        node = self.node(key)
        if node is None:
            return None
        return WrittenText(str(node.word), node.mark) if isinstance(node.value, bool) else _expression(node)

    def identifier(self, key: str) -> str:
        node = self.node(key)
        if node is None:
            self.mark.refuse(f"the key {key!r} is missing")
        return _identifier(node.word, node.mark)


def _text(node: YamlNode) -> str:
    """A scalar as it is written."""
    if node.value is None or isinstance(node.value, dict | list):
        node.mark.refuse(f"text is expected here, found {shown(node.value)}")
    return node.text


def _snake_hint(text: str) -> str:
    """The hint for a wrong name: the name in lower_snake_case; "" if that is no better."""
    snake = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text[:60]).lower()).strip("_")
    is_name = re.fullmatch(r"[A-Za-z][\w .-]*", text) and snake != text and _IDENTIFIER.fullmatch(snake)
    return f"; did you mean {snake!r}?" if is_name else ""


def _identifier(value: object, mark: Mark) -> str:
    if not isinstance(value, str) or not _IDENTIFIER.fullmatch(value):
        hint = _snake_hint(value) if isinstance(value, str) else ""
        mark.refuse(f"{shown(value)} is not a name in lower_snake_case{hint}")
    return value


def _expression(node: YamlNode) -> WrittenText:
    if not isinstance(node.value, int | str | float) or (
        isinstance(node.value, float) and not math.isfinite(node.value)
    ):
        node.mark.refuse(f"an expression is expected here, found {shown(node.value)}")
    if isinstance(node.value, bool):
        return WrittenText(str(node.value).lower(), node.mark)
    return WrittenText(str(node.value), node.mark)


_PIECE: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|.", re.DOTALL)


def _split_arguments(text: str) -> list[str]:
    """Split at the commas outside of brackets and quoted text."""
    parts, depth, start = [], 0, 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece, 0)
        if piece == "," and depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _arguments(text: str | None, mark: Mark) -> tuple[WrittenText, ...]:
    if text is None or not text.strip():
        return ()
    return tuple(WrittenText(part.strip(), mark) for part in _split_arguments(text))


_USUAL: Final = {
    **{f"uint{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
    **{f"int{8 * size}": f"s{size}" for size in (1, 2, 4, 8)},
    **dict.fromkeys(("byte", "char", "uchar", "u8int"), "u1"), "short": "s2", "ushort": "u2", "word": "u2", "int": "s4",
    "uint": "u4", "dword": "u4", "long": "s8", "ulong": "u8", "qword": "u8", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8", **dict.fromkeys(("bool", "boolean", "bit", "flag"), "b1"),
    **dict.fromkeys(("string", "text"), "str or strz"), **dict.fromkeys(("ascii", "utf8"), "str with encoding"),
    **dict.fromkeys(("bytes", "blob", "raw"), "size, without a type"), "cstring": "strz",
    "paddedstring": "str with size",
    **dict.fromkeys(("array", "list", "vector"), "repeat: expr with repeat-expr"), "greedyrange": "repeat: eos",
    "greedybytes": "size-eos: true, without a type", "const": "contents", "pointer": "an instance with pos",
    "pascalstring": "a length, then str with it as size", "struct": "a type of your own under types",
    "enum": "an integer with the key enum", "switch": "type: {switch-on: ..., cases: ...}", "if": "the key if",
    **dict.fromkeys(("guid", "uuid"), "size: 16, without a type"),
    **dict.fromkeys(("str", "strz"), "{type: str, size: ...}"),
    **dict.fromkeys(("varint", "leb128", "vlq", "uleb128"), "varint::unsigned(10), with imports: [varint]"),
}  # fmt: skip
"""Names for types in other languages, and in construct, with ours."""

_NUMBER: Final = re.compile(r"([suf])([0-9]{1,4})(le|be)?")
_NUMBER_ELSEWHERE: Final = re.compile(r"(u?int|float|double)(8|16|24|32|64)_?(?:t|([us])?([lbn])?)")


def type_hint(text: str) -> str:
    """The hint for an unknown type name: what may have been meant; "" if that is not known."""
    plain = text[:60].strip()
    array = re.fullmatch(r"([a-z][a-z0-9_]*)\[(\w*)\]", plain)
    if array is not None:
        count = f"repeat: expr, repeat-expr: {array[2]}" if array[2] else "repeat: eos"
        return f"; did you mean {{type: {array[1]}, {count}}}?"
    number = _NUMBER_ELSEWHERE.fullmatch(plain.lower())
    if number is not None:
        bits, order = int(number[2]), {"l": "le", "b": "be"}.get(number[4] or "", "")
        sign = "u" if "u" in number[1] + (number[3] or "") and number[1] != "double" else "s"
        kind = sign if number[1].endswith("int") else "f"
        return "; did you mean b24?" if bits == 24 else f"; did you mean {kind}{bits // 8}{order if bits > 8 else ''}?"
    number = _NUMBER.fullmatch(plain)
    if number is not None:
        size = int(number[2])
        hint = "floats have 4 or 8 bytes (f4, f8)" if number[1] == "f" else "integers have 1, 2, 4 or 8 bytes (u1, s2)"
        if size in (16, 32, 64) and _PRIMITIVE.fullmatch(f"{number[1]}{size // 8}"):
            return f": {hint}; did you mean {number[1]}{size // 8}{number[3] or ''}?"
        bits = size if size == 24 else 8 * size
        return f": {hint}; one of {bits // 8} bytes is b{bits}" if number[1] != "f" and 2 < size < 100 else f": {hint}"
    word = re.match(r"\w*", plain)
    known = _USUAL.get(word[0].lower()) if word is not None else None
    if known is not None:
        return f"; did you mean {known}?"
    joined = re.sub(r"\s", "", plain).lower()
    if joined != plain and _PRIMITIVE.fullmatch(joined):
        return f"; did you mean {joined}?"
    return _snake_hint(plain)


def _type_use(text: object, mark: Mark) -> TypeUse:
    match = _USE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        hint = type_hint(text) if isinstance(text, str) else ""
        mark.refuse(f"{shown(text)} is not the name of a type{hint}")
    return TypeUse(tuple(match.group(1).split("::")), _arguments(match.group(2), mark), mark)


def _field_type(node: YamlNode) -> str | TypeUse | SwitchUse | None:
    """The type of a field, from its key ``type``."""
    if isinstance(node.value, dict):
        keys = _Keys(node, ("switch-on", "cases"))
        on = keys.amount("switch-on")
        if on is None or not list(keys.items("cases")):
            node.mark.refuse("switch-on and cases go together")
        return SwitchUse(
            on,
            tuple((WrittenText(key, child.mark), _case_type(child)) for key, child in keys.items("cases")),
            node.mark,
        )
    return _case_type(node)


def _case_type(node: YamlNode) -> str | TypeUse:
    text = node.word
    if isinstance(text, str) and _PRIMITIVE.fullmatch(text.strip()):
        return text.strip()
    return _type_use(text, node.mark)


def _process(node: YamlNode) -> ProcessUse:
    match = _PROCESS.fullmatch(node.value.strip()) if isinstance(node.value, str) else None
    if match is None:
        node.mark.refuse(
            f"zlib, xor(key), rol(amount), ror(amount) or a registered name is expected, found {shown(node.value)}"
        )
    return ProcessUse(match.group(1), _arguments(match.group(2), node.mark), node.mark)


def _byte(node: YamlNode | None) -> bytes | None:
    if node is None:
        return None
    value = node.value
    if isinstance(value, str) and re.fullmatch(r"0x[0-9a-fA-F]{1,2}", value):
        value = int(value, 16)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 255:
        is_character = isinstance(value, str) and len(value) == 1 and ord(value) < 256
        digit = f"{value}, or " if is_character and str(value).isdigit() else ""
        hint = f"; did you mean {digit}{ord(str(value)):#04x}?" if is_character else ""
        node.mark.refuse(f"a byte (0 to 255) is expected here, found {shown(node.value)}{hint}")
    return bytes([value])


def _doc_refs(node: YamlNode | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(map(_text, node.value if isinstance(node.value, list) else [node]))


def _valid(node: YamlNode) -> Valid:
    if isinstance(node.value, list):
        node.mark.refuse("a value or rules are expected here, found a list; did you mean {any-of: [...]}?")
    if isinstance(node.value, str) and re.match(r"\s*[<>=!]", node.value):
        rule = f"{{expr: '_ {node.value.strip()[:60]}'}}"
        node.mark.refuse(f"a value is expected here, found {shown(node.value)}; did you mean {rule}?")
    if not isinstance(node.value, dict):
        return Valid(node.mark, equal=_expression(node))
    keys = _Keys(node, _VALID_KEYS)
    any_of = tuple(_expression(child) for child in keys.children("any-of"))
    if not keys.entries or ("any-of" in keys.entries and not any_of):
        node.mark.refuse("a rule is expected here")
    return Valid(
        node.mark,
        equal=keys.expression("eq"),
        minimum=keys.expression("min"),
        maximum=keys.expression("max"),
        any_of=any_of,
        in_enum=keys.flag("in-enum"),
        expression=keys.expression("expr"),
    )


def _contents(node: YamlNode) -> bytes:
    parts = node.value if isinstance(node.value, list) else [node]
    content = b""
    for part in parts:
        value = part.value
        if isinstance(value, str):
            content += value.encode()
        elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255:
            content += bytes([value])
        else:
            digits = f"{value:x}" if type(value) is int and value > 255 else ""
            digits = "0" * (len(digits) % 2) + digits
            listed = ", ".join(f"0x{digits[at : at + 2]}" for at in range(0, min(len(digits), 32), 2))
            hint = f"; several bytes are a list: [{listed}]" if listed else ""
            part.mark.refuse(f"text or a byte (0 to 255) is expected here, found {shown(value)}{hint}")
    if not content:
        node.mark.refuse("no contents")
    return content


def _positions(node: YamlNode) -> DerivedPositions:
    keys = _Keys(node, ("position-of", "positions-of", "every", "relative-to"))
    one, many, every = keys.expression("position-of"), keys.expression("positions-of"), keys.node("every")
    of = one or many
    if of is None or (one is not None and many is not None):
        node.mark.refuse("one of position-of, positions-of is expected here")
    if every is not None and (many is None or type(every.value) is not int or every.value < 1):
        every.mark.refuse(f"every goes with positions-of, and is 1 or more, found {shown(every.value)}")
    step = 1 if every is None else int(every.value)
    return DerivedPositions(of, many is not None, step, keys.expression("relative-to"), node.mark)


def _presence(node: YamlNode) -> DerivedPresence:
    keys = _Keys(node, ("presence-of", "present", "absent"))
    numbers = []
    for key in ("present", "absent"):
        number = keys.node(key)
        if number is None or type(number.value) is not int:
            (node if number is None else number).mark.refuse(f"presence-of needs {key}, an integer")
        numbers.append(number.value)
    if numbers[0] == numbers[1]:
        node.mark.refuse("present and absent are the same number")
    return DerivedPresence(keys.identifier("presence-of"), numbers[0], numbers[1], node.mark)


def _plain_default(node: YamlNode) -> object:
    value = node.value
    if isinstance(value, dict):
        return {key: _plain_default(child) for key, child in value.items()}
    if not (value is None or isinstance(value, bool | int | str) or value == []):
        node.mark.refuse(f"null, a number, true, false, text, [] or {{}} is expected here, found {shown(value)}")
    return value


def _tag(node: YamlNode) -> DeclaredTag:
    keys = _Keys(node, ("tag", "default", "before", "since"))
    number, default = keys.node("tag"), keys.node("default")
    if number is None or type(number.value) is not int or number.value < 0:
        (node if number is None else number).mark.refuse("-tagged needs the key tag, a number")
    if default is None:
        node.mark.refuse("-tagged needs the key default: null, a number, true, false, text, [] or {}")
    value = _plain_default(default)
    before = keys.identifier("before") if keys.node("before") is not None else ""
    return DeclaredTag(number.value, value, before, keys.text("since"), node.mark)


_MEANING: Final = re.compile(r"([a-z][a-z0-9_]*)(?:\(([^()]*)\))?")


def _meaning(node: YamlNode) -> DeclaredMeaning:
    match = _MEANING.fullmatch(node.value.strip()) if isinstance(node.value, str) else None
    if match is None:
        node.mark.refuse(f"timestamp(ms), decimal(2) or the like is expected here, found {shown(node.value)}")
    arguments = () if match[2] is None else tuple(text.strip() for text in match[2].split(","))
    return DeclaredMeaning(match[1], arguments, node.mark)


def _payload(node: YamlNode) -> PayloadDeclaration:
    keys = _Keys(node, ("codec", "type", "magic"))
    codec = keys.expression("codec")
    for key in ("codec", "type"):
        if keys.node(key) is None:
            node.mark.refuse(f"the key {key!r} is missing")
    assert codec is not None
    return PayloadDeclaration(codec, _type_use(keys.text("type"), node.mark), keys.expression("magic"), node.mark)


def _field(node: YamlNode, complaints: Complaints, name: str, allowed: tuple[str, ...]) -> FieldDeclaration:
    """A field or an instance. Raises the first complaint; ``complaints`` gets the others."""
    wrong: Complaints = []
    keys = _Keys(node, allowed, wrong)
    declared = _attempt(wrong, lambda: _field_of(keys, name), None)
    if wrong or declared is None:
        complaints += wrong[1:]
        raise wrong[0]
    return declared


def _field_of(keys: _Keys, name: str) -> FieldDeclaration:
    payload_node, type_node = keys.node("-payload"), keys.node("type")
    kind: str | TypeUse | SwitchUse | None = None
    if type_node is not None:
        if payload_node is not None and not isinstance(type_node.value, dict):
            type_node.mark.refuse("with -payload the codec chooses the type: use switch-on and cases, or neither")
        kind = None if payload_node is not None else _field_type(type_node)
    repeat_node = keys.node("repeat")
    if repeat_node is not None and repeat_node.value not in ("expr", "eos", "until"):
        written = str(repeat_node.value).lower()
        to_end = (
            written in ("true", "*", "+", "all", "greedy", "forever")
            or re.search(r"\b(eof|end|eos)\b", written) is not None
        )
        count = f"repeat: expr, repeat-expr: {written[:40]}" if re.fullmatch(r"[0-9a-z_.() +*-]+", written) else ""
        hint = "repeat: eos" if to_end else count
        hint = f"; did you mean {hint}?" if hint else ""
        repeat_node.mark.refuse(f"repeat must be expr, eos or until, found {shown(repeat_node.value)}{hint}")
    repeat = None if repeat_node is None else str(repeat_node.value)
    for word in ("expr", "until"):
        if repeat == word and keys.node(f"repeat-{word}") is None:
            keys.mark.refuse(f"repeat: {word} needs repeat-{word}")
        if repeat != word and keys.node(f"repeat-{word}") is not None:
            keys.entries[f"repeat-{word}"].mark.refuse(f"repeat-{word} needs repeat: {word}")
    enum_node, valid_node, contents_node = keys.node("enum"), keys.node("valid"), keys.node("contents")
    enum = None if enum_node is None else _type_use(enum_node.word, enum_node.mark)
    if enum_node is not None and enum is not None and enum.arguments:
        enum_node.mark.refuse("an enum takes no arguments")
    base, process, parent = keys.node("-base"), keys.node("process"), keys.node("parent")
    meaning = keys.node("-as")
    derive, tag = keys.node("-derive"), keys.node("-tagged")
    is_mapping = derive is not None and isinstance(derive.value, dict)
    is_presence = derive is not None and isinstance(derive.value, dict) and "presence-of" in derive.value
    return FieldDeclaration(
        id=name,
        mark=keys.mark,
        keys={key: child.mark for key, child in keys.entries.items()},
        doc=keys.text("doc").strip(),
        original_id=keys.original_id(),
        type=kind,
        size=keys.amount("size"),
        size_eos=keys.flag("size-eos"),
        repeat=repeat,
        repeat_expr=keys.amount("repeat-expr"),
        condition=keys.expression("if"),
        valid=None if valid_node is None else _valid(valid_node),
        enum=None if enum is None else enum.name,
        contents=None if contents_node is None else _contents(contents_node),
        encoding=keys.encoding(),
        derive=None if is_mapping else keys.expression("-derive"),
        positions=_positions(derive) if derive is not None and is_mapping and not is_presence else None,
        presence=_presence(derive) if derive is not None and is_presence else None,
        base=None if base is None else _identifier(base.word, base.mark),
        payload=None if payload_node is None else _payload(payload_node),
        inline=keys.flag("-inline"),
        doc_ref=_doc_refs(keys.node("doc-ref")),
        repeat_until=keys.expression("repeat-until"),
        terminator=_byte(keys.node("terminator")),
        include=keys.flag("include"),
        consume=keys.flag("consume", True),
        eos_error=keys.flag("eos-error", True),
        pad_right=_byte(keys.node("pad-right")),
        process=None if process is None else _process(process),
        parent=None if parent is None else False if parent.value is False else _expression(parent),
        value=keys.expression("value"),
        position=keys.amount("pos"),
        stream=keys.amount("io"),
        fill=_byte(keys.node("-fill")),
        meaning=None if meaning is None else _meaning(meaning),
        tag=None if tag is None else _tag(tag),
        hidden=keys.flag("-hidden"),
    )


def _enum_member(entry: tuple[str, YamlNode]) -> EnumMember:
    key, child = entry
    try:
        value = int(key, 8 if re.fullmatch("[-+]?0[0-7_]+", key) else 0)
    except ValueError:
        is_turned = type(child.value) is int and _IDENTIFIER.fullmatch(key)
        hint = f"; did you mean {child.value}: {key}?" if is_turned else ""
        child.mark.refuse(f"{shown(key)} is not an integer{hint}")
    if not MIN_INT64 <= value < 2**64:
        child.mark.refuse("an integer that does not fit in 64 bits")
    if isinstance(child.value, dict):
        keys = _Keys(child, ("id", "doc", "doc-ref", "-orig-id"))
        return EnumMember(value, keys.identifier("id"), keys.original_id(), keys.text("doc").strip())
    return EnumMember(value, _identifier(child.word, child.mark), "", "")


def _enum(name: str, node: YamlNode, complaints: Complaints) -> EnumDeclaration:
    if not isinstance(node.value, dict) or not node.value:
        node.mark.refuse("a mapping of integers to names is expected here, such as {0: none, 1: some}")
    wrong: Complaints = []
    members = _all_of(wrong, node.value.items(), _enum_member)
    if wrong:
        complaints += wrong[1:]
        raise wrong[0]
    for kind in ("value", "id"):
        seen = [getattr(member, kind) for member in members]
        if len(set(seen)) < len(seen):
            node.mark.refuse(f"two members with the same {kind}")
    return EnumDeclaration(name, members, node.mark)


def _check(node: YamlNode) -> RowCheck:
    match = _CHECK.fullmatch(node.value) if isinstance(node.value, str) else None
    if match is None or match.group(1) not in ("increasing", "non_decreasing"):
        node.mark.refuse("increasing(field) or non_decreasing(field) is expected here")
    return RowCheck(match.group(1), match.group(2), node.mark)


_DIGITS: Final = {"octal": 8, "decimal": 10, "hex": 16}


def _checksum(node: YamlNode) -> ChecksumDeclaration:
    keys = _Keys(node, ("algorithm", "field", "from", "to", "over", "blank", "digits", "if"))
    written = keys.node("algorithm")
    if written is None:
        node.mark.refuse("the key 'algorithm' is missing")
    name = _crc(written) if isinstance(written.value, dict) else canonical_name(_text(written))
    if name is None:
        written.mark.refuse(f"no checksum {_text(written)!r} is known{nearest(_text(written), known_names())}")
    start, end = (keys.identifier(name) if keys.node(name) is not None else "" for name in ("from", "to"))
    over, blank, digits = keys.expression("over"), _byte(keys.node("blank")), keys.text("digits")
    if over is not None and (start or end or blank is not None):
        node.mark.refuse("'over' names a value; 'from', 'to' and 'blank' are for bytes between two fields")
    if digits and digits not in _DIGITS:
        keys.entries["digits"].mark.refuse(f"{', '.join(_DIGITS)} is expected here, found {digits!r}")
    stored = keys.node("field")
    if stored is None:
        node.mark.refuse("the key 'field' is missing")
    field, *inside = (_identifier(part, stored.mark) for part in str(stored.word).split("."))
    return ChecksumDeclaration(
        *(name, field, start, end, node.mark, over, None if blank is None else blank[0]),
        *(_DIGITS[digits] if digits else 0, tuple(inside), keys.expression("if")),
    )


def _crc(node: YamlNode) -> str:
    """The name of a CRC of given parameters, those of the RevEng catalogue."""
    keys = _Keys(node, ("width", "poly", "init", "refin", "refout", "xorout"))
    numbers = {name: _bits(keys.node(name), node.mark, name) for name in ("width", "poly", "init", "xorout")}
    crc = Crc(
        numbers["width"], numbers["poly"], numbers["init"], keys.flag("refin"), keys.flag("refout"), numbers["xorout"]
    )
    try:
        return name_of_crc(crc)
    except UsageError as error:
        node.mark.refuse(str(error))


def _bits(node: YamlNode | None, mark: Mark, name: str) -> int:
    """A number that is not negative; 0 if it is missing and may be."""
    if node is None:
        if name in ("width", "poly"):
            mark.refuse(f"the key {name!r} is missing")
        return 0
    if type(node.value) is not int or node.value < 0:
        node.mark.refuse(f"a number is expected here, found {shown(node.value)}")
    return node.value


_PARAMETER: Final = re.compile(
    r"(?:[su]1|[su][248](?:le|be)?|f[48](?:le|be)?|b[1-9][0-9]{0,8}(?:le|be)?|bool|bytes|str|io|struct|any"
    r"|[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*)(?:\[\])?"
)


def _parameter(node: YamlNode) -> DeclaredParameter:
    keys = _Keys(node, ("id", "type", "doc", "doc-ref", "enum", "-orig-id"))
    text = keys.text("type", "bytes").strip()
    if not _PARAMETER.fullmatch(text):
        node.mark.refuse(f"{shown(text)} is not the type of a parameter")
    enum_node = keys.node("enum")
    enum = None if enum_node is None else _type_use(enum_node.word, enum_node.mark).name
    return DeclaredParameter(keys.identifier("id"), text, node.mark, enum, keys.text("doc").strip())


def _endian(node: YamlNode | None) -> str | EndianSwitch | None:
    if node is None:
        return None
    if not isinstance(node.value, dict):
        return _order(node, "endian")
    keys = _Keys(node, ("switch-on", "cases"))
    on = keys.expression("switch-on")
    cases = tuple((WrittenText(key, child.mark), child) for key, child in keys.items("cases"))
    if on is None or not cases:
        node.mark.refuse("switch-on and cases go together")
    return EndianSwitch(on, tuple((text, _order(child, "endian") == "le") for text, child in cases))


_USUAL_ORDERS: Final = {
    **dict.fromkeys(("big", "msb", "network", "motorola"), "be"), **dict.fromkeys(("little", "lsb", "intel"), "le")
}  # fmt: skip


def _order(node: YamlNode, key: str) -> str:
    if node.value not in ("be", "le"):
        usual = _USUAL_ORDERS.get(re.split("[^a-z]", str(node.value)[:60].lower())[0])
        hint = f", found {shown(node.value)}" + (f"; did you mean {usual}?" if usual else "")
        node.mark.refuse(f"{key} must be be or le{hint}")
    return str(node.value)


def _meta(keys: _Keys, complaints: Complaints) -> Meta:
    """Read ``meta``. A wrong value gets a complaint and is replaced by a valid one, so that its uses get none."""
    bits = keys.node("bit-endian")
    endian: str | EndianSwitch | None = "be"
    bit_endian: str | None = "be"
    encoding: str | None = "UTF-8"
    return Meta(
        endian=_attempt(complaints, lambda: _endian(keys.node("endian")), endian),
        bit_endian=_attempt(complaints, lambda: None if bits is None else _order(bits, "bit-endian"), bit_endian),
        encoding=_attempt(complaints, keys.encoding, encoding),
        opaque_types=_attempt(complaints, lambda: keys.flag("ks-opaque-types"), True),
    )


def _refuse_seen(
    complaints: Complaints, named: Iterable[FieldDeclaration | DeclaredParameter], seen: set[str], says: str
) -> None:
    """Complain about names that are already in ``seen``, and add all of them to it."""
    for item in named:
        if item.id in seen:
            _attempt(complaints, partial(item.mark.refuse, says.format(item.id)), None)
        seen.add(item.id)


def _type(node: YamlNode, name: tuple[str, ...], complaints: Complaints, meta: Meta | None = None) -> TypeDeclaration:
    """A type; the file's own if its ``meta`` is given."""
    keys = _Keys(node, _TYPE_KEYS, complaints)
    failed: list[str] = []

    def attempt(read: Callable[[], Read], otherwise: Read) -> Read:
        return _attempt(complaints, read, otherwise)

    def field_at(numbered: tuple[int, YamlNode]) -> FieldDeclaration:
        index, child = numbered
        node = child.value.get("id") if isinstance(child.value, dict) else None
        unnamed = f"_unnamed{index}"
        named = unnamed if node is None else attempt(lambda: _identifier(node.word, node.mark), unnamed)
        try:
            return _field(child, complaints, named, _FIELD_KEYS)
        except DeclarationError:
            failed.append(named)
            raise
        finally:
            if named is unnamed and node is not None:
                failed.append(str(node.value))

    def instance_at(entry: tuple[str, YamlNode]) -> FieldDeclaration:
        try:
            return _field(entry[1], complaints, _identifier(entry[0], entry[1].mark), _INSTANCE_KEYS)
        except DeclarationError:
            failed.append(entry[0])
            raise

    def type_at(entry: tuple[str, YamlNode]) -> tuple[str, TypeDeclaration]:
        key, child = entry
        return key, _type(child, (*name, _identifier(key, child.mark)), complaints)

    def enum_at(entry: tuple[str, YamlNode]) -> tuple[str, EnumDeclaration]:
        return entry[0], _enum(_identifier(entry[0], entry[1].mark), entry[1], complaints)

    def named(key: str, read: Callable[[tuple[str, YamlNode]], Any], mark: str) -> dict[str, Any]:
        wrong: Complaints = []
        entries = dict(_all_of(wrong, keys.items(key), read))
        failed.extend([mark] * bool(wrong))
        complaints.extend(wrong)
        return entries

    if meta is None:
        meta_node = keys.node("meta")
        meta = (
            Meta()
            if meta_node is None
            else attempt(lambda: _meta(_Keys(meta_node, _INNER_META_KEYS, complaints), complaints), Meta())
        )
    intrinsic = attempt(lambda: keys.text("-intrinsic"), "") or None
    if intrinsic not in (None, "zigzag", "unsigned"):
        refused = f"-intrinsic must be zigzag or unsigned, found {intrinsic!r}"
        attempt(lambda: keys.mark.refuse(refused), None)
        intrinsic = None
    fields: tuple[FieldDeclaration, ...] = ()
    instances: tuple[FieldDeclaration, ...] = ()
    if not intrinsic:
        fields = _all_of(complaints, enumerate(keys.children("seq")), field_at)
        instances = _all_of(complaints, keys.items("instances"), instance_at)
    seen: set[str] = set()
    _refuse_seen(complaints, (*fields, *instances), seen, "a second field {!r}")
    parameters = _all_of(complaints, keys.children("params"), _parameter)
    _refuse_seen(complaints, parameters, seen, "the name {!r} is taken by a field or another parameter")
    return TypeDeclaration(
        name=name,
        mark=node.mark,
        doc=attempt(lambda: keys.text("doc").strip(), ""),
        original_id=keys.original_id(),
        parameters=parameters,
        fields=fields,
        types=named("types", type_at, FAILED_TYPES),
        enums=named("enums", enum_at, FAILED_ENUMS),
        intrinsic=intrinsic,
        row=attempt(lambda: keys.flag("-row"), False),
        sync=attempt(lambda: keys.flag("-sync"), False),
        checks=_all_of(complaints, keys.listed("-check"), _check),
        checksums=_all_of(complaints, keys.listed("-checksum"), _checksum),
        instances=instances,
        to_string=attempt(lambda: keys.expression("to-string"), None),
        meta=meta,
        doc_ref=attempt(lambda: _doc_refs(keys.node("doc-ref")), ()),
        failed=tuple(failed),
    )


# --- files ---------------------------------------------------------------------------------------------------------


def _read(path: Path, seen: Seen) -> tuple[str, bool]:
    """The text of a declaration file, as `yaml_nodes.decoded`; reads no more than the allowed size."""
    seen.look(str(path))
    most = bound(MAX_DECLARATION)
    with path.open("rb") as file:
        data = file.read(most + 1)
    seen.read(str(path), data)
    if len(data) > most:
        raises = f"the environment variable {MAX_DECLARATION} raises the bound"
        Mark(str(path), 1, "/").refuse(f"a declaration of more than {most} bytes; {raises}")
    return decoded(data)


class _Imports:
    """The files of one load: each is read once; two files with one id are refused. Circular imports are allowed."""

    def __init__(self, paths: Sequence[str | Path] = ()) -> None:
        self.environment = os.environ.get("KSPATH", "")
        self.paths = [Path(path) for path in (*paths, *(part for part in self.environment.split(os.pathsep) if part))]
        self.loaded: dict[str, Declaration] = {}
        self.named: dict[str, str] = {}
        self.depth = 0
        self.complaints: Complaints = []
        self.seen = Seen()

    def find(self, text: str, folder: Path | None) -> Path | None:
        """The file that an import means: next to the importing one, then on the search path."""
        self.seen.search_path = self.environment
        name = text.removeprefix("/")
        folders = (
            self.paths if text.startswith("/") and self.paths else [*([] if folder is None else [folder]), *self.paths]
        )
        if text.startswith("/") and folder is not None and folder not in folders:
            folders = [*folders, folder]
        for place in folders:
            path = place / f"{name}.ksy"
            if os.path.isfile(path):  # a name that is none is no error of the system's
                return path
            self.seen.look(str(path))
        return None

    def load(self, text: str, mark: Mark, folder: Path | None) -> Declaration:
        name = text.removeprefix("/")
        path = self.find(text, folder)
        shipped = None
        if path is None:
            name = name if folder is not None else name.removeprefix("../")  # those of messages lie in a folder
            shipped = shipped_text(name) if _IDENTIFIER.fullmatch(name) else None
            common = name.removeprefix("common/")
            if text.startswith("/common/") and _IDENTIFIER.fullmatch(common):
                shipped = common_text(common)
            if shipped is None:
                known = ", ".join(shipped_names())
                mark.refuse(
                    f"{shown(text)} is neither a file next to this one, nor on the search path (-I, KSPATH),"
                    f" nor one of kformat's ({known})"
                )
        file = shipped_file(name) if path is None else str(path)
        key = file if path is None else str(path.resolve())
        if key not in self.loaded:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                mark.refuse(f"imports nested more than {MAX_DEPTH} deep")
            if path is None:
                _declaration(shipped or "", file, key, None, self)
            else:
                text, is_replaced = _read(path, self.seen)
                _declaration(text, file, key, path.parent, self, is_replaced)
            self.depth -= 1
        imported = self.loaded[key]
        if self.named[imported.id] != key:
            mark.refuse(f"{file} has the id {imported.id!r} of {self.named[imported.id]}")
        return imported


def _declaration(
    text: str, file: str, key: str, folder: Path | None, files: _Imports, is_replaced: bool = False
) -> Declaration:
    node = read_yaml(text, file, is_replaced)
    complaints = files.complaints
    keys = _Keys(node, _TYPE_KEYS, [])
    meta_node = keys.node("meta")
    if meta_node is None:
        node.mark.refuse("the key 'meta' is missing: a declaration has at least `meta: {id: NAME}`")
    meta = _Keys(meta_node, _META_KEYS, complaints)
    identifier = _attempt(complaints, lambda: meta.identifier("id"), "unnamed")
    files.named.setdefault(identifier, key)
    own_meta = _meta(meta, complaints)
    declaration = Declaration(
        id=identifier,
        title="".join(entry.text for entry in meta.listed("title")),
        file=file,
        text=text,
        endian=None,
        encoding=own_meta.encoding,
        root=_type(node, (identifier,), complaints, own_meta),
        imports={},
        digest="",
        file_extensions=tuple(entry.text.lower() for entry in meta.listed("file-extension") if entry.text),
    )
    endian = declaration.root.meta.endian
    object.__setattr__(declaration, "endian", endian if isinstance(endian, str) else None)
    files.loaded[key] = declaration

    def load(child: YamlNode) -> None:
        if child.value is None or not child.text:
            child.mark.refuse("the name of a file is expected here")
        if child.text.endswith(".ksy"):
            child.mark.refuse(f"imports have no .ksy; did you mean {child.text[:60].removesuffix('.ksy')!r}?")
        imported = files.load(child.text, child.mark, folder)
        declaration.imports[imported.id] = imported

    wrong: Complaints = []
    _all_of(wrong, meta.listed("imports"), load)
    if wrong:
        complaints += wrong
        object.__setattr__(declaration.root, "failed", (*declaration.root.failed, FAILED_TYPES, FAILED_ENUMS))
    for use in _undeclared(declaration):
        if use.name[0] not in declaration.imports and files.find(use.name[0], folder) is not None:
            imported = files.load(use.name[0], use.mark, folder)
            declaration.imports[imported.id] = imported
    object.__setattr__(declaration, "digest", _digest(*(imported.text for imported in closure(declaration))))
    return declaration


def closure(declaration: Declaration) -> list[Declaration]:
    """The declaration and all that it imports, directly or not, each once; itself first."""
    declarations, pending = {id(declaration): declaration}, [declaration]
    while pending:
        for imported in pending.pop(0).imports.values():
            if id(imported) not in declarations:
                declarations[id(imported)] = imported
                pending.append(imported)
    return list(declarations.values())


def all_types(declared: TypeDeclaration) -> Iterator[TypeDeclaration]:
    """A type and those declared in it, however deep."""
    yield declared
    for child in declared.types.values():
        yield from all_types(child)


def has_own_keys(root: TypeDeclaration) -> bool:
    """Whether a file has keys of kformat's own that say how values are made (``-row``, ``-derive``, ...): a
    ``-checksum`` is only verified.
    """
    return any(
        declared.row
        or declared.checks
        or declared.intrinsic
        or any(
            item.inline or item.payload or item.derive or item.positions or item.base or item.presence or item.tag
            for item in (*declared.fields, *declared.instances)
        )
        for declared in all_types(root)
    )


def type_uses(declared: TypeDeclaration) -> Iterator[TypeUse]:
    """All uses of types in fields and instances of a type, not of the types in it."""
    for item in (*declared.fields, *declared.instances):
        uses = [case for _, case in item.type.cases] if isinstance(item.type, SwitchUse) else [item.type]
        yield from (use for use in uses if isinstance(use, TypeUse))
        if item.payload is not None:
            yield item.payload.type


def _undeclared(declaration: Declaration) -> list[TypeUse]:
    """The uses of types whose first name no enclosing type has."""
    uses: list[TypeUse] = []

    def walk(declared: TypeDeclaration, known: frozenset[str]) -> None:
        known = known | declared.types.keys() | {declared.name[-1]}
        uses.extend(use for use in type_uses(declared) if use.name[0] not in known)
        for child in declared.types.values():
            walk(child, known)

    walk(declaration.root, frozenset())
    return uses


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def parse_declaration(
    text: str,
    file: str = "<text>",
    folder: str | Path | None = None,
    *,
    import_paths: Sequence[str | Path] = (),
) -> Declaration:
    """Parse a declaration.

    Args:
        text: the ``.ksy`` file's text.
        file: its name, for errors.
        folder: where its imports are; kformat's own declarations need no folder.
        import_paths: folders of absolute imports, and of those that are not next to the file; then those of ``KSPATH``.

    Raises:
        DeclarationError: it is not YAML, or not a declaration (see the module's text).
    """
    return _parsed(text, file, None if folder is None else Path(folder), _Imports(import_paths))


def _parsed(text: str, file: str, place: Path | None, files: _Imports, is_replaced: bool = False) -> Declaration:
    key = file if place is None else str((place / Path(file).name).resolve())
    declaration = _attempt(files.complaints, lambda: _declaration(text, file, key, place, files, is_replaced), None)
    if files.complaints:
        raise_all(files.complaints, declaration)
    assert declaration is not None
    return declaration


@lru_cache(maxsize=64)
def _shipped(name: str) -> Declaration | None:
    text = shipped_text(name) if _IDENTIFIER.fullmatch(name) else None
    return None if text is None else _declaration(text, shipped_file(name), shipped_file(name), None, _Imports())


_KEPT_FILES: Final = 256
_kept: dict[tuple[str, tuple[str, ...]], tuple[Seen, Declaration]] = {}
"""Cached declarations by path and import paths; the most recently used one is last."""


def seen_files(file: str) -> Seen | None:
    """The files looked for when this file's declaration was read; None if it was not read, or is not cached."""
    known = _kept.get((file, ()))
    return None if known is None else known[0]


def _of_file(file: str, import_paths: tuple[str, ...]) -> Declaration:
    """The declaration in a file, read again only if the file, or one that it imports, has changed."""
    key = (file, import_paths)
    known = _kept.pop(key, None)
    if known is None or not known[0].is_current():
        files, path = _Imports(import_paths), Path(file)
        text, is_replaced = _read(path, files.seen)
        known = files.seen, _parsed(text, str(path), path.parent, files, is_replaced)
    _kept[key] = known
    while len(_kept) > _KEPT_FILES:
        _kept.pop(next(iter(_kept)), None)
    return known[1]


def load_declaration(format: str | Path | Declaration, *, import_paths: Sequence[str | Path] = ()) -> Declaration:
    """Load a declaration by the name of a shipped format, or by the path of a ``.ksy`` file.

    Raises:
        UsageError: there is no such format, and it is not the path of a ``.ksy`` file.
        OSError: the file cannot be read.
        DeclarationError: see `parse_declaration`.
    """
    if isinstance(format, Declaration):
        return format
    if str(format).endswith(".ksy"):
        return _of_file(str(format), tuple(map(str, import_paths)))
    declaration = _shipped(str(format))
    if declaration is not None:
        return declaration
    names = shipped_names()
    try:
        files = [name for name in os.listdir() if name.endswith(".ksy")]
    except OSError:
        files = []
    hint = nearest(str(format), [*names, *files, *message_names()])
    others = "messages, which `kformat formats` lists; or a .ksy file's path"
    raise UsageError(f"no format {str(format)!r}{hint} (shipped: {', '.join(names)}; {others})")
