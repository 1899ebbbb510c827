# in: 02aabbccdd
# in: 03aabbccdd
meta:
  id: instance_of_windows
  endian: be
  license: Apache-2.0
seq:
  - {id: count, type: u1}
instances:
  blocks: {pos: 1, size: 2, type: block, repeat: expr, repeat-expr: count}
  swapped: {pos: 1, size: 2, process: xor(1)}
types:
  block:
    seq: [{id: a, type: u1}]
    instances:
      b: {pos: 1, type: u1}
      outside: {io: _root._io, pos: 0, type: u1}
