meta:
  id: littles
  title: Little-endian numbers, to be inlined where the rest is big-endian
  license: CC0-1.0
  endian: le
seq:
  - id: first
    type: u4
  - id: rest
    type: f8
    repeat: eos
