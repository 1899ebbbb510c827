"""A server of Spark Connect on the loopback address, for tests."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kformat.spark.java import prepare_java
from tests.judges.broker import free_ports

START_S = 120
CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
BARE = ("pyspark", "py4j", "pyarrow", "pandas", "numpy", "dateutil", "pytz", "six.py", "tzdata", "grpc", "google")
"""What the Python of a cluster has that knows nothing of kformat: beginnings of names of packages."""


@contextmanager
def connect_server(
    folder: Path, python: str = sys.executable, *, has_tree: bool = True, settings: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The URL of a server that runs in a folder, with workers of that Python; ``has_tree``: with this path."""
    pyspark = importlib.import_module("pyspark")
    (home,) = pyspark.__path__
    (port,) = free_ports(1)
    environment = dict(os.environ, PYSPARK_PYTHON=python, SPARK_LOCAL_IP="127.0.0.1", SPARK_NO_DAEMONIZE="1")
    major, minor = map(int, pyspark.__version__.split(".")[:2])
    prepare_java(environment, (major, minor))
    environment.pop("PYTHONPATH", None)
    if has_tree:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    chosen = {
        "spark.connect.grpc.binding.port": port,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": folder / "warehouse",
        **(settings or {}),
    }
    command = [f"{home}/bin/spark-submit", "--class", CLASS, "--name", "connect", "--master", "local[2]"]
    command += [word for name, value in chosen.items() for word in ("--conf", f"{name}={value}")]
    with open(folder / "server.log", "wb") as log:
        server = subprocess.Popen(
            [*command, "spark-internal"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait(server, port, folder / "server.log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"no server of Spark Connect: {log.read_text(errors='replace')[-2000:]}")


def bare_python(folder: Path) -> str:
    """A Python with what Spark needs, and without kformat."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (there,) = folder.glob("lib/python*/site-packages")
    here = Path(str(importlib.import_module("pyspark").__file__)).parent.parent
    for path in here.iterdir():
        if path.name.startswith(BARE) and "kformat" not in path.name:
            (there / path.name).symlink_to(path)
    return str(folder / "bin" / "python")
