meta:
  id: npy
  title: An array of numpy
  license: Apache-2.0
  endian: le
doc-ref: numpy.lib.format, Format Version 1.0, 2.0 and 3.0
seq:
  - {id: magic, contents: [0x93, NUMPY]}
  - {id: version, type: version}
  - id: header_size
    type:
      switch-on: version.major
      cases: {1: u2, _: u4}
  - {id: header, type: header, size: header_size}
  - {id: elements, size-eos: true}
instances:
  elements_position: {value: 'magic.length + 2 + (version.major == 1 ? 2 : 4) + header_size'}
  is_aligned: {value: elements_position % 64 == 0}
types:
  version:
    seq:
      - {id: major, type: u1, valid: {min: 1, max: 3}}
      - {id: minor, type: u1, valid: 0}
  header:
    seq:
      - {id: opening, contents: '{'}
      - {id: entries, type: str, terminator: 0x7d, encoding: UTF-8}
      - {id: padding, type: str, terminator: 0x0a, encoding: ASCII}
