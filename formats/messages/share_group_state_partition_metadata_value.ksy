meta:
  id: share_group_state_partition_metadata_value
  title: Kafka's ShareGroupStatePartitionMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: which partitions have a share state, or are to lose it, in a share group
  (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataValue.json
-orig-id: ShareGroupStatePartitionMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: initializing_topics_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: initializing_topics
    type: topic_partitions_info
    repeat: expr
    repeat-expr: initializing_topics_count.value - 1
    -orig-id: InitializingTopics
  - id: initialized_topics_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: initialized_topics
    type: topic_partitions_info
    repeat: expr
    repeat-expr: initialized_topics_count.value - 1
    -orig-id: InitializedTopics
  - id: deleting_topics_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: deleting_topics
    type: topic_info
    repeat: expr
    repeat-expr: deleting_topics_count.value - 1
    -orig-id: DeletingTopics
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  topic_partitions_info:
    -orig-id: TopicPartitionsInfo
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
      - id: partitions_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: partitions_count.value - 1
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  topic_info:
    -orig-id: TopicInfo
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
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
