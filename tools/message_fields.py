"""What the fields of Kafka's messages hold, in our own words, for docs/messages.md; fields that say it themselves have
none.

Read in Kafka's code (4.4.0): ``OffsetMetadataAndTopicId``, ``ClassicGroup``, ``ConsumerGroup``, ``ShareGroup``,
``StreamsGroup``, ``TransactionMetadata``, ``ShareGroupOffset``, ``PartitionRegistration``, ``BrokerRegistration``,
``RemoteLogSegmentMetadata``.
"""

from __future__ import annotations

from typing import Final

_TEXT: Final = """
OffsetCommitValue.offset: the next offset that the group will read
OffsetCommitValue.leaderEpoch: of the last record read; -1 for unknown
OffsetCommitValue.metadata: what the committer added
OffsetCommitValue.topicId: zeros for unknown
commitTimestamp: ms since 1970
expireTimestamp: ms since 1970; -1 for the broker's retention
GroupMetadataValue.protocolType: `consumer`, `connect`, ...; empty for offsets committed without members
GroupMetadataValue.generation: grows with each rebalance
GroupMetadataValue.protocol: the assignor that all members support; null without members
GroupMetadataValue.leader: the member that assigns; null without members
GroupMetadataValue.currentStateTimestamp: when the group came into its state; ms since 1970, -1 for unknown
groupInstanceId: of a static member
rebalanceTimeout: ms
sessionTimeout: ms
GroupMetadataValue.subscription: of a consumer: a [subscription](#consumer_protocol_subscription)
GroupMetadataValue.assignment: of a consumer: an [assignment](#consumer_protocol_assignment)
GenerationId: of `OwnedPartitions`
UserData: of the assignor
OwnedPartitions: what the member had before this rebalance
Epoch: of the group; grows with each change of members or subscriptions
MetadataHash: of the topics that the group reads; the group's epoch grows when it changes
InstanceId: of a static member
RebalanceTimeoutMs: ms
SessionTimeoutMs: ms
ServerAssignor: the assignor that the member asks the broker for
ClassicMemberMetadata: of a member that speaks the classic protocol
AssignmentEpoch: the group's epoch that the target is for
AssignmentTimestamp: ms since 1970
MemberEpoch: the epoch of the target that the member has reached; -1: it left, -2: it is static and will return
PreviousMemberEpoch: the one before, in case that the answer was lost
AssignedPartitions: what the member has
PartitionsPendingRevocation: what the member must give up first
AssignmentEpochs: of each partition, the epoch in which the member got it
SubscribedTopicRegex: in RE2's syntax
RegularExpression: in RE2's syntax
ConsumerGroupRegularExpressionValue.Version: of the metadata image in which topics were matched
Timestamp: ms since 1970
InitializingTopics: partitions whose share state is being created
InitializedTopics: partitions that have a share state
DeletingTopics: topics whose share state is being removed
SnapshotEpoch: grows with each snapshot; an update has that of the snapshot that it changes
StateEpoch: grows when the state is created again; older writers are refused
ShareSnapshotValue.LeaderEpoch: of the partition's leader that wrote the state
ShareUpdateValue.LeaderEpoch: of the partition's leader that wrote the state
ShareSnapshotValue.StartOffset: the first offset that may still be delivered
ShareUpdateValue.StartOffset: the first offset that may still be delivered; -1: as before
DeliveryCompleteCount: records from the start offset on that are done; -1 for unknown
CreateTimestamp: ms since 1970
WriteTimestamp: ms since 1970
DeliveryState: 0 available, 1 acquired, 2 acknowledged, 3 archiving, 4 archived
DeliveryCount: how often the batch was handed out
TopologyEpoch: of the topology that the member runs
ProcessId: the same for all members of one process
UserEndpoint: where interactive queries find the process
ClientTags: for the assignment of standby tasks
ActiveTasks: by subtopology
StandbyTasks: by subtopology
WarmupTasks: by subtopology
ValidatedTopologyEpoch: of the topology whose topics were found sound
LastAssignmentConfigs: settings of the latest assignment
StreamsGroupTopologyValue.Epoch: of the topology
CopartitionGroups: topics that must have as many partitions; numbers in the lists above
TransactionLogValue.TransactionTimeoutMs: ms
TransactionLogValue.PreviousProducerId: that of the latest committed transaction; -1 for none
TransactionLogValue.NextProducerId: for the next transaction, when epochs run out; -1 for none
TransactionLogValue.NextProducerEpoch: the epoch to take when the transaction is completed; -1 for none
TransactionLogValue.TransactionPartitions: in an ongoing or a prepared transaction
TransactionLastUpdateTimestampMs: ms since 1970
TransactionStartTimestampMs: ms since 1970; -1 before the first transaction
ClientTransactionVersion: 2: the epoch grows with each transaction (KIP-890)
EndTxnMarker.CoordinatorEpoch: of the transaction coordinator; an older one is fenced
LastContainedLogTimestamp: of the last record in the snapshot; ms since 1970
PartitionRecord.Leader: -1 for none
PartitionChangeRecord.Leader: -1 for none, -2: as before
PartitionChangeRecord.LeaderRecoveryState: 0 recovered, 1 recovering, -1: as before
Directories: of each replica, in their order
EligibleLeaderReplicas: may become leaders without loss of data, though not in sync (KIP-966)
LastKnownElr: eligible leaders that had an unclean shutdown
PartitionEpoch: grows with each change of the partition
ClearElrRecord.TopicName: null for all topics
NextProducerId: the first id that belongs to nobody yet
ProducerIdsRecord.BrokerId: the broker that got the block in front of it
ClientQuotaRecord.Key: `producer_byte_rate`, ...
EntityType: `user`, `client-id` or `ip`
EntityName: null for the default
Remove: whether the quota is gone
ConfigRecord.Value: null: the setting is gone
ConfigRecord.ResourceName: empty for the default of all brokers
BrokerRegistrationChangeRecord.Fenced: 1 fenced, -1 no longer, 0: as before
BrokerRegistrationChangeRecord.InControlledShutdown: 1: is shutting down, 0: as before
IncarnationId: of the process; another one after each start
CordonedLogDirs: get no new partitions
ZkMigrationState: 0 never on ZooKeeper, 2 about to move, 1 moving, 3 moved, 4 on ZooKeeper
FeatureLevel: 0: the feature is off
MaxTimestampMs: the largest of the segment's records
EventTimestampMs: when this happened; ms since 1970
RemoteLogSegmentMetadataRecord.EndOffset: inclusive
RemoteLogSegmentMetadataSnapshotRecord.EndOffset: inclusive
CustomMetadata: of the plugin for remote storage
SegmentLeaderEpochs: each with its first offset
AccessControlEntryRecord.Principal: `User:alice`, ...
AccessControlEntryRecord.Host: `*` for all
Iterations: of the hash
"""

FIELDS: Final[dict[str, str]] = dict(line.split(": ", 1) for line in _TEXT.strip().splitlines())
"""By message and field, or by the field where it is the same in all messages."""


def words_of(message: str, field: str) -> str:
    """What a field of a message holds; "" if its name says so."""
    return FIELDS.get(f"{message}.{field}", FIELDS.get(field, ""))


__all__ = ["FIELDS", "words_of"]
