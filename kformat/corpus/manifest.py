"""The manifest of a corpus: each file's content and damage, and the verdicts of `kformat check` and Kafka.

It is made from the cases, sorted by path; nothing in it depends on the machine, the time or the order of a set.
docs/schemas/corpus-manifest.schema.json describes it, docs/corpus.md explains it.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import itertools
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kformat.corpus.damage import Damage
from kformat.corpus.parts import CorpusFile, LogPart, ProducerFields
from kformat.corpus.verdict import VERSION, verdict_of
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.batch.legacy import TIMESTAMP_TYPE_LABELS
from kformat.kafka.batch.records import Record
from kformat.kafka.findings.rules import Finding

FORMAT: Final = "kformat corpus 1"
NAME: Final = "manifest.json"

LARGE_VALUE_BYTES: Final = 4096
"""Larger values are given by size and SHA-256."""


def codec_versions() -> dict[str, str]:
    """The versions of the libraries that determine compressed bytes."""
    return {
        "cramjam": importlib.metadata.version("cramjam"),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }


def record_object(record: Record, control: str | None) -> dict[str, Any]:
    """A record for the manifest: bytes in base64, null for null; of a large value its size and SHA-256."""
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "timestamp_type": TIMESTAMP_TYPE_LABELS[record.timestamp_type],
        "sequence": record.sequence,
        "key": _base64(record.key),
        "value": _value(record.value),
        "headers": [[name, _base64(value)] for name, value in record.headers],
        "control": control,
    }


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _value(data: bytes | None) -> str | dict[str, Any] | None:
    if data is None or len(data) <= LARGE_VALUE_BYTES:
        return _base64(data)
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def batch_object(part: LogPart, position: int) -> dict[str, Any]:
    """A batch, or an entry of magic 0 or 1, for the manifest."""
    producer = part.producer or ProducerFields(-1, -1, -1)
    return {
        "position": position,
        "size": part.size,
        "magic": part.magic,
        "codec": part.codec,
        "base_offset": part.base_offset,
        "last_offset": part.last_offset,
        "records_count": len(part.records),
        "max_timestamp": part.max_timestamp,
        "leader_epoch": part.epoch if part.magic == CURRENT_MAGIC else -1,
        "producer_id": producer.id,
        "producer_epoch": producer.epoch,
        "base_sequence": producer.sequence,
        "is_transactional": part.is_transactional,
        "is_control": "control" in part.attributes,
    }


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding for the manifest."""
    return {"rule": finding.rule, "position": finding.position, "path": finding.path}


def damage_object(damage: Damage) -> dict[str, Any]:
    """Damage for the manifest."""
    return {
        "name": damage.name,
        "what": damage.what,
        "position": damage.position,
        "inflated_position": damage.inflated_position,
        "path": damage.path,
        "crc_mended": damage.crc_mended,
        "found_by": sorted(damage.found_by),
        "undetectable": damage.undetectable or None,
    }


def file_object(
    file: CorpusFile, damage: Damage | None, findings: Iterable[Finding], folder: Mapping[str, bytes] | None
) -> dict[str, Any]:
    """One file of the manifest.

    ``folder``: the files of its folder by name; None if the file itself is no case of the corpus, but an unchanged file
    next to a damaged one.
    """
    name = file.path.rpartition("/")[2]
    covers = file.covers
    entry: dict[str, Any] = {
        "path": file.path,
        "sha256": hashlib.sha256(file.data).hexdigest(),
        "size": len(file.data),
        "kind": file.kind,
        "covers": {
            "magic": list(covers.magic),
            "codec": list(covers.codec),
            "attributes": list(covers.attributes),
            "edge": list(covers.edge),
        },
        "source": file.source or None,
        "damage": None if damage is None else damage_object(damage),
        "findings": [finding_object(finding) for finding in findings],
        "kafka": None if folder is None else verdict_of(file.kind, name, file.data, folder),
    }
    if damage is None and folder is not None:
        if file.kind in ("log", "metadata_snapshot"):
            starts = itertools.accumulate((part.size for part in file.parts), initial=0)
            entry["batches"] = [batch_object(part, at) for part, at in zip(file.parts, starts, strict=False)]
            entry["records"] = [
                record_object(record, part.controls[number] if part.controls else None)
                for part in file.parts
                for number, record in enumerate(part.records)
            ]
        else:
            entry["entries"] = file.entries
    return entry


def manifest_text(seed: int, damage: bool, files: Iterable[Mapping[str, Any]]) -> str:
    """The manifest as JSON, one file a line."""
    head = {
        "format": FORMAT,
        "seed": seed,
        "damage": damage,
        "kformat": importlib.metadata.version("kformat"),
        "codecs": codec_versions(),
        "kafka": VERSION,
    }
    lines = ",\n".join(json.dumps(file, separators=(",", ":")) for file in files)
    return json.dumps(head)[:-1] + ', "files": [\n' + lines + "\n]}\n"


__all__ = ["FORMAT", "LARGE_VALUE_BYTES", "NAME", "codec_versions", "file_object", "manifest_text", "record_object"]
