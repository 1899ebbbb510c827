"""The arguments of ``df.write.format("kformat")``: destination, columns, batches and segments.

Rules:

* Columns have the meaning of Spark's own Kafka sink: ``value`` is required, ``key``, ``headers``, ``topic`` and
  ``partition`` are optional; so are those that only a log has: ``offset``, ``timestamp``, ``timestampType``. Columns
  that the source adds by ``includeMetadata`` are ignored. Any other is refused by name.
* Options of Kafka's producer about batches are used (``kafka.batch.size``, ``kafka.compression.type``); options that
  only a client needs are accepted and ignored.
* This module is independent of Spark: options and types are strings.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kformat.errors import UsageError
from kformat.integers import MAX_INT32
from kformat.kafka.batch.compression import CODEC_NAMES
from kformat.kafka.batch.framing import HEADER_BYTES
from kformat.kafka.columns.batch_builder import DEFAULT_BATCH_BYTES
from kformat.kafka.files.file_kinds import is_topic_name, parse_folder_name
from kformat.kafka.index.indexing import DEFAULT_INDEX_INTERVAL_BYTES, max_entry_count
from kformat.language.layout import layout
from kformat.spark.options import NO_PATH, Settings
from kformat.spark.tables import HEADERS, METADATA, nearest
from kformat.storage.address import is_address

_BYTES: Final = ("binary", "string")
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "key": (*_BYTES, "void"),
    "value": _BYTES,
    "headers": (HEADERS["headers"], "void"),
    "topic": ("string",),
    "partition": ("int", "smallint", "tinyint", "bigint"),
    "offset": ("bigint", "int"),
    "timestamp": ("timestamp",),
    "timestampType": ("int",),
}
"""The columns that are written, and the Spark SQL types that each may have."""

DEFAULT_SEGMENT_BYTES: Final = 1 << 30
"""As Kafka's `segment.bytes`."""
_MOST_SEGMENT_BYTES: Final = MAX_INT32
_MOST_ENTRIES: Final = (10 << 20) // layout("time_index::entry").size - 1
"""The entries of a time index of 10 MiB, which keeps one slot free. Brokers do not open larger indexes."""
_OPTIONS: Final = (
    *("path", "topic", "numPartitions", "segmentBytes", "indexIntervalBytes"),
    *("compression", "compressionLevel", "batchBytes", "recordsPerBatch"),
)
_OF_PRODUCERS: Final = {"kafka.compression.type": "compression", "kafka.batch.size": "batchBytes"}
_OF_SPARK: Final = ("checkpointLocation", "queryName", "includeHeaders")
"""Options that Spark passes on, or that its Kafka sink takes, and that have no effect here."""


@dataclass(frozen=True, slots=True)
class Target:
    """The destination of a write, and how to write.

    Attributes:
        root: the log directory, absolute: the folder in which the folders of partitions lie.
        topic: where it is given, that of all rows, whatever their column says.
        partitions: how many partitions a topic has, for rows that name none; None for as many as lie in the root.
        segment_bytes, index_interval_bytes: Kafka's `segment.bytes` and `index.interval.bytes`.
        compression, level: as `kformat.kafka.columns.batch_builder.build_batches` takes them, and batch_bytes,
        records_per_batch, too.
        has_offsets: whether the rows bring theirs.
        overwrite: whether partitions that rows go to lose what they hold.
    """

    root: str
    topic: str | None = None
    partitions: int | None = None
    segment_bytes: int = DEFAULT_SEGMENT_BYTES
    index_interval_bytes: int = DEFAULT_INDEX_INTERVAL_BYTES
    compression: str = "none"
    level: int | None = None
    batch_bytes: int = DEFAULT_BATCH_BYTES
    records_per_batch: int | None = None
    has_offsets: bool = False
    overwrite: bool = False

    def topic_partitions(self, topic: str) -> int:
        """How many partitions a topic has: the number given, or those in the root, or 1."""
        if self.partitions is not None:
            return self.partitions
        named = map(parse_folder_name, os.listdir(self.root))
        return max(
            (folder.partition + 1 for folder in named if folder and folder.topic == topic and not folder.state),
            default=1,
        )


def parse_target(options: Mapping[str, str], schema: Iterable[tuple[str, str]], *, overwrite: bool = False) -> Target:
    """Read the options of ``df.write`` or ``df.writeStream`` and the columns of the DataFrame.

    Args:
        schema: names of columns, and their Spark SQL types (``DataType.simpleString``).

    Raises UsageError: no path, or one that is an address or the folder of a partition; an unknown option, value or
        column (the message has the nearest known one); a column that is missing, there twice, or of another type.
    """
    check_names(options)
    settings = Settings(options, is_stream=False)
    for old, new in _OF_PRODUCERS.items():
        if old in settings and new in settings:
            raise UsageError(f"options {old} and {new}: only one of them may be given")
        if old in settings:
            settings.values[new.lower()] = settings[old]
    topic = settings.get("topic", "") or None
    if topic is not None and not is_topic_name(topic):
        raise UsageError(f"option topic={topic!r}: not a valid topic name")
    interval = settings.get("indexIntervalBytes", str(DEFAULT_INDEX_INTERVAL_BYTES))
    if not re.fullmatch("[0-9]{1,10}", interval) or int(interval) > _MOST_SEGMENT_BYTES:
        raise UsageError(f"option indexIntervalBytes={interval!r}: expected bytes, as in 4096")
    segment_bytes = settings.size("segmentBytes") or DEFAULT_SEGMENT_BYTES
    if segment_bytes > _MOST_SEGMENT_BYTES:
        raise UsageError(f"option segmentBytes={settings['segmentBytes']!r}: expected at most {_MOST_SEGMENT_BYTES}")
    if max_entry_count(segment_bytes, index_interval_bytes=max(int(interval), HEADER_BYTES)) > _MOST_ENTRIES:
        raise UsageError(
            f"options indexIntervalBytes={interval}, segmentBytes={segment_bytes}: indexes might become larger than "
            f"Kafka's segment.index.bytes, 10 MiB"
        )
    partitions = settings.count("numPartitions")
    if partitions is not None and partitions > _MOST_SEGMENT_BYTES:
        raise UsageError(f"option numPartitions={partitions}: expected at most {_MOST_SEGMENT_BYTES}")
    level = settings.get("compressionLevel", "")
    if level and not re.fullmatch("-?[0-9]{1,6}", level):
        raise UsageError(f"option compressionLevel={level!r}: expected a number")
    columns = _columns(schema)
    if "topic" not in columns and topic is None:
        raise UsageError("no topic: neither a column topic nor an option topic is there")
    return Target(
        root=_root(settings),
        topic=topic,
        partitions=partitions,
        segment_bytes=segment_bytes,
        index_interval_bytes=int(interval),
        compression=settings.word("compression", CODEC_NAMES, "none"),
        level=int(level) if level else None,
        batch_bytes=settings.size("batchBytes") or DEFAULT_BATCH_BYTES,
        records_per_batch=settings.count("recordsPerBatch"),
        has_offsets="offset" in columns,
        overwrite=overwrite,
    )


def check_names(options: Mapping[str, str]) -> None:
    """UsageError for an unknown option, suggesting the nearest known one."""
    settings, known = Settings(options, is_stream=False), (*_OPTIONS, *_OF_PRODUCERS, *_OF_SPARK)
    for name in options:
        if name.lower() not in map(str.lower, known) and not settings.is_unused(name):
            raise UsageError(f"unknown option {name!r}{nearest(name, _OPTIONS)}")


def _root(settings: Settings) -> str:
    path = settings.get("path", "")
    if not path or "owner" in settings:
        raise UsageError(NO_PATH.replace("load(DIR)", "save(DIR)"))
    return root_of(path)


def root_of(path: str) -> str:
    """The log directory, absolute; UsageError for an address, and the folder of a partition."""
    local = re.sub("^file:(//)?(?=/)", "", path, flags=re.IGNORECASE)
    if is_address(local) or re.match("[A-Za-z][A-Za-z0-9+.-]+:/", local):
        raise UsageError(
            f"{path}: segments can be written only to disks of this machine, because files must be renamed"
        )
    root = os.path.abspath(local)
    if parse_folder_name(os.path.basename(root)) is not None:
        raise UsageError(f"{path}: this is the name of a partition's folder; give the folder above it")
    if os.path.exists(root) and not os.path.isdir(root):
        raise UsageError(f"{path}: not a folder")
    return root


def _columns(schema: Iterable[tuple[str, str]]) -> list[str]:
    names: list[str] = []
    for name, sql_type in schema:
        if name in METADATA:
            continue
        if name not in COLUMNS:
            raise UsageError(f"column {name!r} is none of a record's{nearest(name, COLUMNS)}")
        if name in names:
            raise UsageError(f"column {name} is there twice")
        if sql_type not in COLUMNS[name]:
            raise UsageError(f"column {name} is {sql_type}; expected {' or '.join(COLUMNS[name])}")
        names.append(name)
    if "value" not in names:
        raise UsageError("no column value")
    return names
