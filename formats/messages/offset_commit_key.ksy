meta:
  id: offset_commit_key
  title: Kafka's OffsetCommitKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: the group, topic and partition of a committed offset.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/OffsetCommitKey.json
-orig-id: OffsetCommitKey
seq:
  - id: type
    type: s2
    -derive: 1
    valid: 1
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
