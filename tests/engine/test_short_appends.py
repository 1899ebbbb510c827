"""What is appended on the short ways is what is appended on the long one: the same files, offsets and refusals."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import KformatError
from kformat.kafka.files.file_kinds import LOG_ID_FILE
from kformat_engine import Log, LogConfig, batching
from kformat_engine.local_log import LocalLog
from tests.draws import EXAMPLES

NOW = 1_700_000_000_000
CONFIGS = [
    LogConfig(),
    LogConfig(segment_bytes=3000, index_interval_bytes=100, max_message_bytes=900),
    LogConfig(cleanup_policy=("compact",)),
    LogConfig(writer_profile="first-offset", index_interval_bytes=50),
    LogConfig(writer_profile="batch-time", index_interval_bytes=50),
    LogConfig(message_timestamp_type="LogAppendTime"),
    LogConfig(compression_type="gzip"),
    LogConfig(compression_type="uncompressed"),
]
ODD: list[Any] = [
    b"",
    (None, None),
    (b"", b""),
    (b"key", bytearray(b"value")),
    (b"key", "text"),
    (b"key", b"value", b"more"),
    (b"key",),
    "text",
    7,
    None,
    {"value": b"v", "timestamp": NOW - 5},
    {"key": b"k", "value": b"v", "headers": [("h", b"v")]},
    bytearray(b"value"),
]


def drawn_record(chance: random.Random) -> Any:
    if chance.random() < 0.03:
        return chance.choice(ODD)
    value = bytes(chance.randrange(chance.choice((3, 80, 80, 200, 1200))))
    return value if chance.random() < 0.2 else (chance.choice((None, b"", b"key" * chance.randrange(20))), value)


def drawn_append(chance: random.Random) -> list[Any]:
    pairs, values = chance.random() < 0.4, chance.random() < 0.2
    count = chance.choice((0, 1, 1, 1, 2, 3, 40, 300))
    if pairs or values:
        return [(b"key", b"v" * chance.randrange(70)) if pairs else b"value" for _ in range(count)]
    return [drawn_record(chance) for _ in range(count)]


def result(folder: Path, config: LogConfig, appends: list[Any], epoch: int) -> tuple[list[Any], dict[str, bytes]]:
    told: list[Any] = []
    with Log.open(folder / "topic-0", config, clock=lambda: NOW, leader_epoch=epoch) as log:
        for records in appends:
            try:
                told.append(log.append(records))
            except (KformatError, TypeError) as error:
                told.append(f"{type(error).__name__}: {error}")
    files = {path.name: path.read_bytes() for path in (folder / "topic-0").iterdir() if path.name != LOG_ID_FILE}
    return told, files


@pytest.mark.parametrize("config", CONFIGS)
def test_few_records(config: LogConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(str(config))
    for number in range(max(1, EXAMPLES // 10)):
        appends = [drawn_append(chance) for _ in range(30)]
        short = result(tmp_path / f"short-{number}", config, appends, number)
        with monkeypatch.context() as patch:
            patch.setattr(batching, "_plain_append", lambda *_: None)
            patch.setattr(LocalLog, "fits", lambda *_: False)
            assert result(tmp_path / f"long-{number}", config, appends, number) == short


@pytest.mark.parametrize("config", CONFIGS)
def test_tables_in_several_pieces(config: LogConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("numba")
    from kformat.kafka.columns import batch_builder

    monkeypatch.setattr(batch_builder, "_BATCHES_AT_ONCE", 4)
    chance = random.Random(str(config))
    appends = []
    for rows in (1, 700, 1500):
        sizes = [chance.randrange(chance.choice((90, 90, 200))) for _ in range(rows)]
        columns = {"key": [b"%d" % size for size in sizes], "value": [bytes(size) for size in sizes]}
        table = pa.table(columns)
        appends += [table, pa.concat_tables([table.slice(0, rows // 2), table.slice(rows // 2)])]
    short = result(tmp_path / "short", config, appends, 0)
    monkeypatch.setattr(batching, "_plain_rows", lambda *_: None)
    assert result(tmp_path / "long", config, appends, 0) == short
    assert sum(isinstance(told, int) for told in short[0]) > 2


def test_a_row_that_no_reader_would_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(batching, "DEFAULT_INFLATE_LIMIT", 20_000)
    told, _ = result(tmp_path, LogConfig(), [pa.table({"value": [b"v", bytes(21_000)]}), [b"v"]], 0)
    assert "RecordTooLargeError" in told[0] and told[1] == 0
