"""Columns from bytes: kernels that numba makes from what the codec is made from, for everything large.

`kernel` gives that of a type, `Kernel.decode` runs it. A kernel accepts and rejects what the codec does, gives the
same values, and stops in the same row; `Decoded.problem` says where, and the error itself comes from running the codec
there (`explanation.error_of`). `encoder` and `Encoder.encode` are the way back.

How kernels are written stands in `decoding`, `encoding` and `source`, what they call in `runtime`, where their machine
code is kept in `cache`.

numba is wanted when a kernel is first run, not before: the extra ``fast`` has it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kformat.checksum import byte_view, crc32c_of_parts
from kformat.errors import UsageError
from kformat.kernels.compiled import compiled_by_hand, function_of
from kformat.kernels.decoding import decode_source
from kformat.kernels.encoding import encode_source
from kformat.kernels.packing import Encoded, Encoder, encoder
from kformat.kernels.problem import Problem
from kformat.kernels.source import FULL_BYTES, PACKED, Column, KernelError, Part, Site, Source, module_text
from kformat.kernels.state import CAPACITY, DONE, ERROR_POSITION, FIRST_TABLE, POSITION, ROW, UNIT
from kformat.program import TypeProgram, load_type

Array = npt.NDArray[Any]

_ENOUGH: Final = 2**63 - 1
MAX_PACKED_BYTES: Final = 2**31 - 1
"""Most bytes of windows of which fields are to be packed: their offsets are Arrow's of 32 bits."""

Allocate: TypeAlias = Callable[[int], npt.NDArray[np.uint8]]
"""Gives writable memory of so many bytes."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a kernel made of the bytes: ``rows`` of each table, its first being the rows themselves.

    ``columns`` are by (name, part); those of lists have one entry more than their table has rows, and so have offsets
    of packed bytes.
    """

    columns: Mapping[tuple[str, Part], Array]
    rows: tuple[int, ...]
    problem: Problem | None

    def __getitem__(self, name: str) -> Array:
        """The numbers of a field; KeyError where it has none or was not asked for."""
        return self.columns[name, Part.VALUE]


class Kernel:
    """The decode kernel of a type."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._plans: dict[tuple[frozenset[str] | None, frozenset[str]], _Plan] = {}

    @cached_property
    def _function(self) -> Any:
        return function_of(self.source)

    def decode(
        self,
        data: Any,
        windows: Iterable[tuple[int, int, int]] | Array | None = None,
        *,
        fields: Iterable[str] | None = None,
        packed: Mapping[str, int] | None = None,
        room: int | None = None,
        allocate: Allocate | None = None,
    ) -> Decoded:
        """The rows in some windows of the data, one behind the other, up to the first that is not sound.

        Args:
            data: any contiguous buffer of bytes.
            windows: (start, end, count) of each: positions in the data, and how many rows fill it, or -1 for as many
                as there are. Rows that may take no bytes at all, as a file of entries may, need a count, and a window
                has no more of them than bytes, but for a single one. By default all the data is one window, of as many
                rows as there are, or of a single one of a type that may take no bytes.
            fields: names of those that are wanted, as `Source.columns` has them; by default all.
            packed: names of fields of bytes that are copied to lie one behind the other, and for how many bytes to make
                room at first. They have `Part.BYTES`, `Part.BYTE_OFFSETS` (int32) and `Part.IS_THERE`; position and
                length only where ``fields`` has them, too.
            room: for how many rows to make room at first, where the windows do not say it.
            allocate: what gives the memory of columns; by default numpy.

        Raises:
            UsageError: a window does not lie in the data, there is no field of that name, or bytes are to be packed of
                windows of more than `MAX_PACKED_BYTES`.
            MissingDependencyError: there is no numba.
        """
        view = np.frombuffer(byte_view(data), np.uint8)
        view.flags.writeable = False
        listed = self._windows(windows, len(view))
        names = None if fields is None else frozenset([fields] if isinstance(fields, str) else fields)
        wanted = names, frozenset(packed or ())
        plan = self._plans.get(wanted)
        if plan is None:
            plan = self._plans[wanted] = _plan(self.source, *wanted)
        starts, ends, counts = np.ascontiguousarray(listed.T)
        if room is None:
            most = (ends - starts) // max(1, self.source.program.minimum_size)
            room = int(np.minimum(counts, most).clip(0).sum())
        if packed and int((ends - starts).sum()) > MAX_PACKED_BYTES:
            raise UsageError(f"windows of more than {MAX_PACKED_BYTES} bytes are not packed at once")
        run = _Run(self._function, plan, max(1, room), packed or {}, allocate)
        site = run.through(view, starts, ends, counts)
        return run.decoded(site)

    def _windows(self, windows: Iterable[tuple[int, int, int]] | Array | None, size: int) -> npt.NDArray[np.int64]:
        if windows is None:
            windows = [(0, size, -1 if self.source.program.minimum_size else 1)]
        try:
            listed = np.asarray(windows if isinstance(windows, np.ndarray) else list(windows), np.int64).reshape(-1, 3)
        except (OverflowError, TypeError, ValueError) as error:
            raise UsageError(f"windows are triples of integers: start, end, count ({error})") from None
        starts, ends, counts = listed.T
        inside = (starts >= 0) & (starts <= ends) & (ends <= size)
        if not inside.all():
            raise UsageError(f"window {int(np.flatnonzero(~inside)[0])} does not lie in the {size} bytes")
        if not self.source.program.minimum_size:
            bounded = (counts >= 0) & ((counts <= 1) | (counts <= ends - starts))
            if not bounded.all():
                raise UsageError(
                    f"window {int(np.flatnonzero(~bounded)[0])}: {self.source.program.name} may take no bytes at all, "
                    "so that the number of rows has to be given, and be no more than that of the bytes"
                )
        return listed


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which columns are wanted, and what does not change from one decoding to the next."""

    source: Source
    wanted: npt.NDArray[np.uint8]
    columns: tuple[tuple[int, Column, str, int], ...]
    """Of those that are wanted: number, column, its storage, and how many entries more than rows it has. Not in it are
    packed bytes, which have no entry per row."""
    packed: tuple[tuple[int, Column], ...]
    """Those: number and column; the column of their offsets is the next one."""
    nothing: tuple[Array, ...]
    """What is given in place of all the others."""


def _plan(source: Source, names: frozenset[str] | None, packed: frozenset[str]) -> _Plan:
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
        (number, column) for number, column in enumerate(source.columns) if chosen[number] and column.part is Part.BYTES
    )
    nothing = tuple(np.empty(0, column.storage) for column in source.columns)
    return _Plan(source, np.array(chosen, np.uint8), columns, bytes_of, nothing)


class _Run:
    """One decoding: columns that grow, and the state between calls."""

    def __init__(
        self, function: Any, plan: _Plan, room: int, packed: Mapping[str, int], allocate: Allocate | None
    ) -> None:
        self.function, self.plan, self.allocate = function, plan, allocate
        tables = len(plan.source.tables)
        self.state = np.zeros(FIRST_TABLE + tables - 1, np.int64)
        self.state[DONE] = -1
        self.capacities = np.full(tables, _ENOUGH)  # of what is not asked for
        self.columns = list(plan.nothing)
        for number, column, storage, more in plan.columns:
            self.capacities[column.table] = room
            made = self.columns[number] = self.made(room + more, storage)
            if more:
                made[0] = 0  # where the first list begins
        for number, column in plan.packed:
            self.columns[number] = self.made(packed[column.name], column.storage)

    def made(self, size: int, storage: str) -> Array:
        if self.allocate is None:
            return np.empty(size, storage)
        return self.allocate(np.dtype(storage).itemsize * size).view(storage)

    def grow(self, table: int) -> None:
        room = self.capacities[table] = max(int(self.state[CAPACITY]), 2 * int(self.capacities[table]))
        for number, column, storage, more in self.plan.columns:
            if column.table == table:
                larger = self.made(room + more, storage)
                larger[: len(self.columns[number])] = self.columns[number]
                self.columns[number] = larger

    def grow_bytes(self, number: int) -> None:
        before = self.columns[number]
        larger = self.made(max(int(self.state[CAPACITY]), 2 * len(before)), before.dtype.str)
        larger[: len(before)] = before
        self.columns[number] = larger

    def through(self, view: Array, starts: Array, ends: Array, counts: Array) -> int:
        wanted = self.plan.wanted
        while True:
            site: int = self.function(view, starts, ends, counts, self.capacities, wanted, self.state, *self.columns)
            if site >= 0:
                return site
            if site <= -FULL_BYTES:
                self.grow_bytes(-site - FULL_BYTES)
            else:
                self.grow(-site - 1)

    def decoded(self, site: int) -> Decoded:
        state = self.state.tolist()
        rows = (state[ROW], *state[FIRST_TABLE:])
        columns = {}
        for number, column, storage, more in self.plan.columns:
            array = self.columns[number][: rows[column.table] + more]
            columns[column.name, column.part] = array if column.kind == storage else array.view(column.kind)
        for number, column in self.plan.packed:
            array, size = self.columns[number], int(self.columns[number + 1][rows[column.table]])
            if 2 * size < len(array):  # what lies behind it would be held with it
                fitting = self.made(size, column.storage)
                fitting[:] = array[:size]
                array = fitting
            columns[column.name, column.part] = array[:size]
        problem = None
        if site:
            problem = Problem(
                state[UNIT], state[DONE], state[POSITION], self.plan.source.sites[site], state[ERROR_POSITION]
            )
        return Decoded(columns, rows, problem)


@lru_cache(maxsize=256)
def _kernel(program: TypeProgram) -> Kernel:
    return Kernel(decode_source(program))


def kernel(format: Any) -> Kernel:
    """The kernel of a type: by the name of a shipped format, ``format::type``, a ``.ksy`` path, or a TypeProgram.

    Raises:
        KernelError: the type is outside of what kernels can do.
        what `kformat.program.load_type` raises.
    """
    return _kernel(load_type(format))


def gather(data: Array, positions: Array, lengths: Array, ends: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """Bytes that lie scattered in ``data``, one behind the other; where each ends is written to ``ends``.

    Lengths below 0 are of nothing. Raises MissingDependencyError where there is no numba.
    """
    source = data.view()
    source.flags.writeable = False
    target = np.empty(int(lengths.clip(0).sum()), np.uint8)
    gather_of = compiled_by_hand("gathering").gather
    gather_of(source, np.ascontiguousarray(positions), np.ascontiguousarray(lengths), ends, target)
    return target


@lru_cache(maxsize=1)
def _sums() -> Callable[..., None] | None:
    """What sums up without an interpreter; None where the library's function is not to be had."""
    summing = compiled_by_hand("summing")
    address = summing.address_of_sum()
    return None if address is None else partial(summing.sums, address)


def checksums(data: Array, starts: Array, ends: Array) -> npt.NDArray[np.uint32]:
    """`checksum.crc32c_of_parts`, which holds up no other threads.

    Raises MissingDependencyError where there is no numba.
    """
    sums = _sums()
    if sums is None or not ((starts >= 0) & (starts <= ends) & (ends <= len(data))).all():
        return crc32c_of_parts(data, starts, ends)
    source, target = data.view(), np.empty(len(starts), np.uint32)
    source.flags.writeable = False
    sums(source, np.ascontiguousarray(starts), np.ascontiguousarray(ends), target)
    return target


def views(data: Array, positions: Array, lengths: Array) -> npt.NDArray[np.uint8]:
    """Arrow's views of bytes that lie scattered in ``data``, of less than 2 GiB: 16 bytes of each row.

    Raises MissingDependencyError where there is no numba.
    """
    source, target = data.view(), np.zeros(16 * len(positions), np.uint8)
    source.flags.writeable = False
    compiled_by_hand("gathering").view(source, np.ascontiguousarray(positions), np.ascontiguousarray(lengths), target)
    return target


def spread_over(bases: Array, factors: Array, counts: Array, deltas: Array, target: Array | None = None) -> Array:
    """Of rows in groups, ``counts[i]`` of them in group i: ``bases[i] + factors[i] * delta``, int64, wrapping around.

    Written to ``target`` where it is given. Raises MissingDependencyError where there is no numba.
    """
    if target is None:
        target = np.empty(len(deltas), np.int64)
    groups = [np.ascontiguousarray(array, np.int64) for array in (bases, factors, counts)]
    compiled_by_hand("gathering").spread(*groups, deltas, target)
    return target


def kernel_text(format: Any) -> str:
    """The Python source of a type's kernels, as a module.

    Raises what `kernel` raises.
    """
    program = load_type(format)
    sources = [decode_source(program)]
    with contextlib.suppress(KernelError):
        sources.append(encode_source(program))
    return module_text(sources, program.name)


__all__ = [
    "MAX_PACKED_BYTES",
    "Allocate",
    "Column",
    "Decoded",
    "Encoded",
    "Encoder",
    "Kernel",
    "KernelError",
    "Part",
    "Problem",
    "Site",
    "Source",
    "checksums",
    "encoder",
    "gather",
    "kernel",
    "kernel_text",
    "spread_over",
    "views",
]
