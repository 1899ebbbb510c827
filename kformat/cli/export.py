"""`kformat export`: records to Parquet, Arrow, CSV and lines of JSON."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol

import click

from kformat.cli import complain, escaped, standard_output
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import BYTES, bytes_option
from kformat.cli.progress import reading
from kformat.cli.reading import PassedOver, Starts, hint_at_fast, opened, which_records
from kformat.errors import KformatError, UsageError
from kformat.kafka.arrow import DEFAULT_COLUMNS, RecordBatch, arrow_schema, file_writer, pyarrow
from kformat.storage.address import is_address
from kformat.storage.atomic_write import writing_beside

_ENDINGS: Final = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".ndjson": "nl",
    ".jsonl": "nl",
}
_WORTH_BYTES: Final = 16 << 20
"""Of so many bytes of columns the lines are made here: processes take longer to start."""
_FORMATS: Final = ("parquet", "arrow", "csv", "nl")


class _Writer(Protocol):
    def write(self, batch: RecordBatch) -> None: ...
    def close(self) -> None: ...


@click.command("export")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option(
    "-o", "--output", default="-", metavar="FILE", help="Write to FILE, when all is read; - is standard output."
)
@click.option("--format", type=click.Choice(_FORMATS), help="By default what FILE's ending says: .parquet, .arrow, ...")
@click.option("--columns", metavar="NAME,...", help=f"By default {','.join(DEFAULT_COLUMNS)}.")
@which_records
@jobs_option(
    "Write CSV and JSON in N processes; decode for Parquet and Arrow in N threads. Records stay in log order.",
    is_parallel=True,
)
@bytes_option
def export_command(
    paths: tuple[str, ...],
    output: str,
    format: str | None,
    columns: str | None,
    from_offset: int | None,
    to_offset: int | None,
    since_ms: int | None,
    until_ms: int | None,
    before_log_start: bool,
    include_control: bool,
    no_checksums: bool,
    isolation_level: str,
    on_corrupt: str,
    jobs: int,
    bytes_as: str,
) -> None:
    """Write the records of partitions to one file. DIR is a partition's folder, a root that holds many, or a .log file.

    The columns are those of Spark's Kafka source: key, value, topic, partition, offset, timestamp, timestampType,
    headers; and, when named, those of the records' batches: partition_leader_epoch, producer_id, producer_epoch,
    base_sequence, batch_base_offset, batch_position, compression, is_transactional, is_control. Needs pyarrow (extra
    arrow), and is fast with numba (extra fast).

    Damage ends its partition: what lies before it is written, the damage is reported on standard error, the other
    partitions follow, and the exit status is 1. With --on-corrupt skip or report what lies after it is written, too;
    the exit status is 1 all the same. CSV and lines of JSON show bytes as --bytes says.

    Records in front of the log's start were deleted (DeleteRecords), and are left out without --before-log-start.

    Of a tiered topic the records in the local files are written, and standard error says how many offsets are in remote
    storage. Where --from-offset or --to-offset asks for those, nothing of that partition is written, and the exit
    status is 5.
    """
    started = time.monotonic()
    kind = format or _ENDINGS.get(Path(output).suffix)
    if kind is None:
        raise UsageError("give --format, or a FILE that ends in " + ", ".join(_ENDINGS))
    if is_address(output):
        raise UsageError(f"{output}: files are written on this machine only")
    if kind == "parquet" and output == "-":
        raise UsageError("Parquet cannot be written to a pipe: name a FILE")
    names = DEFAULT_COLUMNS if columns is None else tuple(filter(None, map(str.strip, columns.split(","))))
    schema, statuses = arrow_schema(names), [0]
    progress, rows, starts = reading(paths), 0, Starts(statuses)
    passed = PassedOver(on_corrupt, statuses, progress.clear)
    partitions = opened(paths, statuses)
    first = list(itertools.islice(partitions, 1))
    if not first and any(statuses):  # nothing can be read: what an earlier export wrote stays
        click.get_current_context().exit(max(statuses))
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(_opened(output))
        workers = stack.enter_context(Workers(jobs))
        writer = stack.enter_context(_writing(kind, stream, schema, names, bytes_as, workers))
        for partition in itertools.chain(first, partitions):
            progress.clear()
            starts.say(partition, from_offset, to_offset)
            try:
                for batch in partition.record_batches(
                    names,
                    start_offset=from_offset,
                    end_offset=to_offset,
                    since=since_ms,
                    until=until_ms,
                    before_log_start=before_log_start,
                    include_control=include_control,
                    checksums=not no_checksums,
                    isolation_level=isolation_level,
                    threads=1 if kind in ("csv", "nl") else jobs,
                    **passed.options,
                ):
                    writer.write(batch)
                    rows += batch.num_rows
            except BrokenPipeError:
                raise
            except (KformatError, OSError) as error:
                if isinstance(writer, _Lines):
                    writer.finish()
                progress.clear()
                statuses.append(complain(error))
        writer.close()
        progress.clear()
        passed.end()
        hint_at_fast(started, "read")
        if not rows and any(statuses):  # nothing was read: what an earlier export wrote stays here, too
            click.get_current_context().exit(max(statuses))
    click.get_current_context().exit(max(statuses))


@contextlib.contextmanager
def _opened(output: str) -> Iterator[IO[bytes]]:
    """Standard output, a pipe or a device; or a file, where a link leads, that gets its name when it is whole."""
    if output == "-":
        yield standard_output()
        return
    target = os.path.realpath(output)
    if os.path.exists(output) and not os.path.isfile(output):  # a pipe, or /dev/null, which must stay one
        with open(output, "wb") as stream:
            yield stream
        return
    with writing_beside(Path(target), mode=0o666) as stream:
        yield stream


@contextlib.contextmanager
def _writing(kind: str, *how: Any) -> Iterator[_Writer]:
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
    kind: str, stream: IO[bytes], schema: Any, names: tuple[str, ...], bytes_as: str, workers: Workers
) -> _Writer:
    if kind in ("parquet", "arrow"):
        writer: _Writer = file_writer(kind, stream, schema)
        return writer
    return _Lines(stream, _Rows(kind == "csv", names, bytes_as), workers)


class _Lines:
    """Lines of text, in the order of the rows. Of many rows they are made by other processes."""

    def __init__(self, stream: IO[bytes], rows: _Rows, workers: Workers) -> None:
        self.stream, self.rows, self.workers = stream, rows, workers
        self.escapes, self.size_bytes = stream.isatty(), 0
        self.pending: deque[Future[str]] = deque()
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
        """Write what is still being made."""
        while self.pending:
            self._pass_on(self.pending.popleft().result())

    def _pass_on(self, text: str) -> None:
        self.stream.write((escaped(text) if self.escapes else text).encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        self.finish()
        self.stream.flush()


@dataclass(frozen=True)
class _Rows:
    """CSV with a line of names, or an object of JSON per line; timestamps in ms, headers as JSON."""

    is_csv: bool
    names: tuple[str, ...]
    bytes_as: str

    def head(self) -> str:
        """What comes before the rows."""
        return self._csv([self.names]) if self.is_csv else ""

    def text(self, batch: RecordBatch) -> str:
        """The lines of some rows."""
        columns = [self._values(name, batch[name]) for name in self.names]
        rows = zip(*columns, strict=True)
        if self.is_csv:
            return self._csv([json.dumps(item) if isinstance(item, list) else item for item in row] for row in rows)
        return "".join([json.dumps(dict(zip(self.names, row, strict=True))) + "\n" for row in rows])

    def _csv(self, rows: Iterable[Sequence[Any]]) -> str:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(rows)
        return buffer.getvalue()

    def _values(self, name: str, column: Any) -> list[Any]:
        if name == "timestamp":
            found: list[Any] = column.cast("int64").to_pylist()
            return found
        encode = BYTES[self.bytes_as]
        return [_plain(item, encode) for item in column.to_pylist()]


def _plain(item: Any, encode: Callable[[bytes], str]) -> Any:
    match item:
        case bytes():
            return encode(item)
        case dict():
            return {key: _plain(value, encode) for key, value in item.items()}
        case list():
            return [_plain(one, encode) for one in item]
    return item


def _packed(batch: RecordBatch) -> bytes:
    """Rows for another process, and of nothing that lies next to them in memory."""
    sink = pyarrow().BufferOutputStream()
    with pyarrow().ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _text(rows: _Rows, packed: bytes) -> str:
    with pyarrow().ipc.open_stream(packed) as stream:
        return rows.text(stream.read_next_batch())
