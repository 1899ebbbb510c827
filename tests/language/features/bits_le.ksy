# in: a5c37e81ff10aa
meta:
  id: bits_le
  endian: le
  bit-endian: le
  license: Apache-2.0
seq:
  - {id: a, type: b1}
  - {id: b, type: b2}
  - {id: c, type: b13}
  - {id: d, type: u1}
  - {id: e, type: b3}
  - {id: f, type: b17}
