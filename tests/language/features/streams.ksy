# in: 0102
# in: 0102030405
meta:
  id: streams
  endian: be
  license: Apache-2.0
seq:
  - {id: a, type: u2}
  - {id: b, type: u1, if: not _io.eof}
  - {id: c, size: _io.size - _io.pos}
instances:
  size: {value: _io.size}
