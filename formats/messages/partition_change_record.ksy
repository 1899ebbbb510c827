meta:
  id: partition_change_record
  title: Kafka's PartitionChangeRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: what has changed of a partition; a field without a tag stays as it was.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/PartitionChangeRecord.json
-orig-id: PartitionChangeRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 5
    valid:
      expr: _.value == 5
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
  - id: tagged_fields
    type: partition_change_record_tagged_fields(version.value)
    -hidden: true
types:
  partition_change_record_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: partition_change_record_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  partition_change_record_tagged_field:
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
          switch-on: '(tag.value == 6 and version < 2) or (tag.value == 7 and version < 2) or (tag.value == 8 and version < 1) ? -1 : tag.value'
          cases:
            0: partition_change_record_isr_tag
            1: partition_change_record_leader_tag
            2: partition_change_record_replicas_tag
            3: partition_change_record_removing_replicas_tag
            4: partition_change_record_adding_replicas_tag
            5: partition_change_record_leader_recovery_state_tag
            6: partition_change_record_eligible_leader_replicas_tag
            7: partition_change_record_last_known_elr_tag
            8: partition_change_record_directories_tag
  partition_change_record_isr_tag:
    seq:
      - id: isr_count
        type: varint::unsigned(5)
        -hidden: true
      - id: isr
        type: s4
        repeat: expr
        repeat-expr: isr_count.value - 1
        if: isr_count.value >= 1
        -orig-id: Isr
        -tagged: {tag: 0, default: null}
  partition_change_record_leader_tag:
    seq:
      - id: leader
        type: s4
        -orig-id: Leader
        -tagged: {tag: 1, default: -2}
  partition_change_record_replicas_tag:
    seq:
      - id: replicas_count
        type: varint::unsigned(5)
        -hidden: true
      - id: replicas
        type: s4
        repeat: expr
        repeat-expr: replicas_count.value - 1
        if: replicas_count.value >= 1
        -orig-id: Replicas
        -tagged: {tag: 2, default: null}
  partition_change_record_removing_replicas_tag:
    seq:
      - id: removing_replicas_count
        type: varint::unsigned(5)
        -hidden: true
      - id: removing_replicas
        type: s4
        repeat: expr
        repeat-expr: removing_replicas_count.value - 1
        if: removing_replicas_count.value >= 1
        -orig-id: RemovingReplicas
        -tagged: {tag: 3, default: null}
  partition_change_record_adding_replicas_tag:
    seq:
      - id: adding_replicas_count
        type: varint::unsigned(5)
        -hidden: true
      - id: adding_replicas
        type: s4
        repeat: expr
        repeat-expr: adding_replicas_count.value - 1
        if: adding_replicas_count.value >= 1
        -orig-id: AddingReplicas
        -tagged: {tag: 4, default: null}
  partition_change_record_leader_recovery_state_tag:
    seq:
      - id: leader_recovery_state
        type: s1
        -orig-id: LeaderRecoveryState
        -tagged: {tag: 5, default: -1}
  partition_change_record_eligible_leader_replicas_tag:
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
        -tagged: {tag: 6, default: null}
  partition_change_record_last_known_elr_tag:
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
        -tagged: {tag: 7, default: null}
  partition_change_record_directories_tag:
    seq:
      - id: directories_count
        type: varint::unsigned(5)
        -hidden: true
      - id: directories
        size: 16
        -as: uuid(base64)
        repeat: expr
        repeat-expr: directories_count.value - 1
        if: directories_count.value >= 1
        -orig-id: Directories
        -tagged: {tag: 8, default: null}
