"""The segments of one partition's folder, and what is known of them: Kafka's LocalLog.

Rules:

* A checkpoint that would be too high after a crash is written before the cut, or the roll, that makes it so.
* The recovery point moves only past what was synced with its indexes.
* A tiered log is known by its entry in `log-start-offset-checkpoint`, below the first segment that is here: a broker
  copied the segments between to the remote storage, finds the log's start in that entry alone, and the epochs of those
  segments in `leader-epoch-checkpoint` alone. So an entry that was there stays, and says where the log starts. No file
  records which local segments were copied; the last never is.

Not thread-safe, and it does not track errors: the `Log` that owns it holds the lock, and lets nothing be written after
a failure.
"""

from __future__ import annotations

import os
import random
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from kformat.errors import RemoteOffsetError, UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.files.file_kinds import file_name, parse_folder_name
from kformat.kafka.index.lookup import (
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    Answer,
    find_timestamp,
)
from kformat.kafka.log.fetched import Fetched, LocalTimestampOffset, TimestampOffset
from kformat.kafka.log.partition import open_partition
from kformat.kafka.producers.producer_state import AbortedTransaction, build_aborted
from kformat_engine.batching import Plain, Prepared, described, together
from kformat_engine.config import LogConfig
from kformat_engine.epochs import EpochCache
from kformat_engine.errors import RollError, TieredLogError
from kformat_engine.producer_snapshots import SNAPSHOT_SUFFIX, Producers, SegmentStretch
from kformat_engine.recovery.opening import Approve, examine_segment, recover_folder
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.sidecars import EPOCHS_FILE
from kformat_engine.root import Root
from kformat_engine.scheduler import Task
from kformat_engine.segment import CLEANED_SUFFIX, DELETED_SUFFIX, SWAP_SUFFIX, LogSegment, RollReason, free_entries
from kformat_engine.segments import LogSegments
from kformat_engine.storage import Clock, File, Storage

LATEST_TIERED_TIMESTAMP: Final = -5
_OPEN_SEALED_SEGMENTS: Final = 64
"""Of how many sealed segments the indexes stay mapped; descriptors are limited by `storage`."""
_WRITTEN_TOGETHER: Final = 64
"""Most appends that are written as one."""


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """One segment, as `Log.segments` tells it; ``end_offset`` is exclusive; sizes are bytes, times ms."""

    base_offset: int
    end_offset: int
    size_bytes: int
    offset_entry_count: int
    time_entry_count: int
    largest_timestamp: int
    is_active: bool
    path: Path


class Compacting(Protocol):
    """A compaction that is going on in a thread, and the segment that it is writing, if there is one."""

    dest: LogSegment | None
    thread: threading.Thread


def check_no_folders(path: Path) -> None:
    """UsageError for a partition's folder that has folders in it: they are not the log's, which is to be deleted."""
    others = [entry.name for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
    if others:
        raise UsageError(f"{path} has folders in it, such as {others[0]!r}; move them away")


def collect_aborted(
    entries: Sequence[AbortedTransaction], offset: int, end_offset: int
) -> tuple[list[AbortedTransaction], bool]:
    """Those of a `.txnindex` that have records from ``offset`` to ``end_offset``, exclusive, and whether later segments
    have none (TransactionIndex.collectAbortedTxns)."""
    found = []
    for one in entries:
        if one.last_offset >= offset and one.first_offset < end_offset:
            found.append(one)
        if one.last_stable_offset >= end_offset:
            return found, True
    return found, False


class LocalLog:
    """An open folder; see `load`.

    Attributes:
        config: see `Log`.
        segments: of which the last one is `active`. epochs: of leaders, as far as they are known.
        leader_epoch: the latest, or what appended batches are stamped with.
        start_offset, log_start_offset: the first is above the second where a broker has tiered the log.
        end_offset: of the next record.
        recovery_point, synced_offset: below them all, or all but indexes, is on disk.
        is_changing: a change began; the caller says when it has come to its end.
        cut_count: how many cuts there were. swap_count: how many times compaction replaced segments.
        cleaning: the compaction that is going on; None where there is none, or where it was ended from outside.
        producers: what is known of idempotent and transactional producers.
    """

    def __init__(
        self,
        path: Path,
        config: LogConfig,
        root: Root,
        *,
        clock: Clock,
        storage: Storage,
        chance: random.Random,
        later: Callable[[str, Callable[[], None], int], Task],
        on_roll: Callable[[int], object],
    ) -> None:
        """``later`` takes work to be done in the background, with a name and a delay in ms; ``on_roll`` the base offset
        of a segment that was begun."""
        name = parse_folder_name(path.name)
        assert name is not None
        self.path, self.topic, self.partition = path, name.topic, name.partition
        self.config, self.root = config, root
        self._clock, self._storage, self._chance, self._later, self._on_roll = clock, storage, chance, later, on_roll
        self.segments: LogSegments[LogSegment] = LogSegments()
        self.epochs = EpochCache()
        self.leader_epoch = 0
        self.start_offset = self.end_offset = self.recovery_point = self._synced_offset = 0
        self.log_start_offset = 0
        self._start_entry: int | None = None
        self._loaded_start = 0
        # Below the log's end where a truncation cut a batch that began earlier: what opening the files would find.
        self._stored_end = 0
        self._names_synced = False
        self.is_changing = False
        self.cut_count = self.swap_count = 0
        self.cleaning: Compacting | None = None
        self._retired: dict[Path, Task] = {}
        self._opened: OrderedDict[int, LogSegment] = OrderedDict()
        self._unread: set[int] = set()
        self.producers: Producers

    def load(
        self, mode: str, approve: Approve | None = None, *, place_unanchored: bool = False, is_lazy: bool = False
    ) -> RecoveryReport:
        """Recover the folder, and take over what it holds. Raises as `recover_folder`, which has the arguments."""
        said = self.root.said(self.topic, self.partition)
        start_entry = said.log_start_offset
        has_remote = start_entry is not None and self.path.is_dir() and bool(open_partition(self.path).remote_offsets)
        found = recover_folder(
            self.path,
            self.config,
            **said._asdict(),
            epochs=self.epochs,
            mode=mode,
            place_unanchored=place_unanchored,
            is_lazy=is_lazy,
            approve=approve,
            clock=self._clock,
            storage=self._storage,
            chance=self._chance,
        )
        self.config = found.config
        self._unread = set(found.unread)
        for segment in found.segments:
            segment.before_open = self._prepare
        self.segments = LogSegments(found.segments)
        self.start_offset, self.end_offset = found.local_log_start_offset, found.next_offset
        # An entry below the first segment that is not a tiered log's was left there by a kill.
        self.log_start_offset = found.log_start_offset if has_remote else found.local_log_start_offset
        self._was_tiered = has_remote
        self._start_entry, self._loaded_start = start_entry, self.log_start_offset
        self._stored_end = found.next_offset
        self.recovery_point = self._synced_offset = found.recovery_point
        self.producers = found.producers
        for segment in found.segments[:-1]:
            segment.seal()
            segment.release()
        told = (
            self.root.high_watermark(self.topic, self.partition),
            self.root.recovery_point(self.topic, self.partition),
        )
        if max(offset or 0 for offset in told) > self.end_offset:
            self.checkpoint()  # a crash, or a cut inside of a batch, took what they spoke of
        self.leader_epoch = max(0, self.epochs.latest_epoch)
        return found.report

    @property
    def synced_offset(self) -> int:
        return max(self._synced_offset, self.recovery_point)

    @property
    def active(self) -> LogSegment:
        return self.segments.active

    def infos(self) -> tuple[SegmentInfo, ...]:
        """The segments in the order of their base offsets."""
        found = list(self.segments)
        ends = [segment.base_offset for segment in found[1:]] + [self.end_offset]
        return tuple(self._info(segment, end) for segment, end in zip(found, ends, strict=True))

    def _info(self, segment: LogSegment, end_offset: int) -> SegmentInfo:
        self.touch(segment)
        return SegmentInfo(
            segment.base_offset,
            end_offset,
            segment.size,
            segment.offset_index.entry_count,
            segment.time_index.entry_count,
            segment.largest_timestamp,
            segment is self.active,
            segment.log_path,
        )

    # Appending

    def append(self, prepared: Sequence[Prepared]) -> None:
        """Write what is ready, rolling where that is due. Raises OSError and RollError."""
        self.is_changing = True
        at = 0
        while at < len(prepared):
            some = prepared
            if at or len(some) > _WRITTEN_TOGETHER:
                some = prepared[at : at + _WRITTEN_TOGETHER]
            count = self._count_together(some)
            if count < len(some):
                some = some[:count]
            one = some if isinstance(some, Plain) else some[0] if count == 1 else together(some)
            self._assign_epochs(one)
            segment = self._segment_for(one)
            segment.append(one.data, one.batches)
            self.end_offset = self._stored_end = one.batches[-1].last_offset + 1
            if not isinstance(some, Plain) and any(batch.producer_id >= 0 for batch in one.batches):
                for each in some:
                    if each.producers and (aborted := self.producers.append(each.producers)):
                        try:
                            segment.transactions.append(build_aborted(aborted))
                        except BaseException:  # readers of committed data would not know that they are aborted
                            self.producers.state.reopen(aborted)
                            raise
            self.producers.state.map_end_offset = self.end_offset
            at += count

    def offset_of_sequence(self, producer_id: int, sequence: int) -> int | None:
        """The offset of a producer's record that has that sequence number; None where it is not in the log.

        Read are the headers of the log from its end on, unless it is in one of the producer's last batches.
        """
        entry = self.producers.state.entries.get(producer_id)
        for batch in () if entry is None else entry.batches:
            delta = (sequence - batch.first_sequence) & MAX_INT32
            if delta <= batch.offset_delta:
                return batch.first_offset + delta
        for stretch in reversed(self._stretches()):
            if (found := stretch.offset_of_sequence(producer_id, sequence)) is not None:
                return found if found >= self.start_offset else None
        return None

    @property
    def last_stable_offset(self) -> int:
        """See `Log.last_stable_offset`."""
        first = self.producers.state.first_unstable_offset
        return self.end_offset if first is None else max(first, self.log_start_offset)

    def read(
        self, offset: int, end_offset: int, max_bytes: int, *, min_one_batch: bool, copy: bool, with_aborted: bool
    ) -> Fetched:
        """Stored batches from the one that holds ``offset`` on, below ``end_offset``, which begins a batch or ends the
        log; of one segment. See `Log.read`."""
        segment = self.segments.floor(offset)
        while segment is not None and offset < end_offset:
            self.touch(segment)
            following = self.segments.higher(segment.base_offset)
            max_position = None
            if end_offset < self.end_offset and (following is None or following.base_offset > end_offset):
                found_end = segment.translate_offset(end_offset)
                max_position = None if found_end is None else found_end.position
            found = segment.read(offset, max_bytes, max_position=max_position, min_one_batch=min_one_batch, copy=copy)
            if found is not None:
                if with_aborted:
                    aborted = self._aborted_in(segment, offset, found.end[1])
                    found = replace(found, aborted_transactions=aborted)
                return found
            segment = following
        active = self.active
        return Fetched(
            *(offset, active.base_offset, str(active.log_path), active.size, b""),
            aborted_transactions=() if with_aborted else None,
        )

    def _aborted_in(self, segment: LogSegment, offset: int, end_offset: int) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that have records from ``offset``, which is in a segment, to ``end_offset``,
        exclusive (TransactionIndex.collectAbortedTxns)."""
        found: list[AbortedTransaction] = []
        for one in self.segments.values(segment.base_offset, self.end_offset + 1):
            some, is_complete = collect_aborted(one.transactions.entries(), offset, end_offset)
            found += some
            if is_complete:
                break
        return tuple(found)

    def _stretches(self) -> list[SegmentStretch]:
        return [SegmentStretch(one.base_offset, one.log_path, 0, one.size) for one in self.segments]

    def _count_together(self, prepared: Sequence[Prepared]) -> int:
        """How many appends can be written as one, with the same files at the end as one after the other."""
        count = len(prepared)
        if count == 1:
            return 1
        active = self.active
        # Older writers look once per append whether an index entry is due; an empty segment's age is its first batch's.
        if self.config.writer_profile != "per-batch" or not active.size:
            return 1
        count = min(count, free_entries(active.offset_index), free_entries(active.time_index))
        while count > 1:
            batches = described(prepared[:count])
            largest, size = max(batch.max_timestamp for batch in batches), sum(batch.size for batch in batches)
            if active.roll_reason(largest, batches[-1].last_offset, size) is None:
                return count
            count //= 2
        return 1

    def _assign_epochs(self, prepared: Prepared | Plain) -> None:
        changed, epoch = False, None
        for batch in prepared.batches:
            if batch.leader_epoch == epoch and batch.magic >= CURRENT_MAGIC:
                continue  # it begins with an earlier batch
            epoch = batch.leader_epoch
            if batch.magic < CURRENT_MAGIC:
                # As Kafka: after entries that name no epoch, followers get nothing rather than too little.
                changed = self.epochs.clear() or changed
            elif batch.leader_epoch >= 0:
                changed = self.epochs.assign(batch.leader_epoch, batch.base_offset) or changed
                # What another leader wrote is not followed by records of an earlier epoch, also after it was followed.
                self.leader_epoch = max(self.leader_epoch, batch.leader_epoch)
        if changed:
            self._save_epochs()

    def _save_epochs(self) -> None:
        self.epochs.save(self._storage, self.path / EPOCHS_FILE)

    def _segment_for(self, prepared: Prepared | Plain) -> LogSegment:
        first, last = prepared.batches[0], prepared.batches[-1]
        largest = last.max_timestamp if first is last else max(batch.max_timestamp for batch in prepared.batches)
        active = self.active
        reason = active.roll_reason(largest, last.last_offset, len(prepared.data))
        if reason is None:
            return active
        # Entries of magic 0 and 1 do not say their first offset: the new segment begins as low as it can, as Kafka's.
        lowest = first.base_offset if first.magic >= CURRENT_MAGIC else last.last_offset - MAX_INT32
        return self.roll(lowest, reason)

    # Durability

    def unsynced(self, offset: int) -> list[LogSegment]:
        """The segments that hold something from ``offset`` on."""
        floor = self.segments.floor(offset)
        return list(self.segments.values(floor.base_offset if floor is not None else 0, self.end_offset + 1))

    def sync_log(self) -> None:
        """Bring the records to the disk, and the names of their files."""
        if self.synced_offset < self.end_offset:
            for segment in self.unsynced(self.synced_offset):
                segment.sync_log()
        self.sync_names()
        self._synced_offset = self.end_offset

    def flush(self) -> None:
        """Bring the records, their indexes and the names of their files to the disk."""
        end = self.end_offset
        if self.recovery_point < end:
            for segment in self.unsynced(self.recovery_point):
                segment.sync()
        self.producers.sync()
        self.sync_names()
        self.recovery_point = self._synced_offset = end

    def sync_names(self) -> None:
        """Bring the names of files to the disk."""
        if not self._names_synced:
            self._storage.sync_directory(self.path)
            self._names_synced = True

    def checkpoint(self) -> None:
        """Tell the root where this log starts, how far it is on disk, and where its files end; it writes that."""
        self.note_offsets()
        self.root.checkpoint()

    def note_offsets(self) -> None:
        """Tell the root where this log starts, how far it is on disk, and where its files end."""
        first = self.segments.first
        starts_inside = first is not None and self.start_offset > first.base_offset
        # An entry that was there may be a tiered log's, for which a broker does not look where the first segment is.
        start = self.log_start_offset if starts_inside or self._start_entry is not None else None
        if self._start_entry is not None and self.log_start_offset == self._loaded_start:
            start = self._start_entry
        self.root.set_log_start_offset(self.topic, self.partition, start)
        point = min(self.recovery_point, self._stored_end)
        self.root.set_recovery_point(self.topic, self.partition, point)
        self.root.set_high_watermark(self.topic, self.partition, self._stored_end)

    def files_to_copy(self) -> dict[str, int | None]:
        """See `Log.files_to_copy`."""
        files: dict[str, int | None] = {}
        for segment in self.segments:
            files[segment.name] = segment.size
            if segment.is_sealed:
                paths = map(segment.path_of, ("index", "timeindex", "txnindex"))
                files |= dict.fromkeys(path.name for path in paths if path.exists())
        return files

    # Rolling

    def roll(self, expected_offset: int | None, reason: RollReason | None) -> LogSegment:
        """Begin a new segment at the log's end, or above it; RollError where there cannot be one."""
        base_offset = max(expected_offset or 0, self.end_offset)
        active = self.active
        if base_offset in self.segments:
            if base_offset != active.base_offset or active.size:
                raise RollError(f"{self.path}: there is a segment {base_offset} already, and it is not empty")
            # An index can be full although the segment is empty: begin it again.
            self._retire([active], with_snapshots=False)
        elif base_offset < active.base_offset:
            raise RollError(f"{self.path}: a new segment {base_offset} would lie below the active one, {active.name}")
        else:
            self.is_changing = True
            for suffix in ("log", "index", "timeindex", "txnindex"):
                self._storage.unlink(self.path / file_name(base_offset, suffix))
            if self.recovery_point > active.base_offset:
                # The indexes get their last entry and length now, after they were synced. Recovery has to look at them.
                self._synced_offset, self.recovery_point = self.synced_offset, active.base_offset
                self.checkpoint()
            active.on_become_inactive()
            self.touch(active)
        segment = self._new_segment(base_offset)
        self.end_offset = self._stored_end = base_offset
        self.producers.rolled(base_offset)
        self._on_roll(base_offset)
        return segment

    def _new_segment(self, base_offset: int) -> LogSegment:
        segment = LogSegment.open(
            self.path, base_offset, self.config, clock=self._clock, storage=self._storage, chance=self._chance
        )
        segment.before_open = self._prepare
        self.segments.add(segment)
        self._names_synced = False
        return segment

    def _prepare(self, segment: LogSegment) -> None:
        """Before a file of a sealed segment is opened: see to it that its indexes can be trusted. DamagedLogError."""
        if segment.base_offset in self._unread:
            following = self.segments.higher(segment.base_offset)
            end = self.end_offset if following is None else following.base_offset
            examine_segment(self.path, segment.base_offset, end, self.config, self._storage)
            self._unread.discard(segment.base_offset)
        self.touch(segment)

    def touch(self, segment: LogSegment) -> None:
        """Remember that a sealed segment's files are open, and close those of the one that was used least lately."""
        if segment.is_sealed:
            self._opened[segment.base_offset] = segment
            self._opened.move_to_end(segment.base_offset)
            if len(self._opened) > _OPEN_SEALED_SEGMENTS:
                _, oldest = self._opened.popitem(last=False)
                if oldest.is_sealed:
                    oldest.release()

    # Lookup by timestamp

    def offset_for_timestamp(self, timestamp_ms: int, explain: bool) -> TimestampOffset | Answer | None:
        """See `Log.offset_for_timestamp`."""
        remote = range(self.log_start_offset, self.start_offset)
        if remote and timestamp_ms == LATEST_TIERED_TIMESTAMP:
            raise UsageError(f"{self.path}: {self.remote()}; a broker knows how far it has copied them")
        if explain:
            return find_timestamp(
                list(self.segments),
                timestamp_ms,
                log_start_offset=self.start_offset,
                remote_offsets=remote,
                epochs=self.epochs.entries,
            )
        match timestamp_ms:
            case _ if timestamp_ms >= 0:
                found = self._first_from(timestamp_ms)
                if not remote:
                    return found
                if found is None:
                    raise RemoteOffsetError(None, remote.start, remote.stop, source=str(self.path))
                return LocalTimestampOffset(*found)
            case _ if timestamp_ms == LATEST_TIMESTAMP:
                epoch = self.epochs.latest_epoch
                return TimestampOffset(-1, self.end_offset, epoch if epoch >= 0 else None)
            case _ if timestamp_ms in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
                is_local = timestamp_ms == EARLIEST_LOCAL_TIMESTAMP
                start = self.start_offset if is_local else self.log_start_offset
                epoch = self.epochs.epoch_for_offset(start)
                return TimestampOffset(-1, start, epoch if epoch >= 0 else None)
            case _ if timestamp_ms == MAX_TIMESTAMP:
                return self._find_max_timestamp()
            case _ if timestamp_ms == LATEST_TIERED_TIMESTAMP:
                return TimestampOffset(-1, -1, -1)
        raise UsageError(f"{timestamp_ms} is not a timestamp; -1 is latest, -2 earliest, -3 the largest timestamp")

    def _first_from(self, timestamp_ms: int) -> TimestampOffset | None:
        for segment in self.segments:
            self.touch(segment)
            if segment.largest_timestamp >= timestamp_ms:
                return segment.find_offset_by_timestamp(timestamp_ms, self.start_offset)
        return None

    def _find_max_timestamp(self) -> TimestampOffset | None:
        best: LogSegment | None = None
        for segment in self.segments:
            self.touch(segment)
            if best is None or segment.max_timestamp_so_far > best.max_timestamp_so_far:
                best = segment
        return None if best is None else best.find_max_timestamp()

    # Retention and truncation

    def delete_segments(self, found: Sequence[LogSegment]) -> None:
        """Delete the log's first segments; where these are all, a new one is begun."""
        self.abort_cleaning()
        if len(found) == len(self.segments):
            self.roll(None, None)
        self.is_changing = True
        remaining = self.segments.higher(found[-1].base_offset)
        if remaining is not None:
            self._raise_start(remaining.base_offset)
        self.checkpoint()
        self._retire(found)
        self.sync_names()  # before a checkpoint may say that the log starts where its first segment does

    @property
    def is_tiered(self) -> bool:
        """Whether there is, or was since the log was opened, something in the remote storage, as far as it can be
        known."""
        return self._was_tiered or self.log_start_offset < self.start_offset

    def remote(self) -> str:
        """What is remote, for messages."""
        if self.log_start_offset == self.start_offset:
            return "the log is tiered"
        return f"the offsets {self.log_start_offset} to {self.start_offset} (exclusive) are in the remote storage"

    def _raise_start(self, offset: int) -> None:
        if offset > self.log_start_offset:
            # Kafka moves the recovery point along. Here it stays: the start may lie inside of a segment that was not
            # synced, and what a crash leaves of it would look like damage to what had been.
            self.log_start_offset, self.start_offset = offset, max(self.start_offset, offset)
            if self.epochs.truncate_from_start(offset):
                self._save_epochs()
            self.producers.start_raised(self.log_start_offset)

    def delete_before(self, offset: int) -> None:
        """Move the log's start up to ``offset``, and delete the segments below."""
        self.is_changing = True
        self._raise_start(offset)
        self.checkpoint()
        gone = [
            segment
            for segment in self.segments
            if (following := self.segments.higher(segment.base_offset)) is not None and following.base_offset <= offset
        ]
        if gone:
            self.delete_segments(gone)

    def truncate_to(self, offset: int) -> None:
        """Cut the log so that ``offset``, which is below its end, is the next one. Raises as `Log.truncate_to`."""
        self._check_not_copied(offset)
        first = self.segments.first
        if first is not None and first.base_offset > offset:
            self._start_over(offset)
            return
        target = self.segments.floor(offset)
        assert target is not None
        target.records.check_unused()
        if offset > target.base_offset:
            target.translate_offset(offset)  # DataError while nothing is cut
        self.root.lower_cleaner_offset(self.topic, self.partition, target.base_offset)
        self._lower(offset, target.base_offset)
        behind = list(self.segments.higher_segments(target.base_offset))
        self.end_offset = offset
        if behind:
            self._cut_off(behind)
        target.truncate_to(offset)
        target.sync_log()  # as for the names: bytes that came back would lie among new records
        self._stored_end = target.next_offset()
        self._opened.pop(target.base_offset, None)
        if self.epochs.truncate_from_end(offset):
            self._save_epochs()
        self._rebuild_producers()

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Delete all segments and begin again at ``offset``. Raises as `Log.truncate_to`."""
        self._check_not_copied(offset)
        self._start_over(offset)

    def _check_not_copied(self, offset: int) -> None:
        if self.is_tiered and offset < self.active.base_offset:
            raise TieredLogError(
                f"{self.path}: cannot cut at offset {offset}: {self.remote()}, and what lies before the last segment,"
                f" which begins at {self.active.base_offset}, may be there, too"
            )

    def _start_over(self, offset: int) -> None:
        self.root.lower_cleaner_offset(self.topic, self.partition, offset)
        self._lower(min(offset, self.end_offset), min(offset, self.segments.base_offsets[0]))
        # A crash on the way leaves a log without segments, which begins there, and gives no offset a second time.
        self.root.set_log_start_offset(self.topic, self.partition, offset)
        self.root.checkpoint()
        self._cut_off(list(self.segments))
        self._new_segment(offset)
        self.sync_names()
        self.log_start_offset = self.start_offset = self.end_offset = self._stored_end = offset
        self.recovery_point = self._synced_offset = offset
        if self.epochs.clear():
            self._save_epochs()
        self.producers.start_over(offset)
        self._rebuild_producers()
        self.checkpoint()

    def _lower(self, offset: int, stored_end: int) -> None:
        """Before a cut at ``offset``, of which a crash may leave any part done, but nothing below ``stored_end``."""
        self.is_changing = True
        self.abort_cleaning()
        self.cut_count += 1
        self.start_offset = min(self.start_offset, offset)
        self.log_start_offset = min(self.log_start_offset, offset)
        self.recovery_point = min(self.recovery_point, stored_end)
        self._synced_offset = min(self._synced_offset, stored_end)
        self._stored_end = min(self._stored_end, stored_end)
        self.checkpoint()

    def _cut_off(self, segments: Sequence[LogSegment]) -> None:
        """Take the log's last segments out of it, so that a crash on the way leaves no hole.

        The last one goes first. Their new names are on disk before anything is appended in their place: an old segment
        that came back would lie among new records.
        """
        self._retire(segments[::-1])
        self.sync_names()

    def _rebuild_producers(self) -> None:
        """After a cut: bring the producers' state to the log's end."""
        self.producers.rebuild(self._stretches(), self.log_start_offset, self.end_offset)

    def _retire(self, segments: Sequence[LogSegment], *, with_snapshots: bool = True) -> None:
        """Take segments out of the log: their files end in `.deleted` now, and go after file.delete.delay.ms."""
        self.is_changing = True
        self._names_synced = False  # before the recovery point moves past them: they were perhaps never synced
        for segment in segments:
            self.segments.remove(segment.base_offset)
            self._unread.discard(segment.base_offset)
            self._opened.pop(segment.base_offset, None)
            segment.release()
            segment.change_suffix(DELETED_SUFFIX)
            if with_snapshots and self.producers.forget(segment.base_offset):
                snapshot = self.path / file_name(segment.base_offset, SNAPSHOT_SUFFIX)
                if snapshot.exists():
                    self._storage.rename(snapshot, snapshot.with_name(snapshot.name + DELETED_SUFFIX))
            key = segment.log_path
            if key in self._retired:  # the same base offset was retired before, and its files are replaced by these
                self._retired.pop(key).cancel()
            self._retired[key] = self._later(
                "delete-file", self._removal(key, segment), self.config.file_delete_delay_ms
            )

    def _removal(self, key: Path, segment: LogSegment) -> Callable[[], None]:
        def remove() -> None:
            if self._retired.pop(key, None) is not None:
                segment.delete()
                self._storage.unlink(self._retired_snapshot(key))

        return remove

    @staticmethod
    def _retired_snapshot(log: Path) -> Path:
        """The snapshot of a segment that was taken out of the log, by the name of its `.log` then."""
        return log.with_name(f"{log.name.split('.')[0]}.{SNAPSHOT_SUFFIX}{DELETED_SUFFIX}")

    # Compaction

    def abort_cleaning(self) -> None:
        """End the compaction that is going on, if one is, and remove what it has written (abortCleaning)."""
        cleaning, self.cleaning = self.cleaning, None
        if cleaning is not None and cleaning.dest is not None:
            cleaning.dest.delete()

    def begin_cleaned(self, base_offset: int) -> LogSegment:
        """A new, empty segment that is not in the log, in files that end in `.cleaned` (createNewCleanedSegment)."""
        for suffix in ("log", "index", "timeindex", "txnindex"):
            self._storage.unlink(self.path / (file_name(base_offset, suffix) + CLEANED_SUFFIX))
        return LogSegment.open(
            self.path,
            base_offset,
            self.config,
            clock=self._clock,
            storage=self._storage,
            chance=self._chance,
            suffix=CLEANED_SUFFIX,
        )

    def open_to_clean(self, segment: LogSegment) -> File:
        """The `.log` of a sealed segment, opened once more to be read without the log's lock."""
        self._prepare(segment)
        return self._storage.open(segment.log_path, writable=False)

    def next_offset_of(self, segment: LogSegment) -> int:
        """The offset after the last one in a sealed segment."""
        self.touch(segment)
        return segment.next_offset()

    def set_cleaner_offset(self, offset: int) -> None:
        """Say up to which offset, exclusive, the log is compacted."""
        self.root.set_cleaner_offset(self.topic, self.partition, offset)
        self.root.checkpoint()

    def replace_segments(self, new: LogSegment, old: Sequence[LogSegment]) -> None:
        """Put a segment that `begin_cleaned` gave, and that was synced, in the place of consecutive ones
        (replaceSegments). A crash leaves the old ones, or files from which opening the log makes the new one.
        """
        self.is_changing = True
        self._storage.sync_directory(self.path)  # a `.swap` without its index would be taken for whole
        new.change_suffix(SWAP_SUFFIX)
        self._storage.sync_directory(self.path)
        self._retire(old[:1], with_snapshots=False)  # its snapshot is that of the new one, too
        self._retire(old[1:])
        self._storage.sync_directory(self.path)  # an old one that came back would lie after the new one
        new.change_suffix("")
        self.segments.add(new)
        self.swap_count += 1
        self.sync_names()
        new.before_open = self._prepare
        new.release()

    # Closing

    def finish(self) -> None:
        """Bring everything to the disk, cut indexes to what they hold, and checkpoint."""
        self.is_changing = True
        self.abort_cleaning()
        for key, task in list(self._retired.items()):
            task.cancel()
            for suffix in ("log", "index", "timeindex", "txnindex", SNAPSHOT_SUFFIX):
                self._storage.unlink(key.with_name(f"{key.name.split('.')[0]}.{suffix}{DELETED_SUFFIX}"))
        self._retired.clear()
        if self._stored_end < self.end_offset:
            self.roll(None, None)  # so that the log, when it is opened again, goes on where it ended
        self.producers.take_snapshot()
        self.active.make_indexes()  # a segment without its indexes counts as damaged when it is opened again
        self.active.finish()
        self.recovery_point = min(self.recovery_point, max(self.active.base_offset, self.start_offset))
        for segment in self.unsynced(self.recovery_point):
            segment.sync()
        self._names_synced = False
        self.sync_names()
        self.recovery_point = self._synced_offset = self.end_offset
        self.checkpoint()

    def delete(self) -> None:
        """See `Log.delete`."""
        check_no_folders(self.path)
        self.is_changing = True
        self.abort_cleaning()
        self.recovery_point = self._synced_offset = 0
        self.checkpoint()
        for segment in reversed(list(self.segments)):
            segment.delete()
        for path in list(self.path.iterdir()):
            self._storage.unlink(path)
        self._storage.remove_directory(self.path)
        self.root.forget(self.topic, self.partition)
        self.root.checkpoint()

    def release(self) -> None:
        """Let go of the files, as they are."""
        if self.cleaning is not None and self.cleaning.dest is not None:
            self.cleaning.dest.release()
        self.cleaning = None
        for task in self._retired.values():
            task.cancel()
        for segment in self.segments:
            segment.release()
