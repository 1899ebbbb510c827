"""Times as users give them mean the same moment on the command line, in Spark's options and in Python."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
import pytest

from kformat.cli.output import Timestamp
from kformat.errors import UsageError
from kformat.kafka.partition import wanted_records
from kformat.spark.jobs.asking import spark_words
from kformat.spark.options import parse_options
from kformat.times import milliseconds, parse_milliseconds

BERLIN = timezone(timedelta(hours=1))


def in_spark(folder: Path, text: str) -> int | None:
    return parse_options({"path": str(folder), "startingTimestamp": text}).start.timestamp


@pytest.mark.parametrize(
    ("text", "timestamp_ms"),
    [
        ("0", 0),
        ("-1", -1),
        ("1700000000123", 1_700_000_000_123),
        (" 1700000000123 ", 1_700_000_000_123),
        ("9223372036854775807", 2**63 - 1),
        ("2024", 2024),
        ("2023-11-14", 1_699_920_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000_000),
        ("2023-11-14 22:13:20", 1_700_000_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000_000),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000_000),
        ("2023-11-14T22:13:20.123999Z", 1_700_000_000_123),
        ("1969-12-31T23:59:59.9995Z", -1),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000),
    ],
)
def test_a_text_is_one_moment_everywhere(tmp_path: Path, text: str, timestamp_ms: int) -> None:
    assert parse_milliseconds(text) == timestamp_ms
    assert Timestamp().convert(text, None, None) == timestamp_ms
    assert in_spark(tmp_path, text) == timestamp_ms


@pytest.mark.parametrize("text", ["", "noon", "12.5", "1_700", "٣", "9223372036854775808", "2023-13-01", "True"])
def test_what_is_no_time_is_refused_everywhere(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="is no time: ms since 1970 or ISO 8601 is expected"):
        parse_milliseconds(text)
    with pytest.raises(click.UsageError, match="is no time"):
        Timestamp().convert(text, None, None)
    with pytest.raises(UsageError, match=r"startingTimestamp=.*: expected ms since 1970, or ISO 8601"):
        in_spark(tmp_path, text)


@pytest.mark.parametrize(
    ("given", "timestamp_ms"),
    [
        (5, 5),
        (datetime(2023, 11, 14, 22, 13, 20, 123_999, UTC), 1_700_000_000_123),
        (datetime(2023, 11, 14, 23, 13, 20, tzinfo=BERLIN), 1_700_000_000_000),
    ],
)
def test_an_object_is_one_moment_everywhere(given: Any, timestamp_ms: int) -> None:
    assert milliseconds(given) == timestamp_ms
    assert wanted(since=given).since_ms == wanted(until=given).until_ms == timestamp_ms
    assert spark_words({"starting_timestamp": given}) == {"startingTimestamp": str(timestamp_ms)}


def test_a_datetime_without_a_zone_is_refused_everywhere() -> None:
    local = datetime(2023, 11, 14)
    for ask in (lambda: milliseconds(local), lambda: wanted(since=local), lambda: spark_words({"ending": local})):
        with pytest.raises(UsageError, match="2023-11-14 00:00:00 has no time zone"):
            ask()


def wanted(since: Any = None, until: Any = None) -> Any:
    bounds = {"before_log_start": False, "include_control": False, "checksums": True}
    return wanted_records(("offset",), None, None, since, until, **bounds)
