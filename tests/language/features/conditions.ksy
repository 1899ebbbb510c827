# in: 00
# in: 1faabbccddeeff01
# in: 0aaabbcc
# in: 04aa
meta:
  id: conditions
  endian: be
  license: Apache-2.0
seq:
  - {id: flags, type: u1}
  - {id: a, type: u1, if: flags & 1 != 0}
  - {id: b, size: 2, if: flags & 2 != 0}
  - {id: c, type: pair, if: flags & 4 != 0}
  - {id: d, type: u1, repeat: expr, repeat-expr: 2, if: flags & 8 != 0}
types:
  pair: {seq: [{id: x, type: u1}, {id: y, type: u1}]}
instances:
  at: {pos: 0, type: u1, if: flags & 16 != 0}
