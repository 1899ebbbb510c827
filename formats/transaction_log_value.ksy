meta:
  id: transaction_log_value
  title: Value of a record in Kafka's transaction log
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
    - control_record
  endian: be
doc: |
  What the transaction coordinator knows of a transactional id; the latest record of the id's key in
  `__transaction_state` counts. Version 0 is written since 0.11, and version 1, which has tagged fields, where the
  cluster's feature `transaction.version` is 1 or 2 (since 3.8).
doc-ref: https://github.com/apache/kafka/blob/4.3.1/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json
seq:
  - id: version
    type: s2
    -derive: 0
    valid:
      min: 0
      max: 1
    doc: 0 or 1; from 1 on lengths are variable-length integers, and tagged fields may follow.
  - id: producer_id
    type: s8
    -orig-id: ProducerId
    doc: Producer id of the transactional id.
  - id: producer_epoch
    type: s2
    -orig-id: ProducerEpoch
    doc: The latest epoch of the producer id.
  - id: transaction_timeout_ms
    type: s4
    -orig-id: TransactionTimeoutMs
    doc: How long a transaction may stay open, in milliseconds, set by the client (`transaction.timeout.ms`).
  - id: transaction_status
    type: s1
    enum: transaction_state
    -orig-id: TransactionStatus
    doc: State of the id's latest transaction.
  - id: partitions
    type: partitions
    if: version == 0
    -orig-id: TransactionPartitions
    doc: Partitions that the transaction wrote to and that may still miss its end marker.
  - id: compact_partitions
    type: compact_partitions
    if: version >= 1
    -orig-id: TransactionPartitions
    doc: The same in version 1.
  - id: transaction_last_update_timestamp_ms
    type: s8
    -orig-id: TransactionLastUpdateTimestampMs
    doc: When the record was written, in milliseconds since 1970.
  - id: transaction_start_timestamp_ms
    type: s8
    -orig-id: TransactionStartTimestampMs
    doc: When the first partition was added to the transaction, in milliseconds since 1970; -1 in state `empty`.
  - id: tags
    type: control_record::tagged_fields
    if: version >= 1
    doc: |
      Tag 0, 8 bytes: the producer id before this one. Tag 1, 8 bytes: the producer id of the next transaction, where
      the epochs of this one are used up. Tag 2, 2 bytes: the transaction version that the client used. A tag that is
      not there stands for -1, -1 and 0.
types:
  partitions:
    doc: Topics with their partitions, in version 0.
    seq:
      - id: topics_count
        type: s4
        doc: Number of topics; -1 in state `empty`.
      - id: topics
        type: topic_partitions
        repeat: expr
        repeat-expr: topics_count
        if: topics_count >= 0
        doc: Each topic once.
  compact_partitions:
    doc: Topics with their partitions, in version 1.
    seq:
      - id: topics_length
        type: varint::unsigned(5)
        doc: Number of topics plus one; 0 in state `empty`.
      - id: topics
        type: compact_topic_partitions
        repeat: expr
        repeat-expr: topics_length.value - 1
        if: topics_length.value >= 1
        doc: Each topic once.
  topic_partitions:
    -orig-id: PartitionsSchema
    doc: Partitions of one topic, in version 0.
    seq:
      - id: topic_length
        type: s2
        valid:
          min: 0
        doc: Bytes of `topic`.
      - id: topic
        type: str
        size: topic_length
        encoding: UTF-8
        -orig-id: Topic
        doc: The topic's name.
      - id: partition_ids_count
        type: s4
        valid:
          min: 0
        doc: Number of partitions.
      - id: partition_ids
        type: s4
        repeat: expr
        repeat-expr: partition_ids_count
        -orig-id: PartitionIds
        doc: Their numbers.
  compact_topic_partitions:
    -orig-id: PartitionsSchema
    doc: Partitions of one topic, in version 1.
    seq:
      - id: topic_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Bytes of `topic` plus one.
      - id: topic
        type: str
        size: topic_length.value - 1
        encoding: UTF-8
        -orig-id: Topic
        doc: The topic's name.
      - id: partition_ids_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        doc: Number of partitions plus one.
      - id: partition_ids
        type: s4
        repeat: expr
        repeat-expr: partition_ids_length.value - 1
        -orig-id: PartitionIds
        doc: Their numbers.
      - id: tags
        type: control_record::tagged_fields
        doc: Fields of later versions; ignored by readers that do not know them.
  next_producer_id:
    -orig-id: NextProducerId
    doc: Data of tag 1.
    seq:
      - id: producer_id
        type: s8
        doc: Producer id of the id's next transaction.
enums:
  transaction_state:
    0:
      id: empty
      doc: There is no transaction.
    1:
      id: ongoing
      doc: Partitions were added, and the transaction is open.
    2:
      id: prepare_commit
      doc: It is committed; markers are being written.
    3:
      id: prepare_abort
      doc: It is aborted; markers are being written.
    4:
      id: complete_commit
      doc: It is committed, and all markers are written.
    5:
      id: complete_abort
      doc: It is aborted, and all markers are written.
    6:
      id: dead
      doc: The id is about to be forgotten; not written.
    7:
      id: prepare_epoch_fence
      doc: The producer is being fenced off; not written.
