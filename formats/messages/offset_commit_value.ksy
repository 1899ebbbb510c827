meta:
  id: offset_commit_value
  title: Kafka's OffsetCommitValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: how far a group has read a partition. No value: the offset was deleted, or
  has expired.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/OffsetCommitValue.json
-orig-id: OffsetCommitValue
seq:
  - id: version
    type: s2
    -derive: 4
    valid:
      min: 0
      max: 4
  - id: offset
    type: s8
    -orig-id: offset
  - id: leader_epoch
    type: s4
    if: version >= 3
    -orig-id: leaderEpoch
    -derive: -1
  - id: metadata_length
    type: s2
    if: version < 4
    valid:
      min: 0
    -hidden: true
  - id: compact_metadata_length
    type: varint::unsigned(5)
    if: version >= 4
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: metadata
    type: str
    size: 'version >= 4 ? compact_metadata_length.value - 1 : metadata_length'
    -orig-id: metadata
  - id: commit_timestamp
    type: s8
    -orig-id: commitTimestamp
  - id: expire_timestamp
    type: s8
    if: version == 1
    -orig-id: expireTimestamp
    -derive: -1
  - id: tagged_fields
    type: offset_commit_value_tagged_fields
    if: version >= 4
    -hidden: true
types:
  offset_commit_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: offset_commit_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  offset_commit_value_tagged_field:
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: tag.value
          cases:
            0: offset_commit_value_topic_id_tag
  offset_commit_value_topic_id_tag:
    seq:
      - id: topic_id
        size: 16
        -as: uuid(base64)
        -orig-id: topicId
        -tagged: {tag: 0, default: AAAAAAAAAAAAAAAAAAAAAA, since: 4.3.1}
