"""Windows: steps in bytes of a size."""

from __future__ import annotations

from kformat.codec.drafts import asks_stream
from kformat.codec.unfit import Unfit
from kformat.codec.writer.bytes import measure
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.needs import type_needs_stream
from kformat.codec.writer.sequence import emit_steps
from kformat.codec.writer.structures import write_structure
from kformat.language.program import Align, Check, CheckEnd, ReadType, Window
from kformat.language.steps import takes_the_rest, types_of


def write_window(out: WriterFunction, step: Window, callee: str = "", needs_stream: bool = False) -> None:
    """Steps in bytes of a size::

        c1 = len_(o)
        ...
        if not (len_(o) - c1 == v.length): raise unfit_

    Where something in it asks for its stream: ``s1 = inner_(o, s)``, and ``finish_(s1)``. ``callee`` writes the one
    type in it.
    """
    if step.process is not None or step.trim is not None:
        raise Unfit
    out.flush()
    if step.codec is not None:
        out.unless(f"not {out.source(step.codec)}")
    start = out.new("c")
    size = ""
    if step.size is not None:
        out.put(f"{start} = len_(o)")
        if asks_stream(step.size):  # before what it measures
            size = out.new("n")
            out.put(f"{size} = {out.source(step.size)}")
    own = [inner for inner in step.steps if not isinstance(inner, Check | CheckEnd | Align)]
    outer = out.fills_stream, out.is_in_window, out.stream
    out.fills_stream, out.is_in_window = len(own) == 1 and isinstance(own[0], ReadType), True
    needs_stream = needs_stream or any(map(type_needs_stream, types_of(step.steps)))
    out.stream = out.new("s") if needs_stream else ""
    if out.stream:
        out.put(f"{out.stream} = inner_(o, {outer[2] or 's'})")
    end = out.new("e") if callee or takes_the_rest(step.steps) else ""  # of other cases where one is called
    if end:
        out.put(f"{end}, o.end = o.end, None")
    if callee:
        (inner,) = step.steps
        assert isinstance(inner, ReadType)
        write_structure(out, inner, callee, needs_stream)
    else:
        emit_steps(out, step.steps)
    out.flush()
    if out.stream:
        out.put(f"finish_({out.stream})")
    if end:
        out.put(f"o.is_at_end(); o.end = {end}")
    out.fills_stream, out.is_in_window, out.stream = outer
    if size:
        out.unless(f"len_(o) - {start} == {size}")
    elif step.size is not None:
        measure(out, step.size, f"len_(o) - {start}")
    else:
        out.put("o.ends()")
