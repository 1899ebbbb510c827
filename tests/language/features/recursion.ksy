# in: 020100010000
# in: 0201
# in: 00
meta:
  id: recursion
  endian: be
  license: Apache-2.0
seq:
  - {id: tree, type: node}
types:
  node:
    seq:
      - {id: count, type: u1}
      - {id: children, type: node, repeat: expr, repeat-expr: count}
