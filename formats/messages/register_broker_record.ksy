meta:
  id: register_broker_record
  title: Kafka's RegisterBrokerRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker with its listeners, features and directories; its epoch is the record's offset.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RegisterBrokerRecord.json
-orig-id: RegisterBrokerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: version
    type: varint::unsigned(5)
    -derive: 4
    valid:
      expr: _.value <= 4
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: is_migrating_zk_broker
    type: s1
    -as: bool
    if: version.value >= 2
    -orig-id: IsMigratingZkBroker
    -derive: 0
  - id: incarnation_id
    size: 16
    -as: uuid(base64)
    -orig-id: IncarnationId
  - id: broker_epoch
    type: s8
    -orig-id: BrokerEpoch
  - id: end_points_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: end_points
    type: broker_endpoint
    repeat: expr
    repeat-expr: end_points_count.value - 1
    -orig-id: EndPoints
  - id: features_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: features
    type: broker_feature
    repeat: expr
    repeat-expr: features_count.value - 1
    -orig-id: Features
  - id: rack_length
    type: varint::unsigned(5)
    -hidden: true
  - id: rack
    type: str
    size: rack_length.value - 1
    if: rack_length.value >= 1
    -orig-id: Rack
  - id: fenced
    type: s1
    -as: bool
    -orig-id: Fenced
    -derive: 1
  - id: in_controlled_shutdown
    type: s1
    -as: bool
    if: version.value >= 1
    -orig-id: InControlledShutdown
    -derive: 0
  - id: tagged_fields
    type: register_broker_record_tagged_fields(version.value)
    -hidden: true
types:
  broker_endpoint:
    -orig-id: BrokerEndpoint
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
  broker_feature:
    -orig-id: BrokerFeature
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
  register_broker_record_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: register_broker_record_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  register_broker_record_tagged_field:
    params:
      - id: version
        type: s2
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: '(tag.value == 0 and version < 3) or (tag.value == 1 and version < 4) ? -1 : tag.value'
          cases:
            0: register_broker_record_log_dirs_tag
            1: register_broker_record_cordoned_log_dirs_tag
  register_broker_record_log_dirs_tag:
    seq:
      - id: log_dirs_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: log_dirs
        size: 16
        -as: uuid(base64)
        repeat: expr
        repeat-expr: log_dirs_count.value - 1
        -orig-id: LogDirs
        -tagged: {tag: 0, default: []}
  register_broker_record_cordoned_log_dirs_tag:
    seq:
      - id: cordoned_log_dirs_count
        type: varint::unsigned(5)
        -hidden: true
      - id: cordoned_log_dirs
        size: 16
        -as: uuid(base64)
        repeat: expr
        repeat-expr: cordoned_log_dirs_count.value - 1
        if: cordoned_log_dirs_count.value >= 1
        -orig-id: CordonedLogDirs
        -tagged: {tag: 1, default: null}
enums:
  security_protocol:
    0: plaintext
    1: ssl
    2: sasl_plaintext
    3: sasl_ssl
