"""Save every record that can be proved from damaged disks into new folders that a broker starts with.

    report = kformat.salvage(["/mnt/dead/kafka-logs"], "/data/rescued")
    report.summary()                    # a line for each partition
    report.as_dict()                    # every byte range of every log, and what became of it
    kformat.merge(["/mnt/a/kafka-logs", "/mnt/b/kafka-logs"], "/data/best")     # of replicas, whatever one of them has

Rules:

* The sources are only read. Everything is planned before anything is written, and a dry run reports the same plan.
* The destination is a new or empty folder, or one in which the same call was interrupted: partitions that are complete
  there stay, what was begun is made again.
* The destination needs room for what will be saved, which is checked first.
* ``unplaced/`` in the destination holds batches whose offsets are unknown. A broker does not start while that folder is
  in its log directory: move it away.
* Segments keep their base offsets. One of which nothing was saved is left out, unless it is the last: its base offset
  is the lowest that the log's next record may get.
* All other files are made from the batches (`kformat.salvage.saving`), and so are the root's checkpoints; its
  meta.properties is copied if all partitions come from one root. The marker of a clean shutdown is left out: a broker
  looks at the last segments again.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kformat.errors import DataError, UsageError
from kformat.kafka.file_kinds import parse_folder_name
from kformat.kafka.partition import CHECKPOINTS, Partition, Segment, checkpointed_offsets, iter_partitions
from kformat.kafka.text_files import TopicOffset, TopicOffsets, build_offsets
from kformat.salvage.merging import Copy, Offsets, merge_copies, read_copy
from kformat.salvage.ranges import CONTENTS, Range
from kformat.salvage.saving import (
    UNFINISHED,
    UNPLACED,
    NewLog,
    Saved,
    copy_sidecar,
    save_partition,
    save_unplaced,
    write_file,
)
from kformat.storage.address import local_path
from kformat.storage.atomic_write import atomic_write, sync_folder

REPORT_FILE: Final = "kformat-salvage.json"
PROPERTIES_FILE: Final = "meta.properties"
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
    "first_offset",
    "next_offset",
    "missing",
)
"""Of each line of `Report.summary`. ``bytes`` are without the zeros at a log's end; ``missing`` is text: ranges of
offsets at lost bytes, of which records may be missing."""
MERGED_COLUMNS: Final = ("partition", "copies_count", *COLUMNS[3:9], "conflicting_batches", *COLUMNS[9:])
"""The same for copies that are merged; bytes are those of all copies."""

_MOST_SHOWN: Final = 4
_SPARE_BYTES: Final = 1 << 20


@dataclass
class PartitionReport:
    """What became of one partition.

    Attributes:
        copies: its folders, of which there are several only where they are merged.
        logs: what is written.
        missing: first and last offset, each None if unknown, of ranges in which records may be missing.
    """

    name: str
    copies: list[Copy]
    logs: list[NewLog]
    missing: list[Offsets]
    saved: Saved | None = None

    @property
    def segments(self) -> list[tuple[Segment, list[Range]]]:
        """The logs of all copies, each with its ranges."""
        return [found for copy in self.copies for found in copy.segments]

    @property
    def ranges(self) -> list[Range]:
        """Of all segments."""
        return [made for _, ranges in self.segments for made in ranges]

    @property
    def is_whole(self) -> bool:
        """Whether no record is missing, nothing is in conflict, and everything has its place."""
        outcomes = {made.outcome for made in self.ranges}
        return (
            not self.missing
            and not outcomes & {"unplaced", "conflict"}
            and (len(self.copies) > 1 or "lost" not in outcomes)
        )

    def summary(self) -> dict[str, Any]:
        """``COLUMNS`` and `MERGED_COLUMNS`, with their values."""
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
            "conflicting_batches": sum(made.batches_count for made in self.ranges if made.outcome == "conflict"),
            "first_offset": saved[0].first_offset if saved else None,
            "next_offset": next_offset,
            "missing": _missing_text(self.missing),
        }

    def as_dict(self) -> dict[str, Any]:
        """The summary, and all ranges by log."""
        found = {**self.summary(), "copies": [copy.as_dict() for copy in self.copies]}
        if self.saved is not None:
            found["open_transactions"] = [
                {"producer_id": producer_id, "first_offset": first}
                for producer_id, first in self.saved.open_transactions
            ]
            found["remarks"] = self.saved.remarks
        return found


@dataclass
class Report:
    """What became of all partitions, in order; ``remarks`` are about the destination as a whole."""

    content: str
    partitions: list[PartitionReport] = field(default_factory=list)
    columns: tuple[str, ...] = COLUMNS
    remarks: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, and everything has its place."""
        return all(one.is_whole for one in self.partitions)

    def summary(self) -> list[dict[str, Any]]:
        """A dict with ``COLUMNS`` for each partition; with ``MERGED_COLUMNS`` where copies were merged."""
        rows = (one.summary() for one in self.partitions)
        return [{name: row[name] for name in self.columns} for row in rows]

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {
            "content": self.content,
            "partitions": [one.as_dict() for one in self.partitions],
            "remarks": self.remarks,
        }


def _missing_text(missing: Sequence[Offsets]) -> str | None:
    """The offsets that may be missing, as ``5-9, 20-``."""
    texts = [f"{'' if first is None else first}-{'' if last is None else last}" for first, last in missing]
    if not texts:
        return None
    more = len(texts) - _MOST_SHOWN
    return ", ".join(texts[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def plan_partition(partition: Partition, content: str = "proved") -> PartitionReport:
    """What would be saved of a partition. Raises OSError if a log cannot be opened."""
    copy = read_copy(partition, content)
    logs = []
    for segment, ranges in copy.segments:
        pieces = [(segment.log, made) for made in ranges if made.outcome == "saved"]
        if pieces or segment is copy.segments[-1][0]:
            logs.append(NewLog(segment.base_offset, pieces))
    missing = dict.fromkeys(
        (made.first_offset, made.last_offset)
        for made in (made for _, ranges in copy.segments for made in ranges)
        if made.outcome == "lost"
        and (made.first_offset is None or made.last_offset is None or made.first_offset <= made.last_offset)
    )
    return PartitionReport(partition.folder.absolute().name, [copy], logs, list(missing))


def _plan_merged(partitions: Sequence[Partition], content: str) -> PartitionReport:
    """What would be saved of the copies of a partition."""
    if len(partitions) == 1:
        return plan_partition(partitions[0], content)
    copies = [read_copy(partition, content) for partition in partitions]
    logs, missing = merge_copies(copies)
    return PartitionReport(partitions[0].folder.absolute().name, copies, logs, missing)


def salvage(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    destination: str | os.PathLike[str],
    *,
    content: str = "proved",
    dry_run: bool = False,
) -> Report:
    """Save what can be saved of partitions into new folders of a root.

    Args:
        sources: roots or partitions on this machine, only read.
        destination: the new root; see the module.
        content: which batches are saved. ``proved``: those whose checksum holds, as stored, or after one field of the
            header or one bit was restored. ``structural``: also those that can be read to their end. ``guessed``: also
            the records before damage inside a batch.
        dry_run: report, and write nothing.

    Raises:
        UsageError: there is no partition, two have one name, the destination is not empty or inside a source.
        OSError: a file cannot be read, or not be written; ENOSPC before anything is written.
    """
    paths = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    return _run("salvage", paths, destination, content=content, dry_run=dry_run)


def merge(
    sources: Iterable[str | os.PathLike[str]],
    destination: str | os.PathLike[str],
    *,
    content: str = "proved",
    dry_run: bool = False,
) -> Report:
    """Save of the copies of partitions every batch that is sound in any of them; see `kformat.salvage.merging`.

    Args:
        sources: roots or partitions on this machine, only read. Folders of one name are copies of one partition.
        destination, content, dry_run: as for `salvage`.

    Raises:
        UsageError: as for `salvage`; or copies have different topic ids, or a folder is given twice.
        OSError: as for `salvage`.
    """
    return _run("merge", list(sources), destination, content=content, dry_run=dry_run)


def _run(
    verb: str, paths: Sequence[Any], destination: str | os.PathLike[str], *, content: str, dry_run: bool
) -> Report:
    if content not in CONTENTS:
        raise UsageError(f"no content {content!r}; there are {', '.join(CONTENTS)}")
    partitions = [one for path in paths for one in iter_partitions(local_path(os.fspath(path)))]
    named = _by_name(partitions, paths, is_merge=verb == "merge")
    root = Path(local_path(os.fspath(destination)))
    state = {"verb": verb, "sources": [str(Path(path).resolve()) for path in paths], "content": content}
    done = set[str]() if dry_run else _begun(root, state, partitions)
    plans = [_plan_merged(copies, content) for copies in named.values()]
    report = Report(content, plans, MERGED_COLUMNS if verb == "merge" else COLUMNS)
    if dry_run:
        return report
    _check_space(root, [one for one in report.partitions if one.name not in done])
    _note(root, {**state, "finished": False})
    for one in report.partitions:
        if one.name not in done:
            for number, copy in enumerate(one.copies):
                folder = root / UNPLACED / one.name
                save_unplaced(copy.segments, folder if len(one.copies) == 1 else folder / str(number))
            one.saved = save_partition(named[one.name], one.logs, root, one.name)
    _write_root(root, report, {partition.folder.absolute().parent for partition in partitions})
    _note(root, {**state, "finished": True, **report.as_dict()})
    return report


def _by_name(partitions: Sequence[Partition], paths: Sequence[Any], *, is_merge: bool) -> dict[str, list[Partition]]:
    """The partitions by their folders' names: one each, or copies that may be merged."""
    found: dict[str, list[Partition]] = {}
    for partition in partitions:
        name = partition.folder.absolute().name
        copies = found.setdefault(name, [])
        for other in copies:
            places = f"{other.folder.parent} and in {partition.folder.parent}"
            if not is_merge:
                raise UsageError(f"{name} is in {places}: save each into a folder of its own, or merge them")
            if other.folder.resolve() == partition.folder.resolve():
                raise UsageError(f"{partition.folder} is given twice")
            ids = [_topic_id(one) for one in (other, partition)]
            if None not in ids and ids[0] != ids[1]:
                raise UsageError(f"{name} has the topic ids {ids[0]} and {ids[1]} in {places}: they are no copies")
        copies.append(partition)
    if not found:
        raise UsageError(f"no partition in {', '.join(map(str, paths))}")
    return found


def _topic_id(partition: Partition) -> str | None:
    try:
        return partition.topic_id
    except (DataError, OSError):
        return None


def _begun(root: Path, state: dict[str, Any], partitions: Sequence[Partition]) -> set[str]:
    """The names of the partitions that an interrupted run of the same call has saved; makes the folder."""
    real = root.resolve()
    for source in (*map(Path, state["sources"]), *(partition.folder.resolve() for partition in partitions)):
        if real == source or source in real.parents or real in source.parents:
            raise UsageError(f"{root} is not apart from the source {source}")
    root.mkdir(parents=True, exist_ok=True)
    found = sorted(path.name for path in root.iterdir())
    if not found:
        return set()
    try:
        noted = json.loads((root / REPORT_FILE).read_text("utf-8"))
        is_same = {name: noted.get(name) for name in state} == state and noted.get("finished") is False
    except (OSError, ValueError, AttributeError):
        is_same = False
    if not is_same:
        raise UsageError(f"{root} is not empty: salvage writes into a new folder")
    if (root / UNPLACED).exists():
        shutil.rmtree(root / UNPLACED)
    return {name for name in found if (root / name).is_dir() and not name.endswith(UNFINISHED)}


def _check_space(root: Path, reports: Sequence[PartitionReport]) -> None:
    """OSError where the disk has not enough room."""
    wanted = sum(made.size for one in reports for made in one.ranges if made.outcome in ("saved", "unplaced"))
    wanted += wanted // 64 + _SPARE_BYTES
    free = shutil.disk_usage(root).free
    if free < wanted:
        raise OSError(errno.ENOSPC, f"{wanted} bytes are needed, and {free} are free", str(root))


def _note(root: Path, state: dict[str, Any]) -> None:
    atomic_write(root / REPORT_FILE, json.dumps(state, indent=1).encode() + b"\n")


def _write_root(root: Path, report: Report, roots: set[Path]) -> None:
    """Checkpoints of the new root, and the source's properties."""
    ends, starts = list[TopicOffset](), list[TopicOffset]()
    for one in report.partitions:
        parsed = parse_folder_name(one.name)
        if parsed is None or not parsed.topic.isascii():  # a copy with another name, which no checkpoint can have
            continue
        topic, number = parsed.topic, parsed.partition
        summary = one.summary()
        ends.append(TopicOffset(topic, number, summary["next_offset"] or 0))
        start = _start_of(one, topic, number)
        first = summary["first_offset"]
        if start is not None and first is not None and first < start <= summary["next_offset"]:
            starts.append(TopicOffset(topic, number, start))
    for name, entries in (("recovery_point", ends), ("high_watermark", ends), ("log_start_offset", starts)):
        write_file(root / CHECKPOINTS[name], build_offsets(TopicOffsets(tuple(entries))))
    if len(roots) == 1:
        problem = copy_sidecar(roots.pop() / PROPERTIES_FILE, root)
        if problem is not None:
            report.remarks.append(f"{PROPERTIES_FILE} is not copied: {problem}")
    if (root / UNPLACED).exists():
        report.remarks.append(
            f"{root / UNPLACED} holds batches of unknown offsets: move it away before a broker starts"
        )
    sync_folder(root)


def _start_of(report: PartitionReport, topic: str, number: int) -> int | None:
    """The highest log start of the copies: what is below was deleted on purpose."""
    found = list[int]()
    for copy in report.copies:
        root = copy.partition.folder.absolute().parent
        try:
            start = checkpointed_offsets(root, CHECKPOINTS["log_start_offset"]).get((topic, number))
        except (DataError, OSError):
            continue
        if start is not None:
            found.append(start)
    return max(found, default=None)


__all__ = [
    "COLUMNS",
    "CONTENTS",
    "MERGED_COLUMNS",
    "REPORT_FILE",
    "PartitionReport",
    "Report",
    "merge",
    "plan_partition",
    "salvage",
]
