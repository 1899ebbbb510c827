# in: 06010102330102550203aabb
# in: 03010202aa
# in: 05010302aabb
meta:
  id: recursive_windows
  endian: be
  license: Apache-2.0
seq:
  - {id: boxes, type: box, repeat: eos}
types:
  box:
    seq:
      - {id: size, type: u1}
      - {id: kind, type: u1}
      - id: body
        size: size
        type:
          switch-on: kind
          cases: {1: boxes, 2: leaf}
  boxes: {seq: [{id: boxes, type: box, repeat: eos}]}
  leaf: {seq: [{id: value, type: u1}]}
