# in: a5c3
# in: a5
meta:
  id: unaligned_instances
  endian: be
  license: Apache-2.0
seq: [{id: a, type: b4}, {id: b, type: b4}]
instances:
  nibble: {pos: 1, type: b4}
  flags: {pos: 1, type: flags}
types:
  flags: {seq: [{id: x, type: b1}, {id: y, type: b7}]}
