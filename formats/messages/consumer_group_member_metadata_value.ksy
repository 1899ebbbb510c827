meta:
  id: consumer_group_member_metadata_value
  title: Kafka's ConsumerGroupMemberMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a group of
  the consumer protocol (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMemberMetadataValue.json
-orig-id: ConsumerGroupMemberMetadataValue
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
  - id: subscribed_topic_names_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: subscribed_topic_names
    type: kafka_types::compact_string
    repeat: expr
    repeat-expr: subscribed_topic_names_count.value - 1
    -orig-id: SubscribedTopicNames
  - id: subscribed_topic_regex_length
    type: varint::unsigned(5)
    -hidden: true
  - id: subscribed_topic_regex
    type: str
    size: subscribed_topic_regex_length.value - 1
    if: subscribed_topic_regex_length.value >= 1
    -orig-id: SubscribedTopicRegex
  - id: rebalance_timeout_ms
    type: s4
    -orig-id: RebalanceTimeoutMs
    -derive: -1
  - id: server_assignor_length
    type: varint::unsigned(5)
    -hidden: true
  - id: server_assignor
    type: str
    size: server_assignor_length.value - 1
    if: server_assignor_length.value >= 1
    -orig-id: ServerAssignor
  - id: tagged_fields
    type: consumer_group_member_metadata_value_tagged_fields
    -hidden: true
types:
  classic_member_metadata:
    -orig-id: ClassicMemberMetadata
    seq:
      - id: session_timeout_ms
        type: s4
        -orig-id: SessionTimeoutMs
      - id: supported_protocols_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: supported_protocols
        type: classic_protocol
        repeat: expr
        repeat-expr: supported_protocols_count.value - 1
        -orig-id: SupportedProtocols
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  classic_protocol:
    -orig-id: ClassicProtocol
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        -orig-id: Name
      - id: metadata_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: metadata
        size: metadata_length.value - 1
        -orig-id: Metadata
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  consumer_group_member_metadata_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: consumer_group_member_metadata_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  consumer_group_member_metadata_value_tagged_field:
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
            0: consumer_group_member_metadata_value_classic_member_metadata_tag
  consumer_group_member_metadata_value_classic_member_metadata_tag:
    seq:
      - id: classic_member_metadata_presence
        type: varint::unsigned(5)
        -derive:
          presence-of: classic_member_metadata
          present: 1
          absent: 0
        -hidden: true
      - id: classic_member_metadata
        type: classic_member_metadata
        if: classic_member_metadata_presence.value >= 1
        -orig-id: ClassicMemberMetadata
        -tagged: {tag: 0, default: {session_timeout_ms: 0, supported_protocols: []}}
