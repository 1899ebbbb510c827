"""Rows of Arrow into one file, for `export`: Parquet, Arrow, CSV, JSON, lines of JSON, a DuckDB database."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import IO, Any, Final, Protocol

import click

from kformat.cli import UNSAFE, escaped, one_line, say, standard_output
from kformat.cli.jobs import Workers
from kformat.cli.text_rows import TextRows
from kformat.columns.arrow import RecordBatch, pyarrow
from kformat.columns.logical import plain_array
from kformat.errors import MissingDependencyError, UsageError
from kformat.storage.address import is_address
from kformat.storage.atomic_write import put_in_place, sync_file, unique_name, writing_beside
from kformat.storage.plain_file import writer_of

_ENDINGS: Final = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".ndjson": "nl",
    ".jsonl": "nl",
    ".nl": "nl",
    ".json": "json",
    ".duckdb": "duckdb",
}
COMPRESSED: Final = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}
"""The last ending of a compressed text -> Arrow's name of the compression."""
TEXTS: Final = ("csv", "json", "nl")
_WORTH_BYTES: Final = 16 << 20
"""Up to so many bytes of columns, lines are made in this process: starting others takes longer."""
FORMATS: Final = ("parquet", "arrow", "csv", "json", "nl", "duckdb")

FileWriter = Callable[[str, IO[bytes], Any], Any]
"""(kind, stream, schema) -> a writer of record batches to Parquet or Arrow."""


def kind_of_output(output: str, format: str | None) -> str:
    """The kind of file to write: as `--format` says, or the file's ending. Raises UsageError."""
    ending = Path(output).suffix
    is_compressed = ending in COMPRESSED
    kind = format or _ENDINGS.get(Path(output).with_suffix("").suffix if is_compressed else ending)
    if kind is None:
        if output != "-" and Path(output).is_dir():
            raise UsageError(f"{output} is a folder: -o {output}/ writes a file for each input into it")
        where = "name a file or a folder: -o FILE, -o DIR/" if output == "-" else f"{output}: what kind of file is that"
        raise UsageError(f"{where}; or give --format. The endings are {', '.join(_ENDINGS)}")
    if is_address(output):
        raise UsageError(f"{output}: files are written on this machine only")
    if kind in ("parquet", "duckdb") and output == "-":
        what = {"parquet": "Parquet", "duckdb": "A database"}[kind]
        raise UsageError(f"{what} cannot be written to a pipe: name a FILE")
    if is_compressed and kind not in TEXTS:
        raise UsageError(f"{output}: {kind} is not compressed as a whole; text is ({', '.join(TEXTS)})")
    return kind


def has_lines(file: str) -> bool:
    """Whether a file is named as lines of JSON are."""
    path = Path(file)
    return _ENDINGS.get(path.with_suffix("").suffix if path.suffix in COMPRESSED else path.suffix) == "nl"


def ending_of(kind: str) -> str:
    """The ending of a file of a kind."""
    return next(ending for ending, its_kind in _ENDINGS.items() if its_kind == kind)


class Writer(Protocol):
    def write(self, batch: RecordBatch) -> None: ...
    def close(self) -> None: ...


def refuse_unless_empty(out: str) -> None:
    """End with the exit status UNSAFE if a path is a folder that is not empty, or not a folder."""
    if os.path.lexists(out) and (not os.path.isdir(out) or os.listdir(out)):
        say(f"kformat: {one_line(out)}: not an empty folder; nothing was written")
        click.get_current_context().exit(UNSAFE)


@contextlib.contextmanager
def opened_output(output: str) -> Iterator[IO[bytes]]:
    """Standard output, a pipe or a device; or a file, where a link leads, that gets its name when it is whole."""
    if output == "-":
        yield standard_output()
        return
    target = os.path.realpath(output)
    if os.path.exists(output) and not os.path.isfile(output):  # a pipe, or /dev/null, which must stay one
        with writer_of(os.open(output, os.O_WRONLY), output) as stream:
            yield stream
        return
    with writing_beside(Path(target), mode=0o666) as stream:
        codec = COMPRESSED.get(Path(output).suffix)
        if codec is None:
            yield stream
            return
        with pyarrow().CompressedOutputStream(pyarrow().PythonFile(_NotClosed(stream), "w"), codec) as compressed:
            yield compressed


class _NotClosed:
    """A stream that its compression must not close: it is to be on the disk before it gets its name."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.closed = stream, False

    def write(self, data: bytes) -> int:
        return self.stream.write(data)

    def flush(self) -> None:
        self.stream.flush()

    def close(self) -> None:
        self.closed = True


@contextlib.contextmanager
def database(output: str, table: str, schema: Any) -> Iterator[Writer]:
    """A writer of one table of a DuckDB database, a file that gets its name when it is whole.

    Raises MissingDependencyError without duckdb.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependencyError("duckdb", "duckdb") from None
    target = Path(os.path.realpath(output))
    if target.exists():
        with duckdb.connect(os.fspath(target), read_only=True) as connection:
            names = [name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()]
        if others := [name for name in names if name != table]:
            raise UsageError(f"{output}: a database with other tables ({', '.join(others)}); name a new file")
    beside = target.with_name(unique_name(target.name))
    try:
        with duckdb.connect(os.fspath(beside)) as connection:
            yield _Database(connection, table, schema)
        with open(beside, "rb+") as file:
            sync_file(file)
        put_in_place([(beside, target)])
    finally:
        for left in (beside, beside.with_name(f"{beside.name}.wal")):
            left.unlink(missing_ok=True)


_BATCH: Final = "kformat_batch_of_rows"
"""The name of what is inserted; no list of rows has it."""


class _Database:
    def __init__(self, connection: Any, table: str, schema: Any) -> None:
        self.connection, self.name = connection, '"' + table.replace('"', '""') + '"'
        self._run(f"create table {self.name} as select * from {_BATCH}", schema.empty_table())

    def _run(self, sql: str, rows: Any) -> None:
        self.connection.register(_BATCH, rows)
        self.connection.execute(sql)
        self.connection.unregister(_BATCH)

    def write(self, batch: RecordBatch) -> None:
        self._run(f"insert into {self.name} select * from {_BATCH}", pyarrow().Table.from_batches([batch]))

    def close(self) -> None:
        self.connection.execute("checkpoint")


@contextlib.contextmanager
def writing(kind: str, *how: Any) -> Iterator[Writer]:
    """A writer, to be closed when all is written."""
    writer = _writer(kind, *how)
    try:
        yield writer
    except BaseException:
        if kind == "parquet":  # else it complains, when it is collected, that its file is closed
            with contextlib.suppress(OSError, ValueError):
                writer.close()
        raise


def _writer(
    kind: str,
    stream: IO[bytes],
    schema: Any,
    file_writer: FileWriter,
    bytes_as: str,
    workers: Workers,
    times: Collection[str] = (),
) -> Writer:
    """``times``: the columns of timestamps that text has as integers, Kafka's own."""
    if kind in ("parquet", "arrow"):
        writer: Writer = file_writer(kind, stream, schema)
        return writer
    rows = TextRows(schema.names, bytes_as, times, is_csv=kind == "csv")
    return (TextList if kind == "json" else TextLines)(stream, rows, workers)


class TextLines:
    """Lines of text, in the order of the rows. If there are many rows, other processes make them."""

    def __init__(self, stream: IO[bytes], rows: TextRows, workers: Workers) -> None:
        self.stream, self.rows, self.workers = stream, rows, workers
        self.escapes, self.size_bytes = stream.isatty(), 0
        self.pending: deque[Future[bytes]] = deque()
        self._pass_on(rows.head())

    def write(self, batch: RecordBatch) -> None:
        self.size_bytes += batch.nbytes
        if self.workers.count == 1 or self.size_bytes <= _WORTH_BYTES:
            self._pass_on(self.rows.text(batch))
            return
        self.pending.append(self.workers.submit(_text, self.rows, _packed(batch)))
        if len(self.pending) > 2 * self.workers.count:
            self._pass_on(self.pending.popleft().result())

    def finish(self) -> None:
        """Write the lines that are still being made."""
        while self.pending:
            self._pass_on(self.pending.popleft().result())

    def _pass_on(self, text: bytes) -> None:
        self.stream.write(escaped(text.decode()).encode() if self.escapes else text)

    def close(self) -> None:
        self.finish()
        self.stream.flush()


class TextList(TextLines):
    """One JSON text: a list of the rows, an object on a line each."""

    is_empty = True

    def _pass_on(self, text: bytes) -> None:
        if text:
            before, self.is_empty = b"[\n" if self.is_empty else b",\n", False
            super()._pass_on(before + text.removesuffix(b"\n").replace(b"\n", b",\n"))

    def close(self) -> None:
        self.finish()
        super()._pass_on(b"[]\n" if self.is_empty else b"\n]\n")
        self.stream.flush()


def plain_rows(batch: RecordBatch) -> list[dict[str, Any]]:
    """The rows as dictionaries, with text for times, decimals and UUIDs."""
    columns = [plain_array(column).to_pylist() for column in batch.columns]
    return [dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _packed(batch: RecordBatch) -> bytes:
    """Serialize rows for another process, without other rows of the same buffers."""
    sink = pyarrow().BufferOutputStream()
    with pyarrow().ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _text(rows: TextRows, packed: bytes) -> bytes:
    with pyarrow().ipc.open_stream(packed) as stream:
        return rows.text(stream.read_next_batch())
