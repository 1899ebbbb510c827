"""What became of partitions that are saved: a line for each, and every range of bytes of every log."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import numpy as np

from kformat.errors import KformatError, UsageError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.damage.missing import Int64Array, Offsets, gaps_between, missing_text, needs_all_records
from kformat.kafka.damage.saved_ranges import SavedRange, divided, missing_of, saved_in_order
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.files.text_files import TopicOffset
from kformat.kafka.log.chosen import Chosen
from kformat.kafka.log.partition import Partition, Segment, open_partition, partition_paths
from kformat.salvage.merging import Copy, cut_off, merge_copies, read_copies, read_copy
from kformat.salvage.saving import NewLog, Saved
from kformat.storage.address import local_path, size_of

COLUMNS: Final = (
    "partition",
    "segments_count",
    "bytes",
    "saved_bytes",
    "lost_bytes",
    "batches_count",
    "records_count",
    "restored_batches",
    "unplaced_batches",
    "unanchored_batches",
    "first_offset",
    "next_offset",
    "missing",
)
"""Of each line of `Report.summary`. ``bytes`` are without the zeros at a log's end; ``missing`` is text: ranges of
offsets whose records may be lost, at lost bytes or at the end of a log that was cut off. ``unanchored_batches`` are
those without a place that may be values of records (`kformat.kafka.damage.anchoring`)."""
MERGED_COLUMNS: Final = ("partition", "copies_count", *COLUMNS[3:10], "conflicting_batches", *COLUMNS[10:])
"""The same for copies that are merged; bytes are those of all copies."""

Each = Callable[[Callable[[Any], Any], Sequence[Any], Sequence[int]], Iterable[Any]]
"""Does a piece of work for each of some pieces, given with their sizes in bytes; the results in the order of the
pieces. Function, pieces and results can be pickled."""


def one_by_one(work: Callable[[Any], Any], pieces: Sequence[Any], sizes: Sequence[int]) -> Iterable[Any]:
    """The simplest `Each`."""
    return map(work, pieces)


def sizes_of(partitions: Iterable[Sequence[Partition]]) -> list[int]:
    """The bytes of the logs of each partition's copies; of a log that is gone, 0."""
    return [sum(size_of(segment.log) for copy in copies for segment in copy.segments) for copies in partitions]


@dataclass
class PartitionReport:
    """What became of one partition.

    Attributes:
        copies: its folders, of which there are several only where they are merged.
        logs: what is written.
        missing: first and last offset, each None if unknown, of ranges in which records may be missing.
        strange: names of logs that are no files, as folders or links to nothing: what they had is lost.
        fatal_missing: offsets that are missing before batches that are saved, of a log that `needs_all_records`: what
            damage took, and what was missing before.
    """

    name: str
    copies: list[Copy]
    logs: list[NewLog]
    missing: list[Offsets]
    strange: list[str] = field(default_factory=list)
    saved: Saved | None = None
    fatal_missing: list[Offsets] = field(init=False)

    def __post_init__(self) -> None:
        self.fatal_missing = self._gaps() if needs_all_records(self.name) else []

    def _gaps(self) -> list[Offsets]:
        """The offsets before and between what is saved that are in no batch."""
        gaps, next_offset = list[Offsets](), min((offsets[0] or 0 for offsets in self.missing), default=None)
        for log in self.logs:
            next_offset = log.base_offset if next_offset is None else next_offset
            for path, made in log.pieces:
                first, last = _offsets_of(path, made)
                gaps += gaps_between(first, last, next_offset)
                next_offset = int(last[-1]) + 1
        return gaps

    @property
    def segments(self) -> list[tuple[Segment, list[SavedRange]]]:
        """The logs of all copies, each with its ranges."""
        return [segment for copy in self.copies for segment in copy.segments]

    @property
    def unread(self) -> list[OSError]:
        """Why logs could not be read: all of their bytes are lost."""
        return [error for copy in self.copies for error in copy.unread]

    @property
    def is_unread(self) -> bool:
        """Whether there are logs, and none of them could be read."""
        return bool(self.unread) and len(self.unread) == len(self.segments)

    @property
    def ranges(self) -> list[SavedRange]:
        """The ranges of all segments."""
        return [made for _, ranges in self.segments for made in ranges]

    @property
    def is_whole(self) -> bool:
        """Whether no record is missing, nothing is in conflict, and everything has its place."""
        outcomes = {made.outcome for made in self.ranges}
        return (
            not self.missing
            and not self.fatal_missing
            and not outcomes & {"unplaced", "conflict"}
            and (len(self.copies) > 1 or "lost" not in outcomes)
        )

    def summary(self) -> dict[str, Any]:
        """``COLUMNS`` and `MERGED_COLUMNS`, with their values, and ``fatal_missing`` as text."""
        sizes = Counter[str]()
        for made in self.ranges:
            sizes[made.outcome] += made.size
        saved = [made for log in self.logs for _, made in log.pieces]
        next_offset = self.logs[-1].base_offset if self.logs else None
        if saved:
            next_offset = max(next_offset or 0, (saved[-1].last_offset or 0) + 1)
        return {
            "partition": self.name,
            "copies_count": len(self.copies),
            "segments_count": len(self.segments),
            "bytes": sum(sizes.values()) - sizes["room"],
            "saved_bytes": sizes["saved"],
            "lost_bytes": sizes["lost"],
            "batches_count": sum(made.batches_count for made in saved),
            "records_count": sum(made.records_count for made in saved),
            "restored_batches": sum(made.found is not None for made in saved),
            "unplaced_batches": sum(made.outcome == "unplaced" for made in self.ranges),
            "unanchored_batches": sum(made.outcome == "unplaced" and made.is_unanchored for made in self.ranges),
            "conflicting_batches": sum(made.batches_count for made in self.ranges if made.outcome == "conflict"),
            "first_offset": saved[0].first_offset if saved else None,
            "next_offset": next_offset,
            "missing": missing_text(self.missing),
            "fatal_missing": missing_text(self.fatal_missing),
        }

    @property
    def sound_copy(self) -> Copy | None:
        """The first copy whose logs are what is written, with every byte as it is; None if there is none."""
        written = [(log.base_offset, log.pieces) for log in self.logs]
        for copy in self.copies:
            ranges = [made for _, each in copy.segments for made in each]
            logs = [
                (segment.base_offset, [(segment.log, made) for made in each if made.outcome == "saved"])
                for segment, each in copy.segments
            ]
            if logs == written and all(made.outcome in ("saved", "room") and made.found is None for made in ranges):
                return copy
        return None

    def end(self) -> TopicOffset | None:
        """Where the log ends, for a checkpoint; None of a folder with a name that no checkpoint can have."""
        parsed = parse_folder_name(self.name)
        if parsed is None or not parsed.topic.isascii() or any(map(str.isspace, parsed.topic)):
            return None
        return TopicOffset(parsed.topic, parsed.partition, self.summary()["next_offset"] or 0)

    def as_dict(self) -> dict[str, Any]:
        """The summary, and all ranges by log."""
        data = {**self.summary(), "copies": [copy.as_dict() for copy in self.copies]}
        if self.saved is not None:
            data["open_transactions"] = [
                {"producer_id": producer_id, "first_offset": first}
                for producer_id, first in self.saved.open_transactions
            ]
            data["remarks"] = self.saved.remarks
        return data


@dataclass
class Report:
    """What became of all partitions, in order.

    Attributes:
        remarks: about the destination as a whole.
        skipped: why sources, and partitions in them, could not be opened: nothing of them is saved, or changed.
    """

    content: str
    partitions: list[PartitionReport] = field(default_factory=list)
    columns: tuple[str, ...] = COLUMNS
    remarks: list[str] = field(default_factory=list)
    skipped: list[KformatError | OSError] = field(default_factory=list)

    @property
    def unread(self) -> list[KformatError | OSError]:
        """Why sources, partitions and logs could not be read; empty if all were."""
        return [*self.skipped, *(error for partition in self.partitions for error in partition.unread)]

    @property
    def is_whole(self) -> bool:
        """Whether everything was read, nothing was lost, and everything has its place."""
        return not self.unread and all(partition.is_whole for partition in self.partitions)

    def summary(self) -> list[dict[str, Any]]:
        """A dict with ``COLUMNS`` for each partition, or with ``MERGED_COLUMNS`` where copies were merged; and with
        ``fatal_missing``, text as ``missing``: what of it stops a broker, which only gaps in the cluster's metadata do.
        """
        rows = (partition.summary() for partition in self.partitions)
        return [{name: row[name] for name in (*self.columns, "fatal_missing")} for row in rows]

    def as_dict(self) -> dict[str, Any]:
        """The whole report, as JSON values."""
        return {
            "content": self.content,
            "partitions": [partition.as_dict() for partition in self.partitions],
            "remarks": self.remarks,
            "unread": [text_of(error) for error in self.unread],
        }


def _offsets_of(path: Path, made: SavedRange) -> tuple[Int64Array, Int64Array]:
    """The first and the last offset of each batch in a range that is saved, as restored."""
    if made.batches_count == 1 or made.found is not None:
        return np.asarray([made.first_offset or 0]), np.asarray([made.last_offset or 0])
    headers = read_batch_headers(path, made.position, made.end_position)
    return headers.base_offset, headers.last_offset


def text_of(error: KformatError | OSError) -> str:
    """An error as one line, with the name of its file."""
    if isinstance(error, OSError) and not isinstance(error, KformatError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def opened_partitions(
    folders: Iterable[str | os.PathLike[str]], skipped: list[KformatError | OSError]
) -> Iterator[Partition]:
    """Open partitions; errors of those that cannot be opened go into ``skipped``. Raises UsageError."""
    for folder in folders:
        try:
            yield open_partition(folder)
        except UsageError:
            raise
        except (KformatError, OSError) as error:
            skipped.append(error)


def folders_in(
    sources: Iterable[str | os.PathLike[str]], skipped: list[KformatError | OSError], which: Chosen | None = None
) -> Iterator[Path]:
    """The partitions' folders in sources on this machine, of ``which`` the chosen ones; errors of those that cannot be
    listed go into ``skipped``.

    Raises UsageError for an address, and if nothing is chosen; and the reason where not one source can be listed.
    """
    listings = list[list[Path]]()
    for path in sources:
        try:
            listings.append(partition_paths(local_path(os.fspath(path))))
        except OSError as error:
            skipped.append(error)
    if not listings and skipped:
        raise skipped[0]
    for folders in listings if which is None else which.of_each(listings):
        yield from folders


def unanchored_text(count: int) -> str:
    """The remark about so many batches that are not saved because they may be values of records."""
    batches, they = ("batch", "it is") if count == 1 else ("batches", "they are")
    return (
        f"{count} {batches} after lost bytes may be the value of a record: {they} not in the log; "
        "--place-unanchored saves such batches"
    )


def plan_partition(partition: Partition, content: str = "proved", *, place_unanchored: bool = False) -> PartitionReport:
    """What would be saved of a partition."""
    copy = read_copy(partition, content, place_unanchored=place_unanchored)
    logs = []
    for segment, ranges in copy.segments:
        for base_offset, saved in divided(segment.base_offset, saved_in_order(ranges)):
            is_empty = all(made.outcome == "room" for made in ranges)
            is_last = segment is copy.segments[-1][0] and not any(made.outcome == "saved" for made in ranges)
            if saved or is_empty or is_last:
                logs.append(NewLog(base_offset, [(segment.log, made) for made in saved]))
    missing = dict[Offsets, None]()
    for (segment, ranges), following in zip_longest(copy.segments, partition.segments[1:]):
        end_offset = None if following is None else following.base_offset
        missing |= dict.fromkeys(missing_of(ranges, segment.base_offset, end_offset))
    strange = partition.strange_logs
    bases = sorted({*strange, *(segment.base_offset for segment in partition.segments)})
    for base, following in zip_longest(bases, bases[1:]):
        if base in strange:
            missing[base, None if following is None else following - 1] = None
    for first, last in cut_off(copy):  # how long the last log was is not known
        missing[first, last if last < bases[-1] else None] = None
    return PartitionReport(partition.folder.absolute().name, [copy], logs, list(missing), list(strange.values()))


def strange_logs(reports: Iterable[PartitionReport]) -> list[str]:
    """A remark for each log that is no file."""
    return [
        f"{copy.partition.folder / name} is no file: what it had is lost"
        for report in reports
        for copy in report.copies
        for name in report.strange
    ]


def plan_merged(content: str, place_unanchored: bool, partitions: Sequence[Partition]) -> PartitionReport:
    """What would be saved of the copies of a partition."""
    if len(partitions) == 1:
        return plan_partition(partitions[0], content, place_unanchored=place_unanchored)
    copies = read_copies(partitions, content, place_unanchored=place_unanchored)
    logs, missing = merge_copies(copies)
    return PartitionReport(partitions[0].folder.absolute().name, copies, logs, missing)


__all__ = [
    "COLUMNS",
    "MERGED_COLUMNS",
    "Each",
    "PartitionReport",
    "Report",
    "one_by_one",
    "plan_merged",
    "plan_partition",
    "sizes_of",
    "strange_logs",
    "unanchored_text",
]
