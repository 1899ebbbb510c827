meta:
  id: register_broker_record_2_8
  title: Kafka's RegisterBrokerRecord of 2.8
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker with its listeners, features and directories; its epoch is the record's offset.
doc-ref: https://github.com/apache/kafka/blob/2.8.2/metadata/src/main/resources/common/metadata/RegisterBrokerRecord.json
-orig-id: RegisterBrokerRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: type
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value == 0
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: incarnation_id
    size: 16
    -as: uuid(base64)
    -orig-id: IncarnationId
  - id: broker_epoch
    type: s8
    -orig-id: BrokerEpoch
  - id: end_points_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: end_points
    type: broker_endpoint
    repeat: expr
    repeat-expr: end_points_count
    -orig-id: EndPoints
  - id: features_count
    type: s4
    valid:
      min: 0
    -hidden: true
  - id: features
    type: broker_feature
    repeat: expr
    repeat-expr: features_count
    -orig-id: Features
  - id: rack_length
    type: s2
    -hidden: true
  - id: rack
    type: str
    size: rack_length
    if: rack_length >= 0
    -orig-id: Rack
types:
  broker_endpoint:
    -orig-id: BrokerEndpoint
    seq:
      - id: name_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: name
        type: str
        size: name_length
        -orig-id: Name
      - id: host_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: host
        type: str
        size: host_length
        -orig-id: Host
      - id: port
        type: u2
        -orig-id: Port
      - id: security_protocol
        type: s2
        enum: security_protocol
        -orig-id: SecurityProtocol
  broker_feature:
    -orig-id: BrokerFeature
    seq:
      - id: name_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: name
        type: str
        size: name_length
        -orig-id: Name
      - id: min_supported_version
        type: s2
        -orig-id: MinSupportedVersion
      - id: max_supported_version
        type: s2
        -orig-id: MaxSupportedVersion
enums:
  security_protocol:
    0: plaintext
    1: ssl
    2: sasl_plaintext
    3: sasl_ssl
