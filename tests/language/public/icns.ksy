meta:
  id: icns
  title: Icons of Apple
  license: Apache-2.0
  endian: be
doc-ref: Inside Macintosh, Icon Utilities; IconStorage.h (Apple)
seq:
  - {id: magic, contents: icns}
  - {id: size, type: u4}
  - {id: elements, type: elements, size: size - 8}
types:
  elements: {seq: [{id: elements, type: element, repeat: eos}]}
  element:
    seq:
      - {id: kind, type: u4, enum: kinds}
      - {id: size, type: u4, valid: {min: 8}}
      - id: body
        size: size - 8
        type:
          switch-on: kind
          cases: {'kinds::contents': contents}
    instances:
      is_png: {value: 'size > 12 and body.as<bytes>[1] == 0x50', if: kind != kinds::contents}
  contents: {seq: [{id: entries, type: entry, repeat: eos}]}
  entry:
    seq:
      - {id: kind, type: u4, enum: kinds}
      - {id: size, type: u4}
enums:
  kinds:
    0x544f4320: contents
    0x69633037: png_128
    0x69633038: png_256
    0x69633039: png_512
    0x69633130: png_1024
    0x69633131: png_32
    0x69633132: png_64
    0x69633133: png_256_of_128
    0x69633134: png_512_of_256
