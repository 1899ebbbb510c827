meta:
  id: remote_partition_delete_metadata_record
  title: Kafka's RemotePartitionDeleteMetadataRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  A record of `__remote_log_metadata`: a partition's remote segments are deleted.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/storage/src/main/resources/message/RemotePartitionDeleteMetadataRecord.json
-orig-id: RemotePartitionDeleteMetadataRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 2
    valid:
      expr: _.value == 2
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: topic_id_partition
    type: topic_id_partition_entry
    -orig-id: TopicIdPartition
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: event_timestamp_ms
    type: s8
    -orig-id: EventTimestampMs
  - id: remote_partition_delete_state
    type: s1
    enum: remote_partition_delete_state
    -orig-id: RemotePartitionDeleteState
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
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
  remote_partition_delete_state:
    0: delete_partition_marked
    1: delete_partition_started
    2: delete_partition_finished
