"""The Spark session that the tests of a process share: small, quiet, with two workers."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kformat.spark import session
from tests.judges.required import is_missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def require_spark() -> None:
    """Skip by name where the extra is not installed; where judges are required that is a failure."""
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if importlib.util.find_spec(name) is None]
    if missing:
        is_missing(f"{', '.join(missing)} (extra spark) not installed")


@contextmanager
def without_archive(home: Path) -> Iterator[None]:
    """Have what is started meanwhile find an installation of Spark in a folder that is PySpark's without its archive.

    Every process in Python that Spark starts would read PySpark's sources from that archive, and compile them, for
    0.6 s of CPU; without it, it finds the one that is installed. In these tests it starts more than a hundred.
    """
    (installed,) = importlib.import_module("pyspark").__path__
    for path in Path(installed).iterdir():
        if path.name != "python":
            (home / path.name).symlink_to(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", os.environ.get("SPARK_HOME", str(home)))
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    require_spark()
    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "OFF",
        # For a few rows each, to compile a plan takes longer than to go through it.
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with without_archive(tmp_path_factory.mktemp("spark")):
        started = session("kformat tests", master="local[2]", settings=settings)
    yield started
    started.stop()
