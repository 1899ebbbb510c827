"""Moments as users give them, and timestamps as Kafka counts: ms since 1970, UTC.

One rule, wherever a time is given (the command line, Spark's options, Python, the words of file systems):

* Text is a number of ms, or ISO 8601. A time without a zone is UTC, a date is its first moment.
* A datetime without a time zone is refused: Python takes it for local time, and whoever made it may have meant UTC.
* What lies between two ms is the earlier of them, as in Java's ``Instant.toEpochMilli``.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from kformat.errors import UsageError
from kformat.integers import MAX_INT64, MIN_INT64

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)


def parse_moment(text: str) -> datetime:
    """A moment from ISO 8601, with a zone; UsageError for other text."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no time: ms since 1970 or ISO 8601 is expected") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_milliseconds(text: str) -> int:
    """A timestamp, ms, from a number of them or ISO 8601; UsageError for other text, and beyond 64 bits."""
    if _NUMBER.fullmatch(text.strip()) and MIN_INT64 <= int(text) <= MAX_INT64:
        return int(text)
    return milliseconds(parse_moment(text))


def milliseconds(given: datetime | int) -> int:
    """A timestamp, ms; UsageError for a datetime without a time zone, and for what is neither."""
    if isinstance(given, int):
        return given
    if not isinstance(given, datetime):
        raise UsageError(f"a datetime or ms since 1970 is expected, found {given!r}")
    if given.tzinfo is None:
        raise UsageError(f"{given} has no time zone")
    return (given - EPOCH) // timedelta(milliseconds=1)


def time_text(timestamp_ms: int) -> str:
    """A timestamp in ISO 8601, UTC; the number itself where it stands for no time or lies beyond the calendar."""
    if timestamp_ms < 0:
        return str(timestamp_ms)
    try:
        moment = EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return str(timestamp_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
