"""Checksums: computed when all that they cover is written."""

from __future__ import annotations

from kformat.codec.builder.numbers import number_packer
from kformat.codec.builder.state import Build
from kformat.codec.drafts import Draft, Path, StreamOutput
from kformat.language.program import Checksum, ReadInteger
from kformat.storage.checksum import ALGORITHMS


def begin_checksum(step: Checksum, position: int, sums: list[tuple[Checksum, int, int | None]]) -> None:
    """Note where the covered bytes begin or end."""
    if step.part == "to":  # one checksum alone has parts
        sums[-1] = step, sums[-1][1], position
    elif step.part != "check":
        sums.append((step, position, None))


def fill_checksum(
    build: Build,
    step: Checksum,
    start: int,
    end: int | None,
    stored: ReadInteger,
    position: int,
    draft: Draft,
    out: StreamOutput,
    path: Path,
) -> None:
    """Compute a checksum of the bytes from ``start`` on, and write it over its field, which is at ``position``."""
    if step.length is not None:
        end = start + build.evaluate(step.length, draft, (path, step.name))
    computed = ALGORITHMS[step.algorithm](bytes(out.data[start:end]))
    field = number_packer(stored, draft).pack(computed)
    out.data[position : position + len(field)] = field
    draft.__dict__[step.name] = computed
