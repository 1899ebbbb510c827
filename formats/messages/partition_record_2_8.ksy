meta:
  id: partition_record_2_8
  title: Kafka's PartitionRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a partition with its replicas, leader and epochs.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/PartitionRecord.json
-orig-id: PartitionRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 3
    valid:
      expr: _.value == 3
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: partition_id
    type: s4
    -orig-id: PartitionId
    -derive: -1
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
  - id: replicas_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: replicas
    type: s4
    repeat: expr
    repeat-expr: replicas_count
    -orig-id: Replicas
  - id: isr_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: isr
    type: s4
    repeat: expr
    repeat-expr: isr_count
    -orig-id: Isr
  - id: removing_replicas_count
    type: s4
    -hidden: true
  - id: removing_replicas
    type: s4
    repeat: expr
    repeat-expr: removing_replicas_count
    if: removing_replicas_count >= 0
    -orig-id: RemovingReplicas
  - id: adding_replicas_count
    type: s4
    -hidden: true
  - id: adding_replicas
    type: s4
    repeat: expr
    repeat-expr: adding_replicas_count
    if: adding_replicas_count >= 0
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
enums:
  leader_recovery_state:
    0: recovered
    1: recovering
