meta:
  id: streams_group_member_metadata_value
  title: Kafka's StreamsGroupMemberMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a streams
  group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMemberMetadataValue.json
-orig-id: StreamsGroupMemberMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: instance_id_length
    type: varint::unsigned(5)
    -hidden: true
  - id: instance_id
    type: str
    size: instance_id_length.value - 1
    if: instance_id_length.value >= 1
    -orig-id: InstanceId
  - id: rack_id_length
    type: varint::unsigned(5)
    -hidden: true
  - id: rack_id
    type: str
    size: rack_id_length.value - 1
    if: rack_id_length.value >= 1
    -orig-id: RackId
  - id: client_id_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_id
    type: str
    size: client_id_length.value - 1
    -orig-id: ClientId
  - id: client_host_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_host
    type: str
    size: client_host_length.value - 1
    -orig-id: ClientHost
  - id: rebalance_timeout_ms
    type: s4
    -orig-id: RebalanceTimeoutMs
    -derive: -1
  - id: topology_epoch
    type: s4
    -orig-id: TopologyEpoch
  - id: process_id_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: process_id
    type: str
    size: process_id_length.value - 1
    -orig-id: ProcessId
  - id: user_endpoint_presence
    type: s1
    -derive:
      presence-of: user_endpoint
      present: 1
      absent: -1
    -hidden: true
  - id: user_endpoint
    type: endpoint
    if: user_endpoint_presence >= 0
    -orig-id: UserEndpoint
  - id: client_tags_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_tags
    type: key_value
    repeat: expr
    repeat-expr: client_tags_count.value - 1
    -orig-id: ClientTags
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  endpoint:
    -orig-id: Endpoint
    seq:
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
        type: u2
        -orig-id: Port
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  key_value:
    -orig-id: KeyValue
    seq:
      - id: key_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: key
        type: str
        size: key_length.value - 1
        -orig-id: Key
      - id: value_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        type: str
        size: value_length.value - 1
        -orig-id: Value
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
