meta:
  id: arrow_stream
  title: Apache Arrow's stream of messages
  file-extension: arrows
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc: |
  Each message is a FlatBuffers table, in which a table of slots says where each field stands, and then a body of
  buffers.
doc-ref:
  - https://arrow.apache.org/docs/format/Columnar.html
  - https://flatbuffers.dev/internals/
seq:
  - {id: messages, type: message, repeat: until, repeat-until: _.is_end}
types:
  message:
    seq:
      - {id: continuation, type: u4, valid: 0xffffffff}
      - {id: length, type: s4, valid: {min: 0}}
      - {id: head, type: head, size: length, if: not is_end}
      - {id: body, size: head.body_length.value, if: not is_end and head.body_length.is_there}
    instances:
      is_end: {value: length == 0}
  slot:
    doc: Where a field of a table stands, if it is there.
    params:
      - {id: table_at, type: u4}
      - {id: number, type: u1}
    instances:
      distance: {pos: table_at, type: s4}
      slots_at: {value: table_at - distance}
      slots_size: {pos: slots_at, type: u2}
      is_named: {value: slots_size > 4 + 2 * number}
      relative: {pos: slots_at + 4 + 2 * number, type: u2, if: is_named}
      is_there: {value: is_named and relative != 0}
      at: {value: 'is_there ? table_at + relative : 0'}
  byte_field:
    params: [{id: table_at, type: u4}, {id: number, type: u1}]
    seq: [{id: slot, type: 'slot(table_at, number)'}]
    instances:
      value: {pos: slot.at, type: u1, if: slot.is_there}
  long_field:
    params: [{id: table_at, type: u4}, {id: number, type: u1}]
    seq: [{id: slot, type: 'slot(table_at, number)'}]
    instances:
      is_there: {value: slot.is_there}
      value: {pos: slot.at, type: s8, if: slot.is_there}
  reference:
    doc: A field that says how far away something stands.
    params: [{id: table_at, type: u4}, {id: number, type: u1}]
    seq: [{id: slot, type: 'slot(table_at, number)'}]
    instances:
      is_there: {value: slot.is_there}
      distance: {pos: slot.at, type: u4, if: is_there}
      at: {value: 'is_there ? slot.at + distance : 0'}
      count: {pos: at, type: u4, if: is_there, doc: of the elements of a vector or the bytes of a text}
  head:
    seq:
      - {id: table_at, type: u4}
      - {id: kind, type: 'byte_field(table_at, 1)'}
      - {id: content, type: 'reference(table_at, 2)'}
      - {id: body_length, type: 'long_field(table_at, 3)'}
    instances:
      header_kind: {value: kind.value, enum: header, if: kind.slot.is_there}
      schema: {pos: content.at, type: schema(content.at), if: 'kind.slot.is_there and header_kind == header::schema'}
      batch: {pos: content.at, type: batch(content.at), if: 'kind.slot.is_there and header_kind == header::batch'}
  schema:
    params: [{id: at, type: u4}]
    seq:
      - {id: fields, type: 'reference(at, 1)'}
    instances:
      columns:
        pos: fields.at + 4
        type: field_place(fields.at + 4 + 4 * _index)
        repeat: expr
        repeat-expr: fields.count
        if: fields.is_there
  field_place:
    params: [{id: at, type: u4}]
    seq:
      - {id: distance, type: u4}
    instances:
      field: {pos: at + distance, type: field(at + distance)}
  field:
    params: [{id: at, type: u4}]
    seq:
      - {id: name, type: 'reference(at, 0)'}
      - {id: nullable, type: 'byte_field(at, 1)'}
      - {id: kind, type: 'byte_field(at, 2)'}
      - {id: children, type: 'reference(at, 5)'}
    instances:
      text: {pos: name.at + 4, size: name.count, type: str, if: name.is_there}
      type_kind: {value: kind.value, enum: type_kind, if: kind.slot.is_there}
      child_fields:
        pos: children.at + 4
        type: field_place(children.at + 4 + 4 * _index)
        repeat: expr
        repeat-expr: children.count
        if: children.is_there
  batch:
    params: [{id: at, type: u4}]
    seq:
      - {id: length, type: 'long_field(at, 0)'}
      - {id: nodes, type: 'reference(at, 1)'}
      - {id: buffers, type: 'reference(at, 2)'}
    instances:
      columns: {pos: nodes.at + 4, type: node, repeat: expr, repeat-expr: nodes.count, if: nodes.is_there}
      parts: {pos: buffers.at + 4, type: buffer, repeat: expr, repeat-expr: buffers.count, if: buffers.is_there}
  node:
    seq:
      - {id: length, type: s8}
      - {id: nulls_count, type: s8}
  buffer:
    seq:
      - {id: at, type: s8}
      - {id: length, type: s8}
enums:
  header: {1: schema, 2: dictionary, 3: batch}
  type_kind:
    1: 'null'
    2: int
    3: float
    4: binary
    5: utf8
    6: bool
    7: decimal
    8: date
    9: time
    10: timestamp
    12: list
    13: struct
