"""Lists: numbers at once, other elements in a loop."""

from __future__ import annotations

import struct
from contextlib import AbstractContextManager, nullcontext

from kformat.codec import runtime
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.items import may_be_free
from kformat.codec.parser.sequence import conditional, emit_check
from kformat.codec.values import enum_values
from kformat.language.expression import Expression
from kformat.language.layout import struct_format
from kformat.language.program import Enum, ReadFloat, ReadInteger, ReadList, ReadType, Step, Window
from kformat.language.steps import end_position
from kformat.language.types import Stream


def read_list(out: ParserFunction, step: ReadList) -> None:
    """A list: numbers all at once if they are there, else element by element::

        l1 = []
        v.sizes = l1
        n1 = v.count
        if r.room is None and p + n1 * 4 <= lim:
            l1 += k1(n1, d, p)
            p += n1 * 4; i1 = n1 - 1
        else:
            i1 = -1
            rm = r.room is not None
            for i1 in range_(n1):
                if rm:
                    r.position = p; r.admit()
                ...
                l1.append(x)

    An element that takes no bytes pays for its time: ``if p == s1: r.free()``.
    """
    items, index, name = out.new("l"), out.new("i"), step.name
    out.put(f"{items} = []")
    outer_at, outer_element, outer_words = out.at, out.element, out.words
    out.store(name, items)  # what says how many there are may ask how many there are
    is_asked = outer_element is None and name in out.program.growing
    if is_asked:
        out.put(f"r.state.enter({items})")
    count = None if step.count is None else out.count(step.count)
    first = ""
    if out.path == (name,) and outer_element is None and can_be_taken(step):
        first, stored, width = out.new("n"), out.new("y"), None
        if isinstance(step.element, Window) and step.element.size is not None:
            width = out.size(step.element.size)
        out.put(f"r.position = p; {first}, p, {stored} = take_(r, v, p, lim, {count}, {width}, {items})")
        out.store(name, stored)
    code = None if out.traced or step.checks or step.until is not None else _list_code(step.element)
    if code is not None and count is not None:
        size = struct.calcsize(code)
        aligned = "not r.bits_left and " * step.align
        with out.block(f"if {aligned}r.room is None and p + {count} * {size} <= lim:"):
            unpack = out.const(runtime.list_reader(code))
            out.put(f"{items} += {unpack}({count}, d, p)" if not _enum_of(step.element) else "pass")
            if _enum_of(step.element):
                members = out.const(enum_values(_enum_of(step.element)))  # type: ignore[arg-type]
                out.put(f"{items} += [{members}.get(x, x) for x in {unpack}({count}, d, p)]")
            if code[1:] == "f" and out.program.keeps_context:
                out.put(f"keep_floats_(v, {out.const(name)}, {items}, d, p, {out.const(code)})")
            out.put(f"p += {count} * {size}; {index} = {count} - 1; {out.new('z')} = 0")
    with out.block("else:") if code is not None and count is not None else _unless_taken(out, step, first, items):
        one_by_one(out, step, items, index, first, count)
    out.at, out.element, out.words = outer_at, outer_element, outer_words
    if is_asked:
        out.put("r.state.open.pop()")


def _unless_taken(out: ParserFunction, step: ReadList, first: str, items: str) -> AbstractContextManager[None]:
    """``if not (n1 and p >= v.trailer.footer_position):`` the list goes on after the elements that were taken."""
    if not first or end_position(step) is None:
        return nullcontext()
    assert step.until is not None
    return out.block(f"if not ({first} and {out.value_of(step.until)}):")


def one_by_one(out: ParserFunction, step: ReadList, items: str, index: str, first: str, count: str | None) -> None:
    """The loop over elements."""
    name = step.name
    out.at = (name, index)
    out.words = {**out.words, "_index": index, "_": f"{items}[-1]"}
    frees = may_be_free(step.element)
    before = out.new("s")
    out.put(f"{index} = {first}-1")
    out.put("rm = r.room is not None")
    if count is not None:
        head = f"for {index} in range_({f'{first}, ' * bool(first)}{count}):"
    elif step.until is not None:
        head = "while True:"
    else:
        head = "while p < lim or r.bits_left:"
    with out.block(head):
        if count is None:
            out.put(f"{index} += 1")
        with out.block("if rm:"):
            out.put("r.position = p; r.admit()")
        if frees:
            out.put(f"{before} = p")
        out.element = (name, items)
        if step.align:
            out.align(out.kept_name(step, "before"))
        start = out.new("s")
        if step.checks or out.traced:
            out.put(f"{start} = p")
        conditional(out, step.element)
        for check in step.checks:
            emit_check(out, check, start)
        if out.traced and not isinstance(step.element, ReadType):
            out.put(f"r.position = p; r.observer.element(r, {start}, {items}[-1])")
        if frees:
            with out.block(f"if p == {before}:"):
                out.put("r.position = p; r.free()")
        if step.until is not None:
            out.element = None
            with out.block(f"if {out.value_of(step.until)}:"):
                out.put("break")


def _list_code(step: Step) -> str | None:
    """The struct format of elements that are plain numbers."""
    if step.condition is None and isinstance(step, ReadInteger | ReadFloat) and not step.by_type:
        return struct_format(step)
    return None


def _enum_of(step: Step) -> Enum | None:
    return step.enum if isinstance(step, ReadInteger) else None


def can_be_taken(step: ReadList) -> bool:
    """Whether the elements are structures that follow each other, all alike: in parts of one size, or in none."""
    element = step.element
    if isinstance(element, Window):
        if element.size is None or element.codec is not None or element.trim is not None or element.process is not None:
            return False
        if len(element.steps) != 1 or element.condition is not None or not _is_constant(element.size):
            return False
        (element,) = element.steps
    return isinstance(element, ReadType) and not step.align and element.condition is None


def _is_constant(node: Expression) -> bool:
    """Whether an expression is the same for all elements of a list."""
    if node.op == "local" or isinstance(node.type, Stream):
        return False
    return all(map(_is_constant, node.arguments))
