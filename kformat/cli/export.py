"""`kformat export`: records, or the rows of any declared format, to Parquet, Arrow, CSV and lines of JSON."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from kformat.cli import finish_unread
from kformat.cli.declared import (
    decode_option,
    files_of,
    language_options,
    layout_options,
    refuse_with_as,
    refuse_without_as,
    trailing_option,
)
from kformat.cli.export_sets import is_folder, write_each, write_set
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import bytes_option
from kformat.cli.progress import reading
from kformat.cli.reading import WhichRecords, hint_at_fast, partitions_of, which_records
from kformat.cli.row_sources import FileRows, PartitionRecords, Reading, names_of, remark_refused
from kformat.cli.tables import (
    FORMATS,
    TEXTS,
    TextLines,
    Writer,
    database,
    kind_of_output,
    opened_output,
    refuse_unless_empty,
    writing,
)
from kformat.columns.arrow import file_writer
from kformat.columns.row_source import RowSource
from kformat.errors import UsageError
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS
from kformat.kafka.columns.arrow import file_writer as records_writer
from kformat.kafka.columns.declared import DeclaredColumns, with_layouts
from kformat.storage.address import base_name


@click.command("export")
@click.argument("paths", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE|DIR/",
    help="Write to FILE, when all is read; - is standard output. Into a folder: a file for each partition, or file.",
)
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    help="By default what FILE's ending says: .parquet, .arrow, .csv, .json, .ndjson, .duckdb; .csv.zst, .ndjson.gz; "
    "in a folder parquet.",
)
@click.option(
    "--partition-by",
    metavar="NAME,...",
    help="Write the rows into folders of DIR by the values of these columns, as Hive and Spark do: any that --columns "
    "takes, named there or not.",
)
@click.option(
    "--columns",
    metavar="NAME,...",
    help=f"By default {','.join(DEFAULT_COLUMNS)}; with --as all of a row. There also paths in it (header.length), "
    "_file, _position, _index, _root.PATH.",
)
@click.option(
    "--as",
    "declaration",
    metavar="FORMAT",
    help="Write the rows of FILEs, or of the files in DIRs, of this format, or .ksy file.",
)
@click.option(
    "--row", metavar="ROW", help="With --as: the path of the list whose elements are rows (frames), or their type."
)
@click.option(
    "--enums",
    type=click.Choice(["names", "numbers"]),
    default="names",
    show_default=True,
    help="With --as and --value-as: how members of enums are written.",
)
@layout_options
@decode_option
@language_options
@trailing_option("pass over them (with --as).")
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
    partition_by: str | None,
    columns: str | None,
    declaration: str | None,
    row: str | None,
    enums: str,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    trailing: str,
    which: WhichRecords,
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

    With --value-as and --key-as the column is what the bytes are: value is a structure, value.price a part of it; text
    for json. A value that does not parse is null; its bytes are in value_raw, the reason in value_error, and standard
    error says how many there were. Layouts that differ by topic are a structure each in value (value.trade.price).

    With --as FORMAT each FILE is one of that format, as for `kformat parse`, and its rows are written: the elements of
    the list that --row names, by default the one nearest to the root. Standard error says which that is, and how many
    rows there were.
    """
    if output != "-":
        finish_unread()
    in_folder = is_folder(output)
    if partition_by is not None and not in_folder:
        raise UsageError(f"--partition-by writes into a folder: -o {'DIR' if output == '-' else output}/")
    kind, started = kind_of_output(output, format or ("parquet" if in_folder else None)), time.monotonic()
    names, sets = names_of(columns), names_of(partition_by)
    if in_folder:
        refuse_unless_empty(output)
    if in_folder and sets is None:
        statuses = [0]
        inputs = _inputs(paths, declaration, statuses)
        call = {**click.get_current_context().params, "format": kind, "jobs": 1}
        statuses += write_each(inputs, output, kind, jobs, _one, call) if inputs else []
        click.get_current_context().exit(max(statuses))
    with contextlib.ExitStack() as stack:
        progress = reading(() if declaration else paths)
        run = Reading(which.on_corrupt, progress.clear)
        source: PartitionRecords | FileRows
        if declaration is not None:
            refuse_with_as({**which.of_records_alone, "--value-as": value_as, "--key-as": key_as}, "records")
            how = {"enums": enums, "trailing": trailing, "checksums": not which.no_checksums}
            if sets is not None:
                names = _with_sets(FileRows(declaration, row, names, run, **how).schema.names, sets)
            source = stack.enter_context(FileRows(declaration, row, names, run, **how).opened(paths))
        else:
            has_enums = enums != "names" and not (value_as or key_as)
            refuse_without_as({"--row": row, "--enums": has_enums, "--trailing": trailing != "error"})
            names = with_layouts(DEFAULT_COLUMNS, value_as, key_as) if names is None else names
            names = names if sets is None else _with_sets(names, sets)
            threads = 1 if kind in TEXTS else jobs
            declared = DeclaredColumns(names, value_as, key_as, enums)
            source = PartitionRecords(paths, declared, which, run, threads=threads)
        if source.is_empty and any(run.statuses):  # nothing can be read: what an earlier export wrote stays
            click.get_current_context().exit(max(run.statuses))
        if sets is not None:
            rows_count = write_set(source, run, output, kind, sets)
        elif kind == "duckdb":
            table = "records" if declaration is None else base_name(source.plan.row.replace(".", "/"))  # type: ignore[union-attr]
            with database(output, table, source.schema) as rows:
                rows_count = _write(source, rows, run, progress.clear)
        else:
            stream = stack.enter_context(opened_output(output))
            workers = stack.enter_context(Workers(jobs))
            repetitive, times = (file_writer, ()) if declaration is not None else (records_writer, ("timestamp",))
            writer = stack.enter_context(writing(kind, stream, source.schema, repetitive, bytes_as, workers, times))
            rows_count = _write(source, writer, run, progress.clear)
        run.passed.end()
        if isinstance(source, FileRows):
            source.remark_left_out()
            run.remark_failed(len(source.files))
        else:
            remark_refused(source.declared)
            hint_at_fast(started, "read")
        if not rows_count and any(run.statuses):  # nothing was read: what an earlier export wrote stays here, too
            click.get_current_context().exit(max(run.statuses))
        if isinstance(source, FileRows):
            source.remark_rows(rows_count)
    click.get_current_context().exit(max(run.statuses))


def _with_sets(names: Iterable[str], sets: Sequence[str]) -> tuple[str, ...]:
    """The columns of a call, and those that only folders are called by."""
    return tuple(dict.fromkeys((*names, *sets)))


def _one(params: dict[str, Any]) -> int:
    """In a process: write one file; returns the exit status."""
    assert export_command.callback is not None
    with click.Context(export_command):
        try:
            export_command.callback(**params)
        except click.exceptions.Exit as ended:
            return int(ended.exit_code)
    return 0


def _inputs(paths: tuple[str, ...], declaration: str | None, statuses: list[int]) -> list[str]:
    """The partitions' folders, or the files, of a call; exit statuses of what cannot be read are kept."""
    if declaration is None:
        return [str(folder) for folder in partitions_of(paths, statuses)]
    with files_of(paths, declaration) as files:
        if not all(isinstance(file, str) for file in files):
            raise UsageError("standard input goes to a file, and not into a folder")
        return list(files)


def _write(source: RowSource, writer: Writer, run: Reading, clear: Callable[[], object]) -> int:
    """Write the rows of all parts; return their number."""
    rows_count, finish = 0, writer.finish if isinstance(writer, TextLines) else clear
    for part in source.parts():
        clear()
        for batch in run.guarded(part.batches(), finish):
            writer.write(batch)
            rows_count += batch.num_rows
    writer.close()
    clear()
    return rows_count
