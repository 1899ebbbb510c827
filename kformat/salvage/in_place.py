"""Salvage partitions where they lie, and put back what was there: `kformat.salvage.aside`, for whole roots.

Rules:

* A partition is changed if its logs are not what is saved of them, or `kformat.check` finds an error in its files.
* All is planned before anything changes, and a dry run, which takes no lock, reports the same plan.
* The marker of a clean shutdown goes first, so that a broker looks at the logs again.
* A partition with a log that cannot be read stays as it is, and is reported.
"""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from kformat.check.checker import check
from kformat.check.kafka_topics import MALFORMED
from kformat.errors import KformatError, RootLockedError, UsageError
from kformat.kafka.damage.saved_ranges import check_content
from kformat.kafka.files.file_kinds import parse_folder_name
from kformat.kafka.files.text_files import TopicOffset
from kformat.kafka.log.partition import Partition, partition_paths
from kformat.kafka.state.topic_configs import Paths, TopicConfigs, read_topic_configs
from kformat.reindex import Roots
from kformat.salvage.aside import PutBack, aside_of, change, put_back, refuse_changed, settle
from kformat.salvage.results import (
    Each,
    PartitionReport,
    Report,
    folders_in,
    one_by_one,
    opened_partitions,
    plan_partition,
    sizes_of,
    strange_logs,
)
from kformat.salvage.root_aside import change_root, put_back_root, take_back_entries
from kformat.salvage.saving import Saved, check_space, is_kept_whole
from kformat.storage.address import local_path

UNDONE_COLUMNS: Final = ("partition", "files_count", "later", "changed")


def salvage_in_place(
    sources: Paths,
    *,
    content: str = "proved",
    place_unanchored: bool = False,
    dry_run: bool = False,
    metadata: Paths = (),
    each: Each = one_by_one,
) -> Report:
    """Save what can be saved of partitions where they lie.

    What was there is kept in ``.kformat-salvage`` in each folder that is changed, with ``report.json``, until
    `undo_salvage` puts it back or somebody removes it. In the report ``saved`` is None of partitions that stay as they
    are.

    Args:
        sources: roots or partitions on this machine.
        content, place_unanchored, dry_run, metadata, each: as for `kformat.salvage`.

    Raises:
        UsageError: there is no partition; or one was salvaged before, and what was there is still kept.
        RootLockedError: a broker, or another program, has a root open.
        OSError: a file cannot be written, or there is no room; or not one source can be read. What was begun in a
            partition is taken back. What else cannot be read is in `Report.unread`.
    """
    check_content(content)
    report = Report(content)
    folders = _folders(sources, report.skipped)
    configs = read_topic_configs(folders, report.remarks.append, metadata)
    # An interrupt may come when the locks are about to be released: `closing` releases them then.
    with closing(Roots(dry_run, partial(_say, report))) as roots, roots:
        settled = list[Path]()
        for folder in folders:
            roots.may_be_written(folder)
            try:
                taken_back = settle(folder, dry_run=dry_run)
            except OSError as error:
                report.skipped.append(error)
                continue
            settled.append(folder)
            if taken_back is not None:
                later = "" if taken_back.later is None else f"; what was written since is in {taken_back.later}"
                report.remarks.append(f"{folder}: what an interrupted run had begun is taken back{later}")
        partitions = list(opened_partitions(settled, report.skipped))
        if not partitions and report.skipped:
            raise report.skipped[0]
        sizes = sizes_of([partition] for partition in partitions)
        planned = list(each(partial(_planned, content, place_unanchored), partitions, sizes))
        report.partitions = [plan for plan, _ in planned]
        report.remarks += strange_logs(report.partitions)
        report.remarks += [
            f"{plan.copies[0].partition.folder} stays as it is: a log cannot be read"
            for plan in report.partitions
            if plan.unread
        ]
        wanted = [plan for plan, is_wanted in planned if is_wanted]
        for plan in wanted:
            refuse_changed(plan.copies[0].partition.folder)
        if dry_run:
            return report
        ends = defaultdict[Path, list[TopicOffset]](list)
        for plan in report.partitions:
            if not plan.unread and (end := plan.end()) is not None:
                ends[_root_of(plan)].append(end)
        for root, plans in groupby(wanted, _root_of):
            _change(root, list(plans), ends[root], report, configs, each)
    return report


def _planned(content: str, place_unanchored: bool, partition: Partition) -> tuple[PartitionReport, bool]:
    """What would be saved of a partition, and whether it is to be changed."""
    plan = plan_partition(partition, content, place_unanchored=place_unanchored)
    return plan, _is_to_change(plan)


def _say(report: Report, text: str, is_fatal: bool) -> None:
    if is_fatal:
        raise RootLockedError(text)
    report.remarks.append(text)


def _folders(sources: Paths, skipped: list[KformatError | OSError]) -> list[Path]:
    """The folders of all partitions, each once, by root."""
    paths = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    folders = dict[Path, Path]()
    for path in folders_in(paths, skipped):
        try:
            is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        except NotADirectoryError:
            is_folder = False
        except OSError as error:
            skipped.append(error)
            continue
        if not is_folder:
            raise UsageError(f"{path} is no partition's folder")
        folders.setdefault(Path(path).resolve(), Path(path))
    if not folders and skipped:
        raise skipped[0]
    if not folders:
        raise UsageError(f"no partition in {', '.join(map(str, paths))}")
    return sorted(folders.values(), key=lambda folder: (folder.absolute().parent, folder.name))


def _root_of(report: PartitionReport) -> Path:
    return report.copies[0].partition.folder.absolute().parent


def _is_to_change(report: PartitionReport) -> bool:
    if report.unread:
        return False
    are_logs_other = any(made.outcome not in ("saved", "room") or made.found is not None for made in report.ranges)
    findings = check(report.copies[0].partition.folder, ignore=[MALFORMED.id])  # which no other files mend
    return are_logs_other or any(finding.severity == "error" for finding in findings)


def _change(
    root: Path,
    wanted: Sequence[PartitionReport],
    ends: Sequence[TopicOffset],
    report: Report,
    configs: TopicConfigs,
    each: Each,
) -> None:
    written = [log for plan in wanted for log in plan.logs[:-1] if not is_kept_whole(log)]
    written += [log for plan in wanted for log in plan.logs[-1:]]
    check_space(root, sum(made.size for log in written for _, made in log.pieces))
    report.remarks += change_root(root, ends)
    sizes = sizes_of([plan.copies[0].partition] for plan in wanted)
    done = each(partial(_changed, report.content, configs), wanted, sizes)
    for plan, saved in zip(wanted, done, strict=True):
        plan.saved = saved


def _changed(content: str, configs: TopicConfigs, report: PartitionReport) -> Saved:
    (copy,) = report.copies
    return change(copy.partition, report.logs, copy.segments, {"content": content, **report.as_dict()}, configs)


def undo_salvage(path: str | os.PathLike[str]) -> list[PutBack]:
    """Put back what `salvage_in_place` has changed in a root or a partition, byte for byte.

    What was written after the salvage is moved into ``.kformat-later`` in the partition's folder. A log that was sound
    is kept as a second name of its file (a hard link). The engine copies it before it changes it. Another program that
    has written to it, such as a broker that cut the log, has changed what is kept: `PutBack.changed` names such files.
    The root's checkpoints say of the partitions what they said before; what somebody has written there of others since
    stays, and else the files are what they were.

    Raises:
        UsageError: nothing is kept there.
        InvalidError: the list of what is kept is damaged.
        RootLockedError, OSError: as for `salvage_in_place`.
    """
    place = Path(local_path(os.fspath(path)))
    folders = [place] if aside_of(place) is not None else list(map(Path, partition_paths(place, all_states=True)))
    kept = [folder for folder in folders if aside_of(folder) is not None]
    done, roots_of = list[PutBack](), dict.fromkeys(folder.absolute().parent for folder in folders)
    # An interrupt may come when the locks are about to be released: `closing` releases them then.
    with closing(Roots(False, partial(_say, Report("")))) as roots, roots:
        for folder in kept:
            roots.may_be_written(folder)
        for root, root_folders in groupby(kept, lambda folder: folder.absolute().parent):
            names = [parse_folder_name(folder.absolute().name) for folder in root_folders]
            take_back_entries(
                root, [(name.topic, name.partition) for name in names if name is not None and not name.state]
            )
        done += map(put_back, kept)
        count = 0
        for root in roots_of:
            if not any(aside_of(Path(folder)) for folder in partition_paths(root, all_states=True)):
                count += put_back_root(root)
    if not done and not count:
        raise UsageError(f"{path} was not salvaged in place, or what was there has been removed")
    return done


__all__ = ["UNDONE_COLUMNS", "salvage_in_place", "undo_salvage"]
