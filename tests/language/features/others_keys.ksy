# in: 01
meta:
  id: others_keys
  endian: be
  license: Apache-2.0
-webide-representation: '{a}'
seq:
  - {id: a, type: u1, -affected-by: nothing, doc: text}
types:
  t:
    -webide-note: {deep: [1, 2]}
    seq: []
