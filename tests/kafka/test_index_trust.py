"""Lookups in a segment that was not closed give what the log alone gives, whatever slots a truncation has left."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kformat
from kformat.cli import main
from kformat.follow import follow_chunks
from kformat.kafka.columns.chunks import Chunk, Wanted
from kformat.kafka.index import index_trust
from kformat.kafka.index.lookup import (
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
    Answer,
    BrokerDiffers,
    KeptSegment,
    find_offset,
    find_timestamp,
)
from kformat.kafka.log.log_reader import LogReader
from kformat.language.layout import layout
from kformat.spark.plan import Index
from tests.samples import ROOT as SAMPLES
from tests.truncation import START_MS, BrokerSegment

Plan = list[tuple[int, list[tuple[tuple[int, ...], int]]]]
"""Branches: how many batches are kept (modulo those there are), and what is appended: timestamps, size of values."""

_TIMES = st.lists(st.integers(0, 12), min_size=1, max_size=3).map(tuple)
_BATCHES = st.lists(st.tuples(_TIMES, st.sampled_from((1, 1, 1, 9, 60))), max_size=14)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, int, bool]:
    """Branches, the interval of the index, and whether each branch is of a leader epoch of its own."""
    branches: Plan = [(0, draw(_BATCHES))]
    for _ in range(draw(st.integers(1, 3))):
        keep = draw(st.integers(0, 20))
        batches = draw(_BATCHES)
        if draw(st.booleans()):  # sizes and offsets of the branch before; by chance some of its timestamps, too
            before = branches[-1][1]
            batches = [
                (tuple(draw(st.sampled_from((at, at, draw(st.integers(0, 14))))) for at in times), size)
                for times, size in before[: draw(st.integers(0, len(before)))]
            ]
        branches.append((keep, batches))
    return branches, draw(st.sampled_from((0, 64, 100, 250))), draw(st.booleans())


def written(plan: Plan, interval: int, *, has_epochs: bool, base_offset: int = 0) -> BrokerSegment:
    segment = BrokerSegment(base_offset, interval)
    for epoch, (keep, batches) in enumerate(plan):
        if epoch:
            segment.truncate(keep % (len(segment.batches) + 1))
        for times, size in batches:
            stamps = tuple(START_MS + at for at in times)
            segment.append(stamps, b"v" * size, epoch if has_epochs else 0)
    return segment


def first(segment: BrokerSegment, *, offset: int = -1, timestamp: int = -1) -> tuple[Any, ...]:
    """The answer of the log: offset, timestamp, position and leader epoch of its first record with at least these."""
    for batch in segment.batches:
        for found, stamp in enumerate(batch.timestamps, batch.base_offset):
            if found >= offset and stamp >= timestamp:
                return found, stamp, batch.position, batch.epoch
    return None, None, None, None


def told(answer: Answer) -> tuple[Any, ...]:
    return answer.offset, answer.timestamp, answer.position, answer.leader_epoch


def offsets(chunks: Iterable[Chunk]) -> list[int]:
    return [offset for chunk in chunks for offset in chunk.numbers["offset"].tolist()]


def check_all_doors(folder: Path, segment: BrokerSegment, drawn: tuple[int, int]) -> None:
    """Every lookup, by offset and by time, through every door, gives what the log alone gives."""
    records = [
        (offset, timestamp)
        for batch in segment.batches
        for offset, timestamp in enumerate(batch.timestamps, batch.base_offset)
    ]
    stamps = {timestamp for _, timestamp in records}
    partition = kformat.open(folder)
    kept = [KeptSegment(one) for one in partition.segments]
    targets = sorted({stamp + by for stamp in stamps for by in (-1, 0, 1)} | {START_MS})
    largest = max(stamps, default=None)
    with LogReader.open(folder) as reader:
        for target in targets:
            expected = first(segment, timestamp=target)
            assert told(find_timestamp(kept, target)) == expected, target
            found = reader.offset_for_timestamp(target)
            assert (found and (found.offset, found.timestamp)) == (None if expected[0] is None else expected[:2])
        if largest is not None:
            assert told(find_timestamp(kept, MAX_TIMESTAMP)) == first(segment, timestamp=largest)
        assert find_timestamp(kept, LATEST_TIMESTAMP).offset == segment.end_offset
        for target, _ in records:
            assert told(find_offset(kept, target)) == first(segment, offset=target)
    if records:  # what costs more
        start, target = records[drawn[0] % len(records)][0], targets[drawn[1] % len(targets)]
        wanted = Wanted(columns=("offset",))
        later = [offset for offset, _ in records if offset >= start]
        assert [record.offset for record in partition.records(start)] == later
        assert offsets(partition.chunks(replace(wanted, start_offset=start))) == later
        assert offsets(follow_chunks(folder, replace(wanted, start_offset=start), timeout_s=0)) == later
        since = [offset for offset, timestamp in records if timestamp >= target]
        assert offsets(partition.chunks(replace(wanted, since_ms=target))) == since
        until = [offset for offset, timestamp in records if timestamp < target]
        assert offsets(partition.chunks(replace(wanted, until_ms=target))) == until
        index = Index(partition.segments[0])
        assert index.first_as_new(target) <= min(since, default=segment.end_offset)
        with LogReader.open(folder) as reader:
            assert [record.offset for record in reader.records(start)] == later


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans(), st.sampled_from((0, 1000)), st.tuples(st.integers(0, 50), st.integers(0, 50)))
def test_every_door_answers_as_the_log_alone(
    tmp_path: Path, plan: tuple[Plan, int, bool], base_offset: int, drawn: tuple[int, int]
) -> None:
    branches, interval, has_epochs = plan
    segment = written(branches, interval, has_epochs=has_epochs, base_offset=base_offset)
    for old in tmp_path.glob("t-0/*"):
        old.unlink()
    check_all_doors(segment.write(tmp_path / "t-0"), segment, drawn)


_LONG = st.lists(st.tuples(_TIMES, st.just(1)), min_size=10, max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_LONG, st.lists(st.tuples(st.integers(0, 60), _LONG), min_size=1, max_size=2), st.sampled_from((0, 100, 200)))
def test_what_lies_far_from_the_end_needs_no_reading(
    tmp_path: Path, first_branch: Any, others: Any, interval: int
) -> None:
    """With a tail that is short beside the log: what is believed unread holds, too."""
    segment = written([(0, first_branch), *others], interval, has_epochs=True)
    for old in tmp_path.glob("t-0/*"):
        old.unlink()
    (kept,) = kformat.open(segment.write(tmp_path / "t-0")).segments
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_trust, "TAIL_BYTES", 3 * (interval + 100))
        segments = [KeptSegment(kept)]
        stamps = {stamp for batch in segment.batches for stamp in batch.timestamps}
        for target in sorted(stamps | {stamp + 1 for stamp in stamps}):
            expected = first(segment, timestamp=target)
            assert told(find_timestamp(segments, target)) == expected, target
        for target in range(segment.end_offset):
            assert told(find_offset(segments, target)) == first(segment, offset=target)
        if stamps:
            assert told(find_timestamp(segments, MAX_TIMESTAMP)) == first(segment, timestamp=max(stamps))


def test_a_timestamp_that_a_truncation_made_the_broker_forget(tmp_path: Path) -> None:
    """The largest timestamp comes after the last time entry when the log is cut; later entries name smaller ones."""
    segment = BrokerSegment(interval=100)
    for number in range(10):
        segment.append((START_MS + number,))
    while segment.time_index.last((0, 0))[1] != segment.end_offset - 1:  # the next batch gets no entry
        segment.append((START_MS + segment.end_offset,))
    segment.append((START_MS + 1000,))
    segment.append((START_MS + 2000,))
    segment.truncate(len(segment.batches) - 1)
    forgotten = segment.end_offset - 1
    for number in range(100):
        segment.append((START_MS + 100 + number,), epoch=1)
    assert segment.time_index.last((0, 0))[0] < START_MS + 1000  # Kafka's own file is wrong here
    (kept,) = kformat.open(segment.write(tmp_path / "t-0")).segments
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_trust, "TAIL_BYTES", 1000)
        assert kept.indexes().largest_timestamp == START_MS + 1000
        for target in (START_MS + 150, START_MS + 900, START_MS + 1000):
            assert find_timestamp([kept], target).offset == (segment.batches[forgotten].base_offset), target
        assert len(kept.indexes().offset_entries) > 40


@pytest.mark.parametrize("padded", [(0,), (0, 1), (1,), (2,)], ids=str)
def test_padded_indexes_that_a_broker_trusts(tmp_path: Path, padded: tuple[int, ...]) -> None:
    """A broker that starts with them passes their segments over; `find` does not, and says what the broker answers."""
    root = tmp_path / "root"
    shutil.copytree(SAMPLES / "4.3.1" / "rolled-by-bytes-0", root / "t-0")
    shutil.copy(SAMPLES / "4.3.1" / ".kafka_cleanshutdown", root)
    sound = kformat.open(root / "t-0")
    ends = [0, *(segment.base_offset for segment in sound.segments[1:]), 560]
    for number in padded:
        for path in (sound.segments[number].index, sound.segments[number].timeindex):
            assert path is not None
            path.write_bytes(path.read_bytes() + bytes(layout("time_index::entry").size * 20))
    for offset in range(0, 560, 7):
        target = START_MS + 10 * offset
        answer = find_timestamp(kformat.open(root / "t-0").segments, target)
        assert (answer.offset, answer.timestamp) == (offset, target)
        own = next(number for number in range(3) if offset < ends[number + 1])
        after = next((number for number in range(own + 1, 3) if number not in padded), None)
        expected = [None if after is None else ends[after]] if own in padded else []
        assert [step.offset for step in answer.steps if isinstance(step, BrokerDiffers)] == expected
    shown = CliRunner().invoke(main, ["find", str(root / "t-0"), "--timestamp", str(target), "--explain"])
    assert ("a broker that starts with it passes this segment over" in shown.output) == (own in padded)


def test_an_index_with_more_entries_than_the_log_has_room_for(tmp_path: Path) -> None:
    """They all go up and look like entries; no more than the log may have are looked at."""
    segment = BrokerSegment(interval=0)
    for number in range(5):
        segment.append((START_MS + number,))
    folder = segment.write(tmp_path / "t-0")
    for suffix, columns in (
        (".index", ("relative_offset", "position")),
        (".timeindex", ("relative_offset", "timestamp")),
    ):
        entries = np.zeros(2_000_000, layout(f"{'time' if 'time' in suffix else 'offset'}_index::entry").dtype)
        for column in columns:
            entries[column] = np.arange(1, len(entries) + 1)
        (folder / f"{0:020}{suffix}").write_bytes(entries.tobytes())
    (one,) = kformat.open(folder).segments
    found = one.indexes()
    assert len(found.offset_entries) + len(found.time_entries) == 0
    assert found.offset_left_count == 2_000_000 and found.largest_timestamp == START_MS + 4
    assert find_timestamp([one], START_MS + 3).offset == 3


@pytest.mark.parametrize("position", [2, 10, 40, 80], ids=["base_offset", "batch_length", "max_timestamp", "records"])
def test_entries_still_lead_over_damage(tmp_path: Path, position: int) -> None:
    """The first batch of the last segment is damaged; what lies after the next entry is found as without damage."""
    shutil.copytree(SAMPLES / "4.3.1" / "rolled-by-bytes-0", tmp_path / "t-0")
    last = kformat.open(tmp_path / "t-0").segments[-1]
    data = bytearray(last.log.read_bytes())
    data[position] ^= 0x1A
    last.log.write_bytes(data)
    entries = last.indexes().offset_entries
    assert entries.tobytes() == last.offset_entries().tobytes() and len(entries) > 3
    for offset in range(last.base_offset + int(entries["relative_offset"][0]), 560, 11):
        assert find_offset([last], offset).offset == offset
