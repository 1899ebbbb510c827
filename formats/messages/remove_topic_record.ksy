meta:
  id: remove_topic_record
  title: Kafka's RemoveTopicRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a topic is deleted.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveTopicRecord.json
-orig-id: RemoveTopicRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 9
    valid:
      expr: _.value == 9
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
