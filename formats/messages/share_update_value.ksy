meta:
  id: share_update_value
  title: Kafka's ShareUpdateValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__share_group_state`: what has changed since the latest whole state.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareUpdateValue.json
-orig-id: ShareUpdateValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: snapshot_epoch
    type: s4
    -orig-id: SnapshotEpoch
  - id: leader_epoch
    type: s4
    -orig-id: LeaderEpoch
  - id: start_offset
    type: s8
    -orig-id: StartOffset
  - id: state_batches_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: state_batches
    type: state_batch
    repeat: expr
    repeat-expr: state_batches_count.value - 1
    -orig-id: StateBatches
  - id: tagged_fields
    type: share_update_value_tagged_fields
    -hidden: true
types:
  state_batch:
    -orig-id: StateBatch
    seq:
      - id: first_offset
        type: s8
        -orig-id: FirstOffset
      - id: last_offset
        type: s8
        -orig-id: LastOffset
      - id: delivery_state
        type: s1
        -orig-id: DeliveryState
      - id: delivery_count
        type: s2
        -orig-id: DeliveryCount
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  share_update_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: share_update_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  share_update_value_tagged_field:
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
            0: share_update_value_delivery_complete_count_tag
  share_update_value_delivery_complete_count_tag:
    seq:
      - id: delivery_complete_count
        type: s4
        -orig-id: DeliveryCompleteCount
        -tagged: {tag: 0, default: -1, before: state_batches}
