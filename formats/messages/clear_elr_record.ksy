meta:
  id: clear_elr_record
  title: Kafka's ClearElrRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the eligible leader replicas of a topic, or of all, are forgotten.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClearElrRecord.json
-orig-id: ClearElrRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 28
    valid:
      expr: _.value == 28
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: topic_name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topic_name
    type: str
    size: topic_name_length.value - 1
    -orig-id: TopicName
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
