meta:
  id: streams_group_current_member_assignment_value
  title: Kafka's StreamsGroupCurrentMemberAssignmentValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__consumer_offsets`: the tasks that the member has, and its epoch, in a streams group
  (KIP-1071).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupCurrentMemberAssignmentValue.json
-orig-id: StreamsGroupCurrentMemberAssignmentValue
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 0
  - id: member_epoch
    type: s4
    -orig-id: MemberEpoch
  - id: previous_member_epoch
    type: s4
    -orig-id: PreviousMemberEpoch
  - id: state
    type: s1
    enum: member_state
    -orig-id: State
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
  - id: active_tasks_pending_revocation_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: active_tasks_pending_revocation
    type: task_ids
    repeat: expr
    repeat-expr: active_tasks_pending_revocation_count.value - 1
    -orig-id: ActiveTasksPendingRevocation
  - id: standby_tasks_pending_revocation_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: standby_tasks_pending_revocation
    type: task_ids
    repeat: expr
    repeat-expr: standby_tasks_pending_revocation_count.value - 1
    -orig-id: StandbyTasksPendingRevocation
  - id: warmup_tasks_pending_revocation_count
    type: varint::unsigned(5)
    valid:
      expr: _.value >= 1
    -hidden: true
  - id: warmup_tasks_pending_revocation
    type: task_ids
    repeat: expr
    repeat-expr: warmup_tasks_pending_revocation_count.value - 1
    -orig-id: WarmupTasksPendingRevocation
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
        type: task_ids_tagged_fields
        -hidden: true
  task_ids_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: task_ids_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  task_ids_tagged_field:
    seq:
      - id: tag
        type: varint::unsigned(5)
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        type:
          switch-on: tag.value
          cases:
            0: task_ids_assignment_epochs_tag
  task_ids_assignment_epochs_tag:
    seq:
      - id: assignment_epochs_count
        type: varint::unsigned(5)
        -hidden: true
      - id: assignment_epochs
        type: s4
        repeat: expr
        repeat-expr: assignment_epochs_count.value - 1
        if: assignment_epochs_count.value >= 1
        -orig-id: AssignmentEpochs
        -tagged: {tag: 0, default: []}
enums:
  member_state:
    1: stable
    2: unrevoked_tasks
    3: unreleased_tasks
    127: unknown
