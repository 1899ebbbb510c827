"""Real brokers with tiered storage: Kafka's own LocalTieredStorage keeps remote segments in a folder.

That class lies in the `test` jar of kafka-storage; `python -m tests.judges.fetch tiered-4.3.1` fetches it. 4.4.0
publishes none: its brokers load that of 4.3.1, with our class of a name that 4.4.0 moved. A topic is tiered where it
was made with `TOPIC_CONFIG`. Segments of 1 MiB, Kafka's smallest from 4.0 on, leave for the remote
storage within seconds after they were rolled, and the local disk soon after.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.judges import jars, releases
from tests.judges.broker import Broker
from tests.judges.java_tools import compiled

TOPIC_CONFIG: Final = {"remote.storage.enable": "true", "segment.bytes": "1048576", "local.retention.bytes": "1"}
"""With this, only the active segment stays on the local disk."""


def judge(version: str) -> str:
    """What the judges call the jar that a broker of that release loads, for `tests.judges.required.require`."""
    return f"{jars.TIERED}{releases.TIERED[version]}"


class TieredBroker(Broker):
    """A broker (3.9 and newer) that can tier topics; everything else is as for `Broker`.

    Attributes:
        remote: what the remote storage keeps: a folder `TOPIC-PARTITION-TOPICID` of each tiered partition.
    """

    def __init__(
        self,
        version: str,
        directory: Path,
        config: Mapping[str, str] | None = None,
        lifetime_s: int = 900,
        is_fast: bool = False,
    ):
        self.remote = directory / "tiered" / "kafka-tiered-storage"
        classes = (f"{jars.directory(judge(version))}/*", str(compiled(version)))
        tiered = {
            "remote.log.storage.system.enable": "true",
            "remote.log.storage.manager.class.name": "org.apache.kafka.server.log.remote.storage.LocalTieredStorage",
            "remote.log.storage.manager.class.path": os.pathsep.join(classes),
            "remote.log.metadata.manager.listener.name": "PLAINTEXT",
            "rsm.config.dir": str(self.remote.parent),
            "rlmm.config.remote.log.metadata.topic.replication.factor": "1",
            "rlmm.config.remote.log.metadata.topic.num.partitions": "2",
            "remote.log.manager.task.interval.ms": "1000",
            "log.retention.check.interval.ms": "1500",
            "log.segment.delete.delay.ms": "3000",
        }
        super().__init__(version, directory, tiered | dict(config or {}), lifetime_s, is_fast)

    def remote_segments(self) -> dict[str, list[int]]:
        """The base offsets of the remote segments, ascending, by `TOPIC-PARTITION`."""
        # A topic id has 22 characters, a dash may be one of them.
        folders = sorted((path.name[:-23], path) for path in self.remote.glob("*"))
        return {name: sorted(int(log.name[:20]) for log in path.glob("*.log")) for name, path in folders}
