"""`kformat export`: records, or the rows of any declared format, to Parquet, Arrow, CSV and lines of JSON."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import click

from kformat.cli import complain, finish_unread
from kformat.cli.declared import import_option, layout_options, refuse_with_as, refuse_without_as, trailing_option
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import bytes_option
from kformat.cli.progress import reading
from kformat.cli.reading import PassedOver, WhichRecords, hint_at_fast, which_records
from kformat.cli.row_sources import FileRows, PartitionRecords, RowSource
from kformat.cli.row_verbs import names_of
from kformat.cli.tables import FORMATS, TextLines, Writer, kind_of_output, opened_output, writing
from kformat.errors import KformatError
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS
from kformat.kafka.columns.declared import DeclaredColumns, with_layouts


@click.command("export")
@click.argument("paths", nargs=-1, required=True, metavar="DIR|FILE...")
@click.option(
    "-o", "--output", default="-", metavar="FILE", help="Write to FILE, when all is read; - is standard output."
)
@click.option("--format", type=click.Choice(FORMATS), help="By default what FILE's ending says: .parquet, .arrow, ...")
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
@import_option
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
    kind, started = kind_of_output(output, format), time.monotonic()
    names = names_of(columns)
    with contextlib.ExitStack() as stack:
        progress, statuses = reading(() if declaration else paths), [0]
        passed = PassedOver(which.on_corrupt, statuses, progress.clear)
        source: RowSource
        if declaration is not None:
            refuse_with_as({**which.of_records_alone, "--value-as": value_as, "--key-as": key_as}, "records")
            how = {"enums": enums, "trailing": trailing, "checksums": not which.no_checksums, **passed.options}
            source = FileRows(paths, declaration, row, names, stack, **how)
        else:
            has_enums = enums != "names" and not (value_as or key_as)
            refuse_without_as({"--row": row, "--enums": has_enums, "--trailing": trailing != "error"})
            names = with_layouts(DEFAULT_COLUMNS, value_as, key_as) if names is None else names
            threads = 1 if kind in ("csv", "nl") else jobs
            declared = DeclaredColumns(names, value_as, key_as, enums)
            source = PartitionRecords(paths, declared, which, passed, statuses, threads=threads)
        if source.is_empty and any(statuses):  # nothing can be read: what an earlier export wrote stays
            click.get_current_context().exit(max(statuses))
        stream = stack.enter_context(opened_output(output))
        workers = stack.enter_context(Workers(jobs))
        writer = stack.enter_context(writing(kind, stream, source.schema, source.file_writer, bytes_as, workers))
        rows_count = _write(source, writer, statuses, passed, progress.clear)
        if declaration is None:
            hint_at_fast(started, "read")
        if not rows_count and any(statuses):  # nothing was read: what an earlier export wrote stays here, too
            click.get_current_context().exit(max(statuses))
        source.sum_up(rows_count)
    click.get_current_context().exit(max(statuses))


def _write(
    source: RowSource, writer: Writer, statuses: list[int], passed: PassedOver, clear: Callable[[], object]
) -> int:
    """Write the rows of all parts, and say what was found on the way; how many rows there were."""
    rows_count = failed_count = 0
    for part in source.parts():
        clear()
        try:
            for batch in part:
                writer.write(batch)
                rows_count += batch.num_rows
        except BrokenPipeError:
            raise
        except (KformatError, OSError) as error:
            if isinstance(writer, TextLines):
                writer.finish()
            clear()
            failed_count += 1
            statuses.append(complain(error))
    writer.close()
    clear()
    passed.end()
    source.end(failed_count)
    return rows_count
