meta:
  id: pcx
  title: Pictures of PC Paintbrush
  license: Apache-2.0
  endian: le
doc-ref: ZSoft PCX File Format Technical Reference Manual (1991)
seq:
  - {id: manufacturer, contents: [10]}
  - {id: version, type: u1, enum: versions}
  - {id: coding, type: u1, enum: codings}
  - {id: bits_per_pixel, type: u1}
  - {id: left, type: u2}
  - {id: top, type: u2}
  - {id: right, type: u2}
  - {id: bottom, type: u2}
  - {id: horizontal_dpi, type: u2}
  - {id: vertical_dpi, type: u2}
  - {id: colors, type: color, repeat: expr, repeat-expr: 16}
  - {id: reserved, type: u1}
  - {id: planes, type: u1}
  - {id: row_bytes, type: u2}
  - {id: palette_kind, type: u2}
  - {id: screen_width, type: u2}
  - {id: screen_height, type: u2}
  - {id: filler, size: 54}
  - {id: pixels, size: 'has_palette ? _io.size - 128 - 769 : _io.size - 128'}
  - {id: palette, type: palette, if: has_palette}
instances:
  width: {value: right - left + 1}
  height: {value: bottom - top + 1}
  has_palette: {value: 'version == versions::v_3_0 and bits_per_pixel == 8 and planes == 1'}
  first_run: {pos: 128, type: run, if: coding == codings::runs}
types:
  color:
    seq:
      - {id: red, type: u1}
      - {id: green, type: u1}
      - {id: blue, type: u1}
  palette:
    seq:
      - {id: magic, contents: [12]}
      - {id: colors, type: color, repeat: expr, repeat-expr: 256}
  run:
    seq:
      - {id: mark, type: b2}
      - {id: count, type: b6}
      - {id: value, type: u1, if: mark == 3}
enums:
  versions: {0: v_2_5, 2: v_2_8, 3: v_2_8_without_palette, 5: v_3_0}
  codings: {0: none, 1: runs}
