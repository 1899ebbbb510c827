"""Columns: some integers of many values, of which nothing else is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Final

from kformat.codec.expressions import DEEPEST, source
from kformat.codec.parser.function import GeneratedParser, ParserFunction
from kformat.codec.parser.items import is_pure
from kformat.codec.unfit import Unfit
from kformat.language.encodings import reads_all
from kformat.language.expression import Expression
from kformat.language.program import (
    Check,
    CheckEnd,
    ReadBytes,
    ReadInteger,
    ReadList,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)
from kformat.language.steps import nodes_of

_ZIGZAG: Final = tuple((raw >> 1) ^ -(raw & 1) for raw in range(128))


def columns(out: ParserFunction, names: Sequence[str]) -> GeneratedParser:
    """The function of some integers of so many values, which end with the bytes::

        def columns(d, p, count):
            c1 = []
            try:
                for _ in range_(count):
                    ...
                    c1.append(x1)
            except index_error_:
                raise unfit_
            if p != len_(d): raise unfit_
            return c1,

    That bytes end too early shows at the next one that is asked for, or at the end.
    """
    made = {name: out.new("c") for name in names}
    out.text.append("def columns(d, p, count):")
    out.put(*(f"{column} = []" for column in made.values()))
    with out.block("try:"):
        with out.block("for _ in range_(count):"):
            read = _pass_over(out, out.program, out.program.steps, {}, "", frozenset(names))
            for name, column in made.items():
                if f".{name}" not in read:
                    raise Unfit
                out.put(f"{column}.append({read[f'.{name}']})")
    with out.block("except index_error_:"):
        out.put("raise unfit_")
    out.put("if p != len_(d): raise unfit_", f"return {', '.join(made.values())}," if made else "return ()")
    return out.finished()


def _pass_over(
    out: ParserFunction, program: TypeProgram, steps: Sequence[Step], read: Mapping[str, str], end: str,
    names: frozenset[str],
) -> dict[str, str]:  # fmt: skip
    """Go over the steps of a type: the integers that were read until then, and their locals.

    ``end`` is the local with the end of the window around; ``names`` are the integers that have to be read.
    """
    read = dict(read)
    if program.bits:
        raise Unfit
    for step in steps:
        is_number = isinstance(step, ReadVarint | ReadInteger)
        if is_number and step.condition is not None:
            raise Unfit
        with nullcontext() if step.condition is None else out.block(f"if {_value(out, step.condition, read)}:"):
            match step:
                case ReadVarint():
                    read[f".{step.name}"] = _varint(out, step)
                case ReadInteger() if step.name not in names:
                    out.put(f"p += {step.kind.bits // 8}")
                case ReadBytes() if step.size is not None and not (step.trim or step.process):
                    if step.encoding is not None and not reads_all(step.encoding):
                        raise Unfit
                    _skip(out, step, step.size, read)
                case ReadList() if step.count is not None and not (step.checks or step.align or step.until):
                    _list(out, step, _value(out, step.count, read), end)
                case Window() if step.size is not None and not (step.codec or step.trim or step.process):
                    inner_end = out.new("e")
                    out.put(f"{inner_end} = p + {_value(out, step.size, read)}")
                    inner = _pass_over(out, program, step.steps, read, inner_end, names)
                    out.put(f"if p != {inner_end}: raise unfit_")
                    if step.condition is None:
                        read = inner
                case Check() if step.rule is not None:
                    out.put(f"if not {_value(out, step.rule, read)}: raise unfit_")
                case CheckEnd() if end:
                    pass  # the window looks
                case _:
                    raise Unfit
    return read


def _list(out: ParserFunction, step: ReadList, count: str, end: str) -> None:
    """The elements of a list, which are not kept::

    if x1:
        if x1 < 0: raise unfit_
        for _ in range_(x1):
            ...
    """
    element = step.element
    if not isinstance(element, ReadType) or element.arguments or element.condition is not None:
        raise Unfit
    if not element.type.minimum_size:  # a parser bounds how many elements take no bytes
        raise Unfit
    with out.block(f"if {count}:"):
        out.put(f"if {count} < 0: raise unfit_")
        with out.block(f"for _ in range_({count}):"):
            _pass_over(out, element.type, element.type.steps, {}, end, frozenset())


def _skip(out: ParserFunction, step: Step, size: Expression, read: Mapping[str, str]) -> None:
    """``p += x1``; a size that may be negative is looked at: ``if x1 < 0: raise unfit_``."""
    text, rule = _value(out, size, read), step.condition
    is_known = rule is not None and rule.op == ">=" and rule.arguments[0] == size and rule.arguments[1].value == 0
    if not is_known and size.low < 0:
        out.put(f"if {text} < 0: raise unfit_")
    out.put(f"p += {text}")


def _varint(out: ParserFunction, step: ReadVarint) -> str:
    """The local with a varint. Those of one byte, and of two, are read here, since nearly all are that short::

    x1 = d[p]
    if x1 < 128:
        p += 1; x1 = k1[x1]
    else:
        g = d[p + 1]
        if g < 128:
            p += 2; x1 = x1 & 127 | g << 7
        else:
            x1, p = k2(d, p)
        x1 = (x1 >> 1) ^ -(x1 & 1)
    """
    if step.max_bytes < 2:
        raise Unfit
    value, longer = out.new("x"), out.const(_long(step.max_bytes, step.kind.bits))
    out.put(f"{value} = d[p]")
    with out.block(f"if {value} < 128:"):
        out.put("p += 1" + f"; {value} = {out.const(_ZIGZAG)}[{value}]" * step.zigzag)
    with out.block("else:"):
        out.put("g = d[p + 1]")
        with out.block("if g < 128:"):
            out.put(f"p += 2; {value} = {value} & 127 | g << 7")
        with out.block("else:"):
            out.put(f"{value}, p = {longer}(d, p)")
        if step.zigzag:
            out.put(f"{value} = ({value} >> 1) ^ -({value} & 1)")
    return value


@lru_cache(maxsize=64)
def _long(max_bytes: int, bits: int) -> Callable[[bytes, int], tuple[int, int]]:
    """The unsigned integer of a varint of any length, and the position after it."""
    mask = (1 << bits) - 1

    def read(data: bytes, position: int) -> tuple[int, int]:
        raw = shift = 0
        for index in range(position, position + max_bytes):
            group = data[index]
            raw |= (group & 127) << shift
            if group < 128:
                return raw & mask, index + 1
            shift += 7
        raise Unfit

    return read


def _value(out: ParserFunction, node: Expression, read: Mapping[str, str]) -> str:
    """An expression of integers that were read."""
    named = {f".{'.'.join(name)}" for name in node.names()}
    if not is_pure(node, frozenset()) or not named <= read.keys() or sum(1 for _ in nodes_of(node)) > DEEPEST:
        raise Unfit
    return source(node, out.space, read)
