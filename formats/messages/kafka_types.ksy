meta:
  id: kafka_types
  title: Texts, bytes and tagged fields of Kafka's messages
  application: Apache Kafka
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - ../varint
  endian: be
  encoding: UTF-8
doc: |
  What the declarations of Kafka's messages have in common: texts and bytes as the elements of arrays, and the tail of
  every structure in a flexible version (KIP-482).
doc-ref: https://kafka.apache.org/42/protocol.html#protocol_types
types:
  string:
    -orig-id: STRING
    doc: Text in front of which its length stands.
    seq:
      - id: value_length
        type: s2
        valid:
          min: 0
        -hidden: true
      - id: value
        type: str
        size: value_length
  compact_string:
    -orig-id: COMPACT_STRING
    doc: Text in front of which its length plus one stands.
    seq:
      - id: value_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        type: str
        size: value_length.value - 1
  versioned_string:
    doc: Text of a message that became flexible in some version.
    params:
      - id: is_compact
        type: u1
        doc: 1 in versions that are flexible.
    seq:
      - id: value_length
        type: s2
        if: is_compact != 1
        valid:
          min: 0
        -hidden: true
      - id: compact_value_length
        type: varint::unsigned(5)
        if: is_compact == 1
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        type: str
        size: 'is_compact == 1 ? compact_value_length.value - 1 : value_length'
  bytes:
    -orig-id: BYTES
    doc: Bytes in front of which their number stands.
    seq:
      - id: value_length
        type: s4
        valid:
          min: 0
        -hidden: true
      - id: value
        size: value_length
  compact_bytes:
    -orig-id: COMPACT_BYTES
    doc: Bytes in front of which their number plus one stands.
    seq:
      - id: value_length
        type: varint::unsigned(5)
        valid:
          expr: _.value >= 1
        -hidden: true
      - id: value
        size: value_length.value - 1
  record_type:
    doc: What the key of a coordinator's record begins with, and its value with the version in its place.
    seq:
      - id: number
        type: s2
        doc: The number of the type, or of the version.
  record_frame:
    doc: What a record of the metadata log, and of remote log metadata, begins with.
    seq:
      - id: frame_version
        type: varint::unsigned(5)
        doc: 1; 0 in the preview of 2.8.
      - id: type
        type: varint::unsigned(5)
        doc: The number of the message.
      - id: version
        type: varint::unsigned(5)
        doc: That of the message.
  tagged_fields:
    doc: Tagged fields of a structure that has none which are known.
    seq:
      - id: fields_count
        type: varint::unsigned(5)
        -hidden: true
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: fields_count.value
  tagged_field:
    doc: A field that a later version of Kafka added.
    seq:
      - id: tag
        type: varint::unsigned(5)
        doc: Which field it is.
      - id: data_length
        type: varint::unsigned(5)
        -hidden: true
      - id: data
        size: data_length.value
        doc: Its value, as it stands there.
