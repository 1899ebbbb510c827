"""Times as users give them mean the same moment on the command line, in Spark's options and in Python."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import kformat
from kformat.cli.output import Timestamp
from kformat.errors import UsageError
from kformat.kafka.log.partition import wanted_records
from kformat.spark.jobs.asking import spark_words
from kformat.spark.options import parse_options
from kformat.times import deadline, milliseconds, parse_milliseconds
from kformat_engine import Log
from tests.samples import ROOT

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
        ("20231114T221320,123Z", 1_700_000_000_123),
        ("20231114 2313+0100", 1_699_999_980_000),
        ("2023-W46-2T22:13:20 +00:00", 1_700_000_000_000),
        ("1969-12-31T23:59:59.9995Z", -1),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000),
    ],
)
def test_a_text_is_one_moment_everywhere(tmp_path: Path, text: str, timestamp_ms: int) -> None:
    assert parse_milliseconds(text) == timestamp_ms
    assert Timestamp().convert(text, None, None) == timestamp_ms
    assert milliseconds(text) == wanted(since=text).since_ms == wanted(until=text).until_ms == timestamp_ms
    assert in_spark(tmp_path, text) == timestamp_ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "noon", "12.5", "1_700", "٣", "9223372036854775808", "2023-13-01", "True"),
        *("20240131120000123000000", "2024-01-31120000", "2024-01-31x12:00", "20240131T120000123", "2024-01-31T"),
    ],
)
def test_what_is_no_time_is_refused_everywhere(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="is not a time: ms since 1970, ISO 8601 or -1h is expected"):
        parse_milliseconds(text)
    for ask in (milliseconds, wanted):
        with pytest.raises(UsageError, match="is not a time: ms since 1970, ISO 8601 or -1h is expected"):
            ask(text)
    with pytest.raises(click.UsageError, match="is not a time"):
        Timestamp().convert(text, None, None)
    with pytest.raises(UsageError, match=r"startingTimestamp=.*: expected ms since 1970, ISO 8601 or -1h"):
        in_spark(tmp_path, text)


@pytest.mark.parametrize(
    ("given", "timestamp_ms"),
    [
        (5, 5),
        (np.int64(5), 5),
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


@pytest.mark.parametrize("given", [True, 1.5, b"2024", None, timedelta(1)])
def test_what_is_neither_text_nor_a_number_nor_a_datetime_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match=r"a time .*whole number is expected"):
        milliseconds(given)


MOMENT = datetime(2023, 11, 14, 22, 13, 23, tzinfo=UTC)
SAME = [1_700_000_003_000, "1700000003000", "2023-11-14T22:13:23", "2023-11-14T23:13:23+01:00", MOMENT]
SAMPLE = ROOT / "4.3.1" / "rolled-by-bytes-0"


@pytest.mark.parametrize("moment", SAME)
def test_every_reader_takes_every_form(moment: Any) -> None:
    with kformat.LogReader.open(SAMPLE) as reader:
        found = reader.offset_for_timestamp(moment)
        answer = reader.offset_for_timestamp(moment, explain=True)
    assert found is not None and (found.offset, found.timestamp) == (answer.offset, answer.timestamp)
    assert (found.offset, found.timestamp) == (300, 1_700_000_003_000)
    assert [one.offset for one in kformat.grep(SAMPLE, b"", since=moment)] == [*range(300, 560)]
    assert [one.offset for one in kformat.grep(SAMPLE, b"", until=moment)] == [*range(300)]


@pytest.mark.parametrize("moment", SAME)
def test_every_writer_takes_every_form(tmp_path: Path, moment: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"value": [b"v"]})
    (made,) = kformat.build_batches(table, timestamp=moment)
    assert made.max_timestamp == 1_700_000_003_000
    (made,) = kformat.build_batches(table, append_time=moment)
    assert made.max_timestamp == 1_700_000_003_000
    with Log.open(tmp_path / "a-0") as log:
        log.append([{"value": b"v", "timestamp": 1_700_000_002_999 + number} for number in range(3)])
        found = log.offset_for_timestamp(moment)
        assert found is not None and found.offset == 1
        assert log.offset_for_timestamp(moment, explain=True).offset == 1


def test_a_deadline_is_so_many_seconds_away() -> None:
    assert 4 < deadline(5) - time.monotonic() <= 5 and deadline(float("inf")) == float("inf")
    wrong: Any
    for wrong in (-1, float("nan"), "5", None, True):
        with pytest.raises(UsageError, match="is not a number of seconds"):
            deadline(wrong)
