meta:
  id: find_coordinator_response
  title: Kafka's FindCoordinatorResponse
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorResponse.json
-orig-id: FindCoordinatorResponse
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
    if: version <= 3
    -orig-id: ErrorCode
  - id: error_message_length
    type: s2
    if: version >= 1 and version <= 3 and version < 3
    -hidden: true
  - id: compact_error_message_length
    type: varint::unsigned(5)
    if: version >= 1 and version <= 3 and version >= 3
    -hidden: true
  - id: error_message
    type: str
    size: 'version >= 3 ? compact_error_message_length.value - 1 : error_message_length'
    if: 'version >= 1 and version <= 3 and (version >= 3 ? compact_error_message_length.value >= 1 : error_message_length >= 0)'
    -orig-id: ErrorMessage
  - id: node_id
    type: s4
    if: version <= 3
    -orig-id: NodeId
  - id: host_length
    type: s2
    if: version <= 3 and version < 3
    valid:
      min: 0
    -hidden: true
  - id: compact_host_length
    type: varint::unsigned(5)
    if: version <= 3 and version >= 3
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: host
    type: str
    size: 'version >= 3 ? compact_host_length.value - 1 : host_length'
    if: version <= 3
    -orig-id: Host
  - id: port
    type: s4
    if: version <= 3
    -orig-id: Port
  - id: coordinators_count
    type: varint::unsigned(5)
    if: version >= 4
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: coordinators
    type: coordinator
    repeat: expr
    repeat-expr: coordinators_count.value - 1
    if: version >= 4
    -orig-id: Coordinators
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 3
    -hidden: true
types:
  coordinator:
    -orig-id: Coordinator
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
      - id: error_code
        type: s2
        -orig-id: ErrorCode
      - id: error_message_length
        type: varint::unsigned(5)
        -hidden: true
      - id: error_message
        type: str
        size: error_message_length.value - 1
        if: error_message_length.value >= 1
        -orig-id: ErrorMessage
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
