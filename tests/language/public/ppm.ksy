meta:
  id: ppm
  title: Portable pixmaps and their kin
  license: Apache-2.0
  encoding: ASCII
doc-ref: Netpbm, ppm(5), pgm(5), pbm(5)
seq:
  - {id: magic, contents: P}
  - {id: kind, type: str, terminator: 0x0a, valid: {any-of: ['"4"', '"5"', '"6"']}}
  - {id: width, type: str, terminator: 0x20}
  - {id: height, type: str, terminator: 0x0a}
  - {id: most, type: str, terminator: 0x0a, if: not is_bitmap}
  - {id: rows, type: row, repeat: expr, repeat-expr: height.to_i}
instances:
  is_bitmap: {value: kind == "4"}
  row_bytes:
    value: 'is_bitmap ? (width.to_i + 7) / 8 : kind == "6" ? width.to_i * 3 : width.to_i'
types:
  row: {seq: [{id: pixels, size: _root.row_bytes}]}
