"""Records -> the bytes of a batch of magic 2, for writers: what `kformat.build` gives, from columns.

Rules:

* The bytes are those of ``kformat.build("record_batch", ...)``, and so are the errors.
* Offsets count from ``base_offset``, one by one, as a leader assigns them; timestamps are deltas to the first record's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kformat.codec import build
from kformat.compression import CODEC_NAMES, compress
from kformat.errors import UsageError
from kformat.framing import HEADER_BYTES
from kformat.records import TimestampType

Headers = Sequence[tuple[str, bytes | None]]

_CREATE_TIME: Final = TimestampType["create_time"]
_LOG_APPEND_TIME: Final = TimestampType["log_append_time"]


def build_batch(
    timestamps: Sequence[int],
    keys: Sequence[bytes | None],
    values: Sequence[bytes | None],
    headers: Sequence[Headers] | None = None,
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
    compression: str = "none",
    level: int | None = None,
    append_time: int | None = None,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    is_transactional: bool = False,
) -> bytes:
    """A batch of magic 2 with these records.

    Args:
        timestamps, keys, values, headers: a column each, of one length, at least one record; milliseconds, bytes or
            None, pairs of text and bytes or None (no ``headers``: none in any record).
        compression: ``none``, ``gzip``, ``snappy``, ``lz4`` or ``zstd``; ``level`` as `kformat.compression.compress`.
        append_time: the broker's clock, ms: the batch is a log_append_time one, and the records' own timestamps are
            stored, but not seen.

    Raises:
        BuildError: with the path of the field that is of the wrong type or does not fit.
        UsageError: columns of different lengths, no record at all, an unknown codec or level.
    """
    count = len(timestamps)
    if not count:
        raise UsageError("a batch is made of at least one record")
    if headers is None:
        headers = [()] * count
    if not count == len(keys) == len(values) == len(headers):
        lengths = f"{count}, {len(keys)}, {len(values)}, {len(headers)}"
        raise UsageError(f"timestamps, keys, values and headers have different lengths: {lengths}")
    if compression not in CODEC_NAMES:
        raise UsageError(f"no codec {compression!r}; there are {', '.join(CODEC_NAMES)}")
    base = timestamps[0]
    records = [
        {
            "timestamp_delta": timestamp - base,
            "offset_delta": number,
            "key": key,
            "value": value,
            "headers": [{"key": name, "value": data} for name, data in pairs],
        }
        for number, (timestamp, key, value, pairs) in enumerate(zip(timestamps, keys, values, headers, strict=True))
    ]
    attributes: dict[str, Any] = {
        "is_transactional": int(is_transactional),
        "timestamp_type": _CREATE_TIME if append_time is None else _LOG_APPEND_TIME,
    }
    fields: dict[str, Any] = {
        "base_offset": base_offset,
        "partition_leader_epoch": leader_epoch,
        "attributes": attributes,
        "last_offset_delta": count - 1,
        "base_timestamp": base,
        "max_timestamp": max(timestamps) if append_time is None else append_time,
        "producer_id": producer_id,
        "producer_epoch": producer_epoch,
        "base_sequence": base_sequence,
        "records_count": count,
    }
    plain = build("record_batch", {**fields, "records": records})
    codec = CODEC_NAMES.index(compression)
    if not codec:
        return plain
    attributes["compression"] = codec
    payload = compress(codec, memoryview(plain)[HEADER_BYTES:], level=level)
    return build("record_batch", {**fields, "payload": payload})
