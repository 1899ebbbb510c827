"""Indexes of real partitions: made again from the log alone, byte for byte; parsed and built again, byte for byte.

`kformat.kafka.index.indexing` gets the batches of a segment, the writer profile and the interval, nothing of the
indexes; what it makes is what the broker left, with the preallocated zeros of a broker that was killed. Every segment
of every partition is either compared so or belongs to a partition in NOT_AS_APPENDED or GROUPED, each with a reason
that its sidecar bears out. Those are compared with what they are instead: indexes that recovery rebuilt, that the
cleaner wrote, or that have fewer entries than messages of magic 0 and 1 ask for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kformat
from kformat.kafka.index.index_file import read_index
from kformat.kafka.index.indexing import Entries, IndexedBatches, index_entries, recovered_entries, round_index_size
from kformat.kafka.index.lookup import find_max_timestamp, find_offset, find_timestamp
from kformat.kafka.log.partition import Segment, open_partition
from kformat.language.layout import layout
from tests.draws import every
from tests.samples import ROOT, Sample, all_samples, by_root, current_samples, indexed_batches

SAMPLES = current_samples()
FORMATS = {".index": "offset_index", ".timeindex": "time_index"}

REOPENED = "reopened: recovery rebuilt its indexes after a kill, and the active segment's spacing began anew"
CLEANED = "compacted: before 3.9.1 the cleaner indexes whole chunks of batches, of which the log does not tell"

NOT_AS_APPENDED = {
    "1.1.1/compacted-0": CLEANED,
    "1.1.1/compacted-transactions-0": CLEANED,
    "1.1.1/killed-compacted-0": CLEANED,
    "1.1.1/recovered-0": REOPENED,
    "2.8.2/compacted-0": CLEANED,
    "2.8.2/compacted-transactions-0": CLEANED,
    "2.8.2/killed-compacted-0": CLEANED,
    "2.8.2/recovered-0": REOPENED,
    "3.9.2/recovered-0": REOPENED,
    "4.3.1/recovered-0": REOPENED,
    "4.4.0/recovered-0": REOPENED,
}
"""Partitions with segments whose indexes are not those of plain appends. Where the reason is the cleaner, the active
segment is compared all the same, because the cleaner never touches it; from 3.9.1 on it indexes as appends do."""

GROUPED = {"killed-0", "late-0", "nulls-0", "old-format-0", "plain-0", "rolled-0", "append-time-0", "compacted-0"}
"""Partitions of magic 0 and 1 with uncompressed messages, several of which a request had: one append, and so one entry
at most, of which the log does not tell. In the others each request was one message or one wrapper."""


def reason_of(sample: Sample) -> str | None:
    """Why not all segments of a partition can be compared, as far as the sidecar says; None where all can be."""
    if sample.reopened:
        return REOPENED
    return CLEANED if sample.compacted and sample.profile != "per-batch" else None


def as_appended(sample: Sample) -> list[Segment]:
    """The segments that were appended to from empty on, and not touched later."""
    segments = list(sample.open().segments)
    reason = reason_of(sample)
    return segments if reason is None else segments[-1:] if reason == CLEANED else []


def on_disk(segment: Segment) -> tuple[bytes, bytes]:
    """The bytes of both index files, which have to be there."""
    assert segment.index is not None and segment.timeindex is not None
    return segment.index.read_bytes(), segment.timeindex.read_bytes()


def padded(entries: Entries, max_index_size_bytes: int) -> tuple[bytes, bytes]:
    """The files of an active segment: entries, then zeros up to the size set, rounded down to whole entries."""
    offset_index, time_index = (
        array.tobytes().ljust(round_index_size(max_index_size_bytes, array.dtype.itemsize), b"\0") for array in entries
    )
    return offset_index, time_index


def trimmed(entries: Entries) -> tuple[bytes, bytes]:
    """The files of a closed segment."""
    return entries.offset_index.tobytes(), entries.time_index.tobytes()


def test_the_list_is_what_the_sidecars_say() -> None:
    assert NOT_AS_APPENDED == {str(sample): reason for sample in SAMPLES if (reason := reason_of(sample))}


@pytest.mark.parametrize("sample", every(2, SAMPLES), ids=str)
def test_every_segment_is_compared_or_listed(sample: Sample) -> None:
    """And each segment has both its indexes, so that nothing is compared with nothing."""
    segments = sample.open().segments
    compared = as_appended(sample)
    left_out = [segment for segment in segments if segment not in compared]
    assert bool(left_out) == (str(sample) in NOT_AS_APPENDED)
    assert all(segment.index is not None and segment.timeindex is not None for segment in segments)
    assert segments


@pytest.mark.parametrize("sample", every(3, [sample for sample in SAMPLES if as_appended(sample)]), ids=str)
def test_entries_equal_the_brokers(sample: Sample) -> None:
    """Both files of every segment written without reopening or compaction, under the writer's own profile."""
    active = sample.open().segments[-1]
    for segment in as_appended(sample):
        still_open = sample.is_untrimmed and segment == active
        entries = index_entries(
            indexed_batches(segment, sample.profile),
            base_offset=segment.base_offset,
            profile=sample.profile,
            index_interval_bytes=sample.index_interval_bytes,
            closed=not still_open,
            max_index_size_bytes=sample.max_index_size_bytes,
        )
        expected = padded(entries, sample.max_index_size_bytes) if still_open else trimmed(entries)
        assert on_disk(segment) == expected, segment.name


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.reopened], ids=str)
def test_recovered_entries_equal_the_brokers(sample: Sample) -> None:
    """After a kill the indexes were rebuilt; the last segment then went on with a spacing that began at 0."""

    def rebuilt(batches: IndexedBatches) -> Entries:
        return recovered_entries(
            batches,
            base_offset=segment.base_offset,
            profile=sample.profile,
            index_interval_bytes=sample.index_interval_bytes,
        )

    *closed, last = sample.open().segments
    assert closed
    for segment in closed:
        assert on_disk(segment) == trimmed(rebuilt(indexed_batches(segment, sample.profile))), segment.name

    segment = last
    batches = indexed_batches(segment, sample.profile)
    # Recovery ends with a snapshot of the producers, named after the offset from which the broker went on.
    snapshots = [int(path.stem) for path in sample.path.glob("*.snapshot")]
    (restart,) = (offset for offset in snapshots if segment.base_offset < offset <= batches.base_offset[-1])
    number = int(np.searchsorted(batches.base_offset, restart))
    before, after = taken(batches, slice(number)), taken(batches, slice(number, None))
    recovered = rebuilt(before)
    appended = index_entries(
        after,
        base_offset=segment.base_offset,
        profile=sample.profile,
        index_interval_bytes=sample.index_interval_bytes,
    )
    grown = appended.time_index["timestamp"] > recovered.time_index["timestamp"][-1]
    offset_index, time_index = on_disk(segment)
    assert offset_index == recovered.offset_index.tobytes() + appended.offset_index.tobytes()
    assert time_index == recovered.time_index.tobytes() + appended.time_index[grown].tobytes()


def taken(batches: IndexedBatches, which: slice) -> IndexedBatches:
    """Some of the batches."""
    names = ("position", "size", "base_offset", "last_offset", "max_timestamp", "max_timestamp_offset")
    return IndexedBatches(*(getattr(batches, name)[which] for name in names))


def index_files() -> list[Path]:
    """Every index file of the samples, those on their way out and of older message formats included."""
    suffixes = (*FORMATS, *(f"{suffix}.{state}" for suffix in FORMATS for state in ("deleted", "cleaned", "swap")))
    return sorted(path for path in ROOT.glob("*/*/*") if path.name.partition(".")[2] in {s[1:] for s in suffixes})


def format_of(path: Path) -> str:
    return FORMATS["." + path.name.split(".")[1]]


@pytest.mark.parametrize("root", by_root(index_files()))
def test_index_rebuilt(root: str) -> None:
    """Parsed and built again: the same bytes, whether trimmed, preallocated, left over, or empty."""
    for path in by_root(index_files())[root]:
        data = path.read_bytes()
        parsed: Any = kformat.parse(format_of(path), data)
        assert kformat.build(format_of(path), parsed) == data, path
        assert len(parsed.entries) == len(data) / layout(f"{format_of(path)}::entry").size, path

        found = read_index(path, format_of(path))
        assert found.entries.tobytes() + bytes(found.padding_bytes) == data, path
        assert (found.unsound_bytes, found.odd_bytes) == (0, 0), path


def test_indexes_hold_what_they_are_for() -> None:
    """Trimmed, preallocated (to whole entries) with and without entries, full, empty, and on their way out."""
    paths = index_files()
    found = [read_index(path, format_of(path)) for path in paths]
    assert any(index.padding_bytes and len(index.entries) for index in found)
    assert any(index.padding_bytes and not len(index.entries) for index in found)
    assert any(not index.padding_bytes and len(index.entries) > 1 for index in found)
    assert any(not index.size_bytes for index in found)
    full = {index.size_bytes for path, index in zip(paths, found, strict=True) if "rolled-by-index" in str(path)}
    assert max(full) == 300 - 12  # a time index of 300 bytes is full with one slot kept back, and the segment rolls
    assert any(
        index.size_bytes == 1992 and path.suffix == ".timeindex" for path, index in zip(paths, found, strict=True)
    )
    assert any(path.suffix == ".deleted" for path in paths)


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.compacted], ids=str)
def test_entries_lead_to_their_batches(sample: Sample) -> None:
    """Cleaned segments, whoever wrote them: each entry's position is where a batch begins, at or below its offset."""
    for segment in sample.open().segments:
        headers = segment.headers()
        at = dict(zip(headers.position.tolist(), headers.base_offset.tolist(), strict=True))
        for entry in segment.offset_entries().tolist():
            assert at[entry[1]] <= segment.base_offset + entry[0]


def leftovers() -> list[tuple[Sample, Path]]:
    return [(sample, path) for sample in SAMPLES for path in sorted(sample.path.glob("*.log.deleted"))]


@pytest.mark.parametrize(("sample", "path"), leftovers(), ids=lambda value: getattr(value, "name", str(value)))
def test_leftovers_have_sound_indexes(sample: Sample, path: Path) -> None:
    """What the cleaner replaced still lies there after a kill: segments of their own, closed, with their own indexes.

    Whether one was itself cleaned before nobody tells; under per-batch it makes no difference.
    """
    (segment,) = open_partition(path).segments
    entries = index_entries(
        indexed_batches(segment, sample.profile),
        base_offset=segment.base_offset,
        profile=sample.profile,
        index_interval_bytes=sample.index_interval_bytes,
    )
    offset_index, time_index = on_disk(segment)
    assert time_index[-12:] == entries.time_index.tobytes()[-12:]  # the largest timestamp, whoever wrote it
    if sample.profile == "per-batch":
        assert (offset_index, time_index) == trimmed(entries)


@pytest.mark.parametrize("sample", every(2, SAMPLES), ids=str)
def test_lookups_equal_a_scan(sample: Sample) -> None:
    """Through the broker's indexes, whatever profile they have: the same records as by reading from the start.

    That no segment is passed over wrongly is part of it: the first record from a time on, of the whole partition.
    """
    partition = sample.open()
    records = list(partition.records())
    step = max(1, len(records) // 12)
    for record in records[::step]:
        for by in (-1, 0, 1):
            offset, timestamp = record.offset + by, record.timestamp + by
            following = next((r for r in records if r.offset >= offset), None)
            found = find_offset(partition.segments, offset)
            expected = None if following is None or offset < partition.segments[0].base_offset else following.offset
            assert found.offset == expected, offset
            later = next((r for r in records if r.timestamp >= timestamp), None)
            found = find_timestamp(partition.segments, timestamp)
            assert (found.offset, found.timestamp) == (
                (None, None) if later is None else (later.offset, later.timestamp)
            )
    largest = max(records, key=lambda record: record.timestamp, default=None)
    found = find_max_timestamp(partition.segments)
    assert found.offset == (None if largest is None else largest.offset)


OLD = [sample for sample in all_samples() if sample.magic < 2]


def old_index(segment: Segment, kind: str) -> bytes | None:
    """The bytes of an index file; None where brokers had none yet."""
    path = segment.index if kind == "offset_index" else segment.timeindex
    return None if path is None else path.read_bytes()


@pytest.mark.parametrize("sample", [sample for sample in OLD if sample.name not in GROUPED], ids=str)
def test_entries_of_old_messages_equal_the_brokers(sample: Sample) -> None:
    """Magic 0 and 1, where each message or wrapper was an append."""
    active = sample.open().segments[-1]
    for segment in sample.open().segments:
        still_open = sample.is_untrimmed and segment == active
        entries = index_entries(
            indexed_batches(segment, sample.profile),
            base_offset=segment.base_offset,
            profile=sample.profile,
            index_interval_bytes=sample.index_interval_bytes,
            closed=not still_open,
        )
        offset_index, time_index = padded(entries, sample.max_index_size_bytes) if still_open else trimmed(entries)
        assert old_index(segment, "offset_index") == offset_index
        assert old_index(segment, "time_index") in (
            (None,) if sample.version in ("0.8.2.2", "0.9.0.1") else (time_index,)
        )


@pytest.mark.parametrize("sample", [sample for sample in OLD if sample.name in GROUPED], ids=str)
def test_entries_of_grouped_old_messages_lead_to_them(sample: Sample) -> None:
    """Each position is where a message begins, and each offset that message's; or later, for a cleaner's and 2.x."""
    for segment in sample.open().segments:
        batches = indexed_batches(segment, sample.profile)
        at = dict(zip(batches.position.tolist(), batches.base_offset.tolist(), strict=True))
        by_first = sample.profile == "first-offset" and not sample.compacted
        for entry in segment.offset_entries().tolist():
            offset = segment.base_offset + entry[0]
            assert at[entry[1]] == offset or (at[entry[1]] < offset and not by_first)
        assert len(segment.offset_entries()) <= len(batches)


@pytest.mark.parametrize("sample", OLD, ids=str)
def test_lookups_among_old_messages_equal_a_scan(sample: Sample) -> None:
    """By offset, into wrappers too; by timestamp where there are any (magic 0 has none to find).

    A segment that the cleaner emptied counts by the time of its file, and Kafka asks no later one.
    """
    partition = sample.open()
    by_time = sample.magic and all(segment.size_bytes for segment in partition.segments[:-1])
    records = list(partition.records())
    step = max(1, len(records) // 12)
    for record in records[::step]:
        for by in (-1, 0, 1):
            offset, timestamp = record.offset + by, record.timestamp + by
            following = next((r for r in records if r.offset >= offset), None)
            expected = None if following is None or offset < partition.segments[0].base_offset else following.offset
            assert find_offset(partition.segments, offset).offset == expected, offset
            if by_time:
                later = next((r for r in records if r.timestamp >= timestamp), None)
                found = find_timestamp(partition.segments, timestamp)
                assert (found.offset, found.timestamp) == (
                    (None, None) if later is None else (later.offset, later.timestamp)
                )
    if not sample.magic:
        assert find_timestamp(partition.segments, 0).offset is None
