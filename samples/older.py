"""A life in a cluster of a broker before 4.0, for `samples/internal.py`, through confluent-kafka.

`Older.step` does named things and returns what the admin client says then, in the form of LiveState
(tests/judges/java/LiveState.java), which needs newer brokers. Groups of the consumer protocol (KIP-848, a preview in
3.9) are Kafka's own console consumer.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from samples.topics import OPEN, TIMEOUT_S, Feed, transactional
from tests.judges import Broker, jars
from tests.judges.releases import version_tuple

CONSOLE = "org.apache.kafka.tools.consumer.ConsoleConsumer"
_DYNAMIC_TOPIC_CONFIG = 1
TOPICS = ("t0", "t1", "gone")


class Older:
    """What lives in a broker's cluster: members of groups stay between the steps, and an open transaction."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.version = version_tuple(broker.version)
        self.admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        self.members: dict[str, list[Consumer]] = {}
        self.consoles: list[subprocess.Popen[bytes]] = []
        self.feeds: dict[str, Feed] = {}

    def __enter__(self) -> Older:
        return self

    def __exit__(self, *problem: object) -> None:
        for console in self.consoles:
            console.kill()
            console.wait()
        OPEN.clear()

    def step(self, actions: str) -> dict[str, Any]:
        """Do these things, wait until the groups are at rest, and return what the broker says then."""
        for name in actions.split():
            getattr(self, f"_{name}")()
        self._come_to_rest()
        before: dict[str, Any] = {}
        while (now := self._said()) != before:
            before = now
            time.sleep(0.5)
        return now

    # what it does

    def _create(self) -> None:
        if self.version < (3,):
            time.sleep(5)  # the port answers before the controller stands
        for created in self.admin.create_topics([NewTopic(name, 2, 1) for name in TOPICS]).values():
            created.result(TIMEOUT_S)

    def _feed(self, topic: str) -> Feed:
        return self.feeds.setdefault(topic, Feed(self.broker.bootstrap, self.version, topic))

    def _produce(self) -> None:
        for name in ("t0", "t1"):
            feed = self._feed(name)
            feed.batch(feed.producer(), feed.messages(5, 0))

    def _commitByAdmin(self) -> None:
        given = [TopicPartition("t0", 0, 3), TopicPartition("gone", 1, 7)]
        for done in self.admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("admin", given)]).values():
            done.result(TIMEOUT_S)

    def _joinClassic(self) -> None:
        members = self.members.setdefault("classic", [])
        config = {"group.id": "classic", "client.id": f"classic-{len(members)}", "auto.offset.reset": "earliest"}
        if members and self.version >= (2, 4):
            config["group.instance.id"] = "static"
        member = Consumer({"bootstrap.servers": self.broker.bootstrap, "enable.auto.commit": False, **config})
        member.subscribe(["t0", "t1"])
        members.append(member)

    def _leaveClassic(self) -> None:
        self.members["classic"].pop(0).close()

    def _joinConsumer(self) -> None:
        jar = f"{jars.directory(self.broker.version).resolve()}/*"
        command = [
            "java",
            "-Xmx256m",
            "-cp",
            jar,
            CONSOLE,
            "--bootstrap-server",
            self.broker.bootstrap,
            "--topic",
            "t0",
        ]
        options = (
            "group.protocol=consumer",
            "group.id=consumer",
            "enable.auto.commit=true",
            "auto.offset.reset=earliest",
        )
        for option in options:
            command += ["--consumer-property", option]
        output = Path(self.broker.directory, f"console-{len(self.consoles)}").open("wb")
        self.consoles.append(subprocess.Popen(command, stdout=output, stderr=output))

    def _leaveConsumer(self) -> None:
        console = self.consoles.pop()
        console.terminate()
        console.wait()

    def _transaction(self, name: str) -> Producer:
        feed = self._feed("t0")
        producer = transactional(feed, name)
        producer.begin_transaction()
        feed.batch(producer, feed.messages(2, 100))
        feed.batch(producer, feed.messages(1, 200), 1)
        return producer

    def _commit(self) -> None:
        self._transaction("committed").commit_transaction(TIMEOUT_S)

    def _abort(self) -> None:
        self._transaction("aborted").abort_transaction(TIMEOUT_S)

    def _begin(self) -> None:
        OPEN.append(self._transaction("open"))

    def _commitInTransaction(self) -> None:
        producer = self._transaction("exactly-once")
        reader = Consumer({"bootstrap.servers": self.broker.bootstrap, "group.id": "exactly-once"})
        producer.send_offsets_to_transaction([TopicPartition("t1", 0, 4)], reader.consumer_group_metadata(), TIMEOUT_S)
        producer.commit_transaction(TIMEOUT_S)
        reader.close()

    def _deleteGroup(self) -> None:
        for done in self.admin.delete_consumer_groups(["exactly-once"]).values():
            done.result(TIMEOUT_S)

    def _deleteTopic(self) -> None:
        for done in self.admin.delete_topics(["gone"]).values():
            done.result(TIMEOUT_S)

    def _addPartitions(self) -> None:
        for done in self.admin.create_partitions([NewPartitions("t1", 3)]).values():
            done.result(TIMEOUT_S)

    def _alterConfig(self) -> None:
        entry = ConfigEntry("retention.ms", "1000000000", incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ConfigResource.Type.TOPIC, "t1", incremental_configs=[entry])
        for done in self.admin.incremental_alter_configs([resource]).values():
            done.result(TIMEOUT_S)

    def _acl(self) -> None:
        bindings = [
            AclBinding(ResourceType.TOPIC, "t0", ResourcePatternType.LITERAL, f"User:{user}", "*", AclOperation.READ,
                       AclPermissionType.ALLOW)
            for user in ("alice", "bob")
        ]  # fmt: skip
        for done in self.admin.create_acls(bindings).values():
            done.result(TIMEOUT_S)
        gone = AclBindingFilter(ResourceType.TOPIC, "t0", ResourcePatternType.LITERAL, "User:bob", "*",
                                AclOperation.READ, AclPermissionType.ALLOW)  # fmt: skip
        for deleted in self.admin.delete_acls([gone]).values():
            deleted.result(TIMEOUT_S)

    def _scram(self) -> None:
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
        given = UserScramCredentialUpsertion("user", info, b"secret", b"salt of a sample")
        for done in self.admin.alter_user_scram_credentials([given]).values():
            done.result(TIMEOUT_S)

    # what the broker says

    def _come_to_rest(self) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            for members in self.members.values():
                for member in members:
                    member.poll(0.2)
            groups = self._groups()
            wanted = {name: len(members) for name, members in self.members.items()}
            wanted |= {"consumer": len(self.consoles)} if self.consoles else {}
            if all(
                name in groups and groups[name]["state"] == "Stable" and len(groups[name]["members"]) == count
                for name, count in wanted.items()
                if count
            ):
                break
            time.sleep(0.2)
        else:
            raise TimeoutError(f"groups did not come to rest: {groups}")
        for members in self.members.values():
            for member in members:
                offsets = [TopicPartition(one.topic, one.partition, 2) for one in member.assignment()]
                member.commit(offsets=offsets, asynchronous=False)

    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = {"topics": self._topics(), "groups": self._groups()}
        if self.broker.is_kraft:
            anything: Any = None
            asked: Any = self.admin.describe_acls(
                AclBindingFilter(ResourceType.ANY, anything, ResourcePatternType.ANY, anything, anything,
                                 AclOperation.ANY, AclPermissionType.ANY)
            )  # fmt: skip
            said["acls"] = sorted(map(_acl_text, asked.result(TIMEOUT_S)))
            credentials: Any = self.admin.describe_user_scram_credentials()
            said["scram"] = {
                f"{user} {info.mechanism.value}": info.iterations
                for user, described in credentials.result(TIMEOUT_S).items()
                for info in described.scram_credential_infos
            }
        return said

    def _topics(self) -> dict[str, Any]:
        names = sorted(self.admin.list_topics(timeout=TIMEOUT_S).topics)
        described = self.admin.describe_topics(TopicCollection(names)).values()
        found: dict[str, Any] = {}
        for topic in (one.result(TIMEOUT_S) for one in described):
            asked = {TopicPartition(topic.name, one.id): OffsetSpec.latest() for one in topic.partitions}
            ends = {
                place.partition: one.result(TIMEOUT_S).offset for place, one in self.admin.list_offsets(asked).items()
            }
            partitions = [
                [one.leader.id, [node.id for node in one.replicas], [node.id for node in one.isr], [], ends[one.id]]
                for one in topic.partitions
            ]
            found[topic.name] = {"partitions": partitions, "configs": self._configs(topic.name)}
            if self.broker.is_kraft:
                found[topic.name]["id"] = str(topic.topic_id).replace("+", "-").replace("/", "_")  # as Kafka has it
        return found

    def _configs(self, topic: str) -> dict[str, str]:
        (asked,) = self.admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, topic)]).values()
        entries = asked.result(TIMEOUT_S).values()
        return {entry.name: entry.value for entry in entries if entry.source == _DYNAMIC_TOPIC_CONFIG}

    def _groups(self) -> dict[str, Any]:
        names = [one.group_id for one in self.admin.list_consumer_groups().result(TIMEOUT_S).valid]
        found: dict[str, Any] = {}
        for name, asked in self.admin.describe_consumer_groups(names).items() if names else ():
            described = asked.result(TIMEOUT_S)
            (offsets,) = self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)]).values()
            members = {
                one.member_id: {
                    "client": one.client_id,
                    "host": one.host,
                    "assigned": sorted(f"{place.topic}-{place.partition}" for place in one.assignment.topic_partitions),
                }
                for one in described.members
            }
            found[name] = {
                "kind": "consumer" if name == "consumer" else "classic",
                "state": described.state.name.title().replace("_", ""),
                "members": members,
                "offsets": {
                    f"{one.topic}-{one.partition}": [one.offset, -1 if one.leader_epoch is None else one.leader_epoch,
                                                     one.metadata or ""]
                    for one in offsets.result(TIMEOUT_S).topic_partitions
                },
            }  # fmt: skip
        return found


def _acl_text(one: Any) -> str:
    """An ACL as LiveState writes it."""
    resource = one.restype.value, one.name, one.resource_pattern_type.value
    return " ".join(map(str, (*resource, one.principal, one.host, one.operation.value, one.permission_type.value)))


__all__ = ["Older"]
