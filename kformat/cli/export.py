"""`kformat export`: records to Parquet, Arrow, CSV and lines of JSON."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, Protocol

import click

from kformat.cli import complain, escaped, standard_output
from kformat.cli.output import BYTES, bytes_option
from kformat.cli.progress import reading
from kformat.cli.reading import PassedOver, Starts, hint_at_fast, opened, which_records
from kformat.errors import KformatError, UsageError
from kformat.kafka.arrow import DEFAULT_COLUMNS, RecordBatch, arrow_schema, file_writer
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
_MOST_THREADS: Final = 4
"""By default: each has a chunk of a log in memory, and one alone writes."""
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
@click.option(
    "-j",
    "threads",
    type=click.IntRange(1, 256),
    metavar="N",
    default=lambda: min(_MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1),
    show_default=f"one for each processor, at most {_MOST_THREADS}",
    help="Workers that decode; records are written in log order.",
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
    threads: int,
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
        raise UsageError("say the --format, or a FILE that ends in " + ", ".join(_ENDINGS))
    if is_address(output):
        raise UsageError(f"{output}: files are written on this machine only")
    if kind == "parquet" and output == "-":
        raise UsageError("Parquet is written from its end, not to a pipe: name a FILE")
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
        writer = stack.enter_context(_writing(kind, stream, schema, names, BYTES[bytes_as]))
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
                    threads=threads,
                    **passed.options,
                ):
                    writer.write(batch)
                    rows += batch.num_rows
            except BrokenPipeError:
                raise
            except (KformatError, OSError) as error:
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
    kind: str, stream: IO[bytes], schema: Any, names: tuple[str, ...], encode: Callable[[bytes], str]
) -> _Writer:
    if kind in ("parquet", "arrow"):
        writer: _Writer = file_writer(kind, stream, schema)
        return writer
    return _Lines(kind, stream, names, encode)


class _Lines:
    """CSV with a line of names, or an object of JSON per line; timestamps in ms, headers as JSON."""

    def __init__(self, kind: str, stream: IO[bytes], names: tuple[str, ...], encode: Callable[[bytes], str]) -> None:
        self.is_csv, self.stream, self.names, self.encode = kind == "csv", stream, names, encode
        self.buffer = io.StringIO()
        self.csv = csv.writer(self.buffer, lineterminator="\n")
        if self.is_csv:
            self.csv.writerow(names)
            self._pass_on()

    def write(self, batch: RecordBatch) -> None:
        columns = [self._values(name, batch[name]) for name in self.names]
        for row in zip(*columns, strict=True):
            if self.is_csv:
                self.csv.writerow([json.dumps(item) if isinstance(item, list) else item for item in row])
            else:
                self.buffer.write(json.dumps(dict(zip(self.names, row, strict=True))) + "\n")
        self._pass_on()

    def _values(self, name: str, column: Any) -> list[Any]:
        if name == "timestamp":
            found: list[Any] = column.cast("int64").to_pylist()
            return found
        return [self._plain(item) for item in column.to_pylist()]

    def _plain(self, item: Any) -> Any:
        match item:
            case bytes():
                return self.encode(item)
            case dict():
                return {key: self._plain(value) for key, value in item.items()}
            case list():
                return [self._plain(one) for one in item]
        return item

    def _pass_on(self) -> None:
        text = self.buffer.getvalue()
        self.stream.write((escaped(text) if self.stream.isatty() else text).encode("utf-8", "surrogateescape"))
        self.buffer.seek(0)
        self.buffer.truncate()

    def close(self) -> None:
        self.stream.flush()
