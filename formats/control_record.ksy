meta:
  id: control_record
  title: Key and values of Kafka's control records
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: be
doc: |
  A control batch (`attributes.is_control`) holds records that the broker wrote for itself. The key of such a record is
  declared here; its `type` says which of the types below the record's value is. A newer version than the reader knows
  is read as the newest it knows, so that bytes may follow what is declared.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/ControlRecordType.java
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
    doc: 0 so far.
  - id: type
    type: s2
    enum: control_type
    doc: |
      Kind of the record, set by the broker that writes it; readers ignore a type that they do not know. 0 and 1 since
      0.11, 2 since 2.7, 3 and 4 since 3.0, 5 and 6 since 3.8.
types:
  end_transaction_marker:
    -orig-id: EndTransactionMarker
    doc: Value of `abort` and `commit`, the last record of a transaction in a partition. Written by the transaction coordinator, since 0.11.
    doc-ref: https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/EndTransactionMarker.java
    seq:
      - id: version
        type: s2
        -derive: 0
        valid:
          min: 0
        doc: 0 so far.
      - id: coordinator_epoch
        type: s4
        -orig-id: coordinatorEpoch
        doc: Epoch of the coordinator that ended the transaction.
  leader_change:
    -orig-id: LeaderChangeMessage
    doc: Value of `leader_change`, which a new leader of a KRaft quorum writes first in its epoch (since 2.7). The schema has a version 1 since 4.0 (KIP-853); brokers up to 4.4.0 write 0.
    doc-ref: https://github.com/apache/kafka/blob/4.0.0/clients/src/main/resources/common/message/LeaderChangeMessage.json
    seq:
      - id: version
        type: s2
        valid:
          min: 0
        doc: 0 or 1; decides whether voters carry a directory id.
      - id: leader_id
        type: s4
        -orig-id: LeaderId
        doc: The node that was elected.
      - id: voters_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Number of voters plus one.
      - id: voters
        type: voter(version)
        repeat: expr
        repeat-expr: voters_length.value - 1
        -orig-id: Voters
        doc: The quorum.
      - id: granting_voters_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Number of granting voters plus one.
      - id: granting_voters
        type: voter(version)
        repeat: expr
        repeat-expr: granting_voters_length.value - 1
        -orig-id: GrantingVoters
        doc: Those that voted for the leader.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  voter:
    -orig-id: Voter
    doc: A node of the quorum, as a leader change names it.
    params:
      - id: version
        type: s2
    seq:
      - id: voter_id
        type: s4
        -orig-id: VoterId
        doc: Node id of the voter.
      - id: voter_directory_id
        size: 16
        if: version >= 1
        -orig-id: VoterDirectoryId
        doc: A UUID, since version 1.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  snapshot_header:
    -orig-id: SnapshotHeaderRecord
    doc: Value of `snapshot_header`, the first record of a KRaft snapshot (since 3.0).
    doc-ref: https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/SnapshotHeaderRecord.json
    seq:
      - id: version
        type: s2
        -derive: 0
        doc: 0 so far; ignored when read.
      - id: last_contained_log_timestamp
        type: s8
        -orig-id: LastContainedLogTimestamp
        doc: When the last record that went into the snapshot was appended to the log, in milliseconds since 1970.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  snapshot_footer:
    -orig-id: SnapshotFooterRecord
    doc: Value of `snapshot_footer`, the last record of a KRaft snapshot (since 3.0).
    doc-ref: https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/SnapshotFooterRecord.json
    seq:
      - id: version
        type: s2
        -derive: 0
        doc: 0 so far; ignored when read.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  kraft_version:
    -orig-id: KRaftVersionRecord
    doc: Value of `kraft_version`, in the metadata log and its snapshots (since 3.8, KIP-853).
    doc-ref: https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/KRaftVersionRecord.json
    seq:
      - id: version
        type: s2
        -derive: 0
        doc: 0 so far; ignored when read.
      - id: kraft_version
        type: s2
        -orig-id: KRaftVersion
        doc: 0 for a quorum of voters that the configuration names, 1 for one whose voters stand in the log.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  kraft_voters:
    -orig-id: VotersRecord
    doc: Value of `kraft_voters`, in the metadata log and its snapshots (since 3.8, KIP-853).
    doc-ref: https://github.com/apache/kafka/blob/4.3.1/clients/src/main/resources/common/message/VotersRecord.json
    seq:
      - id: version
        type: s2
        -derive: 0
        doc: 0 so far; ignored when read.
      - id: voters_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Number of voters plus one.
      - id: voters
        type: kraft_voter
        repeat: expr
        repeat-expr: voters_length.value - 1
        -orig-id: Voters
        doc: The quorum.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  kraft_voter:
    -orig-id: VotersRecord.Voter
    doc: A node of the quorum, with its addresses and what it can do.
    seq:
      - id: voter_id
        type: s4
        -orig-id: VoterId
        doc: Node id of the voter.
      - id: voter_directory_id
        size: 16
        -orig-id: VoterDirectoryId
        doc: UUID of the directory that holds the voter's metadata log; zeros if unknown.
      - id: endpoints_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Number of endpoints plus one.
      - id: endpoints
        type: endpoint
        repeat: expr
        repeat-expr: endpoints_length.value - 1
        -orig-id: Endpoints
        doc: Where the voter listens.
      - id: kraft_version_feature
        type: kraft_version_feature
        -orig-id: KRaftVersionFeature
        doc: Which versions of the quorum's protocol it can speak.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  endpoint:
    -orig-id: VotersRecord.Endpoint
    doc: A listener at which a voter is reached.
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Bytes of `name` plus one.
      - id: name
        type: str
        size: name_length.value - 1
        encoding: UTF-8
        -orig-id: Name
        doc: The listener's name.
      - id: host_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Bytes of `host` plus one.
      - id: host
        type: str
        size: host_length.value - 1
        encoding: UTF-8
        -orig-id: Host
        doc: Host name or address.
      - id: port
        type: u2
        -orig-id: Port
        doc: TCP port.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  kraft_version_feature:
    -orig-id: VotersRecord.KRaftVersionFeature
    doc: Which versions of the quorum's protocol a voter supports.
    seq:
      - id: min_supported_version
        type: s2
        -orig-id: MinSupportedVersion
        doc: Lowest `kraft_version`.
      - id: max_supported_version
        type: s2
        -orig-id: MaxSupportedVersion
        doc: Highest `kraft_version`.
      - id: tags
        type: tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  tagged_fields:
    doc: The tail of every structure in a flexible message version (KIP-482).
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        doc: Number of tagged fields; 0 as a rule.
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  tagged_field:
    doc: A field that a later version added.
    seq:
      - id: tag
        type: varint::unsigned(5)
        doc: Which field it is.
      - id: data_length
        type: varint::unsigned(5)
        doc: Bytes of `data`.
      - id: data
        size: data_length.value
        doc: Kept as it is.
enums:
  control_type:
    0:
      id: abort
      doc: Ends a transaction whose records do not count.
    1:
      id: commit
      doc: Ends a transaction whose records count.
    2:
      id: leader_change
      doc: A new leader of a KRaft quorum.
    3:
      id: snapshot_header
      doc: First record of a KRaft snapshot.
    4:
      id: snapshot_footer
      doc: Last record of a KRaft snapshot.
    5:
      id: kraft_version
      doc: Version of the quorum's protocol.
    6:
      id: kraft_voters
      doc: The quorum's voters.
