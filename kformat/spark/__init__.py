"""Segment directories in Spark, through PySpark's Python Data Source API (extra ``spark``).

    options   what a user asked for, by Spark's words   plain Python, knows nothing of Spark
    tables    the kinds of rows and their columns       so, too
    plan      directories -> tasks of splits            so, too
    tail      partitions that grow: ends, limits        so, too
    scan      one split, wanted columns -> Arrow        the only place that decodes
    source    ``format("kformat")``                     thin: schema, tasks, scan; streams; writers
    target    what a user wants written                 plain Python, knows nothing of Spark
    partitioner, rolling   rows -> whole segments       Arrow in, files out: what a task does
    commit    segments -> logs                          plain Python: what the driver does
    sink      ``df.write``, ``df.writeStream``          thin: tasks, commit, abort
    jobs      check, reindex, to_parquet and others     work inside the tasks, few rows out
    collecting   what workers are spared                plain Python
    java      a Java, found or made
    session   a session with that Java and the settings that matter

Importing this package loads neither pyspark nor pyarrow.
"""

from kformat.spark.session import session

__all__ = ["session"]
