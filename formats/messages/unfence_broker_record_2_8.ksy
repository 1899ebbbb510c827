meta:
  id: unfence_broker_record_2_8
  title: Kafka's UnfenceBrokerRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker is no longer fenced, in one of its epochs.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/UnfenceBrokerRecord.json
-orig-id: UnfenceBrokerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 8
    valid:
      expr: _.value == 8
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
