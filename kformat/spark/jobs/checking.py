"""`check`: every rule of `kformat check`, with the reading done by tasks.

A task judges segments, each by itself. From the tasks' results the driver makes the findings across segments and about
files next to them, by the same code that checks on a single machine (`kformat.check.checker`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from kformat.check import checker
from kformat.check.sound import SoundRecords
from kformat.errors import UsageError
from kformat.kafka.findings.rules import Finding
from kformat.kafka.log.chosen import Choice, chosen
from kformat.language.program import TypeProgram, load_type
from kformat.spark.jobs.running import Progress, absolute_paths, near_files, run
from kformat.storage.address import status

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS: Final = {
    "rule": "string",
    "severity": "string",
    "file": "string",
    "position": "bigint",
    "path": "string",
    "message": "string",
    "expected": "string",
    "found": "string",
    "mended_by": "string",
}
"""The columns of findings, with their Spark SQL types: those of `rules.Finding`, and the command that repairs it."""


def check(
    spark: SparkSession,
    paths: str | Sequence[str],
    *,
    profile: str | None = None,
    index_interval_bytes: int | None = None,
    records: bool = True,
    ignore: Collection[str] = (),
    declaration: Any = None,
    row: str | None = None,
    trailing: Literal["error", "keep"] = "error",
    progress: Progress | None = None,
    **which: Unpack[Choice],
) -> DataFrame:
    """Check Kafka's files; a row for each finding of `kformat.check`, in its order.

    With ``declaration``, which is `kformat.check`'s ``format``, check files of that format, each in a task.

    The files are read once, when this is called; the DataFrame holds the result. Findings, and about two thousand bytes
    of each segment, pass through the driver.

    Args:
        paths: as `kformat.check` takes them; every worker has to see them, and rows name them by absolute paths.
        profile, index_interval_bytes, records, ignore, row, trailing: as there.
        progress: see `running.Progress`.
        which: ``topics``, ``exclude`` and ``partitions``, as there.

    Returns:
        Columns as in ``COLUMNS``; ``expected`` and ``found`` as text. Rows of severity ``info`` tell what was not
        judged, and are no sign of damage.

    Raises:
        UsageError: an unknown profile or rule, or no partition is chosen.
        OSError: a path that is not there.
    """
    import pyarrow as pa

    reported = findings(
        spark,
        paths,
        profile=profile,
        index_interval_bytes=index_interval_bytes,
        records=records,
        ignore=ignore,
        declaration=declaration,
        row=row,
        trailing=trailing,
        progress=progress,
        **which,
    )
    rows = [{name: _cell(name, getattr(finding, name)) for name in COLUMNS} for finding in reported]
    types = {"string": pa.string(), "bigint": pa.int64()}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    # As text, because Spark needs it for an empty Arrow table.
    schema_text = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema), schema_text)


def findings(
    spark: SparkSession,
    paths: str | Sequence[str],
    *,
    ignore: Collection[str] = (),
    declaration: Any = None,
    row: str | None = None,
    trailing: Literal["error", "keep"] = "error",
    progress: Progress | None = None,
    **how: Any,
) -> Iterator[Finding]:
    """The findings of `check`, with its arguments, as objects; raises as `check`, at once."""
    there = absolute_paths(paths)
    which = {name: how[name] for name in Choice.__annotations__ if name in how}
    if declaration is not None:
        if chosen(**which):
            raise UsageError("topics, exclude and partitions are for Kafka's files, without declaration")
        return _of_declared(spark, there, load_type(declaration), row, trailing, ignore, progress)
    checker.check([], ignore=ignore)  # report an unknown rule before the work is done
    works, sizes = near_files(spark, planned, there, how)
    outcomes = run(spark, works, judge, sizes=sizes, title="kformat check", progress=progress)
    known = {work.key: outcome for work, outcome in zip(works, outcomes, strict=True)}
    return iter(near_files(spark, put_together, there, tuple(ignore), known, how))


def planned(paths: list[str], how: dict[str, Any]) -> tuple[list[checker.Work], list[int]]:
    """The pieces of work of a check, and their sizes in bytes."""
    works = checker.plan(paths, **how)
    return works, [work.size_bytes for work in works]


def put_together(
    paths: list[str], ignore: Collection[str], known: dict[checker.Key, checker.CheckOutcome], how: dict[str, Any]
) -> list[Finding]:
    """All findings, when the segments are judged. OSError for a file that a worker did not see."""
    for file in (file for outcome in known.values() for file in outcome.gone):
        try:
            status(file)
        except FileNotFoundError:  # it was deleted meanwhile, which is no error
            continue
        raise OSError(
            errno.ENOENT, "a worker does not see a file that the driver sees; all workers need the same files", file
        )
    return list(checker.check(paths, ignore=ignore, outcomes=known, **how))


def _of_declared(
    spark: SparkSession,
    there: list[str],
    program: TypeProgram,
    row: str | None,
    trailing: Literal["error", "keep"],
    ignore: Collection[str],
    progress: Progress | None,
) -> Iterator[Finding]:
    checker.check([], ignore=ignore, format=program, row=row, trailing=trailing)  # report wrong arguments before
    sizes = near_files(spark, sizes_in_bytes, there)
    work = partial(judge_declared, program, row, trailing, tuple(ignore))
    results = run(spark, there, work, sizes=sizes, title="kformat check", progress=progress)
    return chain.from_iterable(results)


def sizes_in_bytes(paths: list[str]) -> list[int]:
    """The sizes of files. OSError for a file that does not exist."""
    return [status(path).st_size for path in paths]


def judge_declared(
    program: TypeProgram, row: str | None, trailing: Literal["error", "keep"], ignore: Collection[str], path: str
) -> list[Finding]:
    """Check a file of a declared format, in a task."""
    return list(checker.check(path, ignore=ignore, format=program, row=row, trailing=trailing))


def judge(work: checker.Work) -> checker.CheckOutcome:
    """Judge a piece of work, in a task."""
    return checker.judge(work, _sound())


@cache
def _sound() -> SoundRecords:
    """The state of a worker, whose kernel is loaded once for all segments."""
    return SoundRecords()


def _cell(name: str, value: Any) -> Any:
    if value is None or name == "position":
        return value
    return os.fsencode(str(value)).decode("utf-8", "replace")
