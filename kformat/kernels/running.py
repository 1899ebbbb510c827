"""One run of a decode kernel: its output arrays, which grow, and its state between calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.integers import MAX_INT64
from kformat.kernels.source import FULL_BYTES, PACKED, KernelColumn, Part, Problem, Source
from kformat.kernels.state import CAPACITY, DONE, ERROR_POSITION, FIRST_TABLE, POSITION, ROW, UNIT

Array = npt.NDArray[Any]

_ENOUGH: Final = MAX_INT64

Allocate: TypeAlias = Callable[[int], npt.NDArray[np.uint8]]
"""Allocates so many bytes of writable memory."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The result of a kernel: ``rows`` of each table, the first of which are the rows themselves.

    ``columns`` are by (name, part); those of lists, and offsets of packed bytes, have one entry more than their table
    has rows.
    """

    columns: Mapping[tuple[str, Part], Array]
    rows: tuple[int, ...]
    problem: Problem | None

    def __getitem__(self, name: str) -> Array:
        """The numbers of a field; KeyError if it has none or was not requested."""
        return self.columns[name, Part.VALUE]


def columns_at_once(kinds: Iterable[tuple[np.dtype[Any], int]], allocate: Allocate | None) -> list[Array]:
    """Columns of these types and lengths, all in one piece of memory, each at a multiple of 64 bytes, as in Arrow."""
    size, places = 0, []
    for kind, rows in kinds:
        places.append((rows, kind, size))
        size += kind.itemsize * rows + 63 & ~63
    memory = np.empty(size, np.uint8) if allocate is None else allocate(size)
    return [np.ndarray(rows, kind, memory, start) for rows, kind, start in places]


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """The wanted columns, and everything else that stays the same from one decoding to the next."""

    source: Source
    wanted: npt.NDArray[np.uint8]
    columns: tuple[tuple[int, KernelColumn, str, int], ...]
    """The wanted columns: number, column, its storage, and how many entries more than rows it has. Packed bytes are
    left out: they have no entry per row.
    """
    packed: tuple[tuple[int, KernelColumn, str], ...]
    """Packed bytes: number, column and its storage; the column of their offsets is the next one."""
    nothing: tuple[Array, ...]
    """Empty arrays, passed for all other columns."""


def plan_of(source: Source, names: frozenset[str] | None, packed: frozenset[str]) -> DecodePlan:
    known = {column.name for column in source.columns}
    if names is not None and not names <= known:
        raise UsageError(f"no columns {', '.join(sorted(names - known))} (there are {', '.join(sorted(known))})")
    can_pack = {column.name for column in source.columns if column.part is Part.BYTES}
    if not packed <= can_pack:
        raise UsageError(f"no bytes {', '.join(sorted(packed - can_pack))} (there are {', '.join(sorted(can_pack))})")
    chosen = [
        column.name in packed if column.part in PACKED else names is None or column.name in names
        for column in source.columns
    ]
    columns = tuple(
        (number, column, column.storage, 1 if column.part in (Part.OFFSETS, Part.BYTE_OFFSETS) else 0)
        for number, column in enumerate(source.columns)
        if chosen[number] and column.part is not Part.BYTES
    )
    bytes_of = tuple(
        (number, column, column.storage)
        for number, column in enumerate(source.columns)
        if chosen[number] and column.part is Part.BYTES
    )
    nothing = tuple(np.empty(0, column.storage) for column in source.columns)
    return DecodePlan(source, np.array(chosen, np.uint8), columns, bytes_of, nothing)


class DecodeRun:
    """One decoding: columns that grow, and the state between calls. ``made`` are columns that are there, by number."""

    def __init__(
        self,
        plan: DecodePlan,
        room: int | Sequence[int],
        packed: Mapping[str, int],
        allocate: Allocate | None,
        context: Sequence[int] = (),
        made: Mapping[int, Array] | None = None,
    ) -> None:
        self.plan, self.allocate = plan, allocate
        tables = len(plan.source.tables)
        self.state = np.zeros(FIRST_TABLE + tables - 1 + len(context), np.int64)
        self.state[DONE] = -1
        self.state[FIRST_TABLE + tables - 1 :] = context
        self.capacities = np.full(tables, _ENOUGH)  # for columns not requested
        self.columns = list(plan.nothing)
        for number, array in (made or {}).items():
            self.columns[number] = array
        for number, column, storage, more in plan.columns:
            rows = self.capacities[column.table] = room if isinstance(room, int) else room[column.table]
            if made is None:
                self.columns[number] = self.made(rows + more, storage, column.is_zeroed)
            if more:
                self.columns[number][0] = 0  # start of the first list
        for number, column, storage in plan.packed:
            self.columns[number] = self.made(packed[column.name], storage)

    def made(self, size: int, storage: str, is_zeroed: bool = False) -> Array:
        if self.allocate is None:
            return np.zeros(size, storage) if is_zeroed else np.empty(size, storage)
        memory = self.allocate(np.dtype(storage).itemsize * size)
        if is_zeroed:
            memory[:] = 0
        return memory.view(storage)

    def grow(self, table: int) -> None:
        room = self.capacities[table] = max(int(self.state[CAPACITY]), 2 * int(self.capacities[table]))
        for number, column, storage, more in self.plan.columns:
            if column.table == table:
                larger = self.made(room + more, storage, column.is_zeroed)
                larger[: len(self.columns[number])] = self.columns[number]
                self.columns[number] = larger

    def grow_bytes(self, number: int) -> None:
        before = self.columns[number]
        larger = self.made(max(int(self.state[CAPACITY]), 2 * len(before)), before.dtype.str)
        larger[: len(before)] = before
        self.columns[number] = larger

    def through(self, function: Any, *arguments: Any) -> int:
        """Call a kernel until there is enough room; returns the site where it stopped."""
        while True:
            site: int = function(*arguments, self.capacities, self.plan.wanted, self.state, *self.columns)
            if site >= 0:
                return site
            self.make_room(site)

    def make_room(self, site: int) -> None:
        """Grow the columns after a kernel stopped with this site for lack of room."""
        if site <= -FULL_BYTES:
            self.grow_bytes(-site - FULL_BYTES)
        else:
            self.grow(-site - 1)

    def decoded(self, site: int) -> Decoded:
        state = self.state.tolist()
        rows = (state[ROW], *state[FIRST_TABLE : FIRST_TABLE + len(self.plan.source.tables) - 1])
        columns = {}
        for number, column, storage, more in self.plan.columns:
            array = self.columns[number][: rows[column.table] + more]
            columns[column.name, column.part] = array if column.kind == storage else array.view(column.kind)
        for number, column, storage in self.plan.packed:
            array, size = self.columns[number], int(self.columns[number + 1][rows[column.table]])
            if 2 * size < len(array):  # a view would keep the unused rest in memory
                fitting = self.made(size, storage)
                fitting[:] = array[:size]
                array = fitting
            columns[column.name, column.part] = array[:size]
        problem = None
        if site:
            problem = Problem(
                state[UNIT], state[DONE], state[POSITION], self.plan.source.sites[site], state[ERROR_POSITION]
            )
        return Decoded(columns, rows, problem)
