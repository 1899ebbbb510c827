# in: 011234
# in: 02fffe
# in: 031234
meta:
  id: casts
  endian: be
  license: Apache-2.0
seq:
  - {id: tag, type: u1}
  - id: body
    size: 2
    type:
      switch-on: tag
      cases: {1: one, 2: two}
types:
  one: {seq: [{id: x, type: u2}]}
  two: {seq: [{id: y, type: s1}, {id: z, type: s1}]}
instances:
  x: {value: body.as<one>.x, if: tag == 1}
  z: {value: body.as<two>.z, if: tag == 2}
  low: {value: (tag * 300).as<u1>}
