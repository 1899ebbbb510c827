"""Run the encode kernels: columns -> bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.integers import MAX_INT64
from kformat.kernels.compiled import function_of
from kformat.kernels.encode import EncodeSource, encode_source
from kformat.kernels.source import KernelColumn, Part, Problem
from kformat.kernels.state import CAPACITY, ERROR_POSITION, FIRST_TABLE, POSITION, ROW
from kformat.language.layout import layout
from kformat.language.program import Checksum, TypeProgram, load_type
from kformat.storage.checksum import byte_view

Array = npt.NDArray[Any]

_ENOUGH: Final = MAX_INT64
_MOST_ESTIMATED: Final = 1 << 30
_ENOUGH_ROWS: Final = 2**31
"""The number of rows if there are no columns; small enough that their total size is still a number."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The result of a kernel: the bytes of the rows, one after the other, and the end of each.

    ``firsts`` are the numbers of the first rows of the units, if rows are divided. If a row was refused, the bytes are
    those of the rows before it.
    """

    data: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    firsts: npt.NDArray[np.int64]
    problem: Problem | None


class Encoder:
    """The encode kernel of a type."""

    def __init__(self, source: EncodeSource) -> None:
        self.source = source
        self._nothing = [np.empty(0, column.storage) for column in source.columns]
        self._absences: dict[frozenset[tuple[str, Part]], frozenset[int]] = {}

    @cached_property
    def _function(self) -> Any:
        return function_of(self.source)

    @cached_property
    def _checksums(self) -> frozenset[int]:
        """The numbers of the columns that hold checksums of a row."""
        names = {step.name for step in self.source.program.steps if isinstance(step, Checksum)}
        return frozenset(number for number, column in enumerate(self.source.columns) if column.name in names)

    def encode(
        self,
        columns: Mapping[tuple[str, Part], Any],
        data: Any = b"",
        *,
        rows: int | None = None,
        room: int | None = None,
        unit_bytes: int | None = None,
        unit_rows: int | None = None,
        unit_gap: int = 0,
    ) -> Encoded:
        """The bytes of rows, up to the first that the declaration does not allow.

        Args:
            columns: those of `Source.columns`, by (name, part), as from `Kernel.decode`; others are ignored. Values
                that `kformat.build` fills in may be left out.
            data: the bytes that positions and lengths refer to, for fields without a `Part.BYTES`.
            rows: how many; by default the length of the columns.
            room: how many bytes to allocate at first; by default an estimate.
            unit_bytes, unit_rows: divide the rows into units of at most so many bytes and rows; a larger row gets its
                own unit. Fields with a ``-base`` are then given as absolute values, and stored relative to the unit's
                first row.
            unit_gap: so many bytes, with undefined content, are left before each unit.

        Raises:
            UsageError: a column is missing, of another type, or not as long as the others of its table.
            MissingDependencyError: numba is missing.
        """
        absent = self._absent(frozenset(columns))
        arrays = [
            self._nothing[number] if number in absent else self._column(column, columns, data)
            for number, column in enumerate(self.source.columns)
        ]
        sizes = np.full(len(self.source.tables), -1, np.int64)
        for number, (column, array) in enumerate(zip(self.source.columns, arrays, strict=True)):
            if column.part is Part.BYTES or number in absent:
                continue
            size = len(array) - 1 if column.part is Part.OFFSETS else len(array)
            if sizes[column.table] not in (-1, size):
                raise UsageError(
                    f"{column.name}: {size} {column.part.value}s, but other columns have {sizes[column.table]}"
                )
            sizes[column.table] = size
        sizes[sizes < 0] = _ENOUGH_ROWS if rows is not None else 0  # no columns, no limit
        count = int(sizes[0]) if rows is None else rows
        if not 0 <= count <= sizes[0]:
            raise UsageError(f"{count} rows are requested, but columns have {sizes[0]}")
        is_divided = unit_bytes is not None or unit_rows is not None
        most_rows = (_ENOUGH if unit_rows is None else max(1, unit_rows)) if is_divided else 0
        most_bytes = _ENOUGH if unit_bytes is None else max(0, unit_bytes)
        state, ends = np.zeros(FIRST_TABLE + 3, np.int64), np.empty(count, np.int64)
        firsts = np.empty(count if is_divided else 0, np.int64)
        out = np.empty(64 + self._estimated(arrays) if room is None else room, np.uint8)
        limits = count, most_rows, most_bytes, unit_gap
        while (site := int(self._function(out, ends, firsts, *limits, sizes, state, *arrays))) < 0:
            larger = np.empty(max(int(state[CAPACITY]), 2 * len(out)), np.uint8)
            done = min(int(state[POSITION]), len(out))  # it may point after a gap that did not fit
            larger[:done] = out[:done]
            out = larger
        done, end = int(state[ROW]), int(state[POSITION])
        problem = Problem(0, done, end, self.source.sites[site], int(state[ERROR_POSITION])) if site else None
        if absent & self._checksums:
            self._mend(out, ends[:done])
        return Encoded(out[:end], ends[:done], firsts[: state[FIRST_TABLE]], problem)

    def _mend(self, out: Array, ends: Array) -> None:
        mend, start = layout(self.source.program).mend, 0
        with memoryview(out.data) as view:
            for end in ends.tolist():
                mend(view, start, end)
                start = end

    def _absent(self, keys: frozenset[tuple[str, Part]]) -> frozenset[int]:
        """The numbers of the columns that are left out and optional: all parts of a field, and everything in a list."""
        absent = self._absences.get(keys)
        if absent is None:
            columns = self.source.columns
            needed = {
                column.name
                for number, column in enumerate(columns)
                if column.part is not Part.BYTES
                and (number not in self.source.optional or (column.name, column.part) in keys)
            }
            lists = [column.name for column in columns if column.part is Part.OFFSETS and column.name not in needed]
            within = tuple(f"{name}." for name in lists)
            absent = self._absences[keys] = frozenset(
                number
                for number, column in enumerate(columns)
                if column.name not in needed or (within and column.name.startswith(within))
            )
        return absent

    def _column(self, column: KernelColumn, columns: Mapping[tuple[str, Part], Any], data: Any) -> Array:
        values = columns.get((column.name, column.part))
        if column.part is Part.BYTES:
            array = np.frombuffer(byte_view(data if values is None else values), np.uint8)
        elif values is None:
            raise UsageError(f"no column {column.name}, {column.part.value}")
        else:
            array = np.ascontiguousarray(values)
            if array.ndim != 1 or array.dtype != np.dtype(column.kind):
                raise UsageError(f"{column.name}, {column.part.value}: {column.kind} is expected, found {array.dtype}")
            array = array.view(column.storage)
            if column.part is Part.OFFSETS and not len(array):
                raise UsageError(f"{column.name}: offsets have one entry more than there are rows")
        array = array.view()
        array.flags.writeable = False
        return array

    def _estimated(self, arrays: list[Array]) -> int:
        """An estimate of the bytes: the columns have more, unless rows share bytes."""
        lengths = (
            int(array.clip(0, _MOST_ESTIMATED).sum())  # whatever values it has
            for column, array in zip(self.source.columns, arrays, strict=True)
            if column.part is Part.LENGTH
        )
        fixed = sum(a.nbytes for c, a in zip(self.source.columns, arrays, strict=True) if c.part is not Part.BYTES)
        return min(sum(lengths) + fixed, _MOST_ESTIMATED)


@lru_cache(maxsize=256)
def _encoder(program: TypeProgram) -> Encoder:
    return Encoder(encode_source(program))


def encoder(format: Any) -> Encoder:
    """The encode kernel of a type; see `kernel`."""
    return _encoder(load_type(format))
