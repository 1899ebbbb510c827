"""`kformat grep`: search records by content."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

import click

from kformat.cli import DATA, complain, say
from kformat.cli.declared import (
    as_options,
    import_option,
    layout_options,
    refuse_with_as,
    refuse_without_as,
    trailing_option,
)
from kformat.cli.output import (
    BYTES,
    Output,
    bytes_option,
    escape_option,
    output_options,
    plain,
    write_objects,
    write_rows,
)
from kformat.cli.progress import reading
from kformat.cli.reading import PassedOver, Starts, WhichRecords, hint_at_fast, opened, which_records
from kformat.cli.row_verbs import grep_rows, names_of
from kformat.dump.lines import bytes_text, java_text, size_of
from kformat.errors import KformatError, UsageError
from kformat.grep import DEFAULT_LIMIT, WHERE, Found, Search, found_records, in_declared, search_chunks
from kformat.integers import MAX_INT64, MIN_INT64
from kformat.kafka.batch.legacy import TIMESTAMP_TYPE_LABELS
from kformat.kafka.batch.records import TimestampType
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.columns.declared import SIDES, Layouts, Shown, layouts_of
from kformat.kafka.log.partition import Partition

_COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "headers")
_TIMESTAMP_TYPES: Final = {int(kind): kind.name for kind in TimestampType}


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
@as_options
@import_option
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
    if declaration is not None:
        kafka = {**which.of_records_alone, "--newest": newest}
        kafka |= {"--no-tombstones": no_tombstones} | {f"--{side.replace('_', '-')}": True for side in where}
        kafka |= {"--value-as": value_as, "--key-as": key_as}
        refuse_with_as({**kafka, "--format csv": mode == "csv"})
        how_read = {"on_corrupt": which.on_corrupt, "trailing": trailing, "checksums": not which.no_checksums}
        printed: dict[str, Any] = {"only_count": only_count, "max_count": max_count, "mode": mode, "bytes_as": bytes_as}
        grep_rows(paths, declaration, row, columns, search, how_read, Output(escape), **printed)
    is_declared = bool(value_as or key_as)
    refuse_without_as({"--row": row, "--trailing": trailing != "error", "--columns": columns and not is_declared})
    layouts = layouts_of(value_as, "--value-as"), layouts_of(key_as, "--key-as")
    search = in_declared(search, names_of(columns), *layouts)
    wanted = Wanted(
        start_offset=MIN_INT64 if which.from_offset is None else which.from_offset,
        end_offset=MAX_INT64 if which.to_offset is None else which.to_offset,
        since_ms=which.since_ms,
        until_ms=which.until_ms,
        before_log_start=which.before_log_start,
        include_control=which.include_control,
        checksums=not which.no_checksums,
        columns=("offset",) if only_count else ("offset", "timestamp", "timestamp_type", "key", "value", "headers"),
    )
    reading(paths, times=2 if newest else 1)
    out, statuses = Output(escape), [0]
    partitions = list(opened(paths, statuses))
    if partitions:
        for given in filter(None, layouts):
            given.check_topics(partition.topic for partition in partitions)
    how = {"newest": newest, "tombstones": not no_tombstones, "limit": limit}
    found = _Matches(partitions, search, wanted, which, statuses, out, how, max_count)
    if only_count:
        _print_counts(found, mode)
    else:
        _print_records(found, layouts, mode, bytes_as)
    out.flush()
    found.passed.end()
    for remark in () if search.declared is None else search.declared.remarks():
        say(f"kformat: {remark}")
    hint_at_fast(started, "searched")
    click.get_current_context().exit(max(statuses) or (0 if found.found_count else DATA))


class _Matches:
    """The matching records of partitions, one partition after the other.

    Attributes:
        found_count: how many were found so far.
        passed: what was passed over.
    """

    def __init__(
        self,
        partitions: Sequence[Partition],
        search: Search,
        wanted: Wanted,
        which: WhichRecords,
        statuses: list[int],
        out: Output,
        how: dict[str, Any],
        max_count: int | None,
    ) -> None:
        """``how`` are arguments of `search_chunks`; of each partition at most ``max_count`` records are found."""
        self.partitions, self.out, self.found_count = partitions, out, 0
        self.passed = PassedOver(which.on_corrupt, statuses, out.flush)
        self._search, self._wanted, self._which, self._statuses = search, wanted, which, statuses
        self._how, self._max_count, self._starts = how | self.passed.options, max_count, Starts(statuses)

    def _chunks(self, partition: Partition) -> Iterator[Any]:
        """What is found in a partition; then, where it ends, the complaint."""
        self.out.flush()
        self._starts.say(partition, self._which.from_offset, self._which.to_offset)
        is_committed = self._which.isolation_level == "read_committed"
        try:
            wanted = partition.committed(self._wanted) if is_committed else self._wanted
            yield from search_chunks(partition, self._search, wanted, **self._how)
        except (KformatError, OSError) as error:
            self.out.flush()
            self._statuses.append(complain(error))

    def counts(self) -> Iterator[dict[str, Any]]:
        """How many there are in each partition."""
        for partition in self.partitions:
            count = 0
            for chunk in self._chunks(partition):
                count += len(chunk)
                if self._max_count is not None and count >= self._max_count:
                    count = self._max_count
                    break
            self.found_count += count
            yield {"topic": partition.topic, "partition": partition.partition, "count": count}

    def records(self) -> Iterator[tuple[Partition, Found]]:
        """Each, with its partition."""
        for partition in self.partitions:
            found = (record for chunk in self._chunks(partition) for record in found_records(chunk, partition))
            for record in islice(found, self._max_count):
                self.found_count += 1
                yield partition, record


def _print_counts(found: _Matches, mode: str | None) -> None:
    out, is_one = found.out, len(found.partitions) == 1
    if mode is not None:
        write_rows(out, found.counts(), ("topic", "partition", "count"), mode)
        return
    for partition, line in zip(found.partitions, found.counts(), strict=True):
        out.line(str(line["count"]) if is_one else f"{_name(partition)}: {line['count']}")


def _print_records(
    found: _Matches, layouts: tuple[Layouts | None, Layouts | None], mode: str | None, bytes_as: str
) -> None:
    out, is_one, at_once = found.out, len(found.partitions) == 1, sys.stdout.isatty()
    shown = {partition.topic: Shown(partition.topic, *layouts, bytes_as) for partition in found.partitions}
    if mode is None:
        for partition, record in found.records():
            text = _line(record, shown[partition.topic])
            out.line(text if is_one else f"{_name(partition)}: {text}")
            if at_once:
                out.flush()
    elif mode == "csv":
        sides = [side for side, given in zip(SIDES, layouts, strict=True) if given is not None]
        more = tuple(f"{side}_{what}" for side in sides for what in ("raw", "error"))
        cells = (_cells(record, BYTES[bytes_as], shown[record.topic]) for _, record in found.records())
        write_rows(out, cells, (*_COLUMNS, *more), mode)
    else:
        rows = (_object(record, shown[record.topic]) for _, record in found.records())
        write_objects(out, rows, mode, BYTES[bytes_as])


def _bytes_of(pattern: str, as_hex: bool, regex: bool) -> bytes:
    if not as_hex:
        return pattern.encode("utf-8", "surrogateescape")
    if regex:
        raise UsageError("--hex and --regex do not go together: a regular expression has \\x00 to \\xff")
    try:
        return bytes.fromhex(re.sub(r"^0[xX]", "", pattern))
    except ValueError:
        raise UsageError(f"{pattern!r} is not bytes in hexadecimal") from None


def _name(partition: Partition) -> str:
    """What lines of a partition begin with."""
    return str(partition.path)


def _line(found: Found, shown: Shown) -> str:
    """A record as dump prints it, without what its batch says."""
    keys = ",".join(java_text(key.encode("utf-8", "surrogateescape")) for key, _ in found.headers)
    text = (
        f"offset: {found.offset} {TIMESTAMP_TYPE_LABELS[found.timestamp_type]}: {found.timestamp}"
        f" keySize: {size_of(found.key)} valueSize: {size_of(found.value)} headerKeys: [{keys}]"
    )
    if found.key is not None:
        text += f" key: {bytes_text('key', 'key', found.key, shown)}"
    if found.value is not None:
        text += f" payload: {bytes_text('value', 'payload', found.value, shown)}"
    return text


def _object(found: Found, shown: Shown) -> dict[str, Any]:
    fields = asdict(found) | {"timestamp_type": _TIMESTAMP_TYPES.get(found.timestamp_type)}
    del fields["headers"]
    headers = [{"key": key, "value": value} for key, value in found.headers]
    return fields | shown.fields("key", found.key) | shown.fields("value", found.value) | {"headers": headers}


def _cells(found: Found, encode: Callable[[bytes], str], shown: Shown) -> dict[str, Any]:
    row = plain(_object(found, shown), encode)
    return {name: json.dumps(item) if isinstance(item, list | dict) else item for name, item in row.items()}
