"""The jobs: what kformat does with files on one machine, done by Spark's tasks, with the same outcome.

    running    pieces of work -> tasks -> results; progress
    checking   `check`: findings as rows

Each takes a session first, and paths that every worker sees.
"""

from kformat.spark.jobs.checking import check, findings
from kformat.spark.jobs.running import Done, Progress

__all__ = ["Done", "Progress", "check", "findings"]
