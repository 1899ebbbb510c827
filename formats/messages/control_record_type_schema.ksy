meta:
  id: control_record_type_schema
  title: Kafka's ControlRecordTypeSchema
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record in a control batch: its type says which message the value is. A newer version is read as this one, and
  bytes may follow.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ControlRecordTypeSchema.json
-orig-id: ControlRecordTypeSchema
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
  - id: type
    type: s2
    enum: control_type
    -orig-id: Type
enums:
  control_type:
    0: abort
    1: commit
    2: leader_change
    3: snapshot_header
    4: snapshot_footer
    5: kraft_version
    6: kraft_voters
