meta:
  id: bmp
  title: Device-independent bitmap
  license: Apache-2.0
  endian: le
doc-ref: Windows GDI, Bitmap Storage (BITMAPFILEHEADER, BITMAPINFOHEADER, BITMAPV5HEADER)
seq:
  - {id: magic, contents: BM}
  - {id: file_size, type: u4}
  - {id: reserved, type: u2, repeat: expr, repeat-expr: 2}
  - {id: pixels_position, type: u4}
  - {id: header_size, type: u4}
  - {id: header, type: info, size: header_size - 4}
  - {id: palette, type: color, repeat: expr, repeat-expr: palette_size}
instances:
  palette_size:
    value: 'header.bits_per_pixel > 8 ? 0 : header.colors_used != 0 ? header.colors_used : 1 << header.bits_per_pixel'
  row_bytes: {value: (header.width * header.bits_per_pixel + 31) / 32 * 4}
  height: {value: 'header.height < 0 ? -header.height : header.height'}
  rows:
    pos: pixels_position
    type: row
    repeat: expr
    repeat-expr: height
    if: header.compression == compressions::none
types:
  info:
    seq:
      - {id: width, type: s4}
      - {id: height, type: s4}
      - {id: planes, type: u2, valid: 1}
      - {id: bits_per_pixel, type: u2, valid: {any-of: [1, 2, 4, 8, 16, 24, 32]}}
      - {id: compression, type: u4, enum: compressions}
      - {id: pixels_size, type: u4}
      - {id: pixels_per_meter, type: resolution}
      - {id: colors_used, type: u4}
      - {id: colors_important, type: u4}
      - {id: masks, type: u4, repeat: expr, repeat-expr: 4, if: _parent.header_size >= 56}
      - {id: color_space, type: u4, if: _parent.header_size >= 108}
      - {id: endpoints, type: s4, repeat: expr, repeat-expr: 9, if: _parent.header_size >= 108}
      - {id: gamma, type: u4, repeat: expr, repeat-expr: 3, if: _parent.header_size >= 108}
    instances:
      is_bottom_up: {value: height > 0}
  resolution:
    seq:
      - {id: x, type: s4}
      - {id: y, type: s4}
  color:
    seq:
      - {id: blue, type: u1}
      - {id: green, type: u1}
      - {id: red, type: u1}
      - {id: reserved, type: u1}
    instances:
      luma: {value: (299 * red + 587 * green + 114 * blue) / 1000}
  row:
    seq:
      - {id: pixels, size: _root.row_bytes}
enums:
  compressions: {0: none, 1: rle_8, 2: rle_4, 3: bit_fields}
