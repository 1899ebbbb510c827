"""`salvage`: the work of `kformat salvage`, with partitions planned and made by tasks.

A task makes the folder of a partition under a name of its own; the driver renames it. So a task that runs twice changes
nothing, and its leftovers are removed with other unfinished files. Files and report are those of the command.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from kformat.kafka.log.chosen import Choice
from kformat.salvage import COLUMNS as NAMES
from kformat.salvage import Report
from kformat.salvage import salvage as salvage_partitions
from kformat.spark.connect import is_connect
from kformat.spark.jobs.running import Progress, absolute_paths, near_files, run
from kformat.storage.address import local_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TEXTS: Final = ("partition", "missing", "fatal_missing")
COLUMNS: Final = {name: "string" if name in _TEXTS else "bigint" for name in (*NAMES, "fatal_missing")}
"""The columns about a partition, with Spark SQL types."""


def salvage(
    spark: SparkSession,
    paths: str | Sequence[str],
    out: str,
    *,
    content: str = "proved",
    place_unanchored: bool = False,
    dry_run: bool = False,
    metadata: str | Sequence[str] = (),
    progress: Progress | None = None,
    **which: Unpack[Choice],
) -> DataFrame:
    """Save what can be proved of damaged partitions into a new log directory; a row for each, with the columns of
    `kformat.salvage`.

    The work is done once, when this is called. A partition is read by one task.

    Args:
        paths: partition folders, or roots that hold many, on file systems that every worker has mounted under these
            paths; they are only read.
        out: the new log directory, there as well.
        content, place_unanchored, dry_run, metadata: as for `kformat.salvage`.
        progress: see `running.Progress`.
        which: ``topics``, ``exclude`` and ``partitions``, as there.

    Raises:
        UsageError: an address, or as for `kformat.salvage`.
        OSError: as there.
    """
    how: dict[str, Any] = {"content": content, "place_unanchored": place_unanchored, "dry_run": dry_run, **which}
    report = saved(spark, paths, out, metadata=metadata, progress=progress, **how)
    rows = [tuple(row[name] for name in COLUMNS) for row in report.summary()]
    return spark.createDataFrame(rows, ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()))


def saved(
    spark: SparkSession,
    paths: str | Sequence[str],
    out: str | os.PathLike[str],
    *,
    content: str = "proved",
    place_unanchored: bool = False,
    dry_run: bool = False,
    metadata: str | Sequence[str] = (),
    progress: Progress | None = None,
    **which: Unpack[Choice],
) -> Report:
    """As `salvage`, but returns the report of `kformat.salvage`."""

    sources = [Path(local_path(path)) for path in absolute_paths(paths)]
    how: dict[str, Any] = {"content": content, "place_unanchored": place_unanchored, "dry_run": dry_run, **which}
    how["metadata"] = [Path(local_path(path)) for path in absolute_paths(metadata)]
    if is_connect(spark):  # the work between partitions needs the files, too
        return near_files(spark, partial(salvage_partitions, **how), sources, Path(out).absolute())

    def each(work: Callable[[Any], Any], pieces: Sequence[Any], sizes: Sequence[int]) -> Iterable[Any]:
        return run(spark, pieces, work, sizes=sizes, title="kformat salvage", progress=progress)

    return salvage_partitions(sources, Path(local_path(os.fspath(out))).absolute(), each=each, **how)


__all__ = ["COLUMNS", "salvage", "saved"]
