meta:
  id: fetch_request
  title: Kafka's FetchRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchRequest.json
-orig-id: FetchRequest
params:
  - id: version
    type: s2
seq:
  - id: replica_id
    type: s4
    if: version <= 14
    -orig-id: ReplicaId
    -derive: -1
  - id: max_wait_ms
    type: s4
    -orig-id: MaxWaitMs
  - id: min_bytes
    type: s4
    -orig-id: MinBytes
  - id: max_bytes
    type: s4
    if: version >= 3
    -orig-id: MaxBytes
    -derive: 2147483647
  - id: isolation_level
    type: s1
    if: version >= 4
    -orig-id: IsolationLevel
    -derive: 0
  - id: session_id
    type: s4
    if: version >= 7
    -orig-id: SessionId
    -derive: 0
  - id: session_epoch
    type: s4
    if: version >= 7
    -orig-id: SessionEpoch
    -derive: -1
  - id: topics_count
    type: s4
    if: version < 12
    valid:
      min: 0
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version >= 12
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: fetch_topic(version)
    repeat: expr
    repeat-expr: 'version >= 12 ? compact_topics_count.value - 1 : topics_count'
    -orig-id: Topics
  - id: forgotten_topics_data_count
    type: s4
    if: version >= 7 and version < 12
    valid:
      min: 0
    -hidden: true
  - id: compact_forgotten_topics_data_count
    type: varint::unsigned(5)
    if: version >= 7 and version >= 12
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: forgotten_topics_data
    type: forgotten_topic(version)
    repeat: expr
    repeat-expr: 'version >= 12 ? compact_forgotten_topics_data_count.value - 1 : forgotten_topics_data_count'
    if: version >= 7
    -orig-id: ForgottenTopicsData
  - id: rack_id_length
    type: s2
    if: version >= 11 and version < 12
    valid:
      min: 0
    -hidden: true
  - id: compact_rack_id_length
    type: varint::unsigned(5)
    if: version >= 11 and version >= 12
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: rack_id
    type: str
    size: 'version >= 12 ? compact_rack_id_length.value - 1 : rack_id_length'
    if: version >= 11
    -orig-id: RackId
  - id: tagged_fields
    type: fetch_request_tagged_fields(version)
    if: version >= 12
    -hidden: true
types:
  replica_state:
    -orig-id: ReplicaState
    seq:
      - id: replica_id
        type: s4
        -orig-id: ReplicaId
        -derive: -1
      - id: replica_epoch
        type: s8
        -orig-id: ReplicaEpoch
        -derive: -1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  fetch_topic:
    -orig-id: FetchTopic
    params:
      - id: version
        type: s2
    seq:
      - id: topic_length
        type: s2
        if: version <= 12 and version < 12
        valid:
          min: 0
        -hidden: true
      - id: compact_topic_length
        type: varint::unsigned(5)
        if: version <= 12 and version >= 12
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topic
        type: str
        size: 'version >= 12 ? compact_topic_length.value - 1 : topic_length'
        if: version <= 12
        -orig-id: Topic
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 13
        -orig-id: TopicId
      - id: partitions_count
        type: s4
        if: version < 12
        valid:
          min: 0
        -hidden: true
      - id: compact_partitions_count
        type: varint::unsigned(5)
        if: version >= 12
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: fetch_partition(version)
        repeat: expr
        repeat-expr: 'version >= 12 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 12
        -hidden: true
  fetch_partition:
    -orig-id: FetchPartition
    params:
      - id: version
        type: s2
    seq:
      - id: partition
        type: s4
        -orig-id: Partition
      - id: current_leader_epoch
        type: s4
        if: version >= 9
        -orig-id: CurrentLeaderEpoch
        -derive: -1
      - id: fetch_offset
        type: s8
        -orig-id: FetchOffset
      - id: last_fetched_epoch
        type: s4
        if: version >= 12
        -orig-id: LastFetchedEpoch
        -derive: -1
      - id: log_start_offset
        type: s8
        if: version >= 5
        -orig-id: LogStartOffset
        -derive: -1
      - id: partition_max_bytes
        type: s4
        -orig-id: PartitionMaxBytes
      - id: tagged_fields
        type: fetch_partition_tagged_fields(version)
        if: version >= 12
        -hidden: true
  forgotten_topic:
    -orig-id: ForgottenTopic
    params:
      - id: version
        type: s2
    seq:
      - id: topic_length
        type: s2
        if: version <= 12 and version < 12
        valid:
          min: 0
        -hidden: true
      - id: compact_topic_length
        type: varint::unsigned(5)
        if: version <= 12 and version >= 12
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topic
        type: str
        size: 'version >= 12 ? compact_topic_length.value - 1 : topic_length'
        if: version <= 12
        -orig-id: Topic
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 13
        -orig-id: TopicId
      - id: partitions_count
        type: s4
        if: version < 12
        valid:
          min: 0
        -hidden: true
      - id: compact_partitions_count
        type: varint::unsigned(5)
        if: version >= 12
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: 'version >= 12 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 12
        -hidden: true
  fetch_request_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: fetch_request_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  fetch_request_tagged_field:
    params:
      - id: version
        type: s2
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: '(tag.value == 1 and version < 15) ? -1 : tag.value'
          cases:
            0: fetch_request_cluster_id_tag
            1: fetch_request_replica_state_tag
  fetch_request_cluster_id_tag:
    seq:
      - id: cluster_id_length
        type: varint::unsigned(5)
        -hidden: true
      - id: cluster_id
        type: str
        size: cluster_id_length.value - 1
        if: cluster_id_length.value >= 1
        -orig-id: ClusterId
        -tagged: {tag: 0, default: null, before: replica_id}
  fetch_request_replica_state_tag:
    seq:
      - id: replica_state
        type: replica_state
        -orig-id: ReplicaState
        -tagged: {tag: 1, default: null, before: max_wait_ms}
  fetch_partition_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: fetch_partition_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  fetch_partition_tagged_field:
    params:
      - id: version
        type: s2
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: '(tag.value == 0 and version < 17) or (tag.value == 1 and version < 18) ? -1 : tag.value'
          cases:
            0: fetch_partition_replica_directory_id_tag
            1: fetch_partition_high_watermark_tag
  fetch_partition_replica_directory_id_tag:
    seq:
      - id: replica_directory_id
        size: 16
        -as: uuid(base64)
        -orig-id: ReplicaDirectoryId
        -tagged: {tag: 0, default: AAAAAAAAAAAAAAAAAAAAAA}
  fetch_partition_high_watermark_tag:
    seq:
      - id: high_watermark
        type: s8
        -orig-id: HighWatermark
        -tagged: {tag: 1, default: 9223372036854775807}
