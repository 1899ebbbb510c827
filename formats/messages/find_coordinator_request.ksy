meta:
  id: find_coordinator_request
  title: Kafka's FindCoordinatorRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/FindCoordinatorRequest.json
-orig-id: FindCoordinatorRequest
params:
  - id: version
    type: s2
seq:
  - id: key_length
    type: s2
    if: version <= 3 and version < 3
    valid:
      min: 0
    -hidden: true
  - id: compact_key_length
    type: varint::unsigned(5)
    if: version <= 3 and version >= 3
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: key
    type: str
    size: 'version >= 3 ? compact_key_length.value - 1 : key_length'
    if: version <= 3
    -orig-id: Key
  - id: key_type
    type: s1
    if: version >= 1
    -orig-id: KeyType
    -derive: 0
  - id: coordinator_keys_count
    type: varint::unsigned(5)
    if: version >= 4
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: coordinator_keys
    type: kafka_types::compact_string
    repeat: expr
    repeat-expr: coordinator_keys_count.value - 1
    if: version >= 4
    -orig-id: CoordinatorKeys
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 3
    -hidden: true
