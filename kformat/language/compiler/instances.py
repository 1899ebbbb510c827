"""Instances: those that are read, and values."""

from __future__ import annotations

from kformat.language import expression
from kformat.language.compiler.checks import checks_of
from kformat.language.compiler.lists import steps_of
from kformat.language.compiler.one_type import OneType, short
from kformat.language.declaration import FieldDeclaration
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames
from kformat.language.steps import Instance
from kformat.language.types import Boolean, EnumType, Integer, Stream


def instance_of(of: OneType, item: FieldDeclaration) -> Instance:
    names = of.names()
    condition = None if item.condition is None else of.wanted(item.condition, names, Boolean)
    if item.value is not None:
        return value_of(of, item, names, condition)
    if of.in_window and item.stream is None:
        item.mark.refuse("an instance is not read from an inlined structure that has a size")
    position = of.amount(item.position, names)
    stream = None if item.stream is None else of.step_expression(item.stream, names)
    if item.stream is not None and stream is not None and not isinstance(stream.type, Stream):
        item.stream.mark.refuse(f"a stream is expected, {short(item.stream.text)} is {stream.type}; did you mean ._io?")
    steps = steps_of(of, item, names, None)
    described = of.add(of.described(item, condition is not None))
    return Instance(described, condition=condition, stream=stream, position=position, steps=tuple(steps))


def value_of(of: OneType, item: FieldDeclaration, names: DeclaredNames, condition: Expression | None) -> Instance:
    assert item.value is not None
    text = item.value
    for key, mark in item.keys.items():
        if key not in ("value", "enum", "if", "valid", "doc", "doc-ref", "id", "-orig-id", "-as"):
            mark.refuse(f"{key} does not go with a value")
    node = of.parsed(text, names)
    node = of.at(text.mark, lambda: expression.exact(node), text.text)
    enum = of.at(item.keys.get("enum", item.mark), lambda: of.world.enum_named(of.scope, item.enum))
    if enum is not None and not isinstance(node.type, Integer | EnumType):
        text.mark.refuse(f"an enum needs an integer, {short(text.text)} is {node.type}")
    if enum is None and isinstance(node.type, EnumType):
        enum = of.world.enums.get(node.type.name)
    described = of.add(of.described(item, condition is not None))
    checks = tuple(checks_of(of, item, None))
    return Instance(described, condition=condition, value=node, enum=enum, checks=checks)
