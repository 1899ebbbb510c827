"""What truncations leave in the indexes of a segment in use: one info a file, whatever the log became, and no error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kformat.check.checker import check
from kformat.kafka.findings.rules import Finding
from tests.damages import Folder, stem, write
from tests.draws import at_most
from tests.truncation import INDEXES, START_MS, BrokerSegment

LEFT: Final = ("KF0409", "KF0510")
"""Of the two indexes, in their order."""

MISLED: Final = ("KF0503", "KF0506", "KF0508")
"""What the time index breaks where a truncation forgot the largest timestamp."""

Added = tuple[tuple[int, ...], bytes]
"""A batch to be appended: its records' timestamps, and the value of each."""


def added(count: int, value_bytes: int, time: int) -> Added:
    """So many records with one timestamp, ms after the first."""
    return (START_MS + time,) * count, b"v" * value_bytes


def branch(segment: BrokerSegment, cut_count: int, batches: Sequence[Added], together: int = 1) -> None:
    """Cut off the log's last batches, and append others, so many at once."""
    if cut_count and segment.batches:
        segment.truncate(max(0, len(segment.batches) - cut_count))
    for start in range(0, len(batches), together):
        segment.append_together(batches[start : start + together])


def found_in(folder: Folder, path: Path, **options: Any) -> list[Finding]:
    return list(check(write(folder, path), records=False, **options))


def numbered(count: int, value_bytes: int = 13, start: int = 0, step: int = 10) -> list[Added]:
    """Batches of one record, one time step after the other."""
    return [added(1, value_bytes, start + step * number) for number in range(count)]


BRANCHES = st.lists(
    st.tuples(
        st.integers(0, 12),
        st.lists(
            st.builds(
                added,
                count=st.sampled_from((1, 1, 1, 2, 3)),
                value_bytes=st.sampled_from((13, 13, 13, 93)),
                time=st.integers(0, 40),  # few, so that other batches have the same ones at the same offsets
            ),
            max_size=12,
        ),
        st.integers(1, 4),
    ),
    min_size=2,
    max_size=5,
)


@settings(max_examples=at_most(100), deadline=None)
@given(
    branches=BRANCHES, interval_bytes=st.sampled_from((0, 64, 150, 400)), per_batch=st.booleans(), told=st.booleans()
)
def test_what_truncations_leave_is_no_error(
    branches: list[tuple[int, list[Added], int]],
    interval_bytes: int,
    per_batch: bool,
    told: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Branches of the same sizes, of others, with the same times at the same offsets, one after the other.

    Entries in use that a truncation made wrong (`BrokerSegment.misled_from`) are errors of the time index, or count as
    left: a broker that uses them misses records.
    """
    profile = "per-batch" if per_batch else "batch-time"
    segment = BrokerSegment(interval=interval_bytes, profile=profile)
    for one in branches:
        branch(segment, *one)
    options: dict[str, Any] = {"profile": profile, "index_interval_bytes": interval_bytes}
    if per_batch and not told:  # an older writer is not always told by the entries in use
        options = {}
    found = found_in(segment.files(), tmp_path_factory.mktemp("left"), **options)
    most = dict(zip(LEFT, segment.left_counts, strict=True))
    if segment.misled_from is not None:
        found = [item for item in found if item.rule not in MISLED]
        most[LEFT[1]] = len(segment.time_index.slots) - segment.misled_from
    rules = [item.rule for item in found]
    assert rules == [rule for rule in LEFT if rule in rules], found
    for item in found:
        assert item.severity == "info" and 0 < int(item.message.split()[0]) <= most[item.rule]


def _same_sizes(segment: BrokerSegment) -> None:
    """The new branch has the sizes of the old one as far as it goes, and other times."""
    branch(segment, 20, numbered(3, start=205))


def _other_sizes(segment: BrokerSegment) -> None:
    branch(segment, 20, numbered(3, 53, start=205))


def _nothing(segment: BrokerSegment) -> None:
    branch(segment, 40, [])


def _several(segment: BrokerSegment) -> None:
    """The second branch ends farther behind than the first, and the third begins before it."""
    branch(segment, 20, numbered(5, 53, start=205))
    branch(segment, 8, numbered(4, 33, start=175))
    branch(segment, 2, numbered(1, 23, start=166))


def _by_chance(segment: BrokerSegment) -> None:
    """The last time that is left is again that of the same offset."""
    last_time, last_offset = segment.time_index.slots[-1]
    branch(segment, 20, [added(3, 13, 201), added(last_offset - 22, 13, last_time - START_MS)])


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (_same_sizes, (9, 9)),
        (_other_sizes, (8, 8)),
        (_nothing, (19, 19)),
        (_several, (9, 10)),  # one of ten describes the log by chance
        (_by_chance, (9, 9)),
    ],
)
def test_slots_left_are_counted_once_a_file(
    change: Callable[[BrokerSegment], None], left: tuple[int, int], tmp_path: Path
) -> None:
    """A log of 40 batches, every other of which got entries; then it was truncated."""
    segment = BrokerSegment(interval=100)
    branch(segment, 0, numbered(40))
    assert found_in(segment.files(), tmp_path / "before") == []
    change(segment)
    found = found_in(segment.files(), tmp_path / "after")
    assert {item.rule: int(item.message.split()[0]) for item in found} == {
        rule: count for rule, count in zip(LEFT, left, strict=True) if count
    }, segment.left_counts


def test_an_index_without_zeros_at_its_end_may_be_in_use(tmp_path: Path) -> None:
    """The offset index was full when the log was truncated; the time index still has room."""
    segment = BrokerSegment(interval=100)
    branch(segment, 0, [added(1, 13, 10 * min(number, 15)) for number in range(40)])
    branch(segment, 20, numbered(3, 53, start=205))
    folder = segment.files(len(segment.offset_index.slots) * INDEXES[".index"].itemsize)
    index, timeindex = f"{stem(0)}.index", f"{stem(0)}.timeindex"
    assert not folder[index].endswith(bytes(8)) and folder[timeindex].endswith(bytes(24))
    assert [(item.rule, item.message) for item in found_in(folder, tmp_path / "in use")] == [
        ("KF0409", "8 slots left by a truncation; the broker rebuilds them")
    ]
    closed = folder | {timeindex: folder[timeindex][:-24]}
    assert {item.rule for item in found_in(closed, tmp_path / "closed") if item.severity == "error"} > {"KF0406"}
