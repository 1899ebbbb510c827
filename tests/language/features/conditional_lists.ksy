# in: 020100010203
# in: 07
# in: 01aa00
meta:
  id: conditional_lists
  endian: be
  license: Apache-2.0
seq:
  - {id: n, type: u1}
  - {id: rows, type: row(n), repeat: expr, repeat-expr: n, if: n < 5}
types:
  row:
    params: [{id: n, type: u1}]
    seq:
      - {id: cells, type: cell, repeat: until, repeat-until: _.value == 0 or _index == n}
  cell: {seq: [{id: value, type: u1}]}
instances:
  cell: {value: 'rows[0].cells[0].value', if: n > 0 and n < 5}
