meta:
  id: consumer_group_partition_metadata_value
  title: Kafka's ConsumerGroupPartitionMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the topics that it subscribes to, with their partitions, in a group of the
  consumer protocol (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupPartitionMetadataValue.json
-orig-id: ConsumerGroupPartitionMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: topics_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: topic_metadata
    repeat: expr
    repeat-expr: topics_count.value - 1
    -orig-id: Topics
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  topic_metadata:
    -orig-id: TopicMetadata
    seq:
      - id: topic_id
        size: 16
        -as: uuid(base64)
        -orig-id: TopicId
      - id: topic_name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topic_name
        type: str
        size: topic_name_length.value - 1
        -orig-id: TopicName
      - id: num_partitions
        type: s4
        -orig-id: NumPartitions
      - id: partition_metadata_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partition_metadata
        type: partition_metadata
        repeat: expr
        repeat-expr: partition_metadata_count.value - 1
        -orig-id: PartitionMetadata
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  partition_metadata:
    -orig-id: PartitionMetadata
    seq:
      - id: partition
        type: s4
        -orig-id: Partition
      - id: racks_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: racks
        type: kafka_types::compact_string
        repeat: expr
        repeat-expr: racks_count.value - 1
        -orig-id: Racks
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
