"""What the declarations of Kafka's messages say in our own words, and the names that its code has for numbers.

The schemas have neither: `WORDS` says what a message is for, `ENUMS` which numbers a field may hold, with the class of
Kafka that has them (4.4.0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple


class Names(NamedTuple):
    """An enum: its name in a declaration, and its members; ``source`` is Kafka's class."""

    id: str
    members: dict[int, str]
    source: str


_GROUP: Final = "of `__consumer_offsets`"
_KEYS_OF: Final = {
    "ConsumerGroup": "a group of the consumer protocol (KIP-848)",
    "ShareGroup": "a share group (KIP-932)",
    "StreamsGroup": "a streams group (KIP-1071)",
}
_WHAT: Final = {
    "MemberMetadata": (
        "a member, as it described itself",
        "what a member said of itself: where it runs, what it wants",
    ),
    "Metadata": ("the group", "the group's epoch, which grows with its members and subscriptions"),
    "PartitionMetadata": ("the partitions that it reads", "the topics that it subscribes to, with their partitions"),
    "TargetAssignmentMetadata": ("the target assignment", "the epoch of the target assignment"),
    "TargetAssignmentMember": ("a member's target", "the partitions, or tasks, that the member is to have"),
    "CurrentMemberAssignment": (
        "what a member has now",
        "the partitions, or tasks, that the member has, and its epoch",
    ),
    "RegularExpression": ("a regular expression of a subscription", "the topics that the expression matches"),
    "StatePartitionMetadata": ("the state of its partitions", "which partitions have a share state, or are to lose it"),
    "Topology": ("its topology", "the subtopologies: their source, sink, repartition and changelog topics"),
}

_SENTENCES: Final = """
LegacyOffsetCommitKey: Key of a record of `__consumer_offsets`: a committed offset, as written before 0.9.
LegacyOffsetCommitValue: Value of a record of `__consumer_offsets`: a committed offset, as written before 0.9.
OffsetCommitKey: Key of a record of `__consumer_offsets`: the group, topic and partition of a committed offset.
OffsetCommitValue: Value of a record of `__consumer_offsets`: how far a group has read a partition. No value: the
    offset was deleted, or has expired.
GroupMetadataKey: Key of a record of `__consumer_offsets`: a group of the classic protocol.
GroupMetadataValue: Value of a record of `__consumer_offsets`: the generation of a group of the classic protocol, with
    its members; their `subscription` and `assignment` are `consumer_protocol_subscription` and
    `consumer_protocol_assignment` in groups of consumers.
ConsumerProtocolAssignment: The partitions that the leader of a classic group gave to a consumer.
ConsumerProtocolSubscription: What a consumer of a classic group wants to read, and what it has.
TransactionLogKey: Key of a record of `__transaction_state`: a transactional id, whose hash code in Java decides which
    partition has its records. Coordinators pass over keys of a version that they do not know.
TransactionLogValue: Value of a record of `__transaction_state`: what the transaction coordinator knows of a
    transactional id; the latest one counts, and no value says that the id is forgotten. Version 0 since 0.11, version
    1 where the cluster's feature `transaction.version` is 1 or 2 (since 3.8).
ShareSnapshotKey: Key of a record of `__share_group_state`: a whole state of a partition in a share group.
ShareSnapshotValue: Value of a record of `__share_group_state`: how far a share group has come in a partition.
ShareUpdateKey: Key of a record of `__share_group_state`: a change to the latest whole state.
ShareUpdateValue: Value of a record of `__share_group_state`: what has changed since the latest whole state.
RemoteLogSegmentMetadataRecord: A record of `__remote_log_metadata`: a segment that is copied to remote storage.
RemoteLogSegmentMetadataSnapshotRecord: A segment in remote storage, as Kafka's snapshots of that metadata have it.
RemoteLogSegmentMetadataUpdateRecord: A record of `__remote_log_metadata`: a segment's state has changed.
RemotePartitionDeleteMetadataRecord: A record of `__remote_log_metadata`: a partition's remote segments are deleted.
ControlRecordTypeSchema: Key of a record in a control batch: its type says which message the value is. A newer version
    is read as this one, and bytes may follow.
EndTxnMarker: Value of the control records `abort` and `commit`, the last record of a transaction in a partition.
    Written by the transaction coordinator, since 0.11. A newer version is read as this one, and bytes may follow.
LeaderChangeMessage: Value of the control record `leader_change`, which a new leader of a KRaft quorum writes first in
    its epoch (since 2.7). Brokers up to 4.4.0 write version 0.
SnapshotHeaderRecord: Value of the control record `snapshot_header`, the first record of a KRaft snapshot (3.0).
SnapshotFooterRecord: Value of the control record `snapshot_footer`, the last record of a KRaft snapshot (3.0).
KRaftVersionRecord: Value of the control record `kraft_version`, in the metadata log and its snapshots (since 3.8,
    KIP-853): 0 for voters that the configuration names, 1 for voters that stand in the log.
VotersRecord: Value of the control record `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).
QuorumStateData: What a node has voted for; the file `quorum-state` has it as JSON.
DefaultPrincipalData: A principal, as brokers pass it on in envelopes.
AbortTransactionRecord: Metadata: the records since `begin_transaction_record` do not count.
AccessControlEntryRecord: Metadata: an ACL.
AccessControlRecord: Metadata of 2.8's preview: an ACL.
BeginTransactionRecord: Metadata: the records up to `end_transaction_record` count together, or not at all.
BrokerRegistrationChangeRecord: Metadata: a broker was fenced or unfenced, or has other directories.
ClearElrRecord: Metadata: the eligible leader replicas of a topic, or of all, are forgotten.
ClientQuotaRecord: Metadata: a quota of a client, a user or an address.
ConfigRecord: Metadata: a configuration of a topic, a broker, or another resource; null removes it.
DelegationTokenRecord: Metadata: a delegation token.
EndTransactionRecord: Metadata: the records since `begin_transaction_record` count from here on.
FeatureLevelRecord: Metadata: the level of a feature; `metadata.version` decides which records there are.
FenceBrokerRecord: Metadata: a broker is fenced, in one of its epochs.
NoOpRecord: Metadata: nothing; the active controller writes it so that the log goes on.
PartitionChangeRecord: Metadata: what has changed of a partition; a field without a tag stays as it was.
PartitionRecord: Metadata: a partition with its replicas, leader and epochs.
ProducerIdsRecord: Metadata: the producer ids up to `next_producer_id` belong to brokers.
QuotaRecord: Metadata of 2.8's preview: a quota.
RegisterBrokerRecord: Metadata: a broker with its listeners, features and directories; its epoch is the record's
    offset.
RegisterControllerRecord: Metadata: a controller with its listeners and features.
RemoveAccessControlEntryRecord: Metadata: an ACL is gone.
RemoveDelegationTokenRecord: Metadata: a delegation token is gone.
RemoveTopicRecord: Metadata: a topic is deleted.
RemoveUserScramCredentialRecord: Metadata: a user's credential is gone.
TopicRecord: Metadata: a topic's name and id.
UnfenceBrokerRecord: Metadata: a broker is no longer fenced, in one of its epochs.
UnregisterBrokerRecord: Metadata: a broker is gone.
UnregisterControllerRecord: Metadata: a controller is gone.
UserScramCredentialRecord: Metadata: what a user's password is checked with.
ZkMigrationStateRecord: Metadata: how far the move from ZooKeeper has come.
"""
"""A message and what it is; a line that is indented goes on."""


def _of_groups() -> Iterator[tuple[str, str]]:
    """The messages of which each kind of group has its own."""
    for kind, group in _KEYS_OF.items():
        for what, (key, value) in _WHAT.items():
            yield f"{kind}{what}Key", f"Key of a record {_GROUP}: {key}, in {group}."
            had = value.replace("partitions, or tasks,", "tasks" if kind == "StreamsGroup" else "partitions")
            yield f"{kind}{what}Value", f"Value of a record {_GROUP}: {had}, in {group}."


def _words() -> Iterator[tuple[str, str]]:
    for line in _SENTENCES.strip().replace("\n    ", " ").splitlines():
        name, _, sentence = line.partition(": ")
        yield name, sentence


WORDS: Final[dict[str, str]] = {**dict(_of_groups()), **dict(_words())}
"""By message: what it is."""

_RESOURCE: Final = Names(
    "resource_type",
    dict(enumerate("unknown any topic group cluster transactional_id delegation_token user".split())),
    "org.apache.kafka.common.resource.ResourceType",
)
_CONFIG_RESOURCE: Final = Names(
    "config_resource_type",
    {0: "unknown", 2: "topic", 4: "broker", 8: "broker_logger", 16: "client_metrics", 32: "group"},
    "org.apache.kafka.common.config.ConfigResource$Type",
)
_PATTERN: Final = Names(
    "pattern_type",
    dict(enumerate("unknown any match literal prefixed".split())),
    "org.apache.kafka.common.resource.PatternType",
)
_OPERATION: Final = Names(
    "acl_operation",
    dict(
        enumerate(
            "unknown any all read write create delete alter describe cluster_action describe_configs alter_configs"
            " idempotent_write create_tokens describe_tokens two_phase_commit".split()
        )
    ),
    "org.apache.kafka.common.acl.AclOperation",
)
_PERMISSION: Final = Names(
    "acl_permission_type",
    dict(enumerate("unknown any deny allow".split())),
    "org.apache.kafka.common.acl.AclPermissionType",
)
_SCRAM: Final = Names(
    "scram_mechanism",
    dict(enumerate("unknown scram_sha_256 scram_sha_512".split())),
    "org.apache.kafka.clients.admin.ScramMechanism",
)
_SECURITY: Final = Names(
    "security_protocol",
    dict(enumerate("plaintext ssl sasl_plaintext sasl_ssl".split())),
    "org.apache.kafka.common.security.auth.SecurityProtocol",
)
_SEGMENT: Final = Names(
    "remote_log_segment_state",
    dict(
        enumerate("copy_segment_started copy_segment_finished delete_segment_started delete_segment_finished".split())
    ),
    "org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState",
)
_TRANSACTION: Final = Names(
    "transaction_state",
    dict(
        enumerate(
            "empty ongoing prepare_commit prepare_abort complete_commit complete_abort dead prepare_epoch_fence".split()
        )
    ),
    "org.apache.kafka.coordinator.transaction.TransactionState",
)
ENUMS: Final[dict[str, Names]] = {
    "ControlRecordTypeSchema.Type": Names(
        "control_type",
        dict(
            enumerate("abort commit leader_change snapshot_header snapshot_footer kraft_version kraft_voters".split())
        ),
        "org.apache.kafka.common.record.internal.ControlRecordType",
    ),
    "TransactionLogValue.TransactionStatus": _TRANSACTION,
    "AccessControlEntryRecord.ResourceType": _RESOURCE,
    "AccessControlEntryRecord.PatternType": _PATTERN,
    "AccessControlEntryRecord.Operation": _OPERATION,
    "AccessControlEntryRecord.PermissionType": _PERMISSION,
    "ConfigRecord.ResourceType": _CONFIG_RESOURCE,
    "UserScramCredentialRecord.Mechanism": _SCRAM,
    "RemoveUserScramCredentialRecord.Mechanism": _SCRAM,
    "RegisterBrokerRecord.SecurityProtocol": _SECURITY,
    "RegisterControllerRecord.SecurityProtocol": _SECURITY,
    "RemoteLogSegmentMetadataRecord.RemoteLogSegmentState": _SEGMENT,
    "RemoteLogSegmentMetadataSnapshotRecord.RemoteLogSegmentState": _SEGMENT,
    "RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentState": _SEGMENT,
    "RemotePartitionDeleteMetadataRecord.RemotePartitionDeleteState": Names(
        "remote_partition_delete_state",
        dict(enumerate("delete_partition_marked delete_partition_started delete_partition_finished".split())),
        "org.apache.kafka.server.log.remote.storage.RemotePartitionDeleteState",
    ),
    "PartitionRecord.LeaderRecoveryState": Names(
        "leader_recovery_state", {0: "recovered", 1: "recovering"}, "org.apache.kafka.metadata.LeaderRecoveryState"
    ),
    "ConsumerGroupCurrentMemberAssignmentValue.State": Names(
        "member_state",
        {0: "stable", 1: "unrevoked_partitions", 2: "unreleased_partitions", 127: "unknown"},
        "org.apache.kafka.coordinator.group.modern.MemberState",
    ),
    "ShareGroupCurrentMemberAssignmentValue.State": Names(
        "member_state",
        {0: "stable", 1: "unrevoked_partitions", 2: "unreleased_partitions", 127: "unknown"},
        "org.apache.kafka.coordinator.group.modern.MemberState",
    ),
    "StreamsGroupCurrentMemberAssignmentValue.State": Names(
        "member_state",
        {1: "stable", 2: "unrevoked_tasks", 3: "unreleased_tasks", 127: "unknown"},
        "org.apache.kafka.coordinator.group.streams.MemberState",
    ),
}
"""By message and field; of the newest release, and of others where the field is the same."""
