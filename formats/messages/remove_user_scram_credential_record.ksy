meta:
  id: remove_user_scram_credential_record
  title: Kafka's RemoveUserScramCredentialRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a user's credential is gone.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveUserScramCredentialRecord.json
-orig-id: RemoveUserScramCredentialRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 22
    valid:
      expr: _.value == 22
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: name
    type: str
    size: name_length.value - 1
    -orig-id: Name
  - id: mechanism
    type: s1
    enum: scram_mechanism
    -orig-id: Mechanism
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
enums:
  scram_mechanism:
    0: unknown
    1: scram_sha_256
    2: scram_sha_512
