"""Searches by kernels give what those in Python give, in whatever lies in the file."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.index import indexing
from kformat.kafka.index.indexing import lookup_many
from kformat.kernels.compiled import PaysAfter
from kformat.language.layout import layout
from kformat_engine.config import LogConfig
from kformat_engine.index import OffsetIndex, TimeIndex, _search
from kformat_engine.segment import LogSegment
from tests.samples import all_samples

pytest.importorskip("numba")

BASE = 1000
DTYPES = {name: layout(f"{name}::entry").dtype for name in ("offset_index", "time_index")}
EXTREMES = [-(2**63), -(2**31) - 1, -(2**31), -1, 0, 1, 2**31 - 1, 2**31, 2**63 - 1]


@pytest.fixture(autouse=True)
def with_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_pays", PaysAfter(0))
    assert indexing.search_kernels() is not None


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_kernels", lambda: None)


def entries_of(name: str, numbers: list[int]) -> np.ndarray:
    """Entries with these keys and values that count."""
    found = np.zeros(len(numbers), DTYPES[name])
    key, value = indexing_names(name)
    found[key] = numbers
    found[value] = np.arange(len(numbers))
    return found


def indexing_names(name: str) -> tuple[str, str]:
    return ("timestamp", "relative_offset") if name == "time_index" else ("relative_offset", "position")


@given(st.binary(max_size=400), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), st.integers(0, 12), st.data())
def test_any_bytes_are_searched_alike(noise: bytes, others: list[int], warm_count: int, draw: st.DataObject) -> None:
    kernels = indexing.search_kernels()
    for dtype in DTYPES.values():
        slots = np.frombuffer(noise, dtype, len(noise) // dtype.itemsize)
        count = draw.draw(st.integers(0, len(slots)))
        data = indexing.entry_bytes(slots)
        for name in dtype.names or ():
            met = [near + more for near in slots[name].tolist() for more in (-1, 0, 1)]
            for target in [*others, *EXTREMES, *(near for near in met if abs(near) < 2**63)]:
                wanted = _search(slots[name].item, count, warm_count, target)
                places = indexing.field_places(dtype, name)
                assert kernels.search(data, dtype.itemsize, *places, count, warm_count, target) == wanted


@given(
    st.sampled_from(list(DTYPES)),
    st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 50), max_size=80),
    arrays.arrays(np.int64, st.integers(0, 70), elements=st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 60)),
    st.sampled_from([0, BASE, 2**62]),
)
def test_many_at_once_are_found_alike(name: str, numbers: list[int], targets: np.ndarray, base_offset: int) -> None:
    entries = entries_of(name, sorted(numbers))
    with pytest.MonkeyPatch.context() as patch:
        for wanted in (targets, targets + np.int64(min(base_offset, 2**61)), np.array(EXTREMES)):
            found = lookup_many(entries, wanted, base_offset=base_offset)
            without_kernels(patch)
            for ours, theirs in zip(found, lookup_many(entries, wanted, base_offset=base_offset), strict=True):
                assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
            patch.undo()


def test_shapes_strides_and_byte_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = entries_of("offset_index", list(range(0, 3000, 3)))
    targets = np.arange(-20, 3100).reshape(4, -1)
    for some in (entries, entries[::2], entries[10:], entries.astype(entries.dtype.newbyteorder("=")), entries[:0]):
        shapes: list[Any] = [targets, targets[:, ::3], targets.T, targets.astype(np.int32), 5, []]
        for wanted in shapes:
            found = lookup_many(some, wanted, base_offset=7)
            with monkeypatch.context() as patch:
                without_kernels(patch)
                for ours, theirs in zip(found, lookup_many(some, wanted, base_offset=7), strict=True):
                    assert ours.shape == np.shape(wanted) and np.array_equal(ours, theirs)


def test_the_entries_stay_writable() -> None:
    entries = entries_of("offset_index", [1, 2, 3])
    lookup_many(entries, [2])
    entries["position"] = 9
    assert lookup_many(entries, [2])[1].tolist() == [9]


def test_an_index_that_changes_is_searched_as_it_is(tmp_path: Path) -> None:
    """The kernel looks at the mapping, which is another one behind each change of the file's length."""
    index = OffsetIndex(tmp_path / "x.index", BASE, 800)
    times = TimeIndex(tmp_path / "x.timeindex", BASE, 1200)
    for number in range(1, 90):
        index.append(BASE + 3 * number, number)
        times.maybe_append(10 * number, BASE + number)
        assert index.lookup(BASE + 3 * number + 1) == (number - 1, BASE + 3 * number, number)
        assert times.lookup(10 * number + 1) == (number - 1, 10 * number, BASE + number)
        if number % 30 == 0:
            index.resize(800 + number * 8)
    index.truncate_to(BASE + 60)
    assert index.lookup(BASE + 500) == (18, BASE + 57, 19)
    index.resize(0 if not index.entry_count else index.size_bytes)
    assert index.lookup(2**200) == (18, BASE + 57, 19) and index.lookup(-(2**200)).number == -1
    index.truncate()
    index.resize(0)
    assert index.lookup(BASE + 500).number == -1
    for one in (index, times):
        one.close()


def test_kernels_come_when_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def loaded() -> object:
        asked.append(1)
        return asked

    monkeypatch.setattr(indexing, "_kernels", loaded)
    monkeypatch.setattr(indexing, "_pays", PaysAfter(indexing._SEARCHES_BEFORE_KERNELS + 1))
    monkeypatch.delitem(__import__("sys").modules, "numba")
    assert indexing.search_kernels(indexing._SEARCHES_BEFORE_KERNELS) is None and not asked
    assert indexing.search_kernels(1) is asked
    assert indexing.search_kernels(1) is asked


def test_without_numba_it_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_kernels(monkeypatch)
    assert indexing.search_kernels() is None
    test_an_index_that_changes_is_searched_as_it_is(tmp_path)


def broken(entries: np.ndarray, random: Random) -> bytes:
    """Entries of which some say what is not so."""
    found = entries.copy()
    for _ in range(len(found) // 3):
        found[random.randrange(len(found))] = tuple(random.randint(-9, 9000) for _ in found.dtype.names or ())
    return found.tobytes()


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_batch_is_found_by_headers_as_by_frames(is_broken: bool, tmp_path: Path) -> None:
    random, quickly = Random(7), 0
    for sample in (*all_samples()[::5], *(sample for sample in all_samples() if sample.compacted)):
        for segment in sample.open().segments:
            folder = tmp_path / f"{len(list(tmp_path.iterdir()))}-0"
            folder.mkdir()
            log = folder / segment.name
            data = segment.log.read_bytes()
            log.write_bytes(data[: len(data) - (len(data) // 4 if is_broken else 0)])
            entries = segment.offset_entries()
            index = broken(entries, random) if is_broken else entries.tobytes()
            log.with_suffix(".index").write_bytes(index)
            found = LogSegment.open(folder, segment.base_offset, LogConfig(), already_exists=True)
            ends = segment.headers().last_offset
            for offset in range(segment.base_offset - 2, int(ends[-1]) + 3 if len(ends) else 5):
                quick = found.records.search_headers(offset, found.offset_index.lookup(offset))
                if quick is not None:
                    frame = found.records.frame_of(offset, found.offset_index.lookup(offset))
                    assert frame is not None
                    assert quick == (frame.last_offset, frame.position, frame.size)
                    quickly += 1
                else:
                    assert is_broken or frame_of(found, offset) is None
            found.release()
    assert quickly > 1000


def frame_of(segment: LogSegment, offset: int) -> object:
    """What the walk over frames finds; None for messages of old magics, which are left to it."""
    frame = segment.records.frame_of(offset, segment.offset_index.lookup(offset))
    return None if frame is None or frame.magic < CURRENT_MAGIC else frame
