"""`corpus` and `bulk`: test data made by tasks, with the same bytes as one machine makes of the same seeds.

A task makes a corpus, or a segment, below ``_temporary-...`` in the target folder, under a name that no other attempt
has; the driver moves it to its place when all tasks are done. A job that fails leaves nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kformat.corpus import write_corpus
from kformat.corpus.any_format import write_declared_corpus
from kformat.corpus.bulk import Bulk, BulkSegment
from kformat.errors import UsageError
from kformat.language.program import TypeProgram, load_type
from kformat.spark.jobs.converting import named
from kformat.spark.jobs.running import Progress, attempt, beside, nothing, run
from kformat.storage.atomic_write import put_in_place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS: Final = {"folder": "string", "files_count": "bigint", "size_bytes": "bigint"}
"""The columns about a folder that was made, with Spark SQL types."""

_CORPUS_BYTES: Final = 64 << 20
"""The cost of making a corpus, in bytes that a task could read: some seconds."""


class Made(NamedTuple):
    """A folder of files: its path, the number of files, and their size in bytes."""

    folder: str
    files_count: int
    size_bytes: int


def corpus(
    spark: SparkSession,
    out: str,
    *,
    seed: int = 0,
    count: int = 1,
    damage: bool = False,
    only: Sequence[str] = (),
    declaration: Any = None,
    progress: Progress | None = None,
) -> DataFrame:
    """Write test data with verdicts, as `kformat corpus write`: a corpus for each of ``count`` seeds, from ``seed`` on;
    with ``declaration`` corpora of that format.

    The corpus of seed 7 is in the folder ``seed-7`` of ``out``, which has to be empty or absent, and mounted under this
    path by every worker. Returns a row for each. ``damage`` and ``only`` as in `corpus.write_corpus`.

    Raises UsageError for a folder that is not empty, and an ``only`` that leaves nothing; OSError.
    """
    how: dict[str, Any] = {"damage": damage, "only": only, "declaration": declaration}
    return _rows(spark, corpora(spark, out, seed=seed, count=count, progress=progress, **how))


def corpora(
    spark: SparkSession,
    out: str,
    *,
    seed: int,
    count: int,
    damage: bool,
    only: Sequence[str],
    declaration: Any = None,
    progress: Progress | None = None,
) -> list[Made]:
    """As `corpus`, but returns objects."""
    if seed < 0:
        raise UsageError(f"seed {seed}: seeds begin with 0")
    seeds = range(seed, seed + count)
    with beside(spark, out, nothing) as place:
        program = None if declaration is None else load_type(declaration)
        work = partial(write_one, place.path, damage, tuple(only), program)
        sizes = [_CORPUS_BYTES] * count
        made = run(spark, seeds, work, sizes=sizes, title="kformat corpus write", progress=progress)
        placed = [
            written._replace(folder=f"{place.root}/seed-{number}") for number, written in zip(seeds, made, strict=True)
        ]
        place.end(named, [(written.folder, new.folder) for written, new in zip(made, placed, strict=True)])
        return placed


def write_one(place: str, damage: bool, only: tuple[str, ...], program: TypeProgram | None, seed: int) -> Made:
    """Write the corpus of a seed, in a task."""
    folder = os.path.join(place, attempt())
    os.mkdir(folder)  # fails if the job has ended
    if program is not None:
        files = write_declared_corpus(folder, program, seed=seed, damage=damage, only=only).files
        return Made(folder, len(files), sum(len(file.data) for file in files))
    entries = write_corpus(folder, seed=seed, damage=damage, only=only)
    return Made(folder, len(entries), sum(len(entry.file.data) for entry in entries))


def bulk(spark: SparkSession, out: str, what: Bulk, *, progress: Progress | None = None) -> DataFrame:
    """Write data by the gigabyte, as `kformat corpus bulk`. Returns a row for each segment; ``out`` and errors are as
    for `corpus`."""
    return _rows(spark, segments(spark, out, what, progress=progress))


def segments(spark: SparkSession, out: str, what: Bulk, *, progress: Progress | None = None) -> list[Made]:
    """As `bulk`, but returns objects; sizes are those of the logs."""
    pieces = what.pieces()
    with beside(spark, out, nothing) as place:
        sizes = list(map(what.size_of, pieces))
        work = partial(write_segment, place.path, what)
        made = run(spark, pieces, work, sizes=sizes, title="kformat corpus bulk", progress=progress)
        placed = [
            written._replace(folder=f"{place.root}/{what.folder(piece)}")
            for piece, written in zip(pieces, made, strict=True)
        ]
        place.end(moved_together, [(written.folder, new.folder) for written, new in zip(made, placed, strict=True)])
        return placed


def moved_together(folders: list[tuple[str, str]]) -> None:
    """Move the files of each folder into another one, which several may share."""
    for old, new in folders:
        os.makedirs(new, exist_ok=True)
        put_in_place((f"{old}/{name}", f"{new}/{name}") for name in sorted(os.listdir(old)))


def write_segment(place: str, what: Bulk, piece: BulkSegment) -> Made:
    """Write a segment, in a task."""
    folder = os.path.join(place, attempt())
    os.mkdir(folder)
    names = what.write(piece, folder)
    return Made(folder, len(names), os.stat(os.path.join(folder, names[0])).st_size)


def _rows(spark: SparkSession, made: list[Made]) -> DataFrame:
    return spark.createDataFrame(made, ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()))
