meta:
  id: share_group_state_partition_metadata_key
  title: Kafka's ShareGroupStatePartitionMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: the state of its partitions, in a share group (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupStatePartitionMetadataKey.json
-orig-id: ShareGroupStatePartitionMetadataKey
seq:
  - id: type
    type: s2
    -derive: 15
    valid: 15
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
