meta:
  id: xz
  title: The .xz container of LZMA2
  file-extension: xz
  license: Apache-2.0
  endian: le
doc: Read from its end, where the footer leads to the index, and the index to the blocks.
doc-ref: https://tukaani.org/xz/xz-file-format.txt
-checksum: {algorithm: crc32, field: flags_checksum, from: flags}
seq:
  - {id: magic, contents: [0xfd, 7zXZ, 0]}
  - {id: flags, type: flags}
  - {id: flags_checksum, type: u4}
instances:
  footer: {pos: _io.size - 12, type: footer}
  index: {pos: _io.size - 12 - footer.index_size, size: footer.index_size, type: index}
types:
  flags:
    seq:
      - {id: reserved, type: u1, valid: 0}
      - {id: reserved_high, type: b4}
      - {id: check, type: b4, enum: check}
    instances:
      check_size: {value: 'check == check::none ? 0 : check == check::crc32 ? 4 : check == check::crc64 ? 8 : 32'}
  footer:
    -checksum: {algorithm: crc32, field: checksum, from: stored_index_size, to: flags}
    seq:
      - {id: checksum, type: u4}
      - {id: stored_index_size, type: u4}
      - {id: flags, type: flags}
      - {id: magic, contents: YZ}
    instances:
      index_size: {value: 4 * (stored_index_size + 1)}
  number:
    seq:
      - {id: groups, type: group, repeat: until, repeat-until: not _.goes_on}
    instances:
      last: {value: groups.size - 1}
      value:
        value: >-
          groups[0].bits
          + (last > 0 ? groups[1].bits << 7 : 0)
          + (last > 1 ? groups[2].bits << 14 : 0)
          + (last > 2 ? groups[3].bits << 21 : 0)
  group:
    seq:
      - {id: goes_on, type: b1}
      - {id: bits, type: b7}
  index:
    -checksum: {algorithm: crc32, field: checksum}
    seq:
      - {id: indicator, contents: [0]}
      - {id: count, type: number}
      - {id: records, type: 'record(_index == 0 ? 12 : records[_index - 1].end)', repeat: expr, repeat-expr: count.value}
      - {id: padding, type: u1, valid: 0, repeat: expr, repeat-expr: (4 - _io.pos % 4) % 4}
      - {id: checksum, type: u4}
  record:
    params: [{id: at, type: u4}]
    seq:
      - {id: unpadded_size, type: number}
      - {id: uncompressed_size, type: number}
    instances:
      padded_size: {value: (unpadded_size.value + 3) / 4 * 4}
      end: {value: at + padded_size}
      block: {io: _root._io, pos: at, size: padded_size, type: block}
  block:
    seq:
      - {id: stored_header_size, type: u1, valid: {min: 1}}
      - {id: header, type: header, size: 4 * stored_header_size + 3}
      - {id: content, size-eos: true, doc: 'compressed bytes, zeros up to a multiple of four, and a check'}
  header:
    seq:
      - {id: has_uncompressed_size, type: b1}
      - {id: has_compressed_size, type: b1}
      - {id: reserved, type: b4}
      - {id: last_filter, type: b2}
      - {id: compressed_size, type: number, if: has_compressed_size}
      - {id: uncompressed_size, type: number, if: has_uncompressed_size}
      - {id: filters, type: filter, repeat: expr, repeat-expr: last_filter + 1}
      - {id: padding, size: _io.size - _io.pos - 4}
      - {id: checksum, type: u4}
  filter:
    seq:
      - {id: kind, type: number}
      - {id: properties_size, type: number}
      - {id: properties, size: properties_size.value}
enums:
  check: {0: none, 1: crc32, 4: crc64, 10: sha256}
