# in: 01aabb02ccdd0311223344
# in: 04
meta:
  id: switch_integers
  endian: be
  license: Apache-2.0
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: tag, type: u1}
      - id: body
        type:
          switch-on: tag
          cases:
            1: u2
            2: pair
            3: s4le
  pair:
    seq:
      - {id: x, type: u1}
      - {id: y, type: u1}
