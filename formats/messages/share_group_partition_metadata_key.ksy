meta:
  id: share_group_partition_metadata_key
  title: Kafka's ShareGroupPartitionMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: the partitions that it reads, in a share group (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/3.9.2/group-coordinator/src/main/resources/common/message/ShareGroupPartitionMetadataKey.json
-orig-id: ShareGroupPartitionMetadataKey
seq:
  - id: type
    type: s2
    -derive: 9
    valid: 9
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
