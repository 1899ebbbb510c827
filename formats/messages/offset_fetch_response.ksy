meta:
  id: offset_fetch_response
  title: Kafka's OffsetFetchResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchResponse.json
-orig-id: OffsetFetchResponse
params:
  - id: version
    type: s2
seq:
  - id: throttle_time_ms
    type: s4
    if: version >= 3
    -orig-id: ThrottleTimeMs
  - id: topics_count
    type: s4
    if: version <= 7 and version < 6
    valid:
      min: 0
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version <= 7 and version >= 6
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: offset_fetch_response_topic(version)
    repeat: expr
    repeat-expr: 'version >= 6 ? compact_topics_count.value - 1 : topics_count'
    if: version <= 7
    -orig-id: Topics
  - id: error_code
    type: s2
    if: version >= 2 and version <= 7
    -orig-id: ErrorCode
    -derive: 0
  - id: groups_count
    type: varint::unsigned(5)
    if: version >= 8
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: groups
    type: offset_fetch_response_group(version)
    repeat: expr
    repeat-expr: groups_count.value - 1
    if: version >= 8
    -orig-id: Groups
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 6
    -hidden: true
types:
  offset_fetch_response_topic:
    -orig-id: OffsetFetchResponseTopic
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
        type: offset_fetch_response_partition(version)
        repeat: expr
        repeat-expr: 'version >= 6 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
  offset_fetch_response_partition:
    -orig-id: OffsetFetchResponsePartition
    params:
      - id: version
        type: s2
    seq:
      - id: partition_index
        type: s4
        -orig-id: PartitionIndex
      - id: committed_offset
        type: s8
        -orig-id: CommittedOffset
      - id: committed_leader_epoch
        type: s4
        if: version >= 5
        -orig-id: CommittedLeaderEpoch
        -derive: -1
      - id: metadata_length
        type: s2
        if: version < 6
        -hidden: true
      - id: compact_metadata_length
        type: varint::unsigned(5)
        if: version >= 6
        -hidden: true
      - id: metadata
        type: str
        size: 'version >= 6 ? compact_metadata_length.value - 1 : metadata_length'
        if: '(version >= 6 ? compact_metadata_length.value >= 1 : metadata_length >= 0)'
        -orig-id: Metadata
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
  offset_fetch_response_group:
    -orig-id: OffsetFetchResponseGroup
    params:
      - id: version
        type: s2
    seq:
      - id: group_id_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: group_id
        type: str
        size: group_id_length.value - 1
        -orig-id: GroupId
      - id: topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topics
        type: offset_fetch_response_topics(version)
        repeat: expr
        repeat-expr: topics_count.value - 1
        -orig-id: Topics
      - id: error_code
        type: s2
        -orig-id: ErrorCode
        -derive: 0
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  offset_fetch_response_topics:
    -orig-id: OffsetFetchResponseTopics
    params:
      - id: version
        type: s2
    seq:
      - id: name_length
        type: varint::unsigned(5)
        if: version <= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        if: version <= 9
        -orig-id: Name
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 10
        -orig-id: TopicId
      - id: partitions_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: offset_fetch_response_partitions
        repeat: expr
        repeat-expr: partitions_count.value - 1
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  offset_fetch_response_partitions:
    -orig-id: OffsetFetchResponsePartitions
    seq:
      - id: partition_index
        type: s4
        -orig-id: PartitionIndex
      - id: committed_offset
        type: s8
        -orig-id: CommittedOffset
      - id: committed_leader_epoch
        type: s4
        -orig-id: CommittedLeaderEpoch
        -derive: -1
      - id: metadata_length
        type: varint::unsigned(5)
        -hidden: true
      - id: metadata
        type: str
        size: metadata_length.value - 1
        if: metadata_length.value >= 1
        -orig-id: Metadata
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
