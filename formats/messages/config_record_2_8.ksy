meta:
  id: config_record_2_8
  title: Kafka's ConfigRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a configuration of a topic, a broker, or another resource; null removes it.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/ConfigRecord.json
-orig-id: ConfigRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
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
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: resource_name
    type: str
    size: resource_name_length
    -orig-id: ResourceName
  - id: name_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: name
    type: str
    size: name_length
    -orig-id: Name
  - id: value_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: value
    type: str
    size: value_length
    -orig-id: Value
enums:
  config_resource_type:
    0: unknown
    2: topic
    4: broker
    8: broker_logger
    16: client_metrics
    32: group
