"""Bytes: of a size, up to a terminator, to the end, padded, processed, decoded; and those that are always the same."""

from __future__ import annotations

from kformat.codec.parser.checksums import position_of_field
from kformat.codec.parser.function import ParserFunction
from kformat.codec.parser.process import apply_process
from kformat.codec.parser.text import decode_text, keep_text
from kformat.language.program import ReadBytes, ReadLiteral, Trim, Window


def take(out: ParserFunction, step: ReadBytes | Window) -> None:
    """The bytes of a field into ``x``, trimmed and processed::

        w = p
        x = d[p:q1]; p = q1
        if m:
            x = bytes_(x)
        y = x

    ``w`` is where they begin, ``y`` all that were taken, or None where a builder would make the same.
    """
    trim, process = step.trim, step.process
    if trim is not None or process is not None:
        out.put("w = p")
    if trim is not None and trim.delimited:
        out.whole_byte()
        take_until(out, trim, can_skip=process is None)
    else:
        if step.size is None:
            out.whole_byte()
            out.put("x = d[p:lim]; p = lim if lim > p else p")
        else:
            size = out.size(step.size)
            end = out.need(size, step.size.is_constant)
            out.put(f"x = d[p:{end}]; p = {end}")
        with out.block("if m:"):
            out.put("x = bytes_(x)")
        if trim is not None or process is not None:
            out.put("y = x")
        if trim is not None:
            trimmed(out, trim)
    if process is not None:
        apply_process(out, process)


def take_until(out: ParserFunction, trim: Trim, can_skip: bool) -> None:
    """Bytes up to a terminator.

    ::

        e = d.find(k1, p, lim)
        if e < 0:
            r.position = p; x, y = r.read_until(k2); p = r.position
        else:
            x = d[p:e]; p = e + 1; y = None
    """
    slow = f"r.position = p; x, y = r.read_until({out.const(trim)}); p = r.position"
    if not can_skip or trim.terminator is None or len(trim.terminator) > 1 or (trim.include and not trim.consume):
        out.put(slow)
        return
    with out.block("if m:"):
        out.put("e = -1")
    with out.block("else:"):
        out.put(f"e = d.find({out.const(trim.terminator)}, p, lim)")
    with out.block("if e < 0:"):
        out.put(slow)
    with out.block("else:"):
        out.put(f"x = d[p:e{' + 1' * trim.include}]; p = e{' + 1' * trim.consume}; y = None")


def trimmed(out: ParserFunction, trim: Trim) -> None:
    """``x`` without its padding, ``x = x.rstrip(k1)``, and up to its terminator, ``x = x[:e]``."""
    if trim.terminator is not None and len(trim.terminator) > 1:
        out.put(f"x = trimmed_(x, {out.const(trim)})")
        return
    if trim.pad is not None and trim.pad != trim.terminator:
        out.put(f"x = x.rstrip({out.const(trim.pad)})")
    if trim.terminator is not None:
        out.put(f"e = x.find({out.const(trim.terminator)})")
        with out.block("if e >= 0:"):
            out.put(f"x = x[:e{' + 1' * trim.include}]")


def keep_bytes(out: ParserFunction, step: ReadBytes | Window, value: str) -> None:
    """Remember the bytes of a field that a builder would not make again.

    ::

        if x.ljust(len_(y), k1) != y:
            keep_(v, k2, x, y)
    """
    name = out.kept_name(step)
    if name is None:
        return
    if step.process is not None:
        out.put(f"keep_(v, {name}, {value}, y)")
    elif step.trim is not None:
        trim = step.trim
        filler = trim.pad or b"\0"
        again = f"rebuilt_(x, len_(y), {out.const(trim)})"
        if not trim.delimited and (trim.terminator is None or (trim.terminator == filler and not trim.include)):
            again = f"x.ljust(len_(y), {out.const(filler)})"
        with out.block(f"if {'y is not None and ' * trim.delimited}{again} != y:"):
            out.put(f"keep_(v, {name}, {value}, y)")


def read_bytes(out: ParserFunction, step: ReadBytes) -> None:
    """Bytes, or text: what `take` takes, then ``v.name = x``."""
    position_of_field(out, step)
    take(out, step)
    value = "x"
    if step.encoding is not None:
        is_cut = step.trim is not None or step.process is not None
        text = decode_text(out, step, "x", "w" if is_cut else "p - len_(x)")
        value = out.new("t")
        out.put(f"{value} = {text}")
    out.store(step.name, value)
    keep_bytes(out, step, value)
    keep_text(out, step, value, "x")


def read_literal(out: ParserFunction, step: ReadLiteral) -> None:
    """Bytes that are always the same.

    ::

        x = bytes_(d[p:q1])
        if x != k1:
            contents_(r, v, k2, p, k1, x)
        p = q1
        v.magic = x
    """
    size = str(len(step.contents))
    end = out.need(size)
    out.put(f"x = bytes_(d[p:{end}])")
    wanted = out.const(step.contents)
    with out.block(f"if x != {wanted}:"):
        out.put(f"contents_(r, v, {out.path_of(step)}, p, {wanted}, x)")
    out.put(f"p = {end}")
    out.store(step.name, "x")
