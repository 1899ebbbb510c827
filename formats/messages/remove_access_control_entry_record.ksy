meta:
  id: remove_access_control_entry_record
  title: Kafka's RemoveAccessControlEntryRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: an ACL is gone.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/RemoveAccessControlEntryRecord.json
-orig-id: RemoveAccessControlEntryRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 19
    valid:
      expr: _.value == 19
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: id
    size: 16
    -as: uuid(base64)
    -orig-id: Id
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
