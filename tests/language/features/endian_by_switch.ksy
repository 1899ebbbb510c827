# in: 4949010203040506
# in: 4d4d010203040506
# in: 5858010203040506
meta:
  id: endian_by_switch
  license: Apache-2.0
seq:
  - {id: order, size: 2}
  - {id: body, type: body}
types:
  body:
    meta:
      endian:
        switch-on: _root.order
        cases:
          '[0x49, 0x49]': le
          '[0x4d, 0x4d]': be
    seq:
      - {id: a, type: u2}
      - {id: b, type: inner}
    instances:
      at: {pos: 2, type: u2}
    types:
      inner: {seq: [{id: c, type: u4}]}
