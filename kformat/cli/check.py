"""`kformat check`: report what is wrong in partitions."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, Literal

import click

from kformat.check.checker import CheckOutcome, Key, Work, check, judge, plan
from kformat.check.sound import SoundRecords
from kformat.cli import complain, remark
from kformat.cli.declared import (
    as_options,
    files_of,
    language_options,
    refuse_with_as,
    refuse_without_as,
    trailing_option,
)
from kformat.cli.findings import GROUPS, SHAPES, How, print_findings
from kformat.cli.jobs import Workers, jobs_option
from kformat.cli.output import together
from kformat.cli.progress import ProgressLine, reading
from kformat.cli.reading import choose_options, chosen_here, hint_at_fast
from kformat.errors import KformatError
from kformat.kafka.files.file_kinds import CLUSTER_METADATA as METADATA_TOPIC
from kformat.kafka.findings.rules import SEVERITIES
from kformat.kafka.index.indexing import PROFILES
from kformat.storage.address import address, status

_options: Final = together(
    click.argument("paths", nargs=-1, required=True, metavar="DIR..."),
    choose_options,
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
    def chosen(
        *arguments: Any, severity: str, shape: str, statistics: bool, group_by: str | None, **keywords: Any
    ) -> Any:
        return command(*arguments, how=How(severity, shape, statistics, group_by), **keywords)

    return _options(chosen)


@click.command("check")
@check_options
@as_options
@language_options
@trailing_option("pass over them (with --as).")
@click.option("--against", metavar="DIR", help="Other copies of the partitions: compaction dropped none of their keys.")
@jobs_option("Check segments in N processes.", is_parallel=False)
def check_command(
    paths: tuple[str, ...],
    profile: str | None,
    index_interval_bytes: int | None,
    no_records: bool,
    ignore: tuple[str, ...],
    how: How,
    declaration: str | None,
    row: str | None,
    trailing: Literal["error", "keep"],
    against: str | None,
    jobs: int,
) -> None:
    """Look for damage. DIR is a partition's folder, a folder of such, or a file of a segment; with --as FORMAT a file
    of that format.

    One finding a line: file, position, severity, rule, path, what is wrong. `kformat explain` says what a rule means,
    and which verb mends it. The exit status is 1 where there are errors or warnings, and 3 where a file could not be
    read. Files that are none of Kafka's are counted, not judged. Records are judged dozens of times as fast with numba
    (extra fast).

    --topic, --exclude and --partition choose the partitions that are judged, of all DIRs; of entries in a root's own
    files those about other partitions are passed over. Rules that compare partitions with what __cluster_metadata and
    __consumer_offsets say need these among the chosen.

    With --against the last record of each key in another copy must be in DIR, or a later one of that key: what a faulty
    compaction dropped is found so.

    With --as each file is checked against its declaration: structure, `valid` and `-check` rules, checksums, instances,
    and bytes that are left over. Rows are read one after the other, and those after damage, too, where they can be
    found. - is standard input.
    """
    if declaration is not None:
        kafka = {"--profile": profile, "--index-interval-bytes": index_interval_bytes, "--no-records": no_records}
        kafka["--against"] = against
        refuse_with_as({**kafka, "-j": jobs != 1, "--group-by partition": how.group_by == "partition"})
        statuses = [0]
        with files_of(paths, declaration) as inputs:
            files = [file for file in inputs if not isinstance(file, str) or _is_there(file, statuses)]
            findings = check(files, ignore=ignore, format=declaration, row=row, trailing=trailing)
            statuses.append(print_findings((), findings, how, reading(paths)))
            if len(files) != len(paths):
                remark(f"{len(files)} files were checked")
            click.get_current_context().exit(max(statuses))
    refuse_without_as({"--row": row, "--trailing": trailing != "error"})
    statuses = [0]
    paths = tuple(path for path in paths if _is_there(path, statuses))
    if not paths:
        click.get_current_context().exit(max(statuses))
    started, progress = time.monotonic(), reading(paths) if jobs == 1 else ProgressLine()
    asked: dict[str, Any] = {
        "profile": profile,
        "index_interval_bytes": index_interval_bytes,
        "records": not no_records,
        **chosen_here().arguments,
    }
    with Workers(jobs) as workers:
        outcomes = None if jobs == 1 else _Outcomes(workers, plan(paths, **asked), progress)
        findings = check(paths, ignore=ignore, outcomes=outcomes, against=against, **asked)
        statuses.append(print_findings(paths, findings, how, progress))
    say_not_compared()
    if not no_records:
        hint_at_fast(started, "judged")
    click.get_current_context().exit(max(statuses))


def say_not_compared() -> None:
    """Say which rules a choice of partitions leaves out."""
    if (which := chosen_here()) and not which.takes(METADATA_TOPIC, 0):
        remark(f"not compared with {METADATA_TOPIC}, which is not chosen: KF0814, KF0815")


def _is_there(path: str, statuses: list[int]) -> bool:
    """Whether a path can be accessed; if not, report it and keep its exit status."""
    try:
        status(address(path) or path)
    except (KformatError, OSError) as error:
        statuses.append(complain(error))
        return False
    return True


class _Outcomes(Mapping[Key, CheckOutcome]):
    """The outcomes of segments, from processes: each is returned once, and some segments ahead are being checked."""

    def __init__(self, workers: Workers, works: Sequence[Work], progress: ProgressLine) -> None:
        self.workers, self.progress = workers, progress
        self.waiting, self.pending = iter(works), dict[Key, tuple[Work, Future[CheckOutcome]]]()
        self.keys_left = {work.key for work in works}
        self.sizes: dict[Key, int] = {}
        self.works = works

    def __getitem__(self, key: Key) -> CheckOutcome:
        self.keys_left.remove(key)
        while key not in self.pending or len(self.pending) <= 2 * self.workers.count:
            ahead = list(itertools.islice(self.waiting, 1))
            if not ahead:
                break
            self.pending[ahead[0].key] = ahead[0], self.workers.submit(_judged, ahead[0])
        work, future = self.pending.pop(key)
        outcome = future.result()
        if self.progress.is_due:
            self.sizes = self.sizes or {piece.key: piece.size_bytes for piece in self.works}
            done = sum(size for known, size in self.sizes.items() if known not in self.keys_left)
            self.progress.amount(done, sum(self.sizes.values()), work.file)
        return outcome

    def __iter__(self) -> Iterator[Key]:
        return iter(self.keys_left)

    def __len__(self) -> int:
        return len(self.keys_left)


def _judged(work: Work) -> CheckOutcome:
    return judge(work, _sound())


@functools.cache
def _sound() -> SoundRecords:
    """The state that a process keeps between segments."""
    return SoundRecords()
