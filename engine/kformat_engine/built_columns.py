"""Columns of records with declared values and keys -> columns of records whose values and keys are bytes.

The columns are those that `declared` makes, so that exported records can be appended. Other columns are as for
`kformat.build_batches`: ``timestamp`` and ``headers`` are read, the rest is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

from kformat.codec.constructs import build
from kformat.columns.arrow import arrow_compute, pyarrow, reader_of
from kformat.columns.building import BYTES, TEXTS, Builder, Built
from kformat.columns.values import JsonTexts
from kformat.errors import BuildError, UsageError
from kformat.kafka.batch.records import Record
from kformat.kafka.columns.declared import JSON, built
from kformat.kafka.columns.tables import batches_of, record_batches

_PART_ROWS: Final = 1 << 14
_PART_BYTES: Final = 4 << 20
"""The most rows that are built at once, and the most bytes of their columns, unless a row has more."""


class BuiltColumns:
    """Columns as `Declared` makes them -> the columns of records, where values and keys are bytes again.

    ``value`` is a structure, or text for ``json``; or there are parts of it (``value.price``), and a value that is null
    in all of them is null. For a null value the bytes in ``value_raw`` are used; ``value_error`` is ignored. The same
    holds for ``key``.

    Args:
        value_as, key_as: the layout of values, and of keys; None: these are bytes already.

    Raises UsageError and DeclarationError, as `kformat.build`.
    """

    def __init__(self, value_as: Any = None, key_as: Any = None) -> None:
        layouts = {"value": value_as, "key": key_as}
        self.sides = {name: _BuiltSide(name, layout) for name, layout in layouts.items() if layout is not None}

    def parts(self, batches: Iterable[Any]) -> Iterator[tuple[int, Any, BuildError | None]]:
        """The columns of records in record batches, in parts of some MB: the number of the first row, the columns of
        the rows that can be built, and the error of the row after them; its path begins with the column.

        Raises UsageError for a column that is missing, duplicate, or does not fit its layout.
        """
        row = 0
        for batch in batches:
            size = max(1, batch.nbytes // max(1, batch.num_rows))
            rows = max(1, min(_PART_ROWS, _PART_BYTES // size))
            for start in range(0, batch.num_rows, rows):
                yield row + start, *self._columns(batch.slice(start, rows))
            row += batch.num_rows

    def table(self, table: Any) -> Any:
        """The columns of records of a table, read lazily, as a ``pyarrow.RecordBatchReader``.

        Raises UsageError, as `parts`, and as `tables.record_batches` for anything but a table; BuildError while it is
        read: its path begins with the row.
        """
        pa, (batches, schema) = pyarrow(), batches_of(table)
        nothing = [pa.nulls(0, field.type) for field in schema]
        first, _ = self._columns(pa.RecordBatch.from_arrays(nothing, schema=schema))

        def parts() -> Iterator[Any]:
            for row, records, problem in self.parts(batches):
                if problem is not None:
                    problem.path = f"rows[{row + records.num_rows}].{problem.path}"
                    raise problem
                yield records

        return reader_of(first.schema, parts())

    def record(self, row: Any) -> Any:
        """Build the value and key of a record as `kformat_engine.Log.append` takes it (a mapping, a pair, a `Record`,
        or a value alone), which are what `kformat.build` takes; returns it with their bytes. Raises BuildError.
        """
        match row:
            case Mapping():
                return {name: self._bytes(name, item) for name, item in row.items()}
            case Record():
                return row._replace(key=self._bytes("key", row.key), value=self._bytes("value", row.value))
            case (key, value) if isinstance(row, tuple):
                return self._bytes("key", key), self._bytes("value", value)
        return self._bytes("value", row)

    def _bytes(self, name: Any, content: Any) -> Any:
        side = self.sides.get(name)
        if side is None or content is None:
            return content
        return built(JSON, content, "base64") if side.layout == JSON else build(side.layout, content)

    def _columns(self, batch: Any) -> tuple[Any, BuildError | None]:
        names = [name for name in batch.schema.names if not any(side.has(name) for side in self.sides.values())]
        columns = [batch.column(index) for index, name in enumerate(batch.schema.names) if name in names]
        sides = {name: side.build(batch) for name, side in self.sides.items()}
        count = min([batch.num_rows, *(len(side.array) for side in sides.values())])
        problem = next((side.problem for side in sides.values() if side.problem and len(side.array) == count), None)
        columns = [column.slice(0, count) for column in (*columns, *(side.array for side in sides.values()))]
        (records,) = record_batches(pyarrow().RecordBatch.from_arrays(columns, names=[*names, *sides]))
        return records, problem


class _BuiltSide:
    """The bytes of values, or of keys, from their columns."""

    def __init__(self, name: str, layout: Any) -> None:
        self.name, self.layout, self.raw = name, layout, f"{name}_raw"
        self.builder = JsonTexts(source=name) if layout == JSON else Builder(layout, source=name)

    def has(self, column: str) -> bool:
        return column in (self.name, self.raw, f"{self.name}_error") or column.startswith(f"{self.name}.")

    def build(self, batch: Any) -> Built:
        pa, names = pyarrow(), batch.schema.names
        for name in names:
            if self.has(name) and names.count(name) > 1:
                raise UsageError(f"column {name} is there {names.count(name)} times")
        parts = [(name.split(".")[1:], batch.column(name)) for name in names if name.startswith(f"{self.name}.")]
        if parts and self.name in names:
            raise UsageError(f"there is column {self.name}, and {'.'.join([self.name, *parts[0][0]])}, too")
        if self.name in names:
            column = batch.column(self.name)
        elif parts:
            column = _nested(self.name, parts)
        elif self.raw in names:
            column = pa.nulls(batch.num_rows)
        else:
            present = ", ".join(names) or "no column"
            raise UsageError(f"column {self.name} is expected, or parts of it, as {self.name}.a, found {present}")
        result = self._texts(column) if isinstance(self.builder, JsonTexts) else self.builder.build(column)
        return result if self.raw not in names else self._with_raw(result, column, batch.column(self.raw))

    def _texts(self, column: Any) -> Built:
        pa = pyarrow()
        if not any(getattr(pa.types, f"is_{kind}")(column.type) for kind in ("null", *TEXTS)):
            raise UsageError(f"column {self.name}: JSON as text is expected, found {column.type}")
        array = column.cast(pa.string()).cast(pa.binary())
        (parsed,) = JsonTexts(source=self.name).parse(array)
        if not parsed.refused_count:
            return Built(array, None)
        row = int(np.flatnonzero(parsed.error.is_valid().to_numpy(zero_copy_only=False))[0])
        return Built(array.slice(0, row), BuildError(parsed.error[row].as_py()))

    def _with_raw(self, result: Built, column: Any, raw: Any) -> Built:
        pa, compute, count = pyarrow(), arrow_compute(), len(result.array)
        if not any(getattr(pa.types, f"is_{kind}")(raw.type) for kind in ("null", *BYTES)):
            raise UsageError(f"column {self.raw}: binary is expected, found {raw.type}")
        raw = raw.cast(pa.binary()).slice(0, count)
        twice = np.flatnonzero(compute.and_(raw.is_valid(), column.slice(0, count).is_valid()))
        array = compute.coalesce(result.array, raw)
        if not len(twice):
            return Built(array, result.problem)
        return Built(array.slice(0, int(twice[0])), BuildError(f"there is {self.name}, and {self.raw}, too"))


def _nested(path: str, parts: Sequence[tuple[list[str], Any]]) -> Any:
    """Nest columns with these paths into a structure; null where all of them are."""
    pa, compute, inner = pyarrow(), arrow_compute(), dict[str, list[tuple[list[str], Any]]]()
    for words, array in parts:
        inner.setdefault(words[0], []).append((words[1:], array))
    arrays = []
    for name, members in inner.items():
        if len(members) > 1 and any(not words for words, _ in members):
            raise UsageError(f"there is column {path}.{name}, and a part of it, too")
        arrays.append(members[0][1] if not members[0][0] else _nested(f"{path}.{name}", members))
    absent = reduce(compute.and_, (array.is_null() for array in arrays))
    return pa.StructArray.from_arrays(arrays, names=list(inner), mask=absent)


__all__ = ["BuiltColumns"]
