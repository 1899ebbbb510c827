meta:
  id: record_batch
  title: Kafka record batch, magic 2
  application: Apache Kafka
  file-extension: log
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: be
doc: |
  What a segment file (`<base offset>.log`) consists of since Kafka 0.11: a sequence of batches with nothing between
  them. A producer builds a batch; the partition's leader writes the offset and its epoch into it, which the checksum
  does not cover, and otherwise stores it unchanged.
doc-ref: https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/record/DefaultRecordBatch.java
-checksum:
  algorithm: crc32c
  field: crc
  from: attributes
seq:
  - id: base_offset
    type: s8
    -orig-id: baseOffset
    -derive: 0
    doc: Offset of the first record that the batch was built with. 0 from a producer; the leader sets it; compaction keeps it.
  - id: batch_length
    type: s4
    -orig-id: batchLength
    valid:
      min: 49
    doc: Bytes after this field, that is the size of the batch less 12. Set by the producer, and by compaction.
  - id: partition_leader_epoch
    type: s4
    -orig-id: partitionLeaderEpoch
    -derive: -1
    doc: Epoch of the leader that appended the batch, which sets it; -1 from a producer.
  - id: magic
    type: s1
    -derive: 2
    valid: 2
    doc: Version of the format, 2 since 0.11 (KIP-98); at the same position in the older formats.
  - id: crc
    type: u4
    doc: CRC-32C of everything from `attributes` to the end of the batch. Set by the producer, or by a broker that changed those bytes.
  - id: attributes
    type: attributes
    doc: Sixteen bits, most of them not used.
  - id: last_offset_delta
    type: s4
    -orig-id: lastOffsetDelta
    -derive: records_count - 1
    doc: |
      Last offset less `base_offset`; from a producer the number of records less one, or the leader refuses the batch.
      Compaction keeps it, so it does not show how many records are left.
  - id: base_timestamp
    type: s8
    -orig-id: baseTimestamp
    doc: |
      Milliseconds since 1970 to which the records' deltas are added: the first record's timestamp when the batch was
      made. Where `attributes.has_delete_horizon` it is the time from which tombstones may be dropped (since 3.1,
      KAFKA-8522); -1 in a batch that compaction emptied.
  - id: max_timestamp
    type: s8
    -orig-id: maxTimestamp
    doc: |
      Largest timestamp of the records in milliseconds since 1970, -1 for none; the leader corrects a wrong one.
      With `log_append_time` the leader sets it to the time of the append, which is then every record's timestamp.
  - id: producer_id
    type: s8
    -orig-id: producerId
    -derive: -1
    doc: Set by an idempotent or transactional producer, with an id from a broker (since 0.11, KIP-98); -1 for none.
  - id: producer_epoch
    type: s2
    -orig-id: producerEpoch
    -derive: -1
    doc: Rises when a producer with the same transactional id starts; -1 for none.
  - id: base_sequence
    type: s4
    -orig-id: baseSequence
    -derive: -1
    doc: The producer's own number of the first record, by which duplicates are found; wraps from 2147483647 to 0; -1 for none.
  - id: records_count
    type: s4
    -orig-id: recordsCount
    valid:
      min: 0
    doc: Records that are in the batch now; never compressed. 0 in a batch that compaction emptied.
  - id: payload
    type:
      switch-on: attributes.compression
      cases:
        'compression_type::none': records(records_count)
    size: batch_length - 49
    -payload:
      codec: attributes.compression
      type: records(records_count)
    -inline: true
    doc: The records; all of them compressed together where `attributes.compression` says so.
types:
  attributes:
    -orig-id: attributes
    doc: The lower byte has its meaning from messages of magic 0 and 1, as far as they go.
    seq:
      - id: reserved
        type: b9
        -derive: 0
        doc: Not used; dropped by a broker that rewrites the attributes.
      - id: has_delete_horizon
        type: b1
        -orig-id: hasDeleteHorizonMs
        -derive: 0
        doc: "`base_timestamp` is a delete horizon. Set by compaction, since 3.1."
      - id: is_control
        type: b1
        -orig-id: isControlBatch
        -derive: 0
        doc: The records are control records (`control_record.ksy`), which brokers write and consumers do not see; since 0.11.
      - id: is_transactional
        type: b1
        -orig-id: isTransactional
        -derive: 0
        doc: Part of a transaction, as the producer says; the control batch that ends it decides whether it counts. Since 0.11.
      - id: timestamp_type
        type: b1
        enum: timestamp_type
        -orig-id: timestampType
        -derive: 0
        doc: Who gave the timestamps; set by the leader as the topic's `message.timestamp.type` says.
      - id: compression
        type: b3
        enum: compression_type
        -orig-id: compressionType
        -derive: 0
        valid:
          in-enum: true
        doc: How the records are compressed; by the producer, or by the leader where the topic's `compression.type` names another codec.
  records:
    doc: The contents of a payload after decompression.
    params:
      - id: count
        type: s4
    seq:
      - id: records
        type: record
        repeat: expr
        repeat-expr: count
        doc: In the order of their offsets.
      - id: end_of_records
        size: 0
        valid:
          expr: _io.eof
        doc: Nothing may follow the declared number of records.
  record:
    -row: true
    doc: |
      A key, a value and headers, as an application or a broker wrote them. Offset and timestamp are deltas to those of the
      batch; these fields do not say whether a consumer sees the record (aborted transactions, control batches).
    seq:
      - id: length
        type: varint(5)
        valid:
          expr: _.value >= 0
        doc: Bytes of everything after this field.
      - id: body
        type: record_body
        size: length.value
        -inline: true
  record_body:
    doc: What a record's length counts.
    seq:
      - id: attributes
        type: s1
        -derive: 0
        doc: Not used; 0 when written, ignored when read.
      - id: timestamp_delta
        type: varint(10)
        -orig-id: timestampDelta
        -base: base_timestamp
        -derive: 0
        doc: Milliseconds; may be negative. Not used in a `log_append_time` batch, but stored there all the same.
      - id: offset_delta
        type: varint(5)
        -orig-id: offsetDelta
        -base: base_offset
        doc: Rises within a batch, with gaps after compaction.
      - id: key_length
        type: varint(5)
        -orig-id: keyLength
        doc: Any negative value means null; -1 is what writers use.
      - id: key
        size: key_length.value
        if: key_length.value >= 0
        doc: Used by compaction and the default partitioner; absent where `key_length` is negative.
      - id: value_length
        type: varint(5)
        -orig-id: valueLength
        doc: Any negative value means null; with a key that is a tombstone.
      - id: value
        size: value_length.value
        if: value_length.value >= 0
        doc: Absent where `value_length` is negative.
      - id: headers_count
        type: varint(5)
        -orig-id: headersCount
        valid:
          expr: _.value >= 0
        doc: Number of headers.
      - id: headers
        type: header
        repeat: expr
        repeat-expr: headers_count.value
        doc: Since 0.11 (KIP-82). Their order counts, and keys may repeat.
      - id: end_of_record
        size: 0
        valid:
          expr: _io.eof
        doc: The record must fill its declared length.
  header:
    doc: A name and a value that an application gave a record; since 0.11 (KIP-82).
    seq:
      - id: key_length
        type: varint(5)
        -orig-id: headerKeyLength
        valid:
          expr: _.value >= 0
        doc: A header's key is never null.
      - id: key
        type: str
        size: key_length.value
        encoding: UTF-8
        -orig-id: headerKey
        doc: Text; may be empty.
      - id: value_length
        type: varint(5)
        -orig-id: headerValueLength
        doc: Any negative value means null.
      - id: value
        size: value_length.value
        if: value_length.value >= 0
        doc: Absent where `value_length` is negative.
enums:
  timestamp_type:
    0:
      id: create_time
      -orig-id: CreateTime
      doc: The producer's clock, or what the application gave.
    1:
      id: log_append_time
      -orig-id: LogAppendTime
      doc: The clock of the broker that appended the batch.
  compression_type:
    0:
      id: none
      doc: Nothing is compressed.
    1:
      id: gzip
      doc: One gzip member as a rule; readers take several.
    2:
      id: snappy
      doc: In the framing of the xerial library; readers take raw snappy as well.
    3:
      id: lz4
      doc: A frame with independent blocks.
    4:
      id: zstd
      doc: A frame; since 2.1 (KIP-110).
