# unaligned bits next to bytes: what is left of a byte is dropped
# in: a5c37e81ff10aa
# in: 0000000000000000
meta:
  id: bits_be
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: b1}
  - {id: b, type: b2}
  - {id: c, type: b13}
  - {id: d, type: u1}
  - {id: e, type: b3}
  - {id: f, type: u1}
  - {id: g, type: b12}
