meta:
  id: partition_change_record_2_8
  title: Kafka's PartitionChangeRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: what has changed of a partition; a field without a tag stays as it was.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/PartitionChangeRecord.json
-orig-id: PartitionChangeRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 5
    valid:
      expr: _.value == 5
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
  - id: tagged_fields
    type: partition_change_record_tagged_fields
    -hidden: true
types:
  partition_change_record_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: partition_change_record_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  partition_change_record_tagged_field:
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
            0: partition_change_record_isr_tag
            1: partition_change_record_leader_tag
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
