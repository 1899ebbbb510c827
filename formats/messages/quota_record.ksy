meta:
  id: quota_record
  title: Kafka's QuotaRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata of 2.8's preview: a quota.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/QuotaRecord.json
-orig-id: QuotaRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
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
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: entity
    type: entity_data
    repeat: expr
    repeat-expr: entity_count
    -orig-id: Entity
  - id: key_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: key
    type: str
    size: key_length
    -orig-id: Key
  - id: value
    type: f8
    -orig-id: Value
  - id: remove
    type: s1
    -as: bool
    -orig-id: Remove
types:
  entity_data:
    -orig-id: EntityData
    seq:
      - id: entity_type_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: entity_type
        type: str
        size: entity_type_length
        -orig-id: EntityType
      - id: entity_name_length
        type: s2
        -hidden: true
      - id: entity_name
        type: str
        size: entity_name_length
        if: entity_name_length >= 0
        -orig-id: EntityName
