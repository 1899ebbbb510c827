meta:
  id: consumer_group_target_assignment_metadata_value
  title: Kafka's ConsumerGroupTargetAssignmentMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the epoch of the target assignment, in a group of the consumer protocol
  (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMetadataValue.json
-orig-id: ConsumerGroupTargetAssignmentMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: assignment_epoch
    type: s4
    -orig-id: AssignmentEpoch
  - id: tagged_fields
    type: consumer_group_target_assignment_metadata_value_tagged_fields
    -hidden: true
types:
  consumer_group_target_assignment_metadata_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: consumer_group_target_assignment_metadata_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  consumer_group_target_assignment_metadata_value_tagged_field:
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
            0: consumer_group_target_assignment_metadata_value_assignment_timestamp_tag
  consumer_group_target_assignment_metadata_value_assignment_timestamp_tag:
    seq:
      - id: assignment_timestamp
        type: s8
        -orig-id: AssignmentTimestamp
        -tagged: {tag: 0, default: 0, since: 4.3.1}
