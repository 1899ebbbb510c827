"""`EpochCache`: Kafka's LeaderEpochFileCacheTest, re-expressed, and what stands in the file.

Each row of the tables is one of its tests: what is done, what the list is then, what end offsets are found. Tests of
previous and next epochs are left out: nothing here asks for them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat.errors import UsageError
from kformat.kafka.files.text_files import parse_leader_epochs
from kformat_engine.epochs import EpochCache
from kformat_engine.errors import DamagedLogError
from kformat_engine.storage import DISK
from tests.samples import current_samples

Pairs = list[tuple[int, int]]

THREE: Pairs = [(2, 6), (3, 8), (4, 11)]
NONE = (-1, -1)
NAME = "leader-epoch-checkpoint"

# Name in LeaderEpochFileCacheTest: assigned, then the list, then {(asked epoch, log end offset): found}.
ASSIGNED: dict[str, tuple[Pairs, Pairs, dict[tuple[int, int], tuple[int, int]]]] = {
    "shouldAddEpochAndMessageOffsetToCache": ([(2, 10)], [(2, 10)], {(2, 11): (2, 11)}),
    "shouldReturnLogEndOffsetIfLatestEpochRequested": ([(2, 11), (2, 12)], [(2, 11)], {(2, 14): (2, 14)}),
    "shouldReturnUndefinedOffsetIfUndefinedEpochRequested": (
        [(2, 11), (3, 12)], [(2, 11), (3, 12)], {(-1, 0): NONE},
    ),
    "shouldNotOverwriteLogEndOffsetForALeaderEpochOnceItHasBeenAssigned": ([(2, 9), (2, 10)], [(2, 9)], {}),
    "shouldEnforceMonotonicallyIncreasingStartOffsets": ([(2, 9), (3, 9)], [(3, 9)], {}),
    "shouldNotOverwriteOffsetForALeaderEpochOnceItHasBeenAssigned": ([(2, 6), (2, 10)], [(2, 6)], {}),
    "shouldReturnUnsupportedIfNoEpochRecorded": ([], [], {(0, 0): NONE}),
    "shouldReturnUnsupportedIfNoEpochRecordedAndUndefinedEpochRequested": ([], [], {(-1, 73): NONE}),
    "shouldReturnFirstEpochIfRequestedEpochLessThanFirstEpoch": (
        [(5, 11), (6, 12), (7, 13)], [(5, 11), (6, 12), (7, 13)], {(4, 0): (4, 11)},
    ),
    "shouldTruncateIfMatchingEpochButEarlierStartingOffset": (
        [(5, 11), (6, 12), (7, 13), (7, 12)], [(5, 11), (7, 12)], {(5, 0): (5, 12), (6, 0): (5, 12)},
    ),
    "shouldGetFirstOffsetOfSubsequentEpochWhenOffsetRequestedForPreviousEpoch": (
        [(1, 11), (1, 12), (2, 13), (2, 14), (3, 15), (3, 16)], [(1, 11), (2, 13), (3, 15)], {(2, 17): (2, 15)},
    ),
    "shouldReturnNextAvailableEpochIfThereIsNoExactEpochForTheOneRequested": (
        [(0, 10), (2, 13), (4, 17)], [(0, 10), (2, 13), (4, 17)],
        {(1, 0): (0, 13), (2, 0): (2, 17), (3, 0): (2, 17)},
    ),
    "shouldNotUpdateEpochAndStartOffsetIfItDidNotChange": ([(2, 6), (2, 6), (2, 7)], [(2, 6)], {}),
    "shouldReturnInvalidOffsetIfEpochIsRequestedWhichIsNotCurrentlyTracked": (
        [(2, 100)], [(2, 100)], {(3, 100): NONE},
    ),
    "shouldSupportEpochsThatDoNotStartFromZero": ([(2, 6)], [(2, 6)], {(2, 7): (2, 7)}),
    "shouldEnforceMonotonicallyIncreasingEpochs": (
        [(1, 5), (2, 6), (1, 7)], [(1, 7)], {(1, 8): (1, 8), (2, 8): NONE},
    ),
    "shouldEnforceOffsetsIncreaseMonotonically": ([(2, 6), (3, 5)], [(3, 5)], {}),
    "shouldIncreaseAndTrackEpochsAsLeadersChangeManyTimes, 1": (
        [(0, 0), (1, 0)], [(1, 0)], {(1, 0): (1, 0), (0, 0): (0, 0), (1, 5): (1, 5), (0, 5): (0, 0)},
    ),
    "shouldIncreaseAndTrackEpochsAsLeadersChangeManyTimes, 2": (
        [(0, 0), (1, 0), (2, 5)], [(1, 0), (2, 5)], {(2, 10): (2, 10), (1, 10): (1, 5), (0, 10): (0, 0)},
    ),
    "shouldIncreaseAndTrackEpochsAsFollowerReceivesManyMessages": (
        [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5), (2, 6), (2, 7), (2, 8)], [(0, 0), (1, 3), (2, 6)],
        {(2, 9): (2, 9), (0, 9): (0, 3), (1, 9): (1, 6)},
    ),
    "shouldFetchEndOffsetOfEmptyCache": ([], [], {(7, 0): NONE}),
}  # fmt: skip

# Name in LeaderEpochFileCacheTest: entries, which end is cut at which offset, what is left.
TRUNCATED: dict[str, tuple[Pairs, str, int, Pairs]] = {
    "shouldDropEntriesOnEpochBoundaryWhenRemovingLatestEntries": (THREE, "end", 8, [(2, 6)]),
    "shouldPreserveResetOffsetOnClearEarliestIfOneExists": (THREE, "start", 8, [(3, 8), (4, 11)]),
    "shouldNotClearAnythingIfOffsetTooEarly": (THREE, "start", 1, THREE),
    "shouldNotClearAnythingIfOffsetIsFirstOffset": (THREE, "start", 6, THREE),
    "shouldRetainLatestEpochOnClearAllEarliest": (THREE, "start", 11, [(4, 11)]),
    "shouldUpdateOffsetBetweenEpochBoundariesOnClearEarliest": (THREE, "start", 9, [(3, 9), (4, 11)]),
    "shouldUpdateOffsetBetweenFirstTwoEpochBoundariesOnClearEarliest": (
        [(0, 0), (1, 7), (2, 10)], "start", 5, [(0, 5), (1, 7), (2, 10)],
    ),
    "shouldRetainLatestEpochOnClearAllEarliestAndUpdateItsOffset": (THREE, "start", 15, [(4, 15)]),
    "shouldDropEntriesBetweenEpochBoundaryWhenRemovingNewest": (THREE, "end", 9, [(2, 6), (3, 8)]),
    "shouldNotResetEpochHistoryHeadIfUndefinedPassed": (THREE, "start", -1, THREE),
    "shouldNotResetEpochHistoryTailIfUndefinedPassed": (THREE, "end", -1, THREE),
    "shouldClearEarliestOnEmptyCache": ([], "start", 7, []),
    "shouldClearLatestOnEmptyCache": ([], "end", 7, []),
    "the offset of the last epoch": (THREE, "end", 11, [(2, 6), (3, 8)]),
    "behind the last epoch": (THREE, "end", 12, THREE),
    "everything": (THREE, "end", 0, []),
}  # fmt: skip


@pytest.mark.parametrize("name", ASSIGNED)
def test_assigning(name: str) -> None:
    assigned, expected, asked = ASSIGNED[name]
    epochs = EpochCache()
    for epoch, offset in assigned:
        before = epochs.entries
        assert epochs.assign(epoch, offset) == (epochs.entries != before)
    assert list(epochs.entries) == expected
    assert epochs.latest_epoch == (expected[-1][0] if expected else -1)
    assert epochs.latest == (expected[-1] if expected else None)
    assert epochs.earliest == (expected[0] if expected else None)
    assert {question: epochs.end_offset_for(*question) for question in asked} == asked


@pytest.mark.parametrize("name", TRUNCATED)
def test_truncating(name: str) -> None:
    entries, side, offset, expected = TRUNCATED[name]
    epochs = EpochCache(entries)
    cut = epochs.truncate_from_end if side == "end" else epochs.truncate_from_start
    assert cut(offset) == (entries != expected)
    assert list(epochs.entries) == expected


def test_should_clear_all_entries() -> None:
    epochs = EpochCache(THREE)
    assert epochs.clear() and epochs.entries == ()
    assert not epochs.clear()


@pytest.mark.parametrize(
    ("offset", "expected"), [(5, -1), (6, 2), (7, 2), (8, 3), (10, 3), (11, 4), (2**63 - 1, 4), (-1, -1)]
)
def test_epoch_of_an_offset(offset: int, expected: int) -> None:
    assert EpochCache(THREE).epoch_for_offset(offset) == expected


@pytest.mark.parametrize(("epoch", "offset"), [(-1, 0), (0, -1), (2**31, 0), (0, 2**63)])
def test_out_of_range(epoch: int, offset: int) -> None:
    epochs = EpochCache(THREE)
    with pytest.raises(UsageError):
        epochs.assign(epoch, offset)
    assert list(epochs.entries) == THREE


class KafkasMap:
    """What LeaderEpochFileCache does to its TreeMap, said once more, by epoch instead of by place."""

    def __init__(self) -> None:
        self.starts: dict[int, int] = {}

    def assign(self, epoch: int, offset: int) -> None:
        latest = max(self.starts, default=None)
        if latest is not None and latest == epoch and offset >= self.starts[latest]:
            return
        for known in sorted(self.starts, reverse=True):
            if known < epoch and self.starts[known] < offset:
                break
            del self.starts[known]
        self.starts[epoch] = offset

    def end(self, offset: int) -> None:
        if offset >= 0:
            self.starts = {epoch: start for epoch, start in self.starts.items() if start < offset}

    def start(self, offset: int) -> None:
        gone = [epoch for epoch in sorted(self.starts) if self.starts[epoch] <= offset]
        for epoch in gone:
            del self.starts[epoch]
        if gone:
            self.starts[gone[-1]] = offset

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        if epoch == -1:
            return NONE
        if self.starts and epoch == max(self.starts):
            return epoch, log_end_offset
        higher = [known for known in self.starts if known > epoch]
        floors = [known for known in self.starts if known <= epoch]
        return (max(floors, default=epoch), self.starts[min(higher)]) if higher else NONE


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("assign"), st.integers(0, 8), st.integers(0, 20)),
            st.tuples(st.sampled_from(["start", "end"]), st.just(0), st.integers(-1, 20)),
        ),
        max_size=20,
    )
)
def test_any_operations(operations: list[tuple[str, int, int]]) -> None:
    ours, theirs = EpochCache(), KafkasMap()
    for operation, epoch, offset in operations:
        if operation == "assign":
            ours.assign(epoch, offset)
            theirs.assign(epoch, offset)
        elif operation == "start":
            ours.truncate_from_start(offset)
            theirs.start(offset)
        else:
            ours.truncate_from_end(offset)
            theirs.end(offset)
        assert list(ours.entries) == sorted(theirs.starts.items())
        for asked in range(-1, 10):
            assert ours.end_offset_for(asked, 30) == theirs.end_offset_for(asked, 30)


# The file


def test_should_persist_epochs_between_instances(tmp_path: Path) -> None:
    path = tmp_path / NAME
    assert EpochCache.load(DISK, path).entries == ()
    assert not path.exists()
    epochs = EpochCache([(2, 6)])
    epochs.save(DISK, path)
    assert path.read_bytes() == b"0\n1\n2 6\n"
    assert EpochCache.load(DISK, path).entries == epochs.entries
    EpochCache().save(DISK, path)
    assert path.read_bytes() == b"0\n0\n"


def test_brokers_files() -> None:
    files = [sample.path / NAME for sample in current_samples() if (sample.path / NAME).exists()]
    for path in files:
        assert EpochCache.load(DISK, path).entries == parse_leader_epochs(path.read_bytes()).entries
    assert len([path for path in files if EpochCache.load(DISK, path).latest is not None]) > 20


@pytest.mark.parametrize(
    ("data", "entries"),
    [
        (b"", []),
        (b"0\n2\n5 0\n3 5\n", [(3, 5)]),
        (b"0\n3\n1 0\n2 9\n3 5\n", [(1, 0), (3, 5)]),
        (b"0\n2\n1 0\n1 5\n", [(1, 0)]),
    ],
)
def test_a_file_is_put_right_as_kafka_does(tmp_path: Path, data: bytes, entries: Pairs) -> None:
    path = tmp_path / NAME
    path.write_bytes(data)
    assert list(EpochCache.load(DISK, path).entries) == entries


@pytest.mark.parametrize("data", [b"1\n0\n", b"0\n1\n-1 5\n", b"0\n1\n1 -5\n", b"\xff", b"0\n1\n", bytes(20 << 20)])
def test_a_file_that_says_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / NAME
    path.write_bytes(data)
    with pytest.raises(DamagedLogError) as caught:
        EpochCache.load(DISK, path)
    assert caught.value.source == str(path)
