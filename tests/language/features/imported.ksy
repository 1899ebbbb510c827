# in: 0102
meta:
  id: imported
  endian: be
  license: Apache-2.0
seq:
  - {id: x, type: u1}
  - {id: y, type: part}
types:
  part: {seq: [{id: z, type: u1}]}
enums:
  kinds: {1: one}
