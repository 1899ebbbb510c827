"""The steps of a structure one after the other: their conditions and rules."""

from __future__ import annotations

from collections.abc import Sequence

from kformat.codec.unfit import Unfit
from kformat.codec.writer.bits import bit_group
from kformat.codec.writer.checksums import Bounds, begin, note_field, verify
from kformat.codec.writer.function import WriterFunction
from kformat.codec.writer.rules import emit_check
from kformat.language.node import replaced
from kformat.language.program import Align, Check, CheckEnd, Checksum, ReadBit, Step, Window


def emit_steps(out: WriterFunction, steps: Sequence[Step]) -> None:
    """The lines of the steps of a structure. Of an optional one::

        if v.version > 2:
            o += k1(v.length)
        else:
            if not (v.length is None): raise unfit_

    A condition is evaluated once for a field and its rules.
    """
    sums: dict[str, Bounds] = {}
    index = 0
    while index < len(steps):
        step = steps[index]
        note_field(out, step, sums)
        if isinstance(step, Checksum):
            begin(out, step, sums)
        elif isinstance(step, Check):
            emit_check(out, step)
        elif isinstance(step, ReadBit):
            index = bit_group(out, steps, index)
            continue
        elif step.condition is not None:
            test = out.source(step.condition)
            checks = list[Check]()
            while index + 1 < len(steps) and isinstance(check := steps[index + 1], Check):
                if check.condition != step.condition:
                    break
                checks.append(replaced(check, condition=None))
                index += 1
            with out.block(f"if {test}:"):
                out.emit(step)
                for check in checks:
                    emit_check(out, check)
            with out.block("else:"):
                absent(out, step)
        else:
            out.emit(step)
        index += 1
    for bounds in sums.values():
        verify(out, bounds)


def absent(out: WriterFunction, step: Step) -> None:
    """``if not (v.length is None): raise unfit_``."""
    if isinstance(step, CheckEnd | Align):
        return
    if isinstance(step, Window) and not any(inner.name == step.name for inner in step.steps):
        raise Unfit  # its fields are the structure's own
    out.unless(f"{out.value(step.name)} is None")
