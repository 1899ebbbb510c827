meta:
  id: default_principal_data
  title: Kafka's DefaultPrincipalData
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  A principal, as brokers pass it on in envelopes.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DefaultPrincipalData.json
-orig-id: DefaultPrincipalData
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: type_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: type
    type: str
    size: type_length.value - 1
    -orig-id: Type
  - id: name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: name
    type: str
    size: name_length.value - 1
    -orig-id: Name
  - id: token_authenticated
    type: s1
    -as: bool
    -orig-id: TokenAuthenticated
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
