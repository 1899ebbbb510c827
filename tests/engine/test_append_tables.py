"""What is appended of a table of Arrow is what is appended of its rows one by one, and refused in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

from kformat.errors import UsageError
from kformat.kafka.files.file_kinds import LOG_ID_FILE
from kformat_engine import Log, LogConfig
from kformat_engine.errors import InvalidRecordError, InvalidTimestampError, RecordTooLargeError

NOW = 1_700_000_000_000
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
SCHEMA = pa.schema(
    [("key", pa.binary()), ("value", pa.binary()), ("timestamp", pa.timestamp("ms", "UTC")), ("headers", HEADERS)]
)
ROWS: list[dict[str, Any]] = [
    {
        "key": None if number % 5 == 4 else b"key-%d" % number,
        "value": None if number % 7 == 6 else b"value" * (number % 90),
        "timestamp": None if number % 11 == 10 else NOW - number * 37 % 1000,
        "headers": [("h", b"v"), ("h", None)] if number % 3 == 2 else None,
    }
    for number in range(1000)
]


def table_of(rows: list[dict[str, Any]]) -> Any:
    pairs = [
        {**row, "headers": row["headers"] and [{"key": key, "value": value} for key, value in row["headers"]]}
        for row in rows
    ]
    return pa.Table.from_pylist(pairs, SCHEMA)


def files_of(folder: Path, records: list[Any], config: LogConfig, **more: Any) -> dict[str, bytes]:
    with Log.open(folder / "topic-0", config, clock=lambda: NOW) as log:
        expected = 0
        for part in records:
            assert log.append(part, **more) == expected
            expected = log.end_offset
        assert expected == len(ROWS)
    return {path.name: path.read_bytes() for path in (folder / "topic-0").iterdir() if path.name != LOG_ID_FILE}


@pytest.mark.parametrize(
    ("config", "more"),
    [
        pytest.param(LogConfig(), {}, id="plain"),
        pytest.param(LogConfig(segment_bytes=20_000, index_interval_bytes=100), {}, id="rolled"),
        pytest.param(LogConfig(max_message_bytes=2_000), {"compression": "zstd"}, id="compressed"),
        pytest.param(LogConfig(compression_type="lz4", compression_lz4_level=5), {}, id="compressed by the topic"),
        pytest.param(LogConfig(message_timestamp_type="LogAppendTime"), {}, id="stamped"),
        pytest.param(LogConfig(writer_profile="first-offset", index_interval_bytes=100), {}, id="older indexes"),
    ],
)
def test_a_table_is_appended_as_its_rows_are(config: LogConfig, more: dict[str, Any], tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    by_rows = files_of(tmp_path / "a", [ROWS[:400], ROWS[400:]], config, **more)
    table = table_of(ROWS)
    assert files_of(tmp_path / "b", [table[:400], table[400:].to_reader(max_chunksize=70)], config, **more) == by_rows


class OneBatch:
    """What has the one method that a record batch of another library has."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __arrow_c_array__(self, schema: Any = None) -> Any:
        return self.batch.__arrow_c_array__(schema)


def test_tables_of_others(tmp_path: Path) -> None:
    with Log.open(tmp_path / "topic-0", clock=lambda: NOW) as log:
        assert log.append(OneBatch(pa.record_batch({"value": ["a", None]}))) == 0
        assert log.append(pa.table({"value": pa.array([], pa.binary())})) == log.append([]) == log.end_offset == 2
        found = [(one.key, one.value, one.timestamp) for one in log]
    assert found == [(None, b"a", NOW), (None, None, NOW)]


NO_KEY = LogConfig(cleanup_policy=("compact",))


@pytest.mark.parametrize(
    ("config", "rows", "kind"),
    [
        pytest.param(NO_KEY, ROWS[:6], InvalidRecordError, id="no key"),
        pytest.param(LogConfig(), [*ROWS[:3], {"timestamp": -2}], InvalidTimestampError, id="below -1"),
        pytest.param(LogConfig(), [*ROWS[:3], {"timestamp": NOW + 10**8}], InvalidTimestampError, id="too late"),
        pytest.param(LogConfig(message_timestamp_before_max_ms=500), ROWS, InvalidTimestampError, id="too early"),
        pytest.param(LogConfig(max_message_bytes=400), ROWS, RecordTooLargeError, id="too large"),
        pytest.param(LogConfig(), [*ROWS[:3], {"headers": [(None, b"v")]}], InvalidRecordError, id="a header without"),
    ],
)
def test_what_is_refused_of_rows_is_refused_of_a_table(
    config: LogConfig, rows: list[dict[str, Any]], kind: type[Exception], tmp_path: Path
) -> None:
    rows = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
    with Log.open(tmp_path / "topic-0", config, clock=lambda: NOW) as log:
        errors = []
        for given in (rows, table_of(rows)):
            with pytest.raises(kind) as caught:
                log.append(given)
            errors.append(str(caught.value))
        assert errors[0] == errors[1] and log.end_offset == 0
        log.append([(b"key", b"still open")])


def test_what_is_no_table_of_records(tmp_path: Path) -> None:
    with Log.open(tmp_path / "topic-0", clock=lambda: NOW) as log:
        for table, words in (
            (pa.table({"key": [b"k"]}), "column value is expected, found key"),
            (pa.table({"value": [1]}), "column value: binary or string is expected, found int64"),
            (pa.table({"value": ["v"], "timestamp": ["now"]}), "column timestamp: timestamp, or integers in milli"),
        ):
            with pytest.raises(UsageError, match=words):
                log.append(table)
        assert log.append([b"still open"]) == 0
