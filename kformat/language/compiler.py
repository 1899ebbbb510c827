"""Declaration -> Program, for the whole language.

Every declared type gets an empty `TypeProgram` first, so that types may refer to each other in any order; then each is
filled in. What depends on several types (sizes, recursion, Aligns) comes last, in `sizes`.

Expressions of steps stay in 64 bits where kernels may evaluate them; all others, and every value instance's, are exact.

A complaint does not end the work: the field that it is about has no type from then on, nothing is said of what uses it,
and the first complaint is raised with all others (`DeclarationError.others`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from kformat.errors import DeclarationError
from kformat.language import expression, parsing, types
from kformat.language.declaration import (
    Declaration,
    EndianSwitch,
    FieldDeclaration,
    Mark,
    SwitchUse,
    Text,
    TypeDeclaration,
    TypeUse,
    Valid,
    raise_all,
)
from kformat.language.expression import KERNEL_OPS, Expression, ExpressionError
from kformat.language.names import (
    FollowUpError,
    Names,
    Scope,
    World,
    checked_encoding,
    encoding_of,
    is_sized,
    primitive_type,
    terminator_of,
)
from kformat.language.rules import computed_fields, in_words, is_end_check, with_checksum
from kformat.language.sizes import analyse
from kformat.language.steps import (
    MAX_DEPTH,
    MAX_STEPS,
    ByteOrder,
    Case,
    Check,
    CheckEnd,
    Enum,
    Field,
    Instance,
    Parameter,
    Process,
    Program,
    ReadBit,
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
)
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
    "a structure": _SIZED | {"parent", "encoding", "enum"},
    "a switch": _SIZED | {"parent", "enum", "encoding"},
    "a value": frozenset({"value", "enum"}),
}


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
        return Program(self.declaration, root, programs, self.world.enums)


_KERNELS_ONLY: Final = "-inline and -payload do not go with instances, switches, and whatever else kernels do not take"


class _TypeCompiler:
    def __init__(self, compiler: Compiler, scope: Scope) -> None:
        self.compiler, self.world, self.scope = compiler, compiler.world, scope
        self.read: set[str] = set()
        self.bounds: dict[str, tuple[int, int]] = {}
        self.is_by_type = False
        self.endian: str | EndianSwitch | None = next(
            (one.declared.meta.endian for one in scope.around() if one.declared.meta.endian is not None), None
        )
        self.bit_endian = next(
            (one.declared.meta.bit_endian for one in scope.around() if one.declared.meta.bit_endian), "be"
        )

    def compile(self) -> None:
        declared, program = self.scope.declared, self.scope.program
        guard = self.compiler.guard
        steps: list[Step] = []
        fields: list[Field] = []
        for item in declared.fields:
            if item.payload is not None or item.inline:
                guard(lambda item=item: item.mark.refuse(_KERNELS_ONLY))  # type: ignore[misc]
                continue
            if is_end_check(item) and item.condition is None and item.repeat is None:
                steps.append(CheckEnd(name=item.id))
                continue
            made = guard(lambda item=item: self.field(item))  # type: ignore[misc]
            if made is None:
                self.world.failed.add((self.scope.name, item.id))
            else:
                steps += made[0]
                fields.append(made[1])
            self.read.add(item.id)
        instances = []
        for item in declared.instances:
            instance = guard(lambda item=item: self.instance(item))  # type: ignore[misc]
            if instance is None:
                self.world.failed.add((self.scope.name, item.id))
            else:
                instances.append(instance)
        parameters = [guard(lambda one=one: self.parameter(one.id)) for one in declared.parameters]  # type: ignore[misc]
        to_string = guard(self.to_string)
        order = guard(self.byte_order)
        if declared.checksum is not None:
            steps = guard(lambda: with_checksum(declared, steps)) or steps
        for check in declared.checks:
            if not any(item.name == check.field and item.kind == "integer" for item in fields):
                guard(lambda check=check: check.mark.refuse(f"{check.field!r} is not an integer field of this type"))  # type: ignore[misc]
        computed = computed_fields(steps)
        program.complete(
            fields=tuple(replace(item, computed=item.name in computed) for item in fields),
            steps=tuple(steps),
            instances=tuple(instances),
            parameter_types=tuple(one for one in parameters if one is not None),
            to_string=to_string,
            byte_order=order,
        )

    # expressions

    def names(self, read: set[str] | None = None, **known: Type) -> Names:
        return Names(self.world, self.scope, read, known, self.bounds)

    def expression(self, text: Text, names: Names) -> Expression:
        node = self.at(text.mark, lambda: parsing.parse(text.text, names), text.text)
        if names.read is not None:
            for path in sorted(node.names()):
                if path[0] in self.scope.fields and path[0] not in names.read:
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

    def step_expression(self, text: Text, names: Names) -> Expression:
        """In 64 bits if kernels may evaluate it, otherwise exact."""
        node = self.expression(text, names)
        return node if _is_narrow(node) else self.at(text.mark, lambda: expression.exact(node), text.text)

    def wanted(self, text: Text, names: Names, kind: type[Integer] | type[Boolean]) -> Expression:
        node = self.step_expression(text, names)
        if kind is Boolean:
            node = expression.as_condition(node)
        if not isinstance(node.type, kind):
            text.mark.refuse(
                f"{'an integer' if kind is Integer else 'a condition'} is expected, {_short(text.text)} is {node.type}"
                + _remedy(node.type, kind)
            )
        return node

    def amount(self, text: Text | None, names: Names) -> Expression | None:
        node = None if text is None else self.wanted(text, names, Integer)
        if text is not None and node is not None and node.high < 0:
            text.mark.refuse(f"{_short(text.text)} is always negative")
        return node

    # fields

    def field(self, item: FieldDeclaration) -> tuple[list[Step], Field]:
        names = self.names(self.read | {item.id} if item.repeat else set(self.read))
        condition = None if item.condition is None else self.wanted(item.condition, names, Boolean)
        steps = self.steps(item, names, condition)
        return steps, self.described(item, steps, condition is not None)

    def described(self, item: FieldDeclaration, steps: list[Step], optional: bool) -> Field:
        kind = self.at(item.mark, lambda: self.world.attribute(self.scope, item.id)) or ANY
        enum = self.at(item.mark, lambda: self.world.enum_named(self.scope, item.enum))
        inner = kind
        while isinstance(inner, ListOf):
            inner = inner.element
        program = self.world.scopes[inner.name].program if isinstance(inner, Structure) and not inner.opaque else None
        derive = None if item.derive is None else self.wanted(item.derive, self.names(), Integer)
        return Field(
            name=item.id, kind=kind_name(kind), optional=optional, doc=item.doc, original_id=item.original_id,
            enum=enum, type=program, derive=derive, base=item.base, computed=False, mark=item.mark, value_type=kind,
            doc_ref=item.doc_ref,
        )  # fmt: skip

    def steps(self, item: FieldDeclaration, names: Names, condition: Expression | None) -> list[Step]:
        """The step of a field or parse instance, and its rules."""
        if item.repeat is None:
            step = self.element(item, item.type, names, condition)
            return [step, *self.checks(item, condition)]
        count = None if item.repeat_expr is None else self.amount(item.repeat_expr, names)
        inner = Names(self.world, self.scope, names.read, {"_index": types.INT64}, self.bounds)
        element = self.element(item, item.type, inner, None)
        kind = self.at(item.mark, lambda: self.world.element(self.scope, item, item.type))
        until = None
        if item.repeat_until is not None:
            read = None if names.read is None else names.read | {item.id}
            last = Names(self.world, self.scope, read, {"_index": types.INT64, "_": kind}, self.bounds)
            until = self.wanted(item.repeat_until, last, Boolean)
        checks = tuple(self.checks(item, None, kind))
        step = ReadList(name=item.id, condition=condition, element=element, count=count, until=until, checks=checks)
        return [step]

    def element(
        self,
        item: FieldDeclaration,
        use: str | TypeUse | SwitchUse | None,
        names: Names,
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
        enum = self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))
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
        self.is_by_type = self.is_by_type or isinstance(self.endian, EndianSwitch)
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
        if delimited and item.pad_right is not None:
            item.keys["pad-right"].refuse("pad-right needs size or size-eos")
        return Trim(
            terminator=terminator, include=item.include, consume=item.consume, must_end=item.eos_error,
            pad=item.pad_right, delimited=delimited,
        )  # fmt: skip

    def process(self, item: FieldDeclaration, names: Names) -> Process | None:
        declared = item.process
        if declared is None:
            return None
        arguments = tuple(self.step_expression(text, names) for text in declared.arguments)
        wanted = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}.get(declared.name)
        if wanted is not None and len(arguments) != wanted:
            declared.mark.refuse(f"{declared.name} takes {wanted} arguments, {len(arguments)} are given")
        for node in arguments:
            if declared.name in ("rol", "ror") and not isinstance(node.type, Integer):
                declared.mark.refuse(f"{declared.name} takes an integer, {node} is {node.type}")
            if declared.name == "xor" and not isinstance(node.type, Integer | Bytes):
                declared.mark.refuse(f"xor takes an integer or bytes, {node} is {node.type}")
        return Process(declared.name, arguments)

    def bytes(self, item: FieldDeclaration, use: str | None, names: Names, condition: Expression | None) -> Step:
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

    def structure(self, item: FieldDeclaration, use: TypeUse, names: Names, condition: Expression | None) -> Step:
        trim = self.trim(item, use)
        if item.size is not None and item.size_eos:
            item.mark.refuse("a structure has either size or size-eos")
        is_window = is_sized(item) or trim is not None
        if item.process is not None and not is_window:
            item.keys["process"].refuse("process needs size, size-eos or a terminator")
        step = self.reference(item, use, names, None if is_window else condition)
        if not is_window:
            return step
        return Window(
            name=item.id, condition=condition, size=self.amount(item.size, names), codec=None, steps=(step,), trim=trim,
            process=self.process(item, names),
        )  # fmt: skip

    def reference(self, item: FieldDeclaration, use: TypeUse, names: Names, condition: Expression | None) -> Step:
        kind = self.at(use.mark, lambda: self.world.structure(self.scope, use.name))
        arguments = tuple(self.step_expression(text, names) for text in use.arguments)
        varint = None if kind.opaque else self.at(use.mark, lambda: self.world.varint(self.scope, use))
        if varint is not None:
            enum = self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))
            return ReadVarint(
                name=item.id, condition=condition, max_bytes={32: 5, 64: 10}[varint.bits], zigzag=varint.signed,
                kind=varint, enum=enum,
            )  # fmt: skip
        if kind.opaque:
            return ReadOpaque(name=item.id, condition=condition, type_name=kind.name, arguments=arguments)
        scope = self.world.scopes[kind.name]
        declared = scope.declared.parameters
        if len(arguments) != len(declared):
            use.mark.refuse(f"{'::'.join(use.name)} takes {len(declared)} arguments, {len(arguments)} are given")
        for parameter, node in zip(declared, arguments, strict=True):
            wanted = self.at(parameter.mark, lambda p=parameter: self.world.parameter(scope, p))  # type: ignore[misc]
            if not _can_pass(node.type, wanted):
                use.mark.refuse(f"{node} is {node.type}; the parameter {parameter.id!r} is {wanted}")
            if isinstance(wanted, Integer) and isinstance(node.type, Integer):
                if node.high < wanted.low or node.low > wanted.high:
                    use.mark.refuse(f"{node} never fits the parameter {parameter.id!r}, which is {wanted}")
        parent = None
        if isinstance(item.parent, Text):
            parent = self.step_expression(item.parent, names)
            if not types.is_structure(parent.type):
                item.parent.mark.refuse(f"a structure is expected, {_short(item.parent.text)} is {parent.type}")
        return ReadType(
            name=item.id, condition=condition, type=scope.program,
            arguments=tuple((parameter.id, node) for parameter, node in zip(declared, arguments, strict=True)),
            foreign=scope.declaration is not self.scope.declaration, parent=parent, orphan=item.parent is False,
        )  # fmt: skip

    def switch(self, item: FieldDeclaration, use: SwitchUse, names: Names, condition: Expression | None) -> Step:
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
        if element is None:
            known = expression.name((item.id,), kind, *self.bounds.get(item.id, ()))
        else:
            known = expression.local("_", kind)
        names = Names(self.world, self.scope, self.read | {item.id}, {"_": kind, "_index": types.INT64}, self.bounds)
        if item.id in self.scope.instances:
            names.read = None
        enum = self.at(item.mark, lambda: self.world.enum_named(self.scope, item.enum))
        steps = self.rules(item, valid, known, names, enum, condition)
        return steps

    def rules(
        self, item: FieldDeclaration, valid: Valid, known: Expression, names: Names, enum: Enum | None,
        condition: Expression | None,
    ) -> list[Check]:  # fmt: skip
        steps: list[Check] = []

        def check(rule: Expression | None, expected: str, allowed: tuple[object, ...] = ()) -> None:
            steps.append(Check(name=item.id, condition=condition, rule=rule, expected=expected, allowed=allowed))

        def compared(sign: str, text: Text) -> tuple[Expression, Expression]:
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
            if isinstance(known.type, Integer) or not all(node.is_constant for node in bounds):
                check(expression.any_of([expression.combine("==", known, node) for node in bounds]), expected)
            else:
                check(None, expected, tuple(node.value for node in bounds))
        if valid.in_enum:
            if enum is None:
                valid.mark.refuse("in-enum needs a field with an enum")
            shown = ", ".join(f"{value} {name}" for value, name in enum.members.items())
            check(None, f"one of {shown}", tuple(enum.members))
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
        position = self.amount(item.position, names)
        stream = None if item.stream is None else self.step_expression(item.stream, names)
        if item.stream is not None and stream is not None and not isinstance(stream.type, Stream):
            item.stream.mark.refuse(
                f"a stream is expected, {_short(item.stream.text)} is {stream.type}; did you mean ._io?"
            )
        steps = self.steps(item, names, None)
        described = self.described(item, steps, condition is not None)
        return Instance(described, condition=condition, stream=stream, position=position, steps=tuple(steps))

    def value(self, item: FieldDeclaration, names: Names, condition: Expression | None) -> Instance:
        assert item.value is not None
        text = item.value
        for key, mark in item.keys.items():
            if key not in ("value", "enum", "if", "valid", "doc", "doc-ref", "id", "-orig-id"):
                mark.refuse(f"{key} does not go with a value")
        node = self.at(text.mark, lambda: expression.exact(parsing.parse(text.text, names)), text.text)
        enum = self.at(item.keys.get("enum", item.mark), lambda: self.world.enum_named(self.scope, item.enum))
        if enum is not None and not isinstance(node.type, Integer | EnumType):
            text.mark.refuse(f"an enum needs an integer, {_short(text.text)} is {node.type}")
        if enum is None and isinstance(node.type, EnumType):
            enum = self.world.enums.get(node.type.name)
        described = self.described(item, [], condition is not None)
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


def _is_narrow(node: Expression) -> bool:
    """Whether kernels may evaluate it, and 64 bits are enough."""
    if node.op not in KERNEL_OPS or not isinstance(node.type, Integer | Boolean) or node.type == EXACT:
        return False
    if node.op in ("&", "|", "^", "inv", "<<", ">>") and any(one.type == Integer(64, False) for one in node.arguments):
        return False
    return all(map(_is_narrow, node.arguments))


def compile_whole(declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> Program:
    """Compile a declaration of the whole language.

    DeclarationError with all complaints: ``complaints``, those of its reading, and its own.
    """
    return Compiler(declaration, complaints).compile()
