"""`stats`: the numbers of `kformat stats`, with the reading done by tasks.

A partition is counted by one task, from its first segment to its last, because late, missing and repeated records
depend on the order of all segments; many partitions are counted at a time. By segment, each is a piece of its own. The
driver adds up the tasks' results to a total, without numbers that belong to one partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from kformat.columns.counts import RowCounts
from kformat.columns.plan import numbers_of_names
from kformat.columns.scanning import batches_of
from kformat.errors import KformatError
from kformat.kafka.log.chosen import Chosen, chosen
from kformat.kafka.log.partition import chosen_paths, open_partition
from kformat.spark.declared import DeclaredRead, parse_declared
from kformat.spark.jobs.asking import source_options
from kformat.spark.jobs.checking import sizes_in_bytes
from kformat.spark.jobs.running import Progress, absolute_paths, near_files, run
from kformat.stats import Counting, Stats, Unread
from kformat.storage.address import size_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SIZES: Final = "struct<count:bigint,min:bigint,median:bigint,p95:bigint,p99:bigint,max:bigint,mean:double,sum:bigint>"
_GAPS: Final = "array<struct<{}:bigint,after_offset:bigint,before_offset:bigint>>"
_TYPES: Final = {
    "name": "string",
    "topic": "string",
    "partition": "int",
    "offset_gaps": _GAPS.format("offsets_count"),
    "time_gaps": _GAPS.format("gap_ms"),
    "records_per_second": "double",
    "bytes_per_second": "double",
    "timeline": "array<struct<start:bigint,records_count:bigint,size_bytes:bigint>>",
    **dict.fromkeys(("batch_bytes", "records_per_batch", "key_bytes", "value_bytes", "headers_per_record"), _SIZES),
    "codecs": "array<struct<codec:string,batches_count:bigint,records_count:bigint,size_bytes:bigint,ratio:double,"
    "sampled_batches_count:bigint>>",
    **dict.fromkeys(("magics", "timestamp_types", "control_types"), "map<string,bigint>"),
    "leader_epochs": "array<struct<leader_epoch:bigint,records_count:bigint,batches_count:bigint>>",
    "open_transactions": "array<struct<producer_id:bigint,producer_epoch:bigint,start_offset:bigint,"
    "last_timestamp:bigint>>",
    "producers_are_all": "boolean",
    "producers": "array<struct<producer_id:bigint,records_count:bigint,batches_count:bigint,"
    "transactional_batches_count:bigint>>",
    "header_keys": "array<struct<key:string,count:bigint>>",
    "problems": "array<string>",
    "unread_records": "array<struct<file:string,position:bigint,batches_count:bigint,records_count:bigint,"
    "first_offset:bigint,last_offset:bigint>>",
}
"""The types of columns that are not single integers."""


def stats(
    spark: SparkSession,
    paths: str | Sequence[str],
    *,
    declaration: Any = None,
    topics: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] = (),
    partitions: int | Iterable[int] | None = None,
    progress: Progress | None = None,
    **how: Any,
) -> DataFrame:
    """Numbers about partitions; a row for each, or for each segment, or one in all.

    With ``declaration`` numbers about files of that format: a row for each column of each file, as in
    `DECLARED_COLUMNS`; ``how`` are then the arguments ``row``, ``columns`` and ``on_corrupt`` of `kformat.scan`.

    The files are read once, when this is called. Damage ends its segment: see ``problems`` and ``unread_bytes``.

    Args:
        paths: partition folders, roots that hold many, or ``.log`` files; every worker has to see them.
        topics, exclude, partitions: which partitions of all paths, as for `LogDirectory.select`.
        progress: see `running.Progress`.
        how: arguments of `measuring.Counting`: ``records``, ``by``, ``limit``, ``interval_ms``, ``most_intervals``.

    Returns:
        Columns as `Stats.as_dict` has them, and docs/cli.md says what each is.

    Raises:
        KformatError, OSError: what cannot be read, of the first path of which that is so.
    """
    which = chosen(topics, exclude, partitions)
    if declaration is not None:
        return _of_declared(spark, paths, declaration, progress, **how, **which.arguments)
    counting = Counting(**how)
    folders, rows = near_files(spark, folders_below, absolute_paths(paths), which), []
    for row in counted(spark, folders, counting, progress=progress):
        if isinstance(row, KformatError | OSError):
            raise row
        rows.append(row)
    names = Stats("", has_records=counting.records).as_dict()
    schema = ", ".join(f"{name} {_TYPES.get(name, 'bigint')}" for name in names)
    return spark.createDataFrame([tuple(_within(row[name]) for name in names) for row in rows], schema)


DECLARED_COLUMNS: Final = {
    "file": "string",
    "rows_count": "bigint",
    "column": "string",
    "type": "string",
    "count": "bigint",
    "null_count": "bigint",
    "min": "string",
    "max": "string",
    "size": "struct<min:bigint,mean:double,max:bigint,sum:bigint>",
    "distinct_count": "bigint",
    "distinct_are_all": "boolean",
    "most_frequent": "array<struct<value:string,count:bigint>>",
}
"""The columns about declared files: `ColumnCounts.as_dict`; values as text, bytes in hex."""


def _of_declared(
    spark: SparkSession, paths: str | Sequence[str], declaration: Any, progress: Progress | None, **how: Any
) -> DataFrame:
    words = source_options(paths, {"declaration": "", **how})
    asked = parse_declared({**words, "declaration": declaration})
    sizes = near_files(spark, sizes_in_bytes, asked.paths)
    files = run(spark, asked.paths, partial(count_rows, asked), sizes=sizes, title="kformat stats", progress=progress)
    rows = [tuple(row.get(name) for name in DECLARED_COLUMNS) for file in files for row in file]
    return spark.createDataFrame(rows, ", ".join(f"{name} {kind}" for name, kind in DECLARED_COLUMNS.items()))


def count_rows(asked: DeclaredRead, path: str) -> list[dict[str, Any]]:
    """Count a declared file, in a task."""
    enums = [numbers_of_names(chosen.column, chosen.column.name) for chosen in asked.plan.columns]
    counts = RowCounts({path: numbers for entry in enums for path, numbers in entry.items()})
    for batch in batches_of(path, asked.plan, **asked.how):
        counts.add(batch)
    column_rows = []
    for column in counts.columns.values():
        row = {"file": path, "rows_count": counts.rows_count, **column.as_dict()}
        for name in ("min", "max"):
            row[name] = _text(row[name])
        row["size"] = tuple(row[size].values()) if (size := "length" if column.is_list else "size") in row else None
        row["most_frequent"] = [(_text(entry["value"]), entry["count"]) for entry in row.get("most_frequent", ())]
        column_rows.append(row)
    return column_rows


def _text(value: Any) -> str | None:
    return value.hex() if isinstance(value, bytes) else None if value is None else str(value)


def _within(value: Any) -> Any:
    """Limit a number, or the numbers in a value, to a bigint: damaged headers may have larger ones."""
    match value:
        case bool():
            return value
        case int():
            return max(-(1 << 63), min(value, (1 << 63) - 1))
        case dict():
            return {name: _within(item) for name, item in value.items()}
        case list() | tuple():
            return [_within(item) for item in value]
    return value


def counted(
    spark: SparkSession, folders: Sequence[str], counting: Counting, *, progress: Progress | None = None
) -> Iterator[dict[str, Any] | Unread]:
    """The rows of partitions (`Counting.rows`), in their order, and the errors of those that cannot be read."""
    pieces = near_files(spark, pieces_of, absolute_paths(folders), counting)
    paths, sizes = [path for path, _ in pieces], [size for _, size in pieces]
    title = "kformat stats"
    if counting.by == "total":
        of_total = run(spark, paths, partial(parts, counting), sizes=sizes, title=title, progress=progress)
        return counting.rows(chain.from_iterable(of_total))
    results = run(spark, paths, partial(rows, counting), sizes=sizes, title=title, progress=progress)
    return chain.from_iterable(results)


def folders_below(paths: list[str], which: Chosen) -> list[str]:
    """The chosen partitions of some paths. Raises OSError, and UsageError if none is chosen."""
    return list(map(str, chosen_paths(paths, which)))


def pieces_of(folders: list[str], counting: Counting) -> list[tuple[str, int]]:
    """The folders or logs that are counted by themselves, each with its size."""
    return list(chain.from_iterable(_pieces(folder, counting) for folder in folders))


def parts(counting: Counting, path: str) -> list[Stats | Unread]:
    """Count a partition for a total, in a task."""
    return list(counting.parts([path]))


def rows(counting: Counting, path: str) -> list[dict[str, Any] | Unread]:
    """Count a partition, or a segment, that is reported by itself, in a task."""
    return list(counting.rows(counting.parts([path])))


def _pieces(folder: str, counting: Counting) -> list[tuple[str, int]]:
    """A folder, or by segment its logs, each with its size."""
    try:
        segments = open_partition(folder).segments
    except (KformatError, OSError):
        return [(folder, 0)]  # a task will report the error
    sizes = [size_of(segment.log) for segment in segments]
    if counting.by == "segment":
        return [(str(segment.log), size) for segment, size in zip(segments, sizes, strict=True)]
    return [(folder, sum(sizes))]
