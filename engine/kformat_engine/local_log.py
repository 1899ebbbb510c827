"""The segments of one partition's folder, and their state: Kafka's LocalLog.

Rules:

* A checkpoint that would be too high after a crash is written before the cut, or the roll, that makes it so.
* The recovery point never passes a record that was not synced with its index entries.

Offsets and tiered logs: `offsets`; reading and lookup: `log_search`.

Not thread-safe, and it does not track errors: the `Log` that owns it holds the lock, and refuses writes after failures.
"""

from __future__ import annotations

import logging
import os
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from kformat.errors import UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.files.file_kinds import file_name, parse_folder_name
from kformat.kafka.log.partition import open_partition
from kformat.kafka.producers.producer_state import build_aborted
from kformat_engine.batching import Plain, Prepared, described, has_producer, together
from kformat_engine.config import LogConfig
from kformat_engine.epochs import EpochCache
from kformat_engine.errors import RollError, TieredLogError
from kformat_engine.log_metrics import LogCounts
from kformat_engine.log_search import LogSearch
from kformat_engine.producer_snapshots import SNAPSHOT_SUFFIX, Producers, SegmentStretch, offset_of_sequence
from kformat_engine.recovery.opening import Approve, recover_folder
from kformat_engine.recovery.report import RecoveryReport
from kformat_engine.recovery.sidecars import EPOCHS_FILE
from kformat_engine.root import LogOffsets, Root
from kformat_engine.scheduler import Task
from kformat_engine.sealed_segments import DeletedSegments, SealedSegments
from kformat_engine.segment import CLEANED_SUFFIX, DELETED_SUFFIX, SWAP_SUFFIX, LogSegment, RollReason, free_entries
from kformat_engine.segments import LogSegments
from kformat_engine.storage import Clock, File, Storage

LOG: Final = logging.getLogger(__name__)
_WRITTEN_TOGETHER: Final = 64
"""The most appends that are written as one."""


class Compacting(Protocol):
    """A compaction that runs in a thread, and the segment that it is writing, if any."""

    dest: LogSegment | None
    thread: threading.Thread


def check_no_folders(path: Path) -> None:
    """Raise UsageError if a partition's folder has folders in it: they are not the log's, which will be deleted."""
    others = [entry.name for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
    if others:
        raise UsageError(f"{path} has folders in it, such as {others[0]!r}; move them away")


class LocalLog:
    """An open partition folder; see `load`.

    Attributes:
        config: see `Log`.
        segments: all segments; the last one is `active`. epochs: the known leader epochs.
        leader_epoch: the latest, or the one that appended batches get.
        offsets: the log's start and end, and its recovery point. search: lookups in the segments.
        sealed: the segments that are not appended to.
        is_changing: a change has begun; the caller resets it when the change is complete.
        cut_count: the number of cuts. swap_count: how many times compaction replaced segments.
        counts: what was done since it was opened.
        cleaning: the running compaction; None if there is none, or if it was aborted.
        producers: the state of idempotent and transactional producers.
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
        """``later`` schedules background work, with a name and a delay in ms; ``on_roll`` gets the base offset of each
        new segment."""
        name = parse_folder_name(path.name)
        assert name is not None
        self.path, self.topic, self.partition = path, name.topic, name.partition
        self.offsets = LogOffsets(root, name.topic, name.partition)
        self.config, self.root = config, root
        self._clock, self._storage, self._chance, self._on_roll = clock, storage, chance, on_roll
        self.segments: LogSegments[LogSegment] = LogSegments()
        self.epochs = EpochCache()
        self._appended_epoch: int | None = None
        """The epoch of the last batch, if nothing was cut since it was appended."""
        self.leader_epoch = 0
        self._names_synced = False
        self.is_changing = False
        self.cut_count = self.swap_count = 0
        self.counts = LogCounts()
        self.cleaning: Compacting | None = None
        self._deleted = DeletedSegments(storage, later)
        self.sealed: SealedSegments
        self.search: LogSearch
        self.producers: Producers

    def load(
        self, mode: str, approve: Approve | None = None, *, place_unanchored: bool = False, is_lazy: bool = False
    ) -> RecoveryReport:
        """Recover the folder, and load its state. Arguments and errors are those of `recover_folder`."""
        checkpointed = self.root.said(self.topic, self.partition)
        is_tiered = checkpointed.log_start_offset is not None and self.path.is_dir()
        has_remote = is_tiered and bool(open_partition(self.path).remote_offsets)
        loaded = recover_folder(
            self.path,
            self.config,
            **checkpointed._asdict(),
            epochs=self.epochs,
            mode=mode,
            place_unanchored=place_unanchored,
            is_lazy=is_lazy,
            approve=approve,
            clock=self._clock,
            storage=self._storage,
            chance=self._chance,
        )
        self.config = loaded.config
        self.segments = LogSegments(loaded.segments)
        self.sealed = SealedSegments(self.segments, self.offsets, self.config, self._storage, loaded.unread)
        self.search = LogSearch(self.path, self.segments, self.offsets, self.sealed, self.epochs)
        for segment in loaded.segments:
            segment.before_open = self.sealed.prepare
        self.offsets.load(
            *(loaded.log_start_offset, loaded.local_log_start_offset, loaded.next_offset, loaded.recovery_point),
            has_remote=has_remote,
        )
        self.producers = loaded.producers
        for segment in loaded.segments[:-1]:
            segment.seal()
            segment.release()
        if self.offsets.is_below_checkpoint:
            self.checkpoint()  # a crash, or a cut inside of a batch, made them too high
        self.leader_epoch = max(0, self.epochs.latest_epoch)
        return loaded.report

    @property
    def active(self) -> LogSegment:
        return self.segments.last or self.segments.active

    # Appending

    def append(self, prepared: Sequence[Prepared]) -> None:
        """Write prepared appends, and roll if due. Raises OSError and RollError."""
        self.is_changing = True
        at = 0
        while at < len(prepared):
            group = prepared
            if at or len(group) > _WRITTEN_TOGETHER:
                group = prepared[at : at + _WRITTEN_TOGETHER]
            count = self._count_together(group)
            if count < len(group):
                group = group[:count]
            joined = group if type(group) is Plain else group[0] if count == 1 else together(group)
            self._assign_epochs(joined)
            segment = self._segment_for(joined)
            batches = joined.batches
            segment.append(joined.data, batches)
            self.counts.appended(len(batches), len(joined.data))
            self.offsets.append_to(batches[-1].last_offset + 1)
            if type(group) is not Plain and has_producer(batches):
                for part in group:
                    if part.producers and (aborted := self.producers.append(part.producers)):
                        try:
                            segment.transactions.append(build_aborted(aborted))
                        except BaseException:  # without the entry, readers of committed data would see its records
                            self.producers.state.reopen(aborted)
                            raise
            self.producers.state.map_end_offset = self.offsets.end_offset
            at += count

    def fits(self, append: Prepared) -> bool:
        """Whether an append is one batch of the present epoch, without a producer, for which the log need not roll."""
        batch = append.batches[0]
        if len(append.batches) > 1 or batch.leader_epoch != self._appended_epoch or batch.producer_id >= 0:
            return False
        return self.active.roll_reason(batch.max_timestamp, batch.last_offset, batch.size) is None

    def append_fitting(self, append: Prepared) -> int:
        """`append` of what `fits`; returns its offset. Raises OSError."""
        self.is_changing = True
        self.active.append(append.data, append.batches)
        self.counts.appended(1, len(append.data))
        self.offsets.append_to(append.batches[0].last_offset + 1)
        self.producers.state.map_end_offset = self.offsets.end_offset
        return append.batches[0].base_offset

    def offset_of_sequence(self, producer_id: int, sequence: int) -> int | None:
        """The offset of a producer's record with a sequence number; None if it is not in the log."""
        state = self.producers.state
        return offset_of_sequence(state, producer_id, sequence, self._stretches, self.offsets.start_offset)

    @property
    def last_stable_offset(self) -> int:
        """See `Log.last_stable_offset`."""
        first = self.producers.state.first_unstable_offset
        return self.offsets.end_offset if first is None else max(first, self.offsets.log_start_offset)

    def _stretches(self) -> list[SegmentStretch]:
        return [SegmentStretch(segment.base_offset, segment.log_path, 0, segment.size) for segment in self.segments]

    def _count_together(self, prepared: Sequence[Prepared]) -> int:
        """The number of appends that can be written as one, with the same files as one after the other."""
        count = len(prepared)
        if count == 1:
            return 1
        active = self.active
        # Older writers check once per append if an index entry is due; an empty segment's age is its first batch's.
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
        changed = False
        for batch in prepared.batches:
            if batch.leader_epoch == self._appended_epoch and batch.magic >= CURRENT_MAGIC:
                continue  # the epoch began with an earlier batch
            self._appended_epoch = batch.leader_epoch if batch.magic >= CURRENT_MAGIC else None
            if batch.magic < CURRENT_MAGIC:
                # As Kafka: after entries without an epoch, followers get no epochs rather than incomplete ones.
                changed = self.epochs.clear() or changed
            elif batch.leader_epoch >= 0:
                changed = self.epochs.assign(batch.leader_epoch, batch.base_offset) or changed
                # No records of an earlier epoch are appended after another leader's, also after following it.
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
        # Entries of magic 0 and 1 have no first offset: the new segment begins as low as possible, as Kafka's.
        lowest = first.base_offset if first.magic >= CURRENT_MAGIC else last.last_offset - MAX_INT32
        return self.roll(lowest, reason)

    # Durability

    def unsynced(self, offset: int) -> list[LogSegment]:
        """The segments with records from ``offset`` on."""
        floor = self.segments.floor(offset)
        return list(self.segments.values(floor.base_offset if floor is not None else 0, self.offsets.end_offset + 1))

    def flush(self) -> None:
        """Sync the records, their indexes and the names of their files."""
        end = self.offsets.end_offset
        if self.offsets.recovery_point < end:
            self.counts.synced(segment.sync for segment in self.unsynced(self.offsets.recovery_point))
        self.producers.sync()
        self.sync_names()
        self.offsets.all_synced(end)

    def sync_names(self) -> None:
        """Sync the names of files."""
        if not self._names_synced:
            self._storage.sync_directory(self.path)
            self._names_synced = True

    def checkpoint(self) -> None:
        """Pass this log's start, recovery point and end to the root, and have its checkpoints written."""
        self.note_offsets()
        self.root.checkpoint()

    def note_offsets(self) -> None:
        """Pass this log's start, recovery point and end to the root."""
        first = self.segments.first
        self.offsets.note(None if first is None else first.base_offset)

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
        """Begin a new segment at the log's end, or above it; RollError if that is impossible."""
        base_offset = max(expected_offset or 0, self.offsets.end_offset)
        active = self.active
        if base_offset in self.segments:
            if base_offset != active.base_offset or active.size:
                raise RollError(f"{self.path}: there is a segment {base_offset} already, and it is not empty")
            # An index can be full although the segment is empty: replace the segment.
            self._retire([active], with_snapshots=False)
        elif base_offset < active.base_offset:
            raise RollError(f"{self.path}: a new segment {base_offset} would lie below the active one, {active.name}")
        else:
            self.is_changing = True
            for suffix in ("log", "index", "timeindex", "txnindex"):
                self._storage.unlink(self.path / file_name(base_offset, suffix))
            if self.offsets.recovery_point > active.base_offset:
                # The indexes get their last entry and length now, after they were synced. Recovery has to check them.
                self.offsets.lower_recovery_point(active.base_offset)
                self.checkpoint()
            active.on_become_inactive()
            self.sealed.touch(active)
        segment = self._new_segment(base_offset)
        self.offsets.cut_end(base_offset)
        self.offsets.append_to(base_offset)
        self.producers.rolled(base_offset)
        self.counts.roll_count += 1
        LOG.debug("%s: begins the segment %s: %s", self.path, segment.name, reason.value if reason else "requested")
        self._on_roll(base_offset)
        return segment

    def _new_segment(self, base_offset: int) -> LogSegment:
        segment = LogSegment.open(
            self.path, base_offset, self.config, clock=self._clock, storage=self._storage, chance=self._chance
        )
        segment.before_open = self.sealed.prepare
        self.segments.add(segment)
        self._names_synced = False
        return segment

    # Retention and truncation

    def delete_segments(self, segments: Sequence[LogSegment]) -> None:
        """Delete the log's first segments; if these are all, a new one begins."""
        self.abort_cleaning()
        if len(segments) == len(self.segments):
            self.roll(None, None)
        self.is_changing = True
        remaining = self.segments.higher(segments[-1].base_offset)
        if remaining is not None:
            self._raise_start(remaining.base_offset)
        self.checkpoint()
        self._retire(segments)
        self.counts.deleted_segment_count += len(segments)
        LOG.info("%s: deleted %d segments; starts at %d", self.path, len(segments), self.offsets.log_start_offset)
        self.sync_names()  # before a checkpoint may omit the start offset, as that of the first segment

    def _raise_start(self, offset: int) -> None:
        if offset > self.offsets.log_start_offset:
            self.offsets.raise_start(offset)
            if self.epochs.truncate_from_start(offset):
                self._save_epochs()
            self.producers.start_raised(self.offsets.log_start_offset)

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
        later_segments = list(self.segments.higher_segments(target.base_offset))
        self.offsets.cut_end(offset)
        if later_segments:
            self._cut_off(later_segments)
        target.truncate_to(offset)
        target.sync_log()  # as for the names: bytes that reappeared would lie among new records
        self.offsets.stored_end = target.next_offset()
        self.sealed.forget(target.base_offset)
        self._appended_epoch = None
        if self.epochs.truncate_from_end(offset):
            self._save_epochs()
        self._rebuild_producers()

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Delete all segments and begin again at ``offset``. Raises as `Log.truncate_to`."""
        self._check_not_copied(offset)
        self._start_over(offset)

    def _check_not_copied(self, offset: int) -> None:
        if self.offsets.is_tiered and offset < self.active.base_offset:
            raise TieredLogError(
                f"{self.path}: cannot cut at offset {offset}: {self.offsets.remote()}, and what lies before the last"
                f" segment, which begins at {self.active.base_offset}, may be there, too"
            )

    def _start_over(self, offset: int) -> None:
        self.root.lower_cleaner_offset(self.topic, self.partition, offset)
        self._lower(min(offset, self.offsets.end_offset), min(offset, self.segments.base_offsets[0]))
        # A crash meanwhile leaves a log without segments, which begins there, and assigns no offset twice.
        self.root.set_log_start_offset(self.topic, self.partition, offset)
        self.root.checkpoint()
        self._cut_off(list(self.segments))
        self._new_segment(offset)
        self.sync_names()
        self.offsets.start_over(offset)
        self._appended_epoch = None
        if self.epochs.clear():
            self._save_epochs()
        self.producers.start_over(offset)
        self._rebuild_producers()
        self.checkpoint()

    def _lower(self, offset: int, stored_end: int) -> None:
        """Prepare a cut at ``offset``; a crash may leave any part of it done, but nothing below ``stored_end``."""
        self.is_changing = True
        self.abort_cleaning()
        self.cut_count += 1
        LOG.info("%s: cuts at offset %d; the log ended at %d", self.path, offset, self.offsets.end_offset)
        self.offsets.lower(offset, stored_end)
        self.checkpoint()

    def _cut_off(self, segments: Sequence[LogSegment]) -> None:
        """Remove the log's last segments, so that a crash meanwhile leaves no hole.

        The last one is removed first. Their new names are on disk before anything is appended in their place: an old
        segment that reappeared would lie among new records.
        """
        self._retire(segments[::-1])
        self.sync_names()

    def _rebuild_producers(self) -> None:
        """Rebuild the producers' state up to the log's end, after a cut."""
        self.producers.rebuild(self._stretches(), self.offsets.log_start_offset, self.offsets.end_offset)

    def _retire(self, segments: Sequence[LogSegment], *, with_snapshots: bool = True) -> None:
        """Remove segments from the log: their files become `.deleted`, and are removed after file.delete.delay.ms."""
        self.is_changing = True
        self._names_synced = False  # before the recovery point passes them: they were perhaps never synced
        for segment in segments:
            self.segments.remove(segment.base_offset)
            self.sealed.forget(segment.base_offset)
            segment.release()
            segment.change_suffix(DELETED_SUFFIX)
            if with_snapshots and self.producers.forget(segment.base_offset):
                snapshot = self.path / file_name(segment.base_offset, SNAPSHOT_SUFFIX)
                if snapshot.exists():
                    self._storage.rename(snapshot, snapshot.with_name(snapshot.name + DELETED_SUFFIX))
            self._deleted.add(segment, self.config.file_delete_delay_ms)

    # Compaction

    def abort_cleaning(self) -> None:
        """Abort the running compaction, if any, and remove the segment that it wrote (abortCleaning)."""
        cleaning, self.cleaning = self.cleaning, None
        if cleaning is not None and cleaning.dest is not None:
            cleaning.dest.delete()

    def begin_cleaned(self, base_offset: int) -> LogSegment:
        """A new, empty segment outside of the log, in files that end in `.cleaned` (createNewCleanedSegment)."""
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
        """Open the `.log` of a sealed segment once more, to read it without the log's lock."""
        self.sealed.prepare(segment)
        return self._storage.open(segment.log_path, writable=False)

    def next_offset_of(self, segment: LogSegment) -> int:
        """The offset after the last one in a sealed segment."""
        self.sealed.touch(segment)
        return segment.next_offset()

    def set_cleaner_offset(self, offset: int) -> None:
        """Write the cleaner checkpoint: the log is compacted up to this offset, exclusive."""
        self.root.set_cleaner_offset(self.topic, self.partition, offset)
        self.root.checkpoint()

    def replace_segments(self, new: LogSegment, old: Sequence[LogSegment]) -> None:
        """Replace consecutive segments by a synced one of `begin_cleaned` (replaceSegments). A crash leaves the
        old ones, or files from which opening the log makes the new one.
        """
        self.is_changing = True
        self._storage.sync_directory(self.path)  # a `.swap` without its index would be taken for complete
        new.change_suffix(SWAP_SUFFIX)
        self._storage.sync_directory(self.path)
        self._retire(old[:1], with_snapshots=False)  # its snapshot stays, for the new one
        self._retire(old[1:])
        self._storage.sync_directory(self.path)  # an old one that reappeared would lie after the new one
        new.change_suffix("")
        self.segments.add(new)
        self.swap_count += 1
        self.sync_names()
        new.before_open = self.sealed.prepare
        new.release()

    # Closing

    def finish(self) -> None:
        """Sync everything, trim the indexes to their entries, and checkpoint."""
        self.is_changing = True
        self.abort_cleaning()
        self._deleted.remove_all()
        if self.offsets.stored_end < self.offsets.end_offset:
            self.roll(None, None)  # so that the log, when it is opened again, continues at its end
        self.producers.take_snapshot()
        self.active.make_indexes()  # a segment without its indexes counts as damaged when it is opened again
        self.active.finish()
        offsets = self.offsets
        offsets.recovery_point = min(offsets.recovery_point, max(self.active.base_offset, offsets.start_offset))
        self.counts.synced(segment.sync for segment in self.unsynced(offsets.recovery_point))
        self._names_synced = False
        self.sync_names()
        self.offsets.all_synced(self.offsets.end_offset)
        self.checkpoint()

    def delete(self) -> None:
        """See `Log.delete`."""
        check_no_folders(self.path)
        self.is_changing = True
        self.abort_cleaning()
        self.offsets.all_synced(0)
        self.checkpoint()
        for segment in reversed(list(self.segments)):
            segment.delete()
        for path in list(self.path.iterdir()):
            self._storage.unlink(path)
        self._storage.remove_directory(self.path)
        self.root.forget(self.topic, self.partition)
        self.root.checkpoint()

    def release(self) -> None:
        """Close the files, as they are."""
        if self.cleaning is not None and self.cleaning.dest is not None:
            self.cleaning.dest.release()
        self.cleaning = None
        self._deleted.release()
        for segment in self.segments:
            segment.release()
