meta:
  id: binary_plist
  title: Apple's binary property list
  file-extension: plist
  license: Apache-2.0
  endian: be
doc: Objects that refer to others by number; a table at the end of the file says where each stands.
doc-ref: https://opensource.apple.com/source/CF/CF-1153.18/CFBinaryPList.c
seq:
  - {id: magic, contents: bplist}
  - {id: version, type: str, size: 2, encoding: ASCII}
instances:
  trailer: {pos: _io.size - 32, type: trailer}
  places: {pos: trailer.places_at, type: number(trailer.place_width), repeat: expr, repeat-expr: trailer.objects_count}
  top_place: {pos: trailer.places_at + trailer.top * trailer.place_width, type: number(trailer.place_width)}
  top: {pos: top_place.value, type: object}
types:
  trailer:
    seq:
      - {id: unused, size: 5}
      - {id: sort_version, type: u1}
      - {id: place_width, type: u1, valid: {any-of: [1, 2, 4, 8]}}
      - {id: reference_width, type: u1, valid: {any-of: [1, 2, 4, 8]}}
      - {id: objects_count, type: u8}
      - {id: top, type: u8}
      - {id: places_at, type: u8}
  number:
    params: [{id: width, type: u1}]
    seq:
      - id: value
        type:
          switch-on: width
          cases: {1: u1, 2: u2, 4: u4, _: u8}
  reference:
    seq:
      - {id: number, type: number(_root.trailer.reference_width)}
    instances:
      place:
        pos: _root.trailer.places_at + number.value * _root.trailer.place_width
        type: number(_root.trailer.place_width)
      object: {pos: place.value, type: object}
  object:
    seq:
      - {id: kind, type: b4, enum: kind}
      - {id: info, type: b4}
      - {id: long_length, type: long_length, if: 'info == 15 and kind != kind::constant'}
      - id: content
        type:
          switch-on: kind
          cases:
            'kind::integer': integer(1 << info)
            'kind::real': real(info)
            'kind::date': date
            'kind::data': data(length)
            'kind::ascii': ascii(length)
            'kind::utf16': wide(length)
            'kind::uid': number(info + 1)
            'kind::array': array(length)
            'kind::set': array(length)
            'kind::dictionary': dictionary(length)
    instances:
      length: {value: 'info < 15 ? info : long_length.value.value', if: 'kind != kind::constant'}
      constant: {value: info, enum: constant, if: 'kind == kind::constant'}
  long_length:
    seq:
      - {id: kind, type: b4, enum: kind, valid: 'kind::integer'}
      - {id: width_power, type: b4}
      - {id: value, type: number(1 << width_power)}
  integer:
    params: [{id: width, type: u1}]
    seq:
      - id: value
        type:
          switch-on: width
          cases: {1: u1, 2: u2, 4: u4, 8: s8, 16: wide_integer}
    types:
      wide_integer:
        seq:
          - {id: high, type: s8}
          - {id: low, type: u8}
  real:
    params: [{id: width_power, type: u1}]
    seq:
      - id: value
        type:
          switch-on: width_power
          cases: {2: f4, 3: f8}
  date:
    seq: [{id: seconds_since_2001, type: f8}]
    instances:
      unix_seconds: {value: seconds_since_2001 + 978307200.0}
  data:
    params: [{id: length, type: u8}]
    seq: [{id: bytes, size: length}]
  ascii:
    params: [{id: length, type: u8}]
    seq: [{id: text, type: str, size: length, encoding: ASCII}]
  wide:
    params: [{id: length, type: u8}]
    seq: [{id: text, type: str, size: length * 2, encoding: UTF-16BE}]
  array:
    params: [{id: length, type: u8}]
    seq: [{id: items, type: reference, repeat: expr, repeat-expr: length}]
  dictionary:
    params: [{id: length, type: u8}]
    seq:
      - {id: keys, type: reference, repeat: expr, repeat-expr: length}
      - {id: values, type: reference, repeat: expr, repeat-expr: length}
enums:
  kind:
    0x0: constant
    0x1: integer
    0x2: real
    0x3: date
    0x4: data
    0x5: ascii
    0x6: utf16
    0x8: uid
    0xa: array
    0xc: set
    0xd: dictionary
  constant: {0: 'null', 8: false_value, 9: true_value, 15: fill}
