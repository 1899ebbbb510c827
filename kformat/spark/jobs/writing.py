"""`write`: a DataFrame as segments, with rows in the order of the log, which Spark's sinks cannot request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kformat.errors import UsageError
from kformat.spark.connect import check_version
from kformat.spark.jobs.asking import spark_words
from kformat.spark.target import root_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MODES: Final = ("append", "overwrite")


def write(
    df: DataFrame,
    path: str,
    *,
    mode: str = "append",
    assume_sorted: bool = False,
    tasks: int | None = None,
    **options: Any,
) -> None:
    """Write a DataFrame as segments into a log directory; ``docs/spark.md`` (Writing) has columns and options.

    Rows with offsets are divided into ranges of topic, partition and offset, and sorted; others are written in their
    order.

    Args:
        path: the folder in which those of partitions lie, or will.
        mode: ``append`` after what is there, or ``overwrite`` the partitions that rows go to.
        assume_sorted: rows with offsets are sorted already, as those that the source reads: leave out the shuffle.
        tasks: into how many ranges rows are divided; Spark says by default.
        options: those of the sink in snake_case: ``topic="orders"``, ``segment_bytes="512m"``, ``compression="zstd"``.

    Raises:
        UsageError: an unknown mode. What the sink raises comes as Spark's own errors, which hold its message.
    """
    if mode not in MODES:
        raise UsageError(f"mode {mode!r}: expected {' or '.join(MODES)}")
    check_version(df.sparkSession.version)
    words = spark_words(options)
    keys = [name for name in ("topic", "partition", "offset") if name in df.columns]
    if "topic" in map(str.lower, words):  # the topic of all rows, in place of their column
        keys = [name for name in keys if name != "topic"]
    if "offset" in keys and not assume_sorted:
        wide = df.repartitionByRange(*keys) if tasks is None else df.repartitionByRange(tasks, *keys)
        df = wide.sortWithinPartitions(*keys)
    df.write.format("kformat").mode(mode).options(**words).save(root_of(path))
