"""The state of producers: as brokers have written it down, and its quick ways held against the plain one."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kformat
from kformat.corpus.parts import PlannedRecord, ProducerFields, batch, end_of_transaction
from kformat.integers import MAX_INT32, MIN_INT64
from kformat.kafka.batch.batches import BatchHeaders, iter_batches, read_batch_headers
from kformat.kafka.batch.records import Batch
from kformat.kafka.producers.producer_state import (
    AbortedTransaction,
    EndMarker,
    ProducerBatch,
    ProducerEntry,
    ProducerState,
    batch_of,
    batches_of,
    build_aborted,
    build_entries,
    build_marker,
    last_of_each,
    parse_snapshot,
)
from tests.draws import at_most
from tests.samples import ROOT as SAMPLES

SNAPSHOTS = sorted(path for path in SAMPLES.glob("*/*/*.snapshot") if not path.is_relative_to(SAMPLES / "1.1.1"))
"""Brokers up to 1.1 have another order of entries, that of Scala's map."""


def test_snapshots_of_brokers_are_written_again_byte_by_byte() -> None:
    assert len(SNAPSHOTS) > 100
    most = 0
    for path in SNAPSHOTS:
        data = path.read_bytes()
        state = ProducerState()
        state.load(parse_snapshot(data, str(path)), MIN_INT64)
        assert state.snapshot() == data, path
        most = max(most, len(state))
    assert most > 2


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("[34].*/transactions-0")), ids=lambda path: path.parent.name)
def test_the_log_gives_what_the_broker_noted(path: Path) -> None:
    """Its transaction indexes, and the snapshot of its close."""
    state, noted = ProducerState(), dict[Path, bytes]()
    for log in sorted(path.glob("*.log")):
        headers = read_batch_headers(log)
        raw = log.read_bytes()
        aborted: list[AbortedTransaction] = []
        for one in batches_of(headers, partial(_raw, headers, raw)):
            aborted += state.append([one])
        if aborted:
            noted[log.with_suffix(".txnindex")] = build_aborted(aborted)
    assert noted == {index: index.read_bytes() for index in path.glob("*.txnindex") if index.stat().st_size}
    last = parse_snapshot(max(path.glob("*.snapshot")).read_bytes())
    known = {entry.producer_id: entry for entry in last}
    assert {id: build_entries([known[id]]) for id in known} == {
        id: build_entries([entry]) for id, entry in state.entries.items() if id in known
    }
    assert known


def _raw(headers: BatchHeaders, raw: bytes, row: int) -> bytes:
    return raw[headers.position[row] : headers.position[row] + headers.size[row]]


def test_a_batch_and_its_header_say_the_same() -> None:
    for log in sorted(SAMPLES.glob("4.3.1/*/*.log")):
        headers, raw = read_batch_headers(log), log.read_bytes()
        by_batch = [one for item in iter_batches(log) if isinstance(item, Batch) and (one := batch_of(item))]
        assert list(batches_of(headers, partial(_raw, headers, raw))) == by_batch


IDS = st.integers(0, 3)
STEPS = st.lists(
    st.tuples(IDS, st.integers(0, 2), st.integers(0, MAX_INT32), st.integers(1, 4), st.sampled_from("dddddac"))
)


def _log(steps: list[tuple[int, int, int, int, str]]) -> bytes:
    """Producers 0 and 1 are transactional, the others not."""
    data, offset = b"", 0
    for id, epoch, sequence, count, kind in steps:
        if kind == "d" or id > 1:
            contents = [PlannedRecord(offset + number, 1000 + offset, None, b"v") for number in range(count)]
            data += batch(contents, producer=ProducerFields(id, epoch, sequence), transactional=id < 2).data
            offset += count
        else:
            name = "abort" if kind == "a" else "commit"
            data += end_of_transaction(name, offset, 1000 + offset, ProducerFields(id, epoch, -1)).data
            offset += 1
    return data


@settings(max_examples=at_most(60), deadline=None)
@given(STEPS, STEPS)
def test_the_last_batches_of_each_producer_say_all(
    before: list[tuple[int, int, int, int, str]], steps: list[tuple[int, int, int, int, str]]
) -> None:
    """`last_of_each` is a quick way to the same state, with whatever there was before."""
    states = []
    first, then = _log(before), _log(steps)
    for is_quick in (False, True):
        state = ProducerState()
        for data, kept in ((first, False), (then, is_quick)):
            headers = read_batch_headers(data)
            headers = last_of_each(headers) if kept else headers
            aborted = state.append(batches_of(headers, partial(_raw, headers, data)), "log")
        states.append((state.entries, state.first_unstable_offset, aborted, state.snapshot()))
    assert states[0] == states[1]


@settings(max_examples=at_most(100), deadline=None)
@given(st.lists(st.tuples(IDS, st.integers(0, 2), st.integers(0, 3), st.integers(1, 3)), max_size=30))
def test_no_record_is_taken_twice_from_a_client(steps: list[tuple[int, int, int, int]]) -> None:
    """Of what is taken, the sequences of an epoch go up by one, and epochs do not go back."""
    state, taken = ProducerState(), dict[int, list[tuple[int, int]]]()
    for number, (id, epoch, sequence, count) in enumerate(steps):
        one = ProducerBatch(
            id, epoch, sequence, sequence + count - 1, number * 10, number * 10 + count - 1, 0, False, False, None
        )
        if state.duplicate_of(one) is None:
            try:
                state.append([one], "client")
            except kformat.errors.ProducerError:
                continue
            taken.setdefault(id, []).extend((epoch, sequence + delta) for delta in range(count))
    for of_one in taken.values():
        assert of_one == sorted(set(of_one))
        for (epoch, last), (later, following) in pairwise(of_one):
            assert following == (last + 1 if epoch == later else 0)


def test_bytes_are_those_that_the_codec_builds() -> None:
    state = ProducerState()
    state.load([ProducerEntry(number * 2**31 + 7, number) for number in range(100)], MIN_INT64)
    written = state.snapshot()
    assert kformat.build("producer_snapshot", kformat.parse("producer_snapshot", written)) == written
    rows = [AbortedTransaction(2**62, 1, 2, 3), AbortedTransaction(0, 4, 5, 6)]
    index = {"entries": [one._asdict() for one in rows]}
    assert kformat.build("transaction_index", index) == build_aborted(rows)
    assert np.frombuffer(build_aborted([]), np.uint8).size == 0


@pytest.mark.parametrize("is_log_append_time", [False, True])
def test_markers_are_built_as_the_codec_builds_them(is_log_append_time: bool) -> None:
    for number, (kind, code) in enumerate((("abort", 0), ("commit", 1), ("commit", 1))):
        epoch, producer_id, timestamp = 3 + number // 2, 2**62 + number, 1_700_000_000_000 + number
        built = build_marker(
            *(EndMarker(kind, epoch), producer_id, number, timestamp),
            base_offset=9,
            leader_epoch=4,
            is_log_append_time=is_log_append_time,
        )
        record = {
            "timestamp_delta": 0,
            "offset_delta": 0,
            "key": kformat.build("control_record_type_schema", {"type": code}),
            "value": kformat.build("end_txn_marker", {"coordinator_epoch": epoch}),
            "headers": [],
        }
        assert built == kformat.build(
            "record_batch",
            {
                "base_offset": 9,
                "partition_leader_epoch": 4,
                "attributes": {
                    "timestamp_type": int(is_log_append_time),
                    "is_transactional": True,
                    "is_control": True,
                },
                "base_timestamp": timestamp,
                "max_timestamp": timestamp,
                "producer_id": producer_id,
                "producer_epoch": number,
                "base_sequence": -1,
                "records": [record],
            },
        )
