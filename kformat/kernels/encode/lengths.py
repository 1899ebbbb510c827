"""Which fields are the lengths of others, and which sizes are always the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kformat.kernels.source import KernelError
from kformat.language import expression
from kformat.language.expression import Expression
from kformat.language.program import (
    Check,
    CheckEnd,
    Checksum,
    Field,
    ReadBits,
    ReadBytes,
    ReadFloat,
    ReadInteger,
    ReadList,
    ReadLiteral,
    ReadType,
    ReadVarint,
    Step,
    TypeProgram,
    Window,
)


def is_bytes(step: Step) -> bool:
    """Whether a step is bytes to a kernel."""
    return isinstance(step, ReadBytes) or (isinstance(step, Window) and step.codec is not None)


def length_of(step: Step) -> Expression | None:
    """The size of bytes, or the count of elements."""
    match step:
        case ReadBytes() | Window():
            return step.size
        case ReadList():
            return step.count
    return None


def measured_by(step: Step) -> tuple[str, int] | None:
    """The field that holds the length of a step, and what is added to the length there."""
    size = length_of(step)
    inverse = None if size is None else expression.inverse(size)
    return (inverse[0][0], inverse[1]) if inverse is not None and len(inverse[0]) == 1 else None


def computed_in(steps: Sequence[Step], path: str) -> list[str]:
    """The fields of a structure that are computed: lengths and counts of others in it."""
    numbers = {step.name for step in _flat(steps) if isinstance(step, ReadInteger | ReadVarint)}
    measured: dict[str, Step] = {}
    for step in _flat(steps):
        inverse = measured_by(step)
        if inverse is not None and inverse[0] in numbers:
            other = measured.setdefault(inverse[0], step)
            if other is not step and (other.condition is None or step.condition is None):
                raise KernelError(f"{path}.{inverse[0]}: the length of both {other.name} and {step.name}")
    return list(measured)


def measured_in(steps: Iterable[Step]) -> set[str]:
    """The fields that hold the lengths of windows."""
    inverses = (measured_by(step) for step in _flat(steps) if isinstance(step, Window) and step.codec is None)
    return {inverse[0] for inverse in inverses if inverse is not None}


def _flat(steps: Iterable[Step]) -> Iterable[Step]:
    """The steps of a structure, including those in its windows."""
    for step in steps:
        yield step
        if isinstance(step, Window) and step.codec is None:
            yield from _flat(step.steps)


def fixed_size(step: Step) -> int | None:
    """The number of bytes of an unconditional step of fixed size."""
    match step:
        case ReadInteger():
            return step.kind.bits // 8
        case ReadFloat():
            return step.bits // 8
        case ReadBits():
            return step.size
        case ReadLiteral():
            return len(step.contents)
        case ReadType():
            reads = [inner for inner in step.type.steps if not isinstance(inner, Check | CheckEnd | Checksum)]
            sizes = [fixed_size(inner) if inner.condition is None else None for inner in reads]
            return None if None in sizes else sum(size for size in sizes if size is not None)
    return None


def fields_of(program: TypeProgram) -> dict[str, Field]:
    """The declared fields of a type, by name."""
    return {item.name: item for item in program.fields}
