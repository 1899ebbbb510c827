meta:
  id: offset_fetch_request
  title: Kafka's OffsetFetchRequest
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc-ref: https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/OffsetFetchRequest.json
-orig-id: OffsetFetchRequest
params:
  - id: version
    type: s2
seq:
  - id: group_id_length
    type: s2
    if: version <= 7 and version < 6
    valid:
      min: 0
    -hidden: true
  - id: compact_group_id_length
    type: varint::unsigned(5)
    if: version <= 7 and version >= 6
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: group_id
    type: str
    size: 'version >= 6 ? compact_group_id_length.value - 1 : group_id_length'
    if: version <= 7
    -orig-id: GroupId
  - id: topics_count
    type: s4
    if: version <= 7 and version < 6
    valid:
      expr: _ >= 0 or version >= 2
    -hidden: true
  - id: compact_topics_count
    type: varint::unsigned(5)
    if: version <= 7 and version >= 6
    -hidden: true
  - id: topics
    type: offset_fetch_request_topic(version)
    repeat: expr
    repeat-expr: 'version >= 6 ? compact_topics_count.value - 1 : topics_count'
    if: 'version <= 7 and (version >= 6 ? compact_topics_count.value >= 1 : topics_count >= 0)'
    -orig-id: Topics
  - id: groups_count
    type: varint::unsigned(5)
    if: version >= 8
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: groups
    type: offset_fetch_request_group(version)
    repeat: expr
    repeat-expr: groups_count.value - 1
    if: version >= 8
    -orig-id: Groups
  - id: require_stable
    type: s1
    -as: bool
    if: version >= 7
    -orig-id: RequireStable
    -derive: 0
  - id: tagged_fields
    type: kafka_types::tagged_fields
    if: version >= 6
    -hidden: true
types:
  offset_fetch_request_topic:
    -orig-id: OffsetFetchRequestTopic
    params:
      - id: version
        type: s2
    seq:
      - id: name_length
        type: s2
        if: version < 6
        valid:
          min: 0
        -hidden: true
      - id: compact_name_length
        type: varint::unsigned(5)
        if: version >= 6
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: 'version >= 6 ? compact_name_length.value - 1 : name_length'
        -orig-id: Name
      - id: partition_indexes_count
        type: s4
        if: version < 6
        valid:
          min: 0
        -hidden: true
      - id: compact_partition_indexes_count
        type: varint::unsigned(5)
        if: version >= 6
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partition_indexes
        type: s4
        repeat: expr
        repeat-expr: 'version >= 6 ? compact_partition_indexes_count.value - 1 : partition_indexes_count'
        -orig-id: PartitionIndexes
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 6
        -hidden: true
  offset_fetch_request_group:
    -orig-id: OffsetFetchRequestGroup
    params:
      - id: version
        type: s2
    seq:
      - id: group_id_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: group_id
        type: str
        size: group_id_length.value - 1
        -orig-id: GroupId
      - id: member_id_length
        type: varint::unsigned(5)
        if: version >= 9
        -hidden: true
      - id: member_id
        type: str
        size: member_id_length.value - 1
        if: version >= 9 and member_id_length.value >= 1
        -orig-id: MemberId
      - id: member_epoch
        type: s4
        if: version >= 9
        -orig-id: MemberEpoch
        -derive: -1
      - id: topics_count
        type: varint::unsigned(5)
        -hidden: true
      - id: topics
        type: offset_fetch_request_topics(version)
        repeat: expr
        repeat-expr: topics_count.value - 1
        if: topics_count.value >= 1
        -orig-id: Topics
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  offset_fetch_request_topics:
    -orig-id: OffsetFetchRequestTopics
    params:
      - id: version
        type: s2
    seq:
      - id: name_length
        type: varint::unsigned(5)
        if: version <= 9
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        if: version <= 9
        -orig-id: Name
      - id: topic_id
        size: 16
        -as: uuid(base64)
        if: version >= 10
        -orig-id: TopicId
      - id: partition_indexes_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partition_indexes
        type: s4
        repeat: expr
        repeat-expr: partition_indexes_count.value - 1
        -orig-id: PartitionIndexes
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
