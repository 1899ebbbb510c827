"""Records of real partitions: what a consumer read is what kformat reads, and what it builds are the bytes it read.

Every partition is a case of each test, by name. The oracle is a consumer's, or, for internal topics, the text of that
version's own dump tool; see samples/README.md. None of the cases differs, so no list of exceptions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.errors import TruncatedError
from kformat.kafka.batch.batches import AnyBatch, iter_batches, read_batch_headers
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.batch.legacy import NO_TIMESTAMP_TYPE
from kformat.kafka.batch.records import Record, add_sequence, parse_control_record
from kformat.storage.byte_source import ByteSource
from tests import samples
from tests.draws import every
from tests.samples import ROOT, Sample, all_samples, kafka_word, line_facts, size

SAMPLES = all_samples()


def batches_of(sample: Sample) -> Iterator[AnyBatch]:
    """All batches of a partition, in log order."""
    for segment in sample.open().segments:
        yield from segment.scan()


def records_of(sample: Sample, *, control: bool) -> list[Record]:
    """The records of the control batches, or those of all others."""
    return [record for batch in batches_of(sample) if batch.is_control == control for record in batch.records()]


def facts(record: Record) -> tuple[int, str | None, int, int, int]:
    """What a line of the dump tool tells of a record."""
    return record.offset, kafka_word(record), record.timestamp, size(record.key), size(record.value)


def test_every_partition_is_a_case() -> None:
    """No folder without a sidecar, no sidecar without a folder, and every magic there ever was."""
    folders = {
        f"{path.parent.name}/{path.name}"
        for path in samples.ROOT.glob("*/*-*")
        if path.is_dir() and path.parent.name != "walkthrough"  # those are built by ours, not by a broker
    }
    assert folders == {str(sample) for sample in samples.all_samples()}
    assert {sample.root for sample in SAMPLES} == {path.name for path in samples.ROOT.glob("[0-9]*")}
    assert len({sample.version for sample in SAMPLES}) == 8 and {sample.magic for sample in SAMPLES} == {0, 1, 2}
    assert {"killed-empty-0", "empty-0"} >= {sample.name for sample in SAMPLES if not list(batches_of(sample))}
    assert all({batch.magic for batch in batches_of(sample)} <= {sample.magic} for sample in SAMPLES)
    assert all(("records" in sample.sidecar) != ("dump" in sample.sidecar) for sample in SAMPLES)


@pytest.mark.parametrize("sample", every(3, [sample for sample in SAMPLES if sample.has_records]), ids=str)
def test_records_equal_the_consumers(sample: Sample) -> None:
    """Offset, timestamp, type, key, value, headers (null apart from empty, in order), without control records."""
    found = [
        {
            "offset": record.offset,
            "timestamp": None if record.timestamp_type == NO_TIMESTAMP_TYPE else record.timestamp,
            "timestamp_type": kafka_word(record),
            "key": record.key,
            "value": record.value,
            "headers": list(record.headers),
        }
        for record in records_of(sample, control=False)
    ]
    assert found == sample.records
    assert len(found) == sample.sidecar["records"]["count"]


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if not sample.has_records], ids=str)
def test_records_equal_the_dump_tools(sample: Sample) -> None:
    """Internal topics: offset, timestamp, type, key and value size of each record, control records included."""
    found = [facts(record) for batch in batches_of(sample) for record in batch.records()]
    assert found == sample.dumped()
    assert found


@pytest.mark.parametrize("sample", every(3, SAMPLES, 1), ids=str)
def test_control_records_equal_the_dump_tools(sample: Sample) -> None:
    """Commit and abort markers with their coordinator epoch, and leader changes, are where the dump tool saw them."""
    found = records_of(sample, control=True)
    assert [facts(record) for record in found] == [line_facts(line) for line in sample.control_lines]
    for record, line in zip(found, sample.control_lines, strict=True):
        key, value = parse_control_record(record)
        marker = re.search(rb" endTxnMarker: (\w+) coordinatorEpoch: (-?\d+)$", line)
        if marker is None:
            assert key.type.name == "leader_change"
        else:
            assert (key.type.name.upper(), value.coordinator_epoch) == (marker[1].decode(), int(marker[2]))


@pytest.mark.parametrize("sample", every(3, SAMPLES, 1), ids=str)
def test_partition_reads_the_same_from_any_offset(sample: Sample) -> None:
    """`Partition.records` gives the records of its batches, also from the middle (by the index) and up to an end."""
    partition = sample.open()
    everything = [record for batch in batches_of(sample) for record in batch.records()]
    assert list(partition.records()) == everything
    if everything:
        start, end = everything[len(everything) // 3].offset, everything[-len(everything) // 3].offset
        assert list(partition.records(start, end)) == [r for r in everything if start <= r.offset < end]


@pytest.mark.parametrize("sample", every(5, SAMPLES), ids=str)
def test_batches_rebuilt(sample: Sample) -> None:
    """Parsed and built again: the same bytes, or, where the records are compressed, the same records and fields; and
    the same bytes where the payload was left as it is."""
    for batch in batches_of(sample):
        assert batch.is_valid
        format = "record_batch" if batch.magic == 2 else "legacy_message"
        assert kformat.build(format, kformat.parse(format, batch.raw, raw=True)) == batch.raw
        parsed = batch.parse()
        built = kformat.build(format, parsed)
        if not batch.compression:
            assert built == batch.raw
        else:
            (again,) = iter_batches(built)
            assert again.is_valid
            assert list(again.records()) == list(batch.records())
            assert described(again.parse()) == described(parsed)
            assert again.batch_length == len(built) - (batch.size - batch.batch_length)


FRAMING_BYTES = {"gzip": (10, 8), "snappy": (16, 0), "lz4": (7, 4), "zstd": (6, 3)}
"""How many bytes of a compressed payload do not depend on the compressor, at its start and at its end.

gzip: the header as the JDK writes it, checksum and size; snappy: xerial's header; lz4: the frame's header with flags
and its checksum, the end mark; zstd: magic, frame header, window, and the last block, which is empty."""


@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if s.magic == 2 and any("by the broker" in k for k in s.sidecar["kinds"])], ids=str
)
def test_framing_is_kafkas(sample: Sample) -> None:
    """Where Kafka's own Java codecs compressed, the payload built again begins and ends in the same bytes."""
    compressed = [batch for batch in batches_of(sample) if batch.compression]
    assert len(compressed) >= 12
    for batch in compressed:
        ours, theirs = kformat.build("record_batch", batch.parse())[HEADER_BYTES:], batch.raw[HEADER_BYTES:]
        head, tail = FRAMING_BYTES[batch.compression_name]
        assert ours[:head] == theirs[:head]
        assert ours[len(ours) - tail :] == theirs[len(theirs) - tail :]


def test_framing_is_kafkas_whatever_client_compressed() -> None:
    """Of each codec one first piece, as in the broker's own; clients write others (tests/kafka/test_samples.py)."""
    heads: dict[str, dict[str, set[bytes]]] = {"broker": {}, "client": {}}
    for sample in SAMPLES:
        who = "client" if sample.root.endswith("-clients") else "broker" if "/broker-" in str(sample) else ""
        for batch in batches_of(sample) if who and sample.version == "4.3.1" else ():
            if batch.compression:
                data = batch.raw if who == "broker" else kformat.build("record_batch", batch.parse())
                head = data[HEADER_BYTES:][: FRAMING_BYTES[batch.compression_name][0]]
                heads[who].setdefault(batch.compression_name, set()).add(head)
    assert heads["client"] == heads["broker"]
    assert {codec: len(found) for codec, found in heads["client"].items()} == dict.fromkeys(FRAMING_BYTES, 1)


def described(parsed: object) -> dict[str, object]:
    """A parsed batch without what depends on how well the codec compressed."""
    fields: dict[str, Any] = parsed._asdict()  # type: ignore[attr-defined]
    fields |= fields.pop("message", {})
    sizes = ("batch_length", "message_size", "value_length", "crc")
    return {name: value for name, value in fields.items() if name not in sizes}


@pytest.mark.parametrize("kept", [0, 5, 40, 61, 70])
def test_a_file_cut_while_it_is_read(kept: int, tmp_path: Path) -> None:
    """A broker may truncate what we read: what is whole is read, and then comes a typed error with its position."""
    (log,) = (ROOT / "4.3.1/plain-0").glob("*.log")
    first, second = list(iter_batches(log))[:2]
    copy = tmp_path / log.name
    copy.write_bytes(log.read_bytes())
    batches = iter_batches(copy)
    assert next(batches).raw == first.raw
    os.truncate(copy, second.position + kept)
    with pytest.raises(TruncatedError) as caught:
        list(batches)
    assert caught.value.position is not None and second.position <= caught.value.position < second.position + 61

    copy.write_bytes(log.read_bytes())
    with ByteSource(copy) as source:
        os.truncate(copy, second.position + kept)
        headers = read_batch_headers(source)
    # The header walk does not read records: a batch whose header is there counts, as long as the size is the old one.
    assert len(headers) == (1 if kept < 61 else 2)
    assert isinstance(headers.problem, TruncatedError)


def test_sequences_wrap_as_javas() -> None:
    """Values that Kafka's classes gave; the last two are of damaged records."""
    pairs = [(0, 5), (2**31 - 1, 1), (2**31 - 1, 2**31 - 1), (0, -2), (46, -3)]
    assert [add_sequence(*pair) for pair in pairs] == [5, 0, 2**31 - 2, 2**31 - 2, 43 - 2**31]


def test_samples_hold_what_they_are_for() -> None:
    """The comparisons above would prove little over batches that are all alike."""
    batches = [batch for sample in SAMPLES for batch in batches_of(sample)]
    records = [record for sample in SAMPLES if sample.has_records for record in records_of(sample, control=False)]
    assert {batch.compression_name for batch in batches} == set(CODEC_NAMES)
    assert {batch.timestamp_type for batch in batches} == {NO_TIMESTAMP_TYPE, 0, 1}
    assert any(batch.is_transactional and not batch.is_control for batch in batches)
    assert any(batch.producer_id >= 0 and not batch.is_transactional for batch in batches)
    assert any(batch.delete_horizon_ms is not None for batch in batches)
    assert any(batch.records_count == 0 for batch in batches)  # emptied by the cleaner, kept for its sequence number
    assert any(batch.records_count <= batch.last_offset_delta for batch in batches)
    assert any(batch.max_timestamp < before.max_timestamp for before, batch in pairwise(batches))
    assert {None, b""} <= {record.key for record in records} and {None, b""} <= {record.value for record in records}
    assert any(len({name for name, _ in record.headers}) < len(record.headers) for record in records)
    assert any(value is None for record in records for _, value in record.headers)
    assert any(value == b"" for record in records for _, value in record.headers)
