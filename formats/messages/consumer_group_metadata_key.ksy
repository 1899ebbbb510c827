meta:
  id: consumer_group_metadata_key
  title: Kafka's ConsumerGroupMetadataKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__consumer_offsets`: the group, in a group of the consumer protocol (KIP-848).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ConsumerGroupMetadataKey.json
-orig-id: ConsumerGroupMetadataKey
seq:
  - id: type
    type: s2
    -derive: 3
    valid: 3
  - id: group_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: group_id
    type: str
    size: group_id_length
    -orig-id: GroupId
