meta:
  id: feature_level_record_2_8
  title: Kafka's FeatureLevelRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the level of a feature; `metadata.version` decides which records there are.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/FeatureLevelRecord.json
-orig-id: FeatureLevelRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
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
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: name
    type: str
    size: name_length
    -orig-id: Name
  - id: min_feature_level
    type: s2
    -orig-id: MinFeatureLevel
  - id: max_feature_level
    type: s2
    -orig-id: MaxFeatureLevel
