"""Everything declared that lies in the samples, by format: whole files, batches, control records."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import kformat
from kformat.kafka.batch.framing import CURRENT_MAGIC, Walk
from kformat.kafka.batch.records import CONTROL_VALUES
from kformat.language.declaration import load_declaration
from kformat.language.shipped import shipped_names
from kformat.storage.byte_source import ByteSource
from tests.kaitai_witness import LIBRARY
from tests.samples import ROOT as SAMPLES

VERSIONS = sorted({path.parent.name for path in SAMPLES.glob("*/*.json")})
OF_LOGS = {"record_batch", "legacy_message"}


@functools.cache
def file_formats() -> dict[str, str]:
    """File extension -> format, for formats that are a whole file."""
    names = set(shipped_names()) - OF_LOGS - LIBRARY
    metas = {name: yaml.safe_load(load_declaration(name).text)["meta"] for name in names}
    return {f".{meta['file-extension']}": name for name, meta in metas.items()}


def sample_values(version: str) -> Iterator[tuple[str, bytes, str]]:
    """Format, bytes and place of everything declared that one version's samples hold."""
    for path in sorted(path for path in (SAMPLES / version).rglob("*") if path.is_file()):
        place = str(path.relative_to(SAMPLES))
        if path.suffix in file_formats():
            yield file_formats()[path.suffix], path.read_bytes(), place
        elif path.suffix in (".log", ".checkpoint"):
            yield from entries(path, place)


def entries(path: Path, place: str) -> Iterator[tuple[str, bytes, str]]:
    with ByteSource(path) as source:
        for frame in Walk(source):
            format = "record_batch" if frame.magic == CURRENT_MAGIC else "legacy_message"
            data, where = source.read_at(frame.position, frame.size), f"{place}:{frame.position}"
            yield format, data, where
            if format == "record_batch":
                yield from control_records(data, where)
                if path.parent.name.startswith("__transaction_state-"):
                    yield from transaction_records(data, where)


def control_records(data: bytes, where: str) -> Iterator[tuple[str, bytes, str]]:
    batch: Any = kformat.parse("record_batch", data)
    for record in batch.records if batch.attributes.is_control else ():
        yield "control_record_type_schema", record.key, f"{where} key"
        key: Any = kformat.parse("control_record_type_schema", record.key)
        yield CONTROL_VALUES[key.type.name], record.value, f"{where} value"


def transaction_records(data: bytes, where: str) -> Iterator[tuple[str, bytes, str]]:
    batch: Any = kformat.parse("record_batch", data)
    for record in batch.records:
        yield "transaction_log_key", record.key, f"{where} key"
        if record.value is not None:
            yield "transaction_log_value", record.value, f"{where} value"
