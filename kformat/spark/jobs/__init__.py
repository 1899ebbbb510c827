"""The jobs: kformat's work with files, done by Spark's tasks, with the same outcome as on one machine.

    running      pieces of work -> tasks -> results; progress
    asking       options of the source, in Python's form
    checking     `check`: findings as rows
    reindexing   `reindex`: indexes rebuilt
    converting   `to_parquet`: segments as Parquet files
    counting     `stats`: numbers about partitions
    making       `corpus` and `bulk`: test data
    reading      `read`: the source as a function
    salvaging    `salvage`: damaged partitions saved as far as their data can be proved
    writing      `write`: the sink as a function, with rows sorted first

Each takes a session first (`write` a DataFrame), and paths that every worker sees.
"""

from kformat.corpus.bulk import Bulk
from kformat.reindex import Rules
from kformat.spark.jobs.checking import check
from kformat.spark.jobs.converting import to_parquet
from kformat.spark.jobs.counting import stats
from kformat.spark.jobs.making import bulk, corpus
from kformat.spark.jobs.reading import read
from kformat.spark.jobs.reindexing import reindex
from kformat.spark.jobs.running import Done, Progress
from kformat.spark.jobs.salvaging import salvage
from kformat.spark.jobs.writing import write

__all__ = [
    "Bulk",
    "Done",
    "Progress",
    "Rules",
    "bulk",
    "check",
    "corpus",
    "read",
    "reindex",
    "salvage",
    "stats",
    "to_parquet",
    "write",
]
