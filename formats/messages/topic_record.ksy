meta:
  id: topic_record
  title: Kafka's TopicRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a topic's name and id.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/TopicRecord.json
-orig-id: TopicRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 2
    valid:
      expr: _.value == 2
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: name
    type: str
    size: name_length.value - 1
    -orig-id: Name
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
