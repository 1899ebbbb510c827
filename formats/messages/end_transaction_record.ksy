meta:
  id: end_transaction_record
  title: Kafka's EndTransactionRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the records since `begin_transaction_record` count from here on.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/EndTransactionRecord.json
-orig-id: EndTransactionRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 24
    valid:
      expr: _.value == 24
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
