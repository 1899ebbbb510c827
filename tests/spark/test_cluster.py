"""Source and sink on more than one process: executors of their own, a standalone master, and an executor that dies.

Each cluster is a program of its own, because one process can have one of Spark's JVMs. What rows are is shown in
tests/spark/test_scan.py; here, that each is there once whatever happens to the processes that read and write it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kformat.check.checker import check
from kformat.kafka.partition import iter_partitions
from tests.judges.broker import free_ports
from tests.samples import ROOT as SAMPLES
from tests.spark.test_plan import seen_by_a_consumer
from tests.spark_session import require_spark
from tools.documents import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

TIMEOUT_S = 150
LOGS = SAMPLES / "4.3.1"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"

OPENING = """
import json, sys, time
from pyspark import TaskContext
from kformat.spark import session
from kformat.spark.jobs import write

master, folder, settings, *rest = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), *sys.argv[4:]
spark = session(master=master, quiet=True, settings={
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.executor.memory": "512m", **settings})
frame = spark.read.format("kformat").option("splitBytes", "100k").load(folder)
print("begins", flush=True)

def slowly(batches):  # so that there is time to end an executor
    for batch in batches:
        time.sleep(0.2)
        yield batch
"""

READ = (
    OPENING
    + """
frame = frame.select("topic", "partition", "offset")
rows = frame.mapInArrow(slowly, frame.schema).collect()
print(json.dumps(sorted(map(list, rows))))
"""
)

WRITE = (
    OPENING
    + """
what, out = rest

def with_an_accident(batches):
    context = TaskContext.get()
    is_it = context.partitionId() == 1
    yield from slowly(batches)
    if is_it and (what == "all fail" or (what == "one fails" and context.attemptNumber() == 0)):
        raise RuntimeError("an accident behind the last row")
    if is_it and what == "one hangs" and context.attemptNumber() == 0:
        time.sleep(3600)

frame = frame.mapInArrow(with_an_accident, frame.schema)
try:
    write(frame, out, assume_sorted=True)
except Exception as error:
    assert "an accident behind the last row" in str(error), error
    print(json.dumps("failed"))
else:
    print(json.dumps("written"))
"""
)


def expected() -> list[list[Any]]:
    return sorted(
        [partition.topic, partition.partition, record.offset]
        for partition in iter_partitions(LOGS)
        if not partition.topic.startswith("__")
        for record in seen_by_a_consumer(partition)
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def found(
    master: str, program: str = READ, *arguments: str, kill: bool = False, settings: Mapping[str, str] | None = None
) -> Any:
    """What a driver prints at its end; meanwhile an executor of its is ended, where that is asked for."""
    command = [sys.executable, "-c", program, master, str(LOGS), json.dumps(settings or {}), *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=environment(), text=True, start_new_session=True
    ) as driver:
        assert driver.stdout is not None
        try:
            assert driver.stdout.readline() == "begins\n"
            if kill:
                os.kill(executor_below(driver.pid), signal.SIGKILL)
            out, _ = driver.communicate(timeout=TIMEOUT_S)
        finally:
            if driver.poll() is None:
                os.killpg(driver.pid, signal.SIGKILL)
    assert driver.returncode == 0
    return json.loads(out.splitlines()[-1])


def executor_below(root: int) -> int:
    """The process id of an executor that has begun to read."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        listed = subprocess.run(
            ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        ).stdout
        processes = [(int(pid), int(parent), rest) for pid, parent, rest in re.findall(r"(\d+) +(\d+) (.*)", listed)]
        parents = {pid: parent for pid, parent, _ in processes}

        def is_below(pid: int, parents: dict[int, int] = parents) -> bool:
            while pid in parents and pid != root:
                pid = parents[pid]
            return pid == root

        readers = {parent for _, parent, rest in processes if "pyspark.daemon" in rest}
        executors = [pid for pid, _, rest in processes if EXECUTOR in rest and pid in readers and is_below(pid)]
        if executors:
            time.sleep(1)
            return executors[0]
        time.sleep(0.2)
    raise AssertionError("no executor reads")


@pytest.mark.parametrize("kill", [False, True], ids=["all live", "one dies"])
def test_executors_of_their_own(kill: bool) -> None:
    require_spark()
    assert found("local-cluster[2,1,1024]", kill=kill) == expected()


def written(root: Path) -> list[list[Any]]:
    """What was written; beside it nothing may be left."""
    assert [name for name in os.listdir(root) if name.endswith("-delete")] == []
    assert [
        str(one) for partition in iter_partitions(root) for one in check(partition.path) if one.rule != "KF0008"
    ] == []
    return sorted(
        [partition.topic, partition.partition, record.offset]
        for partition in iter_partitions(root)
        for record in partition.records()
    )


@pytest.mark.parametrize(
    ("accident", "kill"), [("none", False), ("one dies", True), ("one fails", False), ("all fail", False)]
)
def test_what_executors_write_is_there_once_or_not_at_all(tmp_path: Path, accident: str, kill: bool) -> None:
    require_spark()
    root = tmp_path / "logs"
    said = found("local-cluster[2,1,1024]", WRITE, accident, str(root), kill=kill)
    if accident == "all fail":
        assert said == "failed" and os.listdir(root) == [".lock"]
    else:
        assert said == "written" and written(root) == expected()


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """A master and two workers on the loopback addresses; its address."""
    import pyspark

    home = Path(next(iter(pyspark.__path__)))
    port, *ports = free_ports(3)
    master = f"spark://127.0.0.1:{port}"
    start = [str(home / "bin" / "spark-class"), "org.apache.spark.deploy"]
    commands = [["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    # Two hosts, because nothing is begun a second time on the same one.
    commands += [
        ["worker.Worker", master, "--host", f"127.0.0.{number}", "--port", str(one), "--cores", "1", "--memory", "1g"]
        + ["--webui-port", "0", "--work-dir", str(folder / str(one))]
        for number, one in enumerate(ports, 2)
    ]
    running: list[subprocess.Popen[bytes]] = []
    try:
        for name, *rest in commands:
            with open(folder / f"{len(running)}.log", "wb") as log:
                process = subprocess.Popen(
                    [start[0], f"{start[1]}.{name}", *rest], stdout=log, stderr=log, env=environment()
                )
            running.append(process)
            time.sleep(3)
        yield master
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()


def test_a_standalone_master_with_two_workers(tmp_path: Path) -> None:
    """A task that hangs when it has written all its rows is begun again elsewhere: what both wrote is there once."""
    require_spark()
    speculation = {
        "spark.speculation": "true",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.minTaskRuntime": "1s",
    }
    root = tmp_path / "logs"
    with standalone(tmp_path) as master:
        assert found(master, settings=speculation) == expected()
        assert found(master, WRITE, "one hangs", str(root), settings=speculation) == "written"
    assert written(root) == expected()


JOB = """
import json, sys
from kformat.spark import session
from kformat.spark.jobs import converting, reindexing, running

master, _, _, folder, out = sys.argv[1:]
spark = session(master=master, quiet=True, settings={
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.executor.memory": "512m",
    "spark.speculation": "true", "spark.speculation.multiplier": "1.1", "spark.speculation.quantile": "0.1",
    "spark.speculation.interval": "50ms"})
running.LARGEST_TASK_BYTES = running._LEAST_TASK_BYTES = 1  # so that each segment has a task of its own
print("begins", flush=True)
written = converting.convert(spark, folder, out, includeHeaders="true")
print(json.dumps([len(written), reindexing.reindex(spark, folder).count()]), flush=True)
"""


def test_a_job_whose_executor_dies_leaves_each_file_once(tmp_path: Path) -> None:
    """With speculation, so that some tasks run twice at a time."""
    require_spark()
    from pyarrow import parquet

    disk = tmp_path / "disk"
    for partition in iter_partitions(LOGS):
        if not partition.topic.startswith("__"):
            shutil.copytree(partition.path, disk / partition.path.name)
    before = {path.relative_to(disk): path.read_bytes() for path in disk.rglob("*.log")}
    indexes = [*disk.rglob("*.index"), *disk.rglob("*.timeindex")]
    for path in indexes:
        path.unlink()
    written, remade = found("local-cluster[2,1,1024]", JOB, str(disk), str(tmp_path / "out"), kill=True)
    assert written > 10 and remade > 10
    files = sorted((tmp_path / "out").iterdir())
    assert all(path.suffix == ".parquet" for path in files)
    tables = [parquet.read_table(path, columns=["topic", "partition", "offset"]) for path in files]
    rows = sorted([list(row.values()) for table in tables for row in table.to_pylist()])
    assert rows == expected()
    assert {path.relative_to(disk): path.read_bytes() for path in disk.rglob("*.log")} == before
    assert len([*disk.rglob("*.index"), *disk.rglob("*.timeindex")]) >= len(indexes)
    assert not [path for path in disk.rglob("*") if path.suffix == ".tmp"]
    assert [found.rule for found in check(disk) if found.severity == "error"] == []
