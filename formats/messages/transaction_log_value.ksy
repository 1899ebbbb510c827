meta:
  id: transaction_log_value
  title: Kafka's TransactionLogValue
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
    - kafka_types
  endian: be
  encoding: UTF-8
doc: |
  Value of a record of `__transaction_state`: what the transaction coordinator knows of a transactional id; the latest
  one counts, and no value says that the id is forgotten. Version 0 since 0.11, version 1 where the cluster's feature
  `transaction.version` is 1 or 2 (since 3.8).
doc-ref: https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
-orig-id: TransactionLogValue
seq:
  - id: version
    type: s2
    -derive: 1
    valid:
      min: 0
      max: 1
  - id: producer_id
    type: s8
    -orig-id: ProducerId
  - id: producer_epoch
    type: s2
    -orig-id: ProducerEpoch
  - id: transaction_timeout_ms
    type: s4
    -orig-id: TransactionTimeoutMs
  - id: transaction_status
    type: s1
    enum: transaction_state
    -orig-id: TransactionStatus
  - id: transaction_partitions_count
    type: s4
    if: version < 1
    -hidden: true
  - id: compact_transaction_partitions_count
    type: varint::unsigned(5)
    if: version >= 1
    -hidden: true
  - id: transaction_partitions
    type: partitions_schema(version)
    repeat: expr
    repeat-expr: 'version >= 1 ? compact_transaction_partitions_count.value - 1 : transaction_partitions_count'
    if: '(version >= 1 ? compact_transaction_partitions_count.value >= 1 : transaction_partitions_count >= 0)'
    -orig-id: TransactionPartitions
  - id: transaction_last_update_timestamp_ms
    type: s8
    -orig-id: TransactionLastUpdateTimestampMs
  - id: transaction_start_timestamp_ms
    type: s8
    -orig-id: TransactionStartTimestampMs
  - id: tagged_fields
    type: transaction_log_value_tagged_fields
    if: version >= 1
    -hidden: true
types:
  partitions_schema:
    -orig-id: PartitionsSchema
    params:
      - id: version
        type: s2
    seq:
      - id: topic_length
        type: s2
        if: version < 1
        valid:
          min: 0
        -hidden: true
      - id: compact_topic_length
        type: varint::unsigned(5)
        if: version >= 1
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: topic
        type: str
        size: 'version >= 1 ? compact_topic_length.value - 1 : topic_length'
        -orig-id: Topic
      - id: partition_ids_count
        type: s4
        if: version < 1
        valid:
          min: 0
        -hidden: true
      - id: compact_partition_ids_count
        type: varint::unsigned(5)
        if: version >= 1
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: partition_ids
        type: s4
        repeat: expr
        repeat-expr: 'version >= 1 ? compact_partition_ids_count.value - 1 : partition_ids_count'
        -orig-id: PartitionIds
      - id: tagged_fields
        type: kafka_types::tagged_fields
        if: version >= 1
        -hidden: true
  transaction_log_value_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: transaction_log_value_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  transaction_log_value_tagged_field:
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
            0: transaction_log_value_previous_producer_id_tag
            1: transaction_log_value_next_producer_id_tag
            2: transaction_log_value_client_transaction_version_tag
            3: transaction_log_value_next_producer_epoch_tag
  transaction_log_value_previous_producer_id_tag:
    seq:
      - id: previous_producer_id
        type: s8
        -orig-id: PreviousProducerId
        -tagged: {tag: 0, default: -1, before: producer_epoch, since: 4.3.1}
  transaction_log_value_next_producer_id_tag:
    seq:
      - id: next_producer_id
        type: s8
        -orig-id: NextProducerId
        -tagged: {tag: 1, default: -1, before: producer_epoch, since: 4.3.1}
  transaction_log_value_client_transaction_version_tag:
    seq:
      - id: client_transaction_version
        type: s2
        -orig-id: ClientTransactionVersion
        -tagged: {tag: 2, default: 0, since: 4.3.1}
  transaction_log_value_next_producer_epoch_tag:
    seq:
      - id: next_producer_epoch
        type: s2
        -orig-id: NextProducerEpoch
        -tagged: {tag: 3, default: -1, before: transaction_timeout_ms, since: 4.3.1}
enums:
  transaction_state:
    0: empty
    1: ongoing
    2: prepare_commit
    3: prepare_abort
    4: complete_commit
    5: complete_abort
    6: dead
    7: prepare_epoch_fence
