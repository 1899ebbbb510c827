meta:
  id: metadata_request
  title: Kafka's MetadataRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/MetadataRequest.json
-orig-id: MetadataRequest
params:
  - id: version
    type: s2
seq:
  - id: topics_count
    type: s4
    if: version < 9
    valid:
      expr: _ >= 0 or version >= 1
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version >= 9
    -hidden: true
  - id: topics
    type: metadata_request_topic(version)
    repeat: expr
    repeat-expr: 'version >= 9 ? compact_topics_count.value - 1 : topics_count'
    if: '(version >= 9 ? compact_topics_count.value >= 1 : topics_count >= 0)'
    -orig-id: Topics
  - id: allow_auto_topic_creation
    type: s1
    -as: bool
    if: version >= 4
    -orig-id: AllowAutoTopicCreation
    -derive: 1
  - id: include_cluster_authorized_operations
    type: s1
    -as: bool
    if: version >= 8 and version <= 10
    -orig-id: IncludeClusterAuthorizedOperations
  - id: include_topic_authorized_operations
    type: s1
    -as: bool
    if: version >= 8
    -orig-id: IncludeTopicAuthorizedOperations
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 9
    -hidden: true
types:
  metadata_request_topic:
    -orig-id: MetadataRequestTopic
    params:
      - id: version
        type: s2
    seq:
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 10
        -orig-id: TopicId
      - id: name_length
        type: s2
        if: version < 9
        valid:
          expr: _ >= 0 or version >= 10
        -hidden: true
      - id: compact_name_length
        type: varint::unsigned(5)
        if: version >= 9
        valid:
          expr: _.value >= 1 or version >= 10
        -hidden: true
      - id: name
        type: str
        size: 'version >= 9 ? compact_name_length.value - 1 : name_length'
        if: '(version >= 9 ? compact_name_length.value >= 1 : name_length >= 0)'
        -orig-id: Name
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 9
        -hidden: true
