"""Rows of Arrow into one file, for `export`: Parquet, Arrow, CSV, lines of JSON."""

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
from kformat.errors import UsageError
from kformat.storage.address import is_address
from kformat.storage.atomic_write import writing_beside
from kformat.storage.plain_file import writer_of

_ENDINGS: Final = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".ndjson": "nl",
    ".jsonl": "nl",
    ".nl": "nl",
}
_WORTH_BYTES: Final = 16 << 20
"""Up to so many bytes of columns, lines are made in this process: starting others takes longer."""
FORMATS: Final = ("parquet", "arrow", "csv", "nl")

FileWriter = Callable[[str, IO[bytes], Any], Any]
"""(kind, stream, schema) -> a writer of record batches to Parquet or Arrow."""


def kind_of_output(output: str, format: str | None) -> str:
    """The kind of file to write: as `--format` says, or the file's ending. Raises UsageError."""
    kind = format or _ENDINGS.get(Path(output).suffix)
    if kind is None:
        raise UsageError("give --format, or a FILE that ends in " + ", ".join(_ENDINGS))
    if is_address(output):
        raise UsageError(f"{output}: files are written on this machine only")
    if kind == "parquet" and output == "-":
        raise UsageError("Parquet cannot be written to a pipe: name a FILE")
    return kind


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
        yield stream


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
    return TextLines(stream, TextRows(schema.names, bytes_as, times, is_csv=kind == "csv"), workers)


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
