meta:
  id: transaction_log_key
  title: Key of a record in Kafka's transaction log
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  The key of every record of the topic `__transaction_state`, since 0.11. The record's value is declared in
  `transaction_log_value`; one without a value says that the coordinator has forgotten the id. Coordinators pass over
  keys of a version that they do not know.
doc-ref: https://github.com/apache/kafka/blob/4.3.1/transaction-coordinator/src/main/resources/common/message/TransactionLogKey.json
seq:
  - id: version
    type: s2
    -derive: 0
    valid: 0
    doc: 0 so far.
  - id: transactional_id_length
    type: s2
    valid:
      min: 0
    doc: Bytes of `transactional_id`.
  - id: transactional_id
    type: str
    size: transactional_id_length
    encoding: UTF-8
    -orig-id: TransactionalId
    doc: |
      Name of a transactional producer, set by the client (`transactional.id`). Its Java hash code decides which
      partition of the topic has its records.
