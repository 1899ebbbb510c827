"""A segment's content in one row, for `kformat ls` and other listings of thousands of segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kformat.errors import KformatError
from kformat.kafka.batch.batches import BatchHeaders, iter_batches
from kformat.kafka.batch.compression import CODEC_LABELS
from kformat.kafka.batch.framing import CURRENT_MAGIC
from kformat.kafka.index.index_file import IndexFile
from kformat.kafka.log.partition import Segment

Problems = list[KformatError | OSError]
"""Errors of files or batches that could not be read, although the log could."""


def segment_row(segment: Segment) -> tuple[dict[str, Any], Problems]:
    """Offsets, time span, counts, sizes and codecs of a segment, from its batches' headers; and its problems.

    ``first_timestamp`` (only in segments with batches) is the smallest first timestamp of a batch, ``last_timestamp``
    the largest, in ms, -1 for none; ``remark`` says if sound batches end before the file does. Records are read only
    for wrappers of magic 0 and 1. Raises OSError if the log cannot be read.
    """
    problems: Problems = []
    headers = segment.headers()
    size_bytes = segment.size_bytes
    wrapped_count, wrapped_first = _wrapped(segment, headers, problems)
    row: dict[str, Any] = {
        "base_offset": segment.base_offset,
        "records_count": int(headers.records_count[headers.records_count > 0].sum(dtype=np.int64)) + wrapped_count,
        "batches_count": len(headers),
        "size_bytes": size_bytes,
        "codecs": _codecs(headers),
        "offset_index_entries": _entry_count(segment.offset_index, problems),
        "time_index_entries": _entry_count(segment.time_index, problems),
        "remark": _remark(headers, size_bytes),
    }
    if len(headers):
        row["next_offset"] = int(headers.next_offset[-1])
        known = headers.first_timestamp[headers.first_timestamp >= 0]
        firsts = [*([int(known.min())] if len(known) else []), *([wrapped_first] if wrapped_first >= 0 else [])]
        row["first_timestamp"] = min(firsts, default=-1)
        row["last_timestamp"] = int(headers.max_timestamp.max())
    else:
        row["next_offset"] = segment.base_offset
    return row, problems


def _wrapped(segment: Segment, headers: BatchHeaders, problems: Problems) -> tuple[int, int]:
    """Number and smallest timestamp (-1: none has one) of the messages in wrappers of magic 0 and 1; their headers
    contain neither.
    """
    count, timestamps = 0, list[int]()
    for row in np.flatnonzero((headers.magic < CURRENT_MAGIC) & (headers.records_count < 0)).tolist():
        position = int(headers.position[row])
        try:
            for batch in iter_batches(segment.log, position, position + int(headers.size[row])):
                for record in batch.records():
                    count += 1
                    timestamps += [record.timestamp] if record.timestamp >= 0 else []
        except (KformatError, OSError) as error:
            problems.append(error)
    return count, min(timestamps, default=-1)


def _entry_count(read: Callable[[], IndexFile | None], problems: Problems) -> int | None:
    try:
        index = read()
    except (KformatError, OSError) as error:  # the log gets its row anyway
        problems.append(error)
        return None
    return None if index is None else index.entry_count


def _codecs(headers: BatchHeaders) -> list[str]:
    return [CODEC_LABELS[number] for number in sorted(set(headers.compression.tolist()))]


def _remark(headers: BatchHeaders, size_bytes: int) -> str | None:
    left = size_bytes - headers.valid_bytes
    if left:
        return f"{left} bytes from position {headers.valid_bytes} are no batch"
    magics = [str(magic) for magic in sorted(set(headers.magic.tolist())) if magic != CURRENT_MAGIC]
    return f"magic {' and '.join(magics)}" if magics else None
