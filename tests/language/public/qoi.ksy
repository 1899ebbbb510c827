meta:
  id: qoi
  title: The quite OK image format
  file-extension: qoi
  license: Apache-2.0
  endian: be
doc-ref: https://qoiformat.org/qoi-specification.pdf
seq:
  - {id: magic, contents: qoif}
  - {id: width, type: u4}
  - {id: height, type: u4}
  - {id: channels, type: u1, valid: {any-of: [3, 4]}}
  - {id: color_space, type: u1, enum: color_space, valid: {in-enum: true}}
  - {id: chunks, type: chunks, size: _io.size - _io.pos - 8}
  - {id: end, contents: [0, 0, 0, 0, 0, 0, 0, 1]}
types:
  chunks: {seq: [{id: chunks, type: chunk, repeat: eos}]}
  chunk:
    seq:
      - {id: kind, type: b2}
      - {id: bits, type: b6}
      - id: body
        type:
          switch-on: 'kind == 3 and bits >= 62 ? bits : kind'
          cases:
            62: rgb
            63: rgba
            2: luma
    instances:
      index: {value: bits, if: kind == 0}
      red_change: {value: (bits >> 4) - 2, if: kind == 1}
      green_change: {value: 'kind == 1 ? (bits >> 2 & 3) - 2 : bits - 32', if: kind == 1 or kind == 2}
      blue_change: {value: (bits & 3) - 2, if: kind == 1}
      run: {value: bits + 1, if: kind == 3 and bits < 62}
  rgb:
    seq:
      - {id: red, type: u1}
      - {id: green, type: u1}
      - {id: blue, type: u1}
  rgba:
    seq:
      - {id: color, type: rgb}
      - {id: alpha, type: u1}
  luma:
    seq:
      - {id: red_less_green, type: b4}
      - {id: blue_less_green, type: b4}
    instances:
      red_change: {value: _parent.green_change + red_less_green - 8}
enums:
  color_space: {0: srgb, 1: linear}
