"""`reindex`: the work of `kformat reindex`, with logs read and indexes made by tasks.

Rules:

* Over Connect, one task does all the work for a path, as only a machine with the files can hold their roots' locks.
* The driver holds the locks of the roots, and only the driver renames indexes, when all tasks are done: a task that
  runs twice, or continues after the job, leaves only files next to the indexes, which are removed.
* Indexes and rows of a segment come from `kformat.reindex`, which the command uses, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from kformat.errors import RootLockedError
from kformat.kafka.log.chosen import Choice, Chosen, chosen
from kformat.kafka.log.partition import Segment, open_partition, partition_paths
from kformat.reindex import COLUMNS as _OF_A_SEGMENT
from kformat.reindex import Remade, Roots, Rules, commit, leftovers, remake, remake_in_place
from kformat.spark.connect import is_connect
from kformat.spark.jobs.running import Progress, absolute_paths, attempt, near_files, run
from kformat.storage.address import local_path, size_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TITLE: Final = "kformat reindex"
Listing = tuple[str, list[str]]
"""A path, and the folders of partitions in it."""
COLUMNS: Final = {
    "partition": "string",
    **{name: "bigint" if name.endswith(("count", "entries")) else "string" for name in _OF_A_SEGMENT},
    "problem": "string",
}
"""The columns about a segment, with Spark SQL types: `reindexing.COLUMNS`, and why it was refused or failed."""


def reindex(
    spark: SparkSession,
    paths: str | Sequence[str],
    *,
    rules: Rules | None = None,
    progress: Progress | None = None,
    **which: Unpack[Choice],
) -> DataFrame:
    """Rebuild .index and .timeindex of segments from their logs; a row for each, in the order of `kformat reindex`.

    The work is done once, when this is called. A log that is refused, or an index that cannot be written, is reported
    in its row; the others are rebuilt.

    Args:
        paths: partition folders, roots that hold many, or ``.log`` files, on file systems that every worker has mounted
            under these paths.
        rules: how they are made; ``Rules(dry_run=True)`` says what would be another, and writes nothing. If they give
            no interval, it is that of each topic in the metadata log of the same roots.
        progress: see `running.Progress`.
        which: ``topics``, ``exclude`` and ``partitions`` of all paths, as for `LogDirectory.select`.

    Raises:
        UsageError: an address, or no partition is chosen.
        RootLockedError: somebody has the lock of a root, before anything is changed in any.
        OSError: a path that is not there.
    """
    how, there = Rules() if rules is None else rules, absolute_paths(paths)
    listings = near_files(spark, listed, there, chosen(**which))
    if is_connect(spark):
        sizes = [0] * len(listings)
        results = run(spark, listings, partial(rows_of, how), sizes=sizes, title=_TITLE, progress=progress)
        rows = list(chain.from_iterable(results))
    else:
        rows = _rows(listings, how, lambda segments, rules: remade(spark, segments, rules, progress=progress))
    schema = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    return spark.createDataFrame([tuple(row[name] for name in COLUMNS) for row in rows], schema)


def listed(paths: list[str], which: Chosen) -> list[Listing]:
    """Some paths, each with the folders of its partitions that are chosen."""
    listings = which.of_each([partition_paths(local_path(path)) for path in paths])
    return [(path, list(map(str, folders))) for path, folders in zip(paths, listings, strict=True)]


def rows_of(rules: Rules, listing: Listing) -> list[dict[str, Any]]:
    """Do all the work for a path, in a task over Connect: the task holds the locks of the roots."""

    def remake_all(segments: Sequence[tuple[str, Segment]], rules: Rules) -> Iterator[tuple[str, Remade]]:
        return ((name, remake_in_place(segment, rules)) for name, segment in segments)

    return _rows([listing], rules, remake_all)


def _rows(
    listings: list[Listing],
    rules: Rules,
    remake_all: Callable[[Sequence[tuple[str, Segment]], Rules], Iterable[tuple[str, Remade]]],
) -> list[dict[str, Any]]:
    def say(text: str, is_refusal: bool) -> None:
        if is_refusal:
            raise RootLockedError(text)

    rules = rules.with_configs([path for path, _ in listings], lambda text: say(text, False))
    segments: list[tuple[str, Segment]] = []
    with Roots(rules.dry_run, say) as roots:
        for folder in chain.from_iterable(folders for _, folders in listings):
            partition = open_partition(folder)
            if roots.may_be_written(partition.folder):
                segments += ((partition.folder.name, segment) for segment in partition.segments)
        return [
            {"partition": name, **result.row, "problem": _problem(result)}
            for name, result in remake_all(segments, rules)
        ]


def remade(
    spark: SparkSession,
    segments: Sequence[tuple[str, Segment]],
    rules: Rules,
    *,
    progress: Progress | None = None,
) -> Iterator[tuple[str, Remade]]:
    """Make the indexes of segments by absolute paths, each with the name of its partition, and yield the result of each
    when its indexes are renamed. The caller holds the locks of the roots."""
    job = attempt()
    works, sizes = [segment for _, segment in segments], [size_of(segment.log) for _, segment in segments]
    try:
        done = run(spark, works, partial(work, rules, job), sizes=sizes, title=_TITLE, progress=progress)
        for (name, _), result in zip(segments, done, strict=True):
            yield name, commit(result)
    finally:
        for folder in {segment.log.parent for segment in works}:
            _clear(folder, job)


def work(rules: Rules, job: str, segment: Segment) -> Remade:
    """Make the indexes of a segment, in a task; the names of new files contain this attempt's."""
    return remake(segment, rules, token=f"{job}-{attempt()}")


def _clear(folder: Path, job: str) -> None:
    for left in leftovers(folder, job):
        with contextlib.suppress(OSError):
            left.unlink()


def _problem(result: Remade) -> str | None:
    return result.refused or (None if result.failed is None else str(result.failed))
