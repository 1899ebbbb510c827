"""Segment directories in Spark, through PySpark's Python Data Source API (extra ``spark``).

    plan      directories -> splits                     plain Python, knows nothing of Spark
    scan      one split, wanted columns -> Arrow        the only place that decodes
    source    ``spark.read.format("kformat")``          thin: options, schema, splits, scan
    java      a Java, found or made
    session   a session with that Java and the settings that matter

Importing this package loads neither pyspark nor pyarrow.
"""

from kformat.spark.session import session

__all__ = ["session"]
