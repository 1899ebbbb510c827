"""Work done by Spark's tasks: pieces in, what came of each out, in their order.

Rules:

* Work that ends in few rows makes none on the way. A task gets its own pieces, pickled, and hands back one value for
  each. That is `SparkContext.parallelize` and not `mapInArrow`, whose function would carry all pieces to every task,
  and which has to have Arrow rows on both sides.
* Neighbours share a task while they are small, so that ten thousand small segments are not ten thousand tasks.
* A task may run twice at a time, or be killed and run again: what it does has to be so that this changes nothing. What
  it writes it writes under a name of its own (`attempt`), and the driver gives the files their names when all is done.
* What is wrong with the data or its files is a value that the driver raises, so that Spark does not try again what
  comes out the same. What Spark itself gives up on (workers that die) stays Spark's error.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from kformat.errors import KformatError, UsageError
from kformat.spark.collecting import forget_what_is_imported
from kformat.storage.address import absolute, is_address

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

LARGEST_TASK_BYTES: Final = 128 << 20
"""How much neighbours in one task have together at most; a piece alone may be larger."""
_LEAST_TASK_BYTES: Final = 4 << 20
_OPENING_BYTES: Final = 1 << 16
"""What a piece costs in addition to its bytes."""
_TASKS_PER_CORE: Final = 4
_POLL_S: Final = 0.2
TEMPORARY: Final = "_temporary-"
"""How folders begin in which jobs write what is not done yet: Spark, too, passes over such names."""


class Done(NamedTuple):
    """How far a job is: tasks, and about how many bytes they had to read."""

    tasks: int
    of_tasks: int
    size_bytes: int
    of_bytes: int


Progress = Callable[[Done], object]
"""Called while a job runs, from a thread of its own, whenever tasks have come to an end."""


def run(
    spark: SparkSession,
    pieces: Sequence[_Piece],
    work: Callable[[_Piece], _Result],
    *,
    sizes: Sequence[int],
    title: str,
    progress: Progress | None = None,
) -> list[_Result]:
    """Do a piece of work for each piece, in Spark's tasks; the results in the order of the pieces.

    Args:
        pieces: what can be pickled.
        work: a function of a module, or a `functools.partial` of one; Spark's workers have to find the module.
        sizes: how many bytes each piece has to read.
        title: what Spark's pages show.
        progress: see `Progress`.

    Raises:
        KformatError, OSError: what the first piece raised that raised one. The others are not waited for.
    """
    if not pieces:
        return []
    context = spark.sparkContext
    tasks = list(_packed(pieces, sizes, _task_bytes(sum(sizes), context.defaultParallelism)))
    group = f"kformat-{uuid.uuid4().hex}"
    context.setJobGroup(group, title)
    try:
        with _told(context, group, [size for _, size in tasks], progress):
            made = context.parallelize([task for task, _ in tasks], len(tasks)).map(partial(_attempted, work)).collect()
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        for name in ("spark.jobGroup.id", "spark.job.description"):
            context.setLocalProperty(name, None)  # type: ignore[arg-type]
    results = list[_Result]()
    for outcome in itertools.chain.from_iterable(made):
        if isinstance(outcome, _Raised):
            raise outcome.error
        results.append(outcome)
    return results


class _Raised(NamedTuple):
    error: Exception


def _attempted(work: Callable[[Any], Any], pieces: Sequence[Any]) -> list[Any]:
    results = list[Any]()
    for piece in pieces:
        try:
            results.append(work(piece))
        except (KformatError, OSError) as error:
            return [*results, _Raised(error)]
    forget_what_is_imported()
    return results


def _task_bytes(total: int, cores: int) -> int:
    share = total // max(1, cores * _TASKS_PER_CORE)
    return min(max(share, _LEAST_TASK_BYTES), LARGEST_TASK_BYTES)


def _packed(pieces: Sequence[_Piece], sizes: Sequence[int], most: int) -> Iterator[tuple[list[_Piece], int]]:
    """Neighbours in one task, as long as they are no more together than so many bytes; each task with its size."""
    task, filled = list[_Piece](), 0
    for piece, size in zip(pieces, sizes, strict=True):
        if task and filled + size + (len(task) + 1) * _OPENING_BYTES > most:
            yield task, filled
            task, filled = [], 0
        task.append(piece)
        filled += size
    yield task, filled


@contextmanager
def _told(context: SparkContext, group: str, sizes: Sequence[int], progress: Progress | None) -> Iterator[None]:
    """Tell how far a job is, as long as it runs. Tasks begin in order; so those that are done count as the first."""
    if progress is None:
        yield
        return
    so_far, is_over = list(itertools.accumulate(sizes, initial=0)), threading.Event()
    tracker = context.statusTracker()

    def tell() -> None:
        told = -1
        while not is_over.wait(_POLL_S):
            done = 0
            for job in tracker.getJobIdsForGroup(group):
                information = tracker.getJobInfo(job)
                stages = map(tracker.getStageInfo, information.stageIds if information is not None else ())
                done += sum(stage.numCompletedTasks for stage in stages if stage is not None)
            done = min(done, len(sizes))
            if done != told:
                progress(Done(done, len(sizes), so_far[done], so_far[-1]))
                told = done

    teller = threading.Thread(target=tell, name="kformat progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def attempt() -> str:
    """A name that no other attempt at any piece of work has."""
    return uuid.uuid4().hex


@contextmanager
def beside(out: str) -> Iterator[tuple[str, str]]:
    """A folder to write to, absolute, and one in it for what is not done yet, which is gone afterwards.

    What a job left that was killed with its driver does not count as something in the folder, nor another job at work.
    Raises UsageError for an address, and for a folder that has something in it.
    """
    if is_address(out):
        raise UsageError(f"{out}: files are written only to mounted folders, not to addresses")
    root = os.path.abspath(out)
    is_free = not os.path.lexists(root) or os.path.isdir(root)
    if not is_free or (os.path.isdir(root) and any(not name.startswith(TEMPORARY) for name in os.listdir(root))):
        raise UsageError(f"{root} is not an empty folder")
    place = os.path.join(root, TEMPORARY + attempt())
    os.makedirs(place)
    try:
        yield root, place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def absolute_paths(paths: str | Sequence[str]) -> list[str]:
    """One path or several, as tasks may have them, which run in other folders."""
    return [absolute(path) for path in ([paths] if isinstance(paths, str) else paths)]
