meta:
  id: producer_ids_record
  title: Kafka's ProducerIdsRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the producer ids up to `next_producer_id` belong to brokers.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ProducerIdsRecord.json
-orig-id: ProducerIdsRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 15
    valid:
      expr: _.value == 15
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
    -derive: -1
  - id: next_producer_id
    type: s8
    -orig-id: NextProducerId
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
