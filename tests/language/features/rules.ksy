# in: 0703ff0100046f6b01023f800000010905
# in: 0703ff0100046f6b01023f800000030905
# in: 0703ff0100046f6b01023f800000010a05
# in: 0702
# in: 07030603
# in: 0703000002
# in: 070300000103
meta:
  id: rules
  endian: be
  license: Apache-2.0
seq:
  - {id: equal, type: u1, valid: 7}
  - {id: low, type: u1, valid: {min: 3}}
  - {id: between, type: s1, valid: {min: -1, max: 5}}
  - {id: one_of, type: u2, valid: {any-of: [1, 0x100, 3]}}
  - {id: even, type: u1, valid: {expr: _ % 2 == 0}}
  - {id: text, type: str, size: 2, encoding: ASCII, valid: '"ok"'}
  - {id: data, size: 2, valid: {any-of: ['[1, 2]', '[3, 4]']}}
  - {id: real, type: f4, valid: {min: 0.5}}
  - {id: kind, type: u1, enum: kinds, valid: {in-enum: true}}
  - {id: each, type: u1, repeat: expr, repeat-expr: 2, valid: {max: 9}}
enums:
  kinds: {1: one, 2: two}
