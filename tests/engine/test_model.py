"""A log does what a list would do: whatever is done to it in whatever order, it holds, finds and keeps on disk what the
model says, and a reader beside it sees the same."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import kformat
from kformat.integers import MAX_INT32
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.files.text_files import parse_leader_epochs, parse_offsets
from kformat.kafka.index.indexing import PROFILES
from kformat.kafka.log.fetched import Fetched
from kformat.kafka.log.log_reader import LogReader
from kformat.language.layout import layout
from kformat_engine.batching import Prepared, analyze_batches, prepare_batches, prepare_records
from kformat_engine.config import LogConfig
from kformat_engine.errors import (
    BatchesTooLargeError,
    CorruptBatchError,
    LogClosedError,
    OffsetOrderError,
    OffsetOutOfRangeError,
    RecordTooLargeError,
    RootLockedError,
    SegmentInUseError,
)
from kformat_engine.log import Log, internals_of
from kformat_engine.storage import File
from tests.engine.logs import UnsyncedFile, UnsyncedStorage
from tests.engine.manual import ManualClock, ManualScheduler
from tests.engine.model import NO_TIMESTAMP, Model, Segment

NOW_MS = 1000
DELETE_DELAY_MS = 50
FOLDER = "orders-0"
CHECKPOINT = "recovery-point-offset-checkpoint"
SUFFIXES = ("index", "timeindex")
BETWEEN_SEGMENTS = "KF0008"
"""What kformat says of offsets that are in no segment: followers leave such gaps, and so do truncations."""


# The disk and chance


class StampedFile(UnsyncedFile):
    """A file whose time of modification is the test's clock's."""

    storage: StampingStorage

    def write_at(self, data: Any, position: int) -> None:
        super().write_at(data, position)
        self.storage.stamp(self.path)

    def truncate(self, size: int) -> None:
        super().truncate(size)
        self.storage.stamp(self.path)


class StampingStorage(UnsyncedStorage):
    """The disk, with `.log`s that were modified when the test's clock says: lookups and retention look at that."""

    file_class = StampedFile

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock

    def stamp(self, path: Path) -> None:
        if path.suffix == ".log":
            self.set_modified_ms(path, self.clock())

    def open(self, path: Path, *, create: bool = False, writable: bool = True) -> File:
        is_new = create and not path.exists()
        file = super().open(path, create=create, writable=writable)
        if is_new:
            self.stamp(path)
        return file


class Chance(random.Random):
    """Draws this number always."""

    drawn = 0

    def randrange(self, *arguments: Any) -> int:
        return self.drawn


# What is drawn

CONFIGS = st.fixed_dictionaries(
    {
        "segment_bytes": st.sampled_from((400, 700, 1500, 1 << 20)),
        "segment_ms": st.sampled_from((1, 10, 10_000, 10_000)),
        "segment_jitter_ms": st.sampled_from((0, 0, 4)),
        "segment_index_bytes": st.sampled_from((12, 25, 40, 60, 100, 1000, 1000)),
        "index_interval_bytes": st.sampled_from((0, 1, 90, 200)),
        "max_message_bytes": st.just(350),
        "message_timestamp_type": st.sampled_from(("CreateTime", "CreateTime", "CreateTime", "LogAppendTime")),
        "compression_type": st.sampled_from(("producer", "producer", "producer", "gzip", "uncompressed")),
        "retention_ms": st.sampled_from((-1, 5, 40)),
        "retention_bytes": st.sampled_from((-1, 0, 300, 900)),
        "cleanup_policy": st.sampled_from((("delete",), ("delete",), ())),
        "file_delete_delay_ms": st.just(DELETE_DELAY_MS),
        "flush_messages": st.sampled_from((2**63 - 1, 2**63 - 1, 1, 3)),
        "flush_ms": st.sampled_from((2**63 - 1, 2**63 - 1, 20)),
        "preallocate": st.sampled_from((False, False, False, True)),
        "writer_profile": st.sampled_from(("per-batch", "per-batch", *PROFILES)),
    }
)
TIMESTAMPS = st.one_of(st.just(NO_TIMESTAMP), st.integers(NOW_MS - 3, NOW_MS + 9), st.sampled_from((0, 1, NOW_MS + 60)))
DATA = st.one_of(st.none(), st.sampled_from((b"", b"k", b"value", b"v" * 60)))
HEADERS = st.lists(st.tuples(st.sampled_from(("", "h")), st.sampled_from((None, b"", b"x"))), max_size=2)
RECORDS = st.fixed_dictionaries({"timestamp": TIMESTAMPS, "key": DATA, "value": DATA, "headers": HEADERS})
CODECS = st.sampled_from(("none", "none", "gzip", "snappy", "lz4", "zstd"))
SHAPES = st.tuples(st.lists(RECORDS, min_size=1, max_size=3), CODECS)
GAPS = st.sampled_from((0, 0, 0, 1, 5))
PLACES = st.integers(0, 60)
DAMAGES = st.tuples(
    st.integers(-3, 3),
    st.sampled_from(SUFFIXES),
    st.sampled_from(("garbage", "odd", "zeros", "padding", "missing")),
)


def built(records: list[dict[str, Any]], codec: str, **fields: Any) -> bytes:
    """A batch as a producer sends it, or with a base offset as a leader does."""
    columns = Columns(*([record[name] for record in records] for name in ("timestamp", "key", "value", "headers")))
    base_offset = fields.pop("base_offset", 0)
    return build_batch(columns, base_offset=base_offset, fields=BatchFields(compression=codec, **fields))


def control(base_offset: int, timestamp: int, epoch: int) -> bytes:
    """A batch that ends a transaction."""
    return kformat.build(
        "record_batch",
        {
            "base_offset": base_offset,
            "partition_leader_epoch": epoch,
            "producer_id": 7,
            "producer_epoch": 0,
            "attributes": {"is_control": True, "is_transactional": True},
            "base_timestamp": timestamp,
            "max_timestamp": timestamp,
            "records": [
                {"timestamp_delta": 0, "offset_delta": 0, "key": b"\0\0\0\1", "value": b"\0" * 6, "headers": []}
            ],
        },
    )


class LogMachine(RuleBasedStateMachine):
    """A log, its model, and a reader beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.path = self.root / FOLDER
        self.clock = ManualClock(NOW_MS)
        self.storage = StampingStorage(self.clock)
        self.chance = Chance()
        self.scheduler = ManualScheduler(self.clock)
        self.log: Log | None = None
        self.reader: LogReader | None = None
        self.held: list[tuple[Segment, Fetched, bytes]] = []
        self.damaged: set[tuple[int, str]] = set()
        self.is_clean = True
        self.known: list[Segment] = []
        self.retired: dict[str, int] = {}
        self.certain_end = self.highest_base = 0

    @initialize(settings=CONFIGS, drawn=st.integers(-9, 9))
    def begin(self, settings: dict[str, Any], drawn: int) -> None:
        self.settings = settings
        self.chance.drawn = drawn
        self.config = LogConfig(**settings)
        self.model = Model(self.config, self.clock(), self.jitter_ms)
        self.log = self.opened()
        self.reader = LogReader.open(self.path)

    def opened(self, *, verify: bool = False) -> Log:
        return Log.open(
            self.path,
            self.config,
            verify=verify,
            clock=self.clock,
            storage=self.storage,
            scheduler=self.scheduler,
            chance=self.chance,
        )

    @property
    def jitter_ms(self) -> int:
        bound = min(self.config.segment_jitter_ms, self.config.segment_ms)
        return abs(self.chance.drawn) % bound if bound else 0

    @property
    def now_ms(self) -> int:
        return self.clock()

    def path_of(self, segment: Segment, suffix: str) -> Path:
        return self.path / file_name(segment.base, suffix)

    def modified_ms(self, segment: Segment) -> int:
        return self.path_of(segment, "log").stat().st_mtime_ns // 1_000_000

    def sleep(self, ms: int) -> None:
        """Let time pass."""
        self.note_retired()
        self.clock.sleep(ms)

    def note_retired(self) -> None:
        """Remember when the files of segments that are gone now have to be gone."""
        for segment in self.known:
            if not any(segment is one for one in self.model.segments):
                self.retired[file_name(segment.base, "log") + ".deleted"] = self.now_ms + DELETE_DELAY_MS
        self.known = list(self.model.segments) if self.log else []

    def place(self, number: int) -> int:
        """An offset at or beside something."""
        model = self.model
        edges = [model.start, model.end, *(segment.base for segment in model.segments)]
        edges += [edge for batch in model.batches for edge in (batch.first, batch.last)]
        places = sorted({edge + by for edge in edges for by in (-1, 0, 1)})
        return places[number % len(places)]

    def took(self, prepared: Sequence[Prepared]) -> None:
        """The model takes what was appended."""
        for one in prepared:
            event(f"roll: {self.model.append(bytes(one.data), one.batches, self.now_ms)}")
        assert self.log is not None
        assert self.model.end - self.log.synced_offset < self.config.flush_messages

    # Appending

    @precondition(lambda self: self.log)
    @rule(
        records=st.lists(RECORDS, min_size=1, max_size=5),
        codec=st.one_of(st.none(), CODECS),
        wait_ms=st.sampled_from((0, 0, 1, 7)),
        epochs_on=st.sampled_from((0, 0, 0, 1)),
    )
    def append(self, records: list[dict[str, Any]], codec: str | None, wait_ms: int, epochs_on: int) -> None:
        assert self.log is not None
        model = self.model
        self.sleep(wait_ms)
        self.log.leader_epoch += epochs_on
        prepared = prepare_records(
            records, model.end, self.log.leader_epoch, self.config, self.now_ms, compression=codec
        )
        first = model.end
        assert self.log.append(records, compression=codec) == first
        self.took(prepared)
        self.assert_stored(first, records)

    @precondition(lambda self: self.log)
    @rule(records=st.lists(RECORDS, min_size=2, max_size=8), codec=CODECS)
    def append_each(self, records: list[dict[str, Any]], codec: str) -> None:
        for record in records:
            self.append(records=[record], codec=codec, wait_ms=0, epochs_on=0)

    @precondition(lambda self: self.log)
    @rule(shapes=st.lists(SHAPES, min_size=1, max_size=3), validate=st.booleans())
    def lead(self, shapes: list[tuple[list[dict[str, Any]], str]], validate: bool) -> None:
        """Ready batches, as a leader takes them."""
        assert self.log is not None
        parts = [built(records, codec) for records, codec in shapes]
        data = b"".join(parts)
        if any(len(part) > self.config.max_message_bytes for part in parts):
            with pytest.raises(RecordTooLargeError):
                self.log.append_batches(data, validate=validate)
            return
        prepared = prepare_batches(
            data, self.model.end, self.log.leader_epoch, self.config, self.now_ms, validate=validate
        )
        first = self.model.end
        assert self.log.append_batches(data, validate=validate) == first
        self.took(prepared)
        is_stamped = validate and self.config.message_timestamp_type == "LogAppendTime"
        self.assert_stored(first, [record for records, _ in shapes for record in records], is_stamped)

    def assert_stored(self, first: int, records: list[dict[str, Any]], is_stamped: bool | None = None) -> None:
        """The model's records from an offset on are those that were given."""
        if is_stamped is None:
            is_stamped = self.config.message_timestamp_type == "LogAppendTime"
        found = self.model.records(first)
        assert [record.offset for record in found] == list(range(first, first + len(records)))
        for one, given in zip(found, records, strict=True):
            assert one.timestamp == (self.now_ms if is_stamped else given["timestamp"])
            assert (one.key, one.value, list(one.headers)) == (given["key"], given["value"], given["headers"])

    @precondition(lambda self: self.log)
    @rule(
        shapes=st.lists(st.tuples(SHAPES, GAPS, st.booleans()), min_size=1, max_size=4),
        leap=st.sampled_from((0, 0, 0, 0, 0, 0, 0, MAX_INT32 - 3, 2**32)),
        epochs_on=st.integers(0, 1),
    )
    def follow(
        self, shapes: list[tuple[tuple[list[dict[str, Any]], str], int, bool]], leap: int, epochs_on: int
    ) -> None:
        """Ready batches with their offsets, as a follower takes them; all of them are one append."""
        assert self.log is not None
        offset, epoch = self.model.end + leap, self.log.leader_epoch + epochs_on
        data = b""
        for (records, codec), gap, is_control in shapes:
            offset += gap
            if is_control:
                data += control(offset, records[0]["timestamp"], epoch)
            else:
                data += built(records, codec, base_offset=offset, leader_epoch=epoch)
            offset += 1 if is_control else len(records)
        prepared = analyze_batches(data + data[:50], self.config)
        if len(data) > self.config.segment_bytes:
            with pytest.raises(BatchesTooLargeError):
                self.log.append_batches(data, assign_offsets=False)
            return
        assert prepared.data == data
        first = prepared.batches[0].base_offset
        assert self.log.append_batches(data + data[:50], assign_offsets=False) == first
        self.took([prepared])
        assert self.model.end == offset
        assert self.log.leader_epoch == epoch

    @precondition(lambda self: self.log)
    @rule(edge=st.sampled_from(("size", "time")), by=st.integers(-1, 1))
    def append_at_the_edge(self, edge: str, by: int) -> None:
        """One record more that is just about to begin a new segment."""
        assert self.log is not None
        active, config = self.model.active, self.config
        record: dict[str, Any] = {"timestamp": NO_TIMESTAMP, "key": None, "value": b"", "headers": []}
        if edge == "size":
            room = min(config.segment_bytes - active.size + by, config.max_message_bytes)
            record["value"] = b"s" * max(0, room - len(built([record], "none")))
            while record["value"] and len(built([record], "none")) > room:  # the lengths have become longer
                record["value"] = record["value"][1:]
        else:
            if not active.batches:
                self.append(records=[record], codec="none", wait_ms=0, epochs_on=0)
                active = self.model.active
            basis, limit_ms = active.batches[0].max_timestamp, config.segment_ms - self.jitter_ms + by
            if basis >= 0:
                record["timestamp"] = max(NO_TIMESTAMP, basis + limit_ms)
            if (basis < 0 or config.message_timestamp_type == "LogAppendTime") and limit_ms < NOW_MS:
                self.sleep(max(0, limit_ms - (self.now_ms - (active.created_ms if basis < 0 else basis))))
        self.append(records=[record], codec="none", wait_ms=0, epochs_on=0)

    @precondition(lambda self: self.log)
    @rule(which=st.integers(0, 4))
    def refuse(self, which: int) -> None:
        """What cannot be appended leaves the log as it is."""
        assert self.log is not None
        ready = built([{"timestamp": 1, "key": None, "value": b"x", "headers": []}], "none")
        match which:
            case 0:
                with pytest.raises(RecordTooLargeError):
                    self.log.append([b"small", b"x" * 400], compression="none")
            case 1:
                with pytest.raises(CorruptBatchError):
                    self.log.append_batches(ready + ready[:-1] + b"y")
            case 2 if self.model.end:
                below = built(
                    [{"timestamp": 1, "key": None, "value": b"x", "headers": []}],
                    "none",
                    base_offset=self.model.end - 1,
                )
                with pytest.raises(OffsetOrderError):
                    self.log.append_batches(below, assign_offsets=False)
            case 3:
                assert self.log.append([]) == self.log.append_batches(b"") == self.model.end
            case _:
                with pytest.raises(RootLockedError):
                    self.opened()

    # Reading

    @precondition(lambda self: self.log)
    @rule(
        place=PLACES,
        max_bytes=st.one_of(st.integers(0, 800), st.just(1 << 20)),
        min_one_batch=st.booleans(),
        copy=st.booleans(),
        hold=st.booleans(),
    )
    def read(self, place: int, max_bytes: int, min_one_batch: bool, copy: bool, hold: bool) -> None:
        assert self.log is not None and self.reader is not None
        offset, model = self.place(place), self.model
        if not model.start <= offset <= model.end:
            with pytest.raises(OffsetOutOfRangeError):
                self.log.read(offset)
            return
        found = self.log.read(offset, max_bytes, min_one_batch=min_one_batch, copy=copy)
        wanted = model.read(offset, max_bytes, min_one_batch)
        assert (found.base_offset, found.position, bytes(found.data), found.first_entry_incomplete) == wanted
        whole = [batch for batch in model.batches if batch.last >= offset]
        records, left = [], len(wanted[2])
        for batch in whole:
            if left < len(batch.data):
                break
            left -= len(batch.data)
            if not batch.is_control:
                records += [record for record in batch.records if record.offset >= offset]
        assert list(found.records()) == records
        if isinstance(found.data, memoryview) and len(found) and hold:
            assert model.segments[model.floor(found.base_offset)].is_sealed and not copy
            self.held.append((model.segments[model.floor(found.base_offset)], found, wanted[2]))
        if offset <= max(model.start, model.stored_end):
            beside = self.reader.read(offset, max_bytes)
            parts: list[bytes] = []
            size = 0
            for batch in whole if offset < model.end else []:
                size += len(batch.data)
                if (parts and size > max_bytes) or batch not in model.segments[model.floor(whole[0].first)].batches:
                    break
                parts.append(batch.data)
            assert bytes(beside.data) == b"".join(parts)

    @precondition(lambda self: self.log)
    @rule(first=PLACES, last=PLACES, include_control=st.booleans())
    def iterate(self, first: int, last: int, include_control: bool) -> None:
        assert self.log is not None and self.reader is not None
        start, end = sorted((self.place(first), self.place(last)))
        if not self.model.start <= start <= self.model.end:
            with pytest.raises(OffsetOutOfRangeError):
                list(self.log.records(start))
            with pytest.raises(OffsetOutOfRangeError):
                list(self.reader.records(start))
            return
        wanted = self.model.records(start, end, include_control=include_control)
        assert list(self.log.records(start, end, include_control=include_control)) == wanted
        batches = [batch for batch in self.model.batches if start <= batch.last and batch.first < end and start < end]
        assert [batch.raw for batch in self.log.batches(start, end)] == [batch.data for batch in batches]
        if start <= max(self.model.start, self.model.stored_end):
            assert list(self.reader.records(start, end, include_control=include_control)) == wanted

    @precondition(lambda self: self.log)
    @rule(others=st.lists(st.integers(0, NOW_MS + 100), max_size=3))
    def look_up(self, others: list[int]) -> None:
        """Each timestamp that a record or a file has, the ones behind them, and others."""
        assert self.log is not None and self.reader is not None
        model = self.model
        known = {record.timestamp for batch in model.batches for record in batch.records}
        known |= {self.modified_ms(segment) for segment in model.segments}
        for timestamp in sorted({*others, *(one + by for one in known for by in (0, 1) if one + by >= 0)}):
            wanted = model.first_from(timestamp, self.modified_ms)
            assert self.log.offset_for_timestamp(timestamp) == wanted
            answer = self.log.offset_for_timestamp(timestamp, explain=True)
            assert (answer.timestamp, answer.offset, answer.leader_epoch) == (wanted or (None,) * 3)
            assert self.reader.offset_for_timestamp(timestamp) == wanted
        assert self.log.offset_for_timestamp(-3) == self.reader.offset_for_timestamp(-3) == model.newest()
        epoch = model.epochs[-1][0] if model.epochs else None
        assert self.log.offset_for_timestamp(-1) == (-1, model.end, epoch)
        first = model.epochs[0][0] if model.epochs and model.epochs[0][1] <= model.start else None
        assert self.log.offset_for_timestamp(-2) == self.log.offset_for_timestamp(-4) == (-1, model.start, first)

    @precondition(lambda self: self.log)
    @rule()
    def tell(self) -> None:
        """What the log tells of its segments. (Asked now and then only: it opens what has not been needed so far.)"""
        assert self.log is not None
        segments = self.model.segments
        ends = [segment.base for segment in segments[1:]] + [self.model.end]
        wanted = [
            (
                segment.base,
                end,
                segment.size,
                len(segment.offsets),
                len(segment.times),
                segment.largest[0] if segment.largest[0] >= 0 else self.modified_ms(segment),
                segment is self.model.active,
                self.path_of(segment, "log"),
            )
            for segment, end in zip(segments, ends, strict=True)
        ]
        found = self.log.segments
        assert [
            (
                one.base_offset,
                one.end_offset,
                one.size_bytes,
                one.offset_entry_count,
                one.time_entry_count,
                one.largest_timestamp,
                one.is_active,
                one.path,
            )
            for one in found
        ] == wanted

    # Time

    @precondition(lambda self: self.log)
    @rule(ms=st.sampled_from((1, 3, 10, 40, DELETE_DELAY_MS)))
    def wait(self, ms: int) -> None:
        self.sleep(ms)

    # Changing

    @precondition(lambda self: self.log)
    @rule()
    def roll(self) -> None:
        assert self.log is not None
        assert self.log.roll() == self.model.roll(self.now_ms)

    @precondition(lambda self: self.log)
    @rule()
    def flush(self) -> None:
        assert self.log is not None
        self.log.flush()
        assert self.log.recovery_point == self.log.synced_offset == self.model.end
        assert self.checkpointed_point == self.model.stored_end
        self.certain_end = self.model.end

    @precondition(lambda self: self.log)
    @rule(place=PLACES)
    def truncate(self, place: int) -> None:
        self.cut(max(0, self.place(place)))

    @precondition(lambda self: self.log and self.model.batches)
    @rule(number=st.integers(1, 4), by=st.integers(0, 4), wait_ms=st.sampled_from((0, 1, 7)))
    def cut_one_of_the_last(self, number: int, by: int, wait_ms: int) -> None:
        """Somewhere in one of the last batches, in its middle, too."""
        batch = self.model.batches[-number:][0]
        self.sleep(wait_ms)
        self.cut(batch.first + by % (batch.last + 1 - batch.first))

    def cut(self, offset: int) -> None:
        assert self.log is not None
        model = self.model
        inside = offset < model.end and model.segments[0].base <= offset
        if inside and any(one is model.segments[model.floor(offset)] for one, _, _ in self.held):
            with pytest.raises(SegmentInUseError):
                self.log.truncate_to(offset)
            return
        event(f"cut: {offset - model.end if offset > model.end - 4 else 'more'}")
        assert self.log.truncate_to(offset) == model.truncate_to(offset, self.now_ms)

    @precondition(
        lambda self: self.log and any(segment.is_sealed and segment.batches for segment in self.model.segments)
    )
    @rule(number=st.integers(0, 5), place=st.integers(0, 20), is_released=st.booleans())
    def cut_what_is_held(self, number: int, place: int, is_released: bool) -> None:
        """Bytes of a sealed segment are held, and cannot be cut off; a moment later they can."""
        assert self.log is not None
        sealed = [segment for segment in self.model.segments if segment.is_sealed and segment.batches]
        segment = sealed[number % len(sealed)]
        if segment.batches[-1].last < self.model.start:
            return
        found = self.log.read(max(segment.batches[0].first, self.model.start))
        assert isinstance(found.data, memoryview) and found.base_offset == segment.base
        if is_released:
            for one in self.log._local.segments:
                if one.is_sealed:
                    one.release()  # as many other segments in use would bring about
        with pytest.raises(SegmentInUseError):
            self.log.truncate_to(segment.base + place % (segment.stored_end - segment.base))
        assert list(found.records()) == [
            record
            for batch in segment.batches
            if not batch.is_control
            for record in batch.records
            if record.offset >= found.start_offset
        ]

    @precondition(lambda self: self.log)
    @rule(place=PLACES, is_far=st.booleans())
    def start_over(self, place: int, is_far: bool) -> None:
        assert self.log is not None
        offset = max(0, self.place(place)) + (10 if is_far else 0)
        self.log.truncate_fully_and_start_at(offset)
        self.model.start_over(offset, self.now_ms)

    @precondition(lambda self: self.log)
    @rule(place=st.one_of(PLACES, st.none()))
    def delete_records(self, place: int | None) -> None:
        assert self.log is not None
        offset = -1 if place is None else self.place(place)
        if not -1 <= offset <= self.model.end:
            with pytest.raises(OffsetOutOfRangeError):
                self.log.delete_records_before(offset)
            return
        assert self.log.delete_records_before(offset) == self.model.delete_records_before(offset)

    @precondition(lambda self: self.log)
    @rule(by=st.one_of(st.none(), st.integers(-1, 1)))
    def retain(self, by: int | None) -> None:
        """Now, or when the first segment is about to be too old."""
        assert self.log is not None
        first = self.model.segments[0]
        if by is not None and self.config.retention_ms >= 0:
            largest = first.largest[0] if first.largest[0] >= 0 else self.modified_ms(first)
            self.sleep(max(0, largest + self.config.retention_ms + by - self.now_ms))
        wanted = self.model.retain(self.now_ms, self.modified_ms)
        assert [(base, breach.name) for base, breach in self.log.retain()] == wanted
        event(f"retained: {sorted({name for _, name in wanted})}")

    # The end, and beginning again

    @precondition(lambda self: self.log)
    @rule()
    def close(self) -> None:
        assert self.log is not None
        self.known, self.retired = [], {}
        self.log.close()
        self.log.close()
        with pytest.raises(LogClosedError):
            self.log.append([b"x"])
        self.model.close(self.now_ms)
        self.log, self.is_clean = None, True
        self.assert_closed()

    @precondition(lambda self: self.log)
    @rule()
    def crash(self) -> None:
        """The process is gone; what it wrote is in the page cache."""
        assert self.log is not None
        self.known, self.retired = [], {}
        self.abandon(self.log)
        self.scheduler.close()
        self.scheduler = ManualScheduler(self.clock)
        self.log, self.is_clean = None, False

    def abandon(self, log: Log) -> None:
        """Descriptors go, and the lock."""
        log.root.abandon()
        with log._guard.lock:
            internals_of(log).let_go()

    @precondition(lambda self: not self.log)
    @rule(
        changed=st.one_of(st.none(), CONFIGS),
        drawn=st.integers(-9, 9),
        damages=st.lists(DAMAGES, max_size=3),
        wait_ms=st.sampled_from((0, 1)),
    )
    def reopen(
        self, changed: dict[str, Any] | None, drawn: int, damages: list[tuple[int, str, str]], wait_ms: int
    ) -> None:
        for number, suffix, how in damages:
            self.damage(self.model.segments[number % len(self.model.segments)], suffix, how)
        self.sleep(wait_ms)
        if changed is not None:
            self.config = LogConfig(**changed)
        self.chance.drawn = drawn
        recovered_from = None if self.is_clean else self.checkpointed_point
        # Without it, a damaged index of a sealed segment waits until it is used (test_lazy_opening.py).
        self.log = self.opened(verify=bool(self.damaged))
        # The indexes of a log that was not closed may ask for shorter ones.
        index_bytes = self.log.config.segment_index_bytes
        assert self.log.config == replace(self.config, segment_index_bytes=index_bytes)
        assert index_bytes <= self.config.segment_index_bytes
        self.model.reopen(
            self.log.config,
            self.now_ms,
            self.jitter_ms,
            recovered_from=recovered_from,
            damaged=lambda segment, suffix: (segment.base, suffix) in self.damaged,
        )
        self.damaged.clear()
        self.certain_end, self.highest_base = self.log.recovery_point, 0
        assert not (self.root / ".kafka_cleanshutdown").exists()
        latest = self.model.epochs[-1][0] if self.model.epochs else 0
        assert self.log.leader_epoch == latest

    def damage(self, segment: Segment, suffix: str, how: str) -> None:
        """An index that is not what it was."""
        path = self.path_of(segment, suffix)
        data = path.read_bytes() if path.exists() else b""
        match how:
            case "garbage":
                data = b"\xa5\x5a\xff\x01\xfe" * max(20, len(data) // 5)
            case "odd":
                data += b"\1\2\3\4\5"[: 5 if len(data) % 4 == 0 else 4]
            case "zeros":
                data = b"\0" * max(24, len(data))
            case "padding":
                data += b"\0" * 24
        if how == "missing":
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)
        self.damaged.add((segment.base, suffix))

    # What holds after every step

    @property
    def checkpointed_point(self) -> int:
        try:
            data = (self.root / CHECKPOINT).read_bytes()
        except FileNotFoundError:
            return 0
        return parse_offsets(data).as_dict().get(("orders", 0), 0)

    @precondition(lambda self: self.log)
    @invariant()
    def it_is_as_long_as_the_list(self) -> None:
        assert self.log is not None
        model = self.model
        assert (self.log.start_offset, self.log.end_offset) == (model.start, model.end)
        assert self.log.size_bytes == sum(segment.size for segment in model.segments)
        assert list(self.log.leader_epochs) == model.epochs
        assert not self.log.has_failed
        assert self.checkpointed_point <= self.log.recovery_point <= self.log.synced_offset <= model.end
        if self.config.sync_policy == "never":
            # Sealed segments are synced in the background, the active one is not. (But it may reach over an offset
            # where a segment began that was cut off since, before its sync was due.)
            self.highest_base = max(self.highest_base, *(segment.base for segment in model.segments))
            assert self.log.synced_offset <= max(self.certain_end, self.highest_base)

    @invariant()
    def the_files_are_the_list(self) -> None:
        if not hasattr(self, "model"):
            return
        assert sorted(path.name for path in self.path.glob("*.log")) == [
            file_name(segment.base, "log") for segment in self.model.segments
        ]
        for segment in self.model.segments:
            data = self.path_of(segment, "log").read_bytes()
            is_padded = self.config.preallocate and segment is self.model.active and (self.log or not self.is_clean)
            assert (
                data.rstrip(b"\0") == segment.data.rstrip(b"\0") and len(data) >= segment.size
                if is_padded
                else data == segment.data
            )
            if segment.is_whole:
                assert (segment.offsets, segment.times) == segment.appended(self.config)
        assert self.checkpointed_point <= self.model.stored_end or self.model.end > self.model.stored_end

    @precondition(lambda self: self.log)
    @invariant()
    def what_was_deleted_stays_for_a_while(self) -> None:
        self.note_retired()
        self.retired = {name: due_ms for name, due_ms in self.retired.items() if due_ms > self.now_ms}
        assert {path.name for path in self.path.glob("*.log.deleted")} == self.retired.keys()

    @precondition(lambda self: self.log)
    @invariant()
    def the_indexes_are_what_is_to_be_in_them(self) -> None:
        for segment in self.model.segments:
            self.assert_index(segment, "index", segment.offsets, segment.offset_room)
            self.assert_index(segment, "timeindex", segment.times, segment.time_room)

    def assert_index(self, segment: Segment, suffix: str, entries: list[tuple[int, int]], room: int) -> None:
        dtype = layout({"index": "offset_index::entry", "timeindex": "time_index::entry"}[suffix]).dtype
        path = self.path_of(segment, suffix)
        is_active = segment is self.model.active
        if is_active and not path.exists():
            assert not entries  # it is made when it is first needed
            return
        data = path.read_bytes()
        relative = 0 if suffix == "index" else 1
        wanted = np.zeros(len(entries), dtype)
        for number, entry in enumerate(entries):
            wanted[number] = tuple(
                value - (segment.base if index == relative else 0) for index, value in enumerate(entry)
            )
        assert data == wanted.tobytes() + bytes(len(data) - wanted.nbytes)
        # After a clean shutdown the active segment's get their room when they are first used.
        assert len(data) == wanted.nbytes or (is_active and self.log and len(data) == room * dtype.itemsize)

    @precondition(lambda self: self.log)
    @invariant()
    def a_reader_sees_it(self) -> None:
        assert self.reader is not None
        model = self.model
        assert self.reader.start_offset == model.start
        assert self.reader.end_offset == max(model.start, model.stored_end)
        if model.start <= model.stored_end:
            assert list(self.reader) == model.records()

    @invariant()
    def views_stay_good(self) -> None:
        for _, found, data in self.held:
            assert bytes(found.data) == data

    def assert_closed(self) -> None:
        """The folder of a log that was closed."""
        model = self.model
        assert (self.root / ".kafka_cleanshutdown").exists()
        assert self.checkpointed_point == model.end == model.stored_end
        names = {file_name(segment.base, suffix) for segment in model.segments for suffix in ("log", *SUFFIXES)}
        others = {path.name for path in self.path.iterdir()} - names
        known = {name for name in others if name.startswith("torn-") or name.endswith(".snapshot")}
        assert others - known <= {"leader-epoch-checkpoint", "kformat-log-id"}
        assert model.end == model.start or file_name(model.end, "snapshot") in known
        assert names <= {path.name for path in self.path.iterdir()}
        for segment in model.segments:
            self.assert_index(segment, "index", segment.offsets, segment.offset_room)
            self.assert_index(segment, "timeindex", segment.times, segment.time_room)
        epochs = self.path / "leader-epoch-checkpoint"
        stored = parse_leader_epochs(epochs.read_bytes()).entries if epochs.exists() else ()
        assert [tuple(entry) for entry in stored] == model.epochs
        checked = kformat.check(self.root, ignore=[BETWEEN_SEGMENTS])
        found = [str(finding) for finding in checked if finding.severity in ("error", "warning")]
        assert not found, found

    def teardown(self) -> None:
        self.held.clear()
        try:
            if self.log is not None:
                self.close()
            elif hasattr(self, "model"):
                self.reopen(changed=None, drawn=0, damages=[], wait_ms=0)
                self.close()
        finally:
            if self.log is not None:
                self.abandon(self.log)
            if self.reader is not None:
                self.reader.close()
            shutil.rmtree(self.root)


TestLog = LogMachine.TestCase
TestLog.settings = settings(stateful_step_count=35)
