"""What there is to ask for: the kinds of rows, their columns in order, and the types that Spark's SQL calls them by.

Names, types and order of records are those of Spark's own Kafka source, so that a query moves over unchanged; those of
everything else are Kafka's words. Every column may be null.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from kformat.errors import UsageError

HEADERS = {"headers": "array<struct<key:string,value:binary>>"}
"""With the option ``includeHeaders``."""

METADATA: Mapping[str, str] = {
    "leaderEpoch": "int",
    "batchBaseOffset": "bigint",
    "position": "bigint",
    "codec": "string",
    "producerId": "bigint",
    "producerEpoch": "int",
    "sequence": "int",
    "isTransactional": "boolean",
    "isControl": "boolean",
    "segment": "string",
}
"""With the option ``includeMetadata``: of a record's batch, and where that lies. ``sequence`` is the record's own."""

TABLES: Mapping[str, Mapping[str, str]] = {
    "records": {
        "key": "binary",
        "value": "binary",
        "topic": "string",
        "partition": "int",
        "offset": "bigint",
        "timestamp": "timestamp",
        "timestampType": "int",
        **HEADERS,
        **METADATA,
    },
    # One row per record batch, from its header alone.
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
    # One row per segment, as `kformat ls` has it.
    "segments": {
        "topic": "string",
        "partition": "int",
        "segment": "string",
        "base_offset": "bigint",
        "next_offset": "bigint",
        "first_timestamp": "timestamp",
        "last_timestamp": "timestamp",
        "records_count": "bigint",
        "batches_count": "bigint",
        "size_bytes": "bigint",
        "codecs": "array<string>",
        "offset_index_entries": "bigint",
        "time_index_entries": "bigint",
        "remark": "string",
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
"""The kinds of rows, and for each its columns in order with their Spark SQL types."""


def columns_of(rows: str, *, with_headers: bool, with_metadata: bool) -> tuple[str, ...]:
    """Those that a DataFrame has that does not say which it wants."""
    left_out = (set() if with_headers else set(HEADERS)) | (set() if with_metadata else set(METADATA))
    return tuple(name for name in TABLES[rows] if rows != "records" or name not in left_out)


def choose(rows: str, wanted: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The columns of a user's own schema: any of the known ones, in any order, whatever the options say.

    Args:
        rows: a key of ``TABLES``.
        wanted: names and Spark SQL types (``DataType.simpleString``, with `` not null`` after it where it is so).

    Raises:
        UsageError: a name that is not known (with the nearest), named twice, of another type, or no name at all.
    """
    known = TABLES[rows]
    given = list(wanted)
    chosen = named(rows, (name for name, _ in given), "schema")
    for name, sql_type in given:
        if sql_type != known[name]:
            raise UsageError(f"schema: column {name} is {known[name]} and may be null, not {sql_type}")
    return chosen


def named(rows: str, wanted: Iterable[str], where: str) -> tuple[str, ...]:
    """Columns by their names; UsageError, as of `choose`, for what is no column, is named twice, or for none."""
    known = TABLES[rows]
    chosen: list[str] = []
    for name in wanted:
        if name not in known:
            raise UsageError(f"{where}: rows={rows} have no column {name!r}{nearest(name, known)}")
        if name in chosen:
            raise UsageError(f"{where}: column {name} is named twice")
        chosen.append(name)
    if not chosen:
        raise UsageError(f"{where}: no columns; rows={rows} have {', '.join(known)}")
    return tuple(chosen)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name."""
    names = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    hint = f": did you mean {names[close[0]]}?" if close else ":"
    return f"{hint} there are {', '.join(names.values())}"
