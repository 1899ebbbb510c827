# in: 03aabbccdd
# in: 01aabb
# in: 05aabb
meta:
  id: windows
  endian: be
  license: Apache-2.0
seq:
  - {id: size, type: u1}
  - {id: body, size: size, type: body}
  - {id: after, type: u1}
types:
  body:
    seq:
      - {id: first, type: u1}
      - {id: rest, type: u1, repeat: eos}
    instances:
      length: {value: _io.size}
      left: {value: _io.eof}
