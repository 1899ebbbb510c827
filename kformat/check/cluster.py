"""A root's partitions compared with what its own disks say of the cluster.

The cluster's metadata log says which partitions a broker has, `__consumer_offsets` says what groups have read, and the
quorum's state lies next to the metadata log. All of it is of the root that is checked: other disks are not asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from kformat.check.text_files import PartitionFacts, Partitions, TextFile
from kformat.errors import KformatError, MissingDependencyError
from kformat.kafka.files.file_kinds import CLUSTER_METADATA
from kformat.kafka.files.text_files import LeaderEpochs, MetaProperties, QuorumState
from kformat.kafka.findings.directory import LEFT, NOT_JUDGED
from kformat.kafka.findings.rules import Finding, at_most, rule
from kformat.kafka.log.partition import Partition, open_partition
from kformat.kafka.messages.decoding import TOPICS
from kformat.kafka.state.groups import OFFSETS_TOPIC, SHARE, SHARE_TOPIC, Group, load_groups
from kformat.kafka.state.image import TopicImage, cluster_image
from kformat.language.logical import uuid_text

STRAY: Final = rule(
    "KF0814",
    "warning",
    "The cluster's metadata in the same root knows a partition's topic by its id, and this broker as a replica.",
    source="LogManager.isStrayReplica, BrokerMetadataPublisher",
    kafka="Renames the folder to `-stray` when it starts, and does not serve it.",
)
OTHER_ID: Final = rule(
    "KF0815",
    "error",
    "A partition has the id that the cluster's metadata in the same root has for its topic's name.",
    source="LogManager.isStrayReplica, UnifiedLog.assignTopicId",
    kafka="Takes a folder with an id that no topic has for that of a deleted topic: renames it to `-stray`, and begins "
    "an empty log. One with another topic's id it leaves, and refuses the partition (InconsistentTopicIdException).",
)
OTHER_QUORUM: Final = rule(
    "KF0816",
    "warning",
    "The quorum's state is of the cluster that `meta.properties` names, and a vote for this node is for its directory.",
    source="FileQuorumStateStore, QuorumState.initialize",
    kafka="Does not compare clusters. Takes the vote for one that was given to another node.",
)
QUORUM_BEHIND: Final = rule(
    "KF0817",
    "warning",
    "The leader epoch of the quorum's state is at least the last one of the metadata log.",
    source="QuorumState.initialize",
    kafka="Logs a warning and goes on with the log's epoch, without the vote: a voter may then vote twice in an epoch.",
)
BEYOND: Final = rule(
    "KF1201",
    "warning",
    "An offset that a group committed, or a share group's start offset, is not beyond the end of the partition's log. "
    "(That in the same root: another broker's disk may have more of it.)",
    source="OffsetMetadataManager, KafkaApis.handleOffsetFetchRequest",
    kafka="Hands the offset out. A consumer that fetches there gets OffsetOutOfRangeException, and goes on where "
    "`auto.offset.reset` says.",
)

_Value = TypeVar("_Value")
_QUORUM_STATE, _EPOCHS = "quorum-state", "leader-epoch-checkpoint"
_SET_ASIDE: Final = "a broker sets the folder aside"
_NO_DIRECTORY: Final = uuid_text(bytes(16))


def cluster_findings(files: list[TextFile], partitions: Partitions, *, with_records: bool) -> Iterator[Finding]:
    """Findings on a root's partitions and quorum; ``files`` are the root's own.

    ``with_records``: whether records may be read.
    """
    metadata = partitions.get((CLUSTER_METADATA, 0))
    properties = _value_of(files, MetaProperties)
    if metadata is not None:
        yield from _quorum(metadata, properties)
        if with_records and metadata.is_whole and properties is not None and properties.node_id is not None:
            yield from _unknown_partitions(metadata, partitions, properties.node_id)
    if with_records:
        yield from _beyond(partitions)


def _value_of(files: list[TextFile], kind: type[_Value]) -> _Value | None:
    """The first value of a kind that text files have."""
    return next((text.value for text in files if isinstance(text.value, kind)), None)


# --- partitions ------------------------------------------------------------------------------------------------------


def _unknown_partitions(metadata: PartitionFacts, partitions: Partitions, node_id: int) -> Iterator[Finding]:
    """Findings on partitions that a broker would not take for its own.

    A metadata log in which the broker never registered does not say which partitions it has. A broker that was killed
    may leave a folder of a topic that was just deleted, or an empty one that was just made, without an id.
    """
    try:
        image = cluster_image(open_partition(metadata.path))
    except (KformatError, OSError):  # what is wrong with the log is found there
        return
    if image.unknown or node_id not in image.brokers:
        return
    by_id, by_name = {uuid_text(id): topic for id, topic in image.topics.items()}, image.by_name()
    gone = {uuid_text(one.id) for one in image.deleted} | {one.name for one in image.deleted} - by_name.keys()
    strays, others = list[Finding](), list[Finding]()
    for (name, number), facts in sorted(partitions.items()):
        if name == CLUSTER_METADATA or (facts.metadata is not None and facts.metadata.value is None):
            continue
        id, topic = facts.topic_id, by_name.get(name)
        known = None if id is None else by_id.get(id)
        if (name if id is None else id) in gone:
            strays.append(LEFT.at(facts.path, None, "", "the topic was deleted; a broker sets its folder aside"))
        elif id is None and facts.log_end_offset == 0:
            strays.append(
                LEFT.at(facts.path, None, "", "empty and without the topic's id; a broker sets its folder aside")
            )
        elif id is not None and known is not topic:
            others.append(_other_id(facts, id, name, topic, known))
        else:
            problem = _stray(id, number, topic, node_id)
            if problem is not None:
                strays.append(STRAY.at(_file_of(facts), None, "", f"{name}-{number}: {problem}", None, id))
    yield from at_most(strays)
    yield from at_most(others)


def _stray(id: str | None, number: int, topic: TopicImage | None, node_id: int) -> str | None:
    """Why a broker takes a partition for a stray; None if it does not. ``topic`` is the one with its id and name."""
    if id is None:
        return "there is no partition.metadata with the topic's id"
    if topic is None:
        return f"the metadata has no topic with the id {id}"
    there = topic.partitions.get(number)
    if there is None:
        return "the metadata has no such partition of the topic"
    if node_id not in there.replicas:
        return f"the metadata has replicas on {_listed(there.replicas)}, and this is broker {node_id}"
    return None


def _other_id(facts: PartitionFacts, id: str, name: str, topic: TopicImage | None, known: TopicImage | None) -> Finding:
    expected = None if topic is None else uuid_text(topic.id)
    says = [f"the metadata has {expected} for {name}"] if topic is not None else []
    says += [f"{'that is' if says else 'the metadata has it for'} {known.name}"] if known is not None else []
    message = f"topic_id {id}, and {', and '.join(says)}"
    return OTHER_ID.at(_file_of(facts), None, "partition_metadata.topic_id", message, expected, id)


def _file_of(facts: PartitionFacts) -> str:
    return facts.path if facts.metadata is None else facts.metadata.file


def _listed(ids: list[int]) -> str:
    return ", ".join(map(str, ids)) or "no broker"


# --- committed offsets -----------------------------------------------------------------------------------------------


def _beyond(partitions: Partitions) -> Iterator[Finding]:
    """Findings on committed offsets after the end of a log; needs the extra ``arrow``."""
    judged = {key: it for key, it in partitions.items() if it.log_end_offset is not None and key[0] not in TOPICS}
    end_now = functools.cache(_end_now)
    names = {facts.topic_id: name for (name, _), facts in partitions.items() if facts.topic_id is not None}
    for (name, _), facts in sorted(partitions.items()) if judged else ():
        if name not in (OFFSETS_TOPIC, SHARE_TOPIC):
            continue
        try:
            partition = open_partition(facts.path)
            offsets, shares = ([partition], []) if name == OFFSETS_TOPIC else ([], [partition])
            groups = load_groups(offsets, shares, on_corrupt="skip").groups.values()
        except MissingDependencyError as error:
            yield NOT_JUDGED.at(facts.path, None, "", f"committed offsets are not judged: {error}")
            return
        except (KformatError, OSError):  # the rules about logs say what is wrong
            continue
        yield from at_most(_beyond_ends(partition, groups, judged, names, end_now))


def _beyond_ends(
    partition: Partition,
    groups: Iterable[Group],
    judged: Partitions,
    names: Mapping[str, str],
    end_now: Callable[[str], int | None],
) -> Iterator[Finding]:
    """Findings on the offsets of groups; ``end_now``: a log's end now, since a broker may have appended to it."""
    for group in groups:
        for (topic, number), committed in group.offsets.items():
            name = topic if isinstance(topic, str) else names.get(uuid_text(topic), "")
            facts = judged.get((name, number))
            if facts is None or facts.log_end_offset is None or committed.offset <= facts.log_end_offset:
                continue
            end = end_now(facts.path)
            if end is not None and committed.offset > end:
                is_share = group.kind == SHARE
                path = "share_snapshot_value.start_offset" if is_share else "offset_commit_value.offset"
                word = "begins at" if is_share else "committed"
                message = f"group {group.name} {word} offset {committed.offset} of {name}-{number} "
                message += f"(record {committed.record_offset}), and the log here ends at {end}"
                file = _log_with(partition, committed.record_offset)
                yield BEYOND.at(file, None, path, message, f"<= {end}", committed.offset)


def _end_now(path: str) -> int | None:
    """The end of a partition's log, read again; None if it is not known."""
    try:
        return open_partition(path).end_offset
    except (KformatError, OSError):
        return None


def _log_with(partition: Partition, offset: int) -> str:
    """The path of the log that has an offset."""
    logs = [segment for segment in partition.segments if segment.base_offset <= offset]
    return str(logs[-1].log if logs else partition.folder)


# --- the quorum ------------------------------------------------------------------------------------------------------


def _quorum(metadata: PartitionFacts, properties: MetaProperties | None) -> Iterator[Finding]:
    """Findings on the quorum's state next to the metadata log."""
    text = metadata.texts.get(_QUORUM_STATE)
    if text is None or not isinstance(text.value, QuorumState):
        return
    state = text.value
    if properties is not None:
        cluster, directory = properties.cluster_id, properties.directory_id
        if state.cluster_id and cluster is not None and state.cluster_id != cluster:
            message = f"clusterId {state.cluster_id}, and meta.properties has cluster.id={cluster}"
            yield OTHER_QUORUM.at(text.file, None, "quorum_state.clusterId", message, cluster, state.cluster_id)
        voted = state.voted_directory_id
        is_own = state.voted_id >= 0 and state.voted_id == properties.node_id
        if is_own and directory is not None and voted not in (None, _NO_DIRECTORY, directory):
            message = f"a vote for this node with directory {voted}, and meta.properties has directory.id={directory}"
            yield OTHER_QUORUM.at(text.file, None, "quorum_state.votedDirectoryId", message, directory, voted)
    epochs = metadata.texts.get(_EPOCHS)
    if epochs is not None and isinstance(epochs.value, LeaderEpochs) and epochs.value.entries:
        last = max(entry.epoch for entry in epochs.value.entries)
        if state.leader_epoch < last:
            message = f"leaderEpoch {state.leader_epoch}, and the log's last leader epoch is {last}"
            yield QUORUM_BEHIND.at(
                text.file, None, "quorum_state.leaderEpoch", message, f">= {last}", state.leader_epoch
            )


__all__ = ["cluster_findings"]
