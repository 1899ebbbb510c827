meta:
  id: topic_record_2_8
  title: Kafka's TopicRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a topic's name and id.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/TopicRecord.json
-orig-id: TopicRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
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
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: name
    type: str
    size: name_length
    -orig-id: Name
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
