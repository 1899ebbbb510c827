meta:
  id: streams_group_metadata_key
  title: Kafka's StreamsGroupMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: the group, in a streams group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMetadataKey.json
-orig-id: StreamsGroupMetadataKey
seq:
  - id: type
    type: s2
    -derive: 17
    valid: 17
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
