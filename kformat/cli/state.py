"""`kformat topics`, `groups` and `cluster`: what Kafka's own topics on the disks of brokers say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import click

from kformat.cli import DATA, complain, one_line, say
from kformat.cli.output import Output, TableChoice, Timestamp, output_options, table_options, together, write_rows
from kformat.cli.reading import PassedOver, on_corrupt_option, opened
from kformat.errors import UsageError
from kformat.kafka.state.cluster import GROUP_COLUMNS, TOPIC_COLUMNS, Disks
from kformat.kafka.state.entries import CLUSTER_COLUMNS, cluster_rows
from kformat.kafka.state.groups import OFFSETS_TOPIC, SHARE_TOPIC, group_sizes
from kformat.kafka.state.image import METADATA_TOPIC
from kformat.kafka.state.latest import NOW, Moment

Command = TypeVar("Command", bound=Callable[..., Any])

_TOPICS: Final = (
    *("topic", "topic_id", "partition", "leader", "leader_epoch", "replicas", "isr", "log_start_offset"),
    *("log_end_offset", "state"),
)
_GROUPS: Final = (
    *("group", "kind", "state", "topic", "partition", "current_offset", "log_end_offset", "lag", "consumer_id", "host"),
    "commit_timestamp",
)
"""Columns of a table for people."""
_SIZES: Final = ("group", "records_count", "size_bytes", "percent")
_WORDS: Final = {"missing", "stray", "deleted", "wrong id"}
"""States of a partition that a line on standard error counts."""


def moment_options(function: Command) -> Command:
    """``roots``, ``at_offset``, ``at_time``, ``on_corrupt``, ``mode`` and what a table takes."""
    return together(
        click.argument("roots", nargs=-1, required=True, metavar="ROOT..."),
        click.option("--at-offset", type=click.IntRange(0), metavar="N", help="As of this offset, which counts."),
        click.option("--at-time", type=Timestamp(), metavar="TIME", help="As of this time (ms or ISO 8601, UTC)."),
        on_corrupt_option,
    )(function)


class _Shown:
    """What the disks say, shown: the rows, and after them what could not be read."""

    def __init__(self, roots: Sequence[str], at_offset: int | None, at_time: int | None, on_corrupt: str) -> None:
        if at_offset is not None and at_time is not None:
            raise UsageError("--at-offset and --at-time do not go together")
        self.statuses = [0]
        self.passed = PassedOver(on_corrupt, self.statuses)
        partitions = list(opened(roots, self.statuses))
        if not partitions:
            click.get_current_context().exit(max(self.statuses))
        self.disks = Disks(partitions, Moment(at_offset, at_time), **self.passed.options)

    def write(
        self, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], mode: str, chosen: TableChoice
    ) -> list[Mapping[str, Any]]:
        """Write the rows, and say what could not be read; returns them."""
        listed = list(rows)
        shown = listed if mode in ("json", "nl") else [_flat(row) for row in listed]
        write_rows(Output(), shown, columns, mode, chosen)
        self.passed.end()
        self.statuses += map(complain, self.disks.problems)
        return listed

    def end(self) -> None:
        """Leave with the status of the worst that was found."""
        click.get_current_context().exit(max(self.statuses))


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return " ".join(f"{name}={word}" for name, word in value.items())
    return value


@click.command("topics")
@moment_options
@table_options(*TOPIC_COLUMNS)
@output_options("table", "csv", "json", "nl")
def topics_command(
    roots: tuple[str, ...], at_offset: int | None, at_time: int | None, on_corrupt: str, mode: str, chosen: TableChoice
) -> None:
    """List the topics of a cluster with their partitions, as the metadata log says, next to the folders in ROOT...:
    the data directories of one or more brokers.

    state is present, missing (no folder here), stray (the metadata does not know the topic), deleted, or wrong id (the
    folder is of another topic of that name). Of several replicas the one with the highest leader epoch and end counts.
    Disks of brokers with ZooKeeper have no metadata: there the folders are all.

    --at-offset and --at-time are of the metadata log; a moment that neither it nor a snapshot reaches is refused.
    """
    shown = _Shown(roots, at_offset, at_time, on_corrupt)
    disks = shown.disks
    listed = shown.write(disks.topic_rows(), TOPIC_COLUMNS if mode == "csv" else _TOPICS, mode, chosen)
    _say_of_metadata(disks)
    for state in sorted(_WORDS):
        names = {row["topic"] for row in listed if row["state"] == state}
        if names:
            partitions = sum(row["state"] == state for row in listed)
            shown_names = ", ".join(sorted(names)[:5])
            say(f"kformat: {state}: {partitions} partitions of {one_line(shown_names)}{_more(names)}")
    shown.end()


def _more(names: set[str]) -> str:
    return f" and {len(names) - 5} topics more" if len(names) > 5 else ""


@click.command("groups")
@moment_options
@click.option("--group", "wanted", metavar="NAME", help="Only this group.")
@click.option(
    "--retention-minutes", type=click.IntRange(0), metavar="N", help="The broker's offsets.retention.minutes."
)
@click.option("--by-size", is_flag=True, help="What the records of each group take in the topic instead.")
@table_options(*GROUP_COLUMNS, *_SIZES[1:])
@output_options("table", "csv", "json", "nl")
def groups_command(
    roots: tuple[str, ...],
    at_offset: int | None,
    at_time: int | None,
    on_corrupt: str,
    wanted: str | None,
    retention_minutes: int | None,
    by_size: bool,
    mode: str,
    chosen: TableChoice,
) -> None:
    """List the groups in ROOT..., the data directories of one or more brokers: committed offsets, the log's end here,
    and the lag between them; classic groups, consumer groups (KIP-848), share groups and streams groups.

    Members and states are as the log has them: members that have gone since are there until it says so. is_expired
    marks offsets that a broker would delete, by the retention of the cluster's configuration or Kafka's default.

    --by-size says instead how many records of the topic are of each group, and the bytes of their keys and values.

    With --at-offset or --at-time it is what the groups were then. Compaction removes what is old: a moment that the
    cleaner has passed is said on standard error, and the exit status is 1.
    """
    shown = _Shown(roots, at_offset, at_time, on_corrupt)
    disks = shown.disks
    if not disks.of_topic(OFFSETS_TOPIC) and not disks.of_topic(SHARE_TOPIC):
        raise UsageError(f"no ROOT has {OFFSETS_TOPIC}")
    if by_size:
        if disks.moment != NOW:
            raise UsageError("--by-size does not go with --at-offset and --at-time")
        shown.write(_of_group(_size_rows(disks), wanted), _SIZES, mode, chosen)
        shown.end()
    rows = disks.group_rows(at_time, None if retention_minutes is None else retention_minutes * 60_000)
    shown.write(_of_group(rows, wanted), GROUP_COLUMNS if mode == "csv" else _GROUPS, mode, chosen)
    if disks.groups.refused:
        say(f"kformat: {disks.groups.refused} records do not parse as records of groups")
        shown.statuses.append(DATA)
    for line in (line for topic in (OFFSETS_TOPIC, SHARE_TOPIC) for line in disks.inexact(topic)):
        say(f"kformat: {line}")
        shown.statuses.append(DATA)
    shown.end()


@click.command("cluster")
@moment_options
@click.option("--show-secrets", is_flag=True, help="Show the values of configurations that hold passwords or keys.")
@table_options(*CLUSTER_COLUMNS)
@output_options("table", "csv", "json", "nl")
def cluster_command(
    roots: tuple[str, ...],
    at_offset: int | None,
    at_time: int | None,
    on_corrupt: str,
    show_secrets: bool,
    mode: str,
    chosen: TableChoice,
) -> None:
    """List what the metadata log in ROOT... says of the cluster: brokers, controllers, features, configurations, ACLs,
    quotas, SCRAM users, delegation tokens, the quorum; and the ids in each data directory.

    Credentials are never shown, and values of configurations that hold secrets only with --show-secrets. --at-offset
    and --at-time are of the metadata log.
    """
    shown = _Shown(roots, at_offset, at_time, on_corrupt)
    rows = cluster_rows(shown.disks, with_secrets=show_secrets)
    shown.write(rows, CLUSTER_COLUMNS, mode, chosen)
    _say_of_metadata(shown.disks)
    shown.end()


def _say_of_metadata(disks: Disks) -> None:
    """Say if there is no metadata, or some of it is not known."""
    if disks.image is None:
        say(f"kformat: no ROOT has {METADATA_TOPIC}: these are the folders alone")
    elif disks.image.unknown:
        say(f"kformat: {disks.image.unknown} records of the metadata are not known, or cannot be applied")
    if disks.image is not None and disks.image.open_records:
        say(f"kformat: {disks.image.open_records} records of a transaction that is open in the metadata do not count")


def _size_rows(disks: Disks) -> Iterator[dict[str, Any]]:
    sizes = group_sizes(disks.of_topic(OFFSETS_TOPIC), **disks.reading)
    total = sum(size.size_bytes for size in sizes.values()) or 1
    for name, size in sizes.items():
        share = round(100 * size.size_bytes / total, 1)
        yield {"group": name, **size._asdict(), "percent": share}


def _of_group(rows: Iterator[dict[str, Any]], wanted: str | None) -> Iterator[dict[str, Any]]:
    return (row for row in rows if wanted is None or row["group"] == wanted)
