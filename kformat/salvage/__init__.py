"""Save every record that can be proved from damaged disks into new folders that a broker starts with.

    report = kformat.salvage(["/mnt/dead/kafka-logs"], "/data/rescued")
    report.summary()                    # a line for each partition
    report.as_dict()                    # every byte range of every log, and what became of it
    kformat.merge(["/mnt/a/kafka-logs", "/mnt/b/kafka-logs"], "/data/best")     # of replicas, whatever one of them has
    kformat.salvage_in_place("/data/kafka-logs")                                # what was there is kept aside,
    kformat.undo_salvage("/data/kafka-logs")                                    # and put back

Rules:

* The sources are only read, but by `salvage_in_place`. Everything is planned before anything is written, and a dry run
  reports the same plan.
* The destination is a new or empty folder, or one in which the same call was interrupted: partitions that are complete
  there stay, what was begun is made again.
* The destination needs room for what will be saved, which is checked first.
* ``unplaced/`` in the destination holds batches whose offsets are unknown. A broker does not start while that folder is
  in its log directory: move it away.
* A sound partition, of which `kformat.check` reports no error, comes out with all files as they are, and its start:
  empty segments and leader epochs included.
* Segments keep their base offsets. One that lost all that it had is left out, unless it is the last: its base offset is
  the lowest that the log's next record may get.
* Of a damaged partition all other files are made from the batches (`kformat.salvage.saving`), and so are the root's
  checkpoints; its meta.properties is copied if all sources have the same. The marker of a clean shutdown is left out: a
  broker looks at the last segments again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from kformat.check.checker import check
from kformat.errors import DataError, KformatError, UsageError
from kformat.kafka.damage.saved_ranges import CONTENTS, check_content
from kformat.kafka.files.checkpoints import CHECKPOINTS, build_checkpoint, checkpointed_offsets
from kformat.kafka.files.file_kinds import PROPERTIES_FILE
from kformat.kafka.files.text_files import TopicOffset, read_sidecar
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.log.partition import Partition
from kformat.kafka.state.topic_configs import Paths, TopicConfigs, read_topic_configs
from kformat.salvage.in_place import UNDONE_COLUMNS, salvage_in_place, undo_salvage
from kformat.salvage.results import (
    COLUMNS,
    MERGED_COLUMNS,
    Each,
    PartitionReport,
    Report,
    folders_in,
    one_by_one,
    opened_partitions,
    plan_merged,
    plan_partition,
    sizes_of,
    strange_logs,
)
from kformat.salvage.saving import (
    REPORT_FILE,
    UNFINISHED,
    UNPLACED,
    Saved,
    check_space,
    content_of,
    copy_sidecar,
    keep_files,
    make_files,
    save_unplaced,
    write_file,
)
from kformat.storage.address import local_path
from kformat.storage.atomic_write import atomic_write, put_in_place, sync_folder
from kformat.storage.plain_file import read_plain

_MOST_REPORT_BYTES: Final = 1 << 30


def salvage(
    sources: Paths,
    destination: str | os.PathLike[str],
    *,
    content: str = "proved",
    place_unanchored: bool = False,
    dry_run: bool = False,
    metadata: Paths = (),
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    each: Each = one_by_one,
) -> Report:
    """Save what can be saved of partitions into new folders of a root.

    Args:
        sources: roots or partitions on this machine, only read.
        destination: the new root; see the module.
        content: which batches are saved. ``proved``: those whose checksum holds, as stored, or after one field of the
            header or one bit was restored. ``structural``: also those that can be read to their end. ``guessed``: also
            the records before damage inside a batch.
        place_unanchored: also save batches of which nothing but their own bytes says that they are the log's: they come
            after lost bytes, and may be the value of a record there (`kformat.kafka.damage.anchoring`). Without it they
            go to ``unplaced``.
        dry_run: report, and write nothing.
        metadata: roots with the cluster's metadata log, if the sources do not have it. Indexes are made with the
            `index.interval.bytes` that it says of each topic.
        topics, exclude, partitions: which partitions of the sources, as for `LogDirectory.select`.
        each: does the work on partitions, perhaps several at a time; see `kformat.salvage.results.Each`.

    Raises:
        UsageError: there is no partition, or none is chosen; two have one name; the destination is not empty or inside
            a source.
        OSError: not one source can be read; a file cannot be written; ENOSPC before anything is written. What else
            cannot be read is in `Report.unread`, and what can be is saved.
    """
    paths = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    how, which = {"content": content, "place_unanchored": place_unanchored}, chosen(topics, exclude, partitions)
    return _run("salvage", paths, destination, how, which, dry_run=dry_run, metadata=metadata, each=each)


def merge(
    sources: Iterable[str | os.PathLike[str]],
    destination: str | os.PathLike[str],
    *,
    content: str = "proved",
    place_unanchored: bool = False,
    dry_run: bool = False,
    metadata: Paths = (),
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    each: Each = one_by_one,
) -> Report:
    """Save of the copies of partitions every batch that is sound in any of them; see `kformat.salvage.merging`.

    Args:
        sources: roots or partitions on this machine, only read. Folders of one name are copies of one partition.
        destination, content, place_unanchored, dry_run, metadata, topics, exclude, partitions, each: as for
            `salvage`.

    Raises:
        UsageError: as for `salvage`; or copies have different topic ids, or a folder is given twice.
        OSError: as for `salvage`.
    """
    how, which = {"content": content, "place_unanchored": place_unanchored}, chosen(topics, exclude, partitions)
    return _run("merge", list(sources), destination, how, which, dry_run=dry_run, metadata=metadata, each=each)


def _run(
    verb: str,
    paths: Sequence[Any],
    destination: str | os.PathLike[str],
    how: Mapping[str, Any],
    which: Chosen,
    *,
    dry_run: bool,
    metadata: Paths,
    each: Each,
) -> Report:
    content, place_unanchored = how["content"], how["place_unanchored"]
    check_content(content)
    skipped = list[KformatError | OSError]()
    partitions = list(opened_partitions(folders_in(paths, skipped, which), skipped))
    if not partitions and skipped:
        raise skipped[0]
    named = _by_name(partitions, paths, is_merge=verb == "merge")
    root = Path(local_path(os.fspath(destination)))
    state = {"verb": verb, "sources": [str(Path(path).resolve()) for path in paths], "chosen": which.arguments}
    state |= how
    remarks = list[str]()
    configs = read_topic_configs((partition.folder for partition in partitions), remarks.append, metadata)
    done = _begun(root, state, paths, partitions, dry_run=dry_run)
    plans = list(each(partial(plan_merged, content, place_unanchored), list(named.values()), sizes_of(named.values())))
    skipped += [error for plan in plans if plan.is_unread for error in plan.unread]
    plans = [plan for plan in plans if not plan.is_unread]  # of the others' offsets nothing is known
    if not plans:
        raise skipped[0]
    columns = MERGED_COLUMNS if verb == "merge" else COLUMNS
    report = Report(content, plans, columns, [*remarks, *strange_logs(plans)], skipped)
    if dry_run:
        return report
    new = [made for plan in report.partitions if plan.name not in done for made in plan.ranges]
    check_space(root, sum(made.size for made in new if made.outcome in ("saved", "unplaced")))
    _note(root, {**state, "finished": False})
    left = [plan for plan in report.partitions if plan.name not in done]
    sizes = sizes_of(named[plan.name] for plan in left)
    for plan, made in zip(left, each(partial(_make, root, configs), left, sizes), strict=True):
        plan.saved, folder, unplaced = made
        if unplaced.exists():
            (root / UNPLACED).mkdir(exist_ok=True)
            put_in_place([(unplaced, root / UNPLACED / plan.name)])
        put_in_place([(folder, root / plan.name)])
    _write_root(root, report, {partition.folder.absolute().parent for partition in partitions})
    _note(root, {**state, "finished": True, **report.as_dict()})
    return report


def _make(root: Path, configs: TopicConfigs, report: PartitionReport) -> tuple[Saved, Path, Path]:
    """Make a partition's folder, and one for batches without a place. They have names that nobody else makes: in Spark
    a task may run twice. What is left of a run that was interrupted is removed by the next one."""
    token = uuid.uuid4().hex
    folder, unplaced = root / f"{token}{UNFINISHED}", root / f"{token}-{UNPLACED}{UNFINISHED}"
    for number, copy in enumerate(report.copies):
        save_unplaced(copy.segments, unplaced if len(report.copies) == 1 else unplaced / str(number))
    saved = make_files([copy.partition for copy in report.copies], report.logs, folder, configs=configs)
    sound = report.sound_copy
    if sound is not None and not any(
        finding.severity == "error" for finding in check(sound.partition.folder, records=False)
    ):
        keep_files(sound.partition, folder)
    return saved, folder, unplaced


def _by_name(partitions: Sequence[Partition], paths: Sequence[Any], *, is_merge: bool) -> dict[str, list[Partition]]:
    """The partitions by their folders' names: one each, or copies that may be merged."""
    by_name: dict[str, list[Partition]] = {}
    for partition in partitions:
        name = partition.folder.absolute().name
        copies = by_name.setdefault(name, [])
        for other in copies:
            places = f"{other.folder.parent} and in {partition.folder.parent}"
            if not is_merge:
                raise UsageError(f"{name} is in {places}: save each into a folder of its own, or merge them")
            if other.folder.resolve() == partition.folder.resolve():
                raise UsageError(f"{partition.folder} is given twice")
            ids = [copy.known_topic_id for copy in (other, partition)]
            if None not in ids and ids[0] != ids[1]:
                raise UsageError(f"{name} has the topic ids {ids[0]} and {ids[1]} in {places}: they are no copies")
        copies.append(partition)
    if not by_name:
        raise UsageError(f"no partition in {', '.join(map(str, paths))}")
    return by_name


def _begun(
    root: Path, state: dict[str, Any], paths: Sequence[Any], partitions: Sequence[Partition], *, dry_run: bool
) -> set[str]:
    """The names of the partitions that an interrupted run of the same call has saved; makes the folder, but for a dry
    run."""
    real = root.resolve()
    for place in (*map(Path, paths), *(partition.folder for partition in partitions)):
        source = place.resolve()
        if real == source or source in real.parents or real in source.parents:
            raise UsageError(f"{root} is not apart from the source {place}")
    if not dry_run:
        root.mkdir(parents=True, exist_ok=True)
    elif not os.path.lexists(root):
        return set()
    begun = f".{REPORT_FILE}."  # a report that was not finished
    names = sorted(path.name for path in root.iterdir())
    is_same = all(name.startswith(begun) for name in names)
    with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
        noted = json.loads(read_plain(root / REPORT_FILE, _MOST_REPORT_BYTES))
        is_same = {name: noted.get(name) for name in state} == state and noted.get("finished") is False
    if not is_same:
        raise UsageError(f"{root} is not empty: salvage writes into a new folder")
    if dry_run:
        return set()
    for path in root.glob(f"{begun}*"):
        path.unlink()
    for path in (root / UNPLACED, *root.glob(f"*{UNFINISHED}")):
        if path.exists():
            shutil.rmtree(path)
    return {name for name in names if (root / name).is_dir()}


def _note(root: Path, state: dict[str, Any]) -> None:
    atomic_write(root / REPORT_FILE, json.dumps(state, indent=1).encode() + b"\n")


def _write_root(root: Path, report: Report, roots: set[Path]) -> None:
    """Checkpoints of the new root, and the source's properties."""
    ends, starts = list[TopicOffset](), list[TopicOffset]()
    for partition in report.partitions:
        end = partition.end()
        if end is None:
            continue
        ends.append(end)
        start = _start_of(partition, end.topic, end.partition)
        if start is not None and start <= end.offset:
            starts.append(TopicOffset(end.topic, end.partition, start))
    for name, entries in (("recovery_point", ends), ("high_watermark", ends), ("log_start_offset", starts)):
        write_file(root / CHECKPOINTS[name], build_checkpoint(entries))
    problem = _copy_properties(sorted(roots), root)
    if problem is not None:
        report.remarks.append(f"{PROPERTIES_FILE} is not copied: {problem}")
    if (root / UNPLACED).exists():
        report.remarks.append(
            f"{root / UNPLACED} holds batches of unknown offsets: move it away before a broker starts"
        )
    sync_folder(root)


def _copy_properties(roots: Sequence[Path], root: Path) -> DataError | OSError | str | None:
    """Copy the file with the ids of cluster and broker, if all sources have the same; else why not."""
    problem: DataError | OSError | str | None = None
    known = dict[bytes, Path]()
    for path in (source_root / PROPERTIES_FILE for source_root in roots):
        try:
            read_sidecar(path)
            known.setdefault(content_of(path), path)
        except FileNotFoundError:
            continue
        except (DataError, OSError) as error:
            problem = error
    if len(known) > 1:
        files = " and ".join(map(str, known.values()))
        return f"{files} are of different brokers; copy that of the broker that will start here"
    return copy_sidecar(known.popitem()[1], root) if known else problem


def _start_of(report: PartitionReport, topic: str, number: int) -> int | None:
    """The log start offset, if it needs an entry: the highest start of the copies that is inside the log, as what is
    below was deleted on purpose; or that of a tiered log whose first segment is there."""
    starts, remote, base = list[int](), list[range](), report.logs[0].base_offset if report.logs else 0
    for copy in report.copies:
        root = copy.partition.folder.absolute().parent
        try:
            start = checkpointed_offsets(root, CHECKPOINTS["log_start_offset"]).get((topic, number))
        except (DataError, OSError):
            continue
        if start is not None:
            starts.append(start)
            remote.append(copy.partition.remote_offsets)
    start = max(starts, default=None)
    if start is not None and start <= base:
        return next((offsets.start for offsets in remote if offsets and offsets.stop == base), None)
    return start


__all__ = [
    "COLUMNS",
    "CONTENTS",
    "MERGED_COLUMNS",
    "REPORT_FILE",
    "UNDONE_COLUMNS",
    "PartitionReport",
    "Report",
    "merge",
    "plan_partition",
    "salvage",
    "salvage_in_place",
    "undo_salvage",
]
