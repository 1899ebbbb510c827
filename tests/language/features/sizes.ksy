# in: 000102030405060708090a0b0c0d0e0f10111213
meta:
  id: sizes
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: fixed}
  - {id: b, size: sizeof<fixed>}
  - {id: c, size: a._sizeof + bitsizeof<u2> / 8}
types:
  fixed: {seq: [{id: x, type: u1}, {id: y, type: u2}]}
