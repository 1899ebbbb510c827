# every fixed-size number
# in: 0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292affffff
# in: ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
meta:
  id: fixed_numbers
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: u1}
  - {id: b, type: s1}
  - {id: c, type: u2}
  - {id: d, type: s2le}
  - {id: e, type: u4be}
  - {id: f, type: s4le}
  - {id: g, type: u8}
  - {id: h, type: s8le}
  - {id: i, type: f4}
  - {id: j, type: f8le}
