"""Decode bytes into columns: numba kernels generated from the same programs as the codec, for large data.

`kernel` returns the kernel of a type, `Kernel.decode` runs it. A kernel accepts and rejects the same bytes as the
codec, gives the same values, and stops in the same row. `Decoded.problem` says where; running the codec there gives the
error itself. `encoder` and `Encoder.encode` are the inverse.

The generators are `decode` and `encode`, with `source` and `expressions` below them; generated code calls `runtime`;
`cache` stores machine code.

numba (extra ``fast``) is needed when a kernel is first run, not before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kformat.errors import UsageError
from kformat.integers import MAX_INT32
from kformat.kernels.compiled import compiled_by_hand, function_of, job_of
from kformat.kernels.decode import decode_source
from kformat.kernels.encode import encode_source
from kformat.kernels.packing import Encoded, Encoder, encoder
from kformat.kernels.readiness import Readiness
from kformat.kernels.running import Allocate, Decoded, DecodePlan, DecodeRun, plan_of
from kformat.kernels.source import KernelColumn, KernelError, Part, Problem, Site, Source, module_text
from kformat.language.program import ReadList, TypeProgram, load_type
from kformat.storage.checksum import byte_view, crc32c_of_parts
from kformat.storage.crc import Crc, finished, first_register, sliced_tables
from kformat.storage.sums import Sum

Array = npt.NDArray[Any]

PAYS_BYTES: Final = 16 << 20
"""The codec takes about as long for so many bytes of rows as compiling a kernel does."""
MAX_PACKED_BYTES: Final = MAX_INT32
"""The largest windows from which fields can be packed: Arrow's offsets are 32 bits wide."""


class Kernel:
    """The decode kernel of a type."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._plans: dict[tuple[frozenset[str] | None, frozenset[str]], DecodePlan] = {}

    @cached_property
    def _function(self) -> Any:
        return function_of(self.source)

    @cached_property
    def readiness(self) -> Readiness:
        """Whether to use it by now. The codec reads some three MB in a second (2 cores, 2026-11-28)."""
        source = self.source
        return Readiness(
            lambda: job_of(source),
            lambda: module_text([source], source.program.name),
            load_bytes=1 << 20,
            compile_bytes=PAYS_BYTES,
        )

    def decode(
        self,
        data: Any,
        windows: Iterable[tuple[int, int, int]] | Array | None = None,
        *,
        fields: Iterable[str] | None = None,
        packed: Mapping[str, int] | None = None,
        room: int | Sequence[int] | None = None,
        allocate: Allocate | None = None,
        context: Sequence[int] = (),
    ) -> Decoded:
        """The rows in some windows of the data, one after the other, up to the first that is not sound.

        Args:
            data: any contiguous buffer of bytes.
            windows: (start, end, count) of each: positions in the data, and the number of rows that fill it, or -1 if
                unknown. Rows that may take no bytes need a count, which may exceed the window's bytes only if it is 1.
                By default all the data is one window, with an unknown number of rows, or one row of a type that may
                take no bytes.
            fields: the wanted names, as in `Source.columns`; by default all.
            packed: names of bytes fields to copy into contiguous memory, and how many bytes to allocate at first. They
                have `Part.BYTES`, `Part.BYTE_OFFSETS` (int32) and `Part.IS_THERE`; position and length only if
                ``fields`` has them, too.
            room: how many rows to allocate at first, if the windows do not say it; or how many of each table.
            allocate: allocates the memory of columns; by default numpy.
            context: the numbers of `Source.context`; one above 2^63 - 1 as the signed number with the same bits.

        Raises:
            UsageError: ``context`` has not as many numbers, a window is outside the data, a field does not exist, or
                windows of more than `MAX_PACKED_BYTES` are to be packed.
            MissingDependencyError: numba is missing.
        """
        view = np.frombuffer(byte_view(data), np.uint8)
        view.flags.writeable = False
        listed = self._windows(windows, len(view))
        names = None if fields is None else frozenset([fields] if isinstance(fields, str) else fields)
        wanted = names, frozenset(packed or ())
        plan = self._plans.get(wanted)
        if plan is None:
            plan = self._plans[wanted] = plan_of(self.source, *wanted)
        starts, ends, counts = np.ascontiguousarray(listed.T)
        if room is None:
            most = (ends - starts) // max(1, self.source.program.minimum_size)
            room = int(np.minimum(counts, most).clip(0).sum())
        if packed and int((ends - starts).sum()) > MAX_PACKED_BYTES:
            raise UsageError(f"windows of more than {MAX_PACKED_BYTES} bytes are not packed at once")
        if len(context) != len(self.source.context):
            raise UsageError(f"{len(context)} numbers of what is around the rows, of {len(self.source.context)}")
        run = DecodeRun(plan, max(1, room) if isinstance(room, int) else room, packed or {}, allocate, context)
        site = run.through(self._function, view, starts, ends, counts)
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


@lru_cache(maxsize=256)
def _kernel(program: TypeProgram) -> Kernel:
    return Kernel(decode_source(program))


@lru_cache(maxsize=256)
def kernel_of_rows(program: TypeProgram, rows: ReadList) -> Kernel:
    """The kernel of the rows of a file, which takes numbers from around them; KernelError as `kernel`."""
    return Kernel(decode_source(program, rows))


def kernel(format: Any) -> Kernel:
    """The kernel of a type: by the name of a shipped format, ``format::type``, a ``.ksy`` path, or a TypeProgram.

    Raises:
        KernelError: kernels do not support the type.
        Also the exceptions of `kformat.language.program.load_type`.
    """
    return _kernel(load_type(format))


def gather(data: Array, positions: Array, lengths: Array, ends: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """Copy scattered bytes of ``data`` into contiguous memory; the end of each is written to ``ends``.

    Negative lengths count as 0. Raises MissingDependencyError if numba is missing.
    """
    source = data.view()
    source.flags.writeable = False
    target = np.empty(int(lengths.clip(0).sum()), np.uint8)
    gather_of = compiled_by_hand("kformat.kernels.gathering").gather
    gather_of(source, np.ascontiguousarray(positions), np.ascontiguousarray(lengths), ends, target)
    return target


def _address_of_sum() -> int | None:
    """The address of the C checksum function, which needs no interpreter; None if unavailable."""
    address: int | None = compiled_by_hand("kformat.kernels.summing").address_of_sum()
    return address


def checksums(data: Array, starts: Array, ends: Array) -> npt.NDArray[np.uint32]:
    """`checksum.crc32c_of_parts`, without holding the GIL.

    Raises MissingDependencyError if numba is missing.
    """
    address = _address_of_sum()
    if address is None or not ((starts >= 0) & (starts <= ends) & (ends <= len(data))).all():
        return crc32c_of_parts(data, starts, ends)
    source, target = data.view(), np.empty(len(starts), np.uint32)
    source.flags.writeable = False
    compiled_by_hand("kformat.kernels.summing").sums(
        address, source, np.ascontiguousarray(starts), np.ascontiguousarray(ends), target
    )
    return target


def crcs(crc: Crc, data: Array, starts: Array, ends: Array) -> npt.NDArray[np.uint64]:
    """The CRC of each ``data[start:end]``, uint64; of at most 64 bits.

    Raises MissingDependencyError if numba is missing.
    """
    source, target = data.view(), np.empty(len(starts), np.uint64)
    source.flags.writeable = False
    tables, register = sliced_tables(crc), np.uint64(first_register(crc))
    compiled_by_hand("kformat.kernels.crcs").registers(
        *(source, np.ascontiguousarray(starts), np.ascontiguousarray(ends), tables, register),
        *(max(8, crc.width), crc.refin, target),
    )
    return finished(crc, target)


def sums(known: Sum, data: Array, starts: Array, ends: Array) -> npt.NDArray[np.uint64]:
    """The sum of each ``data[start:end]``, uint64.

    Raises MissingDependencyError if numba is missing.
    """
    source, target = data.view(), np.empty(len(starts), np.uint64)
    source.flags.writeable = False
    code = compiled_by_hand("kformat.kernels.sums")
    parts = source, np.ascontiguousarray(starts), np.ascontiguousarray(ends)
    if known.kind == "rotate":
        code.rotated(*parts, target)
    elif known.kind in ("fletcher", "adler"):
        begin, shift = (1, 16) if known.kind == "adler" else (0, 8 * known.size)
        code.fletcher(*parts, known.size, known.modulus, begin, shift, target)
    else:
        total = code.added if known.kind == "add" else code.xored
        total(*parts, known.size, known.little, target)
    return known.finished(target) if known.kind == "add" else target


def seal(data: Array, edges: Array, headers: Array, covered_from: int, sum_position: int) -> None:
    """Write headers before their rows' bytes, with the CRC-32C of the bytes that they cover.

    Args:
        data: uint8, writeable; row i is between ``edges[i]`` and ``edges[i + 1]``, with room for its header at the
            beginning.
        headers: uint8, all of one size, contiguous.
        covered_from, sum_position: in a header, the first byte that the checksum covers, and where it is written.

    Raises MissingDependencyError if numba is missing.
    """
    summing, address = compiled_by_hand("kformat.kernels.summing"), _address_of_sum()
    rows = headers.reshape(len(edges) - 1, -1)
    if address is not None:
        summing.seal(address, data, edges, headers, covered_from, sum_position)
        return
    for start, header in zip(edges.tolist(), rows, strict=False):
        data[start : start + len(header)] = header
    sums, store = (
        crc32c_of_parts(data, edges[:-1] + covered_from, edges[1:]),
        compiled_by_hand("kformat.kernels.runtime").store_4,
    )
    for start, checksum in zip(edges.tolist(), sums.tolist(), strict=False):
        store(data, start + sum_position, checksum)


def views(data: Array, positions: Array, lengths: Array) -> npt.NDArray[np.int64]:
    """Arrow's views, two numbers per row, of bytes scattered in ``data``, which must be smaller than 2 GiB.

    Raises MissingDependencyError if numba is missing.
    """
    source, target = data.view(), np.empty(2 * len(positions), np.int64)
    source.flags.writeable = False
    compiled_by_hand("kformat.kernels.gathering").view(
        source, np.ascontiguousarray(positions), np.ascontiguousarray(lengths), target
    )
    return target


def contains(
    data: Array, positions: Array, lengths: Array, pattern: bytes, *, ignores_case: bool
) -> npt.NDArray[np.bool_]:
    """The rows of bytes scattered in ``data`` that contain a pattern, which is in lower case if case is ignored.

    Raises MissingDependencyError if numba is missing.
    """
    source, target = data.view(), np.empty(len(lengths), np.bool_)
    source.flags.writeable = False
    compiled_by_hand("kformat.kernels.matching").contains(
        source,
        np.ascontiguousarray(positions),
        np.ascontiguousarray(lengths),
        np.frombuffer(pattern, np.uint8),
        ignores_case,
        target,
    )
    return target


def texts_of(
    codes: npt.NDArray[np.uint8], edges: npt.NDArray[np.int32], data: npt.NDArray[np.uint8], allocate: Allocate
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]] | None:
    """The text of each code, one after the other: their offsets, and the bytes. Text i is in ``data`` from ``edges[i]``
    to ``edges[i + 1]``. None for more than 2 GiB.

    Raises MissingDependencyError if numba is missing.
    """
    gathering, codes = compiled_by_hand("kformat.kernels.gathering"), codes.view()
    codes.flags.writeable = False
    ends = allocate(4 * len(codes) + 4).view(np.int32)
    size: int = gathering.ends_of(codes, edges, ends)
    if size > MAX_INT32:
        return None
    target = allocate(size + 32)  # see `runtime.append`
    gathering.texts(codes, edges, data, ends, target)
    return ends, target[:size]


def spread_over(bases: Array, factors: Array, counts: Array, deltas: Array, target: Array | None = None) -> Array:
    """For rows in groups, ``counts[i]`` of them in group i: ``bases[i] + factors[i] * delta``, int64, wrapping around.

    Written to ``target`` if it is given. Raises MissingDependencyError if numba is missing.
    """
    if target is None:
        target = np.empty(len(deltas), np.int64)
    groups = [np.ascontiguousarray(array, np.int64) for array in (bases, factors, counts)]
    compiled_by_hand("kformat.kernels.gathering").spread(*groups, deltas, target)
    return target


def kernel_text(format: Any) -> str:
    """The Python source of a type's kernels, as a module."""
    program = load_type(format)
    sources = [decode_source(program)]
    with contextlib.suppress(KernelError):
        sources.append(encode_source(program))
    return module_text(sources, program.name)


__all__ = [
    "MAX_PACKED_BYTES",
    "PAYS_BYTES",
    "Allocate",
    "Decoded",
    "Encoded",
    "Encoder",
    "Kernel",
    "KernelColumn",
    "KernelError",
    "Part",
    "Problem",
    "Site",
    "Source",
    "checksums",
    "contains",
    "encoder",
    "gather",
    "kernel",
    "kernel_text",
    "seal",
    "spread_over",
    "texts_of",
    "views",
]
