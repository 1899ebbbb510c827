# in: 0203616263646566
# in: 0001
# in: 0901
meta:
  id: pos_instances
  endian: be
  license: Apache-2.0
seq:
  - {id: at, type: u1}
  - {id: size, type: u1}
instances:
  there: {pos: at, size: size}
  number: {pos: at + 1, type: u2}
  rest: {pos: at, size-eos: true}
  list: {pos: at, type: u1, repeat: expr, repeat-expr: size}
  text: {pos: at, size: size, type: str, encoding: ASCII}
