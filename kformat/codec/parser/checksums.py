"""Checksums: the bytes that they cover, and the test."""

from __future__ import annotations

from kformat.codec import runtime
from kformat.codec.expressions import attribute
from kformat.codec.parser.function import ParserFunction
from kformat.language.checksums import stored_checksum
from kformat.language.program import Align, Check, CheckEnd, Checksum, ReadBit, Step


def read_checksum(out: ParserFunction, step: Checksum) -> None:
    """Where the bytes of a checksum begin, ``c2 = p``, or end, ``c2_ = p``; tested here if their end is known.

    ::

        if not r.end_is_cut:
            ...
        else:
            c2 = p
    """
    field, start = out.sums[step.path]
    if step.part == "over":
        verify_value(out, step, field)
    elif step.part == "check":
        verify(out, step, field, start, f"{start}_")
    elif step.part == "from":
        out.put(f"{start} = p" + " - (r.bits_left > 0)" * step.in_bits)
    elif step.part:
        out.put(f"{start}_ = p")
    elif step.length is not None:
        end = out.new("q")
        out.put(f"{end} = p + {out.value_of(step.length)}")
        with out.block(f"if p <= {end} <= lim:"):
            verify(out, step, field, "p", end)
    elif step.to_limit:
        with out.block("if not r.end_is_cut:"):
            verify(out, step, field, "p", "lim")
        with out.block("else:"):
            out.put(f"{start} = p")
    else:
        out.put(f"{start} = p")


def position_of_field(out: ParserFunction, step: Step, position: str = "p") -> None:
    """``c1 = p``: where the field of a checksum begins; of bits, which come next, in bits."""
    if step.name not in out.sums:
        return
    place = out.sums[step.name][0]
    if isinstance(step, ReadBit):
        out.put(f"{place} = 8 * p" + " - r.bits_left" * (out.waiting is None))
    else:
        out.put(f"{place} = {position}")


def position_of_structure(out: ParserFunction, step: Step) -> None:
    """``c1 = p + 8``: where the field of a checksum begins that is in the structure that comes next."""
    if isinstance(step, Align | Check | CheckEnd | Checksum):
        return
    for checksum in out.program.steps:
        if isinstance(checksum, Checksum) and checksum.inside and checksum.name == step.name:
            if checksum.part in ("", "check", "over") and checksum.path in out.sums:
                out.put(f"{out.sums[checksum.path][0]} = p + {stored_checksum(out.program, checksum).offset}")


def verify(out: ParserFunction, step: Checksum, field: str, start: str, end: str) -> None:
    """``if r.checksums: k1(r, v, v.crc, c1, c2, p)``; if the field may be absent, only where it is there."""
    with out.block(f"if r.checksums{_is_there(out, step, field)}:"):
        run = out.const(runtime.checksum(out.program, step))
        out.put(f"{run}(r, v, {_stored(out, step)}, {field}, {start}, {end})")


def verify_value(out: ParserFunction, step: Checksum, field: str) -> None:
    """``if r.checksums and (x := v.body) is not None: k1(r, v, v.crc, c1, x)``."""
    assert step.over is not None
    with out.block(f"if r.checksums{_is_there(out, step, field)}:"):
        out.put(f"x = {out.value_of(step.over)}")
        with out.block("if x is not None:"):
            run = out.const(runtime.checksum_of_value(out.program, step))
            out.put(f"{run}(r, v, {_stored(out, step)}, {field}, x)")


def _stored(out: ParserFunction, step: Checksum) -> str:
    """``v.header.crc``."""
    text = "v"
    for name in (step.name, *step.inside):
        text = attribute(text, name, out.space)
    return text


def _is_there(out: ParserFunction, step: Checksum, field: str) -> str:
    if not stored_checksum(out.program, step).may_be_absent:
        return ""
    holder = attribute("v", step.name, out.space)
    return f" and {holder} is not None" if step.inside else f" and {field} is not None"
