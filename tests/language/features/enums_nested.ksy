# in: 00010000ff0001ff
# in: ffffffffffff
meta:
  id: enums_nested
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: u1, enum: outer}
  - {id: b, type: inner}
  - {id: list, type: u1, enum: outer, repeat: expr, repeat-expr: 3}
types:
  inner:
    seq: [{id: c, type: u2, enum: own}, {id: d, type: u1, enum: outer}]
    enums:
      own: {0x100: hundred, 0xffff: most}
enums:
  outer:
    0: {id: zero, doc: nothing}
    255: {id: last}
