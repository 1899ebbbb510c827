# in: 0501
# in: 100102
meta:
  id: switch_boolean
  endian: be
  license: Apache-2.0
seq:
  - {id: flag, type: u1}
  - id: body
    type:
      switch-on: flag > 9
      cases:
        true: u2
        false: u1
