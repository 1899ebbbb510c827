meta:
  id: unregister_broker_record_2_8
  title: Kafka's UnregisterBrokerRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker is gone.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/UnregisterBrokerRecord.json
-orig-id: UnregisterBrokerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: broker_epoch
    type: s8
    -orig-id: BrokerEpoch
