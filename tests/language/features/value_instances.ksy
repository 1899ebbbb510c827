# in: 050003
# in: c8ffff
# in: 00ff00
meta:
  id: value_instances
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: u1}
  - {id: b, type: s2}
instances:
  total: {value: a + b}
  scaled: {value: total * 10 / 3}
  negative: {value: '-7 / 2'}
  remainder: {value: '-7 % 3'}
  shifted: {value: (a << 3) | (b & 0xf) ^ 5}
  is_big: {value: a > 100 and not (b < 0)}
  words: {value: 'is_big ? "big" : "small"'}
  text: {value: a.to_s + "/" + words}
  real: {value: a / 2.0 + 1e2}
  maybe: {value: a, if: a > 9}
