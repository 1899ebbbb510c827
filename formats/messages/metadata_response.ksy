meta:
  id: metadata_response
  title: Kafka's MetadataResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataResponse.json
-orig-id: MetadataResponse
params:
  - id: version
    type: s2
seq:
  - id: throttle_time_ms
    type: s4
    if: version >= 3
    -orig-id: ThrottleTimeMs
  - id: brokers_count
    type: s4
    if: version < 9
    valid:
      min: 0
    -hidden: true
  - id: compact_brokers_count
    type: varint::unsigned(5)
    if: version >= 9
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: brokers
    type: metadata_response_broker(version)
    repeat: expr
    repeat-expr: 'version >= 9 ? compact_brokers_count.value - 1 : brokers_count'
    -orig-id: Brokers
  - id: cluster_id_length
    type: s2
    if: version >= 2 and version < 9
    -hidden: true
  - id: compact_cluster_id_length
    type: varint::unsigned(5)
    if: version >= 2 and version >= 9
    -hidden: true
  - id: cluster_id
    type: str
    size: 'version >= 9 ? compact_cluster_id_length.value - 1 : cluster_id_length'
    if: 'version >= 2 and (version >= 9 ? compact_cluster_id_length.value >= 1 : cluster_id_length >= 0)'
    -orig-id: ClusterId
  - id: controller_id
    type: s4
    if: version >= 1
    -orig-id: ControllerId
    -derive: -1
  - id: topics_count
    type: s4
    if: version < 9
    valid:
      min: 0
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version >= 9
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: topics
    type: metadata_response_topic(version)
    repeat: expr
    repeat-expr: 'version >= 9 ? compact_topics_count.value - 1 : topics_count'
    -orig-id: Topics
  - id: cluster_authorized_operations
    type: s4
    if: version >= 8 and version <= 10
    -orig-id: ClusterAuthorizedOperations
    -derive: -2147483648
  - id: error_code
    type: s2
    if: version >= 13
    -orig-id: ErrorCode
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 9
    -hidden: true
types:
  metadata_response_broker:
    -orig-id: MetadataResponseBroker
    params:
      - id: version
        type: s2
    seq:
      - id: node_id
        type: s4
        -orig-id: NodeId
      - id: host_length
        type: s2
        if: version < 9
        valid:
          min: 0
        -hidden: true
      - id: compact_host_length
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: host
        type: str
        size: 'version >= 9 ? compact_host_length.value - 1 : host_length'
        -orig-id: Host
      - id: port
        type: s4
        -orig-id: Port
      - id: rack_length
        type: s2
        if: version >= 1 and version < 9
        -hidden: true
      - id: compact_rack_length
        type: varint::unsigned(5)
        if: version >= 1 and version >= 9
        -hidden: true
      - id: rack
        type: str
        size: 'version >= 9 ? compact_rack_length.value - 1 : rack_length'
        if: 'version >= 1 and (version >= 9 ? compact_rack_length.value >= 1 : rack_length >= 0)'
        -orig-id: Rack
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 9
        -hidden: true
  metadata_response_topic:
    -orig-id: MetadataResponseTopic
    params:
      - id: version
        type: s2
    seq:
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: name_length
        type: s2
        if: version < 9
        valid:
          expr: _ >= 0 or version >= 12
        -hidden: true
      - id: compact_name_length
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1 or version >= 12
        -hidden: true
      - id: name
        type: str
        size: 'version >= 9 ? compact_name_length.value - 1 : name_length'
        if: '(version >= 9 ? compact_name_length.value >= 1 : name_length >= 0)'
        -orig-id: Name
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 10
        -orig-id: TopicId
      - id: is_internal
        type: s1
        -as: bool
        if: version >= 1
        -orig-id: IsInternal
        -derive: 0
      - id: partitions_count
        type: s4
        if: version < 9
        valid:
          min: 0
        -hidden: true
      - id: compact_partitions_count
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: metadata_response_partition(version)
        repeat: expr
        repeat-expr: 'version >= 9 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: topic_authorized_operations
        type: s4
        if: version >= 8
        -orig-id: TopicAuthorizedOperations
        -derive: -2147483648
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 9
        -hidden: true
  metadata_response_partition:
    -orig-id: MetadataResponsePartition
    params:
      - id: version
        type: s2
    seq:
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: partition_index
        type: s4
        -orig-id: PartitionIndex
      - id: leader_id
        type: s4
        -orig-id: LeaderId
      - id: leader_epoch
        type: s4
        if: version >= 7
        -orig-id: LeaderEpoch
        -derive: -1
      - id: replica_nodes_count
        type: s4
        if: version < 9
        valid:
          min: 0
        -hidden: true
      - id: compact_replica_nodes_count
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: replica_nodes
        type: s4
        repeat: expr
        repeat-expr: 'version >= 9 ? compact_replica_nodes_count.value - 1 : replica_nodes_count'
        -orig-id: ReplicaNodes
      - id: isr_nodes_count
        type: s4
        if: version < 9
        valid:
          min: 0
        -hidden: true
      - id: compact_isr_nodes_count
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: isr_nodes
        type: s4
        repeat: expr
        repeat-expr: 'version >= 9 ? compact_isr_nodes_count.value - 1 : isr_nodes_count'
        -orig-id: IsrNodes
      - id: offline_replicas_count
        type: s4
        if: version >= 5 and version < 9
        valid:
          min: 0
        -hidden: true
      - id: compact_offline_replicas_count
        type: varint::unsigned(5)
        if: version >= 5 and version >= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: offline_replicas
        type: s4
        repeat: expr
        repeat-expr: 'version >= 9 ? compact_offline_replicas_count.value - 1 : offline_replicas_count'
        if: version >= 5
        -orig-id: OfflineReplicas
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 9
        -hidden: true
