"""The samples themselves: all there, unchanged since the broker wrote them, small, and of the kinds they claim to be.

Which kinds there must be stands here; what a partition claims stands in its sidecar; and each claim is looked for in
the oracle's records, the broker's files, or the batch headers.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.batch.batches import iter_batches, read_batch_headers
from kformat.kafka.batch.framing import HEADER_BYTES
from tests.judges import releases
from tests.samples import CURRENT_MAGIC, ROOT, Sample, all_samples

LIMIT_BYTES = 8 * 1024 * 1024
CLIENTS = "4.3.1-clients"
ROOTS = (*releases.SAMPLES, CLIENTS)
SIDECAR_KEYS = {
    "sample", "kinds", "written_by", "client", "command", "fed", "topic_config", "broker_config", "magic",
    "writer_profile", "index_interval_bytes", "stopped", "reopened", "compacted", "files",
}  # fmt: skip
CODECS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
NO_PRODUCER = ("-1/-1/-1", "-1/-1/0", "-1/0/0")
"""Producer id, epoch and base sequence of batches whose producers are not idempotent."""

SINCE = {
    "uncompressed": (0, 8),
    **{f"{codec} by the producer": (0, 8) for codec in ("gzip", "snappy", "lz4")},
    "null and empty keys and values": (0, 8),
    "tombstones": (0, 8),
    "several segments": (0, 8),
    "trimmed indexes": (0, 8),
    "preallocated indexes": (0, 8),
    "compacted": (0, 8),
    "one record": (0, 8),
    "__consumer_offsets": (0, 8),
    **{f"{codec} by the broker": (0, 9) for codec in ("gzip", "snappy", "lz4")},
    "out-of-order CreateTime": (0, 10),
    "LogAppendTime": (0, 10),
    "headers": (1,),
    "text that is not UTF-8": (1,),
    "transactions committed and aborted": (1,),
    "open transaction": (1,),
    "idempotent producer": (1,),
    "index rounded to whole entries": (1,),
    "leftover files": (1,),
    "recovered": (1,),
    "several leader epochs": (4,),
    "no record": (1,),
    "__transaction_state": (1,),
    **{f"zstd by the {who}": (2, 1) for who in ("broker", "producer")},
    "__cluster_metadata": (3,),
}
"""Every kind of sample, and the version from which on each broker's samples must have it."""

UNTIL = {"older message format": ((0, 10), (3,))}
"""Kinds that only some brokers can write: from the first version on, before the second."""


def version_of(sample: Sample) -> tuple[int, ...]:
    return tuple(int(part) for part in sample.version.split("."))


def files(sample: Sample, suffix: str) -> list[Path]:
    return sorted(sample.path.glob(f"*{suffix}"))


def headers(sample: Sample, name: str) -> list[Any]:
    """One header field of all batches of a sample of magic 2."""
    return [value for log in files(sample, ".log") for value in getattr(read_batch_headers(log), name).tolist()]


def is_padded(path: Path) -> bool:
    """Whether an index still has the zeros of its preallocation: its last entry of 8 or 12 bytes is 0."""
    data = path.read_bytes()
    return len(data) > 0 and not any(data[-(12 if path.suffix == ".timeindex" else 8) :])


def compressed_by(codec: str) -> Callable[[Sample], bool]:
    # Headers of older formats are no business of this walk; the dump tools of their time tell of them.
    return lambda sample: sample.magic < CURRENT_MAGIC or set(headers(sample, "compression")) == {CODECS[codec]}


def producer_fields(fields: str) -> Callable[[Sample], bool]:
    names = ("producer_id", "producer_epoch", "base_sequence")
    return lambda s: {"/".join(map(str, of)) for of in zip(*(headers(s, n) for n in names), strict=True)} == {fields}


def not_utf8(data: bytes | None) -> bool:
    try:
        return (data or b"").decode() is None
    except UnicodeDecodeError:
        return True


def out_of_order(sample: Sample) -> bool:
    times = [record["timestamp"] for record in sample.records]
    return times != sorted(times) and {record["timestamp_type"] for record in sample.records} == {"CreateTime"}


def has_gaps(sample: Sample) -> bool:
    offsets = [record["offset"] for record in sample.records]
    return offsets[-1] + 1 > len(offsets) + len(sample.control_lines)


def ends_open(sample: Sample) -> bool:
    """Whether some producer's last transactional batch is not a marker."""
    facts = (headers(sample, name) for name in ("producer_id", "is_transactional", "is_control"))
    last_is_marker = {producer: marker for producer, transactional, marker in zip(*facts, strict=True) if transactional}
    return not all(last_is_marker.values())


def both_null_and_empty(sample: Sample) -> bool:
    sides = ([record[side] for record in sample.records] for side in ("key", "value"))
    return all(None in side and b"" in side for side in sides)


PROOF: dict[str, Callable[[Sample], bool]] = {
    "uncompressed": lambda s: s.magic < CURRENT_MAGIC or set(headers(s, "compression")) == {0},
    **{f"{codec} by the {who}": compressed_by(codec) for codec in CODECS for who in ("producer", "broker")},
    "null and empty keys and values": both_null_and_empty,
    "tombstones": lambda s: any(record["key"] and record["value"] is None for record in s.records),
    "several segments": lambda s: len(files(s, ".log")) > 1,
    "trimmed indexes": lambda s: all(0 < path.stat().st_size < 2000 for path in files(s, ".index")),
    "preallocated indexes": lambda s: (
        is_padded(files(s, ".index")[-1]) and files(s, ".index")[-1].stat().st_size == 2000
    ),
    "compacted": lambda s: s.compacted and has_gaps(s),
    "one record": lambda s: len(s.records) == 1,
    "no record": lambda s: not s.records and [path.stat().st_size for path in files(s, ".log")] == [0],
    "__consumer_offsets": lambda s: b"payload:" in s.dump,
    "__transaction_state": lambda s: b"payload:" in s.dump,
    "__cluster_metadata": lambda s: len(s.control_lines) > 0 and any(headers(s, "is_control")),
    "out-of-order CreateTime": out_of_order,
    "LogAppendTime": lambda s: {record["timestamp_type"] for record in s.records} == {"LogAppendTime"},
    "headers": lambda s: any(len(record["headers"]) > 1 for record in s.records),
    "text that is not UTF-8": lambda s: sum(not_utf8(record["value"]) for record in s.records) > 100,
    "transactions committed and aborted": lambda s: (
        {"COMMIT", "ABORT"} == {line.split(b"endTxnMarker: ")[1].split()[0].decode() for line in s.control_lines}
    ),
    "open transaction": ends_open,
    "idempotent producer": lambda s: len({producer for producer in headers(s, "producer_id") if producer >= 0}) > 1,
    "index rounded to whole entries": lambda s: s.max_index_size_bytes % 8 != 0 and len(files(s, ".index")) > 1,
    "leftover files": lambda s: len(files(s, ".log.deleted")) > 0,
    "recovered": lambda s: s.reopened,
    "several leader epochs": lambda s: len(set(headers(s, "partition_leader_epoch"))) > 1,
    "older message format": lambda s: s.magic == (0 if version_of(s) < (0, 11) else 1),
    "codecs in turn": lambda s: set(headers(s, "compression")) == {0, *CODECS.values()},
    **{f"no producer id: {fields}": producer_fields(fields) for fields in NO_PRODUCER},
}
"""How each claim shows."""


def test_every_version_has_samples() -> None:
    assert {sample.version for sample in all_samples()} == set(releases.SAMPLES)


def test_the_folder_is_small() -> None:
    sizes = {
        path: path.stat().st_size for path in ROOT.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert sum(sizes.values()) < LIMIT_BYTES, sorted(sizes, key=sizes.__getitem__)[-5:]


@pytest.mark.parametrize("version", releases.SAMPLES)
def test_every_kind_is_there(version: str) -> None:
    samples = [sample for sample in all_samples() if sample.root == version]
    number = version_of(samples[0])
    wanted = {kind for kind, since in SINCE.items() if since <= number}
    wanted |= {kind for kind, (since, until) in UNTIL.items() if since <= number < until}
    assert {kind for sample in samples for kind in sample.sidecar["kinds"]} == wanted


@pytest.mark.parametrize("root", ROOTS)
def test_samples_are_what_they_claim_to_be(root: str) -> None:
    for sample in all_samples():
        if sample.root == root:
            unproved = [kind for kind in sample.sidecar["kinds"] if not PROOF[kind](sample)]
            assert not unproved, f"{sample} does not look like {unproved}"


FRAMINGS = {
    "franz-go": {"gzip": {"00 ff"}, "snappy": {"raw"}, "lz4": {"64 70"}, "zstd": {"checksum"}},
    "kafka-go": {"gzip": {"00 ff"}, "snappy": {"raw", "xerial"}, "lz4": {"64 70"}, "zstd": {"checksum"}},
    "kafkajs": {"gzip": {"00 03"}, "snappy": {"raw"}, "lz4": {"64 70"}, "zstd": {"size"}},
    "platformatic-kafka": {"gzip": {"00 03"}, "snappy": {"raw"}, "lz4": {"60 40", "60 50"}, "zstd": {"size"}},
    "rskafka": {"gzip": {"00 ff"}, "snappy": {"raw"}, "lz4": {"74 40"}, "zstd": {"bare"}},
    "sarama": {"gzip": {"00 ff"}, "snappy": {"xerial"}, "lz4": {"64 40"}, "zstd": {"checksum"}},
}
"""How each client frames what it compressed: gzip's flags and system, LZ4's flags and block size, what a zstd frame has
besides blocks."""


def framing(codec: str, payload: bytes) -> str:
    if codec == "gzip":
        return payload[8:10].hex(" ")
    if codec == "snappy":
        return "xerial" if payload.startswith(b"\x82SNAPPY\0") else "raw"
    if codec == "lz4":
        return payload[4:6].hex(" ")
    return "checksum" if payload[4] & 4 else "size" if payload[4] & 0xE0 else "bare"


def test_every_client_has_every_codec_in_its_own_framing() -> None:
    """By topic, whose first partition is without producer ids; one record in a batch, several, and a long one."""
    found: dict[str, dict[str, set[str]]] = {}
    for sample in all_samples():
        if sample.root == CLIENTS:
            of_topic = found.setdefault(sample.open().topic, {codec: set() for codec in CODECS})
            batches = [batch for log in files(sample, ".log") for batch in iter_batches(log)]
            assert {1, 5, 12} <= {batch.records_count for batch in batches}, sample
            for batch in batches:
                if batch.compression:
                    of_topic[batch.compression_name].add(framing(batch.compression_name, batch.raw[HEADER_BYTES:]))
            if sample.name.endswith("-0"):
                assert max(len(record["value"] or b"") for record in sample.records) > 65536, sample
    assert found == FRAMINGS


def test_every_client_writes_its_own_producer_fields() -> None:
    kinds = Counter(kind for sample in all_samples() if sample.root == CLIENTS for kind in sample.sidecar["kinds"])
    everywhere = dict.fromkeys(("codecs in turn", "headers", "null and empty keys and values"), 10)
    assert kinds == everywhere | {"idempotent producer": 4} | {f"no producer id: {fields}": 2 for fields in NO_PRODUCER}


@pytest.mark.parametrize("version", [one for one in releases.SAMPLES if releases.version_tuple(one) >= (3,)])
def test_cleaned_logs_hold_what_only_cleaners_write(version: str) -> None:
    (sample,) = (sample for sample in all_samples() if str(sample) == f"{version}/compacted-0")
    assert 0 in headers(sample, "records_count"), "no empty batch"
    assert any(headers(sample, "has_delete_horizon")), "no delete horizon"


@pytest.mark.parametrize("root", ROOTS)
def test_files_are_as_the_broker_left_them(root: str) -> None:
    folders = {path.name for path in (ROOT / root).iterdir() if path.is_dir()}
    samples = [sample for sample in all_samples() if sample.root == root]
    assert {sample.name for sample in samples} == folders
    for sample in samples:
        assert SIDECAR_KEYS <= set(sample.sidecar), sample
        assert sample.sidecar["sample"] == str(sample)
        assert sample.version == root.partition("-")[0]
        assert ("records" in sample.sidecar) != ("dump" in sample.sidecar), sample
        found = {
            path.name: {"size": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for path in sample.path.iterdir()
        }
        assert found == sample.sidecar["files"], sample


@pytest.mark.parametrize("root", ROOTS)
def test_oracles_are_whole(root: str) -> None:
    for sample in all_samples():
        if sample.root == root and sample.has_records:
            offsets = [record["offset"] for record in sample.records]
            assert len(offsets) == sample.sidecar["records"]["count"]
            assert offsets == sorted(set(offsets))
            expected = {"offset", "timestamp", "timestamp_type", "key", "value", "headers"}
            assert all(set(record) == expected for record in sample.records)
        elif sample.root == root:
            assert sample.dump.startswith(b"Dumping " + sample.name.encode() + b"/0")


def test_nothing_here_tells_of_the_machine() -> None:
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".properties", ""):
            text = path.read_bytes()
            assert b"/tmp/" not in text and b"/home/" not in text and b"/root/" not in text, path
    for path in ROOT.glob("*/*.json"):
        assert path.read_text(encoding="utf-8") == json.dumps(_parsed(path), indent=1, ensure_ascii=False) + "\n"


def _parsed(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
