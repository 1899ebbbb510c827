meta:
  id: feature_level_record
  title: Kafka's FeatureLevelRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the level of a feature; `metadata.version` decides which records there are.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/FeatureLevelRecord.json
-orig-id: FeatureLevelRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 12
    valid:
      expr: _.value == 12
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
  - id: feature_level
    type: s2
    -orig-id: FeatureLevel
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
