"""The examination of a partition's folder, and the order of its findings.

`table` has the action for each state; the package's docstring has the order of the steps, and its reasons.
"""

from __future__ import annotations

import re
from typing import Final

from kformat.integers import MAX_INT64, MIN_INT64
from kformat_engine.epochs import EpochCache
from kformat_engine.producer_snapshots import Producers
from kformat_engine.recovery.evidence import untrimmed_bytes
from kformat_engine.recovery.plan import RecoveryPlan
from kformat_engine.recovery.producers import ProducersLook
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.segment_examination import SegmentExamination
from kformat_engine.recovery.sidecars import EPOCHS_FILE, KEPT_ASIDE, METADATA_FILE, EpochsLook, find_orphans, find_rest
from kformat_engine.recovery.table import (
    ABOVE,
    BELOW,
    CLEAN,
    DOUBTFUL,
    NO,
    NO_LOG,
    SOUND,
    UNSOUND,
    YES,
    Action,
    Kind,
    row_for,
)
from kformat_engine.recovery.verification import MAX_LOG_BYTES, EpochRuns, read_frames
from kformat_engine.segment import SWAP_SUFFIX

_TEMPORARY: Final = re.compile(
    rf"({KEPT_ASIDE.pattern}|[0-9]{{20}}\.[a-z]+|{EPOCHS_FILE}|{re.escape(METADATA_FILE)})\.tmp"
)


class Examination:
    """Examines a folder: `examine` fills the plan.

    Attributes:
        bases: base offsets of the segments after recovery.
        start, end: the first offset after recovery, and the one after the last.
        epochs: those of the log after recovery. producers: the state of its producers then.
        index_bytes: the result of `untrimmed_bytes` for the last segment.
    """

    def __init__(self, plan: RecoveryPlan, log_start_offset: int | None) -> None:
        """``log_start_offset`` is that of the root's checkpoint; None without an entry."""
        self.plan = plan
        self.recovery_point = plan.recovery_point or 0
        self.checkpointed_start, self.is_start_known = log_start_offset or 0, log_start_offset is not None
        self.bases: list[int] = []
        self.start = self.end = 0
        self.epochs = EpochCache()
        self.index_bytes: int | None = None
        self._had_segments = False
        self._was_longer = False  # an index of the last segment has entries for missing batches
        # Of the segments that were read completely. (Not their headers: these may take more memory than the log's
        # bytes.)
        self._epochs_of: dict[int, EpochRuns] = {}
        self._loaded: list[int] = []
        self._recovered: list[int] = []
        self._is_restarted = False
        self.producers: Producers

    def examine(self) -> None:
        """Examine the folder, once; nothing is changed. Raises OSError."""
        plan = self.plan
        plan.list_folder()
        self._leftovers()
        self._segments()
        find_orphans(plan)
        self._partition()
        is_remote = self.is_start_known and self.checkpointed_start < self.start
        producers = ProducersLook(
            plan,
            self.bases,
            checkpointed_start=self.checkpointed_start,
            start=self.checkpointed_start if is_remote else self.start,
            end=self.end,
            loaded=self._loaded,
            recovered=self._recovered,
            is_restarted=self._is_restarted,
        )
        producers.judge()
        self.producers = producers.producers
        look = EpochsLook(plan, self.bases, self._epochs_of, self.checkpointed_start, self.end, is_remote)
        look.judge()
        self.epochs = look.epochs
        find_rest(plan)

    def report(self) -> RecoveryReport:
        """The report of the findings, and of the log after recovery."""
        recovery_point = self.end if self.plan.is_clean and self._had_segments else min(self.recovery_point, self.end)
        return RecoveryReport(
            self.plan.folder,
            self.plan.mode,
            self.plan.is_clean,
            tuple(self.plan.findings),
            self.checkpointed_start if self.is_start_known else self.start,
            self.start,
            self.end,
            recovery_point,
            self.plan.unanchored_batches,
        )

    # Leftovers

    def _leftovers(self) -> None:
        plan = self.plan
        by_name = {name: plan.parsed(name) for name in plan.names}
        parsed = {
            name: file_name for name, file_name in by_name.items() if file_name is not None and file_name.epoch is None
        }
        in_state = {
            state: [name for name, file_name in parsed.items() if file_name.state == state]
            for state in ("deleted", "cleaned", "swap")
        }
        first_cleaned = min((parsed[name].offset for name in in_state["cleaned"]), default=None)
        swaps = [name for name in in_state["swap"] if first_cleaned is None or parsed[name].offset < first_cleaned]
        for name in in_state["swap"]:
            if name not in swaps:
                plan.find(name, Kind.SWAP, {"aborted": YES, "condition": SOUND})
                plan.remove(plan.names.pop(name))
        for name in in_state["cleaned"]:
            plan.find(name, Kind.CLEANED)
            plan.remove(plan.names.pop(name))
        logs = {parsed[name].offset: name for name in swaps if parsed[name].kind == "log"}
        conditions = {offset: self._judge_swap(offset, name) for offset, name in logs.items()}
        is_any_unsound = any(condition == UNSOUND for condition, _, _ in conditions.values())
        for name in in_state["deleted"]:
            is_needed = is_any_unsound and parsed[name].kind == "log"
            finding = plan.find(name, Kind.DELETED, {"needed": YES if is_needed else NO})
            if finding.action is Action.SET_ASIDE:
                plan.rename_aside(finding, plan.names.pop(name), f"torn-{parsed[name].offset:020d}-log-deleted")
            else:
                plan.remove(plan.names.pop(name))
        for name in [name for name in plan.names if _TEMPORARY.fullmatch(name)]:
            if plan.find(name, Kind.TEMPORARY).action is Action.REMOVE:
                plan.remove(plan.names.pop(name))
            else:
                del plan.names[name]
        self._swaps(conditions, swaps, is_any_unsound)

    def _judge_swap(self, base_offset: int, name: str) -> tuple[str, str, int]:
        """The condition of a `.log.swap`, its problem, and the offset after its sound batches."""
        if (size_bytes := self.plan.names[name].stat().st_size) > MAX_LOG_BYTES:
            return UNSOUND, f"{size_bytes} bytes", base_offset
        verified = read_frames(self.plan.names[name]).verified(0, base_offset, order="index")
        condition, detail = (SOUND, "") if verified.problem is None else (UNSOUND, str(verified.problem))
        return condition, detail, verified.next_offset

    def _swaps(self, conditions: dict[int, tuple[str, str, int]], swaps: list[str], is_any_unsound: bool) -> None:
        """Finish a replacement that had begun: the old segments are removed, then the new ones get their names.

        If a part of the new ones is unsound, and the old ones still exist, these stay.
        """
        plan = self.plan
        if is_any_unsound:
            first, end = min(conditions), max(end for _, _, end in conditions.values())
            if any(first <= base_offset < end for base_offset in plan.log_offsets()):
                conditions = {
                    base_offset: (DOUBTFUL if condition == SOUND else condition, detail, next_offset)
                    for base_offset, (condition, detail, next_offset) in conditions.items()
                }
        first, end = MAX_INT64, MIN_INT64
        for base_offset, (condition, _, next_offset) in conditions.items():
            if row_for(plan.mode, Kind.SWAP, {"aborted": NO, "condition": condition}).action is Action.INSTALL:
                first, end = min(first, base_offset), max(end, next_offset)
        for name in list(plan.names):
            offset = _offset_of(name)
            if offset is not None and first <= offset < end and not name.endswith(SWAP_SUFFIX):
                plan.find(name, Kind.REPLACED, detail=f"offsets {first} to {end}")
                plan.remove(plan.names.pop(name))
        if first < end and plan.steps:  # the old segments are removed for good before the new ones are there
            plan.steps.append(lambda: plan.storage.sync_directory(plan.folder))
        # Logs first: if an index were renamed before, the swap of its log would take it for one to be replaced.
        by_log = sorted((not name.endswith(".log" + SWAP_SUFFIX), _offset_of(name) or 0, name) for name in swaps)
        for _, base_offset, name in by_log:
            condition, detail, _ = conditions.get(base_offset, (NO_LOG, "", 0))
            finding = plan.find(name, Kind.SWAP, {"aborted": NO, "condition": condition}, detail)
            path = plan.names.pop(name)
            if finding.action is Action.SET_ASIDE:
                plan.rename_aside(finding, path, f"torn-{base_offset:020d}-{name.split('.')[1]}-swap")
            elif finding.action is Action.INSTALL:
                final = name.removesuffix(SWAP_SUFFIX)
                plan.names[final] = path
                plan.rename(path, plan.folder / final)

    # Segments

    def _segments(self) -> None:
        plan = self.plan
        bases = plan.log_offsets()
        self._had_segments = bool(bases)
        floor = max([number for number, base in enumerate(bases) if base <= self.recovery_point], default=0)
        self.end = self.checkpointed_start
        if bases and not (plan.is_lazy and plan.is_clean):  # a process that closes an index trims it
            self.index_bytes = untrimmed_bytes(plan.files(bases[-1]))
        after_offset: int | None = None
        for number, base_offset in enumerate(bases):
            following = bases[number + 1] if number + 1 < len(bases) else None
            if following is not None and plan.trust(base_offset):
                self.bases.append(base_offset)
                self.end = following
                continue
            is_due = not plan.is_clean and number >= floor
            look = SegmentExamination(plan, plan.files(base_offset), following, is_due, after_offset)
            look.judge()
            after_offset = look.last_offset
            self.bases += look.bases
            self._loaded += look.bases if look.is_loaded else []
            self._recovered += look.bases if is_due or look.saved is not None else []
            self._epochs_of |= look.epochs_of
            self.end = look.end
            self._was_longer = any(index.is_beyond for index in look.indexes.values())
            if look.action in (Action.CUT, Action.EMPTY):
                return

    def _partition(self) -> None:
        plan = self.plan
        first = self.bases[0] if self.bases else self.checkpointed_start
        self.start = max(self.checkpointed_start, first)
        end = self.end if self.bases else self.checkpointed_start
        is_lost = self.recovery_point > max(end, self.checkpointed_start)
        state = {
            "segments": YES if self.bases else NO,
            "end": ABOVE if end >= self.checkpointed_start else BELOW,
            "lost": NO if not is_lost else CLEAN if plan.is_clean and self.bases and not self._was_longer else YES,
        }
        detail = f"start {self.checkpointed_start}, end {end}, recovery point {self.recovery_point}"
        finding = plan.find("", Kind.PARTITION, state, detail)
        if finding.action is Action.RESTART:
            plan.set_aside_all(self.bases, BELOW, "the log begins again")
            self.bases, self._had_segments, self._is_restarted = [], False, True
            self.start = end = self.checkpointed_start
        self.end = end


def _offset_of(name: str) -> int | None:
    """The offset at the beginning of a file's name, as a broker reads it; None if there is none."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() and "." in name else None
