"""Shared by the verbs that read records of partitions: which records to read, the partitions below a path, and messages
about records that are not in the local files.
"""

from __future__ import annotations

import functools
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final

import click

from kformat.cli import DATA, complain, one_line, remark, say
from kformat.cli.output import Timestamp, together
from kformat.columns.skipped import ON_CORRUPT, Skipped
from kformat.errors import KformatError, UsageError
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.files.file_kinds import kind_by_ending, kind_of
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.log.partition import Partition, open_partition, partition_paths, wanted_records
from kformat.kafka.producers.isolation import ISOLATION_LEVELS, READ_COMMITTED, READ_UNCOMMITTED
from kformat.storage.address import absolute, base_name, files_below, folder_of, is_dir, status
from kformat.storage.plain_file import naming

_PIECE_BYTES: Final = 1 << 20
_SLOW_SECONDS: Final = 10.0
"""A call that takes longer says what would make it faster."""
before_log_start_option: Final = click.option(
    "--before-log-start", is_flag=True, help="With records that were deleted and still lie in the files."
)

metadata_option: Final = click.option(
    "--metadata",
    multiple=True,
    metavar="ROOT",
    help="A root with the cluster's metadata log, if no partition's root has it (metadata.log.dir); may be repeated.",
)

on_corrupt_option: Final = click.option(
    "--on-corrupt",
    type=click.Choice(ON_CORRUPT),
    default=ON_CORRUPT[0],
    show_default=True,
    help="At damage: end the partition; skip it and count what was skipped; or report each range that was skipped.",
)

isolation_level_option: Final = click.option(
    "--isolation-level",
    type=click.Choice(ISOLATION_LEVELS),
    default=READ_UNCOMMITTED,
    show_default=True,
    help="Whether records of aborted and open transactions are left out.",
)


@dataclass(frozen=True)
class WhichRecords:
    """What the options of `which_records` say."""

    from_offset: int | None
    to_offset: int | None
    since_ms: int | None
    until_ms: int | None
    before_log_start: bool
    include_control: bool
    no_checksums: bool
    isolation_level: str
    on_corrupt: str

    @property
    def of_records_alone(self) -> dict[str, Any]:
        """The options that mean nothing for rows of other formats, by name; a falsy value if an option is not set."""
        return {
            "--from-offset": None if self.from_offset is None else (self.from_offset,),
            "--to-offset": None if self.to_offset is None else (self.to_offset,),
            "--since": None if self.since_ms is None else (self.since_ms,),
            "--until": None if self.until_ms is None else (self.until_ms,),
            "--before-log-start": self.before_log_start,
            "--include-control": self.include_control,
            "--isolation-level": self.isolation_level != READ_UNCOMMITTED,
        }

    @property
    def bounds(self) -> dict[str, Any]:
        """The arguments of `Partition.record_batches` that say which records are read."""
        return {
            "start_offset": self.from_offset,
            "end_offset": self.to_offset,
            "since": self.since_ms,
            "until": self.until_ms,
            "before_log_start": self.before_log_start,
            "include_control": self.include_control,
            "checksums": not self.no_checksums,
            "isolation_level": self.isolation_level,
        }

    def wanted(self, partition: Partition, columns: tuple[str, ...]) -> Wanted:
        """The bounds for `Partition.chunks`. Raises DataError, OSError if it is not known what is committed."""
        bounds = self.bounds
        is_committed = bounds.pop("isolation_level") == READ_COMMITTED
        moments = [bounds.pop(name) for name in ("start_offset", "end_offset", "since", "until")]
        wanted = wanted_records(columns, *moments, **bounds)
        return partition.committed(wanted) if is_committed else wanted


CHOSEN: Final = "kformat.chosen"
"""Where a call keeps what `choose_options` say."""


def _keep_chosen(ctx: click.Context, parameter: click.Parameter, value: tuple[Any, ...]) -> None:
    if value and parameter.name is not None:
        ctx.meta.setdefault(CHOSEN, {})[parameter.name] = value


def _choosing(option: str, name: str, what: str, **how: Any) -> Callable[..., Any]:
    how |= {"multiple": True, "expose_value": False, "callback": _keep_chosen}
    return click.option(option, name, help=f"{what}; may be repeated.", **how)


choose_options: Final = together(
    _choosing("--topic", "topics", "Only topics of this name or pattern (orders*)", metavar="PATTERN"),
    _choosing("--exclude", "exclude", "Without topics of this name or pattern", metavar="PATTERN"),
    _choosing("--partition", "partitions", "Only partitions of this number", metavar="N", type=int),
)
"""The options that choose among the partitions of a call's paths; `listings_of` finds no others."""


def chosen_here() -> Chosen:
    """What `choose_options` say in the present call."""
    context = click.get_current_context(silent=True)
    options = {} if context is None else context.meta.get(CHOSEN, {})
    return chosen(*(options.get(name) for name in ("topics", "exclude", "partitions")))


_WHICH_OPTIONS: Final = together(
    choose_options,
    click.option("--from-offset", type=int, metavar="N", help="Leave out what lies below this offset."),
    click.option("--to-offset", type=int, metavar="N", help="Leave out this offset and what lies above."),
    click.option("--since", "since_ms", type=Timestamp(), help="Leave out what is older (ms, ISO 8601 or -1h; UTC)."),
    click.option("--until", "until_ms", type=Timestamp(), help="Leave out what is of this time or newer."),
    before_log_start_option,
    click.option("--include-control", is_flag=True, help="Include control records."),
    click.option("--no-checksums", is_flag=True, help="Take batches whose checksum is wrong."),
    isolation_level_option,
    on_corrupt_option,
)


def which_records(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say which records are read; the parameter is ``which``, a `WhichRecords`."""

    @functools.wraps(function)
    def decorated(*arguments: Any, **options: Any) -> None:
        which = WhichRecords(**{item.name: options.pop(item.name) for item in fields(WhichRecords)})
        function(*arguments, which=which, **options)

    return _WHICH_OPTIONS(decorated)


def partitions_of(
    paths: Iterable[str], statuses: list[int], *, with_others: bool = False, all_states: bool = False
) -> Iterator[Path]:
    """The partitions of a verb's DIR arguments; see `listings_of`."""
    for _, folders in listings_of(paths, statuses, with_others=with_others, all_states=all_states):
        yield from folders


def listings_of(
    paths: Iterable[str],
    statuses: list[int],
    *,
    with_others: bool = False,
    all_states: bool = False,
    which: Chosen | None = None,
) -> Iterator[tuple[str, list[Path]]]:
    """Each of a verb's DIR arguments with its partitions, as `iter_partitions` finds them. A path that cannot be read,
    or that holds nothing of Kafka's, is reported, and its exit status kept.

    ``all_states``: partitions on their way out or in, too. ``with_others``: the same, and other files than segments
    count as Kafka's as well. ``which``: what is chosen, by default by `choose_options`; that nothing is chosen in all
    of the paths is reported, too.
    """
    which = chosen_here() if which is None else which
    listed = _listings(paths, statuses, with_others, all_states)
    if not which:
        yield from listed
        return
    listings = list(listed)
    try:
        found = which.of_each([folders for _, folders in listings])
    except (KformatError, OSError) as error:
        statuses.append(complain(error))
        return
    yield from zip((path for path, _ in listings), found, strict=True)


def _listings(
    paths: Iterable[str], statuses: list[int], with_others: bool, all_states: bool
) -> Iterator[tuple[str, list[Path]]]:
    for path in paths:
        try:
            folders = partition_paths(path, all_states=all_states or with_others)
            if not any(map(_has_segments, folders)) and not (with_others and holds_a_file(path)):
                raise nothing_found(path, _SEGMENTS)
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
            continue
        yield path, folders


OF_ANOTHER_FORMAT: Final = "if it has another format, name that with --as x.ksy"
_SEGMENTS: Final = "segments (20 digits and .log), in it and in folders called <topic>-<partition>"
_ANY_FILE: Final = "segments, indexes, snapshots and checkpoints, by their names"


def nothing_found(path: str, looked_for: str = _ANY_FILE) -> UsageError:
    """The error of a verb that found nothing of Kafka's in a path: such a path is neither sound nor empty."""
    more = ", at any depth" if is_dir(path) else f"; {OF_ANOTHER_FORMAT}"
    return UsageError(f"{path}: nothing of Kafka's here; looked for {looked_for}{more}")


def holds_a_file(path: str) -> bool:
    """Whether a path is a file that Kafka knows by its name or by how that ends, or a folder with a file of Kafka's at
    any depth.

    A log directory without partitions is one: a broker with several keeps its own files in each of them. Raises
    OSError where there is no such path.
    """
    if stat.S_ISDIR(status(path).st_mode):
        return any(kind_of(name) is not None for name in files_below(path))
    return kind_of(base_name(path)) is not None or kind_by_ending(base_name(path)) is not None


def _has_segments(path: Path) -> bool:
    """Whether a partition has segments, or cannot be opened, which the verb then reports."""
    try:
        return bool(open_partition(path).segments)
    except (KformatError, OSError):
        return True


def opened(
    paths: Iterable[str], statuses: list[int], *, all_states: bool = False, which: Chosen | None = None
) -> Iterator[Partition]:
    """The partitions of some paths, opened; see `listings_of`. A partition that cannot be opened is reported, and its
    exit status kept."""
    for _, folders in listings_of(paths, statuses, all_states=all_states, which=which):
        for folder in folders:
            try:
                yield open_partition(folder)
            except (KformatError, OSError) as error:
                statuses.append(complain(error))


class PassedOver:
    """Counts the skipped ranges, and reports them as `--on-corrupt` says: with ``report`` each on standard error, and
    their number at the end. The exit status of damage is kept in ``statuses``.

    ``flush`` is called before anything is printed.

    Attributes:
        size_bytes: how many bytes were skipped.
    """

    def __init__(self, how: str, statuses: list[int], flush: Callable[[], object] = lambda: None) -> None:
        self.how, self._statuses, self._flush = how, statuses, flush
        self._skipped_count = self._restored_count = self.size_bytes = self._offsets_count = self._unknown_count = 0
        self._rows, self._rests, self._gaps = list[int](), list[int](), list[int]()
        """The bytes of rows, of the rests of files, and of gaps between rows."""
        self._around_count = 0

    @property
    def options(self) -> dict[str, Any]:
        """The arguments for a reader: ranges are printed here, and not logged."""
        return {"on_corrupt": "error" if self.how == "error" else "skip", "on_skipped": self.add}

    def add(self, skipped: Skipped) -> None:
        """Count a range, and print it if requested."""
        self.size_bytes += skipped.size_bytes
        if skipped.rows == "none":
            self._around_count += 1
        elif skipped.rows == "some":
            self._gaps.append(skipped.size_bytes)
        elif skipped.rows:
            (self._rests if skipped.is_rest else self._rows).append(skipped.size_bytes)
        elif skipped.restored:
            self._restored_count += 1
        else:
            self._skipped_count += 1
        if skipped.offsets_count is not None:
            self._offsets_count += skipped.offsets_count
        elif not skipped.rows:
            self._unknown_count += 1
        if self.how == "report":
            self._flush()
            say(f"kformat: {one_line(str(skipped))}")

    def end(self) -> None:
        """Print the counts, if anything was passed over."""
        said = []
        if self._skipped_count:
            text = f"{counted(self._skipped_count, 'damaged range')}: {self.size_bytes} bytes, "
            text += f"at most {self._offsets_count} offsets"
            said.append(text + f" and {self._unknown_count} times an unknown number" * bool(self._unknown_count))
        if self._rows:
            said.append(f"{counted(len(self._rows), 'damaged row')}: {sum(self._rows)} bytes")
        if self._gaps:
            said.append(f"{counted(len(self._gaps), 'gap')} between rows: {sum(self._gaps)} bytes")
        if self._around_count:
            said.append(f"{counted(self._around_count, 'damaged part')} around the rows")
        if self._rests:
            said.append(f"the rest of {counted(len(self._rests), 'file')}: {sum(self._rests)} bytes")
        if said or self._restored_count:
            self._flush()
            self._statuses.append(DATA)
        if self._restored_count:
            batches = "1 damaged batch" if self._restored_count == 1 else f"{self._restored_count} damaged batches"
            say(f"kformat: read {batches} as restored")
        if said:
            say(f"kformat: skipped {'; '.join(said)}")


def counted(count: int, name: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{count} {name}{'s' * (count != 1)}"


def keep_standard_input(file: IO[bytes]) -> None:
    """Copy standard input into a temporary file. Raises OSError with the folder's name if there is no room."""
    while piece := sys.stdin.buffer.read(_PIECE_BYTES):
        with naming(tempfile.gettempdir()):
            file.write(piece)
    with naming(tempfile.gettempdir()):
        file.flush()


def hint_at_fast(started: float, done: str) -> None:
    """Recommend numba, if it is not installed, after a call that took long since ``started`` (`time.monotonic`);
    ``done`` is what was done to records."""
    if time.monotonic() - started > _SLOW_SECONDS and find_spec("numba") is None:
        remark(f"with numba (extra fast) records are {done} dozens of times as fast")


class Starts:
    """Reports where partitions start, on standard error. A root's checkpoint that cannot be read is reported once,
    because it is then not known what is in remote storage; its exit status is kept in ``statuses``."""

    def __init__(self, statuses: list[int]) -> None:
        self.statuses = statuses
        self._reported: set[str] = set()

    def check(self, partition: Partition) -> None:
        """Report if the root's checkpoint of log start offsets cannot be read."""
        try:
            _ = partition.log_start_offset
        except (KformatError, OSError) as error:
            root = str(folder_of(absolute(partition.folder)))
            if root not in self._reported:
                self._reported.add(root)
                self.statuses.append(complain(error))

    def say(self, partition: Partition, from_offset: int | None, to_offset: int | None) -> None:
        """Do `check`, and report how many offsets are in remote storage and not read, unless a bound excludes or
        requests them."""
        self.check(partition)
        remote = partition.remote_offsets
        if remote and from_offset is None and (to_offset is None or to_offset > remote.stop):
            text = f"{len(remote)} offsets in remote storage are not read: the log starts at offset "
            text += f"{remote.start}, its local part at offset {remote.stop}"
            remark(f"{partition.path}: {text}")


__all__ = ["Starts", "before_log_start_option", "isolation_level_option", "metadata_option", "nothing_found"]
