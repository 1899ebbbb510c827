"""Run by `tests.judges.spark_kafka.read` in its environment: reads come in as JSON, and leave as Parquet files."""

from __future__ import annotations

import json
import sys

from kformat.spark import session
from tests.judges.spark_kafka import settings


def main() -> None:
    import pyarrow.parquet as parquet

    quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.sql.session.timeZone": "UTC"}
    spark = session("judge", master="local[2]", settings={**quiet, **settings()}, quiet=True)
    for asked in json.load(sys.stdin):
        frame = spark.read.format(asked["format"]).options(**asked["options"]).load(asked["path"])
        parquet.write_table(frame.toArrow().sort_by([(name, "ascending") for name in ORDER]), asked["to"])
    spark.stop()


ORDER = ("topic", "partition", "offset")

if __name__ == "__main__":
    main()
