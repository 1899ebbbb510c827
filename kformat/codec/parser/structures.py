"""Structures: the function that reads a value of a type, and calls of that of another type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kformat.codec.expressions import assignment, later, remembered, said_word, source
from kformat.codec.extensions import opaque_type_of
from kformat.codec.parser.bits import read_bits_into
from kformat.codec.parser.function import GeneratedParser, ParserFunction
from kformat.codec.parser.sequence import emit_steps
from kformat.codec.values import parsed_class, value_class
from kformat.language.expression import Expression
from kformat.language.following import follows, growing_in
from kformat.language.program import ReadBits, ReadOpaque, ReadType, Step, TypeProgram
from kformat.language.steps import all_steps
from kformat.language.types import ListOf


def parser(out: ParserFunction) -> GeneratedParser:
    """The function of a type::

        def parse(r, parent=None, root=None, little_endian=None):
            v = k1()
            d = r.data; p = r.position; lim = r.limit
            try:
                ...
                r.position = p
            except error_ as e:
                raise failed_(e, r, v, p) from None
            v.__class__ = k2
            return v

    A structure of few bytes, but many steps, pays for its time: ``if p - p0 < 2: r.free(2 - p + p0)``.
    """
    program = out.program
    begin_parser(out, "parse")
    weight = 1 + _count(program.steps) // 16
    if weight > program.minimum_size:
        out.put("p0 = p")
    with out.block("try:"):
        if out.traced:
            out.put("r.observer.enter(r, v)")
        decide_byte_order(out)
        if program.bits:
            out.trace_step("")
            size = sum(bit.width for bit in program.bits) // 8
            read_bits_into(out, ReadBits(name="bits", size=size, bits=program.bits, type=program), "v", None)
            out.trace_done()
        else:
            emit_steps(out, program.steps)
        out.at = ("", None)
        out.put("r.position = p")
        if weight > program.minimum_size:
            with out.block(f"if p - p0 < {weight}:"):
                out.put(f"r.free({weight} - p + p0)" if weight > 1 else "r.free()")
        if out.traced:
            out.put("r.observer.leave()")
    end_parser(out)
    return out.finished()


def end_parser(out: ParserFunction) -> None:
    """The end of the function: the handler of errors, and the class of a value that is complete."""
    with out.block("except error_ as e:"):
        out.put("raise failed_(e, r, v, p) from None")
    if out.program.is_recursive:
        with out.block("finally:"):
            out.put("r0.state.depth -= 1")
    out.put(f"v.__class__ = {out.const(value_class(out.program))}")
    out.put("return v")


def begin_parser(out: ParserFunction, name: str) -> None:
    """The head of the function: ``v``, its context, and the reader's locals."""
    program = out.program
    arguments = [f"a{index}" for index in range(len(program.parameters))]
    head = ", ".join(
        ["r", "parent=None", "root=None", "little_endian=None", *(f"{argument}=None" for argument in arguments)]
    )
    out.text.append(f"def {name}({head}):")
    made = parsed_class(program)
    out.put(f"v = {out.const(made)}()")
    for parameter, argument in zip(program.parameters, arguments, strict=True):
        out.put(assignment("v", parameter, argument, out.space))
    out.root, out.order = "root", "little_endian"
    out.words = {"_io": "r"}
    if program.keeps_context:
        if program.is_root:
            with out.block("if root is None:"):
                out.put("root = v")
        out.put("v._parent = parent; v._io = r; v._order = little_endian; v._root = root")
        out.words |= {"._root": "root", "._parent": "parent", **out.written_out()}
    elif program.byte_order is not None:
        out.put("v._order = little_endian")
    out.reload()
    if program.is_recursive:
        out.put("r0 = r; r.deeper()")


def decide_byte_order(out: ParserFunction) -> None:
    """The byte order that the value says.

    ::

        v._order = None
        x1 = v.magic
        if v._order is None and x1 == k1:
            v._order = True
        little_endian = v._order
    """
    order = out.program.byte_order
    if order is None or order.on is None:
        return
    on = out.new("x")
    out.put("v._order = None")
    out.evaluate(order.on, on)
    for value, little in order.cases:
        test = "v._order is None" + (f" and {on} == {out.value_of(value)}" if value is not None else "")
        with out.block(f"if {test}:"):
            out.put(f"v._order = {little}")
    out.put("little_endian = v._order")


def read_structure(out: ParserFunction, step: ReadType, callee: str = "") -> None:
    """A value of another type, by the parser in the local ``callee``, or that of the step's type.

    ::

        r.position = p
        x1 = t1(r, v, root, little_endian)
        p = r.position
        v.header = x1
    """
    if not callee:
        callee = out.new("t")
        parser_later(out, out.space.values, callee, step.type, step.name)
    arguments = arguments_of(out, step)
    child = out.new("x")
    out.put("r.position = p")
    out.put(f"{child} = {callee}({', '.join(['r', *arguments])})")
    out.put("p = r.position")
    if out.answers:
        items = ", ".join(f"{out.const(name)}: {answers}" for name, answers in out.answers.items())
        out.put(f"put_aside_({child}, {{{items}}})")
    out.store(step.name, child)


def read_opaque(out: ParserFunction, step: ReadOpaque) -> None:
    """A value of a type that the user registered: ``r.position = p; x = r.opaque(k1(), a); p = r.position``."""
    arguments = "".join(f"{out.value_of(node)}, " for node in step.arguments)
    out.put(f"a = ({arguments})")
    out.whole_byte()
    read = out.const(lambda name=step.type_name: opaque_type_of(name).read)
    out.put(f"r.position = p; x = r.opaque({read}(), a); p = r.position")
    out.store(step.name, "x")


def arguments_of(out: ParserFunction, step: ReadType) -> list[str]:
    """What the parser of a type takes besides the reader."""
    out.answers = {}
    arguments = [argument(out, name, node, step.name) for name, node in step.arguments]
    if not _takes_context(step):
        return []
    parent = "None" if step.foreign or step.orphan or not out.program.keeps_context else "v"
    if step.parent is not None:
        parent = out.value_of(step.parent)
    root = "None" if step.foreign or not out.program.keeps_context else out.root
    inherits = out.program.byte_order is not None or out.program.keeps_context
    return [parent, root, out.order if inherits else "None", *arguments]


def argument(out: ParserFunction, name: str, node: Expression, step: str) -> str:
    """A parameter's value. Where it follows from fields, and from streams and growing lists, the answers of these are
    put aside: after an edit it is computed again (`arguments`)::

        a1 = {}
        ...
        put_aside_(x1, {k1: a1})
    """
    asked = list[Expression]()
    moved = remembered(node, asked, growing_in(node, step, out.program))
    if not asked or not out.program.passing or not follows(node):
        return out.value_of(node)
    answers, words = out.new("a"), out.words
    out.put(f"{answers} = {{}}")
    out.words = dict(words)
    for number, query in enumerate(asked):
        text = source(query, out.space, words)
        how = f"counted_({answers}, {number}" if isinstance(query.type, ListOf) else f"{answers}.setdefault({number}"
        out.words[said_word(number)] = f"{how}, {text})"
    value = out.value_of(moved)
    out.words, out.answers[name] = words, answers
    return value


def parser_later(out: ParserFunction, table: dict[Any, Any], key: Any, program: TypeProgram, name: str) -> None:
    """Put into a table, when it is first called, the parser of the type of a field of that name."""
    callee, traced = out.callee, out.traced
    path = out.path[1:] if out.path[:1] == (name,) else ()
    later(table, key, lambda: callee(program, traced, path))


def _count(steps: Iterable[Step]) -> int:
    """How many steps there are, with those within them, but not those of other types."""
    return sum(1 for _ in all_steps(steps))


def _takes_context(step: ReadType) -> bool:
    return step.type.keeps_context or step.type.byte_order is not None or bool(step.arguments)
