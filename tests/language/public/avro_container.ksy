meta:
  id: avro_container
  title: Avro object container file
  file-extension: avro
  license: Apache-2.0
  encoding: UTF-8
doc-ref: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
seq:
  - {id: magic, contents: [Obj, 1]}
  - {id: metadata, type: map_block, repeat: until, repeat-until: _.count.value == 0}
  - {id: sync, size: 16}
  - {id: blocks, type: block, repeat: eos}
instances:
  schema: {value: 'metadata[0].entries[0].value.to_s("UTF-8")', if: 'metadata[0].entries[0].key.text == "avro.schema"'}
types:
  long:
    doc: Zigzag, then seven bits in each byte, the lowest first.
    seq:
      - {id: groups, type: group, repeat: until, repeat-until: not _.goes_on}
    instances:
      last: {value: groups.size - 1}
      raw:
        value: >-
          groups[0].bits
          + (last > 0 ? groups[1].bits << 7 : 0)
          + (last > 1 ? groups[2].bits << 14 : 0)
          + (last > 2 ? groups[3].bits << 21 : 0)
      value: {value: '(raw >> 1) ^ -(raw & 1)'}
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  map_block:
    seq:
      - {id: count, type: long}
      - {id: size, type: long, if: count.value < 0}
      - {id: entries, type: entry, repeat: expr, repeat-expr: 'count.value < 0 ? -count.value : count.value'}
  entry:
    seq:
      - {id: key, type: text}
      - {id: length, type: long}
      - {id: value, size: length.value}
  text:
    seq:
      - {id: length, type: long}
      - {id: text, type: str, size: length.value}
  block:
    seq:
      - {id: objects_count, type: long}
      - {id: length, type: long}
      - {id: objects, size: length.value, doc: 'encoded by the schema, then by the codec'}
      - {id: sync, size: 16, valid: {expr: _ == _root.sync}}
