meta:
  id: begin_transaction_record
  title: Kafka's BeginTransactionRecord
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  Metadata: the records up to `end_transaction_record` count together, or not at all.
doc-ref: https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/BeginTransactionRecord.json
-orig-id: BeginTransactionRecord
seq:
  - id: frame_version
    type: varint::unsigned(5)
    -derive: 1
    valid:
      expr: _.value == 1
  - id: type
    type: varint::unsigned(5)
    -derive: 23
    valid:
      expr: _.value == 23
  - id: version
    type: varint::unsigned(5)
    -derive: 0
    valid:
      expr: _.value <= 0
  - id: tagged_fields
    type: begin_transaction_record_tagged_fields
    -hidden: true
types:
  begin_transaction_record_tagged_fields:
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: begin_transaction_record_tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  begin_transaction_record_tagged_field:
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
            0: begin_transaction_record_name_tag
  begin_transaction_record_name_tag:
    seq:
      - id: name_length
        type: varint::unsigned(5)
        -hidden: true
      - id: name
        type: str
        size: name_length.value - 1
        if: name_length.value >= 1
        -orig-id: Name
        -tagged: {tag: 0, default: null}
