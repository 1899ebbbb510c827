"""Rows: the elements of a list, read one after the other without keeping any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from kformat.codec.expressions import later
from kformat.codec.parser.function import GeneratedParser, ParserFunction
from kformat.codec.parser.items import may_be_free
from kformat.codec.parser.sequence import conditional, emit_check, emit_steps
from kformat.codec.parser.structures import arguments_of, begin_parser, decide_byte_order, end_parser
from kformat.codec.values import Value
from kformat.errors import DataError, KformatError
from kformat.language.expression import FAILURES, EvaluationError, compile_expression
from kformat.language.layout import layout
from kformat.language.program import ReadList, ReadType, Step, Window
from kformat.language.steps import known_size, leaves_bits, takes_the_rest


def rows(out: ParserFunction, path: Sequence[str], size: int | None = None) -> GeneratedParser:
    """As `structures.parser`, a generator: yields the elements of the list at ``path`` and keeps none of them::

        def rows(r, parent=None, root=None, little_endian=None):
            ...
            for i1 in range_(n1):
                r.begin()
                l1.clear()
                ...
                yield l1[-1], s1, i1, v

    Each time (element, its absolute position, its index, the value that has the list). ``r`` is a `sliding.Sliding`;
    what comes before the list, each element, and what follows it are run again where bytes are missing that it does not
    hold yet. With ``size`` all elements are of that size, and `sliding.Sliding.blocks` yields many at once; with 0 they
    are of any size, and `sliding.Sliding.stretches` does so. What the caller does not take is read here.
    """
    out.row_size = size
    program = out.program
    place = next(index for index, step in enumerate(program.steps) if step.name == path[0])
    begin_parser(out, "rows")
    with out.block("if r.root is None:"):
        out.put("r.root = v")
    with out.block("try:"):
        if out.traced:
            out.put("o = r.observer; rt = r; o.enter(r, v)")
        if place or program.byte_order is not None:
            with again(out, program.steps[:place]):
                decide_byte_order(out)
                emit_steps(out, program.steps[:place])
            around_is_done(out)
        step = program.steps[place]
        out.at = (step.name, None)
        if step.condition is None:
            rows_of_step(out, step, path)
        else:
            with out.block(f"if {out.value_of(step.condition)}:"):
                rows_of_step(out, step, path)
            with out.block("else:"):
                out.store(step.name, "None")
                if out.traced:
                    out.put(f"o.leaf({out.const(step.name)}, p, p, None)")
        if place + 1 < len(program.steps):
            with again(out, program.steps[place + 1 :]):
                emit_steps(out, program.steps[place + 1 :])
            around_is_done(out)
        out.at = ("", None)
        out.put("r.position = p")
        if out.traced:
            out.put("o.leave()")
    end_parser(out)
    return out.finished()


def around_is_done(out: ParserFunction) -> None:
    """Let the caller of a traced generator take what was reported of what is around the rows."""
    if out.traced:
        out.put("r.position = p; yield None")
        out.reload()


@contextmanager
def again(
    out: ParserFunction, steps: Sequence[Step], clear: str = "", items: str = "", extent: str = ""
) -> Iterator[None]:
    """Lines that are run again, with more bytes, if they need them::

        s1 = p; r1 = r; b1 = r.bits; b1_ = r.bits_left
        while True:
            try:
                ...
                if p < lim or r.is_whole:
                    break
            except more_:
                pass
            r = r1; r.position = s1; r.more(); s1 = 0
            r.bits = b1; r.bits_left = b1_

    Bytes that ``steps`` take to the end of the stream are complete only with the last ones of it. The error of a row
    whose ``extent`` is known stands in its place in ``items``, if the reader passes over damage.
    """
    before, bits, outer = out.new("s"), out.new("b"), out.new("r")
    out.put(f"{before} = p; {outer} = r; {bits} = r.bits; {bits}_ = r.bits_left")
    if out.traced:
        mark = out.new("g")
        out.put(f"{mark} = o.mark()")
    with out.block("while True:"):
        with out.block("try:"):
            yield
            with out.block("if p < lim or r.is_whole:"):
                out.put("break")
        with out.block("except more_:"):
            out.put("pass")
        if extent:
            with out.block("except data_error_ as e:"):
                with out.block(f"if not {outer}.leave(e, {before}, {extent}):"):
                    out.put("raise")
                out.put(f"r = {outer}")
                out.reload()
                out.put(f"{items}.clear(); {items}.append(failed_(e, r, v, p))")
                out.put("break")
        elif takes_the_rest(steps):
            with out.block("except data_error_:"):
                with out.block(f"if {outer}.is_whole:"):
                    out.put("raise")
        out.put(f"r = {outer}; r.position = {before}; r.more(); {before} = 0")
        out.put(f"r.bits = {bits}; r.bits_left = {bits}_")
        if out.traced:
            out.put(f"o.take_back({mark})")
        if clear:
            out.put(clear)
        out.reload()


def rows_of_step(out: ParserFunction, step: Step, path: Sequence[str]) -> None:
    """The list at the path's first name, or the structure that has it: ``x = yield from t1(r, v, root, None)``."""
    if out.traced:
        out.put(f"r.position = p; o.list_begins({out.const(step.name)}, r)")
    if isinstance(step, ReadType):
        out.put(f"x = yield from {rows_of_type(out, step, path[1:])}")
        out.put("p = r.position")
        out.reload()
        out.store(step.name, "x")
        return
    assert isinstance(step, ReadList)
    items, index, before = out.new("l"), out.new("i"), out.new("s")
    bits = out.new("b") if leaves_bits([step.element]) else ""
    """The bits of a partly read byte that are left before a row, which may be narrower than a byte."""
    out.put(f"{items} = []")
    count = None
    if step.count is not None:
        with again(out, ()) if not out.is_simple(step.count) else nullcontext():
            count = out.count(step.count)
    outer_at, outer_words = out.at, out.words
    out.at = (step.name, index)
    out.words = {**out.words, "_index": index, "_": f"{items}[-1]"}
    out.put(f"{index} = -1")
    if len(path) == 1:
        out.put("r.list_begins(p)")
    width = out.new("w") if isinstance(step.element, Window) and out.row_size is not None else ""
    if width:  # known when a row was read
        out.put(f"{width} = 0")
    is_counted = count is None or out.row_size is not None
    with out.block("while True:" if is_counted else f"for {index} in range_({count}):"):
        if is_counted:
            out.put(f"{index} += 1")
        if len(path) == 1 and out.row_size is not None:
            many_rows(out, index, count, width)
        if is_counted and count is not None:
            with out.block(f"if {index} >= {count}:"):
                out.put("break")
        if count is None and step.until is None:
            leave_at_the_end(out)
        out.put("r.begin()")
        out.put(f"{items}.clear()")
        out.element = (step.name, items)
        if len(path) > 1:
            assert isinstance(step.element, ReadType)
            out.put(f"{before} = p + r.origin" + f"; {bits} = r.bits_left" * bool(bits))
            out.put(f"r.places = {{**r.places, {len(path)}: {index}}}")
            out.put(f"x = yield from {rows_of_type(out, step.element, path[1:])}")
            out.put("p = r.position")
            out.reload()
            out.put(f"{items}.append(x)")
        else:
            known = extent_of(step.element)
            extent = out.const(known) if known is not None else ""
            out.put("r.in_row = True")
            if out.traced:
                rows_once_more(out, step, items, index, before, bits)
            else:
                with again(out, (step.element,), f"{items}.clear()", items, extent):
                    row_of_list(out, step, before, bits)
        if may_be_free(step.element) or isinstance(step.element, ReadType):
            with out.block(f"if p + r.origin == {before}{f' and {bits} == r.bits_left' * bool(bits)}:"):
                out.put(f"r.position = p; r.free_row({rows_left(out, step, count, index)})")
        out.element = None
        if width:
            out.put(f"{width} = p + r.origin - {before}")
        if len(path) == 1 and not out.traced:
            out.put("r.position = p; r.in_row = False")
            place = f"{before} - ({bits} > 0)" if bits else before  # where its first bit is
            out.put(f"yield {items}[-1], {place}, {index}, v")
        if step.until is not None:
            done = out.new("y")
            with again(out, ()) if not out.is_simple(step.until) else nullcontext():
                out.put(f"{done} = {out.value_of(step.until)}")
            with out.block(f"if {done}:"):
                out.put("break")
    out.at, out.words = outer_at, outer_words


def row_of_list(out: ParserFunction, step: ReadList, before: str, bits: str) -> None:
    """The lines of one row, from ``before`` on."""
    if step.align:
        out.put("r.bits = r.bits_left = 0")
    start = out.new("s")
    out.put(f"{start} = p; {before} = p + r.origin" + f"; {bits} = r.bits_left" * bool(bits))
    conditional(out, step.element)
    for check in step.checks:
        emit_check(out, check, start)
    if out.traced and out.element is not None and not isinstance(step.element, ReadType):
        out.put(f"r.position = p; o.element(r, {start}, {out.element[1]}[-1])")


def rows_once_more(out: ParserFunction, step: ReadList, items: str, index: str, before: str, bits: str) -> None:
    """A row that is yielded, and read again as often as the caller asks for that::

    while True:
        ...
        a = yield l1[-1], s1, i1, v
        if not a:
            break
        r.traces = True; p = r.rewind(q, q_)
    """
    with out.block("while True:"):
        traced_row(out, step, items, index, before, bits)
        place = f"{before} - ({bits} > 0)" if bits else before
        out.put(f"r.position = p; r.in_row = False; a = yield {items}[-1], {place}, {index}, v")
        with out.block("if not a:"):
            out.put("break")
        out.put("r.traces = True; p = r.rewind(q, q_)")
        out.reload()


def traced_row(out: ParserFunction, step: ReadList, items: str, index: str, before: str, bits: str) -> None:
    """A row that is reported to the observer where that is asked for, or where it is damaged::

    q = p + r.origin; q_ = r.bits, r.bits_left
    if not r.traces:
        r.observer = None
        try:
            ...
        except data_error_:
            r = rt; r.traces = True; p = r.rewind(q, q_)
        finally:
            rt.observer = o
    if r.traces:
        ...
    """
    out.put(f"q = p + r.origin; q_ = r.bits, r.bits_left; {items}.clear()")
    with out.block("if not r.traces:"):
        out.put("r.observer = None")
        out.traced = False
        with out.block("try:"), again(out, (step.element,), f"{items}.clear()"):
            row_of_list(out, step, before, bits)
        with out.block("except data_error_:"):
            out.put(f"r = rt; r.traces = True; p = r.rewind(q, q_); {items}.clear()")
        with out.block("finally:"):
            out.put("rt.observer = o")
        out.traced = True
        out.reload()
    with out.block("if r.traces:"), again(out, (step.element,), f"{items}.clear()"):
        out.put(f"o.row(v, {out.const(step.name)}, {index}, r)")
        row_of_list(out, step, before, bits)


def many_rows(out: ParserFunction, index: str, count: str | None, width: str) -> None:
    """Rows that the caller reads by itself: ``i1 += yield from r.blocks(None, 16, v, i1)``."""
    left = "None" if count is None else f"{count} - {index}"
    out.put("r.position = p")
    many = f"blocks({left}, {int(out.row_size or 0)}, v, {index})"
    many = many if out.row_size else f"stretches({left}, v, {index}, {width or None})"
    is_known = f"if {width} == {out.row_size}:" if out.row_size else f"if {width}:"
    with out.block(is_known) if width else nullcontext():
        out.put(f"{index} += yield from r.{many}")
    out.put("p = r.position")
    out.reload()


def rows_left(out: ParserFunction, step: ReadList, count: str | None, index: str) -> str:
    """How many rows after that at an index take no bytes, if that took none: all that follow, if nothing changes from
    row to row; without end in a list to the end of the stream (-1).
    """
    element = step.element
    nodes = [node for _, node in element.arguments] if isinstance(element, ReadType) else []
    if not isinstance(element, ReadType) or element.condition is not None or step.until is not None:
        return "0"
    if not all(node.is_constant for node in nodes):
        return "0"
    return "-1" if count is None else f"{count} - {index} - 1"


def leave_at_the_end(out: ParserFunction) -> None:
    """Leave the loop over elements where no byte is left: ``if p >= lim: break``."""
    with out.block("if p >= lim and not r.bits_left:"):
        with out.block("if not r.is_whole:"):
            out.put("r.position = p; r.more()")
            out.reload()
        with out.block("if p >= lim:"):
            out.put("break")


def rows_of_type(out: ParserFunction, step: ReadType, path: Sequence[str]) -> str:
    """``t1(r, v, root, None)``: a call of the generator of a type's rows."""
    callee, arguments = out.new("t"), ", ".join(["r", *arguments_of(out, step)])
    compile, program, size, traced = out.callee, step.type, out.row_size, out.traced
    later(out.space.values, callee, lambda: compile(program, traced, tuple(path), rows_size=size))
    out.put("r.position = p")
    return f"{callee}({arguments})"


def extent_of(row: Step) -> Callable[[DataError], int | None] | None:
    """A function for the size of a row whose reading ended with an error, which returns None if the fields of the size
    were not read, or are wrong. None for rows whose fields do not say their size.
    """
    if row.condition is not None or not isinstance(row, ReadType | Window):
        return None
    if isinstance(row, Window):
        known = known_size(row, set())
        return None if known is None or not known.is_constant else lambda error: int(known.value)
    program, sizes = row.type, layout(row.type).extent
    if sizes is None:
        return None
    total = layout(program).one_size
    if total is not None:
        return lambda error: total
    named = {".".join(name) for size in sizes for name in size.names()}
    parts = [compile_expression(size) for size in sizes]

    def extent(error: DataError) -> int | None:
        value = error.partial
        if not isinstance(value, Value) or value._type is not program or error.path in named:
            return None
        try:
            lengths = [part(value) for part in parts]
        except (AttributeError, KformatError, EvaluationError, *FAILURES):
            return None
        return None if min(lengths) < 0 else sum(lengths)

    return extent
