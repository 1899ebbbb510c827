"""Source, sink and jobs on several processes: a standalone master, two workers, and executors that die.

The tests share one cluster and one driver. That is a program of its own, as one process can have one of Spark's JVMs;
it does what lines of JSON ask it for. Tasks that are slow run a second time, elsewhere (speculation). What rows are is
shown in tests/spark/test_scan.py; here, that each is there once whatever happens to the processes that read and write
it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kformat
from kformat.check.checker import check
from kformat.kafka.log.partition import iter_partitions
from tests.judges.broker import free_ports
from tests.samples import ROOT as SAMPLES
from tests.spark.test_plan import seen_by_a_consumer
from tests.spark_session import require_spark, without_archive
from tools.documents import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.long]

TIMEOUT_S = 300
LOGS = SAMPLES / "4.3.1"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

DRIVER = """
import json, os, signal, sys, time
from pyspark import TaskContext
from kformat.spark import session
from kformat.spark import jobs
from kformat.spark.jobs import converting, reindexing, running, write

master, folder, java = sys.argv[1:]
spark = session(master=master, quiet=True, settings={
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": java, "spark.executor.extraJavaOptions": java,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.codegen.wholeStage": "false",
    "spark.speculation": "true", "spark.speculation.multiplier": "1.1", "spark.speculation.quantile": "0.1",
    "spark.speculation.interval": "50ms"})
running.LARGEST_TASK_BYTES = running._LEAST_TASK_BYTES = 1  # so that each segment has a task of its own

def parent(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])

def with_an_accident(accident):
    def through(batches):
        context = TaskContext.get()
        first = context.partitionId() == 1 and context.attemptNumber() == 0
        for batch in batches:
            time.sleep(0.05)
            yield batch
            if first and accident == "one dies":
                os.kill(parent(os.getppid()), signal.SIGKILL)  # the executor, above the daemon of its Python workers
        if accident == "all fail" and context.partitionId() == 1 or first and accident == "one fails":
            raise RuntimeError("an accident after the last row")
        if first and accident == "one hangs":
            time.sleep(3600)
    return through

def rows(accident):
    frame = spark.read.format("kformat").option("splitBytes", "100k").load(folder)
    return frame.mapInArrow(with_an_accident(accident), frame.schema)

def read(accident):
    return sorted(map(list, rows(accident).select("topic", "partition", "offset").collect()))

def written(accident, out):
    try:
        write(rows(accident), out, assume_sorted=True)
    except Exception as error:
        assert "an accident after the last row" in str(error), error
        return False
    return True

def converted(disk, out):
    return len(converting.convert(spark, disk, out, includeHeaders="true"))

def reindexed(disk):
    return reindexing.reindex(spark, disk).count()

def declared(paths):
    frame = jobs.read(spark, paths, declaration="time_index", columns=["_file", "_index", "timestamp"], split_bytes=40)
    return [list(row) for row in frame.collect()]

print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    name, *arguments = json.loads(line)
    print(json.dumps(globals()[name](*arguments)), flush=True)
"""


class Cluster:
    """A master, two workers, and a driver that is asked for one thing at a time."""

    def __init__(self, driver: subprocess.Popen[str], workers: list[int]) -> None:
        self._driver = driver
        self._workers = workers

    def begin(self, *request: object) -> None:
        assert self._driver.stdin is not None
        self._driver.stdin.write(json.dumps(request) + "\n")
        self._driver.stdin.flush()

    def answer(self) -> Any:
        """Of what was asked for last. A driver that says nothing is ended, and says nothing more."""
        assert self._driver.stdout is not None
        with ended_late(self._driver):
            line = self._driver.stdout.readline()
        assert line, "the driver failed"
        return json.loads(line)

    def ask(self, *request: object) -> Any:
        self.begin(*request)
        return self.answer()

    def executors(self) -> set[int]:
        """Process ids of the executors that run now."""
        listed = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
        processes = re.findall(r"(\d+) +(\d+) (.*)", listed.stdout)
        return {int(pid) for pid, parent, rest in processes if EXECUTOR in rest and int(parent) in self._workers}

    def all_executors(self) -> set[int]:
        """Their process ids, when each worker has one: it starts while the driver is asked for its first thing."""
        deadline = time.monotonic() + TIMEOUT_S
        while len(running := self.executors()) < len(self._workers):
            assert time.monotonic() < deadline, f"{len(running)} executors"
            time.sleep(0.1)
        return running


@contextmanager
def ended_late(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kill a process that is still silent after TIMEOUT_S."""
    timer = threading.Timer(TIMEOUT_S, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    require_spark()
    folder = tmp_path_factory.mktemp("cluster")
    port, *ports = free_ports(3)
    master = f"spark://127.0.0.1:{port}"
    commands = [["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    # Two hosts, because Spark runs no second copy of a task on the host of the first.
    commands += [
        ["worker.Worker", master, "--host", f"127.0.0.{number}", "--port", str(one), "--cores", "1", "--memory", "1g"]
        + ["--webui-port", "0", "--work-dir", str(folder / str(one))]
        for number, one in enumerate(ports, 2)
    ]
    (folder / "spark").mkdir()
    running: list[subprocess.Popen[Any]] = []
    with without_archive(folder / "spark"):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
        }
        start = str(Path(environment["SPARK_HOME"]) / "bin" / "spark-class")
        try:
            for name, *rest in commands:
                with open(folder / f"{len(running)}.log", "wb") as log:
                    command = [start, f"org.apache.spark.deploy.{name}", *rest]
                    running.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment))
            driver = subprocess.Popen(
                [sys.executable, "-c", DRIVER, master, str(LOGS), QUICK_START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                text=True,
            )
            running.append(driver)
            made = Cluster(driver, [process.pid for process in running[1:3]])
            made.answer()
            yield made
            assert driver.stdin is not None
            driver.stdin.close()
            driver.wait(TIMEOUT_S)
        finally:
            for process in reversed(running):
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def expected() -> list[list[Any]]:
    return sorted(
        [partition.topic, partition.partition, record.offset]
        for partition in iter_partitions(LOGS)
        if not partition.topic.startswith("__")
        for record in seen_by_a_consumer(partition)
    )


def written(root: Path) -> list[list[Any]]:
    """What was written; nothing else may be left in the root."""
    assert [name for name in os.listdir(root) if name.endswith("-delete")] == []
    assert [
        str(one) for partition in iter_partitions(root) for one in check(partition.path) if one.rule != "KF0008"
    ] == []
    return sorted(
        [partition.topic, partition.partition, record.offset]
        for partition in iter_partitions(root)
        for record in partition.records()
    )


@pytest.mark.parametrize("accident", [pytest.param("none", marks=pytest.mark.slow), "one dies"])
def test_executors_read_each_record_once(cluster: Cluster, accident: str, expected: list[list[Any]]) -> None:
    before = cluster.all_executors()
    assert cluster.ask("read", accident) == expected
    assert (before <= cluster.executors()) == (accident != "one dies")


# What hangs after it has written all its rows runs a second time elsewhere: what both wrote is there once.
@pytest.mark.parametrize("accident", ["none", "one dies", "one fails", "one hangs", "all fail"])
def test_what_executors_write_is_there_once_or_not_at_all(
    cluster: Cluster, tmp_path: Path, accident: str, expected: list[list[Any]]
) -> None:
    root, before = tmp_path / "logs", cluster.all_executors()
    succeeds = cluster.ask("written", accident, str(root))
    assert succeeds == (accident != "all fail") and (before <= cluster.executors()) == (accident != "one dies")
    if succeeds:
        assert written(root) == expected
    else:
        assert os.listdir(root) == [".lock"]


def test_declared_rows_are_those_of_scan(cluster: Cluster) -> None:
    paths = sorted(map(str, LOGS.glob("*/*.timeindex")))
    columns = ["_file", "_index", "timestamp"]
    found = cluster.ask("declared", paths)
    assert found == [
        list(row.values()) for row in kformat.scan(paths, "time_index", columns=columns).to_arrow().to_pylist()
    ]


def kill_at_work(cluster: Cluster, folder: Path, names: str) -> None:
    """Kill an executor when the first file is there."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        if any(folder.rglob(names)) and (executors := cluster.executors()):
            os.kill(executors.pop(), signal.SIGKILL)
            return
        time.sleep(0.05)
    raise AssertionError("no executor works")


def test_a_job_whose_executor_dies_leaves_each_file_once(
    cluster: Cluster, tmp_path: Path, expected: list[list[Any]]
) -> None:
    from pyarrow import parquet

    disk, out = tmp_path / "disk", tmp_path / "out"
    for partition in iter_partitions(LOGS):
        if not partition.topic.startswith("__"):
            shutil.copytree(partition.path, disk / partition.path.name)
    before = {path.relative_to(disk): path.read_bytes() for path in disk.rglob("*.log")}
    indexes = [*disk.rglob("*.index"), *disk.rglob("*.timeindex")]
    for path in indexes:
        path.unlink()

    cluster.begin("converted", str(disk), str(out))
    kill_at_work(cluster, out, "*")
    assert cluster.answer() > 10
    files = sorted(out.iterdir())
    assert all(path.suffix == ".parquet" for path in files)
    tables = [parquet.read_table(path, columns=["topic", "partition", "offset"]) for path in files]
    rows = sorted([list(row.values()) for table in tables for row in table.to_pylist()])
    assert rows == expected

    cluster.begin("reindexed", str(disk))
    kill_at_work(cluster, disk, "*.index")
    assert cluster.answer() > 10
    assert {path.relative_to(disk): path.read_bytes() for path in disk.rglob("*.log")} == before
    assert len([*disk.rglob("*.index"), *disk.rglob("*.timeindex")]) >= len(indexes)
    assert not [path for path in disk.rglob("*") if path.suffix == ".tmp"]
    assert [found.rule for found in check(disk) if found.severity == "error"] == []
