"""What a read will do, worked out before anything is decoded: options, columns, and the splits of the segments.

Rules:
* Nothing here knows of Spark or of Arrow: options come as strings, columns go as names and SQL type names, splits are
  plain picklable values. ``source`` hands them to Spark; anything else that wants work cut into pieces may use them.
* Planning reads names and sizes of files, never their bytes.
* One split per segment. It ends where the file ended when the plan was made, so that two runs of one plan read the same
  bytes of a segment that is still growing.
* What is not understood is refused by name with the nearest known one, never passed over.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kformat.errors import UsageError
from kformat.partition import Partition, iter_partitions

TABLES: Mapping[str, Mapping[str, str]] = {
    # Names, types and order of Spark's own Kafka source; `headers` is there when asked for.
    "records": {
        "key": "binary",
        "value": "binary",
        "topic": "string",
        "partition": "int",
        "offset": "bigint",
        "timestamp": "timestamp",
        "timestampType": "int",
        "headers": "array<struct<key:string,value:binary>>",
    },
    # One row per record batch, from its header alone, in Kafka's own words.
    "batches": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "position": "bigint",
        "size": "bigint",
        "base_offset": "bigint",
        "last_offset": "bigint",
        "records_count": "int",
        "base_timestamp": "timestamp",
        "max_timestamp": "timestamp",
        "timestamp_type": "int",
        "compression": "string",
        "partition_leader_epoch": "int",
        "producer_id": "bigint",
        "producer_epoch": "int",
        "base_sequence": "int",
        "is_transactional": "boolean",
        "is_control": "boolean",
        "has_delete_horizon": "boolean",
        "magic": "int",
        "crc": "bigint",
    },
    # One row per entry of an offset index (`position` is set) or of a time index (`timestamp` is set).
    "index": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "kind": "string",
        "entry": "int",
        "offset": "bigint",
        "position": "bigint",
        "timestamp": "timestamp",
    },
}
"""The kinds of rows, and for each its columns in order with their Spark SQL types. Every column may be null."""

OPTIONS = ("rows", "includeHeaders")
"""The options there are, beside ``path`` and ``paths``, which ``load`` sets. Spark does not tell cases apart."""

NO_PATH = (
    "no path was given: load(DIR), or in SQL: CREATE TEMPORARY VIEW name USING kformat OPTIONS (path 'DIR'); "
    "CREATE TABLE will not do, because Spark does not hand its options, nor its LOCATION, to a Python data source"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asked for: absolute paths, the kind of rows (a key of ``TABLES``), the columns to offer."""

    paths: tuple[str, ...]
    rows: str
    columns: tuple[str, ...]

    @property
    def types(self) -> dict[str, str]:
        """The columns with their Spark SQL types, in order."""
        return {name: TABLES[self.rows][name] for name in self.columns}


@dataclass(frozen=True, slots=True)
class Split:
    """The part of one segment that one task reads.

    Attributes:
        topic, partition: from the folder's name.
        base_offset: the segment's, from the file's name.
        log: absolute path of the segment's log; its indexes lie beside it.
        start, end: positions in the log, in bytes; ``end`` is exclusive.
        is_last: as far as is known no segment comes behind it, so that somebody may be writing to it.
    """

    topic: str
    partition: int
    base_offset: int
    log: str
    start: int
    end: int
    is_last: bool = True


def parse_options(options: Mapping[str, str]) -> Request:
    """Read the options of ``spark.read``: ``path`` or ``paths`` (a JSON list), and those of ``OPTIONS``.

    A path may be a ``file:`` URI, as Spark and Hadoop write them.

    Raises:
        UsageError: no path, or an unknown option or value (the message has the nearest known one).
        FileNotFoundError: a path leads nowhere.
    """
    given = {name.lower(): value for name, value in options.items()}
    paths = tuple(_paths(given))
    known = {name.lower(): name for name in ("path", "paths", *OPTIONS)}
    for name in options:
        if name.lower() not in known:
            raise UsageError(f"unknown option {name!r}{_nearest(name, known.values())}")
    rows = given.get("rows", "records").lower()
    if rows not in TABLES:
        raise UsageError(f"option rows={given['rows']!r}{_nearest(rows, TABLES)}")
    with_headers = given.get("includeheaders", "false").lower()
    if with_headers not in ("true", "false"):
        raise UsageError(f"option includeHeaders={given['includeheaders']!r}: expected true or false")
    columns = tuple(name for name in TABLES[rows] if name != "headers" or with_headers == "true")
    return Request(paths, rows, columns)


def _paths(given: Mapping[str, str]) -> Iterator[str]:
    try:
        several = json.loads(given.get("paths", "[]"))
    except json.JSONDecodeError:
        several = None
    if not isinstance(several, list) or not all(isinstance(path, str) for path in several):
        raise UsageError(f"option paths={given['paths']!r}: expected a JSON list of strings")
    paths = [given["path"], *several] if given.get("path") else several
    # An owner is what CREATE TABLE adds. It may give a path when Spark asks for the schema; reading, there is none.
    if not paths or "owner" in given:
        raise UsageError(NO_PATH)
    for path in paths:
        # Tasks may run in another working directory.
        absolute = os.path.abspath(re.sub("^file:(//)?(?=/)", "", path))
        if not os.path.exists(absolute):
            raise FileNotFoundError(f"no such file or directory: {path}")
        yield absolute


def choose(request: Request, wanted: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The columns of a user's own schema: any of the known ones, in any order.

    ``headers`` may be named without the option ``includeHeaders``.

    Args:
        wanted: names and Spark SQL types (``DataType.simpleString``, with `` not null`` behind it where it is so).

    Raises:
        UsageError: a name that is not known (with the nearest), named twice, of another type, or no name at all.
    """
    known = TABLES[request.rows]
    chosen: list[str] = []
    for name, sql_type in wanted:
        if name not in known:
            raise UsageError(f"schema: rows={request.rows} have no column {name!r}{_nearest(name, known)}")
        if sql_type != known[name]:
            raise UsageError(f"schema: column {name} is {known[name]} and may be null, not {sql_type}")
        if name in chosen:
            raise UsageError(f"schema: column {name} is named twice")
        chosen.append(name)
    if not chosen:
        raise UsageError(f"schema: no columns; rows={request.rows} have {', '.join(known)}")
    return tuple(chosen)


def _nearest(name: str, known: Iterable[str]) -> str:
    names = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    hint = f": did you mean {names[close[0]]}?" if close else ":"
    return f"{hint} there are {', '.join(names.values())}"


def plan(paths: Iterable[str]) -> list[Split]:
    """Cut everything below ``paths`` into splits, in the order of topic, partition and base offset.

    A path is a log directory (partition folders in it), a partition folder, or one ``.log`` file. What two paths both
    lead to is read once. Folders of a log directory that are on their way out or in are passed over, as
    `partition.iter_partitions` does. No segments give no splits.

    Raises:
        OSError: a path cannot be read.
        UsageError: a path is a file and no ``.log``.
    """
    splits: dict[str, Split] = {}
    for path in paths:
        for partition in iter_partitions(os.path.abspath(path)):
            for split in _splits(partition):
                # A file given by itself does not know what lies beside it, its folder does.
                if split.log not in splits or not split.is_last:
                    splits[split.log] = split
    return sorted(splits.values(), key=lambda split: (split.topic, split.partition, split.base_offset, split.log))


def _splits(partition: Partition) -> Iterator[Split]:
    for segment in partition.segments:
        yield Split(
            topic=partition.topic,
            partition=partition.partition,
            base_offset=segment.base_offset,
            log=os.fspath(segment.log),
            start=0,
            end=segment.size_bytes,
            is_last=segment is partition.segments[-1],
        )
