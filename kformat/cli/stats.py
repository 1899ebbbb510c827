"""`kformat stats`: numbers about partitions."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from kformat.cli import DATA, complain, one_line, say
from kformat.cli.declared import (
    as_options,
    decode_option,
    language_options,
    layout_options,
    refuse_with_as,
    refuse_without_as,
    trailing_option,
)
from kformat.cli.output import (
    Output,
    TableChoice,
    in_order,
    output_options,
    table_options,
    together,
    write_objects,
    write_rows,
)
from kformat.cli.progress import reading
from kformat.cli.reading import (
    PassedOver,
    Starts,
    before_log_start_option,
    choose_options,
    on_corrupt_option,
    opened,
    partitions_of,
)
from kformat.cli.row_sources import Reading
from kformat.cli.row_stats import stats_rows, stats_values
from kformat.errors import KformatError, UsageError
from kformat.kafka.columns.declared import layouts_of
from kformat.kafka.log.partition import open_partition
from kformat.stats import BY, DEFAULT_LIMIT, Counting, Stats, UnreadRecords
from kformat.times import time_text

_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SIZES: Final = ("batch_bytes", "records_per_batch", "key_bytes", "value_bytes", "headers_per_record")
_SHOWN: Final = ("min", "median", "p95", "p99", "max", "mean")
_OPEN: Final = ("producer_id", "producer_epoch", "start_offset", "last_timestamp")
_PRODUCERS: Final = ("producer_id", "records_count", "batches_count", "transactional_batches_count")
_LEAST_ROOM: Final = 20
_MOST_ROWS: Final = 10
_MOST_INTERVALS: Final = 60
_MOST_ASKED_INTERVALS: Final = 10_000


def _flat(numbers: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a row of CSV: distributions by their quantiles, nothing that is a list."""
    row: dict[str, Any] = {}
    for name, value in numbers.items():
        if name in _SIZES:
            row |= {f"{name}_{key}": number for key, number in value.items()}
        elif not isinstance(value, dict | list):
            row[name] = value
    return row


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """All columns of a row."""
    return row | _flat(row)


_WITHOUT_RECORDS: Final = _cells(Stats("").as_dict())
_COLUMNS: Final = _cells(Stats("", has_records=True).as_dict())
_NESTED: Final = frozenset(name for name, value in _COLUMNS.items() if isinstance(value, dict | list))


class _Duration(click.ParamType):
    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"([0-9]{1,9})(ms|s|m|h|d)", str(value))
        if isinstance(value, int):
            return value
        if match is None or not int(match[1]):
            self.fail(f"{value!r} is not a length of time (10s, 5m, 1h, ...)", param, ctx)
        return int(match[1]) * _MS[match[2]]


stats_options: Final = together(
    click.argument("paths", nargs=-1, required=True, metavar="DIR..."),
    choose_options,
    click.option("--records", is_flag=True, help="Read records, too: keys, values, headers. Takes much longer."),
    click.option(
        "--by", type=click.Choice(BY), default="partition", show_default=True, help="What is counted together."
    ),
    before_log_start_option,
    click.option(
        "--interval", type=_Duration(), metavar="TIME", help="Show records and bytes in each 10s, 5m, 1h, ..."
    ),
    click.option(
        "--limit",
        type=click.IntRange(0),
        metavar="BYTES",
        default=DEFAULT_LIMIT,
        show_default=True,
        help="With --records: how much memory keys may take, about, before their number is estimated.",
    ),
    table_options(*_COLUMNS),
    output_options("text", "json", "nl", "csv"),
)
"""The arguments of counting: ``paths``, ``mode``, ``chosen``, and the arguments of `counting`."""

Row = dict[str, Any]
"""`Stats.as_dict`."""


def counting(records: bool, by: str, interval: int | None, limit: int, before_log_start: bool) -> Counting:
    """What the options say."""
    most = _MOST_INTERVALS if interval is None else _MOST_ASKED_INTERVALS
    return Counting(records, by, limit, interval or 1000, most, before_log_start)


@click.command("stats")
@on_corrupt_option
@as_options
@layout_options
@decode_option
@language_options
@trailing_option("pass over them (with --as).")
@stats_options
def stats_command(
    paths: tuple[str, ...],
    mode: str | None,
    chosen: TableChoice,
    interval: int | None,
    on_corrupt: str,
    declaration: str | None,
    row: str | None,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    trailing: str,
    **how: Any,
) -> None:
    """Say what partitions hold, in numbers. DIR is a partition's folder, a root that holds many, or a .log file.

    Sizes, rates, gaps in time and offsets, codecs, producers, transactions come from the headers of batches; with
    --records sizes of keys and values, distinct keys, tombstones, headers, records out of order. The documentation of
    the command line says what each number is.

    Records in front of the log's start were deleted (DeleteRecords), and are not counted without --before-log-start.

    Damage ends its segment: it is reported on standard error, what comes after it is unread_bytes, the other segments
    follow, and the exit status is 1. With --on-corrupt skip or report what lies after it is counted, too; the exit
    status is 1 all the same.

    --columns prints a table of these numbers, a line for each partition; their names are those of CSV.

    With --value-as and --key-as it says of what records hold how many values and keys parse, and the same of their
    columns as of rows with --as; without the numbers about batches.

    With --as FORMAT it says of files of that format how many rows there are, and of each column, or of those that
    --columns names: nulls, smallest and largest value, sizes, distinct and most frequent values. - is standard input.
    """
    if declaration is not None:
        kafka = {"--records": how["records"], "--interval": interval, "--before-log-start": how["before_log_start"]}
        kafka |= {"--value-as": value_as, "--key-as": key_as}
        refuse_with_as({**kafka, "--by": how["by"] != "partition", "--sort": chosen.sort})
        stats_rows(paths, declaration, row, chosen.columns, on_corrupt, trailing, mode)
    refuse_without_as({"--row": row, "--trailing": trailing != "error"})
    if value_as or key_as:
        _stats_of_values(paths, mode, chosen, value_as, key_as, on_corrupt, {**how, "interval": interval})
    check_chosen(chosen, mode, how["records"])
    reading(paths)
    statuses = [0]
    passed = PassedOver(on_corrupt, statuses)
    what = replace(counting(interval=interval, **how), on_corrupt=passed.options["on_corrupt"])
    rows = what.rows(what.parts(partitions_below(paths, statuses), passed.add))
    print_stats(rows, mode, statuses, chosen, with_timeline=interval is not None, end=passed.end)


def _stats_of_values(
    paths: tuple[str, ...],
    mode: str | None,
    chosen: TableChoice,
    value_as: tuple[str, ...],
    key_as: tuple[str, ...],
    on_corrupt: str,
    how: dict[str, Any],
) -> NoReturn:
    others = {"--records": how["records"], "--interval": how["interval"], "--sort": chosen.sort}
    for option, value in (*others.items(), ("--by", how["by"] != "partition")):
        if value:
            raise UsageError(f"{option} does not go with --value-as and --key-as")
    sides = {"key": layouts_of(key_as, "--key-as"), "value": layouts_of(value_as, "--value-as")}
    layouts = {side: by_topic for side, by_topic in sides.items() if by_topic is not None}
    run = Reading(on_corrupt)
    partitions = list(opened(paths, run.statuses))
    for by_topic in layouts.values() if partitions else ():
        by_topic.check_topics(partition.topic for partition in partitions)
    reading(paths)
    stats_values(partitions, layouts, chosen.columns, run, how["before_log_start"], mode)


def check_chosen(chosen: TableChoice, mode: str | None, records: bool) -> None:
    """Raise UsageError for columns that a call does not have."""
    sort = () if chosen.sort is None else (chosen.sort.removeprefix("-"),)
    for name in (*(chosen.columns or ()), *sort):
        if name not in _WITHOUT_RECORDS and not records:
            raise UsageError(f"the column {name} needs --records")
        if name in _NESTED and (name in sort or mode not in ("json", "nl")):
            why = "nothing can be sorted by it" if name in sort else "--format json and nl print it"
            raise UsageError(f"the column {name} holds more than one number; {why}")


def print_stats(
    rows: Iterable[Row | KformatError | OSError],
    mode: str | None,
    statuses: list[int],
    chosen: TableChoice,
    *,
    with_timeline: bool,
    worded: Callable[[str], str] = str,
    end: Callable[[], object] = lambda: None,
) -> None:
    """Print the numbers as they come, and end with the exit status.

    ``worded`` puts paths into messages as the call has them; ``end`` is called when all is printed.
    """
    out = Output()

    def worded_rows() -> Iterator[Row]:
        for row in rows:
            if isinstance(row, KformatError | OSError):
                out.flush()
                statuses.append(complain(row, worded))
                continue
            problems = [worded(problem) for problem in row["problems"]]
            unread = [UnreadRecords(**rest) for rest in row.get("unread_records", ())]
            unread = [rest._replace(file=worded(rest.file)) for rest in unread]
            if problems:
                statuses.append(DATA)
                out.flush()
            for problem in (*problems, *map(str, unread)):
                say(f"kformat: {one_line(' '.join(problem.splitlines()))}")
            own = {"unread_records": [rest._asdict() for rest in unread]} if "unread_records" in row else {}
            yield {**row, "name": worded(row["name"]), "problems": problems, **own}

    output_rows: Iterable[Row] = worded_rows()
    if chosen.sort is not None:
        output_rows = in_order(output_rows, chosen.sort, _cells)
    if chosen.columns is not None:
        write_rows(out, map(_cells, output_rows), chosen.columns, mode or "table", TableChoice(chosen.columns))
    elif mode == "csv":
        flat = [_flat(row) for row in output_rows]
        write_rows(out, flat, list(flat[0]) if flat else [], mode)
    elif mode is not None:
        write_objects(out, output_rows, mode, partial(bytes.hex))
    else:
        for number, row in enumerate(output_rows):
            if number:
                out.line("")
            _write(out, row, with_timeline)
    out.flush()
    end()
    click.get_current_context().exit(max(statuses))


def partitions_below(paths: Iterable[str], statuses: list[int]) -> Iterator[Path]:
    """The partitions at or below some paths; paths that cannot be read, and log starts that cannot be read, are
    reported."""
    starts = Starts(statuses)
    for folder in partitions_of(paths, statuses):
        with contextlib.suppress(KformatError, OSError):  # counting reports it
            starts.check(open_partition(folder))
        yield folder


# --- text ----------------------------------------------------------------------------------------------------------


def _write(out: Output, row: Row, with_timeline: bool) -> None:
    out.line(one_line(f"{row['name']}"))
    facts = [(name, text) for name, text in _facts(row) if text]
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        indent = " " * (width + 4)
        room = shutil.get_terminal_size().columns - len(indent) if sys.stdout.isatty() else len(text)
        for number, line in enumerate(textwrap.wrap(text, max(room, _LEAST_ROOM)) or [""]):
            out.line(f"  {name:{width}}  {line}" if not number else indent + line)
    sizes = [{"sizes": name, **row[name]} for name in _SIZES if row.get(name, {}).get("count")]
    _table(out, sizes, ("sizes", *_SHOWN))
    _table(out, row["codecs"], ("codec", "batches_count", "records_count", "size_bytes", "ratio"))
    gaps = [{**gap, "gap": _length(gap["gap_ms"])} for gap in row["time_gaps"]]
    _table(out, gaps, ("gap", "after_offset", "before_offset"))
    _table(out, row["offset_gaps"], ("offsets_count", "after_offset", "before_offset"))
    _table(out, row["producers"], _PRODUCERS)
    _table(out, row["open_transactions"], _OPEN)
    _table(out, row.get("header_keys", []), ("key", "count"))
    if with_timeline:
        seconds = row["interval_ms"] / 1000
        times = [
            {
                "first_timestamp": part["start"],
                "records_count": part["records_count"],
                "size_bytes": part["size_bytes"],
                "records_per_second": _short(part["records_count"] / seconds),
                "bytes_per_second": _short(part["size_bytes"] / seconds),
            }
            for part in row["timeline"]
        ]
        _table(out, times, tuple(times[0]) if times else (), most=len(times))


def _table(out: Output, rows: list[dict[str, Any]], columns: tuple[str, ...], most: int = _MOST_ROWS) -> None:
    if rows:
        out.line("")
        write_rows(out, rows[:most], columns, "table")
        if len(rows) > most:
            out.line(f"and {len(rows) - most} more")


def _facts(row: Row) -> Iterator[tuple[str, str | None]]:
    batches, records = row["batches_count"], row["records_count"]
    yield "segments", f"{row['segments_count']}, {row['size_bytes']} bytes; indexes {row['index_bytes']} bytes"
    yield "room", f"{row['room_bytes']} bytes of zeros" if row["room_bytes"] else None
    yield "unread", f"{row['unread_bytes']} bytes after damage" if row["unread_bytes"] else None
    yield "deleted", f"{row['deleted_bytes']} bytes of deleted records, not counted" if row["deleted_bytes"] else None
    yield "batches", _with_parts(batches, row, ("empty", "control", "idempotent", "transactional", "overlapping"))
    control = row["control_records_count"]
    yield "records", f"{records}" + (f", {control} of them control records" if control else "")
    if row["first_offset"] is not None and row["next_offset"] > row["first_offset"]:
        missing = row["missing_offsets_count"]
        share = _share(missing, row["next_offset"] - row["first_offset"])
        yield "offsets", f"{row['first_offset']} to {row['next_offset'] - 1}, {missing} missing ({share})"
    remote = row["remote_offsets_count"]
    yield "remote", f"{remote} offsets in remote storage, not counted" if remote else None
    if row["first_timestamp"] is not None:
        span = f"{time_text(row['first_timestamp'])} to {time_text(row['last_timestamp'])}"
        yield "time", f"{span} ({', '.join(row['timestamp_types'])})"
        yield (
            "late batches",
            f"{row['late_batches_count']} ({_share(row['late_batches_count'], row['timed_batches_count'])})",
        )
    if row["records_per_second"] is not None:
        yield "rate", f"{_short(row['records_per_second'])} records/s, {_short(row['bytes_per_second'])} bytes/s"
    if row["timeline"]:
        busiest = max(row["timeline"], key=lambda part: part["records_count"])  # of several the first
        within = f"{_length(row['interval_ms'])} from {time_text(busiest['start'])}"
        yield "busiest", f"{busiest['records_count']} records, {busiest['size_bytes']} bytes in {within}"
    yield "magic", ", ".join(f"{magic}: {count} batches" for magic, count in row["magics"].items())
    epochs = sorted(part["leader_epoch"] for part in row["leader_epochs"] if part["leader_epoch"] >= 0)
    yield "leader epochs", ", ".join(map(str, epochs[:_MOST_ROWS])) + (", ..." if len(epochs) > _MOST_ROWS else "")
    count = row["producers_count"]
    yield "producers", ("" if row["producers_are_all"] else "more than ") + str(count) if count else None
    yield "control", ", ".join(f"{name} {count}" for name, count in row["control_types"].items())
    count, stable = row["open_transactions_count"], row["last_stable_offset"]
    if count:
        up_to = "" if stable is None else f"; the last stable offset is {stable}"
        yield "open", f"{count} transaction{'s' * (count != 1)}{up_to}"
    if "records_read_count" in row:
        yield from _record_facts(row)


def _record_facts(row: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    read = row["records_read_count"]
    unread = row["unread_records_count"]
    yield "records read", str(read) + (f"; {unread} not read, because of damage" if unread else "")
    with_key, distinct = read - row["null_keys_count"], row["distinct_keys_count"]
    about = f"about {distinct} (± {row['distinct_keys_error']})" if row["distinct_keys_error"] else str(distinct)
    yield (
        "keys",
        f"{with_key}, {about} distinct; {row['null_keys_count']} null ({_share(row['null_keys_count'], read)})",
    )
    yield "tombstones", f"{row['tombstones_count']} ({_share(row['tombstones_count'], read)})"
    yield "null values", f"{row['null_values_count']} ({_share(row['null_values_count'], read)})"
    yield "late records", f"{row['late_records_count']} ({_share(row['late_records_count'], read)})"


def _with_parts(count: int, row: dict[str, Any], kinds: tuple[str, ...]) -> str:
    parts = [f"{row[f'{kind}_batches_count']} {kind}" for kind in kinds if row[f"{kind}_batches_count"]]
    return ", ".join([str(count), *parts])


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


def _length(ms: int) -> str:
    """A length of time in the largest unit that it has one of."""
    unit = next((unit for unit, factor in reversed(_MS.items()) if ms >= factor), "ms")
    return f"{round(ms / _MS[unit], 3):.15g}{unit}"
