"""The samples as tests see them: partition folders that real brokers wrote, each with its sidecar and its oracle.

`samples/<root>/<topic>-<partition>/` is a partition; `<topic>-<partition>.json` beside it says who wrote it, how,
and what became of it. The records as a consumer read them, or the text of that version's own dump tool, lie there, too.
Nothing of an oracle comes from kformat.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kformat.kafka.batch.batches import AnyBatch, BatchHeaders, iter_batches, read_batch_headers
from kformat.kafka.batch.records import Record, TimestampType
from kformat.kafka.index.indexing import DEFAULT_PROFILE, IndexedBatches
from kformat.kafka.index.lookup import Answer
from kformat.kafka.log.partition import Partition, Segment, open_partition

ROOT = Path(__file__).resolve().parents[1] / "samples"
CURRENT_MAGIC = 2


def by_root(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Files or folders of the samples, in order, by the log dir root that they lie in: a case each would cost more than
    what most cases do."""
    found: dict[str, list[Path]] = {}
    for path in sorted(paths):
        found.setdefault(path.relative_to(ROOT).parts[0], []).append(path)
    return found


# A record in a deep dump. Each version has its own order and spelling, but all name these things before the payload.
_LINE = re.compile(rb"^(?:\| )?offset: (?P<offset>\d+) (?P<rest>.*)$", re.MULTILINE)
_TIME = re.compile(rb"\b(?P<type>CreateTime|LogAppendTime): (?P<timestamp>-?\d+)")
_KEY_SIZE, _VALUE_SIZE = re.compile(rb"\bkey[sS]ize: (-?\d+)"), re.compile(rb"\b(?:value[sS]|payloads)ize: (-?\d+)")
_CONTROL = re.compile(rb" headerKeys: \[\] (?:endTxnMarker|controlType|LeaderChange): ")


@dataclass(frozen=True)
class Sample:
    """One partition folder with what its sidecar says."""

    root: str
    """The log dir root that it lies in: the broker's version, or that and what the root is there for."""
    name: str
    sidecar: dict[str, Any] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.root}/{self.name}"

    @property
    def path(self) -> Path:
        return ROOT / self.root / self.name

    @property
    def version(self) -> str:
        """The broker's."""
        return str(self.sidecar["written_by"]["version"])

    @property
    def magic(self) -> int:
        return int(self.sidecar["magic"])

    @property
    def profile(self) -> str:
        """The writer profile of its indexes (kformat.kafka.index.indexing)."""
        return str(self.sidecar["writer_profile"])

    @property
    def index_interval_bytes(self) -> int:
        return int(self.sidecar["index_interval_bytes"])

    @property
    def max_index_size_bytes(self) -> int:
        """`segment.index.bytes`; Kafka's default where neither topic nor broker says otherwise."""
        broker_wide = self.sidecar["broker_config"].get("log.index.size.max.bytes", 10 * 1024 * 1024)
        kept = self.sidecar.get("preallocated", {"kept_bytes": broker_wide})["kept_bytes"]
        return int(self.sidecar["topic_config"].get("segment.index.bytes", kept))

    @property
    def compacted(self) -> bool:
        """The cleaner has been over all segments but the active one."""
        return bool(self.sidecar["compacted"])

    @property
    def reopened(self) -> bool:
        """A broker started with the partition lying there, and went on writing."""
        return bool(self.sidecar["reopened"])

    @property
    def is_untrimmed(self) -> bool:
        """The active segment's indexes are not trimmed and lack the closing entry: the broker ended by kill -9, or it
        is KRaft's own log, which a clean stop leaves so from 4.4 on."""
        return self.sidecar["stopped"] == "kill -9" or "preallocated" in self.sidecar

    @property
    def has_records(self) -> bool:
        """Whether the oracle is a consumer's records; of internal topics it is the text of the dump tool."""
        return "records" in self.sidecar

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The oracle's records: offset, timestamp, timestamp_type (Kafka's word), key, value, headers."""
        path = self.path.parent / self.sidecar["records"]["file"]
        return [decoded(json.loads(line)) for line in gzip.decompress(path.read_bytes()).splitlines()]

    @cached_property
    def dump(self) -> bytes:
        """The oracle's text of the `.log` files, for partitions without a consumer's records."""
        return gzip.decompress((self.path.parent / self.sidecar["dump"]["file"]).read_bytes())

    @property
    def control_lines(self) -> list[bytes]:
        """The lines that the dump tool of that version printed about control records."""
        if self.has_records:
            return [line.encode() for line in self.sidecar["control_records"]["lines"]]
        return [match[0] for match in _LINE.finditer(self.dump) if _CONTROL.search(match[0])]

    def dumped(self) -> list[tuple[int, str | None, int, int, int]]:
        """What the dump text tells of each record: offset, timestamp type, timestamp, key and value size (-1: null)."""
        return [line_facts(match[0]) for match in _LINE.finditer(self.dump)]

    def open(self) -> Partition:
        """The folder as kformat lists it."""
        return open_partition(self.path)


def decoded(record: dict[str, Any]) -> dict[str, Any]:
    record["key"], record["value"] = _bytes(record["key"]), _bytes(record["value"])
    record["headers"] = [(name, _bytes(value)) for name, value in record["headers"]]
    return record


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)


def line_facts(line: bytes) -> tuple[int, str | None, int, int, int]:
    """The same of one line, as `Sample.control_lines` has them; ValueError where it does not look like a record's."""
    record, value_size = _LINE.match(line), _VALUE_SIZE.search(line)
    if record is None or value_size is None:
        raise ValueError(f"not a record's line of a dump: {line!r}")
    time, key_size = _TIME.search(line), _KEY_SIZE.search(line)  # magic 0 has no time; old tools pass over a null key
    word, timestamp = (None, -1) if time is None else (time["type"].decode(), int(time["timestamp"]))
    return int(record["offset"]), word, timestamp, -1 if key_size is None else int(key_size[1]), int(value_size[1])


def size(data: bytes | None) -> int:
    """A length as the dump tool prints it: -1 for null."""
    return -1 if data is None else len(data)


def kafka_word(record: Record) -> str | None:
    """The record's timestamp type in Kafka's spelling; None for magic 0, which has none."""
    return {0: "CreateTime", 1: "LogAppendTime"}.get(record.timestamp_type)


def as_consumed(record: Record) -> dict[str, Any]:
    """A record in the oracle's words."""
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "timestamp_type": kafka_word(record),
        "key": record.key,
        "value": record.value,
        "headers": list(record.headers),
    }


class Told(NamedTuple):
    """What ListOffsets answers: -1 for an offset, a timestamp, a leader epoch that there is not."""

    offset: int
    timestamp: int
    leader_epoch: int


def as_told(answer: Answer) -> Told:
    """An answer of kformat's in ListOffsets' form."""
    numbers = (answer.offset, answer.timestamp, answer.leader_epoch)
    return Told(*(-1 if number is None else number for number in numbers))


@lru_cache
def all_samples() -> tuple[Sample, ...]:
    """Every partition with a sidecar, by root and name."""
    sidecars = sorted(ROOT.glob("*/*.json"))
    return tuple(Sample(path.parent.name, path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in sidecars)


def current_samples() -> tuple[Sample, ...]:
    """Every partition whose batches are of magic 2."""
    return tuple(sample for sample in all_samples() if sample.magic == CURRENT_MAGIC)


def indexed_batches(segment: Segment, profile: str = DEFAULT_PROFILE) -> IndexedBatches:
    """What `indexing.index_entries` wants to know of a segment, each batch taken for an append of its own.

    Under the profiles up to 3.7 the records of uncompressed create_time batches that raise the segment's largest
    timestamp are read, for the offset of the first one that carries it; and, for their first offsets, the wrappers
    of magic 0 and 1.
    """
    headers = read_batch_headers(segment.log)
    offsets = headers.last_offset
    if profile not in ("first-offset", "last-offset"):
        return IndexedBatches.from_headers(headers)
    for number in np.flatnonzero((headers.magic < CURRENT_MAGIC) & (headers.compression != 0)).tolist():
        first_offset = _batch(segment, headers, number).base_offset
        headers.columns["last_offset_delta"][number] = offsets[number] - first_offset
        headers.columns["base_offset"][number] = first_offset
    by_record = (headers.compression == 0) & (headers.timestamp_type == TimestampType["create_time"])
    so_far = np.maximum.accumulate(np.concatenate(([-1], headers.max_timestamp)))
    raises = headers.max_timestamp > so_far[:-1]
    for number in np.flatnonzero(by_record & raises).tolist():
        records = _batch(segment, headers, number).records()
        first = max(records, key=lambda record: record.timestamp, default=None)  # the first on ties
        if first is not None:
            offsets[number] = first.offset
    return IndexedBatches.from_headers(headers, max_timestamp_offset=offsets)


def _batch(segment: Segment, headers: BatchHeaders, number: int) -> AnyBatch:
    position = int(headers.position[number])
    return next(iter_batches(segment.log, position, position + int(headers.size[number])))
