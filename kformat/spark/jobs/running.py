"""Do work in Spark's tasks: pieces in, the result of each out, in their order.

Rules:

* The work makes no rows. A task gets its own pieces, pickled, and returns one value for each, by
  `SparkContext.parallelize`. Over Connect, which does not have that, values are rows of pickled bytes. The function
  carries the pieces of all tasks, if these are few; otherwise a broadcast brings each task its own.
* Over Connect a path is the workers', not the client's. A driver's work with files (planning, and renaming files at the
  end) is then done by a task (`near_files`).
* Neighbours share a task while they are small, so that ten thousand small segments are not ten thousand tasks.
* A task may run twice at a time, or be killed and run again: this must not change the result. A task writes files under
  names of its own (`attempt`), and the driver renames them when all is done.
* Errors in the data or its files are values that the driver raises, so that Spark does not retry work that would fail
  again. Failures of Spark itself (workers that die) stay Spark's errors.
"""

from __future__ import annotations

import errno
import importlib.util
import itertools
import os
import pickle
import re
import shutil
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from kformat import __version__
from kformat.errors import KformatError, UsageError
from kformat.spark.collecting import forget_what_is_imported
from kformat.spark.connect import check_version, is_connect
from kformat.storage.address import absolute, is_address

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

LARGEST_TASK_BYTES: Final = 256 << 20
"""The largest size of the pieces of one task together; a single piece may be larger."""
_LEAST_TASK_BYTES: Final = 4 << 20
_OPENING_BYTES: Final = 1 << 16
"""The cost of a piece in addition to its bytes."""
_TASKS_PER_CORE: Final = 4
_CARRIED_BYTES: Final = 1 << 20
"""The largest size of pickled pieces that go to every task."""
_POLL_S: Final = 0.2
_NO_KFORMAT: Final = re.compile(r"No module named '?kformat|Can't get attribute '\w+' on <module 'kformat")
TEMPORARY: Final = "_temporary-"
"""The prefix of folders with jobs' unfinished files: Spark, too, skips such names."""


class Done(NamedTuple):
    """The progress of a job: tasks that are done, and about how many bytes they had to read."""

    tasks: int
    of_tasks: int
    size_bytes: int
    of_bytes: int


Progress = Callable[[Done], object]
"""Called while a job runs, from a thread of its own, when tasks have ended."""


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
    cores = 1 if len(pieces) == 1 else parallelism(spark)
    tasks = list(_packed(pieces, sizes, _task_bytes(sum(sizes) + len(sizes) * _OPENING_BYTES, cores)))
    group, collected = f"kformat-{uuid.uuid4().hex}", _over_connect if is_connect(spark) else _collected
    check_version(spark.version)
    try:
        made = collected(spark, tasks, partial(_attempted, work, __version__), group, title, progress)
    except Exception as error:
        if _NO_KFORMAT.search(str(error)) is None:
            raise
        raise UsageError(
            "the workers have no kformat, or another version of it: install this one there, or send it "
            "(`kformat spark artifact`)"
        ) from error
    results = list[_Result]()
    for outcome in itertools.chain.from_iterable(made):
        if isinstance(outcome, _Raised):
            raise _worded(outcome.error) if is_connect(spark) else outcome.error
        results.append(outcome)
    return results


def near_files(spark: SparkSession, work: Callable[..., _Result], *arguments: Any) -> _Result:
    """Call a function on a machine with the files: here, or over Connect in a task. Raises its errors, as `run`."""
    if not is_connect(spark):
        return work(*arguments)
    (result,) = run(spark, [arguments], partial(_called, work), sizes=[0], title="kformat")
    return result


def _called(work: Callable[..., _Result], arguments: tuple[Any, ...]) -> _Result:
    return work(*arguments)


def about_workers(spark: SparkSession) -> str:
    """Describe the workers of a session over Connect. UsageError if they have no kformat, or another version."""
    (text,) = run(spark, [None], _about, sizes=[0], title="kformat")
    return str(text)


def _about(_: None) -> str:
    has_numba = importlib.util.find_spec("numba") is not None
    return f"workers with kformat {__version__}{'' if has_numba else ', without numba: slower (extra fast)'}"


def _worded(error: Exception) -> Exception:
    """An error of a task over Connect; for a file that exists only here, an error that says so."""
    if isinstance(error, FileNotFoundError) and error.filename is not None and os.path.exists(error.filename):
        text = "no such file where the tasks run, though it is here: over Connect a path is the workers'"
        return FileNotFoundError(errno.ENOENT, text, error.filename)
    return error


def parallelism(spark: SparkSession) -> int:
    """How many tasks run at a time, as far as Spark knows: the cluster is asked, also over Connect."""
    if not is_connect(spark):
        return spark.sparkContext.defaultParallelism
    if spark not in _parallelism:
        from pyspark.sql import functions

        numbers = spark.range(1 << 20).select(functions.spark_partition_id().alias("number"))
        ((last,),) = numbers.agg(functions.max("number")).collect()
        _parallelism[spark] = int(last) + 1
    return _parallelism[spark]


_parallelism = weakref.WeakKeyDictionary[Any, int]()  # of sessions over Connect
_Task = tuple[list[Any], int]
_Attempt = Callable[[Sequence[Any]], list[Any]]


def _collected(
    spark: SparkSession, tasks: list[_Task], work: _Attempt, group: str, title: str, progress: Progress | None
) -> list[list[Any]]:
    context = spark.sparkContext
    context.setJobGroup(group, title)
    try:
        with _progress_reported(context, group, [size for _, size in tasks], progress):
            return context.parallelize([task for task, _ in tasks], len(tasks)).map(work).collect()
    except BaseException:
        context.cancelJobGroup(group)
        raise
    finally:
        for name in ("spark.jobGroup.id", "spark.job.description"):
            context.setLocalProperty(name, None)  # type: ignore[arg-type]


def _over_connect(
    spark: SparkSession, tasks: list[_Task], work: _Attempt, group: str, title: str, progress: Progress | None
) -> list[list[Any]]:
    import pyarrow as pa
    from pyspark.sql.functions import broadcast
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    count, pickled = len(tasks), [pickle.dumps(task) for task, _ in tasks]
    rows, carried = spark.range(0, count, 1, count), list[bytes]()  # a range has exactly so many partitions
    if sum(map(len, pickled)) <= _CARRIED_BYTES:
        carried = pickled
    else:  # a join with a broadcast keeps the partitions
        rows = rows.join(broadcast(spark.createDataFrame(pa.table({"id": range(count), "pieces": pickled}))), "id")
    schema = StructType([StructField("number", LongType()), StructField("outcome", BinaryType())])
    outcomes = rows.mapInArrow(partial(_in_arrow, work, carried), schema)
    so_far = list(itertools.accumulate((size for _, size in tasks), initial=0))

    def tell(stages: Any, *_: Any) -> None:
        finished = max((stage.num_completed_tasks for stage in stages or () if stage.num_tasks == count), default=0)
        if progress is not None:
            progress(Done(finished, count, so_far[finished], so_far[-1]))

    spark.addTag(group)
    if progress is not None:
        spark.registerProgressHandler(tell)  # type: ignore[arg-type]
    try:
        columns = outcomes.toArrow().to_pydict()
    except BaseException:
        spark.interruptTag(group)
        raise
    finally:
        spark.removeTag(group)
        if progress is not None:
            spark.removeProgressHandler(tell)  # type: ignore[arg-type]
    return [pickle.loads(outcome) for _, outcome in sorted(zip(columns["number"], columns["outcome"], strict=True))]


def _in_arrow(work: _Attempt, carried: Sequence[bytes], batches: Iterable[Any]) -> Iterator[Any]:
    """Do the work of a task over Connect: rows with numbers of pieces, or with pieces, in; rows with outcomes out."""
    import pyarrow as pa

    for batch in batches:
        numbers = batch.column("id")
        pickled = [carried[number] for number in numbers.to_pylist()] if carried else batch.column("pieces").to_pylist()
        outcomes = [pickle.dumps(work(pickle.loads(pieces))) for pieces in pickled]
        yield pa.record_batch([numbers, pa.array(outcomes, pa.binary())], ["number", "outcome"])


class _Raised(NamedTuple):
    error: Exception


def _attempted(work: Callable[[Any], Any], version: str, pieces: Sequence[Any]) -> list[Any]:
    if version != __version__:
        return [_Raised(UsageError(f"the workers have kformat {__version__}, and this is {version}"))]
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
    """Pack neighbours into one task, as long as they have together at most so many bytes; each task with its size."""
    task, filled = list[_Piece](), 0
    for piece, size in zip(pieces, sizes, strict=True):
        if task and filled + size + (len(task) + 1) * _OPENING_BYTES > most:
            yield task, filled
            task, filled = [], 0
        task.append(piece)
        filled += size
    yield task, filled


@contextmanager
def _progress_reported(
    context: SparkContext, group: str, sizes: Sequence[int], progress: Progress | None
) -> Iterator[None]:
    """Report the progress of a job while it runs. Tasks begin in order; so those that are done count as the first."""
    if progress is None:
        yield
        return
    so_far, is_over = list(itertools.accumulate(sizes, initial=0)), threading.Event()
    tracker = context.statusTracker()

    def tell() -> None:
        reported = -1
        while not is_over.wait(_POLL_S):
            done = 0
            for job in tracker.getJobIdsForGroup(group):
                information = tracker.getJobInfo(job)
                stages = map(tracker.getStageInfo, information.stageIds if information is not None else ())
                done += sum(stage.numCompletedTasks for stage in stages if stage is not None)
            done = min(done, len(sizes))
            if done != reported:
                progress(Done(done, len(sizes), so_far[done], so_far[-1]))
                reported = done

    teller = threading.Thread(target=tell, name="kformat progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def attempt() -> str:
    """A unique name for an attempt at a piece of work."""
    return uuid.uuid4().hex


class TargetFolder(Generic[_Result]):
    """A folder to write to.

    Attributes:
        root: absolute. path: a folder in it for unfinished files, which is removed afterwards.
        planned: the result of the plan, which was made near the files before anything was written.
    """

    def __init__(self, root: str, path: str, planned: _Result) -> None:
        self.root, self.path, self.planned = root, path, planned
        self.last: tuple[Any, ...] = (removed, path)

    def end(self, work: Callable[..., object], *arguments: Any) -> None:
        """Call a function near the files if there was no error, before the folder for unfinished files is removed."""
        self.last = (_ended, self.path, work, *arguments)


@contextmanager
def beside(
    spark: SparkSession, out: str, plan: Callable[..., _Result], *arguments: Any
) -> Iterator[TargetFolder[_Result]]:
    """A folder to write to, after a function that plans the work was called near the files.

    The folder counts as empty if it holds only files of a job that was killed with its driver, or of a running job.
    Raises UsageError for an address, and for a folder that is not empty; and the function's errors.
    """
    if is_address(out):
        raise UsageError(f"{out}: files are written only to mounted folders, not to addresses")
    root = os.path.abspath(out)
    path, planned = near_files(spark, _begun, root, plan, *arguments)
    place = TargetFolder(root, path, planned)
    try:
        yield place
    except BaseException:
        near_files(spark, removed, path)
        raise
    near_files(spark, *place.last)


def _begun(root: str, plan: Callable[..., _Result], *arguments: Any) -> tuple[str, _Result]:
    planned = plan(*arguments)
    return made_place(root), planned


def _ended(path: str, work: Callable[..., object], *arguments: Any) -> None:
    try:
        work(*arguments)
    finally:
        removed(path)


def nothing() -> None:
    """The plan of work that needs none."""


def made_place(root: str) -> str:
    """Create a folder for unfinished files, in one that is empty, or does not exist. Raises UsageError, OSError."""
    is_free = not os.path.lexists(root) or os.path.isdir(root)
    if not is_free or (os.path.isdir(root) and any(not name.startswith(TEMPORARY) for name in os.listdir(root))):
        raise UsageError(f"{root} is not an empty folder")
    place = os.path.join(root, TEMPORARY + attempt())
    os.makedirs(place)
    return place


def removed(place: str) -> None:
    """Remove a folder, as far as possible."""
    shutil.rmtree(place, ignore_errors=True)


def absolute_paths(paths: str | Sequence[str]) -> list[str]:
    """One path or several as absolute paths, because tasks run in other folders."""
    return [absolute(path) for path in ([paths] if isinstance(paths, str) else paths)]
