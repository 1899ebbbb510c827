"""Checksums of rows that a kernel has decoded: many verified at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.kernels import Decoded, Part, crcs, sums
from kformat.kernels import checksums as crc32cs
from kformat.language.checksums import StoredChecksum, bits_of, stored_checksum
from kformat.language.program import (
    Align,
    Check,
    CheckEnd,
    Checksum,
    ReadInteger,
    ReadType,
    Step,
    TypeProgram,
    Window,
    types_of,
)
from kformat.language.steps import all_steps
from kformat.storage.algorithms import Algorithm, algorithm_of

Array = npt.NDArray[Any]

_MOST_BITS: Final = 64
_FEW_BYTES: Final = 2048
"""Of so many bytes a row on average, a library's call takes longer than the kernel's loop over bytes."""


class NotCompiled(Exception):
    """The reason why no kernel decodes the rows."""


class RowSum(NamedTuple):
    """A checksum that every row has.

    Attributes:
        name: the column with the stored ones.
        known: what is stored. algorithm: what computes it.
        before: where the field begins in the bytes that it covers, if it is among them; else None.
    """

    name: str
    known: StoredChecksum
    algorithm: Algorithm
    before: int | None

    def verified(self, decoded: Decoded, data: Any, end: int) -> int:
        """The number of rows, from the first on, with a right checksum."""
        columns, name = decoded.columns, self.name
        starts, sizes = columns[name, Part.COVERED_POSITION], columns[name, Part.COVERED_LENGTH]
        stored = decoded[name].astype(np.int64).view(np.uint64) & np.uint64((1 << 8 * self.known.size) - 1)
        inside = sizes <= end - starts
        indices = np.flatnonzero(inside & (sizes >= 0))
        view = np.frombuffer(data, np.uint8)
        first, last = starts[indices], starts[indices] + sizes[indices]
        if self.before is not None:
            view = view.copy()
            for at in range(self.known.size):
                view[first + (self.before + at)] = self.known.step.blank or 0
        inside[indices] &= self._computed(view, first, last) == stored[indices]
        return len(inside) if inside.all() else int(np.argmin(inside))

    def _computed(self, view: Array, first: Array, last: Array) -> Array:
        crc, total = self.algorithm.crc, self.algorithm.sum
        if self.algorithm.name == "crc32c":
            return crc32cs(view, first, last)
        if (last - first).sum() <= _FEW_BYTES * len(first):
            if crc is not None and crc.width <= _MOST_BITS:
                return crcs(crc, view, first, last)
            if total is not None:
                return sums(total, view, first, last)
        places = zip(first.tolist(), last.tolist(), strict=True)
        return np.array([self.algorithm.compute(view[place:stop]) for place, stop in places], np.uint64)


def row_sums(program: TypeProgram, steps: Sequence[Step], prefix: str) -> Iterator[RowSum]:
    """The checksums of rows of a type; NotCompiled for checksums that not every row has once, and for those that
    kernels do not compute.
    """
    for step in steps:
        match step:
            case Checksum() if step.to_limit:
                raise NotCompiled("a checksum up to the end of a part")
            case Checksum() if step.part in ("", "check"):
                yield _row_sum(program, step, prefix)
            case ReadType():
                yield from row_sums(step.type, step.type.steps, f"{prefix}{step.name}.")
            case Window() if not any(inner.name == step.name for inner in step.steps):
                yield from row_sums(program, step.steps, prefix)
            case _ if any(_has_checksum(inner) for inner in types_of([step])):
                raise NotCompiled(f"{prefix}{step.name}: a checksum in a list, or one of several types")


def _row_sum(program: TypeProgram, step: Checksum, prefix: str) -> RowSum:
    known, algorithm = stored_checksum(program, step), algorithm_of(step.algorithm)
    name = f"{prefix}{step.path}"
    if not isinstance(known.field, ReadInteger) or algorithm.is_users:
        raise NotCompiled(f"{name}: a checksum in bytes, bits or digits, or by a user's function")
    if known.may_be_absent or step.condition is not None:
        raise NotCompiled(f"{name}: a checksum under a condition")
    if step.in_bits and (prefix or program.ends_in_bits):
        raise NotCompiled(f"{name}: a checksum of bytes that may begin in bits")
    before = None
    if step.blank is not None:
        before = _bytes_before(program, step)
        if before is None:
            raise NotCompiled(f"{name}: a checksum after fields of variable size that it covers, too")
    return RowSum(name, known, algorithm, before)


def _bytes_before(program: TypeProgram, step: Checksum) -> int | None:
    """The bytes from the first that a checksum covers to its field; None if they depend on the data."""
    steps = program.steps
    marks = [index for index, mark in enumerate(steps) if isinstance(mark, Checksum) and mark.path == step.path]
    field = next(
        index
        for index, inner in enumerate(steps)
        if inner.name == step.name and not isinstance(inner, Align | Check | CheckEnd | Checksum)
    )
    bits = bits_of(steps[marks[0] : field])
    return None if bits is None else -(-bits // 8) + stored_checksum(program, step).offset


def _has_checksum(program: TypeProgram) -> bool:
    return any(isinstance(step, Checksum) for step in all_steps(program.steps)) or any(
        _has_checksum(inner) for inner in set(types_of(program.steps)) if inner is not program
    )
