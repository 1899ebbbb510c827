# in: 4b530161620707
# in: 4b53026162
# in: 4b530161620708
meta:
  id: literals
  endian: be
  license: Apache-2.0
seq:
  - {id: magic, contents: [0x4b, 0x53, 1]}
  - {id: word, contents: 'ab'}
  - {id: many, contents: [7], repeat: expr, repeat-expr: 2}
