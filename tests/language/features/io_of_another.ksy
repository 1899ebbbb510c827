# in: 010300006162636465ff
# in: 0507000061626364656f
meta:
  id: io_of_another
  endian: be
  license: Apache-2.0
seq:
  - {id: table, size: 4, type: table}
  - {id: pool, size: 6, type: pool}
types:
  table:
    seq:
      - {id: at, type: u1}
      - {id: length, type: u1}
    instances:
      text: {io: _root.pool._io, pos: at, size: length, type: str, encoding: UTF-8}
  pool: {}
