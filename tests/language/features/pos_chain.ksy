# a list that is linked by positions, recursive
# in: 01aa03bb05cc00
# in: 0101
meta:
  id: pos_chain
  endian: be
  license: Apache-2.0
seq:
  - {id: first, type: u1}
instances:
  head: {pos: first, type: node}
types:
  node:
    seq:
      - {id: value, type: u1}
      - {id: next_at, type: u1}
    instances:
      next: {pos: next_at, type: node, if: next_at != 0}
