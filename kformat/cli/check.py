"""`kformat check`: what is wrong in partitions; and how findings are printed, whoever found them."""

from __future__ import annotations

import json
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any, Final

import click

from kformat.check.checker import check
from kformat.check.directory import NOT_JUDGED
from kformat.check.rules import SEVERITIES, Finding
from kformat.cli import one_line
from kformat.cli.output import Output, ProgressLine, output_options, write_objects
from kformat.cli.sarif import sarif
from kformat.errors import UsageError
from kformat.kafka.file_kinds import kind_of
from kformat.kafka.indexing import PROFILES
from kformat.storage.address import files_below, status

_SLOW_SECONDS: Final = 10.0
"""Behind so many a check says what it could be faster with."""

_OPTIONS: Final = (
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
        type=click.Choice(["text", "json", "nl", "sarif"]),
        help="How findings are printed; text by default.",
    ),
    output_options("json", "nl"),
)


def check_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What a check is told: ``paths``, ``profile``, ``index_interval_bytes``, ``no_records``, ``ignore``, ``severity``,
    ``shape``, ``mode``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("check")
@check_options
def check_command(
    paths: tuple[str, ...],
    profile: str | None,
    index_interval_bytes: int | None,
    no_records: bool,
    ignore: tuple[str, ...],
    severity: str,
    shape: str | None,
    mode: str | None,
) -> None:
    """Look for damage. DIR is a partition's folder, a folder of such, or a file of a segment.

    One finding a line: file, position, rule, path, what is wrong. The exit status is 1 where there are errors or
    warnings, and 3 where a file could not be read. Files that are none of Kafka's are counted, not judged. Records are
    judged dozens of times as fast with numba (extra fast).
    """
    started, progress = time.monotonic(), ProgressLine()
    found = check(
        paths,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        records=not no_records,
        ignore=ignore,
        progress=progress.share if progress.is_shown else None,
    )
    exit_status = print_findings(paths, found, severity, mode or shape or "text", progress)
    if not no_records and time.monotonic() - started > _SLOW_SECONDS and find_spec("numba") is None:
        click.echo("kformat: with numba (extra fast) records are judged dozens of times as fast", err=True)
    click.get_current_context().exit(exit_status)


def print_findings(
    paths: Iterable[str], found: Iterable[Finding], severity: str, shape: str, progress: ProgressLine
) -> int:
    """Print findings of some weight as they come, and then how many there were; the exit status.

    Raises UsageError where there was nothing to check: no finding, and no file of Kafka's at or below the paths.
    """
    out = Output()
    counts, not_judged, statuses = Counter[str](), Counter[str](), [0]

    def findings() -> Iterator[Finding]:
        for finding in found:
            if SEVERITIES.index(finding.severity) > SEVERITIES.index(severity):
                if finding.rule == NOT_JUDGED.id:
                    not_judged[finding.message.removeprefix("not judged: ")] += 1
                continue
            counts[finding.severity] += 1
            statuses.append(finding.exit_status)
            progress.clear()
            yield finding

    try:
        if shape == "text":
            for finding in findings():
                out.line(one_line(str(finding)))
        elif shape == "sarif":
            out.line(json.dumps(sarif(findings()), indent=1))
        else:
            write_objects(out, map(_finding_object, findings()), shape, bytes.hex)
    finally:
        progress.clear()
    out.flush()
    if not counts and not any(map(_holds_a_file, paths)):
        raise UsageError(f"nothing to check: no file of Kafka's in {', '.join(paths)}")
    if counts or not_judged or sys.stderr.isatty():
        _summarise(counts, not_judged)
    return max(statuses)


def _holds_a_file(path: str) -> bool:
    """Whether a path is a file, or a folder with a file of Kafka's at any depth: "sound" is not said of nothing.

    A log directory without partitions is sound: a broker with several keeps its own files in each of them.
    """
    return stat.S_ISREG(status(path).st_mode) or any(kind_of(name) is not None for name in files_below(path))


def _summarise(counts: Counter[str], not_judged: Counter[str]) -> None:
    words = zip(SEVERITIES, ("error", "warning", "remark"), strict=True)
    said = [
        f"{counts[name]} {word}{'' if counts[name] == 1 else 's'}"
        for name, word in words
        if counts[name] or word != "remark"
    ]
    click.echo(f"kformat: {', '.join(said)}", err=True)
    if not_judged:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(not_judged.items()))
        click.echo(f"kformat: not judged (--severity info lists them): {kinds}", err=True)


def _finding_object(finding: Finding) -> dict[str, Any]:
    return {
        name: value if value is None or isinstance(value, int | str) else str(value)
        for name, value in asdict(finding).items()
    }
