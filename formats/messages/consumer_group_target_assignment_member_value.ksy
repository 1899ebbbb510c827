meta:
  id: consumer_group_target_assignment_member_value
  title: Kafka's ConsumerGroupTargetAssignmentMemberValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the partitions that the member is to have, in a group of the consumer
  protocol (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupTargetAssignmentMemberValue.json
-orig-id: ConsumerGroupTargetAssignmentMemberValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: topic_partitions_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topic_partitions
    type: topic_partition
    repeat: expr
    repeat-expr: topic_partitions_count.value - 1
    -orig-id: TopicPartitions
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  topic_partition:
    -orig-id: TopicPartition
    seq:
      - id: topic_id
        size: 16
        -as: uuid(base64)
        -orig-id: TopicId
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
