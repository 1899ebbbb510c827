meta:
  id: legacy_message
  title: Kafka message, magic 0 and 1
  application: Apache Kafka
  file-extension: log
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  What a segment file consisted of before Kafka 0.11 (magic 1 since 0.10, magic 0 before), and for topics whose
  `message.format.version` said so until 3.x: a sequence of entries, each an offset, a size and a message. Files of later
  brokers may begin with such entries and continue with record batches.

  Compressed messages are stored together in the value of one message, the wrapper. Its offset is the offset of the last
  message in it. In a wrapper of magic 0 the messages have their own offsets; in one of magic 1 they are numbered from 0,
  and a reader adds the wrapper's offset less the number of the last one.
doc-ref: https://github.com/apache/kafka/blob/3.9.1/clients/src/main/java/org/apache/kafka/common/record/LegacyRecord.java
seq:
  - id: offset
    type: s8
    -derive: 0
    doc: Offset of the message, or of the last message in a wrapper; assigned by the leader.
  - id: message_size
    type: s4
    -orig-id: size
    valid:
      min: 14
    doc: Bytes after this field.
  - id: message
    type: message
    size: message_size
    doc: The message itself.
types:
  message:
    -orig-id: LegacyRecord
    doc: A message, or a wrapper where `attributes.compression` names a codec.
    -checksum:
      algorithm: crc32
      field: crc
      from: magic
    seq:
      - id: head
        type: head
        -inline: true
      - id: value
        size: head.value_length
        if: head.value_length >= 0 and head.attributes.compression == compression_type::none
        doc: Absent where `value_length` is negative, and in a wrapper.
      - id: message_set
        size: head.value_length
        if: head.value_length >= 0 and head.attributes.compression != compression_type::none
        -payload:
          codec: head.attributes.compression
          type: message_set
          magic: head.magic
        doc: A wrapper's messages, compressed together.
      - id: end_of_message
        size: 0
        valid:
          expr: _io.eof
        doc: The message must fill its declared size.
  head:
    doc: The fields before the value.
    seq:
      - id: crc
        type: u4
        doc: |
          CRC-32 (the polynomial of zlib) of everything from `magic` to the end of the message. From the producer; a
          broker computes it again when it writes the timestamp.
      - id: magic
        type: s1
        -derive: 1
        valid:
          any-of: [0, 1]
        doc: Version of the format; at the same position in record batches.
      - id: attributes
        type: attributes
        doc: Who gave the timestamp, and how the messages of a wrapper are compressed.
      - id: timestamp
        type: s8
        if: magic >= 1
        doc: |
          Milliseconds since 1970, -1 for none; since magic 1 (Kafka 0.10, KIP-32). In a wrapper the largest of its
          messages, or with `log_append_time` the time of the append, which then holds for all of them.
      - id: key_length
        type: s4
        -orig-id: keySize
        doc: Any negative value means null; -1 is what writers use.
      - id: key
        size: key_length
        if: key_length >= 0
        doc: Absent where `key_length` is negative; always in a wrapper that a broker accepts.
      - id: value_length
        type: s4
        -orig-id: valueSize
        doc: Any negative value means null; with a key that is a tombstone. In a wrapper the size of its compressed messages.
  attributes:
    doc: One byte of flags; from the producer, `timestamp_type` from the broker.
    seq:
      - id: reserved
        type: b4
        -derive: 0
        doc: Not used.
      - id: timestamp_type
        type: b1
        enum: timestamp_type
        -orig-id: timestampType
        -derive: 0
        doc: Who gave the timestamp; set by the broker, by the topic's `message.timestamp.type`, since magic 1. Messages in a wrapper take the wrapper's.
      - id: compression
        type: b3
        enum: compression_type
        -orig-id: compressionType
        -derive: 0
        valid:
          in-enum: true
        doc: |
          How the messages in the value are compressed; set by the producer, or by the broker for a topic with a
          `compression.type` of its own. LZ4 since 0.8.2, in magic 0 with a wrong header checksum; zstd came with 2.1
          and has no place here.
  message_set:
    doc: A wrapper's value after decompression.
    seq:
      - id: messages
        type: wrapped_message
        repeat: eos
        doc: At least one, in the order of their offsets.
  wrapped_message:
    doc: An entry of a wrapper, like those of a log.
    seq:
      - id: offset
        type: s8
        -derive: 0
        doc: In a wrapper of magic 0 the message's offset; in one of magic 1 its number, from 0.
      - id: message_size
        type: s4
        -orig-id: size
        valid:
          min: 14
        doc: Bytes after this field.
      - id: message
        type: plain_message
        size: message_size
        doc: The message itself.
  plain_message:
    -orig-id: LegacyRecord
    doc: A message in a wrapper; it cannot be a wrapper itself.
    -checksum:
      algorithm: crc32
      field: crc
      from: magic
    seq:
      - id: head
        type: head
        -inline: true
      - id: value
        size: head.value_length
        if: head.value_length >= 0
        doc: Absent where `value_length` is negative.
      - id: end_of_message
        size: 0
        valid:
          expr: _io.eof
        doc: The message must fill its declared size.
enums:
  timestamp_type:
    0:
      id: create_time
      -orig-id: CreateTime
      doc: The producer's clock, or what the application gave.
    1:
      id: log_append_time
      -orig-id: LogAppendTime
      doc: The clock of the broker that appended the message.
  compression_type:
    0: none
    1: gzip
    2: snappy
    3: lz4
