# in: 0102030401
# in: 010203
meta:
  id: import_and_use
  endian: be
  imports: [imported]
  license: Apache-2.0
seq:
  - {id: a, type: imported}
  - {id: b, type: imported::part, repeat: expr, repeat-expr: 2}
  - {id: c, type: u1, enum: imported::kinds}
