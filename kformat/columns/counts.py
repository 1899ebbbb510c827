"""Statistics of columns of rows, counted batch by batch: extremes, sizes, distinct and most frequent values.

Memory is bounded: of each column at most `MOST_VALUES` different values of at most `LONGEST_BYTES` bytes are counted.
If there are more, the rarer half is dropped each time, and the remaining counts are lower limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from kformat.columns.arrow import RecordBatch, arrow_compute, pyarrow
from kformat.columns.leaves import Leaf, leaves_of
from kformat.columns.logical import plain_array

MOST_VALUES: Final = 1 << 15
LONGEST_BYTES: Final = 256
MOST_FREQUENT: Final = 5


class ColumnCounts:
    """The counts of one leaf of the columns, or of one list.

    Attributes:
        column: its path. type: what Arrow calls it.
        count, null_count: values, and nulls.
        smallest, largest: of the values; None for lists, and if there are no values. Of an enum they are numbers
            (`name_of`), of a timestamp the integers that Arrow has for them (`shown`).
        size_bytes: of bytes and text (in UTF-8), or of a list its lengths: the smallest, the largest, and all together.
        is_exact: all values are counted, so that `distinct_count` is right.
    """

    def __init__(self, column: str, type: Any, is_list: bool, numbers: Mapping[str, int] | None = None) -> None:
        self.column, self.is_list, self.numbers = column, is_list, numbers
        self.type = "list" if is_list else str(type) if numbers is None else "enum"
        self.arrow_type = pyarrow().float32() if str(type) == "halffloat" else type
        self.count = self.null_count = 0
        self.smallest: Any = None
        self.largest: Any = None
        self.sizes: tuple[int, int, int] | None = None
        self.is_exact = True
        self.most_values = 0
        self._values: Any = None

    def add(self, array: Any) -> None:
        """Count more values, an Arrow array."""
        compute, types = arrow_compute(), pyarrow().types
        if types.is_float16(array.type):  # pyarrow computes nothing with them
            array = array.cast("float")
        self.null_count += array.null_count
        count = len(array) - array.null_count
        self.count += count
        if not count:
            return
        is_sized = self.numbers is None and (types.is_binary(array.type) or types.is_string(array.type))
        if is_sized or self.is_list:
            lengths = compute.list_value_length(array) if self.is_list else compute.binary_length(array)
            low, high = compute.min_max(lengths).as_py().values()
            before = self.sizes or (low, high, 0)
            self.sizes = min(before[0], low), max(before[1], high), before[2] + compute.sum(lengths).as_py()
        if self.is_list:
            return
        values = array.drop_null()
        if self.numbers is None:
            is_time = types.is_timestamp(values.type)
            extremes = compute.min_max(values.cast("int64") if is_time else values).as_py()
        else:
            names = values.unique().to_pylist()
            numbers = [self.numbers[name] if name in self.numbers else int(name) for name in names]
            extremes = {"min": min(numbers), "max": max(numbers)}
        for name, better in (("min", min), ("max", max)):
            value = extremes[name]
            attribute = "smallest" if name == "min" else "largest"
            old = getattr(self, attribute)
            if not (isinstance(value, float) and math.isnan(value)):
                setattr(self, attribute, value if old is None else better(old, value))
        if is_sized:
            short = compute.less_equal(compute.binary_length(values), LONGEST_BYTES)
            if not compute.all(short).as_py():
                values, self.is_exact = values.filter(short), False
        self._count(values)

    def _count(self, values: Any) -> None:
        pa = pyarrow()
        counted = values.value_counts()
        table = pa.table({"value": counted.field(0), "count": counted.field(1)})
        if self._values is not None:
            table = pa.concat_tables([self._values, table]).group_by("value").aggregate([("count", "sum")])
            table = pa.table({"value": table["value"], "count": table["count_sum"]})
        self.most_values = max(self.most_values, len(table))
        if len(table) > MOST_VALUES:
            table, self.is_exact = table.sort_by([("count", "descending")]).slice(0, MOST_VALUES // 2), False
            table = table.combine_chunks()
        self._values = table

    @property
    def distinct_count(self) -> int:
        """The number of different values: exact if `is_exact`, else a lower limit."""
        return self.most_values

    def most_frequent(self, most: int = MOST_FREQUENT) -> list[tuple[Any, int]]:
        """The most frequent values with their counts, the most frequent first. If there are more values than ``most``,
        those that occur once are left out.
        """
        if self._values is None:
            return []
        rows = self._values.sort_by([("count", "descending")]).slice(0, most).combine_chunks()
        values = [value for chunk in rows["value"].chunks for value in plain_array(chunk).to_pylist()]
        counted = list(zip(values, rows["count"].to_pylist(), strict=True))
        return [pair for pair in counted if len(self._values) <= most or pair[1] > 1]

    def shown(self, value: Any) -> Any:
        """`smallest`, or `largest`, as rows have it in text: a time, a decimal."""
        if value is None or self.is_list or self.numbers is not None:
            return value
        return plain_array(pyarrow().array([value], self.arrow_type)).to_pylist()[0]

    def name_of(self, value: Any) -> str | None:
        """The name of an enum's number; None if it has none, or if the column is no enum."""
        return next((name for name, number in (self.numbers or {}).items() if number == value), None)

    def as_dict(self) -> dict[str, Any]:
        """All counts, for JSON; bytes stay bytes."""
        row: dict[str, Any] = {"column": self.column, "type": self.type, "count": self.count}
        row |= {
            "null_count": self.null_count,
            "min": _plain(self.shown(self.smallest)),
            "max": _plain(self.shown(self.largest)),
        }
        if self.numbers is not None:
            row |= {"min_name": self.name_of(self.smallest), "max_name": self.name_of(self.largest)}
        if self.sizes is not None:
            low, high, total = self.sizes
            name = "length" if self.is_list else "size"
            row[name] = {"min": low, "mean": total / self.count, "max": high, "sum": total}
        if not self.is_list:
            row |= {"distinct_count": self.distinct_count, "distinct_are_all": self.is_exact}
            row["most_frequent"] = [{"value": _plain(value), "count": count} for value, count in self.most_frequent()]
        return row


def _plain(value: Any) -> Any:
    """A value for JSON, which has neither decimals nor some floats."""
    if isinstance(value, Decimal):
        return int(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


class RowCounts:
    """The counts of all columns of rows, in the order of the columns. ``enums``: `plan.numbers_of_names` of all."""

    def __init__(self, enums: Mapping[str, Mapping[str, int]] | None = None) -> None:
        self.rows_count, self.enums = 0, enums or {}
        self.columns: dict[tuple[str, bool], ColumnCounts] = {}

    def add(self, batch: RecordBatch) -> None:
        """Count more rows."""
        self.rows_count += batch.num_rows
        for leaf in leaves_of(batch):
            self._of(leaf).add(leaf.array)

    def _of(self, leaf: Leaf) -> ColumnCounts:
        key = leaf.path, leaf.is_list
        if key not in self.columns:
            numbers = None if leaf.is_list else self.enums.get(leaf.path)
            self.columns[key] = ColumnCounts(leaf.path, leaf.array.type, leaf.is_list, numbers)
        return self.columns[key]


__all__ = ["LONGEST_BYTES", "MOST_VALUES", "ColumnCounts", "RowCounts"]
