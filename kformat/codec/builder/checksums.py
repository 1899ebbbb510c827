"""Checksums: computed when all that they cover is written."""

from __future__ import annotations

from typing import Any, NamedTuple

from kformat.codec.builder.numbers import number_packer
from kformat.codec.builder.state import Build
from kformat.codec.drafts import Draft, Path, StreamOutput, shown
from kformat.codec.values import MISSING
from kformat.errors import BuildError
from kformat.language.checksums import StoredChecksum, stored_checksum, zeros_of
from kformat.language.expression import EvaluationError, Expression
from kformat.language.program import Checksum, ReadBit, ReadBytes, ReadInteger, Step


class Pending(NamedTuple):
    """A checksum that is to be computed: where the bytes that it covers begin and end (None: at the end of all), and
    when there is one.
    """

    step: Checksum
    start: int
    end: int | None = None
    condition: Expression | None = None


def begin_checksum(step: Checksum, out: StreamOutput, sums: dict[str, Pending]) -> None:
    """Note where the covered bytes begin or end."""
    position = len(out.data)
    if step.part == "to":
        sums[step.path] = sums[step.path]._replace(end=position)
    elif step.part == "check":
        sums[step.path] = sums[step.path]._replace(condition=step.condition)
    else:
        start = position - (step.in_bits and out.left > 0)
        sums[step.path] = Pending(step, start, condition=step.condition)


def give_inner(steps: tuple[Step, ...], draft: Draft) -> None:
    """Zeros for checksums in inner structures that are not given, and are bytes or digits: they are computed once all
    is written; a missing integer is written as 0 anyway.
    """
    for step in steps:
        if isinstance(step, Checksum) and step.inside and step.part in ("", "check", "over"):
            known, owner = stored_checksum(draft._program, step), _owner_of(draft, step)
            if isinstance(known.field, ReadBytes) and isinstance(owner, Draft):
                owner.__dict__.setdefault(step.inside[-1], zeros_of(known.field))


def _owner_of(draft: Draft, step: Checksum) -> Any:
    """The draft of the structure that has the field of a checksum; None if it is absent."""
    owner: Any = draft
    for name in (step.name, *step.inside)[:-1]:
        owner = owner.__dict__.get(name) if isinstance(owner, Draft) else None
    return owner


def field_position(step: object, out: StreamOutput) -> int:
    """Where the next field begins: bytes, or bits if it is a field of bits."""
    return 8 * len(out.data) - out.left if isinstance(step, ReadBit) else len(out.data)


def fill_checksums(
    build: Build,
    sums: dict[str, Pending],
    positions: dict[str, int],
    draft: Draft,
    out: StreamOutput,
    path: Path,
) -> None:
    """Compute the checksums of a structure, and write each over its field, which is at its position; those first that
    others cover.
    """
    waiting: dict[str, tuple[StoredChecksum, int, int]] = {}
    places: dict[str, int] = {}
    for name, pending in sums.items():
        known = stored_checksum(draft._program, pending.step)
        if pending.step.name not in positions:
            continue  # it is absent
        condition = pending.condition
        if condition is not None and not build.evaluate(condition, draft, (path, pending.step.name)):
            continue
        waiting[name] = known, *_bounds(build, pending, draft, out, path)
        places[name] = positions[pending.step.name] + known.offset
    while waiting:
        ready = [
            name
            for name, (_, start, end) in waiting.items()
            if not any(
                other != name and _touches(known, places[other], start, end) for other, (known, _, _) in waiting.items()
            )
        ]
        if not ready:
            first, second, *_ = waiting
            raise BuildError(f"this checksum and {second!r} cover each other", path=shown((path, first)))
        for name in ready:
            _fill(build, *waiting.pop(name), places[name], draft, out, path)


def _bounds(build: Build, pending: Pending, draft: Draft, out: StreamOutput, path: Path) -> tuple[int, int]:
    step, start, end, _ = pending
    if step.part == "over":
        return 0, 0
    if step.length is not None:
        return start, start + build.evaluate(step.length, draft, (path, step.name))
    return start, len(out.data) if end is None else end


def _touches(known: StoredChecksum, position: int, start: int, end: int) -> bool:
    """Whether a field is among the bytes from ``start`` to ``end``."""
    first, size = position, known.size
    if isinstance(known.field, ReadBit):
        first, size = position // 8, (position % 8 + known.field.width + 7) // 8
    return first < end and start < first + size


def _fill(
    build: Build,
    known: StoredChecksum,
    start: int,
    end: int,
    position: int,
    draft: Draft,
    out: StreamOutput,
    path: Path,
) -> None:
    step, field, here = known.step, known.field, (path, known.step.path)
    try:
        if step.over is None:
            computed = known.of_bytes(out.data, start, end, position)
        else:
            value = build.evaluate(step.over, draft, here)
            if value is None:
                return
            computed = known.of_value(value)
    except EvaluationError as error:  # of a user's function
        raise BuildError(str(error), path=shown(here)) from None
    owner = _owner_of(draft, step)
    if owner is None:
        return
    name = step.inside[-1] if step.inside else step.name
    given = owner.__dict__.get(name, MISSING)
    if step.base and isinstance(given, str | bytes) and known.is_right(given, computed):
        return  # the same number, written in another way
    if step.inside:  # in the next pass the structure is written with it, and what covers that computed again
        build.again |= given is MISSING or given != computed
        owner.__dict__[name] = computed
        return
    if isinstance(field, ReadBit):
        known.set_bits(out.data, position, int(computed))
    else:
        if isinstance(field, ReadInteger):
            written = number_packer(field, draft).pack(computed)
        else:
            written = known.packed(computed, False)
        if len(written) != known.size:
            raise BuildError("does not fit", path=shown(here), expected=f"{known.size} bytes", found=computed)
        out.data[position : position + known.size] = written
    owner.__dict__[name] = computed
