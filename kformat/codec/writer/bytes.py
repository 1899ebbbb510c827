"""Bytes: of a size, up to a terminator, to the end, padded; and those that are always the same."""

from __future__ import annotations

from kformat.codec.drafts import asks_stream
from kformat.codec.expressions import attribute
from kformat.codec.unfit import Unfit
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.text import stored
from kformat.language.expression import Expression, inverse
from kformat.language.program import ReadBytes, ReadLiteral, Window


def write_bytes(out: WriterFunction, step: ReadBytes) -> None:
    """Bytes, or text: encoded, and of the size that the declaration asks for."""
    if step.process is not None:
        raise Unfit
    data = stored(out, step)
    sized(out, step, data)


def measure(out: WriterFunction, size: Expression, length: str, test: str = "") -> None:
    """``if not (len_(x1) == v.length): o.settle(v, k1, len_(x1))``; where the size is no field ``raise unfit_``."""
    known = inverse(size)
    test = test or f"{length} == {out.source(size)}"
    if known is None or len(known[0]) > 1 or out.value(known[0][0]) != attribute("v", known[0][0], out.space):
        out.unless(test)
    else:
        out.put(f"if not ({test}): o.settle(v, {out.const(known[0][0])}, {length} + {known[1]})")


def sized(out: WriterFunction, step: ReadBytes | Window, data: str) -> None:
    """Content as it is stored, padded or with its terminator.

    ::

        if not (len_(x1) == v.length): raise unfit_
        o += x1
    """
    trim, size = step.trim, step.size
    if trim is None:
        if size is not None and size.is_constant and 0 < size.value <= 1 << 16:
            out.unless(f"len_({data}) == {int(size.value)}")
            out.number(f"={int(size.value)}s", data)
            return
        if size is not None:
            measure(out, size, f"len_({data})")
        out.flush()
        out.put(f"o += {data}")
        if size is None and isinstance(step, ReadBytes):
            out.put("o.ends()")
        return
    if not trim.delimited:
        if size is None or asks_stream(size):
            raise Unfit
        kept = kept_of(out, step)
        out.flush()
        out.put(f"o += padded_({data}, {out.source(size)}, {out.const(trim)}, {kept})")
        return
    if not trim.must_end or trim.terminator is None:  # whether it is there depends on where the stream ends
        raise Unfit
    out.flush()
    end = out.const(trim.terminator)
    if len(trim.terminator) == 1 and not trim.include:
        out.unless(f"{data}.find({end}) < 0")
        out.put(f"o += {data}{f' + {end}' * trim.consume}")
    else:
        out.put(f"o += delimited_({data}, {out.const(trim)})")


def kept_of(out: WriterFunction, step: ReadBytes | Window) -> str:
    """The bytes that a reader kept of a field, as source."""
    if not out.program.keeps_context:
        return "None"
    key = out.const(step.name)
    if out.element is not None:
        if out.element[0] != step.name or out.index is None:
            return "None"
        key = f"({key}, {out.index})"
    return f"(None if k is None else k.get({key}))"


def write_literal(out: WriterFunction, step: ReadLiteral) -> None:
    """Bytes that are always the same: ``if not (v.magic == k1): raise unfit_``, and ``o += k2(k1)``."""
    out.unless(f"{out.value(step.name)} == {out.const(step.contents)}")
    out.number(f"={len(step.contents)}s", out.const(step.contents))
