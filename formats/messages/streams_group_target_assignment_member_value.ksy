meta:
  id: streams_group_target_assignment_member_value
  title: Kafka's StreamsGroupTargetAssignmentMemberValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the tasks that the member is to have, in a streams group (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTargetAssignmentMemberValue.json
-orig-id: StreamsGroupTargetAssignmentMemberValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: active_tasks_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: active_tasks
    type: task_ids
    repeat: expr
    repeat-expr: active_tasks_count.value - 1
    -orig-id: ActiveTasks
  - id: standby_tasks_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: standby_tasks
    type: task_ids
    repeat: expr
    repeat-expr: standby_tasks_count.value - 1
    -orig-id: StandbyTasks
  - id: warmup_tasks_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: warmup_tasks
    type: task_ids
    repeat: expr
    repeat-expr: warmup_tasks_count.value - 1
    -orig-id: WarmupTasks
  - id: tagged_fields
    type: kafka_types::tagged_fields
    -hidden: true
types:
  task_ids:
    -orig-id: TaskIds
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
      - id: partitions_count
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partitions
        type: s4
        repeat: expr
        repeat-expr: partitions_count.value - 1
        -orig-id: Partitions
      - id: tagged_fields
        type: kafka_types::tagged_fields
        -hidden: true
