"""The source on more than one process: executors of their own, a standalone master, and an executor that dies.

Each cluster is a program of its own, because one process can have one of Spark's JVMs. What rows are is shown in
tests/test_spark.py; here, that each is there once whatever happens to the processes that read it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kformat.partition import iter_partitions
from tests.judges.broker import free_ports
from tests.samples import ROOT as SAMPLES
from tests.spark_session import require_spark
from tests.test_spark_plan import seen_by_a_consumer
from tools.documents import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TIMEOUT_S = 150
LOGS = SAMPLES / "4.3.1"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"

PROGRAM = """
import json, sys, time
from kformat.spark import session

master, folder, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
spark = session(master=master, quiet=True, settings={
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.executor.memory": "512m", **settings})

def slowly(batches):  # so that there is time to end an executor
    for batch in batches:
        time.sleep(0.2)
        yield batch

frame = spark.read.format("kformat").option("splitBytes", "100k").load(folder).select("topic", "partition", "offset")
print("begins", flush=True)
rows = frame.mapInArrow(slowly, frame.schema).collect()
print(json.dumps(sorted(map(list, rows))))
"""


def expected() -> list[list[Any]]:
    return sorted(
        [partition.topic, partition.partition, record.offset]
        for partition in iter_partitions(LOGS)
        if not partition.topic.startswith("__")
        for record in seen_by_a_consumer(partition)
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


def found(master: str, kill: bool = False, **settings: Any) -> list[list[Any]]:
    """The rows that a driver gets; meanwhile an executor of its is ended, where that is asked for."""
    command = [sys.executable, "-c", PROGRAM, master, str(LOGS), json.dumps(settings)]
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
    rows: list[list[Any]] = json.loads(out.splitlines()[-1])
    return rows


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


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """A master and two workers on the loopback addresses; its address."""
    import pyspark

    home = Path(next(iter(pyspark.__path__)))
    port, *ports = free_ports(3)
    master = f"spark://127.0.0.1:{port}"
    start = [str(home / "bin" / "spark-class"), "org.apache.spark.deploy"]
    commands = [["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    commands += [
        ["worker.Worker", master, "--host", "127.0.0.1", "--port", str(one), "--cores", "1", "--memory", "1g"]
        + ["--webui-port", "0", "--work-dir", str(folder / str(one))]
        for one in ports
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
    require_spark()
    speculation: dict[str, Any] = {"spark.speculation": "true", "spark.speculation.multiplier": "1.1"}
    with standalone(tmp_path) as master:
        assert found(master, **speculation) == expected()
