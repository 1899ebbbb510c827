"""`kformat check`: what is wrong in partitions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, Final

import click

from kformat.check.checker import check
from kformat.check.rules import SEVERITIES
from kformat.cli.findings import GROUPS, SHAPES, How, print_findings
from kformat.cli.output import together
from kformat.cli.progress import reading
from kformat.cli.reading import hint_at_fast
from kformat.kafka.indexing import PROFILES

_given: Final = together(
    click.argument("paths", nargs=-1, required=True, metavar="DIR..."),
    click.option(
        "--profile", type=click.Choice(PROFILES), help="Whose index entries to expect; inferred where left out."
    ),
    click.option(
        "--index-interval-bytes", type=click.IntRange(0), metavar="N", help="The topic's index.interval.bytes."
    ),
    click.option("--no-records", is_flag=True, help="Judge batches and indexes, not records."),
    click.option(
        "--ignore", multiple=True, metavar="RULE", help="Leave out a rule by its id; may be given more than once."
    ),
    click.option(
        "--severity",
        type=click.Choice(SEVERITIES),
        default="warning",
        show_default=True,
        help="Leave out findings of less weight.",
    ),
    click.option(
        "--format",
        "shape",
        type=click.Choice(SHAPES),
        default="text",
        show_default=True,
        help="How findings are printed; github: annotations of a workflow.",
    ),
    click.option("--statistics", is_flag=True, help="Print how many findings each rule has, and not the findings."),
    click.option(
        "--group-by",
        type=click.Choice(list(GROUPS)),
        help="Print findings, or with --statistics their numbers, under the rule, partition or file they belong to.",
    ),
)


def check_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a check: ``paths``, ``profile``, ``index_interval_bytes``, ``no_records``, ``ignore``, and ``how``
    findings are printed."""

    @functools.wraps(command)
    def chosen(*arguments: Any, severity: str, shape: str, statistics: bool, group_by: str | None, **given: Any) -> Any:
        return command(*arguments, how=How(severity, shape, statistics, group_by), **given)

    return _given(chosen)


@click.command("check")
@check_options
def check_command(
    paths: tuple[str, ...],
    profile: str | None,
    index_interval_bytes: int | None,
    no_records: bool,
    ignore: tuple[str, ...],
    how: How,
) -> None:
    """Look for damage. DIR is a partition's folder, a folder of such, or a file of a segment.

    One finding a line: file, position, severity, rule, path, what is wrong. `kformat explain` says what a rule means,
    and which verb mends it. The exit status is 1 where there are errors or warnings, and 3 where a file could not be
    read. Files that are none of Kafka's are counted, not judged. Records are judged dozens of times as fast with numba
    (extra fast).
    """
    started, progress = time.monotonic(), reading(paths)
    found = check(
        paths,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        records=not no_records,
        ignore=ignore,
    )
    exit_status = print_findings(paths, found, how, progress)
    if not no_records:
        hint_at_fast(started, "judged")
    click.get_current_context().exit(exit_status)
