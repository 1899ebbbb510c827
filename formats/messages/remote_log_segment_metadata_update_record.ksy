meta:
  id: remote_log_segment_metadata_update_record
  title: Kafka's RemoteLogSegmentMetadataUpdateRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  A record of `__remote_log_metadata`: a segment's state has changed.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemoteLogSegmentMetadataUpdateRecord.json
-orig-id: RemoteLogSegmentMetadataUpdateRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: remote_log_segment_id
    type: remote_log_segment_id_entry
    -orig-id: RemoteLogSegmentId
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: event_timestamp_ms
    type: s8
    -orig-id: EventTimestampMs
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
    type: kafka_types::tagged_fields
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
enums:
  remote_log_segment_state:
    0: copy_segment_started
    1: copy_segment_finished
    2: delete_segment_started
    3: delete_segment_finished
