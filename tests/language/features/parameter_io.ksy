# in: aabbccdd02
# in: aabbccdd05
meta:
  id: parameter_io
  endian: be
  license: Apache-2.0
seq:
  - {id: pool, size: 4, type: pool}
  - {id: view, type: view(pool._io)}
types:
  pool: {}
  view:
    params: [{id: stream, type: io}]
    seq: [{id: at, type: u1}]
    instances:
      there: {io: stream, pos: at, type: u1}
      size: {value: stream.size}
