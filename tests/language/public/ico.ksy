meta:
  id: ico
  title: Icons and cursors of Windows
  license: Apache-2.0
  endian: le
doc-ref: Windows resource formats, ICONDIR and ICONDIRENTRY
seq:
  - {id: reserved, contents: [0, 0]}
  - {id: kind, type: u2, enum: kinds, valid: {any-of: ['kinds::icon', 'kinds::cursor']}}
  - {id: count, type: u2}
  - {id: entries, type: entry, repeat: expr, repeat-expr: count}
types:
  entry:
    seq:
      - {id: width, type: u1}
      - {id: height, type: u1}
      - {id: colors, type: u1}
      - {id: reserved, type: u1}
      - {id: planes, type: u2}
      - {id: bits_per_pixel, type: u2}
      - {id: size, type: u4}
      - {id: position, type: u4}
    instances:
      image: {io: _root._io, pos: position, size: size}
      is_png: {value: 'size > 8 and image[0] == 0x89 and image[1] == 0x50'}
      pixels_wide: {value: 'width == 0 ? 256 : width'}
enums:
  kinds: {1: icon, 2: cursor}
