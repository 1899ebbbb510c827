"""Checksums: the bytes that they cover, and the test."""

from __future__ import annotations

from kformat.codec import runtime
from kformat.codec.expressions import attribute
from kformat.codec.parser.function import ParserFunction
from kformat.language.program import Checksum
from kformat.storage.checksum import ALGORITHMS


def read_checksum(out: ParserFunction, step: Checksum) -> None:
    """Where the bytes of a checksum begin, ``c2 = p``, or end, ``c2_ = p``; tested here if their end is known.

    ::

        if not r.end_is_cut:
            ...
        else:
            c2 = p
    """
    field, start = out.sums[step.name]
    if step.part == "check":
        verify(out, step, field, start, f"{start}_")
    elif step.part:
        out.put(f"{start}{'_' if step.part == 'to' else ''} = p")
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


def verify(out: ParserFunction, step: Checksum, field: str, start: str, end: str) -> None:
    """``if r.checksums: k1(r, v, v.crc, c1, p, lim)``."""
    with out.block("if r.checksums:"):
        run = out.const(runtime.checksum(step.name, step.algorithm, ALGORITHMS[step.algorithm]))
        out.put(f"{run}(r, v, {attribute('v', step.name, out.space)}, {field}, {start}, {end})")
