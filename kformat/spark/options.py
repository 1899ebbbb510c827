"""The options of ``format("kformat")``: those of Spark's own Kafka source, with the same meaning, and kformat's own.

Rules:

* An unknown option is refused by name, with the nearest known one. Options that only a broker's client needs (others of
  ``kafka.``, of consumer groups and fetching) are accepted and ignored; `unused` lists them.
* Names and precedence are those of KafkaSourceProvider: of starting (and of ending) timestamp, offsets by timestamp and
  offsets the first one given is used.
* This module is independent of Spark: options are strings.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kformat.columns.skipped import ON_CORRUPT
from kformat.errors import UsageError
from kformat.kafka.columns.declared import JSON, Layouts, layouts_of
from kformat.kafka.columns.messages import KAFKA, is_kafka
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.producers.isolation import ISOLATION_LEVELS
from kformat.language.program import load_type
from kformat.spark.tables import PLAIN, TABLES, ValueFormats, columns_of, named, nearest, types_of
from kformat.storage.address import absolute, is_address, place
from kformat.times import parse_milliseconds

EARLIEST, LATEST = -2, -1
"""The numbers for these two in offsets that are given as JSON."""

_START: Final = ("startingTimestamp", "startingOffsetsByTimestamp", "startingOffsets")
_END: Final = ("endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets")
_SELECTION: Final = ("subscribe", "subscribePattern", "assign", "topics")
OPTIONS: Final = (
    *("path", "paths", "rows", "columns"),
    *_SELECTION,
    *("exclude", "partitions"),
    *_START,
    *_END,
    *("startingOffsetsByTimestampStrategy", "failOnDataLoss", "includeHeaders", "minPartitions"),
    *("maxRecordsPerPartition", "isolationLevel", "splitBytes", "checkCrcs", "onCorrupt", "includeControl"),
    *("includeMetadata", "assumeOrderedTimestamps", "beforeLogStart", "replica", "valueAs", "keyAs", "decode"),
)
"""The known options. Spark ignores case in their names."""
REPLICAS: Final = ("best", "each", "error")
"""For a partition in several folders: read one, all, or none."""

_OF_A_CLIENT: Final = (
    "groupidprefix",
    "kafkaconsumer.polltimeoutms",
    "fetchoffset.numretries",
    "fetchoffset.retryintervalms",
)
_LIMITS: Final = ("maxOffsetsPerTrigger", "maxBytesPerTrigger")
_NOT_BUILT: Final = ("minOffsetsPerTrigger", "maxTriggerDelay")
_OF_STREAMS: Final = (*_LIMITS, *_NOT_BUILT)
_ISOLATION: Final = "kafka.isolation.level"
INTERNAL_TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
"""Kafka's own topics (Topic.INTERNAL_TOPICS, and the metadata's): read if they are named, or a path leads to them."""

DEFAULT_SPLIT_BYTES: Final = 128 << 20
_UNITS: Final = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}

NO_PATH: Final = (
    "no path was given: load(DIR), or in SQL: CREATE TEMPORARY VIEW name USING kformat OPTIONS (path 'DIR'); "
    "CREATE TABLE does not work, because Spark passes neither its options nor its LOCATION to a Python data source"
)

Key = tuple[str, int]
"""Topic and partition."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Where to begin, or to stop before, in each partition; by default at its own beginning or end.

    Attributes:
        option: the one that says it.
        is_latest: of a stream, to begin with what comes.
        timestamp: the same for all, ms.
        timestamps: of each partition, ms. offsets: of each partition, ``EARLIEST`` and ``LATEST`` among them.
    """

    option: str = ""
    is_latest: bool = False
    timestamp: int | None = None
    timestamps: Mapping[Key, int] | None = None
    offsets: Mapping[Key, int] | None = None


@dataclass(frozen=True, slots=True)
class SplitReading:
    """How the bytes of splits become rows: for tasks, not for the planner."""

    rows: str = "records"
    check_crcs: bool = True
    on_corrupt: str = "error"
    include_control: bool = False
    fail_on_data_loss: bool = True
    layout: ValueFormats = PLAIN


@dataclass(frozen=True, slots=True)
class Request:
    """A read of Kafka's logs, as its options say.

    Attributes:
        paths: absolute paths and addresses; globs are resolved.
        columns: what a DataFrame has that brings no schema of its own.
        topics, pattern, assigned: which partitions, by one of the three; all that are not internal without.
        which: of these the partitions that the options ``topics``, ``exclude`` and ``partitions`` choose.
        start, end: of each partition. latest_for_none: where no record is as new as the start's timestamp, begin at the
            end, rather than fail.
        min_partitions, max_records: how many tasks at least, and how many offsets in one at most; None does not matter.
        before_log_start: with records that were deleted and still lie in the files.
        replica: of a partition that lies in several folders, `REPLICAS`.
        max_offsets, max_bytes: of a stream, how much a batch may have; one of them at most.
        unused: options of clients, as given.
    """

    paths: tuple[str, ...]
    columns: tuple[str, ...]
    reading: SplitReading = field(default_factory=SplitReading)
    topics: tuple[str, ...] | None = None
    pattern: str | None = None
    assigned: frozenset[Key] | None = None
    which: Chosen = field(default_factory=Chosen)
    is_stream: bool = False
    start: Bound = field(default_factory=Bound)
    end: Bound = field(default_factory=Bound)
    latest_for_none: bool = False
    is_committed_only: bool = False
    min_partitions: int | None = None
    max_records: int | None = None
    split_bytes: int = DEFAULT_SPLIT_BYTES
    is_ordered_by_time: bool = False
    before_log_start: bool = False
    replica: str = REPLICAS[0]
    max_offsets: int | None = None
    max_bytes: int | None = None
    unused: tuple[str, ...] = ()


class Table(NamedTuple):
    """The options that are the same for batches and streams: absolute paths, the kind of rows, the columns of a
    DataFrame without a schema of its own, and the layouts of values and keys."""

    paths: tuple[str, ...]
    rows: str
    columns: tuple[str, ...]
    layout: ValueFormats

    @property
    def types(self) -> dict[str, str]:
        """The columns with their Spark SQL types, in order."""
        return types_of(self.rows, self.columns, self.layout)


def parse_table(options: Mapping[str, str]) -> Table:
    """Read the options of a table; raises as `parse_options`."""
    settings = Settings(options, is_stream=False)
    paths = tuple(_paths(settings))
    check_known(options, settings, (*OPTIONS, *_LIMITS))
    rows = settings.word("rows", tuple(TABLES), "records")
    if settings.is_set("decode"):
        settings.decode(rows)
    layout = ValueFormats(*(_layouts(settings, name, rows) for name in ("valueAs", "keyAs")))
    columns = columns_of(
        rows,
        with_headers=settings.is_set("includeHeaders"),
        with_metadata=settings.is_set("includeMetadata"),
        layout=layout,
    )
    if "columns" in settings:
        columns = named(rows, filter(None, map(str.strip, settings["columns"].split(","))), "option columns", layout)
    return Table(paths, rows, columns, layout)


def _layouts(settings: Settings, name: str, rows: str) -> Layouts | None:
    """Load the declarations of values, or of keys: tasks need not find their files."""
    if name not in settings:
        return None
    if rows != "records":
        raise UsageError(f"option {name}: rows={rows} have no values and keys")
    layouts = layouts_of([*filter(None, map(str.strip, settings[name].split(",")))], f"option {name}")
    if layouts is None:
        raise UsageError(f"option {name}={settings[name]!r}: expected a .ksy file, the name of a format, or json")
    loaded = {topic: _loaded(layout) for topic, layout in layouts.by_topic.items()}
    return Layouts(loaded, _loaded(layouts.others))


def _loaded(layout: Any) -> Any:
    return layout if layout in (None, JSON) or is_kafka(layout) else load_type(layout)


def check_known(options: Mapping[str, str], settings: Settings, known: tuple[str, ...]) -> tuple[str, ...]:
    """The options that have no effect; UsageError for an unknown option."""
    unused = tuple(name for name in options if settings.is_unused(name))
    for name in options:
        if name not in unused and name.lower() not in (*map(str.lower, known), _ISOLATION):
            raise UsageError(f"unknown option {name!r}{nearest(name, known)}")
    return unused


def parse_options(options: Mapping[str, str], *, is_stream: bool = False) -> Request:
    """Read the options of ``spark.read``, or of ``spark.readStream``.

    ``path`` and ``paths`` (a JSON list) are what ``load`` was given. A path may be a ``file:`` URI, as Spark and Hadoop
    write them, an address as `kformat.storage.address` has it, or a glob.

    Raises:
        UsageError: no path, or an unknown option or value (the message has the nearest known one).
        FileNotFoundError: a path leads nowhere, or a glob to nothing.
    """
    settings = Settings(options, is_stream)
    paths, rows, columns, layout = parse_table(options)
    unused = check_known(options, settings, (*OPTIONS, *(_OF_STREAMS if is_stream else ())))
    if is_stream:
        for name in (*_NOT_BUILT, *_END):
            if name in settings:
                raise UsageError(f"option {name}: " + ("a stream has no end" if name in _END else "not there yet"))
        settings.word("rows", ("records", "batches"), "records")
    selection = [name for name in _SELECTION if name in settings]
    if len(selection) > 1:
        raise UsageError(f"options {' and '.join(selection)}: only one of {', '.join(_SELECTION)} may be given")
    topics = settings.names("subscribe")
    isolation = settings.word("isolationLevel", ISOLATION_LEVELS, settings.get(_ISOLATION, ISOLATION_LEVELS[0]))
    strategy = settings.word("startingOffsetsByTimestampStrategy", ("error", "latest"), "error")
    if len([name for name in _LIMITS if name in settings]) > 1 and is_stream:
        raise UsageError(f"options {' and '.join(_LIMITS)}: only one of them may be given")
    start, end = settings.bound(_START), settings.bound(_END)
    for bound, refused, word in ((start, LATEST, "latest"), (end, EARLIEST, "earliest")):
        if bound.offsets and refused in bound.offsets.values() and not is_stream:
            raise UsageError(f"option {bound.option}: {word} ({refused}) leaves nothing to read")
    return Request(
        paths=paths,
        columns=columns,
        reading=SplitReading(
            rows=rows,
            check_crcs=settings.is_set("checkCrcs", "true"),
            on_corrupt=settings.word("onCorrupt", ON_CORRUPT, "error"),
            include_control=settings.is_set("includeControl"),
            fail_on_data_loss=settings.is_set("failOnDataLoss", "true"),
            layout=layout,
        ),
        topics=topics,
        pattern=_pattern(settings["subscribePattern"]) if "subscribePattern" in settings else None,
        assigned=_assigned(settings["assign"]) if "assign" in settings else None,
        which=settings.which(),
        is_stream=is_stream,
        start=start,
        end=end,
        latest_for_none=strategy == "latest",
        is_committed_only=isolation == "read_committed",
        min_partitions=settings.count("minPartitions"),
        max_records=settings.count("maxRecordsPerPartition"),
        split_bytes=settings.size("splitBytes") or DEFAULT_SPLIT_BYTES,
        is_ordered_by_time=settings.is_set("assumeOrderedTimestamps"),
        before_log_start=settings.is_set("beforeLogStart"),
        # A stream continues where it was, but the best replica may change.
        replica="each" if is_stream else settings.word("replica", REPLICAS, REPLICAS[0]),
        max_offsets=settings.count("maxOffsetsPerTrigger") if is_stream else None,
        max_bytes=settings.size("maxBytesPerTrigger") if is_stream else None,
        unused=unused,
    )


class Settings:
    """Options by name, ignoring case; each method reads one, and raises UsageError for an invalid value."""

    def __init__(self, options: Mapping[str, str], is_stream: bool) -> None:
        self.values = {name.lower(): value for name, value in options.items()}
        self.is_stream = is_stream

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.values

    def __getitem__(self, name: str) -> str:
        return self.values[name.lower()]

    def get(self, name: str, default: str) -> str:
        return self.values.get(name.lower(), default)

    def is_unused(self, name: str) -> bool:
        low = name.lower()
        without_meaning = _OF_A_CLIENT if self.is_stream else (*_OF_A_CLIENT, *map(str.lower, _OF_STREAMS))
        return low in without_meaning or (low.startswith("kafka.") and low != _ISOLATION)

    def decode(self, rows: str) -> None:
        """Have both layouts be Kafka's messages."""
        if rows != "records":
            raise UsageError(f"option decode: rows={rows} have no values and keys")
        for name in ("valueAs", "keyAs"):
            if name in self:
                raise UsageError(f"options decode and {name}: only one of them may be given")
            self.values[name.lower()] = KAFKA

    def word(self, name: str, known: tuple[str, ...], default: str) -> str:
        value = self.get(name, default)
        if value.lower() not in known:
            raise UsageError(f"option {name}={value!r}{nearest(value, known)}")
        return value.lower()

    def is_set(self, name: str, default: str = "false") -> bool:
        value = self.get(name, default)
        if value.lower() not in ("true", "false"):
            raise UsageError(f"option {name}={value!r}: expected true or false")
        return value.lower() == "true"

    def names(self, name: str) -> tuple[str, ...] | None:
        """Names of topics, separated by commas."""
        if name not in self:
            return None
        names = tuple(filter(None, map(str.strip, self[name].split(","))))
        if not names:
            raise UsageError(f"option {name}={self[name]!r}: expected names of topics")
        return names

    def which(self) -> Chosen:
        numbers = [*map(str.strip, self["partitions"].split(","))] if "partitions" in self else None
        if not all(re.fullmatch("[0-9]{1,10}", number) for number in numbers or ()):
            raise UsageError(f"option partitions={self['partitions']!r}: expected numbers, as in 0,1")
        return chosen(self.names("topics"), self.names("exclude"), None if numbers is None else map(int, numbers))

    def count(self, name: str) -> int | None:
        if name not in self:
            return None
        if not re.fullmatch("0*[1-9][0-9]{0,17}", self[name].strip()):
            raise UsageError(f"option {name}={self[name]!r}: expected a number above 0")
        return int(self[name])

    def size(self, name: str) -> int | None:
        if name not in self:
            return None
        match = re.fullmatch("0*([1-9][0-9]{0,17}) *([a-z]*)", self[name].strip().lower())
        if match is None or match[2] not in _UNITS:
            raise UsageError(f"option {name}={self[name]!r}: expected bytes, as in 134217728, 128m or 1g")
        return int(match[1]) * _UNITS[match[2]]

    def bound(self, names: tuple[str, str, str]) -> Bound:
        at, by_timestamp, offsets = names
        for name in (by_timestamp, offsets):  # validate also options that do not take effect
            if name in self and not (name == offsets and self[name].lower() in ("earliest", "latest")):
                _of_partitions(name, self[name])
        if at in self:
            return Bound(at, timestamp=_moment(at, self[at]))
        if by_timestamp in self:
            timestamps = _of_partitions(by_timestamp, self[by_timestamp])
            return Bound(
                by_timestamp, timestamps={key: _moment(by_timestamp, value) for key, value in timestamps.items()}
            )
        own = "earliest" if names is _START else "latest"
        word = self.get(offsets, "latest" if self.is_stream else own).lower()
        if word == own:
            return Bound()
        if self.is_stream and word == "latest":
            return Bound(offsets, is_latest=True)
        if word in ("earliest", "latest"):
            raise UsageError(f"option {offsets}={self[offsets]!r} leaves nothing to read")
        asked: dict[Key, int] = {}
        for key, value in _of_partitions(offsets, self[offsets]).items():
            if isinstance(value, bool) or not isinstance(value, int) or not EARLIEST <= value < 1 << 63:
                raise UsageError(f"option {offsets}: {key[0]}-{key[1]} has {value!r}, which is not an offset")
            asked[key] = value
        return Bound(offsets, offsets=asked)


def _of_partitions(name: str, text: str) -> dict[Key, Any]:
    """``{"topic":{"0":value}}``, as JSON."""
    try:
        topics = json.loads(text)
        return {
            (topic, _number(partition)): value
            for topic, partitions in topics.items()
            for partition, value in partitions.items()
        }
    except (ValueError, AttributeError, RecursionError):
        raise UsageError(f'option {name}={text[:200]!r}: expected JSON, as in {{"topic":{{"0":23,"1":-2}}}}') from None


def _assigned(text: str) -> frozenset[Key]:
    try:
        topics = json.loads(text)
        return frozenset(
            (topic, _number(partition)) for topic, partitions in topics.items() for partition in partitions
        )
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise UsageError(f'option assign={text[:200]!r}: expected JSON, as in {{"topic":[0,1]}}') from None


def _number(partition: Any) -> int:
    if isinstance(partition, bool) or not isinstance(partition, int | str):
        raise ValueError(partition)
    return int(partition)


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"option subscribePattern={text[:200]!r}: {error}") from None
    return text


def _moment(name: str, value: Any) -> int:
    """A timestamp, ms: a number of them, ISO 8601, or a length of time before now."""
    text = str(value).strip()
    try:
        return parse_milliseconds(text)
    except UsageError:
        raise UsageError(f"option {name}={text!r}: expected ms since 1970, ISO 8601 or -1h") from None


def _paths(settings: Settings) -> Iterator[str]:
    # A glob does not mean the files next to partitions in a root.
    return _resolved(settings, lambda path: os.path.isdir(path) or path.endswith(".log"))


def files_of(settings: Settings) -> Iterator[str]:
    """The files at the paths of the options; in folders, without those whose names begin as Spark's own.

    Raises UsageError and FileNotFoundError, as `parse_options`.
    """
    for path in _resolved(settings, lambda path: True):
        if is_address(path) or not os.path.isdir(path):
            yield path
            continue
        inside = [entry.path for entry in os.scandir(path) if entry.is_file() and entry.name[0] not in "._"]
        if not inside:
            raise FileNotFoundError(f"there is no file in the folder {path}")
        yield from sorted(inside)


def _resolved(settings: Settings, is_meant: Callable[[str], bool]) -> Iterator[str]:
    try:
        several = json.loads(settings.get("paths", "[]"))
    except (json.JSONDecodeError, RecursionError):
        several = None
    if not isinstance(several, list) or not all(isinstance(path, str) for path in several):
        raise UsageError(f"option paths={settings['paths'][:200]!r}: expected a JSON list of strings")
    paths = [settings["path"], *several] if settings.get("path", "") else several
    # CREATE TABLE adds an owner. It may pass a path when Spark asks for the schema, but none when Spark reads.
    if not paths or "owner" in settings:
        raise UsageError(NO_PATH)
    for path in paths:
        local = re.sub("^file:(//)?(?=/)", "", path)
        if is_address(local):
            place(local).stat()
            yield absolute(local)
        elif os.path.exists(local) or not glob.has_magic(local):
            if not os.path.exists(local):
                raise FileNotFoundError(f"no such file or directory: {path}")
            yield os.path.abspath(local)  # tasks may run in another working directory
        else:
            matches = [path for path in sorted(glob.glob(local)) if is_meant(path)]
            if not matches:
                raise FileNotFoundError(f"no file or folder matches {path}")
            yield from map(os.path.abspath, matches)
