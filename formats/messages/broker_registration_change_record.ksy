meta:
  id: broker_registration_change_record
  title: Kafka's BrokerRegistrationChangeRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: a broker was fenced or unfenced, or has other directories.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BrokerRegistrationChangeRecord.json
-orig-id: BrokerRegistrationChangeRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 17
    valid:
      expr: _.value == 17
  - id: version
    type: varint::unsigned(5)
    -derive: 3
    valid:
      expr: _.value <= 3
  - id: broker_id
    type: s4
    -orig-id: BrokerId
  - id: broker_epoch
    type: s8
    -orig-id: BrokerEpoch
  - id: tagged_fields
    type: broker_registration_change_record_tagged_fields(version.value)
    -hidden: true
types:
  broker_registration_change_record_tagged_fields:
    params:
      - id: version
        type: s2
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: broker_registration_change_record_tagged_field(version)
        repeat: expr
        repeat-expr: fields_count.value
  broker_registration_change_record_tagged_field:
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
          switch-on: '(tag.value == 1 and version < 1) or (tag.value == 2 and version < 2) or (tag.value == 3 and version < 3) ? -1 : tag.value'
          cases:
            0: broker_registration_change_record_fenced_tag
            1: broker_registration_change_record_in_controlled_shutdown_tag
            2: broker_registration_change_record_log_dirs_tag
            3: broker_registration_change_record_cordoned_log_dirs_tag
  broker_registration_change_record_fenced_tag:
    seq:
      - id: fenced
        type: s1
        -orig-id: Fenced
        -tagged: {tag: 0, default: 0}
  broker_registration_change_record_in_controlled_shutdown_tag:
    seq:
      - id: in_controlled_shutdown
        type: s1
        -orig-id: InControlledShutdown
        -tagged: {tag: 1, default: 0}
  broker_registration_change_record_log_dirs_tag:
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
        -tagged: {tag: 2, default: []}
  broker_registration_change_record_cordoned_log_dirs_tag:
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
        -tagged: {tag: 3, default: null}
