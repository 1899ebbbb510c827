meta:
  id: zstd_frame
  title: Frame of the Zstandard compression
  file-extension: zst
  license: Apache-2.0
  endian: le
doc-ref: RFC 8878
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: magic, type: u4}
      - id: body
        type:
          switch-on: 'magic & 0xfffffff0 == 0x184d2a50'
          cases:
            true: skippable
            false: compressed
  skippable:
    seq:
      - {id: length, type: u4}
      - {id: data, size: length}
  compressed:
    seq:
      - {id: content_size_flag, type: b2}
      - {id: is_single_segment, type: b1}
      - {id: unused, type: b1}
      - {id: reserved, type: b1, valid: false}
      - {id: has_checksum, type: b1}
      - {id: dictionary_flag, type: b2}
      - {id: window, type: window, if: not is_single_segment}
      - id: dictionary_id
        type:
          switch-on: dictionary_flag
          cases: {1: u1, 2: u2, 3: u4}
      - id: raw_content_size
        if: is_single_segment or content_size_flag != 0
        type:
          switch-on: content_size_flag
          cases: {0: u1, 1: u2, 2: u4, 3: u8}
      - {id: blocks, type: block, repeat: until, repeat-until: _.is_last}
      - {id: checksum, type: u4, if: has_checksum}
    instances:
      content_size:
        value: 'raw_content_size + (content_size_flag == 1 ? 256 : 0)'
        if: is_single_segment or content_size_flag != 0
  window:
    seq:
      - {id: exponent, type: b5}
      - {id: mantissa, type: b3}
    instances:
      base: {value: 1 << (10 + exponent)}
      size: {value: base + base / 8 * mantissa}
  block:
    meta: {bit-endian: le}
    seq:
      - {id: is_last, type: b1}
      - {id: kind, type: b2, enum: kind}
      - {id: size, type: b21}
      - id: content
        size: 'kind == kind::repeated ? 1 : size'
        type:
          switch-on: kind
          cases:
            'kind::compressed': sections
  sections:
    meta: {bit-endian: le}
    seq:
      - {id: literals_kind, type: b2, enum: literals}
      - {id: size_format, type: b2}
      - {id: literals_size_low, type: b4}
      - {id: rest, size-eos: true}
    instances:
      has_tree: {value: 'literals_kind == literals::compressed'}
enums:
  kind: {0: raw, 1: repeated, 2: compressed}
  literals: {0: raw, 1: repeated, 2: compressed, 3: treeless}
