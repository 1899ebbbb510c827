meta:
  id: access_control_record
  title: Kafka's AccessControlRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata of 2.8's preview: an ACL.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/AccessControlRecord.json
-orig-id: AccessControlRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 6
    valid:
      expr: _.value == 6
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: resource_type
    type: s1
    -orig-id: ResourceType
  - id: resource_name_length
    type: varint::unsigned(5)
    -hidden: true
  - id: resource_name
    type: str
    size: resource_name_length.value - 1
    if: resource_name_length.value >= 1
    -orig-id: ResourceName
  - id: pattern_type
    type: s1
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
    -orig-id: Operation
  - id: permission_type
    type: s1
    -orig-id: PermissionType
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
