"""The configuration of a log: Kafka's topic configs in snake_case, with Kafka's defaults and units.

`LogConfig(...)` takes values, `LogConfig.from_properties` the content of a file for Kafka: names of topic or broker
configs, and text as Kafka's ConfigDef parses it. Rules:

* Valid values are those of Kafka's release line 4.4, with two differences. Segments may be as small as 14 bytes:
  Kafka's classes take that under the name `internal.segment.bytes` (up to 3.9 as `segment.bytes`), and an embedded log
  may need it. An index has at least 12 bytes, one slot of the time index: Kafka takes 4 bytes and more, and then cannot
  create a segment.
* Of several names for one setting the topic's wins, then Kafka's order of the broker's; the others are parsed, too.
* `release` selects the rules of `from_properties` where the release lines differ: "4.4" (the default) or "3.9".

tests/engine/test_config_judge.py compares all of this with Kafka's own classes.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import random as random_module
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from kformat.errors import DataError
from kformat.integers import MAX_INT32, MAX_INT64, MIN_INT64
from kformat.kafka.batch.framing import MINIMUM_LENGTH
from kformat.kafka.files.text_files import DEFAULT_LIMIT_BYTES, parse_meta_properties
from kformat.kafka.index.indexing import DEFAULT_PROFILE, PROFILES
from kformat.kafka.producers.producer_state import DEFAULT_EXPIRATION_MS
from kformat.language.layout import layout
from kformat_engine.errors import ConfigError

MIN_SEGMENT_BYTES: Final = MINIMUM_LENGTH
"""The smallest `segment.bytes` that Kafka's own classes ever took: the overhead of a message of magic 0."""
MIN_SEGMENT_INDEX_BYTES: Final = layout("time_index::entry").size
"""The smallest size of an index: one entry of a time index. Kafka takes 4 and fails later."""

Release = Literal["4.4", "3.9"]
"""A release line of Kafka: its names, defaults and minima are those of `from_properties`."""

SyncPolicy = Literal["never", "interval", "batch"]
"""When a log syncs by itself: never; after a number of records or some time; before an append is acknowledged."""

Properties = Mapping[str, Any] | bytes | str | os.PathLike[str]
"""Names and values; or the bytes of a Java properties file; or the path of one."""

_HOUR_MS: Final = 3_600_000


class Setting(NamedTuple):
    """Kafka's definition of one setting.

    Attributes:
        name: Kafka's dotted name of the topic config. field: its name in `LogConfig`.
        kind: Kafka's type: ``int``, ``long``, ``double``, ``boolean``, ``string``, ``list``.
        minimum, maximum: the range of a number, both inclusive.
        allowed: the valid texts; empty if any is valid.
        broker_names: the broker's names for it, the one that wins first, each with the factor of its values.
    """

    name: str
    field: str
    kind: str
    minimum: float = 0
    maximum: float = 0
    allowed: tuple[str, ...] = ()
    broker_names: tuple[tuple[str, int], ...] = ()


def _setting(
    name: str,
    kind: str,
    *broker_names: str | tuple[str, int],
    minimum: float | None = None,
    maximum: float | None = None,
    allowed: tuple[str, ...] = (),
) -> Setting:
    low, high = {"int": (-MAX_INT32 - 1, MAX_INT32), "long": (MIN_INT64, MAX_INT64)}.get(kind, (0, 0))
    return Setting(
        name,
        name.replace(".", "_"),
        kind,
        low if minimum is None else minimum,
        high if maximum is None else maximum,
        allowed,
        tuple((broker_name, 1) if isinstance(broker_name, str) else broker_name for broker_name in broker_names),
    )


_ALL: Final = (
    _setting("segment.bytes", "int", "log.segment.bytes", minimum=MIN_SEGMENT_BYTES),
    _setting("segment.ms", "long", "log.roll.ms", ("log.roll.hours", _HOUR_MS), minimum=1),
    _setting("segment.jitter.ms", "long", "log.roll.jitter.ms", ("log.roll.jitter.hours", _HOUR_MS), minimum=0),
    _setting("segment.index.bytes", "int", "log.index.size.max.bytes", minimum=MIN_SEGMENT_INDEX_BYTES),
    _setting("index.interval.bytes", "int", "log.index.interval.bytes", minimum=0),
    _setting("max.message.bytes", "int", "message.max.bytes", minimum=0),
    _setting("message.timestamp.type", "string", "log.message.timestamp.type", allowed=("CreateTime", "LogAppendTime")),
    _setting("message.timestamp.before.max.ms", "long", "log.message.timestamp.before.max.ms", minimum=0),
    _setting("message.timestamp.after.max.ms", "long", "log.message.timestamp.after.max.ms", minimum=0),
    _setting(
        "compression.type",
        "string",
        "compression.type",
        allowed=("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    ),
    _setting("compression.gzip.level", "int", "compression.gzip.level", minimum=-1, maximum=9),
    _setting("compression.lz4.level", "int", "compression.lz4.level", minimum=1, maximum=17),
    _setting("compression.zstd.level", "int", "compression.zstd.level", minimum=-131072, maximum=22),
    _setting(
        "retention.ms",
        "long",
        "log.retention.ms",
        ("log.retention.minutes", 60_000),
        ("log.retention.hours", _HOUR_MS),
        minimum=-1,
    ),
    _setting("retention.bytes", "long", "log.retention.bytes"),
    _setting("cleanup.policy", "list", "log.cleanup.policy", allowed=("compact", "delete")),
    _setting("delete.retention.ms", "long", "log.cleaner.delete.retention.ms", minimum=0),
    _setting("min.compaction.lag.ms", "long", "log.cleaner.min.compaction.lag.ms", minimum=0),
    _setting("max.compaction.lag.ms", "long", "log.cleaner.max.compaction.lag.ms", minimum=1),
    _setting("min.cleanable.dirty.ratio", "double", "log.cleaner.min.cleanable.ratio", minimum=0, maximum=1),
    _setting("file.delete.delay.ms", "long", "log.segment.delete.delay.ms", minimum=0),
    _setting("flush.messages", "long", "log.flush.interval.messages", minimum=1),
    _setting("flush.ms", "long", "log.flush.interval.ms", "log.flush.scheduler.interval.ms", minimum=0),
    _setting("preallocate", "boolean", "log.preallocate"),
)

_EXPIRATION: Final = _setting("producer.id.expiration.ms", "int", minimum=1)
"""Not a topic config, so no file for a topic has it."""

SETTINGS: Final[Mapping[str, Setting]] = {setting.name: setting for setting in _ALL}
"""The settings that have an effect here, by Kafka's name."""

WITHOUT_EFFECT: Final = frozenset(
    {
        "errors.deadletterqueue.group.enable",
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
        "local.retention.bytes",
        "local.retention.ms",
        "max.decompressed.message.bytes",
        "message.downconversion.enable",
        "message.format.version",
        "min.insync.replicas",
        "remote.copy.lag.bytes",
        "remote.copy.lag.ms",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
        "remote.storage.enable",
        "unclean.leader.election.enable",
    }
)
"""Kafka's other topic configs: of replication, of tiered storage, of share groups, of formats before 3.0, of how much a
broker decompresses. They are ignored."""

_INTERNAL_SEGMENT_BYTES: Final = "internal.segment.bytes"
_DIFFERENCE: Final = "message.timestamp.difference.max.ms"
_BEFORE: Final = "message.timestamp.before.max.ms"
_AFTER: Final = "message.timestamp.after.max.ms"

# Settings of one release line only.
_OWN: Final[dict[str, tuple[Setting, ...]]] = {
    "4.4": (_setting(_INTERNAL_SEGMENT_BYTES, "int", minimum=MIN_SEGMENT_BYTES),),
    "3.9": (_setting(_DIFFERENCE, "long", f"log.{_DIFFERENCE}", minimum=0),),
}
_MIN_SEGMENT_BYTES: Final = {"4.4": 1 << 20, "3.9": MIN_SEGMENT_BYTES}

# Broker names whose bounds differ from the topic's: hours are int, and a value that does not win need not be valid.
_BROKER_RANGES: Final = {
    "log.roll.hours": (1, MAX_INT32),
    "log.roll.jitter.hours": (0, MAX_INT32),
    "log.flush.interval.ms": (MIN_INT64, MAX_INT64),
    "log.flush.scheduler.interval.ms": (MIN_INT64, MAX_INT64),
    "log.retention.ms": (MIN_INT64, MAX_INT64),
    "log.retention.minutes": (-MAX_INT32 - 1, MAX_INT32),
    "log.retention.hours": (-MAX_INT32 - 1, MAX_INT32),
}

_JAVA_TRIMMED: Final = "".join(map(chr, range(33)))
_INTEGER: Final = re.compile(r"[+-]?0*([0-9]{1,20})")
_DOUBLE: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?")
_SHOWN_CHARACTERS: Final = 40


RECORD_PROFILES: Final = ("first-offset", "last-offset")
"""The writer profiles that index an uncompressed append under the record with the largest timestamp."""


@dataclass(frozen=True, kw_only=True)
class LogConfig:
    """The configuration of a log. Names, units and defaults are those of Kafka 4.x's topic configs.

    Raises ConfigError, with Kafka's name of the setting, for an invalid value; numbers are int (not bool).
    """

    segment_bytes: int = 1 << 30
    """`segment.bytes`: the largest size of a segment's `.log`, bytes; 14 to 2^31-1."""
    segment_ms: int = 7 * 24 * _HOUR_MS
    """`segment.ms`: the largest difference between a segment's timestamps, ms; from 1."""
    segment_jitter_ms: int = 0
    """`segment.jitter.ms`: the most by which a segment's `segment_ms` is shortened, at random, ms; 0: not at all."""
    segment_index_bytes: int = 10 << 20
    """`segment.index.bytes`: the preallocated size of each index of the active segment, bytes; from 12."""
    index_interval_bytes: int = 4096
    """`index.interval.bytes`: an index entry is added when more bytes than this were written since the last; from 0."""
    max_message_bytes: int = (1 << 20) + 12
    """`max.message.bytes`: the largest batch, bytes as stored, with offset and length; from 0."""
    message_timestamp_type: str = "CreateTime"
    """`message.timestamp.type`: `CreateTime` (the records' own) or `LogAppendTime` (when they were appended)."""
    message_timestamp_before_max_ms: int = MAX_INT64
    """`message.timestamp.before.max.ms`: how far a record's timestamp may lie before now, ms; from 0."""
    message_timestamp_after_max_ms: int = _HOUR_MS
    """`message.timestamp.after.max.ms`: how far a record's timestamp may lie after now, ms; from 0."""
    compression_type: str = "producer"
    """`compression.type`: `uncompressed`, `zstd`, `lz4`, `snappy`, `gzip`, or `producer`: batches stay as they come."""
    compression_gzip_level: int = -1
    """`compression.gzip.level`: 1 to 9, or -1 for the default."""
    compression_lz4_level: int = 9
    """`compression.lz4.level`: 1 to 17."""
    compression_zstd_level: int = 3
    """`compression.zstd.level`: -131072 to 22."""
    retention_ms: int = 7 * 24 * _HOUR_MS
    """`retention.ms`: how long a segment is kept after its largest timestamp, ms; -1: forever."""
    retention_bytes: int = -1
    """`retention.bytes`: segments are deleted while the log stays at least this large, bytes; below 0: no limit."""
    cleanup_policy: tuple[str, ...] = ("delete",)
    """`cleanup.policy`: any of `delete` and `compact`. Without any, only segments below the log's start are deleted."""
    delete_retention_ms: int = 24 * _HOUR_MS
    """`delete.retention.ms`: how long compaction keeps a tombstone, ms; from 0."""
    min_compaction_lag_ms: int = 0
    """`min.compaction.lag.ms`: how long a record is not compacted, ms; 0 to `max_compaction_lag_ms`."""
    max_compaction_lag_ms: int = MAX_INT64
    """`max.compaction.lag.ms`: after how long a record has to be compactable, ms; from 1. Caps `segment_ms` then."""
    min_cleanable_dirty_ratio: float = 0.5
    """`min.cleanable.dirty.ratio`: how much of a log has to be uncompacted before it is compacted; 0 to 1."""
    file_delete_delay_ms: int = 60_000
    """`file.delete.delay.ms`: how long the files of a deleted segment stay, renamed, ms; from 0."""
    flush_messages: int = MAX_INT64
    """`flush.messages`: after how many records the log is synced; from 1, which is each append."""
    flush_ms: int = MAX_INT64
    """`flush.ms`: how long records may wait for a sync, ms; from 0."""
    preallocate: bool = False
    """`preallocate`: whether a new segment's `.log` is created at its full size, with zeros."""
    writer_profile: str = DEFAULT_PROFILE
    """The Kafka generation whose index entries are written, of `kformat.kafka.index.indexing.PROFILES`; Kafka has no
    such setting.
    """

    producer_id_expiration_ms: int = DEFAULT_EXPIRATION_MS
    """`producer.id.expiration.ms`, a broker's: how long after its last record a producer is remembered, ms; from 1."""

    def __post_init__(self) -> None:
        for setting in (*_ALL, _EXPIRATION):
            value = _checked(setting, getattr(self, setting.field))
            object.__setattr__(self, setting.field, value)
        if self.min_compaction_lag_ms > self.max_compaction_lag_ms:
            raise ConfigError(
                "min.compaction.lag.ms",
                f"{self.min_compaction_lag_ms} is more than max.compaction.lag.ms, {self.max_compaction_lag_ms}",
            )
        if self.writer_profile not in PROFILES:
            raise ConfigError("writer_profile", f"{_shown(self.writer_profile)} is none of {', '.join(PROFILES)}")

    # Derived values

    @cached_property
    def is_compacted(self) -> bool:
        """Whether `compact` is among the cleanup policies."""
        return "compact" in self.cleanup_policy

    @cached_property
    def stores_plain(self) -> bool:
        """Whether a batch without compression, with timestamps of its records, is stored as it is, and indexed under
        its last offset."""
        is_plain = self.compression_type in ("producer", "uncompressed")
        is_by_batch = self.writer_profile not in RECORD_PROFILES
        return is_plain and is_by_batch and self.message_timestamp_type == "CreateTime"

    @cached_property
    def max_segment_ms(self) -> int:
        """The largest spread of a segment's timestamps, ms: compaction has to reach records in time (maxSegmentMs)."""
        return min(self.segment_ms, self.max_compaction_lag_ms) if self.is_compacted else self.segment_ms

    def random_jitter_ms(self, random: random_module.Random) -> int:
        """The time by which a new segment's `segment_ms` is shortened, ms (LogConfig.randomSegmentJitter).

        A whole number below the smaller of `segment_jitter_ms` and `segment_ms`; as in Kafka, also below 2^31.
        """
        if self.segment_jitter_ms == 0:
            return 0
        drawn = random.randrange(-MAX_INT32 - 1, MAX_INT32 + 1)
        return (0 if drawn < -MAX_INT32 else abs(drawn)) % min(self.segment_jitter_ms, self.segment_ms)

    @cached_property
    def sync_policy(self) -> SyncPolicy:
        """When the log syncs by itself, derived from `flush_messages` and `flush_ms`."""
        if self.flush_messages == 1:
            return "batch"
        return "never" if self.flush_messages == self.flush_ms == MAX_INT64 else "interval"

    def with_sync(self, policy: SyncPolicy, *, flush_ms: int = 1000) -> LogConfig:
        """The same configuration with another sync policy; ``flush_ms`` is that of ``interval``, ms."""
        if policy not in ("never", "interval", "batch"):
            raise ConfigError("sync", f"{_shown(policy)} is none of never, interval, batch")
        return dataclasses.replace(
            self,
            flush_messages=1 if policy == "batch" else MAX_INT64,
            flush_ms=flush_ms if policy == "interval" else MAX_INT64,
        )

    # Files for Kafka

    @classmethod
    def from_properties(cls, source: Properties, *, release: Release = "4.4", strict: bool = False) -> LogConfig:
        """The configuration in a file for Kafka: topic configs, or a broker's server.properties.

        ``source`` is a mapping, or the bytes of a properties file, or the path of one. Names that are not of a log are
        ignored; with ``strict`` they are an error, and `unknown_names` lists them. ``segment.bytes`` is at least 1 MiB
        if ``release`` is "4.4" (`internal.segment.bytes` overrides it, from 14), else 14;
        `message.timestamp.difference.max.ms` and an unlimited `message.timestamp.after.max.ms` are of "3.9".

        Raises ConfigError with the name as in the file; OSError if the file cannot be read.
        """
        settings, properties = _settings(release), _named(source)
        if strict:
            for name in _unknown(properties, settings):
                near = difflib.get_close_matches(name, _known(settings), 1)
                raise ConfigError(name, "no setting of a log" + (f"; is {near[0]} meant?" if near else ""))
        parsed = {
            name: _parsed(name, properties[name], setting, release)
            for setting in settings
            for name in (setting.name, *(broker_name for broker_name, _ in setting.broker_names))
            if name in properties
        }
        values: dict[str, Any] = {}
        for setting in settings:
            for name, factor in ((setting.name, 1), *setting.broker_names):
                if name in parsed:
                    values[setting.name] = parsed[name] if factor == 1 else parsed[name] * factor
                    break
        if "retention.ms" not in properties and values.get("retention.ms", 0) < 0:
            values["retention.ms"] = -1  # any negative value of a broker's; of a topic's only -1 is one
        if release == "3.9":
            _fall_back(values, parsed)
        if _INTERNAL_SEGMENT_BYTES in values:
            values["segment.bytes"] = values.pop(_INTERNAL_SEGMENT_BYTES)
        return cls(**{SETTINGS[name].field: value for name, value in values.items()})

    @staticmethod
    def named_fields(source: Properties, *, by_broker_names: bool = True) -> frozenset[str]:
        """The fields that a file for Kafka sets, by the names of topic configs, and of a broker's; see
        `from_properties`.
        """
        names = set(_named(source))
        return frozenset(
            setting.field
            for setting in _ALL
            if names & {setting.name, f"internal.{setting.name}"}
            or (by_broker_names and names & {name for name, _ in setting.broker_names})
        )

    @staticmethod
    def unknown_names(source: Properties, *, release: Release = "4.4") -> tuple[str, ...]:
        """The names that `from_properties` ignores, sorted: other settings of a broker, and typing errors.

        Kafka's topic configs that have no effect here (`WITHOUT_EFFECT`) are not among them.
        """
        return _unknown(_named(source), _settings(release))

    def to_properties(self, *, release: Release = "4.4") -> dict[str, str]:
        """Kafka's topic configs with all values, from which `from_properties` makes the same configuration.

        The writer profile and `producer_id_expiration_ms` are lost: no topic config has them. A `segment_bytes` too
        small for ``release`` is named `internal.segment.bytes`.
        """
        _settings(release)
        properties = {}
        for setting in _ALL:
            value = getattr(self, setting.field)
            name = setting.name
            if name == "segment.bytes" and value < _MIN_SEGMENT_BYTES[release]:
                name = _INTERNAL_SEGMENT_BYTES
            match value:
                case bool():
                    properties[name] = "true" if value else "false"
                case tuple():
                    properties[name] = ",".join(value)
                case _:
                    properties[name] = str(value)
        return properties


def _checked(setting: Setting, value: Any) -> Any:
    """The value, checked for its type and range; ConfigError."""
    match setting.kind:
        case "int" | "long":
            if isinstance(value, bool) or not isinstance(value, int):
                raise ConfigError(setting.name, f"a whole number is needed, not {_shown(value)}")
            value = int(value)
            if setting.field == "segment_index_bytes" and 4 <= value < MIN_SEGMENT_INDEX_BYTES:
                raise ConfigError(
                    setting.name,
                    f"Kafka takes {value}, but an entry of the time index is {MIN_SEGMENT_INDEX_BYTES} bytes, and none"
                    " would fit: no segment can be made",
                )
            if setting.field == "compression_gzip_level" and value == 0:
                raise ConfigError(setting.name, "0 is neither 1 to 9 nor -1")
            _check_range(setting.name, value, setting.minimum, setting.maximum)
        case "double":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ConfigError(setting.name, f"a number is needed, not {_shown(value)}")
            _check_range(setting.name, value, setting.minimum, setting.maximum)
            value = float(value)
        case "boolean":
            if not isinstance(value, bool):
                raise ConfigError(setting.name, f"true or false is needed, not {_shown(value)}")
        case "string":
            _check_allowed(setting, value)
        case _:
            if not isinstance(value, tuple | list):
                raise ConfigError(setting.name, f"a tuple of names is needed, not {_shown(value)}")
            for name in value:
                _check_allowed(setting, name)
            value = tuple(dict.fromkeys(value))
    return value


def _check_range(name: str, value: float, minimum: float, maximum: float) -> None:
    if not minimum <= value <= maximum:  # false for NaN, too
        raise ConfigError(name, f"{_shown(value)} is not in {minimum} to {maximum}")


def _check_allowed(setting: Setting, value: Any) -> None:
    if not isinstance(value, str) or value not in setting.allowed:
        raise ConfigError(setting.name, f"{_shown(value)} is none of {', '.join(setting.allowed)}")


# Files


def _settings(release: str) -> tuple[Setting, ...]:
    if release not in _OWN:
        raise ConfigError("release", f"{_shown(release)} is none of {', '.join(_OWN)}")
    return _ALL + _OWN[release]


def _named(source: Properties) -> dict[str, Any]:
    """The names and values of a mapping or a file."""
    if isinstance(source, Mapping):
        for name in source:
            if not isinstance(name, str):
                raise ConfigError(_shown(name), "a name is text")
        return dict(source)
    if isinstance(source, bytes):
        data, where = source, "<bytes>"
    else:
        where = os.fspath(source)
        with open(source, "rb") as file:
            data = file.read(DEFAULT_LIMIT_BYTES + 1)
    try:
        return dict(parse_meta_properties(data, source=where).properties)
    except DataError as error:
        raise ConfigError("properties", f"not a Java properties file: {error}") from error


def _known(settings: Iterable[Setting]) -> list[str]:
    return [
        name
        for setting in settings
        for name in (setting.name, *(broker_name for broker_name, _ in setting.broker_names))
    ]


def _unknown(names: Iterable[str], settings: Iterable[Setting]) -> tuple[str, ...]:
    return tuple(sorted(set(names).difference(_known(settings), WITHOUT_EFFECT)))


def _parsed(name: str, value: Any, setting: Setting, release: str) -> Any:
    """One value as Kafka's ConfigDef parses and checks it, under the name in the file."""
    own = setting._replace(name=name)
    if isinstance(value, str):
        value = _of_text(own, value.strip(_JAVA_TRIMMED))
    if name == setting.name or name not in _BROKER_RANGES:
        if setting.name == "segment.bytes":
            own = own._replace(minimum=_MIN_SEGMENT_BYTES[release])
        return _checked(own, value)
    minimum, maximum = _BROKER_RANGES[name]
    value = _checked(own._replace(minimum=minimum, maximum=maximum), value)
    if setting.name == "retention.ms" and value == 0:
        raise ConfigError(name, "0 is neither -1, for ever, nor 1 or more")
    return value


def _of_text(setting: Setting, text: str) -> Any:
    match setting.kind:
        case "int" | "long":
            match = _INTEGER.fullmatch(text)
            if match is None:
                raise ConfigError(setting.name, f"{_shown(text)} is not a whole number")
            return -int(match[1]) if text.startswith("-") else int(match[1])
        case "double":
            if not _DOUBLE.fullmatch(text):
                raise ConfigError(setting.name, f"{_shown(text)} is no number")
            return float(text.rstrip("fFdD"))
        case "boolean":
            if text.lower() not in ("true", "false"):
                raise ConfigError(setting.name, f"{_shown(text)} is neither true nor false")
            return text.lower() == "true"
        case "list":
            return tuple(re.split(r"\s*,\s*", text)) if text else ()
    return text


def _fall_back(values: dict[str, Any], parsed: Mapping[str, Any]) -> None:
    """Apply 3.9's rule for the timestamps' limits: for one that is unlimited, the older setting for both counts.

    It is applied twice: for the broker with the broker's older setting, then for the topic.
    """
    difference = values.pop(_DIFFERENCE, MAX_INT64)
    for name in (_BEFORE, _AFTER):
        value = parsed.get(name)
        if value is None:
            value = parsed.get(f"log.{name}", MAX_INT64)
            if value == MAX_INT64:
                value = parsed.get(f"log.{_DIFFERENCE}", MAX_INT64)
        values[name] = difference if value == MAX_INT64 else value


def _shown(value: Any) -> str:
    """A value as errors show it: Python's repr, shortened."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"  # Python refuses to format it
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
