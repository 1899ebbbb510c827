meta:
  id: zk_migration_state_record
  title: Kafka's ZkMigrationStateRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Metadata: how far the move from ZooKeeper has come.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/ZkMigrationStateRecord.json
-orig-id: ZkMigrationStateRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 21
    valid:
      expr: _.value == 21
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: zk_migration_state
    type: s1
    -orig-id: ZkMigrationState
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
