"""A JVM that lives in a cluster and says what the admin client says; and what we read from the broker's disk.

Tests hold one against the other (test_live_state), and `samples/internal.py` records both.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from kformat.kafka.log.partition import open_partition
from kformat.kafka.state.cluster import Disks
from kformat.kafka.state.groups import SHARE
from kformat.kafka.state.image import ClusterImage
from kformat.kafka.state.latest import NOW, Moment
from kformat.language.logical import uuid_text
from tests.judges import Broker, java_tools

CONFIG = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
    "share.coordinator.state.topic.num.partitions": "2",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.share.heartbeat.interval.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "1000",
    "group.consumer.heartbeat.interval.ms": "1000",
    "group.consumer.min.heartbeat.interval.ms": "1000",
    "group.streams.initial.rebalance.delay.ms": "0",
}
_TOPIC, _BROKER = 2, 4


class Living:
    """A JVM that lives in a cluster (tests/judges/java/LiveState.java)."""

    def __init__(self, running: Broker, seed: int) -> None:
        command = ["java", *java_tools.JAVA_OPTIONS, "-cp", java_tools.class_path(running.version), "LiveState"]
        self._process = subprocess.Popen(
            [*command, running.bootstrap, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def step(self, actions: str = "go") -> dict[str, Any]:
        """Have it do these things, or what it likes; returns what the broker says then."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{actions}\n".encode())
        line = self._process.stdout.readline()
        assert line, "it ended; see what it says above"
        return dict(json.loads(line))

    def __enter__(self) -> Living:
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.kill()
        self._process.communicate()


def disk_state(data: Path, moment: Moment = NOW) -> dict[str, Any]:
    """What the disk says of a moment, as LiveState writes it; the ends of logs are those of now."""
    disks = Disks(map(open_partition, sorted(path for path in data.iterdir() if _is_partition(path))), moment)
    image = disks.image
    assert image is not None and not disks.problems and not image.unknown and not disks.groups.trouble.refused_count
    return {
        "topics": topics(disks, image),
        "groups": groups(disks, image),
        "features": image.features,
        "acls": sorted(
            " ".join(it if isinstance(it, str) else str(int(it)) for it in acl) for acl in image.acls.values()
        ),
        "quotas": {
            "{" + ", ".join(f"{kind}={'null' if name is None else name}" for kind, name in entity) + "}": limits
            for entity, limits in image.quotas.items()
        },
        "scram": {f"{user} {int(mechanism)}": count for (user, mechanism), count in image.scram.items()},
        "configs": {broker: image.config(_BROKER, broker) for broker in ("", "1")},
    }


def _is_partition(path: Path) -> bool:
    return path.is_dir() and not path.name.endswith(("-delete", "-stray", "-future"))


def topics(disks: Disks, image: ClusterImage) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in disks.topic_rows():
        if row["state"] not in ("present", "missing"):
            continue
        topic = found.setdefault(row["topic"], {"id": row["topic_id"], "configs": row["configs"], "partitions": []})
        one = [row["leader"], row["replicas"], row["isr"], row["elr"], row["log_end_offset"]]
        topic["partitions"].append(one)
    assert {uuid_text(id) for id in image.topics} == {topic["id"] for topic in found.values()}
    return found


def groups(disks: Disks, image: ClusterImage) -> dict[str, Any]:
    names = {topic.id: topic.name for topic in image.topics.values()}

    def partition(topic: str | bytes, number: int) -> str:
        return f"{names.get(topic, topic) if isinstance(topic, bytes) else topic}-{number}"

    return {
        group.name: {
            "kind": group.kind,
            "state": group.state,
            "members": {
                it.member_id: {
                    "client": it.client_id,
                    "host": it.client_host,
                    "assigned": sorted(
                        partition(topic, one) for topic, many in (it.assigned | it.tasks).items() for one in many
                    ),
                }
                for it in group.members.values()
            },
            "offsets": {
                partition(topic, number): [it.offset]
                if group.kind == SHARE
                else [it.offset, it.leader_epoch, it.metadata]
                for (topic, number), it in group.offsets.items()
                if isinstance(topic, str) or topic in names  # of a topic that is gone the broker says nothing
            },
        }
        for group in disks.groups.groups.values()
    }
