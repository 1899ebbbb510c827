"""The state of a KRaft cluster at a moment: its metadata log, and the snapshots next to it, applied record by record.

The rules are those of Kafka's images (``org.apache.kafka.image.*Delta``): a record replaces or changes an entry, a
removal takes it away, and the records between the beginning of a transaction and its end count together. Entries are
keyed and compared as Kafka does; values are those of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from kformat.errors import ChecksumError, DataError, InvalidError, TruncatedError
from kformat.integers import wrapped_int32
from kformat.kafka.batch.batches import iter_batches
from kformat.kafka.batch.records import Record, parse_control_record
from kformat.kafka.files.file_kinds import CLUSTER_METADATA as METADATA_TOPIC
from kformat.kafka.files.file_kinds import parse_file_name
from kformat.kafka.log.partition import Partition
from kformat.kafka.messages.decoding import CLUSTER_METADATA, decoder
from kformat.kafka.state.latest import NOW, Moment, start_of
from kformat.times import time_text

NO_LEADER, NO_CHANGE = -1, -2
"""Leaders in records: there is none; it stays (PartitionChangeRecord)."""
_FENCED: Final = 1
_MIGRATING = bytes(16)
"""A directory of a replica that was never named (DirectoryId.MIGRATING)."""


@dataclass
class PartitionImage:
    """A partition as the cluster's metadata has it."""

    replicas: list[int]
    isr: list[int]
    leader: int
    leader_epoch: int
    partition_epoch: int
    removing_replicas: list[int] = field(default_factory=list)
    adding_replicas: list[int] = field(default_factory=list)
    leader_recovery_state: int = 0
    directories: list[bytes] = field(default_factory=list)
    elr: list[int] = field(default_factory=list)
    last_known_elr: list[int] = field(default_factory=list)


@dataclass
class TopicImage:
    """A topic; ``created_ms`` is the time of its record, None if that is in a snapshot only."""

    name: str
    id: bytes
    partitions: dict[int, PartitionImage] = field(default_factory=dict)
    created_ms: int | None = None


class DeletedTopic(NamedTuple):
    """A topic that was there, and when it went."""

    name: str
    id: bytes
    created_ms: int | None
    deleted_ms: int
    offset: int


@dataclass
class BrokerImage:
    """A broker's latest registration."""

    epoch: int
    incarnation_id: bytes
    listeners: dict[str, tuple[str, int, int]]
    features: dict[str, tuple[int, int]]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    directories: list[bytes]
    cordoned: list[bytes]
    is_migrating: bool


@dataclass
class ControllerImage:
    """A controller's latest registration."""

    incarnation_id: bytes
    zk_migration_ready: bool
    listeners: dict[str, tuple[str, int, int]]
    features: dict[str, tuple[int, int]]


Entity = tuple[tuple[str, str | None], ...]


@dataclass
class ClusterImage:
    """The whole state.

    Attributes:
        offset, timestamp: of the last record that was applied; -1 if none was.
        topics: by id. deleted: those that went, as far as the log goes back.
        configs: (type of the resource, its name) -> names and values. Types here and below are members of enumerations,
            which are numbers.
        acls: by id: resource type, name, pattern type, principal, host, operation, permission.
        quotas: by entity (pairs of type and name; None: the default) -> keys and values.
        scram: (user, mechanism) -> iterations. Salts and keys are not kept.
        tokens: the ids of delegation tokens -> the owner.
        voters: the ids of the voters, where they stand in the log; None: the configuration names them.
        unknown: how many records were of a type or a version that is not known.
        open_records: how many are in a transaction without its end, and do not count.
    """

    offset: int = -1
    timestamp: int = -1
    topics: dict[bytes, TopicImage] = field(default_factory=dict)
    deleted: list[DeletedTopic] = field(default_factory=list)
    brokers: dict[int, BrokerImage] = field(default_factory=dict)
    controllers: dict[int, ControllerImage] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    configs: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    acls: dict[bytes, tuple[Any, ...]] = field(default_factory=dict)
    quotas: dict[Entity, dict[str, float]] = field(default_factory=dict)
    scram: dict[tuple[str, int], int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    next_producer_id: int = -1
    zk_migration_state: int | None = None
    kraft_version: int | None = None
    voters: list[int] | None = None
    unknown: int = 0
    open_records: int = 0

    def by_name(self) -> dict[str, TopicImage]:
        """The topics by their names."""
        return {topic.name: topic for topic in self.topics.values()}

    def config(self, kind: int, name: str) -> dict[str, str]:
        """The configuration of a resource; empty if it has none."""
        return self.configs.get((kind, name), {})


# --- records ---------------------------------------------------------------------------------------------------------


def _of(value: Any, name: str, otherwise: Any = None) -> Any:
    """A field that the records of the preview in 2.8 do not have."""
    return getattr(value, name, otherwise)


def _registrations(value: Any) -> tuple[dict[str, tuple[str, int, int]], dict[str, tuple[int, int]]]:
    return (
        {it.name: (it.host, it.port, it.security_protocol) for it in value.end_points},
        {it.name: (it.min_supported_version, it.max_supported_version) for it in value.features},
    )


def _topic(image: ClusterImage, value: Any, record: Record) -> None:
    image.topics[value.topic_id] = TopicImage(value.name, value.topic_id, created_ms=record.timestamp)


def _remove_topic(image: ClusterImage, value: Any, record: Record) -> None:
    gone = image.topics.pop(value.topic_id, None)
    if gone is not None:
        image.deleted.append(DeletedTopic(gone.name, gone.id, gone.created_ms, record.timestamp, record.offset))
        image.configs.pop((_TOPIC_RESOURCE, gone.name), None)


def _partition(image: ClusterImage, value: Any, record: Record) -> None:
    topic = image.topics.get(value.topic_id)
    if topic is None:
        raise InvalidError("a partition of a topic that is not there", path="partition_record.topic_id")
    topic.partitions[value.partition_id] = PartitionImage(
        replicas=list(value.replicas),
        isr=list(value.isr),
        leader=value.leader,
        leader_epoch=value.leader_epoch,
        partition_epoch=value.partition_epoch,
        removing_replicas=list(value.removing_replicas),
        adding_replicas=list(value.adding_replicas),
        leader_recovery_state=int(_of(value, "leader_recovery_state") or 0),
        directories=list(_of(value, "directories") or [_MIGRATING] * len(value.replicas)),
        elr=list(_of(value, "eligible_leader_replicas") or ()),
        last_known_elr=list(_of(value, "last_known_elr") or ()),
    )


def _change_partition(image: ClusterImage, value: Any, record: Record) -> None:
    topic = image.topics.get(value.topic_id)
    there = None if topic is None else topic.partitions.get(value.partition_id)
    if there is None:
        raise InvalidError("a change of a partition that is not there", path="partition_change_record.partition_id")
    for name in ("isr", "replicas", "removing_replicas", "adding_replicas", "directories"):
        given = _of(value, name)
        if given is not None:
            setattr(there, name, list(given))
    elr, last_known = _of(value, "eligible_leader_replicas"), _of(value, "last_known_elr")
    there.elr = there.elr if elr is None else list(elr)
    there.last_known_elr = there.last_known_elr if last_known is None else list(last_known)
    if value.leader != NO_CHANGE:
        there.leader, there.leader_epoch = value.leader, wrapped_int32(there.leader_epoch + 1)
    if _of(value, "leader_recovery_state", -1) != -1:
        there.leader_recovery_state = int(value.leader_recovery_state)
    there.partition_epoch += 1


def _register_broker(image: ClusterImage, value: Any, record: Record) -> None:
    listeners, features = _registrations(value)
    image.brokers[value.broker_id] = BrokerImage(
        epoch=value.broker_epoch,
        incarnation_id=value.incarnation_id,
        listeners=listeners,
        features=features,
        rack=value.rack,
        fenced=bool(_of(value, "fenced", True)),
        in_controlled_shutdown=bool(_of(value, "in_controlled_shutdown")),
        directories=sorted(_of(value, "log_dirs") or ()),
        cordoned=sorted(_of(value, "cordoned_log_dirs") or ()),
        is_migrating=bool(_of(value, "is_migrating_zk_broker")),
    )


def _fence(fenced: bool) -> Callable[[ClusterImage, Any, Record], None]:
    def apply(image: ClusterImage, value: Any, record: Record) -> None:
        if value.id in image.brokers:
            image.brokers[value.id].fenced = fenced

    return apply


def _change_broker(image: ClusterImage, value: Any, record: Record) -> None:
    there = image.brokers.get(value.broker_id)
    if there is None:
        return
    if value.fenced:
        there.fenced = value.fenced == _FENCED
    if value.in_controlled_shutdown:
        there.in_controlled_shutdown = True
    if value.log_dirs:
        there.directories = sorted(value.log_dirs)
    if value.cordoned_log_dirs is not None:
        there.cordoned = sorted(value.cordoned_log_dirs)


def _unregister_broker(image: ClusterImage, value: Any, record: Record) -> None:
    image.brokers.pop(value.broker_id, None)


def _register_controller(image: ClusterImage, value: Any, record: Record) -> None:
    listeners, features = _registrations(value)
    image.controllers[value.controller_id] = ControllerImage(
        value.incarnation_id, bool(value.zk_migration_ready), listeners, features
    )


def _unregister_controller(image: ClusterImage, value: Any, record: Record) -> None:
    image.controllers.pop(value.controller_id, None)


def _feature(image: ClusterImage, value: Any, record: Record) -> None:
    level = _of(value, "feature_level", _of(value, "max_feature_level"))
    if level:
        image.features[value.name] = level
    else:
        image.features.pop(value.name, None)


def _config(image: ClusterImage, value: Any, record: Record) -> None:
    resource = value.resource_type, value.resource_name
    entries = image.configs.setdefault(resource, {})
    if value.value is None:
        entries.pop(value.name, None)
    else:
        entries[value.name] = value.value
    if not entries:
        del image.configs[resource]


def _acl(image: ClusterImage, value: Any, record: Record) -> None:
    image.acls[value.id] = (
        *(value.resource_type, value.resource_name, value.pattern_type, value.principal, value.host),
        *(value.operation, value.permission_type),
    )


def _remove_acl(image: ClusterImage, value: Any, record: Record) -> None:
    image.acls.pop(value.id, None)


def _quota(image: ClusterImage, value: Any, record: Record) -> None:
    named = ((it.entity_type, it.entity_name) for it in value.entity)
    entity = tuple(sorted(named, key=lambda one: (one[0], one[1] is not None, one[1] or "")))
    limits = image.quotas.setdefault(entity, {})
    if value.remove:
        limits.pop(value.key, None)
    else:
        limits[value.key] = value.value
    if not limits:
        del image.quotas[entity]


def _scram(image: ClusterImage, value: Any, record: Record) -> None:
    for one in _of(value, "credential_infos", (value,)):
        image.scram[value.name, one.mechanism] = one.iterations


def _remove_scram(image: ClusterImage, value: Any, record: Record) -> None:
    image.scram.pop((value.name, value.mechanism), None)


def _token(image: ClusterImage, value: Any, record: Record) -> None:
    image.tokens[value.token_id] = value.owner


def _remove_token(image: ClusterImage, value: Any, record: Record) -> None:
    image.tokens.pop(value.token_id, None)


def _producer_ids(image: ClusterImage, value: Any, record: Record) -> None:
    image.next_producer_id = value.next_producer_id


def _zk_migration(image: ClusterImage, value: Any, record: Record) -> None:
    image.zk_migration_state = value.zk_migration_state


def _clear_elr(image: ClusterImage, value: Any, record: Record) -> None:
    for topic in image.topics.values():
        if value.topic_name in ("", topic.name):
            for there in topic.partitions.values():
                if there.elr or there.last_known_elr:
                    there.elr, there.last_known_elr = [], []
                    there.partition_epoch += 1


_TOPIC_RESOURCE: Final = 2
_APPLY: Final[dict[str, Callable[[ClusterImage, Any, Record], None]]] = {
    "TopicRecord": _topic,
    "RemoveTopicRecord": _remove_topic,
    "PartitionRecord": _partition,
    "PartitionChangeRecord": _change_partition,
    "RegisterBrokerRecord": _register_broker,
    "FenceBrokerRecord": _fence(True),
    "UnfenceBrokerRecord": _fence(False),
    "BrokerRegistrationChangeRecord": _change_broker,
    "UnregisterBrokerRecord": _unregister_broker,
    "RegisterControllerRecord": _register_controller,
    "UnregisterControllerRecord": _unregister_controller,
    "FeatureLevelRecord": _feature,
    "ConfigRecord": _config,
    "AccessControlEntryRecord": _acl,
    "RemoveAccessControlEntryRecord": _remove_acl,
    "ClientQuotaRecord": _quota,
    "QuotaRecord": _quota,
    "UserScramCredentialRecord": _scram,
    "RemoveUserScramCredentialRecord": _remove_scram,
    "DelegationTokenRecord": _token,
    "RemoveDelegationTokenRecord": _remove_token,
    "ProducerIdsRecord": _producer_ids,
    "ZkMigrationStateRecord": _zk_migration,
    "ClearElrRecord": _clear_elr,
}
_BEGIN, _END, _ABORT = "BeginTransactionRecord", "EndTransactionRecord", "AbortTransactionRecord"


class Replay:
    """Applies records in order to an image, those of a transaction when it ends."""

    def __init__(self, *, is_lenient: bool = False) -> None:
        self.image = ClusterImage()
        self.is_lenient = is_lenient
        self._open: list[tuple[str, Any, Record]] | None = None
        self._source = "<bytes>"
        self._decoder = decoder(CLUSTER_METADATA)

    def apply(self, record: Record, source: str = "<bytes>") -> None:
        """Apply one record. Raises DataError for one that cannot be applied; one that is not known is counted."""
        image = self.image
        self._source = source
        try:
            message = self._decoder.value(record.value or b"", None, source=source)
        except DataError:
            image.unknown += 1
            image.offset, image.timestamp = record.offset, record.timestamp
            return
        name = message.schema.name
        if name == _BEGIN:
            self._open = []
            image.open_records = 0
        elif name in (_END, _ABORT):
            for change in self._open or () if name == _END else ():
                self._change(*change)
            self._open = None
            image.open_records = 0
        elif self._open is not None:
            self._open.append((name, message.value, record))
            image.open_records += 1
        else:
            self._change(name, message.value, record)
        image.offset, image.timestamp = record.offset, record.timestamp

    def _change(self, name: str, value: Any, record: Record) -> None:
        apply = _APPLY.get(name)
        if apply is None:
            return
        try:
            apply(self.image, value, record)
        except DataError as error:
            if not self.is_lenient:
                error.source, error.path = self._source, f"{error.path} at offset {record.offset}"
                raise
            self.image.unknown += 1

    def control(self, record: Record, source: str = "<bytes>") -> None:
        """Take what a control record says: the version of the quorum's protocol, and its voters."""
        key, value = parse_control_record(record, source)
        name = getattr(key.type, "name", "")
        if name == "kraft_version":
            self.image.kraft_version = int(value.kraft_version)
        elif name == "kraft_voters":
            self.image.voters = sorted(voter.voter_id for voter in value.voters)


# --- logs and snapshots ----------------------------------------------------------------------------------------------


class MetadataSnapshot(NamedTuple):
    """A snapshot of the metadata log: it has what the records below ``end_offset`` say."""

    end_offset: int
    epoch: int
    path: Path


def snapshots_of(partition: Partition) -> list[MetadataSnapshot]:
    """The snapshots in the folder of a metadata log, the oldest first."""
    found = []
    for other in partition.others:
        parsed = parse_file_name(other.name)
        if parsed is not None and parsed.kind == "metadata_snapshot" and not parsed.state:
            found.append(MetadataSnapshot(parsed.offset, parsed.epoch or 0, partition.folder / other.name))
    return sorted(found)


def cluster_image(
    partition: Partition,
    moment: Moment = NOW,
    *,
    with_snapshots: bool = True,
    on_problem: Callable[[Exception], object] | None = None,
    **reading: Any,
) -> ClusterImage:
    """The state of a cluster at a moment, from its metadata log and the newest snapshot before that.

    ``reading``: ``on_corrupt`` and ``on_skipped``, as for `Partition.record_batches`. With ``on_corrupt="skip"`` a
    snapshot that is not whole is passed over, and ``on_problem`` called with why; and a record that cannot be applied,
    because one before it is lost, is counted as ``unknown``.

    Raises InvalidError if the log does not go back to the moment, and no snapshot does, or begins later; DataError for
    a snapshot without its end, and a record that cannot be applied; and as `Partition.record_batches`.
    """
    first = start_of(partition) or 0
    is_lenient = reading.get("on_corrupt", "error") != "error"
    replay = Replay(is_lenient=is_lenient)
    start = 0
    for snapshot in reversed(snapshots_of(partition) if with_snapshots or first > 0 else []):
        if moment.offset is not None and snapshot.end_offset > moment.offset + 1:
            continue
        try:
            records = list(_records_of(snapshot.path))
            timestamp = _checked_end(records, snapshot.path)
        except DataError as error:
            if not is_lenient:
                raise
            if on_problem is not None:
                on_problem(error)
            continue
        if moment.time_ms is None or timestamp <= moment.time_ms:
            _apply_snapshot(replay, snapshot, records, timestamp)
            start = snapshot.end_offset
            break
    if start < first:
        said = f"no snapshot before that is there, or that can be read{' and reaches the moment' * (moment != NOW)}"
        if start:
            said = f"the snapshot before that ends at offset {start}"
        raise InvalidError(f"the log begins at offset {first}, and {said}", source=str(partition.path))
    _apply_log(partition, replay, start, moment, reading)
    if replay.image.offset < 0 and moment.time_ms is not None:
        head = next(iter(partition.records(**reading)), None)
        when = "there is none" if head is None else f"that is of {time_text(head.timestamp)}"
        raise InvalidError(f"the moment is before the first record; {when}", source=str(partition.path))
    return replay.image


def _apply_snapshot(
    replay: Replay, snapshot: MetadataSnapshot, records: Iterable[tuple[Record, bool]], timestamp: int
) -> None:
    for record, is_control in records:
        (replay.control if is_control else replay.apply)(record, str(snapshot.path))
    replay.image.offset, replay.image.timestamp = snapshot.end_offset - 1, timestamp
    for topic in replay.image.topics.values():
        topic.created_ms = None


def _checked_end(records: list[tuple[Record, bool]], path: Path) -> int:
    """The time of the last record that a snapshot has, as its header says. TruncatedError if it lacks header or footer,
    between which it stands (RecordsSnapshotWriter).
    """
    controls = [parse_control_record(record, str(path)) for record, is_control in records if is_control]
    names = [getattr(key.type, "name", "") for key, _ in controls]
    for name, at in (("snapshot_header", 0), ("snapshot_footer", -1)):
        if not names or names[at] != name or not records[at][1]:
            raise TruncatedError(f"the snapshot has no {name.removeprefix('snapshot_')}", source=str(path))
    header: Any = controls[0][1]
    return int(header.last_contained_log_timestamp)


def _apply_log(partition: Partition, replay: Replay, start: int, moment: Moment, reading: Mapping[str, Any]) -> None:
    for record in partition.records(start, moment.end_offset, **reading):
        if moment.time_ms is not None and record.timestamp > moment.time_ms:
            return
        if record.key is None or not _is_control(replay, record, str(partition.path)):
            replay.apply(record, str(partition.path))


def _is_control(replay: Replay, record: Record, source: str) -> bool:
    """Take a control record: of all in this log they alone have keys. False for one whose key is another's."""
    try:
        replay.control(record, source)
    except DataError:
        return False
    replay.image.offset, replay.image.timestamp = record.offset, record.timestamp
    return True


def _records_of(path: Path) -> Iterator[tuple[Record, bool]]:
    for batch in iter_batches(path):
        if not batch.is_valid:
            raise ChecksumError(
                "checksum mismatch", source=str(path), position=batch.position, path="record_batch.crc",
                expected=f"{batch.computed_crc:08x}", found=f"{batch.crc:08x}",
            )  # fmt: skip
        for record in batch.records():
            yield record, bool(batch.is_control)


def replayed(records: Iterable[Record]) -> ClusterImage:
    """The image that some records make."""
    replay = Replay()
    for record in records:
        replay.apply(record)
    return replay.image


__all__ = ["METADATA_TOPIC", "ClusterImage", "PartitionImage", "TopicImage", "cluster_image", "replayed"]
