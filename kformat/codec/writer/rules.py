"""Rules of fields."""

from __future__ import annotations

from kformat.codec.writer.function import WriterFunction
from kformat.language.program import Check


def emit_check(out: WriterFunction, check: Check) -> None:
    """``if not (v.length > 0): raise unfit_``."""
    value = out.value(check.name)
    words, out.words = out.words, {**out.words, "_": value}
    rule = f"{value} in {out.const(check.allowed)}" if check.rule is None else out.source(check.rule)
    condition = None if check.condition is None else out.source(check.condition)
    out.words = words
    out.unless(rule if condition is None else f"not {condition} or ({rule})")
