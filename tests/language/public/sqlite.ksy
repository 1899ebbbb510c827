meta:
  id: sqlite
  title: A database of SQLite
  license: Apache-2.0
  endian: be
doc-ref: https://www.sqlite.org/fileformat.html
seq:
  - {id: header, type: header, size: 100}
instances:
  pages: {pos: 0, type: page(_index), size: header.page_bytes, repeat: expr, repeat-expr: header.pages_count}
types:
  header:
    seq:
      - {id: magic, contents: [SQLite format 3, 0]}
      - {id: stored_page_size, type: u2}
      - {id: write_version, type: u1, enum: versions}
      - {id: read_version, type: u1, enum: versions}
      - {id: reserved_bytes, type: u1}
      - {id: largest_fraction, contents: [64]}
      - {id: smallest_fraction, contents: [32]}
      - {id: leaf_fraction, contents: [32]}
      - {id: changes, type: u4}
      - {id: pages_count, type: u4}
      - {id: first_free_page, type: u4}
      - {id: free_pages_count, type: u4}
      - {id: schema_changes, type: u4}
      - {id: schema_version, type: u4, valid: {max: 4}}
      - {id: cache_pages, type: u4}
      - {id: largest_root, type: u4}
      - {id: encoding, type: u4, enum: encodings}
      - {id: user_version, type: s4}
      - {id: vacuums_by_steps, type: u4}
      - {id: application, type: u4}
      - {id: reserved, size: 20}
      - {id: changes_when_valid, type: u4}
      - {id: sqlite_version, type: u4}
    instances:
      page_bytes: {value: 'stored_page_size == 1 ? 65536 : stored_page_size'}
  page:
    params: [{id: number, type: s4}]
    seq:
      - {id: header, size: 100, if: number == 0}
      - {id: kind, type: u1, enum: pages}
      - {id: tree, type: tree, if: 'kind == pages::table or kind == pages::table_leaf or kind == pages::index or kind == pages::index_leaf'}
  tree:
    seq:
      - {id: first_free, type: u2}
      - {id: cells_count, type: u2}
      - {id: cells_start, type: u2}
      - {id: fragments_bytes, type: u1}
      - {id: last_child, type: u4, if: not is_leaf}
      - {id: cells, type: cell, repeat: expr, repeat-expr: cells_count}
    instances:
      kind: {value: _parent.kind}
      is_leaf: {value: kind == pages::table_leaf or kind == pages::index_leaf}
  cell:
    seq:
      - {id: position, type: u2}
    instances:
      body:
        pos: position
        type:
          switch-on: _parent.kind
          cases: {'pages::table_leaf': row, 'pages::table': child, 'pages::index_leaf': entry, 'pages::index': inner_entry}
  row:
    seq:
      - {id: size, type: varint}
      - {id: row_id, type: varint}
      - {id: record, type: record, size: size.value}
  child:
    seq:
      - {id: page, type: u4}
      - {id: row_id, type: varint}
  entry:
    seq:
      - {id: size, type: varint}
      - {id: record, type: record, size: size.value}
  inner_entry:
    seq:
      - {id: page, type: u4}
      - {id: entry, type: entry}
  record:
    seq:
      - {id: header_size, type: varint}
      - {id: kinds, type: kinds, size: header_size.value - header_size.groups.size}
      - {id: columns, type: 'column(kinds.kinds[_index].value)', repeat: expr, repeat-expr: kinds.kinds.size}
  kinds: {seq: [{id: kinds, type: varint, repeat: eos}]}
  column:
    params: [{id: kind, type: s8}]
    seq:
      - id: value
        if: kind != 0 and kind != 8 and kind != 9
        type:
          switch-on: 'kind < 12 ? kind : kind % 2 == 0 ? 12 : 13'
          cases: {1: s1, 2: s2, 3: b24, 4: s4, 5: b48, 6: s8, 7: f8, 12: blob((kind - 12) / 2), 13: text((kind - 13) / 2)}
    instances:
      is_null: {value: kind == 0}
      constant: {value: kind - 8, if: kind == 8 or kind == 9}
  blob:
    params: [{id: size, type: s8}]
    seq: [{id: data, size: size}]
  text:
    params: [{id: size, type: s8}]
    seq: [{id: text, type: str, size: size, encoding: UTF-8}]
  varint:
    seq:
      - id: groups
        type: 'group(_index, _index == 0 ? 0 : groups[_index - 1].total)'
        repeat: until
        repeat-until: not _.has_next or _index == 8
    instances:
      value: {value: groups.last.total}
  group:
    params: [{id: number, type: s4}, {id: before, type: s8}]
    seq:
      - {id: has_next, type: b1}
      - {id: bits, type: b7}
    instances:
      total: {value: 'number == 8 ? (before << 8) + bits + (has_next ? 128 : 0) : (before << 7) + bits'}
enums:
  versions: {1: journal, 2: write_ahead_log}
  encodings: {1: utf_8, 2: utf_16le, 3: utf_16be}
  pages: {0: overflow_or_free, 2: index, 5: table, 10: index_leaf, 13: table_leaf}
