meta:
  id: list_offsets_response
  title: Kafka's ListOffsetsResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListOffsetsResponse.json
-orig-id: ListOffsetsResponse
params:
  - id: version
    type: s2
seq:
  - id: throttle_time_ms
    type: s4
    if: version >= 2
    -orig-id: ThrottleTimeMs
  - id: topics_count
    type: s4
    if: version < 6
    valid:
      min: 0
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version >= 6
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: list_offsets_topic_response(version)
    repeat: expr
    repeat-expr: 'version >= 6 ? compact_topics_count.value - 1 : topics_count'
    -orig-id: Topics
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 6
    -hidden: true
types:
  list_offsets_topic_response:
    -orig-id: ListOffsetsTopicResponse
    params:
      - id: version
        type: s2
    seq:
      - id: name_length
        type: s2
        if: version < 6
        valid:
          min: 0
        -hidden: true
      - id: compact_name_length
        type: varint::unsigned(5)
        if: version >= 6
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: 'version >= 6 ? compact_name_length.value - 1 : name_length'
        -orig-id: Name
      - id: partitions_count
        type: s4
        if: version < 6
        valid:
          min: 0
        -hidden: true
      - id: compact_partitions_count
        type: varint::unsigned(5)
        if: version >= 6
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: list_offsets_partition_response(version)
        repeat: expr
        repeat-expr: 'version >= 6 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
  list_offsets_partition_response:
    -orig-id: ListOffsetsPartitionResponse
    params:
      - id: version
        type: s2
    seq:
      - id: partition_index
        type: s4
        -orig-id: PartitionIndex
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: old_style_offsets_count
        type: s4
        if: version <= 0
        valid:
          min: 0
        -hidden: true
      - id: old_style_offsets
        type: s8
        repeat: expr
        repeat-expr: old_style_offsets_count
        if: version <= 0
        -orig-id: OldStyleOffsets
      - id: timestamp
        type: s8
        if: version >= 1
        -orig-id: Timestamp
        -derive: -1
      - id: offset
        type: s8
        if: version >= 1
        -orig-id: Offset
        -derive: -1
      - id: leader_epoch
        type: s4
        if: version >= 4
        -orig-id: LeaderEpoch
        -derive: -1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
