meta:
  id: woff
  title: Web Open Font Format
  file-extension: woff
  license: Apache-2.0
  endian: be
  encoding: ASCII
doc-ref: https://www.w3.org/TR/WOFF/
seq:
  - {id: magic, contents: wOFF}
  - {id: flavor, type: u4}
  - {id: length, type: u4, valid: {expr: _ == _io.size}}
  - {id: tables_count, type: u2}
  - {id: reserved, type: u2}
  - {id: total_size, type: u4, doc: of the font as it was before}
  - {id: major_version, type: u2}
  - {id: minor_version, type: u2}
  - {id: metadata_at, type: u4}
  - {id: metadata_length, type: u4}
  - {id: metadata_original_length, type: u4}
  - {id: private_at, type: u4}
  - {id: private_length, type: u4}
  - {id: tables, type: table, repeat: expr, repeat-expr: tables_count}
instances:
  metadata:
    pos: metadata_at
    size: metadata_length
    process: zlib
    type: metadata
    if: metadata_at != 0
  private: {pos: private_at, size: private_length, if: private_at != 0}
types:
  metadata: {seq: [{id: xml, type: str, size-eos: true, encoding: UTF-8}]}
  table:
    seq:
      - {id: tag, type: str, size: 4}
      - {id: at, type: u4}
      - {id: length, type: u4}
      - {id: original_length, type: u4}
      - {id: original_checksum, type: u4}
    instances:
      is_packed: {value: length < original_length}
      stored: {pos: at, size: length, type: content(tag), if: not is_packed}
      packed: {pos: at, size: length, type: content(tag), process: zlib, if: is_packed}
      padding: {pos: at + length, size: (4 - length % 4) % 4}
  content:
    params:
      - {id: tag, type: str}
    seq:
      - id: body
        size-eos: true
        type:
          switch-on: tag
          cases:
            '"head"': head
            '"hmtx"': metrics
  head:
    seq:
      - {id: version, type: u4}
      - {id: revision, type: u4}
      - {id: checksum_adjustment, type: u4}
      - {id: magic, type: u4, valid: 0x5f0f3cf5}
      - {id: rest, size-eos: true}
  metrics:
    seq: [{id: metrics, type: metric, repeat: eos}]
  metric:
    seq:
      - {id: advance_width, type: u2}
      - {id: left_side_bearing, type: s2}
