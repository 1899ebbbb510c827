"""Makes ``format("kformat")`` known to Spark: it imports every top-level module whose name begins with ``pyspark_``.

One such module that raises makes Spark forget all of them, so this one never does: without what kformat needs, the
format is unknown, and ``import kformat.spark.source`` says why.
"""

try:
    from kformat.spark.source import KformatDataSource as DefaultSource
except Exception:
    pass
else:
    __all__ = ["DefaultSource"]
