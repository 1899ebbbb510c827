meta:
  id: share_group_current_member_assignment_key
  title: Kafka's ShareGroupCurrentMemberAssignmentKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: what a member has now, in a share group (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupCurrentMemberAssignmentKey.json
-orig-id: ShareGroupCurrentMemberAssignmentKey
seq:
  - id: type
    type: s2
    -derive: 14
    valid: 14
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
