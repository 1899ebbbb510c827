"""Instances: their content is placed at its position when all else is written; values are computed again."""

from __future__ import annotations

from kformat.codec.drafts import asks_position, asks_stream
from kformat.codec.unfit import Unfit
from kformat.codec.writer.function import MOST_NODES, GeneratedWriter, WriterFunction
from kformat.codec.writer.sequence import emit_steps
from kformat.language.program import Instance
from kformat.language.steps import takes_the_rest


def wait(out: WriterFunction, instance: Instance) -> None:
    """``s.owner.waiting.append((k1, v, root, little))``: place an instance when all else of its stream is written."""
    stream = "s.owner"
    if instance.stream is not None and instance.stream.value != ("_io",):
        if instance.stream.value != ("_root", "_io"):
            raise Unfit
        out.unless("root is s.top.value")
        stream = "s.top"
    program, name, make = out.program, instance.field.name, out.others.placer
    place = out.const(lambda: make(program, name))
    out.put(f"{stream}.waiting.append(({place}, v, root, little))")


def computer(out: WriterFunction, name: str) -> GeneratedWriter:
    """The function of a value instance: ``def compute(v): return (v.length + 4)``."""
    if name not in out.computed:
        raise Unfit
    out.is_in_window = True
    words: dict[str, str] = {".": "of_", "_io": "None"}
    out.write_out_instance(name, words, [MOST_NODES], 0)
    out.text.append("def compute(v):")
    out.put(f"return {words[f'.{name}']}")
    return out.finished()


def placer(out: WriterFunction, instance: Instance) -> GeneratedWriter:
    """The function that puts an instance's content at its position.

    ::

        def place(v, out, s, root, little):
            at = v.index_offset
            if not (at >= 0): raise unfit_
            s = part_(s, at); o = s.out
            ...
            out.place(at, bytes_(o), path_)
    """
    out.text.append("def place(v, out, s, root, little):")
    if out.program.keeps_context:
        out.words = {"._root": "root", "._parent": "v._parent"}
        out.put("k = noted_(v, kept_)")
    if instance.condition is not None and not asks_stream(instance.condition):
        out.unless(out.source(instance.condition))
    if instance.position is None or asks_position(instance.position):
        raise Unfit
    out.put(f"at = {out.source(instance.position)}")
    out.unless("at >= 0")
    out.put("s = part_(s, at); o = s.out")
    emit_steps(out, instance.steps)
    out.flush()
    if takes_the_rest(instance.steps):
        out.put("s.owner.ends.append(None if o.end is None else at + o.end)")
    out.put("out.place(at, bytes_(o), path_)")
    return out.finished()
