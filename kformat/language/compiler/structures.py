"""Structures: where they are read, and the arguments for their parameters."""

from __future__ import annotations

from kformat.language import types
from kformat.language.compiler.bits import one_word
from kformat.language.compiler.bytes import arguments_text, process_of, trim_of
from kformat.language.compiler.one_type import SIZED, OneType, Use, short
from kformat.language.declaration import FieldDeclaration, TypeUse, WrittenText
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames, Scope, is_sized
from kformat.language.steps import ReadBits, ReadOpaque, ReadType, ReadVarint, Step, Window
from kformat.language.types import ANY, AnyStructure, Boolean, Integer, ListOf, Type


def read_structure(
    of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None
) -> Step:
    assert isinstance(use, TypeUse)
    trim = trim_of(of, item, use)
    codec, magic = payload_of(of, item)
    if item.size is not None and item.size_eos:
        item.mark.refuse("a structure has either size or size-eos")
    is_window = is_sized(item) or trim is not None
    if item.process is not None and not is_window:
        item.keys["process"].refuse("process needs size, size-eos or a terminator")
    step = reference(of, item, use, names, None if is_window else condition)
    if codec is not None and isinstance(step, ReadVarint):
        item.mark.refuse("a varint has its own size")
    if not is_window:
        return step
    return Window(
        name=item.id, condition=condition, size=of.amount(item.size, names), codec=codec, steps=(step,),
        magic=magic, trim=trim, process=process_of(of, item, names),
    )  # fmt: skip


def reference(
    of: OneType, item: FieldDeclaration, use: TypeUse, names: DeclaredNames, condition: Expression | None
) -> Step:
    kind = of.at(use.mark, lambda: of.world.structure(of.scope, use.name))
    varint = None if kind.opaque else of.at(use.mark, lambda: of.world.varint(of.scope, use))
    if varint is not None:
        enum = of.enum(item)
        return ReadVarint(
            name=item.id, condition=condition, max_bytes={32: 5, 64: 10}[varint.bits], zigzag=varint.signed,
            kind=varint, enum=enum,
        )  # fmt: skip
    if kind.opaque:
        passed = tuple(of.step_expression(text, names) for text in use.arguments)
        return ReadOpaque(name=item.id, condition=condition, type_name=kind.name, arguments=passed)
    scope = of.world.scopes[kind.name]
    arguments = arguments_of(of, use, scope, names)
    if scope.is_one_word:
        bits = scope.program.bits or one_word(of.inner(scope))[0]
        size = sum(bit.width for bit in bits) // 8
        return ReadBits(name=item.id, condition=condition, size=size, bits=bits, type=scope.program)
    parent = None
    if isinstance(item.parent, WrittenText):
        parent = of.step_expression(item.parent, names)
        if not types.is_structure(parent.type):
            item.parent.mark.refuse(f"a structure is expected, {short(item.parent.text)} is {parent.type}")
    return ReadType(
        name=item.id, condition=condition, type=scope.program,
        arguments=tuple(arguments.items()),
        foreign=scope.declaration is not of.scope.declaration, parent=parent, orphan=item.parent is False,
    )  # fmt: skip


def arguments_of(of: OneType, use: TypeUse, scope: Scope, names: DeclaredNames) -> dict[str, Expression]:
    """The arguments for the parameters of a type, by name."""
    arguments = [of.step_expression(text, names) for text in use.arguments]
    declared = scope.declared.parameters
    if len(arguments) != len(declared):
        use.mark.refuse(f"{'::'.join(use.name)} takes {arguments_text(len(declared))}, {len(arguments)} given")
    for parameter, node in zip(declared, arguments, strict=True):
        wanted = of.at(parameter.mark, lambda p=parameter: of.world.parameter(scope, p))  # type: ignore[misc]
        if not _can_pass(node.type, wanted):
            use.mark.refuse(f"{node} is {node.type}; the parameter {parameter.id!r} is {wanted}")
        if isinstance(wanted, Integer) and isinstance(node.type, Integer):
            if node.high < wanted.low or node.low > wanted.high:
                use.mark.refuse(f"{node} never fits the parameter {parameter.id!r}, which is {wanted}")
    return {parameter.id: node for parameter, node in zip(declared, arguments, strict=True)}


def payload_of(of: OneType, item: FieldDeclaration) -> tuple[Expression | None, Expression | None]:
    """Codec and format version of a payload."""
    declared = item.payload
    if declared is None:
        return None, None
    if not is_sized(item):
        item.mark.refuse("a payload needs size or size-eos")
    for key, mark in item.keys.items():
        if key.startswith("repeat") or key in SIZED - {"size", "size-eos"}:
            mark.refuse(f"{key} does not go with a payload")
    names = of.names(set(of.read))
    codec = of.wanted(declared.codec, names, Integer, or_enum=True)
    return codec, None if declared.magic is None else of.wanted(declared.magic, names, Integer)


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
