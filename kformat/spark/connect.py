"""The kind of a session, with a JVM of its own or over Spark Connect; and the version of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kformat.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_connect(spark: SparkSession) -> bool:
    """Whether a session reaches its cluster by Spark Connect, without a JVM of its own."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def check_version(version: str) -> None:
    """UsageError for a Spark without Python data sources."""
    if int(version.partition(".")[0]) < 4:
        raise UsageError(f"Spark {version} has no Python data sources: kformat needs PySpark 4.0 or later")


__all__ = ["check_version", "is_connect"]
