meta:
  id: access_control_entry_record
  title: Kafka's AccessControlEntryRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: an ACL.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/AccessControlEntryRecord.json
-orig-id: AccessControlEntryRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 18
    valid:
      expr: _.value == 18
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: id
    size: 16
    -as: uuid(base64)
    -orig-id: Id
  - id: resource_type
    type: s1
    enum: resource_type
    -orig-id: ResourceType
  - id: resource_name_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: resource_name
    type: str
    size: resource_name_length.value - 1
    -orig-id: ResourceName
  - id: pattern_type
    type: s1
    enum: pattern_type
    -orig-id: PatternType
  - id: principal_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: principal
    type: str
    size: principal_length.value - 1
    -orig-id: Principal
  - id: host_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: host
    type: str
    size: host_length.value - 1
    -orig-id: Host
  - id: operation
    type: s1
    enum: acl_operation
    -orig-id: Operation
  - id: permission_type
    type: s1
    enum: acl_permission_type
    -orig-id: PermissionType
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
enums:
  resource_type:
    0: unknown
    1: any
    2: topic
    3: group
    4: cluster
    5: transactional_id
    6: delegation_token
    7: user
  pattern_type:
    0: unknown
    1: any
    2: match
    3: literal
    4: prefixed
  acl_operation:
    0: unknown
    1: any
    2: all
    3: read
    4: write
    5: create
    6: delete
    7: alter
    8: describe
    9: cluster_action
    10: describe_configs
    11: alter_configs
    12: idempotent_write
    13: create_tokens
    14: describe_tokens
    15: two_phase_commit
  acl_permission_type:
    0: unknown
    1: any
    2: deny
    3: allow
