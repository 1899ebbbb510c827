# in: a5c37e81
# in: 0123456789
meta:
  id: bits_in_types
  endian: be
  license: Apache-2.0
seq:
  - {id: head, type: b4}
  - {id: inner, type: pair, repeat: expr, repeat-expr: 3}
  - {id: tail, type: b4}
types:
  pair:
    seq:
      - {id: x, type: b3}
      - {id: y, type: b5}
