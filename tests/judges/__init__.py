"""The judges: real Kafka (brokers, tools, classes) and the Kaitai Struct compiler, as tests ask them.

Judges need a JVM and jars that `make judges` fetches. A test begins with `require(...)`: where the judge is missing it
is skipped by name, and in CI it fails.
"""

from tests.judges.broker import Broker, broker
from tests.judges.java_tools import Run, dump, dump_many

__all__ = ["Broker", "Run", "broker", "dump", "dump_many"]
