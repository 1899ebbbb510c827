meta:
  id: remove_delegation_token_record
  title: Kafka's RemoveDelegationTokenRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a delegation token is gone.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveDelegationTokenRecord.json
-orig-id: RemoveDelegationTokenRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 26
    valid:
      expr: _.value == 26
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: token_id_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: token_id
    type: str
    size: token_id_length.value - 1
    -orig-id: TokenId
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
