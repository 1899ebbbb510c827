meta:
  id: snapshot_header_record
  title: Kafka's SnapshotHeaderRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of the control record `snapshot_header`, the first record of a KRaft snapshot (3.0).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SnapshotHeaderRecord.json
-orig-id: SnapshotHeaderRecord
seq:
  - id: version
    type: s2
    -orig-id: Version
    -derive: 0
  - id: last_contained_log_timestamp
    type: s8
    -orig-id: LastContainedLogTimestamp
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
