meta:
  id: fetch_response
  title: Kafka's FetchResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FetchResponse.json
-orig-id: FetchResponse
params:
  - id: version
    type: s2
seq:
  - id: throttle_time_ms
    type: s4
    if: version >= 1
    -orig-id: ThrottleTimeMs
  - id: error_code
    type: s2
    if: version >= 7
    -orig-id: ErrorCode
  - id: session_id
    type: s4
    if: version >= 7
    -orig-id: SessionId
    -derive: 0
  - id: responses_count
    type: s4
    if: version < 12
    valid:
      min: 0
    -hidden: true
  - id: compact_responses_count
    type: varint::unsigned(5)
    if: version >= 12
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: responses
    type: fetchable_topic_response(version)
    repeat: expr
    repeat-expr: 'version >= 12 ? compact_responses_count.value - 1 : responses_count'
    -orig-id: Responses
  - id: tagged_fields
    type: fetch_response_tagged_fields(version)
    if: version >= 12
    -hidden: true
types:
  fetchable_topic_response:
    -orig-id: FetchableTopicResponse
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
        type: partition_data(version)
        repeat: expr
        repeat-expr: 'version >= 12 ? compact_partitions_count.value - 1 : partitions_count'
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 12
        -hidden: true
  partition_data:
    -orig-id: PartitionData
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
      - id: high_watermark
        type: s8
        -orig-id: HighWatermark
      - id: last_stable_offset
        type: s8
        if: version >= 4
        -orig-id: LastStableOffset
        -derive: -1
      - id: log_start_offset
        type: s8
        if: version >= 5
        -orig-id: LogStartOffset
        -derive: -1
      - id: aborted_transactions_count
        type: s4
        if: version >= 4 and version < 12
        -hidden: true
      - id: compact_aborted_transactions_count
        type: varint::unsigned(5)
        if: version >= 4 and version >= 12
        -hidden: true
      - id: aborted_transactions
        type: aborted_transaction(version)
        repeat: expr
        repeat-expr: 'version >= 12 ? compact_aborted_transactions_count.value - 1 : aborted_transactions_count'
        if: 'version >= 4 and (version >= 12 ? compact_aborted_transactions_count.value >= 1 : aborted_transactions_count >= 0)'
        -orig-id: AbortedTransactions
      - id: preferred_read_replica
        type: s4
        if: version >= 11
        -orig-id: PreferredReadReplica
        -derive: -1
      - id: records_length
        type: s4
        if: version < 12
        -hidden: true
      - id: compact_records_length
        type: varint::unsigned(5)
        if: version >= 12
        -hidden: true
      - id: records
        size: 'version >= 12 ? compact_records_length.value - 1 : records_length'
        if: '(version >= 12 ? compact_records_length.value >= 1 : records_length >= 0)'
        -orig-id: Records
      - id: tagged_fields
        type: partition_data_tagged_fields
        if: version >= 12
        -hidden: true
  epoch_end_offset:
    -orig-id: EpochEndOffset
    seq:
      - id: epoch
        type: s4
        -orig-id: Epoch
        -derive: -1
      - id: end_offset
        type: s8
        -orig-id: EndOffset
        -derive: -1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  leader_id_and_epoch:
    -orig-id: LeaderIdAndEpoch
    seq:
      - id: leader_id
        type: s4
        -orig-id: LeaderId
        -derive: -1
      - id: leader_epoch
        type: s4
        -orig-id: LeaderEpoch
        -derive: -1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  snapshot_id:
    -orig-id: SnapshotId
    seq:
      - id: end_offset
        type: s8
        -orig-id: EndOffset
        -derive: -1
      - id: epoch
        type: s4
        -orig-id: Epoch
        -derive: -1
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  aborted_transaction:
    -orig-id: AbortedTransaction
    params:
      - id: version
        type: s2
    seq:
      - id: producer_id
        type: s8
        -orig-id: ProducerId
      - id: first_offset
        type: s8
        -orig-id: FirstOffset
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 12
        -hidden: true
  node_endpoint:
    -orig-id: NodeEndpoint
    seq:
      - id: node_id
        type: s4
        -orig-id: NodeId
      - id: host_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: host
        type: str
        size: host_length.value - 1
        -orig-id: Host
      - id: port
        type: s4
        -orig-id: Port
      - id: rack_length
        type: varint::unsigned(5)
        -hidden: true
      - id: rack
        type: str
        size: rack_length.value - 1
        if: rack_length.value >= 1
        -orig-id: Rack
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  fetch_response_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: fetch_response_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  fetch_response_tagged_field:
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
          switch-on: '(tag.value == 0 and version < 16) ? -1 : tag.value'
          cases:
            0: fetch_response_node_endpoints_tag
  fetch_response_node_endpoints_tag:
    seq:
      - id: node_endpoints_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: node_endpoints
        type: node_endpoint
        repeat: expr
        repeat-expr: node_endpoints_count.value - 1
        -orig-id: NodeEndpoints
        -tagged: {tag: 0, default: []}
  partition_data_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: partition_data_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  partition_data_tagged_field:
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: tag.value
          cases:
            0: partition_data_diverging_epoch_tag
            1: partition_data_current_leader_tag
            2: partition_data_snapshot_id_tag
  partition_data_diverging_epoch_tag:
    seq:
      - id: diverging_epoch
        type: epoch_end_offset
        -orig-id: DivergingEpoch
        -tagged: {tag: 0, default: null, before: aborted_transactions}
  partition_data_current_leader_tag:
    seq:
      - id: current_leader
        type: leader_id_and_epoch
        -orig-id: CurrentLeader
        -tagged: {tag: 1, default: null, before: aborted_transactions}
  partition_data_snapshot_id_tag:
    seq:
      - id: snapshot_id
        type: snapshot_id
        -orig-id: SnapshotId
        -tagged: {tag: 2, default: null, before: aborted_transactions}
