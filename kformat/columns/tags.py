"""Tags that are attributes (``-tagged``) as Arrow columns, made of the lists of tags."""

from __future__ import annotations

from typing import Any

import numpy as np

from kformat.codec.tags import default_of
from kformat.columns.arrow import pyarrow
from kformat.columns.filling import filler
from kformat.columns.plan import Shape
from kformat.language.program import TaggedField


def tag_array(tagged: TaggedField, shape: Shape, contents: Any, numbers: Any) -> Any:
    """The column of a tag.

    ``contents`` and ``numbers`` are Arrow lists, one for each structure and of the same lengths, null where it has no
    tags: what each tag holds, if it is of the tag's kind, and its number. The last one that has the number counts.
    """
    pa = pyarrow()
    values, ends = contents.flatten(), contents.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).cumsum()
    wanted = numbers.flatten().to_numpy(zero_copy_only=False) == tagged.tag
    there = np.flatnonzero(wanted)
    rows = np.searchsorted(ends, there, side="right")
    index = np.full(len(contents), len(values), np.int64)
    index[rows] = there  # of several the last one stays
    if not len(there) and tagged.default is None:
        return pa.nulls(len(contents), values.type)
    default = filler(shape)([default_of(tagged)])
    return pa.concat_arrays([values, default.cast(values.type)]).take(pa.array(index))


__all__ = ["tag_array"]
