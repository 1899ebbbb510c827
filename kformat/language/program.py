"""Declaration -> Program: which compiler compiles it, and the programs of declarations by name.

A declaration with keys of kformat's own (``-row``, ``-inline``, ...) and nothing that kernels do not take is compiled
here: its enums are integers, and types of bits alone are one number, as kernels see them. `compiler` takes all others.
The form itself is in `steps`, whose names are available here, too.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NoReturn

from kformat.errors import DeclarationError, UsageError
from kformat.language import expression
from kformat.language.declaration import (
    Declaration,
    EndianSwitch,
    EnumDeclaration,
    FieldDeclaration,
    Meta,
    SwitchUse,
    Text,
    TypeDeclaration,
    TypeUse,
    Valid,
    closure,
)
from kformat.language.declaration import load_declaration as read_file
from kformat.language.declaration import parse_declaration as read_text
from kformat.language.expression import BOOLEAN, Boolean, Expression, ExpressionError, Integer
from kformat.language.rules import computed_fields, in_words, is_end_check, with_checksum
from kformat.language.steps import MAX_DEPTH as MAX_DEPTH
from kformat.language.steps import MAX_FREE_ELEMENTS as MAX_FREE_ELEMENTS
from kformat.language.steps import MAX_NESTING as MAX_NESTING
from kformat.language.steps import MAX_STEPS as MAX_STEPS
from kformat.language.steps import Align as Align
from kformat.language.steps import BitField as BitField
from kformat.language.steps import ByteOrder as ByteOrder
from kformat.language.steps import Case as Case
from kformat.language.steps import Check as Check
from kformat.language.steps import CheckEnd as CheckEnd
from kformat.language.steps import Checksum as Checksum
from kformat.language.steps import Enum as Enum
from kformat.language.steps import Field as Field
from kformat.language.steps import Instance as Instance
from kformat.language.steps import Parameter as Parameter
from kformat.language.steps import Process as Process
from kformat.language.steps import Program as Program
from kformat.language.steps import ReadBit as ReadBit
from kformat.language.steps import ReadBits as ReadBits
from kformat.language.steps import ReadBytes as ReadBytes
from kformat.language.steps import ReadFloat as ReadFloat
from kformat.language.steps import ReadInteger as ReadInteger
from kformat.language.steps import ReadList as ReadList
from kformat.language.steps import ReadLiteral as ReadLiteral
from kformat.language.steps import ReadOpaque as ReadOpaque
from kformat.language.steps import ReadSwitch as ReadSwitch
from kformat.language.steps import ReadType as ReadType
from kformat.language.steps import ReadVarint as ReadVarint
from kformat.language.steps import Step as Step
from kformat.language.steps import Trim as Trim
from kformat.language.steps import TypeProgram as TypeProgram
from kformat.language.steps import Window as Window
from kformat.language.steps import kernel_reason as kernel_reason
from kformat.language.steps import minimum_size

_VARINT_BITS: Final = {5: 32, 10: 64}

# --- compiling -----------------------------------------------------------------------------------------------------


def _refuse(text: Text, error: ExpressionError) -> NoReturn:
    text.mark.refuse(f"{error.message} (column {error.column + 1} of {text.text!r})")


class _Scope:
    """The names available to a type's expressions (fields so far, parameters), and the scope for types and enums."""

    def __init__(self, compiler: _Compiler, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> None:
        self.compiler, self.chain, self.declaration = compiler, chain, declaration
        self.names: dict[tuple[str, ...], Expression] = {}
        self.other: dict[str, str] = {}

    def inner(self, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> _Scope:
        """For an inlined type: sees its own parameters, adds its fields to the outer names."""
        scope = _Scope(self.compiler, chain, declaration)
        scope.other = self.other
        return scope

    def add(self, name: str, kind: Integer | Boolean, low: int | None = None, high: int | None = None) -> None:
        self.names[(name,)] = expression.name((name,), kind, low, high)

    def resolver(self, itself: str | None = None) -> expression.Resolve:
        def resolve(path: tuple[str, ...]) -> Expression:
            if "::" in path:
                whole = path[:-1] if path[-1] == "to_i" and path[-2] != "::" else path
                words = tuple(word for word in whole if word != "::")
                enum = self.compiler.enum(self, words[:-1]) if len(whole) == 2 * len(words) - 1 else None
                for value, member in enum.members.items() if enum else ():
                    if member == words[-1]:
                        return expression.constant(value)
                raise ExpressionError(f"no enum member {''.join(path)!r}")
            if path[0] == "_" and itself is not None:
                path = (itself, *path[1:])
            found = self.names.get(path) or (self.names.get(path[:-1]) if path[-1] in ("value", "to_i") else None)
            if found is not None:
                return found
            if path == ("_io", "eof"):
                raise ExpressionError("_io.eof can only be the whole rule of a field of size 0")
            if path[0].startswith("_"):
                raise ExpressionError(f"{'.'.join(path)!r} is outside of the supported subset")
            if path[0] in self.other:
                raise ExpressionError(f"{path[0]!r} is {self.other[path[0]]}; expressions are over integers")
            raise ExpressionError(f"no field {'.'.join(path)!r} has been read by then")

        return resolve

    def compile(self, text: Text, kind: type[Integer] | type[Boolean], itself: str | None = None) -> Expression:
        try:
            node = expression.parse(text.text, self.resolver(itself))
        except ExpressionError as error:
            _refuse(text, error)
        if expression.is_large(node):
            text.mark.refuse("an expression that is too large after its parameters are inserted")
        if kind is Boolean:
            node = expression.as_condition(node)
        if not isinstance(node.type, kind):
            text.mark.refuse(
                f"{'an integer' if kind is Integer else 'a condition'} is expected, {text.text!r} is {node.type}"
            )
        return node

    def amount(self, text: Text | None) -> Expression | None:
        """A size or count."""
        node = None if text is None else self.compile(text, Integer)
        if text is not None and node is not None and node.high < 0:
            text.mark.refuse(f"{text.text!r} is always negative")
        return node


class _Compiler:
    def __init__(self) -> None:
        self.types: dict[tuple[str, ...], TypeProgram] = {}
        self.enums: dict[tuple[str, ...], Enum] = {}
        self.compiling: list[tuple[str, ...]] = []

    # names

    def lookup(self, scope: _Scope, use: TypeUse) -> tuple[tuple[TypeDeclaration, ...], Declaration]:
        for depth in range(len(scope.chain), 0, -1):
            chain = _descend(scope.chain[:depth], use.name)
            if chain is not None:
                return chain, scope.declaration
        imported = scope.declaration.imports.get(use.name[0])
        if imported is not None:
            chain = _descend((imported.root,), use.name[1:])
            if chain is not None:
                return chain, imported
        if use.name == (scope.declaration.id,):
            return (scope.chain[0],), scope.declaration
        use.mark.refuse(f"no type {'::'.join(use.name)!r} here (types of other files need an import)")

    def enum(self, scope: _Scope, name: tuple[str, ...]) -> Enum | None:
        for depth in range(len(scope.chain), 0, -1):
            chain = _descend(scope.chain[:depth], name[:-1])
            if chain is not None and name[-1] in chain[-1].enums:
                return self.enum_of(chain[-1], chain[-1].enums[name[-1]])
        return None

    def enum_of(self, owner: TypeDeclaration, declared: EnumDeclaration) -> Enum:
        key = (*owner.name, declared.name)
        if key not in self.enums:
            members = declared.members
            self.enums[key] = Enum(
                "::".join(key),
                {member.value: member.id for member in members},
                {member.value: member.original_id for member in members if member.original_id},
                {member.value: member.doc for member in members if member.doc},
            )
        return self.enums[key]

    # types

    def type(self, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> TypeProgram:
        declared = chain[-1]
        if declared.name not in self.types:
            if declared.name in self.compiling:
                declared.mark.refuse("the type contains itself, which is outside of the supported subset")
            self.enter(declared)
            self.types[declared.name] = _TypeCompiler(self, chain, declaration).compile()
            self.compiling.pop()
        return self.types[declared.name]

    def enter(self, declared: TypeDeclaration) -> None:
        if len(self.compiling) == MAX_DEPTH:
            declared.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
        self.compiling.append(declared.name)


def _descend(chain: tuple[TypeDeclaration, ...], name: tuple[str, ...]) -> tuple[TypeDeclaration, ...] | None:
    for part in name:
        child = chain[-1].types.get(part)
        if child is None:
            return None
        chain = (*chain, child)
    return chain


def _integer_type(text: str) -> Integer:
    return Integer(int(text[1]) * 8, text[0] == "s")


class _TypeCompiler:
    """Compiles one type; inlined structures add to the same lists."""

    def __init__(self, compiler: _Compiler, chain: tuple[TypeDeclaration, ...], declaration: Declaration) -> None:
        self.compiler, self.declared, self.declaration = compiler, chain[-1], declaration
        self.scope = _Scope(compiler, chain, declaration)
        self.fields: list[Field] = []
        self.derivations: list[tuple[Text, Expression]] = []

    def compile(self) -> TypeProgram:
        declared = self.declared
        for parameter in declared.parameters:
            self.scope.add(parameter.id, _integer_type(parameter.type))
        bits = self.bits(declared)
        steps = [] if bits else self.steps(declared, self.scope)
        if bits:
            for item in declared.fields:
                self.bit_rules(item, steps)
        if declared.checksum:
            steps = with_checksum(declared, steps)
        computed = computed_fields(steps)
        fields = tuple(replace(item, computed=item.name in computed) for item in self.fields)
        names = {item.name: item for item in fields}
        self.check_derivations()
        for check in declared.checks:
            if check.field not in names or names[check.field].kind != "integer":
                check.mark.refuse(f"{check.field!r} is not an integer field of this type")
        steps_count = _count_steps(steps)
        if steps_count > MAX_STEPS:
            declared.mark.refuse(f"{steps_count} fields, those of the types in it counted; {MAX_STEPS} are supported")
        return TypeProgram(
            name="::".join(declared.name),
            digest=self.declaration.digest,
            doc=declared.doc,
            original_id=declared.original_id,
            fields=fields,
            steps=tuple(steps),
            parameters=tuple(parameter.id for parameter in declared.parameters),
            row=declared.row,
            row_checks=tuple((check.rule, check.field) for check in declared.checks),
            bits=bits,
            minimum_size=sum(item.width for item in bits) // 8 if bits else minimum_size(steps),
            steps_count=steps_count,
        )

    # bits

    def bits(self, declared: TypeDeclaration) -> tuple[BitField, ...]:
        widths = [_bit_width(item) for item in declared.fields]
        if not any(widths):
            return ()
        total = sum(widths)
        for item, width in zip(declared.fields, widths, strict=True):
            if not width:
                item.mark.refuse("bits stand in a type of bits alone")
            _only(item, "bits")
            if width > 64:
                item.mark.refuse("more than 64 bits in one field")
        if total % 8 or total > 64:
            declared.mark.refuse(f"{total} bits in all; a type of bits takes 8, 16, ... or 64 of them")
        found, shift = [], total
        for item, width in zip(declared.fields, widths, strict=True):
            shift -= width
            found.append(BitField(item.id, shift, width, self.enum(item, self.scope)))
        return tuple(found)

    def bit_rules(self, item: FieldDeclaration, steps: list[Step]) -> None:
        enum = self.enum(item, self.scope)
        self.scope.add(item.id, Integer(_bit_width(item), False))
        steps += self.checks(item, self.scope, enum, None)
        self.add_field(item, self.scope, "integer", enum, None)

    # steps

    def steps(self, declared: TypeDeclaration, scope: _Scope) -> list[Step]:
        steps: list[Step] = []
        for item in declared.fields:
            steps += self.field(item, scope)
        return steps

    def field(self, item: FieldDeclaration, scope: _Scope) -> list[Step]:
        if is_end_check(item):
            _only(item, "an end")
            return [CheckEnd(name=item.id)]
        condition = None if item.condition is None else scope.compile(item.condition, Boolean)
        if item.repeat is not None:
            return [self.list_step(item, scope, condition)]
        if item.payload is not None or isinstance(item.type, TypeUse):
            return self.user_type(item, scope, condition)
        _only(item, _kind(item))
        enum = self.enum(item, scope)
        step = self.primitive(item, scope, condition, enum)
        kind = {ReadInteger: "integer", ReadVarint: "integer", ReadFloat: "float"}.get(type(step), "bytes")
        if isinstance(step, ReadBytes) and step.encoding:
            kind = "text"
        self.announce(item.id, kind, step, condition, scope)
        checks = self.checks(item, scope, enum, condition)
        self.add_field(item, scope, kind, enum, None)
        return [step, *checks]

    def announce(self, name: str, kind: str, step: Step, condition: Expression | None, scope: _Scope) -> None:
        if isinstance(step, ReadInteger | ReadVarint) and condition is None:
            scope.add(name, step.kind)
            if scope is not self.scope:
                self.scope.add(name, step.kind)
        else:
            scope.other[name] = _SHOWN[kind] + " that may be absent" * (condition is not None)

    def primitive(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None, enum: Enum | None) -> Step:
        text = item.type
        if item.contents is not None:
            return ReadLiteral(name=item.id, condition=condition, contents=item.contents)
        if text is None or text == "str":
            encoding = (item.encoding or scope.declaration.encoding) if text == "str" else None
            if text == "str" and (encoding or "").upper() not in ("UTF-8", "ASCII"):
                item.mark.refuse("text needs an encoding: UTF-8 or ASCII")
            if (item.size is None) == (not item.size_eos):
                item.mark.refuse("bytes and text need either size or size-eos")
            size = scope.amount(item.size)
            return ReadBytes(
                name=item.id, condition=condition, size=size, encoding=encoding.upper() if encoding else None
            )
        assert isinstance(text, str)
        order = text[2:] or scope.declaration.endian
        if order is None and text[1] != "1":
            item.mark.refuse(f"{text} needs a byte order: endian in meta, or {text}be or {text}le")
        little = order == "le"
        if text[0] == "f":
            return ReadFloat(name=item.id, condition=condition, bits=int(text[1]) * 8, little_endian=little)
        return ReadInteger(name=item.id, condition=condition, kind=_integer_type(text), little_endian=little, enum=enum)

    def list_step(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None) -> Step:
        count = scope.amount(item.repeat_expr)
        if isinstance(item.type, TypeUse):
            chain, declaration = self.compiler.lookup(scope, item.type)
            _only(item, "a list of varints" if chain[-1].intrinsic else "a list of structures")
            element = self.reference(item, item.type, chain, declaration, scope, None)
        else:
            _only(item, f"a list of {_PLURALS[_kind(item)]}")
            element = self.primitive(item, scope, None, self.enum(item, scope))
        if minimum_size([element]) == 0:
            item.mark.refuse("the elements of a list must take at least one byte each")
        scope.other[item.id] = "a list"
        self.add_field(item, scope, "list", self.enum(item, scope), getattr(element, "type", None))
        return ReadList(name=item.id, condition=condition, element=element, count=count)

    def user_type(self, item: FieldDeclaration, scope: _Scope, condition: Expression | None) -> list[Step]:
        use = item.payload.type if item.payload is not None else item.type
        assert isinstance(use, TypeUse)
        chain, declaration = self.compiler.lookup(scope, use)
        _only(item, "a payload" if item.payload else "a varint" if chain[-1].intrinsic else "a structure")
        sized = item.size is not None or item.size_eos
        size = scope.amount(item.size)
        codec = None if item.payload is None else scope.compile(item.payload.codec, Integer)
        magic_text = None if item.payload is None else item.payload.magic
        magic = None if magic_text is None else scope.compile(magic_text, Integer)
        if item.payload is not None and not sized:
            item.mark.refuse("a payload needs size or size-eos")
        if item.inline:
            if condition is not None:
                item.mark.refuse("an inlined structure cannot have a condition")
            inner = self.inline(item, use, chain, declaration, scope)
            if not sized:
                return inner
            if codec is not None:
                self.add_field(item, scope, "bytes", None, None, raw=True)
            return [Window(name=item.id, size=size, codec=codec, steps=tuple(inner), magic=magic)]
        step = self.reference(item, use, chain, declaration, scope, None if sized else condition)
        steps: list[Step] = [step]
        if sized:
            if isinstance(step, ReadVarint):
                item.mark.refuse("a varint has its own size")
            steps = [Window(name=item.id, condition=condition, size=size, codec=codec, steps=(step,), magic=magic)]
        if isinstance(step, ReadVarint):
            self.announce(item.id, "integer", step, condition, scope)
            steps += self.checks(item, scope, step.enum, condition)
            self.add_field(item, scope, "integer", step.enum, None)
            return steps
        kind = step.type  # type: ignore[attr-defined]
        if isinstance(step, ReadBits) and condition is None:
            for bit in step.bits:
                self.scope.names[(item.id, bit.name)] = expression.name((item.id, bit.name), Integer(bit.width, False))
                scope.names[(item.id, bit.name)] = self.scope.names[(item.id, bit.name)]
        scope.other[item.id] = "a structure"
        self.add_field(item, scope, "structure", None, kind)
        return steps

    def reference(
        self,
        item: FieldDeclaration,
        use: TypeUse,
        chain: tuple[TypeDeclaration, ...],
        declaration: Declaration,
        scope: _Scope,
        condition: Expression | None,
    ) -> Step:
        declared = chain[-1]
        arguments = self.arguments(use, declared, scope)
        if declared.intrinsic:
            known = arguments[0] if len(arguments) == 1 else None
            if known is None or not known.is_constant or known.value not in _VARINT_BITS:
                use.mark.refuse(f"{'::'.join(use.name)} takes the largest number of bytes, 5 or 10")
            zigzag = declared.intrinsic == "zigzag"
            kind = Integer(_VARINT_BITS[known.value], zigzag)
            enum = self.enum(item, scope)
            return ReadVarint(
                name=item.id, condition=condition, max_bytes=known.value, zigzag=zigzag, kind=kind, enum=enum
            )
        program = self.compiler.type(chain, declaration)
        if program.bits:
            size = sum(bit.width for bit in program.bits) // 8
            return ReadBits(name=item.id, condition=condition, size=size, bits=program.bits, type=program)
        named = tuple((parameter.id, node) for parameter, node in zip(declared.parameters, arguments, strict=True))
        return ReadType(name=item.id, condition=condition, type=program, arguments=named)

    def arguments(self, use: TypeUse, declared: TypeDeclaration, scope: _Scope) -> list[Expression]:
        if len(use.arguments) != len(declared.parameters):
            use.mark.refuse(
                f"{'::'.join(use.name)} takes {len(declared.parameters)} arguments, {len(use.arguments)} are given"
            )
        found = [scope.compile(argument, Integer) for argument in use.arguments]
        for parameter, node in zip(declared.parameters, found, strict=True):
            kind = _integer_type(parameter.type)
            if node.low < kind.low or node.high > kind.high:
                use.mark.refuse(f"{node} can be {node.low} to {node.high}; the parameter {parameter.id!r} is {kind}")
        return found

    def inline(
        self,
        item: FieldDeclaration,
        use: TypeUse,
        chain: tuple[TypeDeclaration, ...],
        declaration: Declaration,
        scope: _Scope,
    ) -> list[Step]:
        declared = chain[-1]
        if declared.intrinsic:
            item.mark.refuse("a varint cannot be inlined")
        if declared.name in self.compiler.compiling:
            declared.mark.refuse("the type contains itself, which is outside of the supported subset")
        if declared.checksum is not None or declared.checks:
            item.mark.refuse("a type with -checksum or -check cannot be inlined")
        if any(_bit_width(child) for child in declared.fields):
            item.mark.refuse("a type of bits cannot be inlined")
        inner = scope.inner(chain, declaration)
        for parameter, argument in zip(declared.parameters, self.arguments(use, declared, scope), strict=True):
            inner.names[(parameter.id,)] = argument
        self.compiler.enter(declared)
        steps = self.steps(declared, inner)
        self.compiler.compiling.pop()
        parameters = {parameter.id for parameter in declared.parameters}
        for path, node in inner.names.items():
            if path[0] not in parameters:  # Kaitai reaches these fields only through the structure: `head.magic`
                scope.names[(item.id, *path)] = self.scope.names[(item.id, *path)] = node
        return steps

    # rules

    def enum(self, item: FieldDeclaration, scope: _Scope) -> Enum | None:
        if item.enum is None:
            return None
        found = self.compiler.enum(scope, item.enum)
        if found is None:
            item.keys["enum"].refuse(f"no enum {'::'.join(item.enum)!r} here")
        return found

    def checks(
        self, item: FieldDeclaration, scope: _Scope, enum: Enum | None, condition: Expression | None
    ) -> list[Step]:
        valid = item.valid
        if valid is None:
            return []
        known = scope.names.get((item.id,))
        if known is None:
            return [self.check_constant(item, valid, condition)]

        def check(rule: Expression, expected: str) -> Check:
            return Check(name=item.id, condition=condition, rule=rule, expected=expected)

        steps: list[Step] = []
        low, high = known.low, known.high
        for text, sign in ((valid.equal, "=="), (valid.minimum, ">="), (valid.maximum, "<=")):
            if text is not None:
                bound = scope.compile(text, Integer, item.id)
                steps.append(
                    check(expression.combine(sign, known, bound), f"{bound}" if sign == "==" else f"{sign} {bound}")
                )
                low = max(low, bound.low) if sign != "<=" else low
                high = min(high, bound.high) if sign != ">=" else high
        if valid.any_of:
            nodes = [scope.compile(text, Integer, item.id) for text in valid.any_of]
            rule = expression.any_of([expression.combine("==", known, node) for node in nodes])
            steps.append(check(rule, "one of " + ", ".join(map(str, nodes))))
        if valid.in_enum:
            if enum is None:
                valid.mark.refuse("in-enum needs a field with an enum")
            members = [expression.constant(value) for value in enum.members]
            rule = expression.any_of([expression.combine("==", known, member) for member in members])
            names = ", ".join(f"{value} {name}" for value, name in enum.members.items())
            steps.append(check(rule, f"one of {names}"))
        if valid.expression is not None:
            rule = scope.compile(valid.expression, Boolean, item.id)
            steps.append(check(rule, in_words(rule, known)))
        if low > high:
            valid.mark.refuse("no value can satisfy this")
        if known.op == "name":
            for known_names in {id(found): found for found in (scope.names, self.scope.names)}.values():
                known_names[(item.id,)] = expression.name((item.id,), known.type, low, high)
        return steps

    def check_constant(self, item: FieldDeclaration, valid: Valid, condition: Expression | None) -> Check:
        values = [text for text in (valid.equal, *valid.any_of) if text is not None]
        if not values or valid.minimum or valid.maximum or valid.expression or valid.in_enum or item.type != "str":
            valid.mark.refuse("a rule is supported on integers that are always there, and eq and any-of on text")
        allowed = []
        for text in values:
            quoted = text.text.strip()
            if len(quoted) < 2 or quoted[0] != quoted[-1] or quoted[0] not in "'\"":
                text.mark.refuse(f"text in quotes is expected, found {text.text!r}")
            allowed.append(quoted[1:-1])
        expected = "one of " * (len(allowed) > 1) + ", ".join(map(repr, allowed))
        return Check(name=item.id, condition=condition, rule=None, expected=expected, allowed=tuple(allowed))

    def add_field(
        self,
        item: FieldDeclaration,
        scope: _Scope,
        kind: str,
        enum: Enum | None,
        program: TypeProgram | None,
        raw: bool = False,
    ) -> None:
        if any(known.name == item.id for known in self.fields) or item.id in self.declared_parameters():
            item.mark.refuse(
                f"the name {item.id!r} is taken by another field or parameter of the structure (inlined ones count)"
            )
        self.fields.append(
            Field(
                name=item.id,
                kind=kind,
                optional=item.condition is not None or raw,
                doc=item.doc,
                original_id=item.original_id,
                enum=enum,
                type=program,
                derive=None if item.derive is None else self.derived(item.derive),
                base=item.base,
                computed=False,
                mark=item.mark,
                raw=raw,
            )
        )

    def declared_parameters(self) -> set[str]:
        return {parameter.id for parameter in self.declared.parameters}

    def check_derivations(self) -> None:
        """Runs when all fields are known: a derivation needs integers that are always present."""
        for text, node in self.derivations:
            for path in sorted(node.names()):
                if path not in self.scope.names or path[0] in self.declared_parameters():
                    text.mark.refuse(f"{'.'.join(path)!r} is not an integer of this structure that is always there")

    def derived(self, text: Text) -> Expression:
        """A derivation may use later fields: names are checked once all fields are known."""

        def resolve(path: tuple[str, ...]) -> Expression:
            if len(path) > 1 and path[-1] in ("value", "to_i"):
                path = path[:-1]
            return self.scope.names.get(path) or expression.name(path, expression.INT64)

        try:
            node = expression.parse(text.text, resolve)
        except ExpressionError as error:
            _refuse(text, error)
        if node.type == BOOLEAN:
            text.mark.refuse("an integer is expected")
        self.derivations.append((text, node))
        return node


_ALWAYS: Final = frozenset({"id", "doc", "doc-ref", "-orig-id"})
_NUMBER: Final = frozenset({"type", "if", "valid", "enum", "-derive", "-base"})
_SIZED: Final = frozenset({"size", "size-eos", "if"})
_REPEATED: Final = frozenset({"repeat", "repeat-expr", "if"})
_KEYS_OF: Final[dict[str, frozenset[str]]] = {
    "an integer": _NUMBER,
    "a varint": _NUMBER,
    "bits": _NUMBER - {"if"},
    "a float": frozenset({"type", "if"}),
    "bytes": _SIZED,
    "text": _SIZED | {"type", "encoding", "valid"},
    "contents": frozenset({"contents", "if"}),
    "a structure": _SIZED | {"type", "-inline"},
    "a payload": _SIZED | {"type", "-inline", "-payload"},
    "an end": frozenset({"size", "valid"}),
    "a list of integers": _REPEATED | {"type", "enum"},
    "a list of varints": _REPEATED | {"type", "enum"},
    "a list of floats": _REPEATED | {"type"},
    "a list of bytes": _REPEATED | {"size"},
    "a list of text": _REPEATED | {"size", "type", "encoding"},
    "a list of contents": _REPEATED | {"contents"},
    "a list of structures": _REPEATED | {"type"},
}
"""The keys allowed for each kind of field; other keys are refused."""

_SHOWN: Final = {"integer": "an integer", "float": "a float", "text": "text", "bytes": "bytes"}

_PLURALS: Final = {
    "an integer": "integers", "a float": "floats",
    "bytes": "bytes", "text": "text", "contents": "contents",
}  # fmt: skip


def _kind(item: FieldDeclaration) -> str:
    """The kind of a field without a user type."""
    if item.contents is not None:
        return "contents"
    if item.type is None or item.type == "str":
        return "bytes" if item.type is None else "text"
    assert isinstance(item.type, str)
    return {"f": "a float", "b": "bits"}.get(item.type[0], "an integer")


def _only(item: FieldDeclaration, kind: str) -> None:
    for key, mark in item.keys.items():
        if key not in _ALWAYS and key not in _KEYS_OF[kind]:
            mark.refuse(f"{key} does not go with {kind}")


def _bit_width(item: FieldDeclaration) -> int:
    return int(item.type[1:]) if isinstance(item.type, str) and item.type[0] == "b" else 0


def _count_steps(steps: Iterable[Step]) -> int:
    total = 0
    for step in steps:
        match step:
            case ReadType():
                total += 1 + step.type.steps_count
            case ReadList():
                total += 1 + _count_steps([step.element])
            case Window():
                total += 1 + _count_steps(step.steps)
            case _:
                total += 1
    return total


def _is_for_kernels(declaration: Declaration) -> bool:
    """Whether a declaration has keys of kformat's own, and nothing that kernels do not take.

    Its enums are integers then, and types of bits alone one number, as kernels see them.
    """
    declared = [one for file in closure(declaration) for one in _all_types(file.root)]
    items = [item for one in declared for item in one.fields]
    ours = any(one.row or one.checks or one.checksum or one.intrinsic for one in declared) or any(
        item.inline or item.payload or item.derive or item.base for item in items
    )
    return (
        ours
        and not any(
            one.instances
            or one.to_string
            or one.meta.bit_endian == "le"
            or isinstance(one.meta.endian, EndianSwitch)
            or (len(one.name) > 1 and one.meta != Meta())
            or any(not re.fullmatch(r"[su][1248](le|be)?", parameter.type) for parameter in one.parameters)
            for one in declared
        )
        and not any(
            isinstance(item.type, SwitchUse)
            or item.type == "strz"
            or (isinstance(item.type, str) and re.fullmatch(r"b[0-9]+[lb]e", item.type))
            or item.id.startswith("_")
            or not _NEW_KEYS.isdisjoint(item.keys)
            for item in items
        )
    )


_NEW_KEYS: Final = frozenset(
    ("process", "terminator", "include", "consume", "eos-error", "pad-right", "repeat-until", "parent")
)


def _all_types(declared: TypeDeclaration) -> Iterable[TypeDeclaration]:
    yield declared
    for child in declared.types.values():
        yield from _all_types(child)


def compile_whole(declaration: Declaration, complaints: Sequence[DeclarationError] = ()) -> Program:
    """See `compiler.compile_whole`. What is shipped needs none of it, and it takes milliseconds to import."""
    compiler: Any = importlib.import_module("kformat.language.compiler")
    program: Program = compiler.compile_whole(declaration, complaints)
    return program


def compile_declaration(declaration: Declaration) -> Program:
    """Compile a declaration and all its types.

    Raises:
        DeclarationError: with file, line and key of the first complaint, and all others.
    """
    if not _is_for_kernels(declaration):
        return compile_whole(declaration)
    try:
        return compile_for_kernels(declaration)
    except DeclarationError:
        if any(
            item.inline or item.payload
            for file in closure(declaration)
            for one in _all_types(file.root)
            for item in one.fields
        ):
            raise
        return compile_whole(declaration)


def compile_for_kernels(declaration: Declaration) -> Program:
    """Compile a declaration of what kernels take; DeclarationError, with one complaint, for everything else."""
    compiler = _Compiler()
    root_declared = declaration.root

    def walk(chain: tuple[TypeDeclaration, ...]) -> None:
        declared = chain[-1]
        for enum in declared.enums.values():
            compiler.enum_of(declared, enum)
        for child in declared.types.values():
            walk((*chain, child))
        if declared.intrinsic is None:
            compiler.type(chain, declaration)

    walk((root_declared,))
    integers = {item.name for program in compiler.types.values() for item in program.fields if item.kind == "integer"}
    for program in compiler.types.values():
        for item in program.fields:
            if item.base is not None and item.base not in integers:
                item.mark.refuse(f"-base: no type here has an integer field {item.base!r}")
    types = {"::".join(name): program for name, program in compiler.types.items()}
    root = types.get(declaration.id)
    if root is None:
        root_declared.mark.refuse("an intrinsic type is used by other types and has no program of its own")
    return Program(declaration, root, types, {"::".join(name): enum for name, enum in compiler.enums.items()})


def _read(read: Callable[[], Declaration]) -> Declaration:
    """A declaration; if it has complaints, they are raised with those of compiling what could be read."""
    try:
        return read()
    except DeclarationError as error:
        if error.declaration is not None:
            compile_whole(error.declaration, [error.alone(), *error.others])
        raise


def parse_declaration(
    text: str,
    file: str = "<text>",
    folder: str | Path | None = None,
    *,
    import_paths: Sequence[str | Path] = (),
) -> Declaration:
    """As `declaration.parse_declaration`, and compiled, so that what is accepted here is accepted everywhere.

    Raises DeclarationError with all complaints.
    """
    found = _read(lambda: read_text(text, file, folder, import_paths=import_paths))
    if found.root.intrinsic is None:
        _compiled(found)
    return found


def load_declaration(format: str | Path | Declaration, *, import_paths: Sequence[str | Path] = ()) -> Declaration:
    """Load a declaration by the name of a shipped format, or by the path of a ``.ksy`` file, and compile it.

    ``import_paths`` are searched for imports before the folders of ``KSPATH``.

    Raises:
        UsageError: there is no such format, and it is not the path of a ``.ksy`` file.
        OSError: the file cannot be read.
        DeclarationError: with all complaints.
    """
    found = _read(lambda: read_file(format, import_paths=import_paths))
    if found.root.intrinsic is None:
        _compiled(found)
    return found


@lru_cache(maxsize=64)
def _compiled(declaration: Declaration) -> Program:
    return compile_declaration(declaration)


def load_program(format: Any) -> Program:
    """The program of a shipped format (by name), of a ``.ksy`` file (by path) or of a Declaration; compiled once.

    Raises what `load_declaration` and `compile_declaration` raise.
    """
    return _compiled(_read(lambda: read_file(format)))


def load_type(format: Any) -> TypeProgram:
    """A type: a format's own, or one inside it (``record_batch::record``, ``my.ksy::entry``).

    Raises UsageError if the format has no such type; also the exceptions of `load_program`.
    """
    if isinstance(format, TypeProgram):
        return format
    if isinstance(format, str) and "::" in format:
        name, _, inner = format.partition("::")
        program = load_program(name)
        found = program.types.get(f"{program.root.name}::{inner}")
        if found is None:
            inside = ", ".join(key.partition("::")[2] for key in program.types if "::" in key)
            raise UsageError(f"{program.root.name} has no type {inner!r} (it has {inside or 'none'})")
        return found
    return load_program(format).root
