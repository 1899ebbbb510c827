"""The six that write below a root, each as a function, for tests of the rule that there is one at a time.

Each takes a root, values to append (those that append none pass over them), and a function that is called while it
writes. It returns the values that it acknowledges. None of Spark's two needs Spark: what the driver and the tasks do is
called here, in one process.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

import kformat
from kformat import reindex
from kformat.cli import main
from kformat.cli import reindex as reindex_command
from kformat.errors import RootLockedError
from kformat.spark import commit as commit_module
from kformat.spark.jobs import reindexing as spark_reindexing
from kformat.spark.rolling import write_segments
from kformat.spark.target import Target
from kformat_engine import Log, LogConfig, Root, local_log
from kformat_engine.recovery.opening import recover_folder

FOLDER = "orders-0"
CONFIG = LogConfig(segment_bytes=4096, index_interval_bytes=256)

Meanwhile = Callable[[], object]
Writer = Callable[[Path, Sequence[bytes], Meanwhile], Sequence[bytes]]


def lay(root: Path, values: Sequence[bytes]) -> None:
    """A root with a log that holds these."""
    with Log.open(root / FOLDER, CONFIG) as log:
        for value in values:
            log.append([value])


def values_of(root: Path) -> list[bytes | None]:
    """What the log holds, in order; its offsets have no gap, and nothing is wrong with its files."""
    records = list(kformat.open(root / FOLDER).records())
    assert [record.offset for record in records] == list(range(len(records)))
    wrong = [str(found) for found in kformat.check(root / FOLDER) if found.severity == "error"]
    assert not wrong, wrong
    return [record.value for record in records]


def _calling(meanwhile: Meanwhile, function: Any) -> Any:
    def called(*arguments: Any, **named: Any) -> Any:
        meanwhile()
        return function(*arguments, **named)

    return called


def _append(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    with Log.open(root / FOLDER, CONFIG) as log:
        log.append(values[:1])
        kformat.diff(root, root, records=True)
        assert not list(kformat.diff(root, root, ignore=["*"])), "a reader, which must not cost the writer its lock"
        meanwhile()
        for value in values[1:]:
            log.append([value])
    return values


def _open_root(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    with Root.open(root):
        meanwhile()
    return ()


def _run(*arguments: str) -> None:
    """A command in this process; RootLockedError where that is what it ends with."""
    output = io.TextIOWrapper(io.BytesIO())
    with mock.patch("click.echo") as echo, mock.patch("sys.stdout", output), contextlib.suppress(SystemExit):
        status = main(list(arguments), standalone_mode=False)
    if status == 4:
        said = " ".join(str(call.args[0]) for call in echo.call_args_list if call.args)
        assert "in this process already" in said or "is locked by another process" in said, said
        raise RootLockedError(said)
    assert not status


def _recover(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    with mock.patch.object(local_log, "recover_folder", _calling(meanwhile, recover_folder)):
        _run("log", "recover", str(root / FOLDER))
    return ()


def _reindex(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    with mock.patch.object(reindex_command, "remake_in_place", _calling(meanwhile, reindex.remake_in_place)):
        _run("reindex", str(root), "--index-interval-bytes", "512")
    return ()


def _reindex_by_spark(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    def run(spark: object, pieces: Sequence[Any], work: Callable[[Any], Any], **_: object) -> list[Any]:
        meanwhile()
        return [work(piece) for piece in pieces]

    rules = reindex.Rules(index_interval_bytes=384)
    with mock.patch.object(spark_reindexing, "run", run):
        spark_reindexing.reindex(mock.Mock(), str(root), rules=rules)
    return ()


def _commit(root: Path, values: Sequence[bytes], meanwhile: Meanwhile) -> Sequence[bytes]:
    rows = pa.RecordBatch.from_pydict({"value": pa.array(list(values), pa.binary())})
    target, job = Target(str(root), topic="orders", index_interval_bytes=256), commit_module.new_job()
    commit_module.begin(target.root, job)
    try:
        staged = write_segments([rows], target, commit_module.make_folder(target.root, job))
        with (
            mock.patch.object(commit_module, "_LOCK_SECONDS", 0),
            mock.patch.object(commit_module, "_prepared", _calling(meanwhile, commit_module._prepared)),
        ):
            commit_module.commit(target.root, staged)
    finally:
        commit_module.remove_folders(target.root, job)
    return values


WRITERS: dict[str, Writer] = {
    "Log.open": _append,
    "Root.open": _open_root,
    "log recover": _recover,
    "reindex": _reindex,
    "Spark's reindex": _reindex_by_spark,
    "Spark's commit": _commit,
}
