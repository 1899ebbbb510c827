"""pyarrow, imported when first needed, streams of record batches, and files of them.

The extra ``arrow`` installs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from kformat.errors import InvalidError, MissingDependencyError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    # pyarrow itself has type hints, or stubs have them, or these are Any.
    Table: TypeAlias = pa.Table
    RecordBatch: TypeAlias = pa.RecordBatch
    RecordBatchReader: TypeAlias = pa.RecordBatchReader
else:
    Table = RecordBatch = RecordBatchReader = Any

_ROWS_PER_GROUP: Final = 1 << 20
_ROWS_AT_ONCE: Final = 1 << 12  # encoded in sequence; pages end between them
_BYTES_PER_GROUP: Final = 32 << 20
_PARQUET, _ARROW_FILE = b"PAR1", b"ARROW1"
_BEGINNINGS: Final = (_PARQUET, _ARROW_FILE, b"\xff\xff\xff\xff")
_LONGEST: Final = 6
_MOST_WORDS: Final = 300


@cache
def pyarrow() -> Any:
    """Import pyarrow; MissingDependencyError if it is not installed (extra ``arrow``)."""
    try:
        import pyarrow as library
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pyarrow", "arrow") from error
    return library


def leaf_types(kind: Any) -> Iterator[Any]:
    """An Arrow type; of structures and lists the types of what is in them."""
    types = pyarrow().types
    if types.is_struct(kind):
        for field in kind:
            yield from leaf_types(field.type)
    elif types.is_list(kind):
        yield from leaf_types(kind.value_type)
    else:
        yield kind


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


def is_table_file(stream: IO[bytes]) -> bool:
    """Whether the next bytes of a stream begin an Arrow or Parquet file, or an Arrow stream. Nothing is consumed."""
    return _next(stream).startswith(_BEGINNINGS)


def table_batches(stream: IO[bytes], name: str) -> Iterator[RecordBatch]:
    """The record batches of an Arrow stream or file (IPC), or of a Parquet file, whichever the bytes are.

    Each is validated, so that untrusted input is safe. Memory holds one batch; of Parquet, whose row groups may be
    large, some ten thousand rows. Parquet needs a seekable file; Arrow may come from a pipe. ``name`` is the file's
    name, for errors.

    Raises UsageError for other bytes, and for Parquet from a pipe; InvalidError for damaged bytes, after the batches
    before them; MissingDependencyError without pyarrow.
    """
    pa, start = pyarrow(), _next(stream)
    if not start.startswith(_BEGINNINGS):
        raise UsageError("neither Arrow (an IPC stream or file) nor Parquet")
    is_parquet = start.startswith(_PARQUET)
    if is_parquet and not stream.seekable():
        raise UsageError("Parquet cannot be read from a pipe: name the file, or give an Arrow stream")
    try:
        for batch in _of_parquet(stream) if is_parquet else _of_ipc(stream, start):
            batch.validate(full=True)
            yield batch
    except (pa.ArrowException, EOFError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        kind = "Parquet" if is_parquet else "Arrow"
        raise InvalidError(f"damaged {kind}: {' '.join(str(error).split())[:_MOST_WORDS]}", source=name) from None


def _next(stream: IO[bytes]) -> bytes:
    if hasattr(stream, "peek"):
        start: bytes = stream.peek(_LONGEST)[:_LONGEST]
        return start
    position = stream.tell()
    start = stream.read(_LONGEST)
    stream.seek(position)
    return start


def _of_ipc(stream: IO[bytes], start: bytes) -> Iterator[RecordBatch]:
    if start.startswith(_ARROW_FILE):
        stream.read(8)  # an Arrow file is a stream between a magic and a footer
    with pyarrow().ipc.open_stream(stream) as reader:
        yield from reader


def _of_parquet(stream: IO[bytes]) -> Iterator[RecordBatch]:
    from pyarrow import parquet

    with parquet.ParquetFile(stream, buffer_size=1 << 20) as file:
        yield from file.iter_batches(batch_size=1 << 14)


class _ParquetFile:
    """A Parquet file in row groups of about a million rows or 32 MiB, whichever comes first. Larger row groups are
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
    "is_table_file",
    "leaf_types",
    "pyarrow",
    "reader_of",
    "table_batches",
]
