meta:
  id: group_metadata_value
  title: Kafka's GroupMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the generation of a group of the classic protocol, with its members; their
  `subscription` and `assignment` are `consumer_protocol_subscription` and `consumer_protocol_assignment` in groups of
  consumers.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataValue.json
-orig-id: GroupMetadataValue
seq:
  - id: version
    type: s2
    -derive: 4
    valid:
      min: 0
      max: 4
  - id: protocol_type_length
    type: s2
    if: version < 4
    valid:
      min: 0
    -hidden: true
  - id: compact_protocol_type_length
    type: varint::unsigned(5)
    if: version >= 4
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: protocol_type
    type: str
    size: 'version >= 4 ? compact_protocol_type_length.value - 1 : protocol_type_length'
    -orig-id: protocolType
  - id: generation
    type: s4
    -orig-id: generation
  - id: protocol_length
    type: s2
    if: version < 4
    -hidden: true
  - id: compact_protocol_length
    type: varint::unsigned(5)
    if: version >= 4
    -hidden: true
  - id: protocol
    type: str
    size: 'version >= 4 ? compact_protocol_length.value - 1 : protocol_length'
    if: '(version >= 4 ? compact_protocol_length.value >= 1 : protocol_length >= 0)'
    -orig-id: protocol
  - id: leader_length
    type: s2
    if: version < 4
    -hidden: true
  - id: compact_leader_length
    type: varint::unsigned(5)
    if: version >= 4
    -hidden: true
  - id: leader
    type: str
    size: 'version >= 4 ? compact_leader_length.value - 1 : leader_length'
    if: '(version >= 4 ? compact_leader_length.value >= 1 : leader_length >= 0)'
    -orig-id: leader
  - id: current_state_timestamp
    type: s8
    if: version >= 2
    -orig-id: currentStateTimestamp
    -derive: -1
  - id: members_count
    type: s4
    if: version < 4
    valid:
      min: 0
    -hidden: true
  - id: compact_members_count
    type: varint::unsigned(5)
    if: version >= 4
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: members
    type: member_metadata(version)
    repeat: expr
    repeat-expr: 'version >= 4 ? compact_members_count.value - 1 : members_count'
    -orig-id: members
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 4
    -hidden: true
types:
  member_metadata:
    -orig-id: MemberMetadata
    params:
      - id: version
        type: s2
    seq:
      - id: member_id_length
        type: s2
        if: version < 4
        valid:
          min: 0
        -hidden: true
      - id: compact_member_id_length
        type: varint::unsigned(5)
        if: version >= 4
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: member_id
        type: str
        size: 'version >= 4 ? compact_member_id_length.value - 1 : member_id_length'
        -orig-id: memberId
      - id: group_instance_id_length
        type: s2
        if: version >= 3 and version < 4
        -hidden: true
      - id: compact_group_instance_id_length
        type: varint::unsigned(5)
        if: version >= 3 and version >= 4
        -hidden: true
      - id: group_instance_id
        type: str
        size: 'version >= 4 ? compact_group_instance_id_length.value - 1 : group_instance_id_length'
        if: 'version >= 3 and (version >= 4 ? compact_group_instance_id_length.value >= 1 : group_instance_id_length >= 0)'
        -orig-id: groupInstanceId
      - id: client_id_length
        type: s2
        if: version < 4
        valid:
          min: 0
        -hidden: true
      - id: compact_client_id_length
        type: varint::unsigned(5)
        if: version >= 4
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: client_id
        type: str
        size: 'version >= 4 ? compact_client_id_length.value - 1 : client_id_length'
        -orig-id: clientId
      - id: client_host_length
        type: s2
        if: version < 4
        valid:
          min: 0
        -hidden: true
      - id: compact_client_host_length
        type: varint::unsigned(5)
        if: version >= 4
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: client_host
        type: str
        size: 'version >= 4 ? compact_client_host_length.value - 1 : client_host_length'
        -orig-id: clientHost
      - id: rebalance_timeout
        type: s4
        if: version >= 1
        -orig-id: rebalanceTimeout
        -derive: -1
      - id: session_timeout
        type: s4
        -orig-id: sessionTimeout
      - id: subscription_length
        type: s4
        if: version < 4
        valid:
          min: 0
        -hidden: true
      - id: compact_subscription_length
        type: varint::unsigned(5)
        if: version >= 4
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: subscription
        size: 'version >= 4 ? compact_subscription_length.value - 1 : subscription_length'
        -orig-id: subscription
      - id: assignment_length
        type: s4
        if: version < 4
        valid:
          min: 0
        -hidden: true
      - id: compact_assignment_length
        type: varint::unsigned(5)
        if: version >= 4
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: assignment
        size: 'version >= 4 ? compact_assignment_length.value - 1 : assignment_length'
        -orig-id: assignment
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 4
        -hidden: true
