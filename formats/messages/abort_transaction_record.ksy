meta:
  id: abort_transaction_record
  title: Kafka's AbortTransactionRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the records since `begin_transaction_record` do not count.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/AbortTransactionRecord.json
-orig-id: AbortTransactionRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 25
    valid:
      expr: _.value == 25
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: tagged_fields
    type: abort_transaction_record_tagged_fields
    -hidden: true
types:
  abort_transaction_record_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: abort_transaction_record_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  abort_transaction_record_tagged_field:
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
            0: abort_transaction_record_reason_tag
  abort_transaction_record_reason_tag:
    seq:
      - id: reason_length
        type: varint::unsigned(5)
        -hidden: true
      - id: reason
        type: str
        size: reason_length.value - 1
        if: reason_length.value >= 1
        -orig-id: Reason
        -tagged: {tag: 0, default: null}
