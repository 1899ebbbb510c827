"""KF0713: the sequence numbers of producers from batch to batch, in one log and from segment to segment."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import kformat
from kformat.check.checker import judge, plan
from kformat.integers import MAX_INT32
from kformat.kafka.findings.rules import Finding
from tests.damages import BASE_TIMESTAMP_MS, data_batch, stem

DAY_MS = 86_400_000


class Sent(NamedTuple):
    """A batch of three records; ``sequence`` None: of no producer."""

    offset: int
    sequence: int | None
    producer: int = 7
    epoch: int = 0
    later_ms: int = 0

    def batch(self) -> bytes:
        fields = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
        if self.sequence is not None:
            fields = {"producer_id": self.producer, "producer_epoch": self.epoch, "base_sequence": self.sequence}
        return data_batch(self.offset, BASE_TIMESTAMP_MS + self.later_ms, **fields)


SOUND: dict[str, list[Sent]] = {
    "they go on": [Sent(0, 40), Sent(3, 43), Sent(6, 46)],
    "others in between": [Sent(0, 0), Sent(3, 9, 8), Sent(6, None), Sent(9, 3), Sent(12, 12, 8)],
    "around the highest number": [Sent(0, MAX_INT32 - 2), Sent(3, 0), Sent(6, 3)],
    "another epoch": [Sent(0, 5), Sent(3, 0, epoch=1), Sent(6, 3, epoch=1)],
    "another epoch that goes on": [Sent(0, 5), Sent(3, 8, epoch=1), Sent(6, 11, epoch=2)],
    "offsets are missing": [Sent(0, 0), Sent(6, 77), Sent(9, 80)],
    "forgotten by the broker": [Sent(0, 0), Sent(3, 77, later_ms=DAY_MS)],
}
BROKEN: dict[str, tuple[list[Sent], int, int, int]] = {
    "a gap": ([Sent(0, 0), Sent(3, 4)], 1, 3, 4),
    "the same again": ([Sent(0, 0), Sent(3, None), Sent(6, 0)], 2, 3, 0),
    "a new epoch that does not begin with 0": ([Sent(0, 0), Sent(3, 4, epoch=1)], 1, 0, 4),
    "around the highest number": ([Sent(0, MAX_INT32 - 2), Sent(3, 1)], 1, 0, 1),
    "within a batch around it": ([Sent(0, MAX_INT32), Sent(3, 3)], 1, 2, 3),
}


def written(batches: list[Sent], folder: Path, *, is_divided: bool) -> Path:
    """All in one log, or each in a segment of its own."""
    folder.mkdir()
    for number, one in enumerate(batches):
        with open(folder / f"{stem(one.offset if is_divided else 0)}.log", "ab" if number else "wb") as file:
            file.write(one.batch())
    return folder


def found_in(folder: Path) -> list[Finding]:
    outcomes = {work.key: judge(work) for work in plan(folder)}  # as several processes do it
    apart = [one for one in kformat.check(folder, outcomes=outcomes) if one.rule == "KF0713"]
    found = [one for one in kformat.check(folder) if one.rule == "KF0713"]
    assert found == apart
    return found


@pytest.mark.parametrize("is_divided", [False, True])
@pytest.mark.parametrize("name", SOUND)
def test_sound_sequences(name: str, is_divided: bool, tmp_path: Path) -> None:
    assert found_in(written(SOUND[name], tmp_path / "x-0", is_divided=is_divided)) == []


@pytest.mark.parametrize("is_divided", [False, True])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_sequences(name: str, is_divided: bool, tmp_path: Path) -> None:
    batches, number, expected, sequence = BROKEN[name]
    folder = written(batches, tmp_path / "x-0", is_divided=is_divided)
    (finding,) = found_in(folder)
    size = len(batches[0].batch())
    start = 0 if is_divided else number * size
    assert (finding.expected, finding.found) == (expected, sequence)
    assert finding.file == str(folder / f"{stem(batches[number].offset if is_divided else 0)}.log")
    assert finding.position is not None and start < finding.position < start + size


def test_an_older_epoch(tmp_path: Path) -> None:
    folder = written([Sent(0, 0, epoch=2), Sent(3, 3, epoch=1)], tmp_path / "x-0", is_divided=False)
    (finding,) = found_in(folder)
    assert (finding.expected, finding.found, finding.mended_by) == (">= 2", 1, None)
