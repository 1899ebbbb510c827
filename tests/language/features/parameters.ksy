# in: 0200aabbccdd
# in: 020100aa11223344ccdd
# in: 0000aabb
meta:
  id: parameters
  endian: be
  license: Apache-2.0
seq:
  - {id: count, type: u1}
  - {id: flags, type: u1}
  - {id: a, type: 'block(count, "x", flags != 0, [1, 2])'}
  - {id: b, type: holder(a), size: 2}
types:
  block:
    params:
      - {id: count, type: u1}
      - {id: name, type: str}
      - {id: is_big, type: bool}
      - {id: mark, type: bytes}
    seq:
      - {id: values, type: u1, repeat: expr, repeat-expr: count}
      - {id: big, type: u4, if: is_big}
    instances:
      label: {value: name + values.size.to_s}
  holder:
    params: [{id: other, type: block}]
    seq: [{id: own, type: u1}]
    instances: {sum: {value: 'own + other.values[0]'}}
