"""Structures: the function that writes a value of a type, and calls of that of another type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kformat.codec.expressions import attribute, later
from kformat.codec.unfit import Unfit
from kformat.codec.values import value_class
from kformat.codec.writer.bits import bits_of
from kformat.codec.writer.function import GeneratedWriter, WriterFunction
from kformat.codec.writer.instances import wait
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.sequence import emit_steps
from kformat.language.program import ReadType, TypeProgram


def writer(out: WriterFunction) -> GeneratedWriter:
    """The function of a type.

    ::

        def write(v, o, s, parent, root, little):
            if not (type_(v) is k1): raise unfit_
            o += k2(v.length, v.count)
            ...
    """
    program = out.program
    names = [f"a{index}" for index in range(len(program.parameters))]
    out.text.append(f"def write({', '.join(['v', 'o', 's', 'parent', 'root', 'little', *names])}):")
    out.unless(f"type_(v) is {out.const(value_class(program))}")
    for name, argument in zip(program.parameters, names, strict=True):
        parameter = attribute("v", name, out.space)
        out.unless(f"{parameter} is {argument} or {parameter} == {argument}")
    if program.keeps_context:
        if program.is_root:
            out.put("if root is None: root = v")
        out.unless("v._parent is parent and v._root is root")
        out.words = {"._root": "root", "._parent": "parent"}
        out.put("k = noted_(v, kept_)")
        out.put(f"if k is not None and not {out.const(are_kept(out.kept))}(k): raise unfit_")
    if program.byte_order is not None and program.byte_order.on is not None:
        on = out.new("x")
        out.put(f"{on} = {out.source(program.byte_order.on)}; little = None")
        for value, little in program.byte_order.cases:
            test = "" if value is None else f" and {on} == {out.source(value)}"
            out.put(f"if little is None{test}: little = {little}")
    if program.bits:
        bits_of(out, "v", program)
    else:
        emit_steps(out, program.steps)
    out.flush()
    if out.placed:
        with out.block("if v.__dict__:"):
            for name, instance in out.placed.items():
                with out.block(f"if v.__dict__.get({out.const(name)}) is not None:"):
                    wait(out, instance)
    return out.finished()


def are_kept(fields: frozenset[str]) -> Callable[[dict[Any, Any]], bool]:
    """A function that says whether a reader kept bytes of these fields alone."""

    def are_kept(kept: dict[Any, Any]) -> bool:
        # The bytes of a field, or of an element; anything else that was kept needs a builder.
        return all(
            key in fields if isinstance(key, str) else len(key) == 2 and key[0] in fields and type(key[1]) is int
            for key in kept
        )

    return are_kept


def write_structure(out: WriterFunction, step: ReadType, callee: str = "", needs_stream: bool = False) -> None:
    """A value of another type, by the writer in the local ``callee``, or that of the step's type.

    ::

        x1 = v.header
        t1(x1, o, s, v, root, little)
    """
    out.flush()
    if step.parent is not None:
        raise Unfit
    if not callee:
        callee = out.new("t")
        writer_later(out, out.space.values, callee, step.type)
    keeps = out.program.keeps_context
    parent = "None" if step.foreign or step.orphan or not keeps else "v"
    root = "None" if step.foreign or not keeps else "root"
    little = "little" if keeps or out.program.byte_order is not None else "None"
    arguments = [out.source(node) for _, node in step.arguments]
    child = out.new("x")
    out.put(f"{child} = {out.value(step.name)}")
    stream = (out.stream or "s") if needs_stream or type_needs_stream(step.type) else "None"
    out.put(f"{callee}({', '.join([child, 'o', stream, parent, root, little, *arguments])})")
    if step.type.keeps_context:
        rest = out.new("x")
        out.put(f"{rest} = noted_({child}, rest_)")
        # Of a stream's own structure it is the stream's rest, and comes last, unless instances stand in it.
        is_last = out.fills_stream and not out.stream
        with out.block(f"if {rest} is not None:"):
            out.unless(f"type_({rest}) is bytes_")
            out.put(f"o += {rest}" if is_last else f"if {rest}: raise unfit_")


def writer_later(out: WriterFunction, table: dict[Any, Any], key: Any, program: TypeProgram) -> None:
    """Put the writer of a type into a table, when it is first called."""
    make = out.others.writer
    later(table, key, lambda: make(program))
