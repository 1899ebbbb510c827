meta:
  id: share_update_key
  title: Kafka's ShareUpdateKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__share_group_state`: a change to the latest whole state.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareUpdateKey.json
-orig-id: ShareUpdateKey
seq:
  - id: type
    type: s2
    -derive: 1
    valid: 1
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
  - id: topic_id
    size: 16
    -as: uuid(base64)
    -orig-id: TopicId
  - id: partition
    type: s4
    -orig-id: Partition
