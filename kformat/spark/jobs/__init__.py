"""The jobs: what kformat does with files on one machine, done by Spark's tasks, with the same outcome.

    running      pieces of work -> tasks -> results; progress
    checking     `check`: findings as rows
    reindexing   `reindex`: indexes made anew

Each takes a session first, and paths that every worker sees.
"""

from kformat.reindexing import Rules
from kformat.spark.jobs.checking import check, findings
from kformat.spark.jobs.reindexing import reindex, remade
from kformat.spark.jobs.running import Done, Progress

__all__ = ["Done", "Progress", "Rules", "check", "findings", "reindex", "remade"]
