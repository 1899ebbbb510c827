"""The codec's values as a kernel's columns, to hold one against the other; and bytes that are a little wrong."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from kformat.codec.constructs import element_parser, iterate
from kformat.codec.reader import Reader
from kformat.errors import DataError
from kformat.kernels import Decoded, Kernel, KernelColumn, Part, Problem, Source
from kformat.kernels.source import LEFTOVER, PACKED
from kformat.language.encodings import LENIENT
from kformat.language.node import replaced
from kformat.language.program import Checksum, ReadBytes, ReadList, ReadType, Step, TypeProgram, Window
from kformat.storage.algorithms import algorithm_of
from kformat.storage.checksum import byte_view

EDGES: Final = sorted(
    {sign * value + more for value in (0, 2**7, 2**15, 2**31, 2**32, 2**63) for sign in (1, -1) for more in (-1, 0, 1)}
)
"""Numbers at which types end."""


def varint(value: int, spare: int = 0) -> bytes:
    """An unsigned number in groups of seven bits, ``spare`` groups longer than it has to be."""
    groups = bytearray()
    while True:
        group, value = value & 0x7F, value >> 7
        if not value and not spare:
            return bytes([*groups, group])
        spare -= not value
        groups.append(group | 0x80)


def zigzag(value: int, spare: int = 0) -> bytes:
    """A signed number as Kafka has it."""
    return varint(value * 2 if value >= 0 else -value * 2 - 1, spare)


def _edge(source: random.Random) -> bytes:
    """A number that is hard to read, as a varint or in bytes of either order."""
    value = source.choice(EDGES)
    match source.randrange(5):
        case 0 | 1:
            return zigzag(value, source.choice((0, 0, 0, 1, 3, 9)))
        case 2:
            return bytes([source.choice((0x80, 0xFF))] * source.randrange(1, 12)) + source.randbytes(1)
        case _:
            size = source.choice((1, 2, 4, 8))
            return (value % (1 << 8 * size)).to_bytes(size, source.choice(("big", "big", "little")))


def mutated(data: bytes, source: random.Random) -> bytes:
    """The bytes with up to three changes: bits, edges written over or put in, parts left out, doubled, cut."""
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        at = source.randrange(len(changed) + 1)
        match source.randrange(7):
            case 0 | 1 if at < len(changed):
                changed[at] ^= 1 << source.randrange(8)
            case 2:
                edge = _edge(source)
                changed[at : at + len(edge)] = edge
            case 3:
                changed[at:at] = _edge(source)
            case 4:
                del changed[at : at + source.choice((1, 1, 2, 8))]
            case 5:
                del changed[at:]
            case _:
                changed[at:at] = changed[at : at + source.randrange(1, 20)]
    return bytes(changed)


# --- what the codec says ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def with_payloads_as_bytes(program: TypeProgram) -> TypeProgram:
    """The type as a kernel has it: what may be compressed is so many bytes, and not looked into; nor is text that the
    codec refuses where it is not in its encoding.
    """

    def changed(step: Step) -> Step:
        match step:
            case Window() if step.codec is not None:
                return ReadBytes(name=step.name, condition=step.condition, size=step.size)
            case ReadBytes() if step.encoding is not None and step.encoding not in LENIENT:
                return replaced(step, encoding=None)
            case Window():
                return replaced(step, steps=tuple(map(changed, step.steps)))
            case ReadType():
                return replaced(step, type=with_payloads_as_bytes(step.type))
            case ReadList():
                return replaced(step, element=changed(step.element))
        return step

    steps = tuple(map(changed, program.steps))
    return replaced(program, digest=f"{program.digest} without payloads", steps=steps)


def has_payloads(program: TypeProgram) -> bool:
    """Whether anything in it may be compressed, which a kernel does not look into."""

    def found(step: Step) -> bool:
        match step:
            case Window():
                return step.codec is not None or any(map(found, step.steps))
            case ReadType():
                return has_payloads(step.type)
            case ReadList():
                return found(step.element)
        return False

    return any(map(found, program.steps))


def by_codec(
    program: TypeProgram, data: bytes, count: int, checksums: bool = False
) -> tuple[list[Any], DataError | None]:
    """The values that the codec gives in one window, and the error behind them."""
    values: list[Any] = []
    reader = Reader(data, checksums=checksums)
    try:
        for value in iterate(
            element_parser(with_payloads_as_bytes(program)), reader, None if count < 0 else count, "rows"
        ):
            values.append(value)
    except DataError as error:
        return values, error
    return values, None


def _objects(source: Source, table: int, values: Sequence[Any]) -> list[Any]:
    """What the rows of a table stand for."""
    if not table:
        return list(values)
    name = source.tables[table]
    parent = _parent(source, name)
    own = name.removeprefix(source.tables[parent]).lstrip(".")
    return [item for one in _objects(source, parent, values) for item in _field(one, own) or ()]


def _parent(source: Source, name: str) -> int:
    above = [number for number, other in enumerate(source.tables) if not other or name.startswith(f"{other}.")]
    return max(above, key=lambda number: len(source.tables[number]))


def _field(item: Any, path: str) -> Any:
    for name in path.split("."):
        item = None if item is None else getattr(item, name)
    return item


def expected(source: Source, column: KernelColumn, values: Sequence[Any]) -> list[Any]:
    """What a column holds when these are its rows' values; of bytes the bytes themselves, None where there are none."""
    own = column.name.removeprefix(source.tables[column.table]).lstrip(".")
    found = [_field(item, own) if own else item for item in _objects(source, column.table, values)]
    match column.part:
        case Part.VALUE if column.kind[0] == "f":
            return [_bits(0.0 if item is None else item) for item in found]
        case Part.VALUE:
            return [0 if item is None else int(item) for item in found]
        case Part.VALID:
            return [item is not None for item in found]
        case Part.POSITION | Part.LENGTH | Part.BYTES | Part.BYTE_OFFSETS:
            return [item.encode("utf-8", "surrogateescape") if isinstance(item, str) else item for item in found]
        case Part.IS_THERE:
            return [int(item is not None) for item in found]
        case Part.OFFSETS:
            return list(np.cumsum([0, *(0 if item is None else len(item) for item in found)]).tolist())
    raise AssertionError(column)


def given(column: KernelColumn, decoded: Decoded, data: bytes) -> list[Any]:
    """What a kernel gave of it, in the same form."""
    array = decoded.columns[column.name, column.part]
    if column.part in (Part.POSITION, Part.LENGTH):
        positions = decoded.columns[column.name, Part.POSITION].tolist()
        lengths = decoded.columns[column.name, Part.LENGTH].tolist()
        return [None if n < 0 else data[p : p + n] for p, n in zip(positions, lengths, strict=True)]
    if column.part in (Part.BYTES, Part.BYTE_OFFSETS):
        whole = decoded.columns[column.name, Part.BYTES].tobytes()
        ends = decoded.columns[column.name, Part.BYTE_OFFSETS].tolist()
        there = decoded.columns[column.name, Part.IS_THERE].tolist()
        assert (ends[0], ends[-1]) == (0, len(whole))
        return [whole[a:b] if is_there else None for (a, b), is_there in zip(pairwise(ends), there, strict=True)]
    if column.kind[0] == "f":
        return [_bits(item) for item in array.tolist()]
    return [bool(item) for item in array.tolist()] if column.part is Part.VALID else list(array.tolist())


def plain_columns(source: Source) -> list[KernelColumn]:
    """Those that a kernel gives without being asked."""
    return [column for column in source.columns if column.part not in PACKED]


def _bits(value: float) -> bytes:
    """As wide as a Python float, so that both sides have come by the same way from four bytes."""
    return struct.pack("d", value)


def sums(source: Source, decoded: Decoded, data: bytes, algorithms: dict[str, str]) -> bool:
    """Whether all stored checksums of a kernel's rows are those of the bytes that it says they cover."""
    for column in source.columns:
        if column.part is Part.COVERED_POSITION:
            starts = decoded.columns[column.name, Part.COVERED_POSITION].tolist()
            sizes = decoded.columns[column.name, Part.COVERED_LENGTH].tolist()
            stored = decoded.columns[column.name, Part.VALUE].tolist()
            algorithm = algorithm_of(algorithms[column.name.rsplit(".", 1)[-1]]).compute
            for start, size, value in zip(starts, sizes, stored, strict=True):
                if size >= 0 and algorithm(data[start : start + size]) != value:
                    return False
    return True


def checksums_in(program: TypeProgram) -> dict[str, str]:
    """Of a type and those in it: the fields of checksums, and how they are computed."""
    found: dict[str, str] = {}

    def look(steps: Iterable[Step]) -> None:
        for step in steps:
            match step:
                case Checksum():
                    found[step.name] = step.algorithm
                case ReadType():
                    look(step.type.steps)
                case ReadList():
                    look([step.element])
                case Window() if step.codec is None:
                    look(step.steps)

    look(program.steps)
    return found


# --- the codec on a row that a kernel stopped at ----------------------------------------------------------------------


def error_of(
    kernel: Kernel,
    data: Any,
    problem: Problem,
    end: int | None = None,
    *,
    path: str,
    source: str = "<bytes>",
    position: int = 0,
    is_cut: bool = True,
) -> DataError:
    """The error that the codec raises for the row of a problem, with that row's value as far as it was read.

    Args:
        kernel: what decoded the data.
        data: the bytes that were decoded.
        problem: what came of it.
        end: where in them the window ends, by default with them.
        path: what the rows are called (``record_batch.records``); the number of the row is put behind it.
        source, position: what the bytes are and where in it they begin; told in errors.
        is_cut: whether more bytes may be missing behind the end, so that a row which goes beyond it is truncated and
            not wrong.

    Checksums, which kernels do not verify, are not verified here, either.
    """
    view = byte_view(data)
    reader = Reader(view[:end], source=source, origin=position, start=problem.position, checksums=False, raw=True)
    reader.end_is_cut = is_cut
    leftover = problem.site is kernel.source.sites[LEFTOVER]
    try:
        for _ in iterate(element_parser(kernel.source.program), reader, 0 if leftover else 1, path):
            pass
    except DataError as error:
        if not leftover:
            error.path = f"{path}[{problem.row}]" + error.path.removeprefix(f"{path}[0]")
        return error
    raise AssertionError(f"the codec reads what the kernel does not: {problem}")


# --- one against the other --------------------------------------------------------------------------------------------


def differences(kernel: Kernel, data: bytes, count: int, seen: Counter[str] | None = None) -> Iterator[str]:
    """Where the kernel and the codec do not agree about one window, be it accepted or not.

    ``seen`` counts how many were accepted, and which rules the others failed by.
    """
    program = kernel.source.program
    values, error = by_codec(program, data, count)
    packed = {column.name: 1 for column in kernel.source.columns if column.part is Part.BYTES}
    decoded = kernel.decode(data, [(0, len(data), count)], packed=packed)
    if seen is not None:
        seen["accepted" if error is None else f"{decoded.problem and decoded.problem.site.path}"] += 1
    if (decoded.problem is None) != (error is None):
        yield f"the codec says {error!r}, the kernel {decoded.problem}"
    if decoded.rows[0] != len(values):
        yield f"{len(values)} rows by the codec ({error!r}), {decoded.rows[0]} by the kernel ({decoded.problem})"
        return
    if decoded.problem is not None and decoded.problem.row != len(values):
        yield f"the codec stops behind {len(values)} rows, the kernel says {decoded.problem}"
    is_whole = not has_payloads(program) and not kernel.source.texts
    if error is not None and decoded.problem is not None and is_whole:
        told = error_of(kernel, data, decoded.problem, path="rows")
        if (type(told), str(told)) != (type(error), str(error)):
            yield f"the codec says {error}, and asked for the kernel's row {told}"
    for column in kernel.source.columns:
        if column.part in (Part.COVERED_POSITION, Part.COVERED_LENGTH):
            continue
        left, right = expected(kernel.source, column, values), given(column, decoded, data)
        if left != right:
            yield f"{column}: the codec gives {left[:8]}, the kernel {right[:8]}"
    algorithms = checksums_in(program)
    if algorithms and error is None:
        sound = by_codec(program, data, count, checksums=True)[1] is None
        if sound != sums(kernel.source, decoded, data, algorithms):
            yield f"checksums are {'sound' if sound else 'wrong'} by the codec, and not so by the kernel"


def compare(
    kernel: Kernel, seeds: Sequence[tuple[bytes, int]], cases: int, seed: int = 1
) -> tuple[Counter[str], list[str]]:
    """Show the seeds, and then so many damaged ones, to both: what was seen, and what they disagree about."""
    source, seen, found = random.Random(seed), Counter[str](), []
    for number in range(len(seeds) + cases):
        data, count = seeds[number % len(seeds)]
        if number >= len(seeds):
            data = mutated(data, source)
        found += [f"{data.hex()} ({count}): {problem}" for problem in differences(kernel, data, count, seen)]
        if len(found) > 5:
            break
    return seen, found
