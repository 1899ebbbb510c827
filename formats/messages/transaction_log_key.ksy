meta:
  id: transaction_log_key
  title: Kafka's TransactionLogKey
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: |
  Key of a record of `__transaction_state`: a transactional id, whose hash code in Java decides which partition has its
  records. Coordinators pass over keys of a version that they do not know.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogKey.json
-orig-id: TransactionLogKey
seq:
  - id: type
    type: s2
    -derive: 0
    valid: 0
  - id: transactional_id_length
    type: s2
    valid:
      min: 0
    -hidden: true
  - id: transactional_id
    type: str
    size: transactional_id_length
    -orig-id: TransactionalId
