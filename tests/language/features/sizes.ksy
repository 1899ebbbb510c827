# in: 000102030405060708090a0b0c0d0e0f10111213
meta:
  id: sizes
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: fixed}
  - {id: b, size: sizeof<fixed>}
  - {id: c, size: a._sizeof + bitsizeof<u2> / 8}
  - {id: d, type: fixed, size: 5}
  - {id: e, type: fixed, if: a.x == 0}
instances:
  in_a_window: {value: d._sizeof}
  of_a_field: {value: d.y._sizeof}
  with_a_condition: {value: e._sizeof}
  own: {value: a.own}
types:
  fixed:
    seq: [{id: x, type: u1}, {id: y, type: u2}]
    instances: {own: {value: _sizeof}}
