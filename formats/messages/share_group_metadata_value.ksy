meta:
  id: share_group_metadata_value
  title: Kafka's ShareGroupMetadataValue
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
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupMetadataValue.json
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
  - id: metadata_hash
    type: s8
    -orig-id: MetadataHash
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
