meta:
  id: sqlite_wal
  title: SQLite's write-ahead log
  license: Apache-2.0
  endian: be
doc-ref: https://www.sqlite.org/fileformat2.html#walformat
seq:
  - {id: magic, type: u4, enum: checksum_order, valid: {in-enum: true}}
  - {id: version, type: u4, valid: 3007000}
  - {id: page_size, type: u4, valid: {min: 512, max: 65536}}
  - {id: checkpoint, type: u4}
  - {id: salts, type: salts}
  - {id: checksum, type: u8}
  - {id: frames, type: frame, repeat: eos}
types:
  salts:
    seq:
      - {id: first, type: u4}
      - {id: second, type: u4}
  frame:
    seq:
      - {id: page_number, type: u4, valid: {min: 1}}
      - {id: pages_count, type: u4, doc: of the database after a commit; 0 in other frames}
      - {id: salts, type: salts}
      - {id: checksum, type: u8}
      - {id: page, size: _root.page_size, type: page}
    instances:
      is_commit: {value: pages_count != 0}
      is_valid: {value: salts.first == _root.salts.first and salts.second == _root.salts.second}
  page:
    instances:
      header_at: {value: '_parent.page_number == 1 ? 100 : 0'}
      kind: {pos: header_at, type: u1, enum: page_kind}
      cells_count: {pos: header_at + 3, type: u2}
      all: {pos: 0, size-eos: true}
enums:
  checksum_order: {0x377f0682: little_endian, 0x377f0683: big_endian}
  page_kind: {2: index_inner, 5: table_inner, 10: index_leaf, 13: table_leaf}
