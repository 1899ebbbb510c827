"""`kformat grep`: search records by content."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import click

from kformat.cli import DATA
from kformat.cli.declared import (
    as_options,
    decode_option,
    language_options,
    layout_options,
    refuse_with_as,
    refuse_without_as,
    trailing_option,
)
from kformat.cli.matches import Matches, MatchingRecords, MatchingRows, cells
from kformat.cli.output import Output, bytes_option, escape_option, output_options, write_objects, write_rows
from kformat.cli.progress import reading
from kformat.cli.reading import Starts, WhichRecords, hint_at_fast, opened, which_records
from kformat.cli.row_sources import FileRows, Reading, names_of, remark_refused
from kformat.errors import UsageError
from kformat.grep import DEFAULT_LIMIT, WHERE, Search, in_declared
from kformat.kafka.columns.declared import layouts_of


@click.command("grep")
@click.argument("pattern")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--key", "where", flag_value="key", multiple=True, help="Search keys; may be combined with the next three."
)
@click.option("--value", "where", flag_value="value", multiple=True, help="Search values.")
@click.option("--header-key", "where", flag_value="header_key", multiple=True, help="Search the keys of headers.")
@click.option("--header-value", "where", flag_value="header_value", multiple=True, help="Search the values of headers.")
@click.option("-E", "--regex", is_flag=True, help="PATTERN is a regular expression of Python's, over bytes.")
@click.option("--hex", "as_hex", is_flag=True, help="PATTERN is bytes in hexadecimal.")
@click.option("-i", "--ignore-case", is_flag=True, help="A to Z are equal to a to z.")
@click.option("-v", "--invert-match", is_flag=True, help="Print what does not match.")
@click.option("-c", "--count", "only_count", is_flag=True, help="Print how many records match, for each partition.")
@click.option("-m", "--max-count", type=click.IntRange(0), metavar="N", help="Stop after N records of each partition.")
@click.option("--newest", is_flag=True, help="Only the newest record of each key: what compaction would leave.")
@click.option("--no-tombstones", is_flag=True, help="Leave out records without a value.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    metavar="BYTES",
    default=DEFAULT_LIMIT,
    show_default=True,
    help="With --newest: how much memory keys may take, about.",
)
@click.option(
    "--columns",
    metavar="NAME,...",
    help="With --as: search and print these columns of rows; with --value-as and --key-as search them (value.name).",
)
@layout_options
@decode_option
@as_options
@language_options
@trailing_option("pass over them (with --as).")
@which_records
@output_options("text", "json", "nl", "csv")
@bytes_option
@escape_option
def grep_command(
    pattern: str,
    paths: tuple[str, ...],
    where: tuple[str, ...],
    regex: bool,
    as_hex: bool,
    ignore_case: bool,
    invert_match: bool,
    only_count: bool,
    max_count: int | None,
    newest: bool,
    no_tombstones: bool,
    limit: int,
    columns: str | None,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    declaration: str | None,
    row: str | None,
    trailing: str,
    which: WhichRecords,
    mode: str | None,
    bytes_as: str,
    escape: bool | None,
) -> None:
    """Find records by what is in them. DIR is a partition's folder, a root that holds many, or a .log file.

    PATTERN is text, as UTF-8, and lies anywhere in a record's key, its value, or the key or value of one of its
    headers; --key and its like say where. A line is printed for each record, as dump prints it; with several
    partitions it begins with the partition's path.

    The exit status is 0 where a record is found, 1 where none is. Damage ends its partition: what lies before it is
    searched, the damage is reported on standard error, the other partitions follow, and the exit status is 1. With
    --on-corrupt skip or report what lies after it is searched, too; the exit status is 1 all the same.

    --newest reads twice, and remembers the keys that there are: with --key alone, those that match.

    Records in front of the log's start were deleted (DeleteRecords), and are left out without --before-log-start.

    Of a tiered topic the records in the local files are searched, and standard error says how many offsets are in
    remote storage. Where --from-offset or --to-offset asks for those, the exit status is 5.

    With --value-as and --key-as values and keys are printed as what their bytes are, as JSON. PATTERN is searched in
    their text and bytes, at any depth, and in all bytes of those that do not parse; --columns says in which part.

    With --as FORMAT the rows of files of that format are searched: text and bytes in them, at any depth. A line is
    printed for each row: where it is, its path, and the row as JSON. - is standard input.
    """
    started = time.monotonic()
    search = Search(
        pattern=_bytes_of(pattern, as_hex, regex),
        where=where or WHERE,
        regex=regex,
        ignore_case=ignore_case,
        invert=invert_match,
    )
    names, out = names_of(columns), Output(escape)
    run = Reading(which.on_corrupt, out.flush)
    show = _Show(run, out, only_count, max_count, mode)
    if declaration is not None:
        kafka = {**which.of_records_alone, "--newest": newest}
        kafka |= {"--no-tombstones": no_tombstones} | {f"--{side.replace('_', '-')}": True for side in where}
        kafka |= {"--value-as": value_as, "--key-as": key_as}
        refuse_with_as({**kafka, "--format csv": mode == "csv"})
        rows = FileRows(declaration, row, names, run, trailing=trailing, checksums=not which.no_checksums)
        matches = MatchingRows(rows, search, bytes_as)
        with rows.opened(paths):
            count = show.all(matches)
        run.end(len(rows.files), is_found=count > 0)
    is_declared = bool(value_as or key_as)
    refuse_without_as({"--row": row, "--trailing": trailing != "error", "--columns": columns and not is_declared})
    layouts = layouts_of(value_as, "--value-as"), layouts_of(key_as, "--key-as")
    search = in_declared(search, names, *layouts)
    reading(paths, times=2 if newest else 1)
    partitions = list(opened(paths, run.statuses))
    for side in filter(None, layouts if partitions else ()):
        side.check_topics(partition.topic for partition in partitions)
    how = {"newest": newest, "tombstones": not no_tombstones, "limit": limit, **run.passed.options}
    starts = Starts(run.statuses)
    count = show.all(MatchingRecords(partitions, search, which, layouts, bytes_as, starts, how))
    out.flush()
    run.passed.end()
    if search.declared is not None:
        remark_refused(search.declared)
    hint_at_fast(started, "searched")
    click.get_current_context().exit(max(run.statuses) or (0 if count else DATA))


@dataclass
class _Show:
    """Prints matches, or their number; at most ``max_count`` of each part."""

    run: Reading
    out: Output
    only_count: bool
    max_count: int | None
    mode: str | None
    total: int = 0
    """How many matches there were so far."""

    def all(self, matches: Matches) -> int:
        """Print the matches; return their number."""
        if self.only_count:
            self._counts(matches)
        else:
            self._rows(matches)
        return self.total

    def _counts(self, matches: Matches) -> None:
        def counted() -> Iterator[tuple[Any, dict[str, Any]]]:
            for part in self._parts(matches):
                count = 0
                for batch in self._batches(matches, part):
                    count += len(batch)
                    if self.max_count is not None and count >= self.max_count:
                        count = self.max_count
                        break
                self.total += count
                yield part, {**matches.head(part), "count": count}

        if self.mode is None:
            for part, item in counted():
                self.out.line(str(item["count"]) if matches.is_alone else f"{matches.name(part)}: {item['count']}")
        elif self.mode == "csv":
            write_rows(self.out, (item for _, item in counted()), ("topic", "partition", "count"), self.mode)
        else:
            write_objects(self.out, (item for _, item in counted()), self.mode, matches.encode)

    def _rows(self, matches: Matches) -> None:
        def matched() -> Iterator[tuple[Any, Any]]:
            for part in self._parts(matches):
                rows = (row for batch in self._batches(matches, part) for row in matches.rows(part, batch))
                for row in islice(rows, self.max_count):
                    self.total += 1
                    yield part, row

        if self.mode is None:
            at_once = sys.stdout.isatty()
            for part, row in matched():
                self.out.line(matches.line(part, row))
                if at_once:
                    self.out.flush()
        elif self.mode == "csv":
            rows = (cells(matches.object(part, row), matches.encode) for part, row in matched())
            write_rows(self.out, rows, matches.columns, self.mode)
        else:
            write_objects(self.out, (matches.object(part, row) for part, row in matched()), self.mode, matches.encode)

    def _parts(self, matches: Matches) -> Iterator[Any]:
        """The parts; output is flushed after each, before anything is printed about the next."""
        for part in matches.parts():
            yield part
            self.out.flush()

    def _batches(self, matches: Matches, part: Any) -> Iterator[Any]:
        return self.run.guarded(matches.batches(part, only_count=self.only_count))


def _bytes_of(pattern: str, as_hex: bool, regex: bool) -> bytes:
    if not as_hex:
        return pattern.encode("utf-8", "surrogateescape")
    if regex:
        raise UsageError("--hex and --regex do not go together: a regular expression has \\x00 to \\xff")
    try:
        return bytes.fromhex(re.sub(r"^0[xX]", "", pattern))
    except ValueError:
        raise UsageError(f"{pattern!r} is not bytes in hexadecimal") from None
