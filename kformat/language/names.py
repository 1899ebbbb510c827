"""What a name, a type or an enum means where it stands: the scopes of one compilation.

A `Scope` is a declared type in its file: its own types and enums come first, then those of the types around it, then
the files by their ids. Types of fields follow from their declarations alone, those of value instances from their
expressions; both are found when they are first asked for, so that declarations may refer to each other in any order.

`_parent` is the type whose fields hold this one, if there is one alone; `_root` the file's own type.

The fields of an inlined type (``-inline``) are those of the type around it. Expressions reach them as Kaitai does,
through the structure (``head.magic``), and that leads to the value's own ``magic``; within the inlined type ``_parent``
is the value itself, and a parameter is what was given for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from kformat.language import expression, parsing, types
from kformat.language.declaration import (
    FAILED_ENUMS,
    FAILED_TYPES,
    Declaration,
    DeclaredParameter,
    EnumDeclaration,
    FieldDeclaration,
    Meta,
    SwitchUse,
    TypeDeclaration,
    TypeUse,
    WrittenText,
    closure,
    has_own_keys,
    type_hint,
)
from kformat.language.encodings import python_encoding, unit_size
from kformat.language.expression import Expression, ExpressionError
from kformat.language.mark import nearest
from kformat.language.steps import Enum, TypeProgram
from kformat.language.types import (
    ANY,
    ANY_STRUCTURE,
    BOOLEAN,
    BYTES,
    EXACT,
    FLOAT,
    INT64,
    STREAM,
    TEXT,
    UNKNOWN,
    AnyStructure,
    EnumType,
    Float,
    Integer,
    ListOf,
    Structure,
    Type,
)

_BITS: Final = re.compile(r"b([0-9]+)(le|be)?")
_CAST: Final = re.compile(r"\s*\((?P<inside>.*)\)\s*\.\s*as\s*<(?P<type>[^<>]*)>\s*", re.DOTALL)
_WORDS: Final[dict[str, Type]] = {
    "bool": BOOLEAN, "str": TEXT, "strz": TEXT, "bytes": BYTES, "io": STREAM, "struct": ANY_STRUCTURE, "any": ANY,
    "f4": Float(32), "f8": FLOAT,
}  # fmt: skip


_MOST_CIRCLES: Final = 10_000
"""How often the type of an instance is derived again because it depends on itself through others."""


class FollowUpError(ExpressionError):
    """A name whose own declaration already got a complaint."""


@dataclass(eq=False)
class Scope:
    """A declared type where it stands; ``program`` is filled in by the compiler."""

    declared: TypeDeclaration
    declaration: Declaration
    outer: Scope | None
    program: TypeProgram
    children: dict[str, Scope] = field(default_factory=dict)
    holders: list[tuple[Scope, WrittenText | None]] = field(default_factory=list)
    """The types that hold this one, with the expression of ``parent`` where there is one."""

    is_ours: bool = False
    """Whether the file, or one that it imports, has keys of kformat's own."""
    inlined: dict[str, Scope] = field(default_factory=dict)
    """The inlined types, by field."""

    def __post_init__(self) -> None:
        declared = self.declared
        self.fields = {item.id: item for item in declared.fields}
        self.instances = {item.id: item for item in declared.instances}
        self.parameters = {item.id: item for item in declared.parameters}

    @property
    def name(self) -> str:
        return "::".join(self.declared.name)

    @property
    def root(self) -> Scope:
        return self if self.outer is None else self.outer.root

    def around(self) -> Iterator[Scope]:
        """This type and those around it, from the inside."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def descend(self, path: tuple[str, ...]) -> Scope | None:
        scope: Scope | None = self
        for part in path:
            scope = None if scope is None else scope.children.get(part)
        return scope

    def words(self) -> list[str]:
        return [*self.parameters, *self.fields, *self.instances]

    @cached_property
    def is_one_word(self) -> bool:
        """Whether it is read as one integer: a type of big-endian bits alone, 8, 16, ... or 64 of them, that are always
        there, in a file with keys of kformat's own.
        """
        declared = self.declared
        endian = next(
            (scope.declared.meta.bit_endian for scope in self.around() if scope.declared.meta.bit_endian), "be"
        )
        bits = [
            int(item.type[1:]) if isinstance(item.type, str) and re.fullmatch("b[0-9]+", item.type) else 0
            for item in declared.fields
            if item.condition is None and item.repeat is None
        ]
        return (
            self.is_ours
            and endian == "be"
            and len(bits) == len(declared.fields)
            and all(bits)
            and sum(bits) in range(8, 65, 8)
            and not (declared.parameters or declared.instances or declared.to_string or declared.meta != Meta())
            and not any(item.id.startswith("_") for item in declared.fields)
        )


def primitive_type(text: str, has_enum: bool = False) -> Type | None:
    """The type of a primitive by its name in ``type``; None for other words. An enum's type has the enum's name."""
    if text in _WORDS:
        return _WORDS[text]
    if re.fullmatch(r"[su][1248](le|be)?", text):
        return Integer(int(text[1]) * 8, text[0] == "s")
    if re.fullmatch(r"f[48](le|be)", text):
        return Float(int(text[1]) * 8)
    match = _BITS.fullmatch(text)
    if match is None:
        return None
    width = int(match[1])
    if width == 1 and not has_enum:
        return BOOLEAN
    return Integer(width, False) if width <= 64 else EXACT


class World:
    """All types and enums of a declaration and its imports."""

    def __init__(self, declaration: Declaration, empty: Callable[[TypeDeclaration, Declaration], TypeProgram]) -> None:
        self.declaration, self.empty = declaration, empty
        self.scopes: dict[str, Scope] = {}
        self.files: dict[str, Scope] = {}
        self.enums: dict[str, Enum] = {}
        self.kinds: dict[tuple[str, str], Type | ExpressionError] = {}
        self.asked: set[tuple[str, str]] = set()
        self.circles = 0
        self.parents: dict[str, Type] = {}
        self.failed: set[tuple[str, str]] = set()
        """Fields and instances that got a complaint: what uses them gets none."""
        self.inlined: dict[str, list[Scope]] = {}
        """By type: the types whose fields its own become."""
        self.used: set[str] = set()
        """The types that are read as values of their own."""
        for file in closure(declaration):
            self.files[file.id] = self._add(file.root, file, None, any(has_own_keys(f.root) for f in closure(file)))
        for scope in self.scopes.values():
            self.failed.update((scope.name, word) for word in scope.declared.failed)
            self._hold(scope)

    def _add(self, declared: TypeDeclaration, declaration: Declaration, outer: Scope | None, is_ours: bool) -> Scope:
        scope = Scope(declared, declaration, outer, self.empty(declared, declaration), is_ours=is_ours)
        self.scopes[scope.name] = scope
        for key, child in declared.types.items():
            scope.children[key] = self._add(child, declaration, scope, is_ours)
        return scope

    def _hold(self, scope: Scope) -> None:
        for item in (*scope.declared.fields, *scope.declared.instances):
            kind = read_type(item)
            uses = [case for _, case in kind.cases] if isinstance(kind, SwitchUse) else [kind]
            for use in uses:
                inner = self.find(scope, use.name) if isinstance(use, TypeUse) else None
                if inner is not None and item.inline:
                    scope.inlined[item.id] = inner
                    self.inlined.setdefault(inner.name, []).append(scope)
                elif inner is not None:
                    self.used.add(inner.name)
                if inner is not None and inner.declaration is scope.declaration and item.parent is not False:
                    inner.holders.append((scope, item.parent or None))

    # types and enums

    def find(self, scope: Scope, path: tuple[str, ...]) -> Scope | None:
        """The type that a path means in a scope; None if nothing declares it."""
        for around in scope.around():
            if path[0] in around.children:
                return around.descend(path)
            if path[0] == around.declared.name[-1]:
                return around.descend(path[1:])
        root = self.files.get(path[0])
        return None if root is None else root.descend(path[1:])

    def structure(self, scope: Scope, path: tuple[str, ...]) -> Structure:
        """The structure that a path means (`find`); ExpressionError if nothing declares it and it may not be opaque."""
        inner = self.find(scope, path)
        if inner is not None:
            return Structure(inner.name)
        text = "::".join(path)
        if scope.root.declared.meta.opaque_types:
            return Structure(text, opaque=True)
        known = [word for around in scope.around() for word in around.children] + list(self.files)
        hint = (type_hint(text) if len(path) == 1 else "") or nearest(path[-1], known)
        if not hint and any(FAILED_TYPES in around.declared.failed for around in scope.around()):
            raise FollowUpError(f"no type {text!r}")
        hint = hint or (
            f" (types of other files need an import, or {path[0]}.ksy next to this file or on the search path;"
            " for one that your own code reads, set ks-opaque-types: true in meta and call kformat.register_type)"
        )
        raise ExpressionError(f"no type {text!r} here{hint}")

    def enum(self, scope: Scope, path: tuple[str, ...]) -> Enum | None:
        """The enum that a path means in a scope."""
        for around in scope.around():
            for start in (path[:-1], path[1:-1] if path[:1] == around.declared.name[-1:] else None):
                owner = None if start is None else around.descend(start)
                if owner is not None and path[-1] in owner.declared.enums:
                    return self.enum_of(owner, owner.declared.enums[path[-1]])
        root = self.files.get(path[0])
        owner = None if root is None else root.descend(path[1:-1])
        if owner is not None and len(path) > 1 and path[-1] in owner.declared.enums:
            return self.enum_of(owner, owner.declared.enums[path[-1]])
        return None

    def no_enum(self, scope: Scope, path: tuple[str, ...]) -> ExpressionError:
        """The error for an enum that is not there; a FollowUpError if it may be one that got a complaint."""
        known = [word for around in scope.around() for word in around.declared.enums]
        hint = nearest(path[-1] if path else "", known)
        is_known = not hint and any(FAILED_ENUMS in around.declared.failed for around in scope.around())
        kind = FollowUpError if is_known else ExpressionError
        return kind(f"no enum {'::'.join(path)!r} here{hint}")

    def enum_of(self, owner: Scope, declared: EnumDeclaration) -> Enum:
        key = f"{owner.name}::{declared.name}"
        if key not in self.enums:
            members = declared.members
            self.enums[key] = Enum(
                key,
                {member.value: member.id for member in members},
                {member.value: member.original_id for member in members if member.original_id},
                {member.value: member.doc for member in members if member.doc},
            )
        return self.enums[key]

    def enum_named(self, scope: Scope, path: tuple[str, ...] | None) -> Enum | None:
        """The enum of a field; ExpressionError if nothing declares it."""
        if path is None:
            return None
        enum = self.enum(scope, path)
        if enum is None:
            raise self.no_enum(scope, path)
        return enum

    # types of names

    def attribute(self, scope: Scope, word: str) -> Type | None:
        """The type of a field, instance or parameter; None if there is none. ExpressionError if it has no type."""
        key = (scope.name, word)
        if key in self.failed:
            return ANY
        known = self.kinds.get(key)
        if known is None:
            if key in self.asked:
                item = scope.instances.get(word)
                cast = None if item is None or item.value is None else _outer_cast(item.value.text)
                if cast is None:
                    return UNKNOWN  # a cast, which may come next, says the type
                kind = self.named(scope, cast)
                return EXACT if isinstance(kind, Integer) else kind
            self.asked.add(key)
            try:
                resolved = self._attribute(scope, word)
                if resolved is None:
                    return None
                if types.is_unknown(resolved):
                    raise ExpressionError(f"its type is {UNKNOWN}")
                known = resolved
            except ExpressionError as error:
                known = FollowUpError(error.message, error.column)
                if str(UNKNOWN) in error.message:
                    self.circles += 1
                    if len(self.asked) > 1 and self.circles < _MOST_CIRCLES:  # a cast outside may say it
                        return UNKNOWN
                    hint = f"; a cast of what it asks for says the type, as in .{word}.as<u4>"
                    known = FollowUpError(f"{word!r} needs itself{hint}", error.column)
            finally:
                self.asked.discard(key)
            self.kinds[key] = known
        if isinstance(known, ExpressionError):
            raise FollowUpError(known.message)
        return known

    def _attribute(self, scope: Scope, word: str) -> Type | None:
        if word in scope.parameters:
            return self.parameter(scope, scope.parameters[word])
        item = scope.fields.get(word) or scope.instances.get(word)
        if item is None:
            return None
        if item.value is not None:
            if item.enum is not None:
                enum = self.enum_named(scope, item.enum)
                assert enum is not None
                return EnumType(enum.name)
            return expression.exact(parsing.parse(item.value.text, DeclaredNames(self, scope))).type
        return self.field(scope, item)

    def parameter(self, scope: Scope, declared: DeclaredParameter) -> Type:
        if declared.enum is not None:
            enum = self.enum_named(scope, declared.enum)
            assert enum is not None
            return EnumType(enum.name)
        return self.named(scope, declared.type)

    def named(self, scope: Scope, text: str) -> Type:
        """A type as ``.as<>`` and parameters name it."""
        if text.endswith("[]"):
            return ListOf(self.named(scope, text[:-2]))
        known = primitive_type(text)
        return self.structure(scope, tuple(text.removeprefix("::").split("::"))) if known is None else known

    def field(self, scope: Scope, item: FieldDeclaration) -> Type:
        """The type of a field or parse instance: of all its elements."""
        kind = self.element(scope, item, read_type(item))
        return kind if item.repeat is None else ListOf(kind)

    def element(self, scope: Scope, item: FieldDeclaration, use: str | TypeUse | SwitchUse | None) -> Type:
        if item.contents is not None or use is None:
            return BYTES
        if isinstance(use, SwitchUse):
            kinds = [self.element(scope, item, case) for _, case in use.cases]
            if is_sized(item) and all(text.text.strip() != "_" for text, _ in use.cases):
                kinds.append(BYTES)
            kind = kinds[0]
            for other in kinds[1:]:
                kind = types.common(kind, other)
            return kind
        if isinstance(use, TypeUse):
            structure = self.structure(scope, use.name)
            varint = None if structure.opaque else self.varint(scope, use)
            if varint is None:
                return structure
            enum = self.enum_named(scope, item.enum)
            return varint if enum is None else EnumType(enum.name)
        enum = self.enum_named(scope, item.enum)
        kind = primitive_type(use, enum is not None or scope.is_one_word) or ANY
        return EnumType(enum.name) if enum is not None and isinstance(kind, Integer) else kind

    def integer(self, scope: Scope, word: str) -> Integer | None:
        """The integer type that a field of an enum is read as."""
        item = scope.fields.get(word) or scope.instances.get(word)
        if item is None or item.enum is None or item.repeat is not None:
            return None
        if isinstance(item.type, TypeUse):
            return self.varint(scope, item.type)
        kind = primitive_type(item.type, True) if isinstance(item.type, str) else None
        return kind if isinstance(kind, Integer) and kind != EXACT else None

    def is_varint(self, scope: Scope, word: str) -> bool:
        """Whether a field is one of kformat's varints, or a list of them."""
        item = scope.fields.get(word) or scope.instances.get(word)
        inner = self.find(scope, item.type.name) if item is not None and isinstance(item.type, TypeUse) else None
        return inner is not None and inner.declared.intrinsic is not None

    def varint(self, scope: Scope, use: TypeUse) -> Integer | None:
        """The type of a use of kformat's varints; None for other types."""
        inner = self.find(scope, use.name)
        if inner is None or inner.declared.intrinsic is None:
            return None
        widths = {"5": 32, "10": 64}
        text = use.arguments[0].text if len(use.arguments) == 1 else ""
        if text not in widths:
            raise ExpressionError(f"{'::'.join(use.name)} takes the largest number of bytes, 5 or 10")
        return Integer(widths[text], inner.declared.intrinsic == "zigzag")

    def parent(self, scope: Scope) -> Type:
        """The type of `_parent`."""
        known = self.parents.get(scope.name)
        if known is None:
            self.parents[scope.name] = ANY_STRUCTURE  # while the expressions of ``parent`` are typed
            kinds: set[Type] = set()
            for holder, text in scope.holders if scope.outer is not None else ():  # a file's own type may be anywhere
                kind: Type = Structure(holder.name)
                if text is not None:
                    try:
                        kind = parsing.parse(text.text, DeclaredNames(self, holder)).type
                    except ExpressionError:
                        kind = ANY_STRUCTURE
                kinds.add(kind)
            known = kinds.pop() if len(kinds) == 1 else ANY_STRUCTURE
            if isinstance(known, Structure) and known.name in self.inlined and self.home(known.name) is None:
                known = ANY_STRUCTURE
            self.parents[scope.name] = known
        return known

    def home(self, name: str) -> Scope | None:
        """The one type that a type is always inlined into; None if it is also read elsewhere, or into several."""
        around = self.inlined.get(name, ())
        is_always = len(around) == 1 and name not in self.used and self.scopes[name].outer is not None
        return next(iter(around)) if is_always else None

    # sizes

    def bits_of(self, scope: Scope) -> int:
        """The size of a type, in bits, as Kaitai's compiler counts them: all fields are there, and none is aligned.

        ExpressionError if it depends on the data.
        """
        key = (scope.name, "_sizeof")
        if key in self.asked:
            raise ExpressionError(f"the size of {scope.name} depends on the data")
        self.asked.add(key)
        try:
            return sum(self.bits_of_field(scope, item) for item in scope.declared.fields)
        finally:
            self.asked.discard(key)

    def bits_of_field(self, scope: Scope, item: FieldDeclaration) -> int:
        use, count = item.type, 1
        if item.repeat_expr is not None:
            node = parsing.parse(item.repeat_expr.text, DeclaredNames(self, scope))
            count = max(node.value, 0) if node.is_constant and isinstance(node.value, int) else -1
        if item.repeat in (None, "expr") and count >= 0 and not isinstance(use, SwitchUse):
            if item.contents is not None:
                return count * len(item.contents) * 8
            if item.size is not None:
                node = parsing.parse(item.size.text, DeclaredNames(self, scope))
                if node.is_constant and isinstance(node.value, int):
                    return count * node.value * 8
            elif isinstance(use, TypeUse) and not item.size_eos and item.terminator is None:
                inner = self.find(scope, use.name)
                if inner is not None:
                    return count * self.bits_of(inner)
            elif isinstance(use, str):
                size = _primitive_bits(use)
                if size is not None:
                    return count * size
        raise ExpressionError(f"the size of {item.id!r} depends on the data")


def _outer_cast(text: str) -> str | None:
    """The type of ``(...).as<type>``, known without looking into the parentheses; None for other expressions."""
    match = _CAST.fullmatch(text)
    depth = 0
    for sign in match["inside"] if match else "":
        depth += (sign == "(") - (sign == ")")
        if depth < 0:  # the first parenthesis is closed before the last
            return None
    return match["type"].replace(" ", "") if match and depth == 0 else None


def _primitive_bits(text: str) -> int | None:
    match = _BITS.fullmatch(text)
    if match is not None:
        return int(match[1])
    kind = primitive_type(text)
    return kind.bits if isinstance(kind, Integer | Float) else None


def read_type(item: FieldDeclaration) -> str | TypeUse | SwitchUse | None:
    """The type of a field; with ``-payload`` that of the payload, whatever other compilers read."""
    return item.type if item.payload is None else item.payload.type


def is_sized(item: FieldDeclaration) -> bool:
    return item.size is not None or item.size_eos


def encoding_of(scope: Scope, item: FieldDeclaration) -> str | None:
    """The encoding of a text as declared: its own, or that of the nearest ``meta``."""
    return item.encoding or next(
        (around.declared.meta.encoding for around in scope.around() if around.declared.meta.encoding), None
    )


def terminator_of(scope: Scope, item: FieldDeclaration, use: str | TypeUse | SwitchUse | None) -> bytes | None:
    """The terminator of bytes: as declared, or a zero unit of the encoding for ``strz``."""
    if use != "strz":
        return item.terminator
    unit = unit_size(encoding_of(scope, item) or "")
    return bytes(unit) if item.terminator in (None, b"\0") else item.terminator


_ELSEWHERE = {
    "len": "; did you mean .size of a list, or .length of a text?", "eos": "; did you mean size-eos: true?",
    "eof": "; did you mean _io.eof?", "True": "; did you mean true?", "False": "; did you mean false?",
    **dict.fromkeys(("None", "null"), ": nothing is null here; `if` says when a field is there"),
}  # fmt: skip
"""Words of other languages, in expressions."""


@dataclass
class DeclaredNames:
    """The names of one expression of a type (`parsing.Names`).

    ``read``: the fields that are read by then; None: all. The compiler asks for it once the expression is typed,
    because the sizes of later fields may be used. ``locals``: types of ``_`` and ``_index`` (for a type alone the place
    does not matter); ``itself`` is the field that ``_`` is, and ``known`` its name, unless it is an element. Of an
    inlined type: the ``holders`` around it, from the outside, and what is ``given`` for its parameters.
    """

    world: World
    scope: Scope
    read: set[str] | None = None
    locals: dict[str, Type] = field(default_factory=lambda: {"_index": INT64})
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)
    itself: str | None = None
    known: Expression | None = None
    holders: tuple[Scope, ...] = ()
    given: dict[str, Expression] = field(default_factory=dict)
    varints: set[Expression] = field(default_factory=set)
    is_amount: bool = False
    """Whether the expression is a size or a count, and no text was meant."""

    def name(self, word: str) -> Expression:
        if word in ("_", "_index"):
            kind = self.locals.get(word)
            if kind is None and word == "_index":
                raise ExpressionError("'_index' stands only in what is repeated, not in its if, pos or io")
            if kind is None:
                raise ExpressionError(
                    "'_' stands only in repeat-until and in valid; elsewhere a field goes by its name"
                )
            node = self.known if word == "_" and self.known is not None else expression.local(word, kind)
            if word == "_" and self.itself is not None and self.world.is_varint(self.scope, self.itself):
                self.varints.add(node)
            return node
        if word == "_root":
            return expression.name(("_root",), Structure(self.scope.root.name))
        if word == "_parent":
            if self.holders:
                return expression.inlined(word, Structure(self.holders[-1].name), None)
            return self.parent(self.scope, None)
        if word == "_io":
            return expression.name(("_io",), STREAM)
        if word == "_sizeof":
            return expression.constant(-(-self.world.bits_of(self.scope) // 8))
        kind = self.world.attribute(self.scope, word)
        if kind is None:
            outer = next((scope for scope in list(self.scope.around())[1:] if word in scope.words()), None)
            hint = nearest(word, self.scope.words())
            if f"_{word}" in ("_parent", "_root", "_io", "_index", "_sizeof"):
                hint = f"; did you mean '_{word}'?"
            if word in ("this", "self", "ctx", "obj"):
                hint = "; fields go by their names alone"
            if word in ("len", "None", "null", "True", "False", "eos", "eof"):
                hint = _ELSEWHERE[word]
            if not hint and any(word in around.declared.enums for around in self.scope.around()):
                hint = f": it is an enum, whose members are written '{word}::MEMBER'"
            if not hint:
                uses = [(item.type, item.id) for item in self.scope.declared.fields]
                fields = [name for use, name in uses if isinstance(use, TypeUse) and use.name[-1] == word]
                hint = f": it is a type; did you mean {fields[0]!r}?" if fields else ""
            if not hint and outer is not None:
                hint = (
                    f"; did you mean '_parent.{word}'?"
                    if self.world.parent(self.scope) == Structure(outer.name)
                    else (f"; {outer.name} has it: _root or _parent may lead there")
                )
            error = ExpressionError(f"no field {word!r} has been read by then{hint}")
            error.aside = "" if hint else self.other(word)
            raise error
        if (self.scope.name, word) in self.world.failed:
            raise FollowUpError(word)
        return self.given.get(word) or self.reached(self.scope, word, kind, None)

    def other(self, word: str) -> str:
        """The hint for a name that is similar to none: it may be a member of an enum, or a text without quotes."""
        for around in self.scope.around():
            for enum in around.declared.enums.values():
                if any(member.id == word for member in enum.members):
                    return f"; did you mean '{enum.name}::{word}'?"
        return "" if self.is_amount else f"""; a text has quotes of its own in those of YAML: '"{word}"'"""

    def reached(self, scope: Scope, word: str, kind: Type, owner: Expression | None) -> Expression:
        """A field, parameter or instance of a type: of the value itself (``owner`` None), or of another."""
        if word in scope.inlined:
            return expression.inlined(word, Structure(scope.inlined[word].name), owner)
        low, high = self.bounds.get(word, (None, None)) if owner is None else (None, None)
        integer = self.world.integer(scope, word) if isinstance(kind, EnumType) else None
        if integer is not None:
            low, high = integer.low, integer.high
        if owner is None:
            node = expression.name((word,), kind, low, high)
        else:
            node = expression.member(owner, word, kind, low, high)
        if self.world.is_varint(scope, word):
            self.varints.add(node)
        return node

    def parent(self, scope: Scope, owner: Expression | None) -> Expression:
        """The parent of a value of a type: of the expression's own (``owner`` None), or of another."""
        kind = self.world.parent(scope)
        inlined: list[Structure] = []
        home = self.world.home(kind.name) if isinstance(kind, Structure) else None
        while home is not None and isinstance(kind, Structure):
            inlined.append(kind)
            kind = Structure(home.name)
            home = self.world.home(home.name)
        node = expression.name(("_parent",), kind) if owner is None else expression.member(owner, "_parent", kind)
        for structure in reversed(inlined):
            node = expression.inlined("_parent", structure, node)
        return node

    def attribute(self, owner: Expression, word: str) -> Expression:
        if word == "_sizeof":
            return self.own_size(owner)
        if owner.op == "inlined" and word == "_parent" and owner.arguments:
            return owner.arguments[0]
        if owner.op == "inlined" and word.startswith("_"):
            raise ExpressionError(f"{owner} is inlined: it has fields, and no {word!r} of its own")
        if isinstance(owner.type, Structure) and not owner.type.opaque:
            scope = self.world.scopes[owner.type.name]
            if word == "_parent":
                return self.parent(scope, owner)
            if word == "_root":
                return expression.member(owner, word, Structure(scope.root.name))
            kind = self.world.attribute(scope, word)
            if (scope.name, word) in self.world.failed:
                raise FollowUpError(word)
            if kind is not None:
                if owner.op != "inlined":
                    return self.reached(scope, word, kind, owner)
                if word in scope.parameters and scope not in self.holders[:1]:
                    raise ExpressionError(f"{owner} is inlined: it has fields, and no parameter {word!r}")
                whole: Expression | None = owner
                while whole is not None and whole.op == "inlined":
                    whole = next(iter(whole.arguments), None)
                return self.reached(scope, word, kind, whole)
            if word != "_io":
                raise ExpressionError(f"{owner} is {owner.type}, which has no {word!r}{nearest(word, scope.words())}")
        if isinstance(owner.type, AnyStructure) and word not in ("_io", "_parent", "_root"):
            raise ExpressionError(f"{owner} may be of several types: say which, as in {owner}.as<name>.{word}")
        if owner.type == ANY:
            raise ExpressionError(f"{owner} has no type of its own: say which, as in {owner}.as<name>.{word}")
        if word == "value" and isinstance(owner.type, Integer | EnumType):
            items = owner
            while items.op in ("index", "method"):
                items = items.arguments[0]
            if items in self.varints:  # a varint is its value here
                return owner
        return expression.method(owner, word)

    def own_size(self, owner: Expression) -> Expression:
        declared = self.field_of(owner) if owner.op == "name" else None
        if declared is not None and declared[1].repeat is None:
            scope, item = declared
            bits = self.world.bits_of_field(scope, item)
        elif isinstance(owner.type, Structure) and not owner.type.opaque:
            bits = self.world.bits_of(self.world.scopes[owner.type.name])
        else:
            raise ExpressionError(f"the size of {owner} is not known")
        return expression.constant(-(-bits // 8))

    def field_of(self, path: Expression) -> tuple[Scope, FieldDeclaration] | None:
        """The field that a path ends in, and the scope that declares it; None where it is no field."""
        scope: Scope | None = self.scope
        for word in path.value[:-1]:
            kind = None if scope is None else DeclaredNames(self.world, scope).attribute_type(word)
            scope = self.world.scopes.get(kind.name) if isinstance(kind, Structure) else None
        item = None if scope is None else scope.fields.get(path.value[-1])
        return None if scope is None or item is None else (scope, item)

    def attribute_type(self, word: str) -> Type:
        return self.name(word).type

    def enum_member(self, path: tuple[str, ...], member: str) -> Expression:
        enum = self.world.enum(self.scope, path) if path else None
        for value, known in enum.members.items() if enum else ():
            if known == member and enum is not None:
                return expression.enum_member(enum.name, value)
        if enum is None:
            raise self.world.no_enum(self.scope, path)
        hint = nearest("::".join((*path, member)), ("::".join((*path, word)) for word in enum.members.values()))
        raise ExpressionError(f"no enum member {'::'.join((*path, member))!r}{hint}")

    def cast_type(self, text: str) -> Type:
        return self.world.named(self.scope, text)

    def size_of(self, text: str, bits: bool) -> Expression:
        size = _primitive_bits(text)
        if size is None:
            scope = self.world.find(self.scope, tuple(text.removeprefix("::").split("::")))
            if scope is None:
                raise ExpressionError(f"no type {text!r} here, or its size depends on the data")
            size = self.world.bits_of(scope)
        return expression.constant(size if bits else -(-size // 8))


def checked_encoding(name: str | None) -> str:
    """Python's name of an encoding."""
    if name is None:
        raise ExpressionError("text needs an encoding: encoding in the field or in meta, such as UTF-8 or ASCII")
    return python_encoding(name) or name
