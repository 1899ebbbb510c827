"""Batches that kformat built, read by Kafka's own classes: of every sample, and in every codec; and damaged ones.

One JVM per version of Kafka reads every partition twice: as the broker wrote it, and parsed and built again by kformat.
What Kafka makes of the two is the same, in all but what depends on how well a codec compressed. And where bytes under
a mended checksum are wrong, Kafka and kformat refuse the same batches and read the same records from the others.
"""

from __future__ import annotations

import base64
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.batches import AnyBatch
from kformat.compression import CODEC_NAMES
from kformat.errors import CompressionError, DataError
from kformat.framing import CURRENT_MAGIC, FRAME_BYTES, HEADER_BYTES
from kformat.layout import layout
from kformat.legacy import LegacyBatch
from kformat.records import Batch
from tests.damages import patched
from tests.judges import read_batches
from tests.judges.required import require
from tests.samples import Sample, all_samples

SAMPLES = all_samples()
VERSIONS = ("4.3.1", "3.9.2")
INDIVIDUAL = ("position", "size", "crc")
"""What another compression of the same records changes."""

_, _, COVERED_FROM = layout("record_batch").checksum()
VARINTS = ("00", "01", "8200", "feffffff0f", "ffffffff0f", "ffffffff7f", "8080808000", "ff" * 9 + "01", "80" * 10)
"""0 and -1, one written long, the ends of int32, one with bits too many, two of five bytes and two of ten."""

pytestmark = pytest.mark.judge


def batches_of(sample: Sample) -> list[AnyBatch]:
    return [batch for segment in sample.open().segments for batch in segment.scan()]


@lru_cache
def rebuilt(sample: Sample) -> bytes:
    """All batches of a partition, parsed and built again."""
    return b"".join(
        kformat.build("record_batch" if batch.magic == CURRENT_MAGIC else "legacy_message", batch.parse())
        for batch in batches_of(sample)
    )


def bare(batch: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in batch.items() if name not in INDIVIDUAL}


def oracle(sample: Sample) -> list[dict[str, Any]]:
    """The consumer's records as the judge prints records."""
    return [
        {
            "offset": record["offset"],
            "timestamp": -1 if record["timestamp"] is None else record["timestamp"],
            "key": text(record["key"]),
            "value": text(record["value"]),
            "headers": [[name, text(value)] for name, value in record["headers"]],
        }
        for record in sample.records
    ]


def text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


@pytest.mark.parametrize("version", VERSIONS)
def test_kafka_reads_what_was_rebuilt(version: str, tmp_path: Path) -> None:
    require(version)
    files = []
    for number, sample in enumerate(SAMPLES):
        for name, data in (("theirs", b"".join(b.raw for b in batches_of(sample))), ("ours", rebuilt(sample))):
            files.append(tmp_path / f"{number}-{name}.log")
            files[-1].write_bytes(data)
    answers = iter(read_batches(version, files))
    recompressed = 0
    for sample, theirs, ours in zip(SAMPLES, answers, answers, strict=True):
        assert [batch for batch in ours if "error" in batch or not batch["is_valid"]] == [], sample
        assert [bare(batch) for batch in ours] == [bare(batch) for batch in theirs], sample
        plain = [(a, b) for a, b in zip(ours, theirs, strict=True) if a["compression"] == "none"]
        assert all(a["crc"] == b["crc"] and a["size"] == b["size"] for a, b in plain), sample
        recompressed += len(ours) - len(plain)
        if sample.has_records:
            read = [record for batch in ours if not batch["is_control"] for record in batch["records"]]
            for record in read:
                del record["sequence"]
            assert read == oracle(sample), sample
        assert [b["base_offset"] for b in ours] == [b.base_offset for b in batches_of(sample)], sample
    assert recompressed > 100


@pytest.mark.parametrize("version", VERSIONS)
def test_kafka_reads_every_codec(version: str, tmp_path: Path) -> None:
    """Batches of other kinds than those that brokers compressed: the uncompressed ones, in each codec."""
    require(version)
    chosen = [sample for sample in SAMPLES if sample.version == version and not sample.compacted]
    batches = [batch for sample in chosen for batch in batches_of(sample) if not batch.is_control]
    batches = [batch for batch in batches if batch.compression == 0 and batch.records_count > 1]
    files = []
    for codec, name in enumerate(CODEC_NAMES):
        files.append(tmp_path / f"{name}.log")
        with files[-1].open("wb") as file:
            for batch in batches:
                parsed: Any = batch.parse()
                parsed.attributes.compression = codec
                file.write(kformat.build("record_batch", parsed))
    theirs, *others = read_batches(version, files)
    assert len(theirs) == len(batches) > 200
    assert sum(batch["size"] for batch in theirs) == sum(batch.size for batch in batches)
    for name, ours in zip(CODEC_NAMES[1:], others, strict=True):
        assert {batch["compression"] for batch in ours} == {name}
        assert all("error" not in batch and batch["is_valid"] for batch in ours)
        assert [bare(batch) | {"compression": "none"} for batch in ours] == [bare(batch) for batch in theirs]


def damaged(source: random.Random, batch: Batch) -> bytes:
    """The batch with a bit, a byte or a few more wrong behind its checksum, and length and checksum as they ask for."""
    data = bytearray(batch.raw)
    for _ in range(source.choice((1, 1, 1, 2))):
        start = COVERED_FROM if source.random() < 0.25 or not batch.records_count else HEADER_BYTES
        at = source.randrange(start, HEADER_BYTES if start < HEADER_BYTES else len(data))
        match source.randrange(5) if start == HEADER_BYTES else 0:
            case 0 | 1:
                data[at] ^= 1 << source.randrange(8)
            case 2:
                data[at] = source.randrange(256)
            case 3:
                varint = bytes.fromhex(source.choice(VARINTS))
                data[at : at + source.choice((1, len(varint)))] = varint
            case 4 if source.random() < 0.5:
                del data[at : at + source.randint(1, 3)]
            case _:
                data[at:at] = source.randbytes(source.randint(1, 3))
    return patched(bytes(data), batch_length=len(data) - FRAME_BYTES)


def stricter(error: DataError | None) -> bool:
    """What we refuse in a compressed payload and Kafka's libraries pass over; test_compression.py says why."""
    text = str(error)
    return isinstance(error, CompressionError) and ("unknown header flags" in text or "within a frame's magic" in text)


def test_kafka_refuses_the_same_damage(tmp_path: Path) -> None:
    """Batches damaged under a mended checksum: the same are refused, and the others hold the same records."""
    version = VERSIONS[0]
    require(version)
    source = random.Random(2)
    kinds: dict[Any, list[Batch]] = {}
    for batch in (batch for sample in SAMPLES for batch in batches_of(sample)):
        if isinstance(batch, LegacyBatch) or batch.size >= 1500:
            continue
        kind = (batch.compression, batch.is_control, batch.records_count == 0, batch.delete_horizon_ms is None)
        kinds.setdefault(kind, []).append(batch)
    chosen = [damaged(source, source.choice(kinds[source.choice(list(kinds))])) for _ in range(5000)]
    chosen = [data for data in chosen if Batch(data).compression < len(CODEC_NAMES)]  # the judge stops at others
    log = tmp_path / "damaged.log"
    log.write_bytes(b"".join(chosen))
    (theirs,) = read_batches(version, [log])
    refused = 0
    for data, judged in zip(chosen, theirs, strict=True):
        error, read = None, []
        try:
            for record in Batch(data).records():
                read.append((record.offset, record.timestamp, record.sequence, text(record.key), text(record.value)))
        except DataError as problem:
            error = problem
        assert (error is not None) == ("error" in judged) or stricter(error), (data.hex(), error, judged)
        if error is None:
            names = ("offset", "timestamp", "sequence", "key", "value")
            assert read == [tuple(record[name] for name in names) for record in judged["records"]], data.hex()
        refused += error is not None
    assert 1000 < refused < 4000
