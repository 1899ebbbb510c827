"""The examination of one segment: the state of its files, and the planned actions."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from kformat.errors import DataError, InvalidError, TruncatedError
from kformat.integers import MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders, iter_batches, read_batch_headers
from kformat.kafka.batch.framing import CURRENT_MAGIC, PEEK_BYTES
from kformat.kafka.damage.saved_ranges import SavedRange, divided, ranges_of, saved_in_order, saved_log
from kformat.kafka.files.file_kinds import file_name
from kformat.storage.byte_source import ByteSource
from kformat_engine.recovery.evidence import (
    FoundIndex,
    Piece,
    SegmentFiles,
    believe_rules,
    first_offset,
    judge_offset_index,
    judge_time_index,
    read_transactions,
    readable,
)
from kformat_engine.recovery.plan import INDEX_SUFFIXES, RecoveryPlan
from kformat_engine.recovery.report import RecoveryFinding
from kformat_engine.recovery.table import (
    ABOVE,
    BELOW,
    EARLIER,
    INDEX,
    LAST,
    NO,
    RECOVERY,
    SHRUNK,
    SOUND,
    TAIL,
    TOO_LARGE,
    UNREAD,
    UNSOUND,
    YES,
    Action,
    IndexCondition,
    Kind,
    Mode,
)
from kformat_engine.recovery.verification import (
    MAX_LOG_BYTES,
    MAX_RELATIVE_OFFSET,
    NO_RUNS,
    EndReason,
    EpochRuns,
    Frames,
    Verified,
    read_frames,
)

_CUTS: Final = (Action.CUT, Action.CUT_SEGMENT, Action.EMPTY)
_MOST_PIECES: Final = 1000
"""The most segments into which one is divided; the bytes after the last of them are kept aside as a whole."""


class SegmentExamination:
    """Examines one segment; see `judge`.

    Its log is examined in stretches: usually one, the whole of it. If it has to be split, it becomes several segments,
    the `pieces`, and each stretch is examined as the segment that it will be, so that everything is known before the
    first of them is written. Each stretch begins after the one before it, and there are at most `_MOST_PIECES`. Instead
    of a damaged log, mode ``salvage`` examines the part of it that is `saved`, from the start on.

    Afterwards ``bases`` are the base offsets of the resulting segments, ``end`` is the offset after the last batch that
    stays, ``last_offset`` that of its last batch if all were read, and ``action`` the action for the log, or for its
    last stretch. ``epochs_of`` has the leader epochs of the stretches that were read completely, by base offset.
    """

    def __init__(
        self, plan: RecoveryPlan, files: SegmentFiles, following: int | None, is_due: bool, after_offset: int | None
    ) -> None:
        self.plan, self.files, self.following, self.is_due = plan, files, following, is_due
        self.base_offset, self.mode = files.base_offset, plan.mode
        self.after_offset = self.after_segment = after_offset
        self.rank = LAST if following is None else EARLIER
        self.start = self.row = 0  # where the stretch begins, bytes, and the number of its first batch in `frames`
        self.frames: Frames | None = None
        self.saved: ByteSource | None = None
        self.verified: Verified | None = None
        self.end = files.base_offset if following is None else following
        self.last_offset: int | None = None
        self.action = Action.KEEP
        self.condition: str = UNREAD
        self.problem: DataError | None = None
        self.valid_bytes = 0
        self.pieces: list[Piece] = []
        self.next_stretch: tuple[int, int] | None = None  # of a split: base offset and start
        self.indexes: dict[Kind, FoundIndex] = {}
        self.epochs_of: dict[int, EpochRuns] = {}
        self.is_loaded = False  # a broker recovers it when it first opens it, because of its indexes

    @property
    def log(self) -> Path | ByteSource:
        """The source of the stretches."""
        return self.files.log if self.saved is None else self.saved

    @property
    def bases(self) -> list[int]:
        return [piece.base_offset for piece in self.pieces] or [self.files.base_offset]

    def judge(self) -> None:
        """Find the state of the segment, and plan the actions. Raises OSError."""
        self.size_bytes = self.files.log.stat().st_size
        if self.size_bytes > MAX_LOG_BYTES:
            self.look, self.condition = TAIL, TOO_LARGE
            self._find_log(BELOW, f"{self.size_bytes} bytes")
            return
        is_untrimmed = self.rank == LAST and self.plan.is_clean and self.plan.is_metadata
        interval_bytes = self.plan.config.index_interval_bytes
        self.indexes = {
            Kind.OFFSET_INDEX: judge_offset_index(
                self.files, self.size_bytes, self.following, interval_bytes, is_untrimmed=is_untrimmed
            ),
            Kind.TIME_INDEX: judge_time_index(self.files, self.following, self.size_bytes, is_untrimmed=is_untrimmed),
        }
        self.is_loaded = self.indexes[Kind.OFFSET_INDEX].condition is IndexCondition.MISSING
        if self.mode is Mode.SALVAGE:
            believe_rules(self.files, *self.indexes.values())
        self.look = self._how_far()
        if self.look == TAIL and self.rank == LAST:
            self._look_at_tail()
        if self.look in (INDEX, RECOVERY):
            self._look_at_all()
        if self.condition in (EndReason.SOUND, UNREAD):
            is_shrunk = self.rank == EARLIER and self.indexes[Kind.OFFSET_INDEX].is_beyond
            self.condition = SHRUNK if is_shrunk else self.condition
        finding = self._find_log(self._place(), self._detail)
        is_split = False
        while self._goes_on(finding):
            is_split = is_split or self.action is Action.SPLIT
            self._look_at_all()
            if self.condition == EndReason.SOUND:
                self._end_piece(self.valid_bytes)
                self.action = Action.KEEP
                break
            if self.condition == EndReason.OVERFLOW and is_split:
                self.action = Action.SPLIT  # one finding is enough
                continue
            finding = self._find_log(self._place(), self._detail)
        if self.saved is not None and not self.pieces:
            self.pieces.append(Piece(self.files.base_offset, 0, 0))
        self._find_indexes()
        self._find_transactions()
        if self.pieces:
            self.plan.replace(self.files, self.pieces, self.saved)

    @property
    def _detail(self) -> str:
        return "" if self.problem is None else str(self.problem)

    def _place(self) -> str:
        if self.condition in (EndReason.SOUND, UNREAD):
            return ABOVE
        if self.plan.is_clean and self.plan.recovery_point is None and self.condition != EndReason.ZEROS:
            return BELOW
        return BELOW if self.end < (self.plan.recovery_point or 0) else ABOVE

    def _how_far(self) -> str:
        conditions = {kind: index.condition for kind, index in self.indexes.items()}
        if self.mode is Mode.KAFKA and conditions[Kind.OFFSET_INDEX] is IndexCondition.MISSING:
            return INDEX
        if self.is_due:
            return RECOVERY
        is_sound = all(condition is IndexCondition.SOUND for condition in conditions.values())
        if self.mode is Mode.SALVAGE:
            return INDEX  # every byte, and the indexes as they are
        is_trusted = self.mode is Mode.KAFKA and IndexCondition.UNTRIMMED not in conditions.values()
        return TAIL if is_sound or is_trusted else INDEX

    def _look_at_tail(self) -> None:
        """Find the log's end, from the last index entry on; an index with entries after it is unsound."""
        index = self.indexes[Kind.OFFSET_INDEX]
        start = index.last_position if index.condition is IndexCondition.SOUND else 0
        if self.mode is Mode.KAFKA:
            headers = read_batch_headers(self.files.log, start)
            self.valid_bytes, self.problem = headers.valid_bytes, headers.problem
            self.end = int(headers.next_offset[-1]) if len(headers) else self.base_offset
            self.condition = EndReason.SOUND
            if self.problem is not None:
                is_torn = isinstance(self.problem, TruncatedError)
                self.condition = EndReason.TORN if is_torn else EndReason.FRAME
            return
        verified = self.plan.verified(read_frames(self.files.log, start), 0, self.base_offset)
        self.valid_bytes, self.problem, self.end, self.condition = (
            verified.valid_bytes,
            verified.problem,
            verified.next_offset,
            verified.end,
        )
        if self._distrust_indexes() or self.condition == EndReason.OVERFLOW:
            self.look = INDEX

    def _distrust_indexes(self) -> bool:
        """Mark indexes with entries after the log's end as unsound; returns whether there is one."""
        is_any = False
        for index in self.indexes.values():
            if index.last_offset is not None and index.last_offset >= self.end:
                index.condition, index.is_beyond, is_any = IndexCondition.UNSOUND, True, True
                index.detail = f"offset {index.last_offset} is after the log's end {self.end}"
        return is_any

    def _look_at_all(self) -> None:
        """Check every byte of the stretch. Bytes that were read for the one before are not read again."""
        if self.frames is None:
            self.frames, self.row = read_frames(self.log, self.start), 0
        how = {"after_offset": self.after_offset, "end_offset": self.following}
        verified = self.plan.verified(self.frames, self.row, self.base_offset, **how)
        if self.mode is Mode.SALVAGE:
            verified = readable(self.log, verified, self.after_offset)
        self.verified, self.epochs_of[self.base_offset] = verified, verified.leader_epochs
        current = verified.headers.magic >= CURRENT_MAGIC
        if not (current & (verified.headers.producer_id >= 0)).any():
            last_offsets = verified.headers.last_offset[current]
            last_offset = int(last_offsets[-1]) if len(last_offsets) else -1
            self.plan.without_producers[self.base_offset] = verified.valid_bytes, last_offset
        self.valid_bytes, self.problem, self.condition = verified.valid_bytes, verified.problem, verified.end
        if len(verified.headers):
            self.end, self.last_offset = verified.next_offset, verified.next_offset - 1
        elif self.pieces:
            assert self.after_offset is not None
            self.end = self.after_offset + 1
        else:
            self.end = self.files.base_offset
        if self.mode is Mode.KAFKA:
            try:
                _ = verified.entries
            except InvalidError as error:
                self.condition, self.problem = EndReason.ORDER, error
            if self.condition == EndReason.EXHAUSTED:
                self.end = MIN_INT64
            if self.condition == EndReason.ZEROS and self.size_bytes - self.valid_bytes <= PEEK_BYTES:
                self.condition = EndReason.TORN  # too few bytes for a broker to check
        elif self.look == INDEX and not self.pieces:
            self._distrust_indexes()
        if self.condition == EndReason.OVERFLOW:
            self._plan_split(verified)

    def _plan_split(self, verified: Verified) -> None:
        """Find where the next segment begins in a stretch whose offsets overflow (LocalLog.splitOverflowedSegment); if
        no segment can hold the batch that does not fit, change the condition."""
        assert self.frames is not None
        headers, row, overflow = self.frames.headers, self.row, self.row + len(verified.headers)
        if self.mode is Mode.KAFKA and not self.pieces:
            last_offset = headers.last_offset
            goes_back = np.flatnonzero(last_offset[1:] <= last_offset[:-1])
            if self.following is not None and last_offset[-1] >= self.following:
                beyond = int(np.argmax(last_offset >= self.following))
                self._refuse_split(headers, beyond, "the offsets reach into the next segment", f"< {self.following}")
                return
            if len(goes_back):
                number = int(goes_back[0]) + 1
                self._refuse_split(headers, number, "the offsets go back", f"> {int(last_offset[number - 1])}")
                return
        if self.mode is Mode.SALVAGE and self.saved is None and not self.pieces:
            if len(divided(self.base_offset, saved_in_order(self._ranges))) == 1:
                self._refuse_split(headers, overflow, "the offset does not fit to those before it", "less")
                return
        if len(self.pieces) >= _MOST_PIECES - 1:
            self._refuse_split(headers, overflow, f"its offsets ask for more than {_MOST_PIECES} segments", "fewer")
            return
        # The segment's name may be lower than needed: a new segment begins with its first batch.
        for number in sorted({row, overflow}):
            before = self.after_offset if number == row else int(headers.last_offset[number - 1])
            lowest = self._lowest(headers, number, before)
            if lowest is None:
                self._refuse_split(headers, number, "no segment has room for all offsets of the batch", "2^31 at most")
                return
            if number > row or lowest > self.base_offset:
                self.next_stretch = lowest, int(headers.position[number])
                return
        raise AssertionError("a batch that fits its own segment does not overflow it")

    def _lowest(self, headers: BatchHeaders, row: int, before: int | None) -> int | None:
        """The base offset of a segment that begins with this batch; None if the batch does not fit one."""
        first, last = int(headers.base_offset[row]), int(headers.last_offset[row])
        if headers.magic[row] < CURRENT_MAGIC:
            # Inside of an old wrapper offsets may be relative, and less certain than its own.
            first = first_offset(next(iter_batches(self.log, int(headers.position[row]))))
        if before is not None:
            first = max(first, before + 1)
        return first if 0 <= last - first <= MAX_RELATIVE_OFFSET else None

    def _refuse_split(self, headers: BatchHeaders, row: int, message: str, expected: str) -> None:
        self.condition = EndReason.BEFORE
        self.problem = InvalidError(
            message,
            source=headers.source,
            position=int(headers.position[row]),
            path="record_batch.base_offset",
            expected=expected,
            found=int(headers.last_offset[row]),
        )

    def _state(self, condition: str, place: str) -> dict[str, str]:
        return {
            "condition": condition,
            **self.plan.shutdown,
            "place": place,
            "rank": self.rank,
            "look": self.look,
        }

    def _find_log(self, place: str, detail: str) -> RecoveryFinding:
        state = self._state(self.condition, place)
        name = file_name(self.files.base_offset, "log")
        position = None if self.condition in (EndReason.SOUND, UNREAD, TOO_LARGE) else self.valid_bytes
        finding = self.plan.find(name, Kind.LOG, state, detail, position)
        self.action = finding.action
        if self.action in (Action.CUT, Action.EMPTY):
            number = len(self.plan.findings) - 1
            self.plan.set_aside_later(self.files.base_offset)
            later = self.plan.findings[number + 1 :]
            del self.plan.findings[number + 1 :]
            self._cut(finding)
            self.plan.findings.extend(later)
        elif self.action is Action.CUT_SEGMENT:
            self._cut(finding)
        return finding

    def _cut(self, finding: RecoveryFinding) -> None:
        kept_bytes = self.start if self.action is Action.EMPTY else self.valid_bytes
        if self.action is Action.EMPTY:
            self.end = self.base_offset
        self._keep_aside(finding, kept_bytes, self.size_bytes)
        if self.pieces or (self.base_offset != self.files.base_offset and kept_bytes > self.start):
            self._end_piece(kept_bytes)
        else:
            self.plan.cut(self.files.base_offset, kept_bytes)
            self.epochs_of[self.files.base_offset] = self.epochs_of.get(self.base_offset, NO_RUNS)

    def _keep_aside(self, finding: RecoveryFinding, start: int, end: int) -> None:
        aside = self.plan.keep_part(self.files.log, self.files.base_offset, start, end)
        if aside is not None:
            self.plan.say_aside(finding, aside)

    def _end_piece(self, end: int) -> None:
        """Make a piece of the stretch up to a position, unless it is empty."""
        if end > self.start:
            self.pieces.append(Piece(self.base_offset, self.start, end))

    def _goes_on(self, finding: RecoveryFinding) -> bool:
        """Move to the next stretch, if any: after the one that has to be split, or of the saved part. Returns whether
        there is one."""
        if self.action is Action.SALVAGE and self.saved is None:
            self._save()
            return True
        if self.action is Action.SALVAGE:
            self._drop_rest(finding)
            return False
        if self.action is not Action.SPLIT:
            return False
        assert self.next_stretch is not None and self.frames is not None
        base_offset, start = self.next_stretch
        if start > self.start and self.valid_bytes > self.start:
            self._end_piece(self.valid_bytes)
            self.after_offset = self.end - 1
        self.base_offset, self.start = base_offset, start
        positions = self.frames.headers.position
        self.row = int(np.searchsorted(positions, start))
        if self.row == len(positions) or positions[self.row] != start:
            self.frames = None
        return True

    @cached_property
    def _ranges(self) -> list[SavedRange]:
        """The ranges of the stored log that can be saved."""
        following = None if self.following is None else self.plan.files(self.following)
        return ranges_of(self.files, following, place_unanchored=self.plan.place_unanchored)

    def _save(self) -> None:
        """Use the saved part of the log as the log, and keep aside the bytes that are not in it unchanged."""
        plan, ranges = self.plan, self._ranges
        changed = [part for part in ranges if part.outcome != "saved" or part.found is not None]
        if changed:
            plan.findings.pop()  # of the first damage, which is the first of these
        for part in changed:
            self._find_range(part)
        plan.unanchored_batches += sum(part.outcome == "unplaced" and part.is_unanchored for part in changed)
        source = plan.opened.enter_context(ByteSource(self.files.log))
        self.saved = saved_log(source, ranges)
        self.base_offset, self.after_offset = self.files.base_offset, self.after_segment
        self.start, self.frames, self.size_bytes = 0, None, self.saved.size
        self.pieces.clear()
        self.epochs_of.clear()

    def _find_range(self, part: SavedRange) -> None:
        """Add the finding of a range that is not saved unchanged."""
        frames = read_frames(self.files.log, part.position, part.end_position)
        state = self._state(EndReason.ORDER if len(frames.headers) else frames.end, self._place())
        name = file_name(self.files.base_offset, "log")
        finding = self.plan.find(name, Kind.LOG, state, f"{part.outcome}: {part.reason}", part.position)
        self._keep_aside(finding, part.position, part.end_position)

    def _drop_rest(self, finding: RecoveryFinding) -> None:
        """Keep aside the unreadable end of the saved part."""
        assert self.saved is not None
        stem = f"torn-{self.files.base_offset:020d}-saved-{self.valid_bytes}"
        aside = self.plan.keep(self.saved, self.valid_bytes, self.saved.size, self.saved, stem)
        self.plan.say_aside(finding, aside)
        self._end_piece(self.valid_bytes)

    def _find_indexes(self) -> None:
        recovered = self.look == RECOVERY or (self.look == INDEX and self.action in _CUTS) or bool(self.pieces)
        for number, (kind, index) in enumerate(self.indexes.items()):
            suffix = INDEX_SUFFIXES[number]
            state = {"condition": index.condition.value, "recovered": YES if recovered else NO, "rank": self.rank}
            finding = self.plan.find(file_name(self.files.base_offset, suffix), kind, state, index.detail)
            if self.mode is Mode.KAFKA and index.condition is IndexCondition.MISSING and kind is Kind.OFFSET_INDEX:
                recovered = True  # a broker recovers the segment then, and that rebuilds both
            if self.pieces or self.action is Action.REFUSE:
                continue
            if finding.action is Action.REBUILD or index.condition is IndexCondition.UNTRIMMED:
                assert self.verified is not None
                is_empty = self.action is Action.EMPTY
                content = b"" if is_empty else self.verified.entries[number].tobytes()
                self.plan.rebuild(self.files.base_offset, suffix, content)
            elif finding.action is Action.CREATE_EMPTY:
                self.plan.rebuild(self.files.base_offset, suffix, b"")

    def _find_transactions(self) -> None:
        path, plan = self.files.txnindex, self.plan
        if path is None:
            return
        name = file_name(self.files.base_offset, "txnindex")
        try:
            entries = read_transactions(path, self.files.base_offset)
        except DataError as error:
            self.is_loaded = True  # a broker recovers the segment then, and that rebuilds it
            plan.find(name, Kind.TRANSACTION_INDEX, {"condition": UNSOUND, "recovered": YES}, str(error))
            return
        is_beyond = entries["last_offset"].astype(np.int64) >= self.end
        condition = "beyond" if bool(is_beyond.any()) and not self.pieces else SOUND
        recovered = YES if self.is_due or self.is_loaded or self.saved is not None else NO
        finding = plan.find(name, Kind.TRANSACTION_INDEX, {"condition": condition, "recovered": recovered})
        if finding.action is Action.TRUNCATE:
            kept = entries[: int(is_beyond.argmax())].tobytes()
            plan.steps.append(lambda: plan.storage.write_atomically(plan.folder / name, kept))
