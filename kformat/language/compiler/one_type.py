"""One type while it is compiled, and its expressions.

Expressions of steps stay in 64 bits where kernels may evaluate them; all others are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from kformat.errors import DeclarationError
from kformat.integers import MAX_INT64
from kformat.language import expression, parsing
from kformat.language.compiler.logical import logical_of
from kformat.language.declaration import (
    DerivedPositions,
    DerivedPresence,
    EndianSwitch,
    FieldDeclaration,
    SwitchUse,
    TypeUse,
    WrittenText,
)
from kformat.language.expression import KERNEL_OPS, Expression, ExpressionError
from kformat.language.mark import Mark, nearest
from kformat.language.names import DeclaredNames, FollowUpError, Scope, World
from kformat.language.steps import Enum, Field, Instance, Positions, Presence, Step
from kformat.language.types import (
    ANY,
    EXACT,
    AnyStructure,
    Boolean,
    Bytes,
    EnumType,
    Float,
    Integer,
    ListOf,
    Structure,
    Type,
)
from kformat.language.types import Text as TextType

Result = TypeVar("Result")
Use = str | TypeUse | SwitchUse | None
"""The type of a field as it is declared."""

_ALWAYS: Final = frozenset({"id", "doc", "doc-ref", "-orig-id", "if", "valid", "repeat", "repeat-expr", "repeat-until",
                            "pos", "io", "type", "-base", "-derive", "-as", "-tagged", "-hidden"})  # fmt: skip
SIZED: Final = frozenset({"size", "size-eos", "terminator", "include", "consume", "eos-error", "pad-right", "process"})
_KEYS_OF: Final[dict[str, frozenset[str]]] = {
    "an integer": frozenset({"enum"}),
    "bits": frozenset({"enum"}),
    "a float": frozenset(),
    "bytes": SIZED | {"encoding", "-fill"},
    "text": SIZED | {"encoding"},
    "contents": frozenset({"contents", "size", "encoding"}),
    "a structure": SIZED | {"parent", "encoding", "enum", "-inline", "-payload"},
    "a switch": SIZED | {"parent", "enum", "encoding"},
}

Kind = Callable[["OneType", FieldDeclaration, Use, DeclaredNames, Expression | None], Step]
"""Makes the step of one kind."""
Kinds = Mapping[str, Kind]


def kind_name(kind: Type) -> str:
    """`Field.kind` of a type."""
    match kind:
        case Integer() | EnumType():
            return "integer"
        case Float():
            return "float"
        case Boolean():
            return "boolean"
        case Bytes():
            return "bytes"
        case TextType():
            return "text"
        case ListOf():
            return "list"
        case Structure() | AnyStructure():
            return "structure"
    return "any"


class _FollowUpComplaint(DeclarationError):
    """A complaint about something that already got one: dropped if there are others."""


class Guard:
    """Collects complaints. ``following`` are those about something that already got one: they are dropped if there are
    others.
    """

    def __init__(self, complaints: Sequence[DeclarationError]) -> None:
        self.complaints = list(complaints)
        self.following: list[DeclarationError] = []
        self.reported: set[str] = set()

    def __call__(self, work: Callable[[], Result]) -> Result | None:
        """The result; None if there is a complaint, which is kept."""
        try:
            return work()
        except _FollowUpComplaint as error:
            self.following.append(error)
        except DeclarationError as error:
            if str(error) not in self.reported:  # an inlined type is compiled more than once
                self.reported.add(str(error))
                self.complaints.append(error)
        return None


class OneType:
    """One type while it is compiled: what its steps may name, and their expressions.

    Of an inlined type: ``around`` is the type that its fields go to, ``arguments`` are those for its parameters.
    ``kinds`` are the functions that make the steps.
    """

    def __init__(
        self,
        guard: Guard,
        world: World,
        scope: Scope,
        kinds: Kinds,
        around: OneType | None = None,
        arguments: dict[str, Expression] | None = None,
        in_window: bool = False,
    ) -> None:
        self.guard, self.world, self.scope, self.kinds = guard, world, scope, kinds
        self.given, self.in_window = arguments or {}, in_window
        self.holders: tuple[Scope, ...] = () if around is None else (*around.holders, around.scope)
        self.owner: Scope = scope if around is None else around.owner
        self.read: set[str] = set() if around is None else around.read
        self.bounds: dict[str, tuple[int, int]] = {} if around is None else around.bounds
        self.fields: list[Field] = [] if around is None else around.fields
        self.instances: list[Instance] = [] if around is None else around.instances
        self.members: set[str] = set(scope.fields) if around is None else around.members
        self.inlined: set[str] = set() if around is None else around.inlined
        self.endian: str | EndianSwitch | None = next(
            (outer.declared.meta.endian for outer in scope.around() if outer.declared.meta.endian is not None), None
        )
        self.bit_endian = next(
            (outer.declared.meta.bit_endian for outer in scope.around() if outer.declared.meta.bit_endian), "be"
        )

    def add(self, made: Field) -> Field:
        """Check the name of a field or instance, and return it; a name that is taken is a complaint."""
        names = {item.name for item in self.fields} | {instance.field.name for instance in self.instances}
        if self.holders and (made.name in names | self.owner.parameters.keys() | self.owner.instances.keys()):
            made.mark.refuse(
                f"the name {made.name!r} is taken by another field or parameter of the structure (inlined ones count)"
            )
        return made

    def names(self, read: set[str] | None = None, **known: Type) -> DeclaredNames:
        return DeclaredNames(
            self.world, self.scope, read, known, self.bounds, holders=self.holders, given=self.given,
        )  # fmt: skip

    def enum(self, item: FieldDeclaration) -> Enum | None:
        return self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))

    def parsed(self, text: WrittenText, names: DeclaredNames) -> Expression:
        """An expression that is a value: not an inlined structure, which has none."""
        node = self.at(text.mark, lambda: parsing.parse(text.text, names), text.text)
        for part in nodes(node) if self.world.inlined else ():
            if part.op == "inlined":
                text.mark.refuse(f"{part} is inlined: it has fields, and no value of its own")
            if self.holders and part.op == "name" and part.value[0] in ("_io", "_root"):
                if part.value[0] == "_root" and self.scope.declaration is not self.owner.declaration:
                    text.mark.refuse("an inlined type of another file has no _root")
                if part.value[0] == "_io" and self.in_window:
                    text.mark.refuse("_io is not known in an inlined structure that has a size")
        return node

    def expression(self, text: WrittenText, names: DeclaredNames) -> Expression:
        node = self.parsed(text, names)
        if names.read is not None:
            for path in sorted(node.names()):
                if path[0] in self.members and path[0] not in names.read:
                    match = re.search(rf"(?<![\w.]){path[0]}\b", text.text)
                    column = match.start() + 1 if match else 1
                    text.mark.refuse(
                        f"no field {path[0]!r} has been read by then (column {column} of {short(text.text)})"
                    )
        return node

    def at(self, mark: Mark, work: Callable[[], Result], text: str | None = None) -> Result:
        """The result of ``work``; turns its ExpressionError into a complaint at that place."""
        try:
            return work()
        except FollowUpError as error:
            raise _FollowUpComplaint(error.message, file=mark.file, line=mark.line, key=mark.key) from None
        except ExpressionError as error:
            place = "" if text is None else f" (column {error.column + 1} of {short(text)})"
            mark.refuse(error.message + place)

    def step_expression(self, text: WrittenText, names: DeclaredNames) -> Expression:
        """In 64 bits if kernels may evaluate it, otherwise exact."""
        node = self.expression(text, names)
        return node if is_narrow(node) else self.at(text.mark, lambda: expression.exact(node), text.text)

    def wanted(
        self, text: WrittenText, names: DeclaredNames, kind: type[Integer] | type[Boolean], or_enum: bool = False
    ) -> Expression:
        node = self.step_expression(text, names)
        if kind is Boolean:
            node = expression.as_condition(node)
        if or_enum and isinstance(node.type, EnumType):
            return expression.constant(node.value) if node.is_constant else node
        if not isinstance(node.type, kind):
            text.mark.refuse(
                f"{'an integer' if kind is Integer else 'a condition'} is expected, {short(text.text)} is {node.type}"
                + _remedy(node.type, kind)
            )
        return node

    def amount(self, text: WrittenText | None, names: DeclaredNames, is_count: bool = False) -> Expression | None:
        """A size, a position, or a count; a negative count means no elements."""
        node = None if text is None else self.wanted(text, replace(names, is_amount=True), Integer)
        if text is not None and node is not None and node.high < 0 and not is_count:
            text.mark.refuse(f"{short(text.text)} is always negative; for all that is left: size-eos, or repeat: eos")
        return node

    def described(self, item: FieldDeclaration, optional: bool) -> Field:
        kind = self.at(item.mark, lambda: self.world.attribute(self.scope, item.id)) or ANY
        enum = self.at(item.mark, lambda: self.world.enum_named(self.scope, item.enum))
        inner = kind
        while isinstance(inner, ListOf):
            inner = inner.element
        program = self.world.scopes[inner.name].program if isinstance(inner, Structure) and not inner.opaque else None
        derive = None if item.derive is None else self.wanted(item.derive, self.names(), Integer, or_enum=True)
        positions = None if item.positions is None else self.positions(item.positions, kind)
        presence = None if item.presence is None else self.presence(item, item.presence, kind)
        logical = None if item.meaning is None else logical_of(self, item, item.meaning, inner)
        return Field(
            name=item.id, kind=kind_name(kind), optional=optional, doc=item.doc, original_id=item.original_id,
            enum=enum, type=program, derive=derive, base=item.base, computed=bool(positions or presence),
            mark=item.mark, value_type=kind, doc_ref=item.doc_ref, positions=positions, logical=logical,
            presence=presence, hidden=item.hidden,
        )  # fmt: skip

    def presence(self, item: FieldDeclaration, declared: DerivedPresence, kind: Type) -> Presence:
        """What a builder puts into a field that says whether another one is there."""
        if not isinstance(kind, Integer):
            declared.mark.refuse(f"presence-of is for an integer, found {kind}")
        other = self.scope.fields.get(declared.of)
        if other is None or other.condition is None or other.id == item.id:
            hint = nearest(declared.of, [name for name, it in self.scope.fields.items() if it.condition is not None])
            declared.mark.refuse(f"presence-of names a field of this type with the key if{hint}")
        for number in (declared.present, declared.absent):
            if not kind.low <= number <= kind.high:
                declared.mark.refuse(f"{number} is no {kind}")
        return Presence(declared.of, declared.present, declared.absent)

    def positions(self, declared: DerivedPositions, kind: Type) -> Positions:
        """What a builder puts into a field of that type."""
        number = kind.element if declared.many and isinstance(kind, ListOf) else kind
        if not isinstance(number, Integer) or (declared.many and not isinstance(kind, ListOf)):
            expected = "a list of integers" if declared.many else "an integer"
            declared.mark.refuse(f"positions are for {expected}, found {kind}")
        target = self.place(declared.of)
        if declared.many and not isinstance(target.type, ListOf):
            declared.of.mark.refuse(f"positions-of is for a list, {short(declared.of.text)} is {target.type}")
        relative_to = None if declared.relative_to is None else self.place(declared.relative_to)
        return Positions(target, declared.many, declared.every, relative_to)

    def place(self, text: WrittenText) -> Expression:
        """A field, or an element of a list: of the type itself, or of the root."""
        first = re.match(r"\w*", text.text.strip())
        word = "" if first is None else first.group()
        if not word or word[0].isdigit():
            text.mark.refuse(f"a field is expected here, found {short(text.text)}")
        is_known = word.startswith("_") or self.world.attribute(self.scope, word) is not None
        root = self.scope.root
        for scope in (self.scope, root):
            if any(item.id == word and item.position is not None for item in scope.declared.instances):
                text.mark.refuse(f"{word!r} is an instance, which is read at a position that is given")
        if not is_known and self.world.attribute(root, word) is None:
            hint = nearest(word, [*self.scope.words(), *root.words()])
            text.mark.refuse(f"neither this type nor {root.name} has a field {word!r}{hint}")
        node = self.expression(text if is_known else replace(text, text=f"_root.{text.text.strip()}"), self.names())
        last = node
        while last.op == "index":
            last = last.arguments[0]
        is_field = last.op == "name" and last.value[-1] not in ("_root", "_parent", "_io")
        if not (is_field or last.op == "member"):
            text.mark.refuse(f"a field is expected here, found {short(text.text)}")
        return node

    def element(
        self,
        item: FieldDeclaration,
        use: Use,
        names: DeclaredNames,
        condition: Expression | None,
        in_switch: bool = False,
    ) -> Step:
        """The step that reads a field, or an element of it."""
        if isinstance(use, SwitchUse):
            kind = "a switch"
        elif item.contents is not None:
            kind, in_switch = "contents", False
        elif use is None:
            kind = "bytes"
        elif isinstance(use, TypeUse):
            kind = "a structure"
        elif use in ("str", "strz"):
            kind = "text"
        else:
            kind = {"b": "bits", "f": "a float"}.get(use[0], "an integer")
        self.only(item, kind, in_switch)
        return self.kinds[kind](self, item, use, names, condition)

    def only(self, item: FieldDeclaration, kind: str, in_switch: bool = False) -> None:
        allowed = _KEYS_OF["a switch" if in_switch else kind] | _ALWAYS
        for key, mark in item.keys.items():
            if key not in allowed:
                mark.refuse(f"{key} does not go with {kind}")

    def inner(
        self, scope: Scope, around: OneType | None = None, arguments: dict[str, Expression] | None = None,
        in_window: bool = False,
    ) -> OneType:  # fmt: skip
        """Another type, which this one needs."""
        return OneType(self.guard, self.world, scope, self.kinds, around, arguments, in_window)


def short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def _remedy(kind: Type, wanted: type[Integer] | type[Boolean]) -> str:
    if wanted is Boolean and isinstance(kind, Integer):
        return "; did you mean != 0?"
    if wanted is Integer and isinstance(kind, EnumType | Float | TextType | Boolean):
        return "; did you mean .to_i?"
    return ""


def nodes(node: Expression) -> Iterator[Expression]:
    yield node
    for argument in node.arguments:
        yield from nodes(argument)


def is_narrow(node: Expression) -> bool:
    """Whether kernels may evaluate it, and 64 bits are enough."""
    if node.op in ("name", "constant") and isinstance(node.type, EnumType):
        return True
    if node.op == "method" and isinstance(node.arguments[0].type, EnumType):  # .to_i
        return is_narrow(node.arguments[0]) and node.arguments[0].high <= MAX_INT64
    if node.op not in KERNEL_OPS or not isinstance(node.type, Integer | Boolean) or node.type == EXACT:
        return False
    if node.op in ("&", "|", "^", "inv", "<<", ">>") and any(
        argument.type == Integer(64, False) for argument in node.arguments
    ):
        return False
    return all(map(is_narrow, node.arguments))
