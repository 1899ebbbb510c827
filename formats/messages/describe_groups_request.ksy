meta:
  id: describe_groups_request
  title: Kafka's DescribeGroupsRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeGroupsRequest.json
-orig-id: DescribeGroupsRequest
params:
  - id: version
    type: s2
seq:
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
    type: 'kafka_types::versioned_string(version >= 5 ? 1 : 0)'
    repeat: expr
    repeat-expr: 'version >= 5 ? compact_groups_count.value - 1 : groups_count'
    -orig-id: Groups
  - id: include_authorized_operations
    type: s1
    -as: bool
    if: version >= 3
    -orig-id: IncludeAuthorizedOperations
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 5
    -hidden: true
