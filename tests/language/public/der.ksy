meta:
  id: der
  title: Distinguished Encoding Rules of ASN.1
  file-extension: der
  license: Apache-2.0
  endian: be
doc: What X.509 certificates and keys are written in; each item is a tag, a length and a content, which may be items.
doc-ref: ITU-T X.690
seq:
  - {id: top, type: item}
types:
  item:
    seq:
      - {id: space, type: b2, enum: space}
      - {id: is_constructed, type: b1}
      - {id: low_number, type: b5}
      - {id: high_number, type: number, if: low_number == 31}
      - {id: length, type: length}
      - id: content
        size: length.value
        type:
          switch-on: 'is_constructed ? -1 : space == space::universal ? number : -2'
          cases:
            -1: items
            1: boolean
            2: integer
            3: bit_string
            6: object_identifier
            12: text
            19: text
            22: text
            23: time
            24: time
    instances:
      number: {value: 'low_number == 31 ? high_number.value : low_number'}
      tag: {value: number, enum: tag, if: 'space == space::universal'}
  items:
    seq:
      - {id: items, type: item, repeat: eos}
  length:
    seq:
      - {id: is_long, type: b1}
      - {id: short, type: b7}
      - {id: bytes, type: u1, repeat: expr, repeat-expr: short, if: is_long}
    instances:
      count: {value: 'is_long ? short : 0'}
      value:
        value: >-
          not is_long ? short
          : bytes[count - 1] + (count > 1 ? bytes[count - 2] << 8 : 0) + (count > 2 ? bytes[count - 3] << 16 : 0)
  number:
    seq:
      - {id: groups, type: group, repeat: until, repeat-until: not _.goes_on}
    instances:
      last: {value: groups.size - 1}
      value:
        value: >-
          groups[last].bits
          + (last > 0 ? groups[last - 1].bits << 7 : 0)
          + (last > 1 ? groups[last - 2].bits << 14 : 0)
          + (last > 2 ? groups[last - 3].bits << 21 : 0)
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  boolean:
    seq: [{id: value, type: u1, valid: {any-of: [0, 0xff]}}]
  integer:
    seq: [{id: bytes, size-eos: true}]
    instances:
      is_negative: {value: 'bytes[0] >= 0x80', if: bytes.length > 0}
  bit_string:
    seq:
      - {id: unused_bits, type: u1, valid: {max: 7}}
      - {id: bytes, size-eos: true}
    instances:
      bits_count: {value: 8 * bytes.length - unused_bits}
  object_identifier:
    seq:
      - {id: numbers, type: number, repeat: eos}
    instances:
      first: {value: 'numbers[0].value < 80 ? numbers[0].value / 40 : 2'}
      second: {value: 'numbers[0].value - 40 * first'}
  text:
    seq: [{id: text, type: str, size-eos: true, encoding: UTF-8}]
  time:
    seq: [{id: text, type: str, size-eos: true, encoding: ASCII}]
    instances:
      has_century: {value: text.length == 15}
      year:
        value: 'has_century ? text.substring(0, 4).to_i : text.substring(0, 2).to_i + (text.substring(0, 1) >= "5" ? 1900 : 2000)'
enums:
  space: {0: universal, 1: application, 2: context, 3: private}
  tag:
    1: boolean
    2: integer
    3: bit_string
    4: octet_string
    5: 'null'
    6: object_identifier
    10: enumerated
    12: utf8_string
    16: sequence
    17: set
    19: printable_string
    22: ia5_string
    23: utc_time
    24: generalized_time
