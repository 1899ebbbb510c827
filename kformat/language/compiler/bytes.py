"""Bytes and text: their size, their end, and how they are processed."""

from __future__ import annotations

from kformat.language.compiler.one_type import OneType, Use
from kformat.language.declaration import FieldDeclaration
from kformat.language.expression import Expression
from kformat.language.names import DeclaredNames, checked_encoding, encoding_of, is_sized, terminator_of
from kformat.language.steps import ProcessCall, ReadBytes, ReadLiteral, Step, Trim
from kformat.language.types import Bytes, Integer


def read_literal(
    of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None
) -> Step:
    assert item.contents is not None
    return ReadLiteral(name=item.id, condition=condition, contents=item.contents)


def read_bytes(
    of: OneType, item: FieldDeclaration, use: Use, names: DeclaredNames, condition: Expression | None
) -> Step:
    encoding = None
    if use is not None:
        mark = item.keys.get("encoding", item.mark)
        encoding = of.at(mark, lambda: checked_encoding(encoding_of(of.scope, item)))
    trim = trim_of(of, item, use)
    if item.size is not None and item.size_eos:
        item.mark.refuse("bytes and text need either size or size-eos")
    if not is_sized(item) and trim is None:
        item.mark.refuse("bytes and text need size, size-eos or a terminator" + "; or strz as type" * (use == "str"))
    process = process_of(of, item, names)
    if item.fill is not None and (item.size is None or trim is not None or process is not None or item.repeat):
        item.keys["-fill"].refuse("-fill is for bytes of a size that are neither padded, processed nor repeated")
    return ReadBytes(
        name=item.id, condition=condition, size=of.amount(item.size, names), encoding=encoding, trim=trim,
        process=process, fill=None if item.fill is None else item.fill[0],
    )  # fmt: skip


def trim_of(of: OneType, item: FieldDeclaration, use: Use) -> Trim | None:
    terminator = terminator_of(of.scope, item, use)
    delimited = not is_sized(item) and terminator is not None
    if terminator is None and item.pad_right is None:
        return None
    if not is_sized(item) and item.pad_right is not None:
        item.keys["pad-right"].refuse("pad-right needs size or size-eos")
    return Trim(
        terminator=terminator, include=item.include, consume=item.consume, must_end=item.eos_error,
        pad=item.pad_right, delimited=delimited,
    )  # fmt: skip


def process_of(of: OneType, item: FieldDeclaration, names: DeclaredNames) -> ProcessCall | None:
    declared = item.process
    if declared is None:
        return None
    arguments = tuple(of.step_expression(text, names) for text in declared.arguments)
    wanted = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}.get(declared.name)
    if wanted is not None and len(arguments) != wanted:
        declared.mark.refuse(f"{declared.name} takes {arguments_text(wanted)}, {len(arguments)} given")
    for node in arguments:
        if declared.name in ("rol", "ror") and not isinstance(node.type, Integer):
            declared.mark.refuse(f"{declared.name} takes an integer, {node} is {node.type}")
        if declared.name == "xor" and not isinstance(node.type, Integer | Bytes):
            declared.mark.refuse(f"xor takes an integer or bytes, {node} is {node.type}")
    return ProcessCall(declared.name, arguments)


def arguments_text(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"
