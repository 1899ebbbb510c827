"""Offsets whose records are missing: how they are written, and where a broker cannot do without them.

Every topic may have gaps in its offsets but KRaft's own, `__cluster_metadata`: its log is never compacted, and brokers
apply its records one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from kformat.kafka.files.file_kinds import CLUSTER_METADATA, parse_folder_name

Offsets = tuple[int | None, int | None]
"""The first and the last of a range; None where it is not known."""

Int64Array = npt.NDArray[np.int64]
_MOST_SHOWN: Final = 4


def missing_text(missing: Sequence[Offsets]) -> str | None:
    """The offsets that may be missing, as ``5-9, 12, 20-``; None for none."""
    texts = [_text(first, last) for first, last in missing]
    if not texts:
        return None
    more = len(texts) - _MOST_SHOWN
    return ", ".join(texts[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _text(first: int | None, last: int | None) -> str:
    if first is not None and first == last:
        return str(first)
    return f"{'' if first is None else first}-{'' if last is None else last}"


def needs_all_records(folder: str) -> bool:
    """Whether a folder of this name holds a log of which brokers need every record."""
    parsed = parse_folder_name(folder)
    return parsed is not None and parsed.topic == CLUSTER_METADATA


def gaps_between(first: Int64Array, last: Int64Array, next_offset: int) -> list[tuple[int, int]]:
    """The offsets that lie in no batch, first and last of each range: before and between batches, in their order.

    ``first`` and ``last`` are the batches' offsets, ``next_offset`` that at which the first of them should begin.
    """
    wanted = np.concatenate([[next_offset], last[:-1] + 1])
    return [(int(wanted[at]), int(first[at]) - 1) for at in np.flatnonzero(first > wanted)]


def fatal_text(missing: Sequence[Offsets]) -> str | None:
    """What a broker does with a log that `needs_all_records` and has batches after these offsets; None for none."""
    offsets = missing_text(missing)
    if offsets is None:
        return None
    is_one = len(missing) == 1 and missing[0][0] is not None and missing[0][0] == missing[0][1]
    return (
        f"FATAL: {f'offset {offsets} is' if is_one else f'offsets {offsets} are'} missing, and batches come after "
        f"{'it' if is_one else 'them'}. Brokers need every record of this log: one that starts here stops at the gap, "
        "or takes partitions for strays. Copy this folder from another controller instead, or a snapshot (.checkpoint) "
        "of a later offset"
    )


__all__ = ["Offsets", "fatal_text", "gaps_between", "missing_text", "needs_all_records"]
