meta:
  id: dds
  title: Surfaces of DirectDraw
  license: Apache-2.0
  endian: le
doc-ref: Programming Guide for DDS, DDS_HEADER (Microsoft)
seq:
  - {id: magic, contents: 'DDS '}
  - {id: header_size, type: u4, valid: 124}
  - {id: flags, type: flags}
  - {id: height, type: u4}
  - {id: width, type: u4}
  - {id: row_bytes, type: u4}
  - {id: depth, type: u4}
  - {id: levels, type: u4}
  - {id: reserved, type: u4, repeat: expr, repeat-expr: 11}
  - {id: pixel, type: pixel}
  - {id: capabilities, type: u4, repeat: expr, repeat-expr: 4}
  - {id: reserved_2, type: u4}
  - {id: rows, type: row, repeat: expr, repeat-expr: height, if: pixel.bits > 0}
types:
  flags:
    meta: {bit-endian: le}
    seq:
      - {id: has_capabilities, type: b1}
      - {id: has_height, type: b1}
      - {id: has_width, type: b1}
      - {id: has_row_bytes, type: b1}
      - {id: others, type: b8}
      - {id: has_pixel, type: b1}
      - {id: others_2, type: b4}
      - {id: has_levels, type: b1}
      - {id: others_3, type: b14}
  pixel:
    seq:
      - {id: size, type: u4, valid: 32}
      - {id: has_alpha, type: b1le}
      - {id: is_alpha, type: b1le}
      - {id: is_compressed, type: b1le}
      - {id: others, type: b3le}
      - {id: is_rgb, type: b1le}
      - {id: others_2, type: b25le}
      - {id: compression, type: str, size: 4, encoding: ASCII}
      - {id: bits, type: u4}
      - {id: red_mask, type: u4}
      - {id: green_mask, type: u4}
      - {id: blue_mask, type: u4}
      - {id: alpha_mask, type: u4}
  row: {seq: [{id: pixels, size: _root.width * _root.pixel.bits / 8}]}
