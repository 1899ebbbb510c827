"""A Spark session that is ready for kformat: a Java is found or made, the settings that matter are set, both are said.

Nothing here is needed to read segments: a session made elsewhere works as well. What it does is what every user would
have to find out: Spark dies without a Java it likes, runs its Python workers with whatever ``python3`` is on the PATH,
and has defaults that cost a third of the throughput.
"""

from __future__ import annotations

import importlib
import os
import site
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kformat.errors import MissingDependencyError, UsageError
from kformat.spark.java import prepare_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS: Mapping[str, str] = {
    # Over TCP every Python task waits some 40 ms for its first bytes. Since Spark 4.1; unknown before, and harmless.
    "spark.python.unix.domain.socket.enabled": "true",
    # Any smaller value makes Spark add up a batch's size again for every row that goes to Python.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
}
"""What ``session`` sets unless the caller says otherwise. ``docs/spark.md`` has the reasons with figures."""


def session(
    app_name: str = "kformat",
    *,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    quiet: bool = False,
) -> SparkSession:
    """A Spark session with a working Java and kformat's settings; what was done is said on standard error.

    Where a session runs already it is returned, and so it is under ``spark-submit``: Java, and everything else that
    is decided before a JVM starts, is then left alone.

    Args:
        app_name: the name that Spark's pages show.
        master: ``"local[*]"``, ``"spark://host:7077"``...; None leaves it to Spark's own configuration, which says
            ``local[*]`` unless it was changed.
        settings: Spark settings to add to, or to put in place of, ``SETTINGS``.
        quiet: say nothing.

    Raises:
        MissingDependencyError: PySpark is not installed, or (NoJavaError) there is no Java that it runs on.
        UsageError: PySpark is older than 4.0.
    """
    try:
        import pyspark
        from pyspark.errors import AnalysisException
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pyspark", "spark") from error
    major, minor = map(int, pyspark.__version__.split(".")[:2])
    if major < 4:
        raise UsageError(f"Spark {pyspark.__version__} has no Python data sources: kformat needs PySpark 4.0 or later")

    if "PYSPARK_GATEWAY_PORT" in os.environ or pyspark.SparkContext._gateway is not None:
        told = "the JVM that runs already"
    else:
        told = prepare_java(os.environ, (major, minor))
        if master is None or master.startswith("local"):
            # Spark would start its workers with the first python3 of the PATH, which need not be this one.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if master is not None and master.startswith("local"):
            # A machine whose own name does not resolve, as in many containers, can talk to itself all the same.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    say = (lambda text: None) if quiet else (lambda text: print(f"kformat.spark: {text}", file=sys.stderr))
    say(told)
    chosen = dict(SETTINGS)
    if not sys.stderr.isatty():
        # Spark draws its bar wherever it is sent.
        chosen["spark.ui.showConsoleProgress"] = "false"
    chosen.update(settings or {})
    builder = SparkSession.builder.appName(app_name)
    if master is not None:
        builder = builder.master(master)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    made: SparkSession = builder.getOrCreate()
    if not _workers_find_the_format():
        try:
            made.dataSource.register(importlib.import_module("kformat.spark.source").KformatDataSource)
        except AnalysisException as error:  # Spark 4.0 takes no second one, not even the same
            if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
                raise
    say(f"Spark {made.version}, Python {sys.version_info.major}.{sys.version_info.minor}, {made.sparkContext.master}")
    say("settings " + ", ".join(f"{key}={value}" for key, value in chosen.items()))
    return made


def _workers_find_the_format() -> bool:
    """Whether Spark finds ``pyspark_kformat`` by itself: in a folder of its workers' path.

    That is what is installed and what PYTHONPATH names, not what this process did to its own path; and an editable
    installation has the module in no folder of the path at all.
    """
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    folders = [*site.getsitepackages(), site.getusersitepackages(), *named]
    return any(os.path.isfile(os.path.join(folder, "pyspark_kformat", "__init__.py")) for folder in folders)
