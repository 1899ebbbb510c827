"""Point reads and lookups by time give what reading everything gives, and the same error at the same place."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

from kformat.errors import DataError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.few_records import FileSearch
from kformat.kafka.index import lookup
from kformat.kafka.log.fetched import Fetched
from kformat.kafka.log.log_reader import LogReader
from kformat_engine import Log, LogConfig, file_records, log_fetcher
from kformat_engine.errors import OffsetOutOfRangeError
from tests.damages import bit, patched
from tests.kafka.test_columns import a_log, old_batches
from tests.kernel_cases import mutated

CONFIG = LogConfig(segment_bytes=4000, index_interval_bytes=300)


def told(work: Callable[[], Any]) -> Any:
    """What is found, records one by one up to the error, and the error's text."""
    found: list[Any] = []
    try:
        answer = work()
        for one in answer if isinstance(answer, Iterable) and not isinstance(answer, tuple) else [answer]:
            found.append(one)
    except (DataError, OffsetOutOfRangeError) as error:
        return found, f"{type(error).__name__}: {error}"
    return found, ""


def slowly(patch: pytest.MonkeyPatch) -> None:
    """As all records are read: a MiB at once, by the readers of columns; timestamps by the codec."""
    patch.setattr(Fetched, "first_records", lambda *_: None)
    for search in ("records", "timestamp"):
        patch.setattr(FileSearch, search, lambda *_, **__: None)
    patch.setattr(lookup, "stamp_from", lambda *_: None)
    patch.setattr(log_fetcher, "_READ_BYTES", (1 << 20,) * 3)
    patch.setattr(file_records, "stamp_from", lambda *_: None)


def fill(log: Log, old: list[bytes]) -> None:
    """Several segments, with gaps, control batches, all codecs; magic 0 and 1 first, where there are any."""
    for batch in old:
        log.append_batches(batch, assign_offsets=False)
    for number, one in enumerate(iter_batches(a_log())):
        is_control = number % 9 == 8 and not one.compression
        raw = patched(one.raw, attributes=one.attributes | bit("is_control")) if is_control else one.raw
        log.append_batches(raw, assign_offsets=False)


def damage(folder: Path, chance: random.Random) -> None:
    for path in sorted(folder.glob("*.log")):
        data = bytearray(path.read_bytes())
        for _ in range(chance.choice((0, 0, 1, 2)) if data else 0):
            at = chance.randrange(len(data))
            part = mutated(bytes(data[at : at + 20]), chance)
            data[at : at + len(part)] = part
        with path.open("r+b") as file:
            file.write(data[: path.stat().st_size])


def _first(log: Log | LogReader, start: int) -> Iterable[Any]:
    return islice(log.records(start), 1)


def _fetched(log: Log, start: int) -> Iterable[Any]:
    return log.read(start, 1).records()


def requests(log: Log, reader: LogReader, chance: random.Random) -> Iterator[Callable[[], Any]]:
    for _ in range(60):
        start, more, control = chance.randrange(80, 420), chance.choice((0, 1, 1, 2, 30)), chance.random() < 0.2
        yield partial(log.records, start, start + more, include_control=control)
        yield partial(_first, log, start)
        yield partial(_fetched, log, start)
        yield partial(log.offset_for_timestamp, chance.randrange(980, 1320))
        yield partial(reader.records, start, start + more, include_control=control)
        yield partial(_first, reader, start)
        yield partial(reader.offset_for_timestamp, chance.randrange(980, 1320))
    for one in (log, reader):
        yield partial(one.offset_for_timestamp, -3)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 12))])
def test_few_records_are_those_of_all(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    old = [batch for batch in old_batches() if next(iter_batches(batch)).last_offset < 100][:1] if seed % 2 else []
    for number in range(3):
        folder = tmp_path / str(number) / "topic-0"
        with Log.open(folder, CONFIG) as log:
            fill(log, old)
            if number:
                damage(folder, chance)
            asked = list(requests(log, LogReader.open(folder), chance))
            found = [told(work) for work in asked]
            with pytest.MonkeyPatch.context() as patch:
                slowly(patch)
                for work, answer in zip(asked, found, strict=True):
                    assert told(work) == answer
            assert sum(bool(records) and records != [None] for records, _ in found) > 40
            assert any(error for _, error in found) or not number
