meta:
  id: user_scram_credential_record_2_8
  title: Kafka's UserScramCredentialRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: what a user's password is checked with.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/UserScramCredentialRecord.json
-orig-id: UserScramCredentialRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 11
    valid:
      expr: _.value == 11
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: name_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: name
    type: str
    size: name_length
    -orig-id: Name
  - id: credential_infos_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: credential_infos
    type: credential_info
    repeat: expr
    repeat-expr: credential_infos_count
    -orig-id: CredentialInfos
types:
  credential_info:
    -orig-id: CredentialInfo
    seq:
      - id: mechanism
        type: s1
        enum: scram_mechanism
        -orig-id: Mechanism
      - id: salt_length
        type: s4
        valid:
          min: 0
        -hidden: true
      - id: salt
        size: salt_length
        -orig-id: Salt
      - id: salted_password_length
        type: s4
        valid:
          min: 0
        -hidden: true
      - id: salted_password
        size: salted_password_length
        -orig-id: SaltedPassword
      - id: iterations
        type: s4
        -orig-id: Iterations
enums:
  scram_mechanism:
    0: unknown
    1: scram_sha_256
    2: scram_sha_512
