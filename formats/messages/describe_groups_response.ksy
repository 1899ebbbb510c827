meta:
  id: describe_groups_response
  title: Kafka's DescribeGroupsResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsResponse.json
-orig-id: DescribeGroupsResponse
params:
  - id: version
    type: s2
seq:
  - id: throttle_time_ms
    type: s4
    if: version >= 1
    -orig-id: ThrottleTimeMs
  - id: groups_count
    type: s4
    if: version < 5
    valid:
      min: 0
    -hidden: true
  - id: compact_groups_count
    type: varint::unsigned(5)
    if: version >= 5
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: groups
    type: described_group(version)
    repeat: expr
    repeat-expr: 'version >= 5 ? compact_groups_count.value - 1 : groups_count'
    -orig-id: Groups
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 5
    -hidden: true
types:
  described_group:
    -orig-id: DescribedGroup
    params:
      - id: version
        type: s2
    seq:
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: error_message_length
        type: varint::unsigned(5)
        if: version >= 6
        -hidden: true
      - id: error_message
        type: str
        size: error_message_length.value - 1
        if: version >= 6 and error_message_length.value >= 1
        -orig-id: ErrorMessage
      - id: group_id_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_group_id_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: group_id
        type: str
        size: 'version >= 5 ? compact_group_id_length.value - 1 : group_id_length'
        -orig-id: GroupId
      - id: group_state_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_group_state_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: group_state
        type: str
        size: 'version >= 5 ? compact_group_state_length.value - 1 : group_state_length'
        -orig-id: GroupState
      - id: protocol_type_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_protocol_type_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: protocol_type
        type: str
        size: 'version >= 5 ? compact_protocol_type_length.value - 1 : protocol_type_length'
        -orig-id: ProtocolType
      - id: protocol_data_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_protocol_data_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: protocol_data
        type: str
        size: 'version >= 5 ? compact_protocol_data_length.value - 1 : protocol_data_length'
        -orig-id: ProtocolData
      - id: members_count
        type: s4
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_members_count
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: members
        type: described_group_member(version)
        repeat: expr
        repeat-expr: 'version >= 5 ? compact_members_count.value - 1 : members_count'
        -orig-id: Members
      - id: authorized_operations
        type: s4
        if: version >= 3
        -orig-id: AuthorizedOperations
        -derive: -2147483648
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 5
        -hidden: true
  described_group_member:
    -orig-id: DescribedGroupMember
    params:
      - id: version
        type: s2
    seq:
      - id: member_id_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_member_id_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: member_id
        type: str
        size: 'version >= 5 ? compact_member_id_length.value - 1 : member_id_length'
        -orig-id: MemberId
      - id: group_instance_id_length
        type: s2
        if: version >= 4 and version < 5
        -hidden: true
      - id: compact_group_instance_id_length
        type: varint::unsigned(5)
        if: version >= 4 and version >= 5
        -hidden: true
      - id: group_instance_id
        type: str
        size: 'version >= 5 ? compact_group_instance_id_length.value - 1 : group_instance_id_length'
        if: 'version >= 4 and (version >= 5 ? compact_group_instance_id_length.value >= 1 : group_instance_id_length >= 0)'
        -orig-id: GroupInstanceId
      - id: client_id_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_client_id_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: client_id
        type: str
        size: 'version >= 5 ? compact_client_id_length.value - 1 : client_id_length'
        -orig-id: ClientId
      - id: client_host_length
        type: s2
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_client_host_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: client_host
        type: str
        size: 'version >= 5 ? compact_client_host_length.value - 1 : client_host_length'
        -orig-id: ClientHost
      - id: member_metadata_length
        type: s4
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_member_metadata_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: member_metadata
        size: 'version >= 5 ? compact_member_metadata_length.value - 1 : member_metadata_length'
        -orig-id: MemberMetadata
      - id: member_assignment_length
        type: s4
        if: version < 5
        valid:
          min: 0
        -hidden: true
      - id: compact_member_assignment_length
        type: varint::unsigned(5)
        if: version >= 5
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: member_assignment
        size: 'version >= 5 ? compact_member_assignment_length.value - 1 : member_assignment_length'
        -orig-id: MemberAssignment
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 5
        -hidden: true
