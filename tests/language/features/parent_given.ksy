# in: 010203
meta:
  id: parent_given
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: outer}
types:
  outer:
    seq:
      - {id: number, type: u1}
      - {id: one, type: inner, parent: _root}
      - {id: two, type: alone, parent: false}
  inner: {seq: [{id: value, type: u1}]}
  alone: {seq: [{id: value, type: u1}]}
