meta:
  id: jpeg
  title: JPEG picture
  file-extension: [jpg, jpeg]
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc: |
  Segments, each after a byte 0xff that begins its marker. Between the last ones lie the bits of the picture, in which a
  byte 0xff is followed by 0.
doc-ref: ITU-T T.81
seq:
  - {id: segments, type: segment, repeat: until, repeat-until: '_.code == code::end_of_image'}
types:
  segment:
    seq:
      - {id: before, terminator: 0xff, doc: bits of the picture}
      - {id: code, type: u1, enum: code}
      - {id: length, type: u2, if: has_body, doc: with these two bytes}
      - id: body
        size: length - 2
        if: has_body
        type:
          switch-on: code
          cases:
            'code::app0': jfif
            'code::app1': extension
            'code::app14': extension
            'code::quantization': quantization_tables
            'code::huffman': huffman_tables
            'code::baseline': frame
            'code::progressive': frame
            'code::scan': scan
            'code::restart_interval': restart_interval
            'code::comment': comment
    instances:
      is_restart: {value: 'code.to_i >= 0xd0 and code.to_i <= 0xd7'}
      has_body:
        value: >-
          code != code::stuffed and code != code::start_of_image and code != code::end_of_image and code != code::fill
          and not is_restart
  jfif:
    seq:
      - {id: magic, type: strz}
      - {id: major_version, type: u1}
      - {id: minor_version, type: u1}
      - {id: density_unit, type: u1, enum: unit}
      - {id: x_density, type: u2}
      - {id: y_density, type: u2}
      - {id: thumbnail_width, type: u1}
      - {id: thumbnail_height, type: u1}
      - {id: thumbnail, size: 3 * thumbnail_width * thumbnail_height}
    enums:
      unit: {0: none, 1: per_inch, 2: per_centimetre}
  extension:
    seq:
      - {id: magic, type: strz}
      - {id: data, size-eos: true}
  quantization_tables: {seq: [{id: tables, type: quantization_table, repeat: eos}]}
  quantization_table:
    seq:
      - {id: is_wide, type: b4, valid: {max: 1}}
      - {id: number, type: b4}
      - id: elements
        repeat: expr
        repeat-expr: 64
        type:
          switch-on: is_wide
          cases: {0: u1, 1: u2}
  huffman_tables: {seq: [{id: tables, type: huffman_table, repeat: eos}]}
  huffman_table:
    seq:
      - {id: is_ac, type: b4}
      - {id: number, type: b4}
      - {id: counts, type: u1, repeat: expr, repeat-expr: 16}
      - {id: symbols, size: 'counts[_index]', repeat: expr, repeat-expr: 16, doc: of codes of one bit and more}
  frame:
    seq:
      - {id: precision, type: u1}
      - {id: height, type: u2}
      - {id: width, type: u2}
      - {id: components_count, type: u1}
      - {id: components, type: component, repeat: expr, repeat-expr: components_count}
    instances:
      is_subsampled: {value: 'components[0].horizontal > 1 or components[0].vertical > 1', if: components_count > 1}
  component:
    seq:
      - {id: id, type: u1}
      - {id: horizontal, type: b4}
      - {id: vertical, type: b4}
      - {id: quantization_table, type: u1}
  scan:
    seq:
      - {id: components_count, type: u1, valid: {min: 1, max: 4}}
      - {id: components, type: scan_component, repeat: expr, repeat-expr: components_count}
      - {id: spectral_start, type: u1}
      - {id: spectral_end, type: u1}
      - {id: successive_high, type: b4}
      - {id: successive_low, type: b4}
  scan_component:
    seq:
      - {id: id, type: u1}
      - {id: dc_table, type: b4}
      - {id: ac_table, type: b4}
  restart_interval: {seq: [{id: blocks_count, type: u2}]}
  comment: {seq: [{id: text, type: str, size-eos: true, encoding: UTF-8}]}
enums:
  code:
    0x00: stuffed
    0xc0: baseline
    0xc2: progressive
    0xc4: huffman
    0xd8: start_of_image
    0xd9: end_of_image
    0xda: scan
    0xdb: quantization
    0xdd: restart_interval
    0xe0: app0
    0xe1: app1
    0xee: app14
    0xfe: comment
    0xff: fill
