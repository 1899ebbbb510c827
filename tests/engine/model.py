"""What a log should be, as lists: batches in segments, and what each call makes of them, by Kafka's rules.

Nothing here opens a file or asks the engine. The batches come ready, with the bytes that are to be stored; what is to
lie in a segment's two indexes is told entry by entry as it is appended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kformat.integers import MAX_INT32
from kformat.kafka.batch.records import Batch, Record
from kformat.kafka.index.indexing import IndexedBatches, index_entries, recovered_entries
from kformat_engine.batching import AppendBatch
from kformat_engine.config import LogConfig

NO_TIMESTAMP: Final = -1
OFFSET_ENTRY_BYTES: Final = 8
TIME_ENTRY_BYTES: Final = 12

Found = tuple[int, int, int | None] | None
"""What a lookup by timestamp finds: timestamp, offset, leader epoch."""


@dataclass(frozen=True)
class StoredBatch:
    """A batch with its bytes; ``append_number`` is shared by those of one append."""

    data: bytes
    told: AppendBatch
    append_number: int

    @property
    def first(self) -> int:
        return self.told.base_offset

    @property
    def last(self) -> int:
        return self.told.last_offset

    @property
    def max_timestamp(self) -> int:
        return self.told.max_timestamp

    @property
    def epoch(self) -> int | None:
        return self.told.leader_epoch if self.told.leader_epoch >= 0 else None

    @property
    def is_control(self) -> bool:
        return Batch(self.data).is_control

    @property
    def records(self) -> list[Record]:
        return list(Batch(self.data).records())


def cut_up(data: bytes, told: Sequence[AppendBatch], append_number: int) -> list[StoredBatch]:
    """The batches of one append."""
    found, position = [], 0
    for one in told:
        found.append(StoredBatch(bytes(data[position : position + one.size]), one, append_number))
        position += one.size
    return found


@dataclass
class Segment:
    """One segment.

    Attributes:
        offsets, times: the entries of its indexes: (offset, position) and (timestamp, offset).
        offset_room, time_room: how many entries the files have room for, while it is the active one.
        largest: the largest timestamp so far, and the offset that a time entry for it holds.
        unindexed_bytes: how much came since the last entry.
        is_whole: it was appended to from its beginning on, without being cut or opened again.
    """

    base: int
    created_ms: int
    offset_room: int
    time_room: int
    batches: list[StoredBatch] = field(default_factory=list)
    offsets: list[tuple[int, int]] = field(default_factory=list)
    times: list[tuple[int, int]] = field(default_factory=list)
    largest: tuple[int, int] = (NO_TIMESTAMP, 0)
    unindexed_bytes: int = 0
    is_whole: bool = True
    is_sealed: bool = False

    @property
    def data(self) -> bytes:
        return b"".join(batch.data for batch in self.batches)

    @property
    def size(self) -> int:
        return sum(len(batch.data) for batch in self.batches)

    @property
    def stored_end(self) -> int:
        return self.batches[-1].last + 1 if self.batches else self.base

    @property
    def columns(self) -> IndexedBatches:
        sizes = [batch.told.size for batch in self.batches]
        return IndexedBatches(
            position=[sum(sizes[:number]) for number in range(len(sizes))],
            size=sizes,
            base_offset=[batch.first for batch in self.batches],
            last_offset=[batch.last for batch in self.batches],
            max_timestamp=[batch.max_timestamp for batch in self.batches],
            max_timestamp_offset=[batch.told.max_timestamp_offset for batch in self.batches],
            append_id=[batch.append_number for batch in self.batches],
        )

    def position_of(self, number: int) -> int:
        return sum(len(batch.data) for batch in self.batches[:number])

    def add_time(self) -> None:
        """The time entry of roll and close."""
        if self.largest[0] > (self.times[-1][0] if self.times else NO_TIMESTAMP):
            self.times.append(self.largest)

    def give_room(self, config: LogConfig) -> None:
        self.offset_room = max(config.segment_index_bytes // OFFSET_ENTRY_BYTES, len(self.offsets))
        self.time_room = max(config.segment_index_bytes // TIME_ENTRY_BYTES, len(self.times))

    @property
    def are_indexes_full(self) -> bool:
        return len(self.offsets) >= self.offset_room or len(self.times) >= self.time_room - 1

    def recovered(self, config: LogConfig) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The entries of indexes that are made anew."""
        if not self.batches:
            return [], []
        found = recovered_entries(
            self.columns,
            base_offset=self.base,
            profile=config.writer_profile,
            index_interval_bytes=config.index_interval_bytes,
        )
        return unpacked(found.offset_index, found.time_index, self.base)

    def appended(self, config: LogConfig) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The entries that kformat says a broker writes for all these appends."""
        if not self.batches:
            return [], []
        found = index_entries(
            self.columns,
            base_offset=self.base,
            profile=config.writer_profile,
            index_interval_bytes=config.index_interval_bytes,
            closed=self.is_sealed,
        )
        return unpacked(found.offset_index, found.time_index, self.base)


def unpacked(
    offset_index: Iterable[dict[str, int]], time_index: Iterable[dict[str, int]], base: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Entries of both indexes with absolute offsets."""
    return (
        [(base + int(entry["relative_offset"]), int(entry["position"])) for entry in offset_index],
        [(int(entry["timestamp"]), base + int(entry["relative_offset"])) for entry in time_index],
    )


class Model:
    """A log as lists; the methods are those of `Log`.

    Attributes:
        segments: ascending, the last one is the active one. start, end: log start and log end offset.
        epochs: (leader epoch, where it begins). jitter_ms: by how much each segment's time is shortened.
    """

    def __init__(self, config: LogConfig, now_ms: int, jitter_ms: int) -> None:
        self.config, self.jitter_ms = config, jitter_ms
        self.start = self.end = 0
        self.epochs: list[tuple[int, int]] = []
        self.appends = 0
        self.segments = [self._new(0, now_ms)]

    def _new(self, base: int, now_ms: int) -> Segment:
        segment = Segment(base, now_ms, 0, 0, largest=(NO_TIMESTAMP, base))
        segment.give_room(self.config)
        return segment

    # What it holds

    @property
    def active(self) -> Segment:
        return self.segments[-1]

    @property
    def stored_end(self) -> int:
        """One behind the last batch, which a truncation inside of a batch leaves below the end."""
        return self.active.stored_end

    @property
    def batches(self) -> list[StoredBatch]:
        return [batch for segment in self.segments for batch in segment.batches]

    def records(
        self, start: int | None = None, end: int | None = None, *, include_control: bool = False
    ) -> list[Record]:
        low, high = self.start if start is None else start, self.end if end is None else end
        return [
            record
            for batch in self.batches
            if include_control or not batch.is_control
            for record in batch.records
            if low <= record.offset < high
        ]

    def floor(self, offset: int) -> int:
        """The number of the last segment whose base offset is not above an offset."""
        return max(number for number, segment in enumerate(self.segments) if segment.base <= offset)

    def read(self, offset: int, max_bytes: int, min_one_batch: bool) -> tuple[int, int, bytes, bool]:
        """Base offset of the segment, position, bytes, and whether the first batch is cut."""
        for segment in self.segments[self.floor(offset) :] if offset < self.end else []:
            for number, batch in enumerate(segment.batches):
                if batch.last >= offset:
                    position = segment.position_of(number)
                    wanted = max(max_bytes, len(batch.data)) if min_one_batch else max_bytes
                    return (
                        segment.base,
                        position,
                        segment.data[position : position + wanted],
                        0 < wanted < len(batch.data),
                    )
        return self.active.base, self.active.size, b"", False

    def first_from(self, timestamp: int, modified_ms: Callable[[Segment], int]) -> Found:
        """In the first segment that is new enough, the first record that is."""
        for segment in self.segments:
            largest = segment.largest[0] if segment.largest[0] >= 0 else modified_ms(segment)
            if largest >= timestamp:
                return _first(segment, lambda record: record.timestamp >= timestamp and record.offset >= self.start)
        return None

    def newest(self) -> Found:
        """The first record with the largest timestamp of all."""
        largest = max(segment.largest[0] for segment in self.segments)
        if largest < 0:
            return None
        segment = next(one for one in self.segments if one.largest[0] == largest)
        return _first(segment, lambda record: record.timestamp == largest)

    # What changes it

    def append(self, data: bytes, told: Sequence[AppendBatch], now_ms: int) -> str | None:
        """One append; why it rolled."""
        self.appends += 1
        for one in told:
            if one.leader_epoch >= 0:
                self._assign(one.leader_epoch, one.base_offset)
        batches = cut_up(data, told, self.appends)
        reason = self._roll_reason(max(one.max_timestamp for one in told), told[-1].last_offset, len(data), now_ms)
        if reason is not None:
            self.roll(now_ms, told[0].base_offset)
        self._index(self.active, batches)
        self.active.batches += batches
        self.end = told[-1].last_offset + 1
        return reason

    def _roll_reason(self, max_timestamp: int, last: int, size: int, now_ms: int) -> str | None:
        active, config = self.active, self.config
        if active.size + size > config.segment_bytes:
            return "size"
        if active.batches:
            basis = active.batches[0].max_timestamp
            waited = max_timestamp - basis if basis >= 0 else now_ms - active.created_ms
            if waited > config.segment_ms - self.jitter_ms:
                return "time"
        if active.are_indexes_full:
            return "index"
        return "offset" if last - active.base > MAX_INT32 else None

    def _index(self, segment: Segment, batches: list[StoredBatch]) -> None:
        """Entries that are due before each batch, or before the append where the writer looks once per append."""
        profile, position = self.config.writer_profile, segment.size
        groups = [[batch] for batch in batches] if profile == "per-batch" else [batches]
        for group in groups:
            reaching = max(group, key=lambda batch: batch.max_timestamp)
            if reaching.max_timestamp > segment.largest[0]:
                segment.largest = (reaching.max_timestamp, reaching.told.max_timestamp_offset)
            if segment.unindexed_bytes > self.config.index_interval_bytes:
                if segment.are_indexes_full:
                    segment.is_whole = False  # one is left out, which only happens inside of an append
                else:
                    segment.offsets.append((group[0].first if profile == "first-offset" else group[-1].last, position))
                    segment.add_time()
                    segment.unindexed_bytes = 0
            size = sum(len(batch.data) for batch in group)
            segment.unindexed_bytes += size
            position += size

    def roll(self, now_ms: int, expected: int = 0) -> int:
        """A new active segment; its base offset."""
        base = max(expected, self.end)
        if base == self.active.base:
            self.segments.pop()  # empty: it begins anew
        else:
            self.active.add_time()
            self.active.is_sealed = True
        self.segments.append(self._new(base, now_ms))
        self.end = base
        return base

    def _assign(self, epoch: int, offset: int) -> None:
        if self.epochs and self.epochs[-1][0] == epoch and self.epochs[-1][1] <= offset:
            return
        self.epochs = [one for one in self.epochs if one[0] < epoch and one[1] < offset] + [(epoch, offset)]

    def _raise_start(self, offset: int) -> None:
        if offset > self.start:
            self.start = offset
            self._begin_epochs(offset)

    def _begin_epochs(self, offset: int) -> None:
        before = [one for one in self.epochs if one[1] <= offset]
        if before:
            self.epochs[: len(before)] = [(before[-1][0], offset)]

    def delete_records_before(self, offset: int) -> int:
        offset = self.end if offset == -1 else offset
        if offset > self.start:
            self._raise_start(offset)
            while len(self.segments) > 1 and self.segments[1].base <= offset:
                del self.segments[0]
        return self.start

    def retain(self, now_ms: int, modified_ms: Callable[[Segment], int]) -> list[tuple[int, str]]:
        """Base offsets of the segments that go, each with the rule: up to three times what the first rule lets go."""
        gone: list[tuple[int, str]] = []
        rules: dict[str, Callable[[], int]] = {"START_OFFSET": self._below_start}
        if "delete" in self.config.cleanup_policy:
            rules["SIZE"] = self._too_large
            rules["TIME"] = lambda: self._too_old(now_ms, modified_ms)
        for _ in range(3):
            name, count = next(((name, count) for name, rule in rules.items() if (count := rule())), ("", 0))
            if not count:
                break
            gone += [(segment.base, name) for segment in self.segments[:count]]
            if count == len(self.segments):
                self.roll(now_ms)
            del self.segments[:count]
            self._raise_start(self.segments[0].base)
        return gone

    def _below_start(self) -> int:
        return sum(following.base <= self.start for following in self.segments[1:])

    def _too_large(self) -> int:
        count, excess = 0, sum(segment.size for segment in self.segments) - self.config.retention_bytes
        if self.config.retention_bytes < 0:
            return 0
        for segment in self._deletable():
            if excess < segment.size:
                break
            excess -= segment.size
            count += 1
        return count

    def _too_old(self, now_ms: int, modified_ms: Callable[[Segment], int]) -> int:
        count = 0
        for segment in self._deletable() if self.config.retention_ms >= 0 else []:
            largest = segment.largest[0] if segment.largest[0] >= 0 else modified_ms(segment)
            if now_ms - largest <= self.config.retention_ms:
                break
            count += 1
        return count

    def _deletable(self) -> list[Segment]:
        return self.segments if self.active.batches else self.segments[:-1]

    def truncate_to(self, offset: int, now_ms: int) -> bool:
        if offset >= self.end:
            return False
        if self.segments[0].base > offset:
            self.start_over(offset, now_ms)
            return True
        self.start = min(self.start, offset)
        del self.segments[self.floor(offset) + 1 :]
        active = self.active
        active.is_whole = active.is_sealed = False
        cut = next((number for number, batch in enumerate(active.batches) if batch.last >= offset), None)
        first = offset
        if cut is not None:
            first = min(offset, active.batches[cut].first)
            del active.batches[cut:]
        active.offsets = [entry for entry in active.offsets if entry[0] < first]
        active.times = [entry for entry in active.times if entry[1] < first]
        active.give_room(self.config)
        active.unindexed_bytes = 0
        active.largest = active.times[-1] if active.times else (NO_TIMESTAMP, active.base)
        for batch in active.batches:
            if batch.max_timestamp > active.largest[0]:
                active.largest = (batch.max_timestamp, batch.last)
        if not active.batches:
            active.created_ms, active.is_whole = now_ms, True
        self.end = offset
        self.epochs = [one for one in self.epochs if one[1] < offset]
        return True

    def start_over(self, offset: int, now_ms: int) -> None:
        self.segments = [self._new(offset, now_ms)]
        self.start = self.end = offset
        self.epochs = []

    # The end, and what is there after it

    def close(self, now_ms: int) -> None:
        if self.stored_end < self.end:
            self.roll(now_ms)
        self.active.add_time()
        self.active.is_sealed = True

    def reopen(
        self,
        config: LogConfig,
        now_ms: int,
        jitter_ms: int,
        *,
        recovered_from: int | None,
        damaged: Callable[[Segment, str], bool],
    ) -> None:
        """What opening makes of it.

        Args:
            recovered_from: the recovery point after an unclean shutdown; None after a clean one.
            damaged: whether a segment's index, by its suffix, cannot be used.
        """
        checkpointed = self.start if self.start > self.segments[0].base else 0
        self.config, self.jitter_ms = config, jitter_ms
        self.end = self.stored_end
        if self.end < checkpointed:  # a truncation inside of a batch, and nothing came behind it
            self.start_over(checkpointed, now_ms)
            return
        self.start = max(checkpointed, self.segments[0].base)
        first = len(self.segments)
        if recovered_from is not None:
            first = max((number for number, one in enumerate(self.segments) if one.base <= recovered_from), default=0)
        for number, segment in enumerate(self.segments):
            wrong = [suffix for suffix in ("index", "timeindex") if number >= first or damaged(segment, suffix)]
            offsets, times = segment.recovered(config)
            if "index" in wrong:
                segment.offsets = offsets
            if "timeindex" in wrong:
                segment.times = times
            if wrong:
                for batch in segment.batches:
                    if batch.told.leader_epoch > (self.epochs[-1][0] if self.epochs else -1):
                        self._assign(batch.told.leader_epoch, batch.first)
            segment.largest = segment.times[-1] if segment.times else (NO_TIMESTAMP, segment.base)
            segment.unindexed_bytes, segment.created_ms = 0, now_ms
            segment.is_whole, segment.is_sealed = not segment.batches, segment is not self.active
        self.active.give_room(config)
        self.epochs = [one for one in self.epochs if one[1] < self.end + 1]
        self._begin_epochs(checkpointed)


def _first(segment: Segment, wanted: Callable[[Record], bool]) -> Found:
    for batch in segment.batches:
        for record in batch.records:
            if wanted(record):
                return record.timestamp, record.offset, batch.epoch
    return None
