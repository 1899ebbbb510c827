meta:
  id: client_quota_record
  title: Kafka's ClientQuotaRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a quota of a client, a user or an address.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ClientQuotaRecord.json
-orig-id: ClientQuotaRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 14
    valid:
      expr: _.value == 14
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: entity_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: entity
    type: entity_data
    repeat: expr
    repeat-expr: entity_count.value - 1
    -orig-id: Entity
  - id: key_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: key
    type: str
    size: key_length.value - 1
    -orig-id: Key
  - id: value
    type: f8
    -orig-id: Value
  - id: remove
    type: s1
    -as: bool
    -orig-id: Remove
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  entity_data:
    -orig-id: EntityData
    seq:
      - id: entity_type_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: entity_type
        type: str
        size: entity_type_length.value - 1
        -orig-id: EntityType
      - id: entity_name_length
        type: varint::unsigned(5)
        -hidden: true
      - id: entity_name
        type: str
        size: entity_name_length.value - 1
        if: entity_name_length.value >= 1
        -orig-id: EntityName
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
