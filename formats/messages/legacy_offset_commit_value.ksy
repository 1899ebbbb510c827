meta:
  id: legacy_offset_commit_value
  title: Kafka's LegacyOffsetCommitValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: a committed offset, as written before 0.9.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/LegacyOffsetCommitValue.json
-orig-id: LegacyOffsetCommitValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: offset
    type: s8
    -orig-id: offset
  - id: metadata_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: metadata
    type: str
    size: metadata_length
    -orig-id: metadata
  - id: commit_timestamp
    type: s8
    -orig-id: commitTimestamp
