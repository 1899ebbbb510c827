meta:
  id: share_group_current_member_assignment_value
  title: Kafka's ShareGroupCurrentMemberAssignmentValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the partitions that the member has, and its epoch, in a share group
  (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentValue.json
-orig-id: ShareGroupCurrentMemberAssignmentValue
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
        type: kafka_types::tagged_fields
        -hidden: true
enums:
  member_state:
    0: stable
    1: unrevoked_partitions
    2: unreleased_partitions
    127: unknown
