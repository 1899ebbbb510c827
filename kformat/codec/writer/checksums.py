"""Checksums: the bytes that they cover, and the test."""

from __future__ import annotations

from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.runtime import Unfit
from kformat.language.program import Checksum
from kformat.storage.checksum import ALGORITHMS


def begin(out: WriterFunction, step: Checksum, sums: list[tuple[Checksum, str, str]]) -> None:
    """``c1 = len_(o)``: where the covered bytes begin or end, noted in ``sums``."""
    if step.condition is not None:
        raise Unfit
    out.flush()
    if step.part == "check":
        return
    place = out.new("c")
    out.put(f"{place} = len_(o)")
    if step.part == "to":  # one checksum alone has parts
        sums[-1] = step, sums[-1][1], place
    else:
        sums.append((step, place, ""))


def verify(out: WriterFunction, step: Checksum, start: str, end: str) -> None:
    """``if not (k1(bytes_(o[c1:])) == v.crc): raise unfit_``."""
    out.flush()
    if step.length is not None:
        end = f"{start} + {out.source(step.length)}"
    compute = out.const(ALGORITHMS[step.algorithm])
    out.unless(f"{compute}(bytes_(o[{start}:{end}])) == {out.value(step.name)}")
