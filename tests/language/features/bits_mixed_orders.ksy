# in: a5c37e81ff10aabb
meta:
  id: bits_mixed_orders
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: b4be}
  - {id: b, type: b4be}
  - {id: c, type: b5le}
  - {id: d, type: b3le}
  - {id: e, type: b40le}
