"""The files next to a partition's segments: indexes without a log, leader epochs, the topic's id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from kformat.errors import DataError, UsageError
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import DEFAULT_LIMIT_BYTES, parse_leader_epochs, read_sidecar
from kformat.storage.byte_source import ByteSource
from kformat_engine.epochs import EpochCache
from kformat_engine.recovery.plan import RecoveryPlan
from kformat_engine.recovery.table import DAMAGED, NO, SOUND, YES, Action, Kind, Mode
from kformat_engine.recovery.verification import NO_RUNS, EpochRuns, read_frames, rises

EPOCHS_FILE: Final = "leader-epoch-checkpoint"
METADATA_FILE: Final = "partition.metadata"
KEPT_ASIDE: Final = re.compile(r"torn-[0-9a-z-]+\.bytes")
_INDEX_KINDS: Final = {"offset_index", "time_index", "transaction_index"}


def find_orphans(plan: RecoveryPlan) -> None:
    """Find indexes without a log, which are removed."""
    for name in list(plan.names):
        parsed = plan.parsed(name)
        if parsed is not None and not parsed.state and parsed.kind in _INDEX_KINDS:
            if file_name(parsed.offset, "log") not in plan.names:
                plan.find(name, Kind.ORPHAN, {**plan.shutdown, "entries": _has_entries(plan.names[name])})
                path = plan.folder / name  # a swap may have put it there just before
                del plan.names[name]
                plan.remove(path)


def _has_entries(path: Path) -> str:
    with ByteSource(path) as source:
        return NO if source.is_zero(0, source.size) else YES


def find_rest(plan: RecoveryPlan) -> None:
    """Find the remaining files, of which there is no finding yet."""
    reported = {finding.file for finding in plan.findings}
    for name in sorted(set(plan.entries) - reported):
        is_regular = (plan.folder / name).is_file()
        if name == METADATA_FILE and is_regular:
            _find_metadata(plan)
        elif KEPT_ASIDE.fullmatch(name) and is_regular:
            plan.find(name, Kind.KEPT_ASIDE, detail=f"{(plan.folder / name).stat().st_size} bytes")
        elif (plan.folder / name).is_symlink() or (plan.folder / name).exists():  # else the plan creates it
            parsed = plan.parsed(name)
            is_log = parsed is not None and parsed.kind == "log" and not parsed.state and not is_regular
            plan.find(name, Kind.FOREIGN, {"log": YES if is_log else NO})


def _find_metadata(plan: RecoveryPlan) -> None:
    path = plan.folder / METADATA_FILE
    try:
        read_sidecar(path)
    except DataError as error:
        finding = plan.find(METADATA_FILE, Kind.METADATA, {"condition": DAMAGED}, str(error), error.position)
        if finding.action is Action.SET_ASIDE:
            plan.rename_aside(finding, path, "torn-partition-metadata")
    else:
        plan.find(METADATA_FILE, Kind.METADATA, {"condition": SOUND})


class EpochsLook:
    """Examines `leader-epoch-checkpoint`: its entries now, and after recovery.

    Args:
        bases: of the segments after recovery.
        runs_of: the leader epochs in those that were read completely, by base offset.
        start, end: of the log after recovery; ``start`` is that of its checkpoint.
        is_remote: whether the log's first segments are in the remote storage.
    """

    def __init__(
        self,
        plan: RecoveryPlan,
        bases: Sequence[int],
        runs_of: Mapping[int, EpochRuns],
        start: int,
        end: int,
        is_remote: bool,
    ) -> None:
        self.plan, self.bases, self.runs_of = plan, bases, dict(runs_of)
        self.start, self.end, self.is_remote = start, end, is_remote
        self.epochs = EpochCache()

    def judge(self) -> None:
        """Compute ``epochs``, those of the log after recovery, and plan to write them if the file differs."""
        plan = self.plan
        condition, detail = SOUND, ""
        stored: tuple[tuple[int, int], ...] = ()
        is_missing = EPOCHS_FILE not in plan.names
        if not is_missing:
            try:
                stored = tuple(_read_epochs(plan))
            except (DataError, UsageError) as error:
                condition, detail = DAMAGED, str(error)
        self.epochs = EpochCache(stored)
        self._limit_epochs()  # first, or an entry of a part that was cut hides the log's epochs
        is_told = condition == SOUND and (not is_missing or plan.mode is Mode.KAFKA)
        is_refused = any(finding.action is Action.REFUSE for finding in plan.findings)
        for base_offset in self.bases:
            if base_offset not in self.runs_of and not is_told and not is_refused:
                log = plan.log(base_offset)
                self.runs_of[base_offset] = plan.verified(read_frames(log), 0, base_offset).leader_epochs
            if base_offset not in self.runs_of:
                continue
            for epoch, offset in rises(self.runs_of[base_offset]):
                if epoch > self.epochs.latest_epoch:
                    self.epochs.assign(epoch, offset)
        self._limit_epochs()
        if not self.bases:
            self.epochs.clear()
        if plan.mode is Mode.SALVAGE and not self.is_remote:
            self._drop_contradicted_epochs()
        # A missing file is created, even without entries, or the whole log would be read for it each time.
        is_wanted = is_missing and not is_told and self._has_batches()
        if condition == SOUND and (tuple(self.epochs.entries) != stored or is_wanted):
            condition = "stale"
            detail = f"{'missing' if is_missing else _told(stored)} -> {_told(self.epochs.entries)}"
        if not is_missing or self.epochs.entries or is_wanted:
            state = {"condition": condition, "remote": YES if self.is_remote else NO}
            finding = plan.find(EPOCHS_FILE, Kind.LEADER_EPOCHS, state, detail)
            if finding.action is Action.REWRITE:
                path = plan.folder / EPOCHS_FILE
                if condition == DAMAGED:
                    # Copied, not renamed: if it were missing after a crash, its damage would be unknown.
                    with ByteSource(path) as source:
                        plan.say_aside(finding, plan.keep(source, 0, source.size, path, "torn-leader-epoch-checkpoint"))
                entries = EpochCache(self.epochs.entries)
                plan.steps.append(lambda: entries.save(plan.storage, path))

    def _drop_contradicted_epochs(self) -> None:
        """If a batch's epoch contradicts the entries, begin with the last batches whose epochs do not fall.

        No checksum covers the epoch of a batch. Followers then get no epochs before that, rather than wrong ones.
        """
        known = [self.runs_of[base_offset] for base_offset in self.bases if base_offset in self.runs_of]
        runs = np.concatenate(known) if known else NO_RUNS
        entries = np.array(self.epochs.entries, np.int64).reshape(-1, 2)
        if not len(runs) or not len(entries):
            return
        first, last = (np.searchsorted(entries[:, 1], runs[:, column], side="right") - 1 for column in (1, 2))
        is_wrong = (last >= 0) & ((entries[last, 0] != runs[:, 0]) | (np.maximum(first, 0) != last))
        if is_wrong.any():
            falls = np.flatnonzero(np.diff(runs[:, 0]) < 0)
            runs = runs[falls[-1] + 1 if len(falls) else 0 :]
            later = entries[entries[:, 1] > runs[-1, 2]].tolist()
            self.epochs = EpochCache(rises(runs))
            for epoch, offset in later:
                if epoch > self.epochs.latest_epoch:
                    self.epochs.assign(epoch, offset)

    def _has_batches(self) -> bool:
        """Whether any log will not be empty after recovery."""
        logs = {base_offset: self.plan.names[file_name(base_offset, "log")] for base_offset in self.bases}
        return any(self.plan.sizes.get(base_offset, path.stat().st_size) for base_offset, path in logs.items())

    def _limit_epochs(self) -> None:
        # Kafka drops an epoch that begins at the log's end; ours are kept nowhere else.
        self.epochs.truncate_from_end(self.end if self.plan.mode is Mode.KAFKA else self.end + 1)
        self.epochs.truncate_from_start(self.start)


def _read_epochs(plan: RecoveryPlan) -> Iterator[tuple[int, int]]:
    with ByteSource(plan.names[EPOCHS_FILE]) as source:
        data = source.read_at(0, DEFAULT_LIMIT_BYTES + 1)
    for entry in parse_leader_epochs(data, source=str(plan.names[EPOCHS_FILE])).entries:
        EpochCache([entry])  # within bounds
        yield entry


def _told(entries: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"epoch {epoch} from {offset}" for epoch, offset in entries) or "none"
