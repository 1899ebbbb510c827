meta:
  id: share_snapshot_key
  title: Kafka's ShareSnapshotKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__share_group_state`: a whole state of a partition in a share group.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/share-coordinator/src/main/resources/common/message/ShareSnapshotKey.json
-orig-id: ShareSnapshotKey
seq:
  - id: type
    type: s2
    -derive: 0
    valid: 0
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
