meta:
  id: cbor
  title: Concise Binary Object Representation
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc-ref: RFC 8949
seq:
  - {id: items, type: item, repeat: eos, doc: 'a sequence of items, as in RFC 8742'}
types:
  item:
    seq:
      - {id: major, type: b3, enum: major}
      - {id: info, type: b5}
      - id: argument
        if: 'info >= 24 and info <= 27 and not is_real'
        type:
          switch-on: info
          cases: {24: u1, 25: u2, 26: u4, 27: u8}
      - id: real
        if: is_real
        type:
          switch-on: info
          cases: {25: half, 26: single, 27: double}
      - id: content
        type:
          switch-on: major
          cases:
            'major::bytes': byte_string
            'major::text': text
            'major::array': array
            'major::map': map
            'major::tag': item
    instances:
      is_real: {value: 'major == major::simple and info >= 25 and info <= 27'}
      is_indefinite: {value: 'info == 31'}
      is_break: {value: 'major == major::simple and is_indefinite'}
      number: {value: 'info < 24 ? info : argument', if: 'info < 28 and not is_real'}
      negative: {value: '-1 - number', if: 'major == major::negative'}
  byte_string:
    seq:
      - {id: data, size: _parent.as<item>.number, if: 'not _parent.as<item>.is_indefinite'}
      - {id: chunks, type: item, repeat: until, repeat-until: _.is_break, if: _parent.as<item>.is_indefinite}
  text:
    seq:
      - {id: text, type: str, size: _parent.as<item>.number, if: 'not _parent.as<item>.is_indefinite'}
      - {id: chunks, type: item, repeat: until, repeat-until: _.is_break, if: _parent.as<item>.is_indefinite}
  array:
    seq:
      - id: items
        type: item
        repeat: expr
        repeat-expr: _parent.as<item>.number
        if: 'not _parent.as<item>.is_indefinite'
      - {id: open_items, type: item, repeat: until, repeat-until: _.is_break, if: _parent.as<item>.is_indefinite}
  map:
    seq:
      - id: pairs
        type: pair
        repeat: expr
        repeat-expr: _parent.as<item>.number
        if: 'not _parent.as<item>.is_indefinite'
      - {id: open_pairs, type: pair, repeat: until, repeat-until: _.key.is_break, if: _parent.as<item>.is_indefinite}
  pair:
    seq:
      - {id: key, type: item}
      - {id: value, type: item, if: not key.is_break}
  half:
    seq:
      - {id: is_negative, type: b1}
      - {id: exponent, type: b5}
      - {id: fraction, type: b10}
  single: {seq: [{id: value, type: f4}]}
  double: {seq: [{id: value, type: f8}]}
enums:
  major: {0: unsigned, 1: negative, 2: bytes, 3: text, 4: array, 5: map, 6: tag, 7: simple}
