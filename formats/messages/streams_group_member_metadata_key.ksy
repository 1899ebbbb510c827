meta:
  id: streams_group_member_metadata_key
  title: Kafka's StreamsGroupMemberMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: a member, as it described itself, in a streams group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupMemberMetadataKey.json
-orig-id: StreamsGroupMemberMetadataKey
seq:
  - id: type
    type: s2
    -derive: 19
    valid: 19
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
  - id: member_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: member_id
    type: str
    size: member_id_length
    -orig-id: MemberId
