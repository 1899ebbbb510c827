"""The leaves of Arrow columns: the arrays in structures and lists, and the rows that their elements belong to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kformat.columns.arrow import RecordBatch, pyarrow
from kformat.columns.logical import is_uuid, plain_array


class Leaf(NamedTuple):
    """The ``array`` at a ``path`` (``items.key``). ``rows``: the row of each element; None: the row of the same number.
    ``is_list``: the array is a list, and its elements follow as a leaf of the same path.
    """

    path: str
    array: Any
    rows: npt.NDArray[np.int64] | None
    is_list: bool = False


def leaves_of(batch: RecordBatch) -> Iterator[Leaf]:
    """The leaves of a record batch, and its lists, in the order of its columns."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        yield from _leaves(name, column, None)


def _leaves(path: str, array: Any, rows: npt.NDArray[np.int64] | None) -> Iterator[Leaf]:
    types = pyarrow().types
    if types.is_struct(array.type):
        for field, inner in zip(array.type, array.flatten(), strict=True):
            yield from _leaves(f"{path}.{field.name}", inner, rows)
    elif types.is_list(array.type):
        yield Leaf(path, array, rows, True)
        lengths = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        around = np.arange(len(array), dtype=np.int64) if rows is None else rows
        yield from _leaves(path, array.flatten(), np.repeat(around, lengths))
    else:
        yield Leaf(path, plain_array(array) if is_uuid(array.type) else array, rows)


__all__ = ["Leaf", "leaves_of"]
