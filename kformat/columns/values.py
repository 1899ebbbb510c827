"""Bytes that are values of a declared format, one after the other in an Arrow array -> an Arrow array of structures.

Each value is what `kformat.parse` makes of its bytes. A value that does not parse is null, with its bytes and the error
next to it; a null stays null and is no error. numpy reads the values of a fixed size, a kernel others, and the codec
the rest, including each value that numpy or a kernel refuses. The results are equal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from kformat.codec.parsing import read_value, rooted
from kformat.codec.reader import BYTES_PER_ELEMENT, Reader
from kformat.codec.values import Value
from kformat.columns.arrow import pyarrow
from kformat.columns.compiled_rows import Compiled, compiled_of
from kformat.columns.filling import RowBatch, arrow_type, misfit_error, misfits
from kformat.columns.fixed import Fixed, Unsound, fixed_of
from kformat.columns.plan import Plan, plan_of
from kformat.columns.rows import find
from kformat.errors import DataError, InvalidError, MissingDependencyError, UsageError, join_path
from kformat.kernels.compiled import require_numba
from kformat.language.program import load_type

Array = npt.NDArray[Any]

_VALUES: Final = 1 << 12
_VALUES_BYTES: Final = 2 << 20
"""Most values that are objects at the same time, and most bytes of theirs: a byte may become an object of hundreds.
"""
_STRETCH_BYTES: Final = 64 << 20
"""A `Parsed` ends after so many bytes of columns made by the codec: a few bytes may decompress to many."""
MOST_ERROR: Final = 500
"""Most characters of an error in a column."""
_FEWEST: Final = 64


@dataclass(frozen=True, slots=True)
class Parsed:
    """Some values, as Arrow arrays of one length.

    Attributes:
        array: the values: structures, or text for `JsonTexts`; null where the bytes are null or do not parse.
        raw: binary: the bytes of those that do not parse; all others are null.
        error: string: why not; all others are null.
        refused_count: how many do not parse.
    """

    array: Any
    raw: Any
    error: Any
    refused_count: int


class Values:
    """Parses values of a format.

    Args:
        format: as for `kformat.parse`.
        columns: paths in a value (``"price"``, ``"header.kind"``), each a column of that name; by default all fields
            and value instances.
        enums: as for `kformat.scan`.
        source: what errors call the bytes; positions are those in the value.

    Raises UsageError and DeclarationError, as `kformat.scan`.
    """

    def __init__(
        self,
        format: Any,
        columns: Iterable[str] | None = None,
        *,
        enums: str = "names",
        source: str = "value",
        with_fixed: bool = True,
        with_kernels: bool | None = None,
    ) -> None:
        self.program = load_type(format)
        self.source = source
        self.plan = plan_of(find(self.program, self.program.label), columns, enums)
        for chosen in self.plan.columns:
            if chosen.origin != "":
                raise UsageError(f"{chosen.column.name}: a value has no such column, only rows of a file have")
        self._with_fixed, self._with_kernels = with_fixed, with_kernels

    @property
    def label(self) -> str:
        """The name of the values' type."""
        return self.program.label

    @property
    def left_out(self) -> dict[str, str]:
        """The paths of parts of a value without a column -> the reason."""
        return dict(self.plan.left_out)

    @cached_property
    def _fixed(self) -> Fixed | None:
        fixed = _ways(self.plan)[0] if self._with_fixed else None
        return fixed if isinstance(fixed, Fixed) and fixed.size else None

    @cached_property
    def _compiled(self) -> Compiled | None:
        compiled = None if self._with_kernels is False else _ways(self.plan)[1]
        return compiled if isinstance(compiled, Compiled) else None

    @cached_property
    def type(self) -> Any:
        """The Arrow type of a value: a structure, all of whose fields may be null, as the structure may be."""
        pa, columns = pyarrow(), [chosen.column for chosen in self.plan.columns]
        return pa.struct([pa.field(column.name, arrow_type(column.shape)) for column in columns])

    def one(self, data: bytes) -> Value:
        """One value; raises DataError, as `kformat.parse`."""
        return read_value(self.program, Reader(data, source=self.source))

    def parse(self, array: Any) -> Iterator[Parsed]:
        """The values of an Arrow array of binary, in order: all at once, unless columns become far larger than bytes.

        Damage of any kind is an error in its row. Raises MissingDependencyError without pyarrow.
        """
        decoded = _DecodedValues(array, self.type)
        rows = decoded.rows
        if self._fixed is not None:
            rows = self._by_numpy(decoded, self._fixed, rows)
        elif len(rows) and self._is_compiled(decoded.size):
            assert self._compiled is not None
            rows = self._by_kernel(decoded, self._compiled, rows)
        last = 0
        for row in self._by_codec(decoded, rows):
            yield decoded.parsed(last, row)
            last = row
        yield decoded.parsed(last, decoded.count)

    # the ways

    def _by_numpy(self, decoded: _DecodedValues, fixed: Fixed, rows: Array) -> Array:
        """Add the values that numpy reads; returns the rows that it refuses."""
        size = fixed.size
        fits = decoded.stops[rows] - decoded.starts[rows] == size
        chosen = rows[fits]
        if not len(chosen):
            return rows
        starts = decoded.starts[chosen]
        if int(starts[-1]) - int(starts[0]) == (len(chosen) - 1) * size:
            records = fixed.rows(decoded.data, int(starts[0]), len(chosen))
        else:
            records = decoded.data[starts[:, None] + np.arange(size)].reshape(-1).view(fixed.dtype)
        refused = [rows[~fits]]
        kept = fixed.kept(records)
        if kept is not None and not kept.all():
            refused.append(chosen[~kept])
            chosen, records = chosen[kept], records[kept]

        def made(first: int, stop: int) -> tuple[Any, int]:
            return self._structures(fixed.columns, records[first:stop]), stop - first

        refused.append(decoded.add_in_steps(chosen, made))
        return np.sort(np.concatenate(refused))

    def _is_compiled(self, size: int) -> bool:
        """Whether a kernel decodes another ``size`` bytes: there is one, and compiling it is worthwhile."""
        if self._compiled is None:
            return False
        if not self._with_kernels and not self._compiled.readiness.are_ready(size):
            return False
        try:
            require_numba()
        except MissingDependencyError:
            self._compiled = None
            return False
        return True

    def _by_kernel(self, decoded: _DecodedValues, compiled: Compiled, rows: Array) -> Array:
        """Add the values that a kernel reads; returns the rows that it refuses."""
        windows = np.column_stack((decoded.starts[rows], decoded.stops[rows], np.ones(len(rows), np.int64)))

        def made(first: int, stop: int) -> tuple[Any, int]:
            chunk = windows[first:stop]
            columns = compiled.windows(decoded.data, chunk, int((chunk[:, 1] - chunk[:, 0]).sum()))
            if columns.problem is None:
                return self._structures(compiled.columns, columns), stop - first
            count = columns.problem.unit  # bytes that are left over are found after the row
            return (self._structures(compiled.columns, columns).slice(0, count) if count else None), count

        return decoded.add_in_steps(rows, made)

    def _structures(self, columns: list[tuple[str, Any]], rows: Any) -> Any:
        pa = pyarrow()
        return pa.StructArray.from_arrays([make(rows) for _, make in columns], fields=list(self.type))

    def _by_codec(self, decoded: _DecodedValues, rows: Array) -> Iterator[int]:
        """Add rows by the codec; yields each row before which a `Parsed` has to end."""
        values: list[tuple[int, Value]] = []
        size_bytes = 0
        decoded.kept = len(decoded.pieces), decoded.made_count
        for row in rows.tolist():
            start, stop = int(decoded.starts[row]), int(decoded.stops[row])
            reader = Reader(decoded.data[start:stop].tobytes(), source=self.source)
            try:
                values.append((row, read_value(self.program, reader)))
            except DataError as error:
                error.partial = None
                decoded.refuse(row, error)
            state = reader.state
            size_bytes += stop - start + state.inflated + BYTES_PER_ELEMENT * state.free_elements
            if len(values) >= _VALUES or size_bytes >= _VALUES_BYTES:
                self._add_objects(decoded, values)
                values, size_bytes = [], 0
                if decoded.size_bytes >= _STRETCH_BYTES:
                    yield row + 1
        self._add_objects(decoded, values)

    def _add_objects(self, decoded: _DecodedValues, values: list[tuple[int, Value]]) -> None:
        """Add rows that the codec has read; those that do not fit their columns are refused one by one."""
        pending = [values]
        while pending:
            chunk = pending.pop()
            if not chunk:
                continue
            batch = RowBatch(self.plan, self.source)
            batch.values, batch.places = [value for _, value in chunk], [(None, -1, None)] * len(chunk)
            try:
                made = batch.record_batch()
            except Exception as error:
                if not isinstance(error, (DataError, *misfits())):
                    raise
                if len(chunk) > 1:
                    middle = len(chunk) // 2
                    pending += [chunk[middle:], chunk[:middle]]
                    continue
                (row, value), problem = chunk[0], error
                if not isinstance(problem, DataError):
                    problem = misfit_error(self.plan, value, self.source, None)
                    problem.path = join_path(self.label, problem.path)
                elif hasattr(problem, "owner"):
                    rooted(problem, value)
                decoded.refuse(row, problem)
                continue
            array = pyarrow().StructArray.from_arrays(made.columns, fields=list(self.type))
            decoded.add(np.array([row for row, _ in chunk], np.int64), array)
            decoded.size_bytes += array.nbytes


class JsonTexts:
    """Checks that values are JSON (RFC 8259) in UTF-8; they stay text."""

    label = "json"
    left_out: Final[dict[str, str]] = {}

    def __init__(self, *, source: str = "value") -> None:
        self.source = source

    @property
    def type(self) -> Any:
        return pyarrow().string()

    def one(self, data: bytes) -> Any:
        """The value of the text; raises DataError if it is no JSON."""
        try:
            return _DECODER.decode(data.decode())
        except UnicodeDecodeError as error:
            message, position = "text that is not UTF-8", error.start
        except json.JSONDecodeError as error:
            message, position = f"not JSON: {error.msg}", len(error.doc[: error.pos].encode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            message, position = f"not JSON: {error}", 0
        raise InvalidError(message, source=self.source, position=position)

    def parse(self, array: Any) -> Iterator[Parsed]:
        """As `Values.parse`; the text is not copied unless some of it is no JSON."""
        pa = pyarrow()
        decoded = _DecodedValues(array, self.type)
        for row, data in enumerate(array.to_pylist()):
            if data is not None:
                try:
                    self.one(data)
                except DataError as error:
                    decoded.refuse(row, error)
        texts = pa.Array.from_buffers(self.type, len(array), array.buffers(), offset=array.offset)
        good = np.setdiff1d(decoded.rows, np.fromiter(decoded.errors, np.int64, len(decoded.errors)))
        if len(good) == len(array):
            decoded.add(good, texts)
        elif len(good):
            decoded.add(good, texts.take(pa.array(good)))
        yield decoded.parsed(0, decoded.count)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"there is no {name}")


def _integer(text: str) -> int | str:
    return int(text) if len(text) < _DIGITS else text


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


_DIGITS: Final = 640  # Python never refuses so few, whatever its limit
_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_float)
"""Numbers that are too large for Python become their digits."""


@lru_cache(maxsize=64)
def _ways_of(rows: Any, columns: Any) -> tuple[Fixed | str, Compiled | str]:
    plan = Plan(rows, columns, {})
    return fixed_of(plan), compiled_of(plan, "error")


def _ways(plan: Plan) -> tuple[Fixed | str, Compiled | str]:
    """The decoders of a plan, or why there is none; shared by all `Values` of that plan in this process."""
    return _ways_of(plan.rows, plan.columns)


@dataclass(slots=True)
class _DecodedValues:
    """The bytes of some values, and the rows that were made of them, in any order."""

    array: Any
    type: Any
    pieces: list[Any] = field(default_factory=list)
    errors: dict[int, str] = field(default_factory=dict)
    size_bytes: int = 0
    """Size of the codec's columns since the last `parsed`."""

    count: int = field(init=False)
    data: Array = field(init=False)
    starts: Array = field(init=False)
    stops: Array = field(init=False)
    rows: Array = field(init=False)
    """The rows that are not null."""
    index: Array = field(init=False)
    """The number of each row among all rows in the pieces; -1: none."""
    made_count: int = 0
    """Rows in the pieces."""
    kept: tuple[int, int] = 0, 0
    """The number of pieces, and of their rows, that all results use; only the next result uses the others."""

    def __post_init__(self) -> None:
        array, self.count = self.array, len(self.array)
        _, ends, data = array.buffers()
        offsets = np.zeros(1, np.int64)
        if self.count:
            offsets = np.frombuffer(ends, np.int32, self.count + 1, 4 * array.offset).astype(np.int64)
        self.data = np.frombuffer(b"" if data is None else data, np.uint8)
        self.starts, self.stops = offsets[:-1], offsets[1:]
        is_there = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else np.ones(self.count, bool)
        self.rows = np.flatnonzero(is_there)
        self.index = np.full(self.count, -1, np.int64)

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return int(self.stops[-1] - self.starts[0]) if self.count else 0

    def add(self, rows: Array, array: Any) -> None:
        self.index[rows] = np.arange(self.made_count, self.made_count + len(rows))
        self.pieces.append(array)
        self.made_count += len(rows)

    def add_in_steps(self, rows: Array, made: Callable[[int, int], tuple[Any, int]]) -> Array:
        """Add rows; returns those that are refused.

        ``made(first, stop)`` makes these rows up to the first that it refuses; it raises Unsound if it refuses one of
        them without saying which.
        """
        refused: list[int] = []
        first, step = 0, len(rows)
        while first < len(rows):
            stop = min(first + step, len(rows))
            try:
                array, count = made(first, stop)
            except Unsound:
                if stop - first > 1:
                    step = (stop - first) // 2
                    continue
                array, count = None, 0
            if count:
                self.add(rows[first : first + count], array)
            first += count
            if first < stop:
                refused.append(first)
                first += 1
            step = 2 * step if first >= stop else max(2 * count, _FEWEST)
        return rows[refused]

    def refuse(self, row: int, error: DataError) -> None:
        self.errors[row] = str(error)[:MOST_ERROR]

    def parsed(self, start: int, stop: int) -> Parsed:
        """Some rows; the codec's columns of them are dropped then."""
        pa, count = pyarrow(), stop - start
        index = self.index[start:stop]
        if not self.pieces:
            array = pa.nulls(count, self.type)
        else:
            array = self.pieces[0] if len(self.pieces) == 1 else pa.concat_arrays(self.pieces)
            if count != len(array) or not np.array_equal(index, np.arange(count)):
                array = array.take(pa.array(index, mask=index < 0))
        del self.pieces[self.kept[0] :]
        self.made_count, self.size_bytes = self.kept[1], 0
        refused = sorted(row for row in self.errors if start <= row < stop)
        if not refused:
            return Parsed(array, pa.nulls(count, pa.binary()), pa.nulls(count, pa.string()), 0)
        rows = np.full(count, -1, np.int64)
        rows[np.array(refused) - start] = refused
        raw = self.array.take(pa.array(rows, mask=rows < 0))
        error = pa.array([self.errors[row] if row >= 0 else None for row in rows.tolist()], pa.string())
        return Parsed(array, raw, error, len(refused))


__all__ = ["MOST_ERROR", "JsonTexts", "Parsed", "Values"]
