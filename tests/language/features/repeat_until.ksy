# in: 01020001020301aabb
# in: 010203
# in: 00
meta:
  id: repeat_until
  endian: be
  license: Apache-2.0
seq:
  - {id: bytes_, type: u1, repeat: until, repeat-until: _ == 0}
  - {id: pairs, type: pair, repeat: until, repeat-until: _.a > _.b or _io.eof}
  - {id: numbered, type: numbered(_index), repeat: expr, repeat-expr: 2}
types:
  pair: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
  numbered:
    params: [{id: number, type: s4}]
    seq: [{id: value, type: u1}]
    instances: {product: {value: number * value}}
