"""Segment directories in Spark, through PySpark's Python Data Source API (extra ``spark``).

    options   the options of a read, as Spark has them  plain Python, independent of Spark
    tables    the kinds of rows and their columns       also independent
    plan      directories -> tasks of splits            also independent
    tail      partitions that grow: ends, limits        also independent
    scan      one split, wanted columns -> Arrow        the only place that decodes
    source    ``format("kformat")``                     thin: schema, tasks, scan; streams; writers
    target    the options of a write                    plain Python, independent of Spark
    partitioner, rolling   rows -> whole segments       Arrow in, files out: the work of a task
    commit    segments -> logs                          plain Python: the work of the driver
    sink      ``df.write``, ``df.writeStream``          thin: tasks, commit, abort
    jobs      check, reindex, to_parquet and others     work inside the tasks, few rows out
    collecting   less garbage collection in workers     plain Python
    java      a Java, found or made
    session   a session with that Java and the settings that matter

Importing this package loads neither pyspark nor pyarrow.
"""

from kformat.spark.session import session

__all__ = ["session"]
