meta:
  id: consumer_group_current_member_assignment_value
  title: Kafka's ConsumerGroupCurrentMemberAssignmentValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the partitions that the member has, and its epoch, in a group of the
  consumer protocol (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupCurrentMemberAssignmentValue.json
-orig-id: ConsumerGroupCurrentMemberAssignmentValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: member_epoch
    type: s4
    -orig-id: MemberEpoch
  - id: previous_member_epoch
    type: s4
    -orig-id: PreviousMemberEpoch
  - id: state
    type: s1
    enum: member_state
    -orig-id: State
  - id: assigned_partitions_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: assigned_partitions
    type: topic_partitions
    repeat: expr
    repeat-expr: assigned_partitions_count.value - 1
    -orig-id: AssignedPartitions
  - id: partitions_pending_revocation_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: partitions_pending_revocation
    type: topic_partitions
    repeat: expr
    repeat-expr: partitions_pending_revocation_count.value - 1
    -orig-id: PartitionsPendingRevocation
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  topic_partitions:
    -orig-id: TopicPartitions
    seq:
      - id: topic_id
        size: 16
        -as: uuid(base64)
        -orig-id: TopicId
      - id: partitions_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: partitions_count.value - 1
        -orig-id: Partitions
      - id: tagged_fields
        type: topic_partitions_tagged_fields
        -hidden: true
  topic_partitions_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: topic_partitions_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  topic_partitions_tagged_field:
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: tag.value
          cases:
            0: topic_partitions_assignment_epochs_tag
  topic_partitions_assignment_epochs_tag:
    seq:
      - id: assignment_epochs_count
        type: varint::unsigned(5)
        -hidden: true
      - id: assignment_epochs
        type: s4
        repeat: expr
        repeat-expr: assignment_epochs_count.value - 1
        if: assignment_epochs_count.value >= 1
        -orig-id: AssignmentEpochs
        -tagged: {tag: 0, default: [], since: 4.3.1}
enums:
  member_state:
    0: stable
    1: unrevoked_partitions
    2: unreleased_partitions
    127: unknown
