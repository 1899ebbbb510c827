"""Groups as ``__consumer_offsets`` and ``__share_group_state`` have them: kinds, states, members, committed offsets.

A group's kind follows from its records: those of the classic protocol, of consumers (KIP-848), of share groups
(KIP-932), of streams (KIP-1071); one with committed offsets alone is a classic one without members. Its state is what a
coordinator makes of these records when it loads them (GroupMetadataManager, ConsumerGroup.maybeUpdateGroupState):
members that have gone since count until the log says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kformat.codec.constructs import parse_prefix
from kformat.errors import DataError
from kformat.kafka.log.partition import Partition
from kformat.kafka.messages.decoding import OFFSETS, SHARE_STATE, KafkaMessage, decoder
from kformat.kafka.state.latest import NOW, KeySize, LatestRecord, Moment, Trouble, key_sizes

OFFSETS_TOPIC: Final = "__consumer_offsets"
SHARE_TOPIC: Final = "__share_group_state"
CLASSIC, CONSUMER, SHARE, STREAMS = "classic", "consumer", "share", "streams"
DEFAULT_RETENTION_MS: Final = 7 * 24 * 60 * 60 * 1000
"""Kafka's default of `offsets.retention.minutes`."""
NO_TIME: Final = -1


@dataclass(frozen=True, slots=True)
class Committed:
    """A committed offset; of a share group its start offset. ``record_offset``: that of its record."""

    offset: int
    leader_epoch: int
    metadata: str
    timestamp: int
    expire_timestamp: int
    record_offset: int


@dataclass(slots=True)
class Member:
    """A member, as it described itself.

    Attributes:
        assigned: its partitions, by the topic's name or id.
        tasks: of a member of a streams group: its active tasks, which are partitions of what a subtopology reads, by
            the subtopology.
    """

    member_id: str
    client_id: str
    client_host: str
    instance_id: str | None = None
    epoch: int = -1
    is_stable: bool = True
    assigned: dict[str | bytes, list[int]] = field(default_factory=dict)
    tasks: dict[str, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class Group:
    """A group.

    Attributes:
        kind: ``classic``, ``consumer``, ``share`` or ``streams``.
        protocol_type, protocol: of a classic group; the assignor of others, where the log has it.
        epoch: its generation, or its epoch. target_epoch: the epoch of the target assignment; -1 if it has none.
        offsets: by the topic's name, or id of 16 bytes, and the partition.
        since: when a classic group came into its state, in ms; -1 if that is not known.
        topology_epoch, validated_epoch: of a streams group: of its topology, and of the one whose topics the
            coordinator found sound; -1 if there is none.
        reads: of a streams group: the topics that each subtopology reads, but for regular expressions.
    """

    name: str
    kind: str = CLASSIC
    protocol_type: str = ""
    protocol: str | None = None
    epoch: int = -1
    target_epoch: int = -1
    since: int = NO_TIME
    topology_epoch: int = -1
    validated_epoch: int = -1
    reads: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    offsets: dict[tuple[str | bytes, int], Committed] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """Kafka's word for its state, as far as the log says: ``Empty``, ``Stable``, ``Assigning``, ``Reconciling``;
        of a streams group also ``NotReady`` (StreamsGroup.maybeUpdateGroupState).
        """
        if not self.members:
            return "Empty"
        if self.kind in (CLASSIC, SHARE):
            return "Stable"
        if self.kind == STREAMS and (self.topology_epoch < 0 or self.topology_epoch != self.validated_epoch):
            return "NotReady"
        if self.epoch > self.target_epoch:
            return "Assigning"
        return "Stable" if all(it.is_stable and it.epoch == self.target_epoch for it in self.members.values()) else (
            "Reconciling"
        )  # fmt: skip

    def is_expired(self, committed: Committed, now_ms: int, retention_ms: int) -> bool:
        """Whether an offset is to be deleted at a time (OffsetExpirationConditionImpl): it has a time of its own, or
        its group is empty for longer than the retention.
        """
        if self.kind == SHARE:
            return False
        if committed.expire_timestamp != NO_TIME:
            return now_ms >= committed.expire_timestamp
        if self.kind == CLASSIC and not self.protocol_type:
            return now_ms - committed.timestamp >= retention_ms
        if not self.members:
            since = self.since if self.since != NO_TIME else committed.timestamp
            return now_ms - since >= retention_ms
        return False


# --- records of groups -----------------------------------------------------------------------------------------------


class _Loading:
    """Groups while their records are taken in."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.trouble = Trouble()

    def group(self, name: str, kind: str | None = None) -> Group:
        group = self.groups.setdefault(name, Group(name))
        if kind is not None:
            group.kind = kind
        return group

    def member(self, group: Group, member_id: str) -> Member:
        return group.members.setdefault(member_id, Member(member_id, "", ""))

    def take(self, partition: Partition, record: LatestRecord) -> None:
        """Take in the latest record of a key that is not a tombstone."""
        reader = decoder(OFFSETS)
        try:
            key = reader.key(record.key)
            value = reader.value(record.value or b"", record.key)
        except DataError as error:
            self.trouble.refuse(partition, record, error)
            return
        name = value.schema.name
        if name in ("OffsetCommitValue", "LegacyOffsetCommitValue"):
            self._offset(key.value, value, record)
        elif name == "GroupMetadataValue":
            self._classic(key.value, value.value)
        else:
            for kind, prefix in _PREFIXES.items():
                if name.startswith(prefix):
                    self._modern(kind, name.removeprefix(prefix), key.value, value.value)

    def _offset(self, key: Any, message: KafkaMessage, record: LatestRecord) -> None:
        value: Any = message.value
        self.group(key.group).offsets[key.topic, key.partition] = Committed(
            value.offset,
            _or(getattr(value, "leader_epoch", None), -1),
            value.metadata,
            value.commit_timestamp,
            _or(getattr(value, "expire_timestamp", None), NO_TIME),
            record.offset,
        )

    def _classic(self, key: Any, value: Any) -> None:
        group = self.group(key.group)
        group.protocol_type, group.protocol, group.epoch = value.protocol_type, value.protocol, value.generation
        group.since = _or(value.current_state_timestamp, NO_TIME)
        for it in value.members:
            member = Member(it.member_id, it.client_id, it.client_host, it.group_instance_id)
            if value.protocol_type == "consumer" and it.assignment:
                try:
                    assignment: Any = parse_prefix("consumer_protocol_assignment", it.assignment)[0]
                    member.assigned = {one.topic: list(one.partitions) for one in assignment.assigned_partitions}
                except DataError:
                    pass  # a client's own
            group.members[it.member_id] = member

    def _modern(self, kind: str, what: str, key: Any, value: Any) -> None:
        group = self.group(key.group_id, kind)
        if what == "MetadataValue":
            group.epoch = value.epoch
            group.validated_epoch = _or(getattr(value, "validated_topology_epoch", None), -1)
        elif what == "TargetAssignmentMetadataValue":
            group.target_epoch = value.assignment_epoch
        elif what == "TopologyValue":
            group.topology_epoch = value.epoch
            group.reads = {
                one.subtopology_id: [
                    *(item.value for item in one.source_topics),
                    *(item.name for item in one.repartition_source_topics),
                ]
                for one in value.subtopologies
            }
        elif what == "MemberMetadataValue":
            member = self.member(group, key.member_id)
            member.client_id, member.client_host = value.client_id, value.client_host
            member.instance_id = getattr(value, "instance_id", None)
            group.protocol = getattr(value, "server_assignor", None) or group.protocol
        elif what == "CurrentMemberAssignmentValue":
            member = self.member(group, key.member_id)
            member.epoch = value.member_epoch
            member.is_stable = getattr(value.state, "name", "") == "stable"
            if kind == STREAMS:
                member.tasks = {it.subtopology_id: list(it.partitions) for it in value.active_tasks}
            else:
                member.assigned = {it.topic_id: list(it.partitions) for it in value.assigned_partitions}


_PREFIXES: Final = {CONSUMER: "ConsumerGroup", SHARE: "ShareGroup", STREAMS: "StreamsGroup"}


def _or(value: Any, otherwise: int) -> int:
    return otherwise if value is None else int(value)


def _share_offsets(
    partition: Partition, trouble: Trouble, moment: Moment, reading: Mapping[str, Any]
) -> Iterator[tuple[str, bytes, int, Committed]]:
    """Group, topic's id, partition and start offset: the latest whole state, and the latest change after it."""
    reader = decoder(SHARE_STATE)
    states: dict[tuple[str, bytes, int], dict[str, tuple[Any, LatestRecord]]] = {}
    for record in trouble.records(partition, moment, **reading):
        if record.value is None:
            continue
        try:
            key: Any = reader.key(record.key).value
            message = reader.value(record.value, record.key)
        except DataError as error:
            trouble.refuse(partition, record, error)
            continue
        place = key.group_id, key.topic_id, key.partition
        states.setdefault(place, {})[message.schema.name] = message.value, record
    for (group, topic_id, number), parts in states.items():
        start, epoch, timestamp, offset = -1, -1, NO_TIME, -1
        for value, record in sorted(parts.values(), key=lambda part: part[1].offset):
            is_whole = value._type.name == "share_snapshot_value"
            start = value.start_offset if is_whole or value.start_offset != -1 else start
            epoch = value.leader_epoch if is_whole or value.leader_epoch != -1 else epoch
            timestamp, offset = record.timestamp, record.offset
        if start >= 0:  # before its first fetch it has none (PartitionFactory.UNINITIALIZED_START_OFFSET)
            yield group, topic_id, number, Committed(start, epoch, "", timestamp, NO_TIME, offset)


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups of a cluster at a moment, and what is wrong with their records."""

    groups: Mapping[str, Group]
    trouble: Trouble


def load_groups(
    offsets: Iterable[Partition], share_states: Iterable[Partition] = (), moment: Moment = NOW, **reading: Any
) -> Groups:
    """The groups that partitions of ``__consumer_offsets``, and of ``__share_group_state``, have.

    ``reading``: ``on_corrupt`` and ``on_skipped``, as for `Partition.record_batches`. Damage ends its partition. Raises
    OSError; UsageError for a time where records have none.
    """
    loading = _Loading()
    for partition in offsets:
        for record in loading.trouble.records(partition, moment, **reading):
            if record.value is not None:
                loading.take(partition, record)
    for partition in share_states:
        for name, topic_id, number, committed in _share_offsets(partition, loading.trouble, moment, reading):
            loading.group(name, SHARE).offsets[topic_id, number] = committed
    return Groups(dict(sorted(loading.groups.items())), loading.trouble)


def group_sizes(partitions: Iterable[Partition], **reading: Any) -> dict[str, KeySize]:
    """What the records of each group take in ``__consumer_offsets``, the largest first; those whose key does not parse
    are under ``""``. ``reading`` as for `load_groups`.
    """
    found: dict[str, KeySize] = {}
    reader = decoder(OFFSETS)
    for partition in partitions:
        for key, size in key_sizes(partition, **reading).items():
            try:
                read: Any = reader.key(key).value
                name = str(getattr(read, "group", None) or getattr(read, "group_id", ""))
            except DataError:
                name = ""
            before = found.get(name, KeySize(0, 0))
            found[name] = KeySize(before.records_count + size.records_count, before.size_bytes + size.size_bytes)
    return dict(sorted(found.items(), key=lambda one: (-one[1].size_bytes, one[0])))


__all__ = ["DEFAULT_RETENTION_MS", "Committed", "Group", "Groups", "Member", "group_sizes", "load_groups"]
