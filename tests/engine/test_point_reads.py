"""A reader that stays open finds the record at an offset while the log is appended to, rolled, cut, trimmed and
compacted: what it reads in one step is what it reads without."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

from kformat.errors import KformatError, OffsetOutOfRangeError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.few_records import FileSearch
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.log.fetched import TimestampOffset
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log, LogConfig
from tests.draws import EXAMPLES, every

CONFIG = LogConfig(segment_bytes=6000, index_interval_bytes=200, cleanup_policy=("compact",))
CODECS = ("none", "none", "lz4", "zstd", "gzip", "snappy")


class Play:
    """Changes of a log, drawn at random; keys are few, so that compaction leaves gaps."""

    def __init__(self, log: Log, chance: random.Random) -> None:
        self.log, self.chance, self.count = log, chance, 0

    def append(self) -> None:
        for _ in range(self.chance.randrange(1, 8)):
            records = []
            for _ in range(self.chance.choice((1, 1, 2, 5, 40))):
                self.count += 1
                headers = [("h", b"%d" % self.count)] if self.chance.random() < 0.1 else []
                value = b"%d" % self.count * self.chance.choice((1, 1, 5, 60))
                key, timestamp = b"%d" % self.chance.randrange(30), 10 * self.count + self.chance.randrange(300)
                records.append({"key": key, "value": value, "headers": headers, "timestamp": timestamp})
            self.log.append(records, compression=self.chance.choice(CODECS))

    def cut(self) -> None:
        self.log.truncate_to(self.chance.randrange(self.log.start_offset, self.log.end_offset + 1))

    def cut_and_grow(self) -> None:
        self.cut()
        self.append()
        self.append()

    def trim(self) -> None:
        start, end = self.log.start_offset, self.log.end_offset
        self.log.delete_records_before(start + self.chance.randrange((end - start) // 3 + 1))

    def compact(self) -> None:
        self.log.roll()
        self.log.compact(force=True)

    def step(self) -> None:
        steps = (self.append, self.append, self.append, self.log.roll, self.cut, self.cut_and_grow, self.trim)
        self.chance.choice((*steps, self.compact))()


def result(work: Callable[[], Any]) -> Any:
    try:
        found = work()
        return found if found is None or isinstance(found, TimestampOffset) else list(found)
    except KformatError as error:
        return f"{type(error).__name__}: {error}"


def requests(log: Log, reader: LogReader, chance: random.Random) -> list[Callable[[], Any]]:
    wanted: list[Callable[[], Any]] = []
    for _ in range(12):
        start = chance.randrange(max(0, log.start_offset - 3), log.end_offset + 3)
        end = start + chance.choice((1, 1, 1, 3, 50))
        for source in (log, reader):
            wanted += [partial(source.records, start, end), partial(source.records, start)]
            wanted.append(partial(source.offset_for_timestamp, chance.randrange(10 * log.end_offset + 400)))
    return wanted


@pytest.mark.parametrize("seed", range(3))
def test_a_reader_that_stays_open(seed: int, tmp_path: Path) -> None:
    chance, in_one_step = random.Random(seed), 0

    def counted(search: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal in_one_step
            found = search(*arguments, **more)
            in_one_step += found is not None
            return found

        return call

    searches = {name: counted(getattr(FileSearch, name)) for name in ("records", "timestamp")}

    with Log.open(tmp_path / "topic-0", CONFIG) as log:
        play = Play(log, chance)
        play.append()
        with LogReader.open(tmp_path / "topic-0") as reader, pytest.MonkeyPatch.context() as patch:
            for _ in range(EXAMPLES):
                play.step()
                for work in requests(log, reader, chance):
                    for name, search in searches.items():
                        patch.setattr(FileSearch, name, search)
                    found = result(work)
                    for name in searches:
                        patch.setattr(FileSearch, name, lambda *_, **__: None)
                    assert found == result(work)
    assert in_one_step > 300


def test_records_appended_and_read_in_turn(tmp_path: Path) -> None:
    with Log.open(tmp_path / "topic-0", CONFIG) as log, LogReader.open(tmp_path / "topic-0") as reader:
        for number in range(400):
            log.append([(b"key", b"%d" % number)])
            for offset in (number, number // 2):
                assert next(reader.records(offset, offset + 1)).value == b"%d" % offset


def told(work: Callable[[], Any]) -> Any:
    """The records up to an error, with its text."""
    found: list[Any] = []
    try:
        answer = work()
        found.extend([answer] if answer is None or isinstance(answer, TimestampOffset) else answer)
    except KformatError as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


def test_each_bit_of_a_header_and_of_an_index_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is damaged is found, or passed over, as without the kernel."""
    folder = tmp_path / "topic-0"
    with Log.open(folder, LogConfig(index_interval_bytes=0)) as log:
        for number in range(0, 12, 2):
            log.append([{"value": b"%d" % n, "timestamp": 1000 + 10 * n} for n in (number, number + 1)])
    path, index = folder / f"{0:020d}.log", folder / f"{0:020d}.index"
    batch = next(batch for batch in iter_batches(path.read_bytes()) if batch.base_offset == 4)
    flips = [(path, 8 * batch.position + bit) for bit in range(8 * HEADER_BYTES)]
    flips += [(index, 8 * index.stat().st_size - 1 - bit) for bit in range(8 * 8)]
    search = {name: getattr(FileSearch, name) for name in ("records", "timestamp")}
    for file, bit in every(3, flips):
        data = file.read_bytes()
        changed = bytearray(data)
        changed[bit // 8] ^= 0x80 >> bit % 8
        file.write_bytes(changed)
        for work in (
            lambda reader: reader.records(4, 8),
            lambda reader: reader.records(2),
            lambda reader: reader.offset_for_timestamp(1045),
            lambda reader: reader.offset_for_timestamp(1075),
        ):
            answers = []
            for is_quick in (True, False):
                for name, function in search.items():
                    monkeypatch.setattr(FileSearch, name, function if is_quick else lambda *_, **__: None)
                with LogReader.open(folder) as reader:
                    answers.append(told(partial(work, reader)))
            assert answers[0] == answers[1], (file.name, bit)
        file.write_bytes(data)


def test_numbers_beyond_64_bits(tmp_path: Path) -> None:
    with Log.open(tmp_path / "topic-0", CONFIG) as log, LogReader.open(tmp_path / "topic-0") as reader:
        log.append([(b"key", b"value")])
        for large in (2**63, 2**64, 2**70):
            assert reader.offset_for_timestamp(large) is None
            assert next(reader.records(0, large)).offset == 0
            with pytest.raises(OffsetOutOfRangeError):
                list(reader.records(large, large + 1))
