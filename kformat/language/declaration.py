"""``.ksy`` text -> a frozen Declaration, with file, line and key on every complaint.

This module knows YAML and which keys there are; what types and names mean is decided by `program`. It reads plain
Kaitai Struct files of the subset below and refuses everything else by the path of the key, never slowly or silently.

    file   meta, doc, doc-ref, params, seq, types, enums, -orig-id, -row, -check, -checksum, -intrinsic (and instances,
           in an intrinsic type only: there the body is for others)
    meta   id, endian (be, le), imports, encoding; title, application, file-extension, xref, license, ks-version, tags
           and bit-endian: be are passed over
    params integer types
    seq    id, doc, doc-ref, type, size, size-eos, repeat (expr, eos), repeat-expr, if, valid, enum, contents, encoding,
           -orig-id, -derive, -base, -inline, -payload; `type: {switch-on, cases}` only with -payload, which says more
    types  [su]1, [su]{2,4,8}[le|be], f4, f8, b1..b64 in types of bits alone, str, bytes (no type), user types with
           parameters; a type of another file by its id once that file is imported
    valid  a value, or min, max, eq, any-of, in-enum, expr

Keys that begin with ``-`` mean nothing to Kaitai's compiler. The ones above are used (formats/README.md); an unknown
one is refused, as it would be if it had no dash.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NoReturn

import yaml

from kformat.errors import DeclarationError, UsageError
from kformat.integers import MIN_INT64

MAX_BYTES: Final = 1 << 18
"""Largest declaration file; limits the work for an untrusted file."""

MAX_DEPTH: Final = 50
"""Deepest nesting of lists and mappings in a declaration."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a declaration: file, line (from 1) and key path (``/types/record/seq/1/size``)."""

    file: str
    line: int
    key: str

    def refuse(self, message: str) -> NoReturn:
        raise DeclarationError(message, file=self.file, line=self.line, key=self.key)


@dataclass(frozen=True, slots=True)
class Text:
    """An expression as written, and its place."""

    text: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class TypeUse:
    """A field's reference to a user type: ``records(records_count)`` or ``varint::unsigned(5)``."""

    name: tuple[str, ...]
    arguments: tuple[Text, ...]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Valid:
    """The rules for a field's value; several may be set at once (`minimum` and `maximum`)."""

    mark: Mark
    equal: Text | None = None
    minimum: Text | None = None
    maximum: Text | None = None
    any_of: tuple[Text, ...] = ()
    in_enum: bool = False
    expression: Text | None = None


@dataclass(frozen=True, slots=True)
class PayloadDeclaration:
    """``-payload``: bytes that hold another type, compressed as ``codec`` says; ``magic`` is passed to the codec."""

    codec: Text
    type: TypeUse
    magic: Text | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """One entry of a ``seq``. ``keys`` maps its keys to their places."""

    id: str
    mark: Mark
    keys: dict[str, Mark]
    doc: str
    original_id: str
    type: str | TypeUse | None
    size: Text | None
    size_eos: bool
    repeat: str | None
    repeat_expr: Text | None
    condition: Text | None
    valid: Valid | None
    enum: tuple[str, ...] | None
    contents: bytes | None
    encoding: str | None
    derive: Text | None
    base: str | None
    payload: PayloadDeclaration | None
    inline: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """A type's parameter: an integer of a primitive type."""

    id: str
    type: str
    mark: Mark


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
    """``-checksum``: ``field`` holds the checksum (``algorithm``) of all bytes from field ``start`` to the end."""

    algorithm: str
    field: str
    start: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """A type: the file's root type, or one under ``types``. ``name`` is the path of names from the file's id down."""

    name: tuple[str, ...]
    mark: Mark
    doc: str
    original_id: str
    parameters: tuple[Parameter, ...]
    fields: tuple[FieldDeclaration, ...]
    types: dict[str, TypeDeclaration]
    enums: dict[str, EnumDeclaration]
    intrinsic: str | None
    row: bool
    checks: tuple[RowCheck, ...]
    checksum: ChecksumDeclaration | None


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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declaration) and (self.file, self.digest) == (other.file, other.digest)

    def __hash__(self) -> int:
        return hash((self.file, self.digest))


# --- YAML with lines -----------------------------------------------------------------------------------------------


class _Node:
    """A YAML node: Python value (``dict[str, _Node]``, ``list[_Node]`` or a scalar) with its mark."""

    __slots__ = ("mark", "value")

    def __init__(self, value: Any, mark: Mark) -> None:
        self.value, self.mark = value, mark


class _Loader(yaml.SafeLoader):
    """PyYAML's loader, used for composing and for the meaning of scalars."""


_QuickLoader: Final[Any] = yaml.CSafeLoader if yaml.__with_libyaml__ else _Loader
"""libyaml's loader, ten times as fast. Its error messages differ, so it reads only kformat's own declarations, which
are correct.
"""


_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def _node(loader: _Loader, node: yaml.Node, file: str, key: str) -> _Node:
    mark = Mark(file, node.start_mark.line + 1, key or "/")
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, _Node] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                mark.refuse("a key that is not a plain word")
            name = key_node.value
            path = f"{key}/{name if name.isprintable() and len(name) <= 60 else _shown(name)}"
            child = _node(loader, value_node, file, path)
            child.mark = Mark(file, key_node.start_mark.line + 1, path)
            if name in entries:
                child.mark.refuse("duplicate key")
            entries[name] = child
        return _Node(entries, mark)
    if isinstance(node, yaml.SequenceNode):
        return _Node([_node(loader, item, file, f"{key}/{index}") for index, item in enumerate(node.value)], mark)
    if ":" in node.value and node.tag in _NUMBERS:  # PyYAML's time would be quadratic in its length
        mark.refuse(f"a number in base 60 (YAML 1.1); quote it: {_shown(node.value)}")
    try:
        value = loader.construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        mark.refuse(f"not a YAML value: {getattr(error, 'problem', None) or error}")
    if isinstance(value, int) and not MIN_INT64 <= value < 2**64:
        mark.refuse("an integer that does not fit in 64 bits")
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        mark.refuse("text with a half of a character (a lone surrogate)")
    return _Node(value, mark)


def _refuse_features(text: str, file: str) -> None:
    """Refuse YAML features that declarations do not need, before constructing anything."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark = Mark(file, event.start_mark.line + 1 if event.start_mark else 1, "/")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            mark.refuse("YAML anchors and aliases are not supported")
        if getattr(event, "tag", None):
            mark.refuse("YAML tags are not supported")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                mark.refuse(f"nested more than {MAX_DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _compose(text: str, file: str, is_ours: bool) -> _Node:
    whole = Mark(file, 1, "/")
    if len(text) > MAX_BYTES:
        whole.refuse(f"a declaration of {len(text)} characters; {MAX_BYTES} are allowed")
    try:
        if not is_ours:
            _refuse_features(text, file)
        loader = (_QuickLoader if is_ours else _Loader)(text)
        try:
            node = loader.get_single_node()
            if node is None:
                whole.refuse("the file is empty")
            return _node(loader, node, file, "")
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        Mark(file, line, "/").refuse(f"not YAML: {error.problem or error.context}")
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        Mark(file, line, "/").refuse(f"not YAML: the character U+{ord(text[error.position]):04X} may not stand here")


# --- reading keys --------------------------------------------------------------------------------------------------

_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_]*")
_PRIMITIVE: Final = re.compile(r"[su]1|[su][248](?:le|be)?|f[48](?:le|be)?|b[1-9][0-9]?|str")
_INTEGER: Final = re.compile(r"[su]1|[su][248](?:le|be)?")
_USE: Final = re.compile(r"([a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*)(?:\((.*)\))?", re.DOTALL)
_CHECK: Final = re.compile(r"(\w+)\((\w+)\)")

_TYPE_KEYS: Final = (
    *("meta", "doc", "doc-ref", "params", "seq", "types", "enums", "instances"),
    *("-orig-id", "-row", "-check", "-checksum", "-intrinsic"),
)
_META_KEYS: Final = (
    *("id", "title", "application", "file-extension", "xref", "license", "ks-version", "tags", "endian", "bit-endian"),
    *("imports", "encoding"),
)
_FIELD_KEYS: Final = (
    *("id", "doc", "doc-ref", "type", "size", "size-eos", "repeat", "repeat-expr", "if", "valid", "enum", "contents"),
    *("encoding", "-orig-id", "-derive", "-base", "-inline", "-payload"),
)
_VALID_KEYS: Final = ("eq", "min", "max", "any-of", "in-enum", "expr")
_KAITAI_ONLY: Final = {
    "process": "processing bytes", "terminator": "terminated fields", "consume": "terminated fields",
    "include": "terminated fields", "eos-error": "terminated fields", "pad-right": "padded fields",
    "repeat-until": "repetition until a condition", "pos": "fields at a position", "io": "fields in another stream",
    "value": "computed fields", "instances": "instances", "ks-opaque-types": "opaque types", "ks-debug": "debug mode",
    "parent": "parents", "to-string": "string forms",
}  # fmt: skip


def _nearest(word: str, choices: Iterable[str]) -> str:
    close = difflib.get_close_matches(word[:60], list(choices), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _shown(value: object) -> str:
    """A YAML value, shortened, for an error message."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


class _Keys:
    """The keys of one mapping; unknown keys are refused at once."""

    def __init__(self, node: _Node, allowed: tuple[str, ...]) -> None:
        if not isinstance(node.value, dict):
            node.mark.refuse("a mapping is expected here")
        self.mark, self.entries = node.mark, node.value
        for key, child in self.entries.items():
            if key not in allowed:
                if key in _KAITAI_ONLY:
                    child.mark.refuse(f"{_KAITAI_ONLY[key]} are outside of the supported subset")
                child.mark.refuse(f"unknown key {_shown(key)}{_nearest(key, allowed)}")

    def node(self, key: str) -> _Node | None:
        return self.entries.get(key)

    def children(self, key: str) -> Iterator[_Node]:
        node = self.node(key)
        if node is not None:
            if not isinstance(node.value, list):
                node.mark.refuse("a list is expected here")
            yield from node.value

    def items(self, key: str) -> Iterator[tuple[str, _Node]]:
        node = self.node(key)
        if node is not None:
            if not isinstance(node.value, dict):
                node.mark.refuse("a mapping is expected here")
            yield from node.value.items()

    def text(self, key: str, default: str = "") -> str:
        node = self.node(key)
        if node is None:
            return default
        if not isinstance(node.value, str):
            node.mark.refuse(f"text is expected here, found {_shown(node.value)}")
        return node.value

    def flag(self, key: str) -> bool:
        node = self.node(key)
        if node is None:
            return False
        if not isinstance(node.value, bool):
            node.mark.refuse(f"true or false is expected here, found {_shown(node.value)}")
        return node.value

    def expression(self, key: str) -> Text | None:
        node = self.node(key)
        return None if node is None else _expression(node)

    def identifier(self, key: str) -> str:
        node = self.node(key)
        if node is None:
            self.mark.refuse(f"the key {key!r} is missing")
        return _identifier(node.value, node.mark)


def _identifier(value: object, mark: Mark) -> str:
    if not isinstance(value, str) or not _IDENTIFIER.fullmatch(value):
        mark.refuse(f"{_shown(value)} is not a name in lower_snake_case")
    return value


def _expression(node: _Node) -> Text:
    if isinstance(node.value, bool) or not isinstance(node.value, int | str):
        node.mark.refuse(f"an expression is expected here, found {_shown(node.value)}")
    return Text(str(node.value), node.mark)


def _split_arguments(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def _type_use(text: object, mark: Mark) -> TypeUse:
    match = _USE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        mark.refuse(f"{_shown(text)} is not the name of a type")
    arguments = match.group(2)
    return TypeUse(
        tuple(match.group(1).split("::")),
        tuple(Text(part.strip(), mark) for part in _split_arguments(arguments)) if arguments is not None else (),
        mark,
    )


def _valid(node: _Node) -> Valid:
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


def _contents(node: _Node) -> bytes:
    parts = node.value if isinstance(node.value, list) else [node]
    found = b""
    for part in parts:
        value = part.value
        if isinstance(value, str):
            found += value.encode()
        elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255:
            found += bytes([value])
        else:
            part.mark.refuse(f"text or a byte is expected here, found {_shown(value)}")
    if not found:
        node.mark.refuse("no contents")
    return found


def _payload(node: _Node) -> PayloadDeclaration:
    keys = _Keys(node, ("codec", "type", "magic"))
    codec = keys.expression("codec")
    for key in ("codec", "type"):
        if keys.node(key) is None:
            node.mark.refuse(f"the key {key!r} is missing")
    assert codec is not None
    return PayloadDeclaration(codec, _type_use(keys.text("type"), node.mark), keys.expression("magic"), node.mark)


def _field(node: _Node) -> FieldDeclaration:
    keys = _Keys(node, _FIELD_KEYS)
    payload_node, type_node = keys.node("-payload"), keys.node("type")
    kind: str | TypeUse | None = None
    if type_node is not None and isinstance(type_node.value, dict):
        if payload_node is None:
            type_node.mark.refuse("types chosen by a value are outside of the supported subset (except with -payload)")
    elif type_node is not None:
        if payload_node is not None:
            type_node.mark.refuse("with -payload the codec chooses the type: use switch-on and cases, or neither")
        text = type_node.value
        primitive = isinstance(text, str) and _PRIMITIVE.fullmatch(text)
        if isinstance(text, str) and (text == "strz" or re.fullmatch(r"b[0-9]+[lb]e", text)):
            type_node.mark.refuse(f"the type {text} is outside of the supported subset")
        kind = text if primitive else _type_use(text, type_node.mark)
    repeat_node = keys.node("repeat")
    if repeat_node is not None and repeat_node.value not in ("expr", "eos"):
        repeat_node.mark.refuse("only repeat: expr and repeat: eos are in the supported subset")
    repeat = None if repeat_node is None else str(repeat_node.value)
    if (repeat == "expr") != (keys.node("repeat-expr") is not None):
        keys.mark.refuse("repeat: expr and repeat-expr go together")
    enum_node, valid_node, contents_node = keys.node("enum"), keys.node("valid"), keys.node("contents")
    enum = None if enum_node is None else _type_use(enum_node.value, enum_node.mark)
    if enum_node is not None and enum is not None and enum.arguments:
        enum_node.mark.refuse("an enum takes no arguments")
    base = keys.node("-base")
    return FieldDeclaration(
        id=keys.identifier("id"),
        mark=node.mark,
        keys={key: child.mark for key, child in keys.entries.items()},
        doc=keys.text("doc").strip(),
        original_id=keys.text("-orig-id"),
        type=kind,
        size=keys.expression("size"),
        size_eos=keys.flag("size-eos"),
        repeat=repeat,
        repeat_expr=keys.expression("repeat-expr"),
        condition=keys.expression("if"),
        valid=None if valid_node is None else _valid(valid_node),
        enum=None if enum is None else enum.name,
        contents=None if contents_node is None else _contents(contents_node),
        encoding=keys.text("encoding") or None,
        derive=keys.expression("-derive"),
        base=None if base is None else _identifier(base.value, base.mark),
        payload=None if payload_node is None else _payload(payload_node),
        inline=keys.flag("-inline"),
    )


def _enum(name: str, node: _Node) -> EnumDeclaration:
    if not isinstance(node.value, dict) or not node.value:
        node.mark.refuse("a mapping of integers to names is expected here")
    members = []
    for key, child in node.value.items():
        try:
            value = int(key, 0)
        except ValueError:
            child.mark.refuse(f"{_shown(key)} is not an integer")
        if not MIN_INT64 <= value < 2**64:
            child.mark.refuse("an integer that does not fit in 64 bits")
        if isinstance(child.value, dict):
            keys = _Keys(child, ("id", "doc", "doc-ref", "-orig-id"))
            members.append(EnumMember(value, keys.identifier("id"), keys.text("-orig-id"), keys.text("doc").strip()))
        else:
            members.append(EnumMember(value, _identifier(child.value, child.mark), "", ""))
    for kind in ("value", "id"):
        seen = [getattr(member, kind) for member in members]
        if len(set(seen)) < len(seen):
            node.mark.refuse(f"two members with the same {kind}")
    return EnumDeclaration(name, tuple(members), node.mark)


def _check(node: _Node) -> RowCheck:
    match = _CHECK.fullmatch(node.value) if isinstance(node.value, str) else None
    if match is None or match.group(1) not in ("increasing", "non_decreasing"):
        node.mark.refuse("increasing(field) or non_decreasing(field) is expected here")
    return RowCheck(match.group(1), match.group(2), node.mark)


def _checksum(node: _Node) -> ChecksumDeclaration:
    keys = _Keys(node, ("algorithm", "field", "from"))
    if keys.text("algorithm") not in ("crc32c", "crc32"):
        node.mark.refuse(f"the algorithm must be crc32c or crc32, found {keys.text('algorithm')!r}")
    return ChecksumDeclaration(keys.text("algorithm"), keys.identifier("field"), keys.identifier("from"), node.mark)


def _parameter(node: _Node) -> Parameter:
    keys = _Keys(node, ("id", "type", "doc", "doc-ref"))
    if not _INTEGER.fullmatch(keys.text("type")):
        node.mark.refuse("a parameter must be of an integer type")
    return Parameter(keys.identifier("id"), keys.text("type"), node.mark)


def _type(node: _Node, name: tuple[str, ...], allowed: tuple[str, ...] = _TYPE_KEYS[1:]) -> TypeDeclaration:
    keys = _Keys(node, allowed)
    intrinsic = keys.text("-intrinsic") or None
    if intrinsic not in (None, "zigzag", "unsigned"):
        keys.mark.refuse(f"-intrinsic must be zigzag or unsigned, found {intrinsic!r}")
    instances = keys.node("instances")
    if instances is not None and intrinsic is None:
        instances.mark.refuse("instances are outside of the supported subset")
    fields = () if intrinsic else tuple(_field(child) for child in keys.children("seq"))
    seen: set[str] = set()
    for child in fields:
        if child.id in seen:
            child.mark.refuse(f"a second field {child.id!r}")
        seen.add(child.id)
    parameters = tuple(_parameter(child) for child in keys.children("params"))
    for parameter in parameters:
        if parameter.id in seen:
            parameter.mark.refuse(f"the name {parameter.id!r} is taken by a field or another parameter")
        seen.add(parameter.id)
    checks, checksum = keys.node("-check"), keys.node("-checksum")
    check_nodes = [] if checks is None else checks.value if isinstance(checks.value, list) else [checks]
    return TypeDeclaration(
        name=name,
        mark=node.mark,
        doc=keys.text("doc").strip(),
        original_id=keys.text("-orig-id"),
        parameters=parameters,
        fields=fields,
        types={key: _type(child, (*name, _identifier(key, child.mark))) for key, child in keys.items("types")},
        enums={key: _enum(_identifier(key, child.mark), child) for key, child in keys.items("enums")},
        intrinsic=intrinsic,
        row=keys.flag("-row"),
        checks=tuple(_check(child) for child in check_nodes),
        checksum=None if checksum is None else _checksum(checksum),
    )


# --- files ---------------------------------------------------------------------------------------------------------


def shipped_names() -> list[str]:
    """The ids of all declarations shipped with kformat, sorted; including `varint`, which is not a file format."""
    names = [entry.name for entry in _shipped_folder().iterdir()]
    return sorted(name.removesuffix(".ksy") for name in names if name.endswith(".ksy"))


def _shipped_folder() -> Traversable:
    """The folder of these declarations: ``formats`` inside the installed package; next to the package in a clone."""
    package = resources.files("kformat")
    inside = package.joinpath("formats")
    return package.parent / "formats" if isinstance(package, Path) and not inside.is_dir() else inside


def _shipped_text(name: str) -> str | None:
    entry = _shipped_folder().joinpath(f"{name}.ksy")
    return entry.read_text(encoding="utf-8") if entry.is_file() else None


def _read(path: Path) -> str:
    """The text of a declaration file; reads no more than the allowed size."""
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        Mark(str(path), 1, "/").refuse(f"a declaration of more than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        Mark(str(path), line, "/").refuse(f"not UTF-8 text: {error.reason} at byte {error.start}")


class _Imports:
    """The files of one load: each is read once, import cycles and duplicate ids are refused."""

    def __init__(self) -> None:
        self.loading: list[str] = []
        self.loaded: dict[str, Declaration] = {}
        self.named: dict[str, str] = {}

    def load(self, text: str, mark: Mark, folder: Path | None) -> Declaration:
        name = text.removeprefix("/")
        path = None if folder is None else folder / f"{name}.ksy"
        shipped = None
        if path is None or not path.is_file():
            path, shipped = None, _shipped_text(name) if _IDENTIFIER.fullmatch(name) else None
            if shipped is None:
                known = ", ".join(shipped_names())
                mark.refuse(f"{_shown(text)} is neither a file next to this one nor one of kformat's ({known})")
        file = f"formats/{name}.ksy" if path is None else str(path)
        if file in self.loading:
            mark.refuse("circular imports: " + " -> ".join((*self.loading, file)))
        if file not in self.loaded:
            if len(self.loading) > MAX_DEPTH:
                mark.refuse(f"imports nested more than {MAX_DEPTH} deep")
            if path is None:
                self.loaded[file] = _declaration(shipped or "", file, None, self, True)
            else:
                self.loaded[file] = _declaration(_read(path), file, path.parent, self)
        found = self.loaded[file]
        if self.named[found.id] != file:
            mark.refuse(f"{file} has the id {found.id!r} of {self.named[found.id]}")
        return found


def _declaration(text: str, file: str, folder: Path | None, files: _Imports, is_ours: bool = False) -> Declaration:
    files.loading.append(file)
    node = _compose(text, file, is_ours)
    keys = _Keys(node, _TYPE_KEYS)
    meta_node = keys.node("meta")
    if meta_node is None:
        node.mark.refuse("the key 'meta' is missing")
    meta = _Keys(meta_node, _META_KEYS)
    endian, bit_endian = meta.node("endian"), meta.node("bit-endian")
    if endian is not None and endian.value not in ("be", "le"):
        endian.mark.refuse("endian must be be or le")
    if bit_endian is not None and bit_endian.value != "be":
        bit_endian.mark.refuse("little-endian bits are outside of the supported subset")
    identifier = meta.identifier("id")
    files.named.setdefault(identifier, file)
    imports = {}
    for child in meta.children("imports"):
        if not isinstance(child.value, str):
            child.mark.refuse("the name of a file is expected here")
        imported = files.load(child.value, child.mark, folder)
        imports[imported.id] = imported
    files.loading.pop()
    return Declaration(
        id=identifier,
        title=meta.text("title"),
        file=file,
        text=text,
        endian=None if endian is None else str(endian.value),
        encoding=meta.text("encoding") or None,
        root=_type(node, (identifier,), _TYPE_KEYS),
        imports=imports,
        digest=_digest(text, *(found.digest for found in imports.values())),
    )


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def parse_declaration(text: str, file: str = "<text>", folder: str | Path | None = None) -> Declaration:
    """Parse a declaration.

    Args:
        text: the ``.ksy`` file's text.
        file: its name, for errors.
        folder: where its imports are; kformat's own declarations need no folder.

    Raises:
        DeclarationError: it is not YAML, or outside the supported subset (see the module's text).
    """
    return _declaration(text, file, None if folder is None else Path(folder), _Imports())


@lru_cache(maxsize=64)
def _shipped(name: str) -> Declaration | None:
    text = _shipped_text(name) if name in shipped_names() else None
    return None if text is None else _declaration(text, f"formats/{name}.ksy", None, _Imports(), True)


def load_declaration(format: str | Path | Declaration) -> Declaration:
    """Load a declaration by the name of a shipped format, or by the path of a ``.ksy`` file.

    Raises:
        UsageError: there is no such format, and it is not the path of a ``.ksy`` file.
        OSError: the file cannot be read.
        DeclarationError: see `parse_declaration`.
    """
    if isinstance(format, Declaration):
        return format
    if str(format).endswith(".ksy"):
        path = Path(format)
        return parse_declaration(_read(path), str(path), path.parent)
    found = _shipped(str(format))
    if found is not None:
        return found
    names = shipped_names()
    raise UsageError(
        f"no format {str(format)!r}{_nearest(str(format), names)} (shipped: {', '.join(names)}; or a .ksy file's path)"
    )
