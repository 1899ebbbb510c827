"""`kformat salvage` and `kformat merge`: save what can be proved of damaged partitions into new folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

import click

from kformat.cli import DATA, complain, finish_unread, one_line, remark, say
from kformat.cli.declared import as_options, files_of, language_options, refuse_with_as, refuse_without_as
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import Output, TableChoice, output_options, table_options, write_rows
from kformat.cli.progress import ProgressLine, reading
from kformat.cli.reading import choose_options, chosen_here, metadata_option
from kformat.kafka.damage.missing import fatal_text
from kformat.salvage import (
    COLUMNS,
    CONTENTS,
    MERGED_COLUMNS,
    REPORT_FILE,
    UNDONE_COLUMNS,
    Report,
    merge,
    salvage,
    salvage_in_place,
    undo_salvage,
)
from kformat.salvage.aside import PutBack
from kformat.salvage.declared import FILE_COLUMNS, FileRange, salvage_files
from kformat.salvage.results import Each, unanchored_text

RANGE_COLUMNS = (
    "partition",
    "file",
    "position",
    "end_position",
    "outcome",
    "content",
    "offsets",
    "first_offset",
    "last_offset",
    "batches_count",
    "records_count",
    "reason",
)


_OPTIONS = (
    click.argument("paths", nargs=-1, required=True, metavar="SRC..."),
    choose_options,
    click.option("-o", "--output", "destination", metavar="DST", help="The new log directory."),
    click.option(
        "--content",
        type=click.Choice(list(CONTENTS)),
        default="proved",
        show_default=True,
        help="What is saved: batches whose checksum holds; also those that can be read to their end; also the records "
        "before damage inside a batch.",
    ),
    click.option(
        "--place-unanchored",
        is_flag=True,
        help="Also save batches that may be values of records: no unbroken chain of batches leads to them.",
    ),
    metadata_option,
    click.option("--dry-run", is_flag=True, help="Say what would be saved, and write nothing."),
    click.option("--ranges", is_flag=True, help="Print what becomes of every range of bytes, and not the sums."),
    output_options("table", "csv", "json", "nl"),
)
_LEAST_BYTES: Final = 64 << 20
"""For less, starting processes takes longer than the work."""


def salvage_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of the verbs that save; `print_saved` takes them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_jobs = jobs_option("Work on N partitions at a time.", is_parallel=True)


@click.command("salvage")
@salvage_options
@click.option(
    "--in-place",
    is_flag=True,
    help="Change damaged partitions of SRC, and keep what was there in .kformat-salvage.",
)
@click.option("--undo", is_flag=True, help="Put back what --in-place has changed in SRC, byte for byte.")
@as_options
@language_options
@_jobs
@table_options(*COLUMNS)
def salvage_command(
    paths: tuple[str, ...],
    mode: str,
    chosen: TableChoice,
    in_place: bool,
    undo: bool,
    declaration: str | None,
    row: str | None,
    jobs: int,
    **how: Any,
) -> None:
    """Save what can be proved of damaged partitions into a new log directory.

    SRC is a broker's log directory, or the folder of a partition. It is only read: work on a copy of the disk, if you
    can make one. DST is a new folder, or one in which the same call was interrupted. Where there is no room for a copy,
    --in-place changes the partitions that are damaged, and no others; --undo takes that back, also after a kill.

    Batches are found wherever they are, whatever lies around them, also without indexes. A batch is saved if its
    checksum holds: as it is stored, or after one field of its header, or one bit, was restored. Offsets stay as they
    are, with gaps where something is lost; in __cluster_metadata these stop a broker, which is reported as FATAL.
    Indexes, snapshots of producers, transaction indexes, leader epochs and checkpoints are made from the batches;
    indexes with each topic's index.interval.bytes in the metadata log of the same roots. A batch whose offset nothing
    confirms goes to DST/unplaced, and so does one after lost bytes that may be the value of a record there, because no
    unbroken chain of batches leads to it.

    One line per partition says what was saved and lost; DST/kformat-salvage.json has every range of bytes. The exit
    status is 1 if something was lost or is unplaced, and 3 if a log cannot be read, which does not keep the others.

    With --as FORMAT, SRC is a file of that format. DST gets the rows that `kformat export --on-corrupt skip` has, byte
    for byte, and what stands around them, with counts, checksums and positions (-derive) of the rows that are left.
    Whole rows that nothing leads to go to DST/unplaced.
    """
    finish_unread()
    if declaration is not None:
        kafka = {"--in-place": in_place, "--undo": undo, "--place-unanchored": how["place_unanchored"]}
        refuse_with_as(kafka | {"--content": how["content"] != "proved", "--metadata": how["metadata"]}, "logs")
        _save_files(paths, declaration, row, mode, chosen, how["destination"], how["dry_run"], how["ranges"])
    refuse_without_as({"--row": row})
    how["jobs"] = jobs
    if (how["destination"] is not None) + in_place + undo != 1:
        raise click.UsageError("one of -o DST, --in-place and --undo says what to do")
    if chosen_here() and (in_place or undo):
        raise click.UsageError("--topic, --exclude and --partition do not go with --in-place and --undo: name folders")
    if undo:
        _undo(paths, mode)
    elif in_place:
        _run(lambda paths, _, **more: salvage_in_place(paths, **more), paths, mode, chosen, **how)
    else:
        _run(salvage, paths, mode, chosen, **how)


@click.command("merge")
@salvage_options
@_jobs
@table_options(*MERGED_COLUMNS)
def merge_command(paths: tuple[str, ...], mode: str, chosen: TableChoice, **how: Any) -> None:
    """Combine damaged copies of partitions into one sound log each, in a new log directory.

    Each SRC is the log directory of one replica's broker, or its folder of a partition; folders of one name are copies.
    They are only read. DST is a new folder, or one in which the same call was interrupted.

    Of each copy is saved what `kformat salvage` saves, and of batches that several copies have, one. Where copies
    disagree, the later leader epoch decides: what lower epochs have from there on was never committed. Of batches that
    compaction has changed the one with more records is taken. All that is left out is reported and in no log.

    One line per partition says what was saved and what is in conflict; DST/kformat-salvage.json has every range of
    bytes of every copy. The exit status is 1 if records may be missing, are in conflict or have no place, and 3 if a
    log cannot be read, which does not keep the others.
    """
    finish_unread()
    if how["destination"] is None:
        raise click.UsageError("-o DST says where to write")
    _run(merge, paths, mode, chosen, **how)


def _save_files(
    paths: Sequence[str],
    declaration: str,
    row: str | None,
    mode: str,
    chosen: TableChoice,
    destination: str | None,
    dry_run: bool,
    ranges: bool,
) -> NoReturn:
    """Save files of a declared format, and end with the verb's exit status."""
    if destination is None and not dry_run:
        raise click.UsageError("-o DST says where to write")
    progress = reading(paths)
    with files_of(paths, declaration) as files:
        try:
            report = salvage_files(files, declaration, destination, row=row, dry_run=dry_run)
        finally:
            progress.clear()
    if ranges:
        rows = ({"file": file.file, **one.as_dict()} for file in report.files for one in file.ranges)
        write_rows(Output(), rows, ("file", *FileRange.__annotations__), mode, chosen)
    else:
        write_rows(Output(), report.summary(), FILE_COLUMNS, mode, chosen)
    statuses = [0 if report.is_whole else DATA, *map(complain, report.unread)]
    for file in report.files:
        for problem in file.problems:
            say(one_line(f"kformat: {problem}"))
        for text in file.remarks:
            remark(one_line(f"{file.file}: {text}"))
        if file.errors_left:
            remark(one_line(f"{file.file}: `kformat check` finds {file.errors_left} errors in what is saved"))
    if destination is not None and not dry_run:
        remark(f"{destination}/{REPORT_FILE} says what became of every range of bytes")
    click.get_current_context().exit(max(statuses))


def _run(
    save: Callable[..., Report], paths: tuple[str, ...], mode: str, chosen: TableChoice, jobs: int, **how: Any
) -> None:
    progress = reading(paths, times=1 if how["dry_run"] else 2)
    with Workers(jobs) as workers:
        print_saved(partial(save, each=_each(workers, progress)), paths, mode, chosen, progress, **how)


def _each(workers: Workers, progress: ProgressLine) -> Each:
    """Works on partitions in processes, if that pays."""

    def each(work: Callable[[Any], Any], pieces: Sequence[Any], sizes: Sequence[int]) -> Iterator[Any]:
        total, done = sum(sizes), 0
        if workers.count == 1 or len(pieces) < 2 or total < _LEAST_BYTES:
            yield from map(work, pieces)
            return
        futures = [workers.submit(work, piece) for piece in pieces]
        for future, size in zip(futures, sizes, strict=True):
            yield future.result()
            done += size
            progress.amount(done, total, "")

    return each


def print_saved(
    save: Callable[..., Report],
    paths: tuple[str, ...],
    mode: str,
    chosen: TableChoice,
    progress: ProgressLine,
    *,
    destination: str | None,
    content: str,
    place_unanchored: bool,
    metadata: tuple[str, ...],
    dry_run: bool,
    ranges: bool,
) -> None:
    """Call ``save``, print its report, and end with the verb's exit status."""
    try:
        which = {"content": content, "place_unanchored": place_unanchored, "metadata": metadata}
        which |= chosen_here().arguments
        report = save(paths, destination, dry_run=dry_run, **which)
    finally:
        progress.clear()
    if ranges:
        write_rows(Output(), _ranges(report), RANGE_COLUMNS, mode)
    else:
        write_rows(Output(), report.summary(), report.columns, mode, chosen)
    statuses = [0 if report.is_whole else DATA, *map(complain, report.unread)]
    for partition in report.partitions:
        if (fatal := fatal_text(partition.fatal_missing)) is not None:
            say(one_line(f"kformat: {partition.name}: {fatal}"))
    for text in _remarks(report):
        remark(text)
    if destination is not None and not dry_run:
        remark(f"{destination}/{REPORT_FILE} says what became of every range of bytes")
    elif not dry_run:
        changed = sum(partition.saved is not None for partition in report.partitions)
        remark(f"changed {changed} of {len(report.partitions)} partitions")
        if changed:
            remark("what was there is in .kformat-salvage in each, with a report; --undo puts it back")
    click.get_current_context().exit(max(statuses))


def _undo(paths: tuple[str, ...], mode: str) -> None:
    done = list[PutBack]()
    try:
        for path in paths:
            done += undo_salvage(path)
    finally:  # what was put back before an error is reported, too
        if done:
            write_rows(Output(), (put_back.as_dict() for put_back in done), UNDONE_COLUMNS, mode)
        for put_back in done:
            if put_back.later is not None:
                remark(one_line(f"{put_back.partition}: what was written after the salvage is in {put_back.later}"))
            for name in put_back.changed:
                say(
                    one_line(
                        f"kformat: {put_back.partition}: {name} was written to while it was kept, and is not as it was"
                    )
                )
    if any(put_back.changed for put_back in done):
        click.get_current_context().exit(DATA)


def _ranges(report: Report) -> Iterator[dict[str, Any]]:
    for partition in report.partitions:
        for segment, made in partition.segments:
            name = segment.name if len(partition.copies) == 1 else str(segment.log)
            for each in made:
                yield {"partition": partition.name, "file": name, **each.as_dict()}


def _remarks(report: Report) -> Iterator[str]:
    for partition in report.partitions:
        if count := partition.summary()["unanchored_batches"]:
            yield one_line(f"{partition.name}: {unanchored_text(count)}")
        if partition.saved is None:
            continue
        for text in partition.saved.remarks:
            yield one_line(f"{partition.name}: {text}")
        count = len(partition.saved.open_transactions)
        if count:
            producer_id, first = min(partition.saved.open_transactions, key=lambda open: open[1])
            have = "transaction has" if count == 1 else "transactions have"
            yield (
                f"{partition.name}: {count} {have} no end; consumers of committed records wait at offset {first} "
                f"(producer {producer_id})"
            )
    yield from map(one_line, report.remarks)


__all__ = ["print_saved", "salvage_options"]
