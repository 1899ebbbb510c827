meta:
  id: share_group_metadata_value_3_9
  title: Kafka's ShareGroupMetadataValue of 3.9
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the group's epoch, which grows with its members and subscriptions, in a
  share group (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/3.9.2/group-coordinator/src/main/resources/common/message/ShareGroupMetadataValue.json
-orig-id: ShareGroupMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: epoch
    type: s4
    -orig-id: Epoch
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
