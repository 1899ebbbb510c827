"""Columns -> bytes: the encode kernels, called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kformat.checksum import byte_view
from kformat.errors import UsageError
from kformat.kernels.compiled import function_of
from kformat.kernels.encoding import encode_source
from kformat.kernels.problem import Problem
from kformat.kernels.source import Column, Part, Source
from kformat.kernels.state import CAPACITY, ERROR_POSITION, FIRST_TABLE, POSITION, ROW
from kformat.program import TypeProgram, load_type

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a kernel made of columns: the bytes of the rows, one behind the other, and where each ends in them.

    Where a row was refused, they are those in front of it.
    """

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    problem: Problem | None


class Encoder:
    """The encode kernel of a type."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def _function(self) -> Any:
        return function_of(self.source)

    def encode(
        self,
        columns: Mapping[tuple[str, Part], Any],
        data: Any = b"",
        *,
        rows: int | None = None,
        room: int | None = None,
    ) -> Encoded:
        """The bytes of rows, up to the first that the declaration does not allow.

        Args:
            columns: those of `Source.columns`, by (name, part), as `Kernel.decode` gives them; more are passed over.
            data: the bytes that positions and lengths are of, where `Part.BYTES` of a field is not given.
            rows: how many; by default as many as the columns have.
            room: for how many bytes to make room at first; by default for about as many as there will be.

        Raises:
            UsageError: a column is missing, of another type, or not as long as the others of its table.
            MissingDependencyError: there is no numba.
        """
        found = [self._column(column, columns, data) for column in self.source.columns]
        sizes = np.full(len(self.source.tables), -1, np.int64)
        for column, array in zip(self.source.columns, found, strict=True):
            if column.part is Part.BYTES:
                continue
            size = len(array) - 1 if column.part is Part.OFFSETS else len(array)
            if sizes[column.table] not in (-1, size):
                raise UsageError(f"{column.name}: {size} {column.part.value}s beside columns of {sizes[column.table]}")
            sizes[column.table] = size
        sizes[sizes < 0] = np.iinfo(np.int64).max if rows is not None else 0  # of what has no columns there is enough
        count = int(sizes[0]) if rows is None else rows
        if not 0 <= count <= sizes[0]:
            raise UsageError(f"{count} rows are asked for, and columns have {sizes[0]}")
        state, ends = np.zeros(FIRST_TABLE, np.int64), np.empty(count, np.int64)
        out = np.empty(64 + self._estimated(found) if room is None else room, np.uint8)
        while (site := int(self._function(out, ends, count, sizes, state, *found))) < 0:
            larger = np.empty(max(int(state[CAPACITY]), 2 * len(out)), np.uint8)
            larger[: state[POSITION]] = out[: state[POSITION]]
            out = larger
        done, end = int(state[ROW]), int(state[POSITION])
        problem = Problem(0, done, end, self.source.sites[site], int(state[ERROR_POSITION])) if site else None
        return Encoded(out[:end], ends[:done], problem)

    def _column(self, column: Column, columns: Mapping[tuple[str, Part], Any], data: Any) -> Array:
        given = columns.get((column.name, column.part))
        if column.part is Part.BYTES:
            array = np.frombuffer(byte_view(data if given is None else given), np.uint8)
        elif given is None:
            raise UsageError(f"no column {column.name}, {column.part.value}")
        else:
            array = np.ascontiguousarray(given)
            if array.ndim != 1 or array.dtype != np.dtype(column.kind):
                raise UsageError(f"{column.name}, {column.part.value}: {column.kind} is expected, found {array.dtype}")
            array = array.view(column.storage)
            if column.part is Part.OFFSETS and not len(array):
                raise UsageError(f"{column.name}: offsets have one entry more than there are rows")
        array = array.view()
        array.flags.writeable = False
        return array

    def _estimated(self, found: list[Array]) -> int:
        """About how many bytes there will be: those of the columns are more, unless rows share bytes."""
        lengths = (
            int(array.clip(0).sum())
            for column, array in zip(self.source.columns, found, strict=True)
            if column.part is Part.LENGTH
        )
        fixed = sum(a.nbytes for c, a in zip(self.source.columns, found, strict=True) if c.part is not Part.BYTES)
        return min(sum(lengths) + fixed, 1 << 30)


@lru_cache(maxsize=256)
def _encoder(program: TypeProgram) -> Encoder:
    return Encoder(encode_source(program))


def encoder(format: Any) -> Encoder:
    """The encode kernel of a type; see `kernel`."""
    return _encoder(load_type(format))
