meta:
  id: partition_record
  title: Kafka's PartitionRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a partition with its replicas, leader and epochs.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionRecord.json
-orig-id: PartitionRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 3
    valid:
      expr: _.value == 3
  - id: version
    type: varint::unsigned(5)
    -derive: 2
    valid:
      expr: _.value <= 2
  - id: partition_id
    type: s4
    -orig-id: PartitionId
    -derive: -1
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
  - id: replicas_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: replicas
    type: s4
    repeat: expr
    repeat-expr: replicas_count.value - 1
    -orig-id: Replicas
  - id: isr_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: isr
    type: s4
    repeat: expr
    repeat-expr: isr_count.value - 1
    -orig-id: Isr
  - id: removing_replicas_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: removing_replicas
    type: s4
    repeat: expr
    repeat-expr: removing_replicas_count.value - 1
    -orig-id: RemovingReplicas
  - id: adding_replicas_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: adding_replicas
    type: s4
    repeat: expr
    repeat-expr: adding_replicas_count.value - 1
    -orig-id: AddingReplicas
  - id: leader
    type: s4
    -orig-id: Leader
    -derive: -1
  - id: leader_epoch
    type: s4
    -orig-id: LeaderEpoch
    -derive: -1
  - id: partition_epoch
    type: s4
    -orig-id: PartitionEpoch
    -derive: -1
  - id: directories_count
    type: varint::unsigned(5)
    if: version.value >= 1
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: directories
    size: 16
    -as: uuid(base64)
    repeat: expr
    repeat-expr: directories_count.value - 1
    if: version.value >= 1
    -orig-id: Directories
  - id: tagged_fields
    type: partition_record_tagged_fields(version.value)
    -hidden: true
types:
  partition_record_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: partition_record_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  partition_record_tagged_field:
    params:
      - id: version
        type: s2
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: '(tag.value == 1 and version < 2) or (tag.value == 2 and version < 2) ? -1 : tag.value'
          cases:
            0: partition_record_leader_recovery_state_tag
            1: partition_record_eligible_leader_replicas_tag
            2: partition_record_last_known_elr_tag
  partition_record_leader_recovery_state_tag:
    seq:
      - id: leader_recovery_state
        type: s1
        enum: leader_recovery_state
        -orig-id: LeaderRecoveryState
        -tagged: {tag: 0, default: 0, before: leader_epoch}
  partition_record_eligible_leader_replicas_tag:
    seq:
      - id: eligible_leader_replicas_count
        type: varint::unsigned(5)
        -hidden: true
      - id: eligible_leader_replicas
        type: s4
        repeat: expr
        repeat-expr: eligible_leader_replicas_count.value - 1
        if: eligible_leader_replicas_count.value >= 1
        -orig-id: EligibleLeaderReplicas
        -tagged: {tag: 1, default: null}
  partition_record_last_known_elr_tag:
    seq:
      - id: last_known_elr_count
        type: varint::unsigned(5)
        -hidden: true
      - id: last_known_elr
        type: s4
        repeat: expr
        repeat-expr: last_known_elr_count.value - 1
        if: last_known_elr_count.value >= 1
        -orig-id: LastKnownElr
        -tagged: {tag: 2, default: null}
enums:
  leader_recovery_state:
    0: recovered
    1: recovering
