"""The steps of a type, with those of the types that are inlined."""

from __future__ import annotations

from typing import Final

from kformat.language import expression
from kformat.language.compiler.instances import instance_of
from kformat.language.compiler.lists import steps_of
from kformat.language.compiler.one_type import OneType
from kformat.language.compiler.structures import arguments_of, payload_of
from kformat.language.declaration import EndianSwitch, FieldDeclaration, TypeUse
from kformat.language.names import is_sized, read_type
from kformat.language.rules import is_end_check
from kformat.language.steps import MAX_DEPTH, CheckEnd, Field, Step, Window
from kformat.language.types import Boolean

_INLINED: Final = frozenset({"id", "doc", "doc-ref", "-orig-id", "type", "size", "size-eos", "-inline", "-payload"})


def sequence(of: OneType) -> list[Step]:
    """The steps of the type; its fields and instances are added to those of the type that they go to."""
    guard, failed = of.guard, of.world.failed
    steps: list[Step] = []
    for item in of.scope.declared.fields:
        if is_end_check(item) and item.condition is None and item.repeat is None:
            steps.append(CheckEnd(name=item.id))
            continue
        made = guard(lambda item=item: inlined_steps(of, item) if item.inline else field_steps(of, item))  # type: ignore[misc]
        if made is None:
            failed.add((of.scope.name, item.id))
        else:
            steps += made
        of.read.add(item.id)
    for item in of.scope.declared.instances:
        instance = guard(lambda item=item: instance_of(of, item))  # type: ignore[misc]
        if instance is None:
            failed.add((of.scope.name, item.id))
        else:
            of.instances.append(instance)
    return steps


def field_steps(of: OneType, item: FieldDeclaration) -> list[Step]:
    names = of.names(of.read | {item.id} if item.repeat else set(of.read))
    condition = None if item.condition is None else of.wanted(item.condition, names, Boolean)
    steps = steps_of(of, item, names, condition)
    of.fields.append(of.add(of.described(item, condition is not None)))
    return steps


def inlined_steps(of: OneType, item: FieldDeclaration) -> list[Step]:
    use = read_type(item)
    if not isinstance(use, TypeUse):
        item.mark.refuse("-inline needs a type that the declaration says")
    for key, mark in item.keys.items():
        if key not in _INLINED:
            mark.refuse(f"{key} does not go with an inlined structure")
    kind = of.at(use.mark, lambda: of.world.structure(of.scope, use.name))
    scope = of.world.scopes.get(kind.name)
    if kind.opaque or scope is None or scope.declared.intrinsic is not None:
        item.mark.refuse("a varint cannot be inlined, nor a type that is not declared")
    if scope in (of.scope, *of.holders):
        item.mark.refuse("a type cannot be inlined into itself")
    if scope.name in of.inlined:
        item.mark.refuse(f"{scope.name} is inlined already: its names are taken")
    if len(of.holders) + 2 > MAX_DEPTH:
        item.mark.refuse(f"types nested more than {MAX_DEPTH} deep")
    if scope.declared.checksums or scope.declared.checks:
        item.mark.refuse("a type with -checksum or -check cannot be inlined")
    if scope.is_one_word:
        item.mark.refuse("a type of bits cannot be inlined")
    codec, magic = payload_of(of, item)
    sized = is_sized(item)
    names = of.names(set(of.read))
    size = of.amount(item.size, names)
    arguments = arguments_of(of, use, scope, names)
    for node in arguments.values():
        if expression.is_large(node):
            use.mark.refuse("an expression that is too large after its parameters are inserted")
    inner = of.inner(scope, of, arguments, of.in_window or sized)
    if isinstance(inner.endian, EndianSwitch) and inner.endian is not of.endian:
        item.mark.refuse("a type whose byte order only the value knows cannot be inlined")
    of.members |= scope.fields.keys()
    of.inlined.add(scope.name)
    steps = sequence(inner)
    if codec is not None:
        raw = Field(
            name=item.id, kind="bytes", optional=True, doc=item.doc, original_id=item.original_id, enum=None,
            type=None, derive=None, base=None, computed=False, mark=item.mark, raw=True,
        )  # fmt: skip
        of.fields.append(of.add(raw))
    if not sized:
        return steps
    return [Window(name=item.id, size=size, codec=codec, steps=tuple(steps), magic=magic)]
