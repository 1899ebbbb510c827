"""Records that a kernel puts into batches are those that Python puts there, and what is refused is refused alike."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("numba")

import kformat
from kformat.kafka.columns import batch_builder
from kformat_engine import batching
from kformat_engine.batching import prepare_records
from kformat_engine.config import LogConfig

NOW = 1_700_000_000_000
CONFIGS = [
    LogConfig(),
    LogConfig(cleanup_policy=("compact",)),
    LogConfig(writer_profile="last-offset"),
    LogConfig(compression_type="lz4"),
    LogConfig(message_timestamp_type="LogAppendTime"),
    LogConfig(max_message_bytes=400),
    LogConfig(segment_bytes=300),
    LogConfig(message_timestamp_before_max_ms=1000),
]


class Mine(dict[str, Any]):
    """A mapping that is not quite a dict."""


def one(kind: str, chance: random.Random) -> Any:
    key, value = chance.choice((None, b"", b"key")), chance.choice((None, b"", b"v" * chance.randrange(200)))
    timestamp = NOW - chance.choice((0, 0, 5, 500))
    headers: Any = chance.choice(([], [("h", b"x")], [("\udcff", None), ("é", b"")], (("a", b"b"),)))
    match kind:
        case "bytes":
            return b"v" * chance.randrange(200)
        case "pair":
            return key, value
        case "dict":
            return {"key": key, "value": value}
        case "dict with all":
            given = {"key": key, "value": value, "timestamp": timestamp, "headers": headers}
            return {name: given[name] for name in given if chance.random() < 0.8}
        case "record":
            return kformat.Record(chance.randrange(99), timestamp, 0, key, value, tuple(headers))
        case _:
            return one(chance.choice(("bytes", "pair", "dict with all", "record")), chance)


WRONG: list[Any] = [
    {"value": b"v", "other": 1},
    {"value": b"v", "headers": "text"},
    {"value": b"v", "headers": [("h", 5)]},
    {"value": b"v", "headers": [(5, b"v")]},
    {"value": b"v", "headers": [("\ud800", b"v")]},
    {"value": b"v", "headers": {"h": b"v"}},
    {"value": "text"},
    {"value": b"v", "timestamp": 5.0},
    {"value": b"v", "timestamp": True},
    {"value": b"v", "timestamp": 2**63},
    {"value": b"v", "timestamp": -2},
    {"value": b"v", "timestamp": -1},
    {"value": b"v", "timestamp": NOW - 2000},
    {"value": bytearray(b"v"), "key": memoryview(b"k")},
    Mine(value=b"v"),
    kformat.Record(0, "text", 0, b"k", b"v"),  # type: ignore[arg-type]
    kformat.Record(0, NOW, 0, b"k", b"v", ((1, b""),)),  # type: ignore[arg-type]
    (b"k", b"v", b"more"),
    (b"k", "text"),
    b"v" * 5000,
    5,
]


def outcome(given: list[Any], config: LogConfig, next_offset: int) -> Any:
    try:
        made = prepare_records(given, next_offset, 3, config, NOW, batch_bytes=700)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return [(bytes(prepared.data), prepared.batches, prepared.records_count) for prepared in made]


def compare(given: list[Any], config: LogConfig, next_offset: int = 7) -> bool:
    """Whether they were taken."""
    found = outcome(given, config, next_offset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batching, "LEAST_ROWS", 1 << 60)
        patch.setattr(batching, "_columns_of_dicts", lambda *_: None)
        patch.setattr(batching, "Record", Never)
        patch.setattr(batching, "_row", row_of(batching._row))
        assert outcome(given, config, next_offset) == found
    return isinstance(found, list)


class Never:
    """What no record is of."""


def row_of(row: Any) -> Any:
    def found(given: Any, number: int, now_ms: int) -> Any:
        if isinstance(given, kformat.Record):
            return given.timestamp, given.key, given.value, given.headers
        return row(given, number, now_ms)

    return found


@pytest.mark.parametrize("kind", ["bytes", "pair", "dict", "dict with all", "record", "mixed"])
def test_the_same_batches(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "LEAST_ROWS", 1)
    monkeypatch.setattr(batch_builder, "LEAST_ROWS", 1)
    monkeypatch.setattr(batch_builder._pays, "left", 0)
    chance, taken = random.Random(kind), 0
    for number in range(60):
        given = [one(kind, chance) for _ in range(chance.choice((1, 2, 9, 60)))]
        taken += compare(given, CONFIGS[number % len(CONFIGS)], chance.choice((7, 0, 2**63 - 9)))
    assert taken > 20
    for wrong in WRONG:
        for config in (CONFIGS[0], CONFIGS[1], CONFIGS[7]):
            given = [one(kind, chance) for _ in range(3)]
            compare([*given, wrong, *given], config)


def test_kernels_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """From so many records on, and so many in the process."""
    monkeypatch.setattr(batch_builder._pays, "left", 1000)
    monkeypatch.setattr("kformat.kernels.compiled.sys", type("Sys", (), {"modules": {}}))
    asked: list[int] = []
    by_kernels = batch_builder.TableEncoder.by_kernels

    def seen(self: Any, rows: Any, is_last: bool) -> Any:
        asked.append(len(rows))
        return by_kernels(self, rows, is_last)

    monkeypatch.setattr(batch_builder.TableEncoder, "by_kernels", seen)
    for count in (255, 600, 600, 256):
        prepare_records([b"v"] * count, 0, 0, LogConfig(), NOW)
    assert asked == [600, 256]
