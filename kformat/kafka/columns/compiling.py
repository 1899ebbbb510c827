"""Compile all kernels that read records, by using each of them once; `RECORD_KERNELS` says when."""

from __future__ import annotations

import numpy as np

from kformat.kafka.batch import few_records
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import Columns
from kformat.kafka.columns.batch_builder import build_batches
from kformat.kafka.columns.chunks import COLUMNS, PLACE_COLUMNS, RECORD_COLUMNS, Scattered, Wanted, read_chunks
from kformat.kernels import contains, gather, views


def compile_all() -> None:
    """Use each kernel once, for batches of each kind.

    Raises MissingDependencyError without numba.
    """
    rows = Columns(range(20), [None, b"key"] * 10, [b"value", None] * 10, [[("header", b"value")], []] * 10)
    plain, packed = (bytes(next(build_batches(rows, compression=codec)).raw) for codec in ("none", "gzip"))
    for data in (plain, packed, plain + packed):
        for columns in (RECORD_COLUMNS, COLUMNS, (*COLUMNS, *PLACE_COLUMNS)):
            for allocate in (None, lambda size: np.empty(size, np.uint8)):
                wanted = Wanted(columns=columns)
                for chunk in read_chunks(data, wanted, allocate=allocate, use_kernels=True):
                    if isinstance(chunk.value, Scattered):
                        gather(*chunk.value, np.empty(len(chunk), np.int32))
                        views(*chunk.value)
                        contains(*chunk.value, b"value", ignores_case=False)
    few_records.use_once(Batch(plain))


__all__ = ["compile_all"]
