meta:
  id: fence_broker_record
  title: Kafka's FenceBrokerRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker is fenced, in one of its epochs.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/FenceBrokerRecord.json
-orig-id: FenceBrokerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 7
    valid:
      expr: _.value == 7
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: id
    type: s4
    -orig-id: Id
  - id: epoch
    type: s8
    -orig-id: Epoch
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
