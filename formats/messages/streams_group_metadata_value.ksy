meta:
  id: streams_group_metadata_value
  title: Kafka's StreamsGroupMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the group's epoch, which grows with its members and subscriptions, in a
  streams group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMetadataValue.json
-orig-id: StreamsGroupMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: epoch
    type: s4
    -orig-id: Epoch
  - id: metadata_hash
    type: s8
    -orig-id: MetadataHash
  - id: tagged_fields
    type: streams_group_metadata_value_tagged_fields
    -hidden: true
types:
  last_assignment_config:
    -orig-id: LastAssignmentConfig
    seq:
      - id: key_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: key
        type: str
        size: key_length.value - 1
        -orig-id: Key
      - id: value_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        type: str
        size: value_length.value - 1
        -orig-id: Value
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  streams_group_metadata_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: streams_group_metadata_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  streams_group_metadata_value_tagged_field:
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
            0: streams_group_metadata_value_validated_topology_epoch_tag
            1: streams_group_metadata_value_last_assignment_configs_tag
            2: streams_group_metadata_value_stored_description_topology_epoch_tag
            3: streams_group_metadata_value_failed_description_topology_epoch_tag
  streams_group_metadata_value_validated_topology_epoch_tag:
    seq:
      - id: validated_topology_epoch
        type: s4
        -orig-id: ValidatedTopologyEpoch
        -tagged: {tag: 0, default: -1}
  streams_group_metadata_value_last_assignment_configs_tag:
    seq:
      - id: last_assignment_configs_count
        type: varint::unsigned(5)
        -hidden: true
      - id: last_assignment_configs
        type: last_assignment_config
        repeat: expr
        repeat-expr: last_assignment_configs_count.value - 1
        if: last_assignment_configs_count.value >= 1
        -orig-id: LastAssignmentConfigs
        -tagged: {tag: 1, default: []}
  streams_group_metadata_value_stored_description_topology_epoch_tag:
    seq:
      - id: stored_description_topology_epoch
        type: s4
        -orig-id: StoredDescriptionTopologyEpoch
        -tagged: {tag: 2, default: -1, since: 4.4.0}
  streams_group_metadata_value_failed_description_topology_epoch_tag:
    seq:
      - id: failed_description_topology_epoch
        type: s4
        -orig-id: FailedDescriptionTopologyEpoch
        -tagged: {tag: 3, default: -1, since: 4.4.0}
