"""`read`: the source as a function, with its options in Python's form.

It is ``spark.read.format("kformat")`` and nothing else, although `mapInArrow` over the same plan passes rows to Spark
about a fifth faster: so there is one way to read rows, with filters, and with later features of Spark's sources.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kformat.spark.connect import check_version
from kformat.spark.declared import DECLARATION, is_declared, parse_declared
from kformat.spark.jobs.asking import source_options
from kformat.spark.options import parse_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read(spark: SparkSession, paths: str | Sequence[str], **options: Any) -> DataFrame:
    """Segments, or the rows of declared files, as a DataFrame.

    Args:
        paths: what `load` takes; every worker has to see them.
        options: those of the source in snake_case: ``rows="batches"``, ``subscribe=["orders"]``,
            ``starting_offsets={"orders": {"0": 23}}``, ``include_headers=True``; ``declaration="x.ksy"`` and
            ``row="frames"`` for files of any declared format.

    Raises:
        UsageError: a wrong option, at once. What the plan and the tasks raise comes as Spark's own errors.
        FileNotFoundError: a path leads nowhere.
    """
    check_version(spark.version)
    words = source_options(paths, options)
    # Absolute: the planner may run in another folder.
    there = parse_declared(words).paths if is_declared(words) else parse_options(words).paths
    if DECLARATION in words and os.path.exists(words[DECLARATION]):
        words[DECLARATION] = os.path.abspath(words[DECLARATION])
    return spark.read.format("kformat").options(**{**words, "paths": json.dumps(there)}).load()
