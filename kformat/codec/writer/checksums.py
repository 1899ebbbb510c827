"""Checksums: of the bytes that were written, next to the value's."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

from kformat.codec.expressions import attribute
from kformat.codec.unfit import Unfit
from kformat.codec.writer.function import WriterFunction
from kformat.language.checksums import StoredChecksum, stored_checksum
from kformat.language.program import Align, Check, Checksum, ReadBit, Step


class Bounds(NamedTuple):
    """A checksum, and the locals with its first byte, the byte after its last ("": after all), and its field."""

    step: Checksum
    start: str = ""
    end: str = ""
    field: str = ""


def begin(out: WriterFunction, step: Checksum, sums: dict[str, Bounds]) -> None:
    """``c1 = len_(o)``: where the covered bytes begin or end, noted in ``sums``."""
    known = stored_checksum(out.program, step)
    if step.in_bits or isinstance(known.field, ReadBit):
        raise Unfit
    bounds = sums.get(step.path, Bounds(step))
    if step.part in ("check", "over"):
        sums[step.path] = bounds._replace(step=step)
        return
    out.flush()
    place = out.new("c")
    out.put(f"{place} = len_(o)")
    sums[step.path] = bounds._replace(end=place) if step.part == "to" else bounds._replace(start=place)


def note_field(out: WriterFunction, step: Step, sums: dict[str, Bounds]) -> None:
    """``c2 = len_(o)``: where the field of a checksum begins that is among the bytes that it covers, or the structure
    that has the field.
    """
    if isinstance(step, Checksum | Check | Align):
        return
    for path, bounds in sums.items():
        if bounds.step.name == step.name and bounds.step.blank is not None:
            out.flush()
            place = out.new("c")
            out.put(f"{place} = len_(o)")
            sums[path] = bounds._replace(field=place)


def verify(out: WriterFunction, bounds: Bounds) -> None:
    """``x1 = k1(bytes_(o[c1:]))``, ``if not (x1 == v.crc): o.settle(v, k2, x1)``; with the field among what it covers
    ``k1(o, c1, c3, c2)``.

    If there is not always a checksum: ``if v.flags.has_crc and v.crc is not None:`` before it.
    """
    out.flush()
    step, start, end, field = bounds
    known = stored_checksum(out.program, step)
    stored = out.value(step.name)
    conditions = [f"{stored} is not None"] * known.may_be_absent
    for name in step.inside:
        stored = attribute(stored, name, out.space)
    if step.condition is not None:
        conditions.append(out.source(step.condition))
    with out.block(f"if {' and '.join(conditions)}:") if conditions else nullcontext():
        if step.over is not None:
            covered = out.new("x")
            out.put(f"{covered} = {out.source(step.over)}")
            computed = f"{out.const(known.of_value)}({covered})"
            out.unless(f"{covered} is None or {_is_right(out, known, stored, computed)}")
            return
        if step.length is not None:
            end = f"{start} + {out.source(step.length)}"
        if step.blank is not None:
            place = f"{field} + {known.offset}" if known.offset else field
            computed = f"{out.const(known.of_bytes)}(o, {start}, {end or 'len_(o)'}, {place})"
        else:
            computed = f"{out.const(known.of_value)}(bytes_(o[{start}:{end}]))"
        if step.inside or step.base:
            out.unless(_is_right(out, known, stored, computed))
            return
        found = out.new("x")
        out.put(f"{found} = {computed}")
        out.put(f"if not ({found} == {stored}): o.settle(v, {out.const(step.name)}, {found})")


def _is_right(out: WriterFunction, known: StoredChecksum, stored: str, computed: str) -> str:
    return f"{out.const(known.is_right)}({stored}, {computed})" if known.step.base else f"{computed} == {stored}"
