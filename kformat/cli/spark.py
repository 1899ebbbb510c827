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

from kformat.cli.check import check_options, print_findings
from kformat.cli.output import ProgressLine
from kformat.cli.reindex import print_remade, reindex_options
from kformat.errors import KformatError, UsageError
from kformat.partition import Segment
from kformat.places import absolute, place
from kformat.reindexing import Remade, Rules
from kformat.spark import session
from kformat.spark.jobs import Done, Progress, findings, remade

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
        return command(*arguments, start=functools.partial(_started, name, master, _pairs(settings), verbose), **given)

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


def _pairs(settings: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise UsageError(f"--set {text}: expected KEY=VALUE, as in spark.executor.memory=4g")
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
