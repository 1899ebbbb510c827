"""Zeros for fields that are not given, where expressions that ask a stream fix that they are there."""

from __future__ import annotations

from typing import Any

from kformat.codec.builder.state import Build
from kformat.codec.drafts import MAX_GAP, Draft, NotYet, Path, evaluator, shown
from kformat.codec.values import MISSING
from kformat.errors import BuildError
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import ReadBit, ReadBytes, ReadFloat, ReadInteger, ReadList, ReadLiteral, Step


def fill_with_zeros(build: Build, step: Step, draft: Draft, path: Path, asks: bool) -> None:
    """Zeros for a field that is not given, if expressions that ask a stream fix that it is there (``asks``), or how
    long it is.
    """
    values, count = draft.__dict__, build.answers.count
    found: Any = MISSING
    match step:
        case ReadBytes() if step.size is not None and step.trim is None and step.process is None:
            size = amount(build, step.size, draft, path)
            if asks or build.answers.count > count:
                found = bytes(size) if step.encoding is None else bytes(size).decode(step.encoding, "replace")
        case ReadList() if step.count is not None:
            values[step.name] = []
            size = amount(build, step.count, draft, path, is_count=True)
            zero = _zero(step.element)
            if zero is not None and (asks or build.answers.count > count):
                found = [zero] * size
        case ReadLiteral():
            found = step.contents
        case _ if asks:
            zero = _zero(step)
            found = MISSING if zero is None else zero
    if found is not MISSING:
        values[step.name] = found


def amount(build: Build, node: Expression, draft: Draft, path: Path, is_count: bool = False) -> int:
    """How many bytes or elements are filled with zeros; none if that is not known."""
    try:
        found: int = evaluator(node)(draft)
    except NotYet:
        build.again = True
        return 0
    except (AttributeError, EvaluationError):
        return 0
    if found < 0 and is_count:
        return 0
    if found < 0:
        raise BuildError("a negative size", path=shown(path), expected=">= 0", found=found)
    if found > MAX_GAP:
        raise BuildError("too much padding", path=shown(path), expected=f"at most {MAX_GAP}", found=found)
    return found


def _zero(step: Step) -> Any:
    """The value of a field of zero bytes; None if that is not known."""
    match step:
        case ReadInteger() | ReadBit() | ReadFloat():
            return 0
        case ReadBytes() if step.size is not None and step.size.is_constant and step.trim is None:
            if step.process is None and step.encoding is None:
                return bytes(step.size.value)
    return None
