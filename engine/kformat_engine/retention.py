"""Which segments retention deletes: by start offset, by size, by time (UnifiedLog.deleteOldSegments).

Pure: segments in, segments out. Each rule takes segments from the oldest on and stops at the first to which it does not
apply. The rules run one after the other, start offset first; size and time only if `cleanup.policy` has ``delete``. A
segment that ends above the high watermark stays, as does an empty last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol, TypeVar

from kformat_engine.config import LogConfig


class SegmentFacts(Protocol):
    """The part of a segment that the rules use; ``largest_timestamp`` is the file's time if no record has one."""

    @property
    def size(self) -> int: ...
    @property
    def base_offset(self) -> int: ...
    @property
    def largest_timestamp(self) -> int: ...


SegmentT = TypeVar("SegmentT", bound=SegmentFacts)


class Breach(Enum):
    """Why a segment is deleted; the values are sentences."""

    START_OFFSET = "all of it lies below the log start offset"
    SIZE = "without it the log still has retention.bytes"
    TIME = "its largest timestamp is more than retention.ms ago"


def breaches(
    segments: Sequence[SegmentT], config: LogConfig, *, now_ms: int, log_start_offset: int, end_offset: int
) -> tuple[Breach, list[SegmentT]]:
    """The first rule that deletes segments, with these; the last rule and no segments if each rule keeps all.

    ``segments`` in the order of their base offsets; ``end_offset`` is the log end offset and high watermark.
    """
    for breach in Breach if "delete" in config.cleanup_policy else (Breach.START_OFFSET,):
        deletable = breached(breach, segments, config, now_ms, log_start_offset, end_offset)
        if deletable:
            return breach, deletable
    return Breach.TIME, []


def breached(
    breach: Breach,
    segments: Sequence[SegmentT],
    config: LogConfig,
    now_ms: int,
    log_start_offset: int,
    end_offset: int,
) -> list[SegmentT]:
    """The segments that one rule deletes, from the oldest on."""
    applies = _rule(breach, segments, config, now_ms, log_start_offset)
    if applies is None:
        return []
    gone: list[SegmentT] = []
    for number, segment in enumerate(segments):
        following = segments[number + 1] if number + 1 < len(segments) else None
        if following is None and segment.size == 0:
            break
        upper_bound = end_offset if following is None else following.base_offset
        if end_offset < upper_bound or not applies(segment, following):
            break
        gone.append(segment)
    return gone


def _rule(
    breach: Breach, segments: Sequence[SegmentT], config: LogConfig, now_ms: int, log_start_offset: int
) -> Callable[[SegmentT, SegmentT | None], bool] | None:
    if breach is Breach.START_OFFSET:
        return lambda segment, following: following is not None and following.base_offset <= log_start_offset
    if breach is Breach.TIME:
        if config.retention_ms < 0:
            return None
        return lambda segment, following: now_ms - segment.largest_timestamp > config.retention_ms
    excess = sum(segment.size for segment in segments) - config.retention_bytes
    if config.retention_bytes < 0 or excess < 0:
        return None

    def too_much(segment: SegmentT, following: SegmentT | None) -> bool:
        nonlocal excess
        if excess - segment.size < 0:
            return False
        excess -= segment.size
        return True

    return too_much
