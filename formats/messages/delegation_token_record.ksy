meta:
  id: delegation_token_record
  title: Kafka's DelegationTokenRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a delegation token.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/DelegationTokenRecord.json
-orig-id: DelegationTokenRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 10
    valid:
      expr: _.value == 10
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: owner_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: owner
    type: str
    size: owner_length.value - 1
    -orig-id: Owner
  - id: requester_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: requester
    type: str
    size: requester_length.value - 1
    -orig-id: Requester
  - id: renewers_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: renewers
    type: kafka_types::compact_string
    repeat: expr
    repeat-expr: renewers_count.value - 1
    -orig-id: Renewers
  - id: issue_timestamp
    type: s8
    -orig-id: IssueTimestamp
  - id: max_timestamp
    type: s8
    -orig-id: MaxTimestamp
  - id: expiration_timestamp
    type: s8
    -orig-id: ExpirationTimestamp
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
