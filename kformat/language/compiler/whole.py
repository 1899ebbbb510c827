"""A whole type: its steps, parameters, text form and byte order."""

from __future__ import annotations

from kformat.language.compiler.bits import one_word
from kformat.language.compiler.one_type import OneType, short
from kformat.language.compiler.sequence import sequence
from kformat.language.compiler.switches import comparable
from kformat.language.declaration import ChecksumDeclaration, EndianSwitch
from kformat.language.expression import Expression
from kformat.language.node import replaced
from kformat.language.rules import computed_fields, with_checksums
from kformat.language.steps import BitField, ByteOrder, Parameter
from kformat.language.types import Boolean
from kformat.language.types import Bytes as BytesType
from kformat.language.types import Text as TextType


def compile_type(of: OneType) -> None:
    declared, program = of.scope.declared, of.scope.program
    guard = of.guard
    bits: tuple[BitField, ...] = ()
    if of.scope.is_one_word:
        bits, steps = one_word(of)
    else:
        steps = sequence(of)
    parameters = [guard(lambda p=parameter: parameter_of(of, p.id)) for parameter in declared.parameters]  # type: ignore[misc]
    to_string = guard(lambda: to_string_of(of))
    order = guard(lambda: byte_order_of_values(of))
    if declared.checksums:
        steps = guard(lambda: with_checksums(declared, steps, lambda checksum: expressions_of(of, checksum))) or steps
    for check in declared.checks:
        has_failed = (of.scope.name, check.field) in of.world.failed
        if not has_failed and not any(item.name == check.field and item.kind == "integer" for item in of.fields):
            guard(lambda check=check: check.mark.refuse(f"{check.field!r} is not an integer field of this type"))  # type: ignore[misc]
    computed = computed_fields(steps)
    program.complete(
        fields=tuple(replaced(item, computed=item.name in computed or item.computed) for item in of.fields),
        steps=tuple(steps),
        bits=bits,
        instances=tuple(of.instances),
        parameter_types=tuple(parameter for parameter in parameters if parameter is not None),
        to_string=to_string,
        byte_order=order,
    )


def expressions_of(of: OneType, declared: ChecksumDeclaration) -> tuple[Expression | None, Expression | None]:
    """The bytes that a checksum covers where it has ``over``, and its condition."""
    condition = None if declared.condition is None else of.wanted(declared.condition, of.names(), Boolean)
    if declared.over is None:
        return None, condition
    node = of.step_expression(declared.over, of.names())
    if not isinstance(node.type, BytesType):
        declared.over.mark.refuse(f"bytes are expected, {short(declared.over.text)} is {node.type}")
    if any(path[0] == declared.field for path in node.names()):
        declared.over.mark.refuse(f"{declared.field!r} cannot be the checksum of what depends on it")
    return node, condition


def parameter_of(of: OneType, name: str) -> Parameter:
    declared = of.scope.parameters[name]
    kind = of.at(declared.mark, lambda: of.world.parameter(of.scope, declared))
    enum = of.at(declared.mark, lambda: of.world.enum_named(of.scope, declared.enum))
    return Parameter(name, kind, enum, declared.doc)


def to_string_of(of: OneType) -> Expression | None:
    text = of.scope.declared.to_string
    if text is None:
        return None
    node = of.step_expression(text, of.names())
    if not isinstance(node.type, TextType):
        text.mark.refuse(f"text is expected, {short(text.text)} is {node.type}; did you mean .to_s?")
    return node


def byte_order_of_values(of: OneType) -> ByteOrder | None:
    own = of.scope.declared.meta.endian
    if not isinstance(own, EndianSwitch):
        return ByteOrder(None) if isinstance(of.endian, EndianSwitch) and own is None else None
    names = of.names()
    on = of.step_expression(own.on, names)
    cases = []
    for text, little in own.cases:
        value = None if text.text.strip() == "_" else of.expression(text, names)
        if value is not None:
            of.at(text.mark, lambda value=value: comparable(on, value), text.text)  # type: ignore[misc]
        cases.append((value, little))
    cases.sort(key=lambda case: case[0] is None)
    return ByteOrder(on, tuple(cases))
