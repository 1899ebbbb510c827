meta:
  id: config_record
  title: Kafka's ConfigRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a configuration of a topic, a broker, or another resource; null removes it.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ConfigRecord.json
-orig-id: ConfigRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 4
    valid:
      expr: _.value == 4
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: resource_type
    type: s1
    enum: config_resource_type
    -orig-id: ResourceType
  - id: resource_name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: resource_name
    type: str
    size: resource_name_length.value - 1
    -orig-id: ResourceName
  - id: name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: name
    type: str
    size: name_length.value - 1
    -orig-id: Name
  - id: value_length
    type: varint::unsigned(5)
    -hidden: true
  - id: value
    type: str
    size: value_length.value - 1
    if: value_length.value >= 1
    -orig-id: Value
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
enums:
  config_resource_type:
    0: unknown
    2: topic
    4: broker
    8: broker_logger
    16: client_metrics
    32: group
