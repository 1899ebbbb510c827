"""pyarrow, imported when first needed, streams of record batches, and files of them.

The extra ``arrow`` installs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from kformat.errors import MissingDependencyError

if TYPE_CHECKING:
    import pyarrow as pa

Table: TypeAlias = Any
"""A ``pyarrow.Table``; pyarrow has no type hints."""
RecordBatch: TypeAlias = Any
"""A ``pyarrow.RecordBatch``."""
RecordBatchReader: TypeAlias = Any
"""A ``pyarrow.RecordBatchReader``."""

_ROWS_PER_GROUP: Final = 1 << 20
_ROWS_AT_ONCE: Final = 1 << 12  # encoded in sequence; pages end between them
_BYTES_PER_GROUP: Final = 32 << 20


@cache
def pyarrow() -> Any:
    """Import pyarrow; MissingDependencyError if it is not installed (extra ``arrow``)."""
    try:
        import pyarrow as library
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pyarrow", "arrow") from error
    return library


def allocate(size: int) -> np.ndarray[Any, Any]:
    """Memory from Arrow's pool, which reuses the memory of released batches; uint8."""
    return np.frombuffer(pyarrow().allocate_buffer(size), np.uint8)


def arrow_compute() -> Any:
    """Import ``pyarrow.compute``; raises as `pyarrow`."""
    pyarrow()
    import pyarrow.compute as library

    return library


def reader_of(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
    """A ``pyarrow.RecordBatchReader`` over these record batches."""
    return pyarrow().RecordBatchReader.from_batches(schema, batches)


def file_writer(
    kind: str,
    stream: IO[bytes],
    schema: Any,
    *,
    with_dictionary: bool | Collection[str] = True,
    encodings: Mapping[str, str] | None = None,
    with_statistics: bool | Collection[str] = True,
) -> Any:
    """A writer of record batches to a file: ``parquet`` (zstd) or ``arrow`` (IPC), with `write` and `close`.

    ``with_dictionary``, ``encodings`` and ``with_statistics`` name columns of Parquet, as
    ``pyarrow.parquet.ParquetWriter`` does.
    """
    if kind != "parquet":
        return pyarrow().ipc.new_stream(stream, schema)
    how: dict[str, Any] = {
        "use_dictionary": with_dictionary if with_dictionary is True else list(with_dictionary or ())
    }
    if encodings is not None:
        how["column_encoding"] = dict(encodings)
    if with_statistics is not True:
        how["write_statistics"] = list(with_statistics or ())
    return _ParquetFile(stream, schema, how)


class _ParquetFile:
    """A Parquet file in row groups of about a million rows, or of 32 MiB if those have more rows. Larger row groups are
    slower: they no longer fit in the CPU cache.
    """

    def __init__(self, stream: IO[bytes], schema: Any, how: dict[str, Any]) -> None:
        from pyarrow import parquet

        self.schema, self.row_count, self.size_bytes = schema, 0, 0
        self.batches: list[RecordBatch] = []
        self.file = parquet.ParquetWriter(stream, schema, compression="zstd", write_batch_size=_ROWS_AT_ONCE, **how)

    def write(self, batch: RecordBatch) -> None:
        self.batches.append(batch)
        self.row_count, self.size_bytes = self.row_count + batch.num_rows, self.size_bytes + batch.nbytes
        if self.row_count >= _ROWS_PER_GROUP or self.size_bytes >= _BYTES_PER_GROUP:
            self._pass_on()

    def _pass_on(self) -> None:
        if self.batches:
            self.file.write_table(pyarrow().Table.from_batches(self.batches, self.schema), self.row_count)
        self.batches, self.row_count, self.size_bytes = [], 0, 0

    def close(self) -> None:
        self._pass_on()
        self.file.close()


__all__ = [
    "RecordBatch",
    "RecordBatchReader",
    "Table",
    "allocate",
    "arrow_compute",
    "file_writer",
    "pyarrow",
    "reader_of",
]
