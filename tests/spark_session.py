"""The Spark session that the tests of a process share: small, quiet, with two workers."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    require_spark()
    started = session(
        "kformat tests",
        master="local[2]",
        settings={
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        },
    )
    yield started
    started.stop()
