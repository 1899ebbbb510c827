"""Where a log starts and ends, how far it is on disk, and what the root's checkpoints say of that.

A tiered log is known by its entry in `log-start-offset-checkpoint`, below the first segment that is here: a broker
copied the segments between to the remote storage, finds the log's start in that entry alone, and the epochs of those
segments in `leader-epoch-checkpoint` alone. So an entry that was there stays, and says where the log starts. No file
records which local segments were copied; the last never is.
"""

from __future__ import annotations

from kformat_engine.root import Root


class LogOffsets:
    """The offsets of one log.

    Attributes:
        start_offset, log_start_offset: the first is above the second where a broker has tiered the log.
        end_offset: of the next record.
        stored_end: below that where a cut took a batch that began earlier: what opening the files would find.
        recovery_point, synced_offset: below them all, or all but indexes, is on disk.
    """

    def __init__(self, root: Root, topic: str, partition: int) -> None:
        self._root, self._log = root, (topic, partition)
        self.start_offset = self.log_start_offset = self.end_offset = self.stored_end = 0
        self.recovery_point = self._synced_offset = self._loaded_start = 0
        self._start_entry: int | None = None
        self._was_tiered = False

    def load(
        self, log_start_offset: int, start_offset: int, end_offset: int, recovery_point: int, *, has_remote: bool
    ) -> None:
        """Take over what opening the log has said; ``has_remote``: whether it is a tiered one."""
        self.start_offset, self.end_offset, self.stored_end = start_offset, end_offset, end_offset
        # An entry below the first segment that is not a tiered log's was left there by a kill.
        self.log_start_offset = self._loaded_start = log_start_offset if has_remote else start_offset
        self._start_entry, self._was_tiered = self._root.said(*self._log).log_start_offset, has_remote
        self.all_synced(recovery_point)

    @property
    def synced_offset(self) -> int:
        return max(self._synced_offset, self.recovery_point)

    def records_synced(self, offset: int) -> None:
        """The records below an offset are on disk."""
        self._synced_offset = offset

    def all_synced(self, offset: int) -> None:
        """All below an offset is on disk, and nothing is known of what lies above."""
        self.recovery_point = self._synced_offset = offset

    def append_to(self, offset: int) -> None:
        """The files hold batches up to an offset, exclusive."""
        self.end_offset = self.stored_end = offset

    def raise_start(self, offset: int) -> None:
        """The log begins at an offset above its start."""
        # Kafka moves the recovery point along. Here it stays: the start may lie inside of a segment that was not
        # synced, and what a crash leaves of it would look like damage to what had been.
        self.log_start_offset, self.start_offset = offset, max(self.start_offset, offset)

    def lower(self, offset: int, stored_end: int) -> None:
        """The log is cut at an offset, of which a crash may leave any part done, but nothing below ``stored_end``."""
        self.start_offset = min(self.start_offset, offset)
        self.log_start_offset = min(self.log_start_offset, offset)
        self.recovery_point = min(self.recovery_point, stored_end)
        self._synced_offset = min(self._synced_offset, stored_end)
        self.stored_end = min(self.stored_end, stored_end)

    def start_over(self, offset: int) -> None:
        """The log is empty, and begins at an offset."""
        self.log_start_offset = self.start_offset = offset
        self.append_to(offset)
        self.all_synced(offset)

    def lower_recovery_point(self, offset: int) -> None:
        """Indexes from an offset on are changed, which were on disk; the records stay there."""
        self._synced_offset, self.recovery_point = self.synced_offset, offset

    # What is tiered

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

    # The checkpoints

    @property
    def is_below_checkpoint(self) -> bool:
        """Whether the checkpoints speak of more than there is."""
        said = self._root.high_watermark(*self._log), self._root.recovery_point(*self._log)
        return max(offset or 0 for offset in said) > self.end_offset

    def note(self, first_base_offset: int | None) -> None:
        """Have the root say where this log, whose first segment begins there, starts, how far it is on disk, and where
        its files end."""
        starts_inside = first_base_offset is not None and self.start_offset > first_base_offset
        # An entry that was there may be a tiered log's, for which a broker does not look where the first segment is.
        start = self.log_start_offset if starts_inside or self._start_entry is not None else None
        if self._start_entry is not None and self.log_start_offset == self._loaded_start:
            start = self._start_entry
        self._root.set_log_start_offset(*self._log, start)
        self._root.set_recovery_point(*self._log, min(self.recovery_point, self.stored_end))
        self._root.set_high_watermark(*self._log, self.stored_end)
