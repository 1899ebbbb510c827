"""Times as users write them, and Kafka's timestamps: ms since 1970, UTC.

The same rules apply everywhere (the command line, Spark's options, Python, file systems):

* Text is a number of ms, ISO 8601, or a length of time before now (``-90s``, ``-15m``, ``-1h``, ``-7d``, ``-2w``). A
  time without a zone is UTC; a date means its midnight. Between date and time is ``T`` or a space, and before a
  fraction a point or a comma: digits alone are never a date.
* A datetime without a time zone is refused: Python treats it as local time, but its author may have meant UTC.
* Fractions of a ms are rounded down, as in Java's ``Instant.toEpochMilli``.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from kformat.errors import UsageError, whole_number
from kformat.integers import MAX_INT64, MIN_INT64

Moment: TypeAlias = datetime | int | str
"""A time as a caller gives it: a datetime with a time zone, ms since 1970, or text with either (ISO 8601)."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BEFORE_NOW: Final = re.compile(r"-([0-9]{1,9})([smhdw])", re.ASCII)
_UNITS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_ISO_8601: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}(?=[T ])|[0-9]{4}-?W[0-9]{2}(-?[0-9])?)"
    r"([T ][0-9]{2}(:?[0-9]{2}(:?[0-9]{2}([.,][0-9]+)?)?)?( ?[+-][0-9:.]+| ?Z)?)?",
    re.ASCII,
)
"""What of ISO 8601 has one meaning; Python takes any character between date and time, a digit, too."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)


def parse_moment(text: str) -> datetime:
    """Parse ISO 8601 into a datetime with a zone; UsageError for other text."""
    try:
        moment = datetime.fromisoformat(text.strip()) if _ISO_8601.fullmatch(text.strip()) else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise UsageError(f"{text!r} is not a time: ms since 1970, ISO 8601 or -1h is expected")
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_milliseconds(text: str) -> int:
    """Parse a timestamp in ms from a number of ms, ISO 8601 or a length of time before now; UsageError for other text,
    and beyond 64 bits.
    """
    before = _BEFORE_NOW.fullmatch(text.strip())
    if before is not None:
        return time.time_ns() // 1_000_000 - int(before[1]) * _UNITS[before[2]]
    if _NUMBER.fullmatch(text.strip()) and MIN_INT64 <= int(text) <= MAX_INT64:
        return int(text)
    return milliseconds(parse_moment(text))


def milliseconds(moment: Moment) -> int:
    """A timestamp in ms; UsageError for a datetime without a time zone, text that is not a time, and other types."""
    if isinstance(moment, str):
        return parse_milliseconds(moment)
    if not isinstance(moment, datetime):
        return whole_number(moment, "a time (a datetime, ISO 8601 or ms since 1970)")
    if moment.tzinfo is None:
        raise UsageError(f"{moment} has no time zone")
    return (moment - EPOCH) // timedelta(milliseconds=1)


def deadline(seconds: float) -> float:
    """The value of `time.monotonic` in so many seconds; UsageError if that is not a number of at least 0."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise UsageError(f"{seconds!r} is not a number of seconds; 0 or more is expected")
    return time.monotonic() + seconds


def time_text(timestamp_ms: int) -> str:
    """A timestamp in ISO 8601, UTC; the plain number if it means "no time" or exceeds the calendar."""
    if timestamp_ms < 0:
        return str(timestamp_ms)
    try:
        moment = EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return str(timestamp_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


__all__ = ["Moment", "deadline", "milliseconds", "parse_moment", "time_text"]
