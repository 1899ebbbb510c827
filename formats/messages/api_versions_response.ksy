meta:
  id: api_versions_response
  title: Kafka's ApiVersionsResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ApiVersionsResponse.json
-orig-id: ApiVersionsResponse
params:
  - id: version
    type: s2
seq:
  - id: error_code
    type: s2
    -orig-id: ErrorCode
  - id: api_keys_count
    type: s4
    if: version < 3
    valid:
      min: 0
    -hidden: true
  - id: compact_api_keys_count
    type: varint::unsigned(5)
    if: version >= 3
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: api_keys
    type: api_version(version)
    repeat: expr
    repeat-expr: 'version >= 3 ? compact_api_keys_count.value - 1 : api_keys_count'
    -orig-id: ApiKeys
  - id: throttle_time_ms
    type: s4
    if: version >= 1
    -orig-id: ThrottleTimeMs
  - id: tagged_fields
    type: api_versions_response_tagged_fields
    if: version >= 3
    -hidden: true
types:
  api_version:
    -orig-id: ApiVersion
    params:
      - id: version
        type: s2
    seq:
      - id: api_key
        type: s2
        -orig-id: ApiKey
      - id: min_version
        type: s2
        -orig-id: MinVersion
      - id: max_version
        type: s2
        -orig-id: MaxVersion
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 3
        -hidden: true
  supported_feature_key:
    -orig-id: SupportedFeatureKey
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        -orig-id: Name
      - id: min_version
        type: s2
        -orig-id: MinVersion
      - id: max_version
        type: s2
        -orig-id: MaxVersion
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  finalized_feature_key:
    -orig-id: FinalizedFeatureKey
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        -orig-id: Name
      - id: max_version_level
        type: s2
        -orig-id: MaxVersionLevel
      - id: min_version_level
        type: s2
        -orig-id: MinVersionLevel
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  api_versions_response_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: api_versions_response_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  api_versions_response_tagged_field:
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: tag.value
          cases:
            0: api_versions_response_supported_features_tag
            1: api_versions_response_finalized_features_epoch_tag
            2: api_versions_response_finalized_features_tag
            3: api_versions_response_zk_migration_ready_tag
  api_versions_response_supported_features_tag:
    seq:
      - id: supported_features_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: supported_features
        type: supported_feature_key
        repeat: expr
        repeat-expr: supported_features_count.value - 1
        -orig-id: SupportedFeatures
        -tagged: {tag: 0, default: []}
  api_versions_response_finalized_features_epoch_tag:
    seq:
      - id: finalized_features_epoch
        type: s8
        -orig-id: FinalizedFeaturesEpoch
        -tagged: {tag: 1, default: -1}
  api_versions_response_finalized_features_tag:
    seq:
      - id: finalized_features_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: finalized_features
        type: finalized_feature_key
        repeat: expr
        repeat-expr: finalized_features_count.value - 1
        -orig-id: FinalizedFeatures
        -tagged: {tag: 2, default: []}
  api_versions_response_zk_migration_ready_tag:
    seq:
      - id: zk_migration_ready
        type: s1
        -as: bool
        -orig-id: ZkMigrationReady
        -tagged: {tag: 3, default: false, since: 3.9.2}
