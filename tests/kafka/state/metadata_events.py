"""What happens in a cluster, at random, as records of its metadata log."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from typing import Any

import kformat
from kformat.kafka.messages.kafka_json import from_kafka_json
from kformat.kafka.messages.schemas import schema

_NAMES = ("orders", "payments", "ümläut", "x.y_z-1")


def _id(by: random.Random) -> str:
    return base64.urlsafe_b64encode(by.randbytes(16)).decode().rstrip("=")


def written(name: str, value: dict[str, Any], version: int | None = None) -> bytes:
    """The bytes of a record's value; in its newest version if none is given."""
    known = schema(name)
    at = max(known.versions) if version is None else version
    return kformat.build(name, from_kafka_json(known, at, value))


class Happening:
    """A cluster that lives: each step is one record or several, all of which Kafka's controller might write."""

    def __init__(self, seed: str, features: dict[str, int], release: str) -> None:
        self.by = random.Random(seed)
        self.release = release
        self.features = features
        self.versions = (
            {} if release >= "4.4" else {"register_broker_record": 3, "broker_registration_change_record": 2}
        )
        self.topics: dict[str, tuple[str, dict[int, list[int]]]] = {}
        self.brokers: set[int] = set()
        self.acls: list[str] = []

    def records(self, steps: int) -> Iterator[tuple[str, bytes]]:
        """The name of each record, and the bytes of its value."""
        for name, level in self.features.items():
            yield "feature_level_record", written("feature_level_record", {"name": name, "featureLevel": level})
        kinds = [
            *(self.topic, self.topic, self.partition, self.partition, self.partition, self.remove_topic),
            *(self.broker, self.broker_state, self.broker_change, self.config, self.config, self.acl),
            *(self.quota, self.scram, self.token, self.producer_ids, self.feature, self.controller),
        ]
        if self.release >= "4.":
            kinds.append(self.elr)
        for _ in range(steps):
            for name, value in self.by.choice(kinds)():
                yield name, written(name, value, self.versions.get(name))

    def topic(self) -> Iterator[tuple[str, Any]]:
        free = [f"{name}{number}" for name in _NAMES for number in range(4) if f"{name}{number}" not in self.topics]
        if free:
            name, id = self.by.choice(free), _id(self.by)
            count = self.by.choice((1, 2, 5))
            self.topics[name] = (
                id,
                {number: self.by.sample(range(6), self.by.choice((1, 3))) for number in range(count)},
            )
            yield "topic_record", {"name": name, "topicId": id}
            for number, replicas in self.topics[name][1].items():
                yield (
                    "partition_record",
                    {
                        "partitionId": number,
                        "topicId": id,
                        "replicas": replicas,
                        "isr": replicas[:1],
                        "removingReplicas": [],
                        "addingReplicas": [],
                        "leader": replicas[0],
                        "leaderEpoch": 0,
                        "partitionEpoch": 0,
                        **(
                            {"directories": [_id(self.by) for _ in replicas]}
                            if self.by.random() < 0.7
                            else {"directories": []}
                        ),
                    },
                )

    def partition(self) -> Iterator[tuple[str, Any]]:
        if not self.topics:
            return
        id, partitions = self.by.choice(list(self.topics.values()))
        number = self.by.choice(list(partitions))
        replicas = partitions[number]
        some = self.by.sample(replicas, self.by.randint(0, len(replicas)))
        given: dict[str, Any] = {"partitionId": number, "topicId": id}
        if self.by.random() < 0.6:
            given["isr"] = some
        if self.by.random() < 0.6:
            given["leader"] = self.by.choice([-1, *replicas])
        if self.by.random() < 0.2:
            partitions[number] = replicas = self.by.sample(range(6), self.by.choice((1, 3)))
            given["replicas"] = replicas
            given["directories"] = [_id(self.by) for _ in replicas]
            given |= {"addingReplicas": replicas[:1], "removingReplicas": replicas[1:]}
        if self.by.random() < 0.2:
            given["leaderRecoveryState"] = self.by.choice((0, 1))
        if self.by.random() < 0.4 and self.release >= "4.":
            given |= {"eligibleLeaderReplicas": some, "lastKnownElr": replicas[:1]}
        yield "partition_change_record", given

    def remove_topic(self) -> Iterator[tuple[str, Any]]:
        if self.topics and self.by.random() < 0.5:
            id, _ = self.topics.pop(self.by.choice(list(self.topics)))
            yield "remove_topic_record", {"topicId": id}

    def elr(self) -> Iterator[tuple[str, Any]]:
        yield "clear_elr_record", {"topicName": self.by.choice(["", *self.topics])}

    def broker(self) -> Iterator[tuple[str, Any]]:
        number = self.by.randrange(6)
        if number in self.brokers and self.by.random() < 0.3:
            self.brokers.remove(number)
            yield "unregister_broker_record", {"brokerId": number, "brokerEpoch": self._epoch(number)}
            return
        self.brokers.add(number)
        yield (
            "register_broker_record",
            {
                "brokerId": number,
                "incarnationId": _id(self.by),
                "brokerEpoch": self._epoch(number),
                "endPoints": [{"name": "PLAIN", "host": "ümläut.example", "port": 65535, "securityProtocol": 0}],
                "features": [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 30}],
                "rack": self.by.choice((None, "a")),
                "fenced": self.by.random() < 0.5,
                "isMigratingZkBroker": False,
                "inControlledShutdown": self.by.random() < 0.2,
                "logDirs": [_id(self.by) for _ in range(3)],
            },
        )

    @staticmethod
    def _epoch(number: int) -> int:
        """Changes of a broker name its epoch, which stays here."""
        return 100 + number

    def _broker(self) -> int | None:
        return self.by.choice(sorted(self.brokers)) if self.brokers else None

    def broker_state(self) -> Iterator[tuple[str, Any]]:
        number = self._broker()
        if number is not None:
            name = self.by.choice(("fence_broker_record", "unfence_broker_record"))
            yield name, {"id": number, "epoch": self._epoch(number)}

    def broker_change(self) -> Iterator[tuple[str, Any]]:
        number = self._broker()
        if number is not None:
            given: dict[str, Any] = {
                "brokerId": number,
                "brokerEpoch": self._epoch(number),
                "fenced": self.by.choice((-1, 0, 1)),
            }
            given["inControlledShutdown"] = self.by.choice((0, 1))
            if self.by.random() < 0.5:
                given["logDirs"] = [_id(self.by) for _ in range(self.by.randint(0, 2))]
            if self.by.random() < 0.5 and self.release >= "4.4":
                given["cordonedLogDirs"] = [_id(self.by) for _ in range(self.by.randint(0, 2))]
            yield "broker_registration_change_record", given

    def config(self) -> Iterator[tuple[str, Any]]:
        kind, names = self.by.choice(((2, list(self.topics)), (4, ["", "1"])))
        if names:
            yield (
                "config_record",
                {
                    "resourceType": kind,
                    "resourceName": self.by.choice(names),
                    "name": self.by.choice(("retention.ms", "segment.bytes")),
                    "value": self.by.choice(("1000", "", None)),
                },
            )

    def acl(self) -> Iterator[tuple[str, Any]]:
        if self.acls and self.by.random() < 0.4:
            yield "remove_access_control_entry_record", {"id": self.acls.pop(self.by.randrange(len(self.acls)))}
            return
        self.acls.append(_id(self.by))
        yield (
            "access_control_entry_record",
            {
                "id": self.acls[-1],
                "resourceType": 2,
                "resourceName": self.by.choice(_NAMES),
                "patternType": 3,
                "principal": f"User:{self.by.random()}",
                "host": "*",
                "operation": 3,
                "permissionType": 3,
            },
        )

    def quota(self) -> Iterator[tuple[str, Any]]:
        entity = [{"entityType": kind, "entityName": self.by.choice((None, "a"))} for kind in ("user", "client-id")]
        yield (
            "client_quota_record",
            {
                "entity": self.by.sample(entity, self.by.choice((1, 2))),
                "key": "consumer_byte_rate",
                "value": self.by.random() * 1e9,
                "remove": self.by.random() < 0.3,
            },
        )

    def scram(self) -> Iterator[tuple[str, Any]]:
        name, mechanism = self.by.choice("abc"), self.by.choice((1, 2))
        if self.by.random() < 0.3:
            yield "remove_user_scram_credential_record", {"name": name, "mechanism": mechanism}
            return
        yield (
            "user_scram_credential_record",
            {
                "name": name,
                "mechanism": mechanism,
                "salt": "AAAA",
                "storedKey": "BBBB",
                "serverKey": "CCCC",
                "iterations": self.by.randint(4096, 16384),
            },
        )

    def token(self) -> Iterator[tuple[str, Any]]:
        id = self.by.choice("tuv")
        if self.by.random() < 0.3:
            yield "remove_delegation_token_record", {"tokenId": id}
            return
        yield (
            "delegation_token_record",
            {
                "owner": "User:alice",
                "requester": "User:bob",
                "renewers": [],
                "issueTimestamp": 1,
                "maxTimestamp": 2,
                "expirationTimestamp": self.by.randrange(10**12),
                "tokenId": id,
            },
        )

    def producer_ids(self) -> Iterator[tuple[str, Any]]:
        yield "producer_ids_record", {"brokerId": 1, "brokerEpoch": 1, "nextProducerId": self.by.randrange(10**9)}

    def feature(self) -> Iterator[tuple[str, Any]]:
        yield "feature_level_record", {"name": "group.version", "featureLevel": self.by.choice((0, 1))}

    def controller(self) -> Iterator[tuple[str, Any]]:
        number = self.by.choice((3000, 3001))
        if self.release >= "4.4" and self.by.random() < 0.3:
            yield "unregister_controller_record", {"controllerId": number}
            return
        yield (
            "register_controller_record",
            {
                "controllerId": number,
                "incarnationId": _id(self.by),
                "zkMigrationReady": False,
                "endPoints": [{"name": "CONTROLLER", "host": "h", "port": 1, "securityProtocol": 0}],
                "features": [{"name": "kraft.version", "minSupportedVersion": 0, "maxSupportedVersion": 1}],
            },
        )
