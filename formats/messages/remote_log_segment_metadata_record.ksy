meta:
  id: remote_log_segment_metadata_record
  title: Kafka's RemoteLogSegmentMetadataRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  A record of `__remote_log_metadata`: a segment that is copied to remote storage.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataRecord.json
-orig-id: RemoteLogSegmentMetadataRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: remote_log_segment_id
    type: remote_log_segment_id_entry
    -orig-id: RemoteLogSegmentId
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
    type: remote_log_segment_metadata_record_tagged_fields
    -hidden: true
types:
  remote_log_segment_id_entry:
    -orig-id: RemoteLogSegmentIdEntry
    seq:
      - id: topic_id_partition
        type: topic_id_partition_entry
        -orig-id: TopicIdPartition
      - id: id
        size: 16
        -as: uuid(base64)
        -orig-id: Id
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  topic_id_partition_entry:
    -orig-id: TopicIdPartitionEntry
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
      - id: id
        size: 16
        -as: uuid(base64)
        -orig-id: Id
      - id: partition
        type: s4
        -orig-id: Partition
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
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
  remote_log_segment_metadata_record_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: remote_log_segment_metadata_record_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  remote_log_segment_metadata_record_tagged_field:
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
            0: remote_log_segment_metadata_record_txn_index_empty_tag
  remote_log_segment_metadata_record_txn_index_empty_tag:
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
