"""Batches that kformat built, read by Kafka's own classes: of every sample, and in every codec.

One JVM per version of Kafka reads every partition twice: as the broker wrote it, and parsed and built again by kformat.
What Kafka makes of the two is the same, in all but what depends on how well a codec compressed.
Damaged ones are shown to Kafka in `test_differential.py`.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.kafka.batch.batches import AnyBatch
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import CURRENT_MAGIC
from tests.draws import every, newest_by_day
from tests.judges import read_batches, releases
from tests.judges.required import require
from tests.samples import Sample, all_samples

SAMPLES = every(2, all_samples())
VERSIONS = releases.LIVE
INDIVIDUAL = ("position", "size", "crc")
"""What another compression of the same records changes."""

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


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
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


@pytest.mark.parametrize("version", newest_by_day(*VERSIONS))
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
