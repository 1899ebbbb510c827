"""Opening a partition's folder: `examine_folder` changes nothing; its `RecoveryReport` is the dry run. `recover_folder`
makes the changes in the report and opens the segments."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import file_name
from kformat_engine.config import MIN_SEGMENT_INDEX_BYTES, LogConfig
from kformat_engine.epochs import EpochCache
from kformat_engine.errors import DamagedLogError
from kformat_engine.file_records import check_unused
from kformat_engine.producer_snapshots import Producers
from kformat_engine.recovery.examination import Examination
from kformat_engine.recovery.plan import INDEX_SUFFIXES, RecoveryPlan
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.segment_examination import SegmentExamination
from kformat_engine.recovery.table import Mode
from kformat_engine.segment import LogSegment
from kformat_engine.storage import DISK, Clock, Storage, wall_clock_ms

Approve = Callable[[RecoveryReport], object]
"""Called with the report of the plan, before the changes."""


@dataclass(frozen=True)
class Recovered:
    """A folder that is ready for use; ``segments`` are open, ascending, and the last one has room in its indexes.

    ``unread`` are the base offsets of the sealed segments that `examine_segment` has to examine before they are used.

    ``config`` is the caller's, with the `segment.index.bytes` of a killed broker if that is less: a broker does not
    start if the active index is longer than its topic's.
    """

    segments: list[LogSegment]
    config: LogConfig
    log_start_offset: int
    local_log_start_offset: int
    next_offset: int
    recovery_point: int
    report: RecoveryReport
    unread: frozenset[int]
    producers: Producers


def mode_of(mode: str, *, place_unanchored: bool = False) -> Mode:
    """The mode by its name; UsageError for an unknown one, or for ``place_unanchored`` in another than ``salvage``."""
    if mode not in list(Mode):
        raise UsageError(f"no recovery mode {mode!r}: there are {', '.join(Mode)}")
    if place_unanchored and mode != Mode.SALVAGE:
        raise UsageError(f"unanchored batches are placed in mode {Mode.SALVAGE}, and not in {mode}")
    return Mode(mode)


def examine_folder(
    folder: Path,
    config: LogConfig,
    *,
    is_clean: bool,
    recovery_point: int | None = None,
    log_start_offset: int | None = None,
    mode: str = "strict",
    place_unanchored: bool = False,
) -> RecoveryReport:
    """Examine a partition's folder, and report the changes of `recover_folder`; nothing is changed.

    Args:
        is_clean: whether the root had a marker of a clean shutdown.
        recovery_point, log_start_offset: those of the root's checkpoints; None without an entry.
        place_unanchored: in mode ``salvage`` also save batches that may be values of records.

    Raises UsageError for an unknown mode, or ``place_unanchored`` in another one; OSError.
    """
    chosen = mode_of(mode, place_unanchored=place_unanchored)
    folder.stat()  # OSError if there is no folder
    examination = _examined(
        folder, config, is_clean, recovery_point, log_start_offset, chosen, DISK, place_unanchored=place_unanchored
    )
    with examination.plan.opened:
        return examination.report()


def examine_segment(folder: Path, base_offset: int, following: int, config: LogConfig, storage: Storage) -> None:
    """Examine a sealed segment on its first use, as `recover_folder` would have, and rebuild its indexes if needed.

    Args:
        following: the base offset of the segment after it.

    Raises:
        DamagedLogError: the log is damaged, too, or shorter than its index says: the mode has to be chosen for that.
        OSError: the disk failed; another call goes on where this one stopped.
    """
    plan = RecoveryPlan(folder, config, True, None, Mode.STRICT, storage)
    for suffix in ("log", *INDEX_SUFFIXES):
        path = folder / file_name(base_offset, suffix)
        if path.is_file():
            plan.names[path.name] = path
    if file_name(base_offset, "log") not in plan.names:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder / file_name(base_offset, "log")))
    look = SegmentExamination(plan, plan.files(base_offset), following, False, None)
    look.judge()
    report = RecoveryReport(
        folder, plan.mode, True, tuple(plan.findings), base_offset, base_offset, following, following
    )
    if report.refusals:
        raise _refusal(report)
    plan.run()


def recover_folder(
    folder: Path,
    config: LogConfig,
    *,
    is_clean: bool,
    recovery_point: int | None = None,
    log_start_offset: int | None = None,
    epochs: EpochCache | None = None,
    mode: str = "strict",
    place_unanchored: bool = False,
    is_lazy: bool = False,
    approve: Approve | None = None,
    clock: Clock = wall_clock_ms,
    storage: Storage = DISK,
    chance: random.Random | None = None,
) -> Recovered:
    """Make the changes of `examine_folder`, and open the segments; a missing folder is created, with a first segment.

    Args:
        place_unanchored: as for `examine_folder`.
        is_lazy: after a clean shutdown look only at the names and lengths of sealed segments, except in mode
            ``salvage``; the others of them are ``unread``.
        epochs: filled with what leader-epoch-checkpoint says afterwards, whatever it held before.
        approve: called with the report when all is planned and nothing is changed; what it raises ends it there.

    Raises:
        DamagedLogError: something is refused; nothing was changed. The report is among its notes.
        SegmentInUseError: this process still holds bytes, of a log that it closed, that would be cut; nothing was.
        UsageError: an unknown mode, or ``place_unanchored`` in another than ``salvage``.
        OSError: the disk failed; trying again goes on where this stopped.
    """
    chosen = mode_of(mode, place_unanchored=place_unanchored)
    examination = _examined(
        *(folder, config, is_clean, recovery_point, log_start_offset, chosen, storage),
        place_unanchored=place_unanchored,
        is_lazy=is_lazy,
        clock=clock,
    )
    with examination.plan.opened:
        report = examination.report()
        if report.refusals:
            raise _refusal(report)
        if approve is not None:
            approve(report)
        for log in examination.plan.cut_logs:
            check_unused(log)
        storage.make_directory(folder)  # only when we own the root: a broker takes it for a partition
        examination.plan.run()
    examination.producers.open_in(folder, storage)
    if epochs is not None:
        epochs.clear()
        for epoch, offset in examination.epochs.entries:
            epochs.assign(epoch, offset)
    if (
        examination.index_bytes is not None
        and MIN_SEGMENT_INDEX_BYTES < examination.index_bytes < config.segment_index_bytes
    ):
        config = replace(config, segment_index_bytes=examination.index_bytes)
    segments: list[LogSegment] = []
    try:
        for base_offset in examination.bases or [examination.start]:
            segments.append(
                LogSegment.open(
                    folder,
                    base_offset,
                    config,
                    clock=clock,
                    storage=storage,
                    chance=chance,
                    already_exists=bool(examination.bases),
                    size_bytes=examination.plan.trusted.get(base_offset),
                )
            )
        # Kafka does not start if segment.index.bytes has become too small for the entries. A full index rolls.
        if is_lazy and is_clean:
            segments[-1].grows = True  # when they are opened
        else:
            segments[-1].resize_indexes(config.segment_index_bytes)
        if not examination.bases:
            storage.sync_directory(folder)
    except BaseException:
        for segment in segments:
            segment.release()
        raise
    return Recovered(
        segments,
        config,
        report.log_start_offset,
        report.local_log_start_offset,
        report.next_offset,
        report.recovery_point,
        report,
        # A broker trusts the files of a clean shutdown, and mode ``kafka`` does what a broker does.
        frozenset(() if chosen is Mode.KAFKA else examination.plan.trusted),
        examination.producers,
    )


def _refusal(report: RecoveryReport) -> DamagedLogError:
    first, *others = report.refusals
    more = f"; {len(others)} more" if others else ""
    detail = f" ({first.detail})" if first.detail else ""
    error = DamagedLogError(
        f"{first.row.why}{detail}{more}",
        source=str(report.folder / first.file) if first.file else str(report.folder),
        position=first.position,
    )
    error.add_note(str(report))
    return error


def _examined(
    folder: Path,
    config: LogConfig,
    is_clean: bool,
    recovery_point: int | None,
    log_start_offset: int | None,
    mode: Mode,
    storage: Storage,
    *,
    place_unanchored: bool = False,
    is_lazy: bool = False,
    clock: Clock = wall_clock_ms,
) -> Examination:
    plan = RecoveryPlan(
        *(folder, config, is_clean, recovery_point, mode, storage),
        place_unanchored=place_unanchored,
        is_lazy=is_lazy,
        clock=clock,
    )
    examination = Examination(plan, log_start_offset)
    try:
        examination.examine()
    except BaseException:
        plan.opened.close()
        raise
    return examination
