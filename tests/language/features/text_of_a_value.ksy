# in: 0102
meta:
  id: text_of_a_value
  endian: be
  license: Apache-2.0
to-string: f"pair {a}, {b}"
seq: [{id: a, type: u1}, {id: b, type: u1}]
