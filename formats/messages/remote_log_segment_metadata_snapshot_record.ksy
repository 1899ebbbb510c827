meta:
  id: remote_log_segment_metadata_snapshot_record
  title: Kafka's RemoteLogSegmentMetadataSnapshotRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  A segment in remote storage, as Kafka's snapshots of that metadata have it.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataSnapshotRecord.json
-orig-id: RemoteLogSegmentMetadataSnapshotRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 3
    valid:
      expr: _.value == 3
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: segment_id
    size: 16
    -as: uuid(base64)
    -orig-id: SegmentId
  - id: start_offset
    type: s8
    -orig-id: StartOffset
  - id: end_offset
    type: s8
    -orig-id: EndOffset
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: max_timestamp_ms
    type: s8
    -orig-id: MaxTimestampMs
  - id: event_timestamp_ms
    type: s8
    -orig-id: EventTimestampMs
  - id: segment_leader_epochs_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: segment_leader_epochs
    type: segment_leader_epoch_entry
    repeat: expr
    repeat-expr: segment_leader_epochs_count.value - 1
    -orig-id: SegmentLeaderEpochs
  - id: segment_size_in_bytes
    type: s4
    -orig-id: SegmentSizeInBytes
  - id: custom_metadata_length
    type: varint::unsigned(5)
    -hidden: true
  - id: custom_metadata
    size: custom_metadata_length.value - 1
    if: custom_metadata_length.value >= 1
    -orig-id: CustomMetadata
  - id: remote_log_segment_state
    type: s1
    enum: remote_log_segment_state
    -orig-id: RemoteLogSegmentState
  - id: tagged_fields
    type: remote_log_segment_metadata_snapshot_record_tagged_fields
    -hidden: true
types:
  segment_leader_epoch_entry:
    -orig-id: SegmentLeaderEpochEntry
    seq:
      - id: leader_epoch
        type: s4
        -orig-id: LeaderEpoch
      - id: offset
        type: s8
        -orig-id: Offset
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  remote_log_segment_metadata_snapshot_record_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: remote_log_segment_metadata_snapshot_record_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  remote_log_segment_metadata_snapshot_record_tagged_field:
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
            0: remote_log_segment_metadata_snapshot_record_txn_index_empty_tag
  remote_log_segment_metadata_snapshot_record_txn_index_empty_tag:
    seq:
      - id: txn_index_empty
        type: s1
        -as: bool
        -orig-id: TxnIndexEmpty
        -tagged: {tag: 0, default: false, since: 4.3.1}
enums:
  remote_log_segment_state:
    0: copy_segment_started
    1: copy_segment_finished
    2: delete_segment_started
    3: delete_segment_finished
