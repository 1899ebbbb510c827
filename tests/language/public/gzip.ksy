meta:
  id: gzip
  title: A file of gzip with one member
  license: Apache-2.0
  endian: le
-checksum: {algorithm: tests.crc32_of_deflated, field: crc_32, from: body, to: body}
doc-ref: https://www.rfc-editor.org/rfc/rfc1952
seq:
  - {id: magic, contents: [0x1f, 0x8b]}
  - {id: method, type: u1, enum: methods, valid: 'methods::deflate'}
  - {id: flags, type: flags}
  - {id: modified_s, type: u4}
  - {id: extra_flags, type: u1, enum: efforts}
  - {id: system, type: u1, enum: systems}
  - {id: extra, type: extra, if: flags.has_extra}
  - {id: name, type: strz, encoding: ISO-8859-1, if: flags.has_name}
  - {id: comment, type: strz, encoding: ISO-8859-1, if: flags.has_comment}
  - {id: header_crc_16, type: u2, if: flags.has_header_crc}
  - {id: body, size: _io.size - _io.pos - 8}
  - {id: crc_32, type: u4}
  - {id: inflated_size, type: u4}
types:
  flags:
    seq:
      - {id: reserved, type: b3}
      - {id: has_comment, type: b1}
      - {id: has_name, type: b1}
      - {id: has_extra, type: b1}
      - {id: has_header_crc, type: b1}
      - {id: is_text, type: b1}
  extra:
    seq:
      - {id: size, type: u2}
      - {id: parts, type: parts, size: size}
  parts: {seq: [{id: parts, type: part, repeat: eos}]}
  part:
    seq:
      - {id: name, type: str, size: 2, encoding: ASCII}
      - {id: size, type: u2}
      - {id: data, size: size}
enums:
  methods: {8: deflate}
  efforts: {0: usual, 2: slowest, 4: fastest}
  systems: {0: fat, 3: unix, 7: macintosh, 11: ntfs, 255: unknown}
