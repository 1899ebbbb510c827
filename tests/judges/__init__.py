"""The judges: real Kafka (brokers, tools, classes), Spark's own Kafka source and the Kaitai Struct compiler, as tests
ask them.

Judges need a JVM and jars that `make judges` fetches. A test begins with `require(...)`: where the judge is missing it
is skipped by name, and in CI it fails. JVMs start slowly, so tests ask for many things at once (`dump_many`,
`read_batches`, `build_indexes`) rather than often.
"""

from tests.judges.broker import Broker, broker
from tests.judges.java_tools import (
    Indexes,
    Run,
    Script,
    Segment,
    build_indexes,
    dump,
    dump_many,
    play_logs,
    read_batches,
    read_values,
    run_many,
)
from tests.judges.kaitai import kaitai_compile

__all__ = [
    "Broker", "Indexes", "Run", "Script", "Segment", "broker", "build_indexes", "dump", "dump_many", "kaitai_compile",
    "play_logs", "read_batches", "read_values", "run_many",
]  # fmt: skip
