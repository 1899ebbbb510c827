"""Committed data is what a consumer of it gets: by its own algorithm, over samples, drawn logs and what brokers cut."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import InvalidError, UsageError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Batch
from kformat.kafka.batch.writing import BatchFields, Columns, build_batch
from kformat.kafka.columns.chunks import Wanted
from kformat.kafka.files.file_kinds import file_name
from kformat.kafka.log.partition import Partition
from tests.dump_cases import control, marker
from tests.samples import ROOT as SAMPLES

ABORT, COMMIT = 0, 1
TRANSACTIONAL = sorted(
    path.parent
    for path in SAMPLES.glob("[0-9]*/*/*.txnindex")
    if path.parent.name.partition("-")[0] != "__consumer_offsets"
)


def consumed(partition: Partition) -> list[int]:
    """The offsets that a consumer of committed data sees, told by nothing but the batches: those of a transaction wait
    for its marker, and the first one without ends it all."""
    batches = [
        batch for segment in partition.segments for batch in iter_batches(segment.log) if isinstance(batch, Batch)
    ]
    seen: list[int] = []
    waiting: dict[int, list[int]] = {}
    begins: dict[int, int] = {}
    for batch in batches:
        offsets = [record.offset for record in batch.records()]
        if batch.is_control:
            for record in batch.records() if batch.is_transactional else ():
                assert record.key is not None
                held = waiting.pop(batch.producer_id, [])
                begins.pop(batch.producer_id, None)
                seen += held if record.key[3] == COMMIT else []
        elif batch.is_transactional:
            waiting.setdefault(batch.producer_id, []).extend(offsets)
            begins.setdefault(batch.producer_id, batch.base_offset)
        else:
            seen += offsets
    end = min(begins.values(), default=2**63)
    return sorted(offset for offset in seen if offset < end)


def read(partition: Partition, **more: Any) -> list[int]:
    table = partition.to_arrow("offset", isolation_level="read_committed", **more)
    return [int(offset) for offset in table["offset"].to_pylist()]


@pytest.mark.parametrize("folder", sorted(set(TRANSACTIONAL)), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_committed_records_of_samples(folder: Path) -> None:
    partition = kformat.open(folder)
    expected = consumed(partition)
    assert read(partition) == expected
    assert read(partition, threads=2) == expected
    for offset in range(0, 140, 7):
        assert read(partition, start_offset=offset) == [found for found in expected if found >= offset]
    everything = partition.to_arrow("offset").num_rows
    if folder.name == "transactions-0":
        assert 0 < len(expected) < everything


def drawn(folder: Path, seed: int) -> Partition:
    """A log of a few producers in two segments, with the `.txnindex` files that a broker would write."""
    chance, offset, base = random.Random(seed), 10, 10
    logs, entries = {10: b""}, dict[int, list[tuple[int, int, int]]]({10: []})
    begins: dict[int, int] = {}
    for number in range(60):
        if number == 30:
            base = offset
            logs[base], entries[base] = b"", []
        producer, count = chance.randrange(4), chance.randint(1, 4)
        if producer in begins and chance.random() < 0.35:
            kind, count = chance.choice((ABORT, COMMIT)), 1
            logs[base] += control(offset, kind, marker(1), producer_id=producer)
            first = begins.pop(producer)
            if kind == ABORT:
                entries[base].append((producer, first, offset))
        else:
            is_transactional = producer > 0
            fields = BatchFields(
                is_transactional=is_transactional,
                producer_id=producer if is_transactional else -1,
                producer_epoch=0 if is_transactional else -1,
                base_sequence=number if is_transactional else -1,
                compression=chance.choice(("none", "lz4")),
            )
            columns = Columns([7] * count, [None] * count, [b"v"] * count)
            logs[base] += build_batch(columns, base_offset=offset, fields=fields)
            if is_transactional:
                begins.setdefault(producer, offset)
        offset += count
    folder.mkdir()
    for base, log in logs.items():
        (folder / file_name(base, "log")).write_bytes(log)
        made = [
            {
                "version": 0,
                "producer_id": producer,
                "first_offset": first,
                "last_offset": last,
                "last_stable_offset": last,
            }
            for producer, first, last in entries[base]
        ]
        if made:
            index = kformat.build("transaction_index", {"entries": made})
            (folder / file_name(base, "txnindex")).write_bytes(index)
    return kformat.open(folder)


@pytest.mark.parametrize("seed", range(20))
def test_committed_records_of_drawn_logs(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    partition = drawn(tmp_path / "t-0", seed)
    expected = consumed(partition)
    assert read(partition) == expected
    chunks = list(partition.chunks(partition.committed(Wanted(columns=("offset",))), chunk_bytes=300))
    assert [offset for chunk in chunks for offset in chunk.numbers["offset"].tolist()] == expected
    monkeypatch.setattr("kformat.kafka.columns.chunks._Reader._plain", lambda self, data: None)
    monkeypatch.setattr("kformat.kafka.columns.chunks._Reader._block", lambda self, data: None)  # by the codec alone
    assert read(partition) == expected


def test_a_snapshot_tells_what_is_open(tmp_path: Path) -> None:
    """Of a transaction that began in a segment that is gone, nothing is in the log."""
    folder = tmp_path / "t-0"
    folder.mkdir()
    data = build_batch(Columns([7] * 3, [None] * 3, [b"a", b"b", b"c"]), base_offset=50)
    (folder / file_name(50, "log")).write_bytes(data)
    assert read(kformat.open(folder)) == [50, 51, 52]
    state = {
        "producer_id": 7,
        "producer_epoch": 0,
        "last_sequence": 0,
        "last_offset": 40,
        "offset_delta": 0,
        "timestamp": 1,
        "coordinator_epoch": 0,
        "current_txn_first_offset": 40,
    }
    snapshot = kformat.build("producer_snapshot", {"version": 1, "entries": [state]})
    (folder / file_name(50, "snapshot")).write_bytes(snapshot)
    assert read(kformat.open(folder)) == []
    (folder / file_name(50, "snapshot")).write_bytes(snapshot[:-1])  # a damaged one says nothing
    assert read(kformat.open(folder)) == [50, 51, 52]
    (folder / file_name(50, "snapshot")).unlink()
    (folder / file_name(60, "snapshot")).write_bytes(snapshot)  # from behind the log's end
    assert read(kformat.open(folder)) == [50, 51, 52]


@pytest.mark.parametrize(("taken_at", "expected"), [(49, []), (50, []), (51, [51, 52, 53])])
def test_a_transaction_that_begins_at_a_snapshot_is_open(tmp_path: Path, taken_at: int, expected: list[int]) -> None:
    """A snapshot holds what precedes its offset; the batch at the offset comes after it."""
    folder = tmp_path / "t-0"
    folder.mkdir()
    fields = BatchFields(is_transactional=True, producer_id=7, producer_epoch=0, base_sequence=0)
    data = build_batch(Columns([7], [None], [b"open"]), base_offset=50, fields=fields)
    data += build_batch(Columns([7] * 3, [None] * 3, [b"a", b"b", b"c"]), base_offset=51)
    (folder / file_name(50, "log")).write_bytes(data)
    (folder / file_name(taken_at, "snapshot")).write_bytes(
        kformat.build("producer_snapshot", {"version": 1, "entries": []})
    )
    assert [offset for offset in read(kformat.open(folder)) if offset != 50] == expected


def test_what_cannot_be_told(tmp_path: Path) -> None:
    partition = drawn(tmp_path / "t-0", 1)
    with pytest.raises(UsageError, match="no isolation level 'commited'; there are read_unc"):
        partition.to_arrow(isolation_level="commited")
    with pytest.raises(UsageError, match="read_committed needs all files"):
        kformat.open(partition.segments[0].log).to_arrow(isolation_level="read_committed")
    index = next((tmp_path / "t-0").glob("*.txnindex"))
    index.write_bytes(b"\0\7" + index.read_bytes()[2:])
    with pytest.raises(InvalidError, match="transaction_index"):
        kformat.open(tmp_path / "t-0").to_arrow(isolation_level="read_committed")
