"""Compaction by kernels keeps what compaction without them keeps, to the byte; and when it uses them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from kformat.corpus.parts import PlannedRecord, ProducerFields, batch
from kformat.errors import ChecksumError, MissingDependencyError
from kformat.kafka.batch.batches import read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.columns.chunks import read_chunks
from kformat.kafka.producers.producer_state import AbortedTransaction
from kformat_engine import compaction
from kformat_engine.compaction import CleanedTransactions, Filtered, LastRecord
from kformat_engine.rebuilding import rebuilt_batches
from tests.draws import at_most
from tests.engine.test_compaction import NOW_MS, batches, content, data_of, entries, kept, mapped, marker, some_batches

FAR = (1 << 63) - 1


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Call a function with kernels, and without: the first result, which has to be the second one."""

    def found(function: Any, *given: Any, **named: Any) -> Any:
        results = []
        for use_kernels in (True, False):
            monkeypatch.setattr(compaction, "_use_kernels", lambda size, use=use_kernels: use)
            results.append(function(*given, **named))
        assert results[0] == results[1]
        return results[0]

    yield found


def told(*given: Any, **named: Any) -> tuple[Any, ...]:
    """The result of `filtered`, comparable."""
    found = kept(*given, **named)
    return *found[:1], found.headers.columns.tolist(), *found[2:]


def as_filtered(found: tuple[Any, ...]) -> Filtered:
    return Filtered(found[0], read_batch_headers(found[0]), *found[2:])


@pytest.mark.parametrize("seed", range(at_most(4)))
def test_random_batches(seed: int, both: Any) -> None:
    random = Random(seed)
    parts = some_batches(random, 60)
    for number in range(0, 60, 7):  # what brokers and other clients write, too
        kind: Any = {"append_time": 1500} if random.random() < 0.5 else {"reserved": 5}
        offset, count = parts[number].last_offset - 1, random.choice((1, 4))
        contents = [content(offset + at, random.choice((-1, 5, FAR)), b"k%d" % at) for at in range(count)]
        parts[number] = batch(contents, codec=random.choice(CODEC_NAMES), base_timestamp=7, **kind)
    log = b"".join(part.data for part in parts)
    gone = [b"k%d" % number for number in range(0, 40, 3)]
    last = {number: LastRecord(parts[random.randrange(60)].last_offset, 0) for number in range(3)}
    found = as_filtered(both(told, log, gone, last_records=last, upper_bound=parts[-1].last_offset + 1, position=99))
    assert 0 < found.retained_count < found.read_count
    assert all(one.is_valid for one in batches(found))


def test_transactions_and_old_formats(both: Any) -> None:
    log = data_of(0, b"a", b"b").data + marker("abort", 2).data + data_of(3, b"c", b"a").data
    log += entries(1, "gzip", [content(5, 1, b"a"), content(6, 1, b"d")]) + entries(0, "none", [content(7, 1, b"e")])
    log += marker("commit", 8).data

    def with_aborted() -> Any:
        return told(log, [b"a"], transactions=CleanedTransactions([AbortedTransaction(7, 0, 2, 3)]))

    found = as_filtered(both(with_aborted))
    assert [one.last_offset for one in batches(found)] == [2, 4, 6, 7, 8]


def test_a_batch_in_several_pieces(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_chunks

    def in_pieces(*given: Any, **named: Any) -> Any:
        for chunk in read(*given, **named):
            for number in range(len(chunk)):
                yield chunk.take(np.arange(len(chunk)) == number)

    log = b"".join(part.data for part in some_batches(Random(5), 20))
    whole = both(told, log, [b"k1", b"k2", b"k3"])
    monkeypatch.setattr(compaction, "read_chunks", in_pieces)
    assert both(told, log, [b"k1", b"k2", b"k3"]) == whole


@pytest.mark.parametrize("most", [1, 5, 17, 39, 100])
def test_the_map(most: int, both: Any) -> None:
    log = entries(1, "gzip", [content(at, 1, b"k%d" % at) for at in range(3)]) + entries(
        0, "none", [content(3, 1, b"k9")]
    )
    log += entries(1, "lz4", [content(3, 1, None), content(4, 1, b"k5")])
    log += b"".join(part.data for part in some_batches(Random(most), 40))

    def found() -> Any:
        offsets, done = mapped(log, most, start=3)
        offsets.use_kernels = False
        return done, offsets.size, offsets.latest_offset, [offsets.get(b"k%d" % number) for number in range(40)]

    done, size, *_ = both(found)
    assert done.is_full == (size == most)


def test_one_map_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels may become ready in the middle of a compaction."""
    log = b"".join(part.data for part in some_batches(Random(1), 40))
    wanted = told(log, [b"k1"])
    for turns in ((True, False), (False, True)):
        uses = iter(turns)
        monkeypatch.setattr(compaction, "_use_kernels", lambda size, uses=uses: next(uses))
        offsets, _ = mapped(log)
        assert offsets.use_kernels is turns[0]
        assert told(log, [b"k1"]) == wanted
    assert not list(uses)


def test_a_wrong_checksum_is_reported_alike(both: Any) -> None:
    data = bytearray(batch([content(0, 1, b"a"), content(1, 1, b"b")]).data * 3)
    data[-3] ^= 1

    def error() -> str:
        with pytest.raises(ChecksumError) as raised:
            kept(bytes(data), [b"a"], position=1000)
        return str(raised.value)

    assert "1000" not in both(error)


def test_what_kernels_refuse_the_codec_rebuilds(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuses(*given: Any) -> None:
        asked.append(given)

    log = batch([content(0, 1, b"a"), content(1, 1, b"b")], producer=ProducerFields(3, 0, 0)).data
    wanted = both(told, log, [b"a"])
    monkeypatch.setattr(compaction, "rebuilt_batches", refuses)
    assert both(told, log, [b"a"]) == wanted and len(asked) == 1


def test_headers_and_nulls(both: Any) -> None:
    headers = (("name", b"1"), ("name", None), ("\udcff", b"bytes that are no text"))
    contents = [content(0, 1, b"a"), PlannedRecord(1, 2, b"b", None, headers), PlannedRecord(2, 3, b"", b"", headers)]
    found = as_filtered(both(told, batch(contents, codec="zstd").data, [b"a"]))
    (one,) = batches(found)
    assert [(record.value, record.headers) for record in one.records()] == [(None, headers), (b"", headers)]
    assert one.delete_horizon_ms == NOW_MS + 500


# --- when ------------------------------------------------------------------------------------------------------------


def test_nothing_is_compiled_after_the_kernels_were(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core import event

    made: list[Any] = []

    def seen(*given: Any) -> Any:
        made.append(rebuilt_batches(*given))
        return made[-1]

    monkeypatch.setattr(compaction, "rebuilt_batches", seen)
    monkeypatch.setattr(compaction.COMPACTION_KERNELS, "is_there", False)
    compaction.compile_kernels()
    assert len(made) == 2 and None not in made
    with event.install_recorder("numba:compile") as recorded:
        log = b"".join(part.data for part in some_batches(Random(3), 60))
        kept(log, [b"k1", b"k2"])
        offsets, _ = mapped(log)
    assert offsets.use_kernels and not recorded.buffer


def test_they_are_used_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Ready:
        def are_ready(self, size: int) -> bool:
            asked.append(size)
            return len(asked) > 1

    data = batch([content(0, 1, b"a")]).data
    monkeypatch.setattr(compaction, "COMPACTION_KERNELS", Ready())
    assert [mapped(data)[0].use_kernels for _ in range(2)] == [False, True] and asked == [len(data)] * 2

    def missing() -> None:
        raise MissingDependencyError("numba", "fast")

    monkeypatch.setattr(compaction, "map_kernels", missing)
    assert not mapped(data)[0].use_kernels and len(kept(data).data) == len(data)
