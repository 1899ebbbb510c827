"""Make a Spark session for kformat: find or make a Java, set the settings that matter, and say what was done.

Nothing here is needed to read segments: a session made elsewhere works as well. It does what every user would otherwise
have to find out: Spark needs a suitable Java, runs its Python workers with any ``python3`` on the PATH, and has
defaults that cost a third of the throughput.
"""

from __future__ import annotations

import importlib
import os
import site
import socket
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from kformat.errors import MissingDependencyError, UsageError
from kformat.spark.connect import check_version, is_connect
from kformat.spark.java import prepare_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS: Mapping[str, str] = {
    # Over TCP every Python task waits some 40 ms for its first bytes. Since Spark 4.1; unknown before, and harmless.
    "spark.python.unix.domain.socket.enabled": "true",
    # With a smaller value, Spark adds up a batch's size again for every row that goes to Python.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
}
"""The settings of ``session``, unless the caller has others. ``docs/spark.md`` has the reasons with figures."""
_CONNECT_PORT: Final = 15002
_ANSWER_S: Final = 20.0


def session(
    app_name: str = "kformat",
    *,
    master: str | None = None,
    remote: str | None = None,
    settings: Mapping[str, str] | None = None,
    artifact: str | os.PathLike[str] | None = None,
    quiet: bool = False,
) -> SparkSession:
    """A Spark session with a working Java and kformat's settings; prints what was done on standard error.

    A session that runs already is returned unchanged, without any setting. Under ``spark-submit`` Java, and everything
    else that is decided before a JVM starts, is left alone. Over Connect no Java is needed here, and only the settings
    of the session (``spark.sql...``) are made.

    Args:
        app_name: the name that Spark's pages show.
        master: ``"local[*]"``, ``"spark://host:7077"``...; None leaves it to Spark's own configuration, which says
            ``local[*]`` unless it was changed. ``"sc://host:15002"`` is as ``remote``.
        remote: where a server of Spark Connect is; by default what SPARK_REMOTE says, if there is no ``master``.
        settings: Spark settings to add to, or to put in place of, ``SETTINGS``.
        artifact: an archive of ``kformat spark artifact``, for workers that do not have kformat.
        quiet: say nothing.

    Raises:
        MissingDependencyError: PySpark, or what it needs for Connect, is not installed, or (NoJavaError) there is no
            Java that it runs on.
        UsageError: PySpark is older than 4.0; both a master and a server are named; over Connect: the workers have no
            kformat, or another version of it.
        OSError: there is no server.
    """
    version = _pyspark_version()
    say = (lambda text: None) if quiet else (lambda text: print(f"kformat.spark: {text}", file=sys.stderr))
    if master is not None and master.startswith("sc://"):
        master, remote = None, remote or master
    if remote is not None and master is not None:
        raise UsageError(f"master {master} and remote {remote}: a session has one of them")
    if remote is None and master is None:
        remote = os.environ.get("SPARK_REMOTE")
    made = _running()
    if made is not None:
        say("the session that runs already, as it is")
    elif remote is not None:
        made = _connected(app_name, remote, settings or {}, say)
    else:
        made = _started(app_name, master, settings or {}, version, say)
    if artifact is not None:
        importlib.import_module("kformat.spark.artifact").give(made, artifact)
    over_connect = is_connect(made)
    if over_connect:
        say(importlib.import_module("kformat.spark.jobs.running").about_workers(made))
    if over_connect or not _workers_find_the_format():
        _register(made)
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    say(f"Spark {made.version}, {python}, {remote or 'Connect' if over_connect else made.sparkContext.master}")
    return made


def _pyspark_version() -> tuple[int, int]:
    try:
        import pyspark
    except ModuleNotFoundError as error:
        raise MissingDependencyError("pyspark", "spark") from error
    major, minor = map(int, pyspark.__version__.split(".")[:2])
    check_version(pyspark.__version__)
    return major, minor


def _running() -> SparkSession | None:
    """The session of this process, if there is one."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except (PySparkException, AssertionError):
        return None


def _connected(app_name: str, remote: str, settings: Mapping[str, str], say: Callable[[str], object]) -> SparkSession:
    """A new session over Connect."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    _refuse_nobody(remote)
    try:
        builder = SparkSession.builder.remote(remote).appName(app_name)
        made: SparkSession = builder.create()
    except ImportError as error:
        raise MissingDependencyError("grpcio", "connect") from error
    except PySparkException as error:
        raise OSError(f"no session at {remote}: {str(error).strip().splitlines()[0]}") from error
    chosen = {**{key: value for key, value in SETTINGS.items() if key.startswith("spark.sql.")}, **settings}
    for key, value in chosen.items():
        try:
            made.conf.set(key, value)
        except PySparkException as error:
            raise UsageError(f"{key}={value}: {str(error).strip().splitlines()[0]}") from error
    say("settings " + ", ".join(f"{key}={value}" for key, value in chosen.items()))
    return made


def _refuse_nobody(remote: str) -> None:
    """Raise OSError at once if no server answers: Spark tries for ten minutes. UsageError for an invalid URL."""
    parts = urlsplit(remote)
    try:
        host, port = parts.hostname, parts.port or _CONNECT_PORT
    except ValueError as error:
        raise UsageError(f"{remote}: {error}") from None
    if parts.scheme != "sc" or not host:
        raise UsageError(f"{remote}: the URL of a server of Spark Connect is as sc://host:{_CONNECT_PORT}")
    try:
        socket.create_connection((host, port), _ANSWER_S).close()
    except OSError as error:
        raise OSError(error.errno, f"no server of Spark Connect answers: {error.strerror or error}", remote) from error


def _started(
    app_name: str,
    master: str | None,
    settings: Mapping[str, str],
    version: tuple[int, int],
    say: Callable[[str], object],
) -> SparkSession:
    """A new session with a JVM of its own, or that of ``spark-submit``."""
    import pyspark
    from pyspark.sql import SparkSession

    if "PYSPARK_GATEWAY_PORT" in os.environ or pyspark.SparkContext._gateway is not None:
        say("the JVM that runs already")
    else:
        say(prepare_java(os.environ, version))
        if master is None or master.startswith("local"):
            # Spark would start its workers with the first python3 of the PATH, which need not be this one.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        if master is not None and master.startswith("local"):
            # The own name of many containers does not resolve; this address always works.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    chosen = dict(SETTINGS)
    if not sys.stderr.isatty():
        # Spark draws its progress bar also into files and pipes.
        chosen["spark.ui.showConsoleProgress"] = "false"
    chosen.update(settings)
    builder = SparkSession.builder.appName(app_name)
    if master is not None:
        builder = builder.master(master)
    for key, value in chosen.items():
        builder = builder.config(key, value)
    made: SparkSession = builder.getOrCreate()
    say("settings " + ", ".join(f"{key}={value}" for key, value in chosen.items()))
    return made


def _register(spark: SparkSession) -> None:
    from pyspark.errors import AnalysisException

    try:
        spark.dataSource.register(importlib.import_module("kformat.spark.source").KformatDataSource)
    except AnalysisException as error:  # Spark 4.0 refuses a second registration, even of the same source
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise


def _workers_find_the_format() -> bool:
    """Whether Spark finds ``pyspark_kformat`` by itself: in a folder of its workers' path.

    These are the folders of installed packages and those in PYTHONPATH, not folders that this process added to its own
    path. An editable installation has the module in none of them.
    """
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    folders = [*site.getsitepackages(), site.getusersitepackages(), *named]
    return any(os.path.isfile(os.path.join(folder, "pyspark_kformat", "__init__.py")) for folder in folders)
