"""What a live broker's admin client says, and what we read from its disk at the same moment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kformat.kafka.log.partition import open_partition
from kformat.kafka.root import open_root
from kformat.kafka.state.cluster import Disks
from kformat.kafka.state.groups import SHARE
from kformat.kafka.state.image import ClusterImage
from kformat.language.logical import uuid_text
from tests.draws import IS_NIGHT, newest_by_day
from tests.dump.test_decoders import judge_topics
from tests.judges import Broker, java_tools
from tests.judges.required import require

pytestmark = [pytest.mark.judge, pytest.mark.broker]

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
}
CLEANING = {"log.cleaner.backoff.ms": "200", "log.cleaner.min.cleanable.ratio": "0.01", "log.segment.bytes": "1048576"}
NOT_CLEANING: list[tuple[dict[str, str], int]] = [({"log.cleaner.enable": "false"}, 50)] if IS_NIGHT else []
_TOPIC, _BROKER = 2, 4


class Living:
    """A JVM that lives in a cluster (tests/judges/java/LiveState.java)."""

    def __init__(self, running: Broker, seed: int) -> None:
        command = ["java", *java_tools.JAVA_OPTIONS, "-cp", java_tools.class_path(running.version), "LiveState"]
        self._process = subprocess.Popen(
            [*command, running.bootstrap, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def step(self) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(b"go\n")
        line = self._process.stdout.readline()
        assert line, "it ended; see what it says above"
        return dict(json.loads(line))

    def __enter__(self) -> Living:
        return self

    def __exit__(self, *problem: object) -> None:
        self._process.kill()
        self._process.communicate()


def read(data: Path) -> dict[str, Any]:
    """What the disk says, as LiveState writes it."""
    disks = Disks(map(open_partition, sorted(path for path in data.iterdir() if _is_partition(path))))
    image = disks.image
    assert image is not None and not disks.problems and not image.unknown and not disks.groups.refused
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
        **transactions(data),
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
                    "assigned": sorted(partition(topic, one) for topic, many in it.assigned.items() for one in many),
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


def transactions(data: Path) -> dict[str, Any]:
    """What the table of transactions says of ids, and of producers with an open one."""
    ids: dict[str, Any] = {}
    producers: dict[str, Any] = {}
    for row in open_root(data).transactions():
        place = f"{row['topic']}-{row['partition']}"
        if row["transactional_id"] is not None:
            start = -1 if row["start_timestamp"] is None else row["start_timestamp"]
            head = [row["state"], row["producer_id"], row["producer_epoch"], row["timeout_ms"], start]
            known = ids.setdefault(row["transactional_id"], [*head, []])
            assert known[:-1] == head
            known[-1] += [place] if row["topic"] is not None else []
        if row["start_offset"] is not None:
            epoch = -1 if row["coordinator_epoch"] is None else row["coordinator_epoch"]
            entry = [row["producer_epoch"], epoch, row["start_offset"], row["last_timestamp"]]
            producers.setdefault(place, [row["last_stable_offset"], {}])[1][str(row["producer_id"])] = entry
            assert row["is_hanging"] is False
    return {"transactions": ids, "producers": producers}


def moments(version: str, folder: Path, config: dict[str, str], seed: int, count: int) -> Iterator[tuple[Any, Any]]:
    """What the broker says, and what its disk says, at so many moments."""
    with Broker(version, folder, CONFIG | config) as running, Living(running, seed) as living:
        for _ in range(count):
            said = living.step()
            here = read(running.data)
            for name in (
                said["groups"].keys() - here["groups"].keys()
            ):  # of a transaction that was aborted: not persisted
                gone = said["groups"].pop(name)
                assert not gone["members"] and not gone["offsets"], name
            yield said, here


@pytest.mark.parametrize("version", newest_by_day("4.4.0", "4.3.1"))
@pytest.mark.parametrize(("config", "count"), [(CLEANING, 10 if IS_NIGHT else 3), *NOT_CLEANING])
def test_the_disk_says_what_the_broker_says(tmp_path: Path, version: str, config: dict[str, str], count: int) -> None:
    require(version)
    seen = set[str]()
    for said, read_here in moments(version, tmp_path, config, count, count):
        seen.update(said.pop("done"))
        for part in sorted(said):
            assert read_here[part] == said[part], (part, seen)
    assert len(seen) > 3
    if IS_NIGHT:
        assert judge_topics(version, tmp_path / "data") > 4  # what lies there is what Kafka's dump tool prints, too
