"""What Kafka 4.3.1 makes of a file: a model of its readers and of its dump tool, from the bytes alone.

`reader` is Kafka's record classes on a file: FileLogInputStream, which does not look at checksums, then each batch's
records. `dump` is DumpLogSegments with `--print-data-log`. The model reads with our codec, which takes what Kafka
takes, and says which exception Kafka ends with. tests/test_corpus_judge.py holds it against Kafka itself.
"""

from __future__ import annotations

from typing import Any, Final

from kformat.batches import AnyBatch
from kformat.codec import parse
from kformat.compression import CURRENT_MAGIC
from kformat.errors import CompressionError, DataError
from kformat.framing import FRAME_BYTES, HEADER_BYTES, MINIMUM_LENGTH, PEEK_BYTES
from kformat.layout import layout
from kformat.legacy import MINIMUM_BYTES, LegacyBatch
from kformat.records import Batch, parse_control_record
from kformat.sidecars import is_sidecar, parse_sidecar

VERSION: Final = "4.3.1"
READS: Final = "reads"

_MAX_INT32: Final = 2**31 - 1
_LENGTH: Final = layout("record_batch").reader("batch_length")
_MAGIC: Final = layout("record_batch").reader("magic")


def frames(data: bytes) -> tuple[list[tuple[int, bytes]], str]:
    """The batches that FileLogInputStream finds, with their positions, and how it ends."""
    found: list[tuple[int, bytes]] = []
    position = 0
    while position < len(data) - PEEK_BYTES:
        length = _LENGTH(data, position)
        if length < MINIMUM_LENGTH:
            return found, "CorruptRecordException"
        if position > len(data) - FRAME_BYTES - length:
            break
        end = position + FRAME_BYTES + length
        found.append((position, data[position:end]))
        position = end
    return found, READS if position == len(data) else f"stops at {position}"


def log_verdict(data: bytes) -> dict[str, Any]:
    """What Kafka makes of a log or a metadata snapshot.

    ``reader`` is ``reads``, ``stops at N`` where it takes the rest for the end of the log without a word, or the name
    of the exception; ``at`` is the position of the batch that it ends with then. ``invalid``: the positions of batches
    whose checksum is wrong, at which consumers and followers end. ``dump``: as ``reader``, with trailing bytes told.
    """
    found, end = frames(data)
    invalid: list[int] = []
    failed: tuple[str, int] | None = None
    dumped = ""
    for position, raw in found:
        batch, problem = _view(raw, position)
        if problem is None and batch is not None:
            problem = _records_of(batch)
            if not batch.is_valid:
                invalid.append(position)
            if not dumped:
                dumped = problem or _control_of(batch)
        elif not dumped:
            dumped = problem or ""
        if problem is not None and failed is None:
            failed = problem, position
    verdict: dict[str, Any] = {"reader": failed[0] if failed else end, "at": None, "invalid": invalid}
    if failed is not None:
        verdict["at"] = failed[1]
    elif end == "CorruptRecordException":
        verdict["at"] = sum(len(raw) for _, raw in found)
    verdict["dump"] = dumped or ("CorruptRecordException" if end == "CorruptRecordException" else READS)
    return verdict


def _view(raw: bytes, position: int) -> tuple[AnyBatch | None, str | None]:
    """The batch as Kafka's readers see it: what is not magic 0 or 1 is taken for 2, or for an old message below 0."""
    magic = _MAGIC(raw, 0)
    if magic >= CURRENT_MAGIC:
        return (Batch(raw, position), None) if len(raw) >= HEADER_BYTES else (None, "IndexOutOfBoundsException")
    if magic < 0:
        return None, "IllegalArgumentException"
    return (LegacyBatch(raw, position), None) if len(raw) >= MINIMUM_BYTES else (None, "IndexOutOfBoundsException")


def _records_of(batch: AnyBatch) -> str | None:
    """The exception that Kafka ends with when it iterates over the records."""
    try:
        for _ in batch.records():
            pass
    except DataError as error:
        return _legacy_exception(error) if isinstance(batch, LegacyBatch) else _exception(error, batch)
    return None


def _control_of(batch: AnyBatch) -> str:
    """The exception that the dump tool ends with when it prints the control records of a batch; "" for none."""
    if isinstance(batch, LegacyBatch) or not batch.is_control:
        return ""
    for record in batch.records():
        try:
            key, value = parse_control_record(record)
        except DataError as error:
            return "InvalidRecordException" if error.path.startswith("control_record") else "RuntimeException"
        if getattr(key.type, "name", "") == "leader_change" and value is not None and value.version:
            # Kafka reads every leader change as version 0, and has written no other.
            return "RuntimeException"
    return ""


def _exception(error: DataError, batch: Batch) -> str:
    if isinstance(error, CompressionError):
        return "KafkaException"
    if error.path.endswith("attributes.compression"):
        return "IllegalArgumentException"
    if error.path.endswith("].length"):
        if not batch.compression and error.message == "a varint that does not end":
            return "IllegalArgumentException"
        if batch.compression and getattr(error.partial, "length", 0) == _MAX_INT32:
            return "OutOfMemoryError"  # it makes room for the record before it reads it
    return "InvalidRecordException"


def _legacy_exception(error: DataError) -> str:
    if isinstance(error, CompressionError):
        return "KafkaException"
    if error.path.endswith("attributes.compression") or error.path.endswith("magic"):
        return "IllegalArgumentException"
    if error.path.endswith("message_size"):
        return "CorruptRecordException"
    if error.message.startswith("runs past"):
        return "IllegalArgumentException"
    return "InvalidRecordException"


def verdict_of(kind: str, name: str, data: bytes) -> dict[str, Any]:
    """What Kafka makes of a file of any kind; see `log_verdict` for logs.

    Of other files ``dump`` is what the tool does: ``reads``, ``ignores`` (a file it does not know), or the exception;
    ``reader`` is what Kafka's own class for the file does, None where there is none of interest.
    """
    if kind in ("log", "metadata_snapshot"):
        return log_verdict(data)
    if is_sidecar(name):
        try:
            parse_sidecar(name, data)
        except DataError:
            return {"reader": "refuses", "dump": "ignores"}
        return {"reader": READS, "dump": "ignores"}
    if kind == "producer_snapshot":
        try:
            parse("producer_snapshot", data)
        except DataError:
            return {"reader": "CorruptSnapshotException", "dump": "CorruptSnapshotException"}
    return {"reader": READS, "dump": READS}


__all__ = ["READS", "VERSION", "frames", "log_verdict", "verdict_of"]
