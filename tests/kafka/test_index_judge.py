"""Indexes of real batches as Kafka's LogSegment makes them: under 3.8.1, 3.9.2 and 4.4.0.

The batches are those of the samples, of every kind: compressed, transactional, with gaps where the cleaner was, stamped
by broker or producer. Each version's classes append them (one, or several in a call), close the segment, leave it open,
or recover it; kformat.kafka.index.indexing makes the same bytes under that version's profile. Generated batches:
test_indexing.py.
"""

from __future__ import annotations

import dataclasses
from itertools import cycle, islice

import numpy as np
import pytest

from kformat.kafka.index.indexing import Entries, index_entries, recovered_entries, round_index_size
from kformat.kafka.log.partition import Segment
from tests import judges
from tests.draws import every
from tests.judges import releases
from tests.judges.required import require
from tests.samples import Sample, current_samples, indexed_batches

PROFILES = {"3.8.1": "batch-time", releases.OLDER: "per-batch", releases.NEWEST: "per-batch"}
WAYS: tuple[tuple[str, tuple[int, ...], int | None], ...] = (
    ("close", (1,), 512),
    ("close", (2, 1, 5), 300),
    ("close", (1,), None),
    ("open", (1, 3), 0),
    ("recover", (1,), 512),
    ("recover", (1,), None),
)
"""Mode, batches per append call (repeated), index.interval.bytes; None: just what the first batch takes."""

pytestmark = pytest.mark.judge


def segments() -> list[tuple[Sample, Segment]]:
    """The segments of all samples that hold a batch."""
    found = [(sample, segment) for sample in current_samples() for segment in sample.open().segments]
    return [(sample, segment) for sample, segment in found if segment.size_bytes]


def files(entries: Entries, size_bytes: int | None) -> tuple[bytes, bytes]:
    """The bytes of `.index` and `.timeindex`: trimmed, or preallocated to a size rounded down to whole entries."""
    offset_index, time_index = (
        array.tobytes().ljust(round_index_size(size_bytes, array.dtype.itemsize) if size_bytes else 0, b"\0")
        for array in entries
    )
    return offset_index, time_index


@pytest.mark.parametrize("version", PROFILES)
def test_samples_as_kafkas_classes_index_them(version: str) -> None:
    require(version)
    profile = PROFILES[version]
    asked, expected, entry_count = [], [], 0
    for number, (_, segment) in enumerate(every(3, segments())):
        batches = indexed_batches(segment, profile)
        # Every other way, in turn: segments of one kind lie beside each other.
        for mode, groups, bytes_between in WAYS[number % 2 :: 2]:
            interval = int(batches.size[0]) if bytes_between is None else bytes_between
            asked.append(
                judges.Segment(segment.log, segment.base_offset, interval, batches_per_append=groups, mode=mode)  # type: ignore[arg-type]
            )
            if mode == "recover":
                entries = recovered_entries(
                    batches, base_offset=segment.base_offset, profile=profile, index_interval_bytes=interval
                )
            else:
                counts = list(islice(cycle(groups), len(batches)))
                entries = index_entries(
                    dataclasses.replace(batches, append_id=np.repeat(np.arange(len(counts)), counts)[: len(batches)]),
                    base_offset=segment.base_offset,
                    profile=profile,
                    index_interval_bytes=interval,
                    closed=mode == "close",
                )
            expected.append(files(entries, asked[-1].segment_index_bytes if mode == "open" else None))
            entry_count += len(entries.offset_index)
    found = judges.build_indexes(version, asked)
    different = [
        (f"{segment.log.parent.name}/{segment.log.name}", segment.mode, segment.batches_per_append)
        for segment, entries, theirs in zip(asked, expected, found, strict=True)
        if (theirs.index, theirs.timeindex) != entries
    ]
    assert not different[:3]
    assert entry_count > 1500


@pytest.mark.parametrize("version", releases.LIVE)
def test_the_judge_repeats_the_broker(version: str) -> None:
    """Kafka's classes, asked so, leave the very files that the broker of that version left: the harness is sound."""
    require(version)
    chosen = [
        (sample, segment)
        for sample, segment in segments()
        if sample.version == version and not (sample.reopened or sample.is_untrimmed)
    ]
    asked = [
        judges.Segment(segment.log, segment.base_offset, sample.index_interval_bytes) for sample, segment in chosen
    ]
    for (_, segment), found in zip(chosen, judges.build_indexes(version, asked), strict=True):
        assert segment.index is not None and segment.timeindex is not None
        assert found.log == segment.log.read_bytes(), segment.log
        assert found.index == segment.index.read_bytes(), segment.index
        assert found.timeindex == segment.timeindex.read_bytes(), segment.timeindex
