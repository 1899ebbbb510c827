# in: 05aabbccddeeff112233445566
# in: 00
meta:
  id: process_xor_rol
  endian: be
  license: Apache-2.0
seq:
  - {id: key, type: u1}
  - {id: one, size: 3, process: xor(key)}
  - {id: two, size: 3, process: 'xor([1, 2])'}
  - {id: left, size: 2, process: rol(3)}
  - {id: right, size: 2, process: ror(1)}
  - {id: inner, size: 2, type: pair, process: xor(0xff)}
types:
  pair: {seq: [{id: a, type: u1}, {id: b, type: u1}]}
