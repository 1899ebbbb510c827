"""`kformat export`: records, or the rows of any declared format, to Parquet, Arrow, CSV and lines of JSON."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import Any

import click

from kformat.cli import complain, finish_unread, say
from kformat.cli.declared import import_option, layout_options, trailing_option
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import bytes_option
from kformat.cli.progress import reading
from kformat.cli.reading import PassedOver, Starts, hint_at_fast, opened, which_records
from kformat.cli.rows import export_rows, refuse_options_of_records, refuse_options_of_rows
from kformat.cli.tables import FORMATS, TextLines, kind_of_output, opened_output, writing
from kformat.errors import KformatError
from kformat.kafka.columns.arrow import DEFAULT_COLUMNS, arrow_schema, file_writer
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

    With --value-as and --key-as the column is what the bytes are: value is a structure, value.price a part of it; text
    for json. A value that does not parse is null; its bytes are in value_raw, the reason in value_error, and standard
    error says how many there were. Layouts that differ by topic are a structure each in value (value.trade.price).

    With --as FORMAT each FILE is one of that format, as for `kformat parse`, and its rows are written: the elements of
    the list that --row names, by default the one nearest to the root. Standard error says which that is, and how many
    rows there were.
    """
    if output != "-":
        finish_unread()
    if declaration is not None:
        given: dict[str, Any] = {
            "from_offset": from_offset,
            "to_offset": to_offset,
            "since_ms": since_ms,
            "until_ms": until_ms,
        }
        given |= {"before_log_start": before_log_start, "include_control": include_control}
        given |= {"value_as": value_as, "key_as": key_as}
        refuse_options_of_records({**given, "isolation_level": isolation_level})
        how: dict[str, Any] = {"enums": enums, "trailing": trailing, "checksums": not no_checksums}
        how |= {"output": output, "format": format, "bytes_as": bytes_as, "jobs": jobs, "on_corrupt": on_corrupt}
        export_rows(paths, declaration, row, columns, progress=lambda: None, **how)
    refuse_options_of_rows(row, "names" if value_as or key_as else enums, trailing)
    started = time.monotonic()
    kind = kind_of_output(output, format)
    names = with_layouts(DEFAULT_COLUMNS, value_as, key_as)
    if columns is not None:
        names = tuple(filter(None, map(str.strip, columns.split(","))))
    declared, statuses = DeclaredColumns(names, value_as, key_as, enums), [0]
    schema = arrow_schema(names, declared=declared)
    progress, rows, starts = reading(paths), 0, Starts(statuses)
    passed = PassedOver(on_corrupt, statuses, progress.clear)
    partitions = opened(paths, statuses)
    first = list(partitions if declared.has_topics else itertools.islice(partitions, 1))
    if declared.has_topics and first:
        declared.check_topics(partition.topic for partition in first)
    if not first and any(statuses):  # nothing can be read: what an earlier export wrote stays
        click.get_current_context().exit(max(statuses))
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(opened_output(output))
        workers = stack.enter_context(Workers(jobs))
        writer = stack.enter_context(writing(kind, stream, schema, file_writer, bytes_as, workers))
        for partition in itertools.chain(first, partitions):
            progress.clear()
            starts.say(partition, from_offset, to_offset)
            try:
                for batch in partition.record_batches(
                    value_as=declared,
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
                if isinstance(writer, TextLines):
                    writer.finish()
                progress.clear()
                statuses.append(complain(error))
        writer.close()
        progress.clear()
        passed.end()
        for line in declared.remarks():
            say(f"kformat: {line}")
        hint_at_fast(started, "read")
        if not rows and any(statuses):  # nothing was read: what an earlier export wrote stays here, too
            click.get_current_context().exit(max(statuses))
    click.get_current_context().exit(max(statuses))
