"""`to_parquet`: records, or rows of declared files, as Parquet files. Tasks write them: no row passes through Spark.

Rules:

* One file for each segment, ``records-<topic>-<partition>-<first offset>.parquet``: Spark and others skip names that
  begin with an underscore or a dot, as topics may. A segment without records has none.
* A task writes below ``_temporary-...`` in the target folder, under a name that no other attempt has. The driver moves
  the files to their places when all tasks are done. Until then there is nothing to read, and a job that fails leaves
  nothing.
* Each declared file has one, ``<its name>.parquet``, or one for each part if it is split.
* Rows and columns are those of ``format("kformat")``, by the same plan and the same scan; the file is written as
  `kformat export` writes one.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kformat.columns.arrow import file_writer as rows_writer
from kformat.errors import UsageError
from kformat.kafka.columns.arrow import file_writer
from kformat.spark import declared
from kformat.spark.jobs.asking import source_options
from kformat.spark.jobs.running import Progress, attempt, beside, run
from kformat.spark.options import Request, parse_options
from kformat.spark.plan import LOG, Split, plan
from kformat.spark.scan import arrow_schema, scan
from kformat.spark.tables import METADATA
from kformat.storage.atomic_write import put_in_place, sync_file
from kformat.storage.plain_file import create_plain
from kformat.storage.plain_file import writer_of as named_writer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS: Final = {
    "file": "string",
    "topic": "string",
    "partition": "int",
    "base_offset": "bigint",
    "records_count": "bigint",
    "size_bytes": "bigint",
    "problems": "array<string>",
}
"""The columns about a file, with Spark SQL types."""

DECLARED_COLUMNS: Final = {
    "file": "string",
    "source": "string",
    "position": "bigint",
    "rows_count": "bigint",
    "size_bytes": "bigint",
    "problems": "array<string>",
}
"""The columns about a declared file."""

_MOST_NAME_BYTES: Final = 255
_WHOLE_SEGMENTS: Final = 1 << 62
_REPETITIVE: Final = tuple(name for name in METADATA if name != "sequence")


class Converted(NamedTuple):
    """A segment, or a part of one, as Parquet: its path ("" without records), and its content.

    ``base_offset`` is the segment's; ``problems`` say what was skipped (``on_corrupt="report"``).
    """

    file: str
    topic: str
    partition: int
    base_offset: int
    records_count: int
    size_bytes: int
    problems: list[str]


class ConvertedRows(NamedTuple):
    """A declared file, or the part of one from ``position`` on, as Parquet: its path ("" without rows), and its
    content; ``problems`` as in `Converted`.
    """

    file: str
    source: str
    position: int
    rows_count: int
    size_bytes: int
    problems: list[str]


def to_parquet(
    spark: SparkSession,
    paths: str | Sequence[str],
    out: str,
    *,
    include_headers: bool = True,
    progress: Progress | None = None,
    **options: Any,
) -> DataFrame:
    """Write records to Parquet files, one for each segment; a row for each file that was written.

    With the option ``declaration`` the rows of files of that format, as ``format("kformat")`` has them: a file for
    each, or for each part of ``split_bytes`` where rows have a fixed size.

    The files are written once, when this is called. `spark.read.parquet(out)` then has the rows.

    Args:
        paths: what `load` takes.
        out: a folder that every worker has mounted under this path: empty, or not there yet.
        include_headers: with the column ``headers``.
        progress: see `running.Progress`.
        options: those of the source in snake_case (``subscribe="orders"``, ``starting_timestamp=...``,
            ``columns="key,value"``, ``include_metadata=True``). Only ``max_records_per_partition`` cuts segments.

    Raises:
        UsageError: a wrong option; an ``out`` that has something in it, or is an address; two segments of one name.
        DataError: damage, unless ``on_corrupt`` says otherwise. Nothing was written then.
        OSError: a file that cannot be read or written.
    """
    columns, converted = COLUMNS, list[Converted | ConvertedRows]()
    if declared.DECLARATION in options:
        columns = DECLARED_COLUMNS
        converted += convert_rows(spark, paths, out, progress=progress, **options)
    else:
        converted += convert(spark, paths, out, progress=progress, include_headers=include_headers, **options)
    rows = [tuple(getattr(file, name) for name in columns) for file in converted]
    return spark.createDataFrame(rows, ", ".join(f"{name} {kind}" for name, kind in columns.items()))


def convert(
    spark: SparkSession, paths: str | Sequence[str], out: str, *, progress: Progress | None = None, **options: Any
) -> list[Converted]:
    """As `to_parquet`, but returns objects; the files in the order of topic, partition, offset."""
    request = parse_options(source_options(paths, options))
    if request.reading.rows != "records":
        raise UsageError(f"option rows={request.reading.rows!r}: Parquet files are made of records")
    with beside(spark, out, segments_of, request) as place:
        splits = place.planned
        work = partial(write, place.path, request.columns, request.reading)
        sizes = [split.size_bytes for split in splits]
        converted = run(spark, splits, work, sizes=sizes, title="kformat to-parquet", progress=progress)
        paths = [
            f"{place.root}/{_name(split)}" if segment.file else ""
            for split, segment in zip(splits, converted, strict=True)
        ]
        place.end(named, [(segment.file, path) for segment, path in zip(converted, paths, strict=True) if path])
        return [
            segment._replace(file=path)
            for segment, path in zip(converted, paths, strict=True)
            if segment.records_count or segment.problems
        ]


def convert_rows(
    spark: SparkSession, paths: str | Sequence[str], out: str, *, progress: Progress | None = None, **options: Any
) -> list[ConvertedRows]:
    """As `to_parquet` for declared files, but returns objects; in the order of the files."""
    asked = declared.parse_declared(source_options(paths, options))
    with beside(spark, out, pieces_of, asked) as place:
        pieces = place.planned
        work = partial(write_rows, place.path, asked)
        sizes = [piece.size_bytes for piece in pieces]
        converted = run(spark, pieces, work, sizes=sizes, title="kformat to-parquet", progress=progress)
        paths = [
            f"{place.root}/{_file_of(piece)}" if part.file else ""
            for piece, part in zip(pieces, converted, strict=True)
        ]
        place.end(named, [(part.file, path) for part, path in zip(converted, paths, strict=True) if path])
        return [
            part._replace(file=path)
            for part, path in zip(converted, paths, strict=True)
            if part.rows_count or part.problems
        ]


def segments_of(request: Request) -> list[Split]:
    """The segments of a request, each as one split. Raises as `plan`, and UsageError for invalid names of files."""
    tasks = plan(replace(request, split_bytes=_WHOLE_SEGMENTS, min_partitions=None))
    splits = [split for task in tasks for split in task]
    _check_names((_name(split), split.log) for split in splits)
    return splits


def pieces_of(asked: declared.DeclaredRead) -> list[declared.RowsPiece]:
    """The pieces of declared files. Raises UsageError for invalid names of files."""
    pieces = declared.pieces_of(asked)
    _check_names((_file_of(piece), piece.path) for piece in pieces)
    return pieces


def _file_of(piece: declared.RowsPiece) -> str:
    return f"{declared.name_of(piece)}.parquet"


def named(pairs: list[tuple[str, str]]) -> None:
    """Rename files to their final names, when all are on disk."""
    put_in_place(pairs)


def write(place: str, columns: Sequence[str], reading: Any, split: Split) -> Converted:
    """Convert a split, in a task: the file is below ``place``, under a name of this attempt."""
    schema = arrow_schema("records", columns, reading.layout)
    with _warnings() as problems:
        writer = partial(file_writer, repetitive=_REPETITIVE)
        path, count, size_bytes = _written(place, schema, scan(split, columns, reading), writer)
    return Converted(path, split.topic, split.partition, split.base_offset, count, size_bytes, problems)


def write_rows(place: str, asked: declared.DeclaredRead, piece: declared.RowsPiece) -> ConvertedRows:
    """Convert a piece of a declared file, as `write`."""
    schema, problems = declared.arrow_schema(asked.plan), list[str]()
    batches = declared.rows(piece, schema, asked, lambda skipped: problems.append(str(skipped)))
    path, count, size_bytes = _written(place, schema, batches, rows_writer)
    position = 0 if piece.part is None else piece.part.start
    return ConvertedRows(path, piece.path, position, count, size_bytes, problems)


def _written(place: str, schema: Any, batches: Iterable[Any], writer_of: Callable[..., Any]) -> tuple[str, int, int]:
    """Write record batches to a file; return its path ("" without rows), its number of rows, and its size in bytes."""
    path, count = os.path.join(place, f"{attempt()}.parquet"), 0
    with named_writer(create_plain(path, 0o666), path) as stream:
        writer = writer_of("parquet", stream, schema)
        for batch in batches:
            writer.write(batch)
            count += batch.num_rows
        writer.close()
        sync_file(stream)
        size_bytes = stream.tell()
    if count:
        return path, count, size_bytes
    os.unlink(path)
    return "", 0, 0


@contextlib.contextmanager
def _warnings() -> Iterator[list[str]]:
    """The warnings that a scan logs meanwhile."""
    messages: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    LOG.addHandler(handler)
    try:
        yield messages
    finally:
        LOG.removeHandler(handler)


def _name(split: Split) -> str:
    first = max(split.base_offset, split.start_offset)
    return f"records-{split.topic}-{split.partition}-{first:020}.parquet"


def _check_names(names: Iterable[tuple[str, str]]) -> None:
    """Refuse names that are too long or not unique; each comes with its source."""
    sources: dict[str, str] = {}
    for name, source in names:
        if len(os.fsencode(name)) > _MOST_NAME_BYTES:
            raise UsageError(f"{source}: the name is too long for that of a file ({name})")
        other = sources.setdefault(name, source)
        if other != source:
            raise UsageError(f"{source} and {other} would be one file: convert them into different folders")
