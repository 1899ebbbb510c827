meta:
  id: parquet
  title: Apache Parquet
  file-extension: parquet
  license: Apache-2.0
  endian: le
  encoding: UTF-8
doc: Pages, each after its header, and metadata at the end; headers and metadata are in Thrift's compact protocol.
doc-ref:
  - https://parquet.apache.org/docs/file-format/
  - https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
seq:
  - {id: magic, contents: PAR1}
  - {id: pages, type: pages, size: _io.size - 12 - trailer.metadata_length}
instances:
  trailer: {pos: _io.size - 8, type: trailer}
  metadata: {pos: _io.size - 8 - trailer.metadata_length, size: trailer.metadata_length, type: struct}
types:
  trailer:
    seq:
      - {id: metadata_length, type: u4}
      - {id: magic, contents: PAR1}
  pages: {seq: [{id: pages, type: page, repeat: eos}]}
  page:
    seq:
      - {id: header, type: struct}
      - {id: data, size: 'header.fields[2].value.as<zigzag>.value', if: is_page}
    instances:
      is_page: {value: 'header.fields[0].number_change == 1 and header.fields[0].kind == kind::i32'}
  varint:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.goes_on}]
    instances:
      last: {value: groups.size - 1}
      value:
        value: >-
          groups[0].bits
          + (last > 0 ? groups[1].bits << 7 : 0)
          + (last > 1 ? groups[2].bits << 14 : 0)
          + (last > 2 ? groups[3].bits << 21 : 0)
          + (last > 3 ? groups[4].bits << 28 : 0)
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  zigzag:
    seq: [{id: raw, type: varint}]
    instances:
      value: {value: '(raw.value >> 1) ^ -(raw.value & 1)'}
  struct:
    seq: [{id: fields, type: field, repeat: until, repeat-until: '_.kind == kind::stop'}]
  field:
    seq:
      - {id: number_change, type: b4}
      - {id: kind, type: b4, enum: kind}
      - {id: number, type: zigzag, if: 'number_change == 0 and kind != kind::stop'}
      - id: value
        type:
          switch-on: kind
          cases:
            'kind::i8': s1
            'kind::i16': zigzag
            'kind::i32': zigzag
            'kind::i64': zigzag
            'kind::double': f8
            'kind::binary': binary
            'kind::list': list
            'kind::set': list
            'kind::map': map
            'kind::struct': struct
    instances:
      boolean: {value: 'kind == kind::true_value', if: 'kind == kind::true_value or kind == kind::false_value'}
  element:
    params: [{id: kind, type: u1, enum: kind}]
    seq:
      - id: value
        type:
          switch-on: kind
          cases:
            'kind::true_value': s1
            'kind::false_value': s1
            'kind::i8': s1
            'kind::i16': zigzag
            'kind::i32': zigzag
            'kind::i64': zigzag
            'kind::double': f8
            'kind::binary': binary
            'kind::list': list
            'kind::set': list
            'kind::map': map
            'kind::struct': struct
  binary:
    seq:
      - {id: length, type: varint}
      - {id: data, size: length.value}
  list:
    seq:
      - {id: short_count, type: b4}
      - {id: kind, type: b4, enum: kind}
      - {id: long_count, type: varint, if: short_count == 15}
      - id: elements
        type: element(kind)
        repeat: expr
        repeat-expr: 'short_count == 15 ? long_count.value : short_count'
  map:
    seq:
      - {id: count, type: varint}
      - {id: key_kind, type: b4, enum: kind, if: count.value > 0}
      - {id: value_kind, type: b4, enum: kind, if: count.value > 0}
      - {id: entries, type: 'entry(key_kind, value_kind)', repeat: expr, repeat-expr: count.value, if: count.value > 0}
  entry:
    params: [{id: key_kind, type: u1, enum: kind}, {id: value_kind, type: u1, enum: kind}]
    seq:
      - {id: key, type: element(key_kind)}
      - {id: value, type: element(value_kind)}
enums:
  kind:
    0: stop
    1: true_value
    2: false_value
    3: i8
    4: i16
    5: i32
    6: i64
    7: double
    8: binary
    9: list
    10: set
    11: map
    12: struct
