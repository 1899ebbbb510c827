meta:
  id: kraft_version_record
  title: Kafka's KRaftVersionRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of the control record `kraft_version`, in the metadata log and its snapshots (since 3.8, KIP-853): 0 for voters
  that the configuration names, 1 for voters that stand in the log.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/KRaftVersionRecord.json
-orig-id: KRaftVersionRecord
seq:
  - id: version
    type: s2
    -orig-id: Version
    -derive: 0
  - id: kraft_version
    type: s2
    -orig-id: KRaftVersion
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
