"""What the disks of one or more brokers say of their cluster: which replica counts, its metadata, and tables of both.

Several brokers' disks are one cluster: of the replicas of a partition that with the highest leader epoch counts, and of
these the longest one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from kformat.errors import DataError, InvalidError, KformatError, UsageError
from kformat.kafka.files.checkpoints import checkpointed_offsets
from kformat.kafka.files.text_files import MetaProperties, meta_properties_of
from kformat.kafka.log.partition import Partition
from kformat.kafka.state.groups import (
    DEFAULT_RETENTION_MS,
    OFFSETS_TOPIC,
    SHARE_TOPIC,
    Group,
    Groups,
    Member,
    load_groups,
)
from kformat.kafka.state.image import METADATA_TOPIC, ClusterImage, DeletedTopic, TopicImage, cluster_image
from kformat.kafka.state.latest import NOW, Moment, start_of
from kformat.language.logical import uuid_text
from kformat.storage.address import real_path
from kformat.times import time_text

TOPIC_COLUMNS: Final = (
    *("topic", "topic_id", "partition", "leader", "leader_epoch", "partition_epoch", "replicas", "isr", "elr"),
    *(
        "adding_replicas",
        "removing_replicas",
        "directories",
        "folder",
        "log_start_offset",
        "log_end_offset",
        "state",
        "configs",
    ),
    *("created_timestamp", "deleted_timestamp"),
)
GROUP_COLUMNS: Final = (
    *("group", "kind", "state", "topic", "partition", "current_offset", "log_end_offset", "lag", "consumer_id", "host"),
    *("client_id", "leader_epoch", "metadata", "commit_timestamp", "is_expired", "protocol", "members_count"),
)
_TOPIC_RESOURCE, _BROKER_RESOURCE = 2, 4
_RETENTION: Final = "offsets.retention.minutes"
_MINUTES: Final = re.compile("[0-9]{1,10}")
_STATES: Final = {"stray": "stray", "delete": "deleted", "future": "future"}
"""What the end of a folder's name says of its partition."""
HIDDEN: Final = "(hidden)"
_SECRET: Final = re.compile(
    r"password|secret|credential|token|sasl\.jaas\.config$|ssl\.keystore\.(key|certificate\.chain)$"
    r"|ssl\.truststore\.certificates$|private",
    re.IGNORECASE,
)
_CLEANED: Final = "cleaner-offset-checkpoint"


def is_secret(name: str) -> bool:
    """Whether a configuration holds a secret, by its name."""
    return _SECRET.search(name) is not None


def hidden(configs: Mapping[str, str]) -> dict[str, str]:
    """Configurations without the values that are secrets."""
    return {name: HIDDEN if is_secret(name) else value for name, value in configs.items()}


class Replica(NamedTuple):
    """A partition's folder, and how far its log goes."""

    partition: Partition
    leader_epoch: int
    end_offset: int
    topic_id: str | None

    def rank(self, topic_id: str | None, is_extra: bool = False) -> tuple[bool, bool, int, int]:
        """What is greater for the one that counts, of a topic with this id."""
        return topic_id is not None and self.topic_id == topic_id, not is_extra, self.leader_epoch, self.end_offset


class Disks:
    """The partitions on the disks of one or more brokers, read as one cluster at a moment.

    ``reading``: ``on_corrupt`` and ``on_skipped``, as for `Partition.record_batches`. ``is_of_metadata``: whether an
    offset of the moment is one of the metadata log; if not, it is one of the topic that is asked for, and the metadata
    is as of now.
    """

    def __init__(
        self, partitions: Iterable[Partition], moment: Moment = NOW, *, is_of_metadata: bool = True, **reading: Any
    ) -> None:
        every = list({real_path(one.path): one for one in partitions}.values())  # each once
        self.partitions = [one for one in every if not one.state]
        self.others = [one for one in every if one.state]
        """Those that are on their way out or in."""
        self.moment, self.reading = moment, reading
        self._metadata_moment = moment if is_of_metadata or moment.offset is None else NOW
        self.problems: list[Exception] = []
        """What could not be read, and was passed over."""
        self._read: dict[Path, Replica] = {}

    @cached_property
    def replicas(self) -> dict[tuple[str, int], Replica]:
        """The replica of each partition that counts, by topic and number: of those of the topic that has this name now,
        if the metadata can be read and says which one that is, before any of an older topic.
        """
        self.read_metadata()
        found: dict[tuple[str, int], Replica] = {}
        for partition in self.partitions:
            topic, replica = self.topics.get(partition.topic), self._replica(partition)
            there = found.get((partition.topic, partition.partition))
            if there is None or self._rank(replica, topic) > self._rank(there, topic):
                found[partition.topic, partition.partition] = replica
        return found

    def _rank(self, replica: Replica, topic: TopicImage | None) -> Any:
        return replica.rank(None if topic is None else uuid_text(topic.id), self._is_extra(replica.partition, topic))

    def _is_extra(self, partition: Partition, topic: TopicImage | None) -> bool:
        """Whether the broker of a folder is, by the metadata, no replica of its partition
        (LogManager.isStrayKraftReplica)."""
        there = None if topic is None else topic.partitions.get(partition.partition)
        properties = self.properties.get(partition.path.parent)
        broker = None if properties is None else properties.node_id
        return there is not None and broker is not None and broker not in there.replicas

    @cached_property
    def properties(self) -> dict[Path, MetaProperties]:
        """The `meta.properties` of the roots that have one which can be read."""
        roots = dict.fromkeys(partition.path.parent for partition in self.partitions)
        found = {root: self.attempt(lambda root=root: meta_properties_of(root)) for root in roots}  # type: ignore[misc]
        return {root: properties for root, properties in found.items() if properties is not None}

    @property
    def cluster_ids(self) -> list[str]:
        """The ids of the clusters that the roots say they are of, sorted; more than one is a mistake."""
        return sorted({one.cluster_id for one in self.properties.values() if one.cluster_id is not None})

    @cached_property
    def topics(self) -> dict[str, TopicImage]:
        """The topics of the metadata by their names; none without metadata."""
        return {} if self.image is None else self.image.by_name()

    @cached_property
    def metadata(self) -> Partition | None:
        """The replica that counts of the metadata log."""
        logs = [self._replica(one) for one in self.partitions if one.topic == METADATA_TOPIC]
        return max(logs, key=lambda one: one.rank(None)).partition if logs else None

    def _replica(self, partition: Partition) -> Replica:
        """What a folder's files say, read once."""
        known = self._read.get(partition.path)
        if known is None:
            epoch = self.attempt(lambda: [-1, *(entry.epoch for entry in partition.leader_epochs)][-1])
            end = self.attempt(lambda: partition.end_offset)
            id = self.attempt(lambda: partition.known_topic_id)
            known = Replica(partition, _or_none(epoch, -1), _or_none(end, -1), id)
            self._read[partition.path] = known
        return known

    def attempt(self, read: Callable[[], Any]) -> Any:
        """What a function reads; None, and a problem, if it cannot."""
        try:
            return read()
        except (DataError, OSError) as error:
            self.problems.append(error)
            return None

    def of_topic(self, topic: str) -> list[Partition]:
        """The replicas that count of a topic's partitions, by number."""
        return [self.replicas[place].partition for place in sorted(self.replicas) if place[0] == topic]

    @cached_property
    def image(self) -> ClusterImage | None:
        """The cluster's metadata; None where no disk has its log. Raises as `cluster_image`."""
        log = self.metadata
        return (
            None
            if log is None
            else cluster_image(log, self._metadata_moment, on_problem=self.problems.append, **self.reading)
        )

    def read_metadata(self) -> None:
        """Read the cluster's metadata where that is of use but not all: where it cannot be read there is none, and that
        is a problem.
        """
        try:
            image = self.image
        except (KformatError, OSError) as error:
            self.problems.append(error)
            image = None
        self.__dict__["image"] = image

    @cached_property
    def groups(self) -> Groups:
        """The groups. Raises as `load_groups`."""
        offsets = self.of_topic(OFFSETS_TOPIC)
        self.check_offset(offsets)
        found = load_groups(offsets, self.of_topic(SHARE_TOPIC), self.moment, **self.reading)
        self.problems += found.trouble.problems
        return found

    def missing(self, topic: str) -> tuple[int, int]:
        """How many partitions of a topic are not here, and how many the metadata says that it has; 0 where that does
        not say it.
        """
        there = self.topics.get(topic)
        count = 0 if there is None else len(there.partitions)
        return count - sum((topic, number) in self.replicas for number in range(count)), count

    def check_offset(self, partitions: list[Partition]) -> None:
        """Raise UsageError if the moment is an offset, and not of one partition; InvalidError if that begins later."""
        if self.moment.offset is not None and len(partitions) > 1:
            topic, count = partitions[0].topic, len(partitions)
            raise UsageError(f"an offset is one partition's, and {topic} has {count} here: give a time")
        for partition in partitions if self.moment.offset is not None else ():
            start = self.attempt(lambda one=partition: start_of(one))  # type: ignore[misc]
            if start is not None and self.moment.offset is not None and self.moment.offset < start:
                raise InvalidError(f"its records begin at offset {start}", source=str(partition.path))

    def inexact(self, topic: str) -> Iterator[str]:
        """Why the state of a compacted topic at the moment may lack records: a line for each partition of which the
        cleaner has passed it.
        """
        for partition in self.of_topic(topic) if self.moment != NOW else ():
            cleaned = self._cleaned_to(partition)
            if cleaned is None:
                continue
            words = f"{partition.path}: the cleaner has passed the moment; the state is exact from"
            if self.moment.offset is not None and self.moment.offset + 1 < cleaned:
                yield f"{words} offset {cleaned} on"
            elif self.moment.time_ms is not None:
                first = next(iter(partition.records(start_offset=cleaned, **self.reading)), None)
                if first is None:
                    yield f"{words} offset {cleaned} on"
                elif first.timestamp > self.moment.time_ms:
                    yield f"{words} {time_text(first.timestamp)} on (offset {first.offset})"

    def _cleaned_to(self, partition: Partition) -> int | None:
        offsets = self.attempt(lambda: checkpointed_offsets(partition.path.parent, _CLEANED)) or {}
        return offsets.get((partition.topic, partition.partition))

    # tables

    def metadata_rows(self) -> Iterator[dict[str, Any]]:
        """A row for each partition that the metadata has; columns are `TOPIC_COLUMNS`."""
        image = self.image
        for topic in sorted(image.topics.values(), key=lambda it: it.name) if image is not None else ():
            if not topic.partitions:
                yield dict.fromkeys(TOPIC_COLUMNS) | {
                    "topic": topic.name,
                    "topic_id": uuid_text(topic.id),
                    "state": "missing",
                    "created_timestamp": topic.created_ms,
                }
            for number, there in sorted(topic.partitions.items()):
                yield {
                    **self._place(topic.name, number, topic),
                    "topic_id": uuid_text(topic.id),
                    "leader": there.leader,
                    "leader_epoch": there.leader_epoch,
                    "partition_epoch": there.partition_epoch,
                    "replicas": there.replicas,
                    "isr": there.isr,
                    "elr": there.elr,
                    "adding_replicas": there.adding_replicas,
                    "removing_replicas": there.removing_replicas,
                    "directories": [uuid_text(id) for id in there.directories],
                    "configs": hidden(image.config(_TOPIC_RESOURCE, topic.name)) if image is not None else {},
                    "created_timestamp": topic.created_ms,
                }

    def topic_rows(self) -> Iterator[dict[str, Any]]:
        """A row for each partition that the metadata, or a folder, has, and for each folder that is on its way out or
        in; columns are `TOPIC_COLUMNS`.
        """
        image = self.image
        seen: set[tuple[str, int]] = set()
        for row in self.metadata_rows():
            seen.add((row["topic"], row["partition"]))
            yield row
        deleted = list(image.deleted) if image is not None else []
        listed = set[bytes]()
        if self._metadata_moment != NOW:
            return  # what folders alone say is as of now
        for name, number in sorted(self.replicas.keys() - seen):
            row = self._place(name, number, None)
            gone = next((one for one in reversed(deleted) if _is_of(one, name, row["topic_id"])), None)
            if gone is not None:
                listed.add(gone.id)
                row |= {"topic_id": uuid_text(gone.id), "created_timestamp": gone.created_ms, "state": "deleted"}
                row["deleted_timestamp"] = gone.deleted_ms
            yield row
        for gone in deleted:
            if gone.id not in listed:
                row = dict.fromkeys(TOPIC_COLUMNS) | {"topic": gone.name, "topic_id": uuid_text(gone.id)}
                row |= {"state": "deleted", "created_timestamp": gone.created_ms, "deleted_timestamp": gone.deleted_ms}
                yield row
        for partition in self.others:
            row = dict.fromkeys(TOPIC_COLUMNS) | {"topic": partition.topic, "partition": partition.partition}
            yield row | self._of_folder(self._replica(partition)) | {"state": _STATES[partition.state]}

    def _of_folder(self, replica: Replica) -> dict[str, Any]:
        """What a folder says."""
        return {
            "folder": str(replica.partition.path),
            "log_start_offset": self.attempt(lambda: start_of(replica.partition)),
            "log_end_offset": None if replica.end_offset < 0 else replica.end_offset,
            "topic_id": replica.topic_id,
        }

    def _place(self, name: str, number: int, topic: TopicImage | None) -> dict[str, Any]:
        """What a partition's folder says, and how that goes with the metadata."""
        row: dict[str, Any] = dict.fromkeys(TOPIC_COLUMNS) | {"topic": name, "partition": number}
        replica = self.replicas.get((name, number))
        if replica is None:
            return row | {"state": "missing"}
        return row | self._of_folder(replica) | {"state": self._state(replica, topic)}

    def _state(self, replica: Replica, topic: TopicImage | None) -> str | None:
        """How a folder goes with the metadata; None where there is no metadata to go with."""
        if topic is None:
            return None if self.image is None or replica.partition.topic == METADATA_TOPIC else "stray"
        if replica.topic_id not in (None, uuid_text(topic.id)):
            return "wrong id"
        return "extra" if self._is_extra(replica.partition, topic) else "present"

    def state_of(self, place: tuple[str, int]) -> str | None:
        """The state of the replica that counts, as `topic_rows` has it."""
        return self._state(self.replicas[place], self.topics.get(place[0]))

    def group_rows(self, now_ms: int | None = None, retention_ms: int | None = None) -> Iterator[dict[str, Any]]:
        """A row for each partition that a group has an offset of, or has assigned; one for a group with neither.
        Columns are `GROUP_COLUMNS`.
        """
        self.read_metadata()
        now = int(time.time() * 1000) if now_ms is None else now_ms
        retention = self.retention_ms if retention_ms is None else retention_ms
        names = {} if self.image is None else {topic.id: topic.name for topic in self.image.topics.values()}
        for group in self.groups.groups.values():
            head = dict.fromkeys(GROUP_COLUMNS) | {
                "group": group.name, "kind": group.kind, "state": group.state, "protocol": group.protocol,
                "members_count": len(group.members),
            }  # fmt: skip
            places = {(_name(topic, names), number): one for (topic, number), one in group.offsets.items()}
            owners = {(_name(topic, names), number): member for member in group.members.values()
                      for topic, numbers in member.assigned.items() for number in numbers}  # fmt: skip
            owners |= {place: member for place, member in _task_owners(group) if place in self.replicas}
            rows = sorted({*places, *owners})
            for topic, number in rows:
                committed, replica = places.get((topic, number)), self.replicas.get((topic, number))
                end = None if replica is None or replica.end_offset < 0 else replica.end_offset
                member = owners.get((topic, number))
                row = head | {"topic": topic, "partition": number, "log_end_offset": end}
                if member is not None:
                    row |= {"consumer_id": member.member_id, "host": member.client_host, "client_id": member.client_id}
                if committed is not None:
                    row |= {
                        "current_offset": committed.offset, "leader_epoch": committed.leader_epoch,
                        "lag": None if end is None or committed.offset < 0 else end - committed.offset,
                        "metadata": committed.metadata, "commit_timestamp": committed.timestamp,
                        "is_expired": group.is_expired(committed, now, retention),
                    }  # fmt: skip
                yield row
            if not rows:
                yield head

    @cached_property
    def retention_ms(self) -> int:
        """How long offsets of empty groups stay, as the cluster's configuration says, or by Kafka's default."""
        configured = {} if self.image is None else self.image.config(_BROKER_RESOURCE, "")
        minutes = configured.get(_RETENTION, "")
        return int(minutes) * 60_000 if _MINUTES.fullmatch(minutes) else DEFAULT_RETENTION_MS


def _is_of(gone: DeletedTopic, name: str, id: str | None) -> bool:
    """Whether a folder, with the id that it knows, is of a topic that was deleted."""
    return gone.name == name and id in (None, uuid_text(gone.id))


def _or_none(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def _task_owners(group: Group) -> Iterator[tuple[tuple[str, int], Member]]:
    """Who reads which partition in a streams group: a task reads its partition of each topic of its subtopology that
    has so many.
    """
    for member in group.members.values():
        for subtopology, numbers in member.tasks.items():
            for topic in group.reads.get(subtopology, ()):
                yield from (((topic, number), member) for number in numbers)


def _name(topic: str | bytes, names: dict[bytes, str]) -> str:
    """A topic's name; its id in Kafka's form where the metadata does not know it."""
    return topic if isinstance(topic, str) else names.get(topic) or uuid_text(topic)


__all__ = ["GROUP_COLUMNS", "HIDDEN", "TOPIC_COLUMNS", "Disks", "Replica", "hidden", "is_secret"]
