# in: 0a02aabb03ccddee
# in: 0002aabb00
meta:
  id: parents_and_roots
  endian: be
  license: Apache-2.0
seq:
  - {id: total, type: u1}
  - {id: rows, type: row, repeat: expr, repeat-expr: 2}
types:
  row:
    seq: [{id: width, type: u1}, {id: cell, type: cell}]
    types:
      cell:
        seq: [{id: data, size: _parent.width}]
        instances:
          share: {value: _parent.width * 100 / _root.total}
          up: {value: _parent._parent.total}
