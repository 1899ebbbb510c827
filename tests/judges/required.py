"""What happens when a judge, or another thing that tests need, is missing: a skip that names it, or in CI a failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from tests.judges import jars, spark_kafka

# What was asked for and not there, for the summary at the end of a run.
missing: set[str] = set()

MARKS = ("judge", "broker", "spark")
# The test that runs now.
running: pytest.Item | None = None

SWITCHES = ("CI", "KFORMAT_REQUIRE_JUDGES")
IS_FAILURE = any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in SWITCHES)
"""Whether what is missing fails a test: one of these variables is set to something that is not empty, 0 or false."""


def require(name: str) -> Path:
    """The directory of a judge: of the jars of a Kafka version, `tiered-4.3.1` or `kaitai-0.11`, or of
    `spark-4.2.0`.

    Where it was not fetched, or there is no JDK, see `is_missing`. A test that asks for one has one of `MARKS`, because
    runs without judges leave such tests out: without a mark it fails, whether the judge is there or not.
    """
    if running is not None and not any(running.get_closest_marker(mark) for mark in MARKS):
        pytest.fail(f"{running.nodeid} asks for a judge and has none of the marks {', '.join(MARKS)}", pytrace=False)
    reason = why_missing(name)
    if reason is None:
        return spark_kafka.directory() if name == spark_kafka.NAME else jars.directory(name)
    is_missing(reason)


def is_missing(reason: str) -> NoReturn:
    """Skip the test for this reason and note it for the end of the run; where `IS_FAILURE`, fail it."""
    missing.add(reason)
    if IS_FAILURE:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def why_missing(name: str) -> str | None:
    """Why a judge cannot be asked here; None where it can."""
    judge = name if name.startswith(("kaitai", "spark", jars.TIERED)) else f"Kafka {name}"
    for tool in ("java", "javac"):
        if shutil.which(tool) is None:
            return f"judge missing: {judge} needs a JDK, and there is no `{tool}` here"
    if not (spark_kafka.is_complete() if name == spark_kafka.NAME else jars.is_complete(name)):
        return f"judge missing: {judge} (`make judges` fetches it)"
    return None
