# a compressed structure with positions of its own
# in: 0d789c636260646002000014000699
# in: 03010203
meta:
  id: process_zlib
  endian: be
  license: Apache-2.0
seq:
  - {id: len, type: u1}
  - {id: body, size: len, type: body, process: zlib}
  - {id: after, type: u1}
types:
  body:
    seq:
      - {id: count, type: u1}
      - {id: items, type: u2, repeat: expr, repeat-expr: count}
    instances:
      last: {pos: 1, type: u1}
