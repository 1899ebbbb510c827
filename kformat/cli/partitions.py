"""`kformat ls` and `find`: partition directories, and roots that hold many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import click

from kformat.cli import DATA, REMOTE, complain, one_line, remark, say
from kformat.cli.output import Output, TableChoice, Timestamp, output_options, table_options, write_objects, write_rows
from kformat.cli.progress import reading
from kformat.cli.reading import choose_options, chosen_here, holds_a_file, listings_of, nothing_found, partitions_of
from kformat.errors import KformatError, UsageError
from kformat.integers import MAX_INT64
from kformat.kafka.files.checkpoints import CHECKPOINTS, checkpointed_offsets
from kformat.kafka.files.text_files import is_sidecar, objects, read_sidecar, summary
from kformat.kafka.index.lookup import (
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    Answer,
    Epochs,
    KeptSegment,
    find_offset,
    find_timestamp,
)
from kformat.kafka.log.partition import IRREGULAR, OtherFile, Partition, Segment, open_partition, other_files
from kformat.kafka.log.segment_summary import segment_row
from kformat.storage.address import absolute, folder_name, folder_of, is_dir, place
from kformat.times import time_text

# --- ls ------------------------------------------------------------------------------------------------------------

_COLUMNS: Final = (
    "partition",
    "file",
    "kind",
    "base_offset",
    "next_offset",
    "records_count",
    "batches_count",
    "size_bytes",
    "first_timestamp",
    "last_timestamp",
    "codecs",
    "offset_index_entries",
    "time_index_entries",
    "remark",
    "topic_id",
    "leader_epochs",
    "log_start_offset",
    "local_log_start_offset",
    "high_watermark",
    "recovery_point",
)
_SHORT: Final = (
    "partition",
    "file",
    "next_offset",
    "records_count",
    "batches_count",
    "size_bytes",
    "first_timestamp",
    "last_timestamp",
    "codecs",
    "remark",
)
_NOTHING: Final = dict.fromkeys(_COLUMNS)


@click.command("ls")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@choose_options
@click.option(
    "-a", "--all", "show_all", is_flag=True, help="Also list other files, and folders on their way in or out."
)
@table_options(*_COLUMNS)
@output_options("table", "csv", "json", "nl")
def ls_command(paths: tuple[str, ...], show_all: bool, mode: str, chosen: TableChoice) -> None:
    """List the segments of partitions. DIR is a partition's folder, a root that holds many, or one .log file.

    Batches are counted and their headers read; records are not, but for those in wrappers of magic 0 and 1.
    first_timestamp is the smallest that a batch begins with, last_timestamp the largest. The remark says where sound
    batches end before the file does, and of other files what they say. The other formats have more columns, among
    them what the partition's own files and the root's checkpoints say of it, and timestamps in milliseconds.
    """
    reading(paths)
    statuses, roots = [0], _Roots()

    def rows() -> Iterator[dict[str, Any]]:
        for path, folders in listings_of(paths, statuses, with_others=show_all):
            places = dict.fromkeys(folder.parent for folder in folders if folder != place(path))
            for root in (places or _alone(path, folders)) if show_all else ():
                yield from _root_rows(root, statuses)
            for folder in folders:
                try:
                    partition = open_partition(folder)
                except (KformatError, OSError) as error:
                    statuses.append(complain(error))
                    continue
                name = f"{folder.parent.name}/{folder.name}" if len(places) > 1 else folder_name(partition.folder)
                yield from _partition_rows(partition, name, show_all, statuses, roots)

    columns = _COLUMNS if mode == "csv" else (*_SHORT[:2], "kind", *_SHORT[2:]) if show_all else _SHORT
    has_epochs = mode in ("csv", "table") and "leader_epochs" in (chosen.columns or columns)
    write_rows(Output(), map(_Paired(), rows()) if has_epochs else rows(), columns, mode, chosen)
    click.get_current_context().exit(max(statuses))


class _Paired:
    """Makes rows whose leader epochs are text (``3:560 4:700``), for a cell; once for the many rows of a partition."""

    def __init__(self) -> None:
        self.epochs: list[list[int]] | None = None
        self.text = ""

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        if row["leader_epochs"] is not self.epochs:
            self.epochs = row["leader_epochs"]
            self.text = " ".join(f"{epoch}:{start}" for epoch, start in self.epochs or ())
        return row | {"leader_epochs": self.text}


def _alone(path: str, folders: list[Path]) -> list[Path]:
    """A path as a root, if it has no partitions but files of its own."""
    try:
        is_alone = not folders and not chosen_here() and is_dir(path)
        return [place(path)] if is_alone and holds_a_file(path) else []
    except OSError:  # complained of already
        return []


class _Roots:
    """The checkpoints of roots; each is read, and its errors are reported, once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], Mapping[tuple[str, int], int]] = {}

    def columns(self, partition: Partition, statuses: list[int]) -> dict[str, Any]:
        """A partition's columns from its own files and its root's checkpoints."""
        own: dict[str, Any] = {
            "topic_id": _said(lambda: partition.topic_id, statuses),
            "leader_epochs": _said(lambda: list(map(list, partition.leader_epochs)), statuses) or None,
        }
        root = folder_of(absolute(partition.folder))
        for column, name in CHECKPOINTS.items():
            if (root, name) not in self.known:
                self.known[root, name] = _said(partial(checkpointed_offsets, place(root), name), statuses) or {}
            key = partition.checkpoint_key
            own[column] = None if key is None else self.known[root, name].get(key)
        if partition.segments:
            own["local_log_start_offset"] = max(partition.segments[0].base_offset, own["log_start_offset"] or 0)
        return own


_Said = TypeVar("_Said")


def _said(read: Callable[[], _Said], statuses: list[int]) -> _Said | None:
    """The content of a file; None, and a complaint, if it cannot be read."""
    try:
        return read()
    except (KformatError, OSError) as error:
        statuses.append(complain(error))
        return None


def _partition_rows(
    partition: Partition, name: str, show_all: bool, statuses: list[int], roots: _Roots
) -> Iterator[dict[str, Any]]:
    common = {**_NOTHING, "partition": name, **roots.columns(partition, statuses)}
    for segment in partition.segments:
        try:
            row = _segment_row(segment, statuses)
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
            row = {"remark": "cannot be read"}
        yield {**common, "file": segment.name, "kind": "segment", **row}
    strange = partition.strange_logs
    for base_offset, name in strange.items():
        try:
            partition.require_logs(base_offset, base_offset + 1)
        except OSError as error:
            statuses.append(complain(error))
        yield {**common, "file": name, "kind": "segment", "base_offset": base_offset, "remark": "cannot be read"}
    if show_all:
        for other in partition.others:
            if other.name in strange.values():
                continue
            yield {**common, **_other_row(partition.folder, other, statuses)}


def _root_rows(path: Path, statuses: list[int]) -> Iterator[dict[str, Any]]:
    """The rows of the root's own files."""
    try:
        others = other_files(place(path))
    except OSError as error:
        statuses.append(complain(error))
        return
    for other in others:
        yield {**_NOTHING, **_other_row(place(path), other, statuses)}


def _other_row(folder: Path, other: OtherFile, statuses: list[int]) -> dict[str, Any]:
    """The row of a file that belongs to no segment; text files with their ``content`` (for JSON), and in brief."""
    row: dict[str, Any] = {
        "file": other.name,
        "kind": other.kind,
        "size_bytes": other.size_bytes,
        "remark": other.description,
    }
    if is_sidecar(other.name) and other.kind not in IRREGULAR:
        try:
            value = read_sidecar(folder / other.name)
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
            return row | {"remark": "cannot be read", "content": None}
        brief = summary(value)
        row |= {"content": list(objects(other.name, value))}
        if brief:
            row["remark"] = f"{other.description}: {brief}"
    return row


def _segment_row(segment: Segment, statuses: list[int]) -> dict[str, Any]:
    row, problems = segment_row(segment)
    statuses.extend(map(complain, problems))
    return row


# --- find ----------------------------------------------------------------------------------------------------------

_ANSWER: Final = ("offset", "timestamp", "segment", "position", "leader_epoch")
_REMOTE: Final = ("is_remote", "may_be_remote")
"""Further fields for a partition of a tiered topic."""
_ANSWERS: Final = ("partition", "target", *_ANSWER, *_REMOTE)

_WORDS: Final = {
    "latest": LATEST_TIMESTAMP,
    "earliest": EARLIEST_TIMESTAMP,
    "earliest-local": EARLIEST_LOCAL_TIMESTAMP,
    "max": MAX_TIMESTAMP,
}


@click.command("find")
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@choose_options
@click.option(
    "--offset",
    "offsets",
    type=int,
    multiple=True,
    metavar="N",
    help="The record with this offset, or the next there is. May be given more than once.",
)
@click.option(
    "--timestamp",
    "timestamps",
    type=Timestamp(_WORDS),
    multiple=True,
    metavar="T",
    help="The first record of this time or later, as Kafka finds it. May be given more than once.",
)
@click.option(
    "--log-start-offset",
    metavar="N",
    type=int,
    help="Take records below it for deleted, as a broker does; by default what the root's checkpoint says.",
)
@click.option("--explain", is_flag=True, help="Say which segment, which index entries, where the scan began.")
@table_options(*_ANSWERS)
@output_options("text", "json")
def find_command(
    paths: tuple[str, ...],
    offsets: tuple[int, ...],
    timestamps: tuple[int, ...],
    log_start_offset: int | None,
    explain: bool,
    mode: str | None,
    chosen: TableChoice,
) -> None:
    """Find a record in partitions, the way a broker does: through the indexes. DIR is a partition's folder, a root that
    holds many, or a .log file; of several partitions each answer has the partition's name.

    T is in milliseconds since 1970, or ISO 8601 (UTC where it names no zone), or earliest, earliest-local, latest, max.
    The answer is an offset, the record's own timestamp, the segment, and the position of the record's batch in it;
    earliest and latest are offsets where the log begins and ends, with timestamp -1. Of several targets there is an
    answer each, in their order, with the target in JSON, and the indexes are read once. The exit status is 1 where one
    is found in no partition.

    A tiered log begins in remote storage, which is not searched; earliest-local is the first offset here. An offset in
    remote storage has exit status 5, and so has a time that no record here has. For every time it is said that an
    earlier record may be in remote storage.

    With --columns or --sort the text is a table, an answer a line.
    """
    if bool(offsets) == bool(timestamps):
        raise UsageError("--offset or --timestamp is needed" + (", not both" if offsets else ""))
    is_table = chosen != TableChoice()
    if explain and is_table:
        raise UsageError("--explain does not go with --columns and --sort")
    statuses, answered, out = [0], dict[int, list[int]](), Output()
    folders = list(partitions_of(paths, statuses))
    names = _names_of(folders)
    rows: list[dict[str, Any]] | None = [] if is_table else None
    asked = _Asked(offsets, timestamps, log_start_offset, explain, mode, rows)
    for folder in folders:
        try:
            partition = open_partition(folder)
            if not partition.segments:
                if len(folders) == 1:
                    raise nothing_found(str(folder))
                continue
            _find_in(partition, asked, names[folder] if len(folders) > 1 else None, out, statuses, answered)
        except BrokenPipeError:
            raise
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
    if rows is not None:
        several = {"partition": len(folders) > 1, "target": len(offsets or timestamps) > 1}
        columns = [name for name in _ANSWERS[: -len(_REMOTE)] if several.get(name, True)]
        if chosen.columns is None:
            chosen = TableChoice(tuple(columns), chosen.sort)
        write_rows(out, rows, columns, "nl" if mode == "json" else "table", chosen)
    for target_statuses in answered.values():  # a target need be in one of several partitions only
        statuses.append(0 if 0 in target_statuses else next(iter(target_statuses)))
    click.get_current_context().exit(next(filter(None, statuses), 0))


class _Asked(NamedTuple):
    """What to find, and how to print it."""

    offsets: tuple[int, ...]
    timestamps: tuple[int, ...]
    log_start_offset: int | None
    explain: bool
    mode: str | None
    rows: list[dict[str, Any]] | None
    """Where answers are collected; None prints them as they come."""


def _names_of(folders: Sequence[Path]) -> dict[Path, str]:
    """The names of partitions in answers: their folders, with their roots if there are several roots."""
    several = len({folder.parent for folder in folders}) > 1
    return {folder: f"{folder.parent.name}/{folder.name}" if several else folder.name for folder in folders}


def _find_in(
    partition: Partition,
    asked: _Asked,
    name: str | None,
    out: Output,
    statuses: list[int],
    answered: dict[int, list[int]],
) -> None:
    """Print the answers of one partition, under its name if there are others; ``answered`` gets the exit status of each
    target, by its number."""
    offsets, timestamps, log_start_offset, explain, mode, rows = asked
    for first, end in [(offset, offset + 1) for offset in offsets] or [(0, MAX_INT64)]:
        partition.require_logs(first, end)
    origin, remote_said = None, False
    segments = [KeptSegment(segment) for segment in partition.segments]
    remote = partition.remote_offsets
    if log_start_offset is None:
        log_start_offset = _said(lambda: partition.log_start_offset, statuses)  # a broker goes on without it, too
        if log_start_offset is not None:
            origin = f"{CHECKPOINTS['log_start_offset']} of the root: the log starts at offset {log_start_offset}"
    else:
        remote = partition.remote_offsets_from(log_start_offset)
    epochs: Epochs = ()
    if timestamps and not partition.is_file:  # a file alone may be any segment
        epochs = _said(lambda: partition.leader_epochs, statuses) or ()
    targets, label = offsets or timestamps, "" if name is None else f"{one_line(name)}: "
    if explain and mode is None and name is not None:
        out.line(f"{one_line(name)}:")
    for number, target in enumerate(targets):
        try:
            if offsets:
                answer = find_offset(segments, target, log_start_offset=log_start_offset, remote_offsets=remote)
            else:
                answer = find_timestamp(
                    segments, target, log_start_offset=log_start_offset, remote_offsets=remote, epochs=epochs
                )
        except (KformatError, OSError) as error:
            statuses.append(complain(error))
            continue
        labels: dict[str, Any] = {} if name is None else {"partition": name}
        labels |= {"target": target} if len(targets) > 1 else {}
        may_be_remote = answer.may_be_remote and not (remote_said or (explain and mode is None))
        if rows is not None:
            if answer.found or mode == "json":
                own = {"partition": name or folder_name(partition.folder), "target": target}
                rows.append(own | {column: getattr(answer, column) for column in (*_ANSWER, *_REMOTE)})
            if not answer.found and (mode is None or answer.is_remote):
                say(f"kformat: {label}{answer.steps[-1]}")
        elif mode == "json":
            names = (*_ANSWER, *_REMOTE) if remote else _ANSWER
            start = log_start_offset if explain and origin is not None else None
            _write_answer(out, labels, answer, names, start, explain)
            if answer.is_remote and not answer.found:  # JSON has no bounds
                out.flush()
                say(f"kformat: {label}{answer.steps[-1]}")
        else:
            _print_answer(out, labels, answer, origin, explain)
        if may_be_remote and (answer.found or mode == "json"):
            remark(f"{label}{answer.steps[-1]}")
            remote_said = True
        is_beyond = answer.is_remote or answer.may_be_remote
        answered.setdefault(number, []).append(0 if answer.found else REMOTE if is_beyond else DATA)


def _write_answer(
    out: Output, labels: dict[str, Any], answer: Answer, names: tuple[str, ...], start: int | None, explain: bool
) -> None:
    labels |= {name: getattr(answer, name) for name in names}
    if explain:
        labels["steps"] = [step.as_dict() for step in answer.steps]
        if start is not None:
            file = CHECKPOINTS["log_start_offset"]
            labels["steps"].insert(0, {"kind": "log_start_offset", "file": file, "offset": start})
    write_objects(out, [labels], "nl", bytes.hex)


def _print_answer(out: Output, labels: dict[str, Any], answer: Answer, origin: str | None, explain: bool) -> None:
    if explain:
        if origin is not None:
            out.line(origin)
        for line in answer.explain().splitlines():
            out.line(line)
    if answer.found:
        name = f"{one_line(labels['partition'])}: " if "partition" in labels and not explain else ""
        out.line(f"{name}{_answer_text(answer)}")
    elif not explain:
        out.flush()
        target = "".join(f"{one_line(str(label))}: " for label in labels.values())
        say(f"kformat: {target}{answer.steps[-1]}")


def _answer_text(answer: Answer) -> str:
    assert answer.timestamp is not None
    time = f" ({time_text(answer.timestamp)})" if answer.timestamp >= 0 else ""
    text = f"offset {answer.offset} timestamp {answer.timestamp}{time}"
    if answer.is_remote:
        return f"{text} in remote storage"
    return f"{text} segment {answer.segment}" + ("" if answer.position is None else f" position {answer.position}")
