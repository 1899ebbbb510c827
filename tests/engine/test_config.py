"""`LogConfig`: what it takes, what it makes of properties, what follows from it. Beside Kafka: test_config_judge.py."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest

from kformat.errors import UsageError
from kformat.integers import MAX_INT32, MAX_INT64
from kformat_engine.config import SETTINGS, LogConfig
from kformat_engine.errors import ConfigError

WRONG: list[tuple[str, Any, str]] = [
    ("segment_bytes", 13, "segment.bytes: 13 is not in 14 to 2147483647"),
    ("segment_bytes", 2**31, "segment.bytes: 2147483648 is not in 14 to 2147483647"),
    ("segment_bytes", True, "segment.bytes: a whole number is needed, not True"),
    ("segment_bytes", 1e6, "segment.bytes: a whole number is needed, not 1000000.0"),
    ("segment_bytes", "1048576", "segment.bytes: a whole number is needed, not '1048576'"),
    ("producer_id_expiration_ms", 0, "producer.id.expiration.ms: 0 is not in 1 to 2147483647"),
    ("segment_ms", 0, "segment.ms: 0 is not in 1 to 9223372036854775807"),
    ("segment_jitter_ms", -1, "segment.jitter.ms: -1 is not in 0 to 9223372036854775807"),
    ("segment_index_bytes", 3, "segment.index.bytes: 3 is not in 12 to 2147483647"),
    ("segment_index_bytes", 4, "segment.index.bytes: Kafka takes 4, but an entry of the time index is 12 bytes, and "
                               "none would fit: no segment can be made"),
    ("index_interval_bytes", -1, "index.interval.bytes: -1 is not in 0 to 2147483647"),
    ("max_message_bytes", -1, "max.message.bytes: -1 is not in 0 to 2147483647"),
    ("message_timestamp_type", "createTime",
     "message.timestamp.type: 'createTime' is none of CreateTime, LogAppendTime"),
    ("message_timestamp_before_max_ms", 2**63,
     "message.timestamp.before.max.ms: 9223372036854775808 is not in 0 to 9223372036854775807"),
    ("message_timestamp_after_max_ms", -1,
     "message.timestamp.after.max.ms: -1 is not in 0 to 9223372036854775807"),
    ("compression_type", "none",
     "compression.type: 'none' is none of uncompressed, zstd, lz4, snappy, gzip, producer"),
    ("compression_type", None, "compression.type: None is none of uncompressed, zstd, lz4, snappy, gzip, producer"),
    ("compression_gzip_level", 0, "compression.gzip.level: 0 is neither 1 to 9 nor -1"),
    ("compression_gzip_level", 10, "compression.gzip.level: 10 is not in -1 to 9"),
    ("compression_lz4_level", 18, "compression.lz4.level: 18 is not in 1 to 17"),
    ("compression_zstd_level", 23, "compression.zstd.level: 23 is not in -131072 to 22"),
    ("retention_ms", -2, "retention.ms: -2 is not in -1 to 9223372036854775807"),
    ("retention_bytes", -(2**63) - 1,
     "retention.bytes: -9223372036854775809 is not in -9223372036854775808 to 9223372036854775807"),
    ("cleanup_policy", "delete", "cleanup.policy: a tuple of names is needed, not 'delete'"),
    ("cleanup_policy", ("delete", "x"), "cleanup.policy: 'x' is none of compact, delete"),
    ("cleanup_policy", ([],), "cleanup.policy: [] is none of compact, delete"),
    ("delete_retention_ms", -1, "delete.retention.ms: -1 is not in 0 to 9223372036854775807"),
    ("min_compaction_lag_ms", -1, "min.compaction.lag.ms: -1 is not in 0 to 9223372036854775807"),
    ("max_compaction_lag_ms", 0, "max.compaction.lag.ms: 0 is not in 1 to 9223372036854775807"),
    ("min_cleanable_dirty_ratio", 1.5, "min.cleanable.dirty.ratio: 1.5 is not in 0 to 1"),
    ("min_cleanable_dirty_ratio", float("nan"), "min.cleanable.dirty.ratio: nan is not in 0 to 1"),
    ("min_cleanable_dirty_ratio", False, "min.cleanable.dirty.ratio: a number is needed, not False"),
    ("file_delete_delay_ms", -1, "file.delete.delay.ms: -1 is not in 0 to 9223372036854775807"),
    ("flush_messages", 0, "flush.messages: 0 is not in 1 to 9223372036854775807"),
    ("flush_ms", -1, "flush.ms: -1 is not in 0 to 9223372036854775807"),
    ("preallocate", 1, "preallocate: true or false is needed, not 1"),
    ("writer_profile", "newest",
     "writer_profile: 'newest' is none of first-offset, last-offset, batch-time, per-batch"),
]  # fmt: skip

RIGHT: list[tuple[str, list[Any]]] = [
    ("segment_bytes", [14, MAX_INT32]),
    ("segment_index_bytes", [12, 67, MAX_INT32]),
    ("max_message_bytes", [0, MAX_INT32]),
    ("segment_ms", [1, MAX_INT64]),
    ("compression_gzip_level", [-1, 1, 9]),
    ("compression_zstd_level", [-131072, 0, 22]),
    ("retention_ms", [-1, 0, MAX_INT64]),
    ("retention_bytes", [-(2**63), -1, 0, MAX_INT64]),
    ("cleanup_policy", [(), ("compact",), ("compact", "delete")]),
    ("min_cleanable_dirty_ratio", [0, 1, 0.25]),
    ("writer_profile", ["first-offset", "per-batch"]),
]


@pytest.mark.parametrize(("field", "value", "complaint"), WRONG)
def test_what_cannot_be_is_refused_by_kafkas_name(field: str, value: Any, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LogConfig(**{field: value})
    assert str(caught.value) == complaint
    assert caught.value.name == complaint.split(":")[0]
    assert isinstance(caught.value, UsageError)


def test_a_number_too_long_to_write_is_refused_all_the_same() -> None:
    with pytest.raises(ConfigError, match=r"^segment\.ms: a number of thousands of digits is not in 1 to"):
        LogConfig(segment_ms=10**5000)


def test_every_setting_has_a_wrong_value_in_the_table() -> None:
    assert {field for field, _, _ in WRONG} == {field.name for field in dataclasses.fields(LogConfig)}
    assert {setting.field for setting in SETTINGS.values()} | {"writer_profile", "producer_id_expiration_ms"} == {
        field for field, _, _ in WRONG
    }


@pytest.mark.parametrize(("field", "values"), RIGHT)
def test_extremes_are_taken(field: str, values: list[Any]) -> None:
    for value in values:
        assert getattr(LogConfig(**{field: value}), field) == value


def test_what_is_taken_is_made_canonical() -> None:
    config = LogConfig(cleanup_policy=["compact", "compact"], min_cleanable_dirty_ratio=1)  # type: ignore[arg-type]
    assert config.cleanup_policy == ("compact",)
    assert type(config.min_cleanable_dirty_ratio) is float
    assert hash(config) == hash(dataclasses.replace(config))


def test_the_shortest_time_to_compaction_is_not_above_the_longest() -> None:
    LogConfig(min_compaction_lag_ms=5, max_compaction_lag_ms=5)
    with pytest.raises(ConfigError, match=r"^min\.compaction\.lag\.ms: 6 is more than max\.compaction\.lag\.ms, 5$"):
        LogConfig(min_compaction_lag_ms=6, max_compaction_lag_ms=5)


PROPERTIES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"segment.bytes": " 1048576 "}, {"segment_bytes": 1 << 20}),
    ({"segment.bytes": 1 << 20}, {"segment_bytes": 1 << 20}),
    ({"internal.segment.bytes": "14", "segment.bytes": "1048576"}, {"segment_bytes": 14}),
    ({"log.segment.bytes": "2000000", "segment.bytes": "1048576"}, {"segment_bytes": 1 << 20}),
    ({"log.roll.hours": "2"}, {"segment_ms": 7_200_000}),
    ({"log.roll.hours": "2", "log.roll.ms": "5"}, {"segment_ms": 5}),
    ({"log.roll.hours": "2", "log.roll.ms": "5", "segment.ms": "7"}, {"segment_ms": 7}),
    ({"log.roll.jitter.hours": "1"}, {"segment_jitter_ms": 3_600_000}),
    ({"log.retention.hours": "1", "log.retention.minutes": "3"}, {"retention_ms": 180_000}),
    ({"log.retention.minutes": "3", "log.retention.ms": "4"}, {"retention_ms": 4}),
    ({"log.retention.hours": "-1"}, {"retention_ms": -1}),
    ({"retention.ms": "-1"}, {"retention_ms": -1}),
    ({"log.index.size.max.bytes": "67"}, {"segment_index_bytes": 67}),
    ({"log.flush.interval.messages": "1"}, {"flush_messages": 1}),
    ({"log.flush.scheduler.interval.ms": "9"}, {"flush_ms": 9}),
    ({"log.flush.scheduler.interval.ms": "9", "log.flush.interval.ms": "8"}, {"flush_ms": 8}),
    ({"message.max.bytes": "100"}, {"max_message_bytes": 100}),
    ({"cleanup.policy": "compact , delete"}, {"cleanup_policy": ("compact", "delete")}),
    ({"cleanup.policy": ["compact"]}, {"cleanup_policy": ("compact",)}),
    ({"cleanup.policy": ""}, {"cleanup_policy": ()}),
    ({"log.preallocate": "TRUE"}, {"preallocate": True}),
    ({"preallocate": True}, {"preallocate": True}),
    ({"log.cleaner.min.cleanable.ratio": ".25"}, {"min_cleanable_dirty_ratio": 0.25}),
    ({"min.insync.replicas": "2", "listeners": "x"}, {}),
    ({"message.timestamp.difference.max.ms": "5"}, {}),
]


@pytest.mark.parametrize(("properties", "expected"), PROPERTIES)
def test_properties(properties: dict[str, Any], expected: dict[str, Any]) -> None:
    assert LogConfig.from_properties(properties) == LogConfig(**expected)


OLDER: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({}, {}),
    ({"segment.bytes": "14"}, {"segment_bytes": 14}),
    (
        {"message.timestamp.difference.max.ms": "5"},
        {"message_timestamp_before_max_ms": 5, "message_timestamp_after_max_ms": 5},
    ),
    (
        {"log.message.timestamp.difference.max.ms": "5", "message.timestamp.after.max.ms": "7"},
        {"message_timestamp_before_max_ms": 5, "message_timestamp_after_max_ms": 7},
    ),
]


@pytest.mark.parametrize(("properties", "expected"), OLDER)
def test_properties_of_3_9(properties: dict[str, str], expected: dict[str, Any]) -> None:
    unlimited: dict[str, Any] = {"message_timestamp_after_max_ms": MAX_INT64}
    assert LogConfig.from_properties(properties, release="3.9") == LogConfig(**(unlimited | expected))


@pytest.mark.parametrize(
    ("properties", "complaint"),
    [
        ({"segment.bytes": "1048575"}, "segment.bytes: 1048575 is not in 1048576 to 2147483647"),
        ({"log.segment.bytes": "14"}, "log.segment.bytes: 14 is not in 1048576 to 2147483647"),
        ({"internal.segment.bytes": "13"}, "internal.segment.bytes: 13 is not in 14 to 2147483647"),
        ({"log.roll.ms": "5", "log.roll.hours": "soon"}, "log.roll.hours: 'soon' is not a whole number"),
        ({"log.roll.hours": "0"}, "log.roll.hours: 0 is not in 1 to 2147483647"),
        ({"log.retention.minutes": "0"}, "log.retention.minutes: 0 is neither -1, for ever, nor 1 or more"),
        ({"segment.ms": "9" * 5000}, "segment.ms: '" + "9" * 39 + "... is not a whole number"),
        ({"segment.ms": "9" * 20}, f"segment.ms: {'9' * 20} is not in 1 to 9223372036854775807"),
        ({"segment.ms": None}, "segment.ms: a whole number is needed, not None"),
        ({"log.preallocate": "yes"}, "log.preallocate: 'yes' is neither true nor false"),
        ({"min.cleanable.dirty.ratio": "1_0"}, "min.cleanable.dirty.ratio: '1_0' is no number"),
        ({"cleanup.policy": "delete,"}, "cleanup.policy: '' is none of compact, delete"),
        ({5: "6"}, "5: a name is text"),
        (b"segment.ms=\\u12", "properties: not a Java properties file: <bytes>:0 meta_properties: a malformed escape, "
                              "line 1 (expected \\uXXXX, found '\\\\u12')"),
    ],
)  # fmt: skip
def test_properties_that_cannot_be(properties: Any, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LogConfig.from_properties(properties)
    assert str(caught.value) == complaint


def test_a_brokers_file(tmp_path: Path) -> None:
    text = b"# of a broker\nbroker.id=5\nlisteners = PLAINTEXT://:9092\nlog.roll.hours: 1\nlog.roll.hours: \\\n  2\n"
    path = tmp_path / "server.properties"
    path.write_bytes(text)
    for source in (text, path, str(path)):
        assert LogConfig.from_properties(source) == LogConfig(segment_ms=7_200_000)
        assert LogConfig.unknown_names(source) == ("broker.id", "listeners")
    with pytest.raises(FileNotFoundError):
        LogConfig.from_properties(tmp_path / "none")


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="larger than the limit"):
        LogConfig.from_properties("/dev/zero")


def test_typing_errors_are_found() -> None:
    properties = {"segment.byte": "5", "min.insync.replicas": "1", "log.roll.ms": "5"}
    assert LogConfig.unknown_names(properties) == ("segment.byte",)
    with pytest.raises(ConfigError, match=r"^segment\.byte: no setting of a log; is segment\.bytes meant\?$"):
        LogConfig.from_properties(properties, strict=True)
    with pytest.raises(ConfigError, match=r"^xxx: no setting of a log$"):
        LogConfig.from_properties({"xxx": "1"}, strict=True)
    assert LogConfig.unknown_names({"internal.segment.bytes": "1"}) == ()
    assert LogConfig.unknown_names({"internal.segment.bytes": "1"}, release="3.9") == ("internal.segment.bytes",)
    with pytest.raises(ConfigError, match=r"release: '2\.8' is none of 4\.4, 3\.9"):
        LogConfig.unknown_names({}, release="2.8")  # type: ignore[arg-type]


@pytest.mark.parametrize("release", ["4.4", "3.9"])
def test_there_and_back(release: Any) -> None:
    configs = [
        LogConfig(),
        LogConfig(segment_bytes=14, cleanup_policy=(), preallocate=True, min_cleanable_dirty_ratio=0.1),
        LogConfig(cleanup_policy=("compact", "delete"), retention_ms=-1, retention_bytes=-7, segment_index_bytes=12),
    ]
    for config in configs:
        written = config.to_properties(release=release)
        assert LogConfig.from_properties(written, release=release, strict=True) == config
        text = "".join(f"{name}={value}\n" for name, value in written.items()).encode()
        assert LogConfig.from_properties(text, release=release, strict=True) == config
    assert ("internal.segment.bytes" in configs[1].to_properties(release=release)) == (release == "4.4")


def test_compaction_caps_the_time_of_a_segment() -> None:
    assert LogConfig(segment_ms=10, max_compaction_lag_ms=5).max_segment_ms == 10
    assert LogConfig(segment_ms=10, max_compaction_lag_ms=5, cleanup_policy=("compact",)).max_segment_ms == 5
    assert LogConfig(segment_ms=10, max_compaction_lag_ms=50, cleanup_policy=("compact", "delete")).max_segment_ms == 10


class Drawn(random.Random):
    """Draws what it was told to."""

    def __init__(self, value: int) -> None:
        super().__init__()
        self.value = value

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        assert stop is not None and start <= self.value < stop
        return self.value


@pytest.mark.parametrize(
    ("drawn", "jitter_ms", "segment_ms", "expected"),
    [
        (17, 0, 1000, 0),
        (17, 10, 1000, 7),
        (-17, 10, 1000, 7),
        (17, 1000, 5, 2),
        (-(2**31), 1000, 1000, 0),
        (2**31 - 1, MAX_INT64, MAX_INT64, 2**31 - 1),
        (17, 1, 1000, 0),
    ],
)
def test_jitter(drawn: int, jitter_ms: int, segment_ms: int, expected: int) -> None:
    config = LogConfig(segment_jitter_ms=jitter_ms, segment_ms=segment_ms)
    assert config.random_jitter_ms(Drawn(drawn)) == expected


def test_sync_policies() -> None:
    assert LogConfig().sync_policy == "never"
    assert LogConfig(flush_messages=1).sync_policy == "batch"
    assert LogConfig(flush_messages=1, flush_ms=5).sync_policy == "batch"
    assert LogConfig(flush_messages=2).sync_policy == "interval"
    assert LogConfig(flush_ms=0).sync_policy == "interval"
    config = LogConfig(segment_ms=5, flush_messages=7)
    for policy in ("never", "interval", "batch"):
        changed = config.with_sync(policy)
        assert (changed.sync_policy, changed.segment_ms) == (policy, 5)
    assert config.with_sync("interval", flush_ms=3).flush_ms == 3
    assert config.with_sync("interval").flush_ms == 1000
    with pytest.raises(ConfigError, match=r"^sync: 'always' is none of never, interval, batch$"):
        config.with_sync("always")  # type: ignore[arg-type]
