meta:
  id: archive
  title: Chunks with checksums of an extent that only their content tells, compressed as the chunk says
  license: CC0-1.0
  endian: le
  encoding: UTF-8
seq:
  - id: signature
    contents: "ARC1"
  - id: chunks_count
    type: u2
  - id: chunks
    type: chunk
    repeat: expr
    repeat-expr: chunks_count
  - id: end_of_archive
    size: 0
    valid:
      expr: _io.eof
types:
  chunk:
    -checksum:
      algorithm: crc32
      field: sum
      from: names_count
    seq:
      - id: sum
        type: u4
      - id: names_count
        type: u1
      - id: names
        type: name
        repeat: expr
        repeat-expr: names_count
      - id: codec
        type: u1
        enum: codec
        -derive: 0
      - id: packed_size
        type: u4
      - id: content
        size: packed_size
        -payload:
          codec: codec
          type: content
        -inline: true
  name:
    seq:
      - id: length
        type: u1
      - id: text
        type: str
        size: length
  content:
    seq:
      - id: lines_count
        type: u4
      - id: lines
        type: name
        repeat: expr
        repeat-expr: lines_count
enums:
  codec:
    0: none
    1: gzip
    2: snappy
    3: lz4
    4: zstd
