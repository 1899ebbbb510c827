meta:
  id: register_controller_record
  title: Kafka's RegisterControllerRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a controller with its listeners and features.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterControllerRecord.json
-orig-id: RegisterControllerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 27
    valid:
      expr: _.value == 27
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: controller_id
    type: s4
    -orig-id: ControllerId
  - id: incarnation_id
    size: 16
    -as: uuid(base64)
    -orig-id: IncarnationId
  - id: zk_migration_ready
    type: s1
    -as: bool
    -orig-id: ZkMigrationReady
  - id: end_points_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: end_points
    type: controller_endpoint
    repeat: expr
    repeat-expr: end_points_count.value - 1
    -orig-id: EndPoints
  - id: features_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: features
    type: controller_feature
    repeat: expr
    repeat-expr: features_count.value - 1
    -orig-id: Features
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  controller_endpoint:
    -orig-id: ControllerEndpoint
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
      - id: security_protocol
        type: s2
        enum: security_protocol
        -orig-id: SecurityProtocol
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  controller_feature:
    -orig-id: ControllerFeature
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
      - id: min_supported_version
        type: s2
        -orig-id: MinSupportedVersion
      - id: max_supported_version
        type: s2
        -orig-id: MaxSupportedVersion
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
enums:
  security_protocol:
    0: plaintext
    1: ssl
    2: sasl_plaintext
    3: sasl_ssl
