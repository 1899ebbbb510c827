meta:
  id: delegation_token_record_2_8
  title: Kafka's DelegationTokenRecord of 2.8
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
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/DelegationTokenRecord.json
-orig-id: DelegationTokenRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
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
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: owner
    type: str
    size: owner_length
    -orig-id: Owner
  - id: renewers_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: renewers
    type: kafka_types::string
    repeat: expr
    repeat-expr: renewers_count
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
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: token_id
    type: str
    size: token_id_length
    -orig-id: TokenId
