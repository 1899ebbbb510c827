"""Declaration -> Program.

Every declared type gets an empty `TypeProgram` first, so that types may refer to each other in any order; then each is
filled in. What depends on several types (sizes, recursion, Aligns) comes last, in `sizes`.

Expressions of steps stay in 64 bits where kernels may evaluate them; all others, and every value instance's, are exact.

An inlined type is compiled again wherever it stands, with what is given for its parameters: its steps, fields and
instances become those of the type around (`names`). In a file with keys of kformat's own a type of bits alone is one
integer (`Scope.is_one_word`). A declaration with such keys, and nothing that needs a value's parent, root or stream,
has values that keep none of them.

A complaint does not end the work: the field that it is about has no type from then on, nothing is said of what uses it,
and the first complaint is raised with all others (`DeclarationError.others`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from kformat.errors import DeclarationError
from kformat.integers import MAX_INT64
from kformat.language import expression, parsing, types
from kformat.language.declaration import (
    Declaration,
    EndianSwitch,
    FieldDeclaration,
    SwitchUse,
    TypeDeclaration,
    TypeUse,
    Valid,
    WrittenText,
    closure,
    has_own_keys,
    raise_all,
)
from kformat.language.encodings import is_reversible
from kformat.language.expression import KERNEL_OPS, Expression, ExpressionError
from kformat.language.following import passing, where_absent
from kformat.language.mark import Mark
from kformat.language.names import (
    DeclaredNames,
    FollowUpError,
    Scope,
    World,
    checked_encoding,
    encoding_of,
    is_sized,
    primitive_type,
    read_type,
    terminator_of,
)
from kformat.language.node import replaced
from kformat.language.rules import computed_fields, in_words, is_end_check, with_checksum
from kformat.language.sizes import all_steps, analyse, step_expressions
from kformat.language.steps import (
    MAX_DEPTH,
    MAX_STEPS,
    BitField,
    ByteOrder,
    Case,
    Check,
    CheckEnd,
    Enum,
    Field,
    Instance,
    Parameter,
    ProcessCall,
    Program,
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
    Trim,
    TypeProgram,
    Window,
    members_text,
    nodes_of,
    reached,
    types_of,
    words_of,
)
from kformat.language.steps import all_steps as all_of
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
    Stream,
    Structure,
    Type,
)
from kformat.language.types import Text as TextType

Result = TypeVar("Result")

_ALWAYS: Final = frozenset({"id", "doc", "doc-ref", "-orig-id", "if", "valid", "repeat", "repeat-expr", "repeat-until",
                            "pos", "io", "type", "-base", "-derive"})  # fmt: skip
_SIZED: Final = frozenset({"size", "size-eos", "terminator", "include", "consume", "eos-error", "pad-right", "process"})
_KEYS_OF: Final[dict[str, frozenset[str]]] = {
    "an integer": frozenset({"enum"}),
    "bits": frozenset({"enum"}),
    "a float": frozenset(),
    "bytes": _SIZED | {"encoding"},
    "text": _SIZED | {"encoding"},
    "contents": frozenset({"contents", "size", "encoding"}),
    "a structure": _SIZED | {"parent", "encoding", "enum", "-inline", "-payload"},
    "a switch": _SIZED | {"parent", "enum", "encoding"},
    "a value": frozenset({"value", "enum"}),
}
_INLINED: Final = frozenset({"id", "doc", "doc-ref", "-orig-id", "type", "size", "size-eos", "-inline", "-payload"})


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


class Compiler:
    """One compilation."""

    def __init__(self, declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> None:
        self.declaration = declaration
        self.complaints = list(complaints)
        self.following: list[DeclarationError] = []
        self.told: set[str] = set()
        self.world = World(declaration, self.empty)

    def empty(self, declared: TypeDeclaration, declaration: Declaration) -> TypeProgram:
        return TypeProgram(
            name="::".join(declared.name), digest=self.declaration.digest, doc=declared.doc,
            original_id=declared.original_id, fields=(), steps=(),
            parameters=tuple(parameter.id for parameter in declared.parameters), row=declared.row,
            row_checks=tuple((check.rule, check.field) for check in declared.checks), bits=(), minimum_size=0,
            steps_count=0, is_root=len(declared.name) == 1, keeps_context=True,
        )  # fmt: skip

    def guard(self, work: Callable[[], Result]) -> Result | None:
        """The result; None if there is a complaint, which is kept."""
        try:
            return work()
        except _FollowUpComplaint as error:
            self.following.append(error)
        except DeclarationError as error:
            if str(error) not in self.told:  # an inlined type is compiled more than once
                self.told.add(str(error))
                self.complaints.append(error)
        return None

    def compile(self) -> Program:
        for scope in self.world.scopes.values():
            for declared in scope.declared.enums.values():
                self.world.enum_of(scope, declared)
            if scope.declared.intrinsic is None:
                _TypeCompiler(self, scope).compile()
        if self.complaints or self.following:
            raise_all(self.complaints or self.following[:1])
        scopes = [scope for scope in self.world.scopes.values() if scope.declared.intrinsic is None]
        programs = {scope.name: scope.program for scope in scopes}
        depths = analyse(programs)
        if any(has_own_keys(one.root) for one in closure(self.declaration)) and not any(map(_needs_context, scopes)):
            for scope in scopes:
                scope.program.complete(keeps_context=False, digest=scope.declaration.digest)
        else:
            passed = passing([scope.program for scope in scopes])
            elsewhere = any(_looks_elsewhere(instance) for scope in scopes for instance in scope.program.instances)
            lists = {field.name for one in scopes for field in one.program.fields if field.kind == "list"}
            passes_lists = not lists.isdisjoint(passed)
            for scope in scopes if passed or elsewhere else ():
                is_passing = not passed.isdisjoint(field.name for field in scope.program.fields)
                scope.program.complete(is_watched=elsewhere or is_passing, passing=passed, passes_lists=passes_lists)
        absent, asks_absent = where_absent([scope.program for scope in scopes])
        for scope in scopes if asks_absent else ():
            scope.program.complete(absent=absent, asks_absent=asks_absent)
        growing = tuple(sorted(_growing([scope.program for scope in scopes])))
        for scope in scopes if growing else ():
            scope.program.complete(growing=growing)
        for scope in sorted(scopes, key=lambda one: depths[one.name]):  # the innermost type that is too much
            program = scope.program
            if depths[program.name] > MAX_DEPTH:
                scope.declared.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
            if program.steps_count > MAX_STEPS:
                scope.declared.mark.refuse(
                    f"{program.steps_count} fields, those of the types in it counted; {MAX_STEPS} are supported"
                )
            for item in program.fields:
                base = item.base
                if base is not None and not any(o.name == base for p in programs.values() for o in p.fields):
                    item.mark.refuse(f"-base: no type here has an integer field {base!r}")
        root = programs.get(self.declaration.id)
        if root is None:
            self.declaration.root.mark.refuse("an intrinsic type is used by other types and has no program of its own")
        found = self.used(scopes)
        enums: set[str] = set()
        for program in found.values():
            items = (*program.fields, *(one.field for one in program.instances))
            named = (*(item.enum for item in items), *(one.enum for one in program.parameter_types))
            enums.update(enum.name for enum in named if enum is not None)
        own = {scope.name for scope in scopes if scope.declaration is self.declaration}
        kept = {key: enum for key, enum in self.world.enums.items() if key in enums or key.rpartition("::")[0] in own}
        return Program(self.declaration, root, found, kept)

    def used(self, scopes: Sequence[Scope]) -> dict[str, TypeProgram]:
        """The types of the file, and those of others that its types use, however far; each after those that it uses."""
        found: dict[str, TypeProgram] = {}
        entered: set[str] = set()
        pending = [scope.program for scope in scopes if scope.declaration is self.declaration][::-1]
        while pending:
            program = pending[-1]
            if program.name not in entered:
                entered.add(program.name)
                inner = [step.type for step in all_steps(program) if isinstance(step, ReadType | ReadBits)]
                pending += [one for one in inner if one.name not in entered]
            else:
                found.setdefault(pending.pop().name, program)
        return found


class _TypeCompiler:
    """Compiles one type. Of an inlined one: ``around`` compiles the type that its fields go to, ``given`` stands for
    its parameters.
    """

    def __init__(
        self,
        compiler: Compiler,
        scope: Scope,
        around: _TypeCompiler | None = None,
        given: dict[str, Expression] | None = None,
        in_window: bool = False,
    ) -> None:
        self.compiler, self.world, self.scope = compiler, compiler.world, scope
        self.given, self.in_window = given or {}, in_window
        self.holders: tuple[Scope, ...] = () if around is None else (*around.holders, around.scope)
        self.owner: Scope = scope if around is None else around.owner
        self.read: set[str] = set() if around is None else around.read
        self.bounds: dict[str, tuple[int, int]] = {} if around is None else around.bounds
        self.fields: list[Field] = [] if around is None else around.fields
        self.instances: list[Instance] = [] if around is None else around.instances
        self.members: set[str] = set(scope.fields) if around is None else around.members
        self.inlined: set[str] = set() if around is None else around.inlined
        self.endian: str | EndianSwitch | None = next(
            (one.declared.meta.endian for one in scope.around() if one.declared.meta.endian is not None), None
        )
        self.bit_endian = next(
            (one.declared.meta.bit_endian for one in scope.around() if one.declared.meta.bit_endian), "be"
        )

    def compile(self) -> None:
        declared, program = self.scope.declared, self.scope.program
        guard = self.compiler.guard
        bits: tuple[BitField, ...] = ()
        if self.scope.is_one_word:
            bits, steps = self.one_word()
        else:
            steps = self.sequence()
        parameters = [guard(lambda one=one: self.parameter(one.id)) for one in declared.parameters]  # type: ignore[misc]
        to_string = guard(self.to_string)
        order = guard(self.byte_order)
        if declared.checksum is not None:
            steps = guard(lambda: with_checksum(declared, steps)) or steps
        for check in declared.checks:
            if not any(item.name == check.field and item.kind == "integer" for item in self.fields):
                guard(lambda check=check: check.mark.refuse(f"{check.field!r} is not an integer field of this type"))  # type: ignore[misc]
        computed = computed_fields(steps)
        program.complete(
            fields=tuple(replaced(item, computed=item.name in computed) for item in self.fields),
            steps=tuple(steps),
            bits=bits,
            instances=tuple(self.instances),
            parameter_types=tuple(one for one in parameters if one is not None),
            to_string=to_string,
            byte_order=order,
        )

    def sequence(self) -> list[Step]:
        """The steps of the type; its fields and instances are added to those of the type that they go to."""
        guard, failed = self.compiler.guard, self.world.failed
        steps: list[Step] = []
        for item in self.scope.declared.fields:
            if is_end_check(item) and item.condition is None and item.repeat is None:
                steps.append(CheckEnd(name=item.id))
                continue
            made = guard(lambda item=item: self.inline(item) if item.inline else self.field(item))  # type: ignore[misc]
            if made is None:
                failed.add((self.scope.name, item.id))
            else:
                steps += made
            self.read.add(item.id)
        for item in self.scope.declared.instances:
            instance = guard(lambda item=item: self.instance(item))  # type: ignore[misc]
            if instance is None:
                failed.add((self.scope.name, item.id))
            else:
                self.instances.append(instance)
        return steps

    def add(self, made: Field) -> Field:
        """A field or instance of the type that it goes to; a name that is taken is a complaint."""
        names = {item.name for item in self.fields} | {one.field.name for one in self.instances}
        if self.holders and (made.name in names | self.owner.parameters.keys() | self.owner.instances.keys()):
            made.mark.refuse(
                f"the name {made.name!r} is taken by another field or parameter of the structure (inlined ones count)"
            )
        return made

    # one integer of bits

    def one_word(self) -> tuple[tuple[BitField, ...], list[Step]]:
        """The bits of a type that is read as one integer, and the rules on them."""
        items = self.scope.declared.fields
        widths = [int(str(item.type)[1:]) for item in items]
        shift, bits, steps = sum(widths), [], []
        for item, width in zip(items, widths, strict=True):
            shift -= width

            def field(item: FieldDeclaration = item) -> tuple[Enum | None, list[Check]]:
                self.only(item, "bits")
                enum = self.enum(item)
                checks = self.checks(item, None)
                self.fields.append(self.described(item, False))
                return enum, checks

            made = self.compiler.guard(field)
            if made is None:
                self.world.failed.add((self.scope.name, item.id))
            else:
                bits.append(BitField(item.id, shift, width, made[0]))
                steps += made[1]
            self.read.add(item.id)
        return tuple(bits), [*steps]

    # inlined types

    def inline(self, item: FieldDeclaration) -> list[Step]:
        use = read_type(item)
        if not isinstance(use, TypeUse):
            item.mark.refuse("-inline needs a type that the declaration says")
        for key, mark in item.keys.items():
            if key not in _INLINED:
                mark.refuse(f"{key} does not go with an inlined structure")
        kind = self.at(use.mark, lambda: self.world.structure(self.scope, use.name))
        scope = self.world.scopes.get(kind.name)
        if kind.opaque or scope is None or scope.declared.intrinsic is not None:
            item.mark.refuse("a varint cannot be inlined, nor a type that is not declared")
        if scope in (self.scope, *self.holders):
            item.mark.refuse("a type cannot be inlined into itself")
        if scope.name in self.inlined:
            item.mark.refuse(f"{scope.name} is inlined already: its names are taken")
        if len(self.holders) + 2 > MAX_DEPTH:
            item.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
        if scope.declared.checksum is not None or scope.declared.checks:
            item.mark.refuse("a type with -checksum or -check cannot be inlined")
        if scope.is_one_word:
            item.mark.refuse("a type of bits cannot be inlined")
        codec, magic = self.payload(item)
        sized = is_sized(item)
        names = self.names(set(self.read))
        size = self.amount(item.size, names)
        arguments = self.arguments(use, scope, names)
        for node in arguments.values():
            if expression.is_large(node):
                use.mark.refuse("an expression that is too large after its parameters are inserted")
        inner = _TypeCompiler(self.compiler, scope, self, arguments, self.in_window or sized)
        if isinstance(inner.endian, EndianSwitch) and inner.endian is not self.endian:
            item.mark.refuse("a type whose byte order only the value knows cannot be inlined")
        self.members |= scope.fields.keys()
        self.inlined.add(scope.name)
        steps = inner.sequence()
        if codec is not None:
            raw = Field(
                name=item.id, kind="bytes", optional=True, doc=item.doc, original_id=item.original_id, enum=None,
                type=None, derive=None, base=None, computed=False, mark=item.mark, raw=True,
            )  # fmt: skip
            self.fields.append(self.add(raw))
        if not sized:
            return steps
        return [Window(name=item.id, size=size, codec=codec, steps=tuple(steps), magic=magic)]

    def payload(self, item: FieldDeclaration) -> tuple[Expression | None, Expression | None]:
        """Codec and format version of a payload."""
        declared = item.payload
        if declared is None:
            return None, None
        if not is_sized(item):
            item.mark.refuse("a payload needs size or size-eos")
        for key, mark in item.keys.items():
            if key.startswith("repeat") or key in _SIZED - {"size", "size-eos"}:
                mark.refuse(f"{key} does not go with a payload")
        names = self.names(set(self.read))
        codec = self.wanted(declared.codec, names, Integer, or_enum=True)
        return codec, None if declared.magic is None else self.wanted(declared.magic, names, Integer)

    # expressions

    def names(self, read: set[str] | None = None, **known: Type) -> DeclaredNames:
        return DeclaredNames(
            self.world, self.scope, read, known, self.bounds, holders=self.holders, given=self.given,
        )  # fmt: skip

    def enum(self, item: FieldDeclaration) -> Enum | None:
        return self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))

    def parsed(self, text: WrittenText, names: DeclaredNames) -> Expression:
        """An expression that is a value: not an inlined structure, which has none."""
        node = self.at(text.mark, lambda: parsing.parse(text.text, names), text.text)
        for one in _nodes(node) if self.world.inlined else ():
            if one.op == "inlined":
                text.mark.refuse(f"{one} is inlined: it has fields, and no value of its own")
            if self.holders and one.op == "name" and one.value[0] in ("_io", "_root"):
                if one.value[0] == "_root" and self.scope.declaration is not self.owner.declaration:
                    text.mark.refuse("an inlined type of another file has no _root")
                if one.value[0] == "_io" and self.in_window:
                    text.mark.refuse("_io is not known in an inlined structure that has a size")
        return node

    def expression(self, text: WrittenText, names: DeclaredNames) -> Expression:
        node = self.parsed(text, names)
        if names.read is not None:
            for path in sorted(node.names()):
                if path[0] in self.members and path[0] not in names.read:
                    found = re.search(rf"(?<![\w.]){path[0]}\b", text.text)
                    column = found.start() + 1 if found else 1
                    text.mark.refuse(
                        f"no field {path[0]!r} has been read by then (column {column} of {_short(text.text)})"
                    )
        return node

    def at(self, mark: Mark, work: Callable[[], Result], text: str | None = None) -> Result:
        """What the work gives; its ExpressionError as a complaint at that place."""
        try:
            return work()
        except FollowUpError as error:
            raise _FollowUpComplaint(error.message, file=mark.file, line=mark.line, key=mark.key) from None
        except ExpressionError as error:
            place = "" if text is None else f" (column {error.column + 1} of {_short(text)})"
            mark.refuse(error.message + place)

    def step_expression(self, text: WrittenText, names: DeclaredNames) -> Expression:
        """In 64 bits if kernels may evaluate it, otherwise exact."""
        node = self.expression(text, names)
        return node if _is_narrow(node) else self.at(text.mark, lambda: expression.exact(node), text.text)

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
                f"{'an integer' if kind is Integer else 'a condition'} is expected, {_short(text.text)} is {node.type}"
                + _remedy(node.type, kind)
            )
        return node

    def amount(self, text: WrittenText | None, names: DeclaredNames, is_count: bool = False) -> Expression | None:
        """A size, a position, or a count, which is that of no element where it is negative."""
        node = None if text is None else self.wanted(text, replace(names, is_amount=True), Integer)
        if text is not None and node is not None and node.high < 0 and not is_count:
            text.mark.refuse(f"{_short(text.text)} is always negative; for all that is left: size-eos, or repeat: eos")
        return node

    # fields

    def field(self, item: FieldDeclaration) -> list[Step]:
        names = self.names(self.read | {item.id} if item.repeat else set(self.read))
        condition = None if item.condition is None else self.wanted(item.condition, names, Boolean)
        steps = self.steps(item, names, condition)
        self.fields.append(self.add(self.described(item, condition is not None)))
        return steps

    def described(self, item: FieldDeclaration, optional: bool) -> Field:
        kind = self.at(item.mark, lambda: self.world.attribute(self.scope, item.id)) or ANY
        enum = self.at(item.mark, lambda: self.world.enum_named(self.scope, item.enum))
        inner = kind
        while isinstance(inner, ListOf):
            inner = inner.element
        program = self.world.scopes[inner.name].program if isinstance(inner, Structure) and not inner.opaque else None
        derive = None if item.derive is None else self.wanted(item.derive, self.names(), Integer, or_enum=True)
        return Field(
            name=item.id, kind=kind_name(kind), optional=optional, doc=item.doc, original_id=item.original_id,
            enum=enum, type=program, derive=derive, base=item.base, computed=False, mark=item.mark, value_type=kind,
            doc_ref=item.doc_ref,
        )  # fmt: skip

    def steps(self, item: FieldDeclaration, names: DeclaredNames, condition: Expression | None) -> list[Step]:
        """The step of a field or parse instance, and its rules."""
        if item.repeat is None:
            step = self.element(item, read_type(item), names, condition)
            return [step, *self.checks(item, condition)]
        count = None if item.repeat_expr is None else self.amount(item.repeat_expr, names, is_count=True)
        inner = self.names(names.read, _index=types.INT64)
        element = self.element(item, read_type(item), inner, None)
        kind = self.at(item.mark, lambda: self.world.element(self.scope, item, read_type(item)))
        until = None
        if item.repeat_until is not None:
            read = None if names.read is None else names.read | {item.id}
            last = self.names(read, _index=types.INT64, _=kind)
            last.itself = item.id
            until = self.wanted(item.repeat_until, last, Boolean)
        checks = tuple(self.checks(item, None, kind))
        step = ReadList(name=item.id, condition=condition, element=element, count=count, until=until, checks=checks)
        return [step]

    def element(
        self,
        item: FieldDeclaration,
        use: str | TypeUse | SwitchUse | None,
        names: DeclaredNames,
        condition: Expression | None,
        in_switch: bool = False,
    ) -> Step:
        if isinstance(use, SwitchUse):
            self.only(item, "a switch")
            return self.switch(item, use, names, condition)
        if item.contents is not None:
            self.only(item, "contents")
            return ReadLiteral(name=item.id, condition=condition, contents=item.contents)
        if use is None or use in ("str", "strz"):
            self.only(item, "bytes" if use is None else "text", in_switch)
            return self.bytes(item, use, names, condition)
        if isinstance(use, TypeUse):
            self.only(item, "a structure", in_switch)
            return self.structure(item, use, names, condition)
        self.only(item, {"b": "bits", "f": "a float"}.get(use[0], "an integer"), in_switch)
        enum = self.enum(item)
        if use[0] == "b":
            match = re.fullmatch(r"b([0-9]+)(le|be)?", use)
            assert match is not None
            width = int(match[1])
            if width > types.MAX_EXACT_BITS:
                item.mark.refuse(f"{width} bits in one field; {types.MAX_EXACT_BITS} are supported")
            return ReadBit(
                name=item.id, condition=condition, width=width, little_endian=(match[2] or self.bit_endian) == "le",
                boolean=width == 1 and enum is None, enum=enum,
            )  # fmt: skip
        little, by_type = self.order(item, use)
        kind = primitive_type(use)
        if isinstance(kind, Float):
            return ReadFloat(name=item.id, condition=condition, bits=kind.bits, little_endian=little, by_type=by_type)
        assert isinstance(kind, Integer)
        return ReadInteger(
            name=item.id, condition=condition, kind=kind, little_endian=little, enum=enum, by_type=by_type
        )

    def order(self, item: FieldDeclaration, use: str) -> tuple[bool, bool]:
        """Whether a number is little-endian, and whether only the value knows."""
        if use[2:] or use[1] == "1":
            return use[2:] == "le", False
        if self.endian is None:
            item.mark.refuse(f"{use} needs a byte order: endian in meta, or {use}be or {use}le")
        return self.endian == "le", isinstance(self.endian, EndianSwitch)

    def only(self, item: FieldDeclaration, kind: str, in_switch: bool = False) -> None:
        allowed = _KEYS_OF["a switch" if in_switch else kind] | _ALWAYS
        for key, mark in item.keys.items():
            if key not in allowed:
                mark.refuse(f"{key} does not go with {kind}")

    def trim(self, item: FieldDeclaration, use: str | TypeUse | SwitchUse | None) -> Trim | None:
        terminator = terminator_of(self.scope, item, use)
        delimited = not is_sized(item) and terminator is not None
        if terminator is None and item.pad_right is None:
            return None
        if not is_sized(item) and item.pad_right is not None:
            item.keys["pad-right"].refuse("pad-right needs size or size-eos")
        return Trim(
            terminator=terminator, include=item.include, consume=item.consume, must_end=item.eos_error,
            pad=item.pad_right, delimited=delimited,
        )  # fmt: skip

    def process(self, item: FieldDeclaration, names: DeclaredNames) -> ProcessCall | None:
        declared = item.process
        if declared is None:
            return None
        arguments = tuple(self.step_expression(text, names) for text in declared.arguments)
        wanted = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}.get(declared.name)
        if wanted is not None and len(arguments) != wanted:
            declared.mark.refuse(f"{declared.name} takes {_arguments(wanted)}, {len(arguments)} given")
        for node in arguments:
            if declared.name in ("rol", "ror") and not isinstance(node.type, Integer):
                declared.mark.refuse(f"{declared.name} takes an integer, {node} is {node.type}")
            if declared.name == "xor" and not isinstance(node.type, Integer | Bytes):
                declared.mark.refuse(f"xor takes an integer or bytes, {node} is {node.type}")
        return ProcessCall(declared.name, arguments)

    def bytes(
        self, item: FieldDeclaration, use: str | None, names: DeclaredNames, condition: Expression | None
    ) -> Step:
        encoding = None
        if use is not None:
            mark = item.keys.get("encoding", item.mark)
            encoding = self.at(mark, lambda: checked_encoding(encoding_of(self.scope, item)))
        trim = self.trim(item, use)
        if item.size is not None and item.size_eos:
            item.mark.refuse("bytes and text need either size or size-eos")
        if not is_sized(item) and trim is None:
            item.mark.refuse(
                "bytes and text need size, size-eos or a terminator" + "; or strz as type" * (use == "str")
            )
        return ReadBytes(
            name=item.id, condition=condition, size=self.amount(item.size, names), encoding=encoding, trim=trim,
            process=self.process(item, names),
        )  # fmt: skip

    def structure(
        self, item: FieldDeclaration, use: TypeUse, names: DeclaredNames, condition: Expression | None
    ) -> Step:
        trim = self.trim(item, use)
        codec, magic = self.payload(item)
        if item.size is not None and item.size_eos:
            item.mark.refuse("a structure has either size or size-eos")
        is_window = is_sized(item) or trim is not None
        if item.process is not None and not is_window:
            item.keys["process"].refuse("process needs size, size-eos or a terminator")
        step = self.reference(item, use, names, None if is_window else condition)
        if codec is not None and isinstance(step, ReadVarint):
            item.mark.refuse("a varint has its own size")
        if not is_window:
            return step
        return Window(
            name=item.id, condition=condition, size=self.amount(item.size, names), codec=codec, steps=(step,),
            magic=magic, trim=trim, process=self.process(item, names),
        )  # fmt: skip

    def reference(
        self, item: FieldDeclaration, use: TypeUse, names: DeclaredNames, condition: Expression | None
    ) -> Step:
        kind = self.at(use.mark, lambda: self.world.structure(self.scope, use.name))
        varint = None if kind.opaque else self.at(use.mark, lambda: self.world.varint(self.scope, use))
        if varint is not None:
            enum = self.enum(item)
            return ReadVarint(
                name=item.id, condition=condition, max_bytes={32: 5, 64: 10}[varint.bits], zigzag=varint.signed,
                kind=varint, enum=enum,
            )  # fmt: skip
        if kind.opaque:
            given = tuple(self.step_expression(text, names) for text in use.arguments)
            return ReadOpaque(name=item.id, condition=condition, type_name=kind.name, arguments=given)
        scope = self.world.scopes[kind.name]
        arguments = self.arguments(use, scope, names)
        if scope.is_one_word:
            bits = scope.program.bits or _TypeCompiler(self.compiler, scope).one_word()[0]
            size = sum(bit.width for bit in bits) // 8
            return ReadBits(name=item.id, condition=condition, size=size, bits=bits, type=scope.program)
        parent = None
        if isinstance(item.parent, WrittenText):
            parent = self.step_expression(item.parent, names)
            if not types.is_structure(parent.type):
                item.parent.mark.refuse(f"a structure is expected, {_short(item.parent.text)} is {parent.type}")
        return ReadType(
            name=item.id, condition=condition, type=scope.program,
            arguments=tuple(arguments.items()),
            foreign=scope.declaration is not self.scope.declaration, parent=parent, orphan=item.parent is False,
        )  # fmt: skip

    def arguments(self, use: TypeUse, scope: Scope, names: DeclaredNames) -> dict[str, Expression]:
        """What is given for the parameters of a type."""
        arguments = [self.step_expression(text, names) for text in use.arguments]
        declared = scope.declared.parameters
        if len(arguments) != len(declared):
            use.mark.refuse(f"{'::'.join(use.name)} takes {_arguments(len(declared))}, {len(arguments)} given")
        for parameter, node in zip(declared, arguments, strict=True):
            wanted = self.at(parameter.mark, lambda p=parameter: self.world.parameter(scope, p))  # type: ignore[misc]
            if not _can_pass(node.type, wanted):
                use.mark.refuse(f"{node} is {node.type}; the parameter {parameter.id!r} is {wanted}")
            if isinstance(wanted, Integer) and isinstance(node.type, Integer):
                if node.high < wanted.low or node.low > wanted.high:
                    use.mark.refuse(f"{node} never fits the parameter {parameter.id!r}, which is {wanted}")
        return {parameter.id: node for parameter, node in zip(declared, arguments, strict=True)}

    def switch(
        self, item: FieldDeclaration, use: SwitchUse, names: DeclaredNames, condition: Expression | None
    ) -> Step:
        on = self.step_expression(use.on, names)
        cases: list[Case] = []
        default: Case | None = None
        for text, kind in use.cases:
            step = self.element(item, kind, names, None, True)
            if text.text.strip() == "_":
                default = Case(None, (step,))
                continue
            value = self.expression(text, names)
            self.at(text.mark, lambda value=value: _comparable(on, value), text.text)  # type: ignore[misc]
            cases.append(Case(value, (step,)))
        if default is None and is_sized(item):
            default = Case(None, (self.bytes(item, None, names, None),))
        return ReadSwitch(
            name=item.id, condition=condition, on=on, cases=(*cases, *([] if default is None else [default]))
        )

    # rules

    def checks(self, item: FieldDeclaration, condition: Expression | None, element: Type | None = None) -> list[Check]:
        """The rules of a field; with ``element`` those on each element of a list."""
        valid = item.valid
        if valid is None:
            return []
        kind = element
        if kind is None:
            kind = self.at(item.mark, lambda: self.world.attribute(self.scope, item.id)) or ANY
        known = expression.local("_", kind)
        names = self.names(self.read | {item.id}, _=kind, **({} if element is None else {"_index": types.INT64}))
        names.itself = item.id
        if item.id in self.scope.instances:
            names.read = None
        if element is None:
            known = names.reached(self.scope, item.id, kind, None)
            names.known = None if item.id in self.scope.instances else known
        enum = self.at(item.mark, lambda: self.world.enum_named(self.scope, item.enum))
        steps = self.rules(item, valid, known, names, enum, condition)
        return steps

    def rules(
        self, item: FieldDeclaration, valid: Valid, known: Expression, names: DeclaredNames, enum: Enum | None,
        condition: Expression | None,
    ) -> list[Check]:  # fmt: skip
        steps: list[Check] = []

        def check(rule: Expression | None, expected: str, allowed: tuple[object, ...] = ()) -> None:
            steps.append(Check(name=item.id, condition=condition, rule=rule, expected=expected, allowed=allowed))

        def compared(sign: str, text: WrittenText) -> tuple[Expression, Expression]:
            bound = self.step_expression(text, names)
            rule = self.at(text.mark, lambda: expression.combine(sign, known, bound), text.text)
            return bound, rule if _is_narrow(rule) else expression.exact(rule)

        low, high = known.low, known.high
        for text, sign in ((valid.equal, "=="), (valid.minimum, ">="), (valid.maximum, "<=")):
            if text is None:
                continue
            bound, rule = compared(sign, text)
            if sign == "==" and bound.is_constant and isinstance(bound.type, TextType):
                check(None, repr(bound.value), (bound.value,))
                continue
            check(rule, f"{bound}" if sign == "==" else f"{sign} {bound}")
            low = max(low, bound.low) if sign != "<=" else low
            high = min(high, bound.high) if sign != ">=" else high
        if valid.any_of:
            bounds = [compared("==", text)[0] for text in valid.any_of]
            expected = "one of " * (len(bounds) > 1 or isinstance(known.type, Integer)) + ", ".join(map(str, bounds))
            is_number = isinstance(known.type, Integer | EnumType)
            if is_number or not all(node.is_constant for node in bounds):
                check(expression.any_of([expression.combine("==", known, node) for node in bounds]), expected)
            else:
                check(None, expected, tuple(node.value for node in bounds))
        if valid.in_enum:
            if enum is None:
                valid.mark.refuse("in-enum needs a field with an enum")
            shown = members_text(enum.members)
            if self.scope.is_ours and isinstance(known.type, EnumType):  # as a rule that kernels take
                members = [expression.enum_member(known.type.name, value) for value in enum.members]
                rule = expression.any_of([expression.combine("==", known, one) for one in members])
                check(rule, shown)
            else:
                check(None, shown, tuple(enum.members))
        if valid.expression is not None:
            rule = self.wanted(valid.expression, names, Boolean)
            check(rule, in_words(rule, known))
        if low > high and isinstance(known.type, Integer):
            valid.mark.refuse("no value can satisfy this")
        if known.op == "name" and isinstance(known.type, Integer) and known.type != EXACT and condition is None:
            self.bounds[item.id] = (low, high)
        return steps

    # what is not in the sequence

    def instance(self, item: FieldDeclaration) -> Instance:
        names = self.names()
        condition = None if item.condition is None else self.wanted(item.condition, names, Boolean)
        if item.value is not None:
            return self.value(item, names, condition)
        if self.in_window and item.stream is None:
            item.mark.refuse("an instance is not read from an inlined structure that has a size")
        position = self.amount(item.position, names)
        stream = None if item.stream is None else self.step_expression(item.stream, names)
        if item.stream is not None and stream is not None and not isinstance(stream.type, Stream):
            item.stream.mark.refuse(
                f"a stream is expected, {_short(item.stream.text)} is {stream.type}; did you mean ._io?"
            )
        steps = self.steps(item, names, None)
        described = self.add(self.described(item, condition is not None))
        return Instance(described, condition=condition, stream=stream, position=position, steps=tuple(steps))

    def value(self, item: FieldDeclaration, names: DeclaredNames, condition: Expression | None) -> Instance:
        assert item.value is not None
        text = item.value
        for key, mark in item.keys.items():
            if key not in ("value", "enum", "if", "valid", "doc", "doc-ref", "id", "-orig-id"):
                mark.refuse(f"{key} does not go with a value")
        node = self.parsed(text, names)
        node = self.at(text.mark, lambda: expression.exact(node), text.text)
        enum = self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))
        if enum is not None and not isinstance(node.type, Integer | EnumType):
            text.mark.refuse(f"an enum needs an integer, {_short(text.text)} is {node.type}")
        if enum is None and isinstance(node.type, EnumType):
            enum = self.world.enums.get(node.type.name)
        described = self.add(self.described(item, condition is not None))
        checks = tuple(self.checks(item, None))
        return Instance(described, condition=condition, value=node, enum=enum, checks=checks)

    def parameter(self, name: str) -> Parameter:
        declared = self.scope.parameters[name]
        kind = self.at(declared.mark, lambda: self.world.parameter(self.scope, declared))
        enum = self.at(declared.mark, lambda: self.world.enum_named(self.scope, declared.enum))
        return Parameter(name, kind, enum, declared.doc)

    def to_string(self) -> Expression | None:
        text = self.scope.declared.to_string
        if text is None:
            return None
        node = self.step_expression(text, self.names())
        if not isinstance(node.type, TextType):
            text.mark.refuse(f"text is expected, {_short(text.text)} is {node.type}; did you mean .to_s?")
        return node

    def byte_order(self) -> ByteOrder | None:
        own = self.scope.declared.meta.endian
        if not isinstance(own, EndianSwitch):
            return ByteOrder(None) if isinstance(self.endian, EndianSwitch) and own is None else None
        names = self.names()
        on = self.step_expression(own.on, names)
        cases = []
        for text, little in own.cases:
            value = None if text.text.strip() == "_" else self.expression(text, names)
            if value is not None:
                self.at(text.mark, lambda value=value: _comparable(on, value), text.text)  # type: ignore[misc]
            cases.append((value, little))
        cases.sort(key=lambda case: case[0] is None)
        return ByteOrder(on, tuple(cases))


class _FollowUpComplaint(DeclarationError):
    """Of something that already got a complaint: not kept if there are others."""


def _short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def _remedy(found: Type, wanted: type[Integer] | type[Boolean]) -> str:
    if wanted is Boolean and isinstance(found, Integer):
        return "; did you mean != 0?"
    if wanted is Integer and isinstance(found, EnumType | Float | TextType | Boolean):
        return "; did you mean .to_i?"
    return ""


def _comparable(left: Expression, right: Expression) -> Expression:
    return expression.combine("==", left, right)


def _can_pass(kind: Type, wanted: Type) -> bool:
    """Whether a value may be an argument for a parameter of a type."""
    if ANY in (kind, wanted) or kind == wanted:
        return True
    if isinstance(wanted, Boolean):
        return kind == Integer(1, False)
    if types.is_number(kind) and types.is_number(wanted):
        return True
    if isinstance(kind, ListOf) and isinstance(wanted, ListOf):
        return _can_pass(kind.element, wanted.element)
    return types.is_structure(kind) and (isinstance(wanted, AnyStructure) or isinstance(kind, AnyStructure))


def _nodes(node: Expression) -> Iterator[Expression]:
    yield node
    for argument in node.arguments:
        yield from _nodes(argument)


def _needs_context(scope: Scope) -> bool:
    """Whether values of a type must know their parent, root or stream, or keep the bytes that they were read from."""
    program = scope.program
    if program.instances or program.byte_order is not None:
        return True
    for step in all_steps(program):
        if isinstance(step, ReadOpaque) or (isinstance(step, ReadType) and (step.parent is not None or step.orphan)):
            return True
        if isinstance(step, ReadBytes | Window) and (step.trim is not None or step.process is not None):
            return True
        if isinstance(step, ReadBit) or (isinstance(step, ReadFloat) and step.bits == 32):
            return True
        if isinstance(step, ReadBytes) and step.encoding is not None and not is_reversible(step.encoding):
            return True
    return program.to_string is not None or any(
        word.startswith("_")
        for node in step_expressions(program)
        for one in _nodes(node)
        if one.op in ("name", "member")
        for word in (one.value if one.op == "name" else (one.value,))
    )


def _looks_elsewhere(instance: Instance) -> bool:
    """Whether a value instance may follow from what is in other structures."""
    rules = [check.rule for check in instance.checks]
    return instance.value is not None and any(
        one.op == "member" or (one.op == "name" and (len(one.value) > 1 or one.value[0] in ("_parent", "_root")))
        for node in (instance.condition, instance.value, *rules)
        if node is not None
        for one in _nodes(node)
    )


def _growing(programs: Sequence[TypeProgram]) -> set[str]:
    """The names of lists that value instances may ask for while they grow: what is asked for in a list's step, and in
    the types that it reads, leads to an instance that asks for the list. By names alone, whatever has them.
    """
    computed = [one for program in programs for one in program.instances if one.value is not None]
    asks = {node.value[-1] if node.op == "name" else node.value
            for node in nodes_of(tuple(computed))
            if node.op in ("name", "member") and isinstance(node.type, ListOf)}  # fmt: skip
    by_name: dict[str, set[str]] = {}
    """What the value instances of a name ask for."""
    for one in computed if asks else ():
        by_name.setdefault(one.field.name, set()).update(words_of(one))
    of_types: dict[TypeProgram, set[str]] = {}
    found: set[str] = set()
    for program in programs if asks else ():
        own = (*program.steps, *(step for one in program.instances for step in one.steps))
        for step in all_of(own):
            if not isinstance(step, ReadList) or step.name not in asks or step.name in found:
                continue
            words = words_of(step)
            for type in types_of((step,)):
                if type not in of_types:
                    parts = tuple((one.steps, one.byte_order, one.instances) for one in reached(type))
                    of_types[type] = words_of(parts)
                words |= of_types[type]
            pending, seen = by_name.keys() & words, set[str]()
            while pending and step.name not in found:
                name = pending.pop()
                seen.add(name)
                if step.name in by_name[name]:
                    found.add(step.name)
                pending |= (by_name.keys() & by_name[name]) - seen
    return found


def _is_narrow(node: Expression) -> bool:
    """Whether kernels may evaluate it, and 64 bits are enough."""
    if node.op in ("name", "constant") and isinstance(node.type, EnumType):
        return True
    if node.op == "method" and isinstance(node.arguments[0].type, EnumType):  # .to_i
        return _is_narrow(node.arguments[0]) and node.arguments[0].high <= MAX_INT64
    if node.op not in KERNEL_OPS or not isinstance(node.type, Integer | Boolean) or node.type == EXACT:
        return False
    if node.op in ("&", "|", "^", "inv", "<<", ">>") and any(one.type == Integer(64, False) for one in node.arguments):
        return False
    return all(map(_is_narrow, node.arguments))


def compile_declaration(declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> Program:
    """Compile a declaration and all its types.

    DeclarationError with all complaints: ``complaints``, those of its reading, and its own.
    """
    return Compiler(declaration, complaints).compile()
