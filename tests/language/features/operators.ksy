# in: 000000050000000a
# in: fffffffffffffff6
# in: 00000000ffffffff
meta:
  id: operators
  endian: be
  license: Apache-2.0
seq: [{id: a, type: u4}, {id: b, type: s4}]
instances:
  order: {value: '1 + 2 * 3 - 8 / 3 % 2'}
  bits: {value: '~a & 0xff | b ^ 3'}
  compare: {value: 'a >= 5 and b <= 5 or a != b'}
  shifts: {value: '(a << 40) >> 33'}
  grouping: {value: '(a > 5 ? 1 : 2) + (b < 0 ? 10 : 20)'}
  hex: {value: '0xff_ff + 0b11 + 0o17 + 1_000'}
  product: {value: a * b}
  quotient: {value: 'b / 7'}
