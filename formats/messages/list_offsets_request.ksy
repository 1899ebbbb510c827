meta:
  id: list_offsets_request
  title: Kafka's ListOffsetsRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ListOffsetsRequest.json
-orig-id: ListOffsetsRequest
params:
  - id: version
    type: s2
seq:
  - id: replica_id
    type: s4
    -orig-id: ReplicaId
  - id: isolation_level
    type: s1
    if: version >= 2
    -orig-id: IsolationLevel
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
    type: list_offsets_topic(version)
    repeat: expr
    repeat-expr: 'version >= 6 ? compact_topics_count.value - 1 : topics_count'
    -orig-id: Topics
  - id: timeout_ms
    type: s4
    if: version >= 10
    -orig-id: TimeoutMs
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 6
    -hidden: true
types:
  list_offsets_topic:
    -orig-id: ListOffsetsTopic
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
        type: list_offsets_partition(version)
        repeat: expr
        repeat-expr: 'version >= 6 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
  list_offsets_partition:
    -orig-id: ListOffsetsPartition
    params:
      - id: version
        type: s2
    seq:
      - id: partition_index
        type: s4
        -orig-id: PartitionIndex
      - id: current_leader_epoch
        type: s4
        if: version >= 4
        -orig-id: CurrentLeaderEpoch
        -derive: -1
      - id: timestamp
        type: s8
        -orig-id: Timestamp
      - id: max_num_offsets
        type: s4
        if: version <= 0
        -orig-id: MaxNumOffsets
        -derive: 1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
