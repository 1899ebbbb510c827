"""What a segment writes into its indexes, append by append, is what kformat says of the log as a whole; and what it
finds is what kformat finds in its files, and what a look at every record finds."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.kafka.batch.records import Record
from kformat.kafka.index.indexing import PROFILES, Entries, IndexedBatches, index_entries, recovered_entries
from kformat.kafka.index.lookup import find_max_timestamp, find_offset, find_timestamp
from kformat_engine.batching import AppendBatch
from kformat_engine.segment import LogSegment
from tests.draws import at_most
from tests.engine.building import NO_TIMESTAMP, append, batch, recovered, segment

START_MS = 1000
TIMESTAMPS = st.one_of(st.just(NO_TIMESTAMP), st.integers(START_MS, START_MS + 12))


@dataclass(frozen=True)
class Shape:
    """A batch but for its offsets: a timestamp per record, the bytes of each value, the gap before it, the codec."""

    timestamps: tuple[int, ...]
    value_bytes: int
    gap: int
    codec: str

    @property
    def count(self) -> int:
        return len(self.timestamps)

    def at(self, base_offset: int) -> bytes:
        values = [b"v" * self.value_bytes] * self.count
        return batch(base_offset, *values, timestamps=self.timestamps, codec=self.codec)


@dataclass(frozen=True)
class Story:
    """A segment's life: what was appended, each append a list of batches, under which settings."""

    base_offset: int
    interval: int
    profile: str
    appends: tuple[tuple[Shape, ...], ...]


SHAPES = st.builds(
    Shape,
    timestamps=st.lists(TIMESTAMPS, min_size=1, max_size=3).map(tuple),
    value_bytes=st.sampled_from((0, 1, 30, 100)),
    gap=st.sampled_from((0, 0, 0, 1, 5)),
    codec=st.sampled_from(("none", "none", "none", "gzip")),
)
STORIES = st.builds(
    Story,
    base_offset=st.sampled_from((0, 40, 2**31 - 10, 2**40)),
    interval=st.one_of(st.just(0), st.integers(1, 500)),
    profile=st.sampled_from(PROFILES),
    appends=st.lists(st.lists(SHAPES, min_size=1, max_size=4).map(tuple), min_size=1, max_size=8).map(tuple),
)


def told(one: LogSegment, story: Story) -> IndexedBatches:
    """Append everything; what was appended, as columns."""
    described: list[AppendBatch] = []
    append_ids: list[int] = []
    offset = story.base_offset
    for number, shapes in enumerate(story.appends):
        batches = []
        for shape in shapes:
            batches.append(shape.at(offset + shape.gap))
            offset += shape.gap + shape.count
        described += append(one, *batches)
        append_ids += [number] * len(shapes)
    sizes = np.array([each.size for each in described])
    return IndexedBatches(
        position=np.cumsum(sizes) - sizes,
        size=sizes,
        base_offset=[each.base_offset for each in described],
        last_offset=[each.last_offset for each in described],
        max_timestamp=[each.max_timestamp for each in described],
        max_timestamp_offset=[each.max_timestamp_offset for each in described],
        append_id=append_ids,
    )


def assert_entries(one: LogSegment, wanted: Entries) -> None:
    assert one.offset_entries().tobytes() == wanted.offset_index.tobytes()
    assert one.time_entries().tobytes() == wanted.time_index.tobytes()


def assert_files(one: LogSegment, wanted: Entries) -> None:
    """Indexes that end with their last entry."""
    assert_entries(one, wanted)
    assert one.path_of("index").read_bytes() == wanted.offset_index.tobytes()
    assert one.path_of("timeindex").read_bytes() == wanted.time_index.tobytes()


@given(STORIES)
@settings(max_examples=at_most(100))
def test_the_entries_of_appends_and_of_recovery(story: Story) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with segment(Path(folder), story.base_offset, interval=story.interval, writer_profile=story.profile) as one:
            batches = told(one, story)
            rule: dict[str, Any] = {
                "base_offset": story.base_offset,
                "profile": story.profile,
                "index_interval_bytes": story.interval,
            }
            assert_entries(one, index_entries(batches, closed=False, **rule))
            largest = max(NO_TIMESTAMP, int(batches.max_timestamp.max()))
            assert one.max_timestamp_so_far == largest
            one.on_become_inactive()
            assert_files(one, index_entries(batches, closed=True, **rule))

            with contextlib.closing(recovered(one)) as again:
                again.on_become_inactive()
                assert again.size == one.size
                assert_files(again, recovered_entries(batches, **rule))
                reaching = int(batches.max_timestamp.argmax())
                offset = int(batches.last_offset[reaching]) if largest >= 0 else story.base_offset
                assert again.largest[:2] == (largest, offset)


def looked_up(records: list[Record], timestamp: int, start: int) -> tuple[int, int] | None:
    """By a look at every record, in log order."""
    for record in records:
        if record.timestamp >= timestamp and record.offset >= start:
            return record.timestamp, record.offset
    return None


@given(STORIES, st.integers(0, 60))
@settings(max_examples=at_most(60))
def test_lookups_find_what_every_record_and_kformat_say(story: Story, behind: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "orders-0")
        folder.mkdir()
        with segment(folder, story.base_offset, interval=story.interval, writer_profile=story.profile) as one:
            batches = told(one, story)
            records = [record for each in one.batches() for record in each.records()]
            start = story.base_offset + behind
            timestamps = range(START_MS - 1, START_MS + 14)
            offsets = range(story.base_offset, int(batches.last_offset[-1]) + 3)
            wanted = {timestamp: looked_up(records, timestamp, start) for timestamp in timestamps}
            found = {timestamp: one.find_offset_by_timestamp(timestamp, start) for timestamp in timestamps}
            assert {timestamp: each and each[:2] for timestamp, each in found.items()} == wanted
            rows = np.searchsorted(batches.last_offset, offsets)
            positions = [*batches.position.tolist(), None]
            wanted_at = {offset: positions[row] for offset, row in zip(offsets, rows.tolist(), strict=True)}
            translated = {offset: one.translate_offset(offset) for offset in offsets}
            assert {offset: each and each.position for offset, each in translated.items()} == wanted_at
            assert one.next_offset() == records[-1].offset + 1

            one.on_become_inactive()
            one.release()
            (theirs,) = kformat.open(folder).segments
            for timestamp in timestamps:
                assert one.find_offset_by_timestamp(timestamp, start) == found[timestamp]
                answer = find_timestamp([theirs], timestamp, log_start_offset=start)
                assert (answer.timestamp, answer.offset, answer.leader_epoch) == (found[timestamp] or (None,) * 3)
            for offset in offsets:
                assert one.translate_offset(offset) == translated[offset]
                assert find_offset([theirs], offset).position == wanted_at[offset]
            newest, answer = one.find_max_timestamp(), find_max_timestamp([theirs])
            assert (answer.timestamp, answer.offset, answer.leader_epoch) == (newest or (None,) * 3)
            largest = max(record.timestamp for record in records)
            assert (newest and newest[:2]) == (looked_up(records, largest, 0) if largest >= 0 else None)


@given(STORIES, st.integers(0, 60))
@settings(max_examples=at_most(60))
def test_truncation_leaves_what_was_there_before(story: Story, behind: int) -> None:
    """Batches below the offset, the entries that tell of them, and the largest timestamp that they have."""
    offset = story.base_offset + behind
    with tempfile.TemporaryDirectory() as folder:
        with segment(Path(folder), story.base_offset, interval=story.interval, writer_profile=story.profile) as one:
            batches = told(one, story)
            before, data = (one.offset_entries(), one.time_entries()), one.log_path.read_bytes()
            kept = int(np.searchsorted(batches.last_offset, offset))
            size = int(batches.size[:kept].sum())
            assert one.truncate_to(offset) == len(data) - size
            assert one.log_path.read_bytes() == data[:size]
            end = int(batches.last_offset[kept - 1]) + 1 if kept else story.base_offset
            for entries, now in zip(before, (one.offset_entries(), one.time_entries()), strict=True):
                assert now.tobytes() == entries[entries["relative_offset"] < end - story.base_offset].tobytes()
            largest = max([NO_TIMESTAMP, *batches.max_timestamp[:kept].tolist()])
            assert one.max_timestamp_so_far == largest
            assert one.next_offset() == end
            append(one, batch(max(end, offset), timestamps=START_MS))
            assert one.translate_offset(max(end, offset)) is not None
