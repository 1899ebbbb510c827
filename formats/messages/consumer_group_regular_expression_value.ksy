meta:
  id: consumer_group_regular_expression_value
  title: Kafka's ConsumerGroupRegularExpressionValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the topics that the expression matches, in a group of the consumer protocol
  (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupRegularExpressionValue.json
-orig-id: ConsumerGroupRegularExpressionValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: topics_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: kafka_types::compact_string
    repeat: expr
    repeat-expr: topics_count.value - 1
    -orig-id: Topics
  - id: image_version
    type: s8
    -orig-id: Version
  - id: timestamp
    type: s8
    -orig-id: Timestamp
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
