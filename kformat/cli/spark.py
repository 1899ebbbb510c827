"""`kformat spark VERB`: the verbs that do their work in tasks of Spark.

Rules:

* A verb prints what its single-machine namesake prints, by the same code, with the same exit status.
* Spark is started when the call is known to be right, and says nothing, unless it is asked to.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import click

from kformat.cli import DATA, one_line
from kformat.cli.check import check_options, print_findings
from kformat.cli.output import Output, ProgressLine, output_options, write_rows
from kformat.cli.reindex import print_remade, reindex_options
from kformat.cli.stats import counting, partitions_below, print_stats, stats_options
from kformat.errors import KformatError, UsageError
from kformat.partition import Segment
from kformat.places import absolute, place
from kformat.reindexing import Remade, Rules
from kformat.spark import session
from kformat.spark.jobs import Done, Progress
from kformat.spark.jobs.checking import findings
from kformat.spark.jobs.converting import convert
from kformat.spark.jobs.counting import counted
from kformat.spark.jobs.reindexing import remade

_SETTINGS: Final = {
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""What a command sets, unless it is told otherwise: its own line of progress is enough."""

Start = Callable[[], Any]
"""Gives a SparkSession."""


@click.group("spark")
def spark_command() -> None:
    """Do it at scale: the work is done by tasks of Spark (extra spark), on this machine or on many.

    Every worker has to see the files under the same paths. What is printed, and the exit status, are those of the verb
    without `spark`.
    """


def with_spark(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of all verbs here; the parameter ``start`` starts Spark, or finds it started."""

    @functools.wraps(command)
    def told(*arguments: Any, master: str, settings: tuple[str, ...], verbose: bool, **given: Any) -> Any:
        name = f"kformat {command.__name__.removesuffix('_command').replace('_', '-')}"
        chosen = _pairs("--set", settings, "spark.executor.memory=4g")
        return command(*arguments, start=functools.partial(_started, name, master, chosen, verbose), **given)

    for option in (
        click.option("--verbose", is_flag=True, help="Show what Spark says, and how it was started."),
        click.option(
            "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of Spark's; may be repeated."
        ),
        click.option(
            "--master", default="local[*]", show_default=True, metavar="URL", help="Where tasks run: spark://host:7077."
        ),
    ):
        told = option(told)
    return told


def _pairs(option: str, given: Sequence[str], example: str) -> dict[str, str]:
    pairs = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise UsageError(f"{option} {text}: expected a name and a value, as in {example}")
        pairs[key] = value
    return pairs


def _started(name: str, master: str, settings: dict[str, str], verbose: bool) -> Any:
    chosen = {**({} if verbose else _SETTINGS), **settings}
    try:
        with _nothing_said(verbose):
            return session(name, master=master, settings=chosen, quiet=not verbose)
    except (KformatError, OSError):
        raise
    except Exception as error:  # Spark has an error of its own for everything that may go wrong here
        raise OSError(f"Spark does not start: {error} (--verbose shows what it says)") from error


@contextmanager
def _nothing_said(verbose: bool) -> Iterator[None]:
    """Processes that are started meanwhile, and theirs, have nowhere to complain."""
    if verbose:
        yield
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _teller(line: ProgressLine) -> Progress | None:
    def tell(done: Done) -> None:
        text = f"{done.tasks} of {done.of_tasks} tasks, {done.size_bytes / 1e9:.1f} of {done.of_bytes / 1e9:.1f} GB"
        line.show(text, "")

    return tell if line.is_shown else None


def _as_given(paths: Sequence[str], spelled: Callable[[str], str] = str) -> Callable[[str], str]:
    """Puts paths into texts as the call has them, and as a verb spells them, for the absolute ones that tasks know."""
    given = {absolute(path): spelled(path) for path in paths}
    longest_first = sorted(given, key=len, reverse=True)
    # Where a path ends: at another part of it, at a position, at a word.
    pattern = re.compile("(?:" + "|".join(map(re.escape, longest_first)) + r")(?=[/:\s]|$)")
    return lambda text: pattern.sub(lambda found: given[found[0]].rstrip("/") or "/", text)


def _as_a_path(path: str) -> str:
    return str(place(path))


# --- check ---------------------------------------------------------------------------------------------------------


@spark_command.command("check")
@check_options
@with_spark
def check_command(
    start: Start,
    paths: tuple[str, ...],
    profile: str | None,
    index_interval_bytes: int | None,
    no_records: bool,
    ignore: tuple[str, ...],
    severity: str,
    shape: str | None,
    mode: str | None,
) -> None:
    """Look for damage, as `kformat check` does: a task judges segments."""
    line = ProgressLine()
    found = findings(
        start(),
        paths,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        records=not no_records,
        ignore=ignore,
        progress=_teller(line),
    )
    line.clear()
    told = _as_given(paths)
    as_given = (replace(finding, file=told(finding.file)) for finding in found)
    click.get_current_context().exit(print_findings(paths, as_given, severity, mode or shape or "text", line))


# --- reindex -------------------------------------------------------------------------------------------------------


@spark_command.command("reindex")
@reindex_options
@with_spark
def reindex_command(start: Start, paths: tuple[str, ...], mode: str | None, **rules: Any) -> None:
    """Make .index and .timeindex anew from the log, as `kformat reindex` does: a task makes those of segments.

    Indexes get their names when all of them are made; until then nothing is changed.
    """
    how, line = Rules(**rules), ProgressLine()

    def done(segments: Iterable[tuple[str, Segment]]) -> Iterator[tuple[str, Remade]]:
        there = [(name, replace(segment, log=segment.log.absolute())) for name, segment in segments]
        for name, made in remade(start(), there, how, progress=_teller(line)) if there else ():
            line.clear()
            yield name, made

    print_remade(paths, how, mode, done, _as_given(paths, _as_a_path))


# --- stats ---------------------------------------------------------------------------------------------------------


@spark_command.command("stats")
@stats_options
@with_spark
def stats_command(start: Start, paths: tuple[str, ...], mode: str | None, interval: int | None, **how: Any) -> None:
    """Say what partitions hold, in numbers, as `kformat stats` does: a task counts partitions, or segments."""
    statuses, line, what = [0], ProgressLine(), counting(interval=interval, **how)
    folders = list(map(str, partitions_below(paths, statuses)))
    rows = counted(start(), folders, what, progress=_teller(line)) if folders else what.rows([])
    line.clear()
    worded = _as_given(paths, _as_a_path)
    print_stats(rows, mode, statuses, with_timeline=interval is not None, worded=worded)


# --- to-parquet, read ----------------------------------------------------------------------------------------------


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the source, as words; the parameter ``options`` has them by name."""

    @functools.wraps(command)
    def told(*arguments: Any, options: tuple[str, ...], **given: Any) -> Any:
        return command(*arguments, options=_pairs("--option", options, "startingOffsets=earliest"), **given)

    return click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of the source: subscribe=orders, startingTimestamp=..., includeMetadata=true; may be repeated.",
    )(told)


@spark_command.command("to-parquet")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option("-o", "--output", required=True, metavar="OUT", help="A folder that is empty, or not there yet.")
@source_options
@output_options("table", "csv", "json", "nl")
@with_spark
def to_parquet_command(
    start: Start, paths: tuple[str, ...], output: str, options: dict[str, str], mode: str | None
) -> None:
    """Write records to Parquet, a file for each segment: rows as `kformat export` has them. A task writes it.

    Damage is passed over and told, and the exit status is 1 then; with `--option onCorrupt=error` nothing is written.
    Files get their names when all of them are written.
    """
    line = ProgressLine()
    chosen = {"includeHeaders": "true", "onCorrupt": "report", **options}
    written = convert(start(), paths, output, progress=_teller(line), **chosen)
    line.clear()
    worded = _as_given([*paths, output], _as_a_path)
    columns = ("file", "topic", "partition", "base_offset", "records_count", "size_bytes")
    rows = [{name: getattr(one, name) for name in columns} for one in written]
    write_rows(Output(), ({**row, "file": worded(row["file"])} for row in rows), columns, mode or "table")
    problems = [problem for one in written for problem in one.problems]
    sys.stdout.flush()
    for problem in problems:
        click.echo(f"kformat: {one_line(worded(problem))}", err=True)
    click.get_current_context().exit(DATA if problems else 0)
