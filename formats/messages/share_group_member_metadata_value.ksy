meta:
  id: share_group_member_metadata_value
  title: Kafka's ShareGroupMemberMetadataValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: what a member said of itself: where it runs, what it wants, in a share
  group (KIP-932).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupMemberMetadataValue.json
-orig-id: ShareGroupMemberMetadataValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: rack_id_length
    type: varint::unsigned(5)
    -hidden: true
  - id: rack_id
    type: str
    size: rack_id_length.value - 1
    if: rack_id_length.value >= 1
    -orig-id: RackId
  - id: client_id_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_id
    type: str
    size: client_id_length.value - 1
    -orig-id: ClientId
  - id: client_host_length
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: client_host
    type: str
    size: client_host_length.value - 1
    -orig-id: ClientHost
  - id: subscribed_topic_names_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: subscribed_topic_names
    type: kafka_types::compact_string
    repeat: expr
    repeat-expr: subscribed_topic_names_count.value - 1
    -orig-id: SubscribedTopicNames
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
