meta:
  id: consumer_protocol_subscription
  title: Kafka's ConsumerProtocolSubscription
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  What a consumer of a classic group wants to read, and what it has.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolSubscription.json
-orig-id: ConsumerProtocolSubscription
seq:
  - id: version
    type: s2
    -derive: 3
    valid:
      min: 0
      max: 3
  - id: topics_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: topics
    type: kafka_types::string
    repeat: expr
    repeat-expr: topics_count
    -orig-id: Topics
  - id: user_data_length
    type: s4
    -hidden: true
  - id: user_data
    size: user_data_length
    if: user_data_length >= 0
    -orig-id: UserData
  - id: owned_partitions_count
    type: s4
    if: version >= 1
    valid:
      min: 0
    -hidden: true
  - id: owned_partitions
    type: topic_partition
    repeat: expr
    repeat-expr: owned_partitions_count
    if: version >= 1
    -orig-id: OwnedPartitions
  - id: generation_id
    type: s4
    if: version >= 2
    -orig-id: GenerationId
    -derive: -1
  - id: rack_id_length
    type: s2
    if: version >= 3
    -hidden: true
  - id: rack_id
    type: str
    size: rack_id_length
    if: version >= 3 and rack_id_length >= 0
    -orig-id: RackId
types:
  topic_partition:
    -orig-id: TopicPartition
    seq:
      - id: topic_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: topic
        type: str
        size: topic_length
        -orig-id: Topic
      - id: partitions_count
        type: s4
        valid:
          min: 0
        -hidden: true
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: partitions_count
        -orig-id: Partitions
