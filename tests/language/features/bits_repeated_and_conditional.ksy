# in: ffff55
# in: 7fee55
# in: 1234567890
meta:
  id: bits_repeated_and_conditional
  endian: be
  license: Apache-2.0
seq:
  - {id: has, type: b1}
  - {id: one, type: b3, if: has}
  - {id: many, type: b3, repeat: expr, repeat-expr: 4}
  - {id: kind, type: b2, enum: kinds}
  - {id: rest, type: u1}
enums:
  kinds: {0: none, 1: some, 3: all}
