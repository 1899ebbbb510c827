"""`kformat topics`, `groups`, `transactions` and `cluster`: what Kafka's own topics on the disks of brokers say."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, cast

import click

from kformat.cli import DATA, complain, one_line, say
from kformat.cli.output import Output, TableChoice, Timestamp, output_options, table_options, together, write_rows
from kformat.cli.reading import PassedOver, choose_options, chosen_here, on_corrupt_option, opened
from kformat.errors import UsageError
from kformat.kafka.log.chosen import Chosen
from kformat.kafka.producers.transaction_log import TRANSACTION_STATE_TOPIC
from kformat.kafka.state.changes import changes
from kformat.kafka.state.cluster import GROUP_COLUMNS, HIDDEN, TOPIC_COLUMNS, Disks, is_secret
from kformat.kafka.state.entries import CLUSTER_COLUMNS, cluster_rows
from kformat.kafka.state.groups import OFFSETS_TOPIC, SHARE_TOPIC, group_sizes
from kformat.kafka.state.image import METADATA_TOPIC
from kformat.kafka.state.latest import NOW, Moment, Trouble
from kformat.kafka.state.transactions import DEFAULT_MAX_TIMEOUT_MS, TRANSACTION_COLUMNS, ClusterTransactions
from kformat.times import time_text

Row = Mapping[str, Any]
Command = TypeVar("Command", bound=Callable[..., Any])

_MINUTE_MS: Final = 60_000
_MOST_NAMED: Final = 5
_WORDS: Final = {"missing", "stray", "deleted", "extra", "wrong id"}
"""States of a partition that a line on standard error counts."""


class _Table(NamedTuple):
    """A verb's columns: those of CSV, those of a table for people, and those that name a row."""

    columns: Sequence[str]
    shown: Sequence[str]
    keys: Sequence[str]
    of_now: Sequence[str] = ()
    """Columns that are as of now at every moment, or too long: changes are not compared by them unless they are named.
    """
    printed: Callable[[Row], Row] = dict
    """A change as it may be shown."""


class _When(NamedTuple):
    """The moments that a call names: one, or two that are compared; none for now."""

    at_offset: int | None
    at_time: int | None
    diff: tuple[int, int] | None

    @property
    def moments(self) -> list[Moment]:
        if sum(option is not None for option in self) > 1:
            raise UsageError("--at-offset, --at-time and --diff do not go together")
        if self.diff is not None:
            return [Moment(None, time_ms) for time_ms in self.diff]
        return [Moment(self.at_offset, self.at_time)]


def moment_options(function: Command) -> Command:
    """``roots``, ``when`` and ``on_corrupt``."""

    @functools.wraps(function)
    def wrapper(
        *arguments: Any, at_offset: int | None, at_time: int | None, diff: tuple[int, int] | None, **keywords: Any
    ) -> Any:
        return function(*arguments, when=_When(at_offset, at_time, diff), **keywords)

    return together(
        click.argument("roots", nargs=-1, required=True, metavar="ROOT..."),
        click.option("--at-offset", type=click.IntRange(0), metavar="N", help="As of this offset, which counts."),
        click.option("--at-time", type=Timestamp(), metavar="TIME", help="As of this time (ms, ISO 8601 or -1h; UTC)."),
        click.option("--diff", type=Timestamp(), nargs=2, metavar="T1 T2", help="What changed between two times."),
        on_corrupt_option,
    )(cast(Command, wrapper))


class _Shown:
    """What the disks say, shown: the rows, and after them what could not be read.

    ``disks`` are as of the moment that the options name, or of the later one of two.
    """

    def __init__(self, roots: Sequence[str], when: _When, on_corrupt: str, *, is_of_metadata: bool = True) -> None:
        moments = when.moments
        self.statuses = [0]
        self.passed = PassedOver(on_corrupt, self.statuses)
        everything = Chosen()  # choices are of the rows: what they say lies in other partitions
        partitions = list(opened(roots, self.statuses, all_states=True, which=everything))
        if not partitions:
            click.get_current_context().exit(max(self.statuses))
        options = self.passed.options | {"is_of_metadata": is_of_metadata}
        self.known = {(partition.topic, partition.partition) for partition in partitions}
        self.moments = [Disks(partitions, moment, **options) for moment in moments]
        self.disks = self.moments[-1]

    def write(
        self, rows_of: Callable[[Disks], Iterable[Row]], table: _Table, mode: str, chosen: TableChoice
    ) -> list[Row]:
        """Write the rows, or what changed in them, and say what could not be read; returns the rows.

        Raises UsageError if no row and no partition is chosen.
        """
        if len(self.moments) > 1 and chosen.sort is not None:
            raise UsageError("--sort does not go with --diff: changes are in the order of their keys")
        listed = [list(self._chosen(rows_of(disks))) for disks in self.moments]
        if which := chosen_here():
            which.check(self.known)
        columns = table.columns if mode == "csv" else table.shown
        if len(listed) == 1:
            rows: Iterable[Row] = listed[0]
        else:
            compared = chosen.columns or [name for name in table.columns if name not in table.of_now]
            rows = map(table.printed, changes(listed[0], listed[1], table.keys, compared))
            if len(set(compared) - set(table.keys)) == 1 and mode not in ("json", "nl"):
                rows = map(_without_names, rows)
            columns, chosen = ("change", *table.keys, "before", "after"), TableChoice()
        shown = rows if mode in ("json", "nl") else [_flat(row) for row in rows]
        write_rows(Output(), shown, columns, mode, chosen)
        self.passed.end()
        clusters = self.disks.cluster_ids
        if len(clusters) > 1:
            self.say(f"the roots are of different clusters: {one_line(', '.join(clusters))}")
        problems = {str(problem): problem for disks in self.moments for problem in disks.problems}
        self.statuses += map(complain, problems.values())
        return listed[-1]

    def _chosen(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows about partitions that are chosen: all where there is no choice."""
        which = chosen_here()
        for row in rows:
            if which and row["topic"] is not None:
                self.known.add((row["topic"], row["partition"]))
            if which.takes_row(row):
                yield row

    def say_inexact(self, *topics: str) -> None:
        """Say which topics the cleaner has passed at the moment."""
        lines = (line for disks in self.moments for topic in topics for line in disks.inexact(topic))
        for line in dict.fromkeys(lines):
            self.say(line)

    def say_incomplete(self, *topics: str, trouble: Trouble) -> None:
        """Say which partitions of topics are not here, and how many records do not parse: problems say why."""
        for topic in topics:
            missing, count = self.disks.missing(topic)
            if missing:
                say(f"kformat: {missing} of {count} partitions of {topic} are not here, nor is what they have")
        if trouble.refused_count:
            self.say(f"records that do not parse: {trouble.refused_count}")
        if trouble.unknown_count:
            say(f"kformat: records of types that are not known, which coordinators pass over: {trouble.unknown_count}")

    def say(self, text: str) -> None:
        """Say what makes the state incomplete."""
        say(f"kformat: {text}")
        self.statuses.append(DATA)

    def end(self) -> NoReturn:
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
        return " ".join(f"{name}={_word(name, item)}" for name, item in value.items())
    return value


def _without_names(row: Row) -> Row:
    """A change of which one column is compared, with its values alone."""
    sides = {side: next(iter((row[side] or {}).items()), None) for side in ("before", "after")}
    return {**row, **{side: None if part is None else _word(*part) for side, part in sides.items()}}


def _word(name: str, value: Any) -> str:
    """A part of a cell, as a cell of its own would be."""
    if value is None:
        return "-"
    return time_text(value) if name.endswith("_timestamp") else str(_cell(value))


_TOPICS: Final = _Table(
    TOPIC_COLUMNS,
    (
        *("topic", "topic_id", "partition", "leader", "leader_epoch", "replicas", "isr", "log_start_offset"),
        *("log_end_offset", "state"),
    ),
    ("topic", "topic_id", "partition"),
    (
        *("partition_epoch", "leader_epoch", "directories", "folder", "log_start_offset", "log_end_offset"),
        *("created_timestamp", "deleted_timestamp"),
    ),
)
_GROUPS: Final = _Table(
    GROUP_COLUMNS,
    (
        *("group", "kind", "state", "topic", "partition", "current_offset", "log_end_offset", "lag", "consumer_id"),
        *("host", "commit_timestamp"),
    ),
    ("group", "topic", "partition"),
    ("log_end_offset", "lag"),
)
_TRANSACTIONS: Final = _Table(
    TRANSACTION_COLUMNS,
    (
        *("transactional_id", "producer_id", "producer_epoch", "state", "timeout_ms", "start_timestamp", "topic"),
        *("partition", "start_offset", "last_stable_offset", "log_end_offset", "is_hanging"),
    ),
    ("transactional_id", "producer_id", "topic", "partition"),
)
_CLUSTER: Final = _Table(CLUSTER_COLUMNS, CLUSTER_COLUMNS, ("kind", "name", "property"))
_SIZE_COLUMNS: Final = ("group", "records_count", "size_bytes", "percent")
_SIZES: Final = _Table(_SIZE_COLUMNS, _SIZE_COLUMNS, ("group",))


@click.command("topics")
@moment_options
@choose_options
@table_options(*TOPIC_COLUMNS)
@output_options("table", "csv", "json", "nl")
def topics_command(roots: tuple[str, ...], when: _When, on_corrupt: str, mode: str, chosen: TableChoice) -> None:
    """List the topics of a cluster with their partitions, as the metadata log says, next to the folders in ROOT...:
    the data directories of one or more brokers.

    state is present, missing (no folder here), stray (the metadata does not know the topic, or a broker has called the
    folder so), deleted, extra (the broker of this folder is no replica), future (moving to this directory), or wrong id
    (the folder is of another topic of that name). Of several replicas the one with the highest leader epoch and end
    counts. Disks of brokers with ZooKeeper have no metadata: there the folders are all.

    --at-offset and --at-time are of the metadata log; a moment that neither it nor a snapshot reaches is refused.
    --diff shows the rows that were added, changed or removed from one time to another.
    """
    shown = _Shown(roots, when, on_corrupt)
    rows_of = Disks.topic_rows if when.diff is None else Disks.metadata_rows
    listed = shown.write(rows_of, _TOPICS, mode, chosen)
    _say_of_metadata(shown.disks)
    for state in sorted(_WORDS) if when.diff is None else ():
        names = {row["topic"] for row in listed if row["state"] == state}
        if names:
            partitions = sum(row["state"] == state for row in listed)
            say(f"kformat: {state}: {partitions} partitions of {_first_of(names, 'topics')}")
    shown.end()


def _first_of(names: set[str], kind: str) -> str:
    more = f" and {len(names) - _MOST_NAMED} {kind} more" if len(names) > _MOST_NAMED else ""
    return one_line(", ".join(sorted(names)[:_MOST_NAMED])) + more


@click.command("groups")
@moment_options
@choose_options
@click.option("--group", "wanted", metavar="NAME", help="Only this group.")
@click.option(
    "--retention-minutes", type=click.IntRange(0), metavar="N", help="The broker's offsets.retention.minutes."
)
@click.option("--by-size", is_flag=True, help="What the records of each group take in the topic instead.")
@table_options(*GROUP_COLUMNS, *_SIZES.columns[1:])
@output_options("table", "csv", "json", "nl")
def groups_command(
    roots: tuple[str, ...],
    when: _When,
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

    With --at-offset or --at-time it is what the groups were then, and with --diff what changed from one time to
    another. Compaction removes what is old: a moment that the cleaner has passed is said on standard error, and the
    exit status is 1.
    """
    shown = _Shown(roots, when, on_corrupt, is_of_metadata=False)
    if not shown.disks.of_topic(OFFSETS_TOPIC) and not shown.disks.of_topic(SHARE_TOPIC):
        raise UsageError(f"no ROOT has {OFFSETS_TOPIC}")
    columns = _SIZES.columns if by_size else GROUP_COLUMNS
    for name in (*(chosen.columns or ()), *([] if chosen.sort is None else [chosen.sort.removeprefix("-")])):
        if name not in columns:
            raise UsageError(f"the column {name} {'does not go with' if by_size else 'needs'} --by-size")
    if by_size:
        if when.moments != [NOW]:
            raise UsageError("--by-size does not go with --at-offset, --at-time and --diff")
        if chosen_here():
            raise UsageError("--by-size does not go with --topic, --exclude and --partition")
        shown.write(lambda disks: _of_group(_size_rows(disks), wanted), _SIZES, mode, chosen)
        shown.end()
    retention_ms = None if retention_minutes is None else retention_minutes * _MINUTE_MS
    shown.write(
        lambda disks: _of_group(disks.group_rows(disks.moment.time_ms, retention_ms), wanted), _GROUPS, mode, chosen
    )
    shown.say_incomplete(OFFSETS_TOPIC, SHARE_TOPIC, trouble=shown.disks.groups.trouble)
    if when.moments != [NOW] and not shown.disks.groups.groups:
        shown.say("no record of a group is from before the moment")
    if when.moments != [NOW]:
        say("kformat: log_end_offset and lag are as of now, not of the moment")
    if wanted is not None and wanted not in shown.disks.groups.groups:
        shown.say(f"no group {one_line(repr(wanted))}")
    shown.say_inexact(OFFSETS_TOPIC, SHARE_TOPIC)
    shown.end()


@click.command("transactions")
@moment_options
@choose_options
@click.option("--transactional-id", "wanted", metavar="ID", help="Only those of this id.")
@click.option("--hanging", is_flag=True, help="Only those that nobody will end, as find-hanging of Kafka's script.")
@click.option(
    "--max-transaction-timeout",
    type=click.IntRange(0),
    metavar="MINUTES",
    default=DEFAULT_MAX_TIMEOUT_MS // _MINUTE_MS,
    show_default=True,
    help="How long a transaction may be silent before it can hang.",
)
@table_options(*TRANSACTION_COLUMNS)
@output_options("table", "csv", "json", "nl")
def transactions_command(
    roots: tuple[str, ...],
    when: _When,
    on_corrupt: str,
    wanted: str | None,
    hanging: bool,
    max_transaction_timeout: int,
    mode: str,
    chosen: TableChoice,
) -> None:
    """List the transactional ids in ROOT..., the data directories of one or more brokers, with their partitions; and
    the transactions that are open in partitions, with the first offset that holds back the last stable offset.

    A transaction hangs, and consumers of committed records wait at its first offset for ever, if the coordinator will
    not end it: no transactional id has its producer id, or the id's transaction does not have the partition. An empty
    is_hanging of an open one: damage, or a partition of __transaction_state that is not here, hides the answer.

    --at-offset is of __transaction_state, where that has one partition here. Compaction removes what is old: a moment
    that the cleaner has passed is said on standard error, and the exit status is 1.
    """
    shown = _Shown(roots, when, on_corrupt, is_of_metadata=False)
    _show_transactions(shown, wanted, hanging, max_transaction_timeout * _MINUTE_MS, mode, chosen)


def show_transactions(roots: Sequence[str], wanted: str | None, mode: str) -> NoReturn:
    """What `kformat transactions` prints now; ``wanted``: of this id alone."""
    shown = _Shown(roots, _When(None, None, None), "error", is_of_metadata=False)
    _show_transactions(shown, wanted, False, DEFAULT_MAX_TIMEOUT_MS, mode, TableChoice())


def _show_transactions(
    shown: _Shown, wanted: str | None, hanging: bool, timeout_ms: int, mode: str, chosen: TableChoice
) -> NoReturn:
    loaded: list[ClusterTransactions] = []

    def rows_of(disks: Disks) -> Iterator[Row]:
        loaded.append(ClusterTransactions(disks, now_ms=disks.moment.time_ms, max_timeout_ms=timeout_ms))
        for row in loaded[-1].rows():
            if (not hanging or row["is_hanging"]) and wanted in (None, row["transactional_id"]):
                yield row

    listed = shown.write(rows_of, _TRANSACTIONS, mode, chosen)
    if not shown.disks.of_topic(TRANSACTION_STATE_TOPIC):
        say(f"kformat: no ROOT has {TRANSACTION_STATE_TOPIC}: these are the partitions alone")
    known = loaded[-1].loaded
    if shown.disks.moment != NOW and known.timestamp < 0:
        shown.say("no record of a transaction is from before the moment")
    shown.say_incomplete(TRANSACTION_STATE_TOPIC, trouble=known.trouble)
    if wanted is not None and wanted not in known.by_id:
        shown.say(f"no transactional id {one_line(repr(wanted))}")
    held = {f"{row['topic']}-{row['partition']}" for row in listed if row["is_hanging"]}
    if held and len(shown.moments) == 1:
        say(f"kformat: transactions hang in {_first_of(held, 'partitions')}")
    elif hanging and not listed:
        say("kformat: no transaction hangs, as far as these disks say")
    shown.say_inexact(TRANSACTION_STATE_TOPIC)
    shown.end()


@click.command("cluster")
@moment_options
@click.option("--show-secrets", is_flag=True, help="Show the values of configurations that hold passwords or keys.")
@table_options(*CLUSTER_COLUMNS)
@output_options("table", "csv", "json", "nl")
def cluster_command(
    roots: tuple[str, ...], when: _When, on_corrupt: str, show_secrets: bool, mode: str, chosen: TableChoice
) -> None:
    """List what the metadata log in ROOT... says of the cluster: brokers, controllers, features, configurations, ACLs,
    quotas, SCRAM users, delegation tokens, the quorum; and the ids in each data directory.

    Credentials are never shown, and values of configurations that hold secrets only with --show-secrets. --at-offset
    and --at-time are of the metadata log; --diff shows what changed from one time to another.
    """
    shown = _Shown(roots, when, on_corrupt)
    # Whether a secret has changed is none.
    rows_of = partial(cluster_rows, with_secrets=show_secrets or when.diff is not None)
    shown.write(rows_of, _CLUSTER if show_secrets else _CLUSTER._replace(printed=_without_secret), mode, chosen)
    _say_of_metadata(shown.disks)
    shown.end()


def _without_secret(change: Row) -> Row:
    if change["kind"] != "config" or not is_secret(change["property"]):
        return change
    sides = {name: change[name] for name in ("before", "after") if change[name] is not None}
    return {**change, **{name: dict.fromkeys(side, HIDDEN) for name, side in sides.items()}}


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


def _of_group(rows: Iterable[Row], wanted: str | None) -> Iterator[Row]:
    return (row for row in rows if wanted is None or row["group"] == wanted)
