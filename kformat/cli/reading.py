"""What the verbs that read the records of partitions share: which records, the partitions below a path, and what is
said of records that are not here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import click

from kformat.cli import complain, one_line
from kformat.cli.output import Timestamp
from kformat.errors import KformatError
from kformat.kafka.partition import ISOLATION_LEVELS, Partition, open_partition, partition_paths
from kformat.storage.address import absolute, folder_of

before_log_start_option: Final = click.option(
    "--before-log-start", is_flag=True, help="With records that were deleted and still lie in the files."
)

_OPTIONS: Final = (
    click.option("--from-offset", type=int, metavar="N", help="Leave out what lies below this offset."),
    click.option("--to-offset", type=int, metavar="N", help="Leave out this offset and what lies above."),
    click.option("--since", "since_ms", type=Timestamp(), help="Leave out what is older (ms or ISO 8601, UTC)."),
    click.option("--until", "until_ms", type=Timestamp(), help="Leave out what is of this time or newer."),
    before_log_start_option,
    click.option("--include-control", is_flag=True, help="With the records that consumers do not see."),
    click.option("--no-checksums", is_flag=True, help="Take batches whose checksum is wrong."),
    click.option(
        "--isolation-level",
        type=click.Choice(ISOLATION_LEVELS),
        default=ISOLATION_LEVELS[0],
        show_default=True,
        help="Whether records of aborted and open transactions are left out.",
    ),
)


def which_records(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which records are read: ``from_offset``, ``to_offset``, ``since_ms``, ``until_ms``,
    ``before_log_start``, ``include_control``, ``no_checksums``, ``isolation_level``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def opened(paths: Iterable[str], statuses: list[int]) -> Iterator[Partition]:
    """The partitions at or below some paths; what cannot be opened is told, and its exit status kept."""
    for path in paths:
        try:
            folders = partition_paths(path)
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
            continue
        for folder in folders:
            try:
                yield open_partition(folder)
            except (KformatError, OSError) as error:
                statuses.append(complain(error))


class Starts:
    """What is said on standard error of where partitions start: of a root whose checkpoint cannot be read once, for
    then it is not known what lies in remote storage; its exit status is kept in ``statuses``."""

    def __init__(self, statuses: list[int]) -> None:
        self.statuses = statuses
        self._told: set[str] = set()

    def check(self, partition: Partition) -> None:
        """Complain where the root's checkpoint of log start offsets cannot be read."""
        try:
            _ = partition.log_start_offset
        except (KformatError, OSError) as error:
            root = str(folder_of(absolute(partition.folder)))
            if root not in self._told:
                self._told.add(root)
                self.statuses.append(complain(error))

    def say(self, partition: Partition, from_offset: int | None, to_offset: int | None) -> None:
        """The same, and how many offsets lie in remote storage and are not read, where no bound leaves them out or asks
        for them."""
        self.check(partition)
        remote = partition.remote_offsets
        if remote and from_offset is None and (to_offset is None or to_offset > remote.stop):
            text = f"{len(remote)} offsets in remote storage are not read: the log starts at offset "
            text += f"{remote.start}, its local part at offset {remote.stop}"
            click.echo(f"kformat: {one_line(str(partition.path))}: {text}", err=True)


__all__ = ["Starts", "before_log_start_option"]
