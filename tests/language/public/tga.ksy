meta:
  id: tga
  title: Truevision TARGA
  license: Apache-2.0
  endian: le
doc-ref: Truevision TGA File Format Specification 2.0 (1991)
seq:
  - {id: name_size, type: u1}
  - {id: has_colors, type: u1, enum: yes_no}
  - {id: kind, type: u1, enum: kinds}
  - {id: first_color, type: u2}
  - {id: colors_count, type: u2}
  - {id: color_bits, type: u1}
  - {id: left, type: u2}
  - {id: top, type: u2}
  - {id: width, type: u2}
  - {id: height, type: u2}
  - {id: pixel_bits, type: u1}
  - {id: reserved, type: b2}
  - {id: is_from_top, type: b1}
  - {id: is_from_right, type: b1}
  - {id: alpha_bits, type: b4}
  - {id: name, size: name_size}
  - {id: colors, size: (color_bits + 7) / 8, repeat: expr, repeat-expr: colors_count, if: has_colors == yes_no::present}
  - {id: rows, type: row, repeat: expr, repeat-expr: height, if: not is_run_length}
  - {id: packets, type: 'packet(_index == 0 ? 0 : packets[_index - 1].end)', repeat: until, repeat-until: _.end >= width * height, if: is_run_length and width * height > 0}
  - {id: footer, type: footer, if: not _io.eof}
instances:
  is_run_length: {value: kind.to_i >= 9}
  pixel_bytes: {value: (pixel_bits + 7) / 8}
types:
  row: {seq: [{id: pixels, size: _root.width * _root.pixel_bytes}]}
  packet:
    params: [{id: before, type: u4}]
    seq:
      - {id: is_run, type: b1}
      - {id: more, type: b7}
      - {id: pixels, size: _root.pixel_bytes, repeat: expr, repeat-expr: 'is_run ? 1 : more + 1'}
    instances:
      count: {value: more + 1}
      end: {value: before + count}
  footer:
    seq:
      - {id: extension_position, type: u4}
      - {id: developer_position, type: u4}
      - {id: signature, contents: TRUEVISION-XFILE.}
      - {id: end, contents: [0]}
enums:
  yes_no: {0: absent, 1: present}
  kinds: {0: none, 1: indexed, 2: true_color, 3: gray, 9: indexed_runs, 10: true_color_runs, 11: gray_runs}
