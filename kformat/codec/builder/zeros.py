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
    value: Any = MISSING
    match step:
        case ReadBytes() if step.size is not None and step.trim is None and step.process is None:
            size = amount(build, step.size, draft, path)
            if asks or build.answers.count > count:
                value = bytes(size) if step.encoding is None else bytes(size).decode(step.encoding, "replace")
        case ReadList() if step.count is not None:
            values[step.name] = []
            size = amount(build, step.count, draft, path, is_count=True)
            zero = _zero(step.element)
            if zero is not None and (asks or build.answers.count > count):
                value = [zero] * size
        case ReadLiteral():
            value = step.contents
        case _ if asks:
            zero = _zero(step)
            value = MISSING if zero is None else zero
    if value is not MISSING:
        values[step.name] = value


def is_filling(step: ReadBytes, value: Any) -> bool:
    """Whether a value is nothing but padding that ``-fill`` gives."""
    return step.fill is not None and isinstance(value, bytes) and value == bytes([step.fill]) * len(value)


def fill(build: Build, step: ReadBytes, draft: Draft, path: Path) -> None:
    """The padding of a field that has ``-fill``, unless it has other bytes."""
    given = draft.__dict__.get(step.name)
    if step.size is not None and step.fill is not None and (given is None or is_filling(step, given)):
        draft.__dict__[step.name] = bytes([step.fill]) * amount(build, step.size, draft, path)


def amount(build: Build, node: Expression, draft: Draft, path: Path, is_count: bool = False) -> int:
    """How many bytes or elements are filled with zeros; none if that is not known."""
    try:
        size: int | None = evaluator(node)(draft)
    except NotYet:
        build.again = True
        return 0
    except (AttributeError, EvaluationError):
        return 0
    if size is None or (size < 0 and is_count):
        return 0
    if size < 0:
        raise BuildError("a negative size", path=shown(path), expected=">= 0", found=size)
    if size > MAX_GAP:
        raise BuildError("too much padding", path=shown(path), expected=f"at most {MAX_GAP}", found=size)
    return size


def _zero(step: Step) -> Any:
    """The value of a field of zero bytes; None if that is not known."""
    match step:
        case ReadInteger() | ReadBit() | ReadFloat():
            return 0
        case ReadBytes() if step.size is not None and step.size.is_constant and step.trim is None:
            if step.process is None and step.encoding is None:
                return bytes(step.size.value)
    return None
