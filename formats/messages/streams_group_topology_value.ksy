meta:
  id: streams_group_topology_value
  title: Kafka's StreamsGroupTopologyValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the subtopologies: their source, sink, repartition and changelog topics, in
  a streams group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTopologyValue.json
-orig-id: StreamsGroupTopologyValue
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
  - id: subtopologies_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: subtopologies
    type: subtopology
    repeat: expr
    repeat-expr: subtopologies_count.value - 1
    -orig-id: Subtopologies
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  subtopology:
    -orig-id: Subtopology
    seq:
      - id: subtopology_id_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: subtopology_id
        type: str
        size: subtopology_id_length.value - 1
        -orig-id: SubtopologyId
      - id: source_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: source_topics
        type: kafka_types::compact_string
        repeat: expr
        repeat-expr: source_topics_count.value - 1
        -orig-id: SourceTopics
      - id: source_topic_regex_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: source_topic_regex
        type: kafka_types::compact_string
        repeat: expr
        repeat-expr: source_topic_regex_count.value - 1
        -orig-id: SourceTopicRegex
      - id: state_changelog_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: state_changelog_topics
        type: topic_info
        repeat: expr
        repeat-expr: state_changelog_topics_count.value - 1
        -orig-id: StateChangelogTopics
      - id: repartition_sink_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: repartition_sink_topics
        type: kafka_types::compact_string
        repeat: expr
        repeat-expr: repartition_sink_topics_count.value - 1
        -orig-id: RepartitionSinkTopics
      - id: repartition_source_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: repartition_source_topics
        type: topic_info
        repeat: expr
        repeat-expr: repartition_source_topics_count.value - 1
        -orig-id: RepartitionSourceTopics
      - id: copartition_groups_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: copartition_groups
        type: copartition_group
        repeat: expr
        repeat-expr: copartition_groups_count.value - 1
        -orig-id: CopartitionGroups
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  topic_info:
    -orig-id: TopicInfo
    seq:
      - id: name_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        -orig-id: Name
      - id: partitions
        type: s4
        -orig-id: Partitions
      - id: replication_factor
        type: s2
        -orig-id: ReplicationFactor
      - id: topic_configs_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topic_configs
        type: topic_config
        repeat: expr
        repeat-expr: topic_configs_count.value - 1
        -orig-id: TopicConfigs
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  topic_config:
    -orig-id: TopicConfig
    seq:
      - id: key_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: key
        type: str
        size: key_length.value - 1
        -orig-id: key
      - id: value_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        type: str
        size: value_length.value - 1
        -orig-id: value
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
  copartition_group:
    -orig-id: CopartitionGroup
    seq:
      - id: source_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: source_topics
        type: s2
        repeat: expr
        repeat-expr: source_topics_count.value - 1
        -orig-id: SourceTopics
      - id: source_topic_regex_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: source_topic_regex
        type: s2
        repeat: expr
        repeat-expr: source_topic_regex_count.value - 1
        -orig-id: SourceTopicRegex
      - id: repartition_source_topics_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: repartition_source_topics
        type: s2
        repeat: expr
        repeat-expr: repartition_source_topics_count.value - 1
        -orig-id: RepartitionSourceTopics
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
