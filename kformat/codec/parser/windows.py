"""Windows: steps in bytes of a size, and those that are decompressed, trimmed or processed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from kformat.codec.parser.bytes import take
from kformat.codec.parser.function import IS_VIEW, ParserFunction
from kformat.codec.parser.sequence import emit_steps, nested
from kformat.codec.parser.structures import read_structure
from kformat.language.program import CheckEnd, ReadType, Step, Window
from kformat.language.steps import leaves_bits


def read_window(out: ParserFunction, step: Window) -> None:
    """Steps in bytes of a size: a stream of their own, unless nothing can tell the difference."""
    if out.program.keeps_context or step.trim is not None or step.process is not None:
        read_stream(out, step)
    else:
        limit_in_place(out, step)


def read_stream(out: ParserFunction, step: Window, callee: str = "") -> None:
    """A window that is a stream of its own::

        r1 = r; l1 = lim
        r = r.window(p, q1); lim = q1
        ...
        r = r1
        p = q1; lim = l1

    What is trimmed or processed has bytes of its own: ``r = r.decoded(x, w)``.
    """
    outer, limit = out.new("r"), out.new("l")
    raw, content = out.new("y"), out.new("x")
    if step.trim is not None or step.process is not None:
        take(out, step)
        out.put(f"{outer} = r; r.position = p; {raw} = y; {content} = x")
        out.put("r = r.decoded(x, w)" if step.process is not None else "r = inner_(r, x, w)")
        if out.traced and step.process is not None:
            name, process = out.const(step.name), out.const(step.process.name)
            out.put(f"{outer}.observer.decoded({outer}, w, {name}, r, {process})")
        elif out.traced:
            out.put(f"r.observer.trimmed({out.const(step.name)}, w + len_(x), p)")
        out.reload()
    else:
        end = out.new("q")
        if step.size is None:
            out.whole_byte()
            out.put(f"{end} = lim if lim > p else p")
        else:
            end = out.need(out.size(step.size))
        out.put(f"{outer} = r; {limit} = lim")
        if step.codec is not None:
            read_payload(out, step, end, outer)
            return
        out.put(f"r = r.window(p, {end}); lim = {end}")
    read_content(out, step, callee)
    if callee or leaves_bits(step.steps):  # one of several types
        out.keep_bits(out.kept_name(step, "after"))
    out.put(f"r = {outer}")
    if step.trim is not None or step.process is not None:
        out.reload()
    else:
        out.put(f"p = {end}; lim = {limit}")
    place = out.kept_name(step)
    if place is not None and step.process is not None:
        out.put(f"keep_(v, {place}, {out.load(step.name)}, {raw})")
    elif place is not None and step.trim is not None:
        again = f"rebuilt_({content}, len_({raw}), {out.const(step.trim)})"
        with out.block(f"if {raw} is not None and {again} != {raw}:"):
            out.put(f"keep_(v, {place}, {out.load(step.name)}, {raw})")


def read_content(out: ParserFunction, step: Window, callee: str = "") -> None:
    """The steps of a stream, to its end. Nothing may be left in one whose steps are the structure's own.

    ::

        if p < lim:
            r.position = p; settle_(r, v.body, v)
    """
    enter(out, step, callee)
    with out.block("if p < lim:"):
        if any(inner.name == step.name for inner in step.steps):
            out.put(f"r.position = p; settle_(r, {out.load(step.name)}, v)")
        else:
            out.put("raise leftover_(r, p)")


def read_payload(out: ParserFunction, step: Window, end: str, outer: str) -> None:
    """A payload, whose stream is decompressed unless the compressed bytes are asked for.

    ::

        k_1 = v.attributes.compression
        if k_1 and r.raw:
            v.records = bytes_(d[p:q1])
            p = q1
        else:
            r.position = p
            r = r.inflate(k_1, q1 - p, empty_, None, k1) if k_1 else r.window(p, q1)
            ...
            r = r1
    """
    assert step.codec is not None
    codec, name = out.new("k_"), out.const(step.name)
    out.put(f"{codec} = {out.value_of(step.codec)}")
    with out.block(f"if {codec} and r.raw:"):
        out.store(step.name, f"bytes_(d[p:{end}])")
        out.put(f"p = {end}")
    with out.block("else:"):
        magic = "None" if step.magic is None else out.value_of(step.magic)
        out.put("r.position = p")
        inflate = f"r.inflate({codec}, {end} - p, empty_, {magic}, {name})"
        out.put(f"r = {inflate} if {codec} else r.window(p, {end})")
        out.reload()
        read_content(out, step)
        out.put(f"r = {outer}")
        out.reload()


def enter(out: ParserFunction, step: Window, callee: str = "") -> None:
    """The steps inside, for an observer within ``enter`` and ``leave``."""
    if out.traced:
        out.put("r.position = p; r.observer.enter(r, v)")
        steps_inside(out, step.steps)
        out.put("r.position = p; r.observer.leave()")
    elif callee:
        read_with(out, step.steps, callee)
    else:
        steps_inside(out, step.steps)


def read_with(out: ParserFunction, steps: Sequence[Step], callee: str) -> None:
    """A structure, or a window of one, by the parser in a local."""
    assert not out.traced
    (step,) = steps
    outer = out.at
    if out.element is None or out.element[0] != step.name:
        out.at = (step.name, None)
    if isinstance(step, Window):
        read_stream(out, step, callee)
    else:
        assert isinstance(step, ReadType)
        read_structure(out, step, callee)
    out.at = outer


def read_end(out: ParserFunction, step: CheckEnd) -> None:
    """``if p < lim: raise leftover_(r, p)``."""
    with out.block("if p < lim:"):
        out.put("raise leftover_(r, p)")


def steps_inside(out: ParserFunction, steps: Sequence[Step]) -> None:
    """The steps in a window; in a list they are those of an element."""
    if out.element is not None:
        nested(out, steps)
    else:
        at = out.at
        emit_steps(out, steps)
        out.at = at


def limit_in_place(out: ParserFunction, step: Window) -> None:
    """A window of a type that keeps no context: the limit is set, and restored.

    ::

        q1 = p + n1; c1 = q1 > lim
        if c1 and (False or not r.end_is_cut):
            raise short_(r, p, n1)
        r1 = r; l1 = lim; c2 = r.end_is_cut
        if not c1:
            lim = r.limit = q1; r.end_is_cut = False
        ...
        p = q1; r.limit = lim = l1; r.end_is_cut = c2
    """
    end, cut, outer, limit, was_cut = (out.new(letter) for letter in "qcrlc")
    size = out.new("n")
    out.put(f"{size} = {'lim - p' if step.size is None else out.size(step.size)}")
    out.whole_byte()
    out.put(f"{end} = p + {size}; {cut} = {end} > lim")
    codec = None
    if step.codec is not None:
        codec = out.new("k_")
        out.put(f"{codec} = {out.value_of(step.codec)}")
        magic = "None" if step.magic is None else out.value_of(step.magic)
    with out.block(f"if {cut} and ({codec or 'False'} or not r.end_is_cut):"):
        out.put(f"raise short_(r, p, {size})")
    out.put(f"{outer} = r; {limit} = lim; {was_cut} = r.end_is_cut")
    if codec is not None:
        with out.block(f"if {codec} and r.raw:"):
            out.store(step.name, f"bytes_(d[p:{end}])")
            out.put(f"p = {end}")
    with out.block("else:") if codec is not None else nullcontext():
        if codec is not None:
            with out.block(f"if {codec}:"):
                name = out.const(step.name)
                out.put(f"r.position = p; r = r.inflate({codec}, {size}, empty_, {magic}, {name})")
                out.reload()
        with out.block(f"if not {cut}:" if codec is None else f"elif not {cut}:"):
            out.put(f"lim = r.limit = {end}; r.end_is_cut = False")
        enter(out, step)
        if codec is not None:
            with out.block(f"if {codec}:"):
                with out.block("if p < lim:"):
                    out.put("raise leftover_(r, p)")
                out.put(f"r.position = p; r = {outer}; d = r.data; p = {end}; lim = {limit}")
                out.put(IS_VIEW)
        with out.block("else:") if codec is not None else nullcontext():
            with out.block(f"if {cut}:"):
                out.put(f"raise short_(r, p, {end} - p)")
            with out.block("if p < lim:"):
                out.put("raise leftover_(r, p)")
            out.put(f"p = {end}; r.limit = lim = {limit}; r.end_is_cut = {was_cut}")
