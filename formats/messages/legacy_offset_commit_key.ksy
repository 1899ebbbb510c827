meta:
  id: legacy_offset_commit_key
  title: Kafka's LegacyOffsetCommitKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: a committed offset, as written before 0.9.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/LegacyOffsetCommitKey.json
-orig-id: LegacyOffsetCommitKey
seq:
  - id: type
    type: s2
    -derive: 0
    valid: 0
  - id: group_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group
    type: str
    size: group_length
    -orig-id: group
  - id: topic_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: topic
    type: str
    size: topic_length
    -orig-id: topic
  - id: partition
    type: s4
    -orig-id: partition
