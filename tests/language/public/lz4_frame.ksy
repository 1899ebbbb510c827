meta:
  id: lz4_frame
  title: Frame of the LZ4 compression
  file-extension: lz4
  license: Apache-2.0
  endian: le
doc-ref:
  - https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
  - https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
seq:
  - {id: frames, type: frame, repeat: eos}
types:
  frame:
    seq:
      - {id: magic, type: u4}
      - id: body
        type:
          switch-on: magic
          cases:
            0x184d2204: compressed
            _: skippable
  skippable:
    seq:
      - {id: length, type: u4}
      - {id: data, size: length}
  compressed:
    -checksum: {algorithm: tests.lz4_header, field: header_checksum, from: flags}
    seq:
      - {id: flags, type: flags}
      - {id: content_size, type: u8, if: flags.has_content_size}
      - {id: dictionary_id, type: u4, if: flags.has_dictionary_id}
      - {id: header_checksum, type: u1}
      - {id: blocks, type: block(flags.has_block_checksums), repeat: until, repeat-until: _.is_end}
      - {id: content_checksum, type: u4, if: flags.has_content_checksum}
  flags:
    seq:
      - {id: version, type: b2, valid: 1}
      - {id: has_independent_blocks, type: b1}
      - {id: has_block_checksums, type: b1}
      - {id: has_content_size, type: b1}
      - {id: has_content_checksum, type: b1}
      - {id: reserved, type: b1}
      - {id: has_dictionary_id, type: b1}
      - {id: reserved_high, type: b1}
      - {id: block_size, type: b3, enum: block_size}
      - {id: reserved_low, type: b4}
  block:
    params: [{id: has_checksum, type: bool}]
    -checksum: {algorithm: tests.xxh32, field: checksum, from: content, to: content}
    seq:
      - {id: word, type: u4}
      - id: content
        size: length
        if: not is_end
        type:
          switch-on: is_stored
          cases:
            true: stored
            false: sequences
      - {id: checksum, type: u4, if: not is_end and has_checksum}
    instances:
      is_end: {value: word == 0}
      is_stored: {value: word >> 31 == 1}
      length: {value: word & 0x7fffffff}
  stored: {seq: [{id: data, size-eos: true}]}
  sequences: {seq: [{id: sequences, type: sequence, repeat: eos}]}
  sequence:
    doc: Literal bytes, then a copy of earlier ones; the last has no copy.
    seq:
      - {id: literals_nibble, type: b4}
      - {id: copied_nibble, type: b4}
      - {id: literals_more, type: more, if: literals_nibble == 15}
      - {id: literals, size: 'literals_nibble + (literals_nibble == 15 ? literals_more.value : 0)'}
      - {id: copy, type: copy(copied_nibble), if: not _io.eof}
  copy:
    params: [{id: nibble, type: u1}]
    seq:
      - {id: distance, type: u2}
      - {id: more, type: more, if: nibble == 15}
    instances:
      count: {value: '4 + nibble + (nibble == 15 ? more.value : 0)'}
  more:
    seq:
      - {id: bytes, type: u1, repeat: until, repeat-until: _ != 255}
    instances:
      value: {value: 255 * (bytes.size - 1) + bytes.last}
enums:
  block_size: {4: kib_64, 5: kib_256, 6: mib_1, 7: mib_4}
