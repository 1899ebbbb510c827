meta:
  id: snapshot_footer_record
  title: Kafka's SnapshotFooterRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of the control record `snapshot_footer`, the last record of a KRaft snapshot (3.0).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/SnapshotFooterRecord.json
-orig-id: SnapshotFooterRecord
seq:
  - id: version
    type: s2
    -orig-id: Version
    -derive: 0
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
