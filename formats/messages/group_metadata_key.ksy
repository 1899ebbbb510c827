meta:
  id: group_metadata_key
  title: Kafka's GroupMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: a group of the classic protocol.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/GroupMetadataKey.json
-orig-id: GroupMetadataKey
seq:
  - id: type
    type: s2
    -derive: 2
    valid: 2
  - id: group_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group
    type: str
    size: group_length
    -orig-id: group
