meta:
  id: consumer_protocol_assignment
  title: Kafka's ConsumerProtocolAssignment
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  The partitions that the leader of a classic group gave to a consumer.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ConsumerProtocolAssignment.json
-orig-id: ConsumerProtocolAssignment
seq:
  - id: version
    type: s2
    -derive: 3
    valid:
      min: 0
      max: 3
  - id: assigned_partitions_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: assigned_partitions
    type: topic_partition
    repeat: expr
    repeat-expr: assigned_partitions_count
    -orig-id: AssignedPartitions
  - id: user_data_length
    type: s4
    -hidden: true
  - id: user_data
    size: user_data_length
    if: user_data_length >= 0
    -orig-id: UserData
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
