# fields without a name
# in: 01020304
meta:
  id: without_ids
  endian: be
  license: Apache-2.0
seq:
  - type: u1
  - id: named
    type: u1
  - size: 2
