"""The quick walks over headers give what the walk frame by frame gives, wherever reads and batches begin and end."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kformat.errors import ChecksumError, DataError, LimitError
from kformat.kafka.batch import batches
from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.framing import HEADER_BYTES, Walk
from kformat.storage.byte_source import ByteSource
from kformat.testing.files import segment_files
from tests.damages import data_batch, patched

OLD = segment_files([(b"k", b"value")] * 3, magic=1, records_per_batch=1)["00000000000000000000.log"]


def batch(size_bytes: int = 0, **fields: Any) -> bytes:
    """A batch of so many bytes at least, by garbage behind its records; its checksum is right unless told otherwise."""
    found = data_batch(5, 1000)
    missing = max(0, size_bytes - len(found))
    length = next(iter_batches(found)).batch_length + missing
    return patched(found + b"x" * missing, **{"mend": True, "batch_length": length, **fields})


PIECES = {
    "small": batch(),
    "window": batch(batches._LARGE_BYTES),
    "large": batch(batches._LARGE_BYTES + 1),
    "larger": batch(batches._WINDOW_BYTES - 7),
    "largest": batch(batches._READ_BYTES + 300),
    "newer": batch(magic=3),
    "old": OLD,
    "wrong": batch(mend=False, crc=1),
    "large-and-wrong": batch(70_000, mend=False, crc=1),
    "old-and-wrong": OLD[:-1] + b"?",
    "negative": batch(magic=-1),
    "too-short": batch(batch_length=20, mend=False),
    "too-long": batch(batch_length=2**31 - 1, mend=False),
    "zeros": bytes(200),
    "few": b"few",
    "cut": batch(9000)[:-1],
    "cut-in-its-header": batch()[:40],
}


class Counted:
    """A file that says how much was read of it."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.read_bytes = data, 0, 0

    def seek(self, position: int, whence: int = 0) -> int:
        self.at = len(self.data) if whence else position
        return self.at

    def tell(self) -> int:
        return self.at

    def read(self, size: int) -> bytes:
        found = self.data[self.at : self.at + size]
        self.read_bytes += len(found)
        return found


def by_frames(data: bytes, start: int, end: int | None, checksums: bool) -> tuple[list[int], DataError | None, int]:
    """Positions of the sound batches, what is the matter behind them, and where they end."""
    positions: list[int] = []
    reached = start
    with ByteSource(data) as source:
        walk = Walk(source, start, end)
        for frame in walk:
            try:
                found = next(iter_batches(source, frame.position, frame.position + frame.size, limit=1 << 22))
            except DataError as error:
                assert not isinstance(error, LimitError)
                return positions, error, reached
            if checksums and not found.is_valid:
                return positions, ChecksumError("", position=0), reached
            positions.append(frame.position)
            reached += frame.size
    return positions, walk.problem, reached


@given(
    st.lists(st.sampled_from(["small"] * 3 + ["large"] * 2 + list(PIECES)), max_size=12),
    st.booleans(),
    st.integers(0, 60) | st.none(),
    st.randoms(use_true_random=False),
)
def test_the_headers_are_those_of_the_frames(
    names: list[str], checksums: bool, cut_bytes: int | None, random: Random
) -> None:
    data = b"".join(PIECES[name] for name in names)
    first = len(PIECES[names[0]]) if names and names[0] in ("small", "large") and random.random() < 0.3 else 0
    end = None if cut_bytes is None else max(first, len(data) - cut_bytes * random.randint(0, 200))
    positions, problem, reached = by_frames(data, first, end, checksums)
    found = read_batch_headers(data, first, end, checksums=checksums)
    assert (found.position.tolist(), found.valid_bytes) == (positions, reached)
    assert found.size.tolist() == np.diff([*positions, reached]).tolist()
    assert type(found.problem) is type(problem)
    if problem is not None and not isinstance(problem, ChecksumError):
        assert str(found.problem) == str(problem)
    if isinstance(problem, ChecksumError):
        with pytest.raises(ChecksumError) as refused:
            next(iter_batches(data, reached)).parse()
        assert found.problem is not None and found.problem.position == refused.value.position
        assert found.problem.path == refused.value.path
    if positions:
        last = next(iter_batches(data, positions[-1]))
        assert found.last_offset[-1] == last.last_offset and found.crc[-1] == last.crc


def test_of_large_batches_the_headers_alone_are_read() -> None:
    file = Counted(PIECES["larger"] * 100)
    assert len(read_batch_headers(file)) == 100
    assert file.read_bytes == batches._WINDOW_BYTES + 99 * HEADER_BYTES
    small = Counted(PIECES["small"] * 3000)
    assert len(read_batch_headers(small)) == 3000
    assert small.read_bytes < 1.01 * len(small.data), "and small ones are read once"


@pytest.mark.parametrize("checksums", [False, True])
def test_how_far_it_is_is_told(checksums: bool) -> None:
    data = PIECES["larger"] * 40 + OLD + PIECES["small"] * 5000
    told: list[int] = []
    found = read_batch_headers(data, checksums=checksums, progress=told.append)
    assert told == sorted(told) and told[-1] == found.valid_bytes == len(data) and len(told) > 2


def test_a_file_that_becomes_shorter_on_the_way_is_cut_off() -> None:
    class Shrinking(Counted):
        def read(self, size: int) -> bytes:
            found = super().read(size)
            self.data = self.data[:150_000]
            return found

    for checksums in (False, True):
        found = read_batch_headers(Shrinking(PIECES["large"] * 300), checksums=checksums)
        assert found.problem is not None and 0 < len(found) < 300
