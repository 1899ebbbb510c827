"""The jobs in a real Spark: each does what its single-machine command does, file for file; retried and killed, too.

What a task does is a plain function, and shown without Spark where that is possible. One session for all of it.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kformat import corpus
from kformat.errors import UsageError
from kformat.spark import jobs
from kformat.spark.jobs import running
from kformat.validation import check
from tests.samples import ROOT as SAMPLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = SAMPLES / "4.3.1"


# Running


def test_neighbours_share_a_task_while_they_are_small() -> None:
    opening = running._OPENING_BYTES
    sizes = [100, 200, 10 * opening, 1, 1]
    tasks = list(running._packed("abcde", sizes, 4 * opening))
    assert tasks == [(["a", "b"], 300), (["c"], 10 * opening), (["d", "e"], 2)]
    assert list(running._packed("ab", [0, 0], 1)) == [(["a"], 0), (["b"], 0)]


def test_tasks_are_no_smaller_than_they_have_to_be_for_all_cores() -> None:
    assert running._task_bytes(1 << 40, 2) == running.LARGEST_TASK_BYTES
    assert running._task_bytes(1 << 20, 2) == 4 << 20
    assert running._task_bytes(1 << 30, 16) == 1 << 24


def doubled(number: int) -> int:
    if number == 13:
        raise UsageError("13 is not doubled")
    if number == 14:
        raise FileNotFoundError(2, "gone", "14")
    return number * 2


@pytest.mark.spark
def test_results_come_in_order_and_errors_as_they_were_raised(spark: SparkSession) -> None:
    told: list[jobs.Done] = []
    size = 64 << 20  # so that each has a task of its own
    results = running.run(spark, range(6), doubled, sizes=[size] * 6, title="doubling", progress=told.append)
    assert results == [0, 2, 4, 6, 8, 10]
    assert all(done.of_tasks == 6 and done.size_bytes == done.tasks * size for done in told)
    with pytest.raises(UsageError, match="13 is not doubled"):
        running.run(spark, [12, 13, 14], doubled, sizes=[1, 1, 1], title="doubling")
    with pytest.raises(FileNotFoundError, match="gone"):
        running.run(spark, [14], doubled, sizes=[1], title="doubling")
    assert running.run(spark, [], doubled, sizes=[], title="nothing") == []
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


# check


def as_rows(path: Path | list[Path], **how: Any) -> list[dict[str, Any]]:
    """Findings of the single-machine check as a DataFrame has them."""
    found = [asdict(finding) for finding in check(path, **how)]
    for row in found:
        for name in ("expected", "found"):
            row[name] = None if row[name] is None else str(row[name])
    return found


@pytest.mark.spark
def test_check_finds_what_the_command_finds(spark: SparkSession, tmp_path: Path) -> None:
    corpus.write_corpus(tmp_path / "damaged", seed=2, damage=True, only=("transaction",))
    every: list[tuple[Path, dict[str, Any]]] = [(tmp_path / "damaged", {}), (LOGS, {"ignore": ["KF0010"]})]
    for path, how in every:
        frame = jobs.check(spark, str(path), **how)
        assert dict(frame.dtypes) == jobs.checking.COLUMNS
        rows = [row.asDict() for row in frame.collect()]
        assert rows == as_rows(path, **how)
        assert len(rows) > 20
    assert jobs.check(spark, [str(LOGS / "plain-0")], records=False).collect() == []
    with pytest.raises(UsageError, match="no rule 'KF9'"):
        jobs.check(spark, str(LOGS), ignore=["KF9"])
    with pytest.raises(FileNotFoundError):
        jobs.check(spark, str(tmp_path / "missing"))
