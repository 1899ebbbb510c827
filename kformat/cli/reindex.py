"""`kformat reindex`: rebuild the indexes of segments, and report what was done, here or by Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import click

from kformat.cli import UNSAFE, complain, finish_unread, one_line, remark
from kformat.cli import say as tell
from kformat.cli.output import Output, output_options, together, write_rows
from kformat.cli.progress import reading
from kformat.cli.reading import choose_options, metadata_option, opened
from kformat.errors import KformatError
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES, DEFAULT_PROFILE, PROFILES
from kformat.kafka.log.partition import Segment
from kformat.reindex import COLUMNS, Remade, Roots, Rules, remake_in_place
from kformat.storage.address import local_path

reindex_options: Final = together(
    click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR..."),
    choose_options,
    click.option(
        "--profile",
        type=click.Choice(PROFILES),
        default=DEFAULT_PROFILE,
        show_default=True,
        help="Whose rules: first-offset for brokers up to 1.1; a rebuild is the same for all later ones.",
    ),
    click.option(
        "--index-interval-bytes",
        type=click.IntRange(0),
        metavar="N",
        help="The topic's index.interval.bytes; by default what the cluster's metadata says of each topic, else "
        f"{DEFAULT_INDEX_INTERVAL_BYTES}.",
    ),
    metadata_option,
    click.option("--dry-run", is_flag=True, help="Report indexes that differ from a rebuild, and write nothing."),
    click.option(
        "--before-damage",
        is_flag=True,
        help="Index what lies before damage, as a broker would that then cuts the log.",
    ),
    output_options("table", "csv", "json", "nl"),
)
"""The arguments for making indexes: ``paths``, the fields of `Rules`, ``metadata``, ``mode``."""


@click.command("reindex")
@reindex_options
def reindex_command(paths: tuple[str, ...], mode: str, metadata: tuple[str, ...], **rules: Any) -> None:
    """Rebuild .index and .timeindex from the log, as a broker's recovery does.

    DIR is a partition's folder, or a root that holds many; FILE is a .log.

    All batches are read and their checksums verified. Logs are never changed, and .txnindex files are left as they are.
    A damaged log is refused, unless --before-damage is given; what a crash leaves at the end of a partition's last
    segment (a batch that is not all there, zeros) is no damage. A root that a broker has locked is refused.

    The index.interval.bytes of each topic is that in the metadata log of the same roots.

    One line per segment says of each index whether it is made, changed, or the same already. The exit status is 4 where
    something was refused.
    """
    finish_unread()
    how = Rules(**rules).with_configs(paths, remark, metadata)

    def done(segments: Iterable[tuple[str, Segment]]) -> Iterator[tuple[str, Remade]]:
        progress = reading(paths)
        for name, segment in segments:
            try:
                made = remake_in_place(segment, how)
            finally:
                progress.clear()
            yield name, made

    print_remade(paths, how, mode, done)


def print_remade(
    paths: Sequence[str],
    rules: Rules,
    mode: str,
    done: Callable[[Iterable[tuple[str, Segment]]], Iterator[tuple[str, Remade]]],
    worded: Callable[[str], str] = str,
) -> None:
    """Print what was done to the segments below some paths, and end with the exit status.

    ``done`` makes and commits the indexes of segments, each with the name of its partition; ``worded`` puts paths into
    messages as the call has them. Locks of roots are held meanwhile.
    """
    statuses = [0]

    def say(text: str, is_refusal: bool) -> None:
        if is_refusal:
            _refuse(text)
        else:
            tell(f"kformat: {one_line(text)}")

    def segments() -> Iterator[tuple[str, Segment]]:
        for partition in opened(_local(paths, statuses), statuses):
            if not roots.may_be_written(partition.folder):
                statuses.append(UNSAFE)
                continue
            for segment in partition.segments:
                yield partition.folder.absolute().name, segment

    def rows() -> Iterator[dict[str, Any]]:
        for name, made in done(segments()):
            if made.warning:
                say(worded(made.warning), False)
            if made.refused:
                statuses.append(_refuse(worded(made.refused)))
            if made.failed is not None:
                statuses.append(complain(made.failed, worded))
            yield {"partition": name, **made.row}

    with Roots(rules.dry_run, say) as roots:
        write_rows(Output(), rows(), ("partition", *COLUMNS), mode)
    click.get_current_context().exit(max(statuses))


def _local(paths: Iterable[str], statuses: list[int]) -> Iterator[str]:
    """The paths that are no addresses; addresses are reported."""
    for path in paths:
        try:
            yield str(local_path(path))
        except KformatError as error:
            statuses.append(complain(error))


def _refuse(text: str) -> int:
    tell(f"kformat: {one_line(text)}")
    return UNSAFE
