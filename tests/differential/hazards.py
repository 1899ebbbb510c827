"""What a peer must not be asked, because it would never answer, or read memory that is not the batch's.

kafka-python and aiokafka find the messages of a wrapper by adding up their sizes, and believe every size: a negative
one leads backwards, to the same message for ever (and, in Python, to a list that takes all memory), or in C to bytes in
front of the buffer. `look_out` takes the same steps, with the same inflated bytes, and says where they would lead.
That it really is so, `test_differential.py` shows in processes of their own.
"""

from __future__ import annotations

import importlib
import struct
from dataclasses import dataclass
from typing import Any, Final

from kformat.errors import DataError
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.legacy import LegacyBatch
from kformat.language.layout import layout

_ENTRY: Final = layout("legacy_message::wrapped_message")
_SIZE: Final = _ENTRY.reader("message_size")
_HEAD: Final = _ENTRY.end("message_size")
_MESSAGE: Final = layout("legacy_message::message")
_TIMESTAMP_BYTES: Final = 8
"""Behind what every message begins with, from magic 1 on."""


@dataclass(frozen=True)
class Hazard:
    """Why a peer is not asked: ``hangs``, ``memory``."""

    kind: str


def look_out(peer: str, data: bytes) -> Hazard | None:
    """What would become of a peer that reads these bytes; None where nothing bad would."""
    magic = None
    try:
        for batch in iter_batches(data):
            # The C extension takes the first batch's magic for that of all.
            magic = batch.magic if magic is None or peer != "aiokafka" else magic
            if isinstance(batch, LegacyBatch) and batch.compression:
                found = _wrapper(peer, batch, magic)
                if found is not None:
                    return found
    except DataError as error:
        # A frame too short for its magic: the C extension reads the header from behind its bytes.
        return Hazard("memory") if peer == "aiokafka" and "no batch of magic" in error.message else None
    return None


def _wrapper(peer: str, batch: LegacyBatch, magic: int) -> Hazard | None:
    is_c = peer == "aiokafka"
    if is_c and magic != 1:
        return None
    try:
        payload = _payload(batch, is_c=is_c)
        inflated = None if payload is None else _inflated(peer, batch.compression, magic, payload)
    except Exception:
        return None
    if inflated is None:
        return None
    position, seen = 0, set()
    while position < len(inflated):
        if position in seen:
            return Hazard("hangs")
        seen.add(position)
        if position < 0 or position + _HEAD > len(inflated):
            if is_c:
                return Hazard("memory")
            if position < -len(inflated):
                return None
        at = position if position >= 0 else position + len(inflated)
        if at + _HEAD > len(inflated):
            return None
        position += _HEAD + _SIZE(inflated, at)
    return None


def _payload(batch: LegacyBatch, *, is_c: bool) -> bytes | None:
    """What a peer takes for the compressed messages: where the lengths lead, whatever lies behind it in the frame."""
    raw, position = batch.raw, _HEAD + _MESSAGE.header_dtype.itemsize + (_TIMESTAMP_BYTES if batch.magic else 0)
    size = 0
    for _ in ("key", "value"):
        (size,) = struct.unpack_from(">i", raw, position)
        position += 4 + (0 if size == -1 else size)
        if (is_c and size < -1) or position > len(raw):
            return None  # an error of theirs
    return None if size == -1 else bytes(raw[position - size : position])


def _inflated(peer: str, codec: int, magic: int, payload: bytes) -> bytes:
    """What that peer's own functions inflate it to."""
    codecs: Any = importlib.import_module("kafka.codec" if peer == "kafka-python" else "aiokafka.codec")
    name = {1: "gzip_decode", 2: "snappy_decode", 3: "lz4_decode"}[codec]
    if codec == 3 and magic == 0:
        name = "lz4_decode_old_kafka"
    return bytes(getattr(codecs, name)(payload))
